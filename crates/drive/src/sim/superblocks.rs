//! The life of superblocks: erased, open, closed, being emptied, being erased.

use std::collections::VecDeque;

use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::geometry::shape::Mode;
use crate::spec::Spec;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum State {
    Erased,
    /// A stream writes to it, or its last programs are under way.
    Open,
    Closed,
    /// Collection or folding empties it.
    Leaving,
    Erasing,
    /// Erased as often as it can bear.
    Retired,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Superblocks {
    state: Vec<State>,
    /// Program operations under way.
    programs: Vec<u32>,
    /// No more slots will be taken.
    full: Vec<bool>,
    /// Dies whose erase is under way.
    erases: Vec<u32>,
    erase_count: Vec<u32>,
    /// When it was closed, as a running number.
    closed_at: Vec<u64>,
    closings: u64,
    /// How often what lies in it has been collected.
    generation: Vec<u8>,
    mode: Vec<Mode>,
    /// Superblocks of the main area in SLC mode.
    dynamic: u32,
    first_main: u32,
    /// The erased superblock with the fewest erase cycles is opened first.
    least_worn_first: bool,
    erased: [VecDeque<u32>; 2],
    closed_cache: VecDeque<u32>,
    /// Erased superblocks of the main area that will take the place of retired ones.
    spares: VecDeque<u32>,
    end_of_life_cycles: [u32; 2],
    retired: u32,
    /// By pool, those of them that nothing took the place of.
    lost: [u32; 2],
    worn_out: bool,
}

impl Superblocks {
    pub fn new(spec: &Spec, layout: &Layout) -> Superblocks {
        let n = layout.superblocks() as usize;
        let cache = layout.pool(Pool::Cache).superblocks;
        let health = spec.health.as_ref();
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
            first_main: cache,
            erased: [(0..cache).collect(), (cache..spare).collect()],
            closed_cache: VecDeque::with_capacity(cache as usize),
            spares: (spare..n as u32).collect(),
            end_of_life_cycles: health.map_or([u32::MAX; 2], |h| h.end_of_life_cycles),
            retired: 0,
            lost: [0; 2],
            worn_out: false,
        }
    }

    pub fn erased(&self, pool: Pool) -> usize {
        self.erased[pool as usize].len()
    }

    /// Opens the superblock that was erased first, to be used in this mode; with dynamic wear
    /// levelling, the one with the fewest erase cycles (of several, the one that was erased
    /// first).
    pub fn open(&mut self, pool: Pool, mode: Mode) -> Option<u32> {
        let erased = &self.erased[pool as usize];
        let nth = match self.least_worn_first {
            false => 0,
            true => (0..erased.len()).min_by_key(|&n| self.erase_count[erased[n] as usize])?,
        };
        self.open_nth(pool, mode, nth)
    }

    /// Opens the erased superblock with the most erase cycles.
    pub fn open_most_worn(&mut self, pool: Pool, mode: Mode) -> Option<u32> {
        let erased = &self.erased[pool as usize];
        let nth = (0..erased.len()).max_by_key(|&n| self.erase_count[erased[n] as usize])?;
        self.open_nth(pool, mode, nth)
    }

    fn open_nth(&mut self, pool: Pool, mode: Mode, nth: usize) -> Option<u32> {
        let superblock = self.erased[pool as usize].remove(nth)?;
        self.mode[superblock as usize] = mode;
        if pool == Pool::Main && mode == Mode::Slc {
            self.dynamic += 1;
        }
        self.state[superblock as usize] = State::Open;
        self.full[superblock as usize] = false;
        Some(superblock)
    }

    pub fn generation(&self, superblock: u32) -> u8 {
        self.generation[superblock as usize]
    }

    pub fn set_generation(&mut self, superblock: u32, generation: u8) {
        self.generation[superblock as usize] = generation;
    }

    pub fn program_begins(&mut self, superblock: u32) {
        self.programs[superblock as usize] += 1;
    }

    /// A program has ended. True when the superblock is closed by it.
    #[inline(always)]
    pub fn program_ends(&mut self, superblock: u32) -> bool {
        let under_way = &mut self.programs[superblock as usize];
        *under_way -= 1;
        *under_way == 0 && self.close_if_done(superblock)
    }

    /// Its last slot has been taken, and is being programmed.
    pub fn fill_up(&mut self, superblock: u32) {
        debug_assert!(self.programs[superblock as usize] > 0);
        self.full[superblock as usize] = true;
    }

    /// In which mode a superblock's cells are used, or were last.
    #[inline]
    pub fn mode(&self, superblock: u32) -> Mode {
        self.mode[superblock as usize]
    }

    /// Superblocks of the main area that are in SLC mode and not erased.
    pub fn dynamic(&self) -> u32 {
        self.dynamic
    }

    fn close_if_done(&mut self, superblock: u32) -> bool {
        let i = superblock as usize;
        if !(self.full[i] && self.programs[i] == 0 && self.state[i] == State::Open) {
            return false;
        }
        self.close(superblock);
        if self.mode[i] == Mode::Slc {
            self.closed_cache.push_back(superblock);
        }
        true
    }

    /// Closes a superblock of the main area that was filled by folding.
    pub fn close(&mut self, superblock: u32) {
        self.state[superblock as usize] = State::Closed;
        self.closed_at[superblock as usize] = self.closings;
        self.closings += 1;
    }

    pub fn closed_cache(&self) -> &VecDeque<u32> {
        &self.closed_cache
    }

    /// Takes the `nth` oldest closed superblock of the cache to empty it.
    pub fn take_closed_cache(&mut self, nth: usize) -> u32 {
        let superblock = self
            .closed_cache
            .remove(nth)
            .expect("there are not so many closed superblocks");
        self.state[superblock as usize] = State::Leaving;
        superblock
    }

    /// Every superblock that is neither erased nor being erased is to be emptied: which
    /// they are. No program may be under way; a slot that was begun is forgotten.
    pub fn leave_all(&mut self) -> Vec<u32> {
        self.closed_cache.clear();
        let filled = [State::Open, State::Closed, State::Leaving];
        let all: Vec<u32> = (0..self.state.len() as u32)
            .filter(|&s| filled.contains(&self.state[s as usize]))
            .collect();
        for &superblock in &all {
            self.state[superblock as usize] = State::Leaving;
            self.programs[superblock as usize] = 0;
        }
        all
    }

    /// Whether something is being written to it, or its last programs are under way.
    #[inline]
    pub fn is_open(&self, superblock: u32) -> bool {
        self.state[superblock as usize] == State::Open
    }

    pub fn begin_emptying(&mut self, superblock: u32) {
        debug_assert_eq!(self.state[superblock as usize], State::Closed);
        self.state[superblock as usize] = State::Leaving;
    }

    pub fn is_closed(&self, superblock: u32) -> bool {
        // What waits to be folded is not for collection.
        self.state[superblock as usize] == State::Closed
            && self.mode[superblock as usize] == Mode::Native
    }

    pub fn closed_at(&self, superblock: u32) -> u64 {
        self.closed_at[superblock as usize]
    }

    /// Superblocks closed so far.
    pub fn closings(&self) -> u64 {
        self.closings
    }

    pub fn erase_begins(&mut self, superblock: u32, dies: u32) {
        debug_assert_eq!(self.state[superblock as usize], State::Leaving);
        self.state[superblock as usize] = State::Erasing;
        self.erases[superblock as usize] = dies;
    }

    /// One die has erased its blocks. True when it was the last.
    #[inline]
    pub fn die_has_erased(&mut self, superblock: u32) -> bool {
        self.erases[superblock as usize] -= 1;
        self.erases[superblock as usize] == 0
    }

    /// All dies have erased their blocks, but for one that has none for it if it is `lost`.
    pub fn erase_ends(&mut self, superblock: u32, pool: Pool, lost: bool) {
        let i = superblock as usize;
        self.state[i] = State::Erased;
        if superblock >= self.first_main && self.mode[i] == Mode::Slc {
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

    /// Retires a superblock with nothing in its place.
    #[cold]
    fn lose(&mut self, superblock: u32, pool: Pool) {
        self.state[superblock as usize] = State::Retired;
        self.retired += 1;
        self.lost[pool as usize] += 1;
        self.worn_out = true;
    }

    /// Retires a spare superblock, so that its blocks can take the place of others.
    pub fn retire_spare(&mut self) -> Option<u32> {
        let spare = self.spares.pop_front()?;
        self.state[spare as usize] = State::Retired;
        self.retired += 1;
        Some(spare)
    }

    /// Retires the superblock that was erased first, with nothing in its place.
    pub fn lose_erased(&mut self, pool: Pool) -> Option<u32> {
        let superblock = self.erased[pool as usize].pop_front()?;
        self.lose(superblock, pool);
        Some(superblock)
    }

    /// Superblocks of a pool that were retired with nothing in their place.
    pub fn lost(&self, pool: Pool) -> u32 {
        self.lost[pool as usize]
    }

    /// Retires a superblock; the spare one that takes its place, or itself where there is
    /// none.
    #[cold]
    fn retire(&mut self, superblock: u32, pool: Pool) -> u32 {
        let spare = match pool {
            Pool::Main => self.spares.pop_front(),
            Pool::Cache => None,
        };
        let Some(spare) = spare else {
            self.worn_out = true;
            return superblock;
        };
        self.retired += 1;
        self.state[superblock as usize] = State::Retired;
        spare
    }

    /// A superblock should have been retired, and nothing could take its place.
    pub fn worn_out(&self) -> bool {
        self.worn_out
    }

    pub fn retired(&self) -> u32 {
        self.retired
    }

    pub fn spares(&self) -> u32 {
        self.spares.len() as u32
    }

    /// Superblocks of the main area in SLC mode that are open or closed.
    pub fn dynamic_with_data(&self) -> u32 {
        let main = self.first_main as usize..self.state.len();
        let holds = |&s: &usize| {
            self.mode[s] == Mode::Slc && matches!(self.state[s], State::Open | State::Closed)
        };
        main.filter(holds).count() as u32
    }

    /// Those that something is being written to.
    pub fn open_ones(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..)
            .zip(&self.state)
            .filter(|&(_, &state)| state == State::Open)
            .map(|(superblock, _)| superblock)
    }

    /// Nothing is under way any more. Those that are `open` stay so, those that were being
    /// erased or are `dead` are to be erased (they are returned), all others with data are
    /// closed.
    pub fn power_cut(
        &mut self,
        open: impl Fn(u32) -> bool,
        dead: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        self.programs.fill(0);
        self.erases.fill(0);
        let mut to_erase = Vec::new();
        for superblock in 0..self.state.len() as u32 {
            match self.state[superblock as usize] {
                State::Erased | State::Retired => continue,
                _ if dead(superblock) => {
                    self.state[superblock as usize] = State::Leaving;
                    to_erase.push(superblock);
                }
                State::Open if open(superblock) => self.full[superblock as usize] = false,
                State::Open => self.close(superblock),
                _ => self.state[superblock as usize] = State::Closed,
            }
        }
        let is_closed = |&s: &u32| {
            self.state[s as usize] == State::Closed && self.mode[s as usize] == Mode::Slc
        };
        let all = 0..self.state.len() as u32;
        let mut closed: Vec<u32> = all.filter(is_closed).collect();
        closed.sort_unstable_by_key(|&s| self.closed_at[s as usize]);
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
    use crate::Model;
    use crate::spec::WearSpec;

    /// Superblocks of the main area that were erased so many times each.
    fn worn(wear: Option<WearSpec>, times: [u32; 4]) -> (Superblocks, u32) {
        let mut spec = Model::shipped("demo-8gb").expect("it is shipped").spec();
        spec.main.superblocks = 4;
        spec.wear = wear;
        let layout = Layout::new(&spec);
        let mut superblocks = Superblocks::new(&spec, &layout);
        let first = layout.pool(Pool::Main).first_superblock;
        superblocks.erase_count[first as usize..].copy_from_slice(&times);
        (superblocks, first)
    }

    fn opened(mut superblocks: Superblocks, first: u32) -> Vec<u32> {
        std::iter::from_fn(|| Some(superblocks.open(Pool::Main, Mode::Native)? - first)).collect()
    }

    #[test]
    fn the_least_worn_is_opened_first_where_that_is_asked_for() {
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
            superblocks.open_most_worn(Pool::Main, Mode::Native),
            Some(first + 2)
        );
        assert_eq!(opened(superblocks, first), [1, 3, 0]);
    }
}
