//! Limits of a real target's machine, and the drive's SMART data around the tests.

use stend_language::recorded;
use stend_load::target::{HostLimit, Target};
use stend_record::review::{Condition, Review, Series, Text};
use stend_record::smart::BeforeAfter;

/// Request sizes, bytes: one with the most requests a second, and one with many bytes.
const SMALL_BYTES: u64 = 4096;
const LARGE_BYTES: u64 = 131_072;

/// Share of the host's limit from which the host may have limited a figure.
const NEAR_SHARE: f64 = 0.9;

/// Limits of the host without a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Limits {
    /// Limits of small requests by number of threads, ascending; then of large ones with the most
    /// threads.
    found: Vec<HostLimit>,
    /// Reason why limits are missing.
    missing: Option<String>,
}

impl Limits {
    /// Measures the limits for each number of threads of the loads to be measured, for a second
    /// each; nothing for a simulated target or without a load.
    pub(crate) fn measured(target: &mut dyn Target, mut threads: Vec<u32>) -> Limits {
        threads.sort_unstable();
        threads.dedup();
        let mut limits = Limits::default();
        let small = threads.iter().map(|&n| (n, SMALL_BYTES));
        let large = threads.last().map(|&n| (n, LARGE_BYTES));
        for (threads, block_bytes) in small.chain(large) {
            match target.host_limit(threads, block_bytes) {
                None => break,
                Some(Ok(limit)) => limits.found.push(limit),
                Some(Err(why)) => {
                    limits.missing = Some(why);
                    break;
                }
            }
        }
        limits
    }

    /// Returns the limits as a condition of the environment.
    pub(crate) fn conditions(&self) -> Option<Condition> {
        let missing = self.missing.as_deref();
        let missing = missing.map(|why| recorded!("not-measured", why = why));
        let limits: Vec<Text> = self.found.iter().map(limit_text).chain(missing).collect();
        (!limits.is_empty()).then(|| {
            let limits = Text::list("; ", limits);
            Condition::new("host-limit", recorded!("value-host-limit", limits = limits))
        })
    }

    /// Returns a warning if the host may have limited a figure of `threads` threads.
    pub(crate) fn warning(
        &self,
        name: &Text,
        threads: u32,
        (iops, bw_bytes_per_s): (f64, f64),
    ) -> Option<Text> {
        let near = self.near(threads, iops, bw_bytes_per_s)?;
        let what = recorded!("named", name = name.clone(), what = near);
        Some(warning_text(what, threads))
    }

    /// Returns a warning if the host may have limited samples of a curve.
    pub(crate) fn curve_warning(&self, name: &Text, threads: u32, series: &Series) -> Option<Text> {
        let block_bytes = series.point.block_bytes as f64;
        let near = |iops: f64| self.near(threads, iops, iops * block_bytes);
        let speeds = || series.samples.iter().map(|sample| sample.iops);
        let of = near(speeds().fold(0.0, f64::max))?;
        let count = speeds().filter(|iops| near(*iops).is_some()).count();
        let all = series.samples.len();
        let samples = recorded!("piece-samples", count = count, all = all);
        let name = Text::list(", ", [name.clone(), samples]);
        let what = recorded!("named", name = name, what = of);
        Some(warning_text(what, threads))
    }

    fn near(&self, threads: u32, iops: f64, bw_bytes_per_s: f64) -> Option<Text> {
        let small = self
            .found
            .iter()
            .find(|limit| limit.threads == threads && limit.block_bytes == SMALL_BYTES);
        let large = self
            .found
            .iter()
            .find(|limit| limit.block_bytes == LARGE_BYTES);
        let near = |figure: f64, limit: f64| figure >= NEAR_SHARE * limit;
        match (small, large) {
            (Some(limit), _) if near(iops, limit.iops) => Some(recorded!(
                "near-iops",
                iops = format!("{iops:.0}"),
                limit = format!("{:.0}", limit.iops)
            )),
            (_, Some(limit)) if near(bw_bytes_per_s, limit.bw_bytes_per_s) => Some(recorded!(
                "near-speed",
                speed = format!("{:.1}", bw_bytes_per_s / 1e6),
                limit = format!("{:.1}", limit.bw_bytes_per_s / 1e6)
            )),
            _ => None,
        }
    }
}

fn warning_text(what: Text, threads: u32) -> Text {
    let threads = recorded!("piece-threads", threads = threads);
    recorded!("warning-host", what = what, threads = threads)
}

