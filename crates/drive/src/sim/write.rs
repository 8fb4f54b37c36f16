//! Writing: admission to the buffer, slots being filled, programs.
//!
//! A write is acknowledged when its data is in the buffer. A unit gets its physical
//! place the moment it arrives; the slot is programmed when its last unit has arrived.
//! The host is admitted while the buffer has room and the pool it writes to has more
//! than its reserve free: that is all the throttling there is.

use std::collections::VecDeque;

use stend_base::Op;
use stend_nand::{Class, Work};

use super::durability::Admission;
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
    /// Its row and die.
    row: u32,
    die: u32,
    /// Its first unit.
    first_unit: u32,
    /// The unit up to which, from there on, there is no parity.
    run_end: u32,
    /// Its units filled so far.
    filled: u32,
    filling: u32,
    /// Units left in the superblock, without parity.
    room: u32,
    /// Units promised to data on its way.
    promised: u32,
}

/// A slot from its first unit to the end of its program.
#[derive(Clone, Copy, Debug)]
struct Filling {
    slot: u32,
    superblock: u32,
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
    slots_per_superblock: u32,
    /// Units of a superblock, without parity.
    units_per_superblock: u32,
    collected_under_way: u32,
    padding_owed: bool,
    slots_begun: u64,
    /// Units from the nth slot of a superblock of the entry pool up to the next slot that
    /// holds parity, or to the end: 0 if the nth does.
    run: Vec<u32>,
}

