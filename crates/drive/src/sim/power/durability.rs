//! What a power cut leaves: the mapping as flash has it, beside the one in memory.
//!
//! Every change of the mapping is noted in a log, in the order in which it takes effect: a
//! write when all of it has its place, a TRIM, a move by collection or folding. A change is
//! *ready* when the data it names is programmed, *durable* when a journal page that names
//! it is programmed too ([`crate::sim::power::journal`]); then it is applied to the durable mapping.
//! Changes become durable in the order of the log, those of one request together. So what a
//! cut leaves is always the drive as it was after some request, and a flush waits for the
//! last change before it.
//!
//! # Whole requests
//! The parts of a write enter the log together, when the last has been placed. Until then
//! the durable mapping knows nothing of them. A write longer than the write buffer, or than
//! a superblock, does so in pieces of this size. Two rules follow:
//! - A write or a TRIM that overlaps a write partly placed waits for its end: else the
//!   order of the log would not be that of the units.
//! - A piece begins only when there is space for all of it. Else it could hold back, by
//!   what it overwrites, the very superblocks whose space it waits for.
//!
//! # Coalescing
//! What is written again while it lies in a slot being filled may take the same place. A
//! change that names the place would then bring data of a later request. So all changes from
//! the first that names the slot up to those of the later request become durable together.
//! Those before the slot is programmed are not ready; this never reaches what is journalled.
//!
//! # Erasing
//! A superblock is needed while the durable mapping points into it, or a change in the log
//! will make it. Only one that is not needed is erased; the others are awaited. Where
//! somebody finds no erased superblock, and some are awaited, the log is *urged*: slots
//! that the log waits for are filled up, and a journal page is written.

mod ready;
mod writes;

use std::collections::VecDeque;

use stend_base::Nanos;

use crate::sim::SimDrive;
use crate::sim::map::layout::Layout;
use crate::sim::map::mapping::{LOST, Mapping, UNMAPPED};
use crate::sim::map::memory;
use crate::sim::map::shape::Mode;
use crate::sim::power::changes::{Change, Entry, Spans};
use crate::sim::power::journal::Journal;
use crate::sim::power::part_writes::PartWrites;
use crate::sim::power::partial_parity::Groups;
use crate::sim::power::power_cut::Power;
use crate::spec::{PowerLossSpec, Spec};

/// Changes in the log above which it is urged, so that one slot that nobody fills does not
/// let it grow.
const LOG_ENTRIES: usize = 1 << 14;

const NONE: u32 = u32::MAX;

/// Faults to be switched on by the test that must find them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Canary {
    /// Superblocks are erased though the durable mapping still points into them.
    EraseEarly,
    /// A flush ends when its data is programmed, journal or not.
    FlushEarly,
    /// Each part of a write enters the log by itself.
    TornRequest,
    /// Requests that overlap do not wait for each other.
    Unordered,
    /// Parity of groups that are not full is not saved.
    ParityUnsaved,
    /// What a fold has copied counts as its own before its parity has been copied too.
    FoldEarly,
    /// A page that was lost does not enter the log.
    LossForgotten,
    /// Data put over what lies in an open slot does not wait for its own request.
    CoalesceTorn,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Durability {
    pub spec: PowerLossSpec,
    /// Where flash has each logical unit.
    #[serde(with = "crate::state::table")]
    pub durable: Vec<u32>,
    /// Units by superblock that the durable mapping has there, or will have.
    pub needed_in: Vec<u32>,
    awaited: Vec<bool>,
    awaited_count: u32,
    /// Awaited superblocks that are needed no more.
    erasable: Vec<u32>,
    log: VecDeque<Entry>,
    /// Units that the changes of the log name.
    named: u64,
    /// Changes applied so far: the number of the first in the log.
    pub applied: u64,
    /// Changes of the log that are ready, and the units they name: as they were when they were
    /// counted last, which is not until it matters.
    ready: usize,
    ready_units: u64,
    /// The same without a request of which only a part is ready.
    pub whole: usize,
    pub whole_units: u64,
    /// Somebody waits until this many changes are applied.
    pub wanted: u64,
    /// The same, from the next journal page on: who comes later must not keep the first
    /// waiting.
    wanted_next: u64,
    urged: bool,
    /// The slot that keeps the first change that is not ready from it, as it was found last.
    blocker: u32,
    /// The slot that keeps from being ready one of the changes without which they are too few
    /// for the journal; the number of this change, where it is known, behind which none of
    /// them waits; and the writer's count of moves, as it was when that was last seen.
    far_blocker: u32,
    far_change: u64,
    blocked_at: u64,
    /// Slots that were found to be safe; they are until they are erased.
    #[serde(skip)]
    safe: Spans,
    writes: PartWrites,
    /// Changes from this number on become durable together with the next that is noted.
    joined_from: u64,
    /// The longest write that is kept or lost as a whole.
    piece_units: u32,
    /// A write was not admitted, for those that have begun to take their places.
    refused: bool,
    /// One of them has more of them: what waited for that may go on.
    retry_writes: bool,
    /// A superblock is awaited from now on: whoever waits for its space may have to urge.
    retry_all: bool,
    pub journal: Journal,
    /// Parity of groups that are not full; only where errors of the flash are modelled.
    pub groups: Option<Box<Groups>>,
    pub power: Power,
    /// Time without power, up to the last start.
    pub off: Nanos,
    pub canary: Option<Canary>,
}

