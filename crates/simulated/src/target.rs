//! Simulated drive as a target: jobs run in virtual time.

mod files;
mod interrupt;
mod stream;
mod unwritten;

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use stend_base::{Device, Nanos, Op, Request, SimTime, Status};
use stend_drive::{LogicalPage, RoundStart, SimDrive};
use stend_language::recorded;
use stend_load::jobfile::Direction;
use stend_load::report::fio_output;
use stend_load::runner::{Flow, Progress};
use stend_load::trace::unwritten::{PAGE_BYTES, unwritten_reads};
use stend_load::trace::{ReplayError, ReplayOptions, Trace, op_index, replay};
use stend_load::{EndOfTime, JobFile, RunError, RunOptions, RunResult};
use stend_model::{Change, Model, Setting, short_key};
use stend_record::endurance::{EraseCycles, Health};
use stend_record::review::{Condition, Link, ModelChange, ModelInfo, TargetInfo, TargetKind};
use stend_record::smart;

use crate::monitor::Watched;
use crate::state::{Access, StateFile};
use stend_load::target::{
    Completed, Deletion, Enough, JobOutcome, JobRequest, Observer, Reading, ReplayOutcome, Target,
    WriteLimit,
};
use stend_load::target::{FilesJob, FilesOutcome};
use stend_load::target::{TargetError, input};

use unwritten::NotingUnwritten;

pub use stream::Streamed;

// A page in a trace is a logical page of the drive.
const _: () = assert!(PAGE_BYTES == stend_model::spec::PAGE_BYTES);

/// Simulated drive in some state. Copies share the counts of requests and events, and nothing else.
#[derive(Clone)]
pub struct SimulatedTarget {
    model: Arc<Model>,
    /// Name that the user gives it; by default the model's name.
    name: Option<Arc<str>>,
    /// Identity of the model, computed at the first request for it.
    identity: Arc<OnceLock<ModelInfo>>,
    drive: SimDrive,
    /// File in which the drive is kept, if any.
    state: Option<StateFile>,
    /// True if the drive is not copied: all tests run on it.
    single: bool,
    /// State at the beginning of the present round of writes.
    round: Option<Box<RoundStart>>,
    /// Number of blocks that went bad in repeated rounds. The cause, a program or an erase, is
    /// unknown.
    repeated_bad_blocks: u64,
    requests: Arc<AtomicU64>,
    events: Arc<AtomicU64>,
    /// Flag that, once set, ends the present operation early.
    interrupt: Option<Arc<AtomicBool>>,
}

impl SimulatedTarget {
    /// Creates a drive of this model.
    pub fn new(model: Model) -> SimulatedTarget {
        let drive = SimDrive::new(&model.spec());
        SimulatedTarget::of(model, drive)
    }

    /// Wraps a drive of this model.
    fn of(model: Model, drive: SimDrive) -> SimulatedTarget {
        SimulatedTarget {
            drive,
            model: Arc::new(model),
            name: None,
            identity: Arc::default(),
            state: None,
            single: false,
            round: None,
            repeated_bad_blocks: 0,
            requests: Arc::default(),
            events: Arc::default(),
            interrupt: None,
        }
    }

    /// Creates a drive of this model, in a new file.
    ///
    /// # Errors
    /// As [`StateFile::create`].
    pub fn create(model: Model, path: &Path) -> Result<SimulatedTarget, TargetError> {
        let mut target = SimulatedTarget::new(model);
        target.state = Some(StateFile::create(path, &target.model, &target.drive)?);
        Ok(target)
    }

    /// Opens the drive that is kept in a file.
    ///
    /// # Errors
    /// As [`StateFile::open`].
    pub fn open(path: &Path, access: Access) -> Result<SimulatedTarget, TargetError> {
        let (state, model, drive) = StateFile::open(path, access)?;
        let mut target = SimulatedTarget::of(model, drive);
        target.state = Some(state);
        Ok(target)
    }

    /// Returns the same drive, which is not copied: the tests of a review run on it one after the
    /// other, as on a real one.
    #[must_use]
    pub fn single(self) -> SimulatedTarget {
        SimulatedTarget {
            single: true,
            ..self
        }
    }

