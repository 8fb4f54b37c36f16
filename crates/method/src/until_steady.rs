//! An edition whose tests start from a steady state, at the user's request.

use stend_language::recorded;
use stend_record::load::Load;
use stend_record::review::Pattern;
use stend_record::size::size_text;
use stend_record::target::state_name;

use crate::edition::Edition;
use crate::state::{State, Step, UntilSteady, is_steady, is_written};

/// A load that brings a target to a steady state before tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteadyLoad {
    /// Name, `random-write-4k`.
    pub name: &'static str,
    /// Size of a request, bytes.
    block_bytes: u64,
}

/// Duration of a round, s, and greatest number of rounds. Both, and the load, follow the write
/// saturation of SNIA PTS 2.0.1 and its definition of the steady state.
const ROUND_S: f64 = 60.0;
const ROUNDS_MAX: u32 = stend_analysis::steady::ROUNDS_MAX as u32;

impl SteadyLoad {
    /// All loads; the first is the default.
    pub const ALL: [SteadyLoad; 2] = [
        SteadyLoad {
            name: "random-write-4k",
            block_bytes: 4096,
        },
        SteadyLoad {
            name: "random-write-128k",
            block_bytes: 131_072,
        },
    ];

    /// Returns the load with a name.
    pub fn of(name: &str) -> Option<SteadyLoad> {
        SteadyLoad::ALL.into_iter().find(|load| load.name == name)
    }

    fn step(&self) -> Step {
        Step::UntilSteady(UntilSteady {
            load: Load::write(Pattern::Random, self.block_bytes, 32),
            round_s: ROUND_S,
            rounds_max: ROUNDS_MAX,
            required: false,
        })
    }
}

impl Edition {
    /// Returns the edition with a steady state before every test that starts from a written target.
    ///
    /// Each state whose preparation writes anything is followed by another one, `clean` by
    /// `clean-steady`, and the tests start from that. A state prepared without writes is meant to
    /// be fresh, and one that ends with rounds until it is steady already is: tests that start from
    /// these do not change.
    pub fn until_steady(&self, load: SteadyLoad) -> Edition {
        let mut edition = self.clone();
        let mut steady = vec![None; self.states.len()];
        for (index, behind) in steady.iter_mut().enumerate() {
            if !is_written(&self.states, index) || is_steady(&self.states, index) {
                continue;
            }
            let state = &self.states[index];
            *behind = Some(edition.states.len());
            edition.states.push(State {
                id: self.free_id(&state.id),
                title: recorded!(
                    "state-until-steady",
                    state = state_name(&state.id),
                    block = size_text(load.block_bytes),
                    time = format!("{ROUND_S} s"),
                    rounds = ROUNDS_MAX
                ),
                from: Some(index),
                steps: vec![load.step()],
                again: vec![load.step()],
            });
        }
        for test in &mut edition.tests {
            for state in test.kind.common_mut().states_mut() {
                *state = steady[*state].unwrap_or(*state);
            }
        }
        edition
    }

    /// True if any of these tests changes when a steady state is requested.
    pub(crate) fn can_be_steady(&self, tests: &[usize]) -> bool {
        tests.iter().any(|&test| {
            let mut kind = self.tests[test].kind.clone();
            let mut states = kind.common_mut().states_mut().into_iter();
            states.any(|state| is_written(&self.states, *state) && !is_steady(&self.states, *state))
        })
    }

    fn free_id(&self, id: &str) -> String {
        let mut free = format!("{id}-steady");
        while self.states.iter().any(|state| state.id == free) {
            free.push_str("-2");
        }
        free
    }
}
