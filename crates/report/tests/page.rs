//! The page as text: size, identity, escaping, statements and content.

use crate::common;

use scraper::{Html, Selector};
use stend_record::endurance::Health;
use stend_record::load::Load;
use stend_record::review::{
    FailedTest, Ladder, Pattern, PointOp, Results, Review, RoundFigures, Rounds, Rung, TargetKind,
    TemperatureSample, TestResult, Tracked,
};
use stend_record::smart::{BeforeAfter, Reading};
use stend_report::{ReportError, write, write_folder};

pub fn page(review: &Review) -> String {
    write(review).expect("the fixture can be written")
}

fn select<'h>(html: &'h Html, selector: &str) -> Vec<scraper::ElementRef<'h>> {
    let selector = Selector::parse(selector).expect("a selector of this test");
    html.select(&selector).collect()
}

pub fn text(html: &Html, selector: &str) -> String {
    let found = select(html, selector);
    let all: Vec<String> = found.iter().map(|e| e.text().collect()).collect();
    all.join("\n").replace('\u{a0}', " ")
}

/// The data that the page's script draws.
pub use common::data;

#[test]
fn a_full_review_with_a_rival_stays_small() {
    let review = common::review(1.0);
    let curve = &review.tests.last().unwrap().curves()[0];
    assert_eq!(curve.samples.len(), 7_200, "the fixture is of full length");
    let bytes = page(&review).len();
    assert!(bytes < 1_250_000, "{bytes} bytes");
}

#[test]
fn the_same_review_gives_the_same_bytes() {
    let review = common::review(0.02);
    let again = write(&common::review(0.02)).unwrap();
    assert!(write(&review).unwrap() == again, "two pages differ");
}

#[test]
fn nothing_in_the_page_points_to_a_network() {
    let html = Html::parse_document(&page(&common::review(0.01)));
    for attribute in ["src", "href", "srcset", "data", "action", "poster"] {
        for element in select(&html, &format!("[{attribute}]")) {
            let value = element.value().attr(attribute).unwrap();
            assert!(
                value.starts_with('#') || value.starts_with("data:"),
                "{attribute}={value}"
            );
        }
    }
    assert!(!text(&html, "style").contains("@import"));
    assert!(!text(&html, "style").contains("url("));
    let policy = select(&html, "meta[http-equiv=Content-Security-Policy]")[0];
    let policy = policy.value().attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(!policy.contains("http"), "{policy}");
}

#[test]
fn every_test_has_charts_tables_method_and_jobs() {
    let review = common::review(0.1);
    let html = Html::parse_document(&page(&review));
    let sections = select(&html, "section.test");
    assert_eq!(sections.len(), review.tests.len());
    let inside = |section: &scraper::ElementRef<'_>, selector: &str| {
        section.select(&Selector::parse(selector).unwrap()).count()
    };
    for (section, test) in sections.iter().zip(&review.tests) {
        let drawn = inside(section, ".chart[role=img][aria-label], .bars table");
        assert!(drawn > 0, "{}", test.id);
        assert!(inside(section, "table") > 0, "{}", test.id);
        assert_eq!(inside(section, ".method"), 1, "{}", test.id);
        assert_eq!(inside(section, "details.jobs pre"), test.jobs.len());
    }
    let charts = data(&html)["charts"].as_array().unwrap().len();
    assert_eq!(select(&html, ".chart").len(), charts);
    // The latencies of 2 sequential and 4 random loads, 2 + 2 for the depth, 2 for the block, 1
    // mixed, 3 + 1 for the degradation, 3 + 1 and the rival's 2 for the recovery.
    assert_eq!(charts, 2 + 4 + 4 + 2 + 1 + 4 + 6);
    // Each of the other loads is a group of bars, the faster drive first.
    let random = common::bars(&html, "section[id$='-random']");
    assert_eq!(random.len(), 4);
}

#[test]
fn tables_hold_the_figures_with_their_units() {
    let html = Html::parse_document(&page(&common::review(1.0)));
    let tables = text(&html, "table");
    for figure in [
        "526 MB/s",
        "2,007 IOPS",
        "8,167 IOPS",
        "72,930 IOPS",
        "299 MB/s",
        "512 B",
        "256 KiB",
        "385 MB/s",
        "80 : 20",
        "173 MB/s",
        "↳ reads at 80 % reads",
        "322 GB",
        "39,990 IOPS",
        "5.84 ms",
        "7,200",
        "3,600 s",
    ] {
        assert!(tables.contains(figure), "{figure} is in no table");
    }
    let rows =
        |name: &str| select(&html, &format!("section[id$={name}] details:not(.jobs) tr")).len();
    // A head and 240 means of 30 s.
    assert!(rows("degradation") > 240, "{}", rows("degradation"));
}