impl Durability {
    pub fn new(of: &PowerLossSpec, spec: &Spec, layout: &Layout, units: u32) -> Durability {
        let superblocks = layout.superblocks() as usize;
        Durability {
            spec: of.clone(),
            durable: memory::table(UNMAPPED, units as usize),
            needed_in: vec![0; superblocks],
            awaited: vec![false; superblocks],
            awaited_count: 0,
            erasable: Vec::with_capacity(superblocks),
            // It grows to what it needs: a ring is walked through all of its memory.
            log: VecDeque::with_capacity(LOG_ENTRIES / 4),
            named: 0,
            applied: 0,
            ready: 0,
            ready_units: 0,
            whole: 0,
            whole_units: 0,
            wanted: 0,
            wanted_next: 0,
            urged: false,
            blocker: NONE,
            far_blocker: NONE,
            far_change: u64::MAX,
            blocked_at: 0,
            safe: Spans::default(),
            writes: PartWrites::new(),
            refused: false,
            joined_from: u64::MAX,
            piece_units: piece_units(spec, layout),
            retry_writes: false,
            retry_all: false,
            journal: Journal::new(spec, units),
            groups: Groups::new(spec, layout),
            power: Power::On,
            off: Nanos::ZERO,
            canary: None,
        }
    }

    /// The number that the next change will have.
    pub fn tail(&self) -> u64 {
        self.applied + self.log.len() as u64
    }

    /// Somebody waits until all that is in the log is durable.
    pub fn want_all(&mut self) {
        let tail = self.tail();
        if self.wanted <= self.applied {
            self.wanted = tail;
        } else {
            self.wanted_next = tail;
        }
    }

    /// Changes from this number on become durable together with the next write.
    pub fn join_from(&mut self, number: u64) {
        self.joined_from = self.joined_from.min(number);
    }

    /// Joins what the next write has been put over with it. What is ready does not name the
    /// slot, which is still being filled.
    #[cold]
    fn join(&mut self) {
        let number = std::mem::replace(&mut self.joined_from, u64::MAX);
        if self.canary == Some(Canary::CoalesceTorn) {
            return;
        }
        let first = number.saturating_sub(self.applied) as usize;
        for entry in self.log.range_mut(first.max(self.ready)..) {
            entry.ends = false;
        }
    }

    /// Whether units `first..end` belong to a write that is partly placed.
    fn overlaps(&self, first: u32, end: u32) -> bool {
        self.writes.overlap(first, end) && self.canary != Some(Canary::Unordered)
    }

    fn push(&mut self, entry: Entry, superblock: Option<u32>) {
        let named = entry.named();
        self.named += named;
        if let Some(superblock) = superblock {
            self.needed_in[superblock as usize] += named as u32;
        }
        self.log.push_back(entry);
        if self.log.len() >= LOG_ENTRIES && self.wanted <= self.applied {
            self.want_all();
        }
    }

