//! Options of a review, and errors that prevent its start.

use stend_load::target::Target;
use stend_record::review::Review;

use crate::enough::EndsWhen;
use crate::kind::Wanted;
use crate::recorder::Save;
use crate::until_steady::SteadyLoad;
use stend_experiment::Slots;

/// Greatest factor on durations: two hours become eight days. A much greater one would exceed 64
/// bits of nanoseconds.
pub const DURATION_SCALE_MAX: f64 = 100.0;

/// Options of a review.
#[derive(Clone)]
pub struct ReviewOptions<'a> {
    /// Ids of the tests to run; `None` for all of the edition.
    pub tests: Option<Vec<String>>,
    /// Selects the points to measure of tests that consist of points; `None` for all. A test
    /// without some of its points reports it, and its review is not complete.
    pub wanted: Option<Wanted<'a>>,
    /// Decides when a measurement may end early; `None` measures all to the end. A measurement that
    /// ended early is reported in the warnings of its test. Only simulated drives end measurements
    /// early.
    pub ends_when: Option<EndsWhen<'a>>,
    /// True to report curves while they are measured ([`crate::Event::CurveGrew`]); no result
    /// depends on it.
    pub curves_grow: bool,
    /// Root seed: the seed of every job derives from it and from the job's name.
    pub seed: u64,
    /// Number of repetitions of every test, each with its own root seed
    /// ([`repetition_seed`](crate::repetition_seed)); 0 counts as 1.
    pub repeat: u32,
    /// Factor on every measurement. Runtimes are rounded to whole seconds, at least one; of traces,
    /// the first part is replayed. Filling the drive depends on its capacity, and rests are the
    /// time that the drive needs to finish its work: neither is scaled.
    pub duration_scale: f64,
    /// Number of procedures that run at the same time on a target that can be copied, and so the
    /// number of copies; 0 counts as 1. The result does not depend on it.
    pub threads: usize,
    /// Slots for procedures that several concurrent reviews share; `None` for one slot for each
    /// thread.
    pub slots: Option<&'a Slots>,
    /// Bytes that an endurance test may write to the target.
    pub write_budget_bytes: Option<u64>,
    /// Load that brings the target to a steady state before every test that starts from a written
    /// target.
    pub until_steady: Option<SteadyLoad>,
    /// Command that repeats the review, stored in it.
    pub reproduce: String,
    /// An earlier, partial review of the same target with the same edition, seed and scale: its
    /// finished tests are kept.
    pub resume: Option<Review>,
    /// Called with the partial review after every test that finished or failed.
    pub save: Option<Save<'a>>,
    /// Called with the target after the last test if it cannot be copied: in the state that the
    /// tests left.
    pub ended: Option<Ended<'a>>,
}

/// See [`ReviewOptions::ended`].
pub type Ended<'a> = &'a (dyn Fn(&mut dyn Target) + Sync);

impl Default for ReviewOptions<'_> {
    fn default() -> Self {
        ReviewOptions {
            tests: None,
            wanted: None,
            ends_when: None,
            curves_grow: false,
            seed: 1,
            repeat: 1,
            duration_scale: 1.0,
            threads: 1,
            slots: None,
            write_budget_bytes: None,
            until_steady: None,
            reproduce: String::new(),
            resume: None,
            save: None,
            ended: None,
        }
    }
}

/// Errors that prevent a review.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// A test that the edition does not have.
    #[error("edition {edition} has no test `{id}`; it has: {}", allowed.join(", "))]
    UnknownTest {
        /// Id of the edition.
        edition: String,
        /// The requested id.
        id: String,
        /// Ids of the edition's tests.
        allowed: Vec<String>,
    },
    /// An empty list of tests.
    #[error("no test was chosen; edition {edition} has: {}", allowed.join(", "))]
    NoTest {
        /// Id of the edition.
        edition: String,
        /// Ids of the edition's tests.
        allowed: Vec<String>,
    },
    /// A factor that is not above 0 and at most [`DURATION_SCALE_MAX`].
    #[error(
        "a duration scale of {0:?} is impossible: it must be above 0 and at most \
         {DURATION_SCALE_MAX}, such as 0.1 for a tenth of every duration"
    )]
    DurationScale(f64),
    /// Endless writing to a real target.
    #[error(
        "`{test}` writes until the target refuses, which ends the life of a drive: on a real \
         target it runs only as far as you state, with a write budget (--write-budget BYTES, such \
         as 2TB; in Python write_budget=BYTES); nothing has been written"
    )]
    BudgetMissing {
        /// Id of the test.
        test: String,
    },
    /// Endless writing to a target that never refuses.
    #[error(
        "`{test}` writes until the drive refuses, and nothing in this model wears out: say how \
         much is to be written, with a write budget (--write-budget BYTES, such as 2TB; in Python \
         write_budget=BYTES), or give the model an end ([health] end_of_life_cycles, or [blocks] \
         life_cycles)"
    )]
    Endless {
        /// Id of the test.
        test: String,
    },
    /// A budget without a test that it limits.
    #[error(
        "a write budget (--write-budget) is how much a test of endurance may write, and none was \
         chosen; other tests write as much as the target takes in their time. Leave it out, or \
         choose one (--edition endurance)"
    )]
    BudgetUnused,
    /// A budget for less than one request.
    #[error(
        "a write budget (--write-budget) of {budget} bytes is less than one request of the test, \
         {request} bytes"
    )]
    BudgetTooSmall {
        /// The given budget, bytes.
        budget: u64,
        /// Size of a request, bytes.
        request: u64,
    },
    /// The target returned no copy for a repetition.
    #[error("the target could not be copied for a repetition of the tests")]
    NoCopy,
    /// A write budget with several repetitions.
    #[error(
        "a write budget (--write-budget) is the most that may be written, and --repeat would \
         write it more than once: leave one of them out; nothing has been written"
    )]
    BudgetRepeated,
    /// Other tests beside an endurance test on one real target.
    #[error(
        "a write budget (--write-budget) is the most that may be written to a real target, and \
         could not be kept beside {}: choose `{test}` alone, with --tests {test}; nothing has \
         been written",
         others.join(", ")
    )]
    BudgetShared {
        /// Id of the endurance test.
        test: String,
        /// Ids of the others.
        others: Vec<String>,
    },
    /// An endurance test whose start state is written, on a real target.
    #[error(
        "a write budget (--write-budget) is the most that may be written to a real target, and \
         state `{state}`, from which `{test}` starts, is written as well: start it from a state \
         that is not (as that of --edition endurance); nothing has been written"
    )]
    BudgetPrepared {
        /// Id of the endurance test.
        test: String,
        /// Id of the state.
        state: String,
    },
    /// A steady state from which no test would start.
    #[error(
        "--until-steady changes nothing here: none of the chosen tests starts from a state that is \
         written and not steady already"
    )]
    NothingSteady,
    /// The review to resume differs in a property.
    #[error(
        "the earlier review cannot be continued: its {what} is {was}, now it is {is}; choose \
         another folder, or the same {what}"
    )]
    Resume {
        /// The property that differs.
        what: String,
        /// Its value in the earlier review.
        was: String,
        /// Its value now.
        is: String,
    },
}
