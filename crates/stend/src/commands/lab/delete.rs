//! `stend lab delete`, `undelete` and `vacuum`.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use stend_lab::bin::{self, Deleted};
use stend_lab::{EntryId, Lab, LabError, progress, recorded};
use stend_record::size::size_text;

use super::{headed, open, print_list};
use crate::args::{LabArgs, LabPath};
use crate::consent::asker;
use crate::failure::Failure;
use crate::laboratory::{self, time};
use crate::open::check_distinct;
use crate::output::{note, table};

/// Deletes entries, for good if `now` is set, unless one belongs to a review that is under way. On
/// a terminal it asks first, unless `yes` is set; scripts are not asked.
pub(super) fn delete(
    of: &LabPath,
    entries: &[EntryId],
    (now, yes): (bool, bool),
) -> Result<(), Failure> {
    check_distinct(entries, "run")?;
    let mut lab = open(of)?;
    let runs = entries.iter().filter_map(|entry| match entry {
        EntryId::Run(run) => Some(*run),
        EntryId::Recorded(_) => None,
    });
    let now_unix_ms = Timestamp::now().as_millisecond();
    progress::check_over(&lab, &runs.collect::<Vec<_>>(), now_unix_ms)?;
    let names = names(entries);
    if let Some(ask) = asker().filter(|_| !yes) {
        let list = list_of(&lab, entries)?;
        let what = match now {
            true => format!("This deletes {names} for good."),
            false => {
                format!("This deletes {names}; `stend lab undelete` can bring it back for 30 days.")
            }
        };
        let question = format!("{list}{what} Type yes to delete: ");
        if ask(&question).is_none_or(|typed| typed.trim() != "yes") {
            return Err(Failure::Refused("nothing was deleted".to_owned()));
        }
    }
    if now {
        recorded::delete(&mut lab, entries)?;
        note(&format!("deleted for good: {names}"));
        return Ok(());
    }
    bin::delete(&mut lab, entries, now_unix_ms).map_err(|error| match error {
        LabError::Full(_) => Failure::Io(format!("{error}; --now deletes without a copy")),
        error => error.into(),
    })?;
    note(&format!(
        "deleted: {names}; within 30 days, `stend lab undelete` brings them back"
    ));
    Ok(())
}

/// Brings deleted entries back, or lists them all.
pub(super) fn undelete(args: &LabArgs, entries: &[EntryId]) -> Result<(), Failure> {
    if entries.is_empty() {
        let deleted = bin::list(&laboratory::look(&args.lab)?, now_unix_ms())?;
        let of = (&args.lab, args.json);
        return print_list(of, &deleted, "entry has been deleted", &text(&deleted));
    }
    check_distinct(entries, "run")?;
    let back = bin::undelete(&mut open(&args.lab)?, entries)?;
    let moved = entries.iter().zip(&back);
    let moved = moved.map(|(was, is)| match was == is {
        true => was.to_string(),
        false => format!("{was} as {is} (another entry has its number)"),
    });
    note(&format!("back: {}", moved.collect::<Vec<_>>().join(", ")));
    Ok(())
}

/// Removes deleted entries for good, and unused space. On a terminal it asks first if there are
/// such entries, unless `yes` is set.
pub(super) fn vacuum(of: &LabPath, yes: bool) -> Result<(), Failure> {
    let mut lab = open(of)?;
    let deleted = bin::list(&lab, now_unix_ms())?;
    if let Some(ask) = asker().filter(|_| !yes && !deleted.is_empty()) {
        let question = format!(
            "{}This removes these deleted entries for good. Type yes to remove them: ",
            text(&deleted)
        );
        if ask(&question).is_none_or(|typed| typed.trim() != "yes") {
            return Err(Failure::Refused("nothing was removed".to_owned()));
        }
    }
    let path = lab.path().to_path_buf();
    let before = bytes(&path)?;
    let removed = bin::vacuum(&mut lab)?;
    drop(lab);
    note(&format!(
        "deleted entries removed for good: {removed}; the file has {}, and had {}",
        size_text(bytes(&path)?),
        size_text(before)
    ));
    Ok(())
}

fn now_unix_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

fn bytes(path: &Path) -> Result<u64, Failure> {
    let meta = fs::metadata(path);
    let meta = meta.map_err(|error| Failure::Io(format!("{}: {error}", path.display())))?;
    Ok(meta.len())
}

fn names(entries: &[EntryId]) -> String {
    let names: Vec<String> = entries.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn text(deleted: &[Deleted]) -> String {
    let row = |entry: &Deleted| {
        [
            entry.entry.clone(),
            time(entry.deleted_unix_ms),
            time(entry.begun_unix_ms),
            entry.drive.clone(),
            entry.name.clone(),
        ]
    };
    let headings = ["run", "deleted", "begun", "drive", "edition or job"];
    headed("<*  <*  <*  <*  <", headings, deleted.iter().map(row))
}

/// Formats the entries that are to be deleted, one per line.
fn list_of(lab: &Lab, entries: &[EntryId]) -> Result<String, Failure> {
    let row = |entry: &EntryId| -> Result<[String; 4], Failure> {
        let (drive, what, begun) = match entry {
            EntryId::Run(run) => {
                let run = lab.run(*run)?;
                (run.drive.model, run.edition, run.begun_unix_ms)
            }
            EntryId::Recorded(id) => {
                let job = recorded::load(lab, *id)?.summary;
                (job.drive.model, job.name, job.begun_unix_ms)
            }
        };
        Ok([entry.to_string(), time(begun), drive, what])
    };
    let rows: Result<Vec<_>, Failure> = entries.iter().map(row).collect();
    Ok(table("<*  <*  <*  <", &rows?))
}
