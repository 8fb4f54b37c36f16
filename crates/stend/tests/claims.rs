//! `stend claims` from outside: simulated and reused drives, output, and exit codes.

use crate::common;

use std::fs;
use std::path::Path;

use common::{fails, folder, json, list, number, ok, run, stend, tiny_edition, words};
use serde_json::Value;
use stend_analysis::claims::Article;
use stend_model::SHIPPED;

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

/// Writes a model of a small drive, and one whose read commands take three times as long.
fn models(dir: &Path) {
    let mut small = DEMO.to_owned();
    for (key, was, now) in [
        ("user_bytes", "8000000000", "67108864"),
        ("blocks_per_plane", "860", "30"),
        ("blocks_per_plane", "110", "20"),
    ] {
        let from = format!("\n{key} = {{ value = {was},");
        assert_eq!(small.matches(&from).count(), 1, "{from}");
        small = small.replace(&from, &format!("\n{key} = {{ value = {now},"));
    }
    let read = "read_command_ns = { value = ";
    assert!(small.contains(&format!("{read}9000")));
    let slow = small.replace(&format!("{read}9000"), &format!("{read}27000"));
    fs::write(dir.join("small.toml"), small.replace("demo-8gb", "small")).unwrap();
    fs::write(dir.join("slow.toml"), slow.replace("demo-8gb", "slow")).unwrap();
}

/// Writes an article about both drives, with one finding that holds, and a second one.
fn article(dir: &Path, second: &str) {
    tiny_edition(dir);
    models(dir);
    let text = format!(
        "schema = \"stend.article/1\"\nid = \"small\"\ntitle = \"Small drives\"\n\
         edition = \"tiny.toml\"\n\
         subjects = [\"small.toml\"]\nrivals = [\"slow.toml\"]\n\
         [figure.write]\ntitle = \"random write\"\ntest = \"random\"\n\
         points = {{ op = \"write\", metric = \"iops\" }}\n\
         [figure.depth]\ntitle = \"random read, depth 8\"\ntest = \"depth-scaling\"\n\
         points = {{ queue_depth = 8, metric = \"iops\" }}\n\
         [[finding]]\nid = \"faster\"\ntext = \"It reads faster than the slow one.\"\n\
         [[finding.check]]\nfigure = \"depth\"\ndrives = [\"small.toml\"]\n\
         order = {{ more_than = [\"rivals\"] }}\n\
         [[finding]]\nid = \"second\"\ntext = \"Its writes.\"\n\
         when_not = \"because it is made up\"\n\
         [[finding.check]]\nfigure = \"write\"\ndrives = [\"small.toml\"]\n\
         reading = \"at all\"\n{second}\n"
    );
    fs::write(dir.join("small-drives.toml"), text).unwrap();
}

const HOLDS: &str = "value = { above = 1.0 }";
const FAILS: &str = "value = { above = 1e9 }";

/// Runs the command. Returns stdout, stderr and exit code.
fn claims(dir: &Path, args: &[&str]) -> (String, String, Option<i32>) {
    let mut all = vec!["claims"];
    all.extend_from_slice(args);
    let said = run(&mut stend(dir, &all));
    (said.stdout, said.stderr, said.code)
}

/// Outcomes of the findings, by title.
fn outcomes(document: &Value) -> Vec<(String, String)> {
    let findings = list(&document["articles"]).iter();
    findings
        .flat_map(|article| list(&article["findings"]))
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            (text("id"), text("outcome"))
        })
        .collect()
}

#[test]
fn what_holds_and_what_does_not() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    let (text, progress, code) = claims(dir, &["small-drives.toml"]);
    assert_eq!(code, Some(0), "{progress}");
    assert!(text.contains("All findings: 2 hold, 0 do not"), "{text}");
    assert!(!text.contains("because it is made up"), "{text}");
    assert!(progress.contains("2 drives to be simulated"), "{progress}");
    assert!(text.contains("Shortened: every measurement"), "{text}");
    // Shortened measurements are not reused for full ones.
    let (text, progress, _) = claims(dir, &["small-drives.toml", "--full-length"]);
    assert!(
        text.contains("Everything was measured for its full time"),
        "{text}"
    );
    assert!(progress.contains("2 drives to be simulated"), "{progress}");

    article(dir, FAILS);
    fs::write(dir.join("left-out.json"), LEFT_OUT).unwrap();
    let args = ["small-drives.toml", "--validation", "v.md"];
    let (text, progress, code) = claims(
        dir,
        &[&args[..], &["--leave-one-out", "left-out.json"]].concat(),
    );
    assert_eq!(code, Some(8), "{progress}");
    assert!(text.contains("All findings: 1 hold, 1 do not"), "{text}");
    assert!(text.contains("because it is made up"), "{text}");
    let document = fs::read_to_string(dir.join("v.md")).unwrap();
    assert!(document.contains("### `faster`: holds"), "{document}");
    assert!(
        document.contains("### `second`: **does not hold**"),
        "{document}"
    );
    assert!(
        document.contains("Why not: because it is made up"),
        "{document}"
    );
    assert!(
        document.contains("Over all 3 rows of 1 drive, the median error is 5.0 % as shipped"),
        "{document}"
    );
    fs::write(dir.join("left-out.json"), "{}").unwrap();
    let (_, progress, code) = claims(
        dir,
        &[&args[..], &["--leave-one-out", "left-out.json"]].concat(),
    );
    assert_eq!(code, Some(3), "{progress}");
    assert!(
        progress.contains("left-out.json is not a result of `stend fit --leave-one-out"),
        "{progress}"
    );
}

