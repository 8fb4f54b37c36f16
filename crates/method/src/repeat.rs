//! Runs every test several times, with other seeds: the whole edition, repetition after repetition.
//!
//! A repetition is a separate review, with its own seed, and independent of the others. A test is
//! finished when all of its repetitions are; until then each is among the unfinished tests of the
//! review, with its number.

use parking_lot::Mutex;

use stend_analysis::repeated;
use stend_language::recorded;
use stend_load::target::Target;
use stend_record::review::{Condition, FailedTest, Review, TestResult};

use crate::choice;
use crate::cost::Cost;
use crate::edition::Edition;
use crate::event::Event;
use crate::options::{MethodError, ReviewOptions};
use crate::run::once;
use stend_base::job_seed;

/// Runs the chosen tests of `edition` on `target`.
///
/// An error of a test is part of the review (`failed`); the others continue if possible. An `Err`
/// means that nothing was done.
pub fn run_review(
    target: Box<dyn Target>,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    events: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Review, MethodError> {
    check_resume(options)?;
    match options.repeat {
        0 | 1 => once(&mut Some(target), true, edition, options, events),
        _ => run(target, edition, options, events),
    }
}

/// Returns the root seed of a repetition, which counts from 0: the first has that of the review.
pub fn repetition_seed(seed: u64, number: u32) -> u64 {
    match number {
        0 => seed,
        _ => job_seed(seed, &format!("repetition {}", number + 1)),
    }
}

/// Results of all repetitions.
struct Repetitions<'a> {
    edition: &'a Edition,
    options: &'a ReviewOptions<'a>,
    /// Tests of which an earlier run finished all repetitions.
    merged: Vec<TestResult>,
    /// Finished tests of each repetition.
    parts: Vec<Vec<TestResult>>,
    /// Repetitions that ended, as reviews.
    done: Vec<Review>,
}

