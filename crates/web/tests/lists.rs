//! Lists of drives and studies, and the speed of lists.

use std::time::Instant;

use axum::http::StatusCode;
use rusqlite::Connection;
use stend_record::review::TargetKind;

use crate::common::{Bench, NOW_UNIX_MS, job_result, record, review, study};

/// Two drives that were reviewed, and one with a job.
fn drives() -> Bench {
    let bench = Bench::with(&[
        review("SanDisk Ultra II", TargetKind::Simulated, "2014"),
        review("Samsung 850 EVO", TargetKind::BlockDevice, "quick"),
    ]);
    let mut target = review("Some drive", TargetKind::Simulated, "");
    target.target.facts[1].value = "Samsung V-NAND".to_owned().into();
    target.target.facts[2].value = "2017".to_owned().into();
    record(
        &mut bench.lab(),
        &target,
        "one.fio",
        Some(""),
        &job_result(),
    );
    bench
}

#[test]
fn drives_and_models_are_found_by_what_they_are_made_of() {
    let bench = drives();
    let model = "/drives/models/samsung-850-evo-250gb";
    for (query, found, has_model) in [
        ("", [true, true, true], true),
        ("text=ultra", [true, false, false], false),
        ("text=S3EVNX", [false, true, false], false),
        ("text=850+evo", [false, true, false], true),
        ("text=V-NAND+samsung", [false, false, true], true),
        ("drive=some", [false, false, true], false),
        ("interface=sata&kind=simulated", [true, false, true], true),
        ("interface=nvme", [false, false, false], false),
        ("flash=tlc", [true, true, false], true),
        ("drive_year=2017", [false, false, true], false),
        ("drive_year=2014", [true, false, false], true),
        ("kind=real", [false, true, false], false),
    ] {
        let page = bench.page(&format!("/drives?{query}"));
        let names = ["SanDisk Ultra II", "Samsung 850 EVO", "Some drive"];
        let has = names.map(|name| page.contains(&format!("<th scope=\"row\">{name}</th>")));
        assert_eq!(has, found, "{query}");
        assert_eq!(page.contains(model), has_model, "{query}");
        let none = page.contains("No drive of the lab is like this");
        assert_eq!(none, found == [false; 3], "{query}");
    }
    let page = bench.page("/drives");
    assert!(page.contains("Drive released"), "{page}");
    assert!(page.contains("<option>2017</option>"), "{page}");
    assert!(page.contains("<td>block device</td>"), "{page}");
    // Names for people, not those in drive files.
    for page in [&page, &bench.page(model)] {
        assert!(page.contains("SATA 6 Gbit/s"), "{page}");
    }
    assert!(page.contains("PCIe 3.0 x4, NVMe") && !page.contains("pcie-nvme"));
    let none = bench.page("/drives?text=nothing-like-this");
    assert!(none.contains("No model is like this"), "{none}");
    // The two kinds of years are labelled in all lists that have both.
    for (list, began) in [("/", "Run began"), ("/jobs", "Job began")] {
        let page = bench.page(list);
        for label in ["Drive released", began] {
            assert!(page.contains(&format!("<label>{label} <select")), "{page}");
        }
    }
}

#[test]
fn studies_are_found_a_page_at_a_time() {
    let bench = Bench::new();
    assert!(
        bench
            .page("/studies")
            .contains("No study has been carried out")
    );
    let year_ms = 366 * 86_400_000;
    study(&mut bench.lab(), "old", "demo-8gb", NOW_UNIX_MS - year_ms);
    study(
        &mut bench.lab(),
        "new",
        "samsung-850-evo-250gb",
        NOW_UNIX_MS,
    );
    for (query, old, new) in [
        ("", true, true),
        ("text=study+old", true, false),
        ("text=factor", true, true),
        ("text=%25", false, false),
        ("drive=evo", false, true),
        ("drive=old", false, false),
        ("year=2026", false, true),
        ("year=2025", true, false),
        ("year=2024", false, false),
    ] {
        let page = bench.page(&format!("/studies?{query}"));
        let has = |name: &str| page.contains(&format!("\">The study {name}</a>"));
        assert_eq!([has("old"), has("new")], [old, new], "{query}");
        let none = page.contains("No study is like this");
        assert_eq!(none, !old && !new, "{query}");
    }
    for n in 0..49 {
        study(
            &mut bench.lab(),
            &format!("more-{n}"),
            "demo-8gb",
            NOW_UNIX_MS - 1,
        );
    }
    let first = bench.page("/studies?text=study");
    assert!(first.contains("51 studies, 1 to 50"), "{first}");
    assert!(first.contains("/studies?text=study&#38;from=50"), "{first}");
    assert!(first.find("The study new") < first.find("The study more-0"));
    let last = bench.page("/studies?text=study&from=50");
    assert!(
        last.contains("51 to 51") && last.contains("The study old"),
        "{last}"
    );
}

