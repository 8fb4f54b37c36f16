//! The flat table of figures: one row per figure.

use stend_analysis::compare::flat_figures;
use stend_lab::{Kind, Lab, RunId, Table};
use stend_record::review::ModelInfo;
use stend_record::study::Cell;

use crate::failure::Failure;

/// Name of the table.
pub const NAME: &str = "figures";

const COLUMNS: [(&str, Kind); 11] = [
    ("run", Kind::Integer),
    ("label", Kind::Text),
    ("drive", Kind::Text),
    ("fingerprint", Kind::Text),
    ("changes", Kind::Text),
    ("edition", Kind::Text),
    ("test", Kind::Text),
    ("load", Kind::Text),
    ("figure", Kind::Text),
    ("value", Kind::Real),
    ("unit", Kind::Text),
];

/// Returns the key figures and points of all runs, or of the given ones.
pub fn table(lab: &Lab, runs: Option<&[RunId]>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for run in lab.runs()? {
        let id = RunId(run.run);
        if runs.is_some_and(|wanted| !wanted.contains(&id)) {
            continue;
        }
        let review = lab.review(id)?;
        let changes = review
            .target
            .model
            .as_ref()
            .map(ModelInfo::changes_in_words);
        let text = |text: &str| match text {
            "" => Cell::Empty,
            text => Cell::Text(text.to_owned()),
        };
        for figure in flat_figures(&review) {
            rows.push(vec![
                Cell::Whole(run.run),
                text(run.label.as_deref().unwrap_or_default()),
                text(&run.drive.title),
                text(&run.drive.fingerprint),
                text(changes.as_deref().unwrap_or_default()),
                text(&run.edition),
                text(&figure.test_id),
                text(&figure.load),
                text(&figure.name),
                Cell::Real(figure.value),
                text(figure.unit.key()),
            ]);
        }
    }
    Ok(Table {
        name: NAME.to_owned(),
        columns: COLUMNS.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
        rows,
    })
}
