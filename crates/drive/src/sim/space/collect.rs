//! Garbage collection of the main area: a full superblock is read slot by slot, its
//! valid units are written elsewhere, and it is erased. An SLC cache that is emptied through
//! the controller is emptied in the same way.
//!
//! Collection runs while the main area has fewer free superblocks than
//! [`crate::spec::CollectSpec::start_superblocks`], or, while the host is silent, than
//! [`crate::spec::IdleSpec::target_superblocks`]. What it moves enters the drive where
//! host data does.

use std::collections::VecDeque;

use stend_nand::Class;

use crate::sim::controller::Job;
use crate::sim::data::streams::StreamId;
use crate::sim::map::layout::Pool;
use crate::sim::space::cache::Kind;
use crate::sim::space::policy::{Chooser, Closed};
use crate::sim::space::wear::Levelling;
use crate::sim::{Purpose, SimDrive};
use crate::spec::{Spec, UNIT_BYTES};

/// Why a superblock is emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Reason {
    Space,
    /// It belongs to an SLC cache that is emptied through the controller.
    Cache,
    /// To level the wear.
    Wear,
    /// Its data has lain there for long.
    Age,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Victim {
    superblock: u32,
    /// Where its valid units go.
    stream: StreamId,
    kind: Kind,
    reason: Reason,
    /// Next slot to look at, within the superblock.
    next: u32,
    /// How many there are.
    slots: u32,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Collector {
    chooser: Chooser,
    levelling: Option<Levelling>,
    victim: Option<Victim>,
    /// Slots read, and not yet written elsewhere.
    under_way: u32,
    /// Emptied superblocks whose units are not yet all programmed elsewhere, each with the
    /// number of the first slot begun after it.
    leaving: VecDeque<(u32, u64)>,
}

impl Collector {
    pub fn new(spec: &Spec) -> Collector {
        Collector {
            chooser: Chooser::new(spec.collect.policy),
            levelling: Levelling::new(spec.wear.as_ref()),
            victim: None,
            under_way: 0,
            leaving: VecDeque::new(),
        }
    }

    /// Where what is being collected goes; with nothing chosen yet, what has not been
    /// collected before.
    #[inline]
    fn stream(&self) -> StreamId {
        self.victim.map_or(StreamId::COLLECT, |v| v.stream)
    }
}

impl SimDrive {
    /// Begins as much of collection as may run now. Whether more may not, until something
    /// changes; it need not be called again before.
    #[inline(always)]
    pub(in crate::sim) fn pump_collect(&mut self) -> bool {
        if self.may_collect() {
            return self.collect_on();
        }
        if self.durability.is_some() {
            self.urge_for_collection();
        }
        true
    }

    #[inline(never)]
    fn collect_on(&mut self) -> bool {
        loop {
            let goes_on = match self.collector.victim {
                // Its units may go elsewhere than was asked for.
                None => self.choose_victim(),
                Some(_) => self.collect_next_slot(),
            };
            if !goes_on {
                return false;
            }
            if !self.may_collect() {
                break;
            }
        }
        if self.durability.is_some() {
            self.urge_for_collection();
        }
        true
    }

    #[inline(always)]
    fn urge_for_collection(&mut self) {
        if self.awaits_superblocks()
            && !self.stream_has_room(self.collector.stream(), self.env.spec.units_per_slot)
        {
            self.urge();
        }
    }

    #[inline(always)]
    fn may_collect(&self) -> bool {
        let otherwise =
            || self.empties_cache().is_some() || self.refreshes() || self.finishes_cache_victim();
        let asked = self.wants_space() || self.limits.collects_otherwise && otherwise();
        let under_way = self.collector.under_way + self.writer.collected_slots_under_way();
        asked && !self.read_only && under_way < self.collect_depth() && self.collect_has_space()
    }

    /// Slots that may be under way.
    #[inline]
    fn collect_depth(&self) -> u32 {
        match self.limits.emptying_paced {
            None => self.env.spec.collect.depth,
            Some(slots) => self.emptying_depth(slots),
        }
    }

    /// While all there is to do is to empty the cache, and nobody waits for it, `slots` and no
    /// more.
    #[cold]
    fn emptying_depth(&self, slots: u32) -> u32 {
        let depth = self.env.spec.collect.depth;
        let hurries = self.idle.working()
            || self.wants_space()
            || self.cache_pressed()
            || self.main_wants_dynamic();
        if hurries { depth } else { depth.min(slots) }
    }

    /// Whether the main area is to be collected for its space.
    #[inline]
    fn wants_space(&self) -> bool {
        if self.idle.working() {
            self.idle.in_slice() && self.idle_wants_collection()
        } else {
            self.free_slots[Pool::Main as usize] < self.limits.collect_start
        }
    }

    /// Whether what is being emptied of the cache is emptied to its end, though nothing more
    /// is to be: a write that is kept or lost as a whole may need all of its space at once.
    #[inline]
    fn finishes_cache_victim(&self) -> bool {
        self.durability.is_some()
            && !self.idle.working()
            && self
                .collector
                .victim
                .is_some_and(|v| v.reason == Reason::Cache)
    }

    /// Whether what is being collected is written anew since it is old.
    pub(in crate::sim) fn refreshes_victim(&self) -> bool {
        let victim = self.collector.victim.as_ref();
        victim.is_some_and(|victim| victim.reason == Reason::Age)
    }

    /// Whether idle work has anything to collect for.
    pub(in crate::sim) fn idle_wants_collection(&self) -> bool {
        self.free_slots[Pool::Main as usize] < self.limits.collect_idle
    }

    #[inline]
    fn collect_has_space(&self) -> bool {
        let enters_cache = self.limits.always[StreamId::COLLECT.number()] == Some(Kind::STATIC);
        let above = !enters_cache
            || self.free_slots[Pool::Cache as usize] > self.limits.collect_cache_floor;
        above && self.stream_has_room(self.collector.stream(), self.env.spec.units_per_slot)
    }

    fn choose_victim(&mut self) -> bool {
        if let Some(nth) = self.empties_cache() {
            let superblock = self.superblocks.take_closed_cache(nth);
            self.begin_victim(superblock, StreamId::COLLECT, Reason::Cache);
            return true;
        }
        if !self.wants_space() {
            return self.choose_old();
        }
        let closed = Closed::new(&self.env.layout, &self.superblocks, &self.mapping);
        let levelled = match &mut self.collector.levelling {
            Some(levelling) => levelling.choose(&closed),
            None => None,
        };
        let chosen = match levelled {
            Some(least_worn) => least_worn,
            None => {
                let Some(chosen) = self.collector.chooser.choose(&closed) else {
                    return false;
                };
                if let Some(levelling) = &mut self.collector.levelling {
                    levelling.collects();
                }
                chosen
            }
        };
        self.superblocks.leave(chosen.superblock);
        let stream = self.stream_of_collected(chosen.superblock, levelled.is_some());
        let reason = match levelled {
            Some(_) => Reason::Wear,
            None => Reason::Space,
        };
        self.begin_victim(chosen.superblock, stream, reason);
        true
    }

    /// Chooses the superblock whose data has to be written anew before it cannot be read.
    fn choose_old(&mut self) -> bool {
        let Some(superblock) = self.take_old() else {
            return false;
        };
        self.superblocks.leave(superblock);
        let stream = self.stream_of_collected(superblock, false);
        self.begin_victim(superblock, stream, Reason::Age);
        self.look_for_old();
        true
    }

    fn begin_victim(&mut self, superblock: u32, stream: StreamId, reason: Reason) {
        let kind = self.kind_of(superblock);
        self.collector.victim = Some(Victim {
            superblock,
            stream,
            kind,
            reason,
            next: 0,
            slots: self.env.layout.shape(kind.mode).slots,
        });
    }

    /// Reads the next slot with valid units. False when nothing more can begin now.
    fn collect_next_slot(&mut self) -> bool {
        let victim = self.collector.victim.as_mut().expect("a victim was chosen");
        let Victim { stream, kind, .. } = *victim;
        let first = self.env.layout.first_slot(victim.superblock);
        let begin = victim.next;
        let mut valid = 0;
        while victim.next < victim.slots && valid == 0 {
            valid = self.mapping.valid_bits(first + victim.next);
            victim.next += 1;
        }
        let end = victim.next;
        self.give_slots(kind, end - begin);
        if valid == 0 {
            return self.victim_emptied();
        }
        let (within, units) = (end - 1, valid.count_ones());
        let slot = first + within;
        let (row, die) = self.env.layout.shape(kind.mode).place(within);
        self.mapping
            .expect_next_moves(first, first + begin, first + end);
        self.collector.under_way += 1;
        self.promise(stream, self.env.spec.units_per_slot);
        self.env.counters.reads_of(kind.mode);
        let place = (die, self.limits.read[kind.mode as usize][row as usize]);
        let bytes = units * UNIT_BYTES as u32;
        self.read_flash(
            slot,
            place,
            bytes,
            Class::Background,
            Purpose::Collect { slot },
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
        self.pad_collected(victim.stream);
        let ticket = self.writer.slots_begun();
        self.collector
            .leaving
            .push_back((victim.superblock, ticket));
        self.erase_left();
        true
    }

    /// Erases the superblocks whose units have all been programmed elsewhere.
    pub(in crate::sim) fn erase_left(&mut self) {
        while let Some(&(superblock, ticket)) = self.collector.leaving.front() {
            if self.writer.collects_before(ticket) {
                return;
            }
            self.collector.leaving.pop_front();
            self.let_go(superblock);
        }
    }

    pub(in crate::sim) fn collect_arrived(&mut self, slot: u32) {
        let valid = self.mapping.valid_bits(slot);
        let units = u64::from(valid.count_ones());
        let spec = &self.env.spec.controller;
        let (core, time) = (spec.core_background, spec.collect_unit * units);
        let job = Job::Collected { slot };
        self.submit_moves(core, job, time, &[slot]);
    }

    /// The units that are still valid get a new place.
    pub(in crate::sim) fn collect_moved(&mut self, slot: u32) {
        let valid = self.mapping.valid_bits(slot);
        let count = valid.count_ones();
        let stream = self.collector.stream();
        self.place_collected(stream, slot, valid, count);
        let reason = self.collector.victim.map_or(Reason::Space, |v| v.reason);
        let moved = match reason {
            Reason::Space => &mut self.env.counters.units_collected,
            Reason::Cache => &mut self.env.counters.units_folded,
            Reason::Wear => &mut self.env.counters.units_levelled,
            Reason::Age => &mut self.env.counters.units_refreshed,
        };
        *moved += u64::from(count);
        // Only now: what is promised covers what is being placed.
        self.unpromise(stream, self.env.spec.units_per_slot);
        self.collector.under_way -= 1;
        if self.collector.victim.is_some_and(|v| v.next == v.slots) {
            self.victim_emptied();
        }
        self.pump_all();
    }
}
