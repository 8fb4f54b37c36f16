//! Where a physical unit lies: arithmetic only.
//!
//! Physical units are numbered superblock by superblock, the cache before the main
//! area; within a superblock row by row, within a row die by die. Parity slots are
//! numbered like the others and hold no units.

use crate::spec::{PoolSpec, Spec};

/// The two kinds of superblocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pool {
    Cache = 0,
    Main = 1,
}

/// Division by a number that is known beforehand, as a multiplication (Lemire, Kaser and
/// Kurz, "Faster remainder by direct computation", 2019): exact for 32 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divider {
    by: u32,
    /// 2^64 / `by`, rounded up; 0 for 1, which is not a fraction of 2^64.
    inverse: u64,
}

impl Divider {
    /// # Panics
    /// When `by` is 0.
    fn new(by: u32) -> Divider {
        Divider {
            by,
            inverse: (u64::MAX / u64::from(by)).wrapping_add(1),
        }
    }

    /// Quotient and remainder.
    #[inline]
    pub fn divide(self, number: u32) -> (u32, u32) {
        if self.by == 1 {
            return (number, 0);
        }
        let quotient = ((u128::from(self.inverse) * u128::from(number)) >> 64) as u32;
        (quotient, number - quotient * self.by)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolLayout {
    pub first_superblock: u32,
    pub superblocks: u32,
    pub first_slot: u32,
    pub slots_per_superblock: u32,
    by_superblock: Divider,
    pub data_slots_per_superblock: u32,
    /// Rows that share a word line: parity keeps its place across them, so that a fold
    /// leaves every parity group as it was.
    rows_per_word_line: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub dies: u32,
    by_die: Divider,
    pub unit_bits: u32,
    parity_stride: u32,
    pools: [PoolLayout; 2],
}

impl Layout {
    pub fn new(spec: &Spec) -> Layout {
        let stride = spec.parity_data.map_or(0, |data| data + 1);
        let empty = PoolSpec {
            superblocks: 0,
            rows: 0,
            timing: spec.main.timing.clone(),
        };
        let cache_spec = spec.cache.as_ref().map_or(&empty, |cache| &cache.pool);
        let mut layout = Layout {
            dies: spec.dies,
            by_die: Divider::new(spec.dies),
            unit_bits: spec.units_per_slot.trailing_zeros(),
            parity_stride: stride,
            pools: [
                PoolLayout {
                    first_superblock: 0,
                    superblocks: cache_spec.superblocks,
                    first_slot: 0,
                    slots_per_superblock: cache_spec.rows * spec.dies,
                    by_superblock: Divider::new((cache_spec.rows * spec.dies).max(1)),
                    data_slots_per_superblock: 0,
                    rows_per_word_line: 1,
                },
                PoolLayout {
                    first_superblock: cache_spec.superblocks,
                    superblocks: spec.main.superblocks,
                    first_slot: cache_spec.superblocks * cache_spec.rows * spec.dies,
                    slots_per_superblock: spec.main.rows * spec.dies,
                    by_superblock: Divider::new(spec.main.rows * spec.dies),
                    data_slots_per_superblock: 0,
                    rows_per_word_line: spec.main.timing.pages_per_word_line(),
                },
            ],
        };
        for pool in [Pool::Cache, Pool::Main] {
            let slots = layout.pools[pool as usize].slots_per_superblock;
            let data = (0..slots).filter(|&s| !layout.is_parity(pool, s)).count();
            layout.pools[pool as usize].data_slots_per_superblock = data as u32;
        }
        layout
    }

    #[inline]
    pub fn pool(&self, pool: Pool) -> &PoolLayout {
        &self.pools[pool as usize]
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

    #[inline]
    pub fn superblock_of_slot(&self, slot: u32) -> u32 {
        let main = &self.pools[1];
        if slot >= main.first_slot {
            main.first_superblock + main.by_superblock.divide(slot - main.first_slot).0
        } else {
            self.pools[0].by_superblock.divide(slot).0
        }
    }

    /// Number of the first slot of a superblock.
    #[inline]
    pub fn first_slot(&self, superblock: u32) -> u32 {
        let pool = &self.pools[self.pool_of_superblock(superblock) as usize];
        pool.first_slot + (superblock - pool.first_superblock) * pool.slots_per_superblock
    }

    /// Pool, row and die of a slot.
    #[inline]
    pub fn place(&self, slot: u32) -> (Pool, u32, u32) {
        let pool = self.pool_of_slot(slot);
        let area = &self.pools[pool as usize];
        let (_, within) = area.by_superblock.divide(slot - area.first_slot);
        let (row, die) = self.by_die.divide(within);
        (pool, row, die)
    }

    /// The slots that share a word line with `slot`, itself among them, in the order in
    /// which they are programmed.
    pub fn word_line(&self, slot: u32) -> std::iter::StepBy<std::ops::Range<u32>> {
        let (pool, row, _) = self.place(slot);
        let rows = self.pools[pool as usize].rows_per_word_line;
        let first = slot - row % rows * self.dies;
        (first..first + rows * self.dies).step_by(self.dies as usize)
    }

    #[inline]
    fn pool_of_slot(&self, slot: u32) -> Pool {
        if slot < self.pools[1].first_slot {
            Pool::Cache
        } else {
            Pool::Main
        }
    }

    /// Whether the slot `within` a superblock of `pool` holds parity. Groups run over
    /// the dies and on into the next word line, so that parity rotates over all dies.
    #[inline]
    pub fn is_parity(&self, pool: Pool, within: u32) -> bool {
        if self.parity_stride == 0 {
            return false;
        }
        let word_line = within / self.dies / self.pools[pool as usize].rows_per_word_line;
        (within % self.dies + word_line * self.dies) % self.parity_stride == self.parity_stride - 1
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
    if all_units >= u64::from(u32::MAX) {
        return None;
    }
    let layout = Layout::new(spec);
    let main_superblock_units =
        u64::from(layout.pool(Pool::Main).data_slots_per_superblock) * units;
    Some(Capacity {
        main_units: main_superblock_units * u64::from(spec.main.superblocks),
        main_superblock_units,
        all_units,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_is_exact() {
        for by in [
            1,
            2,
            3,
            7,
            24,
            255,
            256,
            9_216,
            65_537,
            u32::MAX - 1,
            u32::MAX,
        ] {
            let divider = Divider::new(by);
            let near = (0..40).map(|k| by.wrapping_mul(k).wrapping_sub(1));
            let spread = (0..1000u32).map(|k| k.wrapping_mul(4_294_967));
            for number in near.chain(spread).chain([0, by, u32::MAX]) {
                assert_eq!(
                    divider.divide(number),
                    (number / by, number % by),
                    "{number} / {by}"
                );
            }
        }
    }
}
