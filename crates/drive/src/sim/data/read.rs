//! Reading: from the buffer, from flash, and ahead of sequential streams.
//!
//! Units of a command that lie in one slot are read together. A command that goes on
//! where another ended makes a stream; from the second on, the drive reads ahead of it.

use std::collections::VecDeque;

use stend_nand::Class;

use crate::sim::host::link::{Load, Transfer};
use crate::sim::map::mapping::LOST;
use crate::sim::{Purpose, SimDrive};
use crate::spec::UNIT_BYTES;

const NONE: u32 = u32::MAX;
const STREAMS: usize = 4;

/// Units read ahead together.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Entry {
    first: u32,
    end: u32,
    ready: bool,
    /// The stream no longer knows it; it goes when the read ends.
    forgotten: bool,
    /// Commands that wait for it.
    waiters: u32,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiter {
    command: u32,
    bytes: u32,
    next: u32,
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Stream {
    next_byte: u64,
    continued: u32,
    last_used: u64,
    /// Read ahead, in ascending order and without gaps up to `frontier`.
    entries: VecDeque<u32>,
    frontier: u32,
}

/// The read-ahead buffer.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct ReadAhead {
    streams: [Stream; STREAMS],
    entries: Vec<Entry>,
    free_entries: Vec<u32>,
    waiters: Vec<Waiter>,
    free_waiters: Vec<u32>,
    uses: u64,
}

impl ReadAhead {
    pub fn new() -> ReadAhead {
        ReadAhead {
            streams: Default::default(),
            entries: Vec::with_capacity(512),
            free_entries: Vec::with_capacity(512),
            waiters: Vec::with_capacity(64),
            free_waiters: Vec::with_capacity(64),
            uses: 0,
        }
    }

    /// Whether any entry is in use, forgotten ones among them.
    #[inline]
    fn holds_any(&self) -> bool {
        self.free_entries.len() < self.entries.len()
    }

    fn add_entry(&mut self, stream: usize, entry: Entry) -> u32 {
        let index = if let Some(index) = self.free_entries.pop() {
            self.entries[index as usize] = entry;
            index
        } else {
            self.entries.push(entry);
            (self.entries.len() - 1) as u32
        };
        self.streams[stream].entries.push_back(index);
        self.streams[stream].frontier = entry.end;
        index
    }

    fn add_waiter(&mut self, entry: u32, command: u32, bytes: u32) {
        let waiter = Waiter {
            command,
            bytes,
            next: self.entries[entry as usize].waiters,
        };
        let index = if let Some(index) = self.free_waiters.pop() {
            self.waiters[index as usize] = waiter;
            index
        } else {
            self.waiters.push(waiter);
            (self.waiters.len() - 1) as u32
        };
        self.entries[entry as usize].waiters = index;
    }

    /// The stream that a read at this offset continues; else the first of those that were
    /// used longest ago.
    #[inline]
    fn find(&self, offset_bytes: u64) -> (Option<usize>, usize) {
        let mut oldest = 0;
        for (nth, stream) in self.streams.iter().enumerate() {
            if stream.last_used > 0 && stream.next_byte == offset_bytes {
                return (Some(nth), nth);
            }
            if stream.last_used < self.streams[oldest].last_used {
                oldest = nth;
            }
        }
        (None, oldest)
    }

    fn drop_front(&mut self, stream: usize) {
        if let Some(entry) = self.streams[stream].entries.pop_front() {
            if self.entries[entry as usize].ready {
                self.free_entries.push(entry);
            } else {
                self.entries[entry as usize].forgotten = true;
            }
        }
    }

    /// A page was lost that was read ahead: nobody finds it any more. The commands that wait
    /// for it.
    #[cold]
    pub fn gives_up(&mut self, entry: u32) -> Vec<u32> {
        let mut streams = 0..STREAMS;
        if let Some(of) = streams.find(|&s| self.streams[s].entries.contains(&entry)) {
            self.drop_all(of);
        }
        let mut waiting = Vec::new();
        let mut waiter = self.entries[entry as usize].waiters;
        while waiter != NONE {
            let of = &self.waiters[waiter as usize];
            waiting.push(of.command);
            waiter = of.next;
        }
        waiting
    }

