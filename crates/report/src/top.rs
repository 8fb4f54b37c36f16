//! The top of the page: the kind of drive, a picture of its standing among its rivals, and its
//! strengths and weaknesses.

use stend_analysis::Verdict;
use stend_analysis::headline::Headline;
use stend_analysis::words;
use stend_language::{say, text as message};
use stend_record::review::{FactId, Review, TargetKind};

use crate::drive::Drive;
use crate::headline::{difference, text};
use crate::number;
use crate::view::Cell;

/// The top of the page.
#[derive(Debug, Default)]
pub struct Top {
    /// Facts about the drive, with their short names.
    pub facts: Vec<(String, String)>,
    /// The picture; `None` without rivals.
    pub standing: Option<Standing>,
    /// Strengths, best first.
    pub strengths: Vec<Point>,
    /// Weaknesses, worst first.
    pub weaknesses: Vec<Point>,
}

/// A strength or a weakness.
#[derive(Debug)]
pub struct Point {
    /// Id of the test that shows it.
    pub test_id: String,
    /// Name.
    pub name: String,
    /// Difference from the rivals, or the figure.
    pub text: String,
}

/// Standing of the reviewed drive among its rivals.
#[derive(Debug)]
pub struct Standing {
    /// Title of the picture: the drives compared.
    pub title: String,
    /// Meaning of the bars.
    pub note: String,
    /// The drives of the legend: the reviewed one first.
    pub drives: Vec<String>,
    /// Ticks of the axis.
    pub ticks: Vec<Tick>,
    /// Position of 1, percent.
    pub one_percent: String,
    /// A row for each figure.
    pub rows: Vec<Row>,
}

/// A tick of the axis.
#[derive(Debug)]
pub struct Tick {
    /// Position, percent.
    pub percent: String,
    /// Label.
    pub text: String,
    /// Class by which its label stays within the axis, and makes room on a narrow screen.
    pub class: &'static str,
}

/// A figure in the picture.
#[derive(Debug)]
pub struct Row {
    /// Name.
    pub name: String,
    /// Id of its test.
    pub test_id: String,
    /// The figure of the reviewed drive, and its difference from the reference.
    pub figure: Cell,
    /// Start of the bar, percent.
    pub from_percent: String,
    /// Its width, percent.
    pub width_percent: String,
    /// True if it is ahead.
    pub ahead: bool,
    /// Marks of rivals: slot from 1, position in percent, and description.
    pub marks: Vec<(usize, String, String)>,
}

/// Least difference from the rivals of a strength or weakness.
const FAR_SHARE: f64 = 0.1;

/// Most strengths, and most weaknesses, that are listed: of each kind, beside rivals and of the
/// drive alone.
const POINTS_MAX: usize = 4;

/// Facts in the top, with the messages of their labels.
const FACTS: [(FactId, &str); 8] = [
    (FactId::Interface, "fact-interface"),
    (FactId::Controller, "fact-controller"),
    (FactId::Flash, "fact-flash"),
    (FactId::Dram, "fact-dram"),
    (FactId::SlcCache, "fact-slc-cache"),
    (FactId::OverProvisioning, "fact-over-provisioning"),
    (FactId::RatedLife, "fact-rated-life"),
    (FactId::ReleaseYear, "fact-release-year"),
];

