//! What is measured: taken from the lab where the same program measured it before, and
//! simulated otherwise, a drive a thread.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest, Sha256};
use stend_analysis::Load;
use stend_lab::Lab;
use stend_method::{EndsWhen, Event, ReviewOptions, estimate, run_review};
use stend_record::review::{Condition, Review, TargetInfo, TestResult};
use stend_target::{SimulatedTarget, Target};

use super::needs::{Job, has, loads};
use crate::failure::Failure;
use crate::laboratory::Keeper;
use crate::{note, signals};

/// Name of the fact by which a run is found again.
const KEY: &str = "made by";

/// How measuring is done.
pub struct Lookout<'a> {
    pub lab: &'a Path,
    pub seed: u64,
    pub duration_scale: f64,
    /// Nothing ends early.
    pub full_length: bool,
    /// Nothing is taken from the lab.
    pub fresh: bool,
    /// Drives at a time; the number of processors without.
    pub threads: Option<usize>,
}

/// What is known of a drive by an edition.
pub struct Held {
    pub target: TargetInfo,
    pub tests: Vec<TestResult>,
    /// What could not be measured, and why.
    pub failed: Vec<String>,
}

/// A drive of which something must be measured.
struct Task<'a> {
    index: usize,
    job: &'a Job<'a>,
    key: &'a str,
    /// What the lab has.
    there: Vec<TestResult>,
    tests: Vec<String>,
    /// Roughly, s on one processor.
    cost: f64,
}

/// Measures what the jobs want and the lab does not have; of each job, in their order.
pub fn measure(jobs: &[Job<'_>], how: &Lookout<'_>) -> Result<Vec<Held>, Failure> {
    let program = program_sha256()?;
    let keys: Vec<String> = jobs.iter().map(|job| key(job, &program, how)).collect();
    let lab = match how.fresh {
        true => None,
        false => Lab::look(how.lab)?,
    };
    let mut held = Vec::new();
    let mut tasks = Vec::new();
    for (index, (job, key)) in jobs.iter().zip(&keys).enumerate() {
        let there = match &lab {
            Some(lab) => earlier(lab, key, job)?,
            None => Vec::new(),
        };
        let tests = job.missing(&there);
        held.push(None);
        if tests.is_empty() {
            held[index] = Some(Held {
                target: info(job),
                tests: there,
                failed: Vec::new(),
            });
            continue;
        }
        tasks.push(Task {
            index,
            job,
            key,
            cost: cost(job, &tests, &there, how),
            there,
            tests,
        });
    }
    drop(lab);
    if !tasks.is_empty() {
        note(&format!(
            "{} drives to be simulated, {} taken from the lab",
            tasks.len(),
            jobs.len() - tasks.len()
        ));
    }
    for (index, done) in all(tasks, how)? {
        held[index] = Some(done);
    }
    Ok(held.into_iter().flatten().collect())
}

/// SHA-256 of the program: what another program measured counts for nothing.
fn program_sha256() -> Result<String, Failure> {
    let failed = |error| Failure::Io(format!("the program cannot read itself: {error}"));
    let path = std::env::current_exe().map_err(failed)?;
    Ok(hex(&std::fs::read(path).map_err(failed)?))
}

fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name of everything that figures depend on, but for the tests and points themselves: on a
/// simulated drive each yields the same alone as among the others.
fn key(job: &Job<'_>, program: &str, how: &Lookout<'_>) -> String {
    // Model and edition as they were understood, with the files that they name.
    let text = format!(
        "{program}\n{}\n{:?}\n{:?}\n{}\n{}\n{}\n{:?}",
        job.model.name,
        job.model.spec(),
        job.edition,
        how.seed,
        how.duration_scale,
        how.full_length,
        job.endings
    );
    hex(text.as_bytes())
}

fn earlier(lab: &Lab, key: &str, job: &Job<'_>) -> Result<Vec<TestResult>, Failure> {
    let mut tests = Vec::new();
    for run in lab.runs_where("environment", KEY, key)? {
        add(&mut tests, lab.review(run)?.tests, job);
    }
    Ok(tests)
}

/// Puts tests beside those there are; points that are new beside the others.
fn add(tests: &mut Vec<TestResult>, more: Vec<TestResult>, job: &Job<'_>) {
    for test in more {
        let Some(there) = tests.iter_mut().find(|there| there.id == test.id) else {
            tests.push(test);
            continue;
        };
        for point in test.points.into_iter().flatten() {
            if !has(there, &Load::of(&point)) {
                there.points.get_or_insert_with(Vec::new).push(point);
            }
        }
        let all = loads(job.edition, &there.id).len();
        let points = there.points.as_ref().map_or(0, Vec::len);
        there.left_out_points = all.saturating_sub(points) as u32;
    }
}

/// What the model is, without making a drive of it.
fn info(job: &Job<'_>) -> TargetInfo {
    SimulatedTarget::info_of(&job.model)
}

fn options<'a>(
    tests: &[String],
    how: &Lookout<'_>,
    wanted: stend_method::Wanted<'a>,
    ends_when: EndsWhen<'a>,
) -> ReviewOptions<'a> {
    ReviewOptions {
        tests: Some(tests.to_vec()),
        wanted: Some(wanted),
        ends_when: (!how.full_length).then_some(ends_when),
        seed: how.seed,
        duration_scale: how.duration_scale,
        ..ReviewOptions::default()
    }
}

