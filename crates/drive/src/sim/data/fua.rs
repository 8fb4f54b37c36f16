//! Force unit access: a write that is complete when its data is programmed.
//!
//! The slot in which it ends is filled up and programmed at once, since nobody knows when
//! more would come. What may fill it up is promised with the last of its data, so that room
//! and buffer are accounted for like data.

use crate::sim::SimDrive;
use crate::sim::data::streams::StreamId;

const NONE: u32 = u32::MAX;

/// A command that waits for the program of a slot.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiter {
    command: u32,
    next: u32,
}

/// Commands that wait for programs: a list for each slot that has any.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Waiters {
    waiters: Vec<Waiter>,
    free: Vec<u32>,
}

impl Waiters {
    /// Puts a command before a list; the new list.
    fn add(&mut self, command: u32, next: u32) -> u32 {
        let waiter = Waiter { command, next };
        if let Some(index) = self.free.pop() {
            self.waiters[index as usize] = waiter;
            return index;
        }
        self.waiters.push(waiter);
        (self.waiters.len() - 1) as u32
    }

    /// Takes the first of a list: its command, and what is left.
    fn take(&mut self, first: u32) -> (u32, u32) {
        self.free.push(first);
        let Waiter { command, next } = self.waiters[first as usize];
        (command, next)
    }
}

impl SimDrive {
    /// Whether writes are acknowledged from the buffer.
    pub fn write_cache(&self) -> bool {
        self.env.spec.host.write_cache
    }

    /// Switches the acknowledging of writes from the buffer on or off. Writes that the
    /// drive already has keep to what was so when they came; see [`stend_base::Op::Flush`].
    pub fn set_write_cache(&mut self, on: bool) {
        self.env.spec.host.write_cache = on;
    }

    /// Units that may fill up the last slot of a FUA write, of which `units` more, or `bytes`,
    /// are being admitted: data arrives in the order of admission, so the place is known.
    #[inline(always)]
    pub(in crate::sim) fn fua_padding(&self, command: u32, units: u32, bytes: u32) -> u32 {
        let entry = self.commands.get(command);
        if !entry.fua || entry.to_admit > u64::from(bytes) {
            return 0;
        }
        let stream = self.stream_of_admission(command, 0);
        let mode = self.limits.always[stream.number()].map(|kind| kind.mode);
        self.writer.padding_after(stream, units, mode)
    }

    /// A FUA write waits for the program of a slot.
    pub(in crate::sim) fn fua_waits(&mut self, command: u32, filling: u32) {
        self.commands.get_mut(command).programs_left += 1;
        let list = self.writer.waiters_of(filling);
        let first = self.writer.fua.add(command, list);
        self.writer.set_waiters_of(filling, first);
    }

    /// All data of a FUA write has arrived in a stream: programs the slot in which it ends.
    pub(in crate::sim) fn fua_received(&mut self, command: u32, stream: StreamId) {
        let padding = std::mem::take(&mut self.commands.get_mut(command).padding);
        self.unpromise(stream, padding);
        self.writer.give_up(padding);
        self.pad_slot(stream);
    }

    /// The slot for which these commands waited is programmed.
    pub(in crate::sim) fn fua_programmed(&mut self, waiters: u32) {
        let mut list = waiters;
        while list != NONE {
            let (command, next) = self.writer.fua.take(list);
            list = next;
            let entry = self.commands.get_mut(command);
            entry.programs_left -= 1;
            if entry.programs_left == 0 && entry.bytes_left == 0 {
                self.command_done(command);
            }
        }
    }
}
