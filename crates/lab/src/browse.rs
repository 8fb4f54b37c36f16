//! Searches runs, jobs and replays, drives and studies by words and by what was tested, and returns
//! them page by page.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use stend_record::review::{FactId, Text};
use stend_record::smart::Reading;

use crate::drives::{self, drive};
use crate::fold::FOLD_CASE;
use crate::recorded::{self, RecordedKind, RecordedSummary};
use crate::runs::{select, summary};
use crate::studies::{self, StudySummary};
use crate::{Lab, LabError, RunSummary};

/// Id of the fact that states the release year of a drive.
const RELEASE_YEAR: &str = FactId::ReleaseYear.name();

/// Search conditions. An empty or `None` field restricts nothing, and neither does a field that a
/// list lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words that must all be in a row's texts. For runs, jobs and replays: drive, label, note,
    /// serial number, firmware, target, command and facts of the target, plus edition, or job file
    /// or trace and the job's text. For drives: names, serial number, firmware and facts. For
    /// studies: title, name, folder and definition.
    pub text: String,
    /// A part of the drive's name, or in quotation marks the whole name; for studies, of the name
    /// of a row's model.
    pub drive: String,
    /// A part of the interface or link; studies have none.
    pub interface: String,
    /// A part of the flash's description; studies have none.
    pub flash: String,
    /// Release year of the drive, which models state; studies have none.
    pub drive_year: Option<i32>,
    /// Year in which the row began (UTC); drives have none.
    pub year: Option<i32>,
    /// Id of the edition; only for runs.
    pub edition: String,
    /// Kind of the record; only for jobs and replays.
    pub recorded: Option<RecordedKind>,
    /// True for simulated drives, false for real ones; all drives of studies are simulated.
    pub simulated: Option<bool>,
}

impl Search {
    /// True if the search matches a simulated drive that is not in the lab, by its names and facts.
    pub fn finds_model(&self, names: &[&str], facts: &[(&str, Text)]) -> bool {
        let has =
            |text: &str, part: &str| text.to_lowercase().contains(&part.trim().to_lowercase());
        let named = |part: &str| names.iter().any(|name| has(name, part));
        let of = |wanted: &[&str], part: &str| {
            let mut facts = facts.iter();
            facts.any(|(name, value)| {
                (wanted.is_empty() || wanted.contains(name)) && has(&value.in_english(), part)
            })
        };
        let year = self.drive_year.map(|year| year.to_string());
        let mut words = self.text.split_whitespace();
        words.all(|word| named(word) || of(&[], word))
            && match whole(&self.drive) {
                Some(whole) => {
                    let whole = whole.to_lowercase();
                    names.iter().any(|name| name.to_lowercase() == whole)
                }
                None => named(&self.drive),
            }
            && (self.interface.is_empty()
                || of(&[FactId::Interface.name(), "link"], &self.interface))
            && (self.flash.is_empty() || of(&[FactId::Flash.name()], &self.flash))
            && year.is_none_or(|year| of(&[RELEASE_YEAR], &year))
            && self.simulated != Some(false)
    }
}

/// Lists that can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Runs.
    Runs,
    /// Recorded jobs and replays.
    Recorded,
    /// Drives.
    Drives,
    /// Studies.
    Studies,
}

/// A page of search results.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The rows of the page.
    pub rows: Vec<T>,
    /// Number of rows on all pages.
    pub count: u64,
}

/// Values that occur in the rows of a list, for menus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Ids of editions; only for runs.
    pub editions: Vec<String>,
    /// Years in which rows began, the latest first; empty for drives.
    pub years: Vec<i32>,
    /// Release years of the lab's drives, the latest first.
    pub drive_years: Vec<i32>,
}

/// SMART data of a drive in one run.
#[derive(Clone, Debug)]
pub struct SmartReading {
    /// The run.
    pub run: i64,
    /// `before` or `after` its tests.
    pub moment: String,
    /// Time, ms since 1970: the start of the run, or its last write.
    pub at_unix_ms: i64,
    /// The reading; its document may have any form.
    pub reading: Reading,
}

/// A drive, with the number of its tests.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveSummary {
    /// The drive.
    pub drive: crate::Drive,
    /// Number of its runs.
    pub runs: u64,
    /// Number of its recorded jobs and replays.
    pub recorded: u64,
    /// Start of the last of all these, ms since 1970.
    pub last_unix_ms: i64,
    /// Number of readings of its SMART data.
    pub smart_readings: u64,
}

