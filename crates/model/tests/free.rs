//! Figures that may be fitted: their list, and the writing of other values.

use crate::testing::figures;

use std::collections::BTreeSet;
use std::fs;

use stend_model::{Files, FreeFigure, Model, NewValue, PARTS, SHIPPED, WriteError, write_values};

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

/// The demonstration drive with text in place of a line that begins with `key`.
fn with(key: &str, line: &str) -> String {
    let begins = format!("{key} = ");
    let old = DEMO.lines().find(|line| line.starts_with(&begins));
    DEMO.replacen(old.unwrap_or_else(|| panic!("no {key}")), line, 1)
}

fn parse(text: &str) -> Result<Model, String> {
    Model::parse(text, "m.toml").map_err(|error| error.to_string())
}

#[test]
fn free_figures_are_listed_with_their_files() {
    let dir = tempfile::tempdir().expect("a folder");
    let part = r#"schema = "stend.part/2"
title = "a part"

[nand]
read_us = { value = [60.0, 70.5, 80.0], source = "assumed", free = [50, 90.5] }
"#;
    fs::write(dir.path().join("part.toml"), part).expect("it is written");
    let text = with(
        "gc_page_ns",
        "gc_page_ns = { value = 30000, source = \"assumed\", free = [0, 50000] }",
    );
    let text = text.replace("[capacity]", "include = [\"part.toml\"]\n\n[capacity]");
    let own = text
        .lines()
        .find(|line| line.starts_with("read_us"))
        .expect("tR");
    let text = text.replacen(own, "", 1);
    let drive = dir.path().join("drive.toml");
    fs::write(&drive, &text).expect("it is written");
    let files = Files::read(&drive).expect("it is sound");
    files.model().expect("it is sound");
    let file = |name: &str| dir.path().join(name).display().to_string();
    let read = |index: usize, value: f64| FreeFigure {
        file: file("part.toml"),
        table: "nand".to_owned(),
        key: "read_us".to_owned(),
        index: Some(index),
        value,
        source: "assumed".to_owned(),
        bounds: [50.0, 90.5],
        whole: false,
        may_be_fitted: true,
        multiple_of: 1,
    };
    let gc_page = FreeFigure {
        file: file("drive.toml"),
        table: "controller".to_owned(),
        key: "gc_page_ns".to_owned(),
        index: None,
        value: 30_000.0,
        source: "assumed".to_owned(),
        bounds: [0.0, 50_000.0],
        whole: true,
        may_be_fitted: true,
        multiple_of: 1,
    };
    let expected = [read(0, 60.0), read(1, 70.5), read(2, 80.0), gc_page];
    assert_eq!(files.free(), expected);
    // The drive's own figure is another one, and need not be free.
    let own = "[capacity]\nread_us = { value = [1.0, 1.0, 1.0], source = \"assumed\" }";
    let text = text.replacen("[nand]", &own.replace("[capacity]", "[nand]"), 1);
    fs::write(&drive, text).expect("it is written");
    let files = Files::read(&drive).expect("it is sound");
    assert_eq!(files.free().len(), 1);
    assert!(
        Files::of_text(DEMO, "demo.toml")
            .expect("it is sound")
            .free()
            .is_empty()
    );
}

#[test]
fn sizes_in_whole_pages_say_what_they_are_a_multiple_of() {
    let files = Files::shipped("samsung-850-evo-500gb").expect("it is shipped");
    let free = files.free();
    let buffer = free.iter().find(|figure| figure.key == "write_buffer_kib");
    assert_eq!(buffer.expect("it is free").multiple_of, 4);
    let read = free.iter().find(|figure| figure.key == "read_command_ns");
    assert_eq!(read.expect("it is free").multiple_of, 1);
}

#[test]
fn bounds_change_nothing_but_the_fingerprint() {
    let line = "gc_page_ns = { value = 30000, source = \"assumed\", free = [1, 30000] }";
    let free = parse(&with("gc_page_ns", line)).expect("it is sound");
    let plain = parse(DEMO).expect("it is sound");
    assert_eq!(free.spec(), plain.spec());
    assert_ne!(free.fingerprint, plain.fingerprint);
}

