//! Judges findings by the drives that were measured.

use stend_language::{numeral, say, text};

use super::figure::{Figure, Missing};
use super::reading::Reading;
use super::{ABOUT_PERCENT, Article, Bounds, By, Check, Drives, Finding, Relation};
use crate::figures::Unit;
use crate::words::{self, number};

/// Outcome of a check or a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// Some measurements are missing; those that exist do not contradict it.
    Open,
    /// It does not hold.
    Fails,
}

/// A judged finding.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedFinding<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Holds if all checks hold; fails if one fails.
    pub outcome: Outcome,
    /// The checks, in the order of the file.
    pub checks: Vec<JudgedCheck<'a>>,
    /// True if the outcome changes when its loose words are read otherwise.
    pub turned_by_reading: bool,
}

/// A judged check.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedCheck<'a> {
    /// The check.
    pub check: &'a Check,
    /// The figure.
    pub figure: &'a Figure,
    /// Expected result in words.
    pub expected: String,
    /// Actual result in words.
    pub got: String,
    /// Fails if one comparison fails.
    pub outcome: Outcome,
    /// The comparisons, each judged on its own.
    pub comparisons: Vec<Comparison>,
}

/// The figure of one drive and the figure that it was compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The drive.
    pub drive: String,
    /// Its figure.
    pub value: Option<f64>,
    /// Other side of the comparison: a drive, or `the greatest of …`.
    pub against: Option<String>,
    /// Figure of the other side.
    pub against_value: Option<f64>,
    /// The number that was judged: the figure itself, a multiple, or a place.
    pub judged: Option<f64>,
    /// Outcome of this comparison.
    pub outcome: Outcome,
    /// Reason why there is no judged number.
    pub problem: Option<String>,
}

/// Judges all findings of an article, in the article's order.
pub fn judge<'a>(article: &'a Article, drives: &Drives<'_>) -> Vec<JudgedFinding<'a>> {
    let judged = |finding: &'a Finding| {
        let checks: Vec<JudgedCheck<'a>> = finding
            .checks
            .iter()
            .map(|check| Judge::of(article, drives, check).check())
            .collect();
        let outcome = worst(checks.iter().map(|check| check.outcome));
        JudgedFinding {
            finding,
            outcome,
            turned_by_reading: turned_by_reading(article, drives, &checks, outcome),
            checks,
        }
    };
    article.findings.iter().map(judged).collect()
}

/// True if a finding with this outcome would change it with its loose words read otherwise.
fn turned_by_reading(
    article: &Article,
    drives: &Drives<'_>,
    checks: &[JudgedCheck<'_>],
    outcome: Outcome,
) -> bool {
    let (reading, other) = match outcome {
        Outcome::Holds => (Reading::Narrower, Outcome::Fails),
        Outcome::Fails => (Reading::Wider, Outcome::Holds),
        Outcome::Open => return false,
    };
    let read = |judged: &JudgedCheck<'_>| match reading.of(judged.check) {
        Some(check) => Judge::of(article, drives, &check).check().outcome,
        None => judged.outcome,
    };
    worst(checks.iter().map(read)) == other
}

fn worst(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    outcomes.max().unwrap_or(Outcome::Open)
}

fn passed(passes: bool) -> Outcome {
    match passes {
        true => Outcome::Holds,
        false => Outcome::Fails,
    }
}

/// One check on the measured drives.
struct Judge<'a, 'd, 'r> {
    article: &'a Article,
    drives: &'d Drives<'r>,
    check: &'a Check,
    figure: &'a Figure,
}

type Found = Result<f64, Missing>;