/// Returns the runs that match a search, the latest first: at most `at_most`, after the first
/// `skip`.
///
/// # Errors
/// If the lab cannot be read.
pub fn runs(
    lab: &Lab,
    search: &Search,
    skip: u64,
    at_most: u64,
) -> Result<Found<RunSummary>, LabError> {
    let page = Page::of(List::Runs, search, skip, at_most);
    page.found(lab, select, summary)
}

/// Returns the recorded jobs and replays that match a search, the latest first: at most `at_most`,
/// after the first `skip`.
///
/// # Errors
/// If the lab cannot be read.
pub fn recorded(
    lab: &Lab,
    search: &Search,
    skip: u64,
    at_most: u64,
) -> Result<Found<RecordedSummary>, LabError> {
    let page = Page::of(List::Recorded, search, skip, at_most);
    page.found(lab, recorded::select, recorded::summary)
}

/// Returns the drives that match a search, the last tested first: at most `at_most`, after the
/// first `skip`.
///
/// # Errors
/// If the lab cannot be read.
pub fn drives(
    lab: &Lab,
    search: &Search,
    skip: u64,
    at_most: u64,
) -> Result<Found<DriveSummary>, LabError> {
    let select = |more: &str| {
        format!(
            "SELECT (SELECT count(*) FROM runs WHERE drive = drives.id),
                (SELECT count(*) FROM recorded WHERE drive = drives.id),
                {LAST_TESTED},
                (SELECT count(*) FROM smart JOIN runs AS of ON of.id = smart.run
                    WHERE of.drive = drives.id),
                {} FROM drives {more}",
            drives::COLUMNS
        )
    };
    let page = Page::of(List::Drives, search, skip, at_most);
    page.found(lab, select, |row| {
        Ok(DriveSummary {
            runs: row.get::<_, i64>(0)?.cast_unsigned(),
            recorded: row.get::<_, i64>(1)?.cast_unsigned(),
            last_unix_ms: row.get(2)?,
            smart_readings: row.get::<_, i64>(3)?.cast_unsigned(),
            drive: drive(row, 4)?,
        })
    })
}

/// Returns the studies that match a search, the latest first: at most `at_most`, after the first
/// `skip`.
///
/// # Errors
/// If the lab cannot be read.
pub fn studies(
    lab: &Lab,
    search: &Search,
    skip: u64,
    at_most: u64,
) -> Result<Found<StudySummary>, LabError> {
    let page = Page::of(List::Studies, search, skip, at_most);
    page.found(lab, studies::select, studies::summary)
}

/// Returns the values by which the rows of a list can be filtered.
///
/// # Errors
/// If the lab cannot be read.
pub fn choices(lab: &Lab, list: List) -> Result<Choices, LabError> {
    let mut choices = Choices::default();
    if list == List::Runs {
        let sql = "SELECT DISTINCT edition FROM runs ORDER BY edition";
        choices.editions = lab.rows(sql, [], |row| row.get(0))?;
    }
    if list != List::Drives {
        // There are fewer days than rows, and computing the year takes most of the time.
        let sql = format!(
            "SELECT DISTINCT CAST(strftime('%Y', day * 86400, 'unixepoch') AS INTEGER)
             FROM (SELECT DISTINCT begun_unix_ms / 86400000 AS day FROM {}) ORDER BY 1 DESC",
            list.table()
        );
        choices.years = lab.rows(&sql, [], |row| row.get(0))?;
    }
    if list != List::Studies {
        let sql = format!(
            "SELECT CAST(value AS INTEGER) FROM conditions
                WHERE kind = 'target' AND name = '{RELEASE_YEAR}'
                    AND run IN (SELECT max(id) FROM runs GROUP BY drive)
             UNION SELECT CAST(value AS INTEGER) FROM
                (SELECT {FACT} FROM recorded, json_each(recorded.facts)
                    WHERE recorded.id IN (SELECT max(id) FROM recorded GROUP BY drive))
                WHERE name = '{RELEASE_YEAR}'
             ORDER BY 1 DESC"
        );
        choices.drive_years = lab.rows(&sql, [], |row| row.get(0))?;
    }
    Ok(choices)
}

/// Returns the SMART data of drives with this serial number, the earliest first.
///
/// # Errors
/// If the lab cannot be read.
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

/// Condition that a row began in the year `?`: from its first instant to that of the next.
const IN_YEAR: &str = "begun_unix_ms >= 1000 * strftime('%s', printf('%04d-01-01', ?))
    AND begun_unix_ms < 1000 * strftime('%s', printf('%04d-01-01', ? + 1))";

/// Time of the last test of a drive, ms since 1970.
const LAST_TESTED: &str = "max(
    coalesce((SELECT max(begun_unix_ms) FROM runs WHERE drive = drives.id), 0),
    coalesce((SELECT max(begun_unix_ms) FROM recorded WHERE drive = drives.id), 0))";

