//! The properties of a drive that other simulators also have.

use stend_model::Model;
use stend_model::spec::{PAGE_BYTES, Policy, Protocol, Spec};

use crate::failure::Failure;

/// Geometry, times and policies of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Name of the model.
    pub name: String,
    /// Bytes that the host can address.
    pub user_bytes: u64,
    /// Channels.
    pub channels: u32,
    /// Dies per channel.
    pub dies_per_channel: u32,
    /// Planes per die.
    pub planes: u32,
    /// Blocks per plane.
    pub blocks_per_plane: u32,
    /// Flash pages per block.
    pub pages_per_block: u32,
    /// Bytes of a flash page.
    pub page_bytes: u32,
    /// tR by page type, ns.
    pub read_ns: Vec<u64>,
    /// tPROG by page type, ns; of a one-shot program, each page's share of its time.
    pub program_ns: Vec<u64>,
    /// tBERS, ns.
    pub erase_ns: u64,
    /// Speed of a channel, MB/s (MB of 10^6 bytes).
    pub bus_mb_per_s: u32,
    /// Bytes of the write buffer.
    pub buffer_bytes: u64,
    /// True if writes are acknowledged from the write buffer.
    pub write_cache: bool,
    /// Shares of free blocks below which GC runs, and below which GC has priority.
    pub gc_free_shares: [f64; 2],
    /// Victim selection.
    pub policy: Policy,
    /// True if the least worn block is filled first.
    pub levels_wear: bool,
    /// The host interface.
    pub link: Link,
    /// Times from the suspension of a program and of an erase until the die can sense, ns.
    pub suspend_ns: [Option<u64>; 2],
    /// Bytes of the mapping table in DRAM, if DRAM does not hold all of it.
    pub mapping_bytes: Option<u64>,
    /// Mechanisms that neither simulator has.
    pub left_out: Vec<&'static str>,
}

/// A host interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// True for NVMe; false for a single queue, as with SATA or AHCI.
    pub nvme: bool,
    /// PCIe lanes, and GB/s per lane (GB of 10^9 bytes).
    pub pcie: Option<(u32, f64)>,
    /// Speed without PCIe, GB/s.
    pub sata_gb_per_s: f64,
    /// Capacity of a queue, commands.
    pub queue_depth: u32,
    /// Time from the call to the drive, ns.
    pub submit_ns: u64,
    /// Time from the drive to the caller, ns.
    pub complete_ns: u64,
}

impl Drive {
    /// Translates a model.
    pub fn of(model: &Model) -> Drive {
        let spec = model.spec();
        let nand = &model.nand;
        let program: Vec<u64> = spec.data.timing.program.iter().map(|t| t.0).collect();
        let program_ns = match spec.one_shot {
            Some(all) => vec![all.0 / program.len() as u64; program.len()],
            None => program,
        };
        let superblocks = f64::from(spec.data.superblocks.max(1));
        let share = |count: u32| f64::from(count) / superblocks;
        let suspend = spec.abilities.suspend.as_ref();
        Drive {
            name: model.name.clone(),
            user_bytes: spec.user_bytes,
            channels: spec.channels,
            dies_per_channel: spec.dies / spec.channels,
            planes: nand.planes.value,
            blocks_per_plane: nand.blocks_per_plane.value,
            pages_per_block: nand.pages_per_block.value,
            page_bytes: nand.page_kib.value * 1024,
            read_ns: spec.data.timing.read.iter().map(|t| t.0).collect(),
            program_ns,
            erase_ns: spec.data.timing.erase.0,
            bus_mb_per_s: nand.bus_mb_per_s.value,
            buffer_bytes: u64::from(spec.buffer.write_pages) * PAGE_BYTES,
            write_cache: spec.host.write_cache,
            gc_free_shares: [spec.gc.start_superblocks, spec.gc.reserve_superblocks].map(share),
            policy: spec.gc.policy,
            levels_wear: spec.wear.as_ref().is_some_and(|wear| wear.dynamic),
            link: Link::of(&spec),
            suspend_ns: [
                suspend.and_then(|s| s.program).map(|t| t.0),
                suspend.and_then(|s| s.erase).map(|t| t.0),
            ],
            mapping_bytes: spec.l2p_cache.is_some().then(|| {
                let segment = model.controller.l2p_segment_kib.value / 4 * 4;
                u64::from(model.controller.l2p_segments.value) * u64::from(segment)
            }),
            left_out: left_out(model, &spec),
        }
    }

    /// Checks that another simulator can represent the drive.
    ///
    /// # Errors
    /// Names the mechanism without which the drive would be a different one.
    pub fn check(&self, model: &Model) -> Result<(), Failure> {
        let has = if model.spec().cache.is_some() {
            "an SLC cache, which the other simulators lack; disable it in a model file of your own \
             ([slc_cache] enabled = false)"
        } else if self.read_ns.len() > 3 {
            "cells of more than 3 bits, which the other simulators lack; use SLC, MLC or TLC"
        } else {
            return Ok(());
        };
        Err(Failure::Input(format!(
            "{} cannot be compared with another simulator: it has {has}, or choose a drive such \
             as samsung-850-pro-256gb",
            self.name
        )))
    }

    /// Bytes of all flash pages of the data area.
    pub fn flash_bytes(&self) -> u64 {
        let planes = u64::from(self.channels * self.dies_per_channel * self.planes);
        planes * u64::from(self.blocks_per_plane) * self.block_bytes()
    }

    /// Bytes of a block in one plane.
    pub fn block_bytes(&self) -> u64 {
        u64::from(self.pages_per_block) * u64::from(self.page_bytes)
    }
}

