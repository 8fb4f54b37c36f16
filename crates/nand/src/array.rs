//! Dies and channels as servers with queues.
//!
//! A die does one operation at a time and holds its page register until the data has left over
//! the channel. It takes its next work by [`Class`], first come first served within a class.
//!
//! A channel moves one transfer at a time, first come first served, and a transfer is requested
//! only when its data is ready. So the end of a transfer is known when it is requested: a channel
//! is just the instant until which it is taken, and has no events.
//!
//! Dies with [`Abilities`] overlap operations: see [`crate::overlap`].

use stend_base::{EventQueue, Lane, Nanos, SimTime};

use crate::overlap::{Abilities, Overlap};

const NONE: u32 = u32::MAX;

/// Priority of work; the lower goes first when its die becomes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Class {
    /// A host waits for the data.
    HostRead = 0,
    /// Host data leaves the buffer.
    HostProgram = 1,
    /// The drive's own work: garbage collection, folding, erasing.
    Background = 2,
}

const CLASSES: usize = 3;

/// One operation of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Work {
    /// Sense for `sense`, then move `bytes` to the controller.
    Read {
        /// tR.
        sense: Nanos,
        /// Bytes over the channel.
        bytes: u32,
    },
    /// Move `bytes` to the die, then program for `program`.
    Program {
        /// tPROG.
        program: Nanos,
        /// Bytes over the channel.
        bytes: u32,
    },
    /// Keep the die busy without the channel: on-chip copy.
    OnDie {
        /// Time that the die is busy.
        busy: Nanos,
    },
    /// Erase a block on every plane.
    Erase {
        /// tBERS.
        erase: Nanos,
    },
}

/// An operation that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The number that the caller handed over with the operation.
    pub cookie: u64,
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
    /// Time dies spent busy, summed over dies, ns.
    pub die_busy_ns: u64,
    /// Time channels spent moving data, summed over channels, ns.
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

/// A linked list of [`Waiting`].
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct List {
    head: u32,
    tail: u32,
}

impl List {
    const EMPTY: List = List {
        head: NONE,
        tail: NONE,
    };

    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Die {
    pub busy: bool,
    channel: u32,
    /// Bytes that a read moves when it has sensed.
    pub bytes: u32,
    pub cookie: u64,
    pub began: SimTime,
    pub waiting: [List; CLASSES],
}

/// All dies and channels of a drive. Die `d` hangs on channel `d % channels`.
///
/// The caller owns the event queue and chooses the kind of the dies' events. It hands each event
/// back through [`Array::sensed`] or [`Array::ended`], depending on its lane.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Array {
    pub(crate) dies: Vec<Die>,
    /// Until when each channel is taken.
    channels: Vec<SimTime>,
    waiting: Vec<Waiting>,
    free: u32,
    bus_ps_per_byte: u64,
    transfer_overhead: Nanos,
    pub(crate) kind_die: u8,
    pub(crate) counters: ArrayCounters,
    /// Only for dies that overlap operations.
    pub(crate) overlap: Option<Box<Overlap>>,
}

impl Array {
    /// An idle array. `bus_ps_per_byte` is the channel's time for a byte, ps;
    /// `transfer_overhead` the time of the command and address cycles of each transfer.
    ///
    /// # Panics
    /// Without a die or a channel.
    pub fn new(
        dies: u32,
        channels: u32,
        bus_ps_per_byte: u64,
        transfer_overhead: Nanos,
        kind_die: u8,
    ) -> Array {
        assert!(dies > 0 && channels > 0, "an array needs dies and channels");
        let die = |die| Die {
            busy: false,
            channel: die % channels,
            bytes: 0,
            cookie: 0,
            began: SimTime::ZERO,
            waiting: [List::EMPTY; CLASSES],
        };
        Array {
            dies: (0..dies).map(die).collect(),
            channels: vec![SimTime::ZERO; channels as usize],
            waiting: Vec::with_capacity(1024),
            free: NONE,
            bus_ps_per_byte,
            transfer_overhead,
            kind_die,
            counters: ArrayCounters::default(),
            overlap: None,
        }
    }

    /// The array with dies that overlap operations.
    #[must_use]
    pub fn with_abilities(mut self, abilities: Abilities) -> Array {
        self.overlap = Overlap::new(abilities, self.dies.len()).map(Box::new);
        self
    }

    /// Running totals. A transfer counts when it is requested.
    pub fn counters(&self) -> ArrayCounters {
        self.counters
    }

    /// Time to move `bytes` over a channel.
    #[inline]
    pub fn transfer_time(&self, bytes: u32) -> Nanos {
        Nanos(u64::from(bytes) * self.bus_ps_per_byte / 1000) + self.transfer_overhead
    }

    /// Whether `die` does nothing; no work waits for it then.
    pub fn is_idle(&self, die: u32) -> bool {
        // A die that becomes free begins the work that waits for it at once.
        !self.dies[die as usize].busy
    }

    /// Whether any die works.
    pub fn is_busy(&self) -> bool {
        let leaving = self.overlap.as_ref().is_some_and(|o| o.any_leaves());
        leaving || self.dies.iter().any(|die| die.busy)
    }

    /// Cookies of the operation under way on `die` and of the one suspended for it.
    pub fn under_way(&self, die: u32) -> impl Iterator<Item = u64> {
        let this = &self.dies[die as usize];
        let interrupted = self.overlap.as_ref().and_then(|o| o.suspended(die));
        this.busy
            .then_some(this.cookie)
            .into_iter()
            .chain(interrupted)
    }

