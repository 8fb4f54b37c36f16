//! Choice of the blocks that are bad from the factory: a function of the seed and of the block's
//! place.

use stend_base::splitmix64;

use crate::ids::{BlockId, DieId, IdRange};
use crate::spec::{BlocksSpec, Spec};

/// A die that has fewer good blocks than superblocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortDie {
    /// The die.
    pub die: DieId,
    /// Its blocks that are bad from the factory.
    pub factory_bad: u32,
}

/// The `nth` 64 evenly distributed bits of a block.
#[inline]
pub fn block_hash(seed: u64, die: DieId, block: BlockId, nth: u64) -> u64 {
    let place = u64::from(die.0) << 32 | u64::from(block.0);
    let block = seed ^ place.wrapping_mul(0xd129_0d3e_9f3c_8a2d);
    splitmix64(block, nth)
}

impl BlocksSpec {
    /// True if a block is bad from the factory.
    #[inline]
    pub fn is_factory_bad(&self, die: DieId, block: BlockId) -> bool {
        block_hash(self.seed, die, block, 0) % 1_000_000 < u64::from(self.factory_bad_ppm)
    }
}

/// The first die with too few good blocks for the superblocks of a drive; also `None` if blocks do
/// not go bad one by one.
#[inline]
pub fn short_die(spec: &Spec) -> Option<ShortDie> {
    let of = spec.blocks.as_ref()?;
    let cache = spec.cache.as_ref();
    let superblocks = cache.map_or(0, |cache| cache.pool.superblocks) + spec.data.superblocks;
    let all = BlockId(0)..BlockId(superblocks + of.spare_blocks);
    (0..spec.dies).map(DieId).find_map(|die| {
        let bad = all.clone().each().filter(|&b| of.is_factory_bad(die, b));
        let factory_bad = bad.count() as u32;
        (factory_bad > of.spare_blocks).then_some(ShortDie { die, factory_bad })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::demo;

    /// Compares with a list of all blocks, die by die.
    #[test]
    fn a_die_is_short_if_more_blocks_are_bad_than_spare() {
        let mut spec = crate::Model::parse(demo(), "m.toml")
            .expect("it is shipped")
            .spec();
        spec.cache = None;
        spec.dies = 3;
        spec.data.superblocks = 500;
        let of = |spare_blocks| BlocksSpec {
            life_cycles: [u32::MAX; 2],
            life_spread_percent: 0,
            die_spread_percent: 0,
            spare_blocks,
            factory_bad_ppm: 20_000,
            program_failure_ppb: 0,
            seed: 3,
        };
        assert_eq!(short_die(&spec), None, "no block goes bad by itself");
        let mut ends = [0; 2];
        for spare_blocks in 0..40 {
            spec.blocks = Some(of(spare_blocks));
            let bad = |die: u32| {
                let all = 0..500 + spare_blocks;
                let bad = |&b: &u32| of(spare_blocks).is_factory_bad(DieId(die), BlockId(b));
                all.filter(bad).count() as u32
            };
            let first = (0..3).find(|&die| bad(die) > spare_blocks);
            let short = short_die(&spec);
            assert_eq!(short.map(|s| s.die.0), first);
            assert_eq!(short.map(|s| s.factory_bad), first.map(bad));
            ends[usize::from(short.is_none())] += 1;
        }
        assert!(ends[0] > 0 && ends[1] > 0, "{ends:?}");
    }
}
