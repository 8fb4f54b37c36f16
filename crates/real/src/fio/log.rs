//! The logs that fio writes in a run's folder (fio's HOWTO, "Log File Formats").
//!
//! A row is `time, value, direction, block size, offset, …`; older versions lack the last columns.

use std::fs;
use std::path::Path;

use stend_base::Op;

use crate::fio::job::LOG_PREFIX;
use stend_load::target::TargetError;

/// One row of a log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// Time, ms.
    pub(crate) at_ms: u64,
    /// KiB/s, requests per second, or a latency in ns.
    pub(crate) value: f64,
    /// A read, write or TRIM.
    pub(crate) op: Op,
    /// Bytes of the request.
    pub(crate) len_bytes: Option<u64>,
    /// First byte of the request, with `log_offset`.
    pub(crate) offset_bytes: Option<u64>,
}

/// Parses the rows of a log.
///
/// # Errors
/// The first line that is no row.
pub(crate) fn rows(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            row(line).ok_or_else(|| format!("line {}: `{line}` is not a row of a log", index + 1))
        })
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let mut fields = line.split(',').map(str::trim);
    Some(Row {
        at_ms: fields.next()?.parse().ok()?,
        value: fields.next()?.parse().ok()?,
        op: match fields.next()? {
            "0" => Op::Read,
            "1" => Op::Write,
            "2" => Op::Trim,
            _ => return None,
        },
        len_bytes: fields.next().and_then(|field| field.parse().ok()),
        offset_bytes: fields.next().and_then(|field| field.parse().ok()),
    })
}

/// Reads the log of a kind (`bw`, `iops`, `clat`, `lat`) and a job, by its number from 1.
pub(crate) fn read(folder: &Path, kind: &str, job: u32) -> Result<Vec<Row>, TargetError> {
    let name = format!("{LOG_PREFIX}_{kind}.{job}.log");
    let failed = |what: String| TargetError::Failed(format!("fio's log {name}: {what}"));
    let text = fs::read_to_string(folder.join(&name)).map_err(|error| failed(error.to_string()))?;
    rows(&text).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::says;

    #[test]
    fn rows_of_other_versions_and_broken_ones() {
        let row = rows("200, 5, 1, 4096, 0, 7, 12345\n").unwrap()[0];
        assert_eq!((row.value, row.op), (5.0, Op::Write));
        assert_eq!((row.len_bytes, row.offset_bytes), (Some(4096), Some(0)));
        assert_eq!(rows("200, 5, 0\n").unwrap()[0].len_bytes, None);
        assert_eq!(rows("200, 5, 2, 0, 0\n").unwrap()[0].op, Op::Trim);
        says(rows("200, nonsense\n").unwrap_err(), "nonsense");
        assert!(rows("1, 2, 0\nx\n").unwrap_err().starts_with("line 2"));
        assert!(rows("1, 2, 3\n").is_err());
    }
}
