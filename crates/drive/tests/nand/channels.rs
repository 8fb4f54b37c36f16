//! Comparison of dies and channels with a plain model, in which one list of all steps is in order.

#![allow(missing_docs)]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use stend_base::{EventQueue, Lane, Nanos, Rng, SimTime};
use stend_drive::nand::{Array, Work};
use stend_model::nand::{Class, Credits, Scheduling};

const DIE: u8 = 0;
const TIMER: u8 = 1;
/// A byte takes 2.5 ns, and a transfer 100 ns more.
const BUS_PS_PER_BYTE: u64 = 2_500;
const OVERHEAD_NS: u64 = 100;

/// Work that is submitted at an instant, ns.
#[derive(Clone, Copy, Debug)]
struct Coming {
    at: u64,
    die: u32,
    class: Class,
    work: Work,
}

/// Random load of an array.
#[derive(Debug)]
struct Load {
    dies: u32,
    channels: u32,
    scheduling: Scheduling,
    coming: Vec<Coming>,
    /// Instant at which the number of bytes moved is read.
    until: u64,
}

/// Steps of a die, in their order at one instant.
const SENSED: u8 = 0;
const MOVED: u8 = 1;
const ENDED: u8 = 2;

/// Plain model.
struct Plain {
    channels: Vec<u64>,
    moved_bytes: u64,
    /// Activity of each die: its cookie and the bytes that it has to send.
    busy: Vec<Option<(u64, u32)>>,
    waiting: Vec<[VecDeque<(u64, Work)>; 3]>,
    /// Operations of higher classes since the first of each class began to wait or was passed by
    /// none.
    passed: Vec<[u32; 3]>,
    /// Number of operations that may pass each class.
    may_pass: [u32; 3],
    events: BinaryHeap<Reverse<(u64, u32, u8)>>,
}

impl Plain {
    fn transfer(&mut self, die: u32, now: u64, bytes: u32) -> u64 {
        let channels = self.channels.len();
        let until = &mut self.channels[die as usize % channels];
        *until = now.max(*until) + u64::from(bytes) * BUS_PS_PER_BYTE / 1_000 + OVERHEAD_NS;
        self.moved_bytes += u64::from(bytes);
        *until
    }

    fn begin(&mut self, die: u32, now: u64, cookie: u64, work: Work) {
        let (at, step, bytes) = match work {
            Work::Read { sense, bytes } => (now + sense.0, SENSED, bytes),
            Work::Program { program, bytes } => {
                (self.transfer(die, now, bytes) + program.0, ENDED, 0)
            }
            Work::OnDie { busy } | Work::Erase { erase: busy } => (now + busy.0, ENDED, 0),
        };
        self.busy[die as usize] = Some((cookie, bytes));
        self.events.push(Reverse((at, die, step)));
    }

    fn submit(&mut self, of: Coming, cookie: u64) {
        match self.busy[of.die as usize] {
            None => self.begin(of.die, of.at, cookie, of.work),
            Some(_) => {
                self.waiting[of.die as usize][of.class as usize].push_back((cookie, of.work));
            }
        }
    }

    /// Takes the next work of a die.
    fn take(&mut self, die: u32) -> Option<(u64, Work)> {
        let (waiting, passed) = (
            &mut self.waiting[die as usize],
            &mut self.passed[die as usize],
        );
        let all = (0..3).filter(|&class| !waiting[class].is_empty());
        let owed = |&class: &usize| passed[class] >= self.may_pass[class];
        let next = all.clone().filter(owed).max().or(all.min())?;
        for (class, passed) in passed.iter_mut().enumerate() {
            if class == next {
                *passed = 0;
            } else if class > next && !waiting[class].is_empty() {
                *passed += 1;
            }
        }
        waiting[next].pop_front()
    }

