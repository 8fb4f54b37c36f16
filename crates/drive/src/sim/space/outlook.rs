//! What the drive can tell of the time to come.

use crate::sim::SimDrive;
use crate::sim::map::layout::Pool;
use crate::spec::UNIT_BYTES;

impl SimDrive {
    /// Bytes that can be written to flash until data has to be moved for it: until then each
    /// superblock that is filled costs what the one before did, an erase at most. `None` where
    /// something else may begin before: a cache that fills, a table of which more lies on flash,
    /// heat, streams and levelling that follow what was written, flash that fails, TRIM under way.
    pub(in crate::sim) fn bytes_until_moves(&self) -> Option<u64> {
        let spec = &self.env.spec;
        let may_change = spec.cache.is_some()
            || spec.map.is_some()
            || spec.thermal.is_some()
            || spec.streams.is_some()
            || spec.wear.is_some()
            || spec.media.is_some()
            || spec.blocks.is_some()
            || spec.power_loss.is_some()
            || self.trimmer.is_busy();
        if may_change {
            return None;
        }
        let main = self.env.layout.pool(Pool::Main);
        let all = main.first_superblock..main.first_superblock + main.superblocks;
        let empty = |&s: &u32| self.superblocks.is_closed(s) && self.mapping.occupied_in(s) == 0;
        let empty = self.slots(Pool::Main, all.filter(empty).count() as u32);
        let slots = self.free_slots[Pool::Main as usize] + empty - self.limits.collect_start;
        let slots = u64::try_from(slots).unwrap_or(0);
        let data = u64::from(spec.parity_data.unwrap_or(1));
        let with_parity = data + u64::from(spec.parity_data.is_some());
        Some(slots * data / with_parity * u64::from(spec.units_per_slot) * UNIT_BYTES)
    }
}
