//! Traces of a desktop's work: each is replayed from the test's start state.

use std::path::Path;

use serde::Deserialize;
use stend_config::FileError;
use stend_language::{Arg, Text, recorded};
use stend_load::stats::LatencyStats;
use stend_load::target::{ReplayOutcome, Target, TargetError};
use stend_load::trace::profile::{ReplayMode, SHIPPED, Status};
use stend_load::trace::replay::DEPTH_DEFAULT;
use stend_load::trace::{
    Beginning, Extent, Fit, Profile, ReplayOptions, Synthetic, Trace, TraceFile, summary,
};
use stend_record::review::{LatencySummary, Results, TargetKind, TestResult};
use stend_record::traces::{TraceOrigin, TraceResult, TraceTiming};
use toml::Spanned;

use crate::context::Context;
use crate::kind::{Kind, Planner, Work};
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::setting::{Action, Replay, Setting};

/// A test of traces.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// Index in [`crate::Edition::states`] of the state that each of them starts from.
    pub state: usize,
    /// Timing of the replay.
    pub timing: Timing,
    /// The traces, in their order.
    pub entries: Vec<TraceEntry>,
}

/// Timing of a test's traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// The timing of the trace's profile; for a captured trace its original times.
    #[default]
    Meant,
    /// The original times.
    Original,
    /// The original times, without the time in which nothing is outstanding if the target can skip
    /// it.
    Busy,
}

/// One trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEntry {
    /// Name in the edition.
    pub name: String,
    /// Source of its requests.
    pub source: TraceSource,
}

/// Source of a trace's requests.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceSource {
    /// A profile from which requests are synthesized.
    Profile(Box<Profile>),
    /// A file with a captured trace.
    File(TraceFile),
}

impl TraceEntry {
    /// Opens the trace. A profile's trace derives from the seed.
    fn open(&self, seed: u64) -> Box<dyn Trace + '_> {
        match &self.source {
            TraceSource::Profile(profile) => {
                let trace: Synthetic = profile.as_ref().clone().with_seed(seed);
                Box::new(trace)
            }
            TraceSource::File(file) => Box::new(file.clone()),
        }
    }

    /// Returns the title for people.
    fn title(&self) -> &str {
        match &self.source {
            TraceSource::Profile(profile) => &profile.title,
            TraceSource::File(_) => &self.name,
        }
    }
}

/// The table `[test.traces]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    state: Spanned<String>,
    traces: Spanned<Vec<Spanned<String>>>,
    timing: Option<Timing>,
}

/// Checks a test of traces: every trace is read completely.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Traces, FileError> {
    let mut entries: Vec<TraceEntry> = Vec::new();
    for place in entry.traces.get_ref() {
        let name = place.get_ref().clone();
        let source = trace_source(place, at)?;
        // A trace's name identifies its result.
        let name = match &source {
            TraceSource::Profile(profile) => profile.name.clone(),
            TraceSource::File(_) => name,
        };
        if entries.iter().any(|e| e.name == name) {
            return at.fail(place, format!("the trace `{name}` stands here twice"));
        }
        entries.push(TraceEntry { name, source });
    }
    if entries.is_empty() {
        return at.fail(&entry.traces, "at least one trace");
    }
    Ok(Traces {
        state: at.start(&entry.state)?,
        timing: entry.timing.unwrap_or_default(),
        entries,
    })
}

/// Loads a shipped profile, a profile in a file, or a file with a trace. Everything is read, so
/// that mistakes are reported before a target is touched.
fn trace_source(place: &Spanned<String>, at: &Scope<'_>) -> Result<TraceSource, FileError> {
    let name = place.get_ref().as_str();
    if let Some(profile) = Profile::shipped(name) {
        return Ok(TraceSource::Profile(Box::new(profile)));
    }
    let path = at.beside(name);
    let read = || -> Result<TraceSource, FileError> {
        if path.extension().is_some_and(|e| e == "toml") {
            return Ok(TraceSource::Profile(Box::new(Profile::read(&path)?)));
        }
        let file = TraceFile::open(&path, None)?;
        summary(&file, None)?;
        Ok(TraceSource::File(file))
    };
    let is_file = Path::new(name).components().count() > 1 || path.exists();
    if !is_file {
        let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        return at.fail(
            place,
            format!(
                "there is no trace `{name}`; there are: {}. A file of your own is named by its \
                 path",
                names.join(", ")
            ),
        );
    }
    match read() {
        Ok(source) => Ok(source),
        Err(error) => at.fail(place, error.to_string()),
    }
}

