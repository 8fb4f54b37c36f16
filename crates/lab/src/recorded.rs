//! Records of single jobs and replayed traces, from `stend run` and `stend replay`.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params};
use serde::{Serialize, Serializer};
use serde_json::Value;
use stend_record::review::{Condition, TargetInfo};
use uuid::Uuid;

use crate::drives::{self, Drive};
use crate::{Lab, LabError, RunId};

/// Number of a recorded job or replay in its lab, `j3`: no run has such a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedId(pub i64);

impl fmt::Display for RecordedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "j{}", self.0)
    }
}

impl Serialize for RecordedId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Number of an entry of a lab: `3` is a run, `j3` a recorded job or replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryId {
    /// A review.
    Run(RunId),
    /// A job or a replay.
    Recorded(RecordedId),
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryId::Run(run) => run.fmt(f),
            EntryId::Recorded(recorded) => recorded.fmt(f),
        }
    }
}

impl FromStr for EntryId {
    type Err = String;

    fn from_str(text: &str) -> Result<EntryId, String> {
        let (digits, is_run) = match text.strip_prefix('j') {
            Some(digits) => (digits, false),
            None => (text, true),
        };
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(number) if plain && is_run => Ok(EntryId::Run(RunId(number))),
            Ok(number) if plain => Ok(EntryId::Recorded(RecordedId(number))),
            _ => Err(format!(
                "`{text}` is not a number of the lab: 3 is a review, j3 a job or a replay"
            )),
        }
    }
}

/// Kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedKind {
    /// A job, by `stend run`.
    Run,
    /// A trace, by `stend replay`.
    Replay,
}

impl RecordedKind {
    /// Both kinds.
    pub const ALL: [RecordedKind; 2] = [RecordedKind::Run, RecordedKind::Replay];

    /// Returns its name: `run`, `replay`.
    pub fn name(self) -> &'static str {
        match self {
            RecordedKind::Run => "run",
            RecordedKind::Replay => "replay",
        }
    }
}

/// A job or a replay to record.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord<'a> {
    /// Kind of the record.
    pub kind: RecordedKind,
    /// The target.
    pub target: &'a TargetInfo,
    /// The user's label.
    pub label: Option<&'a str>,
    /// The user's note.
    pub note: Option<&'a str>,
    /// The job file, or the trace's name.
    pub name: &'a str,
    /// Text of the job; `None` for a trace.
    pub job: Option<&'a str>,
    /// Root seed of all random numbers.
    pub seed: u64,
    /// The command that runs it again.
    pub command: &'a str,
    /// The result in its JSON form.
    pub result: &'a Value,
    /// Version of stend.
    pub stend_version: &'a str,
    /// Commit of stend, if known.
    pub stend_commit: Option<&'a str>,
    /// Start, ms since 1970.
    pub begun_unix_ms: i64,
    /// Now, ms since 1970.
    pub now_unix_ms: i64,
}

/// A recorded job or replay, without its text and result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedSummary {
    /// Its number.
    pub id: RecordedId,
    /// Id that is the same in any lab.
    pub uuid: String,
    /// Kind of the record.
    pub kind: RecordedKind,
    /// The drive.
    pub drive: Drive,
    /// The target as it was typed.
    pub target: String,
    /// Its capacity, bytes.
    pub capacity_bytes: u64,
    /// The user's label.
    pub label: Option<String>,
    /// The user's note.
    pub note: Option<String>,
    /// The job file, or the trace's name.
    pub name: String,
    /// Root seed of all random numbers.
    pub seed: u64,
    /// The command that runs it again.
    pub command: String,
    /// Version of stend.
    pub stend_version: String,
    /// Commit of stend, if known.
    pub stend_commit: Option<String>,
    /// Start, ms since 1970.
    pub begun_unix_ms: i64,
    /// Time of writing, ms since 1970.
    pub saved_unix_ms: i64,
}

/// A recorded job or replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recorded {
    /// Kind, drive, times and further facts.
    #[serde(flatten)]
    pub summary: RecordedSummary,
    /// Text of the job; `None` for a trace.
    pub job: Option<String>,
    /// Facts about the target.
    pub facts: Vec<Condition>,
    /// The result, in the form of `stend run --output-format json` or `stend replay --json`.
    pub result: Value,
}

/// Records a job or a replay.
///
/// # Errors
/// If the lab cannot be written.
pub fn save(lab: &mut Lab, new: &NewRecord<'_>) -> Result<RecordedId, LabError> {
    lab.change(|to| {
        let drive = drives::find_or_add(to, new.target)?;
        to.execute(
            "INSERT INTO recorded (uuid, kind, drive, target, capacity_bytes, facts, label, note,
                name, job, seed, command, result, stend_version, stend_commit, begun_unix_ms,
                saved_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            params![
                Uuid::new_v4().to_string(),
                new.kind.name(),
                drive,
                new.target.name,
                new.target.capacity_bytes.cast_signed(),
                serde_json::to_string(&new.target.facts).unwrap_or_default(),
                new.label,
                new.note,
                new.name,
                new.job,
                new.seed.to_string(),
                new.command,
                new.result.to_string(),
                new.stend_version,
                new.stend_commit,
                new.begun_unix_ms,
                new.now_unix_ms,
            ],
        )?;
        Ok(RecordedId(to.last_insert_rowid()))
    })
}

