//! Multi-plane pages whose program has not ended.

use std::ops::Range;

use crate::sim::geometry::bits::{clear_bit, first_set, has_bit, set_bit};
use crate::sim::ids::{Id, MpPage};

/// Words of bits that are counted together: 8,192 multi-plane pages.
const GROUP_WORDS: usize = 128;

/// A set of multi-plane pages, nearly all of them outside.
///
/// The bits of a drive of 256 GB take 2 MB, and a read needs one of them at a random place; that
/// its group has none is known from a table that stays in the processor's L1 cache.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(super) struct Unprogrammed {
    bits: Vec<u64>,
    /// How many are in the set, for each [`GROUP_WORDS`] words of `bits`.
    in_group: Vec<u32>,
}

impl Unprogrammed {
    /// None of so many.
    pub fn new(mp_pages: u32) -> Unprogrammed {
        vec![0; (mp_pages as usize).div_ceil(64)].into()
    }

    #[inline(always)]
    pub fn has(&self, mp_page: MpPage) -> bool {
        self.in_group[group(mp_page)] > 0 && has_bit(&self.bits, mp_page)
    }

    /// The first of these that is in the set.
    pub fn first_in(&self, mp_pages: Range<MpPage>) -> Option<MpPage> {
        first_set(&self.bits, mp_pages)
    }

    /// Adds one that is not in the set.
    #[inline(always)]
    pub fn add(&mut self, mp_page: MpPage) {
        debug_assert!(!self.has(mp_page), "{mp_page:?} is there already");
        set_bit(&mut self.bits, mp_page);
        self.in_group[group(mp_page)] += 1;
    }

    /// Removes one that is in the set.
    #[inline(always)]
    pub fn remove(&mut self, mp_page: MpPage) {
        debug_assert!(self.has(mp_page), "{mp_page:?} is not there");
        clear_bit(&mut self.bits, mp_page);
        self.in_group[group(mp_page)] -= 1;
    }

    /// Removes all.
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
        /// As a plain set does, also when it was written and read in between.
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
