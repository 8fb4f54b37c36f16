//! Finds out if the file of an open lab was moved or removed.
//!
//! SQLite writes on to the same file, but keeps its log and its locks beside the old name, where
//! other programs that open the moved file do not find them: two programs that write then damage
//! it (<https://sqlite.org/howtocorrupt.html>, 2.4). Nor is it safe to open a lab at the old name
//! while any connection to the earlier one is open, because both would share that log.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::file_id::FileId;
use crate::{Lab, LabError};

/// Checks that the file of a lab is where it was opened.
///
/// # Errors
/// [`LabError::Moved`] if it is not: then nothing must be written to it.
pub fn check(lab: &Lab) -> Result<(), LabError> {
    match lab.file {
        Some(file) if FileId::at(&lab.path) != Some(file) => Err(LabError::Moved {
            path: lab.path.clone(),
            to: path_of(file),
        }),
        _ => Ok(()),
    }
}

/// Returns the path of an open file, as the kernel knows it; `None` if it was removed.
fn path_of(file: FileId) -> Option<PathBuf> {
    // The file itself must not be opened a second time: closing that would release SQLite's locks.
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten();
    let found = open.filter_map(|entry| {
        let link = entry.ok()?.path();
        let meta = fs::metadata(&link).ok()?;
        let is_it = FileId::of(&meta) == file && meta.nlink() > 0;
        fs::read_link(&link).ok().filter(|_| is_it)
    });
    let mut found = found.filter(|path| FileId::at(path) == Some(file));
    found.next()
}
