//! Puts results together in the edition's order, whatever the order they come in, and
//! reports and saves them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stend_analysis::{steady, words};
use stend_record::benchmark::BenchmarkCell;
use stend_record::endurance::Endurance;
use stend_record::review::{
    Condition, FailedTest, FileWork, JobText, Point, Response, Review, Rounds, Rung, Series,
    SteadyStart, TestResult,
};
use stend_record::traces::{TraceResult, overall_bw};
use stend_target::TargetError;

use crate::event::Event;
use crate::plan::{Dest, Plan};
use crate::run::Save;

/// One result.
pub(crate) struct Shot {
    /// What it is of, as it was said when it began.
    pub(crate) name: String,
    pub(crate) measured: Measured,
    /// The jobs by which it was measured, in their order.
    pub(crate) jobs: Vec<JobText>,
    pub(crate) warnings: Vec<String>,
}

/// What was measured.
pub(crate) enum Measured {
    Point(Point),
    Curve(Series),
    Response(Response),
    Cell(BenchmarkCell),
    Trace(Box<TraceResult>),
    Files(FileWork),
    /// A rung of a ladder, with its curve.
    Rung(Series, Rung),
    /// Rounds, with the jobs of the first.
    Rounds(Rounds),
    /// Writing until the target refused, with the jobs of the first round and of the reads.
    Endurance(Box<Endurance>),
}

type SlotResult = Option<Result<Arc<Shot>, Arc<TargetError>>>;

struct Progress {
    /// By test of the plan, by slot.
    slots: Vec<Vec<SlotResult>>,
    begun: Vec<bool>,
    /// Finished or failed; their slots are emptied.
    settled: Vec<bool>,
    cost_done: f64,
    /// Without tests; those are in `finished`.
    review: Review,
    /// Finished tests by index in the edition, those taken over among them.
    finished: Vec<Option<TestResult>>,
    failed: Vec<Option<FailedTest>>,
    /// Conditions that showed while states were made, by name: states are made in any order.
    notes: BTreeMap<String, Vec<String>>,
    /// How a state that is steady, or should be, was made last, by its id.
    steady: BTreeMap<String, SteadyStart>,
    /// Of the tests of the plan, the steady state that each result started from, by slot: on
    /// copies, results begin in any order.
    steady_starts: Vec<BTreeMap<usize, SteadyStart>>,
    /// Tests of endurance under way, by index in the edition.
    unfinished: Vec<Option<TestResult>>,
}

/// Where all results go. Shared by all workers.
pub(crate) struct Recorder<'a> {
    plan: &'a Plan<'a>,
    cost_total: f64,
    events: &'a (dyn Fn(Event<'_>) + Sync),
    save: Option<Save<'a>>,
    progress: Mutex<Progress>,
}

