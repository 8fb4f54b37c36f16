//! What of the buffer and of open superblocks matters to a power cut: what is not
//! programmed, how far superblocks are filled, filling them up on purpose, and how writing
//! goes on after a cut.

use super::{Filling, NONE, Stream, Writer};
use crate::sim::SimDrive;
use crate::sim::data::streams::StreamId;
use crate::sim::map::layout::Layout;
use crate::sim::power::partial_parity::first_set;
use crate::sim::space::cache::Kind;

impl Stream {
    /// Slots of its superblock that have been begun, where a program fills so many.
    fn begun(&self, together: u32) -> u32 {
        self.within + together * u32::from(self.filled > 0)
    }
}

impl Writer {
    pub fn owes_padding(&self) -> bool {
        self.padding_owed
    }

    pub fn slot_of(&self, filling: u32) -> u32 {
        self.filling[filling as usize].slot
    }

    /// Slots whose program has not ended.
    pub fn unprogrammed_slots(&self) -> Vec<u32> {
        let open = self.filling.iter().filter(|f| f.in_use && !f.programmed);
        let slots = |f: &Filling| f.slot..f.slot + self.shapes[f.kind.mode as usize].slots_together;
        open.flat_map(slots).collect()
    }

    /// The programs that have not ended, by their first slot and kind, and whether they have
    /// been handed to a die.
    pub fn unended_programs(&self) -> impl Iterator<Item = (u32, Kind, bool)> {
        let open = self.filling.iter().filter(|f| f.in_use && !f.programmed);
        open.map(|f| (f.slot, f.kind, f.complete && f.merges == 0))
    }

    /// The slots that open superblocks go on with, all those of one program.
    pub fn next_slots(&self) -> impl Iterator<Item = u32> + '_ {
        let open = self.streams.iter().filter(|s| s.superblock != NONE);
        open.flat_map(|s| {
            let first = s.first_unit / self.units_per_slot;
            first..first + self.shapes[s.kind.mode as usize].slots_together
        })
    }

    /// Slots that the stream which fills a superblock has begun there; all, where there is no
    /// such stream.
    #[inline]
    pub fn begun_so_far(&self, superblock: u32) -> u32 {
        let mut streams = self.streams[..self.sorting.numbers].iter();
        let open = streams.find(|s| s.superblock == superblock);
        open.map_or(u32::MAX, |s| s.begun(s.slots_together))
    }

    /// Whether a slot belongs to an open superblock that has not come so far.
    #[inline]
    pub fn will_begin(&self, layout: &Layout, slot: u32) -> bool {
        let (superblock, within) = layout.within_superblock(slot);
        within >= self.begun_so_far(superblock)
    }

    /// The first of some slots whose content is still in the buffer.
    pub fn first_unprogrammed(&self, slots: std::ops::Range<u32>) -> Option<u32> {
        first_set(&self.unprogrammed, slots)
    }

    /// Slots of a superblock of this kind that have been begun.
    pub fn begun_in(&self, superblock: u32, kind: Kind) -> u32 {
        let shape = &self.shapes[kind.mode as usize];
        let open = self.streams.iter().find(|s| s.superblock == superblock);
        open.map_or(shape.slots_per_superblock, |s| {
            s.begun(shape.slots_together)
        })
    }

    /// Nothing is in the buffer any more. An open superblock that is not `dead` is filled on
    /// behind what has been begun, from a new word line; which these are, of which kind, and
    /// how many of their slots are left. What is passed over is added to `skipped`.
    pub fn power_cut(
        &mut self,
        layout: &Layout,
        dead: impl Fn(u32) -> bool,
        skipped: &mut Vec<u32>,
    ) -> Vec<(u32, Kind, u32)> {
        self.filling.clear();
        self.free.clear();
        self.waiting.clear();
        self.asked = None;
        for ring in &mut self.rings {
            ring.clear();
        }
        self.unprogrammed.fill(0);
        self.moves += 1;
        self.buffered = 0;
        self.collected_under_way = 0;
        self.to_take_in = 0;
        self.sorting.power_cut();
        self.padding_owed = false;
        let mut open = Vec::new();
        self.promised.fill(0);
        self.host_promised = 0;
        for (stream, room) in self.streams.iter_mut().zip(&mut self.room) {
            let filled = &self.shapes[stream.kind.mode as usize];
            let shape = layout.shape(stream.kind.mode);
            let begun = stream.begun(filled.slots_together);
            let mut within = shape.next_word_line(begun);
            while within < filled.slots_per_superblock && filled.run[within as usize] == 0 {
                within += filled.slots_together;
            }
            if stream.superblock != NONE {
                let first = layout.first_slot(stream.superblock);
                let end = within.min(filled.slots_per_superblock);
                skipped.extend(first + begun..first + end);
            }
            (stream.filled, stream.filling) = (0, NONE);
            stream.next = None;
            let ends = within >= filled.slots_per_superblock;
            if stream.superblock == NONE || ends || dead(stream.superblock) {
                stream.superblock = NONE;
                *room = 0;
                continue;
            }
            let left = within..filled.slots_per_superblock;
            open.push((stream.superblock, stream.kind, left.len() as u32));
            let data = left.filter(|&w| filled.run[w as usize] > 0).count() as u32;
            *room = data * self.units_per_slot;
            stream.within = within;
            (stream.row, stream.die) = shape.place(within);
            let slot = layout.first_slot(stream.superblock) + within;
            stream.first_unit = slot << layout.unit_bits;
        }
        open
    }
}

