//! The reviewed drive among the other drives of the lab.

use scraper::Html;
use stend_language::{Language, within};
use stend_record::review::{OtherDrive, Review, TargetKind};
use stend_report::write;

use crate::common::{bars, review};

fn other(title: &str, ratio: f64, price: Option<&str>) -> OtherDrive {
    OtherDrive {
        title: title.to_owned(),
        kind: TargetKind::Simulated,
        capacity_bytes: 480_000_000_000,
        price: price.map(|price| price.parse().unwrap()),
        ratio,
        tests: 3,
        tests_all: 3,
        figures: 9,
    }
}

fn rows(review: &Review) -> Vec<Vec<String>> {
    let html = Html::parse_document(&write(review).unwrap());
    let groups = bars(&html, "#others").into_iter();
    groups.map(|(_, rows)| rows).collect()
}

#[test]
fn drives_stand_in_the_order_of_their_speeds() {
    let mut review = review(1.0);
    assert_eq!(rows(&review), Vec::<Vec<String>>::new());
    review.others = vec![other("Fast", 2.0, None)];
    assert_eq!(rows(&review).len(), 0, "the rival alone is in the summary");
    let mut slow = other("Slow", 0.5, None);
    (slow.kind, slow.tests) = (TargetKind::File, 2);
    review.others.push(slow);
    let expected = [
        "Fast: 200 %; width:100.00%",
        "▸ Fixture A 240 GB: 100 %; width:50.00%",
        "Slow (a file): 50 % in 2 of 3 tests; width:25.00%",
    ];
    let found = rows(&review);
    assert_eq!(found.len(), 1, "no price is known");
    assert_eq!(found[0][..2], expected[..2]);
    assert!(found[0][2].contains("50 % in 2 of 3 tests"), "{found:?}");
}

#[test]
fn what_a_price_buys_is_compared_in_one_currency() {
    let mut review = review(1.0);
    review.others = vec![
        other("Dear", 2.0, Some("960 EUR")),
        other("Cheap", 0.8, Some("96 EUR")),
        other("Elsewhere", 1.0, Some("10 USD")),
        other("Unknown", 1.0, None),
    ];
    assert_eq!(rows(&review).len(), 1, "its own price is not known");
    // A GB of it costs a euro: the dear one's two, the cheap one's 0.2.
    review.target.capacity_bytes = 240_000_000_000;
    review.target.price = Some("240 EUR".parse().unwrap());
    let expected = [
        "Cheap: 400 % 0.2 EUR per GB; width:100.00%",
        "Dear: 100 % 2 EUR per GB; width:25.00%",
        "▸ Fixture A 240 GB: 100 % 1 EUR per GB; width:25.00%",
    ];
    assert_eq!(rows(&review)[1], expected);
    let russian = within(Language::Russian, || write(&review)).unwrap();
    let html = Html::parse_document(&russian);
    let found = bars(&html, "#others");
    assert!(found[1].1[0].contains("0,2 € за ГБ"), "{found:?}");
}
