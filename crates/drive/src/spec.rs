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
    /// What things take of energy; `None`: no account is kept.
    pub energy: Option<EnergySpec>,
    /// States that the drive enters when there is nothing to do, the deepest last.
    pub idle_states: Vec<IdleStateSpec>,
    /// Heat; needs an account of energy.
    pub thermal: Option<ThermalSpec>,
    /// Endurance.
    pub health: Option<HealthSpec>,
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

/// What things take of energy.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergySpec {
    /// Sensing a slot, of the SLC cache and of the main area, pJ.
    pub read_pj: [u64; 2],
    /// Programming a slot, by pool, pJ.
    pub program_pj: [u64; 2],
    /// Erasing the blocks of one die, by pool, pJ.
    pub erase_pj: [u64; 2],
    /// A byte on a channel, pJ.
    pub bus_pj_per_byte: u64,
    /// A core at work, mW.
    pub core_busy_mw: u64,
    /// A core that waits, mW.
    pub core_idle_mw: u64,
    /// The host link while it moves data, mW.
    pub link_active_mw: u64,
    /// The host link while it does not, mW.
    pub link_idle_mw: u64,
    /// DRAM, mW.
    pub dram_mw: u64,
}

/// A state of little power that the drive enters when there is nothing to do.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleStateSpec {
    /// Its name, for people.
    pub name: String,
    /// Time without anything to do before it is entered.
    pub delay: Nanos,
    /// What the whole drive takes in it, mW.
    pub power_mw: u64,
    /// The way in; the drive cannot turn back on it.
    pub entry: Nanos,
    /// The way out, which the first command pays.
    pub exit: Nanos,
    /// True: idle work is finished first. False: it is given up.
    pub waits_for_idle_work: bool,
}

/// A body with one temperature, and what is done against heat.
#[derive(Clone, Debug, PartialEq)]
pub struct ThermalSpec {
    /// Around the drive, m°C; its temperature at power-on.
    pub ambient_mc: i64,
    /// To the air, mK/W.
    pub resistance_mk_per_w: u64,
    /// Heat capacity, mJ/K.
    pub capacity_mj_per_k: u64,
    /// Time between two looks at the temperature.
    pub step: Nanos,
    /// From here on the time counts as too warm, m°C.
    pub warning_mc: i64,
    /// From here on the time counts as critical, m°C.
    pub critical_mc: i64,
    /// Commands are admitted for a share of so long a time, before a rest.
    pub period: Nanos,
    /// How the share follows from the temperature.
    pub throttle: Throttle,
}

/// Share of time in which commands are admitted, by temperature.
#[derive(Clone, Debug, PartialEq)]
pub enum Throttle {
    /// All of it.
    None,
    /// By steps.
    Stepwise {
        /// Temperature from which on it holds, m°C, and share, parts per million.
        steps: Vec<(i64, u32)>,
        /// How far below its temperature a step is left, mK.
        hysteresis_mk: i64,
    },
    /// In proportion to the distance from a limit.
    Gradual {
        /// Where the least is admitted, m°C.
        limit_mc: i64,
        /// Range below it in which the share falls, mK.
        band_mk: i64,
        /// The least share, parts per million.
        least_ppm: u32,
    },
}

/// How long the flash lives; figures of the SLC cache and of the main area.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthSpec {
    /// Erase cycles that it is rated for.
    pub rated_cycles: [u32; 2],
    /// Erase cycles after which a superblock is retired; [`u32::MAX`]: never.
    pub end_of_life_cycles: [u32; 2],
    /// Superblocks of the main area kept aside to take the place of retired ones.
    pub spare_superblocks: u32,
    /// Share of the spare ones below which the drive warns, percent.
    pub spare_threshold_percent: u32,
}
