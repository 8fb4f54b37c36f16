//! NVMe drives, by `nvme` (nvme-cli). Source: NVM Express base specification 1.4, Identify
//! Controller, Format NVM and Sanitize; nvme-format(1), nvme-sanitize(1), nvme-sanitize-log(1) 2.3.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::commands::{
    Command, EraseMethod, Plan, Program, Progress, Tools, Waiting, failure, not_switched, reported,
};
use crate::probe::device::Device;
use crate::probe::nvme_tree::{controllers, namespaces};
use crate::probe::system::SystemRoot;
use crate::process::tools::ToolOutput;
use stend_load::target::TargetError;

const NVME: Program = Program {
    name: "nvme",
    package: "nvme-cli",
};

/// Time limit of the command, ms: a day. nvme's default of ten minutes is too short for large
/// drives that erase every block.
const TIMEOUT_MS: &str = "--timeout=86400000";

/// True if the kernel's NVMe driver serves the device.
pub(super) fn is(device: &Device) -> bool {
    device.disk_name().starts_with("nvme")
}

fn identify(tools: &Tools, node: &Path) -> Result<Value, TargetError> {
    let args = ["id-ctrl", &node.to_string_lossy(), "--output-format=json"];
    let said = tools.succeed(NVME, &args, node, "asking the controller what it can do")?;
    answer(&said, node)
}

/// Parses nvme's JSON.
fn answer(said: &ToolOutput, node: &Path) -> Result<Value, TargetError> {
    serde_json::from_str(&said.stdout)
        .map_err(|error| failure(node, &format!("reading nvme's answer ({error})"), said))
}

/// A field of bits. A missing field is an error, because 0 would mean "not supported".
fn bits(identity: &Value, name: &str, node: &Path) -> Result<u64, TargetError> {
    identity[name].as_u64().ok_or_else(|| {
        TargetError::Failed(format!(
            "{}: nvme does not report the controller's `{name}`; is it of another version?",
            node.display()
        ))
    })
}

/// Erase commands that a controller reports, from the fields OACS, FNA and SANICAP of its identity
/// (NVM Express base specification 1.4, figure 247).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Abilities {
    format: bool,
    format_crypto: bool,
    /// Format NVM affects all namespaces.
    format_all: bool,
    sanitize_crypto: bool,
    sanitize_block: bool,
    sanitize_overwrite: bool,
    /// It lists namespaces that are not attached to any controller.
    manages_namespaces: bool,
}

impl Abilities {
    fn of(identity: &Value, node: &Path) -> Result<Abilities, TargetError> {
        let oacs = bits(identity, "oacs", node)?;
        let fna = bits(identity, "fna", node)?;
        // The field does not exist before version 1.3.
        let sanicap = identity["sanicap"].as_u64().unwrap_or(0);
        let format = oacs & 0b10 != 0;
        Ok(Abilities {
            format,
            format_crypto: format && fna & 0b100 != 0,
            format_all: fna & 0b11 != 0,
            sanitize_crypto: sanicap & 0b001 != 0,
            sanitize_block: sanicap & 0b010 != 0,
            sanitize_overwrite: sanicap & 0b100 != 0,
            manages_namespaces: oacs & 0b1000 != 0,
        })
    }

    /// The requested command, if the controller supports it.
    fn command(self, method: EraseMethod, device: &Device) -> Option<Command> {
        let EraseMethod { crypto, sanitize } = method;
        let by_format = match crypto {
            true => self.format_crypto,
            false => self.format,
        };
        let by_sanitize = match crypto {
            true => self.sanitize_crypto,
            false => self.sanitize_block && sanitize,
        };
        match (sanitize, by_format, by_sanitize) {
            (false, true, _) => Some(Command::Format { crypto }),
            (_, _, true) => Some(Command::NvmeSanitize {
                crypto,
                controller: controller(device),
            }),
            _ => None,
        }
    }