    /// Returns every operation as (cookie, ns) in the order in which they end, and the bytes moved
    /// by the instant `until`.
    fn run(load: &Load) -> (Vec<(u64, u64)>, u64) {
        let Load {
            dies,
            channels,
            coming,
            until,
            ..
        } = load;
        let may_pass = match load.scheduling {
            Scheduling::Strict => [u32::MAX; 3],
            Scheduling::Credits(credits) => {
                [u32::MAX, credits.program_after, credits.background_after]
            }
        };
        let mut plain = Plain {
            passed: vec![[0; 3]; *dies as usize],
            may_pass,
            channels: vec![0; *channels as usize],
            moved_bytes: 0,
            busy: vec![None; *dies as usize],
            waiting: (0..*dies).map(|_| Default::default()).collect(),
            events: BinaryHeap::new(),
        };
        let (mut done, mut next, mut moved_by_then) = (Vec::new(), 0, 0);
        loop {
            let event = plain.events.peek().map(|e| e.0);
            let comes = coming.get(next).map(|c| c.at);
            // Dies come first at one instant.
            let die_first = match (event, comes) {
                (None, None) => return (done, moved_by_then),
                (Some((at, ..)), Some(comes)) => at <= comes,
                (event, _) => event.is_some(),
            };
            if !die_first {
                plain.submit(coming[next], next as u64);
                next += 1;
            } else if let Some(Reverse((now, die, step))) = plain.events.pop() {
                let (cookie, bytes) = plain.busy[die as usize].expect("it works");
                if step == SENSED {
                    let end = plain.transfer(die, now, bytes);
                    plain.events.push(Reverse((end, die, MOVED)));
                } else {
                    plain.busy[die as usize] = None;
                    done.push((cookie, now));
                    if let Some((cookie, work)) = plain.take(die) {
                        plain.begin(die, now, cookie, work);
                    }
                }
            }
            let now = match die_first {
                true => event.map(|e| e.0),
                false => comes,
            };
            if now.is_some_and(|now| now <= *until) {
                moved_by_then = plain.moved_bytes;
            }
        }
    }
}

/// Runs the array with the same work. The number of bytes moved is read at the instant `until`.
fn run(load: &Load) -> (Vec<(u64, u64)>, u64) {
    let (dies, channels, coming) = (load.dies, load.channels, &load.coming);
    let mut queue = EventQueue::new(&[dies, 1]);
    let overhead = Nanos(OVERHEAD_NS);
    let mut array =
        Array::new(dies, channels, BUS_PS_PER_BYTE, overhead, DIE).with_scheduling(load.scheduling);
    let (mut done, mut next, mut moved_by_then) = (Vec::new(), 0, None);
    if let Some(first) = coming.first() {
        queue.schedule(Lane::Timer, SimTime(first.at), TIMER, 0);
    }
    loop {
        if moved_by_then.is_none() && queue.next_at() > SimTime(load.until) {
            queue.set_now(SimTime(load.until));
            moved_by_then = Some(array.counters().channel_bytes);
        }
        let Some(event) = queue.pop() else {
            return (done, moved_by_then.expect("no event is behind the end"));
        };
        match event.lane {
            Lane::Sense => array.sensed(&mut queue, event.source),
            Lane::Timer => {
                let of = coming[next];
                array.submit(&mut queue, of.die, of.class, of.work, next as u64);
                next += 1;
                if let Some(then) = coming.get(next) {
                    queue.schedule(Lane::Timer, SimTime(then.at), TIMER, 0);
                }
            }
            lane => {
                let cookie = array.ended(&mut queue, lane, event.source);
                done.push((cookie, event.at.0));
            }
        }
    }
}

/// Draws a random load. Times are multiples of few numbers, so that many events coincide on one
/// channel.
fn drawn(rng: &mut Rng, dies: u32) -> Vec<Coming> {
    let mut at = 0;
    let work = |rng: &mut Rng| {
        let bytes = 2_000 * rng.below(4) as u32;
        let time = Nanos(2_550 * rng.below(5));
        match rng.below(8) {
            0..4 => Work::Read { sense: time, bytes },
            4..6 => Work::Program {
                program: time,
                bytes,
            },
            6 => Work::OnDie { busy: time },
            _ => Work::Erase { erase: time },
        }
    };
    (0..60)
        .map(|_| {
            at += [0, 0, 100, 2_550, 5_100, 5_200][rng.below(6) as usize];
            Coming {
                at,
                die: rng.below(u64::from(dies)) as u32,
                class: [Class::HostRead, Class::HostProgram, Class::Background]
                    [rng.below(3) as usize],
                work: work(rng),
            }
        })
        .collect()
}

#[test]
fn random_work_ends_as_in_the_plain_model() {
    for seed in 0..4_000 {
        let mut rng = Rng::stream(seed, "channels");
        let channels = 1 + rng.below(3) as u32;
        let dies = channels * (1 + rng.below(5) as u32);
        let coming = drawn(&mut rng, dies);
        let until = rng.below(200_000);
        let scheduling = match rng.below(3) {
            0 => Scheduling::Strict,
            _ => Scheduling::Credits(Credits {
                program_after: 1 + rng.below(4) as u32,
                background_after: 1 + rng.below(6) as u32,
            }),
        };
        let load = Load {
            dies,
            channels,
            scheduling,
            coming,
            until,
        };
        let (plain, array) = (Plain::run(&load), run(&load));
        assert_eq!(array, plain, "seed {seed}: {load:?}");
    }
}
