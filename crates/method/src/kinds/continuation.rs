//! More curves on the target as another test left it.

use std::any::Any;
use stend_config::FileError;

use serde::Deserialize;
use toml::Spanned;

use super::curve::{Chain, Curve};
use crate::kind::{Kind, Planner};
use crate::parse::{Scope, StepEntry};
use crate::state::{ContinuationStep, Step};
use stend_language::{Text, recorded};

/// Steps that continue another test.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    /// Index in [`Edition::tests`](crate::Edition::tests) of the test that it continues, of kind
    /// `curve`.
    pub after: usize,
    /// Id of that test.
    pub after_id: String,
    /// Curve of that test.
    pub curve: Curve,
    /// Steps in their order.
    pub steps: Vec<ContinuationStep>,
}

/// The table `[test.continue]`.
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
                "`{name}` is not a test with a `[test.curve]` of a `duration_s` that stands \
                     before this"
            ),
        );
    };
    if at
        .earlier
        .iter()
        .any(|(_, kind)| kind.continues() == Some(after))
    {
        return at.fail(
            &entry.after,
            format!("another test already continues `{name}`"),
        );
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

    fn needs_writes(&self) -> Option<Text> {
        Some(recorded!("needs-written-drive"))
    }

    fn needs_trim(&self) -> Option<Text> {
        let trims = |step: &ContinuationStep| *step == ContinuationStep::Do(Step::Trim);
        let any = self.steps.iter().any(trims);
        any.then(|| recorded!("needs-trim"))
    }

    fn continues(&self) -> Option<usize> {
        Some(self.after)
    }

    fn needed_blocks(&self) -> Vec<u64> {
        vec![self.curve.load.block_bytes]
    }

    fn scale(&mut self, by: u32) -> Result<(), String> {
        self.curve.scale(by)?;
        self.steps.iter_mut().for_each(|step| step.scale(by));
        Ok(())
    }

    fn plan(&self, planner: &mut Planner<'_>) {
        let is_before = |chain: &Chain| chain.id == self.after_id;
        // The curve's own test comes before this one; if it is not run, the chain starts here.
        let shared = planner.find(is_before).is_some();
        if !shared {
            Chain::plan(planner, self.after_id.clone(), &self.curve);
        }
        let measures = |step: &&ContinuationStep| matches!(step, ContinuationStep::Measure { .. });
        let measured = self.steps.iter().filter(measures).count();
        let places = planner.places(measured + usize::from(shared));
        if let Some((chain, all)) = planner.find(is_before) {
            (chain.shared, chain.steps) = (shared, self.steps.clone());
            all.extend(places);
        }
    }
}
