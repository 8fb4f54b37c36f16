//! What a model must satisfy beyond its shape. Every problem names its line, its key
//! and what is allowed.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

use super::schema::Model;
use super::sourced::{Field, Value};
use super::{SCHEMA, line_of};
use super::{commands, map, media};
use crate::spec::UNIT_BYTES;

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct Problem {
    pub line: usize,
    pub key: Cow<'static, str>,
    pub message: String,
}

pub(super) struct Checker<'a> {
    text: &'a str,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    pub fn report<T>(&mut self, key: &'static str, field: &Field<T>, message: String) {
        self.problems.push(Problem {
            line: line_of(self.text, field.span().start),
            key: key.into(),
            message,
        });
    }

    pub fn source<T>(&mut self, key: &'static str, field: &Field<T>) {
        let source = field.get_ref().source.trim();
        let bare = ["fitted", ""];
        if bare.contains(&source) {
            let message = format!(
                "source is `{source}`; name a publication, or write `assumed` or \
                 `fitted: to what`"
            );
            self.report(key, field, message);
        }
    }

    pub fn range<T>(&mut self, key: &'static str, field: &Field<T>, allowed: RangeInclusive<T>)
    where
        T: PartialOrd + Display + Clone,
    {
        self.source(key, field);
        let value = field.get();
        if !allowed.contains(&value) {
            let message = format!(
                "{value} is not allowed; it must lie from {} to {}",
                allowed.start(),
                allowed.end()
            );
            self.report(key, field, message);
        }
    }

    /// [`Checker::range`] of a key that may be absent.
    pub fn optional<T>(
        &mut self,
        key: &'static str,
        field: &Option<Field<T>>,
        allowed: RangeInclusive<T>,
    ) where
        T: PartialOrd + Display + Clone,
    {
        if let Some(field) = field {
            self.range(key, field, allowed);
        }
    }

    /// [`Checker::source`] of a key that may be absent, of which any value will do.
    pub fn optional_source<T>(&mut self, key: &'static str, field: &Option<Field<T>>) {
        if let Some(field) = field {
            self.source(key, field);
        }
    }

    pub(super) fn one_of(&mut self, key: &'static str, field: &Field<String>, allowed: &[&str]) {
        self.source(key, field);
        let value = field.get();
        if !allowed.contains(&value.as_str()) {
            let message = format!("`{value}` is not known; allowed: {}", allowed.join(", "));
            self.report(key, field, message);
        }
    }

    fn times(&mut self, key: &'static str, field: &Field<Vec<f64>>) {
        self.source(key, field);
        let value = field.get();
        if !(1..=4).contains(&value.len()) {
            let message = format!(
                "{} entries; it must have one for each bit of a cell, 1 to 4",
                value.len()
            );
            self.report(key, field, message);
        }
        if let Some(bad) = value.iter().find(|us| !(1.0..=100_000.0).contains(*us)) {
            let message = format!("{bad} is not allowed; it must lie from 1 to 100000");
            self.report(key, field, message);
        }
    }

    pub(super) fn power_of_two(&mut self, key: &'static str, field: &Field<u32>) {
        if !field.get().is_power_of_two() {
            let message = format!("{} is not allowed; it must be a power of two", field.get());
            self.report(key, field, message);
        }
    }
}

/// Everything that is wrong with a model whose shape is right.
pub(super) fn problems(model: &Model, text: &str) -> Vec<Problem> {
    let mut checker = Checker {
        text,
        problems: Vec::new(),
    };
    if model.schema.get_ref() != SCHEMA {
        checker.problems.push(Problem {
            line: line_of(text, model.schema.span().start),
            key: "schema".into(),
            message: format!(
                "`{}` is not known; allowed: {SCHEMA}",
                model.schema.get_ref()
            ),
        });
    }
    nand(&mut checker, model);
    commands::check(&mut checker, model);
    map::check(&mut checker, model);
    media::check(&mut checker, model);
    super::slc_cache::check(&mut checker, model);
    parity(&mut checker, model);
    super::host::check(&mut checker, &model.host);
    controller(&mut checker, model);
    policies(&mut checker, model);
    super::streams::check(&mut checker, model);
    super::wear_levelling::check(&mut checker, model);
    super::energy::check(&mut checker, model);
    super::thermal::check(&mut checker, model);
    super::health::check(&mut checker, model);
    super::blocks::check(&mut checker, model);
    super::power_loss::check(&mut checker, model);
    if checker.problems.is_empty() {
        geometry(&mut checker, model);
        super::blocks::check_sizes(&mut checker, model);
        super::power_loss::check_sizes(&mut checker, model);
    }
    checker.problems
}

