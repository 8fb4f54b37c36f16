//! The rules that derive statements from a review's figures and choose among them.

use stend_record::endurance::EnduranceEnd;
use stend_record::review::{Link, PointOp, Review, TargetKind};

use super::facts::{self, Mix};
use super::lasting::{Back, Lasting, Rank, Rest, lasting, rest};
use super::link::limit_bytes_per_s;
use super::rivals;
use super::statement::{Beware, SpeedClass, Statement, Suits};
use super::{STATEMENTS_MAX, Shown};
use crate::findings::{judged, labels};
use crate::headline::Headline;
use crate::kinds::response::{NORMAL_SHARE, deletion_effect};
use crate::stalls::{FAULT_NS, Stall};

/// Least share of the link's limit at which the link limits the drive.
pub(super) const LIMIT_SHARE: f64 = 0.9;

/// Least share of the link's limit that is all of it; below, a drive is close to it.
pub(super) const FULL_SHARE: f64 = 0.97;

/// Below this share of the link's limit, writing is slow.
pub(super) const SLOW_WRITE_SHARE: f64 = 0.5;

/// If the link is unknown: greatest speed of hard disks, at their outer edge.
pub(super) const HARD_DISK_BYTES_PER_S: f64 = 250e6;

/// If the link is unknown: a speed that SATA cannot carry.
pub(super) const SATA_BYTES_PER_S: f64 = 600e6;

/// Greatest latency of quick small reads at depth 1, ns: published reviews have about 10,000 a
/// second for the quick SATA drives.
pub(super) const QUICK_READ_NS: f64 = 100_000.0;

/// Greatest latency of small reads for a desktop, which waits for one or two at a time, ns. Beyond
/// it, 20 MB/s of 4 KiB, they are slow for a solid-state drive (published reviews have 25 to 42
/// MB/s for SATA drives: remembered, unverified).
pub(super) const DESKTOP_READ_NS_MAX: f64 = 200_000.0;

/// Bytes that a desktop writes in a day: the warranty that makers of computers asked of Intel for
/// its first drives (AnandTech 2614), which ratings of client drives have followed since.
pub(super) const DESKTOP_DAY_BYTES: u64 = 20_000_000_000;

/// Games are loaded by large reads: below this speed they wait more for the drive than for the
/// processor. Two thirds of SATA's speed.
pub(super) const GAMES_BYTES_PER_S: f64 = 370e6;

/// Small random reads a second that data sheets of read-intensive SATA drives promise (remembered,
/// unverified).
pub(super) const SERVER_READ_IOPS: f64 = 75_000.0;

/// Greatest latency of a durable write that has hardly waited for flash, ns: 2,000 a second and
/// thread.
pub(super) const QUICK_COMMIT_NS: f64 = 500_000.0;

/// Latency from which a thread has less than 500 commits a second, ns.
pub(super) const SLOW_COMMIT_NS: f64 = 2_000_000.0;

/// The end of a curve is uneven if nine tenths of its samples spread by this ratio.
pub(super) const UNEVEN_RATIO: f64 = 3.0;

/// Latency at which a waiting read is noticed, ns: a tenth of a second (Nielsen's limit for an
/// instantaneous response).
pub(super) const NOTICED_NS: f64 = 100e6;

/// A statement that applies and may be chosen.
struct Candidate {
    statement: Statement,
    test_id: Option<String>,
    /// Candidates of the least rank are chosen first.
    rank: u32,
}

fn candidate(rank: u32, test_id: &str, statement: Statement) -> Candidate {
    Candidate {
        statement,
        test_id: Some(test_id.to_owned()),
        rank,
    }
}

/// Returns the chosen statements of a verdict, in reading order, and the others.
///
/// `stall` is the gravest of the whole review, with the id of its test.
pub(super) fn statements(
    review: &Review,
    headlines: &[Headline],
    stall: Option<(&str, Stall)>,
) -> (Vec<Shown>, Vec<Shown>) {
    let (lasting, rest) = (lasting(review), rest(review));
    let mut all: Vec<Candidate> = sequential(review).into_iter().collect();
    let beside = rivals::statements(review, headlines).into_iter();
    let beside: Vec<Candidate> = (0..)
        .zip(beside)
        .map(|(nth, statement)| Candidate {
            statement,
            test_id: None,
            rank: 1 + 7 * nth,
        })
        .collect();
    all.extend(beside);
    all.extend(lasting.as_ref().map(lasting_statement));
    all.extend(rest.as_ref().map(rest_statement));
    // A drive that stands still for so long suits nothing.
    if stall.is_none_or(|(_, stall)| stall.worst_s() < FAULT_NS as f64 / 1e9) {
        all.extend(suits(review, lasting.as_ref(), rest.as_ref()));
    }
    all.extend(beware(review, lasting.as_ref(), stall));
    keep(all)
}

