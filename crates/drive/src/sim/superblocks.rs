//! The life of superblocks: erased, open, closed, being emptied, being erased.

use std::collections::VecDeque;
use std::ops::Range;

use stend_model::spec::Spec;

use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::SuperblockId;

/// State of a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum State {
    Erased,
    /// A stream writes to it, or its last programs are under way.
    Open,
    Closed,
    /// GC or folding empties it.
    Emptying,
    Erasing,
    /// Taken out of use.
    Retired,
}

/// The superblocks of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Superblocks {
    state: Vec<State>,
    /// Programs under way.
    programs: Vec<u32>,
    /// True if its last multi-plane page has been taken.
    full: Vec<bool>,
    /// Dies whose erase is under way.
    erases: Vec<u32>,
    erase_count: Vec<u32>,
    /// Running number of its closing.
    closed_at: Vec<u64>,
    closings: u64,
    /// Relocations of its data by GC.
    generation: Vec<u8>,
    mode: Vec<Mode>,
    /// Superblocks of the data area in SLC mode.
    dynamic: u32,
    first_data: SuperblockId,
    /// True if the erased superblock with the fewest erase cycles is opened first.
    least_worn_first: bool,
    erased: [VecDeque<SuperblockId>; 2],
    closed_cache: VecDeque<SuperblockId>,
    /// Erased superblocks of the data area that will replace retired ones.
    spares: VecDeque<SuperblockId>,
    end_of_life_cycles: [u32; 2],
    retired: u32,
    /// Retired superblocks without a replacement, by pool.
    lost: [u32; 2],
    worn_out: bool,
}

impl Superblocks {
    pub fn new(spec: &Spec, layout: &Layout) -> Superblocks {
        let n = layout.superblocks() as usize;
        let cache = layout.pool(Pool::SlcCache).superblocks;
        let health = spec.health.as_ref();
        let numbered = |numbers: Range<u32>| numbers.map(SuperblockId).collect::<VecDeque<_>>();
        let spare = n as u32 - health.map_or(0, |health| health.spare_superblocks);
        Superblocks {
            state: vec![State::Erased; n],
            programs: vec![0; n],
            full: vec![false; n],
            erases: vec![0; n],
            erase_count: vec![0; n],
            closed_at: vec![0; n],
            closings: 0,
            least_worn_first: spec.wear.as_ref().is_some_and(|w| w.dynamic),
            generation: vec![0; n],
            mode: (0..n as u32)
                .map(|nth| if nth < cache { Mode::Slc } else { Mode::Native })
                .collect(),
            dynamic: 0,
            first_data: SuperblockId(cache),
            erased: [numbered(0..cache), numbered(cache..spare)],
            closed_cache: VecDeque::with_capacity(cache as usize),
            spares: numbered(spare..n as u32),
            end_of_life_cycles: health.map_or([u32::MAX; 2], |h| h.end_of_life_cycles),
            retired: 0,
            lost: [0; 2],
            worn_out: false,
        }
    }

    /// All superblocks.
    fn all(&self) -> impl Iterator<Item = SuperblockId> + use<> {
        (0..self.state.len() as u32).map(SuperblockId)
    }

    /// Erased superblocks of a pool.
    pub fn erased(&self, pool: Pool) -> usize {
        self.erased[pool as usize].len()
    }

    /// Opens the superblock that was erased first, to be used in this mode; with dynamic wear
    /// levelling, the one with the fewest erase cycles (of several, the one that was erased first).
    pub fn open(&mut self, pool: Pool, mode: Mode) -> Option<SuperblockId> {
        let erased = &self.erased[pool as usize];
        let nth = match self.least_worn_first {
            false => 0,
            true => (0..erased.len()).min_by_key(|&n| self.erase_count[erased[n].index()])?,
        };
        self.open_nth(pool, mode, nth)
    }

    /// Opens the erased superblock with the most erase cycles.
    pub fn open_most_worn(&mut self, pool: Pool, mode: Mode) -> Option<SuperblockId> {
        let erased = &self.erased[pool as usize];
        let nth = (0..erased.len()).max_by_key(|&n| self.erase_count[erased[n].index()])?;
        self.open_nth(pool, mode, nth)
    }

