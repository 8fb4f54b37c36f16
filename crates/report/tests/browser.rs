//! The page in headless Chromium: every chart is drawn, nothing is on the console, nothing is
//! requested from a network. Skipped without Chromium, unless `STEND_REQUIRE_TOOLS=1`.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use scraper::{Html, Selector};
use stend_record::review::{Ladder, Results, Rung, TemperatureSample};
use stend_report::write_folder;

/// Result of opening a page in a browser.
pub struct Visit {
    pub dom: Html,
    /// Lines that the page wrote to the console, including errors.
    console: Vec<String>,
    /// Network requests of the page.
    requests: Vec<String>,
}

impl Visit {
    /// Asserts that nothing was written to the console or requested from a network.
    pub fn assert_silent(&self) {
        assert!(self.console.is_empty(), "{:#?}", self.console);
        assert!(self.requests.is_empty(), "{:#?}", self.requests);
    }
}

/// Returns Chromium's path; `None`, with a printed line, if it is missing and not required.
pub fn chromium() -> Option<PathBuf> {
    let found = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path)
            .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
            .find(|file| file.is_file())
    });
    if found.is_none() {
        let required = std::env::var_os("STEND_REQUIRE_TOOLS").is_some_and(|v| v == "1");
        assert!(
            !required,
            "chromium is missing and STEND_REQUIRE_TOOLS is 1"
        );
        println!("skipped: chromium is not installed (Debian: apt-get install chromium)");
    }
    found
}

pub fn visit(chromium: &Path, page: &Path) -> Visit {
    visit_at(chromium, page, 1280)
}

/// The same in a window of this width, CSS pixels.
pub fn visit_at(chromium: &Path, page: &Path, width: u32) -> Visit {
    let scratch = tempfile::tempdir().unwrap();
    let net_log = scratch.path().join("net.json");
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            // The browser's own requests stay local as well.
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=60000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            scratch.path().join("profile").display()
        ))
        .arg(format!("--window-size={width},2000"))
        .arg(format!("--log-net-log={}", net_log.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium starts");
    let log = String::from_utf8_lossy(&output.stderr);
    let console = log.lines().filter(|line| line.contains(":CONSOLE"));
    Visit {
        dom: Html::parse_document(&String::from_utf8_lossy(&output.stdout)),
        console: console.map(String::from).collect(),
        requests: requests(&std::fs::read_to_string(&net_log).expect("chromium kept its net log")),
    }
}

/// Returns the addresses that a page requested. The browser's own requests have no origin.
fn requests(net_log: &str) -> Vec<String> {
    let log: serde_json::Value = serde_json::from_str(net_log).expect("the net log is JSON");
    let events = log["events"].as_array().expect("the net log has events");
    assert!(!events.is_empty(), "the net log is empty");
    events
        .iter()
        .filter_map(|event| {
            let initiator = event["params"]["initiator"].as_str()?;
            let url = event["params"]["url"].as_str()?;
            let network = !url.starts_with("file:") && !url.starts_with("data:");
            (initiator != "not an origin" && network).then(|| url.to_string())
        })
        .collect()
}

fn count(element: scraper::ElementRef<'_>, selector: &str) -> usize {
    element.select(&Selector::parse(selector).unwrap()).count()
}

/// Asserts that every chart is present, whole and can be saved.
fn assert_drawn(dom: &Html) {
    assert_charts(dom, 9);
}

/// The same for at least `least` charts.
fn assert_charts(dom: &Html, least: usize) {
    let root = dom.root_element();
    assert_eq!(root.value().attr("data-charts"), Some("drawn"));
    let charts: Vec<_> = dom.select(&Selector::parse(".chart").unwrap()).collect();
    assert!(charts.len() >= least, "{} charts", charts.len());
    for chart in charts {
        let id = chart.value().attr("id").unwrap();
        let wanted: usize = chart.value().attr("data-traces").unwrap().parse().unwrap();
        assert!(count(chart, "svg.main-svg") > 0, "{id} has no picture");
        assert_eq!(
            count(chart, ".scatterlayer > g.trace"),
            wanted,
            "traces of {id}"
        );
        let save = "a.modebar-btn[data-title^='Save as a picture']";
        assert_eq!(count(chart, save), 1, "{id} cannot be saved");
        assert_eq!(count(chart, ".modebar-btn--logo"), 0, "{id} shows a logo");
        assert_eq!(count(chart, "a[href]"), 0, "{id} links away");
    }
}

#[test]
fn every_chart_is_drawn_without_an_error_or_a_network() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let review = common::review(1.0);
    let page = write_folder(&review, folder.path()).unwrap();
    let visit = visit(&chromium, &page);
    assert!(visit.console.is_empty(), "{:#?}", visit.console);
    assert!(visit.requests.is_empty(), "{:#?}", visit.requests);
    assert_drawn(&visit.dom);
    // Every sample is a dot.
    let dots = Selector::parse("section[id$=degradation] .chart g.points path").unwrap();
    let in_first_chart = visit.dom.select(&dots).count();
    assert!(in_first_chart >= 3 * 7_200, "{in_first_chart} dots");
    // Every step is marked in each of the three charts, with its label above the plot.
    let uprights = Selector::parse("section[id$=degradation] .shapelayer path").unwrap();
    assert_eq!(visit.dom.select(&uprights).count(), 3 * 3);
    let labels = Selector::parse("section[id$=degradation] .annotation-text").unwrap();
    let labels: Vec<String> = visit
        .dom
        .select(&labels)
        .map(|l| l.text().collect())
        .collect();
    assert_eq!(labels.len(), 3 * 3);
    assert_eq!(labels[4].replace('\u{a0}', " "), "8.05 GB");
    let bars = common::bars(&visit.dom, "section[id$='-random']");
    assert_eq!(bars.len(), 4, "four loads: {bars:?}");
}

