//! A drive's report about itself, through `smartctl -j -x`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use stend_record::smart::Document;

use crate::process::tools;
use stend_load::target::TargetError;

/// An answer of smartctl.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The document, as far as it is interpreted here.
    pub document: Document,
    /// The whole text.
    pub text: String,
}

/// Path of the program.
///
/// # Errors
/// [`TargetError::ToolMissing`].
pub(crate) fn program() -> Result<PathBuf, TargetError> {
    let purpose = "reads a drive's health";
    tools::needed("smartctl", "smartmontools", purpose, &tools::search_path())
}

/// Asks a block device for its health.
///
/// # Errors
/// [`TargetError::ToolMissing`] without smartctl; [`TargetError::Failed`], in smartctl's words, if
/// the device reports no health or cannot be reached.
pub fn answer(device: &Path) -> Result<Answer, TargetError> {
    let said = tools::run(tools::command(&program()?).args(["-j", "-x"]).arg(device))?;
    let answer = match said.status.code() {
        Some(status) => read(&said.stdout, status, &said.stderr),
        None => Err(format!("smartctl was {}", tools::ending(said.status))),
    };
    answer.map_err(|why| TargetError::Failed(format!("{}: {why}", device.display())))
}

/// Parses the document, unless the bits of the exit status show that there is none.
pub(crate) fn read(text: &str, status: i32, stderr: &str) -> Result<Answer, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let words = stderr.trim();
        format!("smartctl's answer is not JSON ({error}), exit status {status}: {words}")
    })?;
    let reached = status & 0b11 == 0;
    if reached && let Ok(document) = serde_json::from_value(value.clone()) {
        return Ok(Answer {
            document,
            text: text.to_owned(),
        });
    }
    let mut words = messages(&value);
    words.extend(meanings(status).map(|meaning| format!("exit status {status}: {meaning}")));
    if reached {
        words.push("its answer names no device".to_owned());
    }
    Err(format!(
        "smartctl finds no health log: {}",
        words.join("; ")
    ))
}

fn messages(value: &Value) -> Vec<String> {
    let messages = value["smartctl"]["messages"].as_array();
    let texts = messages.into_iter().flatten();
    texts
        .filter_map(|message| message["string"].as_str().map(str::to_owned))
        .collect()
}

/// smartctl's complaints: its messages, and the meaning of each bit of its exit status.
pub fn complaints(document: &Document) -> Vec<String> {
    let said = document.other.get("smartctl").cloned().unwrap_or_default();
    let status = said["exit_status"].as_i64().unwrap_or(0);
    let mut words = messages(&serde_json::json!({ "smartctl": said }));
    words.extend(meanings(i32::try_from(status).unwrap_or(0)).map(str::to_owned));
    words
}

/// Meanings of the bits that are set. Source: smartctl(8), "EXIT STATUS".
fn meanings(status: i32) -> impl Iterator<Item = &'static str> {
    const BITS: [&str; 8] = [
        "smartctl does not understand the command, or does not know what kind of device this is",
        "the device could not be opened, or did not identify itself",
        "a command to the drive failed, or the checksum of a SMART structure is wrong",
        "the drive reports that it is FAILING: back up its data",
        "an attribute that announces failure is at or below its threshold",
        "an attribute was at or below its threshold in the past",
        "the drive's log of errors has entries",
        "the drive's log of self-tests has failures",
    ];
    (0..)
        .zip(BITS)
        .filter(move |(bit, _)| status & 1 << bit != 0)
        .map(|(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::says;

    const ATA: &str = include_str!("../../tests/data/smartctl-ata.json");
    const NVME: &str = include_str!("../../tests/data/smartctl-nvme.json");

    #[test]
    fn the_document_is_kept_to_the_byte_and_its_bits_are_told() {
        for text in [ATA, NVME] {
            let answer = read(text, 0, "").unwrap();
            assert_eq!(answer.text, text);
            assert_eq!(complaints(&answer.document), [""; 0]);
        }
        let failing = ATA.replace("\"exit_status\": 0", "\"exit_status\": 216");
        let told = complaints(&read(&failing, 216, "").unwrap().document);
        assert_eq!(told.len(), 4, "{told:?}");
        for (told, part) in told.iter().zip([
            "FAILING",
            "announces failure",
            "log of errors",
            "self-tests",
        ]) {
            says(told, part);
        }
    }

    #[test]
    fn without_an_answer_smartctl_s_own_words_are_told() {
        let text = r#"{ "smartctl": { "exit_status": 1, "messages": [
            { "string": "/dev/loop0: Unable to detect device type", "severity": "error" } ] } }"#;
        let why = read(text, 1, "").unwrap_err();
        for part in ["Unable to detect device type", "exit status 1", "what kind"] {
            says(&why, part);
        }
        // A complete document about an unreachable device does not count.
        says(read(ATA, 2, "").unwrap_err(), "could not be opened");
        says(read("{}", 0, "").unwrap_err(), "names no device");
        let broken = read("Killed", 4, "no memory").unwrap_err();
        assert!(
            broken.contains("not JSON") && broken.contains("no memory"),
            "{broken}"
        );
    }
}
