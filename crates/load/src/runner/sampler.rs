//! Samples of a run: its progress in each interval of virtual time.

use stend_base::{Nanos, SimTime};

use super::job::JobState;
use crate::jobfile::Direction;
use crate::stats::LatencyStats;

/// One interval of the run, summed over all jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// End of the interval since the start of the run, s.
    pub t_s: f64,
    /// Reads completed in the interval, per second.
    pub read_iops: f64,
    /// Writes completed in the interval, per second.
    pub write_iops: f64,
    /// Bytes read since the start of the run.
    pub read_bytes: u64,
    /// Bytes written since the start of the run.
    pub written_bytes: u64,
    /// Latency of all requests completed in the interval, except flushes; `None` if it is not
    /// known.
    pub latency: Option<IntervalLatency>,
}

/// Latency in one interval, ns; zeros if no request was completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntervalLatency {
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Largest.
    pub max_ns: u64,
}

/// Totals of all jobs at the end of an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    end: SimTime,
    requests: [u64; 3],
    bytes: [u64; 3],
    latency: IntervalLatency,
}

/// Stores the totals at the end of each interval.
pub(super) struct Sampler {
    begin: SimTime,
    interval: Nanos,
    end: SimTime,
    totals: Vec<Totals>,
    /// Latencies of the last interval that ended.
    last: LatencyStats,
}

impl Sampler {
    /// A sampler for a run that begins now.
    pub fn new(begin: SimTime, sample_ms: u32, jobs: &[JobState<'_>]) -> Sampler {
        let interval = Nanos::from_millis(u64::from(sample_ms));
        let (mut end, mut capacity) = (SimTime::NEVER, 0);
        let mut last = LatencyStats::default();
        if sample_ms > 0 {
            last.reserve();
            end = begin + interval;
            let runtimes = jobs.iter().filter_map(|job| job.plan.spec.runtime);
            capacity = runtimes.map(|r| r.0 / interval.0 + 2).max().unwrap_or(0);
        }
        Sampler {
            begin,
            interval,
            end,
            totals: Vec::with_capacity(capacity.min(1 << 20) as usize),
            last,
        }
    }

    /// Ends an interval, which also contains the latencies in `last`.
    fn take(&mut self, end: SimTime, jobs: &mut [JobState<'_>]) {
        let mut totals = Totals {
            end,
            ..Totals::default()
        };
        for job in jobs {
            let (requests, bytes) = (job.measured.requests(), job.measured.bytes());
            for direction in Direction::ALL {
                totals.requests[direction as usize] += requests[direction as usize];
                totals.bytes[direction as usize] += bytes[direction as usize];
            }
            for of_direction in &mut job.measured.totals {
                of_direction.end_interval(&mut self.last);
            }
        }
        totals.latency = IntervalLatency {
            p50_ns: self.last.percentile_ns(50.0),
            p99_ns: self.last.percentile_ns(99.0),
            max_ns: self.last.max_ns(),
        };
        self.totals.push(totals);
    }

    /// End of the present interval; never without samples.
    pub fn end(&self) -> SimTime {
        self.end
    }

    /// Ends the present interval.
    pub fn close(&mut self, jobs: &mut [JobState<'_>]) {
        self.last.clear();
        self.take(self.end, jobs);
        self.end += self.interval;
    }

    /// Ends all intervals, the last of which may be shorter.
    pub fn finish(&mut self, now: SimTime, jobs: &mut [JobState<'_>]) {
        if self.interval == Nanos::ZERO {
            return;
        }
        while now >= self.end {
            self.close(jobs);
        }
        let left = now.since(SimTime(self.end.0 - self.interval.0));
        if left == Nanos::ZERO {
            return;
        }
        // A few requests over a few microseconds are no rate: they are added to the sample before.
        if left.0 < self.interval.0 / 2 {
            self.totals.pop();
        } else {
            self.last.clear();
        }
        self.take(now, jobs);
    }

    /// Progress in each interval.
    pub fn samples(&self) -> Vec<Sample> {
        let mut before = Totals {
            end: self.begin,
            ..Totals::default()
        };
        let sample = |totals: &Totals| {
            let seconds = totals.end.since(before.end).as_secs_f64();
            let rate = |d: usize| (totals.requests[d] - before.requests[d]) as f64 / seconds;
            let sample = Sample {
                t_s: totals.end.since(self.begin).as_secs_f64(),
                read_iops: rate(0),
                write_iops: rate(1),
                read_bytes: totals.bytes[0],
                written_bytes: totals.bytes[1],
                latency: Some(totals.latency),
            };
            before = *totals;
            sample
        };
        self.totals.iter().map(sample).collect()
    }
}