    /// Places of a slot have been moved to where `to` begins, in `superblock`.
    #[inline(never)]
    fn push_move(&mut self, change: Change, first: u32, units: u32, to: u32, superblock: u32) {
        let entry = Entry::new(change, first, units, to);
        self.push(entry, Some(superblock));
    }

    /// So many units less are needed of a superblock.
    #[inline]
    fn need_less(&mut self, superblock: u32, units: u32) {
        let i = superblock as usize;
        self.needed_in[i] -= units;
        if self.needed_in[i] == 0 && self.awaited[i] {
            self.awaited[i] = false;
            self.awaited_count -= 1;
            self.erasable.push(superblock);
        }
    }

    /// Makes the first `count` changes of the log part of the durable mapping.
    pub fn apply(&mut self, count: usize, mapping: &Mapping, layout: &Layout) {
        let mut log = std::mem::take(&mut self.log);
        let (mut soon, mut later) = (
            log.range(8.min(log.len())..),
            log.range(16.min(log.len())..),
        );
        for &entry in log.range(..count) {
            self.expect_changes(soon.next(), later.next(), mapping);
            self.apply_entry(entry, mapping, layout);
        }
        log.drain(..count);
        self.log = log;
        self.applied += count as u64;
        if self.wanted <= self.applied {
            self.wanted = self.wanted_next;
        }
    }

    /// Has the tables at hand for changes that follow: of those that moved something, first
    /// the names of what it was.
    #[inline]
    fn expect_changes(&self, soon: Option<&Entry>, later: Option<&Entry>, mapping: &Mapping) {
        let Some(soon) = soon else {
            return;
        };
        match soon.change {
            Change::Gather | Change::Transplant => {
                for place in soon.to..soon.to + soon.named() as u32 {
                    memory::prefetch(&self.durable, mapping.logical_of(place) as usize);
                }
            }
            _ => memory::prefetch(&self.durable, soon.first as usize),
        }
        if let Some(later) = later
            && matches!(later.change, Change::Gather | Change::Transplant)
        {
            mapping.expect_name(later.to);
        }
    }

    fn apply_entry(&mut self, entry: Entry, mapping: &Mapping, layout: &Layout) {
        let superblock = |unit: u32| layout.superblock_of_slot(unit >> layout.unit_bits);
        match entry.change {
            Change::Write if entry.units == 1 => self.apply_one(entry.first, entry.to, layout),
            Change::Write => self.apply_run(entry, (entry.to, 1), layout),
            Change::Trim => self.apply_run(entry, (UNMAPPED, 0), layout),
            Change::WriteLost => self.apply_run(entry, (LOST, 0), layout),
            Change::Lose => {
                let mut left = entry.units;
                while left != 0 {
                    let place = entry.first + left.trailing_zeros();
                    left &= left - 1;
                    let logical = mapping.logical_of(place);
                    // Something newer may have come in between.
                    if self.durable[logical as usize] == place {
                        self.durable[logical as usize] = LOST;
                        self.journal.changed(logical);
                        self.need_less(superblock(place), 1);
                    }
                }
            }
            Change::Gather => self.apply_move(entry, mapping, layout, true),
            Change::Transplant => self.apply_move(entry, mapping, layout, false),
        }
    }

