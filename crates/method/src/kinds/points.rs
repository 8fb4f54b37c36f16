//! Points over one or more parameters, each measured separately.

use serde::Deserialize;
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::Target;
use stend_record::load::Load;
use stend_record::review::{Pattern, PointOp, Results};
use toml::Spanned;

use crate::context::Context;
use crate::enough::Watch;
use crate::kind::{Kind, Planner, Work};
use crate::parse::Scope;
use crate::recorder::{Done, Measurement, Place};
use crate::scaled;
use crate::setting::{Action, Setting};

/// Points over one or more parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Index in [`Edition::states`] of the state that every point starts from.
    pub state: usize,
    /// The loads, in their order.
    pub loads: Vec<Load>,
    /// Duration of a point, s.
    pub duration_s: f64,
}

/// Keys of a test of this kind.
pub type Points = Vec<Sweep>;

/// The tables `[[test.sweep]]`, any number of them.
pub(crate) type Entry = Vec<SweepEntry>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepEntry {
    op: PointOp,
    state: Spanned<String>,
    pattern: Pattern,
    block_bytes: Spanned<Vec<u64>>,
    queue_depth: Spanned<Vec<u32>>,
    threads: Spanned<u32>,
    read_percent: Option<Spanned<Vec<u32>>>,
    region_bytes: Option<Spanned<u64>>,
    duration_s: Spanned<f64>,
}

/// Checks the sweeps of a test.
pub(crate) fn parse(entries: Entry, at: &Scope<'_>) -> Result<Vec<Sweep>, FileError> {
    let mut sweeps: Vec<Sweep> = Vec::new();
    for entry in &entries {
        let sweep = sweep(entry, at)?;
        // A point's random seed derives from its load: a load named twice would be the same
        // measurement twice.
        let known = sweeps.iter().flat_map(|s| &s.loads);
        for (i, load) in sweep.loads.iter().enumerate() {
            if known.clone().chain(&sweep.loads[..i]).any(|l| l == load) {
                let problem = format!("the point `{}` stands here twice", load.describe());
                return at.fail(at.id, problem);
            }
        }
        sweeps.push(sweep);
    }
    Ok(sweeps)
}

/// Returns the loads of a sweep, within the edition's region if it names none of its own.
fn sweep(entry: &SweepEntry, at: &Scope<'_>) -> Result<Sweep, FileError> {
    let region_bytes = at.region(entry.region_bytes.as_ref())?.or(at.region_bytes);
    let shares = shares(entry, at)?;
    if entry.block_bytes.get_ref().is_empty() {
        return at.fail(&entry.block_bytes, "at least one block size");
    }
    if entry.queue_depth.get_ref().is_empty() {
        return at.fail(&entry.queue_depth, "at least one queue depth");
    }
    let threads = at.count(&entry.threads, *entry.threads.get_ref())?;
    let mut loads = Vec::new();
    for &block in entry.block_bytes.get_ref() {
        for &depth in entry.queue_depth.get_ref() {
            for &read_percent in &shares {
                loads.push(Load {
                    op: entry.op,
                    pattern: entry.pattern,
                    block_bytes: at.block(&entry.block_bytes, block)?,
                    queue_depth: at.count(&entry.queue_depth, depth)?,
                    threads,
                    read_percent,
                    region_bytes,
                });
            }
        }
    }
    Ok(Sweep {
        state: at.start(&entry.state)?,
        loads,
        duration_s: at.duration(&entry.duration_s)?,
    })
}

