//! The plan of a review: the procedures of the chosen tests in the edition's order.

use stend_language::{Text, recorded};
use stend_record::review::TestResult;

use crate::cost::Cost;
use crate::edition::{Edition, TestKind};
use crate::kind::{Planner, Procedure, Wanted};
use crate::recorder::PlannedTest;
use crate::setting::{Action, Setting};
use crate::state::{State, Step, is_trimmed, lineage};

/// The plan of a review.
#[derive(Debug)]
pub(crate) struct Plan<'e> {
    pub(crate) edition: &'e Edition,
    pub(crate) setting: Setting,
    /// Chosen tests that are not finished, in the edition's order.
    pub(crate) tests: Vec<PlannedTest>,
    /// Procedures in the edition's order.
    pub(crate) procedures: Vec<Procedure>,
}

impl<'e> Plan<'e> {
    /// Plans the tests of these indices, which ascend. `unfinished` has the results that an earlier
    /// run left unfinished, by index in the edition.
    pub(crate) fn new(
        edition: &'e Edition,
        chosen: &[usize],
        setting: Setting,
        wanted: Option<Wanted<'_>>,
        unfinished: &[Option<TestResult>],
    ) -> Plan<'e> {
        let mut plan = Plan {
            edition,
            setting,
            tests: Vec::new(),
            procedures: Vec::new(),
        };
        for &index in chosen {
            plan.add(index, wanted, unfinished[index].as_ref());
        }
        if plan.setting.no_trim {
            for procedure in &plan.procedures {
                if is_trimmed(&edition.states, procedure.state) {
                    let warnings = &mut plan.tests[procedure.test()].head.warnings;
                    let warning = recorded!("warning-state-without-trim");
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
            }
        }
        plan
    }

    /// Plans these tests as if none of them had been started.
    pub(crate) fn with_finished(&self, chosen: &[usize], wanted: Option<Wanted<'_>>) -> Plan<'e> {
        let nothing = vec![None; self.edition.tests.len()];
        Plan::new(self.edition, chosen, self.setting.clone(), wanted, &nothing)
    }

    fn add(&mut self, index: usize, wanted: Option<Wanted<'_>>, earlier: Option<&TestResult>) {
        let test = &self.edition.tests[index];
        let mut planner = Planner {
            setting: &self.setting,
            states: &self.edition.states,
            wanted,
            number: self.tests.len(),
            test: PlannedTest {
                index,
                head: TestResult {
                    id: test.id.clone(),
                    title: test.title.at(self.setting.scale),
                    method: test.method.at(self.setting.scale),
                    ..TestResult::default()
                },
                ..PlannedTest::default()
            },
            unaligned: 0,
            earlier,
            procedures: &mut self.procedures,
        };
        let unaligned = || unaligned(&self.setting, &test.kind, &self.edition.states);
        match missing(&self.setting, &test.kind).or_else(unaligned) {
            Some(why) => planner.skip(why),
            None => test.kind.common().plan(&mut planner),
        }
        if planner.unaligned > 0 {
            let remark = below_sector(planner.unaligned, self.setting.sector_bytes);
            match planner.test.slots {
                0 => planner.skip(remark),
                _ => planner.remark(remark),
            }
        }
        self.tests.push(planner.test);
    }

    /// Returns the states that any procedure needs, including intermediate ones, in the edition's
    /// order.
    pub(crate) fn needed_states(&self) -> Vec<usize> {
        let states = &self.edition.states;
        let procedures = self.procedures.iter();
        let mut needed: Vec<usize> = procedures
            .flat_map(|procedure| lineage(states, procedure.state))
            .collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// Returns the cost of a procedure on a copy of a target, without its preparation.
    pub(crate) fn cost_on_copy(&self, procedure: &Procedure) -> Cost {
        let mut cost = Cost::default();
        let mut add = |action: Action<'_>| cost += self.setting.cost(&action);
        procedure.actions(&self.setting, true, &mut add);
        cost
    }
}

/// Returns the reason why the target cannot run a test.
fn missing(setting: &Setting, kind: &TestKind) -> Option<Text> {
    let kind = kind.common();
    if setting.read_only {
        let what = kind.needs_writes()?;
        return Some(recorded!("warning-left-out-read-only", what = what));
    }
    let what = kind.needs_trim().filter(|_| setting.no_trim)?;
    Some(recorded!("warning-left-out-no-trim", what = what))
}

/// Returns the reason why the target cannot run a test that needs requests of a certain size, for
/// itself or for a state that it starts from.
fn unaligned(setting: &Setting, kind: &TestKind, states: &[State]) -> Option<Text> {
    let mut blocks = kind.common().needed_blocks();
    let mut kind = kind.clone();
    for state in kind.common_mut().states_mut() {
        let states = lineage(states, *state).into_iter().map(|of| &states[of]);
        let steps = states.flat_map(|state| state.steps.iter().chain(&state.again));
        blocks.extend(steps.filter_map(|step| match step {
            Step::Fill { block_bytes, .. } => Some(*block_bytes),
            Step::UntilSteady(rounds) => Some(rounds.load.block_bytes),
            Step::Trim | Step::Idle { .. } => None,
        }));
    }
    let block = blocks.into_iter().find(|block| !setting.takes(*block))?;
    Some(recorded!(
        "warning-below-sector",
        block = block,
        sector = setting.sector_bytes
    ))
}

/// Returns the remark on a test without the points that are no multiples of the target's sectors.
fn below_sector(points: usize, sector_bytes: u64) -> Text {
    match points {
        1 => recorded!("warning-below-sector-point", sector = sector_bytes),
        points => recorded!(
            "warning-below-sector-points",
            points = points,
            sector = sector_bytes
        ),
    }
}
