//! Dies and channels as servers with queues.
//!
//! A die performs one operation at a time and holds its page register until the channel has moved
//! the data out. It takes its next work by [`Class`] and [`Scheduling`], first come first served
//! within a class.
//!
//! A channel moves one transfer at a time, first come first served, and a transfer is requested
//! only when its data is ready. The end of a transfer is therefore known when it is requested: a
//! channel is only the instant until which it is busy, and has no events.
//!
//! Dies with [`Abilities`] overlap operations: see [`crate::overlap`].

use stend_base::{EventQueue, Lane, Nanos, SimTime};

use stend_model::nand::{Abilities, Class, Scheduling};

use super::dies::{ArrayCounters, Dies, Work};
use super::overlap::Overlap;

/// All dies and channels of a drive. Die `d` is on channel `d % channels`.
///
/// The caller owns the event queue and chooses the kind of the dies' events. It passes each event
/// back through [`Array::sensed`] or [`Array::ended`], depending on its lane.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Array {
    dies: Dies,
    /// State of dies that overlap operations; `None` for others.
    overlap: Option<Box<Overlap>>,
}

impl Array {
    /// Returns an idle array. `bus_ps_per_byte` is the channel's time for a byte, ps;
    /// `transfer_overhead` is the time of the command and address cycles of each transfer.
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
        Array {
            dies: Dies::new(dies, channels, bus_ps_per_byte, transfer_overhead, kind_die),
            overlap: None,
        }
    }

    /// Returns the array with dies that overlap operations.
    #[must_use]
    pub fn with_abilities(mut self, abilities: Abilities) -> Array {
        self.overlap = Overlap::new(abilities, self.dies.count()).map(Box::new);
        self
    }

    /// Returns the array with an order of waiting work other than the strict one.
    #[must_use]
    pub fn with_scheduling(mut self, scheduling: Scheduling) -> Array {
        self.dies.set_scheduling(scheduling);
        self
    }

    /// Running totals. A transfer is counted when it is requested.
    pub fn counters(&self) -> ArrayCounters {
        self.dies.counters()
    }

    /// Time to move `bytes` over a channel.
    pub fn transfer_time(&self, bytes: u32) -> Nanos {
        self.dies.transfer_time(bytes)
    }

    /// True if `die` is idle; no work waits for it then.
    pub fn is_idle(&self, die: u32) -> bool {
        self.dies.is_idle(die)
    }

    /// True if any die works.
    pub fn is_busy(&self) -> bool {
        let leaving = self.overlap.as_ref().is_some_and(|o| o.any_leaves());
        leaving || self.dies.any_busy()
    }

    /// Cookies of the operation under way on `die` and of the one suspended for it.
    pub fn under_way(&self, die: u32) -> impl Iterator<Item = u64> {
        let present = (!self.is_idle(die)).then(|| self.dies.cookie(die));
        let suspended = self.overlap.as_ref().and_then(|o| o.suspended(die));
        present.into_iter().chain(suspended)
    }

    /// Cuts the power at `now`: drops all work, under way or waiting. The caller cancels the
    /// events.
    pub fn power_cut(&mut self, now: SimTime) {
        self.dies.power_cut(now);
        if let Some(overlap) = &mut self.overlap {
            overlap.power_cut();
        }
    }

    /// Submits `work` to `die`; `cookie` is returned when it has ended.
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
            return self.start(queue, die, work, cookie);
        }
        self.dies.wait(die, class, work, cookie);
        if let Some(overlap) = &mut self.overlap {
            overlap.work_waits(&mut self.dies, queue, die, class);
        }
    }

    /// Submits work, as [`Array::submit`] does, but ahead of the waiting work of the same class.
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
        self.dies.wait_first(die, class, work, cookie);
        if let Some(overlap) = &mut self.overlap {
            overlap.work_waits(&mut self.dies, queue, die, class);
        }
    }

    /// Handles an event of [`Lane::Sense`]: a die has sensed a page; the channel moves its data
    /// next.
    #[inline(always)]
    pub fn sensed(&mut self, queue: &mut EventQueue, die: u32) {
        match &mut self.overlap {
            None => self.dies.send(queue, die),
            Some(overlap) => overlap.sensed(&mut self.dies, queue, die),
        }
    }

    /// Handles an event of [`Lane::Move`] or [`Lane::Work`]: an operation of a die has ended, and
    /// the next one begins. Returns the cookie of the operation that has ended.
    #[inline(always)]
    pub fn ended(&mut self, queue: &mut EventQueue, lane: Lane, die: u32) -> u64 {
        if let Some(overlap) = &mut self.overlap {
            return overlap.ended(&mut self.dies, queue, lane, die);
        }
        let cookie = self.dies.end(die, queue.now());
        if let Some(next) = self.dies.next_waiting(die) {
            start_alone(&mut self.dies, queue, die, next.work(), next.cookie);
        }
        cookie
    }

    #[inline(always)]
    fn start(&mut self, queue: &mut EventQueue, die: u32, work: Work, cookie: u64) {
        match &mut self.overlap {
            None => start_alone(&mut self.dies, queue, die, work, cookie),
            Some(overlap) => overlap.start(&mut self.dies, queue, die, work, cookie),
        }
    }
}

/// Starts work, as [`Array::start`] does, on dies that do not overlap operations.
#[inline(always)]
fn start_alone(dies: &mut Dies, queue: &mut EventQueue, die: u32, work: Work, cookie: u64) {
    let now = queue.now();
    let (lane, event) = match work {
        Work::Read { sense, bytes } => {
            dies.sense(die, bytes);
            (Lane::Sense, now + sense)
        }
        Work::Program { program, bytes } => (Lane::Work, dies.load(die, now, bytes) + program),
        Work::OnDie { busy } | Work::Erase { erase: busy } => {
            dies.count_on_die();
            (Lane::Work, now + busy)
        }
    };
    dies.begin(die, now, cookie);
    dies.schedule(queue, lane, event, die);
}
