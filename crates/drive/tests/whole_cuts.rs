//! Power cuts of shipped drives that are full and as busy as possible: data acknowledged by a flush
//! is there, the amount that is not durable is bounded, and no flush takes long.
//!
//! `STEND_WHOLE_CUTS=N` makes N cuts of each drive instead of the default, of all drives;
//! `STEND_WHOLE_CUTS_OF=NAME,…` of these alone; `STEND_WHOLE_CUTS_SCALE=N` of an N-th of the
//! capacity (1: whole drives).

use std::collections::VecDeque;

use stend_base::{Device, Nanos, Op, Request, Rng, SimTime};
use stend_drive::SimDrive;
use stend_model::Model;

use crate::tests::common::PAGE;

/// Tag of a page that was never written.
const NEVER: u32 = 0;

/// A host that remembers its writes, and which of them are acknowledged and durable.
struct Host {
    drive: SimDrive,
    rng: Rng,
    /// By logical page: the tag that a flush has made durable, the one acknowledged last, and the
    /// one submitted last.
    durable: Vec<u32>,
    acknowledged: Vec<u32>,
    submitted: Vec<u32>,
    /// Acknowledged writes in their order, from the `settled`th on: these are not known to be
    /// durable.
    log: VecDeque<Request>,
    settled: u64,
    outstanding: Vec<(Request, SimTime, u64)>,
    next_tag: u32,
    capacitors: bool,
    seen: Seen,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    cuts: u64,
    flushes: u64,
    flush_ns_max: u64,
    latency_ns_max: u64,
    undone_max: u64,
    relocated: u64,
    folded: u64,
}

impl Host {
    fn new(model: &Model, seed: u64) -> Host {
        let spec = model.spec();
        let mut drive = SimDrive::new(&spec);
        drive.keep_content(true);
        let pages = (drive.capacity_bytes() / PAGE) as usize;
        let loss = spec.power_loss.as_ref();
        Host {
            drive,
            rng: Rng::stream(seed, "whole drives"),
            durable: vec![NEVER; pages],
            acknowledged: vec![NEVER; pages],
            submitted: vec![NEVER; pages],
            log: VecDeque::new(),
            settled: 0,
            outstanding: Vec::new(),
            next_tag: NEVER + 1,
            capacitors: loss.is_some_and(|l| l.hold_up.is_some()),
            seen: Seen::default(),
        }
    }

    fn pages_of(request: &Request) -> std::ops::Range<usize> {
        let first = (request.offset_bytes / PAGE) as usize;
        first..first + (request.len_bytes / PAGE) as usize
    }

    fn submit(&mut self, op: Op, page: u64, pages: u64) {
        let request = Request {
            tag: self.next_tag,
            op,
            offset_bytes: page * PAGE,
            len_bytes: pages * PAGE,
            ..Request::default()
        };
        self.next_tag += 1;
        if op == Op::Write {
            self.submitted[Host::pages_of(&request)].fill(request.tag);
        }
        let acknowledged = self.settled + self.log.len() as u64;
        self.outstanding
            .push((request, self.drive.now(), acknowledged));
        self.drive.submit(request);
    }

    /// True if a write to one of these pages is under way: the order of two such writes is not
    /// known.
    fn is_under_way(&self, page: u64, pages: u64) -> bool {
        let range = page as usize..(page + pages) as usize;
        self.outstanding.iter().any(|(request, ..)| {
            let other = Host::pages_of(request);
            other.start < range.end && range.start < other.end
        })
    }

    fn completed(&mut self, tag: u32, at: SimTime) {
        let found = self.outstanding.iter().position(|o| o.0.tag == tag);
        let (request, sent, before) = self.outstanding.swap_remove(found.expect("it was sent"));
        let ns = at.since(sent).0;
        match request.op {
            Op::Write => {
                self.acknowledged[Host::pages_of(&request)].fill(tag);
                self.log.push_back(request);
                self.seen.latency_ns_max = self.seen.latency_ns_max.max(ns);
            }
            Op::Flush => {
                while self.settled < before {
                    let write = self.log.pop_front().expect("it was acknowledged");
                    self.durable[Host::pages_of(&write)].fill(write.tag);
                    self.settled += 1;
                }
                self.seen.flushes += 1;
                self.seen.flush_ns_max = self.seen.flush_ns_max.max(ns);
            }
            _ => {}
        }
    }

    fn advance_one(&mut self) {
        let completion = self.drive.advance(SimTime::NEVER);
        let completion = completion
            .unwrap_or_else(|| panic!("it stands still: {}", self.drive.inspect().diagnosis()));
        self.completed(completion.tag, completion.at);
    }

    /// Sends `count` writes of `pages` each at depth 32, at the places of `next`, and sometimes a
    /// flush.
    fn write(&mut self, count: u64, pages: u64, mut next: impl FnMut(&mut Rng) -> u64) {
        for _ in 0..count {
            let page = next(&mut self.rng);
            while self.outstanding.len() >= 32 || self.is_under_way(page, pages) {
                self.advance_one();
            }
            self.submit(Op::Write, page, pages);
            if self.rng.ratio(1, 300) {
                self.submit(Op::Flush, 0, 0);
            }
        }
    }

