//! `stend replay`: replays a trace on any target.

use std::path::Path;

use clap::ValueEnum;
use jiff::Timestamp;
use serde_json::{Value, json};
use stend_lab::RecordedKind;
use stend_lab::recorded::NewRecord;
use stend_language::counted;
use stend_load::target::{ReplayOutcome, Target};
use stend_load::trace::replay::DEPTH_DEFAULT;
use stend_load::trace::{
    Beginning, Extent, Fit, OPS, ReplayOptions, Summary, Timing, op_name, summary,
};
use stend_real::GRAIN_BYTES;
use stend_record::review::{TargetInfo, TargetKind, Text};
use stend_simulated::Access;

use super::run::{fill, save};
use super::traces::{NamedTrace, summary_json};
use crate::args::{Fill, FitArg, ReplayArgs, TimingArg};
use crate::failure::Failure;
use crate::laboratory;
use crate::open::{Named, Opened, check_on, is_simulated, open};
use crate::output::{print, print_json};
use crate::typed::{self, word};

pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    // The whole trace is parsed before a target is opened, which may create a file.
    check_on(&args.on)?;
    let lab = laboratory::path_if_any(&args.lab)?;
    let named = NamedTrace::open(&args.trace, args.seed, args.only.as_deref())?;
    let options = options(args, &named)?;
    let whole = summary(named.trace(), None)?;
    let extent = Extent::of(&whole, args.duration_scale, options.timing);
    let trace = Beginning {
        trace: named.trace(),
        extent,
    };
    // A file of this size may be created.
    if let Some(bytes) = args.on.real.size {
        summary(&trace, Some((bytes - bytes % GRAIN_BYTES, options.fit)))?;
    }
    let several = args.on.on.len() > 1;
    let mut documents = Vec::new();
    let mut ended = Ok(());
    for name in &args.on.on {
        let replayed = replay_on(
            args,
            name,
            (&named, &trace, &options),
            lab.as_deref(),
            |result| match (args.json, several) {
                (true, true) => {
                    documents.push(result.json());
                    Ok(())
                }
                (true, false) => print_json(&result.json()),
                (false, _) => print(&result.text()),
            },
        );
        if replayed.is_err() {
            ended = replayed;
            break;
        }
    }
    if !documents.is_empty() {
        print_json(&json!({ "schema": "stend.replays/1", "results": documents }))?;
    }
    ended
}