/// Returns texts and middles of the labels along the horizontal axes of charts, by chart.
fn labels_along(dom: &Html) -> Vec<Vec<(String, f64)>> {
    let charts = Selector::parse(".chart").unwrap();
    let ticks = Selector::parse(".xtick text").unwrap();
    let of = |chart: scraper::ElementRef<'_>| {
        let labels = chart.select(&ticks).filter_map(|label| {
            // The position of a label is the first figure of its `translate(x,y)`.
            let moved = label
                .value()
                .attr("transform")?
                .strip_prefix("translate(")?;
            let at: f64 = moved.split(',').next()?.parse().ok()?;
            let text: String = label.text().collect();
            (!text.is_empty()).then_some((text, at))
        });
        labels.collect()
    };
    dom.select(&charts).map(of).collect()
}

#[test]
fn labels_of_rests_do_not_overprint() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut review = common::review(0.02);
    let recovery = review.tests.last_mut().unwrap();
    let rung = |minutes: f64| Rung {
        name: "after idle".into(),
        idle_s: 60.0 * minutes,
        iops_start: 30_000.0,
        recovered_bytes: 1_000_000_000,
        fell: true,
        trim: false,
    };
    recovery.results = Some(Results::Ladder(Ladder {
        series: recovery.curves().to_vec(),
        rungs: [0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0].map(rung).into(),
    }));
    let page = write_folder(&review, folder.path()).unwrap();
    for width in [1280, 500] {
        let visit = visit_at(&chromium, &page, width);
        let charts = labels_along(&visit.dom);
        let rests = charts
            .iter()
            .filter(|labels| labels.iter().any(|(text, _)| text == "30\u{a0}min"));
        let mut seen = 0;
        for labels in rests {
            seen += 1;
            assert!(labels.len() >= 3, "{width}: {labels:?}");
            for pair in labels.windows(2) {
                let [(one, left), (other, right)] = pair else {
                    unreachable!()
                };
                let lengths = one.chars().count() + other.chars().count();
                assert!(right - left >= 3.5 * lengths as f64, "{width}: {labels:?}");
            }
        }
        assert_eq!(seen, 2, "{width}: {charts:?}");
    }
}

#[test]
fn on_paper_charts_stand_side_by_side_and_folded_tables_stay_folded() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = write_folder(&common::review(0.1), folder.path()).unwrap();
    let pdf = folder.path().join("page.pdf");
    let status = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args(["--disable-background-networking", "--no-pdf-header-footer"])
        .arg("--virtual-time-budget=60000")
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(page)
        .stderr(std::process::Stdio::null())
        .status();
    assert!(status.expect("chromium starts").success());
    let text = String::from_utf8_lossy(&std::fs::read(pdf).unwrap()).into_owned();
    let pages = text.matches("/Type /Page\n").count();
    assert!((5..=11).contains(&pages), "{pages} pages");
}

#[test]
fn the_charts_of_a_study_are_drawn() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let study = crate::study::study();
    let page = stend_report::write_study(&study, 6, "", folder.path()).unwrap();
    let visit = visit(&chromium, &page);
    assert_charts(&visit.dom, 1);
    assert_eq!(visit.console, Vec::<String>::new());
    assert_eq!(visit.requests, Vec::<String>::new());
}

