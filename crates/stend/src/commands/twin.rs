//! `stend twin`: a drive model made from a review.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use stend_fit::fitting::{CAN_SEARCH, errors as fit_errors};
use stend_fit::twin::draft::{Draft, shipped};
use stend_fit::twin::errors::{Errors, errors};
use stend_fit::twin::fitting::{Found, Progress, Search, interval};
use stend_fit::twin::parts::Part;
use stend_fit::twin::rows::{HoldoutRule, Rows, rows};
use stend_fit::twin::told::Told;
use stend_fit::twin::{SCHEMA, TwinError};
use stend_identify::property::{self, Identification};
use stend_identify::{infer, observed_in};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_model::Model;
use stend_record::load::Load;
use stend_record::review::{self, ReadError, Review};
use stend_simulated::SimulatedTarget;

use crate::args::TwinArgs;
use crate::failure::Failure;
use crate::folder::replace;
use crate::output::{note, print, print_json, table};
use crate::{laboratory, signals};

pub fn run(args: &TwinArgs) -> Result<(), Failure> {
    check_out(args)?;
    let name = model_name(&args.out)?;
    let review = review(args)?;
    let edition = edition(args, &review)?;
    let parts = parts(&args.parts)?;
    let held_out = HoldoutRule::of(&args.holdout, &review)?;
    let told = Told::of(Some(&identification(args, &review, &held_out)?));
    let made = rows(&review, &edition, &held_out, &name)?;
    let counts = |test: &str, _: &Load| made.used.contains(test);
    let draft = Draft {
        name: &name,
        review: &review,
        parts: &parts,
        told: &told,
        sustained: made.sustained(),
        counts: &counts,
    };
    let drafts = draft.texts()?;
    let found = searched(args, (&name, &drafts), &made, &review)?;
    let model = Model::parse(&found.text, &args.out.display().to_string())?;
    let save = || replace(&args.out, found.text.as_bytes());
    signals::undisturbed(save)?;
    signals::hint(format!("; the twin is in {}", args.out.display()));
    note("the review of the twin");
    let twin = reviewed(model, &edition, &review, args)?;
    let fitted_to = match args.evaluations {
        0 => &BTreeSet::new(),
        _ => &made.used,
    };
    let errors = errors(&review, &twin, fitted_to);
    let save = || replace(&args.out, errors.told_in(&found.text).as_bytes());
    signals::undisturbed(save)?;
    if let (true, Some(warning)) = (args.json, errors.warning()) {
        note(&format!("warning: {warning}"));
    }
    match args.json {
        true => print_json(&document(args, &review, &made, &found, &errors)),
        false => print(&summary(args, &made, &found, &errors)),
    }
}

/// Refuses an output file that exists, and a folder that does not.
fn check_out(args: &TwinArgs) -> Result<(), Failure> {
    let shown = args.out.display();
    let folder = args.out.parent().filter(|f| !f.as_os_str().is_empty());
    if args.out.is_dir() {
        return Err(Failure::Input(format!(
            "--out {shown}: is a folder; name a file"
        )));
    }
    if args.out.symlink_metadata().is_ok() && !args.force {
        return Err(Failure::Input(format!(
            "--out {shown}: exists already, and is not overwritten; choose another name, or \
             replace it with --force"
        )));
    }
    match folder {
        Some(folder) if !folder.is_dir() => Err(Failure::Input(format!(
            "--out {shown}: there is no such folder; make it, or choose another name"
        ))),
        _ => Ok(()),
    }
}

/// Derives the model's name from its file name.
fn model_name(out: &Path) -> Result<String, Failure> {
    let is_model = out.extension().is_some_and(|extension| extension == "toml");
    let stem = out.file_stem().and_then(|stem| stem.to_str());
    match stem {
        Some(stem) if is_model => Ok(stem.to_owned()),
        _ => Err(Failure::Input(format!(
            "--out {}: the file of a drive model ends in .toml",
            out.display()
        ))),
    }
}

