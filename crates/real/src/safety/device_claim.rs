//! Claims a block device for a test, which destroys its data: only a device that nobody uses, and
//! only if the user names its serial number.

use std::fs::{File, OpenOptions as FileOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use stend_record::endurance::Health;
use stend_record::size::in_both_units;

use crate::options::OpenOptions;
use crate::probe::device::{Device, devices_below};
use crate::probe::system::{DeviceNumber, SystemRoot};
use crate::probe::{health, smartctl};
use crate::process::tools;
use crate::safety::consent::{Demand, row};
use crate::safety::permission::no_permission;
use crate::safety::survey::{Finding, signature, survey};
use crate::safety::users::look_until_settled;
use stend_load::target::{TargetError, failed};

/// An operation that destroys data on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeviceAction {
    /// A test, which writes everywhere.
    Test,
    /// TRIM of a range.
    Trim {
        /// First byte.
        offset_bytes: u64,
        /// Bytes.
        len_bytes: u64,
    },
    /// The drive's own erase command.
    Erase {
        /// The command, in words.
        how: String,
        /// Duration that the drive reports.
        time: String,
        /// Other namespaces that are erased too, in words.
        also: Vec<String>,
    },
}

impl DeviceAction {
    /// Describes the effect on the data.
    fn words(&self) -> &'static str {
        match self {
            DeviceAction::Test => "a test destroys everything on",
            DeviceAction::Trim { .. } => "TRIM destroys what is in its range on",
            DeviceAction::Erase { .. } => "erasing destroys everything on",
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        match self {
            DeviceAction::Test => Vec::new(),
            DeviceAction::Trim {
                offset_bytes,
                len_bytes,
            } => vec![(
                "will be trimmed",
                format!("{len_bytes} bytes from {offset_bytes} on"),
            )],
            DeviceAction::Erase { how, time, also } => {
                let also = also.iter().map(|other| ("also erased", other.clone()));
                let rows = [("will be erased", how.clone()), ("time", time.clone())];
                rows.into_iter().chain(also).collect()
            }
        }
    }
}

/// Exclusive use of a block device while this value lives: nobody can mount it or make a file
/// system on it.
#[derive(Debug)]
pub(crate) struct Claim {
    /// The device, open for reading and writing.
    pub(crate) file: File,
    /// Other nodes of the same drive.
    pub(crate) others: Vec<File>,
}

/// Opens a block device for this process alone, through all its nodes.
pub(crate) fn claim(
    root: &SystemRoot,
    path: &Path,
    number: DeviceNumber,
    options: &OpenOptions,
    action: &DeviceAction,
) -> Result<(Claim, Device), TargetError> {
    let device = Device::known(root, path, number)?;
    if device.size_bytes == 0 {
        return Err(TargetError::Refused(format!(
            "{}: the device is empty or has no medium",
            path.display()
        )));
    }
    let mut findings = survey(root, &device);
    // A device without findings may only be busy for a moment.
    let opened = look_until_settled(
        || open_exclusively(path),
        |opened| findings.is_empty() && matches!(opened, Ok(Err(Finding::Busy))),
    );
    if let Ok(Err(finding)) = &opened
        && !findings.contains(finding)
    {
        findings.push(finding.clone());
    }
    let mut others = Vec::new();
    for other in device.other_nodes(root) {
        match open_exclusively(&Path::new("/dev").join(&other.name))? {
            Ok(file) => others.push(file),
            Err(finding) => findings.push(Finding::OtherNode {
                device: other.name,
                finding: Box::new(finding),
            }),
        }
    }
    let signature = probe(path);
    if let Ok(Some(finding)) = &signature {
        findings.push(finding.clone());
    }
    // Findings are reported before errors of the search.
    let file = match opened {
        Ok(Ok(file)) if findings.is_empty() => file,
        Err(error) if findings.is_empty() => return Err(error),
        _ => {
            return Err(TargetError::Refused(refusal(
                root, path, &device, &findings, action,
            )));
        }
    };
    signature?;
    consent(root, path, &device, options, action)?;
    let claim = Claim { file, others };
    Ok((claim, device))
}

