//! Latency over time from fio's log of histograms (`write_hist_log`; fio's HOWTO, "Log File
//! Formats").
//!
//! A row has `time, direction, block size` and a count for each bin: the requests completed since
//! the previous row. The last interval, cut short by the end of the job, has no row; its counts are
//! the difference to the histogram of the JSON document, which has the same bins.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use stend_load::IntervalLatency;
use stend_record::fio;

use crate::fio::job::LOG_PREFIX;
use stend_load::target::TargetError;

/// Bins per power of two (fio's `FIO_IO_U_PLAT_VAL`).
const BINS: u64 = 64;

/// Values, ns, and their counts.
pub(crate) type Counts = BTreeMap<u64, u64>;

/// One row of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Time, ms.
    pub(crate) at_ms: u64,
    /// Requests completed since the previous row.
    pub(crate) counts: Counts,
}

/// Reads the rows of reads and writes in the log of a job, by its number from 1; none if fio wrote
/// no such log.
pub(crate) fn read(folder: &Path, job: u32) -> Result<Vec<Row>, TargetError> {
    let name = format!("{LOG_PREFIX}_clat_hist.{job}.log");
    let failed = |what: String| TargetError::Failed(format!("fio's log {name}: {what}"));
    match fs::read_to_string(folder.join(&name)) {
        Ok(text) => rows(&text).map_err(failed),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Parses the rows of a log.
///
/// # Errors
/// The first line that is no row.
pub(crate) fn rows(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate();
    let rows = lines.filter(|(_, line)| !line.trim().is_empty());
    let rows = rows.map(|(index, line)| {
        row(line).ok_or_else(|| format!("line {} is not a row of histograms", index + 1))
    });
    rows.filter_map(Result::transpose).collect()
}

/// Parses a row: `Some(None)` for a TRIM; `None` if the line is no row.
fn row(line: &str) -> Option<Option<Row>> {
    let mut fields = line.split(',').map(str::trim);
    let mut number = || fields.next()?.parse::<u64>().ok();
    let (at_ms, direction, _block_bytes) = (number()?, number()?, number()?);
    let mut counts = Counts::new();
    for (bin, field) in (0..).zip(fields.filter(|field| !field.is_empty())) {
        // Most bins are empty.
        if field != "0" {
            counts.insert(value_of(bin)?, field.parse().ok()?);
        }
    }
    match direction {
        0 | 1 => Some(Some(Row { at_ms, counts })),
        2 => Some(None),
        _ => None,
    }
}

/// Value of a bin, its middle, ns; `None` if it exceeds 64 bits. As fio's `plat_idx_to_val`.
fn value_of(bin: u64) -> Option<u64> {
    if bin < 2 * BINS {
        return Some(bin);
    }
    let shift = u32::try_from(bin / BINS - 1).ok()?;
    let first = (BINS + bin % BINS).checked_mul(1_u64.checked_shl(shift)?)?;
    first.checked_add(1 << (shift - 1))
}

/// Latency of each of `count` intervals, summed over all jobs; `None` if fio does not report it.
/// `interval_of` maps a row's time to its interval.
pub(crate) fn by_interval<'a>(
    rows: impl Iterator<Item = &'a Row>,
    output: &fio::Output,
    count: usize,
    interval_of: impl Fn(u64) -> usize,
) -> Option<Vec<IntervalLatency>> {
    let mut intervals = vec![Counts::new(); count];
    let mut rest = totals(output)?;
    let mut logged = false;
    for row in rows {
        logged = true;
        let interval = &mut intervals[interval_of(row.at_ms)];
        for (value, count) in &row.counts {
            *interval.entry(*value).or_default() += count;
            let left = rest.entry(*value).or_default();
            *left = left.saturating_sub(*count);
        }
    }
    if !logged {
        return None;
    }
    // The keys of `rest` are those of all requests: counts of 0 are dropped only below.
    let top = *rest.keys().next_back()?;
    let last = intervals.last_mut()?;
    for (value, count) in rest.into_iter().filter(|(_, count)| *count > 0) {
        *last.entry(value).or_default() += count;
    }
    let latencies = output.jobs.iter().flat_map(|job| [&job.read, &job.write]);
    let max_ns = latencies.map(|d| d.clat_ns.max).max()?;
    let of = |counts: &Counts| summary(counts, (top, max_ns));
    Some(intervals.iter().map(of).collect())
}

/// Values and counts of all reads and writes; `None` if a job does not report them.
fn totals(output: &fio::Output) -> Option<Counts> {
    let mut all = Counts::new();
    let directions = output.jobs.iter().flat_map(|job| [&job.read, &job.write]);
    for direction in directions.filter(|direction| direction.clat_ns.n > 0) {
        for (value, count) in direction.clat_ns.bins.as_ref()? {
            *all.entry(value.parse().ok()?).or_default() += count;
        }
    }
    Some(all)
}

/// Percentiles by fio's rule: the first bin at which the count reaches the share. No value exceeds
/// the largest of all; the bin that contains the largest value is represented by it.
fn summary(counts: &Counts, (top, max_ns): (u64, u64)) -> IntervalLatency {
    let total: u64 = counts.values().sum();
    let at = |percent: u64| {
        let mut sum = 0;
        let mut found = counts.iter().filter(|(_, count)| {
            sum += **count;
            100 * sum >= percent * total
        });
        found.next().map_or(0, |(value, _)| *value.min(&max_ns))
    };
    IntervalLatency {
        p50_ns: at(50),
        p99_ns: at(99),
        max_ns: match counts.keys().next_back() {
            Some(value) if *value == top => max_ns,
            Some(value) => *value.min(&max_ns),
            None => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at_ms: u64, direction: u32, bins: &[(usize, u64)]) -> String {
        let mut counts = vec![0; 1856];
        bins.iter().for_each(|(bin, count)| counts[*bin] = *count);
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        format!("{at_ms}, {direction}, 4096, {}\n", counts.join(", "))
    }

    #[test]
    fn bins_stand_for_the_values_of_fio() {
        // Values as fio 3.33 prints them.
        let values = [0, 127, 128, 191, 192].map(value_of);
        assert_eq!(values, [0, 127, 129, 255, 258].map(Some));
        assert_eq!(value_of(1855), Some(17_112_760_320));
        assert_eq!(value_of(1 << 40), None);
    }

    #[test]
    fn what_no_row_has_is_of_the_last_interval() {
        let text = line(1_000, 1, &[(100, 99), (101, 1)])
            + &line(1_500, 2, &[(5, 5)])
            + &line(3_000, 1, &[(90, 1), (128, 1)]);
        let rows = rows(&text).unwrap();
        assert_eq!(rows.len(), 2);
        let bins = [("90", 1), ("100", 100), ("101", 1), ("129", 2)];
        let bins = bins.map(|(value, count)| (value.to_owned(), count));
        let mut job = fio::Job::default();
        job.write.clat_ns = fio::Latency {
            n: 104,
            max: 128,
            bins: Some(BTreeMap::from(bins)),
            ..fio::Latency::default()
        };
        let mut output = fio::Output {
            jobs: vec![job],
            ..fio::Output::default()
        };
        let of = |output: &fio::Output| {
            by_interval(rows.iter(), output, 4, |at_ms| at_ms as usize / 1_000 - 1)
        };
        let figures = |all: Vec<IntervalLatency>| {
            let of = |one: &IntervalLatency| (one.p50_ns, one.p99_ns, one.max_ns);
            all.iter().map(of).collect::<Vec<_>>()
        };
        // The middle of the last bin in fio, 129, exceeds the largest value.
        let wanted = [(100, 100, 101), (0, 0, 0), (90, 128, 128), (100, 128, 128)];
        assert_eq!(figures(of(&output).unwrap()), wanted);
        assert_eq!(by_interval([].iter(), &output, 4, |_| 0), None);
        output.jobs[0].write.clat_ns.bins = None;
        assert_eq!(of(&output), None);
    }

    #[test]
    fn broken_rows_are_told_by_their_line() {
        assert!(
            rows("1, 0, 4096, 0, 1\n1, 0\n")
                .unwrap_err()
                .starts_with("line 2")
        );
        assert!(rows("1, 3, 4096, 0\n").is_err());
        assert!(rows("1, 0, 4096, 0, x\n").is_err());
        assert!(rows(&line(1, 0, &[(1, u64::MAX)])).is_ok());
    }
}