#[test]
fn the_report_of_a_study_is_made_from_what_the_lab_has() {
    let bench = Bench::new();
    study(
        &mut bench.lab(),
        "new",
        "samsung-850-evo-250gb",
        NOW_UNIX_MS,
    );
    let page = bench.page("/studies/1");
    assert!(page.contains("src=\"/studies/1/report\""), "{page}");
    assert!(page.contains("2 of 4 rows"), "{page}");
    let report = bench.page("/studies/1/report");
    for words in [
        "<h2>Main effects</h2>",
        "cache blocks",
        "INCOMPLETE: 2 of 4 rows are not done yet",
        "samsung-850-evo-250gb",
    ] {
        assert!(report.contains(words), "{words}");
    }
    assert!(!report.contains("beside this page"), "there are no files");
    assert_eq!(bench.get("/studies/9").status, StatusCode::NOT_FOUND);
    let sql = "UPDATE studies SET definition = replace(definition, 'schema', 'of later')";
    let connection = Connection::open(bench.path()).expect("the lab");
    connection.execute(sql, []).expect("a change");
    let later = bench.get("/studies/1/report");
    assert!(
        later.body.contains("Another version of stend"),
        "{}",
        later.body
    );
}

#[test]
fn ten_thousand_of_anything_are_listed_in_time() {
    let bench = drives();
    study(&mut bench.lab(), "first", "demo-8gb", NOW_UNIX_MS);
    let connection = Connection::open(bench.path()).expect("the lab");
    let numbers =
        "WITH RECURSIVE n(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM n WHERE n < 10009)";
    for sql in [
        // Each run has its own drive.
        "INSERT INTO drives (id, kind, model, serial, firmware, fingerprint, title, changes)
            SELECT n, kind, model, serial, firmware, 'copy ' || n, title, changes
            FROM drives, n WHERE drives.id = 1",
        "INSERT INTO runs SELECT n, 'copy ' || n, n, target, capacity_bytes, edition,
            edition_title, edition_sha256, seed, duration_scale, state, command, folder,
            stend_version, stend_commit, begun_unix_ms - n, saved_unix_ms, rest, label, note,
            measurement_key
            FROM runs, n WHERE runs.id = 1",
        "INSERT INTO conditions SELECT n, kind, position, name, value, of_name, text
            FROM conditions, n WHERE run = 1",
        "INSERT INTO recorded SELECT n, 'copy ' || n, kind, drive, target, capacity_bytes, facts,
            label, note, name, job, seed, command, result, stend_version, stend_commit,
            begun_unix_ms - n, saved_unix_ms FROM recorded, n WHERE recorded.id = 1",
        "INSERT INTO studies SELECT n, 'copy ' || n, name, title, definition, 'copy ' || n,
            duration_scale, rows_planned, folder, stend_version, stend_commit, begun_unix_ms - n,
            saved_unix_ms FROM studies, n WHERE studies.id = 1",
        "INSERT INTO study_rows SELECT n, \"row\", \"key\", model, seed, job, factors, outcomes,
            error FROM study_rows, n WHERE study = 1",
    ] {
        let (into, select) = sql.split_once("SELECT").expect("a copy");
        let sql = format!("{into} {numbers} SELECT {select}");
        connection
            .execute(&sql, [])
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    for address in [
        "/?",
        "/?text=sandisk+tlc&drive_year=2014",
        "/drives?",
        "/drives?text=sandisk+tlc&flash=tlc&drive_year=2014&from=9950",
        "/drives?text=nothing-like-this",
        "/jobs?",
        "/jobs?text=vnand+samsung",
        "/jobs?text=v-nand&drive_year=2017&year=2026&on=simulated&from=9950",
        "/studies?",
        "/studies?text=study+cache&drive=demo&year=2026&from=9950",
        "/studies?text=nothing-like-this",
    ] {
        let page = bench.page(address);
        let none = address.contains("nothing") || address.contains("vnand");
        assert_eq!(
            page.contains("0 to ") || page.contains("1 to "),
            !none,
            "{address}"
        );
        // Repeated if it takes longer: the machine may be busy.
        let mut took = (0..50).map(|_| {
            let began = Instant::now();
            bench.page(address);
            began.elapsed()
        });
        let in_time = took.find(|took| took.as_millis() <= 200);
        println!("{address:70} {in_time:?}");
        assert!(in_time.is_some(), "{address}: longer than 200 ms each time");
    }
}
