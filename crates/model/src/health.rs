//! The health of a drive in figures, and the names of these figures in a drive file. This module
//! does not depend on their display by tools.

use stend_base::Nanos;

/// Erase cycles of the superblocks of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cycles {
    /// Minimum.
    pub min: u32,
    /// Mean.
    pub mean: f64,
    /// Maximum.
    pub max: u32,
}

/// Blocks that go bad one by one. A block is the part of a superblock on one die.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockHealth {
    /// Blocks bad from the factory, over all dies.
    pub factory_bad: u32,
    /// Blocks gone bad since, over all dies.
    pub grown_bad: u32,
    /// Spare blocks of the die that has the fewest.
    pub spares_least: u32,
    /// Spare blocks of the die that had the fewest when the drive was new.
    pub spares_least_new: u32,
    /// Erase cycles of the blocks in use, of the SLC cache and the data area together.
    pub cycles: Cycles,
}

/// The temperature of a drive, m°C, and the time for which it was too high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Temperature {
    /// Now.
    pub now_mc: i64,
    /// Lowest since power-on.
    pub min_mc: i64,
    /// Highest since power-on.
    pub max_mc: i64,
    /// Time at or above the warning temperature.
    pub warning: Nanos,
    /// Time at or above the critical temperature.
    pub critical: Nanos,
    /// Time in which not all commands were admitted at once.
    pub throttled: Nanos,
    /// True if it is at or above the warning temperature.
    pub is_too_warm: bool,
    /// Share of the time in which commands are admitted now, parts per million.
    pub share_ppm: u32,
}

/// A drive's health at one instant, since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Health {
    /// Bytes read by the host.
    pub host_read_bytes: u64,
    /// Bytes written by the host.
    pub host_written_bytes: u64,
    /// Read commands.
    pub host_reads: u64,
    /// Write commands.
    pub host_writes: u64,
    /// Bytes programmed, in every mode, with parity and padding.
    pub nand_written_bytes: u64,
    /// Erase cycles of the data area.
    pub cycles: Cycles,
    /// Erase cycles of the SLC cache.
    pub slc_cycles: Option<Cycles>,
    /// Mean cycles as a share of the rated ones, of the data area or of the SLC cache, whichever is
    /// more; above 100 after the rated life. `None` if no cycles are rated.
    pub used_percent: Option<u64>,
    /// Superblocks retired at the end of their life.
    pub retired_superblocks: u32,
    /// Present only if blocks are modelled one by one.
    pub blocks: Option<BlockHealth>,
    /// Share of the spare superblocks and spare blocks that is left, on the die that has the
    /// fewest.
    pub spare_percent: u64,
    /// Spare percentage below which the drive warns.
    pub spare_threshold_percent: u64,
    /// True if the drive accepts no more writes.
    pub read_only: bool,
    /// Time since power-on.
    pub power_on: Nanos,
    /// Busy time of the cores, summed over cores.
    pub core_busy: Nanos,
    /// Times that the power was switched on.
    pub power_cycles: u64,
    /// Times that the power was cut without a shutdown.
    pub unsafe_shutdowns: u64,
    /// Requests that could not be served because of the flash.
    pub media_errors: u64,
    /// Lost sectors of 512 bytes that the host requested, counted at each request.
    pub uncorrectable_sectors: u64,
    /// Uncorrectable bit error rate: [`Health::uncorrectable_sectors`] over the requested bits, as
    /// JEDEC's JESD218 defines it (data errors over bits read). `None` if errors of the flash are
    /// not modelled, and before the first read.
    pub uber: Option<f64>,
    /// Present if the model has heat.
    pub temperature: Option<Temperature>,
}

/// m°C as whole degrees.
fn celsius(mc: i64) -> u64 {
    (mc.max(0) as u64 + 500) / 1000
}

impl Health {
    /// The temperature in whole degrees, °C.
    pub fn temperature_c(&self) -> Option<u64> {
        self.temperature.map(|t| celsius(t.now_mc))
    }
}

/// Function that returns a figure of a drive's health.
pub type Figure = fn(&Health) -> u64;

/// The figures by the names used for `raw` of an attribute.
pub const FIGURES: &[(&str, Figure)] = &[
    ("zero", |_| 0),
    ("power_on_hours", |h| h.power_on.0 / 3_600_000_000_000),
    ("power_cycles", |h| h.power_cycles),
    ("unsafe_shutdowns", |h| h.unsafe_shutdowns),
    ("media_errors", |h| h.media_errors),
    ("uncorrectable_sectors", |h| h.uncorrectable_sectors),
    ("retired_superblocks", |h| u64::from(h.retired_superblocks)),
    ("grown_bad_blocks", |h| of_blocks(h, |b| b.grown_bad)),
    ("factory_bad_blocks", |h| of_blocks(h, |b| b.factory_bad)),
    ("spare_blocks_least", |h| of_blocks(h, |b| b.spares_least)),
    ("cycles_min", |h| u64::from(h.cycles.min)),
    ("cycles_mean", |h| h.cycles.mean as u64),
    ("cycles_max", |h| u64::from(h.cycles.max)),
    ("slc_cycles_mean", |h| {
        h.slc_cycles.map_or(0, |cycles| cycles.mean as u64)
    }),
    ("used_percent", |h| h.used_percent.unwrap_or(0)),
    ("temperature_c", |h| h.temperature_c().unwrap_or(0)),
    ("host_written_sectors", |h| h.host_written_bytes / 512),
    ("host_read_sectors", |h| h.host_read_bytes / 512),
    ("host_written_gib", |h| h.host_written_bytes >> 30),
    ("host_read_gib", |h| h.host_read_bytes >> 30),
    ("nand_written_gib", |h| h.nand_written_bytes >> 30),
];

fn of_blocks(health: &Health, figure: fn(&BlockHealth) -> u32) -> u64 {
    health.blocks.as_ref().map_or(0, |b| u64::from(figure(b)))
}

/// Function that returns the normalised value of an attribute, now and at its worst.
pub type Normal = fn(&Health) -> [u64; 2];

/// The normalised values by the names used for `value` of an attribute.
pub const NORMALS: &[(&str, Normal)] = &[
    ("full", |_| [100; 2]),
    ("life_left", |h| {
        [100u64.saturating_sub(h.used_percent.unwrap_or(0)).max(1); 2]
    }),
    ("spare_left", |h| [h.spare_percent.max(1); 2]),
    ("below_100_c", |h| {
        let below = |mc: i64| 100u64.saturating_sub(celsius(mc)).max(1);
        h.temperature
            .map_or([100; 2], |t| [below(t.now_mc), below(t.max_mc)])
    }),
];

/// The figure with a name.
pub fn figure(name: &str) -> Option<Figure> {
    FIGURES.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}

/// The normalised value with a name.
pub fn normal(name: &str) -> Option<Normal> {
    NORMALS.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}
