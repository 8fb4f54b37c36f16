//! The report in Russian, from outside: whole reviews, in which no English text remains.

use std::path::Path;

use crate::common::stend;

/// Words that stay: names of drives, programs, files and model figures, terms of fio and the field.
const STAY: &str = "Demonstration drive GB IOPS TRIM SLC DRAM SATA SNIA fio stend claims review \
    json JavaScript CrystalDiskMark PCMark Storage FNV-1a SanDisk Ultra II TLC O_DSYNC fsync \
    fdatasync clean filled filled-steady steady purged preconditioned as-it-is demo-8gb CPU p99 \
    Adobe Photoshop Illustrator InDesign After Effects Microsoft Word Excel PowerPoint World of \
    Warcraft Battlefield Deflate Seq SEQ1M SEQ128K RND4K Q1T1 Q8T1 Q32T1 Q32T16 4K 512K \
    4KQD32 measure_s SLC-кэш sata-6g idle photoshop-light photoshop-heavy \
    illustrator indesign after-effects word excel powerpoint world-of-warcraft battlefield-3 \
    game-start applications-start";

/// Removes the text between each pair of marks.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(from) {
        kept += before;
        kept.push('\n');
        rest = behind.split_once(to).map_or("", |(_, behind)| behind);
    }
    kept + rest
}

/// Words in Latin letters on a page, without commands and jobs.
fn words(html: &str) -> Vec<String> {
    let marks = [
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<code", "</code>"),
        ("<", ">"),
        ("&", ";"),
    ];
    let cut = |text: String, (from, to): (&str, &str)| without(&text, from, to);
    let text = marks.into_iter().fold(html.to_owned(), cut);
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    let latin = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    latin.map(str::to_owned).collect()
}

fn reviewed(folder: &Path, edition: &str, scale: &str) -> (String, String) {
    let command = ["review", "demo-8gb", "--lang", "ru", "--against", "none"];
    let options = [
        "--edition",
        edition,
        "--duration-scale",
        scale,
        "--out",
        edition,
    ];
    let run = stend(folder, &[&command[..], &options[..]].concat()).output();
    let run = run.unwrap();
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{told}");
    let html = std::fs::read_to_string(folder.join(edition).join("index.html")).unwrap();
    (html, String::from_utf8(run.stdout).unwrap())
}

#[test]
fn whole_reviews_are_in_russian() {
    let folder = tempfile::tempdir().unwrap();
    for (edition, scale) in [("quick", "1"), ("2014", "0.01"), ("database", "0.05")] {
        let (html, said) = reviewed(folder.path(), edition, scale);
        let left: Vec<String> = words(&html)
            .into_iter()
            .filter(|word| !STAY.split_whitespace().any(|stay| stay == word))
            .collect();
        assert!(left.is_empty(), "{edition}: {left:?}");
        assert!(said.contains("Коротко: "), "{said}");
        let json = std::fs::read_to_string(folder.path().join(edition).join("review.json"));
        let cyrillic = |text: &str| text.chars().any(|c| ('а'..='я').contains(&c));
        assert!(
            !cyrillic(&json.unwrap()),
            "the review itself is kept in English"
        );
    }
}

#[test]
fn a_language_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = stend(folder.path(), &["compare", "1", "2", "--lang", "de"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(said.contains("en, ru"), "{said}");
}
