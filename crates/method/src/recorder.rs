//! Assembles results in the edition's order, in whatever order they arrive, and reports and saves
//! them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use stend_analysis::{implausible, steady, words};
use stend_language::recorded;
use stend_load::target::{Silences, TargetError};
use stend_record::review::{
    Condition, FailedTest, JobText, Results, Review, SteadyStart, TestResult, Text,
};
use stend_record::target::state_name;

use crate::cost::Cost;
use crate::event::Event;

/// Saves a partial review. An error message becomes a warning.
pub type Save<'a> = &'a (dyn Fn(&Review) -> Result<(), String> + Sync);

/// Outcome of a part of a plan: its results are recorded, or an error, which several tests may
/// share, ended it.
pub(crate) type Done = Result<(), Arc<TargetError>>;

/// The place of one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Index of the test in the plan.
    pub(crate) test: usize,
    /// Index among the test's results.
    pub(crate) slot: usize,
}

/// A test to carry out.
#[derive(Debug, Default)]
pub(crate) struct PlannedTest {
    /// Index among the tests of the edition.
    pub(crate) index: usize,
    /// The test's entry in the review, without results.
    pub(crate) head: TestResult,
    /// Number of its results.
    pub(crate) slots: usize,
    /// Results of an earlier run that are kept, by slot.
    pub(crate) taken_over: Vec<(usize, Arc<Measurement>)>,
    /// True if each result is saved at once, so that a later run can keep it.
    pub(crate) kept_in_parts: bool,
    /// Reason why the target cannot run it.
    pub(crate) skipped: Option<Text>,
}

/// One measurement.
#[derive(Debug)]
pub(crate) struct Measurement {
    /// Name of the measurement, see [`Recorder::begin`].
    pub(crate) name: Text,
    /// Jobs that measured it, in their order.
    pub(crate) jobs: Vec<JobText>,
    pub(crate) warnings: Vec<Text>,
    pub(crate) results: Results,
}

impl Measurement {
    /// Creates a measurement of one job with the same name.
    pub(crate) fn of_job(
        name: Text,
        text: String,
        warnings: Vec<Text>,
        results: Results,
    ) -> Measurement {
        let jobs = vec![JobText {
            name: name.clone(),
            text,
        }];
        Measurement {
            name,
            jobs,
            warnings,
            results,
        }
    }
}

type SlotResult = Option<Result<Arc<Measurement>, Arc<TargetError>>>;

struct Progress {
    /// By test of the plan and slot.
    slots: Vec<Vec<SlotResult>>,
    begun: Vec<bool>,
    /// Finished or failed tests; their slots are emptied.
    settled: Vec<bool>,
    cost_done: Cost,
    /// Measured part of the curves under way.
    cost_under_way: BTreeMap<Place, Cost>,
    /// Finished part of the writes under way that are not measured, by their numbers.
    cost_of_steps: BTreeMap<u64, Cost>,
    /// Number of the next such write.
    next_step: u64,
    /// The review without tests; those are in `finished`.
    review: Review,
    /// Finished tests by index in the edition, including those of an earlier run.
    finished: Vec<Option<TestResult>>,
    failed: Vec<Option<FailedTest>>,
    /// Values of conditions noted while states were prepared, by id and by state: states are
    /// prepared in any order.
    notes: BTreeMap<(Cow<'static, str>, Option<String>), Vec<Text>>,
    /// Last preparation of each state that must be steady, by its id.
    steady: BTreeMap<String, SteadyStart>,
    /// For the tests of the plan, the steady state that each result started from, by slot: on
    /// copies, results start in any order.
    steady_starts: Vec<BTreeMap<usize, SteadyStart>>,
    /// Tests that a later run can continue, by index in the edition.
    unfinished: Vec<Option<TestResult>>,
}

impl Progress {
    fn cost_so_far(&self) -> Cost {
        let under_way = self.cost_under_way.values();
        let under_way = under_way.chain(self.cost_of_steps.values());
        under_way.fold(self.cost_done, |sum, part| sum + *part)
    }
}

/// A curve under way.
pub(crate) struct Growing<'c> {
    pub(crate) place: Place,
    /// Its title in English.
    pub(crate) title: &'c str,
    /// Its cost.
    pub(crate) cost: Cost,
    /// Its length, s; `None` if it ends with its range.
    pub(crate) length_s: Option<f64>,
    /// Its range, bytes.
    pub(crate) range_bytes: u64,
}

