//! Parity and power cuts: a group that a cut finds unfinished has no parity of its own.
//!
//! The drive keeps the parity of every group that is being filled in memory. Data counts as
//! durable only together with its parity: a journal page is written with a page of *partial
//! parity* for each group that it puts data into and that is not whole, beside it in the
//! journal's blocks; with capacitors at the cut. After a cut the group is filled on with the
//! partial parity read back; where its own place for parity was torn or passed over, the
//! partial one stays in its stead until the superblock is erased.
//!
//! A fold copies data and parity page by page. Until all pages of a group have been copied,
//! what it has moved is durable in the place it came from, where its parity is.
//!
//! All of it is for drives with parity whose flash has errors; others never use parity.
//!
//! Simplified: partial parity that stays is no page of the journal's region, and moves with
//! its group when that is folded; like the journal it can always be read (firmware would
//! keep it on two dies).

use stend_base::Nanos;

use crate::sim::SimDrive;
use crate::sim::map::layout::Layout;
use crate::sim::map::mapping::UNMAPPED;
use crate::sim::power::changes::Recent;
use crate::sim::power::durability::Canary;
use crate::spec::{PairedPages, Spec};

/// One bit a slot.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Slots(#[serde(with = "crate::state::table")] Vec<u64>);

impl Slots {
    fn new(slots: u32) -> Slots {
        Slots(vec![0; slots.div_ceil(64) as usize])
    }

    fn has(&self, slot: u32) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 != 0
    }

    fn add(&mut self, slot: u32) {
        self.0[slot as usize / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: u32) {
        self.0[slot as usize / 64] &= !(1 << (slot % 64));
    }
}

/// The first of some bits that is set.
pub(in crate::sim) fn first_set(words: &[u64], bits: std::ops::Range<u32>) -> Option<u32> {
    let mut at = bits.start;
    while at < bits.end {
        let rest = words[at as usize / 64] >> (at % 64);
        if rest != 0 {
            return Some(at + rest.trailing_zeros()).filter(|&found| found < bits.end);
        }
        at = (at / 64 + 1) * 64;
    }
    None
}

/// Of superblocks that were looked at last, the slots: the first, the one before which all groups
/// are whole, and the one behind the last.
#[derive(Default)]
struct Passed([(u32, u32, u32); 4]);

/// What cuts have left of parity groups.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Groups {
    /// A cut has torn them or passed them over: they hold nothing until they are erased.
    void: Slots,
    /// Partial parity of their group, which is in flash, covers them.
    covered: Slots,
    /// They were durable when a cut left their group without parity.
    bare: Slots,
    /// First slots of the groups whose partial parity is written with the journal pages under
    /// way, and the slots that it will cover.
    partial: Vec<u32>,
    covering: Vec<u32>,
}

impl Groups {
    pub fn new(spec: &Spec, layout: &Layout) -> Option<Box<Groups>> {
        let used = spec.parity_data.is_some() && spec.media.is_some();
        used.then(|| {
            Box::new(Groups {
                void: Slots::new(layout.slots()),
                covered: Slots::new(layout.slots()),
                bare: Slots::new(layout.slots()),
                partial: Vec::with_capacity(64),
                covering: Vec::with_capacity(256),
            })
        })
    }
}

/// What a slot has to give when another of its group is rebuilt.
pub(in crate::sim) enum Member {
    /// Its page, which is to be read.
    Page,
    /// Nothing: it is not programmed, or what it holds is in memory.
    Nothing,
    /// Partial parity in its stead: die and time of the page.
    Saved(u32, Nanos),
}

impl SimDrive {
    fn groups(&self) -> Option<&Groups> {
        self.durability.as_ref()?.groups.as_deref()
    }

    fn groups_mut(&mut self) -> &mut Groups {
        let durability = self.durability.as_mut().expect("there is a log");
        durability.groups.as_mut().expect("parity is kept")
    }

    /// Whether parity of groups that are not full has to be kept over a cut.
    #[inline]
    pub(in crate::sim) fn keeps_parity(&self) -> bool {
        self.groups().is_some()
    }

    /// The slots of the group of a slot, itself and the parity among them.
    fn group_of(&self, slot: u32) -> impl Iterator<Item = u32> + use<> {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let shape = *self.env.layout.shape(self.superblocks.mode(superblock));
        let first = slot - within;
        (0..).map_while(move |nth| shape.nth_of_group(within, nth).map(|other| first + other))
    }

