//! The page as wide as a phone, in headless Chromium: no text of a chart is cut, no labels overlap,
//! no unit is broken, and no column of the table of levels is hidden.

use scraper::Selector;
use stend_language::{Language, within};
use stend_record::review::{Response, ResponseInterval, Results};
use stend_report::write_folder;

use crate::browser::{chromium, visit_at};
use crate::common;

/// Looks for faults once the charts are drawn, and stores them in the page. Headless Chromium has
/// no window as narrow as a phone, so that the page is narrowed within one.
const SCRIPT: &str = r#"<style>body { width: 390px; }</style><script>(() => {
  const all = (from, what) => [...from.querySelectorAll(what)];
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  const boxes = (list) => list.filter((one) => one.textContent).map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
  function overlaps(list, where, faults) {
    boxes(list).forEach(([one, box], i, found) => {
      for (const [other, place] of found.slice(i + 1)) if (meet(box, place)) faults.push(`${where}: ${one} over ${other}`);
    });
  }
  function look() {
    if (document.documentElement.dataset.charts !== "drawn") return void setTimeout(look, 100);
    const faults = [];
    for (const chart of all(document, ".chart")) {
      const { left, right, top, bottom } = chart.getBoundingClientRect();
      for (const [text, box] of boxes(all(chart, ".main-svg text"))) {
        if (box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1) faults.push(`${chart.id}: ${text} is cut`);
      }
      for (const axis of ["x", "y", "y2"]) overlaps(all(chart, `.${axis}tick text`), chart.id, faults);
      overlaps(all(chart, ".xtitle, .ytitle, .y2title, .legendtext"), chart.id, faults);
    }
    overlaps(all(document, ".standing .tick").filter((tick) => getComputedStyle(tick).visibility === "visible"), "standing", faults);
    for (const cell of all(document, ".bars td, .standing td, .stacked td")) {
      const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = words.nextNode(); node; node = words.nextNode()) {
        for (const word of node.textContent.matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) faults.push(`${word[0]} is broken`);
        }
      }
    }
    const levels = all(document, ".stacked");
    for (const table of levels) {
      const right = table.closest(".scroll").getBoundingClientRect().right;
      for (const [text, box] of boxes(all(table, "th, td"))) if (box.right > right + 1) faults.push(`${text} is hidden`);
    }
    document.body.dataset.levels = levels.length;
    document.body.dataset.faults = faults.join("\n");
  }
  look();
})()</script>"#;

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
