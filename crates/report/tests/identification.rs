//! The page of an identification: inferred properties, their marks, and no picture without
//! observations.

use std::fs;

use scraper::{Html, Selector};
use serde_json::Value as Json;
use stend_identify::observed::{
    Curve, Flush, Mixed, Observed, ReadMap, Recovered, Rested, Times, Trimmed,
};
use stend_identify::property::{Identification, Property, SCHEMA, Value};
use stend_record::review::Sample;
use stend_report::{Origin, write_identification};

use crate::common::data;

const CAPACITY_BYTES: u64 = 8_000_000_000;

/// Writes at one speed up to each number of bytes, bytes a second, 4,000
/// samples for all.
fn curve(levels: &[(u64, f64)]) -> Curve {
    let all = levels.last().map_or(0, |level| level.0);
    let (mut samples, mut t_s, mut written) = (Vec::new(), 0.0, 0);
    for (end, speed) in levels {
        while written < *end {
            let step = (all / 4000).min(end - written);
            written += step;
            t_s += step as f64 / speed;
            samples.push(Sample {
                t_s,
                written_bytes: written,
                iops: speed / 4096.0,
            });
        }
    }
    Curve {
        interval_s: 0.01,
        block_bytes: 4096,
        samples,
    }
}

fn times(us: u64) -> Times {
    let ns = us * 1000;
    Times {
        mean_ns: ns as f64,
        p1_ns: ns,
        p50_ns: ns,
        p99_ns: ns,
        requests: 100,
        per_s: 1e6 / us as f64,
    }
}

fn rested(rest_s: f64, fast_bytes: u64) -> Rested {
    Rested {
        rest_s,
        curve: curve(&[(fast_bytes, 2e8), (1_000_000_000, 4e7)]),
    }
}

fn read_map(written_bytes: u64) -> ReadMap {
    let parts = (0..64).map(|part| times(if part < 50 { 100 } else { 60 }));
    ReadMap {
        written_bytes,
        parts: parts.collect(),
    }
}

/// All possible observations, made up: the cache holds 400 MB, of which 100 are written before the
/// fill.
pub(crate) fn seen() -> Observed {
    let read = |iops: f64| {
        move |second: u32| Sample {
            t_s: f64::from(second),
            written_bytes: 0,
            iops,
        }
    };
    Observed {
        capacity_bytes: CAPACITY_BYTES,
        unwritten_reads: Some(times(30)),
        new_reads: Some(times(60)),
        settled_reads: Some(times(100)),
        settled_parts: vec![times(100); 64],
        settled_s: 14_400.0,
        fill: Some(curve(&[(300_000_000, 2e8), (7_900_000_000, 4e7)])),
        latest_reads: Some(times(60)),
        burst: Some(curve(&[(10_000_000, 5e8), (100_000_000, 2e8)])),
        maps: vec![read_map(500_000_000)],
        rested_map: Some(read_map(500_000_000)),
        depths: [1, 2, 4].map(|depth| (depth, times(100))).to_vec(),
        spans: [
            (64 << 20, times(100)),
            (1 << 30, times(102)),
            (4 << 30, times(104)),
        ]
        .to_vec(),
        ascending_reads: Some(times(20)),
        pairs: (1..=64_u32)
            .map(|step| (u64::from(step) * 16_384, 2e4))
            .collect(),
        far_pairs: (1..=64_u32)
            .map(|step| (u64::from(step) * 1_000_000, 2e4))
            .collect(),
        flushes: [1, 16]
            .map(|every| Flush {
                every,
                flush_ns: 5e5,
                write_ns: 4e4,
            })
            .to_vec(),
        short_writes: Some((10_000.0, 20_000.0)),
        mixed: Some(Mixed {
            reads: 5e8,
            writes: 2e8,
            both: 3e8,
            bytes: None,
        }),
        full: Some(rested(14_400.0, 300_000_000)),
        full_map: Some(read_map(1_000_000_000)),
        emptied: vec![rested(0.0, 2_000_000), rested(300.0, 350_000_000)],
        fresh_random: Some(curve(&[(CAPACITY_BYTES, 1e8), (9_500_000_000, 1e7)])),
        random: Some(curve(&[(1_200_000_000, 4e7), (1_300_000_000, 3e6)])),
        dirty: vec![rested(0.0, 1_000_000), rested(900.0, 200_000_000)],
        recovered: [30.0, 600.0]
            .map(|rest_s| Recovered {
                rest_s: Some(rest_s),
                trim: false,
                bytes: 50_000_000,
                per_s: 1e4,
            })
            .to_vec(),
        trimmed: Some(Trimmed {
            before: curve(&[(100_000_000, 1e7)]),
            after: curve(&[(100_000_000, 2e8)]),
        }),
        long_reads: (1..=60).map(read(4000.0)).collect(),
        ..Observed::default()
    }
}

