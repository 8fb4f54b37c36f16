//! A load sampled over time.

use serde::{Deserialize, Deserializer, Serialize};
use stend_language::{Text, recorded};

use crate::latency::LatencySummary;
use crate::load::SeriesPoint;

/// One measured curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// `fresh`, `after idle`, `after TRIM`.
    #[serde(deserialize_with = "read_name")]
    pub name: String,
    /// Rest since the curve before it; missing for the first curve of a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AfterRest>,
    /// Load of the samples: 4 KiB random write, depth 32 …
    pub point: SeriesPoint,
    /// Length of a sampling interval, s.
    pub interval_s: f64,
    /// Length of the range that the load passed once, ascending from the beginning of the target,
    /// so that bytes written are a position in it; missing if the load lasted for a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_bytes: Option<u64>,
    /// Samples in the order of time.
    pub samples: Vec<Sample>,
    /// Latency of the requests completed in each interval; missing if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_latency: Option<IntervalLatency>,
    /// The drive's temperature during the curve, in the order of time; empty if it was not sampled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub temperatures: Vec<TemperatureSample>,
    /// See [`Point`]; over the whole curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_request: Option<f64>,
    /// See [`Point`]; over the whole curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_w: Option<f64>,
    /// Latency over the whole curve.
    pub latency_ns: LatencySummary,
    /// The same as an HdrHistogram, as in a [`Point`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_histogram: Option<String>,
}

/// Rest before a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AfterRest {
    /// Idle time, s.
    pub idle_s: f64,
    /// True if TRIM of the whole capacity went before it.
    pub trim: bool,
}

impl Series {
    /// True if it follows a rest: `Some(true)` after TRIM too, `Some(false)` without, `None` for
    /// the first curve of a test.
    pub fn trimmed_before(&self) -> Option<bool> {
        let of_shipped_editions = || match self.name.as_str() {
            // Versions without `after` had these names.
            "after idle" => Some(false),
            "after TRIM" => Some(true),
            _ => None,
        };
        match self.after {
            None => of_shipped_editions(),
            Some(after) => (after.trim || after.idle_s > 0.0).then_some(after.trim),
        }
    }

    /// A curve with only samples, each `interval_s` long.
    pub fn of(
        name: impl Into<String>,
        point: SeriesPoint,
        interval_s: f64,
        samples: Vec<Sample>,
    ) -> Series {
        Series {
            name: name.into(),
            point,
            interval_s,
            samples,
            ..Series::default()
        }
    }

    /// Converts the curve of a drive with a `by`-th of its capacity to that of the whole drive:
    /// times and bytes are multiplied by `by`, speeds and latencies stay.
    pub fn scaled_back(mut self, by: u32) -> Series {
        let (times, factor) = (u64::from(by), f64::from(by));
        self.interval_s *= factor;
        self.range_bytes
            .iter_mut()
            .for_each(|bytes| *bytes *= times);
        for sample in &mut self.samples {
            sample.t_s *= factor;
            sample.written_bytes *= times;
        }
        self.temperatures
            .iter_mut()
            .for_each(|one| one.t_s *= factor);
        self
    }
}

/// The mean over one sampling interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// End of the interval since the start of the curve, s.
    pub t_s: f64,
    /// Bytes written since the start of the curve.
    pub written_bytes: u64,
    /// Requests a second in the interval.
    pub iops: f64,
}

/// Latency of the requests completed in each interval of a curve, ns: as many values as there are
/// samples, 0 if no request was completed. Values have three significant digits, and are stored in
/// µs ([`Stored`]), so that two hours of them need little space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct IntervalLatency {
    /// Median.
    pub p50_ns: Vec<u64>,
    /// 99th percentile.
    pub p99_ns: Vec<u64>,
    /// Largest.
    pub max_ns: Vec<u64>,
}

