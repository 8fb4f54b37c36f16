//! Writes the samples of a row to a file.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::json;
use stend_lab::{Format, Kind, LabError, Table};
use stend_load::Sample;
use stend_record::study::{Cell, StudyRow};

use crate::plan::Plan;
use stend_record::sha256_hex;

#[cfg(feature = "parquet")]
const FORMAT: Format = Format::Parquet;
#[cfg(not(feature = "parquet"))]
const FORMAT: Format = Format::Csv;

fn name(row: u64) -> String {
    format!("series-{row}")
}

/// Returns the path of the samples of a row.
pub(crate) fn path(folder: &Path, row: u64) -> PathBuf {
    folder.join(format!("{}.{}", name(row), FORMAT.extension()))
}

/// Returns the samples of a row as a table: `t_s` (end of the interval), requests a second of each
/// direction in it, bytes since the start.
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

/// Returns the path of the file that identifies the study of the samples in a folder: it has the
/// definition's SHA-256.
fn owner(folder: &Path) -> PathBuf {
    folder.join("series.json")
}

/// Returns the content of that file for a study.
fn owned(plan: &Plan) -> String {
    let definition = plan.definition();
    let of =
        json!({ "study": definition.name, "definition_sha256": sha256_hex(definition.to_json()) });
    format!("{of}\n")
}

/// Rejects a folder in which files that are not samples, or samples of another study, would be
/// replaced by those of a study's jobs.
///
/// # Errors
/// [`LabError::NotATable`] names such a file, [`LabError::OtherSeries`] such a folder.
pub fn check(folder: &Path, plan: &Plan) -> Result<(), LabError> {
    let jobs = || {
        let numbers = plan.rows().iter().map(|row| row.number);
        numbers.filter(|number| plan.is_job(*number))
    };
    jobs().try_for_each(|number| table(number, Vec::new()).check_place(folder, FORMAT))?;
    let is_own = match fs::read_to_string(owner(folder)) {
        Ok(text) => text == owned(plan),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            !jobs().any(|number| path(folder, number).exists())
        }
        Err(error) => error.kind() == ErrorKind::NotADirectory,
    };
    match is_own {
        true => Ok(()),
        false => Err(LabError::OtherSeries(folder.to_path_buf())),
    }
}

/// Creates the folder, with the file that identifies the study of its samples.
pub(crate) fn begin(folder: &Path, plan: &Plan) -> Result<(), LabError> {
    check(folder, plan)?;
    let path = owner(folder);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, owned(plan)))
        .map_err(|error| LabError::Export {
            path,
            what: error.to_string(),
        })
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
