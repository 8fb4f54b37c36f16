//! The mapping by itself, for its benchmark: a log that is written and cleaned without
//! dies, channels or time. What the whole simulation costs beyond it is the timing.

use crate::sim::geometry::layout::Layout;
use crate::sim::l2p::mapping::Mapping;
use crate::spec::Spec;

/// A mapping table filled as a log: what is written gets the next place; the oldest slots
/// are emptied first.
///
/// The drive must have no SLC cache and no parity: their places would stay empty.
#[derive(Clone, Debug)]
pub struct MappingLog {
    mapping: Mapping,
    layout: Layout,
    slots: u32,
    /// Next slot to be emptied, and next place to be written.
    oldest_slot: u32,
    next: u32,
    free: u32,
    moved: u64,
}

impl MappingLog {
    /// The table of a drive, written once in order.
    ///
    /// # Panics
    /// When the drive has an SLC cache or parity.
    pub fn new(spec: &Spec) -> MappingLog {
        assert!(
            spec.cache.is_none() && spec.parity_data.is_none(),
            "the log knows neither cache nor parity"
        );
        let layout = Layout::new(spec);
        let units = (spec.user_bytes / crate::spec::UNIT_BYTES) as u32;
        let slots = layout.slots();
        let mut log = MappingLog {
            mapping: Mapping::new(layout, units),
            layout,
            slots,
            oldest_slot: 0,
            next: 0,
            free: slots << layout.unit_bits,
            moved: 0,
        };
        for unit in 0..units {
            log.write(unit);
        }
        log
    }

    /// Logical units of the drive.
    pub fn units(&self) -> u32 {
        self.mapping.logical_units()
    }

    /// Units moved so far to make room.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// The entry of a unit will soon be changed.
    pub fn expect(&self, unit: u32) {
        self.mapping.expect(u64::from(unit));
    }

    /// Gives a unit the next place.
    pub fn write(&mut self, unit: u32) {
        // One slot more than is being emptied: its units must have somewhere to go.
        while self.free < 2 << self.layout.unit_bits {
            self.empty_oldest();
        }
        let place = self.take_place();
        let superblock = self.superblock(place);
        self.mapping.write(unit, 1, place, superblock, 0);
    }

    fn empty_oldest(&mut self) {
        let slot = self.oldest_slot;
        self.mapping
            .expect_gather((slot + 2 * AHEAD_SLOTS) % self.slots);
        self.mapping.expect_moves((slot + AHEAD_SLOTS) % self.slots);
        self.oldest_slot = (slot + 1) % self.slots;
        let valid = self.mapping.valid_bits(slot);
        let count = valid.count_ones();
        self.moved += u64::from(count);
        let superblock = self.superblock(self.next);
        let end = self.next + count;
        if end < self.slots << self.layout.unit_bits && self.superblock(end) == superblock {
            self.mapping.gather(slot, valid, self.next, superblock);
            self.next = end;
            self.free -= count;
        } else {
            self.move_singly(slot, valid);
        }
        self.free += 1 << self.layout.unit_bits;
    }

    fn move_singly(&mut self, slot: u32, units: u32) {
        let mut left = units;
        while left != 0 {
            let unit = left & left.wrapping_neg();
            let place = self.take_place();
            let superblock = self.superblock(place);
            self.mapping.gather(slot, unit, place, superblock);
            left ^= unit;
        }
    }

    fn take_place(&mut self) -> u32 {
        let place = self.next;
        self.next = (place + 1) % (self.slots << self.layout.unit_bits);
        self.free -= 1;
        place
    }

    fn superblock(&self, place: u32) -> u32 {
        self.layout
            .superblock_of_slot(place >> self.layout.unit_bits)
    }
}

/// How far ahead of its turn the mapping of a slot's units is fetched.
const AHEAD_SLOTS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use stend_base::Rng;

    #[test]
    fn every_unit_keeps_one_valid_place() {
        let mut spec = Model::shipped("samsung-850-pro-256gb")
            .expect("it is shipped")
            .spec();
        spec.main.rows = 8;
        spec.main.superblocks = 40;
        spec.user_bytes = 28_000 * 4096;
        let mut log = MappingLog::new(&spec);
        let mut rng = Rng::stream(1, "log");
        for _ in 0..200_000 {
            log.write(rng.below(u64::from(log.units())) as u32);
        }
        assert!(log.moved() > 100_000, "{} moved", log.moved());
        let valid: u32 = (0..40).map(|s| log.mapping.valid_in(s)).sum();
        assert_eq!(valid, log.units());
        for unit in 0..log.units() {
            let place = log.mapping.lookup(unit);
            assert!(log.mapping.is_valid(place), "unit {unit} at {place}");
        }
    }
}
