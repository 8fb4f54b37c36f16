//! The mapping: logical unit to physical unit and back, and which physical units are
//! valid. All tables are flat arrays, 4 bytes a unit each way and one bit for validity.

use super::memory;
use super::table::{BLOCK_ENTRIES, Table};
use crate::sim::geometry::layout::{Layout, Pool};

pub(crate) const UNMAPPED: u32 = u32::MAX;

/// Mapped to data that is lost.
pub(crate) const LOST: u32 = u32::MAX - 1;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Mapping {
    /// With one entry more than there are units: what is written there is never read.
    to_physical: Table,
    to_logical: Table,
    #[serde(with = "crate::state::table")]
    valid: Vec<u64>,
    valid_in: Vec<u32>,
    /// Units of the cache that lost their address but not their place (see
    /// [`crate::spec::TrimSpec::reaches_cache`]).
    #[serde(with = "crate::state::table")]
    kept: Vec<u64>,
    kept_in: Vec<u32>,
    cache_units: u32,
    unit_bits: u32,
    layout: Layout,
    notes: Notes,
    stamps: Option<Box<Stamps>>,
}

impl Clone for Mapping {
    fn clone(&self) -> Mapping {
        Mapping {
            to_physical: self.to_physical.clone(),
            to_logical: self.to_logical.clone(),
            valid: memory::copy(&self.valid),
            valid_in: self.valid_in.clone(),
            kept: self.kept.clone(),
            kept_in: self.kept_in.clone(),
            cache_units: self.cache_units,
            unit_bits: self.unit_bits,
            layout: self.layout,
            notes: self.notes.clone(),
            stamps: self.stamps.clone(),
        }
    }
}

/// Logical units that TRIM has named and whose address is still there.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Notes {
    /// One bit a logical unit; empty if the drive never takes notes.
    #[serde(with = "crate::state::table")]
    bits: Vec<u64>,
    count: u32,
    /// What is noted reads as trimmed.
    hide: bool,
    /// Something is noted, and hidden.
    hiding: bool,
}

impl Notes {
    #[inline]
    fn holds(&self, logical: u32) -> bool {
        self.bits[logical as usize / 64] >> (logical % 64) & 1 != 0
    }

    /// Takes a note away; whether there was one.
    fn remove(&mut self, logical: u32) -> bool {
        let was = self.holds(logical);
        self.bits[logical as usize / 64] &= !(1 << (logical % 64));
        self.count -= u32::from(was);
        self.hiding = self.hide && self.count > 0;
        was
    }
}

/// Units whose entries are fetched together while a superblock is read out in its order: a
/// power of two, at most 32. Waiting for many random places takes hardly longer than waiting
/// for one.
const TOGETHER: u32 = 32;

/// What every physical unit would hold: the tag of the request that wrote it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Stamps(#[serde(with = "crate::state::table")] Vec<u32>);

const ERASED: u32 = u32::MAX;

impl Mapping {
    pub fn new(layout: Layout, logical_units: u32) -> Mapping {
        let physical = (u64::from(layout.slots()) << layout.unit_bits) as usize;
        let cache = layout.pool(Pool::Main).first_slot << layout.unit_bits;
        Mapping {
            to_physical: Table::new(UNMAPPED, logical_units as usize + 1),
            to_logical: Table::new(UNMAPPED, physical + 1),
            valid: memory::table(0, physical.div_ceil(64) + 1),
            valid_in: vec![0; layout.superblocks() as usize],
            kept: vec![0; (cache as usize).div_ceil(64)],
            kept_in: vec![0; layout.superblocks() as usize],
            cache_units: cache,
            unit_bits: layout.unit_bits,
            layout,
            notes: Notes::default(),
            stamps: None,
        }
    }

    /// Lets copies share the large tables until they change them.
    pub fn share(&mut self) {
        self.to_physical.share();
        self.to_logical.share();
    }

    /// The mapping of `logical` will soon be asked for.
    #[inline]
    pub fn expect(&self, logical: u64) {
        self.to_physical.prefetch(logical as u32);
    }

    /// The units of a slot will soon be read out.
    #[inline]
    pub fn expect_gather(&self, slot: u32) {
        self.to_logical.prefetch(slot << self.unit_bits);
    }

    /// What lies at a place will soon be asked for.
    #[inline]
    pub fn expect_name(&self, physical: u32) {
        self.to_logical.prefetch(physical);
    }

