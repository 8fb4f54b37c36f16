//! Writes reviews.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, ToSql, Transaction, params, params_from_iter};
use serde::Serialize;
use serde_json::Value;
use stend_record::review::{Condition, FailedTest, Results, Review, TargetInfo, TestResult, Text};
use stend_record::sha256_hex;
use uuid::Uuid;

use crate::columns::{OF_SERIES, POINTS, SERIES, Table, take};
use crate::drives;
use crate::runs::RunState;
use crate::{Lab, LabError, RunId};

/// Facts about a new run that are not in its review.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// Folder of its report.
    pub folder: &'a Path,
    /// SHA-256 of the edition's text, hexadecimal.
    pub edition_sha256: &'a str,
    /// Key of the measurement that the run is made for, to be found again by
    /// [`Lab::runs_of_measurement`]; `None` for a review.
    pub measurement_key: Option<&'a str>,
    /// Version of stend.
    pub stend_version: &'a str,
    /// Commit of stend, if known.
    pub stend_commit: Option<&'a str>,
    /// Now, ms since 1970.
    pub now_unix_ms: i64,
}

impl Lab {
    /// Begins a run with a review, some of whose tests may be finished.
    pub fn begin(&mut self, review: &Review, of: &RunContext<'_>) -> Result<RunId, LabError> {
        self.change(|to| {
            crate::bin::expire(to, of.now_unix_ms)?;
            let run = begin(to, review, of)?;
            save(to, run, review, of)?;
            Ok(run)
        })
    }

    /// Returns the run that a review with this report folder resumes: the last one there with the
    /// same target, edition, seed and duration scale.
    pub fn last_of(&self, review: &Review, of: &RunContext<'_>) -> Result<Option<RunId>, LabError> {
        let folder = of.folder.to_string_lossy();
        self.last_like(review, "folder = ?10", params![folder])
    }

    /// Returns the last complete run, as reviewed drive or as rival, of the same simulated drive,
    /// edition, seed and duration scale that the same program has made since `since_unix_ms`: a
    /// simulation has the same result again.
    pub fn last_simulated(
        &self,
        review: &Review,
        of: &RunContext<'_>,
        since_unix_ms: i64,
    ) -> Result<Option<RunId>, LabError> {
        let more = "
            state = 'complete' AND kind = 'simulated' AND fingerprint <> ''
            AND edition_sha256 = ?10 AND stend_version = ?11 AND stend_commit IS ?12
            AND begun_unix_ms >= ?13";
        let values = params![
            of.edition_sha256,
            of.stend_version,
            of.stend_commit,
            since_unix_ms
        ];
        self.last_like(review, more, values)
    }

    /// Returns the speed of sequential writes to a drive in its last run that has measured it,
    /// bytes a second: over a range, or of a point.
    ///
    /// # Errors
    /// If the lab cannot be read.
    pub fn write_bytes_per_s(&self, target: &TargetInfo) -> Result<Option<f64>, LabError> {
        let sql = "
            WITH mine AS (
                SELECT tests.id AS test, runs.begun_unix_ms AS begun FROM tests
                JOIN runs ON runs.id = tests.run JOIN drives ON drives.id = runs.drive
                WHERE kind = ?1 AND model = ?2 AND serial = ?3 AND firmware = ?4
                    AND fingerprint = ?5
            )
            SELECT speed FROM (
                SELECT begun, 1 AS whole, (
                    SELECT written_bytes / t_s FROM samples
                    WHERE series = series.id AND t_s > 0 ORDER BY position DESC LIMIT 1
                ) AS speed
                FROM series JOIN mine USING (test)
                WHERE op = 'write' AND pattern = 'sequential' AND range_bytes IS NOT NULL
                UNION ALL
                SELECT begun, 0, bw_bytes_per_s FROM points JOIN mine USING (test)
                WHERE op = 'write' AND pattern = 'sequential'
            )
            WHERE speed > 0 ORDER BY begun DESC, whole DESC, speed DESC LIMIT 1";
        self.row(sql, params_from_iter(drives::key_of(target)), |row| {
            row.get(0)
        })
    }

    /// Returns the last run of the same target, edition, seed and duration scale that satisfies
    /// `more`, whose parameters begin with `?10`.
    fn last_like(
        &self,
        review: &Review,
        more: &str,
        values: &[&dyn ToSql],
    ) -> Result<Option<RunId>, LabError> {
        let sql = format!(
            "SELECT runs.id FROM runs JOIN drives ON drives.id = runs.drive
             WHERE edition = ?1 AND seed = ?2 AND duration_scale = ?3 AND capacity_bytes = ?4
                AND kind = ?5 AND model = ?6 AND serial = ?7 AND firmware = ?8
                AND fingerprint = ?9 AND {more}
             ORDER BY begun_unix_ms DESC, runs.id DESC LIMIT 1"
        );
        let [kind, model, serial, firmware, fingerprint] = drives::key_of(&review.target);
        let seed = review.seed.to_string();
        let capacity_bytes = review.target.capacity_bytes.cast_signed();
        let key: &[&dyn ToSql] = params![
            review.edition,
            seed,
            review.duration_scale,
            capacity_bytes,
            kind,
            model,
            serial,
            firmware,
            fingerprint
        ];
        self.row(&sql, &[key, values].concat()[..], |row| {
            Ok(RunId(row.get(0)?))
        })
    }

