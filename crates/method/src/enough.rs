//! The early end of a measurement of which enough has been seen, on a simulated drive.
//!
//! What is measured to its whole length and what is ended here are not the same figure, and
//! whoever asks for it says so. It is safe where what follows could not change what is looked at:
//!
//! - **Reads** change nothing on a drive at rest. They end once five rounds of a second neither
//!   spread nor drift by more than a hundredth.
//! - **Curves of writes** have gone through the drive's caches and its spare area, and garbage
//!   collection has come round, once the capacity has been written [`TURNS_MIN`] times since
//!   everything was last empty. They end once both their speed and their write amplification,
//!   in five rounds of two minutes, spread by at most [`CURVE_SPREAD_SHARE_MAX`] and drift by at
//!   most [`CURVE_DRIFT_SHARE_MAX`]. The speed alone does not tell: of a drive whose flash is
//!   faster than its host, garbage collection takes more and more long before the speed falls.
//! - Of curves after a rest that are watched for what came back, what is looked at is over once
//!   they have fallen: a minute long they stayed clearly below the geometric mean of where they
//!   began and where the first curve ended, or they did not begin clearly above that end.
//!
//! Points that write are measured to the end: half of their time may have been the same when a
//! cache is full at last, and the figure a fifth less. So is everything else.

use stend_analysis::steady::{WINDOW, Window};
use stend_target::SoFar;

use crate::edition::Load;

/// A round of reads, s.
const READ_ROUND_S: f64 = 1.0;
/// Greatest less least of the rounds of a window of reads, as a share of their mean, at most.
const READ_SPREAD_SHARE_MAX: f64 = 0.01;
/// Rise or fall of the line through them, as a share of the mean, at most.
const READ_DRIFT_SHARE_MAX: f64 = 0.01;

/// A round of a curve, s.
const CURVE_ROUND_S: f64 = 120.0;
/// As [`READ_SPREAD_SHARE_MAX`], of a curve.
const CURVE_SPREAD_SHARE_MAX: f64 = 0.05;
/// As [`READ_DRIFT_SHARE_MAX`], of a curve.
const CURVE_DRIFT_SHARE_MAX: f64 = 0.02;
/// Capacities written before a curve can have settled.
const TURNS_MIN: f64 = 1.5;

/// A round of a curve that is watched until it falls, s: no longer than what the start of a curve
/// is told from.
const FALL_ROUND_S: f64 = 5.0;
/// Rounds below that make a fall.
const FALL_ROUNDS: usize = 12;
/// Rounds after which nothing has come back to a curve that did not begin above the end.
const FLAT_ROUNDS: usize = 24;
/// Of where it fell below, the share that it must be below to be so beyond doubt.
const BELOW: f64 = 0.9;
/// A curve that begins less above the end than this has risen by too little to be told.
const RISEN: f64 = 1.2;

/// A curve of which only the start is looked at, s.
const START_S: f64 = 30.0;

/// How much of a measurement is looked at, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Where a curve starts.
    Begun,
    /// How long a curve stays above the end of the first one of its test.
    Fallen,
    /// The speed that it comes to, and everything before.
    Settled,
    /// All of it.
    Whole,
}

/// How much is looked at of the measurements of a test, or of one of its curves.
pub type EndsWhen<'a> = &'a (dyn Fn(&str, Option<&str>) -> Ending + Sync);

/// What a curve goes on from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    /// Bytes written since everything was last empty.
    pub(crate) written_bytes: u64,
    /// What the first curve came to, requests a second; `None` of the first one itself.
    pub(crate) end_iops: Option<f64>,
}

/// When enough has been seen.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Start,
    Settled {
        spread_share_max: f64,
        drift_share_max: f64,
        /// Bytes to be moved before.
        after_bytes: u64,
    },
    Fallen {
        end_iops: f64,
    },
}

/// Watches one measurement.
pub(crate) struct Watch {
    /// Between two looks, s.
    pub(crate) round_s: f64,
    rule: Rule,
    last: SoFar,
    speeds: Vec<f64>,
    /// Bytes written to flash over bytes moved, by round; empty where that is not known.
    amplifications: Vec<f64>,
    /// When enough had been seen, s since the start.
    ended_s: Option<f64>,
}

impl Watch {
    /// Of a point; `None` where it is measured to its end, as of every point that writes.
    pub(crate) fn of_point(load: &Load, ending: Ending) -> Option<Watch> {
        (!load.writes() && ending < Ending::Whole).then(Watch::of_reads)
    }

