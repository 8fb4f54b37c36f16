//! Variants of a model are distinguished, and runs can be named.

use crate::common;

use std::fs;
use std::path::Path;

use common::{fails, folder, json, list, ok, review, saved, test, words};
use serde_json::{Value, json as value};

const DEMO: &str = include_str!("../../../drives/demo-8gb.toml");

const TITLE: &str = "Demonstration drive, 8 GB";

/// Options for a short review.
const SHORT: [&str; 6] = [
    "--edition",
    "quick",
    "--duration-scale",
    "0.01",
    "--tests",
    "random",
];

const JOB: &str = "[r]\nrw=randread\nbs=4k\nruntime=1\ntime_based\n";

fn short(target: &[&str]) -> Vec<String> {
    let words = [target, &SHORT].concat();
    words.into_iter().map(str::to_owned).collect()
}

fn reviewed(dir: &Path, target: &[&str]) -> Value {
    let args = short(target);
    review(dir, &args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Writes the demonstration drive with this capacity to a file.
fn variant(dir: &Path, bytes: u64) -> String {
    let name = format!("size-{bytes}.toml");
    let given = "user_bytes = { value = 8000000000";
    assert_eq!(DEMO.matches(given).count(), 1);
    let text = DEMO.replace(given, &format!("user_bytes = {{ value = {bytes}"));
    fs::write(dir.join(&name), text).unwrap();
    name
}

fn runs(dir: &Path) -> Vec<Value> {
    list(&json(&ok(dir, &["lab", "list", "--json"]).stdout)).clone()
}

#[test]
fn eight_variants_of_a_model_have_eight_names() {
    let dir = folder();
    let dir = dir.path();
    let sizes: Vec<u64> = (1..=8).map(|n| 4_096_000_000 + n * 409_600_000).collect();
    for bytes in &sizes {
        let made = reviewed(dir, &[&variant(dir, *bytes)]);
        assert_eq!(made["target"]["name"], format!("size-{bytes}.toml"));
        let model = &made["target"]["model"];
        assert_eq!(model["shipped"], "demo-8gb");
        assert_eq!(model["title"], TITLE);
        assert_eq!(model["changes"][0]["value"], *bytes);
        assert_eq!(model["changes"][0]["shipped"], 8_000_000_000_u64);
    }
    let runs = runs(dir);
    let words = |of: fn(&Value) -> &Value| -> Vec<&str> {
        let mut words: Vec<&str> = runs.iter().map(|run| of(run).as_str().unwrap()).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let names = words(|run| &run["drive"]["model"]);
    assert_eq!(names.len(), 8, "{names:?}");
    assert_eq!(words(|run| &run["drive"]["fingerprint"]).len(), 8);
    assert_eq!(
        runs[0]["drive"]["model"],
        format!("{TITLE}, user_bytes = 4.5056 GB")
    );
    let listed = ok(dir, &["lab"]).stdout;
    assert!(listed.contains("user_bytes = 7.3728 GB"), "{listed}");

    // By the file's stem, the file name as typed, the full name, and the number.
    let last = format!("{TITLE}, user_bytes = 7.3728 GB");
    for word in ["size-7372800000", "size-7372800000.toml", &last, "8"] {
        let compared = ok(dir, &["compare", "size-4505600000", word, "--out", "both"]).stdout;
        let line = "user_bytes: 4.5056 GB against 7.3728 GB";
        assert!(compared.contains(line), "{compared}");
        let [first, second] = [", run 1\n", ", run 8\n"].map(|run| compared.contains(run));
        assert!(first && second, "{compared}");
        let page = fs::read_to_string(dir.join("both/index.html")).unwrap();
        let page = page.replace('\u{a0}', " ");
        let cells = ["user_bytes", "4.5056 GB", "7.3728 GB"];
        let cells = cells.map(|text| page.contains(&format!(">{text}</t")));
        assert_eq!(cells, [true; 3], "{word}");
    }
    let russian = ok(dir, &["compare", "size-4505600000", "8", "--lang", "ru"]).stdout;
    let line = "user_bytes: 4,5056 ГБ против 7,3728 ГБ";
    assert!(russian.contains(line), "{russian}");
    let compared = json(&ok(dir, &["compare", "1", "8", "--json"]).stdout);
    assert_eq!(compared["models"][0]["name"], "user_bytes");
    assert_eq!(compared["models"][0]["values"][1], "7.3728 GB");
    assert_eq!(compared["sides"][1]["title"], last);
    let choices = [
        "fits 8 drives",
        "  3: Demonstration drive, 8 GB, user_bytes = 5.3248 GB, size-5324800000.toml, 20",
    ];
    fails(dir, &["compare", TITLE, "1"], 3, &choices);
    fails(dir, &["lab", "show", TITLE], 3, &choices);
}

#[test]
fn figures_are_set_on_the_command_line_and_told_with_the_result() {
    let dir = folder();
    let dir = dir.path();
    let set = [
        "demo-8gb",
        "--set",
        "gc.policy=fifo",
        "--set",
        "nand.read_us[0]=75.5",
        "--against",
        "demo-8gb",
    ];
    let made = reviewed(dir, &set);
    let title = format!("{TITLE}, nand.read_us = [75.5, 70, 70] µs, gc.policy = fifo");
    assert_eq!(made["target"]["title"], title);
    assert_eq!(made["target"]["name"], "demo-8gb");
    let command = made["reproduce"].as_str().unwrap();
    let expected = "stend review demo-8gb --set gc.policy=fifo --set 'nand.read_us[0]=75.5' ";
    assert!(command.starts_with(expected), "{command}");
    assert!(
        dir.join("review-demo-8gb-gc.policy-fifo-nand.read_us_0_-75.5/index.html")
            .exists()
    );
    // The rival is the shipped model.
    assert_eq!(made["rivals"][0]["target"]["title"], TITLE);
    let facts = list(&made["target"]["facts"]);
    let differs = facts
        .iter()
        .find(|f| f["of"] == "demo-8gb" && f["id"] == "differs-from");
    let in_full = "nand.read_us = [75.5, 70, 70] µs (shipped: [70, 70, 70] µs); gc.policy = fifo \
                   (shipped: greedy)";
    assert_eq!(words(&differs.unwrap()["value"]), in_full);
    // The same figures in a file give exactly the same drive.
    let shown = ["drives", "show", "demo-8gb"];
    let file = ok(dir, &[&shown[..], &set[1..5]].concat()).stdout;
    fs::write(dir.join("mine.toml"), file).unwrap();
    let again = reviewed(dir, &["mine.toml"]);
    assert_eq!(again["target"]["model"], made["target"]["model"]);
    assert_eq!(again["tests"], made["tests"]);
    fails(dir, &["compare", "demo-8gb", "mine"], 3, &["fits 2 drives"]);

    let real = ["review", "x.bin", "--size", "8MiB", "--set", "nand.dies=4"];
    fails(dir, &real, 3, &["--set nand.dies=4", "x.bin is none"]);
    for (option, parts) in [
        ("nand.dyes=4", ["nand.dyes", "the nearest is `nand.dies`"]),
        ("user_bytes=4", ["user_bytes", "`capacity.user_bytes`"]),
        ("nand.dies=0", ["demo-8gb: nand.dies", "0"]),
    ] {
        for command in ["review", "drives show"] {
            let mut args: Vec<&str> = command.split(' ').collect();
            args.extend(["demo-8gb", "--set", option]);
            fails(dir, &args, 3, &parts);
        }
    }
    let args = ["review", "demo-8gb", "--set", "nand.dies"];
    fails(dir, &args, 2, &["KEY=VALUE"]);
}

#[test]
fn what_is_set_of_a_model_that_comes_from_none_is_in_its_name() {
    let dir = folder();
    let dir = dir.path();
    let own = DEMO.replace(TITLE, "My own").replace("demo-8gb", "own");
    fs::write(dir.join("own.toml"), own).unwrap();
    let plain = reviewed(dir, &["own.toml"]);
    assert_eq!(plain["target"]["title"], "My own");
    assert!(plain["target"]["model"]["shipped"].is_null());
    let changed = reviewed(dir, &["own.toml", "--set", "gc.depth=2", "--label", "deep"]);
    assert_eq!(changed["target"]["title"], "My own, gc.depth = 2");
    let compared = ok(dir, &["compare", "deep", "My own, gc.depth = 2"]).stdout;
    assert!(!compared.contains("Differing figures"), "{compared}");
    let compared = ok(dir, &["compare", "1", "deep"]).stdout;
    assert!(compared.contains("  gc.depth: 1 against 2\n"), "{compared}");
    let plan = [
        "review",
        "own.toml",
        "--set",
        "gc.depth=2",
        "--plan",
        "--json",
    ];
    let plan = ok(dir, &plan).stdout;
    assert!(plan.contains("My own, gc.depth = 2"), "{plan}");
}

#[test]
fn an_unfinished_review_of_another_variant_is_not_continued() {
    let dir = folder();
    let dir = dir.path();
    let name = variant(dir, 4_096_000_000);
    reviewed(dir, &[&name, "--out", "out"]);
    let mut kept = saved(&dir.join("out"));
    kept["complete"] = false.into();
    common::save(&dir.join("out"), &kept);
    variant(dir, 4_505_600_000);
    fs::rename(dir.join("size-4505600000.toml"), dir.join(&name)).unwrap();
    let args = short(&[&name, "--out", "out"]);
    let args: Vec<&str> = std::iter::once("review")
        .chain(args.iter().map(String::as_str))
        .collect();
    let parts = ["user_bytes = 4.096 GB, now it is", "4.5056 GB", "folder"];
    fails(dir, &args, 3, &parts);
    assert_eq!(saved(&dir.join("out")), kept);
    assert_eq!(runs(dir).len(), 1);
    assert_eq!(runs(dir)[0]["breaks"], 0, "nothing was continued");

    // Results of the first variant in the lab are not used for the second one.
    let lab = rusqlite::Connection::open(dir.join(".lab/lab.db")).unwrap();
    let unfinished = "UPDATE runs SET state = 'unfinished'";
    lab.execute_batch(unfinished).unwrap();
    let mut second = reviewed(dir, &[&name, "--out", "other", "--lab", "other.db"]);
    second["complete"] = false.into();
    second["tests"] = Value::Array(Vec::new());
    common::save(&dir.join("out"), &second);
    let said = ok(dir, &args);
    assert!(!said.stderr.contains("of the lab:"), "{}", said.stderr);
    assert_eq!(runs(dir).len(), 2);
}

#[test]
fn what_is_continued_may_get_its_label_then() {
    let dir = folder();
    let dir = dir.path();
    reviewed(dir, &["demo-8gb", "--label", "first", "--out", "out"]);
    let lab = rusqlite::Connection::open(dir.join(".lab/lab.db")).unwrap();
    let unfinished = "UPDATE runs SET state = 'unfinished'";
    for (more, label) in [(&[][..], "first"), (&["--label", "then"], "then")] {
        let mut kept = saved(&dir.join("out"));
        kept["complete"] = false.into();
        common::save(&dir.join("out"), &kept);
        lab.execute_batch(unfinished).unwrap();
        let made = reviewed(dir, &[&["demo-8gb", "--out", "out"], more].concat());
        assert_eq!(made["label"], label);
        let runs = runs(dir);
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0]["label"], label);
    }
    assert_eq!(runs(dir)[0]["breaks"], 2);
}

#[test]
fn a_price_is_told_with_that_of_a_gigabyte() {
    let dir = folder();
    let dir = dir.path();
    let price = ["demo-8gb", "--price", "7.90 EUR", "--out", "r"];
    let made = reviewed(dir, &price);
    let price = value!({ "amount": "7.90", "currency": "EUR" });
    assert_eq!(made["target"]["price"], price);
    let words = "7.90 EUR, 0.988 EUR per GB (10⁹ bytes)";
    let shown = ok(dir, &["lab", "show", "1"]).stdout;
    assert!(shown.contains(&format!("  price: {words}\n")), "{shown}");
    let page = fs::read_to_string(dir.join("r/index.html")).unwrap();
    assert_eq!(page.matches(words).count(), 2, "the page tells it");
    let again = made["reproduce"].as_str().unwrap();
    assert!(again.contains("--price '7.90 EUR'"), "{again}");
    let rivals = "demo-8gb=9.50 EUR";
    let set = ["--set", "gc.policy=fifo", "--against", "demo-8gb"];
    let both = ["--price", rivals, "--price", "7.90 EUR", "--out", "both"];
    let made = reviewed(dir, &[&["demo-8gb"], &set[..], &both].concat());
    let other = value!({ "amount": "9.50", "currency": "EUR" });
    assert_eq!(made["rivals"][0]["target"]["price"], other);
    assert_eq!(made["target"]["price"], price);
    let again = made["reproduce"].as_str().unwrap();
    let options = format!("--price '7.90 EUR' --price '{rivals}'");
    assert!(again.contains(&options), "{again}");
    for (wrong, said) in [
        ("nosuch=9.50 EUR", "no rival has this name"),
        ("demo-8gb=9.50", "amount and currency"),
    ] {
        let args = ["review", "demo-8gb", "--against", "none", "--price", wrong];
        let code = if said.contains("name") { 3 } else { 2 };
        fails(dir, &args, code, &[said]);
    }
    for wrong in ["7.90", "EUR 7.90", "0 EUR", "inf EUR", "1e3 EUR", "7 a b"] {
        let review = ["review", "demo-8gb", "--price", wrong];
        fails(dir, &review, 2, &["amount and currency"]);
    }
}

#[test]
fn labels_and_notes_are_given_changed_and_taken_away() {
    let dir = folder();
    let dir = dir.path();
    let marks = ["--label", "cold", "--note", "in a fridge"];
    let made = reviewed(dir, &[&["demo-8gb"], &marks[..]].concat());
    assert_eq!(
        (&made["label"], &made["note"]),
        (&marks[1].into(), &marks[3].into())
    );
    assert_eq!(
        json(&ok(dir, &["lab", "show", "cold", "--json"]).stdout),
        made
    );
    assert!(!made["reproduce"].as_str().unwrap().contains("cold"));
    reviewed(
        dir,
        &[
            "demo-8gb",
            "--set",
            "nand.dies=2",
            "--set",
            "capacity.user_bytes=4096000000",
        ],
    );
    ok(dir, &["lab", "rename", "2", "warm"]);
    ok(dir, &["lab", "note", "1", ""]);
    let runs = runs(dir);
    assert_eq!(
        (&runs[0]["label"], &runs[0]["note"]),
        (&"cold".into(), &Value::Null)
    );
    assert_eq!(runs[1]["label"], "warm");
    let compared = ok(dir, &["compare", "cold", "warm"]).stdout;
    assert!(compared.contains("nand.dies: 4 against 2"), "{compared}");
    let shown = ok(dir, &["lab", "show", "warm"]).stdout;
    assert!(shown.contains("label           warm"), "{shown}");
    let listed = ok(dir, &["lab"]).stdout;
    assert!(
        listed.lines().nth(1).unwrap().ends_with("  cold"),
        "{listed}"
    );
    ok(dir, &["lab", "label", "1", ""]);
    fails(dir, &["lab", "show", "cold"], 3, &["no complete review"]);

    let long = "x".repeat(81);
    for bad in ["7", "j7", "a\nb", "\u{1b}[31m", &long] {
        let args = ["review", "demo-8gb", "--label", bad];
        fails(dir, &args, 2, &["--label"]);
        fails(dir, &["lab", "label", "1", bad], 3, &[]);
    }
    fails(dir, &["lab", "label", "9", "x"], 3, &["there is no run 9"]);
    fails(dir, &["lab", "note", "j9", "x"], 3, &["there is no job j9"]);
    fails(
        dir,
        &["lab", "label", "x", "y"],
        2,
        &["not a number of the lab"],
    );
}

#[test]
fn jobs_and_replays_are_kept_with_their_results() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("a.fio"), JOB).unwrap();
    let on = ["--on", "demo-8gb", "--seed", "7"];
    let json_of = [&["run", "a.fio"], &on[..], &["--output-format", "json"]].concat();
    let printed = json(&ok(dir, &json_of).stdout);
    let marks = ["--label", "fast", "--note", "once"];
    let in_words = [&["run", "a.fio"], &on[..], &marks[..]].concat();
    ok(dir, &in_words);
    let replay = [
        "replay",
        "word",
        "--on",
        "demo-8gb",
        "--duration-scale",
        "0.01",
        "--json",
    ];
    let replayed = json(&ok(dir, &replay).stdout);

    let shown = |id: &str| json(&ok(dir, &["lab", "show", id, "--json"]).stdout);
    let [first, second, third] = ["j1", "j2", "j3"].map(shown);
    assert_eq!(first["result"], printed);
    assert_eq!(second["result"], printed, "whatever was printed");
    assert_eq!(first["job"], JOB);
    assert_eq!(first["command"], "stend run a.fio --on demo-8gb --seed 7");
    assert_eq!(
        (&second["label"], &second["note"]),
        (&"fast".into(), &"once".into())
    );
    assert_eq!(
        (&third["kind"], &third["name"]),
        (&"replay".into(), &"word".into())
    );
    assert_eq!(third["result"], replayed);
    let command = "stend replay word --on demo-8gb --seed 1 --duration-scale 0.01";
    assert_eq!(third["command"], command);
    assert!(first["drive"]["fingerprint"].as_str().unwrap().len() == 16);
    let listed = ok(dir, &["lab"]).stdout;
    assert!(
        listed.starts_with("job  ") && listed.contains("\nj2 "),
        "{listed}"
    );
    let jobs = json(&ok(dir, &["lab", "jobs", "--json"]).stdout);
    assert_eq!(list(&jobs).len(), 3);

    assert_eq!(shown("fast"), second);
    ok(dir, &["lab", "label", "j3", "fast"]);
    fails(
        dir,
        &["lab", "show", "fast"],
        3,
        &["j2, j3", "by its number"],
    );
    ok(dir, &["lab", "label", "j3", ""]);
    jobs_are_merged_exported_and_deleted(dir, &third);
}