fn nand(c: &mut Checker<'_>, model: &Model) {
    let n = &model.nand;
    c.source("nand.generation", &n.generation);
    c.range("nand.channels", &n.channels, 1..=32);
    c.range("nand.dies", &n.dies, 1..=1024);
    c.range("nand.planes", &n.planes, 1..=4);
    c.power_of_two("nand.planes", &n.planes);
    c.range("nand.page_kib", &n.page_kib, 4..=32);
    c.power_of_two("nand.page_kib", &n.page_kib);
    c.range("nand.pages_per_block", &n.pages_per_block, 8..=8192);
    c.range("nand.blocks_per_plane", &n.blocks_per_plane, 16..=65_536);
    c.times("nand.read_us", &n.read_us);
    c.times("nand.program_us", &n.program_us);
    c.range("nand.erase_us", &n.erase_us, 1.0..=100_000.0);
    c.range("nand.bus_mb_per_s", &n.bus_mb_per_s, 20..=4800);
    c.range("nand.bus_overhead_ns", &n.bus_overhead_ns, 0..=100_000);
    if n.read_us.get().len() != n.program_us.get().len() {
        let message = format!(
            "{} entries, but nand.read_us has {}; both need one for each bit of a cell",
            n.program_us.get().len(),
            n.read_us.get().len()
        );
        c.report("nand.program_us", &n.program_us, message);
    }
    if n.dies.get() % n.channels.get().max(1) != 0 {
        let message = format!(
            "{} dies do not divide evenly over {} channels",
            n.dies.get(),
            n.channels.get()
        );
        c.report("nand.dies", &n.dies, message);
    }
}

fn parity(c: &mut Checker<'_>, model: &Model) {
    if let Some(p) = &model.parity {
        c.source("parity.enabled", &p.enabled);
        c.range("parity.data_pages", &p.data_pages, 1..=255);
    }
}

fn controller(c: &mut Checker<'_>, model: &Model) {
    let k = &model.controller;
    c.source("controller.name", &k.name);
    c.range("controller.cores", &k.cores, 1..=8);
    c.one_of(
        "controller.assignment",
        &k.assignment,
        &["shared", "divided"],
    );
    c.range(
        "controller.read_command_ns",
        &k.read_command_ns,
        0..=10_000_000,
    );
    c.range(
        "controller.write_command_ns",
        &k.write_command_ns,
        0..=10_000_000,
    );
    c.range("controller.read_unit_ns", &k.read_unit_ns, 0..=1_000_000);
    c.range("controller.write_unit_ns", &k.write_unit_ns, 0..=1_000_000);
    c.range("controller.map_segments", &k.map_segments, 1..=16_777_216);
    c.range(
        "controller.map_segment_kib",
        &k.map_segment_kib,
        4..=1_048_576,
    );
    c.range(
        "controller.read_map_miss_ns",
        &k.read_map_miss_ns,
        0..=1_000_000,
    );
    c.range(
        "controller.write_map_miss_ns",
        &k.write_map_miss_ns,
        0..=1_000_000,
    );
    c.range(
        "controller.collect_unit_ns",
        &k.collect_unit_ns,
        0..=10_000_000,
    );
    c.range("controller.fold_unit_ns", &k.fold_unit_ns, 0..=10_000_000);
    let d = &model.dram;
    c.range("dram.size_mib", &d.size_mib, 1..=65_536);
    c.range("dram.write_buffer_kib", &d.write_buffer_kib, 64..=1_048_576);
    c.range("dram.read_ahead_kib", &d.read_ahead_kib, 0..=65_536);
    c.optional_source("dram.coalesce_writes", &d.coalesce_writes);
    c.optional_source("dram.one_direction", &d.one_direction);
    c.optional("dram.turn_ns", &d.turn_ns, 0..=10_000_000);
    c.optional_source("dram.protected", &d.protected);
    if let Some(turn) = &d.turn_ns
        && !d.one_direction.as_ref().is_some_and(Value::get)
    {
        let message = "is only for dram.one_direction = true".to_owned();
        c.report("dram.turn_ns", turn, message);
    }
}

