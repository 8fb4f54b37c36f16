//! The early end of a measurement on a simulated drive.
//!
//! A figure measured to its full length and one that ended early are not the same, so this is done
//! only on request ([`EndsWhen`]). It is safe if the rest could not change the figure:
//!
//! - **Reads** change nothing on a drive at rest. They end after five rounds of half a second that
//!   neither spread nor drift by more than a hundredth.
//! - **Curves of writes** have gone through the drive's caches and its spare area, and garbage
//!   collection has passed over all blocks, after writes of [`TURNS_MIN`] times the capacity since
//!   everything was last empty. They end after five rounds of two minutes in which both their speed
//!   and their write amplification spread by at most [`CURVE_SPREAD_SHARE_MAX`] and drift by at
//!   most [`CURVE_DRIFT_SHARE_MAX`]. The speed alone is not enough: if a drive's flash is faster
//!   than its host, the work of garbage collection grows long before the speed falls.
//! - **Curves after a rest** that are used only for the recovered fast writes end after their fall:
//!   for a minute they stayed clearly below the geometric mean of their start and of the first
//!   curve's end, or they did not start clearly above that end.
//!
//! - **Points that write** end after a tenth of their time or more, after five rounds of a fiftieth
//!   of it that neither spread nor drift by more than a hundredth. The drive must have room for a
//!   quarter more than the rest would write without moving data, and no other cause of a change of
//!   speed. Only the drive knows this: the speed may be constant for half of the time until a cache
//!   is full, and the figure a fifth lower.
//!
//! Everything else is measured to the end.

use stend_analysis::steady::{WINDOW, Window};
use stend_language::{Text, recorded};
use stend_load::runner::Progress;
use stend_record::load::Load;

/// Length of a round of reads, s.
const READ_ROUND_S: f64 = 0.5;
/// Greatest spread of the rounds of a steady window of reads, as a share of their mean.
const READ_SPREAD_SHARE_MAX: f64 = 0.01;
/// Greatest rise or fall of the line through them, as a share of the mean.
const READ_DRIFT_SHARE_MAX: f64 = 0.01;

/// Length of a round of a point that writes, as a share of its time. Five of them are a tenth: the
/// higher speed at first, until buffers are full, has little weight by then.
const WRITE_ROUND_SHARE: f64 = 0.02;
/// Room that a drive must have for the rest of a point that writes, as a multiple of the bytes that
/// the rest would write.
const ROOM_FOR_REST: f64 = 1.25;

/// Length of a round of a curve, s.
const CURVE_ROUND_S: f64 = 120.0;
/// The same as [`READ_SPREAD_SHARE_MAX`], for a curve.
const CURVE_SPREAD_SHARE_MAX: f64 = 0.05;
/// The same as [`READ_DRIFT_SHARE_MAX`], for a curve.
const CURVE_DRIFT_SHARE_MAX: f64 = 0.02;
/// Capacities written before a curve can have settled.
const TURNS_MIN: f64 = 1.5;

/// Length of a round of a curve that is watched until it falls, s: no longer than the time from
/// which the start of a curve is computed.
const FALL_ROUND_S: f64 = 5.0;
/// Number of rounds below the threshold that make a fall.
const FALL_ROUNDS: usize = 12;
/// Rounds after which a curve that did not start above the end has recovered nothing.
const FLAT_ROUNDS: usize = 24;
/// Share of the threshold below which a curve has fallen for certain.
const BELOW: f64 = 0.9;
/// A curve that starts below this multiple of the end has not risen enough to be sure.
const RISEN: f64 = 1.2;

/// Length of a curve of which only the start is used, s.
const START_S: f64 = 30.0;

/// Used part of a measurement, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// The start of a curve.
    Begun,
    /// The time for which a curve stays above the end of the first one of its test.
    Fallen,
    /// The settled speed, and everything before it.
    Settled,
    /// The whole measurement.
    Whole,
}

