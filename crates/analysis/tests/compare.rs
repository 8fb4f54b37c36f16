//! Comparing: the sides that one page shows.

use crate::common;

use stend_analysis::compare::together;
use stend_analysis::{figure_title, key_figures};
use stend_language::{Language, within};
use stend_record::review::{self, PointOp, Rival, SCHEMA};

/// A rival that was measured beside a review does not appear twice if it is named as well.
#[test]
fn a_comparison_has_the_sides_that_were_named() {
    let mut first = common::review("A", Vec::new());
    first.rivals.push(Rival {
        target: common::target("B"),
        ..Rival::default()
    });
    let second = common::review("B", Vec::new());
    let alone = together(&[&first]).unwrap();
    assert_eq!(alone.rivals.len(), 1);
    let both = together(&[&first, &second]).unwrap();
    let titles: Vec<&str> = both
        .rivals
        .iter()
        .map(|r| r.target.title.as_str())
        .collect();
    assert_eq!(titles, ["B"]);
    assert_eq!(together(&[]), None);
}

#[test]
fn a_review_of_schema_1_has_its_key_figures() {
    let points = [1, 4].map(|depth| common::point(PointOp::Read, 4096, depth, 100, 1e4));
    let review = common::review("A", vec![common::points("random", points.to_vec())]);
    let mut json = serde_json::to_value(&review).unwrap();
    json["schema"] = "stend.review/1".into();
    json["tests"][0]["repeated"] = serde_json::json!([
        { "name": "Read, depth 1", "unit": "iops", "values": [9e3, 13e3] },
        { "name": "Read, depth 1", "unit": "ns", "values": [1.0, 1.0] },
    ]);
    let former = review::read(&json.to_string()).unwrap();
    assert_eq!(former.schema, SCHEMA);
    let [one, four] = &key_figures(&former.tests)[..] else {
        panic!("a figure for each point");
    };
    assert_eq!((one.value, one.half_width.is_some()), (11e3, true));
    assert_eq!((four.value, four.half_width), (1e4, None));
    assert_eq!(one.figure, key_figures(&review.tests)[0].figure);
    let title = within(Language::Russian, || figure_title(&one.figure));
    assert_eq!(title, "Чтение, глубина 1");
}
