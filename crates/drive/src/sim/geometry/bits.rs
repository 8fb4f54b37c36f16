//! Sets of numbers as bits of words.

use std::ops::Range;

use crate::sim::ids::Id;

/// True if a bit is set.
#[inline(always)]
pub(in crate::sim) fn has_bit(words: &[u64], bit: impl Id) -> bool {
    let bit = bit.number();
    words[bit as usize / 64] >> (bit % 64) & 1 != 0
}

/// Sets a bit.
#[inline(always)]
pub(in crate::sim) fn set_bit(words: &mut [u64], bit: impl Id) {
    let bit = bit.number();
    words[bit as usize / 64] |= 1 << (bit % 64);
}

/// Clears a bit.
#[inline(always)]
pub(in crate::sim) fn clear_bit(words: &mut [u64], bit: impl Id) {
    let bit = bit.number();
    words[bit as usize / 64] &= !(1 << (bit % 64));
}

/// Clears a range of bits.
pub(in crate::sim) fn clear_bits<T: Id>(words: &mut [u64], bits: Range<T>) {
    let (mut at, end) = (bits.start.number(), bits.end.number());
    while at < end {
        let next = end.min((at / 64 + 1) * 64);
        words[at as usize / 64] &= !(u64::MAX >> (64 - (next - at)) << (at % 64));
        at = next;
    }
}

/// The first set bit of a range.
pub(in crate::sim) fn first_set<T: Id>(words: &[u64], bits: Range<T>) -> Option<T> {
    let (mut at, end) = (bits.start.number(), bits.end.number());
    while at < end {
        let rest = words[at as usize / 64] >> (at % 64);
        if rest != 0 {
            return Some(at + rest.trailing_zeros())
                .filter(|&found| found < end)
                .map(T::of);
        }
        at = (at / 64 + 1) * 64;
    }
    None
}

/// Numbers of the set bits, the lowest first.
#[inline(always)]
pub(in crate::sim) fn set_bits(bits: u32) -> impl Iterator<Item = u32> + Clone {
    let mut left = bits;
    std::iter::from_fn(move || {
        let lowest = (left != 0).then(|| left.trailing_zeros());
        left &= left.wrapping_sub(1);
        lowest
    })
}

/// The set bits of `bits`, without the `count` lowest.
#[inline]
pub(in crate::sim) fn without_lowest(bits: u32, count: u32) -> u32 {
    let mut rest = bits;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_in_a_row_are_cleared() {
        for (start, end) in [
            (0, 0),
            (0, 64),
            (3, 5),
            (60, 70),
            (63, 192),
            (64, 128),
            (191, 192),
        ] {
            let mut words = [u64::MAX; 3];
            clear_bits(&mut words, start..end);
            for bit in 0..192u32 {
                assert_eq!(has_bit(&words, bit), !(start..end).contains(&bit), "{bit}");
            }
        }
    }
}
