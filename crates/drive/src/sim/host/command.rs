//! Host commands: from arrival to completion.

use std::collections::VecDeque;

use stend_base::{Lane, Nanos, Op, Request, SimTime, Status};

use crate::sim::controller::Job;
use crate::sim::map::layout::Pool;
use crate::sim::{Arrival, SimDrive, kind};
use crate::spec::{Spec, UNIT_BYTES};

/// A command that the drive has accepted.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Command {
    pub tag: u32,
    /// The sender.
    pub queue: u16,
    pub op: Op,
    pub offset_bytes: u64,
    pub len_bytes: u64,
    /// Bytes not yet moved over the link.
    pub bytes_left: u64,
    /// Bytes of a write not yet admitted to the buffer.
    pub to_admit: u64,
    /// A write that is complete only when it is programmed.
    pub fua: bool,
    /// The same, in a drive that keeps account of what is durable: it ends as a flush does.
    pub forced: bool,
    /// A write for which more than room is to be looked after.
    pub careful: bool,
    /// Units promised to what fills its last slot up.
    pub padding: u32,
    /// Programs it waits for.
    pub programs_left: u32,
    /// Given up half way, it passes the SLC cache by though what is left of it would not.
    pub past_cache: bool,
    /// The unit whose work is part of the command's has not come yet.
    pub first_unit_due: bool,
    /// It needs the buffer, which serves one direction at a time.
    pub takes_turns: bool,
    /// Nothing has gone over the link yet.
    untouched: bool,
    pub status: Status,
}

impl Command {
    /// First unit touched, and the one after the last.
    pub fn units(&self) -> (u32, u32) {
        let end = self.offset_bytes + self.len_bytes;
        (
            (self.offset_bytes / UNIT_BYTES) as u32,
            end.div_ceil(UNIT_BYTES) as u32,
        )
    }
}

/// A command that has ended, on its way to the sender.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ending {
    pub tag: u32,
    pub queue: u16,
    /// When the host is interrupted for it.
    pub at: SimTime,
    pub status: Status,
}

/// A queue between host and drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Queue {
    /// Commands in the drive.
    active: u32,
    /// Requests that wait in the host for one of them to end.
    waiting: VecDeque<Request>,
}

/// The commands in the drive, and those that wait in the host.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Commands {
    slots: Vec<Command>,
    free: Vec<u32>,
    queues: Vec<Queue>,
    /// There is more than one.
    several: bool,
    /// Commands in the drive that a queue may have.
    most: u32,
    /// TRIM and flush are not queued: each is alone in the drive.
    trim_alone: bool,
    flush_alone: bool,
    /// Such a command is in the drive.
    alone: bool,
    /// Submitted by the host and not yet known complete to it.
    pub outstanding: u32,
    pub flushes: Vec<(u32, u64)>,
}

const NO_COMMAND: Command = Command {
    tag: 0,
    queue: 0,
    op: Op::Flush,
    offset_bytes: 0,
    len_bytes: 0,
    bytes_left: 0,
    to_admit: 0,
    fua: false,
    forced: false,
    careful: false,
    padding: 0,
    programs_left: 0,
    past_cache: false,
    first_unit_due: false,
    takes_turns: false,
    untouched: false,
    status: Status::Ok,
};

impl Commands {
    pub fn new(spec: &Spec) -> Commands {
        let host = &spec.host;
        let queues = host.pcie.as_ref().map_or(1, |pcie| pcie.queues);
        let queue = Queue {
            active: 0,
            waiting: VecDeque::new(),
        };
        Commands {
            slots: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            queues: vec![queue; queues as usize],
            several: queues > 1,
            most: host.slots,
            trim_alone: !spec.trim.queued,
            flush_alone: !host.flush_queued,
            alone: false,
            outstanding: 0,
            flushes: Vec::with_capacity(64),
        }
    }

    /// The queue of a sender.
    #[inline(always)]
    fn queue_of(&mut self, sender: u16) -> &mut Queue {
        let number = match self.several {
            false => 0,
            true => usize::from(sender) % self.queues.len(),
        };
        &mut self.queues[number]
    }

    /// Whether a command must be alone in the drive.
    #[inline]
    fn is_alone(&self, op: Op) -> bool {
        match op {
            Op::Read | Op::Write => false,
            Op::Trim => self.trim_alone,
            Op::Flush => self.flush_alone,
        }
    }

