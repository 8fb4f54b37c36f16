//! More curves on the target that another test has just left.

use std::any::Any;
use stend_config::FileError;

use serde::Deserialize;
use toml::Spanned;

use super::curve::{Chain, Curve, Phase};
use crate::kind::{Kind, Planner};
use crate::parse::{Scope, StepEntry};
use crate::state::{ContinuationStep, Step};

/// What follows on another test's target.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    /// Index in [`Edition::tests`](crate::Edition::tests) of the test, of kind `curve`, that
    /// goes before.
    pub after: usize,
    /// Its id.
    pub after_id: String,
    /// Its curve.
    pub curve: Curve,
    /// Steps in their order.
    pub steps: Vec<ContinuationStep>,
}

/// `[test.continue]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    after: Spanned<String>,
    steps: Vec<StepEntry>,
}

/// Checks a continuation.
pub(crate) fn parse(entry: Entry, at: &Scope<'_>) -> Result<Continuation, FileError> {
    let name = entry.after.get_ref();
    let kind_of = |kind| -> &dyn Any { kind };
    let curve = at.earlier.iter().enumerate().find_map(|(i, (id, kind))| {
        let curve: &Curve = kind_of(*kind).downcast_ref()?;
        (id == name && curve.duration_s.is_some()).then_some((i, curve))
    });
    let Some((after, curve)) = curve else {
        return at.fail(
            &entry.after,
            format!(
                "`{name}` is no test with a `[test.curve]` of a `duration_s` that stands \
                     before this"
            ),
        );
    };
    if at
        .earlier
        .iter()
        .any(|(_, kind)| kind.continues() == Some(after))
    {
        return at.fail(&entry.after, format!("another test goes on after `{name}`"));
    }
    let mut names = vec![curve.name.clone()];
    let mut steps = Vec::new();
    for step in entry.steps {
        let step = at.step(step)?;
        if let ContinuationStep::Measure { name, .. } = &step {
            if names.contains(name) {
                let problem = format!("two curves have the name `{name}`");
                return at.fail(&entry.after, problem);
            }
            names.push(name.clone());
        }
        steps.push(step);
    }
    if names.len() < 2 {
        return at.fail(&entry.after, "nothing is measured: no step is a `measure`");
    }
    Ok(Continuation {
        after,
        after_id: name.clone(),
        curve: curve.clone(),
        steps,
    })
}

impl Kind for Continuation {
    fn states_mut(&mut self) -> Vec<&mut usize> {
        Vec::new()
    }

    fn needs_writes(&self) -> Option<&'static str> {
        Some("it goes on with a drive that was written, and gives it TRIM")
    }

    fn needs_trim(&self) -> Option<&'static str> {
        let trims = |step: &ContinuationStep| *step == ContinuationStep::Do(Step::Trim);
        let any = self.steps.iter().any(trims);
        any.then_some("it measures what TRIM gives back")
    }

    fn continues(&self) -> Option<usize> {
        Some(self.after)
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let is_before = |chain: &Chain| chain.is_of(&self.after_id);
        // The curve's own test stands before this one; without it the chain starts here.
        let fresh = planner.places(1);
        match planner.find(is_before) {
            Some((chain, places)) => {
                chain.share(fresh[0]);
                places.extend(fresh);
            }
            None => planner.add(Chain::procedure(self.after_id.clone(), &self.curve, fresh)),
        }
        let mut added = Vec::new();
        let phases = self.steps.iter().map(|step| match step {
            ContinuationStep::Do(step) => Phase::Do(*step),
            ContinuationStep::Measure { name, duration_s } => {
                let places = planner.places(1);
                added.extend_from_slice(&places);
                Phase::Measure {
                    name: name.clone(),
                    duration_s: Some(*duration_s),
                    places,
                }
            }
        });
        let phases = phases.collect();
        if let Some((chain, places)) = planner.find(is_before) {
            chain.extend(phases);
            places.extend(added);
        }
    }
}