/// Replays a trace on one of the targets, and stores the result in the lab.
fn replay_on(
    args: &ReplayArgs,
    name: &str,
    (named, trace, options): (&NamedTrace, &Beginning<'_>, &ReplayOptions),
    lab: Option<&Path>,
    deliver: impl FnOnce(&ReplayResult<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let begun_unix_ms = Timestamp::now().as_millisecond();
    let on = Named {
        name,
        set: &args.on.set,
    };
    let mut opened = open(on, &args.on.real, Access::Change)?;
    let info = opened.info();
    let holds = summary(trace, Some((info.capacity_bytes, options.fit)))?;
    // Reads of a file without data do not reach the drive below it.
    let is_new = matches!(&opened, Opened::Real(target) if target.is_new());
    let target: &mut dyn Target = match &mut opened {
        Opened::Simulated(target) => &mut **target,
        Opened::Real(target) => &mut **target,
    };
    let filled = args.on.fill.or(is_new.then_some(Fill::Busy));
    if let Some(then) = filled {
        fill(target, then)?;
    }
    let mut outcome = target.replay(trace, options)?;
    outcome.limits.extend(target.silences().take_warning());
    let result = ReplayResult {
        args,
        named,
        info: &info,
        extent: trace.extent,
        holds: &holds,
        options,
        filled,
        outcome: &outcome,
    };
    deliver(&result)?;
    if let Opened::Simulated(target) = &opened {
        save(Some(target))?;
    }
    let new = NewRecord {
        label: args.marks.label.as_deref(),
        note: args.marks.note.as_deref(),
        name: &args.trace,
        seed: args.seed,
        command: &command(args, name),
        result: &result.json(),
        ..laboratory::new_record(RecordedKind::Replay, &info, begun_unix_ms)
    };
    laboratory::record(lab, &new)
}

/// The command that replays the trace again on one of the targets.
fn command(args: &ReplayArgs, target: &str) -> String {
    let mut command = format!(
        "stend replay {}{} --seed {}",
        word(&args.trace),
        typed::on(&args.on, target),
        args.seed
    );
    if let Some(timing) = args.timing.and_then(|timing| timing.to_possible_value()) {
        command += &format!(" --timing {}", timing.get_name());
    }
    if let Some(depth) = args.depth {
        command += &format!(" --depth {depth}");
    }
    if args.fit == FitArg::Wrap {
        command += " --fit wrap";
    }
    if let Some(disk) = &args.only {
        command += &format!(" --only {}", word(disk));
    }
    if args.duration_scale != 1.0 {
        command += &format!(" --duration-scale {}", args.duration_scale);
    }
    command
}

/// Timing and queue depth of the replay: from the arguments, else from the trace's profile.
fn options(args: &ReplayArgs, named: &NamedTrace) -> Result<ReplayOptions, Failure> {
    let meant = named.profile().map(|profile| profile.replay.timing());
    let (meant_timing, meant_depth) = meant.unwrap_or((Timing::Original, None));
    let timing = match args.timing {
        Some(TimingArg::Original) => Timing::Original,
        Some(TimingArg::Busy) => Timing::Busy,
        Some(TimingArg::Fast) => Timing::Fast,
        None => meant_timing,
    };
    let depth = match (args.depth, timing) {
        (Some(depth), _) => depth,
        (None, Timing::Fast) => meant_depth.ok_or_else(|| {
            Failure::Input(
                "--timing fast needs --depth N: how many requests may be outstanding".into(),
            )
        })?,
        (None, _) => DEPTH_DEFAULT,
    };
    if timing == Timing::Busy && !args.on.on.iter().all(|name| is_simulated(name)) {
        return Err(Failure::Input(
            "--timing busy is for simulated drives: fio cannot leave idle time out. Use --timing \
             original, whose busy time does not count it, or --timing fast --depth N"
                .into(),
        ));
    }
    Ok(ReplayOptions {
        timing,
        depth,
        fit: match args.fit {
            FitArg::Refuse => Fit::Refuse,
            FitArg::Wrap => Fit::Wrap,
        },
    })
}

/// All inputs of the output.
struct ReplayResult<'a> {
    args: &'a ReplayArgs,
    named: &'a NamedTrace,
    info: &'a TargetInfo,
    extent: Option<Extent>,
    /// Summary of the replayed requests.
    holds: &'a Summary,
    options: &'a ReplayOptions,
    filled: Option<Fill>,
    outcome: &'a ReplayOutcome,
}

impl ReplayResult<'_> {
    /// Remarks that accompany the figures wherever they appear.
    fn limits(&self) -> Vec<String> {
        let mut limits = Vec::new();
        if let Some(profile) = self.named.profile() {
            limits.push(profile.limit(self.args.seed).in_english());
        }
        limits.extend(self.extent.map(|extent| extent.describe().in_english()));
        if self.holds.changed > 0 {
            limits.push(format!(
                "{} moved or widened to fit the target (--fit wrap)",
                counted(self.holds.changed, "request")
            ));
        }
        if self.holds.out_of_order > 0 {
            limits.push(format!(
                "{} before an earlier one in time, taken to be of its time",
                counted(self.holds.out_of_order, "request")
            ));
        }
        limits.extend(self.outcome.limits.iter().map(Text::in_english));
        limits
    }

    fn json(&self) -> Value {
        let replayed = &self.outcome.replayed;
        let mut ops = serde_json::Map::new();
        for (op, result) in OPS.into_iter().zip(&replayed.ops) {
            let latency = &result.latency;
            let known = latency.count() > 0;
            ops.insert(
                op_name(op).to_string(),
                json!({
                    "requests": result.requests,
                    "bytes": result.bytes,
                    "latency_ns_mean": known.then(|| latency.mean_ns()),
                    "latency_ns_p50": known.then(|| latency.percentile_ns(50.0)),
                    "latency_ns_p99": known.then(|| latency.percentile_ns(99.0)),
                    "latency_ns_p99_9": known.then(|| latency.percentile_ns(99.9)),
                    "latency_ns_max": known.then(|| latency.max_ns()),
                }),
            );
        }
        let warnings = self.outcome.warnings();
        let warnings: Vec<String> = warnings.iter().map(Text::in_english).collect();
        json!({
            "schema": "stend.replay/1",
            "trace": self.named.describe(),
            "holds": summary_json(self.holds),
            "target": {
                "name": self.info.name,
                "title": self.info.title,
                "simulated": self.info.kind == TargetKind::Simulated,
                "capacity_bytes": self.info.capacity_bytes,
            },
            "timing": self.options.timing.name(),
            "depth": self.options.depth,
            "fill": self.filled.map(Fill::name),
            "seed": self.named.profile().map(|_| self.args.seed),
            "replayed_share": self.extent.map_or(1.0, |extent| extent.share()),
            "requests": replayed.requests(),
            "moved_bytes": replayed.moved_bytes(),
            "elapsed_ns": replayed.elapsed.0,
            "busy_ns": replayed.busy.0,
            "busy_periods": replayed.busy_periods,
            "left_out_ns": replayed.left_out.0,
            "busy_mb_per_s": replayed.busy_mb_per_s(),
            "late_requests": replayed.lateness.map(|late| late.requests),
            "lateness_ns_mean": replayed.lateness_ns_mean(),
            "lateness_ns_max": replayed.lateness.map(|late| late.max_ns),
            "unwritten_reads": self.outcome.unwritten_reads,
            "ops": ops,
            "warnings": warnings,
            "limits": self.limits(),
        })
    }

    fn text(&self) -> String {
        let replayed = &self.outcome.replayed;
        let mut text = format!(
            "{} on {}{}: timing {}, at most {} outstanding\n",
            self.named.trace().name(),
            self.info.name,
            match self.filled {
                None => "",
                Some(Fill::Rest) => ", filled and rested",
                Some(Fill::Busy) => ", filled, without a rest",
            },
            self.options.timing.name(),
            self.options.depth
        );
        for warning in self.outcome.warnings() {
            text += &format!("  warning: {warning}\n");
        }
        for (op, result) in OPS.into_iter().zip(&replayed.ops) {
            if result.requests == 0 {
                continue;
            }
            text += &format!(
                "  {:<6} {:>9} {:<8} {:>14} bytes",
                op_name(op),
                result.requests,
                if result.requests == 1 {
                    "request"
                } else {
                    "requests"
                },
                result.bytes
            );
            let latency = &result.latency;
            if latency.count() > 0 {
                text += &format!(
                    "; latency (us): mean {:.1}, 50 % {:.1}, 99 % {:.1}, max {:.1}",
                    latency.mean_ns() / 1e3,
                    latency.percentile_ns(50.0) as f64 / 1e3,
                    latency.percentile_ns(99.0) as f64 / 1e3,
                    latency.max_ns() as f64 / 1e3
                );
            }
            text.push('\n');
        }
        text += &format!(
            "  elapsed {:.6} s, busy {:.6} s in {}",
            replayed.elapsed.as_secs_f64(),
            replayed.busy.as_secs_f64(),
            counted(replayed.busy_periods, "period")
        );
        if replayed.left_out.0 > 0 {
            text += &format!(", idle left out {:.6} s", replayed.left_out.as_secs_f64());
        }
        text.push('\n');
        if let Some(speed) = replayed.busy_mb_per_s() {
            text += &format!("  {speed:.1} MB/s over busy time (MB of 10^6 bytes)\n");
        }
        if let (Some(late), Some(mean)) = (replayed.lateness, replayed.lateness_ns_mean()) {
            text += &format!(
                "  issued late: {}, mean {:.1} us, max {:.1} us\n",
                counted(late.requests, "request"),
                mean / 1e3,
                late.max_ns as f64 / 1e3
            );
        }
        for limit in self.limits() {
            text += &format!("  note: {limit}\n");
        }
        text
    }
}
