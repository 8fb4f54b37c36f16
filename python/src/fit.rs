//! Fits of models to measured figures.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use pyo3::prelude::*;
use serde_json::json;
use stend_experiment::{Batch, Pool, Threads, Values};
use stend_fit::Measured;
use stend_fit::fitting::{
    Fit, FitError, Generation, SearchOptions, SearchState, Task, document, fit as search, written,
};
use stend_model::{Files, Model};

use crate::errors::{Kind, error, input};
use crate::worker::{self, Pipe};

fn measured_of(files: &[PathBuf]) -> PyResult<Measured> {
    match files.is_empty() {
        true => Ok(Measured::shipped()),
        false => Measured::read(files).map_err(input),
    }
}

fn files_of(name: &str, is_file: bool) -> PyResult<(String, Files)> {
    let files = match is_file {
        true => Files::read(Path::new(name)).map_err(input)?,
        false => Files::shipped(name).ok_or_else(|| input(format!("no drive model `{name}`")))?,
    };
    let model = files.model().map_err(input)?;
    Ok((model.name, files))
}

/// Pool that simulates on the threads of this process, or by a Python function, which maps a list
/// of JSON texts to their results.
struct Carrying<'py> {
    by: Option<&'py Py<PyAny>>,
    threads: usize,
    interrupt: &'py AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

fn unfinished(batches: &[Batch]) -> Vec<Vec<Values>> {
    let unfinished = |batch: &Batch| batch.failed("interrupted");
    batches.iter().map(unfinished).collect()
}

impl Carrying<'_> {
    fn here(&self, batches: &[Batch]) -> Vec<Vec<Values>> {
        let run = |batch: &Batch| match self.interrupt.load(Ordering::Relaxed) {
            true => batch.failed("interrupted"),
            false => batch.run(),
        };
        Threads(self.threads).map(batches.len(), |index| run(&batches[index]))
    }

    fn by(&self, by: &Py<PyAny>, batches: &[Batch]) -> PyResult<Vec<Vec<Values>>> {
        let texts: Result<Vec<String>, _> = batches.iter().map(serde_json::to_string).collect();
        let texts = texts.map_err(input)?;
        let done: Vec<String> = Python::attach(|py| by.call1(py, (texts,))?.extract(py))?;
        let done = done.iter().map(|text| serde_json::from_str(text));
        done.collect::<Result<_, _>>().map_err(input)
    }
}

impl Pool for Carrying<'_> {
    fn run(&self, batches: &[Batch]) -> Vec<Vec<Values>> {
        if self.interrupt.load(Ordering::Relaxed) {
            return unfinished(batches);
        }
        let Some(by) = self.by else {
            return self.here(batches);
        };
        self.by(by, batches).unwrap_or_else(|failed| {
            self.raised.lock().get_or_insert(failed);
            self.interrupt.store(true, Ordering::Relaxed);
            unfinished(batches)
        })
    }
}

/// Fits models. Returns the result as JSON, and path and text of each file with the fitted values.
#[pyfunction]
#[pyo3(signature = (
    models, figures, tests, states, generations, population, seed, threads, by, progress
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn fit(
    py: Python<'_>,
    models: Vec<(String, bool)>,
    figures: Vec<PathBuf>,
    tests: Vec<String>,
    states: Vec<String>,
    generations: usize,
    population: usize,
    seed: u64,
    threads: usize,
    by: Option<Py<PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Vec<(String, String)>)> {
    let measured = measured_of(&figures)?;
    let models = models
        .iter()
        .map(|(name, is_file)| files_of(name, *is_file));
    let models: Vec<(String, Files)> = models.collect::<PyResult<_>>()?;
    let only = |row: usize| measured.is_asked(row, &tests, &states);
    let flag = worker::flag();
    let pool = Carrying {
        by: by.as_ref(),
        threads,
        interrupt: &flag,
        raised: Mutex::default(),
    };
    let told: Pipe<(usize, usize, String)> = Pipe::new(usize::MAX);
    let work = || {
        let task = Task {
            models: &models,
            measured: &measured,
            only: &only,
            others: &Model::shipped,
            options: SearchOptions {
                seed,
                generations_max: generations,
                population,
            },
            pool: &pool,
        };
        searched(&task, &flag, &told)
    };
    let beside = |_: Python<'_>| worker::tell(&told, progress);
    let stop = || flag.store(true, Ordering::Relaxed);
    let fitted = worker::run(py, &stop, work, beside)?;
    if let Some(raised) = pool.raised.lock().take() {
        return Err(raised);
    }
    let fitted = fitted.map_err(of_fit)?;
    beside(py)?;
    let files = match fitted.parameters.is_empty() {
        true => Vec::new(),
        false => written(&models, &measured, &fitted).map_err(of_fit)?,
    };
    let document = document(&measured, &fitted, &files);
    let files = files.into_iter().map(|file| (file.path, file.text));
    Ok((document.to_string(), files.collect()))
}

fn searched(
    task: &Task<'_>,
    flag: &AtomicBool,
    told: &Pipe<(usize, usize, String)>,
) -> Result<Fit, FitError> {
    let mut keep = |_: &SearchState, generation: &Generation| {
        if flag.load(Ordering::Relaxed) {
            return Err("interrupted".to_owned());
        }
        let what = format!("cost {:.6}", generation.cost_best);
        told.push((generation.number, generation.of, what));
        Ok(())
    };
    search(task, None, &mut keep)
}

fn of_fit(failed: FitError) -> PyErr {
    match failed {
        FitError::Model(_) | FitError::Rows(_) | FitError::State(_) => input(failed),
        FitError::NoOptimiser | FitError::Keep(_) => error(Kind::Other, failed),
    }
}

/// Carries out simulations of a fit, in a worker; JSON in and out.
#[pyfunction]
pub fn fit_work(py: Python<'_>, work: Vec<String>) -> PyResult<Vec<String>> {
    let flag = worker::flag();
    let done = worker::wait(py, &flag, || {
        let one = |text: &String| {
            let batch: Batch = serde_json::from_str(text).map_err(|wrong| wrong.to_string())?;
            Ok(json!(batch.run()).to_string())
        };
        work.iter()
            .map(one)
            .collect::<Result<Vec<String>, String>>()
    })?;
    done.map_err(input)
}
