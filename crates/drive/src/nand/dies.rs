//! State of dies and channels: the work of each die, the work that waits for it, and the instant
//! until which each channel is busy.

use stend_base::{EventQueue, Lane, Nanos, SimTime};

use stend_model::nand::schedule::{CLASSES, Class, Schedule, Scheduling, Waits};

const NONE: u32 = u32::MAX;

/// One operation of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Work {
    /// Senses for `sense`, then moves `bytes` to the controller.
    Read {
        /// tR.
        sense: Nanos,
        /// Bytes moved over the channel.
        bytes: u32,
    },
    /// Moves `bytes` to the die, then programs for `program`.
    Program {
        /// tPROG.
        program: Nanos,
        /// Bytes moved over the channel.
        bytes: u32,
    },
    /// Keeps the die busy without the channel: on-chip copy.
    OnDie {
        /// Time for which the die is busy.
        busy: Nanos,
    },
    /// Erases a block on every plane.
    Erase {
        /// tBERS.
        erase: Nanos,
    },
}

/// Running totals of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ArrayCounters {
    /// Page reads (multi-plane reads count once).
    pub reads: u64,
    /// Page programs (multi-plane programs count once).
    pub programs: u64,
    /// Operations without the channel: erases and on-chip copies.
    pub on_die: u64,
    /// Bytes moved over the channels.
    pub channel_bytes: u64,
    /// Time for which dies were busy, summed over dies, ns.
    pub die_busy_ns: u64,
    /// Time for which channels moved data, summed over channels, ns.
    pub channel_busy_ns: u64,
    /// Suspensions of programs and erases for a read.
    pub suspensions: u64,
}

/// Work that waits for its die.
///
/// It is [`Work`] in 64-bit numbers: copying a struct right after its smaller fields were stored
/// would stall on store-to-load forwarding.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Waiting {
    time: Nanos,
    /// Bytes to move, above two bits for the kind of work.
    bytes_kind: u64,
    pub cookie: u64,
    next: u32,
}

impl Waiting {
    #[inline]
    fn new(work: Work, cookie: u64) -> Waiting {
        let (kind, time, bytes) = match work {
            Work::Read { sense, bytes } => (0, sense, bytes),
            Work::Program { program, bytes } => (1, program, bytes),
            Work::OnDie { busy } => (2, busy, 0),
            Work::Erase { erase } => (3, erase, 0),
        };
        Waiting {
            time,
            bytes_kind: u64::from(bytes) << 2 | kind,
            cookie,
            next: NONE,
        }
    }

    #[inline]
    pub fn work(&self) -> Work {
        let (time, bytes) = (self.time, (self.bytes_kind >> 2) as u32);
        match self.bytes_kind & 3 {
            0 => Work::Read { sense: time, bytes },
            1 => Work::Program {
                program: time,
                bytes,
            },
            2 => Work::OnDie { busy: time },
            _ => Work::Erase { erase: time },
        }
    }
}

/// Linked list of [`Waiting`].
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct List {
    head: u32,
    tail: u32,
}

impl List {
    const EMPTY: List = List {
        head: NONE,
        tail: NONE,
    };

    fn is_empty(&self) -> bool {
        self.head == NONE
    }
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Die {
    busy: bool,
    channel: u32,
    /// Bytes that a read moves after sensing.
    bytes: u32,
    cookie: u64,
    began: SimTime,
    waiting: [List; CLASSES],
    /// Number of operations of higher classes that have begun while work of the class waited.
    passed: [u32; CLASSES],
}

/// Dies and channels of an array.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Dies {
    dies: Vec<Die>,
    /// Instant until which each channel is busy.
    channels: Vec<SimTime>,
    waiting: Vec<Waiting>,
    free: u32,
    bus_ps_per_byte: u64,
    transfer_overhead: Nanos,
    kind: u8,
    scheduling: Scheduling,
    counters: ArrayCounters,
}

impl Dies {
    pub fn new(dies: u32, channels: u32, bus_ps_per_byte: u64, overhead: Nanos, kind: u8) -> Dies {
        assert!(dies > 0 && channels > 0, "an array needs dies and channels");
        let die = |die| Die {
            busy: false,
            channel: die % channels,
            bytes: 0,
            cookie: 0,
            began: SimTime::ZERO,
            waiting: [List::EMPTY; CLASSES],
            passed: [0; CLASSES],
        };
        Dies {
            dies: (0..dies).map(die).collect(),
            channels: vec![SimTime::ZERO; channels as usize],
            waiting: Vec::with_capacity(1024),
            free: NONE,
            bus_ps_per_byte,
            transfer_overhead: overhead,
            kind,
            scheduling: Scheduling::Strict,
            counters: ArrayCounters::default(),
        }
    }

