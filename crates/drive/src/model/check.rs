//! What a model must satisfy beyond its shape. Every problem names its line, its key
//! and what is allowed.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::resolve::{POLICIES, units_per_slot};
use super::schema::Model;
use super::sourced::{Field, Value};
use super::{SCHEMA, line_of};
use crate::spec::UNIT_BYTES;

/// One thing that is wrong.
#[derive(Debug)]
pub(super) struct Problem {
    pub line: usize,
    pub key: &'static str,
    pub message: String,
}

pub(super) struct Checker<'a> {
    text: &'a str,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    pub(super) fn report<T>(&mut self, key: &'static str, field: &Field<T>, message: String) {
        self.problems.push(Problem {
            line: line_of(self.text, field.span().start),
            key,
            message,
        });
    }

    pub(super) fn source<T>(&mut self, key: &'static str, field: &Field<T>) {
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

    pub(super) fn range<T>(
        &mut self,
        key: &'static str,
        field: &Field<T>,
        allowed: RangeInclusive<T>,
    ) where
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

    fn power_of_two(&mut self, key: &'static str, field: &Field<u32>) {
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
            key: "schema",
            message: format!(
                "`{}` is not known; allowed: {SCHEMA}",
                model.schema.get_ref()
            ),
        });
    }
    nand(&mut checker, model);
    cache_and_parity(&mut checker, model);
    host(&mut checker, model);
    controller(&mut checker, model);
    policies(&mut checker, model);
    super::power_loss::check(&mut checker, model);
    if checker.problems.is_empty() {
        geometry(&mut checker, model);
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

fn cache_and_parity(c: &mut Checker<'_>, model: &Model) {
    if let Some(s) = &model.slc_cache {
        c.source("slc_cache.enabled", &s.enabled);
        c.range(
            "slc_cache.blocks_per_plane",
            &s.blocks_per_plane,
            16..=65_536,
        );
        c.range("slc_cache.pages_per_block", &s.pages_per_block, 4..=4096);
        c.range("slc_cache.read_us", &s.read_us, 1.0..=10_000.0);
        c.range("slc_cache.program_us", &s.program_us, 1.0..=10_000.0);
        c.range("slc_cache.erase_us", &s.erase_us, 1.0..=100_000.0);
        c.range(
            "slc_cache.fold_start_percent",
            &s.fold_start_percent,
            0.0..=100.0,
        );
        let dies = model.nand.dies.get();
        c.range(
            "slc_cache.fold_dies_background",
            &s.fold_dies_background,
            0..=dies,
        );
        c.range("slc_cache.fold_pause_us", &s.fold_pause_us, 0..=10_000_000);
        let bits = model.nand.program_us.get().len() as u32;
        if s.pages_per_block.get() * bits != model.nand.pages_per_block.get() {
            let message = format!(
                "{} is not allowed; a block has nand.pages_per_block / bits of a cell = {} / \
                 {bits} word lines, and as many pages in SLC mode",
                s.pages_per_block.get(),
                model.nand.pages_per_block.get()
            );
            c.report("slc_cache.pages_per_block", &s.pages_per_block, message);
        }
    }
    if let Some(p) = &model.parity {
        c.source("parity.enabled", &p.enabled);
        c.range("parity.data_pages", &p.data_pages, 1..=255);
    }
}

fn host(c: &mut Checker<'_>, model: &Model) {
    let h = &model.host;
    c.one_of("host.interface", &h.interface, &["sata-6g"]);
    c.range("host.submit_ns", &h.submit_ns, 0..=1_000_000);
    c.range("host.complete_ns", &h.complete_ns, 0..=1_000_000);
    c.range("host.queue_slots", &h.queue_slots, 1..=32);
    c.range("host.link_mb_per_s", &h.link_mb_per_s, 100..=600);
    c.range("host.frame_bytes", &h.frame_bytes, 512..=8192);
    c.range("host.frame_overhead_ns", &h.frame_overhead_ns, 0..=100_000);
    c.range(
        "host.command_overhead_ns",
        &h.command_overhead_ns,
        0..=100_000,
    );
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
}

fn policies(c: &mut Checker<'_>, model: &Model) {
    let g = &model.collection;
    let names: Vec<&str> = POLICIES.iter().map(|p| p.0).collect();
    c.one_of("collection.policy", &g.policy, &names);
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
    let t = &model.trim;
    c.source("trim.enabled", &t.enabled);
    c.range("trim.command_ns", &t.command_ns, 0..=1_000_000_000);
    c.range(
        "trim.per_1024_units_ns",
        &t.per_1024_units_ns,
        0..=1_000_000_000,
    );
    c.source("trim.reaches_cache", &t.reaches_cache);
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
    let cached = model.slc_cache.as_ref().is_some_and(|s| s.enabled.get());
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
    // Beyond the user's data: what is kept back, what is open, one to collect into.
    let buffer = 2 * u64::from(spec.buffer.write_units);
    let spare = u64::from(spec.collect.start_superblocks + 3) * layout.main_superblock_units
        + if spec.cache.is_none() { buffer } else { 0 };
    let most = layout.main_units.saturating_sub(spare) * UNIT_BYTES;
    if user.get() > most {
        let message = format!(
            "{} does not fit: {} dies × {} planes × {} blocks × {} pages × {} KiB hold {} bytes \
             of data, of which collection keeps {} superblocks; at most {most} are left",
            user.get(),
            spec.dies,
            model.nand.planes.get(),
            spec.main.superblocks,
            spec.main.rows,
            model.nand.page_kib.get(),
            layout.main_units * UNIT_BYTES,
            spec.collect.start_superblocks + 3,
        );
        c.report("capacity.user_bytes", user, message);
    }
    dram(c, model);
    if spec.buffer.write_units < 2 * units_per_slot(model) {
        let message = "it must hold at least two multi-plane pages".to_string();
        c.report(
            "dram.write_buffer_kib",
            &model.dram.write_buffer_kib,
            message,
        );
    }
    if let (Some(cache), Some(field)) = (&spec.cache, &model.slc_cache) {
        // Five that may be half folded or open, two open, a cell's worth to fold, one.
        let need = spec.collect.cache_reserve_superblocks + 12;
        if cache.pool.superblocks < need {
            let message = format!(
                "{} is not allowed; collection's reserve and folding need at least {need}",
                cache.pool.superblocks
            );
            c.report(
                "slc_cache.blocks_per_plane",
                &field.blocks_per_plane,
                message,
            );
        }
    }
}

/// Whether the DRAM holds what the model puts there.
fn dram(c: &mut Checker<'_>, model: &Model) {
    let dram = &model.dram;
    let map_kib = model.capacity.user_bytes.get() / UNIT_BYTES * 4 / 1024;
    let buffers_kib = u64::from(dram.write_buffer_kib.get()) + u64::from(dram.read_ahead_kib.get());
    let need_mib = (map_kib + buffers_kib).div_ceil(1024);
    if u64::from(dram.size_mib.get()) < need_mib {
        let message = format!(
            "{} MiB cannot hold {need_mib} MiB: the mapping table of {} MiB (4 bytes for each \
             4 KiB), the write buffer and the read-ahead",
            dram.size_mib.get(),
            map_kib.div_ceil(1024)
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
