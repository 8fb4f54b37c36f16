//! Work on files: the job for a target, and its result.

use crate::files::FileEntry;

use super::TargetError;

pub use crate::files::{FileOp, FileSet};
use stend_language::Text;
pub use stend_record::review::FileRequests;

/// Names of the shipped sets of files.
pub fn file_sets() -> Vec<&'static str> {
    let shipped = crate::files::set::SHIPPED;
    shipped.iter().map(|(name, _)| *name).collect()
}

/// Operation on a set of files.
#[derive(Clone, Copy, Debug)]
pub struct FilesJob<'a> {
    /// Operation.
    pub op: FileOp,
    /// Set of files.
    pub set: &'a FileSet,
    /// Total bytes of the set's files.
    pub bytes: u64,
    /// Root seed of the files' sizes and of their data.
    pub seed: u64,
    /// Rest between the creation of the files and the operation, s.
    pub rest_s: f64,
}

/// Result of an operation on files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilesOutcome {
    /// Number of files in the set.
    pub files: u64,
    /// Number of directories in the set.
    pub directories: u64,
    /// Total bytes of the set's files.
    pub bytes: u64,
    /// Time from the first request until everything is durable, ns.
    pub elapsed_ns: u64,
    /// Requests that reached the drive, if known.
    pub requests: Option<FileRequests>,
    /// Description of how the operation was done, line by line.
    pub text: String,
    /// Limits that must be stated wherever these figures appear.
    pub limits: Vec<Text>,
}

impl FilesJob<'_> {
    /// Returns the files.
    ///
    /// # Errors
    /// [`TargetError::Input`] if the set cannot have this number of bytes.
    pub fn files(&self) -> Result<Vec<FileEntry>, TargetError> {
        let files = self.set.files(self.bytes, self.seed);
        files.map_err(|problem| TargetError::Input(format!("set {}: {problem}", self.set.name)))
    }

    /// Returns the beginning of the outcome's text.
    pub fn describe(&self, files: &[FileEntry]) -> String {
        let count = match files.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let directories = match directories(files) {
            1 => "1 directory".to_owned(),
            count => format!("{count} directories"),
        };
        format!(
            "{} of the set `{}` ({}): {count} in {directories}, {} bytes, seed {}\n\
             sizes: {}\n",
            self.op.name(),
            self.set.name,
            self.set.title,
            self.bytes,
            self.seed,
            self.set.source,
        )
    }
}

/// Number of directories of these files.
pub fn directories(files: &[FileEntry]) -> u64 {
    files.last().map_or(0, |last| u64::from(last.directory) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_directories_are_counted() {
        let set = FileSet::shipped("iso").unwrap();
        let described = |bytes| {
            let job = FilesJob {
                op: FileOp::Copy,
                set: &set,
                bytes,
                seed: 1,
                rest_s: 0.0,
            };
            job.describe(&job.files().unwrap())
        };
        let one = described(1_000_000_000);
        assert!(one.contains(": 1 file in 1 directory, "), "{one}");
        let many = described(100_000_000_000);
        let (_, counts) = many.split_once("): ").unwrap();
        let (counts, _) = counts.split_once(", ").unwrap();
        let words: Vec<&str> = counts.split(' ').collect();
        assert_eq!((words[1], words[4]), ("files", "directories"), "{many}");
    }
}
