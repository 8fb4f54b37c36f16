//! Wake-ups of waiting jobs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use stend_base::SimTime;

/// Pending wake-ups, mostly at most one for each job; those of one instant are in the order of the
/// jobs.
#[derive(Debug)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<(SimTime, u32)>>,
    armed: Vec<bool>,
}

impl Timers {
    pub fn new(jobs: usize) -> Timers {
        Timers {
            heap: BinaryHeap::with_capacity(jobs),
            armed: vec![false; jobs],
        }
    }

    /// Wakes `job` at `at`, unless its wake-up is set already: the instant that a job waits for
    /// never becomes earlier while it waits.
    pub fn arm(&mut self, job: u32, at: SimTime) {
        if !std::mem::replace(&mut self.armed[job as usize], true) {
            self.heap.push(Reverse((at, job)));
        }
    }

    /// Wakes `job` at `at` whatever other wake-up is set, which stays.
    pub fn arm_also(&mut self, job: u32, at: SimTime) {
        self.heap.push(Reverse((at, job)));
    }

    /// The next wake-up, or [`SimTime::NEVER`].
    #[inline]
    pub fn next_at(&self) -> SimTime {
        self.heap
            .peek()
            .map_or(SimTime::NEVER, |Reverse((at, _))| *at)
    }

    /// Removes and returns a job that is due at `now`.
    pub fn pop_due(&mut self, now: SimTime) -> Option<u32> {
        if self.next_at() > now {
            return None;
        }
        let Reverse((_, job)) = self.heap.pop()?;
        self.armed[job as usize] = false;
        Some(job)
    }
}