impl IntervalLatency {
    /// Returns the latencies from the median, 99th percentile and largest of each interval, which
    /// are rounded.
    pub fn of(intervals: impl Iterator<Item = [u64; 3]>) -> IntervalLatency {
        let mut all = IntervalLatency::default();
        for [p50_ns, p99_ns, max_ns] in intervals {
            all.p50_ns.push(three_digits(p50_ns));
            all.p99_ns.push(three_digits(p99_ns));
            all.max_ns.push(three_digits(max_ns));
        }
        all
    }
}

/// JSON form of [`IntervalLatency`]: without the trailing zeros of nanoseconds that have three
/// significant digits.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    p50_us: Vec<Us>,
    p99_us: Vec<Us>,
    max_us: Vec<Us>,
    // Keys of reviews of earlier versions.
    #[serde(skip_serializing)]
    p50_ns: Vec<u64>,
    #[serde(skip_serializing)]
    p99_ns: Vec<u64>,
    #[serde(skip_serializing)]
    max_ns: Vec<u64>,
}

/// Microseconds: a whole number if it is one.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Us {
    Whole(u64),
    Fraction(f64),
}

impl From<u64> for Us {
    fn from(ns: u64) -> Us {
        match ns % 1_000 {
            0 => Us::Whole(ns / 1_000),
            _ => Us::Fraction(ns as f64 / 1e3),
        }
    }
}

impl From<Us> for u64 {
    fn from(us: Us) -> u64 {
        match us {
            Us::Whole(us) => us.saturating_mul(1_000),
            // A cast saturates.
            Us::Fraction(us) => (us * 1e3).round() as u64,
        }
    }
}

impl From<Stored> for IntervalLatency {
    fn from(stored: Stored) -> IntervalLatency {
        let of = |us: Vec<Us>, ns: Vec<u64>| match us.is_empty() {
            true => ns,
            false => us.into_iter().map(u64::from).collect(),
        };
        IntervalLatency {
            p50_ns: of(stored.p50_us, stored.p50_ns),
            p99_ns: of(stored.p99_us, stored.p99_ns),
            max_ns: of(stored.max_us, stored.max_ns),
        }
    }
}

impl From<IntervalLatency> for Stored {
    fn from(latency: IntervalLatency) -> Stored {
        let us = |ns: Vec<u64>| ns.into_iter().map(Us::from).collect();
        Stored {
            p50_us: us(latency.p50_ns),
            p99_us: us(latency.p99_ns),
            max_us: us(latency.max_ns),
            ..Stored::default()
        }
    }
}

/// Rounded to three significant decimal digits.
fn three_digits(value: u64) -> u64 {
    let unit = 10_u64.pow(value.checked_ilog10().unwrap_or(0).saturating_sub(2));
    value.saturating_add(unit / 2) / unit * unit
}

/// A drive's temperature at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemperatureSample {
    /// Time since the start of the curve, s.
    pub t_s: f64,
    /// °C.
    pub celsius: f64,
}

/// Name of a curve after a rest: `rest-300s`, and `trim-rest-300s` if TRIM of the whole capacity
/// went before it.
pub fn rest_name(trim: bool, rest_s: f64) -> String {
    let rounded = format!("{rest_s:.3}");
    let seconds = rounded.trim_end_matches('0').trim_end_matches('.');
    match trim {
        true => format!("trim-rest-{seconds}s"),
        false => format!("rest-{seconds}s"),
    }
}

/// Reads the name of a curve. Reviews of the first schema name curves after rests in words: `after
/// 30 s`, `after TRIM and 5 min`.
pub(crate) fn read_name<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    Ok(of_words(&name).unwrap_or(name))
}

fn of_words(name: &str) -> Option<String> {
    let rest = name.strip_prefix("after ")?;
    let (trim, rest) = match rest.strip_prefix("TRIM and ") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (number, unit) = rest.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    match unit {
        "s" => Some(rest_name(trim, number)),
        "min" => Some(rest_name(trim, 60.0 * number)),
        _ => None,
    }
}

