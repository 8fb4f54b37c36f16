//! `[health]` and `[[health.attributes]]`.

use super::super::convert::{cycles, value};
use super::super::key::{Field, table};
use super::super::rules::OneOf;
use super::Model;
use crate::health::{FIGURES, NORMALS};

table! {
    /// Endurance, and what the drive tells of its health.
    pub struct HealthTable = "health" => HealthSpec {
        /// `"ata"`: a table of attributes. `"nvme"`: the health information log.
        protocol: Field<String>, OneOf(&[("ata", ()), ("nvme", ())]);
        /// Erase cycles that the flash is rated for.
        rated_cycles: Field<u32>, 1..=1_000_000 => |health, _|
            /// Erase cycles that the SLC cache and the data area are rated for.
            rated_cycles: [u32; 2] = [cycles(&health.slc_rated_cycles), health.rated_cycles.value],
            /// Erase cycles after which a superblock of the SLC cache and of the data area is
            /// retired; [`u32::MAX`]: never.
            end_of_life_cycles: [u32; 2] = [
                cycles(&health.slc_end_of_life_cycles),
                cycles(&health.end_of_life_cycles),
            ];
        /// Those that it is rated for in SLC mode.
        slc_rated_cycles: Option<Field<u32>>, 1..=1_000_000;
        /// Erase cycles after which a superblock is retired.
        end_of_life_cycles: Option<Field<u32>>, 1..=1_000_000;
        /// The same of the SLC cache, which has no spare superblocks.
        slc_end_of_life_cycles: Option<Field<u32>>, 1..=1_000_000;
        /// Superblocks of the data area, of `nand.blocks_per_plane`, kept aside to take the place
        /// of retired ones.
        spare_superblocks: Field<u32>, 0..=65_536 => spare_superblocks: u32 = value;
        /// Share of them below which the drive warns, percent.
        spare_threshold_percent: Field<u32>, 0..=100 => spare_threshold_percent: u32 = value;
        /// Rated life: what can be written to the drive according to its maker, TB (10^12 bytes).
        rated_written_tb: Option<Field<u32>>, 1..=1_000_000;
        /// Years of the warranty: what is rated to be written is meant for them.
        warranty_years: Option<Field<u32>>, 1..=100;
        /// The attributes of an ATA drive.
        attributes: Vec<AttributeTable>;
    }
}

table! {
    /// An attribute of an ATA drive: one table each.
    pub struct AttributeTable = "health.attributes" {
        /// Number.
        id: Field<u8>, 1..=255;
        /// Name, as smartctl shows it for this drive.
        name: Field<String>;
        /// The raw value.
        raw: Field<String>, OneOf(FIGURES);
        /// The normalised value: `full` is 100, `below_100_c` 100 less the temperature.
        value: Field<String>, OneOf(NORMALS);
        /// Threshold; 0 for none.
        thresh: Field<u8>, 0..=100;
        /// Flags as in the drive's attribute data.
        flags: Field<u16>;
    }
}
