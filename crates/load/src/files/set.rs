//! Sets of files: distributions of sizes as data, and the files drawn from them.
//!
//! The same set, number of bytes and seed give the same files on any machine, and their bytes add
//! up to that number exactly: the last file of a class is cut.

use serde::Deserialize;
use stend_base::Rng;
use stend_config::{FileError, SourceText};

/// Schema of sets.
pub const SCHEMA: &str = "stend.fileset/1";

/// Minimum of bytes of a set: every class then has a file.
pub const SET_BYTES_MIN: u64 = 1 << 20;

/// Maximum of bytes of a set.
pub const SET_BYTES_MAX: u64 = 1 << 42;

/// The shipped sets, by name.
pub const SHIPPED: &[(&str, &str)] = stend_config::shipped!("filesets": "iso", "program", "work");

/// A set of files, described.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSet {
    /// [`SCHEMA`].
    schema: String,
    /// Its name.
    pub name: String,
    /// Short description.
    pub title: String,
    /// Source of the figures.
    pub source: String,
    /// Files in a directory; the last directories have fewer.
    pub files_per_directory: u32,
    /// True if files of all classes share directories; otherwise each class has directories of its
    /// own, one class after the other.
    pub mixed: bool,
    /// The classes of files.
    #[serde(rename = "class")]
    pub classes: Vec<Class>,
}

/// Files of one kind. Their sizes are lognormal, cut at both ends.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Short description of the files.
    pub title: String,
    /// Extension of the files' names.
    pub extension: String,
    /// Share of the set's bytes, percent; over all classes, 100.
    pub share_percent: u32,
    /// Median size before the cut, bytes.
    pub median_bytes: u64,
    /// Standard deviation of the natural logarithm of the size.
    pub sigma: f64,
    /// Smallest file, bytes; only the last of the class may be smaller.
    pub min_bytes: u64,
    /// Largest file, bytes.
    pub max_bytes: u64,
}

/// One file of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Number of its directory, from 0; directories ascend.
    pub directory: u32,
    /// Name within the directory.
    pub name: String,
    /// Size, bytes; above 0.
    pub bytes: u64,
}

/// The name of a directory.
pub fn directory_name(directory: u32) -> String {
    format!("d{directory:05}")
}

impl FileSet {
    /// A shipped set.
    ///
    /// # Panics
    /// Never: shipped sets are tested.
    pub fn shipped(name: &str) -> Option<FileSet> {
        let (name, text) = SHIPPED.iter().find(|(own, _)| *own == name)?;
        let path = format!("filesets/{name}.toml");
        Some(FileSet::parse(text, &path).expect("shipped sets are tested"))
    }

    /// Reads a set from a text; `path` is for messages.
    ///
    /// # Errors
    /// [`FileError`] with file, line, key, and the allowed values.
    pub fn parse(text: &str, path: &str) -> Result<FileSet, FileError> {
        let text = SourceText { file: path, text };
        let set: FileSet = text.read()?;
        match set.check() {
            Ok(()) => Ok(set),
            Err((path, problem)) => text.fail_path(&path, problem),
        }
    }

    /// Checks the set. An error is the path of the faulty key and what is allowed.
    fn check(&self) -> Result<(), (String, String)> {
        let wrong = |key: &str, problem: String| Err((key.to_owned(), problem));
        if self.schema != SCHEMA {
            let problem = format!("`{}`; this stend reads `{SCHEMA}`", self.schema);
            return wrong("schema", problem);
        }
        if !(1..=100_000).contains(&self.files_per_directory) {
            let problem = format!("{}; from 1 to 100000", self.files_per_directory);
            return wrong("files_per_directory", problem);
        }
        for (index, class) in self.classes.iter().enumerate() {
            class
                .check()
                .map_err(|(key, problem)| (format!("class[{index}].{key}"), problem))?;
        }
        let shares = self
            .classes
            .iter()
            .map(|class| u64::from(class.share_percent));
        match shares.sum() {
            100_u64 => Ok(()),
            sum => wrong(
                "class",
                format!("the share_percent of all add up to {sum}, not to 100"),
            ),
        }
    }

