//! Dies and channels as servers of work.
//!
//! A die does one thing at a time and holds its page register until the data has left
//! over the channel; a channel moves one transfer at a time, first come first served.
//! A die picks its next work by [`Class`], and within a class by arrival. Nothing is
//! reserved ahead: work takes a die or channel at the instant it becomes free, so that
//! an operation never waits for one that has not yet begun.

use stend_base::{EventQueue, Nanos};

const NONE: u32 = u32::MAX;

/// Why a die works; lower goes first when the die becomes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A host waits for the data.
    HostRead = 0,
    /// Host data leaves the buffer.
    HostProgram = 1,
    /// The drive's own work: collection, folding, erasing.
    Background = 2,
}

const CLASSES: usize = 3;

/// One operation of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Keep the die busy without the channel: erase, on-chip copy.
    OnDie {
        /// How long.
        busy: Nanos,
    },
}

/// A finished operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// What the caller handed over with it.
    pub cookie: u64,
}

/// What the array has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayCounters {
    /// Page reads (multi-plane reads count once).
    pub reads: u64,
    /// Page programs (multi-plane programs count once).
    pub programs: u64,
    /// Operations without the channel: erases and on-chip copies.
    pub on_die: u64,
    /// Time dies spent busy, summed over dies, ns.
    pub die_busy_ns: u64,
    /// Time channels spent moving data, summed over channels, ns.
    pub channel_busy_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    work: Work,
    cookie: u64,
    die: u32,
    next: u32,
    sensed: bool,
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

impl List {
    const EMPTY: List = List {
        head: NONE,
        tail: NONE,
    };
}

#[derive(Clone, Debug)]
struct Die {
    current: u32,
    began_ns: u64,
    waiting: [List; CLASSES],
}

#[derive(Clone, Debug)]
struct Channel {
    current: u32,
    waiting: List,
}

/// All dies and channels of a drive. Die `d` hangs on channel `d % channels`.
///
/// The caller owns the event queue, chooses the two event kinds, and hands events back
/// through [`Array::on_die`] and [`Array::on_channel`].
#[derive(Clone, Debug)]
pub struct Array {
    dies: Vec<Die>,
    channels: Vec<Channel>,
    slots: Vec<Slot>,
    free: u32,
    bus_ps_per_byte: u64,
    transfer_overhead: Nanos,
    kind_die: u8,
    kind_channel: u8,
    counters: ArrayCounters,
}

impl Array {
    /// An idle array. `bus_ps_per_byte` is the channel's time for a byte in picoseconds;
    /// `transfer_overhead` the command and address cycles of each transfer.
    pub fn new(
        dies: u32,
        channels: u32,
        bus_ps_per_byte: u64,
        transfer_overhead: Nanos,
        kind_die: u8,
        kind_channel: u8,
    ) -> Array {
        assert!(channels > 0 && dies >= channels, "a channel without a die");
        Array {
            dies: vec![
                Die {
                    current: NONE,
                    began_ns: 0,
                    waiting: [List::EMPTY; CLASSES],
                };
                dies as usize
            ],
            channels: vec![
                Channel {
                    current: NONE,
                    waiting: List::EMPTY,
                };
                channels as usize
            ],
            slots: Vec::with_capacity(1024),
            free: NONE,
            bus_ps_per_byte,
            transfer_overhead,
            kind_die,
            kind_channel,
            counters: ArrayCounters::default(),
        }
    }

    /// What has been done so far.
    pub fn counters(&self) -> ArrayCounters {
        self.counters
    }

    /// Time of moving `bytes` over a channel.
    pub fn transfer_time(&self, bytes: u32) -> Nanos {
        Nanos(u64::from(bytes) * self.bus_ps_per_byte / 1000) + self.transfer_overhead
    }

    /// True while `die` does or awaits nothing.
    pub fn is_idle(&self, die: u32) -> bool {
        let die = &self.dies[die as usize];
        die.current == NONE && die.waiting.iter().all(|list| list.head == NONE)
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
        let slot = self.take_slot(Slot {
            work,
            cookie,
            die,
            next: NONE,
            sensed: false,
        });
        if self.dies[die as usize].current == NONE {
            self.start(queue, slot);
        } else {
            push(
                &mut self.dies[die as usize].waiting[class as usize],
                &mut self.slots,
                slot,
            );
        }
    }