    fn open_nth(&mut self, pool: Pool, mode: Mode, nth: usize) -> Option<SuperblockId> {
        let superblock = self.erased[pool as usize].remove(nth)?;
        self.mode[superblock.index()] = mode;
        if pool == Pool::Data && mode == Mode::Slc {
            self.dynamic += 1;
        }
        self.state[superblock.index()] = State::Open;
        self.full[superblock.index()] = false;
        Some(superblock)
    }

    /// Relocations of the data of a superblock.
    pub fn generation(&self, superblock: SuperblockId) -> u8 {
        self.generation[superblock.index()]
    }

    /// Sets the number of relocations of the data that is written to a superblock.
    pub fn set_generation(&mut self, superblock: SuperblockId, generation: u8) {
        self.generation[superblock.index()] = generation;
    }

    /// Counts a program that begins.
    pub fn program_begins(&mut self, superblock: SuperblockId) {
        self.programs[superblock.index()] += 1;
    }

    /// Counts a program that has ended. Returns true if it closes the superblock.
    #[inline(always)]
    pub fn program_ends(&mut self, superblock: SuperblockId) -> bool {
        let i = superblock.index();
        self.programs[i] -= 1;
        let done = self.full[i] && self.programs[i] == 0 && self.state[i] == State::Open;
        if done {
            self.close_filled(superblock);
        }
        done
    }

    /// Notes that the last multi-plane page has been taken, and is being programmed.
    pub fn fill_up(&mut self, superblock: SuperblockId) {
        debug_assert!(self.programs[superblock.index()] > 0);
        self.full[superblock.index()] = true;
    }

    /// Mode in which a superblock's cells are used, or were last used.
    #[inline]
    pub fn mode(&self, superblock: SuperblockId) -> Mode {
        self.mode[superblock.index()]
    }

    /// Superblocks of the data area that are in SLC mode and not erased.
    pub fn dynamic(&self) -> u32 {
        self.dynamic
    }

    /// Closes a superblock that was filled by programs; out of line, since few programs close one.
    #[inline(never)]
    fn close_filled(&mut self, superblock: SuperblockId) {
        self.close(superblock);
        if self.mode[superblock.index()] == Mode::Slc {
            self.closed_cache.push_back(superblock);
        }
    }

    /// Closes a superblock of the data area that was filled by folding.
    pub fn close(&mut self, superblock: SuperblockId) {
        self.state[superblock.index()] = State::Closed;
        self.closed_at[superblock.index()] = self.closings;
        self.closings += 1;
    }

    /// Closed superblocks in SLC mode, the oldest first.
    pub fn closed_cache(&self) -> &VecDeque<SuperblockId> {
        &self.closed_cache
    }

    /// Removes and returns the `nth` oldest closed superblock of the cache, to be emptied.
    pub fn take_closed_cache(&mut self, nth: usize) -> SuperblockId {
        let superblock = self
            .closed_cache
            .remove(nth)
            .expect("there are not so many closed superblocks");
        self.state[superblock.index()] = State::Emptying;
        superblock
    }

    /// Marks every superblock that is neither erased nor being erased to be emptied, and returns
    /// them. No program may be under way; multi-plane pages that were begun are dropped.
    pub fn empty_all(&mut self) -> Vec<SuperblockId> {
        self.closed_cache.clear();
        let filled = [State::Open, State::Closed, State::Emptying];
        let all: Vec<SuperblockId> = self
            .all()
            .filter(|&s| filled.contains(&self.state[s.index()]))
            .collect();
        for &superblock in &all {
            self.state[superblock.index()] = State::Emptying;
            self.programs[superblock.index()] = 0;
        }
        all
    }

    /// True if a stream writes to it, or its last programs are under way.
    #[inline]
    pub fn is_open(&self, superblock: SuperblockId) -> bool {
        self.state[superblock.index()] == State::Open
    }

