//! The translation layer compared with a plain map, on drives and loads drawn at random: geometry,
//! cell bits, cache, parity, policies, buffer, idle work, links, processors of the host, TRIM in
//! chunks; reads, writes with and without FUA, TRIM, flushes and silence, up to 40 requests at
//! once; with sufficient parity, a die that fails.
//!
//! `STEND_PROPERTY_SEEDS=N` tries N seeds instead of the default; a failing seed prints the command
//! that replays it. `STEND_PROPERTY_TRACES=1` prints the hash of each drive's history: two versions
//! of the simulator that print the same hash (with `-- --nocapture`) do the same, event by event.

use crate::tests::common;

use common::draw::{draw_blocks, draw_host, draw_power, draw_spec};
use common::*;
use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_drive::sim::keep_tables_compact;

const SEEDS: u64 = 60;
const REQUESTS: u32 = 6_000;

struct Model {
    drive: SimDrive,
    expected: Vec<Option<u32>>,
    outstanding: Vec<Request>,
    next_tag: u32,
    trim_works: bool,
    /// True if trimmed pages read as unwritten at once.
    deterministic: bool,
    /// Generator of the sender and of FUA.
    senders: Option<Rng>,
    /// True if the drive keeps tags of its content.
    checks: bool,
}

impl Model {
    /// Pages that a request covers entirely.
    fn whole(request: &Request) -> std::ops::Range<usize> {
        let end = ((request.offset_bytes + request.len_bytes) / PAGE) as usize;
        (request.offset_bytes.div_ceil(PAGE) as usize).min(end)..end
    }

    fn check(&self, pages: std::ops::Range<usize>) {
        for page in pages.filter(|_| self.checks) {
            let got = self.drive.content(page as u32);
            let expected = self.expected[page];
            if expected.is_some() || self.deterministic {
                assert_eq!(got, expected, "page {page}");
            }
        }
    }

    fn finish_one(&mut self) {
        let done = self.drive.advance(SimTime::NEVER).unwrap_or_else(|| {
            panic!(
                "the drive stands still: {}",
                self.drive.inspect().diagnosis()
            )
        });
        let place = self.outstanding.iter().position(|r| r.tag == done.tag);
        let request = self.outstanding.swap_remove(place.expect("a known tag"));
        let pages = touched(&request);
        let pages = pages.start as usize..pages.end as usize;
        match request.op {
            Op::Write => self.expected[pages.clone()].fill(Some(request.tag)),
            Op::Trim if self.trim_works => self.expected[Model::whole(&request)].fill(None),
            Op::Trim | Op::Read | Op::Flush => {}
        }
        let fua = request.fua || !self.drive.spec().host.write_cache;
        if request.op == Op::Write && fua && self.checks {
            let of_it = self.drive.inspect().tags_in_flash();
            let found = of_it.filter(|&tag| tag == request.tag).count();
            assert!(found >= pages.len(), "{request:?}: {found} pages in flash");
        }
        self.check(pages);
    }

    fn send(&mut self, rng: &mut Rng) {
        let all = self.expected.len() as u64;
        let longest = if rng.ratio(1, 20) { all } else { all.min(40) };
        let pages = 1 + rng.below(longest);
        let first = rng.below(all - pages + 1);
        let op = match rng.below(20) {
            0..12 => Op::Write,
            12..17 => Op::Read,
            17..19 => Op::Trim,
            _ => Op::Flush,
        };
        let pages = match op {
            Op::Flush => 0,
            Op::Trim => pages,
            Op::Read | Op::Write => pages.min(64),
        };
        let mut request = request(self.next_tag, op, first, pages);
        if pages > 0 && rng.ratio(1, 3) {
            leave_out_sectors(&mut request, rng);
        }
        if let Some(senders) = &mut self.senders {
            request.queue = senders.below(20) as u16;
            request.fua = op == Op::Write && senders.ratio(1, 8);
        }
        if !self.outstanding.iter().any(|old| overlap(old, &request)) {
            self.next_tag += 1;
            self.outstanding.push(request);
            self.drive.submit(request);
        }
    }
}

