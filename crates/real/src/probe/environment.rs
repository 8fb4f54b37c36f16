//! The environment of a measurement: kernel, processor, file system.

use std::path::Path;

use stend_language::{Text, recorded};
use stend_record::review::Condition;
use stend_record::size::in_both_units;

use crate::probe::system::{Mount, SystemRoot};

/// Facts about the machine that influence a drive's speed.
pub(crate) fn machine(root: &SystemRoot) -> Vec<Condition> {
    let mut facts = Vec::new();
    if let Some(release) = root.text("proc/sys/kernel/osrelease") {
        facts.push(Condition::new("kernel", format!("Linux {release}")));
    }
    let cpuinfo = root.text("proc/cpuinfo").unwrap_or_default();
    let processor = processor(&cpuinfo).map_or_else(|| recorded!("value-not-reported"), Text::from);
    facts.push(Condition::new("processor", processor));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let cores = cores.to_string();
    facts.push(Condition::new("processor-threads-usable", cores));
    let governor = root.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let governor = governor.map_or_else(|| recorded!("place-value-governor"), Text::from);
    facts.push(Condition::new("frequency-governor", governor));
    facts
}

/// Name of the processor: x86 reports a model, other architectures at best their hardware.
fn processor(cpuinfo: &str) -> Option<String> {
    ["model name", "Model", "Hardware", "cpu model", "cpu"]
        .iter()
        .find_map(|name| {
            cpuinfo
                .lines()
                .filter_map(|line| line.split_once(':'))
                .find(|(key, _)| key.trim() == *name)
                .map(|(_, value)| value.trim().to_owned())
        })
}

/// Used share of a file system, which approximates that of its drive: `37 % of 252.0 GB (234.7
/// GiB)`.
pub(crate) fn filled(path: &Path) -> Option<Condition> {
    let stat = rustix::fs::statvfs(path).ok()?;
    let used = stat.f_blocks.checked_sub(stat.f_bfree)?;
    let percent = (stat.f_blocks > 0).then(|| 100.0 * used as f64 / stat.f_blocks as f64)?;
    let size = in_both_units(stat.f_blocks.saturating_mul(stat.f_frsize));
    let share = percent.round() as u64;
    let filled = recorded!("place-value-filled", share = share, size = size);
    Some(Condition::new("file-system-in-use", filled))
}

/// Facts about the file system of a file.
///
/// `punches` is true if it can free space in a file, and `None` if that was not tried.
pub(crate) fn file_system(mount: &Mount, file: &Path, punches: Option<bool>) -> Vec<Condition> {
    let passes_trim = mount
        .options
        .iter()
        .any(|option| option == "discard" || option.starts_with("discard="));
    let place = format!(
        "{} ({})",
        mount.mount_point.display(),
        mount.options.join(",")
    );
    let file_system = recorded!(
        "place-value-file-system",
        type = mount.fs_type.as_str(),
        device = mount.source.as_str(),
        place = place
    );
    let trim = match punches {
        Some(false) => recorded!("place-value-no-punching"),
        None => recorded!("place-value-trim-not-tried"),
        Some(true) if passes_trim => recorded!("place-value-trim-passed"),
        Some(true) => recorded!("place-value-trim-not-passed"),
    };
    vec![
        Condition::new("file", file.display().to_string()),
        Condition::new("file-system", file_system),
        Condition::new("trim", trim),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::recorded::Recorded;

    #[test]
    fn processors_of_several_architectures() {
        let x86 = "processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n";
        assert_eq!(processor(x86).as_deref(), Some("AMD EPYC"));
        let arm = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4\n";
        assert_eq!(processor(arm).as_deref(), Some("Raspberry Pi 4"));
        assert_eq!(processor(""), None);
    }

    #[test]
    fn a_machine_that_says_little() {
        let system = Recorded::nvme();
        system.write("proc/sys/kernel/osrelease", "6.1.0\n");
        let facts = machine(&system.root);
        assert_eq!(facts[0], Condition::new("kernel", "Linux 6.1.0"));
        assert_eq!(facts[1].value.in_english(), "not reported");
    }
}
