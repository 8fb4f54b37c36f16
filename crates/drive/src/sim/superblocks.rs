//! The life of superblocks: erased, open, closed, being emptied, being erased.

use std::collections::VecDeque;

use super::layout::{Layout, Pool};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Erased,
    /// A stream writes to it, or its last programs are under way.
    Open,
    Closed,
    /// Collection or folding empties it.
    Leaving,
    Erasing,
}

#[derive(Clone, Debug)]
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
    erased: [VecDeque<u32>; 2],
    closed_cache: VecDeque<u32>,
}

impl Superblocks {
    pub fn new(layout: &Layout) -> Superblocks {
        let n = layout.superblocks() as usize;
        let cache = layout.pool(Pool::Cache).superblocks;
        Superblocks {
            state: vec![State::Erased; n],
            programs: vec![0; n],
            full: vec![false; n],
            erases: vec![0; n],
            erase_count: vec![0; n],
            closed_at: vec![0; n],
            closings: 0,
            erased: [(0..cache).collect(), (cache..n as u32).collect()],
            closed_cache: VecDeque::with_capacity(cache as usize),
        }
    }

    pub fn erased(&self, pool: Pool) -> usize {
        self.erased[pool as usize].len()
    }

    pub fn open(&mut self, pool: Pool) -> Option<u32> {
        let superblock = self.erased[pool as usize].pop_front()?;
        self.state[superblock as usize] = State::Open;
        self.full[superblock as usize] = false;
        Some(superblock)
    }

    pub fn program_begins(&mut self, superblock: u32) {
        self.programs[superblock as usize] += 1;
    }

    /// A program has ended. True when the superblock is closed by it.
    pub fn program_ends(&mut self, superblock: u32, pool: Pool) -> bool {
        self.programs[superblock as usize] -= 1;
        self.close_if_done(superblock, pool)
    }

    /// Its last slot has been taken.
    pub fn fill_up(&mut self, superblock: u32, pool: Pool) -> bool {
        self.full[superblock as usize] = true;
        self.close_if_done(superblock, pool)
    }

    fn close_if_done(&mut self, superblock: u32, pool: Pool) -> bool {
        let i = superblock as usize;
        if !(self.full[i] && self.programs[i] == 0 && self.state[i] == State::Open) {
            return false;
        }
        self.close(superblock);
        if pool == Pool::Cache {
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

    pub fn leave(&mut self, superblock: u32) {
        debug_assert_eq!(self.state[superblock as usize], State::Closed);
        self.state[superblock as usize] = State::Leaving;
    }

    pub fn is_closed(&self, superblock: u32) -> bool {
        self.state[superblock as usize] == State::Closed
    }

    pub fn closed_at(&self, superblock: u32) -> u64 {
        self.closed_at[superblock as usize]
    }

    pub fn erase_begins(&mut self, superblock: u32, dies: u32) {
        debug_assert_eq!(self.state[superblock as usize], State::Leaving);
        self.state[superblock as usize] = State::Erasing;
        self.erases[superblock as usize] = dies;
    }

    /// One die has erased its blocks. True when it was the last.
    pub fn erase_ends(&mut self, superblock: u32, pool: Pool) -> bool {
        let i = superblock as usize;
        self.erases[i] -= 1;
        if self.erases[i] > 0 {
            return false;
        }
        self.state[i] = State::Erased;
        self.erase_count[i] += 1;
        self.erased[pool as usize].push_back(superblock);
        true
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
        layout: &Layout,
        open: impl Fn(u32) -> bool,
        dead: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        self.programs.fill(0);
        self.erases.fill(0);
        let mut to_erase = Vec::new();
        for superblock in 0..self.state.len() as u32 {
            match self.state[superblock as usize] {
                State::Erased => continue,
                _ if dead(superblock) => {
                    self.state[superblock as usize] = State::Leaving;
                    to_erase.push(superblock);
                }
                State::Open if open(superblock) => self.full[superblock as usize] = false,
                State::Open => self.close(superblock),
                _ => self.state[superblock as usize] = State::Closed,
            }
        }
        let cache = 0..layout.pool(Pool::Cache).superblocks;
        let mut closed: Vec<u32> = cache.filter(|&s| self.is_closed(s)).collect();
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
