//! Findings of published reviews, checked on the models and on plausible versions of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde_json::json;
use stend_analysis::claims::{JudgedFinding, Outcome};
use stend_claims::jobs::{Job, carry_out, jobs};
use stend_claims::samples::{Samples, decisive, sample};
use stend_claims::{
    CheckedArticle, ClaimsError, LabStore, Measured, Options, judged, measure, measurements,
};
use stend_experiment::{Done, Event, Report, Store};

use crate::errors::{Kind, error, input};
use crate::lab::this;
use crate::worker::{self, Pipe};

/// Converts an error to an exception.
fn of_claims(failed: ClaimsError) -> PyErr {
    match failed {
        ClaimsError::Lab(_) => PyOSError::new_err(failed.to_string()),
        ClaimsError::Interrupted(_) => error(Kind::Other, failed),
        other => input(other),
    }
}

/// Findings to check.
#[pyclass(frozen, module = "stend._stend")]
pub struct Findings {
    articles: Vec<CheckedArticle>,
    only: Option<Vec<String>>,
    samples: u32,
    seed: u64,
    duration_scale: f64,
    store: LabStore,
}

#[pymethods]
impl Findings {
    #[new]
    #[pyo3(signature = (files, articles, drives, samples, seed, duration_scale, lab, program))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        files: Vec<PathBuf>,
        articles: Option<Vec<String>>,
        drives: Option<Vec<String>>,
        samples: u32,
        seed: u64,
        duration_scale: f64,
        lab: PathBuf,
        program: String,
    ) -> PyResult<Findings> {
        let all = match files.is_empty() {
            true => CheckedArticle::shipped(),
            false => CheckedArticle::read(&files),
        };
        let mut all = all.map_err(of_claims)?;
        if let Some(wanted) = &articles {
            let ids: Vec<String> = all.iter().map(|one| one.article().id.clone()).collect();
            if let Some(unknown) = wanted.iter().find(|id| !ids.contains(id)) {
                let there = ids.join(", ");
                return Err(input(format!("no article {unknown}; there are: {there}")));
            }
            all.retain(|one| wanted.contains(&one.article().id));
        }
        let named = stend_claims::named_drives(&all);
        if let Some(unknown) = drives
            .iter()
            .flatten()
            .find(|d| !named.contains(d.as_str()))
        {
            let there = named.into_iter().collect::<Vec<_>>().join(", ");
            return Err(input(format!(
                "no finding is about {unknown}; there are: {there}"
            )));
        }
        Ok(Findings {
            articles: all,
            only: drives,
            samples,
            seed,
            duration_scale,
            store: LabStore {
                path: lab,
                program: this(program),
                fresh: false,
            },
        })
    }

    /// Returns the jobs for which the lab lacks results, each as JSON.
    fn jobs(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let options = self.options(1, &worker::flag());
        let only = self.only.as_deref();
        let found = py.detach(|| jobs(&self.articles, only, self.samples, &options));
        let found = found.map_err(of_claims)?;
        let json = found.iter().map(serde_json::to_string);
        json.collect::<Result<_, _>>().map_err(input)
    }

    /// Carries out a job, in a worker; returns its result for [`Findings::keep`].
    fn carry_out(&self, py: Python<'_>, job: &str) -> PyResult<String> {
        let job: Job = serde_json::from_str(job).map_err(input)?;
        let flag = worker::flag();
        let options = self.options(1, &flag);
        let only = self.only.as_deref();
        let work = || carry_out(&self.articles, only, &job, &options);
        let done = worker::wait(py, &flag, work)?.map_err(of_claims)?;
        serde_json::to_string(&done).map_err(input)
    }

    /// Stores the result of a worker in the lab.
    fn keep(&self, py: Python<'_>, made: &str) -> PyResult<()> {
        let done: Done<Measured> = serde_json::from_str(made).map_err(input)?;
        py.detach(|| self.store.keep(&done)).map_err(of_claims)
    }

    /// Measures on this machine what the lab lacks, and checks the findings; returns JSON.
    fn run(
        &self,
        py: Python<'_>,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let flag = worker::flag();
        let options = self.options(threads, &flag);
        let told: Pipe<(f64, String)> = Pipe::new(usize::MAX);
        let tell = |event: &Event<'_, Measured>| {
            if let Event::Finished {
                done, share_done, ..
            } = event
            {
                told.push((*share_done, done.name.clone()));
            }
        };
        let beside = |_: Python<'_>| worker::tell(&told, progress);
        let work = || self.checked(&options, &tell);
        let stop = || flag.store(true, Ordering::Relaxed);
        let checked = worker::run(py, &stop, work, beside)?.map_err(of_claims)?;
        beside(py)?;
        Ok(checked.to_string())
    }
}

impl Findings {
    fn options(&self, threads: usize, interrupt: &Arc<AtomicBool>) -> Options<'_> {
        Options {
            store: &self.store,
            interrupt: Arc::clone(interrupt),
            seed: self.seed,
            duration_scale: self.duration_scale,
            full_length: false,
            threads: Some(threads),
        }
    }

    fn checked(
        &self,
        options: &Options<'_>,
        tell: Report<'_, Measured>,
    ) -> Result<serde_json::Value, ClaimsError> {
        let only = self.only.as_deref();
        let needed = measurements(&self.articles, only)?;
        let measured = measure(&needed, options, tell)?;
        let judged = judged(&self.articles, &needed, &measured);
        let samples = match self.samples {
            0 => None,
            count => Some(sample(&self.articles, only, count, options, tell)?),
        };
        let failed: Vec<&String> = measured.iter().flat_map(|drive| drive.failed()).collect();
        Ok(json!({
            "findings": self.findings(&judged, samples.as_ref()),
            "failed": failed,
        }))
    }

    fn findings(
        &self,
        judged: &[Vec<JudgedFinding<'_>>],
        samples: Option<&Samples<'_>>,
    ) -> Vec<serde_json::Value> {
        let mut all = Vec::new();
        for (at, (article, findings)) in self.articles.iter().zip(judged).enumerate() {
            for (index, finding) in findings.iter().enumerate() {
                let mut entry = json!({
                    "article": article.article().id,
                    "finding": finding.finding.id,
                    "text": finding.finding.text,
                    "outcome": word(finding.outcome),
                });
                if let Some(samples) = samples {
                    let shares = samples.shares(at, index);
                    let decided = decisive(samples, at, index);
                    let decided = decided.iter().map(|one| {
                        let figure = &samples.parameters[one.parameter].figure;
                        json!({
                            "file": figure.file,
                            "key": format!("{}.{}", figure.table, figure.key),
                            "rank_correlation": one.correlation,
                        })
                    });
                    entry["holds"] = shares.holds.into();
                    entry["of"] = shares.of.into();
                    entry["verdict"] = shares.robustness().map(|of| of.word()).into();
                    entry["decided_by"] = decided.collect();
                }
                all.push(entry);
            }
        }
        all
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Fails => "fails",
        Outcome::Open => "open",
    }
}
