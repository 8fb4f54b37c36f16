//! Runs a job file on a [`Device`] in virtual time.
//!
//! Sections run at the same time, except that a `stonewall` waits for everything before it. Each
//! job keeps up to `iodepth` requests in flight and issues the next at the instant at which one
//! completes. When its `runtime` has passed, a job issues no more and waits for the requests in
//! flight, which still count, as in fio.
//!
//! Rules where fio's behaviour depends on its implementation:
//!
//! - **Mixed jobs.** Each request is a read with a probability of `rwmixread` percent. In `rw=rw`,
//!   reads and writes ascend independently of each other; together they end after `size` bytes
//!   (checked against fio 3.33).
//! - **Random map.** In `rw=randrw`, reads and writes share one order of the blocks, if their block
//!   sizes are equal; otherwise each direction has its own. With `bsrange` or `bssplit`, a request
//!   that would reach a block that the pass has touched is shortened, as in fio.
//! - **Rates.** The k-th request of a direction is due k / rate after the start of the job. A late
//!   job catches up. fio waits for all requests in flight before it sleeps; here they continue.
//! - **Poisson processes.** With `rate_process=poisson`, each request of a direction is due an
//!   exponentially distributed time after the one before it, regardless of completions and of the
//!   lengths of the requests: `rate` counts requests of the smallest block size. The first is due
//!   at once, as in fio. Instants are exact to the nanosecond, while fio rounds the mean down to
//!   microseconds; a request waits for a free place of `iodepth`, and its latency begins after that
//!   wait.
//! - **Thinking.** After a request is issued, and one has completed if the queue is full, the job
//!   compares the number of completed requests with that at the last pause. If there are
//!   `thinktime_blocks` more, it waits for all requests in flight, then for `thinktime`, also after
//!   its last request (checked against fio 3.33).
//! - **Ends of other jobs.** `wait_for` starts a job when all clones of another have ended;
//!   `exitall` ends the jobs of a group when the first ends. As in fio, requests in flight still
//!   count, and a pause that has begun is not cut short.
//! - **Flushes.** `fsync` sends a flush into the queue like any request (as fio does with
//!   `io_uring`), and so does `fdatasync`; the latency of both is reported under `sync`, whose
//!   `total_ios` counts `fsync` alone, as in fio.
//! - **Synchronous writes.** With `sync`, writes are sent with FUA, as Linux sends direct writes to
//!   a block device opened with `O_SYNC` or `O_DSYNC` that supports FUA.
//! - **Threads.** Each job is a thread of its own to the device ([`Request::queue`]).
//! - **Flows.** A job whose share of the requests of its `flow` is above its share of the weights
//!   waits for requests of the other jobs; with `flow_sleep`, it waits for its own requests in
//!   flight, then for that time. As in fio, a job that has not begun counts, and one that has ended
//!   does not.
//! - **Checks.** With `verify`, a job whose requests are done sends a flush, then reads each block
//!   that it has written (checked against fio 3.33). Their time is that of the reads alone.
//! - **Errors.** A request that fails ends its job, unless `continue_on_error` is set for it;
//!   requests in flight still count.
//! - **Ramp.** Requests that complete during `ramp_time` are not counted, but use up `size` and
//!   `io_size` (checked against fio 3.33). A job that ends within its ramp has measured nothing;
//!   fio reports such a job as if it had no ramp.

mod drawn;
mod error;
mod flow;
mod job;
mod measured;
mod pace;
mod plan;
mod request;
mod sampler;
mod special;
mod timers;
mod verify;
mod windows;

use stend_base::{Completion, Device, Nanos, Request, SimTime, Status};

use crate::fault::{EndOfTime, Stalled};
use crate::jobfile::{Direction, JobFile};
use crate::stats::{LatencyStats, RateStats};

use flow::Flows;
use job::JobState;
use measured::Measured;
use plan::Plan;
use request::{Next, OPS, SYNC, Slot};
use sampler::Sampler;
use timers::Timers;