    /// Describes the commands that the controller reports, and the remedy.
    fn refusal(self, method: EraseMethod, node: &Path) -> String {
        let reported = reported(&[
            (self.format, "Format NVM of user data (no option)"),
            (self.format_crypto, "Format NVM of the key (--crypto)"),
            (self.sanitize_block, "sanitize of all blocks (--sanitize)"),
            (
                self.sanitize_crypto,
                "sanitize of the key (--sanitize --crypto)",
            ),
            (
                self.sanitize_overwrite,
                "sanitize by overwriting, which wears the flash and which stend does not offer",
            ),
        ]);
        let asked = match method {
            EraseMethod {
                sanitize: true,
                crypto: true,
            } => "sanitize of the key",
            EraseMethod {
                sanitize: true,
                crypto: false,
            } => "sanitize of all blocks",
            EraseMethod { crypto: true, .. } => "cryptographic erase",
            _ => "Format NVM command",
        };
        let has = match reported.is_empty() {
            true => "it reports no other way to erase itself either".to_owned(),
            false => format!("it reports: {}", reported),
        };
        format!(
            "{}: the controller reports no {asked}; {has}. `stend drive trim` empties what takes \
             TRIM",
            node.display()
        )
    }
}

/// Chooses the command with which a drive erases itself.
pub(super) fn plan(
    tools: &Tools,
    root: &SystemRoot,
    device: &Device,
    node: &Path,
    method: EraseMethod,
) -> Result<Plan, TargetError> {
    let able = Abilities::of(&identify(tools, node)?, node)?;
    let command = able
        .command(method, device)
        .ok_or_else(|| TargetError::Input(able.refusal(method, node)))?;
    let others = other_namespaces(root, device);
    match &command {
        Command::NvmeSanitize { crypto, controller } => {
            let (crypto, controller) = (*crypto, controller.clone());
            if able.manages_namespaces {
                check_unattached(tools, &controller, device, &others)?;
            }
            let log = SanitizeLog::ask(tools, &controller);
            if let Some(percent) = log.as_ref().ok().and_then(SanitizeLog::running) {
                return Err(TargetError::Refused(format!(
                    "{}: a sanitize is under way in the drive already, {percent:.0} % done: wait \
                     for its end",
                    node.display()
                )));
            }
            let what = match crypto {
                true => "the key of all data of the NVM subsystem, by Sanitize (crypto erase)",
                false => "all blocks of the NVM subsystem, by Sanitize (block erase)",
            };
            let time = log.ok().and_then(|log| log.time(crypto));
            let time =
                time.unwrap_or_else(|| "the drive does not say; seconds to hours".to_owned());
            Ok(Plan {
                also: others,
                ..Plan::alone(command, what, time)
            })
        }
        _ => {
            if able.format_all && !others.is_empty() {
                let names: Vec<&str> = others.iter().map(|other| other.name.as_str()).collect();
                return Err(TargetError::Refused(format!(
                    "{}: the drive erases all of its namespaces at once, and there is also {}; \
                     delete what is not needed first (nvme delete-ns)",
                    node.display(),
                    names.join(", ")
                )));
            }
            let what = match method.crypto {
                true => "the key of all data (--ses=2)",
                false => "all user data (--ses=1)",
            };
            let time = "NVMe drives do not say; seconds to hours";
            Ok(Plan::alone(command, format!("{what}, by Format NVM"), time))
        }
    }
}

/// Other namespaces of the same NVM subsystem, each by one of its nodes.
fn other_namespaces(root: &SystemRoot, device: &Device) -> Vec<Device> {
    let id = |device: &Device| device.disk("wwid");
    let mut ids = vec![id(device)];
    let mut others = namespaces(root, device);
    others.retain(|other| {
        let own = other.dir == device.disk_dir;
        let known = id(other).is_some() && ids.contains(&id(other));
        ids.push(id(other));
        !own && !known
    });
    others
}

