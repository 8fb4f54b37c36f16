//! `[capacity]`, `[nand]`, `[nand_commands]` and `[parity]`: the flash.

use super::super::key::{Field, Given, Problems, table};
use super::super::rules::{List, PowerOfTwo};
use super::Model;

table! {
    /// Address space of the host.
    pub struct Capacity = "capacity" {
        /// Bytes: a multiple of 4,096 that fits beside what the drive keeps for itself.
        user_bytes: Field<u64>;
    }
}

table! {
    /// The flash.
    pub struct Nand = "nand" {
        /// Name of the generation, for people.
        generation: Field<String>;
        /// Channels; die d is on channel d mod `channels`.
        channels: Field<u32>, 1..=32;
        /// Dies: a multiple of `channels`.
        dies: Field<u32>, 1..=1024;
        /// Planes of a die.
        planes: Field<u32>, PowerOfTwo(1..=4);
        /// Size of a flash page, KiB.
        page_kib: Field<u32>, PowerOfTwo(4..=32);
        /// Flash pages of a block in the native mode.
        pages_per_block: Field<u32>, 8..=8192;
        /// Blocks of a plane in the data area: what can hold user data in the native mode, parity
        /// included.
        blocks_per_plane: Field<u32>, 16..=65_536;
        /// tR by type of page, µs: one entry for each bit of a cell.
        read_us: Field<Vec<f64>>, TIMES_US;
        /// tPROG by type of page, µs: as many entries as `read_us`.
        program_us: Field<Vec<f64>>, TIMES_US;
        /// tBERS of a block, all planes at once, µs.
        erase_us: Field<f64>, 1.0..=100_000.0;
        /// Speed of a channel, MB/s (10^6).
        bus_mb_per_s: Field<u32>, 20..=4800;
        /// Command and address cycles of a transfer, ns.
        bus_overhead_ns: Field<u64>, 0..=100_000;
    }
}

table! {
    /// Commands of the dies beyond plain reading, programming and erasing.
    pub struct NandCommands = "nand_commands" {
        /// `true`: all planes of a die work together. Without it each plane's blocks make
        /// superblocks of their own.
        multi_plane: Field<bool> = true;
        /// Cache read: sensing goes on while data leaves the die.
        cache_read: Field<bool> = false;
        /// Cache program: the die takes data while its cells program.
        cache_program: Field<bool> = false;
        /// One-shot program: all pages of a word line at once, in this time, µs.
        one_shot_program_us: Option<Field<f64>>, 1.0..=100_000.0;
        /// Reads of the host suspend programs: time until the die can sense, µs.
        program_suspend_us: Option<Field<f64>>, 0.0..=10_000.0;
        /// The same for erases, µs.
        erase_suspend_us: Option<Field<f64>>, 0.0..=10_000.0;
        /// Time to resume either, µs; needs one of the two above.
        resume_us: Field<f64> = 0.0, 0.0..=10_000.0;
        /// Maximum number of reads that one operation lets pass; needs one of the two above.
        suspend_reads_max: Field<u32> = 1, 1..=1_000;
    }
}

table! {
    /// Parity over dies.
    pub struct Parity = "parity" {
        /// Switch.
        enabled: Field<bool>;
        /// Pages of data for each page of parity.
        data_pages: Field<u32>, 1..=255;
    }
}

const TIMES_US: List<f64> = List {
    entries: 1..=4,
    what: "one for each bit of a cell, 1 to 4",
    each: 1.0..=100_000.0,
    ascends: false,
};

/// Size of a multi-plane page, KiB.
pub(in super::super) fn mp_page_kib(model: &Model) -> u32 {
    planes_together(model) * model.nand.page_kib.value
}

/// Superblocks of so many blocks of each plane.
pub(in super::super) fn superblocks(model: &Model, blocks_per_plane: u32) -> u32 {
    blocks_per_plane * (model.nand.planes.value / planes_together(model))
}

/// Planes that work together.
pub(in super::super) fn planes_together(model: &Model) -> u32 {
    let apart = |commands: &NandCommands| !commands.multi_plane.value;
    match model.nand_commands.as_ref().is_some_and(apart) {
        true => 1,
        false => model.nand.planes.value,
    }
}

pub(crate) fn check(problems: &mut Problems, model: &Model) {
    let nand = &model.nand;
    let [reads, programs] = [&nand.read_us, &nand.program_us].map(|times| times.value.len());
    if reads != programs {
        let message = format!(
            "{programs} entries, but nand.read_us has {reads}; both need one for each bit of a cell"
        );
        problems.report(&nand.program_us, message);
    }
    let (dies, channels) = (nand.dies.value, nand.channels.value);
    if dies % channels.max(1) != 0 {
        let message = format!("{dies} dies do not divide evenly over {channels} channels");
        problems.report(&nand.dies, message);
    }
    if let Some(commands) = &model.nand_commands
        && commands.program_suspend_us.is_none()
        && commands.erase_suspend_us.is_none()
    {
        let needing: [&dyn Given; 2] = [&commands.resume_us, &commands.suspend_reads_max];
        let message = "it needs nand_commands.program_suspend_us or erase_suspend_us";
        problems.needs(&needing, message);
    }
}