fn jobs_are_merged_exported_and_deleted(dir: &Path, third: &Value) {
    let merge = ["lab", "merge", ".lab/lab.db", "--lab", "second.db"];
    let told = ok(dir, &merge).stdout;
    assert!(told.contains("jobs and replays added: 3"), "{told}");
    let again = ["lab", "show", "j3", "--json", "--lab", "second.db"];
    assert_eq!(json(&ok(dir, &again).stdout), *third);
    ok(
        dir,
        &[
            "lab", "export", "out", "--format", "json", "--tables", "recorded",
        ],
    );
    let exported = json(&fs::read_to_string(dir.join("out/recorded.json")).unwrap());
    assert_eq!(list(&exported)[2]["name"], "word");
    fails(
        dir,
        &["lab", "delete", "j1", "4"],
        3,
        &["there is no run 4"],
    );
    let reviews_alone = ["lab", "export", "out", "--runs", "j1"];
    fails(dir, &reviews_alone, 3, &["--runs j1", "--tables recorded"]);
    ok(dir, &["lab", "delete", "j1", "j3"]);
    assert_eq!(
        list(&json(&ok(dir, &["lab", "jobs", "--json"]).stdout)).len(),
        1
    );
    fails(dir, &["lab", "show", "j1"], 3, &["there is no job j1"]);
    fails(
        dir,
        &["compare", "j2", "j2"],
        3,
        &["j2 is a job or a replay"],
    );
}

