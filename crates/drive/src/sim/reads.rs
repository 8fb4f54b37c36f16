//! Reading: from the buffer, from flash, and ahead of sequential streams.
//!
//! Pages of a command that lie in one multi-plane page are read together. A command that goes on where
//! another ended makes a stream; from the second on, the drive reads ahead of it.

use std::collections::VecDeque;

use stend_nand::Class;

use crate::sim::env::Env;
use crate::sim::geometry::NONE;
use crate::sim::host::{Command, Host};
use crate::sim::ids::CommandId;
use crate::sim::l2p::mapping::LOST;
use crate::sim::media::op::NandOp;
use crate::sim::store::Store;
use crate::spec::UNIT_BYTES;

/// Sequential streams that are told apart.
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
    command: CommandId,
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
pub(in crate::sim) struct Reads {
    streams: [Stream; STREAMS],
    entries: Vec<Entry>,
    free_entries: Vec<u32>,
    waiters: Vec<Waiter>,
    free_waiters: Vec<u32>,
    uses: u64,
}

impl Reads {
    pub fn new() -> Reads {
        Reads {
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

    fn add_waiter(&mut self, entry: u32, command: CommandId, bytes: u32) {
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
    pub fn gives_up(&mut self, entry: u32) -> Vec<CommandId> {
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

    /// Nothing has been read ahead.
    pub fn power_cut(&mut self) {
        *self = Reads::new();
    }
}

/// Bytes of a command that lie in the pages `first..end`.
fn bytes_in(command: &Command, first: u32, end: u32) -> u32 {
    let from = command.offset_bytes.max(u64::from(first) * UNIT_BYTES);
    let to = command.end_byte().min(u64::from(end) * UNIT_BYTES);
    (to - from) as u32
}

/// The multi-plane page to read for a page; `None` when it is unmapped or still in the buffer.
#[inline]
fn flash_slot(env: &Env, store: &Store, unit: u32) -> Option<u32> {
    let physical = store.ftl.l2p.lookup(unit);
    if physical >= LOST {
        return None;
    }
    let slot = physical >> env.layout.unit_bits;
    (!store.buffer.holds(slot)).then_some(slot)
}

/// The pages from `first` on that one read of flash yields: the end of the run, and the multi-plane
/// page, or `None` where no read is needed.
fn run_from(env: &Env, store: &Store, first: u32, limit: u32) -> (u32, Option<u32>) {
    let slot = flash_slot(env, store, first);
    let most = limit.min(first + env.spec.units_per_slot);
    let mut end = first + 1;
    while end < most && flash_slot(env, store, end) == slot {
        end += 1;
    }
    (end, slot)
}

#[inline(always)]
fn read_slot(env: &mut Env, store: &mut Store, slot: u32, units: u32, op: NandOp) {
    let bytes = units * UNIT_BYTES as u32;
    let superblocks = &store.ftl.superblocks;
    store
        .media
        .read(env, superblocks, slot, bytes, Class::HostRead, op);
}

/// Reads pages of a command that were not read ahead.
fn read_units(env: &mut Env, store: &mut Store, host: &mut Host, id: CommandId, units: (u32, u32)) {
    let (mut unit, end) = units;
    while unit < end {
        let (to, slot) = match end - unit {
            1 => (end, flash_slot(env, store, unit)),
            _ => run_from(env, store, unit, end),
        };
        let bytes = bytes_in(host.command(id), unit, to);
        match slot {
            Some(slot) => {
                let command = id.0;
                let op = NandOp::HostRead { command, bytes };
                read_slot(env, store, slot, to - unit, op);
            }
            None => host.send_read(env, id, bytes),
        }
        unit = to;
    }
}

impl Reads {
    /// A read command begins.
    pub fn begin(&mut self, env: &mut Env, store: &mut Store, host: &mut Host, id: CommandId) {
        let command = host.command(id);
        let (first, end) = command.logical_pages();
        let (offset_bytes, end_byte) = (command.offset_bytes, command.end_byte());
        env.counters.host_units_read += u64::from(end - first);
        env.counters.host_bytes_read += command.len_bytes;
        if env.spec.buffer.read_ahead_units == 0 {
            read_units(env, store, host, id, (first, end));
            return;
        }
        self.uses += 1;
        let (found, oldest) = self.find(offset_bytes);
        let stream = &mut self.streams[oldest];
        stream.next_byte = end_byte;
        stream.last_used = self.uses;
        let Some(found) = found else {
            stream.continued = 0;
            self.drop_all(oldest);
            self.streams[oldest].frontier = end;
            read_units(env, store, host, id, (first, end));
            return;
        };
        stream.continued += 1;
        let covered = self.serve(env, host, id, found, (first, end));
        if covered < end {
            read_units(env, store, host, id, (covered, end));
        }
        self.read_further(env, store, found, end);
    }

    /// Serves a command from what was read ahead; the page up to which that reaches.
    fn serve(
        &mut self,
        env: &mut Env,
        host: &mut Host,
        id: CommandId,
        stream: usize,
        (first, end): (u32, u32),
    ) -> u32 {
        let mut at = first;
        while let Some(&index) = self.streams[stream].entries.front() {
            let entry = self.entries[index as usize];
            if at < entry.first || at >= end {
                break;
            }
            let to = entry.end.min(end);
            if at < to {
                let bytes = bytes_in(host.command(id), at, to);
                env.counters.read_ahead_hits += u64::from(to - at);
                if entry.ready {
                    host.send_read(env, id, bytes);
                } else {
                    self.add_waiter(index, id, bytes);
                }
                at = to;
            }
            // The last page may be wanted again by a command that begins within it.
            let next_unit = (self.streams[stream].next_byte / UNIT_BYTES) as u32;
            if entry.end > next_unit {
                break;
            }
            self.drop_front(stream);
        }
        at
    }

    /// Keeps the read-ahead of a stream filled.
    fn read_further(&mut self, env: &mut Env, store: &mut Store, stream: usize, from: u32) {
        if self.streams[stream].continued < 2 {
            return;
        }
        if self.streams[stream].entries.is_empty() {
            self.streams[stream].frontier = from;
        }
        let units = store.ftl.l2p.logical_units();
        let limit = units.min(from.saturating_add(env.spec.buffer.read_ahead_units));
        loop {
            let first = self.streams[stream].frontier;
            if first >= limit {
                return;
            }
            let (end, slot) = run_from(env, store, first, units);
            let entry = Entry {
                first,
                end,
                ready: slot.is_none(),
                forgotten: false,
                waiters: NONE,
            };
            let entry = self.add_entry(stream, entry);
            if let Some(slot) = slot {
                read_slot(env, store, slot, end - first, NandOp::ReadAhead { entry });
            }
        }
    }

    /// What was read ahead has come.
    pub fn arrived(&mut self, env: &mut Env, host: &mut Host, entry: u32) {
        self.entries[entry as usize].ready = true;
        let mut waiter = std::mem::replace(&mut self.entries[entry as usize].waiters, NONE);
        while waiter != NONE {
            let Waiter {
                command,
                bytes,
                next,
            } = self.waiters[waiter as usize];
            self.free_waiters.push(waiter);
            host.send_read(env, command, bytes);
            waiter = next;
        }
        if self.entries[entry as usize].forgotten {
            self.free_entries.push(entry);
        }
    }

    /// Forgets what was read ahead of pages that change.
    #[inline(always)]
    pub fn forget(&mut self, first: u32, end: u32) {
        if self.holds_any() {
            self.forget_changed(first, end);
        }
    }

    #[inline(never)]
    fn forget_changed(&mut self, first: u32, end: u32) {
        for stream in 0..STREAMS {
            let Some(&front) = self.streams[stream].entries.front() else {
                continue;
            };
            let from = self.entries[front as usize].first;
            if first < self.streams[stream].frontier && end > from {
                self.drop_all(stream);
            }
        }
    }
}
