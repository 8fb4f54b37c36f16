//! Checks the documentation of `review.json` against the types that it describes.

use std::collections::BTreeSet;

use serde_json::Value;
use stend_record::review::{Review, SCHEMA};

const DOCUMENT: &str = include_str!("../../../docs/review-json.md");

/// Returns the example at the end of the document.
fn example() -> Value {
    let (_, rest) = DOCUMENT.split_once("```json").expect("an example");
    let (json, _) = rest.split_once("```").expect("the example ends");
    serde_json::from_str(json).expect("the example is JSON")
}

fn keys(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                into.insert(key.clone());
                keys(value, into);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, into)),
        _ => {}
    }
}

/// Returns the keys of every table: the first cells.
fn documented() -> BTreeSet<String> {
    DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(key, _)| key.to_string())
        .collect()
}

#[test]
fn the_example_is_a_review_and_holds_every_key() {
    let review: Review = serde_json::from_value(example()).expect("the example is a review");
    assert_eq!(review.schema, SCHEMA);
    // Serialized again it is the same: the example has no unknown key, and none is missing.
    assert_eq!(serde_json::to_value(&review).unwrap(), example());
}

#[test]
fn every_key_has_a_row_and_every_row_a_key() {
    let mut used = BTreeSet::new();
    keys(&example(), &mut used);
    assert_eq!(documented(), used);
}
