//! The numbers a simulated drive runs on: a drive model resolved to integer
//! nanoseconds, multi-plane pages and pages. Built from a model file by [`crate::model`], or by
//! hand in tests.
//!
//! Words used throughout this crate:
//! - **page**: 4 KiB, the granularity of the L2P (logical and physical pages, LPN and PPN).
//! - **multi-plane page**: the flash pages of equal number on all planes of a die; what one program
//!   operation fills.
//! - **row**: the multi-plane pages of equal number on all dies.
//! - **superblock**: the blocks of equal number on all dies and planes, erased together.
//! - **pool**: the superblocks of one kind: the data area, or the SLC cache.

use stend_base::Nanos;
use stend_nand::reliability::{Ecc, ErrorModel, Rber};
use stend_nand::{Abilities, CellTiming};

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;

/// Everything the simulation needs to know of a drive.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spec {
    /// Bytes the host can address.
    pub user_bytes: u64,
    /// Dies.
    pub dies: u32,
    /// Channels; die `d` hangs on channel `d % channels`.
    pub channels: u32,
    /// Pages of a multi-plane page: planes × page size / 4 KiB. A power of two.
    pub pages_per_mp_page: u32,
    /// Time of a byte on a channel, ps.
    pub bus_ps_per_byte: u64,
    /// Command and address cycles of a transfer.
    pub bus_overhead: Nanos,
    /// The data area.
    pub data: PoolSpec,
    /// What dies can do at the same time.
    pub abilities: Abilities,
    /// Time to program all pages of a word line of the data area at once; `None`: page by
    /// page.
    pub one_shot: Option<Nanos>,
    /// The SLC cache.
    pub cache: Option<CacheSpec>,
    /// With parity: multi-plane pages of data for each one of parity.
    pub parity_data: Option<u32>,
    /// The way from the host.
    pub host: HostSpec,
    /// Processor cores and what they take for each piece of work.
    pub controller: ControllerSpec,
    /// A mapping table on flash, of which DRAM holds `controller.l2p_segments`; `None`: all
    /// of it is in DRAM.
    pub l2p_cache: Option<L2pCacheSpec>,
    /// DRAM buffers.
    pub buffer: BufferSpec,
    /// GC.
    pub gc: GcSpec,
    /// What happens while the host is silent.
    pub idle: IdleSpec,
    /// TRIM.
    pub trim: TrimSpec,
    /// Errors of the flash; `None`: every page reads back at once.
    pub media: Option<MediaSpec>,
    /// Streams beside one for the host and one for GC.
    pub streams: Option<StreamsSpec>,
    /// Wear levelling.
    pub wear: Option<WearSpec>,
    /// What things take of energy; `None`: no account is kept.
    pub energy: Option<EnergySpec>,
    /// States that the drive enters when there is nothing to do, the deepest last.
    pub idle_states: Vec<IdleStateSpec>,
    /// Heat; needs an account of energy.
    pub thermal: Option<ThermalSpec>,
    /// Endurance.
    pub health: Option<HealthSpec>,
    /// Blocks that wear and go bad one by one; `None`: a superblock lives or dies as a whole.
    pub blocks: Option<BlocksSpec>,
    /// What a power cut leaves. Without, the drive keeps no account of it and its power
    /// cannot be cut.
    pub power_loss: Option<PowerLossSpec>,
}

impl Spec {
    /// Pages that one program of the data area fills: a multi-plane page, or a word line's
    /// where these are programmed at once.
    pub fn program_pages(&self) -> u32 {
        match self.one_shot {
            Some(_) => self.pages_per_mp_page * self.data.timing.pages_per_word_line(),
            None => self.pages_per_mp_page,
        }
    }

    /// The SLC cache.
    ///
    /// # Panics
    /// Without one.
    pub(crate) fn cache(&self) -> &CacheSpec {
        self.cache.as_ref().expect("the drive has an SLC cache")
    }

    /// Superblocks of the data area that on-chip copy may hold half folded, where it empties
    /// those that are in SLC mode, and the one it fills.
    pub(crate) fn superblocks_half_folded(&self) -> u32 {
        let on_chip = |cache: &&CacheSpec| cache.emptying == Emptying::OnChip;
        match self.cache.as_ref().filter(on_chip) {
            Some(cache) if cache.dynamic_superblocks > 0 => {
                self.data.timing.pages_per_word_line() + 1
            }
            _ => 0,
        }
    }

