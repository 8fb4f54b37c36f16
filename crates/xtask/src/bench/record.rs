//! The figures of a run as JSON, schema `stend.bench/1`, written and read.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cases::{Aim, Case};
use super::machine::{Machine, Versions};
use super::process::Measured;
use crate::failure::Failure;

/// Schema of a record.
pub const SCHEMA: &str = "stend.bench/1";

/// Memory aim of a process without its tables, bytes.
const MEMORY_AIM_BYTES: f64 = 200e6;

/// Memory aim of the tables per 4 KiB of the drive's capacity, bytes.
const MEMORY_AIM_PER_4KIB_BYTES: f64 = 12.0;

/// Maximum memory aim of a process, whatever the size of its drive: 8 GiB.
const MEMORY_AIM_BYTES_MAX: f64 = 8.0 * (1_u64 << 30) as f64;

/// A run of the benchmark.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: String,
    /// True for a smoke run, whose figures have no meaning.
    pub smoke: bool,
    /// Start of the run, UTC.
    pub recorded_at: String,
    /// The command.
    pub command: String,
    /// Machine of the run.
    pub machine: Machine,
    /// Versions of the program.
    pub versions: Versions,
    /// The cases that completed, in the order of completion.
    pub cases: Vec<Figures>,
}

/// Figures of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Name of the case.
    pub name: String,
    /// Description in one line.
    pub what: String,
    /// The measured phase.
    pub phase: PhaseFigures,
    /// The whole process, including preparation.
    pub process: ProcessFigures,
    /// Addressable capacity of the drive, bytes.
    pub capacity_bytes: u64,
    /// Peak resident memory of the process, bytes.
    pub peak_rss_bytes: u64,
    /// Peak memory per 4 KiB of the drive's capacity, bytes.
    pub peak_rss_per_4kib_bytes: f64,
    /// Cost of a request as a multiple of that of the case it is compared with; `None` if there is
    /// none, or it did not run.
    pub cost_ratio: Option<f64>,
    /// Verdict on the speed aim.
    pub aim: Verdict,
    /// Verdict on the memory aim; not judged if the process simulates several drives.
    pub memory_aim: Verdict,
}

/// The measured phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhaseFigures {
    /// Requests.
    pub requests: u64,
    /// Wall-clock time, s.
    pub wall_s: f64,
    /// Requests per second of wall-clock time.
    pub requests_per_s: f64,
    /// Events of the simulation.
    pub events: u64,
    /// Events per second of wall-clock time.
    pub events_per_s: f64,
}

/// The whole process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessFigures {
    /// Requests.
    pub requests: u64,
    /// Wall-clock time from its start to its end, s.
    pub wall_s: f64,
}

/// An aim, and its verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The aim.
    pub aim: String,
    /// True if it is reached; `None` if that is unknown.
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
    /// Figures of a case whose process took `process_wall_s`. `others` are those of earlier cases.
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
    /// Creates an empty record for a program on this machine.
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

    /// Reads a record for comparison; `smoke` is the required kind of run.
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

    /// Returns the figures of a case.
    pub fn find(&self, name: &str) -> Option<&Figures> {
        self.cases.iter().find(|figures| figures.name == name)
    }

    /// Formats the record as JSON.
    pub fn json(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Failure::Io(format!("cannot write the figures as JSON: {error}")))?;
        Ok(text + "\n")
    }
}