    /// The files of a set of `total_bytes`, directory after directory.
    ///
    /// # Errors
    /// If `total_bytes` is not from [`SET_BYTES_MIN`] to [`SET_BYTES_MAX`].
    pub fn files(&self, total_bytes: u64, seed: u64) -> Result<Vec<FileEntry>, String> {
        if !(SET_BYTES_MIN..=SET_BYTES_MAX).contains(&total_bytes) {
            return Err(format!(
                "a set of {total_bytes} bytes: from {SET_BYTES_MIN} to {SET_BYTES_MAX} are possible"
            ));
        }
        let mut drawn: Vec<(usize, u64)> = Vec::new();
        let mut until_percent = 0;
        let mut from_bytes = 0;
        for (index, class) in self.classes.iter().enumerate() {
            until_percent += u128::from(class.share_percent);
            let until_bytes = (u128::from(total_bytes) * until_percent / 100) as u64;
            let mut rng = Rng::stream(seed, &format!("files/{}/{}", self.name, class.title));
            class.draw(until_bytes - from_bytes, &mut rng, |bytes| {
                drawn.push((index, bytes));
            });
            from_bytes = until_bytes;
        }
        if self.mixed {
            let mut rng = Rng::stream(seed, &format!("files/{}/order", self.name));
            for last in (1..drawn.len()).rev() {
                drawn.swap(last, rng.below(last as u64 + 1) as usize);
            }
        }
        Ok(self.placed(&drawn))
    }

    /// Distributes the files over directories.
    fn placed(&self, drawn: &[(usize, u64)]) -> Vec<FileEntry> {
        let mut directory = 0;
        let mut filled = 0;
        let mut before = None;
        let mut out = Vec::with_capacity(drawn.len());
        for (number, &(class, bytes)) in drawn.iter().enumerate() {
            let other_kind = !self.mixed && before.is_some_and(|before| before != class);
            if filled == self.files_per_directory || other_kind {
                directory += 1;
                filled = 0;
            }
            filled += 1;
            before = Some(class);
            out.push(FileEntry {
                directory,
                name: format!("f{number:07}.{}", self.classes[class].extension),
                bytes,
            });
        }
        out
    }
}

impl Class {
    /// Checks the class. An error is the faulty key and what is allowed.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        if self.extension.is_empty() || !self.extension.chars().all(plain) {
            let problem = format!("`{}`; letters a-z and digits", self.extension);
            return Err(("extension", problem));
        }
        let (min, median, max) = (self.min_bytes, self.median_bytes, self.max_bytes);
        if min == 0 || min > max || max > SET_BYTES_MAX {
            let problem = format!("{min}, and max_bytes {max}; ascending, 1 to {SET_BYTES_MAX}");
            return Err(("min_bytes", problem));
        }
        if !(min..=max).contains(&median) {
            let problem = format!("{median}; from min_bytes to max_bytes");
            return Err(("median_bytes", problem));
        }
        if !(0.0..=5.0).contains(&self.sigma) {
            return Err(("sigma", format!("{}; from 0 to 5", self.sigma)));
        }
        Ok(())
    }

    /// Draws sizes until `budget_bytes` are used up.
    fn draw(&self, budget_bytes: u64, rng: &mut Rng, mut see: impl FnMut(u64)) {
        let mut left = budget_bytes;
        while left > 0 {
            let factor = libm::exp(self.sigma * normal(rng));
            let bytes = (self.median_bytes as f64 * factor) as u64;
            let bytes = bytes.clamp(self.min_bytes, self.max_bytes).min(left);
            left -= bytes;
            see(bytes);
        }
    }
}

/// A standard normal draw: G. E. P. Box and M. E. Muller, "A Note on the Generation of Random
/// Normal Deviates" (1958). The functions come from `libm`, the same on every machine.
fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.unit_f64()));
    radius * libm::cos(std::f64::consts::TAU * rng.unit_f64())
}
