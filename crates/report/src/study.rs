//! The page of a study: the share of each outcome that each factor explains, a small chart for each
//! pair of them, and the rows.

use askama::Template;
use stend_record::study::{Cell as Value, Effect, EffectLevel, Study, StudyRow};

use crate::assets::Assets;
use crate::chart::{Axis, Chart, ChartData, ChartKind, Coordinate, Role, Scale, Trace};
use crate::error::ReportError;
use crate::number::{self, scale_note};
use crate::view::{Block, Cell, Contents, Figure, Table};

/// Least share of an outcome that a factor must explain to get a chart.
const CHARTED_SHARE_MIN: f64 = 0.02;

/// Most rows on the page; the files contain all.
const ROWS_SHOWN: usize = 2_000;

/// Most rows of a chart that are drawn as dots.
const DOTS_MAX: usize = 1_000;

/// Most levels of a factor that gets a line for each.
const LINES_MAX: usize = 6;

/// Most levels of a logarithmic axis that gets a tick for each.
const TICKS_MAX: usize = 8;

/// Ratio of the greatest to the least level from which an axis is logarithmic.
const LOG_RATIO: f64 = 20.0;

#[derive(Template)]
#[template(path = "study.html")]
struct Page<'a> {
    assets: Assets,
    contents: Vec<Contents>,
    study: &'a Study,
    design: String,
    counts: String,
    note: String,
    missing: String,
    effects: Option<Table>,
    sections: Vec<Section>,
    failures: Option<Table>,
    rows: Table,
    /// True if its rows are also in a file beside it.
    has_files: bool,
    reproduce: &'a str,
}

/// A job or test.
struct Section {
    job: String,
    anchor: String,
    /// Charts that are left out, with the reason; empty for none.
    left_out: String,
    blocks: Vec<Block>,
}

/// Renders the page of a study that should have `planned` rows; `reproduce` is the command that
/// makes it, empty for none, and `None` for a page without files beside it.
pub(crate) fn render(
    study: &Study,
    planned: u64,
    reproduce: Option<&str>,
) -> Result<String, ReportError> {
    let note = scale_note(study.duration_scale);
    let mut data = ChartData {
        subject: format!("{} (study of simulated drives)", study.title),
        note: note.clone(),
        duration_scale: study.duration_scale,
        ..ChartData::default()
    };
    let sections: Vec<Section> = jobs(study)
        .into_iter()
        .enumerate()
        .map(|(number, job)| section(study, number, job, &mut data))
        .collect();
    let failed = study.rows.iter().filter(|row| row.error.is_some()).count();
    let left = planned.saturating_sub(study.rows.len() as u64);
    let missing = match (left, failed) {
        (0, 0) => String::new(),
        (0, failed) => format!("{failed} of {planned} rows failed"),
        (left, 0) => format!("{left} of {planned} rows are not done yet"),
        (left, failed) => {
            format!("{left} of {planned} rows are not done yet, and {failed} failed")
        }
    };
    let page = Page {
        assets: Assets::embedding(&data)?,
        contents: contents(&sections),
        study,
        design: study.design.replace('-', " "),
        counts: [
            counted(study.rows.len(), "row"),
            counted(study.factors.len(), "factor"),
            counted(study.outcomes.len(), "outcome"),
        ]
        .join(", "),
        note,
        missing,
        effects: effects_table(study),
        sections,
        failures: failures(study),
        rows: rows_table(study),
        has_files: reproduce.is_some(),
        reproduce: reproduce.unwrap_or_default(),
    };
    page.render()
        .map_err(|error| ReportError::Render(error.to_string()))
}

/// Formats `1 row`, `2 rows`.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", number::whole(count as u64))
}

fn contents(sections: &[Section]) -> Vec<Contents> {
    let jobs = sections
        .iter()
        .map(|section| Contents::new(&section.anchor, &section.job));
    let first = std::iter::once(Contents::new("effects", "Main effects"));
    let last = [
        Contents::new("rows", "Rows"),
        Contents::new("reproduce", "How to reproduce"),
    ];
    first.chain(jobs).chain(last).collect()
}

fn jobs(study: &Study) -> Vec<&str> {
    let mut jobs: Vec<&str> = Vec::new();
    for row in &study.rows {
        if !jobs.contains(&row.job.as_str()) {
            jobs.push(&row.job);
        }
    }
    jobs
}

