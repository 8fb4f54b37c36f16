//! The page in another language: as text, without any English left, and in a browser.

use std::collections::BTreeSet;

use scraper::{Html, Selector};
use stend_analysis::compare::Unlike;
use stend_identify::infer;
use stend_identify::observed::Observed;
use stend_language::{Language, Text, recorded, within};
use stend_report::{Comparison, Origin, comparison as comparison_page, write};

use crate::browser::{chromium, visit};
use crate::common;
use crate::identification;

/// Words that are the same in every language: units and terms of the field, programs, names of
/// rows, and the fixture's own words, which stand for a user's.
const STAY: &str = "IOPS TRIM SATA PCMark CrystalDiskMark JavaScript review json SEQ1M \
    Q8T1 4K Q1T1 CPU fio stend claims Fixture A B GB the only job Edition \
    fixture Some work start Made-up figures this test was not run \
    Preparation filled once with random data then of everything Pause \
    between tests minutes Data incompressible Program the report's tests \
    Clock virtual synthesised desktop trace seed a limit of all \
    fixture-a-240gb fixture-b-256gb Controller channels Interface Gbit s";

#[test]
fn differences_are_told_with_units_of_the_language() {
    let unlike = |name: &str, values: [&str; 2]| Unlike {
        name: Text::named("condition", name),
        values: values
            .map(|figure| {
                Some(match figure {
                    "none" => recorded!("value-none"),
                    figure => recorded!("figure", figure = figure),
                })
            })
            .to_vec(),
    };
    let comparison = Comparison {
        conditions: &[
            unlike("edition-s-sha-256", ["a", "b"]),
            unlike("commit-of-stend", ["c", "d"]),
        ],
        models: &[
            unlike("user_bytes", ["8 GB", "5.76 GB"]),
            unlike("read_us", ["[70.5, 70] µs", "none"]),
        ],
        ..Comparison::default()
    };
    let review = common::review(0.01);
    let page = within(Language::Russian, || comparison_page(&review, &comparison)).unwrap();
    for cell in [
        "SHA-256 редакции",
        "коммит stend",
        "8 ГБ",
        "5,76 ГБ",
        "[70,5, 70] мкс",
        "нет",
    ] {
        assert!(page.contains(&format!(">{cell}</t")), "{cell}");
    }
}

fn russian(review: &stend_record::review::Review) -> String {
    within(Language::Russian, || write(review)).unwrap()
}

/// Returns the words in Latin letters of a visible text.
fn latin(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\''));
    let latin = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    latin.map(str::to_owned).collect()
}

/// Returns the texts of a page: elements without jobs and scripts, titles, and the texts of charts.
fn read(html: &str) -> Vec<String> {
    let page = Html::parse_document(html);
    let body = page
        .select(&Selector::parse("body").unwrap())
        .next()
        .unwrap();
    let silent = ["script", "noscript", "style", "code", "pre"];
    let mut texts: Vec<String> = body
        .descendants()
        .filter(|node| {
            let mut above = node.ancestors().filter_map(|n| n.value().as_element());
            !above.any(|element| silent.contains(&element.name()))
        })
        .filter_map(|node| Some(node.value().as_text()?.to_string()))
        .collect();
    for attribute in ["title", "aria-label"] {
        let all = Selector::parse(&format!("[{attribute}]")).unwrap();
        let values = page.select(&all).filter_map(|e| e.value().attr(attribute));
        texts.extend(values.map(str::to_owned));
    }
    let data = common::data(&page);
    let axes = |chart: &serde_json::Value| {
        let keys = [
            "/title",
            "/x/title",
            "/x/unit",
            "/y/title",
            "/y/unit",
            "/y2/title",
        ];
        keys.map(|key| {
            chart
                .pointer(key)
                .and_then(|v| v.as_str())
                .unwrap_or_default()
                .to_owned()
        })
    };
    for chart in data["charts"].as_array().unwrap() {
        texts.extend(axes(chart));
        let ticks = ["/x/tick_texts", "/y/tick_texts"].map(|key| chart.pointer(key));
        let ticks = ticks
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_array())
            .flatten();
        texts.extend(ticks.filter_map(|tick| Some(tick.as_str()?.to_owned())));
        for trace in chart["traces"].as_array().unwrap() {
            texts.push(trace["name"].as_str().unwrap().to_owned());
        }
        for list in ["marks", "bands"] {
            let marked = chart[list].as_array().into_iter().flatten();
            texts.extend(marked.filter_map(|mark| Some(mark["text"].as_str()?.to_owned())));
        }
    }
    texts
}

#[test]
fn nothing_english_is_left_on_a_russian_page() {
    let stay: BTreeSet<&str> = STAY.split_whitespace().collect();
    let review = common::with_applications(common::review(0.5));
    let html = russian(&review);
    assert!(html.contains("<html lang=\"ru\""), "the language is told");
    assert_only(&stay, &html);
}

