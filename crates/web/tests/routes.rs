//! The pages as text: lists, comparisons, drives, work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use stend_lab::progress::{self, LiveCurve, Progress};
use stend_lab::work::{self, WorkId, WorkState};
use stend_lab::{RunId, recorded};
use stend_model::{Model, Setting};
use stend_record::model::{ModelChange, ModelInfo};
use stend_record::review::TargetKind;

use crate::common::{
    Bench, NOW_UNIX_MS, job_result, multiply, record, replay_result, review, smart,
};

fn two() -> Bench {
    Bench::with(&[
        review("SanDisk Ultra II", TargetKind::Simulated, "2014"),
        review("Samsung 850 EVO", TargetKind::BlockDevice, "quick"),
    ])
}

#[test]
fn a_lab_that_is_not_there_is_an_empty_list_with_advice() {
    let bench = Bench::new();
    let page = bench.page("/");
    assert!(page.contains("The lab is empty"), "{page}");
    assert!(page.contains("stend review demo-8gb"), "{page}");
    for path in [
        "/live", "/jobs", "/drives", "/studies", "/queue", "/what-if",
    ] {
        bench.page(path);
    }
    let marked = bench.post("/runs/1/marks", "label=cold&note=");
    assert_eq!(marked.status, StatusCode::NOT_FOUND);
    assert!(!bench.path().exists(), "looking makes no file");
    assert_eq!(bench.get("/runs/1").status, StatusCode::NOT_FOUND);
    assert_eq!(
        bench.get("/compare?run=1&run=2").status,
        StatusCode::NOT_FOUND
    );
}

#[test]
fn runs_are_found_by_what_was_tested() {
    let bench = two();
    for (query, sandisk, samsung) in [
        ("", true, true),
        ("text=ultra", true, false),
        ("text=EVO+quick", false, true),
        ("text=ultra+quick", false, false),
        ("text=19+nm", true, true),
        ("drive=850", false, true),
        ("edition=2014", true, false),
        ("kind=real", false, true),
        ("kind=simulated", true, false),
        ("interface=sata", true, true),
        ("interface=nvme", false, false),
        ("flash=tlc", true, true),
        ("flash=%25", false, false),
        ("year=2026", true, true),
        ("year=2025", false, false),
        ("drive_year=2014", true, false),
        ("drive_year=2026", false, false),
        ("drive_year=2014&year=2026&kind=simulated", true, false),
    ] {
        let page = bench.page(&format!("/?{query}"));
        // Only the links of the list.
        let has = |name: &str| page.contains(&format!("\">{name}</a>"));
        assert_eq!(has("SanDisk Ultra II"), sandisk, "{query}");
        assert_eq!(has("Samsung 850 EVO"), samsung, "{query}");
        assert_eq!(
            page.contains("No run is like this"),
            !sandisk && !samsung,
            "{query}"
        );
    }
}

#[test]
fn reviews_are_there_in_every_language() {
    let bench = two();
    for path in ["/", "/?text=ultra&run=2", "/runs/1", "/compare?run=1&run=2"] {
        let mark = if path.contains('?') { '&' } else { '?' };
        let russian = bench.page(&format!("{path}{mark}lang=ru"));
        assert!(russian.contains("<html lang=\"ru\">"), "{path}");
        assert!(russian.contains(">Обзоры<"), "{path}: {russian}");
        let english = bench.page(path);
        assert!(english.contains("<html lang=\"en\">"), "{path}");
        let cyrillic = |c: char| ('а'..='я').contains(&c);
        let english = english.replace("Русский", "");
        assert!(!english.contains(cyrillic), "{path}: {english}");
        // Each has a link to the other.
        let address = |of: &str| of.replace('&', "&#38;");
        let link = format!("href=\"{}\" hreflang=\"en\"", address(path));
        assert!(russian.contains(&link), "{path}: {russian}");
    }
    for path in ["/runs/1/report?", "/compare/report?run=1&run=2&"] {
        let report = bench.page(&format!("{path}lang=ru"));
        assert!(report.contains("<html lang=\"ru\""), "{path}");
    }
    // A language that is not there is English.
    assert!(bench.page("/?lang=xx").contains("<html lang=\"en\">"));
    let kept = bench.post("/runs/1/marks?lang=ru", "label=cold&note=");
    assert_eq!(kept.header("location"), "/runs/1?lang=ru");
}

