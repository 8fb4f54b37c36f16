//! Reviews that are written are read back, after any steps in between.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rusqlite::Connection;
use stend_lab::{EntryId, Format, Kind, Lab, LabError, Merged};
use stend_lab::{RunContext, RunId, RunState, RunSummary, TABLES, Table};
use stend_lab::{bin, work};
use stend_record::endurance::Health;
use stend_record::figure::{FigureId, RepeatedFigure};
use stend_record::latency::LatencyHalfWidths;
use stend_record::load::Load;
use stend_record::review::{
    AfterRest, Condition, FailedTest, IntervalLatency, Ladder, LatencySummary, Link, Pattern,
    Point, PointOp, PointPart, Results, Review, Rival, Rung, SCHEMA, Sample, Series, SeriesPoint,
    TargetInfo, TargetKind, TemperatureSample, TestResult, Text,
};
use stend_record::smart::{BeforeAfter, Reading};
use stend_record::study::{Cell, Study, StudyRow};
use tempfile::TempDir;

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place {
            folder: TempDir::new().unwrap(),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn lab(&self) -> Lab {
        Lab::open(&self.file("lab.db")).unwrap()
    }
}

fn at(now_unix_ms: i64) -> RunContext<'static> {
    RunContext {
        folder: Path::new("/reports/one"),
        edition_sha256: "00ff",
        measurement_key: None,
        stend_version: "0.1.0",
        stend_commit: None,
        now_unix_ms,
    }
}

fn condition(id: &'static str, value: &str) -> Condition {
    Condition::new(id, value)
}

fn latency(n: u64) -> LatencySummary {
    LatencySummary {
        requests: 1_000 * (n / 2),
        mean: n as f64 / 3.0,
        p50: n,
        p99: n + 1,
        p99_9: n + 2,
        p99_99: n + 3,
        p99_999: n + 4,
        max: n + 5,
        half_widths: n.is_multiple_of(2).then(|| LatencyHalfWidths {
            mean: n as f64 / 7.0,
            ..LatencyHalfWidths::default()
        }),
    }
}

fn point(n: u64) -> Point {
    Point {
        load: Load {
            op: PointOp::Mixed,
            pattern: Pattern::Random,
            block_bytes: 4096 << (n % 5),
            queue_depth: 1 + n as u32,
            threads: 2,
            read_percent: 70,
            region_bytes: n.is_multiple_of(2).then_some(1 << 30),
        },
        state: n.is_multiple_of(2).then(|| "clean".to_owned()),
        duration_s: 60.0,
        repeated_iops: (0..n).map(|i| 0.1 * i as f64).collect(),
        repeated_latency_mean_ns: (0..n).map(|i| 1e5 + i as f64).collect(),
        iops: 1e5 / (n + 1) as f64,
        bw_bytes_per_s: 4.096e8 / (n + 1) as f64,
        cpu_ns_per_request: n.is_multiple_of(2).then_some(1234.5 + n as f64),
        power_w: n.is_multiple_of(3).then_some(0.5 + n as f64),
        latency_ns: latency(n),
        latency_histogram: n.is_multiple_of(3).then(|| "HISTFAAAA".to_owned()),
        parts: vec![PointPart {
            op: PointOp::Read,
            iops: 0.1 + n as f64,
            repeated_iops: (0..n).map(|i| 0.3 * i as f64).collect(),
            bw_bytes_per_s: 0.3,
            latency_ns: latency(7 * n),
        }],
    }
}

fn series(n: u64) -> Series {
    Series {
        name: format!("curve {n}"),
        after: (n > 1).then_some(AfterRest {
            idle_s: 30.0,
            trim: n.is_multiple_of(2),
        }),
        point: SeriesPoint {
            op: PointOp::Write,
            pattern: Pattern::Random,
            block_bytes: 4096,
            queue_depth: 32,
        },
        interval_s: 1.0,
        range_bytes: n.is_multiple_of(2).then_some(1 << 38),
        samples: (1..=n)
            .map(|t| Sample {
                t_s: t as f64 / 3.0,
                written_bytes: t * 4096,
                iops: 1e6 / t as f64,
            })
            .collect(),
        interval_latency: (n > 2)
            .then(|| IntervalLatency::of((0..n).map(|i| [80_000 + i, 1_234_567, 98_765_432 * i]))),
        temperatures: (0..n / 2)
            .map(|t| TemperatureSample {
                t_s: t as f64 * 10.0,
                celsius: 31.5,
            })
            .collect(),
        cpu_ns_per_request: n.is_multiple_of(2).then_some(987.5 + n as f64),
        power_w: n.is_multiple_of(3).then_some(0.25),
        latency_ns: latency(n),
        latency_histogram: n.is_multiple_of(3).then(|| "HISTFAAAA".to_owned()),
    }
}