/// Refuses a sanitize that would also erase a namespace without a node on this machine.
fn check_unattached(
    tools: &Tools,
    controller: &Path,
    device: &Device,
    others: &[Device],
) -> Result<(), TargetError> {
    let path = controller.to_string_lossy();
    let args = ["list-ns", &path, "--all", "--output-format=json"];
    let said = tools.succeed(NVME, &args, controller, "asking for all namespaces")?;
    let answer = answer(&said, controller)?;
    let listed = answer["nsid_list"].as_array().into_iter().flatten();
    let number = |device: &Device| device.disk("nsid")?.parse::<u64>().ok();
    let seen: Vec<u64> = others.iter().chain([device]).filter_map(number).collect();
    let unseen: Vec<String> = listed
        .filter_map(|entry| entry["nsid"].as_u64().or_else(|| entry["NSID"].as_u64()))
        .filter(|nsid| !seen.contains(nsid))
        .map(|nsid| nsid.to_string())
        .collect();
    if unseen.is_empty() {
        return Ok(());
    }
    Err(TargetError::Refused(format!(
        "{path}: a sanitize erases all namespaces of the drive, and it also has {} (namespace \
         identifier), which this machine has no device of, so that nothing tells whether it is in \
         use: attach it (nvme attach-ns), or delete it (nvme delete-ns)",
        unseen.join(", ")
    )))
}

/// Formats the namespace, keeping its block size.
pub(super) fn format(tools: &Tools, node: &Path, crypto: bool) -> Result<(), TargetError> {
    let ses = if crypto { "--ses=2" } else { "--ses=1" };
    // nvme's own exclusive open is skipped, because this process already holds the device.
    let args = [
        "format",
        &node.to_string_lossy(),
        ses,
        "--force",
        TIMEOUT_MS,
    ];
    tools.succeed(NVME, &args, node, "the erase").map(drop)
}

/// Sanitizes the drive, and waits for the end.
pub(super) fn sanitize(
    tools: &Tools,
    controller: &Path,
    crypto: bool,
    waiting: &Waiting<'_>,
) -> Result<(), TargetError> {
    // Start Crypto Erase, Start Block Erase.
    let action = if crypto { "--sanact=4" } else { "--sanact=2" };
    let args = ["sanitize", &controller.to_string_lossy(), action];
    tools.succeed(NVME, &args, controller, "starting the sanitize")?;
    waiting.end_of_sanitize(controller, || {
        Ok(SanitizeLog::ask(tools, controller)?.progress())
    })
}

/// The sanitize status log (NVM Express base specification 1.4, 5.14.1.16.2).
struct SanitizeLog(Value);

impl SanitizeLog {
    fn ask(tools: &Tools, controller: &Path) -> Result<SanitizeLog, TargetError> {
        let path = controller.to_string_lossy();
        let args = ["sanitize-log", &path, "--output-format=json"];
        let said = tools.succeed(NVME, &args, controller, "reading the sanitize log")?;
        let answer = answer(&said, controller)?;
        // The log is stored under the name of the device.
        let log = match &answer["sstat"] {
            Value::Null => answer
                .as_object()
                .and_then(|keys| keys.values().next())
                .cloned(),
            _ => Some(answer),
        };
        let log = SanitizeLog(log.unwrap_or_default());
        match log.status() {
            Some(_) => Ok(log),
            None => Err(failure(controller, "understanding the sanitize log", &said)),
        }
    }

    /// The lowest three bits of SSTAT. nvme prints the number, or an object with a text such as
    /// `(2) Sanitize in Progress.`; some versions use that text as the key.
    fn status(&self) -> Option<u64> {
        let sstat = &self.0["sstat"];
        if let Some(number) = sstat.as_u64() {
            return Some(number & 0b111);
        }
        let mut texts = sstat.as_object()?.values().filter_map(Value::as_str);
        texts.find_map(|text| text.strip_prefix('(')?.split_once(')')?.0.parse().ok())
    }

    fn percent(&self) -> f64 {
        let parts = self.0["sprog"].as_u64().unwrap_or(0).min(65_536);
        100.0 * parts as f64 / 65_536.0
    }

    fn running(&self) -> Option<f64> {
        (self.status() == Some(2)).then(|| self.percent())
    }

    fn progress(&self) -> Progress {
        match self.status() {
            Some(1 | 4) => Progress::Done,
            Some(2) => Progress::Running(self.percent()),
            Some(3) => Progress::Failed("failed, as the drive's log says".to_owned()),
            _ => {
                Progress::Failed("is not in the drive's log, though it took the command".to_owned())
            }
        }
    }