fn quantity(id: &str, value: f64, (low, high): (f64, f64), unit: &str) -> Property {
    Property {
        id: id.to_owned(),
        told: true,
        value: Some(Value::Quantity(value)),
        low: Some(low),
        high: Some(high),
        unit: Some(unit.to_owned()),
        evidence: format!("evidence of {id}"),
        ..Property::default()
    }
}

pub(crate) fn identification(target: &str) -> Identification {
    let of_kind = Property {
        value: Some(Value::Kind("static".to_owned())),
        ..told("slc-cache-kind")
    };
    let present = Property {
        present: Some(true),
        ..told("slc-cache")
    };
    let unknown = Property {
        id: "flush-ignored".to_owned(),
        why_not: Some("only a power cut shows it".to_owned()),
        ..Property::default()
    };
    Identification {
        schema: SCHEMA.to_owned(),
        target: target.to_owned(),
        capacity_bytes: CAPACITY_BYTES,
        left_out: Vec::new(),
        properties: vec![
            present,
            quantity("slc-cache-bytes", 4e8, (3.8e8, 4.4e8), "bytes"),
            quantity("slc-cache-bytes-full", 3e8, (2.7e8, 3.3e8), "bytes"),
            of_kind,
            quantity(
                "over-provisioning-percent",
                12.5,
                (11.25, 15.0),
                "percent of capacity",
            ),
            quantity("parallel-dies", 4.0, (4.0, 4.0), "dies"),
            quantity("stripe-bytes", 65_536.0, (57_344.0, 73_728.0), "bytes"),
            quantity("map-cache-bytes", 1e9, (8e8, 1.25e9), "bytes"),
            quantity("flush-latency-ns", 5e5, (2.5e5, 1e6), "ns"),
            unknown,
        ],
    }
}

fn told(id: &str) -> Property {
    Property {
        id: id.to_owned(),
        told: true,
        evidence: format!("evidence of {id}"),
        ..Property::default()
    }
}

fn page(identification: &Identification, seen: &Observed) -> String {
    let folder = tempfile::tempdir().unwrap();
    let how = (Origin::Simulated, "stend identify x");
    let page = write_identification(identification, seen, how, folder.path()).unwrap();
    let document = fs::read_to_string(folder.path().join("identification.json")).unwrap();
    let again: Identification = serde_json::from_str(&document).unwrap();
    assert_eq!(&again, identification);
    fs::read_to_string(page).unwrap()
}

fn texts(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    let texts = html.select(&selector);
    texts
        .map(|e| e.text().collect::<String>().replace('\u{a0}', " "))
        .collect()
}

/// Returns the chart whose title starts with `title`.
fn chart<'a>(data: &'a Json, title: &str) -> &'a Json {
    let mut charts = data["charts"].as_array().unwrap().iter();
    charts
        .find(|chart| chart["title"].as_str().unwrap().starts_with(title))
        .unwrap_or_else(|| panic!("no chart {title}"))
}

