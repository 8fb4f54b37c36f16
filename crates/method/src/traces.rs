//! Traces of a desktop's work: each is replayed from the state of its test.

use std::sync::Arc;

use stend_load::stats::LatencyStats;
use stend_load::trace::profile::{ReplayMode, Status};
use stend_load::trace::replay::DEPTH_DEFAULT;
use stend_load::trace::{Fit, ReplayOptions, Timing, TraceError, summary};
use stend_record::review::{JobText, LatencySummary, TargetKind};
use stend_record::traces::{TraceOrigin, TraceResult, TraceTiming};
use stend_target::{ReplayOutcome, Target, TargetError};

use crate::edition::traces::{Timing as Wanted, TraceEntry, TraceSource, Traces};
use crate::plan::{Action, Dest, Plan, Replay};
use crate::recorder::{Measured, Shot};
use crate::run::Runner;

/// How a trace of a test is replayed on a target of this kind. fio cannot leave idle time
/// out: on a real target original times take that place.
pub(crate) fn options(traces: &Traces, entry: &TraceEntry, kind: TargetKind) -> ReplayOptions {
    let meant = match &entry.source {
        TraceSource::Profile(profile) => profile.replay,
        TraceSource::File(_) => ReplayMode::Original,
    };
    let (timing, depth) = match (traces.timing, kind) {
        (Wanted::Meant, _) => meant.timing(),
        (Wanted::Busy, TargetKind::Simulated) => (Timing::Busy, None),
        (Wanted::Original | Wanted::Busy, _) => (Timing::Original, None),
    };
    ReplayOptions {
        timing,
        depth: depth.unwrap_or(DEPTH_DEFAULT),
        fit: Fit::Wrap,
    }
}

impl Runner<'_> {
    /// Replays one trace.
    pub(crate) fn trace(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        traces: &Traces,
        entry: &TraceEntry,
        asks: Replay,
    ) -> Result<(), Arc<TargetError>> {
        let plan = self.plan;
        let options = options(traces, entry, plan.kind);
        self.recorder.begin(dest, &entry.name, None);
        let trace = entry.open(plan.seed);
        let holds = summary(trace.as_ref(), Some((plan.capacity_bytes, options.fit)))
            .map_err(|error: TraceError| TargetError::Input(error.to_string()))?;
        let outcome = target
            .replay(trace.as_ref(), &options)
            .map_err(for_this_test)?;
        let result = summed_up(plan, traces, entry, &options, holds.changed, &outcome)?;
        let mut warnings = Vec::new();
        if holds.changed > 0 {
            warnings.push(format!(
                "{}: {} of {} requests were moved or widened to fit the target of {:.2} GB (10⁹ bytes)",
                entry.name,
                holds.changed,
                outcome.replayed.requests(),
                plan.capacity_bytes as f64 / 1e9
            ));
        }
        let shot = Shot {
            name: entry.name.clone(),
            measured: Measured::Trace(Box::new(result)),
            jobs: vec![JobText {
                name: entry.name.clone(),
                text: command(plan, entry, &options) + &outcome.job_text,
            }],
            warnings,
        };
        let cost = plan.cost(&Action::Replay(asks));
        self.recorder.record(&[dest], shot, cost);
        Ok(())
    }
}

/// A tool that is too old for traces does for every other test: their failure is this
/// test's alone.
fn for_this_test(error: TargetError) -> TargetError {
    match error {
        TargetError::ToolMissing(what) => TargetError::Failed(what),
        other => other,
    }
}

/// The command that does the same from the same state, as a comment of a job file.
fn command(plan: &Plan<'_>, entry: &TraceEntry, options: &ReplayOptions) -> String {
    format!(
        "; stend replay {} --on TARGET --seed {} --timing {} --depth {} --fit wrap\n",
        entry.name,
        plan.seed,
        options.timing.name(),
        options.depth
    )
}

/// The review's result of a replay.
fn summed_up(
    plan: &Plan<'_>,
    traces: &Traces,
    entry: &TraceEntry,
    options: &ReplayOptions,
    moved_requests: u64,
    outcome: &ReplayOutcome,
) -> Result<TraceResult, TargetError> {
    let replayed = &outcome.replayed;
    let busy_s = replayed.busy.as_secs_f64();
    if busy_s <= 0.0 {
        return Err(TargetError::Failed(format!(
            "{}: nothing was outstanding at any time: the trace holds no request that takes any",
            entry.name
        )));
    }
    let mut limits = Vec::new();
    if let TraceSource::Profile(profile) = &entry.source {
        limits.push(format!(
            "synthesised desktop trace, seed {}: totals {}, structure {}",
            plan.seed,
            profile.totals.status.name(),
            profile.structure
        ));
    }
    if traces.timing == Wanted::Busy && options.timing != Timing::Busy {
        limits.push(
            "replayed at original times: fio cannot leave idle time out; busy time does not count it"
                .to_owned(),
        );
    }
    limits.extend(outcome.limits.iter().cloned());
    Ok(TraceResult {
        name: entry.name.clone(),
        title: entry.title().to_owned(),
        origin: origin(&entry.source),
        timing: match options.timing {
            Timing::Original => TraceTiming::Original,
            Timing::Busy => TraceTiming::Busy,
            Timing::Fast => TraceTiming::Fast,
        },
        queue_depth: options.depth,
        requests: replayed.requests(),
        read_bytes: replayed.ops[0].bytes,
        written_bytes: replayed.ops[1].bytes,
        busy_s,
        elapsed_s: replayed.elapsed.as_secs_f64(),
        bw_bytes_per_s: replayed.moved_bytes() as f64 / busy_s,
        iops: replayed.requests() as f64 / busy_s,
        moved_requests,
        read_latency_ns: latency(&replayed.ops[0].latency),
        write_latency_ns: latency(&replayed.ops[1].latency),
        write_amplification: outcome.write_amplification,
        limits,
    })
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
    (stats.count() > 0).then(|| LatencySummary {
        mean: stats.mean_ns(),
        p50: stats.percentile_ns(50.0),
        p99: stats.percentile_ns(99.0),
        p99_9: stats.percentile_ns(99.9),
        p99_99: stats.percentile_ns(99.99),
        p99_999: stats.percentile_ns(99.999),
        max: stats.max_ns(),
    })
}
