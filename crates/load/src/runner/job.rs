//! One running job: which request comes next, and what became of those before.

use stend_base::{Nanos, SimTime};

use super::drawn::Drawn;
use super::measured::Measured;
use super::plan::Plan;
use crate::jobfile::{Direction, Rate};

/// The index of flushes, after those of [`Direction`], in [`OPS`](crate::trace::OPS).
pub(super) const SYNC: u8 = 3;

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub issued: SimTime,
    /// Bytes from the start of the target.
    pub offset: u64,
    pub len: u64,
    pub job: u32,
    /// Index of the direction, or [`SYNC`].
    pub kind: u8,
}

/// What a job with a free slot does next.
pub(super) enum Next {
    Submit {
        kind: u8,
        offset: u64,
        len: u64,
    },
    /// Nothing before a request completes.
    Hold,
    /// Nothing before this instant.
    Wake(SimTime),
    /// Nothing any more.
    Over,
}

/// Limits that keep a job from issuing at once, all absent in most jobs.
#[derive(Debug, Default)]
struct Pace {
    /// Whether there is any.
    any: bool,
    /// Bytes a second of each direction.
    rate: [Option<u64>; 3],
    rate_begin: SimTime,
    rate_bytes: [u64; 3],
    thinktime: Nanos,
    think_blocks: u32,
    burst: u32,
    flush: FlushPace,
}

/// When flushes come between the requests.
#[derive(Clone, Copy, Debug, Default)]
struct FlushPace {
    /// `fsync` and `fdatasync`: a flush after so many writes; never after 0.
    every: [u32; 2],
    writes: u64,
    /// Nothing was issued since the last flush.
    flushed: bool,
}

/// The state of a job.
#[derive(Debug)]
pub(super) struct JobState<'a> {
    pub plan: Plan<'a>,
    pub drawn: Drawn,
    /// The direction that was drawn and is not due yet.
    pending: Option<Direction>,
    pace: Pace,
    pub measured: Measured,
    /// Tags that are not in flight.
    pub free: Vec<u32>,
    limit_bytes: u64,
    issued_bytes: u64,
    exhausted: bool,
    wrote: bool,
    end_flushed: bool,
    end_at: SimTime,
    pub started_at: SimTime,
    pub finished_at: Option<SimTime>,
    last_completion: SimTime,
    pub errors: Errors,
}

/// What failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// errno of the error that ended the job; 0 without one.
    pub fatal: i32,
    /// errno of the first; 0 without one.
    pub first: i32,
    /// Requests that failed.
    pub total: u64,
}

/// What Linux makes of a device's error: EIO.
const EIO: i32 = 5;

