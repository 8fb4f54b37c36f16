//! Repeated tests on the page: the intervals of the rows' speeds.

use crate::common;

use scraper::{ElementRef, Html, Selector};
use stend_analysis::repeated::merged;
use stend_language::{Language, within};
use stend_record::load::Load;
use stend_record::review::{
    FileWork, LatencySummary, Pattern, Results, Review, SyncPoint, SyncStream, TestResult,
};
use stend_report::write;

/// A latency that is `times` as long.
fn longer(latency: &LatencySummary, times: f64) -> LatencySummary {
    let of = |ns: u64| (ns as f64 * times) as u64;
    LatencySummary::new(
        latency.requests,
        latency.mean * times,
        of(latency.max),
        latency.percentiles().map(|(_, ns)| of(ns.expect("known"))),
    )
}

/// Points over depths and shares, `factor` times as fast.
fn points(factor: f64) -> Vec<TestResult> {
    let mut tests = common::review(0.01).tests;
    tests.retain(|test| ["depth-scaling", "mixed-random"].contains(&test.id.as_str()));
    for point in tests.iter_mut().flat_map(TestResult::points_mut) {
        point.iops *= factor;
        point.bw_bytes_per_s *= factor;
        point.latency_ns = longer(&point.latency_ns, 1.0 / factor);
        for part in &mut point.parts {
            part.iops *= factor;
            part.bw_bytes_per_s *= factor;
            part.latency_ns = longer(&part.latency_ns, 1.0 / factor);
        }
    }
    tests
}

/// A benchmark, traces, work on files and durable writes, `factor` times as fast.
fn tests(factor: f64) -> Vec<TestResult> {
    let review = common::with_applications(common::review(0.01));
    let mut tests = review.tests;
    tests.retain(|test| !test.benchmark().is_empty() || !test.traces().is_empty());
    for cell in tests[0].benchmark_mut() {
        cell.best_bw_bytes_per_s *= factor;
        cell.best_mean_latency_ns /= factor;
    }
    for trace in tests[1].traces_mut() {
        trace.bw_bytes_per_s *= factor;
        trace.busy_s /= factor;
        trace.elapsed_s /= factor;
        for latency in [&mut trace.read_latency_ns, &mut trace.write_latency_ns] {
            *latency = latency.map(|latency| longer(&latency, 1.0 / factor));
        }
        trace.write_amplification = trace.write_amplification.map(|pages| pages / factor);
    }
    if let Some(Results::Traces(traces)) = &mut tests[1].results {
        let overall = traces.overall_bw_bytes_per_s.iter_mut();
        overall.for_each(|overall| *overall *= factor);
    }
    let work = FileWork {
        set: "iso".to_owned(),
        set_bytes: 1 << 30,
        bw_bytes_per_s: 2e8 * factor,
        duration_s: 5.0 / factor,
        ..FileWork::default()
    };
    let stream = SyncStream {
        load: Load::write(Pattern::Random, 4096, 1),
        writes_per_s: 5_000.0 * factor,
        commits_per_s: 5_000.0 * factor,
        write_latency_ns: Some(longer(
            &LatencySummary::new(1_000_000, 2e5, 1_000_000, [200_000; 5]),
            1.0 / factor,
        )),
        ..SyncStream::default()
    };
    let point = SyncPoint {
        streams: vec![stream],
        ..SyncPoint::default()
    };
    tests.extend([
        TestResult {
            id: "copy".to_owned(),
            title: "Copying files".to_owned().into(),
            results: Some(Results::Files(vec![work])),
            ..TestResult::default()
        },
        TestResult {
            id: "sync".to_owned(),
            title: "Durable writes".to_owned().into(),
            results: Some(Results::Sync(vec![point])),
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
    // The mean of 0.9, 1 and 1.1 is 1, and its interval is t × 0.1 / √3 on both sides: with t =
    // 4.303, 24.8 %. The longest bar ends with its own interval.
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
    // A single run has no interval.
    review.tests = tests(1.0);
    let html = page(&review);
    assert_eq!(html.select(&select(".track i")).count(), 0);
    let body: String = html.root_element().text().collect();
    assert!(!body.contains("± 25"), "nothing is known of it");
}

/// Returns the cells of the tables of a section without row heads: the column's head, and the text.
fn cells(section: ElementRef<'_>) -> Vec<(String, String)> {
    let select = |text: &str| Selector::parse(text).expect("a selector");
    let text = |element: ElementRef<'_>| -> String {
        let text: String = element.text().collect();
        text.replace('\u{a0}', " ")
    };
    let mut all = Vec::new();
    for table in section.select(&select("table")) {
        let heads: Vec<String> = table.select(&select("thead th")).map(text).collect();
        for row in table.select(&select("tbody tr")) {
            let figures = select("td:not(.track)");
            let cells = row.select(&figures).enumerate();
            all.extend(cells.map(|(nth, cell)| {
                let head = heads.get(nth + 1);
                (head.cloned().unwrap_or_default(), text(cell))
            }));
        }
    }
    all
}

/// In each repeated row, every averaged figure has its interval. Figures that are the same in all
/// repetitions, the greatest of all, and single passes have none.
#[test]
fn every_mean_of_a_table_has_its_interval() {
    let [english, russian] = [
        "Read,Written,Moved*,max,Traces,Size,Files,Directories,Pass*",
        "Прочитано,Записано,Перенесено*,максимум,Трассы,Объём,Файлы,Каталоги,Проход*",
    ];
    let of = |factor: f64| [points(factor), tests(factor)].concat();
    let all = [0.9, 1.0, 1.1].map(of);
    let mut review = common::review(0.01);
    review.rivals.clear();
    review.tests = (0..all[0].len())
        .map(|nth| merged(&[&all[0][nth], &all[1][nth], &all[2][nth]]))
        .collect();
    for (language, other) in [(Language::English, english), (Language::Russian, russian)] {
        let page = within(language, || write(&review)).expect("a page");
        let html = Html::parse_document(&page);
        let sections = Selector::parse("section.test").expect("a selector");
        let cells: Vec<_> = html.select(&sections).flat_map(cells).collect();
        assert!(cells.len() > 150, "{}", cells.len());
        for (head, text) in cells {
            let is_other = other.split(',').any(|word| match word.strip_suffix('*') {
                Some(beginning) => head.starts_with(beginning),
                None => head == word,
            });
            let is_mean = !is_other && text != "–";
            assert_eq!(
                text.contains('±'),
                is_mean,
                "{language:?}: `{head}`: `{text}`"
            );
        }
    }
}
