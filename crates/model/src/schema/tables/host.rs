//! `[host]`: the interface, its protocol, and what requests cost the host.

use stend_base::Nanos;

use super::super::convert::{given, nanos, nanos_or_zero, or_default, ps_per_byte, value};
use super::super::key::{Field, Given, Problems, named, table};
use super::super::rules::{OneOf, PowerOfTwo};
use super::super::types::{DriverSpec, PcieSpec, Protocol};
use super::Model;

table! {
    /// The host interface.
    pub struct Host = "host" => HostSpec {
        /// Link between host and drive.
        interface: Field<String>, OneOf(&INTERFACES);
        /// Driver and command FIS or doorbell: from the call to the controller, ns.
        submit_ns: Field<u64>, 0..=1_000_000 => submit: Nanos = nanos;
        /// Status, interrupt and driver: from the drive to the caller, ns.
        complete_ns: Field<u64>, 0..=1_000_000 => complete: Nanos = nanos;
        /// Commands that a queue holds, 1 to 32; with NVMe its entries, 2 to 65536, one of which
        /// stays empty.
        queue_slots: Field<u32> => |host, _|
            /// Commands that a queue holds at once; more wait in the host. SATA and AHCI have one
            /// queue.
            queue_depth: u32 = host.queue_slots.value - host.entries_kept_empty();
        /// SATA: payload rate of the link within a Data FIS, MB/s (10^6).
        link_mb_per_s: Option<Field<u32>>, 100..=600 => |host, _|
            /// SATA: time of a byte on the link, ps.
            link_ps_per_byte: u64 = given(&host.link_mb_per_s).map_or(0, ps_per_byte);
        /// SATA: payload of a Data FIS, bytes.
        frame_bytes: Option<Field<u32>>, 512..=8192 => frame_bytes: u32 = or_default;
        /// SATA: link time of a Data FIS beside its payload, ns.
        frame_overhead_ns: Option<Field<u64>>, 0..=100_000 => frame_overhead: Nanos = nanos_or_zero;
        /// SATA: link time of a DMA Activate FIS, which the drive sends before each Data FIS of a
        /// write but the first of a command, ns.
        dma_activate_ns: Option<Field<u64>>, 0..=100_000 => dma_activate: Nanos = nanos_or_zero;
        /// SATA: link time of a command beside its data, ns.
        command_overhead_ns: Option<Field<u64>>, 0..=100_000
            => command_overhead: Nanos = nanos_or_zero;
        /// PCIe: line rate and code.
        pcie_generation: Option<Field<String>>, OneOf(&GENERATIONS) => |host, _|
            /// PCIe in place of SATA.
            pcie: Option<PcieSpec> = host.pcie(),
            /// Cost of requests on the host's processors; `None` for nothing.
            driver: Option<DriverSpec> = host.driver();
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
        /// Processor time under the lock of the queue, on submission and again on completion, added
        /// to both, ns; needs `cpus`.
        queue_lock_ns: Field<u64> = 0, 0..=1_000_000;
        /// AHCI: register accesses of a request, for which the processor waits under the lock:
        /// half on submission, the rest on completion; needs `cpus`.
        register_accesses: Option<Field<u32>>, 0..=64;
        /// AHCI: time of a register access, ns; needs `register_accesses`.
        register_access_ns: Option<Field<u64>>, 0..=1_000_000;
        /// `true`: writes may be acknowledged from the buffer; else every write is complete only
        /// when it is programmed.
        write_cache: Field<bool> = true => write_cache: bool = value;
        /// SATA, AHCI: whether a flush is queued like reads and writes; else it is alone in the
        /// drive. Always with NVMe.
        flush_queued: Field<bool> = true => flush_queued: bool = value;
    }
}

/// Interfaces, by name.
const INTERFACES: [(&str, ()); 3] = [("sata-6g", ()), ("pcie-ahci", ()), ("pcie-nvme", ())];

/// Time of a byte on a lane, fs, by generation: 5 GT/s and 8b/10b, 8 GT/s and 128b/130b
/// (PCI Express Base Specification 3.0, chapter 4).
const GENERATIONS: [(&str, u64); 2] = [
    ("2.0", 8 * 200_000 * 10 / 8),
    ("3.0", 8 * 125_000 * 130 / 128),
];

impl Host {
    /// True if the protocol is NVMe.
    fn is_nvme(&self) -> bool {
        self.interface.value == "pcie-nvme"
    }

    /// A queue of NVMe is full with one entry empty, which tells full from empty (NVM Express 1.2,
    /// 4.1.2).
    fn entries_kept_empty(&self) -> u32 {
        u32::from(self.is_nvme())
    }