#[test]
fn tables_of_latency_say_that_less_is_better_and_mark_the_least() {
    let html = Html::parse_document(&page(&common::review(0.1)));
    let tables = select(&html, "table");
    let caption = |table: &scraper::ElementRef<'_>| {
        let caption = table.select(&Selector::parse("caption").unwrap()).next();
        caption.map_or_else(String::new, |c| c.text().collect())
    };
    let latencies = tables.iter().filter(|t| caption(t).contains("atency"));
    let captions: Vec<String> = latencies.map(caption).collect();
    // Two for each of five tests of points, one for a curve, one for each drive's curves.
    assert_eq!(captions.len(), 13, "{captions:#?}");
    for caption in &captions {
        assert!(caption.contains("less is better"), "{caption}");
        assert!(
            caption.ends_with("; bold: the best of the drives"),
            "{caption}"
        );
    }
    // The same load of both drives: in each column the smaller is bold.
    let load = |table: &str| {
        let rows = format!("section[id$='-random'] {table} tr");
        let mut rows = select(&html, &rows).into_iter();
        let named = |row: &scraper::ElementRef<'_>| {
            row.text()
                .next()
                .is_some_and(|t| t.replace('\u{a0}', " ") == "Read, depth 1")
        };
        let row = rows.rfind(named).expect("a row of the load");
        let cells = Selector::parse("td").unwrap();
        let bold = Selector::parse("strong").unwrap();
        let cells = row.select(&cells).map(|cell| {
            let text: String = cell.text().collect();
            let (figure, unit) = text.split_once('\u{a0}').unwrap();
            let factor = if unit == "ms" { 1e3 } else { 1.0 };
            let us = figure.parse::<f64>().unwrap() * factor;
            (us, cell.select(&bold).next().is_some())
        });
        cells.collect::<Vec<(f64, bool)>>()
    };
    let (own, rival) = (load("details.paper"), load("details:not(.paper)"));
    assert_eq!(own.len(), 7);
    for ((own_us, own_bold), (rival_us, rival_bold)) in own.iter().zip(&rival) {
        assert_ne!(own_us, rival_us);
        assert_eq!(*own_bold, own_us < rival_us, "{own_us} against {rival_us}");
        assert_eq!(
            *rival_bold,
            rival_us < own_us,
            "{rival_us} against {own_us}"
        );
    }
    // Without a rival there is no best drive.
    let mut alone = common::review(0.1);
    alone.rivals.clear();
    let html = Html::parse_document(&page(&alone));
    assert_eq!(select(&html, "table td strong").len(), 0);
    assert!(text(&html, "caption").contains("less is better"));
    assert!(!text(&html, "caption").contains("bold"));
}

#[test]
fn bars_stand_in_the_order_of_their_figures_with_the_reviewed_drive_marked() {
    let review = common::with_applications(common::review(0.02));
    let html = Html::parse_document(&page(&review));
    let groups = select(&html, ".bars table");
    assert!(groups.len() >= 15, "{} groups", groups.len());
    for group in groups {
        let bars = Selector::parse(".track > span").unwrap();
        let widths = group.select(&bars).map(|bar| {
            let style = bar.value().attr("style").unwrap();
            let width = style
                .strip_prefix("width:")
                .and_then(|w| w.strip_suffix('%'));
            width.unwrap().parse::<f64>().unwrap()
        });
        let widths: Vec<f64> = widths.collect();
        assert!(widths.is_sorted_by(|a, b| a >= b), "{widths:?}");
        let reviewed = Selector::parse("tr.reviewed").unwrap();
        assert_eq!(group.select(&reviewed).count(), 1);
    }
}

#[test]
fn key_figures_say_how_the_drive_stands_to_its_rival() {
    let html = Html::parse_document(&page(&common::review(1.0)));
    let figures = text(&html, "#figures");
    for words in [
        "Read, depth 1",
        "Write, depth 32",
        "Read, 256 KiB",
        "At 80 % reads",
        "Mean of all shares",
        "After idle: fast writes",
        "2.42 GB",
        "−36 %",
    ] {
        assert!(figures.contains(words), "{words} is missing:\n{figures}");
    }
}

#[test]
fn the_verdict_has_an_entry_for_each_test_and_no_second_list() {
    let review = common::review(1.0);
    let html = Html::parse_document(&page(&review));
    assert_eq!(select(&html, ".said").len(), 1);
    let found = select(&html, "section.test > .found").len();
    assert_eq!(found, review.tests.len());
    let verdict = text(&html, ".said, .found");
    for words in [
        "It is behind the Fixture B 256 GB throughout",
        "not so in “write”, where Fixture B 256 GB reaches 374 MB/s",
        "Mixing costs: 135 MB/s at 40 % reads",
        " stretches: 1 h 14 min at 4,500 IOPS, ",
    ] {
        assert!(verdict.contains(words), "{words} is missing:\n{verdict}");
    }
    // No line break separates a figure from its unit.
    let raw: String = select(&html, ".found")[0].text().collect();
    assert!(raw.contains("374\u{a0}MB/s"), "{raw}");
}

