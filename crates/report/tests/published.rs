//! Findings of published reviews, on the page of a review by the same edition.

use crate::common;

use scraper::{Html, Selector};
use stend_record::review::Review;
use stend_report::write;

/// Returns the section's text; `None` if there is none.
fn section(review: &Review) -> Option<String> {
    let page = write(review).unwrap();
    let html = Html::parse_document(&page);
    let section = Selector::parse("#published").unwrap();
    let text = html.select(&section).next()?.text().collect::<String>();
    Some(text.replace('\u{a0}', " "))
}

/// The made-up review with a drive that an article is about and one of its rivals.
fn reviewed() -> Review {
    let mut review = common::review(1.0);
    review.target.name = "sandisk-ultra-ii-240gb".into();
    review.rivals[0].target.name = "samsung-850-pro-256gb".into();
    review
}

#[test]
fn findings_that_the_drives_answer_are_told_with_what_is_missing() {
    let text = section(&reviewed()).expect("the article is about this drive");
    // The fixture writes at the published levels, and has no figures of the 480 GB drive.
    assert!(text.contains("about 41,000 IOPS"), "{text}");
    assert!(text.contains("holds"), "{text}");
    assert!(
        text.contains("findings that stay open here, and what they need"),
        "{text}"
    );
    assert!(text.contains("sandisk-ultra-ii-480gb"), "{text}");
}

#[test]
fn what_does_not_hold_is_told_as_such() {
    let mut review = reviewed();
    let degradation = review
        .tests
        .iter_mut()
        .find(|t| t.id == "degradation")
        .unwrap();
    for sample in &mut degradation.curves_mut()[0].samples {
        sample.iops *= 2.0;
    }
    let text = section(&review).unwrap();
    let (before, after) = (failing(&section(&reviewed()).unwrap()), failing(&text));
    assert!(after > before, "{before} {after}\n{text}");
}

/// Counts the checks that are reported not to hold.
fn failing(text: &str) -> usize {
    text.matches("does not hold").count()
}

#[test]
fn other_drives_editions_and_durations_have_none() {
    assert_eq!(section(&common::review(1.0)), None);
    let mut other = reviewed();
    other.edition = "2015".into();
    assert_eq!(section(&other), None);
    let mut shortened = common::review(0.1);
    shortened.target.name = "sandisk-ultra-ii-240gb".into();
    assert_eq!(section(&shortened), None);
}
