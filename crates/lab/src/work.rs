//! Long work as a queue: pages request it, a worker carries it out, one at a time. Requests stay
//! when programs end, and the next goes on with them.

use rusqlite::{OptionalExtension, Row, params};

use crate::browse::share;
use crate::{Lab, LabError};

/// Work under way that was not heard of for so long was left behind, ms.
pub const LEFT_AFTER_MS: i64 = 10_000;

/// The number of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkId(pub i64);

/// How far work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// It waits.
    Queued,
    /// A worker carries it out.
    Running,
    /// A worker has been told to stop.
    Cancelling,
    /// It is done.
    Done,
    /// It came to an error.
    Failed,
    /// It was given up.
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
    /// As it is written.
    pub fn name(self) -> &'static str {
        let found = STATES.iter().find(|(_, state)| *state == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether nothing more happens.
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
    /// What kind it is of.
    pub kind: String,
    /// Title for people.
    pub title: String,
    /// What was asked for (JSON).
    pub request: String,
    /// How far it is.
    pub state: WorkState,
    /// What is being done, in words.
    pub doing: String,
    /// Share that is done, 0 to 1.
    pub share_done: f64,
    /// Why it failed.
    pub error: Option<String>,
    /// When it was asked for, ms since 1970.
    pub asked_unix_ms: i64,
    /// When it ended, ms since 1970.
    pub ended_unix_ms: Option<i64>,
}

const SELECT: &str = "SELECT id, kind, title, request, state, doing, share_done, error,
    asked_unix_ms, ended_unix_ms FROM work";

/// Requests work. What was requested already, and waits, runs or is done, is not queued again.
///
/// # Errors
/// Where the lab cannot be written.
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

/// Whether there is something for a worker to take.
///
/// # Errors
/// Where the lab cannot be read.
pub fn waits(lab: &Lab, now_unix_ms: i64) -> Result<bool, LabError> {
    let sql = "SELECT 1 FROM work WHERE state = 'queued'
        OR state IN ('running', 'cancelling') AND seen_unix_ms < ?1 LIMIT 1";
    let found = lab.row(sql, [now_unix_ms - LEFT_AFTER_MS], |row| {
        row.get::<_, i64>(0)
    })?;
    Ok(found.is_some())
}

/// Takes the next piece of work for a worker: one that waits, or was left behind.
///
/// # Errors
/// Where the lab cannot be written.
pub fn take(lab: &mut Lab, worker: &str, now_unix_ms: i64) -> Result<Option<Work>, LabError> {
    let left = now_unix_ms - LEFT_AFTER_MS;
    lab.change(|to| {
        // What was to be given up when its worker ended.
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

/// Tells that a worker is still at it, and how far. `false` where it is to stop: it was told to, or
/// the work is another's by now.
///
/// # Errors
/// Where the lab cannot be written.
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

/// Ends work in this state; in `Queued`, it will be gone on with.
///
/// # Errors
/// Where the lab cannot be written.
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

/// Gives work up, at once if nobody is at it. Whether there was anything to give up.
///
/// # Errors
/// Where the lab cannot be written.
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

/// The work there is, the latest first; at most so many rows.
///
/// # Errors
/// Where the lab cannot be read.
pub fn list(lab: &Lab, at_most: u64) -> Result<Vec<Work>, LabError> {
    lab.rows(
        &format!("{SELECT} ORDER BY id DESC LIMIT {at_most}"),
        [],
        read,
    )
}

/// A piece of work; `None` where there is none of this number.
///
/// # Errors
/// Where the lab cannot be read.
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
