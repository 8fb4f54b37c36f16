//! Virtual time beside the machine's.

use std::time::{Duration, Instant};

use stend_base::{Nanos, SimTime};

/// How virtual time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many virtual seconds in a second.
    Speed(f64),
    /// Only as requests need it.
    Max,
}

/// Maps virtual time to the machine's.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    speed: f64,
    /// An instant of both.
    at: (SimTime, Instant),
}

impl Clock {
    /// A clock that stands at this virtual time now.
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

    /// How long until a virtual time comes: zero where it has come.
    pub fn until(&self, at: SimTime) -> Duration {
        if at == SimTime::NEVER {
            return Duration::MAX;
        }
        let ns = at.0.saturating_sub(self.at.0.0) as f64 / self.speed;
        let due = Duration::from_nanos(ns.min(1e18) as u64);
        due.saturating_sub(self.at.1.elapsed())
    }

    /// How long ago a virtual time came, of the machine's time.
    pub fn since(&self, at: SimTime) -> Duration {
        let ns = at.0.saturating_sub(self.at.0.0) as f64 / self.speed;
        let due = Duration::from_nanos(ns as u64);
        self.at.1.elapsed().saturating_sub(due)
    }
}
