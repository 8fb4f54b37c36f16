//! Fitting against known truth: figures that the simulator itself computed, from values that the
//! search does not know.

#![cfg(feature = "optimiser")]
#![allow(missing_docs)]

mod common;

use std::fs;

use common::{DEMO, JOBS, compared_with};
use stend_fit::Measured;
use stend_fit::fitting::{
    Fit, FitError, SearchOptions, SearchState, Task, fit, parameters, written,
};
use stend_model::{Files, Model};

const OPTIONS: SearchOptions = SearchOptions {
    seed: common::OPTIONS_SEED,
    generations_max: 30,
    population: 0,
};

/// The demonstration drive with these figures: beginning of the line, value, and bounds if it is
/// free.
fn with(figures: &[(&str, f64, Option<[f64; 2]>)]) -> String {
    let mut text = DEMO.to_owned();
    for (begin, value, bounds) in figures {
        let line = DEMO.lines().find(|line| line.starts_with(begin));
        let line = line.unwrap_or_else(|| panic!("no {begin}"));
        let key = line.split(' ').next().unwrap();
        let free = bounds.map_or(String::new(), |[lo, hi]| format!(", free = [{lo}, {hi}]"));
        let new = format!("{key} = {{ value = {value:?}, source = \"assumed\"{free} }}");
        // Whole numbers stay whole.
        let new = match line.contains(".0") {
            true => new,
            false => new.replace(".0,", ",").replace(".0]", "]"),
        };
        text = text.replace(line, &new);
    }
    text
}

fn files(text: &str) -> Vec<(String, Files)> {
    let files = Files::of_text(text.to_owned(), "demo.toml").unwrap();
    vec![(files.model().unwrap().name, files)]
}

/// Figures of a drive with this file, in the form of measured ones.
fn made_by(text: &str) -> Measured {
    let model = Model::parse(text, "truth.toml").unwrap();
    let rows = |values: &[f64]| {
        let figures = [
            ("iops", "IOPS"),
            ("lat", "us"),
            ("read-used", "us"),
            ("read-free", "us"),
        ];
        let rows = figures.iter().zip(values).map(|((figure, unit), value)| {
            format!(
                "{{ what = \"{figure}\", figure = \"{figure}\", state = \"used-1gb\", \
                 value = {value:?}, unit = \"{unit}\" }},\n"
            )
        });
        format!(
            "schema = \"stend.measured/1\"\n[[published]]\ndrive = \"Demo\"\nmodel = \"demo-8gb\"\n\
             source = \"the simulator\"\ntest = \"t\"\nrows = [\n{}]\n",
            rows.collect::<String>()
        )
    };
    let parse = |rows: &str| Measured::parse(&[("t.toml", JOBS), ("r.toml", rows)]).unwrap();
    let asked = parse(&rows(&[1.0; 4]));
    let comparison = compared_with(&asked, &|_| Some(model.clone()));
    let values = comparison
        .rows
        .iter()
        .map(|(_, o)| o.answer().unwrap().predicted);
    parse(&rows(&values.collect::<Vec<_>>()))
}

fn task<'a>(models: &'a [(String, Files)], measured: &'a Measured) -> Task<'a> {
    Task {
        models,
        measured,
        only: &|_| true,
        others: &Model::shipped,
        options: OPTIONS,
        pool: &THREADS,
    }
}

const THREADS: stend_experiment::Threads = stend_experiment::Threads(2);

fn fitted(models: &[(String, Files)], measured: &Measured) -> Fit {
    fit(&task(models, measured), None, &mut |_, _| Ok(())).unwrap()
}

fn fails(models: &[(String, Files)], measured: &Measured) -> String {
    let error = fit(&task(models, measured), None, &mut |_, _| Ok(()));
    error.unwrap_err().to_string()
}

const READ: &str = "read_command_ns";
/// In SLC mode, where the program time limits the writes of the test.
const PROGRAM: &str = "program_us = { value = 400.0";
const READ_FREE: Option<[f64; 2]> = Some([4000.0, 30_000.0]);
const PROGRAM_FREE: Option<[f64; 2]> = Some([100.0, 2000.0]);

