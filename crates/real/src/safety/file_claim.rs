//! Claims a regular file for a test, which destroys its content: only a file that nothing else
//! uses, and that is stend's own or named a second time.

use std::fs::{File, Metadata, OpenOptions as FileOptions, TryLockError};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::options::OpenOptions;
use crate::probe::system::SystemRoot;
use crate::safety::consent::{Demand, row};
use crate::safety::file_mark::{self, Mark};
use crate::safety::users::{User, look_until_settled, same_file, users};
use stend_load::target::{TargetError, failed};
use stend_record::size::in_both_units;

/// Opens an existing file whose content may be lost, and locks it for this process. Also returns
/// the state of stend's mark. `what_is_done` describes the operation: "a test overwrites everything
/// in".
///
/// # Errors
/// [`TargetError::Refused`] for a file that others use or that has other names, and for one that
/// stend did not make and the user did not name; [`TargetError::Failed`] if it cannot be opened.
pub(crate) fn claim_file(
    root: &SystemRoot,
    path: &Path,
    options: &OpenOptions,
    what_is_done: &str,
) -> Result<(File, bool), TargetError> {
    let cannot = failed(path, "cannot be opened for writing");
    let file = FileOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(&cannot)?;
    lock(root, path, &file)?;
    let meta = file.metadata().map_err(&cannot)?;
    let findings = findings(root, &meta);
    if !findings.is_empty() {
        let shown = path.display();
        let mut text = format!("{shown} will not be touched: {what_is_done} it, and");
        for finding in findings {
            text.push_str(&format!("\n  - {finding}"));
        }
        return Err(TargetError::Refused(text));
    }
    let mark = file_mark::of(&file).map_err(&cannot)?;
    if mark != Mark::Own {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let demand = Demand {
            path,
            what_is_done,
            noun: "file",
            name: "name",
            token: &name,
        };
        demand.consent(options, || table(root, path, &file, &meta, mark))?;
    }
    Ok((file, mark != Mark::None))
}

/// Locks an open file or directory for this process.
///
/// # Errors
/// [`TargetError::Refused`] if another process has locked it, with the name of that process.
pub(crate) fn lock(root: &SystemRoot, path: &Path, file: &File) -> Result<(), TargetError> {
    let holders = || {
        let meta = file.metadata();
        let by = meta.map_or_else(|_| Vec::new(), |meta| users(root, same_file(&meta)));
        names(by).unwrap_or_default()
    };
    // `None` once it is locked for this process, else the processes that hold it.
    let locked_by = || match file.try_lock() {
        Ok(()) => None,
        // Some network file systems do not support locks.
        Err(TryLockError::Error(_)) => None,
        Err(TryLockError::WouldBlock) => Some(holders()),
    };
    let by = match look_until_settled(locked_by, |by| by.as_deref() == Some("")) {
        None => return Ok(()),
        Some(by) if by.is_empty() => {
            "this command, which names it twice, or a process that cannot be seen".to_owned()
        }
        Some(by) => by,
    };
    Err(TargetError::Refused(format!(
        "{}: it is being tested or held already, by {by}: wait for its end",
        path.display()
    )))
}

fn names(users: Vec<User>) -> Option<String> {
    let names: Vec<String> = users.iter().map(User::to_string).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Reasons not to write to a file, each with a remedy. All are reported at once.
fn findings(root: &SystemRoot, meta: &Metadata) -> Vec<String> {
    let mut findings = Vec::new();
    let same = same_file(meta);
    let is = |path: &Path| path.metadata().is_ok_and(|other| same(&other));
    for (name, _) in root.loops().iter().filter(|(_, backing)| is(backing)) {
        findings.push(format!(
            "it is the backing file of /dev/{name}: losetup -d /dev/{name} first"
        ));
    }
    if root.swaps().iter().any(|path| is(path)) {
        findings.push("it is in use as swap space: swapoff it first".to_owned());
    }
    if let Some(by) = names(users(root, &same)) {
        findings.push(format!("it is open in {by}: end that first"));
    }
    if meta.nlink() > 1 {
        findings.push(format!(
            "it has {} names (hard links), which all lose their content: find them with \
             find -samefile, and remove the others",
            meta.nlink()
        ));
    }
    findings
}

/// Table of the data that will be lost.
fn table(root: &SystemRoot, path: &Path, file: &File, meta: &Metadata, mark: Mark) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let changed = jiff::Timestamp::new(meta.mtime(), 0)
        .map_or_else(|_| "not known".to_owned(), |time| time.to_string());
    let made = match mark {
        Mark::Changed => "stend made it; its content has changed since, or a run was killed",
        Mark::Own | Mark::None => "not by stend: it has no mark of its",
    };
    [
        ("file", whole.display().to_string()),
        ("size", in_both_units(meta.len())),
        ("changed", changed),
        ("owner", owner(root, meta.uid())),
        ("begins with", beginning(file)),
        ("made", made.to_owned()),
    ]
    .iter()
    .map(|(name, value)| row(name, value))
    .collect()
}

fn owner(root: &SystemRoot, uid: u32) -> String {
    let known = root.text("etc/passwd").unwrap_or_default();
    let name = known.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("user {uid}"))
}

/// The first bytes, with escapes for unprintable ones.
fn beginning(file: &File) -> String {
    const BYTES_MAX: u64 = 48;
    let mut bytes = Vec::new();
    match file.take(BYTES_MAX).read_to_end(&mut bytes) {
        Ok(0) => "nothing: it is empty".to_owned(),
        Ok(_) if bytes.iter().all(|byte| *byte == 0) => "zeros".to_owned(),
        Ok(_) => format!("\"{}\"", bytes.escape_ascii()),
        Err(error) => format!("not readable: {error}"),
    }
}
