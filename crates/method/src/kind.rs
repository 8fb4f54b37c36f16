//! What a kind of test is: how it is planned, and the procedures that measure it.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use stend_load::target::Target;
use stend_record::load::Load;
use stend_record::review::TestResult;

use crate::context::Context;
use crate::recorder::{Done, Measurement, Place, PlannedTest};
use crate::setting::{Action, Setting};
use crate::state::State;

/// Whether a point of the test of this id is wanted. The load comes without its region.
pub type Wanted<'a> = &'a (dyn Fn(&str, &Load) -> bool + Sync);

/// A kind of test with the keys that an edition gives it.
pub(crate) trait Kind: Any {
    /// The states that it starts from, as indices in the edition's; none where it goes on
    /// after another test.
    fn states_mut(&mut self) -> Vec<&mut usize>;

    /// Why it cannot be done without writing; `None` if it, or a part of it, can.
    fn needs_writes(&self) -> Option<&'static str>;

    /// Why it cannot be done on a target without TRIM; `None` if it can. States of a test are
    /// made without TRIM there, and its result says so.
    fn needs_trim(&self) -> Option<&'static str> {
        None
    }

    /// Where it writes until the target refuses: by this load, from the state of this index.
    fn wears_out(&self) -> Option<(&Load, usize)> {
        None
    }

    /// Index of the test whose target it goes on with.
    fn continues(&self) -> Option<usize> {
        None
    }

    /// Makes it a test of a drive with a `by`-th of its capacity ([`crate::Edition::scaled`]).
    ///
    /// # Errors
    /// In words: why it cannot be made smaller.
    fn scale(&mut self, by: u32) -> Result<(), String>;

    /// Adds its procedures to the plan.
    fn plan(&self, planner: &mut Planner<'_>);
}

/// What is run on one target without interruption.
#[derive(Debug)]
pub(crate) struct Procedure {
    /// The state it starts from, as an index in the edition's.
    pub(crate) state: usize,
    /// Where its results go, in order; at least one.
    pub(crate) places: Vec<Place>,
    /// The region of its load, if it has one, bytes.
    pub(crate) region_bytes: Option<u64>,
    /// True when the state is made again even within a test.
    pub(crate) starts_anew: bool,
    work: Box<dyn Work>,
}

impl Procedure {
    /// The test it belongs to; of one that belongs to several, the first.
    pub(crate) fn test(&self) -> usize {
        self.places[0].test
    }

    /// True when the target is no longer in the state afterwards.
    pub(crate) fn disturbs(&self, setting: &Setting) -> bool {
        let mut only_reads = true;
        self.actions(setting, false, &mut |action| {
            only_reads &= matches!(action, Action::Load { load, .. } if !load.writes());
        });
        !only_reads
    }

    /// As [`Work::actions`].
    pub(crate) fn actions(&self, setting: &Setting, copied: bool, see: &mut dyn FnMut(Action<'_>)) {
        self.work.actions(setting, copied, see);
    }

    /// As [`Work::title`].
    pub(crate) fn title(&self) -> Option<String> {
        self.work.title()
    }

    /// Measures, and records the results.
    pub(crate) fn run(&self, context: &Context<'_>, target: &mut dyn Target) -> Done {
        self.work.run(context, target, &self.places)
    }
}

/// What a procedure does.
pub(crate) trait Work: Any + Debug + Send + Sync {
    /// Shows every action that it consists of, on a target that can be copied or cannot.
    fn actions(&self, setting: &Setting, copied: bool, see: &mut dyn FnMut(Action<'_>));

    /// What it measures, in words; `None` where its loads say it.
    fn title(&self) -> Option<String> {
        None
    }

    /// Measures, and records the results at these places.
    fn run(&self, context: &Context<'_>, target: &mut dyn Target, places: &[Place]) -> Done;
}

/// Plans one test.
pub(crate) struct Planner<'p> {
    pub(crate) setting: &'p Setting,
    /// Those of the edition.
    pub(crate) states: &'p [State],
    pub(crate) wanted: Option<Wanted<'p>>,
    /// Index of the test among those of the plan.
    pub(crate) number: usize,
    pub(crate) test: PlannedTest,
    /// What an earlier run has left unfinished of it.
    pub(crate) earlier: Option<&'p TestResult>,
    /// Procedures of this test and of those before it.
    pub(crate) procedures: &'p mut Vec<Procedure>,
}

impl Planner<'_> {
    /// Id of the test, which names random seeds.
    pub(crate) fn id(&self) -> &str {
        &self.test.head.id
    }

    /// The places of the next results of the test.
    pub(crate) fn places(&mut self, count: usize) -> Vec<Place> {
        let first = self.test.slots;
        self.test.slots += count;
        let place = |slot| Place {
            test: self.number,
            slot,
        };
        (first..self.test.slots).map(place).collect()
    }

    /// Adds a procedure with so many results. It has no region, and may start in the state that
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

    /// Takes the next result over from an earlier run.
    pub(crate) fn take_over(&mut self, measured: Measurement) {
        let slot = self.test.slots;
        self.test.slots += 1;
        self.test.taken_over.push((slot, Arc::new(measured)));
    }

    /// The target cannot do this test.
    pub(crate) fn skip(&mut self, why: String) {
        self.test.skipped = Some(why);
    }

    /// Sets the warning of the result; it replaces an earlier one.
    pub(crate) fn remark(&mut self, remark: String) {
        self.test.head.warnings = vec![remark];
    }

    /// The first procedure whose work is of this type and such that `is` holds, with its places.
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
