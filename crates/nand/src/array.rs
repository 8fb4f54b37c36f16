//! Dies and channels as servers of work.
//!
//! A die does one thing at a time and holds its page register until the data has left
//! over the channel. It picks its next work by [`Class`], and within a class by arrival.
//!
//! A channel moves one transfer at a time, first come first served. So the end of a
//! transfer is known when it is asked for: no later transfer can come before it. A channel
//! is therefore the instant until which it is taken, and takes part in no event; a
//! transfer is asked for only when its data is ready, so that none waits for one that has
//! not yet begun.

use stend_base::{EventQueue, Lane, Nanos, SimTime};

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

/// Work that waits for its die.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    work: Work,
    cookie: u64,
    next: u32,
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
    busy: bool,
    channel: u32,
    /// Bytes to be moved when a read has sensed.
    bytes: u32,
    cookie: u64,
    began: SimTime,
    waiting: [List; CLASSES],
}

/// All dies and channels of a drive. Die `d` hangs on channel `d % channels`.
///
/// The caller owns the event queue, chooses the kind of a die's events, and hands them
/// back through [`Array::sensed`] and [`Array::ended`], as their lane tells.
#[derive(Clone, Debug)]
pub struct Array {
    dies: Vec<Die>,
    /// Until when each channel is taken.
    channels: Vec<SimTime>,
    waiting: Vec<Waiting>,
    free: u32,
    bus_ps_per_byte: u64,
    transfer_overhead: Nanos,
    kind_die: u8,
    counters: ArrayCounters,
}

impl Array {
    /// An idle array. `bus_ps_per_byte` is the channel's time for a byte in picoseconds;
    /// `transfer_overhead` the command and address cycles of each transfer.
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
        }
    }

    /// What has been done so far. A transfer counts when it is asked for.
    pub fn counters(&self) -> ArrayCounters {
        self.counters
    }

    /// Time of moving `bytes` over a channel.
    #[inline]
    pub fn transfer_time(&self, bytes: u32) -> Nanos {
        Nanos(u64::from(bytes) * self.bus_ps_per_byte / 1000) + self.transfer_overhead
    }

    /// True while `die` does or awaits nothing.
    pub fn is_idle(&self, die: u32) -> bool {
        // A die that becomes free begins what waits for it at once.
        !self.dies[die as usize].busy
    }

    /// The cookie of what `die` is working on.
    pub fn under_way(&self, die: u32) -> Option<u64> {
        let die = &self.dies[die as usize];
        die.busy.then_some(die.cookie)
    }

    /// The power is gone at `now`: nothing is under way and nothing waits. The caller
    /// forgets the events.
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
        }
    }

    /// A die has sensed ([`Lane::Sense`]): its data goes over the channel.
    #[inline]
    pub fn sensed(&mut self, queue: &mut EventQueue, die: u32) {
        let bytes = self.dies[die as usize].bytes;
        let end = self.transfer(die, queue.now(), bytes);
        queue.schedule(Lane::Move, end, self.kind_die, die);
    }

    /// The work of a die has ended ([`Lane::Move`], [`Lane::Work`]); the next begins.
    #[inline]
    pub fn ended(&mut self, queue: &mut EventQueue, die: u32) -> Finished {
        let now = queue.now();
        let this = &mut self.dies[die as usize];
        let cookie = this.cookie;
        this.busy = false;
        self.counters.die_busy_ns += now.since(this.began).0;
        if let Some(next) = self.next_waiting(die) {
            self.start(queue, die, next.work, next.cookie);
        }
        Finished { cookie }
    }

    #[inline(always)]
    fn start(&mut self, queue: &mut EventQueue, die: u32, work: Work, cookie: u64) {
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
            Work::OnDie { busy } => {
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

    /// Takes the next place on a die's channel; the end of the transfer.
    #[inline]
    fn transfer(&mut self, die: u32, now: SimTime, bytes: u32) -> SimTime {
        let time = self.transfer_time(bytes);
        let channel = &mut self.channels[self.dies[die as usize].channel as usize];
        *channel = now.max(*channel) + time;
        self.counters.channel_busy_ns += time.0;
        *channel
    }

    #[inline]
    fn wait(&mut self, die: u32, class: Class, work: Work, cookie: u64) {
        let entry = Waiting {
            work,
            cookie,
            next: NONE,
        };
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
    fn next_waiting(&mut self, die: u32) -> Option<Waiting> {
        let lists = &mut self.dies[die as usize].waiting;
        let list = lists.iter_mut().find(|list| list.head != NONE)?;
        let index = list.head;
        let entry = self.waiting[index as usize];
        list.head = entry.next;
        self.waiting[index as usize].next = self.free;
        self.free = index;
        Some(entry)
    }
}
