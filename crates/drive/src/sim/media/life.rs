//! Number of erases that each block survives: a function of the seed and of the block's place.
//! Choice of the programs that fail: a function of the seed and of the program's number.
//!
//! Lives are log-normal, one of the distributions that JEDEC JEP122 lists for wear-out, and that
//! Mielke et al. use for the endurance of flash ("Reliability of Solid-State Drives Based on NAND
//! Flash Memory", Proceedings of the IEEE 105, 2017; both remembered, unverified): the logarithm of
//! a life is that of the median plus the deviation of its die plus the deviation of the block
//! itself. Boboila and Desnoyers measured that blocks of one chip survive very different numbers of
//! cycles ("Write Endurance in Flash Drives: Measurements and Analysis", FAST 2010). A normal
//! deviate here is the sum of twelve evenly distributed numbers: its variance is one, and it ends
//! at six standard deviations (Irwin 1927, Hall 1927).

use stend_base::splitmix64;
use stend_model::geometry::factory_bad::block_hash;
use stend_model::spec::BlocksSpec;

use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{BlockId, DieId};
use stend_base::exponential::{FRACTION_BITS, exp_minus};

/// Number of values of 16 uniform bits.
const UNIFORM: i64 = 1 << 16;

/// Twelve times the mean of 16 uniform bits.
const MEAN_OF_TWELVE: i64 = 6 * (UNIFORM - 1);

/// Logarithm to base 2 of the number of programs of which one can fail, if very few fail.
const SUSPECT_BITS: u32 = 8;

/// Number that stands for a die as a whole: no block has it.
const WHOLE_DIE: BlockId = BlockId(u32::MAX);

/// Erases that a block survives in a pool; at least one.
pub(super) fn life(of: &BlocksSpec, die: DieId, block: BlockId, pool: Pool) -> u32 {
    let median = of.life_cycles[pool as usize];
    if median == u32::MAX {
        return u32::MAX;
    }
    let off = |block, percent: u32| match percent {
        0 => 0,
        _ => normal(of.seed, die, block) * i64::from(percent),
    };
    let off = off(block, of.life_spread_percent) + off(WHOLE_DIE, of.die_spread_percent);
    let share = u128::from(exp_minus(off.unsigned_abs(), 100 * UNIFORM as u64));
    let median = u128::from(median);
    let life = match off < 0 {
        true => (median * share) >> FRACTION_BITS,
        false => (median << FRACTION_BITS) / share,
    };
    life.clamp(1, u128::from(u32::MAX - 1)) as u32
}

/// Erases that every block survives in a pool, whatever its life.
pub(super) fn life_least(of: &BlocksSpec, pool: Pool) -> u32 {
    let median = of.life_cycles[pool as usize];
    let off = 6 * u64::from(of.life_spread_percent + of.die_spread_percent);
    let life = (u128::from(median) * u128::from(exp_minus(off, 100))) >> FRACTION_BITS;
    life as u32
}

/// Choice of the programs that fail, by their number: one of 2^`suspect_bits` can fail, and a hash
/// decides if it does.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct ProgramFailures {
    seed: u64,
    /// Logarithm to base 2 of the number of programs of which one can fail.
    suspect_bits: u32,
    /// Failures per 10^9 programs that can fail.
    suspects_ppb: u64,
    /// Programs up to the next one that can fail.
    left: u32,
    /// Number of programs that could fail, including that one.
    suspects: u64,
}

impl ProgramFailures {
    pub fn new(of: &BlocksSpec) -> ProgramFailures {
        // Few of the programs that can fail do, so that failures come as if each program were
        // drawn.
        let few = |bits: &u32| u64::from(of.program_failure_ppb) << bits <= 1_000_000_000 / 16;
        let suspect_bits = (0..=SUSPECT_BITS).rev().find(few).unwrap_or(0);
        let mut failures = ProgramFailures {
            seed: of.seed,
            suspect_bits,
            suspects_ppb: u64::from(of.program_failure_ppb) << suspect_bits,
            left: 1,
            suspects: 0,
        };
        failures.find_next();
        failures
    }

    /// Counts a program that has ended. Returns true if it failed.
    #[inline(always)]
    pub fn next_fails(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.suspect_fails()
    }

    #[cold]
    fn suspect_fails(&mut self) -> bool {
        let hash = splitmix64(!self.seed, self.suspects);
        // Up to the end of the row of programs that contained this one.
        self.left = (1 << self.suspect_bits) - self.place();
        self.find_next();
        hash % 1_000_000_000 < self.suspects_ppb
    }

    /// Adds the programs from the end of the last row of programs up to the next one that can fail.
    fn find_next(&mut self) {
        self.suspects += 1;
        self.left += self.place();
    }

    /// Place, within its row, of the program that can fail.
    fn place(&self) -> u32 {
        (splitmix64(self.seed, self.suspects) & ((1 << self.suspect_bits) - 1)) as u32
    }
}

