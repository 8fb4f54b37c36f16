//! Latency distributions as HdrHistograms, the format that other tools read, and as points of a
//! chart.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// Significant decimal digits; fio's own bins are coarser (1/64 of their value).
const DIGITS: u8 = 3;

/// Encodes values, ns, with their counts as an HdrHistogram of format V2, compressed, in base64:
/// the format of HdrHistogram's own log files.
pub fn encode(bins: &BTreeMap<u64, u64>) -> String {
    let mut histogram = Histogram::<u64>::new(DIGITS).expect("1 to 5 digits are possible");
    for (&value, &count) in bins {
        // It grows as needed.
        histogram
            .record_n(value, count)
            .expect("64 bits of ns are within what it may grow to");
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(&histogram, &mut bytes)
        .expect("memory can be written to");
    STANDARD.encode(bytes)
}

/// The sum of encoded histograms, encoded.
///
/// # Errors
/// The fault of one of the texts, in words.
pub fn sum(texts: &[&str]) -> Result<String, String> {
    let mut bins = BTreeMap::new();
    for text in texts {
        for bin in decode(text)?.iter_recorded() {
            *bins.entry(bin.value_iterated_to()).or_default() += bin.count_at_value();
        }
    }
    Ok(encode(&bins))
}

fn decode(text: &str) -> Result<Histogram<u64>, String> {
    let broken = |what: &dyn std::fmt::Display| format!("the latency histogram is broken: {what}");
    let bytes = STANDARD.decode(text).map_err(|error| broken(&error))?;
    let read = Deserializer::new().deserialize(&mut &bytes[..]);
    read.map_err(|error| broken(&error))
}

/// The fastest and the slowest latency of an encoded histogram, ns, to three digits; `None` without
/// requests.
///
/// # Errors
/// The fault of the text, in words.
pub fn ends(text: &str) -> Result<Option<(u64, u64)>, String> {
    let histogram = decode(text)?;
    let mut all = histogram.iter_recorded().map(|bin| bin.value_iterated_to());
    let first = all.next();
    Ok(first.map(|first| (first, all.last().unwrap_or(first))))
}

/// A point of a cumulative distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cumulative {
    /// Latency, ns, to three digits.
    pub latency_ns: u64,
    /// Share of the requests with at most this latency, above 0, at most 1.
    pub share: f64,
}

