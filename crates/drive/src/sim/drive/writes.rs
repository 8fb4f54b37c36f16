//! The path of a write: its data is received and placed, its programs end, it completes.
//!
//! A command costs its time when the firmware looks at it, which includes its first page; each
//! further page costs its own time after it has arrived over the link. So link and firmware work in
//! parallel on one large write, as they do on several. No data overtakes other data: it is placed
//! in the order in which it was admitted.
//!
//! Data arrives in pieces of a multi-plane page's size. An idle core starts a piece when its first
//! page has arrived.

use std::ops::Range;

use stend_base::{Nanos, Op, Status};
use stend_model::spec::{ControllerSpec, PAGE_BYTES};

use super::SimDrive;
use crate::sim::buffer::write_buffer::Program;
use crate::sim::controller::Job;
use crate::sim::ftl::write::{Placed, Received};
use crate::sim::geometry::shape::Mode;
use crate::sim::host::Command;
use crate::sim::ids::{CommandId, Lpn, MpPage, StreamId, SuperblockId};
use crate::sim::media::op::NandOp;
use crate::sim::persistence::{FlashView, Part};
use crate::sim::store::Store;

/// Firmware time of each page of a write after the first: longer past the SLC cache.
#[inline]
fn received_page_time(spec: &ControllerSpec, store: &Store, command: &Command) -> Nanos {
    if spec.native_page == Nanos::ZERO {
        return spec.write_page;
    }
    let stream = store.ftl.sorting.of_length(command);
    match store.ftl.points.mode(stream) {
        Some(Mode::Native) => spec.write_page + spec.native_page,
        _ => spec.write_page,
    }
}

/// Data is received.
impl SimDrive {
    /// Queues a write for admission.
    #[inline(always)]
    pub(super) fn write_begins(&mut self, id: CommandId) {
        let (first, _) = self.host.command(id).logical_pages();
        self.store.ftl.l2p.prefetch_invalid(first);
        self.idle.host_writes(&self.env);
        self.admission.wait(id);
        self.due.writes();
        self.settle();
    }

    /// Handles data of a write that has arrived over the link. Returns true if it was placed.
    #[inline(always)]
    pub(super) fn write_received(&mut self, id: CommandId, bytes: u32) -> bool {
        let single = self.host.command(id).len_bytes <= PAGE_BYTES;
        if single && !self.admission.is_receiving() {
            self.place(id, bytes);
            return true;
        }
        self.work_on_received(id, bytes)
    }

    #[inline(never)]
    fn work_on_received(&mut self, id: CommandId, bytes: u32) -> bool {
        let first = self.host.command_mut(id).take_first_page();
        let pages = u64::from(bytes).div_ceil(PAGE_BYTES) - u64::from(first);
        let page_time = received_page_time(
            &self.env.spec.controller,
            &self.store,
            self.host.command(id),
        );
        let time = page_time * pages;
        if time == Nanos::ZERO && !self.admission.is_receiving() {
            self.place(id, bytes);
            return true;
        }
        self.admission.receives();
        let over_link = page_time.min(self.env.spec.host.page_time());
        let ahead = over_link * pages.saturating_sub(1);
        let command = id;
        let job = (Job::Received { command, bytes }, time);
        let core = self.env.spec.controller.core_write;
        self.controller
            .submit_begun(&mut self.env.queue, core, job, ahead);
        false
    }

    /// Places received data.
    #[inline(always)]
    pub(super) fn place(&mut self, id: CommandId, bytes: u32) {
        let command = self.host.command_mut(id);
        let begin = command.next_to_move();
        let finished = command.moved(bytes);
        let (tag, tracked) = (command.tag, command.handling.tracked);
        let end = begin + u64::from(bytes);
        let (first, last) = (Lpn::of_byte(begin), Lpn::from_byte(end));
        self.reads.forget(first, last);
        self.env.counters.host_pages_written += u64::from(last - first);
        self.env.counters.host_bytes_written += u64::from(bytes);
        if tracked {
            self.place_tracked(id, (first, last), (begin, end, tag), finished);
            return;
        }
        let received = Received {
            stream: StreamId::HOST,
            begin,
            end,
            tag,
            waiter: None,
            coalesces: false,
            places: None,
        };
        self.place_and_log::<false>(id, received, (first..last, finished));
        // Only now: the reservation covers the pages until they are placed.
        self.store
            .ftl
            .points
            .unreserve(StreamId::HOST, last - first);
        if self.store.ftl.points.owes_padding() {
            self.store.pad_all(&mut self.env);
        }
        if finished {
            self.write_placed(id);
        }
        if self.admission.placed() {
            self.due.writes();
            self.settle();
        }
    }

