//! TOML files that people write: drive models, editions, articles, published figures.
//! [`SourceText`] parses a file into a serde type and maps offsets to lines; [`FileError`] reports
//! faults with file, line, key and allowed values.

use std::fmt;

use serde::de::DeserializeOwned;
use strsim::damerau_levenshtein;
pub use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A fault in a file, printed as `file:line: key: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the user named it.
    pub file: String,
    /// Line, from 1; `None` if the fault concerns the file as a whole.
    pub line: Option<usize>,
    /// The faulty key, with its table if known; `None` in broken TOML.
    pub key: Option<String>,
    /// The fault, and the allowed values.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ": {key}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A file that cannot be used, printed with one line per problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    problems: Vec<Problem>,
}

impl FileError {
    /// An error about a file as a whole, such as one that cannot be read.
    pub fn of_file(file: &str, message: impl Into<String>) -> FileError {
        FileError::from(Problem {
            file: file.to_owned(),
            line: None,
            key: None,
            message: message.into(),
        })
    }

    /// An error in a line, from 1.
    pub fn of_line(file: &str, line: usize, message: impl Into<String>) -> FileError {
        FileError::from(Problem {
            file: file.to_owned(),
            line: Some(line),
            key: None,
            message: message.into(),
        })
    }

    /// All problems, in the order of printing; at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns an error if there is any problem.
    ///
    /// # Errors
    /// All problems.
    pub fn unless_empty(problems: Vec<Problem>) -> Result<(), FileError> {
        if problems.is_empty() {
            return Ok(());
        }
        Err(FileError { problems })
    }
}

impl From<Problem> for FileError {
    fn from(problem: Problem) -> FileError {
        FileError {
            problems: vec![problem],
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FileError {}

/// Messages of serde and of the parser that contain the key themselves.
const NAMED: [&str; 3] = ["unknown field `", "missing field `", "duplicate key `"];

/// The text of a file, and its name for messages.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// The file, as the user named it.
    pub file: &'a str,
    /// Content of the file.
    pub text: &'a str,
}

/// Message about an unknown key, with the nearest known key first.
pub fn unknown_field(key: &str, known: &[&str]) -> String {
    unknown("field", key, known)
}

fn unknown(what: &str, key: &str, known: &[&str]) -> String {
    let listed: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
    let listed = listed.join(", ");
    // The first of equally near ones, so that the message is always the same.
    let near = known
        .iter()
        .min_by_key(|known| damerau_levenshtein(key, known));
    match near.filter(|near| damerau_levenshtein(key, near) <= key.len() / 2) {
        Some(near) => {
            format!("unknown {what} `{key}`, the nearest is `{near}`, expected one of {listed}")
        }
        None => format!("unknown {what} `{key}`, expected one of {listed}"),
    }
}

/// serde's message about an unknown key or word, with the nearest known one first; `None` for any
/// other message.
fn with_nearest(message: &str) -> Option<String> {
    let (what, rest) = message.strip_prefix("unknown ")?.split_once(" `")?;
    let (key, known) = rest.split_once("`, expected one of ")?;
    let known: Vec<&str> = known.split(", ").map(|key| key.trim_matches('`')).collect();
    let what = if what == "variant" { "value" } else { what };
    Some(unknown(what, key, &known))
}

