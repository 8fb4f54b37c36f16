//! Host commands: from arrival to completion.

use std::collections::VecDeque;

use stend_base::{Lane, Nanos, Op, Request};

use super::controller::Job;
use super::layout::Pool;
use super::{Arrival, SimDrive, kind};
use crate::spec::UNIT_BYTES;

/// A command that the drive has accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub tag: u32,
    pub op: Op,
    pub offset_bytes: u64,
    pub len_bytes: u64,
    /// Bytes not yet moved over the link.
    pub bytes_left: u64,
    /// Bytes of a write not yet admitted to the buffer.
    pub to_admit: u64,
    /// Nothing has gone over the link yet.
    untouched: bool,
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

/// The link's command slots.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    slots: Vec<Command>,
    free: Vec<u32>,
    waiting: VecDeque<Request>,
    /// Submitted by the host and not yet known complete to it.
    pub outstanding: u32,
    pub flushes: Vec<(u32, u64)>,
}

const NO_COMMAND: Command = Command {
    tag: 0,
    op: Op::Flush,
    offset_bytes: 0,
    len_bytes: 0,
    bytes_left: 0,
    to_admit: 0,
    untouched: false,
};

impl Commands {
    pub fn new(slots: u32) -> Commands {
        Commands {
            slots: vec![NO_COMMAND; slots as usize],
            free: (0..slots).rev().collect(),
            waiting: VecDeque::with_capacity(256),
            outstanding: 0,
            flushes: Vec::with_capacity(slots as usize),
        }
    }

    #[inline]
    pub fn get(&self, command: u32) -> &Command {
        &self.slots[command as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, command: u32) -> &mut Command {
        &mut self.slots[command as usize]
    }

    /// All commands are gone.
    pub fn power_cut(&mut self) {
        *self = Commands::new(self.slots.len() as u32);
    }

    /// True once for each command.
    pub fn first_transfer(&mut self, command: u32) -> bool {
        std::mem::replace(&mut self.slots[command as usize].untouched, false)
    }
}

impl SimDrive {
    /// The host has learned of a completion.
    pub(super) fn host_got_completion(&mut self) {
        self.commands.outstanding -= 1;
        if self.commands.outstanding == 0 {
            self.host_fell_silent();
        }
    }

    pub(super) fn command_arrives(&mut self) {
        let Arrival { request, .. } = self.arrivals.pop_front().expect("a command arrives");
        if let Some(next) = self.arrivals.front() {
            self.queue
                .schedule(Lane::Arrival, next.at, kind::ARRIVAL, 0);
        }
        if self.is_starting() {
            self.commands.waiting.push_back(request);
            return;
        }
        if self.idle.working() {
            self.idle_ends();
        }
        match self.commands.free.pop() {
            Some(slot) => self.command_starts(slot, request),
            None => self.commands.waiting.push_back(request),
        }
    }

    fn command_starts(&mut self, slot: u32, request: Request) {
        let command = Command {
            tag: request.tag,
            op: request.op,
            offset_bytes: request.offset_bytes,
            len_bytes: request.len_bytes,
            bytes_left: request.len_bytes,
            to_admit: request.len_bytes,
            untouched: true,
        };
        *self.commands.get_mut(slot) = command;
        let (first, end) = command.units();
        let further = u64::from((end - first).saturating_sub(1));
        let spec = &self.spec.controller;
        let (core, mut time) = match command.op {
            Op::Read => (spec.core_read, spec.read_command + spec.read_unit * further),
            Op::Write => (
                spec.core_write,
                spec.write_command + spec.write_unit * further,
            ),
            Op::Trim => (spec.core_write, self.trim_time(u64::from(end - first))),
            Op::Flush => (spec.core_write, spec.write_command),
        };
        let miss = match command.op {
            Op::Read => spec.read_map_miss,
            Op::Write => spec.write_map_miss,
            Op::Trim | Op::Flush => Nanos::ZERO,
        };
        if miss > Nanos::ZERO && self.controller.fetch(first) {
            self.counters.map_misses += 1;
            time += miss;
        }
        let job = Job::Command { command: slot };
        self.controller.submit(&mut self.queue, core, job, time);
    }

    /// The firmware has looked at a command.
    pub(super) fn command_handled(&mut self, command: u32) {
        match self.commands.get(command).op {
            Op::Read => self.read_begins(command),
            Op::Write => self.write_begins(command),
            Op::Trim => self.trim(command),
            Op::Flush => self.flush(command),
        }
    }

    /// A command has ended; its slot takes the next that waits.
    pub(super) fn command_done(&mut self, command: u32) {
        self.complete(self.commands.get(command).tag);
        match self.commands.waiting.pop_front() {
            Some(request) => self.command_starts(command, request),
            None => self.commands.free.push(command),
        }
    }

    /// Starts commands that have come before the drive could serve them.
    pub(super) fn start_waiting(&mut self) {
        while !self.commands.waiting.is_empty() {
            let Some(slot) = self.commands.free.pop() else {
                return;
            };
            let request = self.commands.waiting.pop_front().expect("one waits");
            self.command_starts(slot, request);
        }
    }

    fn trim_time(&self, units: u64) -> Nanos {
        let spec = &self.spec.trim;
        if !spec.enabled {
            return spec.command;
        }
        spec.command + Nanos(spec.per_1024_units.0 * units / 1024)
    }

    fn trim(&mut self, command: u32) {
        if self.trim_must_wait(command) {
            self.wait_among_writes(command);
        } else {
            self.trim_now(command);
        }
    }

    pub(super) fn trim_now(&mut self, command: u32) {
        if self.spec.trim.enabled {
            let Command {
                offset_bytes,
                len_bytes,
                ..
            } = *self.commands.get(command);
            // Only whole units lose their data: the rest of a partly trimmed one lives.
            let first = offset_bytes.div_ceil(UNIT_BYTES) as u32;
            let end = ((offset_bytes + len_bytes) / UNIT_BYTES) as u32;
            let keep = !self.spec.trim.reaches_cache;
            self.read_ahead_forget(first, end);
            if first == 0 && end == self.mapping.logical_units() {
                self.mapping.unmap_all(keep);
            } else {
                for unit in first..end {
                    self.mapping.unmap(unit, keep);
                }
            }
            self.log_trim(first, end);
            self.counters.units_trimmed += u64::from(end.saturating_sub(first));
        }
        self.command_done(command);
        self.pump_all();
    }

    /// Free units of the pool that takes new data, for tests and observers.
    pub fn free_entry_units(&self) -> u64 {
        let pool = self.limits.entry_pool;
        let free = self.free_slots[pool as usize].max(0) as u64;
        free << self.layout.unit_bits
    }

    /// Erased superblocks of the main area.
    pub fn erased_main_superblocks(&self) -> usize {
        self.superblocks.erased(Pool::Main)
    }

    /// One line for a person who looks for a drive that stands still.
    pub fn diagnosis(&self) -> String {
        format!(
            "free slots {:?}, erased cache {} main {}, outstanding {}, {:?}, {:?}, {}; {}",
            self.free_slots,
            self.superblocks.erased(Pool::Cache),
            self.superblocks.erased(Pool::Main),
            self.commands.outstanding,
            self.collector,
            self.folder,
            self.writer.diagnosis(),
            self.durability
                .as_ref()
                .map_or_else(String::new, |d| d.diagnosis())
        )
    }

    pub(super) fn host_is_silent(&self) -> bool {
        self.commands.outstanding == 0
    }
}