/// Columns of a list of facts in JSON.
/// Before schema 2 of reviews they had names in place of ids.
const FACT: &str = "coalesce(json_extract(value, '$.id'),
        lower(replace(json_extract(value, '$.name'), ' ', '-'))) AS name,
    coalesce(json_extract(value, '$.value.text'), json_extract(value, '$.value')) AS value";

impl List {
    fn table(self) -> &'static str {
        match self {
            List::Runs => "runs",
            List::Recorded => "recorded",
            List::Drives => "drives",
            List::Studies => "studies",
        }
    }

    /// Returns the table, joined with the drives if its rows have one.
    fn from(self) -> String {
        let table = self.table();
        match self {
            List::Runs | List::Recorded => {
                format!("{table} JOIN drives ON drives.id = {table}.drive")
            }
            List::Drives | List::Studies => table.to_owned(),
        }
    }

    /// Returns the order with the latest rows first.
    fn latest(self) -> String {
        let when = match self {
            List::Drives => LAST_TESTED,
            _ => "begun_unix_ms",
        };
        format!("{when} DESC, {}.id DESC", self.table())
    }

    /// Returns the columns in which words are searched.
    fn texts(self) -> &'static [&'static str] {
        match self {
            List::Runs => &[
                "model",
                "label",
                "note",
                "serial",
                "firmware",
                "edition",
                "edition_title",
                "target",
                "command",
            ],
            List::Recorded => &[
                "model", "label", "note", "serial", "firmware", "target", "command", "name", "job",
            ],
            List::Drives => &["model", "title", "serial", "firmware"],
            List::Studies => &["title", "name", "folder", "definition"],
        }
    }

    /// Returns the condition that the drive's name contains `?`.
    fn named(self) -> String {
        match self {
            List::Runs | List::Recorded => any_like(&["model", "target"]),
            List::Drives => any_like(&["model", "title"]),
            List::Studies => format!(
                "EXISTS (SELECT 1 FROM study_rows WHERE study = studies.id AND {})",
                any_like(&["model"])
            ),
        }
    }

    /// Returns the condition that a fact of the drive, with `name` and `value`, satisfies
    /// `condition`; for a drive, a fact of its last test. `None` if the list has no facts.
    fn has_fact(self, condition: &str) -> Option<String> {
        let of_run = "conditions WHERE conditions.kind = 'target' AND run =";
        let facts = match self {
            List::Runs => format!("SELECT name, value FROM {of_run} runs.id"),
            List::Recorded => format!("SELECT {FACT} FROM json_each(recorded.facts)"),
            List::Drives => format!(
                "SELECT name, value FROM {of_run}
                    (SELECT max(id) FROM runs WHERE drive = drives.id)
                 UNION ALL SELECT {FACT} FROM recorded, json_each(recorded.facts)
                    WHERE recorded.id = (SELECT max(id) FROM recorded WHERE drive = drives.id)"
            ),
            List::Studies => return None,
        };
        Some(format!(
            "EXISTS (SELECT 1 FROM ({facts}) WHERE {condition})"
        ))
    }
}

/// A page of the rows that match a search.
struct Page {
    list: List,
    of: Conditions,
    skip: u64,
    at_most: u64,
}

impl Page {
    fn of(list: List, search: &Search, skip: u64, at_most: u64) -> Page {
        Page {
            list,
            of: condition(list, search),
            skip,
            at_most,
        }
    }

    /// Returns the rows, with the number on all pages.
    fn found<T>(
        &self,
        lab: &Lab,
        select: impl Fn(&str) -> String,
        row: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Found<T>, LabError> {
        let (list, table) = (self.list, self.list.table());
        let from = format!("FROM {} WHERE {}", list.from(), self.of.sql());
        let latest = list.latest();
        let parameters = || params_from_iter(self.of.parameters.iter());
        // Each row is examined only once. Without a search all rows match: the table is counted
        // separately, so its rows need not be kept in memory for the count.
        let (count, from_page) = match self.of.is_empty() {
            true => (format!("(SELECT count(*) FROM {table})"), table.to_owned()),
            false => ("count(*) OVER ()".to_owned(), list.from()),
        };
        let sql = format!(
            "SELECT {table}.id, {count} FROM {from_page} WHERE {} ORDER BY {latest}
             LIMIT {} OFFSET {}",
            self.of.sql(),
            self.at_most,
            self.skip
        );
        let found = lab.rows(&sql, parameters(), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })?;
        let count = match found.first() {
            Some((_, count)) => Some(*count),
            None if self.skip == 0 => None,
            // Beyond the last row.
            None => lab.row(&format!("SELECT count(*) {from}"), parameters(), |row| {
                row.get(0)
            })?,
        };
        let ids: Vec<String> = found.iter().map(|(id, _)| id.to_string()).collect();
        let sql = select(&format!(
            "WHERE {table}.id IN ({}) ORDER BY {latest}",
            ids.join(", ")
        ));
        Ok(Found {
            rows: lab.rows(&sql, [], row)?,
            count: count.unwrap_or(0).cast_unsigned(),
        })
    }
}

