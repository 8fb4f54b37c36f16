//! Drives predicted without their own rows, against known truth: figures that the simulator itself
//! computed, from values that the search does not know.

#![cfg(feature = "optimiser")]
#![allow(missing_docs)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{DEMO, JOBS, compared_with};
use stend_experiment::Threads;
use stend_fit::Measured;
use stend_fit::fitting::{
    FitError, LeaveOneOut, LeftOut, Origin, Plan, SearchOptions, SearchState,
};
use stend_model::{Files, Model};

const OPTIONS: SearchOptions = SearchOptions {
    seed: common::OPTIONS_SEED,
    generations_max: 8,
    population: 0,
};

/// A shared part with the time of a read command, and drives with and without it.
struct Lab {
    files: BTreeMap<String, Files>,
    threads: Threads,
}

/// The line of a read command's time.
fn read_line(value: u32, source: &str, free: &str) -> String {
    format!("read_command_ns = {{ value = {value}, source = \"{source}\"{free} }}")
}

fn demo_with(key: &str, line: &str) -> String {
    let old = DEMO.lines().find(|line| line.starts_with(key)).unwrap();
    DEMO.replace(old, line)
}

impl Lab {
    fn new(folder: &Path) -> Lab {
        let free = ", free = [4000, 30000]";
        let part = format!(
            "schema = \"stend.part/2\"\ntitle = \"p\"\n[controller]\n{}\n",
            read_line(20_000, "fitted: a test", free)
        );
        fs::write(folder.join("core.toml"), part).unwrap();
        let shared = |name: &str| {
            let head = format!("name = \"{name}\"\ninclude = [\"core.toml\"]");
            demo_with("read_command_ns", "").replacen("name = \"demo-8gb\"", &head, 1)
        };
        let own = demo_with(
            "read_command_ns",
            &read_line(20_000, "fitted: a test", free),
        );
        let write = own
            .lines()
            .find(|line| line.starts_with("write_command_ns"))
            .unwrap();
        let assumed = "write_command_ns = { value = 7000, source = \"assumed\", \
                       free = [4000, 30000] }";
        let own = own
            .replace(write, assumed)
            .replace("\"demo-8gb\"", "\"own\"");
        let predicted =
            shared("predicted").replace("\n[capacity]", "\npredicted = true\n[capacity]");
        let drives = [
            ("a", shared("a")),
            ("b", shared("b")),
            ("own", own),
            ("predicted", predicted),
        ];
        let files = drives.map(|(name, text)| {
            let path = folder.join(format!("{name}.toml"));
            fs::write(&path, text).unwrap();
            (name.to_owned(), Files::read(&path).unwrap())
        });
        Lab {
            files: files.into(),
            threads: Threads::default(),
        }
    }

    fn model(&self, name: &str) -> Option<Model> {
        Some(self.files.get(name)?.model().unwrap())
    }

    /// Result of leaving a drive out, and the last state of the search.
    fn left_out(&self, drive: &str, measured: &Measured) -> (LeftOut, Option<SearchState>) {
        let mut last = None;
        let left_out = self.resumed(drive, measured, None, &mut |state| {
            last = Some(state.clone());
            Ok(())
        });
        (left_out.unwrap(), last)
    }

    fn resumed(
        &self,
        drive: &str,
        measured: &Measured,
        state: Option<SearchState>,
        keep: &mut dyn FnMut(&SearchState) -> Result<(), String>,
    ) -> Result<LeftOut, FitError> {
        self.with(measured, |all, plans| {
            let plan = plans.iter().find(|plan| plan.drive == drive).unwrap();
            let shipped = all.shipped(&[plan], &|_, _| ());
            all.run(plan, &shipped, state, &mut |state, _| keep(state))
        })
    }

    fn with<T>(
        &self,
        measured: &Measured,
        work: impl FnOnce(&LeaveOneOut<'_>, Vec<Plan>) -> T,
    ) -> T {
        let files = |name: &str| self.files.get(name).cloned();
        let others = |name: &str| self.model(name);
        let all =
            LeaveOneOut::new(measured, &files, &|_| true, &others, OPTIONS, self.threads).unwrap();
        work(&all, all.plans())
    }
}

/// Figures of drives whose read commands take these times, in the form of measured ones.
fn made_by(times: &[(&str, u32)], more: &str) -> Measured {
    let figures = [("iops", "IOPS"), ("read-used", "us"), ("read-free", "us")];
    let rows = |name: &str, values: &[f64]| {
        let rows = figures.iter().zip(values).map(|((figure, unit), value)| {
            format!(
                "{{ what = \"{figure}\", figure = \"{figure}\", state = \"used-1gb\", \
                 value = {value:?}, unit = \"{unit}\" }},\n"
            )
        });
        format!(
            "[[published]]\ndrive = \"{name}\"\nmodel = \"{name}\"\nsource = \"s\"\ntest = \"t\"\n\
             rows = [\n{}]\n",
            rows.collect::<String>()
        )
    };
    let parse = |rows: &str| {
        let rows = format!("schema = \"stend.measured/1\"\n{rows}{more}");
        Measured::parse(&[("t.toml", JOBS), ("r.toml", &rows)]).unwrap()
    };
    let all = times.iter().map(|(name, time)| {
        let text = demo_with("read_command_ns", &read_line(*time, "assumed", ""));
        let model = Model::parse(&text, "truth.toml").unwrap();
        let asked = parse(&rows(name, &[1.0; 3]));
        let compared = compared_with(&asked, &|_| Some(model.clone()));
        let answers = compared
            .rows
            .iter()
            .map(|(_, o)| o.answer().unwrap().predicted);
        rows(name, &answers.take(3).collect::<Vec<_>>())
    });
    parse(&all.collect::<String>())
}

fn errors(left_out: &LeftOut) -> (f64, f64) {
    let most = |errors: Vec<f64>| {
        errors
            .into_iter()
            .fold(0.0, |most: f64, e| most.max(e.abs()))
    };
    let error = |outcome: &stend_fit::Outcome| outcome.answer().unwrap().error;
    let rows = &left_out.rows;
    (
        most(rows.iter().map(|row| error(&row.shipped)).collect()),
        most(rows.iter().map(|row| error(&row.left_out)).collect()),
    )
}

#[test]
fn a_drive_is_predicted_with_what_the_others_tell() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::new(folder.path());
    let measured = made_by(&[("a", 9000), ("b", 9000)], "");
    let (found, state) = lab.left_out("a", &measured);
    let [read] = &found.figures[..] else {
        panic!("{:?}", found.figures);
    };
    assert_eq!(read.origin, Origin::Fitted);
    assert!((read.value / 9000.0 - 1.0).abs() < 0.05, "{read:?}");
    assert_eq!(
        (&found.others[..], found.shared),
        (&["b".to_owned()][..], 1)
    );
    let (shipped, left_out) = errors(&found);
    assert!(shipped > 0.1 && left_out < 0.01, "{shipped} {left_out}");
    assert_eq!(found.rows.len(), 3);

