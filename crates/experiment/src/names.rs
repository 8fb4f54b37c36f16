//! Names of metrics, as studies write them: `read_latency_p99_9_ns`, `iops_end`, `erases`.

use stend_drive::Counters;
use stend_load::jobfile::Direction;

use crate::figure::{Metric, RequestKind, Requests, Statistic, counter};

/// Metrics of a job that names none.
pub const USUAL: [&str; 11] = [
    "iops",
    "iops_end",
    "bw_bytes_per_s",
    "latency_mean_ns",
    "latency_p99_ns",
    "latency_p99_9_ns",
    "latency_max_ns",
    "write_amplification",
    "slc_cache_seen_bytes",
    "erases",
    "elapsed_s",
];

/// Prefixes of metrics of a direction.
const DIRECTIONS: [(&str, Direction); 3] = [
    ("read_", Direction::Read),
    ("write_", Direction::Write),
    ("trim_", Direction::Trim),
];

impl Metric {
    /// Parses the name of a metric.
    ///
    /// # Errors
    /// A message with the nearest name if there is no such metric.
    pub fn named(name: &str) -> Result<Metric, String> {
        fixed(name)
            .or_else(|| latency(name))
            .or_else(|| {
                let is_counter = counter(&Counters::default(), name).is_some();
                is_counter.then(|| Metric::Counter(name.to_owned()))
            })
            .ok_or_else(|| unknown(name))
    }
}

/// Direction of a prefix, and the rest of the name.
fn of_direction(name: &str) -> Option<(&str, Direction)> {
    let mut directions = DIRECTIONS.iter();
    directions.find_map(|(prefix, direction)| Some((name.strip_prefix(prefix)?, *direction)))
}

fn fixed(name: &str) -> Option<Metric> {
    match of_direction(name) {
        Some(("iops", direction)) => return Some(Metric::Iops(Some(direction))),
        Some(("bw_bytes_per_s", direction)) => return Some(Metric::Bandwidth(Some(direction))),
        Some(("bytes", direction)) => return Some(Metric::Bytes(direction)),
        _ => {}
    }
    Some(match name {
        "iops" => Metric::Iops(None),
        "bw_bytes_per_s" => Metric::Bandwidth(None),
        "written_bytes" => Metric::Bytes(Direction::Write),
        "iops_end" => Metric::IopsEnd,
        "slc_cache_seen_bytes" => Metric::FallBytes,
        "write_amplification" => Metric::WriteAmplification,
        "elapsed_s" => Metric::Elapsed,
        "energy_j" => Metric::Energy,
        _ => return None,
    })
}

/// Parses `latency_p99_9_ns`, `read_latency_mean_ns`, `sync_latency_max_ns`.
fn latency(name: &str) -> Option<Metric> {
    let name = name.strip_suffix("_ns")?;
    let (kind, name) = match name.strip_prefix("sync_") {
        Some(rest) => (RequestKind::Flushes, rest),
        None => of_direction(name).map_or((RequestKind::All, name), |(rest, direction)| {
            (RequestKind::One(direction), rest)
        }),
    };
    let statistic = match name.strip_prefix("latency_")? {
        "mean" => Statistic::Mean,
        "max" => Statistic::Max,
        other => {
            let percent = other.strip_prefix('p')?.replacen('_', ".", 1);
            let percent: f64 = percent.parse().ok()?;
            (0.0..=100.0)
                .contains(&percent)
                .then_some(Statistic::Percentile(percent))?
        }
    };
    let requests = Requests {
        kind,
        section: None,
    };
    Some(Metric::Latency(requests, statistic))
}

fn unknown(name: &str) -> String {
    let counters = serde_json::to_value(Counters::default()).ok();
    let counters = counters.as_ref().and_then(|value| value.as_object());
    let counters = counters
        .into_iter()
        .flat_map(|map| map.keys().map(String::as_str));
    let others = [
        "read_iops",
        "write_iops",
        "written_bytes",
        "read_bytes",
        "energy_j",
    ];
    let names = USUAL.into_iter().chain(others).chain(counters);
    let nearest = names.min_by_key(|other| strsim::damerau_levenshtein(name, other));
    format!(
        "there is no outcome `{name}`; the nearest is `{}`. There are: {}, latencies as \
         `read_latency_p99_99_ns` or `sync_latency_max_ns`, and the drive's counters",
        nearest.unwrap_or_default(),
        USUAL.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_names() {
        for name in USUAL {
            Metric::named(name).unwrap();
        }
        let latency = |kind, statistic| {
            let requests = Requests {
                kind,
                section: None,
            };
            Metric::Latency(requests, statistic)
        };
        let percentile = |kind, percent| latency(kind, Statistic::Percentile(percent));
        for (name, metric) in [
            ("latency_p99_ns", percentile(RequestKind::All, 99.0)),
            ("latency_p99_99_ns", percentile(RequestKind::All, 99.99)),
            (
                "read_latency_p50_ns",
                percentile(RequestKind::One(Direction::Read), 50.0),
            ),
            (
                "sync_latency_max_ns",
                latency(RequestKind::Flushes, Statistic::Max),
            ),
            ("write_iops", Metric::Iops(Some(Direction::Write))),
            ("folds", Metric::Counter("folds".to_owned())),
        ] {
            assert_eq!(Metric::named(name), Ok(metric), "{name}");
        }
    }

    #[test]
    fn an_unknown_metric_names_the_nearest() {
        for (name, nearest) in [
            ("iop", "`iops`"),
            ("latency_p99", "`latency_p99_ns`"),
            ("latency_p101_ns", "no outcome"),
            ("erase", "`erases`"),
            ("pages_folde", "`pages_folded`"),
        ] {
            let message = Metric::named(name).unwrap_err();
            assert!(message.contains(nearest), "{message}");
        }
    }
}
