//! Each published behaviour comes from a mechanism: without the mechanism, or with a different size
//! of it, the behaviour disappears or changes. The tests observe the drive as a reviewer does,
//! through requests. One module per family of mechanisms.

#![allow(missing_docs)]

mod blocks;
mod caches;
mod curve;
mod dies;
mod host;
mod media;
mod policy;
mod power;
mod power_loss;

use stend_analysis::{LevelKind, steps};
use stend_load::target::{JobRequest, Target};
use stend_model::{Model, SHIPPED};
use stend_record::review::{Pattern, PointOp, Sample, Series, SeriesPoint};
use stend_simulated::SimulatedTarget;

const GB: f64 = 1e9;

/// A shipped model with `change` applied.
fn drive(name: &str, change: impl FnOnce(&mut Model)) -> SimulatedTarget {
    let mut model = Model::shipped(name).expect("a shipped model");
    change(&mut model);
    SimulatedTarget::new(model)
}

/// A shipped model with tables added to its file.
fn model_with(name: &str, tables: &str) -> Model {
    let shipped = SHIPPED.iter().find(|s| s.name == name);
    let text = format!("{}\n{tables}", shipped.expect("a shipped model").text);
    Model::parse(&text, "changed.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// A shipped model with tables added to its file, and `change` applied.
fn drive_with(name: &str, tables: &str, change: impl FnOnce(&mut Model)) -> SimulatedTarget {
    let mut model = model_with(name, tables);
    change(&mut model);
    SimulatedTarget::new(model)
}

/// Formats a figure as in a drive file.
fn figure(key: &str, value: impl std::fmt::Display) -> String {
    format!("{key} = {{ value = {value}, source = \"assumed: for a test\" }}\n")
}

/// Runs a job and returns its result in fio's format; `body` has the lines of its section.
fn job(target: &mut dyn Target, body: &str) -> stend_record::fio::Job {
    let text = format!("[job]\n{body}\n");
    let request = JobRequest {
        text: &text,
        seed: 7,
        sample_ms: 1000,
    };
    let outcome = target.run(&request).expect("the job runs");
    outcome.fio.jobs.into_iter().next().expect("one job")
}

/// A percentile of the completion latency, ns; `key` is fio's name for it.
fn percentile(direction: &stend_record::fio::Direction, key: &str) -> u64 {
    let all = direction.clat_ns.percentile.as_ref();
    *all.and_then(|p| p.get(key)).expect("it has percentiles")
}

/// Samples random 4 KiB writes at depth 32 for `seconds` seconds.
fn write(target: &mut dyn Target, seconds: u32, sample_ms: u32) -> Series {
    let text = format!(
        "[write]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\ntime_based\nruntime={seconds}\n"
    );
    let outcome = target
        .run(&JobRequest {
            text: &text,
            seed: 7,
            sample_ms,
        })
        .expect("the job runs");
    Series::of(
        "write",
        SeriesPoint {
            op: PointOp::Write,
            pattern: Pattern::Random,
            block_bytes: 4096,
            queue_depth: 32,
        },
        f64::from(sample_ms) / 1e3,
        outcome
            .samples
            .iter()
            .map(|row| Sample {
                t_s: row.t_s,
                written_bytes: row.written_bytes,
                iops: row.write_iops,
            })
            .collect(),
    )
}

/// Brings a drive into the state in which reviewers begin: filled once, trimmed completely, at rest
/// for a quarter of an hour. Its cache differs from a new drive's: it still holds data.
fn clean(mut target: SimulatedTarget) -> SimulatedTarget {
    job(&mut target, "rw=write\nbs=128k\niodepth=32");
    target.trim_all().expect("it takes TRIM");
    target.idle(900.0).expect("it rests");
    target
}

/// Levels of a curve, as (GB at the end, IOPS).
fn levels(series: &Series) -> Vec<(f64, f64)> {
    steps(series)
        .into_iter()
        .filter(|level| level.kind == LevelKind::Level)
        .map(|level| (level.to_bytes as f64 / GB, level.iops_mean))
        .collect()
}

fn about(got: f64, expected: f64) -> bool {
    (got / expected - 1.0).abs() <= 0.1
}

/// A demonstration drive that was overwritten several times, and the curve of these writes.
fn preconditioned(change: impl FnOnce(&mut Model)) -> (SimulatedTarget, Series) {
    let mut target = drive("demo-8gb", change);
    let curve = write(&mut target, 2_500, 1000);
    (target, curve)
}
