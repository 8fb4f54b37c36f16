//! Timing to the nanosecond: an operation ends at its exact time, not earlier.

use stend_base::{EventQueue, Lane, Nanos, SimTime};
use stend_drive::nand::{Array, Work};
use stend_model::nand::{Class, Credits, Scheduling};

const DIE: u8 = 0;
const SENSE: Nanos = Nanos::from_micros(50);
const PROGRAM: Nanos = Nanos::from_micros(400);
/// Time to move 4 KiB at 2.5 ns per byte, with 100 ns of command cycles.
const TRANSFER: Nanos = Nanos(10_340);

struct Bench {
    queue: EventQueue,
    array: Array,
}

impl Bench {
    fn new(dies: u32, channels: u32) -> Bench {
        Bench {
            queue: EventQueue::new(&[dies]),
            array: Array::new(dies, channels, 2_500, Nanos(100), DIE),
        }
    }

    fn submit(&mut self, die: u32, class: Class, work: Work, cookie: u64) {
        self.array.submit(&mut self.queue, die, class, work, cookie);
    }

    /// Returns every finished operation as (cookie, ns).
    fn run(&mut self) -> Vec<(u64, u64)> {
        let mut done = Vec::new();
        while let Some(event) = self.queue.pop() {
            match event.lane {
                Lane::Sense => self.array.sensed(&mut self.queue, event.source),
                _ => {
                    let cookie = self.array.ended(&mut self.queue, event.lane, event.source);
                    done.push((cookie, event.at.0));
                }
            }
        }
        done
    }
}

fn read() -> Work {
    Work::Read {
        sense: SENSE,
        bytes: 4096,
    }
}

fn program() -> Work {
    Work::Program {
        program: PROGRAM,
        bytes: 4096,
    }
}

#[test]
fn one_read_takes_sense_and_transfer() {
    let mut bench = Bench::new(1, 1);
    bench.submit(0, Class::HostRead, read(), 7);
    assert_eq!(bench.run(), [(7, (SENSE + TRANSFER).0)]);
}

#[test]
fn reads_on_two_dies_overlap_but_for_the_channel() {
    let mut bench = Bench::new(2, 1);
    bench.submit(0, Class::HostRead, read(), 0);
    bench.submit(1, Class::HostRead, read(), 1);
    let first = SENSE + TRANSFER;
    assert_eq!(bench.run(), [(0, first.0), (1, (first + TRANSFER).0)]);
}

#[test]
fn reads_on_two_channels_overlap_wholly() {
    let mut bench = Bench::new(2, 2);
    bench.submit(0, Class::HostRead, read(), 0);
    bench.submit(1, Class::HostRead, read(), 1);
    let end = (SENSE + TRANSFER).0;
    assert_eq!(bench.run(), [(0, end), (1, end)]);
}

#[test]
fn a_die_holds_its_register_until_the_data_has_left() {
    let mut bench = Bench::new(1, 1);
    bench.submit(0, Class::HostRead, read(), 0);
    bench.submit(0, Class::HostRead, read(), 1);
    let one = SENSE + TRANSFER;
    assert_eq!(bench.run(), [(0, one.0), (1, (one + one).0)]);
}

#[test]
fn a_program_holds_the_channel_only_while_data_moves() {
    let mut bench = Bench::new(2, 1);
    bench.submit(0, Class::HostProgram, program(), 0);
    bench.submit(1, Class::HostProgram, program(), 1);
    let first = TRANSFER + PROGRAM;
    assert_eq!(bench.run(), [(0, first.0), (1, (first + TRANSFER).0)]);
}

#[test]
fn a_waiting_read_passes_waiting_programs_but_stops_nothing() {
    let mut bench = Bench::new(1, 1);
    bench.submit(0, Class::Background, Work::OnDie { busy: PROGRAM }, 0);
    bench.submit(0, Class::HostProgram, program(), 1);
    bench.submit(0, Class::HostRead, read(), 2);
    let order: Vec<u64> = bench.run().iter().map(|d| d.0).collect();
    assert_eq!(order, [0, 2, 1]);
}

/// A program and an erase that wait under endless reads begin after as many operations as the
/// credits let pass.
#[test]
fn reads_without_end_do_not_starve_programs_and_erases() {
    let mut bench = Bench::new(1, 1);
    let credits = Credits {
        program_after: 3,
        background_after: 7,
    };
    bench.array = bench.array.with_scheduling(Scheduling::Credits(credits));
    for cookie in 0..20 {
        bench.submit(0, Class::HostRead, read(), cookie);
    }
    bench.submit(0, Class::Background, Work::Erase { erase: PROGRAM }, 101);
    bench.submit(0, Class::HostProgram, program(), 100);
    bench.submit(0, Class::HostProgram, program(), 102);
    let order: Vec<u64> = bench.run().iter().map(|d| d.0).collect();
    // The first read was under way before anything waited.
    assert_eq!(order[..11], [0, 1, 2, 3, 100, 4, 5, 6, 101, 102, 7]);
    assert_eq!(order[11..], (8..20).collect::<Vec<_>>());
}

#[test]
fn work_on_the_die_leaves_the_channel_free() {
    let mut bench = Bench::new(2, 1);
    bench.submit(0, Class::Background, Work::OnDie { busy: PROGRAM }, 0);
    bench.submit(1, Class::HostRead, read(), 1);
    assert_eq!(bench.run(), [(1, (SENSE + TRANSFER).0), (0, PROGRAM.0)]);
    assert!(bench.array.is_idle(0) && bench.array.is_idle(1));
}

#[test]
fn later_work_never_delays_data_that_is_ready() {
    // Die 0 senses long and needs the channel late; die 1 is ready early and must not wait for a
    // transfer that has not begun.
    let mut bench = Bench::new(2, 1);
    bench.submit(
        0,
        Class::HostRead,
        Work::Read {
            sense: SENSE * 4,
            bytes: 4096,
        },
        0,
    );
    bench.submit(1, Class::HostRead, read(), 1);
    assert_eq!(bench.run()[0], (1, (SENSE + TRANSFER).0));
    assert_eq!(bench.queue.now(), SimTime((SENSE * 4 + TRANSFER).0));
}

#[test]
fn submit_first_passes_waiting_work_of_its_class() {
    let mut bench = Bench::new(1, 1);
    for cookie in [1, 2, 3] {
        bench.submit(0, Class::HostProgram, program(), cookie);
    }
    bench.submit(0, Class::HostRead, read(), 4);
    let (array, queue) = (&mut bench.array, &mut bench.queue);
    array.submit_first(queue, 0, Class::HostProgram, program(), 5);
    // A class in which nothing waits, and work behind it.
    array.submit_first(queue, 0, Class::Background, program(), 6);
    bench.submit(0, Class::Background, program(), 7);
    let order: Vec<u64> = bench.run().iter().map(|done| done.0).collect();
    assert_eq!(order, [1, 4, 5, 2, 3, 6, 7]);
}
