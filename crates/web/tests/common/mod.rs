//! Parts that the tests share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use stend_lab::recorded::{self, NewRecord};
use stend_lab::studies::{self, StudyContext};
use stend_lab::{Lab, Program, RecordedKind, RunContext};
use stend_record::endurance::Health;
use stend_record::fio::{Direction, Job, Latency, Output};
use stend_record::load::Load;
use stend_record::review::{
    Condition, Pattern, Point, Results, Review, SCHEMA, Sample, Series, SeriesPoint, TargetInfo,
    TargetKind, TestResult,
};
use stend_record::smart::{BeforeAfter, Reading};
use stend_record::study::{Cell, StudyRow};
use stend_web::App;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// The present time in all tests, ms since 1970.
pub const NOW_UNIX_MS: i64 = 1_790_000_000_000;

pub const PORT: u16 = 7070;

/// A lab in a temporary folder, and its pages.
pub struct Bench {
    pub folder: Arc<TempDir>,
    pub app: Arc<App>,
    pages: Router,
    runtime: Runtime,
}

pub fn program() -> Program {
    Program {
        id: "the tests".to_owned(),
        version: "0.1.0",
        commit: None,
        now_unix_ms: || NOW_UNIX_MS,
    }
}

impl Bench {
    pub fn new() -> Bench {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let app = Arc::new(App::new(
            folder.path().join("lab.db"),
            PORT,
            program(),
            |_| 2,
        ));
        Bench::of(folder, app)
    }

    /// Returns the same lab, served by another program.
    pub fn served_by(&self, app: Arc<App>) -> Bench {
        Bench::of(Arc::clone(&self.folder), app)
    }

    fn of(folder: Arc<TempDir>, app: Arc<App>) -> Bench {
        Bench {
            folder,
            pages: stend_web::router(Arc::clone(&app)),
            app,
            runtime: Builder::new_current_thread()
                .enable_time()
                .build()
                .expect("a runtime"),
        }
    }

    /// Creates a bench with these reviews in the lab.
    pub fn with(reviews: &[Review]) -> Bench {
        let bench = Bench::new();
        let mut lab = bench.lab();
        for review in reviews {
            save(&mut lab, review);
        }
        bench
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("lab.db")
    }

    pub fn lab(&self) -> Lab {
        Lab::open(&self.path()).expect("a lab")
    }

    /// Returns the response to a request.
    pub fn answer(&self, request: Request<Body>) -> Answer {
        self.runtime.block_on(async {
            let response = self.pages.clone().oneshot(request).await;
            Answer::of(response.expect("pages never fail")).await
        })
    }

    pub fn get(&self, path: &str) -> Answer {
        self.answer(get(path))
    }

    /// Returns the body of a page that must exist.
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    /// Posts fields with the token.
    pub fn post(&self, path: &str, fields: &str) -> Answer {
        let fields = format!("token={}&{fields}", self.app.token());
        self.answer(post(path, &fields))
    }
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: header::HeaderMap,
    pub body: String,
}

impl Answer {
    async fn of(response: Response<Body>) -> Answer {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.get(name);
        found.map_or("", |value| value.to_str().expect("a text"))
    }
}

pub fn get(path: &str) -> Request<Body> {
    Request::get(path)
        .header(header::HOST, format!("127.0.0.1:{PORT}"))
        .body(Body::empty())
        .expect("a request")
}

pub fn post(path: &str, fields: &str) -> Request<Body> {
    Request::post(path)
        .header(header::HOST, format!("127.0.0.1:{PORT}"))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(fields.to_owned()))
        .expect("a request")
}