    /// Places received data, and logs it. `last`: it is the last data of the write.
    #[inline(always)]
    fn place_and_log<const TRACKED: bool>(
        &mut self,
        id: CommandId,
        mut received: Received,
        (pages, last): (Range<Lpn>, bool),
    ) -> Placed {
        let Store {
            media,
            buffer,
            ftl,
            persistence,
        } = &mut self.store;
        let env = &mut self.env;
        let Some(persistence) = persistence else {
            return ftl.place_received::<TRACKED>(env, media, buffer, received, |_, _, _| ());
        };
        let (first, end) = self.host.command(id).logical_pages();
        let (command, write) = (id, first..end);
        let part = Part {
            command,
            write,
            pages,
            last,
        };
        ftl.points
            .set_journal_tail(persistence.changes().next_lsn());
        let view = FlashView::new(&env.layout, ftl, buffer);
        let is_whole;
        (is_whole, received.places) = persistence.begins_to_place(&part, &view);
        let log = |count, to, superblock| persistence.log_write(count, to, superblock);
        let placed = ftl.place_received::<TRACKED>(env, media, buffer, received, log);
        if TRACKED && let Some(lsn) = placed.joins {
            persistence.join_from(lsn, &FlashView::new(&env.layout, ftl, buffer));
        }
        if is_whole {
            persistence.group_is_whole();
        }
        placed
    }

    /// Ends a write whose data is all placed: at once, or when all of it is durable.
    #[inline(always)]
    fn write_placed(&mut self, id: CommandId) {
        match self.host.command(id).handling.forced {
            true => self.flush_durably(id),
            false => self.command_done(id),
        }
    }

    /// Same as [`SimDrive::place`], for data of a tracked write.
    #[inline(never)]
    fn place_tracked(
        &mut self,
        id: CommandId,
        (first, last): (Lpn, Lpn),
        (begin, end, tag): (u64, u64, u32),
        finished: bool,
    ) {
        let command = self.host.command(id);
        let fua = command.handling.fua;
        // Where the power can be cut, only pages of a write that arrives as a whole coalesce:
        // otherwise the journal would contain a part of it.
        let is_whole = command.logical_pages() == (first, last);
        let stream = self.store.ftl.sorting.of_arrival(id, command);
        let received = Received {
            stream,
            begin,
            end,
            tag,
            waiter: fua.then_some(id),
            coalesces: self.env.spec.buffer.coalesces
                && (is_whole || self.store.persistence.is_none()),
            places: None,
        };
        let buffered = self.store.buffer.pages();
        let placed = self.place_and_log::<true>(id, received, (first..last, finished));
        let makes_room = self.store.buffer.pages() < buffered;
        for _ in 0..placed.programs {
            self.host.command_mut(id).awaits_program();
        }
        self.store.ftl.points.unreserve(stream, last - first);
        if fua && finished {
            self.fua_received(id, stream);
        }
        if self.store.ftl.points.owes_padding() {
            self.store.pad_all(&mut self.env);
        }
        if finished && !fua {
            self.write_placed(id);
        }
        if self.admission.placed() || makes_room {
            // No other event may follow that admits waiting writes.
            self.due.writes();
            self.settle();
        }
    }

    /// Pads and programs the last multi-plane page of a FUA write whose data has all arrived, since
    /// more data may never come.
    fn fua_received(&mut self, id: CommandId, stream: StreamId) {
        let padding = self.host.command_mut(id).take_padding();
        let Store {
            media, buffer, ftl, ..
        } = &mut self.store;
        ftl.points.unreserve(stream, padding);
        buffer.give_pages(padding);
        ftl.pad(&mut self.env, media, buffer, stream);
    }
}

/// Programs end.
impl SimDrive {
    /// Handles the end of a read that a program waited for.
    pub(super) fn merge_done(&mut self, program: u32) {
        let Store { media, buffer, .. } = &mut self.store;
        if let Some(ready) = buffer.read_ended(program) {
            let Program {
                kind,
                row,
                die,
                stream,
                ..
            } = ready;
            let op = NandOp::Program { program };
            media.program(&mut self.env, kind.mode, (row, die), stream, op);
        }
    }

