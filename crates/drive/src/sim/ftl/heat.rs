//! Rate at which parts of the drive are overwritten: a table of small counters, one for each group
//! of pages, after J.-W. Hsieh, T.-W. Kuo and L.-P. Chang, "Efficient identification of hot data
//! for flash memory storage systems", ACM TOS 2(1), 2006, with a counter for each group instead of
//! hashed ones.
//!
//! A hand goes round and halves the counters, once in a window of overwritten pages, so that data
//! that was hot long ago is forgotten. A group is hot in comparison with the mean, so that the
//! result does not depend on the speed of the host's writes.

use stend_model::spec::StreamsSpec;

use crate::sim::ids::Lpn;
use crate::table::memory;

/// Overwrite counters of the groups of pages.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Heat {
    /// Overwritten pages of each group, halved once a window. They stop at their maximum.
    counts: Vec<u8>,
    /// Sum of the counters.
    total: u64,
    group_bits: u32,
    /// The next counter to be halved.
    hand: usize,
    /// Pages of a window.
    window: u64,
    /// Part of a window since the last halving: overwritten pages times the number of counters.
    passed: u64,
    streams: u32,
}

impl Heat {
    /// Heat of a drive of `pages`, all of them cold.
    pub fn new(spec: &StreamsSpec, pages: u32) -> Heat {
        let groups = pages.div_ceil(spec.heat_group_pages);
        Heat {
            counts: vec![0; groups as usize],
            total: 0,
            group_bits: spec.heat_group_pages.trailing_zeros(),
            hand: 0,
            window: (u64::from(pages) * u64::from(spec.heat_window_percent) / 100).max(1),
            passed: 0,
            streams: spec.host_streams,
        }
    }

    /// Prefetches the counter of a page.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        memory::prefetch(&self.counts, (lpn.0 >> self.group_bits) as usize);
    }

    /// The stream of a page, 0 for the coldest: 1 from twice the mean on, and one more with each
    /// factor of four.
    #[inline]
    pub fn stream_of(&self, lpn: Lpn) -> u32 {
        let count = u64::from(self.counts[(lpn.0 >> self.group_bits) as usize]);
        let count = count * self.counts.len() as u64;
        let mut stream = 0;
        let mut from = (2 * self.total).max(1);
        // Without a branch, which would be mispredicted.
        for _ in 1..self.streams {
            stream += u32::from(count >= from);
            from *= 4;
        }
        stream
    }

    /// Counts `count` pages from `first` on as overwritten.
    #[inline]
    pub fn overwritten(&mut self, first: Lpn, count: u32) {
        let (mut lpn, end) = (first.0, first.0 + count);
        while lpn < end {
            let group = lpn >> self.group_bits;
            let next = ((group + 1) << self.group_bits).min(end);
            let count = &mut self.counts[group as usize];
            let more = (next - lpn).min(u32::from(u8::MAX - *count));
            *count += more as u8;
            self.total += u64::from(more);
            lpn = next;
        }
        self.passed += u64::from(count) * self.counts.len() as u64;
        while self.passed >= self.window {
            self.passed -= self.window;
            let group = &mut self.counts[self.hand];
            self.total -= u64::from(*group - *group / 2);
            *group /= 2;
            self.hand += 1;
            if self.hand == self.counts.len() {
                self.hand = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use stend_base::{Nanos, Rng};

    use super::*;

    fn heat(streams: u32) -> Heat {
        let spec = StreamsSpec {
            host_streams: streams,
            gc_streams: 1,
            heat_group_pages: 4,
            heat_window_percent: 200,
            classify: Nanos::ZERO,
        };
        Heat::new(&spec, 4_000)
    }

    #[test]
    fn what_is_overwritten_more_than_the_rest_is_hot_until_it_is_not() {
        let mut heat = heat(2);
        let mut rng = Rng::stream(1, "heat");
        let mut write = |heat: &mut Heat, hot: std::ops::Range<u64>| {
            for _ in 0..60_000 {
                let lpn = match rng.ratio(9, 10) {
                    true => hot.start + rng.below(hot.end - hot.start),
                    false => rng.below(4_000),
                };
                heat.overwritten(Lpn(lpn as u32), 1);
            }
            (0..4_000)
                .map(|lpn| heat.stream_of(Lpn(lpn)))
                .collect::<Vec<_>>()
        };
        let first = write(&mut heat, 0..400);
        let moved = write(&mut heat, 2_000..2_400);
        let hot = |streams: &[u32]| streams.iter().sum::<u32>();
        assert_eq!((hot(&first[..400]), hot(&first[400..])), (400, 0));
        assert_eq!((hot(&moved[2_000..2_400]), hot(&moved)), (400, 400));
        assert_eq!(
            heat.total,
            heat.counts.iter().map(|&n| u64::from(n)).sum::<u64>()
        );
    }

    #[test]
    fn even_writes_are_cold() {
        let mut heat = heat(4);
        for round in 0..40 {
            for lpn in 0..4_000 {
                assert_eq!(heat.stream_of(Lpn(lpn)), 0, "round {round}, page {lpn}");
                if round > 0 && lpn % 4 == 3 {
                    heat.overwritten(Lpn(lpn - 3), 4);
                }
            }
        }
    }

    #[test]
    fn streams_are_a_factor_of_four_apart() {
        let mut heat = heat(4);
        // A thousand groups, of which these four are written in the ratio 1 : 4 : 16 : 64.
        for (group, times) in [(1, 1), (2, 4), (3, 16), (4, 64)] {
            for _ in 0..times {
                heat.overwritten(Lpn(group * 4), 1);
            }
        }
        heat.total = 1_000;
        let streams = [0, 1, 2, 3, 4].map(|group| heat.stream_of(Lpn(group * 4)));
        // The mean is 1: from 2, 8 and 32 on.
        assert_eq!(streams, [0, 0, 1, 2, 3]);
    }
}
