//! Trait through which the methodology treats a simulated drive and a real one alike.

use std::path::Path;

use crate::Sample;
use crate::runner::Progress;
use crate::trace::{ReplayOptions, Replayed, Trace, op_index};
use stend_base::Op;
use stend_language::{Text, recorded};
use stend_record::endurance::Health;
use stend_record::fio;
use stend_record::review::{Condition, TargetInfo, TemperatureSample};
use stend_record::smart::Reading;

use super::{FilesJob, FilesOutcome, Silences, TargetError};

/// Job to run.
#[derive(Clone, Debug)]
pub struct JobRequest<'a> {
    /// fio job file. It sets none of `filename`, `ioengine` and `direct`: the target adds its own.
    pub text: &'a str,
    /// Root seed for patterns that the job file does not seed itself.
    pub seed: u64,
    /// Interval at which a sample of every job and direction is kept, ms; 0 for no samples.
    pub sample_ms: u32,
}

/// Result of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobOutcome {
    /// fio's JSON document, or the simulator's in the same schema.
    pub fio: fio::Output,
    /// Job file as run, with the lines that the target added.
    pub job_text: String,
    /// Samples over time, summed over all jobs of the file; empty without `sample_ms`.
    pub samples: Vec<Sample>,
    /// Temperature of the drive during the job, on the clock of `samples`; empty if unknown.
    pub temperatures: Vec<TemperatureSample>,
    /// Mean power of the drive during the job, W; `None` if unknown.
    pub power_w: Option<f64>,
    /// Errno with which the device ended the job; only with [`Observer::may_refuse`].
    pub refused_errno: Option<i32>,
    /// Every request of the job's first section, in the order of completion; only with
    /// [`Observer::every_request`].
    pub requests: Vec<Completed>,
    /// Instants at which the first TRIM of [`Observer::deletion`] was issued and the last
    /// completed, since the start of the job, ns.
    pub trimmed_ns: Option<(u64, u64)>,
}

/// Observations of a run beside its results, and conditions that may end it early.
#[derive(Default)]
pub struct Observer<'a> {
    /// Ends the job before its end. A target that does not know its progress runs the job to its
    /// end.
    pub enough: Option<Enough<'a>>,
    /// Receives about every second how much data the job has moved: for display only, by a count
    /// other than that of its results, and without changing anything in the job. A target that does
    /// not know this before the end reports nothing.
    pub moved: Option<&'a (dyn Fn(Moved) + Sync)>,
    /// True: the device may answer a request with an error, which ends the job, of one section, and
    /// is a result.
    pub may_refuse: bool,
    /// True: every request is kept of the job, of one section of reads.
    pub every_request: bool,
    /// Range that is trimmed while the job runs; only with `every_request`.
    pub deletion: Option<&'a Deletion>,
}

impl<'a> Observer<'a> {
    /// Observer of a job that ends early.
    pub fn until(enough: Enough<'a>) -> Observer<'a> {
        Observer {
            enough: Some(enough),
            ..Observer::default()
        }
    }

    /// Observer of a job that the device may end with an error.
    pub fn until_refused() -> Observer<'a> {
        Observer {
            may_refuse: true,
            ..Observer::default()
        }
    }

    /// Observer of every request of a job, beside which a range may be trimmed.
    pub fn of_requests(deletion: Option<&'a Deletion>) -> Observer<'a> {
        Observer {
            every_request: true,
            deletion,
            ..Observer::default()
        }
    }
}

/// Condition that ends a job early.
pub struct Enough<'a> {
    /// Interval at which it is asked, s of the target's time.
    pub every_s: f64,
    /// Returns true if the job may end, from its progress.
    pub is: &'a mut dyn FnMut(&Progress) -> bool,
}

