//! Editions: the built-in one matches its documentation, and every fault of a file is reported with
//! its place and the allowed values.

use crate::common::{ALL, rows};
use stend_method::edition::{Benchmark, ContinuationStep, Edition, Load, Step, TestKind};

const TEXT: &str = include_str!("../../../editions/2014.toml");

#[test]
fn the_built_in_edition_is_as_documented() {
    let edition = Edition::load("2014").unwrap();
    assert_eq!(
        Edition::built_in(),
        [
            "2014",
            "2015",
            "2016a",
            "2016b",
            "2018",
            "crystaldiskmark",
            "recovery-ladder",
            "snia-pts",
            "endurance",
            "database",
            "quick"
        ]
    );
    assert_eq!(edition.id, "2014");
    let states: Vec<_> = edition.states.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(states, ["clean", "filled"]);
    for test in &edition.tests {
        let TestKind::Points(sweeps) = &test.kind else {
            continue;
        };
        for sweep in sweeps {
            let minute = test.id == "sequential";
            assert_eq!(sweep.duration_s, if minute { 60.0 } else { 180.0 });
            // Reads and mixed loads need data, writes need space.
            let state = usize::from(sweep.loads[0].read_percent > 0 || sweep.loads.len() == 11);
            assert_eq!(sweep.state, state, "{}", test.id);
        }
    }
    let TestKind::Curve(curve) = &edition.tests[5].kind else {
        panic!("degradation is a curve");
    };
    assert_eq!((curve.duration_s, curve.sample_ms), (Some(7200.0), 1000));
    assert_eq!(
        curve.load.describe().in_english(),
        "random write, 4 KiB, queue depth 32"
    );
    let TestKind::Continue(next) = &edition.tests[6].kind else {
        panic!("recovery continues");
    };
    let rest = Step::Idle { duration_s: 900.0 };
    assert_eq!(next.steps[0], ContinuationStep::Do(rest));
    assert_eq!(next.steps[2], ContinuationStep::Do(Step::Trim));
}

fn loads(edition: &Edition, id: &str) -> Vec<Load> {
    let test = edition.tests.iter().find(|t| t.id == id);
    match &test.unwrap_or_else(|| panic!("{id}")).kind {
        TestKind::Points(sweeps) => sweeps.iter().flat_map(|s| s.loads.clone()).collect(),
        TestKind::Curve(curve) => vec![curve.load],
        other => panic!("{id}: {other:?}"),
    }
}

#[test]
fn each_edition_has_the_tests_of_its_year() {
    let own: [(&str, &[&str]); 5] = [
        ("2014", &[]),
        ("2015", &["mixed-random"]),
        ("2016a", &["mixed-random", "linear-fill"]),
        (
            "2016b",
            &["sequential-depth", "mixed-random", "linear-fill"],
        ),
        (
            "2018",
            &["sequential-depth", "mixed-random", "trim-response"],
        ),
    ];
    for (id, own) in own {
        let edition = Edition::load(id).unwrap();
        assert_eq!(edition.id, id);
        let mut expected: Vec<&str> = [&ALL[..], own].concat();
        let mut ids: Vec<&str> = edition.tests.iter().map(|t| t.id.as_str()).collect();
        expected.sort_unstable();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{id}");
        let step = if id == "2014" { 10 } else { 20 };
        for mixed in ["mixed-sequential", "mixed-random"] {
            if ids.contains(&mixed) {
                let shares = loads(&edition, mixed);
                let shares: Vec<u32> = shares.iter().map(|l| l.read_percent).collect();
                assert_eq!(
                    shares,
                    (0..=100).step_by(step).collect::<Vec<u32>>(),
                    "{id}"
                );
            }
        }
    }
}

