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
    /// Its row and die.
    row: u32,
    die: u32,
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
        if self.durability.is_some()
            && !self.stream_has_room(StreamId::Collect, self.spec.units_per_slot)
        {
            self.urge();
        }
    }

    #[inline]
    fn may_collect(&self) -> bool {
        let asked = if self.idle.working() {
            self.idle.in_slice() && self.idle_wants_collection()
        } else {
            self.free_slots[Pool::Main as usize] < self.limits.collect_start
        };
        let under_way = self.collector.under_way + self.writer.collected_slots_under_way();
        asked && under_way < self.spec.collect.depth && self.collect_has_space()
    }

    /// Whether idle work has anything to collect for.
    pub(super) fn idle_wants_collection(&self) -> bool {
        self.free_slots[Pool::Main as usize] < self.limits.collect_idle
    }

    #[inline]
    fn collect_has_space(&self) -> bool {
        let above = match self.limits.entry_pool {
            Pool::Main => true,
            Pool::Cache => self.free_slots[Pool::Cache as usize] > self.limits.collect_cache_floor,
        };
        above && self.stream_has_room(StreamId::Collect, self.spec.units_per_slot)
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
            row: 0,
            die: 0,
        });
        true
    }

    /// Reads the next slot with valid units. False when nothing more can begin now.
    fn collect_next_slot(&mut self) -> bool {
        let victim = self.collector.victim.as_mut().expect("a victim was chosen");
        let slots = self.layout.pool(Pool::Main).slots_per_superblock;
        let first = self.layout.first_slot(victim.superblock);
        let begin = victim.next;
        let mut found = None;
        while victim.next < slots && found.is_none() {
            let slot = first + victim.next;
            let valid = self.mapping.valid_bits(slot);
            if valid != 0 {
                found = Some((slot, valid.count_ones(), victim.row, victim.die));
            }
            victim.next += 1;
            victim.die += 1;
            if victim.die == self.layout.dies {
                victim.die = 0;
                victim.row += 1;
            }
        }
        self.free_slots[Pool::Main as usize] += i64::from(victim.next - begin);
        let Some((slot, units, row, die)) = found else {
            return self.victim_emptied();
        };
        self.mapping.expect_gather(slot);
        self.collector.under_way += 1;
        self.promise(StreamId::Collect, self.spec.units_per_slot);
        let work = Work::Read {
            sense: self.limits.read[Pool::Main as usize][row as usize],
            bytes: units * UNIT_BYTES as u32,
        };
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
            self.let_go(superblock);
        }
    }

    pub(super) fn collect_arrived(&mut self, slot: u32) {
        let valid = self.mapping.valid_bits(slot);
        self.mapping.expect_moves(slot);
        let units = u64::from(valid.count_ones());
        let spec = &self.spec.controller;
        let (core, time) = (spec.core_background, spec.collect_unit * units);
        let job = Job::Collected { slot };
        self.controller.submit(&mut self.queue, core, job, time);
    }

    /// The units that are still valid get a new place.
    pub(super) fn collect_moved(&mut self, slot: u32) {
        let valid = self.mapping.valid_bits(slot);
        let count = valid.count_ones();
        self.place_collected(slot, valid, count);
        self.counters.units_collected += u64::from(count);
        // Only now: what is promised covers what is being placed.
        self.unpromise(StreamId::Collect, self.spec.units_per_slot);
        self.collector.under_way -= 1;
        let slots = self.layout.pool(Pool::Main).slots_per_superblock;
        if self.collector.victim.is_some_and(|v| v.next == slots) {
            self.victim_emptied();
        }
        self.pump_all();
    }
}
