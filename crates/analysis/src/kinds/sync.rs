//! Durable writes: sentences and key figures.

use stend_language::{message, text};
use stend_record::figure::{DurableLoad, FigureId};
use stend_record::latency::supports;
use stend_record::load::PointOp;
use stend_record::review::{
    Durability, SyncInterval, SyncMethod, SyncPoint, SyncStream, TestResult,
};

use super::{Kind, Named};
use crate::figures::Unit;
use crate::words::{self, capitalised};

/// Returns the points of a test if all have streams; empty for any other test.
pub fn sync_points_of(test: &TestResult) -> &[SyncPoint] {
    let points = test.sync();
    match points.iter().all(|point| !point.streams.is_empty()) {
        true => points,
        false => &[],
    }
}

/// The analysis of durable writes.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(sync_points_of(test)),
    lines: |test| sync_points_of(test).iter().map(lines).collect(),
    key_figures: |test| sync_points_of(test).iter().map(key_figure).collect(),
};

/// Greatest ratio of the times of a durable write and a plain one with power-loss protection.
const PROTECTED_RATIO_MAX: f64 = 2.0;

/// Least ratio without power-loss protection.
const UNPROTECTED_RATIO_MIN: f64 = 3.0;

/// A write that ends sooner has not waited for flash, ns: less than the program time of common
/// NAND, including SLC mode.
const PROGRAM_NS: f64 = 200_000.0;

/// Below this ratio, figures count as unchanged.
const TENTH_RATIO: f64 = 1.1;

/// Returns the stream that a point is about.
fn main_of(point: &SyncPoint) -> &SyncStream {
    &point.streams[0]
}

/// Describes a point for people.
pub fn point_words(point: &SyncPoint) -> String {
    streams_words(&streams(point))
}

/// Describes the streams of a point for people.
pub(super) fn streams_words(streams: &[DurableLoad]) -> String {
    match streams {
        [] => String::new(),
        [only] => durable_words(only),
        [main, beside, ..] => text!(
            "sync-beside-words",
            stream = durable_words(main),
            other = durable_words(beside)
        ),
    }
}

/// Returns the load of each stream of a point.
fn streams(point: &SyncPoint) -> Vec<DurableLoad> {
    point.streams.iter().map(durable_load).collect()
}

fn durable_load(stream: &SyncStream) -> DurableLoad {
    DurableLoad {
        load: stream.load.without_region(),
        durability: stream.durability,
    }
}

/// Describes a stream for people: `random write, 4 KiB, O_DSYNC`.
pub fn stream_words(stream: &SyncStream) -> String {
    durable_words(&durable_load(stream))
}

fn durable_words(DurableLoad { load, durability }: &DurableLoad) -> String {
    let sync = sync_key(durability.sync);
    let durability = match durability.every {
        None => text!("sync-durability", sync = sync),
        Some(every) => text!("sync-durability-every", sync = sync, every = every),
    };
    text!(
        "sync-stream",
        pattern = load.pattern.words(),
        op = load.op.words(),
        share = load.read_percent,
        block = words::block(load.block_bytes),
        threads = load.threads,
        durability = durability
    )
}

/// Returns the key of a sync method by which messages choose their text.
fn sync_key(sync: SyncMethod) -> &'static str {
    match sync {
        SyncMethod::None => "none",
        SyncMethod::Dsync => "dsync",
        SyncMethod::Fsync => "fsync",
        SyncMethod::Fdatasync => "fdatasync",
    }
}

/// True if two points have the same streams, on any targets.
pub fn is_same(point: &SyncPoint, other: &SyncPoint) -> bool {
    streams(point) == streams(other)
}

