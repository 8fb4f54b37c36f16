//! How the slots of a superblock are numbered: which die, which row, which hold parity.
//!
//! Slots are numbered in the order in which they are filled: row by row, within a row die
//! by die; where a word line is programmed at once, its rows are numbered together, die by
//! die. Parity slots are numbered like the others and hold no units.

use crate::sim::geometry::divider::Divider;

/// In which mode a superblock's cells are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Mode {
    /// One bit a cell.
    Slc = 0,
    /// As many as the cells are made for.
    Native = 1,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Slc, Mode::Native];
}

/// Numbering of a superblock's slots in one mode.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Shape {
    /// Slots of a superblock.
    pub slots: u32,
    /// Of these, slots without parity.
    pub data_slots: u32,
    /// Slots of one die that one program fills.
    pub together: u32,
    dies: u32,
    rows: u32,
    by_die: Divider,
    by_together: Divider,
    by_word_line: Divider,
    by_stride: Divider,
    /// Rows that share a word line: parity keeps its place across them, so that a fold
    /// leaves every parity group as it was.
    rows_per_word_line: u32,
    parity_stride: u32,
}

impl Shape {
    /// `together` rows of a word line are programmed at once: 1, or all of them.
    pub fn new(
        dies: u32,
        rows: u32,
        rows_per_word_line: u32,
        together: u32,
        parity_stride: u32,
    ) -> Shape {
        debug_assert!(together == 1 || together == rows_per_word_line);
        let mut shape = Shape {
            slots: rows * dies,
            data_slots: 0,
            together,
            dies,
            rows,
            by_die: Divider::new(dies),
            by_together: Divider::new(together),
            by_word_line: Divider::new(rows_per_word_line),
            by_stride: Divider::new(parity_stride.max(1)),
            rows_per_word_line,
            parity_stride,
        };
        let data = (0..shape.slots).filter(|&within| !shape.is_parity(within));
        shape.data_slots = data.count() as u32;
        shape
    }

    /// Row and die of a slot.
    #[inline]
    pub fn place(&self, within: u32) -> (u32, u32) {
        let (group, page) = self.by_together.divide(within);
        let (first, die) = self.by_die.divide(group);
        (first * self.together + page, die)
    }

    /// The slot at a row and die.
    #[inline]
    pub fn at(&self, row: u32, die: u32) -> u32 {
        let (first, page) = self.by_together.divide(row);
        (first * self.dies + die) * self.together + page
    }

    /// The slots that share a word line with one, itself among them, in the order in which
    /// they are programmed.
    #[inline]
    pub fn word_line(&self, within: u32) -> impl Iterator<Item = u32> + use<> {
        let (page, step) = if self.together > 1 {
            (self.by_together.divide(within).1, 1)
        } else {
            let (row, _) = self.by_die.divide(within);
            (self.by_word_line.divide(row).1, self.dies)
        };
        let first = within - page * step;
        (0..self.rows_per_word_line).map(move |nth| first + nth * step)
    }

    /// The first slot of the word lines, on all dies, that one belongs to: no slot before it
    /// shares a word line with one from there on.
    pub fn first_of_word_lines(&self, within: u32) -> u32 {
        if self.together > 1 {
            return within - self.by_together.divide(within).1;
        }
        let (row, _) = self.by_die.divide(within);
        (row - self.by_word_line.divide(row).1) * self.dies
    }

    /// The first slot whose word line does not end before `end`.
    pub fn whole_word_lines(&self, end: u32) -> u32 {
        let first = self.first_of_word_lines(end);
        let (row, die) = self.by_die.divide(end);
        let in_last_row = self.by_word_line.divide(row).1 + 1 == self.rows_per_word_line;
        match self.together == 1 && in_last_row {
            true => first + die,
            false => first,
        }
    }

    /// The first slot, not before `within`, from which on no word line has been begun, where
    /// those before `within` have.
    pub fn next_word_line(&self, within: u32) -> u32 {
        let together = self.rows_per_word_line / self.together;
        match together {
            1 => within,
            _ => within.next_multiple_of(self.rows_per_word_line * self.dies),
        }
    }

    /// Number of a slot's word line and die among those of the superblock, and its page in
    /// the word line.
    fn word_line_die(&self, within: u32) -> (u32, u32) {
        let (row, die) = self.place(within);
        let (word_line, page) = self.by_word_line.divide(row);
        (word_line * self.dies + die, page)
    }

