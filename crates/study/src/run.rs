//! Carries out the rows of a study on threads.
//!
//! A state that rows begin from is prepared when the first of them is due, and each row runs on a
//! copy of it.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stend_analysis::{figure_name, key_figures};
use stend_base::Nanos;
use stend_experiment::{Figure, Interrupted, Job, Order, Report, Run, Step, Store, Task, prepare};
use stend_load::Sample;
use stend_load::runner::{Flow, Progress};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_record::study::StudyRow;
use stend_simulated::SimulatedTarget;

use crate::error::StudyError;
use crate::plan::{Done, Outcomes, Plan, PlannedRow, Work};
use crate::series;

/// Virtual time between two calls of [`Watch::progress`].
const WATCHED_EVERY: Nanos = Nanos::from_secs(10);

/// Options of a run.
#[derive(Clone)]
pub struct Options {
    /// Number of concurrent rows; 0 counts as 1. No result depends on it.
    pub threads: usize,
    /// Set to interrupt the run: nothing more starts, rows in progress end early and are discarded.
    pub interrupt: Arc<AtomicBool>,
    /// Folder in which the samples of each row of a job are stored, in a file each:
    /// `series-NUMBER.parquet`, or `.csv` without the feature `parquet`.
    pub series: Option<PathBuf>,
    /// Observer of the rows of jobs.
    pub watch: Option<Arc<dyn Watch>>,
}

/// Observes the rows of jobs in progress, from several threads, without changing them.
pub trait Watch: Send + Sync {
    /// Receives the progress of a row's job, every 10 s of virtual time.
    fn progress(&self, row: &PlannedRow, progress: &Progress);

    /// Receives the samples of a row's job, before the row is stored.
    fn samples(&self, row: &PlannedRow, samples: &[Sample]);
}

/// Carries out the rows with these numbers. Each is stored when it is finished, in no particular
/// order. Both `store` and `report` are called by one thread at a time.
///
/// # Errors
/// [`StudyError::Interrupted`] after an interrupt; an error of `store`, after which nothing more is
/// carried out.
///
/// # Panics
/// If a number is not one of the plan's.
pub fn run(
    plan: &Plan,
    numbers: &[u64],
    options: &Options,
    store: &dyn Store<StudyRow, StudyError>,
    report: Report<'_, StudyRow>,
) -> Result<(), StudyError> {
    let wanted: BTreeSet<u64> = numbers.iter().copied().collect();
    let (works, tasks): (Vec<TaskWork>, Vec<Task>) = tasks(plan, &wanted).into_iter().unzip();
    let run = Run {
        threads: options.threads,
        order: Order::StatesLast,
        interrupt: &options.interrupt,
        store,
        report,
    };
    let copy = |state: &mut Prepared| Arc::clone(state);
    run.carry_out(&tasks, wanted.len(), &copy, &|task, state, working| {
        Ok(match &works[task] {
            TaskWork::Prepare(first, rows) => {
                let row = plan.planned(*first);
                let s = if *rows == 1 { "" } else { "s" };
                let doing = format!("{}: preparing a state for {rows} row{s}", row.model);
                working(&doing, 0.0);
                (Some(Arc::new(plan.prepared(row, options))), Vec::new())
            }
            TaskWork::Rows(numbers) => (None, plan.carried_out(numbers, state, options)?),
        })
    })
}

/// A prepared state, or the error of its preparation.
type Prepared = Arc<Result<SimulatedTarget, String>>;

/// Work of a task.
enum TaskWork {
    /// Prepares the state of rows: the first of them, and their number.
    Prepare(u64, usize),
    /// Carries rows out together; those of jobs, one by one, from a copy of their state.
    Rows(Vec<u64>),
}

/// Work of each task, and the task, for the rows with these numbers.
fn tasks(plan: &Plan, wanted: &BTreeSet<u64>) -> Vec<(TaskWork, Task)> {
    let mut tasks = Vec::new();
    for group in plan.groups() {
        let group: Vec<u64> = group.into_iter().filter(|n| wanted.contains(n)).collect();
        let Some(&first) = group.first() else {
            continue;
        };
        match &plan.works[plan.planned(first).work] {
            Work::Job { .. } => {
                let needs = Some(tasks.len());
                tasks.push((TaskWork::Prepare(first, group.len()), Task::default()));
                let row = |number| {
                    let task = Task { needs, cost: 1.0 };
                    (TaskWork::Rows(vec![number]), task)
                };
                tasks.extend(group.into_iter().map(row));
            }
            Work::Test { .. } => {
                let cost = group.len() as f64;
                tasks.push((TaskWork::Rows(group), Task { needs: None, cost }));
            }
        }
    }
    tasks
}

/// Outcomes of a job, with its samples.
type Taken = (Vec<(String, f64)>, Vec<Sample>);

impl Plan {
    fn planned(&self, number: u64) -> &PlannedRow {
        &self.rows[number as usize]
    }

