//! Drives: those of the lab, models with every figure, and SMART data over time.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use stend_analysis::words::interface;
use stend_lab::browse::{self, DriveSummary, List, SmartReading};
use stend_lab::{Drive, EntryId};
use stend_language::say;
use stend_model::{DescribedKey, DescribedTable, Figure, Files, Model, described_tables};
use stend_record::review::{Condition, FactId};

use super::fields::{Fields, field};
use super::search::{Above, SearchForm, listed};
use crate::address::{escaped, localized};
use crate::app::App;
use crate::chart::{Chart, Trace};
use crate::head::Head;
use crate::models::{ShippedModel, shipped};
use crate::page::{CHARTS, PLAIN, page};
use crate::trouble::Trouble;
use crate::words;

#[derive(Template)]
#[template(path = "drives.html")]
struct ListPage<'a> {
    head: Head,
    form: SearchForm<'a>,
    above: Above,
    rows: Vec<Row>,
    models: Vec<ModelRow>,
}

struct Row {
    of: DriveSummary,
    last: String,
    /// Address of its reviews.
    runs: String,
    /// Address of its jobs and replays.
    jobs: String,
    smart: Option<String>,
}

impl Row {
    fn of(of: DriveSummary) -> Row {
        let has_smart = of.smart_readings > 0 && !of.drive.serial.is_empty();
        let serial = escaped(&of.drive.serial);
        Row {
            last: words::time(of.last_unix_ms),
            runs: format!("/?{}", only(&of.drive)),
            jobs: format!("/jobs?{}", only(&of.drive)),
            smart: has_smart.then(|| format!("/drives/smart?serial={serial}")),
            of,
        }
    }
}

struct ModelRow {
    name: &'static str,
    title: &'static str,
    capacity: String,
    facts: Vec<String>,
}

/// Lists the drives of the lab, and the models of the program.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let of = (List::Drives, "/drives", "drive");
    let found = listed(&app, of, browse::drives, &fields).await?;
    let fact = |model: &'static ShippedModel, wanted: FactId| {
        let mut facts = model.facts.iter();
        let found = facts.find(|(id, _)| *id == wanted.name());
        found.map(|(_, value)| value.to_string())
    };
    let mut years = found.choices.drive_years;
    let of_models = shipped().iter();
    years.extend(
        of_models.filter_map(|model| fact(model, FactId::ReleaseYear)?.parse::<i32>().ok()),
    );
    years.sort_unstable_by(|one, other| other.cmp(one));
    years.dedup();
    let models = shipped().iter().filter(|model| {
        let titles = [model.name, &model.title];
        found.search.finds_model(&titles, &model.facts)
    });
    let models = models.map(|model| {
        let facts = [
            fact(model, FactId::Controller),
            fact(model, FactId::Interface).map(|words| interface(&words)),
            fact(model, FactId::Flash),
        ];
        ModelRow {
            name: model.name,
            title: &model.title,
            capacity: words::bytes(model.capacity_bytes),
            facts: facts.into_iter().flatten().collect(),
        }
    });
    let hint = "drive, controller, serial number, firmware …";
    let list = ListPage {
        head: Head::plain("Drives").under("drives"),
        models: models.collect(),
        form: SearchForm::new("/drives", &fields, hint)
            .drive()
            .made_of(&years)
            .kind("kind"),
        above: found.above,
        rows: found.rows.into_iter().map(Row::of).collect(),
    };
    page(&list, PLAIN)
}

/// Returns the fields of a search for a single drive.
fn only(drive: &Drive) -> String {
    let name = format!("drive={}", escaped(&format!("\"{}\"", drive.model)));
    match drive.serial.as_str() {
        "" => name,
        serial => format!("{name}&text={}", escaped(serial)),
    }
}

/// Returns links to pages about the drive of an entry of the lab: address, text.
pub(crate) fn links(drive: &Drive, entry: EntryId) -> Vec<(String, String)> {
    let mut links = vec![
        (
            localized(format!("/?{}", only(drive))),
            say("lab-its-reviews"),
        ),
        (format!("/jobs?{}", only(drive)), say("lab-its-jobs")),
    ];
    if !drive.serial.is_empty() {
        let address = format!("/drives/smart?serial={}", escaped(&drive.serial));
        links.push((address, say("lab-smart")));
    }
    let shipped = drive.shipped.as_deref();
    let shipped = shipped.filter(|name| Model::shipped(name).is_some());
    if let Some(name) = shipped {
        let name = escaped(name);
        let of = match drive.changes.is_empty() {
            true => "lab-the-model",
            false => "lab-model-of",
        };
        links.push((format!("/drives/models/{name}"), say(of)));
    }
    if drive.kind == "simulated" {
        let from = match shipped.filter(|_| drive.changes.is_empty()) {
            Some(name) => format!("drive={}", escaped(name)),
            None => format!("of={entry}"),
        };
        links.push((format!("/what-if?{from}"), say("lab-what-if-link")));
    }
    links
}

