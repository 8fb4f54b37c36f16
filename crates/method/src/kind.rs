//! Kinds of tests: their planning, and the procedures that measure them.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use stend_language::Text;
use stend_load::target::Target;
use stend_record::load::Load;
use stend_record::review::TestResult;

use crate::context::Context;
use crate::recorder::{Done, Measurement, Place, PlannedTest};
use crate::setting::{Action, Setting};
use crate::state::State;

/// Returns true if a point of the test with this id is wanted. The load has no region.
pub type Wanted<'a> = &'a (dyn Fn(&str, &Load) -> bool + Sync);

/// A kind of test with its keys from an edition.
pub(crate) trait Kind: Any {
    /// Returns the states that it starts from, as indices in the edition's; empty if it continues
    /// another test.
    fn states_mut(&mut self) -> Vec<&mut usize>;

    /// Returns the reason why it cannot run without writing; `None` if all or a part of it can.
    fn needs_writes(&self) -> Option<Text>;

    /// Returns the reason why it cannot run on a target without TRIM; `None` if it can. States of a
    /// test are prepared without TRIM there, and its result reports it.
    fn needs_trim(&self) -> Option<Text> {
        None
    }

    /// Returns the block sizes without which none of it can run, bytes. Those of points are not
    /// among them: each point is left out by itself, see [`Planner::takes`].
    fn needed_blocks(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns the load and the index of the start state if it writes until the target refuses.
    fn wears_out(&self) -> Option<(&Load, usize)> {
        None
    }

    /// Returns the index of the test that it continues.
    fn continues(&self) -> Option<usize> {
        None
    }

    /// Scales it to a drive with a `by`-th of its capacity ([`crate::Edition::scaled`]).
    ///
    /// # Errors
    /// A message if it cannot be scaled.
    fn scale(&mut self, by: u32) -> Result<(), String>;

    /// Adds its procedures to the plan.
    fn plan(&self, planner: &mut Planner<'_>);
}

/// Work that runs on one target without interruption.
#[derive(Debug)]
pub(crate) struct Procedure {
    /// State that it starts from, as an index in the edition's.
    pub(crate) state: usize,
    /// Places of its results, in order; at least one.
    pub(crate) places: Vec<Place>,
    /// The region of its load, if it has one, bytes.
    pub(crate) region_bytes: Option<u64>,
    /// True if the state is prepared again even within a test.
    pub(crate) starts_anew: bool,
    work: Box<dyn Work>,
}

impl Procedure {
    /// Returns the index of its test; of several tests, the first.
    pub(crate) fn test(&self) -> usize {
        self.places[0].test
    }

    /// True if the target is no longer in the state afterwards.
    pub(crate) fn disturbs(&self, setting: &Setting) -> bool {
        let mut only_reads = true;
        self.actions(setting, false, &mut |action| {
            only_reads &= matches!(action, Action::Load { load, .. } if !load.writes());
        });
        !only_reads
    }

    /// Passes its actions to `see`, see [`Work::actions`].
    pub(crate) fn actions(&self, setting: &Setting, copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        self.work.actions(setting, copied, see);
    }

    /// Returns its title, see [`Work::title`].
    pub(crate) fn title(&self) -> Option<Text> {
        self.work.title()
    }

    /// Measures, and records the results.
    pub(crate) fn run(&self, context: &Context<'_>, target: &mut dyn Target) -> Done {
        self.work.run(context, target, &self.places)
    }
}

/// The work of a procedure.
pub(crate) trait Work: Any + Debug + Send + Sync {
    /// Passes every action that it consists of to `see`, for a target that can be copied or cannot.
    fn actions(&self, setting: &Setting, copied: bool, see: &mut dyn FnMut(Action<'_>));

    /// Describes the work in words; `None` if its loads describe it.
    fn title(&self) -> Option<Text> {
        None
    }

    /// Measures, and records the results at these places.
    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done;
}

/// Plans one test.
pub(crate) struct Planner<'p> {
    pub(crate) setting: &'p Setting,
    /// States of the edition.
    pub(crate) states: &'p [State],
    pub(crate) wanted: Option<Wanted<'p>>,
    /// Index of the test among those of the plan.
    pub(crate) number: usize,
    pub(crate) test: PlannedTest,
    /// Points that are left out because the target takes no requests of their size.
    pub(crate) unaligned: usize,
    /// Unfinished result of an earlier run.
    pub(crate) earlier: Option<&'p TestResult>,
    /// Procedures of this test and of those before it.
    pub(crate) procedures: &'p mut Vec<Procedure>,
}

impl Planner<'_> {
    /// Returns the id of the test, from which random seeds derive.
    pub(crate) fn id(&self) -> &str {
        &self.test.head.id
    }

    /// Reserves the places of the next results of the test.
    pub(crate) fn places(&mut self, count: usize) -> Vec<Place> {
        let first = self.test.slots;
        self.test.slots += count;
        let place = |slot| Place {
            test: self.number,
            slot,
        };
        (first..self.test.slots).map(place).collect()
    }

    /// Adds a procedure with `results` results. It has no region, and may start in the state that
    /// the procedure before it in its test left.
    pub(crate) fn add(&mut self, state: usize, results: usize, work: impl Work) -> &mut Procedure {
        let places = self.places(results);
        self.procedures.push(Procedure {
            state,
            places,
            region_bytes: None,
            starts_anew: false,
            work: Box::new(work),
        });
        let last = self.procedures.len() - 1;
        &mut self.procedures[last]
    }

    /// Keeps the next result of an earlier run.
    pub(crate) fn take_over(&mut self, measured: Measurement) {
        let slot = self.test.slots;
        self.test.slots += 1;
        self.test.taken_over.push((slot, Arc::new(measured)));
    }

    /// Skips the test, because the target cannot do it.
    pub(crate) fn skip(&mut self, why: Text) {
        self.test.skipped = Some(why);
    }

    /// Adds a warning to the result.
    pub(crate) fn remark(&mut self, remark: Text) {
        self.test.head.warnings.push(remark);
    }

    /// True if the target takes requests of this size. If not, a point is counted as left out.
    pub(crate) fn takes(&mut self, block_bytes: u64) -> bool {
        self.takes_all([block_bytes])
    }

    /// True if the target takes requests of these sizes. If not, a point is counted as left out.
    pub(crate) fn takes_all(&mut self, blocks_bytes: impl IntoIterator<Item = u64>) -> bool {
        let mut blocks = blocks_bytes.into_iter();
        let takes = blocks.all(|block| self.setting.takes(block));
        self.unaligned += usize::from(!takes);
        takes
    }

    /// Finds the first procedure whose work has this type and satisfies `is`, with its places.
    pub(crate) fn find<W: Work>(
        &mut self,
        is: impl Fn(&W) -> bool,
    ) -> Option<(&mut W, &mut Vec<Place>)> {
        self.procedures.iter_mut().find_map(|procedure| {
            let work: &mut dyn Any = procedure.work.as_mut();
            let found = work.downcast_mut().filter(|found| is(found))?;
            Some((found, &mut procedure.places))
        })
    }
}
