//! `stend replay` and `stend traces`, from outside.

use crate::common;

use std::fs;

use common::{fails, folder, have, json, number, ok};

const TRACE: &str = "fio version 3 iolog\n1 x add\n1 x open\n1 x write 0 65536\n\
    20001 x read 0 4096\n20001 x sync 0 0\n40001 x trim 0 65536\n60001 x read 4096 4096\n\
    60001 x close\n";

#[test]
fn a_trace_in_a_file_on_a_simulated_drive() {
    let dir = folder();
    fs::write(dir.path().join("t.log"), TRACE).unwrap();
    let on = ["replay", "t.log", "--on", "demo-8gb", "--json"];
    let result = json(&ok(dir.path(), &on).stdout);
    assert_eq!(result["schema"], "stend.replay/1");
    assert_eq!(result["timing"], "original");
    let counts =
        ["read", "write", "trim", "flush"].map(|op| result["ops"][op]["requests"].as_u64());
    assert_eq!(counts, [2, 1, 1, 1].map(Some));
    assert_eq!(result["moved_bytes"], 65536 + 8192);
    assert_eq!(result["late_requests"], 0);
    let (busy, elapsed) = (number(&result["busy_ns"]), number(&result["elapsed_ns"]));
    assert!(elapsed > 60e6 && busy < 2e6, "{busy} {elapsed}");
    assert!(result["ops"]["trim"]["latency_ns_mean"].is_number());
    let text = ok(dir.path(), &on[..4]).stdout;
    assert!(text.contains("MB of 10^6 bytes"), "{text}");
    let mut busy_args = on.to_vec();
    busy_args.extend(["--timing", "busy"]);
    let result = json(&ok(dir.path(), &busy_args).stdout);
    assert_eq!(result["busy_ns"], result["elapsed_ns"]);
    assert!(number(&result["left_out_ns"]) > 55e6);
}

#[test]
fn the_beginning_of_a_trace_alone() {
    let dir = folder();
    let text = "fio version 3 iolog\n0 x add\n0 x open\n0 x write 0 65536\n\
                2000000 x read 0 4096\n3000000 x read 4096 4096\n10000000 x read 8192 4096\n";
    fs::write(dir.path().join("t.log"), text).unwrap();
    let replay = |scale: &str| {
        let on = [
            "replay",
            "t.log",
            "--on",
            "demo-8gb",
            "--json",
            "--duration-scale",
        ];
        json(&ok(dir.path(), &[&on[..], &[scale]].concat()).stdout)
    };
    let (whole, half, least) = (replay("1"), replay("0.5"), replay("0.01"));
    let count = |result: &serde_json::Value| number(&result["requests"]);
    assert_eq!([&whole, &half, &least].map(count), [4.0, 3.0, 1.0]);
    assert_eq!(number(&half["moved_bytes"]), 65536.0 + 8192.0);
    assert_eq!(number(&half["holds"]["ops"]["read"]["requests"]), 2.0);
    assert_eq!(number(&half["replayed_share"]), 0.5);
    assert_eq!(number(&whole["replayed_share"]), 1.0);
    let said = "only a beginning: the first 50 % of the trace, 5.0 of 10.0 s";
    assert!(half["limits"].to_string().contains(said), "{half}");
    assert!(
        !whole["limits"].to_string().contains("beginning"),
        "{whole}"
    );
    for scale in ["0", "1.5", "NaN"] {
        let args = [
            "replay",
            "t.log",
            "--on",
            "demo-8gb",
            "--duration-scale",
            scale,
        ];
        fails(
            dir.path(),
            &args,
            2,
            &["--duration-scale", "above 0", "0.1"],
        );
    }
}