/// Asserts that the page has no other words in Latin letters than these.
fn assert_only(stay: &BTreeSet<&str>, html: &str) {
    let mut left = Vec::new();
    for text in read(html) {
        let words = latin(&text);
        let more: Vec<_> = words
            .iter()
            .filter(|w| !stay.contains(w.as_str()))
            .collect();
        if !more.is_empty() {
            left.push(format!("{more:?} in: {text}"));
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

/// Words that stay on the page of an identification: names of terms, units and files.
const STAY_INSIDE: &str = "TRIM SLC SLC-кэш SLC-кэша SLC-кэше L2P tR IOPS fio x";

#[test]
fn nothing_english_is_left_on_a_russian_page_of_an_identification() {
    let stay: BTreeSet<&str> = STAY_INSIDE.split_whitespace().collect();
    let capacity_bytes = identification::seen().capacity_bytes;
    let nothing = Observed {
        capacity_bytes,
        left_out: vec!["random".to_owned(), "pairs".to_owned()],
        ..Observed::default()
    };
    let all = identification::seen();
    let reviewed = Observed {
        fill: None,
        random: None,
        dirty: Vec::new(),
        trimmed: None,
        settled_parts: Vec::new(),
        new_reads: None,
        ..all.clone()
    };
    let origins = [Origin::Simulated, Origin::Real, Origin::Review];
    for (seen, origin) in [all, nothing, reviewed].iter().zip(origins) {
        let document = infer("x", seen);
        let folder = tempfile::tempdir().unwrap();
        let write = || {
            let how = (origin, "stend identify x --lang ru");
            stend_report::write_identification(&document, seen, how, folder.path()).unwrap()
        };
        let html = std::fs::read_to_string(within(Language::Russian, write)).unwrap();
        assert!(html.contains("<html lang=\"ru\""), "the language is told");
        assert_only(&stay, &html);
        let kept = folder.path().join("identification.json");
        let kept = std::fs::read_to_string(kept).unwrap();
        assert_eq!(kept, serde_json::to_string(&document).unwrap() + "\n");
        let cyrillic = |c: char| ('а'..='я').contains(&c);
        assert!(!kept.contains(cyrillic), "the document is English");
    }
}

#[test]
fn a_russian_page_writes_numbers_as_russian_does() {
    let html = russian(&common::review(1.0));
    let texts = read(&html);
    assert!(texts.iter().any(|t| t.contains("41\u{202f}")), "thousands");
    let point = |text: &String| {
        let letters: Vec<char> = text.chars().collect();
        let inside = letters.windows(3).any(|w| {
            w[0].is_ascii_digit()
                && matches!(w[1], '.' | ',')
                && w[2].is_ascii_digit()
                && w[1] == '.'
        });
        inside && !text.contains("CrystalDiskMark")
    };
    let points: Vec<_> = texts.iter().filter(|t| point(t)).collect();
    assert!(points.is_empty(), "decimal points: {points:?}");
    let data = common::data(&Html::parse_document(&html));
    assert_eq!(data["words"]["separators"], ",\u{202f}");
}

#[test]
fn the_english_page_is_the_default() {
    let html = write(&common::review(0.5)).unwrap();
    assert!(html.contains("<html lang=\"en\""));
    let cyrillic = |text: &String| text.chars().any(|c| ('а'..='я').contains(&c));
    let texts = read(&html);
    let other: Vec<_> = texts.iter().filter(|text| cyrillic(text)).collect();
    assert!(other.is_empty(), "{other:?}");
}

#[test]
fn charts_speak_russian_in_a_browser() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let review = common::review(0.02);
    let written = || stend_report::write_folder(&review, folder.path());
    let page = within(Language::Russian, written).unwrap();
    let visit = visit(&chromium, &page);
    visit.assert_silent();
    let texts = |selector: &str| -> Vec<String> {
        let selector = Selector::parse(selector).unwrap();
        let found = visit.dom.select(&selector);
        found.map(|element| element.text().collect()).collect()
    };
    let ticks = texts(".xtick text, .ytick text");
    assert!(
        ticks.iter().any(|t| t.contains(',')),
        "decimal commas: {ticks:?}"
    );
    assert!(ticks.iter().all(|t| !t.contains('.')), "{ticks:?}");
    assert!(texts(".xtitle").iter().any(|t| t.starts_with("Время, ")));
    let save = Selector::parse("a.modebar-btn[data-title^='Сохранить']").unwrap();
    assert!(
        visit.dom.select(&save).next().is_some(),
        "the button speaks Russian"
    );
    let zoom = Selector::parse("a.modebar-btn[data-title='Масштаб']").unwrap();
    assert!(visit.dom.select(&zoom).next().is_some(), "the library does");
}
