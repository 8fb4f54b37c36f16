//! Bit errors of cells, and what ECC with read retry corrects.
//!
//! The raw bit error rate (RBER) of a block grows with its erase cycles (by the square), with the
//! age of its data (linearly, and faster the more it is worn) and with the reads since it was
//! written (linearly): the shapes found by Mielke et al. (IRPS 2008), Cai et al. (DATE 2012, ICCD
//! 2012, DSN 2015) and Meza et al. (SIGMETRICS 2015). Pages differ: one page in 2^k is worse than
//! its block by k times a spread, so that a few pages are bad enough to test the ECC.
//!
//! A page is read; while its RBER is above what the ECC then corrects, read retry senses it again
//! with shifted thresholds, pass after pass. What the last pass does not correct is lost.
//!
//! All rates are integers, in parts of 10^12, so that they are the same on any machine.

use serde::{Deserialize, Serialize};
use stend_base::Nanos;

/// A raw bit error rate, in parts of 10^12.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rber(pub u64);

/// How the raw bit error rate of a kind of cells grows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorModel {
    /// Of a new block just written.
    pub fresh: Rber,
    /// Added at the rated number of cycles.
    pub worn: Rber,
    /// Added by a year without power at rest, in a new block.
    pub year_fresh: Rber,
    /// Added to that at the rated number of cycles.
    pub year_worn: Rber,
    /// Added by 100,000 reads of the block's pages.
    pub reads_100k: Rber,
    /// Erase cycles that the cells are rated for.
    pub rated_cycles: u32,
    /// How much worse the worst page of two, four, eight … is, percent each time.
    pub spread_percent: u32,
}

/// 365 days.
const YEAR_NS: u64 = 365 * 86_400 * 1_000_000_000;

#[inline]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// A division of numbers that mostly fit 64 bits.
#[inline(always)]
fn divide(number: u128, by: u64) -> u128 {
    match u64::try_from(number) {
        Ok(number) => u128::from(number / by),
        Err(_) => number / u128::from(by),
    }
}

impl ErrorModel {
    /// RBER of the average page of a block after `cycles` erases, with data of `age`, after
    /// `reads` of its pages since then.
    pub fn block(&self, cycles: u32, age: Nanos, reads: u32) -> Rber {
        let (cycles, rated) = (u64::from(cycles), u64::from(self.rated_cycles.max(1)));
        let share = |of: Rber, part: u64, whole: u64| divide(product(of.0, part), whole);
        let worn = share(self.worn, cycles * cycles, rated * rated);
        let year = u128::from(self.year_fresh.0) + share(self.year_worn, cycles, rated);
        let retention = divide(year * u128::from(age.0), YEAR_NS);
        let disturb = share(self.reads_100k, u64::from(reads), 100_000);
        let sum = u128::from(self.fresh.0) + worn + retention + disturb;
        Rber(u64::try_from(sum).unwrap_or(u64::MAX))
    }

    /// RBER of one page of a block whose average is `block`. `random` is a number evenly
    /// distributed over 64 bits, the same as long as the page holds the same data.
    #[inline]
    pub fn page(&self, block: Rber, random: u64) -> Rber {
        // −log2 of random / 2^64, in 256ths, linear between powers of two.
        let zeros = u64::from(random.leading_zeros()).min(56);
        let mantissa = (random << zeros) >> 56 & 0x7f;
        let doublings = zeros * 256 + (0x7f - mantissa) * 2;
        let percent_256ths = 100 * 256 + u64::from(self.spread_percent) * doublings;
        let rber = divide(product(block.0, percent_256ths), 100 * 256);
        Rber(u64::try_from(rber).unwrap_or(u64::MAX))
    }
}

/// Capability of the ECC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ecc {
    /// RBER up to which each pass corrects, ascending; the first pass is the plain read.
    pub passes: Vec<Rber>,
    /// Time that each pass after the first takes in addition to sensing.
    pub retry: Nanos,
}

/// How a read of a page ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Read retries.
    pub retries: u32,
    /// False if the last pass has not corrected it either.
    pub corrected: bool,
}

impl Ecc {
    /// How a read of a page with this RBER ends.
    #[inline]
    pub fn read(&self, page: Rber) -> Outcome {
        let passes = self.passes.len();
        let pass = self.passes.iter().position(|&most| page <= most);
        Outcome {
            retries: pass.unwrap_or(passes.max(1) - 1) as u32,
            corrected: pass.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stend_base::Rng;

    fn model() -> ErrorModel {
        ErrorModel {
            fresh: Rber(1_000_000),
            worn: Rber(8_000_000),
            year_fresh: Rber(2_000_000),
            year_worn: Rber(6_000_000),
            reads_100k: Rber(500_000),
            rated_cycles: 1_000,
            spread_percent: 25,
        }
    }

    const YEAR: Nanos = Nanos(YEAR_NS);

    #[test]
    fn each_cause_adds_its_share() {
        let rber = |cycles, age, reads| model().block(cycles, age, reads).0;
        assert_eq!(rber(0, Nanos::ZERO, 0), 1_000_000);
        assert_eq!(rber(500, Nanos::ZERO, 0), 3_000_000);
        assert_eq!(rber(1_000, Nanos::ZERO, 0), 9_000_000);
        assert_eq!(rber(0, YEAR, 0), 3_000_000);
        assert_eq!(rber(1_000, Nanos(YEAR.0 / 2), 0), 13_000_000);
        assert_eq!(rber(0, Nanos::ZERO, 200_000), 2_000_000);
    }

    #[test]
    fn one_page_in_two_to_the_k_is_worse_by_k_spreads() {
        let model = model();
        let mut rng = Rng::stream(1, "pages");
        let block = Rber(1_000_000);
        let pages = 1 << 20;
        let rates: Vec<u64> = (0..pages)
            .map(|_| model.page(block, rng.next_u64()).0)
            .collect();
        for k in [1, 2, 4, 8] {
            let above = 1_000_000 + k * 250_000;
            let got = rates.iter().filter(|&&r| r >= above).count() as f64;
            let expected = f64::from(pages) / f64::from(1 << k);
            // Within five standard deviations, and the error of the linear interpolation.
            let slack = 5.0 * expected.sqrt() + expected / 100.0;
            assert!((got - expected).abs() < slack, "{k}: {got}, {expected}");
        }
    }

    #[test]
    fn passes_are_tried_in_order() {
        let ecc = Ecc {
            passes: vec![Rber(10), Rber(20), Rber(30)],
            retry: Nanos::ZERO,
        };
        let read = |rber| {
            let outcome = ecc.read(Rber(rber));
            (outcome.retries, outcome.corrected)
        };
        assert_eq!(read(0), (0, true));
        assert_eq!(read(10), (0, true));
        assert_eq!(read(11), (1, true));
        assert_eq!(read(30), (2, true));
        assert_eq!(read(31), (2, false));
    }
}