    /// Whether a slot holds parity. Groups run over the dies and on into the next word line,
    /// so that parity rotates over all dies.
    pub fn is_parity(&self, within: u32) -> bool {
        let stride = self.parity_stride;
        if stride == 0 {
            return false;
        }
        let (number, _) = self.word_line_die(within);
        // Where whole groups fill a row, they would keep their parity on the same dies.
        let shift = if self.dies.is_multiple_of(stride) {
            number / self.dies
        } else {
            0
        };
        // The last group may be shorter, and has its parity as well.
        let all = self.slots / self.rows_per_word_line;
        let last_of_short = !all.is_multiple_of(stride) && number == all - 1;
        (number + shift) % stride == stride - 1 || last_of_short
    }

    /// No slot of the parity group of a slot comes so many after it.
    pub fn group_span(&self) -> u32 {
        let (word_lines, _) = self.by_die.divide(self.parity_stride);
        (word_lines + 2) * self.rows_per_word_line * self.dies
    }

    /// The nth slot of the parity group of a slot, itself and the parity among them; `None`
    /// behind the last, and without parity.
    pub fn nth_of_group(&self, within: u32, nth: u32) -> Option<u32> {
        if nth >= self.parity_stride {
            return None;
        }
        let (number, page) = self.word_line_die(within);
        let other = self.by_stride.divide(number).0 * self.parity_stride + nth;
        let (word_line, die) = self.by_die.divide(other);
        let row = word_line * self.rows_per_word_line + page;
        (row < self.rows).then(|| self.at(row, die))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers_are_inverse() {
        for (dies, rows, word_line, together) in
            [(4, 12, 3, 1), (4, 12, 3, 3), (5, 8, 2, 2), (1, 4, 4, 4)]
        {
            let shape = Shape::new(dies, rows, word_line, together, 0);
            let mut seen = vec![false; shape.slots as usize];
            for row in 0..rows {
                for die in 0..dies {
                    let within = shape.at(row, die);
                    assert_eq!(shape.place(within), (row, die));
                    assert!(!std::mem::replace(&mut seen[within as usize], true));
                }
            }
        }
    }

    /// Against the definition, for every end.
    #[test]
    fn word_lines_are_whole_below_an_end() {
        for (dies, rows, word_line, together) in [
            (4, 12, 3, 1),
            (4, 12, 3, 3),
            (5, 8, 2, 1),
            (5, 8, 2, 2),
            (3, 4, 1, 1),
        ] {
            let shape = Shape::new(dies, rows, word_line, together, 0);
            for end in 0..=shape.slots {
                let whole = |within: u32| shape.word_line(within).all(|other| other < end);
                let first = (0..shape.slots).find(|&within| !whole(within));
                assert_eq!(shape.whole_word_lines(end), first.unwrap_or(shape.slots));
            }
        }
    }

    #[test]
    fn every_page_has_one_parity_on_another_die() {
        for (dies, rows, word_line, together, stride) in [
            (16, 24, 3, 1, 6),
            (16, 24, 3, 3, 16),
            (4, 10, 2, 2, 4),
            (8, 6, 1, 1, 3),
        ] {
            let shape = Shape::new(dies, rows, word_line, together, stride);
            let mut parity_of_die = vec![0; dies as usize];
            for within in 0..shape.slots {
                let group: Vec<u32> = (0..)
                    .map_while(|nth| shape.nth_of_group(within, nth))
                    .collect();
                assert!(group.contains(&within));
                let span = shape.group_span();
                assert!(group.iter().all(|&other| other < within + span));
                let parity = group.iter().filter(|&&s| shape.is_parity(s)).count();
                assert_eq!(parity, 1, "{dies} dies, slot {within}: {group:?}");
                let mut on: Vec<u32> = group.iter().map(|&s| shape.place(s).1).collect();
                on.sort_unstable();
                on.dedup();
                assert_eq!(on.len(), group.len(), "two of a group on one die");
                parity_of_die[shape.place(within).1 as usize] += u32::from(shape.is_parity(within));
            }
            let even = shape.slots / stride / dies;
            assert!(
                parity_of_die.iter().all(|&n| n <= 2 * even + word_line + 1),
                "{parity_of_die:?}"
            );
        }
    }
}
