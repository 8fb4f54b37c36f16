//! What can go wrong with a lab.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a table could not be written.
pub(crate) type Failed = Box<dyn std::error::Error>;

/// Why a lab could not be read or written. Nothing that was in it is lost by any of these.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The folder of a new lab cannot be made.
    #[error("{}: the folder for the lab cannot be made: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is a database of another program, or none.
    #[error(
        "{} is not a lab of stend's: name another file", .0.display()
    )]
    Foreign(PathBuf),
    /// A lab was to be merged into itself.
    #[error("{}: this is the lab itself; name another one to merge into it", .0.display())]
    Itself(PathBuf),
    /// A run is being written.
    #[error("run {run} is under way: wait for its end, or end it first; nothing was deleted")]
    UnderWay {
        /// Its number.
        run: i64,
    },
    /// There is no such file.
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
        /// The latest that is known.
        known: i32,
    },
    /// The file was written by an earlier version, and is only to be read.
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
    /// There is no room.
    #[error(
        "{}: there is no room for the lab on its disk; its content is unchanged. Make room, and \
        try again", .0.display()
    )]
    Full(PathBuf),
    /// The file is damaged.
    #[error(
        "{}: the lab is damaged ({what}); `sqlite3 FILE .recover` may save what is in it",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite, or reading back, said.
        what: String,
    },
    /// A file of another program is where a table would be written.
    #[error(
        "{}: it exists, and is not a table of stend's, so it is kept; choose another folder, or \
         move it away", .0.display()
    )]
    NotATable(PathBuf),
    /// There is no such run.
    #[error("{}: there is no run {run}; `stend lab list` shows those there are", path.display())]
    NoRun {
        /// The file.
        path: PathBuf,
        /// The number that was named.
        run: i64,
    },
    /// There is no such recorded job or replay.
    #[error("{}: there is no job j{id}; `stend lab list` shows those there are", path.display())]
    NoRecorded {
        /// The file.
        path: PathBuf,
        /// The number that was named, without its `j`.
        id: i64,
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
        /// Why.
        what: String,
    },
    /// Anything else.
    #[error("{}: the lab cannot be used: {what}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
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
