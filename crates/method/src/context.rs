//! The context in which a procedure measures: jobs on the target, their figures and warnings, and
//! the recorder of results.

use std::sync::Arc;

use parking_lot::Mutex;
use stend_language::recorded;
use stend_load::runner::Progress;
use stend_load::target::{Enough, JobOutcome, JobRequest, Moved, Observer, Target, TargetError};
use stend_record::load::Load;
use stend_record::review::{
    AfterRest, Point, PointOp, Results, Series, TargetKind, Text, curve_text,
};
use stend_record::size::size_text;

use crate::cost::Cost;
use crate::enough::{Ending, EndsWhen, Watch};
use crate::host::Limits;
use crate::job::{self, JobFrame};
use crate::outcome;
use crate::recorder::{Growing, Measurement, Place, Recorder};
use crate::setting::{PASS_BYTES_PER_S, Setting};

/// Time between two events of a growing curve, s.
const GROWS_EVERY_S: f64 = 10.0;

/// The context in which a procedure measures.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) recorder: &'a Recorder<'a>,
    /// Limits of the machine itself.
    pub(crate) limits: &'a Limits,
    /// Decides when a measurement may end early.
    pub(crate) ends_when: Option<EndsWhen<'a>>,
    /// True if curves are reported while they are measured.
    pub(crate) curves_grow: bool,
}

/// A curve to measure.
pub(crate) struct CurveJob<'j> {
    /// Name of the curve, `fresh`.
    pub(crate) name: &'j str,
    /// Rest before it; `None` for the first curve of a test.
    pub(crate) after: Option<AfterRest>,
    /// Name of the curve in the name of its random seed.
    pub(crate) seed_name: &'j str,
    /// Id of the test, from which the random seed derives.
    pub(crate) test: &'j str,
    pub(crate) load: &'j Load,
    /// Duration, s; `None` for one pass over the load's range.
    pub(crate) duration_s: Option<f64>,
    /// Sampling interval, ms.
    pub(crate) sample_ms: u32,
}

/// A measured curve.
pub(crate) struct MeasuredCurve {
    pub(crate) series: Series,
    pub(crate) warnings: Vec<Text>,
    /// Bytes that the job wrote.
    pub(crate) written_bytes: u64,
    title: Text,
    job_text: String,
    cost: Cost,
}

impl MeasuredCurve {
    /// Records it at these places; `results` returns the curve with results derived from it.
    pub(crate) fn record(
        self,
        recorder: &Recorder<'_>,
        places: &[Place],
        results: impl FnOnce(Series) -> Results,
    ) {
        let results = results(self.series);
        let measured = Measurement::of_job(self.title, self.job_text, self.warnings, results);
        recorder.record(places, measured, self.cost);
    }
}

