//! A queue of long work: pages request it, a worker carries it out, one at a time. Requests stay in
//! the lab when programs end, and the next worker resumes them.

use rusqlite::{OptionalExtension, Row, params};

use crate::browse::share;
use crate::{Lab, LabError};

/// Age of the last update from which work in progress counts as abandoned, ms.
pub const LEFT_AFTER_MS: i64 = 10_000;

/// Number of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkId(pub i64);

/// State of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// It waits for a worker.
    Queued,
    /// A worker carries it out.
    Running,
    /// Its worker must stop.
    Cancelling,
    /// It is done.
    Done,
    /// It ended with an error.
    Failed,
    /// It was cancelled.
    Cancelled,
}

const STATES: [(&str, WorkState); 6] = [
    ("queued", WorkState::Queued),
    ("running", WorkState::Running),
    ("cancelling", WorkState::Cancelling),
    ("done", WorkState::Done),
    ("failed", WorkState::Failed),
    ("cancelled", WorkState::Cancelled),
];

impl WorkState {
    /// Returns its name in the lab.
    pub fn name(self) -> &'static str {
        let found = STATES.iter().find(|(_, state)| *state == self);
        found.map_or("", |(name, _)| name)
    }

    /// True if it has ended.
    pub fn is_over(self) -> bool {
        matches!(
            self,
            WorkState::Done | WorkState::Failed | WorkState::Cancelled
        )
    }
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Its number.
    pub id: WorkId,
    /// Kind of the work.
    pub kind: String,
    /// Title for people.
    pub title: String,
    /// The request (JSON).
    pub request: String,
    /// State of the work.
    pub state: WorkState,
    /// Current step, in words.
    pub doing: String,
    /// Finished share, 0 to 1.
    pub share_done: f64,
    /// Error, if it failed.
    pub error: Option<String>,
    /// Time of the request, ms since 1970.
    pub asked_unix_ms: i64,
    /// Time of its end, ms since 1970.
    pub ended_unix_ms: Option<i64>,
}

const SELECT: &str = "SELECT id, kind, title, request, state, doing, share_done, error,
    asked_unix_ms, ended_unix_ms FROM work";

/// Requests work. A request that is the same as one that waits, runs or is done is not queued
/// again.
///
/// # Errors
/// If the lab cannot be written.
pub fn ask(
    lab: &mut Lab,
    (kind, title, request): (&str, &str, &str),
    now_unix_ms: i64,
) -> Result<WorkId, LabError> {
    lab.change(|to| {
        let sql = "SELECT id FROM work WHERE kind = ?1 AND request = ?2
            AND state IN ('queued', 'running', 'done') ORDER BY id DESC LIMIT 1";
        let there = to
            .query_row(sql, [kind, request], |row| row.get(0))
            .optional()?;
        if let Some(id) = there {
            return Ok(WorkId(id));
        }
        to.execute(
            "INSERT INTO work (kind, title, request, state, worker, doing, share_done,
                asked_unix_ms)
             VALUES (?1, ?2, ?3, 'queued', '', '', 0, ?4)",
            params![kind, title, request, now_unix_ms],
        )?;
        Ok(WorkId(to.last_insert_rowid()))
    })
}

/// True if there is work for a worker to take.
///
/// # Errors
/// If the lab cannot be read.
pub fn waits(lab: &Lab, now_unix_ms: i64) -> Result<bool, LabError> {
    let sql = "SELECT 1 FROM work WHERE state = 'queued'
        OR state IN ('running', 'cancelling') AND seen_unix_ms < ?1 LIMIT 1";
    let found = lab.row(sql, [now_unix_ms - LEFT_AFTER_MS], |row| {
        row.get::<_, i64>(0)
    })?;
    Ok(found.is_some())
}