/// Collects all results. Shared by all workers.
pub(crate) struct Recorder<'a> {
    tests: &'a [PlannedTest],
    capacity_bytes: u64,
    cost_total: Cost,
    events: &'a (dyn Fn(Event<'_>) + Sync),
    save: Option<Save<'a>>,
    /// Times in which the target answered nothing. Results of a target that notes some arrive in
    /// order, so that each is of the next result.
    silences: Silences,
    progress: Mutex<Progress>,
}

impl<'a> Recorder<'a> {
    /// Creates a recorder of a review that is complete except for its tests; `finished` and
    /// `unfinished` are from an earlier run, by index in the edition.
    pub(crate) fn new(
        tests: &'a [PlannedTest],
        cost_total: Cost,
        events: &'a (dyn Fn(Event<'_>) + Sync),
        save: Option<Save<'a>>,
        review: Review,
        (finished, unfinished): (Vec<Option<TestResult>>, Vec<Option<TestResult>>),
        silences: Silences,
    ) -> Recorder<'a> {
        let slots = tests.iter().map(|test| {
            let mut slots: Vec<SlotResult> = (0..test.slots).map(|_| None).collect();
            for (slot, measured) in &test.taken_over {
                slots[*slot] = Some(Ok(Arc::clone(measured)));
            }
            slots
        });
        Recorder {
            tests,
            capacity_bytes: review.target.capacity_bytes,
            cost_total,
            events,
            save,
            silences,
            progress: Mutex::new(Progress {
                slots: slots.collect(),
                begun: vec![false; tests.len()],
                settled: vec![false; tests.len()],
                cost_done: Cost::default(),
                cost_under_way: BTreeMap::new(),
                cost_of_steps: BTreeMap::new(),
                next_step: 0,
                review,
                failed: vec![None; finished.len()],
                unfinished,
                finished,
                notes: BTreeMap::new(),
                steady: BTreeMap::new(),
                steady_starts: vec![BTreeMap::new(); tests.len()],
            }),
        }
    }

    /// Events are emitted under the lock, so that shares of finished work never decrease.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock()
    }

    fn share(&self, progress: &Progress) -> f64 {
        match self.cost_total.total() {
            total if total > 0.0 => (progress.cost_so_far().total() / total).min(1.0),
            _ => 1.0,
        }
    }

    fn left(&self, progress: &Progress) -> Cost {
        self.cost_total - progress.cost_so_far()
    }

    /// Returns the id of the test that a place belongs to.
    pub(crate) fn test_id(&self, place: Place) -> &'a str {
        &self.tests[place.test].head.id
    }

    /// Returns the unfinished result that an earlier run left for the test of a place.
    pub(crate) fn unfinished(&self, place: Place) -> Option<TestResult> {
        self.lock().unfinished[self.tests[place.test].index].clone()
    }

    /// Notes a condition, such as the preparation of a state; several values of one condition keep
    /// their order.
    pub(crate) fn note(&self, note: Condition) {
        let mut progress = self.lock();
        let said = progress.notes.entry((note.id, note.of)).or_default();
        for value in note.value.items() {
            // The same note of an earlier run, perhaps by an earlier version, is not repeated.
            let same = |last: &Text| last.in_english() == value.in_english();
            if !said.last().is_some_and(same) {
                said.push(value.clone());
            }
        }
    }

    /// Copies the notes of an earlier run.
    pub(crate) fn take_over(&self, notes: Vec<Condition>) {
        notes.into_iter().for_each(|note| self.note(note));
    }

    /// Records that a state was written until it was steady, or for the allowed number of rounds.
    pub(crate) fn made_steady(&self, start: SteadyStart) {
        self.lock().steady.insert(start.state.clone(), start);
    }

    /// Records that tests start or continue from a state.
    pub(crate) fn starts_from(&self, places: &[Place], state: &str) {
        let mut progress = self.lock();
        let Some(start) = progress.steady.get(state).cloned() else {
            return;
        };
        for place in places {
            progress.steady_starts[place.test].insert(place.slot, start.clone());
        }
    }

    /// Saves the results so far of a test that a later run can continue.
    pub(crate) fn under_way(&self, place: Place, measured: Measurement) {
        let mut progress = self.lock();
        let slot: SlotResult = Some(Ok(Arc::new(measured)));
        let result = self.assemble(place.test, &[slot], &progress.steady_starts[place.test]);
        progress.unfinished[self.tests[place.test].index] = Some(result);
        self.save(&review(&progress));
    }

    /// Reports that unmeasured work starts, for a state or within a test.
    pub(crate) fn preparing(&self, state: &str, step: &str, part: Cost) {
        let progress = self.lock();
        (self.events)(Event::Preparing {
            state,
            step,
            part,
            left: self.left(&progress),
            share_done: self.share(&progress),
        });
    }

    /// Counts work that has no result of its own.
    pub(crate) fn spent(&self, cost: Cost) {
        self.lock().cost_done += cost;
    }

    /// Reports that a test starts, unless it has started.
    pub(crate) fn begin_test(&self, test: usize) {
        let mut progress = self.lock();
        if !std::mem::replace(&mut progress.begun[test], true) {
            let head = &self.tests[test].head;
            (self.events)(Event::TestStarted {
                test: &head.id,
                title: &head.title,
            });
        }
    }

    /// Reports that a measurement starts.
    pub(crate) fn begin(&self, place: Place, name: &Text, part: Cost) {
        self.begin_test(place.test);
        let progress = self.lock();
        (self.events)(Event::PointStarted {
            test: self.test_id(place),
            point: name,
            part,
            left: self.left(&progress),
        });
    }

    /// Returns the number of a write that is not measured and begins.
    pub(crate) fn begin_step(&self) -> u64 {
        let mut progress = self.lock();
        progress.next_step += 1;
        progress.next_step
    }

    /// Reports the share of such a write that is done.
    pub(crate) fn advanced(&self, step: u64, cost: Cost, share: f64) {
        let mut progress = self.lock();
        progress.cost_of_steps.insert(step, cost.times(share));
        (self.events)(Event::Advanced {
            part_share: share,
            left: self.left(&progress),
            share_done: self.share(&progress),
        });
    }

    /// Counts such a write, of which `cost` was done.
    pub(crate) fn end_step(&self, step: u64, cost: Cost) {
        let mut progress = self.lock();
        progress.cost_of_steps.remove(&step);
        progress.cost_done += cost;
    }

    /// Reports the growth of a curve by requests a second since the last call; `t_s` and `bytes`
    /// are its time and the bytes that it has moved.
    pub(crate) fn grew(
        &self,
        curve: &Growing<'_>,
        (t_s, bytes): (f64, u64),
        iops: f64,
        preliminary: bool,
    ) {
        let mut progress = self.lock();
        let share = match curve.length_s {
            Some(length_s) => t_s / length_s,
            None => bytes as f64 / curve.range_bytes.max(1) as f64,
        };
        let share = share.min(1.0);
        let measured = curve.cost.times(share);
        progress.cost_under_way.insert(curve.place, measured);
        (self.events)(Event::CurveGrew {
            test: self.test_id(curve.place),
            curve: curve.title,
            t_s,
            iops,
            preliminary,
            left: self.left(&progress),
            share_done: self.share(&progress),
        });
        if curve.length_s.is_none() {
            (self.events)(Event::Advanced {
                part_share: share,
                left: self.left(&progress),
                share_done: self.share(&progress),
            });
        }
    }

    /// Reports that a curve is measured.
    pub(crate) fn measured(&self, place: Place, curve: &str, points: &[(f64, f64)]) {
        let _one_at_a_time = self.lock();
        (self.events)(Event::CurveMeasured {
            test: self.test_id(place),
            curve,
            points,
        });
    }

    /// Records a result; a fresh curve can be the result of two tests.
    pub(crate) fn record(&self, places: &[Place], mut measured: Measurement, cost: Cost) {
        measured.warnings.extend(self.silences.take_warning());
        let measured = Arc::new(measured);
        let mut progress = self.lock();
        progress
            .cost_under_way
            .retain(|place, _| !places.contains(place));
        progress.cost_done += cost;
        for place in places {
            (self.events)(Event::PointFinished {
                test: self.test_id(*place),
                point: &measured.name,
                left: self.left(&progress),
                share_done: self.share(&progress),
            });
            progress.slots[place.test][place.slot] = Some(Ok(Arc::clone(&measured)));
            if self.tests[place.test].kept_in_parts {
                self.keep_parts(&mut progress, place.test);
            }
            self.settle(&mut progress, place.test);
        }
    }

    /// Saves the results so far of a test, if some are missing.
    fn keep_parts(&self, progress: &mut Progress, test: usize) {
        let slots = &progress.slots[test];
        if slots.iter().all(Option::is_some) {
            return;
        }
        let result = self.assemble(test, slots, &progress.steady_starts[test]);
        progress.unfinished[self.tests[test].index] = Some(result);
        self.save(&review(progress));
    }

    /// Finishes tests for which an earlier run left nothing to measure.
    pub(crate) fn settle_taken_over(&self) {
        for (number, test) in self.tests.iter().enumerate() {
            if !test.taken_over.is_empty() {
                self.settle(&mut self.lock(), number);
            }
        }
    }

    /// Marks results that are still missing as failed.
    pub(crate) fn fail(&self, places: &[Place], error: &Arc<TargetError>) {
        // Without a result there is nothing to warn of.
        let _ = self.silences.take_warning();
        let mut progress = self.lock();
        progress
            .cost_under_way
            .retain(|place, _| !places.contains(place));
        for place in places {
            if progress.settled[place.test] {
                continue;
            }
            progress.slots[place.test][place.slot].get_or_insert_with(|| Err(Arc::clone(error)));
            self.settle(&mut progress, place.test);
        }
    }

    /// Records a test that the target cannot run: it has no results, only the reason.
    pub(crate) fn skip(&self, test: usize, why: &Text) {
        self.begin_test(test);
        let mut progress = self.lock();
        let index = self.tests[test].index;
        let mut result = self.assemble(test, &[], &BTreeMap::new());
        result.warnings.push(why.clone());
        progress.finished[index] = Some(result);
        self.settle(&mut progress, test);
    }

    /// Finishes a test when every result is recorded or failed.
    fn settle(&self, progress: &mut Progress, test: usize) {
        let slots = &progress.slots[test];
        if slots.iter().any(Option::is_none) {
            return;
        }
        let index = self.tests[test].index;
        // The first error in the edition's order, so that it does not depend on timing.
        let error = slots
            .iter()
            .flatten()
            .find_map(|s| s.as_ref().err())
            .cloned();
        let succeeded = error.is_none();
        match error {
            None => {
                let result = self.assemble(test, slots, &progress.steady_starts[test]);
                let skipped = slots.is_empty() && progress.finished[index].is_some();
                progress.unfinished[index] = None;
                if !skipped {
                    progress.finished[index] = Some(result);
                }
            }
            Some(error) => {
                // A result that an earlier run finished, and that was only repeated, stays.
                if progress.finished[index].is_none() {
                    progress.failed[index] = Some(FailedTest {
                        id: self.tests[test].head.id.clone(),
                        error: error.to_string(),
                    });
                }
                (self.events)(Event::TestFailed {
                    test: &self.tests[test].head.id,
                    error: &error,
                });
            }
        }
        if let Some(result) = progress.finished[index].as_ref().filter(|_| succeeded) {
            for text in &result.warnings {
                (self.events)(Event::Warning { text });
            }
            (self.events)(Event::TestFinished {
                result,
                share_done: self.share(progress),
            });
        }
        progress.settled[test] = true;
        progress.slots[test] = Vec::new();
        self.save(&review(progress));
    }

    fn assemble(
        &self,
        test: usize,
        slots: &[SlotResult],
        starts: &BTreeMap<usize, SteadyStart>,
    ) -> TestResult {
        let mut result = self.tests[test].head.clone();
        let mut steady_starts = std::mem::take(&mut result.steady_starts);
        for start in starts.values() {
            if !steady_starts.contains(start) {
                steady_starts.push(start.clone());
            }
        }
        let said = |text: &Text| result.warnings.contains(text);
        let unsteady = |start| not_steady(start, self.capacity_bytes).filter(|text| !said(text));
        let unsteady: Vec<Text> = steady_starts.iter().filter_map(unsteady).collect();
        result.warnings.splice(0..0, unsteady);
        result.steady_starts = steady_starts;
        for measured in slots.iter().flatten().flatten() {
            result.add(measured.results.clone());
            result.jobs.extend(measured.jobs.iter().cloned());
            for warning in &measured.warnings {
                if !result.warnings.contains(warning) {
                    result.warnings.push(warning.clone());
                }
            }
        }
        result
    }

    fn save(&self, review: &Review) {
        if let Some(Err(problem)) = self.save.map(|save| save(review)) {
            (self.events)(Event::Warning {
                text: &recorded!("warning-not-saved", problem = problem),
            });
        }
    }

    /// Returns the review so far.
    pub(crate) fn finish(&self) -> Review {
        review(&self.lock())
    }
}