    /// Sets the order of waiting work.
    pub fn set_scheduling(&mut self, scheduling: Scheduling) {
        self.scheduling = scheduling;
    }

    /// Number of reads that may pass a program whose data is already in the register of its die.
    pub fn reads_past_program(&self) -> u32 {
        self.scheduling.reads_past_program()
    }

    /// Number of dies.
    pub fn count(&self) -> usize {
        self.dies.len()
    }

    pub fn counters(&self) -> ArrayCounters {
        self.counters
    }

    /// Time to move `bytes` over a channel.
    #[inline]
    pub fn transfer_time(&self, bytes: u32) -> Nanos {
        Nanos(u64::from(bytes) * self.bus_ps_per_byte / 1000) + self.transfer_overhead
    }

    /// True if a die is idle; no work waits for it then.
    #[inline]
    pub fn is_idle(&self, die: u32) -> bool {
        // A die that becomes free begins its waiting work at once.
        !self.dies[die as usize].busy
    }

    /// True if any die works.
    pub fn any_busy(&self) -> bool {
        self.dies.iter().any(|die| die.busy)
    }

    /// Cookie of the operation that a die began last.
    #[inline]
    pub fn cookie(&self, die: u32) -> u64 {
        self.dies[die as usize].cookie
    }

    /// Drops all work, under way or waiting.
    pub fn power_cut(&mut self, now: SimTime) {
        for die in &mut self.dies {
            if die.busy {
                self.counters.die_busy_ns += now.since(die.began).0;
            }
            die.busy = false;
            die.waiting = [List::EMPTY; CLASSES];
            die.passed = [0; CLASSES];
        }
        self.channels.fill(now);
        self.waiting.clear();
        self.free = NONE;
    }

    /// Notes that a die begins an operation.
    #[inline(always)]
    pub fn begin(&mut self, die: u32, now: SimTime, cookie: u64) {
        let this = &mut self.dies[die as usize];
        this.busy = true;
        this.cookie = cookie;
        this.began = now;
    }

    /// Notes that a die ends or suspends its operation. Returns the cookie of the operation.
    #[inline(always)]
    pub fn end(&mut self, die: u32, now: SimTime) -> u64 {
        let this = &mut self.dies[die as usize];
        this.busy = false;
        self.counters.die_busy_ns += now.since(this.began).0;
        this.cookie
    }

    /// Notes that a die begins to sense a page, of which it sends `bytes`.
    #[inline(always)]
    pub fn sense(&mut self, die: u32, bytes: u32) {
        self.counters.reads += 1;
        self.dies[die as usize].bytes = bytes;
    }

    /// Moves the data of a program to a die. Returns the instant at which it has arrived.
    #[inline(always)]
    pub fn load(&mut self, die: u32, now: SimTime, bytes: u32) -> SimTime {
        self.counters.programs += 1;
        self.transfer(die, now, bytes)
    }

    /// Counts an operation without the channel.
    #[inline(always)]
    pub fn count_on_die(&mut self) {
        self.counters.on_die += 1;
    }

    pub fn count_suspension(&mut self) {
        self.counters.suspensions += 1;
    }

    /// Schedules an event of a die.
    #[inline(always)]
    pub fn schedule(&self, queue: &mut EventQueue, lane: Lane, at: SimTime, die: u32) {
        queue.schedule(lane, at, self.kind, die);
    }

    /// Cancels the end of a die's operation.
    pub fn cancel_end(&self, queue: &mut EventQueue, die: u32) {
        queue.cancel_in(Lane::Work, self.kind, die);
    }

    /// Same as [`EventQueue::has_passed`], for an event of a die in [`Lane::Sense`].
    pub fn has_passed(&self, queue: &EventQueue, at: SimTime, die: u32) -> bool {
        queue.has_passed(Lane::Sense, at, self.kind, die)
    }

    /// Moves the data that a die has sensed over its channel; the end of the transfer is an event.
    #[inline(always)]
    pub fn send(&mut self, queue: &mut EventQueue, die: u32) {
        let bytes = self.dies[die as usize].bytes;
        let end = self.transfer(die, queue.now(), bytes);
        self.schedule(queue, Lane::Move, end, die);
    }

