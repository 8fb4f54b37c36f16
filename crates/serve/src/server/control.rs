//! The control socket: a line of JSON in each direction. `docs/serve.md` describes the commands.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stend_load::target::TargetError;

use crate::data::CutPages;
use crate::engine::Totals;
use crate::lateness::Summary;

/// A command to a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Returns the state of the server: [`Report`].
    Status,
    /// Returns all counters of the simulation.
    Counters,
    /// Returns the drive's health, as `smartctl -j` prints it.
    Health,
    /// Cuts the power: now, or after a number of further flash operations or answered writes.
    /// Clients are disconnected.
    PowerCut {
        /// Number of flash operations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_flash_event: Option<u64>,
        /// Number of answered writes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_writes: Option<u64>,
    },
    /// Turns the power on; commands wait until the recovery has finished.
    PowerOn,
    /// Writes the drive's state to a new file.
    Snapshot {
        /// Path of the file; absolute, because the server has its own working folder.
        file: PathBuf,
    },
    /// Advances virtual time without requests.
    Idle {
        /// Seconds.
        seconds: f64,
    },
    /// Applies a command of `stend drive` to the served drive.
    Drive {
        /// Arguments of the command.
        arguments: Value,
    },
    /// Ends the server, as SIGTERM does.
    Stop,
}

/// State of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the drive's model.
    pub model: String,
    /// Its title.
    pub title: String,
    /// Bytes that the host can address.
    pub capacity_bytes: u64,
    /// True if the power is on.
    pub power: bool,
    /// Number of clients.
    pub clients: u64,
    /// Totals since the start of serving.
    pub totals: Totals,
    /// Pages placed in flash for each page that the host has written.
    pub write_amplification: Option<f64>,
    /// Host bytes for which the static SLC cache has space; without one, the space of the data
    /// area, including its spare space.
    pub free_entry_bytes: u64,
    /// Temperature, °C, if the model has one.
    pub temperature_c: Option<f64>,
    /// Percent of the rated life.
    pub used_percent: Option<u64>,
    /// Number of 4 KiB pages of which older contents are kept that a power cut could restore.
    pub undo_pages: u64,
    /// Delays of answers, in the machine's time; meaningless at full speed.
    pub lateness: Value,
    /// Effect of the last power cut.
    pub last_cut: Value,
}

/// Answer to a successful command.
pub(super) fn done(what: impl Serialize) -> Value {
    json!({"ok": true, "result": what})
}

/// Answer to a failed command.
pub(super) fn failed(why: &TargetError) -> Value {
    let kind = match why {
        TargetError::Input(_) => "input",
        TargetError::Refused(_) => "refused",
        _ => "failed",
    };
    json!({"ok": false, "error": why.to_string(), "kind": kind})
}

/// Parses an answer of a control socket.
///
/// # Errors
/// The server's error, or [`TargetError::Input`] if the line is no answer.
pub fn read_answer(line: &str) -> Result<Value, TargetError> {
    let no_answer = || TargetError::Input(NO_ANSWER.to_owned());
    let answer: Value = serde_json::from_str(line).map_err(|_| no_answer())?;
    let why = || answer["error"].as_str().unwrap_or("it failed").to_owned();
    match (answer["ok"].as_bool(), answer["kind"].as_str()) {
        (Some(true), _) => Ok(answer["result"].clone()),
        (Some(false), Some("refused")) => Err(TargetError::Refused(why())),
        (Some(false), Some("failed")) => Err(TargetError::Failed(why())),
        (Some(false), _) => Err(TargetError::Input(why())),
        (None, _) => Err(no_answer()),
    }
}

/// Message if the socket belongs to something else, such as the block device.
const NO_ANSWER: &str = "no answer of a server: name the socket of its --control";

/// Delays as JSON, for [`Report`].
pub(super) fn lateness(summary: Option<Summary>) -> Value {
    summary.map_or(Value::Null, |summary| json!(summary))
}

/// Effect of the last power cut as JSON, for [`Report`].
pub(super) fn last_cut(pages: Option<CutPages>) -> Value {
    pages.map_or(Value::Null, |pages| json!(pages))
}
