//! `stend lab`.

use jiff::Timestamp;
use stend_lab::{Format, Lab, RunId, RunState, RunSummary, TABLES};

mod serve;

use crate::args::{ExportFormat, LabArgs, LabCommand, LabPath};
use crate::failure::Failure;
use crate::laboratory;
use crate::output::{json_line, note, print};

pub fn run(args: &LabArgs) -> Result<(), Failure> {
    match args.command.as_ref().unwrap_or(&LabCommand::List) {
        LabCommand::List => list(&args.lab, args.json),
        LabCommand::Studies => studies(&args.lab, args.json),
        LabCommand::Show { run } => show(&args.lab, RunId(*run), args.json),
        LabCommand::Export {
            folder,
            format,
            tables,
            runs,
        } => {
            let lab = laboratory::look(&args.lab)?;
            let tables = chosen(tables.as_deref())?;
            let runs: Option<Vec<RunId>> = runs
                .as_ref()
                .map(|runs| runs.iter().copied().map(RunId).collect());
            let files = lab.export(folder, format_of(*format)?, &tables, runs.as_deref())?;
            let lines = files.iter().map(|file| format!("{}\n", file.display()));
            print(&lines.collect::<String>())
        }
        LabCommand::Delete { runs } => {
            // So that a mistyped path makes no lab.
            laboratory::look(&args.lab)?;
            let mut lab = Lab::open(&laboratory::path(&args.lab)?)?;
            let runs: Vec<RunId> = runs.iter().copied().map(RunId).collect();
            lab.delete(&runs)?;
            note(&format!("runs deleted: {}", runs.len()));
            Ok(())
        }
        LabCommand::Serve { port } => serve::run(&args.lab, *port),
        LabCommand::Merge { other } => {
            let mut lab = Lab::open(&laboratory::path(&args.lab)?)?;
            let merged = lab.merge(other)?;
            if args.json {
                return print(&json_line(&merged)?);
            }
            print(&format!(
                "runs added: {}, replaced by a further state: {}, known: {}; studies added or \
                 replaced: {}\n",
                merged.added, merged.replaced, merged.known, merged.studies
            ))
        }
    }
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

fn chosen(tables: Option<&[String]>) -> Result<Vec<&'static str>, Failure> {
    let Some(tables) = tables else {
        return Ok(TABLES.to_vec());
    };
    let find = |name: &String| {
        TABLES
            .into_iter()
            .find(|table| table == name)
            .ok_or_else(|| {
                Failure::Input(format!(
                    "the lab has no table `{name}`; it has: {}",
                    TABLES.join(", ")
                ))
            })
    };
    tables.iter().map(find).collect()
}

fn list(of: &LabPath, as_json: bool) -> Result<(), Failure> {
    let lab = laboratory::look_if_made(of)?;
    let runs = lab.map(|lab| lab.runs()).transpose()?.unwrap_or_default();
    if as_json {
        return print(&json_line(&runs)?);
    }
    if runs.is_empty() {
        let path = laboratory::path(of)?;
        note(&format!("{}: no review has been made yet", path.display()));
        return Ok(());
    }
    let title = |run: &RunSummary| run.drive.model.chars().count();
    let width = runs.iter().map(title).max().unwrap_or_default().max(5);
    let mut text = format!(
        "{:>5}  {:<16}  {:<width$}  {:<12}  {:<16}  {:>5}  state\n",
        "run", "begun", "drive", "kind", "edition", "tests"
    );
    for run in &runs {
        text += &format!(
            "{:>5}  {:<16}  {:<width$}  {:<12}  {:<16}  {:>5}  {}\n",
            run.run,
            time(run.begun_unix_ms),
            run.drive.model,
            run.drive.kind,
            run.edition,
            run.tests_finished,
            state(run)
        );
    }
    print(&text)
}

fn studies(of: &LabPath, as_json: bool) -> Result<(), Failure> {
    let lab = laboratory::look_if_made(of)?;
    let studies = lab
        .map(|lab| stend_lab::studies::list(&lab))
        .transpose()?
        .unwrap_or_default();
    if as_json {
        return print(&json_line(&studies)?);
    }
    if studies.is_empty() {
        let path = laboratory::path(of)?;
        note(&format!(
            "{}: no study has been carried out yet",
            path.display()
        ));
        return Ok(());
    }
    let width = studies.iter().map(|study| study.name.chars().count());
    let width = width.max().unwrap_or_default().max(5);
    let mut text = format!(
        "{:>5}  {:<16}  {:<width$}  {:>15}  {:>6}  folder\n",
        "study", "begun", "name", "rows", "failed"
    );
    for study in &studies {
        let rows = format!("{} of {}", study.rows_done, study.rows_planned);
        text += &format!(
            "{:>5}  {:<16}  {:<width$}  {rows:>15}  {:>6}  {}\n",
            study.study,
            time(study.begun_unix_ms),
            study.name,
            study.rows_failed,
            study.folder
        );
    }
    print(&text)
}

/// Date and time in the user's zone, to the minute.
fn time(unix_ms: i64) -> String {
    Timestamp::from_millisecond(unix_ms).map_or_else(
        |_| unix_ms.to_string(),
        |at| {
            let zoned = at.to_zoned(jiff::tz::TimeZone::system());
            zoned.strftime("%Y-%m-%d %H:%M").to_string()
        },
    )
}

fn state(run: &RunSummary) -> String {
    let mut text = match run.state {
        RunState::Complete => "complete".to_owned(),
        RunState::Unfinished => "unfinished".to_owned(),
    };
    if run.tests_failed > 0 {
        text += &format!(", {} failed", run.tests_failed);
    }
    if run.breaks > 0 {
        text += &format!(", interrupted {} times", run.breaks);
    }
    if run.duration_scale != 1.0 {
        text += &format!(", every measurement × {}", run.duration_scale);
    }
    text
}

fn show(of: &LabPath, run: RunId, as_json: bool) -> Result<(), Failure> {
    let lab = laboratory::look(of)?;
    let review = lab.review(run)?;
    if as_json {
        return print(&json_line(&review)?);
    }
    let run = lab.run(run)?;
    let mut rows = vec![
        ("run", format!("{} ({})", run.run, run.uuid)),
        ("drive", run.drive.model.clone()),
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
            match &run.stend_commit {
                Some(commit) => format!("{}, commit {commit}", run.stend_version),
                None => run.stend_version.clone(),
            },
        ),
        ("report", run.folder.clone()),
        ("command", run.command.clone()),
    ];
    rows.retain(|row| !row.1.is_empty());
    let mut text: String = rows
        .iter()
        .map(|(name, value)| format!("{name:<16}{value}\n"))
        .collect();
    let lists = [
        ("target", &review.target.facts),
        ("conditions", &review.conditions),
        ("environment", &review.environment),
    ];
    for (name, conditions) in lists {
        text += &format!("\n{name}\n");
        for condition in conditions {
            text += &format!("  {}: {}\n", condition.name, condition.value);
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
