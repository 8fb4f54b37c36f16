//! Replays a trace with fio (`read_iolog`), and computes busy time from fio's latency log.
//!
//! Abilities and limits of fio 3.33, as tested; the report prints them with the figures:
//!
//! - It cannot replay TRIM, and an iolog cannot express FUA. Flushes are sent; their latencies are
//!   in no log.
//! - Its latency log has each request's latency in ns, and its end in whole ms. Therefore the issue
//!   time of a request is estimated: not before the issue of the previous request; not before the
//!   queue had a free place; no earlier and no later than its end and latency allow; within these
//!   bounds, at the same distance from the previous request as in the trace.
//! - It counts a wait from the previous issue, so that lost time is not made up.
//! - With `iodepth_batch_complete_min=0` it checks for completions at every issue. Without it, fio
//!   ends before it has counted the last ones, and their bytes are missing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use stend_base::{Nanos, Op};
use stend_language::{Text, recorded};
use stend_load::trace::unwritten::{PAGE_BYTES, unwritten_reads};
use stend_load::trace::{
    Lateness, ReplayOptions, Replayed, Timing, Trace, fit, fit_sectors, iolog,
};
use stend_record::review::TargetKind;

use crate::fio::job::{Engine, LOG_PREFIX};
use crate::fio::log::{self, Row};
use crate::probe::file::data_ranges;
use crate::safety::opened_target::Opened;
use stend_load::target::{ReplayOutcome, TargetError, failed, input};

/// Resolution of the ends of requests in fio's log, ns.
const LOG_NS: i64 = 1_000_000;

/// Name of the iolog in the run's folder.
const IOLOG: &str = "trace.log";

/// A read or write that fio received.
#[derive(Clone, Copy, Debug)]
struct IssuedRequest {
    /// Time at which it was due, ns from the beginning.
    due_ns: i64,
    op: Op,
    offset_bytes: u64,
    len_bytes: u64,
}

/// Requests that fio received.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    given: Vec<IssuedRequest>,
    flushes: u64,
    trims: u64,
    fua: u64,
    /// Requests widened to whole sectors of the target that are larger than the usual ones.
    widened: u64,
}

/// Space of a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    /// Bytes under test.
    pub(crate) size_bytes: u64,
    /// Size of its sectors, bytes.
    pub(crate) sector_bytes: u64,
}

/// Writes the trace for fio into its folder, for a target of the given name and space.
pub(crate) fn prepare(
    trace: &dyn Trace,
    options: &ReplayOptions,
    folder: &Path,
    target: &str,
    space: Space,
) -> Result<Prepared, TargetError> {
    let failed = failed::<std::io::Error>(folder, "the trace for fio cannot be written");
    let file = File::create(folder.join(IOLOG)).map_err(&failed)?;
    let mut writer = iolog::Writer::new(BufWriter::new(file), target).map_err(&failed)?;
    let mut prepared = Prepared::default();
    let mut last_ns = 0;
    for request in trace.requests().map_err(input)? {
        let request = request.map_err(input)?;
        let wrong = |what| input(request.error(trace, what));
        let usual = fit(request, space.size_bytes, options.fit).map_err(wrong)?;
        let space = (space.size_bytes, space.sector_bytes);
        let request = fit_sectors(usual, space, options.fit).map_err(wrong)?;
        let changed =
            (request.offset_bytes, request.len_bytes) != (usual.offset_bytes, usual.len_bytes);
        prepared.widened += u64::from(changed);
        last_ns = request.at.0.max(last_ns);
        match request.op {
            Op::Trim => {
                prepared.trims += 1;
                continue;
            }
            Op::Flush => prepared.flushes += 1,
            Op::Read | Op::Write => prepared.given.push(IssuedRequest {
                due_ns: last_ns.cast_signed(),
                op: request.op,
                offset_bytes: request.offset_bytes,
                len_bytes: request.len_bytes,
            }),
        }
        if request.len_bytes >= 1 << 31 {
            let what = "fio takes less than 2 GiB at once".to_owned();
            return Err(input(request.error(trace, what)));
        }
        prepared.fua += u64::from(request.fua);
        writer.add(&request).map_err(&failed)?;
    }
    writer.finish().map_err(&failed)?;
    if prepared.given.is_empty() {
        let what = "there is no read or write in it, and fio replays nothing else alone";
        return Err(input(format_args!("{}: {what}", trace.name())));
    }
    Ok(prepared)
}