/// Splits candidates into the most important ones and the others, each in their order.
fn keep(all: Vec<Candidate>) -> (Vec<Shown>, Vec<Shown>) {
    let mut ranks: Vec<(u32, usize)> = (0..).zip(&all).map(|(at, one)| (one.rank, at)).collect();
    ranks.sort_unstable();
    ranks.truncate(STATEMENTS_MAX);
    let (kept, left_out): (Vec<_>, Vec<_>) = (0..)
        .zip(all)
        .partition(|(at, _)| ranks.iter().any(|(_, kept)| kept == at));
    let shown = |list: Vec<(usize, Candidate)>| {
        let list = list
            .into_iter()
            .map(|(_, one)| (one.statement, one.test_id));
        list.collect()
    };
    (shown(kept), shown(left_out))
}

fn sequential(review: &Review) -> Option<Candidate> {
    let read = facts::fastest(review, PointOp::Read)?;
    let write = facts::fastest(review, PointOp::Write)?;
    let class = match speed_class(review.target.link, read.value, write.value) {
        SpeedClass::BelowLimit(_) if !facts::reads_several_at_a_time(review) => {
            SpeedClass::OneAtATime
        }
        class => class,
    };
    let drive = labels(review).swap_remove(0);
    // A device that does not report its model is named by its path.
    let is_named = !drive.starts_with('/');
    let statement = Statement::Sequential {
        drive,
        is_model: is_named
            && matches!(
                review.target.kind,
                TargetKind::Simulated | TargetKind::BlockDevice
            ),
        read_bytes_per_s: read.value,
        write_bytes_per_s: write.value,
        loads: [read.load, write.load],
        class,
    };
    Some(candidate(0, read.test_id, statement))
}

fn speed_class(link: Option<Link>, read: f64, write: f64) -> SpeedClass {
    let Some(link) = link else {
        return match read {
            speed if speed <= HARD_DISK_BYTES_PER_S => SpeedClass::HardDisk,
            speed if speed <= SATA_BYTES_PER_S => SpeedClass::Sata,
            _ => SpeedClass::BeyondSata,
        };
    };
    let limit = limit_bytes_per_s(link);
    match (read >= LIMIT_SHARE * limit, write >= LIMIT_SHARE * limit) {
        (true, true) => SpeedClass::AtLimit {
            link,
            full: read.min(write) >= FULL_SHARE * limit,
        },
        (true, false) => SpeedClass::ReadsAtLimit {
            link,
            full: read >= FULL_SHARE * limit,
            writes_slowly: write < SLOW_WRITE_SHARE * limit,
        },
        (false, _) => SpeedClass::BelowLimit(link),
    }
}

fn lasting_statement(found: &Lasting) -> Candidate {
    let statement = Statement::Lasting {
        pattern: found.pattern,
        unit: found.unit,
        start: found.start,
        end: found.end,
        written_bytes: found.written_bytes,
        fall: found.fall,
        rank: found.rank,
    };
    candidate(2, &found.test_id, statement)
}

fn rest_statement(found: &Rest) -> Candidate {
    let rank = match found.idle {
        Back::Nothing => 4,
        _ => 7,
    };
    let (idle, trim) = (found.idle, found.trim);
    candidate(rank, &found.test_id, Statement::Rest { idle, trim })
}

fn suits(review: &Review, lasting: Option<&Lasting>, rest: Option<&Rest>) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = desktop(review, lasting, rest).into_iter().collect();
    let commit = facts::commit_ns(review).filter(|found| found.value <= QUICK_COMMIT_NS);
    out.extend(commit.map(|found| {
        let commit_ns = found.value;
        let statement = Statement::Suits(Suits::Database { commit_ns });
        candidate(4, &found.test_id, statement)
    }));
    out.extend(read_server(review, lasting));
    out
}

fn desktop(review: &Review, lasting: Option<&Lasting>, rest: Option<&Rest>) -> Option<Candidate> {
    let read = facts::single_read_ns(review).filter(|f| f.value <= DESKTOP_READ_NS_MAX)?;
    let latency_ns = read.value;
    let fast = lasting.is_some_and(|l| match l.fall {
        None => l.written_bytes >= DESKTOP_DAY_BYTES,
        Some(fall) => fall.bytes() >= DESKTOP_DAY_BYTES,
    });
    // The same holds a day later, if known.
    let again = rest.is_none_or(|rest| match rest.idle {
        Back::Nothing => false,
        Back::Part { bytes, .. } => bytes >= DESKTOP_DAY_BYTES,
        Back::Whole => true,
    });
    let large = facts::fastest(review, PointOp::Read);
    let suits = Suits::Desktop {
        latency_ns,
        quick: latency_ns <= QUICK_READ_NS,
        day: fast && again,
        games: large.is_some_and(|read| read.value >= GAMES_BYTES_PER_S),
    };
    Some(candidate(3, &read.test_id, Statement::Suits(suits)))
}

