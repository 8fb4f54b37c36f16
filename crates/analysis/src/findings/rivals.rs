//! How a drive's figures compare with its rivals'.

use stend_record::review::TestResult;

use super::drives::DriveFigures;
use crate::figures::{KeyFigure, Standing, Unit, same};
use crate::kinds::curve::curves_of;
use crate::words::{percent, times, uncapitalised};

/// A test's key figures against those of the rivals that have them.
pub(super) fn sentence(test: &TestResult, drives: &[DriveFigures]) -> Option<String> {
    let (reviewed, rivals) = drives.split_first()?;
    let several_curves = curves_of(test).len() > 1;
    let all: Vec<Compared<'_>> = reviewed
        .figures
        .iter()
        .filter(|figure| figure.test_id == test.id)
        // The test of the first curve states where curves start.
        .filter(|figure| !several_curves || figure.unit == Unit::Bytes)
        .filter_map(|figure| Compared::of(figure, rivals))
        .collect();
    let first = all.first()?;
    let one_best = all.iter().all(|c| c.best == first.best);
    let whom = match rivals {
        [only] => only.label.clone(),
        _ if one_best && all.len() > 1 => {
            format!("its rivals, of which {} is the best in each", first.best)
        }
        _ => "its rivals".to_owned(),
    };
    let named = rivals.len() > 1 && !(one_best && all.len() > 1);
    let items: Vec<String> = all.iter().map(|c| c.words(rivals.len(), named)).collect();
    Some(format!("Against {whom}: {}.", items.join("; ")))
}

/// A key figure among those of the rivals.
struct Compared<'a> {
    figure: &'a KeyFigure,
    /// One more than the rivals that are ahead.
    place: usize,
    /// Drives that have the figure.
    drives: usize,
    /// The rival with the greatest figure.
    best: &'a str,
    best_figure: &'a KeyFigure,
}

impl<'a> Compared<'a> {
    /// `None` where no rival has the figure.
    fn of(figure: &'a KeyFigure, rivals: &'a [DriveFigures]) -> Option<Compared<'a>> {
        let theirs: Vec<(&str, &KeyFigure)> = rivals
            .iter()
            .filter_map(|r| Some((r.label.as_str(), same(&r.figures, figure)?)))
            .collect();
        let by_value =
            |a: &&(&str, &KeyFigure), b: &&(&str, &KeyFigure)| a.1.value.total_cmp(&b.1.value);
        let (best, best_figure) = *theirs.iter().max_by(by_value)?;
        let ahead = |other: &KeyFigure| other.standing(figure) == Standing::Ahead;
        Some(Compared {
            figure,
            place: 1 + theirs.iter().filter(|(_, other)| ahead(other)).count(),
            drives: 1 + theirs.len(),
            best,
            best_figure,
        })
    }

    /// `read, depth 4, 8 % below (9,900 IOPS)`; of several rivals with the place, and
    /// where the best is `named`, with its name.
    fn words(&self, rivals: usize, named: bool) -> String {
        // A name of several parts is parted from what is said of it.
        let mut name = uncapitalised(&self.figure.name).replace(": ", " ");
        if name.contains(", ") {
            name.push(',');
        }
        let value = self.figure.unit.words(self.best_figure.value);
        let relation = relation(self.figure, self.best_figure);
        let (relation, whom) = match (named, relation.as_str()) {
            (true, "level") => ("level with".to_owned(), format!(" {}", self.best)),
            (true, _) => (relation, format!(" {}", self.best)),
            (false, text) if text.ends_with(" times") => (relation + " as much", String::new()),
            (false, _) => (relation, String::new()),
        };
        if rivals == 1 {
            return format!("{name} {relation} ({value})");
        }
        let (place, drives) = (self.place, self.drives);
        format!("{name} place {place} of {drives}, {relation}{whom} ({value})")
    }
}

/// How a value compares with another: `level`, `8 % below`, `2.3 times`.
fn relation(figure: &KeyFigure, other: &KeyFigure) -> String {
    let ratio = figure.value / other.value;
    match figure.standing(other) {
        Standing::Level => "level".to_owned(),
        Standing::Ahead if !ratio.is_finite() => "above".to_owned(),
        Standing::Ahead if ratio >= 2.0 => times(ratio),
        Standing::Ahead => format!("{} above", percent(ratio - 1.0)),
        Standing::Behind => format!("{} below", percent(1.0 - ratio)),
    }
}

