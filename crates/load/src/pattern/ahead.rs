//! Random blocks, drawn some requests ahead, so that a device can prefetch for several at once: a
//! processor fetches a dozen random places of a large table in the time of one.
//!
//! The order is that of the source: drawing earlier changes no number.

use super::RandomBlocks;

/// Blocks drawn at a time.
const BATCH: usize = 16;
/// Number of blocks in two batches: the second is drawn before the first one is used.
const DRAWN: usize = 2 * BATCH;

/// Marks the end of a pass.
const END: u64 = u64::MAX;

/// A source of random blocks, drawn ahead.
#[derive(Clone, Debug)]
pub struct Ahead {
    source: RandomBlocks,
    drawn: [u64; DRAWN],
    next: usize,
    fresh: bool,
}

impl Ahead {
    /// The blocks of `source`, in its order.
    pub fn new(source: RandomBlocks) -> Ahead {
        let mut ahead = Ahead {
            source,
            drawn: [END; DRAWN],
            next: 0,
            fresh: false,
        };
        ahead.draw(0);
        ahead
    }

    /// The next block; `None` once at the end of every pass, if there are passes.
    #[inline]
    pub fn next_index(&mut self) -> Option<u64> {
        if self.next.is_multiple_of(BATCH) {
            self.draw((self.next + BATCH) % DRAWN);
        }
        let block = self.drawn[self.next];
        self.next = (self.next + 1) % DRAWN;
        (block != END).then_some(block)
    }

    /// The batch in use and the one after it, if [`Ahead::next_index`] has drawn blocks since the
    /// last call.
    #[inline]
    pub fn take_fresh(&mut self) -> Option<[impl Iterator<Item = u64> + '_; 2]> {
        if !std::mem::take(&mut self.fresh) {
            return None;
        }
        let (first, second) = self.drawn.split_at(BATCH);
        let batches = match self.next.wrapping_sub(1) % DRAWN < BATCH {
            true => [first, second],
            false => [second, first],
        };
        Some(batches.map(|batch| batch.iter().copied().filter(|&block| block != END)))
    }

    #[inline(never)]
    fn draw(&mut self, from: usize) {
        for block in &mut self.drawn[from..from + BATCH] {
            *block = self.source.next_index().unwrap_or(END);
        }
        self.fresh = true;
    }
}

#[cfg(test)]
mod tests {
    use stend_base::Rng;

    use super::*;
    use crate::jobfile::{Distribution, Generator};

    fn source(len: u64, map: bool, generator: Generator) -> RandomBlocks {
        let rng = Rng::stream(1, "ahead");
        RandomBlocks::new(len, map, generator, Distribution::Uniform, rng)
    }

    #[test]
    fn drawing_ahead_changes_no_number_and_no_end_of_a_pass() {
        for (map, generator) in [
            (false, Generator::Random),
            (true, Generator::Random),
            (true, Generator::Lfsr),
        ] {
            for len in [1, 15, 16, 17, 32, 100, 1000] {
                let mut plain = source(len, map, generator);
                let mut ahead = Ahead::new(plain.clone());
                for nth in 0..3000 {
                    assert_eq!(ahead.next_index(), plain.next_index(), "{nth} of {len}");
                }
            }
        }
    }

    #[test]
    fn every_block_but_the_first_is_told_before_it_comes_and_once() {
        let mut ahead = Ahead::new(source(1_000_000, false, Generator::Random));
        let (mut near_told, mut told, mut came) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..10 * BATCH {
            came.extend(ahead.next_index());
            let begun = came.len();
            let fresh = ahead.take_fresh();
            assert_eq!(fresh.is_some(), begun % BATCH == 1);
            let Some([near, far]) = fresh else { continue };
            near_told.extend(near);
            told.extend(far);
            assert_eq!(near_told.len(), begun - 1 + BATCH);
        }
        assert!(ahead.take_fresh().is_none());
        assert_eq!(near_told, came);
        assert_eq!(told[..came.len() - BATCH], came[BATCH..]);
    }
}
