//! The trait behind which a simulated drive and a real one are the same to the
//! methodology.

use std::path::Path;

use crate::Sample;
use crate::runner::Progress;
use crate::trace::{ReplayOptions, Replayed, Trace, op_index};
use stend_base::Op;
use stend_record::endurance::Health;
use stend_record::fio;
use stend_record::review::{Condition, TargetInfo, TemperatureSample};
use stend_record::smart::Reading;

use super::TargetError;
use super::{FilesJob, FilesOutcome};

/// A fact of a target or of the place where it is measured.
pub fn condition(name: &str, value: impl Into<String>) -> Condition {
    Condition {
        name: name.to_owned(),
        value: value.into(),
    }
}

/// A job to run.
#[derive(Clone, Debug)]
pub struct JobRequest<'a> {
    /// The fio job file. It names neither `filename` nor `ioengine` nor `direct`: the
    /// target adds its own.
    pub text: &'a str,
    /// Root seed for patterns that the job file does not seed itself.
    pub seed: u64,
    /// Keep a sample of every job and direction each so many milliseconds; 0 for none.
    pub sample_ms: u32,
}

/// The result of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobOutcome {
    /// fio's JSON document, or the simulator's in the same schema.
    pub fio: fio::Output,
    /// The job file as run, with what the target added.
    pub job_text: String,
    /// Samples over time, all jobs of the file added up; empty without `sample_ms`.
    pub samples: Vec<Sample>,
    /// The drive's temperature during the job, on the clock of `samples`; empty where it is not
    /// known.
    pub temperatures: Vec<TemperatureSample>,
}

/// The result of replaying a trace.
#[derive(Clone, Debug, Default)]
pub struct ReplayOutcome {
    /// What was done and how long it took.
    pub replayed: Replayed,
    /// What is to be said wherever these figures appear: what the target could not do, and
    /// how sure times are. Empty for a simulated drive.
    pub limits: Vec<String>,
    /// Reads of which a part was never written, before the replay or by it; `None` where that is
    /// not known, as of a device.
    pub unwritten_reads: Option<u64>,
    /// The job by which it was done; empty for a simulated drive.
    pub job_text: String,
    /// Pages placed in flash for each page written, during the replay; `None` where that
    /// is not known or nothing was written. What a drive puts off is not in it.
    pub write_amplification: Option<f64>,
}

impl ReplayOutcome {
    /// What spoils the figures: reads that found no data, and requests that came too late.
    pub fn warnings(&self) -> Vec<String> {
        let reads = self.replayed.ops[op_index(Op::Read)].requests;
        let unwritten = self
            .unwritten_reads
            .filter(|count| *count > 0)
            .map(|count| {
                format!(
                    "{count} of {reads} reads are of space that was never written: the drive finds \
                 nothing to read there, and answers faster than it reads data; fill it first"
                )
            });
        let late = self.replayed.lateness.and_then(|late| late.warning());
        unwritten.into_iter().chain(late).collect()
    }
}

/// A range that is given TRIM while a job runs, as a file system does with the space of a
/// file that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// When, after the start of the job, s.
    pub at_s: u64,
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes: a multiple of `command_bytes`.
    pub len_bytes: u64,
    /// Bytes that one command covers; the commands follow one on the other.
    pub command_bytes: u64,
}

/// The completion of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// When, since the start of the job, ns. A real target knows it to the millisecond.
    pub at_ns: u64,
    /// Completion latency, ns.
    pub latency_ns: u64,
}

/// The result of a job whose every request was kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggedOutcome {
    /// The rest; without samples.
    pub job: JobOutcome,
    /// Every request of the job's first section, in the order of completion.
    pub requests: Vec<Completed>,
    /// When the first TRIM was given and when the last was done, since the start of the
    /// job, ns; `None` without a [`Deletion`].
    pub trimmed_ns: Option<(u64, u64)>,
}