impl Context<'_> {
    /// Returns the part of a measurement that is used: the most that any of these places needs.
    pub(crate) fn ending(&self, places: &[Place], curve: Option<&str>) -> Ending {
        let id = |place: &Place| self.recorder.test_id(*place);
        let most = |when: EndsWhen<'_>| places.iter().map(|place| when(id(place), curve)).max();
        self.ends_when.and_then(most).unwrap_or(Ending::Whole)
    }

    /// Returns the processor time per request, ns; `None` for a simulated target.
    fn cpu_time(&self, outcome: &JobOutcome) -> Option<f64> {
        match self.setting.kind {
            TargetKind::Simulated => None,
            _ => outcome::cpu_ns_per_request(outcome),
        }
    }

    /// Returns the job file of a load, and its seed, which derives from the name.
    pub(crate) fn job_text(
        &self,
        load: &Load,
        seed_name: &str,
        runtime_s: Option<u64>,
    ) -> (String, u64) {
        let seed = stend_base::job_seed(self.setting.seed, seed_name);
        let frame = JobFrame {
            percentiles: &self.setting.percentiles,
            runtime_s,
            seed,
            capacity_bytes: self.setting.capacity_bytes,
        };
        (job::measure(load, &frame), seed)
    }

    /// Runs a load; ends it when `watch` decides so.
    pub(crate) fn job(
        &self,
        target: &mut dyn Target,
        load: &Load,
        seed_name: &str,
        (runtime_s, sample_ms): (Option<u64>, u32),
        watch: Option<&mut Watch>,
    ) -> Result<JobOutcome, TargetError> {
        let (text, seed) = self.job_text(load, seed_name, runtime_s);
        let request = JobRequest {
            text: &text,
            seed,
            sample_ms,
        };
        let Some(watch) = watch else {
            return target.run(&request);
        };
        let every_s = watch.round_s;
        let enough = Enough {
            every_s,
            is: &mut |now| watch.look(now),
        };
        target.run_observed(&request, Observer::until(enough))
    }

    /// Runs the load of a curve and reports its growth; ends it when `watch` decides so. A real
    /// target runs it to its end, and its growth comes from the kernel's counters.
    fn growing(
        &self,
        target: &mut dyn Target,
        request: &JobRequest<'_>,
        curve: &Growing<'_>,
        block_bytes: u64,
        mut watch: Option<&mut Watch>,
    ) -> Result<JobOutcome, TargetError> {
        if target.info().kind != TargetKind::Simulated {
            return self.growing_real(target, request, curve, block_bytes);
        }
        let every_s = watch.as_ref().map_or(GROWS_EVERY_S, |watch| watch.round_s);
        let mut before = (0.0, 0);
        let mut is = |now: &Progress| {
            let passed_s = now.elapsed_s - before.0;
            if passed_s > 0.0 {
                let iops = now.requests.saturating_sub(before.1) as f64 / passed_s;
                let at = (now.elapsed_s, now.bytes);
                self.recorder.grew(curve, at, iops, false);
                before = (now.elapsed_s, now.requests);
            }
            watch.as_mut().is_some_and(|watch| watch.look(now))
        };
        let enough = Enough {
            every_s,
            is: &mut is,
        };
        target.run_observed(request, Observer::until(enough))
    }

    /// Runs the load like [`Context::growing`], on a real target.
    fn growing_real(
        &self,
        target: &mut dyn Target,
        request: &JobRequest<'_>,
        curve: &Growing<'_>,
        block_bytes: u64,
    ) -> Result<JobOutcome, TargetError> {
        let before = Mutex::new((0.0, 0));
        let moved = |now: Moved| {
            let mut before = before.lock();
            let passed_s = now.elapsed_s - before.0;
            // Often at first, then as seldom as a viewer needs it.
            if passed_s < (now.elapsed_s / 60.0).clamp(0.5, GROWS_EVERY_S) {
                return;
            }
            let requests = now.bytes.saturating_sub(before.1) as f64 / block_bytes as f64;
            let iops = requests / passed_s;
            let at = (now.elapsed_s, now.bytes);
            self.recorder.grew(curve, at, iops, true);
            *before = (now.elapsed_s, now.bytes);
        };
        let observer = Observer {
            moved: Some(&moved),
            ..Observer::default()
        };
        target.run_observed(request, observer)
    }

    /// Measures a point; ends it when `watch` decides so.
    pub(crate) fn point(
        &self,
        target: &mut dyn Target,
        load: &Load,
        seed_name: &str,
        runtime_s: u64,
        watch: Option<&mut Watch>,
    ) -> Result<(Point, JobOutcome), TargetError> {
        let outcome = self.job(target, load, seed_name, (Some(runtime_s), 0), watch)?;
        let mut point = outcome::point(load, runtime_s, self.setting.capacity_bytes, &outcome)?;
        point.cpu_ns_per_request = self.cpu_time(&outcome);
        point.power_w = outcome.power_w;
        Ok((point, outcome))
    }

    /// Runs a job to its end, or until the target refuses a request. `text` makes its file from its
    /// seed.
    pub(crate) fn until_refused(
        &self,
        target: &mut dyn Target,
        seed_name: &str,
        text: impl FnOnce(u64) -> String,
    ) -> Result<JobOutcome, TargetError> {
        let seed = stend_base::job_seed(self.setting.seed, seed_name);
        let request = JobRequest {
            text: &text(seed),
            seed,
            sample_ms: 0,
        };
        target.run_observed(&request, Observer::until_refused())
    }

    /// Runs a job that only writes `bytes` and is not measured, and counts its cost.
    pub(crate) fn write(
        &self,
        target: &mut dyn Target,
        seed_name: &str,
        (bytes, cost): (u64, Cost),
        text: impl FnOnce(u64) -> String,
    ) -> Result<(), TargetError> {
        let seed = stend_base::job_seed(self.setting.seed, seed_name);
        let request = JobRequest {
            text: &text(seed),
            seed,
            sample_ms: 0,
        };
        let step = self.recorder.begin_step();
        let done = match self.curves_grow {
            true => self.write_observed(target, &request, bytes, &|share| {
                self.recorder.advanced(step, cost, share);
            }),
            false => target.run(&request),
        };
        let done = done.and_then(|done| outcome::check_errors(&done));
        let spent = if done.is_ok() { cost } else { Cost::default() };
        self.recorder.end_step(step, spent);
        done
    }

    /// Runs a job that writes `bytes`, and reports the share that is written.
    fn write_observed(
        &self,
        target: &mut dyn Target,
        request: &JobRequest<'_>,
        bytes: u64,
        advanced: &(dyn Fn(f64) + Sync),
    ) -> Result<JobOutcome, TargetError> {
        let share = |written: u64| (written as f64 / bytes.max(1) as f64).min(1.0);
        if self.setting.kind != TargetKind::Simulated {
            let moved = |now: Moved| advanced(share(now.bytes));
            let observer = Observer {
                moved: Some(&moved),
                ..Observer::default()
            };
            return target.run_observed(request, observer);
        }
        // About a hundred times in the whole write.
        let every_s = bytes as f64 / PASS_BYTES_PER_S / 100.0;
        let enough = Enough {
            every_s: every_s.clamp(0.1, GROWS_EVERY_S),
            is: &mut |now| {
                advanced(share(now.bytes));
                false
            },
        };
        target.run_observed(request, Observer::until(enough))
    }

    /// Measures a curve for the results at these places.
    pub(crate) fn curve(
        &self,
        target: &mut dyn Target,
        places: &[Place],
        job: &CurveJob<'_>,
        mut watch: Option<Watch>,
    ) -> Result<MeasuredCurve, Arc<TargetError>> {
        let load = job.load;
        let title = recorded!("named", name = curve_text(job.name), what = load.describe());
        let shown = title.to_string();
        let runtime_s = job.duration_s.map(|s| self.setting.runtime_s(s));
        let cost = self.setting.load_cost(load, runtime_s);
        for place in places {
            self.recorder.begin(*place, &title, cost);
        }
        let seed_name = format!("{}/{}", job.test, job.seed_name);
        let outcome = match (self.curves_grow, places.first()) {
            (true, Some(place)) => {
                let (text, seed) = self.job_text(load, &seed_name, runtime_s);
                let request = JobRequest {
                    text: &text,
                    seed,
                    sample_ms: job.sample_ms,
                };
                let curve = Growing {
                    place: *place,
                    title: &shown,
                    cost,
                    length_s: runtime_s.map(|runtime_s| runtime_s as f64),
                    range_bytes: load.range_bytes(self.setting.capacity_bytes),
                };
                self.growing(target, &request, &curve, load.block_bytes, watch.as_mut())?
            }
            _ => {
                let timing = (runtime_s, job.sample_ms);
                self.job(target, load, &seed_name, timing, watch.as_mut())?
            }
        };
        let mut series = outcome::series(job.name, load, job.sample_ms, &outcome)?;
        series.after = job.after;
        series.cpu_ns_per_request = self.cpu_time(&outcome);
        series.power_w = outcome.power_w;
        if let (true, Some(place)) = (self.curves_grow, places.first()) {
            self.recorder
                .measured(*place, &shown, &for_the_eye(&series));
        }
        if runtime_s.is_none() {
            series.range_bytes = Some(load.range_bytes(self.setting.capacity_bytes));
        }
        let mut warnings = job
            .duration_s
            .map_or_else(Vec::new, |s| self.duration_warning(s));
        warnings.extend(self.region_warning(load));
        let remark = watch
            .zip(runtime_s)
            .and_then(|(watch, runtime_s)| watch.remark(&title, runtime_s));
        warnings.extend(remark.or_else(|| early_end(&series, runtime_s)));
        warnings.extend(self.limits.curve_warning(&title, load.threads, &series));
        Ok(MeasuredCurve {
            series,
            warnings,
            written_bytes: outcome::written_bytes(&outcome),
            title,
            cost,
            job_text: outcome.job_text,
        })
    }

    /// Returns a warning if a load's region is larger than the target.
    pub(crate) fn region_warning(&self, load: &Load) -> Option<Text> {
        let capacity_bytes = self.setting.capacity_bytes;
        let region = load.region_bytes.filter(|r| *r > capacity_bytes)?;
        let (unit, digits, unit_bytes) = match capacity_bytes {
            0..1_000_000 => ("KB", "10³", 1e3),
            1_000_000..1_000_000_000 => ("MB", "10⁶", 1e6),
            _ => ("GB", "10⁹", 1e9),
        };
        Some(recorded!(
            "warning-region",
            region = size_text(region),
            size = format!("{:.2} {unit}", capacity_bytes as f64 / unit_bytes),
            unit = digits
        ))
    }

    /// Returns a warning if a measurement is too short under the duration scale.
    pub(crate) fn duration_warning(&self, duration_s: f64) -> Vec<Text> {
        let scale = self.setting.scale;
        if duration_s * scale >= 1.0 {
            return Vec::new();
        }
        vec![recorded!(
            "warning-short",
            time = format!("{duration_s} s"),
            scale = scale.to_string()
        )]
    }
}