fn policies(c: &mut Checker<'_>, model: &Model) {
    let g = &model.collection;
    super::policy::check(c, g);
    c.range(
        "collection.start_superblocks",
        &g.start_superblocks,
        4..=65_536,
    );
    c.range(
        "collection.reserve_superblocks",
        &g.reserve_superblocks,
        3..=65_536,
    );
    c.range(
        "collection.cache_reserve_superblocks",
        &g.cache_reserve_superblocks,
        0..=65_536,
    );
    c.range("collection.depth", &g.depth, 1..=1024);
    let i = &model.idle;
    c.source("idle.enabled", &i.enabled);
    c.range("idle.delay_ms", &i.delay_ms, 1..=86_400_000);
    c.range("idle.slice_ms", &i.slice_ms, 1..=86_400_000);
    c.range("idle.duty_percent", &i.duty_percent, 1..=100);
    c.range("idle.target_superblocks", &i.target_superblocks, 0..=65_536);
    super::trim::check(c, &model.trim, &model.host);
    if g.start_superblocks.get() <= g.reserve_superblocks.get() {
        let message = format!(
            "{} is not allowed; it must be above collection.reserve_superblocks = {}",
            g.start_superblocks.get(),
            g.reserve_superblocks.get()
        );
        c.report(
            "collection.start_superblocks",
            &g.start_superblocks,
            message,
        );
    }
    let cached = model
        .slc_cache
        .as_ref()
        .is_some_and(|cache| cache.enabled.get() && super::slc_cache::takes_collected(cache));
    if cached && g.cache_reserve_superblocks.get() < 4 {
        let message = format!(
            "{} is not allowed; with an SLC cache it must be at least 4",
            g.cache_reserve_superblocks.get()
        );
        c.report(
            "collection.cache_reserve_superblocks",
            &g.cache_reserve_superblocks,
            message,
        );
    }
}

/// Whether the data fits: the last check, when every figure on its own is sane.
fn geometry(c: &mut Checker<'_>, model: &Model) {
    let spec = model.spec();
    let Some(layout) = crate::sim::capacity(&spec) else {
        let message = "dies × planes × blocks × pages are more units of 4 KiB than the \
                       mapping's 32 bits can number"
            .to_string();
        c.report(
            "nand.blocks_per_plane",
            &model.nand.blocks_per_plane,
            message,
        );
        return;
    };
    let user = &model.capacity.user_bytes;
    c.source("capacity.user_bytes", user);
    if user.get() % UNIT_BYTES != 0 || user.get() == 0 {
        let message = format!("{} is not a positive multiple of 4096", user.get());
        c.report("capacity.user_bytes", user, message);
        return;
    }
    let most_units = crate::sim::user_units_max(&spec).unwrap_or_default();
    let most = most_units * UNIT_BYTES;
    let kept = (layout.main_units - most_units).div_ceil(layout.main_superblock_units);
    if user.get() > most {
        let message = format!(
            "{} does not fit: {} dies × {} planes × {} blocks × {} pages × {} KiB hold {} bytes \
             of data, of which collection, open superblocks and spare keep {kept} superblocks; at \
             most {most} are left",
            user.get(),
            spec.dies,
            model.nand.planes.get(),
            spec.main.superblocks,
            spec.main.rows,
            model.nand.page_kib.get(),
            layout.main_units * UNIT_BYTES,
        );
        c.report("capacity.user_bytes", user, message);
    }
    dram(c, model);
    super::streams::check_buffer(c, model, &spec);
    let programs = spec.buffer_programs_min();
    if spec.buffer.write_units < programs * spec.program_units() {
        let message = format!("it must hold at least what {programs} programs of a die take");
        c.report(
            "dram.write_buffer_kib",
            &model.dram.write_buffer_kib,
            message,
        );
    }
    super::slc_cache::check_sizes(c, model, &spec);
}

/// Whether the DRAM holds what the model puts there.
fn dram(c: &mut Checker<'_>, model: &Model) {
    let dram = &model.dram;
    let all_kib = model.capacity.user_bytes.get() / UNIT_BYTES * 4 / 1024;
    let controller = &model.controller;
    let segment_kib = u64::from(controller.map_segment_kib.get()) / 1024;
    let at_hand_kib = u64::from(controller.map_segments.get()) * segment_kib;
    let map_kib = match &model.map {
        Some(_) => at_hand_kib.min(all_kib),
        None => all_kib,
    };
    let buffers_kib = u64::from(dram.write_buffer_kib.get()) + u64::from(dram.read_ahead_kib.get());
    let heat_kib = super::streams::table_kib(model);
    let need_mib = (map_kib + buffers_kib + heat_kib).div_ceil(1024);
    if u64::from(dram.size_mib.get()) < need_mib {
        let message = format!(
            "{} MiB cannot hold {need_mib} MiB: the mapping table of {} MiB (4 bytes for each \
             4 KiB), the write buffer and the read-ahead{}",
            dram.size_mib.get(),
            map_kib.div_ceil(1024),
            if heat_kib > 0 {
                ", and the counters of heat"
            } else {
                ""
            }
        );
        c.report("dram.size_mib", &dram.size_mib, message);
    }
    for (key, field) in [
        ("dram.write_buffer_kib", &dram.write_buffer_kib),
        ("dram.read_ahead_kib", &dram.read_ahead_kib),
        (
            "controller.map_segment_kib",
            &model.controller.map_segment_kib,
        ),
    ] {
        if !field.get().is_multiple_of(4) {
            let message = format!("{} is not allowed; it must be a multiple of 4", field.get());
            c.report(key, field, message);
        }
    }
}
