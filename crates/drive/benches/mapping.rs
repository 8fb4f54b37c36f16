//! Speed of the mapping table without timing: random 4 KiB writes to a full drive of real size; the
//! oldest multi-plane page is emptied first. This is the upper limit for simulated writes.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stend_base::Rng;
use stend_drive::sim::MappingLog;
use stend_model::Model;

/// Number of writes by which an entry is fetched ahead.
const AHEAD: usize = 16;

fn mapping(criterion: &mut Criterion) {
    let spec = Model::shipped("samsung-850-pro-256gb")
        .expect("it is shipped")
        .spec();
    let mut log = MappingLog::new(&spec);
    let mut rng = Rng::stream(1, "mapping");
    let pages = u64::from(log.pages());
    let mut ahead = [0u32; AHEAD];
    let mut group = criterion.benchmark_group("mapping");
    group.sample_size(20);
    const WRITES: u64 = 100_000;
    group.throughput(Throughput::Elements(WRITES));
    let (mut written, before) = (0, log.moved());
    group.bench_function(format!("random-write-4k x {WRITES}"), |bencher| {
        bencher.iter(|| {
            for turn in 0..WRITES as usize {
                let page = rng.below(pages) as u32;
                log.expect(page);
                log.write(std::mem::replace(&mut ahead[turn % AHEAD], page));
            }
            written += WRITES;
        });
    });
    println!(
        "write amplification {:.2}, the superblocks never being sorted by what is valid",
        1.0 + (log.moved() - before) as f64 / written.max(1) as f64
    );
    group.finish();
}

criterion_group!(benches, mapping);
criterion_main!(benches);
