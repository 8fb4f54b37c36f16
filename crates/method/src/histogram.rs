//! Latency distributions as HdrHistograms: the format in which other tools read them.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

/// Significant decimal digits; fio's own bins are coarser (1/64 of their value).
const DIGITS: u8 = 3;

/// Values, ns, and how often each came, as an HdrHistogram of format V2, compressed, in base64:
/// what HdrHistogram's own log files hold.
pub(crate) fn encode(bins: &BTreeMap<u64, u64>) -> String {
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

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;

    use super::*;

    #[test]
    fn what_was_counted_can_be_read_back() {
        let bins = BTreeMap::from([(0, 3), (90_000, 1_000_000), (2_000_000_000, 1)]);
        let text = encode(&bins);
        // As every such text begins.
        assert!(text.starts_with("HISTFAAAA"), "{text}");
        let bytes = STANDARD.decode(text).unwrap();
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        assert_eq!(read.len(), 1_000_004);
        assert!(read.equivalent(read.value_at_quantile(0.5), 90_000));
        assert!(read.equivalent(read.max(), 2_000_000_000));
        assert_eq!(read.count_at(0), 3);
    }
}