/// Returns the used part of the measurements of a test (by id), or of one of its curves (by name).
pub type EndsWhen<'a> = &'a (dyn Fn(&str, Option<&str>) -> Ending + Sync);

/// The state that a curve continues from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    /// Bytes written since everything was last empty.
    pub(crate) written_bytes: u64,
    /// Settled speed of the first curve, requests a second; `None` for the first one itself.
    pub(crate) end_iops: Option<f64>,
}

/// Rule by which a measurement ends early.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Start,
    Settled {
        spread_share_max: f64,
        drift_share_max: f64,
        /// Bytes to move first.
        after_bytes: u64,
    },
    Steady {
        /// Planned duration, s.
        planned_s: f64,
    },
    Fallen {
        end_iops: f64,
    },
}

/// Watches one measurement.
pub(crate) struct Watch {
    /// Time between two evaluations, s.
    pub(crate) round_s: f64,
    rule: Rule,
    last: Progress,
    speeds: Vec<f64>,
    /// Bytes written to flash divided by bytes moved, for each round; empty if unknown.
    amplifications: Vec<f64>,
    /// Time of the early end, s since the start.
    ended_s: Option<f64>,
}

impl Watch {
    /// Watches a point of `planned_s` seconds; `None` if it is measured to its end.
    pub(crate) fn of_point(load: &Load, ending: Ending, planned_s: u64) -> Option<Watch> {
        let planned_s = planned_s as f64;
        let watch = || match load.writes() {
            false => Watch::of_reads(),
            true => Watch::new(Rule::Steady { planned_s }, WRITE_ROUND_SHARE * planned_s),
        };
        (ending < Ending::Whole).then(watch)
    }

    /// Watches a curve on a drive of this capacity, which is reduced by `scaled_by`
    /// ([`crate::Edition::scaled_by`]); `None` if it is measured to its end.
    pub(crate) fn of_curve(
        load: &Load,
        ending: Ending,
        (capacity_bytes, scaled_by): (u64, u32),
        before: &Before,
    ) -> Option<Watch> {
        let sooner = |round_s: f64| round_s / f64::from(scaled_by);
        let (rule, round_s) = match (ending, before.end_iops) {
            (Ending::Whole, _) => return None,
            (Ending::Begun, _) => (Rule::Start, sooner(START_S)),
            _ if !load.writes() => return Some(Watch::of_reads()),
            (Ending::Fallen, Some(end_iops)) => (Rule::Fallen { end_iops }, sooner(FALL_ROUND_S)),
            _ => {
                let rule = Rule::Settled {
                    spread_share_max: CURVE_SPREAD_SHARE_MAX,
                    drift_share_max: CURVE_DRIFT_SHARE_MAX,
                    after_bytes: ((capacity_bytes as f64 * TURNS_MIN) as u64)
                        .saturating_sub(before.written_bytes),
                };
                (rule, sooner(CURVE_ROUND_S))
            }
        };
        Some(Watch::new(rule, round_s))
    }

    fn of_reads() -> Watch {
        let rule = Rule::Settled {
            spread_share_max: READ_SPREAD_SHARE_MAX,
            drift_share_max: READ_DRIFT_SHARE_MAX,
            after_bytes: 0,
        };
        Watch::new(rule, READ_ROUND_S)
    }

    fn new(rule: Rule, round_s: f64) -> Watch {
        Watch {
            round_s,
            rule,
            last: Progress {
                elapsed_s: 0.0,
                requests: 0,
                bytes: 0,
                flash_written_bytes: Some(0),
                steady_bytes: None,
            },
            speeds: Vec::new(),
            amplifications: Vec::new(),
            ended_s: None,
        }
    }

