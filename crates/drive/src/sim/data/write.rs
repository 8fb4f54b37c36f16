//! Writing: slots being filled, programs.
//!
//! A write is acknowledged when its data is in the buffer. A unit gets its physical
//! place the moment it arrives; the slot is programmed when its last unit has arrived.

mod admit;
mod cut;
mod take_in;

use std::collections::VecDeque;

use stend_nand::{Class, Work};

use crate::sim::data::fua::Waiters;
use crate::sim::data::streams::{MOST, MOST_HOST, Sorting, StreamId};
use crate::sim::map::layout::Layout;
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
    /// Slots and units of one program there.
    slots_together: u32,
    units_together: u32,
    /// Its first unit.
    first_unit: u32,
    /// The unit up to which, from there on, there is no parity.
    run_end: u32,
    /// Units filled so far of those that are programmed together.
    filled: u32,
    filling: u32,
    /// Changes of the log from this number on may name the slots being filled.
    log_from: u64,
}

/// What the next data of a write that waits asks for.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Asked {
    /// Its first unit, how many there are, and their bytes.
    first: u32,
    units: u32,
    bytes: u32,
    /// Units that may fill up its last slot, where it is a FUA write.
    padding: u32,
    stream: StreamId,
    /// Units to be promised to it there.
    promise: u32,
}