/// Job file for fio.
pub(crate) fn job(engine: Engine, options: &ReplayOptions, folder: &Path) -> String {
    format!(
        "[replay]\nallow_file_create=0\nioengine={}\ndirect=1\nthread\niodepth={}\n\
         iodepth_batch_complete_min=0\nread_iolog={}\nreplay_no_stall={}\n\
         write_lat_log={LOG_PREFIX}\nlog_offset=1\n",
        engine.name(),
        options.depth,
        folder.join(IOLOG).display(),
        u8::from(options.timing == Timing::Fast),
    )
}

/// A completed read or write, from fio's latency log.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EndedRequest {
    end_ms: i64,
    latency_ns: i64,
    op: Op,
    len_bytes: u64,
    offset_bytes: u64,
}

impl EndedRequest {
    fn of(row: &Row) -> Result<EndedRequest, String> {
        match *row {
            Row {
                op: op @ (Op::Read | Op::Write),
                len_bytes: Some(len_bytes),
                offset_bytes: Some(offset_bytes),
                ..
            } => Ok(EndedRequest {
                end_ms: row.at_ms.cast_signed(),
                latency_ns: row.value as i64,
                op,
                len_bytes,
                offset_bytes,
            }),
            _ => Err(format!(
                "fio's latency log has a row of no read or write: {row:?}"
            )),
        }
    }
}

/// Computes the outcome from fio's log in its folder.
pub(crate) fn outcome(
    prepared: &Prepared,
    options: &ReplayOptions,
    engine: Engine,
    folder: &Path,
) -> Result<ReplayOutcome, TargetError> {
    let rows = log::read(folder, "lat", 1)?;
    let rows: Vec<EndedRequest> = rows
        .iter()
        .map(EndedRequest::of)
        .collect::<Result<_, String>>()
        .map_err(TargetError::Failed)?;
    let depth = if engine == Engine::Psync {
        1
    } else {
        options.depth
    };
    let (ended, missing) = matched(&prepared.given, &rows).map_err(TargetError::Failed)?;
    Ok(ReplayOutcome {
        replayed: estimate(&ended, depth as usize, options.timing, prepared.flushes),
        limits: limits(prepared, depth, options, missing),
        ..ReplayOutcome::default()
    })
}

/// Reads of space in the file that was never written; `None` for a device, which does not report
/// it.
pub(crate) fn unwritten(
    trace: &dyn Trace,
    options: &ReplayOptions,
    opened: &Opened,
) -> Result<Option<u64>, TargetError> {
    if opened.kind == TargetKind::BlockDevice {
        return Ok(None);
    }
    // A file system that does not report holes reports the whole file as data.
    let ranges = data_ranges(&opened.handle).map_err(failed(
        &opened.path,
        "its data cannot be told from its holes",
    ))?;
    let was_written = |page: u64| {
        let at = page * PAGE_BYTES;
        let before = ranges.partition_point(|range| range.start <= at);
        before > 0 && at < ranges[before - 1].end
    };
    let fits = (opened.size_bytes, options.fit);
    unwritten_reads(trace, fits, &was_written)
        .map(Some)
        .map_err(input)
}