/// A result of `stend fit --leave-one-out --json`.
const LEFT_OUT: &str = r#"{
    "schema": "stend.fit-leave-one-out/1", "seed": 1, "generations": 6,
    "all": { "drives": 1, "answered": 3, "error_median_shipped": 0.05,
             "error_median_left_out": 0.1 },
    "changed": { "drives": 1, "answered": 3, "error_median_shipped": 0.05,
                 "error_median_left_out": 0.1 },
    "drives": []
}"#;

#[test]
fn what_was_simulated_before_is_not_simulated_again() {
    let dir = folder();
    let dir = dir.path();
    article(dir, FAILS);
    let (first, progress, _) = claims(dir, &["small-drives.toml", "--json"]);
    assert!(progress.contains("2 drives to be simulated"), "{progress}");
    // Bounds of findings do not change the measurements.
    article(dir, HOLDS);
    let (second, progress, code) = claims(dir, &["small-drives.toml", "--json"]);
    assert_eq!((progress.as_str(), code), ("", Some(0)));
    let (first, second) = (json(&first), json(&second));
    let value = |document: &Value| {
        let check = &document["articles"][0]["findings"][1]["checks"][0];
        number(&check["comparisons"][0]["value"])
    };
    assert_eq!(value(&first), value(&second));
    let (third, progress, _) = claims(dir, &["small-drives.toml", "--json", "--fresh"]);
    assert!(progress.contains("2 drives to be simulated"), "{progress}");
    assert_eq!(json(&third), second);
    // Another seed or another model needs another simulation.
    let (_, progress, _) = claims(dir, &["small-drives.toml", "--seed", "2"]);
    assert!(
        progress.contains("2 drives to be simulated, 0 taken"),
        "{progress}"
    );
    let slow = fs::read_to_string(dir.join("slow.toml")).unwrap();
    let slower = slow.replace(
        "read_command_ns = { value = 27000",
        "read_command_ns = { value = 30000",
    );
    fs::write(dir.join("slow.toml"), slower).unwrap();
    let (_, progress, _) = claims(dir, &["small-drives.toml"]);
    assert!(
        progress.contains("1 drive to be simulated, 1 taken"),
        "{progress}"
    );
}

#[test]
fn only_what_is_looked_at_is_measured_and_it_says_so() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    claims(dir, &["small-drives.toml"]);
    let shown = |nth: &str| run(&mut stend(dir, &["lab", "show", nth, "--json"])).stdout;
    let reviews = [json(&shown("1")), json(&shown("2"))];
    let review = reviews
        .iter()
        .find(|r| r["target"]["name"] == "small")
        .unwrap();
    assert_eq!(review["complete"], false);
    let of = |id: &str| {
        list(&review["tests"])
            .iter()
            .find(|t| t["id"] == id)
            .cloned()
    };
    let random = of("random").expect("one of its points is looked at");
    assert_eq!(list(&random["points"]).len(), 1);
    assert_eq!(random["left_out_points"], 1);
    let warnings = list(&random["warnings"]);
    assert!(
        warnings
            .iter()
            .any(|w| words(w).contains("only a part of this test"))
    );
    assert_eq!(of("sequential"), None);
    // A drive's name does not select an unfinished run.
    fails(
        dir,
        &["compare", "small", "slow"],
        3,
        &["no complete review"],
    );
}

#[test]
fn drives_that_are_left_out_leave_findings_open() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    let args = ["small-drives.toml", "--drives", "small.toml", "--json"];
    let (text, _, code) = claims(dir, &args);
    assert_eq!(code, Some(0));
    let document = json(&text);
    assert_eq!(document["schema"], "stend.claims/1");
    assert_eq!(
        outcomes(&document),
        [
            ("faster".to_owned(), "open".to_owned()),
            ("second".to_owned(), "holds".to_owned())
        ]
    );
    assert_eq!(
        (&document["holds"], &document["fails"], &document["open"]),
        (&1.into(), &0.into(), &1.into())
    );
}

