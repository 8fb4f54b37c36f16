//! Exports tables as files for other programs: CSV, JSON, Parquet.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use serde_json::{Map, Value};

use crate::error::Failed;
use crate::format::Format;
use crate::{Lab, LabError, RunId};

/// Names of the exported tables.
pub const TABLES: [&str; 14] = [
    "drives",
    "runs",
    "rivals",
    "breaks",
    "conditions",
    "tests",
    "points",
    "series",
    "samples",
    "temperatures",
    "smart",
    "recorded",
    "studies",
    "study_rows",
];

fn of_runs(table: &str) -> &'static str {
    match table {
        "drives" => "id IN (SELECT drive FROM runs WHERE id IN (:runs))",
        "runs" => "id IN (:runs)",
        "points" | "series" => "test IN (SELECT id FROM tests WHERE run IN (:runs))",
        "samples" | "temperatures" => {
            "series IN (SELECT id FROM series WHERE test IN (SELECT id FROM tests WHERE run IN \
             (:runs)))"
        }
        // They belong to no run.
        "recorded" | "studies" | "study_rows" => "false",
        _ => "run IN (:runs)",
    }
}

impl Lab {
    /// Writes tables into a folder, one file each, and replaces existing ones: all rows, or those
    /// of some runs. Returns the files.
    ///
    /// # Errors
    /// [`LabError::NoRun`] for a run that does not exist; [`LabError::NotATable`] if a file that is
    /// not one of these tables would be replaced; [`LabError::Export`] if one cannot be written.
    ///
    /// # Panics
    /// Never for names from [`TABLES`].
    pub fn export(
        &self,
        folder: &Path,
        format: Format,
        tables: &[&str],
        runs: Option<&[RunId]>,
    ) -> Result<Vec<PathBuf>, LabError> {
        for &run in runs.unwrap_or_default() {
            self.run(run)?;
        }
        let failed = |path: &Path, error: Failed| LabError::Export {
            path: path.to_path_buf(),
            what: error.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error.into()))?;
        let path_of = |table: &str| folder.join(format!("{table}.{}", format.extension()));
        // All are checked before the first is replaced: half an export is useless.
        for table in tables {
            crate::own::check(&path_of(table), format, &self.columns(table)?)?;
        }
        let mut files = Vec::new();
        for table in tables {
            assert!(TABLES.contains(table), "{table} is not a table");
            let path = path_of(table);
            let file = File::create(&path).map_err(|error| failed(&path, error.into()))?;
            let columns = self.columns(table)?;
            let written = match format {
                Format::Csv => self.to_csv(table, &columns, runs, file),
                Format::Json => self.to_json(table, &columns, runs, file),
                #[cfg(feature = "parquet")]
                Format::Parquet => crate::parquet::write(self, table, runs, file),
            };
            written.map_err(|error| failed(&path, error))?;
            files.push(path);
        }
        Ok(files)
    }

    fn columns(&self, table: &str) -> Result<Vec<String>, LabError> {
        let sql = "SELECT name FROM pragma_table_info(?1)";
        self.rows(sql, [table], |row| row.get(0))
    }

    /// Passes each row to `take`.
    pub(crate) fn each_row(
        &self,
        table: &str,
        runs: Option<&[RunId]>,
        take: &mut dyn FnMut(&[ValueRef<'_>]) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let mut sql = format!("SELECT * FROM {table}");
        if let Some(runs) = runs {
            let list: Vec<String> = runs.iter().map(RunId::to_string).collect();
            sql += " WHERE ";
            sql += &of_runs(table).replace(":runs", &list.join(", "));
        }
        let mut statement = self.connection.prepare(&sql)?;
        let width = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let cells: Result<Vec<ValueRef<'_>>, _> = (0..width).map(|n| row.get_ref(n)).collect();
            take(&cells?)?;
        }
        Ok(())
    }

    fn to_csv(
        &self,
        table: &str,
        columns: &[String],
        runs: Option<&[RunId]>,
        file: File,
    ) -> Result<(), Failed> {
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        writer.write_record(columns)?;
        self.each_row(table, runs, &mut |cells| {
            Ok(writer.write_record(cells.iter().map(text))?)
        })?;
        Ok(writer.flush()?)
    }

    fn to_json(
        &self,
        table: &str,
        columns: &[String],
        runs: Option<&[RunId]>,
        file: File,
    ) -> Result<(), Failed> {
        let mut out = BufWriter::new(file);
        let mut before = "[\n";
        self.each_row(table, runs, &mut |cells| {
            let object: Map<String, Value> = columns
                .iter()
                .zip(cells)
                .map(|(column, cell)| (column.clone(), json(column, cell)))
                .collect();
            write!(out, "{before}{}", Value::Object(object))?;
            before = ",\n";
            Ok(())
        })?;
        let end = if before == "[\n" { "[]\n" } else { "\n]\n" };
        out.write_all(end.as_bytes())?;
        Ok(out.flush()?)
    }
}

fn text(cell: &ValueRef<'_>) -> String {
    match cell {
        ValueRef::Null => String::new(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(x) => x.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

/// Returns a cell as JSON; a cell that is stored as JSON (`rest`) becomes part of the document.
fn json(column: &str, cell: &ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(n) => Value::from(*n),
        ValueRef::Real(x) => Value::from(*x),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            let text = text(cell);
            let inner = column == "rest";
            let parsed = inner.then(|| serde_json::from_str(&text).ok()).flatten();
            parsed.unwrap_or(Value::String(text))
        }
    }
}