/// Formats a point as lines for a terminal, one for each stream.
fn lines(point: &SyncPoint) -> String {
    let line = |(nth, stream): (usize, &SyncStream)| {
        let writes = words::fixed(stream.writes_per_s, 0);
        let mut text = match nth {
            0 => {
                "  ".to_owned()
                    + &text!("sync-line", stream = stream_words(stream), writes = writes)
            }
            _ => {
                let id = "sync-line-beside";
                "    ".to_owned() + &text!(id, stream = stream_words(stream), writes = writes)
            }
        };
        if stream.durability.sync.flushes() {
            let flushes = words::fixed(stream.commits_per_s, 0);
            text += &format!(", {}", text!("sync-line-flushes", flushes = flushes));
        }
        for (name, latency) in [
            ("read", &stream.read_latency_ns),
            ("write", &stream.write_latency_ns),
            ("flush", &stream.sync_latency_ns),
        ] {
            if let Some(latency) = latency {
                let told = text!(
                    "sync-line-latency",
                    of = name,
                    mean = words::fixed(latency.mean / 1e3, 1),
                    tail = words::us(latency.supported(99.9)),
                    max = words::us(Some(latency.max))
                );
                text += &format!("; {told}");
            }
        }
        text + "\n"
    };
    point.streams.iter().enumerate().map(line).collect()
}

fn sentences(points: &[SyncPoint]) -> Vec<String> {
    let mut out: Vec<String> = commits(points).into_iter().collect();
    out.extend(sizes(points));
    out.extend(threads(points));
    out.extend(flush_intervals(points));
    out.extend(points.iter().filter_map(|point| beside(points, point)));
    out.extend(points.iter().filter_map(over_time));
    out.extend(protection(points));
    out
}

/// Returns the points of durable writes without other streams.
fn durable(points: &[SyncPoint]) -> impl Iterator<Item = &SyncPoint> {
    let durable = |point: &&SyncPoint| {
        point.streams.len() == 1 && main_of(point).durability.sync != SyncMethod::None
    };
    points.iter().filter(durable)
}

/// Reports the commits a second of the first such point, and their latency.
fn commits(points: &[SyncPoint]) -> Option<String> {
    let stream = main_of(durable(points).next()?);
    let latency = stream.commit_latency_ns()?;
    let key = |holds: bool| if holds { "yes" } else { "no" };
    let tail = latency.tail(99.9);
    let (percent, within) = tail.unwrap_or_default();
    Some(text!(
        "sync-commits",
        stream = capitalised(&stream_words(stream)),
        mixed = key(stream.load.op == PointOp::Mixed),
        reads = words::number(stream.iops - stream.writes_per_s),
        commits = words::number(stream.commits_per_s),
        mean = words::latency(latency.mean),
        tail = key(tail.is_some()),
        percent = percent,
        within = words::latency(within as f64),
        slowest = words::latency(latency.max as f64)
    ))
}

/// Compares points like the first, with other sizes.
fn sizes(points: &[SyncPoint]) -> Option<String> {
    let first = main_of(durable(points).next()?);
    let alike = |stream: &&SyncStream| {
        let of_size = stend_record::load::Load {
            block_bytes: first.load.block_bytes,
            ..stream.load
        };
        of_size == first.load
            && stream.durability == first.durability
            && stream.load.block_bytes != first.load.block_bytes
    };
    let items = durable(points).map(main_of).filter(alike).map(|stream| {
        let size = words::block(stream.load.block_bytes);
        let commits = words::number(stream.commits_per_s);
        text!("sync-commits-of-size", commits = commits, size = size)
    });
    let items: Vec<String> = items.collect();
    (!items.is_empty()).then(|| text!("sync-sizes", sizes = words::list(&items)))
}

/// Reports the gain from more threads.
fn threads(points: &[SyncPoint]) -> Option<String> {
    let first = main_of(durable(points).next()?);
    let mut alike: Vec<&SyncStream> = durable(points)
        .map(main_of)
        .filter(|stream| {
            let of_threads = stend_record::load::Load {
                threads: first.load.threads,
                ..stream.load
            };
            of_threads == first.load && stream.durability == first.durability
        })
        .collect();
    alike.sort_by_key(|stream| stream.load.threads);
    let [few, .., many] = alike[..] else {
        return None;
    };
    if few.commits_per_s <= 0.0 {
        return None;
    }
    let gain = many.commits_per_s / few.commits_per_s;
    let mut arguments = vec![
        ("many", many.load.threads.into()),
        ("few", few.load.threads.into()),
        ("many_commits", words::number(many.commits_per_s).into()),
        ("few_commits", words::number(few.commits_per_s).into()),
    ];
    let id = if gain >= TENTH_RATIO {
        arguments.push(("times", words::times(gain).into()));
        "sync-threads-gain"
    } else if gain > 1.0 / TENTH_RATIO {
        "sync-threads-level"
    } else {
        arguments.push(("share", words::percent(gain).into()));
        "sync-threads-lose"
    };
    Some(message(id, &arguments))
}

