//! Published figures against predictions of models: the shipped data, errors in the format, and a
//! check that a figure equals the result of the same job run directly.

#![allow(missing_docs)]

mod common;

use common::{DEMO, JOBS, compared, compared_by, demo, errors, measured, outcome, with_energy};
use stend_experiment::Threads;
use stend_fit::compare::{Answer, Comparing, compare};
use stend_fit::measured::{Expected, Used};
use stend_fit::{Measured, Outcome, TestRun};
use stend_load::target::{JobRequest, Target};
use stend_simulated::SimulatedTarget;

fn answer(rows: &str) -> Answer {
    match outcome(rows) {
        Outcome::Answered(answer) => answer,
        Outcome::Unanswered(reason) => panic!("{reason}"),
    }
}

fn reason(rows: &str) -> String {
    match outcome(rows) {
        Outcome::Unanswered(reason) => reason,
        Outcome::Answered(answer) => panic!("{answer:?}"),
    }
}

#[test]
fn all_published_rows_are_there_and_each_says_what_can_be_asked() {
    let measured = Measured::shipped();
    // 249 collected rows, some of which print two or three figures, plus percentiles.
    assert_eq!(measured.rows.len(), 256 + 72);
    let answerable = measured.rows.iter().filter(|row| row.ask.is_ok()).count();
    assert_eq!(answerable, 165 + 72);
    // A blog without an address, a copy of an article, and data sheets cited from memory.
    let unaddressed = measured.rows.iter().filter(|row| row.address.is_none());
    assert_eq!(unaddressed.count(), 7);
    for row in &measured.rows {
        assert!(
            !row.source.is_empty() && !row.published.is_empty(),
            "{row:?}"
        );
    }
}

/// Figures of a test on a new demonstration drive.
fn figures(measured: &Measured, test: &str) -> Vec<Option<f64>> {
    let mut states = measured.states.iter();
    let mut tests = measured.tests.iter();
    let test_run = TestRun {
        model: "demo".to_owned(),
        state: states.position(|state| state.id == "new").unwrap(),
        tests: vec![tests.position(|other| other.id == test).unwrap()],
    };
    let batch = test_run.batch(measured, &demo(), 1).unwrap();
    let [values] = &batch.run()[..] else {
        panic!("one test, one result");
    };
    values.clone().unwrap()
}

#[test]
fn shipped_tests_end_on_a_drive_they_fit() {
    let measured = Measured::shipped();
    let as_ssd = measured
        .tests
        .iter()
        .find(|test| test.id == "as-ssd")
        .unwrap();
    let new = measured
        .states
        .iter()
        .find(|state| state.id == "new")
        .unwrap();
    assert_eq!(new.used, Used::Bytes(0));
    let figures = figures(&measured, "as-ssd");
    assert!(
        figures.iter().all(|figure| figure.is_some_and(|f| f > 0.0)),
        "{figures:?}"
    );
    // Random reads over a drive that holds little data mostly read nothing, which is fast.
    let of = |id: &str| figures[as_ssd.figures.iter().position(|f| f.id == id).unwrap()].unwrap();
    assert!(of("access-read") / 1e9 < 4096.0 / of("4k-read"));
}

