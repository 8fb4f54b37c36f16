//! The page of a study.

use scraper::{Html, Selector};
use stend_record::study::{Cell, Effect, EffectLevel, Study, StudyRow};
use stend_report::write_study;

/// Two factors, of which the first explains the outcome.
pub(crate) fn study() -> Study {
    let depths = [1, 8, 64];
    let policies = ["greedy", "fifo"];
    let pairs = depths
        .iter()
        .flat_map(|d| policies.iter().map(move |p| (*d, *p)));
    let row = |(number, (depth, policy)): (usize, (i64, &str))| StudyRow {
        number: number as u64,
        model: "demo-8gb".to_owned(),
        factors: vec![Cell::Whole(depth), Cell::Text(policy.to_owned())],
        seed: 1,
        job: "w".to_owned(),
        outcomes: vec![("latency_p99_ns".to_owned(), 1000.0 * depth as f64)],
        error: None,
    };
    let level = |label: &str, at: Option<f64>, mean: f64| EffectLevel {
        label: label.to_owned(),
        at,
        rows: 2,
        mean,
        min: mean,
        max: mean,
    };
    let effect = |factor: &str, share: f64, levels: Vec<EffectLevel>| Effect {
        job: "w".to_owned(),
        outcome: "latency_p99_ns".to_owned(),
        factor: factor.to_owned(),
        variance_share: Some(share),
        levels,
    };
    let of_depth = depths
        .iter()
        .map(|d| level(&d.to_string(), Some(*d as f64), 1000.0 * *d as f64));
    let of_policy = policies.iter().map(|policy| level(policy, None, 24_333.3));
    Study {
        name: "s".to_owned(),
        title: "Depth & <policy>".to_owned(),
        design: "grid".to_owned(),
        duration_scale: 1.0,
        factors: vec!["depth".to_owned(), "gc.policy".to_owned()],
        outcomes: vec!["latency_p99_ns".to_owned()],
        rows: pairs.enumerate().map(row).collect(),
        effects: vec![
            effect("depth", 1.0, of_depth.collect()),
            effect("gc.policy", 0.0, of_policy.collect()),
        ],
        ..Study::default()
    }
}

fn page(study: &Study, planned: u64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let page = write_study(study, planned, "stend sweep s.toml", folder.path()).unwrap();
    std::fs::read_to_string(page).unwrap()
}

fn texts(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector)
        .map(|element| element.text().collect())
        .collect()
}

#[test]
fn a_study_shows_effects_charts_and_rows() {
    let text = page(&study(), 6);
    let html = Html::parse_document(&text);
    assert_eq!(texts(&html, "h1"), ["Depth & <policy>"]);
    let effects = texts(&html, "#effects td");
    assert_eq!(effects, ["100 %", "0 %"]);
    assert_eq!(texts(&html, "#effects strong"), ["100 %"]);
    let counts = texts(&html, ".badges").concat();
    assert!(counts.ends_with("6 rows, 2 factors, 1 outcome"), "{counts}");
    // A factor that explains nothing has no chart.
    assert_eq!(
        texts(&html, "figure h3"),
        ["latency_p99_ns by depth; explains 100 %"]
    );
    assert!(text.contains("One pair of an outcome and a factor"));
    assert_eq!(texts(&html, "#rows tbody tr").len(), 6);
    let banners = texts(&html, "header div > p.banner");
    assert!(banners.is_empty(), "{banners:?}");
    assert!(text.contains("stend sweep s.toml"));
}

#[test]
fn what_failed_or_is_missing_or_shortened_is_said() {
    let mut failed = study();
    failed.rows[2].error = Some("it does not fit".to_owned());
    failed.rows[2].outcomes.clear();
    failed.duration_scale = 0.1;
    let text = page(&failed, 8);
    assert!(
        text.contains("2 of 8 rows are not done yet, and 1 failed"),
        "{}",
        &text[..4000]
    );
    assert!(text.contains("SHORTENED RUN: every measurement × 0.1"));
    let html = Html::parse_document(&text);
    assert!(texts(&html, "#rows td").contains(&"it does not fit".to_owned()));
    assert!(texts(&html, "body > .scaled")[0].contains("SHORTENED RUN"));
}

#[test]
fn a_page_without_files_beside_it_names_none() {
    let beside = "beside this page";
    assert!(page(&study(), 7).contains(beside));
    let alone = stend_report::study(&study(), 7).unwrap();
    assert!(!alone.contains(beside));
    assert!(alone.contains("The study as it was defined"));
}
