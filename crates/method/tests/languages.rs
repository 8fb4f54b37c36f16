//! The texts of shipped editions in a review have a message in each language of the report.

use stend_language::{Language, Text, within};
use stend_method::edition::Edition;
use stend_model::{Model, SHIPPED};

/// Returns true for titles that are names in every language.
fn is_name(text: &str) -> bool {
    text.starts_with("CrystalDiskMark") && !text.contains(' ') || {
        let rest = text.strip_prefix("CrystalDiskMark ");
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

fn is_cyrillic(text: &str) -> bool {
    text.chars().any(|c| ('а'..='я').contains(&c))
}

#[test]
fn texts_of_shipped_editions_are_said_in_russian() {
    for id in Edition::built_in() {
        let edition = Edition::load(id).unwrap();
        // Times of a shortened run are in other units.
        for scale in [1.0, 0.1] {
            let mut texts = vec![edition.title.at(scale)];
            texts.extend(edition.states.iter().map(|state| state.title.clone()));
            for test in &edition.tests {
                texts.extend([test.title.at(scale), test.method.at(scale)]);
            }
            for text in texts.iter().filter(|text| !is_name(&text.in_english())) {
                let said = in_russian(text);
                assert!(is_cyrillic(&said), "{id}: no message has the text `{text}`");
                let units = [" s ", " min", "KiB", "MiB", "GiB"];
                let english = units.iter().find(|unit| said.contains(*unit));
                assert_eq!(english, None, "{said}");
            }
        }
    }
}

fn in_russian(text: &Text) -> String {
    within(Language::Russian, || text.to_string())
}

#[test]
fn texts_of_others_stay_as_they_are() {
    for text in ["My own test, 3 min", "in the middle", "Sequential read", ""] {
        assert_eq!(in_russian(&text.into()), text);
    }
}

#[test]
fn what_shipped_models_are_is_said_in_russian() {
    for shipped in SHIPPED {
        let model = Model::shipped(shipped.name).expect("it is shipped");
        let facts = model.facts();
        let told = facts.iter().find(|(id, _)| *id == "model");
        let text = &told.expect("every model says what it is").1;
        assert_eq!(text.in_english(), model.description, "{}", shipped.name);
        let said = in_russian(text);
        assert!(
            is_cyrillic(&said),
            "{}: no message has the text `{text}`",
            shipped.name
        );
    }
}