    /// Whether a request may enter the drive now, as far as those in the drive go.
    #[inline(always)]
    fn may_start(&mut self, request: &Request) -> bool {
        let (most, free) = (self.most, !self.alone);
        let alone = self.is_alone(request.op);
        let active = self.queue_of(request.queue).active;
        free && active < most && !(alone && active > 0)
    }

    /// The next that waits in the host for a place in the drive.
    #[inline(always)]
    fn next_waiting(&mut self, sender: u16) -> Option<Request> {
        self.queue_of(sender).waiting.front().copied()
    }

    /// Takes a command's slot.
    #[inline]
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(NO_COMMAND);
            self.slots.len() as u32 - 1
        })
    }

    #[inline]
    pub fn get(&self, command: u32) -> &Command {
        &self.slots[command as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, command: u32) -> &mut Command {
        &mut self.slots[command as usize]
    }

    /// Whether the drive has accepted a command that has not ended.
    pub fn any(&self) -> bool {
        self.free.len() < self.slots.len()
    }

    /// How many queues there are.
    fn queues(&self) -> u16 {
        self.queues.len() as u16
    }

    /// True once for each command.
    pub fn first_transfer(&mut self, command: u32) -> bool {
        std::mem::replace(&mut self.slots[command as usize].untouched, false)
    }
}

impl SimDrive {
    /// The host has learned of a completion.
    pub(in crate::sim) fn host_got_completion(&mut self) {
        self.commands.outstanding -= 1;
        if self.commands.outstanding == 0 {
            self.host_fell_silent();
        }
    }

    #[inline(always)]
    pub(in crate::sim) fn command_arrives(&mut self) {
        if self.holds_arrivals && self.arrival_waits() {
            return;
        }
        let Arrival { request, .. } = self.arrivals.pop_front().expect("a command arrives");
        if let Some(next) = self.arrivals.front() {
            // It may be late, if this one was held.
            let at = next.at.max(self.env.queue.now());
            self.env.queue.schedule(Lane::Arrival, at, kind::ARRIVAL, 0);
        }
        if self.idle.working() {
            self.idle_ends();
        }
        let first = self.commands.queue_of(request.queue).waiting.is_empty();
        if first && self.commands.may_start(&request) && !self.is_starting() {
            self.command_starts(request);
        } else {
            let queue = self.commands.queue_of(request.queue);
            queue.waiting.push_back(request);
        }
    }

    #[inline(always)]
    fn command_starts(&mut self, request: Request) {
        self.commands.queue_of(request.queue).active += 1;
        self.commands.alone = self.commands.is_alone(request.op);
        let slot = self.commands.take();
        let fua = request.op == Op::Write
            && (request.fua || !self.env.spec.host.write_cache)
            && !self.env.spec.buffer.protected;
        let keeps_account = self.durability.is_some();
        *self.commands.get_mut(slot) = Command {
            tag: request.tag,
            queue: request.queue,
            op: request.op,
            offset_bytes: request.offset_bytes,
            len_bytes: request.len_bytes,
            bytes_left: request.len_bytes,
            to_admit: request.len_bytes,
            fua: fua && !keeps_account,
            forced: fua && keeps_account,
            careful: fua || self.writer.careful,
            padding: 0,
            programs_left: 0,
            past_cache: false,
            first_unit_due: true,
            takes_turns: false,
            untouched: true,
            status: Status::Ok,
        };
        self.link_fetches(slot);
    }

    /// The controller has a command before it.
    #[inline(always)]
    pub(in crate::sim) fn command_fetched(&mut self, slot: u32) {
        if self.turns.is_some() && self.waits_for_turn(slot) {
            return;
        }
        self.command_taken_up(slot);
    }

