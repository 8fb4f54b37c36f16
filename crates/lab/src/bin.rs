//! Deleted entries, which can be brought back for a time.
//!
//! A deleted entry leaves all tables, so that no list, search, export or merge can show it, here or
//! in another program that reads the file. The table `deleted` keeps it as a lab of its own, which
//! is merged back. That lab has the version of its time, and is migrated like any other.

use std::path::Path;

use rusqlite::{Connection, Row, Transaction, params};
use serde::Serialize;

use crate::recorded::{self, EntryId};
use crate::{Lab, LabError, drives, fold, merge, uri};

/// Time for which a deleted entry can be brought back, ms: 30 days.
pub const KEPT_MS: i64 = 30 * 24 * 3600 * 1000;

/// Page size of the lab of one deleted entry, bytes: most of its tables are empty, and each takes a
/// page.
const PAGE_BYTES: i64 = 512;

/// A deleted entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deleted {
    /// Its number when it was deleted: `3`, `j3`.
    pub entry: String,
    /// Id that is the same in any lab.
    pub uuid: String,
    /// The drive's model.
    pub drive: String,
    /// The edition of a run; the job or trace of a record.
    pub name: String,
    /// Start, ms since 1970.
    pub begun_unix_ms: i64,
    /// Time of the deletion, ms since 1970.
    pub deleted_unix_ms: i64,
}

/// A row of the table `rivals`, with UUIDs in place of numbers.
type RivalLink = (String, i64, String);

/// Deletes runs, recorded jobs and replays; if one does not exist, none. They can be brought back
/// by [`undelete`]. Does not check that no run is in progress; [`crate::progress::check_over`]
/// does.
///
/// # Errors
/// [`LabError::NoRun`], [`LabError::NoRecorded`]; [`LabError::Full`] and others, after which some
/// entries may be deleted.
pub fn delete(lab: &mut Lab, entries: &[EntryId], now_unix_ms: i64) -> Result<(), LabError> {
    for entry in entries {
        recorded::check(lab, *entry)?;
    }
    let path = lab.path().to_path_buf();
    let empty = empty_lab().map_err(|error| lab.failed(error))?;
    // Of all entries first: the deletion of a run removes the links of its rivals.
    let links: Vec<_> = lab.change(|within| {
        expire(within, now_unix_ms)?;
        entries.iter().map(|entry| links(within, *entry)).collect()
    })?;
    // Other programs write between two entries: a review does not wait for hundreds of them.
    for (entry, links) in entries.iter().zip(&links) {
        lab.change(|within| {
            let content = copy_of(&path, &empty, *entry)?;
            keep(within, *entry, (links, &content), now_unix_ms)?;
            recorded::remove(within, &[*entry])
        })?;
    }
    Ok(())
}

/// Brings deleted entries back, each with its number unless another entry has that now. Returns the
/// numbers that they have.
///
/// # Errors
/// [`LabError::NotDeleted`] if one is not there; others may be back then.
pub fn undelete(lab: &mut Lab, entries: &[EntryId]) -> Result<Vec<EntryId>, LabError> {
    // First those whose number is free, lest another takes it.
    let is_taken = |entry: &EntryId| recorded::check(lab, *entry).is_ok();
    let (later, first): (Vec<EntryId>, Vec<EntryId>) = entries.iter().partition(|e| is_taken(e));
    let mut back = Vec::new();
    for entry in first.into_iter().chain(later) {
        back.push((entry, bring_back(lab, entry)?));
    }
    let now = |entry: &EntryId| back.iter().find(|(was, _)| was == entry);
    Ok(entries.iter().filter_map(now).map(|(_, is)| *is).collect())
}

/// Returns the deleted entries that can be brought back, the last deleted first.
///
/// # Errors
/// If the lab cannot be read.
pub fn list(lab: &Lab, now_unix_ms: i64) -> Result<Vec<Deleted>, LabError> {
    let sql = "SELECT entry, uuid, drive, name, begun_unix_ms, deleted_unix_ms FROM deleted
        WHERE deleted_unix_ms >= ?1 ORDER BY deleted_unix_ms DESC, entry";
    lab.rows(sql, [now_unix_ms - KEPT_MS], |row| {
        Ok(Deleted {
            entry: row.get(0)?,
            uuid: row.get(1)?,
            drive: row.get(2)?,
            name: row.get(3)?,
            begun_unix_ms: row.get(4)?,
            deleted_unix_ms: row.get(5)?,
        })
    })
}

