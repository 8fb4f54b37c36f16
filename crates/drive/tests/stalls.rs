//! No drive stops: shipped drives under the loads that need most space, with the longest request
//! and the longest time without a completion.
//!
//! `STEND_STALLS_OF=all` or `=NAME,…` selects the drives, `STEND_STALLS_SCALE=N` an N-th of their
//! capacity (1: whole drives), `STEND_STALLS_LOADS=NAME,…` the loads. Everything, in three minutes:
//! `STEND_STALLS_OF=all STEND_STALLS_SECONDS=2000 cargo test --release -p stend-drive --lib
//! no_drive_stands_still -- --nocapture`.

use std::env::var;
use std::sync::Mutex;

use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_model::{Model, SHIPPED};

use crate::tests::common::PAGE;

/// Upper limit of a request's latency, and of the time from a completion to the next.
const LATENCY_MAX: Nanos = Nanos::from_secs(1);

/// Upper limit of the time from a completion to the next on drives with a fraction of the capacity:
/// a wait for a whole superblock there takes less than a second, though it takes several on whole
/// drives.
const GAP_MAX_SCALED: Nanos = Nanos::from_millis(300);

/// Longer than any load.
const WITHOUT_END: Nanos = Nanos::from_secs(1_000_000);

const SEQUENTIAL_BYTES: u64 = 128 << 10;

/// Longest times during a load.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    requests: u64,
    read_ns_max: u64,
    write_ns_max: u64,
    flush_ns_max: u64,
    gap_ns_max: u64,
    bytes: u64,
    ns: u64,
}

impl Seen {
    fn longest(&self) -> Nanos {
        let all = [
            self.read_ns_max,
            self.write_ns_max,
            self.flush_ns_max,
            self.gap_ns_max,
        ];
        Nanos(all.into_iter().max().expect("four"))
    }

    fn print(&self, name: &str, load: &str) {
        let ms = |ns: u64| ns as f64 / 1e6;
        println!(
            "{name:30} {load:10} {:5} MB/s (decimal), longest read {:7.1}, write {:7.1}, flush \
             {:7.1}, gap {:7.1} ms",
            self.bytes * 1_000 / self.ns.max(1),
            ms(self.read_ns_max),
            ms(self.write_ns_max),
            ms(self.flush_ns_max),
            ms(self.gap_ns_max),
        );
    }
}

/// Sends requests of `next` at this depth, until `bytes_max` have been sent or the time is over.
fn run(
    drive: &mut SimDrive,
    depth: u32,
    (bytes_max, time): (u64, Nanos),
    mut next: impl FnMut() -> (Op, u64, u64),
) -> Seen {
    let mut seen = Seen::default();
    let start = drive.now();
    let mut sent = vec![(start, Op::Read); depth as usize];
    let mut submit = |drive: &mut SimDrive, tag: u32, sent: &mut Vec<(SimTime, Op)>| {
        let (op, offset_bytes, len_bytes) = next();
        sent[tag as usize] = (drive.now(), op);
        drive.submit(Request {
            tag,
            op,
            offset_bytes,
            len_bytes,
            ..Request::default()
        });
        len_bytes
    };
    for tag in 0..depth {
        seen.bytes += submit(drive, tag, &mut sent);
    }
    let (mut outstanding, mut last) = (depth, start);
    while outstanding > 0 {
        let completion = drive.advance(SimTime::NEVER);
        let completion = completion
            .unwrap_or_else(|| panic!("it stands still: {}", drive.inspect().diagnosis()));
        outstanding -= 1;
        seen.requests += 1;
        let (at, op) = sent[completion.tag as usize];
        let longest = match op {
            Op::Read => &mut seen.read_ns_max,
            Op::Flush => &mut seen.flush_ns_max,
            Op::Write | Op::Trim => &mut seen.write_ns_max,
        };
        *longest = (*longest).max(completion.at.since(at).0);
        seen.gap_ns_max = seen.gap_ns_max.max(completion.at.since(last).0);
        last = completion.at;
        if seen.bytes < bytes_max && completion.at.since(start) < time {
            seen.bytes += submit(drive, completion.tag, &mut sent);
            outstanding += 1;
        }
    }
    seen.ns = drive.now().since(start).0;
    seen
}