#[derive(Template)]
#[template(path = "model.html")]
struct ModelPage {
    head: Head,
    name: String,
    model: Model,
    capacity: String,
    facts: Vec<(String, String)>,
    parts: Vec<(String, String)>,
    tables: Vec<ShownTable>,
}

/// A table of a model.
struct ShownTable {
    of: DescribedTable,
    /// Reason why the drive has no such part.
    none: Option<String>,
    figures: Vec<ShownFigure>,
    /// Keys that the model does not set, with their defaults.
    others: Vec<DescribedKey>,
}

struct ShownFigure {
    figure: Figure,
    unit: &'static str,
    meaning: String,
    allowed: String,
    part: String,
}

/// Units by the ends of keys, the longest first.
const UNITS: [(&str, &str); 22] = [
    ("_mb_per_s", "MB/s (10^6)"),
    ("_mbit_per_s", "Mbit/s"),
    ("_percent", "%"),
    ("_superblocks", "superblocks"),
    ("_bytes", "bytes"),
    ("_pages", "pages"),
    ("_blocks", "blocks"),
    ("_hours", "h"),
    ("_years", "years"),
    ("_cycles", "cycles"),
    ("_kib", "KiB"),
    ("_mib", "MiB"),
    ("_gib", "GiB"),
    ("_tb", "TB (10^12 bytes)"),
    ("_us", "µs"),
    ("_ns", "ns"),
    ("_ms", "ms"),
    ("_mw", "mW"),
    ("_nj", "nJ"),
    ("_uj", "µJ"),
    ("_c", "°C"),
    ("_s", "s"),
];

fn unit(key: &str) -> &'static str {
    let found = UNITS.iter().find(|(end, _)| key.ends_with(end));
    found.map_or("", |(_, unit)| unit)
}

/// Converts the Markdown of the keys' descriptions to plain text.
fn plain(markdown: &str) -> String {
    markdown.replace('`', "").replace("**", "")
}

/// Shows a model with every figure.
pub(crate) async fn model(Path(name): Path<String>) -> Result<Response, Trouble> {
    let missing = || Trouble::Missing("There is no model of this name.".to_owned());
    let files = Files::shipped(&name).ok_or_else(missing)?;
    let model = files.model().map_err(|e| Trouble::Fault(e.to_string()))?;
    let figures = files.figures();
    let parts = files.files().iter().map(|file| {
        let line = |text: &str| text.split_once('=').map(|(_, value)| value.to_owned());
        let title = file.text.lines().find(|line| line.starts_with("title"));
        let title = title.and_then(line).unwrap_or_default();
        (file.name.clone(), title.trim().trim_matches('"').to_owned())
    });
    // The page shows the description above.
    let facts = model.facts().into_iter();
    let facts = facts.filter(|(id, _)| *id != FactId::Model.name());
    let facts = facts.map(|(id, value)| {
        let words = value.to_string();
        let name = Condition::new(id, value).name().to_string();
        match id == FactId::Interface.name() {
            true => (name, interface(&words)),
            false => (name, words),
        }
    });
    let tables = described_tables();
    let tables = tables.into_iter().filter(|table| !table.name.is_empty());
    let shown = ModelPage {
        head: Head::plain(model.title.clone()).under("drives"),
        capacity: words::bytes(model.capacity.user_bytes.value),
        facts: facts.collect(),
        parts: parts.collect(),
        tables: tables.map(|table| shown(table, &model, &figures)).collect(),
        name,
        model,
    };
    page(&shown, PLAIN)
}

fn shown(mut table: DescribedTable, model: &Model, figures: &[Figure]) -> ShownTable {
    let of_table = figures.iter().filter(|figure| figure.table == table.name);
    let figures: Vec<ShownFigure> = of_table
        .map(|figure| {
            let key = table.keys.iter().find(|key| key.key == figure.key);
            let text = |of: fn(&DescribedKey) -> &String| key.map(of).map_or("", |t| t);
            let part = figure.file.rsplit('/').next().unwrap_or_default();
            ShownFigure {
                unit: unit(&figure.key),
                meaning: plain(text(|key| &key.meaning)),
                allowed: plain(text(|key| &key.allowed)),
                part: part.trim_end_matches(".toml").to_owned(),
                figure: figure.clone(),
            }
        })
        .collect();
    table.about = plain(&table.about);
    let none = model.absent(table.name).map(str::to_owned);
    let is_given = |key: &DescribedKey| figures.iter().any(|shown| shown.figure.key == key.key);
    let mut others = Vec::new();
    if none.is_none() && !figures.is_empty() {
        others.extend(table.keys.iter().filter(|key| !is_given(key)).cloned());
    }
    for key in &mut others {
        key.meaning = plain(&key.meaning);
    }
    ShownTable {
        none,
        figures,
        others,
        of: table,
    }
}

