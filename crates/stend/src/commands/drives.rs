//! `stend drives`.

use std::path::Path;

use serde_json::json;
use stend_drive::Model;
use stend_drive::model::SHIPPED;
use stend_target::{SimulatedTarget, Target};

use crate::args::{DrivesArgs, DrivesCommand};
use crate::failure::Failure;
use crate::open::{is_model, like};
use crate::output::{print, print_json};
use crate::signals;

pub fn run(args: &DrivesArgs) -> Result<(), Failure> {
    match args.command.as_ref().unwrap_or(&DrivesCommand::List) {
        DrivesCommand::List => list(args.json),
        DrivesCommand::Show { name } => show(name, args.json),
        DrivesCommand::Check { files } => check(files, args.json),
        DrivesCommand::Create { model, state } => create(model, state, args.json),
    }
}

fn list(as_json: bool) -> Result<(), Failure> {
    let models = || SHIPPED.iter().filter_map(|s| Model::shipped(s.name));
    if as_json {
        let drives: Vec<_> = models()
            .map(|m| {
                json!({
                    "name": m.name,
                    "title": m.title,
                    "description": m.description,
                    "capacity_bytes": m.capacity.user_bytes.value,
                })
            })
            .collect();
        return print_json(&json!({ "schema": "stend.drives/1", "drives": drives }));
    }
    let width = SHIPPED
        .iter()
        .map(|s| s.name.len())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    for model in models() {
        text += &format!("{:<width$}  {}\n", model.name, model.title);
    }
    print(&text)
}

fn show(name: &str, as_json: bool) -> Result<(), Failure> {
    let Some(model) = Model::shipped(name) else {
        return Err(Failure::Input(unknown(name)));
    };
    if !as_json {
        return print(&model.text);
    }
    let facts: serde_json::Map<_, _> = model
        .facts()
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    print_json(&json!({
        "schema": "stend.drive-show/1",
        "name": name,
        "title": model.title,
        "facts": facts,
        "file": model.text,
    }))
}

fn check(files: &[std::path::PathBuf], as_json: bool) -> Result<(), Failure> {
    let mut problems = Vec::new();
    let mut rows = Vec::new();
    for file in files {
        let outcome = Model::read(file);
        let found = outcome.err().map(|error| error.to_string());
        rows.push(json!({
            "file": file.display().to_string(),
            "ok": found.is_none(),
            "problems": found.as_deref().map_or_else(Vec::new, |f| f.lines().collect()),
        }));
        match found {
            Some(found) => problems.push(found),
            None if !as_json => print(&format!("{}: sound\n", file.display()))?,
            None => {}
        }
    }
    if as_json {
        print_json(&json!({ "schema": "stend.drives-check/1", "files": rows }))?;
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure::Input(problems.join("\n")))
}

fn create(name: &str, path: &Path, as_json: bool) -> Result<(), Failure> {
    let model = match Model::shipped(name) {
        Some(model) => model,
        None if name.ends_with(".toml") => Model::read(Path::new(name))?,
        None => return Err(Failure::Input(unknown(name))),
    };
    if path.to_str().is_some_and(is_model) {
        return Err(Failure::Input(format!(
            "--state {0}: as a TARGET, this names a model; choose another name",
            path.display()
        )));
    }
    let target = signals::undisturbed(|| SimulatedTarget::create(model, path))?;
    let info = target.info();
    if as_json {
        return print_json(&json!({
            "schema": "stend.drive-create/1",
            "state": path.display().to_string(),
            "name": info.name,
            "title": info.title,
            "capacity_bytes": info.capacity_bytes,
        }));
    }
    print(&format!("{}: a new {}\n", path.display(), info.title))
}

fn unknown(name: &str) -> String {
    format!("there is no drive model `{name}`; {}", like(name))
}
