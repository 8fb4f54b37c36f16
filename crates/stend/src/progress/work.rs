//! The work left in a review, and the time that it takes: from its estimated cost, and from the
//! time that work has taken so far.
//!
//! Nothing here reads a clock: every instant is passed in, as the time since the beginning.

use std::time::Duration;

use stend_method::{Cost, FILL_BYTES_PER_S};

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
    /// Last two marks of the work left in virtual time, a twentieth of all work or more apart.
    marks: [Mark; 2],
    estimate: Option<Estimate>,
}

/// Work that is left at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    at: Duration,
    left: f64,
}

impl Mark {
    fn beginning(whole: Cost) -> Mark {
        Mark {
            at: Duration::ZERO,
            left: whole.untimed,
        }
    }
}

/// An estimate of the time left.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// Time at which it was made.
    at: Duration,
    /// Bounds of the time left then, s.
    least_s: f64,
    most_s: f64,
    /// Greatest time left then of the part under way on a real target, s.
    part_s: f64,
}

/// Bounds of the time left within this ratio count as one time.
const SURE_RATIO: f64 = 1.25;

/// Share of all work after which a mark is made.
const MARK_SHARE: f64 = 0.05;

/// The part under way.
#[derive(Clone, Copy, Debug)]
struct Part {
    cost: Cost,
    began: Duration,
    /// Share that is done; 0 if it is not known.
    share: f64,
    /// Times and shares of the last two marks in the part, [`MARK_SHARE`] or more apart.
    marks: [(Duration, f64); 2],
}

impl Part {
    /// Returns the seconds for each unit of cost, by the part so far and of late; `None` until
    /// something is known.
    fn speeds(&self, now: Duration) -> Option<(f64, f64)> {
        let passed = now - self.began;
        if self.share <= 0.0 || passed < KNOWN_AFTER {
            return None;
        }
        let by = |(at, share): (Duration, f64)| {
            (now - at).as_secs_f64() / ((self.share - share) * self.cost.untimed)
        };
        let so_far = by((self.began, 0.0));
        let late = self.marks[0];
        let of_late = if late.1 < self.share {
            by(late)
        } else {
            so_far
        };
        Some((so_far, of_late))
    }

    fn advance(&mut self, now: Duration, share: f64) {
        self.share = share;
        if share - self.marks[1].1 >= MARK_SHARE {
            self.marks = [self.marks[1], (now, share)];
        }
    }
}

/// Time after which the speed of a part is known.
const KNOWN_AFTER: Duration = Duration::from_secs(3);

/// Bounds of the cost of a second of writing on a real target, before any speed is known, as
/// factors of the time at 400 MB/s: from 2 GB/s to 100 MB/s.
const UNKNOWN_SPEED: (f64, f64) = (0.2, 4.0);

/// Times that finished parts have taken on a real target.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Of parts of unknown length: total time, s, and total cost.
    untimed_s: f64,
    untimed: f64,
    /// Of parts of known length: total time beyond their length, s, and their number.
    overhead_s: f64,
    parts: f64,
    /// Seconds for each unit of cost in earlier reviews of the target, if known.
    before: Option<f64>,
}