#[test]
fn the_later_editions_stay_within_32_gib_and_take_half_a_minute() {
    for id in ["2014", "2015", "2016a", "2016b", "2018"] {
        let edition = Edition::load(id).unwrap();
        let inside = ["2016b", "2018"].contains(&id);
        let region = inside.then_some(32 << 30);
        for test in &edition.tests {
            match &test.kind {
                TestKind::Points(sweeps) => {
                    for sweep in sweeps {
                        let long = test.id.starts_with("sequential");
                        let duration_s = match (inside, long) {
                            (true, true) => 40.0,
                            (true, false) => 30.0,
                            (false, true) => 60.0,
                            (false, false) => 180.0,
                        };
                        assert_eq!(sweep.duration_s, duration_s, "{id}: {}", test.id);
                        assert!(sweep.loads.iter().all(|l| l.region_bytes == region));
                    }
                }
                TestKind::Curve(curve) => assert_eq!(curve.load.region_bytes, None),
                TestKind::Response(response) => {
                    assert_eq!((id, response.file_bytes), ("2018", 32 << 30));
                    assert_eq!(response.load.region_bytes, Some(32 << 30));
                }
                TestKind::Files(files) => {
                    assert_eq!((files.set_bytes, files.rest_s), (8 << 30, 900.0));
                    assert_eq!(edition.states[files.state].id, "clean");
                    let sets: &[&str] = match test.id.as_str() {
                        "file-copy" => &["iso", "program", "work"],
                        _ => &["work"],
                    };
                    assert_eq!(files.sets, sets, "{id}: {}", test.id);
                }
                TestKind::Continue(_) | TestKind::Benchmark(_) | TestKind::Traces(_) => {}
                other => panic!("{id}: {other:?}"),
            }
        }
        let Step::Fill { region_bytes, .. } = edition.states[1].steps[0] else {
            panic!("{id}: reads find data");
        };
        assert_eq!(region_bytes, region, "{id}");
        let Step::Fill { region_bytes, .. } = edition.states[0].steps[0] else {
            panic!("{id}: a drive is filled before it is clean");
        };
        assert_eq!(region_bytes, None, "{id}");
    }
}

#[test]
fn regions_and_ends_are_checked() {
    let top = |line: &str| message("pause_s = 900\n", &format!("pause_s = 900\n{line}\n"));
    for size in ["0", "1000", "1_048_577"] {
        let problem = top(&format!("region_bytes = {size}"));
        assert!(problem.contains(": region_bytes: "), "{problem}");
        assert!(problem.contains("multiple of 1 MiB"), "{problem}");
    }
    let with = |end: &str| message("duration_s = 7200\nsample_ms", &format!("{end}\nsample_ms"));
    let problem = with("end = \"drive\"");
    assert!(
        problem.contains(": end: ") && problem.contains("\"range\""),
        "{problem}"
    );
    let both = with("end = \"range\"\nduration_s = 7200");
    assert!(both.contains(": end: a curve has either"), "{both}");
    let none = with("");
    assert!(none.contains(": duration_s: missing"), "{none}");
    let problem = with("end = \"range\"");
    assert!(problem.contains("only a sequential load"), "{problem}");
    // A curve that ends with its range cannot be continued: the drive is full.
    let text = TEXT
        .replace("duration_s = 7200\nsample_ms", "end = \"range\"\nsample_ms")
        .replace(
            "pattern = \"random\"\nblock_bytes = 4096\nqueue_depth = 32",
            "pattern = \"sequential\"\nblock_bytes = 4096\nqueue_depth = 32",
        );
    let problem = Edition::parse(&text, "mine.toml").unwrap_err().to_string();
    assert!(problem.contains(": after: "), "{problem}");
}

#[test]
fn deletions_are_checked() {
    let text = include_str!("../../../editions/2018.toml");
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let problem = Edition::parse(&text.replacen(from, to, 1), "mine.toml");
        problem.unwrap_err().to_string()
    };
    let problem = wrong("interval_ms = 100", "interval_ms = 5");
    assert!(
        problem.contains(": interval_ms: ") && problem.contains("10 to 1000"),
        "{problem}"
    );
    let problem = wrong("command_bytes = 134_217_728", "command_bytes = 135_266_304");
    assert!(
        problem.contains(": command_bytes: ") && problem.contains("whole number"),
        "{problem}"
    );
    let problem = wrong("file_bytes = 34_359_738_368", "file_bytes = 4096");
    assert!(
        problem.contains(": file_bytes: ") && problem.contains("1 MiB"),
        "{problem}"
    );
    let problem = wrong("reference_s = 10", "reference_s = 0");
    assert!(problem.contains(": reference_s: "), "{problem}");
    let problem = wrong("[test.response]", "[test.response]\npattern = \"random\"");
    assert!(problem.contains(": pattern: "), "{problem}");
}

#[test]
fn a_sweep_overrides_the_region_of_its_edition() {
    let text = TEXT
        .replacen(
            "pause_s = 900\n",
            "pause_s = 900\nregion_bytes = 2_097_152\n",
            1,
        )
        .replacen(
            "threads = 1\nduration_s = 60",
            "threads = 1\nregion_bytes = 1_048_576\nduration_s = 60",
            1,
        );
    let edition = Edition::parse(&text, "mine.toml").unwrap();
    let regions: Vec<_> = loads(&edition, "sequential")
        .iter()
        .map(|l| l.region_bytes)
        .collect();
    assert_eq!(regions, [Some(1 << 20), Some(2 << 20)]);
    assert_eq!(loads(&edition, "degradation")[0].region_bytes, None);
}