    /// Evaluates the measurement after a round. Returns true if it may end.
    pub(crate) fn look(&mut self, now: &Progress) -> bool {
        let seconds = now.elapsed_s - self.last.elapsed_s;
        if seconds > 0.0 {
            let requests = now.requests - self.last.requests;
            self.speeds.push(requests as f64 / seconds);
            self.amplifications.extend(amplification(&self.last, now));
            self.last = *now;
        }
        let enough = match self.rule {
            Rule::Start => true,
            Rule::Settled {
                spread_share_max,
                drift_share_max,
                after_bytes,
            } => {
                let steady = |figures: &[f64]| steady(figures, spread_share_max, drift_share_max);
                self.speeds.len() >= WINDOW
                    && now.bytes >= after_bytes
                    && steady(&self.speeds)
                    && steady(&self.amplifications)
            }
            Rule::Steady { planned_s } => {
                self.speeds.len() >= WINDOW
                    && steady(&self.speeds, READ_SPREAD_SHARE_MAX, READ_DRIFT_SHARE_MAX)
                    && has_room(now, planned_s)
            }
            Rule::Fallen { end_iops } => fallen(&self.speeds, end_iops),
        };
        if enough {
            self.ended_s.get_or_insert(now.elapsed_s);
        }
        enough
    }

    /// Returns the remark on a measurement that ended before `planned_s`; `None` if it did not.
    pub(crate) fn remark(&self, name: &Text, planned_s: u64) -> Option<Text> {
        let ended_s = self.ended_s?;
        let settled = |spread_share_max: f64, drift_share_max: f64| {
            recorded!(
                "ended-settled",
                rounds = WINDOW,
                seconds = self.round_s.to_string(),
                spread = format!("{:.0}", 100.0 * spread_share_max),
                drift = format!("{:.0}", 100.0 * drift_share_max)
            )
        };
        let why = match self.rule {
            Rule::Start => recorded!("ended-start"),
            Rule::Settled {
                spread_share_max,
                drift_share_max,
                ..
            } => settled(spread_share_max, drift_share_max),
            Rule::Steady { .. } => {
                let settled = settled(READ_SPREAD_SHARE_MAX, READ_DRIFT_SHARE_MAX);
                recorded!("ended-with-room", settled = settled)
            }
            Rule::Fallen { end_iops } => {
                recorded!("ended-fallen", iops = format!("{end_iops:.0}"))
            }
        };
        let ended_s = (10.0 * ended_s).round() / 10.0;
        Some(recorded!(
            "warning-ended",
            name = name.clone(),
            ended = format!("{ended_s} s"),
            planned = format!("{planned_s} s"),
            why = why
        ))
    }
}

/// True if the last rounds are alike, or if there are too few to judge.
fn steady(figures: &[f64], spread_share_max: f64, drift_share_max: f64) -> bool {
    Window::last(figures).is_none_or(|window| {
        window.spread_share <= spread_share_max && window.drift_share.abs() <= drift_share_max
    })
}

/// True if the drive has room for the rest of `planned_s` before it has to move data.
fn has_room(now: &Progress, planned_s: f64) -> bool {
    let (Some(room), Some(written)) = (now.steady_bytes, now.flash_written_bytes) else {
        return false;
    };
    let rest = written as f64 / now.elapsed_s * (planned_s - now.elapsed_s);
    room as f64 >= ROOM_FOR_REST * rest
}

/// Returns bytes written to flash divided by bytes moved, between two evaluations; `None` if
/// nothing was moved or the bytes in flash are unknown.
fn amplification(before: &Progress, now: &Progress) -> Option<f64> {
    let flash = now.flash_written_bytes? - before.flash_written_bytes?;
    let moved = now.bytes - before.bytes;
    (moved > 0).then(|| flash as f64 / moved as f64)
}

/// True if a curve of these speeds has fallen back towards an end, or never rose above it.
fn fallen(speeds: &[f64], end_iops: f64) -> bool {
    let Some(first) = speeds.first() else {
        return false;
    };
    if *first < RISEN * end_iops {
        return speeds.len() >= FLAT_ROUNDS;
    }
    let below = BELOW * (first * end_iops.max(1.0)).sqrt();
    let last = speeds.len().saturating_sub(FALL_ROUNDS);
    speeds.len() > FALL_ROUNDS && speeds[last..].iter().all(|speed| *speed < below)
}

