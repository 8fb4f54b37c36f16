//! One running job: the next request, and the results of those before.

use super::drawn::Drawn;
use super::measured::Measured;
use super::pace::Pace;
use super::plan::Plan;
use super::request::{END_SYNC, Next, SYNC, Slot, flush};
use super::verify::Verify;
use crate::jobfile::Direction;
use stend_base::{Nanos, SimTime};

/// The state of a job.
#[derive(Debug)]
pub(super) struct JobState<'a> {
    pub plan: Plan<'a>,
    pub drawn: Drawn,
    /// The direction that was drawn and is not due yet.
    pending: Option<Direction>,
    pace: Pace,
    pub measured: Measured,
    pub verify: Option<Box<Verify>>,
    /// Tags that are not in flight.
    pub free: Vec<u32>,
    limit_bytes: u64,
    issued_bytes: u64,
    exhausted: bool,
    wrote: bool,
    end_flushed: bool,
    end_at: SimTime,
    /// Instant at which another job or the caller ends the job.
    ended_by: SimTime,
    pub started: bool,
    pub started_at: SimTime,
    pub finished_at: Option<SimTime>,
    last_completion: SimTime,
    pub errors: Errors,
}

/// Errors of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// errno of the error that ended the job; 0 without one.
    pub fatal: i32,
    /// errno of the first error; 0 without one.
    pub first: i32,
    /// Number of failed requests.
    pub total: u64,
}

/// errno of Linux for a device's error: EIO.
const EIO: i32 = 5;

