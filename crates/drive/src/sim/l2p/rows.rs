//! Logical pages in a row whose places lie in a row.

use std::ops::Range;

use super::shared_table::SharedTable;
use crate::sim::ids::{Lpn, Ppn};

/// Logical pages in a row that lie at physical pages in a row, or all have no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct PlaceRun {
    /// The first place.
    pub first: Ppn,
    /// Number of pages.
    pub pages: u32,
}

impl PlaceRun {
    /// Run of the places of `pages` consecutive logical pages of the L2P, at least one, from `lpn`
    /// on; `None` if they are no run.
    #[inline(always)]
    pub(super) fn of(l2p: &SharedTable, lpn: Lpn, pages: u32) -> Option<PlaceRun> {
        let first = Ppn(l2p.get(lpn.0));
        let step = u32::from(first.is_place());
        l2p.counts_up(lpn.0, pages, first.0, step)
            .then_some(PlaceRun { first, pages })
    }

    /// Run of one page.
    #[inline(always)]
    pub fn one(first: Ppn) -> PlaceRun {
        PlaceRun { first, pages: 1 }
    }

    /// True if any of its pages lies at one of these places.
    #[inline(always)]
    pub fn meets(self, places: &Range<Ppn>) -> bool {
        // The pages have places if `first` is below the end of the range.
        self.first < places.end && places.start < self.first + self.pages
    }

    /// Part of the run: `pages` pages from page `from` on.
    #[inline(always)]
    pub fn part(self, from: u32, pages: u32) -> PlaceRun {
        let first = self.nth(from);
        PlaceRun { first, pages }
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

#[cfg(test)]
mod tests {
    use super::super::row::count_up;
    use super::*;

    #[test]
    fn places_in_a_row_are_a_run() {
        let of = |first, pages| Some(PlaceRun { first, pages });
        assert_eq!(run_of(&[7]), of(Ppn(7), 1));
        assert_eq!(run_of(&[7, 8, 9, 10]), of(Ppn(7), 4));
        assert_eq!(run_of(&[7, 8, 10]), None);
        assert_eq!(run_of(&[7, 7]), None);
        let (unmapped, lost) = (Ppn::UNMAPPED.0, Ppn::LOST.0);
        assert_eq!(run_of(&[unmapped; 3]), of(Ppn::UNMAPPED, 3));
        assert_eq!(run_of(&[lost; 2]), of(Ppn::LOST, 2));
        assert!(run_of(&[lost, unmapped]).is_none());
        assert!(run_of(&[unmapped, 0]).is_none());
    }

    fn run_of(row: &[u32]) -> Option<PlaceRun> {
        let mut table = SharedTable::new(0, row.len());
        for (index, &entry) in (0..).zip(row) {
            table.set(index, entry);
        }
        PlaceRun::of(&table, Lpn(0), row.len() as u32)
    }

    #[test]
    fn runs_meet_places_that_they_share() {
        let meets = |first, pages| PlaceRun { first, pages }.meets(&(Ppn(10)..Ppn(20)));
        assert!(meets(Ppn(8), 3) && meets(Ppn(19), 4) && meets(Ppn(12), 1) && meets(Ppn(0), 40));
        assert!(!meets(Ppn(8), 2) && !meets(Ppn(20), 4));
        assert!(!meets(Ppn::UNMAPPED, 4) && !meets(Ppn::LOST, 4));
        assert!(!PlaceRun::one(Ppn(0)).meets(&(Ppn(0)..Ppn(0))));
    }

    /// Rows of any length, in which each entry is wrong once.
    #[test]
    fn every_entry_of_a_row_counts() {
        for len in 1..=33 {
            let mut row = vec![0; len];
            count_up(&mut row, 40);
            assert_eq!(row, (40..40 + len as u32).collect::<Vec<_>>());
            assert_eq!(run_of(&row).map(|run| run.pages), Some(len as u32));
            for nth in 1..len {
                let (mut wrong, mut none) = (row.clone(), vec![Ppn::UNMAPPED.0; len]);
                wrong[nth] += 1;
                none[nth] = 3;
                assert_eq!(run_of(&wrong), None);
                assert_eq!(run_of(&none), None);
            }
        }
    }
}
