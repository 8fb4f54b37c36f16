//! Writing: admission to the buffer, slots being filled, programs.
//!
//! A write is acknowledged when its data is in the buffer. A unit gets its physical
//! place the moment it arrives; the slot is programmed when its last unit has arrived.
//! The host is admitted while the buffer has room and the pool it writes to has more
//! than its reserve free: that is all the throttling there is.

use std::collections::VecDeque;

use stend_nand::{Class, Work};

use super::layout::{Layout, Pool};
use super::link::Transfer;
use super::mapping::UNMAPPED;
use super::{Purpose, SimDrive};
use crate::spec::{Spec, UNIT_BYTES};

const NONE: u32 = u32::MAX;

/// Who writes. Each has its own open superblock, so that data that was collected does
/// not lie among data that is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamId {
    Host = 0,
    Collect = 1,
}

/// An open superblock and where it is filled.
#[derive(Clone, Copy, Debug)]
struct Stream {
    superblock: u32,
    /// Number of the slot being filled, within the superblock.
    within: u32,
    /// Its units filled so far.
    filled: u32,
    filling: u32,
    /// Units promised to data on its way.
    promised: u32,
}

/// A slot from its first unit to the end of its program.
#[derive(Clone, Copy, Debug)]
struct Filling {
    slot: u32,
    stream: StreamId,
    /// Reads of old content under way for partly written units.
    merges: u32,
    complete: bool,
    in_use: bool,
    /// Its program has ended, but an older slot's has not.
    programmed: bool,
    /// Number of the flush that came after it.
    epoch: u64,
    /// Running number of its beginning.
    number: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Writer {
    streams: [Stream; 2],
    filling: Vec<Filling>,
    free: Vec<u32>,
    /// Write commands with data not yet admitted.
    waiting: VecDeque<u32>,
    /// Units in the buffer, from admission until they are given back.
    buffered: u32,
    /// Host slots in the order in which they were begun: the buffer is a ring, and gives
    /// space back in the order in which it was taken.
    ring: VecDeque<u32>,
    /// Slots whose program has not ended, one bit each.
    unprogrammed: Vec<u64>,
    epoch: u64,
    units_per_slot: u32,
    collected_under_way: u32,
    padding_owed: bool,
    slots_begun: u64,
    /// Slots that are not parity from the nth of a superblock on.
    data_slots_from: Vec<u32>,
}

impl Writer {
    pub fn new(spec: &Spec, layout: &Layout) -> Writer {
        let slots = layout.slots() as usize;
        let pool = if spec.cache.is_some() {
            Pool::Cache
        } else {
            Pool::Main
        };
        let mut data_slots_from: Vec<u32> = Vec::new();
        for within in (0..layout.pool(pool).slots_per_superblock).rev() {
            let behind = data_slots_from.last().copied().unwrap_or(0);
            data_slots_from.push(behind + u32::from(!layout.is_parity(pool, within)));
        }
        data_slots_from.reverse();
        let stream = Stream {
            superblock: NONE,
            within: 0,
            filled: 0,
            filling: NONE,
            promised: 0,
        };
        Writer {
            streams: [stream; 2],
            filling: Vec::with_capacity(256),
            free: Vec::with_capacity(256),
            waiting: VecDeque::with_capacity(64),
            buffered: 0,
            ring: VecDeque::with_capacity(256),
            unprogrammed: vec![0; slots.div_ceil(64)],
            epoch: 0,
            units_per_slot: spec.units_per_slot,
            collected_under_way: 0,
            padding_owed: false,
            slots_begun: 0,
            data_slots_from,
        }
    }

    /// True while a slot's content is still in the buffer.
    #[inline]
    pub fn in_buffer(&self, slot: u32) -> bool {
        self.unprogrammed[slot as usize / 64] >> (slot % 64) & 1 != 0
    }

