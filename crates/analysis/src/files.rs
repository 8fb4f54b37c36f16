//! Work on files: what was done on what.

use stend_record::review::{FileWork, FileWorkOp, TestResult};

/// The work on files of a test; none of any other.
pub fn files_of(test: &TestResult) -> &[FileWork] {
    test.files.as_deref().unwrap_or_default()
}

/// What was done, as a noun.
pub fn file_op_words(op: FileWorkOp) -> &'static str {
    match op {
        FileWorkOp::Copy => "copy",
        FileWorkOp::Archive => "archive",
        FileWorkOp::Unarchive => "unarchive",
    }
}

/// The set, and that it was made smaller where it was: only sets of one size compare.
pub fn set_words(work: &FileWork) -> String {
    match work.scaled {
        false => work.set.clone(),
        true => format!("{} (scaled to {} MiB)", work.set, work.set_bytes >> 20),
    }
}
