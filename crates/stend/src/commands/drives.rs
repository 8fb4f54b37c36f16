//! `stend drives`.

use serde_json::json;
use stend_drive::Model;
use stend_drive::model::{SHIPPED, Value};

use crate::args::{DrivesArgs, DrivesCommand};
use crate::failure::Failure;
use crate::print;

pub fn run(args: &DrivesArgs) -> Result<(), Failure> {
    match args.command.as_ref().unwrap_or(&DrivesCommand::List) {
        DrivesCommand::List => list(args.json),
        DrivesCommand::Show { name } => show(name, args.json),
        DrivesCommand::Check { files } => check(files, args.json),
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
                    "capacity_bytes": m.capacity.user_bytes.get(),
                })
            })
            .collect();
        return print_json(&json!({ "schema": "stend.drives/1", "drives": drives }));
    }
    let mut text = String::new();
    for model in models() {
        text += &format!("{:<24} {}\n", model.name, model.title);
    }
    print(&text)
}

fn show(name: &str, as_json: bool) -> Result<(), Failure> {
    let Some(shipped) = SHIPPED.iter().find(|s| s.name == name) else {
        let names: Vec<&str> = SHIPPED.iter().map(|s| s.name).collect();
        return Err(Failure::Input(format!(
            "there is no drive model `{name}`; shipped models: {}",
            names.join(", ")
        )));
    };
    if !as_json {
        return print(shipped.text);
    }
    let model = Model::shipped(name).expect("it is shipped");
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
        "file": shipped.text,
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

fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
