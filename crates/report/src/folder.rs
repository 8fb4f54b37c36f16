//! Checks the existing files of a folder that the page of a review must not replace.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use stend_record::review::{self, Review, TargetInfo, TargetKind};

use crate::ReportError;

/// Returns the review in a folder, if there is one.
///
/// # Errors
/// [`ReportError::Read`] and [`ReportError::NoReview`] for a `review.json` that cannot be read or
/// is not a review; [`ReportError::OtherPage`] if there is none but the page of something else.
pub fn review_in(folder: &Path) -> Result<Option<Review>, ReportError> {
    let path = folder.join("review.json");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return keep_other_page(folder).map(|()| None);
        }
        Err(source) => return Err(ReportError::Read { path, source }),
    };
    let found = review::read(&text).map(Some);
    found.map_err(|why| ReportError::NoReview {
        path,
        why: why.to_string(),
    })
}

/// Rejects a folder whose page is not that of a review.
fn keep_other_page(folder: &Path) -> Result<(), ReportError> {
    let page = fs::read(folder.join("index.html")).unwrap_or_default();
    let of = match String::from_utf8_lossy(&page) {
        page if page.contains("– study</title>") => "a study",
        _ if folder.join("identification.json").exists() => "an identification",
        _ => return Ok(()),
    };
    Err(ReportError::OtherPage {
        folder: folder.to_owned(),
        of,
    })
}

/// Rejects replacing the review of another drive or edition, or a finished one with other figures
/// that took real time to make.
///
/// # Errors
/// [`ReportError::Held`] for such a review, and the errors of [`review_in`].
pub fn keep_others(folder: &Path, review: &Review) -> Result<(), ReportError> {
    match review_in(folder)? {
        Some(there) if !is_same(&there, review) => Err(ReportError::Held {
            folder: folder.to_owned(),
            what: format!(
                "review of {}, edition {}",
                there.target.title, there.edition
            ),
        }),
        Some(there) if there.complete && !has_same_results(&there, review) => {
            keep_finished(folder, &there)
        }
        _ => Ok(()),
    }
}

/// Rejects replacing the finished review `there` if it took real time to make.
///
/// # Errors
/// [`ReportError::Held`] for a review with a real drive.
pub fn keep_finished(folder: &Path, there: &Review) -> Result<(), ReportError> {
    let rivals = there.rivals.iter().map(|rival| &rival.target);
    match std::iter::once(&there.target)
        .chain(rivals)
        .all(|target| target.kind == TargetKind::Simulated)
    {
        true => Ok(()),
        false => Err(ReportError::Held {
            folder: folder.to_owned(),
            what: format!("finished review of {}", there.target.title),
        }),
    }
}

/// True if both have the same drive and edition.
fn is_same(one: &Review, other: &Review) -> bool {
    let target = |review: &Review| TargetInfo {
        // Reviews by earlier versions of the program have only the fingerprint.
        model: None,
        ..review.target.clone()
    };
    one.edition == other.edition
        && target(one) == target(other)
        && one.target.fingerprint() == other.target.fingerprint()
}

/// True if both have the same figures for the drive and for each rival.
fn has_same_results(one: &Review, other: &Review) -> bool {
    let rivals = one.rivals.iter().map(|rival| &rival.tests);
    one.tests == other.tests && rivals.eq(other.rivals.iter().map(|rival| &rival.tests))
}

#[cfg(test)]
mod tests {
    use stend_record::review::{SCHEMA, TestResult};

    use super::*;
    use crate::write_folder;

    #[test]
    fn a_page_of_an_identification_or_a_study_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        assert!(review_in(folder).unwrap().is_none());
        assert!(review_in(&folder.join("none")).unwrap().is_none());
        let document = folder.join("identification.json");
        fs::write(&document, "{}").unwrap();
        let kept = || matches!(review_in(folder), Err(ReportError::OtherPage { .. }));
        assert!(kept());
        fs::remove_file(document).unwrap();
        fs::write(folder.join("index.html"), "<title>Sizes – study</title>").unwrap();
        assert!(kept());
    }

    #[test]
    fn what_is_no_review_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let other_schema = serde_json::to_string(&Review::default()).unwrap();
        for text in ["{}", &other_schema] {
            fs::write(dir.path().join("review.json"), text).unwrap();
            let kept = keep_others(dir.path(), &Review::default());
            assert!(matches!(kept, Err(ReportError::NoReview { .. })));
        }
    }

    #[test]
    fn a_finished_review_of_a_real_drive_keeps_its_figures() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let review = |kind, id: &str| Review {
            schema: SCHEMA.to_owned(),
            tests: vec![TestResult {
                id: id.to_owned(),
                ..TestResult::default()
            }],
            complete: true,
            target: TargetInfo {
                kind,
                ..TargetInfo::default()
            },
            ..Review::default()
        };
        let real = review(TargetKind::BlockDevice, "a");
        write_folder(&real, folder).unwrap();
        keep_others(folder, &real).unwrap();
        let other = review(TargetKind::BlockDevice, "b");
        let kept = || matches!(keep_others(folder, &other), Err(ReportError::Held { .. }));
        assert!(kept());
        // An unfinished or simulated review is replaced.
        let unfinished = Review {
            complete: false,
            ..real
        };
        write_folder(&unfinished, folder).unwrap();
        assert!(!kept());
        write_folder(&review(TargetKind::Simulated, "a"), folder).unwrap();
        keep_others(folder, &review(TargetKind::Simulated, "b")).unwrap();
        // The review of another drive is kept, simulated or not.
        assert!(kept());
    }
}
