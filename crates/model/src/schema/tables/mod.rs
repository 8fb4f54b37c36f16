//! The tables of a drive file, in the order in which they are written: their keys, each with its
//! meaning, default and what is allowed, and the checks of keys that depend on others.

pub mod blocks;
pub mod controller;
pub mod encryption;
pub mod gc;
pub mod health;
pub mod host;
pub mod media;
pub mod nand;
pub mod power;
pub mod power_loss;
pub mod scheduling;
pub mod slc_cache;
pub mod trim;
pub mod variation;

use std::sync::LazyLock;

use self::blocks::Blocks;
use self::controller::{Controller, Dram, L2pCache};
use self::encryption::Encryption;
use self::gc::{Gc, Idle, Streams, WearLevelling};
use self::health::HealthTable;
use self::host::Host;
use self::media::Media;
use self::nand::{Capacity, Nand, NandCommands, Parity};
use self::power::{EnergyTable, IdleStateTable, ThermalTable};
use self::power_loss::PowerLoss;
use self::scheduling::Scheduling;
use self::slc_cache::SlcCache;
use self::trim::Trim;
use self::variation::Variation;
use super::document::DescribedTable;
use super::key::{Field, Table as _, table};
use super::rules::OneLine;

table! {
    /// A drive model.
    pub struct Model = "" {
        /// `"stend.drive/2"`.
        schema: String;
        /// Short name, as typed on the command line.
        name: String, OneLine;
        /// The drive's name, as shown.
        title: String, OneLine;
        /// Kind of the drive, in a sentence or two.
        description: String;
        /// The year in which the drive came out. Nothing is simulated from it.
        release_year: Option<Field<u32>>, 1990..=2100;
        /// `true`: the drive is predicted from its parts and its rated figures;
        /// [`stend fit`](fitting.md) refuses to fit it.
        predicted: bool = false;
        /// Address space of the host.
        capacity: Capacity;
        /// The flash.
        nand: Nand;
        /// Commands of its dies beyond plain reading, programming and erasing.
        nand_commands: Option<NandCommands>;
        /// Which of the work that waits for a die is next.
        scheduling: Option<Scheduling>;
        /// Differences among operations that are alike by design.
        variation: Option<Variation>;
        /// The SLC cache, if there is one.
        slc_cache: Option<SlcCache>;
        /// Parity over dies, if there is any.
        parity: Option<Parity>;
        /// The host interface.
        host: Host;
        /// The controller.
        controller: Controller;
        /// DRAM and what it is used for.
        dram: Dram;
        /// The mapping table (L2P) on flash, if DRAM does not hold all of it.
        l2p_cache: Option<L2pCache>;
        /// Garbage collection.
        gc: Gc;
        /// Work without requests of the host.
        idle: Idle;
        /// TRIM.
        trim: Trim;
        /// Errors of the flash, if they are modelled.
        media: Option<Media>;
        /// Data of different age or heat in superblocks of its own.
        streams: Option<Streams>;
        /// Wear levelling.
        wear_levelling: Option<WearLevelling>;
        /// Energy, if it is modelled.
        energy: Option<EnergyTable>;
        /// Idle states, the deepest last.
        idle_states: Vec<IdleStateTable>;
        /// Heat, if it is modelled.
        thermal: Option<ThermalTable>;
        /// Endurance, and what the drive tells of its health.
        health: Option<HealthTable>;
        /// Blocks that wear and go bad one by one.
        blocks: Option<Blocks>;
        /// Data that survives a power cut, if that is modelled.
        power_loss: Option<PowerLoss>;
        /// Encryption by the drive, if it has any.
        encryption: Option<Encryption>;
    } plus {
        /// FNV-1a hash of the bytes of [`Model::text`]: tells whether a model was edited.
        fingerprint: u64;
        /// The model as one text without parts: that of its file, or of
        /// [`crate::Files::text`].
        text: String;
        /// Optional tables of which the file says that the drive has nothing of the kind, each with
        /// the reason.
        absent: Vec<(&'static str, String)>;
        /// The parts that its file includes; none where the text was resolved already.
        parts: Vec<String>;
    }
}

/// Descriptions of all tables, in the order in which they are written; the first is the file
/// itself.
pub(crate) static DESCRIBED: LazyLock<Vec<DescribedTable>> =
    LazyLock::new(|| Model::document(false, false));

impl Model {
    /// Reason why the drive has nothing of the kind of an optional table, if its file states it.
    pub fn absent(&self, table: &str) -> Option<&str> {
        let found = self.absent.iter().find(|(name, _)| *name == table);
        found.map(|(_, reason)| reason.as_str())
    }
}