/// How far a job has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Since it was started, s.
    pub elapsed_s: f64,
    /// Bytes that it has read and written until then.
    pub bytes: u64,
}

/// The result of a job that an error of the device may have ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefusedOutcome {
    /// What was done until then.
    pub job: JobOutcome,
    /// What the device answered the request with that ended the job: an errno. `None` where
    /// the job came to its end.
    pub errno: Option<i32>,
}

/// What the machine does where requests end before they reach a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostLimit {
    /// Threads that sent them.
    pub threads: u32,
    /// Requests that each kept outstanding.
    pub queue_depth: u32,
    /// Size of a request, bytes.
    pub block_bytes: u64,
    /// Requests a second, all threads.
    pub iops: f64,
    /// Bytes a second, all threads; none of them is moved.
    pub bw_bytes_per_s: f64,
    /// Share of all processors' time that was busy meanwhile, 0 to 1; `None` where the system does
    /// not report it.
    pub busy_share: Option<f64>,
}

/// Whether a target may be written until it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteLimit {
    /// It may: it is simulated, and its flash wears out.
    UntilRefused,
    /// It is simulated, but never refuses: nothing in it wears out.
    NeverRefuses,
    /// It has an owner: only as many bytes as the owner names.
    AsStated,
}

/// Rest after a fill, seconds of the target's own time: that of the editions' states.
pub const FILL_REST_S: f64 = 900.0;

/// A job that fills a target of so many bytes, of which the last part of a sector is left: 128 KiB
/// writes in ascending order over all of it, and one of what is left at its end.
pub fn fill_job(capacity_bytes: u64) -> String {
    let mut job = "[fill]\nrw=write\nbs=128k\niodepth=32\n".to_owned();
    let left = capacity_bytes % (128 << 10) / 512 * 512;
    if left > 0 {
        let end = capacity_bytes / (128 << 10) * (128 << 10);
        job += &format!("[end]\nstonewall\nrw=write\nbs={left}\noffset={end}\nsize={left}\n");
    }
    job
}

/// Something that can be tested.
pub trait Target: Send {
    /// What it is.
    fn info(&self) -> TargetInfo;

    /// Facts of the place where the measurement happens (kernel, CPU, fio version …).
    fn environment(&self) -> Vec<Condition>;

    /// Runs a job file to its end. Results of a job that failed midway are not returned.
    fn run(&mut self, job: &JobRequest<'_>) -> Result<JobOutcome, TargetError>;

    /// Runs a job file to its end, or until `enough` returns true: it is called every `every_s`
    /// seconds of the target's time with the job's progress. A target that does not know it
    /// runs the job to its end.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn run_until_enough(
        &mut self,
        job: &JobRequest<'_>,
        every_s: f64,
        enough: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<JobOutcome, TargetError> {
        let _ = (every_s, enough);
        self.run(job)
    }

    /// As [`Target::run`], and tells about every second how much the job has moved: for the eye
    /// alone, by another count than that of its results, and without changing anything of the
    /// job. A target that does not know it before the end tells nothing.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn run_told(
        &mut self,
        job: &JobRequest<'_>,
        told: &(dyn Fn(Moved) + Sync),
    ) -> Result<JobOutcome, TargetError> {
        let _ = told;
        self.run(job)
    }

    /// Runs a job file of one section until its end or until the device answers a request
    /// with an error, which is a result here.
    ///
    /// # Errors
    /// As [`Target::run`], for whatever the device itself is not to blame for.
    fn run_until_refused(&mut self, job: &JobRequest<'_>) -> Result<RefusedOutcome, TargetError> {
        Ok(RefusedOutcome {
            job: self.run(job)?,
            errno: None,
        })
    }

    /// The target's health; or, in words, why it is not known.
    fn health(&mut self) -> Result<Health, String> {
        Err(format!("{} reports no health", self.info().name))
    }

    /// The target's SMART document and health; or, in words, why they are not known. `None` for a
    /// target without SMART.
    fn smart_reading(&mut self) -> Option<Result<Reading, String>> {
        None
    }

