//! Sentences of reviews of the shipped drives against their figures, computed here once more: each
//! drive with an edition, at a 64th of its capacity and of the edition's times.
//!
//! `STEND_ALL_REVIEWS=1` reviews all drives with all editions of articles; otherwise a few of both
//! are.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use stend_analysis::findings;
use stend_analysis::verdict::verdict;
use stend_analysis::words::number;
use stend_language::{Language, within};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_model::{Model, SHIPPED};
use stend_record::review::{PointOp, Review, Rival, Series};
use stend_simulated::SimulatedTarget;

const EDITIONS: [&str; 5] = ["2014", "2015", "2016a", "2016b", "2018"];

/// Divisors of capacities and times: the first one that a model allows is used.
const SCALES: [u32; 4] = [64, 32, 16, 4];

/// Every how many drives one is reviewed, unless all are.
const EVERY: usize = 19;

fn review(drive: &str, edition: &str) -> Option<Review> {
    let model = Model::shipped(drive).expect("it is shipped");
    let scaled = SCALES
        .iter()
        .find_map(|by| Some((*by, model.scaled(*by).ok()?)));
    let (by, model) = scaled.expect("it can be scaled");
    let edition = Edition::load(edition).expect("it is built in");
    let edition = edition.scaled(by).expect("it can be scaled");
    let options = ReviewOptions::default();
    let title = model.title.clone();
    let target = Box::new(SimulatedTarget::new(model));
    let mut review = run_review(target, &edition, &options, &|_| {}).ok()?;
    // Without the figures that were scaled.
    review.target.title = title;
    Some(review)
}

/// Reviews of drives, those of one edition side by side as rivals.
fn reviews() -> Vec<Review> {
    let all = std::env::var_os("STEND_ALL_REVIEWS").is_some();
    let names = SHIPPED.iter().map(|shipped| shipped.name).enumerate();
    let pairs = names.flat_map(|(nth, name)| {
        let of = move |(place, edition)| (nth, name, place, edition);
        EDITIONS.into_iter().enumerate().map(of)
    });
    let wanted = |(nth, _, place, _): &(usize, _, usize, _)| {
        all || nth % EVERY == 0 && nth / EVERY % EDITIONS.len() == *place
    };
    let pairs: Vec<_> = pairs.filter(wanted).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((_, name, _, edition)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.extend(review(name, edition));
        }
        done
    };
    let mut done: Vec<Review> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        let ended = lanes.into_iter().map(|lane| lane.join().expect("no panic"));
        ended.flatten().collect()
    });
    done.sort_by(|a, b| (&a.edition, &a.target.title).cmp(&(&b.edition, &b.target.title)));
    for at in 1..done.len() {
        if done[at].edition == done[at - 1].edition {
            let rival = Rival::from(Review {
                rivals: Vec::new(),
                ..done[at - 1].clone()
            });
            done[at].rivals.push(rival);
        }
    }
    done
}

/// All sentences of a review.
fn sentences(review: &Review, language: Language) -> Vec<String> {
    within(language, || {
        let verdict = verdict(review);
        let found = findings(review).into_iter().map(|finding| finding.text);
        let said = found.chain([verdict.text(), verdict.cautions_text()]);
        said.filter(|text| !text.is_empty()).collect()
    })
}

/// Faults of form that a sentence of any language may have.
fn faults(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for wrong in [
        "NaN", "inf ", "inf.", "{", "}", "  ", " ,", " .", "..", ";.", "−0 ", " 0 %",
    ] {
        if text.contains(wrong) {
            found.push(format!("`{wrong}`"));
        }
    }
    if !text.ends_with(['.', '!', '»', '”']) {
        found.push("no end".to_owned());
    }
    for between in [" to ", " до "] {
        for (at, _) in text.match_indices(between) {
            let before = text[..at].rsplit(' ').next().unwrap_or_default();
            let after = &text[at + between.len()..];
            let after = after.split([' ', '\u{a0}']).next().unwrap_or_default();
            let is_number = before.starts_with(|c: char| c.is_ascii_digit());
            if is_number && before == after {
                found.push(format!("from {before} to {after}"));
            }
        }
    }
    found
}

