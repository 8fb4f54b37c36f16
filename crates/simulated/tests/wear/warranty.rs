//! Test that no drive fails before its warranty ends: under the load for which its rating is valid,
//! the cycles of its flash last for the rated bytes.
//!
//! The figures of JESD219's load for data centers are public: sizes of requests, and half of them
//! on a twentieth of the drive. Its load for clients is a trace that is not public; the shipped
//! desktop profiles replace it, replayed one after another on a full drive. The bytes that a drive
//! endures follow from the cycles that the load costs: a drive ends when the first of its dies has
//! no spare block left, which the edition `endurance` finds at 71 to 77 % of the median life of a
//! block.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use stend_base::{Device, Op, Request, Rng, SimTime};
use stend_drive::{Counters, SimDrive};
use stend_load::trace::{ReplayOptions, replay};
use stend_model::health::Health;
use stend_model::spec::PAGE_BYTES;

use crate::cache::traces;
use crate::load::{fill, native_for_each_byte, rest};
use crate::small::{flash_bytes, shipped};

/// Drives that their makers rate by the load for data centers.
const DATA_CENTER: [&str; 2] = ["samsung-pm863-480gb", "samsung-sm863-480gb"];
/// Minimum life of a drive, percent of the median life of a block.
const BORNE_PERCENT: f64 = 70.0;
/// Sizes of requests in sectors of 512 bytes, and the percentage of requests with each (JESD219,
/// load for data centers).
const SIZES: [(u64, u64); 12] = [
    (1, 4),
    (2, 1),
    (3, 1),
    (4, 1),
    (5, 1),
    (6, 1),
    (7, 1),
    (8, 67),
    (16, 10),
    (32, 7),
    (64, 3),
    (128, 3),
];
const SECTOR_BYTES: u64 = 512;

/// Bytes that a drive endures, and bytes for which it is rated.
struct Borne {
    name: String,
    borne: f64,
    rated: f64,
}

/// Returns offset and length of the next write of the load for data centers.
fn next_write(rng: &mut Rng, capacity_bytes: u64) -> (u64, u64) {
    let mut nth = rng.below(100);
    let size = SIZES.iter().find(|&&(_, share)| {
        let is_it = nth < share;
        nth = nth.wrapping_sub(share);
        is_it
    });
    let len = size.expect("the shares are a hundred").0 * SECTOR_BYTES;
    // Half of the requests go to 5 % of the drive, 30 % to the next 15 %, the others to the rest.
    let (first, end) = match rng.below(100) {
        0..50 => (0, 5),
        50..80 => (5, 20),
        _ => (20, 100),
    };
    let place = |percent: u64| capacity_bytes / 100 * percent / PAGE_BYTES;
    let page = place(first) + rng.below(place(end) - place(first));
    let offset = match len < PAGE_BYTES {
        true => page * PAGE_BYTES + rng.below(8 - len / SECTOR_BYTES) * SECTOR_BYTES,
        false => page * PAGE_BYTES,
    };
    (offset.min(capacity_bytes - len), len)
}

/// Writes `bytes` as the load for data centers does.
fn write_as_data_center(drive: &mut SimDrive, bytes: u64) {
    const DEPTH: u32 = 32;
    let mut rng = Rng::stream(1, "data center");
    let mut sent = 0;
    let mut submit = |drive: &mut SimDrive, tag: u32| {
        let (offset_bytes, len_bytes) = next_write(&mut rng, drive.capacity_bytes());
        drive.submit(Request {
            tag,
            op: Op::Write,
            offset_bytes,
            len_bytes,
            ..Request::default()
        });
        sent += len_bytes;
        sent < bytes
    };
    (0..DEPTH).for_each(|tag| _ = submit(drive, tag));
    while let Some(done) = drive.advance(SimTime::NEVER)
        && submit(drive, done.tag)
    {}
    while drive.advance(SimTime::NEVER).is_some() {}
}

/// Health and counters of a drive at the present instant.
fn now(drive: &SimDrive) -> (Health, Counters) {
    (drive.health(), drive.counters())
}

/// Bytes that a drive endures of a load that caused the wear since an instant. Data programmed in
/// the native mode is eventually erased, and erased blocks may have been programmed in the SLC
/// mode: the wear of the data area is the greater of both.
fn bytes_borne(drive: &SimDrive, (health, counters): &(Health, Counters)) -> f64 {
    let spec = drive.spec();
    let life = spec.blocks.as_ref().expect("its blocks wear").life_cycles;
    let after = drive.health();
    let written = (after.host_written_bytes - health.host_written_bytes) as f64;
    let slc = |health: &Health| health.slc_cycles.map_or(0.0, |cycles| cycles.mean);
    let bits = u64::from(spec.data.timing.pages_per_word_line());
    let at_once = spec.one_shot.map_or(1, |_| bits) as f64;
    let native = native_for_each_byte(drive, counters, bits) * written * at_once;
    let erased = after.cycles.mean - health.cycles.mean;
    let data = erased.max(native / flash_bytes(spec) as f64);
    let spent = [slc(&after) - slc(health), data];
    let of_pool = |(spent, life): (f64, u32)| match life {
        u32::MAX => f64::INFINITY,
        _ => f64::from(life) * BORNE_PERCENT / 100.0 / spent * written,
    };
    let pools = spent.into_iter().zip(life).map(of_pool);
    pools.fold(f64::INFINITY, f64::min)
}

fn borne(name: &str) -> Option<Borne> {
    let model = shipped(name);
    let rated = model.rated_bytes()? as f64;
    let mut drive = SimDrive::new(&model.spec());
    drive.share();
    let capacity = drive.capacity_bytes();
    fill(&mut drive, capacity);
    let before = match DATA_CENTER.contains(&name) {
        true => {
            write_as_data_center(&mut drive, capacity);
            let before = now(&drive);
            write_as_data_center(&mut drive, capacity / 2);
            before
        }
        false => {
            replay_all(&mut drive, capacity / 5);
            let before = now(&drive);
            replay_all(&mut drive, capacity / 5);
            before
        }
    };
    Some(Borne {
        name: name.to_owned(),
        borne: bytes_borne(&drive, &before),
        rated,
    })
}

/// Replays all traces, with a rest of ten minutes after each pass, until they have written `bytes`.
fn replay_all(drive: &mut SimDrive, bytes: u64) {
    let before = drive.health().host_written_bytes;
    while drive.health().host_written_bytes < before + bytes {
        for trace in traces() {
            replay(drive, &*trace, &ReplayOptions::default()).expect("it fits");
        }
        rest(drive, 600);
    }
}

#[test]
#[ignore = "minutes: cargo test --release -p stend-simulated --test wear -- --ignored --nocapture"]
fn no_drive_dies_before_its_warranty() {
    let names: Vec<&str> = stend_model::SHIPPED.iter().map(|of| of.name).collect();
    let next = AtomicUsize::new(0);
    let some = || {
        let mut all = Vec::new();
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            all.extend(borne(name));
        }
        all
    };
    let mut all = thread::scope(|scope| {
        let other = scope.spawn(some);
        let mut all = some();
        all.extend(other.join().expect("it ends"));
        all
    });
    all.sort_by(|a, b| a.name.cmp(&b.name));
    for Borne { name, borne, rated } in &all {
        let (borne, rated, times) = (borne / 1e12, rated / 1e12, borne / rated);
        println!("{name:<34} bears {borne:>6.0} TB, rated {rated:>5.0} TB: {times:.2} times");
    }
    assert!(all.len() > 20);
    let short = all.iter().find(|of| of.borne < of.rated);
    assert!(short.is_none(), "{} dies early", short.expect("it is").name);
}
