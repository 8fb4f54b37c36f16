//! Results that findings need are read from the lab if the same program measured them before, and
//! simulated otherwise, one drive per thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use stend_analysis::Load;
use stend_experiment::{Done, Event, Order, Report, Run, Store, Task, Threads};
use stend_lab::{Lab, Program, RunContext, kept_key};
use stend_method::{EndsWhen, Event as ReviewEvent, ReviewOptions, estimate, run_review};
use stend_record::review::{Condition, Results, Review, TestResult};
use stend_record::sha256_hex;
use stend_simulated::SimulatedTarget;

use crate::check::loads;
use crate::error::ClaimsError;
use crate::needs::{MeasuredDrive, Measurement, has};

/// Options of the measurement.
#[derive(Clone)]
pub struct Options<'a> {
    /// Store of the results, such as a [`LabStore`].
    pub store: &'a dyn Store<Measured, ClaimsError>,
    /// Once it is set, no simulation begins, and those under way end early and are not stored.
    pub interrupt: Arc<AtomicBool>,
    /// Root seed.
    pub seed: u64,
    /// Factor for the duration of every measurement.
    pub duration_scale: f64,
    /// No measurement ends early.
    pub full_length: bool,
    /// Number of drives at a time; defaults to the number of CPUs.
    pub threads: Option<usize>,
}

/// A simulated drive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Its review.
    pub review: Review,
    /// SHA-256 of the edition's text.
    pub edition_sha256: String,
}

/// Store of simulated drives in a lab.
#[derive(Clone, Debug)]
pub struct LabStore {
    /// File of the lab.
    pub path: PathBuf,
    /// The program: results of another one are not used.
    pub program: Program,
    /// No result is read.
    pub fresh: bool,
}

impl Store<Measured, ClaimsError> for LabStore {
    fn known(&self, key: &str) -> Result<Vec<Measured>, ClaimsError> {
        let lab = match self.fresh {
            true => None,
            false => Lab::look(&self.path)?,
        };
        let Some(lab) = lab else {
            return Ok(Vec::new());
        };
        let runs = lab.runs_of_measurement(&kept_key(&self.program.id, key))?;
        let measured = |run| {
            Ok(Measured {
                review: lab.review(run)?,
                edition_sha256: lab.run(run)?.edition_sha256,
            })
        };
        runs.into_iter().map(measured).collect()
    }

    fn keep(&self, done: &Done<Measured>) -> Result<(), ClaimsError> {
        let context = RunContext {
            folder: Path::new(""),
            edition_sha256: &done.result.edition_sha256,
            measurement_key: Some(&kept_key(&self.program.id, &done.key)),
            stend_version: self.program.version,
            stend_commit: self.program.commit,
            now_unix_ms: (self.program.now_unix_ms)(),
        };
        Lab::open(&self.path)?.begin(&done.result.review, &context)?;
        Ok(())
    }
}

/// A drive that must be simulated, at least in part.
struct Simulation<'a> {
    /// Index of its measurement.
    index: usize,
    measurement: &'a Measurement<'a>,
    /// Known results.
    known: &'a [TestResult],
    /// Tests with missing results.
    tests: Vec<String>,
}

/// Measures the needed results that the store lacks; returns all results in the order of the needs.
///
/// # Errors
/// If the store cannot be read or written, or an edition cannot be run.
pub fn measure(
    measurements: &[Measurement<'_>],
    options: &Options<'_>,
    report: Report<'_, Measured>,
) -> Result<Vec<MeasuredDrive>, ClaimsError> {
    let drive = |measurement: &Measurement<'_>| {
        Ok(MeasuredDrive {
            target: SimulatedTarget::info_of(&measurement.model),
            tests: known(measurement, options)?,
            failed: Vec::new(),
        })
    };
    let drives: Result<Vec<MeasuredDrive>, ClaimsError> = measurements.iter().map(drive).collect();
    let mut drives = drives?;
    for (index, review) in simulate_all(measurements, &drives, options, report)? {
        let measurement = &measurements[index];
        let failed = review.failed.iter();
        let failed = failed.map(|one| format!("{}, {}: {}", measurement.name(), one.id, one.error));
        drives[index].failed = failed.collect();
        drives[index].target = review.target;
        add(&mut drives[index].tests, review.tests, measurement);
    }
    let drives = drives.into_iter().zip(measurements);
    Ok(drives
        .map(|(drive, of)| drive.scaled_back(of.edition.scaled_by))
        .collect())
}

/// Simulates the results that the drives lack, the longest first; returns the reviews, each with
/// the index of its measurement.
fn simulate_all(
    measurements: &[Measurement<'_>],
    drives: &[MeasuredDrive],
    options: &Options<'_>,
    report: Report<'_, Measured>,
) -> Result<Vec<(usize, Review)>, ClaimsError> {
    let mut open = Vec::new();
    for (index, (measurement, drive)) in measurements.iter().zip(drives).enumerate() {
        let tests = measurement.missing(&drive.tests);
        if !tests.is_empty() {
            open.push(Simulation {
                index,
                measurement,
                known: &drive.tests,
                tests,
            });
        }
    }
    if open.is_empty() {
        return Ok(Vec::new());
    }
    report(&Event::Planned {
        open: open.len(),
        known: measurements.len() - open.len(),
    });
    let task = |simulation: &Simulation<'_>| Task {
        needs: None,
        cost: simulation.cost(options),
    };
    let tasks: Vec<Task> = open.iter().map(task).collect();
    let reviews = Mutex::new(Vec::new());
    let run = Run {
        threads: options.threads.unwrap_or(Threads::default().0),
        order: Order::StatesFirst,
        interrupt: &options.interrupt,
        store: options.store,
        report,
    };
    run.carry_out(&tasks, open.len(), &|()| (), &|task, _, working| {
        let done = open[task].done(options, working)?;
        let review = done.result.review.clone();
        reviews.lock().push((open[task].index, review));
        Ok((None::<()>, vec![done]))
    })?;
    Ok(reviews.into_inner())
}

