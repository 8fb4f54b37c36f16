//! Common parts of searches for figures: rows, options and saved files.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;
use stend_fit::Measured;
use stend_fit::fitting::{Generation, SearchOptions};

use crate::args::FitArgs;
use crate::failure::Failure;

/// Word of `--to` for the figures that are part of the program.
const PUBLISHED: &str = "published";

/// The measured figures.
pub(super) fn measured(args: &FitArgs) -> Result<Measured, Failure> {
    let measured = match args.to.as_deref() {
        None | Some(PUBLISHED) => Measured::shipped(),
        Some(path) => Measured::read(&[path])?,
    };
    names_exist(args, &measured)?;
    Ok(measured)
}

/// Describes a finished generation.
pub(super) fn generation_words(generation: &Generation) -> String {
    format!(
        "generation {} of {} at most, {} points: best {:.3} % (before {:.3} %)",
        generation.number,
        generation.of,
        generation.population,
        generation.cost_best.sqrt() * 100.0,
        generation.cost_before.sqrt() * 100.0,
    )
}

/// Options of a search; `generations` by default.
pub(super) fn options(args: &FitArgs, generations: usize) -> SearchOptions {
    SearchOptions {
        seed: args.seed,
        generations_max: args.generations.unwrap_or(generations),
        population: args.population.map_or(0, |n| n as usize),
    }
}

/// Reads a file of an earlier search, which holds `what`; `None` if there is none.
pub(super) fn read_json<T: DeserializeOwned>(
    path: &Path,
    what: &str,
) -> Result<Option<T>, Failure> {
    let shown = path.display();
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
            Failure::Input(format!(
                "{shown} is not {what}: {error}; choose another folder, or remove it"
            ))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Io(format!("cannot read {shown}: {error}"))),
    }
}

fn names_exist(args: &FitArgs, measured: &Measured) -> Result<(), Failure> {
    let tests: Vec<&str> = measured.tests.iter().map(|test| &*test.id).collect();
    let states: Vec<&str> = measured.states.iter().map(|state| &*state.id).collect();
    for (what, names, known) in [
        ("test", &args.tests, tests),
        ("state", &args.states, states.clone()),
        ("state", &args.fit_states, states),
    ] {
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let known = known.join(", ");
            let message = format!("there is no {what} `{name}`; there are {known}");
            return Err(Failure::Input(message));
        }
    }
    Ok(())
}