fn cost(job: &Job<'_>, tests: &[String], there: &[TestResult], how: &Lookout<'_>) -> f64 {
    let wanted = |test: &str, load: &Load| wanted(job, there, test, load);
    let ends_when = |test: &str, curve: Option<&str>| job.ending(test, curve);
    let options = options(tests, how, &wanted, &ends_when);
    // Orders of magnitude, to begin with the longest and to tell the time left: a wrong one
    // costs a little idleness.
    estimate(job.edition, &options, &info(job), true).map_or(1.0, |asked| {
        let measured_s = match how.full_length {
            true => asked.measured_s,
            false => asked.writing_s,
        };
        // How many requests a simulated second has grows with the dies and the host's link.
        let iops = f64::from(job.model.spec().dies).sqrt();
        (asked.fill_bytes + asked.trace_bytes) as f64 / 100e9 + 0.001 * measured_s * iops
    })
}

/// Whether a point is looked at and not there yet.
fn wanted(job: &Job<'_>, there: &[TestResult], test: &str, load: &Load) -> bool {
    let held = there.iter().find(|held| held.id == test);
    job.wants(test, load) && !held.is_some_and(|held| has(held, load))
}

/// Carries the tasks out, the longest first.
fn all(mut tasks: Vec<Task<'_>>, how: &Lookout<'_>) -> Result<Vec<(usize, Held)>, Failure> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    tasks.sort_by(|a, b| b.cost.total_cmp(&a.cost));
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = how.threads.unwrap_or(processors).clamp(1, tasks.len());
    let progress = Progress::new(&tasks);
    let queue = Mutex::new(VecDeque::from(tasks));
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let worker = || -> Result<(), Failure> {
            loop {
                let task = lock(&queue).pop_front();
                let Some(task) = task else { return Ok(()) };
                let held = one(&task, how, &progress)?;
                lock(&done).push((task.index, held));
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            let panicked = |_| Failure::Io("a thread broke down".to_owned());
            worker.join().map_err(panicked)?
        })
    })?;
    progress.bar.finish_and_clear();
    Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures what a drive lacks, and keeps it.
fn one(task: &Task<'_>, how: &Lookout<'_>, progress: &Progress) -> Result<Held, Failure> {
    let job = task.job;
    let wanted = |test: &str, load: &Load| wanted(job, &task.there, test, load);
    let ends_when = |test: &str, curve: Option<&str>| job.ending(test, curve);
    let options = ReviewOptions {
        reproduce: format!(
            "stend review {} --edition {} --seed {} --tests {}",
            job.model.name,
            job.edition.id,
            how.seed,
            task.tests.join(",")
        ),
        ..options(&task.tests, how, &wanted, &ends_when)
    };
    let began = Instant::now();
    let target: Box<dyn Target> = Box::new(SimulatedTarget::new(job.model.clone()));
    let mut review = run_review(target, job.edition, &options, &|event| {
        progress.see(task, &event);
    })?;
    review.environment.push(Condition {
        name: KEY.to_owned(),
        value: task.key.to_owned(),
    });
    keep(&review, job, how)?;
    progress.finished(task, began.elapsed());
    let mut tests = task.there.clone();
    let failed = review.failed.iter();
    let failed = failed
        .map(|failed| {
            format!(
                "{}, edition {}, {}: {}",
                job.model.name, job.edition.id, failed.id, failed.error
            )
        })
        .collect();
    add(&mut tests, review.tests, job);
    Ok(Held {
        target: review.target,
        tests,
        failed,
    })
}

fn keep(review: &Review, job: &Job<'_>, how: &Lookout<'_>) -> Result<(), Failure> {
    signals::undisturbed(|| {
        let keeper = Keeper::open(how.lab, Path::new(""), &job.edition.sha256)?;
        keeper.keep(review, None)?;
        signals::hint(
            "; drives that were finished are kept, and the same command goes on from there"
                .to_owned(),
        );
        Ok(())
    })
}

/// The share of all drives together that is done, on stderr.
struct Progress {
    bar: ProgressBar,
    total: f64,
    /// By index of the task's job: what of its cost is done.
    done: Mutex<std::collections::BTreeMap<usize, f64>>,
    count: usize,
}

const STEPS: f64 = 10_000.0;

impl Progress {
    fn new(tasks: &[Task<'_>]) -> Progress {
        let bar = ProgressBar::new(STEPS as u64);
        let style = "findings [{bar:30}] {percent:>3} %, {eta} left, {wide_msg}";
        bar.set_style(
            ProgressStyle::with_template(style)
                .expect("the template is sound")
                .progress_chars("=> "),
        );
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Progress {
            bar,
            total: tasks.iter().map(|task| task.cost).sum(),
            done: Mutex::default(),
            count: tasks.len(),
        }
    }

    fn see(&self, task: &Task<'_>, event: &Event<'_>) {
        let share = match event {
            Event::Preparing { share_done, .. }
            | Event::PointFinished { share_done, .. }
            | Event::TestFinished { share_done, .. } => *share_done,
            _ => return,
        };
        self.at(task, share);
        self.bar
            .set_message(format!("{}, {}", task.job.model.name, task.job.edition.id));
    }

    fn at(&self, task: &Task<'_>, share: f64) {
        let mut done = lock(&self.done);
        done.insert(task.index, share * task.cost);
        let share = done.values().sum::<f64>() / self.total.max(f64::MIN_POSITIVE);
        self.bar.set_position((share * STEPS) as u64);
    }

    fn finished(&self, task: &Task<'_>, took: Duration) {
        self.at(task, 1.0);
        let done = lock(&self.done);
        let share = done.values().sum::<f64>() / self.total.max(f64::MIN_POSITIVE);
        let text = format!(
            "{}, edition {}: done in {:.1} s ({:.0} % of {} drives)",
            task.job.model.name,
            task.job.edition.id,
            took.as_secs_f64(),
            share * 100.0,
            self.count
        );
        self.bar.suspend(|| note(&text));
    }
}
