//! The folder of a report: its checks, its page and its review.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use stend_language::{Language, within};
use stend_load::target::temporary;
use stend_record::review::Review;
use stend_report::{Comparison, ReportError};

use crate::failure::Failure;
use crate::{kept, signals};

/// A report folder. If it was created by [`Folder::open`] and is empty, it is removed again.
pub struct Folder {
    path: PathBuf,
    made: bool,
    /// The language of the page.
    language: Language,
    /// SHA-256 of the contents of the page, once the page has been written.
    shown: Mutex<Option<[u8; 32]>>,
}

impl Folder {
    /// Creates the folder if it is missing. Checks that it is writable and that an existing page is
    /// stend's, before hours of measurement. `language` is the language of the page to be written.
    pub fn open(path: PathBuf, language: Language) -> Result<Folder, Failure> {
        stend_report::check_page(&path)?;
        let made = !path.exists();
        let folder = Folder {
            path,
            made,
            language,
            shown: Mutex::new(None),
        };
        let probe = folder.path.join(".stend-writable");
        fs::create_dir_all(&folder.path)
            .and_then(|()| fs::write(&probe, b""))
            .and_then(|()| fs::remove_file(&probe))
            .map_err(|error| {
                let what = match error.kind() {
                    ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                        "a file is in the way".to_string()
                    }
                    _ => error.to_string(),
                };
                Failure::Io(format!(
                    "the report cannot be written to {}: {what}; choose another folder with --out",
                    folder.path.display()
                ))
            })?;
        signals::hint("; no test had finished".to_owned());
        Ok(folder)
    }

    /// Replaces the review, and the page unless it shows this review already. Returns the path of
    /// the page.
    pub fn save(&self, review: &Review) -> Result<PathBuf, Failure> {
        let now = shown(review);
        // A half-finished test, saved after each of its loads, is not shown on the page.
        if *self.page() == Some(now) {
            signals::undisturbed(|| {
                stend_report::write_review(review, &self.path)?;
                self.holds(review);
                Ok::<(), Failure>(())
            })?;
            return Ok(self.path.join("index.html"));
        }
        let page = self.replace(review, |path| stend_report::write_folder(review, path))?;
        *self.page() = Some(now);
        Ok(page)
    }

    fn page(&self) -> MutexGuard<'_, Option<[u8; 32]>> {
        self.shown.lock()
    }

    /// As [`Folder::save`], for a review whose rivals are the other sides of a comparison.
    pub fn save_compared(&self, review: &Review, of: &Comparison<'_>) -> Result<PathBuf, Failure> {
        self.replace(review, |path| {
            stend_report::write_comparison(review, of, path)
        })
    }

    /// Replaces the page and prints the hint; signals wait until this is done.
    fn replace(
        &self,
        review: &Review,
        write: impl FnOnce(&Path) -> Result<PathBuf, ReportError>,
    ) -> Result<PathBuf, Failure> {
        signals::undisturbed(|| {
            let page = within(self.language, || write(&self.path))?;
            self.holds(review);
            Ok(page)
        })
    }

    /// True if the folder existed before it was opened.
    pub fn was_there(&self) -> bool {
        !self.made
    }

    /// Sets the hint that is printed at an interruption: the part of a review that the folder
    /// holds.
    pub fn holds(&self, review: &Review) {
        hint(review, &self.path.display().to_string());
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// SHA-256 of the part of a review that a page shows: everything except tests that are under way.
fn shown(review: &Review) -> [u8; 32] {
    let mut review = review.clone();
    review.unfinished.clear();
    for rival in &mut review.rivals {
        rival.unfinished.clear();
    }
    Sha256::digest(serde_json::to_vec(&review).unwrap_or_default()).into()
}

/// Sets the hint that is printed if a signal ends the process: the place where a review is saved.
pub fn hint(review: &Review, place: &str) {
    if review.complete {
        return signals::hint(format!("; the finished review is saved in {place}"));
    }
    if let Some(saved) = kept::are(review, &format!("saved in {place}")) {
        // With `--state`, the drive must go through all tests, so that the review cannot be
        // resumed.
        let then = match review.reproduce.contains(" --state ") {
            true => "; the drive is not kept (--state), so that only a new --out begins, anew",
            false => ", and the same command resumes from there",
        };
        signals::hint(format!("; {saved}{then}"));
    }
}

/// Replaces a file atomically.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        // The usual permissions of a new file: 0666 without the bits of the umask.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(temporary)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.made {
            // Intended to fail unless the folder is empty.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use stend_record::review::{SCHEMA, TestResult};
    use stend_report::review_in;

    use super::*;

    fn test(id: &str) -> TestResult {
        TestResult {
            id: id.to_owned(),
            ..TestResult::default()
        }
    }

    #[test]
    fn a_page_is_written_when_what_it_shows_changes() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path().join("out"), Language::English).unwrap();
        let mut review = Review {
            schema: SCHEMA.to_owned(),
            tests: vec![test("a")],
            ..Review::default()
        };
        let page = folder.save(&review).unwrap();
        assert!(page.exists());
        fs::remove_file(&page).unwrap();
        // A test under way is saved, but not shown.
        review.unfinished.push(test("b"));
        folder.save(&review).unwrap();
        assert!(!page.exists());
        assert_eq!(
            review_in(folder.path()).unwrap().unwrap().unfinished.len(),
            1
        );
        review.tests.append(&mut review.unfinished);
        folder.save(&review).unwrap();
        assert!(page.exists());
        // The page also shows that the review is complete.
        fs::remove_file(&page).unwrap();
        review.complete = true;
        folder.save(&review).unwrap();
        assert!(page.exists());
    }
}