/// The slots of one program, mostly one, from their first unit to the end of the program.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Filling {
    slot: u32,
    kind: Kind,
    superblock: u32,
    /// Its row and die.
    row: u32,
    die: u32,
    stream: StreamId,
    /// How many slots it is.
    slots: u8,
    /// Reads under way that its program waits for: of what partly written units held, and of
    /// map pages.
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
    /// By stream: units left in its superblock, without parity, and units promised to data on
    /// its way. Those of all streams are looked at together.
    room: [u32; MOST],
    promised: [u32; MOST],
    /// Of these, what is promised to the host's streams.
    host_promised: u32,
    pub(in crate::sim) sorting: Sorting,
    filling: Vec<Filling>,
    free: Vec<u32>,
    /// Write commands with data not yet admitted.
    waiting: VecDeque<u32>,
    /// What the first of them asks for, where it waits for space and that does not change.
    asked: Option<Asked>,
    /// Units in the buffer, from admission until they are given back.
    buffered: u32,
    /// Slots of each of the host's streams in the order in which they were begun: the buffer
    /// is a ring for each, and gives space back in the order in which it was taken. One ring
    /// for all would wait for a slot that rarely gets a unit.
    rings: [VecDeque<u32>; MOST_HOST],
    /// Slots whose program has not ended, one bit each.
    unprogrammed: Vec<u64>,
    /// How often it has changed which slots these are, or how far a stream has come.
    pub moves: u64,
    epoch: u64,
    units_per_slot: u32,
    /// By mode: what a program fills, and a superblock holds.
    shapes: [Filled; 2],
    /// Units of the smallest superblock that each stream may open next.
    least_units: [u32; MOST],
    collected_under_way: u32,
    /// Pieces of received data that the firmware has to work on.
    to_take_in: u32,
    padding_owed: bool,
    slots_begun: u64,
    /// All writes are admitted carefully.
    pub careful: bool,
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
        let collected_in_slc = spec.cache.as_ref().is_some_and(|c| c.takes_collected);
        let least_units = std::array::from_fn(|number| match StreamId::nth(number) {
            StreamId::HOST if spec.cache.is_some() => holds(Mode::Slc),
            id if !id.is_host() && collected_in_slc => holds(Mode::Slc),
            _ => holds(Mode::Native),
        });
        let stream = Stream {
            superblock: NONE,
            kind: Kind::NATIVE,
            next: None,
            within: 0,
            row: 0,
            die: 0,
            slots_together: 1,
            units_together: spec.units_per_slot,
            first_unit: 0,
            run_end: 0,
            filled: 0,
            filling: NONE,
            log_from: 0,
        };
        let sorting = Sorting::new(spec, units);
        Writer {
            streams: [stream; MOST],
            room: [0; MOST],
            promised: [0; MOST],
            host_promised: 0,
            moves: 0,
            careful: spec.power_loss.is_some() || spec.buffer.coalesces || sorting.tells_apart(),
            sorting,
            filling: Vec::with_capacity(256),
            free: Vec::with_capacity(256),
            waiting: VecDeque::with_capacity(64),
            asked: None,
            buffered: 0,
            rings: std::array::from_fn(|_| VecDeque::with_capacity(64)),
            unprogrammed: vec![0; slots.div_ceil(64)],
            epoch: 0,
            units_per_slot: spec.units_per_slot,
            least_units,
            shapes,
            collected_under_way: 0,
            to_take_in: 0,
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

    /// A slot is not programmed before one more page has been read.
    #[inline]
    pub fn waits_for_read(&mut self, filling: u32) {
        self.filling[filling as usize].merges += 1;
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
        self.asked = None;
        self.waiting.pop_front()
    }

    /// Whether a slot is being filled whose content no program has taken yet.
    pub fn has_open_slot(&self) -> bool {
        self.streams.iter().any(|stream| stream.filled > 0)
    }

    pub fn diagnosis(&self) -> String {
        let streams = self.streams[..self.sorting.numbers].iter();
        let streams: Vec<String> = streams
            .zip(self.room.iter().zip(&self.promised))
            .map(|(stream, (room, promised))| {
                format!("{stream:?} with room: {room}, promised: {promised} units")
            })
            .collect();
        format!(
            "buffered {}, {} writes wait, streams {streams:?}, filling {:?}",
            self.buffered,
            self.waiting.len(),
            self.filling.iter().filter(|f| f.in_use).collect::<Vec<_>>()
        )
    }

    /// The ring that holds the slots of a stream of the host.
    #[inline]
    fn ring(&mut self, stream: StreamId) -> &mut VecDeque<u32> {
        &mut self.rings[stream.number() / 2 % MOST_HOST]
    }

    /// Gives back the space of a stream's oldest slots, as far as they are programmed.
    #[inline(always)]
    fn give_back(&mut self, stream: StreamId) {
        while let Some(&oldest) = self.ring(stream).front() {
            if !self.filling[oldest as usize].programmed {
                return;
            }
            self.ring(stream).pop_front();
            self.buffered -= u32::from(self.filling[oldest as usize].slots) * self.units_per_slot;
            self.release(oldest);
        }
    }

    /// Notes whether the slots of a program wait for its end.
    #[inline(always)]
    fn mark_unprogrammed(&mut self, filling: &Filling, waits: bool) {
        self.mark_slots(filling.slot, u32::from(filling.slots), waits);
    }

    #[inline(always)]
    fn mark_slots(&mut self, first: u32, slots: u32, waits: bool) {
        self.moves += 1;
        self.mark_slot(first, waits);
        for further in 1..slots {
            self.mark_slot(first + further, waits);
        }
    }

    #[inline(always)]
    fn mark_slot(&mut self, slot: u32, waits: bool) {
        let word = &mut self.unprogrammed[slot as usize / 64];
        let bit = 1 << (slot % 64);
        *word = if waits { *word | bit } else { *word & !bit };
    }

    /// Units promised to the host's streams.
    #[inline]
    pub(in crate::sim) fn host_promised(&self) -> u32 {
        self.host_promised
    }

    /// What fills up the program in which `units` more than were promised to a stream end:
    /// exactly where all its programs are of one mode, else the most it may be.
    pub fn padding_after(&self, id: StreamId, units: u32, mode: Option<Mode>) -> u32 {
        if let Some(mode) = mode {
            let promised = self.promised[id.number()];
            let end = self.streams[id.number()].filled + promised + units;
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

    #[inline(always)]
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
    /// Puts received data where it belongs.
    #[inline(always)]
    fn place_arrived(&mut self, command: u32, bytes: u32) {
        let entry = self.commands.get_mut(command);
        let begin = entry.offset_bytes + entry.len_bytes - entry.bytes_left;
        entry.bytes_left -= u64::from(bytes);
        let finished = entry.bytes_left == 0;
        let (tag, careful) = (entry.tag, entry.careful);
        let end = begin + u64::from(bytes);
        let units = (begin / UNIT_BYTES) as u32..end.div_ceil(UNIT_BYTES) as u32;
        self.read_ahead_forget(units.start, units.end);
        self.env.counters.host_units_written += u64::from(units.end - units.start);
        self.env.counters.host_bytes_written += u64::from(bytes);
        if careful {
            self.receive_carefully(command, begin, end);
            return;
        }
        let received = Received {
            tag,
            waiter: NONE,
            coalesces: false,
        };
        self.place_received::<false>(StreamId::HOST, begin, end, received);
        // Only now: what is promised covers what is being placed.
        self.unpromise(StreamId::HOST, units.end - units.start);
        if self.writer.padding_owed {
            self.pad_slots();
        }
        if finished {
            self.command_done(command);
        }
    }

    /// Data of a write that was admitted carefully has arrived.
    #[inline(never)]
    fn receive_carefully(&mut self, command: u32, begin: u64, end: u64) {
        let entry = self.commands.get(command);
        let finished = entry.bytes_left == 0;
        let (tag, fua) = (entry.tag, entry.fua);
        let units = (begin / UNIT_BYTES) as u32..end.div_ceil(UNIT_BYTES) as u32;
        let stream = self.stream_of_arrival(command);
        let waiter = if fua { command } else { NONE };
        let coalesces = self.env.spec.buffer.coalesces && self.may_coalesce(command, &units);
        let received = Received {
            tag,
            waiter,
            coalesces,
        };
        let buffered = self.writer.buffered;
        self.place_received::<true>(stream, begin, end, received);
        let makes_room = self.writer.buffered < buffered;
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
        if makes_room {
            // Nothing else need come of it.
            self.pump_writes();
        }
    }

    /// Gives the units of received data the next places of a stream. What a partly
    /// written unit held before is read and merged. What is not `CAREFUL` merges with nothing
    /// in the buffer, and nobody waits for its programs.
    #[inline(always)]
    fn place_received<const CAREFUL: bool>(
        &mut self,
        id: StreamId,
        begin: u64,
        end: u64,
        received: Received,
    ) {
        let Received { tag, waiter, .. } = received;
        let units = (begin / UNIT_BYTES) as u32..end.div_ceil(UNIT_BYTES) as u32;
        let whole = (begin | end).is_multiple_of(UNIT_BYTES);
        let mut unit = units.start;
        while unit < units.end {
            if CAREFUL && received.coalesces && self.coalesce(id, unit, received) {
                unit += 1;
                continue;
            }
            if self.writer.streams[id.number()].filled == 0 {
                self.begin_slot_inlined(id);
            }
            let stream = &mut self.writer.streams[id.number()];
            // Within one slot.
            let slot_units = self.writer.units_per_slot;
            let count = (units.end - unit).min(slot_units - (stream.filled & (slot_units - 1)));
            let to = stream.first_unit + stream.filled;
            stream.filled += count;
            self.writer.room[id.number()] -= count;
            let (superblock, filling) = (stream.superblock, stream.filling);
            let partly = match whole {
                true => [UNMAPPED; 2],
                false => self.partly_written(begin, end, unit, unit + count - 1),
            };
            self.mapping.write(unit, count, to, superblock, tag);
            if self.map_cache.is_some() {
                self.looks_up_for(filling, unit..unit + count);
            }
            if CAREFUL && waiter != NONE {
                self.fua_waits(waiter, filling);
            }
            if !whole {
                self.merge_partly(filling, partly);
            }
            let stream = &self.writer.streams[id.number()];
            if stream.filled == stream.units_together {
                self.close_slot_inlined(id);
            }
            unit += count;
        }
    }

    /// Where the old content of the units `first` and `last` lies, if they are only partly
    /// written.
    #[inline(never)]
    fn partly_written(&self, begin: u64, end: u64, first: u32, last: u32) -> [u32; 2] {
        let mut partly = [UNMAPPED; 2];
        if u64::from(first) * UNIT_BYTES < begin {
            partly[0] = self.mapping.lookup(first);
        }
        if u64::from(last + 1) * UNIT_BYTES > end && (last > first || partly[0] == UNMAPPED) {
            partly[1] = self.mapping.lookup(last);
        }
        partly
    }

    #[inline(never)]
    fn merge_partly(&mut self, filling: u32, partly: [u32; 2]) {
        for old in partly {
            if old < LOST {
                self.merge(filling, old);
            }
        }
    }

    /// Puts received data over what the unit held in the slots being filled, if it lies there:
    /// it takes no place of its own then, and no old content has to be read.
    #[inline(always)]
    fn coalesce(&mut self, id: StreamId, unit: u32, received: Received) -> bool {
        let stream = &self.writer.streams[id.number()];
        let filled = stream.first_unit..stream.first_unit + stream.filled;
        let place = self.mapping.lookup(unit);
        let coalesces = filled.contains(&place);
        if coalesces {
            self.put_over(id, unit, place, received);
        }
        coalesces
    }

    /// Puts received data over what a unit holds at a place in the slots being filled.
    #[cold]
    fn put_over(&mut self, id: StreamId, unit: u32, place: u32, received: Received) {
        let Received { tag, waiter, .. } = received;
        let filling = self.writer.streams[id.number()].filling;
        self.joins_the_log(id);
        self.mapping.write_over(unit, place, tag);
        self.writer.buffered -= 1;
        self.env.counters.units_coalesced += 1;
        if waiter != NONE {
            self.fua_waits(waiter, filling);
        }
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
            let now = left.min(stream.units_together - stream.filled);
            stream.filled += now;
            self.writer.room[id.number()] -= now;
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

    #[inline(never)]
    fn begin_slot(&mut self, id: StreamId) {
        self.begin_slot_inlined(id);
    }

    /// Begins the slots of the next program.
    #[inline(always)]
    fn begin_slot_inlined(&mut self, id: StreamId) {
        if self.writer.streams[id.number()].superblock == NONE {
            self.open_superblock(id);
        }
        let stream = &mut self.writer.streams[id.number()];
        let kind = stream.kind;
        let shape = &self.writer.shapes[kind.mode as usize];
        stream.run_end = stream.first_unit + shape.run[stream.within as usize];
        let (superblock, slots) = (stream.superblock, stream.slots_together);
        let (row, die) = (stream.row, stream.die);
        let slot = stream.first_unit >> self.env.layout.unit_bits;
        self.superblocks.program_begins(superblock);
        self.take_slots(kind, slots);
        let filling = self.writer.take(Filling {
            slot,
            kind,
            superblock,
            row,
            die,
            stream: id,
            slots: slots as u8,
            merges: 0,
            complete: false,
            in_use: true,
            programmed: false,
            waiters: NONE,
            epoch: self.writer.epoch,
            number: self.writer.slots_begun,
        });
        self.writer.slots_begun += 1;
        if self.env.spec.buffer.coalesces {
            self.slot_enters_the_log(id);
        }
        self.writer.streams[id.number()].filling = filling;
        if id.is_host() {
            self.writer.ring(id).push_back(filling);
        }
    }

    #[inline(never)]
    fn open_superblock(&mut self, id: StreamId) {
        let kind = self.next_kind(id);
        let superblock = self.open_for(id, kind);
        self.media_opened(superblock);
        let stream = &mut self.writer.streams[id.number()];
        stream.superblock = superblock;
        stream.kind = kind;
        (stream.within, stream.row, stream.die) = (0, 0, 0);
        stream.first_unit = self.env.layout.first_slot(superblock) << self.env.layout.unit_bits;
        let shape = &self.writer.shapes[kind.mode as usize];
        stream.slots_together = shape.slots_together;
        stream.units_together = shape.units_together;
        self.writer.room[id.number()] = shape.units_per_superblock;
    }

    #[inline]
    pub(in crate::sim) fn close_if_full(&mut self, id: StreamId) {
        let stream = &self.writer.streams[id.number()];
        if stream.filled == stream.units_together {
            self.close_slot(id);
        }
    }

    #[inline(never)]
    fn close_slot(&mut self, id: StreamId) {
        self.close_slot_inlined(id);
    }

    /// No more units for the slot: program it, and its group's parity if that is next.
    #[inline(always)]
    fn close_slot_inlined(&mut self, id: StreamId) {
        let stream = &mut self.writer.streams[id.number()];
        let (superblock, filling, kind) = (stream.superblock, stream.filling, stream.kind);
        let slots_together = stream.slots_together;
        self.writer.room[id.number()] -= stream.units_together - stream.filled;
        stream.filled = 0;
        stream.filling = NONE;
        let complete = &mut self.writer.filling[filling as usize];
        complete.complete = true;
        if complete.merges == 0 {
            let Stream { row, die, .. } = self.writer.streams[id.number()];
            self.program(kind, (row, die), id, Purpose::Program { filling });
        }
        if id.is_host() {
            self.turn_notes_program();
        } else {
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
            self.take_slots(kind, slots_together);
            self.env.counters.parity_programs += 1;
            let slot = self.env.layout.first_slot(superblock) + within;
            if self.keeps_parity() {
                self.writer.mark_slots(slot, slots_together, true);
            }
            self.program(kind, (row, die), id, Purpose::Parity { slot });
            self.next_slot(id);
        }
        if self.superblocks.fill_up(superblock) {
            self.superblock_closed();
        }
    }

    /// Moves a stream on to the next slot; behind the last it has no superblock.
    fn next_slot(&mut self, id: StreamId) {
        let dies = self.env.layout.dies;
        self.writer.moves += 1;
        let stream = &mut self.writer.streams[id.number()];
        stream.within += stream.slots_together;
        stream.die += 1;
        if stream.die == dies {
            stream.die = 0;
            stream.row += stream.slots_together;
        }
        stream.first_unit += stream.units_together;
        let shape = &self.writer.shapes[stream.kind.mode as usize];
        if stream.within == shape.slots_per_superblock {
            stream.superblock = NONE;
        }
    }

    /// Closes the slot of collected data being filled. Nothing is promised to it then, so
    /// that no room is taken that was.
    pub(in crate::sim) fn pad_collected(&mut self, id: StreamId) {
        if self.writer.streams[id.number()].filled > 0 {
            self.env.counters.padded_slots += 1;
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
        let padding = self.writer.streams[id.number()].units_together - filled;
        if !self.padding_fits(id, padding) {
            self.writer.padding_owed |= id.is_host();
            return;
        }
        self.find_next(id, padding);
        self.env.counters.padded_slots += 1;
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

    #[inline(always)]
    fn program(&mut self, kind: Kind, (row, die): (u32, u32), stream: StreamId, purpose: Purpose) {
        let units = self.writer.shapes[kind.mode as usize].units_together;
        let work = Work::Program {
            program: self.limits.program[kind.mode as usize][row as usize],
            bytes: units * UNIT_BYTES as u32,
        };
        self.env.counters.programs_of(kind.mode);
        let class = if stream.is_host() {
            Class::HostProgram
        } else {
            Class::Background
        };
        self.array
            .submit(&mut self.env.queue, die, class, work, purpose.pack());
    }

    /// Reads the old content of a partly written unit before its slot is programmed.
    fn merge(&mut self, filling: u32, old: u32) {
        let slot = old >> self.env.layout.unit_bits;
        if self.writer.in_buffer(slot) {
            return;
        }
        self.env.counters.merges += 1;
        self.writer.waits_for_read(filling);
        let place = self.die_and_read_time(slot);
        let purpose = Purpose::Merge { filling };
        self.read_flash(slot, place, UNIT_BYTES as u32, Class::HostRead, purpose);
    }

    pub(in crate::sim) fn merge_arrived(&mut self, filling: u32) {
        let entry = &mut self.writer.filling[filling as usize];
        entry.merges -= 1;
        let Filling {
            row,
            die,
            kind,
            stream,
            ..
        } = *entry;
        if entry.complete && entry.merges == 0 {
            self.program(kind, (row, die), stream, Purpose::Program { filling });
        }
    }

    #[inline(always)]
    pub(in crate::sim) fn program_done(&mut self, filling: u32) {
        let done = self.writer.filling[filling as usize];
        let place = (done.superblock, done.row, done.die);
        if self.blocks.is_some()
            && self.program_is_repeated(done.slot, place, Purpose::Program { filling })
        {
            return;
        }
        let Filling {
            superblock,
            stream,
            waiters,
            slots,
            ..
        } = done;
        self.writer.mark_unprogrammed(&done, false);
        self.program_ended(superblock);
        if stream.is_host() {
            self.writer.filling[filling as usize].programmed = true;
            self.writer.give_back(stream);
            let settled = self.pump_collect();
            self.pump_fold();
            self.pump_writes_after(settled);
        } else {
            self.writer.collected_under_way -= u32::from(slots);
            self.writer.release(filling);
            self.erase_left();
            self.pump_collect();
        }
        if waiters != NONE {
            self.fua_programmed(waiters);
        }
        self.check_flushes();
    }

    /// Slots of parity are programmed.
    pub(in crate::sim) fn parity_done(&mut self, slot: u32) {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        if self.blocks.is_some() {
            let shape = self.env.layout.shape(self.superblocks.mode(superblock));
            let (row, die) = shape.place(within);
            let purpose = Purpose::Parity { slot };
            if self.program_is_repeated(slot, (superblock, row, die), purpose) {
                return;
            }
        }
        if self.keeps_parity() {
            let together = self
                .env
                .layout
                .shape(self.superblocks.mode(superblock))
                .together;
            self.writer.mark_slots(slot, together, false);
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
        if self.env.spec.buffer.protected {
            self.command_done(command);
            return;
        }
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
