//! Broken output and logs of fio: parsed or refused with a reason, never a panic.

#[path = "../../stend/tests/fuzz/changes.rs"]
mod changes;

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use changes::fuzz;
use stend_record::fio::Job;

use crate::fio::samples::{self, JobLogs};
use crate::fio::{every_request, latency_log, log, program};
use crate::probe::smartctl;
use crate::process::tools::ToolOutput;

const DOCUMENT: &str = include_str!("../tests/data/fio-3.33.json");

fn said(status: i32) -> ToolOutput {
    ToolOutput {
        status: ExitStatus::from_raw(status << 8),
        stdout: String::new(),
        stderr: "fio: something".to_owned(),
    }
}

#[test]
fn answers_of_fio() {
    let warned = format!("fio: a warning\n{DOCUMENT}");
    fuzz(
        "fio's answers",
        vec![DOCUMENT.to_owned(), warned],
        60,
        |text| {
            let _ = program::judge(&said(1), text).unwrap_err().to_string();
            match program::judge(&said(0), text) {
                Ok(output) => {
                    let short = |job: &Job| job.read.runtime.max(job.write.runtime) < 1 << 24;
                    if output.jobs.iter().all(short) {
                        samples::add_up(&[], &output, 1000);
                    }
                    true
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    false
                }
            }
        },
    );
}

#[test]
fn logs_of_fio() {
    let output = program::judge(&said(0), DOCUMENT).unwrap();
    let log = "1000, 5120, 0, 0, 0\n2000, 6144, 0, 0, 0\n2000, 512, 1, 0, 0\n3001, 5000, 0, 0, 0\n";
    let latencies = "1700000000100, 85000, 0, 4096, 0\n1700000000101, 91000, 0, 4096, 81920\n";
    fuzz(
        "fio's logs",
        vec![log.to_owned(), latencies.to_owned()],
        1_000,
        |text| {
            let Ok(rows) = log::rows(text) else {
                return false;
            };
            every_request::requests(&rows);
            let logs = JobLogs {
                bw: rows.clone(),
                iops: rows,
                latency: latency_log::rows(text).unwrap_or_default(),
            };
            samples::start_ms(std::slice::from_ref(&logs), 100);
            samples::add_up(&[logs], &output, 100);
            true
        },
    );
}

#[test]
fn answers_of_smartctl() {
    let source = include_str!("../tests/data/smartctl-failing.json");
    fuzz("smartctl's answers", vec![source.to_owned()], 60, |text| {
        let statuses = [0, 2, 4, 255];
        let read = statuses.map(|status| smartctl::read(text, status, "words").is_ok());
        read[0]
    });
}