/// Returns the names of the factors with effects, including models and seeds if there are several.
fn effect_factors(study: &Study) -> Vec<&str> {
    let mut factors: Vec<&str> = Vec::new();
    for effect in &study.effects {
        if !factors.contains(&effect.factor.as_str()) {
            factors.push(&effect.factor);
        }
    }
    factors
}

fn effects_table(study: &Study) -> Option<Table> {
    let factors = effect_factors(study);
    if factors.is_empty() {
        return None;
    }
    let jobs = jobs(study);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for job in &jobs {
        if jobs.len() > 1 {
            rows.push(vec![(*job).into()]);
        }
        for outcome in &study.outcomes {
            let of = |factor: &&str| effect_of(study, (job, outcome, factor));
            if !factors.iter().any(|factor| of(factor).is_some()) {
                continue;
            }
            let shares = factors.iter().map(|factor| of(factor)?.variance_share);
            let shares: Vec<Option<f64>> = shares.collect();
            // A share that is printed as 0 % explains nothing.
            let most = shares.iter().flatten().fold(0.005, |a, b| b.max(a));
            let cells = shares.iter().map(|share| Cell {
                best: *share == Some(most),
                ..share.map(|share| format!("{:.0} %", share * 100.0)).into()
            });
            let outcome = std::iter::once(outcome.as_str().into());
            rows.push(outcome.chain(cells).collect());
        }
    }
    let caption = "Share of each outcome's variance that each factor explains alone, percent, the \
                   largest bold; a dash where each level has one row, or there is one level";
    let head = std::iter::once("Outcome").chain(factors);
    Some(Table::new(caption, head, rows).fitting())
}

fn effect_of<'s>(
    study: &'s Study,
    (job, outcome, factor): (&str, &str, &str),
) -> Option<&'s Effect> {
    let mut effects = study.effects.iter();
    effects.find(|e| e.job == job && e.outcome == outcome && e.factor == factor)
}

fn section(study: &Study, number: usize, job: &str, data: &mut ChartData) -> Section {
    let mut figures = Vec::new();
    let mut left_out = 0;
    for outcome in &study.outcomes {
        let effects = study.effects.iter();
        let effects: Vec<&Effect> = effects
            .filter(|effect| effect.job == job && effect.outcome == *outcome)
            .collect();
        for effect in &effects {
            match effect.variance_share {
                Some(share) if share < CHARTED_SHARE_MIN => left_out += 1,
                _ => figures.push(figure(study, effect, second(&effects, effect), data)),
            }
        }
    }
    let left_out = match left_out {
        0 => String::new(),
        1 => format!(
            "One pair of an outcome and a factor that explains less than {} of it has no chart.",
            number::percent(CHARTED_SHARE_MIN)
        ),
        count => format!(
            "{count} pairs of an outcome and a factor that explains less than {} of it have no \
             chart.",
            number::percent(CHARTED_SHARE_MIN)
        ),
    };
    Section {
        job: job.to_owned(),
        anchor: format!("job-{}", number + 1),
        left_out,
        blocks: vec![Block::drawn(figures, Vec::new())],
    }
}

/// Returns, among the other factors with few levels, the one that explains most of the outcome:
/// each of its levels gets a line.
fn second<'e>(effects: &[&'e Effect], first: &Effect) -> Option<&'e Effect> {
    let others = effects.iter().filter(|effect| {
        effect.factor != first.factor
            && effect.factor != "seed"
            && effect.levels.len() <= LINES_MAX
            && effect
                .variance_share
                .is_some_and(|share| share >= CHARTED_SHARE_MIN)
    });
    let share = |effect: &Effect| effect.variance_share.unwrap_or_default();
    others.copied().max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// Returns the factor and unit with which an outcome is shown, whose greatest value this is.
fn unit_of(outcome: &str, greatest: f64) -> (f64, &'static str) {
    let time = match greatest {
        ns if ns >= 1e9 => (1e-9, "s"),
        ns if ns >= 1e6 => (1e-6, "ms"),
        _ => (1e-3, "µs"),
    };
    let units = [
        ("iops", 1.0, "IOPS"),
        ("_bytes_per_s", 1e-6, "MB/s (10⁶ bytes/s)"),
        ("_bytes", 1e-9, "GB (10⁹ bytes)"),
        ("_ns", time.0, time.1),
        ("_s", 1.0, "s"),
        ("_j", 1.0, "J"),
        ("_percent", 1.0, "percent"),
    ];
    let unit = units.into_iter().find(|(end, ..)| outcome.ends_with(end));
    match unit {
        Some((_, factor, unit)) => (factor, unit),
        None if outcome.starts_with("iops") => (1.0, "IOPS"),
        None => (1.0, ""),
    }
}