#[test]
fn a_lab_that_cannot_be_kept_costs_no_result() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("a.fio"), JOB).unwrap();
    fs::write(dir.join("notes"), "what I think of drives\n".repeat(100)).unwrap();
    let args = ["run", "a.fio", "--on", "demo-8gb", "--lab", "notes"];
    fails(dir, &args, 3, &["notes is not a lab"]);
    // This error is found before the run; a later one, such as a lock, comes after the result.
    ok(dir, &["run", "a.fio", "--on", "demo-8gb"]);
    let lock = rusqlite::Connection::open(dir.join(".lab/lab.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let said = common::run(&mut common::stend(
        dir,
        &["run", "a.fio", "--on", "demo-8gb"],
    ));
    assert_eq!(said.code, Some(6), "{said:?}");
    assert!(said.stdout.contains("IOPS="), "{said:?}");
    assert!(said.stderr.contains("being written by another"), "{said:?}");
}

#[test]
fn several_targets_one_after_the_other() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("a.fio"), format!("{JOB}write_bw_log=b\n")).unwrap();
    let small = variant(dir, 4_096_000_000);
    let both = format!("demo-8gb,{small}");
    let json_of = |on: &str, output: &str| {
        ok(
            dir,
            &[
                "run",
                "a.fio",
                "--on",
                on,
                "--output-format",
                "json",
                "--output",
                output,
            ],
        );
        json(&fs::read_to_string(dir.join(output)).unwrap())
    };
    let all = json_of(&both, "all");
    assert_eq!(all["schema"], "stend.runs/1");
    for (nth, name) in ["demo-8gb", &small].into_iter().enumerate() {
        assert_eq!(all["results"][nth]["target"], name);
        assert_eq!(all["results"][nth]["result"], json_of(name, "one"));
        let kept = ["lab", "show", &format!("j{}", nth + 1), "--json"];
        let kept = json(&ok(dir, &kept).stdout);
        assert_eq!(kept["result"], all["results"][nth]["result"]);
        let command = format!("stend run a.fio --on {name} --seed 1");
        assert_eq!(kept["command"], command);
        assert!(dir.join(format!("{name}-b_bw.1.log")).exists());
    }
    // Results may be replaced by newer results.
    ok(dir, &["run", "a.fio", "--on", &both, "--output", "all"]);
    ok(dir, &["run", "a.fio", "--on", &both, "--output", "all"]);
    let text = fs::read_to_string(dir.join("all")).unwrap();
    let heads = [
        format!("demo-8gb: {TITLE}\n"),
        format!("\n{small}: {TITLE}, user_bytes = 4.096 GB\n"),
    ];
    assert!(
        text.starts_with(&heads[0]) && text.contains(&heads[1]),
        "{text}"
    );
    // Results measured before a target is refused are not lost.
    fs::write(dir.join("foreign.bin"), vec![1; 1 << 20]).unwrap();
    let args = ["run", "a.fio", "--on", "demo-8gb,./foreign.bin"];
    let said = common::run(&mut common::stend(dir, &args));
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.stdout.starts_with(&heads[0]), "{said:?}");

    let replay = [
        "replay",
        "word",
        "--duration-scale",
        "0.01",
        "--json",
        "--on",
    ];
    let of = |on: &str| json(&ok(dir, &[&replay[..], &[on]].concat()).stdout);
    let all = of(&both);
    assert_eq!(all["schema"], "stend.replays/1");
    assert_eq!(list(&all["results"])[..], [of("demo-8gb"), of(&small)]);
}

