//! `stend fit`: fits free figures of models to measured figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use stend_fit::Measured;
use stend_fit::fitting::{
    Fit, FitError, Fitted, Generation, SearchState, Task, Written, check_state, document, errors,
    figure_of, fit, written,
};
use stend_model::{Files, Model};

use super::leave_one_out;
use super::search::{generation_words, measured, options, read_json};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::folder::replace;
use crate::open::unknown_model;
use crate::output::{json_text, note, print, print_json, table};
use crate::signals;

/// Generations at most, where no number is given.
const GENERATIONS: usize = 60;

/// File with the state of the search, in the folder of the result.
const STATE: &str = "fit-state.json";

/// File with the result, in its folder.
const RESULT: &str = "fit.json";

pub fn run(args: &FitArgs) -> Result<(), Failure> {
    if args.leave_one_out {
        return leave_one_out::run(args);
    }
    let models = models(&args.models)?;
    if args.in_place {
        all_are_files(&models)?;
    }
    let mut measured = measured(args)?;
    name_files(&mut measured, &args.models)?;
    let only = |row: usize| measured.is_asked(row, &args.tests, &args.states);
    let task = Task {
        models: &models,
        measured: &measured,
        only: &only,
        others: &Model::shipped,
        options: options(args, GENERATIONS),
        pool: &stend_experiment::Threads::default(),
    };
    let folder = args.out.clone();
    let folder = folder.unwrap_or_else(|| PathBuf::from(format!("fit-{}", models[0].0)));
    let result = searched(&task, &folder)?;
    let files = match result.parameters.is_empty() {
        true => Vec::new(),
        false => written(&models, &measured, &result)?,
    };
    let document = document(&measured, &result, &files);
    signals::undisturbed(|| save(args, &folder, &files, &document))?;
    match args.json {
        true => print_json(&document),
        false => print(&(summary(&measured, &result) + &told(args, &folder, &files))),
    }
}

/// The models and their files.
fn models(names: &[String]) -> Result<Vec<(String, Files)>, Failure> {
    let mut models: Vec<(String, Files)> = Vec::new();
    for name in names {
        let files = match Files::shipped(name) {
            Some(files) => files,
            None if name.ends_with(".toml") => Files::read(Path::new(name))?,
            None => {
                return Err(Failure::Input(unknown_model(name)));
            }
        };
        let model = files.model()?;
        if models.iter().any(|(other, _)| *other == model.name) {
            let message = format!("{} is named twice", model.name);
            return Err(Failure::Input(message));
        }
        models.push((model.name, files));
    }
    Ok(models)
}

/// Replaces names of model files in rows by the names of their models.
fn name_files(measured: &mut Measured, names: &[String]) -> Result<(), Failure> {
    for name in names.iter().filter(|name| Files::shipped(name).is_none()) {
        let model = Files::read(Path::new(name))?.model()?.name;
        let Ok(path) = fs::canonicalize(name) else {
            continue;
        };
        measured.rename(|named| {
            let same = fs::canonicalize(named).is_ok_and(|named| named == path);
            same.then(|| model.clone())
        });
    }
    Ok(())
}

fn all_are_files(models: &[(String, Files)]) -> Result<(), Failure> {
    let free = models.iter().flat_map(|(_, files)| {
        let free = files.free().into_iter().map(|figure| figure.file);
        let built_in = files.files().iter().filter(|file| file.built_in);
        let built_in: Vec<String> = built_in.map(|file| file.name.clone()).collect();
        free.filter(move |name| built_in.contains(name))
    });
    let mut free: Vec<String> = free.collect();
    free.dedup();
    match free.first() {
        None => Ok(()),
        Some(name) => Err(Failure::Input(format!(
            "--in-place: {name} is part of the program and cannot be changed; leave --in-place \
            out and use the files of the result, or fit a model file whose parts lie beside it"
        ))),
    }
}

/// The search, kept after every generation.
fn searched(task: &Task<'_>, folder: &Path) -> Result<Fit, Failure> {
    let path = folder.join(STATE);
    let state: Option<SearchState> = read_json(&path, "a state of a search")?;
    if let Some(state) = &state {
        check_state(task, state)?;
    }
    let was_there = folder.exists();
    fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    let known = state.as_ref().map_or(0, |s| s.history.generations.len());
    if known > 0 {
        note(&format!("resuming after generation {known}"));
    }
    signals::hint(format!(
        "; the state of the search is in {}, and the same command resumes from there",
        path.display()
    ));
    let begin = Instant::now();
    let mut keep = |state: &SearchState, generation: &Generation| {
        let text = serde_json::to_string(state).map_err(|error| error.to_string())?;
        let saved = signals::undisturbed(|| replace(&path, text.as_bytes()));
        saved.map_err(|error| error.to_string())?;
        note(&told_of(generation, known, begin.elapsed().as_secs()));
        Ok(())
    };
    let fitted = fit(task, state, &mut keep).inspect_err(|_| {
        // `remove_dir` removes only an empty folder.
        if !was_there {
            let _ = fs::remove_dir(folder);
        }
    });
    Ok(fitted?)
}