    /// The event of a die: sensing, programming, erasing or copying has ended.
    #[inline]
    pub fn on_die(&mut self, queue: &mut EventQueue, die: u32) -> Option<Finished> {
        let slot = self.dies[die as usize].current;
        let sensed = matches!(self.slots[slot as usize].work, Work::Read { .. })
            && !std::mem::replace(&mut self.slots[slot as usize].sensed, true);
        if sensed {
            self.ask_channel(queue, slot);
            return None;
        }
        Some(self.finish(queue, slot))
    }

    /// The event of a channel: a transfer has ended.
    #[inline]
    pub fn on_channel(&mut self, queue: &mut EventQueue, channel: u32) {
        self.channels[channel as usize].current = NONE;
        let next = pop(
            &mut self.channels[channel as usize].waiting,
            &mut self.slots,
        );
        if next != NONE {
            self.start_transfer(queue, channel, next);
        }
    }

    fn start(&mut self, queue: &mut EventQueue, slot: u32) {
        let Slot { work, die, .. } = self.slots[slot as usize];
        self.dies[die as usize].current = slot;
        self.dies[die as usize].began_ns = queue.now().0;
        match work {
            Work::Read { sense, .. } => {
                self.counters.reads += 1;
                queue.schedule(queue.now() + sense, self.kind_die, die);
            }
            Work::Program { .. } => {
                self.counters.programs += 1;
                self.ask_channel(queue, slot);
            }
            Work::OnDie { busy } => {
                self.counters.on_die += 1;
                queue.schedule(queue.now() + busy, self.kind_die, die);
            }
        }
    }

    fn ask_channel(&mut self, queue: &mut EventQueue, slot: u32) {
        let channel = self.slots[slot as usize].die % self.channels.len() as u32;
        if self.channels[channel as usize].current == NONE {
            self.start_transfer(queue, channel, slot);
        } else {
            push(
                &mut self.channels[channel as usize].waiting,
                &mut self.slots,
                slot,
            );
        }
    }

    fn start_transfer(&mut self, queue: &mut EventQueue, channel: u32, slot: u32) {
        let (bytes, then) = match self.slots[slot as usize].work {
            Work::Read { bytes, .. } => (bytes, Nanos::ZERO),
            Work::Program { bytes, program } => (bytes, program),
            Work::OnDie { .. } => unreachable!("work without a transfer asked for the channel"),
        };
        self.channels[channel as usize].current = slot;
        let time = self.transfer_time(bytes);
        self.counters.channel_busy_ns += time.0;
        queue.schedule(queue.now() + time, self.kind_channel, channel);
        let die = self.slots[slot as usize].die;
        queue.schedule(queue.now() + time + then, self.kind_die, die);
    }

    fn finish(&mut self, queue: &mut EventQueue, slot: u32) -> Finished {
        let Slot { cookie, die, .. } = self.slots[slot as usize];
        self.slots[slot as usize].next = self.free;
        self.free = slot;
        let began_ns = self.dies[die as usize].began_ns;
        self.counters.die_busy_ns += queue.now().0 - began_ns;
        self.dies[die as usize].current = NONE;
        for class in 0..CLASSES {
            let next = pop(&mut self.dies[die as usize].waiting[class], &mut self.slots);
            if next != NONE {
                self.start(queue, next);
                break;
            }
        }
        Finished { cookie }
    }

    fn take_slot(&mut self, slot: Slot) -> u32 {
        if self.free == NONE {
            self.slots.push(slot);
            return (self.slots.len() - 1) as u32;
        }
        let index = self.free;
        self.free = self.slots[index as usize].next;
        self.slots[index as usize] = slot;
        index
    }
}

fn push(list: &mut List, slots: &mut [Slot], slot: u32) {
    slots[slot as usize].next = NONE;
    if list.head == NONE {
        list.head = slot;
    } else {
        slots[list.tail as usize].next = slot;
    }
    list.tail = slot;
}

fn pop(list: &mut List, slots: &mut [Slot]) -> u32 {
    let slot = list.head;
    if slot != NONE {
        list.head = slots[slot as usize].next;
    }
    slot
}