#[test]
fn fast_writes_are_the_same_in_verdict_key_figures_and_table() {
    let html = Html::parse_document(&page(&common::review(1.0)));
    // The volumes of the fixture: 240 GB until the last step, 2.3 and 150 GB recovered, within the
    // precision of its samples.
    for (place, words) in [
        (
            ".said, .found",
            "falls after 2.42 GB, 1 % of the fresh volume",
        ),
        ("#figures", "2.42 GB"),
        ("section[id$=recovery] table", "2.42 GB"),
        (".said, .found", "writes 240 GB before it falls"),
        ("#figures", "240 GB"),
        ("section[id$=recovery] table", "240 GB"),
        ("section[id$=recovery] table", "down to 13,310 IOPS"),
    ] {
        let found = text(&html, place);
        assert!(found.contains(words), "{words} is not in {place}:\n{found}");
    }
    let heads = text(&html, "section[id$=degradation] th");
    assert!(!heads.contains("Fast writes"), "a single curve has none");
}

/// The made-up review, changed to one of a real drive.
fn as_real() -> Review {
    let mut review = common::review(0.02);
    for test in &mut review.tests {
        for point in test.points_mut() {
            point.cpu_ns_per_request = Some(4_321.0);
        }
        for series in test.curves_mut() {
            series.cpu_ns_per_request = Some(4_321.0);
            series.temperatures = vec![
                TemperatureSample {
                    t_s: 0.0,
                    celsius: 31.0,
                },
                TemperatureSample {
                    t_s: 10.0,
                    celsius: 36.85,
                },
            ];
        }
    }
    review
}

#[test]
fn time_on_processors_stands_beside_the_latencies() {
    let html = Html::parse_document(&page(&as_real()));
    let heads = text(&html, "section[id$=depth-scaling] thead");
    assert!(heads.contains("CPU time"), "{heads}");
    let rows = select(&html, "section[id$=mixed-sequential] table");
    let latencies = rows
        .iter()
        .find(|t| t.text().collect::<String>().contains("CPU time"))
        .unwrap();
    let columns = latencies
        .select(&Selector::parse("thead th").unwrap())
        .count();
    for row in latencies.select(&Selector::parse("tbody tr").unwrap()) {
        let cells: Vec<_> = row.select(&Selector::parse("th, td").unwrap()).collect();
        assert_eq!(cells.len(), columns);
        let last: String = cells[columns - 1].text().collect();
        let is_part = row.text().collect::<String>().contains('↳');
        assert_eq!(last, if is_part { "–" } else { "4.32\u{a0}µs" });
    }
    let curves = text(&html, "section[id$=degradation] table");
    assert!(
        curves.contains("CPU time") && curves.contains("4.32 µs"),
        "{curves}"
    );
    let html = Html::parse_document(&page(&common::review(0.02)));
    assert!(
        !text(&html, "thead").contains("CPU time"),
        "of a simulated drive"
    );
}

/// One rival reports it and the other does not: both have the column.
#[test]
fn time_on_processors_is_told_of_rivals_too() {
    let mut review = common::review(0.02);
    let told = &mut review.rivals[0];
    for point in told.tests.iter_mut().flat_map(TestResult::points_mut) {
        point.cpu_ns_per_request = Some(7_654.0);
    }
    let html = Html::parse_document(&page(&review));
    let tables = select(&html, "section[id$=depth-scaling] table");
    let with: Vec<_> = tables
        .iter()
        .filter(|t| t.text().collect::<String>().contains("CPU time"))
        .collect();
    let [rivals] = with[..] else {
        panic!("{} tables", with.len());
    };
    let text: String = rivals.text().collect();
    assert!(text.contains("the rivals") && text.contains("7.65\u{a0}µs"));
    let columns = rivals.select(&Selector::parse("thead th").unwrap()).count();
    for row in rivals.select(&Selector::parse("tbody tr").unwrap()) {
        let cells = row.select(&Selector::parse("th, td").unwrap()).count();
        assert!(cells == columns || cells == 1, "{cells} of {columns}");
    }
}

#[test]
fn temperatures_have_an_axis_of_their_own_over_time() {
    let review = as_real();
    let data = data(&Html::parse_document(&page(&review)));
    let charts = data["charts"].as_array().unwrap();
    let warm: Vec<_> = charts.iter().filter(|c| !c["y2"].is_null()).collect();
    assert!(!warm.is_empty());
    for chart in warm {
        assert_eq!(chart["y2"]["unit"], "°C");
        let traces = chart["traces"].as_array().unwrap().iter();
        let of: Vec<_> = traces.filter(|t| t["role"] == "temperature").collect();
        assert!(!of.is_empty());
        for trace in of {
            assert_eq!(trace["y"], serde_json::json!([31.0, 36.85]));
            let last = trace["x"][1].as_f64().unwrap();
            let multiply = chart["x"]["multiply"].as_f64().unwrap();
            assert!((last - 10.0 * multiply).abs() < 1e-3, "{chart}");
        }
    }
    let cold = self::data(&Html::parse_document(&page(&common::review(0.02))));
    assert!(
        cold["charts"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["y2"].is_null())
    );
}

