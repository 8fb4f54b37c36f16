//! The folder of a report: its checks, its page and its review.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use stend_analysis::words;
use stend_language::{Language, counted, within};
use stend_load::target::temporary;
use stend_record::review::{Results, Review};
use stend_report::{Comparison, ReportError};

use crate::failure::Failure;
use crate::signals;

/// A report folder. If it was created by [`Folder::open`] and is empty, it is removed again.
pub struct Folder {
    path: PathBuf,
    made: bool,
    /// False if the review in it cannot be resumed, because its drive is kept (`--state`): it must
    /// go through all tests.
    pub resumes: bool,
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
            resumes: true,
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
        let now = Some(shown(review));
        let mut page = self.shown.lock();
        // A half-finished test, saved after each of its loads, is not shown on the page.
        let is_shown = *page == now;
        let saved = self.replace(review, |path| match is_shown {
            true => stend_report::write_review(review, path).map(|()| path.join("index.html")),
            false => stend_report::write_folder(review, path),
        })?;
        *page = now;
        Ok(saved)
    }

    /// As [`Folder::save`], for a review whose rivals are the other sides of a comparison.
    pub fn save_compared(&self, review: &Review, of: &Comparison<'_>) -> Result<PathBuf, Failure> {
        self.replace(review, |path| {
            stend_report::write_comparison(review, of, path)
        })
    }

    /// Replaces the files and sets the hint; signals wait until this is done.
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
        self.hint(review, &self.path.display().to_string());
    }

    /// Sets the hint that is printed if a signal ends the process: the place where a review is
    /// saved.
    pub fn hint(&self, review: &Review, place: &str) {
        if review.complete {
            return signals::hint(format!("; the finished review is saved in {place}"));
        }
        if let Some(saved) = contents_are(review, &format!("saved in {place}")) {
            let then = match self.resumes {
                true => ", and the same command resumes from there",
                false => "; the drive is not kept (--state), so that only a new --out begins, anew",
            };
            signals::hint(format!("; {saved}{then}"));
        }
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

/// Returns the contents of an unfinished review: the number of finished tests and of the finished
/// parts of each other test, with their names.
pub fn contents(review: &Review) -> Vec<(usize, String)> {
    let rivals = || review.rivals.iter();
    let tests = review.tests.len() + rivals().map(|rival| rival.tests.len()).sum::<usize>();
    let of_rivals = rivals().flat_map(|rival| &rival.unfinished);
    let parts = review.unfinished.iter().chain(of_rivals).map(|test| {
        if let Some(number) = test.repetition {
            return (1, format!("repetition {number} of `{}`", test.id));
        }
        let rounds = test.endurance().map_or(0, |worn| worn.rounds.len());
        let what = match test.results {
            Some(Results::Traces(_)) => "trace",
            _ => "round",
        };
        let parts = test.traces().len() + rounds;
        (parts, format!("{} of `{}`", counted(parts, what), test.id))
    });
    let all = std::iter::once((tests, counted(tests, "finished test"))).chain(parts);
    all.filter(|(count, _)| *count > 0).collect()
}

/// States `what` about the contents of a review: `11 finished tests and 3 traces of
/// `desktop-traces` are saved`. `None` if there are none.
pub fn contents_are(review: &Review, what: &str) -> Option<String> {
    let (counts, parts): (Vec<usize>, Vec<String>) = contents(review).into_iter().unzip();
    let verb = if counts == [1] { "is" } else { "are" };
    (!parts.is_empty()).then(|| format!("{} {verb} {what}", words::list(&parts)))
}

/// Replaces a file atomically. Creates its folder if that is missing.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    }
    let folder = folder.unwrap_or(Path::new("."));
    replace_in(folder, path, bytes).map_err(|error| Failure::unwritable(path, &error))
}

fn replace_in(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        // The usual permissions of a new file: 0666 without the bits of the umask.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
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
    use serde_json::json;
    use stend_record::review::{SCHEMA, TestResult, Traces};
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

    fn traced(id: &str, traces: usize) -> TestResult {
        let trace = json!({
            "name": "t", "title": "T", "origin": "captured", "timing": "fast", "queue_depth": 1,
            "requests": 1, "read_bytes": 1, "written_bytes": 0, "busy_s": 1.0, "elapsed_s": 1.0,
            "bw_bytes_per_s": 1.0, "iops": 1.0, "moved_requests": 0
        });
        let all = Traces {
            traces: vec![serde_json::from_value(trace).unwrap(); traces],
            overall_bw_bytes_per_s: None,
        };
        TestResult {
            id: id.to_owned(),
            results: (traces > 0).then_some(Results::Traces(all)),
            ..TestResult::default()
        }
    }

    fn review(tests: usize, traces: usize) -> Review {
        Review {
            tests: vec![traced("random", 0); tests],
            unfinished: vec![traced("desktop-traces", traces)],
            ..Review::default()
        }
    }

    #[test]
    fn what_is_kept_is_counted_in_words() {
        let cases = [
            (0, 0, None),
            (1, 0, Some("1 finished test is saved")),
            (11, 0, Some("11 finished tests are saved")),
            (0, 1, Some("1 trace of `desktop-traces` is saved")),
            (
                11,
                3,
                Some("11 finished tests and 3 traces of `desktop-traces` are saved"),
            ),
        ];
        for (tests, traces, words) in cases {
            let review = review(tests, traces);
            assert_eq!(contents_are(&review, "saved").as_deref(), words);
            let count = |(count, _): &(usize, String)| *count;
            assert_eq!(
                contents(&review).iter().map(count).sum::<usize>(),
                tests + traces
            );
        }
        let mut review = review(1, 0);
        review.rivals = vec![stend_record::review::Rival {
            target: review.target.clone(),
            tests: vec![traced("random", 0)],
            unfinished: vec![traced("desktop-traces", 2)],
        }];
        let told = "2 finished tests and 2 traces of `desktop-traces` are saved";
        assert_eq!(contents_are(&review, "saved").unwrap(), told);
    }
}