    /// The first of them.
    fn first_of_group(&self, slot: u32) -> Option<u32> {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let shape = self.env.layout.shape(self.superblocks.mode(superblock));
        let first = shape.nth_of_group(within, 0)?;
        Some(slot - within + first)
    }

    fn is_parity_slot(&self, slot: u32) -> bool {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let mode = self.superblocks.mode(superblock);
        self.env.layout.shape(mode).is_parity(within)
    }

    /// Whether a slot is programmed, or will never be.
    fn has_been_filled(&self, slot: u32) -> bool {
        !self.writer.will_begin(&self.env.layout, slot)
            && self.is_safe(slot)
            && !self.fold_lacks(slot)
    }

    /// Whether nothing is still to come to the group of a slot, and its parity is in its place.
    fn group_is_whole(&self, slot: u32) -> bool {
        let groups = self.groups().expect("parity is kept");
        self.group_of(slot).all(|other| {
            let gone = groups.void.has(other) && self.is_parity_slot(other);
            !gone && self.has_been_filled(other)
        })
    }

    /// What a slot gives to rebuild another of its group.
    pub(in crate::sim) fn member_of_group(&self, slot: u32) -> Member {
        let Some(groups) = self.groups() else {
            return Member::Page;
        };
        if !groups.void.has(slot) {
            return match self.has_been_filled(slot) {
                true => Member::Page,
                false => Member::Nothing,
            };
        }
        if !self.is_parity_slot(slot) {
            return Member::Nothing;
        }
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let shape = self.env.layout.shape(self.superblocks.mode(superblock));
        let durability = self.durability.as_ref().expect("parity is kept");
        Member::Saved(shape.place(within).1, durability.spec.journal.read[0])
    }

    /// Whether a cut has left the data of a slot without parity.
    pub(in crate::sim) fn has_no_parity(&self, slot: u32) -> bool {
        self.groups().is_some_and(|groups| groups.bare.has(slot))
    }

    /// A superblock holds nothing any more.
    #[cold]
    pub(in crate::sim) fn groups_erased(&mut self, superblock: u32) {
        let pool = self.env.layout.pool_of_superblock(superblock);
        let first = self.env.layout.first_slot(superblock);
        let slots = first..first + self.env.layout.pool(pool).slots_per_superblock;
        let groups = self.groups_mut();
        for slot in slots {
            groups.void.remove(slot);
            groups.covered.remove(slot);
            groups.bare.remove(slot);
        }
    }

    /// Finds the groups whose partial parity has to be written with the first `count` changes
    /// of the log; how many they are, a page each.
    #[inline(never)]
    pub(in crate::sim) fn find_partial(&mut self, count: usize) -> u32 {
        let groups = self.groups_mut();
        let mut found = std::mem::take(&mut groups.partial);
        let mut covering = std::mem::take(&mut groups.covering);
        found.clear();
        covering.clear();
        let (mut whole, mut slots) = (Recent::default(), Recent::default());
        let mut passed = Passed::default();
        let durability = self.durability.as_ref().expect("parity is kept");
        let count = match durability.canary {
            Some(Canary::ParityUnsaved) => 0,
            _ => count,
        };
        let bits = self.env.layout.unit_bits;
        for (to, units) in durability.first_changes(count).filter_map(|e| e.places()) {
            // Mostly one slot.
            let (mut next, end) = (to >> bits, ((to + units - 1) >> bits) + 1);
            while next < end {
                let slot = next;
                next += 1;
                if self.has_been_passed(slot, &mut passed) || slots.has(slot) {
                    continue;
                }
                slots.add(slot);
                let group = self.first_of_group(slot).expect("it has parity");
                if !found.contains(&group) {
                    if whole.has(group) || self.group_is_whole(slot) {
                        whole.add(group);
                        continue;
                    }
                    found.push(group);
                }
                covering.push(slot);
            }
        }
        let pages = found.len() as u32;
        let groups = self.groups_mut();
        (groups.partial, groups.covering) = (found, covering);
        pages
    }

    /// Whether a slot lies so far behind where its superblock is being filled that its group
    /// is whole for certain.
    #[inline]
    fn has_been_passed(&self, slot: u32, passed: &mut Passed) -> bool {
        let mut known = passed.0.iter();
        let found = known.find(|&&(first, _, end)| first <= slot && slot < end);
        let before = found.map(|known| known.1);
        slot < before.unwrap_or_else(|| self.pass(slot, passed))
    }