/// Result of replaying a trace.
#[derive(Clone, Debug, Default)]
pub struct ReplayOutcome {
    /// Requests replayed and the time taken.
    pub replayed: Replayed,
    /// Limits that must be stated wherever these figures appear: what the target could not do, and
    /// how precise times are. Empty for a simulated drive.
    pub limits: Vec<Text>,
    /// Number of reads of which a part was never written, before the replay or by it; `None` if
    /// unknown, as for a device.
    pub unwritten_reads: Option<u64>,
    /// Job with which the replay was done; empty for a simulated drive.
    pub job_text: String,
    /// Pages placed in flash for each page written, during the replay; `None` if unknown or if
    /// nothing was written. Work that a drive defers is not included.
    pub write_amplification: Option<f64>,
}

impl ReplayOutcome {
    /// Returns warnings of whatever distorts the figures: reads that found no data, and requests
    /// that were sent too late.
    pub fn warnings(&self) -> Vec<Text> {
        let reads = self.replayed.ops[op_index(Op::Read)].requests;
        let unwritten = self
            .unwritten_reads
            .filter(|count| *count > 0)
            .map(|count| recorded!("warning-unwritten", count = count, reads = reads));
        let late = self.replayed.lateness.and_then(|late| late.warning());
        unwritten.into_iter().chain(late).collect()
    }
}

/// Range that is trimmed while a job runs, as a file system does with the space of a deleted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// Instant, after the start of the job, s.
    pub at_s: u64,
    /// First byte.
    pub offset_bytes: u64,
    /// Number of bytes: a multiple of `command_bytes`.
    pub len_bytes: u64,
    /// Bytes that one command covers; each command follows when the one before it has completed.
    pub command_bytes: u64,
}

/// Completion of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Instant, since the start of the job, ns. A real target knows it to the millisecond.
    pub at_ns: u64,
    /// Completion latency, ns.
    pub latency_ns: u64,
}

/// Progress of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Time since the job was started, s.
    pub elapsed_s: f64,
    /// Bytes that the job has read and written until then.
    pub bytes: u64,
}

/// Limit of the machine, measured with requests that end before they reach a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostLimit {
    /// Number of threads that sent the requests.
    pub threads: u32,
    /// Number of requests that each thread kept outstanding.
    pub queue_depth: u32,
    /// Size of a request, bytes.
    pub block_bytes: u64,
    /// Requests per second, all threads.
    pub iops: f64,
    /// Bytes per second, all threads; none of them is moved.
    pub bw_bytes_per_s: f64,
    /// Share of all processors' time that was busy meanwhile, 0 to 1; `None` if the system does not
    /// report it.
    pub busy_share: Option<f64>,
}

/// Limit on the bytes that may be written to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteLimit {
    /// Simulated target whose flash wears out: it may be written until it refuses.
    UntilRefused,
    /// Simulated target that never refuses, since nothing in it wears out.
    NeverRefuses,
    /// Target with an owner: only as many bytes may be written as the owner states.
    AsStated,
}

/// Rest after a fill, seconds of the target's own time: that of the editions' states.
pub const FILL_REST_S: f64 = 900.0;

/// Returns a job that fills a target of `capacity_bytes`, except for a last partial sector: 128 KiB
/// writes in ascending order over all of it, and one write of the remainder at its end.
pub fn fill_job(capacity_bytes: u64) -> String {
    let mut job = "[fill]\nrw=write\nbs=128k\niodepth=32\n".to_owned();
    let left = capacity_bytes % (128 << 10) / 512 * 512;
    if left > 0 {
        let end = capacity_bytes / (128 << 10) * (128 << 10);
        job += &format!("[end]\nstonewall\nrw=write\nbs={left}\noffset={end}\nsize={left}\n");
    }
    job
}

/// Target of a test: a drive, simulated or real, or files on one.
pub trait Target: Send {
    /// Name and facts of the target.
    fn info(&self) -> TargetInfo;

    /// Facts about the place where the measurement is made (kernel, CPU, fio version …).
    fn environment(&self) -> Vec<Condition>;

