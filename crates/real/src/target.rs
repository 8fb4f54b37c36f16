//! A real file, directory or block device as a target.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use stend_language::recorded;
use stend_load::jobfile::Text;
use stend_load::trace::{ReplayOptions, SECTOR_BYTES, Timing, Trace};
use stend_record::endurance::Health;
use stend_record::review::{Condition, TargetInfo, TargetKind};
use stend_record::smart::Reading;

use crate::files;
use crate::fio::job::{Engine, JobContext};
use crate::fio::program::Fio;
use crate::fio::{every_request, job, machine_limit, replay, samples};
use crate::options::OpenOptions;
use crate::probe::device::Device;
use crate::probe::file::GRAIN_BYTES;
use crate::probe::path_kind::PathKind;
use crate::probe::silence::Watch;
use crate::probe::system::{SystemRoot, mount_of};
use crate::probe::thermometer::Thermometer;
use crate::probe::{environment, file, health, thermometer};
use crate::process::running;
use crate::process::running::RunFolder;
use crate::safety::open_target::left_words;
use crate::safety::opened_target::Opened;
use crate::safety::removal::Presence;
use crate::safety::{self, preview, read_only};
use crate::service::discard::discard;
use stend_load::target::{
    Deletion, FilesJob, FilesOutcome, HostLimit, JobOutcome, JobRequest, Moved, Observer,
    ReplayOutcome, Silences, Target, TargetError, failed,
};

/// A file, directory or block device, tested by fio.
#[derive(Debug)]
pub struct FioTarget {
    name: String,
    opened: Opened,
    fio: Fio,
    presence: Presence,
    watch: Watch,
    engine: Engine,
    root: SystemRoot,
    runtime_dir: PathBuf,
}

/// Opens a file, directory or block device for testing; the crate's documentation lists refusals.
///
/// # Errors
/// [`TargetError::ToolMissing`] without a usable fio (or, for a device, `blkid`);
/// [`TargetError::Refused`] if the target must not be touched or the serial number is missing;
/// [`TargetError::Input`] for an impossible size or a new file without one; [`TargetError::Failed`]
/// without space, permission or direct I/O.
pub fn open(path: &Path, options: &OpenOptions) -> Result<FioTarget, TargetError> {
    // Before anything is created or claimed.
    let fio = Fio {
        read_only: options.read_only,
        ..Fio::find(options.fio_path.as_deref())?
    };
    let root = SystemRoot::running();
    let runtime_dir = match &options.runtime_dir {
        // Absolute, because fio is sometimes run in another folder.
        Some(dir) => fs::canonicalize(dir).map_err(|error| {
            TargetError::Input(format!(
                "{}: the folder for running fio cannot be reached: {error}",
                dir.display()
            ))
        })?,
        None => std::env::temp_dir(),
    };
    let opened = safety::open_target::open(&root, path, options)?;
    let presence = Presence::of(&root, &opened.path, opened.device.as_ref());
    let tested = opened.kind == TargetKind::BlockDevice;
    let device = opened.device.as_ref().filter(|_| tested);
    let device_dir = device.map(|device| device.dir.clone());
    let watch = Watch::new(path, device_dir, options.report);
    let mut target = FioTarget {
        name: path.display().to_string(),
        opened,
        fio: Fio {
            presence: Some(presence.clone()),
            watch: Some(watch.clone()),
            ..fio
        },
        presence,
        watch,
        engine: Engine::Psync,
        root,
        runtime_dir,
    };
    match target.probe_engine() {
        Ok(engine) => target.engine = engine,
        Err(error) => {
            if target.opened.created {
                // The file would obstruct the next attempt.
                let _ = fs::remove_file(target.path());
            }
            return Err(error);
        }
    }
    Ok(target)
}

/// Bytes of the block device at a path, for messages before it is opened; `None` for anything else.
pub fn device_bytes(path: &Path) -> Option<u64> {
    match PathKind::of(path) {
        Ok(PathKind::Device(number, _)) => {
            Device::find(&SystemRoot::running(), number).map(|device| device.size_bytes)
        }
        _ => None,
    }
}

