//! Bit errors of cells, and their correction by ECC with read retry.
//!
//! The raw bit error rate (RBER) of a block grows with its erase cycles (by the square), with the
//! age of its data (faster the more it is worn) and with the reads since it was written (linearly):
//! the shapes found by Mielke et al. (IRPS 2008), Cai et al. (DATE 2012, ICCD 2012, DSN 2015) and
//! Meza et al. (SIGMETRICS 2015). Cells of planar flash lose their charge evenly; cells of 3D flash
//! lose most of it early, about by the square root of time: tenfold errors from three hours to
//! eleven days (Luo et al., "Improving 3D NAND Flash Memory Lifetime by Tolerating Early Retention
//! Loss and Process Variation", SIGMETRICS 2018).
//!
//! Pages differ: by type, since an upper page is sensed at more thresholds than a lower one; by
//! word line, since the layers of a stack are not etched alike; and one page in 2^k is worse than
//! the others of its kind by k times a spread.
//!
//! A page is read; while its RBER is above the limit of the present pass, read retry senses it
//! again with shifted thresholds, pass after pass. A page that the last pass does not correct is
//! lost. Firmware may begin with the thresholds of an earlier retry. A pass corrects pages between
//! its own limit and the lower of two values: the limit of the pass before it, and its own limit
//! minus twice that of the plain read, since thresholds shifted too far cause as many errors as
//! those not shifted far enough.
//!
//! All rates are integers, in parts of 10^12, so that they are the same on any machine.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use stend_base::Nanos;

/// Raw bit error rate, in parts of 10^12.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rber(pub u64);

/// Mean of [`halvings_256ths`] of evenly distributed bits.
pub const HALVINGS_MEAN: u64 = 383;

/// Returns −log2 of `random` / 2^64, in 256ths, linear between powers of two: exponentially
/// distributed if `random` is 64 evenly distributed bits.
#[inline(always)]
pub fn halvings_256ths(random: u64) -> u64 {
    let zeros = u64::from(random.leading_zeros()).min(56);
    let mantissa = (random << zeros) >> 56 & 0x7f;
    zeros * 256 + (0x7f - mantissa) * 2
}

/// Growth of errors with the age of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Retention {
    /// Linear in the age: planar flash.
    Linear,
    /// By the square root of the age: 3D flash.
    SquareRoot,
}

impl Retention {
    /// Errors at `age`, if a year adds `year`.
    fn of(self, year: u128, age: Nanos) -> u128 {
        match self {
            Retention::Linear => divide(year * u128::from(age.0), YEAR_NS),
            Retention::SquareRoot => {
                // With 32 binary places, and the root with 16.
                let years = age.0 / (YEAR_NS >> 32);
                (year * u128::from(years.isqrt())) >> 16
            }
        }
    }
}

/// Growth of the raw bit error rate of a kind of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorModel {
    /// Rate of a new block just written.
    pub fresh: Rber,
    /// Rate added at the rated number of cycles.
    pub worn: Rber,
    /// Growth of errors with the age of data.
    pub retention: Retention,
    /// Rate added by a year without power at rest, in a new block.
    pub year_fresh: Rber,
    /// Rate added to `year_fresh` at the rated number of cycles.
    pub year_worn: Rber,
    /// Rate added by 100,000 reads of the block's pages.
    pub reads_100k: Rber,
    /// Erase cycles that the cells are rated for.
    pub rated_cycles: u32,
    /// Percentage added to the rate of the worst page for each doubling of the number of pages
    /// (two, four, eight …).
    pub spread_percent: u32,
}

/// 365 days.
const YEAR_NS: u64 = 365 * 86_400 * 1_000_000_000;

#[inline]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// Quotient of numbers that mostly fit 64 bits.
#[inline(always)]
fn divide(number: u128, by: u64) -> u128 {
    match u64::try_from(number) {
        Ok(number) => u128::from(number / by),
        Err(_) => number / u128::from(by),
    }
}

impl ErrorModel {
    /// RBER of the average page of a block after `cycles` erases, with data of `age`, after `reads`
    /// of its pages since then.
    pub fn block(&self, cycles: u32, age: Nanos, reads: u32) -> Rber {
        let (cycles, rated) = (u64::from(cycles), u64::from(self.rated_cycles.max(1)));
        let share = |of: Rber, part: u64, whole: u64| divide(product(of.0, part), whole);
        let worn = share(self.worn, cycles * cycles, rated * rated);
        let year = u128::from(self.year_fresh.0) + share(self.year_worn, cycles, rated);
        let retention = self.retention.of(year, age);
        let disturb = share(self.reads_100k, u64::from(reads), 100_000);
        let sum = u128::from(self.fresh.0) + worn + retention + disturb;
        Rber(u64::try_from(sum).unwrap_or(u64::MAX))
    }