    /// Returns the same drive, with the name that the user gives it.
    #[must_use]
    pub fn called(self, name: &str) -> SimulatedTarget {
        SimulatedTarget {
            name: Some(name.into()),
            ..self
        }
    }

    /// Path of the file in which the drive is kept, if any.
    pub fn state_path(&self) -> Option<&Path> {
        self.state.as_ref().map(StateFile::path)
    }

    /// Replaces the content of the file in which the drive is kept with its present state.
    ///
    /// # Errors
    /// [`TargetError::Failed`] if that fails: the file is unchanged.
    ///
    /// # Panics
    /// If it is not kept in a file that was opened for change.
    pub fn save(&self) -> Result<(), TargetError> {
        let state = self.state.as_ref().expect("the drive is kept in a file");
        state.save(&self.model, &self.drive)
    }

    /// Keeps the drive in this file from now on: a new one, or the one in which it is already kept,
    /// whose content is replaced.
    ///
    /// # Errors
    /// As [`StateFile::create`] and [`StateFile::save`].
    pub fn save_as(&mut self, path: &Path) -> Result<(), TargetError> {
        match &self.state {
            Some(state) if state.is_at(path) => self.save(),
            _ => {
                self.state = Some(StateFile::create(path, &self.model, &self.drive)?);
                Ok(())
            }
        }
    }

    /// Returns the same drive, kept in no file: for a copy, which must not replace the file of its
    /// original.
    #[must_use]
    pub fn without_file(self) -> SimulatedTarget {
        SimulatedTarget {
            state: None,
            ..self
        }
    }

    /// Returns the same drive, with a known identity of its model.
    #[must_use]
    pub fn of_model(self, known: ModelInfo) -> SimulatedTarget {
        SimulatedTarget {
            identity: Arc::new(known.into()),
            ..self
        }
    }

    /// Info that a new drive of this model would return, without creating one.
    pub fn info_of(model: &Model) -> TargetInfo {
        SimulatedTarget::info_of_known(model, &model_info(model, model))
    }

    /// Info as [`SimulatedTarget::info_of`] returns it, for a known identity of the model.
    pub fn info_of_known(model: &Model, known: &ModelInfo) -> TargetInfo {
        info(model, known, model.spec().user_bytes)
    }

    fn identity(&self) -> &ModelInfo {
        self.identity
            .get_or_init(|| model_info(&self.model, &self.model))
    }

    /// Model of the drive.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the drive itself, for changes that no request makes: a die that fails, a year
    /// without power.
    pub fn drive_mut(&mut self) -> &mut SimDrive {
        &mut self.drive
    }

    /// Drive in its present state.
    pub fn drive(&self) -> &SimDrive {
        &self.drive
    }

    /// Number of blocks that went bad since the drive was new, if they are modelled one by one.
    fn bad_blocks(&self) -> u64 {
        let blocks = self.drive.health().blocks;
        blocks.map_or(0, |blocks| blocks.grown_bad.into())
    }

    /// Health of the drive as smartctl would print it; `None` for a model without `[health]`.
    pub fn smart(&self) -> Option<stend_record::smart::Document> {
        crate::smart::document(&self.model, self.drive.spec(), &self.drive.health())
    }