/// Reads the review: a file, a folder, or a run of the lab.
fn review(args: &TwinArgs) -> Result<Review, Failure> {
    let named = Path::new(&args.review);
    let file = match named.is_dir() {
        true => named.join("review.json"),
        false => named.to_path_buf(),
    };
    if !file.exists() {
        let is_file = named.extension().is_some() || named.components().count() > 1;
        if is_file || named.is_dir() {
            return Err(Failure::Input(format!(
                "{}: there is no such review",
                file.display()
            )));
        }
        let lab = laboratory::look(&args.lab)?;
        let run = laboratory::find(&lab, &args.review)?;
        return Ok(lab.review(run)?);
    }
    let shown = file.display();
    let text = fs::read_to_string(&file)
        .map_err(|error| Failure::Input(format!("cannot read {shown}: {error}")))?;
    review::read(&text).map_err(|error| {
        Failure::Input(match error {
            ReadError::Json(error) => format!("{shown} is not a review: {error}"),
            ReadError::Schema(_) => format!("{shown}: {error}"),
        })
    })
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path, what: &str) -> Result<T, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::Input(format!("{} is not {what}: {error}", path.display())))
}

/// Reads the properties in the file of `--identify`. Properties that it lacks are inferred from the
/// tests of the review that are not held out.
fn identification(
    args: &TwinArgs,
    review: &Review,
    held_out: &HoldoutRule<'_>,
) -> Result<Identification, Failure> {
    let tests = review
        .tests
        .iter()
        .filter(|test| held_out.why(test).is_none());
    let shown = Review {
        tests: tests.cloned().collect(),
        ..review.clone()
    };
    let mut told = infer(&review.target.name, &observed_in(&shown));
    let Some(path) = &args.identify else {
        return Ok(told);
    };
    let found: Identification = read_json(path, "an identification")?;
    if found.schema != property::SCHEMA {
        return Err(Failure::Input(format!(
            "{}: its schema is `{}`, and an identification's is `{}`",
            path.display(),
            found.schema,
            property::SCHEMA
        )));
    }
    for own in &mut told.properties {
        let in_file = found.property(&own.id).filter(|property| property.told);
        if let Some(property) = in_file {
            *own = property.clone();
        }
    }
    Ok(told)
}

fn edition(args: &TwinArgs, review: &Review) -> Result<Edition, Failure> {
    let edition = Edition::load(args.edition.as_deref().unwrap_or(&review.edition));
    let edition = edition.map_err(|error| match &args.edition {
        Some(_) => Failure::from(error),
        None => Failure::Input(format!(
            "the review was made by edition `{}`, which is not one of the program; name its file \
             with --edition",
            review.edition
        )),
    })?;
    match edition.id == review.edition {
        true => Ok(edition),
        false => Err(Failure::Input(format!(
            "--edition: the review was made by edition `{}`, and this is `{}`",
            review.edition, edition.id
        ))),
    }
}

/// Reads the parts: the named files, else those that the program contains.
fn parts(names: &[String]) -> Result<Vec<Part>, Failure> {
    let part = |name: &String| {
        let path = Path::new(name);
        if !path.is_file() {
            return Ok(shipped(name)?);
        }
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::Io(format!("cannot read {name}: {error}")))?;
        Ok(Part::parse(name, &text)?)
    };
    names.iter().map(part).collect()
}

fn searched(
    args: &TwinArgs,
    (name, drafts): (&str, &[String]),
    rows: &Rows,
    review: &Review,
) -> Result<Found, Failure> {
    let search = Search {
        name,
        drafts,
        rows,
        review: &format!("of {}, edition {}", review.target.title, review.edition),
        evaluations: args.evaluations,
        seed: args.seed,
        threads: args.threads.map(usize::from),
    };
    let what = match args.evaluations {
        0 => "predicting",
        _ => "fitting to",
    };
    note(&format!(
        "{what} {} figures of {}",
        rows.measured.rows.len(),
        rows.used.iter().cloned().collect::<Vec<_>>().join(", ")
    ));
    if !CAN_SEARCH && args.evaluations > 0 {
        note("this program is built without its optimiser: steps alone, no generations");
    }
    signals::hint("; nothing was written".to_owned());
    let begin = Instant::now();
    let mut tell = |progress: &Progress| {
        let seconds = begin.elapsed().as_secs();
        note(&match progress {
            Progress::Step(number, rms) => {
                format!("step {number}: {:.2} %, {seconds} s", rms * 100.0)
            }
            Progress::Generation(generation) => format!(
                "generation {} of {} at most: best {:.2} % (before {:.2} %), {seconds} s",
                generation.number,
                generation.of,
                generation.cost_best.sqrt() * 100.0,
                generation.cost_before.sqrt() * 100.0
            ),
        });
    };
    Ok(search.run(&mut tell)?)
}