/// A review with a test of a point and one of a curve.
pub fn review(title: &str, kind: TargetKind, edition: &str) -> Review {
    let fact = |id: &'static str, value: &str| Condition::new(id, value);
    let samples = (1..=60_u32).map(|t| Sample {
        t_s: f64::from(t),
        written_bytes: 40_960_000 * u64::from(t),
        iops: 10_000.0,
    });
    let mut facts = vec![
        fact("interface", "SATA 6 Gbit/s"),
        fact("flash", "SanDisk 19 nm TLC: 4 dies"),
    ];
    if kind == TargetKind::Simulated {
        facts.push(fact("release-year", "2014"));
    } else {
        facts.push(fact("serial-number", "S3EVNX0J500123A"));
    }
    let point = Point {
        load: Load::write(Pattern::Random, 4096, 1),
        duration_s: 60.0,
        iops: 10_000.0,
        bw_bytes_per_s: 40_960_000.0,
        ..Point::default()
    };
    let curve = Series {
        name: "fresh".to_owned(),
        point: SeriesPoint::from(&Load::write(Pattern::Random, 4096, 32)),
        interval_s: 1.0,
        samples: samples.collect(),
        ..Series::default()
    };
    Review {
        schema: SCHEMA.to_owned(),
        edition: edition.to_owned(),
        edition_title: format!("The edition {edition}").into(),
        target: TargetInfo {
            name: title.to_owned(),
            title: title.to_owned(),
            kind,
            capacity_bytes: 240_057_409_536,
            facts,
            ..TargetInfo::default()
        },
        seed: 1,
        duration_scale: 1.0,
        complete: true,
        tests: vec![
            TestResult {
                id: "random".to_owned(),
                title: "Random write".to_owned().into(),
                method: "4 KiB".to_owned().into(),
                results: Some(Results::Points(vec![point])),
                ..TestResult::default()
            },
            TestResult {
                id: "degradation".to_owned(),
                title: "Random write".to_owned().into(),
                method: "4 KiB".to_owned().into(),
                results: Some(Results::Curve(vec![curve])),
                ..TestResult::default()
            },
        ],
        ..Review::default()
    }
}

/// SMART data before and after a review.
pub fn smart() -> BeforeAfter {
    let reading = |bytes: u64, celsius: i64| Reading {
        health: Health {
            host_written_bytes: Some(bytes),
            used_percent: Some(3),
            temperature_c: Some(celsius),
            ..Health::default()
        },
        document: json!({"model_name": "850 EVO"}),
    };
    BeforeAfter {
        before: Some(reading(1_000_000_000_000, 31)),
        after: Some(reading(1_500_000_000_000, 44)),
        missing: None,
    }
}

/// Saves a review as a run.
pub fn save(lab: &mut Lab, review: &Review) {
    let context = RunContext {
        folder: Path::new("reviews"),
        measurement_key: None,
        edition_sha256: "0",
        stend_version: "0.1.0",
        stend_commit: None,
        now_unix_ms: NOW_UNIX_MS - 60_000,
    };
    let run = lab.begin(review, &context).expect("a run");
    lab.save(run, review, &context).expect("it is saved");
}

/// Saves a study of a drive with one factor: two of its four rows are done.
pub fn study(lab: &mut Lab, name: &str, model: &str, begun_unix_ms: i64) {
    let factor = "cache blocks".to_owned();
    let title = format!("The study {name}");
    let definition = json!({
        "schema": "stend.study/1", "name": name, "title": title, "models": [model],
        "factor": [{"name": factor, "key": "slc_cache.blocks_per_plane", "values": [40, 70]}],
        "seeds": [1, 2],
        "job": [{"name": "write", "text": "[w]\nrw=randwrite\nbs=4k\nruntime=1\ntime_based=1"}],
    });
    let context = StudyContext {
        name,
        title: &title,
        definition: &definition.to_string(),
        factors: &[factor],
        duration_scale: 1.0,
        rows_planned: 4,
        folder: Path::new("studies"),
        stend_version: "0.1.0",
        stend_commit: None,
        now_unix_ms: begun_unix_ms,
    };
    let rows = [40, 70].map(|blocks: i64| StudyRow {
        number: blocks as u64,
        model: model.to_owned(),
        factors: vec![Cell::Whole(blocks)],
        seed: 1,
        job: "write".to_owned(),
        outcomes: vec![("iops".to_owned(), 100.0 * blocks as f64)],
        error: None,
    });
    let rows = rows.map(|row| (format!("{name} {}", row.number), row));
    let id = studies::begin(lab, &context).expect("a study");
    studies::save(lab, id, &rows, &context).expect("rows");
}