    /// Number of requests completed in jobs so far, by this drive and all its copies.
    pub fn request_count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.requests)
    }

    /// Number of events of the simulation so far, by this drive and all its copies.
    pub fn event_count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.events)
    }

    /// Energy since power-on, J; `None` for a model without energy figures.
    pub fn energy_j(&self) -> Option<f64> {
        let energy = self.drive.inspect().energy()?;
        Some(energy.total_pj() as f64 / 1e12)
    }

    /// Mean power since an instant, s, at which this much energy had been taken, J.
    fn power_w_since(&self, (then_s, then_j): (f64, Option<f64>)) -> Option<f64> {
        let time_s = self.now_s() - then_s;
        let energy_j = self.energy_j()? - then_j?;
        (time_s > 0.0).then(|| energy_j / time_s)
    }

    /// Present instant of virtual time, s.
    pub fn now_s(&self) -> f64 {
        self.drive.now().0 as f64 / 1e9
    }

    /// Addressable capacity, bytes.
    pub fn capacity_bytes(&self) -> u64 {
        self.drive.capacity_bytes()
    }

    /// Erase cycles of every superblock, those of the cache first.
    pub fn erase_counts(&self) -> &[u32] {
        self.drive.inspect().erase_counts()
    }

    /// Calls `act` with the drive and counts its events.
    fn counting<T>(&mut self, act: impl FnOnce(&mut SimDrive) -> T) -> T {
        let before = self.drive.counters().events;
        let result = act(&mut self.drive);
        let events = self.drive.counters().events - before;
        self.events.fetch_add(events, Ordering::Relaxed);
        result
    }

    /// Runs a job until its end or `progress` stops it.
    fn run_request(
        &mut self,
        job: &JobRequest<'_>,
        options: RunOptions<'_>,
    ) -> Result<RunResult, TargetError> {
        let file = JobFile::parse(job.text).map_err(input)?;
        let options = RunOptions {
            seed: job.seed,
            sample_ms: job.sample_ms,
            ..options
        };
        self.run_file(&file, &options)
    }

    /// Runs a job file that has been read already, and returns everything that was measured.
    ///
    /// # Errors
    /// [`TargetError::Input`] if the job does not fit the drive, [`TargetError::Failed`] if the
    /// drive makes no progress, which is a fault of the simulation; [`TargetError::Interrupted`].
    pub fn run_file(
        &mut self,
        file: &JobFile,
        options: &RunOptions<'_>,
    ) -> Result<RunResult, TargetError> {
        self.run_file_with(file, |drive, flag| {
            interrupt::run(drive, file, options, flag)
        })
    }

    /// Runs a job file as [`SimulatedTarget::run_file`]; also returns the number of reads of which
    /// a part held no data when they were submitted.
    pub fn run_file_noting_unwritten(
        &mut self,
        file: &JobFile,
        options: &RunOptions<'_>,
    ) -> Result<(RunResult, u64), TargetError> {
        // Looking each read up once more takes a sixth of the processor time of random reads.
        let trims = file
            .jobs
            .iter()
            .any(|job| job.spec.rw.uses(Direction::Trim));
        if self.drive.inspect().is_fully_written() && !trims {
            return Ok((self.run_file(file, options)?, 0));
        }
        let mut unwritten_reads = 0;
        let result = self.run_file_with(file, |drive, flag| {
            let mut noting = NotingUnwritten::new(drive);
            let result = interrupt::run(&mut noting, file, options, flag);
            unwritten_reads = noting.reads;
            result
        })?;
        Ok((result, unwritten_reads))
    }

    fn run_file_with(
        &mut self,
        file: &JobFile,
        run: impl FnOnce(&mut SimDrive, Option<&AtomicBool>) -> Result<RunResult, RunError>,
    ) -> Result<RunResult, TargetError> {
        self.check_interrupt()?;
        self.check_trim(file)?;
        let interrupt = self.interrupt.clone();
        let result = self
            .counting(|drive| run(drive, interrupt.as_deref()))
            .map_err(|error| self.run_failed(&error))?;
        self.check_interrupt()?;
        let count = |d: &stend_load::runner::DirectionResult| d.latency.count();
        let requests = result.jobs.iter().flat_map(|job| &job.directions);
        self.requests
            .fetch_add(requests.map(count).sum(), Ordering::Relaxed);
        Ok(result)
    }

    /// True if nothing is written anywhere, so that reads find no data and no flash is read.
    pub fn is_empty(&self) -> bool {
        let pages = (self.capacity_bytes() / PAGE_BYTES) as u32;
        // Only writes of the host map pages: a new drive need not be searched.
        self.drive.health().host_written_bytes == 0
            || (0..pages).all(|page| self.drive.logical_page(page) == LogicalPage::Unwritten)
    }

    /// Refuses a TRIM job on a drive that would ignore it.
    fn check_trim(&self, file: &JobFile) -> Result<(), TargetError> {
        let trims = |job: &&stend_load::jobfile::Job| job.spec.rw.uses(Direction::Trim);
        match file.jobs.iter().find(trims) {
            Some(job) if !self.trim_supported() => Err(TargetError::Input(format!(
                "the job {} is of TRIM, and the drive's model has no TRIM (trim.enabled)",
                job.name
            ))),
            _ => Ok(()),
        }
    }

    fn run_failed(&self, error: &RunError) -> TargetError {
        match error {
            RunError::DoesNotFit { .. } | RunError::EndOfTime(_) => input(error),
            RunError::Stalled(_) | RunError::Stopped => self.no_progress(error),
        }
    }

    fn replay_failed(&self, error: &ReplayError) -> TargetError {
        match error {
            ReplayError::Trace(_) | ReplayError::Depth(_) | ReplayError::EndOfTime(_) => {
                input(error)
            }
            ReplayError::Failed { .. } => TargetError::Failed(error.to_string()),
            ReplayError::Stalled(_) => self.no_progress(error),
        }
    }

    /// Error for a drive that makes no progress, which is a fault of the simulation.
    fn no_progress(&self, error: &impl Display) -> TargetError {
        TargetError::Failed(format!("{error}; {}", self.drive.inspect().diagnosis()))
    }

    /// Runs a job file that has been read already, and reports after every interval of virtual time
    /// the activity of the drive in it. If `report` returns a break, the job stops with requests in
    /// flight, and the drive must not be used again: returns `Ok(None)`.
    ///
    /// # Errors
    /// As [`SimulatedTarget::run_file`].
    pub fn run_watched(
        &mut self,
        file: &JobFile,
        seed: u64,
        interval: Nanos,
        mut report: impl FnMut(Reading) -> ControlFlow<()>,
    ) -> Result<Option<RunResult>, TargetError> {
        let over = Cell::new(false);
        let mut report = |reading| {
            let flow = report(reading);
            over.set(flow.is_break());
            flow
        };
        let stop = |_: &Progress| match over.get() {
            true => Flow::Stop,
            false => Flow::GoOn,
        };
        let options = RunOptions {
            seed,
            progress: Some(&stop),
            progress_every: interval,
            ..RunOptions::default()
        };
        let result = self.counting(|drive| {
            let mut watched = Watched::new(drive, interval, &mut report);
            let result = stend_load::run(&mut watched, file, &options);
            if result.is_ok() {
                watched.read();
            }
            result
        });
        match result {
            Err(RunError::Stopped) => Ok(None),
            Err(error) => Err(self.run_failed(&error)),
            Ok(result) => Ok(Some(result)),
        }
    }

    /// Runs a job file on its own thread, and sends the activity of the drive in every interval of
    /// virtual time, or the error that prevents it; `speed` is the maximum number of virtual
    /// seconds per second.
    pub fn watch(
        mut self,
        file: JobFile,
        seed: u64,
        interval: Nanos,
        speed: Option<f64>,
    ) -> Receiver<Result<Reading, TargetError>> {
        let (send, readings) = sync_channel(1);
        std::thread::spawn(move || {
            let began = Instant::now();
            let ended = self.run_watched(&file, seed, interval, |reading| {
                if let Some(speed) = speed {
                    let due = Duration::from_secs_f64(reading.t_s / speed);
                    std::thread::sleep(due.saturating_sub(began.elapsed()));
                }
                match send.send(Ok(reading)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            });
            if let Err(error) = ended {
                // There may be no reader left.
                let _ = send.send(Err(error));
            }
        });
        readings
    }

    /// Trims a range of whole sectors of 512 bytes within the drive, with one command.
    ///
    /// # Errors
    /// [`TargetError::Failed`] if the drive is worn out and refuses, or makes no progress, which is
    /// a fault of the simulation.
    pub fn trim(&mut self, offset_bytes: u64, len_bytes: u64) -> Result<(), TargetError> {
        self.drive.submit(Request {
            tag: 0,
            op: Op::Trim,
            offset_bytes,
            len_bytes,
            ..Request::default()
        });
        match self.counting(|drive| drive.advance(SimTime::NEVER)) {
            Some(ended) if ended.status == Status::Ok => Ok(()),
            Some(_) => Err(TargetError::Failed(
                "the simulated drive refuses TRIM: its flash is worn out, and it can only be read"
                    .to_string(),
            )),
            None => Err(self.no_progress(&"the simulated drive makes no progress")),
        }
    }
}

