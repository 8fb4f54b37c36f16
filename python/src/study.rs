//! Studies: planning them, carrying out rows here or elsewhere, storing rows in the lab.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use stend_experiment::{Event, Store};
use stend_lab::{LabError, Table};
use stend_record::study::StudyRow;
use stend_study::{
    Context, Definition, Done, FORMATS, Options, Plan, Session, StudyError, check_folder,
    check_series, run,
};

use crate::errors::{Kind, error, input};
use crate::lab::this;
use crate::worker::{self, Pipe};

/// Converts an error of a study, or of its lab.
fn of_study(failed: StudyError) -> PyErr {
    match failed {
        StudyError::Definition(wrong) => input(wrong),
        StudyError::Lab(failed) => pyo3::exceptions::PyOSError::new_err(failed.to_string()),
        StudyError::Interrupted(_) => error(Kind::Other, failed),
    }
}

/// Converts an error of a folder of samples.
fn of_lab(failed: LabError) -> PyErr {
    match failed {
        LabError::NotATable(_) | LabError::OtherSeries(_) => input(failed),
        other => pyo3::exceptions::PyOSError::new_err(other.to_string()),
    }
}

/// Plan of a study.
#[pyclass(frozen, module = "stend._stend")]
pub struct StudyPlan {
    plan: Arc<Plan>,
}

impl StudyPlan {
    fn of(py: Python<'_>, definition: Definition) -> PyResult<StudyPlan> {
        let plan = py.detach(|| Plan::new(definition)).map_err(of_study)?;
        Ok(StudyPlan {
            plan: Arc::new(plan),
        })
    }

