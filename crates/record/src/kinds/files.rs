//! Work on files.

use serde::{Deserialize, Serialize};

/// One operation on one set of files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileWork {
    /// The operation.
    pub op: FileOp,
    /// Name of the set: `iso`, `program`, `work`.
    pub set: String,
    /// Bytes of its files.
    pub set_bytes: u64,
    /// True if the set was made smaller than in the edition, to fit the target twice.
    pub scaled: bool,
    /// Files of the set.
    pub files: u64,
    /// Directories of the set.
    pub directories: u64,
    /// Time from the first request until everything was durable, s.
    pub duration_s: f64,
    /// Durations of the repetitions of a repeated test, of which `duration_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_duration_s: Vec<f64>,
    /// Bytes of the set divided by that time, per second.
    pub bw_bytes_per_s: f64,
    /// Bandwidths of the repetitions of a repeated test, of which `bw_bytes_per_s` is the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated_bw_bytes_per_s: Vec<f64>,
    /// Requests that reached the drive, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<FileRequests>,
}

/// Operation on a set of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOp {
    /// Copied within the drive, directory by directory.
    #[default]
    Copy,
    /// Packed into one archive.
    Archive,
    /// Extracted from one archive.
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

/// The requests of an operation on files, with those of the file system itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRequests {
    /// Reads.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Flushes.
    pub flushes: u64,
}
