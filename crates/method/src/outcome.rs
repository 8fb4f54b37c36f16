//! Converts fio's JSON to the figures of a review.

use std::collections::BTreeMap;

use stend_load::target::{JobOutcome, TargetError};
use stend_record::fio::{Direction, Latency};
use stend_record::histogram;
use stend_record::load::Load;
use stend_record::review::{
    IntervalLatency, LatencySummary, Point, PointOp, PointPart, Sample, Series, SeriesPoint,
};

/// Computes the review's point from the output of the job.
pub(crate) fn point(
    load: &Load,
    runtime_s: u64,
    capacity_bytes: u64,
    outcome: &JobOutcome,
) -> Result<Point, TargetError> {
    check_errors(outcome)?;
    let reads = Part::of(outcome, |job| &job.read);
    let writes = Part::of(outcome, |job| &job.write);
    let all = reads.clone().and(&writes);
    if all.requests() == 0 {
        return Err(TargetError::Failed(format!(
            "no request was completed in {runtime_s} s; the job's output has neither reads nor \
             writes"
        )));
    }
    let mut parts = Vec::new();
    if load.op == PointOp::Mixed {
        for (op, part) in [(PointOp::Read, &reads), (PointOp::Write, &writes)] {
            if part.requests() > 0 {
                parts.push(PointPart {
                    op,
                    iops: part.iops,
                    repeated_iops: Vec::new(),
                    bw_bytes_per_s: part.bw_bytes_per_s,
                    latency_ns: part.latency()?,
                });
            }
        }
    }
    Ok(Point {
        load: load.within(capacity_bytes),
        duration_s: runtime_s as f64,
        iops: all.iops,
        bw_bytes_per_s: all.bw_bytes_per_s,
        cpu_ns_per_request: None,
        latency_ns: all.latency()?,
        latency_histogram: all.histogram()?,
        parts,
        ..Point::default()
    })
}

/// Computes the review's curve from the output of the job.
pub(crate) fn series(
    name: &str,
    load: &Load,
    sample_ms: u32,
    outcome: &JobOutcome,
) -> Result<Series, TargetError> {
    check_errors(outcome)?;
    let part = match load.op {
        PointOp::Read => Part::of(outcome, |job| &job.read),
        _ => Part::of(outcome, |job| &job.write),
    };
    if outcome.samples.is_empty() || part.requests() == 0 {
        return Err(TargetError::Failed(format!(
            "the curve `{name}` has no samples: the target kept no log of the job"
        )));
    }
    let samples = outcome
        .samples
        .iter()
        .map(|sample| Sample {
            t_s: sample.t_s,
            written_bytes: sample.written_bytes,
            iops: match load.op {
                PointOp::Read => sample.read_iops,
                _ => sample.write_iops,
            },
        })
        .collect();
    Ok(Series {
        interval_latency: interval_latency(outcome),
        temperatures: outcome.temperatures.clone(),
        latency_ns: part.latency()?,
        latency_histogram: part.histogram()?,
        ..Series::of(
            name,
            SeriesPoint::from(load),
            f64::from(sample_ms) / 1000.0,
            samples,
        )
    })
}

/// Returns latency over time; `None` if a sample lacks it.
fn interval_latency(outcome: &JobOutcome) -> Option<IntervalLatency> {
    let of = |sample: &stend_load::Sample| sample.latency;
    let all: Option<Vec<_>> = outcome.samples.iter().map(of).collect();
    let figures = all?.into_iter().map(|l| [l.p50_ns, l.p99_ns, l.max_ns]);
    Some(IntervalLatency::of(figures))
}

/// Returns the processor time of the threads that sent the requests, per request, ns; `None` if fio
/// does not state it.
///
/// fio states shares of `job_runtime`, which is the sum over the threads of a group (`stat.c`), so
/// the product is the time of all of them.
pub(crate) fn cpu_ns_per_request(outcome: &JobOutcome) -> Option<f64> {
    let (mut cpu_ns, mut requests) = (0.0, 0);
    for job in &outcome.fio.jobs {
        let percent = |key: &str| job.other.get(key)?.as_f64();
        let used = percent("usr_cpu")? + percent("sys_cpu")?;
        cpu_ns += used / 100.0 * job.job_runtime as f64 * 1e6;
        let directions = [&job.read, &job.write, &job.trim];
        requests += directions.iter().map(|d| d.total_ios).sum::<u64>();
    }
    (requests > 0).then(|| cpu_ns / requests as f64)
}