/// serde's message with understandable names of types.
fn plain(message: &str) -> String {
    if let Some(told) = with_nearest(message) {
        return told;
    }
    let Some((said, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let named = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not below 0",
        "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "a table",
        "a string" => "a text",
        "a boolean" => "true or false",
        _ if expected.starts_with("struct ") || expected.contains(" tagged enum ") => "a table",
        _ => return message.to_owned(),
    };
    let said = match said.strip_prefix("invalid type: ") {
        Some("map") => "invalid type: a table",
        Some("sequence") => "invalid type: a list",
        _ => said,
    };
    format!("{said}, expected {named}")
}

impl SourceText<'_> {
    /// Parses the text into a type. [`Spanned`] fields keep their place for later checks.
    ///
    /// # Errors
    /// The first fault in syntax, key or type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        toml::from_str(self.text).map_err(|error| {
            let message = error.message().trim();
            // A key missing from the file as a whole has no place in it.
            let start = error.span().map_or(0, |span| span.start);
            let named = NAMED
                .iter()
                .find_map(|begin| message.strip_prefix(begin)?.split('`').next());
            let key = named.map(str::to_owned).or_else(|| self.key_at(start));
            FileError::from(self.problem(start, key, plain(message)))
        })
    }

    /// Creates a problem at a byte of the text.
    pub fn problem(
        &self,
        offset: usize,
        key: Option<String>,
        message: impl Into<String>,
    ) -> Problem {
        Problem {
            file: self.file.to_owned(),
            line: Some(self.line(offset)),
            key,
            message: message.into(),
        }
    }

    /// Reports a failed check of a value or of a table, whose key is found in the text.
    ///
    /// # Errors
    /// Always.
    pub fn fail<T, R>(
        &self,
        place: &Spanned<T>,
        message: impl Into<String>,
    ) -> Result<R, FileError> {
        let start = place.span().start;
        Err(self.problem(start, self.key_at(start), message).into())
    }

    /// Reports a failed check of a value, under a given key.
    ///
    /// # Errors
    /// Always.
    pub fn fail_key<T, R>(
        &self,
        place: &Spanned<T>,
        key: &str,
        message: impl Into<String>,
    ) -> Result<R, FileError> {
        let start = place.span().start;
        Err(self.problem(start, Some(key.to_owned()), message).into())
    }

    /// Reports a failed check of the value at a path of keys and numbers, such as `class[2].sigma`.
    ///
    /// # Errors
    /// Always, in the line of the last part of the path that is in the file.
    pub fn fail_path<R>(&self, path: &str, message: impl Into<String>) -> Result<R, FileError> {
        let table = DeTable::parse(self.text).ok();
        let mut parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty());
        let mut value = table
            .as_ref()
            .and_then(|table| table.get_ref().get(parts.next()?));
        let mut start = 0;
        while let Some(found) = value {
            start = found.span().start;
            value = parts.next().and_then(|part| match part.parse::<usize>() {
                Ok(number) => found.get_ref().get(number),
                Err(_) => found.get_ref().get(part),
            });
        }
        Err(self.problem(start, Some(path.to_owned()), message).into())
    }

    /// Line of a byte of the text, from 1.
    pub fn line(&self, offset: usize) -> usize {
        Lines::of(self.text).at(offset)
    }

    /// Key at a byte of the text: that of the table whose header is there, or that of the value.
    fn key_at(&self, offset: usize) -> Option<String> {
        let before = self.text.get(..offset.min(self.text.len()))?;
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[begin..].lines().next().unwrap_or_default();
        if let Some(table) = header_of(line) {
            return Some(table.to_owned());
        }
        let parsed = DeTable::parse(self.text).ok();
        let key = parsed.and_then(|table| key_in(table.get_ref(), offset).map(str::to_owned));
        key.or_else(|| self.key_before(offset))
    }

    /// The key of the value at a byte of the text: the word before the last `=`.
    fn key_before(&self, offset: usize) -> Option<String> {
        let before = self.text.get(..offset.min(self.text.len()))?;
        let before = before[..before.rfind('=')?].trim_end();
        let is_of_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let key = before.rsplit(|c: char| !is_of_key(c)).next()?;
        (!key.is_empty()).then(|| key.to_owned())
    }

    /// Key with its table, `nand.dies`, in the line of a byte of the text: for broken TOML, of
    /// which nothing more is known. `None` if the line has no key.
    pub fn key_of_line(&self, offset: usize) -> Option<String> {
        let lines = self.text.lines().take(self.line(offset)).map(str::trim);
        let lines: Vec<&str> = lines.collect();
        let last = lines.last().filter(|line| !line.starts_with(['[', '#']))?;
        let key = last.split_once('=')?.0.trim();
        Some(match lines.iter().rev().find_map(|line| header_of(line)) {
            Some(table) => format!("{table}.{key}"),
            None => key.to_owned(),
        })
    }
}

