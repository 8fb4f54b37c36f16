//! Blocks that wear and go bad one by one.
//!
//! A block here is the part of a superblock on one die: one block of each plane, which work
//! together. Each block has its own count of erase cycles and its own life, a function of the seed
//! and of its number. The erase that exceeds its life fails: the block is retired, a spare one of
//! the same die replaces it, and is erased in turn. A die without spare blocks gets one of a spare
//! superblock, whose other blocks become spare ones of their dies. If there is none either, the
//! superblock is retired without a replacement, and the drive becomes read-only.
//!
//! A program fails with a probability of its own, by a hash of its place and its block's cycles.
//! Its block is replaced in the same way; the die copies the block's data to the new one, and the
//! program is repeated there. Until then the data is in the buffer, or in the source of the fold.
//!
//! The assignment of blocks to superblocks and the cycles of each block are stored in flash with
//! each change: a power cut does not affect them. After a cut before the end of a copy, the data is
//! still in the bad block; the start erases the new one again and repeats the copy before it serves
//! commands. An erase that a cut ends is no cycle.

use std::collections::VecDeque;
use std::ops::Range;

use stend_base::Nanos;
use stend_base::splitmix64;
use stend_model::health::{BlockHealth, Cycles};
use stend_model::spec::{BlocksSpec, Spec};

use super::errors::forget_bounds;
use super::life::{ProgramFailures, life, life_least};
use super::{Media, copy_rows, erase_time};
use crate::sim::env::Env;
use crate::sim::geometry::layout::Pool;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{BlockId, BlockRow, DieId, IdRange, MpPage, SuperblockId};
use crate::sim::superblocks::Superblocks;

/// The blocks of a drive, and their assignment to superblocks.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Blocks {
    spec: BlocksSpec,
    failures: ProgramFailures,
    dies: u32,
    /// Blocks of a die, including the spare ones.
    blocks_per_die: u32,
    /// Erases that every block of a pool survives.
    life_least: [u32; 2],
    /// The block in each place, `superblock * dies + die`.
    #[serde(with = "crate::table")]
    at: Vec<BlockId>,
    /// Erase cycles of every block, `die * blocks_per_die + block`.
    #[serde(with = "crate::table")]
    erases: Vec<u32>,
    /// Spare blocks by die, first in, first out.
    spares: Vec<VecDeque<BlockId>>,
    /// Spare blocks of the die with the fewest when the drive was new.
    spares_new: u32,
    factory_bad: u32,
    grown_bad: u32,
    /// Superblocks being erased, each with a die that has no block for it.
    doomed: Vec<(SuperblockId, DieId)>,
    /// Copies into new blocks that are under way; only if the power can be cut.
    replacements: Vec<Replacement>,
    /// Multi-plane pages whose program found no block, until they are erased: they are missing in
    /// their stripes.
    missing: Vec<MpPage>,
}

/// A block that replaces one in which a program failed, and does not yet hold its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Replacement {
    /// The failed program; the rows before it are copied.
    at: BlockRow,
    /// Time to erase the new block and to copy.
    time: Nanos,
}