/// Time that the rest takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Left {
    /// About this number of seconds.
    About(f64),
    /// Between these numbers of seconds, by the speed so far and by that of late.
    Between(f64, f64),
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
            marks: [Mark::beginning(whole); 2],
            ..Work::default()
        }
    }

    /// Adds the speed of sequential writes in earlier runs on the same target, bytes a second.
    pub fn calibrated(mut self, write_bytes_per_s: Option<f64>) -> Work {
        self.seen.before = write_bytes_per_s.map(|speed| FILL_BYTES_PER_S / speed);
        self
    }

    /// Begins a part of the given cost, which is included in `left`.
    pub fn begin(&mut self, now: Duration, cost: Cost, left: Cost) {
        self.end_part(now);
        let done = left != self.left;
        self.left = left;
        self.part = Some(Part {
            cost,
            began: now,
            share: 0.0,
            marks: [(now, 0.0); 2],
        });
        // In virtual time, parts may run side by side: the start of a part carries no new
        // information.
        if done || !self.simulated || self.estimate.is_none() {
            self.estimate(now);
        }
    }

    /// Notes that a part has made progress. On a real target its length is known, and counted down
    /// without that.
    pub fn grew(&mut self, now: Duration, left: Cost) {
        if self.simulated {
            self.left = left;
            self.estimate(now);
        }
    }

    /// Notes the share of the part under way that is done, by the bytes that it has moved.
    pub fn advanced(&mut self, now: Duration, share: f64, left: Cost) {
        self.left = left;
        if let (Some(part), false) = (&mut self.part, self.simulated) {
            part.advance(now, share);
        }
        self.estimate(now);
    }

    /// Ends a part.
    pub fn end(&mut self, now: Duration, left: Cost) {
        self.end_part(now);
        self.left = left;
        self.estimate(now);
    }

    fn end_part(&mut self, now: Duration) {
        let Some(Part { cost, began, .. }) = self.part.take() else {
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
        if !self.simulated {
            self.estimate_real(now);
            return;
        }
        let [before, last] = self.marks;
        let left = self.left.untimed;
        if last.left - left >= MARK_SHARE * self.whole.untimed {
            self.marks = [last, Mark { at: now, left }];
        }
        let by = |mark: Mark| {
            let passed_s = (now - mark.at).as_secs_f64();
            (mark.left > left).then(|| passed_s / (mark.left - left) * left)
        };
        let Some((so_far_s, of_late_s)) = by(Mark::beginning(self.whole)).zip(by(before)) else {
            return;
        };
        let (least_s, most_s) = (so_far_s.min(of_late_s), so_far_s.max(of_late_s));
        let most_s = self.little_more(now, most_s);
        self.estimate = Some(Estimate {
            at: now,
            least_s: least_s.min(most_s),
            most_s,
            part_s: 0.0,
        });
    }

    /// Estimates the time left on a real target.
    fn estimate_real(&mut self, now: Duration) {
        let part = self.part.and_then(|part| Some((part, part.speeds(now)?)));
        let Some((part, (so_far, of_late))) = part else {
            let known = self.seen.untimed > 0.0 || self.seen.before.is_some();
            let (least, most) = if known { (1.0, 1.0) } else { UNKNOWN_SPEED };
            let by = |cost: Cost, factor: f64| {
                let untimed = cost.untimed * factor;
                self.seconds(Cost { untimed, ..cost })
            };
            self.estimate = Some(Estimate {
                at: now,
                least_s: by(self.left, least),
                most_s: by(self.left, most),
                part_s: self.part.map_or(0.0, |part| by(part.cost, most)),
            });
            return;
        };
        let done = part.share * part.cost.untimed;
        let of_part = part.cost.untimed - done;
        let passed_s = (now - part.began).as_secs_f64();
        let all = (self.seen.untimed_s + passed_s) / (self.seen.untimed + done);
        let after = Cost {
            untimed: 0.0,
            ..self.left
        };
        let after_s = self.seconds(after) + (self.left.untimed - of_part).max(0.0) * all;
        let least_s = of_part * so_far.min(of_late) + after_s;
        let most_s = of_part * so_far.max(of_late) + after_s;
        let shown_s = self.little_more(now, most_s);
        self.estimate = Some(Estimate {
            at: now,
            least_s: least_s.min(shown_s),
            most_s: shown_s,
            part_s: (shown_s - after_s).max(0.0),
        });
    }

    /// Returns the bound to show: a little more than before is no reason to show more.
    fn little_more(&self, now: Duration, most_s: f64) -> f64 {
        match self.estimate.map(|estimate| estimate.most_at(now)) {
            Some(shown_s) if (shown_s..SURE_RATIO * shown_s).contains(&most_s) => shown_s,
            _ => most_s,
        }
    }

    /// Estimates the time that work of this cost takes on a real target, s.
    fn seconds(&self, cost: Cost) -> f64 {
        let seen = &self.seen;
        let untimed_s = match seen.untimed {
            0.0 => seen.before.unwrap_or(1.0),
            untimed => seen.untimed_s / untimed,
        };
        let overhead_s = (OVERHEAD_S + seen.overhead_s) / (1.0 + seen.parts);
        cost.timed_s + cost.untimed * untimed_s + cost.parts * overhead_s
    }

    /// Estimates the time that the rest takes. The estimate does not rise before a part begins or
    /// ends.
    pub fn left(&self, now: Duration) -> Left {
        let Some(estimate) = self.estimate else {
            return Left::Unknown;
        };
        let (passed_s, left_s) = ((now - estimate.at).as_secs_f64(), estimate.most_s);
        let goes_on = self.simulated || passed_s <= estimate.part_s;
        if goes_on && estimate.most_s > SURE_RATIO * estimate.least_s {
            let [least_s, most_s] = [estimate.least_s, left_s].map(|s| (s - passed_s).max(0.0));
            return match most_s {
                0.0 => Left::Unknown,
                _ => Left::Between(least_s, most_s),
            };
        }
        let part_s = match self.part {
            _ if self.simulated => left_s,
            Some(_) => estimate.part_s,
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
        let part = self.part.filter(|_| !self.simulated);
        let Some(Part {
            cost, began, share, ..
        }) = part
        else {
            return String::new();
        };
        let passed_s = (now - began).as_secs_f64();
        if cost.untimed > 0.0 {
            let share = match share {
                0.0 => String::new(),
                share => format!("{:.0} %, ", (share * 100.0).floor()),
            };
            return format!("{share}for {}", time(passed_s));
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

impl Estimate {
    /// Upper bound of the time left at a later time, s.
    fn most_at(&self, now: Duration) -> f64 {
        (self.most_s - (now - self.at).as_secs_f64()).max(0.0)
    }
}

impl Left {
    /// The time left in words.
    pub fn words(self) -> String {
        match self {
            Left::About(seconds) => format!("about {} left", time(seconds)),
            Left::Between(least_s, most_s) if least_s < 1.0 => {
                format!("up to {} left", time(most_s))
            }
            Left::Between(least_s, most_s) => {
                format!("{} to {} left", time(least_s), time(most_s))
            }
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
        let mut work = real(whole).calibrated(Some(FILL_BYTES_PER_S));
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
    fn an_unknown_drive_has_a_range_until_its_first_seconds() {
        let whole = Cost {
            timed_s: 100.0,
            untimed: 200.0,
            parts: 0.0,
        };
        let mut work = real(whole);
        work.begin(at(0), untimed(200.0), whole);
        assert_eq!(work.left(at(0)), Left::Between(140.0, 900.0));
        // Twice as fast as assumed.
        let mut last_s = 900.0;
        for second in 1..=100_u32 {
            let share = f64::from(second) / 100.0;
            let left = Cost {
                untimed: 200.0 * (1.0 - share),
                ..whole
            };
            work.advanced(at(second.into()), share, left);
            let most_s = match work.left(at(second.into())) {
                Left::About(left_s) | Left::Between(_, left_s) => left_s,
                other => panic!("{second}: {other:?}"),
            };
            assert!(most_s <= last_s, "{second}: {most_s} after {last_s}");
            if second >= 3 {
                let truly_s = 100.0 + f64::from(100 - second);
                assert!((most_s - truly_s).abs() < 1.0, "{second}: {most_s}");
            }
            last_s = most_s;
        }
        assert_eq!(work.part(at(100)), "100 %, for 100 s");
        work.begin(at(100), timed(100.0), timed(100.0));
        assert_eq!(work.left(at(100)), Left::About(100.0));
    }

    #[test]
    fn a_drive_that_slows_down_while_it_is_filled_has_a_range() {
        let whole = untimed(1000.0);
        let mut work = real(whole);
        work.begin(at(0), whole, whole);
        let (mut share, mut rises, mut last_s) = (0.0, 0, f64::INFINITY);
        for second in 1..=460_u32 {
            // The cache holds 30 %; behind it the drive is eight times as slow.
            share += if share < 0.3 { 0.01 } else { 0.00125 };
            if share >= 1.0 {
                break;
            }
            work.advanced(at(second.into()), share, untimed(1000.0 * (1.0 - share)));
            let (least_s, most_s) = match work.left(at(second.into())) {
                Left::About(left_s) => (left_s, left_s),
                Left::Between(least_s, most_s) => (least_s, most_s),
                other => panic!("{second}: {other:?}"),
            };
            let truly_s = (1.0 - share) / 0.00125;
            if share > 0.4 {
                let within = least_s <= truly_s && truly_s <= 1.1 * most_s;
                assert!(within, "{second}: {least_s} to {most_s} for {truly_s}");
            }
            rises += u32::from(most_s > last_s);
            last_s = most_s;
        }
        assert!(rises <= 25, "the time left rose {rises} times");
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
                    Left::Between(_, most_s) => Some(most_s),
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
    fn a_curve_in_virtual_time_advances_share_and_time() {
        let mut work = Work::planned(untimed(1000.0), true);
        // Preparing takes 10 s for a tenth of the cost; the curve after it is four times as slow.
        work.begin(at(0), untimed(100.0), untimed(1000.0));
        work.end(at(10), untimed(900.0));
        work.begin(at(10), untimed(900.0), untimed(900.0));
        let mut shown = Vec::new();
        for second in 1..360_u32 {
            let left = 900.0 - 2.5 * f64::from(second);
            work.grew(at(10 + u64::from(second)), untimed(left));
            let (least_s, most_s) = match work.left(at(10 + u64::from(second))) {
                Left::About(left_s) => (left_s, left_s),
                Left::Between(least_s, most_s) => (least_s, most_s),
                other => panic!("{second}: {other:?}"),
            };
            let truly_s = f64::from(360 - second);
            shown.push((second, least_s, most_s, truly_s));
        }
        // Once a fifth is measured, the truth lies within the range, and near its upper bound.
        for (second, least_s, most_s, truly_s) in &shown[72..] {
            let within = *least_s <= truly_s + 1.0 && truly_s * 0.75 <= *most_s;
            assert!(within, "{second}: {least_s} to {most_s} for {truly_s}");
        }
        let rises = shown
            .windows(2)
            .filter(|pair| pair[1].2 > pair[0].2)
            .count();
        assert!(rises <= 10, "the time left rose {rises} times");
    }

    #[test]
    fn words_of_time() {
        assert_eq!(Left::Between(44.0, 120.0).words(), "44 s to 2 min left");
        assert_eq!(Left::Between(0.2, 60.0).words(), "up to 60 s left");
        assert_eq!(Left::About(44.6).words(), "about 45 s left");
        assert_eq!(Left::MoreThan(7200.0).words(), "more than 2 h left");
        assert_eq!(Left::Unknown.words(), "time left not known yet");
    }
}
