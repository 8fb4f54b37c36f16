//! Formats of exported tables.

/// A format of exported tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values (RFC 4180), names of columns in the first line; what is null is
    /// empty.
    Csv,
    /// An array of objects, a line each.
    Json,
    /// Apache Parquet, not compressed; every column optional.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
        }
    }
}