pub use error::RunError;
pub use job::Errors;
pub use plan::jobs_that_share_space;
pub use sampler::{IntervalLatency, Sample};
pub use windows::{LogCell, LogRequest, LogWindow};

/// Callback with the progress of the run at intervals; decides whether the run continues.
pub type ProgressFn<'a> = &'a dyn Fn(&Progress) -> Flow;

/// Decision on the continuation of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The run continues.
    GoOn,
    /// The run ends as if its time had passed: no job issues any more requests, and those in flight
    /// still count.
    Finish,
    /// The run stops at once, with [`RunError::Stopped`].
    Stop,
}

/// Options of a run.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Root seed of all random choices of sections without `randseed`.
    pub seed: u64,
    /// Length of the intervals of [`RunResult::samples`], ms of virtual time; 0 for none.
    pub sample_ms: u32,
    /// Called about every [`RunOptions::progress_every`].
    pub progress: Option<ProgressFn<'a>>,
    /// Virtual time between two calls of `progress`.
    pub progress_every: Nanos,
}

impl Default for RunOptions<'_> {
    /// Seed 1, no samples, no progress.
    fn default() -> Self {
        RunOptions {
            seed: 1,
            sample_ms: 0,
            progress: None,
            progress_every: Nanos::from_secs(1),
        }
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time since its start, s of the device's time.
    pub elapsed_s: f64,
    /// Requests completed and counted.
    pub requests: u64,
    /// Bytes that these requests moved.
    pub bytes: u64,
    /// Bytes that the device wrote to its flash since the start ([`Device::flash_written_bytes`]);
    /// `None` if that is not known.
    pub flash_written_bytes: Option<u64>,
    /// Bytes that the device can still write to its flash before it must do work that it does not
    /// do now ([`Device::steady_bytes`]); `None` if that is not known.
    pub steady_bytes: Option<u64>,
}

/// Results of one direction.
#[derive(Clone, Debug, Default)]
pub struct DirectionResult {
    /// Bytes moved.
    pub bytes: u64,
    /// Latency from submission to completion; submission itself takes no virtual time.
    pub latency: LatencyStats,
    /// Bytes a second over windows of `bwavgtime`.
    pub bw_bytes: RateStats,
    /// Requests a second over windows of `iopsavgtime`.
    pub iops: RateStats,
    /// Time measured: that of the job, without the time of the reads of `verify` for the other
    /// directions, and that time alone for the reads of a job that only writes.
    pub runtime: Nanos,
}

/// Results of one job (one clone of one section).
#[derive(Clone, Debug)]
pub struct JobResult {
    /// Name of the section.
    pub name: String,
    /// Index into [`JobFile::jobs`].
    pub section: usize,
    /// Number of the clone, from 0.
    pub clone: u32,
    /// Reporting group, from 0.
    pub group: u32,
    /// Instant at which it began, after `startdelay`.
    pub started_at: SimTime,
    /// Time measured: from the end of `ramp_time` to the last completion.
    pub runtime: Nanos,
    /// Reads, writes, TRIMs.
    pub directions: [DirectionResult; 3],
    /// Latency of flushes, without the one of `end_fsync`.
    pub sync: LatencyStats,
    /// Flushes of `fsync`; fio counts no others.
    pub fsyncs: u64,
    /// Failed requests.
    pub errors: Errors,
    /// Requests by the number in flight when they were issued, with themselves: 1, 2-3, 4-7, 8-15,
    /// 16-31, 32-63, 64 and more.
    pub depths: [u64; 7],
    /// Intervals of `log_avg_msec`, if a log was requested.
    pub log_windows: Vec<LogWindow>,
    /// Every request, if a log without `log_avg_msec` was requested.
    pub log_requests: Vec<LogRequest>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The job file.
    pub file: JobFile,
    /// Jobs in the order of the file, clones after each other.
    pub jobs: Vec<JobResult>,
    /// One sample for each interval of `sample_ms`. A rest at the end that is shorter than half an
    /// interval is part of the last one, whose end is later.
    pub samples: Vec<Sample>,
    /// Instant at which the run began, on the device's clock.
    pub started_at: SimTime,
    /// Instant at which its last job ended.
    pub ended_at: SimTime,
}

