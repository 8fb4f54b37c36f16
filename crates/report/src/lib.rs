//! The review as a page: one HTML file that opens anywhere without a network, and the
//! review's JSON beside it.
//!
//! The same review gives the same bytes: no clock, no randomness, no hashing order.
//! The page's parts, in the order of reading: [`write()`] gathers them; `top` is what a reader sees
//! first; `headline` has the key figures; `kinds` makes each test's charts and tables, one file for
//! each kind of test; `latency` has their distributions, `bars` their bars in groups, `speed` their
//! speeds in both units; `chart` is the data that the page's script draws; `assets` has script and
//! style; `page` lays it out. `folder` is what a folder holds that
//! is kept; `comparison` is what several reviews do not share, `study` makes
//! the page of a study, `identification` that of what is inside a drive.

mod assets;
mod bars;
mod best;
mod chart;
mod comparison;
mod curve;
mod drive;
mod error;
mod folder;
mod headline;
mod identification;
mod kinds;
mod latency;
mod number;
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

/// The review as one self-contained HTML page.
///
/// # Errors
/// A review that cannot be put into a page.
pub fn write(review: &Review) -> Result<String, ReportError> {
    page::render(review, None)
}

/// Writes `index.html` and `review.json` into a folder, which is made if it is missing;
/// files of an earlier report there are replaced. Returns the path of the page.
///
/// # Errors
/// A folder that cannot be written to, [`ReportError::Foreign`] where the page there is not one of
/// this program's, and as [`write()`].
pub fn write_folder(review: &Review, folder: &Path) -> Result<PathBuf, ReportError> {
    write_both(&write(review)?, review, folder)
}

/// As [`write()`], of a review whose rivals are the other sides of a comparison.
///
/// # Errors
/// Those of [`write()`].
pub fn comparison(review: &Review, comparison: &Comparison<'_>) -> Result<String, ReportError> {
    let review = comparison::told_apart(review, comparison.names);
    page::render(&review, Some(comparison))
}

/// As [`write_folder`], of a review whose rivals are the other sides of a comparison.
///
/// # Errors
/// Those of [`write_folder`].
pub fn write_comparison(
    review: &Review,
    of: &Comparison<'_>,
    folder: &Path,
) -> Result<PathBuf, ReportError> {
    write_both(&comparison(review, of)?, review, folder)
}

fn write_both(html: &str, review: &Review, folder: &Path) -> Result<PathBuf, ReportError> {
    // Both are made before the disk is touched: half a report is none.
    let json = json(review)?;
    check_page(folder)?;
    make(folder)?;
    // The review last: where it says that it is complete, its page says so too. A page that the
    // disk has no room for does not cost the review.
    let page = folder.join("index.html");
    let written = replace(&page, html);
    replace(&folder.join("review.json"), &json)?;
    written.map(|()| page)
}

/// What every page of this program has in its head.
const GENERATOR: &str = r#"<meta name="generator" content="stend">"#;

/// The head of a page begins within so many bytes: what tells whose page it is comes before its
/// style.
const HEAD_BYTES: u64 = 4096;

/// Refuses a folder whose page, `index.html`, this program has not written: that is kept.
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
            // A folder, or another's file: whatever it is, it is none of this program's.
            _ => Err(ReportError::Foreign(page)),
        },
    }
}

/// Writes `review.json` alone into a folder: for what the page does not show.
///
/// # Errors
/// Those of [`write_folder`].
pub fn write_review(review: &Review, folder: &Path) -> Result<(), ReportError> {
    let json = json(review)?;
    make(folder)?;
    replace(&folder.join("review.json"), &json)
}

/// A study as one self-contained HTML page, without files beside it; `planned` is the number of
/// rows that it should have.
///
/// # Errors
/// A study that cannot be put into a page.
pub fn study(study: &Study, planned: u64) -> Result<String, ReportError> {
    study::render(study, planned, None)
}

/// Writes the page of a study, `index.html`, into a folder, as [`write_folder`] does; `reproduce`
/// is the command that makes it, empty for none, and `planned` the number of rows that it should
/// have. Returns the path of the page.
///
/// # Errors
/// Those of [`write_folder`].
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

/// Writes `index.html` and `identification.json` into a folder, as [`write_folder`] does: what was
/// told of the inside of a drive, with pictures of what was seen. `reproduce` is the command that
/// makes both again. Returns the path of the page.
///
/// # Errors
/// Those of [`write_folder`].
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

/// Replaces a file as a whole: a reader, or the machine after its power failed, finds the old one
/// or the new one.
fn replace(path: &Path, text: &str) -> Result<(), ReportError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let written = write_durably(part.as_ref(), text).and_then(|()| {
        std::fs::rename(&part, path)?;
        sync_folders(path)
    });
    if written.is_err() {
        // Half of it would take the room that is wanting.
        let _ = std::fs::remove_file(&part);
    }
    written.map_err(|source| ReportError::Write {
        path: path.to_path_buf(),
        source,
    })
}

/// The content is on the disk before the file gets its name: else a name without the content
/// could be all that a power failure leaves.
fn write_durably(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Waits until the name of a file is on the disk, and that of its folder, which may be new.
fn sync_folders(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/")).canonicalize()?;
    for folder in folder.ancestors().take(2) {
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // A folder above may be closed to this user, and was not made here; some network file
            // systems cannot do it.
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