/// Returns the replay options of a test's trace on a target of this kind. fio cannot skip idle
/// time, so a real target replays at original times instead.
fn options(traces: &Traces, entry: &TraceEntry, kind: TargetKind) -> ReplayOptions {
    let meant = match &entry.source {
        TraceSource::Profile(profile) => profile.replay,
        TraceSource::File(_) => ReplayMode::Original,
    };
    let (timing, depth) = match (traces.timing, kind) {
        (Timing::Meant, _) => meant.timing(),
        (Timing::Busy, TargetKind::Simulated) => (TraceTiming::Busy, None),
        (Timing::Original | Timing::Busy, _) => (TraceTiming::Original, None),
    };
    ReplayOptions {
        timing,
        depth: depth.unwrap_or(DEPTH_DEFAULT),
        fit: Fit::Wrap,
    }
}

impl Kind for Traces {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-traces"))
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        for entry in &mut self.entries {
            match &mut entry.source {
                TraceSource::Profile(profile) => **profile = profile.scaled(by),
                TraceSource::File(_) => {
                    return Err(format!(
                        "the captured trace `{}` cannot be scaled",
                        entry.name
                    ));
                }
            }
        }
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        // Together they take long: each finished one is saved at once.
        planner.test.kept_in_parts = true;
        if let Some(earlier) = planner.earlier {
            let of_test = |warning: &&Text| {
                let of = |entry: &TraceEntry| is_of(warning, &entry.name);
                !self.entries.iter().any(of)
            };
            let warnings = earlier.warnings.iter().filter(of_test);
            planner.test.head.warnings = warnings.cloned().collect();
            planner.test.head.steady_starts = earlier.steady_starts.clone();
        }
        for entry in &self.entries {
            if let Some(measured) = measured_before(planner.earlier, entry) {
                planner.take_over(measured);
                continue;
            }
            let work = TraceWork::new(self, entry, planner.setting);
            planner.add(self.state, 1, work);
        }
    }
}

/// Returns the measurement of a trace that an earlier run finished.
fn measured_before(earlier: Option<&TestResult>, entry: &TraceEntry) -> Option<Measurement> {
    let earlier = earlier?;
    let result = earlier
        .traces()
        .iter()
        .find(|trace| trace.name == entry.name)?;
    let name = Text::from(entry.name.as_str());
    let job = earlier.jobs.iter().find(|job| job.name == name)?;
    let warnings = earlier.warnings.iter().filter(|w| is_of(w, &entry.name));
    let warnings = warnings.cloned().collect();
    Some(measurement(
        entry,
        job.text.clone(),
        warnings,
        result.clone(),
    ))
}

/// True if a warning is of this trace.
fn is_of(warning: &Text, trace: &str) -> bool {
    let name = warning.arg("name").and_then(Arg::text);
    warning.id() == Some("named") && name == Some(&Text::from(trace))
}

/// Wraps a trace's result as a measurement of its test.
fn measurement(
    entry: &TraceEntry,
    job: String,
    warnings: Vec<Text>,
    result: TraceResult,
) -> Measurement {
    let results = Results::Traces(result.into());
    Measurement::of_job(entry.name.as_str().into(), job, warnings, results)
}

/// Replays one trace.
#[derive(Debug)]
struct TraceWork {
    traces: Traces,
    entry: TraceEntry,
    /// The part to replay; `None` for all.
    extent: Option<Extent>,
    replay: Replay,
}

impl TraceWork {
    /// Plans the replay and counts its bytes: none if the trace cannot be read, an error that the
    /// replay reports.
    fn new(traces: &Traces, entry: &TraceEntry, setting: &Setting) -> TraceWork {
        let timing = options(traces, entry, setting.kind).timing;
        let opened = entry.open(setting.seed);
        let whole = summary(opened.as_ref(), None).unwrap_or_default();
        let extent = Extent::of(&whole, setting.scale, timing);
        let beginning = Beginning {
            trace: opened.as_ref(),
            extent,
        };
        let holds = summary(&beginning, None).unwrap_or_default();
        TraceWork {
            traces: traces.clone(),
            entry: entry.clone(),
            extent,
            replay: Replay {
                read_bytes: holds.bytes[0],
                written_bytes: holds.bytes[1],
                duration_s: match timing {
                    TraceTiming::Original => holds.duration.as_secs_f64(),
                    TraceTiming::Busy | TraceTiming::Fast => 0.0,
                },
            },
        }
    }
}

impl Work for TraceWork {
    fn actions(&self, _setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        see(Action::Replay(self.replay));
    }