    /// The power is gone at `now`: nothing is under way and nothing waits any more. The caller
    /// cancels the events.
    pub fn power_cut(&mut self, now: SimTime) {
        for die in &mut self.dies {
            if die.busy {
                self.counters.die_busy_ns += now.since(die.began).0;
            }
            die.busy = false;
            die.waiting = [List::EMPTY; CLASSES];
        }
        self.channels.fill(now);
        self.waiting.clear();
        self.free = NONE;
        if let Some(overlap) = &mut self.overlap {
            overlap.power_cut();
        }
    }

    /// Hands `work` to `die`; `cookie` comes back in [`Finished`].
    #[inline]
    pub fn submit(
        &mut self,
        queue: &mut EventQueue,
        die: u32,
        class: Class,
        work: Work,
        cookie: u64,
    ) {
        if self.is_idle(die) {
            self.start(queue, die, work, cookie);
        } else {
            self.wait(die, class, work, cookie);
            if self.overlap.is_some() {
                self.overlap_waiting(queue, die, class);
            }
        }
    }

    /// [`Array::submit`], before the work of the same class that waits for the die.
    #[cold]
    pub fn submit_first(
        &mut self,
        queue: &mut EventQueue,
        die: u32,
        class: Class,
        work: Work,
        cookie: u64,
    ) {
        if self.is_idle(die) {
            return self.start(queue, die, work, cookie);
        }
        let before = self.dies[die as usize].waiting[class as usize];
        self.dies[die as usize].waiting[class as usize] = List::EMPTY;
        self.wait(die, class, work, cookie);
        let list = &mut self.dies[die as usize].waiting[class as usize];
        if !before.is_empty() {
            self.waiting[list.tail as usize].next = before.head;
            list.tail = before.tail;
        }
        if self.overlap.is_some() {
            self.overlap_waiting(queue, die, class);
        }
    }

    /// Handles an event of [`Lane::Sense`]: a die has sensed, and its data goes over the channel.
    #[inline]
    pub fn sensed(&mut self, queue: &mut EventQueue, die: u32) {
        if self.overlap.is_some() {
            return self.overlap_sensed(queue, die);
        }
        let bytes = self.dies[die as usize].bytes;
        let end = self.transfer(die, queue.now(), bytes);
        queue.schedule(Lane::Move, end, self.kind_die, die);
    }

    /// Handles an event of [`Lane::Move`] or [`Lane::Work`]: an operation of a die has ended, and
    /// the next begins.
    #[inline(always)]
    pub fn ended(&mut self, queue: &mut EventQueue, lane: Lane, die: u32) -> Finished {
        if self.overlap.is_some() {
            return self.overlap_ended(queue, lane, die);
        }
        let now = queue.now();
        let this = &mut self.dies[die as usize];
        let cookie = this.cookie;
        this.busy = false;
        self.counters.die_busy_ns += now.since(this.began).0;
        if let Some(next) = self.next_waiting(die) {
            self.start_alone(queue, die, next.work(), next.cookie);
        }
        Finished { cookie }
    }

    #[inline(always)]
    fn start(&mut self, queue: &mut EventQueue, die: u32, work: Work, cookie: u64) {
        if self.overlap.is_some() {
            return self.overlap_start(queue, die, work, cookie);
        }
        self.start_alone(queue, die, work, cookie);
    }

    /// [`Array::start`] on dies that do not overlap operations.
    #[inline(always)]
    fn start_alone(&mut self, queue: &mut EventQueue, die: u32, work: Work, cookie: u64) {
        let now = queue.now();
        let (lane, event) = match work {
            Work::Read { sense, bytes } => {
                self.counters.reads += 1;
                self.dies[die as usize].bytes = bytes;
                (Lane::Sense, now + sense)
            }
            Work::Program { program, bytes } => {
                self.counters.programs += 1;
                (Lane::Work, self.transfer(die, now, bytes) + program)
            }
            Work::OnDie { busy } | Work::Erase { erase: busy } => {
                self.counters.on_die += 1;
                (Lane::Work, now + busy)
            }
        };
        let this = &mut self.dies[die as usize];
        this.busy = true;
        this.cookie = cookie;
        this.began = now;
        queue.schedule(lane, event, self.kind_die, die);
    }

    /// Requests a transfer on a die's channel. When it ends.
    #[inline]
    pub(crate) fn transfer(&mut self, die: u32, now: SimTime, bytes: u32) -> SimTime {
        let time = self.transfer_time(bytes);
        let channel = &mut self.channels[self.dies[die as usize].channel as usize];
        *channel = now.max(*channel) + time;
        self.counters.channel_busy_ns += time.0;
        self.counters.channel_bytes += u64::from(bytes);
        *channel
    }

    #[inline]
    fn wait(&mut self, die: u32, class: Class, work: Work, cookie: u64) {
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

    #[inline]
    pub(crate) fn next_waiting(&mut self, die: u32) -> Option<Waiting> {
        let lists = &mut self.dies[die as usize].waiting;
        let class = lists.iter().position(|list| !list.is_empty())?;
        Some(self.take_waiting(die, class))
    }

    /// Whether work waits for a die.
    #[inline]
    pub(crate) fn any_waits(&self, die: u32) -> bool {
        let lists = &self.dies[die as usize].waiting;
        lists.iter().any(|list| !list.is_empty())
    }

    /// The class of the work that is next, and the work.
    pub(crate) fn peek_waiting(&self, die: u32) -> Option<(usize, Work)> {
        let lists = &self.dies[die as usize].waiting;
        let class = lists.iter().position(|list| !list.is_empty())?;
        Some((class, self.waiting[lists[class].head as usize].work()))
    }

    /// Takes the oldest work of a class that is not empty.
    #[inline]
    pub(crate) fn take_waiting(&mut self, die: u32, class: usize) -> Waiting {
        let list = &mut self.dies[die as usize].waiting[class];
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
