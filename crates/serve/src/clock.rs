//! Virtual time on the machine's clock.

use std::time::{Duration, Instant};

use stend_base::{Nanos, SimTime};

/// Pace of virtual time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// This number of virtual seconds per second.
    Speed(f64),
    /// As fast as requests need it.
    Max,
}

/// Maps virtual time to the machine's time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    speed: f64,
    /// An instant, on both clocks.
    at: (SimTime, Instant),
}

impl Clock {
    /// Starts a clock at this virtual time.
    pub fn new(speed: f64, now: SimTime) -> Clock {
        Clock {
            speed,
            at: (now, Instant::now()),
        }
    }

    /// The virtual time now.
    pub fn now(&self) -> SimTime {
        let passed = self.at.1.elapsed().as_nanos() as f64 * self.speed;
        self.at.0 + Nanos(passed as u64)
    }

    /// Machine time until a virtual time: zero if it has passed.
    pub fn until(&self, at: SimTime) -> Duration {
        if at == SimTime::NEVER {
            return Duration::MAX;
        }
        let ns = at.0.saturating_sub(self.at.0.0) as f64 / self.speed;
        let due = Duration::from_nanos(ns.min(1e18) as u64);
        due.saturating_sub(self.at.1.elapsed())
    }

    /// Machine time since a virtual time.
    pub fn since(&self, at: SimTime) -> Duration {
        let ns = at.0.saturating_sub(self.at.0.0) as f64 / self.speed;
        let due = Duration::from_nanos(ns as u64);
        self.at.1.elapsed().saturating_sub(due)
    }
}