/// Reports the gain from fewer flushes, for each flush method.
fn flush_intervals(points: &[SyncPoint]) -> Vec<String> {
    let mut out = Vec::new();
    for sync in [SyncMethod::Fsync, SyncMethod::Fdatasync] {
        let of = durable(points).map(main_of);
        let mut of: Vec<&SyncStream> = of.filter(|s| s.durability.sync == sync).collect();
        of.sort_by_key(|stream| stream.durability.every);
        let [often, .., rare] = of[..] else {
            continue;
        };
        let (Some(from), Some(to)) = (often.durability.every, rare.durability.every) else {
            continue;
        };
        let same_load = often.load.without_region() == rare.load.without_region();
        if from == to || !same_load || often.writes_per_s <= 0.0 {
            continue;
        }
        let gain = rare.writes_per_s / often.writes_per_s;
        out.push(text!(
            "sync-intervals",
            sync = sync_key(sync),
            to = to,
            times = words::times(gain),
            from = from,
            rare = words::number(rare.writes_per_s),
            often = words::number(often.writes_per_s)
        ));
    }
    out
}

/// Reports the cost of other writes at the same time.
fn beside(points: &[SyncPoint], point: &SyncPoint) -> Option<String> {
    let (main, other) = (main_of(point), point.streams.get(1)?);
    let alone = durable(points).map(main_of).find(|alone| {
        let same = alone.load.without_region() == main.load.without_region();
        same && alone.durability == main.durability
    })?;
    let (slow, fast) = (main.commit_latency_ns()?, alone.commit_latency_ns()?);
    let tails = slow
        .tail(99.9)
        .and_then(|(percent, slow_ns)| Some((percent, slow_ns, fast.supported(percent)?)));
    let share = words::percent(main.commits_per_s / alone.commits_per_s);
    let mut arguments = vec![
        ("other", stream_words(other).into()),
        ("other_writes", words::number(other.writes_per_s).into()),
        ("share", share.into()),
        ("beside", words::number(main.commits_per_s).into()),
        ("alone", words::number(alone.commits_per_s).into()),
    ];
    let id = match tails {
        Some((percent, slow_ns, fast_ns)) => {
            let [slow, fast] = [slow_ns, fast_ns].map(|ns| words::latency(ns as f64));
            arguments.push(("percent", percent.into()));
            arguments.extend([("slow", slow.into()), ("fast", fast.into())]);
            "sync-beside-tails"
        }
        None => "sync-beside",
    };
    Some(message(id, &arguments))
}

/// Reports the spread of a point's latency over its intervals.
fn over_time(point: &SyncPoint) -> Option<String> {
    let interval_s = point.interval_s?;
    let ends = |of: fn(&SyncInterval) -> Option<u64>| {
        let values = || point.intervals.iter().filter_map(of);
        Some((values().min()? as f64, values().max()? as f64))
    };
    let every = f64::from(main_of(point).durability.every.unwrap_or(1));
    let commits = point.intervals.iter().map(|i| i.writes_per_s / every);
    let fewest = commits.fold(f64::INFINITY, f64::min) * interval_s;
    let enough = supports(fewest as u64, 99.9);
    let tail = |name: &str, p99_9: (f64, f64), slowest: f64| {
        let slowest = words::latency(slowest);
        match enough {
            true => text!(
                "sync-tail-within",
                of = name,
                least = words::latency(p99_9.0),
                most = words::latency(p99_9.1),
                slowest = slowest
            ),
            false => text!("sync-tail-slowest", of = name, slowest = slowest),
        }
    };
    let commits = tail(
        match main_of(point).durability.sync {
            SyncMethod::None => "writes",
            _ => "commits",
        },
        ends(|i| Some(i.write_p99_9_ns))?,
        ends(|i| Some(i.write_max_ns))?.1,
    );
    let reads = ends(|i| i.read_p99_9_ns).zip(ends(|i| i.read_max_ns));
    let reads = reads.map(|(p99_9, slowest)| tail("reads", p99_9, slowest.1));
    let tails: Vec<String> = std::iter::once(commits).chain(reads).collect();
    let beside = match point.streams.len() {
        1 => "no",
        _ => "yes",
    };
    Some(text!(
        "sync-over-time",
        beside = beside,
        count = point.intervals.len(),
        time = words::time(interval_s),
        tails = tails.join("; ")
    ))
}