#[test]
fn what_the_drive_told_of_itself_and_that_it_was_only_read() {
    let reading = |passed: bool, retired: u64| Reading {
        health: Health {
            retired_blocks: Some(retired),
            host_written_bytes: Some(1_000_000_000 * retired),
            ..Health::default()
        },
        document: serde_json::json!({
            "smartctl": { "exit_status": if passed { 0 } else { 8 } },
            "device": { "name": "/dev/<b>", "type": "sat", "protocol": "ATA" },
            "smart_status": { "passed": passed },
        }),
    };
    let mut review = as_real();
    assert!(!text(&Html::parse_document(&page(&review)), "#conditions").contains("SMART data"));
    review.read_only = true;
    review.smart = Some(BeforeAfter {
        before: Some(reading(true, 3)),
        after: Some(reading(false, 5)),
        missing: None,
    });
    let html = Html::parse_document(&page(&review));
    let told = text(&html, "#conditions");
    for part in [
        "+2 GB",
        "FAILED",
        "the drive says that it is failing",
        "ALARM",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    let alarms = text(&html, "#conditions .warning");
    assert!(
        alarms.contains("Blocks taken out of use: blocks were taken out of use"),
        "{alarms}"
    );
    assert_eq!(alarms.matches("Alarm.").count(), 3, "{alarms}");
    assert!(text(&html, "header").contains("READ-ONLY"));
    review.smart = Some(BeforeAfter {
        missing: Some("smartctl is <missing>".into()),
        ..BeforeAfter::default()
    });
    let html = Html::parse_document(&page(&review));
    assert!(text(&html, "#conditions").contains("Not known: smartctl is <missing>"));
}

#[test]
fn levels_stand_in_a_table_and_are_marked_in_the_charts() {
    let review = common::review(1.0);
    let html = Html::parse_document(&page(&review));
    let levels = select(&html, "section[id$=degradation] table")
        .into_iter()
        .find(|table| table.text().collect::<String>().contains("Levels found"))
        .expect("a table of levels");
    let groups = levels.select(&Selector::parse("tr.group").unwrap()).count();
    assert_eq!(groups, 2, "the drive's and the rival's");
    let levels: String = levels.text().collect::<String>().replace('\u{a0}', " ");
    for words in [
        "0.694 GB",
        "8.05 GB",
        "240 GB",
        "20,990 IOPS",
        "± 3 %",
        "256 GB",
    ] {
        assert!(levels.contains(words), "{words} is missing:\n{levels}");
    }
    let data = data(&html);
    let charts = data["charts"].as_array().unwrap();
    let marked: Vec<_> = charts.iter().filter(|c| !c["marks"].is_null()).collect();
    assert_eq!(marked.len(), 3, "the three charts of the degradation");
    let texts = |chart: &serde_json::Value| -> Vec<String> {
        let marks = chart["marks"].as_array().unwrap().iter();
        marks
            .map(|m| m["text"].as_str().unwrap().replace('\u{a0}', " "))
            .collect()
    };
    // Only the steps of the reviewed drive.
    assert_eq!(texts(marked[0]), ["4.24 s", "63.9 s", "46 min"]);
    for chart in &marked[1..] {
        assert_eq!(texts(chart), ["0.694 GB", "8.05 GB", "240 GB"]);
        let at = chart["marks"][1]["at"].as_f64().unwrap();
        assert!((at - 8.05).abs() < 0.01, "{at} is not in the axis's unit");
    }
}

#[test]
fn a_shortened_run_says_so_once_and_in_sight() {
    let note = "SHORTENED RUN: every measurement × 0.01";
    let html = Html::parse_document(&page(&common::review(0.01)));
    let banners = select(&html, "body > .scaled");
    assert_eq!(banners.len(), 1);
    assert!(text(&html, ".scaled").contains(note));
    // It stays in place when the page scrolls.
    let style = text(&html, "style");
    let rule = style.split(".scaled {").nth(1).unwrap();
    assert!(rule.starts_with(" position: sticky"), "{rule:.60}");
    let titles = text(&html, "figure h3");
    assert!(!titles.contains("SHORTENED"), "{titles}");
    assert_eq!(data(&html)["note"], note, "saved pictures carry it");

    let full = Html::parse_document(&page(&common::review(1.0)));
    assert!(!text(&full, "body").contains("SHORTENED"));
}

#[test]
fn an_incomplete_review_names_what_is_missing() {
    let mut review = common::review(0.01);
    review.complete = false;
    review.failed.push(FailedTest {
        id: "recovery".into(),
        error: "fio was killed".into(),
    });
    review.tests.pop();
    let html = Html::parse_document(&page(&review));
    let head = text(&html, "header");
    assert!(head.contains("INCOMPLETE"), "{head}");
    assert!(head.contains("recovery: fio was killed"), "{head}");

    review.tests.clear();
    review.failed.clear();
    let html = Html::parse_document(&page(&review));
    assert!(text(&html, "header").contains("The run was stopped"));
    assert!(text(&html, ".said, .found").contains("nothing to judge"));
}

#[test]
fn simulated_and_real_are_told_apart() {
    let mut review = common::review(0.01);
    let head = |review: &Review| text(&Html::parse_document(&page(review)), "header");
    assert!(head(&review).contains("No hardware took part"));
    review.target.kind = TargetKind::BlockDevice;
    assert!(head(&review).contains("real, a block device, by fio"));
    review.target.kind = TargetKind::File;
    assert!(head(&review).contains("real, a file"));
}

/// A name that breaks unescaped output.
const HOSTILE: &str = "</script><script>boom()</script><b>\"A\" & 'B'</b> $x$ <a href='http://x'>";

/// The fixture with that name in every text from outside.
fn hostile_review() -> Review {
    let mut review = common::review(0.01);
    review.target.title = HOSTILE.into();
    review.target.name = HOSTILE.into();
    review.edition_title = HOSTILE.into();
    review.reproduce = HOSTILE.into();
    review.label = Some(HOSTILE.into());
    review.note = Some(HOSTILE.into());
    review.rivals[0].target.title = format!("{HOSTILE} 2");
    review.complete = false;
    review.failed.push(FailedTest {
        id: HOSTILE.into(),
        error: HOSTILE.into(),
    });
    for condition in review.conditions.iter_mut().chain(&mut review.environment) {
        condition.id = HOSTILE.into();
        condition.value = HOSTILE.into();
    }
    for test in &mut review.tests {
        test.title = HOSTILE.into();
        test.method = HOSTILE.into();
        test.warnings.push(HOSTILE.into());
        test.jobs[0].name = HOSTILE.into();
        test.jobs[0].text = HOSTILE.into();
        for series in test.curves_mut() {
            series.name.push_str(HOSTILE);
        }
    }
    review
}

#[test]
fn names_are_shown_and_never_run() {
    let html = Html::parse_document(&write(&hostile_review()).unwrap());
    assert_eq!(
        select(&html, "script").len(),
        3,
        "plotly, the data, our own"
    );
    let bold = text(&html, "b");
    assert!(!bold.contains("script"), "{bold}");
    assert!(select(&html, "a:not([href^='#'])").is_empty());
    assert_eq!(text(&html, "h1"), HOSTILE);
    assert_eq!(text(&html, ".called dd"), format!("{HOSTILE}\n{HOSTILE}"));
    assert!(text(&html, "title").starts_with(HOSTILE));
    assert!(text(&html, "details.jobs pre").starts_with(HOSTILE));
    assert!(text(&html, "p.method").contains(HOSTILE));
    let data = data(&html).to_string();
    let name = serde_json::to_string(HOSTILE).unwrap();
    assert!(data.contains(&name), "no trace has the name");
}

#[test]
fn a_label_and_a_note_are_told_with_the_title_or_with_the_drives() {
    let called = |html: &str| text(&Html::parse_document(html), "header .called div");
    let mut review = common::review(0.01);
    assert_eq!(called(&page(&review)), "");
    review.note = Some("in a fridge".to_owned());
    assert_eq!(called(&page(&review)), "Notein a fridge");
    review.label = Some("cold".to_owned());
    assert_eq!(called(&page(&review)), "Labelcold\nNotein a fridge");
    // One label for two sides.
    let sides = |labels: &[Option<String>]| {
        let of = stend_report::Comparison {
            labels,
            ..stend_report::Comparison::default()
        };
        let html = stend_report::comparison(&review, &of).unwrap();
        assert_eq!(called(&html), "");
        text(&Html::parse_document(&html), "#conditions table tr")
    };
    let drives = sides(&[None, Some("<b>warm</b>".to_owned())]);
    assert!(
        drives.contains("GiB)–\n") && drives.ends_with("GiB)<b>warm</b>"),
        "{drives}"
    );
    assert!(!sides(&[None, None]).contains("Label"));
}

#[test]
fn two_runs_of_one_drive_are_told_apart() {
    let mut review = common::review(0.01);
    let of = |review: &Review| {
        let title = &review.target.title;
        let names = [
            stend_report::side_name(title, 2, Some("cold")),
            stend_report::side_name(title, 7, None),
        ];
        let of = stend_report::Comparison {
            names: &names,
            ..stend_report::Comparison::default()
        };
        let html = stend_report::comparison(review, &of).unwrap();
        text(&Html::parse_document(&html), "#conditions table th")
    };
    // Different drives keep their names.
    assert!(!of(&review).contains("run 2"));
    review.rivals[0].target = review.target.clone();
    let heads = of(&review);
    assert!(heads.contains(", run 2, label cold"), "{heads}");
    assert!(heads.contains(", run 7"), "{heads}");
}

#[test]
fn tests_of_other_editions_are_drawn_from_what_varies() {
    let mut review = common::review(0.1);
    for test in &mut review.tests {
        test.id = format!("new-{}", test.id);
    }
    for test in &mut review.rivals[0].tests {
        test.id = format!("new-{}", test.id);
    }
    let html = Html::parse_document(&page(&review));
    let titles = text(&html, "figure h3");
    for words in [
        "Sequential 256 KiB read and write",
        "Random 4 KiB read against queue depth",
        "Random write, queue depth 4, against block size",
        "against the share of reads",
        "Random 4 KiB write, queue depth 32, against data written",
    ] {
        assert!(titles.contains(words), "{words} is missing:\n{titles}");
    }
}

#[test]
fn a_test_without_figures_says_so() {
    let mut review = common::review(0.01);
    let empty = r#"{"id":"empty","title":"","method":"","jobs":[],"points":[],"series":[]}"#;
    let neither = TestResult {
        id: "neither".into(),
        title: "Neither".into(),
        ..TestResult::default()
    };
    review.tests = vec![neither, serde_json::from_str(empty).unwrap()];
    let html = Html::parse_document(&page(&review));
    let text = text(&html, "section.test");
    assert_eq!(text.matches("has no figures").count(), 2);
}

#[test]
fn a_curve_without_samples_is_no_reason_to_fail() {
    let mut review = common::review(0.01);
    for test in &mut review.tests {
        for series in test.curves_mut() {
            series.samples.clear();
        }
    }
    let html = Html::parse_document(&page(&review));
    assert!(text(&html, "table").contains("no sample"));
}

#[test]
fn a_folder_holds_the_page_and_the_review() {
    let folder = tempfile::tempdir().unwrap();
    let review = common::review(0.01);
    let deep = folder.path().join("a/b");
    let path = write_folder(&review, &deep).unwrap();
    assert_eq!(path, deep.join("index.html"));
    assert!(std::fs::read_to_string(&path).unwrap() == page(&review));
    let json = std::fs::read_to_string(deep.join("review.json")).unwrap();
    let back: Review = serde_json::from_str(&json).unwrap();
    assert!(back == review, "review.json is not the review");
    assert!(
        page(&back) == page(&review),
        "the page of review.json differs"
    );
    // A second report replaces the first and leaves no other files.
    write_folder(&review, &deep).unwrap();
    assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 2);
}

