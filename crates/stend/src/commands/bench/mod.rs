//! `stend bench`: measures the speed of the simulator, alone or beside other simulators with the
//! same drive and the same requests.

mod case;
mod drive;
mod figures;
mod mqsim;
mod output;
mod own;
mod program;
mod simplessd;

use std::path::Path;

use serde_json::{Value, json};
use stend_model::Model;

use self::case::Case;
use self::drive::Drive;
use self::figures::Figures;
use self::mqsim::Mqsim;
use self::output::{Done, STEND};
use self::own::Own;
use self::program::{Program, Simulator};
use self::simplessd::SimpleSsd;
use crate::args::BenchArgs;
use crate::child::Folder;
use crate::failure::Failure;
use crate::open::{is_model, unknown_model};
use crate::output::{note, print, print_json};

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let model = model(&args.drive)?;
    let drive = Drive::of(&model);
    let others = others(args)?;
    if !others.is_empty() {
        drive.check(&model)?;
    }
    if cfg!(debug_assertions) {
        note("this is a debug build; a release build is faster");
    }
    let mut own = Own::new(model);
    let (mut all, mut failures) = (Vec::new(), Vec::new());
    if !args.json {
        print(&head(&drive, &others))?;
    }
    for case in case::all(&drive, args.requests.get() as u64, args.depth, args.seed) {
        note(&format!("{}: {STEND}", case.name));
        let mut done = Done {
            figures: vec![(STEND, own.run(&case)?)],
            failed: Vec::new(),
            case,
        };
        for other in &others {
            let name = other.name();
            note(&format!("{}: {name}", done.case.name));
            match in_folder(other.as_ref(), &drive, &done.case)? {
                Ok(figures) => done.figures.push((name, figures)),
                Err(problem) => {
                    note(&format!("{}: {problem}", done.case.name));
                    failures.push(format!("{name} in {}", done.case.name));
                    done.failed.push((name, problem));
                }
            }
        }
        match args.json {
            true => all.push(done.json()),
            false => print(&done.text())?,
        }
    }
    if args.json {
        print_json(&document(args, &drive, &others, &all))?;
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(Failure::Io(format!("failed: {}", failures.join(", ")))),
    }
}

/// Reads the drive's model, shipped or in a file.
fn model(name: &str) -> Result<Model, Failure> {
    if !is_model(name) {
        return Err(Failure::Input(unknown_model(name)));
    }
    match Model::shipped(name) {
        Some(model) => Ok(model),
        None => Ok(Model::read(Path::new(name))?),
    }
}

/// Returns the other simulators that are named.
fn others(args: &BenchArgs) -> Result<Vec<Box<dyn Simulator>>, Failure> {
    let mut others: Vec<Box<dyn Simulator>> = Vec::new();
    if let Some(path) = &args.mqsim {
        others.push(Box::new(Mqsim(Program::new("MQSim", "--mqsim", path)?)));
    }
    if let Some(path) = &args.simplessd {
        let program = Program::new("SimpleSSD-Standalone", "--simplessd", path)?;
        others.push(Box::new(SimpleSsd(program)));
    }
    Ok(others)
}

/// Runs a case of another simulator in a folder, which is kept if the simulator fails: its failure,
/// in words, leaves the other cases as they are.
fn in_folder(
    other: &dyn Simulator,
    drive: &Drive,
    case: &Case,
) -> Result<Result<Figures, String>, Failure> {
    let folder = Folder::new()?;
    match other.run(drive, case, folder.path()) {
        Ok(figures) => Ok(Ok(figures)),
        Err(Failure::Io(text)) => Ok(Err(format!(
            "{text}; its files are in {}",
            folder.keep().display()
        ))),
        Err(other) => Err(other),
    }
}

fn head(drive: &Drive, others: &[Box<dyn Simulator>]) -> String {
    let mut text = format!(
        "{}: {:.2} GB (10^9 bytes), {} dies on {} channels\n\
         requests/s are of wall clock; IOPS, MB/s (10^6 bytes) and latency are of virtual time\n",
        drive.name,
        drive.user_bytes as f64 / 1e9,
        drive.channels * drive.dies_per_channel,
        drive.channels
    );
    if others.is_empty() {
        return text;
    }
    text += "ratio: stend's requests/s divided by those of the program\n\
             not in the other simulators:\n";
    for words in &drive.left_out {
        text += &format!("  {words}\n");
    }
    for other in others {
        for words in other.limits(drive) {
            text += &format!("{}: {words}\n", other.name());
        }
    }
    text
}

fn document(
    args: &BenchArgs,
    drive: &Drive,
    others: &[Box<dyn Simulator>],
    cases: &[Value],
) -> Value {
    let limits: serde_json::Map<String, Value> = others
        .iter()
        .map(|other| (other.name().to_lowercase(), json!(other.limits(drive))))
        .collect();
    json!({
        "schema": "stend.bench-compare/1",
        "stend": env!("CARGO_PKG_VERSION"),
        "debug_build": cfg!(debug_assertions),
        "drive": drive.name,
        "capacity_bytes": drive.user_bytes,
        "seed": args.seed,
        "left_out": if others.is_empty() { &[][..] } else { &drive.left_out },
        "limits": limits,
        "cases": cases,
    })
}
