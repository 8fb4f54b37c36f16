//! Runs `stend bench-case` in a separate process.

use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::cases::{Case, ModelText};
use crate::failure::Failure;

/// Measurements by the process of a case itself.
#[derive(Debug, Deserialize)]
pub struct Measured {
    /// Requests of the measured phase.
    pub phase_requests: u64,
    /// Events of the simulation in the measured phase.
    pub phase_events: u64,
    /// Wall-clock time of the measured phase, s.
    pub phase_wall_s: f64,
    /// Requests of all phases.
    pub process_requests: u64,
    /// Peak resident memory of the process, bytes.
    pub peak_rss_bytes: u64,
}

/// Runs a case; returns its measurements, and the wall-clock time of its process, s.
pub fn run_case(
    program: &Path,
    case: &Case,
    smoke: bool,
    model: &ModelText,
) -> Result<(Measured, f64), Failure> {
    let began = Instant::now();
    let (status, stdout) = exchange(program, &case.request(smoke, model))?;
    let wall_s = began.elapsed().as_secs_f64();
    if !status.success() {
        return Err(failed(end(case, status)));
    }
    Ok((parse(&stdout)?, wall_s))
}

/// Sends a request other than a case.
pub fn ask<T: DeserializeOwned>(program: &Path, request: &Value) -> Result<T, Failure> {
    match exchange(program, request)? {
        (status, stdout) if status.success() => parse(&stdout),
        (status, _) => Err(failed(format!("did not finish: {status}"))),
    }
}

fn exchange(program: &Path, request: &Value) -> Result<(ExitStatus, Vec<u8>), Failure> {
    let started = Command::new(program)
        .arg("bench-case")
        // Ctrl-C goes only to this process; the child ends when this end of its stdin is closed.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| {
        failed(format!(
            "cannot be started ({}): {error}",
            program.display()
        ))
    })?;
    let mut stdin = child.stdin.take().expect("it is piped");
    // A failure is ignored: if the process has already ended, its status shows it.
    let _ = writeln!(stdin, "{request}");
    let output = child
        .wait_with_output()
        .map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    drop(stdin);
    Ok((output.status, output.stdout))
}

fn parse<T: DeserializeOwned>(stdout: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(stdout).map_err(|error| failed(format!("printed no figures: {error}")))
}

fn failed(what: String) -> Failure {
    Failure::Io(format!("its process {what}"))
}

/// Describes the unexpected end of a process.
fn end(case: &Case, status: ExitStatus) -> String {
    const SIGKILL: i32 = 9;
    match (status.signal(), case.only_by_name) {
        (Some(SIGKILL), Some(why)) => {
            format!("was killed, perhaps for want of memory: the case {why}")
        }
        _ => format!("did not finish: {status}"),
    }
}
