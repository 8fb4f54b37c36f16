//! The place of the lab, and the storing of runs in it.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;
use stend_lab::recorded::{self, NewRecord};
use stend_lab::{EntryId, Lab, LabError, Program, RecordedKind, RunContext, RunId, RunSummary};
use stend_record::review::{Review, TargetInfo};
use stend_record::sha256_hex;

use crate::args::LabPath;
use crate::failure::Failure;
use crate::output::note;
use crate::signals;

/// Path of the lab's file.
pub fn path(of: &LabPath) -> Result<PathBuf, Failure> {
    place(of).ok_or_else(|| Failure::Input(format!("{NO_PLACE}: name its file with --lab")))
}

/// Message for a lab without a known place.
const NO_PLACE: &str = "no place for the lab is known (HOME is not set)";

/// As [`path`], for commands that also work without a lab: if no place is known, prints a note and
/// returns `None`, and nothing is stored.
pub fn path_if_any(of: &LabPath) -> Result<Option<PathBuf>, Failure> {
    let path = place(of);
    match &path {
        Some(path) => check_kind(path)?,
        None => note(&format!(
            "{NO_PLACE}: the result is not kept; --lab names a file for it"
        )),
    }
    Ok(path)
}

fn place(of: &LabPath) -> Option<PathBuf> {
    if let Some(path) = &of.lab {
        return Some(path.clone());
    }
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = set("XDG_DATA_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(set("HOME")?).join(".local/share"));
    let folder = data.filter(|path| path.is_absolute()).or_else(home)?;
    Some(folder.join("stend/lab.db"))
}

/// Opens the lab for reading, also one of an earlier version; an error if there is none.
pub fn look(of: &LabPath) -> Result<Lab, Failure> {
    let path = path(of)?;
    Lab::look_at_any(&path)?.ok_or_else(|| {
        Failure::Input(format!(
            "{}: there is no lab yet; `stend review` makes one, and --lab names another",
            path.display()
        ))
    })
}

/// Reads a list of the lab; it is empty if no lab was named and the default one does not exist yet.
pub fn list<T>(
    of: &LabPath,
    list: fn(&Lab) -> Result<Vec<T>, LabError>,
) -> Result<Vec<T>, Failure> {
    let lab = match of.lab {
        Some(_) => Some(look(of)?),
        None => Lab::look_at_any(&path(of)?)?,
    };
    Ok(lab.as_ref().map(list).transpose()?.unwrap_or_default())
}

/// Returns the run that the user names: by its number, by its label, or by a word of its drive,
/// which selects the drive's last complete run.
pub fn find(lab: &Lab, word: &str) -> Result<RunId, Failure> {
    match word.parse() {
        Ok(EntryId::Run(run)) => {
            lab.run(run)?;
            return Ok(run);
        }
        Ok(EntryId::Recorded(_)) => {
            return Err(Failure::Input(format!(
                "{word} is a job or a replay, and a review is needed (stend lab list)"
            )));
        }
        Err(_) => {}
    }
    if word.is_empty() {
        return Err(Failure::Input(
            "a run has a number, or a word for it, and here is none (stend lab list)".into(),
        ));
    }
    let found = lab.complete_runs_of(word)?;
    match &found[..] {
        [run] => Ok(RunId(run.run)),
        [] => Err(Failure::Input(format!(
            "{word}: the lab, {}, has no complete review of it; make one with stend review {word}, \
             or name a run (stend lab list)",
            lab.path().display()
        ))),
        several => {
            let choice = |run: &RunSummary| {
                let label = run.label.as_ref().map(|label| format!(", label {label}"));
                format!(
                    "\n  {}: {}{}, {}, {}",
                    run.run,
                    run.drive.model,
                    label.unwrap_or_default(),
                    run.target,
                    time(run.begun_unix_ms)
                )
            };
            let choices: String = several.iter().map(choice).collect();
            Err(Failure::Input(format!(
                "{word} fits {} drives; name one by the number of its run, its label or its full \
                 name:{choices}",
                several.len()
            )))
        }
    }
}

/// Formats date and time in the user's zone, to the minute.
pub fn time(unix_ms: i64) -> String {
    Timestamp::from_millisecond(unix_ms).map_or_else(
        |_| unix_ms.to_string(),
        |at| {
            let zoned = at.to_zoned(jiff::tz::TimeZone::system());
            zoned.strftime("%Y-%m-%d %H:%M").to_string()
        },
    )
}

/// Returns a record with the fields that all records share: the program and the current time.
pub fn new_record(kind: RecordedKind, target: &TargetInfo, begun_unix_ms: i64) -> NewRecord<'_> {
    NewRecord {
        kind,
        target,
        label: None,
        note: None,
        name: "",
        job: None,
        seed: 0,
        command: "",
        result: &Value::Null,
        stend_version: env!("CARGO_PKG_VERSION"),
        stend_commit: option_env!("STEND_COMMIT"),
        begun_unix_ms,
        now_unix_ms: Timestamp::now().as_millisecond(),
    }
}

/// Returns the facts about a run of this program that begins or is written now.
pub fn context<'a>(folder: &'a Path, edition_sha256: &'a str) -> RunContext<'a> {
    RunContext {
        folder,
        edition_sha256,
        measurement_key: None,
        stend_version: env!("CARGO_PKG_VERSION"),
        stend_commit: option_env!("STEND_COMMIT"),
        now_unix_ms: Timestamp::now().as_millisecond(),
    }
}

/// Returns this program, whose id is the SHA-256 of its executable.
pub fn program() -> Result<Program, Failure> {
    let failed = |error| Failure::Io(format!("the program cannot read itself: {error}"));
    let path = std::env::current_exe().map_err(failed)?;
    Ok(Program {
        id: sha256_hex(std::fs::read(path).map_err(failed)?),
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("STEND_COMMIT"),
        now_unix_ms: || Timestamp::now().as_millisecond(),
    })
}

/// Stores a job or a replay, and prints its number.
pub fn record(lab: Option<&Path>, new: &NewRecord<'_>) -> Result<(), Failure> {
    let Some(lab) = lab else { return Ok(()) };
    let id = signals::undisturbed(|| recorded::save(&mut Lab::open(lab)?, new))?;
    note(&format!(
        "{} {id} of the lab, {}",
        new.kind.name(),
        lab.display()
    ));
    Ok(())
}

/// Checks that a lab can be opened or created, without creating it, and that it is not damaged.
/// Without this check a review would fail only after its first test.
pub fn check(path: &Path) -> Result<(), Failure> {
    Lab::check(path)?;
    can_be_made(path)
}

/// As [`check`], without reading the whole lab: a job may take less time than that.
fn check_kind(path: &Path) -> Result<(), Failure> {
    match Lab::look(path) {
        // An older lab will be migrated when it is written.
        Ok(_) | Err(LabError::Older(_)) => can_be_made(path),
        Err(error) => Err(error.into()),
    }
}

fn can_be_made(path: &Path) -> Result<(), Failure> {
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
    // Fails for `a/b` if `a` is a file.
    if !folder.is_dir() {
        return unusable(format!("{} is not a folder", folder.display()));
    }
    // An unnamed file: nothing remains of it in any case.
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => unusable(format!(
            "nothing can be written to {}: {error}",
            folder.display()
        )),
    }
}

/// Returns the last complete review with this report folder and the last incomplete one that the
/// lab holds; the later one first.
pub fn last_in(path: &Path, folder: &Path) -> Result<Vec<(RunId, Review)>, Failure> {
    let lab = match Lab::look(path) {
        // Opening for writing migrates an older lab.
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

/// Returns the folder as it is stored in the lab.
pub fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}
