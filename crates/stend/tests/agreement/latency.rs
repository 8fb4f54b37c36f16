//! Latency over time, compared with fio's log of histograms.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{list, number};

/// Checks that the latencies of each interval follow from the log's rows of that time, and that all
/// rows, with the rest for the last interval, add up to the histogram of the whole run.
pub fn same_over_time(curve: &Value, (first_ms, rows): (u64, Vec<(u64, Vec<u64>)>), of: &Value) {
    let interval_ms = (number(&curve["interval_s"]) * 1e3).round() as u64;
    let shown = &curve["interval_latency"];
    let count = list(&curve["samples"]).len();
    let bins = of["clat_ns"]["bins"].as_object().unwrap();
    let max_ns = number(&of["clat_ns"]["max"]);
    // All values of an interval, one by one.
    let mut intervals: Vec<Vec<u64>> = vec![Vec::new(); count];
    let count_of = |number: &Value| number.as_u64().unwrap();
    let of_value = |(value, number): (&String, &Value)| (value.parse().unwrap(), count_of(number));
    let mut left: BTreeMap<u64, u64> = bins.iter().map(of_value).collect();
    let total: u64 = left.values().sum();
    let put = |interval: &mut Vec<u64>, value, number: u64| {
        interval.extend(std::iter::repeat_n(value, number as usize));
    };
    for (at_ms, counts) in rows {
        let steps = (at_ms.saturating_sub(first_ms) as f64 / interval_ms as f64).round() as usize;
        let interval = &mut intervals[steps.clamp(1, count) - 1];
        for (bin, number) in (0..).zip(counts).filter(|(_, number)| *number > 0) {
            *left.get_mut(&middle(bin)).expect("fio counted it") -= number;
            put(interval, middle(bin), number);
        }
    }
    for (value, number) in left {
        put(&mut intervals[count - 1], value, number);
    }
    assert_eq!(intervals.iter().map(Vec::len).sum::<usize>() as u64, total);
    let top = intervals.iter().flatten().copied().max().unwrap();
    for (index, mut values) in intervals.into_iter().enumerate() {
        values.sort_unstable();
        let at = |percent: usize| {
            let rank = (values.len() * percent).div_ceil(100);
            rank.checked_sub(1)
                .map_or(0.0, |rank| (values[rank] as f64).min(max_ns))
        };
        let most = if values.last() == Some(&top) {
            max_ns
        } else {
            at(100)
        };
        for (key, wanted) in [("p50_us", at(50)), ("p99_us", at(99)), ("max_us", most)] {
            let shown = number(&shown[key][index]) * 1e3;
            // Figures have three significant digits.
            assert!(
                (shown - wanted).abs() <= wanted * 0.005,
                "{key} {index}: {shown}, {wanted}"
            );
        }
        // An interval has latencies exactly if it has requests.
        assert_eq!(number(&shown["max_us"][index]) > 0.0, !values.is_empty());
    }
}

/// The value that fio prints for a bin, from its bounds: 64 bins per power of two.
fn middle(bin: u64) -> u64 {
    if bin < 128 {
        return bin;
    }
    let width = 1_u64 << (bin / 64 - 1);
    let below_power = 64 * width;
    below_power + bin % 64 * width + width / 2
}
