//! Parses files into a checked [`Measured`]: serde parses each text into the types below, which
//! mirror the file; then references are resolved across all files.

use serde::Deserialize;
use stend_config::{FileError, Problem, SourceText, Spanned};
use stend_experiment::Window;
use stend_experiment::{self as experiment, Job, Metric, RequestKind, Requests, Statistic, Step};
use stend_load::jobfile::Direction;

use super::{
    Ask, Base, Expected, Figure, Measured, Operation, Part, Place, Relation, RelationKind, Row,
    SCHEMA, State, Test, UNITS, Used, Variant,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    #[serde(default)]
    state: Vec<Spanned<StateEntry>>,
    #[serde(default)]
    test: Vec<Spanned<TestEntry>>,
    #[serde(default)]
    variant: Vec<Spanned<Variant>>,
    #[serde(default)]
    published: Vec<PublishedEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StateEntry {
    id: String,
    title: String,
    source: String,
    used_bytes: Option<u64>,
    free_bytes: Option<u64>,
    #[serde(default)]
    steps: Vec<StepEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum StepEntry {
    Job(String),
    RestS(f64),
    TrimFree,
    TrimAll,
    WriteCacheOff,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartEntry {
    id: String,
    #[serde(rename = "do")]
    step: StepEntry,
    #[serde(default)]
    sample_ms: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestEntry {
    id: String,
    title: String,
    source: String,
    shortened: Option<String>,
    part: Vec<Spanned<PartEntry>>,
    figure: Vec<Spanned<FigureEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureEntry {
    id: String,
    metric: String,
    part: String,
    take: Take,
    bytes: Option<[u64; 2]>,
    seconds: Option<[f64; 2]>,
    job: Option<String>,
    percentile: Option<f64>,
}

/// A metric as files write it.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Take {
    Bandwidth,
    BandwidthLeast,
    Iops,
    LatencyMean,
    ReadLatency,
    WriteLatency,
    Period,
    Power,
    StepBytes,
}

impl Take {
    fn metric(self, section: Option<String>, percentile: Option<f64>) -> Metric {
        let latency = |kind| {
            let statistic = percentile.map_or(Statistic::Mean, Statistic::Percentile);
            Metric::Latency(Requests { kind, section }, statistic)
        };
        match self {
            Take::Bandwidth => Metric::Bandwidth(None),
            Take::BandwidthLeast => Metric::BandwidthMin,
            Take::Iops => Metric::Iops(None),
            Take::LatencyMean => latency(RequestKind::All),
            Take::ReadLatency => latency(RequestKind::One(Direction::Read)),
            Take::WriteLatency => latency(RequestKind::One(Direction::Write)),
            Take::Period => Metric::Period,
            Take::Power => Metric::Power,
            Take::StepBytes => Metric::FallBytes,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedEntry {
    drive: String,
    model: Option<String>,
    source: String,
    address: Option<String>,
    test: Option<String>,
    unit: Option<String>,
    base: Option<Base>,
    rows: Vec<Spanned<RowEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowEntry {
    what: String,
    published: Option<String>,
    unanswered: Option<String>,
    test: Option<String>,
    figure: Option<String>,
    state: Option<String>,
    unit: Option<String>,
    base: Option<Base>,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    ratio_to: Option<String>,
    more_than: Option<String>,
}

fn place_of<T>(text: &SourceText<'_>, of: &Spanned<T>) -> Place {
    Place {
        file: text.file.to_owned(),
        line: text.line(of.span().start),
    }
}

fn fail<T>(place: &Place, message: impl Into<String>) -> Result<T, FileError> {
    Err(FileError::from(Problem {
        file: place.file.clone(),
        line: Some(place.line),
        key: None,
        message: message.into(),
    }))
}

/// Parses files that belong together.
pub(super) fn all(files: &[(&str, &str)]) -> Result<Measured, FileError> {
    let mut measured = Measured::default();
    let mut published = Vec::new();
    for (file, text) in files {
        let text = SourceText { file, text };
        let file: File = text.read()?;
        if file.schema.get_ref() != SCHEMA {
            return text.fail(&file.schema, format!("must be \"{SCHEMA}\""));
        }
        for entry in file.state {
            let state = state(&text, entry)?;
            let ids = measured.states.iter().map(|s| (&s.id, &s.place));
            once(&state.id, "state", &state.place, ids)?;
            measured.states.push(state);
        }
        for entry in file.test {
            let test = test(&text, entry)?;
            let ids = measured.tests.iter().map(|t| (&t.id, &t.place));
            once(&test.id, "test", &test.place, ids)?;
            measured.tests.push(test);
        }
        for entry in file.variant {
            let variant = variant(&text, entry)?;
            let ids = measured.variants.iter().map(|v| (&v.name, &v.place));
            once(&variant.name, "variant", &variant.place, ids)?;
            measured.variants.push(variant);
        }
        published.push((text, file.published));
    }
    for (text, entries) in published {
        for entry in entries {
            let rows = rows(&measured, &text, entry)?;
            measured.rows.extend(rows);
        }
    }
    Ok(measured)
}

/// Index of a name among others, or an error that lists all of them.
fn find<'a>(
    place: &Place,
    missing: &str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<usize, FileError> {
    let names: Vec<&str> = names.collect();
    match names.iter().position(|other| *other == name) {
        Some(index) => Ok(index),
        None => fail(place, format!("{missing}: {}", names.join(", "))),
    }
}

/// Refuses a second entry of the same name.
fn once<'a>(
    id: &str,
    what: &str,
    place: &Place,
    mut others: impl Iterator<Item = (&'a String, &'a Place)>,
) -> Result<(), FileError> {
    match others.find(|(other, _)| *other == id) {
        None => Ok(()),
        Some((_, other)) => fail(
            place,
            format!(
                "{what} `{id}` is defined twice; it is also at {}:{}",
                other.file, other.line
            ),
        ),
    }
}

fn state(text: &SourceText<'_>, entry: Spanned<StateEntry>) -> Result<State, FileError> {
    let place = place_of(text, &entry);
    let entry = entry.into_inner();
    let used = match (entry.used_bytes, entry.free_bytes) {
        (Some(bytes), None) => Used::Bytes(bytes),
        (None, Some(bytes)) => Used::AllBut(bytes),
        _ => {
            return fail(
                &place,
                format!(
                    "state `{}` has either used_bytes or free_bytes: what holds data, from the \
                     beginning of the drive, or what does not",
                    entry.id
                ),
            );
        }
    };
    let steps = entry.steps.into_iter();
    let steps = steps.map(|step| operation(&place, step, 0));
    Ok(State {
        id: entry.id,
        title: entry.title,
        source: entry.source,
        used,
        steps: steps.collect::<Result<_, _>>()?,
        place,
    })
}

/// Placeholders in a job, whose values depend on the drive.
pub(super) const PLACES: [&str; 3] = ["{used}", "{free}", "{capacity}"];

/// Converts a step, and refuses one that would fail when it is carried out.
fn operation(place: &Place, step: StepEntry, sample_ms: u32) -> Result<Operation, FileError> {
    let step = match step {
        StepEntry::Job(text) => {
            // With arbitrary numbers for the placeholders.
            let sample = PLACES
                .iter()
                .fold(text.clone(), |text, name| text.replace(name, "1048576"));
            if let Err(error) = stend_load::JobFile::parse(&sample) {
                return fail(place, format!("the job: {error}"));
            }
            // The seed follows from the names of the state, the test and the part.
            let seed = 0;
            Step::Job(Job {
                text,
                seed,
                sample_ms,
            })
        }
        StepEntry::RestS(seconds) if !(0.0..=86_400.0).contains(&seconds) => {
            return fail(place, format!("rest_s = {seconds}: from 0 to 86400"));
        }
        StepEntry::RestS(seconds) => Step::Rest(seconds),
        StepEntry::TrimFree => return Ok(Operation::TrimFree),
        StepEntry::TrimAll => Step::TrimAll,
        StepEntry::WriteCacheOff => Step::WriteCache(false),
    };
    Ok(Operation::Step(step))
}

/// Job of a part, if it is one.
fn job_of(part: &Part) -> Option<&Job> {
    match &part.operation {
        Operation::Step(Step::Job(job)) => Some(job),
        _ => None,
    }
}

fn test(text: &SourceText<'_>, entry: Spanned<TestEntry>) -> Result<Test, FileError> {
    let place = place_of(text, &entry);
    let entry = entry.into_inner();
    let mut parts: Vec<Part> = Vec::new();
    for part in entry.part {
        let place = place_of(text, &part);
        let part = part.into_inner();
        if parts.iter().any(|other| other.id == part.id) {
            return fail(&place, format!("part `{}` is defined twice", part.id));
        }
        parts.push(Part {
            operation: operation(&place, part.step, part.sample_ms)?,
            id: part.id,
        });
    }
    let mut figures: Vec<Figure> = Vec::new();
    for figure in entry.figure {
        let figure = self::figure(text, figure, &parts)?;
        if figures.iter().any(|other| other.id == figure.id) {
            return fail(&place, format!("figure `{}` is defined twice", figure.id));
        }
        figures.push(figure);
    }
    Ok(Test {
        id: entry.id,
        title: entry.title,
        source: entry.source,
        shortened: entry.shortened,
        parts,
        figures,
        place,
    })
}

fn figure(
    text: &SourceText<'_>,
    entry: Spanned<FigureEntry>,
    parts: &[Part],
) -> Result<Figure, FileError> {
    let place = place_of(text, &entry);
    let entry = entry.into_inner();
    let missing = format!("there is no part `{}`", entry.part);
    let part = find(&place, &missing, &entry.part, parts.iter().map(|p| &*p.id))?;
    let window = match (entry.bytes, entry.seconds) {
        (None, None) => Window::Whole,
        (Some([from, to]), None) if from < to => Window::Bytes(from, to),
        (None, Some([from, to])) if 0.0 <= from && from < to => Window::Seconds(from, to),
        _ => {
            let message = "bytes = [from, to] or seconds = [from, to], the first below the second";
            return fail(&place, message);
        }
    };
    check_requests(&place, &parts[part], &entry)?;
    let metric = entry.take.metric(entry.job, entry.percentile);
    let job = job_of(&parts[part]);
    let windowed = window != Window::Whole;
    let samples = windowed || metric.needs_samples();
    if samples && job.is_none_or(|job| job.sample_ms == 0) {
        let message = format!(
            "figure `{}` needs samples: give the part `{}` a job and sample_ms",
            entry.id, entry.part
        );
        return fail(&place, message);
    }
    if windowed
        && !matches!(
            entry.take,
            Take::Bandwidth | Take::BandwidthLeast | Take::Iops
        )
    {
        return fail(
            &place,
            "only bandwidth, bandwidth-least and iops can have bytes or seconds",
        );
    }
    if metric.needs_job() && job.is_none() {
        let message = format!(
            "part `{}` is not a job: only its power can be taken",
            entry.part
        );
        return fail(&place, message);
    }
    Ok(Figure {
        id: entry.id,
        metric: entry.metric,
        part,
        figure: experiment::Figure { metric, window },
    })
}

/// Percentiles that fio prints by default.
const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

fn check_requests(place: &Place, part: &Part, figure: &FigureEntry) -> Result<(), FileError> {
    if figure.job.is_none() && figure.percentile.is_none() {
        return Ok(());
    }
    if !matches!(figure.take, Take::ReadLatency | Take::WriteLatency) {
        return fail(
            place,
            "only read-latency and write-latency can have job or percentile",
        );
    }
    let Some(Job { text, .. }) = job_of(part) else {
        return Ok(());
    };
    let sections: Vec<&str> = text.lines().filter_map(section).collect();
    match &figure.job {
        Some(job) if !sections.contains(&&**job) => {
            let message = format!(
                "the job has no section `{job}`, but {}",
                sections.join(", ")
            );
            return fail(place, message);
        }
        None if figure.percentile.is_some() && sections.len() > 1 => {
            let message = format!(
                "a percentile needs the name of a section: job = \"{}\"",
                sections[0]
            );
            return fail(place, message);
        }
        _ => {}
    }
    if let Some(percentile) = figure.percentile
        && !PERCENTILES.contains(&percentile)
    {
        let message = format!("percentile = {percentile} is none of {PERCENTILES:?}");
        return fail(place, message);
    }
    Ok(())
}

/// Name of a section of a job, if a line begins one that runs.
fn section(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    (name != "global").then_some(name)
}

fn variant(text: &SourceText<'_>, entry: Spanned<Variant>) -> Result<Variant, FileError> {
    let place = place_of(text, &entry);
    let variant = entry.into_inner();
    if variant.dies == 0 || variant.dram_mib == 0 || !variant.user_bytes.is_multiple_of(4096) {
        let message =
            "a variant needs dies and DRAM above 0, and user_bytes that are a multiple of 4096";
        return fail(&place, message);
    }
    Ok(Variant { place, ..variant })
}

fn rows(
    measured: &Measured,
    text: &SourceText<'_>,
    group: PublishedEntry,
) -> Result<Vec<Row>, FileError> {
    let mut rows = Vec::new();
    for entry in &group.rows {
        let place = place_of(text, entry);
        let entry = entry.get_ref();
        if group.source.trim().is_empty() {
            return fail(&place, "the source is empty");
        }
        let ask = match &entry.unanswered {
            Some(reason) => unanswered(&place, entry, reason)?,
            None => Ok(ask(measured, &place, &group, entry)?),
        };
        let published = match (&entry.published, &ask) {
            (Some(text), _) => text.clone(),
            (None, Ok(ask)) => printed(ask),
            (None, Err(_)) => {
                return fail(
                    &place,
                    "a row with `unanswered` needs `published`: the figure in words",
                );
            }
        };
        rows.push(Row {
            drive: group.drive.clone(),
            model: group.model.clone(),
            source: group.source.clone(),
            address: group.address.clone(),
            what: entry.what.clone(),
            published,
            ask,
            place,
        });
    }
    Ok(rows)
}

fn unanswered(
    place: &Place,
    entry: &RowEntry,
    reason: &str,
) -> Result<Result<Ask, String>, FileError> {
    let asked = [&entry.figure, &entry.ratio_to, &entry.more_than];
    let figures = [entry.value, entry.low, entry.high];
    if asked.iter().any(|key| key.is_some()) || figures.iter().any(Option::is_some) {
        let message = "a row with `unanswered` cannot have figure, value, low, high, ratio_to or \
                       more_than: write the figure in `published`";
        return fail(place, message);
    }
    if reason.trim().is_empty() {
        return fail(place, "unanswered must contain the reason");
    }
    Ok(Err(reason.to_owned()))
}

fn ask(
    measured: &Measured,
    place: &Place,
    group: &PublishedEntry,
    entry: &RowEntry,
) -> Result<Ask, FileError> {
    let key = |name: &str, own: &Option<String>, groups: &Option<String>| match (own, groups) {
        (Some(value), _) | (None, Some(value)) => Ok(value.clone()),
        (None, None) => fail(
            place,
            format!("`{name}` is missing; or `unanswered` says why nothing can be asked"),
        ),
    };
    let test_id = key("test", &entry.test, &group.test)?;
    let tests = measured.tests.iter().map(|test| &*test.id);
    let test = find(
        place,
        &format!("there is no test `{test_id}`"),
        &test_id,
        tests,
    )?;
    let figure_id = key("figure", &entry.figure, &None)?;
    let figures = &measured.tests[test].figures;
    let missing = format!("test `{test_id}` has no figure `{figure_id}`");
    let ids = figures.iter().map(|figure| &*figure.id);
    let figure = find(place, &missing, &figure_id, ids)?;
    let state_id = key("state", &entry.state, &None)?;
    let states = measured.states.iter().map(|state| &*state.id);
    let missing = format!("there is no state `{state_id}`");
    let state = find(place, &missing, &state_id, states)?;
    if group.model.is_none() {
        return fail(place, "a row with a question needs `model`");
    }
    let unit_name = key("unit", &entry.unit, &group.unit)?;
    let missing = format!("there is no unit `{unit_name}`");
    let unit = UNITS[find(place, &missing, &unit_name, UNITS.iter().map(|u| u.name))?];
    if figures[figure].figure.metric.unit() != unit.base {
        let message = format!("`{figure_id}` is not measured in {unit_name}");
        return fail(place, message);
    }
    Ok(Ask {
        test,
        figure,
        state,
        expected: expected(place, entry)?,
        unit,
        base: entry.base.or(group.base).unwrap_or(Base::Said),
        relation: relation(place, entry)?,
    })
}

fn expected(place: &Place, entry: &RowEntry) -> Result<Expected, FileError> {
    // Only a difference may be 0 or negative.
    let sound = |figure: &f64| figure.is_finite() && (*figure > 0.0 || entry.more_than.is_some());
    let figures = [entry.value, entry.low, entry.high];
    if !figures.iter().flatten().all(sound) {
        return fail(place, "value, low and high must be above 0");
    }
    match figures {
        [Some(value), None, None] => Ok(Expected::Value(value)),
        [None, Some(low), Some(high)] if low > high => fail(place, "low lies above high"),
        [None, low, high] if low.is_some() || high.is_some() => Ok(Expected::Between { low, high }),
        _ => fail(place, "a row has a value, or low, high or both"),
    }
}

fn relation(place: &Place, entry: &RowEntry) -> Result<Option<Relation>, FileError> {
    let of = |model: &String, kind| {
        Ok(Some(Relation {
            model: model.clone(),
            kind,
        }))
    };
    match (&entry.ratio_to, &entry.more_than) {
        (None, None) => Ok(None),
        (Some(model), None) => of(model, RelationKind::Ratio),
        (None, Some(model)) => of(model, RelationKind::Difference),
        (Some(_), Some(_)) => fail(place, "a row cannot have both ratio_to and more_than"),
    }
}

fn printed(ask: &Ask) -> String {
    let unit = match &ask.relation {
        Some(relation) if relation.kind == RelationKind::Ratio => {
            format!("x {}", relation.model)
        }
        Some(relation) => format!("{} more than {}", ask.unit.name, relation.model),
        None => ask.unit.name.to_owned(),
    };
    match ask.expected {
        Expected::Value(value) => format!("{value} {unit}"),
        Expected::Between { low, high } => match (low, high) {
            (Some(low), Some(high)) => format!("{low}-{high} {unit}"),
            (Some(low), None) => format!("≥ {low} {unit}"),
            (None, Some(high)) => format!("≤ {high} {unit}"),
            (None, None) => unit,
        },
    }
}
