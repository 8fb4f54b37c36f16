//! The outline of the work agrees with the work.

use crate::common::{self, Fake, info, options};
use stend_method::{
    Edition, FILL_BYTES_PER_S, Outline, OutlinedPart, Prospect, ReviewOptions, estimate, outline,
    run_review,
};
use stend_record::review::{Condition, TargetInfo, TargetKind, Text};

/// A target that allows everything.
fn prospect(info: &TargetInfo, can_be_copied: bool) -> Prospect<'_> {
    Prospect {
        info,
        can_be_copied,
        read_only: false,
        trim_supported: true,
    }
}

fn part<'o>(outline: &'o Outline, test: &str, what: &str) -> Option<&'o OutlinedPart> {
    let test = outline.tests.iter().find(|t| t.id == test).unwrap();
    test.parts.iter().find(|part| part.what == what)
}

#[test]
fn quick_takes_five_minutes_on_a_sata_drive() {
    let edition = Edition::load("quick").unwrap();
    for capacity_bytes in [250_059_350_016, 256_060_514_304] {
        let drive = info(TargetKind::BlockDevice, capacity_bytes);
        let asked = estimate(&edition, &ReviewOptions::default(), &drive, false).unwrap();
        let seconds = asked.duration_s(500e6);
        assert!((200.0..=300.0).contains(&seconds), "{seconds} s");
        // Starting jobs and measuring the host's limit may take half a minute.
        assert!(asked.duration_s(FILL_BYTES_PER_S) <= 270.0, "{asked:?}");
    }
    let has = |what: &str| edition.tests.iter().any(|test| test.id == what);
    for test in [
        "sequential",
        "random",
        "mixed",
        "write-burst",
        "flush-latency",
    ] {
        assert!(has(test), "{test}");
    }
}

#[test]
fn every_test_of_every_edition_is_outlined_as_it_is_estimated() {
    for id in Edition::built_in() {
        let edition = Edition::load(id).unwrap();
        let options = ReviewOptions {
            write_budget_bytes: (id == "endurance").then_some(1 << 40),
            ..ReviewOptions::default()
        };
        for copied in [false, true] {
            let kind = match copied {
                true => TargetKind::Simulated,
                false => TargetKind::BlockDevice,
            };
            let drive = info(kind, 256_060_514_304);
            let told = outline(&edition, &options, &prospect(&drive, copied)).unwrap();
            let asked = estimate(&edition, &options, &drive, copied).unwrap();
            assert_eq!(told.total, asked, "{id}");
            assert_eq!(told.states.is_empty(), !copied || id == "endurance", "{id}");
            let ids: Vec<&str> = told.tests.iter().map(|t| t.id.as_str()).collect();
            let expected: Vec<&str> = edition.tests.iter().map(|t| t.id.as_str()).collect();
            assert_eq!(ids, expected);
            for test in &told.tests {
                let with = test.measured_with.as_deref();
                let continues = (test.id == "recovery").then_some("degradation");
                assert_eq!(with, continues, "{id}");
                // Otherwise a reason is given: there is no work on files without a directory.
                let done = with.is_some() || !test.warnings.is_empty();
                assert_ne!(test.parts.is_empty(), !done, "{id}: {}", test.id);
            }
            // The parts add up to the estimate.
            let parts = || told.tests.iter().flat_map(|t| &t.parts).chain(&told.states);
            let timed = parts().filter_map(|p| Some(p.duration_s? * p.times as f64));
            let seconds: f64 = timed.sum();
            assert!(
                (seconds - asked.measured_s - asked.idle_s).abs() < 1e-3,
                "{id}: {seconds}"
            );
        }
    }
}

#[test]
fn points_rounds_and_traces_have_their_lengths() {
    let drive = info(TargetKind::BlockDevice, 256_060_514_304);
    let told = |id: &str| {
        let edition = Edition::load(id).unwrap();
        outline(
            &edition,
            &ReviewOptions::default(),
            &prospect(&drive, false),
        )
        .unwrap()
    };
    let review = told("2014");
    let point = part(&review, "random", "random read, 4 KiB, queue depth 4").unwrap();
    assert_eq!((point.times, point.duration_s), (1, Some(180.0)));
    let fill = part(&review, "sequential", "fill in sequence, 128 KiB").unwrap();
    // `clean` and `filled`.
    assert_eq!((fill.times, fill.bytes), (2, Some(drive.capacity_bytes)));
    let trace = part(&review, "desktop-traces", "replay excel").unwrap();
    assert!(trace.duration_s.is_some_and(|s| s > 10.0), "{trace:?}");
    let rounds = told("snia-pts");
    let load = "random write, 4 KiB, queue depth 32";
    let round = part(&rounds, "write-saturation", load).unwrap();
    assert_eq!((round.times, round.duration_s), (1440, Some(60.0)));
    let database = told("database");
    let beside = "sequential write, 8 KiB, O_DSYNC; beside it random write, 16 KiB, 4 threads, \
                  fsync after every 64 writes";
    let both = part(&database, "log-beside-data", beside).unwrap();
    assert_eq!(both.duration_s, Some(30.0));
}