/// Percentiles are those that fio prints for a section; others are refused.
#[test]
fn percentiles_are_of_a_section_and_a_direction() {
    let job = "[writes]\nrw=randwrite\nbs=1m\nrate_iops=20\ntime_based\nruntime=1\n\
               [probe]\nrw=randrw\nbs=4k\nrate_iops=500,500\ntime_based\nruntime=1\n";
    let mut target = SimulatedTarget::new(demo());
    let request = JobRequest {
        text: job,
        seed: 1,
        sample_ms: 0,
    };
    let result = target.run(&request).unwrap();
    let probe = &result.fio.jobs[1];
    assert_eq!(probe.jobname, "probe");
    let measured = |figure: &str| {
        let text = format!(
            "schema = \"stend.measured/1\"\n[[test]]\nid = \"t\"\ntitle = \"t\"\nsource = \"t\"\n\
             [[test.part]]\nid = \"p\"\ndo = {{ job = {job:?} }}\n\
             [[test.figure]]\nid = \"f\"\nmetric = \"f\"\npart = \"p\"\n{figure}\n"
        );
        Measured::parse(&[("own.toml", &text)])
    };
    let asked = |take: &str| {
        let mut measured = measured(&format!("{take}\njob = \"probe\"")).unwrap();
        measured.states = Measured::shipped().states;
        figures(&measured, "t")[0].unwrap()
    };
    let near = |figure: f64, ns: f64| assert!((figure / ns - 1.0).abs() < 0.1, "{figure}");
    near(asked("take = \"read-latency\""), probe.read.clat_ns.mean);
    for (percentile, ns) in [
        (50.0, probe.write.clat_ns.at(50.0)),
        (99.0, probe.write.clat_ns.at(99.0)),
    ] {
        let take = format!("take = \"write-latency\"\npercentile = {percentile:?}");
        near(asked(&take), ns.unwrap() as f64);
    }
    for (figure, message) in [
        (
            "take = \"iops\"\npercentile = 99.0",
            "only read-latency and write-latency can have",
        ),
        (
            "take = \"read-latency\"\npercentile = 99.0",
            "a percentile needs the name of a section",
        ),
        (
            "take = \"read-latency\"\njob = \"other\"",
            "no section `other`, but writes, probe",
        ),
        (
            "take = \"read-latency\"\njob = \"probe\"\npercentile = 98.0",
            "is none of [1.0,",
        ),
    ] {
        let error = measured(figure).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_figure_is_what_the_job_yields() {
    let text = "[j]\nrw=randwrite\nbs=4k\niodepth=4\nsize=64m\n";
    let mut target = SimulatedTarget::new(demo());
    let request = JobRequest {
        text,
        seed: 1,
        sample_ms: 0,
    };
    let result = target.run(&request).unwrap();
    let write = &result.fio.jobs[0].write;
    let row = |figure: &str, rest: &str| {
        format!("{{ what = \"w\", figure = \"{figure}\", state = \"new\", {rest} }}")
    };
    // Every block is accessed once: the order matters little, and the seeds differ.
    let near = |figure: f64, other: f64| (figure / other - 1.0).abs() < 0.01;
    let iops = answer(&row("iops", "value = 1.0, unit = \"IOPS\""));
    assert!(near(iops.predicted, write.iops), "{iops:?} {}", write.iops);
    assert!(near(iops.error, iops.predicted - 1.0));
    let mb = answer(&row("bw", "value = 1.0, unit = \"MB/s\""));
    assert!(near(mb.predicted * 1e6, write.bw_bytes as f64), "{mb:?}");
    let mib = answer(&row("bw", "value = 1.0, unit = \"MiB/s\""));
    assert!(
        near(mib.predicted * 1_048_576.0, write.bw_bytes as f64),
        "{mib:?}"
    );
    let ms = answer(&row("lat", "value = 1.0, unit = \"ms\""));
    assert!(near(ms.predicted * 1e6, write.clat_ns.mean), "{ms:?}");
    // The tool's work between two requests counts in its period, and in no latency.
    let us = |figure: &str| answer(&row(figure, "value = 1.0, unit = \"ms\"")).predicted * 1e3;
    let (latency, period) = (us("think-lat"), us("think-period"));
    assert!(
        (99.9..100.5).contains(&(period - latency)),
        "{latency} {period}"
    );
    assert_eq!(
        answer(&row("iops", "low = 10.0, unit = \"IOPS\"")).error,
        0.0
    );
    assert!(answer(&row("iops", "high = 10.0, unit = \"IOPS\"")).error > 10.0);
}

#[test]
fn a_state_is_prepared_and_jobs_find_its_places() {
    let row = |figure: &str, state: &str| {
        format!(
            "{{ what = \"w\", figure = \"{figure}\", state = \"{state}\", value = 1.0, \
             unit = \"ms\" }}"
        )
    };
    // 1 GB is written; the rest holds nothing, and reads of it need no die.
    let [used, free] = ["read-used", "read-free"].map(|f| answer(&row(f, "used-1gb")).predicted);
    assert!(used > 0.08, "{used}");
    assert!(free < 0.03, "{free}");
    // All except 1 GB is written.
    let [used, free] = ["read-used", "read-free"].map(|f| answer(&row(f, "free-1gb")).predicted);
    assert!(used > 0.08 && free < 0.03, "{used} {free}");
    let on = answer(&row("lat", "new")).predicted;
    let off = answer(&row("lat", "write-cache-off")).predicted;
    assert!(off > 3.0 * on, "{off} {on}");
    assert!(reason(&row("lat", "free-10gb")).contains("too small"));
}

#[test]
fn what_a_model_does_not_tell_is_not_answered() {
    let power = "{ what = \"w\", figure = \"power\", state = \"new\", value = 1.0, unit = \"W\" }";
    assert_eq!(reason(power), "the model has no energy");
    let measured = measured(power);
    let comparison = compare(
        &measured,
        &Comparing {
            model: &|_| Some(with_energy()),
            only: &|_| true,
            seed: 1,
            threads: Threads::default(),
            progress: &|_, _| (),
        },
    );
    let Outcome::Answered(answer) = &comparison.rows[0].1 else {
        panic!("{comparison:?}");
    };
    // At rest, a core, the link and DRAM take 100 + 50 + 200 mW; requests add to this.
    assert!((0.35..2.0).contains(&answer.predicted), "{answer:?}");
    let step = "{ what = \"w\", figure = \"step\", state = \"new\", value = 1.0, unit = \"GB\" }";
    assert!(
        answer_or_reason(step).contains("does not show"),
        "{}",
        answer_or_reason(step)
    );
    let none = "{ what = \"w\", published = \"fast\", unanswered = \"in words\" }";
    assert_eq!(reason(none), "in words");
}

fn answer_or_reason(rows: &str) -> String {
    match outcome(rows) {
        Outcome::Answered(answer) => format!("{answer:?}"),
        Outcome::Unanswered(reason) => reason,
    }
}

#[test]
fn a_model_that_is_not_there_answers_nothing() {
    let row = "{ what = \"w\", figure = \"iops\", state = \"new\", value = 1.0, unit = \"IOPS\" }";
    let measured = measured(row);
    let comparison = compare(
        &measured,
        &Comparing {
            model: &|_| None,
            only: &|_| true,
            seed: 1,
            threads: Threads::default(),
            progress: &|_, _| (),
        },
    );
    assert_eq!(comparison.overall, None);
    let reason = Outcome::Unanswered("no model demo-8gb".to_owned());
    assert_eq!(comparison.rows[0].1, reason);
}

#[test]
fn relations_and_variants() {
    // A variant with four times the dies writes faster; the answer names its origin.
    let text = r#"
        schema = "stend.measured/1"
        [[variant]]
        name = "demo-32gb"
        title = "Demo 32 GB"
        of = "demo-8gb"
        dies = 16
        user_bytes = 32_000_004_096
        dram_mib = 64
        source = "four times the dies"
        [[published]]
        drive = "Demo 32 GB"
        model = "demo-32gb"
        source = "s"
        test = "t"
        unit = "MB/s"
        rows = [
            { what = "w", figure = "bw", state = "new", ratio_to = "demo-8gb", value = 1.0 },
            { what = "w", figure = "bw", state = "new", more_than = "demo-8gb", value = -10.0 },
            { what = "w", figure = "bw", state = "new", value = 100.0 },
        ]"#;
    let measured = Measured::parse(&[("t.toml", JOBS), ("r.toml", text)]).unwrap();
    let comparison = compared(&measured);
    let answers: Vec<&Answer> = comparison
        .rows
        .iter()
        .map(|(_, outcome)| match outcome {
            Outcome::Answered(answer) => answer,
            Outcome::Unanswered(reason) => panic!("{reason}"),
        })
        .collect();
    let [ratio, difference, own] = answers[..] else {
        panic!("{answers:?}");
    };
    assert_eq!(own.variant_of.as_deref(), Some("demo-8gb"));
    let other = own.predicted / ratio.predicted;
    assert!((difference.predicted - (own.predicted - other)).abs() < 1e-6);
    assert!((difference.error - (own.predicted / (other - 10.0) - 1.0)).abs() < 1e-9);
    assert!((ratio.error - (ratio.predicted - 1.0)).abs() < 1e-12);
    assert_eq!(comparison.by_model.len(), 1);
    assert_eq!(comparison.overall.unwrap().count, 3);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let rows = r#"
        { what = "w", figure = "iops", state = "new", value = 1.0, unit = "IOPS" },
        { what = "w", figure = "read-used", state = "free-1gb", value = 1.0, unit = "ms" }"#;
    let measured = measured(rows);
    let by = |threads: usize| compared_by(Threads(threads), &measured);
    assert_eq!(by(1), by(2));
}

#[test]
fn expected_figures_are_as_written() {
    let row = |rest: &str| {
        measured(&format!(
            "{{ what = \"w\", figure = \"iops\", state = \"new\", unit = \"IOPS\", {rest} }}"
        ))
    };
    let expected = |rest: &str| row(rest).rows[0].ask.as_ref().unwrap().expected;
    assert_eq!(expected("value = 5.0"), Expected::Value(5.0));
    let between = |low, high| Expected::Between { low, high };
    assert_eq!(expected("low = 5.0"), between(Some(5.0), None));
    assert_eq!(
        expected("low = 5.0, high = 6.0"),
        between(Some(5.0), Some(6.0))
    );
    assert_eq!(row("low = 5.0").rows[0].published, "≥ 5 IOPS");
}

#[test]
fn errors_of_rows_name_file_line_and_what_is_allowed() {
    let row = |rest: &str| format!("{{ what = \"w\", {rest} }}");
    let good = "figure = \"iops\", state = \"new\", unit = \"IOPS\"";
    for (rest, parts) in [
        (
            "figure = \"iops\", state = \"new\", value = 1.0",
            vec!["`unit` is missing", "unanswered"],
        ),
        (
            "figure = \"iops\", state = \"new\", unit = \"MB/s\", value = 1.0",
            vec!["not measured in MB/s"],
        ),
        (
            "figure = \"iops\", state = \"new\", unit = \"KB\", value = 1.0",
            vec!["no unit `KB`", "MiB/s"],
        ),
        (
            "figure = \"nosuch\", state = \"new\", unit = \"IOPS\", value = 1.0",
            vec!["no figure `nosuch`", "iops"],
        ),
        (
            "figure = \"iops\", state = \"old\", unit = \"IOPS\", value = 1.0",
            vec!["no state `old`", "new"],
        ),
        (good, vec!["a value, or low, high"]),
        (
            &format!("{good}, value = 1.0, low = 1.0"),
            vec!["a value, or low, high"],
        ),
        (
            &format!("{good}, low = 2.0, high = 1.0"),
            vec!["low lies above high"],
        ),
        (&format!("{good}, value = 0.0"), vec!["must be above 0"]),
        (
            &format!("{good}, value = 1.0, ratio_to = \"a\", more_than = \"b\""),
            vec!["both"],
        ),
        (
            &format!("{good}, value = 1.0, unanswered = \"no\""),
            vec!["`published`"],
        ),
        ("unanswered = \"no\"", vec!["`published`"]),
        (
            "published = \"x\", unanswered = \" \"",
            vec!["must contain the reason"],
        ),
        ("figur = \"iops\"", vec!["unknown field `figur`"]),
    ] {
        let message = errors(&row(rest));
        assert!(message.starts_with("r.toml:"), "{message}");
        assert!(!message.starts_with("r.toml:0"), "{message}");
        for part in parts {
            assert!(message.contains(part), "{rest}\nlacks {part}\n{message}");
        }
    }
}

#[test]
fn errors_of_tests_and_states_name_file_line_and_what_is_allowed() {
    let whole = |text: &str| {
        Measured::parse(&[("t.toml", text)])
            .unwrap_err()
            .to_string()
    };
    let jobs = |from: &str, to: &str| {
        assert!(JOBS.contains(from), "{from}");
        whole(&JOBS.replace(from, to))
    };
    for (message, parts) in [
        (
            whole("schema = \"stend.measured/2\""),
            vec!["t.toml:1", "stend.measured/1"],
        ),
        (whole("schema = "), vec!["t.toml:1"]),
        (
            jobs("used_bytes = 0\n", ""),
            vec!["used_bytes or free_bytes"],
        ),
        (
            jobs("rw=randwrite", "rw=randwritten"),
            vec!["the job", "randwritten"],
        ),
        (
            jobs(
                "part = \"write\"\ntake = \"iops\"",
                "part = \"wrote\"\ntake = \"iops\"",
            ),
            vec!["no part `wrote`", "write"],
        ),
        (
            jobs("take = \"iops\"", "take = \"iop\""),
            vec!["unknown value `iop`", "latency-mean"],
        ),
        (jobs("sample_ms = 10\n", ""), vec!["needs samples"]),
        (
            jobs("id = \"bw\"", "id = \"iops\""),
            vec!["figure `iops` is defined twice"],
        ),
        (
            jobs("id = \"free-1gb\"", "id = \"new\""),
            vec!["state `new` is defined twice; it is also at t.toml:"],
        ),
        (jobs("rest_s = 1 ", "rest_s = -1 "), vec!["from 0 to 86400"]),
    ] {
        assert!(message.starts_with("t.toml:"), "{message}");
        for part in parts {
            assert!(message.contains(part), "lacks {part}\n{message}");
        }
    }
    assert!(DEMO.contains("demo-8gb"));
}
