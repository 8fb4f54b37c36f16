//! The page as text: size, sameness, escaping, what it says and what it holds.

mod common;

use scraper::{Html, Selector};
use stend_record::review::{FailedTest, Review, TargetKind, TestResult};
use stend_report::{Finding, ReportError, write, write_folder};

fn page(review: &Review) -> String {
    write(review, &[]).expect("the fixture can be written")
}

fn select<'h>(html: &'h Html, selector: &str) -> Vec<scraper::ElementRef<'h>> {
    let selector = Selector::parse(selector).expect("a selector of this test");
    html.select(&selector).collect()
}

fn text(html: &Html, selector: &str) -> String {
    let found = select(html, selector);
    let all: Vec<String> = found.iter().map(|e| e.text().collect()).collect();
    all.join("\n").replace('\u{a0}', " ")
}

/// The data that the page's script draws.
fn data(html: &Html) -> serde_json::Value {
    let element = select(html, "#stend-data")[0];
    let json: String = element.text().collect();
    serde_json::from_str(&json).expect("the charts' data is JSON")
}

#[test]
fn a_full_review_with_a_rival_stays_below_six_megabytes() {
    let review = common::review(1.0);
    let curve = &review.tests.last().unwrap().series.as_ref().unwrap()[0];
    assert_eq!(curve.samples.len(), 7_200, "the fixture is of full length");
    let bytes = page(&review).len();
    assert!(bytes < 6_000_000, "{bytes} bytes");
}

#[test]
fn the_same_review_gives_the_same_bytes() {
    let review = common::review(0.02);
    let findings = [Finding {
        title: "Steps".into(),
        text: "One.".into(),
    }];
    let again = write(&common::review(0.02), &findings).unwrap();
    assert!(
        write(&review, &findings).unwrap() == again,
        "two pages differ"
    );
}

#[test]
fn nothing_in_the_page_points_to_a_network() {
    let html = Html::parse_document(&page(&common::review(0.01)));
    for attribute in ["src", "href", "srcset", "data", "action", "poster"] {
        for element in select(&html, &format!("[{attribute}]")) {
            let value = element.value().attr(attribute).unwrap();
            assert!(
                value.starts_with('#') || value.starts_with("data:"),
                "{attribute}={value}"
            );
        }
    }
    assert!(!text(&html, "style").contains("@import"));
    assert!(!text(&html, "style").contains("url("));
    let policy = select(&html, "meta[http-equiv=Content-Security-Policy]")[0];
    let policy = policy.value().attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(!policy.contains("http"), "{policy}");
}

#[test]
fn every_test_has_charts_tables_method_and_jobs() {
    let review = common::review(0.1);
    let html = Html::parse_document(&page(&review));
    let sections = select(&html, "section.test");
    assert_eq!(sections.len(), review.tests.len());
    let inside = |section: &scraper::ElementRef<'_>, selector: &str| {
        section.select(&Selector::parse(selector).unwrap()).count()
    };
    for (section, test) in sections.iter().zip(&review.tests) {
        assert!(
            inside(section, ".chart[role=img][aria-label]") > 0,
            "{}",
            test.id
        );
        assert!(inside(section, "table") > 0, "{}", test.id);
        assert_eq!(inside(section, ".method"), 1, "{}", test.id);
        assert_eq!(inside(section, "details.jobs pre"), test.jobs.len());
    }
    let charts = data(&html)["charts"].as_array().unwrap().len();
    assert_eq!(select(&html, ".chart").len(), charts);
    // 1 + 1 for sequential and random with their latencies, 2 + 2 for the depth, 2 for
    // the block, 1 mixed, 3 + 1 for the degradation, 3 + 1 and the rival's 2 for the
    // recovery.
    assert_eq!(charts, 2 + 2 + 4 + 2 + 1 + 4 + 6);
}

#[test]
fn tables_hold_the_figures_with_their_units() {
    let html = Html::parse_document(&page(&common::review(1.0)));
    let tables = text(&html, "table");
    for figure in [
        "526 MB/s",
        "2,007 IOPS",
        "8,167 IOPS",
        "72,930 IOPS",
        "299 MB/s",
        "512 B",
        "256 KiB",
        "385 MB/s",
        "80 : 20",
        "173 MB/s",
        "↳ reads at 80 % reads",
        "322 GB",
        "39,990 IOPS",
        "5.84 ms",
        "7,200",
        "3,600 s",
    ] {
        assert!(tables.contains(figure), "{figure} is in no table");
    }
    let rows =
        |name: &str| select(&html, &format!("section[id$={name}] details:not(.jobs) tr")).len();
    // A head and 240 means of 30 s.
    assert!(rows("degradation") > 240, "{}", rows("degradation"));
}