    /// Handles the end of a program of data.
    #[inline(always)]
    pub(super) fn program_done(&mut self, program: u32) {
        let Program {
            mp_page,
            superblock,
            row,
            die,
            stream,
            ..
        } = *self.store.buffer.get(program);
        if self.store.media.has_blocks() {
            let op = NandOp::Program { program };
            if self.program_is_repeated(mp_page, (superblock, row, die), op) {
                return;
            }
        }
        let waiters = self.store.buffer.waiters_of(program);
        self.store.buffer.programmed(program);
        self.program_ended(superblock);
        self.store.buffer.release(program);
        if stream.is_host() {
            self.due.all();
        } else {
            self.gc.release_emptied(&mut self.env, &mut self.store);
            self.due.gc();
        }
        self.settle();
        let mut waiters = waiters;
        while let Some(id) = self.store.buffer.take_waiter(&mut waiters) {
            if self.host.command_mut(id).programmed() {
                self.command_done(id);
            }
        }
        self.check_flushes();
    }

    /// Handles the end of a program of parity.
    pub(super) fn parity_done(&mut self, mp_page: MpPage) {
        let (superblock, within) = self.env.layout.within_superblock(mp_page);
        let mode = self.store.ftl.superblocks.mode(superblock);
        let shape = self.env.layout.shape(mode);
        let mp_pages_per_program = shape.mp_pages_per_program;
        if self.store.media.has_blocks() {
            let (row, die) = shape.place(within);
            let op = NandOp::Parity { mp_page };
            if self.program_is_repeated(mp_page, (superblock, row, die), op) {
                return;
            }
        }
        if self.store.parity().is_some() {
            self.store.buffer.mark(mp_page, mp_pages_per_program, false);
        }
        self.program_ended(superblock);
    }

    /// Notes the end of a program of data or parity: GC or folding may start on its superblock if
    /// it is full.
    #[inline(always)]
    fn program_ended(&mut self, superblock: SuperblockId) {
        if self.store.ftl.superblocks.program_ends(superblock) {
            self.make_space();
        }
    }
}

/// Flushes.
impl SimDrive {
    /// Begins a flush.
    pub(super) fn flush(&mut self, id: CommandId) {
        if self.env.spec.buffer.plp {
            self.command_done(id);
            return;
        }
        if self.store.persistence.is_some() {
            self.flush_durably(id);
            return;
        }
        self.store.pad_all(&mut self.env);
        let number = self.store.buffer.flush();
        self.host.flush_waits(id, number);
        self.check_flushes();
    }

    /// Begins a flush in a drive whose power can be cut, also for the end of a write that acts as
    /// one.
    fn flush_durably(&mut self, id: CommandId) {
        let persistence = self.store.persistence.as_mut().expect("it was checked");
        let Some(lsn) = persistence.request_flush() else {
            self.command_done(id);
            return;
        };
        self.host.flush_waits(id, lsn);
        self.store.pad_all(&mut self.env);
    }

    /// Ends the flushes whose data is all programmed or, where the power can be cut, durable.
    #[inline]
    pub(super) fn check_flushes(&mut self) {
        if !self.host.flushes().is_empty() {
            self.end_flushes();
        }
    }

    fn end_flushes(&mut self) {
        while let Some(&(id, number)) = self.host.flushes().first() {
            let ends = match &self.store.persistence {
                Some(persistence) => persistence.flush_ends(number),
                None => !self.store.buffer.holds_before(number),
            };
            if !ends {
                return;
            }
            self.host.take_flush();
            self.command_done(id);
        }
    }
}

/// End of life.
impl SimDrive {
    /// Makes the drive read-only: a superblock must be retired and nothing can replace it. Admitted
    /// data is still written; waiting commands are refused, and the drive's own work stops.
    #[cold]
    pub(super) fn wears_out(&mut self) {
        if self.store.ftl.space.set_read_only() {
            return;
        }
        let reserved = self.admission.reserved();
        let first = self.admission.take_waiting();
        if let Some(id) = first {
            self.refuse(id, reserved);
        }
        while let Some(id) = self.admission.take_waiting() {
            self.refuse(id, 0);
        }
        if let Some(id) = first.filter(|_| reserved > 0) {
            self.admission.wait(id);
        }
    }

    /// Refuses a command that has not been admitted, except the pages that are `reserved` for it: a
    /// piece of a write that has begun is still written.
    #[cold]
    pub(super) fn refuse(&mut self, id: CommandId, reserved: u32) {
        let command = self.host.command_mut(id);
        command.fail(Status::WriteProtected);
        if command.op == Op::Trim {
            self.command_done(id);
            return;
        }
        // Only admitted data is still expected.
        self.store.ftl.sorting.keep_stream(command);
        if !command.cut_short(u64::from(reserved) * PAGE_BYTES) {
            return;
        }
        if let Some(persistence) = &mut self.store.persistence {
            persistence.give_up(id);
        }
        self.command_done(id);
    }
}
