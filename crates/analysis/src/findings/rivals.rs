//! Compares a drive's figures with its rivals'.

use stend_language::{say, text};
use stend_record::review::TestResult;

use super::drives::DriveFigures;
use crate::figures::{KeyFigure, Standing, Unit, same};
use crate::kinds::figure_title;
use crate::words::{list, percent, times, uncapitalised};

/// Most figures that a sentence names.
const NAMED_MAX: usize = 3;

/// Compares a test's key figures with those of the rivals that have them.
pub(super) fn sentence(test: &TestResult, drives: &[DriveFigures]) -> Option<String> {
    let (reviewed, rivals) = drives.split_first()?;
    let several_curves = test.curves().len() > 1;
    let all: Vec<Compared<'_>> = reviewed
        .figures
        .iter()
        .filter(|figure| figure.test_id == test.id)
        // The test of the first curve reports the starts of curves.
        .filter(|figure| !several_curves || figure.unit == Unit::Bytes)
        .filter_map(|figure| Compared::of(figure, rivals))
        .collect();
    match &all[..] {
        [] => None,
        [only] => Some(only.alone()),
        all => Some(of_several(all, rivals)),
    }
}

/// Reports the figures in which the drive leads and those in which it does not, with the widest
/// gap.
fn of_several(all: &[Compared<'_>], rivals: &[DriveFigures]) -> String {
    let (behind, leading): (Vec<_>, Vec<_>) = all
        .iter()
        .partition(|compared| compared.standing() == Standing::Behind);
    // With several rivals, the messages name none.
    let (count, rival) = (rivals.len(), rivals[0].label.as_str());
    let by_gap = |a: &&&Compared<'_>, b: &&&Compared<'_>| a.ratio().total_cmp(&b.ratio());
    let widest = behind.iter().min_by(by_gap);
    let best = leading.iter().max_by(by_gap);
    match (widest, best) {
        (Some(widest), None) => {
            let (id, gap) = ("rivals-all-behind", widest.gap());
            text!(
                id,
                rivals = count,
                rival = rival,
                figures = all.len(),
                gap = gap
            )
        }
        (None, Some(best)) if best.standing() == Standing::Level => {
            text!(
                "rivals-all-level",
                rivals = count,
                rival = rival,
                figures = all.len()
            )
        }
        (None, Some(best)) => text!(
            "rivals-none-behind",
            rivals = count,
            rival = rival,
            lead = lead(best.ratio()),
            figure = best.quoted()
        ),
        (Some(widest), Some(_)) => {
            let id = match behind.len() {
                1 => "rivals-one-behind",
                _ => "rivals-some-behind",
            };
            let leading = named(&leading, all.len());
            text!(id, leading = leading, gap = widest.gap())
        }
        (None, None) => String::new(),
    }
}

/// Lists the names of a few figures, or returns their number.
fn named(some: &[&Compared<'_>], of: usize) -> String {
    match some.len() {
        count @ 0..=NAMED_MAX => {
            let names = list(&some.iter().map(|c| c.quoted()).collect::<Vec<_>>());
            text!("rivals-leading-names", count = count, names = names)
        }
        count => text!("rivals-leading-count", count = count, of = of),
    }
}

/// A key figure compared with the rivals'.
struct Compared<'a> {
    figure: &'a KeyFigure,
    /// The rival with the greatest figure.
    best: &'a str,
    best_figure: &'a KeyFigure,
    /// Number of rivals that have the figure.
    rivals: usize,
}

impl<'a> Compared<'a> {
    /// Returns `None` if no rival has the figure.
    fn of(figure: &'a KeyFigure, rivals: &'a [DriveFigures]) -> Option<Compared<'a>> {
        let theirs: Vec<(&str, &KeyFigure)> = rivals
            .iter()
            .filter_map(|r| Some((r.label.as_str(), same(&r.figures, figure)?)))
            .collect();
        let by_value =
            |a: &&(&str, &KeyFigure), b: &&(&str, &KeyFigure)| a.1.value.total_cmp(&b.1.value);
        let (best, best_figure) = *theirs.iter().max_by(by_value)?;
        Some(Compared {
            figure,
            best,
            best_figure,
            rivals: theirs.len(),
        })
    }

    fn standing(&self) -> Standing {
        self.figure.standing(self.best_figure)
    }

    /// Returns the drive's figure as a multiple of the best rival's.
    fn ratio(&self) -> f64 {
        match (self.figure.value, self.best_figure.value) {
            (_, 0.0) => f64::INFINITY,
            (own, best) => own / best,
        }
    }

    /// Quotes the name for the middle of a sentence: `“read, depth 4”`.
    fn quoted(&self) -> String {
        text!(
            "quoted-name",
            name = uncapitalised(&figure_title(&self.figure.figure))
        )
    }

    /// Reports the only figure of a test.
    fn alone(&self) -> String {
        let value = self.figure.unit.words(self.best_figure.value);
        let (best, rivals) = (self.best, self.rivals);
        match self.standing() {
            Standing::Level => {
                text!(
                    "rivals-alone-level",
                    rivals = rivals,
                    best = best,
                    value = value
                )
            }
            Standing::Ahead => {
                let (id, lead) = ("rivals-alone-ahead", lead(self.ratio()));
                text!(id, rivals = rivals, best = best, value = value, lead = lead)
            }
            Standing::Behind => {
                let (id, more) = ("rivals-alone-behind", self.more());
                text!(id, rivals = rivals, best = best, value = value, more = more)
            }
        }
    }

    /// Formats the lead of the best rival: `1.9 times as much`, `12 % more`.
    fn more(&self) -> String {
        match 1.0 / self.ratio() {
            ratio if !ratio.is_finite() => say("rivals-more-nothing"),
            ratio if ratio >= 1.5 => text!("rivals-more-times", times = times(ratio)),
            ratio => text!("rivals-more-share", share = percent(ratio - 1.0)),
        }
    }

    /// Formats the gap: `“write, depth 4”, where Crucial BX100 reaches 69,900 IOPS, 2.8 times as
    /// much`.
    fn gap(&self) -> String {
        let value = self.figure.unit.words(self.best_figure.value);
        let (name, best, more) = (self.quoted(), self.best, self.more());
        text!(
            "rivals-gap",
            figure = name,
            best = best,
            value = value,
            more = more
        )
    }
}

