//! Types of figures that are more than a number: policies, pools of superblocks, links.

use crate::nand::CellTiming;
use stend_base::Nanos;

/// Maximum number of idle states of a drive.
pub const IDLE_STATES_MAX: usize = 8;

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;

/// The superblocks of one kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PoolSpec {
    /// Number of superblocks.
    pub superblocks: u32,
    /// Pages of a block in this mode.
    pub rows: u32,
    /// Cell timing in this mode.
    pub timing: CellTiming,
}

/// Method to empty an SLC cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Emptying {
    /// By on-chip copy: word line by word line within each die, without the channel.
    OnChip,
    /// Through the controller: valid pages are read and written, as in GC.
    Controller,
}

/// The limit of emptying an SLC cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FoldLimit {
    /// No limit.
    None,
    /// Limit through the controller: multi-plane pages under way at the same time, of
    /// [`super::spec::GcSpec::depth`], while the host still finds room.
    MpPages(u32),
    /// Limit of on-chip copy.
    Dies {
        /// Maximum of dies that fold at the same time, whatever the reason.
        most: u32,
        /// Multi-plane pages of the cache that idle time frees for the host; `None` for all.
        idle_free_mp_pages: Option<u64>,
    },
}

/// Behaviour of the host's writes when the SLC cache has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum WhenFull {
    /// The host waits for folding, on all dies.
    Wait,
    /// The host writes to the data area; the cache is emptied as before.
    Bypass,
}

/// The protocol on PCIe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Protocol {
    /// One queue; two reads of host memory for each command.
    Ahci,
    /// Many queues; one read of host memory for each command.
    Nvme,
}

/// A PCIe link and the protocol on it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PcieSpec {
    /// The protocol.
    pub protocol: Protocol,
    /// Time of a byte on one lane, line code included, fs.
    pub lane_fs_per_byte: u64,
    /// Logarithm to base 2 of the number of lanes.
    pub lane_bits: u32,
    /// Largest payload of a packet.
    pub max_payload_bytes: u32,
    /// Time from the arrival of a read request at the host to the departure of its first data.
    pub memory_read: Nanos,
    /// I/O queues; 1 with AHCI.
    pub queues: u32,
}

/// Times of a request on the host's processors.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DriverSpec {
    /// Processors; thread `t` runs on `t % cpus`.
    pub cpus: u32,
    /// Time to submit a request.
    pub submit: Nanos,
    /// Time to end a request: interrupt, driver, waking the sender.
    pub complete: Nanos,
    /// Time under the lock of the request's queue, on submission and again on completion; added to
    /// the two times above.
    pub queue_lock: Nanos,
    /// Time of accesses to the controller's registers on submission, under the lock.
    pub submit_registers: Nanos,
    /// Time of accesses to the controller's registers on completion, under the lock.
    pub complete_registers: Nanos,
}

/// Choice of the next victim among the closed superblocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Policy {
    /// The one with the fewest valid pages.
    Greedy,
    /// The one that was closed first.
    Fifo,
    /// The one with the highest age × (1 − u) / 2u, where u is its share of valid pages.
    CostBenefit,
    /// The one with the fewest valid pages among some drawn at random.
    DChoices {
        /// Number of superblocks drawn.
        choices: u32,
    },
}

/// Work of unmapping pages.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrimWorkSpec {
    /// Pages of a chunk.
    pub chunk_pages: u32,
    /// Time of each mapped page of a chunk.
    pub per_page: Nanos,
    /// True: the command ends when its range is noted, and the core for the drive's own work unmaps
    /// it later. False: it ends when its last chunk has ended.
    pub lazy: bool,
    /// True: a noted page reads as trimmed. False: it reads as before, until it is unmapped.
    pub deterministic: bool,
    /// Pause of the core's work for TRIM after each chunk; `None`: the next follows at once.
    pub pause: Option<Nanos>,
}

/// The whole, 100 %, in parts per million.
pub const WHOLE_PPM: u32 = 1_000_000;

/// Share of time in which commands are admitted, by temperature.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Throttle {
    /// No throttling.
    None,
    /// The share falls by steps of temperature.
    Stepwise {
        /// Temperature from which on a step is in force, m°C, and share, parts per million.
        steps: Vec<(i64, u32)>,
        /// Distance below its temperature at which a step ends, mK.
        hysteresis_mk: i64,
    },
    /// The share falls in proportion to the distance from a limit.
    Gradual {
        /// Temperature at which the least share is admitted, m°C.
        limit_mc: i64,
        /// Range below it in which the share falls, mK.
        band_mk: i64,
        /// The least share, parts per million.
        least_ppm: u32,
    },
}

/// Protection of pages that share a word line and are programmed in several passes: a pass that is
/// cut short tears the pages of the passes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PairedPages {
    /// All pages of a word line are programmed in one pass: there is nothing to tear.
    OneShot,
    /// Data is durable when its word line is full; a flush pads the rest of the word line.
    Pad,
    /// Small capacitors supply the drive until the programs under way have ended: a cut loses
    /// nothing that was programmed before.
    Completed,
    /// A cut may lose data that a flush has promised.
    Unprotected,
}

impl PairedPages {
    /// True if a program that is cut short tears the other pages of its word line.
    #[inline]
    pub fn tears(self) -> bool {
        matches!(self, PairedPages::Pad | PairedPages::Unprotected)
    }
}