fn info(model: &Model, of: &ModelInfo, capacity_bytes: u64) -> TargetInfo {
    let facts = model.facts().into_iter();
    let mut facts: Vec<Condition> = facts.map(|(id, value)| Condition::new(id, value)).collect();
    if !of.changes.is_empty() {
        let from = of.shipped.as_ref().unwrap_or(&of.title);
        facts.push(Condition::of("differs-from", from, of.changes_in_full()));
    }
    TargetInfo {
        name: model.name.clone(),
        title: of.full_title(),
        kind: TargetKind::Simulated,
        capacity_bytes,
        model: Some(of.clone()),
        link: Link::of_interface(&model.interface()),
        facts,
        ..TargetInfo::default()
    }
}

/// Identity of a model and its differences from the shipped one; for a model that does not derive
/// from a shipped one, its differences from `original`, if that is another.
pub fn model_info(model: &Model, original: &Model) -> ModelInfo {
    let origin = model.origin();
    let shipped = origin.as_ref().map(|origin| origin.name.to_owned());
    let changes = match origin {
        Some(origin) => origin.changes,
        None => model.changes_from(original),
    };
    let json = |setting: Setting| serde_json::to_value(setting).ok();
    let change = |change: Change| ModelChange {
        name: short_key(&change.key).to_owned(),
        key: change.key,
        value: change.value.and_then(json),
        shipped: change.shipped.and_then(json),
    };
    ModelInfo {
        fingerprint: format!("{:016x}", model.fingerprint),
        title: model.title.clone(),
        shipped,
        changes: changes.into_iter().map(change).collect(),
    }
}