#[test]
fn impossible_bounds_are_refused() {
    for (key, value, free, part) in [
        (
            "gc_page_ns",
            "30000",
            "[1, 29999]",
            "30000 lies outside of free = [1, 29999]",
        ),
        (
            "gc_page_ns",
            "30000",
            "[30001, 40000.5]",
            "30000 lies outside of",
        ),
        (
            "gc_page_ns",
            "30000",
            "[40000, 1]",
            "two finite numbers in order",
        ),
        (
            "gc_page_ns",
            "30000",
            "[0, inf]",
            "two finite numbers in order",
        ),
        (
            "gc_page_ns",
            "30000",
            "[1, 2, 3]",
            "two finite numbers in order",
        ),
        (
            "gc_page_ns",
            "30000",
            "[1]",
            "expected two numbers: [lowest, highest]",
        ),
        ("gc_page_ns", "30000", "true", "expected two numbers"),
        (
            "program_us",
            "[1800.0, 900.0, 1800.0]",
            "[1000, 2000]",
            "900 lies outside",
        ),
        ("policy", "\"greedy\"", "[1, 2]", "only numbers"),
        ("interface", "\"sata-6g\"", "[1, 2]", "only numbers"),
    ] {
        let line = format!("{key} = {{ value = {value}, source = \"assumed\", free = {free} }}");
        let text = with(key, &line);
        let number = 1 + text.lines().position(|l| l == line).expect("just written");
        let said = parse(&text).expect_err(&line);
        assert!(said.starts_with(&format!("m.toml:{number}: ")), "{said}");
        assert!(
            said.contains(&format!(".{key}: ")) && said.contains(part),
            "{said}"
        );
    }
    let state = figures(
        "\n[[idle_states]]\nname = \"a\"\ndelay_ms = 7\npower_mw = 5\nentry_us = 5\nexit_us = 5\n\
         waits_for_idle_work = true",
    );
    let state = state.replace("value = 7,", "value = 7, free = [1, 9],");
    let said = parse(&format!("{DEMO}{state}")).expect_err("it is in a list");
    assert!(
        said.contains("idle_states.delay_ms: a figure in a list"),
        "{said}"
    );
}

#[test]
fn bounds_that_the_key_has_no_room_for_are_refused() {
    let values = with(
        "gc_page_ns",
        "gc_page_ns = { value = 30000, source = \"assumed\", free = [-1, 40000] }",
    );
    let said = parse(&values).expect_err("it is never below 0");
    assert!(
        said.contains("free: -1 is not allowed; expected a whole number from 0"),
        "{said}"
    );
    let ratio = with(
        "gc_page_ns",
        "gc_page_ns = { value = 30000, source = \"assumed\", free_ratio = [0, 2] }",
    );
    let said = parse(&ratio).expect_err("nothing of it");
    assert!(
        said.contains("multiples of the value are above 0"),
        "{said}"
    );
}

#[test]
fn values_are_written_and_all_else_stays() {
    let text = r#"# A head.
schema = "stend.part/2" # and a note

[nand]   # another
read_us = { value = [60.0,  70.5], source = "assumed", free = [50, 90] } # why
dies = { source = "assumed",  value = 4 , free = [1, 9] }

[controller.cores]
value = 1
source = "a sheet"
"#;
    let new = [
        NewValue {
            table: "nand",
            key: "read_us",
            index: Some(1),
            value: 71.25,
            source: "fitted: \"a curve\"",
        },
        NewValue {
            table: "nand",
            key: "dies",
            index: None,
            value: 8.0,
            source: "fitted: \"a curve\"",
        },
        NewValue {
            table: "controller",
            key: "cores",
            index: None,
            value: 2.0,
            source: "fitted: \"a curve\"",
        },
    ];
    let written = write_values(text, &new).expect("they are there");
    let expected = r#"# A head.
schema = "stend.part/2" # and a note

[nand]   # another
read_us = { value = [60.0,  71.25], source = 'fitted: "a curve"', free = [50, 90] } # why
dies = { source = 'fitted: "a curve"',  value = 8 , free = [1, 9] }

[controller.cores]
value = 2
source = 'fitted: "a curve"'
"#;
    assert_eq!(written, expected);
    assert_eq!(write_values(text, &[]).expect("nothing to do"), text);
}

#[test]
fn a_written_value_is_the_models() {
    let line = "gc_page_ns = { value = 30000, source = \"assumed\", free = [0, 50000] }";
    let mut files = Files::of_text(with("gc_page_ns", line), "m.toml").expect("sound");
    let [figure] = &files.free()[..] else {
        panic!("one is free");
    };
    let new = NewValue {
        table: &figure.table,
        key: &figure.key,
        index: figure.index,
        value: 41_000.0,
        source: "fitted: to a test",
    };
    let text = write_values(&files.files()[0].text, &[new]).expect("written");
    files
        .replace(&figure.file.clone(), text)
        .expect("it is sound");
    let model = files.model().expect("it is sound");
    assert_eq!(model.controller.gc_page_ns.value, 41_000);
    assert_eq!(model.controller.gc_page_ns.source, "fitted: to a test");
}

#[test]
fn impossible_values_are_refused() {
    let new = |table, key, index, value| {
        [NewValue {
            table,
            key,
            index,
            value,
            source: "x",
        }]
    };
    let missing = |values: [NewValue<'_>; 1]| {
        let error = write_values(DEMO, &values).expect_err("it is not there");
        assert!(matches!(error, WriteError::Missing(_)), "{error}");
    };
    missing(new("nand", "dise", None, 1.0));
    missing(new("none", "dies", None, 1.0));
    missing(new("nand", "generation", None, 1.0));
    missing(new("nand", "read_us", None, 1.0));
    missing(new("nand", "read_us", Some(3), 1.0));
    missing(new("nand", "dies", Some(0), 1.0));
    for value in [1.5, f64::NAN, f64::INFINITY, 1e300] {
        let error = write_values(DEMO, &new("nand", "dies", None, value));
        let error = error.expect_err("no whole number");
        assert!(matches!(error, WriteError::NotAllowed(_, _)), "{error}");
    }
    let error = write_values(DEMO, &new("nand", "erase_us", None, f64::NAN));
    let error = error.expect_err("no number");
    assert!(matches!(error, WriteError::NotAllowed(_, _)), "{error}");
    assert!(matches!(
        write_values("[a", &[]),
        Err(WriteError::Broken(_))
    ));
}

