//! Writing: admission to the buffer, slots being filled, programs.
//!
//! A write is acknowledged when its data is in the buffer. A unit gets its physical
//! place the moment it arrives; the slot is programmed when its last unit has arrived.
//! The host is admitted while the buffer has room and the pool it writes to has more
//! than its reserve free: that is all the throttling there is.

mod cut;

use std::collections::VecDeque;

use stend_base::Op;
use stend_nand::{Class, Work};

use crate::sim::data::fua::Waiters;
use crate::sim::data::streams::{MOST, MOST_HOST, Sorting, StreamId};
use crate::sim::host::link::{Load, Transfer};
use crate::sim::map::layout::{Layout, Pool};
use crate::sim::map::mapping::{LOST, UNMAPPED};
use crate::sim::map::shape::{Mode, Shape};
use crate::sim::space::cache::Kind;
use crate::sim::{Purpose, SimDrive};
use crate::spec::{Spec, UNIT_BYTES};

const NONE: u32 = u32::MAX;

/// An open superblock and where it is filled.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Stream {
    superblock: u32,
    kind: Kind,
    /// What it opens next, while more is promised than it has room for: data on its way goes
    /// where room was found for it.
    next: Option<Kind>,
    /// Number of the first slot being filled, within the superblock.
    within: u32,
    /// Its row and die.
    row: u32,
    die: u32,
    /// Its first unit.
    first_unit: u32,
    /// The unit up to which, from there on, there is no parity.
    run_end: u32,
    /// Units filled so far of those that are programmed together.
    filled: u32,
    filling: u32,
    /// Changes of the log from this number on may name the slots being filled.
    log_from: u64,
    /// Units left in the superblock, without parity.
    room: u32,
    /// Units promised to data on its way.
    promised: u32,
}

/// The slots of one program, mostly one, from their first unit to the end of the program.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Filling {
    slot: u32,
    kind: Kind,
    superblock: u32,
    stream: StreamId,
    /// Reads of old content under way for partly written units.
    merges: u32,
    complete: bool,
    in_use: bool,
    /// Its program has ended, but an older slot's has not.
    programmed: bool,
    /// FUA writes with data in it, as a list.
    waiters: u32,
    /// Number of the flush that came after it.
    epoch: u64,
    /// Running number of its beginning.
    number: u64,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Writer {
    streams: [Stream; MOST],
    pub(in crate::sim) sorting: Sorting,
    filling: Vec<Filling>,
    free: Vec<u32>,
    /// Write commands with data not yet admitted.
    waiting: VecDeque<u32>,
    /// Units in the buffer, from admission until they are given back.
    buffered: u32,
    /// Slots of each of the host's streams in the order in which they were begun: the buffer
    /// is a ring for each, and gives space back in the order in which it was taken. One ring
    /// for all would wait for a slot that rarely gets a unit.
    rings: [VecDeque<u32>; MOST_HOST],
    /// Slots whose program has not ended, one bit each.
    unprogrammed: Vec<u64>,
    epoch: u64,
    units_per_slot: u32,
    /// By mode: what a program fills, and a superblock holds.
    shapes: [Filled; 2],
    /// Units of the smallest superblock that a stream may open next: the host's, and
    /// collection's.
    least_units: [u32; 2],
    collected_under_way: u32,
    padding_owed: bool,
    slots_begun: u64,
    pub fua: Waiters,
}

/// How superblocks of one mode are filled.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Filled {
    /// Slots and units of one program.
    slots_together: u32,
    units_together: u32,
    slots_per_superblock: u32,
    /// Units of a superblock, without parity.
    units_per_superblock: u32,
    /// Units from the nth slot of a superblock up to the next slot that holds parity, or to
    /// the end: 0 if the nth does.
    run: Vec<u32>,
}

impl Filled {
    fn new(shape: &Shape, units_per_slot: u32) -> Filled {
        let mut run = vec![0; shape.slots as usize + 1];
        for within in (0..shape.slots).rev() {
            if !shape.is_parity(within) {
                run[within as usize] = run[within as usize + 1] + units_per_slot;
            }
        }
        Filled {
            slots_together: shape.together,
            units_together: shape.together * units_per_slot,
            slots_per_superblock: shape.slots,
            units_per_superblock: shape.data_slots * units_per_slot,
            run,
        }
    }
}

