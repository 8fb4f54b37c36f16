//! Taking a block device for testing, which destroys what it holds: only one that
//! nothing speaks for, and only on its serial number.

use std::fs::{File, OpenOptions as FileOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::OpenOptions;
use super::device::Device;
use super::survey::{Finding, signature, survey};
use super::system::{DeviceNumber, SystemRoot};
use super::tools;
use super::units::{bytes_for_people, quoted};
use crate::contract::TargetError;

/// Opens a block device for this process alone.
///
/// The exclusive open is kept while the target lives: nobody can mount the device or
/// make a file system on it meanwhile.
pub(crate) fn claim(
    root: &SystemRoot,
    path: &Path,
    number: DeviceNumber,
    options: &OpenOptions,
) -> Result<(File, Device), TargetError> {
    let device = Device::find(root, number).ok_or_else(|| {
        TargetError::Refused(format!(
            "{}: sysfs knows no block device {number}, so that nothing can be checked",
            path.display()
        ))
    })?;
    if device.size_bytes == 0 {
        return Err(TargetError::Refused(format!(
            "{}: the device is empty or has no medium",
            path.display()
        )));
    }
    let mut findings = survey(root, &device);
    let opened = open_exclusively(path);
    if let Ok(Err(finding)) = &opened
        && !findings.contains(finding)
    {
        findings.push(finding.clone());
    }
    let signature = probe(path);
    if let Ok(Some(finding)) = &signature {
        findings.push(finding.clone());
    }
    // What was found comes before what could not be looked at.
    let file = match opened {
        Ok(Ok(file)) if findings.is_empty() => file,
        Err(error) if findings.is_empty() => return Err(error),
        _ => return Err(TargetError::Refused(refusal(path, &device, &findings))),
    };
    signature?;
    consent(path, &device, options)?;
    Ok((file, device))
}

/// The device for this process alone, or what speaks against that.
fn open_exclusively(path: &Path) -> Result<Result<File, Finding>, TargetError> {
    let opened = FileOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::EXCL.bits().cast_signed())
        .open(path);
    let error = match opened {
        Ok(file) => return Ok(Ok(file)),
        Err(error) => error,
    };
    match error.kind() {
        io::ErrorKind::ResourceBusy => Ok(Err(Finding::Busy)),
        io::ErrorKind::ReadOnlyFilesystem => Ok(Err(Finding::ReadOnly)),
        io::ErrorKind::PermissionDenied => Err(TargetError::Refused(format!(
            "{}: no permission to write to the device; run as root, or as a member of the group \
             that owns it",
            path.display()
        ))),
        _ => Err(TargetError::Failed(format!(
            "{}: cannot be opened: {error}",
            path.display()
        ))),
    }
}

/// Looks for signatures of file systems, partition tables and RAIDs on the device itself.
fn probe(path: &Path) -> Result<Option<Finding>, TargetError> {
    let blkid = tools::find("blkid", &tools::search_path()).ok_or_else(|| {
        TargetError::ToolMissing(
            "blkid is missing, which looks for file systems on a device; without it no device is \
             touched. It belongs to util-linux: apt install util-linux (Debian, Ubuntu), \
             dnf install util-linux (Fedora)"
                .to_owned(),
        )
    })?;
    let said = tools::run(
        tools::command(&blkid)
            .args(["-p", "-o", "export"])
            .arg(path),
    )?;
    // blkid(8): 2 is "nothing found", 8 "ambivalent": several at once.
    match said.status.code() {
        Some(0) => Ok(signature(&said.stdout)),
        Some(2) if said.stderr.trim().is_empty() => Ok(None),
        Some(8) => Ok(Some(Finding::Signature {
            what: "signatures of several file systems at once (see wipefs)".to_owned(),
        })),
        _ => Err(TargetError::Failed(format!(
            "blkid could not examine {} ({}): {}",
            path.display(),
            tools::ending(said.status),
            said.stderr.trim()
        ))),
    }
}

