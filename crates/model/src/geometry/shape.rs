//! Numbering of the multi-plane pages of a superblock: their dies and rows, and those with parity.
//!
//! Multi-plane pages are numbered in the order in which they are filled: row by row, and die by die
//! within a row; if a word line is programmed at once, its rows are numbered together, die by die.
//! Pages with parity are numbered like the others.

use std::ops::Range;

use crate::geometry::divider::Divider;
use crate::ids::{DieId, Row};

/// Mode in which a superblock's cells are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Mode {
    /// One bit a cell.
    Slc = 0,
    /// The largest number of bits for which the cells are made.
    Native = 1,
}

impl Mode {
    /// Both modes.
    pub const ALL: [Mode; 2] = [Mode::Slc, Mode::Native];
}

/// Numbering of a superblock's multi-plane pages in one mode.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// Multi-plane pages of a superblock.
    pub mp_pages: u32,
    /// Of these, multi-plane pages without parity.
    pub data_mp_pages: u32,
    /// Multi-plane pages of one die that one program fills.
    pub mp_pages_per_program: u32,
    dies: u32,
    rows: u32,
    by_die: Divider,
    by_program: Divider,
    by_word_line: Divider,
    by_stride: Divider,
    /// Rows that share a word line: parity keeps its place across them, so that a fold leaves every
    /// stripe unchanged.
    rows_per_word_line: u32,
    parity_stride: u32,
}

impl Shape {
    /// The numbering for programs of one multi-plane page, or of all rows of a word line.
    #[inline]
    pub fn new(
        dies: u32,
        rows: u32,
        rows_per_word_line: u32,
        mp_pages_per_program: u32,
        parity_stride: u32,
    ) -> Shape {
        debug_assert!(mp_pages_per_program == 1 || mp_pages_per_program == rows_per_word_line);
        let mut shape = Shape {
            mp_pages: rows * dies,
            data_mp_pages: 0,
            mp_pages_per_program,
            dies,
            rows,
            by_die: Divider::new(dies),
            by_program: Divider::new(mp_pages_per_program),
            by_word_line: Divider::new(rows_per_word_line),
            by_stride: Divider::new(parity_stride.max(1)),
            rows_per_word_line,
            parity_stride,
        };
        let data = (0..shape.mp_pages).filter(|&within| !shape.is_parity(within));
        shape.data_mp_pages = data.count() as u32;
        shape
    }

    /// Row and die of a multi-plane page.
    #[inline]
    pub fn place(&self, within: u32) -> (Row, DieId) {
        let (program, page) = self.by_program.divide(within);
        let (first, die) = self.by_die.divide(program);
        (Row(first * self.mp_pages_per_program + page), DieId(die))
    }

    /// The multi-plane page at a row and die.
    #[inline]
    pub fn at(&self, row: Row, die: DieId) -> u32 {
        let (first, page) = self.by_program.divide(row.0);
        (first * self.dies + die.0) * self.mp_pages_per_program + page
    }

    /// All multi-plane pages on the word line of one, with itself, in the order in which they are
    /// programmed.
    #[inline]
    pub fn word_line(&self, within: u32) -> impl Iterator<Item = u32> + use<> {
        let (page, step) = if self.mp_pages_per_program > 1 {
            (self.by_program.divide(within).1, 1)
        } else {
            let (row, _) = self.by_die.divide(within);
            (self.by_word_line.divide(row).1, self.dies)
        };
        let first = within - page * step;
        (0..self.rows_per_word_line).map(move |nth| first + nth * step)
    }

    /// The first multi-plane page of the word lines, on all dies, that contain `within`: no page
    /// before it shares a word line with a page from there on.
    #[inline]
    pub fn first_of_word_lines(&self, within: u32) -> u32 {
        if self.mp_pages_per_program > 1 {
            return within - self.by_program.divide(within).1;
        }
        let (row, _) = self.by_die.divide(within);
        (row - self.by_word_line.divide(row).1) * self.dies
    }

    /// The first multi-plane page whose word line does not end before `end`.
    #[inline]
    pub fn whole_word_lines(&self, end: u32) -> u32 {
        let first = self.first_of_word_lines(end);
        let (row, die) = self.by_die.divide(end);
        let in_last_row = self.by_word_line.divide(row).1 + 1 == self.rows_per_word_line;
        match self.mp_pages_per_program == 1 && in_last_row {
            true => first + die,
            false => first,
        }
    }

    /// The first multi-plane page, not before `within`, from which on no word line has been begun,
    /// if those before `within` have.
    #[inline]
    pub fn next_word_line(&self, within: u32) -> u32 {
        match self.rows_per_word_line / self.mp_pages_per_program {
            1 => within,
            _ => within.next_multiple_of(self.rows_per_word_line * self.dies),
        }
    }

    /// Number of a multi-plane page's word line and die among those of the superblock, and the
    /// page's number in the word line.
    #[inline]
    fn word_line_die(&self, within: u32) -> (u32, u32) {
        let (row, die) = self.place(within);
        let (word_line, page) = self.by_word_line.divide(row.0);
        (word_line * self.dies + die.0, page)
    }

    /// True if a multi-plane page contains parity. Stripes run over the dies and into the next word
    /// line, so that parity rotates over all dies.
    #[inline]
    pub fn is_parity(&self, within: u32) -> bool {
        let stride = self.parity_stride;
        if stride == 0 {
            return false;
        }
        let (number, _) = self.word_line_die(within);
        // If whole stripes fill a row, they would keep their parity on the same dies.
        let shift = if self.dies.is_multiple_of(stride) {
            number / self.dies
        } else {
            0
        };
        // The last stripe may be shorter, and also has parity.
        let all = self.mp_pages / self.rows_per_word_line;
        let last_of_short = !all.is_multiple_of(stride) && number == all - 1;
        (number + shift) % stride == stride - 1 || last_of_short
    }

