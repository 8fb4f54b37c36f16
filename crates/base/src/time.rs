//! Virtual time: instants and durations in integer nanoseconds, as distinct types.

use std::ops::{Add, AddAssign, Mul, Sub};

use serde::{Deserialize, Serialize};

/// Duration in nanoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Nanos(pub u64);

/// Instant: nanoseconds since the simulated drive was powered on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct SimTime(pub u64);

impl Nanos {
    /// 0 ns.
    pub const ZERO: Nanos = Nanos(0);

    /// Returns a duration of whole microseconds.
    pub const fn from_micros(us: u64) -> Nanos {
        Nanos(us * 1_000)
    }

    /// Returns a duration of whole milliseconds.
    pub const fn from_millis(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// Returns a duration of whole seconds.
    pub const fn from_secs(s: u64) -> Nanos {
        Nanos(s * 1_000_000_000)
    }

    /// Duration in seconds, for printing; never for the event order.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl SimTime {
    /// Power-on.
    pub const ZERO: SimTime = SimTime(0);
    /// Instant that no run reaches.
    pub const NEVER: SimTime = SimTime(u64::MAX);

    /// Time since an earlier instant.
    ///
    /// # Panics
    /// In builds with checks, if `earlier` is later than `self`.
    pub fn since(self, earlier: SimTime) -> Nanos {
        debug_assert!(self >= earlier, "time ran backwards");
        Nanos(self.0 - earlier.0)
    }

    /// Instant in seconds, for printing; never for the event order.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add<Nanos> for SimTime {
    type Output = SimTime;
    fn add(self, d: Nanos) -> SimTime {
        SimTime(self.0 + d.0)
    }
}

impl AddAssign<Nanos> for SimTime {
    fn add_assign(&mut self, d: Nanos) {
        self.0 += d.0;
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, d: Nanos) -> Nanos {
        Nanos(self.0 + d.0)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, d: Nanos) {
        self.0 += d.0;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    fn sub(self, d: Nanos) -> Nanos {
        Nanos(self.0 - d.0)
    }
}

impl Mul<u64> for Nanos {
    type Output = Nanos;
    fn mul(self, n: u64) -> Nanos {
        Nanos(self.0 * n)
    }
}
