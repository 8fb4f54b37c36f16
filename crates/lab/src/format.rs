//! Formats of exported tables.

/// A format of exported tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values (RFC 4180), with the names of the columns in the first line; null is
    /// empty.
    Csv,
    /// An array of objects, one a line.
    Json,
    /// Apache Parquet, not compressed; every column optional.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// Returns the extension of such files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
        }
    }
}