/// The cumulative distribution of an encoded histogram: points in ascending order, the last at the
/// share 1, and no more than `most` (at least 2) of them. The selected points are spread over the
/// shares and over the decades of the rest above them, so that a chart of either has no gap.
///
/// # Errors
/// The fault of the text, in words.
pub fn cumulative(text: &str, most: usize) -> Result<Vec<Cumulative>, String> {
    let histogram = decode(text)?;
    let total = histogram.len();
    let mut sum = 0;
    let all = histogram.iter_recorded().map(|bin| {
        sum += bin.count_at_value();
        let left = 1 + total - sum;
        let decades = (total as f64 / left as f64).log10() / ((total + 1) as f64).log10();
        let point = Cumulative {
            latency_ns: bin.value_iterated_to(),
            share: sum as f64 / total as f64,
        };
        (point, point.share + decades)
    });
    let all: Vec<(Cumulative, f64)> = all.collect();
    let Some((_, end)) = all.last().copied() else {
        return Ok(Vec::new());
    };
    let steps = most.saturating_sub(1).max(1) as f64;
    let step = |way: f64| (way / end * steps) as usize;
    let is_last = |at: usize| {
        all.get(at + 1)
            .is_none_or(|next| step(next.1) > step(all[at].1))
    };
    // The last of each step: before a long gap, the last point is one of them.
    let kept = (0..all.len()).filter(|at| all.len() <= most || is_last(*at));
    Ok(kept.map(|at| all[at].0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_can_be_read_back() {
        let bins = BTreeMap::from([(0, 3), (90_000, 1_000_000), (2_000_000_000, 1)]);
        let text = encode(&bins);
        // The beginning of every such text.
        assert!(text.starts_with("HISTFAAAA"), "{text}");
        let bytes = STANDARD.decode(text).unwrap();
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        assert_eq!(read.len(), 1_000_004);
        assert!(read.equivalent(read.value_at_quantile(0.5), 90_000));
        assert!(read.equivalent(read.max(), 2_000_000_000));
        assert_eq!(read.count_at(0), 3);
    }

    #[test]
    fn the_ends_are_the_fastest_and_the_slowest() {
        let of = |bins: &[(u64, u64)]| ends(&encode(&bins.iter().copied().collect())).unwrap();
        assert_eq!(of(&[]), None);
        let (first, last) = of(&[(110_000, 9)]).unwrap();
        assert_eq!(first, last);
        let (first, last) = of(&[(29_400, 1), (80_000, 3), (110_000, 9)]).unwrap();
        assert!((29_400..29_430).contains(&first) && (110_000..110_110).contains(&last));
        assert!(ends("no histogram").is_err());
    }

    /// The share of values up to `latency_ns`, counted one by one.
    fn counted(bins: &BTreeMap<u64, u64>, latency_ns: u64) -> f64 {
        let below = bins
            .range(..=latency_ns)
            .map(|(_, count)| count)
            .sum::<u64>();
        below as f64 / bins.values().sum::<u64>() as f64
    }

    #[test]
    fn a_distribution_is_that_of_the_values() {
        let few = BTreeMap::from([(90_000, 5), (2_000_000, 4), (3_000_000_000, 1)]);
        let points = cumulative(&encode(&few), 120).unwrap();
        let shares: Vec<f64> = points.iter().map(|point| point.share).collect();
        assert_eq!(shares, [0.5, 0.9, 1.0]);
        assert!((90_000..90_100).contains(&points[0].latency_ns));
        // A fast mode, a slow one, and a long tail.
        let value = |at: u64| match at % 3 {
            0 => 80_000 + 131 * (at % 500),
            1 => 9_000_000 + 9_001 * (at % 300),
            _ => 200_000 + at * at % 700_001,
        };
        let mut many: BTreeMap<u64, u64> = BTreeMap::new();
        for at in 0..100_000 {
            *many.entry(value(at)).or_default() += 1;
        }
        many.insert(1 << 33, 2);
        for most in [2, 20, 120] {
            let points = cumulative(&encode(&many), most).unwrap();
            assert!(points.len() <= most, "{}", points.len());
            assert_eq!(points.last().unwrap().share, 1.0);
            for point in &points {
                assert_eq!(point.share, counted(&many, point.latency_ns));
            }
            let gaps = points.windows(2).map(|pair| {
                assert!(pair[0].latency_ns < pair[1].latency_ns);
                pair[1].share - pair[0].share
            });
            let widest = gaps.fold(points[0].share, f64::max);
            assert!(widest <= 2.1 / (most - 1) as f64, "{most}: {widest}");
        }
        // Two of 100,002 are slower: the last point but one is kept.
        let points = cumulative(&encode(&many), 120).unwrap();
        assert!(points[points.len() - 2].share > 0.9999);
    }

    #[test]
    fn what_is_no_histogram_is_told() {
        for text in ["", "no base64!", "HISTFAAAA", "AAAA"] {
            let error = cumulative(text, 120).unwrap_err();
            assert!(
                error.starts_with("the latency histogram is broken"),
                "{error}"
            );
        }
        assert_eq!(cumulative(&encode(&BTreeMap::new()), 120).unwrap(), []);
        let one = encode(&BTreeMap::from([(90_000, 5)]));
        assert!(sum(&[&one, "no base64!"]).is_err());
        let other = encode(&BTreeMap::from([(90_000, 1), (95_000, 2)]));
        let both = cumulative(&sum(&[&one, &other]).unwrap(), 120).unwrap();
        let shares: Vec<f64> = both.iter().map(|point| point.share).collect();
        assert_eq!(shares, [0.75, 1.0]);
        assert!((90_000..90_100).contains(&both[0].latency_ns), "{both:?}");
    }
}