    /// How many requests of this size so many threads get done where no device takes part,
    /// measured for a second; or, in words, why that is not known. `None` where no host is
    /// between the load and the target.
    fn host_limit(&mut self, threads: u32, block_bytes: u64) -> Option<Result<HostLimit, String>> {
        let _ = (threads, block_bytes);
        None
    }

    /// Whether the target was opened for reading alone: whatever would change it is an error.
    fn read_only(&self) -> bool {
        false
    }

    /// What it is rated to be written in its life, bytes, where that is known.
    fn rated_bytes(&self) -> Option<u64> {
        None
    }

    /// Years of its warranty, where they are known.
    fn warranty_years(&self) -> Option<u32> {
        None
    }

    /// Whether it may be written until it refuses.
    fn write_limit(&self) -> WriteLimit {
        WriteLimit::AsStated
    }

    /// A round of writes begins, which [`Target::repeat_round`] may repeat at its end.
    fn round_begins(&mut self) {}

    /// Takes the round that has just ended to be repeated up to `most` times, without writing
    /// anything. Returns how often it was: never on what is not simulated, and where the round was
    /// not like any other.
    fn repeat_round(&mut self, most: u32) -> u32 {
        let _ = most;
        0
    }

    /// Replays a trace, which has been read once and fits the target.
    ///
    /// # Errors
    /// [`TargetError::Input`] for what this target cannot replay, as every trace for one that
    /// does not know how; [`TargetError::Failed`] when a request fails.
    fn replay(
        &mut self,
        trace: &dyn Trace,
        options: &ReplayOptions,
    ) -> Result<ReplayOutcome, TargetError> {
        let _ = options;
        Err(TargetError::Input(format!(
            "{}: {} cannot replay traces",
            trace.name(),
            self.info().name
        )))
    }

    /// Runs a job file of one section of reads to its end, keeps every request, and gives a
    /// range TRIM meanwhile.
    fn run_logged(
        &mut self,
        job: &JobRequest<'_>,
        deletion: Option<&Deletion>,
    ) -> Result<LoggedOutcome, TargetError>;

    /// Makes a set of files, rests, and does something with them, until everything is durable.
    ///
    /// # Errors
    /// [`TargetError::Input`] on a target without a file system, or when the set does not fit
    /// twice; [`TargetError::Failed`] when there is too little room or an operation fails.
    fn work_on_files(&mut self, job: &FilesJob<'_>) -> Result<FilesOutcome, TargetError> {
        let _ = job;
        Err(TargetError::Input(format!(
            "{} has no file system that can be worked on",
            self.info().name
        )))
    }

    /// TRIMs the whole range under test. [`TargetError::Failed`] where the target cannot.
    fn trim_all(&mut self) -> Result<(), TargetError>;

    /// Whether [`Target::trim_all`] can be expected to work, as far as that is known
    /// without trying: a test that needs TRIM asks before it begins.
    fn trim_supported(&self) -> bool {
        true
    }

    /// Lets the target rest for so many seconds: virtual ones for a simulated drive.
    fn idle(&mut self, seconds: f64) -> Result<(), TargetError>;

    /// A copy in the present state, to run another test on at the same time. `None`
    /// where there is only one, as of every real drive.
    fn fork(&mut self) -> Option<Box<dyn Target>>;

    /// Whether [`Target::fork`] yields a copy, without making one.
    fn can_fork(&self) -> bool {
        false
    }

    /// Keeps a simulated drive, as it is now, in a new file.
    ///
    /// # Errors
    /// [`TargetError::Input`] when there is such a file, and for what is not simulated;
    /// [`TargetError::Failed`] when it cannot be written.
    fn keep_in(&mut self, path: &Path) -> Result<(), TargetError> {
        Err(TargetError::Input(format!(
            "{} is not simulated, and cannot be kept in {}",
            self.info().title,
            path.display()
        )))
    }
}
