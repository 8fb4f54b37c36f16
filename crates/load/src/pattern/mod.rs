//! Where the next request goes and how long it is.
//!
//! | job file | blocks come |
//! |---|---|
//! | `rw=read` … | in ascending order |
//! | `rw=randread` … | each once, in a new random order on every pass ([`permutation::RandomPasses`]); those of several lengths by a map ([`RandomMap`]) |
//! | `random_generator=lfsr` | each once, in the same order on every pass ([`lfsr::Lfsr`]) |
//! | `norandommap`, `blockalign` | independently, each alike |
//! | `random_distribution=zipf:…`, `pareto:…` | independently, some more often ([`skewed`]) |
//!
//! Every stream of random numbers is `Rng::stream(seed, name)`, with names from the
//! section and the number of the clone, so that another job shifts none of them.

pub mod ahead;
pub mod lengths;
pub mod lfsr;
pub mod map;
pub mod permutation;
pub mod skewed;

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
    /// Independent draws, each block alike.
    Uniform {
        /// How many blocks there are.
        len: u64,
        /// What they are drawn from.
        rng: Rng,
    },
    /// Independent draws of skewed popularity.
    Skewed(skewed::Skewed),
}

impl RandomBlocks {
    /// Blocks below `len`. `map` asks for each block once on every pass; as in fio, a
    /// distribution other than uniform turns that off.
    ///
    /// # Panics
    /// When `len` is 0 or above [`lfsr::LEN_MAX`].
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
            // As in fio, the register never repeats a block, map or no map.
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
        }
    }
}
