//! States that a target is prepared to, and the steps there.

use stend_record::load::Load;

use crate::scaled;

/// A prepared state of the target.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Id.
    pub id: String,
    /// What it is, in words.
    pub title: String,
    /// Index in [`Edition::states`](crate::Edition::states) of the state it is made from;
    /// `None`: from the target as it was handed over.
    pub from: Option<usize>,
    /// How to get there.
    pub steps: Vec<Step>,
    /// How to return to it on a target that cannot be copied; the same as `steps` unless the
    /// edition says otherwise.
    pub again: Vec<Step>,
}

/// One step of a preparation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Write the whole capacity once, ascending.
    Fill {
        /// Size of a write, bytes.
        block_bytes: u64,
        /// Writes outstanding.
        queue_depth: u32,
        /// Only so many bytes from the beginning of the target, or its capacity if that is
        /// less; `None` for the whole capacity.
        region_bytes: Option<u64>,
    },
    /// TRIM the whole capacity.
    Trim,
    /// Leave the target alone.
    Idle {
        /// How long, s.
        duration_s: f64,
    },
    /// Write at random over the whole capacity, round after round, until the speed is steady
    /// by SNIA's definition.
    UntilSteady(UntilSteady),
}

/// One step of a continuation.
#[derive(Clone, Debug, PartialEq)]
pub enum ContinuationStep {
    /// Something done to the target.
    Do(Step),
    /// The load of the test that goes before, sampled again.
    Measure {
        /// Name of the curve, `after idle`.
        name: String,
        /// How long, s.
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
    /// Rounds at most.
    pub rounds_max: u32,
    /// Whether a test that starts from here fails where the speed does not become
    /// steady; if not, its result says so.
    pub required: bool,
}

impl Step {
    /// What is being done, in a word.
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

/// The states on the way to `state`: indices from the one made of the bare target to `state`
/// itself.
pub(crate) fn lineage(states: &[State], state: usize) -> Vec<usize> {
    let mut chain = vec![state];
    while let Some(from) = states[chain[chain.len() - 1]].from {
        chain.push(from);
    }
    chain.reverse();
    chain
}

/// Whether anything is written on the way to a state.
pub(crate) fn is_written(states: &[State], state: usize) -> bool {
    let way = lineage(states, state);
    let mut steps = way.iter().flat_map(|s| &states[*s].steps);
    steps.any(|step| matches!(step, Step::Fill { .. } | Step::UntilSteady(_)))
}

/// Whether a state ends with writing until it is steady, so that a rest would undo it.
pub(crate) fn is_steady(states: &[State], state: usize) -> bool {
    matches!(states[state].steps.last(), Some(Step::UntilSteady(_)))
}

/// Whether a state is made with TRIM.
pub(crate) fn is_trimmed(states: &[State], state: usize) -> bool {
    let trimmed = |state: &usize| states[*state].steps.contains(&Step::Trim);
    lineage(states, state).iter().any(trimmed)
}
