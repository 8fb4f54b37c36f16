//! Sets of numbers as bits of words.

use std::ops::Range;

/// The first of some bits that is set.
pub(in crate::sim) fn first_set(words: &[u64], bits: Range<u32>) -> Option<u32> {
    let mut at = bits.start;
    while at < bits.end {
        let rest = words[at as usize / 64] >> (at % 64);
        if rest != 0 {
            return Some(at + rest.trailing_zeros()).filter(|&found| found < bits.end);
        }
        at = (at / 64 + 1) * 64;
    }
    None
}

/// The bits that are set in `bits`, without the `count` lowest.
#[inline]
pub(in crate::sim) fn without_lowest(bits: u32, count: u32) -> u32 {
    let mut rest = bits;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    rest
}