    /// Whether anything in the drive wears out, so that it refuses writes at last.
    pub fn wears_out(&self) -> bool {
        let ends = |cycles: &[u32; 2]| cycles.iter().any(|&n| n != u32::MAX);
        let retired = self.health.as_ref().map(|h| &h.end_of_life_cycles);
        let blocks = self.blocks.as_ref();
        retired.is_some_and(ends)
            || blocks.is_some_and(|b| ends(&b.life_cycles) || b.program_failure_ppb > 0)
    }

    /// Streams of the data area beside one for the host and one for GC. Each keeps a
    /// superblock open, so the thresholds of GC are raised by as many superblocks.
    pub fn further_streams(&self) -> u32 {
        let collect = self.streams.as_ref().map_or(1, |s| s.gc_streams);
        self.host_streams() + collect - 2 + u32::from(self.has_level_stream())
    }

    /// Streams of the host: by heat, or one for what enters the SLC cache and one for the long
    /// requests that pass it by.
    pub fn host_streams(&self) -> u32 {
        let past = self.cache.as_ref().and_then(|c| c.bypass_from_bytes);
        let by_heat = self.streams.as_ref().map_or(1, |s| s.host_streams);
        by_heat + u32::from(past.is_some())
    }

    /// Programs that the write buffer must hold at least: two, one more where data may go to
    /// either mode, since what fills up a FUA write is not known beforehand then, and one for
    /// each further stream of the host, which may hold one that is not full.
    pub fn buffer_programs_min(&self) -> u32 {
        let either = self.cache.as_ref().is_some_and(CacheSpec::is_either);
        1 + self.host_streams() + u32::from(either)
    }

    /// Whether what static wear levelling moves has a stream of its own. In a drive with an
    /// SLC cache it enters the cache with everything else.
    pub fn has_level_stream(&self) -> bool {
        self.cache.is_none() && self.wear.as_ref().is_some_and(|w| w.static_spread > 0)
    }
}

/// Wear levelling.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WearSpec {
    /// The erased superblock with the fewest erase cycles is filled first, rather than the
    /// one that was erased first.
    pub dynamic: bool,
    /// Difference of erase cycles in the data area above which data at rest is moved; 0 for
    /// never.
    pub static_spread: u32,
    /// Superblocks collected for their space between two looks at the difference.
    pub static_interval: u32,
}

/// Data of different age or heat in superblocks of its own. Not with an SLC cache.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StreamsSpec {
    /// Open superblocks for what the host writes, by heat; at most 4.
    pub host_streams: u32,
    /// Open superblocks for what was collected, by how often it has been; at most 4.
    pub gc_streams: u32,
    /// Pages that a counter of heat covers. A power of two.
    pub heat_group_pages: u32,
    /// The counters are halved once while so much is overwritten, percent of the capacity.
    pub heat_window_percent: u32,
    /// Telling the heat of a write, for each write command.
    pub classify: Nanos,
}

/// Errors of the flash and what corrects them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MediaSpec {
    /// Cells of the data area.
    pub main: ErrorModel,
    /// Cells of the SLC cache.
    pub cache: ErrorModel,
    /// Error correction.
    pub ecc: Ecc,
    /// Rate above which a superblock's data is written anew in idle time; `None`: never.
    pub refresh: Option<Rber>,
    /// Which pages are the worse ones.
    pub seed: u64,
}

/// The superblocks of one kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PoolSpec {
    /// How many.
    pub superblocks: u32,
    /// Pages of a block in this mode.
    pub rows: u32,
    /// Cell timing in this mode.
    pub timing: CellTiming,
}

/// How an SLC cache is emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Emptying {
    /// By on-chip copy: word line by word line within each die, without the channel.
    OnChip,
    /// Through the controller: valid pages are read and written, as in GC.
    Controller,
}

/// What emptying an SLC cache is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FoldLimit {
    /// Nothing.
    None,
    /// Through the controller: multi-plane pages under way at the same time while the host still
    /// finds room, of [`GcSpec::depth`].
    MpPages(u32),
    /// By on-chip copy.
    Dies {
        /// Dies that fold at the same time, whatever asks for it.
        most: u32,
        /// Multi-plane pages of the cache that idle time makes free for the host; `None` for all.
        idle_free_mp_pages: Option<u64>,
    },
}