/// Name of the table whose header is in a line; `None` for other lines, such as one of a list of
/// lists.
fn header_of(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix('[')?.trim_start_matches('[');
    let name = name.split(']').next()?.trim();
    let is_of_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | ' ');
    let is_key = name.starts_with(char::is_alphabetic) && name.chars().all(is_of_key);
    is_key.then_some(name)
}

/// The innermost key that contains a byte of a text.
fn key_in<'a>(table: &'a DeTable<'_>, offset: usize) -> Option<&'a str> {
    table.iter().find_map(|(key, value)| {
        let here = key.span().contains(&offset) || value.span().contains(&offset);
        let within = key_of(value.get_ref(), offset);
        within.or_else(|| here.then_some(key.get_ref().as_ref()))
    })
}

/// As [`key_in`], within a value; `None` if it contains no key.
fn key_of<'a>(value: &'a DeValue<'_>, offset: usize) -> Option<&'a str> {
    match value {
        DeValue::Table(table) => key_in(table, offset),
        DeValue::Array(values) => values.iter().find_map(|v| key_of(v.get_ref(), offset)),
        _ => None,
    }
}

/// Line ends of a text, for many lookups.
#[derive(Clone, Debug)]
pub struct Lines {
    ends: Vec<usize>,
}

impl Lines {
    /// Finds the line ends of a text.
    pub fn of(text: &str) -> Lines {
        let ends = text.match_indices('\n').map(|(end, _)| end);
        Lines {
            ends: ends.collect(),
        }
    }

    /// Line of a byte of the text, from 1; for a byte beyond the end, the last line.
    pub fn at(&self, offset: usize) -> usize {
        1 + self.ends.partition_point(|&end| end < offset)
    }
}