    /// The mapping of the units of a slot will soon change. Those that are no longer valid
    /// are fetched too: sorting them out would cost more.
    #[inline]
    pub fn expect_moves(&self, slot: u32) {
        let names = self
            .to_logical
            .row(slot << self.unit_bits, 1 << self.unit_bits);
        for &logical in names.unwrap_or_default() {
            self.to_physical.prefetch(logical);
        }
    }

    /// The valid units of a superblock are moved away in the order of its slots: those from
    /// `begin` to `end` were looked at last, and the first of all is `first`. What comes next
    /// is fetched, [`TOGETHER`] units at a time, and only what is valid.
    #[inline]
    pub fn expect_next_moves(&self, first: u32, begin: u32, end: u32) {
        let group = |slot: u32| (slot << self.unit_bits) / TOGETHER;
        if group(begin) != group(end) || begin == first {
            let from = match begin == first {
                true => group(first),
                false => group(end).max(group(begin) + 2),
            };
            self.expect_groups(from, group(end) + 1);
        }
    }

    /// Fetches the entries of the valid units of groups, and the names of the units of the
    /// group after them.
    #[inline(never)]
    fn expect_groups(&self, from: u32, last: u32) {
        for group in from..=last {
            let first = group * TOGETHER;
            let names = self.to_logical.row(first, TOGETHER);
            let (Some(word), Some(names)) = (self.valid.get(first as usize / 64), names) else {
                return;
            };
            let mut valid = (word >> (first % 64)) as u32;
            while valid != 0 {
                let logical = names[valid.trailing_zeros() as usize % TOGETHER as usize];
                self.to_physical.prefetch(logical);
                valid &= valid - 1;
            }
        }
        // Two lines of the processor's memory.
        let next = (last + 1) * TOGETHER;
        self.to_logical.prefetch(next);
        self.to_logical.prefetch(next + TOGETHER / 2);
    }

    /// What was written to `logical` will soon become invalid: the second step after
    /// [`Mapping::expect`].
    #[inline]
    pub fn expect_invalid(&self, logical: u32) {
        let old = self.lookup(logical);
        memory::prefetch(&self.valid, old as usize / 64);
    }

    /// Logical units that have a place.
    pub fn mapped_units(&self) -> u64 {
        self.valid_in.iter().map(|&n| u64::from(n)).sum()
    }

    /// Changes how many logical units there are, none of which has a place.
    pub fn set_logical_units(&mut self, units: u32) {
        debug_assert_eq!(self.mapped_units(), 0);
        self.to_physical = Table::new(UNMAPPED, units as usize + 1);
        // What lay in flash before may have had numbers that there are no longer.
        self.to_logical.fill(UNMAPPED);
    }

    pub fn logical_units(&self) -> u32 {
        self.to_physical.len() as u32 - 1
    }

    #[inline]
    pub fn lookup(&self, logical: u32) -> u32 {
        if self.notes.hiding && self.notes.holds(logical) {
            return UNMAPPED;
        }
        self.to_physical.get(logical)
    }

    #[inline]
    pub fn logical_of(&self, physical: u32) -> u32 {
        self.to_logical.get(physical)
    }

    #[inline]
    pub fn is_valid(&self, physical: u32) -> bool {
        self.valid[physical as usize / 64] >> (physical % 64) & 1 != 0
    }

    pub fn valid_in(&self, superblock: u32) -> u32 {
        self.valid_in[superblock as usize]
    }

    /// Units of a superblock that a fold would have to move.
    pub fn occupied_in(&self, superblock: u32) -> u32 {
        self.valid_in[superblock as usize] + self.kept_in[superblock as usize]
    }

    /// Valid units of a slot, one bit each.
    #[inline]
    pub fn valid_bits(&self, slot: u32) -> u32 {
        bits_of(&self.valid, slot, self.unit_bits)
    }

