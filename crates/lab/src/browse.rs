//! Runs, jobs and replays as people look for them: by words and by what was tested, a page at a
//! time.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use stend_record::smart::Reading;

use crate::drives::{self, drive};
use crate::recorded::{self, RecordedKind, RecordedSummary};
use crate::runs::{select, summary};
use crate::{Lab, LabError, RunSummary};

/// What runs are looked for; what is empty or `None` restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words, all of which must be in the run's texts: drive, label, note, serial number, firmware,
    /// edition, target, command, facts of the target.
    pub text: String,
    /// A part of the drive's name.
    pub drive: String,
    /// A part of the interface or link.
    pub interface: String,
    /// A part of the flash's description.
    pub flash: String,
    /// The year in which the run began (UTC).
    pub year: Option<i32>,
    /// Id of the edition.
    pub edition: String,
    /// Whether the drive is simulated.
    pub simulated: Option<bool>,
}

/// What recorded jobs and replays are looked for; what is empty or `None` restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSearch {
    /// Words, all of which must be in its texts: drive, label, note, serial number, firmware,
    /// target, command, job file or trace, the job's text.
    pub text: String,
    /// A part of the drive's name.
    pub drive: String,
    /// What was run.
    pub kind: Option<RecordedKind>,
}

/// A page of what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The rows of the page.
    pub rows: Vec<T>,
    /// How many there are in all.
    pub count: u64,
}

/// The values that runs of a lab have, to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Ids of editions.
    pub editions: Vec<String>,
    /// Years in which runs began, the latest first.
    pub years: Vec<i32>,
}

/// What a drive reported about itself in one run.
#[derive(Clone, Debug)]
pub struct SmartReading {
    /// The run.
    pub run: i64,
    /// `before` or `after` its tests.
    pub moment: String,
    /// When, ms since 1970: the run's beginning, or when it was last written.
    pub at_unix_ms: i64,
    /// What was reported; its document may be of any shape.
    pub reading: Reading,
}

/// A drive, and how often it was tested.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSummary {
    /// The drive.
    pub drive: crate::Drive,
    /// Runs of it.
    pub runs: u64,
    /// Recorded jobs and replays on it.
    pub recorded: u64,
    /// When the last of all these began, ms since 1970.
    pub last_unix_ms: i64,
    /// Readings of its SMART data.
    pub smart_readings: u64,
}

/// The runs that a search finds, the latest first: so many, after the first `skip`.
///
/// # Errors
/// Where the lab cannot be read.
pub fn runs(
    lab: &Lab,
    search: &Search,
    skip: u64,
    at_most: u64,
) -> Result<Found<RunSummary>, LabError> {
    let of = condition(search);
    let from = format!(
        "FROM runs JOIN drives ON drives.id = runs.drive WHERE {}",
        of.sql()
    );
    // The columns of a page alone are put together.
    let sql = select(&format!(
        "WHERE runs.id IN (SELECT runs.id {from}
            ORDER BY begun_unix_ms DESC, runs.id DESC LIMIT {at_most} OFFSET {skip})
         ORDER BY begun_unix_ms DESC, runs.id DESC"
    ));
    found(lab, &from, &sql, &of, summary)
}

/// The recorded jobs and replays that a search finds, the latest first: so many, after the first
/// `skip`.
///
/// # Errors
/// Where the lab cannot be read.
pub fn recorded(
    lab: &Lab,
    search: &RecordedSearch,
    skip: u64,
    at_most: u64,
) -> Result<Found<RecordedSummary>, LabError> {
    let mut of = Conditions::default();
    for word in search.text.split_whitespace() {
        let texts = [
            "model", "label", "note", "serial", "firmware", "target", "command", "name", "job",
        ];
        of.add(&format!("({})", any_like(&texts)), part(word));
    }
    if !search.drive.is_empty() {
        let sql = format!("({})", any_like(&["model", "target"]));
        of.add(&sql, part(&search.drive));
    }
    if let Some(kind) = search.kind {
        of.add("recorded.kind = ?", Value::Text(kind.name().to_owned()));
    }
    let from = format!(
        "FROM recorded JOIN drives ON drives.id = recorded.drive WHERE {}",
        of.sql()
    );
    let sql = recorded::select(&format!(
        "WHERE {} ORDER BY begun_unix_ms DESC, recorded.id DESC LIMIT {at_most} OFFSET {skip}",
        of.sql()
    ));
    found(lab, &from, &sql, &of, recorded::summary)
}