    /// Slots of collected data that wait for the end of their program.
    #[inline]
    pub fn collected_slots_under_way(&self) -> u32 {
        self.collected_under_way
    }

    /// Slots begun so far, by all streams.
    pub fn slots_begun(&self) -> u64 {
        self.slots_begun
    }

    /// Whether a slot of collected data with a number below `ticket` is not programmed.
    pub fn collects_before(&self, ticket: u64) -> bool {
        self.filling
            .iter()
            .any(|f| f.in_use && f.stream == StreamId::Collect && f.number < ticket)
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "buffered {}, {} writes wait, streams {:?}, filling {:?}",
            self.buffered,
            self.waiting.len(),
            self.streams,
            self.filling.iter().filter(|f| f.in_use).collect::<Vec<_>>()
        )
    }

    /// Gives back the space of the oldest host slots, as far as they are programmed.
    fn give_back(&mut self) {
        while let Some(&oldest) = self.ring.front() {
            if !self.filling[oldest as usize].programmed {
                return;
            }
            self.ring.pop_front();
            self.buffered -= self.units_per_slot;
            self.release(oldest);
        }
    }

    fn release(&mut self, filling: u32) {
        self.filling[filling as usize].in_use = false;
        self.free.push(filling);
    }

    fn take(&mut self, filling: Filling) -> u32 {
        self.unprogrammed[filling.slot as usize / 64] |= 1 << (filling.slot % 64);
        if let Some(index) = self.free.pop() {
            self.filling[index as usize] = filling;
            return index;
        }
        self.filling.push(filling);
        (self.filling.len() - 1) as u32
    }
}

impl SimDrive {
    pub(super) fn write_begins(&mut self, command: u32) {
        let (first, _) = self.commands.get(command).units();
        self.mapping.expect_invalid(first);
        self.writer.waiting.push_back(command);
        self.pump_writes();
    }

    /// Admits as much of the waiting writes as there is room for.
    pub(super) fn pump_writes(&mut self) {
        while let Some(&command) = self.writer.waiting.front() {
            let entry = *self.commands.get(command);
            let done = entry.len_bytes - entry.to_admit;
            let begin = entry.offset_bytes + done;
            // Up to a slot's worth at a time, cut at unit boundaries.
            let limit = (begin / UNIT_BYTES + u64::from(self.spec.units_per_slot)) * UNIT_BYTES;
            let end = limit.min(entry.offset_bytes + entry.len_bytes);
            let units = (end.div_ceil(UNIT_BYTES) - begin / UNIT_BYTES) as u32;
            if self.writer.buffered + units > self.spec.buffer.write_units {
                return;
            }
            if !self.host_has_space(units) {
                // Nothing else may be under way that would start what makes space.
                self.pump_collect();
                self.pump_fold();
                return;
            }
            self.writer.buffered += units;
            self.writer.streams[StreamId::Host as usize].promised += units;
            let bytes = (end - begin) as u32;
            let entry = self.commands.get_mut(command);
            entry.to_admit -= u64::from(bytes);
            if entry.to_admit == 0 {
                self.writer.waiting.pop_front();
            }
            self.link_send(Transfer {
                command,
                bytes,
                to_host: false,
            });
        }
    }

    /// Whether the host may take `units` more from the pool that it writes to.
    fn host_has_space(&self, units: u32) -> bool {
        let pool = self.entry_pool();
        let promised = self.writer.streams[StreamId::Host as usize].promised + units;
        self.free_slots[pool as usize] > self.host_floor() + self.slots_for(promised)
            && self.stream_has_room(StreamId::Host, units)
    }

    /// Slots that the host must leave to the drive's own work.
    pub(super) fn host_floor(&self) -> i64 {
        let collect = &self.spec.collect;
        match self.entry_pool() {
            Pool::Main => self.slots(Pool::Main, collect.reserve_superblocks),
            // Beside collection's own reserve: three being folded, and two open.
            Pool::Cache => self.slots(Pool::Cache, collect.cache_reserve_superblocks + 5),
        }
    }