impl Link {
    fn of(spec: &Spec) -> Link {
        let host = &spec.host;
        let pcie = host.pcie.as_ref();
        Link {
            nvme: pcie.is_some_and(|pcie| pcie.protocol == Protocol::Nvme),
            pcie: pcie.map(|pcie| (1 << pcie.lane_bits, 1e6 / pcie.lane_fs_per_byte as f64)),
            sata_gb_per_s: 1e3 / host.link_ps_per_byte.max(1) as f64,
            queue_depth: host.queue_depth,
            submit_ns: host.submit.0,
            complete_ns: host.complete.0,
        }
    }
}

/// Describes the mechanisms of a drive that no other simulator has.
fn left_out(model: &Model, spec: &Spec) -> Vec<&'static str> {
    let commands = model.nand_commands.as_ref();
    let abilities = &spec.abilities;
    let found = [
        (
            true,
            "times of the controller's cores for commands and pages",
        ),
        (
            true,
            "mapping by logical pages of 4 KiB (theirs is by flash pages or larger)",
        ),
        (
            true,
            "framing and overheads of the host link, command cycles of the channels",
        ),
        (spec.host.driver.is_some(), "the host's processors"),
        (
            spec.parity_data.is_some(),
            "parity (its space is over-provisioning there)",
        ),
        (spec.buffer.read_ahead_pages > 0, "read-ahead"),
        (spec.buffer.coalesces, "coalescing of writes"),
        (spec.buffer.half_duplex, "the half-duplex buffer"),
        (
            spec.one_shot.is_some(),
            "one-shot programs (each page takes its share of the time)",
        ),
        (abilities.cache_read, "cache reads"),
        (abilities.cache_program, "cache programs"),
        (
            commands.is_some_and(|c| !c.multi_plane.value),
            "dies without multi-plane commands",
        ),
        (spec.media.is_some(), "read retries and errors of the flash"),
        (spec.streams.is_some(), "streams by heat"),
        (spec.idle.enabled, "GC in idle time"),
        (!spec.idle_states.is_empty(), "idle states"),
        (spec.thermal.is_some(), "heat and throttling"),
        (spec.blocks.is_some(), "blocks that go bad one by one"),
        (spec.power_loss.is_some(), "journal and checkpoints"),
    ];
    let there = found.into_iter().filter(|(there, _)| *there);
    there.map(|(_, words)| words).collect()
}

/// Times of the first, middle and last page of a word line; missing ones are replaced by the last.
pub fn by_page_type(times: &[u64]) -> [u64; 3] {
    let last = times.last().copied().unwrap_or(0);
    let first = times.first().copied().unwrap_or(0);
    match times.len() {
        3 => [first, times[1], last],
        _ => [first, last, last],
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Returns a drive to translate.
    pub fn drive() -> Drive {
        Drive {
            name: "plain".to_owned(),
            user_bytes: 256_060_514_304,
            channels: 8,
            dies_per_channel: 3,
            planes: 2,
            blocks_per_plane: 1820,
            pages_per_block: 384,
            page_bytes: 8192,
            read_ns: vec![60_000, 60_000],
            program_ns: vec![400_000, 500_000],
            erase_ns: 4_000_000,
            bus_mb_per_s: 400,
            buffer_bytes: 8 << 20,
            write_cache: true,
            gc_free_shares: [0.005, 0.002],
            policy: Policy::Greedy,
            levels_wear: true,
            link: Link {
                nvme: false,
                pcie: None,
                sata_gb_per_s: 0.6,
                queue_depth: 32,
                submit_ns: 4000,
                complete_ns: 5000,
            },
            suspend_ns: [None, None],
            mapping_bytes: None,
            left_out: Vec::new(),
        }
    }

    #[test]
    fn a_drive_has_the_figures_of_its_model() {
        let model = Model::shipped("samsung-850-pro-256gb").unwrap();
        let drive = Drive::of(&model);
        let nand = &model.nand;
        assert_eq!(drive.channels * drive.dies_per_channel, nand.dies.value);
        assert_eq!(drive.page_bytes, nand.page_kib.value * 1024);
        assert_eq!(drive.read_ns[0] as f64, nand.read_us.value[0] * 1e3);
        assert_eq!(
            drive.buffer_bytes,
            u64::from(model.dram.write_buffer_kib.value) * 1024
        );
        assert!(drive.flash_bytes() > drive.user_bytes);
        assert!(!drive.link.nvme && drive.link.pcie.is_none());
        assert!((drive.link.sata_gb_per_s - 0.6).abs() < 0.001);
        assert_eq!(drive.link.queue_depth, 32);
        let nvme = Drive::of(&Model::shipped("intel-ssd-750-400gb").unwrap());
        let (lanes, gb_per_s) = nvme.link.pcie.unwrap();
        assert!(nvme.link.nvme && lanes == 4);
        assert!((gb_per_s - 0.985).abs() < 0.001, "{gb_per_s}");
    }

    #[test]
    fn pages_of_a_word_line_have_their_times() {
        assert_eq!(by_page_type(&[7]), [7, 7, 7]);
        assert_eq!(by_page_type(&[1, 2]), [1, 2, 2]);
        assert_eq!(by_page_type(&[1, 2, 3]), [1, 2, 3]);
    }

    #[test]
    fn what_makes_it_another_drive_is_refused_and_the_rest_is_told() {
        let cached = Model::shipped("demo-8gb").unwrap();
        let error = Drive::of(&cached).check(&cached).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().contains("SLC cache"), "{error}");
        let plain = Model::shipped("samsung-850-pro-256gb").unwrap();
        assert!(Drive::of(&plain).check(&plain).is_ok());
        let told = Drive::of(&cached).left_out.join(", ");
        assert!(
            told.contains("parity") && told.contains("read-ahead"),
            "{told}"
        );
    }
}
