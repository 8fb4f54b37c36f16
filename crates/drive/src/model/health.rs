//! The table `[health]`.

use serde::Deserialize;

use super::check::Checker;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::health::{FIGURES, NORMALS};
use crate::spec::HealthSpec;

/// Endurance, and what the drive tells of its health.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HealthTable {
    /// `ata`: a table of attributes. `nvme`: the health information log.
    pub protocol: Field<String>,
    /// Erase cycles that the flash is rated for.
    pub rated_cycles: Field<u32>,
    /// Those that it is rated for in SLC mode.
    pub slc_rated_cycles: Option<Field<u32>>,
    /// Erase cycles after which a superblock is retired.
    pub end_of_life_cycles: Option<Field<u32>>,
    /// The same of the SLC cache, which has no spare superblocks.
    pub slc_end_of_life_cycles: Option<Field<u32>>,
    /// Superblocks of the main area kept aside, to take the place of retired ones.
    pub spare_superblocks: Field<u32>,
    /// Share of them below which the drive warns, percent.
    pub spare_threshold_percent: Field<u32>,
    /// What its maker rates the drive to be written in its life, TB (10^12 bytes).
    pub rated_written_tb: Option<Field<u32>>,
    /// The attributes of an ATA drive.
    #[serde(default)]
    pub attributes: Vec<AttributeTable>,
}

/// An attribute of an ATA drive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeTable {
    /// Number.
    pub id: Field<u8>,
    /// Name, as smartctl shows it for this drive.
    pub name: Field<String>,
    /// The raw value: a name of [`crate::health::FIGURES`].
    pub raw: Field<String>,
    /// The normalised value: a name of [`crate::health::NORMALS`].
    pub value: Field<String>,
    /// Threshold; 0 for none.
    pub thresh: Field<u8>,
    /// Flags as in the drive's attribute data.
    pub flags: Field<u16>,
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(h) = &model.health else {
        return;
    };
    c.one_of("health.protocol", &h.protocol, &["ata", "nvme"]);
    c.range("health.rated_cycles", &h.rated_cycles, 1..=1_000_000);
    for (key, field) in [
        ("health.slc_rated_cycles", &h.slc_rated_cycles),
        ("health.end_of_life_cycles", &h.end_of_life_cycles),
        ("health.slc_end_of_life_cycles", &h.slc_end_of_life_cycles),
    ] {
        c.optional(key, field, 1..=1_000_000);
    }
    c.optional(
        "health.rated_written_tb",
        &h.rated_written_tb,
        1..=1_000_000,
    );
    c.range("health.spare_superblocks", &h.spare_superblocks, 0..=65_536);
    c.range(
        "health.spare_threshold_percent",
        &h.spare_threshold_percent,
        0..=100,
    );
    let names = |table: &[(&'static str, _)]| table.iter().map(|f| f.0).collect::<Vec<_>>();
    let figures: Vec<&str> = FIGURES.iter().map(|f| f.0).collect();
    let normals: Vec<&str> = names(NORMALS);
    for attribute in &h.attributes {
        c.range("health.attributes.id", &attribute.id, 1..=255);
        c.source("health.attributes.name", &attribute.name);
        c.one_of("health.attributes.raw", &attribute.raw, &figures);
        c.one_of("health.attributes.value", &attribute.value, &normals);
        c.range("health.attributes.thresh", &attribute.thresh, 0..=100);
        c.source("health.attributes.flags", &attribute.flags);
    }
}

impl Model {
    /// What the drive is rated to be written in its life, bytes; `None` where its model does
    /// not say.
    pub fn rated_bytes(&self) -> Option<u64> {
        let rated = self.health.as_ref()?.rated_written_tb.as_ref()?;
        Some(u64::from(rated.get()) * 1_000_000_000_000)
    }
}

pub(super) fn spec(model: &Model) -> Option<HealthSpec> {
    let h = model.health.as_ref()?;
    let most = |field: &Option<Field<u32>>| field.as_ref().map_or(u32::MAX, Value::get);
    Some(HealthSpec {
        rated_cycles: [most(&h.slc_rated_cycles), h.rated_cycles.get()],
        end_of_life_cycles: [most(&h.slc_end_of_life_cycles), most(&h.end_of_life_cycles)],
        spare_superblocks: h.spare_superblocks.get(),
        spare_threshold_percent: h.spare_threshold_percent.get(),
    })
}