/// Draws an outcome against a factor, with a line for each level of another.
fn figure(study: &Study, effect: &Effect, second: Option<&Effect>, data: &mut ChartData) -> Figure {
    let of_job = study.rows.iter().filter(|row| row.job == effect.job);
    let values = of_job.filter_map(|row| row.outcome(&effect.outcome));
    let (factor, unit) = unit_of(&effect.outcome, values.fold(0.0, f64::max));
    let numeric = effect.levels.iter().all(|level| level.at.is_some());
    let x = axis(effect, numeric);
    let y_title = match unit {
        "" => &effect.outcome,
        unit => unit,
    };
    let rows: Vec<(&StudyRow, f64)> = study
        .rows
        .iter()
        .filter(|row| row.job == effect.job)
        .filter_map(|row| Some((row, row.outcome(&effect.outcome)? * factor)))
        .collect();
    let mut traces = Vec::new();
    match second {
        None => add_traces(study, effect, &rows, (numeric, "mean", 0), &mut traces),
        Some(second) => {
            for (slot, level) in second.levels.iter().enumerate() {
                let of_level = rows
                    .iter()
                    .filter(|(row, _)| is_in(study, row, second, level));
                let of_level: Vec<(&StudyRow, f64)> = of_level.copied().collect();
                let name = format!("{} {}", second.factor, level.label);
                add_traces(
                    study,
                    effect,
                    &of_level,
                    (numeric, &name, slot),
                    &mut traces,
                );
            }
        }
    }
    let share = effect
        .variance_share
        .map(|share| format!("; explains {:.0} %", share * 100.0));
    let chart = Chart {
        title: format!(
            "{} by {}{}",
            effect.outcome,
            effect.factor,
            share.unwrap_or_default()
        ),
        kind: ChartKind::Dots,
        height_px: 300,
        x,
        y: Axis::new(y_title, unit.split(' ').next().unwrap_or_default()),
        traces,
        ..Chart::default()
    };
    let table = level_table(effect, factor, unit);
    chart.place(data, Some(table))
}

fn axis(effect: &Effect, numeric: bool) -> Axis {
    let mut axis = Axis::new(&effect.factor, "");
    let places: Vec<f64> = effect.levels.iter().filter_map(|level| level.at).collect();
    let (first, last) = (places.first(), places.last());
    axis.scale = match (numeric, first, last) {
        (false, ..) => Scale::Category,
        (true, Some(first), Some(last)) if *first > 0.0 && last / first >= LOG_RATIO => Scale::Log,
        _ => Scale::Linear,
    };
    if axis.scale == Scale::Log && places.len() <= TICKS_MAX {
        axis.tick_texts = effect
            .levels
            .iter()
            .map(|level| level.label.clone())
            .collect();
        axis.tick_values = places.clone();
    }
    // The axis starts near its levels, not at zero.
    if let (Scale::Linear, Some(first), Some(last)) = (axis.scale, first, last) {
        let margin = (last - first) * 0.06;
        axis.range = Some([first - margin, last + margin]);
    }
    axis
}

/// Adds the rows as dots, and a line through the means of the levels.
fn add_traces(
    study: &Study,
    effect: &Effect,
    rows: &[(&StudyRow, f64)],
    (numeric, name, slot): (bool, &str, usize),
    traces: &mut Vec<Trace>,
) {
    let place = |level: &EffectLevel| match (numeric, level.at) {
        (true, Some(at)) => Coordinate::rounded(at),
        _ => Coordinate::Name(level.label.clone()),
    };
    let own = |row: &StudyRow| match value_of(study, row, &effect.factor) {
        value if numeric => Coordinate::from(value.number()),
        value => Coordinate::Name(value.to_string()),
    };
    let means = effect.levels.iter().filter_map(|level| {
        let of_level = rows
            .iter()
            .filter(|(row, _)| is_in(study, row, effect, level));
        let values: Vec<f64> = of_level.map(|(_, value)| *value).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then(|| (place(level), Coordinate::rounded(mean)))
    });
    let (x, y): (Vec<_>, Vec<_>) = means.unzip();
    // The names of a category axis are in the order of the first trace.
    let line = Trace::own(name, slot, Role::Means, x, y);
    traces.push(line);
    if rows.len() > effect.levels.len() {
        let dots = rows.iter().take(DOTS_MAX);
        let dots = dots.map(|(row, value)| (own(row), Coordinate::rounded(*value)));
        let (x, y): (Vec<_>, Vec<_>) = dots.unzip();
        traces.push(Trace::own(name, slot, Role::Samples, x, y));
    }
}