impl RunResult {
    /// Begin and end of a job's measured time, without `ramp_time`.
    pub fn measured(&self, job: &JobResult) -> (SimTime, SimTime) {
        let begin = job.started_at + self.file.jobs[job.section].spec.ramp;
        (begin, begin + job.runtime)
    }

    /// Time in which at least one job measured.
    pub fn measured_by_any(&self) -> Nanos {
        let mut spans: Vec<_> = self.jobs.iter().map(|job| self.measured(job)).collect();
        spans.sort_unstable();
        let (mut sum, mut end_before) = (Nanos::ZERO, SimTime::ZERO);
        for (begin, end) in spans {
            let begin = begin.max(end_before);
            if end > begin {
                sum += end.since(begin);
                end_before = end;
            }
        }
        sum
    }
}

/// Runs `file` on `device`, from the device's present instant on.
///
/// # Errors
/// [`RunError::DoesNotFit`] before anything is submitted; otherwise see [`RunError`].
///
/// # Panics
/// If the device breaks the contract of [`Device`].
pub fn run<D: Device>(
    device: &mut D,
    file: &JobFile,
    options: &RunOptions<'_>,
) -> Result<RunResult, RunError> {
    let plans = plan::plans(file, device.capacity_bytes())?;
    let mut tags = 0;
    let jobs: Vec<JobState<'_>> = plans
        .into_iter()
        .map(|plan| {
            let first = tags;
            tags += plan.spec.iodepth;
            JobState::new(plan, options.seed, first..tags)
        })
        .collect();
    let mut engine = Engine::new(device, jobs, tags as usize, options);
    let phases = engine.jobs.last().map_or(0, |job| job.plan.phase + 1);
    for phase in 0..phases {
        engine.phase(phase)?;
    }
    engine.sampler.finish(engine.device.now(), &mut engine.jobs);
    Ok(engine.result(file))
}

struct Engine<'r, 'f, D> {
    device: &'r mut D,
    jobs: Vec<JobState<'f>>,
    slots: Vec<Slot>,
    timers: Timers,
    flows: Option<Flows>,
    active: usize,
    phase_began: SimTime,
    /// True while [`Self::begin_ready`] starts jobs.
    begins: bool,
    sampler: Sampler,
    /// The next instant at which `sampler` or `progress` is due, or time ends.
    next_mark: SimTime,
    next_progress: SimTime,
    options: &'r RunOptions<'r>,
    started_at: SimTime,
    flash_written_before: Option<u64>,
}

impl<'r, 'f, D: Device> Engine<'r, 'f, D> {
    fn new(
        device: &'r mut D,
        jobs: Vec<JobState<'f>>,
        tags: usize,
        options: &'r RunOptions<'r>,
    ) -> Self {
        let (started_at, end) = (device.now(), device.end_of_time());
        let sampler = Sampler::new(started_at, options.sample_ms, &jobs);
        let next_progress = match options.progress.is_some() {
            true => started_at + options.progress_every,
            false => SimTime::NEVER,
        };
        let empty = Slot {
            issued: SimTime::ZERO,
            offset: 0,
            len: 0,
            job: 0,
            kind: SYNC,
        };
        Engine {
            flash_written_before: device.flash_written_bytes(),
            device,
            slots: vec![empty; tags],
            timers: Timers::new(jobs.len()),
            flows: Flows::new(&jobs),
            jobs,
            active: 0,
            phase_began: started_at,
            begins: false,
            next_mark: sampler.end().min(next_progress).min(end),
            sampler,
            next_progress,
            options,
            started_at,
        }
    }

    /// Starts a job of the present phase.
    fn begin(&mut self, index: usize, now: SimTime) {
        let start = self.jobs[index].start(self.phase_began, now, self.options.seed);
        if start > now {
            self.timers.arm(index as u32, start);
        } else {
            self.issue(index as u32, now);
        }
    }