/// Words in Latin letters of a Russian text that are neither names nor units.
fn foreign(review: &Review, text: &str) -> Vec<String> {
    let stay: BTreeSet<&str> = STAY.split_whitespace().collect();
    let titles = std::iter::once(&review.target).chain(review.rivals.iter().map(|r| &r.target));
    let mut rest = text.to_owned();
    for target in titles {
        rest = rest.replace(&target.title, "");
    }
    let words = rest.split(|c: char| !c.is_alphanumeric() && c != '-');
    let latin = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    let foreign = latin.filter(|word| !stay.contains(word));
    foreign.map(str::to_owned).collect()
}

/// Names and abbreviations that Russian has too.
const STAY: &str = "World of Warcraft Seq Q32T1 Adobe Microsoft PCMark SATA PCIe NVMe AHCI SLC MLC \
    TLC TRIM IOPS CrystalDiskMark Windows fio SSD NCQ AS Photoshop Word Excel PowerPoint Outlook \
    Illustrator InDesign Battlefield iso mp3 ISO";

/// Speed of a curve at its beginning and at its end, as [`number`] tells it, in the unit of a curve
/// of small blocks.
fn ends(series: &Series) -> (f64, f64) {
    let mut first: Vec<f64> = series.samples[..5].iter().map(|s| s.iops).collect();
    first.sort_by(f64::total_cmp);
    let samples = series.samples.iter();
    let end_s = series.samples.last().map_or(0.0, |sample| sample.t_s);
    let from_s = end_s - (end_s / 4.0).min(300.0);
    let last: Vec<f64> = samples
        .filter(|sample| sample.t_s > from_s + 1e-6)
        .map(|sample| sample.iops)
        .collect();
    (first[2], last.iter().sum::<f64>() / last.len() as f64)
}

/// Returns the number after some words.
fn after(text: &str, words: &str) -> Option<f64> {
    let rest = &text[text.find(words)? + words.len()..];
    let told: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || ",.".contains(*c))
        .collect();
    told.trim_end_matches(['.', ','])
        .replace(',', "")
        .parse()
        .ok()
}

/// Faults of the sentences about the only curve of a test.
fn faults_of_curve(series: &Series, text: &str) -> Vec<String> {
    let (start, end) = ends(series);
    let mut found = Vec::new();
    let unit = match text.contains(" IOPS") {
        true => 1.0,
        false => series.point.block_bytes as f64 / 1e6,
    };
    for (words, value) in [("starts at ", start), ("and ends at ", end)] {
        let Some(told) = after(text, words) else {
            continue;
        };
        let value = value * unit;
        if (told - value).abs() > 0.006 * value.abs() {
            found.push(format!("{words}{told}, samples say {}", number(value)));
        }
    }
    found
}

#[test]
fn sentences_of_shipped_drives_agree_with_their_figures() {
    let reviews = reviews();
    assert!(reviews.len() >= 2, "{} reviews", reviews.len());
    let mut faulty = Vec::new();
    let (mut curves, mut told_ends) = (0, 0);
    for review in &reviews {
        let place = format!("{}, {}", review.target.title, review.edition);
        for language in Language::ALL {
            for text in sentences(review, language) {
                let mut found = faults(&text);
                if language == Language::Russian {
                    let words = foreign(review, &text);
                    found.extend(words.iter().map(|word| format!("English: {word}")));
                }
                faulty.extend(
                    found
                        .iter()
                        .map(|fault| format!("{place}: {fault}: {text}")),
                );
            }
        }
        let told = within(Language::English, || findings(review));
        for finding in told {
            let mut tests = review.tests.iter();
            let test = tests
                .find(|test| test.id == finding.test_id)
                .expect("it is there");
            if let [series] = test.curves()
                && series.point.op == PointOp::Write
                && series.samples.len() > 20
            {
                curves += 1;
                told_ends += usize::from(finding.text.contains("starts at "));
                let found = faults_of_curve(series, &finding.text);
                let found = found.iter();
                faulty.extend(found.map(|fault| format!("{place}: {fault}: {}", finding.text)));
            }
        }
    }
    assert!(
        curves > 0 && told_ends > 0,
        "{curves} curves, {told_ends} with ends"
    );
    let count = faulty.len();
    assert_eq!(count, 0, "{count} faults\n{}", faulty.join("\n"));
}
