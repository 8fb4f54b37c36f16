//! Work on files.

use serde::{Deserialize, Serialize};

/// One operation on one set of files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileWork {
    /// What was done.
    pub op: FileOp,
    /// Name of the set: `iso`, `program`, `work`.
    pub set: String,
    /// Bytes of its files.
    pub set_bytes: u64,
    /// The set was made smaller than the edition asks, to fit the target twice.
    pub scaled: bool,
    /// Files of the set.
    pub files: u64,
    /// Directories of the set.
    pub directories: u64,
    /// From the first request until everything was durable, s.
    pub duration_s: f64,
    /// Of a repeated test, that of each repetition, of which `duration_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_duration_s: Vec<f64>,
    /// Bytes of the set over that time, per second.
    pub bw_bytes_per_s: f64,
    /// Of a repeated test, that of each repetition, of which `bw_bytes_per_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_bw_bytes_per_s: Vec<f64>,
    /// What reached the drive, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<FileRequests>,
}

/// What is done with a set of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOp {
    /// Copied within the drive, directory by directory.
    #[default]
    Copy,
    /// Put into one archive.
    Archive,
    /// Taken out of one archive.
    Unarchive,
}

impl FileOp {
    /// Its name, a noun.
    pub fn name(self) -> &'static str {
        match self {
            FileOp::Copy => "copy",
            FileOp::Archive => "archive",
            FileOp::Unarchive => "unarchive",
        }
    }
}

/// The requests of an operation on files, those of the file system's own among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
