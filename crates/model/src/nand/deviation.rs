//! Deviations of word lines and dies from a mean, drawn from a seed and stored nowhere else.
//!
//! They are drawn in pairs: if number `n` of `count` is above the mean, number `n` from the end is
//! as much below. That keeps the mean exact.

use stend_base::{Nanos, splitmix64};

use super::reliability::Rber;

/// Number of binary places of a factor.
const FACTOR_BITS: u32 = 16;

/// Factor that changes nothing.
pub const ONE: u32 = 1 << FACTOR_BITS;

/// Returns the factors of `count` places, each evenly distributed from `percent` below one to
/// `percent` above.
///
/// # Panics
/// If `percent` is above 100.
pub fn factors(seed: u64, percent: u32, count: u32) -> Vec<u32> {
    assert!(percent <= 100, "a factor cannot be negative");
    let most = ONE * percent / 100;
    let factor = |nth: u32| {
        let mirrored = count - 1 - nth;
        let drawn = splitmix64(seed, u64::from(nth.min(mirrored))) % u64::from(2 * most + 1);
        let above = ONE - most + drawn as u32;
        match nth.cmp(&mirrored) {
            std::cmp::Ordering::Less => above,
            std::cmp::Ordering::Equal => ONE,
            std::cmp::Ordering::Greater => 2 * ONE - above,
        }
    };
    (0..count).map(factor).collect()
}

/// Returns the factors by row of a block with `bits` rows per word line, each of which deviates as
/// [`factors`] do.
pub fn factors_by_row(seed: u64, percent: u32, rows: u32, bits: u32) -> Vec<u32> {
    let word_lines = factors(seed, percent, rows.div_ceil(bits));
    (0..rows)
        .map(|row| word_lines[(row / bits) as usize])
        .collect()
}

/// Product of a time and a factor.
#[inline(always)]
pub fn scaled(time: Nanos, factor: u32) -> Nanos {
    Nanos((time.0 * u64::from(factor)) >> FACTOR_BITS)
}

/// Product of a raw bit error rate and a factor.
#[inline(always)]
pub fn times(rber: Rber, factor: u32) -> Rber {
    let product = u128::from(rber.0) * u128::from(factor);
    Rber(u64::try_from(product >> FACTOR_BITS).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_fill_their_range_and_keep_the_mean() {
        for count in [1, 2, 15, 16, 200] {
            let all = factors(7, 10, count);
            let sum: u64 = all.iter().map(|&factor| u64::from(factor)).sum();
            assert_eq!(sum, u64::from(ONE) * u64::from(count));
            let range = ONE * 9 / 10..=ONE * 11 / 10;
            assert!(all.iter().all(|factor| range.contains(factor)), "{all:?}");
        }
        let many = factors(7, 10, 20_000);
        let below = many.iter().filter(|&&factor| factor < ONE - ONE / 100 * 8);
        assert!((1_800..2_200).contains(&below.count()));
        assert_eq!(factors(7, 0, 3), [ONE; 3]);
    }
}