    /// Gives up all that was read ahead, of any stream.
    pub fn forget_all(&mut self) {
        for stream in 0..STREAMS {
            self.drop_all(stream);
        }
    }

    #[inline]
    fn drop_all(&mut self, stream: usize) {
        while !self.streams[stream].entries.is_empty() {
            self.drop_front(stream);
        }
    }
}

impl SimDrive {
    pub(in crate::sim) fn read_begins(&mut self, command: u32) {
        let entry = self.commands.get(command);
        let (first, end) = entry.units();
        let (offset_bytes, len_bytes) = (entry.offset_bytes, entry.len_bytes);
        self.env.counters.host_units_read += u64::from(end - first);
        self.env.counters.host_bytes_read += len_bytes;
        if self.env.spec.buffer.read_ahead_units == 0 {
            self.read_units(command, first, end);
            return;
        }
        let end_byte = offset_bytes + len_bytes;
        self.read_ahead.uses += 1;
        let uses = self.read_ahead.uses;
        let (found, oldest) = self.read_ahead.find(offset_bytes);
        if let Some(found) = found {
            let stream = &mut self.read_ahead.streams[found];
            stream.next_byte = end_byte;
            stream.continued += 1;
            stream.last_used = uses;
            let covered = self.read_from_stream(command, found, first, end);
            if covered < end {
                self.read_units(command, covered, end);
            }
            self.read_further(found, end);
        } else {
            self.read_ahead.drop_all(oldest);
            let stream = &mut self.read_ahead.streams[oldest];
            stream.next_byte = end_byte;
            stream.continued = 0;
            stream.last_used = uses;
            stream.frontier = end;
            self.read_units(command, first, end);
        }
    }

    /// Bytes of a command that lie in the units `first..end`.
    fn bytes_in(&self, command: u32, first: u32, end: u32) -> u32 {
        let entry = self.commands.get(command);
        let from = entry.offset_bytes.max(u64::from(first) * UNIT_BYTES);
        let to = (entry.offset_bytes + entry.len_bytes).min(u64::from(end) * UNIT_BYTES);
        (to - from) as u32
    }

    /// Serves a command from what was read ahead; the unit up to which that reaches.
    fn read_from_stream(&mut self, command: u32, stream: usize, first: u32, end: u32) -> u32 {
        let mut at = first;
        while let Some(&index) = self.read_ahead.streams[stream].entries.front() {
            let entry = self.read_ahead.entries[index as usize];
            if at < entry.first || at >= end {
                break;
            }
            let to = entry.end.min(end);
            if at < to {
                let bytes = self.bytes_in(command, at, to);
                self.env.counters.read_ahead_hits += u64::from(to - at);
                if entry.ready {
                    self.send_read(command, bytes);
                } else {
                    self.read_ahead.add_waiter(index, command, bytes);
                }
                at = to;
            }
            // The last unit may be wanted again by a command that begins within it.
            let next_unit = (self.read_ahead.streams[stream].next_byte / UNIT_BYTES) as u32;
            if entry.end > next_unit {
                break;
            }
            self.read_ahead.drop_front(stream);
        }
        at
    }

    /// Keeps the read-ahead of a stream filled.
    fn read_further(&mut self, stream: usize, from: u32) {
        if self.read_ahead.streams[stream].continued < 2 {
            return;
        }
        if self.read_ahead.streams[stream].entries.is_empty() {
            self.read_ahead.streams[stream].frontier = from;
        }
        let units = self.mapping.logical_units();
        let limit = units.min(from.saturating_add(self.env.spec.buffer.read_ahead_units));
        loop {
            let first = self.read_ahead.streams[stream].frontier;
            if first >= limit {
                return;
            }
            let (end, slot) = self.run_from(first, units);
            let ready = slot.is_none();
            let entry = self.read_ahead.add_entry(
                stream,
                Entry {
                    first,
                    end,
                    ready,
                    forgotten: false,
                    waiters: NONE,
                },
            );
            if let Some(slot) = slot {
                self.read_slot(slot, end - first, Purpose::ReadAhead { entry });
            }
        }
    }

