//! The control socket: a line of JSON each way. `docs/serve.md` has the commands.

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
    /// How the server is: [`Report`].
    Status,
    /// All counters of the simulation.
    Counters,
    /// The drive's health, as `smartctl -j` prints it.
    Health,
    /// Cuts the power: now, or when so many more operations of the flash have been done, or writes
    /// answered. Clients are disconnected.
    PowerCut {
        /// Operations of the flash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_flash_event: Option<u64>,
        /// Writes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_writes: Option<u64>,
    },
    /// Turns the power on; commands wait until the drive has recovered.
    PowerOn,
    /// Writes the drive's state to a new file.
    Snapshot {
        /// Its path; not relative, since the server has its own folder.
        file: PathBuf,
    },
    /// Lets virtual time pass without a request.
    Idle {
        /// Seconds.
        seconds: f64,
    },
    /// Does to the drive what `stend drive` does to one in a file.
    Drive {
        /// Its arguments.
        arguments: Value,
    },
    /// Ends the server, as SIGTERM does.
    Stop,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the drive's model.
    pub model: String,
    /// Its title.
    pub title: String,
    /// Bytes that can be addressed.
    pub capacity_bytes: u64,
    /// Whether the power is on.
    pub power: bool,
    /// Clients.
    pub clients: u64,
    /// What was served.
    pub totals: Totals,
    /// Pages placed in flash for each page that the host has written.
    pub write_amplification: Option<f64>,
    /// Bytes of the host's data for which the SLC cache has room; without blocks of its own, the
    /// data area, with its spare space.
    pub free_entry_bytes: u64,
    /// °C, where the model knows.
    pub temperature_c: Option<f64>,
    /// Percent of the rated life.
    pub used_percent: Option<u64>,
    /// Pages of 4 KiB of which something older is kept that a power cut could bring back.
    pub undo_pages: u64,
    /// Of answers, in the machine's time; of no use at full speed.
    pub lateness: Value,
    /// What the last power cut did.
    pub last_cut: Value,
}

/// The answer to a command that was done.
pub(super) fn done(what: impl Serialize) -> Value {
    json!({"ok": true, "result": what})
}

/// The answer to one that was not.
pub(super) fn failed(why: &TargetError) -> Value {
    let kind = match why {
        TargetError::Input(_) => "input",
        TargetError::Refused(_) => "refused",
        _ => "failed",
    };
    json!({"ok": false, "error": why.to_string(), "kind": kind})
}

/// What a control socket's answer holds.
///
/// # Errors
/// The server's, or [`TargetError::Input`] when it is no answer.
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

/// What answers is something else, such as the socket of the block device.
const NO_ANSWER: &str = "no answer of a server: name the socket of its --control";

/// As JSON, for [`Report`].
pub(super) fn lateness(summary: Option<Summary>) -> Value {
    summary.map_or(Value::Null, |summary| json!(summary))
}

/// As JSON, for [`Report`].
pub(super) fn last_cut(pages: Option<CutPages>) -> Value {
    pages.map_or(Value::Null, |pages| json!(pages))
}
