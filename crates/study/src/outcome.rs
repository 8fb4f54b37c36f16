//! Outcomes of a job, by name.

use stend_analysis::ends::end_level;
use stend_drive::Counters;
use stend_load::jobfile::Direction;
use stend_load::runner::{DirectionResult, RunResult};
use stend_load::stats::LatencyStats;
use stend_record::load::SeriesPoint;
use stend_record::review::{Sample, Series};

/// Outcomes of a job that names none.
pub(crate) const USUAL: [&str; 11] = [
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

/// Results of one job of a row.
pub(crate) struct Measured<'a> {
    pub(crate) result: &'a RunResult,
    pub(crate) sample_ms: u32,
    pub(crate) before: Counters,
    pub(crate) after: Counters,
    pub(crate) elapsed_s: f64,
    /// `None` for a model without energy figures.
    pub(crate) energy_j: Option<f64>,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Requests a second, of one direction or all.
    Iops(Option<Direction>),
    /// Bytes a second.
    Bandwidth(Option<Direction>),
    /// Bytes.
    Bytes(Direction),
    /// End level of the curve, IOPS.
    IopsEnd,
    /// Bytes written before the speed falls from its highest level.
    CacheSeen,
    /// Latency, ns.
    Latency(Of, Statistic),
    WriteAmplification,
    Elapsed,
    Energy,
    /// The rise of one of the drive's counters.
    Counter(String),
}

/// Requests whose latency is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    All,
    One(Direction),
    Flushes,
}

/// Statistics of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Statistic {
    Mean,
    Max,
    /// Percentile, percent.
    Percentile(f64),
}

/// Prefixes of outcomes of a direction.
const DIRECTIONS: [(&str, Direction); 3] = [
    ("read_", Direction::Read),
    ("write_", Direction::Write),
    ("trim_", Direction::Trim),
];

impl Outcome {
    /// Parses the name of an outcome.
    ///
    /// # Errors
    /// A message with the nearest name if there is no such outcome.
    pub(crate) fn of(name: &str) -> Result<Outcome, String> {
        fixed(name)
            .or_else(|| latency(name))
            .or_else(|| {
                let is_counter = counter(&Counters::default(), name).is_some();
                is_counter.then(|| Outcome::Counter(name.to_owned()))
            })
            .ok_or_else(|| unknown(name))
    }

    /// Returns its value; `None` if the job has none.
    pub(crate) fn value(&self, of: &Measured<'_>) -> Option<f64> {
        let seconds = of.result.measured_by_any().as_secs_f64();
        let rate = |amount: u64| (seconds > 0.0).then(|| amount as f64 / seconds);
        match self {
            Outcome::Iops(direction) => rate(sum(of.result, *direction, |d| d.latency.count())),
            Outcome::Bandwidth(direction) => rate(sum(of.result, *direction, |d| d.bytes)),
            Outcome::Bytes(direction) => Some(sum(of.result, Some(*direction), |d| d.bytes) as f64),
            Outcome::IopsEnd => end_level(&series(of)),
            Outcome::CacheSeen => first_fall(&series(of)),
            Outcome::Latency(whose, statistic) => {
                let latency = merged(of.result, *whose);
                (latency.count() > 0).then(|| match statistic {
                    Statistic::Mean => latency.mean_ns(),
                    Statistic::Max => latency.max_ns() as f64,
                    Statistic::Percentile(percent) => latency.percentile_ns(*percent) as f64,
                })
            }
            Outcome::WriteAmplification => of.after.write_amplification_since(&of.before),
            Outcome::Elapsed => Some(of.elapsed_s),
            Outcome::Energy => of.energy_j,
            Outcome::Counter(name) => {
                let rise = counter(&of.after, name)?.checked_sub(counter(&of.before, name)?)?;
                Some(rise as f64)
            }
        }
    }
}

fn fixed(name: &str) -> Option<Outcome> {
    let of = DIRECTIONS
        .iter()
        .find_map(|(begin, direction)| Some((name.strip_prefix(begin)?, *direction)));
    match of {
        Some(("iops", direction)) => return Some(Outcome::Iops(Some(direction))),
        Some(("bw_bytes_per_s", direction)) => return Some(Outcome::Bandwidth(Some(direction))),
        Some(("bytes", direction)) => return Some(Outcome::Bytes(direction)),
        _ => {}
    }
    Some(match name {
        "iops" => Outcome::Iops(None),
        "bw_bytes_per_s" => Outcome::Bandwidth(None),
        "written_bytes" => Outcome::Bytes(Direction::Write),
        "iops_end" => Outcome::IopsEnd,
        "slc_cache_seen_bytes" => Outcome::CacheSeen,
        "write_amplification" => Outcome::WriteAmplification,
        "elapsed_s" => Outcome::Elapsed,
        "energy_j" => Outcome::Energy,
        _ => return None,
    })
}