/// Returns the message for the built-in text with one replacement.
fn message(from: &str, to: &str) -> String {
    assert!(TEXT.contains(from), "{from}");
    let text = TEXT.replacen(from, to, 1);
    Edition::parse(&text, "mine.toml").unwrap_err().to_string()
}

fn line_of(what: &str) -> usize {
    1 + TEXT[..TEXT.find(what).unwrap()].matches('\n').count()
}

/// Text to replace, its replacement, the key that the error names, and a part of its message.
const MISTAKES: &str = r#"
op = "read" | op = "reed" | op | expected one of `read`, `write`, `mixed`
pattern = "random" | pattern = 3 | pattern | wanted string
state = "filled" | state = "full" | state | allowed: clean, filled
from = "clean" | from = "filled" | from | allowed: clean
block_bytes = [512, | block_bytes = [500, | block_bytes | multiple of 512
queue_depth = [1, 4] | queue_depth = [0, 4] | queue_depth | from 1 to 65536
queue_depth = [1, 4] | queue_depth = [] | queue_depth | at least one
read_percent = [0, | read_percent = [101, | read_percent | 0 to 100
duration_s = 180 | duration_s = 0.5 | duration_s | 1 s or longer
duration_s = 180 | duration_s = nan | duration_s | 1 s or longer
pause_s = 900 | pause_s = -1 | pause_s | 0 s or longer
99.99, 99.999] | 99.995] | percentiles | 99.99, 99.999 are missing
99.99, 99.999] | 99.99] | percentiles | 99.999 is missing
[50, 90, | [90, 50, | percentiles | ascend
after = "degradation" | after = "random" | after | test.curve
name = "after TRIM" | name = "fresh" | after | two curves
id = "random" | id = "sequential" | id | two tests
id = "random" | id = "Random!" | id | a-z
stend.edition/1 | stend.edition/2 | schema | stend.edition/1
sample_ms = 1000 | sample_ms = 1 | sample_ms | 100 to 60000
id = "edition-2014" | id = "edition-2013" | title | there is no message `edition-2013`
args = { time = "{180 s}" } | args = { } | title | needs the argument `time`
title = { id = "edition-2014", args = { time = "{180 s}" } } | title = 5 | title | expected a text
"#;

#[test]
fn errors_say_file_line_key_and_what_is_allowed() {
    let unknown = message("pause_s =", "pause_min =");
    let line = line_of("pause_s =");
    assert!(
        unknown.starts_with(&format!("mine.toml:{line}: pause_min: unknown field")),
        "{unknown}"
    );
    assert!(unknown.contains("`pause_s`"), "{unknown}");

    for row in rows(MISTAKES) {
        let [from, to, key, words] = row.each_ref().map(String::as_str);
        let message = message(from, to);
        assert!(message.contains(&format!(": {key}: ")), "{to}: {message}");
        assert!(message.contains(words), "{to}: {message}");
        let line: usize = message.split(':').nth(1).unwrap().parse().unwrap();
        let context = TEXT
            .lines()
            .skip(line.saturating_sub(3))
            .take(6)
            .collect::<String>();
        assert!(line > 1 && context.contains(key), "{to}: {message}");
    }
}

/// Title of the edition of 2014.
const TITLE: &str = "title = { id = \"edition-2014\", args = { time = \"{180 s}\" } }\n";

#[test]
fn structure_is_checked() {
    let twice = message("queue_depth = [1, 4]", "queue_depth = [4, 4]");
    assert!(twice.contains("stands here twice"), "{twice}");
    let share = message("threads = 1\n", "threads = 1\nread_percent = [50]\n");
    assert!(
        share.contains("only a sweep with op = \"mixed\""),
        "{share}"
    );
    let measure = message(
        "again = [\"trim\"",
        "again = [{ measure = { name = \"x\", duration_s = 5 } }",
    );
    assert!(measure.contains("only a `[test.continue]`"), "{measure}");
    let step = message("    \"trim\",\n", "    \"erase\",\n");
    assert!(step.contains("`fill`, `trim`, `idle`"), "{step}");
    let nested = message("{ fill = { block_bytes", "{ fill = { block_byte");
    assert!(
        nested.contains("block_byte, available keys: block_bytes, queue_depth"),
        "{nested}"
    );
    let missing = message(TITLE, "");
    assert!(missing.contains(": title: missing field"), "{missing}");
    let syntax = message("[[test]]", "[[test]");
    assert!(syntax.starts_with("mine.toml:"), "{syntax}");
}

#[test]
fn editions_are_found_by_id_or_path() {
    let unknown = Edition::load("2013").unwrap_err().to_string();
    assert!(
        unknown.contains("there are: 2014, 2015, 2016a, 2016b, 2018"),
        "{unknown}"
    );
    let nowhere = Edition::load("./nowhere.toml").unwrap_err().to_string();
    assert!(nowhere.starts_with("./nowhere.toml: "), "{nowhere}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, TEXT.replacen("id = \"2014\"", "id = \"mine\"", 1)).unwrap();
    let mine = Edition::load(path.to_str().unwrap()).unwrap();
    assert_eq!(mine.id, "mine");
}

/// Returns the benchmark of an edition's test.
fn benchmark(edition: &Edition, id: &str) -> Benchmark {
    let test = edition.tests.iter().find(|t| t.id == id);
    match &test.unwrap_or_else(|| panic!("{id}")).kind {
        TestKind::Benchmark(benchmark) => benchmark.clone(),
        other => panic!("{id}: {other:?}"),
    }
}

#[test]
fn benchmarks_have_the_rows_that_their_users_know() {
    let edition = Edition::load("crystaldiskmark").unwrap();
    let v8 = ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"];
    let expected: [(&str, [&str; 4], u32, u64); 6] = [
        (
            "crystaldiskmark-3",
            ["Seq", "512K", "4K", "4KQD32"],
            5,
            1000,
        ),
        (
            "crystaldiskmark-5",
            ["Seq Q32T1", "4K Q32T1", "Seq", "4K"],
            5,
            1024,
        ),
        ("crystaldiskmark-8", v8, 5, 1024),
        ("crystaldiskmark-8-mix", v8, 5, 1024),
        (
            "crystaldiskmark-8-nvme",
            ["SEQ1M Q8T1", "SEQ128K Q32T1", "RND4K Q32T16", "RND4K Q1T1"],
            5,
            1024,
        ),
        ("crystaldiskmark-9", v8, 3, 1024),
    ];
    let ids: Vec<&str> = edition.tests.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, expected.map(|e| e.0));
    for (id, rows, passes, region_mib) in expected {
        let Benchmark { profile, mix, .. } = benchmark(&edition, id);
        let names: Vec<&str> = profile.rows.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, rows, "{id}");
        assert_eq!((profile.passes, profile.pass_s), (passes, 5.0), "{id}");
        assert_eq!(profile.region_bytes, region_mib << 20, "{id}");
        assert_eq!(mix, id.ends_with("mix"), "{id}");
        for row in &profile.rows {
            // Names state depth and threads from version 4, and the size from version 8.
            let Some((what, depth)) = row.name.split_once(" Q") else {
                let depth = if row.name.ends_with("QD32") { 32 } else { 1 };
                assert_eq!((row.load.queue_depth, row.load.threads), (depth, 1), "{id}");
                continue;
            };
            assert_eq!(
                depth,
                format!("{}T{}", row.load.queue_depth, row.load.threads),
                "{id}"
            );
            let size = match what {
                "SEQ1M" => 1 << 20,
                "SEQ128K" | "Seq" => 128 << 10,
                _ => 4096,
            };
            assert_eq!(row.load.block_bytes, size, "{id}: {what}");
        }
    }
    for (id, profile) in [
        ("2014", "crystaldiskmark-3"),
        ("2015", "crystaldiskmark-5"),
        ("2016a", "crystaldiskmark-5"),
        ("2016b", "crystaldiskmark-5"),
        ("2018", "crystaldiskmark-5"),
    ] {
        let edition = Edition::load(id).unwrap();
        assert_eq!(benchmark(&edition, "crystaldiskmark").profile.id, profile);
    }
}

