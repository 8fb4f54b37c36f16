//! Places of requests that are neither all ascending nor all random: jobs that skip, runs from
//! random places, zones, writes of what was trimmed.

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
    /// Requests left of the present run.
    left: u32,
    random_percent: [u64; 3],
    rng: Rng,
    /// True if an ascending job begins again beyond the end of the region.
    wraps: bool,
    pub zone: Option<Zone>,
    /// The place that was trimmed and is to be written.
    pub trimmed: Option<(u64, u64)>,
}

/// The present zone of `zonemode=strided`.
#[derive(Debug)]
pub(super) struct Zone {
    size_bytes: u64,
    /// Distance between the beginnings of two zones.
    stride_bytes: u64,
    /// Beginning, from that of the region.
    pub base: u64,
    moved_bytes: u64,
}

impl Zone {
    /// Goes to the next zone if `zonesize` bytes were moved in this one; returns true then. As in
    /// fio, the zone after the last is the first.
    pub fn advance(&mut self, region_bytes: u64) -> bool {
        if self.moved_bytes < self.size_bytes {
            return false;
        }
        self.moved_bytes = 0;
        self.base = self.base.saturating_add(self.stride_bytes);
        if self.base >= region_bytes {
            self.base = 0;
        }
        true
    }

    /// The place of a request, given its place in the zone, both from the beginning of the region;
    /// `None` if it reaches beyond the region.
    pub fn place(&mut self, (at, len): (u64, u64), region_end: u64) -> Option<(u64, u64)> {
        self.moved_bytes += len;
        let at = at.saturating_add(self.base);
        (at.saturating_add(len) <= region_end).then_some((at, len))
    }
}

impl Special {
    /// The order of a job; `None` for one that only ascends or is only random.
    pub fn new(plan: &Plan<'_>, stream: impl Fn(&str) -> Rng) -> Option<Special> {
        let spec = plan.spec;
        let runs = spec.rw.random && (spec.random_run > 1 || spec.random_percent != [100; 3]);
        let zone = spec.zones.zone_bytes().map(|range_bytes| Zone {
            size_bytes: spec.zones.size_bytes,
            stride_bytes: range_bytes.saturating_add(spec.zones.skip_bytes),
            base: 0,
            moved_bytes: 0,
        });
        if spec.skip_bytes == 0 && !runs && spec.rw.mix != Mix::TrimWrite && zone.is_none() {
            return None;
        }
        Some(Special {
            skip_bytes: spec.skip_bytes,
            run: spec.random_run,
            left: 0,
            random_percent: spec.random_percent.map(u64::from),
            rng: stream("follows"),
            // As in fio, a job that skips wraps at the end of its file, not at that of its region.
            wraps: plan.wraps || plan.is_whole,
            zone,
            trimmed: None,
        })
    }

    /// True if the next request of a random job follows the one before.
    pub fn follows(&mut self, direction: Direction) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        let percent = self.random_percent[direction as usize];
        if percent < 100 && self.rng.below(100) >= percent {
            return true;
        }
        self.left = self.run - 1;
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