    /// Free slots of the entry pool below which the host may soon be held up.
    pub(super) fn host_pressed(&self) -> i64 {
        let most = self.spec.buffer.write_units + self.spec.units_per_slot;
        self.host_floor() + self.slots_for(most) + 1
    }

    /// Slots that `units` take, with their parity.
    fn slots_for(&self, units: u32) -> i64 {
        let slots = units.div_ceil(self.spec.units_per_slot);
        let parity = self.spec.parity_data.map_or(0, |data| slots.div_ceil(data));
        i64::from(slots + parity)
    }

    /// Slots of `superblocks` in `pool`.
    pub(super) fn slots(&self, pool: Pool, superblocks: u32) -> i64 {
        i64::from(superblocks) * i64::from(self.layout.pool(pool).slots_per_superblock)
    }

    /// Whether `units` more can be placed, leaving the other stream what it has been
    /// promised.
    pub(super) fn stream_has_room(&self, stream: StreamId, units: u32) -> bool {
        let other = match stream {
            StreamId::Host => StreamId::Collect,
            StreamId::Collect => StreamId::Host,
        };
        let needed = self.superblocks_needed(stream, units) + self.superblocks_needed(other, 0);
        self.superblocks.erased(self.entry_pool()) >= needed as usize
    }

    /// Superblocks a stream has yet to open for what it was promised and `more` units.
    fn superblocks_needed(&self, stream: StreamId, more: u32) -> u32 {
        let (room, promised) = self.stream_room(stream);
        let all = self.writer.data_slots_from[0] * self.spec.units_per_slot;
        (promised + more).saturating_sub(room).div_ceil(all)
    }

    /// Units left in a stream's open superblock, and those promised.
    fn stream_room(&self, stream: StreamId) -> (u32, u32) {
        let stream = &self.writer.streams[stream as usize];
        if stream.superblock == NONE {
            return (0, stream.promised);
        }
        let slots = self.writer.data_slots_from[stream.within as usize];
        let units = slots * self.spec.units_per_slot - stream.filled;
        (units, stream.promised)
    }

    pub(super) fn promise(&mut self, stream: StreamId, units: u32) {
        self.writer.streams[stream as usize].promised += units;
    }

    pub(super) fn unpromise(&mut self, stream: StreamId, units: u32) {
        self.writer.streams[stream as usize].promised -= units;
    }

    /// Data of a write has arrived in the buffer.
    pub(super) fn write_received(&mut self, command: u32, bytes: u32) {
        let entry = self.commands.get_mut(command);
        let begin = entry.offset_bytes + entry.len_bytes - entry.bytes_left;
        entry.bytes_left -= u64::from(bytes);
        let finished = entry.bytes_left == 0;
        let tag = entry.tag;
        let end = begin + u64::from(bytes);
        let units = (begin / UNIT_BYTES) as u32..end.div_ceil(UNIT_BYTES) as u32;
        self.read_ahead_forget(units.start, units.end);
        for unit in units.clone() {
            let whole =
                u64::from(unit) * UNIT_BYTES >= begin && u64::from(unit + 1) * UNIT_BYTES <= end;
            let old = self.mapping.lookup(unit);
            let filling = self.append(StreamId::Host, unit, tag);
            if !whole && old != UNMAPPED {
                self.merge(filling, old);
            }
            self.close_if_full(StreamId::Host);
            self.counters.host_units_written += 1;
        }
        // Only now: what is promised covers what is being placed.
        self.unpromise(StreamId::Host, units.end - units.start);
        if self.writer.padding_owed {
            self.pad_slots();
        }
        if finished {
            self.command_done(command);
        }
    }

