//! Latencies: recording one, reading percentiles, adding two distributions.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stend_base::Rng;
use stend_load::jobfile::PERCENTILES;
use stend_load::stats::LatencyStats;

/// Latencies of random writes, ns: most of them near 350 µs, one in 64 up to 10 ms.
fn latencies() -> Vec<u64> {
    let mut rng = Rng::stream(1, "latency");
    (0..4096)
        .map(|_| match rng.below(64) {
            0 => 1_000_000 + rng.below(9_000_000),
            _ => 300_000 + rng.below(100_000),
        })
        .collect()
}

fn recorded(values: &[u64]) -> LatencyStats {
    let mut stats = LatencyStats::default();
    stats.reserve();
    for &ns in values {
        stats.record(ns);
    }
    stats
}

fn latency(criterion: &mut Criterion) {
    let values = latencies();
    let mut stats = recorded(&values);
    let mut group = criterion.benchmark_group("latency");
    group.throughput(Throughput::Elements(values.len() as u64));
    group.bench_function("record", |bencher| {
        bencher.iter(|| {
            for &ns in &values {
                stats.record(black_box(ns));
            }
        });
    });
    let stats = recorded(&values);
    group.throughput(Throughput::Elements(PERCENTILES.len() as u64));
    group.bench_function("percentiles", |bencher| {
        bencher.iter(|| {
            for percent in PERCENTILES {
                black_box(stats.percentile_ns(black_box(percent)));
            }
        });
    });
    let mut sum = recorded(&values);
    group.throughput(Throughput::Elements(1));
    group.bench_function("add", |bencher| bencher.iter(|| sum.add(black_box(&stats))));
    group.finish();
}

criterion_group!(benches, latency);
criterion_main!(benches);