/// Claims another namespace of the drive, which will be erased with the named one, for this process
/// alone. Does not ask the user: [`consent_with`] does.
///
/// # Errors
/// As [`claim`], for a device that is in use.
pub(crate) fn hold_with(
    root: &SystemRoot,
    other: &Device,
    action: &DeviceAction,
) -> Result<impl Sized + use<>, TargetError> {
    let path = Path::new("/dev").join(&other.name);
    let number = other.number().ok_or_else(|| {
        TargetError::Refused(format!("{}: it has no device number", path.display()))
    })?;
    let agreed = OpenOptions {
        destroy: vec![other.token.clone()],
        ..OpenOptions::default()
    };
    claim(root, &path, number, &agreed, action)
}

/// Requires the name of another namespace that will be erased with the named one. All of them have
/// the drive's serial number, so each is named by its device.
///
/// # Errors
/// [`TargetError::Refused`] if it is not named.
pub(crate) fn consent_with(
    root: &SystemRoot,
    other: &Device,
    options: &OpenOptions,
    action: &DeviceAction,
) -> Result<(), TargetError> {
    let path = Path::new("/dev").join(&other.name);
    let demand = Demand {
        path: &path,
        what_is_done: action.words(),
        noun: "namespace",
        name: "name",
        token: &format!("device:{}", other.name),
    };
    demand.consent(options, || {
        table(root, &path, other, &OpenOptions::default())
    })
}

/// Opens the device for this process alone, or returns the reason why it cannot.
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
        io::ErrorKind::PermissionDenied => Err(no_permission(path, "write to the device")),
        _ => Err(failed(path, "cannot be opened")(error)),
    }
}