#[test]
fn known_values_are_found_again() {
    let measured = made_by(&with(&[(READ, 9000.0, None), (PROGRAM, 400.0, None)]));
    let models = files(&with(&[
        (READ, 20_000.0, READ_FREE),
        (PROGRAM, 1000.0, PROGRAM_FREE),
    ]));
    let fit = fitted(&models, &measured);
    assert!(fit.before.error_rms() > 0.2, "{}", fit.before.error_rms());
    assert!(fit.after.error_rms() < 0.005, "{}", fit.after.error_rms());
    let [program, read] = &fit.parameters[..] else {
        panic!("{:?}", fit.parameters);
    };
    // Two per cent: the accuracy of the figures at the smallest errors that are reached.
    assert!((read.value / 9000.0 - 1.0).abs() < 0.02, "{read:?}");
    assert!((program.value / 400.0 - 1.0).abs() < 0.02, "{program:?}");
    assert!(read.determined && program.determined);
    // The files with the fitted values describe a drive with the measured figures.
    let files = written(&models, &measured, &fit).unwrap();
    assert_eq!(files.len(), 1);
    let model = Model::parse(&files[0].text, "fitted.toml").unwrap();
    assert_eq!(model.controller.read_command_ns.value as f64, read.value);
    let source = &model.controller.read_command_ns.source;
    assert!(
        source.starts_with("fitted: to 4 measured figures of demo-8gb"),
        "{source}"
    );
    assert!(
        source.contains("remaining error") && source.contains("sensitivity"),
        "{source}"
    );
    let error = compared_with(&measured, &|_| Some(model.clone()))
        .overall
        .unwrap();
    assert!(error.error < 0.005, "{error:?}");
}

#[test]
fn a_search_that_was_broken_off_ends_as_if_it_had_not_been() {
    let measured = made_by(&with(&[(READ, 9000.0, None)]));
    let models = files(&with(&[
        (READ, 20_000.0, READ_FREE),
        (PROGRAM, 1000.0, PROGRAM_FREE),
    ]));
    let whole = fitted(&models, &measured);
    let task = task(&models, &measured);
    let mut left: Option<SearchState> = None;
    let broken = fit(&task, None, &mut |state, generation| {
        left = Some(state.clone());
        match generation.number < 4 {
            true => Ok(()),
            false => Err("enough".to_owned()),
        }
    });
    assert!(matches!(broken, Err(FitError::Keep(text)) if text == "enough"));
    let mut first = None;
    let resumed = fit(&task, left.clone(), &mut |_, generation| {
        first.get_or_insert(generation.number);
        Ok(())
    });
    assert_eq!(first, Some(5));
    assert_eq!(resumed.unwrap(), whole);
    // A state can be used only by the same search.
    for other in [
        files(&with(&[
            (READ, 20_001.0, READ_FREE),
            (PROGRAM, 1000.0, PROGRAM_FREE),
        ])),
        files(&with(&[(READ, 20_000.0, READ_FREE)])),
    ] {
        let task = Task {
            models: &other,
            ..task
        };
        let error = fit(&task, left.clone(), &mut |_, _| Ok(()));
        assert!(matches!(error, Err(FitError::State(_))), "{error:?}");
    }
}

#[test]
fn threads_do_not_matter() {
    let measured = made_by(&with(&[(READ, 9000.0, None)]));
    let models = files(&with(&[(READ, 20_000.0, READ_FREE)]));
    let by = |threads: usize| {
        let task = Task {
            pool: &stend_experiment::Threads(threads),
            ..task(&models, &measured)
        };
        fit(&task, None, &mut |_, _| Ok(())).unwrap()
    };
    assert_eq!(by(1), by(2));
}

#[test]
fn bounds_are_kept() {
    let measured = made_by(&with(&[(READ, 9000.0, None)]));
    // The measured figure lies outside the bounds.
    let bounds = Some([12_000.0, 30_000.0]);
    let models = files(&with(&[(READ, 20_000.0, bounds)]));
    let fit = fitted(&models, &measured);
    let value = fit.parameters[0].value;
    assert!((12_000.0..12_200.0).contains(&value), "{value}");
    // The sensitivity is also tested inside the bounds.
    let tried = fit.parameters[0].sensitivity.tried;
    assert!((12_000.0..=30_000.0).contains(&tried), "{tried}");
}

/// A change of half a microsecond by a tenth affects no read; the change from twenty does.
#[test]
fn a_value_is_kept_where_the_figures_are_flat_around_it() {
    let measured = made_by(&with(&[(READ, 500.0, None)]));
    let models = files(&with(&[(READ, 20_000.0, Some([100.0, 30_000.0]))]));
    let fit = fitted(&models, &measured);
    let read = &fit.parameters[0];
    assert!(read.sensitivity.change_per_tenth < 0.005, "{read:?}");
    assert!(read.determined && read.value < 2000.0, "{read:?}");
    let [before, after] = [&fit.before, &fit.after].map(|of| of.error_rms());
    assert!(after < 0.1 * before, "{before} {after}");
}

