//! Controllers and namespaces of an NVM subsystem, from sysfs.
//!
//! A namespace is a child of its controller (`nvme0/nvme0n1`) or, if the kernel chooses between
//! several controllers, of their subsystem (`nvme-subsys0/nvme0n1`), which has a link to each of
//! them.

use std::path::PathBuf;

use crate::probe::device::Device;
use crate::probe::system::{SystemRoot, names_in};

/// True for a controller's name, `nvme0`.
fn is_controller(name: &str) -> bool {
    let number = name.strip_prefix("nvme").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for a namespace's name, `nvme0n1`. A path to it through one of several controllers,
/// `nvme0c1n1`, has no node.
fn is_namespace(name: &str) -> bool {
    name.rsplit_once('n').is_some_and(|(controller, number)| {
        is_controller(controller) && number.parse::<u32>().is_ok()
    })
}

/// Folders in sysfs of the controllers that serve a namespace or its partition; none for other
/// devices.
pub(crate) fn controllers(device: &Device) -> Vec<PathBuf> {
    let Some(above) = device.disk_dir.parent() else {
        return Vec::new();
    };
    let own = above.file_name().unwrap_or_default().to_string_lossy();
    if !is_namespace(&device.disk_name()) {
        return Vec::new();
    }
    if is_controller(&own) {
        return vec![above.to_path_buf()];
    }
    let names = names_in(above).into_iter();
    names
        .filter(|name| is_controller(name))
        .map(|name| above.join(name))
        .collect()
}

/// Every namespace of the same NVM subsystem that has a node, including the device's own disk, in
/// the order of their names. Without native multipathing a namespace has a node for each of its
/// controllers.
pub(crate) fn namespaces(root: &SystemRoot, device: &Device) -> Vec<Device> {
    let own = controllers(device);
    let mut folders = own.clone();
    let subsystems = root.path("sys/class/nvme-subsystem");
    for subsystem in names_in(&subsystems) {
        let subsystem = subsystems.join(subsystem);
        let names = names_in(&subsystem);
        let controllers: Vec<&String> = names.iter().filter(|name| is_controller(name)).collect();
        let serves = |name: &&String| own.iter().any(|dir| dir.ends_with(name.as_str()));
        if controllers.iter().any(serves) {
            folders.extend(controllers.iter().map(|name| subsystem.join(name)));
            folders.push(subsystem);
        }
    }
    folders.extend(device.disk_dir.parent().map(PathBuf::from));
    let nodes = folders.iter().flat_map(|folder| {
        let names = names_in(folder).into_iter();
        names
            .filter(|name| is_namespace(name))
            .map(|name| folder.join(name))
    });
    let mut found: Vec<Device> = nodes.filter_map(|dir| Device::at(root, &dir)).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::probe::recorded::Recorded;

    fn names(devices: &[Device]) -> Vec<&str> {
        devices.iter().map(|device| device.name.as_str()).collect()
    }

    #[test]
    fn the_controllers_of_a_namespace() {
        let system = Recorded::sata();
        let of = |number: &str| -> Vec<String> {
            let dirs = controllers(&system.device(number));
            let name = |dir: &PathBuf| dir.file_name().unwrap().to_string_lossy().into_owned();
            dirs.iter().map(name).collect()
        };
        assert_eq!(of("259:0"), ["nvme0"]);
        assert_eq!(of("259:1"), ["nvme0"]);
        assert_eq!(of("8:0"), [""; 0]);
        assert_eq!(of("253:0"), [""; 0]);
    }

    #[test]
    fn all_namespaces_of_a_subsystem_by_all_its_controllers() {
        let system = Recorded::nvme();
        let found = |number| namespaces(&system.root, &system.device(number));
        assert_eq!(names(&found("259:0")), ["nvme0n1"]);
        let first = "devices/pci0000:00/0000:01:00.0/nvme/nvme0";
        let second = "devices/pci0000:00/0000:02:00.0/nvme/nvme1";
        let other = "devices/pci0000:00/0000:03:00.0/nvme/nvme2";
        system.disk(&format!("{first}/nvme0n2"), "259:9", 2048);
        system.disk(&format!("{second}/nvme1n1"), "259:10", 2048);
        system.disk(&format!("{second}/nvme0c1n3"), "259:11", 2048);
        system.disk(&format!("{other}/nvme2n1"), "259:12", 2048);
        assert_eq!(names(&found("259:0")), ["nvme0n1", "nvme0n2"]);
        let subsystem = "devices/virtual/nvme-subsystem/nvme-subsys0";
        system.disk(&format!("{subsystem}/nvme0n3"), "259:13", 2048);
        let classes = system.path("sys/class/nvme-subsystem");
        fs::create_dir_all(&classes).unwrap();
        symlink(
            system.path(&format!("sys/{subsystem}")),
            classes.join("nvme-subsys0"),
        )
        .unwrap();
        for controller in [first, second] {
            let name = controller.rsplit('/').next().unwrap();
            let link = system.path(&format!("sys/{subsystem}/{name}"));
            symlink(system.path(&format!("sys/{controller}")), link).unwrap();
        }
        let all = ["nvme0n1", "nvme0n2", "nvme0n3", "nvme1n1"];
        assert_eq!(names(&found("259:0")), all);
        assert_eq!(names(&found("259:2")), all, "of a partition");
        assert_eq!(names(&found("259:13")), all);
        assert_eq!(names(&found("259:12")), ["nvme2n1"]);
    }
}
