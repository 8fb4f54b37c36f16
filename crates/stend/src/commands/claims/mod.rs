//! `stend claims`: what published reviews found, put to the drives' models.

mod held;
mod needs;
mod tell;
mod validation;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stend_analysis::claims::{Article, Drives, JudgedFinding, Measured, Outcome, judge};
use stend_method::Edition;

use crate::args::ClaimsArgs;
use crate::failure::Failure;
use crate::{laboratory, note, print};
use held::{Held, Lookout};
use needs::Job;

/// An article with the edition that it names.
pub struct Loaded {
    pub article: Article,
    pub edition: Edition,
    /// Where files that it names are looked for.
    folder: PathBuf,
    /// As it is named in errors.
    file: String,
}

pub fn run(args: &ClaimsArgs) -> Result<(), Failure> {
    let articles = load(args)?;
    let jobs = needs::jobs(&articles, args)?;
    let lab = laboratory::path(&args.lab)?;
    laboratory::check(&lab)?;
    let lookout = Lookout {
        lab: &lab,
        seed: args.seed,
        duration_scale: args.duration_scale,
        full_length: args.full_length,
        fresh: args.fresh,
        threads: args.threads.map(std::num::NonZero::get),
    };
    let held = held::measure(&jobs, &lookout)?;
    let drives: Vec<Drives<'_>> = articles
        .iter()
        .map(|loaded| drives_of(loaded, &jobs, &held))
        .collect();
    let judged: Vec<(&Loaded, Vec<JudgedFinding<'_>>)> = articles
        .iter()
        .zip(&drives)
        .map(|(loaded, drives)| (loaded, judge(&loaded.article, drives)))
        .collect();
    print(&match args.json {
        true => tell::json(&judged, args)?,
        false => tell::text(&judged, args),
    })?;
    if let Some(path) = &args.validation {
        validation::write(path, &judged, args)?;
    }
    let failed: Vec<&String> = held.iter().flat_map(|held| &held.failed).collect();
    for text in &failed {
        note(&format!("error: {text}"));
    }
    if !failed.is_empty() {
        return Err(Failure::Incomplete);
    }
    let mut outcomes = judged.iter().flat_map(|(_, all)| all).map(|j| j.outcome);
    match outcomes.any(|outcome| outcome == Outcome::Fails) {
        true => Err(Failure::Refuted),
        false => Ok(()),
    }
}

/// The measured drives of an article by the names that it uses.
fn drives_of<'h>(loaded: &Loaded, jobs: &[Job<'_>], held: &'h [Held]) -> Drives<'h> {
    let mut drives = BTreeMap::new();
    for (job, held) in jobs.iter().zip(held) {
        if job.edition.sha256 != loaded.edition.sha256 {
            continue;
        }
        let names = job.names.iter().filter(|(file, _)| *file == loaded.file);
        for (_, name) in names {
            let measured = Measured {
                target: &held.target,
                tests: &held.tests,
            };
            drives.insert(name.clone(), measured);
        }
    }
    drives
}

/// The articles that are asked for: files, or those that are part of the program.
fn load(args: &ClaimsArgs) -> Result<Vec<Loaded>, Failure> {
    let mut loaded = Vec::new();
    if args.files.is_empty() {
        for name in Article::shipped() {
            let text = Article::shipped_text(name).unwrap_or_default();
            loaded.push(read(
                text,
                &format!("claims/{name}.toml (built in)"),
                Path::new(""),
            )?);
        }
    }
    for path in &args.files {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::Input(format!(
                "{}: the findings could not be read: {error}",
                path.display()
            ))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let one = read(&text, &path.display().to_string(), folder)?;
        if loaded
            .iter()
            .any(|l: &Loaded| l.article.id == one.article.id)
        {
            return Err(Failure::Input(format!(
                "{}: another file has the id {} too; give each article its own",
                path.display(),
                one.article.id
            )));
        }
        loaded.push(one);
    }
    let Some(wanted) = &args.article else {
        return Ok(loaded);
    };
    let ids: Vec<String> = loaded.iter().map(|l| l.article.id.clone()).collect();
    if let Some(unknown) = wanted.iter().find(|id| !ids.contains(id)) {
        return Err(Failure::Input(format!(
            "--article {unknown}: there is no such article; there are: {}",
            ids.join(", ")
        )));
    }
    loaded.retain(|l| wanted.contains(&l.article.id));
    Ok(loaded)
}

fn read(text: &str, file: &str, folder: &Path) -> Result<Loaded, Failure> {
    let article = Article::parse(text, file)?;
    let name = &article.edition;
    let edition = match is_file(name) {
        true => Edition::load(&folder.join(name).display().to_string())?,
        false => Edition::load(name)?,
    };
    needs::check(&article, &edition, file)?;
    Ok(Loaded {
        article,
        edition,
        folder: folder.to_path_buf(),
        file: file.to_owned(),
    })
}

/// Whether a name is that of a file, seen from the article's folder.
fn is_file(name: &str) -> bool {
    name.ends_with(".toml")
}