/// Removes all deleted entries for good, and the unused space in the file. Returns the number of
/// entries.
///
/// # Errors
/// [`LabError::Locked`] while another program uses the lab, [`LabError::Full`]: then no entry is
/// removed.
pub fn vacuum(lab: &mut Lab) -> Result<usize, LabError> {
    let shrink = |lab: &Lab| {
        let shrunk = lab
            .connection
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        shrunk.map_err(|error| lab.failed(error))
    };
    // First with the entries: where that fails, they stay. Without them it needs less room.
    shrink(lab)?;
    let removed = lab.change(|within| within.execute("DELETE FROM deleted", []))?;
    if removed > 0 {
        shrink(lab)?;
    }
    Ok(removed)
}

/// Removes the entries for good that were deleted too long ago.
pub(crate) fn expire(within: &Transaction<'_>, now_unix_ms: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM deleted WHERE deleted_unix_ms < ?1";
    within.execute(sql, [now_unix_ms - KEPT_MS]).map(drop)
}

/// Returns the links of a run to its rivals, and of others to it.
fn links(within: &Transaction<'_>, entry: EntryId) -> rusqlite::Result<Vec<RivalLink>> {
    let EntryId::Run(run) = entry else {
        return Ok(Vec::new());
    };
    let sql = "SELECT run.uuid, position, rival.uuid FROM rivals
        JOIN runs AS run ON run.id = rivals.run JOIN runs AS rival ON rival.id = rivals.rival
        WHERE ?1 IN (rivals.run, rivals.rival)";
    let mut statement = within.prepare_cached(sql)?;
    let link = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    statement.query_map([run.0], link)?.collect()
}

/// Returns a lab without entries, as a file's bytes.
fn empty_lab() -> rusqlite::Result<Vec<u8>> {
    let mut empty = Connection::open_in_memory()?;
    empty.pragma_update(None, "page_size", PAGE_BYTES)?;
    fold::add_to(&empty)?;
    empty.pragma_update(None, "foreign_keys", false)?;
    migrate(&mut empty)?;
    Ok(empty.serialize("main")?.to_vec())
}

/// Returns a lab with one entry of the lab at `path`, as a file's bytes; `empty` has none.
fn copy_of(path: &Path, empty: &[u8], entry: EntryId) -> rusqlite::Result<Vec<u8>> {
    let mut copy = Connection::open_in_memory()?;
    copy.deserialize_read_exact("main", empty, empty.len(), false)?;
    fold::add_to(&copy)?;
    copy.pragma_update(None, "foreign_keys", false)?;
    // Only for reading: a wrong path must not become a file.
    let uri = uri(path, "mode=ro").ok_or_else(|| rusqlite::Error::InvalidPath(path.into()))?;
    copy.execute("ATTACH DATABASE ?1 AS other", params![uri])?;
    let within = copy.transaction()?;
    drives::merge(&within)?;
    match entry {
        EntryId::Run(run) => drop(merge::copy_run(&within, run.0, Some(run.0))?),
        EntryId::Recorded(id) => drop(recorded::copy(&within, id, Some(id))?),
    }
    drives::remove_unused(&within)?;
    within.commit()?;
    copy.execute("DETACH DATABASE other", [])?;
    Ok(copy.serialize("main")?.to_vec())
}

fn keep(
    within: &Transaction<'_>,
    entry: EntryId,
    (links, content): (&[RivalLink], &[u8]),
    now_unix_ms: i64,
) -> rusqlite::Result<()> {
    let (table, name, id) = match entry {
        EntryId::Run(run) => ("runs", "edition", run.0),
        EntryId::Recorded(recorded) => ("recorded", "name", recorded.0),
    };
    let sql = format!(
        "INSERT OR REPLACE INTO deleted (uuid, entry, drive, name, begun_unix_ms, deleted_unix_ms,
            rivals, content)
         SELECT uuid, ?2, drives.model, {name}, begun_unix_ms, ?3, ?4, ?5
         FROM {table} JOIN drives ON drives.id = {table}.drive WHERE {table}.id = ?1"
    );
    let links = serde_json::to_string(links).unwrap_or_default();
    let values = params![id, entry.to_string(), now_unix_ms, links, content];
    within.execute(&sql, values).map(drop)
}

