//! The lab from outside: storing reviews and reading them.

use crate::common;
use crate::drive_real::typed;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{
    FakeTool, fails, fake_tool, folder, have, json, list, ok, review, run, saved, stend, test,
    with_tools,
};
use serde_json::Value;

const QUICK: [&str; 5] = [
    "demo-8gb",
    "--duration-scale",
    "0.01",
    "--tests",
    "sequential,random",
];

fn runs(dir: &Path) -> Vec<Value> {
    list(&json(&ok(dir, &["lab", "list", "--json"]).stdout)).clone()
}

fn kept(dir: &Path, run: &str) -> Value {
    json(&ok(dir, &["lab", "show", run, "--json"]).stdout)
}

#[test]
fn a_review_is_kept_and_its_report_can_be_made_again() {
    let dir = folder();
    let dir = dir.path();
    fails(dir, &["lab", "list"], 3, &["there is no lab yet"]);
    assert!(!dir.join(".lab").exists(), "looking makes no lab");
    let made = review(dir, &QUICK);
    assert_eq!(kept(dir, "1"), made);
    let run = &runs(dir)[0];
    assert_eq!(run["state"], "complete");
    assert_eq!(run["tests_finished"], 2);
    let edition = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../editions/2014.toml"
    ));
    fs::write(dir.join("edition"), edition.unwrap()).unwrap();
    let sum = Command::new("sha256sum")
        .arg(dir.join("edition"))
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert_eq!(sum.split(' ').next(), run["edition_sha256"].as_str());
    for point in list(&test(&made, "random")["points"]) {
        let histogram = point["latency_histogram"].as_str().unwrap();
        assert!(histogram.starts_with("HISTFAAAA"), "{histogram}");
    }
    let shown = ok(dir, &["lab", "show", "1"]).stdout;
    for part in ["8 GB", "SHA-256", "sequential", "stend review demo-8gb"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let listed = ok(dir, &["lab"]).stdout;
    assert!(
        listed.contains("complete, every measurement × 0.01"),
        "{listed}"
    );
    ok(dir, &["report", "1", "--out", "again"]);
    let page = |folder: &str| fs::read(dir.join(folder).join("index.html")).unwrap();
    assert!(page("again") == page("review-demo-8gb"), "the same bytes");
    // A second review is another run; both can be in one report.
    let mut other = QUICK.to_vec();
    other[0] = "samsung-850-pro-256gb";
    other.extend(["--against", "none"]);
    review(dir, &other);
    ok(dir, &["report", "1", "2"]);
    let both = saved(&dir.join("report-1-2"));
    assert_eq!(list(&both["rivals"]).len(), 1);
    assert_eq!(both["rivals"][0]["tests"], kept(dir, "2")["tests"]);
    fails(
        dir,
        &["report", "2", "--out", "again"],
        3,
        &["holds the review of"],
    );
    fails(dir, &["report", "9"], 3, &["there is no run 9"]);
    let file = ["report", "again/review.json"];
    fails(
        dir,
        &file,
        2,
        &["not the number of a run", "stend lab list"],
    );
    let twice = &["named twice as a run"];
    fails(dir, &["report", "1", "1", "--out", "r"], 3, twice);
    fails(dir, &["lab", "delete", "1", "1"], 3, twice);
    ok(dir, &["lab", "delete", "1"]);
    assert_eq!(runs(dir).len(), 1);
    fails(dir, &["lab", "show", "1"], 3, &["there is no run 1"]);
}

#[test]
fn a_deleted_review_is_brought_back() {
    let dir = folder();
    let dir = dir.path();
    review(dir, &QUICK);
    let whole = kept(dir, "1");
    let said = ok(dir, &["lab", "delete", "1"]).stderr;
    assert!(
        said.contains("`stend lab undelete` brings them back"),
        "{said}"
    );
    fails(dir, &["lab", "show", "1"], 3, &["there is no run 1"]);
    let listed = ok(dir, &["lab", "undelete"]).stdout;
    assert!(
        listed.contains("edition or job") && listed.contains("8 GB"),
        "{listed}"
    );
    fails(
        dir,
        &["lab", "undelete", "9"],
        3,
        &["9 is not among the deleted"],
    );
    let said = ok(dir, &["lab", "undelete", "1"]).stderr;
    assert!(said.contains("back: 1"), "{said}");
    assert_eq!(kept(dir, "1"), whole);
    ok(dir, &["lab", "delete", "1", "--now"]);
    fails(
        dir,
        &["lab", "undelete", "1"],
        3,
        &["1 is not among the deleted"],
    );
    let said = ok(dir, &["lab", "vacuum"]).stderr;
    assert!(said.contains("the file has"), "{said}");
}

