//! The folder of a study's table and page.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use stend_lab::{Format, Table};

/// Formats of a study's table.
pub const FORMATS: &[Format] = &[
    Format::Csv,
    #[cfg(feature = "parquet")]
    Format::Parquet,
];

/// Checks that the files of a study with this name would replace none in a folder except those of
/// an earlier study.
///
/// # Errors
/// A message for a page or table that is not a study's.
pub fn check_folder(folder: &Path, name: &str) -> Result<(), String> {
    let refused = |path: &Path| {
        Err(format!(
            "{}: it exists, and is not of a study; choose another folder, or remove it",
            path.display()
        ))
    };
    let page = folder.join("index.html");
    if !is_missing_or_has(&page, &["content=\"stend\"", "– study</title>"]) {
        return refused(&page);
    }
    let foreign = |format: &&Format| Table::check_place_of_study(name, folder, **format).is_err();
    match FORMATS.iter().find(foreign) {
        Some(format) => refused(&folder.join(format!("{name}.{}", format.extension()))),
        None => Ok(()),
    }
}

/// True if the file does not exist, or contains all of these words.
fn is_missing_or_has(path: &Path, marks: &[&str]) -> bool {
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            marks.iter().all(|mark| text.contains(mark))
        }
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}