impl Blocks {
    /// The blocks of a new drive of `superblocks`.
    ///
    /// # Panics
    /// If a die has too few blocks that are not bad from the factory
    /// ([`stend_model::geometry::factory_bad::short_die`]).
    pub fn new(of: &BlocksSpec, dies: u32, superblocks: u32) -> Blocks {
        let blocks_per_die = superblocks + of.spare_blocks;
        let mut blocks = Blocks {
            spec: of.clone(),
            failures: ProgramFailures::new(of),
            dies,
            blocks_per_die,
            life_least: [Pool::SlcCache, Pool::Data].map(|pool| life_least(of, pool)),
            at: vec![BlockId(0); (superblocks * dies) as usize],
            erases: vec![0; (blocks_per_die * dies) as usize],
            spares: Vec::with_capacity(dies as usize),
            spares_new: of.spare_blocks,
            factory_bad: 0,
            grown_bad: 0,
            doomed: Vec::new(),
            replacements: Vec::new(),
            missing: Vec::new(),
        };
        for die in (0..dies).map(DieId) {
            let is_bad = |&block: &BlockId| of.is_factory_bad(die, block);
            let spares = BlockId(superblocks)..BlockId(blocks_per_die);
            let mut spares: VecDeque<BlockId> = spares.each().filter(|b| !is_bad(b)).collect();
            let all = BlockId(0)..BlockId(blocks_per_die);
            let factory_bad = all.each().filter(is_bad).count() as u32;
            for superblock in (0..superblocks).map(SuperblockId) {
                // A superblock without bad blocks has the block of its own number.
                let own = BlockId(superblock.0);
                let block = match is_bad(&own) {
                    false => own,
                    true => spares.pop_front().unwrap_or_else(|| {
                        panic!("die {die} has too few sound blocks: {factory_bad} are bad")
                    }),
                };
                let place = blocks.place(superblock, die);
                blocks.at[place] = block;
            }
            blocks.factory_bad += factory_bad;
            blocks.spares_new = blocks.spares_new.min(spares.len() as u32);
            blocks.spares.push(spares);
        }
        blocks
    }

    fn all_dies(&self) -> impl Iterator<Item = DieId> + use<> {
        (0..self.dies).map(DieId)
    }

    fn place(&self, superblock: SuperblockId, die: DieId) -> usize {
        (superblock.0 * self.dies + die.0) as usize
    }

    /// Erase cycles of the block of a superblock on a die.
    pub fn cycles(&self, superblock: SuperblockId, die: DieId) -> u32 {
        self.block(superblock, die).1
    }

    /// The block of a superblock on a die, and its erase cycles.
    #[inline]
    fn block(&self, superblock: SuperblockId, die: DieId) -> (BlockId, u32) {
        let block = self.at[self.place(superblock, die)];
        (block, self.erases[self.erases_at(die, block)])
    }

    fn erases_at(&self, die: DieId, block: BlockId) -> usize {
        (die.0 * self.blocks_per_die + block.0) as usize
    }

    /// Maximum of erase cycles of the blocks of a superblock.
    pub fn cycles_max(&self, superblock: SuperblockId) -> u32 {
        let all = self.all_dies().map(|die| self.cycles(superblock, die));
        all.max().unwrap_or(0)
    }

    /// Counts the erase of a die's block of a superblock. Returns true if the erase succeeded.
    pub(super) fn bears_erase(&mut self, superblock: SuperblockId, die: DieId, pool: Pool) -> bool {
        let block = self.at[self.place(superblock, die)];
        let at = self.erases_at(die, block);
        let erases = &mut self.erases[at];
        *erases += 1;
        if *erases <= self.life_least[pool as usize] {
            return true;
        }
        let life = life(&self.spec, die, block, pool);
        // After a cut a failed erase may be repeated: it counts once.
        self.grown_bad += u32::from(*erases == life.saturating_add(1));
        *erases <= life
    }

    /// Replaces the block of a superblock on a die by a spare one. Returns false if the die has
    /// none.
    fn replace(&mut self, superblock: SuperblockId, die: DieId) -> bool {
        let place = self.place(superblock, die);
        let Some(spare) = self.spares[die.index()].pop_front() else {
            return false;
        };
        self.at[place] = spare;
        true
    }

    /// Turns the blocks of a superblock, except those that failed, into spare ones of their dies.
    fn dissolve(&mut self, superblock: SuperblockId) {
        for die in self.all_dies() {
            if self.doomed.contains(&(superblock, die)) {
                continue;
            }
            let block = self.at[self.place(superblock, die)];
            self.spares[die.index()].push_back(block);
        }
    }

