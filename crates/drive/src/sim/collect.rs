//! Garbage collection of the main area: a full superblock is read slot by slot, its
//! valid units are written elsewhere, and it is erased.
//!
//! Collection runs while the main area has fewer free superblocks than
//! [`crate::spec::CollectSpec::start_superblocks`], or, while the host is silent, than
//! [`crate::spec::IdleSpec::target_superblocks`]. What it moves enters the drive where
//! host data does.

use std::collections::VecDeque;

use stend_nand::{Class, Work};

use super::controller::Job;
use super::layout::Pool;
use super::policy::Candidate;
use super::write::StreamId;
use super::{Purpose, SimDrive};
use crate::spec::UNIT_BYTES;

#[derive(Clone, Copy, Debug)]
struct Victim {
    superblock: u32,
    /// Next slot to look at, within the superblock.
    next: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    victim: Option<Victim>,
    /// Slots read, and not yet written elsewhere.
    under_way: u32,
    /// Emptied superblocks whose units are not yet all programmed elsewhere, each with the
    /// number of the first slot begun after it.
    leaving: VecDeque<(u32, u64)>,
}

impl SimDrive {
    /// Begins as much of collection as may run now.
    pub(super) fn pump_collect(&mut self) {
        while self.may_collect() {
            if self.collector.victim.is_none() && !self.choose_victim() {
                return;
            }
            if !self.collect_next_slot() {
                return;
            }
        }
    }

    fn may_collect(&self) -> bool {
        let collect = &self.spec.collect;
        let asked = if self.idle.working() {
            self.idle.in_slice() && self.idle_wants_collection()
        } else {
            self.free_slots[Pool::Main as usize] < self.collection_wants()
        };
        asked
            && self.collector.under_way + self.writer.collected_slots_under_way() < collect.depth
            && self.collect_has_space()
    }

    /// Free slots of the main area below which collection runs.
    fn collection_wants(&self) -> i64 {
        let wanted = self.slots(Pool::Main, self.spec.collect.start_superblocks);
        match self.entry_pool() {
            Pool::Main => wanted.max(self.host_pressed()),
            Pool::Cache => wanted,
        }
    }

    /// Whether idle work has anything to collect for.
    pub(super) fn idle_wants_collection(&self) -> bool {
        let target = self.slots(Pool::Main, self.spec.idle.target_superblocks);
        self.free_slots[Pool::Main as usize] < target.max(self.collection_wants())
    }

    fn collect_has_space(&self) -> bool {
        let units = self.spec.units_per_slot;
        let above = match self.entry_pool() {
            Pool::Main => true,
            Pool::Cache => {
                let floor = self.spec.collect.cache_reserve_superblocks;
                self.free_slots[Pool::Cache as usize] > self.slots(Pool::Cache, floor)
            }
        };
        above && self.stream_has_room(StreamId::Collect, units)
    }

    fn choose_victim(&mut self) -> bool {
        let main = *self.layout.pool(Pool::Main);
        let range = main.first_superblock..main.first_superblock + main.superblocks;
        // What is wholly valid yields nothing, whatever the policy.
        let all = main.data_slots_per_superblock * self.spec.units_per_slot;
        let candidates = range
            .filter(|&s| self.superblocks.is_closed(s))
            .map(|superblock| Candidate {
                superblock,
                valid_units: self.mapping.valid_in(superblock),
                closed_at: self.superblocks.closed_at(superblock),
            })
            .filter(|c| c.valid_units < all);
        let Some(chosen) = self.spec.collect.policy.choose(candidates) else {
            return false;
        };
        self.superblocks.leave(chosen.superblock);
        self.collector.victim = Some(Victim {
            superblock: chosen.superblock,
            next: 0,
        });
        true
    }

    /// Reads the next slot with valid units. False when nothing more can begin now.
    fn collect_next_slot(&mut self) -> bool {
        let victim = self.collector.victim.expect("a victim was chosen");
        let slots = self.layout.pool(Pool::Main).slots_per_superblock;
        let first = self.layout.first_slot(victim.superblock);
        let mut next = victim.next;
        while next < slots && self.mapping.valid_bits(first + next) == 0 {
            next += 1;
        }
        let end = (next + 1).min(slots);
        self.free_slots[Pool::Main as usize] += i64::from(end - victim.next);
        self.collector.victim = Some(Victim {
            next: end,
            ..victim
        });
        if next == slots {
            return self.victim_emptied();
        }
        let slot = first + next;
        let units = self.mapping.valid_bits(slot).count_ones();
        self.collector.under_way += 1;
        self.promise(StreamId::Collect, self.spec.units_per_slot);
        let work = Work::Read {
            sense: self.page_read_time(slot),
            bytes: units * UNIT_BYTES as u32,
        };
        let (_, die) = self.layout.row_and_die(slot);
        let purpose = Purpose::Collect { slot };
        self.array.submit(
            &mut self.queue,
            die,
            Class::Background,
            work,
            purpose.pack(),
        );
        true
    }

    /// All slots have been looked at: gives the victim up when the last one has been
    /// written elsewhere. True when the next victim may be chosen at once.
    fn victim_emptied(&mut self) -> bool {
        if self.collector.under_way > 0 {
            return false;
        }
        let victim = self.collector.victim.take().expect("a victim was chosen");
        // What was moved must be in flash before its source goes.
        self.pad_collected();
        let ticket = self.writer.slots_begun();
        self.collector
            .leaving
            .push_back((victim.superblock, ticket));
        self.erase_left();
        true
    }

    /// Erases the superblocks whose units have all been programmed elsewhere.
    pub(super) fn erase_left(&mut self) {
        while let Some(&(superblock, ticket)) = self.collector.leaving.front() {
            if self.writer.collects_before(ticket) {
                return;
            }
            self.collector.leaving.pop_front();
            self.erase(superblock);
        }
    }

    pub(super) fn collect_arrived(&mut self, slot: u32) {
        self.expect_moves(slot);
        let units = u64::from(self.mapping.valid_bits(slot).count_ones());
        let spec = &self.spec.controller;
        let (core, time) = (spec.core_background, spec.collect_unit * units);
        let job = Job::Collected { slot };
        self.controller.submit(&mut self.queue, core, job, time);
    }

    /// The units that are still valid get a new place.
    pub(super) fn collect_moved(&mut self, slot: u32) {
        let valid = self.mapping.valid_bits(slot);
        for unit in 0..self.spec.units_per_slot {
            if valid >> unit & 1 == 0 {
                continue;
            }
            let physical = (slot << self.layout.unit_bits) + unit;
            let logical = self.mapping.logical_of(physical);
            let stamp = self.mapping.stamp_of(physical);
            self.append(StreamId::Collect, logical, stamp);
            self.close_if_full(StreamId::Collect);
            self.counters.units_collected += 1;
        }
        // Only now: what is promised covers what is being placed.
        self.unpromise(StreamId::Collect, self.spec.units_per_slot);
        self.collector.under_way -= 1;
        let slots = self.layout.pool(Pool::Main).slots_per_superblock;
        if self.collector.victim.is_some_and(|v| v.next == slots) {
            self.victim_emptied();
        }
        self.pump_all();
    }

    /// The mapping of the units in a slot will soon change.
    pub(super) fn expect_moves(&self, slot: u32) {
        let first = slot << self.layout.unit_bits;
        for physical in first..first + self.spec.units_per_slot {
            self.mapping
                .expect(u64::from(self.mapping.logical_of(physical)));
        }
    }
}