impl Writer {
    pub fn new(spec: &Spec, layout: &Layout, units: u32) -> Writer {
        let slots = layout.slots() as usize;
        let shapes = Mode::ALL.map(|mode| Filled::new(layout.shape(mode), spec.units_per_slot));
        let holds = |mode: Mode| shapes[mode as usize].units_per_superblock;
        let host = if spec.cache.is_some() {
            holds(Mode::Slc)
        } else {
            holds(Mode::Native)
        };
        let collected = match &spec.cache {
            Some(cache) if cache.takes_collected => holds(Mode::Slc),
            _ => holds(Mode::Native),
        };
        let stream = Stream {
            superblock: NONE,
            kind: Kind::NATIVE,
            next: None,
            within: 0,
            row: 0,
            die: 0,
            first_unit: 0,
            run_end: 0,
            filled: 0,
            filling: NONE,
            log_from: 0,
            room: 0,
            promised: 0,
        };
        Writer {
            streams: [stream; MOST],
            sorting: Sorting::new(spec, units),
            filling: Vec::with_capacity(256),
            free: Vec::with_capacity(256),
            waiting: VecDeque::with_capacity(64),
            buffered: 0,
            rings: std::array::from_fn(|_| VecDeque::with_capacity(64)),
            unprogrammed: vec![0; slots.div_ceil(64)],
            epoch: 0,
            units_per_slot: spec.units_per_slot,
            least_units: [host, collected],
            shapes,
            collected_under_way: 0,
            padding_owed: false,
            slots_begun: 0,
            fua: Waiters::default(),
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
            .any(|f| f.in_use && !f.stream.is_host() && f.number < ticket)
    }

    /// Takes the first of the commands with data that is not admitted.
    pub fn next_waiting(&mut self) -> Option<u32> {
        self.waiting.pop_front()
    }

    /// Whether a slot is being filled whose content no program has taken yet.
    pub fn has_open_slot(&self) -> bool {
        self.streams.iter().any(|stream| stream.filled > 0)
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "buffered {}, {} writes wait, streams {:?}, filling {:?}",
            self.buffered,
            self.waiting.len(),
            &self.streams[..self.sorting.numbers],
            self.filling.iter().filter(|f| f.in_use).collect::<Vec<_>>()
        )
    }

    /// The ring that holds the slots of a stream of the host.
    #[inline]
    fn ring(&mut self, stream: StreamId) -> &mut VecDeque<u32> {
        &mut self.rings[stream.number() / 2]
    }

    /// Gives back the space of a stream's oldest slots, as far as they are programmed.
    fn give_back(&mut self, stream: StreamId) {
        while let Some(&oldest) = self.ring(stream).front() {
            if !self.filling[oldest as usize].programmed {
                return;
            }
            self.ring(stream).pop_front();
            let kind = self.filling[oldest as usize].kind;
            self.buffered -= self.shapes[kind.mode as usize].units_together;
            self.release(oldest);
        }
    }

    /// Notes whether the slots of a program wait for its end.
    #[inline(always)]
    fn mark_unprogrammed(&mut self, filling: &Filling, waits: bool) {
        self.mark_slots(filling.slot, filling.kind, waits);
    }

    #[inline(always)]
    fn mark_slots(&mut self, first: u32, kind: Kind, waits: bool) {
        let mut slot = first;
        let end = slot + self.shapes[kind.mode as usize].slots_together;
        loop {
            let word = &mut self.unprogrammed[slot as usize / 64];
            let bit = 1 << (slot % 64);
            *word = if waits { *word | bit } else { *word & !bit };
            slot += 1;
            if slot == end {
                return;
            }
        }
    }

    /// Units promised to the host's streams.
    #[inline]
    pub(in crate::sim) fn host_promised(&self) -> u32 {
        if self.sorting.numbers == 2 {
            return self.streams[0].promised;
        }
        let hosts = self.streams[..self.sorting.numbers].iter().step_by(2);
        hosts.map(|s| s.promised).sum()
    }

