//! Finds out if the file of an open lab was moved or removed. SQLite writes on to the same file,
//! but keeps its log beside the old name, where another program that opens the moved file does not
//! find it.

use std::fs;
use std::mem;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rusqlite::Connection;

use crate::file_id::FileId;
use crate::{Lab, LabError, wal_path};

/// Place of the file of an open lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where it was opened.
    Same,
    /// At another path of the same file system.
    Moved(PathBuf),
    /// Removed, or moved to another file system, which copies and removes it.
    Gone,
}

/// Returns the place of the file now.
pub fn of(lab: &Lab) -> Place {
    let Some(file) = lab.file else {
        return Place::Same;
    };
    if FileId::at(&lab.path) == Some(file) {
        return Place::Same;
    }
    // The path of an open file, as the kernel knows it. The file itself must not be opened a
    // second time: closing that would release SQLite's locks.
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten();
    let found = open.filter_map(|entry| {
        let link = entry.ok()?.path();
        let meta = fs::metadata(&link).ok()?;
        let is_it = FileId::of(&meta) == file && meta.nlink() > 0;
        fs::read_link(&link).ok().filter(|_| is_it)
    });
    let mut found = found.filter(|path| FileId::at(path) == Some(file));
    found.next().map_or(Place::Gone, Place::Moved)
}

/// Opens the lab at its new path if it was moved, and a new one at the old path if it is gone.
/// Returns the place of the earlier file.
///
/// # Errors
/// If it cannot be opened; the next call tries again.
pub fn follow(lab: &mut Lab) -> Result<Place, LabError> {
    let place = of(lab);
    let path = match &place {
        Place::Same => return Ok(place),
        Place::Moved(path) => path.clone(),
        Place::Gone => lab.path.clone(),
    };
    let none = Connection::open_in_memory().map_err(|error| lab.failed(error))?;
    let before = mem::replace(&mut lab.connection, none);
    // So that the file is complete without its log, which is lost beside the old name. A gone
    // file needs none.
    let _ = before.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    drop(before);
    // SQLite leaves the log of a moved file, and a new lab must not find it.
    let log = wal_path(&lab.path);
    if fs::metadata(&log).is_ok_and(|log| log.len() == 0) {
        // A failure is reported by the next open.
        let _ = fs::remove_file(&log);
    }
    *lab = Lab::open(&path)?;
    Ok(place)
}