    // The drive's own rows do not matter, however wrong they are.
    let wrong = made_by(&[("a", 25_000), ("b", 9000)], "");
    let (other, other_state) = lab.left_out("a", &wrong);
    assert_eq!(other.figures, found.figures);
    assert_eq!(other_state, state);
    assert!(errors(&other).1 > 0.1);
    // A finished search is valid for both.
    let again = lab.resumed(
        "a",
        &wrong,
        state,
        &mut |_| Err("searched again".to_owned()),
    );
    assert_eq!(again.unwrap(), other);
    // Without rows of its own before them, the others' rows have other places.
    let swapped = made_by(&[("b", 9000), ("a", 9000)], "");
    assert_eq!(lab.left_out("a", &swapped).0.figures, found.figures);
}

#[test]
fn rows_of_predicted_drives_and_relations_to_the_drive_are_not_fitted_to() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::new(folder.path());
    let relation = "[[published]]\ndrive = \"b\"\nmodel = \"b\"\nsource = \"s\"\ntest = \"t\"\n\
                    rows = [\n{ what = \"r\", figure = \"iops\", state = \"used-1gb\", \
                    value = 3.0, unit = \"IOPS\", ratio_to = \"OTHER\" },\n]\n";
    let plain = made_by(&[("a", 9000), ("b", 9000)], "");
    let (expected, _) = lab.left_out("a", &plain);
    for other in ["a", "predicted"] {
        let more = relation.replace("OTHER", other);
        let measured = made_by(&[("a", 9000), ("b", 9000), ("predicted", 28_000)], &more);
        let (found, _) = lab.left_out("a", &measured);
        assert_eq!(found.figures[0].value, expected.figures[0].value, "{other}");
        assert_eq!(found.others, ["b"]);
    }
    // A predicted drive is predicted with its own values.
    let measured = made_by(&[("b", 9000), ("predicted", 9000)], "");
    let (found, state) = lab.left_out("predicted", &measured);
    assert!(found.figures.is_empty() && state.is_none());
    let (shipped, left_out) = errors(&found);
    assert!(shipped == left_out && shipped > 0.1);
    // Nor does it count as one of the other drives.
    let (found, state) = lab.left_out("b", &measured);
    assert!(found.shared == 0 && state.is_none());
    assert_eq!(found.figures[0].origin, Origin::Middle);
}

#[test]
fn what_nobody_shares_stands_in_the_middle_if_it_was_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::new(folder.path());
    let measured = made_by(&[("a", 9000), ("own", 9000)], "");
    let (found, state) = lab.left_out("own", &measured);
    assert_eq!(state, None);
    assert_eq!((found.shared, found.generations), (0, 0));
    let figures = found
        .figures
        .iter()
        .map(|chosen| (&*chosen.parameter.figure.key, chosen.value, chosen.origin));
    // The middle of a wide range is its geometric mean.
    assert_eq!(
        figures.collect::<Vec<_>>(),
        [
            ("read_command_ns", 10_954.0, Origin::Middle),
            ("write_command_ns", 7000.0, Origin::Shipped)
        ]
    );
    let (shipped, left_out) = errors(&found);
    assert!(left_out < shipped, "{left_out} {shipped}");
}

#[test]
fn a_search_that_was_broken_off_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let mut lab = Lab::new(folder.path());
    let measured = made_by(&[("a", 9000), ("b", 9000)], "");
    let (whole, _) = lab.left_out("a", &measured);
    for generations in [0, 3] {
        let mut left = None;
        let broken = lab.resumed("a", &measured, None, &mut |state| {
            left = Some(state.clone());
            match state.history.generations.len() < generations {
                true => Ok(()),
                false => Err("enough".to_owned()),
            }
        });
        assert!(matches!(broken, Err(FitError::Keep(text)) if text == "enough"));
        lab.threads = Threads(1);
        let resumed = lab.resumed("a", &measured, left.clone(), &mut |_| Ok(()));
        assert_eq!(resumed.unwrap(), whole);
        lab.threads = Threads::default();
        // A state can be used only by the same search.
        let other = made_by(&[("a", 9000), ("b", 9001)], "");
        let error = lab.resumed("a", &other, left, &mut |_| Ok(()));
        assert!(matches!(error, Err(FitError::State(_))), "{error:?}");
    }
}