/// Computes the top.
pub fn top(review: &Review, verdict: &Verdict, drives: &[Drive<'_>]) -> Top {
    let (strengths, weaknesses) = points(&verdict.headlines, verdict);
    Top {
        facts: facts(review),
        standing: standing(&verdict.headlines, drives),
        strengths,
        weaknesses,
    }
}

fn facts(review: &Review) -> Vec<(String, String)> {
    let target = &review.target;
    let capacity = number::capacity(target.capacity_bytes);
    let mut out = vec![(say("capacity-under-test"), capacity)];
    for (fact, name) in FACTS {
        let found = target.fact(fact);
        out.extend(found.map(|value| {
            (
                say(name),
                number::bound(&words::interface(&value.to_string())),
            )
        }));
    }
    out.extend(words::price(target).map(|price| (say("fact-price"), number::bound(&price))));
    if target.kind != TargetKind::Simulated {
        for (fact, name) in [
            (FactId::Model, "fact-model"),
            (FactId::Firmware, "fact-firmware"),
            (FactId::SerialNumber, "fact-serial-number"),
        ] {
            out.extend(
                target
                    .fact(fact)
                    .map(|value| (say(name), value.to_string())),
            );
        }
    }
    out
}

/// Returns strengths and weaknesses: figures that are far from the rivals', then those of the
/// verdict on other tests.
fn points(headlines: &[Headline], verdict: &Verdict) -> (Vec<Point>, Vec<Point>) {
    let mut all: Vec<(f64, &Headline)> = headlines
        .iter()
        .filter_map(|headline| Some((headline.ratio()?, headline)))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let point = |(ratio, headline): &(f64, &Headline)| Point {
        test_id: headline.test_id.clone(),
        name: number::bound(&headline.name),
        text: difference(*ratio, 1.0),
    };
    let good = all.iter().filter(|(ratio, _)| *ratio >= 1.0 + FAR_SHARE);
    let bad = all
        .iter()
        .rev()
        .filter(|(ratio, _)| *ratio <= 1.0 / (1.0 + FAR_SHARE));
    let beside: Vec<Point> = good.take(POINTS_MAX).map(point).collect();
    let behind: Vec<Point> = bad.take(POINTS_MAX).map(point).collect();
    let said = |is_strength: bool, beside: Vec<Point>| {
        let more = verdict.points().into_iter();
        let more = more
            .filter(|point| point.is_strength == is_strength)
            .filter(|point| {
                let mut beside = beside.iter();
                point.first || beside.all(|other| other.test_id != point.test_id)
            })
            .map(|point| {
                let told = Point {
                    test_id: point.test_id,
                    name: number::bound(&point.name),
                    text: number::bound(&point.figure),
                };
                (point.first, told)
            });
        let (first, more): (Vec<_>, Vec<_>) = more.partition(|(first, _)| *first);
        let more = more.into_iter().take(POINTS_MAX);
        let told = first
            .into_iter()
            .chain(beside.into_iter().map(|point| (false, point)));
        told.chain(more).map(|(_, point)| point).collect()
    };
    (said(true, beside), said(false, behind))
}

fn standing(headlines: &[Headline], drives: &[Drive<'_>]) -> Option<Standing> {
    let rivals = drives.get(1..).filter(|rivals| !rivals.is_empty())?;
    let ratio = |value: Option<f64>, best: f64| value.map(|v| v / best).filter(|r| *r > 0.0);
    let shown = headlines.iter().filter_map(|headline| {
        let (own, best) = (headline.ratio()?, headline.rivals_best()?);
        Some((headline, own, best))
    });
    let shown: Vec<_> = shown.collect();
    let all = shown
        .iter()
        .flat_map(|(headline, _, best)| headline.values.iter().filter_map(|v| ratio(*v, *best)));
    let scale = Scale::over(all)?;
    let rows = shown.iter().map(|(headline, own, best)| {
        let (one, place) = (scale.place(1.0), scale.place(*own));
        let value = headline.values[0].unwrap_or_default();
        let marks = headline.values.iter().enumerate().skip(1);
        let marks = marks.filter_map(|(slot, value)| {
            let place = scale.place(ratio(*value, *best)?);
            let words = format!("{}: {}", drives[slot].label, text(headline.unit, (*value)?));
            Some((slot, css(place), words))
        });
        Row {
            name: number::bound(&headline.name),
            test_id: headline.test_id.clone(),
            figure: Cell::noted(text(headline.unit, value), difference(*own, 1.0)),
            from_percent: css(one.min(place)),
            width_percent: css((place - one).abs()),
            ahead: *own >= 1.0,
            // A single rival is the reference itself.
            marks: if rivals.len() > 1 {
                marks.collect()
            } else {
                Vec::new()
            },
        }
    });
    let drive = &drives[0].label;
    let (title, note) = match rivals {
        [only] => (
            message!("standing-title", rival = &only.label),
            message!("standing-note", drive = drive, rival = &only.label),
        ),
        _ => (
            say("standing-title-rivals"),
            message!("standing-note-best", drive = drive),
        ),
    };
    Some(Standing {
        title,
        note,
        drives: drives.iter().map(|drive| drive.label.clone()).collect(),
        ticks: scale.ticks(),
        one_percent: css(scale.place(1.0)),
        rows: rows.collect(),
    })
}

/// Formats a power of two: `1/16 ×`, `¼ ×`, `½ ×`, `1 ×`, `2 ×`.
fn multiple(power: i32) -> String {
    let text = match power {
        -1 => "½".to_owned(),
        -2 => "¼".to_owned(),
        -3 => "⅛".to_owned(),
        ..0 => format!("1/{}", number::factor(2f64.powi(-power))),
        _ => number::factor(2f64.powi(power)),
    };
    format!("{text}\u{a0}×")
}

fn css(percent: f64) -> String {
    format!("{percent:.2}")
}

/// Most steps between the ticks of the axis.
const TICKS_MAX: i32 = 7;

/// Most ticks whose labels fit beside each other on a narrow screen.
const TICKS_NARROW_MAX: usize = 5;

/// A logarithmic axis of ratios, from one power of two to another, with 1 in between.
struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    fn over(ratios: impl Iterator<Item = f64>) -> Option<Scale> {
        let logs: Vec<f64> = ratios.map(f64::log2).filter(|r| r.is_finite()).collect();
        let least = logs.iter().copied().reduce(f64::min)?;
        let greatest = logs.iter().copied().reduce(f64::max)?;
        // Slightly beyond the outermost, so that its mark is on the axis.
        Some(Scale {
            low: ((least - 0.05).floor() as i32).min(-1),
            high: ((greatest + 0.05).ceil() as i32).max(1),
        })
    }

    /// Returns the position of a ratio, percent of the axis.
    fn place(&self, ratio: f64) -> f64 {
        let span = f64::from(self.high - self.low);
        100.0 * ((ratio.log2() - f64::from(self.low)) / span).clamp(0.0, 1.0)
    }

    /// Returns ticks at powers of two; at every second one if there are many.
    fn ticks(&self) -> Vec<Tick> {
        let step = 1 + (self.high - self.low) / TICKS_MAX;
        let powers = (self.low..=self.high).filter(|power| power % step == 0);
        let crowded = powers.clone().count() > TICKS_NARROW_MAX;
        let tick = |power: i32| Tick {
            percent: css(self.place(2f64.powi(power))),
            text: multiple(power),
            class: match power {
                power if crowded && (power / step) % 2 != 0 => "minor",
                power if power == self.low => "first",
                power if power == self.high => "last",
                _ => "",
            },
        };
        powers.map(tick).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lies_within_the_axis() {
        let scale = Scale::over([0.3, 1.1].into_iter()).unwrap();
        assert_eq!((scale.low, scale.high), (-2, 1));
        assert!((scale.place(1.0) - 200.0 / 3.0).abs() < 1e-9);
        let ticks = scale.ticks();
        let texts: Vec<&str> = ticks.iter().map(|tick| &*tick.text).collect();
        assert_eq!(texts, ["¼\u{a0}×", "½\u{a0}×", "1\u{a0}×", "2\u{a0}×"]);
        let classes: Vec<&str> = ticks.iter().map(|tick| tick.class).collect();
        assert_eq!(classes, ["first", "", "", "last"]);
        let wide = Scale::over([0.04, 3.0].into_iter()).unwrap();
        let ticks = wide.ticks();
        let major = ticks.iter().filter(|tick| tick.class != "minor");
        let texts: Vec<&str> = major.map(|tick| &*tick.text).collect();
        assert_eq!(texts, ["1/16\u{a0}×", "¼\u{a0}×", "1\u{a0}×", "4\u{a0}×"]);
        assert!(Scale::over(std::iter::empty()).is_none());
        let even = Scale::over([1.0, 1.0].into_iter()).unwrap();
        assert_eq!(even.place(1.0), 50.0);
    }

    #[test]
    fn multiples_are_told_as_fractions() {
        assert_eq!(
            [-5, -2, -1, 0, 2].map(multiple),
            [
                "1/32\u{a0}×",
                "¼\u{a0}×",
                "½\u{a0}×",
                "1\u{a0}×",
                "4\u{a0}×"
            ]
        );
    }
}
