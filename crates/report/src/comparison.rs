//! Differences between the sides of a comparison.

use std::collections::BTreeSet;

use stend_analysis::compare::Unlike;
use stend_language::{Text, say, text, unit};
use stend_record::review::{Review, TargetInfo};

use crate::drive::Drive;
use crate::number;
use crate::view::{Cell, Table};

/// Differences between the sides of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison<'a> {
    /// Conditions of the measurements that differ.
    pub conditions: &'a [Unlike],
    /// Figures of the models that differ.
    pub models: &'a [Unlike],
    /// The user's label of each side's review.
    pub labels: &'a [Option<String>],
    /// Names that distinguish sides with the same drive, from [`side_name`]; empty if there are
    /// none.
    pub names: &'a [String],
}

/// Names a side of a comparison by the number and the label of its run.
pub fn side_name(drive: &str, run: i64, label: Option<&str>) -> String {
    let run = run.to_string();
    match label {
        Some(label) => text!(
            "terminal-side-label",
            drive = drive,
            run = run,
            label = label
        ),
        None => text!("terminal-side", drive = drive, run = run),
    }
}

/// Returns the review with these names for sides with the same drive, so that a reader can
/// distinguish them.
pub(crate) fn told_apart(review: &Review, names: &[String]) -> Review {
    let called = |target: &TargetInfo| (target.title.clone(), target.name.clone());
    let rivals = review.rivals.iter().map(|rival| called(&rival.target));
    let all: Vec<_> = std::iter::once(called(&review.target))
        .chain(rivals)
        .collect();
    let mut out = review.clone();
    let rivals = out.rivals.iter_mut().map(|rival| &mut rival.target);
    let targets = std::iter::once(&mut out.target).chain(rivals);
    for ((target, own), name) in targets.zip(&all).zip(names) {
        if all.iter().filter(|other| *other == own).count() > 1 {
            target.title.clone_from(name);
        }
    }
    out
}

/// The differences as tables.
pub(crate) struct Differences {
    pub(crate) conditions: Option<Table>,
    pub(crate) models: Option<Table>,
}

impl Differences {
    pub(crate) fn of(comparison: &Comparison<'_>, drives: &[Drive<'_>]) -> Differences {
        let table = |heads: [&str; 2], rows: &[Unlike]| {
            (!rows.is_empty()).then(|| unlike_table(heads.map(say), rows, drives))
        };
        Differences {
            conditions: table(
                ["conditions-that-differ", "condition"],
                comparison.conditions,
            ),
            models: table(["models-that-differ", "model-figure"], comparison.models),
        }
    }
}

/// Formats the values of a difference. Numbers of bytes have a unit, unless different ones would
/// look the same.
fn values_text(row: &Unlike) -> Vec<String> {
    let known = || row.values.iter().flatten();
    let bytes = |value: &Text| number::bytes_in(row.name.id().unwrap_or_default(), value);
    let all: BTreeSet<Option<u64>> = known().map(bytes).collect();
    let short: BTreeSet<String> = all.iter().flatten().map(|n| number::bytes(*n)).collect();
    let text = |value: &Text| match bytes(value) {
        Some(bytes) if short.len() == all.iter().flatten().count() => number::bytes(bytes),
        Some(bytes) => format!("{}\u{a0}{}", number::whole(bytes), unit("B")),
        None => value.to_string(),
    };
    let values = row.values.iter();
    values
        .map(|value| value.as_ref().map_or_else(|| say("not-known"), text))
        .collect()
}

/// Returns a table of the differences, a row each, with a column for each side; `head` is the title
/// of the names.
fn unlike_table([caption, head]: [String; 2], unlike: &[Unlike], drives: &[Drive<'_>]) -> Table {
    let rows = unlike.iter().map(|row| {
        let values = values_text(row).into_iter().take(drives.len());
        let values = values.map(Cell::from);
        let name = Cell::from(row.name.to_string());
        let mut cells: Vec<Cell> = std::iter::once(name).chain(values).collect();
        cells.resize(drives.len() + 1, number::MISSING.into());
        cells
    });
    Table::of_drives(caption, &head, drives, rows).of_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_language::recorded;

    #[test]
    fn bytes_have_a_unit() {
        let row = |name: &str, values: [Text; 2]| {
            values_text(&Unlike {
                name: Text::named("condition", name),
                values: values.map(Some).to_vec(),
            })
        };
        let words = |values: [&str; 2]| values.map(Text::from);
        assert_eq!(
            row("logical-block-bytes", words(["512", "4096"])),
            ["512\u{a0}B", "4\u{a0}KiB"]
        );
        assert_eq!(
            row("bytes-under-test", words(["8000000000", "240057409536"])),
            ["8.00\u{a0}GB (7.45\u{a0}GiB)", "240\u{a0}GB (224\u{a0}GiB)"]
        );
        assert_eq!(
            row("bytes-under-test", words(["8000000000", "8000000512"])),
            ["8,000,000,000\u{a0}B", "8,000,000,512\u{a0}B"]
        );
        let figures = ["8192 B", "4096 B"].map(|figure| recorded!("figure", figure = figure));
        assert_eq!(row("page_bytes", figures), ["8\u{a0}KiB", "4\u{a0}KiB"]);
        assert_eq!(row("edition", words(["2014", "2018"])), ["2014", "2018"]);
    }
}
