//! Names from users: long, and without spaces. Skipped without Chromium, unless
//! `STEND_REQUIRE_TOOLS=1`.

use scraper::Selector;
use stend_report::{Comparison, comparison, side_name};

use crate::accessibility::content_width;
use crate::browser::{chromium, visit_at};
use crate::common;

/// The page of two runs of one drive, the second with a label.
fn two_runs(label: &str) -> String {
    let mut review = common::review(0.01);
    review.target.title = "Drive,slc_cache.blocks_per_plane=24".to_owned();
    review.rivals[0].target = review.target.clone();
    let title = &review.target.title;
    let names = [side_name(title, 2, None), side_name(title, 7, Some(label))];
    let of = Comparison {
        names: &names,
        labels: &[None, Some(label.to_owned())],
        ..Comparison::default()
    };
    comparison(&review, &of).unwrap()
}

#[test]
fn a_name_without_spaces_is_broken_where_the_page_ends() {
    let Some(chromium) = chromium() else { return };
    let page = two_runs(&"x".repeat(80));
    for width in [390, 1200] {
        let content = content_width(&chromium, &page, width);
        assert!(content <= width, "{content} pixels of {width}");
    }
}

#[test]
fn a_legend_has_room_for_names() {
    let Some(chromium) = chromium() else { return };
    let run = r#"<script>
      (async () => {
        const pause = () => new Promise((next) => setTimeout(next, 50));
        while (document.documentElement.dataset.charts === "waiting") await pause();
        const said = document.createElement("pre");
        said.id = "legends";
        said.textContent = JSON.stringify([...document.querySelectorAll(".legend")].map((l) => {
          const right = l.closest(".chart").getBoundingClientRect().right;
          const names = [...l.querySelectorAll(".legendtext")];
          const over = names.map((name) => name.getBoundingClientRect().right - right);
          return [Math.max(...over), names.map((name) => name.textContent)];
        }));
        document.body.append(said);
      })();
    </script></body>"#;
    let label = "Cold_".repeat(16);
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, two_runs(&label).replacen("</body>", run, 1)).unwrap();
    for width in [500, 1200] {
        let dom = visit_at(&chromium, &page, width).dom;
        let said = Selector::parse("#legends").unwrap();
        let said = dom.select(&said).next().expect("the script has answered");
        let text: String = said.text().collect();
        let legends: Vec<(f64, Vec<String>)> = serde_json::from_str(&text).unwrap();
        let mut whole = 0;
        for (over, names) in legends {
            assert!(over <= 0.0, "{over} pixels over: {names:?}");
            whole += usize::from(names.iter().any(|name| name.ends_with(&label)));
        }
        assert!(whole > 3, "{whole} legends with the whole name");
    }
}
