//! The event queue: taking the next event and scheduling another, with a constant number
//! pending.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stend_base::{EventQueue, Nanos, Rng};

/// Delays of a busy drive, ns: a command on a core, a frame on the link, a transfer, a
/// sense, a program, an erase; each about as often as it comes in random writes.
const DELAYS_NS: [u64; 16] = [
    8_000, 8_000, 8_000, 8_000, 9_000, 9_000, 11_000, 11_000, 20_000, 20_000, 41_000, 41_000,
    60_000, 60_000, 400_000, 5_000_000,
];

/// Dies, channels, a link and cores, as a drive has them.
fn things(number: u32) -> [u32; 4] {
    [number - number / 8 - 4, number / 8, 1, 3]
}

/// Things that await nothing at any time.
const SILENT: u32 = 8;

fn pop_and_schedule(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("queue/pop-and-schedule");
    for pending in [40, 400] {
        let mut rng = Rng::stream(1, "queue");
        // Drawn beforehand: the queue is measured, not the generator.
        let delays: Vec<Nanos> = (0..1024)
            .map(|_| {
                let ns = DELAYS_NS[rng.below(DELAYS_NS.len() as u64) as usize];
                Nanos(ns + rng.below(ns / 8))
            })
            .collect();
        let things = things(pending + SILENT);
        let mut silent: Vec<(u8, u32)> = (0u8..)
            .zip(things)
            .flat_map(|(kind, number)| (0..number).map(move |index| (kind, index)))
            .collect();
        let mut queue = EventQueue::new(&things);
        for (&delay, (kind, index)) in delays.iter().zip(silent.drain(SILENT as usize..)) {
            queue.schedule(queue.now() + delay, kind, index);
        }
        group.throughput(Throughput::Elements(delays.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(pending), |bencher| {
            bencher.iter(|| {
                for (turn, &delay) in delays.iter().enumerate() {
                    let event = queue.pop().expect("events are pending");
                    let mut next = (event.kind, event.index);
                    // Mostly the same thing goes on; now and then it is another's turn.
                    if turn % 4 == 0 {
                        let other = turn / 4 % silent.len();
                        std::mem::swap(&mut next, &mut silent[other]);
                    }
                    queue.schedule(event.at + delay, next.0, next.1);
                    black_box(event);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pop_and_schedule);
criterion_main!(benches);
