//! Exponential and logarithm in integers, so that they are the same on every machine.

/// Binary places of the fractions that [`exp_minus`] returns.
pub const FRACTION_BITS: u32 = 60;

/// Binary places of the logarithms that [`minus_ln`] returns.
pub const LN_BITS: u32 = 48;

/// Returns e^(−dividend/divisor) as a fraction of 2^60: the exponent is halved until six terms of
/// the series are exact to the last places, and the result is squared as many times.
///
/// # Panics
/// If `divisor` is 0.
pub fn exp_minus(dividend: u64, divisor: u64) -> u64 {
    const ONE: u128 = 1 << FRACTION_BITS;
    // Less than 2^-57: less than a nanokelvin of 10,000 K.
    if dividend / 40 >= divisor {
        return 0;
    }
    let mut x = (u128::from(dividend) << FRACTION_BITS) / u128::from(divisor);
    let mut halvings = 0;
    while x > ONE >> 10 {
        x /= 2;
        halvings += 1;
    }
    let mut term = ONE;
    let (mut plus, mut minus) = (ONE, 0);
    for n in 1..=6u128 {
        term = ((term * x) >> FRACTION_BITS) / n;
        if n % 2 == 0 {
            plus += term;
        } else {
            minus += term;
        }
    }
    let mut result = plus - minus;
    for _ in 0..halvings {
        result = (result * result) >> FRACTION_BITS;
    }
    result as u64
}

/// Returns −ln(`numerator`/2^64) in units of 2^-48. For 64 random bits, this is an exponentially
/// distributed number with mean 1.
///
/// Squaring a number in [1, 2) doubles its binary logarithm: the next place is 1 if the square must
/// be halved to return to [1, 2).
///
/// # Panics
/// If `numerator` is 0.
pub fn minus_ln(numerator: u64) -> u64 {
    /// ln 2 as a fraction of 2^64.
    const LN_2: u128 = 0xb172_17f7_d1cf_79ab;
    assert!(numerator > 0, "zero has no logarithm");
    let halvings = numerator.leading_zeros();
    let mut mantissa = numerator << halvings;
    let mut log2 = 0u64;
    for _ in 0..LN_BITS {
        // In [1, 4), with 126 binary places.
        let square = u128::from(mantissa) * u128::from(mantissa);
        let halved = square >= 1 << 127;
        mantissa = (square >> if halved { 64 } else { 63 }) as u64;
        log2 = (log2 << 1) | u64::from(halved);
    }
    let minus_log2 = (u64::from(halvings + 1) << LN_BITS) - log2;
    ((u128::from(minus_log2) * LN_2) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_twelve_places() {
        for (dividend, divisor) in [
            (0, 7),
            (1, 1_000_000_000),
            (100_000_000, 90_000_000_000),
            (3, 5),
            (1, 1),
            (17, 3),
            (39, 1),
        ] {
            let got = exp_minus(dividend, divisor) as f64 / (1u64 << FRACTION_BITS) as f64;
            let expected = (-(dividend as f64) / divisor as f64).exp();
            assert!(
                (got - expected).abs() < 1e-12,
                "{dividend}/{divisor}: {got}"
            );
        }
        assert_eq!(exp_minus(u64::MAX, 3), 0);
    }

    #[test]
    fn the_logarithm_is_exact_to_thirteen_places() {
        for numerator in [
            1,
            2,
            3,
            1 << 32,
            1 << 63,
            (1 << 63) + 1,
            u64::MAX / 3,
            u64::MAX,
        ] {
            let got = minus_ln(numerator) as f64 / (1u64 << LN_BITS) as f64;
            let expected = 64.0 * std::f64::consts::LN_2 - (numerator as f64).ln();
            assert!(
                (got - expected).abs() < 1e-13,
                "{numerator}: {got}, not {expected}"
            );
        }
    }
}