    /// True while a job waits for the end of others.
    fn waits(&self, index: usize) -> bool {
        let Some(section) = self.jobs[index].plan.waits_for else {
            return false;
        };
        let mut awaited = self.jobs.iter().filter(|job| job.plan.section == section);
        awaited.any(|job| job.finished_at.is_none())
    }

    /// Ends jobs that `exitall` ends with the job `index`, and starts those that waited for it.
    #[cold]
    fn finished(&mut self, index: u32, now: SimTime) {
        let Plan { phase, group, .. } = self.jobs[index as usize].plan;
        if let Some(flows) = &mut self.flows {
            flows.leave(index, now, &mut self.timers);
        }
        if self.jobs.iter().any(|job| job.plan.spec.exitall) {
            let jobs = self.jobs.iter_mut();
            jobs.filter(|job| job.plan.group == group)
                .for_each(|job| job.end_by(now));
        }
        self.begin_ready(phase, now);
    }

    /// Starts the jobs of a phase that wait for no other. One that ends at once comes here again;
    /// the jobs that it releases are started by the first call, however many there are.
    fn begin_ready(&mut self, phase: u32, now: SimTime) {
        if std::mem::replace(&mut self.begins, true) {
            return;
        }
        let is_ready = |of: &Self, index: usize| {
            let job = &of.jobs[index];
            job.plan.phase == phase && !job.started && !of.waits(index)
        };
        while let Some(index) = (0..self.jobs.len()).find(|index| is_ready(self, *index)) {
            self.begin(index, now);
        }
        self.begins = false;
    }