#[test]
fn key_figures_say_how_the_drive_stands_to_its_rival() {
    let html = Html::parse_document(&page(&common::review(1.0)));
    let figures = text(&html, "#figures");
    for words in [
        "Read, depth 1",
        "Write, depth 32",
        "Read, 256 KiB",
        "At 80 % reads",
        "Mean of all shares",
        "After idle: fast writes",
        "2.42 GB",
        "−36 %",
    ] {
        assert!(figures.contains(words), "{words} is missing:\n{figures}");
    }
}

#[test]
fn the_verdict_follows_from_the_figures() {
    let html = Html::parse_document(&page(&common::review(1.0)));
    let verdict = text(&html, "#verdict");
    for words in [
        "ahead in 4 of 21 key figures, level in 1, behind in 16.",
        "Read: 526 MB/s, level with Fixture B 256 GB (532 MB/s).",
        "Write: 238 MB/s, 36 % below Fixture B 256 GB (374 MB/s).",
        "Reads grow 8.93 times with the depth",
        "Mixing costs: 135 MB/s at 40 % reads, against 500 MB/s for reads alone",
        "Starts at 39,990 IOPS and ends at 4,493 IOPS (11 % of the start)",
        "After idle, part is given back",
    ] {
        assert!(verdict.contains(words), "{words} is missing:\n{verdict}");
    }
    assert!(!verdict.contains("Not measured in the same way"));

    let mut unlike = common::review(1.0);
    unlike.rivals[0].target.kind = TargetKind::BlockDevice;
    let html = Html::parse_document(&page(&unlike));
    assert!(text(&html, "#verdict").contains("Not measured in the same way"));
}

#[test]
fn recovery_is_called_full_or_none_where_it_is() {
    let mut review = common::review(1.0);
    let recovery = review.tests.last_mut().unwrap().series.as_mut().unwrap();
    let fresh = recovery[0].clone();
    let end = fresh.samples.last().unwrap().iops;
    recovery[2].samples = fresh.samples;
    for sample in &mut recovery[1].samples {
        sample.iops = end;
    }
    let html = Html::parse_document(&page(&review));
    let verdict = text(&html, "#verdict");
    assert!(
        verdict.contains("After idle, nothing is given back"),
        "{verdict}"
    );
    assert!(
        verdict.contains("After TRIM, the first state is restored"),
        "{verdict}"
    );
}

#[test]
fn a_shortened_run_says_so_everywhere() {
    let note = "SHORTENED RUN: every duration × 0.01";
    let html = Html::parse_document(&page(&common::review(0.01)));
    assert!(text(&html, "header").contains(note));
    let titles = select(&html, "figure h3");
    assert!(!titles.is_empty());
    for title in titles {
        let title: String = title.text().collect();
        assert!(title.contains(note), "{title}");
    }
    assert_eq!(data(&html)["note"], note, "saved pictures carry it");

    let full = Html::parse_document(&page(&common::review(1.0)));
    assert!(!text(&full, "body").contains("SHORTENED"));
}

#[test]
fn an_incomplete_review_names_what_is_missing() {
    let mut review = common::review(0.01);
    review.complete = false;
    review.failed.push(FailedTest {
        id: "recovery".into(),
        error: "fio was killed".into(),
    });
    review.tests.pop();
    let html = Html::parse_document(&page(&review));
    let head = text(&html, "header");
    assert!(head.contains("INCOMPLETE"), "{head}");
    assert!(head.contains("recovery: fio was killed"), "{head}");

    review.tests.clear();
    review.failed.clear();
    let html = Html::parse_document(&page(&review));
    assert!(text(&html, "header").contains("The run was stopped"));
    assert!(text(&html, "#verdict").contains("nothing to judge"));
}

#[test]
fn simulated_and_real_are_told_apart() {
    let mut review = common::review(0.01);
    let head = |review: &Review| text(&Html::parse_document(&page(review)), "header");
    assert!(head(&review).contains("No hardware took part"));
    review.target.kind = TargetKind::BlockDevice;
    assert!(head(&review).contains("real, a block device, by fio"));
    review.target.kind = TargetKind::File;
    assert!(head(&review).contains("real, a file"));
}

/// A name that breaks what does not escape.
const HOSTILE: &str = "</script><script>boom()</script><b>\"A\" & 'B'</b> $x$ <a href='http://x'>";

