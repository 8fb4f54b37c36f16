//! Speed of the simulated drive without a runner: a small drive, prepared once. The name of a
//! benchmark describes one iteration; the throughput is in requests.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stend_base::{Device, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_model::Model;

const MODEL: &str = include_str!("../../../benches/models/samsung-850-pro-scaled-8gb.toml");
const DEPTH: u64 = 32;
const BLOCK_BYTES: u64 = 128 << 10;

/// Sends `count` requests at depth 32.
fn run(drive: &mut SimDrive, op: Op, len_bytes: u64, count: u64, mut next: impl FnMut() -> u64) {
    let mut done = 0;
    for sent in 0..count + DEPTH.min(count) {
        if sent >= DEPTH.min(count) {
            drive.advance(SimTime::NEVER).expect("a request ends");
            done += 1;
        }
        if sent < count {
            drive.submit(Request {
                tag: 0,
                op,
                offset_bytes: next() * len_bytes,
                len_bytes,
                ..Request::default()
            });
        }
    }
    assert_eq!(done, count);
}

/// A drive written whole, in order.
fn filled() -> SimDrive {
    let model = Model::parse(MODEL, "benches/models").expect("the model is sound");
    let mut drive = SimDrive::new(&model.spec());
    let blocks = drive.capacity_bytes() / BLOCK_BYTES;
    let mut all = 0..blocks;
    run(&mut drive, Op::Write, BLOCK_BYTES, blocks, || {
        all.next().expect("as many as blocks")
    });
    drive
}

/// A drive overwritten once at random.
fn overwritten(mut drive: SimDrive) -> SimDrive {
    let pages = drive.capacity_bytes() / 4096;
    let mut rng = Rng::stream(1, "prepare");
    run(&mut drive, Op::Write, 4096, pages, || rng.below(pages));
    drive
}

fn drive(criterion: &mut Criterion) {
    let filled = filled();
    let steady = overwritten(filled.clone());
    let mut group = criterion.benchmark_group("drive");
    group.sample_size(20);
    group.bench_function("clone of a prepared drive", |bencher| {
        bencher.iter_batched(
            || (),
            |()| black_box(steady.clone()),
            // Each copy is dropped outside the measured time.
            BatchSize::PerIteration,
        );
    });
    let pages = steady.capacity_bytes() / 4096;
    let mut rng = Rng::stream(1, "measure");
    for (name, op) in [
        ("random-write-4k-steady", Op::Write),
        ("random-read-4k", Op::Read),
    ] {
        const REQUESTS: u64 = 10_000;
        // The drive continues from one iteration to the next: its state is steady.
        let mut drive = steady.clone();
        group.throughput(Throughput::Elements(REQUESTS));
        group.bench_function(format!("{name} x {REQUESTS}"), |bencher| {
            bencher.iter(|| run(&mut drive, op, 4096, REQUESTS, || rng.below(pages)));
        });
    }
    const REQUESTS: u64 = 1_000;
    // Written in order again and again, the drive finds its superblocks without valid pages.
    let mut drive = filled;
    let blocks = drive.capacity_bytes() / BLOCK_BYTES;
    let mut order = (0..blocks).cycle();
    group.throughput(Throughput::Elements(REQUESTS));
    group.bench_function(format!("sequential-write-128k x {REQUESTS}"), |bencher| {
        bencher.iter(|| {
            run(&mut drive, Op::Write, BLOCK_BYTES, REQUESTS, || {
                order.next().expect("a cycle has no end")
            });
        });
    });
    group.finish();
}

criterion_group!(benches, drive);
criterion_main!(benches);
