//! Twins of a small drive.

use std::sync::OnceLock;

use stend_fit::twin::TwinError;
use stend_fit::twin::draft::Draft;
use stend_fit::twin::errors::errors;
use stend_fit::twin::fitting::{Found, Search};
use stend_fit::twin::parts::Part;
use stend_fit::twin::rows::{HELD_OUT, HoldoutRule, Rows, rows};
use stend_fit::twin::told::Told;
use stend_identify::property::{Identification, Property};
use stend_model::Model;
use stend_record::load::Load;
use stend_record::review::Review;

use crate::small;

fn rows_of(review: &Review) -> Rows {
    let names = HELD_OUT.map(str::to_owned);
    let held_out = HoldoutRule::of(&names, review).unwrap();
    rows(review, &small::edition(), &held_out, "twin").unwrap()
}

fn draft(review: &Review, rows: &Rows, parts: &[Part]) -> Result<Vec<String>, TwinError> {
    draft_as_told(review, rows, parts, &Told::default())
}

fn draft_as_told(
    review: &Review,
    rows: &Rows,
    parts: &[Part],
    told: &Told,
) -> Result<Vec<String>, TwinError> {
    let draft = Draft {
        name: "twin",
        review,
        parts,
        told,
        sustained: rows.sustained(),
        counts: &|test: &str, _: &Load| rows.used.contains(test),
    };
    draft.texts()
}

/// Maximum number of evaluations of a search for a twin.
const EVALUATIONS: usize = 96;

fn twin(review: &Review) -> Found {
    let rows = rows_of(review);
    let draft = draft(review, &rows, &small::parts()).unwrap();
    let search = Search {
        name: "twin",
        drafts: &draft,
        rows: &rows,
        review: "of a small drive",
        evaluations: EVALUATIONS,
        seed: 1,
        threads: Some(2),
    };
    search.run(&mut |_| {}).unwrap()
}

/// The twin of the unchanged small drive.
fn plain_twin() -> &'static Found {
    static TWIN: OnceLock<Found> = OnceLock::new();
    TWIN.get_or_init(|| twin(&small::review_of(small::model())))
}

#[test]
fn a_twin_comes_nearer_to_the_drive_and_has_not_seen_what_is_held_out() {
    let review = small::review_of(small::model());
    let found = plain_twin();
    assert!(found.fit.after.cost < found.before.cost / 2.0);
    let model = Model::parse(&found.text, "twin.toml").unwrap();
    assert_eq!(model.capacity.user_bytes.value, 8_000_000_000 / 4096 * 4096);
    assert!(
        found
            .text
            .contains("source = \"fitted: to review of a small drive")
    );
    assert!(
        found
            .text
            .contains("source = \"inferred: capacity under test")
    );

    let twins = small::review_of(model);
    let told = errors(&review, &twins, &rows_of(&review).used);
    let of = |id: &str| told.tests.iter().find(|test| test.test == id).unwrap();
    assert!(of("random").used && !of("mixed").used && !of("blocks").used);

    // The held-out results may have any values.
    let mut other = review;
    for test in other
        .tests
        .iter_mut()
        .filter(|t| t.id == "mixed" || t.id == "blocks")
    {
        for point in test.points_mut() {
            point.iops *= 3.0;
            point.bw_bytes_per_s *= 30.0;
        }
    }
    assert_eq!(twin(&other).text, found.text);
}

/// The drive folds during the host's requests, which no part contains.
#[test]
fn a_twin_answers_as_the_drive() {
    let review = small::review_of(small::model());
    let found = plain_twin();
    let model = Model::parse(&found.text, "twin.toml").unwrap();
    let twins = small::review_of(model);
    let told = errors(&review, &twins, &rows_of(&review).used);
    let of = |id: &str| told.tests.iter().find(|test| test.test == id).unwrap();
    assert!(of("random").error_median < 0.1, "{told:?}");
}