impl SimulatedTarget {
    /// Runs a job to its end, or until `enough` is true.
    fn run_until(
        &mut self,
        job: &JobRequest<'_>,
        enough: Enough<'_>,
    ) -> Result<RunResult, TargetError> {
        let is_enough = RefCell::new(enough.is);
        let ask = |progress: &Progress| match (is_enough.borrow_mut())(progress) {
            true => Flow::Finish,
            false => Flow::GoOn,
        };
        let options = RunOptions {
            progress: Some(&ask),
            progress_every: Nanos((enough.every_s * 1e9).round() as u64),
            ..RunOptions::default()
        };
        self.run_request(job, options)
    }

    /// Runs the TRIM as its own job beside the given one, which it does not change.
    fn run_logged(
        &mut self,
        job: &JobRequest<'_>,
        deletion: Option<&Deletion>,
    ) -> Result<JobOutcome, TargetError> {
        let text = logged_text(job.text, deletion, self.capacity_bytes());
        let file = JobFile::parse(&text).map_err(input)?;
        let options = RunOptions {
            seed: job.seed,
            ..RunOptions::default()
        };
        let result = self.run_file(&file, &options)?;
        no_job_failed(&result)?;
        let begin = result.started_at;
        let reads = result.jobs.first();
        let requests = reads.into_iter().flat_map(|job| &job.log_requests);
        let requests = requests.map(|request| Completed {
            at_ns: request.at.0,
            latency_ns: request.latency.0,
        });
        let trims = result.jobs.get(1).filter(|_| deletion.is_some());
        Ok(JobOutcome {
            requests: requests.collect(),
            trimmed_ns: trims.map(|job| {
                let from = job.started_at.since(begin);
                (from.0, from.0 + job.runtime.0)
            }),
            fio: fio_output(&result, true),
            job_text: text,
            ..JobOutcome::default()
        })
    }
}

impl Target for SimulatedTarget {
    fn info(&self) -> TargetInfo {
        let mut info = info(&self.model, self.identity(), self.drive.capacity_bytes());
        if let Some(name) = &self.name {
            info.name = name.to_string();
        }
        if self.state.is_some() {
            // Results are valid for this state only.
            let hash = format!("{:016x}", self.drive.trace_hash());
            let history = recorded!("fact-value-history", hash = hash);
            info.facts
                .push(Condition::new("history-of-the-drive", history));
        }
        info
    }

