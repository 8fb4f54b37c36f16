//! Errors of a lab.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Error of writing a table.
pub(crate) type Failed = Box<dyn std::error::Error>;

/// Error of reading or writing a lab. None of them loses any of its data.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The folder of a new lab cannot be created.
    #[error("{}: the folder for the lab cannot be made: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is a database of another program, or not a database.
    #[error(
        "{} is not a lab of stend's: name another file", .0.display()
    )]
    Foreign(PathBuf),
    /// A lab was to be merged into itself.
    #[error("{}: this is the lab itself; name another one to merge into it", .0.display())]
    Itself(PathBuf),
    /// A run is still in progress.
    #[error("run {run} is under way: wait for its end, or end it first; nothing was deleted")]
    UnderWay {
        /// Number of the run.
        run: i64,
    },
    /// The file does not exist.
    #[error("{}: there is no such lab", .0.display())]
    Missing(PathBuf),
    /// The file was written by a later version.
    #[error(
        "{} is a lab of version {version}, and this program knows versions up to {known}; use the \
         stend that wrote it, or another file with --lab", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i32,
        /// Latest version that this program knows.
        known: i32,
    },
    /// The file was written by an earlier version, and was opened only for reading.
    #[error(
        "{} is a lab of an earlier version: a review, or `stend lab merge`, brings it up to date",
        .0.display()
    )]
    Older(PathBuf),
    /// Another program has been writing for too long.
    #[error(
        "{}: the lab is being written by another program, and was for 10 s; try again when that \
         has ended", .0.display()
    )]
    Locked(PathBuf),
    /// The disk is full.
    #[error(
        "{}: there is no room for the lab on its disk; its content is unchanged. Make room, and \
        try again", .0.display()
    )]
    Full(PathBuf),
    /// The file, or its file system, can only be read.
    #[error(
        "{}: the lab cannot be written ({what}); its content is unchanged. Make the file, its \
         folder and its file system writable (the kernel may have made that read-only after an \
         error: see `dmesg`), or name another lab with --lab", path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// Error of SQLite.
        what: String,
    },
    /// The file was moved or removed while it was open.
    #[error(
        "{}: the lab was {} while this program used it, and is not written any more, because that \
         could damage it; {}",
        path.display(),
        to.as_ref().map_or_else(|| "removed".to_owned(), |to| format!("moved to {}", to.display())),
        match to {
            Some(_) => "move it back: its last changes are in the log beside its old name (-wal), \
                        and a review that still runs is then saved in it",
            None => "name another one with --lab",
        }
    )]
    Moved {
        /// Its path when it was opened.
        path: PathBuf,
        /// Its path now; `None` if it was removed, or moved to another file system.
        to: Option<PathBuf>,
    },
    /// The file is damaged.
    #[error(
        "{}: the lab is damaged ({what}); `sqlite3 FILE .recover` may save what is in it",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Error of SQLite, or of reading back.
        what: String,
    },
    /// A file of another program has the name of the table.
    #[error(
        "{}: it exists, and is not a table of stend's, so it is kept; choose another folder, or \
         move it away", .0.display()
    )]
    NotATable(PathBuf),
    /// The run does not exist.
    #[error("{}: there is no run {run}; `stend lab list` shows those there are", path.display())]
    NoRun {
        /// The file.
        path: PathBuf,
        /// The given number.
        run: i64,
    },
    /// The recorded job or replay does not exist.
    #[error("{}: there is no job j{id}; `stend lab list` shows those there are", path.display())]
    NoRecorded {
        /// The file.
        path: PathBuf,
        /// The given number, without its `j`.
        id: i64,
    },
    /// No deleted run, job or replay has this number.
    #[error(
        "{}: {entry} is not among the deleted entries; `stend lab undelete` lists them",
        path.display()
    )]
    NotDeleted {
        /// The file.
        path: PathBuf,
        /// The given number.
        entry: String,
    },
    /// A folder has the samples of another study.
    #[error(
        "{}: it holds the samples of another study, which are kept; choose another folder, or \
         move them away", .0.display()
    )]
    OtherSeries(PathBuf),
    /// An exported file cannot be written.
    #[error("{}: the export cannot be written: {what}; choose another folder", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// Reason.
        what: String,
    },
    /// Anything else.
    #[error("{}: the lab cannot be used: {what}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// Error of SQLite.
        what: String,
    },
}

impl LabError {
    pub(crate) fn of(error: rusqlite::Error, path: &Path) -> LabError {
        let path = path.to_path_buf();
        if path.is_dir() {
            return LabError::Foreign(path);
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LabError::Locked(path),
            Some(ErrorCode::DiskFull) => LabError::Full(path),
            Some(ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => LabError::ReadOnly {
                path,
                what: error.to_string(),
            },
            Some(ErrorCode::NotADatabase) => LabError::Foreign(path),
            Some(ErrorCode::DatabaseCorrupt) => LabError::Damaged {
                path,
                what: error.to_string(),
            },
            _ => LabError::Other {
                path,
                what: error.to_string(),
            },
        }
    }

    pub(crate) fn of_migration(error: rusqlite_migration::Error, path: &Path) -> LabError {
        match error {
            rusqlite_migration::Error::RusqliteError { err, .. } => LabError::of(err, path),
            other => LabError::Other {
                path: path.to_path_buf(),
                what: other.to_string(),
            },
        }
    }
}
