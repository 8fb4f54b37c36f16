//! Wear without simulation: the effect of repeated rounds on blocks ([`crate::sim::repeat`]).

use super::Media;
use super::errors::forget_bounds;
use crate::sim::env::Env;
use crate::sim::geometry::layout::Pool;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, SuperblockId};
use crate::sim::superblocks::Superblocks;

/// Counts one more erase of all blocks of a superblock. Blocks that fail are replaced if there are
/// others; otherwise they fail once more when they are erased.
pub(in crate::sim) fn erase_once_more(
    media: &mut Media,
    env: &Env,
    superblocks: &mut Superblocks,
    superblock: SuperblockId,
) {
    superblocks.wears(superblock);
    forget_bounds(media);
    if media.has_blocks() {
        for die in (0..env.spec.dies).map(DieId) {
            erase_block(media, env, superblocks, superblock, die);
        }
    }
}

fn erase_block(
    media: &mut Media,
    env: &Env,
    superblocks: &mut Superblocks,
    superblock: SuperblockId,
    die: DieId,
) {
    let pool = env.layout.pool_of_superblock(superblock);
    while let Some(blocks) = &mut media.blocks
        && !blocks.bears_erase(superblock, die, pool)
        && media.find_block(superblocks, superblock, die)
    {}
}

/// Fails a program somewhere: its block is replaced if there is another.
#[cold]
pub(in crate::sim) fn fail_some_program(
    media: &mut Media,
    env: &Env,
    superblocks: &mut Superblocks,
) {
    let Some(blocks) = &mut media.blocks else {
        return;
    };
    let (superblock, die) = blocks.fail_some();
    if media.find_block(superblocks, superblock, die) {
        erase_block(media, env, superblocks, superblock, die);
    }
}

/// Spare blocks of the die with the fewest, and blocks that have gone bad; `None` if blocks are not
/// modelled one by one.
pub(in crate::sim) fn spares_and_grown_bad(media: &Media) -> Option<(u32, u32)> {
    media
        .blocks
        .as_ref()
        .map(|blocks| blocks.spares_and_grown_bad())
}

/// True if a block of these superblocks of a pool may fail within `erases` on a die that has no
/// spare block left.
pub(in crate::sim) fn may_lack_a_block(
    media: &Media,
    pool: Pool,
    superblocks: &[SuperblockId],
    erases: u32,
) -> bool {
    let Some(blocks) = &media.blocks else {
        return false;
    };
    let mut dies = blocks.dies_without_spares();
    dies.any(|die| {
        let mut all = superblocks.iter();
        all.any(|&superblock| blocks.erases_left(superblock, die, pool) < erases)
    })
}

/// Passes after the first that a read of a page that was just written takes, in a block of a pool
/// with `cycles` erase cycles: for the worst of some ten thousand pages. `None` if errors are not
/// modelled.
pub(in crate::sim) fn passes_when_written(media: &Media, pool: Pool, cycles: u32) -> Option<u32> {
    let mode = match pool {
        Pool::SlcCache => Mode::Slc,
        Pool::Data => Mode::Native,
    };
    let errors = media.errors.as_ref()?;
    Some(errors.passes_when_written(mode, cycles))
}