#[test]
fn wrong_files_are_told_by_line() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    let text = fs::read_to_string(dir.join("small-drives.toml")).unwrap();
    let wrong = |from: &str, to: &str, parts: &[&str]| {
        assert!(text.contains(from), "{from}");
        fs::write(dir.join("wrong.toml"), text.replacen(from, to, 1)).unwrap();
        fails(dir, &["claims", "wrong.toml"], 3, parts);
    };
    wrong("reading = ", "readnig = ", &["wrong.toml:29", "`readnig`"]);
    wrong(
        "test = \"random\"",
        "test = \"rondam\"",
        &["wrong.toml:7", "`rondam`", "block-scaling"],
    );
    wrong(
        "queue_depth = 8",
        "queue_depth = 9",
        &["wrong.toml:11", "no point"],
    );
    wrong(
        "queue_depth = 8, ",
        "",
        &["wrong.toml:11", "2 points", "`over`"],
    );
    wrong(
        "slow.toml",
        "nosuch",
        &["there is no drive model `nosuch`", "`stend drives` lists"],
    );
    wrong("slow.toml", "nosuch.toml", &["nosuch.toml", "cannot read"]);
    wrong(
        "tiny.toml",
        "1999",
        &["wrong.toml:4: edition", "1999", "2014"],
    );
    fails(
        dir,
        &["claims", "missing.toml"],
        3,
        &["missing.toml", "could not be read"],
    );
    let args = ["claims", "small-drives.toml", "--article", "x"];
    fails(dir, &args, 3, &["--article x", "small"]);
    let args = ["claims", "small-drives.toml", "--drives", "x"];
    fails(dir, &args, 3, &["--drives x", "slow.toml"]);
}

/// Checks that the documentation names exactly the keys of the JSON.
#[test]
fn the_json_is_documented() {
    let dir = folder();
    let dir = dir.path();
    article(dir, FAILS);
    let (text, ..) = claims(dir, &["small-drives.toml", "--json"]);
    let document = include_str!("../../../docs/claims-format.md");
    let (_, section) = document.split_once("## `--json`").unwrap();
    let told: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(key, _)| key)
        .collect();
    for path in common::key_paths(&json(&text)) {
        let key = path.rsplit('.').next().unwrap().trim_end_matches("[]");
        assert!(told.contains(&key), "{path} is not documented");
    }
}

#[test]
fn shipped_articles_fit_their_editions() {
    let dir = folder();
    let mut subjects = Vec::new();
    for name in Article::shipped() {
        let text = Article::shipped_text(name).unwrap();
        subjects.extend(Article::parse(text, name).unwrap().subjects);
    }
    assert!(!subjects.is_empty());
    // An unknown drive suffices: all files are read, and checked against their editions, before the
    // drive is looked up. It is the first that is not known.
    subjects.push("nosuch".to_owned());
    let named = subjects.join(",");
    fails(
        dir.path(),
        &["claims", "--drives", &named],
        3,
        &[
            "--drives nosuch: no finding is about it",
            "checks the findings about all",
        ],
    );
}

#[test]
fn shipped_articles_name_shipped_drives() {
    for name in Article::shipped() {
        let text = Article::shipped_text(name).unwrap();
        let article = Article::parse(text, name).unwrap();
        for (drive, _) in article.needs() {
            assert!(SHIPPED.iter().any(|s| s.name == drive), "{name}: {drive}");
        }
    }
}

/// Checks that the validation document contains the present text of every finding.
#[test]
fn the_validation_tells_of_every_finding() {
    let document = include_str!("../../../docs/validation.md");
    for name in Article::shipped() {
        let article = Article::parse(Article::shipped_text(name).unwrap(), name).unwrap();
        for finding in article.findings {
            assert!(
                document.contains(&format!("### `{}`:", finding.id)),
                "{name}: {}",
                finding.id
            );
            assert!(document.contains(&finding.text), "{name}: {}", finding.id);
        }
    }
}

/// Gives the slow drive's command a range that contains that of the small drive.
fn slow_with_range(dir: &Path) {
    let slow = fs::read_to_string(dir.join("slow.toml")).unwrap();
    let key = "read_command_ns = { value = 27000, source = \"";
    let at = slow.find(key).unwrap() + key.len();
    let end = at + slow[at..].find('"').unwrap();
    let source = &slow[at..end];
    let old = format!("{key}{source}\" }}");
    let new = format!("{key}assumed: {source}\", free = [1000, 60000] }}");
    let new = new.replace("27000", "12000");
    assert!(slow.contains(&old), "{source}");
    fs::write(dir.join("slow.toml"), slow.replace(&old, &new)).unwrap();
}

