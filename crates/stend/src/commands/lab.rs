//! `stend lab`.

mod delete;
mod figures;
mod serve;

use std::path::Path;

use serde::Serialize;
use stend_analysis::words;
use stend_lab::recorded::{self, Recorded, RecordedSummary};
use stend_lab::studies::{self, StudySummary};
use stend_lab::{EntryId, Format, Lab, RunId, RunState, RunSummary, TABLES, marks};
use stend_record::review::Condition;

use crate::args::{ExportFormat, LabArgs, LabCommand, LabPath};
use crate::failure::Failure;
use crate::laboratory::{self, time};
use crate::output::{note, print, print_json_line, table};

pub fn run(args: &LabArgs) -> Result<(), Failure> {
    let list = LabCommand::List;
    match args.command.as_ref().unwrap_or(&list) {
        LabCommand::List => list_all(&args.lab, args.json),
        LabCommand::Jobs => jobs(&args.lab, args.json),
        LabCommand::Studies => studies(&args.lab, args.json),
        LabCommand::Show { run } => show(&args.lab, run, args.json),
        LabCommand::Export {
            folder,
            format,
            tables,
            runs,
        } => {
            let lab = laboratory::look(&args.lab)?;
            let (tables, figures) = chosen(tables.as_deref())?;
            let runs = runs.as_deref().map(reviews).transpose()?;
            let format = format_of(*format)?;
            let figures = figures.then(|| figures::table(&lab, runs.as_deref()));
            let figures = figures.transpose()?;
            if let Some(table) = &figures {
                table.check_place(folder, format)?;
            }
            let mut files = lab.export(folder, format, &tables, runs.as_deref())?;
            if let Some(table) = &figures {
                files.push(table.write(folder, format)?);
            }
            let lines = files.iter().map(|file| format!("{}\n", file.display()));
            print(&lines.collect::<String>())
        }
        LabCommand::Delete { runs, now, yes } => delete::delete(&args.lab, runs, (*now, *yes)),
        LabCommand::Undelete { runs } => delete::undelete(args, runs),
        LabCommand::Vacuum { yes } => delete::vacuum(&args.lab, *yes),
        LabCommand::Label { run, text } => {
            let label = marks::typed(text, marks::label).map_err(Failure::Input)?;
            Ok(recorded::set_label(
                &mut open(&args.lab)?,
                *run,
                label.as_deref(),
            )?)
        }
        LabCommand::Note { run, text } => {
            let remark = marks::typed(text, marks::note).map_err(Failure::Input)?;
            Ok(recorded::set_note(
                &mut open(&args.lab)?,
                *run,
                remark.as_deref(),
            )?)
        }
        LabCommand::Merge { other } => merge(args, other),
        LabCommand::Serve { port } => serve::run(&args.lab, *port),
    }
}

/// Parses entries as numbers of reviews; refuses those of jobs.
fn reviews(entries: &[EntryId]) -> Result<Vec<RunId>, Failure> {
    let review = |entry: &EntryId| match entry {
        EntryId::Run(run) => Ok(*run),
        EntryId::Recorded(job) => Err(Failure::Input(format!(
            "--runs {job}: a job or a replay, and only reviews can be chosen; --tables recorded \
             exports all jobs and replays"
        ))),
    };
    entries.iter().map(review).collect()
}

/// Opens the lab for changes. A mistyped path does not create a lab.
fn open(of: &LabPath) -> Result<Lab, Failure> {
    let path = laboratory::path(of)?;
    match path.exists() {
        true => Ok(Lab::open(&path)?),
        false => laboratory::look(of),
    }
}

fn merge(args: &LabArgs, other: &Path) -> Result<(), Failure> {
    // First, because opening creates the lab.
    drop(Lab::look_to_merge(other)?);
    let mut lab = Lab::open(&laboratory::path(&args.lab)?)?;
    let merged = lab.merge(other)?;
    if args.json {
        return print_json_line(&merged);
    }
    print(&format!(
        "runs added: {}, replaced by a further state: {}, known: {}; studies added or replaced: \
         {}; jobs and replays added: {}\n",
        merged.added, merged.replaced, merged.known, merged.studies, merged.recorded
    ))
}

fn format_of(format: ExportFormat) -> Result<Format, Failure> {
    Ok(match format {
        ExportFormat::Csv => Format::Csv,
        ExportFormat::Json => Format::Json,
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Format::Parquet,
        #[cfg(not(feature = "parquet"))]
        ExportFormat::Parquet => {
            return Err(Failure::ToolMissing(
                "this program is built without Parquet: use --format csv, or build it with \
                 `cargo build --release --features parquet`"
                    .into(),
            ));
        }
    })
}