    /// Gives `unit` the next place of a stream. The caller looks after the slot being
    /// full with [`SimDrive::close_if_full`].
    pub(super) fn append(&mut self, id: StreamId, unit: u32, stamp: u32) -> u32 {
        if self.writer.streams[id as usize].filled == 0 {
            self.begin_slot(id);
        }
        let unit_bits = self.layout.unit_bits;
        let stream = &mut self.writer.streams[id as usize];
        let slot = self.writer.filling[stream.filling as usize].slot;
        let physical = (slot << unit_bits) + stream.filled;
        stream.filled += 1;
        let (superblock, filling) = (stream.superblock, stream.filling);
        self.mapping.assign(unit, physical, superblock);
        self.mapping.stamp(physical, stamp);
        filling
    }

    fn begin_slot(&mut self, id: StreamId) {
        let pool = self.entry_pool();
        if self.writer.streams[id as usize].superblock == NONE {
            let superblock = self
                .superblocks
                .open(pool)
                .expect("space was promised before it was taken");
            self.writer.streams[id as usize].superblock = superblock;
            self.writer.streams[id as usize].within = 0;
        }
        let Stream {
            superblock, within, ..
        } = self.writer.streams[id as usize];
        let slot = self.layout.first_slot(superblock) + within;
        self.superblocks.program_begins(superblock);
        self.free_slots[pool as usize] -= 1;
        let filling = self.writer.take(Filling {
            slot,
            stream: id,
            merges: 0,
            complete: false,
            in_use: true,
            programmed: false,
            epoch: self.writer.epoch,
            number: self.writer.slots_begun,
        });
        self.writer.slots_begun += 1;
        self.writer.streams[id as usize].filling = filling;
        if id == StreamId::Host {
            self.writer.ring.push_back(filling);
        }
    }

    #[inline]
    pub(super) fn close_if_full(&mut self, id: StreamId) {
        if self.writer.streams[id as usize].filled == self.writer.units_per_slot {
            self.close_slot(id);
        }
    }

    /// No more units for the slot: program it, and its group's parity if that is next.
    fn close_slot(&mut self, id: StreamId) {
        let Stream {
            superblock,
            within,
            filling,
            ..
        } = self.writer.streams[id as usize];
        self.writer.filling[filling as usize].complete = true;
        if id == StreamId::Collect {
            self.writer.collected_under_way += 1;
        }
        self.program_if_ready(filling);
        let pool = self.entry_pool();
        let first = self.layout.first_slot(superblock);
        let slots = self.layout.pool(pool).slots_per_superblock;
        let mut next = within + 1;
        while next < slots && self.layout.is_parity(pool, next) {
            self.superblocks.program_begins(superblock);
            self.free_slots[pool as usize] -= 1;
            self.counters.parity_programs += 1;
            self.program(first + next, id, Purpose::Parity { superblock });
            next += 1;
        }
        let stream = &mut self.writer.streams[id as usize];
        stream.within = next;
        stream.filled = 0;
        stream.filling = NONE;
        if next == slots {
            stream.superblock = NONE;
            if self.superblocks.fill_up(superblock, pool) {
                self.superblock_closed();
            }
        }
    }

    /// Closes the slot of collected data being filled. Nothing is promised to it then, so
    /// that no room is taken that was.
    pub(super) fn pad_collected(&mut self) {
        if self.writer.streams[StreamId::Collect as usize].filled > 0 {
            self.counters.padded_slots += 1;
            self.close_slot(StreamId::Collect);
        }
    }

    /// Closes the slots being filled, full or not, so that all that was received is
    /// programmed. Where padding would take room that was promised, it is owed until
    /// the promised data has arrived.
    pub(super) fn pad_slots(&mut self) {
        self.writer.padding_owed = false;
        for id in [StreamId::Host, StreamId::Collect] {
            let filled = self.writer.streams[id as usize].filled;
            if filled == 0 {
                continue;
            }
            let padding = self.spec.units_per_slot - filled;
            let takes_none = self.superblocks_needed(id, padding) == self.superblocks_needed(id, 0);
            if !takes_none && !self.stream_has_room(id, padding) {
                self.writer.padding_owed |= id == StreamId::Host;
                continue;
            }
            self.counters.padded_slots += 1;
            if id == StreamId::Host {
                // The slot gives its whole size back when it is programmed.
                self.writer.buffered += padding;
            }
            self.close_slot(id);
        }
    }