/// The same as [`MISTAKES`], for a benchmark's profile.
const PROFILE_MISTAKES: &str = r#"
\npasses = 5 | \npasses = 0 | passes | from 1 to 100
discarded_passes = 1 | discarded_passes = 101 | discarded_passes | at most 100
mix_read_percent = 70 | mix_read_percent = 100 | mix_read_percent | 1 to 99
1_073_741_824 | 1000 | region_bytes | multiple of 1 MiB
"reads-first" | "writes-first" | order | `row-by-row`
pass_s = 5 | pass_s = 0.1 | pass_s | 1 s or longer
SEQ1M Q1T1 | SEQ1M Q8T1 | name | two rows
block_bytes = 4096 | block_bytes = 4095 | block_bytes | multiple of 512
stend.benchmark/1 | stend.benchmark/2 | schema | stend.benchmark/1
pause_s = 5 | pause_ms = 5 | pause_ms | unknown field
"#;

#[test]
fn benchmarks_are_checked() {
    let unknown = message("\"crystaldiskmark-3\"", "\"crystaldiskmark-7\"");
    assert!(
        unknown.contains(": profile: ") && unknown.contains("crystaldiskmark-8-nvme"),
        "{unknown}"
    );
    let mix = message(
        "profile = \"crystaldiskmark-3\"",
        "profile = \"crystaldiskmark-3\"\nmix = true",
    );
    assert!(mix.contains(": mix: ") && mix.contains("no mix"), "{mix}");
    let nowhere = message("\"crystaldiskmark-3\"", "\"./nowhere.toml\"");
    assert!(
        nowhere.contains("nowhere.toml: the profile cannot be read"),
        "{nowhere}"
    );

    // A user's profile lies beside the edition, and its errors name its own file.
    let folder = tempfile::tempdir().unwrap();
    let edition = folder.path().join("mine.toml");
    let text = TEXT.replace("\"crystaldiskmark-3\"", "\"own.toml\"");
    std::fs::write(&edition, text).unwrap();
    let profile = include_str!("../../../editions/benchmarks/crystaldiskmark-8.toml");
    let load = |from: &str, to: &str| {
        assert!(profile.contains(from), "{from}");
        let own = folder.path().join("own.toml");
        std::fs::write(own, profile.replacen(from, to, 1)).unwrap();
        Edition::load(edition.to_str().unwrap())
    };
    let mine = load("passes = 5", "passes = 2").unwrap();
    assert_eq!(benchmark(&mine, "crystaldiskmark").profile.passes, 2);
    for row in rows(PROFILE_MISTAKES) {
        let [from, to, key, words] = row.each_ref().map(String::as_str);
        let error = load(from, to).unwrap_err().to_string();
        assert!(error.contains("own.toml:"), "{error}");
        assert!(
            error.contains(&format!(": {key}: ")) && error.contains(words),
            "{to}: {error}"
        );
    }
}