fn refusal(path: &Path, device: &Device, findings: &[Finding]) -> String {
    let mut text = format!(
        "{} will not be touched: a test destroys everything on it, and\n",
        path.display()
    );
    for finding in findings {
        text.push_str(&format!("  - {finding}\n"));
    }
    text.push_str(&table(path, device, &OpenOptions::default()));
    text.truncate(text.trim_end().len());
    text
}

/// Demands the serial number.
pub(crate) fn consent(
    path: &Path,
    device: &Device,
    options: &OpenOptions,
) -> Result<(), TargetError> {
    let given = options.destroy_serial.as_deref().map(str::trim);
    if given == Some(device.token.as_str()) {
        return Ok(());
    }
    let mut text = format!(
        "{}: the test destroys everything on this device.\n",
        path.display()
    );
    if let Some(given) = given {
        text.push_str(&format!(
            "--destroy {} does not name it: is it another drive that you mean?\n",
            quoted(given)
        ));
    }
    text.push_str(&table(path, device, options));
    let what = if device.serial.is_some() {
        "serial number"
    } else {
        "name (it has no serial number)"
    };
    text.push_str(&format!(
        "If all of it may be lost, repeat the command with the device's {what}: --destroy {}",
        quoted(&device.token)
    ));
    Err(TargetError::Refused(text))
}

/// `7 h 27 min`.
fn time_for_people(seconds: f64) -> String {
    let minutes = (seconds / 60.0).ceil() as u64;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// What will be lost.
fn table(path: &Path, device: &Device, planned: &OpenOptions) -> String {
    let unknown = || "not reported".to_owned();
    let mut rows = vec![
        ("device", path.display().to_string()),
        ("model", device.model.clone().unwrap_or_else(unknown)),
        (
            "serial number",
            device.serial.clone().unwrap_or_else(unknown),
        ),
        ("firmware", device.firmware.clone().unwrap_or_else(unknown)),
        ("size", bytes_for_people(device.size_bytes)),
    ];
    if let Some(file) = device.disk("loop/backing_file") {
        rows.insert(1, ("backing file", file));
    }
    if let Some(bytes) = planned.planned_write_bytes {
        rows.push(("will be written", bytes_for_people(bytes)));
    }
    if let Some(seconds) = planned.planned_writing_s {
        let text = format!("{} as fast as it takes writes", time_for_people(seconds));
        rows.push(("and besides", text));
    }
    rows.iter()
        .map(|(name, value)| format!("  {name:<16}{value}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::recorded::Recorded;
    use super::*;

    fn answer(token: Option<&str>) -> Result<(), String> {
        let options = OpenOptions {
            destroy_serial: token.map(str::to_owned),
            planned_write_bytes: Some(1_200_000_000_000),
            planned_writing_s: Some(26_800.0),
            ..OpenOptions::default()
        };
        let device = Recorded::sata().device("8:0");
        consent(Path::new("/dev/sda"), &device, &options).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_exact_serial_number_will_do() {
        assert_eq!(answer(Some("142207A1B2C3")), Ok(()));
        assert_eq!(answer(Some(" 142207A1B2C3 ")), Ok(()));
        for wrong in ["", "142207a1b2c3", "142207A1B2C", "142207A1B2C33", "yes"] {
            assert!(answer(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_refusal_tells_what_is_lost_and_what_to_type() {
        let text = answer(None).unwrap_err();
        for part in [
            "model           SanDisk SDSSDHII",
            "serial number   142207A1B2C3",
            "size            240.1 GB (223.6 GiB)",
            "will be written 1200.0 GB (1117.6 GiB)",
            "and besides     7 h 27 min as fast as it takes writes",
            "--destroy 142207A1B2C3",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(
            answer(Some("S3EVNX0J500123A"))
                .unwrap_err()
                .contains("--destroy S3EVNX0J500123A does not name it")
        );
    }
}
