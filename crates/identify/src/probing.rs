//! Jobs on a target, in the few forms that the probes need.

use std::fmt::{Display, Write};

use serde::{Deserialize, Serialize};
use stend_analysis::steps;
use stend_load::runner::Progress;
use stend_load::target::{Deletion, Enough, JobOutcome, JobRequest, Observer, Target, TargetError};
use stend_record::fio;
use stend_record::review::{Sample, Series};

/// Bytes of a logical page, which is the unit of most probes.
pub(crate) const PAGE_BYTES: u64 = 4096;

/// Bytes of the requests of sequential probes.
pub(crate) const LONG_BYTES: u64 = 128 * 1024;

/// Interval between reads that keep a drive from being idle, µs.
const AWAKE_US: u32 = 100_000;

/// A target that is probed.
pub(crate) struct Probing<'a> {
    target: &'a mut dyn Target,
    /// Number of probed bytes.
    pub capacity_bytes: u64,
    seed: u64,
    /// A copy of the target in an earlier state.
    kept: Option<Box<dyn Target>>,
    /// Returns the seconds left, if there is a limit.
    pub left_s: Option<&'a dyn Fn() -> f64>,
}

/// A load, as the options of a fio job.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    rw: &'static str,
    block_bytes: u64,
    depth: u32,
    offset_bytes: u64,
    size_bytes: u64,
    more: String,
}

/// Request times, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Mean.
    pub mean_ns: f64,
    /// 1st percentile: the time of an undisturbed request.
    pub p1_ns: u64,
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Requests.
    pub requests: u64,
    /// Requests per second.
    pub per_s: f64,
}

impl Times {
    fn of(direction: &fio::Direction) -> Times {
        // Engines that complete a request during its submission have no completion latency.
        let latency = &direction.lat_ns;
        let percentiles = [&direction.lat_ns, &direction.clat_ns];
        let at = |percentile| {
            let known = percentiles
                .iter()
                .find_map(|latency| latency.at(percentile));
            known.unwrap_or(latency.mean as u64)
        };
        Times {
            mean_ns: latency.mean,
            p1_ns: at(1.0),
            p50_ns: at(50.0),
            p99_ns: at(99.0),
            requests: latency.n,
            per_s: direction.iops,
        }
    }
}

/// Result of a job.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub reads: Times,
    pub writes: Times,
    pub read_bytes_per_s: f64,
    pub write_bytes_per_s: f64,
    /// Mean time of a flush, ns.
    pub flush_ns: Option<f64>,
}

impl Done {
    fn of(job: &fio::Job) -> Done {
        Done {
            reads: Times::of(&job.read),
            writes: Times::of(&job.write),
            read_bytes_per_s: job.read.bw_bytes as f64,
            write_bytes_per_s: job.write.bw_bytes as f64,
            flush_ns: job.sync_latency().map(|latency| latency.mean),
        }
    }
}

impl Probe {
    pub fn new(rw: &'static str, block_bytes: u64, depth: u32) -> Probe {
        Probe {
            rw,
            block_bytes,
            depth,
            offset_bytes: 0,
            size_bytes: 0,
            more: String::new(),
        }
    }

    /// Random reads of a page, one at a time.
    pub fn reads() -> Probe {
        Probe::deep_reads(1)
    }

    /// Random reads of a page, `depth` at a time.
    pub fn deep_reads(depth: u32) -> Probe {
        Probe::new("randread", PAGE_BYTES, depth).option("norandommap", 1)
    }

    /// Long requests in ascending order.
    pub fn ascending(rw: &'static str) -> Probe {
        Probe::new(rw, LONG_BYTES, 32)
    }

    /// Limits the probe to a range.
    pub fn within(self, offset_bytes: u64, size_bytes: u64) -> Probe {
        Probe {
            offset_bytes: offset_bytes / LONG_BYTES * LONG_BYTES,
            size_bytes: size_bytes / LONG_BYTES * LONG_BYTES,
            ..self
        }
    }

    /// Limits the probe to one page.
    pub fn page(self, offset_bytes: u64) -> Probe {
        Probe {
            offset_bytes,
            size_bytes: PAGE_BYTES,
            ..self
        }
    }

    pub fn option(mut self, key: &str, value: impl Display) -> Probe {
        writeln!(self.more, "{key}={value}").expect("text grows");
        self
    }

    /// Repeats the probe for `ms` milliseconds.
    pub fn for_ms(self, ms: u64) -> Probe {
        self.option("time_based", 1)
            .option("runtime", format!("{ms}ms"))
    }

