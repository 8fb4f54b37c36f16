//! Figures over windows of time, made from running totals: a request costs one comparison, the rest
//! is done once a window.
//!
//! A window contains completions after its beginning and not after its end.

use stend_base::{Nanos, SimTime};

use crate::stats::{LatencyStats, RateStats};

/// Running totals of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub bytes: u64,
    /// Latencies since the last sampling interval ended.
    pub latency: LatencyStats,
    /// Latencies until then.
    before: LatencyStats,
}

impl Totals {
    pub fn requests(&self) -> u64 {
        self.before.count() + self.latency.count()
    }

    /// Ends a sampling interval: its latencies are added to `interval`, which has room for them.
    pub fn end_interval(&mut self, interval: &mut LatencyStats) {
        if self.latency.count() == 0 {
            return;
        }
        self.before.add(&self.latency);
        // Mostly one direction of one job has all of them: nothing is copied then.
        if interval.count() == 0 {
            std::mem::swap(interval, &mut self.latency);
        } else {
            interval.add(&self.latency);
            self.latency.clear();
        }
    }

    /// Latency of all requests.
    pub fn into_latency(mut self) -> LatencyStats {
        self.latency.add(&self.before);
        self.latency
    }
}

/// Rates of the three directions over windows of one length.
#[derive(Clone, Debug)]
pub(super) struct RateWindows {
    len: Nanos,
    end: SimTime,
    before: [u64; 3],
    pub stats: [RateStats; 3],
}

impl RateWindows {
    pub fn new(len: Nanos) -> RateWindows {
        RateWindows {
            len,
            end: SimTime::NEVER,
            before: [0; 3],
            stats: [RateStats::default(); 3],
        }
    }

    pub fn start(&mut self, at: SimTime) {
        self.end = at + self.len;
    }

    pub fn end(&self) -> SimTime {
        self.end
    }

    /// Closes the window; as in fio, a window without requests has no sample.
    pub fn close(&mut self, totals: [u64; 3], now: SimTime) {
        for (direction, total) in totals.into_iter().enumerate() {
            let done = total - self.before[direction];
            if done > 0 {
                self.stats[direction].record(done as f64 * 1e9 / self.len.0 as f64);
            }
        }
        self.before = totals;
        self.end = next_end(self.end, self.len, now);
    }
}

/// The first end of a window at or after `now` and after `end`. Windows in between are empty:
/// nothing has completed since `end`.
fn next_end(end: SimTime, len: Nanos, now: SimTime) -> SimTime {
    let behind = now.0.saturating_sub(end.0);
    end + len * behind.div_ceil(len.0).max(1)
}

/// One direction in one window of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogCell {
    /// Requests completed.
    pub requests: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Sum of their latencies, ns.
    pub latency_sum_ns: u64,
    /// Largest of their latencies, ns.
    pub latency_max_ns: u64,
}

/// One window of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogWindow {
    /// End, since the job began to be measured.
    pub end: Nanos,
    /// Length; that of `log_avg_msec`, except in the last window.
    pub len: Nanos,
    /// Reads, writes, TRIMs.
    pub cells: [LogCell; 3],
}

/// A request as logged without `log_avg_msec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRequest {
    /// Completion, since the job began to be measured.
    pub at: Nanos,
    /// Latency.
    pub latency: Nanos,
    /// Index of the direction.
    pub direction: u8,
    /// Length, bytes.
    pub block_bytes: u64,
    /// First byte.
    pub offset_bytes: u64,
}

/// Data of the `write_*_log` options.
#[derive(Clone, Debug, Default)]
pub(super) struct Logger {
    interval: Nanos,
    begin: SimTime,
    end: SimTime,
    cells: [LogCell; 3],
    pub windows: Vec<LogWindow>,
    pub requests: Vec<LogRequest>,
}

impl Logger {
    /// A logger; with `interval` zero it stores every request.
    pub fn new(interval: Nanos, runtime: Option<Nanos>) -> Logger {
        let windows = match runtime {
            Some(runtime) if interval > Nanos::ZERO => runtime.0 / interval.0 + 2,
            _ => 0,
        };
        Logger {
            interval,
            windows: Vec::with_capacity(windows.min(1 << 20) as usize),
            ..Logger::default()
        }
    }

    pub fn start(&mut self, at: SimTime) {
        self.begin = at;
        self.end = if self.interval > Nanos::ZERO {
            at + self.interval
        } else {
            SimTime::NEVER
        };
    }

    pub fn end(&self) -> SimTime {
        self.end
    }

    pub fn record(&mut self, at: SimTime, request: LogRequest) {
        if self.interval == Nanos::ZERO {
            self.requests.push(LogRequest {
                at: at.since(self.begin),
                ..request
            });
            return;
        }
        let cell = &mut self.cells[usize::from(request.direction)];
        cell.requests += 1;
        cell.bytes += request.block_bytes;
        cell.latency_sum_ns += request.latency.0;
        cell.latency_max_ns = cell.latency_max_ns.max(request.latency.0);
    }

    pub fn close(&mut self, now: SimTime) {
        self.push(self.end, self.interval);
        self.end = next_end(self.end, self.interval, now);
    }

    /// Closes the rest of the last window.
    pub fn finish(&mut self, now: SimTime) {
        if self.interval > Nanos::ZERO {
            let window_begin = SimTime(self.end.0 - self.interval.0);
            self.push(now, Nanos(now.0.saturating_sub(window_begin.0)));
        }
    }

    fn push(&mut self, end: SimTime, len: Nanos) {
        let cells = std::mem::take(&mut self.cells);
        if cells.iter().any(|cell| cell.requests > 0) {
            self.windows.push(LogWindow {
                end: end.since(self.begin),
                len,
                cells,
            });
        }
    }
}
