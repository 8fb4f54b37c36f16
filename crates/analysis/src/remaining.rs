//! Estimates the rest of a drive's rated life from its own reports: the bytes that can still be
//! written, and the time that they last at the rate so far.
//!
//! Drives report the share used in whole percent, and none documents its rounding: to the nearest,
//! down, or up (if the remaining share counts down from 100). So 3 % stands for anything from 2 to
//! 4 %, and the rest has bounds. Hours are whole too, rounded down.

use serde::Serialize;
use stend_language::{say, text};
use stend_record::endurance::Health;

use crate::words;

/// Hours of a year of 365 days with power all the time.
const HOURS_PER_YEAR: f64 = 8_760.0;

/// Greatest error of a reported share, percent.
const RESOLUTION_PERCENT: u64 = 1;

/// A figure and its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Lower bound.
    pub least: f64,
    /// Estimate from the figures as reported; `None` if they yield only a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<f64>,
    /// Upper bound; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

impl Estimate {
    fn exact(figure: f64) -> Estimate {
        Estimate {
            least: figure,
            about: Some(figure),
            most: Some(figure),
        }
    }

    /// Multiplies each bound by a figure; the upper bound by the figure's own upper bound.
    fn times(self, figure: f64, at_most: f64) -> Estimate {
        Estimate {
            least: self.least * figure,
            about: self.about.map(|about| about * figure),
            most: self.most.map(|most| most * at_most),
        }
    }

    /// Formats `5.7 years (5.3 years to 6.2 years)`, `at least 5 years`.
    fn in_words(self, figure: impl Fn(f64) -> String) -> String {
        let least = figure(self.least);
        let Some(about) = self.about.map(&figure) else {
            return text!("left-at-least", least = least);
        };
        match self.most.map(figure) {
            None => text!("left-about-least", about = about, least = least),
            Some(most) if most == least => about,
            Some(most) => {
                text!(
                    "left-about-range",
                    about = about,
                    least = least,
                    most = most
                )
            }
        }
    }
}

/// The rest of a rated life.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Left {
    /// Bytes that the host can still write; `None` if the drive does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<Estimate>,
    /// Years of power-on time at the host's rate of writing so far; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_on_years: Option<Estimate>,
}

impl Left {
    /// Returns `None` if neither is known.
    fn of(written_bytes: Option<Estimate>, power_on_years: Option<Estimate>) -> Option<Left> {
        let left = Left {
            written_bytes,
            power_on_years,
        };
        (written_bytes.is_some() || power_on_years.is_some()).then_some(left)
    }

