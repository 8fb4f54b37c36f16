//! `stend lab serve` from outside: addresses, signals, reviews by other processes.

use crate::common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{fails, folder, have, json, list, number, ok, program, test, tiny};
use rusqlite::Connection;

/// A server that ends with the test.
struct Served {
    child: Child,
    port: String,
}

impl Served {
    fn start(dir: &Path) -> Served {
        let mut child = program(dir, &["lab", "serve", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut address).unwrap();
        let port = address.trim().strip_prefix("http://127.0.0.1:");
        let port = port.and_then(|port| port.strip_suffix('/'));
        Served {
            port: port.expect("an address").to_owned(),
            child,
        }
    }

    /// Requests a page.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).unwrap();
        let port = &self.port;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Ends the server with this signal; returns its exit code.
    fn end(mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until `is` returns true.
fn wait(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_lab_is_served_before_it_is_there_and_until_a_signal() {
    let dir = folder();
    let dir = dir.path();
    let served = Served::start(dir);
    let page = served.get("/");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("The lab is empty"), "{page}");
    assert!(!dir.join(".lab").exists(), "looking makes no lab");
    let taken = ["lab", "serve", "--port", &served.port];
    fails(dir, &taken, 6, &["is taken by another program", "--port 0"]);
    ok(
        dir,
        &[
            "review",
            "demo-8gb",
            "--edition",
            "quick",
            "--duration-scale",
            "0.01",
        ],
    );
    assert!(served.get("/").contains("href=\"/runs/1\""));
    assert!(served.get("/runs/1/report").contains("Demonstration drive"));
    assert_eq!(served.end("-TERM"), Some(0));
    let served = Served::start(dir);
    assert_eq!(served.end("-INT"), Some(0));
}

#[test]
fn a_lab_of_another_program_is_refused() {
    let dir = folder();
    let dir = dir.path();
    std::fs::create_dir(dir.join(".lab")).unwrap();
    std::fs::write(dir.join(".lab/lab.db"), "something else, long enough").unwrap();
    fails(dir, &["lab", "serve", "--port", "0"], 3, &["not a lab"]);
}

/// The curve of a real target grows by the kernel's counts, marked as preliminary, until fio's own
/// samples replace it.
#[test]
fn a_curve_of_a_real_target_grows() {
    if !have(&["fio"]) {
        return;
    }
    let dir = folder();
    let dir = dir.path();
    let args = tiny(dir, &["drive.bin", "--size", "64MiB"], "degradation");
    let edition = dir.join("tiny.toml");
    let text = std::fs::read_to_string(&edition).unwrap();
    let longer = text.replace("duration_s = 2\nsample_ms", "duration_s = 5\nsample_ms");
    assert_ne!(longer, text);
    std::fs::write(edition, longer).unwrap();
    let review = program(dir, &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let served = Served::start(dir);
    let (preliminary, chart) = ("<strong>Preliminary</strong>", "data-chart=\"curve\"");
    wait("it grows", || {
        let page = served.get("/live/1");
        page.contains(preliminary) && page.contains(chart)
    });
    let done = review.wait_with_output().unwrap();
    let review = json(std::str::from_utf8(&done.stdout).unwrap());
    let page = served.get("/live/1");
    assert!(
        page.contains(chart) && !page.contains(preliminary),
        "{page}"
    );
    let samples = list(&list(&test(&review, "degradation")["series"])[0]["samples"]);
    let lab = Connection::open(dir.join(".lab/lab.db")).unwrap();
    let curve: String = lab
        .query_row("SELECT curve FROM progress", [], |row| row.get(0))
        .unwrap();
    let expected: Vec<f64> = samples.iter().map(|s| number(&s["iops"])).collect();
    let told: Vec<f64> = list(&json(&curve)["iops"]).iter().map(number).collect();
    assert_eq!(told, expected);
}

#[test]
fn a_review_tells_how_far_it_is_and_is_stopped_when_it_was_killed() {
    let dir = folder();
    let dir = dir.path();
    // A review that completes.
    ok(
        dir,
        &[
            "review",
            "demo-8gb",
            "--tests",
            "degradation",
            "--duration-scale",
            "0.2",
        ],
    );
    let lab = Connection::open(dir.join(".lab/lab.db")).unwrap();
    let text = |sql: &str| -> String {
        let found = lab.query_row(sql, [], |row| row.get(0));
        found.unwrap_or_default()
    };
    let last = "FROM progress ORDER BY id DESC LIMIT 1";
    let state = || text(&format!("SELECT state {last}"));
    assert_eq!(state(), "ended");
    assert_eq!(
        text(&format!("SELECT cast(share_done AS text) {last}")),
        "1.0"
    );
    assert_eq!(text(&format!("SELECT cast(run AS text) {last}")), "1");
    let curve = format!("SELECT cast(json_array_length(curve, '$.iops') AS text) {last}");
    let points: u32 = text(&curve).parse().unwrap();
    assert!(points > 50, "{points} points of a curve");

    // A review that is killed.
    let mut killed = program(
        dir,
        &["review", "sandisk-ultra-ii-240gb", "--out", "killed"],
    )
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    wait("it begins", || state() == "running");
    let served = Served::start(dir);
    let page = served.get("/live");
    assert!(
        page.contains("SanDisk Ultra II 240 GB") && page.contains("running"),
        "{page}"
    );
    killed.kill().unwrap();
    killed.wait().unwrap();
    lab.execute(
        "UPDATE progress SET seen_unix_ms = seen_unix_ms - 16000",
        [],
    )
    .unwrap();
    let page = served.get("/live/2");
    assert!(page.contains("<strong>Stopped.</strong>"), "{page}");
}
