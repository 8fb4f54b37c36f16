//! The page of an endurance test: charts over the bytes written, tables, the end.

use crate::common;
use crate::page::{data, page, text};

use scraper::Html;
use stend_record::endurance::{Afterwards, Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::review::{Pattern, PointOp, Results, SeriesPoint, TestResult};

/// A drive that refuses in its third round and reports nothing in the second.
fn worn_out() -> Endurance {
    let round = |bytes: u64, used: Option<u64>| EnduranceRound {
        repeats: 0,
        written_bytes: bytes,
        bw_bytes_per_s: 4e8,
        latency_p99_9_ns: Some(21_000_000),
        latency_max_ns: 91_000_000,
        write_amplification: used.map(|_| 2.25),
        health: used.map(|used| Health {
            used_percent: Some(used),
            spare_percent: Some(100 - used),
            temperature_c: Some(41),
            retired_blocks: Some(used / 11),
            program_fails: Some(2),
            read_retries: Some(used),
            ..Health::default()
        }),
    };
    Endurance {
        load: SeriesPoint {
            op: PointOp::Write,
            pattern: Pattern::Sequential,
            block_bytes: 131_072,
            queue_depth: 32,
        },
        round_bytes: 240_000_000_000,
        budget_bytes: Some(1_000_000_000_000),
        rated_bytes: Some(400_000_000_000),
        warranty_years: Some(3),
        end: EnduranceEnd::Refused,
        refusal: Some("Input/output error".into()),
        written_bytes: 500_000_000_000,
        broken_off_bytes: 0,
        no_health: None,
        before: Some(Health {
            host_written_bytes: Some(100_000_000_000),
            read_retries: Some(3),
            ..Health::default()
        }),
        rounds: vec![
            round(240_000_000_000, Some(33)),
            EnduranceRound {
                repeats: 3,
                ..round(240_000_000_000, None)
            },
            round(20_000_000_000, Some(99)),
        ],
        afterwards: Some(Afterwards {
            write_refused: Some(true),
            read_bytes: 239_000_000_000,
            asked_bytes: 240_000_000_000,
            failed_reads: 77,
            bw_bytes_per_s: 5e8,
            health: None,
        }),
    }
}

fn test_of(endurance: Endurance) -> TestResult {
    TestResult {
        id: "endurance".into(),
        title: "Endurance".into(),
        results: Some(Results::Endurance(endurance)),
        ..TestResult::default()
    }
}

#[test]
fn a_worn_out_drive_is_drawn_and_told_to_its_end() {
    let mut review = common::review(1.0);
    review.tests = vec![test_of(worn_out())];
    let html = Html::parse_document(&page(&review));
    let tables = text(&html, "section.test table");
    for words in [
        "the drive refused a write",
        "Input/output error",
        "500 GB",
        "1.25 times",
        "0.500 of 0.400 TB",
        "1,000 GB",
        "refused",
        "of 240 GB, 77 reads failed",
        "3 not simulated",
        "2.25",
        "41",
        "21.0 ms",
        "91.0 ms",
        "Failed programs",
        "Read retries",
    ] {
        assert!(tables.contains(words), "{words} is missing:\n{tables}");
    }
    // Figures that the drive does not report have no column.
    assert!(!tables.contains("Failed erases"), "{tables}");
    let all = text(&html, "section.test");
    for words in ["Whether it was a program or an erase", "no time passes"] {
        assert!(all.contains(words), "{words} is missing:\n{all}");
    }
    assert!(all.contains("Of 5 rounds 3 were not simulated"), "{all}");
}

#[test]
fn what_was_measured_is_drawn_over_the_bytes_written() {
    let mut review = common::review(1.0);
    review.tests = vec![test_of(worn_out())];
    let html = Html::parse_document(&page(&review));
    let all = data(&html);
    let charts = all["charts"].as_array().unwrap();
    let titles: Vec<&str> = charts
        .iter()
        .map(|chart| chart["title"].as_str().unwrap())
        .collect();
    let begins = [
        "Speed of each round",
        "Latency of each round",
        "Write amplification",
        "Life of the drive",
        "Temperature",
        "Blocks that failed",
        "Errors of the flash",
    ];
    assert_eq!(titles.len(), begins.len(), "{titles:?}");
    for (title, begin) in titles.iter().zip(begins) {
        assert!(title.starts_with(begin), "{titles:?}");
    }
    // The last round is a twelfth of a whole one, and these figures need whole rounds.
    for chart in [&charts[0], &charts[2]] {
        let trace = &chart["traces"][0];
        assert_eq!(trace["x"], serde_json::json!([0.24]), "{trace}");
    }
    // Over TB written, if the drive reports it.
    let life = &charts[3]["traces"][0];
    assert_eq!(
        (&life["x"], &life["y"]),
        (
            &serde_json::json!([0.24, 0.5]),
            &serde_json::json!([33.0, 99.0])
        )
    );
    // Rounds that were not simulated are not points: they are shaded in every chart. The end of the
    // rated life is marked too, less the bytes written before the test.
    let speed = &charts[0]["traces"][0];
    assert_eq!(speed["x"], serde_json::json!([0.24]));
    let latencies: Vec<&serde_json::Value> = (0..2).map(|n| &charts[1]["traces"][n]["y"]).collect();
    assert_eq!(
        latencies,
        [&serde_json::json!([21.0]), &serde_json::json!([91.0, 91.0])]
    );
    // The number of retries in the last round alone is unknown.
    let retries = &charts[6]["traces"][0];
    assert_eq!(
        (&retries["x"], &retries["y"]),
        (&serde_json::json!([0.24]), &serde_json::json!([30.0]))
    );
    for chart in charts {
        let shaded = serde_json::json!([{ "from": 0.24, "to": 0.48, "text": "not simulated" }]);
        assert_eq!(chart["bands"], shaded);
        let rated = serde_json::json!([{ "at": 0.3, "text": "rated life, 0.400 TB" }]);
        assert_eq!(chart["marks"], rated);
    }
}

#[test]
fn what_is_not_known_is_not_drawn() {
    let mut review = common::review(1.0);
    // A rated life that ends beyond the charts is stated, not drawn.
    let mut young = worn_out();
    young.rated_bytes = Some(9_000_000_000_000);
    review.tests = vec![test_of(young)];
    let html = Html::parse_document(&page(&review));
    let said = text(&html, "section.test");
    assert!(said.contains("would end at 8.90 TB, beyond"), "{said}");
    assert_eq!(data(&html)["charts"][0].get("marks"), None);

    // Without reports from the drive there are only the two measured charts, and a budget is not an
    // end.
    let mut silent = worn_out();
    silent.end = EnduranceEnd::Budget;
    for round in &mut silent.rounds {
        (round.health, round.write_amplification) = (None, None);
    }
    review.tests = vec![test_of(silent)];
    let html = Html::parse_document(&page(&review));
    assert_eq!(data(&html)["charts"].as_array().unwrap().len(), 2);
    assert!(text(&html, "section.test table").contains("NOT worn out"));
}

#[test]
fn what_the_more_enduring_drive_bears_is_bold() {
    let bold = |own: Endurance, rival: Endurance| {
        let mut review = common::review(0.01);
        review.tests = vec![test_of(own)];
        review.rivals[0].tests = vec![test_of(rival)];
        text(&Html::parse_document(&page(&review)), "section.test strong")
    };
    let mut more = worn_out();
    more.written_bytes = 600_000_000_000;
    more.afterwards.as_mut().unwrap().read_bytes = 238_000_000_000;
    let told = bold(worn_out(), more.clone());
    assert_eq!(told, "239 GB\n600 GB\n2.34 times\n1.50 times");
    // The bytes that a budget allowed are not the drive's endurance.
    more.end = EnduranceEnd::Budget;
    assert_eq!(bold(worn_out(), more), "239 GB");
}