/// The fixture with that name wherever a text comes from outside.
fn hostile_review() -> Review {
    let mut review = common::review(0.01);
    review.target.title = HOSTILE.into();
    review.target.name = HOSTILE.into();
    review.edition_title = HOSTILE.into();
    review.reproduce = HOSTILE.into();
    review.rivals[0].target.title = format!("{HOSTILE} 2");
    review.complete = false;
    review.failed.push(FailedTest {
        id: HOSTILE.into(),
        error: HOSTILE.into(),
    });
    for condition in review.conditions.iter_mut().chain(&mut review.environment) {
        condition.name = HOSTILE.into();
        condition.value = HOSTILE.into();
    }
    for test in &mut review.tests {
        test.title = HOSTILE.into();
        test.method = HOSTILE.into();
        test.warnings.push(HOSTILE.into());
        test.jobs[0].name = HOSTILE.into();
        test.jobs[0].text = HOSTILE.into();
        for series in test.series.iter_mut().flatten() {
            series.name.push_str(HOSTILE);
        }
    }
    review
}

#[test]
fn names_are_shown_and_never_run() {
    let findings = [Finding {
        title: HOSTILE.into(),
        text: HOSTILE.into(),
    }];
    let html = Html::parse_document(&write(&hostile_review(), &findings).unwrap());
    assert_eq!(
        select(&html, "script").len(),
        3,
        "plotly, the data, our own"
    );
    assert!(select(&html, "b").is_empty());
    assert!(select(&html, "a:not([href^='#'])").is_empty());
    assert_eq!(text(&html, "h1"), HOSTILE);
    assert!(text(&html, "title").starts_with(HOSTILE));
    assert!(text(&html, "details.jobs pre").starts_with(HOSTILE));
    assert!(text(&html, ".found").contains(HOSTILE));
    let names = data(&html)["charts"][0]["traces"][0]["name"].clone();
    assert_eq!(names, HOSTILE);
}

#[test]
fn tests_of_other_editions_are_drawn_from_what_varies() {
    let mut review = common::review(0.1);
    for test in &mut review.tests {
        test.id = format!("new-{}", test.id);
    }
    for test in &mut review.rivals[0].tests {
        test.id = format!("new-{}", test.id);
    }
    let html = Html::parse_document(&page(&review));
    let titles = text(&html, "figure h3");
    for words in [
        "Sequential 256 KiB read and write",
        "Random 4 KiB read against queue depth",
        "Random write, queue depth 4, against block size",
        "against the share of reads",
        "Random 4 KiB write, queue depth 32, against data written",
    ] {
        assert!(titles.contains(words), "{words} is missing:\n{titles}");
    }
}

#[test]
fn a_test_without_figures_says_so() {
    let mut review = common::review(0.01);
    review.tests = vec![
        TestResult {
            id: "neither".into(),
            title: "Neither".into(),
            ..TestResult::default()
        },
        TestResult {
            id: "empty".into(),
            points: Some(Vec::new()),
            series: Some(Vec::new()),
            ..TestResult::default()
        },
    ];
    let html = Html::parse_document(&page(&review));
    assert_eq!(
        text(&html, "section.test")
            .matches("left no figures")
            .count(),
        2
    );
}

#[test]
fn a_curve_without_samples_is_no_reason_to_fail() {
    let mut review = common::review(0.01);
    for test in &mut review.tests {
        for series in test.series.iter_mut().flatten() {
            series.samples.clear();
        }
    }
    let html = Html::parse_document(&page(&review));
    assert!(text(&html, "table").contains("no sample"));
}

#[test]
fn a_folder_holds_the_page_and_the_review() {
    let folder = tempfile::tempdir().unwrap();
    let review = common::review(0.01);
    let deep = folder.path().join("a/b");
    let path = write_folder(&review, &[], &deep).unwrap();
    assert_eq!(path, deep.join("index.html"));
    assert!(std::fs::read_to_string(&path).unwrap() == page(&review));
    let json = std::fs::read_to_string(deep.join("review.json")).unwrap();
    let back: Review = serde_json::from_str(&json).unwrap();
    assert!(back == review, "review.json is not the review");
    assert!(
        page(&back) == page(&review),
        "the page of review.json differs"
    );
    // A second report replaces the first and leaves nothing else behind.
    write_folder(&review, &[], &deep).unwrap();
    assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 2);
}

#[test]
fn an_unwritable_folder_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = write_folder(&common::review(0.01), &[], &file.join("report")).unwrap_err();
    assert!(matches!(error, ReportError::Write { .. }));
    let words = error.to_string();
    assert!(words.contains("file/report"), "{words}");
    assert!(words.contains("choose a folder"), "{words}");
}
