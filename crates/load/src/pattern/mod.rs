//! Offsets and lengths of the next requests.
//!
//! | job file | order of the blocks |
//! |---|---|
//! | `rw=read` … | ascending |
//! | `rw=randread` … | each once, in a new order on every pass ([`permutation::RandomPasses`]) |
//! | `bsrange`, `bssplit` | each once, in a new order on every pass, by a map ([`RandomMap`]) |
//! | `random_generator=lfsr` | each once, in the same order on every pass ([`lfsr::Lfsr`]) |
//! | `norandommap`, `blockalign` | independently, all equally likely |
//! | `random_distribution=zipf:…`, `pareto:…` | independently, some more often ([`skewed`]) |
//! | `random_distribution=zoned:…`, `zoned_abs:…` | independently, by zones ([`zoned`]) |
//!
//! Every stream of random numbers is `Rng::stream(seed, name)`, with names from the section and the
//! number of the clone, so that another job changes none of them.

pub mod ahead;
pub mod lengths;
pub mod lfsr;
pub mod map;
pub mod permutation;
pub mod skewed;
pub mod zoned;

use stend_base::Rng;

use crate::jobfile::{Distribution, Generator};

pub use ahead::Ahead;
pub use lengths::Lengths;
pub use map::RandomMap;

/// A source of random blocks.
#[derive(Clone, Debug)]
pub enum RandomBlocks {
    /// Each once on every pass, in a new order.
    RandomPasses(permutation::RandomPasses),
    /// Each once on every pass, in the same order.
    Lfsr(lfsr::Lfsr),
    /// Independent draws, all blocks equally likely.
    Uniform {
        /// Number of blocks.
        len: u64,
        /// Generator of the draws.
        rng: Rng,
    },
    /// Independent draws of skewed popularity.
    Skewed(skewed::Skewed),
    /// Independent draws by zones.
    Zoned(zoned::Zoned),
}

impl RandomBlocks {
    /// A source of blocks below `len`. With `map`, each block is drawn once on every pass; as in
    /// fio, a distribution other than uniform turns that off. Zones are made by [`zoned::Zoned`]:
    /// here, [`Distribution::Zoned`] is a direction without them.
    ///
    /// # Panics
    /// If `len` is 0 or above [`lfsr::LEN_MAX`].
    pub fn new(
        len: u64,
        map: bool,
        generator: Generator,
        distribution: Distribution,
        rng: Rng,
    ) -> RandomBlocks {
        use skewed::{Pareto, RankDistribution, Skewed, Zipf};
        match (distribution, map, generator) {
            (Distribution::Zipf { theta }, _, _) => RandomBlocks::Skewed(Skewed::new(
                len,
                RankDistribution::Zipf(Zipf::new(len, theta)),
                rng,
            )),
            (Distribution::Pareto { h }, _, _) => RandomBlocks::Skewed(Skewed::new(
                len,
                RankDistribution::Pareto(Pareto::new(len, h)),
                rng,
            )),
            (Distribution::Zoned, _, _) => RandomBlocks::Uniform { len, rng },
            // As in fio, the register never repeats a block in a pass, with or without a map.
            (Distribution::Uniform, _, Generator::Lfsr) => {
                RandomBlocks::Lfsr(lfsr::Lfsr::new(len, rng))
            }
            (Distribution::Uniform, true, Generator::Random) => {
                RandomBlocks::RandomPasses(permutation::RandomPasses::new(len, rng))
            }
            (Distribution::Uniform, false, Generator::Random) => RandomBlocks::Uniform { len, rng },
        }
    }

    /// The next block; `None` once at the end of every pass, if there are passes.
    #[inline]
    pub fn next_index(&mut self) -> Option<u64> {
        match self {
            RandomBlocks::RandomPasses(sweep) => sweep.next_index(),
            RandomBlocks::Lfsr(lfsr) => lfsr.next_index(),
            RandomBlocks::Uniform { len, rng } => Some(rng.below(*len)),
            RandomBlocks::Skewed(skewed) => Some(skewed.next_index()),
            RandomBlocks::Zoned(zoned) => Some(zoned.next_index()),
        }
    }
}