    fn check(&self, numbers: &[u64]) -> PyResult<()> {
        let rows = self.plan.rows().len() as u64;
        match numbers.iter().find(|number| **number >= rows) {
            Some(number) => Err(input(format!("row {number}: the study has {rows} rows"))),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl StudyPlan {
    /// Reads the study in a file (TOML).
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<StudyPlan> {
        StudyPlan::of(py, Definition::read(&path).map_err(of_study)?)
    }

    /// Parses a study in JSON. Paths of files in it are relative to `folder`.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str, folder: PathBuf) -> PyResult<StudyPlan> {
        StudyPlan::of(py, Definition::from_json(text, &folder).map_err(of_study)?)
    }

    /// Returns the study without references to files, in JSON.
    fn definition(&self) -> String {
        self.plan.definition().to_json()
    }

    /// Returns a warning about rows whose settings do not make a valid drive; `None` if there are
    /// no such rows. Refuses a study in which all rows are such.
    fn check_models(&self, py: Python<'_>) -> PyResult<Option<String>> {
        py.detach(|| self.plan.check_models()).map_err(input)
    }

    /// Returns the number of rows.
    fn rows(&self) -> usize {
        self.plan.rows().len()
    }

    /// Returns groups of numbers of rows; the rows of a group share a state.
    fn groups(&self) -> Vec<Vec<u64>> {
        self.plan.groups()
    }

    /// Returns the largest capacity of the drives, bytes.
    fn capacity_bytes_max(&self) -> u64 {
        self.plan.capacity_bytes_max()
    }

    /// Carries out rows; returns each as JSON, in the order of their numbers.
    fn carry_out(
        &self,
        py: Python<'_>,
        numbers: Vec<u64>,
        threads: usize,
        series: Option<PathBuf>,
    ) -> PyResult<Vec<String>> {
        self.check(&numbers)?;
        let options = Options {
            threads,
            interrupt: worker::flag(),
            series,
            watch: None,
        };
        let done: parking_lot::Mutex<Vec<Done>> = parking_lot::Mutex::default();
        let work = || run(&self.plan, &numbers, &options, &done, &|_| ());
        worker::wait(py, &options.interrupt, work)?.map_err(of_study)?;
        let mut done = done.into_inner();
        done.sort_by_key(|done| done.result.number);
        done.iter().map(to_json).collect()
    }

    /// Returns a row that has an error instead of a result, as JSON.
    fn failed(&self, number: u64, why: String) -> PyResult<String> {
        self.check(&[number])?;
        to_json(&self.plan.failed(number, why))
    }
}

fn to_json(done: &Done) -> PyResult<String> {
    serde_json::to_string(done).map_err(|failed| error(Kind::Other, failed))
}

/// A study under way, with its rows so far.
#[pyclass(frozen, module = "stend._stend")]
pub struct StudySession {
    plan: Arc<Plan>,
    session: Session,
}

#[pymethods]
impl StudySession {
    #[new]
    #[pyo3(signature = (plan, lab, fresh, folder, program, series))]
    fn new(
        plan: &StudyPlan,
        lab: Option<PathBuf>,
        fresh: bool,
        folder: PathBuf,
        program: String,
        series: Option<PathBuf>,
    ) -> PyResult<StudySession> {
        let context = Context {
            program: this(program),
            folder,
        };
        let plan = Arc::clone(&plan.plan);
        if let Some(series) = &series {
            check_series(series, &plan).map_err(of_lab)?;
        }
        let session = Session::open(Arc::clone(&plan), lab.as_deref(), fresh, context);
        let mut session = session.map_err(of_study)?;
        if let Some(series) = series {
            session.wants_series(&series).map_err(of_lab)?;
        }
        Ok(StudySession { plan, session })
    }

    /// Returns the number of rows that were in the lab when the session was opened.
    fn known(&self) -> usize {
        self.session.known_rows().len()
    }

    /// Returns the numbers of the rows that were not in the lab.
    fn open_rows(&self) -> Vec<u64> {
        self.session.open_rows()
    }

    /// Carries out the open rows. Calls `progress` with rows done, rows in total, and a description
    /// of the last row.
    fn run(
        &self,
        py: Python<'_>,
        threads: usize,
        series: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let options = Options {
            threads,
            interrupt: worker::flag(),
            series,
            watch: None,
        };
        let told: Pipe<(usize, usize, String)> = Pipe::new(usize::MAX);
        let known = self.known();
        let tell = |event: &Event<'_, StudyRow>| {
            if let Event::Finished {
                done, finished, of, ..
            } = event
            {
                let what = done.result.error.as_ref().unwrap_or(&done.name);
                told.push((known + finished, known + of, what.clone()));
            }
        };
        let work = || self.session.run(&options, &|_| true, &tell);
        let stop = || options.interrupt.store(true, Ordering::Relaxed);
        let beside = |_: Python<'_>| worker::tell(&told, progress);
        let ran = worker::run(py, &stop, work, beside);
        // Finished rows are kept, whatever has ended the work.
        self.flush(py)?;
        ran?.map_err(of_study)?;
        beside(py)
    }

    /// Stores a row that was carried out elsewhere, from its JSON.
    fn keep(&self, done: &str) -> PyResult<()> {
        let done: Done = serde_json::from_str(done).map_err(input)?;
        self.session.keep(&done).map_err(of_study)
    }

    /// Writes rows that are only in memory to the lab.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.session.flush()).map_err(of_study)
    }

    /// Returns the study with all finished rows, as JSON.
    fn study(&self, py: Python<'_>) -> PyResult<String> {
        let text = py.detach(|| serde_json::to_string(&self.session.study().document()));
        text.map_err(|failed| error(Kind::Other, failed))
    }

    /// Writes the table (CSV and Parquet) and the page; returns the path of the page. Refuses to
    /// replace files that do not belong to a study.
    fn save(&self, py: Python<'_>, folder: PathBuf, reproduce: &str) -> PyResult<PathBuf> {
        let failed = |failed: &dyn std::fmt::Display| {
            pyo3::exceptions::PyOSError::new_err(failed.to_string())
        };
        check_folder(&folder, &self.plan.definition().name).map_err(input)?;
        py.detach(|| {
            let study = self.session.study();
            let table = Table::of_study(&study);
            std::fs::create_dir_all(&folder).map_err(|error| {
                let folder = folder.display();
                failed(&format!("{folder}: the folder cannot be made: {error}"))
            })?;
            for format in FORMATS {
                table
                    .write(&folder, *format)
                    .map_err(|error| failed(&error))?;
            }
            let planned = self.plan.rows().len() as u64;
            stend_report::write_study(&study, planned, reproduce, &folder)
                .map_err(|error| failed(&error))
        })
    }
}