    fn fill(&mut self) {
        let all = self.submitted.len() as u64;
        let mut at = 0;
        self.write(all / 32, 32, |_| {
            at += 32;
            at - 32
        });
    }

    /// Cuts the power at a random event soon, and checks the remaining data.
    fn cut(&mut self) {
        let events = self.rng.below(2_000);
        let mut left = events;
        while left > 0 && !self.outstanding.is_empty() {
            let (done, completion) = self.drive.advance_events(left);
            if let Some(completion) = completion {
                self.completed(completion.tag, completion.at);
            }
            left -= done.min(left);
        }
        self.drive.power_cut();
        let mut undone = 0;
        for page in 0..self.submitted.len() {
            let content = self.drive.content(page as u32).unwrap_or(NEVER);
            let least = match self.capacitors {
                true => self.acknowledged[page],
                false => self.durable[page],
            };
            assert!(
                least <= content && content <= self.submitted[page],
                "page {page} holds {content}, not {least} to {}",
                self.submitted[page]
            );
            undone += u64::from(content < self.acknowledged[page]);
            self.durable[page] = content;
            self.acknowledged[page] = content;
            self.submitted[page] = content;
        }
        self.settled += self.log.len() as u64;
        self.log.clear();
        self.outstanding.clear();
        let most = self.drive.spec().undurable_pages_max();
        assert!(undone <= most, "{undone} pages are lost, more than {most}");
        self.seen.undone_max = self.seen.undone_max.max(undone);
        self.seen.cuts += 1;
        let wait = Nanos::from_micros(self.rng.below(50));
        let limit = self.drive.now() + wait;
        assert!(self.drive.advance(limit).is_none());
        self.drive.power_up();
        // The first command waits for the start.
        let before = self.seen;
        self.submit(Op::Flush, 0, 0);
        self.advance_one();
        self.seen = before;
        assert_eq!(self.drive.counters().failed_saves, 0);
    }
}

/// Fills a drive, then writes to it at random and in sequence, and cuts its power in between.
fn run(name: &str, scale: u32, cuts: u64) -> Seen {
    let model = Model::shipped(name).expect("it is shipped");
    // If a drive of this scale is too small, a larger one.
    let scales = std::iter::successors(Some(scale), |&scale| (scale > 1).then_some(scale / 2));
    let scaled = scales.map(|scale| model.scaled(scale)).find_map(Result::ok);
    let model = scaled.expect("a whole drive is sound");
    let mut host = Host::new(&model, 1);
    let all = host.submitted.len() as u64;
    // Before the first cut the whole drive has been written once.
    host.fill();
    host.cut();
    for nth in 1..cuts {
        let count = 1 + host.rng.below(8_000);
        match nth % 4 {
            0 => {
                let mut at = host.rng.below(all - 32 * 8_001 % all) / 32 * 32;
                host.write(count.min(all / 64), 32, |_| {
                    at = if at + 64 > all { 0 } else { at + 32 };
                    at
                });
            }
            1 => host.write(count, 4, |rng| rng.below(all / 4) * 4),
            _ => host.write(count, 1, |rng| rng.below(all)),
        }
        host.cut();
    }
    let counters = host.drive.counters();
    (host.seen.relocated, host.seen.folded) = (counters.pages_relocated, counters.pages_folded);
    host.seen
}

#[test]
fn whole_drives_keep_what_they_acknowledged() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let only = std::env::var("STEND_WHOLE_CUTS_OF").ok();
    let long: Option<u64> = number("STEND_WHOLE_CUTS");
    let scale = number("STEND_WHOLE_CUTS_SCALE").unwrap_or(32) as u32;
    let named = |name: &&str| match &only {
        Some(only) => only.split(',').any(|one| one == *name),
        None => long.is_some() || FEW.contains(name),
    };
    let names = stend_model::SHIPPED.iter().map(|shipped| shipped.name);
    // The power of a model without a description of power cuts cannot be cut.
    let can_be_cut = |name: &&str| {
        let model = Model::shipped(name).expect("it is shipped");
        model.spec().power_loss.is_some()
    };
    let names = std::sync::Mutex::new(names.filter(named).filter(can_be_cut));
    let work = || loop {
        let next = names.lock().unwrap().next();
        let Some(name) = next else { return };
        let seen = run(name, scale, long.unwrap_or(12));
        println!("{name}: {seen:?}");
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
}

/// Drives with capacitors, with paired pages, folded on chip, through the controller, bypassed.
const FEW: [&str; 5] = [
    "intel-ssd-750-400gb",
    "samsung-840-evo-250gb",
    "samsung-860-evo-500gb",
    "sandisk-ultra-ii-240gb",
    "crucial-mx100-256gb",
];