#[test]
fn everything_told_is_there_with_interval_evidence_and_pictures() {
    let html = Html::parse_document(&page(&identification("demo-8gb"), &seen()));
    assert_eq!(texts(&html, "h1"), ["demo-8gb"]);
    let known = texts(&html, "#known dl > div");
    let said = |name: &str| {
        let mut found = known.iter().filter(|text| text.starts_with(name));
        let text = found.next().unwrap_or_else(|| panic!("{name}: {known:#?}"));
        text.clone()
    };
    assert_eq!(known.len(), 9);
    for (name, value) in [
        ("SLC cache", "yes"),
        ("SLC cache: size on the empty drive", "400 MB (380 to 440)"),
        ("SLC cache: kind", "static"),
        ("Spare space", "12.5 % of the capacity (11.2 to 15)"),
        ("Dies", "4 dies (4 to 4)"),
        ("Data in sequence in one die", "64 KiB (56 to 72)"),
        ("Map (L2P) cache: data", "1 GB (0.80 to 1.25)"),
        ("Flush after", "500 µs (250 to 1000)"),
    ] {
        assert!(said(name).contains(value), "{value}: {}", said(name));
        assert!(said(name).contains("Evidence of"), "{}", said(name));
        assert!(said(name).contains("Shown in:"), "{}", said(name));
    }
    let groups = texts(&html, "#known h3");
    assert_eq!(groups.len(), 4);
    let unknown = texts(&html, "#unknown dl > div");
    assert_eq!(unknown, ["Flushes are ignoredOnly a power cut shows it"]);
    // Every link has a target.
    let links = Selector::parse("a[href^='#']").unwrap();
    for link in html.select(&links) {
        let id = &link.value().attr("href").unwrap()[1..];
        let target = Selector::parse(&format!("[id='{id}']")).unwrap();
        assert_eq!(html.select(&target).count(), 1, "{id}");
    }
}

#[test]
fn what_was_inferred_is_marked_where_it_is() {
    let html = Html::parse_document(&page(&identification("x"), &seen()));
    let data = data(&html);
    let marks = |title: &str| -> Vec<f64> {
        let marks = chart(&data, title)["marks"].as_array();
        let marks = marks.into_iter().flatten();
        marks.map(|mark| mark["at"].as_f64().unwrap()).collect()
    };
    let band = |title: &str| {
        let band = &chart(&data, title)["bands"][0];
        [&band["from"], &band["to"]].map(|end| end.as_f64().unwrap())
    };
    assert_eq!(marks("Writes to the empty drive"), [0.4]);
    assert_eq!(band("Writes to the empty drive"), [0.38, 0.44]);
    assert_eq!(marks("Writes to the full drive after 4\u{a0}h"), [0.3]);
    // Behind the 0.3 GB of the cache on the full drive.
    assert_eq!(marks("Random writes over the full drive"), [1.3]);
    assert_eq!(band("Random writes over the full drive"), [1.2, 1.5]);
    let range = &chart(&data, "Random writes over the full drive")["x"]["range"];
    assert_eq!(range[1], 1.5, "the interval is within the axis");
    assert_eq!(marks("Read time over the span"), [953.67], "MiB");
    assert_eq!(marks("Pairs of pages by"), [256.0, 512.0, 768.0]);
    // Of both curves of random writes, the one that is the evidence is marked.
    assert!(marks("Random writes over the empty drive").is_empty());
    let fill = &chart(&data, "Writes to the empty drive")["traces"][0];
    let near = |at: f64| {
        let x = fill["x"].as_array().unwrap().iter();
        let index = x.take_while(|x| x.as_f64().unwrap() < at).count();
        fill["y"][index].as_f64().unwrap()
    };
    assert_eq!(
        (near(0.37), near(0.43)),
        (200.0, 40.0),
        "the step is at the mark"
    );
}

#[test]
fn a_map_has_the_levels_of_new_and_old_data() {
    let html = Html::parse_document(&page(&identification("x"), &seen()));
    let data = data(&html);
    let map = chart(&data, "Reads by place: new data on the empty drive");
    let traces = map["traces"].as_array().unwrap();
    let names: Vec<&str> = traces.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "new data: 60.0\u{a0}µs",
            "old data: 100\u{a0}µs",
            "at once",
            "after a rest"
        ]
    );
    assert_eq!(traces[1]["y"], serde_json::json!([100.0, 100.0]));
    assert_eq!(traces[2]["x"].as_array().unwrap().len(), 64 + 1);
}

#[test]
fn of_a_range_alone_there_is_a_band_and_no_mark() {
    let mut identification = identification("x");
    let size = identification.properties.iter_mut();
    let size = size.filter(|property| property.id == "slc-cache-bytes");
    size.for_each(|size| size.value = None);
    let html = page(&identification, &seen());
    assert!(html.contains("380 to 440\u{a0}MB"), "in words");
    let data = data(&Html::parse_document(&html));
    let fill = chart(&data, "Writes to the empty drive");
    assert!(fill["marks"].as_array().is_none_or(Vec::is_empty));
    let band = &fill["bands"][0];
    assert_eq!((&band["from"], &band["to"]), (&0.38.into(), &0.44.into()));
}