fn limits(prepared: &Prepared, depth: u32, options: &ReplayOptions, missing: usize) -> Vec<Text> {
    let mut limits = vec![recorded!("limit-whole-ms")];
    let counts = [
        ("limit-trims", prepared.trims),
        ("limit-fua", prepared.fua),
        ("limit-flushes", prepared.flushes),
        ("limit-missing", missing as u64),
        ("limit-widened", prepared.widened),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    limits.extend(counts.map(|(id, count)| recorded!(id, count = count)));
    if depth < options.depth {
        limits.push(recorded!("limit-depth"));
    }
    limits
}

/// Completed requests in the order of issue, and the number of requests without a row.
type Matched = (Vec<(IssuedRequest, EndedRequest)>, usize);

fn matched(given: &[IssuedRequest], rows: &[EndedRequest]) -> Result<Matched, String> {
    let mut by_range: BTreeMap<(bool, u64, u64), VecDeque<usize>> = BTreeMap::new();
    for (index, request) in given.iter().enumerate() {
        let key = (
            request.op == Op::Write,
            request.offset_bytes,
            request.len_bytes,
        );
        by_range.entry(key).or_default().push_back(index);
    }
    let mut found: Vec<Option<EndedRequest>> = vec![None; given.len()];
    for row in rows {
        let key = (row.op == Op::Write, row.offset_bytes, row.len_bytes);
        let index = by_range.get_mut(&key).and_then(VecDeque::pop_front);
        let index = index.ok_or_else(|| {
            format!("fio's latency log has a request that is not in the trace: {row:?}")
        })?;
        found[index] = Some(*row);
    }
    let ended: Vec<(IssuedRequest, EndedRequest)> = given
        .iter()
        .zip(&found)
        .filter_map(|(given, row)| Some((*given, (*row)?)))
        .collect();
    let missing = given.len() - ended.len();
    Ok((ended, missing))
}

/// Estimates the issue time of each request, and the figures that follow from it.
fn estimate(
    ended: &[(IssuedRequest, EndedRequest)],
    depth: usize,
    timing: Timing,
    flushes: u64,
) -> Replayed {
    let mut replayed = Replayed::default();
    replayed.ops[3].requests = flushes;
    let mut lateness = Lateness::default();
    let mut outstanding: BinaryHeap<Reverse<i64>> = BinaryHeap::new();
    let (mut busy_ns, mut busy_until, mut last_end) = (0i64, i64::MIN, 0i64);
    let mut before: Option<(i64, i64)> = None;
    let mut origin = 0;
    for (given, row) in ended {
        let earliest = row.end_ms * LOG_NS - row.latency_ns;
        let mut at = match before {
            None => earliest,
            Some((issued, _)) if timing == Timing::Fast => issued,
            Some((issued, due)) => issued + (given.due_ns - due),
        };
        while outstanding.peek().is_some_and(|end| end.0 <= at) {
            outstanding.pop();
        }
        while outstanding.len() >= depth {
            at = at.max(outstanding.pop().map_or(at, |end| end.0));
        }
        at = at.clamp(earliest, earliest + LOG_NS);
        at = at.max(before.map_or(i64::MIN, |(issued, _)| issued));
        if before.is_none() {
            origin = match timing {
                Timing::Fast => at,
                _ => at - given.due_ns,
            };
        }
        before = Some((at, given.due_ns));
        let end = at + row.latency_ns;
        outstanding.push(Reverse(end));
        if at > busy_until {
            replayed.busy_periods += 1;
        }
        busy_ns += (end - at.max(busy_until).min(end)).max(0);
        busy_until = busy_until.max(end);
        last_end = last_end.max(end);
        if timing != Timing::Fast {
            lateness.record((at - origin - given.due_ns).max(0).cast_unsigned());
        }
        let op = &mut replayed.ops[usize::from(given.op == Op::Write)];
        op.requests += 1;
        op.bytes += given.len_bytes;
        op.latency.record(row.latency_ns.cast_unsigned());
    }
    // The log's clock has whole ms, so that the first request may begin before its zero.
    replayed.elapsed = Nanos((last_end - origin.min(0)).max(0).cast_unsigned());
    replayed.busy = Nanos(busy_ns.cast_unsigned());
    replayed.lateness = (timing != Timing::Fast).then_some(lateness);
    replayed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::says;

    const US: i64 = 1000;

    /// Requests of (due, issued, latency), all in µs, in the form of fio's log.
    fn logged(requests: &[(i64, i64, i64)]) -> Vec<(IssuedRequest, EndedRequest)> {
        let pair = |&(due, issued, latency): &(i64, i64, i64)| {
            let given = IssuedRequest {
                due_ns: due * US,
                op: Op::Read,
                offset_bytes: 0,
                len_bytes: 4096,
            };
            let row = EndedRequest {
                end_ms: (issued + latency) / 1000,
                latency_ns: latency * US,
                op: Op::Read,
                len_bytes: 4096,
                offset_bytes: 0,
            };
            (given, row)
        };
        requests.iter().map(pair).collect()
    }

    #[test]
    fn requests_one_after_the_other_within_a_ms_are_not_piled_up() {
        let each: Vec<_> = (0..8).map(|k| (k * 110, k * 110, 100)).collect();
        for (depth, timing) in [(256, Timing::Original), (1, Timing::Fast)] {
            let replayed = estimate(&logged(&each), depth, timing, 0);
            assert_eq!(replayed.busy, Nanos(800_000), "{timing:?}");
        }
        let piled = estimate(&logged(&each), 4, Timing::Fast, 0);
        assert_eq!(piled.busy, Nanos(200_000), "four at a time");
    }

    #[test]
    fn busy_time_is_part_of_the_elapsed_time() {
        for timing in [Timing::Original, Timing::Fast] {
            // fio's log has both ends at 0 ms.
            let both = [(0, 0, 400), (410, 410, 500)];
            let replayed = estimate(&logged(&both), 256, timing, 0);
            assert!(replayed.busy <= replayed.elapsed, "{replayed:?}");
            assert!(replayed.busy >= Nanos(500_000), "{replayed:?}");
            let one = estimate(&logged(&[(0, 0, 500)]), 8, timing, 0);
            assert_eq!((one.elapsed, one.busy), (Nanos(500_000), Nanos(500_000)));
        }
    }

    #[test]
    fn idle_is_not_busy_and_overlap_counts_once() {
        // 0-10 ms, which includes 2-5 ms, and 100-103 ms.
        let of = [
            (0, 0, 10_000),
            (2_000, 2_000, 3_000),
            (100_000, 100_000, 3_000),
        ];
        let replayed = estimate(&logged(&of), 256, Timing::Original, 2);
        assert_eq!(replayed.busy, Nanos(13_000_000));
        assert_eq!(replayed.busy_periods, 2);
        assert_eq!(replayed.elapsed, Nanos(103_000_000));
        assert_eq!(replayed.ops[3].requests, 2);
        assert_eq!(replayed.lateness.unwrap().max_ns, 0);
    }

    #[test]
    fn what_the_log_rules_out_is_not_estimated() {
        // The second is due 1 ms after the first, and is issued 50 ms after it.
        let replayed = estimate(
            &logged(&[(0, 0, 500), (1_000, 50_000, 500)]),
            256,
            Timing::Original,
            0,
        );
        let late = replayed.lateness.unwrap().max_ns;
        assert!((48_000_000..=49_500_000).contains(&late), "{late}");
        assert_eq!(replayed.busy, Nanos(1_000_000));
    }

    #[test]
    fn rows_find_their_requests() {
        let given = logged(&[(0, 0, 1), (5, 5, 1)]);
        let all: Vec<IssuedRequest> = given.iter().map(|pair| pair.0).collect();
        let (ended, missing) = matched(&all, &[given[0].1]).unwrap();
        assert_eq!((ended.len(), missing), (1, 1));
        assert_eq!(ended[0].0.due_ns, 0);
        let other = EndedRequest {
            op: Op::Write,
            ..given[0].1
        };
        says(matched(&all, &[other]).unwrap_err(), "not in the trace");
        let row = |text: &str| EndedRequest::of(&log::rows(text).unwrap()[0]);
        let known = row("5, 882, 1, 4096, 716800, 0").unwrap();
        assert_eq!((known.latency_ns, known.offset_bytes), (882, 716_800));
        assert!(row("5, 882, 2, 4096, 716800, 0").is_err());
        assert!(row("5, 882, 1, 4096").is_err());
    }
}
