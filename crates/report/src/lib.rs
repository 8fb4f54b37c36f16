//! The review as a page: one HTML file that opens anywhere without a network, and the
//! review's JSON beside it.
//!
//! The same review results in the same bytes: no clock, no randomness, no hashing order. Modules,
//! in reading order: [`write()`] assembles the page; `top` is the part that a reader sees first;
//! `headline` has the key figures; `kinds` makes each test's charts and tables, one file for each
//! kind of test; `latency` has their distributions, `bars` their bars in groups, `speed` their
//! speeds in both units; `chart` is the data that the page's script draws; `assets` has script and
//! style; `page` lays it out. `folder` protects existing files; `comparison` has the differences
//! between several reviews, `study` makes the page of a study, `identification` that of the inside
//! of a drive.

mod assets;
mod bars;
mod best;
mod chart;
mod comparison;
mod curve;
mod drive;
mod energy;
mod error;
mod folder;
mod headline;
mod identification;
mod kinds;
mod latency;
mod number;
mod others;
mod page;
mod published;
mod smart;
mod speed;
mod study;
mod top;
mod view;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

pub use assets::{PLOTLY_GZIP, STYLE};
pub use comparison::{Comparison, side_name};
pub use error::ReportError;
pub use folder::{keep_finished, keep_others, review_in};
pub use identification::Origin;
use stend_identify::observed::Observed;
use stend_identify::property::Identification;
use stend_record::review::Review;
use stend_record::study::Study;

/// Returns the review as one self-contained HTML page.
///
/// # Errors
/// If the review cannot be rendered.
pub fn write(review: &Review) -> Result<String, ReportError> {
    page::render(review, None)
}

/// Writes `index.html` and `review.json` into a folder, which is created if it is missing; files of
/// an earlier report are replaced. Returns the path of the page.
///
/// # Errors
/// If the folder cannot be written to, [`ReportError::Foreign`] if its page is not one of this
/// program's, and the errors of [`write()`].
pub fn write_folder(review: &Review, folder: &Path) -> Result<PathBuf, ReportError> {
    write_both(&write(review)?, review, folder)
}

/// Returns the page like [`write()`], for a review whose rivals are the other sides of a
/// comparison.
///
/// # Errors
/// The errors of [`write()`].
pub fn comparison(review: &Review, comparison: &Comparison<'_>) -> Result<String, ReportError> {
    let review = comparison::told_apart(review, comparison.names);
    page::render(&review, Some(comparison))
}

/// Writes the files like [`write_folder`], for a review whose rivals are the other sides of a
/// comparison.
///
/// # Errors
/// The errors of [`write_folder`].
pub fn write_comparison(
    review: &Review,
    of: &Comparison<'_>,
    folder: &Path,
) -> Result<PathBuf, ReportError> {
    write_both(&comparison(review, of)?, review, folder)
}

fn write_both(html: &str, review: &Review, folder: &Path) -> Result<PathBuf, ReportError> {
    // Both are rendered before anything is written: half a report is useless.
    let json = json(review)?;
    check_page(folder)?;
    make(folder)?;
    // The review is written last: if it states that it is complete, so does its page. If the disk
    // has no room for the page, the review is still written.
    let page = folder.join("index.html");
    let written = replace(&page, html);
    replace(&folder.join("review.json"), &json)?;
    written.map(|()| page)
}

/// Tag in the head of every page of this program.
const GENERATOR: &str = r#"<meta name="generator" content="stend">"#;

/// Bytes in which the head of a page starts: the tag that identifies the program comes before the
/// style.
const HEAD_BYTES: u64 = 4096;

/// Rejects a folder whose page, `index.html`, was not written by this program: that page is kept.
///
/// # Errors
/// [`ReportError::Foreign`] for such a page, and for one that cannot be read.
pub fn check_page(folder: &Path) -> Result<(), ReportError> {
    let page = folder.join("index.html");
    let mut head = Vec::new();
    let read = File::open(&page).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    match read {
        Ok(_) if String::from_utf8_lossy(&head).contains(GENERATOR) => Ok(()),
        Ok(_) => Err(ReportError::Foreign(page)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(()),
            // A folder or another user's file is not a page of this program.
            _ => Err(ReportError::Foreign(page)),
        },
    }
}

/// Writes only `review.json` into a folder, for results that the page does not show.
///
/// # Errors
/// The errors of [`write_folder`].
pub fn write_review(review: &Review, folder: &Path) -> Result<(), ReportError> {
    let json = json(review)?;
    make(folder)?;
    replace(&folder.join("review.json"), &json)
}

