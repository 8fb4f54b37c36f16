//! Robustness of findings: they are checked on plausible versions of all drives, drawn from the
//! ranges of figures without a source ([`stend_fit::draw`]).
//!
//! | module | contents |
//! |---|---|
//! | [`verdict`] | the share of versions in which a finding holds, and its robustness |
//! | [`sensitivity`] | the figures that decide if a finding holds |

mod sensitivity;
mod verdict;

use std::collections::BTreeMap;

use stend_analysis::claims::JudgedFinding;
use stend_experiment::{Event, Report};
use stend_fit::draw::Drawing;
use stend_fit::fitting::Parameter;
use stend_model::{Files, Model};

use crate::article::CheckedArticle;
use crate::error::ClaimsError;
use crate::measure::{Measured, Options, measure};
use crate::needs::{Measurement, judged, measurements, measurements_of};

pub use sensitivity::{Decisive, decisive};
pub use verdict::{Robustness, Shares};

/// Findings checked on plausible versions of the drives.
pub struct Samples<'a> {
    /// Figures that were drawn.
    pub parameters: Vec<Parameter>,
    /// Versions, in the order of their numbers.
    pub versions: Vec<Sample<'a>>,
    /// Findings judged on the scaled models themselves, by article; `None` if the versions are
    /// whole drives.
    pub models_scaled: Option<Vec<Vec<JudgedFinding<'a>>>>,
}

/// One version of all drives, with the findings judged on it.
pub struct Sample<'a> {
    /// By parameter: place of the figure in its range, 0 to 1.
    pub places: Vec<f64>,
    /// Findings by article, in their order.
    pub judged: Vec<Vec<JudgedFinding<'a>>>,
    /// Failed measurements, with the reasons.
    pub failed: Vec<String>,
}

/// Draws `count` versions of all drives of the articles (`only` limits them to these drives),
/// measures them, and judges the findings on them. Results in the lab are reused.
///
/// # Errors
/// Errors of [`measure`]; [`ClaimsError::Input`] if a drive has no valid version.
pub fn sample<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    count: u32,
    options: &Options<'_>,
    report: Report<'_, Measured>,
) -> Result<Samples<'a>, ClaimsError> {
    let drives = files(articles, only)?;
    let drawing = Drawing::new(&drives);
    let models_scaled = models_scaled(articles, only, options, report)?;
    let mut versions = Vec::new();
    for number in 0..count {
        report(&Event::Round { number, of: count });
        let (places, needed) = version(articles, only, (&drives, &drawing), options.seed, number)?;
        let measured = measure(&needed, options, report)?;
        versions.push(Sample {
            places,
            judged: judged(articles, &needed, &measured),
            failed: measured
                .iter()
                .flat_map(|drive| drive.failed().to_vec())
                .collect(),
        });
    }
    Ok(Samples {
        parameters: drawing.parameters().to_vec(),
        versions,
        models_scaled,
    })
}

/// Judges the findings on the models themselves, scaled like the versions; `None` if nothing is
/// scaled.
fn models_scaled<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    options: &Options<'_>,
    report: Report<'_, Measured>,
) -> Result<Option<Vec<Vec<JudgedFinding<'a>>>>, ClaimsError> {
    if articles.iter().all(|one| one.edition().scaled_by == 1) {
        return Ok(None);
    }
    let needed = measurements(articles, only)?;
    let measured = measure(&needed, options, report)?;
    Ok(Some(judged(articles, &needed, &measured)))
}

/// Version `number` of all drives: the place of each figure in its range, and the measurements.
pub(crate) fn version<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    (drives, drawing): (&[(String, Files)], &Drawing<'_>),
    seed: u64,
    number: u32,
) -> Result<(Vec<f64>, Vec<Measurement<'a>>), ClaimsError> {
    let version = drawing.version(seed, number);
    let version = version.map_err(|error| ClaimsError::Input(error.to_string()))?;
    let names = drives.iter().map(|(name, _)| name.as_str());
    let models: BTreeMap<&str, Model> = names.zip(version.models).collect();
    let model = |article: &CheckedArticle, name: &str| Ok(models[&*article.key(name)].clone());
    let label = format!("plausible version {number}, seed {seed}");
    let needed = measurements_of(articles, only, &model, Some(&label))?;
    Ok((version.places, needed))
}

/// The drives of the articles and their files, each once.
pub(crate) fn files(
    articles: &[CheckedArticle],
    only: Option<&[String]>,
) -> Result<Vec<(String, Files)>, ClaimsError> {
    let mut files: BTreeMap<String, Files> = BTreeMap::new();
    for article in articles {
        for name in article.article().needs().into_keys() {
            if only.is_none_or(|only| only.iter().any(|one| one == name)) {
                files.insert(article.key(name), article.files(name)?);
            }
        }
    }
    Ok(files.into_iter().collect())
}
