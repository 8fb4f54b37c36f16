//! `stend bench`: how fast the simulator is, and how much memory it takes, as whole
//! processes.

mod cases;
mod machine;
mod measure;
mod record;
mod table;

use std::fs::{self, OpenOptions};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::{note, print, signals};

use cases::{CASES, Case};
use measure::Measured;
use record::{Figures, Record};
use table::Table;

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    if let Some(name) = &args.case {
        return measure::run(Case::find(name)?, args.smoke);
    }
    if args.list {
        return list(args.json);
    }
    // What can be wrong is found before minutes of measuring.
    let cases = chosen(args)?;
    let against = match &args.against {
        Some(path) => Some(Record::read(path, args.smoke)?),
        None => None,
    };
    if let Some(path) = &args.record {
        check_writable(path)?;
        signals::hint("; nothing is recorded".to_owned());
    }
    let record = Record::begin(args.smoke, command(args));
    warn(&record, against.as_ref());
    let count = cases.len();
    let record = measure_all(args, &cases, record, against.as_ref())?;
    if args.json {
        print(&record.json()?)?;
    }
    if let Some(path) = &args.record {
        let text = record.json()?;
        signals::undisturbed(|| fs::write(path, text)).map_err(|error| unwritable(path, &error))?;
    }
    if record.cases.len() == count {
        return Ok(());
    }
    Err(Failure::Incomplete)
}

fn list(as_json: bool) -> Result<(), Failure> {
    if !as_json {
        return print(&table::list());
    }
    let rows: Vec<_> = CASES
        .iter()
        .map(|case| {
            json!({
                "name": case.name,
                "what": case.what,
                "aim": case.aim.to_string(),
                "only_by_name": case.only_by_name,
            })
        })
        .collect();
    let list = json!({ "schema": "stend.bench-list/1", "cases": rows });
    print(&format!("{list:#}\n"))
}

/// The cases that were asked for. A smoke run needs neither memory nor time, so that it
/// takes all of them.
fn chosen(args: &BenchArgs) -> Result<Vec<&'static Case>, Failure> {
    let Some(names) = &args.only else {
        let by_default = |case: &&Case| args.smoke || case.only_by_name.is_none();
        return Ok(CASES.iter().filter(by_default).collect());
    };
    for name in names {
        Case::find(name)?;
    }
    let asked = |case: &&Case| names.iter().any(|name| name == case.name);
    Ok(CASES.iter().filter(asked).collect())
}

/// The command line, for the record.
fn command(args: &BenchArgs) -> String {
    let mut command = "stend bench".to_owned();
    if let Some(names) = &args.only {
        command += &format!(" --only {}", names.join(","));
    }
    if args.smoke {
        command += " --smoke";
    }
    command
}

fn warn(record: &Record, against: Option<&Record>) {
    if record.versions.debug_build && !record.smoke {
        note(
            "warning: this program was built with the checks of a debug build; for its real \
             speed, build it with `cargo build --release`",
        );
    }
    if against.is_some_and(|other| other.machine != record.machine) {
        note("warning: the record is of another machine: the ratios compare the machines too");
    }
}

/// Runs the cases one after another; what fails is told, and not in the record.
fn measure_all(
    args: &BenchArgs,
    cases: &[&Case],
    mut record: Record,
    against: Option<&Record>,
) -> Result<Record, Failure> {
    let table = Table::new(args.smoke, against);
    if !args.json {
        print(&table.head())?;
    }
    for case in cases {
        match one(case, args.smoke) {
            Ok((measured, wall_s)) => {
                let figures = Figures::new(case, &measured, wall_s, &record.cases);
                if !args.json {
                    print(&table.case(&figures))?;
                }
                record.cases.push(figures);
            }
            Err(failure) => note(&format!("error: {}: {failure}", case.name)),
        }
    }
    Ok(record)
}

/// One case in a process of its own, and that process's wall clock in seconds.
fn one(case: &Case, smoke: bool) -> Result<(Measured, f64), Failure> {
    let failed = |what: String| Failure::Io(format!("its process {what}"));
    let program =
        std::env::current_exe().map_err(|error| failed(format!("cannot be started: {error}")))?;
    let mut command = Command::new(program);
    command.args(["bench", "--case", case.name]);
    if smoke {
        command.arg("--smoke");
    }
    let began = Instant::now();
    let mut child = command
        // Ctrl-C is for this process; the child ends when this end of its stdin is closed.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    let stdin = child.stdin.take();
    let output = child
        .wait_with_output()
        .map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    let wall_s = began.elapsed().as_secs_f64();
    drop(stdin);
    if !output.status.success() {
        return Err(failed(end(case, &output)));
    }
    let measured = serde_json::from_slice(&output.stdout)
        .map_err(|error| failed(format!("did not tell its figures: {error}")))?;
    Ok((measured, wall_s))
}

/// How a process ended that should not have.
fn end(case: &Case, output: &Output) -> String {
    const SIGKILL: i32 = 9;
    match (output.status.signal(), case.only_by_name) {
        (Some(SIGKILL), Some(why)) => {
            format!("was killed, perhaps for want of memory: the case {why}")
        }
        _ => format!("did not finish: {}", output.status),
    }
}

/// Finds out that the record cannot be written. A file that is there keeps its content
/// until there is something to replace it, and none is left where there was none.
fn check_writable(path: &Path) -> Result<(), Failure> {
    let was_there = path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| unwritable(path, &error))?;
    if !was_there {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Io(format!(
        "cannot write {}: {error}; choose another file with --record",
        path.display()
    ))
}
