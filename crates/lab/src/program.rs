//! The program that stores results.

use stend_record::sha256_hex;

/// The program that stores results in a lab.
#[derive(Clone, Debug)]
pub struct Program {
    /// Id of its executable: results of another program are not reused.
    pub id: String,
    /// Version.
    pub version: &'static str,
    /// Commit, if known.
    pub commit: Option<&'static str>,
    /// Returns the present time, ms since 1970.
    pub now_unix_ms: fn() -> i64,
}

/// Returns the key under which the lab stores a result of the program with this id.
pub fn kept_key(program: &str, key: &str) -> String {
    sha256_hex(format!("{program}\n{key}"))
}
