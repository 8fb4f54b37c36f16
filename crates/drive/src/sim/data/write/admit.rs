//! Admission: how much of the waiting writes there is room for, in the buffer and in flash.
//!
//! The host is admitted while the buffer has room and the pool it writes to has more than
//! its reserve free: that is all the throttling there is. What is admitted is promised its
//! place, so that data on its way finds it.

use stend_base::Op;

use super::{Asked, NONE, Writer};
use crate::sim::SimDrive;
use crate::sim::data::streams::StreamId;
use crate::sim::host::link::{Load, Transfer};
use crate::sim::map::layout::Pool;
use crate::sim::space::cache::Kind;
use crate::sim::space::limits::HostLimit;
use crate::spec::UNIT_BYTES;

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
        if !self.writer.waiting.is_empty() && (self.writer.asked.is_none() || self.asked_fits()) {
            self.admit_writes();
        }
    }

    /// The same right after [`SimDrive::pump_collect`] and [`SimDrive::pump_fold`], of which the
    /// first found that nothing more of it may run now, if `settled`.
    #[inline]
    pub(in crate::sim) fn pump_writes_after(&mut self, settled: bool) {
        if self.writer.waiting.is_empty() {
            return;
        }
        if self.writer.asked.is_none()
            || !(settled && self.asked_has_no_space()) && self.asked_fits()
        {
            self.admit_writes();
        }
    }

    /// Whether the first write that waits was found to ask for space that there is not, and
    /// nothing that makes space can be started.
    #[inline(never)]
    fn asked_has_no_space(&self) -> bool {
        let asked = self.writer.asked.as_ref().expect("the caller looked");
        let (stream, promise) = (asked.stream, asked.promise);
        self.limits.emptying.is_none()
            && !self.awaits_superblocks()
            && !self.host_has_space(stream, promise)
    }

    /// Whether there may be room now for what the first write that waits was found to ask for,
    /// which does not change while it waits; starts what makes space for it.
    #[inline(never)]
    fn asked_fits(&mut self) -> bool {
        let asked = self.writer.asked.as_ref().expect("the caller looked");
        let (stream, promise) = (asked.stream, asked.promise);
        self.buffer_has(asked.units)
            && (self.host_has_space(stream, promise) || self.find_space(stream, promise))
    }

    fn admit_writes(&mut self) {
        while let Some(&command) = self.writer.waiting.front() {
            let goes_on = match self.commands.get(command).careful {
                false => self.admit(command),
                true => self.admit_carefully(command),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Admits the next data of the first write that waits. False when it has to wait.
    #[inline(always)]
    fn admit(&mut self, command: u32) -> bool {
        let (units, bytes) = self.next_admission(command);
        if !self.buffer_has(units) {
            return false;
        }
        if !self.host_has_space(StreamId::HOST, units) {
            return self.find_space(StreamId::HOST, units);
        }
        self.writer.buffered += units;
        self.promise_next(StreamId::HOST, units);
        self.send_admitted(command, bytes);
        true
    }

    /// The same where there is more to it: a TRIM among writes, data with a stream or a
    /// promise of its own, FUA.
    #[inline(never)]
    fn admit_carefully(&mut self, command: u32) -> bool {
        if self.commands.get(command).op == Op::Trim {
            if self.trim_must_wait(command) {
                return false;
            }
            self.writer.waiting.pop_front();
            self.trim_begins(command);
            return true;
        }
        let asked = self.writer.asked.take();
        let Some(asked) = asked.or_else(|| self.what_is_asked(command)) else {
            return false;
        };
        let Asked {
            stream, promise, ..
        } = asked;
        if promise > 0 && !self.host_has_space(stream, promise) {
            // What fills a FUA write up changes with what arrives: it is worked out anew.
            self.writer.asked = Some(asked).filter(|_| !self.commands.get(command).fua);
            return self.find_space(stream, promise);
        }
        self.writer.buffered += asked.units + asked.padding;
        self.promise_next(stream, promise);
        self.note_admission(command, asked.first, asked.units, stream);
        self.part_admitted(command, asked.units, stream, promise);
        self.commands.get_mut(command).padding = asked.padding;
        self.send_admitted(command, asked.bytes);
        true
    }

    /// What the next data of a write asks for; `None` where the buffer has no room for it, or
    /// it has to wait for an earlier write.
    #[inline(always)]
    fn what_is_asked(&mut self, command: u32) -> Option<Asked> {
        let (units, bytes) = self.next_admission(command);
        let padding = self.fua_padding(command, units, bytes);
        if !self.buffer_has(units + padding) {
            return None;
        }
        let promise = self.promise_of(command, units + padding)?;
        let first = self.next_unit(command);
        Some(Asked {
            first,
            units,
            bytes,
            padding,
            stream: self.stream_of_admission(command, first),
            promise,
        })
    }

    /// Whether the buffer has room for so many units.
    #[inline]
    fn buffer_has(&self, units: u32) -> bool {
        self.writer.buffered + units <= self.env.spec.buffer.write_units
    }

    /// Starts what makes space for the host. Whether there is some now.
    #[inline]
    fn find_space(&mut self, stream: StreamId, promise: u32) -> bool {
        if self.awaits_superblocks() && !self.stream_has_room(stream, promise) {
            self.urge();
        }
        // Nothing else may be under way that would start it.
        self.pump_collect();
        self.pump_fold();
        // Folding may have passed over word lines in which nothing is left: that makes space
        // at once, and no event need follow.
        self.host_has_space(stream, promise)
    }

    /// Sends for data that was admitted.
    #[inline(always)]
    fn send_admitted(&mut self, command: u32, bytes: u32) {
        let entry = self.commands.get_mut(command);
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
    pub(super) fn host_has_space(&self, stream: StreamId, units: u32) -> bool {
        let Some(HostLimit { kind, floor }) = self.limits.host else {
            return self.host_has_space_somewhere(stream, units);
        };
        let promised = self.writer.host_promised() + units;
        let needed = self.limits.slots_for(kind.mode, promised);
        self.free_slots[kind.pool as usize] > floor + needed && self.stream_has_room(stream, units)
    }

    /// The same where it depends on the room there is what the host opens.
    #[inline(never)]
    fn host_has_space_somewhere(&self, stream: StreamId, units: u32) -> bool {
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
        if stream.superblock != NONE && self.has_room(id, units) {
            return stream.kind;
        }
        self.next_kind(id)
    }

    /// Slots of `superblocks` in `pool`.
    pub(in crate::sim) fn slots(&self, pool: Pool, superblocks: u32) -> i64 {
        i64::from(superblocks) * i64::from(self.env.layout.pool(pool).slots_per_superblock)
    }

    /// Whether `units` more can be placed, leaving the other streams what they have been
    /// promised.
    #[inline(always)]
    pub(in crate::sim) fn stream_has_room(&self, stream: StreamId, units: u32) -> bool {
        // Mostly nothing has to be opened.
        self.all_have_room(stream, units) || self.superblocks_suffice(stream, units)
    }

    /// Whether no stream has to open anything, with `units` more for one of them.
    #[inline(always)]
    fn all_have_room(&self, stream: StreamId, units: u32) -> bool {
        // Mostly there is no more than one of each.
        if self.writer.sorting.numbers == 2 {
            let other = StreamId::nth(stream.number() ^ 1);
            return self.has_room(stream, units) && self.has_room(other, 0);
        }
        let numbers = self.writer.sorting.numbers;
        let Writer { room, promised, .. } = &self.writer;
        // One after another: what was changed last is not yet where it could be compared with
        // the others side by side.
        let mut all = room[..numbers].iter().zip(&promised[..numbers]);
        self.has_room(stream, units) && all.all(|(room, promised)| promised <= room)
    }

    /// Whether a stream has room for `units` more in its superblock.
    #[inline(always)]
    fn has_room(&self, id: StreamId, units: u32) -> bool {
        self.writer.promised[id.number()] + units <= self.writer.room[id.number()]
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
    pub(super) fn superblocks_needed(&self, id: StreamId, more: u32) -> u32 {
        let units = self.writer.promised[id.number()] + more;
        let room = self.writer.room[id.number()];
        if units <= room {
            return 0;
        }
        let least = self.writer.least_units[id.number()];
        (units - room).div_ceil(least)
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
    pub(super) fn find_next(&mut self, id: StreamId, units: u32) {
        let settled = self.limits.always[id.number()].is_some();
        if !settled && self.superblocks_needed(id, units) > 0 {
            let kind = self.next_kind(id);
            self.writer.streams[id.number()].next = Some(kind);
        }
    }

    /// What a stream has been promised to open next.
    #[inline]
    pub(in crate::sim) fn promised_kind(&self, id: StreamId) -> Option<Kind> {
        let next = self.writer.streams[id.number()].next;
        next.filter(|_| !self.has_room(id, 0))
    }

    /// A TRIM waits in the order of the writes.
    pub(in crate::sim) fn wait_among_writes(&mut self, command: u32) {
        self.writer.waiting.push_back(command);
    }

    #[inline(always)]
    pub(in crate::sim) fn promise(&mut self, stream: StreamId, units: u32) {
        self.writer.promised[stream.number()] += units;
        if stream.is_host() {
            self.writer.host_promised += units;
        }
    }

    #[inline(always)]
    pub(in crate::sim) fn unpromise(&mut self, stream: StreamId, units: u32) {
        self.writer.promised[stream.number()] -= units;
        if stream.is_host() {
            self.writer.host_promised -= units;
        }
    }
}
