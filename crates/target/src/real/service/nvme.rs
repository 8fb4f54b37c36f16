//! NVMe drives, by `nvme` (nvme-cli). Source: NVM Express base specification 1.4, Identify
//! Controller and Format NVM; nvme-format(1) 2.3.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::tool::{Erasing, Program, Tools, failure, not_switched};
use crate::error::TargetError;
use crate::real::device::Device;
use crate::real::system::{SystemRoot, names_in};

const NVME: Program = Program {
    name: "nvme",
    package: "nvme-cli",
};

/// How long the command may take, ms: a day. nvme's own ten minutes are too few for large
/// drives that erase every block.
const TIMEOUT_MS: &str = "--timeout=86400000";

/// Whether the kernel's NVMe driver serves the device.
pub(super) fn is(device: &Device) -> bool {
    device.disk_name().starts_with("nvme")
}

fn identify(tools: &Tools, node: &Path) -> Result<Value, TargetError> {
    let args = ["id-ctrl", &node.to_string_lossy(), "--output-format=json"];
    let said = tools.succeed(NVME, &args, node, "asking the controller what it can do")?;
    serde_json::from_str(&said.stdout)
        .map_err(|error| failure(node, &format!("reading nvme's answer ({error})"), &said))
}

/// A field of bits. A missing one is an error, since it would be read as "cannot".
fn bits(identity: &Value, name: &str, node: &Path) -> Result<u64, TargetError> {
    identity[name].as_u64().ok_or_else(|| {
        TargetError::Failed(format!(
            "{}: nvme does not report the controller's `{name}`; is it of another version?",
            node.display()
        ))
    })
}

/// Other namespaces of the same controller or subsystem.
fn siblings(root: &SystemRoot, device: &Device) -> Vec<String> {
    let mut names = siblings_by_name(device);
    let subsystem = |device: &Device| device.disk("device/subsysnqn");
    let of = subsystem(device);
    let same = device.other_nodes(root);
    let others = names_in(&root.path("sys/class/block")).into_iter();
    names.extend(others.filter(|name| {
        let dir = root.path("sys/class/block").join(name);
        Device::at(root, &dir).is_some_and(|other| {
            of.is_some()
                && subsystem(&other) == of
                && other.dir == other.disk_dir
                && other.dir != device.disk_dir
                && other.disk("hidden").as_deref() != Some("1")
                && !same.iter().any(|node| node.dir == other.dir)
        })
    }));
    names.sort();
    names.dedup();
    names
}

fn siblings_by_name(device: &Device) -> Vec<String> {
    let name = device.disk_name();
    let Some((controller, _)) = name.rsplit_once('n') else {
        return Vec::new();
    };
    let begin = format!("{controller}n");
    let names = device.disk_dir.parent().map(names_in).unwrap_or_default();
    names
        .into_iter()
        .filter(|other| other.starts_with(&begin) && *other != name)
        .collect()
}

/// Whether and how a drive would erase itself.
pub(super) fn plan(
    tools: &Tools,
    root: &SystemRoot,
    device: &Device,
    node: &Path,
    crypto: bool,
) -> Result<Erasing, TargetError> {
    let of = node.display();
    let identity = identify(tools, node)?;
    if bits(&identity, "oacs", node)? & 0b10 == 0 {
        return Err(TargetError::Input(format!(
            "{of}: the drive has no Format NVM command; `stend drive trim` empties what takes TRIM"
        )));
    }
    let format = bits(&identity, "fna", node)?;
    if crypto && format & 0b100 == 0 {
        return Err(TargetError::Input(format!(
            "{of}: the drive cannot throw its key away; leave --crypto out to erase the user data"
        )));
    }
    let others = siblings(root, device);
    if format & 0b11 != 0 && !others.is_empty() {
        return Err(TargetError::Refused(format!(
            "{of}: the drive erases all of its namespaces at once, and there is also {}; delete \
             what is not needed first (nvme delete-ns)",
            others.join(", ")
        )));
    }
    let what = match crypto {
        true => "the key of all data (--ses=2)",
        false => "all user data (--ses=1)",
    };
    Ok(Erasing {
        how: format!("{what}, by Format NVM"),
        time: "NVMe drives do not say; seconds to hours".to_owned(),
    })
}

/// Formats, with the block size that it has.
pub(super) fn erase(tools: &Tools, node: &Path, crypto: bool) -> Result<(), TargetError> {
    let ses = if crypto { "--ses=2" } else { "--ses=1" };
    // nvme's own exclusive open is skipped: this process holds the device already.
    let args = [
        "format",
        &node.to_string_lossy(),
        ses,
        "--force",
        TIMEOUT_MS,
    ];
    tools.succeed(NVME, &args, node, "the erase").map(drop)
}