impl<'a, 'd, 'r> Judge<'a, 'd, 'r> {
    fn of(article: &'a Article, drives: &'d Drives<'r>, check: &'a Check) -> Judge<'a, 'd, 'r> {
        Judge {
            article,
            drives,
            check,
            figure: &article.figures[&check.figure],
        }
    }

    fn check(&self) -> JudgedCheck<'a> {
        let comparisons: Vec<Comparison> = self
            .check
            .drives
            .iter()
            .flat_map(|drive| self.drive(drive))
            .collect();
        JudgedCheck {
            check: self.check,
            figure: self.figure,
            expected: self.expected(),
            got: self.got(&comparisons),
            outcome: worst(comparisons.iter().map(|c| c.outcome)),
            comparisons,
        }
    }

    fn measure(&self, figure: &str, drive: &str) -> Found {
        match self.drives.get(drive) {
            Some(measured) => self.article.figures[figure].measure(measured),
            None => Err(Missing::NotMeasured(drive.to_owned())),
        }
    }

    fn drive(&self, drive: &str) -> Vec<Comparison> {
        let own = self.measure(&self.check.figure, drive);
        match &self.check.relation {
            Relation::Value(bounds) => {
                let judged = own.clone().map(|value| (value, bounds.hold(value)));
                vec![comparison(drive, &own, None, &judged)]
            }
            Relation::Ratio {
                figure,
                against,
                by,
                bounds,
            } => self.ratios(drive, &own, (figure, against.as_deref(), *by), bounds),
            Relation::Order { more, than } => others(than, drive)
                .map(|other| {
                    let its = self.measure(&self.check.figure, other);
                    let judged = both(&own, &its).map(|(own, its)| {
                        let passes = if *more { own > its } else { own < its };
                        (own / its, passes)
                    });
                    comparison(drive, &own, Some((other.to_owned(), &its)), &judged)
                })
                .collect(),
            Relation::Place {
                among,
                at_most,
                at_least,
            } => {
                let judged = self.place(drive, &own, among).map(|place| {
                    let passes = at_most.is_none_or(|bound| place <= bound)
                        && at_least.is_none_or(|bound| place >= bound);
                    (place as f64, passes)
                });
                vec![comparison(drive, &own, None, &judged)]
            }
        }
    }

    fn ratios(
        &self,
        drive: &str,
        own: &Found,
        (figure, against, by): (&str, Option<&[String]>, By),
        bounds: &Bounds,
    ) -> Vec<Comparison> {
        let compare = |name: String, its: &Found| {
            let judged = both(own, its).map(|(own, its)| (own / its, bounds.hold(own / its)));
            comparison(drive, own, Some((name, its)), &judged)
        };
        let Some(against) = against else {
            let its = self.measure(figure, drive);
            return vec![compare(self.article.figures[figure].title.clone(), &its)];
        };
        let all = others(against, drive).map(|other| (other, self.measure(figure, other)));
        if by == By::Each {
            return all
                .map(|(other, its)| compare(other.to_owned(), &its))
                .collect();
        }
        let all: Vec<(&str, Found)> = all.collect();
        let values = together(all.iter().map(|(_, its)| its.clone()));
        let its = values.map(|values| match by {
            By::Each | By::Greatest => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
            By::Least => values.into_iter().fold(f64::INFINITY, f64::min),
            By::Mean => values.iter().sum::<f64>() / values.len() as f64,
        });
        let names: Vec<String> = all.iter().map(|(other, _)| (*other).to_owned()).collect();
        vec![compare(self.whom(by, &names), &its)]
    }

    /// Returns the place of a drive: one plus the number of drives with a greater figure.
    fn place(&self, drive: &str, own: &Found, among: &[String]) -> Result<usize, Missing> {
        let theirs = others(among, drive).map(|other| self.measure(&self.check.figure, other));
        let own = own.clone();
        let all = together(std::iter::once(own).chain(theirs))?;
        Ok(1 + all[1..].iter().filter(|value| **value > all[0]).count())
    }

    fn expected(&self) -> String {
        let unit = self.figure.unit();
        match &self.check.relation {
            Relation::Value(bounds) => bounds.words(&|value| unit.words(value)),
            Relation::Ratio {
                figure,
                against,
                by,
                bounds,
            } => {
                let multiple = bounds.words(&|value| format!("{} ×", number(value)));
                let title = &self.article.figures[figure].title;
                match against {
                    None => format!("{multiple} {title}"),
                    Some(drives) => {
                        let whom = self.whom(*by, drives);
                        let whom = match figure == &self.check.figure {
                            true => whom,
                            false => text!("claims-figure-of", figure = title, whom = whom),
                        };
                        format!("{multiple} {whom}")
                    }
                }
            }
            Relation::Order { more, than } => {
                let whom = self.whom(By::Each, than);
                match more {
                    true => text!("claims-more-than", whom = whom),
                    false => text!("claims-less-than", whom = whom),
                }
            }
            Relation::Place {
                among,
                at_most,
                at_least,
            } => {
                let of = among.len();
                match (at_least, at_most) {
                    (Some(least), Some(most)) if least == most => {
                        text!("claims-place", place = *least, of = of)
                    }
                    (Some(least), Some(most)) => {
                        text!("claims-place-within", least = *least, most = *most, of = of)
                    }
                    (Some(least), None) => text!("claims-place-behind", place = *least, of = of),
                    (None, Some(1)) => text!("claims-place-first", of = of),
                    (None, Some(most)) => text!("claims-place-before", place = *most, of = of),
                    (None, None) => text!("claims-place-any", of = of),
                }
            }
        }
    }

    /// Formats the other drives: `the mean of a and b`, or the name of a single drive.
    fn whom(&self, by: By, drives: &[String]) -> String {
        match drives {
            [one] => one.clone(),
            _ => text!(by.message(), whom = self.named(drives)),
        }
    }

    fn named(&self, drives: &[String]) -> String {
        let same = |others: &[String]| drives.iter().all(|d| others.contains(d));
        if drives.len() > 2
            && drives.len() == self.article.rivals.len()
            && same(&self.article.rivals)
        {
            return text!("claims-the-rivals", count = drives.len());
        }
        words::list(drives)
    }

    /// Formats the figures. A drive with many comparisons gets their range, and the names of those
    /// that fail.
    fn got(&self, comparisons: &[Comparison]) -> String {
        let unit = self.figure.unit();
        let mut parts = Vec::new();
        for drive in &self.check.drives {
            let own: Vec<&Comparison> = comparisons.iter().filter(|c| c.drive == *drive).collect();
            let mut text = match own.first().and_then(|c| c.value) {
                Some(value) => unit.words(value),
                None => say("claims-no-figure"),
            };
            if self.check.drives.len() > 1 {
                text = format!("{drive}: {text}");
            }
            match &self.check.relation {
                Relation::Value(_) => {}
                Relation::Place { .. } => {
                    if let Some(place) = own.first().and_then(|c| c.judged) {
                        text += &text!("claims-at-place", place = place);
                    }
                }
                Relation::Ratio { .. } | Relation::Order { .. } => {
                    text += &multiples(&own, unit);
                }
            }
            parts.push(text);
        }
        let mut text = parts.join("; ");
        text += &lacking(comparisons);
        text
    }
}