    /// RBER of one page of a block whose average is `block`. `random` is a number evenly
    /// distributed over 64 bits, the same as long as the page holds the same data.
    #[inline]
    pub fn page(&self, block: Rber, random: u64) -> Rber {
        let percent_256ths = 100 * 256 + u64::from(self.spread_percent) * halvings_256ths(random);
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

/// End of a read of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Number of read retries.
    pub retries: u32,
    /// Number of the pass that ended the read: 0 for the pass with the plain thresholds.
    pub pass: u32,
    /// False if the last pass has not corrected the page either.
    pub corrected: bool,
}

impl Ecc {
    /// Outcome of a read of a page with this RBER that begins with the plain thresholds.
    #[inline]
    pub fn read(&self, page: Rber) -> Outcome {
        let needed = self.passes.partition_point(|&most| most < page);
        let last = needed.min(self.passes.len().max(1) - 1) as u32;
        Outcome {
            retries: last,
            pass: last,
            corrected: needed < self.passes.len(),
        }
    }

    /// Outcome of a read that begins with the thresholds of pass `first`. If they do not correct
    /// the page, the passes after them are tried; if `first` is shifted too far or no pass corrects
    /// the page, all passes from the plain thresholds on.
    pub fn read_from(&self, first: u32, page: Rber) -> Outcome {
        let outcome = self.read(page);
        let corrected = outcome.corrected;
        let retries = match outcome.pass.cmp(&first) {
            _ if first == 0 => outcome.retries,
            Ordering::Greater if corrected => outcome.pass - first,
            Ordering::Equal if corrected => 0,
            Ordering::Less if corrected && self.is_near(first, page) => 0,
            _ => outcome.retries + 1,
        };
        let pass = if retries == 0 { first } else { outcome.pass };
        Outcome {
            retries,
            pass,
            ..outcome
        }
    }

    /// True if the thresholds of a pass are not shifted too far for a page.
    fn is_near(&self, pass: u32, page: Rber) -> bool {
        let margin = 2 * self.passes[0].0;
        page.0 + margin >= self.passes[pass as usize].0
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
            retention: Retention::Linear,
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
    fn three_dimensional_cells_lose_their_charge_early() {
        let early = ErrorModel {
            retention: Retention::SquareRoot,
            ..model()
        };
        let lost = |age: u64| early.block(0, Nanos(age), 0).0 - 1_000_000;
        assert_eq!(lost(YEAR.0), 2_000_000);
        for divisor in [4, 16, 400, 10_000] {
            let root = f64::from(divisor as u32).sqrt();
            let expected = 2_000_000.0 / root;
            let got = lost(YEAR.0 / divisor) as f64;
            assert!((got / expected - 1.0).abs() < 0.002, "{divisor}: {got}");
        }
        // Luo et al.: about ten times as much after eleven days as after three hours.
        let hour = 3_600_000_000_000;
        let ratio = lost(11 * 24 * hour) as f64 / lost(3 * hour) as f64;
        assert!((8.0..12.0).contains(&ratio), "{ratio}");
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

    #[test]
    fn remembered_thresholds_save_retries_of_pages_that_are_near() {
        let ecc = Ecc {
            passes: [10, 20, 30, 40, 50, 60].map(Rber).to_vec(),
            retry: Nanos::ZERO,
        };
        let read = |first, rber| {
            let outcome = ecc.read_from(first, Rber(rber));
            (outcome.retries, outcome.pass, outcome.corrected)
        };
        for rber in 0..=61 {
            let plain = ecc.read(Rber(rber));
            let from_plain = (plain.retries, plain.pass, plain.corrected);
            assert_eq!(read(0, rber), from_plain);
        }
        // The same pass, one beyond, and one before that is near enough.
        assert_eq!(read(4, 45), (0, 4, true));
        assert_eq!(read(4, 55), (1, 5, true));
        assert_eq!(read(4, 30), (0, 4, true));
        // Too far: one pass without success, then from the plain thresholds on.
        assert_eq!(read(4, 29), (3, 2, true));
        assert_eq!(read(4, 5), (1, 0, true));
        // No pass corrects it.
        assert_eq!(read(4, 61), (6, 5, false));
        assert_eq!(read(5, 61), (6, 5, false));
    }
}