/// Figures may be fitted, or drawn, up to their bounds without violating a rule of models; the
/// entries of a list that is drawn go there together. Fitted figures are tested in each drive that
/// has them, figures that are only drawn in the first.
#[test]
fn shipped_figures_may_take_their_bounds() {
    let mut count = 0;
    let mut wrong = Vec::new();
    let mut tried = BTreeSet::new();
    for shipped in SHIPPED {
        let files = Files::shipped(shipped.name).expect("it is shipped");
        let free = files.free();
        let same = |a: &FreeFigure, b: &FreeFigure| {
            !a.may_be_fitted && (&a.file, &a.table, &a.key) == (&b.file, &b.table, &b.key)
        };
        for together in free.chunk_by(same) {
            let FreeFigure {
                file, table, key, ..
            } = &together[0];
            let first = tried.insert((file.clone(), table.clone(), key.clone()));
            if !first && !together[0].may_be_fitted {
                continue;
            }
            for side in 0..2 {
                let values: Vec<NewValue<'_>> = together
                    .iter()
                    .map(|figure| NewValue {
                        table: &figure.table,
                        key: &figure.key,
                        index: figure.index,
                        value: figure.bounds[side],
                        source: "fitted: to a test",
                    })
                    .collect();
                let of = &together[0];
                let file = files.files().iter().find(|f| f.name == of.file);
                let text = write_values(&file.expect("one of its files").text, &values);
                let mut changed = files.clone();
                let replaced = changed.replace(&of.file, text.expect("it is a number"));
                let sound = replaced.and_then(|()| changed.model());
                if let Err(error) = sound {
                    wrong.push(format!("{}: {error}", shipped.name));
                }
                count += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 1000, "only {count} were tried");
}

/// Unpublished figures without a range: those that define a part, which would be another part with
/// another number; those derived for the host; and seeds.
const STRUCTURE: [&str; 21] = [
    "blocks.seed",
    "controller.cores",
    "controller.l2p_segment_kib",
    "controller.l2p_segments",
    "dram.size_mib",
    "health.rated_written_tb",
    "health.spare_threshold_percent",
    "health.warranty_years",
    "host.max_payload_bytes",
    "host.queue_slots",
    "host.queues",
    "l2p_cache.pages_per_block",
    "media.seed",
    "nand.channels",
    "nand.dies",
    "nand.page_kib",
    "nand.pages_per_block",
    "nand.planes",
    "parity.data_pages",
    "slc_cache.pages_per_block",
    "variation.seed",
];

#[test]
fn what_nobody_published_has_a_range() {
    let mut without = BTreeSet::new();
    let mut structure: BTreeSet<&str> = STRUCTURE.into();
    for text in SHIPPED
        .iter()
        .map(|one| one.text)
        .chain(PARTS.iter().map(|one| one.text))
    {
        let document: toml_edit::DocumentMut = text.parse().expect("it is TOML");
        if document.get("name").and_then(|name| name.as_str()) == Some("demo-8gb") {
            continue;
        }
        for (table, items) in document.iter() {
            // A figure in a list of tables cannot be free.
            let items = items.as_table().into_iter().flat_map(|items| items.iter());
            for (key, figure) in items {
                let Some(figure) = figure.as_inline_table() else {
                    continue;
                };
                let source = figure
                    .get("source")
                    .and_then(|s| s.as_str())
                    .unwrap_or_default();
                let unsure = ["assumed", "remembered", "fitted"];
                let value = figure.get("value");
                let first = value.map(|value| match value.as_array() {
                    Some(list) => list.get(0).unwrap_or(value),
                    None => value,
                });
                let is_zero = |v: &toml_edit::Value| v.as_integer() == Some(0);
                let number = first.is_some_and(|v| v.is_integer() || v.is_float());
                let name = format!("{table}.{key}");
                if number
                    && unsure.iter().any(|word| source.starts_with(word))
                    && !first.is_some_and(is_zero)
                    && !figure.contains_key("free")
                    && !figure.contains_key("free_ratio")
                {
                    match STRUCTURE.contains(&&*name) {
                        true => structure.remove(&*name),
                        false => without.insert(name),
                    };
                }
            }
        }
    }
    assert!(without.is_empty(), "without a range: {without:?}");
    assert!(structure.is_empty(), "excepted for nothing: {structure:?}");
}
