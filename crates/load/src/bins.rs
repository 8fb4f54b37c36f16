//! Counts of values by their size, in the bins of an HdrHistogram of three digits.
//!
//! A value below 2,048 has a bin of its own; above, each power of two is cut into 1,024 bins. What
//! is done with all counts is done between the least and the largest value alone: a distribution
//! that is emptied every second costs what it spans.

/// Bins of each power of two.
const HALF: u64 = 1024;
/// Values below 2 to this power have a bin: over two hours, where they are ns.
const BITS: u32 = 43;
const COUNT: usize = (BITS as usize - 9) * HALF as usize;

/// Counts by bin.
#[derive(Clone, Debug)]
pub(crate) struct Bins(Box<[u64; COUNT]>);

impl Bins {
    pub(crate) fn new() -> Bins {
        let counts = vec![0; COUNT].into_boxed_slice();
        Bins(counts.try_into().expect("it was made of this length"))
    }

    /// Counts a value; one without a bin counts in the last.
    #[inline]
    pub(crate) fn record(&mut self, value: u64) {
        self.0[index(value)] += 1;
    }

    /// Adds the counts of values from `least` to `most`, beyond which there are none.
    pub(crate) fn add(&mut self, other: &Bins, (least, most): (u64, u64)) {
        let range = index(least)..=index(most);
        let theirs = &other.0[range.clone()];
        for (mine, theirs) in self.0[range].iter_mut().zip(theirs) {
            *mine += theirs;
        }
    }

    /// Forgets the counts of values from `least` to `most`.
    pub(crate) fn clear(&mut self, (least, most): (u64, u64)) {
        self.0[index(least)..=index(most)].fill(0);
    }

    /// The largest value of the bin in which the `rank`-th value lies, counted from 1 upwards from
    /// `least`; of the last bin where there are fewer.
    pub(crate) fn at_rank(&self, rank: u64, least: u64) -> u64 {
        let mut sum = 0;
        let first = index(least);
        let found = self.0[first..].iter().position(|count| {
            sum += count;
            sum >= rank
        });
        last_of(found.map_or(COUNT - 1, |at| first + at))
    }

    /// (Middle of the bin, count), ascending, without empty bins.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let bins = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        bins.map(|(at, count)| (first_of(at) + width_of(at) / 2, *count))
    }
}

#[inline]
fn index(value: u64) -> usize {
    let value = value.min((1 << BITS) - 1);
    let shift = 53 - (value | (2 * HALF - 1)).leading_zeros();
    ((u64::from(shift) << 10) + (value >> shift)) as usize
}

fn shift_of(index: usize) -> u64 {
    (index as u64 / HALF).saturating_sub(1)
}

fn width_of(index: usize) -> u64 {
    1 << shift_of(index)
}

fn first_of(index: usize) -> u64 {
    let shift = shift_of(index);
    (index as u64 - (shift << 10)) << shift
}

fn last_of(index: usize) -> u64 {
    first_of(index) + width_of(index) - 1
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_bin_holds_what_lies_between_its_ends() {
        for at in 0..COUNT {
            assert_eq!((index(first_of(at)), index(last_of(at))), (at, at));
            assert_eq!(first_of(at), if at == 0 { 0 } else { last_of(at - 1) + 1 });
        }
        assert_eq!(last_of(COUNT - 1), (1 << BITS) - 1);
        assert_eq!(index(u64::MAX), COUNT - 1);
    }

    proptest! {
        #[test]
        fn ranks_and_bins_are_those_of_an_hdrhistogram(
            values in prop::collection::vec((0_u32..43, any::<u64>()), 1..200),
            percent in 0.0..100.0_f64,
        ) {
            let values = values.into_iter().map(|(bits, value)| value >> (63 - bits));
            let values: Vec<u64> = values.collect();
            let mut theirs = Histogram::<u64>::new_with_bounds(1, 1 << 42, 3).unwrap();
            let mut mine = Bins::new();
            for value in &values {
                theirs.saturating_record(*value);
                mine.record(*value);
            }
            let (least, most) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
            let rank = (percent / 100.0 * values.len() as f64).ceil().max(1.0) as u64;
            prop_assert_eq!(mine.at_rank(rank, least), theirs.value_at_percentile(percent));
            let bins = theirs.iter_recorded().map(|bin| {
                (theirs.median_equivalent(bin.value_iterated_to()), bin.count_at_value())
            });
            prop_assert_eq!(mine.counted().collect::<Vec<_>>(), bins.collect::<Vec<_>>());
            let mut twice = mine.clone();
            twice.add(&mine, (least, most));
            prop_assert_eq!(twice.at_rank(2 * rank, least), mine.at_rank(rank, least));
            twice.clear((least, most));
            prop_assert_eq!(twice.counted().count(), 0);
        }
    }
}