#[test]
fn a_synthesised_trace_is_its_file() {
    let dir = folder();
    let made = ["traces", "make", "excel", "--out", "excel.log"];
    ok(dir.path(), &made);
    fails(dir.path(), &made, 3, &["excel.log", "already"]);
    let replay = |name: &str| {
        let args = ["replay", name, "--on", "demo-8gb", "--json"];
        json(&ok(dir.path(), &args).stdout)
    };
    let (named, file) = (replay("excel"), replay("excel.log"));
    assert_eq!(named["ops"], file["ops"]);
    assert_eq!(named["busy_ns"], file["busy_ns"]);
    let said = named["limits"][0].as_str().unwrap();
    assert!(
        said.contains("totals published, structure assumed"),
        "{said}"
    );
    assert_eq!(file["limits"].as_array().unwrap().len(), 0);
    assert_eq!(named["holds"]["ops"]["write"]["bytes"], 15_000_064);
}

#[test]
fn trim_that_a_drive_does_not_have_is_told() {
    let dir = folder();
    fs::write(dir.path().join("t.log"), TRACE).unwrap();
    let limits = |set: &[&str]| {
        let args = [&["replay", "t.log", "--on", "demo-8gb", "--json"], set].concat();
        json(&ok(dir.path(), &args).stdout)["limits"].clone()
    };
    assert_eq!(limits(&[]), serde_json::json!([]));
    let without = limits(&["--set", "trim.enabled=false"]);
    let said = without[0].as_str().unwrap();
    assert!(
        said.contains("no TRIM (trim.enabled): TRIM requests changed nothing (1)"),
        "{said}"
    );
}

#[test]
fn reads_of_space_without_data_are_told() {
    let dir = folder();
    let replay = |args: &[&str]| {
        let args = [&["replay", "excel", "--json", "--on"], args].concat();
        json(&ok(dir.path(), &args).stdout)
    };
    let new = replay(&["demo-8gb"]);
    assert!(number(&new["unwritten_reads"]) > 1000.0, "{new}");
    assert!(
        new["warnings"][0]
            .as_str()
            .unwrap()
            .contains("never written")
    );
    let filled = replay(&["demo-8gb", "--fill"]);
    assert_eq!(filled["unwritten_reads"], 0);
    assert_eq!(
        (&new["fill"], &filled["fill"]),
        (&serde_json::Value::Null, &"rest".into())
    );
    let busy = replay(&["demo-8gb", "--fill=busy"]);
    assert_eq!(busy["fill"], "busy");
    assert_ne!(busy["ops"], filled["ops"], "a rest changes nothing");
    assert_eq!(filled["warnings"].as_array().unwrap().len(), 0);
    let text = |more: &[&str]| {
        let args = [&["replay", "excel", "--on", "demo-8gb"], more].concat();
        ok(dir.path(), &args).stdout
    };
    assert!(text(&["--fill"]).contains("demo-8gb, filled and rested: timing"));
    assert!(text(&["--fill=busy"]).contains("demo-8gb, filled, without a rest: timing"));
    let text = text(&[]);
    let line = |part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(line("warning:") < line("  read "), "{text}");

    if !have(&["fio"]) {
        return;
    }
    // A new file is written completely before the replay; a file whose second half has no data is
    // reported.
    fs::write(dir.path().join("t.log"), TRACE).unwrap();
    let beyond = TRACE.replace("read 4096 4096", "read 786432 4096");
    fs::write(dir.path().join("half.log"), beyond).unwrap();
    let half = "[w]\nrw=write\nbs=64k\nsize=512k\n";
    fs::write(dir.path().join("half.fio"), half).unwrap();
    ok(
        dir.path(),
        &["run", "half.fio", "--on", "./half.bin", "--size", "1MiB"],
    );
    let unwritten = |trace, on: &[&str]| {
        let args = [&["replay", trace, "--json", "--on"], on].concat();
        json(&ok(dir.path(), &args).stdout)["unwritten_reads"].clone()
    };
    assert_eq!(unwritten("t.log", &["./half.bin"]), 0);
    assert_eq!(unwritten("half.log", &["./half.bin"]), 1);
    assert_eq!(unwritten("half.log", &["./new.bin", "--size", "1MiB"]), 0);
    assert_eq!(unwritten("half.log", &["./half.bin", "--fill=busy"]), 0);
}

