//! Old places of logical pages, or that they had none, before the changes that are not durable yet:
//! from them and the L2P in memory, the durable L2P is found.

use std::collections::VecDeque;

use crate::sim::ids::Ppn;
use crate::sim::l2p::rows::PlaceRun;

/// Places superseded by changes that name logical pages, in the order of the changes.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Superseded {
    runs: VecDeque<PlaceRun>,
    /// The latest run, after all of `runs`: it grows most often. Empty if there is none.
    latest: PlaceRun,
}

/// A run without pages.
const EMPTY: PlaceRun = PlaceRun {
    first: Ppn::UNMAPPED,
    pages: 0,
};

/// Number of runs above which their memory is freed when they are durable: the TRIM of a whole
/// drive has as many as it has fragments.
const USUAL_RUNS: usize = 1 << 16;

impl Superseded {
    pub fn new() -> Superseded {
        Superseded {
            runs: VecDeque::with_capacity(1 << 10),
            latest: EMPTY,
        }
    }

    /// Adds the old places of the pages of the latest change, in their order.
    #[inline(always)]
    pub fn add(&mut self, places: impl Iterator<Item = Ppn>) {
        for first in places {
            self.add_run(PlaceRun::one(first));
        }
    }

    /// Adds the old places of some of the pages; a run that continues the one before is merged with
    /// it.
    #[inline(always)]
    pub fn add_run(&mut self, run: PlaceRun) {
        if self.latest.nth(self.latest.pages) == run.first {
            self.latest.pages += run.pages;
            return;
        }
        if self.latest.pages > 0 {
            self.runs.push_back(self.latest);
        }
        self.latest = run;
    }

    /// Removes and returns the oldest run, of at most `pages`.
    #[inline]
    pub fn take_first(&mut self, pages: u32) -> PlaceRun {
        let Some(front) = self.runs.front_mut() else {
            return take_front(&mut self.latest, pages);
        };
        let run = take_front(front, pages);
        if front.pages == 0 {
            self.runs.pop_front();
        }
        run
    }

    /// Removes and returns the latest run, of at most `pages`.
    fn take_last(&mut self, pages: u32) -> PlaceRun {
        let back = &mut self.latest;
        let taken = pages.min(back.pages);
        assert!(taken > 0, "a change has superseded something");
        back.pages -= taken;
        let run = PlaceRun {
            first: back.nth(back.pages),
            pages: taken,
        };
        if back.pages == 0 {
            self.latest = self.runs.pop_back().unwrap_or(EMPTY);
        }
        run
    }

    /// Removes the places that the latest change, of `pages`, has superseded. Calls `tell` for each
    /// page, the last first, with its index in the change and its old place.
    pub fn take_last_of(&mut self, pages: u32, mut tell: impl FnMut(u32, Ppn)) {
        let mut left = pages;
        while left > 0 {
            let old = self.take_last(left);
            left -= old.pages;
            for nth in (0..old.pages).rev() {
                tell(left + nth, old.nth(nth));
            }
        }
    }

    /// Frees memory that only a rare change has needed.
    #[inline]
    pub fn shrink(&mut self) {
        if self.runs.capacity() > 2 * USUAL_RUNS && self.runs.len() < USUAL_RUNS {
            self.runs.shrink_to(USUAL_RUNS);
        }
    }

    /// Drops all places: nothing is left to become durable.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.latest = EMPTY;
        self.shrink();
    }
}

/// Removes and returns the beginning of a run, at most `pages`.
#[inline]
fn take_front(run: &mut PlaceRun, pages: u32) -> PlaceRun {
    let taken = PlaceRun {
        first: run.first,
        pages: pages.min(run.pages),
    };
    assert!(taken.pages > 0, "a change has superseded something");
    *run = PlaceRun {
        first: run.nth(taken.pages),
        pages: run.pages - taken.pages,
    };
    taken
}

#[cfg(test)]
mod tests {
    use stend_base::Rng;

    use super::*;

    /// Compares with a plain list of places, taken from both ends in portions of any size.
    #[test]
    fn places_come_back_in_their_order() {
        let mut rng = Rng::stream(1, "superseded");
        for _ in 0..200 {
            let (mut plain, mut all) = (VecDeque::new(), Superseded::new());
            let mut next = Ppn(0);
            for _ in 0..rng.below(60) {
                next = match rng.below(6) {
                    0 => Ppn(rng.below(1_000) as u32),
                    1 => Ppn::UNMAPPED,
                    2 => Ppn::LOST,
                    _ if next.is_place() => next + 1,
                    _ => next,
                };
                plain.push_back(next);
            }
            let half = plain.len() / 2;
            all.add(plain.range(..half).copied());
            all.add(plain.range(half..).copied());
            while !plain.is_empty() {
                let most = 1 + rng.below(plain.len() as u64) as u32;
                if rng.below(2) == 0 {
                    let run = all.take_first(most);
                    for nth in 0..run.pages {
                        assert_eq!(Some(run.nth(nth)), plain.pop_front());
                    }
                } else {
                    let run = all.take_last(most);
                    for nth in (0..run.pages).rev() {
                        assert_eq!(Some(run.nth(nth)), plain.pop_back());
                    }
                }
            }
            assert!(all.runs.is_empty() && all.latest.pages == 0);
        }
    }
}
