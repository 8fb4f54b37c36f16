//! The table `[host]`: the interface, what speaks over it, and what requests cost the host.

use serde::Deserialize;
use stend_base::Nanos;

use super::check::Checker;
use super::resolve::{nanos, ps_per_byte};
use super::sourced::{Field, Value};
use crate::spec::{DriverSpec, HostSpec, PcieSpec, Protocol};

/// The way from the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// `sata-6g`, `pcie-ahci` or `pcie-nvme`.
    pub interface: Field<String>,
    /// Driver and command FIS or doorbell: from the call to the controller, ns.
    pub submit_ns: Field<u64>,
    /// Status, interrupt and driver: from the drive to the caller, ns.
    pub complete_ns: Field<u64>,
    /// Entries of a queue: with NVMe one of them stays empty.
    pub queue_slots: Field<u32>,
    /// SATA: payload rate of the link within a Data FIS, MB/s (10^6).
    pub link_mb_per_s: Option<Field<u32>>,
    /// SATA: payload of a Data FIS, bytes.
    pub frame_bytes: Option<Field<u32>>,
    /// SATA: link time of a Data FIS beside its payload, ns.
    pub frame_overhead_ns: Option<Field<u64>>,
    /// SATA: link time of a command beside its data, ns.
    pub command_overhead_ns: Option<Field<u64>>,
    /// PCIe: `2.0` or `3.0`.
    pub pcie_generation: Option<Field<String>>,
    /// PCIe: lanes.
    pub pcie_lanes: Option<Field<u32>>,
    /// PCIe: largest payload of a packet, bytes.
    pub max_payload_bytes: Option<Field<u32>>,
    /// PCIe: from a read request's arrival at the host to its first data, ns.
    pub memory_read_ns: Option<Field<u64>>,
    /// NVMe: I/O queues.
    pub queues: Option<Field<u32>>,
    /// Processors of the host; thread n runs on processor n mod `cpus`.
    pub cpus: Option<Field<u32>>,
    /// Processor time of a request's submission, ns.
    pub driver_submit_ns: Option<Field<u64>>,
    /// Processor time of a request's completion, ns.
    pub driver_complete_ns: Option<Field<u64>>,
    /// Processor time under the lock of the queue, at each of the two, ns.
    pub queue_lock_ns: Option<Field<u64>>,
    /// AHCI: register accesses of a request for which the processor waits.
    pub register_accesses: Option<Field<u32>>,
    /// AHCI: one of them, ns.
    pub register_access_ns: Option<Field<u64>>,
    /// Whether writes may be acknowledged from the buffer.
    pub write_cache: Option<Field<bool>>,
    /// SATA, AHCI: whether a flush is queued like reads and writes.
    pub flush_queued: Option<Field<bool>>,
}

const INTERFACES: &[&str] = &["sata-6g", "pcie-ahci", "pcie-nvme"];

/// Time of a byte on a lane, fs, by generation: 5 GT/s and 8b/10b, 8 GT/s and 128b/130b
/// (PCI Express Base Specification 3.0, chapter 4).
const GENERATIONS: &[(&str, u64)] = &[
    ("2.0", 8 * 200_000 * 10 / 8),
    ("3.0", 8 * 125_000 * 130 / 128),
];

/// A queue is full with one entry empty, which tells full from empty (NVM Express 1.2,
/// 4.1.2).
const ENTRY_KEPT_EMPTY: u32 = 1;

pub(super) fn check(c: &mut Checker<'_>, h: &Host) {
    c.one_of("host.interface", &h.interface, INTERFACES);
    c.range("host.submit_ns", &h.submit_ns, 0..=1_000_000);
    c.range("host.complete_ns", &h.complete_ns, 0..=1_000_000);
    let nvme = h.interface.get() == "pcie-nvme";
    let slots = if nvme { 2..=65_536 } else { 1..=32 };
    c.range("host.queue_slots", &h.queue_slots, slots);
    check_link(c, h);
    check_driver(c, h);
    c.optional_source("host.write_cache", &h.write_cache);
    queued(c, h, "host.flush_queued", &h.flush_queued);
}