    /// Begins to empty a closed superblock.
    pub fn begin_emptying(&mut self, superblock: SuperblockId) {
        debug_assert_eq!(self.state[superblock.index()], State::Closed);
        self.state[superblock.index()] = State::Emptying;
    }

    /// True if GC may choose it: it is closed, in native mode.
    pub fn is_closed(&self, superblock: SuperblockId) -> bool {
        // Folding empties the superblocks in SLC mode.
        self.state[superblock.index()] == State::Closed
            && self.mode[superblock.index()] == Mode::Native
    }

    /// Running number of its closing: a lower number is older.
    pub fn closed_at(&self, superblock: SuperblockId) -> u64 {
        self.closed_at[superblock.index()]
    }

    /// Superblocks closed so far.
    pub fn closings(&self) -> u64 {
        self.closings
    }

    /// Begins to erase an emptied superblock on `dies`.
    pub fn erase_begins(&mut self, superblock: SuperblockId, dies: u32) {
        debug_assert_eq!(self.state[superblock.index()], State::Emptying);
        self.state[superblock.index()] = State::Erasing;
        self.erases[superblock.index()] = dies;
    }

    /// Counts a die that has erased its block. Returns true if it was the last.
    #[inline]
    pub fn die_has_erased(&mut self, superblock: SuperblockId) -> bool {
        self.erases[superblock.index()] -= 1;
        self.erases[superblock.index()] == 0
    }

    /// True if it is neither retired nor a spare one.
    pub fn is_in_use(&self, superblock: SuperblockId) -> bool {
        self.state[superblock.index()] != State::Retired && !self.spares.contains(&superblock)
    }

    /// Counts one more erase, of a round that is not simulated.
    pub fn wears(&mut self, superblock: SuperblockId) {
        self.erase_count[superblock.index()] += 1;
    }

    /// Notes that all dies have erased their blocks; if `lost`, one die has no block left for the
    /// superblock.
    pub fn erase_ends(&mut self, superblock: SuperblockId, pool: Pool, lost: bool) {
        let i = superblock.index();
        self.state[i] = State::Erased;
        if superblock >= self.first_data && self.mode[i] == Mode::Slc {
            self.dynamic -= 1;
        }
        self.erase_count[i] += 1;
        if lost {
            self.lose(superblock, pool);
            return;
        }
        let mut next = superblock;
        if self.erase_count[i] >= self.end_of_life_cycles[pool as usize] {
            next = self.retire(superblock, pool);
        }
        self.erased[pool as usize].push_back(next);
    }

    /// Retires a superblock without a replacement.
    #[cold]
    fn lose(&mut self, superblock: SuperblockId, pool: Pool) {
        self.state[superblock.index()] = State::Retired;
        self.retired += 1;
        self.lost[pool as usize] += 1;
        self.worn_out = true;
    }

    /// Retires a spare superblock, so that its blocks can replace others.
    pub fn retire_spare(&mut self) -> Option<SuperblockId> {
        let spare = self.spares.pop_front()?;
        self.state[spare.index()] = State::Retired;
        self.retired += 1;
        Some(spare)
    }

    /// Retires the superblock that was erased first, without a replacement.
    pub fn lose_erased(&mut self, pool: Pool) -> Option<SuperblockId> {
        let superblock = self.erased[pool as usize].pop_front()?;
        self.lose(superblock, pool);
        Some(superblock)
    }

    /// Superblocks of a pool that were retired without a replacement.
    pub fn lost(&self, pool: Pool) -> u32 {
        self.lost[pool as usize]
    }

    /// Retires a superblock. Returns the spare one that replaces it, or itself if there is none.
    #[cold]
    fn retire(&mut self, superblock: SuperblockId, pool: Pool) -> SuperblockId {
        let spare = match pool {
            Pool::Data => self.spares.pop_front(),
            Pool::SlcCache => None,
        };
        let Some(spare) = spare else {
            self.worn_out = true;
            return superblock;
        };
        self.retired += 1;
        self.state[superblock.index()] = State::Retired;
        spare
    }

