//! Samples over time from fio's bandwidth and IOPS logs.
//!
//! fio writes a row per interval, job and direction: the mean rate since the previous row, in whole
//! KiB/s or requests/s, over a time that it measures in whole milliseconds. Bytes are that rate
//! times the time, so the error of each row is about one part in [`Sample`]'s interval in
//! milliseconds, plus 1 KiB/s. Two things are missing: an interval without a completed request has
//! no row, and neither has the last interval, cut short by the end of the job. The former becomes a
//! row of zeros. The latter is recovered as the difference to the totals of the JSON document, if
//! that exceeds the rounding error; else the previous interval is extended to the end. The bytes of
//! all rows are scaled so that the last equals the totals exactly.

use std::collections::{BTreeMap, BTreeSet};

use stend_base::Op;
use stend_load::Sample;
use stend_record::fio;

use crate::fio::latency_log;
use crate::fio::log::Row;

/// Factor for the error that rounding can have caused. The difference to the totals counts as an
/// interval of its own if it, or an interval like the previous one, exceeds this multiple.
const TRUSTED_REST: f64 = 10.0;

/// Maximum time from the end of the jobs to a row, ms.
const LATE_MS: u64 = 3_600_000;

/// A job's logs.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobLogs {
    /// Bandwidth, KiB/s.
    pub(crate) bw: Vec<Row>,
    /// Requests per second.
    pub(crate) iops: Vec<Row>,
    /// Latencies.
    pub(crate) latency: Vec<latency_log::Row>,
}

/// One direction of all jobs over the intervals of the grid.
#[derive(Clone, Debug, Default)]
struct Curve {
    /// Requests per second, by interval.
    iops: Vec<f64>,
    /// Bytes by interval.
    bytes: Vec<f64>,
    /// Maximum error of the sum of `bytes` by rounding.
    error_bytes: f64,
    /// Work of the jobs without a row for the last interval, in the interval before it.
    unlogged: Option<UnloggedRest>,
}

#[derive(Clone, Copy, Debug, Default)]
struct UnloggedRest {
    iops: f64,
    bytes: f64,
}

/// Adds up the logs of all jobs, with timestamps as of `log_unix_epoch`.
pub(crate) fn add_up(logs: &[JobLogs], output: &fio::Output, sample_ms: u32) -> Vec<Sample> {
    let step_ms = u64::from(sample_ms);
    let start_ms = start_ms(logs, sample_ms).unwrap_or(0);
    let logged_ms = times_ms(logs).max().unwrap_or(start_ms) - start_ms;
    let end_ms = end_of_run(output, logged_ms, step_ms);
    // A remainder below a quarter of an interval does not count as an interval.
    let count = end_ms.saturating_add(step_ms * 3 / 4) / step_ms;
    let count = usize::try_from(count).unwrap_or(0);
    if end_ms == 0 {
        return Vec::new();
    }
    let count = count.max(1);
    let ends_s: Vec<f64> = (1..=count as u64)
        .map(|index| {
            (if index == count as u64 {
                end_ms
            } else {
                index * step_ms
            }) as f64
                / 1e3
        })
        .collect();
    let grid = Grid {
        start_ms,
        step_ms,
        count,
    };
    let curve = |op, total| {
        let mut curve = grid.curve(logs, op);
        if groups(output) > 1 {
            // The groups before the last also end without a row: the group to which the rest
            // belongs is unknown.
            curve.unlogged = None;
        }
        settle(curve, &ends_s, total)
    };
    let read = curve(Op::Read, totals(output, |job| &job.read));
    let write = curve(Op::Write, totals(output, |job| &job.write));
    let latencies = latency_log::by_interval(
        logs.iter().flat_map(|job| &job.latency),
        output,
        count,
        |at_ms| grid.interval_of(at_ms),
    );
    let mut samples = rows(&ends_s, &read, &write);
    for (sample, latency) in samples.iter_mut().zip(latencies.into_iter().flatten()) {
        sample.latency = Some(latency);
    }
    samples
}