#[test]
fn an_unwritable_folder_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = write_folder(&common::review(0.01), &file.join("report")).unwrap_err();
    assert!(matches!(error, ReportError::Write { .. }));
    let words = error.to_string();
    assert!(words.contains("file/report"), "{words}");
    assert!(words.contains("choose a folder"), "{words}");
}

/// Returns the rows of the table whose caption contains these words, as texts of their cells.
fn rows_of(html: &Html, section: &str, caption: &str) -> Vec<Vec<String>> {
    let tables = select(html, &format!("section[id$={section}] table"));
    let table = tables.into_iter().find(|table| {
        let text: String = table.text().collect();
        text.contains(caption)
    });
    let table = table.unwrap_or_else(|| panic!("no table `{caption}` in {section}"));
    let (rows, cells) = (Selector::parse("tr"), Selector::parse("th, td"));
    let (rows, cells) = (rows.unwrap(), cells.unwrap());
    let row = |row: scraper::ElementRef<'_>| -> Vec<String> {
        let texts = row.select(&cells).map(|cell| cell.text().collect());
        texts
            .map(|text: String| text.replace('\u{a0}', " "))
            .collect()
    };
    table.select(&rows).map(row).collect()
}

#[test]
fn a_benchmark_is_laid_out_as_its_users_know_it() {
    let review = common::with_applications(common::review(0.01));
    let html = Html::parse_document(&page(&review));
    let rows = rows_of(&html, "crystaldiskmark", "MB/s of the fastest pass");
    let (a, b) = ("Fixture A 240 GB", "Fixture B 256 GB");
    let head = ["Read", "Write", "Mix, 70 % reads"];
    let mut expected = vec!["Row".to_owned()];
    expected.extend(head.map(|op| format!("{op}{a}")));
    expected.extend(head.map(|op| format!("{op}{b}")));
    assert_eq!(rows[0], expected);
    assert_eq!(
        rows[1],
        [
            "SEQ1M Q8T1",
            "550 MB/s525 IOPS",
            "275 MB/s262 IOPS",
            "138 MB/s131 IOPS",
            "825 MB/s787 IOPS",
            "412 MB/s393 IOPS",
            "206 MB/s197 IOPS",
        ]
    );
    // A figure that the rival lacks is a dash.
    assert_eq!(rows[2][4..], ["–", "–", "–"]);
    assert_eq!(rows.len(), 3);
    let rows = rows_of(&html, "crystaldiskmark", "Lowest mean completion latency");
    assert_eq!(rows[1][1], "1.00 ms");
    // Every pass of both drives.
    let passes = rows_of(&html, "crystaldiskmark", &format!("latency: {a}"));
    assert_eq!(
        passes[1],
        [
            "SEQ1M Q8T1, read",
            "495 MB/s1.20 ms",
            "550 MB/s1.10 ms",
            "522 MB/s1.00 ms",
        ]
    );
    assert_eq!(passes.len(), 1 + 6);
    let rival = rows_of(&html, "crystaldiskmark", &format!("latency: {b}"));
    assert_eq!(rival.len(), 1 + 3);
    let aside = text(&html, "section[id$=crystaldiskmark] .aside");
    assert!(
        aside.contains("1,024 MiB; the fastest of 3 passes of 5 s"),
        "{aside}"
    );
    let figures = text(&html, "#figures");
    assert!(figures.contains("Write, 4K Q1T1"), "{figures}");
    let verdict = text(&html, ".said, .found");
    for words in [
        " to 550 MB/s (SEQ1M Q8T1); it writes at ",
        "the slowest lies up to 10 % below it",
        "Fixture B 256 GB reaches ",
    ] {
        assert!(verdict.contains(words), "{words} is missing:\n{verdict}");
    }
}