/// What happens where the SLC cache has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum WhenFull {
    /// The host waits for folding, on all dies.
    Wait,
    /// The host writes to the data area; the cache is emptied as before.
    Bypass,
}

/// An SLC cache: static, in superblocks of its own; dynamic, in superblocks of the data
/// area that are used in SLC mode for a while; or both.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CacheSpec {
    /// Its own superblocks, and cells in SLC mode; the rows are a block's word lines.
    pub pool: PoolSpec,
    /// Superblocks of the data area that may be used in SLC mode at the same time.
    pub dynamic_superblocks: u32,
    /// Write requests at least so long go to the data area directly; `None`: all enter it.
    pub bypass_from_bytes: Option<u64>,
    /// How it is emptied.
    pub emptying: Emptying,
    /// What happens where it has no room.
    pub when_full: WhenFull,
    /// Whether collected data enters it, as host data does, or the data area.
    pub takes_gc: bool,
    /// Whether the host is given room as pages are emptied, and so at an even pace; or only as
    /// superblocks are erased.
    pub frees_per_page: bool,
    /// Folding starts when more multi-plane pages than this are taken.
    pub fold_start_mp_pages: u64,
    /// Dies that fold at the same time while the host still finds room.
    pub fold_dies_background: u32,
    /// Rest of such folding after each word line of a die.
    pub fold_pause: Nanos,
    /// What emptying is held to.
    pub fold_limit: FoldLimit,
}

impl CacheSpec {
    /// Whether host data goes to one or the other mode as there is room.
    pub fn is_either(&self) -> bool {
        self.dynamic_superblocks > 0 || self.when_full == WhenFull::Bypass
    }

    /// Whether the host opens superblocks of the data area by itself, in any mode.
    pub fn opens_data(&self) -> bool {
        self.is_either() || self.bypass_from_bytes.is_some()
    }
}

/// The way from the host to the controller: SATA with AHCI, unless
/// [`HostSpec::pcie`] says otherwise; the figures of the SATA link then mean nothing.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HostSpec {
    /// From the sender's call to the controller's knowledge of the command.
    pub submit: Nanos,
    /// From the end of the last transfer to the sender's knowledge.
    pub complete: Nanos,
    /// Commands that a queue holds at once; more wait in the host. SATA and AHCI have one
    /// queue.
    pub queue_depth: u32,
    /// Time of a byte on the link, ps.
    pub link_ps_per_byte: u64,
    /// Payload of one Data FIS.
    pub frame_bytes: u32,
    /// Link time of a Data FIS beside its payload.
    pub frame_overhead: Nanos,
    /// Link time of a command beside its data: register, setup and status FIS.
    pub command_overhead: Nanos,
    /// PCIe in place of SATA.
    pub pcie: Option<PcieSpec>,
    /// What requests cost the host's processors; `None` for nothing.
    pub driver: Option<DriverSpec>,
    /// False: every write is complete only when it is programmed.
    pub write_cache: bool,
    /// False: a flush waits until its queue is empty, and keeps others waiting until it has
    /// ended. SATA and AHCI only.
    pub flush_queued: bool,
}

impl HostSpec {
    /// Time of the bytes of a page on the link, without what goes along.
    pub(crate) fn page_time(&self) -> Nanos {
        match &self.pcie {
            None => Nanos(PAGE_BYTES * self.link_ps_per_byte / 1000),
            Some(pcie) => {
                Nanos(((PAGE_BYTES * pcie.lane_fs_per_byte) >> pcie.lane_bits) / 1_000_000)
            }
        }
    }
}

/// What speaks over PCIe.
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
    /// What speaks over it.
    pub protocol: Protocol,
    /// Time of a byte on one lane, line code included, fs.
    pub lane_fs_per_byte: u64,
    /// Lanes, as a power of two.
    pub lane_bits: u32,
    /// Largest payload of a packet.
    pub max_payload_bytes: u32,
    /// From the arrival of a read request at the host to the departure of its first data.
    pub memory_read: Nanos,
    /// I/O queues; 1 with AHCI.
    pub queues: u32,
}

