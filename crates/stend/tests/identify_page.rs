//! The folder of `stend identify --out`: its contents, and that nothing else is replaced.

use std::fs;
use std::path::Path;

use crate::common::{fails, folder, json, ok, review};

/// Writes a review of few figures as `a.json` and `b.json`, with its report in `r`.
fn reviews(dir: &Path) {
    let [scale, tests] = [["--duration-scale", "0.01"], ["--tests", "random"]];
    let more = [["--against", "none"], ["--out", "r"]].concat();
    review(dir, &[&["demo-8gb"], &scale[..], &tests, &more].concat());
    for name in ["a.json", "b.json"] {
        fs::copy(dir.join("r/review.json"), dir.join(name)).unwrap();
    }
}

#[test]
fn a_page_and_a_document_are_written() {
    let dir = folder();
    let dir = dir.path();
    reviews(dir);
    let read = |file: &str| fs::read_to_string(dir.join(file)).unwrap();
    let said = ok(dir, &["identify", "a.json", "--out", "page"]);
    let named = said.stdout.contains("Random read of a page");
    assert!(named, "{}", said.stdout);
    assert!(said.stderr.contains("page/index.html"), "{}", said.stderr);
    let page = read("page/index.html");
    assert!(page.contains("read from a review"));
    assert!(page.contains("stend identify a.json --seed 1"));
    let document = read("page/identification.json");
    assert_eq!(json(&document)["schema"], "stend.identify/1");
    let again = ok(dir, &["identify", "a.json", "--out", "page", "--json"]);
    assert_eq!(again.stdout, document, "a document a line");
    assert_eq!(read("page/index.html"), page);
}

#[test]
fn nothing_of_others_is_replaced() {
    let dir = folder();
    let dir = dir.path();
    reviews(dir);
    ok(dir, &["identify", "a.json", "--out", "page"]);
    fs::create_dir(dir.join("own")).unwrap();
    fs::write(dir.join("own/index.html"), "mine").unwrap();
    for (name, out) in [("b.json", "page"), ("a.json", "r"), ("a.json", "own")] {
        let page = dir.join(out).join("index.html");
        let before = fs::read(&page).unwrap();
        let identify = ["identify", name, "--out", out];
        fails(dir, &identify, 4, &[out, "choose another folder"]);
        assert_eq!(fs::read(&page).unwrap(), before);
    }
    let two = ["identify", "a.json", "b.json", "--out", "two"];
    fails(dir, &two, 3, &["name a single one"]);
    let missing = ["identify", "missing.json", "--out", "two"];
    fails(dir, &missing, 3, &["missing.json"]);
    let made = dir.join("two").exists();
    assert!(!made, "a folder into which nothing came is not left");
}