    /// The units from `first` on that one page read yields: the end of the run, and the
    /// slot, or `None` where no read is needed.
    fn run_from(&self, first: u32, limit: u32) -> (u32, Option<u32>) {
        let slot = self.flash_slot(first);
        let most = limit.min(first + self.env.spec.units_per_slot);
        let mut end = first + 1;
        while end < most && self.flash_slot(end) == slot {
            end += 1;
        }
        (end, slot)
    }

    /// The slot to read for a unit; `None` when it is unmapped or still in the buffer.
    #[inline]
    fn flash_slot(&self, unit: u32) -> Option<u32> {
        let physical = self.mapping.lookup(unit);
        if physical >= LOST {
            return None;
        }
        let slot = physical >> self.env.layout.unit_bits;
        (!self.writer.in_buffer(slot)).then_some(slot)
    }

    #[inline(always)]
    fn read_slot(&mut self, slot: u32, units: u32, purpose: Purpose) {
        let place = self.die_and_read_time(slot);
        let bytes = units * UNIT_BYTES as u32;
        self.read_flash(slot, place, bytes, Class::HostRead, purpose);
    }

    /// Reads units that were not read ahead.
    fn read_units(&mut self, command: u32, first: u32, end: u32) {
        let mut unit = first;
        while unit < end {
            let (to, slot) = match end - unit {
                1 => (end, self.flash_slot(unit)),
                _ => self.run_from(unit, end),
            };
            let bytes = self.bytes_in(command, unit, to);
            match slot {
                Some(slot) => {
                    self.read_slot(slot, to - unit, Purpose::HostRead { command, bytes });
                }
                None => self.send_read(command, bytes),
            }
            unit = to;
        }
    }

    pub(in crate::sim) fn read_arrived(&mut self, command: u32, bytes: u32) {
        self.send_read(command, bytes);
    }

    pub(in crate::sim) fn read_ahead_arrived(&mut self, entry: u32) {
        self.read_ahead.entries[entry as usize].ready = true;
        let mut waiter =
            std::mem::replace(&mut self.read_ahead.entries[entry as usize].waiters, NONE);
        while waiter != NONE {
            let Waiter {
                command,
                bytes,
                next,
            } = self.read_ahead.waiters[waiter as usize];
            self.read_ahead.free_waiters.push(waiter);
            self.send_read(command, bytes);
            waiter = next;
        }
        if self.read_ahead.entries[entry as usize].forgotten {
            self.read_ahead.free_entries.push(entry);
        }
    }

    /// Forgets what was read ahead of units that change.
    #[inline(always)]
    pub(in crate::sim) fn read_ahead_forget(&mut self, first: u32, end: u32) {
        if self.read_ahead.holds_any() {
            self.forget_changed(first, end);
        }
    }

    #[inline(never)]
    fn forget_changed(&mut self, first: u32, end: u32) {
        for stream in 0..STREAMS {
            let Some(&front) = self.read_ahead.streams[stream].entries.front() else {
                continue;
            };
            let from = self.read_ahead.entries[front as usize].first;
            if first < self.read_ahead.streams[stream].frontier && end > from {
                self.read_ahead.drop_all(stream);
            }
        }
    }

    #[inline(always)]
    fn send_read(&mut self, command: u32, bytes: u32) {
        self.link_send(Transfer {
            command,
            bytes,
            load: Load::ReadData,
        });
    }

    #[inline(always)]
    pub(in crate::sim) fn read_sent(&mut self, command: u32, bytes: u32) {
        let entry = self.commands.get_mut(command);
        entry.bytes_left -= u64::from(bytes);
        if entry.bytes_left == 0 {
            if self.env.counters.lost_pages > 0 {
                self.check_lost(command);
            }
            self.command_done(command);
        }
    }
}