    fn title(&self) -> Option<Text> {
        Some(self.entry.name.as_str().into())
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let (setting, entry) = (context.setting, &self.entry);
        let options = options(&self.traces, entry, setting.kind);
        let cost = setting.cost(&Action::Replay(self.replay));
        let name = Text::from(entry.name.as_str());
        context.recorder.begin(places[0], &name, cost);
        let whole = entry.open(setting.seed);
        let trace = Beginning {
            trace: whole.as_ref(),
            extent: self.extent,
        };
        let holds = summary(&trace, Some((setting.capacity_bytes, options.fit)))
            .map_err(|error: FileError| TargetError::Input(error.to_string()))?;
        let outcome = target.replay(&trace, &options).map_err(for_this_test)?;
        let result = self.summed_up(setting.seed, &options, holds.changed, &outcome)?;
        let mut warnings = outcome.warnings();
        if holds.changed > 0 {
            warnings.push(recorded!(
                "warning-moved",
                moved = holds.changed,
                all = outcome.replayed.requests(),
                size = format!("{:.2} GB", setting.capacity_bytes as f64 / 1e9)
            ));
        }
        let named = |warning| recorded!("named", name = name.clone(), what = warning);
        let warnings = warnings.into_iter().map(named).collect();
        let text = self.command(setting, &options) + &outcome.job_text;
        let measured = measurement(entry, text, warnings, result);
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}

/// Limits an error to this test: a tool that is too old for traces works for every other test.
fn for_this_test(error: TargetError) -> TargetError {
    match error {
        TargetError::ToolMissing(what) => TargetError::Failed(what),
        other => other,
    }
}

impl TraceWork {
    /// Returns the command that replays the same trace from the same state, as a comment of a job
    /// file.
    fn command(&self, setting: &Setting, options: &ReplayOptions) -> String {
        let scale = match self.extent {
            Some(_) => format!(" --duration-scale {}", setting.scale),
            None => String::new(),
        };
        format!(
            "; stend replay {} --on TARGET --seed {} --timing {} --depth {} --fit wrap{scale}\n",
            self.entry.name,
            setting.seed,
            options.timing.name(),
            options.depth
        )
    }

    /// Computes the review's result of a replay.
    fn summed_up(
        &self,
        seed: u64,
        options: &ReplayOptions,
        moved_requests: u64,
        outcome: &ReplayOutcome,
    ) -> Result<TraceResult, TargetError> {
        let (entry, replayed) = (&self.entry, &outcome.replayed);
        let busy_s = replayed.busy.as_secs_f64();
        if busy_s <= 0.0 {
            return Err(TargetError::Failed(format!(
                "{}: nothing was outstanding at any time: the trace holds no request that takes \
                 any",
                entry.name
            )));
        }
        Ok(TraceResult {
            name: entry.name.clone(),
            title: entry.title().to_owned(),
            origin: origin(&entry.source),
            timing: options.timing,
            queue_depth: options.depth,
            replayed_share: self.extent.map(|extent| extent.share()),
            requests: replayed.requests(),
            read_bytes: replayed.ops[0].bytes,
            written_bytes: replayed.ops[1].bytes,
            busy_s,
            elapsed_s: replayed.elapsed.as_secs_f64(),
            bw_bytes_per_s: replayed.moved_bytes() as f64 / busy_s,
            repeated_bw_bytes_per_s: Vec::new(),
            repeated_busy_s: Vec::new(),
            repeated_elapsed_s: Vec::new(),
            repeated_write_amplification: Vec::new(),
            iops: replayed.requests() as f64 / busy_s,
            moved_requests,
            read_latency_ns: latency(&replayed.ops[0].latency),
            write_latency_ns: latency(&replayed.ops[1].latency),
            write_amplification: outcome.write_amplification,
            limits: self.limits(seed, options, outcome),
        })
    }

    /// Returns remarks that belong beside the figures everywhere.
    fn limits(&self, seed: u64, options: &ReplayOptions, outcome: &ReplayOutcome) -> Vec<Text> {
        let mut limits = Vec::new();
        if let TraceSource::Profile(profile) = &self.entry.source {
            limits.push(profile.limit(seed));
        }
        limits.extend(self.extent.map(|extent| extent.describe()));
        if self.traces.timing == Timing::Busy && options.timing != TraceTiming::Busy {
            limits.push(recorded!("limit-original-times"));
        }
        limits.extend(outcome.limits.iter().cloned());
        limits
    }
}

fn origin(source: &TraceSource) -> TraceOrigin {
    match source {
        TraceSource::File(_) => TraceOrigin::Captured,
        TraceSource::Profile(profile) => match profile.totals.status {
            Status::Published => TraceOrigin::PublishedTotals,
            Status::Assumed => TraceOrigin::Assumed,
        },
    }
}

fn latency(stats: &LatencyStats) -> Option<LatencySummary> {
    let values = LatencySummary::PERCENTILES.map(|percent| stats.percentile_ns(percent));
    let summary = LatencySummary::new(stats.count(), stats.mean_ns(), stats.max_ns(), values);
    (stats.count() > 0).then_some(summary)
}