/// Takes the next piece of work for a worker: one that waits, or was abandoned.
///
/// # Errors
/// If the lab cannot be written.
pub fn take(lab: &mut Lab, worker: &str, now_unix_ms: i64) -> Result<Option<Work>, LabError> {
    let left = now_unix_ms - LEFT_AFTER_MS;
    lab.change(|to| {
        // Work that was to be cancelled when its worker ended.
        to.execute(
            "UPDATE work SET state = 'cancelled', ended_unix_ms = ?1
             WHERE state = 'cancelling' AND seen_unix_ms < ?2",
            [now_unix_ms, left],
        )?;
        let sql = format!(
            "{SELECT} WHERE state = 'queued' OR state = 'running' AND seen_unix_ms < ?1
             ORDER BY id LIMIT 1"
        );
        let Some(work) = to.query_row(&sql, [left], read).optional()? else {
            return Ok(None);
        };
        to.execute(
            "UPDATE work SET state = 'running', worker = ?2, seen_unix_ms = ?3, error = NULL,
                begun_unix_ms = coalesce(begun_unix_ms, ?3) WHERE id = ?1",
            params![work.id.0, worker, now_unix_ms],
        )?;
        Ok(Some(Work {
            state: WorkState::Running,
            ..work
        }))
    })
}

/// Records that a worker is still active, and its progress. Returns false if the worker must stop,
/// because the work was cancelled or another worker has taken it.
///
/// # Errors
/// If the lab cannot be written.
pub fn go_on(
    lab: &mut Lab,
    (id, worker): (WorkId, &str),
    (doing, share_done): (&str, f64),
    now_unix_ms: i64,
) -> Result<bool, LabError> {
    lab.change(|to| {
        let rows = to.execute(
            "UPDATE work SET doing = ?3, share_done = ?4, seen_unix_ms = ?5
             WHERE id = ?1 AND worker = ?2 AND state = 'running'",
            params![id.0, worker, doing, share_done, now_unix_ms],
        )?;
        Ok(rows == 1)
    })
}

/// Ends work in this state; work in `Queued` will be resumed.
///
/// # Errors
/// If the lab cannot be written.
pub fn end(
    lab: &mut Lab,
    (id, worker): (WorkId, &str),
    state: WorkState,
    error: Option<&str>,
    now_unix_ms: i64,
) -> Result<(), LabError> {
    lab.change(|to| {
        to.execute(
            "UPDATE work SET
                state = CASE
                    WHEN state = 'cancelling' AND ?3 = 'queued' THEN 'cancelled'
                    ELSE ?3
                END,
                error = ?4, ended_unix_ms = ?5,
                share_done = CASE ?3 WHEN 'done' THEN 1 ELSE share_done END
             WHERE id = ?1 AND worker = ?2 AND state IN ('running', 'cancelling')",
            params![
                id.0,
                worker,
                state.name(),
                error,
                state.is_over().then_some(now_unix_ms)
            ],
        )?;
        Ok(())
    })
}

/// Cancels work, at once if it only waits. Returns true if there was work to cancel.
///
/// # Errors
/// If the lab cannot be written.
pub fn cancel(lab: &mut Lab, id: WorkId, now_unix_ms: i64) -> Result<bool, LabError> {
    lab.change(|to| {
        let rows = to.execute(
            "UPDATE work SET
                state = CASE state WHEN 'queued' THEN 'cancelled' ELSE 'cancelling' END,
                ended_unix_ms = CASE state WHEN 'queued' THEN ?2 END
             WHERE id = ?1 AND state IN ('queued', 'running')",
            params![id.0, now_unix_ms],
        )?;
        Ok(rows == 1)
    })
}

/// Returns at most `at_most` pieces of work, the latest first.
///
/// # Errors
/// If the lab cannot be read.
pub fn list(lab: &Lab, at_most: u64) -> Result<Vec<Work>, LabError> {
    lab.rows(
        &format!("{SELECT} ORDER BY id DESC LIMIT {at_most}"),
        [],
        read,
    )
}

/// Returns a piece of work; `None` if there is none with this number.
///
/// # Errors
/// If the lab cannot be read.
pub fn get(lab: &Lab, id: WorkId) -> Result<Option<Work>, LabError> {
    lab.row(&format!("{SELECT} WHERE id = ?1"), [id.0], read)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Work> {
    let state: String = row.get(4)?;
    let state = STATES.iter().find(|(name, _)| *name == state);
    Ok(Work {
        id: WorkId(row.get(0)?),
        kind: row.get(1)?,
        title: row.get(2)?,
        request: row.get(3)?,
        state: state.map_or(WorkState::Failed, |(_, state)| *state),
        doing: row.get(5)?,
        share_done: share(row, 6)?,
        error: row.get(7)?,
        asked_unix_ms: row.get(8)?,
        ended_unix_ms: row.get(9)?,
    })
}
