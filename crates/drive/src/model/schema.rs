//! The shape of a model file.

use serde::Deserialize;

use super::commands::NandCommands;
use super::energy::{EnergyTable, IdleStateTable};
use super::health::HealthTable;
use super::host::Host;
use super::map::Map;
use super::media::Media;
use super::slc_cache::SlcCache;
use super::sourced::Field;
use super::thermal::ThermalTable;
use super::trim::Trim;

/// A drive model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Always [`super::SCHEMA`].
    pub schema: toml::Spanned<String>,
    /// Short name, as typed on the command line.
    pub name: String,
    /// The drive's name.
    pub title: String,
    /// What kind of model it is, in a sentence or two.
    pub description: String,
    /// Never fitted: the drive is predicted from its parts and its rated figures.
    #[serde(default)]
    pub predicted: bool,
    /// What the host may address.
    pub capacity: Capacity,
    /// The flash.
    pub nand: Nand,
    /// What its dies can do beside one plain operation at a time.
    pub nand_commands: Option<NandCommands>,
    /// The SLC cache, if there is one.
    pub slc_cache: Option<SlcCache>,
    /// Parity over dies, if there is any.
    pub parity: Option<Parity>,
    /// The way from the host.
    pub host: Host,
    /// The controller.
    pub controller: Controller,
    /// DRAM and what it is used for.
    pub dram: Dram,
    /// The mapping table on flash, if DRAM does not hold all of it.
    pub map: Option<Map>,
    /// Garbage collection.
    pub collection: Collection,
    /// What happens while the host is silent.
    pub idle: Idle,
    /// TRIM.
    pub trim: Trim,
    /// Errors of the flash, if they are modelled.
    pub media: Option<Media>,
    /// Data of different age or heat in superblocks of its own.
    pub streams: Option<super::streams::Streams>,
    /// Which superblocks are erased how often.
    pub wear_levelling: Option<super::wear_levelling::WearLevelling>,
    /// What things take of energy.
    pub energy: Option<EnergyTable>,
    /// States of little power, the deepest last.
    #[serde(default)]
    pub idle_states: Vec<IdleStateTable>,
    /// Heat.
    pub thermal: Option<ThermalTable>,
    /// Endurance, and what the drive tells of its health.
    pub health: Option<HealthTable>,
    /// Blocks that wear and go bad one by one.
    pub blocks: Option<super::blocks::Blocks>,
    /// What a power cut leaves, if that is modelled.
    pub power_loss: Option<super::power_loss::PowerLoss>,
    /// FNV-1a hash of the bytes of [`Model::text`]: tells whether a model was edited.
    #[serde(skip)]
    pub fingerprint: u64,
    /// The model as one text without parts: that of its file, or of [`super::Files::text`].
    #[serde(skip)]
    pub text: String,
}

/// What the host may address.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// Bytes; a multiple of 4,096.
    pub user_bytes: Field<u64>,
}

/// The flash.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nand {
    /// Name of the generation, for people.
    pub generation: Field<String>,
    /// Channels.
    pub channels: Field<u32>,
    /// Dies.
    pub dies: Field<u32>,
    /// Planes of a die, always used together.
    pub planes: Field<u32>,
    /// Page size, KiB.
    pub page_kib: Field<u32>,
    /// Pages of a block in the native mode.
    pub pages_per_block: Field<u32>,
    /// Blocks of a plane in the main area: what can hold user data in the native mode,
    /// parity included.
    pub blocks_per_plane: Field<u32>,
    /// tR by page type, µs. The number of entries is the bits of a cell.
    pub read_us: Field<Vec<f64>>,
    /// tPROG by page type, µs. As many entries as `read_us`.
    pub program_us: Field<Vec<f64>>,
    /// tBERS, µs.
    pub erase_us: Field<f64>,
    /// Speed of a channel, MB/s (10^6).
    pub bus_mb_per_s: Field<u32>,
    /// Command and address cycles of a transfer, ns.
    pub bus_overhead_ns: Field<u64>,
}

/// Parity over dies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parity {
    /// Switch.
    pub enabled: Field<bool>,
    /// Pages of data for each page of parity.
    pub data_pages: Field<u32>,
}

/// The controller.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// Its name, for people.
    pub name: Field<String>,
    /// Cores.
    pub cores: Field<u32>,
    /// `shared`: one core does everything. `divided`: reads, writes, and the drive's own
    /// work have a core each, as far as there are cores.
    pub assignment: Field<String>,
    /// A read command, ns.
    pub read_command_ns: Field<u64>,
    /// A write command, ns.
    pub write_command_ns: Field<u64>,
    /// Each 4 KiB of a read command after the first, ns.
    pub read_unit_ns: Field<u64>,
    /// Each 4 KiB of a write command after the first, ns.
    pub write_unit_ns: Field<u64>,
    /// Mapping segments at hand in fast memory.
    pub map_segments: Field<u32>,
    /// What a segment covers, KiB of user data.
    pub map_segment_kib: Field<u32>,
    /// A read in a segment that is not at hand, ns.
    pub read_map_miss_ns: Field<u64>,
    /// A write in a segment that is not at hand, ns.
    pub write_map_miss_ns: Field<u64>,
    /// Moving 4 KiB in garbage collection, ns of a core.
    pub collect_unit_ns: Field<u64>,
    /// Moving 4 KiB in folding, ns of a core.
    pub fold_unit_ns: Field<u64>,
}

/// DRAM and what it is used for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// Size, MiB; it must hold the mapping table, 4 bytes for each 4 KiB.
    pub size_mib: Field<u32>,
    /// Written data that may await its program, KiB.
    pub write_buffer_kib: Field<u32>,
    /// Read ahead of a sequential stream, KiB; 0 for none.
    pub read_ahead_kib: Field<u32>,
    /// Whether what is written again before its page is full takes the same place; not if
    /// not named.
    pub coalesce_writes: Option<Field<bool>>,
    /// Whether the buffer serves one direction at a time, so that reads wait until what was
    /// written is programmed; not if not named.
    pub one_direction: Option<Field<bool>>,
    /// What the turn to reads takes the firmware then, where data was programmed before it, ns;
    /// none if not named.
    pub turn_ns: Option<Field<u64>>,
    /// Whether capacitors make what is in the buffer as safe as flash, so that FUA writes and
    /// flushes need not wait for programs; not if not named.
    pub protected: Option<Field<bool>>,
}

/// Garbage collection.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// `greedy`, `fifo`, `cost-benefit` or `d-choices`.
    pub policy: Field<String>,
    /// Superblocks that `d-choices` draws; with that policy alone.
    pub choices: Option<Field<u32>>,
    /// It runs while fewer superblocks of the main area are free.
    pub start_superblocks: Field<u32>,
    /// Superblocks of the main area kept back for the drive's own work.
    pub reserve_superblocks: Field<u32>,
    /// Superblocks of the SLC cache kept back for collection; 0 without a cache.
    pub cache_reserve_superblocks: Field<u32>,
    /// Pages under way at the same time.
    pub depth: Field<u32>,
}

/// What happens while the host is silent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idle {
    /// Switch.
    pub enabled: Field<bool>,
    /// Silence before it begins, ms.
    pub delay_ms: Field<u64>,
    /// Length of a slice of work and rest, ms.
    pub slice_ms: Field<u64>,
    /// Share of a slice spent working, percent.
    pub duty_percent: Field<u32>,
    /// Free superblocks of the main area that it aims at.
    pub target_superblocks: Field<u32>,
}
