//! The recovery ladder: a load until the target is slow, then the same load after rests of
//! different length, each from the same slow state.

use std::sync::Arc;

use serde::Deserialize;
use stend_analysis::{end_level, recovery};
use stend_config::FileError;
use stend_language::{Text, recorded};
use stend_load::target::{Target, TargetError};
use stend_record::load::Load;
use stend_record::review::{
    AfterRest, Ladder as Measured, Pattern, Results, Rung, curve_text, rest_name,
};
use toml::Spanned;

use crate::context::{Context, CurveJob, MeasuredCurve};
use crate::kind::{Kind, Planner, Work};
use crate::outcome;
use crate::parse::{Scope, YEAR_S};
use crate::recorder::{Done, Place};
use crate::scaled;
use crate::setting::{Action, Setting};
use crate::state::Step;

/// A load until the target is slow, then the same load after rests of different length, each from
/// the same slow state.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Index in [`Edition::states`](crate::Edition::states) of the state that it starts from.
    pub state: usize,
    /// The load, which writes.
    pub load: Load,
    /// Duration of the load until the target is slow, s.
    pub degrade_s: f64,
    /// The rests, s, ascending.
    pub idle_s: Vec<f64>,
    /// One entry for each series of all rests: true if TRIM of the whole capacity precedes each.
    pub trim: Vec<bool>,
    /// Duration of the load after a rest, s.
    pub measure_s: f64,
    /// Duration of the load before each further rest of a target that cannot be copied, s.
    pub again_s: f64,
    /// Sampling interval, ms.
    pub sample_ms: u32,
}

impl Ladder {
    /// Returns the rungs in their order: true if TRIM precedes the rest, and its length, s.
    fn rungs(&self) -> impl Iterator<Item = (bool, f64)> + '_ {
        self.trim
            .iter()
            .flat_map(|trim| self.idle_s.iter().map(|idle_s| (*trim, *idle_s)))
    }

    /// Returns the duration of the load after a rung until a target that cannot be copied is slow
    /// again, s. After TRIM all space is free, so it takes as long as the first time.
    fn restore_s(&self, after_trim: bool) -> f64 {
        match after_trim {
            true => self.degrade_s,
            false => self.again_s,
        }
    }
}

/// The table `[test.ladder]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    state: Spanned<String>,
    pattern: Pattern,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    degrade_s: Spanned<f64>,
    idle_s: Spanned<Vec<f64>>,
    trim: Spanned<Vec<bool>>,
    measure_s: Spanned<f64>,
    again_s: Spanned<f64>,
    sample_ms: Spanned<u32>,
}

/// Checks a recovery ladder.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Ladder, FileError> {
    let rests = entry.idle_s.get_ref();
    let possible = |s: &f64| *s > 0.0 && *s <= YEAR_S;
    if rests.is_empty() || !rests.iter().all(possible) || !rests.is_sorted_by(|a, b| a < b) {
        return at.fail(
            &entry.idle_s,
            "at least one rest; rests are longer than 0 s, at most a year, and ascend",
        );
    }
    if !matches!(
        entry.trim.get_ref()[..],
        [_] | [false, true] | [true, false]
    ) {
        return at.fail(
            &entry.trim,
            "`[false]`, `[true]`, or both in either order: whether TRIM goes before a rest",
        );
    }
    Ok(Ladder {
        state: at.start(&entry.state)?,
        load: at.write_load(entry.pattern, &entry.block_bytes, &entry.queue_depth)?,
        degrade_s: at.duration(&entry.degrade_s)?,
        idle_s: rests.clone(),
        trim: entry.trim.get_ref().clone(),
        measure_s: at.duration(&entry.measure_s)?,
        again_s: at.duration(&entry.again_s)?,
        sample_ms: at.sample(&entry.sample_ms)?,
    })
}

impl Kind for Ladder {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        vec![&mut self.state]
    }

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-writes"))
    }

    fn needs_trim(&self) -> Option<Text> {
        let trims = self.trim.contains(&true);
        trims.then(|| recorded!("needs-trim-and-rests"))
    }

    fn needed_blocks(&self) -> Vec<u64> {
        vec![self.load.block_bytes]
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        scaled::region(&mut self.load.region_bytes, by);
        let rests = self.idle_s.iter_mut();
        let times = [&mut self.degrade_s, &mut self.measure_s, &mut self.again_s];
        rests.chain(times).for_each(|s| *s /= f64::from(by));
        scaled::interval(&mut self.sample_ms, by);
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let curves = 1 + self.rungs().count();
        planner.add(self.state, curves, self.clone());
    }
}

