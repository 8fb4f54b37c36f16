//! Writes tables that are not part of the lab as files for other programs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use stend_record::study::Cell;

use crate::LabError;
use crate::error::Failed;
use crate::format::Format;
use crate::table::Table;

impl Table {
    /// Rejects a folder in which a file that is not such a table would be replaced.
    ///
    /// # Errors
    /// [`LabError::NotATable`] names the file.
    pub fn check_place(&self, folder: &Path, format: Format) -> Result<(), LabError> {
        let path = folder.join(format!("{}.{}", self.name, format.extension()));
        let columns: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        crate::own::check(&path, format, &columns)
    }

    /// Rejects a folder in which a file that is not a table of a study would be replaced by the
    /// table of the study `name`.
    ///
    /// # Errors
    /// [`LabError::NotATable`] names the file.
    pub fn check_place_of_study(name: &str, folder: &Path, format: Format) -> Result<(), LabError> {
        let path = folder.join(format!("{name}.{}", format.extension()));
        crate::own::check_study(&path, format)
    }

    /// Writes the table as a file of this format into a folder; an existing one is replaced
    /// atomically. Returns the file.
    ///
    /// # Errors
    /// [`LabError::Export`] if it cannot be written.
    pub fn write(&self, folder: &Path, format: Format) -> Result<PathBuf, LabError> {
        let path = folder.join(format!("{}.{}", self.name, format.extension()));
        let part = folder.join(format!("{}.{}.part", self.name, format.extension()));
        let write = || -> Result<(), Failed> {
            let file = File::create(&part)?;
            match format {
                Format::Csv => self.to_csv(file)?,
                Format::Json => self.to_json(file)?,
                #[cfg(feature = "parquet")]
                Format::Parquet => crate::parquet::write_table(self, file)?,
            }
            Ok(std::fs::rename(&part, &path)?)
        };
        let written = write();
        if written.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        written.map_err(|error| LabError::Export {
            path: path.clone(),
            what: error.to_string(),
        })?;
        Ok(path)
    }

    fn to_csv(&self, file: File) -> Result<(), Failed> {
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        writer.write_record(self.columns.iter().map(|(name, _)| name))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::to_string))?;
        }
        Ok(writer.flush()?)
    }

    fn to_json(&self, file: File) -> Result<(), Failed> {
        let object = |row: &Vec<Cell>| -> serde_json::Map<String, serde_json::Value> {
            let named = self.columns.iter().zip(row);
            let value = |cell| serde_json::to_value(cell).unwrap_or_default();
            named
                .map(|((name, _), cell)| (name.clone(), value(cell)))
                .collect()
        };
        let objects: Vec<_> = self.rows.iter().map(object).collect();
        let mut out = BufWriter::new(file);
        serde_json::to_writer(&mut out, &objects)?;
        Ok(out.flush()?)
    }
}
