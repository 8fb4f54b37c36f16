//! `stend claims --measured`: compares predictions with published figures.

use std::collections::BTreeMap;
use std::path::Path;

use parking_lot::Mutex;
use serde_json::{Value, json};
use stend_experiment::Threads;
use stend_fit::compare::{Comparing, Median};
use stend_fit::measured::{Ask, Base, Row, is_file};
use stend_fit::{Comparison, Measured, Outcome, compare};
use stend_model::{Model, meant};

use crate::args::ClaimsArgs;
use crate::failure::Failure;
use crate::output::{note, print, print_json, table};

/// Layout of the table of figures.
const LAYOUT: &str = "  <42 <16 >20 >12 >8";

pub fn run(args: &ClaimsArgs) -> Result<(), Failure> {
    let measured = match &*args.files {
        [] => Measured::shipped(),
        files => Measured::read(files)?,
    };
    let files = model_files(&measured)?;
    let drives = args.drives.as_deref().unwrap_or_default();
    let asked = |row: usize| {
        let row = &measured.rows[row];
        let named = |name: &String| row.model.as_ref() == Some(name) || row.drive == *name;
        drives.is_empty() || drives.iter().any(named)
    };
    if !(0..measured.rows.len()).any(asked) {
        return Err(Failure::Input(unknown(&measured, drives)));
    }
    let last = Mutex::new(0);
    let comparison = compare(
        &measured,
        &Comparing {
            model: &|name| Model::shipped(name).or_else(|| files.get(name).cloned()),
            only: &asked,
            seed: args.scale.seed,
            threads: Threads::default(),
            progress: &|done, all| {
                let mut last = last.lock();
                if done > *last {
                    note(&format!("{done} of {all} drives in a state measured"));
                    *last = done;
                }
            },
        },
    );
    match args.json {
        true => print_json(&document(&measured, &comparison, args.scale.seed)),
        false => print(&summary(&measured, &comparison)),
    }
}

/// Reads the models that rows name as files.
fn model_files(measured: &Measured) -> Result<BTreeMap<String, Model>, Failure> {
    let mut files = BTreeMap::new();
    for name in measured.models().filter(|name| is_file(name)) {
        if !files.contains_key(name) {
            files.insert(name.to_owned(), Model::read(Path::new(name))?);
        }
    }
    Ok(files)
}

fn unknown(measured: &Measured, names: &[String]) -> String {
    let mut models: Vec<&str> = measured
        .rows
        .iter()
        .filter_map(|row| row.model.as_deref())
        .collect();
    models.sort_unstable();
    models.dedup();
    let known = |name: &&String| models.contains(&name.as_str());
    let unknown: Vec<&String> = names.iter().filter(|name| !known(name)).collect();
    let meant = unknown
        .iter()
        .map(|name| meant(name, models.iter().copied()));
    format!(
        "no published figures of {}; {}`stend claims --measured` without --drives has those of \
         all {} models",
        names.join(", "),
        meant.collect::<String>(),
        models.len()
    )
}

fn summary(measured: &Measured, comparison: &Comparison) -> String {
    let mut text = String::new();
    let mut drive = "";
    // Ordered by model, and within a model as published.
    let mut rows: Vec<&(usize, Outcome)> = comparison.rows.iter().collect();
    rows.sort_by_key(|(row, _)| measured.rows[*row].model.as_deref());
    for (row, outcome) in rows {
        let row = &measured.rows[*row];
        let (Outcome::Answered(answer), Ok(ask)) = (outcome, &row.ask) else {
            continue;
        };
        if drive != row.drive {
            drive = &row.drive;
            let of = answer.variant_of.as_ref();
            let of = of.map_or(String::new(), |of| format!(" (scaled from {of})"));
            text += &format!("\n{drive}{of}\n");
            let head = ["figure", "state", "measured", "predicted", "error"];
            text += &table(LAYOUT, &[head.map(str::to_owned)]);
        }
        let (test, figure) = named(measured, ask);
        let cells = [
            format!("{} {figure}", test.id),
            measured.states[ask.state].id.clone(),
            shortened(&row.published, 20),
            short(answer.predicted),
            format!("{:.1}%", answer.error * 100.0),
        ];
        text += &table(LAYOUT, &[cells]);
    }
    text += &medians("By model", &comparison.by_model);
    text += &medians("By metric", &comparison.by_metric);
    text += &unanswered(measured, comparison);
    text += &shortened_tests(measured, comparison);
    let answered = comparison.overall.as_ref().map_or(0, |all| all.count);
    let rest = comparison.rows.len() - answered;
    text += &format!("\n{answered} figures answered, {rest} not");
    if let Some(all) = &comparison.overall {
        text += &format!("; median error {:.1} %", all.error * 100.0);
    }
    text += "\n";
    text
}