/// Checks a switch that says whether a command is queued.
pub(super) fn queued(
    c: &mut Checker<'_>,
    h: &Host,
    key: &'static str,
    field: &Option<Field<bool>>,
) {
    let Some(field) = field else { return };
    c.source(key, field);
    if h.interface.get() == "pcie-nvme" && !field.get() {
        let message = "with pcie-nvme every command is queued".to_string();
        c.report(key, field, message);
    }
}

fn check_link(c: &mut Checker<'_>, h: &Host) {
    let interface = h.interface.get();
    let (sata, nvme) = (interface == "sata-6g", interface == "pcie-nvme");
    if belongs(c, h, "host.link_mb_per_s", &h.link_mb_per_s, sata) {
        c.optional("host.link_mb_per_s", &h.link_mb_per_s, 100..=600);
    }
    if belongs(c, h, "host.frame_bytes", &h.frame_bytes, sata) {
        c.optional("host.frame_bytes", &h.frame_bytes, 512..=8192);
    }
    let key = "host.frame_overhead_ns";
    if belongs(c, h, key, &h.frame_overhead_ns, sata) {
        c.optional(key, &h.frame_overhead_ns, 0..=100_000);
    }
    let key = "host.command_overhead_ns";
    if belongs(c, h, key, &h.command_overhead_ns, sata) {
        c.optional(key, &h.command_overhead_ns, 0..=100_000);
    }
    let key = "host.pcie_generation";
    if belongs(c, h, key, &h.pcie_generation, !sata)
        && let Some(field) = &h.pcie_generation
    {
        let names: Vec<&str> = GENERATIONS.iter().map(|g| g.0).collect();
        c.one_of(key, field, &names);
    }
    if belongs(c, h, "host.pcie_lanes", &h.pcie_lanes, !sata) {
        c.optional("host.pcie_lanes", &h.pcie_lanes, 1..=4);
        power_of_two(c, "host.pcie_lanes", &h.pcie_lanes);
    }
    let key = "host.max_payload_bytes";
    if belongs(c, h, key, &h.max_payload_bytes, !sata) {
        c.optional(key, &h.max_payload_bytes, 128..=4096);
        power_of_two(c, key, &h.max_payload_bytes);
    }
    let key = "host.memory_read_ns";
    if belongs(c, h, key, &h.memory_read_ns, !sata) {
        c.optional(key, &h.memory_read_ns, 0..=100_000);
    }
    if belongs(c, h, "host.queues", &h.queues, nvme) {
        c.optional("host.queues", &h.queues, 1..=65_535);
    }
}

fn check_driver(c: &mut Checker<'_>, h: &Host) {
    let times = [
        ("host.driver_submit_ns", &h.driver_submit_ns),
        ("host.driver_complete_ns", &h.driver_complete_ns),
        ("host.queue_lock_ns", &h.queue_lock_ns),
        ("host.register_access_ns", &h.register_access_ns),
    ];
    for (key, field) in times {
        c.optional(key, field, 0..=1_000_000);
    }
    c.optional("host.cpus", &h.cpus, 1..=256);
    c.optional("host.register_accesses", &h.register_accesses, 0..=64);
    let any = times
        .into_iter()
        .find_map(|(key, f)| Some((key, f.as_ref()?)));
    if let (None, Some((key, field))) = (&h.cpus, any) {
        let message = "it needs host.cpus, the processors that spend this time".to_string();
        c.report(key, field, message);
    }
    let ahci = h.interface.get() == "pcie-ahci";
    if let Some(field) = h.register_accesses.as_ref().filter(|_| !ahci) {
        let message = "it is for pcie-ahci alone".to_string();
        c.report("host.register_accesses", field, message);
    }
    match (&h.register_accesses, &h.register_access_ns) {
        (Some(field), None) => {
            let message = "it needs host.register_access_ns".to_string();
            c.report("host.register_accesses", field, message);
        }
        (None, Some(field)) => {
            let message = "it needs host.register_accesses".to_string();
            c.report("host.register_access_ns", field, message);
        }
        _ => {}
    }
}

