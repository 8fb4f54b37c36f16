//! `[host]`: the interface, its protocol, and what requests cost the host.

use super::super::key::{Field, Given, Problems, table};
use super::super::rules::{OneOf, PowerOfTwo};
use super::super::schema::Model;

table! {
    /// The way from the host.
    pub struct Host = "host" {
        /// What lies between host and drive.
        interface: Field<String>, OneOf(&INTERFACES);
        /// Driver and command FIS or doorbell: from the call to the controller, ns.
        submit_ns: Field<u64>, 0..=1_000_000;
        /// Status, interrupt and driver: from the drive to the caller, ns.
        complete_ns: Field<u64>, 0..=1_000_000;
        /// Commands that a queue holds, 1 to 32; with NVMe its entries, 2 to 65536, one of which
        /// stays empty.
        queue_slots: Field<u32>;
        /// SATA: payload rate of the link within a Data FIS, MB/s (10^6).
        link_mb_per_s: Option<Field<u32>>, 100..=600;
        /// SATA: payload of a Data FIS, bytes.
        frame_bytes: Option<Field<u32>>, 512..=8192;
        /// SATA: link time of a Data FIS beside its payload, ns.
        frame_overhead_ns: Option<Field<u64>>, 0..=100_000;
        /// SATA: link time of a command beside its data, ns.
        command_overhead_ns: Option<Field<u64>>, 0..=100_000;
        /// PCIe: line rate and code.
        pcie_generation: Option<Field<String>>, OneOf(&GENERATIONS);
        /// PCIe: lanes.
        pcie_lanes: Option<Field<u32>>, PowerOfTwo(1..=4);
        /// PCIe: largest payload of a packet, bytes.
        max_payload_bytes: Option<Field<u32>>, PowerOfTwo(128..=4096);
        /// PCIe: from a read request's arrival at the host to its first data, ns.
        memory_read_ns: Option<Field<u64>>, 0..=100_000;
        /// NVMe: I/O queues; thread n of a load uses n mod `queues`.
        queues: Option<Field<u32>>, 1..=65_535;
        /// Processors of the host; thread n runs on processor n mod `cpus`.
        cpus: Option<Field<u32>>, 1..=256;
        /// Processor time of a request's submission, ns; needs `cpus`.
        driver_submit_ns: Field<u64> = 0, 0..=1_000_000;
        /// Processor time of a request's completion, ns; needs `cpus`.
        driver_complete_ns: Field<u64> = 0, 0..=1_000_000;
        /// Processor time under the lock of the queue, at each of the two, added to them, ns;
        /// needs `cpus`.
        queue_lock_ns: Field<u64> = 0, 0..=1_000_000;
        /// AHCI: register accesses of a request, for which the processor waits under the lock:
        /// half on submission, the rest on completion; needs `cpus`.
        register_accesses: Option<Field<u32>>, 0..=64;
        /// AHCI: one of them, ns; needs `register_accesses`.
        register_access_ns: Option<Field<u64>>, 0..=1_000_000;
        /// Whether writes may be acknowledged from the buffer; else every write is complete only
        /// when it is programmed.
        write_cache: Field<bool> = true;
        /// SATA, AHCI: whether a flush is queued like reads and writes; else it is alone in the
        /// drive. Always with NVMe.
        flush_queued: Field<bool> = true;
    }
}

/// Interfaces, by name.
const INTERFACES: [(&str, ()); 3] = [("sata-6g", ()), ("pcie-ahci", ()), ("pcie-nvme", ())];

/// Time of a byte on a lane, fs, by generation: 5 GT/s and 8b/10b, 8 GT/s and 128b/130b
/// (PCI Express Base Specification 3.0, chapter 4).
pub(in super::super) const GENERATIONS: [(&str, u64); 2] = [
    ("2.0", 8 * 200_000 * 10 / 8),
    ("3.0", 8 * 125_000 * 130 / 128),
];

impl Host {
    /// Whether the protocol is NVMe.
    pub(in super::super) fn is_nvme(&self) -> bool {
        self.interface.value == "pcie-nvme"
    }
}

pub(in super::super) fn check(problems: &mut Problems, model: &Model) {
    let host = &model.host;
    let entries = if host.is_nvme() { 2..=65_536 } else { 1..=32 };
    problems.check(&host.queue_slots, entries);
    check_link(problems, host);
    check_driver(problems, host);
    check_queued(problems, host, &host.flush_queued);
}

/// Checks a switch that says whether a command is queued.
pub(super) fn check_queued(problems: &mut Problems, host: &Host, queued: &Field<bool>) {
    if host.is_nvme() && !queued.value {
        problems.report(queued, "with pcie-nvme every command is queued");
    }
}

/// Each interface has keys of its own, and needs all of them.
fn check_link(problems: &mut Problems, host: &Host) {
    let interface = &host.interface;
    let (sata, nvme) = (interface.value == "sata-6g", host.is_nvme());
    let keys: [(&str, &dyn Given, bool); 9] = [
        ("link_mb_per_s", &host.link_mb_per_s, sata),
        ("frame_bytes", &host.frame_bytes, sata),
        ("frame_overhead_ns", &host.frame_overhead_ns, sata),
        ("command_overhead_ns", &host.command_overhead_ns, sata),
        ("pcie_generation", &host.pcie_generation, !sata),
        ("pcie_lanes", &host.pcie_lanes, !sata),
        ("max_payload_bytes", &host.max_payload_bytes, !sata),
        ("memory_read_ns", &host.memory_read_ns, !sata),
        ("queues", &host.queues, nvme),
    ];
    for (key, given, needed) in keys {
        match (given.place(), needed) {
            (None, true) => {
                let name = &interface.value;
                let message = format!("it is missing; the interface `{name}` needs it");
                problems.report_key(interface, format!("host.{key}"), message);
            }
            (_, false) => {
                let message = format!("the interface `{}` has no such key", interface.value);
                problems.needs(&[given], &message);
            }
            _ => {}
        }
    }
}

