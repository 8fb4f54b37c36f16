//! The pages for people who do not see them, or use a phone: axe-core, from npm, finds nothing
//! serious, and nothing is wider than a narrow screen. Skipped without Chromium or npm, unless
//! `STEND_REQUIRE_TOOLS=1`.

use std::path::{Path, PathBuf};

use scraper::{Html, Selector};
use stend_report::{write, write_study};

use crate::axe::axe;
use crate::browser::{chromium, visit};
use crate::common;

/// Impacts that no finding may have.
const SERIOUS: [&str; 2] = ["serious", "critical"];

/// Returns axe's findings in a page after its charts are drawn, also in dark mode: impact, rule,
/// and the first places.
fn findings(chromium: &Path, axe: &str, page: &str) -> Vec<String> {
    let run = r#"<script>
      (async () => {
        const pause = () => new Promise((next) => setTimeout(next, 50));
        while (document.documentElement.dataset.charts === "waiting") await pause();
        document.querySelectorAll("details").forEach((details) => { details.open = true; });
        const { violations, passes } = await axe.run();
        for (const sheet of document.styleSheets) {
          for (const { media } of sheet.cssRules) {
            const dark = /\(prefers-color-scheme: dark\)/;
            if (media) media.mediaText = media.mediaText.replace(dark, "(min-width: 0)");
          }
        }
        const dark = await axe.run({ runOnly: ["color-contrast"] });
        violations.push(...dark.violations);
        const said = document.createElement("pre");
        said.id = "axe";
        said.textContent = JSON.stringify({ passes: passes.length, found: violations.map((v) =>
          [v.impact, v.id, ...v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))]) });
        document.body.append(said);
      })();
    </script></body>"#;
    let whole = page.replacen("</body>", &format!("<script>{axe}</script>{run}"), 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, whole).unwrap();
    let visit = visit(chromium, &file);
    let said: serde_json::Value = serde_json::from_str(&text(&visit.dom, "#axe")).unwrap();
    assert!(said["passes"].as_u64() > Some(10), "axe has looked: {said}");
    let found = said["found"].as_array().unwrap();
    let serious = found
        .iter()
        .filter(|f| SERIOUS.contains(&f[0].as_str().unwrap()));
    serious.map(ToString::to_string).collect()
}

fn text(html: &Html, selector: &str) -> String {
    let selector = Selector::parse(selector).unwrap();
    let element = html.select(&selector).next().expect("it is there");
    element.text().collect()
}

#[test]
fn the_pages_have_no_serious_barrier() {
    let (Some(chromium), Some(axe)) = (chromium(), axe()) else {
        return;
    };
    let review = common::with_applications(common::review(0.02));
    assert_eq!(findings(&chromium, axe, &write(&review).unwrap()), [""; 0]);
    let mut alone = review;
    alone.label = Some("cold".to_owned());
    alone.note = Some("in a fridge".to_owned());
    alone.rivals.clear();
    alone.complete = false;
    assert_eq!(findings(&chromium, axe, &write(&alone).unwrap()), [""; 0]);
    let folder = tempfile::tempdir().unwrap();
    let study = crate::study::study();
    let page = write_study(&study, 7, "stend sweep x.toml", folder.path()).unwrap();
    let page = std::fs::read_to_string(page).unwrap();
    assert_eq!(findings(&chromium, axe, &page), [""; 0]);
    assert_eq!(findings(&chromium, axe, &identification()), [""; 0]);
}

/// Returns the page of an identification.
fn identification() -> String {
    let folder = tempfile::tempdir().unwrap();
    let told = crate::identification::identification("fixture");
    let seen = crate::identification::seen();
    let how = (stend_report::Origin::Simulated, "stend identify x");
    let page = stend_report::write_identification(&told, &seen, how, folder.path()).unwrap();
    std::fs::read_to_string(page).unwrap()
}

#[test]
fn axe_finds_a_picture_without_words() {
    let (Some(chromium), Some(axe)) = (chromium(), axe()) else {
        return;
    };
    let page = "<html lang=en data-charts=drawn><title>t</title><body><main><h1>h</h1><p>a<p>b\
                <img src='data:,'></main></body></html>";
    let found = findings(&chromium, axe, page);
    assert!(found.iter().any(|f| f.contains("image-alt")), "{found:?}");
    let page = "<html lang=en data-charts=drawn><title>t</title><style>\
                @media screen and (prefers-color-scheme: dark) { p { color: #ccc; } }</style>\
                <body><main><h1>h</h1><p>pale</p></main></body></html>";
    let found = findings(&chromium, axe, page);
    assert!(
        found.iter().any(|f| f.contains("color-contrast")),
        "{found:?}"
    );
}

/// Returns the greatest width that a page's content needs on a phone, CSS pixels.
pub fn content_width(chromium: &Path, page: &str, width: u32) -> u32 {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("page.html"),
        page.replacen(
            "</body>",
            r#"<script>
      (async () => {
        const pause = () => new Promise((next) => setTimeout(next, 50));
        while (document.documentElement.dataset.charts === "waiting") await pause();
        document.querySelectorAll("main details").forEach((details) => { details.open = true; });
        await pause();
        parent.postMessage(document.documentElement.scrollWidth, "*");
      })();
    </script></body>"#,
            1,
        ),
    )
    .unwrap();
    // A window is at least 500 pixels wide, a frame can be narrower.
    let frame = format!(
        "<html><body><iframe style='width:{width}px;height:800px;border:0' \
         src='page.html'></iframe>\
         <script>addEventListener('message', (m) => {{ document.body.dataset.width = m.data; }});\
         </script></body></html>"
    );
    let file: PathBuf = folder.path().join("frame.html");
    std::fs::write(&file, frame).unwrap();
    let dom = visit(chromium, &file).dom;
    let body = Selector::parse("body[data-width]").unwrap();
    let body = dom.select(&body).next().expect("the frame has answered");
    body.value().attr("data-width").unwrap().parse().unwrap()
}

#[test]
fn nothing_is_wider_than_a_phone() {
    let Some(chromium) = chromium() else { return };
    let mut review = common::with_applications(common::review(0.02));
    review.label = Some("x".repeat(80));
    review.note = Some("y".repeat(1000));
    let width = content_width(&chromium, &write(&review).unwrap(), 390);
    assert!(width <= 390, "{width} pixels");
    let width = content_width(&chromium, &identification(), 390);
    assert!(width <= 390, "{width} pixels of an identification");
    let study = stend_report::study(&crate::study::study(), 7).unwrap();
    let width = content_width(&chromium, &study, 390);
    assert!(width <= 390, "{width} pixels of a study");
    let wide = "<html data-charts=drawn><body><main style='width:900px'>x</main></body></html>";
    assert!(
        content_width(&chromium, wide, 390) > 390,
        "it sees what is wide"
    );
}