/// Words for the name of a curve: `fresh`, `after idle`, `after TRIM and 5 min` of
/// `trim-rest-300s`.
pub fn curve_text(name: &str) -> Text {
    let (id, rest) = match name.strip_prefix("trim-") {
        Some(rest) => ("after-trim-and-rest", rest),
        None => ("after-rest", name),
    };
    let seconds = rest
        .strip_prefix("rest-")
        .and_then(|rest| rest.strip_suffix('s')?.parse::<f64>().ok());
    match seconds {
        Some(s) if s >= 60.0 && s % 60.0 == 0.0 => {
            recorded!(id, time = format!("{} min", s / 60.0))
        }
        Some(s) => recorded!(id, time = format!("{s} s")),
        None => Text::named("curve", name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_of_intervals_keep_three_digits() {
        let pairs = [
            (0, 0),
            (999, 999),
            (1_004, 1_000),
            (1_005, 1_010),
            (85_649, 85_600),
            (99_950, 100_000),
            (123_456_789_012, 123_000_000_000),
        ];
        for (value, wanted) in pairs {
            assert_eq!(three_digits(value), wanted);
        }
        assert!(three_digits(u64::MAX) > u64::MAX / 100 * 99);
    }

    #[test]
    fn latencies_of_intervals_are_kept_in_microseconds() {
        let of = |values: &[[u64; 3]]| IntervalLatency::of(values.iter().copied());
        let latency = of(&[[85_649, 1_740_000, 0], [999, 43_900_000, u64::MAX]]);
        let text = serde_json::to_string(&latency).unwrap();
        let expected = concat!(
            r#"{"p50_us":[85.6,0.999],"p99_us":[1740,43900],"#,
            r#""max_us":[0,18400000000000000]}"#
        );
        assert_eq!(text, expected);
        assert_eq!(
            serde_json::from_str::<IntervalLatency>(&text).unwrap(),
            latency
        );
        let earlier = r#"{"p50_ns":[85600,999],"p99_ns":[1740000,43900000],
            "max_ns":[0,18400000000000000000]}"#;
        assert_eq!(
            serde_json::from_str::<IntervalLatency>(earlier).unwrap(),
            latency
        );
    }

    #[test]
    fn two_hours_of_latencies_take_little_space() {
        // A drive that slows down, by intervals of a second.
        let interval = |i: u64| [775_123 + 97 * i, 5_880_456 + 2_003 * i, 27_123_456 + 7 * i];
        let latency = IntervalLatency::of((0..7_200).map(interval));
        let bytes = serde_json::to_string(&latency).unwrap().len();
        assert!(bytes <= 150_000, "{bytes} bytes");
    }

    #[test]
    fn curves_after_rests_are_named_by_them() {
        for (trim, rest_s, name, words) in [
            (false, 30.0, "rest-30s", "after 30 s"),
            (false, 300.0, "rest-300s", "after 5 min"),
            (true, 1800.0, "trim-rest-1800s", "after TRIM and 30 min"),
            (false, 30.0 * 0.01, "rest-0.3s", "after 0.3 s"),
            (false, 90.0, "rest-90s", "after 90 s"),
        ] {
            assert_eq!(rest_name(trim, rest_s), name);
            assert_eq!(curve_text(name).in_english(), words);
        }
        let read = |name: &str| read_name(serde_json::json!(name)).unwrap();
        assert_eq!(read("after TRIM and 30 min"), "trim-rest-1800s");
        assert_eq!(read("after 0.3 s"), "rest-0.3s");
        for kept in ["after idle", "after TRIM", "after 3 days", "rest-30s"] {
            assert_eq!(read(kept), kept);
        }
        assert_eq!(curve_text("after rest"), Text::from("after rest"));
        assert_eq!(curve_text("after TRIM").in_english(), "after TRIM");
        assert_eq!(curve_text("my own"), Text::from("my own"));
    }
}