    /// Formats `87.5 TB (80.8 TB to 95.4 TB), at the rate so far 5.7 years with power`; for a life
    /// that is over, `nothing`.
    pub fn in_words(&self, rate: &str) -> String {
        let bytes = |left: Estimate| left.in_words(|bytes| words::bytes(bytes as u64));
        let years = |left: Estimate| {
            let years = left.in_words(words::number);
            text!("left-years", rate = rate, years = years)
        };
        let known = [self.written_bytes, self.power_on_years];
        if known.iter().flatten().all(|left| left.most == Some(0.0)) {
            return say("left-nothing");
        }
        let parts = [
            self.written_bytes.map(bytes),
            self.power_on_years.map(years),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The rated life of a drive: the used part and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RemainingLife {
    /// Bytes that hosts have written so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_written_bytes: Option<u64>,
    /// Used share of the rated life, as the drive reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<u64>,
    /// Hours with power so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_on_hours: Option<u64>,
    /// Rated bytes written (TBW), if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_bytes: Option<u64>,
    /// The rest by the share used, if the drive wears as it did so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_used_percent: Option<Left>,
    /// The rest by the rated bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_rated_bytes: Option<Left>,
}

/// Returns the ratio of the rest to the used part, for a used share; `None` at 0.
fn left_per_used(used_percent: u64) -> Option<f64> {
    let used = used_percent as f64;
    (used_percent > 0).then(|| (100.0 - used).max(0.0) / used)
}

/// Returns that ratio within the bounds of a reported share.
fn left_per_reported(used_percent: u64) -> Estimate {
    let highest = used_percent.saturating_add(RESOLUTION_PERCENT);
    Estimate {
        least: left_per_used(highest).unwrap_or(0.0),
        about: left_per_used(used_percent),
        most: left_per_used(used_percent.saturating_sub(RESOLUTION_PERCENT)),
    }
}

/// Estimates the rest of a drive's rated life, at the rate of writing up to `rate`: the same health
/// or an earlier one. `None` if the figures yield nothing.
pub fn remaining_life(
    now: &Health,
    rate: &Health,
    rated_bytes: Option<u64>,
) -> Option<RemainingLife> {
    let is_some = |figure: &u64| *figure > 0;
    let written = now.host_written_bytes.filter(is_some).map(|n| n as f64);
    let hours = rate.power_on_hours.filter(is_some);
    // Years that writing the rest takes at the rate; `left` is a multiple of the bytes written.
    let years = |left: Estimate| {
        let faster = match (now.host_written_bytes, rate.host_written_bytes) {
            (Some(now), Some(then)) if then > 0 => now as f64 / then as f64,
            // Both are the same instant, of which only the hours are known.
            (None, None) => 1.0,
            _ => return None,
        };
        let years = |hours: u64| faster * hours as f64 / HOURS_PER_YEAR;
        hours.map(|hours| left.times(years(hours), years(hours + 1)))
    };
    let by_used_percent = now.used_percent.and_then(|used| {
        let left = left_per_reported(used);
        Left::of(written.map(|n| left.times(n, n)), years(left))
    });
    let by_rated_bytes = rated_bytes.and_then(|rated| {
        let left = (rated as f64 - written?).max(0.0);
        let per_written = Estimate::exact(left / written?);
        Left::of(Some(Estimate::exact(left)), years(per_written))
    });
    by_used_percent.or(by_rated_bytes)?;
    Some(RemainingLife {
        host_written_bytes: now.host_written_bytes,
        used_percent: now.used_percent,
        power_on_hours: now.power_on_hours,
        rated_bytes,
        by_used_percent,
        by_rated_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(written_tb: u64, used_percent: u64, hours: u64) -> Health {
        Health {
            host_written_bytes: Some(written_tb * 1_000_000_000_000),
            used_percent: Some(used_percent),
            power_on_hours: Some(hours),
            ..Health::default()
        }
    }

    fn left(health: &Health) -> Left {
        let life = remaining_life(health, health, None).expect("something follows");
        life.by_used_percent.expect("a share was reported")
    }

    fn close(got: Option<f64>, expected: Option<f64>) {
        match (got, expected) {
            (Some(got), Some(expected)) => {
                let slack = 1e-9 * expected.abs();
                assert!((got - expected).abs() <= slack, "{got}, {expected}");
            }
            _ => assert_eq!(got, expected),
        }
    }

    fn is(got: Option<Estimate>, least: f64, about: Option<f64>, most: Option<f64>) {
        let got = got.expect("it is known");
        close(Some(got.least), Some(least));
        close(got.about, about);
        close(got.most, most);
    }

    #[test]
    fn three_percent_are_from_two_to_four() {
        let left = left(&health(6, 3, 8_760));
        let most = 49.0 * 6e12;
        is(left.written_bytes, 144e12, Some(194e12), Some(most));
        // A year, plus up to an hour.
        let most = 49.0 * 8_761.0 / 8_760.0;
        is(left.power_on_years, 24.0, Some(97.0 / 3.0), Some(most));
    }

    #[test]
    fn little_use_gives_a_lower_bound_alone() {
        let none = left(&health(6, 0, 8_760));
        is(none.written_bytes, 594e12, None, None);
        is(none.power_on_years, 99.0, None, None);
        let one = left(&health(6, 1, 8_760));
        is(one.written_bytes, 294e12, Some(594e12), None);
        assert_eq!(
            none.in_words("at the rate so far"),
            "at least 594 TB, at the rate so far at least 99 years with power"
        );
        assert_eq!(
            one.in_words("in"),
            "594 TB (at least 294 TB), in 99 (at least 49) years with power"
        );
    }

    #[test]
    fn a_life_that_is_over_has_nothing_left() {
        let end = left(&health(99, 100, 990));
        is(end.written_bytes, 0.0, Some(0.0), Some(1e12));
        let most = 991.0 / 99.0 / 8_760.0;
        is(end.power_on_years, 0.0, Some(0.0), Some(most));
        for used in [101, 255, u64::MAX] {
            let over = left(&health(99, used, 990));
            is(over.written_bytes, 0.0, Some(0.0), Some(0.0));
            is(over.power_on_years, 0.0, Some(0.0), Some(0.0));
            assert_eq!(over.in_words("in"), "nothing");
        }
        let almost = left(&health(99, 99, 990));
        is(
            almost.written_bytes,
            0.0,
            Some(1e12),
            Some(2.0 / 98.0 * 99e12),
        );
    }

    #[test]
    fn what_is_missing_has_no_figure() {
        let whole = health(6, 3, 8_760);
        let without_hours = |hours| Health {
            power_on_hours: hours,
            ..whole
        };
        for hours in [None, Some(0)] {
            let left = left(&without_hours(hours));
            assert!(left.written_bytes.is_some() && left.power_on_years.is_none());
        }
        let uncounted = Health {
            host_written_bytes: None,
            ..whole
        };
        let left = left(&uncounted);
        assert_eq!(left.written_bytes, None);
        is(
            left.power_on_years,
            24.0,
            Some(97.0 / 3.0),
            Some(49.0 * 8_761.0 / 8_760.0),
        );
        for nothing in [
            Health::default(),
            Health {
                used_percent: None,
                ..whole
            },
            Health {
                used_percent: Some(3),
                ..Health::default()
            },
        ] {
            assert_eq!(remaining_life(&nothing, &nothing, None), None);
        }
        // A rating alone yields nothing for a drive that counts nothing or was not written.
        for written in [None, Some(0)] {
            let unwritten = Health {
                host_written_bytes: written,
                used_percent: None,
                ..whole
            };
            assert_eq!(remaining_life(&unwritten, &unwritten, Some(1)), None);
        }
    }

    #[test]
    fn a_rating_in_bytes_is_counted_down() {
        let by_rating = |tb: u64| {
            let health = Health {
                used_percent: None,
                ..health(6, 0, 8_760)
            };
            let rated = tb * 1_000_000_000_000;
            let life = remaining_life(&health, &health, Some(rated)).expect("it follows");
            assert_eq!(
                (life.by_used_percent, life.rated_bytes),
                (None, Some(rated))
            );
            life.by_rated_bytes.expect("it was given")
        };
        let left = by_rating(72);
        is(left.written_bytes, 66e12, Some(66e12), Some(66e12));
        is(
            left.power_on_years,
            11.0,
            Some(11.0),
            Some(11.0 * 8_761.0 / 8_760.0),
        );
        assert_eq!(left.in_words("in"), "66 TB, in 11 years with power");
        // Written beyond the rating.
        is(by_rating(5).written_bytes, 0.0, Some(0.0), Some(0.0));
        is(by_rating(5).power_on_years, 0.0, Some(0.0), Some(0.0));
    }

    #[test]
    fn the_rate_may_be_that_of_before_a_test() {
        let (before, now) = (health(2, 2, 8_760), health(6, 6, 8_800));
        let life = remaining_life(&now, &before, None).expect("it follows");
        let left = life.by_used_percent.expect("a share was reported");
        // 94 TB at 2 TB a year.
        is(
            left.power_on_years,
            93.0 / 7.0 * 3.0,
            Some(47.0),
            Some(57.0 * 8_761.0 / 8_760.0),
        );
        // Without an earlier rate, only bytes.
        let new = health(0, 0, 8_760);
        let life = remaining_life(&now, &new, None).expect("it follows");
        let left = life.by_used_percent.expect("a share was reported");
        assert!(left.written_bytes.is_some() && left.power_on_years.is_none());
    }
}
