//! Event queue: takes the next event and schedules another, with a constant number pending.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stend_base::{EventQueue, Lane, Nanos, Rng};

/// Delays in a busy drive, ns: a command on a core, a frame on the link, a transfer, a sense, a
/// program, an erase; each about as often as in random writes.
const DELAYS_NS: [u64; 16] = [
    8_000, 8_000, 8_000, 8_000, 9_000, 9_000, 11_000, 11_000, 20_000, 20_000, 41_000, 41_000,
    60_000, 60_000, 400_000, 5_000_000,
];

/// Lane of a delay, chosen as a drive does.
fn lane(delay: Nanos) -> Lane {
    match delay.0 {
        0..10_500 => Lane::Core,
        10_500..15_000 => Lane::Link,
        15_000..55_000 => Lane::Move,
        55_000..100_000 => Lane::Sense,
        _ => Lane::Work,
    }
}

/// Number of sources that have no pending event at any time.
const SILENT: u32 = 8;

fn pop_and_schedule(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("queue/pop-and-schedule");
    for pending in [40, 400] {
        let mut rng = Rng::stream(1, "queue");
        // Drawn beforehand: the benchmark measures the queue, not the generator.
        let delays: Vec<Nanos> = (0..1024)
            .map(|_| {
                let ns = DELAYS_NS[rng.below(DELAYS_NS.len() as u64) as usize];
                Nanos(ns + rng.below(ns / 8))
            })
            .collect();
        let mut silent: Vec<u32> = (0..pending + SILENT).collect();
        let mut queue = EventQueue::new(&[pending + SILENT]);
        for (&delay, source) in delays.iter().zip(silent.drain(SILENT as usize..)) {
            queue.schedule(lane(delay), queue.now() + delay, 0, source);
        }
        group.throughput(Throughput::Elements(delays.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(pending), |bencher| {
            bencher.iter(|| {
                for (turn, &delay) in delays.iter().enumerate() {
                    let event = queue.pop().expect("events are pending");
                    let mut next = event.source;
                    // Mostly the same source continues; every fourth time another one does.
                    if turn % 4 == 0 {
                        let other = turn / 4 % silent.len();
                        std::mem::swap(&mut next, &mut silent[other]);
                    }
                    queue.schedule(lane(delay), event.at + delay, 0, next);
                    black_box(event);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pop_and_schedule);
criterion_main!(benches);