/// Columns of [`RecordedSummary`] before those of the drive.
const COLUMNS: &str = "recorded.id, uuid, recorded.kind, target, capacity_bytes, label, note, \
    name, seed, command, stend_version, stend_commit, begun_unix_ms, saved_unix_ms";

pub(crate) fn select(more: &str) -> String {
    let of_drive = drives::COLUMNS.replacen("kind", "drives.kind", 1);
    format!(
        "SELECT {COLUMNS}, {of_drive}, facts, job, result
         FROM recorded JOIN drives ON drives.id = recorded.drive {more}"
    )
}

/// Returns all records in the order of recording.
///
/// # Errors
/// If the lab cannot be read.
pub fn list(lab: &Lab) -> Result<Vec<RecordedSummary>, LabError> {
    lab.rows(&select("ORDER BY recorded.id"), [], summary)
}

/// Returns one record.
///
/// # Errors
/// [`LabError::NoRecorded`] if there is none.
pub fn load(lab: &Lab, id: RecordedId) -> Result<Recorded, LabError> {
    const FIRST: usize = 14 + 8;
    let found = lab.row(&select("WHERE recorded.id = ?1"), params![id.0], |row| {
        let json = |column| row.get::<_, String>(column);
        Ok(Recorded {
            summary: summary(row)?,
            facts: serde_json::from_str(&json(FIRST)?).unwrap_or_default(),
            job: row.get(FIRST + 1)?,
            result: serde_json::from_str(&json(FIRST + 2)?).unwrap_or_default(),
        })
    })?;
    found.ok_or_else(|| missing(lab, id))
}

fn missing(lab: &Lab, id: RecordedId) -> LabError {
    LabError::NoRecorded {
        path: lab.path().to_path_buf(),
        id: id.0,
    }
}

pub(crate) fn summary(row: &Row<'_>) -> rusqlite::Result<RecordedSummary> {
    let kind: String = row.get(2)?;
    let mut kinds = RecordedKind::ALL.into_iter();
    let kind = kinds.find(|known| known.name() == kind);
    let seed: String = row.get(8)?;
    Ok(RecordedSummary {
        id: RecordedId(row.get(0)?),
        uuid: row.get(1)?,
        kind: kind
            .ok_or_else(|| rusqlite::Error::InvalidColumnType(2, "kind".to_owned(), Type::Text))?,
        drive: drives::drive(row, 14)?,
        target: row.get(3)?,
        capacity_bytes: row.get::<_, i64>(4)?.cast_unsigned(),
        label: row.get(5)?,
        note: row.get(6)?,
        name: row.get(7)?,
        seed: seed.parse().unwrap_or_default(),
        command: row.get(9)?,
        stend_version: row.get(10)?,
        stend_commit: row.get(11)?,
        begun_unix_ms: row.get(12)?,
        saved_unix_ms: row.get(13)?,
    })
}

/// Removes runs, recorded jobs and replays for good, with earlier copies of them among the deleted
/// entries: all of them or, if one does not exist, none.
/// Does not check that no run is in progress; [`crate::progress::check_over`] does.
///
/// # Errors
/// [`LabError::NoRun`], [`LabError::NoRecorded`].
pub fn delete(lab: &mut Lab, entries: &[EntryId]) -> Result<(), LabError> {
    for entry in entries {
        check(lab, *entry)?;
    }
    lab.change(|within| {
        for entry in entries {
            let (table, id) = place(*entry);
            let sql = format!(
                "DELETE FROM deleted WHERE uuid = (SELECT uuid FROM {table} WHERE id = ?1)"
            );
            within.execute(&sql, params![id])?;
        }
        remove(within, entries)
    })
}

/// Removes entries, and drives that then have none.
pub(crate) fn remove(within: &Transaction<'_>, entries: &[EntryId]) -> rusqlite::Result<()> {
    for entry in entries {
        let (table, id) = place(*entry);
        let sql = format!("DELETE FROM {table} WHERE id = ?1");
        within.execute(&sql, params![id])?;
    }
    drives::remove_unused(within)
}

/// Sets or removes the label of a run, a recorded job or a replay.
///
/// # Errors
/// [`LabError::NoRun`], [`LabError::NoRecorded`].
pub fn set_label(lab: &mut Lab, entry: EntryId, label: Option<&str>) -> Result<(), LabError> {
    set(lab, entry, "label", label)
}

/// Sets or removes the note of a run, a recorded job or a replay.
///
/// # Errors
/// [`LabError::NoRun`], [`LabError::NoRecorded`].
pub fn set_note(lab: &mut Lab, entry: EntryId, note: Option<&str>) -> Result<(), LabError> {
    set(lab, entry, "note", note)
}