#[test]
fn traces_are_checked() {
    let unknown = message("    \"word\",", "    \"world\",");
    assert!(
        unknown.contains("no trace `world`") && unknown.contains("photoshop-light"),
        "{unknown}"
    );
    let twice = message("    \"word\",", "    \"excel\",");
    assert!(twice.contains("`excel` stands here twice"), "{twice}");
    let none = message("traces = [\"game-start\"]", "traces = []");
    assert!(none.contains("at least one trace"), "{none}");
    let timing = message("timing = \"original\"", "timing = \"fast\"");
    assert!(
        timing.contains(": timing: ") && timing.contains("`meant`, `original`, `busy`"),
        "{timing}"
    );
    let both = message(
        "traces = [\"game-start\"]",
        "traces = [\"game-start\"]\n[test.benchmark]\nstate = \"clean\"\n\
         profile = \"crystaldiskmark-3\"",
    );
    assert!(both.contains("exactly one of"), "{both}");
    // A captured trace beside the edition is read completely.
    let folder = tempfile::tempdir().unwrap();
    let edition = folder.path().join("mine.toml");
    let text = TEXT.replace("[\"game-start\"]", "[\"mine.log\"]");
    std::fs::write(&edition, text).unwrap();
    let log = "fio version 3 iolog\n0 x add\n0 x open\n0 x write 0 4096\n";
    let load = |log: &str| {
        std::fs::write(folder.path().join("mine.log"), log).unwrap();
        Edition::load(edition.to_str().unwrap())
    };
    load(log).unwrap();
    let error = load(&log.replace("4096", "many")).unwrap_err().to_string();
    assert!(error.contains("mine.log:4"), "{error}");
}

#[test]
fn work_on_files_is_checked() {
    let with = |from: &str, to: &str| message(from, to);
    let problem = with(
        r#"sets = ["iso", "program", "work"]"#,
        r#"sets = ["iso", "films"]"#,
    );
    assert!(
        problem.contains("no set `films`") && problem.contains("program"),
        "{problem}"
    );
    let problem = with(
        r#"sets = ["iso", "program", "work"]"#,
        r#"sets = ["iso", "iso"]"#,
    );
    assert!(problem.contains("twice"), "{problem}");
    let problem = with(r#"sets = ["iso", "program", "work"]"#, "sets = []");
    assert!(problem.contains("at least one"), "{problem}");
    let problem = with("set_bytes = 8_589_934_592", "set_bytes = 1000");
    assert!(problem.contains(": set_bytes: "), "{problem}");
    let problem = with("op = \"archive\"", "op = \"shred\"");
    assert!(problem.contains("unarchive"), "{problem}");
}
