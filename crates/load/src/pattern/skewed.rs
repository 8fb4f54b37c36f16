//! Skewed popularity: Zipf and Pareto, by fio's names.
//!
//! Rank 0 is the most popular. Ranks are scattered over the blocks by a [`Permutation`], so that
//! popular blocks are not neighbours. fio scatters them by a hash that maps several ranks to one
//! block; a bijection keeps the law exact.
//!
//! All functions come from the `libm` crate, never from the machine's own library, so that a draw
//! is the same on every machine.

use stend_base::Rng;

use super::permutation::Permutation;

/// Ranks with weight (rank + 1)^-theta.
///
/// Method: rejection-inversion, W. Hörmann and G. Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions" (1996). It is exact, for any exponent and any
/// number of blocks, and needs no sum over the blocks in advance.
#[derive(Clone, Debug)]
pub struct Zipf {
    theta: f64,
    len: f64,
    low: f64,
    high: f64,
    shortcut: f64,
}

impl Zipf {
    /// The law over `len` ranks with exponent `theta` above 0.
    pub fn new(len: u64, theta: f64) -> Zipf {
        let len = len as f64;
        let low = integral(1.5, theta) - 1.0;
        let shortcut = 2.0 - inverse(integral(2.5, theta) - weight(2.0, theta), theta);
        Zipf {
            theta,
            len,
            low,
            high: integral(len + 0.5, theta),
            shortcut,
        }
    }

    /// A rank, from 0.
    #[inline]
    pub fn rank(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.high + rng.unit_f64() * (self.low - self.high);
            let x = inverse(u, self.theta);
            let k = libm::floor(x + 0.5).clamp(1.0, self.len);
            if k - x <= self.shortcut || u >= integral(k + 0.5, self.theta) - weight(k, self.theta)
            {
                return k as u64 - 1;
            }
        }
    }
}

fn weight(x: f64, theta: f64) -> f64 {
    libm::exp(-theta * libm::log(x))
}

/// The integral of x^-theta from 1 to `x`.
fn integral(x: f64, theta: f64) -> f64 {
    let log = libm::log(x);
    let exponent = (1.0 - theta) * log;
    // (e^exponent - 1) / exponent, by its series where that would lose precision.
    let factor = if exponent.abs() > 1e-8 {
        libm::expm1(exponent) / exponent
    } else {
        1.0 + exponent / 2.0
    };
    factor * log
}

fn inverse(value: f64, theta: f64) -> f64 {
    let t = (value * (1.0 - theta)).max(-1.0);
    let factor = if t.abs() > 1e-8 {
        libm::log1p(t) / t
    } else {
        1.0 - t / 2.0
    };
    libm::exp(factor * value)
}

/// Ranks of which the first share `h` receives the share 1 - `h` of the draws, and likewise within
/// every part: rank = n · u^(log h / log(1 - h)), fio's `pareto_next`.
#[derive(Clone, Debug)]
pub struct Pareto {
    len: u64,
    power: f64,
}

impl Pareto {
    /// The law over `len` ranks; `h` is between 0 and 1.
    pub fn new(len: u64, h: f64) -> Pareto {
        Pareto {
            len,
            power: libm::log(h) / libm::log(1.0 - h),
        }
    }

    /// A rank, from 0.
    #[inline]
    pub fn rank(&self, rng: &mut Rng) -> u64 {
        let x = libm::pow(rng.unit_f64(), self.power) * self.len as f64;
        (x as u64).min(self.len - 1)
    }
}

/// A law over ranks.
#[derive(Clone, Debug)]
pub enum RankDistribution {
    /// See [`Zipf`].
    Zipf(Zipf),
    /// See [`Pareto`].
    Pareto(Pareto),
}

/// Blocks of skewed popularity.
#[derive(Clone, Debug)]
pub struct Skewed {
    law: RankDistribution,
    places: Permutation,
    rng: Rng,
}

impl Skewed {
    /// Blocks below `len`, with popularity by `law`.
    pub fn new(len: u64, law: RankDistribution, mut rng: Rng) -> Skewed {
        Skewed {
            law,
            places: Permutation::new(len, &mut rng),
            rng,
        }
    }

    /// The next block.
    #[inline]
    pub fn next_index(&mut self) -> u64 {
        let rank = match &self.law {
            RankDistribution::Zipf(zipf) => zipf.rank(&mut self.rng),
            RankDistribution::Pareto(pareto) => pareto.rank(&mut self.rng),
        };
        self.places.apply(rank)
    }
}