    fn phase(&mut self, phase: u32) -> Result<(), RunError> {
        let now = self.device.now();
        self.phase_began = now;
        let members = |j: &&JobState<'_>| j.plan.phase == phase;
        self.active = self.jobs.iter().filter(members).count();
        self.begin_ready(phase, now);
        while self.active > 0 {
            let limit = self.timers.next_at();
            if limit < SimTime::NEVER
                && let Err(end) = EndOfTime::check(self.device, limit)
            {
                return Err(self.end_with(end.into(), 0));
            }
            match self.device.advance(limit) {
                Some(completion) => self.complete(completion)?,
                None if limit < SimTime::NEVER => self.wake(limit)?,
                None => {
                    let outstanding = self.jobs.iter().map(JobState::outstanding).sum();
                    return Err(Stalled::at(self.device.now(), outstanding).into());
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn complete(&mut self, completion: Completion) -> Result<(), RunError> {
        if completion.at > self.next_mark
            && let Err(error) = self.mark(completion.at)
        {
            return Err(self.end_with(error, 1));
        }
        let slot = self.slots[completion.tag as usize];
        let job = &mut self.jobs[slot.job as usize];
        match completion.status {
            Status::Ok => job.completed(completion.tag, &slot, completion.at),
            Status::WriteProtected | Status::MediaError => {
                job.failed(completion.tag, &slot, completion.at);
            }
        }
        self.issue(slot.job, completion.at);
        Ok(())
    }

    /// Ends the run with an error. At the end of time, completes the requests in flight,
    /// `completed` of which have ended already, so that the device can be used for shorter loads.
    #[cold]
    fn end_with(&mut self, error: RunError, completed: u32) -> RunError {
        if matches!(error, RunError::EndOfTime(_)) {
            let outstanding: u32 = self.jobs.iter().map(JobState::outstanding).sum();
            for _ in completed..outstanding {
                self.device.advance(SimTime::NEVER);
            }
        }
        error
    }

    fn wake(&mut self, now: SimTime) -> Result<(), RunError> {
        if now > self.next_mark {
            self.mark(now)?;
        }
        while let Some(job) = self.timers.pop_due(now) {
            self.issue(job, now);
        }
        Ok(())
    }

    /// Submits all requests of a job that are due at `now`.
    #[inline]
    fn issue(&mut self, index: u32, now: SimTime) {
        let job = &mut self.jobs[index as usize];
        while let Some(&tag) = job.free.last() {
            let mut next = match &mut self.flows {
                None => job.next(now),
                Some(flows) => flows.next(index, job, now, &mut self.timers),
            };
            if matches!(next, Next::Over) && job.outstanding() == 0 {
                match job.end_flush().or_else(|| job.begin_verify(now)) {
                    Some(flush) => next = flush,
                    None if job.finished_at.is_none() => {
                        job.finish(now);
                        self.active -= 1;
                        return self.finished(index, now);
                    }
                    None => return,
                }
            }
            match next {
                Next::Submit { kind, offset, len } => {
                    job.free.pop();
                    job.submitted(kind);
                    job.drawn.tell_ahead(kind, self.device);
                    self.slots[tag as usize] = Slot {
                        issued: now,
                        offset,
                        len,
                        job: index,
                        kind,
                    };
                    self.device.submit(Request {
                        tag,
                        op: OPS[usize::from(kind)],
                        offset_bytes: offset,
                        len_bytes: len,
                        queue: index as u16,
                        fua: job.fua(kind),
                    });
                }
                Next::Wake(at) => return self.timers.arm(index, at),
                Next::Hold | Next::Over => return,
            }
        }
    }

    #[cold]
    fn mark(&mut self, now: SimTime) -> Result<(), RunError> {
        EndOfTime::check(self.device, now)?;
        while now > self.sampler.end() {
            self.sampler.close(&mut self.jobs);
        }
        if now > self.next_progress {
            self.next_progress = now + self.options.progress_every;
            match self.options.progress.map(|tell| tell(&self.progress(now))) {
                None | Some(Flow::GoOn) => {}
                Some(Flow::Finish) => self.jobs.iter_mut().for_each(|job| job.end_by(now)),
                Some(Flow::Stop) => return Err(RunError::Stopped),
            }
        }
        let end = self.device.end_of_time();
        self.next_mark = self.sampler.end().min(self.next_progress).min(end);
        Ok(())
    }

    fn progress(&self, now: SimTime) -> Progress {
        let measured = || self.jobs.iter().map(|job| &job.measured);
        Progress {
            elapsed_s: now.since(self.started_at).as_secs_f64(),
            requests: measured().flat_map(Measured::requests).sum(),
            bytes: measured().flat_map(Measured::bytes).sum(),
            flash_written_bytes: self
                .device
                .flash_written_bytes()
                .zip(self.flash_written_before)
                .map(|(now, before)| now - before),
            steady_bytes: self.device.steady_bytes(),
        }
    }

    fn result(self, file: &JobFile) -> RunResult {
        let ended_at = self.device.now();
        RunResult {
            file: file.clone(),
            jobs: self
                .jobs
                .into_iter()
                .map(|job| job_result(job, ended_at))
                .collect(),
            samples: self.sampler.samples(),
            started_at: self.started_at,
            ended_at,
        }
    }
}

fn job_result(job: JobState<'_>, ended_at: SimTime) -> JobResult {
    let verified = job.verified();
    let measured = job.measured;
    let runtime = measured.time(job.finished_at.unwrap_or(ended_at));
    let only_verified = !job.plan.spec.rw.uses(Direction::Read);
    let mut directions: [DirectionResult; 3] = Default::default();
    for (index, totals) in measured.totals.into_iter().enumerate() {
        directions[index] = DirectionResult {
            bytes: totals.bytes,
            latency: totals.into_latency(),
            bw_bytes: measured.bw.stats[index],
            iops: measured.iops.stats[index],
            runtime: match index == Direction::Read as usize {
                true if only_verified => verified,
                true => runtime,
                false => runtime - verified,
            },
        };
    }
    JobResult {
        name: job.plan.name.to_string(),
        section: job.plan.section,
        clone: job.plan.clone,
        group: job.plan.group,
        started_at: job.started_at,
        runtime,
        directions,
        sync: measured.sync,
        fsyncs: measured.fsyncs,
        errors: job.errors,
        depths: measured.depths,
        log_windows: measured.log.windows,
        log_requests: measured.log.requests,
    }
}
