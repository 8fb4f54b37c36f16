//! The page as wide as a phone, in headless Chromium: no text of a chart is cut, no labels overlap,
//! no unit is broken, and no column of the table of levels is hidden.

use scraper::Selector;
use stend_language::{Language, within};
use stend_record::review::{Response, ResponseInterval, Results};
use stend_report::write_folder;

use crate::browser::{chromium, visit_at};
use crate::common;

/// Looks for faults in the page. Headless Chromium has no window as narrow as a phone, so that the
/// page is narrowed within one.
const SCRIPT: &str = concat!(
    "<style>body { width: 390px; }</style><script>",
    include_str!("narrow.js"),
    "</script>"
);

/// A deletion whose reads all take about as long.
fn even_response() -> Response {
    let interval = |n: i32| ResponseInterval {
        t_s: f64::from(n) / 10.0,
        iops: 9_100.0,
        p50_ns: 109_000,
        p99_ns: 110_000,
        max_ns: 111_000 + 100 * n.unsigned_abs() as u64,
    };
    Response {
        name: "without TRIM".into(),
        intervals: (-10..30).map(interval).collect(),
        interval_s: 0.1,
        ..Response::default()
    }
}

#[test]
fn a_phone_shows_whole_labels_titles_and_columns() {
    let Some(chromium) = chromium() else { return };
    let mut review = common::with_applications(common::review(0.02));
    let mut response = review.tests[0].clone();
    response.id = "response".into();
    response.results = Some(Results::Response(vec![even_response()]));
    review.tests.push(response);
    for language in Language::ALL {
        let folder = tempfile::tempdir().unwrap();
        let page = within(language, || write_folder(&review, folder.path())).unwrap();
        let html = std::fs::read_to_string(&page).unwrap();
        std::fs::write(&page, html.replace("</body>", &format!("{SCRIPT}</body>"))).unwrap();
        let visit = visit_at(&chromium, &page, 500);
        visit.assert_silent();
        let body = visit.dom.select(&Selector::parse("body").unwrap()).next();
        let told = |name: &str| body.unwrap().value().attr(name).unwrap_or("missing");
        assert_eq!(told("data-faults"), "", "{language}");
        assert_ne!(told("data-levels"), "0", "{language}");
    }
}
