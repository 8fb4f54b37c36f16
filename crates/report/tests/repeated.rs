//! Repeated tests on the page: how sure the speeds of rows are.

use crate::common;

use scraper::{Html, Selector};
use stend_analysis::repeated::merged;
use stend_record::load::Load;
use stend_record::review::{FileWork, Pattern, Review, SyncPoint, SyncStream, TestResult};
use stend_report::write;

/// A benchmark, traces, work on files and durable writes, so many times as fast.
fn tests(factor: f64) -> Vec<TestResult> {
    let review = common::with_applications(common::review(0.01));
    let mut tests = review.tests;
    tests.retain(|test| test.benchmark.is_some() || test.traces.is_some());
    for cell in tests[0].benchmark.iter_mut().flatten() {
        cell.best_bw_bytes_per_s *= factor;
    }
    for trace in tests[1].traces.iter_mut().flatten() {
        trace.bw_bytes_per_s *= factor;
        trace.busy_s /= factor;
    }
    if let Some(overall) = &mut tests[1].overall_bw_bytes_per_s {
        *overall *= factor;
    }
    let work = FileWork {
        set: "iso".to_owned(),
        set_bytes: 1 << 30,
        bw_bytes_per_s: 2e8 * factor,
        ..FileWork::default()
    };
    let stream = SyncStream {
        load: Load::write(Pattern::Random, 4096, 1),
        writes_per_s: 5_000.0 * factor,
        commits_per_s: 5_000.0 * factor,
        ..SyncStream::default()
    };
    let point = SyncPoint {
        streams: vec![stream],
        ..SyncPoint::default()
    };
    tests.extend([
        TestResult {
            id: "copy".to_owned(),
            title: "Copying files".to_owned(),
            files: Some(vec![work]),
            ..TestResult::default()
        },
        TestResult {
            id: "sync".to_owned(),
            title: "Durable writes".to_owned(),
            sync: Some(vec![point]),
            ..TestResult::default()
        },
    ]);
    tests
}

#[test]
fn bars_and_tables_of_rows_have_their_intervals() {
    let all = [0.9, 1.0, 1.1].map(tests);
    let mut review = common::review(0.01);
    review.rivals.clear();
    review.tests = (0..all[0].len())
        .map(|nth| merged(&[&all[0][nth], &all[1][nth], &all[2][nth]]))
        .collect();
    let page = |review: &Review| Html::parse_document(&write(review).expect("a page"));
    let select = |text: &str| Selector::parse(text).expect("a selector");
    let html = page(&review);
    let sections = select("section.test");
    let sections: Vec<_> = html.select(&sections).collect();
    assert_eq!(sections.len(), 4);
    for section in &sections {
        let (bars, intervals) = (select(".track span"), select(".track span + i[title]"));
        let rows = section.select(&bars).count();
        assert!(rows > 0, "a bar at least");
        assert_eq!(section.select(&intervals).count(), rows, "an interval each");
    }
    // The mean of 0.9, 1 and 1.1 is 1, and the interval t × 0.1 / √3 of it on both sides: with
    // t = 4.303, 24.8 %. The longest bar ends where its own interval does.
    let widest = sections[3].select(&select(".track i")).next().expect("one");
    let style = widest.value().attr("style").expect("a style");
    assert_eq!(style, "left:60.20%;width:39.80%");
    let text = |nth: usize| -> String {
        let tables = select("table:not(.bars table)");
        let text: String = sections[nth]
            .select(&tables)
            .flat_map(|e| e.text())
            .collect();
        text.replace('\u{a0}', " ")
    };
    assert!(text(0).contains("MB/s ± 25 %"), "{}", text(0));
    assert!(text(2).contains("200 MB/s ± 25 %"), "{}", text(2));
    // Once is no interval.
    review.tests = tests(1.0);
    let html = page(&review);
    assert_eq!(html.select(&select(".track i")).count(), 0);
    let body: String = html.root_element().text().collect();
    assert!(!body.contains("± 25"), "nothing is known of it");
}