    /// Sectors that a range of NVMe's Dataset Management can name (NVM Express 1.2), and of ATA's
    /// DATA SET MANAGEMENT (ACS-3).
    pub(super) fn trim_range_sectors_max(&self) -> u64 {
        match self.is_nvme() {
            true => 4_294_967_295,
            false => 65_535,
        }
    }

    fn pcie(&self) -> Option<PcieSpec> {
        Some(PcieSpec {
            protocol: match self.is_nvme() {
                true => Protocol::Nvme,
                false => Protocol::Ahci,
            },
            lane_fs_per_byte: named(&GENERATIONS, self.pcie_generation.as_ref()?),
            lane_bits: given(&self.pcie_lanes)?.trailing_zeros(),
            max_payload_bytes: given(&self.max_payload_bytes)?,
            memory_read: nanos_or_zero(&self.memory_read_ns),
            queues: given(&self.queues).unwrap_or(1),
        })
    }

    fn driver(&self) -> Option<DriverSpec> {
        let accesses = or_default(&self.register_accesses);
        let registers = nanos_or_zero(&self.register_access_ns);
        let driver = DriverSpec {
            cpus: given(&self.cpus)?,
            submit: nanos(&self.driver_submit_ns),
            complete: nanos(&self.driver_complete_ns),
            queue_lock: nanos(&self.queue_lock_ns),
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
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
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
    if !sata {
        let message = format!("the interface `{}` has no such key", interface.value);
        problems.needs(&[&host.dma_activate_ns], &message);
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
    use crate::Model;
    use crate::schema::spec::Protocol;
    use crate::testing::{assert_refused, demo, figures, parse};
    use stend_base::Nanos;

    /// The demonstration drive with these keys in place of its own.
    fn with(host: &str) -> Result<Model, String> {
        let (before, own) = demo().split_once("[host]").expect("it has a host");
        let (_, after) = own.split_once("[controller]").expect("it has a controller");
        parse(&format!(
            "{before}[host]\n{}\n[controller]{after}",
            figures(host)
        ))
    }

    const NVME: &str = "interface = \"pcie-nvme\"\nsubmit_ns = 1\ncomplete_ns = 2\n\
        queue_slots = 65536\npcie_generation = \"3.0\"\npcie_lanes = 4\n\
        max_payload_bytes = 256\nmemory_read_ns = 500\nqueues = 65535\n";

    #[test]
    fn pcie_speeds_follow_from_generation_and_lanes() {
        let host = with(NVME).expect("it is sound").spec().host;
        let pcie = host.pcie.expect("it is PCIe");
        assert_eq!(pcie.protocol, Protocol::Nvme);
        // 8 GT/s × 128/130: 984.6 MB/s a lane; one entry of a queue stays empty.
        assert_eq!((pcie.lane_fs_per_byte, pcie.lane_bits), (1_015_625, 2));
        assert_eq!((host.queue_depth, pcie.queues), (65_535, 65_535));
        let two = NVME.replace("\"3.0\"", "\"2.0\"").replace("= 4", "= 1");
        let host_of_two = with(&two).expect("it is sound").spec().host;
        let pcie = host_of_two.pcie.expect("it is PCIe");
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
        let host = with(&ahci).expect("it is sound").spec().host;
        let driver = host.driver.expect("it costs");
        let registers = (driver.submit_registers, driver.complete_registers);
        assert_eq!(registers, (Nanos(200), Nanos(300)));
    }

    #[test]
    fn each_interface_has_its_keys() {
        for (from, to, key, part) in [
            ("queues = 65535\n", "", "queues", "missing"),
            ("pcie_lanes = 4\n", "", "pcie_lanes", "missing"),
            ("lanes = 4", "lanes = 3", "pcie_lanes", "power of two"),
            ("3.0", "4.0", "pcie_generation", "2.0, 3.0"),
            ("= 65536", "= 1", "queue_slots", "from 2 to 65536"),
            ("nvme", "ahci", "queue_slots", "from 1 to 32"),
            ("nvme", "ahci", "queues", "has no such key"),
            ("pcie-nvme", "sata-6g", "link_mb_per_s", "missing"),
            ("pcie-nvme", "sata-6g", "pcie_lanes", "has no such key"),
        ] {
            let model = with(&NVME.replace(from, to));
            assert_refused(model, &format!("host.{key}"), part);
        }
        for (keys, key, part) in [
            ("frame_bytes = 512", "frame_bytes", "has no such key"),
            ("queue_lock_ns = 5", "queue_lock_ns", "needs host.cpus"),
            ("flush_queued = false", "flush_queued", "every command"),
            (
                "cpus = 1\nregister_accesses = 1",
                "register_accesses",
                "pcie-ahci alone",
            ),
        ] {
            let model = with(&format!("{NVME}{keys}"));
            assert_refused(model, &format!("host.{key}"), part);
        }
    }
}