#[cfg(test)]
mod tests {
    use stend_record::review::{Pattern, PointOp};

    use super::*;

    const CAPACITY: u64 = 4096 * 1_000_000;

    fn load(op: PointOp) -> Load {
        Load {
            op,
            read_percent: if op == PointOp::Write { 0 } else { 100 },
            ..Load::read(Pattern::Random, 4096, 32)
        }
    }

    /// Returns the time at which a measurement of these speeds, each for a round, ends.
    fn ends(watch: Watch, speeds: impl IntoIterator<Item = u64>) -> Option<f64> {
        amplified(watch, speeds.into_iter().map(|speed| (speed, 100)))
    }

    /// The same with the write amplification of each round, percent.
    fn amplified(mut watch: Watch, rounds: impl IntoIterator<Item = (u64, u64)>) -> Option<f64> {
        let mut now = watch.last;
        let mut flash = 0;
        for (speed, percent) in rounds {
            flash += (speed as f64 * watch.round_s) as u64 * 4096 * percent / 100;
            now.flash_written_bytes = Some(flash);
            now.elapsed_s += watch.round_s;
            now.requests += (speed as f64 * watch.round_s) as u64;
            now.bytes = now.requests * 4096;
            if watch.look(&now) {
                return watch.ended_s;
            }
        }
        None
    }

    #[test]
    fn reads_end_after_five_rounds_alike_and_not_while_they_change() {
        let of = |op| Watch::of_point(&load(op), Ending::Settled, 180);
        let reads = || of(PointOp::Read).expect("it reads");
        assert_eq!(ends(reads(), [1000; 20]), Some(5.0 * READ_ROUND_S));
        assert_eq!(
            ends(reads(), [900, 950, 1000, 1000, 1000, 1000, 1000]),
            Some(7.0 * READ_ROUND_S)
        );
        // 1.5 % between the rounds; then 0.5 % more each round.
        assert_eq!(ends(reads(), [1000, 1015].repeat(20)), None);
        assert_eq!(ends(reads(), (0..20).map(|i| 1000 + 5 * i)), None);
        // The mix of this load has no writes.
        assert_eq!(of(PointOp::Mixed).expect("it reads").round_s, READ_ROUND_S);
        for op in [PointOp::Read, PointOp::Write] {
            assert!(Watch::of_point(&load(op), Ending::Whole, 180).is_none());
        }
    }

    /// Returns the time at which a point of 100 s that writes with these speeds ends, if the drive
    /// has room for `room_s` seconds at 1,000 writes a second at the start.
    fn writes_end(speeds: &[u64], room_s: Option<f64>) -> Option<f64> {
        let point = Watch::of_point(&load(PointOp::Write), Ending::Settled, 100);
        let mut watch = point.expect("it may end early");
        assert_eq!(watch.round_s, 2.0);
        let mut now = watch.last;
        for speed in speeds {
            now.elapsed_s += 2.0;
            now.requests += 2 * speed;
            now.bytes = 4096 * now.requests;
            now.flash_written_bytes = Some(now.bytes);
            let room_bytes = room_s.map(|s| s * 4_096_000.0);
            now.steady_bytes = room_bytes.map(|room| (room - now.bytes as f64).max(0.0) as u64);
            if watch.look(&now) {
                return watch.ended_s;
            }
        }
        None
    }

    #[test]
    fn writes_end_where_the_drive_has_room_for_the_rest() {
        let alike = [1000; 49];
        assert_eq!(writes_end(&alike, Some(200.0)), Some(10.0));
        // The rest, plus a quarter: 10 + 1.25 × 90 s.
        assert_eq!(writes_end(&alike, Some(122.6)), Some(10.0));
        assert_eq!(writes_end(&alike, Some(122.4)), Some(12.0));
        assert_eq!(writes_end(&alike, Some(99.0)), None);
        assert_eq!(writes_end(&alike, None), None);
        let quicker_at_first = [&[1100][..], &alike].concat();
        assert_eq!(writes_end(&quicker_at_first, Some(200.0)), Some(12.0));
        let (slower, between) = ((0..49).map(|i| 2000 - 20 * i), [1000, 1015].repeat(24));
        assert_eq!(writes_end(&slower.collect::<Vec<_>>(), Some(900.0)), None);
        assert_eq!(writes_end(&between, Some(200.0)), None);
    }