#[test]
fn traces_are_told_by_busy_time_and_as_what_they_are() {
    let review = common::with_applications(common::review(0.01));
    let html = Html::parse_document(&page(&review));
    // 1300 MB in 10 s, which is not the mean of 400 and 100 MB/s; the faster drive is first.
    let groups = common::bars(&html, "section[id$=desktop-traces]");
    let (a, b) = ("▸ Fixture A 240 GB", "Fixture B 256 GB");
    let expected = [
        ("All traces", vec![format!("{a}: 130 MB/s; width:21.67%")]),
        (
            "Some work",
            vec![
                format!("{b}: 600 MB/s 15,000 IOPS; width:100.00%"),
                format!("{a}: 400 MB/s 10,000 IOPS; width:66.67%"),
            ],
        ),
        (
            "A start",
            vec![format!("{a}: 100 MB/s 1,111 IOPS; width:16.67%")],
        ),
    ];
    assert_eq!(groups, expected.map(|(name, rows)| (name.to_owned(), rows)));
    let facts = rows_of(
        &html,
        "desktop-traces",
        "in figures; MB = 10⁶ bytes: Fixture A",
    );
    assert_eq!(
        facts[1],
        [
            "Some worksynthesised, totals published",
            "300 MB",
            "100 MB",
            "1.00 soriginal times",
            "8.00 s",
            "120 µs99 % 192 µs",
            "60.0 µs99 % 384 µs",
            "1.37",
            "0",
        ]
    );
    assert_eq!(facts[2][0], "A startsynthesised, totals assumed");
    assert_eq!(facts[2][3], "9.00 sat once, depth 2");
    assert_eq!(facts[2][6..], ["–", "–", "1,234"]);
    let limits = rows_of(&html, "desktop-traces", "Limits of the figures: Fixture A");
    assert_eq!(limits[2], ["a limit of all", "all of them"]);
    assert_eq!(limits[3][1], "A start");
    assert_eq!(limits.len(), 4);
    let aside = text(&html, "section[id$=desktop-traces] .aside");
    assert!(aside.contains("no PCMark score"), "{aside}");
    let verdict = text(&html, ".said, .found");
    for words in [
        "130 MB/s of busy time over all 2 traces; fastest is Some work (400 MB/s), slowest A \
         start (100 MB/s).",
        "Synthesised desktop traces, no PCMark score.",
        "6.2 % of the requests were moved to fit",
    ] {
        assert!(verdict.contains(words), "{words} is missing:\n{verdict}");
    }
}

