//! How sure findings are: they are put to plausible versions of all drives, drawn from the ranges
//! of figures that no source gives ([`stend_fit::draw`]).
//!
//! | room | what |
//! |---|---|
//! | [`verdict`] | in what share of the versions a finding holds, and what that makes it |
//! | [`sensitivity`] | which figures decide whether it does |

mod sensitivity;
mod verdict;

use std::collections::BTreeMap;

use stend_analysis::claims::{JudgedFinding, judge};
use stend_fit::draw::Drawing;
use stend_fit::fitting::Parameter;
use stend_model::{Files, Model};

use crate::article::CheckedArticle;
use crate::error::ClaimsError;
use crate::measure::{Event, Keep, Options, measure};
use crate::needs::{MeasuredDrive, Measurement, measured_drives, measurements, measurements_of};

pub use sensitivity::{Decisive, decisive};
pub use verdict::{Robustness, Shares};

/// Findings put to plausible versions of the drives.
pub struct Samples<'a> {
    /// The figures that were drawn.
    pub parameters: Vec<Parameter>,
    /// The versions, by their number.
    pub versions: Vec<Sample<'a>>,
    /// What scaled drives make of the findings that are the models themselves, by article; `None`
    /// where the versions are whole drives.
    pub models_scaled: Option<Vec<Vec<JudgedFinding<'a>>>>,
}

/// One version of all drives, and what it makes of the findings.
pub struct Sample<'a> {
    /// By parameter: where in its range the figure lies, 0 to 1.
    pub places: Vec<f64>,
    /// By article: its findings, in their order.
    pub judged: Vec<Vec<JudgedFinding<'a>>>,
    /// What could not be measured, and why.
    pub failed: Vec<String>,
}

/// Draws `count` versions of all drives of the articles (`only` these, if it names any), measures
/// them, and puts the findings to them. What the lab has of a version is taken from there.
///
/// # Errors
/// As [`measure`]; [`ClaimsError::Input`] where a drive has no sound version.
pub fn sample<'a, E: From<ClaimsError> + Send>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    count: u32,
    options: &Options<'_>,
    keep: Keep<'_, E>,
    report: &(dyn Fn(&Event<'_>) + Sync),
) -> Result<Samples<'a>, E> {
    let drives = files(articles, only)?;
    let drawing = Drawing::new(&drives);
    let models_scaled = models_scaled(articles, only, options, keep, report)?;
    let mut versions = Vec::new();
    for number in 0..count {
        report(&Event::Version { number, of: count });
        let (places, needed) = version(articles, only, (&drives, &drawing), options.seed, number)?;
        let measured = measure(&needed, options, keep, report)?;
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

/// What the models themselves, scaled as the versions are, make of the findings; `None` where
/// nothing is scaled.
fn models_scaled<'a, E: From<ClaimsError> + Send>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    options: &Options<'_>,
    keep: Keep<'_, E>,
    report: &(dyn Fn(&Event<'_>) + Sync),
) -> Result<Option<Vec<Vec<JudgedFinding<'a>>>>, E> {
    if articles.iter().all(|one| one.edition().scaled_by == 1) {
        return Ok(None);
    }
    let needed = measurements(articles, only)?;
    let measured = measure(&needed, options, keep, report)?;
    Ok(Some(judged(articles, &needed, &measured)))
}

/// The findings of each article, put to what was measured.
fn judged<'a>(
    articles: &'a [CheckedArticle],
    needed: &[Measurement<'_>],
    measured: &[MeasuredDrive],
) -> Vec<Vec<JudgedFinding<'a>>> {
    let judged = articles.iter().map(|article| {
        let drives = measured_drives(article, needed, measured);
        judge(article.article(), &drives)
    });
    judged.collect()
}

/// Version `number` of all drives: where each figure lies in its range, and what is to be measured.
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