/// Reports the cost of a durable write, and if the drive behaves as if its buffer were protected.
fn protection(points: &[SyncPoint]) -> Option<String> {
    let alone = |sync: SyncMethod| {
        let durability = Durability { sync, every: None };
        points
            .iter()
            .map(move |p| (p.streams.len(), main_of(p)))
            .filter_map(move |(streams, main)| {
                let one = streams == 1 && main.load.threads == 1 && main.load.op == PointOp::Write;
                (one && main.durability == durability).then_some(main)
            })
    };
    let (plain, dsync) = alone(SyncMethod::None).find_map(|plain| {
        let same = |dsync: &&SyncStream| dsync.load == plain.load;
        Some((plain, alone(SyncMethod::Dsync).find(same)?))
    })?;
    let plain_ns = plain.write_latency_ns.as_ref()?.mean;
    let dsync_ns = dsync.write_latency_ns.as_ref()?.mean;
    let ratio = dsync_ns / plain_ns;
    let [dsync, plain] = [dsync_ns, plain_ns].map(words::latency);
    let cost = match ratio < TENTH_RATIO && ratio > 1.0 / TENTH_RATIO {
        true => text!("sync-cost-same", dsync = dsync, plain = plain),
        false => {
            let times = words::times(ratio);
            text!("sync-cost", times = times, dsync = dsync, plain = plain)
        }
    };
    let id = if ratio <= PROTECTED_RATIO_MAX && dsync_ns < PROGRAM_NS {
        "sync-protected"
    } else if ratio >= UNPROTECTED_RATIO_MIN {
        "sync-unprotected"
    } else {
        "sync-cost-alone"
    };
    Some(text!(id, cost = cost))
}

fn key_figure(point: &SyncPoint) -> Named {
    let main = main_of(point);
    let value = match main.load.op {
        PointOp::Mixed => main.iops,
        _ => main.writes_per_s,
    };
    let streams = streams(point);
    (FigureId::Durable { streams }, value, Unit::Iops)
}

#[cfg(test)]
mod tests {
    use stend_record::load::{Load, Pattern};
    use stend_record::review::LatencySummary;

    use super::*;

    fn latency(mean_us: f64) -> LatencySummary {
        let ns = (mean_us * 1e3) as u64;
        LatencySummary::new(0, mean_us * 1e3, 10 * ns, [ns, ns, 2 * ns, 3 * ns, 4 * ns])
    }

    /// A stream of one thread whose writes and flushes take the given times.
    fn stream(sync: SyncMethod, every: Option<u32>, write_us: f64, flush_us: f64) -> SyncStream {
        let per_write = write_us + flush_us / f64::from(every.unwrap_or(1));
        let writes_per_s = 1e6 / per_write;
        SyncStream {
            load: Load::write(Pattern::Random, 4096, 1),
            durability: Durability { sync, every },
            iops: writes_per_s,
            writes_per_s,
            repeated_writes_per_s: Vec::new(),
            commits_per_s: writes_per_s / f64::from(every.unwrap_or(1)),
            bw_bytes_per_s: writes_per_s * 4096.0,
            read_latency_ns: None,
            write_latency_ns: Some(latency(write_us)),
            sync_latency_ns: (flush_us > 0.0).then(|| latency(flush_us)),
        }
    }

    fn point(streams: &[SyncStream]) -> SyncPoint {
        SyncPoint {
            duration_s: 10.0,
            streams: streams.to_vec(),
            ..SyncPoint::default()
        }
    }