/// Files of a folder, built into the program by the crate that uses the macro: the name of each,
/// without `.toml`, and its text. The folder is a link to one at the root of the repository.
#[macro_export]
macro_rules! shipped {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/",
                $folder,
                "/",
                $name,
                ".toml"
            )),
        )),+]
    };
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        depth: Spanned<u32>,
        #[serde(default)]
        #[expect(dead_code, reason = "it is read only")]
        part: Vec<Part>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part {
        #[expect(dead_code, reason = "it is read only")]
        bytes: u64,
    }

    fn said(text: &str) -> String {
        let text = SourceText {
            file: "f.toml",
            text,
        };
        text.read::<File>().expect_err("it is wrong").to_string()
    }

    #[test]
    fn mistakes_are_told_with_file_line_and_key() {
        for (text, expected) in [
            ("# a\ndepht = 1\n", "f.toml:2: depht: unknown field `depht`"),
            ("\n", "f.toml:1: depth: missing field `depth`"),
            (
                "\ndepth = \"1\"\n",
                "f.toml:2: depth: invalid type: string \"1\", expected a whole number",
            ),
            (
                "depth = 1\npart = [{ bytes = 0.5 }]",
                "f.toml:2: bytes: inv",
            ),
            (
                "depth = 1\n[part]\nbytes = 1\n",
                "f.toml:2: part: invalid type: a table, expected a list",
            ),
            (
                "depth = 1\npart = [5]\n",
                "f.toml:2: part: invalid type: integer `5`, expected a table",
            ),
            (
                "depth = 1\npart = [\n  { bytes = 1 },\n  true,\n]\n",
                "f.toml:4: part: invalid type: boolean `true`, expected a table",
            ),
            (
                "[depth]\nx = 1\n",
                "f.toml:1: depth: invalid type: a table, expected a whole number",
            ),
            (
                "depth = 1\n[[part]]\n[part.bytes]\nx = 1\n[part.bytes]\n",
                "f.toml:5: part.bytes: duplicate key",
            ),
            (
                "depth = 1\n[[part]]\nbytes = 1\nbytes = 2\n",
                "f.toml:4: bytes: duplicate key",
            ),
            ("[a\n", "f.toml:1: "),
            ("# ü depth\nü = 1\n", "f.toml:2: "),
            ("ü.depth = \"1\"\n", "f.toml:1: "),
            ("depth\u{2003}= 1\n", "f.toml:1: "),
        ] {
            let said = said(text);
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn the_nearest_key_is_told_first() {
        let known = ["generation", "channels", "dies"];
        let all = "expected one of `generation`, `channels`, `dies`";
        let near = format!("unknown field `diess`, the nearest is `dies`, {all}");
        let far = format!("unknown field `tables`, {all}");
        assert_eq!(unknown_field("diess", &known), near);
        assert_eq!(unknown_field("tables", &known), far);
        let of_serde = format!("unknown field `diess`, {all}");
        assert_eq!(plain(&of_serde), near);
        let of_words = "unknown variant `idel`, expected one of `fill`, `trim`, `idle`";
        assert!(plain(of_words).starts_with("unknown value `idel`, the nearest is `idle`, exp"));
        let of_one = "unknown field `x`, expected `bytes`";
        assert_eq!(plain(of_one), of_one);
    }

    #[test]
    fn a_failed_check_stands_where_its_value_stands() {
        let text = SourceText {
            file: "f.toml",
            text: "# ä\n\ndepth = 7",
        };
        let file: File = text.read().expect("it is sound");
        let said = text.fail::<_, ()>(&file.depth, "from 1 to 4");
        let said = said.expect_err("it fails").to_string();
        assert_eq!(said, "f.toml:3: depth: from 1 to 4");
        let said = text.fail_key::<_, ()>(&file.depth, "a.b", "no");
        assert_eq!(said.unwrap_err().to_string(), "f.toml:3: a.b: no");
    }

    #[test]
    fn a_failed_check_of_a_path_stands_in_its_line() {
        let text = SourceText {
            file: "f.toml",
            text: "depth = 7\n[[part]]\nbytes = 1\n[[part]]\nbytes = 2\nends = [[3, 4],\n[5, 6]]",
        };
        for (path, line) in [
            ("depth", 1),
            ("part[0].bytes", 3),
            ("part[1].bytes", 5),
            ("part[1].ends[1]", 7),
            ("part[1].missing", 4),
            ("missing", 1),
        ] {
            let said = text.fail_path::<()>(path, "no").expect_err("it fails");
            assert_eq!(said.to_string(), format!("f.toml:{line}: {path}: no"));
        }
    }

    #[test]
    fn a_broken_line_tells_key_and_table() {
        let text = SourceText {
            file: "f.toml",
            text: "top =\n[nand]\ndies =\n[[nand.list]]\n a = { b =\n# c = 1\n[",
        };
        let keys = [1, 3, 5].map(|line| {
            let lines = text.text.split_inclusive('\n').take(line);
            text.key_of_line(lines.map(str::len).sum::<usize>() - 1)
        });
        let expected = ["top", "nand.dies", "nand.list.a"];
        assert_eq!(keys, expected.map(|key| Some(key.to_owned())));
        assert_eq!(text.key_of_line(text.text.len()), None);
    }

    #[test]
    fn several_problems_stand_on_lines_of_their_own() {
        assert_eq!(FileError::unless_empty(Vec::new()), Ok(()));
        let problem = |line| Problem {
            file: "f".to_owned(),
            line,
            key: None,
            message: "no".to_owned(),
        };
        let error = FileError::unless_empty(vec![problem(None), problem(Some(2))]);
        assert_eq!(error.unwrap_err().to_string(), "f: no\nf:2: no");
    }
}
