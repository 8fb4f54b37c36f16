//! Reviews that are under way, told to other programs: rows that are written about once a second.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::browse::share;
use crate::{Lab, LabError, RunId};

/// A row that was not written for so long belongs to a program that has ended without a word, ms.
pub const STALE_AFTER_MS: i64 = 15_000;

/// Rows that ended are kept so long, ms.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// The number of such a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressId(pub i64);

/// What a review is doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Its number in the lab, once it has one.
    pub run: Option<i64>,
    /// The target's title.
    pub title: String,
    /// Id of the edition.
    pub edition: String,
    /// Whether it is simulated.
    pub simulated: bool,
    /// Whether it has come to its end, whichever it was.
    pub ended: bool,
    /// Id of the test under way; empty before the first.
    pub test: String,
    /// What is being done, in words.
    pub doing: String,
    /// Share of the whole work that is done, by estimated cost, 0 to 1.
    pub share_done: f64,
    /// The time left, in words.
    pub left_words: String,
    /// What was done, a line each.
    pub log: Vec<String>,
    /// The curve that is being measured, or was last.
    pub curve: Option<LiveCurve>,
    /// Its beginning, ms since 1970.
    pub begun_unix_ms: i64,
    /// When it was last heard of, ms since 1970.
    pub seen_unix_ms: i64,
}

impl Progress {
    /// Whether the program that wrote it must have ended without saying so.
    pub fn is_stopped(&self, now_unix_ms: i64) -> bool {
        !self.ended && now_unix_ms - self.seen_unix_ms > STALE_AFTER_MS
    }
}

/// A curve as far as it is measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveCurve {
    /// What is measured.
    pub name: String,
    /// Ends of intervals since its beginning, s of the target's time.
    pub t_s: Vec<f64>,
    /// Requests a second in them.
    pub iops: Vec<f64>,
    /// Whether they are counted otherwise than the result will be.
    #[serde(default)]
    pub preliminary: bool,
}

/// Tells that a review begins; rows of reviews that ended long ago are removed.
///
/// # Errors
/// Where the lab cannot be written.
pub fn begin(lab: &mut Lab, of: &Progress) -> Result<ProgressId, LabError> {
    lab.change(|to| {
        let sql = "DELETE FROM progress WHERE seen_unix_ms < ?1";
        to.execute(sql, [of.seen_unix_ms - KEPT_MS])?;
        to.execute(
            "INSERT INTO progress (run, title, edition, simulated, state, test, doing, share_done,
                left_words, log, curve, begun_unix_ms, seen_unix_ms)
             VALUES (?1, ?2, ?3, ?4, 'running', '', '', 0, '', '[]', 'null', ?5, ?6)",
            params![
                of.run,
                of.title,
                of.edition,
                of.simulated,
                of.begun_unix_ms,
                of.seen_unix_ms
            ],
        )?;
        Ok(ProgressId(to.last_insert_rowid()))
    })
}

/// Writes how far a review is; its title, edition and beginning stay.
///
/// # Errors
/// Where the lab cannot be written.
pub fn update(lab: &mut Lab, id: ProgressId, to: &Progress) -> Result<(), LabError> {
    let json = |value: serde_json::Result<String>| value.unwrap_or_else(|_| "null".to_owned());
    let state = if to.ended { "ended" } else { "running" };
    lab.change(|within| {
        within.execute(
            "UPDATE progress SET run = ?2, state = ?3, test = ?4, doing = ?5, share_done = ?6,
                left_words = ?7, log = ?8, curve = ?9, seen_unix_ms = ?10 WHERE id = ?1",
            params![
                id.0,
                to.run,
                state,
                to.test,
                to.doing,
                to.share_done,
                to.left_words,
                json(serde_json::to_string(&to.log)),
                json(serde_json::to_string(&to.curve)),
                to.seen_unix_ms
            ],
        )?;
        Ok(())
    })
}

/// A run that was deleted is none.
const SELECT: &str = "SELECT id, (SELECT runs.id FROM runs WHERE runs.id = run) AS run, title,
    edition, simulated, state, test, doing, share_done, left_words, log, curve, begun_unix_ms,
    seen_unix_ms FROM progress";

/// The reviews that are under way or were not long ago, the latest first.
///
/// # Errors
/// Where the lab cannot be read.
pub fn list(lab: &Lab) -> Result<Vec<(ProgressId, Progress)>, LabError> {
    let sql = format!("{SELECT} ORDER BY state = 'ended', begun_unix_ms DESC LIMIT 50");
    lab.rows(&sql, [], read)
}

/// Refuses runs of which one is under way.
///
/// # Errors
/// [`LabError::UnderWay`].
pub fn check_over(lab: &Lab, runs: &[RunId], now_unix_ms: i64) -> Result<(), LabError> {
    let under_way = |row: &Progress| !row.ended && !row.is_stopped(now_unix_ms);
    let rows = list(lab)?.into_iter();
    let running = rows.filter(|(_, row)| under_way(row));
    let mut numbers = running.filter_map(|(_, row)| row.run);
    match numbers.find(|&run| runs.contains(&RunId(run))) {
        Some(run) => Err(LabError::UnderWay { run }),
        None => Ok(()),
    }
}

/// One of them; `None` where there is none of this number.
///
/// # Errors
/// Where the lab cannot be read.
pub fn get(lab: &Lab, id: ProgressId) -> Result<Option<Progress>, LabError> {
    let found = lab.row(&format!("{SELECT} WHERE id = ?1"), [id.0], read)?;
    Ok(found.map(|(_, progress)| progress))
}

fn read(row: &Row<'_>) -> rusqlite::Result<(ProgressId, Progress)> {
    let (log, curve): (String, String) = (row.get(10)?, row.get(11)?);
    let progress = Progress {
        run: row.get(1)?,
        title: row.get(2)?,
        edition: row.get(3)?,
        simulated: row.get(4)?,
        ended: row.get::<_, String>(5)? == "ended",
        test: row.get(6)?,
        doing: row.get(7)?,
        share_done: share(row, 8)?,
        left_words: row.get(9)?,
        log: serde_json::from_str(&log).unwrap_or_default(),
        curve: serde_json::from_str(&curve).unwrap_or_default(),
        begun_unix_ms: row.get(12)?,
        seen_unix_ms: row.get(13)?,
    };
    Ok((ProgressId(row.get(0)?), progress))
}
