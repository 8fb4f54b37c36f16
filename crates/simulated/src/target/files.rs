//! Work on files on a simulated drive: through the model of a file system, in virtual time.

use std::sync::atomic::Ordering;

use stend_load::files::operation::{REQUEST_BYTES_MAX, Stage, WINDOW_BYTES};
use stend_load::files::{FileRun, FileRunError, Host, Operation, run};

use super::SimulatedTarget;
use stend_load::target::Target;
use stend_load::target::TargetError;
use stend_load::target::{FilesJob, FilesOutcome, directories};

impl SimulatedTarget {
    /// Performs the job: see [`stend_load::files`].
    pub(super) fn run_files_job(
        &mut self,
        job: &FilesJob<'_>,
    ) -> Result<FilesOutcome, TargetError> {
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
            requests: Some(done.requests),
            text: job.describe(&files) + &words(&host),
            limits: Vec::new(),
        })
    }

    fn stage(
        &mut self,
        operation: &Operation,
        stage: &Stage,
        host: &Host,
    ) -> Result<FileRun, TargetError> {
        self.check_interrupt()?;
        let done = self
            .counting(|drive| run(drive, stage, operation.journal, host))
            .map_err(|error| match error {
                FileRunError::Failed { .. } => TargetError::Failed(error.to_string()),
                FileRunError::Stalled(_) => self.no_progress(&error),
            })?;
        let requests = done.requests;
        let count = requests.reads + requests.writes + requests.flushes;
        self.requests.fetch_add(count, Ordering::Relaxed);
        Ok(done)
    }
}

fn words(host: &Host) -> String {
    format!(
        "file system: modelled after ext4, empty before; readahead {} KiB, {} windows at once; \
         writes of at most {} KiB, {} at once; write-back from {} MiB waiting on, the program \
         stops at {} MiB (a host with 8 GiB of memory: assumed)\n\
         the processor's time is not in the model; at the end everything is made durable\n",
        WINDOW_BYTES >> 10,
        host.read_windows,
        REQUEST_BYTES_MAX >> 10,
        host.write_depth,
        host.dirty_background_bytes >> 20,
        host.dirty_limit_bytes >> 20,
    )
}
