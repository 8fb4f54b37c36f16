//! Carries out the steps that prepare a state.

use stend_analysis::steady::{Window, start_text};
use stend_load::target::{Target, TargetError};
use stend_record::load::range_bytes;
use stend_record::review::{Condition, SteadyStart};

use crate::context::Context;
use crate::cost::Cost;
use crate::job;
use crate::outcome::written_bytes;
use crate::recorder::Done;
use crate::state::{Step, UntilSteady};

/// Id of notes about steady states.
pub(crate) const STEADY_STATE: &str = "steady-state-of";

impl Context<'_> {
    /// Carries out a step; `name` is that of the state or the test, from which random seeds derive.
    pub(crate) fn step(&self, target: &mut dyn Target, name: &str, step: &Step) -> Done {
        let cost = self.setting.step_cost(step);
        let begin = || self.recorder.preparing(name, step.name(), cost);
        let mut spent = Cost::default();
        match step {
            Step::Fill {
                block_bytes,
                queue_depth,
                region_bytes,
            } => {
                begin();
                let capacity_bytes = self.setting.capacity_bytes;
                let bytes = range_bytes(*region_bytes, capacity_bytes);
                self.write(target, &format!("fill/{name}"), (bytes, cost), |seed| {
                    job::fill(
                        *block_bytes,
                        *queue_depth,
                        seed,
                        *region_bytes,
                        capacity_bytes,
                    )
                })?;
                spent = cost;
            }
            Step::Trim => {
                begin();
                target.trim_all()?;
            }
            Step::UntilSteady(rounds) => spent = self.until_steady(target, name, rounds)?,
            Step::Idle { duration_s } => {
                begin();
                target.idle(*duration_s)?;
            }
        }
        // Includes rounds that were not needed.
        self.recorder.spent(cost - spent);
        Ok(())
    }

    /// Writes round after round; returns their cost. It is an error if the speed must become steady
    /// and does not: no test may start from a state that differs from its name.
    fn until_steady(
        &self,
        target: &mut dyn Target,
        state: &str,
        rounds: &UntilSteady,
    ) -> Result<Cost, TargetError> {
        let load = &rounds.load;
        let runtime_s = self.setting.runtime_s(rounds.round_s);
        let mut speeds = Vec::new();
        let mut written = 0;
        let mut steady = None;
        let mut spent = Cost::default();
        let cost = self.setting.load_cost(load, Some(runtime_s));
        while steady.is_none() && speeds.len() < rounds.rounds_max as usize {
            let number = speeds.len() + 1;
            let step = format!(
                "writing until steady, round {number} of at most {}",
                rounds.rounds_max
            );
            self.recorder.preparing(state, &step, cost);
            let seed_name = format!("steady/{state}/round-{number}");
            let (point, done) = self.point(target, load, &seed_name, runtime_s, None)?;
            written += written_bytes(&done);
            speeds.push(point.iops);
            steady = Window::last(&speeds).filter(Window::is_steady);
            self.recorder.spent(cost);
            spent += cost;
        }
        let last = steady.or_else(|| Window::last(&speeds));
        let start = SteadyStart {
            state: state.to_owned(),
            load: *load,
            round_s: runtime_s as f64,
            rounds: speeds.len() as u32,
            written_bytes: written,
            reached: steady.is_some(),
            iops_mean: last.map_or(0.0, |w| w.mean),
            spread_share: last.map_or(0.0, |w| w.spread_share),
            drift_share: last.map_or(0.0, |w| w.drift_share),
        };
        if rounds.required && !start.reached {
            return Err(TargetError::Failed(format!(
                "state `{state}`: {}; longer rounds (`round_s`) scatter less",
                start_text(&start)
            )));
        }
        self.recorder
            .note(Condition::of(STEADY_STATE, state, start_text(&start)));
        self.recorder.made_steady(start);
        Ok(spent)
    }
}