/// Runs a review like [`run_review`], with more than one repetition.
fn run(
    target: Box<dyn Target>,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    events: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Review, MethodError> {
    let count = options.repeat;
    if options.write_budget_bytes.is_some() {
        return Err(MethodError::BudgetRepeated);
    }
    let mut all = Repetitions::new(edition, options);
    let mut target = Some(target);
    let whole = Mutex::new(None);
    for number in 0..count {
        let tell = |event: Event<'_>| shifted(event, number, count, &whole, events);
        let save = |partial: &Review| match options.save {
            None => Ok(()),
            Some(save) => save(&all.together(number, partial)),
        };
        let last = number + 1 == count;
        let of_one = ReviewOptions {
            repeat: 1,
            seed: repetition_seed(options.seed, number),
            resume: all.earlier(number),
            save: Some(&save),
            ended: options.ended.filter(|_| last),
            ..options.clone()
        };
        tell(Event::Repetition { number, count });
        let review = once(&mut target, last, edition, &of_one, &tell)?;
        all.parts[number as usize] = all.own(&review);
        all.done.push(review);
    }
    let last = all.done.pop().expect("there is at least one repetition");
    Ok(all.together(count - 1, &last))
}

/// Checks that an earlier review has the same number of repetitions.
fn check_resume(options: &ReviewOptions<'_>) -> Result<(), MethodError> {
    match &options.resume {
        Some(earlier) => choice::check_same_repetitions(earlier, options),
        None => Ok(()),
    }
}

impl<'a> Repetitions<'a> {
    fn new(edition: &'a Edition, options: &'a ReviewOptions<'a>) -> Repetitions<'a> {
        let mut parts = vec![Vec::new(); options.repeat as usize];
        let earlier = options.resume.iter();
        for test in earlier.clone().flat_map(|review| &review.unfinished) {
            let number = test.repetition.and_then(|number| number.checked_sub(1));
            if let Some(part) = number.and_then(|number| parts.get_mut(number as usize)) {
                part.push(TestResult {
                    repetition: None,
                    ..test.clone()
                });
            }
        }
        Repetitions {
            edition,
            options,
            merged: earlier.flat_map(|review| review.tests.clone()).collect(),
            parts,
            done: Vec::new(),
        }
    }

    /// Returns the review that a repetition resumes: its finished tests, and all that are merged
    /// already.
    fn earlier(&self, number: u32) -> Option<Review> {
        let part = &self.parts[number as usize];
        let tests: Vec<TestResult> = self.merged.iter().chain(part).cloned().collect();
        let earlier = self.options.resume.as_ref();
        earlier.filter(|_| !tests.is_empty()).map(|earlier| Review {
            seed: repetition_seed(earlier.seed, number),
            repeat: 0,
            tests,
            unfinished: Vec::new(),
            ..earlier.clone()
        })
    }

    /// Returns the finished tests that belong only to this repetition.
    fn own(&self, of: &Review) -> Vec<TestResult> {
        let merged = |test: &&TestResult| !self.merged.iter().any(|other| other.id == test.id);
        of.tests.iter().filter(merged).cloned().collect()
    }

    /// Merges all results so far while a repetition runs, or when it has just ended.
    fn together(&self, number: u32, now: &Review) -> Review {
        let own = self.own(now);
        let parts = || {
            let all = self.parts.iter().enumerate();
            all.map(|(at, part)| if at == number as usize { &own } else { part })
        };
        let (mut tests, mut unfinished) = (Vec::new(), Vec::new());
        for test in &self.edition.tests {
            if let Some(merged) = self.merged.iter().find(|merged| merged.id == test.id) {
                tests.push(merged.clone());
                continue;
            }
            let of_part = |part: &'_ Vec<TestResult>| -> Option<TestResult> {
                part.iter().find(|other| other.id == test.id).cloned()
            };
            let found: Vec<(u32, TestResult)> = (1..)
                .zip(parts())
                .filter_map(|(number, part)| Some((number, of_part(part)?)))
                .collect();
            if found.len() == self.parts.len() {
                let all: Vec<&TestResult> = found.iter().map(|(_, test)| test).collect();
                tests.push(repeated::merged(&all));
                continue;
            }
            unfinished.extend(found.into_iter().map(|(number, test)| TestResult {
                repetition: Some(number),
                ..test
            }));
        }
        let reviews = || self.done.iter().chain(std::iter::once(now));
        let first = self.done.first().unwrap_or(now);
        let mut smart = first.smart.clone();
        if let (Some(smart), Some(last)) = (&mut smart, &now.smart) {
            smart.after.clone_from(&last.after);
        }
        Review {
            seed: self.options.seed,
            repeat: self.options.repeat,
            complete: reviews().count() == self.parts.len() && reviews().all(|r| r.complete),
            conditions: self.conditions(&reviews().collect::<Vec<_>>()),
            tests,
            failed: self.failed(reviews()),
            unfinished,
            smart,
            ..first.clone()
        }
    }

    fn conditions(&self, reviews: &[&Review]) -> Vec<Condition> {
        let mut all = reviews[0].conditions.clone();
        for other in reviews.iter().flat_map(|review| &review.conditions) {
            let known = |condition: &Condition| condition.is_like(other);
            if !all.iter().any(known) {
                all.push(other.clone());
            }
        }
        let seeds = (0..self.options.repeat).map(|n| repetition_seed(self.options.seed, n));
        let seeds: Vec<String> = seeds.map(|seed| seed.to_string()).collect();
        let value = recorded!(
            "value-repetitions",
            count = seeds.len(),
            seeds = seeds.join(", ")
        );
        all.push(Condition::new("repetitions", value));
        all
    }

    /// Returns the first failure of each test.
    fn failed<'r>(&self, reviews: impl Iterator<Item = &'r Review>) -> Vec<FailedTest> {
        let mut failed: Vec<FailedTest> = Vec::new();
        for (number, review) in (1..).zip(reviews) {
            for test in &review.failed {
                if !failed.iter().any(|other| other.id == test.id) {
                    failed.push(FailedTest {
                        id: test.id.clone(),
                        error: format!("repetition {number}: {}", test.error),
                    });
                }
            }
        }
        failed
    }
}

/// Reports an event of a repetition as one of the whole: shares of all work, and the rest of it.
fn shifted(
    mut event: Event<'_>,
    number: u32,
    count: u32,
    planned: &Mutex<Option<Cost>>,
    events: &dyn Fn(Event<'_>),
) {
    let mut planned = planned.lock();
    let later = f64::from(count - 1 - number);
    match &mut event {
        Event::Planned { whole, .. } => {
            let first = planned.replace(*whole).is_none();
            *whole = whole.times(f64::from(count));
            if !first {
                return;
            }
        }
        Event::Preparing { left, .. }
        | Event::PointStarted { left, .. }
        | Event::CurveGrew { left, .. }
        | Event::Advanced { left, .. }
        | Event::PointFinished { left, .. } => {
            *left += planned.unwrap_or_default().times(later);
        }
        _ => {}
    }
    if let Event::Preparing { share_done, .. }
    | Event::CurveGrew { share_done, .. }
    | Event::Advanced { share_done, .. }
    | Event::PointFinished { share_done, .. }
    | Event::TestFinished { share_done, .. } = &mut event
    {
        *share_done = (f64::from(number) + *share_done) / f64::from(count);
    }
    events(event);
}
