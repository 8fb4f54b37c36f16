//! Replays a trace on a device in virtual time.
//!
//! Requests are issued in the order of the trace, at most `depth` outstanding. With `depth`
//! outstanding, the next one waits for a completion, and so do the following ones. The time of
//! issue is:
//!
//! - [`Timing::Original`]: at its time since the beginning of the replay.
//! - [`Timing::Busy`]: as original, but time in which nothing would be outstanding is omitted: when
//!   the last outstanding request completes and the next is not due yet, it is due at that instant,
//!   and the times of all later requests move with it. Distances between requests of a burst stay.
//!   The omitted time depends on the device.
//! - [`Timing::Fast`]: as soon as fewer than `depth` are outstanding; times do not matter.
//!
//! If a completion and an issue are at the same instant, the completion comes first.
//!
//! **Busy time** is the time in which at least one request is outstanding, from its issue to
//! its completion. TRIMs and flushes count like any request.

use stend_base::{Completion, Device, Nanos, Op, Request, SimTime, Status};
use stend_config::FileError;
use stend_language::{Text, recorded};
pub use stend_record::traces::TraceTiming as Timing;

use super::{Fit, Trace, TraceRequest, fit, op_index, op_name};
use crate::fault::{EndOfTime, Stalled, words};
use crate::stats::LatencyStats;

/// Maximum of outstanding requests.
pub const DEPTH_MAX: u32 = 4096;

/// Default limit of outstanding requests.
pub const DEPTH_DEFAULT: u32 = 256;

/// Lateness above which a request does not count as in time, ns: twice the possible error of the
/// times of a real target, which are known to the millisecond.
pub const LATE_NS: u64 = 2_000_000;

/// Options of a replay.
#[derive(Clone, Copy, Debug)]
pub struct ReplayOptions {
    /// Time of issue of the requests.
    pub timing: Timing,
    /// Maximum of outstanding requests, from 1 to [`DEPTH_MAX`].
    pub depth: u32,
    /// Treatment of requests that do not fit the target.
    pub fit: Fit,
}

impl Default for ReplayOptions {
    fn default() -> ReplayOptions {
        ReplayOptions {
            timing: Timing::Original,
            depth: DEPTH_DEFAULT,
            fit: Fit::Refuse,
        }
    }
}

/// Reason why a trace was not replayed to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The trace is wrong, or does not fit.
    #[error(transparent)]
    Trace(#[from] FileError),
    /// The options are wrong.
    #[error("a depth of {0} requests: from 1 to {DEPTH_MAX} can be outstanding")]
    Depth(u32),
    /// A request failed. Later ones were not issued.
    #[error("line {line} of the trace: the {op} failed: {why}")]
    Failed {
        /// The request's line.
        line: u64,
        /// Kind of the request.
        op: &'static str,
        /// Error of the device.
        why: &'static str,
    },
    /// The device completes no more requests.
    #[error(transparent)]
    Stalled(#[from] Stalled),
    /// The device's virtual time ends before the replay does.
    #[error(transparent)]
    EndOfTime(#[from] EndOfTime),
}

/// The result of one kind of requests.
#[derive(Clone, Debug, Default)]
pub struct OpResult {
    /// Requests completed.
    pub requests: u64,
    /// Bytes of these requests.
    pub bytes: u64,
    /// Time from issue to completion.
    pub latency: LatencyStats,
}

/// Lateness of requests against their times, for those whose issue is known: on a real target, not
/// for flushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Requests issued late, by any amount.
    pub requests: u64,
    /// Requests later than [`LATE_NS`].
    pub far_requests: u64,
    /// Requests whose issue is known, late or not.
    pub known_requests: u64,
    /// Maximum of the lateness, ns.
    pub max_ns: u64,
    /// Sum over the known requests, ns.
    pub sum_ns: u128,
}

impl Lateness {
    /// Adds one request that was issued `late_ns` after its time.
    #[inline]
    pub fn record(&mut self, late_ns: u64) {
        self.requests += u64::from(late_ns > 0);
        self.far_requests += u64::from(late_ns > LATE_NS);
        self.known_requests += 1;
        self.max_ns = self.max_ns.max(late_ns);
        self.sum_ns += u128::from(late_ns);
    }

    /// Warning if more than one request in a hundred was later than [`LATE_NS`]: the target did not
    /// get the load of the trace.
    pub fn warning(&self) -> Option<Text> {
        let far = self.far_requests;
        (far * 100 > self.known_requests).then(|| {
            recorded!(
                "warning-late",
                late = far,
                all = self.known_requests,
                limit = LATE_NS / 1_000_000,
                ms = format!("{:.0}", self.max_ns as f64 / 1e6)
            )
        })
    }
}

/// The result of a replay.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// Reads, writes, TRIMs, flushes.
    pub ops: [OpResult; 4],
    /// Time from the beginning of the trace to the last completion.
    pub elapsed: Nanos,
    /// Time with at least one request outstanding.
    pub busy: Nanos,
    /// Times that the device went from nothing outstanding to something, even within one instant.
    pub busy_periods: u64,
    /// Omitted idle time ([`Timing::Busy`]).
    pub left_out: Nanos,
    /// Lateness against the times of the trace; `None` if times do not matter.
    pub lateness: Option<Lateness>,
}

