//! The top of the page: the order of weaknesses.

use scraper::Html;
use stend_record::review::{Results, Review};

use crate::common;
use crate::page::{page, text};

#[test]
fn a_stall_heads_the_weaknesses() {
    let mut review = common::review(1.0);
    let first = |review: &Review| {
        let html = Html::parse_document(&page(review));
        text(&html, ".bad li:first-child")
    };
    assert!(!first(&review).contains("without an answer"));
    let curves = review
        .tests
        .iter_mut()
        .find_map(|test| match &mut test.results {
            Some(Results::Curve(curves)) => Some(curves),
            _ => None,
        });
    curves.unwrap()[0].latency_ns.max = 22_360_000_000;
    let told = first(&review);
    assert!(
        told.contains("Longest time without an answer 22.4 s"),
        "{told}"
    );
}