/// Returns the bytes written by all jobs of the file.
pub(crate) fn written_bytes(outcome: &JobOutcome) -> u64 {
    outcome.fio.jobs.iter().map(|job| job.write.io_bytes).sum()
}

/// Checks that every job of the file succeeded.
pub(crate) fn check_errors(outcome: &JobOutcome) -> Result<(), TargetError> {
    match outcome.fio.jobs.iter().find(|job| job.error != 0) {
        Some(job) => Err(TargetError::Failed(format!(
            "the job `{}` ended with error {} ({})",
            job.jobname,
            job.error,
            std::io::Error::from_raw_os_error(job.error)
        ))),
        None => Ok(()),
    }
}

/// One direction, summed over all jobs of the file.
#[derive(Clone, Default)]
pub(crate) struct Part<'a> {
    /// Requests a second.
    pub(crate) iops: f64,
    /// Bytes a second.
    pub(crate) bw_bytes_per_s: f64,
    /// Distributions with at least one value.
    latencies: Vec<&'a Latency>,
}

impl<'a> Part<'a> {
    /// Sums these directions, which ran at the same time.
    pub(crate) fn of_directions(directions: impl Iterator<Item = &'a Direction>) -> Part<'a> {
        let mut part = Part::default();
        for direction in directions.filter(|direction| direction.total_ios > 0) {
            part.iops += direction.iops;
            part.bw_bytes_per_s += direction.bw_bytes as f64;
            part.latencies.push(&direction.clat_ns);
        }
        part
    }

    /// Collects these distributions, without speeds.
    pub(crate) fn of_latencies(latencies: impl Iterator<Item = &'a Latency>) -> Part<'a> {
        Part {
            latencies: latencies.filter(|latency| latency.n > 0).collect(),
            ..Part::default()
        }
    }

    fn of(
        outcome: &'a JobOutcome,
        pick: impl Fn(&'a stend_record::fio::Job) -> &'a Direction,
    ) -> Part<'a> {
        Part::of_directions(outcome.fio.jobs.iter().map(pick))
    }

    fn and(mut self, other: &Part<'a>) -> Part<'a> {
        self.iops += other.iops;
        self.bw_bytes_per_s += other.bw_bytes_per_s;
        self.latencies.extend(&other.latencies);
        self
    }

    /// Returns the number of requests.
    pub(crate) fn requests(&self) -> u64 {
        self.latencies.iter().map(|l| l.n).sum()
    }

    /// Summarizes latency. A single distribution keeps the percentiles that the target states. For
    /// several (both directions, or separately reported jobs) percentiles are computed from the sum
    /// of their histograms by fio's rule: the value of the first bin at which the count reaches the
    /// share.
    pub(crate) fn latency(&self) -> Result<LatencySummary, TargetError> {
        let used: Vec<&Latency> = self.latencies.iter().filter(|l| l.n > 0).copied().collect();
        if let [one] = used[..]
            && let Some(summary) = stated(one)
        {
            return Ok(summary);
        }
        let bins = self.bins()?.ok_or_else(|| {
            TargetError::Failed(
                "the job's output has no latency histogram (`bins`): it must be made with \
                 --output-format=json+"
                    .to_owned(),
            )
        })?;
        let count: u64 = used.iter().map(|l| l.n).sum();
        let max = used.iter().map(|l| l.max).max().unwrap_or(0);
        // A bin's value is its middle and may exceed the largest value in it.
        let at = |percent: f64| percentile(&bins, percent).min(max);
        let mean = used.iter().map(|l| l.mean * l.n as f64).sum::<f64>() / count.max(1) as f64;
        let values = LatencySummary::PERCENTILES.map(at);
        Ok(LatencySummary::new(count, mean, max, values))
    }
}

impl Part<'_> {
    /// Returns values, ns, with their counts, summed over all distributions; `None` if one of them
    /// has no histogram.
    fn bins(&self) -> Result<Option<BTreeMap<u64, u64>>, TargetError> {
        let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
        for latency in self.latencies.iter().filter(|l| l.n > 0) {
            let Some(histogram) = &latency.bins else {
                return Ok(None);
            };
            for (value, count) in histogram {
                let value: u64 = value.parse().map_err(|_| {
                    TargetError::Failed(format!(
                        "the latency histogram has a bin `{value}` that is not a number of ns"
                    ))
                })?;
                *bins.entry(value).or_default() += count;
            }
        }
        Ok(Some(bins))
    }

    fn histogram(&self) -> Result<Option<String>, TargetError> {
        Ok(self.bins()?.map(|bins| histogram::encode(&bins)))
    }
}

/// Returns the summary from stated percentiles; `None` if one is missing.
fn stated(latency: &Latency) -> Option<LatencySummary> {
    let values = LatencySummary::PERCENTILES.map(|percent| latency.at(percent));
    let all = values.iter().all(Option::is_some);
    let values = values.map(Option::unwrap_or_default);
    all.then(|| LatencySummary::new(latency.n, latency.mean, latency.max, values))
}

/// Returns the first value at which `percent` of the counts is reached; 0 for an empty histogram.
fn percentile(bins: &BTreeMap<u64, u64>, percent: f64) -> u64 {
    let total: u64 = bins.values().sum();
    // A share such as 99.999 has no exact binary form: rounding must not push the rank past a whole
    // number.
    let wanted = percent / 100.0 * total as f64 * (1.0 - 1e-12);
    let mut sum = 0;
    for (value, count) in bins {
        sum += count;
        if sum as f64 >= wanted {
            return *value;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use stend_record::fio::{Job, Output};
    use stend_record::review::Pattern;

    use super::*;

    fn direction(values: &[(u64, u64)], iops: f64, stated: bool) -> Direction {
        let n = values.iter().map(|(_, count)| count).sum();
        let sum: u64 = values.iter().map(|(value, count)| value * count).sum();
        let percentiles = ["50", "99", "99.9", "99.99", "99.999"];
        Direction {
            bw_bytes: (iops * 4096.0) as u64,
            iops,
            total_ios: n,
            clat_ns: Latency {
                max: values.iter().map(|(value, _)| *value).max().unwrap_or(0),
                mean: sum as f64 / n as f64,
                n,
                bins: Some(values.iter().map(|(v, c)| (v.to_string(), *c)).collect()),
                percentile: stated.then(|| {
                    let key = |p: &str| format!("{:.6}", p.parse::<f64>().unwrap());
                    percentiles
                        .iter()
                        .zip(771..)
                        .map(|(p, v)| (key(p), v))
                        .collect()
                }),
                ..Latency::default()
            },
            ..Direction::default()
        }
    }

    fn outcome(jobs: Vec<Job>) -> JobOutcome {
        JobOutcome {
            fio: Output {
                jobs,
                ..Output::default()
            },
            ..JobOutcome::default()
        }
    }

    fn load(op: PointOp) -> Load {
        Load {
            op,
            read_percent: 50,
            ..Load::read(Pattern::Random, 4096, 1)
        }
    }

    #[test]
    fn a_mixed_point_merges_both_histograms() {
        // 9 and 10 sort in the other order as strings.
        let job = Job {
            read: direction(&[(9, 60), (100, 30)], 90.0, true),
            write: direction(&[(10, 9), (5_000, 1)], 10.0, true),
            ..Job::default()
        };
        let point = point(&load(PointOp::Mixed), 2, 1 << 30, &outcome(vec![job])).unwrap();
        assert_eq!(point.iops, 100.0);
        assert_eq!(point.bw_bytes_per_s, 409_600.0);
        let latency = point.latency_ns;
        assert_eq!((latency.p50, latency.p99, latency.p99_9), (9, 100, 5_000));
        assert_eq!(latency.max, 5_000);
        let mean = (9.0 * 60.0 + 3_000.0 + 90.0 + 5_000.0) / 100.0;
        assert!((latency.mean - mean).abs() < 1e-9);
        assert_eq!(point.parts.len(), 2);
        // A single direction keeps the percentiles that the target states.
        let part = point.parts[0].latency_ns;
        let stated = [part.p50, part.p99, part.p99_9, part.p99_99, part.p99_999];
        assert_eq!(stated, [771, 772, 773, 774, 775]);
        assert_eq!(point.parts[1].iops, 10.0);
    }

    #[test]
    fn a_mixed_point_of_reads_only_has_one_part() {
        let job = Job {
            read: direction(&[(9, 60)], 60.0, true),
            ..Job::default()
        };
        let point = point(&load(PointOp::Mixed), 2, 1 << 30, &outcome(vec![job])).unwrap();
        assert_eq!(point.parts.len(), 1);
        assert_eq!(point.parts[0].op, PointOp::Read);
    }

    #[test]
    fn jobs_reported_one_by_one_are_added_up() {
        let job = |latency| Job {
            write: direction(&[(latency, 50)], 25.0, true),
            ..Job::default()
        };
        let point = point(
            &load(PointOp::Write),
            2,
            1 << 30,
            &outcome(vec![job(100), job(300)]),
        )
        .unwrap();
        assert_eq!(point.iops, 50.0);
        assert_eq!((point.latency_ns.p50, point.latency_ns.p99), (100, 300));
        assert_eq!(point.latency_ns.mean, 200.0);
        assert!(point.parts.is_empty());
    }

    #[test]
    fn percentiles_that_are_not_stated_are_counted() {
        let job = Job {
            read: direction(&[(10, 99_999), (20, 1)], 1.0, false),
            ..Job::default()
        };
        let point = point(&load(PointOp::Read), 2, 1 << 30, &outcome(vec![job])).unwrap();
        assert_eq!((point.latency_ns.p99_999, point.latency_ns.max), (10, 20));
    }

    #[test]
    fn time_on_processors_is_that_of_all_threads_over_all_requests() {
        let job = |usr: f64, sys: f64, runtime_ms: u64, reads: u64, writes: u64| Job {
            job_runtime: runtime_ms,
            read: direction(&[(10, reads)], 1.0, true),
            write: direction(&[(10, writes)], 1.0, true),
            other: serde_json::Map::from_iter([
                ("usr_cpu".to_owned(), usr.into()),
                ("sys_cpu".to_owned(), sys.into()),
            ]),
            ..Job::default()
        };
        // 300 ms and 100 ms over 40,000 requests.
        let two = outcome(vec![
            job(5.0, 10.0, 2_000, 10_000, 20_000),
            job(2.5, 7.5, 1_000, 10_000, 0),
        ]);
        let ns = cpu_ns_per_request(&two).unwrap();
        assert!((ns - 10_000.0).abs() < 1e-6, "{ns}");
        let silent = outcome(vec![Job::default()]);
        assert_eq!(cpu_ns_per_request(&silent), None);
        assert_eq!(cpu_ns_per_request(&outcome(Vec::new())), None);
    }

    #[test]
    fn nothing_done_and_errors_are_failures() {
        let idle = point(
            &load(PointOp::Read),
            2,
            1 << 30,
            &outcome(vec![Job::default()]),
        );
        assert!(idle.unwrap_err().to_string().contains("no request"));
        let job = Job {
            jobname: "rand".into(),
            error: 5,
            read: direction(&[(10, 1)], 1.0, true),
            ..Job::default()
        };
        let broken = point(&load(PointOp::Read), 2, 1 << 30, &outcome(vec![job]));
        let text = broken.unwrap_err().to_string();
        assert!(
            text.contains("`rand`") && text.contains("error 5"),
            "{text}"
        );
    }

    #[test]
    fn a_curve_takes_its_own_direction() {
        let job = Job {
            read: direction(&[(10, 10)], 1.0, true),
            write: direction(&[(10, 10)], 1.0, true),
            ..Job::default()
        };
        let mut outcome = outcome(vec![job]);
        let no_log = series("fresh", &load(PointOp::Write), 1000, &outcome);
        assert!(no_log.unwrap_err().to_string().contains("`fresh`"));
        outcome.samples = vec![stend_load::Sample {
            t_s: 1.0,
            read_iops: 3.0,
            write_iops: 5.0,
            written_bytes: 20_480,
            read_bytes: 0,
            latency: None,
        }];
        let curve = series("fresh", &load(PointOp::Write), 500, &outcome).unwrap();
        assert_eq!(curve.interval_s, 0.5);
        assert_eq!(curve.samples[0].iops, 5.0);
        let reads = series("fresh", &load(PointOp::Read), 500, &outcome).unwrap();
        assert_eq!(reads.samples[0].iops, 3.0);
    }
}
