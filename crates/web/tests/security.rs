//! Rejected requests, and escaped texts.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use rusqlite::Connection;
use stend_lab::recorded::{set_label, set_note};
use stend_lab::{EntryId, RecordedId, RunId};
use stend_record::review::TargetKind;

use crate::common::{Bench, PORT, get, job_result, post, record, review};

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    let value = value.parse().expect("a header");
    request.headers_mut().insert(name, value);
    request
}

#[test]
fn names_of_other_hosts_are_refused() {
    let bench = Bench::new();
    for host in [
        "evil.example:7070",
        "127.0.0.1",
        "127.0.0.1:7071",
        "127.0.0.1.evil:7070",
        "",
    ] {
        let answer = bench.answer(with(get("/"), "host", host));
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{host}");
    }
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let answer = bench.answer(with(get("/"), "host", &format!("{host}:{PORT}")));
        assert_eq!(answer.status, StatusCode::OK, "{host}");
    }
    let mut without = get("/");
    without.headers_mut().remove(header::HOST);
    assert_eq!(bench.answer(without).status, StatusCode::FORBIDDEN);
}

#[test]
fn posts_of_other_sites_are_refused() {
    let bench = Bench::new();
    let fields = format!(
        "token={}&drive=demo-8gb&set.gc.policy=fifo",
        bench.app.token()
    );
    let asked = || post("/what-if", &fields);
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:7071"),
        ("origin", "https://127.0.0.1:7070"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
    ] {
        let answer = bench.answer(with(asked(), name, value));
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}: {value}");
    }
    assert!(!bench.path().exists(), "nothing was written");
    let ours = with(asked(), "origin", "http://127.0.0.1:7070");
    let answer = bench.answer(with(ours, "sec-fetch-site", "same-origin"));
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}

/// A lab with a run and a job.
fn with_job(title: &str) -> Bench {
    let one = review(title, TargetKind::BlockDevice, title);
    let bench = Bench::with(std::slice::from_ref(&one));
    record(&mut bench.lab(), &one, title, Some(title), &job_result());
    bench
}

#[test]
fn other_sites_set_no_labels() {
    let bench = with_job("One");
    let fields = format!("token={}&label=theirs&note=theirs", bench.app.token());
    for path in ["/runs/1/marks", "/jobs/1/marks"] {
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("sec-fetch-site", "cross-site"),
            ("host", "evil.example:7070"),
        ] {
            let answer = bench.answer(with(post(path, &fields), name, value));
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {name}");
        }
        let got = bench.get(&format!("{path}?{fields}"));
        assert_eq!(got.status, StatusCode::METHOD_NOT_ALLOWED);
    }
    for path in ["/", "/runs/1", "/jobs", "/jobs/1"] {
        assert!(!bench.page(path).contains("theirs"), "{path}");
    }
    assert_eq!(
        bench.answer(post("/jobs/1/marks", &fields)).status,
        StatusCode::SEE_OTHER
    );
    assert!(bench.page("/jobs").contains("theirs"));
}

#[test]
fn forms_without_the_token_are_refused() {
    let bench = with_job("One");
    for path in [
        "/what-if",
        "/what-if/check",
        "/what-if/model",
        "/queue/1/cancel",
        "/runs/1/marks",
        "/jobs/1/marks",
    ] {
        for fields in [
            "drive=demo-8gb",
            "token=0&drive=demo-8gb",
            "token=&drive=demo-8gb",
        ] {
            let answer = bench.answer(post(path, fields));
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {fields}");
        }
    }
    // Two pages that are open at the same time have the same token.
    let page = || bench.page("/what-if?drive=demo-8gb");
    let token = format!("value=\"{}\"", bench.app.token());
    assert!(page().contains(&token) && page().contains(&token));
}

#[test]
fn no_path_leads_out_of_the_pages() {
    let bench = Bench::new();
    for path in [
        "/assets/../Cargo.toml",
        "/assets/%2e%2e%2fCargo.toml",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/drives/models/..%2f..%2fCargo.toml",
        "/drives/models/%2fetc%2fpasswd",
        "/drives/models/sandisk-ultra-ii-240gb.toml",
        "/what-if?drive=..%2f..%2fCargo",
        "/runs/..%2f1",
        "/nothing",
    ] {
        let answer = bench.get(path);
        let refused = [StatusCode::NOT_FOUND, StatusCode::BAD_REQUEST];
        assert!(
            refused.contains(&answer.status),
            "{path}: {}",
            answer.status
        );
        assert!(!answer.body.contains("[package]"), "{path}");
    }
}

