//! Experiments on findings that do not hold: a figure of a drive is set to other values, one after
//! another, and the finding is checked again, with all other drives unchanged.

use stend_analysis::claims::{Experiment, Measured, Outcome, judge};
use stend_experiment::Report;
use stend_model::{Model, NewValue, WriteError, write_values};

use crate::article::CheckedArticle;
use crate::error::ClaimsError;
use crate::measure::{Options, measure};
use crate::needs::{MeasuredDrive, Measurement, measured_drives, measurements_of};

/// A value that was tried, and its effect on the finding.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Index of the article.
    pub article: usize,
    /// Index of the finding in it.
    pub finding: usize,
    /// Index of the finding's experiment.
    pub experiment: usize,
    /// The value.
    pub value: f64,
    /// Outcome of the finding.
    pub outcome: Outcome,
    /// By check: title, outcome, and the result in words.
    pub checks: Vec<(String, Outcome, String)>,
    /// Failed measurements, with the reasons.
    pub failed: Vec<String>,
}

/// Refuses experiments that cannot be run, before any measurement.
///
/// # Errors
/// [`ClaimsError::Input`] for a drive that the finding does not use, a figure that the drive does
/// not have, or a value that makes an invalid model.
pub fn check_experiments(articles: &[CheckedArticle]) -> Result<(), ClaimsError> {
    trials(articles, &|_, _| true).map(|_| ())
}

/// A value to be tried.
struct Trial<'a> {
    place: (usize, usize, usize),
    value: f64,
    experiment: &'a Experiment,
    /// The article with only this finding.
    article: CheckedArticle,
    model: Model,
}

/// Runs the experiments on the findings that fail. `fails` returns true if one does, by the indices
/// of its article and of the finding in it; `measured` holds the results of `needed`, in its order.
///
/// # Errors
/// Errors of [`measure`]; [`ClaimsError::Input`] for a figure that the drive does not have, or a
/// value that makes an invalid model.
pub fn experiments(
    articles: &[CheckedArticle],
    fails: &dyn Fn(usize, usize) -> bool,
    (needed, measured): (&[Measurement<'_>], &[MeasuredDrive]),
    options: &Options<'_>,
    report: Report<'_, crate::Measured>,
) -> Result<Vec<Tried>, ClaimsError> {
    let trials = trials(articles, fails)?;
    let mut own = Vec::new();
    for trial in &trials {
        let only = [trial.experiment.drive.clone()];
        let article = std::slice::from_ref(&trial.article);
        let model = |_: &CheckedArticle, _: &str| Ok(trial.model.clone());
        let label = trial.label();
        own.extend(measurements_of(article, Some(&only), &model, Some(&label))?);
    }
    let results = measure(&own, options, report)?;
    let tried = trials.iter().zip(&results).map(|(trial, result)| {
        let (article, finding, experiment) = trial.place;
        let mut drives = measured_drives(&articles[article], needed, measured);
        let varied = Measured {
            target: &result.target,
            tests: &result.tests,
        };
        drives.insert(trial.experiment.drive.clone(), varied);
        let judged = judge(trial.article.article(), &drives);
        let checks = judged[0].checks.iter();
        Tried {
            article,
            finding,
            experiment,
            value: trial.value,
            outcome: judged[0].outcome,
            checks: checks
                .map(|check| (check.figure.title.clone(), check.outcome, check.got.clone()))
                .collect(),
            failed: result.failed().to_vec(),
        }
    });
    Ok(tried.collect())
}

impl Trial<'_> {
    /// Describes the difference of the drive.
    fn label(&self) -> String {
        let Experiment { table, key, .. } = self.experiment;
        format!("experiment: {table}.{key} = {}", self.value)
    }
}

/// All values of all experiments on the findings that fail.
fn trials<'a>(
    articles: &'a [CheckedArticle],
    fails: &dyn Fn(usize, usize) -> bool,
) -> Result<Vec<Trial<'a>>, ClaimsError> {
    let mut trials = Vec::new();
    for (of_article, article) in articles.iter().enumerate() {
        for (of_finding, finding) in article.article().findings.iter().enumerate() {
            if !fails(of_article, of_finding) {
                continue;
            }
            for (index, experiment) in finding.experiments.iter().enumerate() {
                let alone = article.with_finding(of_finding);
                if !alone.article().needs().contains_key(&*experiment.drive) {
                    return Err(ClaimsError::Input(format!(
                        "{}:{}: finding `{}`: no check of it looks at {}; make its experiment on \
                         a drive that one does look at",
                        article.file(),
                        experiment.line,
                        finding.id,
                        experiment.drive
                    )));
                }
                let model = article.model(&experiment.drive)?;
                for value in &experiment.values {
                    let problem = |problem: String| {
                        ClaimsError::Input(format!(
                            "{}:{}: finding `{}`, experiment on {} with {}.{} = {value}: {problem}",
                            article.file(),
                            experiment.line,
                            finding.id,
                            experiment.drive,
                            experiment.table,
                            experiment.key
                        ))
                    };
                    trials.push(Trial {
                        place: (of_article, of_finding, index),
                        value: *value,
                        experiment,
                        article: article.with_finding(of_finding),
                        model: varied(&model, experiment, *value).map_err(problem)?,
                    });
                }
            }
        }
    }
    Ok(trials)
}

/// Maximum number of entries of a list.
const ENTRIES_MAX: usize = 64;

/// A drive with another value of its figure; for a list, of all entries.
fn varied(model: &Model, experiment: &Experiment, value: f64) -> Result<Model, String> {
    let new = |index| NewValue {
        table: &experiment.table,
        key: &experiment.key,
        index,
        value,
        source: "assumed: an experiment",
    };
    let mut text = write_values(&model.text, &[new(None)]);
    for index in 0..ENTRIES_MAX {
        let before = text.as_ref().unwrap_or(&model.text);
        match write_values(before, &[new(Some(index))]) {
            Ok(changed) => text = Ok(changed),
            Err(WriteError::Missing(_)) => break,
            Err(error) => return Err(error.to_string()),
        }
    }
    let text = text.map_err(|error| error.to_string())?;
    let mut varied = Model::parse(&text, &model.name).map_err(|error| error.to_string())?;
    varied.name.clone_from(&model.name);
    Ok(varied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_experiments_can_be_made() {
        let articles = CheckedArticle::shipped().expect("they are sound");
        check_experiments(&articles).expect("they can be made");
        let experiments = articles.iter().flat_map(|one| &one.article().findings);
        assert!(
            experiments
                .map(|finding| finding.experiments.len())
                .sum::<usize>()
                > 10
        );
    }
}
