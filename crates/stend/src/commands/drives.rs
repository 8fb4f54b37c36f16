//! `stend drives`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use stend_load::target::Target;
use stend_model::{Model, SHIPPED};
use stend_record::review::Condition;
use stend_simulated::SimulatedTarget;

use crate::args::{DriveFilter, DrivesArgs, DrivesCommand, SetArgs};
use crate::failure::Failure;
use crate::open::{Named, is_model, model};
use crate::output::{note, print, print_json, table};
use crate::signals;

pub fn run(args: &DrivesArgs) -> Result<(), Failure> {
    match &args.command {
        None => list(&DriveFilter::default(), args.json),
        Some(command) => perform(command, args.json),
    }
}

fn perform(command: &DrivesCommand, as_json: bool) -> Result<(), Failure> {
    match command {
        DrivesCommand::List(filter) => list(filter, as_json),
        DrivesCommand::Show { name, set } => show(name, set, as_json),
        DrivesCommand::Check { files } => check(files, as_json),
        DrivesCommand::Create { model, state } => create(model, state, as_json),
    }
}

fn list(filter: &DriveFilter, as_json: bool) -> Result<(), Failure> {
    let models: Vec<Model> = SHIPPED
        .iter()
        .filter_map(|s| Model::shipped(s.name))
        .collect();
    check_filter(filter, &models)?;
    let models = || models.iter().filter(|model| passes(filter, model));
    if as_json {
        let drives: Vec<_> = models()
            .map(|m| {
                json!({
                    "name": m.name,
                    "title": m.title,
                    "description": m.description,
                    "capacity_bytes": m.capacity.user_bytes.value,
                    "interface": m.host.interface.value,
                    "link": m.interface_short(),
                    "flash": m.nand.generation.value,
                    "cells": m.flash_short(),
                    "slc_cache": m.slc_cache_size().map(|size| json!({
                        "static_bytes": size.static_bytes,
                        "dynamic_bytes_max": size.dynamic_bytes_max,
                    })),
                    "release_year": m.release_year.as_ref().map(|year| year.value),
                })
            })
            .collect();
        return print_json(&json!({ "schema": "stend.drives/1", "drives": drives }));
    }
    let head = ["model", "size", "interface", "flash", "SLC cache", "year"];
    let rows = std::iter::once(head.map(str::to_owned)).chain(models().map(row));
    print(&table("<* >*  <*  <* >* >*", &rows.collect::<Vec<_>>()))
}

/// Row of a model in the list.
fn row(model: &Model) -> [String; 6] {
    let gb = |bytes: u64, decimals: usize| format!("{:.decimals$} GB", bytes as f64 / 1e9);
    let size = model.capacity.user_bytes.value;
    let size = match size < 1_000_000_000_000 {
        true => gb(size, 0),
        false => format!("{} TB", (size as f64 / 1e10).round() / 100.0),
    };
    let cache = model.slc_cache_size();
    let cache = cache.map(|cache| cache.static_bytes + cache.dynamic_bytes_max);
    let year = model.release_year.as_ref();
    [
        model.name.clone(),
        size,
        model.interface_short(),
        model.flash_short(),
        cache.map_or_else(|| "-".to_owned(), |bytes| gb(bytes, 1)),
        year.map_or_else(|| "-".to_owned(), |year| year.value.to_string()),
    ]
}

/// Refuses words that match no model.
fn check_filter(filter: &DriveFilter, models: &[Model]) -> Result<(), Failure> {
    type Has = fn(&Model, &str) -> bool;
    let known = |option: &str, word: &Option<String>, has: Has, of: fn(&Model) -> String| {
        let Some(word) = word
            .as_ref()
            .filter(|word| !models.iter().any(|m| has(m, word)))
        else {
            return Ok(());
        };
        let words: BTreeSet<String> = models.iter().map(of).collect();
        let words = words.into_iter().collect::<Vec<_>>().join("; ");
        Err(Failure::Input(format!(
            "{option} {word}: no shipped model has it; there are: {words}"
        )))
    };
    known(
        "--interface",
        &filter.interface,
        has_interface,
        Model::interface_short,
    )?;
    known("--flash", &filter.flash, has_flash, Model::flash_short)?;
    if !models.iter().any(|model| passes(filter, model)) {
        note("no shipped model has all of that");
    }
    Ok(())
}

fn has_interface(model: &Model, words: &str) -> bool {
    any_has(
        &[&model.host.interface.value, &model.interface_short()],
        words,
    )
}

fn has_flash(model: &Model, words: &str) -> bool {
    any_has(&[&model.nand.generation.value, &model.flash_short()], words)
}

/// True if one of the texts contains these words, in any case.
fn any_has(texts: &[&str], words: &str) -> bool {
    let words = words.to_lowercase();
    texts
        .iter()
        .any(|text| text.to_lowercase().contains(&words))
}

fn passes(filter: &DriveFilter, model: &Model) -> bool {
    let bytes = u128::from(model.capacity.user_bytes.value);
    // Bounds are nominal capacities: a drive of 512 GB has 512,110,190,592 bytes.
    let within = |(least, most): (u64, u64)| {
        100 * bytes >= 99 * u128::from(least) && 100 * bytes <= 101 * u128::from(most)
    };
    let released = |(from, to): (u32, u32)| {
        let year = model.release_year.as_ref();
        year.is_some_and(|year| (from..=to).contains(&year.value))
    };
    (filter.interface.as_ref()).is_none_or(|name| has_interface(model, name))
        && (filter.flash.as_ref()).is_none_or(|words| has_flash(model, words))
        && filter.capacity.is_none_or(within)
        && filter.year.is_none_or(released)
}

fn show(name: &str, set: &SetArgs, as_json: bool) -> Result<(), Failure> {
    let Some((model, _)) = model(Named { name, set })? else {
        return Err(Failure::Input(stend_model::unknown_model(name)));
    };
    if !as_json {
        return print(&model.text);
    }
    let facts: serde_json::Map<_, _> = model
        .facts()
        .into_iter()
        .map(|(id, value)| {
            let words = value.in_english();
            let name = Condition::new(id, value).name().in_english();
            (name, words.into())
        })
        .collect();
    print_json(&json!({
        "schema": "stend.drive-show/1",
        "name": name,
        "title": model.title,
        "fingerprint": format!("{:016x}", model.fingerprint),
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
        None => return Err(Failure::Input(stend_model::unknown_model(name))),
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
