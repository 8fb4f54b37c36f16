//! Estimated cost of work.

use std::ops::{Add, AddAssign, Sub};

/// An estimate of work. It is used to show progress and to start the longest procedures first; it
/// affects no result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time that is known beforehand, on a real target, s: rests, loads of a given length, traces
    /// at their own times. 0 in virtual time.
    pub timed_s: f64,
    /// Everything else: on a real target seconds, assuming that a drive writes 400 MB/s; on a
    /// simulated one roughly the number of 4 KiB pages moved and of requests.
    pub untimed: f64,
    /// Number of jobs started on a real target; 0 in virtual time.
    pub parts: f64,
}

impl Cost {
    /// Returns the cost of a job of a known length on a real target, s.
    pub(crate) fn timed(timed_s: f64) -> Cost {
        Cost {
            timed_s,
            untimed: 0.0,
            parts: 1.0,
        }
    }

    /// Returns the cost of work of unknown length.
    pub(crate) fn untimed(untimed: f64) -> Cost {
        Cost {
            untimed,
            ..Cost::default()
        }
    }

    /// Returns the total as one number, for shares of progress.
    pub(crate) fn total(&self) -> f64 {
        // A job takes a moment to start.
        self.timed_s + self.untimed + 0.5 * self.parts
    }

    /// Returns the cost of repeating this `count` times.
    pub(crate) fn times(self, count: f64) -> Cost {
        Cost {
            timed_s: self.timed_s * count,
            untimed: self.untimed * count,
            parts: self.parts * count,
        }
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            timed_s: self.timed_s + other.timed_s,
            untimed: self.untimed + other.untimed,
            parts: self.parts + other.parts,
        }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

/// Subtracts finished work; never below 0.
impl Sub for Cost {
    type Output = Cost;

    fn sub(self, done: Cost) -> Cost {
        Cost {
            timed_s: (self.timed_s - done.timed_s).max(0.0),
            untimed: (self.untimed - done.untimed).max(0.0),
            parts: (self.parts - done.parts).max(0.0),
        }
    }
}