/// Checks a job file for a real target before the target is opened: options that reach beyond it,
/// files without a job, ranges if the user names the number of bytes under test, and fio's own
/// complaints if opening would create a file. For an existing target, [`FioTarget::check_job`] asks
/// fio once it is open.
///
/// # Errors
/// [`TargetError::Input`] with file, line and section; [`TargetError::ToolMissing`] without fio.
pub fn check_job(path: &Path, text: &Text, size_bytes: Option<u64>) -> Result<(), TargetError> {
    let range_bytes = size_bytes.map(|bytes| bytes - bytes % GRAIN_BYTES);
    let flat = text.to_string();
    let kind = PathKind::of(path)?;
    let root = SystemRoot::running();
    let device = match kind {
        PathKind::Device(number, _) => Device::find(&root, number),
        PathKind::Nothing => None,
        PathKind::File | PathKind::Directory => {
            let path = fs::canonicalize(path).ok();
            path.and_then(|path| Device::below(&root, &path))
        }
    };
    let sector_bytes = device.and_then(|device| device.sector_bytes());
    let for_fio = job::check(&flat, range_bytes, sector_bytes);
    let for_fio = for_fio.map_err(|bad| bad.told(Some(text)))?;
    match kind {
        PathKind::Nothing | PathKind::Directory => ask_fio(&Fio::find(None)?, text, &for_fio),
        PathKind::File | PathKind::Device(..) => Ok(()),
    }
}

/// Checks that fio accepts a job file of the user.
fn ask_fio(fio: &Fio, text: &Text, for_fio: &str) -> Result<(), TargetError> {
    match fio.complaint(for_fio)? {
        Some(said) => Err(job::refused_by_fio(&text.to_string(), &said).told(Some(text))),
        None => Ok(()),
    }
}

impl FioTarget {
    /// Checks a job file with fio, before anything is written. A job for a target that was created
    /// for it has been checked already.
    ///
    /// # Errors
    /// As [`check_job`].
    pub fn check_job(&self, text: &Text) -> Result<(), TargetError> {
        if self.opened.created {
            return Ok(());
        }
        let (size_bytes, sector_bytes) = (self.opened.size_bytes, self.sector_bytes());
        let for_fio = job::check(&text.to_string(), Some(size_bytes), sector_bytes);
        ask_fio(
            &self.fio,
            text,
            &for_fio.map_err(|bad| bad.told(Some(text)))?,
        )
    }

    /// Runs a job file of the user; the job's own logs go to the current folder.
    ///
    /// # Errors
    /// As [`Target::run`]; an error names the line of the user's own file.
    pub fn run_text(&mut self, text: &Text, seed: u64) -> Result<JobOutcome, TargetError> {
        let flat = text.to_string();
        let request = JobRequest {
            text: &flat,
            seed,
            sample_ms: 0,
        };
        self.run_job(&request, Some(text), &|_| {})
    }

    /// True if its file was created when it was opened, so that it holds no data yet.
    pub fn is_new(&self) -> bool {
        self.opened.created
    }

    /// A remark on folders that killed reviews have left in the directory under test, with the
    /// command that removes them; empty if there is none.
    pub fn left_by_killed_reviews(&self) -> String {
        left_words(&self.opened.left)
    }

    /// Bytes of its file that were never written, so that reads of them do not reach the drive; 0
    /// for a device and for a file system that does not report it.
    pub fn unwritten_bytes(&self) -> u64 {
        if self.opened.kind == TargetKind::BlockDevice {
            return 0;
        }
        let Ok(ranges) = file::data_ranges(&self.opened.handle) else {
            return 0;
        };
        let size_bytes = self.opened.size_bytes;
        let inside = |range: Range<u64>| range.end.min(size_bytes).saturating_sub(range.start);
        size_bytes - ranges.into_iter().map(inside).sum::<u64>()
    }

    /// Size of the sectors of the device, or of that below the file, bytes.
    fn sector_bytes(&self) -> Option<u64> {
        self.opened.device.as_ref()?.sector_bytes()
    }

    fn context<'a>(&self, path: &'a str, job: &JobRequest<'_>) -> JobContext<'a> {
        JobContext {
            path,
            range_bytes: self.opened.size_bytes,
            sector_bytes: self.sector_bytes().unwrap_or(1),
            engine: self.engine,
            seed: job.seed,
            sample_ms: job.sample_ms,
            every_request: false,
            read_only: self.read_only(),
        }
    }

    fn run_job(
        &self,
        job: &JobRequest<'_>,
        text: Option<&Text>,
        told: &(dyn Fn(Moved) + Sync),
    ) -> Result<JobOutcome, TargetError> {
        let (folder, path) = self.run_folder()?;
        let context = self.context(&path, job);
        let job_text = job::compose(job.text, &context).map_err(|bad| bad.told(text))?;
        let sampled = job.sample_ms > 0;
        let device = self.device().filter(|_| sampled);
        let thermometer = device.and_then(Thermometer::of);
        let fio = &self.fio;
        let run = || fio.run(&job_text, folder.path(), sampled, told);
        let (ran, readings) = thermometer::watched(thermometer.as_ref(), run);
        let (fio, logs) = self.of_present(ran)?;
        let (mut samples, mut temperatures) = (Vec::new(), Vec::new());
        if sampled {
            samples = samples::add_up(&logs, &fio, job.sample_ms);
            let start_ms = samples::start_ms(&logs, job.sample_ms);
            temperatures = thermometer::since(&readings, start_ms);
        }
        Ok(JobOutcome {
            fio,
            job_text,
            samples,
            temperatures,
            ..JobOutcome::default()
        })
    }

