//! Tests of dies that overlap operations: to the nanosecond, and that nothing overlaps if the
//! ability is off.

use stend_base::{EventQueue, Lane, Nanos, Rng, SimTime};
use stend_drive::nand::{Array, Work};
use stend_model::nand::{Abilities, Class, Credits, Scheduling, Suspend};

const DIE: u8 = 0;
const TIMER: u8 = 1;
const SENSE: Nanos = Nanos::from_micros(50);
const PROGRAM: Nanos = Nanos::from_micros(400);
const ERASE: Nanos = Nanos::from_micros(3_000);
/// Time to move 4 KiB at 2.5 ns per byte, with 100 ns of command cycles.
const TRANSFER: Nanos = Nanos(10_340);

const READ: Work = Work::Read {
    sense: SENSE,
    bytes: 4096,
};
const WRITE: Work = Work::Program {
    program: PROGRAM,
    bytes: 4096,
};
const SUSPEND: Suspend = Suspend {
    program: Some(Nanos::from_micros(20)),
    erase: Some(Nanos::from_micros(30)),
    resume: Nanos::from_micros(5),
    reads_max: 2,
};

struct Bench {
    queue: EventQueue,
    array: Array,
    /// Work to come: instant, class, work.
    coming: Vec<(u64, Class, Work)>,
}

impl Bench {
    fn new(dies: u32, channels: u32, abilities: Abilities) -> Bench {
        let array = Array::new(dies, channels, 2_500, Nanos(100), DIE);
        Bench {
            queue: EventQueue::new(&[dies, 1]),
            array: array.with_abilities(abilities),
            coming: Vec::new(),
        }
    }

    /// Submits the work to die 0 at its instants, with its number as the cookie; returns every
    /// finished operation as (cookie, ns).
    fn run(&mut self, coming: &[(u64, Class, Work)]) -> Vec<(u64, u64)> {
        self.coming = coming.to_vec();
        let mut next = 0;
        let mut done = Vec::new();
        self.wake(next);
        while let Some(event) = self.queue.pop() {
            match event.lane {
                Lane::Sense => self.array.sensed(&mut self.queue, event.source),
                Lane::Timer => {
                    let (_, class, work) = self.coming[next];
                    let dies = self.queue.kind_and_index(event.source).0;
                    assert_eq!(dies, TIMER);
                    self.array
                        .submit(&mut self.queue, 0, class, work, next as u64);
                    next += 1;
                    self.wake(next);
                }
                lane => {
                    let cookie = self.array.ended(&mut self.queue, lane, event.source);
                    done.push((cookie, event.at.0));
                }
            }
        }
        assert_eq!(done.len(), coming.len(), "{done:?}");
        assert!(self.array.is_idle(0));
        done
    }

    fn wake(&mut self, next: usize) {
        if let Some(&(at, ..)) = self.coming.get(next) {
            let at = SimTime(at);
            self.queue.schedule(Lane::Timer, at, TIMER, 0);
        }
    }
}

fn cache_read() -> Abilities {
    Abilities {
        cache_read: true,
        ..Abilities::default()
    }
}

fn cache_program() -> Abilities {
    Abilities {
        cache_program: true,
        ..Abilities::default()
    }
}

fn suspending() -> Abilities {
    Abilities {
        suspend: Some(SUSPEND),
        ..Abilities::default()
    }
}

#[test]
fn cache_read_senses_while_data_leaves() {
    let reads = [(0, Class::HostRead, READ); 4];
    let ends = |abilities| {
        let done = Bench::new(1, 1, abilities).run(&reads);
        done.iter().map(|d| d.1).collect::<Vec<_>>()
    };
    let sense = SENSE.0;
    let with: Vec<u64> = (1..=4).map(|n| n * sense + TRANSFER.0).collect();
    assert_eq!(ends(cache_read()), with);
    let without: Vec<u64> = (1..=4).map(|n| n * (sense + TRANSFER.0)).collect();
    assert_eq!(ends(Abilities::default()), without);
}