/// Averages a curve over intervals of [`GROWS_EVERY_S`], or of a sixtieth of a shorter curve.
fn for_the_eye(series: &Series) -> Vec<(f64, f64)> {
    let end_s = series.samples.last().map_or(0.0, |sample| sample.t_s);
    let every_s = (end_s / 60.0).min(GROWS_EVERY_S);
    let mut points = Vec::new();
    let (mut from, mut next_s) = (0, every_s);
    for (at, sample) in series.samples.iter().enumerate() {
        if sample.t_s >= next_s - 1e-6 || at + 1 == series.samples.len() {
            let of = &series.samples[from..=at];
            let iops = of.iter().map(|sample| sample.iops).sum::<f64>() / of.len() as f64;
            points.push((sample.t_s, iops));
            (from, next_s) = (at + 1, sample.t_s + every_s);
        }
    }
    points
}

/// Returns a warning if the samples end well before the load did.
fn early_end(series: &Series, runtime_s: Option<u64>) -> Option<Text> {
    let curve = || curve_text(&series.name);
    let last = series.samples.last();
    let Some(runtime_s) = runtime_s else {
        let range = series.range_bytes?;
        let written = last.map_or(0, |s| s.written_bytes);
        let writes = series.point.op == PointOp::Write;
        return (writes && (written as f64) < 0.95 * range as f64).then(|| {
            recorded!(
                "warning-early-end-bytes",
                curve = curve(),
                written = written,
                range = range
            )
        });
    };
    let end_s = last.map_or(0.0, |s| s.t_s);
    (end_s < 0.95 * runtime_s as f64 - 1.0).then(|| {
        recorded!(
            "warning-early-end",
            curve = curve(),
            end = format!("{end_s:.0} s"),
            planned = format!("{runtime_s} s")
        )
    })
}