fn rung() -> Rung {
    Rung {
        name: "rest-30s".to_owned(),
        idle_s: 30.0,
        trim: false,
        iops_start: 9.5,
        recovered_bytes: 1 << 30,
        fell: true,
    }
}

fn test(id: &str, n: u64) -> TestResult {
    TestResult {
        id: id.to_owned(),
        title: format!("Test {id}").into(),
        method: "4 KiB \u{2026}".to_owned().into(),
        results: match n {
            0 => None,
            5 => Some(Results::Ladder(Ladder {
                series: (0..n).map(series).collect(),
                rungs: vec![rung()],
            })),
            n if n.is_multiple_of(2) => Some(Results::Points((0..n).map(point).collect())),
            n => Some(Results::Curve((0..n).map(series).collect())),
        },
        repeated: (0..n)
            .map(|i| RepeatedFigure {
                figure: FigureId::AllTraces,
                unit: "iops".to_owned(),
                values: vec![0.1, i as f64],
            })
            .collect(),
        warnings: vec!["a \"quoted\" warning,\nin two lines".to_owned().into(); n as usize % 3],
        ..TestResult::default()
    }
}

fn review(title: &str, tests: Vec<TestResult>) -> Review {
    Review {
        schema: SCHEMA.to_owned(),
        target: TargetInfo {
            name: "/dev/sdx".to_owned(),
            title: title.to_owned(),
            kind: TargetKind::BlockDevice,
            capacity_bytes: 240_057_409_536,
            facts: vec![
                condition("serial-number", "S1"),
                condition("firmware", "F1"),
            ],
            ..TargetInfo::default()
        },
        edition: "2014".to_owned(),
        edition_title: "The edition of 2014".to_owned().into(),
        seed: u64::MAX,
        duration_scale: 0.1,
        repeat: 3,
        until_steady: Some("random-write-4k".to_owned()),
        complete: false,
        conditions: vec![condition("write-cache", "on")],
        environment: vec![
            condition("kernel", "Linux 6.1"),
            condition("fio", "fio-3.33"),
        ],
        reproduce: "stend review /dev/sdx".to_owned(),
        label: Some("the cold one".to_owned()),
        note: Some("in a fridge".to_owned()),
        tests,
        failed: Vec::new(),
        read_only: true,
        unfinished: vec![test("begun", 2)],
        rivals: Vec::new(),
        others: Vec::new(),
        smart: Some(BeforeAfter {
            before: Some(reading(40)),
            after: None,
            missing: None,
        }),
    }
}