/// Whether a key that an interface needs is there; complains if it is missing, or there
/// without need.
fn belongs<T>(
    c: &mut Checker<'_>,
    h: &Host,
    key: &'static str,
    field: &Option<Field<T>>,
    needed: bool,
) -> bool {
    let interface = h.interface.get();
    match (field, needed) {
        (None, true) => {
            let message = format!("it is missing; the interface `{interface}` needs it");
            c.report(key, &h.interface, message);
        }
        (Some(field), false) => {
            let message = format!("the interface `{interface}` has no such thing");
            c.report(key, field, message);
        }
        _ => {}
    }
    field.is_some()
}

fn power_of_two(c: &mut Checker<'_>, key: &'static str, field: &Option<Field<u32>>) {
    if let Some(field) = field {
        c.power_of_two(key, field);
    }
}

pub(super) fn resolve(host: &Host) -> HostSpec {
    let nvme = host.interface.get() == "pcie-nvme";
    HostSpec {
        submit: nanos(&host.submit_ns),
        complete: nanos(&host.complete_ns),
        slots: host.queue_slots.get() - if nvme { ENTRY_KEPT_EMPTY } else { 0 },
        link_ps_per_byte: host
            .link_mb_per_s
            .as_ref()
            .map_or(0, |rate| ps_per_byte(rate.get())),
        frame_bytes: host.frame_bytes.as_ref().map_or(0, Value::get),
        frame_overhead: time(&host.frame_overhead_ns),
        command_overhead: time(&host.command_overhead_ns),
        pcie: pcie(host, nvme),
        driver: driver(host),
        write_cache: host.write_cache.as_ref().is_none_or(Value::get),
        flush_queued: host.flush_queued.as_ref().is_none_or(Value::get),
    }
}

fn time(field: &Option<Field<u64>>) -> Nanos {
    field.as_ref().map_or(Nanos::ZERO, nanos)
}

fn pcie(host: &Host, nvme: bool) -> Option<PcieSpec> {
    let name = host.pcie_generation.as_ref()?.get();
    let (_, lane_fs_per_byte) = *GENERATIONS.iter().find(|g| g.0 == name)?;
    Some(PcieSpec {
        protocol: if nvme { Protocol::Nvme } else { Protocol::Ahci },
        lane_fs_per_byte,
        lane_bits: host.pcie_lanes.as_ref()?.get().trailing_zeros(),
        max_payload_bytes: host.max_payload_bytes.as_ref()?.get(),
        memory_read: time(&host.memory_read_ns),
        queues: host.queues.as_ref().map_or(1, Value::get),
    })
}

fn driver(host: &Host) -> Option<DriverSpec> {
    let accesses = host.register_accesses.as_ref().map_or(0, Value::get);
    let registers = time(&host.register_access_ns);
    let driver = DriverSpec {
        cpus: host.cpus.as_ref()?.get(),
        submit: time(&host.driver_submit_ns),
        complete: time(&host.driver_complete_ns),
        queue_lock: time(&host.queue_lock_ns),
        submit_registers: registers * u64::from(accesses / 2),
        complete_registers: registers * u64::from(accesses.div_ceil(2)),
    };
    let costs = [
        driver.submit,
        driver.complete,
        driver.queue_lock,
        driver.submit_registers,
        driver.complete_registers,
    ];
    costs.iter().any(|&t| t > Nanos::ZERO).then_some(driver)
}

impl Host {
    /// The interface, in words for a report.
    pub(super) fn in_words(&self) -> String {
        let name = self.interface.get();
        match (&self.pcie_generation, &self.pcie_lanes) {
            (Some(generation), Some(lanes)) => {
                format!("{name}, {} x{}", generation.get(), lanes.get())
            }
            _ => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Model, demo};
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
        assert_eq!((host.slots, pcie.queues), (65_535, 65_535));
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
                "has no such thing",
            ),
            (
                NVME.replace("pcie-nvme", "sata-6g"),
                "host.link_mb_per_s",
                "missing",
            ),
            (
                NVME.replace("pcie-nvme", "sata-6g"),
                "host.pcie_lanes",
                "has no such thing",
            ),
            (
                NVME.to_owned() + "frame_bytes = 512\n",
                "host.frame_bytes",
                "has no such thing",
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