    /// Returns true if a superblock whose erase has ended lacks a block. Its other blocks then
    /// become spare ones.
    #[cold]
    fn give_up_doomed(&mut self, superblock: SuperblockId) -> bool {
        if self.doomed.iter().all(|&(doomed, _)| doomed != superblock) {
            return false;
        }
        self.dissolve(superblock);
        self.doomed.retain(|&(doomed, _)| doomed != superblock);
        true
    }

    /// Notes that a program of a row has ended, and so has the copy before it.
    fn has_copied(&mut self, at: BlockRow) {
        self.replacements.retain(|r| r.at != at);
    }

    /// Notes a block that replaces another, whose rows are being copied into it.
    fn copies(&mut self, replacement: Replacement) {
        let block = |r: &Replacement| (r.at.superblock, r.at.die);
        self.replacements
            .retain(|r| block(r) != block(&replacement));
        self.replacements.push(replacement);
    }

    /// Handles a power cut. Unless all copies have `ended`, those into superblocks that are not to
    /// be erased must be repeated.
    pub fn power_cut(&mut self, ended: bool, erase: &[SuperblockId]) {
        self.doomed.clear();
        self.replacements
            .retain(|r| !ended && !erase.contains(&r.at.superblock));
    }

    /// Counts a block as bad. Its place follows from the seed and the number of bad blocks.
    pub(super) fn fail_some(&mut self) -> (SuperblockId, DieId) {
        let nth = u64::from(self.grown_bad);
        let place = (splitmix64(self.spec.seed, nth) % self.at.len() as u64) as u32;
        self.grown_bad += 1;
        (SuperblockId(place / self.dies), DieId(place % self.dies))
    }

    /// The dies that have no spare block left.
    pub(super) fn dies_without_spares(&self) -> impl Iterator<Item = DieId> + '_ {
        let has_none = |die: &DieId| self.spares[die.index()].is_empty();
        self.all_dies().filter(has_none)
    }

    /// Erases that the block of a superblock on a die will still survive.
    pub(super) fn erases_left(&self, superblock: SuperblockId, die: DieId, pool: Pool) -> u32 {
        let (block, erases) = self.block(superblock, die);
        life(&self.spec, die, block, pool).saturating_sub(erases)
    }

    /// Spare blocks of the die with the fewest, and blocks that have gone bad.
    pub(super) fn spares_and_grown_bad(&self) -> (u32, u32) {
        let least = self.spares.iter().map(|spares| spares.len()).min();
        (least.unwrap_or(0) as u32, self.grown_bad)
    }

    /// Report of the drive on its blocks.
    pub fn health(&self) -> BlockHealth {
        let least = self.spares.iter().map(|spares| spares.len()).min();
        let in_use: Vec<u32> = (0..self.at.len() as u32)
            .map(|place| self.cycles(SuperblockId(place / self.dies), DieId(place % self.dies)))
            .collect();
        let sum: u64 = in_use.iter().map(|&n| u64::from(n)).sum();
        BlockHealth {
            factory_bad: self.factory_bad,
            grown_bad: self.grown_bad,
            spares_least: least.unwrap_or(0) as u32,
            spares_least_new: self.spares_new,
            cycles: Cycles {
                min: in_use.iter().copied().min().unwrap_or(0),
                mean: sum as f64 / in_use.len() as f64,
                max: in_use.iter().copied().max().unwrap_or(0),
            },
        }
    }
}

/// The blocks of a new drive; `None` if they are not modelled one by one.
///
/// # Panics
/// If a die has too few blocks that are not bad from the factory; the model checker reports it
/// first.
pub(in crate::sim) fn blocks_of(spec: &Spec, superblocks: u32) -> Option<Box<Blocks>> {
    let of = spec.blocks.as_ref()?;
    Some(Box::new(Blocks::new(of, spec.dies, superblocks)))
}

