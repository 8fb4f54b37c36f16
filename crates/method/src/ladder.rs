//! The recovery ladder: a load until the target is slow, and the same load after rests of
//! different length, each from the same slow state.

use std::sync::Arc;

use stend_analysis::{end_level, recovery};
use stend_record::review::{JobText, Rung, Series};
use stend_target::{Target, TargetError};

use crate::edition::{Ladder, Step};
use crate::outcome;
use crate::plan::{Action, Dest, Plan};
use crate::recorder::{Measured, Shot};
use crate::run::{Runner, early_end};

/// Said of a ladder on a target that cannot be copied.
const ALONE: &str = "one target: before each further rest the load made it slow again, so that the rests start from slow states that are alike, not the same";

/// A rung before it is climbed.
struct Rest {
    trim: bool,
    idle_s: f64,
    /// Where the fresh curve ends, IOPS.
    end_iops: f64,
}

/// Shows every action of a ladder.
pub(crate) fn walk(
    plan: &Plan<'_>,
    ladder: &Ladder,
    copied: bool,
    see: &mut dyn FnMut(Action<'_>),
) {
    let load = |duration_s| Action::Load {
        load: &ladder.load,
        runtime_s: Some(plan.runtime_s(duration_s)),
    };
    see(load(ladder.degrade_s));
    let mut before = None;
    for (trim, duration_s) in ladder.rungs() {
        if let Some(after_trim) = before.replace(trim).filter(|_| !copied) {
            see(load(ladder.restore_s(after_trim)));
        }
        if trim {
            see(Action::Step(&Step::Trim));
        }
        see(Action::Step(&Step::Idle { duration_s }));
        see(load(ladder.measure_s));
    }
}

impl Runner<'_> {
    /// Makes the target slow, then climbs: each rung on a copy of the slow target, or,
    /// where there is only one, after the load has made it slow again.
    pub(crate) fn ladder(
        &self,
        target: &mut dyn Target,
        dests: &[Dest],
        ladder: &Ladder,
    ) -> Result<(), Arc<TargetError>> {
        let Some((first, rungs)) = dests.split_first() else {
            return Ok(());
        };
        let (fresh, job, warnings) =
            self.ladder_curve(target, *first, ladder, "fresh", ladder.degrade_s)?;
        let end_iops = end_level(&fresh).unwrap_or_default();
        let shot = Shot {
            name: job.name.clone(),
            measured: Measured::Curve(fresh),
            jobs: vec![job],
            warnings,
        };
        self.recorder
            .record(&[*first], shot, self.ladder_cost(ladder, ladder.degrade_s));
        let mut before = None;
        for (dest, (trim, idle_s)) in rungs.iter().zip(ladder.rungs()) {
            let rest = Rest {
                trim,
                idle_s,
                end_iops,
            };
            if let Some(mut copy) = target.fork() {
                self.rung(copy.as_mut(), *dest, ladder, &rest, None)?;
                continue;
            }
            if let Some(after_trim) = before.replace(trim) {
                self.slow_again(target, *dest, ladder, after_trim)?;
            }
            self.rung(target, *dest, ladder, &rest, Some(ALONE))?;
        }
        Ok(())
    }

    fn rung(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        ladder: &Ladder,
        rest: &Rest,
        warning: Option<&str>,
    ) -> Result<(), Arc<TargetError>> {
        let Rest {
            trim,
            idle_s,
            end_iops,
        } = *rest;
        let id = self.test_id(dest);
        if trim {
            self.step(target, id, &Step::Trim)?;
        }
        self.step(target, id, &Step::Idle { duration_s: idle_s })?;
        let idle_s = self.plan.rest_s(idle_s);
        let name = rung_name(trim, idle_s);
        let (series, job, mut warnings) =
            self.ladder_curve(target, dest, ladder, &name, ladder.measure_s)?;
        let Some(found) = recovery(&series, end_iops) else {
            return Err(Arc::new(TargetError::Failed(format!(
                "the curve `{name}` is empty: nothing can be said of its rest"
            ))));
        };
        if !found.fell && found.bytes > 0 {
            warnings.push(
                "after some rests the load was still fast when its time was over: they gave back at least what was written; a longer `measure_s` tells how much"
                    .to_owned(),
            );
        }
        warnings.extend(warning.map(str::to_owned));
        let rung = Rung {
            name,
            idle_s,
            trim,
            iops_start: found.iops_initial,
            recovered_bytes: found.bytes,
            fell: found.fell,
        };
        let shot = Shot {
            name: job.name.clone(),
            measured: Measured::Rung(series, rung),
            jobs: vec![job],
            warnings,
        };
        let cost = self.ladder_cost(ladder, ladder.measure_s);
        self.recorder.record(&[dest], shot, cost);
        Ok(())
    }

    /// The load that makes the one target there is slow again after a rung.
    fn slow_again(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        ladder: &Ladder,
        after_trim: bool,
    ) -> Result<(), Arc<TargetError>> {
        let duration_s = ladder.restore_s(after_trim);
        let id = self.test_id(dest);
        self.recorder.preparing(id, "writing until slow again");
        let runtime_s = self.plan.runtime_s(duration_s);
        let seed_name = format!("{id}/again-{}", dest.slot);
        let done = self.job(target, &ladder.load, &seed_name, Some(runtime_s), 0)?;
        outcome::check_errors(&done)?;
        self.recorder.spent(self.ladder_cost(ladder, duration_s));
        Ok(())
    }

    fn ladder_curve(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        ladder: &Ladder,
        name: &str,
        duration_s: f64,
    ) -> Result<(Series, JobText, Vec<String>), Arc<TargetError>> {
        let load = &ladder.load;
        let runtime_s = Some(self.plan.runtime_s(duration_s));
        let title = format!("{name}: {}", load.describe());
        self.recorder.begin(dest, &title, runtime_s);
        let seed_name = format!("{}/{name}", self.test_id(dest));
        let outcome = self.job(target, load, &seed_name, runtime_s, ladder.sample_ms)?;
        let mut series = outcome::series(name, load, ladder.sample_ms, &outcome)?;
        series.cpu_ns_per_request = self.cpu_time(&outcome);
        let mut warnings = self.duration_warning(duration_s);
        warnings.extend(early_end(&series, runtime_s));
        let near = self.limits.curve_warning(&title, load.threads, &series);
        warnings.extend(near);
        let job = JobText {
            name: title,
            text: outcome.job_text,
        };
        Ok((series, job, warnings))
    }

    fn ladder_cost(&self, ladder: &Ladder, duration_s: f64) -> f64 {
        let runtime_s = self.plan.runtime_s(duration_s);
        self.plan.load_cost(&ladder.load, Some(runtime_s))
    }

    pub(crate) fn test_id(&self, dest: Dest) -> &str {
        &self.plan.edition.tests[self.plan.tests[dest.test].index].id
    }
}

/// `after 30 s`, `after TRIM and 5 min`: by the rest as it was, under the review's scale.
fn rung_name(trim: bool, idle_s: f64) -> String {
    let rest = match idle_s {
        s if s >= 60.0 && s % 60.0 == 0.0 => format!("{} min", s / 60.0),
        s => {
            let rounded = format!("{s:.3}");
            format!("{} s", rounded.trim_end_matches('0').trim_end_matches('.'))
        }
    };
    match trim {
        true => format!("after TRIM and {rest}"),
        false => format!("after {rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_are_named_by_their_rest() {
        assert_eq!(rung_name(false, 30.0), "after 30 s");
        assert_eq!(rung_name(false, 300.0), "after 5 min");
        assert_eq!(rung_name(true, 1800.0), "after TRIM and 30 min");
        assert_eq!(rung_name(false, 30.0 * 0.01), "after 0.3 s");
        assert_eq!(rung_name(false, 90.0), "after 90 s");
    }
}
