//! The figures of a running job.

use stend_base::{Nanos, SimTime};

use super::request::{END_SYNC, SYNC, Slot};
use super::windows::{LogRequest, Logger, RateWindows, Totals};
use crate::jobfile::{Direction, Spec};
use crate::stats::LatencyStats;

/// The figures of a job.
#[derive(Debug)]
pub(super) struct Measured {
    /// Completions before this instant are not counted.
    from: SimTime,
    /// End of the first open window.
    next_close: SimTime,
    logging: bool,
    pub totals: [Totals; 3],
    pub sync: LatencyStats,
    /// Flushes of `fsync`.
    pub fsyncs: u64,
    pub depths: [u64; 7],
    pub bw: RateWindows,
    pub iops: RateWindows,
    pub log: Logger,
}

impl Measured {
    pub fn new(spec: &Spec) -> Measured {
        let mut totals: [Totals; 3] = Default::default();
        for direction in Direction::ALL.into_iter().filter(|d| spec.rw.uses(*d)) {
            totals[direction as usize].latency.reserve();
        }
        let logs = [&spec.bw_log, &spec.iops_log, &spec.lat_log];
        Measured {
            from: SimTime::ZERO,
            next_close: SimTime::NEVER,
            logging: logs.iter().any(|log| log.is_some()),
            totals,
            sync: LatencyStats::default(),
            fsyncs: 0,
            depths: [0; 7],
            bw: RateWindows::new(spec.bw_window),
            iops: RateWindows::new(spec.iops_window),
            log: Logger::new(spec.log_interval, spec.runtime),
        }
    }

    /// Measures from this instant on.
    pub fn start(&mut self, from: SimTime) {
        self.from = from;
        self.bw.start(from);
        self.iops.start(from);
        self.log.start(from);
        self.next_close = self.first_end();
    }

    /// Time measured until an instant.
    pub fn time(&self, until: SimTime) -> Nanos {
        Nanos(until.0.saturating_sub(self.from.0))
    }

    #[inline(always)]
    pub fn completed(&mut self, slot: &Slot, at: SimTime) {
        if at > self.next_close {
            self.close(at, SimTime(at.0 - 1));
        }
        if at < self.from {
            return;
        }
        let latency = at.since(slot.issued);
        if slot.kind >= SYNC {
            self.flushed(slot.kind, latency);
            return;
        }
        let totals = &mut self.totals[usize::from(slot.kind)];
        totals.bytes += slot.len;
        totals.latency.record(latency.0);
        if self.logging {
            let request = LogRequest {
                at: Nanos::ZERO,
                latency,
                direction: slot.kind,
                block_bytes: slot.len,
                offset_bytes: slot.offset,
            };
            self.log.record(at, request);
        }
    }

    /// Counts a flush. As in fio, only those of `fsync` are requests, and the one of `end_fsync` is
    /// not measured.
    fn flushed(&mut self, kind: u8, latency: Nanos) {
        if kind != END_SYNC {
            self.sync.record(latency.0);
        }
        self.fsyncs += u64::from(kind == SYNC);
    }

    fn first_end(&self) -> SimTime {
        self.bw.end().min(self.iops.end()).min(self.log.end())
    }

    /// Closes the windows that end by `until`; `now` lies in those that follow.
    fn close(&mut self, now: SimTime, until: SimTime) {
        if self.bw.end() <= until {
            self.bw.close(self.bytes(), now);
        }
        if self.iops.end() <= until {
            self.iops.close(self.requests(), now);
        }
        if self.log.end() <= until {
            self.log.close(now);
        }
        self.next_close = self.first_end();
    }

    pub fn bytes(&self) -> [u64; 3] {
        std::array::from_fn(|i| self.totals[i].bytes)
    }

    pub fn requests(&self) -> [u64; 3] {
        std::array::from_fn(|i| self.totals[i].requests())
    }

    pub fn finish(&mut self, now: SimTime) {
        self.close(now, now);
        if self.logging {
            self.log.finish(now);
        }
    }
}
