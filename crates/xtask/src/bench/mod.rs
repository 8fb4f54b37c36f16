//! `cargo xtask bench`: measures the speed and the memory of the simulator in whole processes.

mod cases;
mod machine;
mod process;
mod record;
mod table;

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output::{note, print};
use crate::program::{program, said};

use cases::{CASES, Case, Settings};
use process::run_case;
use record::{Figures, Record};
use table::Table;

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    if args.list {
        return list(args.json);
    }
    // Errors are found before minutes of measurement.
    let cases = chosen(args)?;
    let against = match &args.against {
        Some(path) => Some(Record::read(path, args.smoke)?),
        None => None,
    };
    if let Some(path) = &args.record {
        check_writable(path)?;
    }
    let program = program(args.program.as_deref(), args.smoke)?;
    let record = Record::begin(&program, args.smoke, command(args))?;
    warn(&record, against.as_ref());
    let record = measure_all(args, &program, &cases, record, against.as_ref())?;
    if args.json {
        print(&record.json()?)?;
    }
    if let Some(path) = &args.record {
        fs::write(path, record.json()?).map_err(|error| unwritable(path, &error))?;
    }
    match record.cases.len() == cases.len() {
        true => Ok(()),
        false => Err(Failure::Incomplete),
    }
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

/// Returns the named cases, or all that run by default. A smoke run needs little memory and time,
/// and therefore includes all cases.
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
    let mut command = "cargo xtask bench".to_owned();
    if let Some(names) = &args.only {
        command += &format!(" --only {}", names.join(","));
    }
    if args.smoke {
        command += " --smoke";
    }
    command
}

fn warn(record: &Record, against: Option<&Record>) {
    if record.versions.build.debug_build && !record.smoke {
        note(
            "warning: this program was built with the checks of a debug build; for its real \
             speed, leave the program out",
        );
    }
    if against.is_some_and(|other| other.machine != record.machine) {
        note("warning: the record is of another machine: the ratios compare the machines too");
    }
}

/// Runs the cases one after another; a failure is reported and not recorded.
fn measure_all(
    args: &BenchArgs,
    program: &Path,
    cases: &[&Case],
    mut record: Record,
    against: Option<&Record>,
) -> Result<Record, Failure> {
    let table = Table::new(args.smoke, against);
    if !args.json {
        print(&table.head())?;
    }
    let shown = |name: &str, settings: &Settings| shown(program, name, settings);
    for case in cases {
        let model = case.model(args.smoke, &shown)?;
        match run_case(program, case, args.smoke, &model) {
            Ok((measured, wall_s)) => {
                let bytes = model.user_bytes;
                let figures = Figures::new(case, &measured, bytes, wall_s, &record.cases);
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

/// Returns the text of a shipped model with other figures.
fn shown(program: &Path, name: &str, settings: &Settings) -> Result<String, Failure> {
    let set = |(key, value): &(&str, u64)| format!("--set={key}={value}");
    let mut command = Command::new(program);
    command.args(["drives", "show", name]);
    command.args(settings.iter().map(set));
    said(&mut command)
        .ok_or_else(|| Failure::Io(format!("{} does not show {name}", program.display())))
}

/// Checks that the record can be written. An existing file keeps its content until its replacement
/// is complete, and no new file is left behind.
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
