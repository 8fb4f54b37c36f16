//! A drive with a fraction of its capacity, under an edition with the same fraction of the time,
//! reaches the same speeds after the same share of its capacity.

use stend_analysis::{end_level, recovery};
use stend_method::edition::{ContinuationStep, Step, TestKind};
use stend_method::{Edition, ReviewOptions, run_review};
use stend_model::Model;
use stend_record::review::{Review, Series};
use stend_simulated::SimulatedTarget;

use crate::common::test;

const BY: u32 = 4;

const EDITION: &str = r#"
schema = "stend.edition/1"
id = "scaled"
title = "A point and a curve"
percentiles = [50, 90, 95, 99, 99.9, 99.99, 99.999]
pause_s = 1

[[state]]
id = "clean"
title = "filled once, given TRIM, at rest"
steps = [
    { fill = { block_bytes = 131_072, queue_depth = 32 } },
    "trim",
    { idle = { duration_s = 60 } },
]

[[test]]
id = "sequential"
title = "Sequential writes"
method = "Into the cache."

[[test.sweep]]
op = "write"
state = "clean"
pattern = "sequential"
block_bytes = [262_144]
queue_depth = [1]
threads = 1
duration_s = 8

[[test]]
id = "degradation"
title = "Lasting random writes"
method = "Until garbage collection has passed over all blocks."

[test.curve]
name = "fresh"
op = "write"
state = "clean"
pattern = "random"
block_bytes = 4096
queue_depth = 32
threads = 1
duration_s = 400
sample_ms = 1000
"#;

fn measured(model: Model, edition: &Edition) -> Review {
    let target = Box::new(SimulatedTarget::new(model));
    run_review(target, edition, &ReviewOptions::default(), &|_| {}).expect("it is measured")
}

fn curve(review: &Review) -> &Series {
    &test(review, "degradation").curves()[0]
}

#[test]
fn a_fraction_of_a_drive_comes_to_the_same_speeds_in_the_same_order() {
    let model = Model::shipped("demo-8gb").expect("it is shipped");
    let edition = Edition::parse(EDITION, "scaled.toml").expect("it is sound");
    let whole = measured(model.clone(), &edition);
    let fraction = measured(
        model.scaled(BY).expect("it is large enough"),
        &edition.scaled(BY).expect("it has no captured trace"),
    );

    let bw = |review: &Review| test(review, "sequential").points()[0].bw_bytes_per_s;
    let close = |what: &str, (whole, fraction): (f64, f64), share: f64| {
        let error = fraction / whole - 1.0;
        assert!(error.abs() < share, "{what}: {whole} against {fraction}");
    };
    close("sequential writes", (bw(&whole), bw(&fraction)), 0.03);

    let whole = curve(&whole);
    let fraction = curve(&fraction).clone().scaled_back(BY);
    let last = |series: &Series| series.samples.last().expect("it has samples").t_s;
    close("its length", (last(whole), last(&fraction)), 0.001);
    let end = |series: &Series| end_level(series).expect("it is long enough");
    close("the end", (end(whole), end(&fraction)), 0.05);
    let written = |series: &Series| series.samples.last().expect("it has").written_bytes as f64;
    close(
        "all that is written",
        (written(whole), written(&fraction)),
        0.05,
    );
    let fast = |series: &Series| {
        let fallen = recovery(series, end(whole)).expect("it falls");
        fallen.bytes as f64
    };
    close(
        "what is fast at first",
        (fast(whole), fast(&fraction)),
        0.05,
    );
}

#[test]
fn an_eighth_of_an_edition_takes_an_eighth_of_the_time_and_room() {
    let whole = Edition::load("2018").expect("it is shipped");
    let eighth = whole.scaled(8).expect("it has no captured trace");
    let state = eighth.states.iter().find(|state| state.id == "filled");
    assert_eq!(
        state.expect("it has the state").steps,
        [
            Step::Fill {
                block_bytes: 131_072,
                queue_depth: 32,
                region_bytes: Some(4 << 30)
            },
            Step::Idle { duration_s: 112.5 },
        ]
    );
    let test = |id: &str| {
        let mut tests = eighth.tests.iter();
        &tests.find(|test| test.id == id).expect("it is there").kind
    };
    let TestKind::Curve(curve) = test("degradation") else {
        panic!("a curve");
    };
    assert_eq!((curve.duration_s, curve.sample_ms), (Some(900.0), 125));
    let TestKind::Response(response) = test("trim-response") else {
        panic!("a response");
    };
    assert_eq!(response.load.region_bytes, Some(4 << 30));
    assert_eq!(
        (response.file_bytes, response.command_bytes),
        (4 << 30, 128 << 20)
    );
    let TestKind::Continue(next) = test("recovery") else {
        panic!("a continuation");
    };
    assert_eq!(next.curve.sample_ms, 125);
    assert_eq!(
        next.steps[0],
        ContinuationStep::Do(Step::Idle { duration_s: 112.5 })
    );
    assert_ne!(eighth.sha256, whole.sha256);
    assert_eq!(whole.scaled(1).expect("it is the whole"), whole);
}
