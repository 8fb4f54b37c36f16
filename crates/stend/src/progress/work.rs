//! The work left in a review, and the time that it takes: from its estimated cost, and from the
//! time that work has taken so far.
//!
//! Nothing here reads a clock: every instant is passed in, as the time since the beginning.

use std::time::Duration;

use stend_method::Cost;

/// Time that starting and ending a job adds on a real target, s, before any was measured.
const OVERHEAD_S: f64 = 0.5;

/// The work of one review.
#[derive(Debug, Default)]
pub struct Work {
    simulated: bool,
    whole: Cost,
    left: Cost,
    part: Option<Part>,
    seen: Seen,
    /// Time of the last estimate of the time left, and its value, s.
    estimate: Option<(Duration, f64)>,
}

/// The part under way.
#[derive(Clone, Copy, Debug)]
struct Part {
    cost: Cost,
    began: Duration,
}

/// Times that finished parts have taken on a real target.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Of parts of unknown length: total time, s, and total cost.
    untimed_s: f64,
    untimed: f64,
    /// Of parts of known length: total time beyond their length, s, and their number.
    overhead_s: f64,
    parts: f64,
}

/// Time that the rest takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Left {
    /// About this number of seconds.
    About(f64),
    /// The part under way takes longer than estimated; the parts after it take this number of
    /// seconds.
    MoreThan(f64),
    /// Unknown.
    Unknown,
}

impl Work {
    /// Creates the work of a review that has just been planned.
    pub fn planned(whole: Cost, simulated: bool) -> Work {
        Work {
            simulated,
            whole,
            left: whole,
            ..Work::default()
        }
    }

    /// Begins a part of the given cost, which is included in `left`.
    pub fn begin(&mut self, now: Duration, cost: Cost, left: Cost) {
        self.end_part(now);
        let done = left != self.left;
        self.left = left;
        self.part = Some(Part { cost, began: now });
        // In virtual time, parts may run side by side: the start of a part carries no new
        // information.
        if done || !self.simulated || self.estimate.is_none() {
            self.estimate(now);
        }
    }

    /// Ends a part.
    pub fn end(&mut self, now: Duration, left: Cost) {
        self.end_part(now);
        self.left = left;
        self.estimate(now);
    }

    fn end_part(&mut self, now: Duration) {
        let Some(Part { cost, began }) = self.part.take() else {
            return;
        };
        let beyond_s = ((now - began).as_secs_f64() - cost.timed_s).max(0.0);
        let seen = &mut self.seen;
        if cost.untimed > 0.0 {
            seen.untimed_s += beyond_s;
            seen.untimed += cost.untimed;
        } else {
            seen.overhead_s += beyond_s;
            seen.parts += cost.parts.max(1.0);
        }
    }

    fn estimate(&mut self, now: Duration) {
        let left_s = self.seconds(self.left, now);
        self.estimate = left_s.map(|left_s| (now, left_s));
    }

    /// Estimates the time that work of this cost takes, s.
    fn seconds(&self, cost: Cost, now: Duration) -> Option<f64> {
        let seen = &self.seen;
        if self.simulated {
            let done = self.whole.untimed - self.left.untimed;
            return (done > 0.0).then(|| now.as_secs_f64() / done * cost.untimed);
        }
        let untimed_s = match seen.untimed {
            0.0 => 1.0,
            untimed => seen.untimed_s / untimed,
        };
        let overhead_s = (OVERHEAD_S + seen.overhead_s) / (1.0 + seen.parts);
        Some(cost.timed_s + cost.untimed * untimed_s + cost.parts * overhead_s)
    }

    /// Estimates the time that the rest takes. The estimate does not rise before a part begins or
    /// ends.
    pub fn left(&self, now: Duration) -> Left {
        let Some((at, left_s)) = self.estimate else {
            return Left::Unknown;
        };
        let passed_s = (now - at).as_secs_f64();
        let part_s = match self.part {
            _ if self.simulated => left_s,
            Some(part) => self.seconds(part.cost, at).unwrap_or(0.0),
            None => 0.0,
        };
        if passed_s <= part_s {
            return Left::About(left_s - passed_s);
        }
        match left_s - part_s {
            after_s if after_s > 0.0 && self.part.is_some() => Left::MoreThan(after_s),
            after_s if after_s > 0.0 => Left::About(after_s),
            _ => Left::Unknown,
        }
    }

    /// Progress of the part under way, in words: `12 of 15 min`, or `for 3 min` if its length is
    /// unknown. Empty in virtual time.
    pub fn part(&self, now: Duration) -> String {
        let Some(Part { cost, began }) = self.part.filter(|_| !self.simulated) else {
            return String::new();
        };
        let passed_s = (now - began).as_secs_f64();
        if cost.untimed > 0.0 {
            return format!("for {}", time(passed_s));
        }
        let passed_s = passed_s.min(cost.timed_s);
        match cost.timed_s {
            0.0 => String::new(),
            whole_s if whole_s < 120.0 => format!("{passed_s:.0} of {whole_s:.0} s"),
            whole_s => format!(
                "{:.0} of {:.0} min",
                (passed_s / 60.0).floor(),
                whole_s / 60.0
            ),
        }
    }
}

impl Left {
    /// The time left in words.
    pub fn words(self) -> String {
        match self {
            Left::About(seconds) => format!("about {} left", time(seconds)),
            Left::MoreThan(seconds) => format!("more than {} left", time(seconds)),
            Left::Unknown => "time left not known yet".to_owned(),
        }
    }
}

