//! The key figures as a table.

use stend_analysis::figures::{KeyFigure, Unit, same};
use stend_analysis::{figure_title, key_figures};
use stend_language::say;

use crate::best;
use crate::drive::Drive;
use crate::number;
use crate::view::{Cell, Compared, Table};

/// Formats a value with its unit.
pub fn text(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Iops => number::iops(value),
        Unit::BytesPerS => number::mb_per_s(value),
        Unit::Bytes => number::gb(value),
        other => other.words(value),
    }
}

/// Formats the figure, with half the width of its 95 % interval if it was repeated: `512 MB/s ± 0.4
/// %`.
fn sure(figure: &KeyFigure) -> String {
    let share = figure.half_width.map(|half| half / figure.value);
    number::sure(text(figure.unit, figure.value), share)
}

/// Formats the difference from another figure as a signed share: +8 %, −2 %, +150 %; a share too
/// small for these digits has no sign: `< 0.1 %`.
pub fn difference(value: f64, other: f64) -> String {
    let ratio = value / other;
    if !ratio.is_finite() {
        return String::new();
    }
    let share = ratio - 1.0;
    if share != 0.0 && share.abs() < 0.000_5 {
        return format!("<\u{a0}{}", number::percent(0.001));
    }
    match number::percent(share) {
        text if ratio > 1.0 => format!("+{text}"),
        text => text.replace('-', "−"),
    }
}

/// Returns the table of key figures: the reviewed drive, then each rival with the reviewed drive's
/// difference from it.
pub fn table(drives: &[Drive<'_>]) -> Option<Table> {
    let all: Vec<Vec<KeyFigure>> = drives
        .iter()
        .map(|drive| key_figures(drive.tests))
        .collect();
    let reviewed = all.first().filter(|figures| !figures.is_empty())?;
    let mut rows = Vec::new();
    let mut test_before = "";
    for figure in reviewed {
        if test_before != figure.test_id {
            // A row of one cell heads a group.
            let test = drives[0].test(&figure.test_id);
            rows.push(vec![
                test.map_or_else(|| figure.test_id.clone(), |t| t.name())
                    .into(),
            ]);
            test_before = &figure.test_id;
        }
        let others: Vec<Option<&KeyFigure>> =
            all[1..].iter().map(|rival| same(rival, figure)).collect();
        let cell = |of: &KeyFigure, note: String| Cell::noted(sure(of), note).more(of.value);
        let mut row: Vec<Cell> = vec![
            number::bound(&figure_title(&figure.figure)).into(),
            cell(figure, String::new()),
        ];
        row.extend(others.iter().map(|other| {
            let told = other.map(|other| cell(other, difference(figure.value, other.value)));
            Cell::from(told)
        }));
        rows.push(row);
    }
    let caption = say(match drives.len() {
        1 => "key-caption",
        _ => "key-caption-rivals",
    });
    let mut table = Table {
        // With more drives the remarks must be below the figures.
        fitting: drives.len() <= 3,
        ..Table::of_drives(caption, &say("head-figure"), drives, rows).comparing(Compared::InRow(1))
    };
    best::mark([&mut table]);
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_signed_shares() {
        assert_eq!(difference(108.0, 100.0), "+8\u{a0}%");
        assert_eq!(difference(98.0, 100.0), "−2\u{a0}%");
        assert_eq!(difference(250.0, 100.0), "+150\u{a0}%");
        assert_eq!(difference(20.0, 100.0), "−80\u{a0}%");
        assert_eq!(difference(1.0, 0.0), "");
        assert_eq!(difference(0.0, 0.0), "");
        assert_eq!(difference(100.0, 100.0), "0\u{a0}%");
        for other in [100.02, 99.98] {
            assert_eq!(difference(100.0, other), "<\u{a0}0.1\u{a0}%");
        }
        assert_eq!(difference(100.0, 100.06), "−0.1\u{a0}%");
    }
}