fn reading(celsius: i64) -> Reading {
    Reading {
        health: Health {
            temperature_c: Some(celsius),
            ..Health::default()
        },
        document: serde_json::json!({
            "smartctl": { "exit_status": 0 },
            "temperature": { "current": celsius },
            "odd": [1.5, null, "text"],
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Tests are saved in any order and number, some are run again or removed; the review that is
    /// read back is the last one saved.
    #[test]
    fn what_is_saved_is_read_back(
        sizes in proptest::collection::vec(0_u64..7, 1..6),
        steps in proptest::collection::vec((0_usize..6, 0_u8..4), 1..8),
        with_rival: bool,
    ) {
        let place = Place::new();
        let mut lab = place.lab();
        let mut all: Vec<TestResult> = sizes.iter().enumerate()
            .map(|(nth, &n)| test(&format!("test-{nth}"), n)).collect();
        let mut partial = review("One", Vec::new());
        let run = lab.begin(&partial, &at(1)).unwrap();
        let mut chosen = std::collections::BTreeSet::new();
        for (now, &(step, what)) in (2_i64..).zip(&steps) {
            let nth = step % all.len();
            match what {
                0 if chosen.contains(&nth) => {
                    chosen.remove(&nth);
                }
                1 => all[nth] = test(&all[nth].id, now as u64),
                _ => {
                    chosen.insert(nth);
                }
            }
            partial.tests = chosen.iter().map(|&n| all[n].clone()).collect();
            let failed = (0..all.len()).find(|n| !chosen.contains(n));
            partial.failed = failed.into_iter().map(|n| FailedTest {
                id: all[n].id.clone(),
                error: format!("broken at {now}"),
            }).collect();
            partial.complete = partial.failed.is_empty();
            if let Some(smart) = &mut partial.smart {
                smart.after = partial.complete.then(|| reading(40 + now));
            }
            if with_rival && partial.complete {
                partial.rivals = vec![Rival {
                    target: review("Two", Vec::new()).target,
                    tests: partial.tests.clone(),
                    unfinished: vec![test("begun there", 3)],
                }];
            }
            lab.save(run, &partial, &at(now)).unwrap();
            prop_assert_eq!(&lab.review(run).unwrap(), &partial);
        }
        // The same review by another connection, which only reads.
        let looked = Lab::look(lab.path()).unwrap().unwrap();
        prop_assert_eq!(&looked.review(run).unwrap(), &partial);
    }
}

#[test]
fn a_run_is_found_again() {
    let place = Place::new();
    let mut lab = place.lab();
    let mut partial = review("One", vec![test("a", 2)]);
    assert_eq!(lab.last_of(&partial, &at(1)).unwrap(), None);
    let run = lab.begin(&partial, &at(1)).unwrap();
    assert_eq!(lab.last_of(&partial, &at(2)).unwrap(), Some(run));
    for other in [
        Review {
            seed: 2,
            ..partial.clone()
        },
        Review {
            edition: "2018".to_owned(),
            ..partial.clone()
        },
        Review {
            duration_scale: 1.0,
            ..partial.clone()
        },
        review("Two", Vec::new()),
    ] {
        assert_eq!(lab.last_of(&other, &at(2)).unwrap(), None);
    }
    let elsewhere = RunContext {
        folder: Path::new("/reports/two"),
        ..at(2)
    };
    assert_eq!(lab.last_of(&partial, &elsewhere).unwrap(), None);
    lab.resume(run, 5).unwrap();
    assert_eq!(lab.run(run).unwrap().breaks, 1);
    partial.complete = true;
    lab.save(run, &partial, &at(6)).unwrap();
    assert_eq!(lab.last_of(&partial, &at(7)).unwrap(), Some(run));
    let found = lab.run(run).unwrap();
    assert_eq!((found.state, found.tests_finished), (RunState::Complete, 1));
    assert_eq!((found.begun_unix_ms, found.saved_unix_ms), (1, 6));
    assert_eq!(found.drive.serial, "S1");
}

/// The state that a program leaves if it is killed while it creates a lab, or changes the journal
/// mode.
#[test]
fn half_a_change_is_undone_by_who_looks_next() {
    let place = Place::new();
    let whole = review("One", vec![test("a", 5)]);
    let run = place.lab().begin(&whole, &at(1)).unwrap();
    let changing = Connection::open(place.file("lab.db")).unwrap();
    let begin = "PRAGMA journal_mode = DELETE; BEGIN; UPDATE runs SET target = 'half';";
    changing.execute_batch(begin).unwrap();
    changing.cache_flush().unwrap();
    for [from, to] in [["lab.db", "cut.db"], ["lab.db-journal", "cut.db-journal"]] {
        fs::copy(place.file(from), place.file(to)).unwrap();
    }
    let looked = Lab::look(&place.file("cut.db")).unwrap().unwrap();
    assert_eq!(looked.review(run).unwrap(), whole);
    assert!(!place.file("cut.db-journal").exists());
}

/// Returns a review in a lab of any version, and asserts that no byte of the file changes.
fn read_without_a_change(path: &Path, run: RunId) -> Review {
    let bytes = fs::read(path).unwrap();
    let lab = Lab::look_at_any(path).unwrap().unwrap();
    let review = lab.review(run).unwrap();
    assert!(fs::read(path).unwrap() == bytes, "the file was changed");
    review
}

/// A lab with the first version of the tables.
#[test]
fn an_older_lab_is_brought_up_to_date_and_loses_nothing() {
    let place = Place::new();
    let whole = review("One", vec![test("a", 5), test("b", 6)]);
    let run = place.lab().begin(&whole, &at(1)).unwrap();
    let path = place.file("lab.db");
    // Values that now have columns and a table were part of `rest`.
    let back = "
        UPDATE points SET rest = json_set(rest, '$.cpu_ns_per_request', cpu_ns_per_request)
        WHERE cpu_ns_per_request IS NOT NULL;
        UPDATE series SET rest = json_set(rest, '$.temperatures', (
            SELECT json_group_array(json_object('t_s', t_s, 'celsius', celsius))
            FROM temperatures WHERE temperatures.series = series.id));
        DROP TABLE temperatures;
        ALTER TABLE points DROP COLUMN cpu_ns_per_request;
        ALTER TABLE series DROP COLUMN cpu_ns_per_request;
        DROP TABLE study_rows; DROP TABLE studies; DROP TABLE study_curves;
        DROP TABLE progress; DROP TABLE work; DROP TABLE recorded; DROP TABLE deleted;
        DROP INDEX runs_by_start; DROP INDEX runs_by_edition; DROP INDEX runs_by_measurement_key;
        ALTER TABLE runs DROP COLUMN measurement_key;
        ALTER TABLE runs DROP COLUMN label;
        ALTER TABLE runs DROP COLUMN note;
        ALTER TABLE conditions DROP COLUMN of_name; ALTER TABLE conditions DROP COLUMN text;
        PRAGMA foreign_keys = false;
        CREATE TABLE first (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, model TEXT NOT NULL,
            serial TEXT NOT NULL, firmware TEXT NOT NULL
        ) STRICT;
        INSERT INTO first SELECT id, kind, model, serial, firmware FROM drives;
        DROP TABLE drives;
        ALTER TABLE first RENAME TO drives;
        PRAGMA user_version = 1;";
    let file = Connection::open(&path).unwrap();
    file.execute_batch(back).unwrap();
    // The first version, verbatim.
    let plain = Connection::open_in_memory().unwrap();
    plain
        .execute_batch(include_str!("../src/migrations/1.sql"))
        .unwrap();
    let columns = |of: &Connection, table: &str| -> Vec<String> {
        let sql = "SELECT name || type FROM pragma_table_info(?1)";
        let mut statement = of.prepare(sql).unwrap();
        let rows = statement.query_map([table], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    for table in TABLES {
        assert_eq!(columns(&file, table), columns(&plain, table), "{table}");
    }
    drop(file);
    let older = Lab::look(&path).unwrap_err();
    assert!(matches!(older, LabError::Older(_)), "{older}");
    let copied = read_without_a_change(&path, run);
    let lab = place.lab();
    // The first version had neither label nor note, nor processor times of curves.
    let mut expected = Review {
        label: None,
        note: None,
        ..whole.clone()
    };
    for curve in expected.tests.iter_mut().flat_map(TestResult::curves_mut) {
        curve.cpu_ns_per_request = None;
    }
    assert_eq!(lab.review(run).unwrap(), expected);
    assert_eq!(copied, expected);
    let file = Connection::open(&path).unwrap();
    let count = |sql: &str| -> i64 { file.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(count("SELECT count(*) FROM temperatures"), 4);
    let told = "SELECT count(*) FROM points WHERE cpu_ns_per_request > 1000";
    assert_eq!(count(told), 3);
    assert_eq!(count("PRAGMA user_version"), 9);
}

#[test]
fn facts_of_a_version_without_fields_for_them_become_fields() {
    let place = Place::new();
    let whole = review("One", Vec::new());
    let run = place.lab().begin(&whole, &at(1)).unwrap();
    let back = "
        DROP TABLE deleted; DROP INDEX runs_by_start; DROP INDEX runs_by_edition;
        DROP INDEX runs_by_measurement_key;
        ALTER TABLE runs DROP COLUMN measurement_key;
        ALTER TABLE conditions DROP COLUMN of_name;
        ALTER TABLE conditions DROP COLUMN text;
        INSERT INTO conditions VALUES (1, 'environment', 90, 'made by', 'abc');
        INSERT INTO conditions VALUES
            (1, 'environment', 91, 'kernel''s write cache mode', 'write back'),
            (1, 'method', 90, 'state `clean`', 'filled once'),
            (1, 'target', 90, 'price', '7.90 EUR, 0.988 EUR per GB (10⁹ bytes)'),
            (1, 'target', 91, 'link', 'PCIe, 8.0 GT/s, 4 lanes');
        PRAGMA user_version = 5;";
    let file = Connection::open(place.file("lab.db")).unwrap();
    file.execute_batch(back).unwrap();
    drop(file);
    let mut lab = place.lab();
    assert_eq!(lab.runs_of_measurement("abc").unwrap(), [run]);
    assert_eq!(lab.runs_of_measurement("other").unwrap(), []);
    let mut expected = whole;
    expected.target.price = "7.90 EUR".parse().ok();
    expected.target.link = Some(Link::Pcie {
        gt_per_s: 8.0,
        lanes: 4,
    });
    let link = condition("link", "PCIe, 8.0 GT/s, 4 lanes");
    expected.target.facts.push(link);
    let cache = condition("kernel-s-write-cache-mode", "write back");
    expected.environment.push(cache);
    let state = Condition::of("state", "clean", "filled once");
    expected.conditions.push(state);
    assert_eq!(lab.review(run).unwrap(), expected);
    // It remains so when the run is written again, and in another lab.
    lab.save(run, &expected, &at(2)).unwrap();
    assert_eq!(lab.review(run).unwrap(), expected);
    let mut other = Lab::open(&place.file("other.db")).unwrap();
    other.merge(&place.file("lab.db")).unwrap();
    assert_eq!(other.runs_of_measurement("abc").unwrap().len(), 1);
}

#[test]
fn texts_keep_their_messages_and_are_in_english_for_queries() {
    let place = Place::new();
    let threads = |count: u32| Text::of("piece-threads", vec![("threads", count.into())]);
    let mut whole = review("One", vec![test("a", 5)]);
    whole.edition_title = threads(2);
    let both = Text::list("; ", [threads(3), "4 KiB".into()]);
    whole.conditions.push(Condition::of("state", "clean", both));
    let test = &mut whole.tests[0];
    (test.title, test.method) = (threads(4), threads(5));
    test.warnings.push(threads(6));
    let mut lab = place.lab();
    let run = lab.begin(&whole, &at(1)).unwrap();
    lab.save(run, &whole, &at(2)).unwrap();
    assert_eq!(lab.review(run).unwrap(), whole);
    let mut other = Lab::open(&place.file("other.db")).unwrap();
    other.merge(&place.file("lab.db")).unwrap();
    let merged = other.runs().unwrap()[0].run;
    assert_eq!(other.review(RunId(merged)).unwrap(), whole);
    let file = Connection::open(place.file("lab.db")).unwrap();
    for (sql, words) in [
        ("SELECT edition_title FROM runs", "2 threads"),
        (
            "SELECT value FROM conditions WHERE name = 'state' AND of_name = 'clean'",
            "3 threads; 4 KiB",
        ),
        ("SELECT title FROM tests WHERE position = 0", "4 threads"),
    ] {
        let found: String = file.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(found, words);
    }
}

#[test]
fn what_is_removed_leaves_nothing_and_no_other_run() {
    let place = Place::new();
    let mut lab = place.lab();
    let one = lab
        .begin(&review("One", vec![test("a", 3)]), &at(1))
        .unwrap();
    let two = lab
        .begin(&review("Two", vec![test("b", 3)]), &at(2))
        .unwrap();
    assert!(matches!(
        lab.delete(&[one, RunId(99)]),
        Err(LabError::NoRun { run: 99, .. })
    ));
    assert_eq!(lab.runs().unwrap().len(), 2);
    lab.delete(&[one]).unwrap();
    assert_eq!(lab.runs().unwrap().len(), 1);
    assert_eq!(lab.review(two).unwrap().tests, [test("b", 3)]);
    let file = Connection::open(lab.path()).unwrap();
    let count = |table: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        file.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    // Three curves of 0, 1 and 2 samples.
    assert_eq!(
        ["drives", "tests", "series", "samples"].map(count),
        [1, 1, 3, 3]
    );
}

#[test]
fn deleted_runs_come_back_whole_within_thirty_days() {
    const DAY_MS: i64 = 24 * 3600 * 1000;
    let place = Place::new();
    let mut lab = place.lab();
    let mut with_rival = review("One", vec![test("a", 4)]);
    with_rival.rivals = vec![Rival {
        target: review("Two", Vec::new()).target,
        tests: vec![test("a", 5)],
        unfinished: Vec::new(),
    }];
    let one = lab.begin(&with_rival, &at(1)).unwrap();
    lab.resume(one, 2).unwrap();
    let rival = lab.runs().unwrap().pop().unwrap();
    let (whole, all) = (lab.review(one).unwrap(), lab.runs().unwrap());
    let entries = [one, RunId(rival.run)].map(EntryId::Run);
    bin::delete(&mut lab, &entries, 5).unwrap();
    assert_eq!(lab.runs().unwrap(), []);
    let deleted = bin::list(&lab, 6).unwrap();
    let numbers: Vec<&str> = deleted.iter().map(|entry| &*entry.entry).collect();
    assert_eq!(numbers, ["1", "2"]);
    assert_eq!(deleted[0].drive, whole.target.title);
    // Nothing of them is exported or merged.
    let mut other = Lab::open(&place.file("other.db")).unwrap();
    assert_eq!(other.merge(lab.path()).unwrap(), Merged::default());
    // Another run takes the number of the first before that comes back.
    let three = lab.begin(&review("Three", Vec::new()), &at(6)).unwrap();
    assert_eq!(three, one);
    let back = bin::undelete(&mut lab, &entries).unwrap();
    assert_eq!(back, [RunId(3), RunId(2)].map(EntryId::Run));
    assert_eq!(lab.review(RunId(3)).unwrap(), whole);
    let run = lab.run(RunId(3)).unwrap();
    assert_eq!(RunSummary { run: 1, ..run }, all[0]);
    assert_eq!(lab.run(RunId(2)).unwrap(), all[1]);
    assert_eq!(bin::list(&lab, 7).unwrap(), []);
    let missing = bin::undelete(&mut lab, &entries).unwrap_err();
    assert!(matches!(missing, LabError::NotDeleted { .. }), "{missing}");
    // After 30 days it is gone for good, and its space with it.
    bin::delete(&mut lab, &back[..1], 8).unwrap();
    assert_eq!(bin::list(&lab, 8 + 30 * DAY_MS).unwrap().len(), 1);
    assert_eq!(bin::list(&lab, 9 + 30 * DAY_MS).unwrap().len(), 0);
    bin::delete(&mut lab, &back[1..], 9 + 30 * DAY_MS).unwrap();
    assert!(bin::undelete(&mut lab, &back[..1]).is_err());
    assert_eq!(bin::vacuum(&mut lab).unwrap(), 1);
    assert!(bin::undelete(&mut lab, &back[1..]).is_err());
}

#[test]
fn the_speed_of_writes_is_that_of_the_last_run_of_the_drive() {
    let place = Place::new();
    let mut lab = place.lab();
    let drive = review("One", Vec::new()).target;
    assert_eq!(lab.write_bytes_per_s(&drive).unwrap(), None);
    let point = |bw_bytes_per_s| Point {
        load: Load::write(Pattern::Sequential, 131_072, 32),
        bw_bytes_per_s,
        ..Point::default()
    };
    let of = |name: &str, results| {
        let measured = TestResult {
            id: "sequential".to_owned(),
            results: Some(results),
            ..TestResult::default()
        };
        review(name, vec![measured])
    };
    let points = Results::Points(vec![point(1e8), point(3e8)]);
    lab.begin(&of("One", points.clone()), &at(1)).unwrap();
    assert_eq!(lab.write_bytes_per_s(&drive).unwrap(), Some(3e8));
    let mut curve = Series::of("fill", SeriesPoint::default(), 1.0, Vec::new());
    (curve.point.op, curve.point.pattern) = (PointOp::Write, Pattern::Sequential);
    curve.range_bytes = Some(1000);
    curve.samples = vec![Sample {
        t_s: 4.0,
        written_bytes: 1000,
        iops: 1.0,
    }];
    lab.begin(&of("One", Results::Curve(vec![curve])), &at(2))
        .unwrap();
    assert_eq!(lab.write_bytes_per_s(&drive).unwrap(), Some(250.0));
    lab.begin(&of("Two", points), &at(3)).unwrap();
    assert_eq!(lab.write_bytes_per_s(&drive).unwrap(), Some(250.0));
}

#[test]
fn labs_are_merged_without_doubles_and_the_further_run_stays() {
    let (here, there) = (Place::new(), Place::new());
    let (mut ours, mut theirs) = (here.lab(), there.lab());
    let mut with_rival = review("One", vec![test("a", 4)]);
    with_rival.rivals = vec![Rival {
        target: review("Two", Vec::new()).target,
        tests: vec![test("a", 5)],
        unfinished: Vec::new(),
    }];
    let run = theirs.begin(&with_rival, &at(1)).unwrap();
    theirs.resume(run, 2).unwrap();
    // The same run has different numbers in the two labs.
    ours.begin(&review("Three", Vec::new()), &at(1)).unwrap();
    let merged = ours.merge(theirs.path()).unwrap();
    assert_eq!(
        merged,
        Merged {
            added: 2,
            replaced: 0,
            known: 0,
            ..Merged::default()
        }
    );
    let uuid = theirs.run(run).unwrap().uuid;
    let found = |lab: &Lab| {
        let runs = lab.runs().unwrap();
        let found = runs.iter().find(|r| r.uuid == uuid).unwrap();
        RunId(found.run)
    };
    assert_ne!(found(&ours), run);
    assert_eq!(ours.review(found(&ours)).unwrap(), with_rival);
    assert_eq!(ours.run(found(&ours)).unwrap().breaks, 1);
    let again = ours.merge(theirs.path()).unwrap();
    assert_eq!(
        again,
        Merged {
            added: 0,
            replaced: 0,
            known: 2,
            ..Merged::default()
        }
    );
    with_rival.tests.push(test("b", 3));
    with_rival.complete = true;
    theirs.save(run, &with_rival, &at(9)).unwrap();
    let further = ours.merge(theirs.path()).unwrap();
    assert_eq!(
        further,
        Merged {
            added: 0,
            replaced: 2,
            known: 0,
            ..Merged::default()
        }
    );
    assert_eq!(ours.review(found(&ours)).unwrap(), with_rival);
    // An older run from there does not replace a more complete one here.
    let back = theirs.merge(ours.path()).unwrap();
    assert_eq!(
        back,
        Merged {
            added: 1,
            replaced: 0,
            known: 2,
            ..Merged::default()
        }
    );
    let none = ours.merge(&here.file("none.db"));
    assert!(matches!(none, Err(LabError::Missing(_))), "{none:?}");
}

#[test]
fn tables_are_exported_whole() {
    let place = Place::new();
    let mut lab = place.lab();
    let one = lab
        .begin(&review("One", vec![test("a", 5), test("b", 4)]), &at(1))
        .unwrap();
    lab.begin(&review("Two", vec![test("c", 3)]), &at(2))
        .unwrap();
    let rows = |table: &str| match table {
        "samples" => 10 + 3,
        "series" => 5 + 3,
        // For curves with 2, 3 and 4 samples; with 2.
        "temperatures" => 1 + 1 + 2 + 1,
        "points" => 4,
        "tests" => 3,
        "runs" | "drives" | "smart" => 2,
        "conditions" => 2 * 5,
        _ => 0,
    };
    let formats = [
        Format::Csv,
        Format::Json,
        #[cfg(feature = "parquet")]
        Format::Parquet,
    ];
    for format in formats {
        let folder = place.file(format.extension());
        let files = lab.export(&folder, format, &TABLES, None).unwrap();
        for (path, table) in files.iter().zip(TABLES) {
            assert_eq!(count(path, format), rows(table), "{path:?}");
        }
        let only = lab
            .export(&folder, format, &["samples"], Some(&[one]))
            .unwrap();
        assert_eq!(count(&only[0], format), 10);
    }
    let missing = lab.export(&place.file("x"), Format::Csv, &["runs"], Some(&[RunId(7)]));
    assert!(matches!(missing, Err(LabError::NoRun { run: 7, .. })));
    assert!(!place.file("x").exists());
}

fn count(path: &Path, format: Format) -> usize {
    match format {
        Format::Csv => csv::Reader::from_path(path)
            .unwrap()
            .records()
            .map(Result::unwrap)
            .count(),
        Format::Json => {
            let text = fs::read_to_string(path).unwrap();
            let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            all.len()
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            use parquet::file::reader::{FileReader, SerializedFileReader};
            let reader = SerializedFileReader::try_from(path).unwrap();
            reader
                .get_row_iter(None)
                .unwrap()
                .map(Result::unwrap)
                .count()
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn values_come_out_of_an_export_as_they_went_in() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let place = Place::new();
    let mut lab = place.lab();
    let tests = vec![test("b", 4)];
    lab.begin(&review("One", tests.clone()), &at(1)).unwrap();
    let files = lab
        .export(&place.file("out"), Format::Parquet, &["points"], None)
        .unwrap();
    let reader = SerializedFileReader::try_from(files[0].as_path()).unwrap();
    let rows: Vec<serde_json::Value> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            let row = row.unwrap();
            let fields = row.get_column_iter();
            let fields = fields.map(|(name, field)| (name.clone(), field.to_string()));
            serde_json::Value::Object(fields.map(|(n, f)| (n, f.into())).collect())
        })
        .collect();
    for (row, point) in rows.iter().zip(tests[0].points().iter()) {
        let number = |name: &str| row[name].as_str().unwrap().parse::<f64>().unwrap();
        assert_eq!(number("iops"), point.iops);
        assert_eq!(number("latency_p99_9_ns"), point.latency_ns.p99_9 as f64);
        let region = row["region_bytes"].as_str().unwrap();
        assert_eq!(region == "null", point.load.region_bytes.is_none());
    }
}

#[test]
fn other_files_are_left_alone() {
    let place = Place::new();
    let text = place.file("notes.txt");
    fs::write(
        &text,
        "not a database, but long enough for a header of one".repeat(4),
    )
    .unwrap();
    assert!(matches!(Lab::open(&text), Err(LabError::Foreign(_))));
    // SQLite treats a file of one byte as empty.
    fs::write(&text, "x").unwrap();
    assert!(matches!(Lab::open(&text), Err(LabError::Foreign(_))));
    assert_eq!(fs::read(&text).unwrap(), b"x");
    let folder = Lab::open(place.folder.path());
    assert!(matches!(folder, Err(LabError::Foreign(_))), "{folder:?}");
    let foreign = place.file("other.db");
    Connection::open(&foreign)
        .unwrap()
        .execute("CREATE TABLE mine (x)", [])
        .unwrap();
    assert!(matches!(Lab::open(&foreign), Err(LabError::Foreign(_))));
    assert!(matches!(Lab::look(&foreign), Err(LabError::Foreign(_))));
    assert!(Lab::look(&place.file("none.db")).unwrap().is_none());
    fs::write(place.file("empty.db"), "").unwrap();
    assert!(Lab::look(&place.file("empty.db")).unwrap().is_none());
    let lab = place.lab();
    let path = lab.path().to_path_buf();
    drop(lab);
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    for error in [Lab::open(&path).unwrap_err(), Lab::look(&path).unwrap_err()] {
        assert!(
            matches!(error, LabError::Newer { version: 99, .. }),
            "{error}"
        );
    }
}

#[test]
fn a_disk_that_is_full_leaves_the_lab_as_it_was() {
    let place = Place::new();
    let mut lab = place.lab();
    let before = review("One", vec![test("a", 4)]);
    let run = lab.begin(&before, &at(1)).unwrap();
    // As on a full disk, SQLite returns SQLITE_FULL.
    lab.limit_growth();
    let mut further = before.clone();
    further.tests.push(test("big", 301));
    let error = lab.save(run, &further, &at(2)).unwrap_err();
    assert!(matches!(error, LabError::Full(_)), "{error}");
    drop(lab);
    let lab = place.lab();
    assert_eq!(lab.review(run).unwrap(), before);
    let ok: String = Connection::open(lab.path())
        .unwrap()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(ok, "ok");
}

#[test]
fn a_damaged_page_is_said() {
    let place = Place::new();
    let mut lab = place.lab();
    let run = lab
        .begin(&review("One", vec![test("a", 7)]), &at(1))
        .unwrap();
    let path = lab.path().to_path_buf();
    drop(lab);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 8;
    for byte in &mut bytes[middle..] {
        *byte = 0xa5;
    }
    fs::write(&path, bytes).unwrap();
    let read = Lab::look(&path).and_then(|lab| lab.unwrap().review(run));
    assert!(matches!(read, Err(LabError::Damaged { .. })), "{read:?}");
}

fn study_row(number: u64, outcome: f64) -> StudyRow {
    StudyRow {
        number,
        model: "m".to_owned(),
        factors: vec![Cell::Whole(4), Cell::Flag(true)],
        seed: 1,
        job: "w".to_owned(),
        outcomes: vec![("iops".to_owned(), outcome)],
        error: (number == 1).then(|| "no, \"never\"".to_owned()),
    }
}

/// A table with every kind of column, and with missing values.
fn study_table() -> Table {
    Table::of_study(&Study {
        name: "s".to_owned(),
        duration_scale: 0.5,
        factors: vec!["depth".to_owned(), "cache".to_owned()],
        outcomes: vec!["iops".to_owned(), "other".to_owned()],
        rows: vec![study_row(0, 1.5), study_row(1, 2.0)],
        ..Study::default()
    })
}

#[test]
fn a_study_is_a_table_of_typed_columns() {
    let place = Place::new();
    let table = study_table();
    let kinds: Vec<Kind> = table.columns.iter().map(|(_, kind)| *kind).collect();
    let (integer, real, text) = (Kind::Integer, Kind::Real, Kind::Text);
    let expected = [
        integer,
        text,
        integer,
        Kind::Flag,
        integer,
        text,
        real,
        real,
        real,
        text,
    ];
    assert_eq!(kinds, expected);
    let folder = place.file("");
    let csv = table.write(&folder, Format::Csv).unwrap();
    let expected = "row,model,depth,cache,seed,job,duration_scale,iops,other,error\n\
                    0,m,4,true,1,w,0.5,1.5,,\n\
                    1,m,4,true,1,w,0.5,2,,\"no, \"\"never\"\"\"\n";
    assert_eq!(std::fs::read_to_string(csv).unwrap(), expected);
    let none = table.write(&place.file("none"), Format::Csv);
    assert!(matches!(none, Err(LabError::Export { .. })), "{none:?}");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_same_rows() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let place = Place::new();
    let path = study_table()
        .write(&place.file(""), Format::Parquet)
        .unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows: Vec<String> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().to_string())
        .collect();
    assert_eq!(rows.len(), 2);
    for part in [
        "row: 0",
        "depth: 4",
        "cache: true",
        "iops: 1.5",
        "other: null",
        "error: null",
    ] {
        assert!(rows[0].contains(part), "{} lacks {part}", rows[0]);
    }
}

#[test]
fn several_can_make_a_lab_at_the_same_time() {
    for _ in 0..20 {
        let place = Place::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| place.lab().runs().unwrap());
            }
        });
    }
}

/// Two programs that write at the same time, after a read, wait for each other.
#[test]
fn who_looks_before_it_writes_waits_for_others() {
    let place = Place::new();
    drop(place.lab());
    std::thread::scope(|scope| {
        for worker in ["one", "other"] {
            let mut lab = place.lab();
            scope.spawn(move || {
                for nth in 0..100 {
                    let request = format!("{worker} {nth}");
                    work::ask(&mut lab, ("what-if", "title", &request), 0).expect("no lock");
                }
            });
        }
    });
    assert_eq!(work::list(&place.lab(), 1_000).expect("a list").len(), 200);
}

/// Opening a lab of the latest version writes nothing: it waits for no writer, and no writer waits.
#[test]
fn who_opens_a_lab_does_not_wait_for_who_writes() {
    let place = Place::new();
    drop(place.lab());
    let path = place.file("lab.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let lab = Lab::open_within(&path, std::time::Duration::ZERO).expect("it is opened at once");
    assert_eq!(lab.runs().unwrap().len(), 0);
}