fn limit_text(limit: &HostLimit) -> Text {
    let limit_itself = recorded!(
        "host-limit",
        kib = limit.block_bytes / 1024,
        depth = limit.queue_depth,
        threads = limit.threads,
        iops = limit.iops.round() as u64,
        speed = format!("{:.1}", limit.bw_bytes_per_s / 1e6)
    );
    match limit.busy_share {
        None => limit_itself,
        Some(share) => {
            let share = format!("{:.0}", 100.0 * share);
            recorded!("host-limit-busy", limit = limit_itself, share = share)
        }
    }
}

/// Reads the drive's SMART data before the tests; a resumed run keeps those of the first run.
pub(crate) fn smart_before(
    target: &mut dyn Target,
    earlier: Option<&Review>,
) -> Option<BeforeAfter> {
    let kept = earlier.and_then(|review| review.smart.clone()?.before);
    let (before, missing) = match kept {
        Some(before) => (Some(before), None),
        None => match target.smart_reading()? {
            Ok(before) => (Some(before), None),
            Err(why) => (None, Some(why)),
        },
    };
    Some(BeforeAfter {
        before,
        missing,
        ..BeforeAfter::default()
    })
}

/// Reads the drive's SMART data after the tests.
pub(crate) fn smart_after(target: &mut dyn Target, review: &mut Review) {
    let Some(smart) = &mut review.smart else {
        return;
    };
    match target.smart_reading() {
        Some(Ok(reading)) => smart.after = Some(reading),
        Some(Err(why)) => {
            smart.missing.get_or_insert(why);
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use stend_record::review::{Sample, SeriesPoint};

    use super::*;

    fn limit(threads: u32, block_bytes: u64, iops: f64) -> HostLimit {
        HostLimit {
            threads,
            queue_depth: 32,
            block_bytes,
            iops,
            bw_bytes_per_s: iops * block_bytes as f64,
            busy_share: Some(0.5),
        }
    }

    #[test]
    fn a_figure_near_the_limit_of_as_many_threads_is_flagged() {
        let limits = Limits {
            found: vec![
                limit(1, 4096, 1000.0),
                limit(4, 4096, 4000.0),
                limit(4, 131_072, 200.0),
            ],
            missing: None,
        };
        let flagged = |threads, block: u64, iops: f64| {
            limits.warning(&"x".into(), threads, (iops, iops * block as f64))
        };
        let text = flagged(1, 4096, 900.0).unwrap();
        assert!(
            text.in_english().contains("900 IOPS are near the 1000"),
            "{text}"
        );
        assert!(
            text.in_english()
                .contains("the host's limit, not the drive's"),
            "{text}"
        );
        assert_eq!(flagged(1, 4096, 899.0), None);
        assert_eq!(flagged(4, 4096, 899.0), None);
        assert!(flagged(4, 4096, 3600.0).is_some());
        let text = flagged(4, 262_144, 95.0).unwrap();
        assert!(
            text.in_english().contains("24.9 MB/s are near the 26.2"),
            "{text}"
        );
        assert_eq!(flagged(4, 262_144, 80.0), None);
        assert_eq!(Limits::default().warning(&"x".into(), 1, (1e9, 1e9)), None);
    }

    #[test]
    fn of_a_curve_the_samples_near_the_limit_are_counted() {
        let limits = Limits {
            found: vec![limit(1, 4096, 1000.0), limit(1, 131_072, 200.0)],
            missing: None,
        };
        let flagged = |block_bytes, speeds: &[f64]| {
            let samples = speeds.iter().map(|iops| Sample {
                t_s: 0.0,
                written_bytes: 0,
                iops: *iops,
            });
            let point = SeriesPoint {
                block_bytes,
                ..SeriesPoint::default()
            };
            let series = Series::of("fresh", point, 1.0, samples.collect());
            limits.curve_warning(&"x".into(), 1, &series)
        };
        let text = flagged(4096, &[950.0, 899.0, 900.0, 10.0]).unwrap();
        assert!(
            text.in_english()
                .starts_with("x, 2 of 4 samples: 950 IOPS are near the 1000"),
            "{text}"
        );
        assert_eq!(flagged(4096, &[899.0, 10.0]), None);
        assert!(
            flagged(262_144, &[95.0])
                .unwrap()
                .in_english()
                .contains("MB/s")
        );
        assert_eq!(flagged(4096, &[]), None);
    }
}