    /// True if a superblock had to be retired and no spare one could replace it.
    pub fn worn_out(&self) -> bool {
        self.worn_out
    }

    /// Superblocks that are retired.
    pub fn retired(&self) -> u32 {
        self.retired
    }

    /// Spare superblocks left.
    pub fn spares(&self) -> u32 {
        self.spares.len() as u32
    }

    /// Superblocks of the data area in SLC mode that are open or closed.
    pub fn dynamic_with_data(&self) -> u32 {
        let data_area = self.first_data.index()..self.state.len();
        let holds = |&s: &usize| {
            self.mode[s] == Mode::Slc && matches!(self.state[s], State::Open | State::Closed)
        };
        data_area.filter(holds).count() as u32
    }

    /// Open superblocks.
    pub fn open_ones(&self) -> impl Iterator<Item = SuperblockId> + '_ {
        self.all().filter(|&superblock| self.is_open(superblock))
    }

    /// Handles a power cut. Superblocks that are `dead`, or were being erased, must be erased and
    /// are returned. Of the others with data, those that are `open` stay open, and the rest are
    /// closed.
    pub fn power_cut(
        &mut self,
        open: impl Fn(SuperblockId) -> bool,
        dead: impl Fn(SuperblockId) -> bool,
    ) -> Vec<SuperblockId> {
        self.programs.fill(0);
        self.erases.fill(0);
        let mut to_erase = Vec::new();
        for superblock in self.all() {
            match self.state[superblock.index()] {
                State::Erased | State::Retired => continue,
                _ if dead(superblock) => {
                    self.state[superblock.index()] = State::Emptying;
                    to_erase.push(superblock);
                }
                State::Open if open(superblock) => self.full[superblock.index()] = false,
                State::Open => self.close(superblock),
                _ => self.state[superblock.index()] = State::Closed,
            }
        }
        let is_closed = |&s: &SuperblockId| {
            self.state[s.index()] == State::Closed && self.mode[s.index()] == Mode::Slc
        };
        let mut closed: Vec<SuperblockId> = self.all().filter(is_closed).collect();
        closed.sort_unstable_by_key(|&s| self.closed_at[s.index()]);
        self.closed_cache.clear();
        self.closed_cache.extend(closed);
        to_erase
    }

    /// Erase cycles of every superblock, cache first.
    pub fn erase_counts(&self) -> &[u32] {
        &self.erase_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_model::Model;
    use stend_model::spec::WearSpec;

    /// Superblocks of the data area with these erase cycles.
    fn worn(wear: Option<WearSpec>, times: [u32; 4]) -> (Superblocks, SuperblockId) {
        let mut spec = Model::shipped("demo-8gb").expect("it is shipped").spec();
        spec.data.superblocks = 4;
        spec.wear = wear;
        let layout = Layout::new(&spec);
        let mut superblocks = Superblocks::new(&spec, &layout);
        let first = layout.pool(Pool::Data).first_superblock;
        superblocks.erase_count[first.index()..].copy_from_slice(&times);
        (superblocks, first)
    }

    fn opened(mut superblocks: Superblocks, first: SuperblockId) -> Vec<u32> {
        std::iter::from_fn(|| Some(superblocks.open(Pool::Data, Mode::Native)? - first)).collect()
    }

    #[test]
    fn the_least_worn_is_opened_first_with_dynamic_wear_levelling() {
        let wear = |dynamic| {
            Some(WearSpec {
                dynamic,
                static_spread: 0,
                static_interval: 1,
            })
        };
        let times = [5, 2, 9, 2];
        for (wear, order) in [
            (None, [0, 1, 2, 3]),
            (wear(false), [0, 1, 2, 3]),
            (wear(true), [1, 3, 0, 2]),
        ] {
            let (superblocks, first) = worn(wear, times);
            assert_eq!(opened(superblocks, first), order);
        }
        let (mut superblocks, first) = worn(wear(true), times);
        assert_eq!(
            superblocks.open_most_worn(Pool::Data, Mode::Native),
            Some(first + 2)
        );
        assert_eq!(opened(superblocks, first), [1, 3, 0]);
    }
}