#[test]
fn the_pictures_of_an_identification_are_drawn() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let told = crate::identification::identification("</script><b>\"A\"</b> & B");
    let seen = crate::identification::seen();
    let how = (stend_report::Origin::Simulated, "");
    let page = stend_report::write_identification(&told, &seen, how, folder.path()).unwrap();
    let visit = visit(&chromium, &page);
    assert_charts(&visit.dom, 18);
    assert_eq!(visit.console, Vec::<String>::new());
    assert_eq!(visit.requests, Vec::<String>::new());
    // A label without room to the right of its mark is to the left of it.
    let labels = Selector::parse(".annotation-text").unwrap();
    let labels = visit.dom.select(&labels);
    let labels: Vec<String> = labels.map(|l| l.text().collect()).collect();
    assert_eq!(labels.len(), 4 + 3, "{labels:?}");
}

#[test]
fn temperatures_are_drawn_on_the_right() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut review = common::review(0.02);
    let rivals = review.rivals.iter_mut().flat_map(|rival| &mut rival.tests);
    for test in review.tests.iter_mut().chain(rivals) {
        for series in test.curves_mut() {
            let sample = |t_s, celsius| TemperatureSample { t_s, celsius };
            series.temperatures = vec![sample(0.0, 31.0), sample(10.0, 36.85), sample(20.0, 40.0)];
        }
    }
    let page = write_folder(&review, folder.path()).unwrap();
    let visit = visit(&chromium, &page);
    assert!(visit.console.is_empty(), "{:#?}", visit.console);
    assert_drawn(&visit.dom);
    let titles = Selector::parse("section[id$=degradation] .y2title").unwrap();
    let titles: Vec<String> = visit
        .dom
        .select(&titles)
        .map(|t| t.text().collect())
        .collect();
    assert_eq!(titles, ["Temperature, °C"], "over the time alone");
    let curves = Selector::parse("section[id$=degradation] .xy2 .scatterlayer g.trace").unwrap();
    assert_eq!(visit.dom.select(&curves).count(), 2, "of both drives");
}

#[test]
fn a_benchmark_and_traces_are_bars() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let review = common::with_applications(common::review(0.02));
    let page = write_folder(&review, folder.path()).unwrap();
    let visit = visit(&chromium, &page);
    assert!(visit.console.is_empty(), "{:#?}", visit.console);
    assert!(visit.requests.is_empty(), "{:#?}", visit.requests);
    assert_drawn(&visit.dom);
    // A row that a rival lacks has no bar.
    for (section, count) in [("crystaldiskmark", 6 + 3), ("desktop-traces", 3 + 1)] {
        let groups = common::bars(&visit.dom, &format!("section[id$={section}]"));
        let bars: usize = groups.iter().map(|(_, rows)| rows.len()).sum();
        assert_eq!(bars, count, "{section}");
    }
}

#[test]
fn hostile_names_are_drawn_as_text() {
    let Some(chromium) = chromium() else { return };
    let name = "</script><script>boom()</script><b>\"A\"</b> & <a href='http://127.0.0.1:9/'>B";
    let mut review = common::review(0.02);
    review.target.title = name.into();
    for test in &mut review.tests {
        for series in test.curves_mut() {
            series.name.push_str(name);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let page = write_folder(&review, folder.path()).unwrap();
    let visit = visit(&chromium, &page);
    assert!(visit.console.is_empty(), "{:#?}", visit.console);
    assert!(visit.requests.is_empty(), "{:#?}", visit.requests);
    assert_drawn(&visit.dom);
    let legend = Selector::parse(".legendtext").unwrap();
    let mut legends = visit
        .dom
        .select(&legend)
        .map(|e| e.text().collect::<String>());
    assert!(legends.any(|text| text == name), "no legend has the name");
}

/// A page with the faults that the other tests look for: those tests must detect them.
#[test]
fn the_browser_tests_see_errors_and_requests() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("broken.html");
    let html = "<img src='http://127.0.0.1:9/x.png'><script>missing()</script>";
    std::fs::write(&page, html).unwrap();
    let visit = visit(&chromium, &page);
    assert!(
        visit
            .console
            .iter()
            .any(|line| line.contains("missing is not defined"))
    );
    assert_eq!(visit.requests, ["http://127.0.0.1:9/x.png"]);
}