/// Returns the shares of reads of a sweep.
fn shares(entry: &SweepEntry, at: &Scope<'_>) -> Result<Vec<u32>, FileError> {
    Ok(match (entry.op, &entry.read_percent) {
        (PointOp::Read, None) => vec![100],
        (PointOp::Write, None) => vec![0],
        (PointOp::Mixed, Some(shares)) => {
            if shares.get_ref().is_empty() || shares.get_ref().iter().any(|p| *p > 100) {
                return at.fail(shares, "shares of reads, from 0 to 100 percent");
            }
            shares.get_ref().clone()
        }
        (PointOp::Mixed, None) => {
            return at.fail_key(
                &entry.state,
                "read_percent",
                "missing: a sweep with op = \"mixed\" needs `read_percent = [..]`",
            );
        }
        (_, Some(shares)) => {
            return at.fail(
                shares,
                "only a sweep with op = \"mixed\" has a share of reads",
            );
        }
    })
}

impl Kind for Vec<Sweep> {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        self.iter_mut().map(|s| &mut s.state).collect()
    }

    fn needs_writes(&self) -> Option<Text> {
        let mut loads = self.iter().flat_map(|sweep| &sweep.loads);
        let all_write = !loads.any(Load::only_reads);
        all_write.then(|| recorded!("needs-writing-points"))
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        for sweep in self {
            sweep.duration_s /= f64::from(by);
            let loads = sweep.loads.iter_mut();
            loads.for_each(|load| scaled::region(&mut load.region_bytes, by));
        }
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let (mut writing, mut unwanted) = (0, 0);
        for sweep in self {
            for load in &sweep.loads {
                if planner.setting.read_only && !load.only_reads() {
                    writing += 1;
                    continue;
                }
                let wanted = planner.wanted;
                if wanted.is_some_and(|wanted| !wanted(planner.id(), &load.without_region())) {
                    unwanted += 1;
                    continue;
                }
                if !planner.takes(load.block_bytes) {
                    continue;
                }
                let made = !planner.setting.read_only;
                let point = PlannedPoint {
                    state: made.then(|| planner.states[sweep.state].id.clone()),
                    load: *load,
                    duration_s: sweep.duration_s,
                };
                planner.add(sweep.state, 1, point).region_bytes = load.region_bytes;
            }
        }
        if writing > 0 {
            planner.remark(left_out(writing));
        }
        if unwanted > 0 {
            planner.test.head.left_out_points = unwanted;
            let there = planner.test.slots;
            planner.remark(recorded!(
                "warning-part",
                there = there,
                all = there + unwanted as usize
            ));
        }
    }
}

/// Returns the remark on a test without the points that write.
fn left_out(points: usize) -> Text {
    match points {
        1 => recorded!("warning-left-out-point"),
        points => recorded!("warning-left-out-points", points = points),
    }
}

/// A point to measure.
#[derive(Debug)]
struct PlannedPoint {
    /// Id of the state that it starts from.
    state: Option<String>,
    load: Load,
    duration_s: f64,
}

impl Work for PlannedPoint {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        see(Action::Load {
            load: &self.load,
            runtime_s: Some(setting.runtime_s(self.duration_s)),
        });
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let (setting, load) = (context.setting, &self.load);
        let seed_name = format!("{}/{}", context.recorder.test_id(places[0]), load.slug());
        let name = load.within(setting.capacity_bytes).describe();
        let runtime_s = setting.runtime_s(self.duration_s);
        let cost = setting.load_cost(load, Some(runtime_s));
        context.recorder.begin(places[0], &name, cost);
        let ending = context.ending(places, None);
        let mut watch = Watch::of_point(load, ending, runtime_s);
        let (mut point, outcome) =
            context.point(target, load, &seed_name, runtime_s, watch.as_mut())?;
        point.state.clone_from(&self.state);
        let mut warnings = context.duration_warning(self.duration_s);
        warnings.extend(context.region_warning(load));
        let speed = (point.iops, point.bw_bytes_per_s);
        warnings.extend(context.limits.warning(&name, load.threads, speed));
        warnings.extend(watch.and_then(|watch| watch.remark(&name, runtime_s)));
        let results = Results::Points(vec![point]);
        let measured = Measurement::of_job(name, outcome.job_text, warnings, results);
        context.recorder.record(places, measured, cost);
        Ok(())
    }
}