#[test]
fn figures_are_one_flat_table() {
    let dir = folder();
    let dir = dir.path();
    let made = reviewed(
        dir,
        &["demo-8gb", "--set", "gc.policy=fifo", "--label", "one"],
    );
    reviewed(dir, &["demo-8gb"]);
    let export = [
        "lab", "export", "out", "--format", "json", "--tables", "figures",
    ];
    ok(dir, &export);
    let read = || json(&fs::read_to_string(dir.join("out/figures.json")).unwrap());
    let all = read();
    let of_run = |run: u64| list(&all).iter().filter(|row| row["run"] == run).count();
    assert!(of_run(1) == of_run(2) && of_run(1) > 0, "{all}");
    let point = &test(&made, "random")["points"][0];
    for (figure, unit, value) in [
        ("speed", "iops", &point["iops"]),
        ("speed", "bytes_per_s", &point["bw_bytes_per_s"]),
        ("latency, 99 %", "ns", &point["latency_ns"]["p99"]),
    ] {
        let found = list(&all)
            .iter()
            .find(|row| row["figure"] == figure && row["unit"] == unit && !row["load"].is_null());
        let row = found.unwrap();
        assert_eq!(row["value"].as_f64(), value.as_f64(), "{row}");
        assert_eq!(row["changes"], "gc.policy = fifo");
        assert_eq!(
            (&row["label"], &row["test"]),
            (&"one".into(), &"random".into())
        );
        assert_eq!(
            (&row["drive"], &row["edition"]),
            (&TITLE.into(), &"quick".into())
        );
        assert_eq!(row["fingerprint"], made["target"]["model"]["fingerprint"]);
    }
    ok(dir, &[&export[..], &["--runs", "2"]].concat());
    assert_eq!(list(&read()).len(), of_run(2));
    ok(dir, &["lab", "export", "out"]);
    let csv = fs::read_to_string(dir.join("out/figures.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + list(&all).len());
}

#[test]
fn models_are_listed_by_what_they_have() {
    let dir = folder();
    let names = |args: &[&str]| -> Vec<String> {
        let args = [&["drives", "list", "--json"], args].concat();
        let said = json(&ok(dir.path(), &args).stdout);
        let drives = list(&said["drives"]).iter();
        drives
            .map(|d| d["name"].as_str().unwrap().to_owned())
            .collect()
    };
    for nvme in ["pcie-nvme", "nvme", "NVMe 3.0 x4"] {
        assert_eq!(names(&["--interface", nvme]), ["intel-ssd-750-400gb"]);
    }
    let args = [
        "--flash",
        "v-nand mlc",
        "--capacity",
        "500GB..512GB",
        "--interface",
        "sata-6g",
    ];
    assert_eq!(names(&args), ["samsung-850-pro-512gb"]);
    assert_eq!(names(&["--capacity", "..8GB"]), ["demo-8gb"]);
    assert_eq!(names(&["--capacity", "9TB.."]), [""; 0]);
    for (args, parts) in [
        (["--interface", "usb"], ["--interface usb", "SATA"]),
        (["--flash", "QLC"], ["--flash QLC", "64-layer TLC"]),
    ] {
        fails(
            dir.path(),
            &[&["drives", "list"], &args[..]].concat(),
            3,
            &parts,
        );
    }
    assert_eq!(names(&["--year", "2018"]), ["samsung-860-evo-500gb"]);
    let early = names(&["--year", "..2013"]);
    assert!(
        early.len() == 3 && !early.contains(&"demo-8gb".to_owned()),
        "{early:?}"
    );
    for bad in ["x", "2016..2014", ""] {
        fails(
            dir.path(),
            &["drives", "list", "--year", bad],
            2,
            &["2014..2016"],
        );
    }
    for bad in ["8GB", "9GB..8GB", "x.."] {
        fails(
            dir.path(),
            &["drives", "list", "--capacity", bad],
            2,
            &["--capacity"],
        );
    }
}