#[test]
fn a_choice_is_part_of_the_address() {
    let bench = two();
    let chosen = |page: &str, run: u32| page.contains(&format!("value=\"{run}\" checked"));
    let page = bench.page("/?text=ultra&run=2&run=1&run=7");
    let elsewhere = "Chosen on other pages";
    assert!(chosen(&page, 1) && chosen(&page, 2), "{page}");
    assert!(
        page.contains(elsewhere) && page.contains("run 2, Samsung 850 EVO"),
        "{page}"
    );
    assert!(!page.contains("value=\"7\""), "there is no run 7: {page}");
    assert!(
        page.contains("href=\"/?run=2&#38;run=1&#38;run=7\" data-carries"),
        "{page}"
    );
    let page = bench.page("/?run=2");
    assert!(
        chosen(&page, 2) && !chosen(&page, 1) && !page.contains(elsewhere),
        "{page}"
    );
    let page = bench.page("/?text=nothing-like-this&run=2");
    assert!(
        chosen(&page, 2) && page.contains("formaction=\"/compare\""),
        "{page}"
    );
}

#[test]
fn ten_thousand_runs_are_listed_in_time() {
    let bench = two();
    multiply(&bench.path(), 10_000);
    for (query, last) in [
        ("", "10000 runs, 1 to 50"),
        ("from=9950", "9951 to 10000"),
        ("text=sandisk+tlc", "runs, 1 to 50"),
        (
            "interface=sata&flash=tlc&year=2026&drive_year=2014&kind=simulated",
            "1 to 50",
        ),
        ("text=nothing-like-this", "No run is like this"),
    ] {
        let address = format!("/?{query}");
        let page = bench.page(&address);
        assert!(page.contains(last), "{query}: {page}");
        assert!(page.matches("<tr>").count() <= 51, "{query}");
        // The fastest of several: the machine may be busy.
        let took = (0..10).map(|_| {
            let began = Instant::now();
            bench.page(&address);
            began.elapsed()
        });
        let took = took.min().expect("ten times");
        println!("{query:60} {took:?}");
        assert!(took.as_millis() <= 200, "{query}: {took:?}");
    }
}

#[test]
fn runs_are_compared_as_the_command_does() {
    let bench = two();
    let page = bench.page("/compare?run=1&run=2");
    assert!(
        page.contains("src=\"/compare/report?run=1&#38;run=2\""),
        "{page}"
    );
    let report = bench.page("/compare/report?run=1&run=2");
    assert!(report.contains("Not measured under the same conditions"));
    assert!(report.contains("Samsung 850 EVO"), "no rival");
    // The search of the list and the choice of a reference are not part of the address.
    for (query, clean) in [
        ("text=&from=0&run=1&run=2", "/compare?run=1&run=2"),
        ("run=1&run=2&reference=2", "/compare?run=2&run=1"),
        ("run=1&run=2&reference=9", "/compare?run=1&run=2"),
    ] {
        let answer = bench.get(&format!("/compare?{query}"));
        assert_eq!(answer.header("location"), clean, "{query}");
    }
    for query in [
        "",
        "run=1",
        "run=1&run=1",
        "run=1&run=2&run=3&run=4&run=5&run=6&run=7",
    ] {
        let answer = bench.get(&format!("/compare?{query}"));
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
    }
    assert_eq!(
        bench.get("/compare?run=1&run=9").status,
        StatusCode::NOT_FOUND
    );
    let one = bench.page("/runs/1");
    assert!(one.contains("href=\"/\""), "a way back: {one}");
    assert!(bench.page("/runs/1/report").contains("SanDisk Ultra II"));
}

/// A lab with a job on a simulated drive and a replay on a real one.
fn jobs() -> Bench {
    let bench = Bench::new();
    let simulated = review("SanDisk Ultra II", TargetKind::Simulated, "");
    let real = review("Samsung 850 EVO", TargetKind::BlockDevice, "");
    let mut lab = bench.lab();
    let job = Some("[mixed]\nrw=randrw\n");
    record(&mut lab, &simulated, "mixed.fio", job, &job_result());
    record(&mut lab, &real, "office.csv", None, &replay_result());
    bench
}