/// How often the reviewed drive is ahead of each rival, over all the key figures that both
/// have, and with which of them it can hardly be compared.
pub(super) fn comparison(drives: &[DriveFigures]) -> Vec<String> {
    let Some((reviewed, rivals)) = drives.split_first() else {
        return Vec::new();
    };
    let mut standings = Vec::new();
    let mut unlike = Vec::new();
    for rival in rivals {
        let all: Vec<Standing> = reviewed
            .figures
            .iter()
            .filter_map(|f| Some(f.standing(same(&rival.figures, f)?)))
            .collect();
        if all.is_empty() {
            continue;
        }
        let count = |wanted| all.iter().filter(|s| **s == wanted).count();
        standings.push(format!(
            "Of {} key figures it is ahead of {} in {}, level in {} and behind in {}.",
            all.len(),
            rival.label,
            count(Standing::Ahead),
            count(Standing::Level),
            count(Standing::Behind),
        ));
        if rival.kind != reviewed.kind {
            unlike.push(rival.label.as_str());
        }
    }
    if !unlike.is_empty() {
        standings.push(format!(
            "Not measured in the same way (see the conditions), so compare with care: {}.",
            unlike.join(", ")
        ));
    }
    standings
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::review::TargetKind;

    fn figure(value: f64, half_width: Option<f64>) -> KeyFigure {
        KeyFigure {
            test_id: "t".into(),
            name: "Read".into(),
            value,
            unit: Unit::BytesPerS,
            half_width,
        }
    }

    #[test]
    fn intervals_decide_where_both_are_known() {
        for (value, half, other_half, words) in [
            (104.0, Some(3.0), Some(3.0), "level"),
            (104.0, Some(3.0), Some(2.0), "4 % above"),
            (101.0, Some(0.1), Some(0.1), "1 % above"),
            (99.0, Some(0.0), Some(0.0), "1 % below"),
            (100.04, Some(0.0), Some(0.0), "level"),
            (101.0, Some(0.1), None, "level"),
        ] {
            let (own, other) = (figure(value, half), figure(100.0, other_half));
            assert_eq!(
                relation(&own, &other),
                words,
                "{value} {half:?} {other_half:?}"
            );
        }
    }

    #[test]
    fn words_follow_the_ratio() {
        for (value, other, words) in [
            (101.9, 100.0, "level"),
            (98.1, 100.0, "level"),
            (97.9, 100.0, "2.1 % below"),
            (103.0, 100.0, "3 % above"),
            (92.0, 100.0, "8 % below"),
            (230.0, 100.0, "2.3 times"),
            (30.0, 100.0, "70 % below"),
            (1.0, 0.0, "above"),
            (0.0, 0.0, "level"),
        ] {
            let relation = relation(&figure(value, None), &figure(other, None));
            assert_eq!(relation, words, "{value} to {other}");
        }
    }

    fn told(value: f64, rivals: &[(&str, f64)]) -> String {
        let rivals: Vec<DriveFigures> = rivals
            .iter()
            .map(|(label, value)| DriveFigures {
                label: (*label).into(),
                kind: TargetKind::Simulated,
                figures: vec![figure(*value, None)],
            })
            .collect();
        let figure = figure(value, None);
        let compared = Compared::of(&figure, &rivals).unwrap();
        compared.words(rivals.len(), rivals.len() > 1)
    }

    #[test]
    fn the_place_among_rivals_is_told() {
        let two = [("A", 300e6), ("B", 500e6)];
        for (value, words) in [
            (550e6, "read place 1 of 3, 10 % above B (500 MB/s)"),
            (1100e6, "read place 1 of 3, 2.2 times B (500 MB/s)"),
            (495e6, "read place 1 of 3, level with B (500 MB/s)"),
            (400e6, "read place 2 of 3, 20 % below B (500 MB/s)"),
            (150e6, "read place 3 of 3, 70 % below B (500 MB/s)"),
        ] {
            assert_eq!(told(value, &two), words);
        }
        assert_eq!(told(294e6, &two[..1]), "read level (300 MB/s)");
        assert_eq!(told(900e6, &two[..1]), "read 3 times as much (300 MB/s)");
    }
}