/// Formats a figure with about four significant digits.
fn short(figure: f64) -> String {
    let digits = match figure.abs() {
        x if x >= 1000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        _ => 3,
    };
    format!("{figure:.digits$}")
}

fn named<'m>(measured: &'m Measured, ask: &Ask) -> (&'m stend_fit::measured::Test, &'m str) {
    let test = &measured.tests[ask.test];
    (test, &test.figures[ask.figure].id)
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn medians(title: &str, medians: &[Median]) -> String {
    let mut text = format!("\n{title}: median error, figures\n");
    let rows = medians.iter().map(|median| {
        let error = format!("{:.1}", median.error * 100.0);
        [median.name.clone(), error, median.count.to_string()]
    });
    text += &table("  <42 >6 % >4", &rows.collect::<Vec<_>>());
    text
}

fn unanswered(measured: &Measured, comparison: &Comparison) -> String {
    let mut reasons: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for (row, outcome) in &comparison.rows {
        if let Outcome::Unanswered(reason) = outcome {
            reasons
                .entry(reason)
                .or_default()
                .push(&measured.rows[*row]);
        }
    }
    let mut text = match reasons.is_empty() {
        true => return String::new(),
        false => "\nNot answered\n".to_owned(),
    };
    for (reason, rows) in reasons {
        text += &format!("  {} x {reason}\n", rows.len());
        for row in rows {
            text += &format!("      {}: {}: {}\n", row.drive, row.what, row.published);
        }
    }
    text
}

fn shortened_tests(measured: &Measured, comparison: &Comparison) -> String {
    let answered = |(row, outcome): &(usize, Outcome)| match (outcome, &measured.rows[*row].ask) {
        (Outcome::Answered(_), Ok(ask)) => Some(ask.test),
        _ => None,
    };
    let tests: std::collections::BTreeSet<usize> =
        comparison.rows.iter().filter_map(answered).collect();
    let mut text = String::new();
    for test in tests.into_iter().map(|test| &measured.tests[test]) {
        if let Some(how) = &test.shortened {
            text += &format!("  {}: {how}\n", test.id);
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("\nShorter than the published test\n{text}"),
    }
}

fn document(measured: &Measured, comparison: &Comparison, seed: u64) -> Value {
    let rows = comparison.rows.iter();
    let rows: Vec<Value> = rows
        .map(|(row, outcome)| row_document(measured, &measured.rows[*row], outcome))
        .collect();
    let all = comparison.overall.as_ref();
    json!({
        "schema": "stend.claims-measured/1",
        "seed": seed,
        "rows": rows,
        "by_model": medians_document(&comparison.by_model),
        "by_metric": medians_document(&comparison.by_metric),
        "answered": all.map_or(0, |all| all.count),
        "unanswered": comparison.rows.len() - all.map_or(0, |all| all.count),
        "error_median": all.map(|all| all.error),
    })
}

fn medians_document(medians: &[Median]) -> Vec<Value> {
    let one = |median: &Median| {
        json!({
            "name": median.name,
            "answered": median.count,
            "error_median": median.error,
        })
    };
    medians.iter().map(one).collect()
}

fn row_document(measured: &Measured, row: &Row, outcome: &Outcome) -> Value {
    let mut document = json!({
        "drive": row.drive,
        "model": row.model,
        "what": row.what,
        "published": row.published,
        "source": row.source,
        "address": row.address,
    });
    if let Ok(ask) = &row.ask {
        let (test, figure) = named(measured, ask);
        document["test"] = json!(test.id);
        document["figure"] = json!(figure);
        document["metric"] = json!(test.figures[ask.figure].metric);
        document["shortened"] = json!(test.shortened);
        document["state"] = json!(measured.states[ask.state].id);
        document["unit"] = json!(ask.unit.name);
        document["base_said"] = json!(ask.base == Base::Said);
    }
    match outcome {
        Outcome::Unanswered(reason) => document["unanswered"] = json!(reason),
        Outcome::Answered(answer) => {
            document["predicted"] = json!(answer.predicted);
            document["error"] = json!(answer.error);
            document["scaled_from"] = json!(answer.variant_of);
        }
    }
    document
}
