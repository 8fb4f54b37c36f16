//! The figures of a run as JSON, schema `stend.bench/1`, and how they are read back.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cases::{Aim, Case};
use super::machine::{Machine, Versions};
use super::process::Measured;
use crate::failure::Failure;

/// The schema that a record names.
pub const SCHEMA: &str = "stend.bench/1";

/// What every process may take beside its tables, bytes.
const MEMORY_AIM_BYTES: f64 = 200e6;

/// What the tables may take for each 4 KiB of the drive's capacity, bytes.
const MEMORY_AIM_PER_4KIB_BYTES: f64 = 12.0;

/// What a process may take however large its drive is: 8 GiB.
const MEMORY_AIM_BYTES_MAX: f64 = 8.0 * (1_u64 << 30) as f64;

/// A run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: String,
    /// Whether it was a smoke run, whose figures mean nothing.
    pub smoke: bool,
    /// When it began, UTC.
    pub recorded_at: String,
    /// The command.
    pub command: String,
    /// Where.
    pub machine: Machine,
    /// With what.
    pub versions: Versions,
    /// The cases that ran to their end, in the order in which they did.
    pub cases: Vec<Figures>,
}

/// What a case took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Name of the case.
    pub name: String,
    /// The case in a line.
    pub what: String,
    /// The measured phase.
    pub phase: PhaseFigures,
    /// The whole process, preparation included.
    pub process: ProcessFigures,
    /// What the drive's host can address, bytes.
    pub capacity_bytes: u64,
    /// Most memory that the process has had in RAM, bytes.
    pub peak_rss_bytes: u64,
    /// The same for each 4 KiB of the drive's capacity, bytes.
    pub peak_rss_per_4kib_bytes: f64,
    /// Cost of a request as a multiple of that of the case it is compared with; `None`
    /// where there is none, or where it did not run.
    pub cost_ratio: Option<f64>,
    /// How fast it should be.
    pub aim: Verdict,
    /// How little memory it should take; not judged where the process holds several drives.
    pub memory_aim: Verdict,
}

/// The measured phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhaseFigures {
    /// Requests.
    pub requests: u64,
    /// Wall clock, s.
    pub wall_s: f64,
    /// Requests in a second of wall clock.
    pub requests_per_s: f64,
    /// Events of the simulation.
    pub events: u64,
    /// Events in a second of wall clock.
    pub events_per_s: f64,
}

/// The whole process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessFigures {
    /// Requests.
    pub requests: u64,
    /// Wall clock from its start to its end, s.
    pub wall_s: f64,
}

/// An aim, and whether it is reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The aim.
    pub aim: String,
    /// Whether it is reached; `None` where that cannot be said.
    pub reached: Option<bool>,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.reached {
            Some(true) => write!(f, "{}: reached", self.aim),
            Some(false) => write!(f, "{}: missed", self.aim),
            None => write!(f, "{}: not judged", self.aim),
        }
    }
}

impl Figures {
    /// The figures of a case whose process took `process_wall_s`. `others` are those of
    /// the cases before it.
    pub fn new(
        case: &Case,
        measured: &Measured,
        capacity_bytes: u64,
        process_wall_s: f64,
        others: &[Figures],
    ) -> Figures {
        let (requests, events) = (measured.phase_requests, measured.phase_events);
        let wall_s = measured.phase_wall_s;
        let requests_per_s = requests as f64 / wall_s;
        let pages = capacity_bytes as f64 / 4096.0;
        let peak = measured.peak_rss_bytes as f64;
        let cost_ratio = match case.aim {
            Aim::CostRatio { to, .. } => others
                .iter()
                .find(|other| other.name == to)
                .map(|other| other.phase.requests_per_s / requests_per_s),
            _ => None,
        };
        let reached = match case.aim {
            Aim::RequestsPerS(least) => Some(requests_per_s >= least),
            Aim::ProcessWallS(most) => Some(process_wall_s <= most),
            Aim::CostRatio { most, .. } => cost_ratio.map(|ratio| ratio <= most),
            Aim::Reference(_) | Aim::None => None,
        };
        let tables_bytes = MEMORY_AIM_PER_4KIB_BYTES * pages;
        let memory_bytes = (tables_bytes + MEMORY_AIM_BYTES).min(MEMORY_AIM_BYTES_MAX);
        Figures {
            name: case.name.to_owned(),
            what: case.what.to_owned(),
            phase: PhaseFigures {
                requests,
                wall_s,
                requests_per_s,
                events,
                events_per_s: events as f64 / wall_s,
            },
            process: ProcessFigures {
                requests: measured.process_requests,
                wall_s: process_wall_s,
            },
            capacity_bytes,
            peak_rss_bytes: measured.peak_rss_bytes,
            peak_rss_per_4kib_bytes: peak / pages,
            cost_ratio,
            aim: Verdict {
                aim: case.aim.to_string(),
                reached,
            },
            memory_aim: Verdict {
                aim: format!("at most {:.0} MB for a drive", memory_bytes / 1e6),
                reached: case.has_one_drive().then_some(peak <= memory_bytes),
            },
        }
    }
}

impl Record {
    /// An empty one of a program on this machine.
    pub fn begin(program: &Path, smoke: bool, command: String) -> Result<Record, Failure> {
        Ok(Record {
            schema: SCHEMA.to_owned(),
            smoke,
            recorded_at: format!("{:.0}", jiff::Timestamp::now()),
            command,
            machine: Machine::here(),
            versions: Versions::of(program)?,
            cases: Vec::new(),
        })
    }

    /// Reads one to compare with; `smoke` says which kind of run is compared.
    pub fn read(path: &Path, smoke: bool) -> Result<Record, Failure> {
        let wrong = |what: String| {
            Failure::Input(format!(
                "--against {}: {what}; name a file made with `cargo xtask bench --record FILE`",
                path.display()
            ))
        };
        let text =
            fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| wrong(format!("no JSON: {error}")))?;
        match value["schema"].as_str() {
            Some(SCHEMA) => {}
            Some(other) => {
                return Err(wrong(format!(
                    "its schema is `{other}`, and this program reads `{SCHEMA}`"
                )));
            }
            None => return Err(wrong(format!("it names no schema such as `{SCHEMA}`"))),
        }
        let record: Record = serde_json::from_value(value)
            .map_err(|error| wrong(format!("it is damaged: {error}")))?;
        if record.smoke != smoke {
            let of = |smoke| if smoke { "a smoke run" } else { "a full run" };
            return Err(wrong(format!(
                "it is of {}, and this is {}: they do other work",
                of(record.smoke),
                of(smoke)
            )));
        }
        Ok(record)
    }

    /// The figures of a case.
    pub fn find(&self, name: &str) -> Option<&Figures> {
        self.cases.iter().find(|figures| figures.name == name)
    }

    /// As a JSON document.
    pub fn json(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Failure::Io(format!("cannot write the figures as JSON: {error}")))?;
        Ok(text + "\n")
    }
}