/// What a request costs the host's processors.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DriverSpec {
    /// Processors; thread `t` runs on `t % cpus`.
    pub cpus: u32,
    /// Submitting a request.
    pub submit: Nanos,
    /// Ending a request: interrupt, driver, waking the sender.
    pub complete: Nanos,
    /// Of this, what a processor does under the lock of the request's queue, on
    /// submission and again on completion; added to the two.
    pub queue_lock: Nanos,
    /// Accesses to the controller's registers on submission, under the lock.
    pub submit_registers: Nanos,
    /// Accesses to the controller's registers on completion, under the lock.
    pub complete_registers: Nanos,
}

/// What the controller's cores do for whom, and how long it takes.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ControllerSpec {
    /// Number of cores.
    pub cores: u32,
    /// Core that handles read commands.
    pub core_read: u32,
    /// Core that handles write and TRIM commands.
    pub core_write: u32,
    /// Core that handles GC and folding.
    pub core_background: u32,
    /// A read command.
    pub read_command: Nanos,
    /// A write command.
    pub write_command: Nanos,
    /// Each page of a read command after the first.
    pub read_page: Nanos,
    /// Each page of a write command after the first.
    pub write_page: Nanos,
    /// Segments of the mapping table at hand in fast memory.
    pub l2p_segments: u32,
    /// Pages a segment covers.
    pub l2p_segment_pages: u32,
    /// A read in a segment that is not at hand.
    pub read_l2p_miss: Nanos,
    /// A write in a segment that is not at hand.
    pub write_l2p_miss: Nanos,
    /// Moving one page in GC: look up, check, map.
    pub gc_page: Nanos,
    /// Moving one page in folding: check, map.
    pub fold_page: Nanos,
}

/// Map pages on flash: one for each segment of the mapping table.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct L2pCacheSpec {
    /// tR of a map page.
    pub read: Nanos,
    /// tPROG of a multi-plane page of map pages.
    pub program: Nanos,
    /// tBERS of a block of map pages.
    pub erase: Nanos,
    /// Multi-plane pages programmed for each erase of a block.
    pub programs_per_erase: u32,
}

/// DRAM buffers.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BufferSpec {
    /// Pages of written data that may await their program operation.
    pub write_pages: u32,
    /// Pages read ahead of a sequential stream; 0 for none.
    pub read_ahead_pages: u32,
    /// What is written again before its multi-plane page is full takes the same place.
    pub coalesces: bool,
    /// It serves one direction at a time: reads wait until what was written is programmed.
    pub half_duplex: bool,
    /// What the turn to reads takes the firmware then, where data was programmed before it.
    pub turnaround: Nanos,
    /// Capacitors make it as safe as flash: FUA writes and flushes end when data is in it.
    pub plp: bool,
}

/// Which full superblock to collect next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Policy {
    /// The one with the fewest valid pages.
    Greedy,
    /// The one that was closed first.
    Fifo,
    /// The one with the highest age × (1 − u) / 2u, u being its share of valid pages.
    CostBenefit,
    /// Of some drawn at random, the one with the fewest valid pages.
    DChoices {
        /// How many are drawn.
        choices: u32,
    },
}

/// GC.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GcSpec {
    /// Victim selection.
    pub policy: Policy,
    /// GC runs while fewer superblocks of the data area are free.
    pub start_superblocks: u32,
    /// Superblocks of the data area kept back for GC (and folding) itself: at
    /// least 3, since one may be half collected, one half filled by the host, and one must
    /// be left to collect into.
    pub reserve_superblocks: u32,
    /// Superblocks of the cache kept back for GC itself.
    pub slc_reserve_superblocks: u32,
    /// Multi-plane pages under way at the same time.
    pub depth: u32,
}

/// What happens while the host is silent.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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
    /// Free superblocks of the data area that it aims at.
    pub target_superblocks: u32,
}