/// Searches the device for signatures of file systems, partition tables and RAIDs.
fn probe(path: &Path) -> Result<Option<Finding>, TargetError> {
    let purpose = "looks for file systems on a device; without it no device is touched";
    let blkid = tools::needed("blkid", "util-linux", purpose, &tools::search_path())?;
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

fn refusal(
    root: &SystemRoot,
    path: &Path,
    device: &Device,
    findings: &[Finding],
    action: &DeviceAction,
) -> String {
    let mut text = format!(
        "{} will not be touched: {} it, and\n",
        path.display(),
        action.words()
    );
    for finding in findings {
        text.push_str(&format!("  - {finding}\n"));
    }
    text.push_str(&table(root, path, device, &OpenOptions::default()));
    text.truncate(text.trim_end().len());
    text
}

/// Requires the serial number: as an option, or typed at a prompt.
pub(crate) fn consent(
    root: &SystemRoot,
    path: &Path,
    device: &Device,
    options: &OpenOptions,
    action: &DeviceAction,
) -> Result<(), TargetError> {
    let demand = Demand {
        path,
        what_is_done: action.words(),
        noun: "device",
        name: match device.serial {
            Some(_) => "serial number",
            None => "name (it has no serial number)",
        },
        token: &device.token,
    };
    demand.consent(options, || {
        let mut text = table(root, path, device, options);
        let more = action.rows().into_iter();
        for (name, value) in more.chain(life(device, options, action)) {
            text.push_str(&row(name, &value));
        }
        text
    })
}

/// Name of the row with the share of a drive's life.
const LIFE: &str = "of its life";

/// Rows about the drive's life, and the share of it that a test uses.
fn life(
    device: &Device,
    options: &OpenOptions,
    action: &DeviceAction,
) -> Vec<(&'static str, String)> {
    if *action != DeviceAction::Test {
        return Vec::new();
    }
    match health_of(device) {
        Ok(health) => {
            let mut rows = life_rows(&health, options.planned_write_bytes);
            if options.planned_writing_s.is_some()
                && let Some((name, share)) = rows.get_mut(1)
                && *name == LIFE
            {
                share.push_str("; more for the other writes");
            }
            rows
        }
        Err(why) => vec![("wear so far", format!("unknown: {why}"))],
    }
}

/// Health that a device reports, or the reason why it is unknown.
pub(crate) fn health_of(device: &Device) -> Result<Health, String> {
    let answer = smartctl::answer(&Path::new("/dev").join(device.disk_name()));
    let answer = answer.map_err(|why| why.to_string())?;
    Ok(health::of_document(&answer.document))
}

/// No drive reports how many bytes it is rated for. The only estimate comes from the share of its
/// life that the bytes written so far have used.
fn life_rows(health: &Health, planned_write_bytes: Option<u64>) -> Vec<(&'static str, String)> {
    let mut rows = vec![(
        "wear so far",
        match health.used_percent {
            Some(percent) => format!("{percent} % of its rated life, as it says itself"),
            None => "unknown: the drive does not say".to_owned(),
        },
    )];
    let Some(planned) = planned_write_bytes else {
        return rows;
    };
    rows.push((
        LIFE,
        match life_percent(health, planned) {
            Some((percent, written)) => format!(
                "about {percent:.2} %, if it wears as it did by the {} that were written so far",
                in_both_units(written)
            ),
            None => format!("unknown: {RATING_UNKNOWN}"),
        },
    ));
    rows
}

/// Reason why the share of its life for which a drive has been written is unknown.
pub const RATING_UNKNOWN: &str =
    "drives do not report what they are rated for; see its data sheet (TBW)";

/// Share of a drive's life that `written_bytes` use, in percent, if it continues to wear as before,
/// and the bytes written to it so far. `None` if the drive does not report both, or has used less
/// than 2 % of its life: a reported 1 % may be half or twice as much.
pub fn life_percent(health: &Health, written_bytes: u64) -> Option<(f64, u64)> {
    let used = health.used_percent.filter(|used| *used >= 2)?;
    let before = health.host_written_bytes.filter(|bytes| *bytes > 0)?;
    let percent = used as f64 * (written_bytes as f64 / before as f64);
    Some((percent, before))
}

/// Formats a time: `7 h 27 min`; up to two minutes, `12 s`.
fn time_for_people(seconds: f64) -> String {
    if seconds <= 120.0 {
        return format!("{} s", seconds.ceil());
    }
    let minutes = (seconds / 60.0).ceil() as u64;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Table of the data that will be lost.
fn table(root: &SystemRoot, path: &Path, device: &Device, planned: &OpenOptions) -> String {
    let unknown = || "not reported".to_owned();
    let mut rows = vec![
        ("device", path.display().to_string()),
        ("model", device.model.clone().unwrap_or_else(unknown)),
        (
            "serial number",
            device.serial.clone().unwrap_or_else(unknown),
        ),
        ("firmware", device.firmware.clone().unwrap_or_else(unknown)),
        ("size", in_both_units(device.size_bytes)),
    ];
    if let Some(file) = device.disk("loop/backing_file") {
        rows.insert(1, ("backing file", file));
    }
    for below in devices_below(root, device) {
        // Mappings between the two are omitted.
        if below.dir != device.dir && !below.is_made_of_others() {
            rows.push(("stands on", below.in_words()));
        }
    }
    if let Some(bytes) = planned.planned_write_bytes {
        rows.push(("will be written", in_both_units(bytes)));
    }
    if let Some(seconds) = planned.planned_writing_s {
        let text = format!("{} as fast as it takes writes", time_for_people(seconds));
        rows.push(("and besides", text));
    }
    if let Some(seconds) = planned.planned_s {
        let most = planned.planned_write_bytes.filter(|bytes| *bytes > 0);
        let more = most.map_or_else(String::new, |bytes| {
            format!(", and what writing the {} takes", in_both_units(bytes))
        });
        rows.push(("time", time_for_people(seconds) + &more));
    }
    rows.iter().map(|(name, value)| row(name, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::{Recorded, says};

    fn answer(token: Option<&str>) -> Result<(), String> {
        let options = OpenOptions {
            destroy: token.map(str::to_owned).into_iter().collect(),
            planned_write_bytes: Some(1_200_000_000_000),
            planned_writing_s: Some(26_800.0),
            planned_s: Some(100_800.0),
            ..OpenOptions::default()
        };
        consented(&options, &DeviceAction::Test)
    }

    fn consented(options: &OpenOptions, action: &DeviceAction) -> Result<(), String> {
        let system = Recorded::sata();
        let device = system.device("8:0");
        let path = Path::new("/dev/sda");
        consent(&system.root, path, &device, options, action).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_typed_must_be_the_serial_number_to_the_letter() {
        let typed = |ask: fn(&str) -> Option<String>, given: Option<&str>| {
            let options = OpenOptions {
                destroy: given.map(str::to_owned).into_iter().collect(),
                ask: Some(ask),
                ..OpenOptions::default()
            };
            consented(&options, &DeviceAction::Test)
        };
        let right = |question: &str| {
            for part in [
                "destroys everything",
                "240.1 GB",
                "type the device's serial number",
            ] {
                says(question, part);
            }
            Some("142207A1B2C3".to_owned())
        };
        assert_eq!(typed(right, None), Ok(()));
        let wrongs: [fn(&str) -> Option<String>; 4] = [
            |_| Some("142207a1b2c3".to_owned()),
            |_| Some("142207A1B2C3 ".to_owned()),
            |_| Some(String::new()),
            |_| None,
        ];
        for wrong in wrongs {
            says(typed(wrong, None).unwrap_err(), "nothing is touched");
        }
        let never = |_: &str| panic!("a wrong option leads to no prompt");
        says(
            typed(never, Some("142207")).unwrap_err(),
            "does not name it",
        );
    }

    #[test]
    fn the_drives_below_a_mapping_are_named() {
        let system = Recorded::nvme();
        let device = system.device("253:0");
        let options = OpenOptions::default();
        let path = Path::new("/dev/mapper/vg0-root");
        let refused = consent(&system.root, path, &device, &options, &DeviceAction::Test);
        let text = refused.unwrap_err().to_string();
        let below = "/dev/nvme0n1p2: Samsung SSD 960 PRO 1TB, serial number S3EVNX0J500123A";
        says(&text, below);
        says(&text, "--destroy dm:vg0-root");
    }

    #[test]
    fn a_namespace_erased_with_another_is_named_by_its_device() {
        let system = Recorded::nvme();
        let other = system.device("259:0");
        let action = DeviceAction::Erase {
            how: "Sanitize".to_owned(),
            time: String::new(),
            also: Vec::new(),
        };
        let named = |names: &[&str]| {
            let options = OpenOptions {
                destroy: names.iter().map(|name| (*name).to_owned()).collect(),
                ..OpenOptions::default()
            };
            consent_with(&system.root, &other, &options, &action)
        };
        // The serial number is also that of the other namespace.
        let error = named(&["S3EVNX0J500123A"]).unwrap_err();
        for part in [
            "/dev/nvme0n1: erasing destroys everything on this namespace",
            "1000.2 GB",
            "--destroy device:nvme0n1",
        ] {
            says(&error, part);
        }
        named(&["S3EVNX0J500123A", "device:nvme0n1"]).unwrap();
    }

    #[test]
    fn each_action_says_what_it_destroys() {
        let trim = DeviceAction::Trim {
            offset_bytes: 4096,
            len_bytes: 8192,
        };
        let erase = DeviceAction::Erase {
            how: "ATA security erase".to_owned(),
            time: "the drive says 2 min".to_owned(),
            also: vec!["/dev/nvme0n2: X".to_owned()],
        };
        for (action, parts) in [
            (trim, ["TRIM destroys", "8192 bytes from 4096 on"].to_vec()),
            (
                erase,
                vec![
                    "erasing destroys everything",
                    "the drive says 2 min",
                    "also erased     /dev/nvme0n2: X",
                ],
            ),
        ] {
            let text = consented(&OpenOptions::default(), &action).unwrap_err();
            for part in parts {
                says(&text, part);
            }
            assert!(!text.contains("wear"), "{text}");
        }
    }

    #[test]
    fn the_share_of_the_life_is_told_as_far_as_it_is_known() {
        let text = |used_percent, host_written_bytes, planned| {
            let health = Health {
                used_percent,
                host_written_bytes,
                ..Health::default()
            };
            let rows = life_rows(&health, planned);
            rows.iter()
                .map(|(name, value)| row(name, value))
                .collect::<String>()
        };
        let known = text(Some(12), Some(60_000_000_000_000), Some(1_000_000_000_000));
        says(&known, "12 % of its rated life");
        says(&known, "about 0.20 %");
        for unknown in [
            text(None, Some(1), Some(1)),
            text(Some(1), Some(1_000_000), Some(1)),
            text(Some(12), None, Some(1)),
            text(Some(12), Some(0), Some(1)),
        ] {
            says(&unknown, "of its life     unknown");
        }
        assert!(!text(Some(3), None, None).contains("of its life "));
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
            "time            28 h, and what writing the 1200.0 GB (1117.6 GiB) takes",
            "--destroy 142207A1B2C3",
        ] {
            says(&text, part);
        }
        says(
            answer(Some("S3EVNX0J500123A")).unwrap_err(),
            "--destroy S3EVNX0J500123A does not name it",
        );
    }
}