/// A normal deviate of a block, as multiples of 1/[`UNIFORM`] standard deviations.
fn normal(seed: u64, die: DieId, block: BlockId) -> i64 {
    let sum: i64 = (1..=3)
        .map(|nth| block_hash(seed, die, block, nth))
        .flat_map(|bits| [bits, bits >> 16, bits >> 32, bits >> 48])
        .map(|part| part as i64 & (UNIFORM - 1))
        .sum();
    sum - MEAN_OF_TWELVE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(life_spread_percent: u32, die_spread_percent: u32) -> BlocksSpec {
        BlocksSpec {
            life_cycles: [u32::MAX, 1_000],
            life_spread_percent,
            die_spread_percent,
            spare_blocks: 40,
            factory_bad_ppm: 20_000,
            program_failure_ppb: 0,
            seed: 3,
        }
    }

    /// Logarithms of the lives of `blocks` blocks on each of `dies` dies, relative to the median.
    fn logarithms(spec: &BlocksSpec, dies: u32, blocks: u32) -> Vec<f64> {
        let life = |die, block| f64::from(life(spec, DieId(die), BlockId(block), Pool::Data));
        (0..dies)
            .flat_map(|die| (0..blocks).map(move |block| (die, block)))
            .map(|(die, block)| (life(die, block) / 1_000.0).ln())
            .collect()
    }

    fn mean_and_deviation(of: &[f64]) -> (f64, f64) {
        let count = of.len() as f64;
        let mean = of.iter().sum::<f64>() / count;
        let variance = of.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / count;
        (mean, variance.sqrt())
    }

    #[test]
    fn lives_are_log_normal_with_the_median_and_the_spread_that_were_asked_for() {
        let logarithms = logarithms(&spec(10, 0), 16, 2_500);
        let count = logarithms.len() as f64;
        let (mean, spread) = mean_and_deviation(&logarithms);
        // Five standard errors of each; lives are cut to whole cycles, which shortens them by half
        // a cycle.
        let of_mean = 5.0 * 0.1 / count.sqrt();
        assert!((mean + 0.0005).abs() < of_mean, "{mean}");
        let of_spread = 5.0 * 0.1 / (2.0 * count).sqrt();
        assert!((spread - 0.1).abs() < of_spread, "{spread}");
        // In a normal distribution 2.28 % lie two standard deviations below, and the same share
        // above; in the sum of twelve numbers hardly fewer.
        for sign in [-1.0, 1.0] {
            let beyond = logarithms.iter().filter(|&&l| l * sign > 0.2).count() as f64;
            assert!((beyond / count - 0.0228).abs() < 0.004, "{beyond}");
        }
    }

    #[test]
    fn blocks_without_spread_or_without_an_end_live_equally_long() {
        assert_eq!(life(&spec(0, 0), DieId(1), BlockId(2), Pool::Data), 1_000);
        let endless = life(&spec(10, 5), DieId(1), BlockId(2), Pool::SlcCache);
        assert_eq!(endless, u32::MAX);
    }

    #[test]
    fn dies_differ_as_wholes() {
        let (dies, blocks) = (400, 100);
        let logarithms = logarithms(&spec(10, 20), dies, blocks);
        let of_die = |die: &[f64]| mean_and_deviation(die).0;
        let means: Vec<f64> = logarithms.chunks(blocks as usize).map(of_die).collect();
        let (_, spread) = mean_and_deviation(&means);
        // The mean over the blocks of a die still contains some of their own spread.
        let expected = (0.04f64 + 0.01 / f64::from(blocks)).sqrt();
        let of_spread = 5.0 * expected / (2.0 * f64::from(dies)).sqrt();
        assert!((spread - expected).abs() < of_spread, "{spread}");
    }

    #[test]
    fn as_many_programs_fail_as_were_asked_for() {
        for ppb in [20_000, 2_000_000, 20_000_000] {
            let spec = BlocksSpec {
                program_failure_ppb: ppb,
                ..spec(0, 0)
            };
            let mut failures = ProgramFailures::new(&spec);
            let programs = 4_000_000;
            let failed: Vec<u32> = (0..programs).filter(|_| failures.next_fails()).collect();
            let expected = f64::from(programs) * f64::from(ppb) / 1e9;
            let off = (failed.len() as f64 - expected).abs();
            assert!(
                off < 5.0 * expected.sqrt(),
                "{} of {expected}",
                failed.len()
            );
            // Each program fails independently of the others: so two in a row fail as often as this
            // predicts, and the standard deviation of the gaps is equal to their mean.
            let gaps: Vec<f64> = failed.windows(2).map(|w| f64::from(w[1] - w[0])).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>();
            let deviation = (variance / gaps.len() as f64).sqrt();
            let expected = 3.0 / (gaps.len() as f64).sqrt();
            assert!(
                (deviation / mean - 1.0).abs() < expected.max(0.05),
                "{deviation} of {mean}"
            );
        }
    }

    #[test]
    fn no_life_is_shorter_than_the_least() {
        let spec = spec(12, 3);
        let least = life_least(&spec, Pool::Data);
        let lives = (0..20_000).map(|n| life(&spec, DieId(n % 16), BlockId(n / 16), Pool::Data));
        assert!(least > 400 && lives.min().expect("there are some") >= least);
    }
}