/// Recommends a drive for a server that mostly reads. Such a server writes too, so not if mixing
/// costs, or if writing for long is weak.
fn read_server(review: &Review, lasting: Option<&Lasting>) -> Option<Candidate> {
    let (reads, depth) = facts::deep_reads(review)?;
    let mixes = facts::mixes(review);
    let held_up = mixes.iter().any(Mix::costs);
    let weak = lasting.is_some_and(|found| found.rank == Rank::Weak);
    let suits = reads.value >= SERVER_READ_IOPS && !held_up && !weak;
    let iops = reads.value;
    let statement = Statement::Suits(Suits::ReadServer { iops, depth });
    suits.then(|| candidate(6, &reads.test_id, statement))
}

/// Returns warnings, the gravest first.
fn beware(
    review: &Review,
    lasting: Option<&Lasting>,
    stall: Option<(&str, Stall)>,
) -> Vec<Candidate> {
    let found = [
        stall.map(|(test_id, stall)| (test_id.to_owned(), stalls(stall))),
        early_end(review),
        slow_commits(review),
        slow_reads(review),
        mix(review),
        uneven(lasting),
        deletion(review),
    ];
    let found = found.into_iter().flatten();
    (0..)
        .zip(found)
        .map(|(nth, (test_id, beware))| {
            // The gravest warning yields only to the drive's kind, its rivals, long writes and its
            // use.
            let rank = if nth == 0 { 4 } else { 8 + nth };
            candidate(rank, &test_id, Statement::Beware(beware))
        })
        .collect()
}

type Found = Option<(String, Beware)>;

fn stalls(stall: Stall) -> Beware {
    Beware::Stalls {
        total_s: stall.total_s,
        longest_s: stall.longest_s,
        slowest_ns: stall.slowest_ns,
    }
}

fn early_end(review: &Review) -> Found {
    judged(review).find_map(|test| {
        let found = test.endurance()?;
        let rated_bytes = found.rated_bytes?;
        let written_bytes = found.written_bytes;
        let early = found.end == EnduranceEnd::Refused && written_bytes < rated_bytes;
        let beware = Beware::EarlyEnd {
            written_bytes,
            rated_bytes,
        };
        early.then(|| (test.id.clone(), beware))
    })
}

fn slow_commits(review: &Review) -> Found {
    let found = facts::commit_ns(review).filter(|found| found.value >= SLOW_COMMIT_NS)?;
    let commit_ns = found.value;
    Some((found.test_id, Beware::SlowCommits { commit_ns }))
}

fn slow_reads(review: &Review) -> Found {
    let found = facts::single_read_ns(review).filter(|f| f.value > DESKTOP_READ_NS_MAX)?;
    let latency_ns = found.value;
    Some((found.test_id, Beware::SlowReads { latency_ns }))
}

fn mix(review: &Review) -> Found {
    let found = facts::mixes(review).into_iter().find(Mix::costs)?;
    let beware = Beware::Mix {
        pattern: found.pattern,
        read_percent: found.read_percent,
        unit: found.unit,
        slowest: found.slowest,
        reads: found.reads,
        writes: found.writes,
    };
    Some((found.test_id, beware))
}

fn uneven(lasting: Option<&Lasting>) -> Found {
    let found = lasting?;
    let (low, high) = found.spread;
    let unit = found.unit;
    let beware = Beware::Uneven { unit, low, high };
    (low * UNEVEN_RATIO <= high).then(|| (found.test_id.clone(), beware))
}

fn deletion(review: &Review) -> Found {
    judged(review).find_map(|test| {
        let trimmed = test
            .responses()
            .iter()
            .filter(|r| r.command_bytes.is_some());
        let mut trimmed = trimmed.filter_map(|r| Some((r, deletion_effect(r)?)));
        trimmed.find_map(|(response, effect)| {
            let slowest_ns = response.latency_ns.max as f64;
            let fell = effect.iops_lowest < NORMAL_SHARE * response.reference_iops;
            let beware = Beware::Deletion {
                slowest_ns,
                file_bytes: response.file_bytes,
            };
            (fell && slowest_ns >= NOTICED_NS).then(|| (test.id.clone(), beware))
        })
    })
}