    /// Upper bound, exclusive, of the distance of two multi-plane pages of a stripe.
    #[inline]
    pub fn stripe_span(&self) -> u32 {
        let (word_lines, _) = self.by_die.divide(self.parity_stride);
        (word_lines + 2) * self.rows_per_word_line * self.dies
    }

    /// Multi-plane pages of each stripe, in their order; only if a word line is one row.
    #[inline]
    pub fn stripe_lengths(&self) -> impl Iterator<Item = u32> + '_ {
        let stride = self.parity_stride.max(1);
        let firsts = (0..self.mp_pages).step_by(stride as usize);
        firsts.map(move |first| stride.min(self.mp_pages - first))
    }

    /// The number of the stripe of a multi-plane page, and all multi-plane pages of the stripe;
    /// only if a word line is one row.
    #[inline]
    pub fn stripe_of_row(&self, within: u32) -> (u32, Range<u32>) {
        debug_assert_eq!(self.rows_per_word_line, 1);
        let (stripe, _) = self.by_stride.divide(within);
        let first = stripe * self.parity_stride.max(1);
        let end = self.mp_pages.min(first + self.parity_stride.max(1));
        (stripe, first..end)
    }

    /// The nth multi-plane page of the stripe of one, with itself and the parity; `None` after the
    /// last, and without parity.
    #[inline]
    pub fn nth_of_stripe(&self, within: u32, nth: u32) -> Option<u32> {
        if nth >= self.parity_stride {
            return None;
        }
        let (number, page) = self.word_line_die(within);
        let other = self.by_stride.divide(number).0 * self.parity_stride + nth;
        let (word_line, die) = self.by_die.divide(other);
        let row = word_line * self.rows_per_word_line + page;
        (row < self.rows).then(|| self.at(Row(row), DieId(die)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers_are_inverse() {
        for (dies, rows, word_line, mp_pages_per_program) in
            [(4, 12, 3, 1), (4, 12, 3, 3), (5, 8, 2, 2), (1, 4, 4, 4)]
        {
            let shape = Shape::new(dies, rows, word_line, mp_pages_per_program, 0);
            let mut seen = vec![false; shape.mp_pages as usize];
            for row in 0..rows {
                for die in 0..dies {
                    let within = shape.at(Row(row), DieId(die));
                    assert_eq!(shape.place(within), (Row(row), DieId(die)));
                    assert!(!std::mem::replace(&mut seen[within as usize], true));
                }
            }
        }
    }

    /// Compares with the definition, for every end.
    #[test]
    fn word_lines_are_whole_below_an_end() {
        for (dies, rows, word_line, mp_pages_per_program) in [
            (4, 12, 3, 1),
            (4, 12, 3, 3),
            (5, 8, 2, 1),
            (5, 8, 2, 2),
            (3, 4, 1, 1),
        ] {
            let shape = Shape::new(dies, rows, word_line, mp_pages_per_program, 0);
            for end in 0..=shape.mp_pages {
                let whole = |within: u32| shape.word_line(within).all(|other| other < end);
                let first = (0..shape.mp_pages).find(|&within| !whole(within));
                assert_eq!(shape.whole_word_lines(end), first.unwrap_or(shape.mp_pages));
            }
        }
    }

    #[test]
    fn stripes_of_rows_are_those_of_word_lines() {
        for (dies, rows, stride) in [(16, 24, 6), (16, 24, 128), (4, 10, 7), (8, 6, 3)] {
            let shape = Shape::new(dies, rows, 1, 1, stride);
            let lengths: Vec<u32> = shape.stripe_lengths().collect();
            for within in 0..shape.mp_pages {
                let (stripe, pages) = shape.stripe_of_row(within);
                let expected = (0..).map_while(|nth| shape.nth_of_stripe(within, nth));
                assert!(pages.clone().eq(expected));
                assert_eq!(pages.len() as u32, lengths[stripe as usize]);
            }
        }
    }

    #[test]
    fn every_page_has_one_parity_on_another_die() {
        for (dies, rows, word_line, mp_pages_per_program, stride) in [
            (16, 24, 3, 1, 6),
            (16, 24, 3, 3, 16),
            (4, 10, 2, 2, 4),
            (8, 6, 1, 1, 3),
        ] {
            let shape = Shape::new(dies, rows, word_line, mp_pages_per_program, stride);
            let mut parity_of_die = vec![0; dies as usize];
            for within in 0..shape.mp_pages {
                let stripe: Vec<u32> = (0..)
                    .map_while(|nth| shape.nth_of_stripe(within, nth))
                    .collect();
                assert!(stripe.contains(&within));
                let span = shape.stripe_span();
                assert!(stripe.iter().all(|&other| other < within + span));
                let parity = stripe.iter().filter(|&&s| shape.is_parity(s)).count();
                assert_eq!(
                    parity, 1,
                    "{dies} dies, multi-plane page {within}: {stripe:?}"
                );
                let mut on: Vec<u32> = stripe.iter().map(|&s| shape.place(s).1.0).collect();
                on.sort_unstable();
                on.dedup();
                assert_eq!(on.len(), stripe.len(), "two of a stripe on one die");
                parity_of_die[shape.place(within).1.index()] += u32::from(shape.is_parity(within));
            }
            let even = shape.mp_pages / stride / dies;
            assert!(
                parity_of_die.iter().all(|&n| n <= 2 * even + word_line + 1),
                "{parity_of_die:?}"
            );
        }
    }
}