    fn program_if_ready(&mut self, filling: u32) {
        let Filling {
            slot,
            stream,
            merges,
            complete,
            ..
        } = self.writer.filling[filling as usize];
        if complete && merges == 0 {
            self.program(slot, stream, Purpose::Program { filling });
        }
    }

    fn program(&mut self, slot: u32, stream: StreamId, purpose: Purpose) {
        let (row, die) = self.layout.row_and_die(slot);
        let timing = match self.entry_pool() {
            Pool::Main => &self.spec.main.timing,
            Pool::Cache => &self.cache_spec().pool.timing,
        };
        let work = Work::Program {
            program: timing.program_at(row),
            bytes: self.spec.units_per_slot * UNIT_BYTES as u32,
        };
        let class = match stream {
            StreamId::Host => Class::HostProgram,
            StreamId::Collect => Class::Background,
        };
        self.array
            .submit(&mut self.queue, die, class, work, purpose.pack());
    }

    /// Reads the old content of a partly written unit before its slot is programmed.
    fn merge(&mut self, filling: u32, old: u32) {
        let slot = old >> self.layout.unit_bits;
        if self.writer.in_buffer(slot) {
            return;
        }
        self.counters.merges += 1;
        self.writer.filling[filling as usize].merges += 1;
        let work = Work::Read {
            sense: self.page_read_time(slot),
            bytes: UNIT_BYTES as u32,
        };
        let (_, die) = self.layout.row_and_die(slot);
        self.array.submit(
            &mut self.queue,
            die,
            Class::HostRead,
            work,
            Purpose::Merge { filling }.pack(),
        );
    }

    pub(super) fn merge_arrived(&mut self, filling: u32) {
        self.writer.filling[filling as usize].merges -= 1;
        self.program_if_ready(filling);
    }

    pub(super) fn program_done(&mut self, filling: u32) {
        let Filling { slot, stream, .. } = self.writer.filling[filling as usize];
        self.writer.unprogrammed[slot as usize / 64] &= !(1 << (slot % 64));
        self.program_ended(self.layout.superblock_of_slot(slot));
        match stream {
            StreamId::Host => {
                self.writer.filling[filling as usize].programmed = true;
                self.writer.give_back();
                self.pump_collect();
                self.pump_fold();
                self.pump_writes();
            }
            StreamId::Collect => {
                self.writer.collected_under_way -= 1;
                self.writer.release(filling);
                self.erase_left();
                self.pump_collect();
            }
        }
        self.check_flushes();
    }

    /// A slot of data or parity is programmed.
    pub(super) fn program_ended(&mut self, superblock: u32) {
        if self.superblocks.program_ends(superblock, self.entry_pool()) {
            self.superblock_closed();
        }
    }

    fn superblock_closed(&mut self) {
        self.pump_collect();
        self.pump_fold();
    }

    pub(super) fn flush(&mut self, command: u32) {
        self.pad_slots();
        let epoch = self.writer.epoch;
        self.writer.epoch += 1;
        self.commands.flushes.push((command, epoch));
        self.check_flushes();
    }

    /// Ends the flushes behind which nothing is unprogrammed any more.
    fn check_flushes(&mut self) {
        while let Some(&(command, epoch)) = self.commands.flushes.first() {
            let holds_up = |f: &Filling| {
                f.in_use && !f.programmed && f.stream == StreamId::Host && f.epoch <= epoch
            };
            if self.writer.filling.iter().any(holds_up) {
                return;
            }
            self.commands.flushes.remove(0);
            self.command_done(command);
        }
    }
}
