//! `stend claims`: checks findings of published reviews on drive models.

mod output;
mod progress;
mod sure;
mod validation;

use std::num::NonZero;
use std::path::Path;

use stend_analysis::claims::{Drives, JudgedFinding, Outcome, judge};
use stend_claims::experiments::{Tried, check_experiments, experiments};
use stend_claims::samples::{Samples, sample};
use stend_claims::{
    CheckedArticle, Event, Measured, MeasuredDrive, Options, measure, measured_drives,
    measurements, named_drives, program_sha256,
};
use stend_lab::{Lab, RunContext};

use super::leave_one_out;
use crate::args::ClaimsArgs;
use crate::failure::Failure;
use crate::output::{note, print};
use crate::{laboratory, signals};

pub fn run(args: &ClaimsArgs) -> Result<(), Failure> {
    let left_out = args.leave_one_out.as_deref();
    let left_out = left_out.map(leave_one_out::Document::read).transpose()?;
    let whole = articles(args)?;
    check_drives(&whole, args)?;
    let scaled = args.scaled.map(|by| scaled(&whole, by)).transpose()?;
    // Without plausible versions, all drives are scaled.
    let (articles, of_versions) = match (&scaled, args.samples) {
        (Some(scaled), None) => (scaled, scaled),
        (scaled, _) => (&whole, scaled.as_ref().unwrap_or(&whole)),
    };
    // An experiment that cannot be run is an error in the file, even if it is not selected.
    check_experiments(articles)?;
    let needed = measurements(articles, args.drives.as_deref())?;
    let lab = laboratory::path(&args.lab)?;
    laboratory::check(&lab)?;
    let program = program_sha256()?;
    let options = options(args, &lab, &program);
    let keep = |measured: &Measured| keep(measured, &lab);
    let progress = progress::Progress::new();
    let show = |event: &Event<'_>| progress.show(event);
    let measured = measure(&needed, &options, &keep, &show)?;
    let drives: Vec<Drives<'_>> = articles
        .iter()
        .map(|article| measured_drives(article, &needed, &measured))
        .collect();
    let judged: Vec<(&CheckedArticle, Vec<JudgedFinding<'_>>)> = articles
        .iter()
        .zip(&drives)
        .map(|(article, drives)| (article, judge(article.article(), drives)))
        .collect();
    let tried = match args.experiments {
        false => Vec::new(),
        true => {
            let fails = |of: usize, finding: usize| judged[of].1[finding].outcome == Outcome::Fails;
            let default = (&needed[..], &measured[..]);
            experiments(articles, &fails, default, &options, &keep, &show)?
        }
    };
    let count = args
        .samples
        .map(|n| u32::try_from(n.get()).unwrap_or(u32::MAX));
    let only = args.drives.as_deref();
    let samples = count.map(|count| sample(of_versions, only, count, &options, &keep, &show));
    let samples = samples.transpose()?;
    progress.finish();
    let models: Vec<&[JudgedFinding<'_>]> = judged.iter().map(|(_, all)| &all[..]).collect();
    let sure = samples
        .as_ref()
        .map(|samples| sure::Sure::of(samples, &models));
    let more = output::More {
        sure: sure.as_ref(),
        tried: &tried,
        left_out: left_out.as_ref(),
    };
    print(&match args.json {
        true => output::json(&judged, &more, args)?,
        false => output::text(&judged, &more, args),
    })?;
    if let Some(path) = &args.validation {
        validation::write(path, &judged, &more, args)?;
    }
    tell_failures(&measured, samples.as_ref(), &tried)?;
    refuted(&judged)
}

/// Options of the measurement.
fn options<'a>(args: &ClaimsArgs, lab: &'a Path, program: &'a str) -> Options<'a> {
    Options {
        lab,
        program,
        interrupt: None,
        seed: args.scale.seed,
        duration_scale: args.scale.duration_scale,
        full_length: args.full_length,
        fresh: args.fresh,
        threads: args.threads.map(NonZero::get),
    }
}

/// Articles for drives with 1/`by` of their capacity.
fn scaled(articles: &[CheckedArticle], by: u32) -> Result<Vec<CheckedArticle>, Failure> {
    let scaled = articles.iter().map(|article| article.scaled(by));
    Ok(scaled.collect::<Result<_, _>>()?)
}

/// Returns an error if a finding fails: the exit code reports it.
fn refuted(judged: &[(&CheckedArticle, Vec<JudgedFinding<'_>>)]) -> Result<(), Failure> {
    let mut outcomes = judged.iter().flat_map(|(_, all)| all).map(|j| j.outcome);
    match outcomes.any(|outcome| outcome == Outcome::Fails) {
        true => Err(Failure::Refuted),
        false => Ok(()),
    }
}

/// Reports the drives and versions that could not be measured.
///
/// # Errors
/// [`Failure::Incomplete`] if there are any.
fn tell_failures(
    measured: &[MeasuredDrive],
    samples: Option<&Samples<'_>>,
    tried: &[Tried],
) -> Result<(), Failure> {
    let of_default = measured.iter().flat_map(|drive| drive.failed());
    let of_versions = samples.into_iter().flat_map(|samples| &samples.versions);
    let of_versions = of_versions.flat_map(|version| &version.failed);
    let of_trials = tried.iter().flat_map(|one| &one.failed);
    let all = of_default.chain(of_versions).chain(of_trials);
    match all.map(|text| note(&format!("error: {text}"))).count() {
        0 => Ok(()),
        _ => Err(Failure::Incomplete),
    }
}

/// Reads the articles of the command line: files, or those that the program contains.
fn articles(args: &ClaimsArgs) -> Result<Vec<CheckedArticle>, Failure> {
    let mut articles = match args.files.is_empty() {
        true => CheckedArticle::shipped()?,
        false => CheckedArticle::read(&args.files)?,
    };
    let Some(wanted) = &args.article else {
        return Ok(articles);
    };
    let ids = || articles.iter().map(|one| one.article().id.as_str());
    if let Some(unknown) = wanted.iter().find(|id| !ids().any(|other| other == *id)) {
        return Err(Failure::Input(format!(
            "--article {unknown}: there is no such article; there are: {}",
            ids().collect::<Vec<_>>().join(", ")
        )));
    }
    articles.retain(|one| wanted.contains(&one.article().id));
    Ok(articles)
}

fn check_drives(articles: &[CheckedArticle], args: &ClaimsArgs) -> Result<(), Failure> {
    let named = named_drives(articles);
    let mut drives = args.drives.iter().flatten();
    match drives.find(|drive| !named.contains(drive.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(Failure::Input(format!(
            "--drives {unknown}: no finding is about it; there are: {}",
            named.into_iter().collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// Stores the review of a drive in the lab.
fn keep(measured: &Measured, lab: &Path) -> Result<(), Failure> {
    signals::undisturbed(|| {
        let context = RunContext {
            measurement_key: Some(&measured.key),
            ..laboratory::context(Path::new(""), &measured.edition_sha256)
        };
        Lab::open(lab)?.begin(&measured.review, &context)?;
        signals::hint(
            "; finished drives are kept, and the same command resumes from there".to_owned(),
        );
        Ok(())
    })
}