#[test]
fn names_are_text() {
    let script = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
    let bench = Bench::with(&[
        review(script, TargetKind::BlockDevice, script),
        review("Other", TargetKind::Simulated, "2014"),
    ]);
    let mut lab = bench.lab();
    let progress = stend_lab::progress::Progress {
        title: script.to_owned(),
        edition: script.to_owned(),
        doing: script.to_owned(),
        log: vec![script.to_owned()],
        curve: Some(stend_lab::progress::LiveCurve {
            name: script.to_owned(),
            t_s: vec![1.0],
            iops: vec![1.0],
            preliminary: false,
        }),
        seen_unix_ms: crate::common::NOW_UNIX_MS,
        ..Default::default()
    };
    let id = stend_lab::progress::begin(&mut lab, &progress).expect("it begins");
    stend_lab::progress::update(&mut lab, id, &progress).expect("it is told");
    let job = review(script, TargetKind::BlockDevice, "");
    let result = serde_json::json!({"jobs": [script]});
    record(&mut lab, &job, script, Some(script), &result);
    for entry in [EntryId::Run(RunId(1)), EntryId::Recorded(RecordedId(1))] {
        set_label(&mut lab, entry, Some(script)).expect("it is set");
        set_note(&mut lab, entry, Some(script)).expect("it is set");
    }
    let asked = ("what-if", script, "{}");
    stend_lab::work::ask(&mut lab, asked, 1).expect("it is asked");
    let query = "text=%3Cscript%3Ealert(1)%3C%2Fscript%3E&drive=%22%3E%3Cscript%3E";
    for path in [
        "/",
        &format!("/?{query}"),
        "/runs/1",
        "/compare?run=1&run=2",
        "/jobs",
        &format!("/jobs?{query}"),
        "/jobs/1",
        "/drives",
        "/live",
        "/live/1",
        "/live/1/part",
        "/queue",
        "/what-if?drive=demo-8gb&set.gc.policy=%22%3E%3Cscript%3E&set.x%3Cscript%3E=1",
        "/drives/models/%3Cscript%3E",
    ] {
        let page = bench.get(path).body;
        assert!(!page.contains("<script>"), "{path}: {page}");
        assert!(!page.contains("<img"), "{path}: {page}");
    }
}

#[test]
fn pages_allow_no_inline_script_and_reports_are_in_a_sandbox() {
    let bench = Bench::with(&[review("One", TargetKind::Simulated, "2014")]);
    for path in [
        "/",
        "/runs/1",
        "/drives",
        "/what-if?drive=demo-8gb",
        "/nothing",
    ] {
        let answer = bench.get(path);
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    let report = bench.get("/runs/1/report");
    let policy = report.header("content-security-policy");
    assert!(policy.starts_with("sandbox allow-scripts"), "{policy}");
    assert!(!policy.contains("allow-same-origin"), "{policy}");
    assert!(!policy.contains("connect-src"), "{policy}");
    let frame = bench.page("/runs/1");
    assert!(frame.contains("sandbox=\"allow-scripts"), "{frame}");
}

#[test]
fn long_bodies_are_refused() {
    let bench = Bench::new();
    let answer = bench.post("/what-if", &format!("note={}", "x".repeat(70_000)));
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(
        answer.body.contains("larger than any form"),
        "{}",
        answer.body
    );
}

#[test]
fn a_long_body_is_refused_by_its_stated_length() {
    let bench = Bench::new();
    let request = with(post("/what-if", ""), "content-length", "10000000000");
    let answer = bench.answer(request);
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[test]
fn what_the_library_refuses_is_a_page_too() {
    let bench = Bench::new();
    for (answer, status, words) in [
        (
            bench.get("/runs/x"),
            StatusCode::BAD_REQUEST,
            "does not name anything by a number",
        ),
        (
            bench.post("/jobs", ""),
            StatusCode::METHOD_NOT_ALLOWED,
            "does not take a request of this method",
        ),
    ] {
        assert_eq!(answer.status, status);
        let body = answer.body;
        assert!(body.starts_with("<!DOCTYPE html>"), "{body}");
        assert!(
            body.contains("This cannot be done") && body.contains(words),
            "{body}"
        );
    }
}

#[test]
fn a_lab_in_use_says_so_and_the_page_comes_back() {
    let bench = Bench::with(&[review("One", TargetKind::Simulated, "2014")]);
    let other = Connection::open(bench.path()).expect("the lab");
    other
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM breaks")
        .expect("it is locked");
    let began = std::time::Instant::now();
    let asked = bench.post("/what-if", "drive=demo-8gb&set.gc.policy=fifo");
    assert_eq!(
        asked.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "{}",
        asked.body
    );
    assert!(
        asked.body.contains("Another program is writing"),
        "{}",
        asked.body
    );
    // A reload would be another request: the form must be sent again.
    assert!(
        !asked.body.contains("http-equiv=\"refresh\""),
        "{}",
        asked.body
    );
    assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
    other.execute_batch("ROLLBACK").expect("it is free");
    drop(other);
    assert!(bench.page("/").contains("One"));
}

#[test]
fn what_is_no_lab_is_told() {
    let bench = Bench::new();
    std::fs::write(
        bench.path(),
        "something else, and long enough to be looked at",
    )
    .unwrap();
    let answer = bench.get("/");
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(answer.body.contains("not a lab"), "{}", answer.body);
}