impl Media {
    fn blocks_mut(&mut self) -> &mut Blocks {
        self.blocks
            .as_mut()
            .expect("blocks are modelled one by one")
    }

    /// True if blocks are modelled one by one.
    #[inline(always)]
    pub fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Report of the drive on its blocks.
    pub fn block_health(&self) -> Option<BlockHealth> {
        self.blocks.as_ref().map(|blocks| blocks.health())
    }

    /// Notes that a superblock, of these multi-plane pages, is being erased.
    pub fn erase_begins(&mut self, mp_pages: &Range<MpPage>) {
        if let Some(blocks) = &mut self.blocks {
            blocks.missing.retain(|mp_page| !mp_pages.contains(mp_page));
        }
    }

    /// Handles a die's erase of its block of a superblock. Returns true if it failed and the block
    /// that replaces it is being erased.
    #[cold]
    pub fn erase_is_repeated(
        &mut self,
        env: &mut Env,
        superblocks: &mut Superblocks,
        superblock: SuperblockId,
        die: DieId,
    ) -> bool {
        let pool = env.layout.pool_of_superblock(superblock);
        if self.blocks_mut().bears_erase(superblock, die, pool) {
            return false;
        }
        let replaced = self.find_block(superblocks, superblock, die);
        if replaced {
            self.erase_block(env, superblocks.mode(superblock), superblock, die);
        } else {
            self.blocks_mut().doomed.push((superblock, die));
        }
        replaced
    }

    /// Replaces the block of a superblock on a die by a spare one, or by one of a spare superblock.
    /// Returns false if there is neither.
    pub fn find_block(
        &mut self,
        superblocks: &mut Superblocks,
        superblock: SuperblockId,
        die: DieId,
    ) -> bool {
        forget_bounds(self);
        let blocks = self.blocks_mut();
        if blocks.replace(superblock, die) {
            return true;
        }
        superblocks.retire_spare().is_some_and(|spare| {
            blocks.dissolve(spare);
            blocks.replace(superblock, die)
        })
    }

    /// Replaces the block of a superblock on a die by one of an erased superblock, which is
    /// dissolved.
    pub fn take_block_of(
        &mut self,
        erased: SuperblockId,
        superblock: SuperblockId,
        die: DieId,
    ) -> bool {
        forget_bounds(self);
        let blocks = self.blocks_mut();
        blocks.dissolve(erased);
        blocks.replace(superblock, die)
    }

    /// Returns true if a program of a row, which has ended, failed.
    #[inline(always)]
    pub fn program_fails(&mut self, at: BlockRow) -> bool {
        let blocks = self.blocks_mut();
        if !blocks.replacements.is_empty() {
            blocks.has_copied(at);
        }
        let fails = blocks.failures.next_fails();
        blocks.grown_bad += u32::from(fails);
        self.counted.program_failures += u64::from(fails);
        fails
    }

    /// Erases the block that replaces a bad one. Returns the duration, and true if the erase
    /// succeeds.
    pub fn erase_replacement(
        &mut self,
        env: &mut Env,
        mode: Mode,
        superblock: SuperblockId,
        die: DieId,
    ) -> (Nanos, bool) {
        self.counted.erases_of(mode);
        forget_bounds(self);
        let pool = env.layout.pool_of_superblock(superblock);
        let bears = self.blocks_mut().bears_erase(superblock, die, pool);
        (erase_time(&env.spec, mode), bears)
    }

    /// Copies the rows of a bad block before this one to the block that replaces it, whose erase
    /// took `erase`. Returns the duration of both. If the power can be cut (`noted`), notes the
    /// copy.
    pub fn copy_to_replacement(
        &mut self,
        env: &mut Env,
        mode: Mode,
        at: BlockRow,
        erase: Nanos,
        noted: bool,
    ) -> Nanos {
        let time = erase + copy_rows(&mut self.counted, env, mode, at);
        if noted {
            self.blocks_mut().copies(Replacement { at, time });
        }
        time
    }

