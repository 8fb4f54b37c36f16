//! `[streams]`: data of different age or heat in superblocks of its own.

use serde::Deserialize;
use stend_base::Nanos;

use super::check::Checker;
use super::schema::Model;
use super::sourced::{Field, Value};
use crate::spec::{Spec, StreamsSpec, UNIT_BYTES};

/// Data of different age or heat in superblocks of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Streams {
    /// Switch.
    pub enabled: Field<bool>,
    /// Open superblocks for what the host writes, by heat.
    pub host_streams: Field<u32>,
    /// Open superblocks for what was collected, by how often it has been.
    pub collect_streams: Field<u32>,
    /// What a counter of heat covers, KiB of user data.
    pub heat_group_kib: Field<u32>,
    /// The counters are halved once while so much is overwritten, percent of the capacity.
    pub heat_window_percent: Field<u32>,
    /// Telling the heat of a write, ns of a core for each write command.
    pub classify_ns: Field<u64>,
}

fn enabled(model: &Model) -> Option<&Streams> {
    model.streams.as_ref().filter(|s| s.enabled.get())
}

pub(super) fn check(c: &mut Checker<'_>, model: &Model) {
    let Some(s) = &model.streams else {
        return;
    };
    c.source("streams.enabled", &s.enabled);
    c.range("streams.host_streams", &s.host_streams, 1..=4);
    c.range("streams.collect_streams", &s.collect_streams, 1..=4);
    c.range("streams.heat_group_kib", &s.heat_group_kib, 4..=65_536);
    c.power_of_two("streams.heat_group_kib", &s.heat_group_kib);
    let window = &s.heat_window_percent;
    c.range("streams.heat_window_percent", window, 10..=10_000);
    c.range("streams.classify_ns", &s.classify_ns, 0..=1_000_000);
    let cached = model.slc_cache.as_ref().is_some_and(|s| s.enabled.get());
    if s.enabled.get() && cached {
        let message = "all data enters the SLC cache in one order and is folded in it; switch \
                       slc_cache.enabled off, or this";
        c.report("streams.enabled", &s.enabled, message.to_string());
    }
}

/// Whether the buffer serves so many streams, when every figure on its own is sane.
pub(super) fn check_buffer(c: &mut Checker<'_>, model: &Model, spec: &Spec) {
    let Some(s) = enabled(model) else {
        return;
    };
    let slots = s.host_streams.get() + 1;
    if spec.buffer.write_units < slots * spec.program_units() {
        let message = format!(
            "{} is not allowed; each stream holds a multi-plane page that waits to be full, so \
             dram.write_buffer_kib must be at least {} KiB for that many, or they fewer",
            s.host_streams.get(),
            slots * spec.program_units() * 4
        );
        c.report("streams.host_streams", &s.host_streams, message);
    }
}

/// DRAM that the counters take, KiB.
pub(super) fn table_kib(model: &Model) -> u64 {
    let counts = |s: &Streams| {
        let bytes = u64::from(s.heat_group_kib.get()) * 1024;
        model
            .capacity
            .user_bytes
            .get()
            .div_ceil(bytes)
            .div_ceil(1024)
    };
    enabled(model)
        .filter(|s| s.host_streams.get() > 1)
        .map_or(0, counts)
}

pub(super) fn resolve(model: &Model) -> Option<StreamsSpec> {
    enabled(model).map(|s| StreamsSpec {
        host_streams: s.host_streams.get(),
        collect_streams: s.collect_streams.get(),
        heat_group_units: s.heat_group_kib.get() / (UNIT_BYTES / 1024) as u32,
        heat_window_percent: s.heat_window_percent.get(),
        classify: Nanos(s.classify_ns.get()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Model, demo};

    const TABLE: &str = "
[streams]
enabled = { value = true, source = \"assumed\" }
host_streams = { value = 3, source = \"assumed\" }
collect_streams = { value = 2, source = \"assumed\" }
heat_group_kib = { value = 64, source = \"assumed\" }
heat_window_percent = { value = 200, source = \"assumed\" }
classify_ns = { value = 150, source = \"assumed\" }
";

    /// A shipped model without an SLC cache, with this table.
    fn with(table: &str) -> Result<Model, String> {
        let shipped = Model::shipped("samsung-850-pro-256gb").expect("it is shipped");
        let text = format!("{}{table}", shipped.text);
        Model::parse(&text, "m.toml").map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_becomes_streams_and_a_switch_takes_them_away() {
        let spec = with(TABLE).expect("it is sound").spec();
        assert_eq!(spec.further_streams(), 3);
        let streams = spec.streams.expect("it has streams");
        assert_eq!((streams.host_streams, streams.collect_streams), (3, 2));
        assert_eq!(streams.heat_group_units, 16);
        assert_eq!(streams.classify.0, 150);
        let off = with(&TABLE.replace("true", "false")).expect("it is sound");
        assert_eq!(off.spec(), with("").expect("it is sound").spec());
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (from, to, key, part) in [
            ("value = 3", "value = 5", "host_streams", "from 1 to 4"),
            ("value = 2,", "value = 0,", "collect_streams", "from 1 to 4"),
            (
                "value = 64",
                "value = 48",
                "heat_group_kib",
                "a power of two",
            ),
            (
                "value = 200",
                "value = 9",
                "heat_window_percent",
                "10 to 10000",
            ),
            (
                "value = 3, source = \"assumed\"",
                "value = 3, source = \"\"",
                "host_streams",
                "source",
            ),
        ] {
            assert!(TABLE.contains(from));
            let said = with(&TABLE.replacen(from, to, 1)).expect_err(to);
            assert!(said.contains(&format!("streams.{key}: ")), "{said}");
            assert!(said.contains(part), "{said}");
        }
        let text = format!("{}{TABLE}", demo());
        let said = Model::parse(&text, "m.toml").expect_err("it has a cache");
        let said = said.to_string();
        assert!(said.contains("streams.enabled: all data enters"), "{said}");
    }
}
