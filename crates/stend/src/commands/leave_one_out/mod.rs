//! `stend fit --leave-one-out`: predicts each measured drive with figures that were fitted without
//! the drive's own rows.

mod progress;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stend_experiment::Threads;
use stend_fit::fitting::{FitError, Generation, LeaveOneOut, Plan, SearchState};
use stend_fit::measured::is_file;
use stend_fit::{Measured, Outcome};
use stend_model::{Files, Model};

use super::search::{measured, options, read_json};
use crate::args::FitArgs;
use crate::failure::Failure;
use crate::folder::replace;
use crate::output::{json_text, json_value, note, print, print_json};
use crate::signals;
use progress::Progress;
pub use table::Document;
use table::Drive;

/// Default for the maximum number of generations of each search.
const GENERATIONS: usize = 6;

/// Default folder of the result.
const FOLDER: &str = "fit-leave-one-out";

/// File with the table of all drives, in the folder of the result.
const RESULT: &str = "leave-one-out.json";

/// Result of a finished drive.
#[derive(Serialize, Deserialize)]
struct Finished {
    /// SHA-256 of all inputs of the result.
    inputs: String,
    drive: Drive,
}

pub fn run(args: &FitArgs) -> Result<(), Failure> {
    let measured = measured(args)?;
    let files = model_files(&measured)?;
    let others = |name: &str| match files.get(name) {
        Some((_, model)) => Some(model.clone()),
        None => Model::shipped(name),
    };
    let files_of = |name: &str| match files.get(name) {
        Some((files, _)) => Some(files.clone()),
        None => Files::shipped(name),
    };
    let only = |row: usize| measured.is_asked(row, &args.tests, &args.states);
    let options = options(args, GENERATIONS);
    let fitted_to = |row: usize| {
        let Ok(ask) = &measured.rows[row].ask else {
            return false;
        };
        args.fit_states.is_empty() || args.fit_states.contains(&measured.states[ask.state].id)
    };
    let mut all = LeaveOneOut::new(
        &measured,
        &files_of,
        &only,
        &others,
        options,
        Threads::default(),
    )?;
    all.fitted_only_to(&fitted_to);
    let plans = chosen(&all, &args.models)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    let run = Run {
        measured: &measured,
        all: &all,
        folder: &folder,
    };
    let drives = run.drives(&plans, Progress::new(&plans, options))?;
    let document = Document::new(options, drives);
    let value = json_value(&document)?;
    signals::undisturbed(|| {
        let path = folder.join(RESULT);
        replace(&path, json_text(&value)?.as_bytes())?;
        match &args.table {
            Some(path) => replace(path, document.markdown().as_bytes()),
            None => Ok(()),
        }
    })?;
    match args.json {
        true => print_json(&value),
        false => print(&document.text()),
    }
}

/// Reads the models that rows name as files.
fn model_files(measured: &Measured) -> Result<BTreeMap<String, (Files, Model)>, Failure> {
    let mut all = BTreeMap::new();
    for name in measured.models().filter(|name| is_file(name)) {
        if !all.contains_key(name) {
            let files = Files::read(Path::new(name))?;
            let model = files.model()?;
            all.insert(name.to_owned(), (files, model));
        }
    }
    Ok(all)
}

/// Plans of the named drives, or of all.
fn chosen(all: &LeaveOneOut<'_>, names: &[String]) -> Result<Vec<Plan>, Failure> {
    let known: Vec<&str> = all.drives().collect();
    if known.is_empty() {
        return Err(Failure::Input(
            "no drive model can be asked for a measured figure: a row names its model, a test \
             and a state (`stend claims --measured` tells what each row lacks)"
                .to_owned(),
        ));
    }
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::Input(format!(
            "there are no measured figures of `{name}` to leave out; there are some of {}",
            known.join(", ")
        )));
    }
    let mut plans = all.plans();
    plans.retain(|plan| names.is_empty() || names.contains(&plan.drive));
    Ok(plans)
}

/// Leaves out drives one after the other.
struct Run<'a> {
    measured: &'a Measured,
    all: &'a LeaveOneOut<'a>,
    folder: &'a Path,
}

impl Run<'_> {
    fn drives(&self, plans: &[Plan], mut progress: Progress) -> Result<Vec<Drive>, Failure> {
        let mut finished: Vec<Option<Drive>> = Vec::new();
        for plan in plans {
            let drive = self.finished(plan)?;
            if drive.is_some() {
                progress.leave_out(&plan.drive);
            }
            finished.push(drive);
        }
        let left = plans.iter().zip(&finished);
        let left: Vec<&Plan> = left.filter_map(|(p, f)| f.is_none().then_some(p)).collect();
        let shipped = match left.is_empty() {
            true => BTreeMap::new(),
            false => self.shipped(&left)?,
        };
        progress.begin();
        let mut drives = Vec::new();
        for (plan, finished) in plans.iter().zip(finished) {
            drives.push(match finished {
                Some(drive) => drive,
                None => self.drive(plan, &shipped, &mut progress)?,
            });
        }
        Ok(drives)
    }

    fn shipped(&self, plans: &[&Plan]) -> Result<BTreeMap<usize, Outcome>, Failure> {
        let folder = self.folder;
        fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
        signals::hint(format!(
            "; what is finished is in {}, and the same command resumes from there",
            folder.display()
        ));
        Ok(self.all.shipped(plans, &|done, of| {
            note(&format!(
                "models as shipped: {done} of {of} drives in a state measured"
            ));
        }))
    }

    /// Leaves out a drive, and saves the result.
    fn drive(
        &self,
        plan: &Plan,
        shipped: &BTreeMap<usize, Outcome>,
        progress: &mut Progress,
    ) -> Result<Drive, Failure> {
        let path = self.path(plan, "-state.json");
        let state: Option<SearchState> = read_json(&path, "a state of a search")?;
        let known = state
            .as_ref()
            .map_or(0, |state| state.history.generations.len());
        progress.drive(&plan.drive, known);
        let mut keep = |state: &SearchState, generation: &Generation| {
            let text = serde_json::to_string(state).map_err(|error| error.to_string())?;
            let saved = signals::undisturbed(|| replace(&path, text.as_bytes()));
            saved.map_err(|error| error.to_string())?;
            progress.generation(plan, generation);
            Ok(())
        };
        let left_out = self.all.run(plan, shipped, state, &mut keep);
        let left_out = left_out.map_err(|error| match error {
            FitError::State(text) => FitError::State(format!("{}: {text}", path.display())),
            other => other,
        })?;
        let drive = Drive::new(self.measured, plan, &left_out);
        let finished = Finished {
            inputs: plan.inputs.clone(),
            drive,
        };
        let path = self.path(plan, ".json");
        let text = json_text(&json_value(&finished)?)?;
        signals::undisturbed(|| replace(&path, text.as_bytes()))?;
        progress.finished(&finished.drive);
        Ok(finished.drive)
    }

    /// Result of a drive, if it is finished and was computed from the same inputs.
    fn finished(&self, plan: &Plan) -> Result<Option<Drive>, Failure> {
        let path = self.path(plan, ".json");
        let finished: Option<Finished> = read_json(&path, "a result of a drive left out")?;
        let same = finished.filter(|finished| finished.inputs == plan.inputs);
        Ok(same.map(|finished| finished.drive))
    }

    /// Path of a drive's file. The name of a drive that is a model file is a path.
    fn path(&self, plan: &Plan, ending: &str) -> PathBuf {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        };
        let name: String = plan.drive.chars().map(plain).collect();
        self.folder.join(format!("drive-{name}{ending}"))
    }
}