    /// What fills up the program in which `units` more than were promised to a stream end:
    /// exactly where all its programs are of one mode, else the most it may be.
    pub fn padding_after(&self, id: StreamId, units: u32, mode: Option<Mode>) -> u32 {
        if let Some(mode) = mode {
            let stream = &self.streams[id.number()];
            let end = stream.filled + stream.promised + units;
            return end.next_multiple_of(self.shapes[mode as usize].units_together) - end;
        }
        let together = self.shapes.iter().map(|shape| shape.units_together);
        together.max().unwrap_or_default() - 1
    }

    /// Takes units out of the buffer that will not come.
    pub fn give_up(&mut self, units: u32) {
        self.buffered -= units;
    }

    /// The FUA writes that wait for a slot.
    pub fn waiters_of(&self, filling: u32) -> u32 {
        self.filling[filling as usize].waiters
    }

    pub fn set_waiters_of(&mut self, filling: u32, waiters: u32) {
        self.filling[filling as usize].waiters = waiters;
    }

    fn release(&mut self, filling: u32) {
        self.filling[filling as usize].in_use = false;
        self.free.push(filling);
    }

    fn take(&mut self, filling: Filling) -> u32 {
        self.mark_unprogrammed(&filling, true);
        if let Some(index) = self.free.pop() {
            self.filling[index as usize] = filling;
            return index;
        }
        self.filling.push(filling);
        (self.filling.len() - 1) as u32
    }
}

/// Whose data has been received, and who waits for its program.
#[derive(Clone, Copy)]
struct Received {
    tag: u32,
    waiter: u32,
    /// It may take the place of what its units held in the slots being filled.
    coalesces: bool,
}

impl SimDrive {
    pub(in crate::sim) fn write_begins(&mut self, command: u32) {
        let (first, _) = self.commands.get(command).units();
        self.mapping.expect_invalid(first);
        self.writer.waiting.push_back(command);
        self.pump_writes();
    }

