//! The samples of a row as a file of their own.

use std::path::{Path, PathBuf};

use stend_lab::{Format, Kind, LabError, Table};
use stend_load::Sample;
use stend_record::study::{Cell, StudyRow};

use crate::plan::Plan;

#[cfg(feature = "parquet")]
const FORMAT: Format = Format::Parquet;
#[cfg(not(feature = "parquet"))]
const FORMAT: Format = Format::Csv;

fn name(row: u64) -> String {
    format!("series-{row}")
}

/// Where the samples of a row are.
pub(crate) fn path(folder: &Path, row: u64) -> PathBuf {
    folder.join(format!("{}.{}", name(row), FORMAT.extension()))
}

/// The samples of a row as a table: `t_s` (end of the interval), requests a second of each
/// direction in it, bytes since the beginning.
fn table(row: u64, rows: Vec<Vec<Cell>>) -> Table {
    let columns = [
        ("t_s", Kind::Real),
        ("read_iops", Kind::Real),
        ("write_iops", Kind::Real),
        ("read_bytes", Kind::Integer),
        ("written_bytes", Kind::Integer),
    ];
    Table {
        name: name(row),
        columns: columns.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
        rows,
    }
}

/// Refuses to replace files that hold no samples by those of a study's jobs.
///
/// # Errors
/// [`LabError::NotATable`] for such a file.
pub fn check(folder: &Path, plan: &Plan) -> Result<(), LabError> {
    let numbers = plan.rows().iter().map(|row| row.number);
    numbers
        .filter(|number| plan.is_job(*number))
        .try_for_each(|number| table(number, Vec::new()).check_place(folder, FORMAT))
}

/// Writes the samples of a row.
pub(crate) fn write(folder: &Path, row: &StudyRow, samples: &[Sample]) -> Result<(), LabError> {
    let cells = |sample: &Sample| {
        vec![
            Cell::Real(sample.t_s),
            Cell::Real(sample.read_iops),
            Cell::Real(sample.write_iops),
            Cell::Whole(sample.read_bytes.cast_signed()),
            Cell::Whole(sample.written_bytes.cast_signed()),
        ]
    };
    let rows = samples.iter().map(cells).collect();
    table(row.number, rows).write(folder, FORMAT).map(drop)
}