    /// Runs a job until its end, or until the device answers a request with an error.
    fn run_until_refused(&self, job: &JobRequest<'_>) -> Result<JobOutcome, TargetError> {
        let (folder, path) = self.run_folder()?;
        let job_text = job::compose(job.text, &self.context(&path, job))?;
        let ran = self.fio.run_until_refused(&job_text, folder.path());
        // A removed drive has refused nothing.
        if matches!(ran, Ok((_, Some(_)))) {
            self.presence.check_after_failure()?;
        }
        let (fio, errno) = self.of_present(ran)?;
        Ok(JobOutcome {
            fio,
            job_text,
            refused_errno: errno,
            ..JobOutcome::default()
        })
    }

    /// Runs a job, keeps every request, and trims the range of a deletion meanwhile.
    fn run_logged(
        &self,
        job: &JobRequest<'_>,
        deletion: Option<&Deletion>,
    ) -> Result<JobOutcome, TargetError> {
        let (folder, path) = self.run_folder()?;
        let context = JobContext {
            sample_ms: 0,
            every_request: true,
            ..self.context(&path, job)
        };
        let trim = |d: &Deletion| self.trim_range(d.offset_bytes, d.len_bytes, d.command_bytes);
        let ran = every_request::run(&self.fio, &folder, &context, job.text, deletion, &trim);
        self.of_present(ran)
    }

    /// Creates a folder for one run of fio, and a name of the target that fio uses literally: for a
    /// path with a colon or the like, a link in that folder.
    fn run_folder(&self) -> Result<(RunFolder, String), TargetError> {
        self.presence.check()?;
        let failed = failed(&self.runtime_dir, "no folder for a run of fio can be made");
        let folder = RunFolder::new_in(&self.runtime_dir).map_err(&failed)?;
        let plain = |name: &&str| job::is_plain(name) && !name.contains(' ');
        if let Some(name) = self.path().to_str().filter(plain) {
            return Ok((folder, name.to_owned()));
        }
        let link = folder.path().join("target");
        std::os::unix::fs::symlink(self.path(), &link).map_err(failed)?;
        let name = link.to_string_lossy().into_owned();
        Ok((folder, name))
    }

    /// Returns the result of an operation, or an error if the target was removed: then it does not
    /// count.
    fn of_present<T>(&self, done: Result<T, TargetError>) -> Result<T, TargetError> {
        if done.is_err() && self.device().is_some() {
            self.presence.check_after_failure()?;
        }
        self.presence.check()?;
        done
    }

    /// The block device under test; `None` for a file.
    fn device(&self) -> Option<&Device> {
        let tested = self.opened.kind == TargetKind::BlockDevice;
        self.opened.device.as_ref().filter(|_| tested)
    }

    /// Refuses an operation that would change a target opened read-only.
    fn may_change(&self, what: &str) -> Result<(), TargetError> {
        if !self.read_only() {
            return Ok(());
        }
        Err(TargetError::Refused(format!(
            "{}: {what} would change the target, which was opened with --read-only",
            self.path().display()
        )))
    }

    /// TRIMs a range, in steps of a given number of bytes.
    fn trim_range(
        &self,
        offset_bytes: u64,
        len_bytes: u64,
        command_bytes: u64,
    ) -> Result<(), TargetError> {
        self.may_change("TRIM")?;
        self.presence.check()?;
        if let Some(device) = self.device() {
            device.check_trim(self.path())?;
            let done = discard(self.path(), offset_bytes, len_bytes, command_bytes);
            return self.of_present(done);
        }
        let what = "the file system cannot free space within a file (in place of TRIM)";
        let range = offset_bytes..offset_bytes + len_bytes;
        file::punch(&self.opened.handle, range, command_bytes).map_err(failed(self.path(), what))
    }

    fn probe_engine(&self) -> Result<Engine, TargetError> {
        if self.device().is_none() {
            file::check_direct(&self.opened.handle, self.path())?;
        }
        let (_folder, name) = self.run_folder()?;
        self.fio.choose_engine(&name)
    }

    /// The target's path, absolute and without links.
    pub fn path(&self) -> &Path {
        &self.opened.path
    }
}

impl Target for FioTarget {
    fn info(&self) -> TargetInfo {
        let subdirectory = self.opened.subdirectory.as_ref();
        let shown = subdirectory.map_or(self.path(), |made| &made.directory);
        let opened = &self.opened;
        preview::describe(
            &self.name,
            opened.kind,
            shown,
            opened.size_bytes,
            self.device(),
            opened.device.as_ref().filter(|_| self.device().is_none()),
        )
    }

