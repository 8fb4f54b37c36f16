//! `stend review --plan`: prints the plan, and changes nothing.

use std::fs;
use std::path::Path;

use crate::common::{MIB, fails, folder, ids, json, list, number, ok, review, words};

/// All names in a folder and its subfolders, including hidden ones.
fn contents(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries
        .map(|entry| {
            let data = entry.metadata().unwrap();
            let changed = data.modified().unwrap();
            let name = entry.file_name().into_string().unwrap();
            format!("{name} {} {changed:?}", data.len())
        })
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_is_made_or_changed() {
    let dir = folder();
    fs::write(dir.path().join("mine.bin"), vec![7; 2 * MIB as usize]).unwrap();
    fs::create_dir(dir.path().join("place")).unwrap();
    let before = contents(dir.path());
    for target in [
        &["demo-8gb"][..],
        &["demo-8gb", "--against", "samsung-sm863-480gb,./mine.bin"],
        &["./mine.bin"],
        &["./mine.bin", "--read-only"],
        &["./new.bin", "--size", "64MiB"],
        &["place", "--size", "64MiB"],
    ] {
        let all = [&["review"], target, &["--plan", "--edition", "2018"]].concat();
        let said = ok(dir.path(), &all);
        assert!(said.stdout.contains("nothing has been touched"));
        assert!(said.stdout.contains("file-copy: Copying files"), "{said:?}");
        assert_eq!(said.stderr, "");
        assert_eq!(contents(dir.path()), before, "{target:?}");
    }
    assert_eq!(fs::read_dir(dir.path().join("place")).unwrap().count(), 0);
    assert_eq!(fs::read(dir.path().join("mine.bin")).unwrap()[..9], [7; 9]);
}

#[test]
fn a_device_is_looked_up_and_not_opened() {
    // Any disk will do, even the system's own.
    let disks = fs::read_dir("/sys/block").into_iter().flatten();
    let names = disks.map(|disk| disk.unwrap().file_name().into_string().unwrap());
    let sized = |name: &String| {
        let size = fs::read_to_string(format!("/sys/block/{name}/size"));
        let node = Path::new("/dev").join(name).exists();
        node && size.is_ok_and(|sectors| sectors.trim() != "0")
    };
    let Some(name) = names.into_iter().find(sized) else {
        println!("skipped: there is no block device");
        return;
    };
    let dir = folder();
    let device = format!("/dev/{name}");
    let size = ["--size", "4MiB"];
    let args = [
        &["review", &device, "--plan", "--edition", "quick"],
        &size[..],
    ]
    .concat();
    let said = ok(dir.path(), &args);
    assert!(
        said.stdout.contains("a block device, through fio"),
        "{said:?}"
    );
    assert!(said.stdout.contains("rated life: "), "{said:?}");
}

#[test]
fn the_plan_says_how_long_how_much_and_of_what() {
    let dir = folder();
    let args = ["review", "samsung-sm863-480gb", "--plan", "--json"];
    let told = |more: &[&str]| json(&ok(dir.path(), &[&args, more].concat()).stdout);
    let plan = told(&["--edition", "2014"]);
    assert_eq!(plan["schema"], "stend.plan/1");
    let target = &plan["targets"][0];
    assert_eq!(target["target"]["name"], "samsung-sm863-480gb");
    assert_eq!(number(&target["rated_bytes"]), 3.08e15);
    let written = number(&target["estimated_written_bytes"]);
    let share = number(&target["estimated_life_percent"]);
    assert!((share - 100.0 * written / 3.08e15).abs() < 1e-9);
    // Each state is prepared once: a fill, and a second one; and the benchmark's file.
    let capacity = number(&target["target"]["capacity_bytes"]);
    let fills = number(&target["fill_bytes"]) - 2.0 * capacity;
    assert!(fills > 1e9 && fills < 0.2 * capacity, "{fills}");
    let few = told(&[
        "--edition",
        "2014",
        "--tests",
        "random",
        "--duration-scale",
        "0.1",
    ]);
    let few = &few["targets"][0];
    assert_eq!(ids(few), ["random"]);
    assert_eq!(number(&few["measured_s"]), 4.0 * 18.0);
    let parts = list(&few["tests"][0]["parts"]);
    assert_eq!(parts[0]["what"], "random read, 4 KiB, queue depth 1");
    assert_eq!(number(&parts[0]["duration_s"]), 18.0);
    let both = told(&["--against", "demo-8gb", "--tests", "random"]);
    assert_eq!(list(&both["targets"]).len(), 2);
    assert!(both["targets"][1].get("rated_bytes").is_none());
}

#[test]
fn what_is_planned_is_what_is_reviewed() {
    let dir = folder();
    let args = ["demo-8gb", "--edition", "quick", "--duration-scale", "0.05"];
    let plan = json(
        &ok(
            dir.path(),
            &[&["review"], &args[..], &["--plan", "--json"]].concat(),
        )
        .stdout,
    );
    let review = review(dir.path(), &[&args[..], &["--out", "out"]].concat());
    assert_eq!(ids(&plan["targets"][0]), ids(&review));
    let parts = |id: &str| {
        let tests = list(&plan["targets"][0]["tests"]);
        let found = tests.iter().find(|t| t["id"] == id).unwrap();
        list(&found["parts"]).len()
    };
    for test in list(&review["tests"]) {
        let results =
            ["points", "series", "sync"].map(|key| test[key].as_array().map_or(0, Vec::len));
        let id = test["id"].as_str().unwrap();
        assert_eq!(results.iter().sum::<usize>(), parts(id), "{id}");
    }
    let said = stend_words(&review);
    assert!(said.contains("O_DSYNC"), "{said}");
}

/// The names of all jobs.
fn stend_words(review: &serde_json::Value) -> String {
    let jobs = list(&review["tests"]).iter().flat_map(|t| list(&t["jobs"]));
    jobs.map(|job| words(&job["name"]).to_owned() + "\n")
        .collect()
}

#[test]
fn what_a_review_refuses_its_plan_refuses() {
    let dir = folder();
    for (args, code, said) in [
        (&["demo-8gb", "--tests", "nothing"][..], 3, "nothing"),
        (&["demo-8gb", "--edition", "2013"], 3, "no such edition"),
        (&["no-such-drive"], 3, "no drive model"),
        (&["./new.bin"], 3, "--size"),
        (&["./new.bin", "--size", "8EB"], 2, "suffix"),
        (&["./new.bin", "--size", "4096TiB"], 6, "do not fit"),
        (
            &["/dev/no-such-device", "--size", "1GiB"],
            4,
            "no such device",
        ),
        (
            &["demo-8gb", "--size", "1GiB"],
            3,
            "--size is for real targets",
        ),
        (&["demo-8gb", "--against", "./new.bin"], 3, "a rival is"),
        (
            &["./new.bin", "--size", "1GiB", "--edition", "endurance"],
            4,
            "--write-budget",
        ),
        (&["demo-8gb", "--duration-scale", "0"], 2, "duration scale"),
    ] {
        fails(
            dir.path(),
            &[&["review", "--plan"], args].concat(),
            code,
            &[said],
        );
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_plan_of_repetitions_is_that_of_all_of_them() {
    let dir = folder();
    let told = |repeat: &str, more: &[&str]| {
        let args = [
            "review",
            "demo-8gb",
            "--plan",
            "--edition",
            "2014",
            "--repeat",
        ];
        ok(dir.path(), &[&args[..], &[repeat], more].concat()).stdout
    };
    let [one, three] = ["1", "3"].map(|repeat| json(&told(repeat, &["--json"])));
    let [one, three] = [&one, &three].map(|plan| &plan["targets"][0]);
    for key in [
        "measured_s",
        "writing_s",
        "idle_s",
        "fill_bytes",
        "trace_bytes",
        "estimated_s",
        "estimated_written_bytes",
    ] {
        let (once, thrice) = (number(&one[key]), number(&three[key]));
        assert!(once > 0.0, "{key}");
        assert!(
            (thrice / once - 3.0).abs() < 1e-9,
            "{key}: {once}, {thrice}"
        );
    }
    let times = |plan: &serde_json::Value| {
        let parts = list(&plan["tests"])
            .iter()
            .flat_map(|test| list(&test["parts"]));
        let parts = parts.chain(list(&plan["states"]));
        parts
            .map(|part| number(&part["times"]))
            .collect::<Vec<f64>>()
    };
    let tripled: Vec<f64> = times(one).iter().map(|times| 3.0 * times).collect();
    assert_eq!(times(three), tripled);
    let text = told("3", &[]);
    assert!(text.contains("those of all of them"), "{text}");
    assert!(text.contains("states, each made 3 times"), "{text}");
}

/// Names of the targets of a plan.
fn planned_targets(arguments: &[&str]) -> Vec<String> {
    let dir = folder();
    let plan = json(
        &ok(
            dir.path(),
            &[&["review", "--plan", "--json"], arguments].concat(),
        )
        .stdout,
    );
    let targets = list(&plan["targets"]).iter();
    let names = targets.map(|target| target["target"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn a_review_that_names_no_rival_has_the_nearest() {
    let ultra = "sandisk-ultra-ii-240gb";
    assert_eq!(planned_targets(&[ultra]), [ultra, "samsung-840-evo-250gb"]);
    assert_eq!(planned_targets(&[ultra, "--against", "none"]), [ultra]);
    let named = [ultra, "--against", "demo-8gb"];
    assert_eq!(planned_targets(&named), [ultra, "demo-8gb"]);
    // No model is near the demonstration drive; with changed figures the original is its rival.
    assert_eq!(planned_targets(&["demo-8gb"]), ["demo-8gb"]);
    let changed = ["demo-8gb", "--set", "nand.dies=8"];
    assert_eq!(planned_targets(&changed), ["demo-8gb", "demo-8gb"]);
    let dir = folder();
    let both = ["review", ultra, "--plan", "--against", "none,demo-8gb"];
    fails(dir.path(), &both, 3, &["--against none", "name it alone"]);
}

#[test]
fn the_rival_that_nobody_names_is_not_measured_after_rest_and_trim() {
    let dir = folder();
    let tests_of_rival = |args: &[&str]| -> Vec<String> {
        let head = ["review", "sandisk-ultra-ii-240gb", "--plan", "--json"];
        let plan = json(&ok(dir.path(), &[&head[..], args].concat()).stdout);
        let own = ids(&plan["targets"][0]);
        assert!(own.contains(&"recovery"), "{own:?}");
        let ids = ids(&plan["targets"][1]);
        ids.into_iter().map(str::to_owned).collect()
    };
    let has = |tests: &[String], id: &str| tests.iter().any(|test| test == id);
    let nearest = tests_of_rival(&[]);
    assert!(has(&nearest, "degradation") && !has(&nearest, "recovery"));
    let named = tests_of_rival(&["--against", "samsung-840-evo-250gb"]);
    assert!(has(&named, "degradation") && has(&named, "recovery"));
    // The unchanged model is compared in all tests.
    assert!(has(
        &tests_of_rival(&["--set", "nand.read_us=[70,70,70]"]),
        "recovery"
    ));
}