    /// Returns the last complete run and the last incomplete run with this report folder, the later
    /// first; runs of rivals do not count.
    pub fn last_in(&self, folder: &Path) -> Result<Vec<RunId>, LabError> {
        let complete = self.last_with(folder, "complete")?;
        let begun = self.last_with(folder, "unfinished")?;
        let mut runs: Vec<RunId> = complete.into_iter().chain(begun).collect();
        runs.sort_unstable_by(|one, other| other.cmp(one));
        Ok(runs)
    }

    fn last_with(&self, folder: &Path, state: &str) -> Result<Option<RunId>, LabError> {
        let sql = "
            SELECT id FROM runs
            WHERE folder = ?1 AND state = ?2 AND id NOT IN (SELECT rival FROM rivals)
            ORDER BY begun_unix_ms DESC, id DESC LIMIT 1";
        let parameters = params![folder.to_string_lossy(), state];
        self.row(sql, parameters, |row| Ok(RunId(row.get(0)?)))
    }

    /// Records that a run resumes after a break.
    pub fn resume(&mut self, run: RunId, now_unix_ms: i64) -> Result<(), LabError> {
        let sql = "
            INSERT INTO breaks (run, position, resumed_unix_ms, tests_finished)
            SELECT ?1, (SELECT count(*) FROM breaks WHERE run = ?1), ?2,
                (SELECT count(*) FROM tests WHERE run = ?1 AND state = 'finished')";
        let inserted = self.connection.execute(sql, params![run.0, now_unix_ms]);
        inserted.map(drop).map_err(|error| self.failed(error))
    }

    /// Writes the present state of a run's review, in one transaction. A test that has not changed
    /// is not written again; one that the review no longer has, because it is run again, is
    /// removed.
    pub fn save(
        &mut self,
        run: RunId,
        review: &Review,
        of: &RunContext<'_>,
    ) -> Result<(), LabError> {
        self.change(|to| save(to, run, review, of))
    }
}

fn begin(
    to: &Transaction<'_>,
    review: &Review,
    of: &RunContext<'_>,
) -> Result<RunId, rusqlite::Error> {
    let id = drives::find_or_add(to, &review.target)?;
    to.execute(
        "INSERT INTO runs (uuid, drive, target, capacity_bytes, edition, edition_title,
            edition_sha256, seed, duration_scale, state, command, folder, stend_version,
            stend_commit, begun_unix_ms, saved_unix_ms, label, note, measurement_key, rest)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'unfinished', ?10, ?11, ?12, ?13, ?14, ?14,
            ?15, ?16, ?17, '{}')",
        params![
            Uuid::new_v4().to_string(),
            id,
            review.target.name,
            review.target.capacity_bytes.cast_signed(),
            review.edition,
            review.edition_title.in_english(),
            of.edition_sha256,
            review.seed.to_string(),
            review.duration_scale,
            review.reproduce,
            of.folder.to_string_lossy(),
            of.stend_version,
            of.stend_commit,
            of.now_unix_ms,
            review.label,
            review.note,
            of.measurement_key,
        ],
    )?;
    Ok(RunId(to.last_insert_rowid()))
}

fn save(
    to: &Transaction<'_>,
    run: RunId,
    review: &Review,
    of: &RunContext<'_>,
) -> Result<(), rusqlite::Error> {
    let state = match review.complete {
        true => RunState::Complete,
        false => RunState::Unfinished,
    };
    to.execute(
        "UPDATE runs SET state = ?2, saved_unix_ms = ?3, rest = ?4 WHERE id = ?1",
        params![run.0, state.name(), of.now_unix_ms, rest_of_review(review)],
    )?;
    to.execute("DELETE FROM conditions WHERE run = ?1", params![run.0])?;
    let kinds = [
        ("target", &review.target.facts),
        ("method", &review.conditions),
        ("environment", &review.environment),
    ];
    for (kind, conditions) in kinds {
        save_conditions(to, run, kind, conditions)?;
    }
    save_smart(to, run, review)?;
    remove_others(to, run, review)?;
    for (position, test) in (0..).zip(&review.tests) {
        save_test(to, run, position, test, of.now_unix_ms)?;
    }
    for (position, test) in (0..).zip(&review.failed) {
        save_failed(to, run, position, test, of.now_unix_ms)?;
    }
    for (position, rival) in (0..).zip(&review.rivals) {
        let review = Review {
            target: rival.target.clone(),
            tests: rival.tests.clone(),
            unfinished: rival.unfinished.clone(),
            failed: Vec::new(),
            rivals: Vec::new(),
            // These belong to the reviewed drive.
            smart: None,
            label: None,
            note: None,
            ..review.clone()
        };
        let run = rival_run(to, run, position, &review, of)?;
        save(to, run, &review, of)?;
    }
    Ok(())
}