/// Returns the tables of the lab to export, and true if the table of figures is one of them.
fn chosen(tables: Option<&[String]>) -> Result<(Vec<&'static str>, bool), Failure> {
    let Some(tables) = tables else {
        return Ok((TABLES.to_vec(), true));
    };
    let (figures, others): (Vec<&String>, Vec<&String>) =
        tables.iter().partition(|name| *name == figures::NAME);
    let find = |name: &String| {
        TABLES
            .into_iter()
            .find(|table| table == name)
            .ok_or_else(|| {
                Failure::Input(format!(
                    "the lab has no table `{name}`; it has: {}, {}",
                    TABLES.join(", "),
                    figures::NAME
                ))
            })
    };
    let others: Result<Vec<&str>, Failure> = others.into_iter().map(find).collect();
    Ok((others?, !figures.is_empty()))
}

/// Prints a list; if it is empty, a note that none `has_been` done yet.
fn print_list<T: Serialize>(
    (of, as_json): (&LabPath, bool),
    list: &[T],
    has_been: &str,
    text: &str,
) -> Result<(), Failure> {
    if as_json {
        return print_json_line(&list);
    }
    if list.is_empty() {
        let path = laboratory::path(of)?;
        note(&format!("{}: no {has_been} yet", path.display()));
    }
    print(text)
}

/// Lists reviews, and jobs and replays below.
fn list_all(of: &LabPath, as_json: bool) -> Result<(), Failure> {
    let (runs, jobs) = (
        laboratory::list(of, Lab::runs)?,
        laboratory::list(of, recorded::list)?,
    );
    let tables = [runs_text(&runs), jobs_text(&jobs)];
    let tables = tables.into_iter().filter(|table| !table.is_empty());
    let text = tables.collect::<Vec<_>>().join("\n");
    print_list((of, as_json), &runs, "review has been made", &text)
}

/// Lists only the jobs and replays.
fn jobs(of: &LabPath, as_json: bool) -> Result<(), Failure> {
    let jobs = laboratory::list(of, recorded::list)?;
    print_list((of, as_json), &jobs, "job has been run", &jobs_text(&jobs))
}

/// Formats a table with a line of headings; empty without rows.
fn headed<const N: usize>(
    layout: &str,
    headings: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    let head = std::iter::once(headings.map(str::to_owned));
    table(layout, &head.chain(rows).collect::<Vec<_>>())
}

fn runs_text(runs: &[RunSummary]) -> String {
    let row = |run: &RunSummary| {
        [
            run.run.to_string(),
            time(run.begun_unix_ms),
            run.drive.model.clone(),
            run.drive.kind.clone(),
            run.edition.clone(),
            run.tests_finished.to_string(),
            state(run),
            called(run.label.as_deref(), run.note.as_deref()),
        ]
    };
    let headings = [
        "run", "begun", "drive", "kind", "edition", "tests", "state", "label",
    ];
    headed(
        "<*  <*  <*  <*  <*  <*  <*  <",
        headings,
        runs.iter().map(row),
    )
}

fn jobs_text(jobs: &[RecordedSummary]) -> String {
    let row = |job: &RecordedSummary| {
        [
            job.id.to_string(),
            time(job.begun_unix_ms),
            job.drive.model.clone(),
            job.kind.name().to_owned(),
            job.name.clone(),
            called(job.label.as_deref(), job.note.as_deref()),
        ]
    };
    let headings = ["job", "begun", "drive", "kind", "job or trace", "label"];
    headed("<*  <*  <*  <*  <*  <", headings, jobs.iter().map(row))
}

/// Formats label and note.
fn called(label: Option<&str>, note: Option<&str>) -> String {
    match (label, note) {
        (label, None) => label.unwrap_or_default().to_owned(),
        (None, Some(note)) => format!("({note})"),
        (Some(label), Some(note)) => format!("{label} ({note})"),
    }
}

fn studies(of: &LabPath, as_json: bool) -> Result<(), Failure> {
    let studies = laboratory::list(of, studies::list)?;
    let row = |study: &StudySummary| {
        [
            study.study.to_string(),
            time(study.begun_unix_ms),
            study.name.clone(),
            format!("{} of {}", study.rows_done, study.rows_planned),
            study.rows_failed.to_string(),
            study.folder.clone(),
        ]
    };
    let headings = ["study", "begun", "name", "rows", "failed", "folder"];
    let text = headed(
        ">5  <16  <5*  >15  >6  <",
        headings,
        studies.iter().map(row),
    );
    print_list((of, as_json), &studies, "study has been carried out", &text)
}

fn state(run: &RunSummary) -> String {
    let mut text = match run.state {
        RunState::Complete => "complete".to_owned(),
        RunState::Unfinished => "unfinished".to_owned(),
    };
    if run.tests_failed > 0 {
        text += &format!(", {} failed", run.tests_failed);
    }
    match run.breaks {
        0 => {}
        1 => text += ", interrupted once",
        times => text += &format!(", interrupted {times} times"),
    }
    if run.duration_scale != 1.0 {
        text += &format!(", every measurement × {}", run.duration_scale);
    }
    text
}