#[test]
fn a_review_marks_what_its_curves_tell() {
    let mut seen = seen();
    (seen.fill, seen.random) = (None, None);
    let html = Html::parse_document(&page(&identification("x"), &seen));
    let data = data(&html);
    let marks = &chart(&data, "Random writes over the empty drive")["marks"];
    assert_eq!(marks[0]["at"], 0.4);
    assert_eq!(marks[1]["at"], 9.3, "8 GB, the cache's 0.3 and spare 1 GB");
}

#[test]
fn an_open_period_is_a_stretch() {
    let mut open = identification("x");
    for property in &mut open.properties {
        if property.id == "parallel-dies" {
            property.low = Some(3.0);
        }
    }
    let html = Html::parse_document(&page(&open, &seen()));
    let data = data(&html);
    let pairs = chart(&data, "Pairs of pages by");
    assert!(pairs["marks"].is_null());
    let bands = pairs["bands"].as_array().unwrap();
    assert_eq!(bands.len(), 3);
    assert_eq!(
        (&bands[0]["from"], &bands[0]["to"]),
        (&192.0.into(), &256.0.into())
    );
    assert_eq!(
        (&bands[2]["from"], &bands[2]["to"]),
        (&576.0.into(), &768.0.into())
    );
}

#[test]
fn nothing_is_drawn_where_nothing_was_seen() {
    let empty = Observed {
        capacity_bytes: CAPACITY_BYTES,
        ..Observed::default()
    };
    let html = Html::parse_document(&page(&identification("x"), &empty));
    assert_eq!(data(&html)["charts"], serde_json::json!([]));
    assert_eq!(texts(&html, "figure"), [""; 0]);
    assert_eq!(texts(&html, "section[id^=pictures]"), [""; 0]);
    assert!(!texts(&html, "#known").concat().contains("Shown in"));
    // A property that is unknown is not marked, and no cache is mentioned.
    let untold = Identification {
        properties: Vec::new(),
        ..identification("x")
    };
    let html = Html::parse_document(&page(&untold, &seen()));
    let charts = &data(&html)["charts"];
    for chart in charts.as_array().unwrap() {
        assert!(
            chart["marks"].is_null() && chart["bands"].is_null(),
            "{chart}"
        );
    }
    let notes = texts(&html, "figure .aside").concat();
    assert!(!notes.contains("SLC") && !notes.contains("mark"), "{notes}");
    // Each picture disappears with its observations.
    let all = pictures(&seen());
    assert_eq!(all.len(), 21, "{all:#?}");
    type Forget = fn(&mut Observed);
    let forget: [(Forget, &str); 6] = [
        (|o| o.fill = None, "Writes to the empty drive"),
        (|o| o.full = None, "Writes to the full drive"),
        (|o| o.pairs.clear(), "Pairs of pages by their distance"),
        (|o| o.trimmed = None, "Writes before TRIM"),
        (|o| o.mixed = None, "Reads and writes at once"),
        (|o| o.dirty.clear(), "Random writes after rests"),
    ];
    for (forget, title) in forget {
        let mut less = seen();
        forget(&mut less);
        let left = pictures(&less);
        assert_eq!(left.len(), 20, "{title}");
        assert!(!left.iter().any(|left| left.starts_with(title)), "{title}");
    }
}

/// Returns the titles of all pictures of a page.
fn pictures(seen: &Observed) -> Vec<String> {
    let html = Html::parse_document(&page(&identification("x"), seen));
    texts(&html, "figure h3")
}

#[test]
fn hostile_names_are_text() {
    let name = "</script><script>boom()</script><b>A</b> & \"x\"";
    let mut hostile = identification(name);
    hostile.properties[0].evidence = name.to_owned();
    hostile.left_out = vec![name.to_owned()];
    let text = page(&hostile, &seen());
    assert!(!text.contains("<script>boom"));
    let html = Html::parse_document(&text);
    assert_eq!(texts(&html, "h1"), [name]);
    assert_eq!(texts(&html, "title"), [format!("{name} – identification")]);
    assert!(texts(&html, "header .banner")[0].contains(name));
    assert!(texts(&html, "#known dd")[0].contains(name));
}