    /// Prepares the state from which a row starts.
    fn prepared(&self, row: &PlannedRow, options: &Options) -> Result<SimulatedTarget, String> {
        let model = self.model(row)?;
        let of = |error| format!("prepare: {error}");
        let steps = self.steps(row, &model).map_err(of)?;
        let prepared = undisturbed(|| prepare(model, &steps, Some(&options.interrupt)));
        let mut target = prepared.map_err(of)?;
        // Separates data that copies share from data that they change.
        target.drive_mut().share();
        Ok(target)
    }

    /// Carries out the rows of a task.
    fn carried_out(
        &self,
        numbers: &[u64],
        state: Option<Prepared>,
        options: &Options,
    ) -> Result<Vec<Done>, StudyError> {
        let first = self.planned(numbers[0]);
        let mut samples: Option<Vec<Sample>> = None;
        let outcomes: Vec<Outcomes> = match &self.works[first.work] {
            Work::Job { .. } => {
                let state = state.expect("the state of a job is prepared");
                let measured = self.job(first, state, options);
                vec![measured.map(|(outcomes, of_job)| {
                    samples = Some(of_job);
                    outcomes
                })]
            }
            Work::Test { edition, .. } => {
                let rows: Vec<&PlannedRow> = numbers.iter().map(|n| self.planned(*n)).collect();
                match self.model(first) {
                    Err(problem) => vec![Err(problem); numbers.len()],
                    Ok(model) => {
                        let mut target = SimulatedTarget::new(model);
                        target.set_interrupt(Some(Arc::clone(&options.interrupt)));
                        self.tests(&rows, edition, target)
                    }
                }
            }
        };
        // A row that ended early is not a result.
        if options.interrupt.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        let rows = numbers.iter().zip(outcomes);
        let rows: Vec<Done> = rows
            .map(|(number, outcomes)| self.planned(*number).done(outcomes))
            .collect();
        if let Some(samples) = samples {
            if let Some(folder) = &options.series {
                series::write(folder, &rows[0].result, &samples)?;
            }
            if let Some(watch) = &options.watch {
                watch.samples(first, &samples);
            }
        }
        Ok(rows)
    }

    fn job(&self, row: &PlannedRow, state: Prepared, options: &Options) -> Result<Taken, String> {
        let Work::Job {
            sample_ms,
            outcomes,
            ..
        } = &self.works[row.work]
        else {
            unreachable!("the row is of a job");
        };
        let step = Step::Job(Job {
            text: row.job_text.clone(),
            seed: row.seed,
            sample_ms: *sample_ms,
        });
        // The last row uses the state itself.
        let mut target = Arc::try_unwrap(state).unwrap_or_else(|state| (*state).clone())?;
        let watched = |progress: &Progress| {
            if let Some(watch) = &options.watch {
                watch.progress(row, progress);
            }
            Flow::GoOn
        };
        let watch = options.watch.as_ref();
        let watch = watch.map(|_| stend_experiment::Watch {
            progress: &watched,
            every: WATCHED_EVERY,
        });
        let result = undisturbed(|| step.carry_out(&mut target, watch))?;
        let values = outcomes.iter().filter_map(|(name, metric)| {
            let value = Figure::from(metric.clone()).value(&result)?;
            Some((name.clone(), value))
        });
        let values = values.collect();
        let samples = result.job.map_or_else(Vec::new, |job| job.samples);
        Ok((values, samples))
    }

    /// Returns the key figures of tests of one edition.
    fn tests(
        &self,
        rows: &[&PlannedRow],
        edition: &Edition,
        target: SimulatedTarget,
    ) -> Vec<Outcomes> {
        let options = ReviewOptions {
            tests: Some(rows.iter().map(|row| row.job.clone()).collect()),
            seed: rows[0].seed,
            duration_scale: self.definition.duration_scale,
            ..ReviewOptions::default()
        };
        let review = || run_review(Box::new(target), edition, &options, &|_| ());
        let review = match undisturbed(review) {
            Ok(review) => review,
            Err(error) => return vec![Err(error); rows.len()],
        };
        let of_row = |row: &&PlannedRow| {
            if let Some(failed) = review.failed.iter().find(|test| test.id == row.job) {
                return Err(failed.error.clone());
            }
            let figures = key_figures(&review.tests).into_iter();
            let figures = figures.filter(|figure| figure.test_id == row.job);
            let named = figures.map(|figure| {
                let name = format!(
                    "{}_{}",
                    column(&figure_name(&figure.figure)),
                    figure.unit.key()
                );
                (name, figure.value)
            });
            let named: Vec<_> = named.collect();
            match named.is_empty() {
                true => Err("the test has no key figures".to_owned()),
                false => Ok(named),
            }
        };
        rows.iter().map(of_row).collect()
    }
}

/// Returns the name of a column: lower-case letters, digits and `_`.
fn column(words: &str) -> String {
    let of = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => ' ',
    };
    let words: String = words.chars().map(of).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join("_")
}

/// Turns a panic of the simulation, which is a defect, into the error of a row.
fn undisturbed<T, E: ToString>(act: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("the simulation panicked: {}", words_of(&*panic))),
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let string = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(string).unwrap_or("without a word")
}
