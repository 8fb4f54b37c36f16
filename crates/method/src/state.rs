//! States of a target, and the steps that prepare them.

use stend_language::Text;
use stend_record::load::Load;

use crate::scaled;

/// A prepared state of the target.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Id.
    pub id: String,
    /// Description for people.
    pub title: Text,
    /// Index in [`Edition::states`](crate::Edition::states) of the state that it is prepared from;
    /// `None` for the target as it was passed in.
    pub from: Option<usize>,
    /// Steps that prepare it.
    pub steps: Vec<Step>,
    /// Steps that return to it on a target that cannot be copied; the same as `steps` unless the
    /// edition states others.
    pub again: Vec<Step>,
}

/// One step of a preparation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Write the whole capacity once, ascending.
    Fill {
        /// Size of a write, bytes.
        block_bytes: u64,
        /// Queue depth.
        queue_depth: u32,
        /// Bytes to write from the start of the target, at most its capacity; `None` for the whole
        /// capacity.
        region_bytes: Option<u64>,
    },
    /// TRIM the whole capacity.
    Trim,
    /// Rest: no request is made.
    Idle {
        /// Duration, s.
        duration_s: f64,
    },
    /// Write at random over the whole capacity, round after round, until the speed is steady
    /// by SNIA's definition.
    UntilSteady(UntilSteady),
}

/// One step of a continuation.
#[derive(Clone, Debug, PartialEq)]
pub enum ContinuationStep {
    /// A step of a preparation.
    Do(Step),
    /// The load of the test that it continues, sampled again.
    Measure {
        /// Name of the curve, `after idle`.
        name: String,
        /// Duration, s.
        duration_s: f64,
    },
}

/// Rounds of random writes until the speed is steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UntilSteady {
    /// The writes.
    pub load: Load,
    /// Length of a round, s.
    pub round_s: f64,
    /// Greatest number of rounds.
    pub rounds_max: u32,
    /// True if a test that starts from here fails without a steady speed; if false, its result
    /// reports it.
    pub required: bool,
}

impl Step {
    /// Returns the name of the step in progress.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Step::Fill { .. } => "filling",
            Step::Trim => "TRIM",
            Step::Idle { .. } => "resting",
            Step::UntilSteady(_) => "writing until steady",
        }
    }
}

impl Step {
    pub(crate) fn scale(&mut self, by: u32) {
        match self {
            Step::Fill { region_bytes, .. } => scaled::region(region_bytes, by),
            Step::Idle { duration_s } => *duration_s /= f64::from(by),
            Step::UntilSteady(rounds) => rounds.round_s /= f64::from(by),
            Step::Trim => {}
        }
    }
}

impl ContinuationStep {
    pub(crate) fn scale(&mut self, by: u32) {
        match self {
            ContinuationStep::Do(step) => step.scale(by),
            ContinuationStep::Measure { duration_s, .. } => *duration_s /= f64::from(by),
        }
    }
}

/// Returns the indices of the states from the first one, which is prepared from the bare target, to
/// `state` itself.
pub(crate) fn lineage(states: &[State], state: usize) -> Vec<usize> {
    let mut chain = vec![state];
    while let Some(from) = states[chain[chain.len() - 1]].from {
        chain.push(from);
    }
    chain.reverse();
    chain
}

/// True if anything is written to prepare a state.
pub(crate) fn is_written(states: &[State], state: usize) -> bool {
    let way = lineage(states, state);
    let mut steps = way.iter().flat_map(|s| &states[*s].steps);
    steps.any(|step| matches!(step, Step::Fill { .. } | Step::UntilSteady(_)))
}

/// True if a state ends with writing until it is steady, so that a rest would undo it.
pub(crate) fn is_steady(states: &[State], state: usize) -> bool {
    matches!(states[state].steps.last(), Some(Step::UntilSteady(_)))
}

/// True if a state is prepared with TRIM.
pub(crate) fn is_trimmed(states: &[State], state: usize) -> bool {
    let trimmed = |state: &usize| states[*state].steps.contains(&Step::Trim);
    lineage(states, state).iter().any(trimmed)
}