/// Returns a study as one self-contained HTML page, without other files; `planned` is the number of
/// rows that it should have.
///
/// # Errors
/// If the study cannot be rendered.
pub fn study(study: &Study, planned: u64) -> Result<String, ReportError> {
    study::render(study, planned, None)
}

/// Writes the page of a study, `index.html`, into a folder, like [`write_folder`]; `reproduce` is
/// the command that makes it, empty for none, and `planned` the number of rows that it should have.
/// Returns the path of the page.
///
/// # Errors
/// The errors of [`write_folder`].
pub fn write_study(
    study: &Study,
    planned: u64,
    reproduce: &str,
    folder: &Path,
) -> Result<PathBuf, ReportError> {
    let html = study::render(study, planned, Some(reproduce))?;
    make(folder)?;
    let page = folder.join("index.html");
    replace(&page, &html).map(|()| page)
}

/// Writes `index.html` and `identification.json` into a folder, like [`write_folder`]: the
/// properties inferred about the inside of a drive, with pictures of the observations. `reproduce`
/// is the command that makes both again. Returns the path of the page.
///
/// # Errors
/// The errors of [`write_folder`].
pub fn write_identification(
    identification: &Identification,
    seen: &Observed,
    (origin, reproduce): (Origin, &str),
    folder: &Path,
) -> Result<PathBuf, ReportError> {
    let html = identification::render(identification, seen, (origin, reproduce))?;
    let json = json(identification)?;
    make(folder)?;
    let page = folder.join("index.html");
    replace(&page, &html)?;
    replace(&folder.join("identification.json"), &json).map(|()| page)
}

fn json(document: &impl serde::Serialize) -> Result<String, ReportError> {
    let json = serde_json::to_string(document);
    let json = json.map_err(|error| ReportError::Render(error.to_string()))?;
    Ok(json + "\n")
}

fn make(folder: &Path) -> Result<(), ReportError> {
    std::fs::create_dir_all(folder).map_err(|source| ReportError::Write {
        path: folder.to_path_buf(),
        source,
    })
}

/// Replaces a file atomically: a reader, or the machine after a power failure, finds the old one or
/// the new one.
fn replace(path: &Path, text: &str) -> Result<(), ReportError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let written = write_durably(part.as_ref(), text).and_then(|()| {
        std::fs::rename(&part, path)?;
        sync_folders(path)
    });
    if written.is_err() {
        // A partial file would take the space that is missing.
        let _ = std::fs::remove_file(&part);
    }
    written.map_err(|source| ReportError::Write {
        path: path.to_path_buf(),
        source,
    })
}

/// Writes the content to disk before the file gets its name: otherwise a power failure could leave
/// the name without the content.
fn write_durably(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Waits until the name of a file, and that of its folder, which may be new, are on disk.
fn sync_folders(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/")).canonicalize()?;
    for folder in folder.ancestors().take(2) {
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // A parent folder may be closed to this user, and then was not created here; some
            // network file systems cannot sync it.
            Err(error)
                if ![io::ErrorKind::PermissionDenied, io::ErrorKind::InvalidInput]
                    .contains(&error.kind()) =>
            {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_another_program_is_kept() {
        let folder = std::env::temp_dir().join(format!("stend-page-{}", std::process::id()));
        let page = folder.join("index.html");
        let review = Review::default();
        let first = write_folder(&review, &folder);
        let again = write_folder(&review, &folder);
        std::fs::write(&page, "<html><p>mine, not stend's</p></html>").unwrap();
        std::fs::remove_file(folder.join("review.json")).unwrap();
        let refused = write_folder(&review, &folder);
        let kept = std::fs::read_to_string(&page).unwrap();
        let left = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(first.is_ok() && again.is_ok(), "{first:?} {again:?}");
        assert!(
            matches!(refused, Err(ReportError::Foreign(_))),
            "{refused:?}"
        );
        assert_eq!((kept.contains("mine"), left), (true, 1));
    }

    #[test]
    fn half_a_file_is_not_left() {
        let folder = std::env::temp_dir().join(format!("stend-report-{}", std::process::id()));
        let path = folder.join("review.json");
        std::fs::create_dir_all(path.join("in the way")).unwrap();
        let failed = replace(&path, "{}");
        let left = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(matches!(failed, Err(ReportError::Write { .. })));
        assert_eq!(left, 1, "the folder in the way alone");
    }
}
