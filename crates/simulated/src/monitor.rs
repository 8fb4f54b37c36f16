//! Activity of a simulated drive over an interval: its requests are watched in virtual time.

use std::ops::ControlFlow;

use stend_base::{Completion, Device, Nanos, Op, Request, SimTime};
use stend_drive::SimDrive;
use stend_load::target::Reading;

/// Number of intervals without a completion after which the next completion is awaited, however
/// long it takes.
const IDLE_INTERVALS_MAX: u64 = 100_000;

/// Requests of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    requests: u64,
    bytes: u64,
    latency_ns: u64,
}

/// Request that is outstanding.
#[derive(Clone, Copy, Debug, Default)]
struct Outstanding {
    op: Op,
    len_bytes: u64,
    since: SimTime,
}

/// Simulated drive that is watched: it serves requests as the drive does, and stops at the end of
/// every interval to report its activity in it.
pub(crate) struct Watched<'a> {
    drive: &'a mut SimDrive,
    interval: Nanos,
    report: &'a mut dyn FnMut(Reading) -> ControlFlow<()>,
    begin: SimTime,
    next: SimTime,
    /// Requests by tag.
    outstanding: Vec<Outstanding>,
    in_flight: u64,
    /// Instant of the last change of the number outstanding, and its integral over time until then.
    changed: SimTime,
    depth_ns: u128,
    done: [Direction; 2],
    /// Number of intervals since the last completion.
    without_completion: u64,
    /// True if `report` has returned a break.
    over: bool,
}

impl<'a> Watched<'a> {
    /// Watches the drive from its present instant on. After `report` has returned a break, it is
    /// not called again.
    pub(crate) fn new(
        drive: &'a mut SimDrive,
        interval: Nanos,
        report: &'a mut dyn FnMut(Reading) -> ControlFlow<()>,
    ) -> Watched<'a> {
        let begin = drive.now();
        Watched {
            drive,
            interval,
            report,
            begin,
            next: SimTime(begin.0 + interval.0),
            outstanding: Vec::new(),
            in_flight: 0,
            changed: begin,
            depth_ns: 0,
            done: [Direction::default(); 2],
            without_completion: 0,
            over: false,
        }
    }

    fn count(&mut self) {
        let now = self.drive.now();
        self.depth_ns += u128::from(now.since(self.changed).0) * u128::from(self.in_flight);
        self.changed = now;
    }

    /// Reports the time since the last reading: an interval, or less at the very end.
    pub(crate) fn read(&mut self) {
        self.count();
        let now = self.drive.now();
        let length = now.0 + self.interval.0 - self.next.0;
        self.next = SimTime(now.0 + self.interval.0);
        let [reads, writes] = std::mem::take(&mut self.done);
        let depth_ns = std::mem::take(&mut self.depth_ns);
        if length == 0 || self.over {
            return;
        }
        let health = self.drive.health();
        let length_s = length as f64 / 1e9;
        let mean = |d: Direction| (d.requests > 0).then(|| d.latency_ns as f64 / d.requests as f64);
        let reading = Reading {
            t_s: now.since(self.begin).as_secs_f64(),
            read_iops: reads.requests as f64 / length_s,
            write_iops: writes.requests as f64 / length_s,
            read_bw_bytes_per_s: reads.bytes as f64 / length_s,
            write_bw_bytes_per_s: writes.bytes as f64 / length_s,
            queue_depth_mean: depth_ns as f64 / length as f64,
            in_flight: self.in_flight,
            read_latency_ns_mean: mean(reads),
            write_latency_ns_mean: mean(writes),
            temperature_c: health.temperature_c().map(|c| c as f64),
            used_percent: health.used_percent,
        };
        self.over = (self.report)(reading).is_break();
    }

    fn completed(&mut self, completion: Completion) {
        self.count();
        self.in_flight -= 1;
        let ended = self.outstanding[completion.tag as usize];
        let done = match ended.op {
            Op::Read => &mut self.done[0],
            Op::Write => &mut self.done[1],
            Op::Trim | Op::Flush => return,
        };
        done.requests += 1;
        done.bytes += ended.len_bytes;
        done.latency_ns += completion.at.since(ended.since).0;
    }
}

impl Device for Watched<'_> {
    fn capacity_bytes(&self) -> u64 {
        self.drive.capacity_bytes()
    }

    fn now(&self) -> SimTime {
        self.drive.now()
    }

    fn end_of_time(&self) -> SimTime {
        self.drive.end_of_time()
    }

    fn flash_written_bytes(&self) -> Option<u64> {
        self.drive.flash_written_bytes()
    }

    fn steady_bytes(&self) -> Option<u64> {
        self.drive.steady_bytes()
    }

    fn submit(&mut self, request: Request) {
        self.count();
        self.in_flight += 1;
        let place = request.tag as usize;
        if place >= self.outstanding.len() {
            self.outstanding.resize(place + 1, Outstanding::default());
        }
        self.outstanding[place] = Outstanding {
            op: request.op,
            len_bytes: request.len_bytes,
            since: self.drive.now(),
        };
        self.drive.submit(request);
    }

    fn expect(&self, offset_bytes: u64) {
        self.drive.expect(offset_bytes);
    }

    fn expect_write(&self, offset_bytes: u64) {
        self.drive.expect_write(offset_bytes);
    }

    fn advance(&mut self, limit: SimTime) -> Option<Completion> {
        loop {
            // Nothing would end the intervals of a drive that has nothing to do, or that makes no
            // progress because of a fault of the simulation.
            let idle = self.in_flight == 0 || self.without_completion > IDLE_INTERVALS_MAX;
            let watching = !(self.over || limit == SimTime::NEVER && idle);
            let stop = if watching {
                limit.min(self.next)
            } else {
                limit
            };
            if let Some(completion) = self.drive.advance(stop) {
                self.without_completion = 0;
                self.completed(completion);
                return Some(completion);
            }
            if watching && stop == self.next {
                self.without_completion += 1;
                self.read();
            }
            if stop == limit {
                return None;
            }
        }
    }
}