#[test]
fn jobs_and_replays_are_found() {
    let bench = jobs();
    for (query, job, replay) in [
        ("", true, true),
        ("text=mixed", true, false),
        ("text=randrw", true, false),
        ("text=office+EVO", false, true),
        ("text=office+ultra", false, false),
        ("text=%25", false, false),
        ("drive=850", false, true),
        ("kind=run", true, false),
        ("kind=replay", false, true),
        ("kind=replay&drive=ultra", false, false),
        ("interface=sata&flash=tlc", true, true),
        ("interface=nvme", false, false),
        ("flash=%25", false, false),
        ("drive_year=2014", true, false),
        ("year=2026", true, true),
        ("year=2025", false, false),
        ("on=simulated", true, false),
        ("on=real&kind=replay", false, true),
        ("on=real&kind=run", false, false),
        ("text=19+nm+ultra", true, false),
    ] {
        let page = bench.page(&format!("/jobs?{query}"));
        let has = |name: &str| page.contains(&format!("\">{name}</a>"));
        assert_eq!(has("mixed.fio"), job, "{query}");
        assert_eq!(has("office.csv"), replay, "{query}");
        let none = page.contains("No job or replay is like this");
        assert_eq!(none, !job && !replay, "{query}");
    }
    let page = bench.page("/jobs");
    let places = ["office.csv", "mixed.fio"].map(|name| page.find(name));
    assert!(places[0] < places[1], "the newest first: {page}");
    let drives = bench.page("/drives");
    assert!(
        drives.contains("/jobs?drive=%22Samsung%20850%20EVO%22"),
        "{drives}"
    );
    // Pages have fifty rows.
    let mut lab = bench.lab();
    let target = review("SanDisk Ultra II", TargetKind::Simulated, "");
    for n in 0..50 {
        let name = format!("job-{n}.fio");
        record(&mut lab, &target, &name, Some(""), &job_result());
    }
    let first = bench.page("/jobs?text=fio");
    assert!(first.contains("51 results, 1 to 50"), "{first}");
    assert!(first.contains("/jobs?text=fio&#38;from=50"), "{first}");
    let last = bench.page("/jobs?text=fio&from=50");
    assert!(
        last.contains("51 to 51") && last.contains(">mixed.fio<"),
        "{last}"
    );
}