#[test]
fn captured_traces_are_not_called_synthesised() {
    let mut review = common::with_applications(common::review(0.01));
    let rivals = review.rivals.iter_mut().flat_map(|r| &mut r.tests);
    for trace in review.tests.iter_mut().chain(rivals) {
        for trace in trace.traces_mut() {
            trace.origin = stend_record::traces::TraceOrigin::Captured;
            trace.limits.clear();
        }
    }
    let html = Html::parse_document(&page(&review));
    assert!(!text(&html, "body").contains("PCMark"));
}

#[test]
fn a_ladder_is_drawn_by_rest_and_told_rung_by_rung() {
    let mut review = common::review(0.1);
    // A shortened one has no findings.
    review.duration_scale = 1.0;
    let rung = |name: &str, idle_s, trim, recovered_bytes, fell| Rung {
        name: name.into(),
        idle_s,
        trim,
        iops_start: 31_000.0,
        recovered_bytes,
        fell,
    };
    let recovery = review.tests.last_mut().unwrap();
    let series = recovery.curves().to_vec();
    let ladder = |rungs: Vec<Rung>| {
        Some(Results::Ladder(Ladder {
            series: series.clone(),
            rungs,
        }))
    };
    recovery.results = ladder(vec![
        rung("after idle", 30.0, false, 0, true),
        rung("after TRIM", 1_800.0, true, 7_500_000_000, false),
    ]);
    let html = Html::parse_document(&page(&review));
    let titles = text(&html, "figure h3");
    assert!(
        titles.contains("Fast writes restored by a rest"),
        "{titles}"
    );
    let tables = text(&html, "table");
    for words in ["30 s", "nothing", "7.50 GB", "it did not fall"] {
        assert!(tables.contains(words), "{words} is missing:\n{tables}");
    }
    // The curves are drawn as well.
    assert!(titles.contains("against time"), "{titles}");
    let found = stend_analysis::findings(&review);
    let said = &found.last().unwrap().text;
    assert!(
        said.contains("With TRIM, a rest of 30 min recovers at least 7.5 GB"),
        "{said}"
    );
    // The better drive's figures are bold, after the same rest with or without TRIM.
    let mut of_rival = review.tests.last().unwrap().clone();
    of_rival.results = ladder(vec![
        rung("after TRIM", 30.0, true, 9_000_000_000, true),
        rung("after idle", 30.0, false, 2_000_000_000, true),
    ]);
    review.rivals[0].tests = vec![of_rival];
    let html = Html::parse_document(&page(&review));
    let bold = text(&html, "section.test table.fitting strong");
    assert_eq!(bold, "2.00 GB");
}

