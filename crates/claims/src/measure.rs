//! Results that findings need are read from the lab if the same program measured them before, and
//! simulated otherwise, one drive per thread.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use stend_experiment::{Order, Slots, Task};

use stend_analysis::Load;
use stend_lab::Lab;
use stend_method::{EndsWhen, Event as ReviewEvent, ReviewOptions, estimate, run_review};
use stend_record::review::{Condition, Results, Review, TestResult};
use stend_record::sha256_hex;
use stend_simulated::SimulatedTarget;

use crate::check::loads;
use crate::error::ClaimsError;
use crate::needs::{MeasuredDrive, Measurement, has};

/// Options of the measurement.
pub struct Options<'a> {
    /// Lab with earlier results.
    pub lab: &'a Path,
    /// Identifies the program: results of another program are not used ([`program_sha256`]).
    pub program: &'a str,
    /// Once it is set, no simulation begins, and those under way end early and are not stored.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Root seed.
    pub seed: u64,
    /// Factor for the duration of every measurement.
    pub duration_scale: f64,
    /// No measurement ends early.
    pub full_length: bool,
    /// No result is read from the lab.
    pub fresh: bool,
    /// Number of drives at a time; defaults to the number of CPUs.
    pub threads: Option<usize>,
}

/// Event of the measurement.
pub enum Event<'a> {
    /// The measurement of a version of all drives begins.
    Version {
        /// Number of the version, from 0.
        number: u32,
        /// Number of versions.
        of: u32,
    },
    /// Planned simulations; reported once, before the first, and only if there are any.
    Planned {
        /// Number of drives that must be simulated, at least in part.
        to_simulate: usize,
        /// Number of drives whose results are all in the lab.
        from_lab: usize,
    },
    /// A drive is being simulated.
    Working {
        /// Name of its model.
        drive: &'a str,
        /// Id of the edition.
        edition: &'a str,
        /// Share of all simulations that is done, 0 to 1.
        share_done: f64,
    },
    /// A drive is finished, and its results are stored.
    Finished {
        /// Name of its model.
        drive: &'a str,
        /// Id of the edition.
        edition: &'a str,
        /// Duration of the simulation.
        took: Duration,
        /// Share of all simulations that is done, 0 to 1.
        share_done: f64,
    },
}

/// A simulated drive, to be stored in the lab.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Its review.
    pub review: Review,
    /// SHA-256 of the edition's text.
    pub edition_sha256: String,
    /// Key by which the lab finds the run again.
    pub key: String,
}

/// Stores a simulated drive in the lab.
pub type Keep<'a, E> = &'a (dyn Fn(&Measured) -> Result<(), E> + Sync);

/// A drive that must be simulated, at least in part.
struct Simulation<'a> {
    /// Index of its measurement.
    index: usize,
    measurement: &'a Measurement<'a>,
    key: &'a str,
    /// Results in the lab.
    known: Vec<TestResult>,
    /// Tests with missing results.
    tests: Vec<String>,
    /// Rough cost, s on one CPU.
    cost: f64,
}

