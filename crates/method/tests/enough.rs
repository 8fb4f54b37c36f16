//! Measurements that end when their speed has settled: those that end early, those that do not, and
//! equality of their figures.

use stend_load::target::Target;
use stend_method::{Edition, Ending, EndsWhen, Event, ReviewOptions, run_review};
use stend_model::Model;
use stend_record::review::{Review, TestResult, Text};
use stend_simulated::SimulatedTarget;

use crate::common::test;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

const EDITION: &str = r#"
schema = "stend.edition/1"
id = "settling"
title = "Reads, writes and a curve"
percentiles = [50, 90, 95, 99, 99.9, 99.99, 99.999]
pause_s = 1

[[state]]
id = "filled"
title = "filled once, at rest"
steps = [{ fill = { block_bytes = 131_072, queue_depth = 32 } }, { idle = { duration_s = 60 } }]
again = ["trim"]

[[state]]
id = "trimmed"
title = "given TRIM"
from = "filled"
steps = ["trim"]

[[test]]
id = "points"
title = "Points"
method = "One of reads, one of writes."

[[test.sweep]]
op = "read"
state = "filled"
pattern = "random"
block_bytes = [4096]
queue_depth = [1]
threads = 1
duration_s = 60

[[test.sweep]]
op = "write"
state = "filled"
pattern = "random"
block_bytes = [4096]
queue_depth = [1]
threads = 1
duration_s = 8

[[test]]
id = "room"
title = "Room"
method = "Writes that find room."

[[test.sweep]]
op = "write"
state = "trimmed"
pattern = "random"
block_bytes = [4096]
queue_depth = [1]
threads = 1
duration_s = 20

[[test]]
id = "curve"
title = "Curve"
method = "Writes."

[test.curve]
name = "fresh"
op = "write"
state = "filled"
pattern = "random"
block_bytes = 4096
queue_depth = 1
threads = 1
duration_s = 1800
sample_ms = 1000

[[test]]
id = "again"
title = "And again"
method = "After a rest, and after TRIM."

[test.continue]
after = "curve"
steps = [
    { idle = { duration_s = 10 } },
    { measure = { name = "after idle", duration_s = 1800 } },
    "trim",
    { measure = { name = "after TRIM", duration_s = 1800 } },
]
"#;

/// A drive of 64 MiB that takes two milliseconds for a write, with or without an SLC cache.
fn model(cache: bool) -> Model {
    let mut text = DEMO.to_owned();
    if !cache {
        let of = "\n[slc_cache]\nenabled = { value = ";
        text = text.replace(&format!("{of}true"), &format!("{of}false"));
    }
    for (key, was, now) in [
        ("user_bytes", "8000000000", "67108864"),
        ("blocks_per_plane", "860", "30"),
        ("blocks_per_plane", "110", "20"),
        ("write_command_ns", "12000", "2000000"),
    ] {
        let from = format!("\n{key} = {{ value = {was},");
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        text = text.replace(&from, &format!("\n{key} = {{ value = {now},"));
    }
    Model::parse(&text, "small").unwrap()
}

fn review(ends_when: Option<EndsWhen<'_>>) -> Review {
    review_of(model(true), ends_when)
}

fn review_of(model: Model, ends_when: Option<EndsWhen<'_>>) -> Review {
    let edition = Edition::parse(EDITION, "settling").unwrap();
    let options = ReviewOptions {
        ends_when,
        ..ReviewOptions::default()
    };
    let target: Box<dyn Target> = Box::new(SimulatedTarget::new(model));
    run_review(target, &edition, &options, &|_| {}).unwrap()
}

fn remarks(test: &TestResult) -> Vec<String> {
    let said = test.warnings.iter().map(Text::in_english);
    said.filter(|w| w.contains("ended after")).collect()
}

fn ends_s(test: &TestResult) -> Vec<f64> {
    let curves = test.curves().iter();
    curves.map(|c| c.samples.last().unwrap().t_s).collect()
}