    /// Admits as much of the waiting writes as there is room for.
    #[inline]
    pub(in crate::sim) fn pump_writes(&mut self) {
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
                self.trim_begins(command);
                continue;
            }
            let (units, bytes) = self.next_admission(command);
            let padding = self.fua_padding(command, units, bytes);
            let taken = units + padding;
            if self.writer.buffered + taken > self.spec.buffer.write_units {
                return;
            }
            let Some(promise) = self.promise_of(command, taken) else {
                return;
            };
            let first = self.next_unit(command);
            let stream = self.stream_of_admission(command, first);
            if promise > 0 && !self.host_has_space(stream, promise) {
                if !self.stream_has_room(stream, promise) {
                    self.urge();
                }
                // Nothing else may be under way that would start what makes space.
                self.pump_collect();
                self.pump_fold();
                // Folding may have passed over word lines in which nothing is left: that
                // makes space at once, and no event need follow.
                if self.host_has_space(stream, promise) {
                    continue;
                }
                return;
            }
            self.writer.buffered += taken;
            self.promise_next(stream, promise);
            self.note_admission(command, first, units, stream);
            self.part_admitted(command, units, stream, promise);
            let entry = self.commands.get_mut(command);
            entry.padding = padding;
            entry.to_admit -= u64::from(bytes);
            if entry.to_admit == 0 {
                self.writer.waiting.pop_front();
            }
            self.link_send(Transfer {
                command,
                bytes,
                load: Load::WriteData,
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
    #[inline(always)]
    fn host_has_space(&self, stream: StreamId, units: u32) -> bool {
        let promised = self.writer.host_promised() + units;
        let kind = self.kind_for(stream, units);
        let free = self.free_slots[kind.pool as usize];
        let needed = self.limits.slots_for(kind.mode, promised) * self.slot_cost(kind);
        // Where it is not held above a floor, it fills a superblock of the cache to its end.
        let floor = self.limits.host_floor[kind.pool as usize];
        let paced = kind != Kind::STATIC || floor > 0;
        (!paced || free > floor + needed) && self.stream_has_room(stream, units)
    }

    /// Where the last of `units` more of a stream goes, as things stand.
    #[inline(always)]
    fn kind_for(&self, id: StreamId, units: u32) -> Kind {
        let stream = &self.writer.streams[id.number()];
        if stream.superblock != NONE && stream.promised + units <= stream.room {
            return stream.kind;
        }
        self.next_kind(id)
    }

    /// Slots of `superblocks` in `pool`.
    pub(in crate::sim) fn slots(&self, pool: Pool, superblocks: u32) -> i64 {
        i64::from(superblocks) * i64::from(self.layout.pool(pool).slots_per_superblock)
    }

    /// Whether `units` more can be placed, leaving the other streams what they have been
    /// promised.
    #[inline(always)]
    pub(in crate::sim) fn stream_has_room(&self, stream: StreamId, units: u32) -> bool {
        // Mostly nothing has to be opened, and there is no more than a stream each.
        let [host, collect, ..] = &self.writer.streams;
        let more = |of_host: bool| {
            if stream.is_host() == of_host {
                units
            } else {
                0
            }
        };
        if self.writer.sorting.numbers == 2
            && host.promised + more(true) <= host.room
            && collect.promised + more(false) <= collect.room
        {
            return true;
        }
        self.superblocks_suffice(stream, units)
    }

    fn superblocks_suffice(&self, stream: StreamId, units: u32) -> bool {
        let needed = self.superblocks_promised(Some((stream, units)));
        let has = |pool: Pool| {
            let needed = needed[pool as usize];
            needed == 0 || self.superblocks.erased(pool) >= needed
        };
        has(Pool::Main) && has(Pool::Cache)
    }

    /// Superblocks of each pool that streams have yet to open for what they were promised, and
    /// one of them for some units more.
    fn superblocks_promised(&self, more: Option<(StreamId, u32)>) -> [usize; 2] {
        let mut needed = [0; 2];
        for id in (0..self.writer.sorting.numbers).map(StreamId::nth) {
            let units = more.filter(|m| m.0 == id).map_or(0, |m| m.1);
            let superblocks = self.superblocks_needed(id, units);
            if superblocks > 0 {
                needed[self.next_kind(id).pool as usize] += superblocks as usize;
            }
        }
        needed
    }

    /// Whether a superblock of a pool may be opened beside what streams were promised.
    pub(in crate::sim) fn has_superblock(&self, pool: Pool) -> bool {
        self.superblocks.erased(pool) > self.superblocks_promised(None)[pool as usize]
    }

    /// Superblocks a stream has yet to open for what it was promised and `more` units.
    #[inline]
    fn superblocks_needed(&self, id: StreamId, more: u32) -> u32 {
        let stream = &self.writer.streams[id.number()];
        let units = stream.promised + more;
        if units <= stream.room {
            return 0;
        }
        let least = self.writer.least_units[usize::from(!id.is_host())];
        (units - stream.room).div_ceil(least)
    }

    /// What is promised beyond the room there is goes to superblocks of the kind that has
    /// room now.
    #[inline(always)]
    fn promise_next(&mut self, id: StreamId, units: u32) {
        self.find_next(id, units);
        self.promise(id, units);
    }

    /// Settles what a stream opens next, if `units` more than were promised take it there.
    #[inline(always)]
    fn find_next(&mut self, id: StreamId, units: u32) {
        let settled = self.limits.always[usize::from(!id.is_host())].is_some();
        if !settled && self.superblocks_needed(id, units) > 0 {
            let kind = self.next_kind(id);
            self.writer.streams[id.number()].next = Some(kind);
        }
    }

    /// What a stream has been promised to open next.
    #[inline]
    pub(in crate::sim) fn promised_kind(&self, id: StreamId) -> Option<Kind> {
        let stream = &self.writer.streams[id.number()];
        stream.next.filter(|_| stream.promised > stream.room)
    }

    /// A TRIM waits in the order of the writes.
    pub(in crate::sim) fn wait_among_writes(&mut self, command: u32) {
        self.writer.waiting.push_back(command);
    }

    pub(in crate::sim) fn promise(&mut self, stream: StreamId, units: u32) {
        self.writer.streams[stream.number()].promised += units;
    }

    pub(in crate::sim) fn unpromise(&mut self, stream: StreamId, units: u32) {
        self.writer.streams[stream.number()].promised -= units;
    }

    /// Data of a write has arrived in the buffer.
    pub(in crate::sim) fn write_received(&mut self, command: u32, bytes: u32) {
        let entry = self.commands.get_mut(command);
        let begin = entry.offset_bytes + entry.len_bytes - entry.bytes_left;
        entry.bytes_left -= u64::from(bytes);
        let finished = entry.bytes_left == 0;
        let (tag, fua) = (entry.tag, entry.fua);
        let end = begin + u64::from(bytes);
        let units = (begin / UNIT_BYTES) as u32..end.div_ceil(UNIT_BYTES) as u32;
        self.read_ahead_forget(units.start, units.end);
        let stream = self.stream_of_arrival(command);
        let waiter = if fua { command } else { NONE };
        let coalesces = self.spec.buffer.coalesces && self.may_coalesce(command, &units);
        let received = Received {
            tag,
            waiter,
            coalesces,
        };
        self.place_received(stream, begin, end, units.clone(), received);
        self.counters.host_units_written += u64::from(units.end - units.start);
        self.counters.host_bytes_written += u64::from(bytes);
        // Only now: what is promised covers what is being placed.
        self.unpromise(stream, units.end - units.start);
        if fua && finished {
            self.fua_received(command, stream);
        }
        if self.writer.padding_owed {
            self.pad_slots();
        }
        let waits = self.part_placed(command, units.end, finished);
        if finished && !fua && !waits {
            self.command_done(command);
        }
    }

    /// Gives the units of received data the next places of a stream. What a partly
    /// written unit held before is read and merged.
    fn place_received(
        &mut self,
        id: StreamId,
        begin: u64,
        end: u64,
        units: std::ops::Range<u32>,
        received: Received,
    ) {
        let Received { tag, waiter, .. } = received;
        let mut unit = units.start;
        while unit < units.end {
            if received.coalesces && self.coalesce(id, unit, received) {
                unit += 1;
                continue;
            }
            self.begin_slot_if_none(id);
            let stream = &mut self.writer.streams[id.number()];
            // Within one slot.
            let slot_units = self.writer.units_per_slot;
            let count = (units.end - unit).min(slot_units - (stream.filled & (slot_units - 1)));
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
            if waiter != NONE {
                self.fua_waits(waiter, filling);
            }
            for old in partly {
                if old < LOST {
                    self.merge(filling, old);
                }
            }
            self.close_if_full(id);
            unit += count;
        }
    }

    /// Puts received data over what the unit held in the slots being filled, if it lies there:
    /// it takes no place of its own then, and no old content has to be read.
    #[cold]
    fn coalesce(&mut self, id: StreamId, unit: u32, received: Received) -> bool {
        let Received { tag, waiter, .. } = received;
        let stream = &self.writer.streams[id.number()];
        let filled = stream.first_unit..stream.first_unit + stream.filled;
        let filling = stream.filling;
        let place = self.mapping.lookup(unit);
        if !filled.contains(&place) {
            return false;
        }
        self.joins_the_log(id);
        self.mapping.write_over(unit, place, tag);
        self.writer.buffered -= 1;
        self.counters.units_coalesced += 1;
        if waiter != NONE {
            self.fua_waits(waiter, filling);
        }
        true
    }

    /// Gives valid units of a slot, one bit each, `count` in all, the next places of
    /// a stream of collected data.
    pub(in crate::sim) fn place_collected(
        &mut self,
        id: StreamId,
        slot: u32,
        units: u32,
        count: u32,
    ) {
        let (mut units, mut count) = (units, count);
        while count > 0 {
            self.begin_slot_if_none(id);
            let stream = &mut self.writer.streams[id.number()];
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
            self.fill_collected(id, now);
            (units, count) = (rest, count - now);
        }
    }

    /// Notes that the next `count` places of collected data are filled; programs the slots
    /// that are full.
    #[inline]
    fn fill_collected(&mut self, id: StreamId, count: u32) {
        let mut left = count;
        loop {
            let stream = &mut self.writer.streams[id.number()];
            let together = self.writer.shapes[stream.kind.mode as usize].units_together;
            let now = left.min(together - stream.filled);
            stream.filled += now;
            stream.room -= now;
            left -= now;
            self.close_if_full(id);
            if left == 0 {
                return;
            }
            self.begin_slot(id);
        }
    }

    #[inline]
    fn begin_slot_if_none(&mut self, id: StreamId) {
        if self.writer.streams[id.number()].filled == 0 {
            self.begin_slot(id);
        }
    }

    /// Begins the slots of the next program.
    fn begin_slot(&mut self, id: StreamId) {
        if self.writer.streams[id.number()].superblock == NONE {
            self.open_superblock(id);
        }
        let stream = &mut self.writer.streams[id.number()];
        let kind = stream.kind;
        let shape = &self.writer.shapes[kind.mode as usize];
        stream.run_end = stream.first_unit + shape.run[stream.within as usize];
        let superblock = stream.superblock;
        let slot = stream.first_unit >> self.layout.unit_bits;
        self.superblocks.program_begins(superblock);
        self.take_slots(kind);
        let filling = self.writer.take(Filling {
            slot,
            kind,
            superblock,
            stream: id,
            merges: 0,
            complete: false,
            in_use: true,
            programmed: false,
            waiters: NONE,
            epoch: self.writer.epoch,
            number: self.writer.slots_begun,
        });
        self.writer.slots_begun += 1;
        if self.spec.buffer.coalesces {
            self.slot_enters_the_log(id);
        }
        self.writer.streams[id.number()].filling = filling;
        if id.is_host() {
            self.writer.ring(id).push_back(filling);
        }
    }

    fn open_superblock(&mut self, id: StreamId) {
        let kind = self.next_kind(id);
        let superblock = self.open_for(id, kind);
        self.media_opened(superblock);
        let stream = &mut self.writer.streams[id.number()];
        stream.superblock = superblock;
        stream.kind = kind;
        (stream.within, stream.row, stream.die) = (0, 0, 0);
        stream.first_unit = self.layout.first_slot(superblock) << self.layout.unit_bits;
        stream.room = self.writer.shapes[kind.mode as usize].units_per_superblock;
    }

    #[inline]
    pub(in crate::sim) fn close_if_full(&mut self, id: StreamId) {
        let stream = &self.writer.streams[id.number()];
        if stream.filled == self.writer.shapes[stream.kind.mode as usize].units_together {
            self.close_slot(id);
        }
    }

    /// No more units for the slot: program it, and its group's parity if that is next.
    fn close_slot(&mut self, id: StreamId) {
        let stream = &mut self.writer.streams[id.number()];
        let (superblock, filling, kind) = (stream.superblock, stream.filling, stream.kind);
        let shape = &self.writer.shapes[kind.mode as usize];
        let slots_together = shape.slots_together;
        stream.room -= shape.units_together - stream.filled;
        stream.filled = 0;
        stream.filling = NONE;
        let complete = &mut self.writer.filling[filling as usize];
        complete.complete = true;
        if complete.merges == 0 {
            let Stream { row, die, .. } = self.writer.streams[id.number()];
            self.program(kind, (row, die), id, Purpose::Program { filling });
        }
        if !id.is_host() {
            self.writer.collected_under_way += slots_together;
        }
        self.next_slot(id);
        while self.writer.streams[id.number()].superblock != NONE {
            let Stream {
                within, row, die, ..
            } = self.writer.streams[id.number()];
            if self.writer.shapes[kind.mode as usize].run[within as usize] > 0 {
                return;
            }
            self.superblocks.program_begins(superblock);
            self.take_slots(kind);
            self.counters.parity_programs += 1;
            if self.keeps_parity() {
                self.writer
                    .mark_parity(&self.layout, superblock, within, kind, true);
            }
            self.program(kind, (row, die), id, Purpose::Parity { superblock, within });
            self.next_slot(id);
        }
        if self.superblocks.fill_up(superblock) {
            self.superblock_closed();
        }
    }

    /// Moves a stream on to the next slot; behind the last it has no superblock.
    fn next_slot(&mut self, id: StreamId) {
        let dies = self.layout.dies;
        let stream = &mut self.writer.streams[id.number()];
        let shape = &self.writer.shapes[stream.kind.mode as usize];
        stream.within += shape.slots_together;
        stream.die += 1;
        if stream.die == dies {
            stream.die = 0;
            stream.row += shape.slots_together;
        }
        stream.first_unit += shape.units_together;
        if stream.within == shape.slots_per_superblock {
            stream.superblock = NONE;
        }
    }

    /// Closes the slot of collected data being filled. Nothing is promised to it then, so
    /// that no room is taken that was.
    pub(in crate::sim) fn pad_collected(&mut self, id: StreamId) {
        if self.writer.streams[id.number()].filled > 0 {
            self.counters.padded_slots += 1;
            self.close_slot(id);
        }
    }

    /// Closes the slots being filled, full or not, so that all that was received is
    /// programmed. Where padding would take room that was promised, it is owed until
    /// the promised data has arrived.
    pub(in crate::sim) fn pad_slots(&mut self) {
        self.writer.padding_owed = false;
        for id in (0..self.writer.sorting.numbers).map(StreamId::nth) {
            self.pad_slot(id);
        }
    }

    pub(in crate::sim) fn pad_slot(&mut self, id: StreamId) {
        let filled = self.writer.streams[id.number()].filled;
        if filled == 0 {
            return;
        }
        let mode = self.writer.streams[id.number()].kind.mode;
        let padding = self.writer.shapes[mode as usize].units_together - filled;
        if !self.padding_fits(id, padding) {
            self.writer.padding_owed |= id.is_host();
            return;
        }
        self.find_next(id, padding);
        self.counters.padded_slots += 1;
        if id.is_host() {
            // The slot gives its whole size back when it is programmed.
            self.writer.buffered += padding;
        }
        self.close_slot(id);
    }

    /// Whether `padding` units can be left out without taking room that was promised.
    fn padding_fits(&self, id: StreamId, padding: u32) -> bool {
        let takes_none = self.superblocks_needed(id, padding) == self.superblocks_needed(id, 0);
        takes_none || self.stream_has_room(id, padding)
    }

    fn program(&mut self, kind: Kind, (row, die): (u32, u32), stream: StreamId, purpose: Purpose) {
        let units = self.writer.shapes[kind.mode as usize].units_together;
        let work = Work::Program {
            program: self.limits.program[kind.mode as usize][row as usize],
            bytes: units * UNIT_BYTES as u32,
        };
        self.counters.programs_of(kind.mode);
        let class = if stream.is_host() {
            Class::HostProgram
        } else {
            Class::Background
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
        let place = self.die_and_read_time(slot);
        let purpose = Purpose::Merge { filling };
        self.read_flash(slot, place, UNIT_BYTES as u32, Class::HostRead, purpose);
    }

    pub(in crate::sim) fn merge_arrived(&mut self, filling: u32) {
        let entry = &mut self.writer.filling[filling as usize];
        entry.merges -= 1;
        let Filling {
            slot, kind, stream, ..
        } = *entry;
        if entry.complete && entry.merges == 0 {
            let (_, within) = self.layout.within_superblock(slot);
            let place = self.layout.shape(kind.mode).place(within);
            self.program(kind, place, stream, Purpose::Program { filling });
        }
    }

    pub(in crate::sim) fn program_done(&mut self, filling: u32) {
        let done = self.writer.filling[filling as usize];
        let Filling {
            superblock,
            stream,
            waiters,
            ..
        } = done;
        let together = self.writer.shapes[done.kind.mode as usize].slots_together;
        self.writer.mark_unprogrammed(&done, false);
        self.program_ended(superblock);
        if stream.is_host() {
            self.writer.filling[filling as usize].programmed = true;
            self.writer.give_back(stream);
            self.pump_collect();
            self.pump_fold();
            self.pump_writes();
        } else {
            self.writer.collected_under_way -= together;
            self.writer.release(filling);
            self.erase_left();
            self.pump_collect();
        }
        if waiters != NONE {
            self.fua_programmed(waiters);
        }
        self.check_flushes();
    }

    /// A slot of parity is programmed.
    pub(in crate::sim) fn parity_done(&mut self, superblock: u32, within: u32) {
        if self.keeps_parity() {
            let kind = self.kind_of(superblock);
            self.writer
                .mark_parity(&self.layout, superblock, within, kind, false);
        }
        self.program_ended(superblock);
    }

    /// A slot of data or parity is programmed.
    pub(in crate::sim) fn program_ended(&mut self, superblock: u32) {
        if self.superblocks.program_ends(superblock) {
            self.superblock_closed();
        }
    }

    fn superblock_closed(&mut self) {
        self.pump_collect();
        self.pump_fold();
    }

    pub(in crate::sim) fn flush(&mut self, command: u32) {
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
    pub(in crate::sim) fn check_flushes(&mut self) {
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
            let holds_up =
                |f: &Filling| f.in_use && !f.programmed && f.stream.is_host() && f.epoch <= epoch;
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