/// Measures the needed results that the lab lacks; returns all results in the order of the needs.
///
/// Each simulated drive is passed to `keep` immediately. `keep` and `report` are called from
/// several threads.
///
/// # Errors
/// If the lab cannot be read, an edition cannot be run, or `keep` fails.
pub fn measure<E: From<ClaimsError> + Send>(
    measurements: &[Measurement<'_>],
    options: &Options<'_>,
    keep: Keep<'_, E>,
    report: &(dyn Fn(&Event<'_>) + Sync),
) -> Result<Vec<MeasuredDrive>, E> {
    let key = |one| key(one, options);
    let keys: Vec<String> = measurements.iter().map(key).collect();
    let lab = lab_of(options)?;
    let mut measured = BTreeMap::new();
    let mut simulations = Vec::new();
    for (index, (measurement, key)) in measurements.iter().zip(&keys).enumerate() {
        let known = known(lab.as_ref(), key, measurement)?;
        let tests = measurement.missing(&known);
        if tests.is_empty() {
            let from_lab = MeasuredDrive {
                target: SimulatedTarget::info_of(&measurement.model),
                tests: known,
                failed: Vec::new(),
            };
            measured.insert(index, from_lab);
            continue;
        }
        simulations.push(Simulation {
            index,
            measurement,
            key,
            cost: cost(measurement, &tests, &known, options),
            known,
            tests,
        });
    }
    drop(lab);
    if !simulations.is_empty() {
        report(&Event::Planned {
            to_simulate: simulations.len(),
            from_lab: measured.len(),
        });
    }
    measured.extend(simulate_all(simulations, options, keep, report)?);
    let measured = measured.into_values().zip(measurements);
    Ok(measured
        .map(|(drive, of)| drive.scaled_back(of.edition.scaled_by))
        .collect())
}

/// Lab with earlier results, unless none may be used.
fn lab_of(options: &Options<'_>) -> Result<Option<Lab>, ClaimsError> {
    match options.fresh {
        true => Ok(None),
        false => Ok(Lab::look(options.lab)?),
    }
}

/// Known results of a measurement.
fn known(
    lab: Option<&Lab>,
    key: &str,
    measurement: &Measurement<'_>,
) -> Result<Vec<TestResult>, ClaimsError> {
    lab.map_or_else(|| Ok(Vec::new()), |lab| earlier(lab, key, measurement))
}

/// Indices of the measurements whose results are not all in the lab.
pub(crate) fn open_ones(
    measurements: &[Measurement<'_>],
    options: &Options<'_>,
) -> Result<Vec<usize>, ClaimsError> {
    let lab = lab_of(options)?;
    let mut open = Vec::new();
    for (index, measurement) in measurements.iter().enumerate() {
        let known = known(lab.as_ref(), &key(measurement, options), measurement)?;
        if !measurement.missing(&known).is_empty() {
            open.push(index);
        }
    }
    Ok(open)
}

/// SHA-256 of the running program: results of another program are not used.
///
/// # Errors
/// If the program's file cannot be read.
pub fn program_sha256() -> Result<String, ClaimsError> {
    let failed = |error| ClaimsError::Io(format!("the program cannot read itself: {error}"));
    let path = std::env::current_exe().map_err(failed)?;
    Ok(sha256_hex(std::fs::read(path).map_err(failed)?))
}

/// Key of everything that results depend on, except the tests and points themselves: on a simulated
/// drive each has the same result alone as among others.
fn key(measurement: &Measurement<'_>, options: &Options<'_>) -> String {
    // Parsed model and edition, including the files that they name.
    let text = format!(
        "{}\n{}\n{:?}\n{:?}\n{}\n{}\n{}\n{:?}",
        options.program,
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

/// Results in the lab for a key.
fn earlier(
    lab: &Lab,
    key: &str,
    measurement: &Measurement<'_>,
) -> Result<Vec<TestResult>, ClaimsError> {
    let mut tests = Vec::new();
    for run in lab.runs_of_measurement(key)? {
        add(&mut tests, lab.review(run)?.tests, measurement);
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

fn review_options<'a>(
    tests: &[String],
    options: &Options<'_>,
    wanted: stend_method::Wanted<'a>,
    ends_when: EndsWhen<'a>,
) -> ReviewOptions<'a> {
    ReviewOptions {
        tests: Some(tests.to_vec()),
        wanted: Some(wanted),
        ends_when: (!options.full_length).then_some(ends_when),
        seed: options.seed,
        duration_scale: options.duration_scale,
        ..ReviewOptions::default()
    }
}

/// Rough duration, s on one CPU.
fn cost(
    measurement: &Measurement<'_>,
    tests: &[String],
    known: &[TestResult],
    options: &Options<'_>,
) -> f64 {
    let wanted = |test: &str, load: &Load| wanted(measurement, known, test, load);
    let ends_when = |test: &str, curve: Option<&str>| measurement.ending(test, curve);
    let review = review_options(tests, options, &wanted, &ends_when);
    // Only the order of magnitude matters, to begin with the longest and to estimate the time left:
    // an error costs a little idle time.
    let target = SimulatedTarget::info_of(&measurement.model);
    estimate(measurement.edition, &review, &target, true).map_or(1.0, |asked| {
        let measured_s = match options.full_length {
            true => asked.measured_s,
            false => asked.writing_s,
        };
        // The number of requests per simulated second grows with the number of dies and the speed
        // of the host's link.
        let iops = f64::from(measurement.model.spec().dies).sqrt();
        (asked.fill_bytes + asked.trace_bytes) as f64 / 100e9 + 0.001 * measured_s * iops
    })
}

/// True if a point is needed and not known yet.
fn wanted(measurement: &Measurement<'_>, known: &[TestResult], test: &str, load: &Load) -> bool {
    let known = known.iter().find(|known| known.id == test);
    measurement.wants(test, load) && !known.is_some_and(|known| has(known, load))
}

/// Progress of all simulations together.
struct Shares {
    /// Total cost.
    total: f64,
    /// Finished cost, by index.
    done: Mutex<BTreeMap<usize, f64>>,
}

impl Shares {
    /// Records the progress of one simulation. Returns the finished share of all, 0 to 1.
    fn note(&self, simulation: &Simulation<'_>, share: f64) -> f64 {
        let mut done = self.done.lock();
        done.insert(simulation.index, share * simulation.cost);
        done.values().sum::<f64>() / self.total.max(f64::MIN_POSITIVE)
    }
}

/// Runs the simulations, the longest first.
fn simulate_all<E: From<ClaimsError> + Send>(
    simulations: Vec<Simulation<'_>>,
    options: &Options<'_>,
    keep: Keep<'_, E>,
    report: &(dyn Fn(&Event<'_>) + Sync),
) -> Result<Vec<(usize, MeasuredDrive)>, E> {
    if simulations.is_empty() {
        return Ok(Vec::new());
    }
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = options.threads.unwrap_or(processors);
    let cost = |simulation: &Simulation<'_>| Task {
        needs: None,
        cost: simulation.cost,
    };
    let tasks: Vec<Task> = simulations.iter().map(cost).collect();
    let shares = Shares {
        total: simulations.iter().map(|one| one.cost).sum(),
        done: Mutex::default(),
    };
    let done = Mutex::new(Vec::new());
    let work = |task: usize, _: Option<()>| -> Result<Option<()>, E> {
        not_interrupted(options)?;
        let next = &simulations[task];
        let measured = simulate(next, options, keep, &shares, report)?;
        done.lock().push((next.index, measured));
        Ok(None)
    };
    let threads = (threads, &Slots::new(threads));
    stend_experiment::run(&tasks, threads, Order::StatesFirst, &|()| (), &work)?;
    Ok(done.into_inner())
}

fn not_interrupted(options: &Options<'_>) -> Result<(), ClaimsError> {
    let flag = options.interrupt.as_ref();
    match flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        true => Err(ClaimsError::Interrupted),
        false => Ok(()),
    }
}

/// Marks what is not the drive's own model, so that it represents its drive nowhere else.
fn mark_version(review: &mut Review, version: &str) {
    review.complete = false;
    review.environment.push(Condition::new("version", version));
}

/// The command that repeats a review.
fn reproduce(simulation: &Simulation<'_>, options: &Options<'_>) -> String {
    let measurement = simulation.measurement;
    let (drive, edition) = (&measurement.model.name, &measurement.edition.id);
    match &measurement.version {
        None => format!(
            "stend review {drive} --edition {edition} --seed {} --tests {}",
            options.seed,
            simulation.tests.join(",")
        ),
        Some(version) => format!("stend claims ({version} of {drive}, edition {edition})"),
    }
}

/// Simulates the missing results of a drive, and stores them.
fn simulate<E: From<ClaimsError>>(
    simulation: &Simulation<'_>,
    options: &Options<'_>,
    keep: Keep<'_, E>,
    shares: &Shares,
    report: &(dyn Fn(&Event<'_>) + Sync),
) -> Result<MeasuredDrive, E> {
    let measurement = simulation.measurement;
    let (drive, edition) = (&*measurement.model.name, &*measurement.edition.id);
    let wanted = |test: &str, load: &Load| wanted(measurement, &simulation.known, test, load);
    let ends_when = |test: &str, curve: Option<&str>| measurement.ending(test, curve);
    let review_options = ReviewOptions {
        reproduce: reproduce(simulation, options),
        ..review_options(&simulation.tests, options, &wanted, &ends_when)
    };
    let began = Instant::now();
    let mut target = SimulatedTarget::new(measurement.model.clone());
    target.set_interrupt(options.interrupt.clone());
    let mut review = run_review(
        Box::new(target),
        measurement.edition,
        &review_options,
        &|event| {
            if let ReviewEvent::Preparing { share_done, .. }
            | ReviewEvent::PointFinished { share_done, .. }
            | ReviewEvent::TestFinished { share_done, .. } = event
            {
                report(&Event::Working {
                    drive,
                    edition,
                    share_done: shares.note(simulation, share_done),
                });
            }
        },
    )
    .map_err(ClaimsError::from)?;
    not_interrupted(options)?;
    if let Some(version) = &measurement.version {
        mark_version(&mut review, version);
    }
    let measured = Measured {
        review,
        edition_sha256: measurement.edition.sha256.clone(),
        key: simulation.key.to_owned(),
    };
    keep(&measured)?;
    let review = measured.review;
    report(&Event::Finished {
        drive,
        edition,
        took: began.elapsed(),
        share_done: shares.note(simulation, 1.0),
    });
    let failed = review.failed.iter();
    let failed = failed.map(|failed| {
        format!(
            "{drive}, edition {edition}, {}: {}",
            failed.id, failed.error
        )
    });
    let failed = failed.collect();
    let mut tests = simulation.known.clone();
    add(&mut tests, review.tests, measurement);
    Ok(MeasuredDrive {
        target: review.target,
        tests,
        failed,
    })
}