#[test]
fn drafts_fold_beside_the_host_or_when_the_cache_is_full() {
    let review = small::review_of(small::model());
    let rows = rows_of(&review);
    let begin = |text: &str| -> f64 {
        let file: toml::Table = text.parse().unwrap();
        file["slc_cache"]["fold_start_percent"]["value"]
            .as_float()
            .unwrap()
    };
    let drafts = draft(&review, &rows, &small::parts()).unwrap();
    // Each with a cache that waits or is bypassed, and with the whole L2P in DRAM or a part of it.
    let begins: Vec<f64> = drafts.iter().map(|text| begin(text)).collect();
    assert_eq!(begins, [100.0, 10.0, 100.0, 10.0, 100.0, 10.0, 100.0, 10.0]);
    // Structure that a part contains is not varied.
    let told = part("[slc_cache]\nfold_start_percent = { value = 7.0, source = \"s\" }");
    let drafts = draft(&review, &rows, &[small::parts(), vec![told]].concat()).unwrap();
    assert_eq!(drafts.len(), 4);
    assert!(drafts.iter().all(|text| begin(text) == 7.0));
}

#[test]
fn on_chip_copy_that_nothing_paces_has_a_range() {
    let review = small::review_of(small::model());
    let rows = rows_of(&review);
    let range = |more: &str| {
        let fold_by = "[slc_cache]\nfold_by = { value = \"on-chip\", source = \"s\" }";
        let parts = [small::parts(), vec![part(&format!("{fold_by}\n{more}"))]].concat();
        let file: toml::Table = draft(&review, &rows, &parts).unwrap()[0].parse().unwrap();
        let keys = ["fold_pause_us", "fold_dies_background"];
        keys.map(|key| {
            let figure = &file["slc_cache"][key];
            let range = figure["free"].as_array().unwrap().iter();
            let range: Vec<i64> = range.map(|end| end.as_integer().unwrap()).collect();
            (figure["value"].as_integer().unwrap(), range)
        })
    };
    let (pause, dies) = ((1000, vec![0, 5000]), (1, vec![1, 4]));
    assert_eq!(range(""), [pause, dies.clone()]);
    let told = "fold_pause_us = { value = 300, source = \"s\" }";
    assert_eq!(range(told), [(300, vec![150, 600]), dies]);
}

fn part(tables: &str) -> Part {
    let text = format!("schema = \"stend.part/2\"\n{tables}\n");
    Part::parse("more.toml", &text).unwrap()
}

#[test]
fn whatever_an_identification_tells_the_draft_is_a_sound_model() {
    let review = small::review_of(small::model());
    let rows = rows_of(&review);
    // Typical of flash that stores a journal.
    let journal = part(
        "[power_loss]\npaired_pages = { value = \"pad\", source = \"s\" }\n\
         journal_read_us = { value = 40.0, source = \"s\" }\n\
         journal_program_us = { value = 400.0, source = \"s\" }\n\
         journal_erase_us = { value = 5000.0, source = \"s\" }",
    );
    let parts = [small::parts(), vec![journal]].concat();
    for id in [
        "half-duplex",
        "idle-gc",
        "map-cache",
        "power-loss-protection",
        "read-ahead",
        "slc-cache",
        "slc-idle-emptying",
    ] {
        for present in [false, true] {
            let property = Property {
                id: id.to_owned(),
                told: true,
                present: Some(present),
                ..Property::default()
            };
            let told = Told::of(Some(&Identification {
                properties: vec![property],
                ..Identification::default()
            }));
            for text in draft_as_told(&review, &rows, &parts, &told).unwrap() {
                let model = Model::parse(&text, "twin.toml");
                assert!(model.is_ok(), "{id}, {present}: {}", model.unwrap_err());
            }
        }
    }
}

#[test]
fn parts_must_describe_flash_and_controller() {
    let review = small::review_of(small::model());
    let rows = rows_of(&review);
    let error = draft(&review, &rows, &small::parts()[..1]).unwrap_err();
    assert!(error.to_string().contains("nand.channels"), "{error}");
    let error = draft(&review, &rows, &small::parts()[1..]).unwrap_err();
    assert!(error.to_string().contains("nand.read_us"), "{error}");
    let twice = [small::parts(), small::parts()].concat();
    let error = draft(&review, &rows, &twice).unwrap_err();
    assert!(error.to_string().contains("both give"), "{error}");
}