/// Collects several figures, or all missing ones; those not measured have priority.
fn together(found: impl Iterator<Item = Found>) -> Result<Vec<f64>, Missing> {
    let (mut values, mut open, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for one in found {
        match one {
            Ok(value) => values.push(value),
            Err(Missing::NotMeasured(what)) => open.push(what),
            Err(Missing::NotThere(what)) => gone.push(what),
        }
    }
    match (open.is_empty(), gone.is_empty()) {
        (true, true) => Ok(values),
        (false, _) => Err(Missing::NotMeasured(words::list(&open))),
        (true, false) => Err(Missing::NotThere(words::list(&gone))),
    }
}

/// Returns the drives that a drive is compared with: all but itself.
fn others<'n>(names: &'n [String], drive: &'n str) -> impl Iterator<Item = &'n str> {
    names
        .iter()
        .map(String::as_str)
        .filter(move |name| *name != drive)
}

fn both(own: &Found, its: &Found) -> Result<(f64, f64), Missing> {
    Ok((own.clone()?, its.clone()?))
}

fn comparison(
    drive: &str,
    own: &Found,
    against: Option<(String, &Found)>,
    judged: &Result<(f64, bool), Missing>,
) -> Comparison {
    let (outcome, problem) = match judged {
        Ok((_, passes)) => (passed(*passes), None),
        Err(Missing::NotMeasured(what)) => (Outcome::Open, Some(what.clone())),
        Err(Missing::NotThere(what)) => (Outcome::Fails, Some(what.clone())),
    };
    Comparison {
        drive: drive.to_owned(),
        value: own.as_ref().ok().copied(),
        against_value: against
            .as_ref()
            .and_then(|(_, its)| its.as_ref().ok().copied()),
        against: against.map(|(name, _)| name),
        judged: judged.as_ref().ok().map(|(number, _)| *number),
        outcome,
        problem,
    }
}

/// Formats a multiple with three significant digits; with more if it would read as 1 without being
/// 1, because the check may be judged by that difference.
fn multiple(value: f64) -> String {
    let rounded = number(value);
    if value == 1.0 || rounded != number(1.0) {
        return rounded;
    }
    let mut finer = (3..=6).map(|digits| format!("{value:.digits$}"));
    let told = finer.find(|text| text.trim_end_matches('0') != "1.");
    told.map_or(rounded, |text| numeral(&text))
}

/// Formats multiples: ` = 1.1 × a (480 IOPS)`; for several, the range from least to greatest, and
/// those that fail.
fn multiples(own: &[&Comparison], unit: Unit) -> String {
    let told = |c: &&&Comparison| c.judged.is_some();
    let measured: Vec<&&Comparison> = own.iter().filter(told).collect();
    let of = |c: &Comparison| {
        let value = c.against_value.map_or_else(String::new, |v| unit.words(v));
        let against = c.against.as_deref().unwrap_or_default();
        let times = multiple(c.judged.unwrap_or(f64::NAN));
        format!("{times} × {against} ({value})")
    };
    if let [one] = measured[..] {
        return format!(" = {}", of(one));
    }
    let numbers = || measured.iter().filter_map(|c| c.judged);
    let (Some(least), Some(most)) = (numbers().reduce(f64::min), numbers().reduce(f64::max)) else {
        return String::new();
    };
    let mut text = text!(
        "claims-theirs",
        least = multiple(least),
        most = multiple(most)
    );
    text.insert_str(0, " = ");
    let failing = measured.iter().filter(|c| c.outcome == Outcome::Fails);
    let failing: Vec<String> = failing.map(|c| of(c)).collect();
    if !failing.is_empty() {
        text += &text!("claims-not-of", which = words::list(&failing));
    }
    text
}

/// Formats the missing figures.
fn lacking(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for (outcome, id) in [
        (Outcome::Open, "claims-needs"),
        (Outcome::Fails, "claims-but"),
    ] {
        let mut problems: Vec<String> = comparisons
            .iter()
            .filter(|c| c.outcome == outcome)
            .filter_map(|c| c.problem.clone())
            .collect();
        problems.sort();
        problems.dedup();
        if !problems.is_empty() {
            text += &text!(id, what = words::list(&problems));
        }
    }
    text
}

impl By {
    fn message(self) -> &'static str {
        match self {
            By::Each => "claims-each-of",
            By::Greatest => "claims-greatest-of",
            By::Least => "claims-least-of",
            By::Mean => "claims-mean-of",
        }
    }
}

