//! The needs of findings as independent jobs, which other processes or machines can carry out: one
//! drive, or a plausible version of it, by one edition.

use parking_lot::Mutex;

use serde::{Deserialize, Serialize};
use stend_experiment::Done;
use stend_fit::draw::Drawing;

use crate::article::CheckedArticle;
use crate::error::ClaimsError;
use crate::measure::{Measured, Options, key, known, measure};
use crate::needs::{Measurement, measurements};
use crate::samples::{files, version};

/// A simulation that findings need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Drive and edition in words.
    pub name: String,
    /// Number of the plausible version; `None` for the drive's own model.
    pub version: Option<u32>,
    /// Hash of everything that its results depend on, as of [`Done::key`].
    pub key: String,
}

/// Jobs whose results are not all known: for the drives' own models, and for `samples`
/// plausible versions.
///
/// # Errors
/// Errors of [`measure`].
pub fn jobs(
    articles: &[CheckedArticle],
    only: Option<&[String]>,
    samples: u32,
    options: &Options<'_>,
) -> Result<Vec<Job>, ClaimsError> {
    let mut jobs = Vec::new();
    for version in std::iter::once(None).chain((0..samples).map(Some)) {
        let needed = needed(articles, only, version, options.seed)?;
        for measurement in &needed {
            let known = known(measurement, options)?;
            if !measurement.missing(&known).is_empty() {
                jobs.push(Job {
                    name: measurement.name(),
                    version,
                    key: key(measurement, options),
                });
            }
        }
    }
    Ok(jobs)
}

/// Runs a job, whatever the store contains. Returns the result to be stored in the lab.
///
/// # Errors
/// Errors of [`measure`]; [`ClaimsError::Input`] for a job of other articles.
pub fn carry_out(
    articles: &[CheckedArticle],
    only: Option<&[String]>,
    job: &Job,
    options: &Options<'_>,
) -> Result<Done<Measured>, ClaimsError> {
    let mut needed = needed(articles, only, job.version, options.seed)?;
    let is_it = |one: &Measurement<'_>| key(one, options) == job.key;
    let Some(index) = needed.iter().position(is_it) else {
        return Err(ClaimsError::Input(format!(
            "{}: no finding of these articles needs it",
            job.name
        )));
    };
    let one = [needed.swap_remove(index)];
    let made: Mutex<Vec<Done<Measured>>> = Mutex::default();
    let alone = Options {
        store: &made,
        threads: Some(1),
        ..options.clone()
    };
    measure(&one, &alone, &|_| ())?;
    Ok(made.into_inner().remove(0))
}

/// Measurements that a version needs.
fn needed<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    number: Option<u32>,
    seed: u64,
) -> Result<Vec<Measurement<'a>>, ClaimsError> {
    let Some(number) = number else {
        return measurements(articles, only);
    };
    let drives = files(articles, only)?;
    let drawing = Drawing::new(&drives);
    Ok(version(articles, only, (&drives, &drawing), seed, number)?.1)
}
