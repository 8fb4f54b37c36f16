//! Timing of cells, by mode.

use stend_base::Nanos;

/// Timing of one cell mode (SLC, MLC or TLC) of a die.
///
/// `read` and `program` hold one entry per page type, in the order in which the pages of a word
/// line are programmed: one for SLC, lower and upper for MLC, lower, middle and upper for TLC.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CellTiming {
    /// tR by page type: from the command until the data is in the die's register.
    pub read: Vec<Nanos>,
    /// tPROG by page type.
    pub program: Vec<Nanos>,
    /// tBERS: time to erase a block (of all planes at once).
    pub erase: Nanos,
}

impl CellTiming {
    /// Number of bits (and pages) of a word line in this mode.
    pub fn pages_per_word_line(&self) -> u32 {
        self.program.len() as u32
    }

    /// tR of the page at `row` of its block.
    #[inline]
    pub fn read_at(&self, row: u32) -> Nanos {
        self.read[row as usize % self.read.len()]
    }

    /// tPROG of the page at `row` of its block.
    #[inline]
    pub fn program_at(&self, row: u32) -> Nanos {
        self.program[row as usize % self.program.len()]
    }

    /// Time to program all pages of one word line.
    pub fn program_word_line(&self) -> Nanos {
        Nanos(self.program.iter().map(|t| t.0).sum())
    }
}