/// Returns the values of a review that have neither a column nor a table.
fn rest_of_review(review: &Review) -> String {
    let head = Review {
        conditions: Vec::new(),
        environment: Vec::new(),
        tests: Vec::new(),
        failed: Vec::new(),
        rivals: Vec::new(),
        ..review.clone()
    };
    let mut rest = serde_json::to_value(head).unwrap_or_default();
    let known: [&[&str]; 18] = [
        &["target", "name"],
        &["target", "title"],
        &["target", "kind"],
        &["target", "capacity_bytes"],
        &["target", "facts"],
        &["edition"],
        &["seed"],
        &["duration_scale"],
        &["complete"],
        &["reproduce"],
        &["label"],
        &["note"],
        &["conditions"],
        &["environment"],
        &["tests"],
        &["schema"],
        &["smart", "before", "document"],
        &["smart", "after", "document"],
    ];
    for path in known {
        take(&mut rest, path);
    }
    take_words(&mut rest, "edition_title");
    rest.to_string()
}

fn save_conditions(
    to: &Transaction<'_>,
    run: RunId,
    kind: &str,
    conditions: &[Condition],
) -> Result<(), rusqlite::Error> {
    let mut insert = to.prepare_cached(
        "INSERT INTO conditions (run, kind, position, name, of_name, value, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (position, condition) in (0_i64..).zip(conditions) {
        insert.execute(params![
            run.0,
            kind,
            position,
            condition.id,
            condition.of,
            condition.value.in_english(),
            json_of(&condition.value)
        ])?;
    }
    Ok(())
}

/// Returns a text as JSON; `None` for words, which a column holds as they are.
fn json_of(text: &Text) -> Option<String> {
    match text {
        Text::Words(_) => None,
        other => Some(serde_json::to_string(other).unwrap_or_default()),
    }
}

/// Removes a text from an object if its column holds all of it: words, and not a message.
fn take_words(object: &mut Value, key: &'static str) {
    if object[key].is_string() {
        take(object, &[key]);
    }
}

/// Saves the SMART documents of a drive.
fn save_smart(to: &Transaction<'_>, run: RunId, review: &Review) -> Result<(), rusqlite::Error> {
    to.execute("DELETE FROM smart WHERE run = ?1", params![run.0])?;
    let smart = review.smart.iter();
    let readings = smart.flat_map(|s| [("before", &s.before), ("after", &s.after)]);
    for (moment, reading) in readings {
        if let Some(reading) = reading {
            to.execute(
                "INSERT INTO smart (run, moment, document) VALUES (?1, ?2, ?3)",
                params![run.0, moment, reading.document.to_string()],
            )?;
        }
    }
    Ok(())
}

/// Returns the run of a rival, and begins it if there is none.
fn rival_run(
    to: &Transaction<'_>,
    run: RunId,
    position: i64,
    review: &Review,
    of: &RunContext<'_>,
) -> Result<RunId, rusqlite::Error> {
    let known = to
        .query_row(
            "SELECT rival FROM rivals WHERE run = ?1 AND position = ?2",
            params![run.0, position],
            |row| Ok(RunId(row.get(0)?)),
        )
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let rival = begin(to, review, of)?;
    to.execute(
        "INSERT INTO rivals (run, position, rival) VALUES (?1, ?2, ?3)",
        params![run.0, position, rival.0],
    )?;
    Ok(rival)
}