impl SimDrive {
    /// Whether units of a write that have arrived may take the place of what they held. Where
    /// the power can be cut, only those of a write that has come whole: else the log would
    /// have a part of it.
    #[inline]
    pub(super) fn may_coalesce(&self, command: u32, units: &std::ops::Range<u32>) -> bool {
        self.durability.is_none() || self.commands.get(command).units() == (units.start, units.end)
    }

    /// A stream begins its next slots.
    #[inline(never)]
    pub(super) fn slot_enters_the_log(&mut self, id: StreamId) {
        if let Some(durability) = &self.durability {
            self.writer.streams[id.number()].log_from = durability.tail();
        }
    }

    /// Data is put over what lies in the slots that a stream fills: it becomes durable with
    /// the changes that name it there.
    pub(super) fn joins_the_log(&mut self, id: StreamId) {
        if self.durability.is_some() {
            // What is ready needs not be joined.
            self.find_ready();
        }
        if let Some(durability) = &mut self.durability {
            let from = &mut self.writer.streams[id.number()].log_from;
            durability.join_from(*from);
            // Those before are joined with the next; the next has this number.
            *from = durability.tail();
        }
    }

    /// Closes the slots of an open superblock up to `slot`, full, partly filled or empty, as
    /// far as no room is taken that was promised.
    pub(in crate::sim) fn fill_to(&mut self, slot: u32) {
        let (superblock, last) = self.env.layout.within_superblock(slot);
        for id in (0..self.writer.sorting.numbers).map(StreamId::nth) {
            loop {
                let stream = &self.writer.streams[id.number()];
                let (filled, within) = (stream.filled, stream.within);
                if stream.superblock != superblock || within > last {
                    break;
                }
                let mode = stream.kind.mode;
                let padding = self.writer.shapes[mode as usize].units_together - filled;
                if !self.padding_fits(id, padding) {
                    break;
                }
                self.find_next(id, padding);
                if filled == 0 {
                    self.begin_slot(id);
                    self.env.counters.filler_slots += 1;
                } else {
                    self.env.counters.padded_slots += 1;
                }
                if id.is_host() {
                    // The slot gives its whole size back when it is programmed.
                    self.writer.buffered += padding;
                }
                self.close_slot(id);
            }
        }
    }
}
