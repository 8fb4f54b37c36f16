//! Writes on their way into the log: what each piece is promised, what waits for what it
//! overlaps, and what enters the log when all of a piece has its place.

use super::{Canary, Durability};
use crate::sim::SimDrive;
use crate::sim::data::streams::StreamId;
use crate::sim::map::mapping::LOST;
use crate::sim::power::changes::{Change, Entry};

impl SimDrive {
    /// Units to be promised to a write, beyond what it has been promised already, before its
    /// next part is admitted, which takes so many; `None` when it waits for an earlier write.
    #[inline(always)]
    pub(in crate::sim) fn promise_of(&mut self, command: u32, units: u32) -> Option<u32> {
        let Some(durability) = &self.durability else {
            return Some(units);
        };
        let promise = self.promise_of_piece(durability, command);
        if promise.is_none() {
            self.waits_for_writes();
        }
        promise
    }

    /// What waits may go on when a write has more of its places.
    #[cold]
    fn waits_for_writes(&mut self) {
        let durability = self.durability.as_mut().expect("the caller looked");
        durability.refused = true;
    }

    #[inline(never)]
    fn promise_of_piece(&self, durability: &Durability, command: u32) -> Option<u32> {
        let entry = self.commands.get(command);
        let (first, end) = entry.units();
        let begin = entry.offset_bytes + entry.len_bytes - entry.to_admit;
        let at = (begin / crate::spec::UNIT_BYTES) as u32;
        if at == first && durability.overlaps(first, end) {
            return None;
        }
        if at != first && durability.writes.get(command)?.to_admit > 0 {
            return Some(0);
        }
        let piece = durability.piece_units.min(end - at);
        if self.writer.host_promised() + piece > self.env.spec.buffer.write_units {
            return None;
        }
        Some(piece)
    }

    /// The stream that the next part of a write must go to, with the rest of its piece.
    #[inline]
    pub(in crate::sim) fn stream_of_piece(&self, command: u32) -> Option<StreamId> {
        let durability = self.durability.as_ref()?;
        let entry = self.commands.get(command);
        if entry.to_admit == entry.len_bytes {
            return None;
        }
        let write = durability.writes.get(command)?;
        (write.to_admit > 0).then_some(write.stream)
    }

    /// A part of a write, of so many units, has been admitted to a stream; with the first of a
    /// piece, the piece was promised.
    #[inline(always)]
    pub(in crate::sim) fn part_admitted(
        &mut self,
        command: u32,
        units: u32,
        stream: StreamId,
        promise: u32,
    ) {
        if self.durability.is_some() {
            self.note_write(command, units, stream, promise);
        }
    }

    #[inline(never)]
    fn note_write(&mut self, command: u32, units: u32, stream: StreamId, promise: u32) {
        let entry = self.commands.get(command);
        let durability = self.durability.as_mut().expect("the caller looked");
        let write = if entry.to_admit == entry.len_bytes {
            let (first, end) = entry.units();
            durability.writes.add(command, first, end, stream)
        } else {
            let write = durability.writes.get_mut(command);
            write.expect("it has begun")
        };
        if promise > 0 {
            (write.stream, write.to_admit) = (stream, promise);
        }
        write.to_admit -= units;
    }

    /// A part of a write, up to unit `end`, has its places: it enters the log with the
    /// other parts of its piece when it is the last. True when the command ends only when
    /// all of it is durable.
    #[inline(always)]
    pub(in crate::sim) fn part_placed(&mut self, command: u32, end: u32, last: bool) -> bool {
        self.durability.is_some() && self.log_part(command, end, last)
    }

    #[inline(never)]
    fn log_part(&mut self, command: u32, end: u32, last: bool) -> bool {
        let ended = self.log_piece(command, end);
        if last && !ended {
            // What was given up half way has not come to the end of its last piece.
            let durability = self.durability.as_mut().expect("the caller looked");
            durability.writes.remove(command);
        }
        let forced = last && self.commands.get(command).forced;
        if forced {
            self.flush_durably(command);
        }
        forced
    }

    /// Nothing more of a write is admitted. Pieces that were admitted whole still enter the
    /// log; of a piece that was not, nothing does, so that a cut leaves what was there before.
    #[cold]
    pub(in crate::sim) fn write_given_up(&mut self, command: u32) {
        let Some(durability) = &mut self.durability else {
            return;
        };
        let Some(write) = durability.writes.get_mut(command) else {
            return;
        };
        let stream = write.stream;
        let to_admit = std::mem::take(&mut write.to_admit);
        if self.commands.get(command).bytes_left == 0 {
            durability.writes.remove(command);
        }
        self.unpromise(stream, to_admit);
        if self.writer.owes_padding() {
            self.pad_slots();
        }
    }

    /// Whether it was the last piece.
    fn log_piece(&mut self, command: u32, end: u32) -> bool {
        let durability = self.durability.as_mut().expect("the caller looked");
        durability.retry_writes |= durability.refused;
        let write = durability.writes.get_mut(command);
        let write = write.expect("the write was admitted");
        let piece_end = write.end.min(write.logged + durability.piece_units);
        if end < piece_end && durability.canary != Some(Canary::TornRequest) {
            return false;
        }
        let first = std::mem::replace(&mut write.logged, end);
        let ended = end == write.end;
        if ended {
            durability.writes.remove(command);
        }
        if durability.joined_from != u64::MAX {
            durability.join();
        }
        // Collection may have moved what was placed first.
        let mut at = first;
        while at < end {
            at = self.log_run(at, end);
        }
        ended
    }

    /// Notes that units from `first` on, up to `end` at most, lie one after another in a slot;
    /// the first that does not.
    fn log_run(&mut self, first: u32, end: u32) -> u32 {
        let place = self.mapping.lookup(first);
        if place == LOST {
            return self.log_lost_run(first, end);
        }
        let slot_units = 1 << self.env.layout.unit_bits;
        let most = (end - first).min(slot_units - (place & (slot_units - 1)));
        let follows = |nth: &u32| self.mapping.lookup(first + nth) == place + nth;
        let next = first + 1 + (1..most).take_while(follows).count() as u32;
        let to = self.kept_place(place);
        let mut entry = Entry::new(Change::Write, first, next - first, to);
        entry.ends = next == end;
        let superblock = self
            .env
            .layout
            .superblock_of_slot(to >> self.env.layout.unit_bits);
        let durability = self.durability.as_mut().expect("the caller looked");
        durability.push(entry, Some(superblock));
        next
    }

    /// The same for units that cannot be read any more though their write is not yet in the
    /// log.
    #[cold]
    fn log_lost_run(&mut self, first: u32, end: u32) -> u32 {
        let found = (first..end).find(|&unit| self.mapping.lookup(unit) != LOST);
        let next = found.unwrap_or(end);
        let mut entry = Entry::new(Change::WriteLost, first, next - first, 0);
        entry.ends = next == end;
        let durability = self.durability.as_mut().expect("the caller looked");
        durability.push(entry, None);
        next
    }

    /// Whether a TRIM must wait for the end of a write; it waits among the writes then.
    #[inline(always)]
    pub(in crate::sim) fn trim_must_wait(&mut self, command: u32) -> bool {
        let must = self.durability.as_ref().is_some_and(|d| {
            let (first, end) = self.commands.get(command).units();
            d.overlaps(first, end)
        });
        if must {
            self.waits_for_writes();
        }
        must
    }
}