impl<'a> JobState<'a> {
    /// `tags` are the job's own.
    pub fn new(plan: Plan<'a>, root_seed: u64, tags: std::ops::Range<u32>) -> JobState<'a> {
        JobState {
            drawn: Drawn::new(&plan, |what| plan.rng(root_seed, what)),
            pending: None,
            pace: Pace::new(&plan),
            measured: Measured::new(plan.spec),
            free: tags.rev().collect(),
            limit_bytes: plan.limit_bytes.unwrap_or(u64::MAX),
            issued_bytes: 0,
            exhausted: false,
            wrote: false,
            end_flushed: false,
            end_at: SimTime::NEVER,
            started_at: SimTime::ZERO,
            finished_at: None,
            last_completion: SimTime::ZERO,
            errors: Errors::default(),
            plan,
        }
    }

    /// When the job begins, if its phase begins at `phase`.
    pub fn start(&mut self, phase: SimTime, root_seed: u64) -> SimTime {
        let spec = self.plan.spec;
        let (shortest, longest) = spec.start_delay;
        let mut rng = self.plan.rng(root_seed, "delay");
        self.started_at = phase + shortest + Nanos(rng.below((longest - shortest).0 + 1));
        let measured_from = self.started_at + spec.ramp;
        self.end_at = match spec.runtime {
            Some(runtime) => measured_from + runtime,
            None => SimTime::NEVER,
        };
        self.pace.rate_begin = self.started_at;
        self.measured.start(measured_from);
        self.started_at
    }

    /// Issues nothing from this instant on.
    pub fn end_by(&mut self, now: SimTime) {
        self.end_at = self.end_at.min(now);
    }

    /// Requests in flight.
    pub fn outstanding(&self) -> u32 {
        self.plan.spec.iodepth - self.free.len() as u32
    }

    #[inline(always)]
    pub fn next(&mut self, now: SimTime) -> Next {
        if now >= self.end_at || self.issued_bytes >= self.limit_bytes || self.exhausted {
            return Next::Over;
        }
        if self.pace.any
            && let Some(next) = self.held(now)
        {
            return next;
        }
        let mut direction = self.drawn.direction(&mut self.pending);
        if self.pace.any {
            direction = match self.due_direction(direction, now) {
                Ok(direction) => direction,
                Err(due) => return Next::Wake(due.min(self.end_at)),
            };
        }
        let Some((offset, len)) = self.drawn.place(direction) else {
            self.exhausted = true;
            return Next::Over;
        };
        self.issued_bytes += len;
        if self.pace.any {
            self.pace.count(direction, len);
        }
        Next::Submit {
            kind: direction as u8,
            offset,
            len,
        }
    }

    /// What comes before the next request: thinking, `fsync` and `fdatasync`.
    fn held(&mut self, now: SimTime) -> Option<Next> {
        let pace = &self.pace;
        if pace.thinktime > Nanos::ZERO && pace.burst >= pace.think_blocks {
            if self.outstanding() > 0 {
                return Some(Next::Hold);
            }
            let until = self.last_completion + pace.thinktime;
            if now < until {
                return Some(Next::Wake(until.min(self.end_at)));
            }
            self.pace.burst = 0;
        }
        self.pace.take_flush().then_some(FLUSH)
    }

    /// As in fio: a direction ahead of its rate gives way to the other one. An error is when
    /// the next request is due.
    fn due_direction(&mut self, drawn: Direction, now: SimTime) -> Result<Direction, SimTime> {
        let due = self.pace.due(drawn);
        if due <= now {
            return Ok(drawn);
        }
        let (mut first, mut first_due) = (drawn, due);
        if let Some(other) = self.drawn.other(drawn) {
            let other_due = self.pace.due(other);
            if other_due <= now {
                return Ok(other);
            }
            if other_due < due {
                (first, first_due) = (other, other_due);
            }
        }
        self.pending = Some(first);
        Err(first_due)
    }

    /// Notes a submitted request; `free` no longer holds its tag.
    #[inline]
    pub fn submitted(&mut self, kind: u8) {
        if kind != SYNC {
            let depth = self.outstanding();
            self.measured.depths[(depth.ilog2() as usize).min(6)] += 1;
            self.wrote |= kind == Direction::Write as u8;
        }
    }

    #[inline(always)]
    pub fn completed(&mut self, tag: u32, slot: &Slot, at: SimTime) {
        self.free.push(tag);
        self.last_completion = at;
        self.measured.completed(slot, at);
    }

    /// A request failed: it is counted as an error and in no other figure. As in fio, it
    /// ends the job unless `continue_on_error` says otherwise.
    #[cold]
    pub fn failed(&mut self, tag: u32, slot: &Slot, at: SimTime) {
        self.free.push(tag);
        self.last_completion = at;
        self.errors.total += 1;
        if self.errors.first == 0 {
            self.errors.first = EIO;
        }
        let read = slot.kind == Direction::Read as u8;
        if !self.plan.spec.continue_on_error[usize::from(!read)] {
            self.errors.fatal = EIO;
            self.exhausted = true;
            self.end_flushed = true;
        }
    }

    /// Whether a request of this kind must be on stable storage when it completes.
    #[inline]
    pub fn fua(&self, kind: u8) -> bool {
        self.plan.spec.sync && kind == Direction::Write as u8
    }

    /// The flush of `end_fsync`, once.
    pub fn end_flush(&mut self) -> Option<Next> {
        if !self.plan.spec.end_fsync || !self.wrote || self.end_flushed {
            return None;
        }
        self.end_flushed = true;
        Some(FLUSH)
    }

    pub fn finish(&mut self, now: SimTime) {
        self.finished_at = Some(now);
        self.measured.finish(now);
    }
}

impl Pace {
    fn new(plan: &Plan<'_>) -> Pace {
        let spec = plan.spec;
        let rate = Direction::ALL.map(|d| {
            let rate = spec.rate[d as usize].filter(|_| spec.rw.uses(d))?;
            Some(match rate {
                Rate::Bytes(bytes) => bytes,
                Rate::Requests(requests) => {
                    requests.saturating_mul(spec.block_sizes[d as usize].min())
                }
            })
        });
        let flushes = [spec.fsync_every, spec.fdatasync_every];
        Pace {
            any: rate.iter().any(Option::is_some)
                || spec.thinktime > Nanos::ZERO
                || flushes != [0, 0],
            rate,
            thinktime: spec.thinktime,
            think_blocks: spec.thinktime_blocks,
            flush: FlushPace {
                every: flushes,
                ..FlushPace::default()
            },
            ..Pace::default()
        }
    }

    /// Counts a request that is issued.
    fn count(&mut self, direction: Direction, len: u64) {
        self.rate_bytes[direction as usize] += len;
        self.burst += 1;
        self.flush.writes += u64::from(direction == Direction::Write);
        self.flush.flushed = false;
    }

    /// Whether a flush is due now. What is due at once is one flush. As in fio, the writes so far
    /// decide, whatever was issued last: reads that follow such a write bring a flush each.
    fn take_flush(&mut self) -> bool {
        let flush = &mut self.flush;
        let writes = flush.writes;
        let at = |&every: &u32| every > 0 && writes.is_multiple_of(u64::from(every));
        let due = writes > 0 && !flush.flushed && flush.every.iter().any(at);
        flush.flushed |= due;
        due
    }

    /// When the next request of a direction is due: when all bytes before it would have
    /// taken their time at exactly the rate. A job that fell behind catches up.
    fn due(&self, direction: Direction) -> SimTime {
        let Some(rate) = self.rate[direction as usize] else {
            return SimTime::ZERO;
        };
        let bytes = u128::from(self.rate_bytes[direction as usize]);
        let ns = bytes * 1_000_000_000 / u128::from(rate);
        self.rate_begin + Nanos(u64::try_from(ns).unwrap_or(u64::MAX / 4))
    }
}

const FLUSH: Next = Next::Submit {
    kind: SYNC,
    offset: 0,
    len: 0,
};
