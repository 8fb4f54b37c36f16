//! Runs parts of a plan on a target and records the results.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use stend_load::target::{Target, TargetError};

use crate::context::Context;
use crate::kind::Procedure;
use crate::plan::Plan;
use crate::recorder::Done;
use crate::state::Step;

/// Runs parts of a plan on a target and records the results.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) context: Context<'a>,
}

impl Runner<'_> {
    /// Carries out the steps that prepare a state.
    pub(crate) fn prepare(&self, target: &mut dyn Target, state: &str, steps: &[Step]) -> Done {
        guarded(|| {
            for step in steps {
                if self.plan.setting.no_trim && *step == Step::Trim {
                    continue;
                }
                self.context.step(target, state, step)?;
            }
            Ok(())
        })
    }

    /// Runs a procedure. Records its results, and the error that ends it.
    pub(crate) fn run(&self, target: &mut dyn Target, procedure: &Procedure) -> Done {
        let recorder = self.context.recorder;
        let state = &self.plan.edition.states[procedure.state].id;
        recorder.starts_from(&procedure.places, state);
        let done = guarded(|| procedure.run(&self.context, target));
        if let Err(error) = &done {
            recorder.fail(&procedure.places, error);
        }
        done
    }
}

/// Runs `run` on a target; turns a panic of the target into an error, so that the other tests
/// continue and finished results are kept.
pub(crate) fn guarded<T>(
    run: impl FnOnce() -> Result<T, Arc<TargetError>>,
) -> Result<T, Arc<TargetError>> {
    // A panic can leave two things unfinished: the target, which is prepared again before its next
    // use, and the recorder, which only complete results change.
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let said = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Arc::new(TargetError::Failed(format!(
            "the target failed: {said}; this is a defect of the program, please report it with the \
             command line"
        ))))
    })
}