/// Conditions of a search on a row; all must hold.
#[derive(Default)]
struct Conditions {
    conditions: Vec<String>,
    parameters: Vec<Value>,
}

impl Conditions {
    /// Adds a condition in which every `?` stands for `value`.
    fn add(&mut self, sql: &str, value: Value) {
        self.parameters.push(value);
        let place = format!("?{}", self.parameters.len());
        self.conditions.push(sql.replace('?', &place));
    }

    /// Adds a condition in which texts are compared with `value`.
    fn add_like(&mut self, sql: &str, value: String) {
        // LIKE ignores the case of ASCII letters itself, and only of those.
        match value.is_ascii() {
            true => self.add(&sql.replace(FOLD_CASE, ""), Value::Text(value)),
            false => self.add(sql, Value::Text(value.to_lowercase())),
        }
    }

    fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    fn sql(&self) -> String {
        match self.conditions.is_empty() {
            true => "true".to_owned(),
            false => self.conditions.join(" AND "),
        }
    }
}

/// Returns the condition that any of these columns is like `?`.
fn any_like(columns: &[&str]) -> String {
    let like = |column: &&str| format!("{FOLD_CASE}({column}) LIKE ? ESCAPE '\\'");
    let like: Vec<String> = columns.iter().map(like).collect();
    format!("({})", like.join(" OR "))
}

/// Returns the conditions of a search on a row of a list.
fn condition(list: List, search: &Search) -> Conditions {
    let mut of = Conditions::default();
    let texts = any_like(list.texts());
    let anywhere = match list.has_fact(&any_like(&["value"])) {
        None => texts,
        Some(fact) => format!("({texts} OR {fact})"),
    };
    for word in search.text.split_whitespace() {
        of.add_like(&anywhere, part(word));
    }
    if !search.drive.is_empty() {
        of.add_like(&list.named(), whole_or_part(&search.drive));
    }
    let like = any_like(&["value"]);
    for (names, wanted) in [
        ("'interface', 'link'", &search.interface),
        ("'flash'", &search.flash),
    ] {
        let fact = list.has_fact(&format!("name IN ({names}) AND {like}"));
        if let Some(fact) = fact.filter(|_| !wanted.is_empty()) {
            of.add_like(&fact, part(wanted));
        }
    }
    let released = list.has_fact(&format!("name = '{RELEASE_YEAR}' AND value = ?"));
    if let (Some(released), Some(year)) = (released, search.drive_year) {
        of.add(&released, Value::Text(year.to_string()));
    }
    if let Some(year) = search.year.filter(|_| list != List::Drives) {
        of.add(IN_YEAR, Value::Integer(year.into()));
    }
    if !search.edition.is_empty() && list == List::Runs {
        of.add("edition = ?", Value::Text(search.edition.clone()));
    }
    if let Some(kind) = search.recorded.filter(|_| list == List::Recorded) {
        of.add("recorded.kind = ?", Value::Text(kind.name().to_owned()));
    }
    if let Some(simulated) = search.simulated.filter(|_| list != List::Studies) {
        let sql = "(drives.kind = 'simulated') = ?";
        of.add(sql, Value::Integer(simulated.into()));
    }
    of
}

/// Returns the LIKE pattern of a text within another.
fn part(text: &str) -> String {
    format!("%{}%", escaped(text.trim()))
}

/// Returns the LIKE pattern of a text within another or, in quotation marks, of the whole text.
fn whole_or_part(text: &str) -> String {
    match whole(text) {
        Some(whole) => escaped(whole),
        None => part(text),
    }
}

/// Returns the text between quotation marks.
fn whole(text: &str) -> Option<&str> {
    let text = text.trim().strip_prefix('"')?;
    text.strip_suffix('"')
}

/// Escapes a text so that as a LIKE pattern it matches only itself.
fn escaped(text: &str) -> String {
    let escaped = |c: char| match c {
        '%' | '_' | '\\' => format!("\\{c}"),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Reads a number that a row holds as an integer or a real.
pub(crate) fn share(row: &Row<'_>, at: usize) -> rusqlite::Result<f64> {
    row.get::<_, f64>(at).map(|share| share.clamp(0.0, 1.0))
}