/// Formats the lead of a figure: `12 %`, `2.3 times`.
fn lead(ratio: f64) -> String {
    match ratio {
        ratio if !ratio.is_finite() => say("rivals-lead-far"),
        ratio if ratio >= 2.0 => text!("rivals-lead-times", times = times(ratio)),
        ratio => text!("rivals-lead-share", share = percent(ratio - 1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_record::figure::FigureId;

    fn figure(name: &str, value: f64) -> KeyFigure {
        KeyFigure {
            test_id: "t".into(),
            figure: FigureId::Titled(name.into()),
            value,
            unit: Unit::BytesPerS,
            half_width: None,
        }
    }

    fn drive(label: &str, figures: &[(&str, f64)]) -> DriveFigures {
        DriveFigures {
            label: label.into(),
            figures: figures
                .iter()
                .map(|(name, value)| figure(name, *value))
                .collect(),
        }
    }

    fn told(own: &[(&str, f64)], rivals: &[(&str, &[(&str, f64)])]) -> String {
        let mut drives = vec![drive("Own", own)];
        drives.extend(rivals.iter().map(|(label, figures)| drive(label, figures)));
        let test = TestResult {
            id: "t".into(),
            ..TestResult::default()
        };
        sentence(&test, &drives).unwrap()
    }

    #[test]
    fn a_single_figure_is_set_beside_the_best() {
        let (a, b): (&[_], &[_]) = (&[("Read", 300e6)], &[("Read", 500e6)]);
        for (value, words) in [
            (
                550e6,
                "It is 10 % ahead of B (500 MB/s), the best of its rivals.",
            ),
            (
                1100e6,
                "It is 2.2 times ahead of B (500 MB/s), the best of its rivals.",
            ),
            (
                495e6,
                "It is level with B (500 MB/s), the best of its rivals.",
            ),
            (
                400e6,
                "B, the best of its rivals, reaches 500 MB/s, 25 % more.",
            ),
            (
                150e6,
                "B, the best of its rivals, reaches 500 MB/s, 3.33 times as much.",
            ),
        ] {
            assert_eq!(told(&[("Read", value)], &[("A", a), ("B", b)]), words);
        }
        let one: &[(&str, &[_])] = &[("A", a)];
        assert_eq!(
            told(&[("Read", 294e6)], one),
            "It is level with A (300 MB/s)."
        );
        assert_eq!(
            told(&[("Read", 200e6)], one),
            "A reaches 300 MB/s, 1.5 times as much."
        );
    }

    #[test]
    fn intervals_decide_where_both_are_known() {
        for (value, half, other_half, standing) in [
            (104.0, Some(3.0), Some(3.0), Standing::Level),
            (104.0, Some(3.0), Some(2.0), Standing::Ahead),
            (101.0, Some(0.1), Some(0.1), Standing::Ahead),
            (99.0, Some(0.0), Some(0.0), Standing::Behind),
            (100.04, Some(0.0), Some(0.0), Standing::Level),
            (101.0, Some(0.1), None, Standing::Level),
        ] {
            let with = |value, half_width| KeyFigure {
                half_width,
                ..figure("Read", value)
            };
            let rival = DriveFigures {
                figures: vec![with(100.0, other_half)],
                ..drive("A", &[])
            };
            let own = with(value, half);
            let rivals = [rival];
            let compared = Compared::of(&own, &rivals).unwrap();
            assert_eq!(
                compared.standing(),
                standing,
                "{value} {half:?} {other_half:?}"
            );
        }
    }

    #[test]
    fn of_several_figures_the_widest_gap_is_told() {
        let figures = |read, write| [("Read", read), ("Write", write)];
        let (a, b) = (figures(300e6, 300e6), figures(500e6, 200e6));
        let rivals: &[(&str, &[_])] = &[("A", &a), ("B", &b)];
        assert_eq!(
            told(&figures(550e6, 100e6), rivals),
            "It leads or is level in “read”; not so in “write”, where A reaches 300 MB/s, 3 \
             times as much."
        );
        assert_eq!(
            told(&figures(400e6, 100e6), rivals),
            "For each figure there is a faster rival; the widest gap is in “write”, where A \
             reaches 300 MB/s, 3 times as much."
        );
        assert_eq!(
            told(&figures(600e6, 300e6), rivals),
            "No figure falls behind the best of its rivals; the widest lead is 20 % in “read”."
        );
        let one: &[(&str, &[_])] = &[("A", &a)];
        assert_eq!(
            told(&figures(100e6, 200e6), one),
            "It is behind A in both figures; the widest gap is in “read”, where A reaches \
             300 MB/s, 3 times as much."
        );
        assert_eq!(
            told(&figures(301e6, 299e6), one),
            "It is level with A in both figures."
        );
    }
}
