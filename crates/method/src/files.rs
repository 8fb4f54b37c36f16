//! Work on files: copying, archiving and unpacking sets of them.

use std::sync::Arc;

use stend_record::review::{FileWork, FileWorkOp, JobText, TargetKind};
use stend_target::{FileOp, FileSet, FilesJob, FilesOutcome, Target, TargetError};

use crate::edition::{self, Step, size_text};
use crate::job;
use crate::plan::Dest;
use crate::recorder::{Measured, Shot};
use crate::run::Runner;

/// Sizes of sets that were made to fit are multiples of this, bytes.
const ALIGN_BYTES: u64 = 1 << 20;

/// Bytes of a set on a target of this capacity: twice as much, and what the file system needs
/// for itself, has room in it.
pub(crate) fn set_bytes(files: &edition::Files, capacity_bytes: u64) -> u64 {
    let most = capacity_bytes / 5 * 2 / ALIGN_BYTES * ALIGN_BYTES;
    files.set_bytes.min(most.max(ALIGN_BYTES))
}

/// Why a target of this kind cannot do such a test, and what to do.
pub(crate) fn missing(kind: TargetKind) -> Option<String> {
    match kind {
        TargetKind::Simulated | TargetKind::Directory => None,
        TargetKind::File | TargetKind::BlockDevice => Some(
            "not measured: work on files needs a file system, and the target is a file or a \
             device; to measure it, make a file system on the drive, mount it, and review a \
             directory on it: stend review DIR --size SIZE"
                .to_owned(),
        ),
    }
}

impl Runner<'_> {
    /// One operation on one set.
    pub(crate) fn files(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        files: &edition::Files,
        set: &str,
    ) -> Result<(), Arc<TargetError>> {
        let plan = self.plan;
        let bytes = set_bytes(files, plan.capacity_bytes);
        let title = format!("{} of `{set}`, {}", files.op.name(), size_text(bytes));
        self.recorder.begin(dest, &title, None);
        let shipped = FileSet::shipped(set)
            .ok_or_else(|| TargetError::Input(format!("there is no set of files `{set}`")))?;
        let done = target.work_on_files(&FilesJob {
            op: files.op,
            set: &shipped,
            bytes,
            // The same files whatever is done with them.
            seed: job::seed_of(plan.seed, &format!("files/{set}")),
            rest_s: plan.rest_s(files.rest_s),
        })?;
        let mut warnings: Vec<String> = done
            .limits
            .iter()
            .map(|limit| format!("{set}: {limit}"))
            .collect();
        warnings.extend(scaled_warning(files, bytes, plan.capacity_bytes));
        let shot = Shot {
            measured: Measured::Files(result(files, set, &done)?),
            name: title.clone(),
            jobs: vec![JobText {
                name: title,
                text: done.text,
            }],
            warnings,
        };
        let rest = plan.step_cost(&Step::Idle {
            duration_s: files.rest_s,
        });
        self.recorder
            .record(&[dest], shot, plan.files_cost(bytes) + rest);
        Ok(())
    }
}

fn scaled_warning(files: &edition::Files, bytes: u64, capacity_bytes: u64) -> Option<String> {
    (bytes < files.set_bytes).then(|| {
        format!(
            "SCALED: the target holds {:.2} GB (10⁹ bytes), too little for {} twice: sets of {}",
            capacity_bytes as f64 / 1e9,
            size_text(files.set_bytes),
            size_text(bytes)
        )
    })
}

fn result(files: &edition::Files, set: &str, done: &FilesOutcome) -> Result<FileWork, TargetError> {
    if done.elapsed_ns == 0 {
        return Err(TargetError::Failed(format!(
            "the {} of {set} took no time at all",
            files.op.name()
        )));
    }
    let duration_s = done.elapsed_ns as f64 / 1e9;
    Ok(FileWork {
        op: match files.op {
            FileOp::Copy => FileWorkOp::Copy,
            FileOp::Archive => FileWorkOp::Archive,
            FileOp::Unarchive => FileWorkOp::Unarchive,
        },
        set: set.to_owned(),
        set_bytes: done.bytes,
        scaled: done.bytes < files.set_bytes,
        files: done.files,
        directories: done.directories,
        duration_s,
        bw_bytes_per_s: done.bytes as f64 / duration_s,
        requests: done.requests,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_shrink_until_two_of_them_fit() {
        let files = edition::Files {
            state: 0,
            op: FileOp::Copy,
            sets: vec!["work".into()],
            set_bytes: 8 << 30,
            rest_s: 0.0,
        };
        assert_eq!(set_bytes(&files, 240_000_000_000), 8 << 30);
        assert_eq!(set_bytes(&files, 20 << 30), 8 << 30);
        assert_eq!(set_bytes(&files, 10 << 30), 4 << 30);
        assert_eq!(set_bytes(&files, 64 << 20), 25 << 20);
        assert!(scaled_warning(&files, 8 << 30, 20 << 30).is_none());
        let said = scaled_warning(&files, 4 << 30, 10 << 30).unwrap();
        assert!(
            said.starts_with("SCALED") && said.contains("4 GiB"),
            "{said}"
        );
    }
}
