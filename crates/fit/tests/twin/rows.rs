//! A review as measured rows.

use stend_fit::compare::{Comparing, compare};
use stend_fit::twin::TwinError;
use stend_fit::twin::rows::{HELD_OUT, HoldoutRule, Rows, rows};

use crate::small;

fn held_out() -> Vec<String> {
    HELD_OUT.map(str::to_owned).to_vec()
}

fn made() -> Rows {
    let review = small::review_of(small::model());
    let names = held_out();
    let held_out = HoldoutRule::of(&names, &review).unwrap();
    rows(&review, &small::edition(), &held_out, "demo-8gb").unwrap()
}

#[test]
fn the_reviewed_model_itself_predicts_the_rows() {
    let made = made();
    let model = |name: &str| (name == "demo-8gb").then(small::model);
    let comparing = Comparing {
        model: &model,
        only: &|_| true,
        seed: 1,
        threads: stend_experiment::Threads::default(),
        progress: &|_, _| {},
    };
    let compared = compare(&made.measured, &comparing);
    // Points: both reads, and three of five depths of writes. Four sections of the curve, without
    // those that have no sample. One durable write.
    assert_eq!(compared.rows.len(), 5 + 4 + 1);
    for (row, (_, outcome)) in made.measured.rows.iter().zip(&compared.rows) {
        let answer = outcome.answer().unwrap_or_else(|| panic!("{}", row.what));
        // The seeds of offsets differ, and reads are shorter.
        assert!(
            answer.error.abs() < 0.05,
            "{}: {} {}",
            row.what,
            row.published,
            answer.error
        );
    }
}

#[test]
fn what_is_held_out_has_no_row() {
    let made = made();
    let ids: Vec<&str> = made.used.iter().map(String::as_str).collect();
    assert_eq!(ids, ["curve", "random", "sync"]);
    let unused: Vec<&str> = made.unused.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(unused, ["mixed", "blocks"]);
    for row in &made.measured.rows {
        assert!(!row.what.starts_with("mixed") && !row.what.starts_with("blocks"));
    }
}

#[test]
fn tests_are_held_out_by_name() {
    let review = small::review_of(small::model());
    let names = ["random", "curve", "sync"].map(str::to_owned);
    let held_out = HoldoutRule::of(&names, &review).unwrap();
    let made = rows(&review, &small::edition(), &held_out, "m").unwrap();
    let ids: Vec<&str> = made.used.iter().map(String::as_str).collect();
    assert_eq!(ids, ["blocks", "mixed"]);
    let wrong = ["randomly".to_owned()];
    let error = HoldoutRule::of(&wrong, &review).unwrap_err().to_string();
    assert!(
        error.contains("`randomly`") && error.contains("random, mixed"),
        "{error}"
    );
    let all: Vec<String> = review.tests.iter().map(|test| test.id.clone()).collect();
    let held_out = HoldoutRule::of(&all, &review).unwrap();
    let error = rows(&review, &small::edition(), &held_out, "m").unwrap_err();
    assert!(matches!(error, TwinError::Review(_)), "{error}");
}