#[test]
fn what_no_figure_is_sensitive_to_stays_as_it_was() {
    let measured = made_by(&with(&[(READ, 9000.0, None)]));
    let duty = ("duty_percent", 12.0, Some([1.0, 90.0]));
    let models = files(&with(&[(READ, 20_000.0, READ_FREE), duty]));
    let fit = fitted(&models, &measured);
    let duty = &fit.parameters[1];
    assert_eq!(duty.parameter.figure.key, "duty_percent");
    assert!(!duty.determined, "{duty:?}");
    assert_eq!(duty.value, 12.0);
    assert!((fit.parameters[0].value / 9000.0 - 1.0).abs() < 0.02);
    let text = written(&models, &measured, &fit).unwrap().remove(0).text;
    let line = |text: &str, key: &str| {
        text.lines()
            .find(|line| line.starts_with(key))
            .unwrap()
            .to_owned()
    };
    let before = &models[0].1.files()[0].text;
    assert_eq!(line(&text, "duty_percent"), line(before, "duty_percent"));
    assert_ne!(line(&text, READ), line(before, READ));
}

#[test]
fn what_may_not_be_fitted_is_refused() {
    let measured = made_by(DEMO);
    let free = with(&[(READ, 20_000.0, READ_FREE)]);
    let message = fails(&files(DEMO), &measured);
    assert!(message.contains("no free figures"), "{message}");
    let other = free.replace("name = \"demo-8gb\"", "name = \"other\"");
    let predicted = files(&free.replacen("\nname = ", "\npredicted = true\nname = ", 1));
    let message = fails(&[&predicted[..], &files(&other)].concat(), &measured);
    assert!(message.contains("demo-8gb is never fitted"), "{message}");
    // A predicted drive alone is predicted with its own values.
    let alone = fitted(&predicted, &measured);
    assert!(alone.parameters.is_empty() && alone.generations == 0);
    assert!(alone.before == alone.after && alone.before.cost > 0.0);
    let message = fails(&files(&other), &measured);
    assert!(message.contains("no measured figure"), "{message}");
    // A drive too small for all of the states.
    let tiny = common::measured(
        "{ what = \"w\", figure = \"iops\", state = \"free-10gb\", value = 1.0, unit = \"IOPS\" }",
    );
    let message = fails(&files(&free), &tiny);
    assert!(message.contains("no measured figure"), "{message}");
    // A figure whose bounds leave no choice is no parameter.
    let fixed = files(&with(&[(READ, 9000.0, Some([9000.0, 9000.0]))]));
    assert!(parameters(&fixed).is_empty());
}

#[test]
fn a_part_of_several_drives_is_fitted_once_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let cost = DEMO.lines().find(|line| line.starts_with(READ)).unwrap();
    let rest = DEMO.replace(&format!("{cost}\n"), "");
    let part = format!(
        "schema = \"stend.part/2\"\ntitle = \"p\"\n[controller]\n\
         {READ} = {{ value = 20000, source = \"assumed\", free = [4000, 30000] }}\n"
    );
    fs::create_dir(folder.path().join("parts")).unwrap();
    fs::write(folder.path().join("parts/core.toml"), &part).unwrap();
    let drive = |name: &str| {
        let text = rest.replacen(
            "name = \"demo-8gb\"",
            &format!("name = \"{name}\"\ninclude = [\"parts/core.toml\"]"),
            1,
        );
        let path = folder.path().join(format!("{name}.toml"));
        fs::write(&path, text).unwrap();
        (name.to_owned(), Files::read(&path).unwrap())
    };
    let models = vec![drive("demo-8gb"), drive("demo-b")];
    let shared = parameters(&models);
    assert_eq!(shared.len(), 1);
    assert_eq!(shared[0].models, ["demo-8gb", "demo-b"]);
    let measured = made_by(&with(&[(READ, 9000.0, None)]));
    let fit = fitted(&models, &measured);
    assert!((fit.parameters[0].value / 9000.0 - 1.0).abs() < 0.02);
    // The drives find the new part at its written path; the originals are unchanged.
    let out = tempfile::tempdir().unwrap();
    let files = written(&models, &measured, &fit).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["demo-8gb.toml", "parts/core.toml", "demo-b.toml"]);
    let changed: Vec<bool> = files.iter().map(|file| file.changed).collect();
    assert_eq!(changed, [false, true, false]);
    fs::create_dir(out.path().join("parts")).unwrap();
    for file in &files {
        fs::write(out.path().join(&file.path), &file.text).unwrap();
    }
    for name in ["demo-8gb", "demo-b"] {
        let model = Model::read(&out.path().join(format!("{name}.toml"))).unwrap();
        assert_eq!(
            model.controller.read_command_ns.value as f64,
            fit.parameters[0].value
        );
    }
    let original = fs::read_to_string(folder.path().join("parts/core.toml")).unwrap();
    assert_eq!(original, part);
}
