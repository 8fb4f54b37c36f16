//! Where the lab is, and how a review gets there.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use stend_lab::{Lab, LabError, RunContext, RunId};
use stend_record::review::Review;

use crate::args::LabPath;
use crate::failure::Failure;

/// The lab's file.
pub fn path(of: &LabPath) -> Result<PathBuf, Failure> {
    if let Some(path) = &of.lab {
        return Ok(path.clone());
    }
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = set("XDG_DATA_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(set("HOME")?).join(".local/share"));
    let folder = data.filter(|path| path.is_absolute()).or_else(home);
    let folder = folder.ok_or_else(|| {
        Failure::Input(
            "no place for the lab is known (HOME is not set): name its file with --lab".to_owned(),
        )
    })?;
    Ok(folder.join("stend/lab.db"))
}

/// The lab, to read it; an error where there is none.
pub fn look(of: &LabPath) -> Result<Lab, Failure> {
    let path = path(of)?;
    Lab::look(&path)?.ok_or_else(|| {
        Failure::Input(format!(
            "{}: there is no lab yet; `stend review` makes one, and --lab names another",
            path.display()
        ))
    })
}

/// The lab, to list what is in it; `None` where none was named and none has been made yet.
pub fn look_if_made(of: &LabPath) -> Result<Option<Lab>, Failure> {
    match of.lab {
        Some(_) => look(of).map(Some),
        None => Ok(Lab::look(&path(of)?)?),
    }
}

/// Whether a lab can be opened or made, as far as can be checked without making it, and whether it
/// is whole: a review would find out after its first test.
pub fn check(path: &Path) -> Result<(), Failure> {
    Lab::check(path)?;
    if path.exists() {
        return Ok(());
    }
    let unusable = |why: String| {
        Err(Failure::Io(format!(
            "{}: no lab can be made there, {why}; name another file with --lab",
            path.display(),
        )))
    };
    let there = path.ancestors().skip(1).find(|folder| folder.exists());
    let folder = match there {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // `a/b` where `a` is a file.
    if !folder.is_dir() {
        return unusable(format!("{} is no folder", folder.display()));
    }
    // Without a name, so that nothing is left of it whatever happens.
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => unusable(format!(
            "nothing can be written to {}: {error}",
            folder.display()
        )),
    }
}

/// What the lab has of the last complete review with this report folder, and of the last one that
/// did not come to its end; the later first.
pub fn last_in(path: &Path, folder: &Path) -> Result<Vec<(RunId, Review)>, Failure> {
    let lab = match Lab::look(path) {
        // To be written soon in any case.
        Err(LabError::Older(_)) => Some(Lab::open(path)?),
        other => other?,
    };
    let Some(lab) = lab else {
        return Ok(Vec::new());
    };
    let runs = lab.last_in(&absolute(folder))?.into_iter();
    let reviews: Result<_, LabError> = runs.map(|run| Ok((run, lab.review(run)?))).collect();
    Ok(reviews?)
}

fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}

/// The run that a review is kept as.
pub struct Keeper {
    path: PathBuf,
    lab: Mutex<Lab>,
    folder: PathBuf,
    edition_sha256: String,
    /// Known as soon as anything was kept.
    run: Mutex<Option<RunId>>,
}

impl Keeper {
    /// Opens the lab; called before hours of measuring, to find errors early.
    pub fn open(lab: &Path, folder: &Path, edition_sha256: &str) -> Result<Keeper, Failure> {
        Ok(Keeper {
            path: lab.to_path_buf(),
            lab: Mutex::new(Lab::open(lab)?),
            folder: absolute(folder),
            edition_sha256: edition_sha256.to_owned(),
            run: Mutex::new(None),
        })
    }

    /// Writes the present state of a review. The first time, it resumes the run of an `earlier`
    /// review in the same folder, or begins one.
    pub fn keep(&self, review: &Review, earlier: Option<&Review>) -> Result<(), Failure> {
        let mut lab = self.lab.lock().unwrap_or_else(PoisonError::into_inner);
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let now_unix_ms = Timestamp::now().as_millisecond();
        let beginning = RunContext {
            folder: &self.folder,
            edition_sha256: &self.edition_sha256,
            stend_version: env!("CARGO_PKG_VERSION"),
            stend_commit: option_env!("STEND_COMMIT"),
            now_unix_ms,
        };
        if run.is_none() {
            let found = match earlier {
                Some(earlier) => lab.last_of(earlier, &beginning)?,
                None => None,
            };
            if let Some(found) = found {
                lab.resume(found, now_unix_ms)?;
            }
            *run = Some(match found {
                Some(found) => found,
                None => lab.begin(earlier.unwrap_or(review), &beginning)?,
            });
        }
        if let Some(run) = *run {
            lab.save(run, review, &beginning)?;
        }
        Ok(())
    }

    /// The lab's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the run, if anything was kept.
    pub fn run(&self) -> Option<RunId> {
        *self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