#[test]
fn what_settles_ends_early_with_the_figure_of_the_whole() {
    let whole = review(None);
    let short = review(Some(&|_, _| Ending::Settled));
    assert!(short.failed.is_empty(), "{:?}", short.failed);
    assert!(whole.tests.iter().all(|test| remarks(test).is_empty()));

    let (points, all) = (test(&short, "points"), test(&whole, "points"));
    let said = remarks(points);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("after 2.5 s of 60 s"), "{said:?}");
    let (points, all) = (points.points(), all.points());
    let error = points[0].iops / all[0].iops - 1.0;
    assert!(error.abs() < 0.005, "{error}");
    assert_eq!(
        points[1], all[1],
        "a point that writes is measured to the end on a full drive"
    );
    assert!(
        remarks(test(&short, "room")).is_empty(),
        "a cache may be full at last"
    );

    // 64 MiB at about 500 requests a second: 1.5 capacities are written after 49 s. It then needs
    // five rounds of two minutes, in the first of which write amplification may still change; the
    // same on the drive after TRIM.
    for (id, curves) in [("curve", 1), ("again", 3)] {
        let (some, all) = (test(&short, id), test(&whole, id));
        assert_eq!(remarks(some).len(), curves, "{:?}", some.warnings);
        for (t_s, whole_s) in ends_s(some).into_iter().zip(ends_s(all)) {
            let rounds = t_s / 120.0;
            assert!(
                (5.0..8.1).contains(&rounds) && rounds.fract() < 0.01,
                "{t_s}"
            );
            assert!((1799.0..1802.0).contains(&whole_s), "{whole_s}");
        }
        let early = |w: &Text| w.in_english().contains("log ends early");
        assert!(!some.warnings.iter().any(early), "{:?}", some.warnings);
    }
}

#[test]
fn a_test_that_may_not_end_early_is_whole_with_every_curve_that_is_part_of_it() {
    let short = review(Some(&|id, curve| match (id, curve) {
        ("again", Some("after TRIM")) => Ending::Begun,
        ("again", Some("after idle")) => Ending::Fallen,
        ("again", _) => Ending::Settled,
        _ => Ending::Whole,
    }));
    assert!(remarks(test(&short, "points")).is_empty());
    // The fresh curve is a result of both tests.
    assert!(remarks(test(&short, "curve")).is_empty());
    let again = test(&short, "again");
    assert_eq!(remarks(again).len(), 2, "{:?}", again.warnings);
    let ends = ends_s(again);
    assert!((1799.0..1802.0).contains(&ends[0]), "{ends:?}");
    // Nothing is recovered; then only the start.
    assert!((119.0..122.0).contains(&ends[1]), "{ends:?}");
    assert!((29.0..32.0).contains(&ends[2]), "{ends:?}");
}

#[test]
fn writes_end_early_where_the_drive_has_room_with_the_figure_of_the_whole() {
    let whole = review_of(model(false), None);
    let short = review_of(model(false), Some(&|_, _| Ending::Settled));
    let said = remarks(test(&short, "room"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("after 2 s of 20 s"), "{said:?}");
    for id in ["room", "points"] {
        let (some, all) = (test(&short, id), test(&whole, id));
        assert!(!some.points().is_empty(), "{id}");
        for (some, all) in some.points().iter().zip(all.points()) {
            let error = some.iops / all.iops - 1.0;
            assert!(error.abs() < 0.005, "{id}: {error}");
        }
    }
}

#[test]
fn the_share_of_work_rises_inside_a_curve() {
    let options = ReviewOptions {
        tests: Some(vec!["curve".to_owned()]),
        curves_grow: true,
        ..ReviewOptions::default()
    };
    let grown = parking_lot::Mutex::new(Vec::new());
    let observe = |event: Event<'_>| match event {
        Event::PointStarted { left, .. } => grown.lock().push((left.untimed, 0.0)),
        Event::CurveGrew {
            left, share_done, ..
        } => grown.lock().push((left.untimed, share_done)),
        Event::PointFinished {
            left, share_done, ..
        } => grown.lock().push((left.untimed, share_done)),
        _ => {}
    };
    let edition = Edition::parse(EDITION, "settling").unwrap();
    let target: Box<dyn Target> = Box::new(SimulatedTarget::new(model(true)));
    run_review(target, &edition, &options, &observe).unwrap();
    let grown = grown.into_inner();
    assert!(grown.len() > 20, "{grown:?}");
    assert!(grown.is_sorted_by(|one, next| one.0 >= next.0 && one.1 <= next.1));
    // Nearly all of the curve's share is gained before its end.
    let [.., (before, _), (after, _)] = grown[..] else {
        panic!("{grown:?}");
    };
    assert!(before - after < 0.05 * (grown[0].0 - after), "{grown:?}");
}
