//! Comparing: the sides that one page shows.

use crate::common;

use stend_analysis::compare::together;
use stend_record::review::Rival;

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