    fn environment(&self) -> Vec<Condition> {
        let mut facts = environment::machine(&self.root);
        facts.push(Condition::new("fio", self.fio.version.clone()));
        facts.push(Condition::new("i-o-engine", self.engine.description()));
        facts.extend(
            self.opened
                .read_only
                .iter()
                .flat_map(|used| read_only::facts(used)),
        );
        if self.device().is_none() {
            let path = self.path();
            if let Some(mount) = mount_of(&self.root.mounts(), path) {
                let punches = (!self.read_only()).then_some(self.opened.trim_supported);
                facts.extend(environment::file_system(mount, path, punches));
            }
            facts.extend(environment::filled(path));
            if self.opened.device.is_none() {
                let unknown = recorded!("place-value-no-device");
                facts.push(Condition::new("device", unknown));
            }
        }
        facts.extend(self.opened.device.iter().flat_map(Device::facts));
        facts
    }

    /// Reports progress from the kernel's counts for fio's process.
    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        if observer.every_request {
            return self.run_logged(job, observer.deletion);
        }
        if observer.may_refuse {
            return self.run_until_refused(job);
        }
        self.run_job(job, None, observer.moved.unwrap_or(&|_| {}))
    }

    /// For a block device, from `smartctl`.
    fn health(&mut self) -> Result<Health, String> {
        let reading = self.smart_reading().unwrap_or_else(|| {
            Err(
                "a file has no health of its own: that of the drive below it tells of everything \
                 that is written there"
                    .to_owned(),
            )
        });
        Ok(reading?.health)
    }

    /// For a block device, as [`Target::health`]; `None` for a file or a directory.
    fn smart_reading(&mut self) -> Option<Result<Reading, String>> {
        let device = self.device()?;
        Some(health::reading(&device.disk_name()))
    }

    /// Measured with fio's engine `null`.
    fn host_limit(&mut self, threads: u32, block_bytes: u64) -> Option<Result<HostLimit, String>> {
        Some(machine_limit::limit(
            &self.fio,
            &self.root,
            threads,
            block_bytes,
        ))
    }

    fn silences(&self) -> Silences {
        self.watch.silences.clone()
    }

    fn read_only(&self) -> bool {
        self.opened.read_only.is_some()
    }

    /// Replays with fio's `read_iolog`. [`ReplayOutcome::limits`] describes the limits of fio and
    /// the accuracy of times.
    fn replay(
        &mut self,
        trace: &dyn Trace,
        options: &ReplayOptions,
    ) -> Result<ReplayOutcome, TargetError> {
        if options.timing == Timing::Busy {
            return Err(TargetError::Input(format!(
                "{}: fio cannot leave idle time out; replay with the original timing, whose busy \
                 time does not count it",
                trace.name()
            )));
        }
        if self.read_only() {
            read_only::check_trace(trace)?;
        }
        self.fio.needs_iolog_v3()?;
        let (folder, name) = self.run_folder()?;
        let space = replay::Space {
            size_bytes: self.opened.size_bytes,
            sector_bytes: self.sector_bytes().unwrap_or(SECTOR_BYTES),
        };
        let prepared = replay::prepare(trace, options, folder.path(), &name, space)?;
        let job = replay::job(self.engine, options, folder.path());
        let unwritten_reads = replay::unwritten(trace, options, &self.opened)?;
        // In its folder, where the log is written.
        let ran = self.fio.run(&job, folder.path(), true, &|_| {});
        self.of_present(ran)?;
        Ok(ReplayOutcome {
            unwritten_reads,
            job_text: job,
            ..replay::outcome(&prepared, options, self.engine, folder.path())?
        })
    }

    fn work_on_files(&mut self, job: &FilesJob<'_>) -> Result<FilesOutcome, TargetError> {
        self.may_change("work on files")?;
        let Some(subdirectory) = &self.opened.subdirectory else {
            return Err(TargetError::Input(format!(
                "{}: work on files needs a directory as its target: name one with --size",
                self.name
            )));
        };
        let done = files::run(subdirectory.path(), job, &|| self.presence.check());
        self.of_present(done)
    }

    /// Uses the kernel's `BLKDISCARD` for a device; for a file, frees its space in the file system,
    /// which passes that on to the drive if mounted with `discard`.
    fn trim_all(&mut self) -> Result<(), TargetError> {
        self.trim_range(0, self.opened.size_bytes, self.opened.size_bytes)
    }

    fn trim_supported(&self) -> bool {
        self.opened.trim_supported
    }

    fn idle(&mut self, seconds: f64) -> Result<(), TargetError> {
        running::rest_s(seconds, &|| self.presence.check())
    }

    fn fork(&mut self) -> Option<Box<dyn Target>> {
        None
    }
}
