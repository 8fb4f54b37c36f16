//! `[controller]`, `[dram]` and `[l2p_cache]`.

use stend_base::Nanos;

use super::super::convert::{micros, nanos, pages, value};
use super::super::key::{Field, Problems, named, table};
use super::super::rules::{OneOf, WholePages};
use super::Model;

table! {
    /// The controller.
    pub struct Controller = "controller" => ControllerSpec {
        /// Its name, for people.
        name: Field<String>;
        /// Cores.
        cores: Field<u32>, 1..=8 => cores: u32 = value;
        /// `"shared"`: one core does everything. `"divided"`: reads, writes, and the drive's own
        /// work have a core each, as far as there are cores.
        assignment: Field<String>, OneOf(&ASSIGNMENTS) => |controller, _|
            /// Core that handles read commands.
            core_read: u32 = controller.core(0),
            /// Core that handles write and TRIM commands.
            core_write: u32 = controller.core(1),
            /// Core that handles GC and folding.
            core_background: u32 = controller.core(2);
        /// A read command, ns of a core.
        read_command_ns: Field<u64>, 0..=10_000_000 => read_command: Nanos = nanos;
        /// A write command, ns of a core.
        write_command_ns: Field<u64>, 0..=10_000_000 => write_command: Nanos = nanos;
        /// A read command after a write command on the same core, or a write after a read, ns of
        /// the core beside what the command costs: the firmware's code and data for the other
        /// direction are fetched first. Not after a rest of `idle.delay_ms`.
        direction_change_ns: Field<u64> = 0, 0..=10_000_000 => direction_change: Nanos = nanos;
        /// Each logical page of a read command after the first, ns of a core.
        read_page_ns: Field<u64>, 0..=1_000_000 => read_page: Nanos = nanos;
        /// Each logical page of a write command after the first, ns of a core, while more of the
        /// command comes over the link.
        write_page_ns: Field<u64>, 0..=1_000_000 => write_page: Nanos = nanos;
        /// Each such page that goes to the native mode rather than to an SLC cache, ns of a core,
        /// beside `write_page_ns`: so more dies need not make a drive faster behind its cache.
        native_page_ns: Field<u64> = 0, 0..=1_000_000 => native_page: Nanos = nanos;
        /// Segments of the L2P in fast memory.
        l2p_segments: Field<u32>, 1..=16_777_216 => l2p_segments: u32 = value;
        /// Size of a segment, KiB of user data.
        l2p_segment_kib: Field<u32>, WholePages(4..=1_048_576) => l2p_segment_pages: u32 = pages;
        /// A read in a segment that is not in fast memory, ns; 0 beside `[l2p_cache]`.
        read_l2p_miss_ns: Field<u64>, 0..=1_000_000 => read_l2p_miss: Nanos = nanos;
        /// A write in a segment that is not in fast memory, ns; 0 beside `[l2p_cache]`.
        write_l2p_miss_ns: Field<u64>, 0..=1_000_000 => write_l2p_miss: Nanos = nanos;
        /// Relocating a logical page in garbage collection, ns of a core.
        gc_page_ns: Field<u64>, 0..=10_000_000 => gc_page: Nanos = nanos;
        /// Relocating a logical page in a segment that is not in fast memory, ns of a core, beside
        /// `gc_page_ns`: so random data takes longer to relocate than sequential data. 0 beside
        /// `[l2p_cache]`.
        gc_l2p_miss_ns: Field<u64> = 0, 0..=1_000_000 => gc_l2p_miss: Nanos = nanos;
        /// On-chip copy: moving a logical page in folding, ns of a core.
        fold_page_ns: Field<u64>, 0..=10_000_000 => fold_page: Nanos = nanos;
        /// On-chip copy: folding a logical page in a segment that is not in fast memory, ns of a
        /// core, beside `fold_page_ns`: so random data takes longer to fold than sequential data. 0
        /// beside `[l2p_cache]`.
        fold_l2p_miss_ns: Field<u64> = 0, 0..=1_000_000 => fold_l2p_miss: Nanos = nanos;
    }
}