impl Writer {
    pub fn new(spec: &Spec, layout: &Layout) -> Writer {
        let slots = layout.slots() as usize;
        let pool = if spec.cache.is_some() {
            Pool::Cache
        } else {
            Pool::Main
        };
        let area = layout.pool(pool);
        let mut run = vec![0; area.slots_per_superblock as usize + 1];
        for within in (0..area.slots_per_superblock).rev() {
            if !layout.is_parity(pool, within) {
                run[within as usize] = run[within as usize + 1] + spec.units_per_slot;
            }
        }
        let stream = Stream {
            superblock: NONE,
            within: 0,
            row: 0,
            die: 0,
            first_unit: 0,
            run_end: 0,
            filled: 0,
            filling: NONE,
            room: 0,
            promised: 0,
        };
        Writer {
            streams: [stream; 2],
            filling: Vec::with_capacity(256),
            free: Vec::with_capacity(256),
            waiting: VecDeque::with_capacity(64),
            buffered: 0,
            ring: VecDeque::with_capacity(64),
            unprogrammed: vec![0; slots.div_ceil(64)],
            epoch: 0,
            units_per_slot: spec.units_per_slot,
            units_per_superblock: area.data_slots_per_superblock * spec.units_per_slot,
            collected_under_way: 0,
            padding_owed: false,
            slots_begun: 0,
            run,
            slots_per_superblock: area.slots_per_superblock,
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

    pub fn slot_of(&self, filling: u32) -> u32 {
        self.filling[filling as usize].slot
    }

    /// Slots whose program has not ended.
    pub fn unprogrammed_slots(&self) -> Vec<u32> {
        let open = self.filling.iter().filter(|f| f.in_use && !f.programmed);
        open.map(|f| f.slot).collect()
    }

    /// Whether a slot belongs to an open superblock that has not come so far.
    pub fn will_begin(&self, layout: &Layout, slot: u32) -> bool {
        let superblock = layout.superblock_of_slot(slot);
        let within = slot - layout.first_slot(superblock);
        let open = self.streams.iter().find(|s| s.superblock == superblock);
        open.is_some_and(|s| within >= s.within + u32::from(s.filled > 0))
    }

    /// Slots of a superblock that have been begun.
    pub fn begun_in(&self, superblock: u32, layout: &Layout) -> u32 {
        let open = self.streams.iter().find(|s| s.superblock == superblock);
        open.map_or_else(
            || {
                let pool = layout.pool_of_superblock(superblock);
                layout.pool(pool).slots_per_superblock
            },
            |s| s.within + u32::from(s.filled > 0),
        )
    }

    /// Nothing is in the buffer any more. An open superblock that is not `dead` is filled on
    /// from the next multiple of `line` rows behind what has been begun; which these are,
    /// and how many of their slots are left.
    pub fn power_cut(
        &mut self,
        layout: &Layout,
        line: u32,
        dead: impl Fn(u32) -> bool,
    ) -> [Option<(u32, u32)>; 2] {
        self.filling.clear();
        self.free.clear();
        self.waiting.clear();
        self.ring.clear();
        self.unprogrammed.fill(0);
        self.buffered = 0;
        self.collected_under_way = 0;
        self.padding_owed = false;
        let mut open = [None; 2];
        for (stream, open) in self.streams.iter_mut().zip(&mut open) {
            let mut within = stream.within + u32::from(stream.filled > 0);
            if line > 1 {
                within = within.next_multiple_of(line * layout.dies);
            }
            while within < self.slots_per_superblock && self.run[within as usize] == 0 {
                within += 1;
            }
            (stream.filled, stream.filling, stream.promised) = (0, NONE, 0);
            let ends = within >= self.slots_per_superblock;
            if stream.superblock == NONE || ends || dead(stream.superblock) {
                stream.superblock = NONE;
                stream.room = 0;
                continue;
            }
            let left = within..self.slots_per_superblock;
            *open = Some((stream.superblock, left.len() as u32));
            let data = left.filter(|&w| self.run[w as usize] > 0).count() as u32;
            stream.room = data * self.units_per_slot;
            stream.within = within;
            (stream.row, stream.die) = (within / layout.dies, within % layout.dies);
            let slot = layout.first_slot(stream.superblock) + within;
            stream.first_unit = slot << layout.unit_bits;
        }
        open
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
    #[inline]
    pub(super) fn pump_writes(&mut self) {
        if !self.writer.waiting.is_empty() {
            self.admit_writes();
        }
    }

    fn admit_writes(&mut self) {
        while let Some(&command) = self.writer.waiting.front() {
            if self.commands.get(command).op == Op::Trim {
                if self.trim_must_wait(command) {
                    return;
                }
                self.writer.waiting.pop_front();
                self.trim_now(command);
                continue;
            }
            let (units, bytes) = self.next_admission(command);
            if self.writer.buffered + units > self.spec.buffer.write_units {
                return;
            }
            let Admission::Promise(promise) = self.admission(command, units) else {
                return;
            };
            if promise > 0 && !self.host_has_space(promise) {
                if !self.stream_has_room(StreamId::Host, promise) {
                    self.urge();
                }
                // Nothing else may be under way that would start what makes space.
                self.pump_collect();
                self.pump_fold();
                // Folding may have passed over word lines in which nothing is left: that
                // makes space at once, and no event need follow.
                if self.durability.is_some() && self.host_has_space(promise) {
                    continue;
                }
                return;
            }
            self.writer.buffered += units;
            self.writer.streams[StreamId::Host as usize].promised += promise;
            self.part_admitted(command);
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

    /// Units and bytes of a command that are admitted together: up to a slot's worth, cut at
    /// unit boundaries.
    #[inline]
    fn next_admission(&self, command: u32) -> (u32, u32) {
        const UNIT: u32 = UNIT_BYTES as u32;
        let entry = self.commands.get(command);
        let begin = entry.offset_bytes + entry.len_bytes - entry.to_admit;
        let before = (begin % UNIT_BYTES) as u32;
        let most = self.writer.units_per_slot * UNIT - before;
        let bytes = entry.to_admit.min(u64::from(most)) as u32;
        ((before + bytes).div_ceil(UNIT), bytes)
    }

    /// Whether the host may take `units` more from the pool that it writes to.
    #[inline]
    fn host_has_space(&self, units: u32) -> bool {
        let promised = self.writer.streams[StreamId::Host as usize].promised + units;
        let free = self.free_slots[self.limits.entry_pool as usize];
        free > self.limits.host_floor + self.limits.slots_for(promised)
            && self.stream_has_room(StreamId::Host, units)
    }

    /// Slots of `superblocks` in `pool`.
    pub(super) fn slots(&self, pool: Pool, superblocks: u32) -> i64 {
        i64::from(superblocks) * i64::from(self.layout.pool(pool).slots_per_superblock)
    }

    /// Whether `units` more can be placed, leaving the other stream what it has been
    /// promised.
    #[inline]
    pub(super) fn stream_has_room(&self, stream: StreamId, units: u32) -> bool {
        let other = match stream {
            StreamId::Host => StreamId::Collect,
            StreamId::Collect => StreamId::Host,
        };
        let needed = self.superblocks_needed(stream, units) + self.superblocks_needed(other, 0);
        needed == 0 || self.superblocks.erased(self.limits.entry_pool) >= needed as usize
    }

    /// Superblocks a stream has yet to open for what it was promised and `more` units.
    #[inline]
    fn superblocks_needed(&self, stream: StreamId, more: u32) -> u32 {
        let stream = &self.writer.streams[stream as usize];
        let units = stream.promised + more;
        if units <= stream.room {
            return 0;
        }
        (units - stream.room).div_ceil(self.writer.units_per_superblock)
    }

    /// A TRIM waits in the order of the writes.
    pub(super) fn wait_among_writes(&mut self, command: u32) {
        self.writer.waiting.push_back(command);
    }

    pub(super) fn promised(&self, stream: StreamId) -> u32 {
        self.writer.streams[stream as usize].promised
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
        self.place_received(begin, end, units.clone(), tag);
        self.counters.host_units_written += u64::from(units.end - units.start);
        // Only now: what is promised covers what is being placed.
        self.unpromise(StreamId::Host, units.end - units.start);
        if self.writer.padding_owed {
            self.pad_slots();
        }
        self.part_placed(command, units.end);
        if finished {
            self.command_done(command);
        }
    }

    /// Gives the units of received data the next places of the host's stream. What a partly
    /// written unit held before is read and merged.
    fn place_received(&mut self, begin: u64, end: u64, units: std::ops::Range<u32>, tag: u32) {
        let mut unit = units.start;
        while unit < units.end {
            self.begin_slot_if_none(StreamId::Host);
            let stream = &mut self.writer.streams[StreamId::Host as usize];
            let count = (units.end - unit).min(self.writer.units_per_slot - stream.filled);
            let to = stream.first_unit + stream.filled;
            stream.filled += count;
            stream.room -= count;
            let (superblock, filling) = (stream.superblock, stream.filling);
            let last = unit + count - 1;
            let mut partly = [UNMAPPED; 2];
            if u64::from(unit) * UNIT_BYTES < begin {
                partly[0] = self.mapping.lookup(unit);
            }
            if u64::from(last + 1) * UNIT_BYTES > end && (last > unit || partly[0] == UNMAPPED) {
                partly[1] = self.mapping.lookup(last);
            }
            self.mapping.write(unit, count, to, superblock, tag);
            for old in partly {
                if old != UNMAPPED {
                    self.merge(filling, old);
                }
            }
            self.close_if_full(StreamId::Host);
            unit += count;
        }
    }

    /// Gives valid units of a slot, one bit each, `count` in all, the next places of
    /// collected data.
    pub(super) fn place_collected(&mut self, slot: u32, units: u32, count: u32) {
        let (mut units, mut count) = (units, count);
        while count > 0 {
            self.begin_slot_if_none(StreamId::Collect);
            let stream = &mut self.writer.streams[StreamId::Collect as usize];
            let to = stream.first_unit + stream.filled;
            // Up to the next parity or the end of the superblock, in one go.
            let now = count.min(stream.run_end - to);
            let superblock = stream.superblock;
            let rest = if now == count {
                0
            } else {
                without_lowest(units, now)
            };
            self.mapping.gather(slot, units ^ rest, to, superblock);
            self.log_gather(slot, units ^ rest, to, superblock);
            self.fill_collected(now);
            (units, count) = (rest, count - now);
        }
    }

    /// Notes that the next `count` places of collected data are filled; programs the slots
    /// that are full.
    #[inline]
    fn fill_collected(&mut self, count: u32) {
        let mut left = count;
        loop {
            let stream = &mut self.writer.streams[StreamId::Collect as usize];
            let now = left.min(self.writer.units_per_slot - stream.filled);
            stream.filled += now;
            stream.room -= now;
            left -= now;
            self.close_if_full(StreamId::Collect);
            if left == 0 {
                return;
            }
            self.begin_slot(StreamId::Collect);
        }
    }

    #[inline]
    fn begin_slot_if_none(&mut self, id: StreamId) {
        if self.writer.streams[id as usize].filled == 0 {
            self.begin_slot(id);
        }
    }

    fn begin_slot(&mut self, id: StreamId) {
        let pool = self.limits.entry_pool;
        if self.writer.streams[id as usize].superblock == NONE {
            let superblock = self
                .superblocks
                .open(pool)
                .expect("space was promised before it was taken");
            let stream = &mut self.writer.streams[id as usize];
            stream.superblock = superblock;
            (stream.within, stream.row, stream.die) = (0, 0, 0);
            stream.first_unit = self.layout.first_slot(superblock) << self.layout.unit_bits;
            stream.room = self.writer.units_per_superblock;
        }
        let stream = &mut self.writer.streams[id as usize];
        stream.run_end = stream.first_unit + self.writer.run[stream.within as usize];
        let superblock = stream.superblock;
        let slot = stream.first_unit >> self.layout.unit_bits;
        self.superblocks.program_begins(superblock);
        self.free_slots[pool as usize] -= 1;
        let filling = self.writer.take(Filling {
            slot,
            superblock,
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
        let stream = &mut self.writer.streams[id as usize];
        let (superblock, filling) = (stream.superblock, stream.filling);
        stream.room -= self.writer.units_per_slot - stream.filled;
        stream.filled = 0;
        stream.filling = NONE;
        let complete = &mut self.writer.filling[filling as usize];
        complete.complete = true;
        if complete.merges == 0 {
            let Stream { row, die, .. } = self.writer.streams[id as usize];
            self.program(row, die, id, Purpose::Program { filling });
        }
        if id == StreamId::Collect {
            self.writer.collected_under_way += 1;
        }
        self.next_slot(id);
        while self.writer.streams[id as usize].superblock != NONE {
            let Stream {
                within, row, die, ..
            } = self.writer.streams[id as usize];
            if self.writer.run[within as usize] > 0 {
                return;
            }
            self.superblocks.program_begins(superblock);
            self.free_slots[self.limits.entry_pool as usize] -= 1;
            self.counters.parity_programs += 1;
            self.program(row, die, id, Purpose::Parity { superblock });
            self.next_slot(id);
        }
        if self.superblocks.fill_up(superblock, self.limits.entry_pool) {
            self.superblock_closed();
        }
    }

    /// Moves a stream on to the next slot; behind the last it has no superblock.
    fn next_slot(&mut self, id: StreamId) {
        let dies = self.layout.dies;
        let stream = &mut self.writer.streams[id as usize];
        stream.within += 1;
        stream.die += 1;
        if stream.die == dies {
            stream.die = 0;
            stream.row += 1;
        }
        stream.first_unit += self.writer.units_per_slot;
        if stream.within == self.writer.slots_per_superblock {
            stream.superblock = NONE;
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
            if !self.padding_fits(id, padding) {
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

    /// Whether `padding` units can be left out without taking room that was promised.
    fn padding_fits(&self, id: StreamId, padding: u32) -> bool {
        let takes_none = self.superblocks_needed(id, padding) == self.superblocks_needed(id, 0);
        takes_none || self.stream_has_room(id, padding)
    }

    /// Closes the slots of an open superblock up to `slot`, full, partly filled or empty, as
    /// far as no room is taken that was promised.
    pub(super) fn fill_to(&mut self, slot: u32) {
        let superblock = self.layout.superblock_of_slot(slot);
        let last = slot - self.layout.first_slot(superblock);
        for id in [StreamId::Host, StreamId::Collect] {
            loop {
                let stream = &self.writer.streams[id as usize];
                let (filled, within) = (stream.filled, stream.within);
                if stream.superblock != superblock || within > last {
                    break;
                }
                let padding = self.spec.units_per_slot - filled;
                if !self.padding_fits(id, padding) {
                    break;
                }
                if filled == 0 {
                    self.begin_slot(id);
                    self.counters.filler_slots += 1;
                } else {
                    self.counters.padded_slots += 1;
                }
                if id == StreamId::Host {
                    // The slot gives its whole size back when it is programmed.
                    self.writer.buffered += padding;
                }
                self.close_slot(id);
            }
        }
    }

    fn program(&mut self, row: u32, die: u32, stream: StreamId, purpose: Purpose) {
        let work = Work::Program {
            program: self.limits.program[row as usize],
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
        let (die, sense) = self.die_and_read_time(slot);
        let work = Work::Read {
            sense,
            bytes: UNIT_BYTES as u32,
        };
        self.array.submit(
            &mut self.queue,
            die,
            Class::HostRead,
            work,
            Purpose::Merge { filling }.pack(),
        );
    }

    pub(super) fn merge_arrived(&mut self, filling: u32) {
        let entry = &mut self.writer.filling[filling as usize];
        entry.merges -= 1;
        let Filling { slot, stream, .. } = *entry;
        if entry.complete && entry.merges == 0 {
            let (_, row, die) = self.layout.place(slot);
            self.program(row, die, stream, Purpose::Program { filling });
        }
    }

    pub(super) fn program_done(&mut self, filling: u32) {
        let Filling {
            slot,
            superblock,
            stream,
            ..
        } = self.writer.filling[filling as usize];
        self.writer.unprogrammed[slot as usize / 64] &= !(1 << (slot % 64));
        self.program_ended(superblock);
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
        if self
            .superblocks
            .program_ends(superblock, self.limits.entry_pool)
        {
            self.superblock_closed();
        }
    }

    fn superblock_closed(&mut self) {
        self.pump_collect();
        self.pump_fold();
    }

    pub(super) fn flush(&mut self, command: u32) {
        if self.durability.is_some() {
            self.flush_durably(command);
            return;
        }
        self.pad_slots();
        let epoch = self.writer.epoch;
        self.writer.epoch += 1;
        self.commands.flushes.push((command, epoch));
        self.check_flushes();
    }

    /// Ends the flushes behind which nothing is unprogrammed any more.
    #[inline]
    pub(super) fn check_flushes(&mut self) {
        if !self.commands.flushes.is_empty() {
            self.end_flushes();
        }
    }

    fn end_flushes(&mut self) {
        if self.durability.is_some() {
            self.end_durable_flushes();
            return;
        }
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

/// The bits that are set in `bits`, without the `count` lowest.
#[inline]
fn without_lowest(bits: u32, count: u32) -> u32 {
    let mut rest = bits;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    rest
}