/// True if the test is stored unchanged; it then moves to its position among newer tests. A changed
/// one is removed.
fn is_kept(
    to: &Connection,
    run: RunId,
    test: &str,
    position: i64,
    sha256: &str,
) -> Result<bool, rusqlite::Error> {
    let known = to
        .prepare_cached("SELECT id, sha256 FROM tests WHERE run = ?1 AND test = ?2")?
        .query_row(params![run.0, test], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    let Some((id, known)) = known else {
        return Ok(false);
    };
    if known != sha256 {
        to.execute("DELETE FROM tests WHERE id = ?1", params![id])?;
        return Ok(false);
    }
    to.execute(
        "UPDATE tests SET position = ?2 WHERE id = ?1",
        params![id, position],
    )?;
    Ok(true)
}

/// Returns the SHA-256 of a value as JSON, hexadecimal.
fn digest(of: &impl Serialize) -> String {
    sha256_hex(serde_json::to_vec(of).unwrap_or_default())
}

/// Removes the tests that a review no longer has, because they are run again.
fn remove_others(to: &Transaction<'_>, run: RunId, review: &Review) -> Result<(), rusqlite::Error> {
    let finished = review.tests.iter().map(|test| test.id.as_str());
    let failed = review.failed.iter().map(|test| test.id.as_str());
    let ids: Vec<&str> = finished.chain(failed).collect();
    let list = serde_json::to_string(&ids).unwrap_or_default();
    to.execute(
        "DELETE FROM tests WHERE run = ?1 AND test NOT IN (SELECT value FROM json_each(?2))",
        params![run.0, list],
    )?;
    Ok(())
}

fn save_test(
    to: &Transaction<'_>,
    run: RunId,
    position: i64,
    test: &TestResult,
    now_unix_ms: i64,
) -> Result<(), rusqlite::Error> {
    let sha256 = digest(test);
    if is_kept(to, run, &test.id, position, &sha256)? {
        return Ok(());
    }
    // Points and curves have their own tables.
    let mut bare = test.clone();
    match &mut bare.results {
        Some(Results::Points(_) | Results::Curve(_)) => bare.results = None,
        Some(Results::Ladder(ladder)) => ladder.series.clear(),
        _ => {}
    }
    let mut rest = serde_json::to_value(bare).unwrap_or_default();
    take(&mut rest, &["id"]);
    take_words(&mut rest, "title");
    take_words(&mut rest, "method");
    let titles = [test.title.in_english(), test.method.in_english()];
    let titles = titles.each_ref().map(String::as_str);
    let row = (test.id.as_str(), titles, "finished", None, rest.to_string());
    insert_test(to, run, position, row, &sha256, now_unix_ms)?;
    let id = to.last_insert_rowid();
    for (position, point) in (0..).zip(test.points()) {
        let object = serde_json::to_value(point).unwrap_or_default();
        insert(to, &POINTS, id, position, object)?;
    }
    for (position, series) in (0..).zip(test.curves()) {
        let mut object = serde_json::to_value(series).unwrap_or_default();
        let lists: Vec<Option<Value>> = OF_SERIES
            .iter()
            .map(|table| take(&mut object, &[table.name]))
            .collect();
        insert(to, &SERIES, id, position, object)?;
        let series = to.last_insert_rowid();
        for (list, table) in lists.into_iter().zip(OF_SERIES.iter()) {
            let Some(Value::Array(list)) = list else {
                continue;
            };
            for (position, sample) in (0..).zip(list) {
                insert(to, table, series, position, sample)?;
            }
        }
    }
    Ok(())
}

fn save_failed(
    to: &Transaction<'_>,
    run: RunId,
    position: i64,
    test: &FailedTest,
    now_unix_ms: i64,
) -> Result<(), rusqlite::Error> {
    let sha256 = digest(test);
    if is_kept(to, run, &test.id, position, &sha256)? {
        return Ok(());
    }
    let row = (
        test.id.as_str(),
        ["", ""],
        "failed",
        Some(&*test.error),
        "{}".to_owned(),
    );
    insert_test(to, run, position, row, &sha256, now_unix_ms)
}

/// Inserts a test: its id, its title and method, its state, the error if it failed, and the values
/// without a column.
fn insert_test(
    to: &Transaction<'_>,
    run: RunId,
    position: i64,
    (test, [title, method], state, error, rest): (&str, [&str; 2], &str, Option<&str>, String),
    sha256: &str,
    now_unix_ms: i64,
) -> Result<(), rusqlite::Error> {
    to.execute(
        "INSERT INTO tests (run, position, test, title, method, state, error, saved_unix_ms, sha256,
            rest)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            run.0,
            position,
            test,
            title,
            method,
            state,
            error,
            now_unix_ms,
            sha256,
            rest
        ],
    )
    .map(drop)
}

/// Inserts an object into a table as the nth that belongs to a row of another.
fn insert(
    to: &Transaction<'_>,
    table: &Table,
    owner: i64,
    position: i64,
    object: Value,
) -> Result<(), rusqlite::Error> {
    let places: Vec<String> = (3..table.width() + 3).map(|n| format!("?{n}")).collect();
    let sql = format!(
        "INSERT INTO {} ({}, position, {}) VALUES (?1, ?2, {})",
        table.name,
        table.owner,
        table.names(),
        places.join(", ")
    );
    let mut row = vec![owner.into(), position.into()];
    row.extend(table.cells(object));
    to.prepare_cached(&sql)?
        .execute(params_from_iter(row))
        .map(drop)
}