#[test]
fn bad_input_says_what_to_do() {
    let dir = folder();
    let path = dir.path();
    fs::write(path.join("t.log"), TRACE).unwrap();
    let beyond = TRACE.replace("read 0 4096", "read 8000000000 4096");
    fs::write(path.join("far.log"), beyond).unwrap();
    let on = |trace: &'static str, more: &[&'static str]| {
        [&["replay", trace, "--on", "demo-8gb"], more].concat()
    };
    fails(
        path,
        &on("nothing", &[]),
        3,
        &["no trace `nothing`", "photoshop-light"],
    );
    fails(path, &on("far.log", &[]), 3, &["far.log:5:", "--fit wrap"]);
    let said = ok(path, &on("far.log", &["--fit", "wrap"])).stdout;
    assert!(said.contains("1 request moved"), "{said}");
    fails(path, &on("t.log", &["--timing", "fast"]), 3, &["--depth"]);
    fails(path, &on("t.log", &["--depth", "0"]), 2, &["from 1 to"]);
    fs::write(
        path.join("far.csv"),
        "0,h,0,Write,0,4096,1\n18000000000000000,h,0,Write,0,4096,1\n",
    )
    .unwrap();
    fails(path, &on("far.csv", &[]), 3, &["virtual time ends after"]);
    ok(path, &on("far.csv", &["--timing", "busy"]));
    fails(path, &on("t.log", &["--only", "y"]), 3, &["`y`"]);
    fails(path, &on("excel", &["--only", "y"]), 3, &["--only"]);
    let real = [
        "replay",
        "t.log",
        "--on",
        "./new.bin",
        "--size",
        "1MiB",
        "--timing",
        "busy",
    ];
    fails(path, &real, 3, &["--timing busy"]);
    assert!(!path.join("new.bin").exists());
    let blank = ["traces", "make", "excel", "--out", "e", "--file", "a b"];
    fails(path, &blank, 3, &["--file"]);
    assert!(!path.join("e").exists());
}

#[test]
fn one_trace_on_a_real_file_and_on_a_simulated_drive() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    fs::write(dir.path().join("t.log"), TRACE).unwrap();
    let run = |on: &[&str]| {
        let all = [&["replay", "t.log", "--json", "--on"], on].concat();
        json(&ok(dir.path(), &all).stdout)
    };
    let simulated = run(&["demo-8gb"]);
    let real = run(&["./real file.bin", "--size", "1MiB"]);
    for op in ["read", "write", "flush"] {
        for key in ["requests", "bytes"] {
            assert_eq!(
                real["ops"][op][key], simulated["ops"][op][key],
                "{op} {key}"
            );
        }
    }
    assert_eq!(real["ops"]["trim"]["requests"], 0);
    let limits = real["limits"].to_string();
    for part in ["1 TRIMs were left out", "1 flushes", "whole ms"] {
        assert!(limits.contains(part), "{part}: {limits}");
    }
    let (busy, elapsed) = (number(&real["busy_ns"]), number(&real["elapsed_ns"]));
    assert!(
        elapsed >= 59e6,
        "the times of the trace were kept: {elapsed}"
    );
    assert!(busy > 0.0 && busy < elapsed, "{busy} of {elapsed}");
    let shape = |result| {
        let mut paths = common::key_paths(result);
        // No limits apply to a simulated drive; warnings may occur on a machine under load.
        paths.remove(".limits[]");
        paths.remove(".warnings[]");
        paths
    };
    assert_eq!(shape(&real), shape(&simulated));
    let fast = run(&["./real file.bin", "--timing", "fast", "--depth", "2"]);
    assert_eq!(fast["moved_bytes"], simulated["moved_bytes"]);
    assert!(fast["lateness_ns_max"].is_null());
}