fn show(of: &LabPath, word: &str, as_json: bool) -> Result<(), Failure> {
    let lab = laboratory::look(of)?;
    match word.parse() {
        Ok(EntryId::Recorded(id)) => show_job(&recorded::load(&lab, id)?, as_json),
        Ok(EntryId::Run(_)) => show_review(&lab, laboratory::find(&lab, word)?, as_json),
        Err(_) => match labelled_job(&lab, word)? {
            Some(job) => show_job(&job, as_json),
            None => show_review(&lab, laboratory::find(&lab, word)?, as_json),
        },
    }
}

/// The job or replay with this label, unless the word selects a review.
fn labelled_job(lab: &Lab, word: &str) -> Result<Option<Recorded>, Failure> {
    if !lab.complete_runs_of(word)?.is_empty() {
        return Ok(None);
    }
    let jobs = recorded::list(lab)?.into_iter();
    let labelled = jobs.filter(|job| job.label.as_deref() == Some(word));
    let found: Vec<RecordedSummary> = labelled.collect();
    match &found[..] {
        [] => Ok(None),
        [job] => Ok(Some(recorded::load(lab, job.id)?)),
        several => {
            let numbers: Vec<String> = several.iter().map(|job| job.id.to_string()).collect();
            Err(Failure::Input(format!(
                "{word} is the label of {} jobs or replays: {}; name one by its number",
                several.len(),
                numbers.join(", ")
            )))
        }
    }
}

fn show_job(job: &Recorded, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return print_json_line(job);
    }
    let of = &job.summary;
    let rows = [
        (of.kind.name(), format!("{} ({})", of.id, of.uuid)),
        ("label", of.label.clone().unwrap_or_default()),
        ("note", of.note.clone().unwrap_or_default()),
        ("job or trace", of.name.clone()),
        ("drive", of.drive.model.clone()),
        ("target", of.target.clone()),
        ("fingerprint", of.drive.fingerprint.clone()),
        ("begun", time(of.begun_unix_ms)),
        (
            "stend",
            version(&of.stend_version, of.stend_commit.as_deref()),
        ),
        ("command", of.command.clone()),
    ];
    let mut text = lines(rows);
    if let Some(job) = &job.job {
        text += &format!("\n{job}");
    }
    text += &format!("\nresult\n{:#}\n", job.result);
    print(&text)
}

/// Formats the values that are not empty, one per line with their names.
fn lines<const N: usize>(rows: [(&str, String); N]) -> String {
    let rows = rows.into_iter().filter(|row| !row.1.is_empty());
    let rows = rows.map(|(name, value)| [name.to_owned(), value]);
    table("<16<", &rows.collect::<Vec<_>>())
}

fn version(version: &str, commit: Option<&str>) -> String {
    match commit {
        Some(commit) => format!("{version}, commit {commit}"),
        None => version.to_owned(),
    }
}

fn show_review(lab: &Lab, run: RunId, as_json: bool) -> Result<(), Failure> {
    let review = lab.review(run)?;
    if as_json {
        return print_json_line(&review);
    }
    let run = lab.run(run)?;
    let rows = [
        ("run", format!("{} ({})", run.run, run.uuid)),
        ("label", run.label.clone().unwrap_or_default()),
        ("note", run.note.clone().unwrap_or_default()),
        ("drive", run.drive.model.clone()),
        ("target", run.target.clone()),
        ("fingerprint", run.drive.fingerprint.clone()),
        ("kind", run.drive.kind.clone()),
        ("serial number", run.drive.serial.clone()),
        ("firmware", run.drive.firmware.clone()),
        (
            "capacity",
            format!("{:.1} GB under test", run.capacity_bytes as f64 / 1e9),
        ),
        (
            "edition",
            format!("{} (SHA-256 {})", run.edition, run.edition_sha256),
        ),
        ("state", state(&run)),
        ("begun", time(run.begun_unix_ms)),
        ("last written", time(run.saved_unix_ms)),
        (
            "stend",
            version(&run.stend_version, run.stend_commit.as_deref()),
        ),
        ("report", run.folder.clone()),
        ("command", run.command.clone()),
    ];
    let mut text = lines(rows);
    let mut facts = review.target.facts.clone();
    facts.extend(words::price(&review.target).map(|price| Condition::new("price", price)));
    let lists = [
        ("target", &facts),
        ("conditions", &review.conditions),
        ("environment", &review.environment),
    ];
    for (name, conditions) in lists {
        text += &format!("\n{name}\n");
        for condition in conditions {
            text += &format!("  {}: {}\n", condition.name(), condition.value);
        }
    }
    text += "\ntests\n";
    for test in &review.tests {
        text += &format!("  {}: {}\n", test.id, test.title);
    }
    for test in &review.failed {
        text += &format!("  {}: failed: {}\n", test.id, test.error);
    }
    print(&text)
}