/// The node of the controller that serves a namespace: `/dev/nvme0` of `nvme0n1`. The write cache
/// is the controller's, and it refuses the feature of a namespace.
pub(super) fn controller(device: &Device) -> PathBuf {
    let parent = |dir: &Path| dir.parent().map(Path::to_path_buf);
    let is_controller = |name: &str| {
        let number = name.strip_prefix("nvme").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    // Its folder in sysfs is the controller's, or that of a subsystem with its controllers.
    let above = parent(&device.disk_dir).unwrap_or_default();
    let own = above
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let mut names = own.into_iter().chain(names_in(&above));
    let name = names.find(|name| is_controller(name));
    Path::new("/dev").join(name.unwrap_or_else(|| device.disk_name()))
}

/// Switches the cache (feature 6) and reads it back; `node` is that of the [`controller`].
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

/// From `get-feature:0x06 (Volatile Write Cache), Current value:0x00000001`; some versions
/// leave the `0x` out.
fn feature(text: &str) -> Option<u64> {
    let (_, value) = text.split_once("Current value:")?;
    let word = value.split_whitespace().next()?;
    u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::super::tool::fake::FakeTool;
    use super::*;
    use crate::real::recorded::{Recorded, says};

    fn fake(oacs: u64, fna: u64, vwc: u64) -> FakeTool {
        FakeTool::new(
            "nvme",
            &format!(
                "case \"$1\" in\n\
                 id-ctrl) echo '{{ \"oacs\": {oacs}, \"fna\": {fna}, \"vwc\": {vwc} }}' ;;\n\
                 format) echo 'Success formatting namespace:1' ;;\n\
                 set-feature) echo \"$4\" > $dir/cache ;;\n\
                 get-feature) case \"$(cat $dir/cache)\" in *1) v=1 ;; *) v=0 ;; esac\n\
                 echo \"get-feature:0x06 (Volatile Write Cache), Current value:0x0000000$v\" ;;\n\
                 esac"
            ),
        )
    }

    fn planned(nvme: &FakeTool, system: &Recorded, crypto: bool) -> Result<Erasing, TargetError> {
        let device = system.device("259:0");
        plan(&nvme.tools, &system.root, &device, &nvme.node(), crypto)
    }

    #[test]
    fn user_data_or_the_key() {
        let system = Recorded::nvme();
        assert!(is(&system.device("259:0")) && !is(&Recorded::sata().device("8:0")));
        let nvme = fake(0x17, 0b100, 1);
        let node = nvme.node();
        says(planned(&nvme, &system, false).unwrap().how, "--ses=1");
        says(planned(&nvme, &system, true).unwrap().how, "--ses=2");
        erase(&nvme.tools, &node, false).unwrap();
        erase(&nvme.tools, &node, true).unwrap();
        assert_eq!(
            nvme.calls()[2..],
            [
                "format /dev/sdz --ses=1 --force --timeout=86400000",
                "format /dev/sdz --ses=2 --force --timeout=86400000",
            ]
        );
    }

    #[test]
    fn drives_that_cannot_or_must_not() {
        let system = Recorded::nvme();
        let input = |nvme: FakeTool, crypto, part: &str| {
            let error = planned(&nvme, &system, crypto).unwrap_err();
            assert!(
                matches!(&error, TargetError::Input(text) if text.contains(part)),
                "{error}"
            );
            assert_eq!(nvme.calls().len(), 1);
        };
        input(fake(0x15, 0b100, 1), false, "no Format NVM");
        input(fake(0x17, 0, 1), true, "cannot throw its key away");
        planned(&fake(0x17, 0b11, 1), &system, false).unwrap();
        let second = "devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n2";
        system.disk(second, "259:9", 2048);
        planned(&fake(0x17, 0, 1), &system, false).unwrap();
        for format in [0b01, 0b10] {
            let error = planned(&fake(0x17, format, 1), &system, false).unwrap_err();
            assert!(matches!(&error, TargetError::Refused(text) if text.contains("nvme0n2")));
        }
        let failing = FakeTool::new("nvme", "echo NVMe status: Access Denied; exit 1");
        let error = erase(&failing.tools, &failing.node(), false).unwrap_err();
        says(&error, "Access Denied");
        let silent = FakeTool::new("nvme", "echo '{}'");
        let error = planned(&silent, &system, false).unwrap_err();
        says(&error, "`oacs`");
        let missing = planned(&FakeTool::new("else", ""), &system, false).unwrap_err();
        says(&missing, "apt install nvme-cli");
    }

    #[test]
    fn the_controller_of_a_namespace() {
        let system = Recorded::nvme();
        let of = |number: &str| controller(&system.device(number));
        assert_eq!(of("259:0"), Path::new("/dev/nvme0"));
        assert_eq!(of("259:1"), Path::new("/dev/nvme0"));
        // A namespace of two controllers stands below their subsystem.
        let subsystem = "devices/virtual/nvme-subsystem/nvme-subsys1";
        system.disk(&format!("{subsystem}/nvme1n1"), "259:7", 2048);
        system.write(&format!("sys/{subsystem}/nvme3/model"), "\n");
        assert_eq!(of("259:7"), Path::new("/dev/nvme3"));
    }

    #[test]
    fn the_write_cache_is_switched_and_read_back() {
        let nvme = fake(0x17, 0, 1);
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
        let none = fake(0x17, 0, 0);
        assert!(set_write_cache(&none.tools, &node, false).is_err());
        assert_eq!(none.calls().len(), 1);
    }
}