    /// The slot of a superblock before which all groups are whole, which is noted.
    #[inline(never)]
    fn pass(&self, slot: u32, passed: &mut Passed) -> u32 {
        let superblock = self.env.layout.superblock_of_slot(slot);
        let shape = self.env.layout.shape(self.superblocks.mode(superblock));
        let filled = (self.filled_upto(superblock) + 1).saturating_sub(shape.group_span());
        let first = self.env.layout.first_slot(superblock);
        passed.0.rotate_right(1);
        passed.0[0] = (first, first + filled, first + shape.slots);
        first + filled
    }

    /// The slots of a superblock below this one have been filled, and none of them is void;
    /// 0 where that is not known.
    fn filled_upto(&self, superblock: u32) -> u32 {
        let shape = self.env.layout.shape(self.superblocks.mode(superblock));
        let first = self.env.layout.first_slot(superblock);
        let begun = self.writer.begun_so_far(superblock).min(shape.slots);
        let slots = first..first + begun;
        let groups = self.groups().expect("parity is kept");
        if self.is_folded_into(superblock) || first_set(&groups.void.0, slots.clone()).is_some() {
            return 0;
        }
        let unprogrammed = self.writer.first_unprogrammed(slots);
        shape.first_of_word_lines(unprogrammed.map_or(begun, |slot| slot - first))
    }

    /// The partial parity of the groups that were found is in flash, and covers the changes
    /// for which it was.
    #[inline(never)]
    pub(in crate::sim) fn cover(&mut self) {
        let groups = self.groups_mut();
        for &slot in &groups.covering {
            groups.covered.add(slot);
        }
        groups.covering.clear();
    }

    /// Capacitors have saved the partial parity that was found.
    #[cold]
    pub(in crate::sim) fn save_partial(&mut self) {
        self.cover();
        let pages = self.groups_mut().partial.len() as u64;
        self.env.counters.partial_parity_programs += pages;
        self.env.counters.slc_programs += pages;
    }

    /// Whether the durable mapping has any unit in a slot.
    fn holds_durable(&self, slot: u32) -> bool {
        let durability = self.durability.as_ref().expect("parity is kept");
        let bits = self.env.layout.unit_bits;
        (slot << bits..(slot + 1) << bits).any(|place| {
            let logical = self.mapping.logical_of(place);
            logical != UNMAPPED && durability.durable[logical as usize] == place
        })
    }

    /// Notes what a cut tears and which groups it leaves without parity, before the writer
    /// forgets how far it was. `ended`: programs of data under way end; `all_ended`: those of
    /// parity too.
    #[cold]
    pub(in crate::sim) fn groups_cut(&mut self, ended: bool, all_ended: bool) {
        let pairs = self.durability.as_ref().map(|d| d.spec.paired_pages);
        let tears_pairs = !ended && pairs != Some(PairedPages::OneShot);
        let open: Vec<u32> = self.superblocks.open_ones().collect();
        let slots = open.into_iter().flat_map(|superblock| {
            let shape = self.env.layout.shape(self.superblocks.mode(superblock));
            let first = self.env.layout.first_slot(superblock);
            first..first + shape.slots
        });
        let slots: Vec<u32> = slots.collect();
        for &slot in &slots {
            let covered = self.groups().is_some_and(|groups| groups.covered.has(slot));
            if !covered && self.holds_durable(slot) && !self.group_is_whole(slot) {
                self.groups_mut().bare.add(slot);
            }
        }
        for slot in slots {
            if !self.writer.in_buffer(slot) {
                continue;
            }
            let parity = self.is_parity_slot(slot);
            if !(all_ended || ended && !parity) {
                self.groups_mut().void.add(slot);
            }
            if parity && tears_pairs {
                for page in self.word_line(slot) {
                    self.groups_mut().void.add(page);
                }
            }
        }
    }

    /// A slot holds nothing that can be read until it is erased.
    pub(in crate::sim) fn slot_is_void(&mut self, slot: u32) {
        if self.keeps_parity() {
            self.groups_mut().void.add(slot);
        }
    }

    /// Pages of partial parity that a start reads back, to fill groups on.
    pub(in crate::sim) fn partial_to_read(&self) -> u32 {
        let Some(groups) = self.groups() else {
            return 0;
        };
        let next = self.writer.next_slots();
        let covered = |slot: u32| self.group_of(slot).any(|other| groups.covered.has(other));
        next.filter(|&slot| covered(slot)).count() as u32
    }
}