/// Times of all rows of reads and writes.
fn times_ms(logs: &[JobLogs]) -> impl Iterator<Item = u64> {
    let rows = logs.iter().flat_map(|job| job.bw.iter().chain(&job.iops));
    rows.filter(|row| row.op != Op::Trim).map(|row| row.at_ms)
}

/// Start of the first interval, ms of the machine's clock; `None` without any row. Each job's clock
/// starts a whole interval before its first row.
pub(crate) fn start_ms(logs: &[JobLogs], sample_ms: u32) -> Option<u64> {
    let first_ms = times_ms(logs).min()?;
    Some(first_ms.saturating_sub(u64::from(sample_ms)))
}

fn groups(output: &fio::Output) -> usize {
    let ids: BTreeSet<u32> = output.jobs.iter().map(|job| job.groupid).collect();
    ids.len()
}

fn rows(ends_s: &[f64], read: &Curve, write: &Curve) -> Vec<Sample> {
    let (mut read_bytes, mut written_bytes) = (0.0, 0.0);
    ends_s
        .iter()
        .enumerate()
        .map(|(index, &t_s)| {
            read_bytes += read.bytes[index];
            written_bytes += write.bytes[index];
            Sample {
                t_s,
                read_iops: read.iops[index],
                write_iops: write.iops[index],
                written_bytes: f64::round(written_bytes) as u64,
                read_bytes: f64::round(read_bytes) as u64,
                latency: None,
            }
        })
        .collect()
}

/// Bytes and requests of one direction, over all jobs.
fn totals(output: &fio::Output, of: impl Fn(&fio::Job) -> &fio::Direction) -> (f64, f64) {
    output.jobs.iter().map(of).fold((0.0, 0.0), |sum, part| {
        (sum.0 + part.io_bytes as f64, sum.1 + part.total_ios as f64)
    })
}

/// End of the last job, ms after the start. For a single reporting group fio reports it. Groups run
/// one after the other with gaps that fio does not report; for these the end is searched within an
/// interval of the last row.
fn end_of_run(output: &fio::Output, logged_ms: u64, step_ms: u64) -> u64 {
    let mut by_group = BTreeMap::new();
    for job in &output.jobs {
        let runtime_ms = job.read.runtime.max(job.write.runtime);
        let longest = by_group.entry(job.groupid).or_insert(0);
        *longest = runtime_ms.max(*longest);
    }
    let sum_ms = by_group.into_values().reduce(u64::saturating_add);
    let sum_ms = sum_ms.unwrap_or(0);
    // Later rows have the time of a clock that was set meanwhile.
    let logged_ms = logged_ms.min(sum_ms.saturating_add(LATE_MS));
    if groups(output) == 1 {
        sum_ms.max(logged_ms)
    } else {
        sum_ms.clamp(logged_ms, logged_ms.saturating_add(step_ms))
    }
}

/// Intervals of equal length from the start on.
struct Grid {
    start_ms: u64,
    step_ms: u64,
    count: usize,
}

impl Grid {
    /// Returns the interval whose end is nearest to a row's time.
    fn interval_of(&self, t_ms: u64) -> usize {
        let after_ms = t_ms.saturating_sub(self.start_ms);
        let index = after_ms.saturating_add(self.step_ms / 2) / self.step_ms;
        (usize::try_from(index).unwrap_or(usize::MAX)).clamp(1, self.count) - 1
    }

    fn curve(&self, logs: &[JobLogs], op: Op) -> Curve {
        let mut curve = Curve {
            iops: vec![0.0; self.count],
            bytes: vec![0.0; self.count],
            error_bytes: 0.0,
            unlogged: None,
        };
        for job in logs {
            let (mut last_bytes, mut last_iops) = ((None, 0.0), 0.0);
            for row in job.iops.iter().filter(|row| row.op == op) {
                curve.iops[self.interval_of(row.at_ms)] += row.value;
                last_iops = row.value;
            }
            let mut previous_ms = None;
            for row in job.bw.iter().filter(|row| row.op == op) {
                let seconds = self.span_ms(previous_ms, row.at_ms) as f64 / 1e3;
                // The rate was cut to whole KiB/s: on average it lost half of one.
                let rate = (row.value + 0.5) * 1024.0;
                let interval = self.interval_of(row.at_ms);
                curve.bytes[interval] += rate * seconds;
                curve.error_bytes += rate * 1e-3 + 512.0 * seconds;
                previous_ms = Some(row.at_ms);
                last_bytes = (Some(interval), rate * seconds);
            }
            if last_bytes
                .0
                .is_none_or(|interval| interval + 2 == self.count)
            {
                let unlogged = curve.unlogged.get_or_insert_default();
                unlogged.bytes += last_bytes.1;
                unlogged.iops += last_iops;
            }
        }
        curve
    }

