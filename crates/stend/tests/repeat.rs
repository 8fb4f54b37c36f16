//! `stend review --repeat`, from outside.

use crate::common;

use std::fs;

use common::{fails, folder, json, list, number, ok, review, save, saved, test};
use serde_json::Value;

const TWICE: [&str; 7] = [
    "demo-8gb",
    "--duration-scale",
    "0.01",
    "--tests",
    "sequential,random",
    "--repeat",
    "2",
];

fn text(dir: &std::path::Path) -> String {
    ok(dir, &[&["review"], &TWICE[..], &["--out", "text"]].concat()).stdout
}

#[test]
fn figures_are_means_with_intervals() {
    let dir = folder();
    let dir = dir.path();
    let done = review(dir, &TWICE);
    assert_eq!(
        (&done["repeat"], &done["complete"]),
        (&2.into(), &true.into())
    );
    for point in list(&test(&done, "random")["points"]) {
        let each: Vec<f64> = list(&point["repeated_iops"]).iter().map(number).collect();
        let mean = (each[0] + each[1]) / 2.0;
        assert!(
            (number(&point["iops"]) - mean).abs() < 1e-6 * mean,
            "{point}"
        );
    }
    // Sequential reads do not depend on the seed.
    let said = text(dir);
    assert!(said.contains("the 95 % interval has no width"), "{said}");
    assert!(
        said.contains("means of 2 repetitions, 95 % intervals: read, depth 1 ± "),
        "{said}"
    );
    // A single run has a number of repetitions, too. Widths are printed as on the page.
    review(dir, &[&TWICE[..5], &["--out", "once"]].concat());
    let compared = ok(dir, &["compare", "1", "3", "--out", "both"]).stdout;
    let times = "  repetitions\n    [1] 2\n    [2] 1\n";
    assert!(compared.contains(times), "{compared}");
    let page = std::fs::read_to_string(dir.join("both/index.html")).unwrap();
    let page = page.replace('\u{a0}', " ");
    let widths = compared.lines().filter_map(|line| line.split_once("± "));
    for (_, width) in widths {
        let (width, _) = width.split_once('%').unwrap();
        assert!(page.contains(&format!("± {width}%")), "{width}");
    }
    let args = [
        &["review"],
        &TWICE[..],
        &["--write-budget", "1GB", "--out", "x"],
    ]
    .concat();
    fails(dir, &args, 2, &["--repeat", "--write-budget"]);
}

#[test]
fn a_repetition_that_is_missing_is_made() {
    let dir = folder();
    let dir = dir.path();
    let whole = review(dir, &TWICE);
    let folder = dir.join("review-demo-8gb");
    // The state in which the second repetition of the last test is under way.
    let mut broken: Value = saved(&folder);
    let mut last = broken["tests"].as_array_mut().unwrap().pop().unwrap();
    let alone = review(dir, &[&TWICE[..5], &["--out", "once"]].concat());
    last.clone_from(test(&alone, "random"));
    last["repetition"] = 1.into();
    broken["unfinished"] = vec![last].into();
    broken["complete"] = false.into();
    save(&folder, &broken);
    let said = ok(dir, &[&["review", "--json"], &TWICE[..]].concat());
    assert!(
        said.stderr.contains("repetition 1 of `random`"),
        "{}",
        said.stderr
    );
    assert_eq!(json(&said.stdout), whole);
    assert!(fs::exists(folder.join("index.html")).unwrap());
    // A review with another number of repetitions is a different review.
    save(&folder, &broken);
    let args = [&["review"], &TWICE[..6], &["3"]].concat();
    fails(dir, &args, 3, &["repetitions", "now it is 3"]);
}