/// Edit of a label or a note by a user who saw a text of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edit<'a> {
    /// The text that the user saw, empty if there was none; `None` replaces any text.
    pub seen: Option<&'a str>,
    /// The new text; `None` removes it.
    pub text: Option<&'a str>,
}

impl Edit<'_> {
    /// True if the user changed the text.
    fn is_change(&self) -> bool {
        self.seen != Some(self.text.unwrap_or_default())
    }

    /// True if the stored text is neither the one that the user saw nor the new one.
    fn conflicts(&self, stored: Option<&str>) -> bool {
        let other = |seen| seen != stored.unwrap_or_default() && stored != self.text;
        self.is_change() && self.seen.is_some_and(other)
    }
}

/// Stored label and note, with which an edit conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The stored label, if the new label conflicts with it; empty if it was removed.
    pub label: Option<String>,
    /// The stored note, if the new note conflicts with it; empty if it was removed.
    pub note: Option<String>,
}

/// Writes those of label and note that the user changed: both, or neither if one of them was
/// changed by someone else since the user saw it.
///
/// # Errors
/// [`LabError::NoRun`], [`LabError::NoRecorded`].
pub fn edit_marks(
    lab: &mut Lab,
    entry: EntryId,
    (label, note): (Edit<'_>, Edit<'_>),
) -> Result<Option<Conflict>, LabError> {
    check(lab, entry)?;
    let (table, id) = place(entry);
    lab.change(|to| {
        let sql = format!("SELECT label, note FROM {table} WHERE id = ?1");
        let stored: [Option<String>; 2] =
            to.query_row(&sql, params![id], |row| Ok([row.get(0)?, row.get(1)?]))?;
        let conflict = |edit: Edit<'_>, stored: &Option<String>| {
            let conflicts = edit.conflicts(stored.as_deref());
            conflicts.then(|| stored.clone().unwrap_or_default())
        };
        let conflict = Conflict {
            label: conflict(label, &stored[0]),
            note: conflict(note, &stored[1]),
        };
        if conflict.label.is_some() || conflict.note.is_some() {
            return Ok(Some(conflict));
        }
        for (column, edit) in [("label", label), ("note", note)] {
            if edit.is_change() {
                let sql = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1");
                to.execute(&sql, params![id, edit.text])?;
            }
        }
        Ok(None)
    })
}

fn set(lab: &mut Lab, entry: EntryId, column: &str, text: Option<&str>) -> Result<(), LabError> {
    check(lab, entry)?;
    let (table, id) = place(entry);
    let sql = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1");
    lab.change(|to| to.execute(&sql, params![id, text]).map(drop))
}

/// Checks that an entry exists.
pub(crate) fn check(lab: &Lab, entry: EntryId) -> Result<(), LabError> {
    match entry {
        EntryId::Run(run) => lab.run(run).map(drop),
        EntryId::Recorded(id) => {
            let sql = "SELECT 1 FROM recorded WHERE id = ?1";
            let found = lab.row(sql, params![id.0], |_| Ok(()))?;
            found.ok_or_else(|| missing(lab, id))
        }
    }
}

fn place(entry: EntryId) -> (&'static str, i64) {
    match entry {
        EntryId::Run(run) => ("runs", run.0),
        EntryId::Recorded(recorded) => ("recorded", recorded.0),
    }
}

/// Copies the records of the attached database `other` that are new here. Returns their number.
pub(crate) fn merge(within: &Transaction<'_>) -> rusqlite::Result<u32> {
    let sql = copy_sql("their.uuid NOT IN (SELECT uuid FROM main.recorded)");
    within
        .execute(&sql, params![None::<i64>])
        .map(|added| added as u32)
}

/// Copies a record of the attached database `other`, with the number `number` or the next one.
/// Returns its number here.
pub(crate) fn copy(
    within: &Transaction<'_>,
    id: RecordedId,
    number: Option<RecordedId>,
) -> rusqlite::Result<RecordedId> {
    let number = number.map(|number| number.0);
    within.execute(&copy_sql("their.id = ?2"), params![number, id.0])?;
    Ok(RecordedId(within.last_insert_rowid()))
}

/// Returns the statement that copies those records of `other` which fulfil a condition; `?1` is
/// their number here, or null for the next ones.
fn copy_sql(condition: &str) -> String {
    const OWN: &str = "uuid, target, capacity_bytes, facts, label, note, name, job, seed, \
        command, result, stend_version, stend_commit, begun_unix_ms, saved_unix_ms";
    let key = drives::KEY.replacen("kind, ", "", 1);
    format!(
        "INSERT INTO main.recorded (id, drive, kind, {OWN})
         SELECT ?1, mine.id, their.kind, {OWN} FROM other.recorded AS their
         JOIN other.drives AS of ON of.id = their.drive
         JOIN main.drives AS mine ON mine.kind = of.kind AND {}
         WHERE {condition} ORDER BY their.id",
        key.split(", ")
            .map(|column| format!("mine.{column} = of.{column}"))
            .collect::<Vec<_>>()
            .join(" AND ")
    )
}
