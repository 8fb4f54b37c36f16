//! One load sampled over time; a test of kind `continue` goes on with its target.

use std::sync::Arc;

use serde::Deserialize;
use stend_analysis::end_level;
use stend_config::FileError;
use stend_record::load::Load;
use stend_record::review::{Pattern, PointOp};
use stend_target::{Target, TargetError};
use toml::Spanned;

use crate::context::{Context, CurveJob};
use crate::enough::{Before, Watch};
use crate::kind::{Kind, Planner, Procedure, Work};
use crate::parse::Scope;
use crate::recorder::{Done, Place};
use crate::setting::{Action, Setting};
use crate::state::Step;

/// A load sampled over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the curve, `fresh`.
    pub name: String,
    /// Index in [`Edition::states`] of the state it starts from.
    pub state: usize,
    /// The load.
    pub load: Load,
    /// How long, s; `None` for a sequential load that ends when it has passed its range
    /// once.
    pub duration_s: Option<f64>,
    /// Sampling interval, ms.
    pub sample_ms: u32,
}

/// What an edition says of a test of this kind.
pub type Keys = Curve;

/// `[test.curve]`.
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

/// How long a curve lasts; `None` for one that ends with its range.
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
        _ => at.fail(
            &entry.state,
            "a curve has either `duration_s = ..` or `end = \"range\"`",
        ),
    }
}

impl Kind for Curve {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<&'static str> {
        (!self.load.only_reads()).then_some("it writes")
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let id = planner.id().to_owned();
        let fresh = planner.places(1);
        planner.add(Chain::procedure(id, self, fresh));
    }
}

/// Measures a curve and what continues it.
#[derive(Debug)]
pub(crate) struct Chain {
    /// Id of the test that the curve belongs to: it names the random seeds.
    id: String,
    curve: Curve,
    phases: Vec<Phase>,
}

/// A part of a chain.
#[derive(Debug)]
pub(crate) enum Phase {
    /// Something done to the target.
    Do(Step),
    /// The curve's load, sampled.
    Measure {
        name: String,
        /// s; `None` for one pass over the load's range.
        duration_s: Option<f64>,
        /// The fresh curve can belong to two tests.
        places: Vec<Place>,
    },
}

impl Chain {
    /// The curve alone, as a result at these places.
    pub(crate) fn procedure(id: String, curve: &Curve, fresh: Vec<Place>) -> Procedure {
        let chain = Chain {
            id,
            curve: curve.clone(),
            phases: vec![Phase::Measure {
                name: curve.name.clone(),
                duration_s: curve.duration_s,
                places: fresh.clone(),
            }],
        };
        Procedure {
            region_bytes: curve.load.region_bytes,
            ..Procedure::new(curve.state, fresh, chain)
        }
    }

    /// Whether it begins with the curve of the test of this id.
    pub(crate) fn is_of(&self, id: &str) -> bool {
        self.id == id
    }

    /// The fresh curve is a result at this place as well.
    pub(crate) fn share(&mut self, place: Place) {
        if let Some(Phase::Measure { places, .. }) = self.phases.first_mut() {
            places.push(place);
        }
    }

    /// Goes on.
    pub(crate) fn extend(&mut self, phases: Vec<Phase>) {
        self.phases.extend(phases);
    }

    /// Measures one of its curves; what the next one goes on from.
    fn measure(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        (name, duration_s, places): (&str, Option<f64>, &[Place]),
        before: Before,
    ) -> Result<Before, Arc<TargetError>> {
        let load = &self.curve.load;
        let job = CurveJob {
            name,
            test: &self.id,
            load,
            duration_s,
            sample_ms: self.curve.sample_ms,
        };
        // What ends with its range is measured to its end.
        let watch = duration_s.and_then(|_| {
            let capacity_bytes = load.range_bytes(context.setting.capacity_bytes);
            let ending = context.ending(places, Some(name));
            Watch::of_curve(load, ending, capacity_bytes, &before)
        });
        let done = context.curve(target, places, &job, watch)?;
        let next = Before {
            written_bytes: before.written_bytes + done.written_bytes,
            end_iops: before.end_iops.or_else(|| end_level(&done.series)),
        };
        done.record(context.recorder, places, |_| {});
        Ok(next)
    }
}

impl Work for Chain {
    fn actions(&self, setting: &Setting, _copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        for phase in &self.phases {
            see(match phase {
                Phase::Do(step) => Action::Step(step),
                Phase::Measure { duration_s, .. } => Action::Load {
                    load: &self.curve.load,
                    runtime_s: duration_s.map(|s| setting.runtime_s(s)),
                },
            });
        }
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, _places: &[Place]) -> Done {
        let mut before = Before::default();
        for phase in &self.phases {
            match phase {
                Phase::Do(step) => {
                    context.step(target, &self.id, step)?;
                    if *step == Step::Trim {
                        before.written_bytes = 0;
                    }
                }
                Phase::Measure {
                    name,
                    duration_s,
                    places,
                } => {
                    let curve = (name.as_str(), *duration_s, places.as_slice());
                    before = self.measure(context, target, curve, before)?;
                }
            }
        }
        Ok(())
    }
}
