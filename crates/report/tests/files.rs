//! Work on files on the page: bars, tables, verdict, and scaled sets.

use crate::common;

use scraper::{Html, Selector};
use stend_record::review::{FileOp, FileRequests, FileWork, Results, Review, TestResult};
use stend_report::write;

fn work(set: &str, bw_bytes_per_s: f64, scaled: bool) -> FileWork {
    let set_bytes = if scaled { 25 << 20 } else { 8 << 30 };
    FileWork {
        op: FileOp::Copy,
        set: set.into(),
        set_bytes,
        scaled,
        files: 4_714,
        directories: 82,
        duration_s: set_bytes as f64 / bw_bytes_per_s,
        bw_bytes_per_s,
        repeated_bw_bytes_per_s: Vec::new(),
        repeated_duration_s: Vec::new(),
        requests: (!scaled).then_some(FileRequests {
            reads: 68_500,
            read_bytes: 8_600_000_000,
            writes: 9_100,
            written_bytes: 8_700_000_000,
            flushes: 22,
        }),
    }
}

fn copied(works: Vec<FileWork>) -> TestResult {
    TestResult {
        id: "file-copy".into(),
        title: "Copying files".into(),
        results: Some(Results::Files(works)),
        ..TestResult::default()
    }
}

/// The page of a review with this test of the drive and of its rival.
fn page(own: TestResult, rival: TestResult) -> Html {
    let mut review: Review = common::review(1.0);
    review.tests = vec![own];
    review.rivals[0].tests = vec![rival];
    Html::parse_document(&write(&review).unwrap())
}

fn words(html: &Html) -> String {
    let body = Selector::parse("body").unwrap();
    let text: String = html.select(&body).flat_map(|e| e.text()).collect();
    text.replace('\u{a0}', " ")
}

#[test]
fn sets_are_bars_beside_the_rivals() {
    let html = page(
        copied(vec![
            work("iso", 162.4e6, false),
            work("work", 157.8e6, false),
        ]),
        copied(vec![work("work", 201e6, false)]),
    );
    let (a, b) = ("▸ Fixture A 240 GB", "Fixture B 256 GB");
    // The rival copied only one of the sets.
    let expected = [
        (
            "iso".to_owned(),
            vec![format!("{a}: 162 MB/s; width:80.80%")],
        ),
        (
            "work".to_owned(),
            vec![
                format!("{b}: 201 MB/s; width:100.00%"),
                format!("{a}: 158 MB/s; width:78.51%"),
            ],
        ),
    ];
    assert_eq!(common::bars(&html, "section.test"), expected);
    let words = words(&html);
    for said in [
        "158 MB/s",
        "201 MB/s",
        "68,500 requests",
        "8.70 GB",
        "(4,714 files)",
    ] {
        assert!(words.contains(said), "{said}");
    }
}

#[test]
fn scaled_sets_say_so_and_are_compared_with_none_of_another_size() {
    let html = page(
        copied(vec![work("work", 157.8e6, true)]),
        copied(vec![work("work", 201e6, false)]),
    );
    let groups = common::bars(&html, "section.test");
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].0, "work (scaled to 25 MiB)");
    assert_eq!(groups[0].1.len(), 1, "the drive's own bar: {groups:?}");
    assert!(words(&html).contains("scaled to 25 MiB"));
}