/// Brings one entry back; returns its number.
fn bring_back(lab: &mut Lab, entry: EntryId) -> Result<EntryId, LabError> {
    let sql = "SELECT uuid, content FROM deleted WHERE entry = ?1
        ORDER BY deleted_unix_ms DESC LIMIT 1";
    let found = lab.row(sql, [entry.to_string()], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
    })?;
    let (uuid, content) = found.ok_or_else(|| LabError::NotDeleted {
        path: lab.path().to_path_buf(),
        entry: entry.to_string(),
    })?;
    let attached = attach(&mut lab.connection, content);
    attached.map_err(|error| lab.failed(error))?;
    let back = lab.change(|within| {
        let back = restore(within, entry, &uuid)?;
        link_rivals(within, &uuid)?;
        within.execute("DELETE FROM deleted WHERE uuid = ?1", [&uuid])?;
        Ok(back)
    });
    let detached = lab.connection.execute("DETACH DATABASE other", []);
    detached.map_err(|error| lab.failed(error))?;
    back
}

/// Attaches the lab of a deleted entry as `other`, in its latest version.
fn attach(to: &mut Connection, content: Vec<u8>) -> rusqlite::Result<()> {
    let mut lab = Connection::open_in_memory()?;
    fold::add_to(&lab)?;
    lab.deserialize_read_exact("main", &*content, content.len(), false)?;
    lab.pragma_update(None, "foreign_keys", false)?;
    migrate(&mut lab)?;
    let content = lab.serialize("main")?;
    to.execute("ATTACH DATABASE ':memory:' AS other", [])?;
    // Writable, as every database of a transaction that writes.
    to.deserialize_read_exact("other", &*content, content.len(), false)
}

/// Copies an entry from the attached lab, unless it is here already, as after a merge.
fn restore(within: &Transaction<'_>, entry: EntryId, uuid: &str) -> rusqlite::Result<EntryId> {
    let (table, old) = match entry {
        EntryId::Run(run) => ("runs", run.0),
        EntryId::Recorded(id) => ("recorded", id.0),
    };
    let present = |column: &str, value: &dyn rusqlite::ToSql| {
        let sql = format!("SELECT id FROM main.{table} WHERE {column} = ?1");
        let found = within.query_row(&sql, [value], |row| row.get::<_, i64>(0));
        rusqlite::OptionalExtension::optional(found)
    };
    let back = match present("uuid", &uuid)? {
        Some(id) => id,
        None => {
            let number = present("id", &old)?.is_none().then_some(old);
            drives::merge(within)?;
            match entry {
                EntryId::Run(_) => merge::copy_run(within, old, number)?,
                EntryId::Recorded(id) => {
                    recorded::copy(within, id, number.map(recorded::RecordedId))?.0
                }
            }
        }
    };
    Ok(match entry {
        EntryId::Run(_) => EntryId::Run(crate::RunId(back)),
        EntryId::Recorded(_) => EntryId::Recorded(recorded::RecordedId(back)),
    })
}

/// Restores the links of a run, except to runs that are still deleted.
fn link_rivals(within: &Transaction<'_>, uuid: &str) -> rusqlite::Result<()> {
    let sql = "SELECT rivals FROM deleted WHERE uuid = ?1";
    let links: String = within.query_row(sql, [uuid], |row| row.get(0))?;
    let links: Vec<RivalLink> = serde_json::from_str(&links).unwrap_or_default();
    for (run, position, rival) in links {
        within.execute(
            "INSERT OR IGNORE INTO main.rivals (run, position, rival)
             SELECT run.id, ?2, rival.id FROM main.runs AS run, main.runs AS rival
             WHERE run.uuid = ?1 AND rival.uuid = ?3",
            params![run, position, rival],
        )?;
    }
    Ok(())
}

fn migrate(lab: &mut Connection) -> rusqlite::Result<()> {
    crate::migrations()
        .to_latest(lab)
        .map_err(|error| match error {
            rusqlite_migration::Error::RusqliteError { err, .. } => err,
            other => rusqlite::Error::UserFunctionError(Box::new(other)),
        })
}