    /// The firmware takes a command up.
    #[inline(always)]
    pub(in crate::sim) fn command_taken_up(&mut self, slot: u32) {
        let command = self.commands.get(slot);
        let (first, end) = command.units();
        let op = command.op;
        let further = u64::from((end - first).saturating_sub(1));
        let spec = &self.env.spec.controller;
        let (core, mut time) = match op {
            Op::Read => {
                self.env.counters.host_reads += 1;
                (spec.core_read, spec.read_command + spec.read_unit * further)
            }
            Op::Write => {
                self.env.counters.host_writes += 1;
                // What its further units take is worked off as they come.
                (spec.core_write, spec.write_command)
            }
            Op::Trim => (spec.core_write, self.trim_time(command)),
            Op::Flush => (spec.core_write, spec.write_command),
        };
        let miss = match op {
            Op::Read => spec.read_map_miss,
            Op::Write => spec.write_map_miss,
            Op::Trim | Op::Flush => Nanos::ZERO,
        };
        if miss > Nanos::ZERO && self.controller.fetch(first) {
            self.env.counters.map_misses += 1;
            time += miss;
        }
        if let (Some(streams), Op::Write) = (&self.env.spec.streams, op) {
            time += streams.classify;
        }
        time += self.turn_time();
        let job = Job::Command { command: slot };
        let mapped = match op {
            Op::Read | Op::Trim => first..end,
            // What is written is looked up when it is in the buffer.
            Op::Write | Op::Flush => 0..0,
        };
        self.submit_mapped(core, job, time, mapped, op != Op::Read);
    }

    /// The firmware has looked at a command.
    pub(in crate::sim) fn command_handled(&mut self, command: u32) {
        match self.commands.get(command).op {
            Op::Read => self.read_begins(command),
            Op::Write | Op::Trim if self.read_only => self.refuse(command),
            Op::Write => self.write_begins(command),
            Op::Trim => self.trim(command),
            Op::Flush => self.flush(command),
        }
    }

    /// A command has ended, as far as the controller is concerned.
    #[inline(always)]
    pub(in crate::sim) fn command_done(&mut self, command: u32) {
        if self.turns.is_some() {
            self.turn_command_ended(command);
        }
        self.link_reports(command);
    }

    /// The end of a command is on its way to the sender; the next that waits takes its
    /// place.
    #[inline(always)]
    pub(in crate::sim) fn command_reported(&mut self, command: u32) {
        let Command {
            tag, queue, status, ..
        } = *self.commands.get(command);
        self.complete(tag, queue, status);
        self.commands.free.push(command);
        // If it was alone, it was so to its end; if not, none is.
        self.commands.alone = false;
        self.commands.queue_of(queue).active -= 1;
        if self.commands.next_waiting(queue).is_some() {
            self.start_next(queue);
        }
        if self.holds_arrivals && !self.commands.any() {
            self.commands_drained();
        }
    }

    /// Starts what waits in the queue of a sender, as far as it may.
    #[inline(never)]
    fn start_next(&mut self, sender: u16) {
        while let Some(request) = self.commands.next_waiting(sender) {
            if !self.commands.may_start(&request) {
                return;
            }
            self.commands.queue_of(sender).waiting.pop_front();
            self.command_starts(request);
        }
    }

    /// Starts commands that have come before the drive could serve them.
    pub(in crate::sim) fn start_waiting(&mut self) {
        for queue in 0..self.commands.queues() {
            self.start_next(queue);
        }
    }

    /// Free units of the pool that takes new data first, for tests and observers.
    pub fn free_entry_units(&self) -> u64 {
        let pool = match self.env.spec.cache {
            Some(_) => Pool::Cache,
            None => Pool::Main,
        };
        let free = self.free_slots[pool as usize].max(0) as u64;
        free << self.env.layout.unit_bits
    }

    /// Erased superblocks of the main area.
    pub fn erased_main_superblocks(&self) -> usize {
        self.superblocks.erased(Pool::Main)
    }

    /// One line for a person who looks for a drive that stands still.
    pub fn diagnosis(&self) -> String {
        format!(
            "free slots {:?}, erased cache {} main {}, of the cache closed {} dynamic {}, \
             outstanding {}, {:?}, {:?}, {}; {}",
            self.free_slots,
            self.superblocks.erased(Pool::Cache),
            self.superblocks.erased(Pool::Main),
            self.superblocks.closed_cache().len(),
            self.superblocks.dynamic(),
            self.commands.outstanding,
            self.collector,
            (&self.folder, &self.trimmer),
            self.writer.diagnosis(),
            self.durability
                .as_ref()
                .map_or_else(String::new, |d| d.diagnosis())
        )
    }

    pub(in crate::sim) fn host_is_silent(&self) -> bool {
        self.commands.outstanding == 0
    }
}