/// Parses `latency_p99_9_ns`, `read_latency_mean_ns`, `sync_latency_max_ns`.
fn latency(name: &str) -> Option<Outcome> {
    let name = name.strip_suffix("_ns")?;
    let (whose, name) = match name.strip_prefix("sync_") {
        Some(rest) => (Of::Flushes, rest),
        None => DIRECTIONS
            .iter()
            .find_map(|(begin, direction)| Some((Of::One(*direction), name.strip_prefix(begin)?)))
            .unwrap_or((Of::All, name)),
    };
    let statistic = match name.strip_prefix("latency_")? {
        "mean" => Statistic::Mean,
        "max" => Statistic::Max,
        other => {
            let percent: f64 = other
                .strip_prefix('p')?
                .replacen('_', ".", 1)
                .parse()
                .ok()?;
            (0.0..=100.0)
                .contains(&percent)
                .then_some(Statistic::Percentile(percent))?
        }
    };
    Some(Outcome::Latency(whose, statistic))
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

/// Returns a counter by its name.
fn counter(counters: &Counters, name: &str) -> Option<u64> {
    serde_json::to_value(counters).ok()?.get(name)?.as_u64()
}

fn sum(
    result: &RunResult,
    direction: Option<Direction>,
    of: impl Fn(&DirectionResult) -> u64,
) -> u64 {
    let wanted = |index: usize| direction.is_none_or(|direction| direction as usize == index);
    let jobs = result
        .jobs
        .iter()
        .flat_map(|job| job.directions.iter().enumerate());
    jobs.filter(|(index, _)| wanted(*index))
        .map(|(_, d)| of(d))
        .sum()
}

fn merged(result: &RunResult, whose: Of) -> LatencyStats {
    let mut all = LatencyStats::default();
    for job in &result.jobs {
        match whose {
            Of::All => job.directions.iter().for_each(|d| all.add(&d.latency)),
            Of::One(direction) => all.add(&job.directions[direction as usize].latency),
            Of::Flushes => all.add(&job.sync),
        }
    }
    all
}

/// Returns the samples of all jobs together.
fn series(of: &Measured<'_>) -> Series {
    let sample = |sample: &stend_load::Sample| Sample {
        t_s: sample.t_s,
        written_bytes: sample.written_bytes,
        iops: sample.read_iops + sample.write_iops,
    };
    let samples = of.result.samples.iter().map(sample).collect();
    let interval_s = f64::from(of.sample_ms) / 1e3;
    Series::of("", SeriesPoint::default(), interval_s, samples)
}

/// Number of samples averaged to a speed, so that a single slow sample is not a fall.
const TOGETHER: usize = 4;

/// Least share of the speed that is lost in a fall.
const FALL_SHARE: f64 = 0.1;

/// Returns the bytes written when the speed falls permanently below half way from its highest level
/// to that of the last quarter; `None` if the latter is less than a tenth lower.
fn first_fall(series: &Series) -> Option<f64> {
    let iops: Vec<f64> = series.samples.iter().map(|sample| sample.iops).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    if iops.len() < 2 * TOGETHER {
        return None;
    }
    let levels: Vec<f64> = iops.windows(TOGETHER).map(mean).collect();
    let (from, high) = levels
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
    let last = mean(&iops[iops.len() - iops.len().div_ceil(4)..]);
    if high - last < FALL_SHARE * high {
        return None;
    }
    let middle = (high + last) / 2.0;
    let falls = |at: &usize| {
        let next = &iops[*at..iops.len().min(at + TOGETHER)];
        iops[*at] < middle && mean(next) < middle
    };
    let at = (from..iops.len()).find(falls)?;
    let before = at
        .checked_sub(1)
        .map(|before| series.samples[before].written_bytes);
    Some(before.unwrap_or(0) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_names() {
        for name in USUAL {
            Outcome::of(name).unwrap();
        }
        let percentile = |percent| Statistic::Percentile(percent);
        for (name, outcome) in [
            (
                "latency_p99_ns",
                Outcome::Latency(Of::All, percentile(99.0)),
            ),
            (
                "latency_p99_99_ns",
                Outcome::Latency(Of::All, percentile(99.99)),
            ),
            (
                "read_latency_p50_ns",
                Outcome::Latency(Of::One(Direction::Read), percentile(50.0)),
            ),
            (
                "sync_latency_max_ns",
                Outcome::Latency(Of::Flushes, Statistic::Max),
            ),
            ("write_iops", Outcome::Iops(Some(Direction::Write))),
            ("folds", Outcome::Counter("folds".to_owned())),
        ] {
            assert_eq!(Outcome::of(name), Ok(outcome), "{name}");
        }
    }

    /// Finds the fall of a curve with these speeds and requests of one byte.
    fn fall(speeds: &[f64]) -> Option<f64> {
        let mut written_bytes = 0;
        let sample = |(at, iops): (usize, &f64)| {
            written_bytes += *iops as u64;
            Sample {
                t_s: (at + 1) as f64,
                written_bytes,
                iops: *iops,
            }
        };
        let samples = speeds.iter().enumerate().map(sample).collect();
        first_fall(&Series::of("", SeriesPoint::default(), 1.0, samples))
    }

    #[test]
    fn a_fall_is_found_where_it_lasts() {
        let mut speeds = [[100.0; 8], [50.0; 8]].concat();
        assert_eq!(fall(&speeds), Some(800.0));
        // One slow sample is not a fall.
        speeds[3] = 10.0;
        assert_eq!(fall(&speeds), Some(710.0));
        // A slow start does not hide the fall, however short the fast phase after it is.
        let slow = [vec![60.0; 6], vec![150.0; 10], vec![33.0; 40]].concat();
        assert_eq!(fall(&slow), Some(360.0 + 1500.0));
        // Curves that do not fall, fall too little, or rise.
        assert_eq!(fall(&[100.0; 16]), None);
        assert_eq!(fall(&[[100.0; 8], [95.0; 8]].concat()), None);
        assert_eq!(fall(&[[50.0; 8], [100.0; 8]].concat()), None);
        assert_eq!(fall(&[100.0; 3]), None);
    }

    #[test]
    fn an_unknown_outcome_names_the_nearest() {
        for (name, nearest) in [
            ("iop", "`iops`"),
            ("latency_p99", "`latency_p99_ns`"),
            ("latency_p101_ns", "no outcome"),
            ("erase", "`erases`"),
            ("pages_folde", "`pages_folded`"),
        ] {
            let said = Outcome::of(name).unwrap_err();
            assert!(said.contains(nearest), "{said}");
        }
    }
}