    /// Units of one slot have been moved to places in a row, or to the same of another slot.
    #[inline(always)]
    fn apply_move(&mut self, entry: Entry, mapping: &Mapping, layout: &Layout, in_a_row: bool) {
        let (mut left, mut next) = (entry.units, entry.to);
        let (mut moved, mut stale, mut moved_last) = (0, 0, false);
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let old = entry.first + bit;
            let new = if in_a_row { next } else { entry.to + bit };
            next += 1;
            let logical = mapping.logical_of(new);
            // A unit that was moved before its write entered the log is not yet
            // known here; the write names the new place.
            let place = &mut self.durable[logical as usize];
            moved_last = *place == old;
            if moved_last {
                *place = new;
                self.journal.changed(logical);
                moved += 1;
            } else {
                stale += 1;
            }
        }
        // Those in one slot, these without the end of a superblock among them.
        let superblock = |unit: u32| layout.superblock_of_slot(unit >> layout.unit_bits);
        let (from, into) = (
            (superblock(entry.first), moved),
            (superblock(entry.to), stale),
        );
        // In the order in which the last of each was looked at.
        let order = if moved_last {
            [into, from]
        } else {
            [from, into]
        };
        for (superblock, units) in order {
            if units > 0 {
                self.need_less(superblock, units);
            }
        }
    }

    /// Gives one unit its place.
    #[inline(always)]
    fn apply_one(&mut self, unit: u32, to: u32, layout: &Layout) {
        let old = std::mem::replace(&mut self.durable[unit as usize], to);
        if old != to {
            self.journal.changed(unit);
        }
        if old < LOST {
            self.need_less(layout.superblock_of_slot(old >> layout.unit_bits), 1);
        }
    }

    /// Gives the units that a change names their places: the first one this, each further one
    /// a place `step` further on.
    #[inline(always)]
    fn apply_run(&mut self, entry: Entry, (to, step): (u32, u32), layout: &Layout) {
        let (mut first, end) = (entry.first, entry.first + entry.units);
        while first < end {
            // What one part of the table holds of it.
            let part_end = Journal::part_end(first).min(end);
            let new = to + (first - entry.first) * step;
            if self.apply_part(first..part_end, (new, step), layout) {
                self.journal.changed(first);
            }
            first = part_end;
        }
    }

    /// The same for units of one part of the table. Whether that changes anything.
    #[inline(always)]
    fn apply_part(
        &mut self,
        units: std::ops::Range<u32>,
        (to, step): (u32, u32),
        layout: &Layout,
    ) -> bool {
        let places = &mut self.durable[units.start as usize..units.end as usize];
        let (old, count) = (places[0], units.end - units.start);
        // What was written in a row mostly lay in a row, in one slot.
        let in_slot = (old & ((1 << layout.unit_bits) - 1)) + count <= 1 << layout.unit_bits;
        if old < LOST && in_slot && places.iter().zip(old..).all(|(&place, nth)| place == nth) {
            for (place, nth) in places.iter_mut().zip(0..) {
                *place = to + nth * step;
            }
            self.need_less(layout.superblock_of_slot(old >> layout.unit_bits), count);
            return old != to;
        }
        let mut differs = 0;
        for (unit, nth) in units.zip(0..) {
            let new = to + nth * step;
            let old = std::mem::replace(&mut self.durable[unit as usize], new);
            differs |= old ^ new;
            if old < LOST {
                self.need_less(layout.superblock_of_slot(old >> layout.unit_bits), 1);
            }
        }
        differs != 0
    }

    /// Notes that the first `count` ready changes, which named `units`, have gone.
    pub fn took(&mut self, count: usize, units: u64) {
        self.ready -= count;
        self.whole -= count;
        self.named -= units;
        // What is not in the log any more may be erased, and its slots filled again.
        (self.far_blocker, self.far_change) = (NONE, u64::MAX);
        self.ready_units -= units;
        self.whole_units -= units;
    }

    /// Forgets all that is not durable, and how far things were.
    pub fn forget_the_rest(&mut self, mapping: &Mapping) {
        // So that numbers of changes are not used twice.
        self.applied = self.tail();
        self.log.clear();
        self.named = 0;
        (self.ready, self.whole) = (0, 0);
        (self.ready_units, self.whole_units) = (0, 0);
        (self.wanted, self.wanted_next) = (self.applied, self.applied);
        for (superblock, needed) in (0u32..).zip(&mut self.needed_in) {
            *needed = mapping.valid_in(superblock);
        }
        self.awaited.fill(false);
        self.awaited_count = 0;
        self.erasable.clear();
        self.urged = false;
        self.blocker = NONE;
        (self.far_blocker, self.far_change) = (NONE, u64::MAX);
        self.safe = Spans::default();
        self.writes.clear();
        self.joined_from = u64::MAX;
        self.refused = false;
        self.retry_writes = false;
        self.retry_all = false;
    }

    /// Changes how many logical units there are, none of which has a place.
    pub fn set_logical_units(&mut self, spec: &Spec, units: u32) {
        assert!(self.log.is_empty(), "changes are not durable");
        self.durable = memory::table(UNMAPPED, units as usize);
        self.journal = Journal::new(spec, units);
    }

    /// Everything has been erased: nothing lies anywhere.
    pub fn forget_all(&mut self, mapping: &Mapping) {
        for logical in 0..self.durable.len() as u32 {
            if self.durable[logical as usize] != UNMAPPED {
                self.durable[logical as usize] = UNMAPPED;
                self.journal.changed(logical);
            }
        }
        self.forget_the_rest(mapping);
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "log {} from {}, ready {}, whole {}, wanted {}, next {}, first {:?}, awaited {} \
             erase {:?}, urged {}, writes {:?}, journal {}",
            self.log.len(),
            self.applied,
            self.ready,
            self.whole,
            self.wanted,
            self.wanted_next,
            self.log.get(self.ready),
            self.awaited_count,
            self.erasable,
            self.urged,
            self.writes,
            self.journal.diagnosis(),
        )
    }

    /// The first `count` changes of the log, or all.
    pub fn first_changes(&self, count: usize) -> impl Iterator<Item = &Entry> {
        self.log.range(..count.min(self.log.len()))
    }

    /// Changes in the log.
    pub fn log_len(&self) -> usize {
        self.log.len()
    }

    /// Units that all changes in the log name.
    pub fn named_in_log(&self) -> u64 {
        self.named
    }

    /// All changes in the log, whether their data is programmed or not.
    pub fn apply_all(&mut self, mapping: &Mapping, layout: &Layout) -> u64 {
        let named = self.named_in_log();
        self.apply(self.log.len(), mapping, layout);
        named
    }
}

