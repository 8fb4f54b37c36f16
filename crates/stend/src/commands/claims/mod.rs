//! `stend claims`: checks findings of published reviews on drive models.

mod output;
mod sure;
mod validation;

use std::num::NonZero;
use std::sync::Arc;

use stend_analysis::claims::{JudgedFinding, Outcome};
use stend_claims::experiments::{Tried, check_experiments, experiments};
use stend_claims::samples::{Samples, sample};
use stend_claims::{
    CheckedArticle, ClaimsError, LabStore, Measured, MeasuredDrive, Options, judged, measure,
    measurements, named_drives,
};
use stend_experiment::{Done, Event, Store};
use stend_language::counted;

use super::leave_one_out;
use crate::args::ClaimsArgs;
use crate::failure::Failure;
use crate::output::{note, print};
use crate::progress::Units;
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
    let store = Undisturbed(LabStore {
        path: lab,
        program: laboratory::program()?,
        fresh: args.fresh,
    });
    let options = options(args, &store);
    let progress = Units::new("findings");
    let show = |event: &Event<'_, Measured>| show(&progress, event);
    let measured = measure(&needed, &options, &show)?;
    let judged = articles.iter().zip(judged(articles, &needed, &measured));
    let judged: Vec<(&CheckedArticle, Vec<JudgedFinding<'_>>)> = judged.collect();
    let tried = match args.experiments {
        false => Vec::new(),
        true => {
            let fails = |of: usize, finding: usize| judged[of].1[finding].outcome == Outcome::Fails;
            let default = (&needed[..], &measured[..]);
            experiments(articles, &fails, default, &options, &show)?
        }
    };
    let count = args
        .samples
        .map(|n| u32::try_from(n.get()).unwrap_or(u32::MAX));
    let only = args.drives.as_deref();
    let samples = count.map(|count| sample(of_versions, only, count, &options, &show));
    let samples = samples.transpose()?;
    progress.bar.finish();
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
fn options<'a>(args: &ClaimsArgs, store: &'a Undisturbed) -> Options<'a> {
    Options {
        store,
        interrupt: Arc::default(),
        seed: args.scale.seed,
        duration_scale: args.scale.duration_scale,
        full_length: args.full_length,
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

/// Most drives that a message lists.
const LISTED_MAX: usize = 8;

fn check_drives(articles: &[CheckedArticle], args: &ClaimsArgs) -> Result<(), Failure> {
    let named = named_drives(articles);
    let mut drives = args.drives.iter().flatten();
    match drives.find(|drive| !named.contains(drive.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let others = match named.len() {
                0..=LISTED_MAX => {
                    let named: Vec<&str> = named.iter().copied().collect();
                    format!("there are: {}", named.join(", "))
                }
                all => format!(
                    "{}`stend claims` without --drives checks the findings about all {all}",
                    stend_model::meant(unknown, named.iter().copied())
                ),
            };
            let problem = format!("--drives {unknown}: no finding is about it; {others}");
            Err(Failure::Input(problem))
        }
    }
}

/// Store in which no signal ends the writing of a drive.
struct Undisturbed(LabStore);

impl Store<Measured, ClaimsError> for Undisturbed {
    fn known(&self, key: &str) -> Result<Vec<Measured>, ClaimsError> {
        self.0.known(key)
    }

    fn keep(&self, done: &Done<Measured>) -> Result<(), ClaimsError> {
        signals::undisturbed(|| self.0.keep(done))?;
        let kept = "; finished drives are kept, and the same command resumes from there";
        signals::hint(kept.to_owned());
        Ok(())
    }
}

/// Prints the events of the measurements.
fn show(progress: &Units, event: &Event<'_, Measured>) {
    match event {
        Event::Round { number, of } => note(&format!("plausible version {} of {of}", number + 1)),
        Event::Planned { open, known } => note(&format!(
            "{} to be simulated, {known} taken from the lab",
            counted(*open, "drive")
        )),
        _ => {}
    }
    progress.show(event);
    if let Event::Finished {
        done,
        of,
        share_done,
        ..
    } = event
    {
        progress.bar.line(&format!(
            "{}: done in {:.1} s ({:.0} % of {of} drives)",
            done.name,
            progress.took(&done.name).as_secs_f64(),
            share_done * 100.0,
        ));
    }
}