impl Bounds {
    /// Formats the bounds in words; `of` formats each number.
    fn words(&self, of: &dyn Fn(f64) -> String) -> String {
        let mut parts = Vec::new();
        if let Some(middle) = self.about {
            let percent = self.about_percent();
            let tolerance = match percent == ABOUT_PERCENT {
                true => String::new(),
                false => format!(" (± {} %)", number(percent)),
            };
            parts.push(text!("claims-about", value = of(middle) + &tolerance));
        }
        parts.extend(
            self.above
                .map(|bound| text!("claims-above", value = of(bound))),
        );
        if let (Some(least), Some(most)) = (self.at_least, self.at_most) {
            parts.push(text!("claims-between", least = of(least), most = of(most)));
        } else {
            parts.extend(
                self.at_least
                    .map(|bound| text!("claims-or-more", value = of(bound))),
            );
            parts.extend(
                self.at_most
                    .map(|bound| text!("claims-or-less", value = of(bound))),
            );
        }
        parts.extend(
            self.below
                .map(|bound| text!("claims-below", value = of(bound))),
        );
        parts.join(&say("claims-and"))
    }
}

#[cfg(test)]
mod tests {
    use super::multiple;

    #[test]
    fn a_multiple_that_is_not_one_does_not_read_as_one() {
        let told = [1.0, 1.003, 0.9996, 1.00001, 1.0 + 1e-9, 1.01, 0.5, 41.26].map(multiple);
        let expected = [
            "1", "1.003", "0.9996", "1.00001", "1", "1.01", "0.5", "41.3",
        ];
        assert_eq!(told, expected);
    }
}