/// The longest write that is kept or lost as a whole: what the write buffer holds, and what
/// one superblock does, since there must be space for it above what the drive keeps for
/// itself. In whole slots, so that pieces end where parts do.
fn piece_units(spec: &Spec, layout: &Layout) -> u32 {
    let mode = match spec.cache {
        Some(_) => Mode::Slc,
        None => Mode::Native,
    };
    let slots = layout.shape(mode).data_slots;
    slots.min(spec.buffer.write_units / spec.units_per_slot) * spec.units_per_slot
}

impl SimDrive {
    /// The units of a slot, one bit each, cannot be read any more.
    #[cold]
    pub(in crate::sim) fn log_loss(&mut self, slot: u32, units: u32) {
        let first = self.kept_place(slot << self.env.layout.unit_bits);
        let Some(durability) = &mut self.durability else {
            return;
        };
        if units == 0 || durability.canary == Some(Canary::LossForgotten) {
            return;
        }
        let entry = Entry::new(Change::Lose, first, units, 0);
        durability.push(entry, None);
    }

    /// The units of slots that could not be programmed are lost. The changes that name them
    /// become durable together with that, so that flash never has what is not there.
    #[cold]
    pub(in crate::sim) fn log_losses(&mut self, lost: impl Iterator<Item = (u32, u32)>) {
        if self.durability.is_none() {
            return;
        }
        // What is ready needs not wait.
        self.find_ready();
        let durability = self.durability.as_mut().expect("it was looked at");
        let mut lost = lost.filter(|l| l.1 != 0).peekable();
        if lost.peek().is_none() {
            return;
        }
        let ready = durability.ready;
        for entry in durability.log.range_mut(ready..) {
            entry.ends = false;
        }
        // They wait for nothing, so all of them are ready when the first is.
        for (slot, units) in lost {
            let entry = Entry::new(Change::Lose, slot << self.env.layout.unit_bits, units, 0);
            durability.push(entry, None);
        }
    }

    #[inline(always)]
    pub(in crate::sim) fn log_trim(&mut self, first: u32, end: u32) {
        if let Some(durability) = &mut self.durability
            && first < end
        {
            let entry = Entry::new(Change::Trim, first, end - first, 0);
            durability.push(entry, None);
        }
    }

    /// Units of a slot, one bit each, have been gathered from `to` on.
    #[inline(always)]
    pub(in crate::sim) fn log_gather(&mut self, slot: u32, units: u32, to: u32, superblock: u32) {
        if let Some(durability) = &mut self.durability {
            let first = slot << self.env.layout.unit_bits;
            durability.push_move(Change::Gather, first, units, to, superblock);
        }
    }