impl<'a> JobState<'a> {
    /// The state of a job with its own `tags`.
    pub fn new(plan: Plan<'a>, root_seed: u64, tags: std::ops::Range<u32>) -> JobState<'a> {
        JobState {
            drawn: Drawn::new(&plan, |what| plan.rng(root_seed, what)),
            pending: None,
            pace: Pace::new(&plan, |what| plan.rng(root_seed, what)),
            measured: Measured::new(plan.spec),
            verify: Verify::new(plan.spec),
            free: tags.rev().collect(),
            limit_bytes: plan.limit_bytes.unwrap_or(u64::MAX),
            issued_bytes: 0,
            exhausted: false,
            wrote: false,
            end_flushed: false,
            end_at: SimTime::NEVER,
            ended_by: SimTime::NEVER,
            started: false,
            started_at: SimTime::ZERO,
            finished_at: None,
            last_completion: SimTime::ZERO,
            errors: Errors::default(),
            plan,
        }
    }

    /// Starts the job. Returns the instant at which it begins, not before `now`, if its phase
    /// begins at `phase`.
    pub fn start(&mut self, phase: SimTime, now: SimTime, root_seed: u64) -> SimTime {
        let spec = self.plan.spec;
        let (shortest, longest) = spec.start_delay;
        let mut rng = self.plan.rng(root_seed, "delay");
        let delay = shortest + Nanos(rng.below((longest - shortest).0 + 1));
        self.started = true;
        self.started_at = (phase + delay).max(now);
        let measured_from = self.started_at + spec.ramp;
        self.end_at = match spec.runtime {
            Some(runtime) => measured_from + runtime,
            None => SimTime::NEVER,
        }
        .min(self.ended_by);
        self.pace.start(self.started_at);
        self.measured.start(measured_from);
        self.started_at
    }

    /// Ends the job's requests at this instant.
    pub fn end_by(&mut self, now: SimTime) {
        self.ended_by = self.ended_by.min(now);
        self.end_at = self.end_at.min(now);
    }

    /// Requests in flight.
    pub fn outstanding(&self) -> u32 {
        self.plan.spec.iodepth - self.free.len() as u32
    }

    /// True if the job issues no more requests of its own.
    #[inline(always)]
    pub fn is_over(&self, now: SimTime) -> bool {
        now >= self.end_at || self.issued_bytes >= self.limit_bytes || self.exhausted
    }

    /// Instant at which the job's time ends.
    pub fn end_at(&self) -> SimTime {
        self.end_at
    }

    #[inline(always)]
    pub fn next(&mut self, now: SimTime) -> Next {
        if self.is_over(now) {
            return self.ending(now);
        }
        if self.pace.any
            && let Some(next) = self
                .pace
                .held(now, self.outstanding(), self.last_completion)
        {
            return self.by_the_end(next);
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
            let outstanding = self.outstanding();
            self.pace.count(direction, len, outstanding);
            if direction == Direction::Write
                && let Some(verify) = &mut self.verify
            {
                verify.note(offset, len);
            }
        }
        Next::Submit {
            kind: direction as u8,
            offset,
            len,
        }
    }

    /// The action of a job that issues no more requests of its own: the last pause, if it is due,
    /// then the reads of what it has written, if they have begun.
    #[cold]
    fn ending(&mut self, now: SimTime) -> Next {
        if !self.pace.any || now >= self.end_at || self.errors.fatal != 0 {
            return Next::Over;
        }
        let thinks = self
            .pace
            .thinks(now, self.outstanding(), self.last_completion);
        if let Some(next) = thinks {
            return self.by_the_end(next);
        }
        let outstanding = self.outstanding();
        match &mut self.verify {
            Some(verify) if verify.began.is_some() => verify.next(outstanding),
            _ => Next::Over,
        }
    }

    /// An action that is not later than the job's end.
    fn by_the_end(&self, next: Next) -> Next {
        match next {
            Next::Wake(at) => Next::Wake(at.min(self.end_at)),
            next => next,
        }
    }

    /// The direction of the next request; as in fio, a direction ahead of its rate yields to the
    /// other one. An error is the instant at which the next request is due.
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

    /// Notes a submitted request; `free` no longer contains its tag.
    #[inline]
    pub fn submitted(&mut self, kind: u8) {
        if kind < SYNC {
            let depth = self.outstanding();
            self.measured.depths[(depth.ilog2() as usize).min(6)] += 1;
            self.wrote |= kind == Direction::Write as u8;
        }
    }

    #[inline(always)]
    pub fn completed(&mut self, tag: u32, slot: &Slot, at: SimTime) {
        self.free.push(tag);
        self.last_completion = at;
        if slot.kind < SYNC {
            self.pace.completed += 1;
        }
        self.measured.completed(slot, at);
    }

    /// Counts a failed request as an error and in no other figure. As in fio, it ends the job
    /// unless `continue_on_error` is set for it.
    #[cold]
    pub fn failed(&mut self, tag: u32, slot: &Slot, at: SimTime) {
        self.free.push(tag);
        self.last_completion = at;
        self.errors.total += 1;
        if self.errors.first == 0 {
            self.errors.first = EIO;
        }
        if slot.kind == Direction::Write as u8
            && let Some(verify) = &mut self.verify
        {
            verify.forget(slot.offset, slot.len);
        }
        let read = slot.kind == Direction::Read as u8;
        if !self.plan.spec.continue_on_error[usize::from(!read)] {
            self.errors.fatal = EIO;
            self.exhausted = true;
            self.end_flushed = true;
        }
    }

    /// True if a request of this kind must be on stable storage when it completes.
    #[inline]
    pub fn fua(&self, kind: u8) -> bool {
        self.plan.spec.sync && kind == Direction::Write as u8
    }

    /// The flush of `end_fsync`, returned once.
    pub fn end_flush(&mut self) -> Option<Next> {
        if !self.plan.spec.end_fsync || !self.wrote || self.end_flushed {
            return None;
        }
        self.end_flushed = true;
        Some(flush(END_SYNC))
    }

    /// Begins to read what the job has written, once; as in fio, not after the job's time. Returns
    /// the flush before the reads.
    pub fn begin_verify(&mut self, now: SimTime) -> Option<Next> {
        if now >= self.end_at || self.errors.fatal != 0 {
            return None;
        }
        let verify = self.verify.as_mut()?;
        verify.began.is_none().then(|| verify.begin(now))
    }

    /// Measured time in which the job has read what it has written.
    pub fn verified(&self) -> Nanos {
        let times = self
            .verify
            .as_ref()
            .and_then(|verify| verify.began)
            .zip(self.finished_at);
        times.map_or(Nanos::ZERO, |(began, ended)| {
            self.measured.time(ended).min(ended.since(began))
        })
    }

    pub fn finish(&mut self, now: SimTime) {
        self.finished_at = Some(now);
        self.measured.finish(now);
    }
}