fn check_driver(problems: &mut Problems, host: &Host) {
    let times: [&dyn Given; 4] = [
        &host.driver_submit_ns,
        &host.driver_complete_ns,
        &host.queue_lock_ns,
        &host.register_access_ns,
    ];
    if host.cpus.is_none() {
        let first = times.into_iter().find(|time| time.place().is_some());
        problems.needs(
            first.as_slice(),
            "it needs host.cpus, the processors that spend this time",
        );
    }
    let (accesses, access) = (&host.register_accesses, &host.register_access_ns);
    if host.interface.value != "pcie-ahci" {
        problems.needs(&[accesses], "it is for pcie-ahci alone");
    }
    match (accesses, access) {
        (Some(_), None) => problems.needs(&[accesses], "it needs host.register_access_ns"),
        (None, Some(_)) => problems.needs(&[access], "it needs host.register_accesses"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Model, demo};
    use crate::spec::{HostSpec, Protocol};
    use stend_base::Nanos;

    /// The first shipped model with this table in place of its own.
    fn parse(host: &str) -> Result<HostSpec, String> {
        let text = demo();
        let begin = text.find("[host]").expect("it has a host");
        let end = text.find("[controller]").expect("it has a controller");
        let lines = host.lines().map(|line| match line.split_once(" = ") {
            Some((key, value)) => {
                format!("{key} = {{ value = {value}, source = \"assumed\" }}\n")
            }
            None => format!("{line}\n"),
        });
        let table: String = lines.collect();
        let text = format!("{}[host]\n{table}\n{}", &text[..begin], &text[end..]);
        let model = Model::parse(&text, "m.toml").map_err(|error| error.to_string())?;
        Ok(model.spec().host)
    }

    const NVME: &str = "interface = \"pcie-nvme\"\nsubmit_ns = 1\ncomplete_ns = 2\n\
        queue_slots = 65536\npcie_generation = \"3.0\"\npcie_lanes = 4\n\
        max_payload_bytes = 256\nmemory_read_ns = 500\nqueues = 65535\n";

    #[test]
    fn pcie_speeds_follow_from_generation_and_lanes() {
        let host = parse(NVME).expect("it is sound");
        let pcie = host.pcie.expect("it is PCIe");
        assert_eq!(pcie.protocol, Protocol::Nvme);
        // 8 GT/s × 128/130: 984.6 MB/s a lane; one entry of a queue stays empty.
        assert_eq!((pcie.lane_fs_per_byte, pcie.lane_bits), (1_015_625, 2));
        assert_eq!((host.queue_depth, pcie.queues), (65_535, 65_535));
        let two = NVME.replace("\"3.0\"", "\"2.0\"").replace("= 4", "= 1");
        let pcie = parse(&two).expect("it is sound").pcie.expect("it is PCIe");
        assert_eq!((pcie.lane_fs_per_byte, pcie.lane_bits), (2_000_000, 0));
        assert!(host.driver.is_none() && host.write_cache && host.flush_queued);
    }

    #[test]
    fn register_accesses_are_halved_between_submission_and_completion() {
        let ahci = NVME
            .replace("nvme", "ahci")
            .replace("65536", "32")
            .replace("queues = 65535\n", "cpus = 2\nregister_accesses = 5\n")
            + "register_access_ns = 100\n";
        let driver = parse(&ahci).expect("it is sound").driver.expect("it costs");
        let registers = (driver.submit_registers, driver.complete_registers);
        assert_eq!(registers, (Nanos(200), Nanos(300)));
    }

    #[test]
    fn each_interface_has_its_keys() {
        let without = |line: &str| NVME.replace(line, "");
        for (host, key, part) in [
            (without("queues = 65535\n"), "host.queues", "missing"),
            (without("pcie_lanes = 4\n"), "host.pcie_lanes", "missing"),
            (
                NVME.replace("lanes = 4", "lanes = 3"),
                "host.pcie_lanes",
                "power of two",
            ),
            (
                NVME.replace("\"3.0\"", "\"4.0\""),
                "host.pcie_generation",
                "2.0, 3.0",
            ),
            (
                NVME.replace("= 65536", "= 1"),
                "host.queue_slots",
                "from 2 to 65536",
            ),
            (
                NVME.replace("nvme", "ahci"),
                "host.queue_slots",
                "from 1 to 32",
            ),
            (
                NVME.replace("nvme", "ahci"),
                "host.queues",
                "has no such key",
            ),
            (
                NVME.replace("pcie-nvme", "sata-6g"),
                "host.link_mb_per_s",
                "missing",
            ),
            (
                NVME.replace("pcie-nvme", "sata-6g"),
                "host.pcie_lanes",
                "has no such key",
            ),
            (
                NVME.to_owned() + "frame_bytes = 512\n",
                "host.frame_bytes",
                "has no such key",
            ),
            (
                NVME.to_owned() + "queue_lock_ns = 5\n",
                "host.queue_lock_ns",
                "needs host.cpus",
            ),
            (
                NVME.to_owned() + "flush_queued = false\n",
                "host.flush_queued",
                "every command",
            ),
            (
                NVME.to_owned() + "cpus = 1\nregister_accesses = 1\n",
                "host.register_accesses",
                "pcie-ahci alone",
            ),
        ] {
            let said = parse(&host).expect_err(key);
            let line = said.lines().find(|l| l.contains(&format!(": {key}: ")));
            assert!(line.is_some_and(|l| l.contains(part)), "{key}: {said}");
        }
    }
}