#[test]
fn drives_can_be_scaled_and_every_output_says_so() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    slow_with_range(dir);
    let (text, progress, code) = claims(dir, &["small-drives.toml", "--scaled", "2"]);
    assert_eq!(code, Some(0), "{progress}");
    let said = "SCALED: every drive was simulated with 1/2 of its capacity";
    assert!(text.starts_with(said), "{text}");

    // With `--samples`, only the versions are scaled; the models are measured again for comparison.
    let scaled = ["small-drives.toml", "--scaled", "2", "--samples", "2"];
    let (text, progress, _) = claims(dir, &[&scaled[..], &["--json"]].concat());
    let document = json(&text);
    assert_eq!(number(&document["scaled_by"]), 2.0);
    assert_eq!(number(&document["samples"]["scaled_alike"]), 2.0);
    let finding = &document["articles"][0]["findings"][0];
    assert_eq!(finding["samples"]["scaled_alike"], true, "{progress}");
    let (text, _, _) = claims(dir, &[&scaled[..], &["--validation", "v.md"]].concat());
    let document = fs::read_to_string(dir.join("v.md")).unwrap();
    for text in [text, document] {
        assert!(text.contains("Scaled: every plausible version"), "{text}");
        assert!(text.contains("alike in 2 of 2 findings"), "{text}");
    }
    let (_, error, code) = claims(dir, &["--scaled", "1"]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn findings_are_put_to_plausible_versions_of_the_drives() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    slow_with_range(dir);
    let args = ["small-drives.toml", "--samples", "12", "--json"];
    let (text, progress, code) = claims(dir, &args);
    assert_eq!(code, Some(0), "{progress}");
    assert!(
        progress.contains("plausible version 12 of 12"),
        "{progress}"
    );
    let document = json(&text);
    let samples = &document["samples"];
    assert_eq!(number(&samples["versions"]), 12.0);
    assert_eq!(number(&samples["figures_drawn"]), 1.0);
    let findings = list(&document["articles"][0]["findings"]);
    let [faster, second] = &findings[..] else {
        panic!("there are two: {text}");
    };
    // In some versions the slow drive is the faster one.
    assert_eq!(faster["samples"]["verdict"], "possible");
    let holds = number(&faster["samples"]["holds"]);
    assert!((1.0..12.0).contains(&holds), "{holds}");
    let decided = &list(&faster["samples"]["decided_by"])[0];
    let figure = decided["figure"].as_str().unwrap();
    assert!(
        figure.ends_with("slow.toml: controller.read_command_ns"),
        "{figure}"
    );
    assert!(number(&decided["rank_correlation"]) > 0.9, "{decided}");
    assert_eq!(second["samples"]["verdict"], "robust");

    // Earlier versions are reused, and more versions change none of them.
    let args = [
        "small-drives.toml",
        "--samples",
        "13",
        "--validation",
        "v.md",
    ];
    let (text, progress, _) = claims(dir, &args);
    let again: Vec<&str> = progress
        .lines()
        .filter(|l| l.contains("to be simulated"))
        .collect();
    assert_eq!(again.len(), 1, "{progress}");
    assert!(
        again[0].starts_with("1 drive to be simulated"),
        "{progress}"
    );
    assert!(
        text.contains("13 plausible versions of the drives (1 figure drawn"),
        "{text}"
    );
    let document = fs::read_to_string(dir.join("v.md")).unwrap();
    assert!(
        document.contains("How sure: possible, holds in"),
        "{document}"
    );
    assert!(
        document.contains("How sure: robust, holds in 13 of 13"),
        "{document}"
    );
}

#[test]
fn drives_without_any_range_have_one_version_and_it_is_said() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    let (text, progress, code) = claims(dir, &["small-drives.toml", "--samples", "2"]);
    assert_eq!(code, Some(0), "{progress}");
    assert!(
        text.contains("No figure of these drives has a range"),
        "{text}"
    );
}