#[test]
fn a_pdf_that_stend_has_not_printed_is_kept() {
    let dir = folder();
    let dir = dir.path();
    review(dir, &QUICK);
    let browser = |body: &str| fake_tool("chromium", body);
    let report = |browser: &FakeTool| {
        let args = ["report", "1", "--out", "r", "--pdf"];
        run(with_tools(&mut stend(dir, &args), browser.path()))
    };
    let pdf = dir.join("r/report.pdf");
    let read = || fs::read(&pdf).unwrap();
    let prints = browser(
        "for a in \"$@\"; do case $a in --print-to-pdf=*) echo %PDF-1.4 >\"${a#*=}\";; esac; done",
    );
    assert_eq!(report(&prints).code, Some(0));
    let printed = read();
    assert!(printed.starts_with(b"%PDF-1.4") && printed.ends_with(b"% printed by stend\n"));
    assert_eq!(report(&prints).code, Some(0), "its own is replaced");
    // A failed browser loses no data.
    let said = report(&browser("echo no memory >&2; exit 1"));
    assert_eq!(said.code, Some(6), "{said:?}");
    assert!(said.stderr.contains("no memory"), "{said:?}");
    assert!(read() == printed);
    fs::write(&pdf, "%PDF-1.7 mine").unwrap();
    let page = fs::metadata(dir.join("r/index.html"))
        .unwrap()
        .modified()
        .unwrap();
    let said = report(&prints);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.stderr.contains("report.pdf: it exists"), "{said:?}");
    assert_eq!(read(), b"%PDF-1.7 mine");
    let now = fs::metadata(dir.join("r/index.html"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(page, now, "nothing was written");
}

#[test]
fn rivals_are_runs_of_their_own_and_labs_are_merged() {
    let dir = folder();
    let dir = dir.path();
    let mut args = QUICK.to_vec();
    args.extend(["--against", "samsung-850-pro-256gb"]);
    let made = review(dir, &args);
    assert_eq!(runs(dir).len(), 2);
    assert_eq!(kept(dir, "1"), made);
    assert_eq!(kept(dir, "2")["tests"], made["rivals"][0]["tests"]);
    let merge = [
        "lab",
        "merge",
        ".lab/lab.db",
        "--lab",
        "second.db",
        "--json",
    ];
    let merged = json(&ok(dir, &merge).stdout);
    assert_eq!((&merged["added"], &merged["known"]), (&2.into(), &0.into()));
    let merged = json(&ok(dir, &merge).stdout);
    assert_eq!((&merged["added"], &merged["known"]), (&0.into(), &2.into()));
    let itself = ["lab", "merge", "./second.db", "--lab", "second.db"];
    fails(dir, &itself, 3, &["./second.db", "the lab itself"]);
    let shown = ok(dir, &["lab", "show", "1", "--lab", "second.db", "--json"]).stdout;
    assert_eq!(json(&shown), made);
}

/// Checks that a table or a page replaces no file of others.
fn files_of_others_are_kept(dir: &Path) {
    for (format, name, text) in [
        ("csv", "samples.csv", "id,name\n1,mine\n"),
        ("csv", "tests.csv", ""),
        ("csv", "figures.csv", "my,figures\n"),
        ("json", "samples.json", "{\"mine\": 1}\n"),
        ("json", "tests.json", "[{\"mine\": 1}]\n"),
    ] {
        let theirs = dir.join("theirs");
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join(name), text).unwrap();
        let args = ["lab", "export", "theirs", "--format", format];
        fails(dir, &args, 4, &[name, "not a table of stend's"]);
        assert_eq!(fs::read_to_string(theirs.join(name)).unwrap(), text);
        assert_eq!(fs::read_dir(&theirs).unwrap().count(), 1, "{name} alone");
        fs::remove_dir_all(&theirs).unwrap();
    }
    for format in ["csv", "json"] {
        for _ in 0..2 {
            ok(dir, &["lab", "export", "ours", "--format", format]);
        }
    }
    fs::create_dir(dir.join("site")).unwrap();
    let page = dir.join("site/index.html");
    fs::write(&page, "<p>mine</p>").unwrap();
    let review = [&["review"], &QUICK[..], &["--out", "site"]].concat();
    for args in [
        &["report", "1", "--out", "site"][..],
        &["compare", "1", "1", "--out", "site"],
        &review,
    ] {
        fails(dir, args, 4, &["index.html", "not a page of stend's"]);
        assert_eq!(fs::read_to_string(&page).unwrap(), "<p>mine</p>");
        assert_eq!(fs::read_dir(dir.join("site")).unwrap().count(), 1);
    }
}

#[test]
fn tables_are_exported_for_others() {
    let dir = folder();
    let dir = dir.path();
    let made = review(dir, &QUICK);
    let points: usize = list(&made["tests"])
        .iter()
        .filter_map(|test| Some(test["points"].as_array()?.len()))
        .sum();
    ok(dir, &["lab", "export", "out"]);
    let csv = fs::read_to_string(dir.join("out/points.csv")).unwrap();
    assert!(csv.lines().count() > points, "{csv}");
    assert!(
        csv.starts_with("test,position,op,pattern,block_bytes,"),
        "{csv}"
    );
    ok(
        dir,
        &[
            "lab", "export", "out", "--format", "json", "--tables", "points", "--runs", "1",
        ],
    );
    let all = json(&fs::read_to_string(dir.join("out/points.json")).unwrap());
    assert_eq!(list(&all).len(), points);
    files_of_others_are_kept(dir);
    let args = ["lab", "export", "out", "--format", "parquet"];
    if cfg!(feature = "parquet") {
        assert_eq!(ok(dir, &args).stdout.lines().count(), 15);
        let parquet = fs::read(dir.join("out/samples.parquet")).unwrap();
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    } else {
        fails(dir, &args, 5, &["--features parquet", "--format csv"]);
    }
    fails(
        dir,
        &["lab", "export", "out", "--tables", "dots"],
        3,
        &["no table `dots`", "points"],
    );
}