    /// Units of a slot, one bit each, have been copied to the same places of another.
    #[inline(always)]
    pub(in crate::sim) fn log_transplant(
        &mut self,
        slot: u32,
        units: u32,
        to: u32,
        superblock: u32,
    ) {
        if let Some(durability) = &mut self.durability
            && units != 0
        {
            let (first, to) = (
                slot << self.env.layout.unit_bits,
                to << self.env.layout.unit_bits,
            );
            durability.push_move(Change::Transplant, first, units, to, superblock);
        }
    }

    /// What a superblock held is being erased.
    pub(in crate::sim) fn forget_safe(&mut self) {
        if let Some(durability) = &mut self.durability {
            durability.safe = Spans::default();
        }
    }

    /// Erases a superblock that has been emptied, now or when it is needed no more.
    pub(in crate::sim) fn let_go(&mut self, superblock: u32) {
        if let Some(durability) = &mut self.durability {
            let i = superblock as usize;
            if durability.needed_in[i] > 0 && durability.canary != Some(Canary::EraseEarly) {
                durability.awaited[i] = true;
                durability.awaited_count += 1;
                durability.retry_all = true;
                return;
            }
        }
        self.erase(superblock);
    }

    /// Erases the awaited superblocks that are needed no more.
    pub(in crate::sim) fn erase_unneeded(&mut self) {
        loop {
            let durability = self.durability.as_mut().expect("there is a log");
            let Some(superblock) = durability.erasable.pop() else {
                return;
            };
            durability.urged = false;
            self.erase(superblock);
        }
    }

    /// Whether a superblock could be erased if the log were further, and it is not urged.
    #[inline(always)]
    pub(in crate::sim) fn awaits_superblocks(&self) -> bool {
        let durability = self.durability.as_ref();
        durability.is_some_and(|d| d.awaited_count > 0 && !d.urged)
    }

    /// Somebody finds no erased superblock.
    #[inline(always)]
    pub(in crate::sim) fn urge(&mut self) {
        if let Some(durability) = &mut self.durability {
            durability.urged |= durability.awaited_count > 0;
        }
    }

    /// Whether anything that was done is not durable.
    pub(in crate::sim) fn owes_journal(&self) -> bool {
        self.durability.as_ref().is_some_and(|d| !d.log.is_empty())
    }

    /// Whether somebody waits for something to become durable.
    pub(in crate::sim) fn awaits_journal(&self) -> bool {
        self.durability
            .as_ref()
            .is_some_and(|d| d.wanted > d.applied)
    }

    /// All that was done so far is to become durable.
    pub(in crate::sim) fn want_all_durable(&mut self) {
        if let Some(durability) = &mut self.durability {
            durability.want_all();
        }
    }

    /// A flush of a drive that keeps account of what is durable, or the end of a write that
    /// is one at the same time.
    pub(in crate::sim) fn flush_durably(&mut self, command: u32) {
        let durability = self.durability.as_mut().expect("the caller looked");
        if durability.spec.hold_up.is_some() || durability.log.is_empty() {
            self.command_done(command);
            return;
        }
        let tail = durability.tail();
        durability.want_all();
        self.commands.flushes.push((command, tail));
        self.pad_slots();
    }

    /// Ends the flushes before which everything is durable.
    pub(in crate::sim) fn end_durable_flushes(&mut self) {
        while let Some(&(command, number)) = self.commands.flushes.first() {
            let durability = self.durability.as_ref().expect("there is a log");
            let mut reached = durability.applied;
            if durability.canary == Some(Canary::FlushEarly) {
                reached += durability.ready as u64;
            }
            if number > reached {
                return;
            }
            self.commands.flushes.remove(0);
            self.command_done(command);
        }
    }

    /// Units of the longest write that a power cut keeps or loses as a whole; a longer one
    /// it does in pieces of this size, from its first unit on. `None` without
    /// [`crate::Spec::power_loss`].
    pub fn atomic_write_units(&self) -> Option<u32> {
        self.durability.as_ref().map(|d| d.piece_units)
    }

    #[doc(hidden)]
    pub fn switch_on(&mut self, canary: Canary) {
        let durability = self.durability.as_mut();
        durability.expect("a drive with power loss").canary = Some(canary);
    }
}