/// Reviews the twin with the same tests, seed and durations.
fn reviewed(
    model: Model,
    edition: &Edition,
    review: &Review,
    args: &TwinArgs,
) -> Result<Review, Failure> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let done = |test: &stend_method::edition::Test| review.tests.iter().any(|t| t.id == test.id);
    let tests = edition.tests.iter().filter(|test| done(test));
    let options = ReviewOptions {
        tests: Some(tests.map(|test| test.id.clone()).collect()),
        seed: review.seed,
        duration_scale: review.duration_scale,
        threads: args.threads.map_or_else(processors, usize::from),
        ..ReviewOptions::default()
    };
    let target = Box::new(SimulatedTarget::new(model));
    Ok(run_review(target, edition, &options, &|_| {})?)
}

fn document(
    args: &TwinArgs,
    review: &Review,
    rows: &Rows,
    found: &Found,
    errors: &Errors,
) -> Value {
    let parameters = found.fit.parameters.iter().map(|fitted| {
        let figure = &fitted.parameter.figure;
        json!({
            "table": figure.table,
            "key": figure.key,
            "free": figure.bounds,
            "before": figure.value,
            "after": fitted.value,
            "determined": fitted.determined,
            "interval": interval(fitted, &found.fit),
            "change_per_tenth": fitted.sensitivity.change_per_tenth,
        })
    });
    let [before, after] = [&found.before, &found.fit.after].map(fit_errors);
    json!({
        "schema": SCHEMA,
        "target": review.target.title,
        "edition": review.edition,
        "out": args.out.display().to_string(),
        "parts": args.parts,
        "fit": {
            "figures": found.fit.after.rows.len(),
            "generations": found.fit.generations,
            "population": found.fit.population,
            "error_median_before": before.0,
            "error_median_after": after.0,
            "error_rms_before": before.1,
            "error_rms_after": after.1,
        },
        "parameters": parameters.collect::<Vec<_>>(),
        "used": errors.tests.iter().filter(|test| test.used).map(|test| &test.test)
            .collect::<Vec<_>>(),
        "unused": rows.unused.iter().map(|(id, why)| json!({ "test": id, "why": why }))
            .collect::<Vec<_>>(),
        "errors": errors,
        "warning": errors.warning(),
    })
}

fn summary(args: &TwinArgs, rows: &Rows, found: &Found, errors: &Errors) -> String {
    let head = [
        "test",
        "fitted to",
        "figures",
        "median",
        "worst",
        "worst figure",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend(errors.tests.iter().map(|test| {
        [
            test.test.clone(),
            if test.used { "yes" } else { "no" }.to_owned(),
            test.figures.to_string(),
            format!("{:.1} %", test.error_median * 100.0),
            format!("{:.1} %", test.error_worst * 100.0),
            test.worst.to_string(),
        ]
    }));
    let mut text = table("<20 <10 >7 >9 >9  <", &lines);
    let (_, rms) = fit_errors(&found.fit.after);
    text += &format!(
        "\n{}\n{}: {} figures, root of the mean square of their errors {:.1} %\n",
        errors.summary(),
        if args.evaluations == 0 {
            "not fitted"
        } else {
            "fit"
        },
        found.fit.after.rows.len(),
        rms * 100.0
    );
    if let Some(warning) = errors.warning() {
        text += &format!("warning: {warning}\n");
    }
    for (id, why) in &rows.unused {
        text += &format!("{id}: {why}\n");
    }
    text + &format!("twin: {}\n", args.out.display())
}

impl From<TwinError> for Failure {
    fn from(error: TwinError) -> Failure {
        match error {
            TwinError::Parts(text) | TwinError::Review(text) | TwinError::Model(text) => {
                Failure::Input(text)
            }
        }
    }
}