/// Rounds of one load of writes with these speeds.
fn rounds(speeds: &[f64], steady_from_round: Option<u32>) -> TestResult {
    test_of(rounds_of(speeds, steady_from_round))
}

fn test_of(rounds: Rounds) -> TestResult {
    TestResult {
        id: "steady-iops".into(),
        title: "IOPS in steady state".into(),
        results: Some(Results::Rounds(rounds)),
        ..TestResult::default()
    }
}

fn rounds_of(speeds: &[f64], steady_from_round: Option<u32>) -> Rounds {
    let figures = |iops: &f64| RoundFigures {
        iops: *iops,
        bw_bytes_per_s: iops * 4096.0,
        latency_mean_ns: 32e9 / iops,
        latency_max_ns: 9_000_000,
    };
    let load = |read_percent| Load {
        op: PointOp::of_share(read_percent),
        read_percent,
        ..Load::write(Pattern::Random, 4096, 32)
    };
    let round = |iops: &f64| vec![figures(&55_000.0), figures(iops)];
    Rounds {
        loads: vec![load(65), load(0)],
        tracked: 1,
        figure: Tracked::Iops,
        load_s: 60.0,
        steady_sought: true,
        steady_from_round,
        written_bytes: 123_000_000_000,
        rounds: speeds.iter().map(round).collect(),
    }
}

#[test]
fn rounds_show_the_window_and_say_whether_it_is_steady() {
    let mut review = common::review(1.0);
    // The steady window is not the last.
    let speeds = [40e3, 9_600.0, 10_000.0, 10_400.0, 10_000.0, 10_000.0, 77e3];
    review.tests = vec![rounds(&speeds, Some(2))];
    let html = Html::parse_document(&page(&review));
    let tables = text(&html, "section.test table");
    for words in [
        "achieved",
        "rounds 2 to 6",
        "10,000 IOPS",
        "8.0 %",
        "3.2 %",
        "55,000 IOPS",
    ] {
        assert!(tables.contains(words), "{words} is missing:\n{tables}");
    }
    assert!(!tables.contains("not achieved") && !tables.contains("NOT"));
    let said = &stend_analysis::findings(&review)
        .last()
        .unwrap()
        .text
        .clone();
    assert!(
        said.contains("Steady state is reached after 7 rounds"),
        "{said}"
    );

    review.tests = vec![rounds(&[40e3, 30e3, 20e3, 15e3, 10e3, 8e3], None)];
    let html = Html::parse_document(&page(&review));
    let tables = text(&html, "section.test table");
    for words in ["not achieved", "rounds 2 to 6", "NOT in steady state"] {
        assert!(tables.contains(words), "{words} is missing:\n{tables}");
    }
    // A single round, and a broken one, cause no failure.
    let mut broken = rounds_of(&[1.0, 2.0], None);
    broken.rounds[0].clear();
    review.tests = vec![rounds(&[40e3], None), test_of(broken)];
    let html = Html::parse_document(&page(&review));
    let all = text(&html, "section.test");
    assert!(
        all.contains("not achieved") && all.contains("has no figures"),
        "{all}"
    );
}