fn told_of(generation: &Generation, known: usize, seconds: u64) -> String {
    let done = (generation.number - known) as u64;
    let left = (generation.of - generation.number) as u64;
    let left_s = seconds * left / done.max(1);
    let words = generation_words(generation);
    format!("{words}, {seconds} s, {left_s} s left at most")
}

fn save(args: &FitArgs, folder: &Path, files: &[Written], document: &Value) -> Result<(), Failure> {
    for file in files {
        replace(&folder.join(&file.path), file.text.as_bytes())?;
    }
    replace(&folder.join(RESULT), json_text(document)?.as_bytes())?;
    for file in files.iter().filter(|file| args.in_place && file.changed) {
        replace(Path::new(&file.original), file.text.as_bytes())?;
    }
    Ok(())
}

fn summary(measured: &Measured, fit: &Fit) -> String {
    let rows = fit.before.rows.iter().zip(&fit.after.rows);
    let rows = rows.filter_map(|((row, before), (_, after))| {
        let [before, after] = [before.answer()?, after.answer()?];
        let of = &measured.rows[*row];
        let metric = of.ask.as_ref().map(|ask| {
            let test = &measured.tests[ask.test];
            test.figures[ask.figure].metric.clone()
        });
        Some([
            of.model.clone().unwrap_or_default(),
            metric.unwrap_or_default(),
            of.published.clone(),
            format!("{:.1}", before.error * 100.0),
            format!("{:.1}", after.error * 100.0),
        ])
    });
    let layout = "  <26 <38 >16  before >8 %  after >8 %";
    let mut text = format!("Figures\n{}", table(layout, &rows.collect::<Vec<_>>()));
    text += "\nParameters\n";
    if fit.parameters.is_empty() {
        text += "  none: the model is predicted, and its file stays as it is (0 generations)\n";
    }
    for fitted in &fit.parameters {
        text += &parameter_line(measured, fitted);
    }
    for (row, reason) in &fit.unanswered {
        let row = &measured.rows[*row];
        text += &format!("left out: {}: {}: {reason}\n", row.drive, row.what);
    }
    let [before, after] = [&fit.before, &fit.after].map(errors);
    text += &format!(
        "\n{} figures; median error {:.1} % before, {:.1} % after; root of the mean square {:.1} \
        % before, {:.1} % after\n",
        fit.after.rows.len(),
        before.0 * 100.0,
        after.0 * 100.0,
        before.1 * 100.0,
        after.1 * 100.0,
    );
    text
}

fn parameter_line(measured: &Measured, fitted: &Fitted) -> String {
    let figure = &fitted.parameter.figure;
    let [lowest, highest] = figure.bounds;
    let told = match (fitted.determined, fitted.sensitivity.most_sensitive) {
        (true, Some(row)) => format!(
            "a tenth moves figures by up to {:.1} % ({})",
            fitted.sensitivity.change_per_tenth * 100.0,
            figure_of(measured, row)
        ),
        (true, None) => "a tenth moves no figure; the way from its value before did".to_owned(),
        (false, _) => {
            "not determined: it changes no measured figure by 0.5 % or more; kept as it was"
                .to_owned()
        }
    };
    format!(
        "  {}: {} -> {} (free from {lowest} to {highest}); {told}\n",
        fitted.parameter.name(),
        figure.value,
        fitted.value,
    )
}

fn told(args: &FitArgs, folder: &Path, files: &[Written]) -> String {
    let mut text = String::new();
    for file in files {
        text += &format!("{}\n", folder.join(&file.path).display());
        if args.in_place && file.changed {
            text += &format!("{}: changed\n", file.original);
        }
    }
    text
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Failure {
        match error {
            FitError::Model(text) | FitError::Rows(text) | FitError::State(text) => {
                Failure::Input(text)
            }
            FitError::NoOptimiser => Failure::ToolMissing(error.to_string()),
            FitError::Keep(text) => Failure::Io(text),
        }
    }
}
