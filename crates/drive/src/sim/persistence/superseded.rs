//! Where logical pages lay, or that they held nothing, before changes that are not durable yet:
//! with it, the durable L2P is found from the one in memory.

use std::collections::VecDeque;

use crate::sim::ids::Ppn;
use crate::sim::l2p::rows::PlaceRun;

/// What the changes that name logical pages have superseded, in their order.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Superseded {
    runs: VecDeque<PlaceRun>,
    /// The latest, behind all of these: it grows most often. Empty where there is none.
    latest: PlaceRun,
}

/// No page.
const EMPTY: PlaceRun = PlaceRun {
    first: Ppn::UNMAPPED,
    pages: 0,
};

/// Runs above which the memory for them is given back when they are durable: the TRIM of a whole
/// drive has as many as it has fragments.
const USUAL_RUNS: usize = 1 << 16;

impl Superseded {
    pub fn new() -> Superseded {
        Superseded {
            runs: VecDeque::with_capacity(1 << 10),
            latest: EMPTY,
        }
    }

    /// Adds where the pages of the latest change lay, in their order.
    #[inline(always)]
    pub fn add(&mut self, places: impl Iterator<Item = Ppn>) {
        for first in places {
            self.add_run(PlaceRun::one(first));
        }
    }

    /// Adds where some of them lay; they go on from what came before where they can.
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

    /// Takes the oldest, of at most so many pages.
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

    /// Takes the latest, of at most so many pages.
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

    /// Takes what the latest change, of so many pages, has superseded: tells of each page, the last
    /// first, which of them it is and where it lay.
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

    /// Gives back memory that only a rare change has needed.
    #[inline]
    pub fn shrink(&mut self) {
        if self.runs.capacity() > 2 * USUAL_RUNS && self.runs.len() < USUAL_RUNS {
            self.runs.shrink_to(USUAL_RUNS);
        }
    }

    /// Nothing is left to become durable.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.latest = EMPTY;
        self.shrink();
    }
}

/// Takes the first of a run, at most so many pages.
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

    /// Against a plain list of places, taken from both ends in portions of any size.
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
