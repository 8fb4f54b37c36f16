//! Reproducible random numbers: a xoshiro256++ stream for each component, derived from the root
//! seed and the component's name, so that a new component does not change the others' streams.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Stream of random numbers, the same on every machine.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Returns the stream of the component `name` under the root `seed`.
    pub fn stream(seed: u64, name: &str) -> Rng {
        // FNV-1a over the name. Any fixed hash is sufficient: the generator's own seeding
        // (SplitMix64) mixes it further.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Rng(Xoshiro256PlusPlus::seed_from_u64(
            seed ^ hash.rotate_left(32),
        ))
    }

    /// Returns the next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `bound`, by Lemire's multiplication without rejection: the bias is
    /// below `bound` / 2^64, and every call takes exactly one draw.
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Draws a number. Returns true in `numerator` of `denominator` cases.
    #[inline]
    pub fn ratio(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// Returns a number in [0, 1) with 53 random bits: for patterns, never for time.
    #[inline]
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Seed of one job, derived from the root seed and the job's name alone: leaving jobs out, or
/// running them in another order, changes no other result.
///
/// 31 bits, because it is written into the job file and fio reads it as a signed number.
pub fn job_seed(root: u64, name: &str) -> u64 {
    Rng::stream(root, name).next_u64() >> 33
}

/// The nth of a sequence of evenly distributed 64 bits (Steele et al., "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
#[inline]
pub fn splitmix64(seed: u64, nth: u64) -> u64 {
    let mut z = seed.wrapping_add((nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_values_pin_the_stream() {
        let mut rng = Rng::stream(1, "load");
        let got: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(got, GOLDEN, "the stream changed: every result would");
    }
    const GOLDEN: [u64; 3] = [
        15_308_018_103_068_500_299,
        5_925_624_564_972_514_175,
        1_554_711_700_205_835_225,
    ];

    #[test]
    fn streams_differ_by_name_and_by_seed() {
        let a = Rng::stream(1, "a").next_u64();
        assert_ne!(a, Rng::stream(1, "b").next_u64());
        assert_ne!(a, Rng::stream(2, "a").next_u64());
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut rng = Rng::stream(7, "even");
        let mut seen = [0u32; 10];
        for _ in 0..100_000 {
            seen[rng.below(10) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }

    /// The first numbers of the authors' own program, seed 0.
    #[test]
    fn splitmix64_gives_the_published_numbers() {
        assert_eq!(
            [0, 1].map(|nth| splitmix64(0, nth)),
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
    }

    #[test]
    fn seeds_differ_by_name_and_root_and_fit_fio() {
        let a = job_seed(1, "random/a");
        assert_eq!(a, job_seed(1, "random/a"));
        assert_ne!(a, job_seed(1, "random/b"));
        assert_ne!(a, job_seed(2, "random/a"));
        assert!(a < 1 << 31);
    }
}
