//! Reviews: an edition on a simulated drive and its rivals.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use stend_analysis::{figure_name, findings, key_figures};
use stend_language::{Language, within};
use stend_method::{Edition, Event, MethodError, ReviewOptions, check_options, run_review};
use stend_record::review::{FailedTest, ReadError, Review as Record, Rival, read};
use stend_report::{ReportError, keep_others, write_folder};
use stend_simulated::SimulatedTarget;

use crate::drive::{Drive, model};
use crate::errors::{Kind, error, input};
use crate::worker::{self, Pipe};

/// A review.
#[pyclass(frozen, module = "stend._stend")]
pub struct Review {
    record: Record,
}

impl Review {
    /// Creates the review of a record.
    pub fn new(record: Record) -> Review {
        Review { record }
    }
}

#[pymethods]
impl Review {
    fn to_json(&self) -> PyResult<String> {
        let text = serde_json::to_string(&self.record);
        let text = text.map_err(|failed| error(Kind::Other, failed))?;
        Ok(text + "\n")
    }

    /// Returns title and text of each finding.
    fn findings(&self) -> Vec<(String, String)> {
        let found = findings(&self.record).into_iter();
        found.map(|finding| (finding.title, finding.text)).collect()
    }

    /// Returns drive, test, name, unit and value of each key figure.
    fn key_figures(&self) -> Vec<(String, String, String, String, f64)> {
        let own = std::iter::once((&self.record.target, &self.record.tests));
        let rivals = self.record.rivals.iter();
        let drives = own.chain(rivals.map(|rival| (&rival.target, &rival.tests)));
        let figures = drives.flat_map(|(target, tests)| {
            let figures = key_figures(tests).into_iter();
            figures.map(|figure| {
                let name = figure_name(&figure.figure);
                let unit = figure.unit.key().to_owned();
                (
                    target.title.clone(),
                    figure.test_id,
                    name,
                    unit,
                    figure.value,
                )
            })
        });
        figures.collect()
    }

    /// Writes `index.html`, in a language, and `review.json`. Refuses a folder with another review.
    fn save(&self, folder: PathBuf, lang: &str) -> PyResult<PathBuf> {
        let language: Language = lang.parse().map_err(|wrong: String| input(wrong))?;
        keep_others(&folder, &self.record)
            .and_then(|()| within(language, || write_folder(&self.record, &folder)))
            .map_err(|failed| match failed {
                ReportError::Write { .. } | ReportError::Read { .. } => {
                    pyo3::exceptions::PyOSError::new_err(failed.to_string())
                }
                failed => input(format!("{failed}; choose another folder, or move it away")),
            })
    }
}

/// Parses a review in JSON.
#[pyfunction]
pub fn read_review(text: &str, name: &str) -> PyResult<Review> {
    let record = read(text).map_err(|wrong| match wrong {
        ReadError::Json(wrong) => input(format!("{name} is not a review: {wrong}")),
        ReadError::Schema(_) => input(format!("{name}: {wrong}")),
    });
    Ok(Review { record: record? })
}

/// Subject of a review: a model by its name or file, or a drive in its present state.
#[derive(FromPyObject)]
enum Reviewed<'py> {
    Model((String, bool)),
    Drive(Bound<'py, Drive>),
}

impl Reviewed<'_> {
    fn target(&self, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<SimulatedTarget> {
        match self {
            Reviewed::Model((name, is_file)) => {
                Ok(SimulatedTarget::new(model(name, *is_file, overrides)?))
            }
            Reviewed::Drive(drive) => {
                let mut target = drive.get().lock()?;
                target.drive_mut().share();
                Ok(target.clone())
            }
        }
    }
}

/// Progress of a review: the share of the work that is done, and a description of the last step.
type Told = (f64, String);

/// Runs an edition on a drive and on its rivals.
#[pyfunction]
#[pyo3(signature = (
    target, against, overrides, edition, tests, seed, duration_scale, write_budget, threads,
    reproduce, progress
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn review(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    against: Vec<Bound<'_, PyAny>>,
    overrides: Option<&Bound<'_, PyDict>>,
    edition: &str,
    tests: Option<Vec<String>>,
    seed: u64,
    duration_scale: f64,
    write_budget: Option<u64>,
    threads: usize,
    reproduce: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Review> {
    let edition = Edition::load(edition).map_err(input)?;
    let options = ReviewOptions {
        tests,
        seed,
        duration_scale,
        threads,
        write_budget_bytes: write_budget,
        reproduce,
        ..ReviewOptions::default()
    };
    check_options(&edition, &options).map_err(input)?;
    let mut targets = vec![target.extract::<Reviewed<'_>>()?.target(overrides)?];
    for rival in &against {
        targets.push(rival.extract::<Reviewed<'_>>()?.target(None)?);
    }
    let flag = worker::flag();
    for target in &mut targets {
        target.set_interrupt(Some(Arc::clone(&flag)));
    }
    let told: Pipe<Told> = Pipe::new(usize::MAX);
    let stop = || flag.store(true, Ordering::Relaxed);
    let work = || all(targets, &edition, &options, (&told, &flag));
    let tell = |_: Python<'_>| worker::tell(&told, progress);
    let mut record = worker::run(py, &stop, work, tell)?.map_err(input)?;
    tell(py)?;
    record.complete &= record.failed.is_empty();
    Ok(Review { record })
}

/// Reviews all targets, one after the other, into one review.
fn all(
    targets: Vec<SimulatedTarget>,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    (told, flag): (&Pipe<Told>, &AtomicBool),
) -> Result<Record, MethodError> {
    let count = targets.len();
    let mut whole: Option<Record> = None;
    for (index, target) in targets.into_iter().enumerate() {
        let tell = |event: Event<'_>| {
            if let Some((share, text)) = said(&event) {
                told.push(((index as f64 + share) / count as f64, text));
            }
        };
        let done = run_review(Box::new(target), edition, options, &tell)?;
        match &mut whole {
            None => whole = Some(done),
            Some(whole) => add_rival(whole, done),
        }
        if flag.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(whole.expect("there is at least one target"))
}

/// Adds the results of a rival.
fn add_rival(whole: &mut Record, rival: Record) {
    let title = &rival.target.title;
    let failed = rival.failed.iter().map(|test| FailedTest {
        id: test.id.clone(),
        error: format!("on {title}: {}", test.error),
    });
    whole.failed.extend(failed);
    whole.complete &= rival.complete;
    whole.rivals.push(Rival {
        target: rival.target,
        tests: rival.tests,
        unfinished: rival.unfinished,
    });
}

/// Returns the progress that an event reports, if any.
fn said(event: &Event<'_>) -> Option<Told> {
    Some(match event {
        Event::Preparing {
            state,
            step,
            share_done,
            ..
        } => (*share_done, format!("{state}: {step}")),
        Event::PointFinished {
            test,
            point,
            share_done,
            ..
        } => (*share_done, format!("{test}: {point}")),
        Event::TestFinished { result, share_done } => {
            (*share_done, format!("{}: finished", result.id))
        }
        _ => return None,
    })
}
