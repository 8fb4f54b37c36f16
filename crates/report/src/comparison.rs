//! What was not the same for all sides of a comparison.

use stend_analysis::compare::Unlike;
use stend_language::{recorded, recorded_parts, say, text};
use stend_record::review::{Review, TargetInfo};

use crate::drive::Drive;
use crate::number;
use crate::view::{Cell, Table};

/// What was not the same for all sides of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison<'a> {
    /// Conditions of measuring.
    pub conditions: &'a [Unlike],
    /// Figures of the models.
    pub models: &'a [Unlike],
    /// What the user calls each side's review.
    pub labels: &'a [Option<String>],
    /// What tells each side from others of the same drive, as [`side_name`]; empty where none has.
    pub names: &'a [String],
}

/// A side of a comparison with the number and the label of its run.
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

/// A review of which the sides of one drive are called by these names, so that a reader can tell
/// them apart.
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

/// The same as tables.
pub(crate) struct Differences {
    pub(crate) conditions: Option<Table>,
    pub(crate) models: Option<Table>,
}

impl Differences {
    pub(crate) fn of(comparison: &Comparison<'_>, drives: &[Drive<'_>]) -> Differences {
        let table = |[caption, head]: [&str; 2], rows: &[Unlike], said: Said| {
            let heads = [caption, head].map(say);
            (!rows.is_empty()).then(|| unlike_table(heads, rows, said, drives))
        };
        let (conditions, models) = (comparison.conditions, comparison.models);
        let heads_of_models = ["models-that-differ", "model-figure"];
        Differences {
            conditions: table(
                ["conditions-that-differ", "condition"],
                conditions,
                recorded,
            ),
            // What is no figure with a unit stays as drive files have it.
            models: table(heads_of_models, models, recorded_parts),
        }
    }
}

/// A recorded text in the page's language.
type Said = fn(&str) -> String;

/// What differs, a row each, a column for each side; under a caption, with the head of the names.
fn unlike_table(
    [caption, head]: [String; 2],
    unlike: &[Unlike],
    said: Said,
    drives: &[Drive<'_>],
) -> Table {
    let rows = unlike.iter().map(|row| {
        let values = row
            .values
            .iter()
            .take(drives.len())
            .map(|value| match value {
                Some(value) => Cell::from(said(value)),
                None => say("not-known").into(),
            });
        let name = Cell::from(recorded(&row.name));
        let mut cells: Vec<Cell> = std::iter::once(name).chain(values).collect();
        cells.resize(drives.len() + 1, number::MISSING.into());
        cells
    });
    Table::of_drives(caption, &head, drives, rows).of_text()
}