    /// Duration that the drive estimates; all ones mean that it reports none.
    fn time(&self, crypto: bool) -> Option<String> {
        let key = match crypto {
            true => "time_crypto_erase",
            false => "time_block_erase",
        };
        let seconds = self.0[key].as_u64()?;
        (seconds != u64::from(u32::MAX)).then(|| format!("the drive estimates {seconds} s"))
    }
}

/// Node of the first controller that serves a namespace: `/dev/nvme0` for `nvme0n1`. The write
/// cache belongs to the controller, which rejects the feature for a namespace.
pub(super) fn controller(device: &Device) -> PathBuf {
    let first = controllers(device).into_iter().next();
    let name = first.and_then(|dir| Some(dir.file_name()?.to_owned()));
    Path::new("/dev").join(name.unwrap_or_else(|| device.disk_name().into()))
}

/// Switches the cache (feature 6), and reads its state back; `node` is that of the [`controller`].
pub(super) fn set_write_cache(tools: &Tools, node: &Path, on: bool) -> Result<(), TargetError> {
    if bits(&identify(tools, node)?, "vwc", node)? & 1 == 0 {
        return Err(TargetError::Input(format!(
            "{}: the drive has no volatile write cache",
            node.display()
        )));
    }
    let path = node.to_string_lossy();
    let value = if on { "--value=1" } else { "--value=0" };
    let set = ["set-feature", &path, "--feature-id=6", value];
    tools.succeed(NVME, &set, node, "switching the write cache")?;
    let get = ["get-feature", &path, "--feature-id=6"];
    let said = tools.run(NVME, &get)?;
    match feature(&said.stdout) {
        Some(value) if value & 1 == u64::from(on) => Ok(()),
        _ => Err(not_switched(node, on)),
    }
}

