//! Progress of reviews, shared with other programs: rows that are written about once a second.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::browse::share;
use crate::{Lab, LabError, RunId};

/// Age from which a row belongs to a program that ended unexpectedly, ms.
pub const STALE_AFTER_MS: i64 = 15_000;

/// Time for which rows of ended reviews are kept, ms.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// Number of a progress row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressId(pub i64);

/// Progress of a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Number in the lab, as soon as it has one.
    pub run: Option<i64>,
    /// The target's title.
    pub title: String,
    /// Id of the edition.
    pub edition: String,
    /// True if it is simulated.
    pub simulated: bool,
    /// True if it has ended, for any reason.
    pub ended: bool,
    /// Id of the test in progress; empty before the first.
    pub test: String,
    /// Current work, in words.
    pub doing: String,
    /// Finished share of all work, by estimated cost, 0 to 1.
    pub share_done: f64,
    /// The time left, in words.
    pub left_words: String,
    /// Finished work, one line each.
    pub log: Vec<String>,
    /// The curve in progress, or the last one.
    pub curve: Option<LiveCurve>,
    /// Start, ms since 1970.
    pub begun_unix_ms: i64,
    /// Last update, ms since 1970.
    pub seen_unix_ms: i64,
}

impl Progress {
    /// True if its program must have ended without marking the end.
    pub fn is_stopped(&self, now_unix_ms: i64) -> bool {
        !self.ended && now_unix_ms - self.seen_unix_ms > STALE_AFTER_MS
    }
}

/// The measured part of a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveCurve {
    /// Name of the curve.
    pub name: String,
    /// Ends of intervals since its start, s of the target's time.
    pub t_s: Vec<f64>,
    /// Requests a second in the intervals.
    pub iops: Vec<f64>,
    /// True if they are counted in another way than the result.
    #[serde(default)]
    pub preliminary: bool,
}

/// Records that a review begins; removes rows of reviews that ended long ago.
///
/// # Errors
/// If the lab cannot be written.
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

/// Writes the progress of a review; its title, edition and start do not change.
///
/// # Errors
/// If the lab cannot be written.
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

/// A deleted run becomes null.
const SELECT: &str = "SELECT id, (SELECT runs.id FROM runs WHERE runs.id = run) AS run, title,
    edition, simulated, state, test, doing, share_done, left_words, log, curve, begun_unix_ms,
    seen_unix_ms FROM progress";

/// Returns the reviews in progress and those that ended recently, the latest first.
///
/// # Errors
/// If the lab cannot be read.
pub fn list(lab: &Lab) -> Result<Vec<(ProgressId, Progress)>, LabError> {
    let sql = format!("{SELECT} ORDER BY state = 'ended', begun_unix_ms DESC LIMIT 50");
    lab.rows(&sql, [], read)
}

/// Checks that none of these runs is in progress.
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

/// Returns one progress row; `None` if there is none with this number.
///
/// # Errors
/// If the lab cannot be read.
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