    /// Limits the probe to about `bytes` bytes, in whole requests.
    pub fn bytes(self, bytes: u64) -> Probe {
        let bytes = (bytes / self.block_bytes).max(1) * self.block_bytes;
        self.option("io_size", bytes)
    }

    fn section(&self, name: &str) -> String {
        format!(
            "[{name}]\nrw={}\nbs={}\niodepth={}\noffset={}\nsize={}\n{}",
            self.rw, self.block_bytes, self.depth, self.offset_bytes, self.size_bytes, self.more
        )
    }
}

/// Options of every job.
const GLOBAL: &str = "[global]\npercentile_list=1:50:99\nlat_percentiles=1\n";

impl<'a> Probing<'a> {
    pub fn new(target: &'a mut dyn Target, capacity_bytes: u64, seed: u64) -> Probing<'a> {
        Probing {
            target,
            capacity_bytes: capacity_bytes / LONG_BYTES * LONG_BYTES,
            seed,
            kept: None,
            left_s: None,
        }
    }

    /// Seconds left; infinite without a limit.
    pub fn left_s(&self) -> f64 {
        self.left_s.map_or(f64::INFINITY, |left_s| left_s())
    }

    /// Options of every job: none runs for longer than the time left.
    fn global(&self) -> String {
        match self.left_s {
            Some(left_s) => format!("{GLOBAL}runtime={}\n", left_s().max(1.0).ceil()),
            None => GLOBAL.to_owned(),
        }
    }

    pub fn run(&mut self, probe: &Probe) -> Result<Done, TargetError> {
        Ok(self.run_all(std::slice::from_ref(probe))?[0])
    }

    /// Runs these loads at the same time, or one after the other if they have the option
    /// `stonewall`.
    pub fn run_all(&mut self, probes: &[Probe]) -> Result<Vec<Done>, TargetError> {
        let sections = probes.iter().enumerate();
        let sections = sections.map(|(index, probe)| probe.section(&format!("probe{index}")));
        let outcome = self.job(&sections.collect::<String>(), 0, Observer::default())?;
        Ok(outcome.fio.jobs.iter().map(Done::of).collect())
    }

    /// Speed of a load of writes over time.
    pub fn curve(&mut self, probe: &Probe, sample_ms: u32) -> Result<Curve, TargetError> {
        let outcome = self.job(&probe.section("probe0"), sample_ms, Observer::default())?;
        Ok(Curve::of(&outcome, probe.block_bytes, sample_ms))
    }

    /// Speed of reads over time, requests per second.
    pub fn read_curve(
        &mut self,
        probe: &Probe,
        sample_ms: u32,
    ) -> Result<Vec<Sample>, TargetError> {
        let outcome = self.job(&probe.section("probe0"), sample_ms, Observer::default())?;
        let samples = outcome.samples.iter().map(|sample| Sample {
            t_s: sample.t_s,
            written_bytes: sample.read_bytes,
            iops: sample.read_iops,
        });
        Ok(samples.collect())
    }

    /// As [`Probing::curve`], but ends when `enough` returns true for the progress.
    pub fn curve_until(
        &mut self,
        probe: &Probe,
        sample_ms: u32,
        enough: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Curve, TargetError> {
        let observer = Observer::until(Enough {
            every_s: f64::from(sample_ms) / 1e3,
            is: enough,
        });
        let outcome = self.job(&probe.section("probe"), sample_ms, observer)?;
        Ok(Curve::of(&outcome, probe.block_bytes, sample_ms))
    }

    /// Runs a job of these sections, whose names select the patterns.
    fn job(
        &mut self,
        sections: &str,
        sample_ms: u32,
        observer: Observer<'_>,
    ) -> Result<JobOutcome, TargetError> {
        let text = self.global() + sections;
        let request = JobRequest {
            text: &text,
            seed: self.seed,
            sample_ms,
        };
        self.target.run_observed(&request, observer)
    }

    /// TRIMs a range during reads; returns its duration, ns; `None` if it was not done.
    pub fn trim_beside(
        &mut self,
        probe: &Probe,
        deletion: &Deletion,
    ) -> Result<Option<u64>, TargetError> {
        let observer = Observer::of_requests(Some(deletion));
        let outcome = self.job(&probe.section("probe"), 0, observer)?;
        Ok(outcome.trimmed_ns.map(|(begun, done)| done - begun))
    }

    pub fn rest(&mut self, seconds: f64) -> Result<(), TargetError> {
        self.target.idle(seconds.min(self.left_s().max(1.0)))
    }

    pub fn trims(&self) -> bool {
        self.target.trim_supported()
    }

    pub fn trim(&mut self) -> Result<(), TargetError> {
        self.target.trim_all()
    }

    /// Runs a probe on a copy in the present state or, if the target cannot be copied, on the
    /// target.
    pub fn aside<T>(
        &mut self,
        probe: impl FnOnce(&mut Probing<'_>) -> Result<T, TargetError>,
    ) -> Result<T, TargetError> {
        match self.target.fork() {
            Some(mut copy) => probe(&mut self.of_copy(&mut *copy)),
            None => probe(self),
        }
    }

    /// Saves a copy of the target in its present state, for [`Probing::earlier`].
    pub fn keep(&mut self) {
        self.kept = self.target.fork();
    }

    /// Runs a probe on a copy of the saved target; `None` without one.
    pub fn earlier<T>(
        &mut self,
        probe: impl FnOnce(&mut Probing<'_>) -> Result<T, TargetError>,
    ) -> Result<Option<T>, TargetError> {
        let copy = self.kept.as_mut().and_then(|kept| kept.fork());
        let result = copy.map(|mut copy| probe(&mut self.of_copy(&mut *copy)));
        result.transpose()
    }

    /// Probing of a copy of the target, without a limit.
    fn of_copy<'t>(&self, copy: &'t mut dyn Target) -> Probing<'t> {
        Probing::new(copy, self.capacity_bytes, self.seed)
    }

    /// Drops the saved copy.
    pub fn forget(&mut self) {
        self.kept = None;
    }

    /// Rests; if `awake`, with reads of a page ten times a second, so that the drive has time to
    /// work, but is never idle for long.
    pub fn rest_or_wake(&mut self, seconds: f64, awake: bool) -> Result<(), TargetError> {
        if !awake {
            return self.rest(seconds);
        }
        let reads = Probe::reads().within(0, self.capacity_bytes);
        let reads = reads.for_ms((1e3 * seconds) as u64);
        self.run(&reads.option("thinktime", AWAKE_US)).map(drop)
    }

    /// True if probes can run on copies.
    pub fn copies(&self) -> bool {
        self.target.can_fork()
    }
}

/// Speed of writes over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Interval between samples, s.
    pub interval_s: f64,
    /// Bytes of a request.
    pub block_bytes: u64,
    /// Samples in chronological order.
    pub samples: Vec<Sample>,
}

/// A level of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub from_bytes: u64,
    pub to_bytes: u64,
    pub seconds: f64,
    pub bytes_per_s: f64,
}