impl<'a> Recorder<'a> {
    /// A recorder of a review that holds everything but its tests; `finished` are taken
    /// over from an earlier run, with their index in the edition.
    pub(crate) fn new(
        plan: &'a Plan<'a>,
        cost_total: f64,
        events: &'a (dyn Fn(Event<'_>) + Sync),
        save: Option<Save<'a>>,
        review: Review,
        finished: Vec<Option<TestResult>>,
    ) -> Recorder<'a> {
        let slots = plan
            .tests
            .iter()
            .map(|t| (0..t.slots).map(|_| None).collect());
        Recorder {
            plan,
            cost_total,
            events,
            save,
            progress: Mutex::new(Progress {
                slots: slots.collect(),
                begun: vec![false; plan.tests.len()],
                settled: vec![false; plan.tests.len()],
                cost_done: 0.0,
                review,
                failed: vec![None; finished.len()],
                unfinished: begun(plan),
                finished,
                notes: BTreeMap::new(),
                steady: BTreeMap::new(),
                steady_starts: vec![BTreeMap::new(); plan.tests.len()],
            }),
        }
    }

    /// Events are emitted under the lock, so that shares of work done never fall.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn share(&self, progress: &Progress) -> f64 {
        match self.cost_total {
            total if total > 0.0 => (progress.cost_done / total).min(1.0),
            _ => 1.0,
        }
    }

    fn test_id(&self, test: usize) -> &'a str {
        &self.plan.edition.tests[self.plan.tests[test].index].id
    }

    /// What is to be said of how a state was made, in the order in which it was made each
    /// time.
    pub(crate) fn note(&self, name: String, value: String) {
        let mut progress = self.lock();
        let said = progress.notes.entry(name).or_default();
        // What an earlier run said of the same state of the same drive is said once.
        if said.last() != Some(&value) {
            said.push(value);
        }
    }

    /// Takes over what an earlier run noted.
    pub(crate) fn take_over(&self, notes: &[Condition]) {
        for note in notes {
            for value in note.value.split(AGAIN) {
                self.note(note.name.clone(), value.to_owned());
            }
        }
    }

    /// A state was written until it was steady, or as long as it was to be.
    pub(crate) fn made_steady(&self, start: SteadyStart) {
        self.lock().steady.insert(start.state.clone(), start);
    }

    /// Tests begin, or go on, from a state.
    pub(crate) fn starts_from(&self, dests: &[Dest], state: &str) {
        let mut progress = self.lock();
        let Some(start) = progress.steady.get(state).cloned() else {
            return;
        };
        for dest in dests {
            progress.steady_starts[dest.test].insert(dest.slot, start.clone());
        }
    }

    /// A test that outlasts its run is under way: it is kept as it stands.
    pub(crate) fn under_way(&self, dest: Dest, endurance: Endurance, jobs: &[JobText]) {
        let mut progress = self.lock();
        let slot: SlotResult = Some(Ok(Arc::new(Shot {
            name: String::new(),
            measured: Measured::Endurance(Box::new(endurance)),
            jobs: jobs.to_vec(),
            warnings: Vec::new(),
        })));
        let result = self.assemble(dest.test, &[slot], &progress.steady_starts[dest.test]);
        let index = self.plan.tests[dest.test].index;
        progress.unfinished[index] = Some(result);
        self.save(&review(&progress));
    }

    /// A preparation begins.
    pub(crate) fn preparing(&self, state: &str, step: &str) {
        let progress = self.lock();
        (self.events)(Event::Preparing {
            state,
            step,
            share_done: self.share(&progress),
        });
    }

    /// Work that yields no result of its own was done.
    pub(crate) fn spent(&self, cost: f64) {
        self.lock().cost_done += cost;
    }

    /// A test begins, unless it has begun.
    pub(crate) fn begin_test(&self, test: usize) {
        let mut progress = self.lock();
        if !std::mem::replace(&mut progress.begun[test], true) {
            let entry = &self.plan.edition.tests[self.plan.tests[test].index];
            (self.events)(Event::TestStarted {
                test: &entry.id,
                title: &entry.title,
            });
        }
    }

    /// A measurement begins.
    pub(crate) fn begin(&self, dest: Dest, name: &str, runtime_s: Option<u64>) {
        self.begin_test(dest.test);
        let _order = self.lock();
        (self.events)(Event::PointStarted {
            test: self.test_id(dest.test),
            point: name,
            runtime_s,
        });
    }

    /// A result is there; a fresh curve can be the result of two tests.
    pub(crate) fn record(&self, dests: &[Dest], shot: Shot, cost: f64) {
        let shot = Arc::new(shot);
        let mut progress = self.lock();
        progress.cost_done += cost;
        for dest in dests {
            (self.events)(Event::PointFinished {
                test: self.test_id(dest.test),
                point: &shot.name,
                share_done: self.share(&progress),
            });
            progress.slots[dest.test][dest.slot] = Some(Ok(Arc::clone(&shot)));
            self.settle(&mut progress, dest.test);
        }
    }

    /// Results that are not there will not come.
    pub(crate) fn fail(&self, dests: &[Dest], error: &Arc<TargetError>) {
        let mut progress = self.lock();
        for dest in dests {
            if progress.settled[dest.test] {
                continue;
            }
            progress.slots[dest.test][dest.slot].get_or_insert_with(|| Err(Arc::clone(error)));
            self.settle(&mut progress, dest.test);
        }
    }

    /// A test that the target cannot do: it has no results, and says why.
    pub(crate) fn skip(&self, test: usize, why: &str) {
        self.begin_test(test);
        let mut progress = self.lock();
        let index = self.plan.tests[test].index;
        let mut result = self.assemble(test, &[], &BTreeMap::new());
        result.warnings.push(why.to_owned());
        progress.finished[index] = Some(result);
        self.settle(&mut progress, test);
    }

    /// Closes a test of which every result is there or will not come.
    fn settle(&self, progress: &mut Progress, test: usize) {
        let slots = &progress.slots[test];
        if slots.iter().any(Option::is_none) {
            return;
        }
        let index = self.plan.tests[test].index;
        // The first error in the edition's order, so that it does not depend on chance.
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
                // What an earlier run finished, and was only made again, is not lost by it.
                if progress.finished[index].is_none() {
                    progress.failed[index] = Some(FailedTest {
                        id: self.test_id(test).to_owned(),
                        error: error.to_string(),
                    });
                }
                (self.events)(Event::TestFailed {
                    test: self.test_id(test),
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
        let mut steady_starts: Vec<SteadyStart> = Vec::new();
        for start in starts.values() {
            if !steady_starts.contains(start) {
                steady_starts.push(start.clone());
            }
        }
        let entry = &self.plan.edition.tests[self.plan.tests[test].index];
        let remark = self.plan.remarks.get(&test).cloned();
        let mut result = TestResult {
            id: entry.id.clone(),
            title: entry.title.clone(),
            method: entry.method.clone(),
            warnings: steady_starts
                .iter()
                .filter_map(|start| not_steady(start, self.plan.capacity_bytes))
                .chain(remark)
                .collect(),
            steady_starts,
            left_out_points: self.plan.left_out.get(&test).copied().unwrap_or(0),
            ..TestResult::default()
        };
        for shot in slots.iter().flatten().flatten() {
            match &shot.measured {
                Measured::Point(point) => result
                    .points
                    .get_or_insert_with(Vec::new)
                    .push(point.clone()),
                Measured::Curve(series) => result
                    .series
                    .get_or_insert_with(Vec::new)
                    .push(series.clone()),
                Measured::Response(response) => result
                    .responses
                    .get_or_insert_with(Vec::new)
                    .push(response.clone()),
                Measured::Cell(cell) => result
                    .benchmark
                    .get_or_insert_with(Vec::new)
                    .push(cell.clone()),
                Measured::Trace(trace) => result
                    .traces
                    .get_or_insert_with(Vec::new)
                    .push(trace.as_ref().clone()),
                Measured::Files(work) => {
                    result.files.get_or_insert_with(Vec::new).push(work.clone());
                }
                Measured::Rounds(rounds) => result.rounds = Some(rounds.clone()),
                Measured::Endurance(endurance) => {
                    result.endurance = Some(endurance.as_ref().clone());
                }
                Measured::Rung(series, rung) => {
                    let curves = result.series.get_or_insert_with(Vec::new);
                    curves.push(series.clone());
                    let rungs = result.rungs.get_or_insert_with(Vec::new);
                    rungs.push(rung.clone());
                }
            }
            result.jobs.extend(shot.jobs.iter().cloned());
            for warning in &shot.warnings {
                if !result.warnings.contains(warning) {
                    result.warnings.push(warning.clone());
                }
            }
        }
        result.overall_bw_bytes_per_s = result.traces.as_deref().and_then(overall_bw);
        result
    }

    fn save(&self, review: &Review) {
        if let Some(Err(problem)) = self.save.map(|save| save(review)) {
            (self.events)(Event::Warning {
                text: &format!("what is finished could not be saved: {problem}"),
            });
        }
    }

    /// The review as it stands.
    pub(crate) fn finish(&self) -> Review {
        review(&self.lock())
    }
}

/// Between what is noted of the same thing at different times.
const AGAIN: &str = "; again: ";

/// Tests of endurance that an earlier run has begun, by index in the edition.
fn begun(plan: &Plan<'_>) -> Vec<Option<TestResult>> {
    let tests = plan.edition.tests.iter();
    tests
        .map(|test| plan.begun.iter().find(|begun| begun.id == test.id).cloned())
        .collect()
}

/// What is to be said where a test was to start from a steady state and did not, or from one
/// that may not last: the definition is met by any five rounds at one speed.
fn not_steady(start: &SteadyStart, capacity_bytes: u64) -> Option<String> {
    if start.reached && start.written_bytes < capacity_bytes {
        return Some(format!(
            "state `{}` is steady by the definition, for which {} were written, less than the capacity: the drive may become slower still",
            start.state,
            words::bytes(start.written_bytes)
        ));
    }
    (!start.reached).then(|| {
        format!(
            "state `{}` was to be steady and is not: {}",
            start.state,
            steady::start_words(start)
        )
    })
}

fn review(progress: &Progress) -> Review {
    let mut review = progress.review.clone();
    let notes = progress.notes.iter().map(|(name, values)| Condition {
        name: name.clone(),
        value: values.join(AGAIN),
    });
    review.conditions.extend(notes);
    review.tests = progress.finished.iter().flatten().cloned().collect();
    review.failed = progress.failed.iter().flatten().cloned().collect();
    review.unfinished = progress.unfinished.iter().flatten().cloned().collect();
    let whole = review.tests.iter().all(|test| test.left_out_points == 0);
    review.complete = whole && review.failed.is_empty() && progress.settled.iter().all(|s| *s);
    review
}