    /// Requests a transfer on a die's channel. Returns the instant at which it ends.
    #[inline]
    fn transfer(&mut self, die: u32, now: SimTime, bytes: u32) -> SimTime {
        let time = self.transfer_time(bytes);
        let channel = &mut self.channels[self.dies[die as usize].channel as usize];
        *channel = now.max(*channel) + time;
        self.counters.channel_busy_ns += time.0;
        self.counters.channel_bytes += u64::from(bytes);
        *channel
    }

    /// Queues work for a die behind the waiting work of its class.
    #[inline]
    pub fn wait(&mut self, die: u32, class: Class, work: Work, cookie: u64) {
        let entry = Waiting::new(work, cookie);
        let index = if self.free == NONE {
            self.waiting.push(entry);
            (self.waiting.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.waiting[index as usize].next;
            self.waiting[index as usize] = entry;
            index
        };
        let list = &mut self.dies[die as usize].waiting[class as usize];
        if list.head == NONE {
            list.head = index;
        } else {
            self.waiting[list.tail as usize].next = index;
        }
        list.tail = index;
    }

    /// Queues work for a die ahead of the waiting work of its class.
    #[cold]
    pub fn wait_first(&mut self, die: u32, class: Class, work: Work, cookie: u64) {
        let before = self.dies[die as usize].waiting[class as usize];
        self.dies[die as usize].waiting[class as usize] = List::EMPTY;
        self.wait(die, class, work, cookie);
        let list = &mut self.dies[die as usize].waiting[class as usize];
        if !before.is_empty() {
            self.waiting[list.tail as usize].next = before.head;
            list.tail = before.tail;
        }
    }

    /// Takes the next work, if any waits.
    #[inline]
    pub fn next_waiting(&mut self, die: u32) -> Option<Waiting> {
        let class = self.next_class(die)?;
        Some(self.take_waiting(die, class))
    }

    /// Class of the next work.
    #[inline(always)]
    fn next_class(&self, die: u32) -> Option<usize> {
        let waiting = &self.dies[die as usize].waiting;
        let first = waiting.iter().position(|list| !list.is_empty())?;
        // Mostly work of only one class waits, and there is nothing to choose.
        match waiting[first + 1..].iter().all(List::is_empty) {
            true => Some(first),
            false => self.choose_class(die),
        }
    }

    #[inline(never)]
    fn choose_class(&self, die: u32) -> Option<usize> {
        let Die {
            waiting, passed, ..
        } = &self.dies[die as usize];
        self.scheduling.next(&Waits {
            waits: waiting.map(|list| !list.is_empty()),
            passed: *passed,
        })
    }

    /// True if work waits for a die.
    #[inline]
    pub fn any_waits(&self, die: u32) -> bool {
        let lists = &self.dies[die as usize].waiting;
        lists.iter().any(|list| !list.is_empty())
    }

    /// Class of the next work, and the work.
    pub fn peek_waiting(&self, die: u32) -> Option<(usize, Work)> {
        let class = self.next_class(die)?;
        let list = &self.dies[die as usize].waiting[class];
        Some((class, self.waiting[list.head as usize].work()))
    }

    /// True if a read of the host waits for a die.
    #[inline]
    pub fn read_waits(&self, die: u32) -> bool {
        !self.dies[die as usize].waiting[Class::HostRead as usize].is_empty()
    }

    /// Takes the oldest work of a class that is not empty: it passes the waiting work of lower
    /// classes.
    #[inline]
    pub fn take_waiting(&mut self, die: u32, class: usize) -> Waiting {
        let Die {
            waiting, passed, ..
        } = &mut self.dies[die as usize];
        passed[class] = 0;
        for lower in class + 1..CLASSES {
            passed[lower] = passed[lower].saturating_add(u32::from(!waiting[lower].is_empty()));
        }
        let list = &mut waiting[class];
        let index = list.head;
        let entry = self.waiting[index as usize];
        list.head = entry.next;
        self.waiting[index as usize].next = self.free;
        self.free = index;
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_work_is_unpacked_as_it_was_packed() {
        let (time, bytes) = (Nanos(u64::MAX), u32::MAX);
        for work in [
            Work::Read { sense: time, bytes },
            Work::Program {
                program: time,
                bytes,
            },
            Work::OnDie { busy: time },
            Work::Erase { erase: time },
        ] {
            assert_eq!(Waiting::new(work, 7).work(), work);
        }
    }
}