    fn environment(&self) -> Vec<Condition> {
        vec![
            Condition::new("stend", env!("CARGO_PKG_VERSION")),
            Condition::new("clock", recorded!("value-clock")),
            Condition::new("data", recorded!("value-incompressible")),
        ]
    }

    /// Runs the job to its end if the drive may become too warm: its speed may fall long after it
    /// seemed to have settled.
    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        if observer.every_request {
            return self.run_logged(job, observer.deletion);
        }
        let throttles = self.drive.spec().may_throttle();
        let before = (self.now_s(), self.energy_j());
        let result = match observer.enough.filter(|_| !throttles) {
            None => self.run_request(job, RunOptions::default())?,
            Some(enough) => self.run_until(job, enough)?,
        };
        let mut errors = result.jobs.iter().map(|job| job.errors.fatal);
        let refused_errno = errors.find(|errno| *errno != 0);
        if !observer.may_refuse {
            no_job_failed(&result)?;
        }
        Ok(JobOutcome {
            refused_errno,
            power_w: self.power_w_since(before),
            ..outcome(job, &result, self.capacity_bytes())
        })
    }

    fn health(&mut self) -> Result<Health, String> {
        let (now, counters) = (self.drive.health(), self.drive.counters());
        let spec = self.drive.spec().health.as_ref();
        let retired = now
            .blocks
            .map_or(now.retired_superblocks, |blocks| blocks.grown_bad);
        let has_errors = self.drive.spec().media.is_some();
        Ok(Health {
            host_written_bytes: Some(now.host_written_bytes),
            nand_written_bytes: Some(now.nand_written_bytes),
            used_percent: now.used_percent,
            spare_percent: spec.map(|_| now.spare_percent),
            spare_threshold_percent: spec.map(|spec| spec.spare_threshold_percent.into()),
            power_on_hours: Some(now.power_on.0 / crate::smart::NS_PER_HOUR),
            erase_cycles: Some(EraseCycles {
                min: Some(now.cycles.min.into()),
                mean: now.cycles.mean,
                max: Some(now.cycles.max.into()),
            }),
            retired_blocks: Some(retired.into()),
            program_fails: now.blocks.map(|_| counters.program_failures),
            // A block goes bad by a program that fails or by an erase.
            erase_fails: now.blocks.map(|blocks| {
                let by_programs = counters.program_failures + self.repeated_bad_blocks;
                u64::from(blocks.grown_bad).saturating_sub(by_programs)
            }),
            read_retries: has_errors.then_some(counters.read_retries),
            rebuilt_pages: has_errors.then_some(counters.rebuilt_pages),
            media_errors: Some(now.media_errors),
            temperature_c: now.temperature_c().map(|c| c as i64),
            read_only: Some(now.read_only),
        })
    }

    /// Reads SMART for the single drive only; of copies, none is the drive under test.
    fn smart_reading(&mut self) -> Option<Result<smart::Reading, String>> {
        let document = self.smart().filter(|_| self.single)?;
        let document = serde_json::to_value(document).map_err(|error| error.to_string());
        let health = self.health();
        let reading = document.and_then(|document| {
            Ok(smart::Reading {
                health: health?,
                document,
            })
        });
        Some(reading)
    }

    fn rated_bytes(&self) -> Option<u64> {
        self.model.rated_bytes()
    }

    fn warranty_years(&self) -> Option<u32> {
        self.model.warranty_years()
    }

    fn round_begins(&mut self) {
        self.round = Some(Box::new(self.drive.inspect().round_start()));
    }

    fn repeat_round(&mut self, most: u32) -> u32 {
        let Some(start) = self.round.take() else {
            return 0;
        };
        let before = self.bad_blocks();
        let rounds = self.drive.service().repeat_round(&start, most);
        self.repeated_bad_blocks += self.bad_blocks() - before;
        rounds
    }

    fn write_limit(&self) -> WriteLimit {
        match self.drive.spec().wears_out() {
            true => WriteLimit::UntilRefused,
            false => WriteLimit::NeverRefuses,
        }
    }

    fn replay(
        &mut self,
        trace: &dyn Trace,
        options: &ReplayOptions,
    ) -> Result<ReplayOutcome, TargetError> {
        let interrupt = self.interrupt.clone();
        let ended_early;
        let trace = match &interrupt {
            None => trace,
            Some(flag) => {
                ended_early = interrupt::Interruptible { trace, flag };
                &ended_early
            }
        };
        let before = self.drive.counters();
        let fits = (self.drive.capacity_bytes(), options.fit);
        let was_written =
            |page: u64| self.drive.logical_page(page as u32) != LogicalPage::Unwritten;
        let unwritten_reads = unwritten_reads(trace, fits, &was_written).map_err(input)?;
        let replayed = self
            .counting(|drive| replay(drive, trace, options))
            .map_err(|error| self.replay_failed(&error))?;
        self.requests
            .fetch_add(replayed.requests(), Ordering::Relaxed);
        self.check_interrupt()?;
        let trims = replayed.ops[op_index(Op::Trim)].requests;
        let limits = match trims > 0 && !self.trim_supported() {
            true => vec![recorded!("limit-no-trim", trims = trims)],
            false => Vec::new(),
        };
        Ok(ReplayOutcome {
            replayed,
            limits,
            unwritten_reads: Some(unwritten_reads),
            write_amplification: self.drive.counters().write_amplification_since(&before),
            ..ReplayOutcome::default()
        })
    }

    fn work_on_files(&mut self, job: &FilesJob<'_>) -> Result<FilesOutcome, TargetError> {
        self.run_files_job(job)
    }

    fn trim_all(&mut self) -> Result<(), TargetError> {
        self.trim(0, self.drive.capacity_bytes())
    }

    fn trim_supported(&self) -> bool {
        self.drive.spec().trim.enabled
    }

    fn idle(&mut self, seconds: f64) -> Result<(), TargetError> {
        let limit = self.drive.now() + Nanos((seconds * 1e9).round() as u64);
        EndOfTime::check(&self.drive, limit).map_err(input)?;
        let interrupt = self.interrupt.clone();
        self.counting(|drive| interrupt::rest(drive, limit, interrupt.as_deref()));
        self.check_interrupt()
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        if self.single {
            return None;
        }
        self.drive.share();
        Some(Box::new(self.clone()))
    }

    fn can_fork(&self) -> bool {
        !self.single
    }

    fn keep_in(&mut self, path: &Path) -> Result<(), TargetError> {
        StateFile::create(path, &self.model, &self.drive).map(drop)
    }
}