/// A rest to measure.
struct Rest {
    trim: bool,
    idle_s: f64,
    /// End level of the fresh curve, IOPS.
    end_iops: f64,
}

/// Makes the target slow, then rests: each rung on a copy of the slow target or, on a single
/// target, after the load has made it slow again.
impl Work for Ladder {
    fn actions(&self, setting: &Setting, copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        let load = |duration_s| Action::Load {
            load: &self.load,
            runtime_s: Some(setting.runtime_s(duration_s)),
        };
        see(load(self.degrade_s));
        let mut before = None;
        for (trim, duration_s) in self.rungs() {
            if let Some(after_trim) = before.replace(trim).filter(|_| !copied) {
                see(load(self.restore_s(after_trim)));
            }
            if trim {
                see(Action::Step(&Step::Trim));
            }
            see(Action::Step(&Step::Idle { duration_s }));
            see(load(self.measure_s));
        }
    }

    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done {
        let fresh = self.curve(context, target, places[0], None)?;
        let end_iops = end_level(&fresh.series).unwrap_or_default();
        fresh.record(context.recorder, &places[..1], |series| {
            Results::Ladder(Measured {
                series: vec![series],
                rungs: Vec::new(),
            })
        });
        let mut before = None;
        for (place, (trim, idle_s)) in places[1..].iter().zip(self.rungs()) {
            let rest = Rest {
                trim,
                idle_s,
                end_iops,
            };
            if let Some(mut copy) = target.fork() {
                self.rung(context, copy.as_mut(), *place, &rest, false)?;
                continue;
            }
            if let Some(after_trim) = before.replace(trim) {
                self.slow_again(context, target, *place, after_trim)?;
            }
            self.rung(context, target, *place, &rest, true)?;
        }
        Ok(())
    }
}

impl Ladder {
    fn rung(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        place: Place,
        rest: &Rest,
        alone: bool,
    ) -> Done {
        let Rest {
            trim,
            idle_s,
            end_iops,
        } = *rest;
        let id = context.recorder.test_id(place);
        if trim {
            context.step(target, id, &Step::Trim)?;
        }
        context.step(target, id, &Step::Idle { duration_s: idle_s })?;
        let name = rest_name(trim, idle_s);
        let mut curve = self.curve(context, target, place, Some(AfterRest { idle_s, trim }))?;
        let Some(found) = recovery(&curve.series, end_iops) else {
            return Err(Arc::new(TargetError::Failed(format!(
                "the curve `{name}` is empty: its rest has no result"
            ))));
        };
        if !found.fell && found.bytes > 0 {
            curve.warnings.push(recorded!("warning-still-fast"));
        }
        if alone {
            curve.warnings.push(recorded!("warning-one-target"));
        }
        let rung = Rung {
            name,
            idle_s,
            trim,
            iops_start: found.iops_initial,
            recovered_bytes: found.bytes,
            fell: found.fell,
        };
        curve.record(context.recorder, &[place], |series| {
            Results::Ladder(Measured {
                series: vec![series],
                rungs: vec![rung],
            })
        });
        Ok(())
    }

    /// Runs the load until a target that cannot be copied is slow again after a rung.
    fn slow_again(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        place: Place,
        after_trim: bool,
    ) -> Done {
        let duration_s = self.restore_s(after_trim);
        let id = context.recorder.test_id(place);
        let runtime_s = context.setting.runtime_s(duration_s);
        let cost = context.setting.load_cost(&self.load, Some(runtime_s));
        let recorder = context.recorder;
        recorder.preparing(id, "writing until slow again", cost);
        let seed_name = format!("{id}/again-{}", place.slot);
        let timing = (Some(runtime_s), 0);
        let done = context.job(target, &self.load, &seed_name, timing, None)?;
        outcome::check_errors(&done)?;
        recorder.spent(cost);
        Ok(())
    }

    /// Measures a curve of the load, the first or one after a rest.
    fn curve(
        &self,
        context: &Context<'_>,
        target: &mut dyn Target,
        place: Place,
        after: Option<AfterRest>,
    ) -> Result<MeasuredCurve, Arc<TargetError>> {
        let (name, duration_s) = match after {
            None => ("fresh".to_owned(), self.degrade_s),
            Some(rest) => (rest_name(rest.trim, rest.idle_s), self.measure_s),
        };
        let job = CurveJob {
            name: &name,
            after,
            seed_name: &curve_text(&name).in_english(),
            test: context.recorder.test_id(place),
            load: &self.load,
            duration_s: Some(duration_s),
            sample_ms: self.sample_ms,
        };
        context.curve(target, &[place], &job, None)
    }
}