#[test]
fn a_finding_that_its_loose_words_would_turn_is_marked() {
    let dir = folder();
    let dir = dir.path();
    article(dir, HOLDS);
    let text = fs::read_to_string(dir.join("small-drives.toml")).unwrap();
    let text = text.replace(
        "order = { more_than = [\"rivals\"] }",
        "place = { among = [\"small.toml\", \"slow.toml\"], at_least = 2 }\n\
         reading = \"\\\"among the last\\\": the last\"",
    );
    fs::write(dir.join("small-drives.toml"), text).unwrap();
    let (text, _, code) = claims(dir, &["small-drives.toml", "--json"]);
    assert_eq!(code, Some(8));
    let document = json(&text);
    let findings = list(&document["articles"][0]["findings"]);
    let turned: Vec<bool> = findings
        .iter()
        .map(|finding| finding["turned_by_reading"].as_bool().unwrap())
        .collect();
    assert_eq!(turned, [true, false]);
    let (text, _, _) = claims(dir, &["small-drives.toml"]);
    assert!(text.contains("with its loose words read half as widely again it would hold"));
}

/// Findings about small drives; the first does not hold and has an experiment.
fn with_experiment(dir: &Path) -> String {
    // The finding claims that the small drive is slower than the slow one; with a slower command
    // it is.
    article(dir, HOLDS);
    let text = fs::read_to_string(dir.join("small-drives.toml")).unwrap();
    let text = text.replace("more_than = [\"rivals\"]", "less_than = [\"rivals\"]");
    let experiment = "[[finding.experiment]]\ndrive = \"small.toml\"\n\
                      figure = \"controller.read_command_ns\"\nvalues = [9000, 60000]\n\
                      [[finding]]\nid = \"second\"";
    let text = text.replace("[[finding]]\nid = \"second\"", experiment);
    fs::write(dir.join("small-drives.toml"), &text).unwrap();
    text
}

#[test]
fn experiments_are_made_on_findings_that_do_not_hold() {
    let dir = folder();
    let dir = dir.path();
    with_experiment(dir);
    let (said, _, _) = claims(dir, &["small-drives.toml", "--json"]);
    let none = &json(&said)["articles"][0]["findings"][0];
    assert!(none.get("experiments").is_none(), "{none}");
    let args = ["small-drives.toml", "--experiments", "--json"];
    let (said, progress, code) = claims(dir, &args);
    assert_eq!(code, Some(8), "{progress}");
    let document = json(&said);
    let tried = list(&document["articles"][0]["findings"][0]["experiments"]);
    let outcomes: Vec<(f64, &str)> = tried
        .iter()
        .map(|one| (number(&one["value"]), one["outcome"].as_str().unwrap()))
        .collect();
    assert_eq!(outcomes, [(9_000.0, "fails"), (60_000.0, "holds")]);
    // The experiment is simulated for the drive alone, and reused.
    assert!(progress.contains("1 drive to be simulated"), "{progress}");
    // The lab labels the version, and the drive's name never selects it.
    let runs = json(&ok(dir, &["lab", "list", "--json"]).stdout);
    let versions = list(&runs).iter().filter(|run| {
        assert_eq!(run["state"], "unfinished");
        let shown = ok(dir, &["lab", "show", &run["run"].to_string(), "--json"]).stdout;
        let facts = json(&shown)["environment"].clone();
        list(&facts).iter().any(|fact| fact["id"] == "version")
    });
    assert_eq!(versions.count(), 1, "{runs}");
    let args = ["small-drives.toml", "--experiments", "--validation", "v.md"];
    let (said, progress, _) = claims(dir, &args);
    assert!(!progress.contains("to be simulated"), "{progress}");
    let told = "with controller.read_command_ns = 60000 of small.toml: holds";
    assert!(said.contains(told), "{said}");
    let document = fs::read_to_string(dir.join("v.md")).unwrap();
    assert!(document.contains("Experiment: `controller.read_command_ns` of small.toml."));
    assert!(document.contains("| 60000 | yes |"), "{document}");
}

#[test]
fn an_experiment_that_cannot_be_made_is_refused() {
    let dir = folder();
    let dir = dir.path();
    let text = with_experiment(dir);
    for (old, new, said) in [
        (
            "values = [9000, 60000]",
            "values = []",
            "tries at least one value",
        ),
        (
            "values = [9000, 60000]",
            "values = [-5]",
            "controller.read_command_ns",
        ),
        (
            "drive = \"small.toml\"",
            "drive = \"other.toml\"",
            "neither a drive",
        ),
        (
            "controller.read_command_ns",
            "read_command_ns",
            "expected a figure",
        ),
        (
            "controller.read_command_ns",
            "controller.reed_ns",
            "no number of this name",
        ),
    ] {
        fs::write(dir.join("small-drives.toml"), text.replace(old, new)).unwrap();
        let (_, progress, code) = claims(dir, &["small-drives.toml"]);
        assert_eq!(code, Some(3), "{progress}");
        assert!(progress.contains(said), "{progress}");
    }
}