impl Replayed {
    /// Requests of all kinds.
    pub fn requests(&self) -> u64 {
        self.ops.iter().map(|op| op.requests).sum()
    }

    /// Bytes read and written. TRIMs move none.
    pub fn moved_bytes(&self) -> u64 {
        self.ops[0].bytes + self.ops[1].bytes
    }

    /// Bytes read and written over busy time, MB/s (MB of 10^6 bytes); `None` without busy
    /// time.
    pub fn busy_mb_per_s(&self) -> Option<f64> {
        // Bytes per ns, times 1e9 / 1e6.
        (self.busy.0 > 0).then(|| self.moved_bytes() as f64 * 1e3 / self.busy.0 as f64)
    }

    /// Mean lateness of the requests whose issue is known, ns.
    pub fn lateness_ns_mean(&self) -> Option<f64> {
        let lateness = self.lateness.filter(|late| late.known_requests > 0)?;
        Some(lateness.sum_ns as f64 / lateness.known_requests as f64)
    }
}

/// A request in flight.
#[derive(Clone, Copy, Default)]
struct Slot {
    issued_at: SimTime,
    line: u64,
    bytes: u64,
    op: Op,
}

struct Run<'a, D: Device> {
    device: &'a mut D,
    slots: Vec<Slot>,
    free: Vec<u32>,
    outstanding: u32,
    busy_since: SimTime,
    result: Replayed,
    failure: Option<ReplayError>,
}

/// Replays a trace on `device`, from the device's present instant on.
///
/// # Errors
/// [`ReplayError`]; if a line of the trace is wrong, the requests before it have been issued: call
/// [`super::summary`] first.
pub fn replay<D: Device>(
    device: &mut D,
    trace: &dyn Trace,
    options: &ReplayOptions,
) -> Result<Replayed, ReplayError> {
    if !(1..=DEPTH_MAX).contains(&options.depth) {
        return Err(ReplayError::Depth(options.depth));
    }
    let start = device.now();
    let capacity_bytes = device.capacity_bytes();
    let mut run = Run {
        device,
        slots: vec![Slot::default(); options.depth as usize],
        free: (0..options.depth).rev().collect(),
        outstanding: 0,
        busy_since: start,
        result: Replayed::default(),
        failure: None,
    };
    let mut lateness = Lateness::default();
    let mut last = Nanos::ZERO;
    for request in trace.requests()? {
        let request = request?;
        let request = fit(request, capacity_bytes, options.fit)
            .map_err(|problem| request.error(trace, problem))?;
        last = last.max(request.at);
        let due = run.wait(start + last, options.timing)?;
        if run.failure.is_some() {
            break;
        }
        lateness.record(run.device.now().since(due.min(run.device.now())).0);
        run.issue(&request);
    }
    while run.outstanding > 0 {
        run.advance(SimTime::NEVER)?;
    }
    if let Some(failure) = run.failure {
        return Err(failure);
    }
    run.result.elapsed = run.device.now().since(start);
    run.result.lateness = (options.timing != Timing::Fast).then_some(lateness);
    Ok(run.result)
}