#[test]
fn a_job_and_a_replay_have_their_main_figures() {
    let bench = jobs();
    let page = bench.page("/jobs/1");
    for words in [
        "j1: mixed.fio",
        "SanDisk Ultra II",
        "<th scope=\"row\">mixed, reads</th><td>75,000</td><td>307</td><td>1234</td>\
         <td>250 µs</td><td>750 µs</td><td>2.25 ms</td>",
        "<th scope=\"row\">mixed, writes</th><td>25,000</td><td>102</td><td>1234</td>\
         <td>1.5 ms</td><td>4.5 ms</td><td>13.5 ms</td>",
        "stend run mixed.fio --on x",
        "rw=randrw",
        "&#34;fio version&#34;: &#34;fio-3.33&#34;",
        "/jobs?drive=%22SanDisk%20Ultra%20II%22",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(
        !page.contains("TRIMs"),
        "what was not done is not a row: {page}"
    );
    let page = bench.page("/jobs/2");
    for words in [
        "j2: office.csv",
        "<dt>Busy time</dt><dd>1.250000 s</dd>",
        "<dt>Elapsed</dt><dd>9.500000 s</dd>",
        "123 MB/s",
        "50 % of the trace",
        "3 requests, by 2.5 µs on average, at most 9 µs",
        "<th scope=\"row\">read</th><td>10</td><td>41 MB</td><td>85 µs</td><td>80 µs</td>\
         <td>99 µs</td><td>125 µs</td>",
        "it was late",
        "the first half alone",
        "/drives/smart?serial=S3EVNX0J500123A",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("<th scope=\"row\">write</th>"), "{page}");
    // A result of another form is shown unchanged.
    let target = review("SanDisk Ultra II", TargetKind::Simulated, "");
    let other = serde_json::json!({"jobs": [1.5]});
    record(&mut bench.lab(), &target, "other", Some(""), &other);
    let page = bench.page("/jobs/3");
    assert!(
        page.contains("of another version") && page.contains("1.5"),
        "{page}"
    );
    assert_eq!(bench.get("/jobs/4").status, StatusCode::NOT_FOUND);
    // A job is named j1 everywhere.
    assert_eq!(bench.page("/jobs/j1"), bench.page("/jobs/1"));
    for (path, status) in [("/jobs/x", 404), ("/runs/x", 400), ("/live/x", 400)] {
        let answer = bench.get(path);
        assert_eq!(answer.status.as_u16(), status, "{path}");
        assert!(!answer.body.contains("i64"), "{}", answer.body);
    }
    assert!(
        bench
            .page("/jobs?from=50")
            .contains("The list ends before this page")
    );
}

#[test]
fn labels_and_notes_are_seen_and_set() {
    let bench = jobs();
    let target = review("SanDisk Ultra II", TargetKind::Simulated, "2014");
    crate::common::save(&mut bench.lab(), &target);
    for (path, list) in [("/runs/1", "/"), ("/jobs/1", "/jobs")] {
        let marks = format!("{path}/marks");
        assert!(bench.page(path).contains(&marks), "{path}");
        let set = bench.post(&marks, "label=+cold+&note=in+a+fridge%2C+5+%C2%B0C");
        assert_eq!(set.status, StatusCode::SEE_OTHER, "{}", set.body);
        assert_eq!(set.header("location"), path);
        for page in [bench.page(path), bench.page(list)] {
            assert!(page.contains(">cold<"), "{page}");
            assert!(page.contains("in a fridge, 5 °C<"), "{page}");
        }
        let found = bench.page(&format!("{list}?text=fridge"));
        assert!(found.contains(">cold<"), "{found}");
        // An invalid text is reported, and nothing is changed.
        for (fields, told) in [
            ("label=3&note=new", "Label: `3` is a number of the lab"),
            ("label=j7&note=new", "Label: `j7` is a number of the lab"),
            ("label=new&note=a%0Ab", "Note: it holds a line break"),
            (&format!("label={}&note=", "x".repeat(81)), "at most 80"),
            (
                &format!("label=new&note={}", "x".repeat(1001)),
                "at most 1000",
            ),
        ] {
            let wrong = bench.post(&marks, fields);
            assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{fields}");
            assert!(wrong.body.contains(told), "{told}: {}", wrong.body);
            assert!(bench.page(path).contains(">cold<"), "{fields}");
        }
        let typed = bench.post(&marks, "label=3&note=new").body;
        assert!(typed.contains("value=\"new\""), "typed again: {typed}");
    }
    // The same while another program writes: the typed text is returned.
    let other = rusqlite::Connection::open(bench.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = bench.post("/runs/1/marks", "label=warm&note=in+the+sun");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(busy.status, StatusCode::UNPROCESSABLE_ENTITY);
    for told in ["nothing is kept yet", "value=\"warm\"", "in the sun"] {
        assert!(busy.body.contains(told), "{told}: {}", busy.body);
    }
    let lab = bench.lab();
    assert_eq!(lab.run(RunId(1)).unwrap().label.unwrap(), "cold");
    // The report shows the lab's label and note, as text.
    bench.post("/runs/1/marks", "label=cold&note=%3Cimg+src%3Dx%3E");
    let report = bench.page("/runs/1/report");
    assert!(report.contains("<dd>cold</dd>"), "no label");
    assert!(report.contains("<dd>&#60;img src=x&#62;</dd>"), "no note");
    assert!(!report.contains("<img"), "a note is not HTML");
    crate::common::save(&mut bench.lab(), &target);
    let compared = bench.page("/compare/report?run=1&run=2");
    assert!(compared.contains("<td>cold</td>"), "no label of a side");
    bench.post("/runs/1/marks", "label=cold&note=in+a+fridge");
    let job = recorded::load(&lab, stend_lab::RecordedId(1)).unwrap();
    assert_eq!(job.summary.note.unwrap(), "in a fridge, 5 °C");
    // An empty one is removed.
    bench.post("/runs/1/marks", "label=&note=+");
    let run = lab.run(RunId(1)).unwrap();
    assert_eq!((run.label, run.note), (None, None));
    for path in ["/runs/9/marks", "/jobs/9/marks"] {
        assert_eq!(
            bench.post(path, "label=x&note=").status,
            StatusCode::NOT_FOUND
        );
    }
}

#[test]
fn a_label_that_was_changed_in_another_tab_is_kept() {
    let bench = jobs();
    let page = bench.page("/jobs/1");
    let seen = "name=\"seen_label\" value=\"\"";
    assert!(page.contains(seen), "{page}");
    let set = |fields: &str| bench.post("/jobs/1/marks", fields);
    set("label=cold&note=&seen_label=&seen_note=");
    let other = set("label=&note=fast&seen_label=&seen_note=");
    assert_eq!(other.status, StatusCode::SEE_OTHER);
    let page = bench.page("/jobs/1");
    assert!(page.contains(">cold<") && page.contains("fast<"), "{page}");
    // Another label is a conflict, which sending the form again resolves.
    let conflict = set("label=warm&note=fast&seen_label=&seen_note=");
    assert_eq!(conflict.status, StatusCode::UNPROCESSABLE_ENTITY);
    for part in [
        "Label: it was changed to “cold” since",
        "name=\"seen_label\" value=\"cold\"",
        "name=\"label\" value=\"warm\"",
    ] {
        assert!(conflict.body.contains(part), "{part}: {}", conflict.body);
    }
    set("label=warm&note=fast&seen_label=cold&seen_note=");
    assert!(bench.page("/jobs/1").contains(">warm<"));
}

#[test]
fn a_review_under_way_is_shown_until_it_is_not_heard_of() {
    let bench = Bench::new();
    let mut lab = bench.lab();
    let mut told = Progress {
        title: "Ultra II".to_owned(),
        edition: "2014".to_owned(),
        doing: "degradation: 4 KiB random write".to_owned(),
        share_done: 0.425,
        left_words: "about 3 min left".to_owned(),
        log: vec!["random done (12 %)".to_owned()],
        curve: Some(LiveCurve {
            name: "fresh: 4 KiB random write".to_owned(),
            t_s: vec![10.0, 20.0],
            iops: vec![50_000.0, 9_000.0],
            preliminary: false,
        }),
        simulated: true,
        begun_unix_ms: NOW_UNIX_MS - 90_000,
        seen_unix_ms: NOW_UNIX_MS - 1_000,
        ..Progress::default()
    };
    let id = progress::begin(&mut lab, &told).expect("it begins");
    progress::update(&mut lab, id, &told).expect("it is told");
    let part = bench.page("/live/1/part");
    for words in [
        "running",
        "42 %, about 3 min left",
        "degradation",
        "random done",
        "[50000.0,9000.0]",
    ] {
        assert!(part.contains(words), "{words}: {part}");
    }
    assert!(!part.contains("data-over"), "{part}");
    assert!(bench.page("/").contains("1 under way now"));
    assert!(bench.page("/live/1").contains("data-part=\"/live/1/part\""));
    // Its program was killed.
    told.seen_unix_ms = NOW_UNIX_MS - 16_000;
    progress::update(&mut lab, id, &told).expect("it is told");
    let part = bench.page("/live/1/part");
    assert!(
        part.contains("Stopped.") && part.contains("data-over"),
        "{part}"
    );
    assert!(!bench.page("/").contains("under way now"));
    told.ended = true;
    told.run = Some(7);
    progress::update(&mut lab, id, &told).expect("it is told");
    let part = bench.page("/live/1/part");
    assert!(part.contains(">ended<"), "{part}");
    assert!(!part.contains("/runs/7"), "no such run is there: {part}");
    assert_eq!(bench.get("/live/2").status, StatusCode::NOT_FOUND);
}

#[test]
fn every_model_is_shown_with_all_its_figures() {
    let bench = Bench::new();
    let list = bench.page("/drives");
    for shipped in stend_model::SHIPPED {
        let address = format!("/drives/models/{}", shipped.name);
        assert!(list.contains(&address), "{address}");
        let page = bench.page(&address);
        let files = stend_model::Files::shipped(shipped.name).expect("it is shipped");
        let rows = page.matches("<td class=\"value\">").count();
        assert_eq!(rows, files.figures().len(), "{}", shipped.name);
    }
    let page = bench.page("/drives/models/sandisk-ultra-ii-240gb");
    for words in [
        "Blocks of a plane in the data area",
        "allowed: 16 to 65536",
        "free = [",
        "in sandisk-19nm-tlc",
        "The drive has nothing of the kind",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn smart_data_of_a_drive_is_shown_over_time() {
    let mut first = review("Samsung 850 EVO", TargetKind::BlockDevice, "quick");
    first.smart = Some(smart());
    let bench = Bench::with(&[first]);
    assert!(
        bench
            .page("/drives")
            .contains("/drives/smart?serial=S3EVNX0J500123A")
    );
    let page = bench.page("/drives/smart?serial=S3EVNX0J500123A");
    for words in [
        "1 TB",
        "1.5 TB",
        "Life used",
        "before the tests of",
        "[1.0,1.5]",
        "[31.0,44.0]",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(
        !page.contains("Media errors"),
        "what no reading has is not a column"
    );
    assert_eq!(
        bench.get("/drives/smart?serial=").status,
        StatusCode::NOT_FOUND
    );
}

/// Two jobs of two hours are too long for a test; the tests of studies check the lab's rows with a
/// smaller request.
#[test]
fn a_drive_is_put_beside_itself() {
    let bench = Bench::new();
    let fields = "drive=demo-8gb&set.slc_cache.blocks_per_plane=60&key=gc.policy&value=fifo";
    let check = bench.post("/what-if/check", fields);
    assert!(
        check.body.contains("SLC cache") && check.body.contains("fifo"),
        "{}",
        check.body
    );
    let asked = bench.post("/what-if", fields);
    assert_eq!(asked.status, StatusCode::SEE_OTHER, "{}", asked.body);
    assert_eq!(asked.header("location"), "/what-if/1");
    // A second tab with the same request sees the same work.
    assert_eq!(
        bench.post("/what-if", fields).header("location"),
        "/what-if/1"
    );
    assert!(bench.page("/what-if/1").contains("queued"));
    assert!(stend_web::carry_out_next(&bench.app));
    assert!(!stend_web::carry_out_next(&bench.app));
    let page = bench.page("/what-if/1");
    assert!(page.contains("Where the two hours end"), "{page}");
    assert!(page.contains("Random reads, queue depth 1<"), "{page}");
    assert!(
        !page.contains("SHORTENED RUN") && page.contains("data-over"),
        "{page}"
    );
    let model = bench.get("/what-if/1/model.toml");
    assert!(
        model
            .header("content-disposition")
            .contains("demo-8gb-changed.toml")
    );
    let model = stend_model::Model::parse(&model.body, "demo").expect("it is a model");
    assert_eq!(model.gc.policy.value, "fifo");
    assert!(bench.page("/studies").contains("sustained random writes"));
    let report = bench.page("/studies/1/report");
    assert!(report.contains("<h2>two-hours</h2>"), "no job");
    assert!(bench.page("/what-if?from=1").contains("value=\"60\""));

    // A later build shows finished work too, and can run the request again.
    let later = Arc::new(stend_web::App::new(
        bench.path(),
        crate::common::PORT,
        stend_lab::Program {
            id: "a later build".to_owned(),
            ..crate::common::program()
        },
        |_| 2,
    ));
    let later = bench.served_by(later);
    assert!(later.page("/what-if/1").contains("Where the two hours end"));
    let again = later.post("/what-if", fields);
    assert_eq!(again.header("location"), "/what-if/2");
    let given_up = later.post("/queue/2/cancel", "");
    assert_eq!(given_up.status, StatusCode::SEE_OTHER, "{}", given_up.body);

    // Another request: the original is known, and half of the rows are simulated.
    let lab = bench.lab();
    let before = stend_lab::studies::list(&lab).expect("studies").len();
    bench.post("/what-if", "drive=demo-8gb&set.gc.policy=fifo");
    assert!(stend_web::carry_out_next(&bench.app));
    assert_eq!(
        stend_lab::studies::list(&lab).expect("studies").len(),
        before + 2
    );
    assert!(bench.page("/what-if/3").contains("Where the two hours end"));
}

/// Escapes a text for a field of a form.
fn field_of(text: &str) -> String {
    let byte = |byte: u8| format!("%{byte:02X}");
    text.bytes().map(byte).collect()
}

#[test]
fn a_model_of_ones_own_is_put_beside_itself() {
    let bench = Bench::new();
    let shipped = stend_model::Files::shipped("demo-8gb").expect("it is shipped");
    let text = shipped
        .text()
        .replace("Demonstration drive, 8 GB", "My </textarea> drive");
    let text = text.replace("name = \"demo-8gb\"", "name = \"mine\"");
    let model = |text: &str| bench.post("/what-if/model", &format!("model={}", field_of(text)));
    let form = model(&text.replace('\n', "\r\n"));
    assert_eq!(form.status, StatusCode::OK, "{}", form.body);
    let told = "My &#60;/textarea&#62; drive, but with";
    assert!(form.body.contains(told), "{}", form.body);
    assert!(!form.body.contains("name=\"drive\" value"), "{}", form.body);
    let fields = format!("model={}&set.gc.policy=fifo", field_of(&text));
    let check = bench.post("/what-if/check", &fields);
    assert!(
        check.body.contains("<strong>fifo</strong>"),
        "{}",
        check.body
    );
    // Errors are reported with line and key, and the submitted text is returned to be corrected.
    let line = text.lines().position(|line| line.starts_with("channels ="));
    let line = line.expect("a key") + 1;
    let broken = text.replace("channels = { value = 2", "channels = { value = 999");
    for (text, told) in [
        (&*broken, format!("your file:{line}: nand.channels")),
        ("schema = ", "your file:1".to_owned()),
        ("", "The file is empty".to_owned()),
    ] {
        let refused = model(text);
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{told}");
        assert!(refused.body.contains(&told), "{told}: {}", refused.body);
    }
    assert!(model(&broken).body.contains("value = 999"));
    assert!(!bench.path().exists(), "nothing is kept");
    let asked = bench.post("/what-if", &fields);
    assert_eq!(asked.header("location"), "/what-if/1", "{}", asked.body);
    assert!(
        bench
            .page("/what-if/1")
            .contains("href=\"/what-if?from=1\"")
    );
    assert!(bench.page("/what-if?from=1").contains(told));
    let changed = bench.get("/what-if/1/model.toml");
    let name = "attachment; filename=\"mine-changed.toml\"";
    assert_eq!(changed.header("content-disposition"), name);
    let changed = stend_model::Model::parse(&changed.body, "mine").expect("it is a model");
    assert_eq!(changed.gc.policy.value, "fifo");
}

/// The review and the job of a simulated drive with this model, as if its figures had been set.
fn of_model(model: &Model) -> Bench {
    let shipped = Model::shipped("demo-8gb").expect("it is shipped");
    let json = |setting| serde_json::to_value::<Option<Setting>>(setting).expect("JSON");
    let changes = model.changes_from(&shipped).into_iter();
    let changes = changes.map(|change| ModelChange {
        name: change.key.clone(),
        key: change.key,
        value: Some(json(change.value)),
        shipped: Some(json(change.shipped)),
    });
    let info = ModelInfo {
        fingerprint: format!("{:016x}", model.fingerprint),
        title: model.title.clone(),
        shipped: Some("demo-8gb".to_owned()),
        changes: changes.collect(),
    };
    let mut of = review(&info.full_title(), TargetKind::Simulated, "2014");
    of.target.model = Some(info);
    let bench = Bench::with(&[of.clone()]);
    record(&mut bench.lab(), &of, "one.fio", Some(""), &job_result());
    bench
}

#[test]
fn a_changed_model_of_the_lab_is_put_beside_itself() {
    let demo = Model::shipped("demo-8gb").expect("it is shipped");
    let settings = [
        ("gc.policy", Setting::Text("fifo".to_owned())),
        ("nand.bus_mb_per_s", Setting::Whole(100)),
    ];
    let changed = demo.with(&settings).expect("it is sound");
    let bench = of_model(&changed);
    for (page, of) in [("/runs/1", "1"), ("/jobs/1", "j1")] {
        let address = format!("/what-if?of={of}");
        let page = bench.page(page);
        assert!(page.contains(&format!("href=\"{address}\"")), "{page}");
        let form = bench.page(&address);
        let told = "Demonstration drive, 8 GB, nand.bus_mb_per_s = 100 MB/s, gc.policy = fifo";
        assert!(form.contains(&format!("<h2>{told}")), "{told}: {form}");
        let told = format!("(number {of} of the lab)");
        assert!(form.contains(&told), "{told}: {form}");
        assert!(form.contains("data-original=\"fifo\""), "{form}");
        assert!(form.contains("data-original=\"100\""), "{form}");
        // The form sends the same drive, except for the title.
        let text = form.split("<textarea name=\"model\" hidden>").nth(1);
        let text = text.and_then(|rest| rest.split("</textarea>").next());
        let mut text = text.expect("a text").to_owned();
        for (code, c) in [
            ("34", "\""),
            ("38", "&"),
            ("39", "'"),
            ("60", "<"),
            ("62", ">"),
        ] {
            text = text.replace(&format!("&#{code};"), c);
        }
        let again = Model::parse(&text, "again").expect("it is a model");
        assert_eq!(again.changes_from(&changed), []);
        let fields = format!("of={of}&model={}&set.nand.channels=999", field_of(&text));
        let wrong = bench.post("/what-if", &fields);
        assert!(wrong.body.contains(&told), "{}", wrong.body);
    }
    assert_eq!(bench.get("/what-if?of=9").status, StatusCode::NOT_FOUND);
    // A shipped model is used by its name.
    let page = of_model(&demo).page("/runs/1");
    assert!(page.contains("href=\"/what-if?drive=demo-8gb\""), "{page}");
}

#[test]
fn the_file_of_a_model_is_requested_where_the_lab_does_not_know_it() {
    let change = |shipped: i64| ModelChange {
        key: "nand.bus_mb_per_s".to_owned(),
        name: "nand.bus_mb_per_s".to_owned(),
        value: Some(100.into()),
        shipped: Some(shipped.into()),
    };
    let table = ModelChange {
        key: "energy".to_owned(),
        name: "energy".to_owned(),
        shipped: Some(true.into()),
        ..ModelChange::default()
    };
    for (shipped, changes) in [
        (None, vec![]),
        (None, vec![change(1)]),
        // The shipped model was different then, or the change cannot be applied to it.
        (Some("demo-8gb"), vec![change(1)]),
        (Some("demo-8gb"), vec![table]),
        (Some("a-drive-of-before"), vec![]),
    ] {
        let mut of = review("A drive", TargetKind::Simulated, "2014");
        of.target.model = Some(ModelInfo {
            fingerprint: "0".repeat(16),
            title: "A drive".to_owned(),
            shipped: shipped.map(str::to_owned),
            changes,
        });
        let bench = Bench::with(&[of]);
        let page = bench.page("/runs/1");
        assert!(page.contains("href=\"/what-if?of=1\""), "{page}");
        let form = bench.page("/what-if?of=1");
        assert!(
            form.contains("choose its file, or paste its text"),
            "{form}"
        );
        assert!(form.contains("<details class=\"fold\" open>"), "{form}");
    }
    // A real drive has no model.
    let real = Bench::with(&[review("A drive", TargetKind::File, "2014")]);
    assert!(!real.page("/runs/1").contains("what if …"));
}

/// Parts are looked up only in the program, whatever path a file names.
#[test]
fn a_model_of_ones_own_reads_no_file() {
    let bench = Bench::new();
    let kept = |name: &str, text: &str| {
        let path = bench.folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        path.display().to_string()
    };
    let model = |text: &str| bench.post("/what-if/model", &format!("model={}", field_of(text)));
    let refused = StatusCode::UNPROCESSABLE_ENTITY;
    let part = include_str!("../../../drives/firmware/sandisk-health.toml");
    let part = kept("part.toml", part);
    let mine = include_str!("../../../drives/sandisk-ultra-ii-240gb.toml");
    assert_eq!(model(mine).status, StatusCode::OK);
    let from_disk = mine.replace("firmware/sandisk-health.toml", &part);
    assert_ne!(from_disk, mine);
    let answer = model(&from_disk);
    assert_eq!(answer.status, refused);
    assert!(answer.body.contains(&part), "{}", answer.body);
    // A path alone is not the text of a model.
    let whole = include_str!("../../../drives/demo-8gb.toml");
    let whole = kept(
        "whole.toml",
        &whole.replace("Demonstration drive", "Kept on the disk"),
    );
    let answer = model(&whole);
    assert_eq!(answer.status, refused);
    assert!(!answer.body.contains("Kept on the disk"), "{}", answer.body);
}

#[test]
fn what_makes_no_drive_is_told_and_what_changes_nothing_too() {
    let bench = Bench::new();
    let wrong = bench.post("/what-if", "drive=demo-8gb&set.nand.channels=999");
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.body.contains("nand.channels"), "{}", wrong.body);
    let unknown = bench.post("/what-if", "drive=demo-8gb&key=nand.dice&value=4");
    assert!(
        unknown.body.contains("nand.dies"),
        "the nearest key: {}",
        unknown.body
    );
    let nothing = bench.post("/what-if", "drive=demo-8gb&set.nand.dies=4");
    assert_eq!(nothing.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        nothing.body.contains("Nothing is changed"),
        "{}",
        nothing.body
    );
    assert!(!bench.path().exists(), "nothing is kept");
}

#[test]
fn work_is_cancelled_and_goes_on_after_a_restart() {
    let bench = Bench::new();
    bench.post("/what-if", "drive=demo-8gb&set.gc.policy=fifo");
    bench.post("/what-if", "drive=demo-8gb&set.nand.bus_mb_per_s=100");
    let cancelled = bench.post("/queue/1/cancel", "");
    assert_eq!(cancelled.header("location"), "/queue");
    let state = |id| work::get(&bench.lab(), WorkId(id)).unwrap().unwrap().state;
    assert_eq!(state(1), WorkState::Cancelled);
    assert!(bench.page("/queue").contains(">cancelled<"));
    assert!(bench.page("/what-if/1").contains("It was given up"));

    // A server takes the second piece of work and stops: it returns to the queue. A lab in use is
    // tried again, as a server does.
    let app = Arc::clone(&bench.app);
    let worker = std::thread::spawn(move || while !stend_web::carry_out_next(&app) {});
    let began = Instant::now();
    while state(2) == WorkState::Queued {
        assert!(began.elapsed() < Duration::from_secs(60), "it is not taken");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(state(2), WorkState::Running);
    bench.app.stop();
    worker.join().expect("no panic");
    assert_eq!(state(2), WorkState::Queued);

    // Another server was killed during its work: its row is no longer updated.
    let mut lab = bench.lab();
    let long_ago = NOW_UNIX_MS - work::LEFT_AFTER_MS - 1;
    let taken = work::take(&mut lab, "killed", long_ago)
        .expect("the lab")
        .expect("work");
    assert_eq!(taken.id, WorkId(2));
    let again = work::take(&mut lab, "another", NOW_UNIX_MS).expect("the lab");
    assert_eq!(again.expect("what was left behind").id, WorkId(2));
    // The server that was thought killed learns that another has its work.
    let told = ("", 0.5);
    assert!(!work::go_on(&mut lab, (WorkId(2), "killed"), told, NOW_UNIX_MS).unwrap());
    assert!(work::go_on(&mut lab, (WorkId(2), "another"), told, NOW_UNIX_MS).unwrap());
    // Work that is cancelled in progress: its worker learns of it.
    assert!(work::cancel(&mut lab, WorkId(2), NOW_UNIX_MS).unwrap());
    assert!(!work::go_on(&mut lab, (WorkId(2), "another"), told, NOW_UNIX_MS).unwrap());
    assert_eq!(state(2), WorkState::Cancelling);
}