#[derive(Template)]
#[template(path = "smart.html")]
struct SmartPage {
    head: Head,
    /// Heads of the columns.
    columns: Vec<&'static str>,
    rows: Vec<SmartRow>,
    charts: Vec<(&'static str, String)>,
}

struct SmartRow {
    run: i64,
    when: String,
    moment: String,
    values: Vec<String>,
}

/// A figure of SMART data over time: its name, its value, and the format of the value.
type SmartFigure = (
    &'static str,
    fn(&SmartReading) -> Option<f64>,
    fn(f64) -> String,
);

const SMART_FIGURES: [SmartFigure; 8] = [
    (
        "Written by hosts",
        |r| r.reading.health.host_written_bytes.map(|b| b as f64),
        |b| words::bytes(b as u64),
    ),
    (
        "Written in flash",
        |r| r.reading.health.nand_written_bytes.map(|b| b as f64),
        |b| words::bytes(b as u64),
    ),
    (
        "Life used, %",
        |r| r.reading.health.used_percent.map(|n| n as f64),
        words::number,
    ),
    (
        "Spare left, %",
        |r| r.reading.health.spare_percent.map(|n| n as f64),
        words::number,
    ),
    (
        "Temperature, °C",
        |r| r.reading.health.temperature_c.map(|n| n as f64),
        words::number,
    ),
    (
        "Hours with power",
        |r| r.reading.health.power_on_hours.map(|n| n as f64),
        words::number,
    ),
    (
        "Blocks retired",
        |r| r.reading.health.retired_blocks.map(|n| n as f64),
        words::number,
    ),
    (
        "Media errors",
        |r| r.reading.health.media_errors.map(|n| n as f64),
        words::number,
    ),
];

/// Figures that are drawn, with their units and divisors.
const SMART_CHARTS: [(&str, &str, f64); 3] = [
    ("Written by hosts", "TB", 1e12),
    ("Life used, %", "%", 1.0),
    ("Temperature, °C", "°C", 1.0),
];

/// Shows the SMART data of a drive before and after its reviews.
pub(crate) async fn smart(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let serial = field(&fields, "serial").to_owned();
    let wanted = serial.clone();
    let readings = app
        .read(move |lab| Ok(browse::smart(lab, &wanted)?))
        .await?;
    if readings.is_empty() {
        return Err(Trouble::Missing(
            "The lab has no SMART data of a drive of this serial number.".to_owned(),
        ));
    }
    let known: Vec<&SmartFigure> = SMART_FIGURES
        .iter()
        .filter(|(_, of, _)| readings.iter().any(|reading| of(reading).is_some()))
        .collect();
    let row = |reading: &SmartReading| SmartRow {
        run: reading.run,
        when: words::time(reading.at_unix_ms),
        moment: format!("{} the tests", reading.moment),
        values: known
            .iter()
            .map(|(_, of, words)| of(reading).map_or_else(|| "–".to_owned(), words))
            .collect(),
    };
    let chart = |(name, title, by): &(&'static str, &'static str, f64)| {
        let (_, of, _) = known.iter().find(|(other, ..)| other == name)?;
        let points = readings.iter().filter_map(|reading| {
            let value = of(reading)?;
            Some((reading.at_unix_ms as f64, value / by))
        });
        let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
        let trace = Trace {
            name: (*name).to_owned(),
            markers: true,
            x,
            y,
            ..Trace::default()
        };
        let id = name.chars().filter(char::is_ascii_alphabetic);
        let chart = Chart {
            id: id.collect(),
            y: (*title).to_owned(),
            traces: vec![trace],
            of_dates: true,
            ..Chart::default()
        };
        Some(chart.json().map(|json| (*name, json)))
    };
    let charts: Result<Vec<_>, Trouble> = SMART_CHARTS.iter().filter_map(chart).collect();
    let shown = SmartPage {
        head: Head::plain(format!("SMART data of {serial}"))
            .under("drives")
            .with_charts(),
        columns: known.iter().map(|(name, ..)| *name).collect(),
        rows: readings.iter().map(row).collect(),
        charts: charts?,
    };
    page(&shown, CHARTS)
}
