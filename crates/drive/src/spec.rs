//! The numbers a simulated drive runs on: a drive model resolved to integer
//! nanoseconds, slots and units. Built from a model file by [`crate::model`], or by
//! hand in tests.
//!
//! Words used throughout this crate:
//! - **unit**: 4 KiB, the granularity of the mapping.
//! - **slot**: one multi-plane page of one die; what one program operation fills.
//! - **row**: the slots of equal number on all dies.
//! - **superblock**: the blocks of equal number on all dies and planes, erased together.
//! - **pool**: the superblocks of one kind: the main area, or the SLC cache.

use stend_base::Nanos;
use stend_nand::CellTiming;

/// Bytes of a mapping unit.
pub const UNIT_BYTES: u64 = 4096;

/// Everything the simulation needs to know of a drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Bytes the host can address.
    pub user_bytes: u64,
    /// Dies.
    pub dies: u32,
    /// Channels; die `d` hangs on channel `d % channels`.
    pub channels: u32,
    /// Units of a slot: planes × page size / 4 KiB. A power of two.
    pub units_per_slot: u32,
    /// Time of a byte on a channel, ps.
    pub bus_ps_per_byte: u64,
    /// Command and address cycles of a transfer.
    pub bus_overhead: Nanos,
    /// The main area.
    pub main: PoolSpec,
    /// The static SLC cache.
    pub cache: Option<CacheSpec>,
    /// With parity: data slots for each parity slot.
    pub parity_data: Option<u32>,
    /// The way from the host.
    pub host: HostSpec,
    /// Processor cores and what they take for each piece of work.
    pub controller: ControllerSpec,
    /// DRAM buffers.
    pub buffer: BufferSpec,
    /// Garbage collection.
    pub collect: CollectSpec,
    /// What happens while the host is silent.
    pub idle: IdleSpec,
    /// TRIM.
    pub trim: TrimSpec,
    /// What a power cut leaves. Without, the drive keeps no account of it and its power
    /// cannot be cut.
    pub power_loss: Option<PowerLossSpec>,
}

/// The superblocks of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolSpec {
    /// How many.
    pub superblocks: u32,
    /// Pages of a block in this mode.
    pub rows: u32,
    /// Cell timing in this mode.
    pub timing: CellTiming,
}

/// A static SLC cache in every die, emptied by on-chip copy.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheSpec {
    /// Its superblocks.
    pub pool: PoolSpec,
    /// Folding starts when more slots than this are taken.
    pub fold_start_slots: u64,
    /// Dies that fold at the same time while the host still finds room.
    pub fold_dies_background: u32,
    /// Rest of such folding after each word line of a die.
    pub fold_pause: Nanos,
}

/// The way from the host to the controller: SATA with AHCI.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSpec {
    /// From the sender's call to the controller's knowledge of the command.
    pub submit: Nanos,
    /// From the end of the last transfer to the sender's knowledge.
    pub complete: Nanos,
    /// Commands the link holds at once; more wait in the host.
    pub slots: u32,
    /// Time of a byte on the link, ps.
    pub link_ps_per_byte: u64,
    /// Payload of one Data FIS.
    pub frame_bytes: u32,
    /// Link time of a Data FIS beside its payload.
    pub frame_overhead: Nanos,
    /// Link time of a command beside its data: register, setup and status FIS.
    pub command_overhead: Nanos,
}

/// What the controller's cores do for whom, and how long it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerSpec {
    /// Number of cores.
    pub cores: u32,
    /// Core that handles read commands.
    pub core_read: u32,
    /// Core that handles write and TRIM commands.
    pub core_write: u32,
    /// Core that handles collection and folding.
    pub core_background: u32,
    /// A read command.
    pub read_command: Nanos,
    /// A write command.
    pub write_command: Nanos,
    /// Each unit of a read command after the first.
    pub read_unit: Nanos,
    /// Each unit of a write command after the first.
    pub write_unit: Nanos,
    /// Segments of the mapping table at hand in fast memory.
    pub map_segments: u32,
    /// Units a segment covers.
    pub map_segment_units: u32,
    /// A read in a segment that is not at hand.
    pub read_map_miss: Nanos,
    /// A write in a segment that is not at hand.
    pub write_map_miss: Nanos,
    /// Moving one unit in collection: look up, check, map.
    pub collect_unit: Nanos,
    /// Moving one unit in folding: check, map.
    pub fold_unit: Nanos,
}

/// DRAM buffers.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferSpec {
    /// Units of written data that may await their program operation.
    pub write_units: u32,
    /// Units read ahead of a sequential stream; 0 for none.
    pub read_ahead_units: u32,
}

/// Which full superblock to collect next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The one with the fewest valid units.
    Greedy,
    /// The one that was closed first.
    Fifo,
}

/// Garbage collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectSpec {
    /// Victim selection.
    pub policy: Policy,
    /// Collection runs while fewer superblocks of the main area are free.
    pub start_superblocks: u32,
    /// Superblocks of the main area kept back for collection (and folding) itself: at
    /// least 3, since one may be half collected, one half filled by the host, and one must
    /// be left to collect into.
    pub reserve_superblocks: u32,
    /// Superblocks of the cache kept back for collection itself.
    pub cache_reserve_superblocks: u32,
    /// Slots under way at the same time.
    pub depth: u32,
}

/// What happens while the host is silent.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleSpec {
    /// False: the drive stands still in longer silence; what it does between requests is
    /// not affected.
    pub enabled: bool,
    /// Silence before it begins.
    pub delay: Nanos,
    /// Length of a slice of work and rest.
    pub slice: Nanos,
    /// Share of a slice spent working.
    pub duty_percent: u32,
    /// Free superblocks of the main area that it aims at.
    pub target_superblocks: u32,
}

/// TRIM.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimSpec {
    /// False: the command is accepted and forgotten.
    pub enabled: bool,
    /// A command.
    pub command: Nanos,
    /// Each 1,024 units of the range.
    pub per_1024_units: Nanos,
    /// True: units lying in the SLC cache are freed like any other. False: they lose
    /// their address, but stay in the cache's log until they are folded.
    pub reaches_cache: bool,
}

/// What keeps the mapping, and data that was promised, over a power cut.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerLossSpec {
    /// With capacitors: for how long they hold the drive up.
    pub hold_up: Option<Nanos>,
    /// What a torn program does to the pages of its word line, and what is done about it.
    pub paired_pages: PairedPages,
    /// Timing of the journal's blocks: in SLC mode, outside the pools.
    pub journal: CellTiming,
    /// Pages of a block of the journal.
    pub journal_rows: u32,
    /// Changes of the mapping after which a journal page is written without being asked for.
    pub journal_interval_units: u32,
    /// Journal pages after which the changed parts of the mapping are written, so that
    /// these pages are needed no more.
    pub checkpoint_pages: u32,
    /// From power to the first read of the flash.
    pub boot: Nanos,
    /// Bringing back one unit that the journal names.
    pub replay_unit: Nanos,
}

/// Pages that share a word line and are programmed in several passes: a pass that is cut
/// short tears the pages of the passes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairedPages {
    /// All pages of a word line are programmed in one pass: there is nothing to tear.
    OneShot,
    /// Data counts as safe when its word line is full; whoever waits for it has the rest
    /// of the word line filled with nothing.
    Pad,
    /// Nothing is done: a cut may take what a flush has promised.
    Unprotected,
}
