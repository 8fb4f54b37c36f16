//! Jobs whose every request is recorded, and a deletion while fio runs.
//!
//! fio does not support TRIM on files, and on devices it would count it in the job's own figures;
//! so stend sends TRIM itself. Both record the time of the machine's clock: fio's log in
//! milliseconds (`log_unix_epoch`), so that the deletion can be placed in the log.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::fio::job::{self, JobContext, STARTED};
use crate::fio::log::{self, Row};
use crate::fio::program::Fio;
use crate::process::running::RunFolder;
use stend_load::target::{Completed, Deletion, JobOutcome, TargetError};

/// Interval between checks that fio has begun.
const START_POLL: Duration = Duration::from_millis(5);

/// Runs a job file and records its every request; meanwhile TRIMs the range of a deletion.
pub(crate) fn run(
    fio: &Fio,
    folder: &RunFolder,
    context: &JobContext<'_>,
    text: &str,
    deletion: Option<&Deletion>,
    trim: &(dyn Fn(&Deletion) -> Result<(), TargetError> + Sync),
) -> Result<JobOutcome, TargetError> {
    let job_text = job::compose(text, context)?;
    let (ran, deleted) = std::thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        let started = folder.path().join(STARTED);
        let deleting = deletion.map(|d| scope.spawn(move || delete(d, &started, &ended, trim)));
        let ran = fio.run(&job_text, folder.path(), true, &|_| {});
        drop(running);
        let deleted = deleting.map(|thread| {
            thread.join().unwrap_or_else(|_| {
                Err(TargetError::Failed(
                    "the deletion broke down; this is a defect of the program".to_owned(),
                ))
            })
        });
        (ran, deleted)
    });
    let (fio, _) = ran?;
    let rows = log::read(folder.path(), "clat", 1)?;
    let (start_ms, requests) = requests(&rows).ok_or_else(|| {
        TargetError::Failed("fio's log of latencies is empty: no request was completed".to_owned())
    })?;
    let trimmed_ns = match deleted.transpose()? {
        None => None,
        Some(None) => {
            return Err(TargetError::Failed(
                "fio ended before the deletion was due: the job is too short".to_owned(),
            ));
        }
        Some(Some((from, to))) => Some((since(from, start_ms)?, since(to, start_ms)?)),
    };
    Ok(JobOutcome {
        fio,
        job_text: with_deletion(job_text, deletion),
        requests,
        trimmed_ns,
        ..JobOutcome::default()
    })
}

/// Waits until the job has begun, which a busy machine delays, and then until the deletion's time,
/// and deletes; `None` if fio ended before.
fn delete(
    deletion: &Deletion,
    started: &Path,
    ended: &Receiver<()>,
    trim: &dyn Fn(&Deletion) -> Result<(), TargetError>,
) -> Result<Option<(SystemTime, SystemTime)>, TargetError> {
    let runs_after = |wait| ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
    while !started.exists() {
        if !runs_after(START_POLL) {
            return Ok(None);
        }
    }
    if !runs_after(Duration::from_secs(deletion.at_s)) {
        return Ok(None);
    }
    let from = SystemTime::now();
    trim(deletion)?;
    Ok(Some((from, SystemTime::now())))
}

fn since(at: SystemTime, start_ms: u64) -> Result<u64, TargetError> {
    let start = UNIX_EPOCH + Duration::from_millis(start_ms);
    match at.duration_since(start) {
        Ok(time) => Ok(time.as_nanos() as u64),
        Err(_) => Err(TargetError::Failed(
            "fio had not begun to read when the deletion was due: nothing was measured before \
             it; choose a longer reference"
                .to_owned(),
        )),
    }
}

/// Adds the deletion as a comment to the text of the job.
fn with_deletion(mut job_text: String, deletion: Option<&Deletion>) -> String {
    if let Some(d) = deletion {
        job_text.push_str(&format!(
            "\n; {} s after fio began to read, stend gave TRIM to {} bytes from byte {} on, \
             {} bytes with a command\n",
            d.at_s, d.len_bytes, d.offset_bytes, d.command_bytes
        ));
    }
    job_text
}

/// The start of the job, ms of the machine's clock, and its requests; `None` without any.
pub(crate) fn requests(rows: &[Row]) -> Option<(u64, Vec<Completed>)> {
    // The first request began when the job did, within the resolution of the log.
    let first = rows.first()?;
    let start_ms = first.at_ms.saturating_sub(first.value as u64 / 1_000_000);
    let requests = rows.iter().map(|row| Completed {
        at_ns: row.at_ms.saturating_sub(start_ms).saturating_mul(1_000_000),
        latency_ns: row.value as u64,
    });
    Some((start_ms, requests.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_begins_with_its_first_request() {
        let text =
            "1700000000512, 2500000, 0, 4096, 0, 0\n1700000000514, 80000, 0, 4096, 8192, 0\n";
        let (start_ms, requests) = requests(&log::rows(text).unwrap()).unwrap();
        assert_eq!(start_ms, 1_700_000_000_510);
        let at: Vec<u64> = requests.iter().map(|r| r.at_ns).collect();
        assert_eq!(at, [2_000_000, 4_000_000]);
        assert_eq!(requests[1].latency_ns, 80_000);
    }

    #[test]
    fn the_time_of_a_deletion_counts_from_the_beginning_of_the_job() {
        let folder = tempfile::tempdir().unwrap();
        let started = folder.path().join(STARTED);
        let (running, ended) = mpsc::channel::<()>();
        let deletion = Deletion {
            at_s: 1,
            offset_bytes: 0,
            len_bytes: 4096,
            command_bytes: 4096,
        };
        let begun = std::time::Instant::now();
        let starting = started.clone();
        let fio = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(400));
            std::fs::write(starting, "").unwrap();
        });
        let deleted = delete(&deletion, &started, &ended, &|_| Ok(())).unwrap();
        assert!(deleted.is_some() && begun.elapsed() >= Duration::from_millis(1_400));
        fio.join().unwrap();
        // fio ends before its job begins, or before the time of the deletion.
        drop(running);
        assert_eq!(
            delete(&deletion, &started, &ended, &|_| Ok(())).unwrap(),
            None
        );
        std::fs::remove_file(&started).unwrap();
        assert_eq!(
            delete(&deletion, &started, &ended, &|_| Ok(())).unwrap(),
            None
        );
    }

    #[test]
    fn an_empty_log_has_no_start() {
        assert_eq!(requests(&[]), None);
    }

    #[test]
    fn a_deletion_before_the_first_read_is_refused() {
        let at = UNIX_EPOCH + Duration::from_millis(999);
        assert!(since(at, 1_000).is_err());
        assert_eq!(since(at, 998).unwrap(), 1_000_000);
    }
}