    fn writes(ending: Ending, written_bytes: u64, end_iops: Option<f64>) -> Watch {
        let before = Before {
            written_bytes,
            end_iops,
        };
        let load = load(PointOp::Write);
        Watch::of_curve(&load, ending, (CAPACITY, 1), &before).expect("it may end")
    }

    #[test]
    fn a_curve_ends_no_earlier_than_the_capacity_was_written_often_enough() {
        let settles = |before| writes(Ending::Settled, before, None);
        // 120,000 requests a round: 1.5 million after thirteen rounds.
        assert_eq!(ends(settles(0), [1000; 60]), Some(13.0 * 120.0));
        assert_eq!(ends(settles(2 * CAPACITY), [1000; 60]), Some(5.0 * 120.0));
        // It falls in the thirteenth round: five similar rounds must follow.
        let falls = (0..60).map(|round| if round < 12 { 1000 } else { 500 });
        assert_eq!(ends(settles(0), falls), Some(17.0 * 120.0));
        // Constant speed, but write amplification grows until the twentieth round.
        let moves = (0..60).map(|round| (1000, 100 + 10 * u64::min(round, 20)));
        assert_eq!(amplified(settles(0), moves), Some(25.0 * 120.0));
        // There is no first curve to fall back to.
        assert_eq!(
            ends(writes(Ending::Fallen, 0, None), [1000; 60]),
            Some(13.0 * 120.0)
        );
    }

    #[test]
    fn a_curve_that_is_watched_until_it_falls_ends_after_a_minute_below() {
        let falls = || writes(Ending::Fallen, 0, Some(100.0));
        // 10,000 and 100: the threshold is 1,000, and it has fallen for certain below 900.
        let at = |low: u64| (0..99).map(move |round| if round < 10 { 10_000 } else { low });
        assert_eq!(ends(falls(), at(800)), Some(22.0 * 5.0));
        assert_eq!(ends(falls(), at(950)), None);
        // It rises again within the minute.
        let again = (0..99).map(|round| if round % 11 == 0 { 10_000 } else { 100 });
        assert_eq!(ends(falls(), again), None);
        assert_eq!(ends(falls(), [110; 99]), Some(24.0 * 5.0));
        assert_eq!(
            ends(writes(Ending::Begun, 0, Some(100.0)), [110; 99]),
            Some(30.0)
        );
    }

    #[test]
    fn what_was_ended_says_so() {
        for (ending, why) in [
            (Ending::Begun, "only its start"),
            (Ending::Fallen, "fallen back"),
            (Ending::Settled, "had settled"),
        ] {
            let mut watch = writes(ending, 0, Some(100.0));
            assert_eq!(watch.remark(&"x".into(), 180), None);
            watch.ended_s = Some(5.0);
            let remark = watch.remark(&"x".into(), 180).expect("it was ended");
            assert!(
                remark
                    .in_english()
                    .starts_with("x: ended after 5 s of 180 s"),
                "{remark}"
            );
            assert!(remark.in_english().contains(why), "{remark}");
        }
        let point = Watch::of_point(&load(PointOp::Write), Ending::Settled, 180);
        let mut point = point.expect("it may end early");
        point.ended_s = Some(18.004);
        let remark = point.remark(&"x".into(), 180).expect("it was ended");
        assert!(
            remark
                .in_english()
                .starts_with("x: ended after 18 s of 180 s"),
            "{remark}"
        );
        assert!(
            remark.in_english().contains("5 rounds of 3.6 s"),
            "{remark}"
        );
    }
}
