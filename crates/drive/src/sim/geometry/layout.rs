//! Where a physical unit lies: arithmetic only.
//!
//! Physical units are numbered superblock by superblock, the cache before the main area;
//! within a superblock in the order in which slots are filled ([`Shape`]). A superblock of
//! the main area that is used in SLC mode has fewer slots, numbered from its first.

use crate::sim::geometry::divider::Divider;
use crate::sim::geometry::shape::{Mode, Shape};
use crate::spec::{PoolSpec, Spec};

/// The two kinds of superblocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Pool {
    Cache = 0,
    Main = 1,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct PoolLayout {
    pub first_superblock: u32,
    pub superblocks: u32,
    pub first_slot: u32,
    pub slots_per_superblock: u32,
    by_superblock: Divider,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Layout {
    pub dies: u32,
    pub unit_bits: u32,
    shapes: [Shape; 2],
    pools: [PoolLayout; 2],
}

impl Layout {
    pub fn new(spec: &Spec) -> Layout {
        let stride = spec.parity_data.map_or(0, |data| data + 1);
        let cache = spec.cache.as_ref().map(|cache| &cache.pool);
        let (cache_superblocks, cache_rows) = cache.map_or((0, 1), |c| (c.superblocks, c.rows));
        let bits = spec.main.timing.pages_per_word_line();
        let together = if spec.one_shot.is_some() { bits } else { 1 };
        let slc = Shape::new(spec.dies, cache_rows, 1, 1, stride);
        let native = Shape::new(spec.dies, spec.main.rows, bits, together, stride);
        Layout {
            dies: spec.dies,
            unit_bits: spec.units_per_slot.trailing_zeros(),
            shapes: [slc, native],
            pools: [
                PoolLayout {
                    first_superblock: 0,
                    superblocks: cache_superblocks,
                    first_slot: 0,
                    slots_per_superblock: slc.slots,
                    by_superblock: Divider::new(slc.slots),
                },
                PoolLayout {
                    first_superblock: cache_superblocks,
                    superblocks: spec.main.superblocks,
                    first_slot: cache_superblocks * slc.slots,
                    slots_per_superblock: native.slots,
                    by_superblock: Divider::new(native.slots),
                },
            ],
        }
    }

    #[inline]
    pub fn pool(&self, pool: Pool) -> &PoolLayout {
        &self.pools[pool as usize]
    }

    #[inline]
    pub fn shape(&self, mode: Mode) -> &Shape {
        &self.shapes[mode as usize]
    }

    /// Multi-plane pages of so many superblocks of a pool.
    #[inline]
    pub fn slots_of(&self, pool: Pool, superblocks: u32) -> i64 {
        i64::from(superblocks) * i64::from(self.pool(pool).slots_per_superblock)
    }

    pub fn superblocks(&self) -> u32 {
        self.pools[0].superblocks + self.pools[1].superblocks
    }

    pub fn slots(&self) -> u32 {
        self.pools[1].first_slot + self.pools[1].superblocks * self.pools[1].slots_per_superblock
    }

    #[inline]
    pub fn pool_of_superblock(&self, superblock: u32) -> Pool {
        if superblock < self.pools[1].first_superblock {
            Pool::Cache
        } else {
            Pool::Main
        }
    }

    /// A slot's superblock, and its number within it.
    #[inline]
    pub fn within_superblock(&self, slot: u32) -> (u32, u32) {
        let main = &self.pools[1];
        if slot >= main.first_slot {
            let (nth, within) = main.by_superblock.divide(slot - main.first_slot);
            (main.first_superblock + nth, within)
        } else {
            self.pools[0].by_superblock.divide(slot)
        }
    }

    #[inline]
    pub fn superblock_of_slot(&self, slot: u32) -> u32 {
        self.within_superblock(slot).0
    }

    /// The slots that share a word line with `slot` of a superblock in this mode, itself
    /// among them, in the order in which they are programmed.
    pub fn word_line(&self, slot: u32, mode: Mode) -> impl Iterator<Item = u32> + use<> {
        let (_, within) = self.within_superblock(slot);
        let first = slot - within;
        self.shape(mode).word_line(within).map(move |w| first + w)
    }

    /// Number of the first slot of a superblock.
    #[inline]
    pub fn first_slot(&self, superblock: u32) -> u32 {
        let pool = &self.pools[self.pool_of_superblock(superblock) as usize];
        pool.first_slot + (superblock - pool.first_superblock) * pool.slots_per_superblock
    }
}

/// How much data a drive's geometry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Units of data in the main area, without parity.
    pub main_units: u64,
    /// Of these, units of one superblock.
    pub main_superblock_units: u64,
    /// Units of all kinds, parity and SLC cache included.
    pub all_units: u64,
}

/// What `spec` can hold; `None` when that is more than 32 bits can number.
pub fn capacity(spec: &Spec) -> Option<Capacity> {
    let units = u64::from(spec.units_per_slot);
    let raw = |pool: &PoolSpec| {
        u64::from(pool.superblocks) * u64::from(pool.rows) * u64::from(spec.dies) * units
    };
    let all_units = raw(&spec.main) + spec.cache.as_ref().map_or(0, |cache| raw(&cache.pool));
    if all_units >= u64::from(u32::MAX - 1) {
        return None;
    }
    let layout = Layout::new(spec);
    let main_superblock_units = u64::from(layout.shape(Mode::Native).data_slots) * units;
    Some(Capacity {
        main_units: main_superblock_units * u64::from(spec.main.superblocks),
        main_superblock_units,
        all_units,
    })
}

/// The most units that the host of a drive may address: what its main area holds beside what
/// is kept back, what is open, and what is being collected. `None` as for [`capacity`].
pub fn user_units_max(spec: &Spec) -> Option<u64> {
    let capacity = capacity(spec)?;
    let buffer = u64::from(spec.buffer.write_units);
    let bits = u64::from(spec.main.timing.pages_per_word_line());
    // What the host opens directly in the main area has to find room there.
    let (superblocks, units) = match &spec.cache {
        None => (0, 2 * buffer),
        Some(cache) if cache.dynamic_superblocks > 0 => {
            (3 + spec.superblocks_half_folded(), 2 * bits * buffer)
        }
        Some(cache) if cache.opens_main() => (3, 2 * buffer),
        Some(_) => (0, 0),
    };
    let spares = spec.health.as_ref().map_or(0, |h| h.spare_superblocks);
    let kept = spec.collect.start_superblocks + 3 + spec.further_streams() + superblocks + spares;
    let kept = u64::from(kept) * capacity.main_superblock_units + units;
    Some(capacity.main_units.saturating_sub(kept))
}