#[test]
fn reviews_are_compared_with_what_was_unlike_on_top() {
    let dir = folder();
    let dir = dir.path();
    review(dir, &QUICK);
    let mut other = QUICK.to_vec();
    (other[0], other[2]) = ("samsung-850-pro-256gb", "0.02");
    other.extend(["--against", "none"]);
    let theirs = review(dir, &other);
    let text = ok(dir, &["compare", "demo-8gb", "2", "--out", "both"]).stdout;
    let (conditions, figures) = text.split_once("\nsequential\n").unwrap();
    assert!(conditions.contains("DIFFERING CONDITIONS"), "{text}");
    for part in ["× 0.01", "× 0.02", "bytes under test"] {
        assert!(conditions.contains(part), "{part}\n{text}");
    }
    assert!(!conditions.contains("  seed\n"), "it was the same\n{text}");
    assert!(figures.contains("random"), "{text}");
    let page = fs::read_to_string(dir.join("both/index.html")).unwrap();
    let conditions = page.contains("Not measured under the same conditions");
    assert!(conditions && page.contains("GB against Samsung 850 PRO"));
    // Every ratio is that of the adjacent figures, and every figure is one of the review's.
    let all = json(&ok(dir, &["compare", "1", "2", "--points", "--json"]).stdout);
    let mut found = 0;
    for row in list(&all["figures"]) {
        let [a, b] = [0, 1].map(|nth| row["values"][nth].as_f64());
        let (Some(a), Some(b)) = (a, b) else { continue };
        assert_eq!(row["ratios"][0], 1.0);
        assert_eq!(row["ratios"][1].as_f64(), Some(b / a));
        let key = if row["unit"] == "iops" {
            "iops"
        } else {
            "bw_bytes_per_s"
        };
        let measured = list(&test(&theirs, row["test"].as_str().unwrap())["points"]);
        assert!(
            measured.iter().any(|point| point[key].as_f64() == Some(b)),
            "{row}"
        );
        found += 1;
    }
    assert!(found >= 4, "{all}");
    let same = ok(dir, &["compare", "1", "1"]).stdout;
    let run = ok(dir, &["compare", "1", "1"]).stderr;
    assert!(run.contains("`1` and `1` are the same run, 1"), "{run}");
    assert!(
        same.contains("were the same") && same.contains("(level)"),
        "{same}"
    );
    fails(
        dir,
        &["compare", "1", "intel-dc"],
        3,
        &["no complete review", "stend review intel-dc"],
    );
    fails(dir, &["compare", "1"], 2, &["2"]);
}

#[test]
fn deleting_asks_on_a_terminal_alone() {
    if !have(&["script"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    for _ in 0..3 {
        review(dir, &[&QUICK[..], &["--against", "none"]].concat());
        fs::remove_dir_all(dir.join("review-demo-8gb")).unwrap();
    }
    let (code, screen) = typed(dir, &["lab", "delete", "1"], "Type yes", "y\n");
    assert_eq!(code, Some(4), "{screen}");
    assert!(screen.contains("nothing was deleted"), "{screen}");
    assert_eq!(runs(dir).len(), 3);
    let (code, screen) = typed(dir, &["lab", "delete", "1"], "Type yes", "yes\n");
    assert_eq!(code, Some(0), "{screen}");
    let (code, screen) = typed(dir, &["lab", "delete", "2", "--yes"], "deleted", "");
    assert_eq!(code, Some(0), "{screen}");
    ok(dir, &["lab", "delete", "3"]);
    assert_eq!(runs(dir).len(), 0);
}

#[test]
fn what_is_no_lab_is_found_before_anything_is_measured() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("notes"), "what I think of drives\n".repeat(100)).unwrap();
    let args = [&["review"], &QUICK[..], &["--lab", "notes"]].concat();
    fails(dir, &args, 3, &["notes is not a lab"]);
    fails(
        dir,
        &["lab", "list", "--lab", "notes"],
        3,
        &["notes is not a lab"],
    );
    let args = [&["review"], &QUICK[..], &["--lab", "notes/lab.db"]].concat();
    fails(dir, &args, 6, &["notes"]);
    fails(dir, &["lab", "show", "1"], 3, &["there is no lab yet"]);
    assert!(!dir.join("review-demo-8gb").exists());
    // A merge that cannot begin creates no lab.
    for other in ["nosuch.db", "notes"] {
        fails(
            dir,
            &["lab", "merge", other, "--lab", "new.db"],
            3,
            &[other],
        );
        assert!(!dir.join("new.db").exists(), "{other}");
    }
}