    fn cost(plain_us: f64, dsync_us: f64) -> String {
        let plain = stream(SyncMethod::None, None, plain_us, 0.0);
        let dsync = stream(SyncMethod::Dsync, None, dsync_us, 0.0);
        protection(&[point(&[plain]), point(&[dsync])]).unwrap()
    }

    #[test]
    fn protection_is_told_from_what_a_durable_write_costs() {
        for (plain_us, dsync_us, said) in [
            (
                40.0,
                42.0,
                "a write takes as long as one that is not synced (42 µs and 40 µs): the \
                          drive behaves as one with power-loss protection",
            ),
            (
                40.0,
                900.0,
                "22.5 times as long as one that is not synced (900 µs and 40 µs): the \
                           drive behaves as one without power-loss protection",
            ),
            // A slower commit that does not yet wait for flash, and a drive whose cache is off.
            (
                40.0,
                100.0,
                "2.5 times as long as one that is not synced (100 µs and 40 µs).",
            ),
            (
                900.0,
                900.0,
                "a write takes as long as one that is not synced (900 µs and 900 µs).",
            ),
        ] {
            let text = cost(plain_us, dsync_us);
            assert!(text.contains(said), "{text}");
        }
        // Nothing is reported without a point to compare with.
        let alone = point(&[stream(SyncMethod::Dsync, None, 42.0, 0.0)]);
        assert_eq!(protection(&[alone]), None);
    }

    #[test]
    fn commits_sizes_threads_and_flushes_are_told() {
        let one = stream(SyncMethod::Dsync, None, 50.0, 0.0);
        let mut larger = stream(SyncMethod::Dsync, None, 80.0, 0.0);
        larger.load.block_bytes = 8192;
        let mut many = one.clone();
        (many.load.threads, many.commits_per_s) = (16, 60_000.0);
        let said = sentences(&[
            point(std::slice::from_ref(&one)),
            point(&[larger]),
            point(&[many]),
        ]);
        assert_eq!(
            said,
            [
                "Random write, 4 KiB, O_DSYNC: 20,000 commits a second, 50 µs on average, 99.9 % \
                 within 100 µs, the slowest 500 µs.",
                "It commits 12,500 of 8 KiB a second.",
                "16 threads commit 3 times as often as one (60,000 and 20,000 commits a second).",
            ]
        );
        let flush = |every| point(&[stream(SyncMethod::Fsync, Some(every), 50.0, 950.0)]);
        let said = sentences(&[flush(1), flush(16)]);
        assert_eq!(
            said[1],
            "With fsync after every 16 writes 9.14 times as many become durable as with one after \
             each (9,140 and 1,000 writes a second)."
        );
    }

    #[test]
    fn writes_beside_a_log_cost_it_commits() {
        let log = stream(SyncMethod::Dsync, None, 50.0, 0.0);
        let slow = stream(SyncMethod::Dsync, None, 100.0, 0.0);
        let mut data = stream(SyncMethod::None, None, 10.0, 0.0);
        data.load.threads = 4;
        let both = |writes_per_s| SyncPoint {
            interval_s: Some(5.0),
            intervals: [80_000, 120_000]
                .iter()
                .map(|&ns| SyncInterval {
                    writes_per_s,
                    write_p99_9_ns: ns,
                    write_max_ns: 10 * ns,
                    ..SyncInterval::default()
                })
                .collect(),
            ..point(&[slow.clone(), data.clone()])
        };
        let said = sentences(&[point(std::slice::from_ref(&log)), both(2_000.0)]);
        assert_eq!(
            said[1..],
            [
                "Beside random write, 4 KiB, 4 threads, not synced (100,000 a second) it keeps \
                 50 % of its commits (10,000 of 20,000 a second), and 99.9 % of them end within \
                 200 µs, not 100 µs.",
                "Beside the others, over time (2 intervals of 5 s), 99.9 % of the commits end \
                 within 80 µs to 120 µs, the slowest took 1.2 ms.",
            ]
        );
        // 9,995 commits in an interval are too few for 99.9 %.
        let said = sentences(&[point(&[log]), both(1_999.0)]);
        assert_eq!(
            said[2],
            "Beside the others, over time (2 intervals of 5 s), the slowest of the commits took \
             1.2 ms."
        );
    }
}