/// Formats a time in whole seconds, minutes, or hours and minutes.
fn time(seconds: f64) -> String {
    stend_analysis::words::time(seconds.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn timed(timed_s: f64) -> Cost {
        Cost {
            timed_s,
            ..Cost::default()
        }
    }

    fn untimed(untimed: f64) -> Cost {
        Cost {
            untimed,
            ..Cost::default()
        }
    }

    fn real(whole: Cost) -> Work {
        Work::planned(whole, false)
    }

    #[test]
    fn a_rest_counts_down_by_its_own_length() {
        let mut work = real(timed(1800.0));
        work.begin(at(0), timed(900.0), timed(1800.0));
        assert_eq!(work.left(at(0)), Left::About(1800.0));
        assert_eq!(work.left(at(300)), Left::About(1500.0));
        assert_eq!(work.part(at(725)), "12 of 15 min");
        assert_eq!(work.left(at(900)), Left::About(900.0));
        // The part is late; the parts after it still take their time.
        assert_eq!(work.left(at(1000)), Left::MoreThan(900.0));
        assert_eq!(work.part(at(1000)), "15 of 15 min");
        work.begin(at(1000), timed(60.0), timed(900.0));
        assert_eq!(work.part(at(1035)), "35 of 60 s");
    }

    #[test]
    fn the_speed_of_fills_is_learned_from_fills_alone() {
        let whole = Cost {
            timed_s: 60.0,
            untimed: 200.0,
            parts: 0.0,
        };
        let mut work = real(whole);
        work.begin(at(0), untimed(100.0), whole);
        assert_eq!(work.left(at(0)), Left::About(260.0));
        assert_eq!(work.part(at(40)), "for 40 s");
        // Four times as slow as assumed: the estimate does not grow while the part runs.
        assert_eq!(work.left(at(100)), Left::About(160.0));
        assert_eq!(work.left(at(399)), Left::MoreThan(160.0));
        let left = Cost {
            untimed: 100.0,
            ..whole
        };
        work.begin(at(400), timed(60.0), left);
        assert_eq!(work.left(at(400)), Left::About(460.0));
        work.begin(at(460), untimed(100.0), untimed(100.0));
        assert_eq!(work.left(at(460)), Left::About(400.0));
        assert_eq!(work.left(at(660)), Left::About(200.0));
    }

    #[test]
    fn the_time_around_short_jobs_is_learned() {
        let jobs = |count: f64| Cost {
            timed_s: count,
            untimed: 0.0,
            parts: count,
        };
        let mut work = real(jobs(40.0));
        let mut now = 0;
        for done in 0..20 {
            // Each part measures for one second, and takes three.
            work.begin(at(now), jobs(1.0), jobs(40.0 - f64::from(done)));
            now += 3;
        }
        work.end(at(now), jobs(20.0));
        let Left::About(left_s) = work.left(at(now)) else {
            panic!("{:?}", work.left(at(now)));
        };
        assert!((57.0..61.0).contains(&left_s), "{left_s}");
    }

    #[test]
    fn it_never_rises_within_a_part() {
        for simulated in [false, true] {
            let whole = Cost {
                timed_s: if simulated { 0.0 } else { 500.0 },
                untimed: 300.0,
                parts: 2.0,
            };
            let mut work = Work::planned(whole, simulated);
            work.begin(at(0), untimed(20.0), whole);
            let mut left = Cost {
                untimed: 280.0,
                ..whole
            };
            for (begin, length) in [(50, 300), (350, 10), (360, 1000)] {
                let cost = if simulated {
                    untimed(50.0)
                } else {
                    timed(100.0)
                };
                work.begin(at(begin), cost, left);
                left.untimed -= cost.untimed;
                left.timed_s -= cost.timed_s;
                let known = |now| match work.left(at(now)) {
                    Left::About(seconds) | Left::MoreThan(seconds) => Some(seconds),
                    Left::Unknown => None,
                };
                let mut last = f64::INFINITY;
                for now in begin..begin + length {
                    let Some(seconds) = known(now) else { continue };
                    assert!(seconds <= last, "{now}: {seconds} after {last}");
                    last = seconds;
                }
                assert!(last < f64::INFINITY);
            }
        }
    }

    #[test]
    fn in_virtual_time_the_speed_so_far_counts() {
        let mut work = Work::planned(untimed(1000.0), true);
        work.begin(at(0), untimed(100.0), untimed(1000.0));
        assert_eq!(work.left(at(7)), Left::Unknown);
        assert_eq!(work.part(at(7)), "");
        // Another thread begins: the time left is still unknown.
        work.begin(at(8), untimed(100.0), untimed(1000.0));
        assert_eq!(work.left(at(8)), Left::Unknown);
        work.end(at(10), untimed(900.0));
        assert_eq!(work.left(at(10)), Left::About(90.0));
        work.begin(at(11), untimed(800.0), untimed(900.0));
        assert_eq!(work.left(at(20)), Left::About(80.0));
        assert_eq!(work.left(at(101)), Left::Unknown);
    }

    #[test]
    fn words_of_time() {
        assert_eq!(Left::About(44.6).words(), "about 45 s left");
        assert_eq!(Left::MoreThan(7200.0).words(), "more than 2 h left");
        assert_eq!(Left::Unknown.words(), "time left not known yet");
    }
}
