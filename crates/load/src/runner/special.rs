//! Places of requests that are neither all ascending nor all random: jobs that skip, runs from
//! random places, writes of what was trimmed.

use stend_base::Rng;

use super::plan::Plan;
use crate::jobfile::{Direction, Mix};

/// The order of such a job.
#[derive(Debug)]
pub(super) struct Special {
    /// Bytes added after each ascending request.
    skip_bytes: i64,
    /// Requests from each random place.
    run: u32,
    /// Requests left of the present run, by direction.
    left: [u32; 3],
    random_percent: [u64; 3],
    rng: Rng,
    /// True if an ascending job begins again beyond the end of the region.
    wraps: bool,
    /// The place that was trimmed and is to be written.
    pub trimmed: Option<(u64, u64)>,
}

impl Special {
    /// The order of a job; `None` for one that only ascends or is only random.
    pub fn new(plan: &Plan<'_>, stream: impl Fn(&str) -> Rng) -> Option<Special> {
        let spec = plan.spec;
        let runs = spec.rw.random && (spec.random_run > 1 || spec.random_percent != [100; 3]);
        if spec.skip_bytes == 0 && !runs && spec.rw.mix != Mix::TrimWrite {
            return None;
        }
        Some(Special {
            skip_bytes: spec.skip_bytes,
            run: spec.random_run,
            left: [0; 3],
            random_percent: spec.random_percent.map(u64::from),
            rng: stream("follows"),
            // As in fio, a job that skips wraps at the end of its file, not at that of its region.
            wraps: plan.wraps || plan.is_whole,
            trimmed: None,
        })
    }

    /// True if the next request of a random job follows the one before.
    pub fn follows(&mut self, direction: Direction) -> bool {
        let index = direction as usize;
        if self.left[index] > 0 {
            self.left[index] -= 1;
            return true;
        }
        let percent = self.random_percent[index];
        if percent < 100 && self.rng.below(100) >= percent {
            return true;
        }
        self.left[index] = self.run - 1;
        false
    }

    /// The place after a request that ended at `position`, which is 0 before the first; `None` at
    /// the end of the region, if that ends the job.
    pub fn skipped(&self, position: u64, region_bytes: u64) -> Option<u64> {
        if position == 0 || self.skip_bytes == 0 {
            return Some(position);
        }
        match position.checked_add_signed(self.skip_bytes) {
            Some(next) if next < region_bytes => Some(next),
            _ if self.skip_bytes < 0 => region_bytes.checked_add_signed(self.skip_bytes),
            _ => self.wraps.then_some(0),
        }
    }
}
