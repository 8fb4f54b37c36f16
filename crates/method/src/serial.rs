//! Runs everything on one target that cannot be copied, in sequence.

use std::sync::Arc;

use stend_load::target::{Target, TargetError};

use crate::plan::Plan;
use crate::runner::Runner;
use crate::setting::Action;
use crate::state::{State, Step, is_steady, lineage};

/// The known state of the target.
#[derive(Clone, Debug)]
struct Tracker<'e> {
    states: &'e [State],
    /// Rest between tests, s.
    pause_s: f64,
    /// The state that it is in, if any.
    current: Option<usize>,
    /// The state that was last requested.
    requested: Option<usize>,
    /// States that it was in at any time.
    reached: Vec<bool>,
    /// True if no state is prepared: there are only rests.
    read_only: bool,
}

impl<'e> Tracker<'e> {
    fn of(plan: &Plan<'e>) -> Tracker<'e> {
        let states = &plan.edition.states;
        Tracker {
            states,
            pause_s: plan.edition.pause_s,
            read_only: plan.setting.read_only,
            current: None,
            requested: None,
            reached: vec![false; states.len()],
        }
    }

    /// Returns the steps that bring the target to `state`, and assumes that they succeed.
    ///
    /// Within a test, points of the same state follow one another without a rest, as in a
    /// reviewer's lab: preparing the state again for each of a sweep's writes would cost a real
    /// drive days and dozens of fills. Between tests, a state after which only reads ran is kept,
    /// after a pause; a steady state without one, because a rest would undo it. From an
    /// intermediate state (`clean`, on the way to `filled`) only the remaining steps run. A target
    /// that was in the first state of the sequence before is returned to it by the edition's
    /// `again`. `new_test` is also true for a part of a test that starts in a fresh state.
    fn bring_to(&mut self, state: usize, new_test: bool) -> Vec<Step> {
        let pause = Step::Idle {
            duration_s: self.pause_s,
        };
        let before = self.requested.replace(state);
        if self.read_only {
            let rests = new_test && before.is_some();
            return if rests { vec![pause] } else { Vec::new() };
        }
        let same = before == Some(state);
        if same && !new_test {
            return Vec::new();
        }
        if self.current == Some(state) {
            let rests = new_test && !is_steady(self.states, state);
            return if rests { vec![pause] } else { Vec::new() };
        }
        let way = lineage(self.states, state);
        let known = way.iter().position(|s| self.current == Some(*s));
        let mut steps = Vec::new();
        for (place, &index) in way.iter().enumerate() {
            let to = &self.states[index];
            if known.is_some_and(|k| place <= k) {
                continue;
            }
            let first = place == 0;
            steps.extend_from_slice(if first && self.reached[index] {
                &to.again
            } else {
                &to.steps
            });
            self.reached[index] = true;
        }
        self.current = Some(state);
        steps
    }

    /// Notes that the target has left its state.
    fn lost(&mut self) {
        self.current = None;
    }
}

/// Passes every action of the whole plan to `see`, in order, with the index of its procedure.
pub(crate) fn walk(plan: &Plan<'_>, see: &mut dyn FnMut(Option<usize>, Action<'_>)) {
    let mut tracker = Tracker::of(plan);
    let mut last_test = None;
    for (index, procedure) in plan.procedures.iter().enumerate() {
        let mut see = |action: Action<'_>| see(Some(index), action);
        let new_test = last_test.replace(procedure.test()) != Some(procedure.test());
        for step in tracker.bring_to(procedure.state, new_test || procedure.starts_anew) {
            see(Action::Step(&step));
        }
        procedure.actions(&plan.setting, false, &mut see);
        if procedure.disturbs(&plan.setting) {
            tracker.lost();
        }
    }
}

/// Carries the plan out on the single target.
///
/// A test stops at its first error, and the next one starts after the state has been prepared
/// again: one broken job must not end the other tests. If no test can continue (a tool is missing,
/// the target is rejected or was removed), all remaining tests fail at once.
pub(crate) fn run(runner: &Runner<'_>, target: &mut dyn Target) {
    let (plan, recorder) = (runner.plan, runner.context.recorder);
    let mut tracker = Tracker::of(plan);
    let mut last_test = None;
    let mut failure: Option<Arc<TargetError>> = None;
    for procedure in &plan.procedures {
        let new_test = last_test.replace(procedure.test()) != Some(procedure.test());
        if new_test && !failure.as_deref().is_some_and(is_final) {
            failure = None;
        }
        if let Some(error) = &failure {
            recorder.fail(&procedure.places, error);
            continue;
        }
        recorder.begin_test(procedure.test());
        // Until the steps succeed, the state is unknown.
        let mut after = tracker.clone();
        tracker.lost();
        let steps = after.bring_to(procedure.state, new_test || procedure.starts_anew);
        let title = &plan.edition.states[procedure.state].id;
        if let Err(error) = runner.prepare(target, title, &steps) {
            recorder.fail(&procedure.places, &error);
            failure = Some(error);
            continue;
        }
        tracker = after;
        let done = runner.run(target, procedure);
        if done.is_err() || procedure.disturbs(&plan.setting) {
            tracker.lost();
        }
        failure = done.err();
    }
}

fn is_final(error: &TargetError) -> bool {
    matches!(
        error,
        TargetError::ToolMissing(_) | TargetError::Refused(_) | TargetError::Removed(_)
    )
}
