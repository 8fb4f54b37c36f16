//! `[variation]`: differences among operations that are alike by design.

use stend_base::Nanos;

use super::super::convert::value;
use super::super::key::{Field, table};
use super::Model;

table! {
    /// Variation of latencies among operations that are alike by design. A deviation follows from
    /// the seed and from a place or a number alone. The mean stays that of the other tables.
    pub struct Variation = "variation" => VariationSpec {
        /// Greatest deviation of a word line's tR from `nand.read_us` and `slc_cache.read_us`,
        /// percent; all up to it are equally frequent. Word lines of one number are alike in all
        /// blocks, as the layers of 3D flash are.
        read_word_line_percent: Field<u32> = 0, 0..=50 => read_word_line_percent: u32 = value;
        /// The same for tPROG.
        program_word_line_percent: Field<u32> = 0, 0..=50 => program_word_line_percent: u32 = value;
        /// Greatest deviation of a die's tR from the mean of all dies, percent; all up to it are
        /// equally frequent.
        read_die_percent: Field<u32> = 0, 0..=50 => read_die_percent: u32 = value;
        /// The same for tPROG.
        program_die_percent: Field<u32> = 0, 0..=50 => program_die_percent: u32 = value;
        /// Part of a read or write command's time on a core that is exponentially distributed,
        /// percent; the rest is constant.
        command_percent: Field<u32> = 0, 0..=100 => command_percent: u32 = value;
        /// Seed: which word lines, dies and commands take longer.
        seed: Field<u64> = 1 => seed: u64 = value;
    }
}

impl VariationSpec {
    /// Least and greatest tPROG of a page, where the mean is `program`.
    pub fn program_range(&self, program: Nanos) -> [Nanos; 2] {
        let percent = [self.program_word_line_percent, self.program_die_percent];
        range(program, percent)
    }

    /// Least and greatest tR of a page, where the mean is `read`.
    pub fn read_range(&self, read: Nanos) -> [Nanos; 2] {
        range(read, [self.read_word_line_percent, self.read_die_percent])
    }
}

/// Least and greatest of a time that differs from `mean` by two causes, each up to its percentage.
fn range(mean: Nanos, percent: [u32; 2]) -> [Nanos; 2] {
    let squared = |by: fn(u64, u64) -> u64| {
        let [one, other] = percent.map(|percent| by(100, u64::from(percent)));
        mean.0 * one * other
    };
    let least = squared(|all, part| all - part) / (100 * 100);
    let greatest = squared(|all, part| all + part).div_ceil(100 * 100);
    [Nanos(least), Nanos(greatest)]
}