    /// Runs a job file. Results of a job that failed midway are not returned.
    ///
    /// # Errors
    /// [`TargetError::Input`] for a job that the target cannot run; else what ended it.
    fn run_observed(
        &mut self,
        job: &JobRequest<'_>,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError>;

    /// Runs a job file to its end.
    ///
    /// # Errors
    /// As [`Target::run_observed`].
    fn run(&mut self, job: &JobRequest<'_>) -> Result<JobOutcome, TargetError> {
        self.run_observed(job, Observer::default())
    }

    /// Returns the target's health; or, in words, the reason that it is unknown.
    fn health(&mut self) -> Result<Health, String> {
        Err(format!("{} reports no health", self.info().name))
    }

    /// Returns the target's SMART document and health; or, in words, the reason that they are
    /// unknown. `None` for a target without SMART.
    fn smart_reading(&mut self) -> Option<Result<Reading, String>> {
        None
    }

    /// Measures for a second the rate of requests of `block_bytes` that this number of threads
    /// completes without a device; or returns, in words, the reason that it is unknown. `None` if
    /// no host is between the load and the target.
    fn host_limit(&mut self, threads: u32, block_bytes: u64) -> Option<Result<HostLimit, String>> {
        let _ = (threads, block_bytes);
        None
    }

    /// Times without any answer that the target notes while it works; each is in the list before
    /// the operation that it belongs to returns. Always empty for a simulated drive.
    fn silences(&self) -> Silences {
        Silences::default()
    }

    /// True if the target was opened for reading only: any operation that would change it is an
    /// error.
    fn read_only(&self) -> bool {
        false
    }

    /// Rated number of bytes that may be written over the target's life, if known.
    fn rated_bytes(&self) -> Option<u64> {
        None
    }

    /// Years of the warranty, if known.
    fn warranty_years(&self) -> Option<u32> {
        None
    }

    /// Limit on the bytes that may be written to the target.
    fn write_limit(&self) -> WriteLimit {
        WriteLimit::AsStated
    }

    /// Begins a round of writes, which [`Target::repeat_round`] may repeat at its end.
    fn round_begins(&mut self) {}

    /// Treats the round that has just ended as repeated up to `most` times, without writing
    /// anything. Returns the number of repetitions: 0 if the target is not simulated, or if
    /// something happened in the round that happens only once.
    fn repeat_round(&mut self, most: u32) -> u32 {
        let _ = most;
        0
    }

    /// Replays a trace, which has been read once and fits the target.
    ///
    /// # Errors
    /// [`TargetError::Input`] for a trace that this target cannot replay, which is every trace if
    /// the target does not support replay; [`TargetError::Failed`] if a request fails.
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

    /// Creates a set of files, rests, and performs an operation on them, until everything is
    /// durable.
    ///
    /// # Errors
    /// [`TargetError::Input`] on a target without a file system, or if the set does not fit twice;
    /// [`TargetError::Failed`] if there is too little space or an operation fails.
    fn work_on_files(&mut self, job: &FilesJob<'_>) -> Result<FilesOutcome, TargetError> {
        let _ = job;
        Err(TargetError::Input(format!(
            "{} has no file system that can be worked on",
            self.info().name
        )))
    }

    /// Trims the whole range under test. Returns [`TargetError::Failed`] if the target cannot.
    fn trim_all(&mut self) -> Result<(), TargetError>;

    /// True if [`Target::trim_all`] can be expected to work, as far as that is known without
    /// trying: a test that needs TRIM checks this before it begins.
    fn trim_supported(&self) -> bool {
        true
    }

    /// Lets the target rest for `seconds`: virtual ones for a simulated drive.
    fn idle(&mut self, seconds: f64) -> Result<(), TargetError>;

    /// Returns a copy in the present state, on which another test can run at the same time. `None`
    /// if there can be only one, as for every real drive.
    fn fork(&mut self) -> Option<Box<dyn Target>>;

    /// True if [`Target::fork`] yields a copy; makes none.
    fn can_fork(&self) -> bool {
        false
    }

    /// Saves a simulated drive, in its present state, in a new file.
    ///
    /// # Errors
    /// [`TargetError::Input`] if the file exists, and if the target is not simulated;
    /// [`TargetError::Failed`] if the file cannot be written.
    fn keep_in(&mut self, path: &Path) -> Result<(), TargetError> {
        Err(TargetError::Input(format!(
            "{} is not simulated, and cannot be kept in {}",
            self.info().title,
            path.display()
        )))
    }
}