/// Returns the value of a factor in a row, including `model` and `seed`.
fn value_of(study: &Study, row: &StudyRow, factor: &str) -> Value {
    match study.factors.iter().position(|name| name == factor) {
        Some(at) => row.factors[at].clone(),
        None if factor == "seed" => Value::Whole(row.seed as i64),
        None => Value::Text(row.model.clone()),
    }
}

/// True if a row belongs to a level.
fn is_in(study: &Study, row: &StudyRow, effect: &Effect, level: &EffectLevel) -> bool {
    let value = value_of(study, row, &effect.factor);
    if value.to_string() == level.label {
        return true;
    }
    // A part of a range, given by its ends.
    let ends = level.label.split_once(" to ");
    let ends = ends.and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    match (ends, value.number()) {
        (Some((from, to)), Some(value)) => (from..=to).contains(&value),
        _ => false,
    }
}

fn level_table(effect: &Effect, factor: f64, unit: &str) -> Table {
    let shown = |value: f64| number::plain(value * factor);
    let rows = effect.levels.iter().map(|level| {
        vec![
            level.label.as_str().into(),
            number::whole(level.rows).into(),
            shown(level.mean).into(),
            shown(level.min).into(),
            shown(level.max).into(),
        ]
    });
    let caption = match unit {
        "" => format!("{} by {}", effect.outcome, effect.factor),
        unit => format!("{} by {}, {unit}", effect.outcome, effect.factor),
    };
    let head = [effect.factor.as_str(), "Rows", "Mean", "Least", "Greatest"];
    Table::new(caption, head, rows).folded()
}

fn failures(study: &Study) -> Option<Table> {
    let failed: Vec<Vec<Cell>> = study
        .rows
        .iter()
        .filter_map(|row| {
            let error = row.error.as_deref()?;
            let factors = row.factors.iter().map(Value::to_string);
            let factors: Vec<String> = factors.collect();
            Some(vec![
                row.number.to_string().into(),
                row.model.as_str().into(),
                factors.join(", ").into(),
                row.job.as_str().into(),
                error.into(),
            ])
        })
        .take(ROWS_SHOWN)
        .collect();
    let head = ["Row", "Model", "Factors", "Job", "Error"];
    (!failed.is_empty()).then(|| Table::new("Rows that failed, and why", head, failed))
}

fn rows_table(study: &Study) -> Table {
    let names = study.factors.iter().map(String::as_str);
    let outcomes = study.outcomes.iter().map(String::as_str);
    let head = ["Row", "model"]
        .into_iter()
        .chain(names)
        .chain(["seed", "job"]);
    let head: Vec<&str> = head.chain(outcomes).collect();
    let row = |row: &StudyRow| {
        let mut cells: Vec<Cell> = vec![row.number.to_string().into(), row.model.as_str().into()];
        let factor = |value: &Value| match value {
            Value::Real(real) => number::plain(*real),
            other => other.to_string(),
        };
        cells.extend(row.factors.iter().map(|value| Cell::from(factor(value))));
        cells.push(row.seed.to_string().into());
        cells.push(row.job.as_str().into());
        let outcome = |name: &String| row.outcome(name).map(number::plain);
        cells.extend(study.outcomes.iter().map(|name| Cell::from(outcome(name))));
        cells
    };
    let shown = study.rows.len().min(ROWS_SHOWN);
    let caption = match shown == study.rows.len() {
        true => format!("All {shown} rows; units end the names of outcomes"),
        false => format!("The first {shown} rows; units end the names of outcomes"),
    };
    Table::new(caption, head, study.rows.iter().take(shown).map(row)).folded()
}