/// Reports how to replay a seed when its run fails.
struct Replay(u64);

impl Drop for Replay {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "replay: STEND_PROPERTY_SEED={} cargo test -p stend-drive --lib property::",
                self.0
            );
        }
    }
}

/// A copy of a drive made by writing and reading its state.
fn kept(drive: &SimDrive) -> SimDrive {
    let bytes = postcard::to_stdvec(drive).expect("every drive can be written");
    postcard::from_bytes(&bytes).expect("what was written can be read")
}

/// Hash of the drive's history. It does not depend on `checks`, which makes the drive keep tags of
/// its content.
fn run(seed: u64, checks: bool) -> u64 {
    let _replay = Replay(seed);
    let mut rng = Rng::stream(seed, "property");
    let mut spec = draw_spec(&mut rng);
    let mut host = Rng::stream(seed, "host");
    let drawn = draw_host(&mut host, &mut spec);
    draw_power(&mut Rng::stream(seed, "power"), &mut spec);
    let mut buffer = Rng::stream(seed, "buffer");
    spec.buffer.coalesces = buffer.ratio(1, 3);
    spec.buffer.half_duplex = buffer.ratio(1, 3);
    draw_blocks(&mut Rng::stream(seed, "blocks"), &mut spec);
    let mut drive = SimDrive::new(&spec);
    if checks {
        drive.keep_content(true);
    }
    let pages = (spec.user_bytes / PAGE) as usize;
    let mut model = Model {
        drive,
        expected: vec![None; pages],
        outstanding: Vec::new(),
        next_tag: 0,
        trim_works: spec.trim.enabled,
        deterministic: spec
            .trim
            .work
            .as_ref()
            .is_none_or(|work| work.deterministic),
        senders: drawn.then_some(host),
        checks,
    };
    let depth = 1 + rng.below(40) as usize;
    let dies_at = rng.below(u64::from(REQUESTS)) as u32;
    for step in 0..REQUESTS {
        if step == dies_at && spec.media.is_some() {
            let die = rng.below(u64::from(spec.dies)) as u32;
            model.drive.service().fail_die(die);
        }
        while model.outstanding.len() >= depth {
            model.finish_one();
        }
        model.send(&mut rng);
        if !checks && step % 257 == 0 {
            model.drive = kept(&model.drive);
        }
        if rng.ratio(1, 200) {
            while !model.outstanding.is_empty() {
                model.finish_one();
            }
            rest(&mut model.drive, Nanos::from_millis(rng.below(400)));
        }
        if step % 1_000 == 0 {
            while !model.outstanding.is_empty() {
                model.finish_one();
            }
            model.check(0..pages);
        }
    }
    while !model.outstanding.is_empty() {
        model.finish_one();
    }
    model.check(0..pages);
    assert_eq!(model.drive.counters().lost_pages, 0);
    assert!(!model.drive.inspect().is_read_only());
    let (now, trace) = (model.drive.now().0, model.drive.trace_hash());
    if checks && std::env::var_os("STEND_PROPERTY_TRACES").is_some() {
        println!("seed {seed}: {now} ns, trace {trace:016x}");
    }
    trace
}

#[test]
fn the_drive_reads_back_what_a_plain_map_would() {
    if let Ok(seed) = std::env::var("STEND_PROPERTY_SEED") {
        let seed = seed.parse().expect("STEND_PROPERTY_SEED is a number");
        assert_eq!(run(seed, true), run(seed, false));
        return;
    }
    let seeds = std::env::var("STEND_PROPERTY_SEEDS").map_or(SEEDS, |n| {
        n.parse().expect("STEND_PROPERTY_SEEDS is a number")
    });
    for seed in 0..seeds {
        let trace = run(seed, true);
        // Without tags, pages are moved in a different way; and the drive is written and read back
        // in the middle of the run.
        if seed % 4 == 0 {
            assert_eq!(run(seed, false), trace, "seed {seed}");
        }
        if seed % 4 == 2 {
            keep_tables_compact(true);
            let compact = run(seed, false);
            keep_tables_compact(false);
            assert_eq!(compact, trace, "seed {seed}, compact tables");
        }
    }
}