    /// Of a curve; `None` where it is measured to its end.
    pub(crate) fn of_curve(
        load: &Load,
        ending: Ending,
        capacity_bytes: u64,
        before: &Before,
    ) -> Option<Watch> {
        let rule = match (ending, before.end_iops) {
            (Ending::Whole, _) => return None,
            (Ending::Begun, _) => Rule::Start,
            _ if !load.writes() => return Some(Watch::of_reads()),
            (Ending::Fallen, Some(end_iops)) => Rule::Fallen { end_iops },
            _ => Rule::Settled {
                spread_share_max: CURVE_SPREAD_SHARE_MAX,
                drift_share_max: CURVE_DRIFT_SHARE_MAX,
                after_bytes: ((capacity_bytes as f64 * TURNS_MIN) as u64)
                    .saturating_sub(before.written_bytes),
            },
        };
        Some(Watch::new(
            rule,
            match rule {
                Rule::Start => START_S,
                Rule::Settled { .. } => CURVE_ROUND_S,
                Rule::Fallen { .. } => FALL_ROUND_S,
            },
        ))
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
            last: SoFar {
                elapsed_s: 0.0,
                requests: 0,
                bytes: 0,
                flash_written_bytes: Some(0),
            },
            speeds: Vec::new(),
            amplifications: Vec::new(),
            ended_s: None,
        }
    }

    /// Looks at the measurement after a round; whether enough has been seen.
    pub(crate) fn look(&mut self, now: &SoFar) -> bool {
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
                let steady = |figures: &[f64]| {
                    Window::last(figures).is_none_or(|window| {
                        window.spread_share <= spread_share_max
                            && window.drift_share.abs() <= drift_share_max
                    })
                };
                self.speeds.len() >= WINDOW
                    && now.bytes >= after_bytes
                    && steady(&self.speeds)
                    && steady(&self.amplifications)
            }
            Rule::Fallen { end_iops } => fallen(&self.speeds, end_iops),
        };
        if enough {
            self.ended_s.get_or_insert(now.elapsed_s);
        }
        enough
    }

    /// What is to be said of a measurement that was to last so many seconds; `None` of one that
    /// lasted them.
    pub(crate) fn remark(&self, name: &str, asked_s: u64) -> Option<String> {
        let ended_s = self.ended_s?;
        let why = match self.rule {
            Rule::Start => "for only its start is looked at".to_owned(),
            Rule::Settled {
                spread_share_max,
                drift_share_max,
                ..
            } => format!(
                "for its speed had settled: {WINDOW} rounds of {:.0} s within {:.0} % of each other, drifting by at most {:.0} %",
                self.round_s,
                100.0 * spread_share_max,
                100.0 * drift_share_max
            ),
            Rule::Fallen { end_iops } => format!(
                "for it had fallen back towards the first curve's end of {end_iops:.0} IOPS, or never rose above it"
            ),
        };
        Some(format!(
            "{name}: ended after {ended_s:.0} s of {asked_s} s, {why}"
        ))
    }
}

/// Bytes written to flash over bytes moved, between two looks; `None` where nothing was moved or
/// nothing is known.
fn amplification(before: &SoFar, now: &SoFar) -> Option<f64> {
    let flash = now.flash_written_bytes? - before.flash_written_bytes?;
    let moved = now.bytes - before.bytes;
    (moved > 0).then(|| flash as f64 / moved as f64)
}

/// Whether a curve of these speeds has fallen back towards an end, or never rose above it.
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
            pattern: Pattern::Random,
            block_bytes: 4096,
            queue_depth: 32,
            threads: 1,
            read_percent: if op == PointOp::Write { 0 } else { 100 },
            region_bytes: None,
        }
    }

    /// When a measurement of these speeds, each for a round, ends.
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
        let of = |op| Watch::of_point(&load(op), Ending::Settled);
        let reads = || of(PointOp::Read).expect("it reads");
        assert_eq!(ends(reads(), [1000; 20]), Some(5.0));
        assert_eq!(
            ends(reads(), [900, 950, 1000, 1000, 1000, 1000, 1000]),
            Some(7.0)
        );
        // A percent and a half between the rounds; then half a percent each round.
        assert_eq!(ends(reads(), [1000, 1015].repeat(20)), None);
        assert_eq!(ends(reads(), (0..20).map(|i| 1000 + 5 * i)), None);
        assert!(of(PointOp::Write).is_none());
        assert!(of(PointOp::Mixed).is_some());
        assert!(Watch::of_point(&load(PointOp::Read), Ending::Whole).is_none());
    }

    fn writes(ending: Ending, written_bytes: u64, end_iops: Option<f64>) -> Watch {
        let before = Before {
            written_bytes,
            end_iops,
        };
        let load = load(PointOp::Write);
        Watch::of_curve(&load, ending, CAPACITY, &before).expect("it may end")
    }

    #[test]
    fn a_curve_ends_no_earlier_than_the_capacity_was_written_often_enough() {
        let settles = |before| writes(Ending::Settled, before, None);
        // 120,000 a round: one and a half million after thirteen rounds.
        assert_eq!(ends(settles(0), [1000; 60]), Some(13.0 * 120.0));
        assert_eq!(ends(settles(2 * CAPACITY), [1000; 60]), Some(5.0 * 120.0));
        // It falls in the thirteenth round: five alike are needed after that.
        let falls = (0..60).map(|round| if round < 12 { 1000 } else { 500 });
        assert_eq!(ends(settles(0), falls), Some(17.0 * 120.0));
        // As fast as ever, while more and more is moved until the twentieth round.
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
        // 10,000 and 100: it has fallen at 1,000, and beyond doubt below 900.
        let at = |low: u64| (0..99).map(move |round| if round < 10 { 10_000 } else { low });
        assert_eq!(ends(falls(), at(800)), Some(22.0 * 5.0));
        assert_eq!(ends(falls(), at(950)), None);
        // Up again within the minute.
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
            assert_eq!(watch.remark("x", 180), None);
            watch.ended_s = Some(5.0);
            let remark = watch.remark("x", 180).expect("it was ended");
            assert!(
                remark.starts_with("x: ended after 5 s of 180 s"),
                "{remark}"
            );
            assert!(remark.contains(why), "{remark}");
        }
    }
}
