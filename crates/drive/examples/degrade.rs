//! Random 4 KiB writes at depth 32 on a shipped drive, one line for each virtual interval: a quick
//! look at a model's curve.
//!
//! `cargo run --release -p stend-drive --example degrade -- MODEL.toml SECONDS INTERVAL [AFTER]`:
//! with AFTER, writes for AFTER seconds more after 15 idle minutes, and again after TRIM.

#![allow(clippy::disallowed_methods)] // It prints how fast the simulation ran.

use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_model::Model;

fn write_random(drive: &mut SimDrive, rng: &mut Rng, seconds: u64, interval: u64) -> u64 {
    let pages = drive.capacity_bytes() / 4096;
    let start = drive.now();
    let end = start + Nanos::from_secs(seconds);
    for tag in 0..32 {
        drive.submit(Request {
            tag,
            op: Op::Write,
            offset_bytes: rng.below(pages) * 4096,
            len_bytes: 4096,
            ..Request::default()
        });
    }
    let (mut done, mut before) = (0u64, 0u64);
    let mut mark = start + Nanos::from_secs(interval);
    loop {
        match drive.advance(mark.min(end)) {
            Some(c) => {
                done += 1;
                drive.submit(Request {
                    tag: c.tag,
                    op: Op::Write,
                    offset_bytes: rng.below(pages) * 4096,
                    len_bytes: 4096,
                    ..Request::default()
                });
            }
            None => {
                let c = drive.counters();
                println!(
                    "{:8.0} s {:8.2} GB {:8.0} IOPS  free {:9} k pages, erased {:5}, WA {:.2}",
                    drive.now().since(start).as_secs_f64(),
                    done as f64 * 4096.0 / 1e9,
                    (done - before) as f64 / interval as f64,
                    drive.inspect().free_entry_pages() / 1000,
                    drive.inspect().erased_data_superblocks(),
                    c.write_amplification().unwrap_or(0.0),
                );
                before = done;
                if mark >= end {
                    break;
                }
                mark += Nanos::from_secs(interval);
            }
        }
    }
    while drive.advance(drive.now() + Nanos::from_secs(1)).is_some() {}
    done
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let model = Model::read(args[1].as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let mut drive = SimDrive::new(&model.spec());
    let mut rng = Rng::stream(1, "degrade");
    let seconds: u64 = args[2].parse().expect("seconds");
    let interval: u64 = args[3].parse().expect("interval");
    let began = std::time::Instant::now();
    let done = write_random(&mut drive, &mut rng, seconds, interval);
    let wall = began.elapsed().as_secs_f64();
    println!(
        "{done} writes, {wall:.2} s, {:.2} M/s, {:.2} M events/s",
        done as f64 / wall / 1e6,
        drive.counters().events as f64 / wall / 1e6
    );
    println!("{:?}", drive.counters());
    if let Some(after) = args.get(4) {
        let after: u64 = after.parse().expect("seconds");
        println!("-- 900 s idle");
        let limit: SimTime = drive.now() + Nanos::from_secs(900);
        assert!(drive.advance(limit).is_none());
        println!(
            "free {} k pages, erased {}",
            drive.inspect().free_entry_pages() / 1000,
            drive.inspect().erased_data_superblocks()
        );
        write_random(&mut drive, &mut rng, after, interval.min(10));
        println!("-- TRIM");
        drive.submit(Request {
            tag: 0,
            op: Op::Trim,
            offset_bytes: 0,
            len_bytes: drive.capacity_bytes(),
            ..Request::default()
        });
        drive.advance(SimTime::NEVER);
        write_random(&mut drive, &mut rng, after, interval.min(10));
    }
}