#[test]
fn a_sensed_page_waits_for_the_cache_register() {
    // 64 KiB take longer to leave than a page takes to sense.
    let long = Work::Read {
        sense: SENSE,
        bytes: 65_536,
    };
    let transfer = 65_536 * 25 / 10 + 100;
    let done = Bench::new(1, 1, cache_read()).run(&[(0, Class::HostRead, long); 3]);
    let ends: Vec<u64> = done.iter().map(|d| d.1).collect();
    assert_eq!(
        ends,
        (1..=3)
            .map(|n| SENSE.0 + n * transfer)
            .collect::<Vec<u64>>()
    );
}

#[test]
fn cache_program_moves_data_while_cells_program() {
    let writes = [(0, Class::HostProgram, WRITE); 4];
    let ends = |abilities| {
        let done = Bench::new(1, 1, abilities).run(&writes);
        done.iter().map(|d| d.1).collect::<Vec<_>>()
    };
    let with: Vec<u64> = (1..=4).map(|n| TRANSFER.0 + n * PROGRAM.0).collect();
    assert_eq!(ends(cache_program()), with);
    let without: Vec<u64> = (1..=4).map(|n| n * (TRANSFER.0 + PROGRAM.0)).collect();
    assert_eq!(ends(Abilities::default()), without);
}

/// A program that waits gets its data as soon as the cells begin the one before it.
#[test]
fn cache_program_moves_the_data_of_a_program_that_waited_behind_an_erase() {
    let erase = Work::Erase { erase: ERASE };
    let write = (1, Class::HostProgram, WRITE);
    let coming = [(0, Class::Background, erase), write, write];
    let done = Bench::new(1, 1, cache_program()).run(&coming);
    let ends = done.iter().map(|d| d.1).collect::<Vec<_>>();
    let first = ERASE.0 + TRANSFER.0 + PROGRAM.0;
    assert_eq!(ends, [ERASE.0, first, first + PROGRAM.0]);
}

#[test]
fn a_read_suspends_a_program() {
    let at = 100_000;
    let coming = [(0, Class::HostProgram, WRITE), (at, Class::HostRead, READ)];
    let mut bench = Bench::new(1, 1, suspending());
    let read_end = at + 20_000 + SENSE.0 + TRANSFER.0;
    let left = TRANSFER.0 + PROGRAM.0 - at;
    assert_eq!(
        bench.run(&coming),
        [(1, read_end), (0, read_end + 5_000 + left)]
    );
    assert_eq!(bench.array.counters().suspensions, 1);
    let mut plain = Bench::new(1, 1, Abilities::default());
    let end = TRANSFER.0 + PROGRAM.0;
    assert_eq!(
        plain.run(&coming),
        [(0, end), (1, end + SENSE.0 + TRANSFER.0)]
    );
}

#[test]
fn a_read_during_the_transfer_of_a_program_waits_for_the_cells_to_begin() {
    let coming = [
        (0, Class::HostProgram, WRITE),
        (1_000, Class::HostRead, READ),
    ];
    let done = Bench::new(1, 1, suspending()).run(&coming);
    let read_end = TRANSFER.0 + 20_000 + SENSE.0 + TRANSFER.0;
    assert_eq!(done, [(1, read_end), (0, read_end + 5_000 + PROGRAM.0)]);
}

#[test]
fn an_erase_is_suspended_and_a_copy_is_not() {
    let at = 1_000_000;
    let read = (at, Class::HostRead, READ);
    let erase = [(0, Class::Background, Work::Erase { erase: ERASE }), read];
    let read_end = at + 30_000 + SENSE.0 + TRANSFER.0;
    assert_eq!(
        Bench::new(1, 1, suspending()).run(&erase),
        [(1, read_end), (0, read_end + 5_000 + ERASE.0 - at)]
    );
    let copy = [(0, Class::Background, Work::OnDie { busy: ERASE }), read];
    assert_eq!(Bench::new(1, 1, suspending()).run(&copy)[0], (0, ERASE.0));
}

#[test]
fn an_operation_about_to_end_is_not_suspended() {
    let end = TRANSFER.0 + PROGRAM.0;
    let coming = [
        (0, Class::HostProgram, WRITE),
        (end - 20_000, Class::HostRead, READ),
    ];
    assert_eq!(Bench::new(1, 1, suspending()).run(&coming)[0], (0, end));
}

