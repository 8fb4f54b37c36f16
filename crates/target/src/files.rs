//! Work on files: what is asked of a target, and how a simulated drive does it.

use std::sync::atomic::Ordering;

use stend_load::files::{FileEntry, FileRun, FileRunError, Host, Operation, run};

use crate::contract::{Target, TargetError};
use crate::simulated::SimulatedTarget;

pub use stend_load::files::{FileOp, FileSet};

/// Names of the shipped sets of files.
pub fn file_sets() -> Vec<&'static str> {
    let shipped = stend_load::files::set::SHIPPED;
    shipped.iter().map(|(name, _)| *name).collect()
}

/// An operation on a set of files.
#[derive(Clone, Copy, Debug)]
pub struct FilesJob<'a> {
    /// What is done.
    pub op: FileOp,
    /// The set.
    pub set: &'a FileSet,
    /// Bytes of its files.
    pub bytes: u64,
    /// Root of the files' sizes, and of their data.
    pub seed: u64,
    /// Rest between the making of the files and the operation, s.
    pub rest_s: f64,
}

/// What an operation on files yielded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilesOutcome {
    /// Files of the set.
    pub files: u64,
    /// Directories of the set.
    pub directories: u64,
    /// Bytes of the set's files.
    pub bytes: u64,
    /// From the first request until everything is durable, ns.
    pub elapsed_ns: u64,
    /// What reached the drive, where that is known.
    pub requests: Option<FileRequests>,
    /// How it was done, line by line.
    pub text: String,
    /// What is to be said wherever these figures appear.
    pub limits: Vec<String>,
}

/// Requests that an operation on files made, those for metadata and the journal among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileRequests {
    /// Reads.
    pub reads: u64,
    /// Bytes of them.
    pub read_bytes: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes of them.
    pub written_bytes: u64,
    /// Flushes.
    pub flushes: u64,
}

impl FilesJob<'_> {
    /// The files.
    ///
    /// # Errors
    /// [`TargetError::Input`] when the set cannot have so many bytes.
    pub(crate) fn files(&self) -> Result<Vec<FileEntry>, TargetError> {
        let files = self.set.files(self.bytes, self.seed);
        files.map_err(|problem| TargetError::Input(format!("set {}: {problem}", self.set.name)))
    }

    /// The beginning of the outcome's text.
    pub(crate) fn describe(&self, files: &[FileEntry]) -> String {
        format!(
            "{} of the set `{}` ({}): {} files in {} directories, {} bytes, seed {}\n\
             sizes: {}\n",
            self.op.name(),
            self.set.name,
            self.set.title,
            files.len(),
            directories(files),
            self.bytes,
            self.seed,
            self.set.source,
        )
    }
}

/// Directories of these files.
pub(crate) fn directories(files: &[FileEntry]) -> u64 {
    files.last().map_or(0, |last| u64::from(last.directory) + 1)
}

impl SimulatedTarget {
    /// By the model of a file system, in virtual time: see [`stend_load::files`].
    pub(crate) fn carry_out(&mut self, job: &FilesJob<'_>) -> Result<FilesOutcome, TargetError> {
        let files = job.files()?;
        let operation = Operation::new(job.op, &files, self.info().capacity_bytes)
            .map_err(|problem| TargetError::Input(format!("set {}: {problem}", job.set.name)))?;
        let host = Host::default();
        self.stage(&operation, &operation.source, &host)?;
        self.idle(job.rest_s)?;
        let done = self.stage(&operation, &operation.work, &host)?;
        Ok(FilesOutcome {
            files: files.len() as u64,
            directories: directories(&files),
            bytes: job.bytes,
            elapsed_ns: done.elapsed.0,
            requests: Some(FileRequests {
                reads: done.reads,
                read_bytes: done.read_bytes,
                writes: done.writes,
                written_bytes: done.written_bytes,
                flushes: done.flushes,
            }),
            text: job.describe(&files) + &words(&host),
            limits: Vec::new(),
        })
    }

    fn stage(
        &mut self,
        operation: &Operation,
        stage: &stend_load::files::operation::Stage,
        host: &Host,
    ) -> Result<FileRun, TargetError> {
        let done = self
            .counting(|drive| run(drive, stage, operation.journal, host))
            .map_err(|error| match error {
                FileRunError::Failed { .. } => TargetError::Failed(error.to_string()),
                FileRunError::Stalled { .. } => {
                    TargetError::Failed(format!("{error}; {}", self.drive.diagnosis()))
                }
            })?;
        self.requests
            .fetch_add(done.reads + done.writes + done.flushes, Ordering::Relaxed);
        Ok(done)
    }
}

fn words(host: &Host) -> String {
    format!(
        "file system: modelled after ext4, empty before; readahead {} KiB, {} windows at once; \
         writes of at most {} KiB, {} at once; write-back from {} MiB waiting on, the program \
         stops at {} MiB (a host with 8 GiB of memory: assumed)\n\
         the processor's time is not in the model; at the end everything is made durable\n",
        stend_load::files::operation::WINDOW_BYTES >> 10,
        host.read_windows,
        stend_load::files::operation::REQUEST_BYTES_MAX >> 10,
        host.write_depth,
        host.dirty_background_bytes >> 20,
        host.dirty_limit_bytes >> 20,
    )
}