    /// Time that a row covers: since the previous row, or one interval after a gap.
    fn span_ms(&self, previous_ms: Option<u64>, t_ms: u64) -> u64 {
        match previous_ms.map(|previous_ms| t_ms.saturating_sub(previous_ms)) {
            Some(span_ms) if span_ms <= self.step_ms * 3 / 2 => span_ms,
            _ => self.step_ms,
        }
    }
}

/// Makes a curve end at the totals.
fn settle(mut curve: Curve, ends_s: &[f64], (total_bytes, total_ios): (f64, f64)) -> Curve {
    let last = ends_s.len() - 1;
    if total_bytes == 0.0 {
        curve.bytes.fill(0.0);
        return curve;
    }
    let rest = total_bytes - curve.bytes.iter().sum::<f64>();
    if let Some(before) = curve.unlogged {
        // A small rest is no interval if an interval like the previous one would have exceeded the
        // error.
        if rest.max(before.bytes) > TRUSTED_REST * curve.error_bytes {
            let rest = rest.max(0.0);
            let length_s = ends_s[last] - if last == 0 { 0.0 } else { ends_s[last - 1] };
            curve.bytes[last] += rest;
            curve.iops[last] += rest * total_ios / total_bytes / length_s;
        } else {
            curve.bytes[last] += before.bytes;
            curve.iops[last] += before.iops;
        }
    }
    let sum: f64 = curve.bytes.iter().sum();
    if sum > 0.0 {
        let scale = total_bytes / sum;
        curve.bytes.iter_mut().for_each(|bytes| *bytes *= scale);
    } else {
        curve.bytes[last] = total_bytes;
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(parts: &[(u32, u64, u64, u64)]) -> fio::Output {
        let jobs = parts
            .iter()
            .map(|&(groupid, runtime, io_bytes, total_ios)| fio::Job {
                groupid,
                write: fio::Direction {
                    runtime,
                    io_bytes,
                    total_ios,
                    ..fio::Direction::default()
                },
                ..fio::Job::default()
            });
        fio::Output {
            jobs: jobs.collect(),
            ..fio::Output::default()
        }
    }

    fn row(at_ms: u64, value: u64) -> Row {
        Row {
            at_ms,
            value: value as f64,
            op: Op::Write,
            len_bytes: None,
            offset_bytes: None,
        }
    }

    /// Rows of 4 KiB writes at the given rates, one per second from 1,000,000 ms on.
    fn logs(iops: &[u64]) -> JobLogs {
        let mut logs = JobLogs::default();
        for (index, iops) in iops.iter().enumerate().filter(|(_, iops)| **iops > 0) {
            let at_ms = 1_001_000 + index as u64 * 1000;
            logs.iops.push(row(at_ms, *iops));
            logs.bw.push(row(at_ms, iops * 4));
        }
        logs
    }

    fn close(a: f64, b: f64, share: f64) -> bool {
        (a - b).abs() <= share * b
    }

    #[test]
    fn the_last_interval_is_the_rest_to_the_totals() {
        let output = output(&[(0, 4001, 4096 * 1000, 1000)]);
        let rows = add_up(&[logs(&[400, 300, 200])], &output, 1000);
        assert_eq!(rows.len(), 4);
        let t: Vec<f64> = rows.iter().map(|row| row.t_s).collect();
        assert_eq!(t, [1.0, 2.0, 3.0, 4.001]);
        assert_eq!(rows[0].write_iops, 400.0);
        assert!(close(rows[3].write_iops, 100.0, 0.03), "{rows:?}");
        assert!(close(rows[1].written_bytes as f64, 4096.0 * 700.0, 0.002));
        assert_eq!(rows[3].written_bytes, 4096 * 1000);
        assert!(
            rows.iter()
                .all(|row| row.read_bytes == 0 && row.read_iops == 0.0)
        );
    }

    #[test]
    fn a_standstill_at_the_end_is_no_interval_as_before() {
        for rest in [0, 1, 3] {
            let output = output(&[(0, 4000, 4096 * (1200 + rest), 1200 + rest)]);
            let rows = add_up(&[logs(&[400, 400, 400])], &output, 1000);
            assert_eq!(rows.len(), 4);
            assert!(rows[3].write_iops <= rest as f64, "{rows:?}");
            assert_eq!(rows[3].written_bytes, 4096 * (1200 + rest));
        }
    }

    #[test]
    fn a_long_log_ends_as_it_went_before() {
        let mut rates = vec![1000; 3599];
        rates[3598] = 800;
        let total = 4096 * (3598 * 1000 + 800 + 3);
        let output = output(&[(0, 3_600_000, total, total / 4096)]);
        let rows = add_up(&[logs(&rates)], &output, 1000);
        assert_eq!(rows.len(), 3600);
        assert_eq!(rows[3599].write_iops, 800.0);
        assert_eq!(rows[3599].written_bytes, total);
    }

    #[test]
    fn a_clock_that_is_set_meanwhile_makes_no_endless_curve() {
        let mut logs = logs(&[10, 10, 10]);
        // The clock is set from 1970 to the present.
        logs.iops[2].at_ms += 1_700_000_000_000;
        let samples = add_up(&[logs], &output(&[(0, 3000, 30 * 4096, 30)]), 1000);
        assert!(samples.len() <= 3604, "{}", samples.len());
    }

    #[test]
    fn a_standstill_is_rows_of_zeros() {
        let output = output(&[(0, 6000, 4096 * 500, 500)]);
        let rows = add_up(&[logs(&[100, 0, 0, 200, 100])], &output, 1000);
        let iops: Vec<f64> = rows.iter().map(|row| row.write_iops).collect();
        assert_eq!(iops[..5], [100.0, 0.0, 0.0, 200.0, 100.0]);
        assert!(close(iops[5], 100.0, 0.03), "{iops:?}");
        assert_eq!(rows[1].written_bytes, rows[2].written_bytes);
    }

    #[test]
    fn jobs_add_up_also_when_one_logs_its_last_interval() {
        let output = output(&[(0, 3000, 4096 * 600, 600), (0, 3000, 4096 * 300, 300)]);
        let rows = add_up(&[logs(&[200, 200, 200]), logs(&[100, 100])], &output, 1000);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[1].write_iops, 300.0);
        assert!(close(rows[2].write_iops, 300.0, 0.03), "{rows:?}");
        assert_eq!(rows[2].written_bytes, 4096 * 900);
    }

    #[test]
    fn groups_one_after_the_other_share_one_clock() {
        let second = JobLogs {
            bw: vec![row(1_011_000, 400)],
            iops: vec![row(1_011_000, 100)],
            ..JobLogs::default()
        };
        let output = output(&[(0, 2000, 4096 * 200, 200), (1, 2000, 4096 * 200, 200)]);
        let rows = add_up(&[logs(&[100]), second], &output, 1000);
        assert_eq!(rows[10].write_iops, 100.0, "{rows:?}");
        assert_eq!(rows.last().unwrap().written_bytes, 4096 * 400);
    }

    #[test]
    fn a_job_shorter_than_an_interval_and_one_without_requests() {
        let short = add_up(
            &[JobLogs::default()],
            &output(&[(0, 400, 4096 * 40, 40)]),
            500,
        );
        assert_eq!(short.len(), 1);
        assert!(close(short[0].write_iops, 100.0, 1e-9), "{short:?}");
        assert_eq!(short[0].t_s, 0.4);
        let none = add_up(&[JobLogs::default()], &output(&[(0, 0, 0, 0)]), 500);
        assert!(none.is_empty());
    }
}