/// Separator between two values of a condition.
const AGAIN: &str = "; again: ";

/// Returns the warning on a test that did not start from a required steady state, or started from
/// one that may not last: any five rounds at one speed meet the definition.
fn not_steady(start: &SteadyStart, capacity_bytes: u64) -> Option<Text> {
    if start.reached && start.written_bytes < capacity_bytes {
        return Some(recorded!(
            "warning-steady-early",
            state = state_name(&start.state),
            written = words::bytes(start.written_bytes)
        ));
    }
    (!start.reached).then(|| {
        recorded!(
            "warning-state-not-steady",
            state = state_name(&start.state),
            how = steady::start_text(start)
        )
    })
}

fn review(progress: &Progress) -> Review {
    let mut review = progress.review.clone();
    let notes = progress.notes.iter().map(|((id, of), values)| Condition {
        id: id.clone(),
        of: of.clone(),
        value: Text::list(AGAIN, values.iter().cloned()),
    });
    review.conditions.extend(notes);
    review.tests = progress.finished.iter().flatten().cloned().collect();
    review.failed = progress.failed.iter().flatten().cloned().collect();
    review.unfinished = progress.unfinished.iter().flatten().cloned().collect();
    for (id, text) in implausible(&review) {
        let mut tests = review.tests.iter_mut();
        let test = tests.find(|test| test.id == id && !test.warnings.contains(&text));
        if let Some(test) = test {
            test.warnings.push(text);
        }
    }
    let whole = review.tests.iter().all(|test| test.left_out_points == 0);
    review.complete = whole && review.failed.is_empty() && progress.settled.iter().all(|s| *s);
    review
}
