//! Where logical pages lay, or that they held nothing, before changes that are not durable yet:
//! with it, the durable L2P is found from the one in memory.

use std::collections::VecDeque;

use crate::sim::ids::Ppn;

/// Logical pages in a row that lay at physical pages in a row, or all had no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct PlaceRun {
    pub first: Ppn,
    pub pages: u32,
}

impl PlaceRun {
    /// Of places, at least one, that are a run.
    #[inline(always)]
    pub fn of(places: impl ExactSizeIterator<Item = Ppn> + Clone) -> Option<PlaceRun> {
        let first = places.clone().next()?;
        let pages = places.len() as u32;
        let step = u32::from(first.is_place());
        // Without a branch, so that several are compared at once.
        let differ = (0u32..).zip(places);
        let differ = differ.fold(0, |bits, (nth, place)| {
            bits | (place.0 ^ first.0.wrapping_add(nth * step))
        });
        (differ == 0).then_some(PlaceRun { first, pages })
    }

    /// The place of one of its pages.
    #[inline]
    pub fn nth(self, nth: u32) -> Ppn {
        match self.first.is_place() {
            true => self.first + nth,
            false => self.first,
        }
    }
}

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
            self.add_run(PlaceRun { first, pages: 1 });
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

    #[test]
    fn places_in_a_row_are_a_run() {
        let run = |places: &[u32]| PlaceRun::of(places.iter().map(|&place| Ppn(place)));
        let of = |first, pages| Some(PlaceRun { first, pages });
        assert_eq!(run(&[7]), of(Ppn(7), 1));
        assert_eq!(run(&[7, 8, 9, 10]), of(Ppn(7), 4));
        assert_eq!(run(&[7, 8, 10]), None);
        assert_eq!(run(&[7, 7]), None);
        let (unmapped, lost) = (Ppn::UNMAPPED.0, Ppn::LOST.0);
        assert_eq!(run(&[unmapped; 3]), of(Ppn::UNMAPPED, 3));
        assert_eq!(run(&[lost; 2]), of(Ppn::LOST, 2));
        assert!(run(&[lost, unmapped]).is_none() && run(&[unmapped, 0]).is_none());
    }

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