#[test]
fn an_operation_lets_a_limited_number_of_reads_pass() {
    let mut coming = vec![(0, Class::HostProgram, WRITE)];
    coming.extend([(100_000, Class::HostRead, READ); 5]);
    let done = Bench::new(1, 1, suspending()).run(&coming);
    let order: Vec<u64> = done.iter().map(|d| d.0).collect();
    assert_eq!(order, [1, 2, 0, 3, 4, 5]);
}

/// A page in the cache register lets as many reads pass as a waiting program does.
#[test]
fn reads_without_end_do_not_starve_a_page_in_the_register() {
    let abilities = Abilities {
        suspend: Some(Suspend {
            reads_max: 0,
            ..SUSPEND
        }),
        ..cache_program()
    };
    let mut coming = vec![
        (0, Class::HostProgram, WRITE),
        // Its data arrives while the cells program the first one.
        (20_000, Class::HostProgram, WRITE),
    ];
    coming.extend([(100_000, Class::HostRead, READ); 6]);
    let order = |scheduling: Scheduling| {
        let mut bench = Bench::new(1, 1, abilities);
        bench.array = bench.array.with_scheduling(scheduling);
        let done = bench.run(&coming);
        done.iter().map(|d| d.0).collect::<Vec<u64>>()
    };
    let credits = Credits {
        program_after: 2,
        background_after: 2,
    };
    assert_eq!(
        order(Scheduling::Credits(credits)),
        [0, 2, 3, 1, 4, 5, 6, 7]
    );
    assert_eq!(order(Scheduling::Strict), [0, 2, 3, 4, 5, 6, 7, 1]);
}

#[test]
fn all_work_ends_whatever_overlaps() {
    for seed in 0..400 {
        let mut rng = Rng::stream(seed, "overlap");
        let abilities = Abilities {
            cache_read: rng.ratio(1, 2),
            cache_program: rng.ratio(1, 2),
            suspend: rng.ratio(1, 2).then(|| Suspend {
                reads_max: rng.below(4) as u32,
                resume: Nanos(rng.below(3) * 5_000),
                ..SUSPEND
            }),
        };
        let mut at = 0;
        let coming: Vec<(u64, Class, Work)> = (0..200)
            .map(|_| {
                at += rng.below(4) * rng.below(100_000);
                match rng.below(6) {
                    0..3 => (at, Class::HostRead, READ),
                    3 => (at, Class::HostProgram, WRITE),
                    4 => (at, Class::Background, WRITE),
                    _ => (at, Class::Background, Work::Erase { erase: ERASE }),
                }
            })
            .collect();
        let mut bench = Bench::new(1, 1, abilities);
        let mut done: Vec<u64> = bench.run(&coming).iter().map(|d| d.0).collect();
        done.sort_unstable();
        assert_eq!(done, (0..200).collect::<Vec<u64>>(), "seed {seed}");
        let end = bench.queue.now().0;
        assert!(bench.array.counters().die_busy_ns <= end, "seed {seed}");
    }
}

#[test]
fn a_power_cut_finds_what_was_suspended_and_leaves_nothing_under_way() {
    let mut queue = EventQueue::new(&[1]);
    let mut array = Array::new(1, 1, 1_000, Nanos::ZERO, 0).with_abilities(suspending());
    let program = Work::Program {
        program: Nanos::from_micros(500),
        bytes: 4_096,
    };
    let read = Work::Read {
        sense: Nanos::from_micros(50),
        bytes: 4_096,
    };
    array.submit(&mut queue, 0, Class::HostProgram, program, 7);
    // The data has arrived: the cells have begun.
    queue.set_now(SimTime(4_096));
    array.submit(&mut queue, 0, Class::HostRead, read, 8);
    assert_eq!(array.under_way(0).collect::<Vec<_>>(), [8, 7]);
    queue.clear();
    array.power_cut(queue.now());
    assert_eq!(array.under_way(0).count(), 0);
    assert!(!array.is_busy());
    // The die accepts new work as a new one does.
    let now = queue.now();
    array.submit(&mut queue, 0, Class::HostRead, read, 9);
    let sensed = queue.pop().expect("it senses");
    assert_eq!(sensed.at.since(now), Nanos::from_micros(50));
    array.sensed(&mut queue, sensed.source);
    let moved = queue.pop().expect("its data leaves");
    let done = array.ended(&mut queue, moved.lane, moved.source);
    assert_eq!(done, 9);
    assert!(queue.pop().is_none());
}