/// The result of a job of reads, writes and flushes.
pub fn job_result() -> Value {
    let direction = |iops: f64, ms: f64| Direction {
        io_bytes: 4096,
        bw_bytes: (iops * 4096.0) as u64,
        iops,
        total_ios: 1234,
        clat_ns: Latency {
            n: 1234,
            mean: ms * 1e6,
            max: (ms * 9e6) as u64,
            percentile: Some([("99.000000".to_owned(), (ms * 3e6) as u64)].into()),
            ..Latency::default()
        },
        ..Direction::default()
    };
    let output = Output {
        fio_version: "fio-3.33".to_owned(),
        jobs: vec![Job {
            jobname: "mixed".to_owned(),
            read: direction(75_000.0, 0.25),
            write: direction(25_000.0, 1.5),
            ..Job::default()
        }],
        ..Output::default()
    };
    serde_json::to_value(output).expect("JSON")
}

/// The result of a replay.
pub fn replay_result() -> Value {
    json!({
        "schema": "stend.replay/1", "timing": "original", "depth": 32, "replayed_share": 0.5,
        "elapsed_ns": 9_500_000_000_u64, "busy_ns": 1_250_000_000_u64, "busy_periods": 7,
        "left_out_ns": 0, "busy_mb_per_s": 123.4, "late_requests": 3,
        "lateness_ns_mean": 2500.0, "lateness_ns_max": 9000,
        "ops": {
            "read": {"requests": 10, "bytes": 40_960_000, "latency_ns_mean": 85_000.0,
                "latency_ns_p50": 80_000, "latency_ns_p99": 99_000, "latency_ns_max": 125_000},
            "write": {"requests": 0, "bytes": 0, "latency_ns_mean": null, "latency_ns_p50": null,
                "latency_ns_p99": null, "latency_ns_max": null},
        },
        "warnings": ["it was late"], "limits": ["the first half alone"],
    })
}

/// Records a job or, where `job` is `None`, a replay.
pub fn record(lab: &mut Lab, on: &Review, name: &str, job: Option<&str>, result: &Value) {
    let new = NewRecord {
        kind: match job {
            Some(_) => RecordedKind::Run,
            None => RecordedKind::Replay,
        },
        target: &on.target,
        label: None,
        note: None,
        name,
        job,
        seed: 1,
        command: &format!("stend run {name} --on x"),
        result,
        stend_version: "0.1.0",
        stend_commit: None,
        begun_unix_ms: NOW_UNIX_MS - 30_000,
        now_unix_ms: NOW_UNIX_MS,
    };
    recorded::save(lab, &new).expect("it is recorded");
}

/// Copies the first of two runs in the database until there are `runs` runs.
pub fn multiply(lab: &Path, runs: i64) {
    let mut connection = Connection::open(lab).expect("the lab");
    let within = connection.transaction().expect("a transaction");
    for run in 3..=runs {
        within
            .execute(
                "INSERT INTO runs SELECT ?1, 'copy ' || ?1, drive, target, capacity_bytes, edition,
                    edition_title, edition_sha256, seed, duration_scale, state, command, folder,
                    stend_version, stend_commit, begun_unix_ms - ?1 * 3600000, saved_unix_ms, rest,
                    label, note, measurement_key
                 FROM runs WHERE id = 1",
                [run],
            )
            .expect("a run");
        within
            .execute(
                "INSERT INTO conditions SELECT ?1, kind, position, name, value, of_name, text
                 FROM conditions
                 WHERE run = 1",
                [run],
            )
            .expect("conditions");
        for nth in 0..6 {
            within
                .execute(
                    "INSERT INTO tests (run, position, test, title, method, state, saved_unix_ms,
                        sha256, rest) VALUES (?1, ?2, ?3, '', '', 'finished', 0, '', '{}')",
                    params![run, nth, format!("test-{nth}")],
                )
                .expect("a test");
        }
    }
    within.commit().expect("all of it");
}