/// Parses `get-feature:0x06 (Volatile Write Cache), Current value:0x00000001`; some versions omit
/// the `0x`.
fn feature(text: &str) -> Option<u64> {
    let (_, value) = text.split_once("Current value:")?;
    let word = value.split_whitespace().next()?;
    u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::Duration;

    use super::super::commands::fake::{
        CRYPTO, FakeTool, HURRIED, PLAIN, SANITIZE, SANITIZE_CRYPTO,
    };
    use super::*;
    use crate::probe::recorded::{Recorded, says};

    /// The log as nvme-cli 2.3 prints it.
    fn log(status: &str, sprog: u32) -> String {
        format!(
            "{{ \"nvme0\": {{ \"sprog\": {sprog}, \"sstat\": {{ \"global_erased\": 0, \
             \"no_cmplted_passes\": 0, \"status\": \"{status}\" }}, \"cdw10_info\": 2, \
             \"time_over_write\": 4294967295, \"time_block_erase\": 90, \
             \"time_crypto_erase\": 4294967295 }} }}"
        )
    }

    const NEVER: &str = "(0) NVM Subsystem has never been sanitized.";
    const DONE: &str = "(1) Most Recent Sanitize Command Completed Successfully.";
    const RUNNING: &str = "(2) Sanitize in Progress.";
    const FAILED: &str = "(3) Most Recent Sanitize Command Failed.";

    fn fake_with(oacs: u64, fna: u64, sanicap: u64, log: &str) -> FakeTool {
        FakeTool::new(
            "nvme",
            &format!(
                "case \"$1\" in\n\
                 id-ctrl) echo '{{ \"oacs\": {oacs}, \"fna\": {fna}, \"vwc\": 1, \
                 \"sanicap\": {sanicap} }}' ;;\n\
                 list-ns) cat $dir/namespaces ;;\n\
                 format) echo 'Success formatting namespace:1' ;;\n\
                 sanitize-log) {log} ;;\n\
                 esac"
            ),
        )
    }

    fn fake(oacs: u64, fna: u64, sanicap: u64) -> FakeTool {
        fake_with(oacs, fna, sanicap, &format!("echo '{}'", log(NEVER, 0)))
    }

    fn planned(nvme: &FakeTool, system: &Recorded, how: EraseMethod) -> Result<Plan, TargetError> {
        let device = system.device("259:0");
        plan(&nvme.tools, &system.root, &device, &nvme.node(), how)
    }

    fn planned_words(nvme: &FakeTool, how: EraseMethod) -> String {
        planned(nvme, &Recorded::nvme(), how).unwrap().erasing.how
    }

    #[test]
    fn user_data_or_the_key() {
        let system = Recorded::nvme();
        assert!(is(&system.device("259:0")) && !is(&Recorded::sata().device("8:0")));
        let nvme = fake(0x07, 0b100, 0);
        let node = nvme.node();
        says(planned_words(&nvme, PLAIN), "--ses=1");
        says(planned_words(&nvme, CRYPTO), "--ses=2");
        format(&nvme.tools, &node, false).unwrap();
        format(&nvme.tools, &node, true).unwrap();
        assert_eq!(
            nvme.calls()[2..],
            [
                "format /dev/sdz --ses=1 --force --timeout=86400000",
                "format /dev/sdz --ses=2 --force --timeout=86400000",
            ]
        );
    }

    #[test]
    fn what_the_controller_reports_decides_the_command() {
        let command = |oacs, fna, sanicap, how| {
            let plan = planned(&fake(oacs, fna, sanicap), &Recorded::nvme(), how);
            plan.map(|plan| plan.command)
        };
        let sanitize = |crypto| Command::NvmeSanitize {
            crypto,
            controller: "/dev/nvme0".into(),
        };
        // The key is discarded by the command that affects one namespace, if it is supported.
        let key = command(0x02, 0b100, 0b001, CRYPTO).unwrap();
        assert_eq!(key, Command::Format { crypto: true });
        assert_eq!(command(0x02, 0, 0b001, CRYPTO).unwrap(), sanitize(true));
        assert_eq!(command(0, 0b100, 0b001, CRYPTO).unwrap(), sanitize(true));
        let all = command(0x02, 0b100, 0b011, SANITIZE_CRYPTO).unwrap();
        assert_eq!(all, sanitize(true));
        let all = command(0x02, 0b100, 0b011, SANITIZE).unwrap();
        assert_eq!(all, sanitize(false));
        for (oacs, fna, sanicap, how, parts) in [
            (0x05, 0b100, 0, PLAIN, ["no Format NVM", "no other way"]),
            (0x05, 0, 0b010, PLAIN, ["no Format NVM", "(--sanitize)"]),
            (
                0x02,
                0,
                0b010,
                CRYPTO,
                ["no cryptographic erase", "of user data"],
            ),
            (
                0x02,
                0,
                0b101,
                SANITIZE,
                ["no sanitize of all blocks", "--crypto"],
            ),
            (
                0x02,
                0,
                0b110,
                SANITIZE_CRYPTO,
                ["no sanitize of the key", "overwriting"],
            ),
        ] {
            let nvme = fake(oacs, fna, sanicap);
            let error = planned(&nvme, &Recorded::nvme(), how).unwrap_err();
            assert!(matches!(error, TargetError::Input(_)), "{error}");
            for part in parts {
                says(&error, part);
            }
            assert_eq!(nvme.calls().len(), 1, "nothing but a question");
        }
    }

    #[test]
    fn a_sanitize_is_waited_for_to_its_end() {
        // In progress twice, and one query without an answer.
        let states = format!(
            "n=$(grep -c sanitize-log $calls); case $n in 1) echo '{}' ;; 2) exit 1 ;; \
             3) echo '{}' ;; *) echo '{}' ;; esac",
            log(RUNNING, 16_384),
            log(RUNNING, 49_152),
            log(DONE, 65_535)
        );
        let nvme = fake_with(0, 0, 0b011, &states);
        let told = RefCell::new(Vec::new());
        let waiting = Waiting {
            every: Duration::ZERO,
            tell: &|percent| told.borrow_mut().push(percent),
        };
        let controller = Path::new("/dev/nvme0");
        sanitize(&nvme.tools, controller, false, &waiting).unwrap();
        assert_eq!(*told.borrow(), [25.0, 75.0]);
        let calls = nvme.calls();
        assert_eq!(calls[0], "sanitize /dev/nvme0 --sanact=2");
        assert_eq!(calls[1], "sanitize-log /dev/nvme0 --output-format=json");
        assert_eq!(calls.len(), 5);
        sanitize(&nvme.tools, controller, true, &HURRIED).unwrap();
        assert_eq!(nvme.calls()[5], "sanitize /dev/nvme0 --sanact=4");
    }

    #[test]
    fn a_sanitize_that_did_not_succeed_is_an_error() {
        let ended = |states: &str| {
            let nvme = fake_with(0, 0, 0b011, states);
            let controller = Path::new("/dev/nvme0");
            sanitize(&nvme.tools, controller, false, &HURRIED).unwrap_err()
        };
        says(ended(&format!("echo '{}'", log(FAILED, 65_535))), "failed");
        let never = format!("echo '{}'", log(NEVER, 65_535));
        says(ended(&never), "not in the drive's log");
        says(ended("echo Busy >&2; exit 1"), "its progress is unknown");
        says(ended("echo '{}'"), "its progress is unknown");
        let refused = FakeTool::new("nvme", "echo NVMe status: Access Denied; exit 1");
        let error = sanitize(&refused.tools, &refused.node(), true, &HURRIED).unwrap_err();
        says(&error, "Access Denied");
        assert_eq!(refused.calls().len(), 1);
    }

    #[test]
    fn logs_of_other_versions_of_nvme() {
        for (sstat, status) in [
            ("258", Some(2)),
            (
                "{ \"(2) Sanitize in Progress.\": \"(2) Sanitize in Progress.\" }",
                Some(2),
            ),
            (
                "{ \"global_erased\": 1, \"status\": \"(4) Completed.\" }",
                Some(4),
            ),
            ("{ \"global_erased\": 1 }", None),
            ("\"2\"", None),
        ] {
            let value = format!("{{ \"sprog\": 1, \"sstat\": {sstat} }}");
            let log = SanitizeLog(serde_json::from_str(&value).unwrap());
            assert_eq!(log.status(), status, "{sstat}");
        }
    }

    #[test]
    fn a_sanitize_says_its_time_and_waits_for_no_other() {
        let system = Recorded::nvme();
        let plan = planned(&fake(0, 0, 0b011), &system, SANITIZE).unwrap();
        assert_eq!(plan.erasing.time, "the drive estimates 90 s");
        let plan = planned(&fake(0, 0, 0b011), &system, CRYPTO).unwrap();
        says(plan.erasing.time, "does not say");
        let log = format!("echo '{}'", log(RUNNING, 32_768));
        let error = planned(&fake_with(0, 0, 0b011, &log), &system, SANITIZE).unwrap_err();
        assert!(matches!(error, TargetError::Refused(_)));
        says(&error, "under way in the drive already, 50 % done");
    }

    #[test]
    fn other_namespaces_are_erased_by_a_sanitize_and_refuse_a_format_of_all() {
        let system = Recorded::nvme();
        let folder = "devices/pci0000:00/0000:01:00.0/nvme/nvme0";
        planned(&fake(0x02, 0b11, 0), &system, PLAIN).unwrap();
        system.disk(&format!("{folder}/nvme0n2"), "259:9", 2048);
        planned(&fake(0x02, 0, 0), &system, PLAIN).unwrap();
        for all in [0b01, 0b10] {
            let error = planned(&fake(0x02, all, 0), &system, PLAIN).unwrap_err();
            assert!(matches!(&error, TargetError::Refused(text) if text.contains("nvme0n2")));
        }
        let also = |nvme: &FakeTool| -> Result<Vec<String>, TargetError> {
            let plan = planned(nvme, &system, SANITIZE)?;
            Ok(plan.also.into_iter().map(|device| device.name).collect())
        };
        assert_eq!(also(&fake(0, 0, 0b010)).unwrap(), ["nvme0n2"]);
        // Another node of the same namespace is not a separate namespace.
        system.disk(&format!("{folder}/nvme0n3"), "259:10", 2048);
        for (namespace, id) in [
            ("nvme0n1", "eui.1"),
            ("nvme0n2", "eui.2"),
            ("nvme0n3", "eui.2"),
        ] {
            system.write(&format!("sys/{folder}/{namespace}/wwid"), id);
            let nsid = &id[4..];
            system.write(&format!("sys/{folder}/{namespace}/nsid"), nsid);
        }
        assert_eq!(also(&fake(0, 0, 0b010)).unwrap(), ["nvme0n2"]);
        // A namespace that is not attached is visible only through controllers that manage
        // namespaces.
        let nvme = fake(0b1000, 0, 0b010);
        nvme.keep("namespaces", "{\"nsid_list\":[{\"nsid\":1},{\"nsid\":2}]}");
        assert_eq!(also(&nvme).unwrap(), ["nvme0n2"]);
        nvme.keep(
            "namespaces",
            "{\"nsid_list\":[{\"nsid\":1},{\"nsid\":2},{\"nsid\":7}]}",
        );
        let error = also(&nvme).unwrap_err();
        assert!(matches!(error, TargetError::Refused(_)));
        says(&error, "it also has 7");
    }

    #[test]
    fn programs_that_fail_say_nothing_or_are_missing() {
        let system = Recorded::nvme();
        let failing = FakeTool::new("nvme", "echo NVMe status: Access Denied; exit 1");
        let error = format(&failing.tools, &failing.node(), false).unwrap_err();
        says(&error, "Access Denied");
        let silent = FakeTool::new("nvme", "echo '{}'");
        let error = planned(&silent, &system, PLAIN).unwrap_err();
        says(&error, "`oacs`");
        let missing = planned(&FakeTool::new("else", ""), &system, PLAIN).unwrap_err();
        says(&missing, "apt install nvme-cli");
    }

    #[test]
    fn the_controller_of_a_namespace() {
        let system = Recorded::nvme();
        let of = |number: &str| controller(&system.device(number));
        assert_eq!(of("259:0"), Path::new("/dev/nvme0"));
        assert_eq!(of("259:1"), Path::new("/dev/nvme0"));
        // A namespace of two controllers is a child of their subsystem.
        let subsystem = "devices/virtual/nvme-subsystem/nvme-subsys1";
        system.disk(&format!("{subsystem}/nvme1n1"), "259:7", 2048);
        system.write(&format!("sys/{subsystem}/nvme3/model"), "\n");
        assert_eq!(of("259:7"), Path::new("/dev/nvme3"));
    }

    fn with_cache(vwc: u64) -> FakeTool {
        FakeTool::new(
            "nvme",
            &format!(
                "case \"$1\" in\n\
                 id-ctrl) echo '{{ \"vwc\": {vwc} }}' ;;\n\
                 set-feature) echo \"$4\" > $dir/cache ;;\n\
                 get-feature) case \"$(cat $dir/cache)\" in *1) v=1 ;; *) v=0 ;; esac\n\
                 echo \"get-feature:0x06 (Volatile Write Cache), Current value:0x0000000$v\" ;;\n\
                 esac"
            ),
        )
    }

    #[test]
    fn the_write_cache_is_switched_and_read_back() {
        let nvme = with_cache(1);
        let node = nvme.node();
        for on in [false, true] {
            set_write_cache(&nvme.tools, &node, on).unwrap();
        }
        assert_eq!(
            nvme.calls()[1],
            "set-feature /dev/sdz --feature-id=6 --value=0"
        );
        let stubborn = FakeTool::new(
            "nvme",
            "case $1 in id-ctrl) echo '{ \"vwc\": 1 }' ;; *) echo Current value:00000001 ;; esac",
        );
        let error = set_write_cache(&stubborn.tools, &node, false).unwrap_err();
        says(&error, "is not off");
        let none = with_cache(0);
        assert!(set_write_cache(&none.tools, &node, false).is_err());
        assert_eq!(none.calls().len(), 1);
    }
}