    /// Counts the copies that a recovery has to repeat because a cut ended them. Returns the dies,
    /// and the time that each needs to erase its new block and to copy.
    #[cold]
    pub fn copies_again(&mut self, env: &Env, superblocks: &Superblocks) -> Vec<(DieId, Nanos)> {
        let Media {
            blocks, counted, ..
        } = self;
        let Some(blocks) = blocks else {
            return Vec::new();
        };
        let copy = |r: &Replacement| {
            let mode = superblocks.mode(r.at.superblock);
            counted.erases_of(mode);
            let time = erase_time(&env.spec, mode) + copy_rows(counted, env, mode, r.at);
            (r.at.die, time)
        };
        blocks.replacements.iter().map(copy).collect()
    }

    /// Dies that copy into a block, and the duration for each.
    pub fn copying(&self) -> impl Iterator<Item = (DieId, Nanos)> + '_ {
        let all = self.blocks.iter().flat_map(|blocks| &blocks.replacements);
        all.map(|r| (r.at.die, r.time))
    }

    /// Notes that a recovery has copied everything.
    pub fn copied_all(&mut self) {
        if let Some(blocks) = &mut self.blocks {
            blocks.replacements.clear();
        }
    }

    /// Handles a power cut. Unless all copies have `ended`, those into superblocks that are not to
    /// be erased must be repeated.
    pub fn cut_copies(&mut self, ended: bool, erase: &[SuperblockId]) {
        if let Some(blocks) = &mut self.blocks {
            blocks.power_cut(ended, erase);
        }
    }

    /// Notes that the program of a multi-plane page found no block.
    pub fn lose_page(&mut self, mp_page: MpPage) {
        self.blocks_mut().missing.push(mp_page);
        self.counted.lost_pages += 1;
    }

    /// True if the program of a multi-plane page found no block.
    pub fn lacks_page(&self, mp_page: MpPage) -> bool {
        let blocks = self.blocks.as_ref();
        blocks.is_some_and(|blocks| blocks.missing.contains(&mp_page))
    }

    /// Spare blocks that a die has left.
    #[cfg(test)]
    pub fn spares_of_die(&self, die: DieId) -> u32 {
        let blocks = self.blocks.as_ref();
        blocks.map_or(0, |blocks| blocks.spares[die.index()].len() as u32)
    }

    /// Handles the end of a superblock's erase on all dies. Returns true if one die has no block
    /// for it, so that the superblock is lost.
    #[inline]
    pub fn lacks_a_block(&mut self, superblock: SuperblockId) -> bool {
        let blocks = self.blocks.as_mut();
        blocks.is_some_and(|blocks| blocks.give_up_doomed(superblock))
    }

    /// Erase cycles of the block of a superblock on a die; of the superblock if blocks are not
    /// modelled one by one.
    #[inline]
    pub(super) fn cycles_on_die(
        &self,
        superblocks: &Superblocks,
        superblock: SuperblockId,
        die: DieId,
    ) -> u32 {
        match &self.blocks {
            None => superblocks.erase_counts()[superblock.index()],
            Some(blocks) => blocks.cycles(superblock, die),
        }
    }

    /// Erase cycles of the most worn block of a superblock.
    pub(super) fn cycles_of_worst(
        &self,
        superblocks: &Superblocks,
        superblock: SuperblockId,
    ) -> u32 {
        match &self.blocks {
            None => superblocks.erase_counts()[superblock.index()],
            Some(blocks) => blocks.cycles_max(superblock),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> BlocksSpec {
        BlocksSpec {
            life_cycles: [u32::MAX, 1_000],
            life_spread_percent: 10,
            die_spread_percent: 0,
            spare_blocks: 40,
            factory_bad_ppm: 20_000,
            program_failure_ppb: 0,
            seed: 3,
        }
    }

    #[test]
    fn bad_blocks_of_the_factory_are_replaced_by_spare_ones() {
        let (dies, superblocks) = (8, 500);
        let blocks = Blocks::new(&spec(), dies, superblocks);
        let all = dies * (superblocks + 40);
        let share = f64::from(blocks.factory_bad) / f64::from(all);
        let error = (0.02 * 0.98 / f64::from(all)).sqrt();
        assert!((share - 0.02).abs() < 5.0 * error, "{share}");
        for die in 0..dies {
            let mut used: Vec<BlockId> = (0..superblocks)
                .map(|s| blocks.at[(s * dies + die) as usize])
                .chain(blocks.spares[die as usize].iter().copied())
                .collect();
            assert!(used.iter().all(|&b| !spec().is_factory_bad(DieId(die), b)));
            used.sort_unstable();
            used.dedup();
            let bad = (0..540)
                .filter(|&b| spec().is_factory_bad(DieId(die), BlockId(b)))
                .count();
            assert_eq!(used.len(), 540 - bad, "each sound block is in one place");
        }
    }

    /// No block could replace a bad one; then the blocks of another superblock became spare, and
    /// the power was cut. The erase is repeated, fails again, and finds a block: nothing is lost.
    #[test]
    fn an_erase_that_is_done_again_after_a_cut_may_find_a_block() {
        let of = BlocksSpec {
            life_cycles: [u32::MAX, 1],
            life_spread_percent: 0,
            factory_bad_ppm: 0,
            spare_blocks: 0,
            ..spec()
        };
        let mut blocks = Blocks::new(&of, 2, 3);
        assert!(blocks.bears_erase(SuperblockId(0), DieId(1), Pool::Data));
        assert!(
            !blocks.bears_erase(SuperblockId(0), DieId(1), Pool::Data)
                && !blocks.replace(SuperblockId(0), DieId(1))
        );
        blocks.doomed.push((SuperblockId(0), DieId(1)));
        blocks.dissolve(SuperblockId(2));
        blocks.power_cut(false, &[SuperblockId(0)]);
        assert!(
            !blocks.bears_erase(SuperblockId(0), DieId(1), Pool::Data)
                && blocks.replace(SuperblockId(0), DieId(1))
        );
        assert!(blocks.bears_erase(SuperblockId(0), DieId(1), Pool::Data));
        assert!(!blocks.give_up_doomed(SuperblockId(0)));
        assert_eq!((blocks.at[1], blocks.grown_bad), (BlockId(2), 1));
    }

    #[test]
    fn a_block_bears_its_life_and_no_erase_more() {
        let of = BlocksSpec {
            factory_bad_ppm: 0,
            spare_blocks: 1,
            ..spec()
        };
        let mut blocks = Blocks::new(&of, 2, 4);
        for (block, has_next) in [(BlockId(2), true), (BlockId(4), false)] {
            let life = life(&of, DieId(1), block, Pool::Data);
            for _ in 0..life {
                assert!(blocks.bears_erase(SuperblockId(2), DieId(1), Pool::Data));
            }
            assert_eq!(blocks.cycles(SuperblockId(2), DieId(1)), life);
            assert!(!blocks.bears_erase(SuperblockId(2), DieId(1), Pool::Data));
            assert_eq!(blocks.replace(SuperblockId(2), DieId(1)), has_next);
        }
        assert_eq!(
            (blocks.cycles(SuperblockId(2), DieId(0)), blocks.grown_bad),
            (0, 2)
        );
        // Another superblock gives up its blocks.
        blocks.dissolve(SuperblockId(3));
        assert!(blocks.replace(SuperblockId(2), DieId(1)));
        assert_eq!(
            (blocks.cycles(SuperblockId(2), DieId(1)), blocks.at[5]),
            (0, BlockId(3))
        );
        assert_eq!(blocks.health().spares_least, 0);
        assert_eq!(blocks.spares[0].len(), 2);
    }
}