#[test]
fn options_change_the_plan_as_they_change_the_review() {
    let edition = Edition::load("2014").unwrap();
    let drive = info(TargetKind::File, common::CAPACITY_BYTES);
    let whole = outline(&edition, &options(&[]), &prospect(&drive, false)).unwrap();
    let few = outline(
        &edition,
        &options(&["sequential"]),
        &prospect(&drive, false),
    )
    .unwrap();
    assert_eq!((few.tests.len(), &few.tests[0]), (1, &whole.tests[0]));
    let read_only = Prospect {
        read_only: true,
        ..prospect(&drive, false)
    };
    let told = outline(&edition, &options(&[]), &read_only).unwrap();
    assert_eq!(told.total.written_bytes(), 0);
    let degradation = told.tests.iter().find(|t| t.id == "degradation").unwrap();
    assert!(degradation.warnings[0].in_english().contains("--read-only"));
    assert!(degradation.parts.is_empty());
    let no_trim = Prospect {
        trim_supported: false,
        ..prospect(&drive, false)
    };
    let told = outline(&edition, &options(&["random", "recovery"]), &no_trim).unwrap();
    assert_eq!(part(&told, "random", "TRIM of the whole capacity"), None);
    assert!(
        told.tests[1].warnings[0]
            .in_english()
            .contains("takes no TRIM")
    );
    assert!(outline(&edition, &options(&["nothing"]), &no_trim).is_err());
}

#[test]
fn points_that_are_no_multiples_of_a_sector_are_left_out() {
    let edition = Edition::load("2014").unwrap();
    let mut drive = info(TargetKind::BlockDevice, common::CAPACITY_BYTES);
    let asked = options(&["block-scaling"]);
    let points = |drive: &TargetInfo| {
        let mut told = outline(&edition, &asked, &prospect(drive, false)).unwrap();
        let test = told.tests.remove(0);
        let named = |part: &&OutlinedPart| part.what.contains("512 B");
        (test.parts.iter().filter(named).count(), test.warnings)
    };
    let (small, warnings) = points(&drive);
    assert!(small > 0 && warnings.is_empty(), "{small} {warnings:?}");
    drive
        .facts
        .push(Condition::new("logical-block-bytes", "512"));
    assert_eq!(points(&drive), (small, Vec::new()));
    drive.facts.pop();
    drive
        .facts
        .push(Condition::new("logical-block-bytes", "4096"));
    let (small, warnings) = points(&drive);
    assert_eq!((small, warnings.len()), (0, 1));
    let warning = warnings[0].in_english();
    assert!(warning.contains("sectors of 4096 bytes"), "{warning}");
}

#[test]
fn no_test_of_any_edition_sends_a_part_of_a_sector() {
    let mut drive = info(TargetKind::BlockDevice, common::CAPACITY_BYTES);
    let sector = Condition::new("logical-block-bytes", "4096");
    let budget = ReviewOptions {
        write_budget_bytes: Some(1 << 40),
        ..ReviewOptions::default()
    };
    let small = |part: &OutlinedPart| {
        let sizes = ["512 B", "1 KiB", "1.5 KiB", "2 KiB"];
        sizes
            .iter()
            .any(|size| part.what.contains(&format!(", {size}")))
    };
    // Editions as they are, and one in which the loads of all kinds are small.
    let text = include_str!("../../../editions/2014.toml")
        .replace("\nblock_bytes = 4096\n", "\nblock_bytes = 512\n")
        .replace("\nblock_bytes = [4096]\n", "\nblock_bytes = [512]\n");
    let odd = Edition::parse(&text, "odd.toml").unwrap();
    let editions = Edition::built_in().into_iter();
    let editions = editions.map(|id| Edition::load(id).unwrap());
    for edition in editions.chain([odd]) {
        let usual = outline(&edition, &budget, &prospect(&drive, false)).unwrap();
        drive.facts.push(sector.clone());
        let large = outline(&edition, &budget, &prospect(&drive, false)).unwrap();
        drive.facts.pop();
        for (before, after) in usual.tests.iter().zip(&large.tests) {
            let id = format!("{}/{}", edition.id, after.id);
            assert!(!after.parts.iter().any(small), "{id}: {:?}", after.parts);
            let told = |text: &Text| text.in_english().contains("sectors of 4096 bytes");
            let is_told = after.warnings.iter().any(told);
            assert!(is_told || !before.parts.iter().any(small), "{id}");
        }
    }
}

#[test]
fn what_is_outlined_is_what_is_done() {
    let edition = Edition::load("database").unwrap();
    let fake = Fake::real();
    let spy = fake.spy.clone();
    let drive = info(TargetKind::File, common::CAPACITY_BYTES);
    let tests = options(&["durability-cost", "log-beside-data"]);
    let told = outline(&edition, &tests, &prospect(&drive, false)).unwrap();
    let review = run_review(Box::new(fake), &edition, &tests, &|_| {}).unwrap();
    assert!(review.complete, "{:?}", review.failed);
    let done = spy.log.lock().unwrap();
    let fills = done.iter().filter(|what| what.starts_with("fill ")).count();
    let part = part(&told, "durability-cost", "fill in sequence, 128 KiB").unwrap();
    assert_eq!((fills, part.times), (1, 1), "{done:?}");
    let points = |id: &str| {
        let test = told.tests.iter().find(|t| t.id == id).unwrap();
        let loads = test.parts.iter().filter(|p| p.what.contains(" write, "));
        loads.map(|p| p.times as usize).sum::<usize>()
    };
    assert_eq!(points("durability-cost"), 7);
    for test in &review.tests {
        assert_eq!(test.sync().len(), points(&test.id), "{}", test.id);
    }
}