/// Writes the first `percent` percent of the drive in sequence.
fn fill(drive: &mut SimDrive, percent: u64) -> Seen {
    let bytes = drive.capacity_bytes() / 100 * percent / SEQUENTIAL_BYTES * SEQUENTIAL_BYTES;
    let mut at = 0;
    run(
        drive,
        32,
        (bytes - 31 * SEQUENTIAL_BYTES, WITHOUT_END),
        || {
            at += SEQUENTIAL_BYTES;
            (Op::Write, at - SEQUENTIAL_BYTES, SEQUENTIAL_BYTES)
        },
    )
}

/// Sends random requests to the first `percent` percent of the drive, `read` of which read, and one
/// in ten thousand of which is a flush.
fn random(drive: &mut SimDrive, depth: u32, time: Nanos, (read, percent): (u64, u64)) -> Seen {
    let pages = drive.capacity_bytes() / 100 * percent / PAGE;
    let mut rng = Rng::stream(1, "stalls");
    run(drive, depth, (u64::MAX, time), || {
        if rng.ratio(1, 10_000) {
            return (Op::Flush, 0, 0);
        }
        let op = match rng.ratio(read, 100) {
            true => Op::Read,
            false => Op::Write,
        };
        (op, rng.below(pages) * PAGE, PAGE)
    })
}

/// Runs a load on a new drive; `time` is that of its random requests.
fn load(drive: &mut SimDrive, load: &str, time: Nanos) -> Seen {
    match load {
        "twice" => {
            fill(drive, 100);
            fill(drive, 100)
        }
        "random" => {
            fill(drive, 100);
            random(drive, 32, time, (0, 100))
        }
        "mixed" => {
            fill(drive, 100);
            random(drive, 32, time, (70, 100))
        }
        "rested" => {
            fill(drive, 100);
            random(drive, 32, Nanos(time.0 / 2), (0, 100));
            let limit = drive.now() + Nanos(time.0 / 2);
            assert!(drive.advance(limit).is_none());
            random(drive, 32, Nanos(time.0 / 2), (0, 100))
        }
        "part" => {
            fill(drive, 80);
            random(drive, 32, time, (0, 80))
        }
        "readers" => {
            fill(drive, 100);
            random(drive, 1_024, Nanos(time.0 / 50), (99, 100))
        }
        _ => panic!("no load is named {load}"),
    }
}

const LOADS: &str = "twice,random,mixed,rested,part,readers";

/// Drives that stopped before the host was paced, and one without a cache: one of each kind.
const FEW: &str = "adata-sp550-240gb,samsung-860-evo-500gb,transcend-ssd230-512gb,\
                   wd-blue-3d-500gb,sandisk-ultra-ii-240gb,samsung-850-pro-256gb";

#[test]
fn no_drive_stands_still() {
    let number = |name: &str, or: u64| var(name).map_or(or, |text| text.parse().unwrap());
    let scale = number("STEND_STALLS_SCALE", 16) as u32;
    let seconds = number("STEND_STALLS_SECONDS", 400);
    let of = var("STEND_STALLS_OF").unwrap_or(FEW.to_owned());
    let loads = var("STEND_STALLS_LOADS").unwrap_or(LOADS.to_owned());
    let named = |name: &&str| of == "all" || of.split(',').any(|one| one == *name);
    let names = Mutex::new(SHIPPED.iter().map(|shipped| shipped.name).filter(named));
    let stalls = Mutex::new(Vec::new());
    let work = || loop {
        let next = names.lock().unwrap().next();
        let Some(name) = next else { return };
        let scale = if name == "demo-8gb" { 1 } else { scale };
        let model = Model::shipped(name).expect("it is shipped");
        let spec = model.scaled(scale).expect("it is sound").spec();
        let time = Nanos::from_millis(seconds * 1_000 / u64::from(scale));
        for what in loads.split(',') {
            let seen = load(&mut SimDrive::new(&spec), what, time);
            seen.print(name, what);
            let gap_max = if scale > 1 {
                GAP_MAX_SCALED
            } else {
                LATENCY_MAX
            };
            if seen.longest() >= LATENCY_MAX || seen.gap_ns_max >= gap_max.0 {
                stalls.lock().unwrap().push((name, what.to_owned(), seen));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let stalls = stalls.into_inner().unwrap();
    assert!(stalls.is_empty(), "{stalls:#?}");
}
