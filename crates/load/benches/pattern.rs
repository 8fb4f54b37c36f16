//! Random patterns: drawing the next block of a drive of 240 GB.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stend_base::Rng;
use stend_load::jobfile::{Distribution, Generator};
use stend_load::pattern::RandomBlocks;

const BLOCKS: u64 = 58_607_766;
const DRAWS: u64 = 1_024;

fn pattern(criterion: &mut Criterion) {
    let zipf = Distribution::Zipf { theta: 1.2 };
    let pareto = Distribution::Pareto { h: 0.3 };
    let mut group = criterion.benchmark_group("pattern");
    group.throughput(Throughput::Elements(DRAWS));
    for (name, map, generator, distribution) in [
        ("uniform", false, Generator::Random, Distribution::Uniform),
        ("each-once", true, Generator::Random, Distribution::Uniform),
        ("lfsr", true, Generator::Lfsr, Distribution::Uniform),
        ("zipf", false, Generator::Random, zipf),
        ("pareto", false, Generator::Random, pareto),
    ] {
        let rng = Rng::stream(1, "pattern");
        let mut blocks = RandomBlocks::new(BLOCKS, map, generator, distribution, rng);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for _ in 0..DRAWS {
                    black_box(blocks.next_index());
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pattern);
criterion_main!(benches);
