//! Findings as data: each kind of figure and of relation on made-up measurements, with both
//! outcomes; faults in a file, by line.

use crate::common;

use std::collections::BTreeMap;

use common::{GB, curves, point, points, review, sampled, target};
use stend_analysis::claims::{Article, Drives, Measured, Outcome, SCHEMA, judge, published};
use stend_record::benchmark::BenchmarkCell;
use stend_record::load::Load;
use stend_record::review::{
    FileWork, LatencySummary, Pattern, PointOp, PointPart, Response, ResponseInterval, Results,
    Review, Rival, Series, TargetInfo, TestResult, Traces,
};

/// Returns the text of an article on drives `a` to `d` with these tables.
fn text(tables: &str) -> String {
    format!(
        "schema = \"{SCHEMA}\"\nid = \"made-up\"\ntitle = \"Made up\"\nedition = \"2014\"\n\
         subjects = [\"a\", \"b\"]\nrivals = [\"c\", \"d\"]\n{tables}"
    )
}

fn article(tables: &str) -> Article {
    let text = text(tables);
    Article::parse(&text, "made-up.toml").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const READ: &str = "
[figure.read]
title = \"random read\"
test = \"random\"
points = { op = \"read\", queue_depth = 4, metric = \"iops\" }
[figure.read-1]
title = \"random read, depth 1\"
test = \"random\"
points = { op = \"read\", queue_depth = 1, metric = \"iops\" }
";

/// Returns the outcome of a check on `read`; the drives have the given reads at depth 4, and half
/// of that at depth 1.
fn outcome(check: &str, drives: &[(&str, f64)]) -> Outcome {
    // Uses each figure, so that none is reported as unused.
    let both = "[[finding]]\nid = \"used\"\ntext = \"\"\n[[finding.check]]\nfigure = \"read\"\n\
        drives = [\"d\"]\nratio = { figure = \"read-1\", above = 0.0 }\nreading = \"\"\n";
    let article = article(&format!(
        "{READ}{both}[[finding]]\nid = \"one\"\ntext = \"A finding.\"\n[[finding.check]]\n\
         figure = \"read\"\nreading = \"as read\"\n{check}\n"
    ));
    let measured: Vec<(TargetInfo, Vec<TestResult>)> = drives
        .iter()
        .map(|(name, iops)| {
            let reads = vec![
                point(PointOp::Read, 4096, 1, 100, iops / 2.0),
                point(PointOp::Read, 4096, 4, 100, *iops),
                point(PointOp::Write, 4096, 4, 0, 1.0),
            ];
            (target(name), vec![points("random", reads)])
        })
        .collect();
    judge(&article, &by_name(&measured))[1].outcome
}

fn by_name(measured: &[(TargetInfo, Vec<TestResult>)]) -> Drives<'_> {
    measured
        .iter()
        .map(|(target, tests)| (target.name.clone(), Measured { target, tests }))
        .collect::<BTreeMap<_, _>>()
}

/// Asserts that a check holds with the reads of [`ALL`], and fails with another value of one drive.
fn turns(drives: &str, relation: &str, drive: &str, fails: f64) {
    let check = format!("drives = [\"{drives}\"]\n{relation}");
    assert_eq!(outcome(&check, &ALL), Outcome::Holds, "{check}");
    let read = |name, iops| if name == drive { fails } else { iops };
    let changed = ALL.map(|(name, iops)| (name, read(name, iops)));
    assert_eq!(outcome(&check, &changed), Outcome::Fails, "{check}");
}

const ALL: [(&str, f64); 4] = [("a", 100.0), ("b", 90.0), ("c", 80.0), ("d", 70.0)];

#[test]
fn values_lie_within_bounds() {
    turns("a", "value = { about = 95.0 }", "a", 104.6);
    turns("a", "value = { about = 95.0 }", "a", 85.4);
    let close = "value = { about = 98.0, tolerance_percent = 3 }";
    turns("a", close, "a", 101.0);
    let between = "value = { at_least = 100.0, at_most = 120.0 }";
    turns("a", between, "a", 99.9);
    turns("a", between, "a", 120.1);
    turns("a", "value = { above = 99.0 }", "a", 99.0);
    turns("a", "value = { below = 101.0 }", "a", 101.0);
    // Every drive that is named must pass.
    turns("subjects", "value = { above = 85.0 }", "b", 85.0);
}

#[test]
fn multiples_lie_within_bounds() {
    let one = r#"ratio = { against = ["c"], about = 1.25 }"#;
    turns("a", one, "c", 70.0);
    // Each of them on its own, and never the drive against itself.
    let each = r#"ratio = { against = ["all"], above = 1.1 }"#;
    turns("a", each, "b", 91.0);
    let best = r#"ratio = { against = ["rivals"], by = "greatest", at_least = 1.2 }"#;
    turns("a", best, "d", 84.0);
    let least = r#"ratio = { against = ["rivals"], by = "least", at_most = 1.5 }"#;
    turns("a", least, "d", 66.0);
    let about = "about = 1.33, tolerance_percent = 1";
    let mean = format!(r#"ratio = {{ against = ["rivals"], by = "mean", {about} }}"#);
    turns("a", &mean, "d", 74.0);
    // Another figure of the same drive: always half of this one.
    let other = r#"ratio = { figure = "read-1", about = 2.0 }"#;
    turns("a", other, "a", f64::NAN);
}

#[test]
fn an_order_holds_outright() {
    turns(
        "subjects",
        r#"order = { more_than = ["rivals"] }"#,
        "c",
        90.0,
    );
    turns("d", r#"order = { less_than = ["all"] }"#, "a", 70.0);
}

#[test]
fn places_are_counted_from_the_greatest() {
    let first = r#"place = { among = ["all"], at_most = 2 }"#;
    turns("b", first, "c", 90.1);
    let last = r#"place = { among = ["all"], at_least = 3 }"#;
    turns("c", last, "b", 80.0);
    let third = r#"place = { among = ["all"], at_least = 3, at_most = 3 }"#;
    turns("c", third, "d", 81.0);
}

#[test]
fn what_was_not_measured_is_open_unless_something_contradicts() {
    let order = "drives = [\"a\"]\norder = { more_than = [\"c\", \"d\"] }";
    assert_eq!(outcome(order, &ALL[..3]), Outcome::Open);
    assert_eq!(outcome(order, &[("a", 1.0), ("c", 2.0)]), Outcome::Fails);
    let place = "drives = [\"a\"]\nplace = { among = [\"all\"], at_most = 1 }";
    assert_eq!(outcome(place, &ALL[..3]), Outcome::Open);
    let mean = "drives = [\"a\"]\nratio = { against = [\"rivals\"], by = \"mean\", above = 1.0 }";
    assert_eq!(outcome(mean, &ALL[..3]), Outcome::Open);
}

/// Returns the figure that a table describes, for one drive with these tests; `None` if it has
/// none.
fn figure(test: &str, table: &str, tests: &[TestResult]) -> Option<f64> {
    let article = article(&format!(
        r#"
[figure.it]
title = "it"
test = "{test}"
{table}
[[finding]]
id = "one"
text = ""
[[finding.check]]
figure = "it"
drives = ["a"]
value = {{ above = 0.0 }}
reading = ""
"#
    ));
    let target = target("a");
    let measured = Measured {
        target: &target,
        tests,
    };
    article.figures["it"].measure(&measured).ok()
}

#[test]
fn figures_of_points() {
    let mut mixed = point(PointOp::Mixed, 131_072, 1, 80, 1_000.0);
    mixed.parts = vec![PointPart {
        op: PointOp::Read,
        iops: 790.0,
        repeated_iops: Vec::new(),
        bw_bytes_per_s: 1e8,
        latency_ns: LatencySummary::default(),
    }];
    let all_reads = point(PointOp::Mixed, 131_072, 1, 100, 3_000.0);
    let tests = [points("mixed", vec![mixed, all_reads])];
    let of = |table: &str| figure("mixed", &format!("points = {{ {table} }}"), &tests);
    assert_eq!(of("read_percent = 80, metric = \"iops\""), Some(1_000.0));
    assert_eq!(of("read_percent = 80, metric = \"read_iops\""), Some(790.0));
    assert_eq!(
        of("read_percent = 80, metric = \"read_bw_bytes_per_s\""),
        Some(1e8)
    );
    assert_eq!(
        of("read_percent = 100, metric = \"read_iops\""),
        Some(3_000.0)
    );
    assert_eq!(
        of("read_percent = 80, metric = \"latency_mean_ns\""),
        Some(90_000.0)
    );
    assert_eq!(
        of("read_percent = 80, metric = \"latency_p99_ns\""),
        Some(150_000.0)
    );
    assert_eq!(
        of("read_percent = 80, metric = \"latency_max_ns\""),
        Some(2e6)
    );
    assert_eq!(of("metric = \"iops\", over = \"mean\""), Some(2_000.0));
    assert_eq!(of("metric = \"iops\", over = \"greatest\""), Some(3_000.0));
    assert_eq!(of("metric = \"iops\", over = \"least\""), Some(1_000.0));
    // With two points, none is the only one.
    assert_eq!(of("metric = \"iops\""), None);
    assert_eq!(of("op = \"write\", metric = \"iops\""), None);
}

/// 40,000 IOPS for 20 GB, then 20,000, with a scatter of a tenth.
fn falling() -> Series {
    let rate = |written, _| {
        if written < 20.0 * GB {
            40_000.0
        } else {
            20_000.0
        }
    };
    Series {
        name: "fresh".into(),
        ..sampled(
            1200,
            rate,
            |i, _| if i.is_multiple_of(2) { 0.9 } else { 1.1 },
        )
    }
}

#[test]
fn figures_of_curves() {
    let again = Series {
        name: "after idle".into(),
        ..sampled(
            600,
            |written, _| {
                if written < 2.0 * GB {
                    40_000.0
                } else {
                    20_000.0
                }
            },
            |_, _| 1.0,
        )
    };
    let written = falling().samples.last().unwrap().written_bytes as f64;
    let tests = [curves("curve", vec![falling(), again])];
    let of = |name: &str, rest: &str| {
        let table = format!("curve = {{ name = \"{name}\", metric = {rest} }}");
        figure("curve", &table, &tests)
    };
    for (rest, value) in [
        ("\"step_iops\", step = 1", 40_000.0),
        ("\"step_end_bytes\", step = 1", 20.0 * GB),
        ("\"step_end_capacities\", step = 1", 20.0 / 240.0),
        ("\"start_iops\"", 36_000.0),
        ("\"end_iops\"", 20_000.0),
        ("\"kept_percent\"", 100.0 * 20.0 / 36.0),
        ("\"written_bytes\"", written),
        ("\"iops\", to_bytes = 19_000_000_000", 40_000.0),
        ("\"iops\", from_capacities = 0.1", 20_000.0),
        ("\"iops\", from_s = 600", 20_000.0),
        ("\"bw_bytes_per_s\", from_s = 600", 20_000.0 * 4096.0),
        // About a mean of 31 samples, of which one more is of the other kind.
        ("\"scatter_percent\", from_s = 600", 10.32),
    ] {
        near(of("fresh", rest), value, rest);
    }
    assert_eq!(of("fresh", "\"steps\""), Some(2.0));
    // The last level ends with the measurement.
    assert_eq!(of("fresh", "\"step_end_bytes\", step = 2"), None);
    assert_eq!(of("fresh", "\"step_iops\", step = 3"), None);
    near(of("after idle", "\"fast_bytes\""), 2.0 * GB, "bytes");
    near(
        of("after idle", "\"fast_capacities\""),
        2.0 / 240.0,
        "capacities",
    );
    assert_eq!(of("after TRIM", "\"start_iops\""), None);
}

fn near(found: Option<f64>, value: f64, what: &str) {
    let found = found.unwrap_or_else(|| panic!("{what}"));
    assert!((found / value - 1.0).abs() < 0.03, "{what}: {found}");
}

#[test]
fn figures_of_responses() {
    let interval = |n: i32| ResponseInterval {
        t_s: f64::from(n) * 0.1,
        iops: if (1..=20).contains(&n) {
            500.0
        } else {
            1_000.0
        },
        ..ResponseInterval::default()
    };
    let response = Response {
        name: "with TRIM".into(),
        interval_s: 0.1,
        intervals: (-9..=300).map(interval).collect(),
        reference_iops: 1_000.0,
        latency_ns: LatencySummary {
            max: 30_000_000,
            ..LatencySummary::default()
        },
        ..Response::default()
    };
    let tests = [TestResult {
        id: "trim-response".into(),
        results: Some(Results::Response(vec![response])),
        ..TestResult::default()
    }];
    let of = |table: &str| {
        let table = format!("response = {{ name = \"with TRIM\", {table} }}");
        figure("trim-response", &table, &tests).unwrap()
    };
    assert_eq!(of("metric = \"reference_iops\""), 1_000.0);
    assert_eq!(of("metric = \"iops\", from_s = 0.0, to_s = 2.0"), 500.0);
    assert_eq!(of("metric = \"iops\", from_s = 2.0"), 1_000.0);
    assert!((of("metric = \"slowest_second_iops\"") - 500.0).abs() < 1e-6);
    assert!((of("metric = \"normal_after_s\"") - 1.8).abs() < 0.11);
    assert_eq!(of("metric = \"latency_max_ns\""), 3e7);
}

#[test]
fn figures_of_benchmarks_traces_and_files() {
    let cell = BenchmarkCell {
        row: "Seq".into(),
        load: Load::write(Pattern::Sequential, 1 << 20, 1),
        best_bw_bytes_per_s: 4.5e8,
        ..BenchmarkCell::default()
    };
    let work = |set: &str, bw_bytes_per_s| FileWork {
        set: set.into(),
        bw_bytes_per_s,
        ..FileWork::default()
    };
    let tests = [
        TestResult {
            id: "cdm".into(),
            results: Some(Results::Benchmark(vec![cell])),
            ..TestResult::default()
        },
        TestResult {
            id: "copy".into(),
            results: Some(Results::Files(vec![work("iso", 3e8), work("work", 1e8)])),
            ..TestResult::default()
        },
        TestResult {
            id: "traces".into(),
            results: Some(Results::Traces(Traces {
                traces: Vec::new(),
                overall_bw_bytes_per_s: Some(2e8),
            })),
            ..TestResult::default()
        },
    ];
    let of = |test: &str, table: &str| figure(test, table, &tests);
    assert_eq!(
        of("cdm", "benchmark = { row = \"Seq\", op = \"write\" }"),
        Some(4.5e8)
    );
    assert_eq!(
        of("cdm", "benchmark = { row = \"Seq\", op = \"read\" }"),
        None
    );
    assert_eq!(of("copy", "files = { set = \"work\" }"), Some(1e8));
    assert_eq!(of("copy", "files = { over = \"mean\" }"), Some(2e8));
    assert_eq!(of("traces", "traces = {}"), Some(2e8));
    assert_eq!(of("traces", "traces = { trace = \"excel\" }"), None);
}

#[test]
fn a_level_that_is_not_there_is_no_open_question() {
    let tables = r#"
[figure.it]
title = "third level"
test = "curve"
curve = { name = "fresh", metric = "step_iops", step = 3 }
[[finding]]
id = "one"
text = ""
[[finding.check]]
figure = "it"
drives = ["a"]
value = { about = 20000 }
"#;
    let article = article(tables);
    let tests = vec![curves("curve", vec![falling()])];
    let measured = [(target("a"), tests)];
    let judged = judge(&article, &by_name(&measured));
    assert_eq!(judged[0].outcome, Outcome::Fails);
    assert!(judged[0].checks[0].got.contains("shows no third level"));
    // A figure that was measured only in part may still hold.
    let mut part = measured;
    part[0].1[0].left_out_points = 1;
    assert_eq!(judge(&article, &by_name(&part))[0].outcome, Outcome::Open);
}

/// Returns the error of a file with these tables.
fn error(tables: &str) -> String {
    Article::parse(&text(tables), "made-up.toml")
        .expect_err(tables)
        .to_string()
}

/// A check, its keys separated by `; `, and a part of its error.
const WRONG_CHECKS: &str = r#"
value = { abuot = 1.0 }; drives = ["a"] | `abuot`
value = { about = 1.0 }; drives = ["e"] | e is neither a drive
value = { above = 1.0 }; drives = ["a"] | : reading: missing
value = { about = 1.0, tolerance_percent = 50 }; drives = ["a"] | : reading: missing
value = { tolerance_percent = 5 }; drives = ["a"] | : tolerance_percent: a tolerance
value = {}; drives = ["a"] | no bound
value = { about = nan }; drives = ["a"] | NaN is not a finite number
value = { above = inf }; drives = ["a"] | inf is not a finite number
value = { above = 2.0, below = 1.0 }; drives = ["a"] | no number lies
drives = ["a"] | one of `value`, `ratio`, `order`, `place`
drives = ["a"]; order = {} | `more_than`, `less_than`
drives = ["a"]; order = { more_than = ["a"] } | compared with itself alone
drives = ["a"]; ratio = { above = 1.0 }; reading = "" | another `figure`
drives = ["a"]; place = { among = ["rivals"], at_most = 1 }; reading = "" | not among them
drives = ["a"]; place = { among = ["all"], at_most = 4 }; reading = "" | not all and not none
drives = []; order = { more_than = ["c"] } | names no drive
"#;

#[test]
fn errors_name_file_line_and_key() {
    let finding = "[[finding]]\nid = \"one\"\ntext = \"\"\n[[finding.check]]\nfigure = \"read\"\n";
    let one = READ.split("[figure.read-1]").next().unwrap();
    for row in WRONG_CHECKS.trim().lines() {
        let (check, says) = row.split_once(" | ").unwrap();
        let check = check.replace("; ", "\n");
        let said = error(&format!("{one}{finding}{check}\n"));
        assert!(said.contains(says), "{check}\n{said}");
        assert!(said.starts_with("made-up.toml:"), "{said}");
    }
    // The line is that of the fault: six before the tables; READ's begin with an empty one.
    let said = error(&format!(
        "{one}{finding}drives = [\"a\"]\nvalue = {{ abuot = 1.0 }}\n"
    ));
    assert!(said.starts_with("made-up.toml:18: abuot: "), "{said}");
    let both = "points = { metric = \"iops\" }\ntraces = {}";
    let said = error(&format!(
        "[figure.x]\ntitle = \"\"\ntest = \"t\"\n{both}\n{finding}drives = [\"a\"]\n"
    ));
    assert!(said.contains("a figure has one of"), "{said}");
    let step = "curve = { name = \"fresh\", metric = \"step_iops\" }";
    let said = error(&format!(
        "[figure.read]\ntitle = \"\"\ntest = \"t\"\n{step}\n{finding}drives = [\"a\"]\nvalue = \
         {{ about = 1.0 }}\n"
    ));
    assert!(said.contains("`step`, from 1"), "{said}");
    let part = |part: &str| {
        error(&format!(
            "[figure.read]\ntitle = \"\"\ntest = \"t\"\n{part}\n{finding}drives = [\"a\"]\nvalue = \
             {{ about = 1.0 }}\n"
        ))
    };
    let said = part("curve = { name = \"fresh\", metric = \"iops\", from_s = 9, to_s = 9 }");
    assert!(said.contains("made-up.toml:10: curve: it ends"), "{said}");
    let said = part("response = { name = \"x\", metric = \"iops\", from_s = 9, to_s = 2 }");
    assert!(said.contains("response: it ends before"), "{said}");
    let check = "drives = [\"a\"]\nvalue = { about = 1.0 }\n";
    let said = error(&format!("{READ}{finding}{check}"));
    assert!(said.contains("no check looks at this figure"), "{said}");
    let said = error(&format!("{one}{finding}{check}{finding}{check}"));
    assert!(said.contains("another finding has this name"), "{said}");
}

#[test]
fn every_shipped_article_reads() {
    for name in Article::shipped() {
        let text = Article::shipped_text(name).unwrap();
        let article = Article::parse(text, name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(article.id, name);
        for finding in &article.findings {
            assert!(finding.text.ends_with('.'), "{name}: {}", finding.id);
        }
    }
}

#[test]
fn a_review_is_put_beside_the_articles_of_its_edition_about_its_drives() {
    let mut review = review("sandisk-ultra-ii-240gb", Vec::new());
    let ids = |review: &Review| -> Vec<String> {
        published(review)
            .iter()
            .map(|(a, _)| a.id.clone())
            .collect()
    };
    assert_eq!(ids(&review), ["sandisk-ultra-ii"]);
    let other = Review {
        edition: "2015".into(),
        ..review.clone()
    };
    assert!(ids(&other).is_empty());
    let shortened = Review {
        duration_scale: 0.1,
        ..review.clone()
    };
    assert!(ids(&shortened).is_empty());
    // A rival of the article is not one of its subjects.
    review.target = target("samsung-850-pro-256gb");
    assert!(ids(&review).is_empty());
    review.rivals.push(Rival {
        target: target("sandisk-ultra-ii-480gb"),
        tests: Vec::new(),
        unfinished: Vec::new(),
    });
    // Nor is a subject that is a rival here the reviewed drive.
    assert!(ids(&review).is_empty());
    review.target = target("sandisk-ultra-ii-240gb");
    assert_eq!(published(&review)[0].1.len(), 2);
}
