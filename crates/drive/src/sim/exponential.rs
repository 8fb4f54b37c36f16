//! The exponential in integers, so that it is the same on every machine.

/// The one of fractions is 2 to this power.
pub(in crate::sim) const FRACTION_BITS: u32 = 60;

/// e^(−dividend/divisor) as a fraction of 2^60: the exponent is halved until six terms of the
/// series are exact to the last places, and the result squared as often.
pub(in crate::sim) fn exp_minus(dividend: u64, divisor: u64) -> u64 {
    const ONE: u128 = 1 << FRACTION_BITS;
    // Less than 2^-57: a nanokelvin of 10,000 K is more.
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
}