impl<D: Device> Run<'_, D> {
    /// Waits until a request of this time can be issued. Returns the instant at which it was due.
    fn wait(&mut self, at: SimTime, timing: Timing) -> Result<SimTime, ReplayError> {
        loop {
            let now = self.device.now();
            let due = SimTime(at.0 - self.result.left_out.0.min(at.0));
            let full = self.free.is_empty();
            if !full && (timing == Timing::Fast || due <= now) {
                return Ok(due);
            }
            if !full && timing == Timing::Busy && self.outstanding == 0 {
                self.result.left_out += due.since(now);
                return Ok(now);
            }
            // Requests under way complete before this much time has passed.
            let at = if self.outstanding > 0 { now } else { due };
            if let Err(end) = EndOfTime::check(self.device, at) {
                // Complete them, so that the device can be used for shorter loads.
                while self.outstanding > 0 {
                    self.advance(SimTime::NEVER)?;
                }
                return Err(end.into());
            }
            self.advance(if full { SimTime::NEVER } else { due })?;
        }
    }

    #[inline]
    fn issue(&mut self, request: &TraceRequest) {
        let now = self.device.now();
        let tag = self.free.pop().expect("`wait` leaves a free tag");
        self.slots[tag as usize] = Slot {
            issued_at: now,
            line: request.line,
            bytes: request.len_bytes,
            op: request.op,
        };
        if self.outstanding == 0 {
            self.busy_since = now;
            self.result.busy_periods += 1;
        }
        self.outstanding += 1;
        self.device.submit(Request {
            tag,
            op: request.op,
            offset_bytes: request.offset_bytes,
            len_bytes: request.len_bytes,
            queue: 0,
            fua: request.fua,
        });
    }

    /// Advances to the next completion or the limit.
    #[inline]
    fn advance(&mut self, limit: SimTime) -> Result<(), ReplayError> {
        match self.device.advance(limit) {
            Some(completion) => self.complete(&completion),
            None if limit == SimTime::NEVER => {
                return Err(Stalled::at(self.device.now(), self.outstanding).into());
            }
            None => {}
        }
        Ok(())
    }

    #[inline]
    fn complete(&mut self, completion: &Completion) {
        let slot = self.slots[completion.tag as usize];
        self.free.push(completion.tag);
        self.outstanding -= 1;
        if self.outstanding == 0 {
            self.result.busy += completion.at.since(self.busy_since);
        }
        if completion.status != Status::Ok {
            return self.fail(&slot, completion.status);
        }
        let op = &mut self.result.ops[op_index(slot.op)];
        op.requests += 1;
        op.bytes += slot.bytes;
        op.latency.record(completion.at.since(slot.issued_at).0);
    }

    #[cold]
    fn fail(&mut self, slot: &Slot, status: Status) {
        self.failure.get_or_insert(ReplayError::Failed {
            line: slot.line,
            op: op_name(slot.op),
            why: words(status),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_late_request_in_a_hundred_is_no_warning() {
        let mut lateness = Lateness::default();
        for late_ns in [[0; 97].as_slice(), &[LATE_NS, LATE_NS, LATE_NS + 1]].concat() {
            lateness.record(late_ns);
        }
        assert_eq!((lateness.requests, lateness.far_requests), (3, 1));
        assert_eq!(lateness.warning(), None);
        lateness.record(90_000_000);
        let said = lateness.warning().unwrap();
        assert!(said.in_english().starts_with("2 of 101 requests"), "{said}");
        assert!(
            said.in_english().contains("more than 2 ms") && said.in_english().contains("90 ms"),
            "{said}"
        );
    }
}
