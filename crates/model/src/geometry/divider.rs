//! Division on the path of a request.

/// Division by a number known in advance, as a multiplication (Lemire, Kaser and Kurz, "Faster
/// remainder by direct computation", 2019): exact for 32 bits.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Divider {
    by: u32,
    /// 2^64 / `by`, rounded up; 0 for 1, which is not a fraction of 2^64.
    inverse: u64,
}

impl Divider {
    /// # Panics
    /// If `by` is 0.
    #[inline]
    pub fn new(by: u32) -> Divider {
        Divider {
            by,
            inverse: (u64::MAX / u64::from(by)).wrapping_add(1),
        }
    }

    /// Quotient and remainder.
    #[inline]
    pub fn divide(self, number: u32) -> (u32, u32) {
        if self.by == 1 {
            return (number, 0);
        }
        let quotient = ((u128::from(self.inverse) * u128::from(number)) >> 64) as u32;
        (quotient, number - quotient * self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_is_exact() {
        for by in [
            1,
            2,
            3,
            7,
            24,
            255,
            256,
            9_216,
            65_537,
            u32::MAX - 1,
            u32::MAX,
        ] {
            let divider = Divider::new(by);
            let near = (0..40).map(|k| by.wrapping_mul(k).wrapping_sub(1));
            let spread = (0..1000u32).map(|k| k.wrapping_mul(4_294_967));
            for number in near.chain(spread).chain([0, by, u32::MAX]) {
                assert_eq!(
                    divider.divide(number),
                    (number / by, number % by),
                    "{number} / {by}"
                );
            }
        }
    }
}
