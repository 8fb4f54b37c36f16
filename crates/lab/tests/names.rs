//! Drives are distinguished by their models, and runs are found by their names.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::json;
use stend_lab::bin;
use stend_lab::browse::{self, Search};
use stend_lab::progress::{self, Progress};
use stend_lab::recorded::{self, Conflict, Edit, NewRecord};
use stend_lab::{EntryId, Lab, LabError, RecordedId, RecordedKind, RunContext, RunId};
use stend_record::review::{Condition, ModelChange, ModelInfo, Review, SCHEMA, TargetInfo};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("lab.db");
    (folder, path)
}

fn context(now_unix_ms: i64) -> RunContext<'static> {
    RunContext {
        folder: Path::new("/reports/one"),
        measurement_key: None,
        edition_sha256: "00ff",
        stend_version: "0.1.0",
        stend_commit: None,
        now_unix_ms,
    }
}

/// A variant of a drive with this user capacity.
fn variant(bytes: u64) -> TargetInfo {
    let model = ModelInfo {
        fingerprint: format!("{bytes:016x}"),
        title: "A drive".to_owned(),
        shipped: Some("a-drive".to_owned()),
        changes: vec![ModelChange {
            key: "capacity.user_bytes".to_owned(),
            name: "user_bytes".to_owned(),
            value: Some(bytes.into()),
            shipped: Some(8_000_000_000_u64.into()),
        }],
    };
    TargetInfo {
        name: format!("models/variant-{bytes}.toml"),
        title: model.full_title(),
        capacity_bytes: bytes,
        model: Some(model),
        ..TargetInfo::default()
    }
}

fn review(bytes: u64, label: Option<&str>) -> Review {
    Review {
        schema: SCHEMA.to_owned(),
        target: variant(bytes),
        edition: "2014".to_owned(),
        duration_scale: 1.0,
        complete: true,
        label: label.map(str::to_owned),
        ..Review::default()
    }
}

fn record(lab: &mut Lab, target: &TargetInfo, label: Option<&str>) -> RecordedId {
    let new = NewRecord {
        kind: RecordedKind::Run,
        target,
        label,
        note: Some("warm"),
        name: "job.fio",
        job: Some("[a]\nrw=read\n"),
        seed: u64::MAX,
        command: "stend run job.fio --on x",
        result: &json!({"jobs": [1.5]}),
        stend_version: "0.1.0",
        stend_commit: Some("abc"),
        begun_unix_ms: 3,
        now_unix_ms: 4,
    };
    recorded::save(lab, &new).unwrap()
}

fn numbers(lab: &Lab, word: &str) -> Vec<i64> {
    let runs = lab.complete_runs_of(word).unwrap().into_iter();
    runs.map(|run| run.run).collect()
}

