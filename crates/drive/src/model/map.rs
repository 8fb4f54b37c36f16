//! `[map]`: a mapping table on flash, of which DRAM holds a part.

use serde::Deserialize;

use super::check::Checker;
use super::resolve::micros;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::MapSpec;

/// The mapping table lies on flash; `controller.map_segments` of it are at hand.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// tR of a map page, µs.
    pub read_us: Field<f64>,
    /// tPROG of a multi-plane page of them, µs.
    pub program_us: Field<f64>,
    /// tBERS of their blocks, µs.
    pub erase_us: Field<f64>,
    /// Multi-plane pages of a block of theirs: so many programs cost an erase.
    pub pages_per_block: Field<u32>,
}

pub(super) fn resolve(model: &Model) -> Option<MapSpec> {
    let map = model.map.as_ref()?;
    Some(MapSpec {
        read: micros(map.read_us.get()),
        program: micros(map.program_us.get()),
        erase: micros(map.erase_us.get()),
        programs_per_erase: map.pages_per_block.get(),
    })
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(map) = &model.map else {
        return;
    };
    c.range("map.read_us", &map.read_us, 1.0..=10_000.0);
    c.range("map.program_us", &map.program_us, 1.0..=100_000.0);
    c.range("map.erase_us", &map.erase_us, 1.0..=100_000.0);
    c.range("map.pages_per_block", &map.pages_per_block, 1..=8_192);
    let controller = &model.controller;
    for (key, field) in [
        ("controller.read_map_miss_ns", &controller.read_map_miss_ns),
        (
            "controller.write_map_miss_ns",
            &controller.write_map_miss_ns,
        ),
    ] {
        if field.get() > 0 {
            let message = format!(
                "{} is not allowed beside [map]: a segment that is not at hand is read from \
                 flash there; write 0",
                field.get()
            );
            c.report(key, field, message);
        }
    }
}