/// Key of everything that results depend on, except the program, and the tests and points
/// themselves: on a simulated drive each has the same result alone as among others.
pub(crate) fn key(measurement: &Measurement<'_>, options: &Options<'_>) -> String {
    // Parsed model and edition, including the files that they name.
    let text = format!(
        "{}\n{:?}\n{:?}\n{}\n{}\n{}\n{:?}",
        measurement.model.name,
        measurement.model.spec(),
        measurement.edition,
        options.seed,
        options.duration_scale,
        options.full_length,
        measurement.endings
    );
    sha256_hex(text)
}

/// Known results of a measurement.
pub(crate) fn known(
    measurement: &Measurement<'_>,
    options: &Options<'_>,
) -> Result<Vec<TestResult>, ClaimsError> {
    let mut tests = Vec::new();
    for measured in options.store.known(&key(measurement, options))? {
        add(&mut tests, measured.review.tests, measurement);
    }
    Ok(tests)
}

/// Adds tests, and adds missing points to existing tests.
fn add(tests: &mut Vec<TestResult>, more: Vec<TestResult>, measurement: &Measurement<'_>) {
    for test in more {
        let Some(there) = tests.iter_mut().find(|there| there.id == test.id) else {
            tests.push(test);
            continue;
        };
        for point in test.points() {
            if !has(there, &Load::of(point)) {
                there.add(Results::Points(vec![point.clone()]));
            }
        }
        let all = loads(measurement.edition, &there.id).len();
        there.left_out_points = all.saturating_sub(there.points().len()) as u32;
    }
}

/// Marks what is not the drive's own model, so that it represents its drive nowhere else.
fn mark_version(review: &mut Review, version: &str) {
    review.complete = false;
    review.environment.push(Condition::new("version", version));
}

impl Simulation<'_> {
    fn options<'a>(
        &self,
        options: &Options<'_>,
        wanted: stend_method::Wanted<'a>,
        ends_when: EndsWhen<'a>,
    ) -> ReviewOptions<'a> {
        ReviewOptions {
            reproduce: self.reproduce(options),
            tests: Some(self.tests.clone()),
            wanted: Some(wanted),
            ends_when: (!options.full_length).then_some(ends_when),
            seed: options.seed,
            duration_scale: options.duration_scale,
            ..ReviewOptions::default()
        }
    }

    /// The command that repeats the review.
    fn reproduce(&self, options: &Options<'_>) -> String {
        let measurement = self.measurement;
        let (drive, edition) = (&measurement.model.name, &measurement.edition.id);
        match &measurement.version {
            None => format!(
                "stend review {drive} --edition {edition} --seed {} --tests {}",
                options.seed,
                self.tests.join(",")
            ),
            Some(version) => format!("stend claims ({version} of {drive}, edition {edition})"),
        }
    }

    /// True if a point is needed and not known yet.
    fn wants(&self, test: &str, load: &Load) -> bool {
        let known = self.known.iter().find(|known| known.id == test);
        self.measurement.wants(test, load) && !known.is_some_and(|known| has(known, load))
    }

    /// Rough duration, s on one CPU.
    fn cost(&self, options: &Options<'_>) -> f64 {
        let measurement = self.measurement;
        let wanted = |test: &str, load: &Load| self.wants(test, load);
        let ends_when = |test: &str, curve: Option<&str>| measurement.ending(test, curve);
        let review = self.options(options, &wanted, &ends_when);
        // Only the order of magnitude matters, to begin with the longest and to estimate the time
        // left: an error costs a little idle time.
        let target = SimulatedTarget::info_of(&measurement.model);
        estimate(measurement.edition, &review, &target, true).map_or(1.0, |asked| {
            let measured_s = match options.full_length {
                true => asked.measured_s,
                false => asked.writing_s,
            };
            // The number of requests per simulated second grows with the number of dies and the
            // speed of the host's link.
            let iops = f64::from(measurement.model.spec().dies).sqrt();
            (asked.fill_bytes + asked.trace_bytes) as f64 / 100e9 + 0.001 * measured_s * iops
        })
    }

    /// Simulates the missing results.
    fn done(
        &self,
        options: &Options<'_>,
        working: &(dyn Fn(&str, f64) + Sync),
    ) -> Result<Done<Measured>, ClaimsError> {
        let measurement = self.measurement;
        let name = measurement.name();
        let wanted = |test: &str, load: &Load| self.wants(test, load);
        let ends_when = |test: &str, curve: Option<&str>| measurement.ending(test, curve);
        let review_options = self.options(options, &wanted, &ends_when);
        working(&name, 0.0);
        let mut target = SimulatedTarget::new(measurement.model.clone());
        target.set_interrupt(Some(Arc::clone(&options.interrupt)));
        let target = Box::new(target);
        let mut review = run_review(target, measurement.edition, &review_options, &|event| {
            if let ReviewEvent::Preparing { share_done, .. }
            | ReviewEvent::PointFinished { share_done, .. }
            | ReviewEvent::TestFinished { share_done, .. } = event
            {
                working(&name, share_done);
            }
        })?;
        if let Some(version) = &measurement.version {
            mark_version(&mut review, version);
        }
        let edition_sha256 = measurement.edition.sha256.clone();
        Ok(Done {
            key: key(measurement, options),
            name,
            result: Measured {
                review,
                edition_sha256,
            },
        })
    }
}