/// TRIM.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrimSpec {
    /// False: the command is accepted and forgotten.
    pub enabled: bool,
    /// A command.
    pub command: Nanos,
    /// Each 1,024 pages of the range.
    pub per_1024_pages: Nanos,
    /// True: pages lying in the SLC cache are freed like any other. False: they lose
    /// their address, but stay in the cache's log until they are folded.
    pub reaches_cache: bool,
    /// False: the command waits until its queue is empty, and keeps others waiting until
    /// it has ended. SATA and AHCI only.
    pub queued: bool,
    /// Each range of the command.
    pub per_range: Nanos,
    /// What a range of the command can hold.
    pub range_bytes_max: u64,
    /// Taking the addresses away costs time; `None` for nothing beside
    /// [`TrimSpec::per_1024_pages`].
    pub work: Option<TrimWorkSpec>,
    /// Superblocks that TRIM has emptied are erased without need, one after another, with
    /// this rest after each; `None`: when their space is needed, as any.
    pub erase_pause: Option<Nanos>,
}

/// How addresses are taken away.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrimWorkSpec {
    /// Pages looked at together.
    pub chunk_pages: u32,
    /// Each page of a piece that has an address.
    pub per_page: Nanos,
    /// True: the command ends when its range is noted, and the core that does the drive's
    /// own work follows. False: it ends when its last piece has.
    pub lazy: bool,
    /// True: what is noted reads as trimmed. False: as what it held, until its turn comes.
    pub deterministic: bool,
    /// Rest of the core's work for TRIM after each piece; `None`: the next follows at once.
    pub pause: Option<Nanos>,
}

/// What things take of energy.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EnergySpec {
    /// Sensing a multi-plane page, of the SLC cache and of the data area, pJ.
    pub read_pj: [u64; 2],
    /// Programming a multi-plane page, by pool, pJ.
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
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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

/// The whole of a share, parts per million.
pub(crate) const WHOLE_PPM: u32 = 1_000_000;

/// Share of time in which commands are admitted, by temperature.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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

/// How long the flash lives; figures of the SLC cache and of the data area.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HealthSpec {
    /// Erase cycles that it is rated for.
    pub rated_cycles: [u32; 2],
    /// Erase cycles after which a superblock is retired; [`u32::MAX`]: never.
    pub end_of_life_cycles: [u32; 2],
    /// Superblocks of the data area kept aside to take the place of retired ones.
    pub spare_superblocks: u32,
    /// Share of the spare ones below which the drive warns, percent.
    pub spare_threshold_percent: u32,
}

/// Blocks that wear and go bad one by one. A block is what a superblock has on one die.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BlocksSpec {
    /// Erases that a block of the SLC cache and of the data area bears in the mean;
    /// [`u32::MAX`]: any number.
    pub life_cycles: [u32; 2],
    /// Standard deviation of that, percent of the mean.
    pub life_spread_percent: u32,
    /// Blocks of each die beside those of its superblocks.
    pub spare_blocks: u32,
    /// Share of all blocks that are bad from the factory, parts per million.
    pub factory_bad_ppm: u32,
    /// Share of all programs that fail, parts of 10^9.
    pub program_failure_ppb: u32,
    /// Which blocks live for how long.
    pub seed: u64,
}

/// What keeps the mapping, and data that was promised, over a power cut.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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
    pub journal_interval_pages: u32,
    /// Journal pages after which the changed parts of the mapping are written, so that
    /// these pages are needed no more.
    pub checkpoint_pages: u32,
    /// From power to the first read of the flash.
    pub boot: Nanos,
    /// Bringing back one page that the journal names.
    pub replay_page: Nanos,
}

/// Pages that share a word line and are programmed in several passes: a pass that is cut
/// short tears the pages of the passes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PairedPages {
    /// All pages of a word line are programmed in one pass: there is nothing to tear.
    OneShot,
    /// Data counts as safe when its word line is full; whoever waits for it has the rest
    /// of the word line filled with nothing.
    Pad,
    /// Nothing is done: a cut may take what a flush has promised.
    Unprotected,
}

/// What a drive has that does not go with [`Spec::power_loss`], as its description names it:
/// pages that are programmed at once have no pairs that a cut could tear.
pub fn power_loss_excludes(spec: &Spec) -> Option<&'static str> {
    let one_shot = |loss: &PowerLossSpec| loss.paired_pages == PairedPages::OneShot;
    let excluded = [(
        spec.one_shot.is_some() && !spec.power_loss.as_ref().is_some_and(one_shot),
        "nand_commands.one_shot_program_us, unless paired_pages is \"one-shot\"",
    )];
    excluded.iter().find(|e| e.0).map(|e| e.1)
}