table! {
    /// DRAM and what it is used for.
    pub struct Dram = "dram" => BufferSpec {
        /// Size, MiB: it must hold the L2P (4 bytes for each logical page; with `[l2p_cache]`
        /// `controller.l2p_segments` of it), the write buffer and the read-ahead.
        size_mib: Field<u32>, 1..=65_536;
        /// Write buffer, KiB: at least two programs of a die, one more where data goes to either
        /// mode, one more with `slc_cache.bypass_from_kib`.
        write_buffer_kib: Field<u32>, WholePages(64..=1_048_576) => write_pages: u32 = pages;
        /// Read-ahead of a sequential stream, KiB; 0 for none.
        read_ahead_kib: Field<u32>, WholePages(0..=65_536) => read_ahead_pages: u32 = pages;
        /// `true`: data written again before its multi-plane page is full takes the same physical
        /// page.
        coalesce_writes: Field<bool> = false => coalesces: bool = value;
        /// `true`: the buffer serves either writes or sequential reads (which begin where another
        /// ended) at a time: such a read waits until the writes before it are programmed, a write
        /// until such reads are sent; what was read ahead is dropped. Other reads do not wait.
        half_duplex: Field<bool> = false => half_duplex: bool = value;
        /// Only with `half_duplex`: turnaround, the time of the firmware for a change to reads
        /// where data was programmed since the last one, ns.
        turnaround_ns: Field<u64> = 0, 0..=10_000_000 => turnaround: Nanos = nanos;
        /// Power-loss protection: whether capacitors make the buffer as safe as flash, so that FUA
        /// writes, writes with the cache off and flushes end when data is in it; not with
        /// `power_loss.capacitors = false`.
        plp: Field<bool> = false => plp: bool = value;
    }
}

table! {
    /// The L2P lies on flash; `controller.l2p_segments` of it are cached.
    pub struct L2pCache = "l2p_cache" => L2pCacheSpec {
        /// tR of an L2P page, µs.
        read_us: Field<f64>, 1.0..=10_000.0 => read: Nanos = micros;
        /// tPROG of a multi-plane page of the L2P, µs.
        program_us: Field<f64>, 1.0..=100_000.0 => program: Nanos = micros;
        /// tBERS of the L2P's blocks, µs.
        erase_us: Field<f64>, 1.0..=100_000.0 => erase: Nanos = micros;
        /// Multi-plane pages of a block of the L2P: after so many programs an erase follows.
        pages_per_block: Field<u32>, 1..=8_192 => programs_per_erase: u32 = value;
    }
}

/// Assignments of reads, writes and the drive's own work to cores, by name.
const ASSIGNMENTS: [(&str, bool); 2] = [("shared", false), ("divided", true)];

impl Controller {
    /// The core of a kind of work: that of this number, as far as there are cores.
    fn core(&self, wanted: u32) -> u32 {
        match named(&ASSIGNMENTS, &self.assignment) {
            true => wanted.min(self.cores.value - 1),
            false => 0,
        }
    }
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
    let dram = &model.dram;
    if !dram.half_duplex.value {
        let message = "is only for dram.half_duplex = true";
        problems.needs(&[&dram.turnaround_ns], message);
    }
    if model.l2p_cache.is_none() {
        return;
    }
    let controller = &model.controller;
    let misses = [
        &controller.read_l2p_miss_ns,
        &controller.write_l2p_miss_ns,
        &controller.gc_l2p_miss_ns,
        &controller.fold_l2p_miss_ns,
    ];
    for miss in misses {
        if miss.value > 0 {
            let message = format!(
                "{} is not allowed beside [l2p_cache]: a segment that is not cached is read from \
                 flash there; write 0",
                miss.value
            );
            problems.report(miss, message);
        }
    }
}