#[test]
fn variants_of_a_model_are_drives_of_their_own_and_found_by_their_names() {
    let (_folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    let sizes = [5_760_000_000, 6_400_000_000];
    for (now, bytes) in (0..).zip([sizes[0], sizes[1], sizes[0]]) {
        let review = review(bytes, None);
        let run = lab.begin(&review, &context(now)).unwrap();
        assert_eq!(lab.review(run).unwrap(), review);
    }
    let unfinished = Review {
        complete: false,
        ..review(1_000_000_000, None)
    };
    lab.begin(&unfinished, &context(9)).unwrap();
    assert_eq!(numbers(&lab, "A drive"), [2, 3]);
    assert_eq!(numbers(&lab, "A drive, user_bytes = 5.76 GB"), [3]);
    assert_eq!(numbers(&lab, "variant-6400000000"), [2]);
    assert_eq!(numbers(&lab, "models/variant-6400000000.toml"), [2]);
    assert_eq!(numbers(&lab, "variant-1000000000"), [0; 0]);
    assert_eq!(numbers(&lab, ""), [0; 0]);
    recorded::set_label(&mut lab, EntryId::Run(RunId(2)), Some("A drive")).unwrap();
    assert_eq!(
        numbers(&lab, "A drive"),
        [2],
        "a label is meant before a name"
    );
    assert_eq!(lab.review(RunId(2)).unwrap().label.unwrap(), "A drive");
    recorded::set_label(&mut lab, EntryId::Run(RunId(2)), None).unwrap();
    assert_eq!(lab.review(RunId(2)).unwrap(), review(sizes[1], None));
    let [one, two] = [1, 2].map(|run| lab.run(RunId(run)).unwrap().drive);
    assert!(!one.is(&two) && one.is(&lab.run(RunId(3)).unwrap().drive));
    assert_eq!(one.changes[0].words(), "user_bytes = 5.76 GB");
}

/// The name and size are the same: only the fingerprint differs.
#[test]
fn a_run_of_another_fingerprint_is_not_continued() {
    let (_folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    let first = review(8, None);
    let run = lab.begin(&first, &context(0)).unwrap();
    assert_eq!(lab.last_of(&first, &context(1)).unwrap(), Some(run));
    let mut other = first.clone();
    other.target.model.as_mut().unwrap().fingerprint = "f".repeat(16);
    assert_eq!(lab.last_of(&other, &context(1)).unwrap(), None);
    lab.begin(&other, &context(2)).unwrap();
    let [one, two] = [1, 2].map(|run| lab.run(RunId(run)).unwrap().drive);
    assert_eq!(one.model, two.model);
    assert!(!one.is(&two));
}

#[test]
fn earlier_runs_are_told_apart_by_the_fingerprint_among_their_facts() {
    let (_folder, path) = place();
    let connection = Connection::open(&path).unwrap();
    for sql in [
        include_str!("../src/migrations/1.sql"),
        include_str!("../src/migrations/2.sql"),
        include_str!("../src/migrations/3.sql"),
    ] {
        connection.execute_batch(sql).unwrap();
    }
    let rows = "
        INSERT INTO drives VALUES (7, 'simulated', 'A drive', '', ''),
            (8, 'block-device', 'Another', 'S1', 'F1');
        INSERT INTO runs
        SELECT value, 'u' || value, iif(value = 3, 8, 7), 'a', 1, '2014', '', '', '1', 1.0,
            'complete', 'c', 'f', '0', NULL, value, value, '{}'
        FROM json_each('[1, 2, 3, 4]');
        INSERT INTO conditions
        SELECT value, 'target', 0, 'model fingerprint',
            '000000000000000' || (value % 2) || ' (FNV-1a of the model)'
        FROM json_each('[1, 2]');
        PRAGMA application_id = 0x73746e64; PRAGMA user_version = 3;";
    connection.execute_batch(rows).unwrap();
    drop(connection);
    let mut lab = Lab::open(&path).unwrap();
    let drives: Vec<_> = lab
        .runs()
        .unwrap()
        .into_iter()
        .map(|run| run.drive)
        .collect();
    let fingerprints: Vec<&str> = drives.iter().map(|drive| &*drive.fingerprint).collect();
    assert_eq!(
        fingerprints,
        ["0000000000000001", "0000000000000000", "", ""]
    );
    assert_eq!((&*drives[2].model, &*drives[2].serial), ("Another", "S1"));
    assert_eq!(numbers(&lab, "A drive"), [1, 2, 4]);
    let model = lab.review(RunId(1)).unwrap().target.model.unwrap();
    assert_eq!(model.fingerprint, "0000000000000001");
    // References to a drive are still valid.
    lab.delete(&[RunId(1)]).unwrap();
    let connection = Connection::open(&path).unwrap();
    let problems = connection
        .prepare("PRAGMA foreign_key_check")
        .unwrap()
        .exists([]);
    assert!(!problems.unwrap());
    let remove = "PRAGMA foreign_keys = true; DELETE FROM drives";
    assert!(connection.execute_batch(remove).is_err(), "runs need them");
}

#[test]
fn jobs_are_recorded_labelled_merged_and_removed() {
    let (folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    let mut target = variant(6_400_000_000);
    target.facts.push(Condition::new("flash", "much"));
    let id = record(&mut lab, &target, Some("first"));
    assert_eq!(id.to_string(), "j1");
    let kept = recorded::load(&lab, id).unwrap();
    assert_eq!(kept.result, json!({"jobs": [1.5]}));
    assert_eq!(kept.job.as_deref(), Some("[a]\nrw=read\n"));
    assert_eq!(kept.facts, target.facts);
    assert_eq!(
        (kept.summary.seed, kept.summary.begun_unix_ms),
        (u64::MAX, 3)
    );
    assert_eq!(kept.summary.drive.model, target.title);
    recorded::set_note(&mut lab, EntryId::Recorded(id), Some("cold")).unwrap();
    record(&mut lab, &target, None);
    let listed = recorded::list(&lab).unwrap();
    let told = |at: usize| (listed[at].label.as_deref(), listed[at].note.as_deref());
    assert_eq!(told(0), (Some("first"), Some("cold")));
    assert_eq!(told(1), (None, Some("warm")));

    let second = folder.path().join("second.db");
    let mut other = Lab::open(&second).unwrap();
    assert_eq!(other.merge(&path).unwrap().recorded, 2);
    assert_eq!(other.merge(&path).unwrap().recorded, 0);
    assert_eq!(recorded::list(&other).unwrap(), listed);

    let nine = EntryId::Recorded(RecordedId(9));
    let both = [EntryId::Recorded(id), nine];
    let refused = recorded::delete(&mut lab, &both).unwrap_err();
    assert!(matches!(refused, LabError::NoRecorded { .. }), "{refused}");
    assert_eq!(recorded::list(&lab).unwrap().len(), 2);
    bin::delete(&mut lab, &[EntryId::Recorded(id)], 5).unwrap();
    assert_eq!(recorded::list(&lab).unwrap().len(), 1);
    let back = bin::undelete(&mut lab, &[EntryId::Recorded(id)]).unwrap();
    assert_eq!(back, [EntryId::Recorded(id)]);
    assert_eq!(recorded::list(&lab).unwrap(), listed);
    recorded::delete(&mut lab, &[EntryId::Recorded(id)]).unwrap();
    recorded::delete(&mut lab, &[EntryId::Recorded(RecordedId(2))]).unwrap();
    let drives = "SELECT count(*) FROM drives";
    let connection = Connection::open(&path).unwrap();
    let left: i64 = connection.query_row(drives, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "nothing was run on it any more");
}

#[test]
fn an_edit_keeps_what_others_have_changed_meanwhile() {
    let (_folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    let target = variant(1 << 30);
    let entry = EntryId::Recorded(record(&mut lab, &target, None));
    let edit = |seen, text| Edit {
        seen: Some(seen),
        text,
    };
    let same = |text: &'static str| edit(text, (!text.is_empty()).then_some(text));
    let marks = |lab: &Lab| {
        let of = recorded::list(lab).unwrap().remove(0);
        (of.label, of.note)
    };
    let text = |text: &str| Some(text.to_owned());
    // Two forms are loaded. The second edit leaves the label of the first alone.
    let first = (edit("", Some("cold")), same("warm"));
    assert_eq!(recorded::edit_marks(&mut lab, entry, first).unwrap(), None);
    let second = (same(""), edit("warm", Some("in a fridge")));
    assert_eq!(recorded::edit_marks(&mut lab, entry, second).unwrap(), None);
    assert_eq!(marks(&lab), (text("cold"), text("in a fridge")));
    // A third one has another label: neither of its texts is written.
    let third = (edit("", Some("warm")), edit("in a fridge", None));
    let conflict = Conflict {
        label: text("cold"),
        note: None,
    };
    let found = recorded::edit_marks(&mut lab, entry, third).unwrap();
    assert_eq!(found, Some(conflict));
    assert_eq!(marks(&lab), (text("cold"), text("in a fridge")));
    // The same label is no conflict, and neither is one whose user saw nothing.
    let again = (edit("", Some("cold")), edit("in a fridge", None));
    assert_eq!(recorded::edit_marks(&mut lab, entry, again).unwrap(), None);
    let unseen = Edit {
        seen: None,
        text: Some("warm"),
    };
    let last = (unseen, same(""));
    assert_eq!(recorded::edit_marks(&mut lab, entry, last).unwrap(), None);
    assert_eq!(marks(&lab), (text("warm"), None));
}

#[test]
fn words_are_found_in_any_case_of_any_script() {
    let (_folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    record(&mut lab, &variant(1 << 30), Some("Холодный Диск 100%"));
    let found = |text: &str| {
        let search = Search {
            text: text.to_owned(),
            ..Search::default()
        };
        browse::recorded(&lab, &search, 0, 9).unwrap().count
    };
    for words in ["холодный", "ХОЛОД диск", "диск 100%"] {
        assert_eq!(found(words), 1, "{words}");
    }
    for words in ["тёплый", "диск_100", "%диск%"] {
        assert_eq!(found(words), 0, "{words}");
    }
}

#[test]
fn jobs_are_found_by_words_drive_and_kind() {
    let (_folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    let [small, large] = [5_760_000_000, 6_400_000_000].map(variant);
    for (target, label) in [
        (&small, Some("cold")),
        (&large, Some("50 %")),
        (&small, None),
    ] {
        record(&mut lab, target, label);
    }
    let numbers = |text: &str, drive: &str, kind, skip, at_most| {
        let search = Search {
            text: text.to_owned(),
            drive: drive.to_owned(),
            recorded: kind,
            ..Search::default()
        };
        let found = browse::recorded(&lab, &search, skip, at_most).unwrap();
        let numbers: Vec<i64> = found.rows.iter().map(|row| row.id.0).collect();
        (numbers, found.count)
    };
    let run = Some(RecordedKind::Run);
    assert_eq!(numbers("", "", None, 0, 9), (vec![3, 2, 1], 3));
    assert_eq!(numbers("", "", run, 1, 1), (vec![2], 3));
    assert_eq!(
        numbers("", "", Some(RecordedKind::Replay), 0, 9),
        (vec![], 0)
    );
    assert_eq!(numbers("COLD warm", "", None, 0, 9), (vec![1], 1));
    assert_eq!(numbers("cold 6400000000", "", None, 0, 9), (vec![], 0));
    assert_eq!(numbers("%", "", run, 0, 9), (vec![2], 1));
    assert_eq!(numbers("rw=read", "5.76 GB", None, 0, 9), (vec![3, 1], 2));
    // In quotation marks it is the whole name.
    let name = browse::drives(&lab, &Search::default(), 0, 9).unwrap().rows[1]
        .drive
        .model
        .clone();
    assert_eq!(
        numbers("", &format!("\"{name}\""), None, 0, 9),
        (vec![3, 1], 2)
    );
    assert_eq!(
        numbers("", &format!("\"{}\"", &name[1..]), None, 0, 9),
        (vec![], 0)
    );
    assert_eq!(numbers("", &name[1..], None, 0, 9), (vec![3, 1], 2));
    let of = browse::drives(&lab, &Search::default(), 0, 9).unwrap();
    let of: Vec<_> = of
        .rows
        .iter()
        .map(|one| (one.runs, one.recorded, one.last_unix_ms))
        .collect();
    assert_eq!(of, [(0, 1, 3), (0, 2, 3)]);
}

#[test]
fn a_number_is_a_run_or_a_job() {
    assert_eq!("3".parse(), Ok(EntryId::Run(RunId(3))));
    assert_eq!("j3".parse(), Ok(EntryId::Recorded(RecordedId(3))));
    for bad in [
        "",
        "j",
        "-3",
        "+3",
        "j-3",
        "3j",
        "J3",
        "99999999999999999999",
    ] {
        assert!(bad.parse::<EntryId>().is_err(), "{bad}");
    }
}

#[test]
fn a_run_that_is_under_way_is_told() {
    let (_folder, path) = place();
    let mut lab = Lab::open(&path).unwrap();
    let run = lab.begin(&review(1, None), &context(1)).unwrap();
    let row = Progress {
        run: Some(run.0),
        seen_unix_ms: 1_000_000,
        ..Progress::default()
    };
    let row_id = progress::begin(&mut lab, &row).unwrap();
    let over = |lab: &Lab| progress::check_over(lab, &[RunId(9), run], 1_001_000);
    let refused = over(&lab).unwrap_err();
    assert!(matches!(refused, LabError::UnderWay { .. }), "{refused}");
    progress::check_over(&lab, &[RunId(9)], 1_001_000).unwrap();
    // Its program was killed, or has ended.
    progress::check_over(&lab, &[run], 1_016_000).unwrap();
    let ended = Progress { ended: true, ..row };
    progress::update(&mut lab, row_id, &ended).unwrap();
    over(&lab).unwrap();
}
