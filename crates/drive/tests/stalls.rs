//! Explore.
use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_model::Model;

const PAGE: u64 = 4096;

#[derive(Default, Debug, Clone, Copy)]
struct Seen {
    requests: u64,
    longest: [u64; 3],
    gap: u64,
    silent_seconds: u64,
    mb_s: u64,
}

fn run(
    drive: &mut SimDrive,
    depth: u32,
    bytes_max: u64,
    time: Nanos,
    mut next: impl FnMut() -> (Op, u64, u64),
) -> Seen {
    let mut seen = Seen::default();
    let start = drive.now();
    let end = start + time;
    let mut at = vec![(start, Op::Read); depth as usize];
    let mut sent_bytes = 0;
    let mut last = start;
    let mut outstanding = 0;
    let send = |drive: &mut SimDrive,
                tag: u32,
                at: &mut Vec<(SimTime, Op)>,
                sent: &mut u64,
                next: &mut dyn FnMut() -> (Op, u64, u64)| {
        let (op, offset, len) = next();
        at[tag as usize] = (drive.now(), op);
        *sent += len;
        drive.submit(Request {
            tag,
            op,
            offset_bytes: offset,
            len_bytes: len,
            ..Request::default()
        });
    };
    for tag in 0..depth {
        if sent_bytes < bytes_max {
            send(drive, tag, &mut at, &mut sent_bytes, &mut next);
            outstanding += 1;
        }
    }
    while outstanding > 0 {
        let c = drive
            .advance(SimTime::NEVER)
            .unwrap_or_else(|| panic!("{}", drive.diagnosis()));
        outstanding -= 1;
        seen.requests += 1;
        let (sent, op) = at[c.tag as usize];
        let lat = c.at.since(sent).0;
        let l = &mut seen.longest[op as usize % 3];
        *l = (*l).max(lat);
        let gap = c.at.since(last).0;
        seen.gap = seen.gap.max(gap);
        seen.silent_seconds += (c.at.0 / 1_000_000_000)
            .saturating_sub(last.0 / 1_000_000_000)
            .saturating_sub(1);
        last = c.at;
        if sent_bytes < bytes_max && c.at < end {
            send(drive, c.tag, &mut at, &mut sent_bytes, &mut next);
            outstanding += 1;
        }
    }
    let t = drive.now().since(start).0.max(1);
    seen.mb_s = sent_bytes * 1000 / t;
    seen
}

const FOREVER: Nanos = Nanos(u64::MAX / 4);

fn fill(drive: &mut SimDrive, share: f64) -> Seen {
    let all = (drive.capacity_bytes() as f64 * share) as u64 / (128 << 10) * (128 << 10);
    let mut at = 0;
    run(drive, 32, all, FOREVER, || {
        let o = at;
        at += 128 << 10;
        (Op::Write, o, 128 << 10)
    })
}

fn random(drive: &mut SimDrive, depth: u32, time: Nanos, read_percent: u64, share: f64) -> Seen {
    let pages = (drive.capacity_bytes() as f64 * share) as u64 / PAGE;
    let mut rng = Rng::stream(1, "stalls");
    run(drive, depth, u64::MAX, time, || {
        let op = if rng.ratio(read_percent, 100) {
            Op::Read
        } else {
            Op::Write
        };
        (op, rng.below(pages) * PAGE, PAGE)
    })
}

#[test]
#[ignore = "explores"]
fn explore() {
    let scale: u32 = std::env::var("SCALE").map_or(16, |s| s.parse().unwrap());
    let only = std::env::var("ONLY").ok();
    let loads = std::env::var("LOADS").unwrap_or("twice,random,mixed,rest,part".into());
    let names: Vec<&str> = stend_model::SHIPPED
        .iter()
        .map(|s| s.name)
        .filter(|n| {
            only.as_ref()
                .is_none_or(|o| o.split(',').any(|o| n.contains(o)))
        })
        .collect();
    let names = std::sync::Mutex::new(names.into_iter());
    let threads: usize = 2;
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| loop {
                let Some(name) = names.lock().unwrap().next() else { return };
                let model = Model::shipped(name).unwrap().scaled(if name.starts_with("demo") {1} else {scale}).unwrap();
                let spec = model.spec();
                for load in loads.split(',') {
                    let mut drive = SimDrive::new(&spec);
                    let secs = |n: u64| Nanos::from_millis(n * 1000 / u64::from(scale));
                    let show = |what: &str, s: Seen| {
                        let ms = |n: u64| n as f64 / 1e6;
                        println!("{name:32} {what:10} {:6} MB/s {:9} req, longest r {:8.1} w {:8.1} ms, gap {:8.1} ms, silent {:4}", s.mb_s, s.requests, ms(s.longest[0]), ms(s.longest[1]), ms(s.gap), s.silent_seconds);
                    };
                    match load {
                        "twice" => { show("fill1", fill(&mut drive, 1.0)); show("fill2", fill(&mut drive, 1.0)); }
                        "random" => { fill(&mut drive, 1.0); show("random", random(&mut drive, 32, secs(2000), 0, 1.0)); }
                        "mixed" => { fill(&mut drive, 1.0); show("mixed70", random(&mut drive, 32, secs(1000), 70, 1.0)); }
                        "rest" => {
                            fill(&mut drive, 1.0);
                            random(&mut drive, 32, secs(500), 0, 1.0);
                            let limit = drive.now() + secs(900);
                            drive.advance(limit);
                            show("rested", random(&mut drive, 32, secs(500), 0, 1.0));
                        }
                        "part" => { fill(&mut drive, 0.8); show("part", random(&mut drive, 32, secs(1000), 0, 0.8)); }
                        "reads" => { fill(&mut drive, 1.0);
                            let mut rng = Rng::stream(1, "x"); let pages = drive.capacity_bytes() / PAGE; let mut n = 0u64;
                            show("r1000w1", run(&mut drive, 1024, u64::MAX, secs(20), || { n += 1; let op = if n % 100 == 1 {Op::Write} else {Op::Read}; (op, rng.below(pages) * PAGE, PAGE) }));
                        }
                        _ => panic!(),
                    }
                }
            });
        }
    });
}