impl Curve {
    fn of(outcome: &JobOutcome, block_bytes: u64, sample_ms: u32) -> Curve {
        let samples = outcome.samples.iter().map(|sample| Sample {
            t_s: sample.t_s,
            written_bytes: sample.written_bytes,
            iops: sample.write_iops,
        });
        Curve {
            interval_s: f64::from(sample_ms) / 1e3,
            block_bytes,
            samples: samples.collect(),
        }
    }

    /// Levels of the curve.
    pub(crate) fn stretches(&self) -> Vec<Stretch> {
        let series = Series::of(
            "",
            Default::default(),
            self.interval_s,
            self.samples.clone(),
        );
        let levels = steps(&series).into_iter().map(|level| Stretch {
            from_bytes: level.from_bytes,
            to_bytes: level.to_bytes,
            seconds: level.to_s - level.from_s,
            bytes_per_s: level.iops_mean * self.block_bytes as f64,
        });
        levels.collect()
    }

    /// Speed of the slowest level, bytes per second; infinite for an empty curve.
    pub(crate) fn slowest(&self) -> f64 {
        let stretches = self.stretches().into_iter();
        let speeds = stretches.map(|stretch| stretch.bytes_per_s);
        speeds.fold(f64::INFINITY, f64::min)
    }

    /// Total of bytes written.
    pub(crate) fn bytes(&self) -> u64 {
        self.samples.last().map_or(0, |sample| sample.written_bytes)
    }

    /// Mean speed between two numbers of bytes written, bytes per second.
    pub(crate) fn speed_between(&self, from_bytes: u64, to_bytes: u64) -> Option<f64> {
        let within = |s: &&Sample| s.written_bytes >= from_bytes && s.written_bytes <= to_bytes;
        let mut within = self.samples.iter().filter(within);
        let first = within.next()?;
        let last = within.next_back()?;
        let bytes = (last.written_bytes - first.written_bytes) as f64;
        (last.t_s > first.t_s).then(|| bytes / (last.t_s - first.t_s))
    }
}