/// The rows of a page, and how many there are in all.
fn found<T>(
    lab: &Lab,
    from: &str,
    sql: &str,
    of: &Conditions,
    row: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Found<T>, LabError> {
    let parameters = || params_from_iter(of.parameters.iter());
    let sql_of_count = format!("SELECT count(*) {from}");
    let count = lab.row(&sql_of_count, parameters(), |row| row.get::<_, i64>(0))?;
    Ok(Found {
        rows: lab.rows(sql, parameters(), row)?,
        count: count.unwrap_or(0).cast_unsigned(),
    })
}

/// The editions and years of a lab's runs.
///
/// # Errors
/// Where the lab cannot be read.
pub fn choices(lab: &Lab) -> Result<Choices, LabError> {
    let editions = "SELECT DISTINCT edition FROM runs ORDER BY edition";
    let years = "SELECT DISTINCT CAST(strftime('%Y', begun_unix_ms / 1000, 'unixepoch') AS INTEGER)
        FROM runs ORDER BY 1 DESC";
    Ok(Choices {
        editions: lab.rows(editions, [], |row| row.get(0))?,
        years: lab.rows(years, [], |row| row.get(0))?,
    })
}

/// The drives of the lab, the one that was tested last first.
///
/// # Errors
/// Where the lab cannot be read.
pub fn drives(lab: &Lab) -> Result<Vec<DriveSummary>, LabError> {
    let sql = format!(
        "SELECT (SELECT count(*) FROM runs WHERE drive = drives.id),
            (SELECT count(*) FROM recorded WHERE drive = drives.id),
            max(coalesce((SELECT max(begun_unix_ms) FROM runs WHERE drive = drives.id), 0),
                coalesce((SELECT max(begun_unix_ms) FROM recorded WHERE drive = drives.id), 0)),
            (SELECT count(*) FROM smart JOIN runs AS of ON of.id = smart.run
                WHERE of.drive = drives.id),
            {}
        FROM drives ORDER BY 3 DESC, drives.id DESC",
        drives::COLUMNS
    );
    lab.rows(&sql, [], |row| {
        Ok(DriveSummary {
            runs: row.get::<_, i64>(0)?.cast_unsigned(),
            recorded: row.get::<_, i64>(1)?.cast_unsigned(),
            last_unix_ms: row.get(2)?,
            smart_readings: row.get::<_, i64>(3)?.cast_unsigned(),
            drive: drive(row, 4)?,
        })
    })
}

/// What drives of this serial number reported about themselves, the earliest first.
///
/// # Errors
/// Where the lab cannot be read.
pub fn smart(lab: &Lab, serial: &str) -> Result<Vec<SmartReading>, LabError> {
    let sql = "
        SELECT runs.id, moment,
            CASE moment WHEN 'before' THEN begun_unix_ms ELSE saved_unix_ms END,
            document, json_extract(runs.rest, '$.smart.' || moment || '.health')
        FROM smart JOIN runs ON runs.id = smart.run JOIN drives ON drives.id = runs.drive
        WHERE drives.serial = ?1 AND drives.serial != '' ORDER BY 3, 2 DESC";
    lab.rows(sql, [serial], |row| {
        let text: String = row.get(3)?;
        let health: Option<String> = row.get(4)?;
        Ok(SmartReading {
            run: row.get(0)?,
            moment: row.get(1)?,
            at_unix_ms: row.get(2)?,
            reading: Reading {
                health: health
                    .and_then(|health| serde_json::from_str(&health).ok())
                    .unwrap_or_default(),
                document: serde_json::from_str(&text).unwrap_or_default(),
            },
        })
    })
}

/// What a search asks of a row: all of these.
#[derive(Default)]
struct Conditions {
    conditions: Vec<String>,
    parameters: Vec<Value>,
}

impl Conditions {
    /// Adds one, in which `?` is this value, however often it stands there.
    fn add(&mut self, sql: &str, value: Value) {
        self.parameters.push(value);
        let place = format!("?{}", self.parameters.len());
        self.conditions.push(sql.replace('?', &place));
    }

    fn sql(&self) -> String {
        match self.conditions.is_empty() {
            true => "true".to_owned(),
            false => self.conditions.join(" AND "),
        }
    }
}

/// Whether any of these columns is like `?`.
fn any_like(columns: &[&str]) -> String {
    let like = |column: &&str| format!("{column} LIKE ? ESCAPE '\\'");
    let like: Vec<String> = columns.iter().map(like).collect();
    like.join(" OR ")
}

/// What a search asks of a run.
fn condition(search: &Search) -> Conditions {
    let mut of = Conditions::default();
    let mut add = |sql: &str, value| of.add(sql, value);
    let fact = |names: &str| {
        format!(
            "EXISTS (SELECT 1 FROM conditions WHERE run = runs.id AND kind = 'target'
                {names} AND value LIKE ? ESCAPE '\\')"
        )
    };
    let texts = any_like(&[
        "model",
        "label",
        "note",
        "serial",
        "firmware",
        "edition",
        "edition_title",
        "target",
        "command",
    ]);
    for word in search.text.split_whitespace() {
        add(&format!("({texts} OR {})", fact("")), part(word));
    }
    if !search.drive.is_empty() {
        let sql = format!("({})", any_like(&["model", "target"]));
        add(&sql, part(&search.drive));
    }
    if !search.interface.is_empty() {
        add(
            &fact("AND name IN ('interface', 'link')"),
            part(&search.interface),
        );
    }
    if !search.flash.is_empty() {
        add(&fact("AND name = 'flash'"), part(&search.flash));
    }
    if let Some(year) = search.year {
        let sql = "CAST(strftime('%Y', begun_unix_ms / 1000, 'unixepoch') AS INTEGER) = ?";
        add(sql, Value::Integer(year.into()));
    }
    if !search.edition.is_empty() {
        add("edition = ?", Value::Text(search.edition.clone()));
    }
    if let Some(simulated) = search.simulated {
        add("(kind = 'simulated') = ?", Value::Integer(simulated.into()));
    }
    of
}

/// A text anywhere within another, for LIKE.
fn part(text: &str) -> Value {
    let escaped = |c: char| match c {
        '%' | '_' | '\\' => format!("\\{c}"),
        c => c.to_string(),
    };
    let text: String = text.trim().chars().map(escaped).collect();
    Value::Text(format!("%{text}%"))
}

/// A number that a row holds as an integer or a real.
pub(crate) fn share(row: &Row<'_>, at: usize) -> rusqlite::Result<f64> {
    row.get::<_, f64>(at).map(|share| share.clamp(0.0, 1.0))
}
