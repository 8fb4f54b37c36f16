//! One load sampled over time; a test of kind `continue` uses its target afterwards.

use std::sync::Arc;

use serde::Deserialize;
use stend_analysis::end_level;
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::{Target, TargetError};
use stend_record::load::Load;
use stend_record::review::{AfterRest, Pattern, PointOp, Results};
use toml::Spanned;

use crate::context::{Context, CurveJob};
use crate::enough::{Before, Watch};
use crate::kind::{Kind, Planner, Work};
use crate::parse::Scope;
use crate::recorder::{Done, Place};
use crate::scaled;
use crate::setting::{Action, Setting};
use crate::state::{ContinuationStep, Step};

/// A load sampled over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the curve, `fresh`.
    pub name: String,
    /// Index in [`Edition::states`] of the state that it starts from.
    pub state: usize,
    /// The load.
    pub load: Load,
    /// Duration, s; `None` for a sequential load that ends after one pass over its range.
    pub duration_s: Option<f64>,
    /// Sampling interval, ms.
    pub sample_ms: u32,
}

/// The table `[test.curve]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    name: String,
    op: Spanned<PointOp>,
    state: Spanned<String>,
    pattern: Pattern,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    threads: Spanned<u32>,
    region_bytes: Option<Spanned<u64>>,
    duration_s: Option<Spanned<f64>>,
    end: Option<Spanned<String>>,
    sample_ms: Spanned<u32>,
}

/// Checks a curve.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Curve, FileError> {
    let read_percent = match entry.op.get_ref() {
        PointOp::Read => 100,
        PointOp::Write => 0,
        PointOp::Mixed => {
            return at.fail(&entry.op, "a curve is of \"read\" or of \"write\"");
        }
    };
    let sample_ms = at.sample(&entry.sample_ms)?;
    let duration_s = end(&entry, at)?;
    Ok(Curve {
        state: at.start(&entry.state)?,
        load: Load {
            op: *entry.op.get_ref(),
            read_percent,
            region_bytes: at.region(entry.region_bytes.as_ref())?,
            ..at.threads_load(
                entry.pattern,
                &entry.block_bytes,
                &entry.queue_depth,
                &entry.threads,
            )?
        },
        duration_s,
        name: entry.name,
        sample_ms,
    })
}

/// The two ways to end a curve.
const EITHER: &str = "a curve has either `duration_s = ..` or `end = \"range\"`";

/// Returns the duration of a curve; `None` if it ends with its range.
fn end(entry: &Entry, at: &Scope<'_>) -> Result<Option<f64>, FileError> {
    match (&entry.duration_s, &entry.end) {
        (Some(duration_s), None) => at.duration(duration_s).map(Some),
        (None, Some(end)) => {
            if end.get_ref() != "range" {
                return at.fail(end, "the one end besides a time is \"range\"");
            }
            let one = *entry.threads.get_ref() == 1;
            if !one || !matches!(entry.pattern, Pattern::Sequential) {
                return at.fail(
                    end,
                    "only a sequential load of one thread ends with its range: name a `duration_s` \
                     instead",
                );
            }
            Ok(None)
        }
        (Some(_), Some(end)) => at.fail(end, EITHER),
        (None, None) => at.fail_key(&entry.state, "duration_s", format!("missing: {EITHER}")),
    }
}

impl Kind for Curve {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        (!self.load.only_reads()).then(|| recorded!("needs-writes"))
    }

    fn needed_blocks(&self) -> Vec<u64> {
        vec![self.load.block_bytes]
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        scaled::region(&mut self.load.region_bytes, by);
        self.duration_s.iter_mut().for_each(|s| *s /= f64::from(by));
        scaled::interval(&mut self.sample_ms, by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let id = planner.id().to_owned();
        Chain::plan(planner, id, self);
    }
}

/// Measures a curve and its continuation.
#[derive(Debug)]
pub(crate) struct Chain {
    /// Id of the test that the curve belongs to, from which random seeds derive.
    pub(crate) id: String,
    curve: Curve,
    /// True if the curve is a result of two tests: its own and the one that continues it.
    pub(crate) shared: bool,
    /// Steps after the curve.
    pub(crate) steps: Vec<ContinuationStep>,
}

impl Chain {
    /// Plans only the curve.
    pub(crate) fn plan(planner: &mut Planner<'_>, id: String, curve: &Curve) {
        let chain = Chain {
            id,
            curve: curve.clone(),
            shared: false,
            steps: Vec::new(),
        };
        planner.add(curve.state, 1, chain).region_bytes = curve.load.region_bytes;
    }

    /// Measures one of its curves; returns the state that the next one continues from.
    fn measure(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        (name, duration_s, places): (&str, Option<f64>, &[Place]),
        after: Option<AfterRest>,
        before: Before,
    ) -> Result<Before, Arc<TargetError>> {
        let load = &self.curve.load;
        let job = CurveJob {
            name,
            after,
            seed_name: name,
            test: &self.id,
            load,
            duration_s,
            sample_ms: self.curve.sample_ms,
        };
        // A curve that ends with its range is measured to its end.
        let watch = duration_s.and_then(|_| {
            let capacity_bytes = load.range_bytes(context.setting.capacity_bytes);
            let size = (capacity_bytes, context.setting.scaled_by);
            let ending = context.ending(places, Some(name));
            Watch::of_curve(load, ending, size, &before)
        });
        let done = context.curve(target, places, &job, watch)?;
        let next = Before {
            written_bytes: before.written_bytes + done.written_bytes,
            end_iops: before
                .end_iops
                .or_else(|| end_level(&done.series.clone().scaled_back(context.setting.scaled_by))),
        };
        done.record(context.recorder, places, |series| {
            Results::Curve(vec![series])
        });
        Ok(next)
    }
}

impl Work for Chain {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        let load = |duration_s: Option<f64>| Action::Load {
            load: &self.curve.load,
            runtime_s: duration_s.map(|s| setting.runtime_s(s)),
        };
        see(load(self.curve.duration_s));
        for step in &self.steps {
            see(match step {
                ContinuationStep::Do(step) => Action::Step(step),
                ContinuationStep::Measure { duration_s, .. } => load(Some(*duration_s)),
            });
        }
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let (fresh, mut later) = places.split_at(1 + usize::from(self.shared));
        let curve = (self.curve.name.as_str(), self.curve.duration_s, fresh);
        let mut before = self.measure(context, target, curve, None, Before::default())?;
        let mut after = AfterRest::default();
        for step in &self.steps {
            match step {
                ContinuationStep::Do(step) => {
                    context.step(target, &self.id, step)?;
                    match step {
                        Step::Trim => (before.written_bytes, after.trim) = (0, true),
                        Step::Idle { duration_s } => after.idle_s += duration_s,
                        _ => {}
                    }
                }
                ContinuationStep::Measure { name, duration_s } => {
                    let (place, rest) = later.split_at(1);
                    later = rest;
                    let curve = (name.as_str(), Some(*duration_s), place);
                    let after = Some(std::mem::take(&mut after));
                    before = self.measure(context, target, curve, after, before)?;
                }
            }
        }
        Ok(())
    }
}
