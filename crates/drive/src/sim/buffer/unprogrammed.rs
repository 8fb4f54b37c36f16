//! Multi-plane pages whose program has not ended.

use std::ops::Range;

use crate::sim::geometry::bits::{clear_bit, first_set, has_bit, set_bit};
use crate::sim::ids::{Id, MpPage};

/// Words of bits in one group, whose set bits are counted: 8,192 multi-plane pages.
const GROUP_WORDS: usize = 128;

/// A set of multi-plane pages that contains few of them.
///
/// The bits of a drive of 256 GB take 2 MB, and a read needs one bit at a random place. A table
/// that stays in the processor's L1 cache shows that a group has no bit set.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(super) struct Unprogrammed {
    bits: Vec<u64>,
    /// Set bits in each group of [`GROUP_WORDS`] words of `bits`.
    in_group: Vec<u32>,
}

impl Unprogrammed {
    /// An empty set for a drive of `mp_pages` multi-plane pages.
    pub fn new(mp_pages: u32) -> Unprogrammed {
        vec![0; (mp_pages as usize).div_ceil(64)].into()
    }

    #[inline(always)]
    pub fn has(&self, mp_page: MpPage) -> bool {
        self.in_group[group(mp_page)] > 0 && has_bit(&self.bits, mp_page)
    }

    /// The first of `mp_pages` that is in the set.
    pub fn first_in(&self, mp_pages: Range<MpPage>) -> Option<MpPage> {
        first_set(&self.bits, mp_pages)
    }

    /// Adds a page that is not in the set.
    #[inline(always)]
    pub fn add(&mut self, mp_page: MpPage) {
        debug_assert!(!self.has(mp_page), "{mp_page:?} is there already");
        set_bit(&mut self.bits, mp_page);
        self.in_group[group(mp_page)] += 1;
    }

    /// Removes a page that is in the set.
    #[inline(always)]
    pub fn remove(&mut self, mp_page: MpPage) {
        debug_assert!(self.has(mp_page), "{mp_page:?} is not there");
        clear_bit(&mut self.bits, mp_page);
        self.in_group[group(mp_page)] -= 1;
    }

    /// Removes all pages.
    pub fn clear(&mut self) {
        self.bits.fill(0);
        self.in_group.fill(0);
    }
}

#[inline(always)]
fn group(mp_page: MpPage) -> usize {
    mp_page.number() as usize / (64 * GROUP_WORDS)
}

impl From<Vec<u64>> for Unprogrammed {
    fn from(bits: Vec<u64>) -> Unprogrammed {
        let count = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum();
        let in_group = bits.chunks(GROUP_WORDS).map(count).collect();
        Unprogrammed { bits, in_group }
    }
}

impl From<Unprogrammed> for Vec<u64> {
    fn from(unprogrammed: Unprogrammed) -> Vec<u64> {
        unprogrammed.bits
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const MP_PAGES: u32 = 3 * 64 * GROUP_WORDS as u32 - 100;

    proptest! {
        /// Behaves as a plain set, also after it was serialized and read back.
        #[test]
        fn it_holds_what_was_added_and_not_removed(
            pages in prop::collection::vec((0..MP_PAGES, 0..20u32), 1..200),
        ) {
            let mut set = Unprogrammed::new(MP_PAGES);
            let mut plain = BTreeSet::new();
            for (page, then) in pages {
                match plain.insert(page) {
                    true => set.add(MpPage(page)),
                    false => {
                        plain.remove(&page);
                        set.remove(MpPage(page));
                    }
                }
                match then {
                    0 => (set, plain) = (Unprogrammed::new(MP_PAGES), BTreeSet::new()),
                    1 => {
                        set.clear();
                        plain.clear();
                    }
                    2 => set = Vec::from(set).into(),
                    _ => {}
                }
                for near in [page, page.saturating_sub(1), page / 2, MP_PAGES - 1] {
                    prop_assert_eq!(set.has(MpPage(near)), plain.contains(&near));
                }
                let first = set.first_in(MpPage(page / 2)..MpPage(MP_PAGES));
                let expected = plain.range(page / 2..).next();
                prop_assert_eq!(first, expected.map(|&page| MpPage(page)));
            }
        }
    }
}