/// Beginning of a job's text with `added` options of its own: with it, fio runs the text as it is,
/// on a file or device that its command line names.
fn head(added: &str, capacity_bytes: u64) -> String {
    format!(
        "; added by stend: for `fio --filename=FILE --size={capacity_bytes}` (a job that writes \
         destroys the data of FILE)\n\
         [global]\nioengine=libaio\ndirect=1\nrandrepeat=0\n{added}\
         ; the test's own job file\n"
    )
}

fn outcome(job: &JobRequest<'_>, result: &RunResult, capacity_bytes: u64) -> JobOutcome {
    JobOutcome {
        fio: fio_output(result, true),
        job_text: head("", capacity_bytes) + job.text,
        samples: result.samples.clone(),
        ..JobOutcome::default()
    }
}

fn no_job_failed(result: &RunResult) -> Result<(), TargetError> {
    match result.jobs.iter().find(|job| job.errors.fatal != 0) {
        None => Ok(()),
        Some(failed) => Err(TargetError::Failed(format!(
            "job \"{}\" with error {}",
            failed.name, failed.errors.fatal
        ))),
    }
}

/// Job with a log of every request, and a deletion as a section after its own.
fn logged_text(text: &str, deletion: Option<&Deletion>, capacity_bytes: u64) -> String {
    let mut text = head("write_lat_log=stend\n", capacity_bytes) + text;
    if let Some(deletion) = deletion {
        text.push_str(&format!(
            "\n; added by stend: the deletion, for which fio needs a device\n\
             [deletion]\nrw=trim\nbs={}\niodepth=1\n\
             offset={}\nsize={}\ntime_based=0\nstartdelay={}\n",
            deletion.command_bytes, deletion.offset_bytes, deletion.len_bytes, deletion.at_s
        ));
    }
    text
}
