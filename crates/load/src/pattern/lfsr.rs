//! `random_generator=lfsr`: a linear feedback shift register of full period.
//!
//! A register of w bits, the smallest w with 2^w > n, runs through all values from 1 to 2^w - 1;
//! values above n are skipped, at most every second one on average. As in fio, every pass has the
//! same order: after all values the register is in its first state again.

use stend_base::Rng;

/// Taps of a register of 2, 3 … bits whose period is full; from Xilinx XAPP 052
/// ("Efficient Shift Registers, LFSR Counters, and Long Pseudo-Random Sequence
/// Generators"), checked by this module's tests.
const TAPS: [&[u32]; 39] = [
    &[2, 1],
    &[3, 2],
    &[4, 3],
    &[5, 3],
    &[6, 5],
    &[7, 6],
    &[8, 6, 5, 4],
    &[9, 5],
    &[10, 7],
    &[11, 9],
    &[12, 6, 4, 1],
    &[13, 4, 3, 1],
    &[14, 5, 3, 1],
    &[15, 14],
    &[16, 15, 13, 4],
    &[17, 14],
    &[18, 11],
    &[19, 6, 2, 1],
    &[20, 17],
    &[21, 19],
    &[22, 21],
    &[23, 18],
    &[24, 23, 22, 17],
    &[25, 22],
    &[26, 6, 2, 1],
    &[27, 5, 2, 1],
    &[28, 25],
    &[29, 27],
    &[30, 6, 4, 1],
    &[31, 28],
    &[32, 22, 2, 1],
    &[33, 20],
    &[34, 27, 2, 1],
    &[35, 33],
    &[36, 25],
    &[37, 5, 4, 3, 2, 1],
    &[38, 6, 5, 1],
    &[39, 35],
    &[40, 38, 21, 19],
];

/// Maximum number of blocks that a register can order.
pub const LEN_MAX: u64 = (1 << 40) - 1;

/// Passes over all blocks, each in the same order.
#[derive(Clone, Debug)]
pub struct Lfsr {
    len: u64,
    mask: u64,
    state: u64,
    left: u64,
}

impl Lfsr {
    /// Passes over the numbers below `len`.
    ///
    /// # Panics
    /// If `len` is 0 or above [`LEN_MAX`].
    pub fn new(len: u64, mut rng: Rng) -> Lfsr {
        assert!(
            (1..=LEN_MAX).contains(&len),
            "{len} blocks cannot be ordered"
        );
        let bits = (u64::BITS - len.leading_zeros()).max(2);
        let mask = mask(bits);
        Lfsr {
            len,
            mask,
            state: 1 + rng.below((1 << bits) - 1),
            left: len,
        }
    }

    /// The next number; `None` once at the end of every pass.
    #[inline]
    pub fn next_index(&mut self) -> Option<u64> {
        if self.left == 0 {
            self.left = self.len;
            return None;
        }
        self.left -= 1;
        loop {
            let value = self.state;
            self.state = (value >> 1) ^ ((value & 1).wrapping_neg() & self.mask);
            if value <= self.len {
                return Some(value - 1);
            }
        }
    }
}

fn mask(bits: u32) -> u64 {
    TAPS[bits as usize - 2]
        .iter()
        .fold(0, |mask, tap| mask | 1 << (tap - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x^power modulo the register's polynomial x^bits + (mask without its top bit, shifted) + 1.
    fn power_of_x(bits: u32, mut power: u64) -> u64 {
        let mask = mask(bits);
        // Tap t is x^t; the constant term 1 is implied.
        let poly = (u128::from(mask) << 1) | 1;
        let reduce = |mut value: u128| {
            for bit in (bits..2 * bits).rev() {
                if value >> bit & 1 == 1 {
                    value ^= poly << (bit - bits);
                }
            }
            value
        };
        let multiply = |a: u128, b: u128| {
            let product = (0..bits)
                .filter(|bit| b >> bit & 1 == 1)
                .fold(0u128, |sum, bit| sum ^ (a << bit));
            reduce(product)
        };
        let (mut result, mut base) = (1u128, 2u128);
        while power > 0 {
            if power & 1 == 1 {
                result = multiply(result, base);
            }
            base = multiply(base, base);
            power >>= 1;
        }
        result as u64
    }

    fn prime_factors(mut number: u64) -> Vec<u64> {
        let mut out = Vec::new();
        let mut divisor = 2;
        while divisor * divisor <= number {
            while number.is_multiple_of(divisor) {
                out.push(divisor);
                number /= divisor;
            }
            divisor += 1;
        }
        if number > 1 {
            out.push(number);
        }
        out.dedup();
        out
    }

    #[test]
    fn every_register_has_full_period() {
        for bits in 2..=40 {
            let period = (1u64 << bits) - 1;
            assert_eq!(power_of_x(bits, period), 1, "{bits} bits");
            for factor in prime_factors(period) {
                assert_ne!(
                    power_of_x(bits, period / factor),
                    1,
                    "{bits} bits, {factor}"
                );
            }
        }
    }
}