    /// The logical pages that lie valid in a multi-plane page.
    #[inline]
    pub fn valid_lpns(&self, slot: u32, unit_bits: u32) -> impl Iterator<Item = u32> + '_ {
        let first = slot << unit_bits;
        let valid = self.valid_bits(slot);
        let set = (0..1 << unit_bits).filter(move |unit| valid >> unit & 1 != 0);
        set.map(move |unit| self.logical_of(first + unit))
    }

    /// Valid and kept units of a slot, one bit each.
    #[inline]
    pub fn occupied_bits(&self, slot: u32) -> u32 {
        let mut bits = self.valid_bits(slot);
        if slot << self.unit_bits < self.cache_units {
            bits |= bits_of(&self.kept, slot, self.unit_bits);
        }
        bits
    }

    /// Points `count` units from `logical` on at as many from `to` on, which lie in one slot
    /// of `superblock`; they hold what the request `stamp` has brought.
    #[inline]
    pub fn write(&mut self, logical: u32, count: u32, to: u32, superblock: u32, stamp: u32) {
        if self.notes.count > 0 {
            for unit in logical..logical + count {
                self.notes.remove(unit);
            }
        }
        if count == 1 {
            let old = std::mem::replace(self.to_physical.entry(logical), to);
            *self.to_logical.entry(to) = logical;
            if old < LOST {
                self.invalidate(old);
            }
        } else {
            self.assign_run(logical, count, to);
        }
        self.valid[to as usize / 64] |= ((1 << count) - 1) << (to % 64);
        self.valid_in[superblock as usize] += count;
        if let Some(stamps) = &mut self.stamps {
            stamps.0[to as usize..][..count as usize].fill(stamp);
        }
    }

    /// Points units in a row to places in a row of one slot, and back; where they were is valid
    /// no more.
    #[inline]
    fn assign_run(&mut self, logical: u32, count: u32, to: u32) {
        let in_block = BLOCK_ENTRIES - logical % BLOCK_ENTRIES;
        if in_block < count {
            self.assign_over_border(logical, in_block, count, to);
        } else {
            self.assign_in_block(logical, count, to);
        }
    }

    #[cold]
    #[inline(never)]
    fn assign_over_border(&mut self, logical: u32, in_block: u32, count: u32, to: u32) {
        self.assign_in_block(logical, in_block, to);
        self.assign_in_block(logical + in_block, count - in_block, to + in_block);
    }

    #[inline]
    fn assign_in_block(&mut self, logical: u32, count: u32, to: u32) {
        let places = self.to_physical.row_to_change(logical, count);
        let names = self.to_logical.row_to_change(to, count);
        for (nth, (place, name)) in (0u32..).zip(places.iter_mut().zip(names)) {
            let old = std::mem::replace(place, to + nth);
            *name = logical + nth;
            if old < LOST {
                self.valid[old as usize / 64] &= !(1 << (old % 64));
                let superblock = self.layout.superblock_of_slot(old >> self.unit_bits);
                self.valid_in[superblock as usize] -= 1;
            }
        }
    }

    /// What the request `stamp` has brought takes the place of what a unit that is still in
    /// the buffer held.
    pub fn write_over(&mut self, logical: u32, place: u32, stamp: u32) {
        if self.notes.count > 0 {
            self.notes.remove(logical);
        }
        if let Some(stamps) = &mut self.stamps {
            stamps.0[place as usize] = stamp;
        }
    }

    #[inline]
    fn invalidate(&mut self, physical: u32) {
        self.valid[physical as usize / 64] &= !(1 << (physical % 64));
        let superblock = self.layout.superblock_of_slot(physical >> self.unit_bits);
        self.valid_in[superblock as usize] -= 1;
    }

    /// Moves valid units of a slot, one bit each, to as many places from `to` on, which lie
    /// in `superblock` without parity between them.
    #[inline]
    pub fn gather(&mut self, slot: u32, units: u32, to: u32, superblock: u32) {
        let first = slot << self.unit_bits;
        let count = if self.unit_bits <= 3 && self.stamps.is_none() {
            self.redirect_some(first, units, to)
        } else {
            let (mut left, mut next) = (units, to);
            while left != 0 {
                self.redirect(first + left.trailing_zeros(), next);
                left &= left - 1;
                next += 1;
            }
            next - to
        };
        // They may lie across the border of two words.
        let bits = ((1u128 << count) - 1) << (to % 64);
        self.valid[to as usize / 64] |= bits as u64;
        self.valid[to as usize / 64 + 1] |= (bits >> 64) as u64;
        self.valid_in[superblock as usize] += count;
        self.invalidate_in(slot, units, count);
    }

    /// [`Mapping::redirect`] for the units of a slot whose bits are set, and how many that
    /// are. Which they are cannot be foretold: so all are treated alike, and what is not
    /// wanted goes to the entries that nobody reads.
    #[inline]
    fn redirect_some(&mut self, first: u32, units: u32, to: u32) -> u32 {
        let (no_logical, no_physical) = (self.logical_units(), self.to_logical.len() as u32 - 1);
        let mut next = to;
        for unit in 0..1 << self.unit_bits {
            let wanted = units >> unit & 1;
            let logical = self.to_logical.get(first + unit);
            let (from, place) = match wanted {
                0 => (no_logical, no_physical),
                _ => (logical, next),
            };
            *self.to_physical.entry(from) = next;
            *self.to_logical.entry(place) = logical;
            next += wanted;
        }
        next - to
    }

    /// Moves valid units of a slot, one bit each, to the same places of another slot.
    #[inline]
    pub fn transplant(&mut self, slot: u32, units: u32, to_slot: u32, superblock: u32) {
        let (first, to) = (slot << self.unit_bits, to_slot << self.unit_bits);
        let mut left = units;
        while left != 0 {
            let unit = left.trailing_zeros();
            self.redirect(first + unit, to + unit);
            left &= left - 1;
        }
        self.valid[to as usize / 64] |= u64::from(units) << (to % 64);
        let count = units.count_ones();
        self.valid_in[superblock as usize] += count;
        self.invalidate_in(slot, units, count);
    }

    /// Points the logical unit at `old` to `new`, and back. Validity is the caller's.
    #[inline]
    fn redirect(&mut self, old: u32, new: u32) {
        let logical = self.to_logical.get(old);
        *self.to_physical.entry(logical) = new;
        *self.to_logical.entry(new) = logical;
        self.stamp(new, self.stamp_of(old));
    }

    /// Units of a slot, one bit each, `count` in all, are valid no more.
    #[inline]
    fn invalidate_in(&mut self, slot: u32, units: u32, count: u32) {
        let first = slot << self.unit_bits;
        self.valid[first as usize / 64] &= !(u64::from(units) << (first % 64));
        let superblock = self.layout.superblock_of_slot(slot);
        self.valid_in[superblock as usize] -= count;
    }

    /// The data of the valid units of a slot is lost: whoever reads them must hear so.
    pub fn lose_slot(&mut self, slot: u32) {
        let first = slot << self.unit_bits;
        let units = self.valid_bits(slot);
        let mut left = units;
        while left != 0 {
            let logical = self.logical_of(first + left.trailing_zeros());
            *self.to_physical.entry(logical) = LOST;
            left &= left - 1;
        }
        self.invalidate_in(slot, units, units.count_ones());
    }

    /// Takes a logical unit's address away. With `keep`, its place in the cache stays
    /// occupied until it is folded.
    pub fn unmap(&mut self, logical: u32, keep: bool) {
        let old = self.to_physical.get(logical);
        if old == UNMAPPED {
            return;
        }
        *self.to_physical.entry(logical) = UNMAPPED;
        if old == LOST {
            return;
        }
        self.invalidate(old);
        if keep && old < self.cache_units {
            self.kept[old as usize / 64] |= 1 << (old % 64);
            let superblock = self.layout.superblock_of_slot(old >> self.unit_bits);
            self.kept_in[superblock as usize] += 1;
        }
    }

    /// Prepares for [`Mapping::note`]; `hide` what is noted from [`Mapping::lookup`].
    pub fn take_notes(&mut self, hide: bool) {
        self.notes.bits = vec![0; self.to_physical.len().div_ceil(64)];
        self.notes.hide = hide;
    }

    /// Notes that the addresses of these units are to be taken away.
    pub fn note(&mut self, first: u32, end: u32) {
        for logical in first..end {
            if self.to_physical.get(logical) != UNMAPPED && !self.notes.holds(logical) {
                self.notes.bits[logical as usize / 64] |= 1 << (logical % 64);
                self.notes.count += 1;
            }
        }
        self.notes.hiding = self.notes.hide && self.notes.count > 0;
    }

    /// How many of these units are noted.
    pub fn noted_in(&self, first: u32, end: u32) -> u32 {
        let noted = (first..end).filter(|&logical| self.notes.holds(logical));
        noted.count() as u32
    }

    /// [`Mapping::unmap`] for those of these units that are noted; how many they were.
    pub fn unmap_noted(&mut self, first: u32, end: u32, keep: bool) -> u32 {
        let mut count = 0;
        for logical in first..end {
            if self.notes.remove(logical) {
                self.unmap(logical, keep);
                count += 1;
            }
        }
        count
    }

    /// [`Mapping::unmap`] for every logical unit at once, in the order of memory.
    pub fn unmap_all(&mut self, keep: bool) {
        if keep {
            for physical in 0..self.cache_units {
                if self.is_valid(physical) {
                    self.unmap(self.logical_of(physical), true);
                }
            }
        }
        self.to_physical.fill(UNMAPPED);
        self.valid.fill(0);
        self.valid_in.fill(0);
    }

    /// Takes every address away; nothing stays occupied.
    pub fn forget(&mut self) {
        self.unmap_all(false);
        self.kept.fill(0);
        self.kept_in.fill(0);
        self.forget_notes();
    }

    fn forget_notes(&mut self) {
        self.notes.bits.fill(0);
        (self.notes.count, self.notes.hiding) = (0, false);
    }

    /// Forgets the kept units of a slot that has been folded.
    pub fn release_kept(&mut self, slot: u32) {
        for unit in 0..1 << self.unit_bits {
            let physical = (slot << self.unit_bits) + unit;
            let word = &mut self.kept[physical as usize / 64];
            if *word >> (physical % 64) & 1 != 0 {
                *word &= !(1 << (physical % 64));
                self.kept_in[self.layout.superblock_of_slot(slot) as usize] -= 1;
            }
        }
    }

    /// Starts to keep account of what every physical unit would hold.
    pub fn keep_stamps(&mut self) {
        self.stamps = Some(Box::new(Stamps(vec![ERASED; self.to_logical.len() - 1])));
    }

    #[inline]
    fn stamp(&mut self, physical: u32, stamp: u32) {
        if let Some(stamps) = &mut self.stamps {
            assert_eq!(
                stamps.0[physical as usize], ERASED,
                "a unit was programmed twice"
            );
            stamps.0[physical as usize] = stamp;
        }
    }

    #[inline]
    fn stamp_of(&self, physical: u32) -> u32 {
        self.stamps
            .as_ref()
            .map_or(0, |stamps| stamps.0[physical as usize])
    }

    pub fn erase_stamps(&mut self, superblock: u32) {
        if let Some(stamps) = &mut self.stamps {
            let pool = self.layout.pool_of_superblock(superblock);
            let first = (self.layout.first_slot(superblock) << self.unit_bits) as usize;
            let units = self.layout.pool(pool).slots_per_superblock << self.unit_bits;
            stamps.0[first..first + units as usize].fill(ERASED);
        }
    }

    /// A slot holds nothing that can be read: its program was cut short or never begun.
    pub fn tear(&mut self, slot: u32) {
        if let Some(stamps) = &mut self.stamps {
            let first = (slot << self.unit_bits) as usize;
            stamps.0[first..first + (1 << self.unit_bits)].fill(ERASED);
        }
    }

    /// Makes `durable` the mapping. What lost its address and was kept in the cache is
    /// forgotten with the rest of the working memory.
    ///
    /// # Panics
    /// When `durable` points to a place that belongs to another unit.
    pub fn restore(&mut self, durable: &[u32]) {
        self.valid.fill(0);
        self.valid_in.fill(0);
        self.kept.fill(0);
        self.kept_in.fill(0);
        self.forget_notes();
        for (logical, &physical) in (0u32..).zip(durable) {
            *self.to_physical.entry(logical) = physical;
            if physical >= LOST {
                continue;
            }
            assert_eq!(
                self.logical_of(physical),
                logical,
                "flash has another unit there"
            );
            self.valid[physical as usize / 64] |= 1 << (physical % 64);
            let superblock = self.layout.superblock_of_slot(physical >> self.unit_bits);
            self.valid_in[superblock as usize] += 1;
        }
    }

    /// The tags that physical units hold, each with its physical unit.
    pub fn stamps(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = self.stamps.iter().flat_map(|stamps| stamps.0.iter());
        (0u32..)
            .zip(all.copied())
            .filter(|&(_, stamp)| stamp != ERASED)
    }

    /// The tag of the request whose data a read of `logical` would return; `None` where
    /// nothing is mapped.
    ///
    /// # Panics
    /// When the tables contradict each other.
    pub fn content(&self, logical: u32) -> Option<u32> {
        let physical = self.lookup(logical);
        if physical >= LOST {
            return None;
        }
        assert!(self.is_valid(physical), "a mapped unit is not valid");
        assert_eq!(self.logical_of(physical), logical, "the tables disagree");
        let stamp = self.stamp_of(physical);
        assert_ne!(stamp, ERASED, "a mapped unit has been erased");
        Some(stamp)
    }
}

#[inline]
fn bits_of(words: &[u64], slot: u32, unit_bits: u32) -> u32 {
    let units = 1u32 << unit_bits;
    let first = slot << unit_bits;
    let mask = (1u64 << units) - 1;
    (words[first as usize / 64] >> (first % 64) & mask) as u32
}
