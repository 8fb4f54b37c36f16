//! The write buffer: data that waits for its program, and the programs in flight.
//!
//! Each stream of the host has its own ring and frees space in the order in which it was taken: in
//! one ring for all, a stream that rarely gets a page would delay the others. Relocated pages wait
//! for their programs too, but occupy no space of the host.

use std::collections::VecDeque;
use std::ops::Range;

use super::fua::{WaiterList, Waiters};
use super::unprogrammed::Unprogrammed;
use crate::sim::geometry::{Kind, NONE};
use crate::sim::ids::{BlockRow, CommandId, IdRange, MpPage, STREAMS_HOST_MAX, StreamId};
use crate::sim::slab::Slab;

/// A program, mostly of one multi-plane page, from the arrival of its first page to its end.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Program {
    /// The first multi-plane page.
    pub mp_page: MpPage,
    pub kind: Kind,
    pub at: BlockRow,
    pub stream: StreamId,
    /// Number of its multi-plane pages.
    pub mp_pages: u8,
    /// Reads to wait for: of the old content of partly written pages, and of L2P pages.
    reads: u32,
    /// All its data is in the buffer.
    complete: bool,
    in_use: bool,
    /// The program has ended, but an older one of its ring has not.
    programmed: bool,
    /// First entry of the list of FUA writes with data in the program.
    waiters: u32,
    /// Number of the next flush after the program began.
    epoch: u64,
    /// Number of programs begun before this one.
    number: u64,
}

impl Program {
    /// A program whose data begins to arrive.
    #[inline(always)]
    pub fn new(
        mp_page: MpPage,
        kind: Kind,
        at: BlockRow,
        stream: StreamId,
        mp_pages: u32,
    ) -> Program {
        Program {
            mp_page,
            kind,
            at,
            stream,
            mp_pages: mp_pages as u8,
            reads: 0,
            complete: false,
            in_use: true,
            programmed: false,
            waiters: NONE,
            epoch: 0,
            number: 0,
        }
    }

    fn is_open(&self) -> bool {
        self.in_use && !self.programmed
    }
}

/// The write buffer of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct WriteBuffer {
    programs: Slab<Program>,
    /// Pages in the buffer, from admission until their space is freed.
    pages: u32,
    /// Capacity in pages.
    capacity_pages: u32,
    /// Programs of each of the host's streams in the order in which they began.
    rings: [VecDeque<u32>; STREAMS_HOST_MAX],
    /// Multi-plane pages whose program has not ended.
    unprogrammed: Unprogrammed,
    /// Number of changes to `unprogrammed`.
    changes: u64,
    /// Flushes so far.
    epoch: u64,
    pages_per_mp_page: u32,
    /// Multi-plane pages of GC whose program has not ended.
    gc_in_flight: u32,
    /// Programs begun so far.
    begun: u64,
    /// Data of the host has been programmed since [`WriteBuffer::take_host_programmed`] was last
    /// called.
    host_programmed: bool,
    waiters: Waiters,
}

impl WriteBuffer {
    /// A buffer of `capacity_pages`, for a drive of `mp_pages` multi-plane pages.
    pub fn new(capacity_pages: u32, pages_per_mp_page: u32, mp_pages: u32) -> WriteBuffer {
        WriteBuffer {
            programs: Slab::with_capacity(256),
            pages: 0,
            capacity_pages,
            rings: std::array::from_fn(|_| VecDeque::with_capacity(64)),
            unprogrammed: Unprogrammed::new(mp_pages),
            changes: 0,
            epoch: 0,
            pages_per_mp_page,
            gc_in_flight: 0,
            begun: 0,
            host_programmed: false,
            waiters: Waiters::default(),
        }
    }

    /// True if there is room for `pages` more.
    #[inline]
    pub fn has_room(&self, pages: u32) -> bool {
        self.pages + pages <= self.capacity_pages
    }

    /// Occupies space for `pages`.
    #[inline(always)]
    pub fn take_pages(&mut self, pages: u32) {
        self.pages += pages;
    }

    /// Frees the space of pages that will not arrive, or that are stored elsewhere.
    #[inline(always)]
    pub fn give_pages(&mut self, pages: u32) {
        self.pages -= pages;
    }

    /// Pages that the buffer holds now.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// True while the content of a multi-plane page is in the buffer.
    #[inline]
    pub fn holds(&self, mp_page: MpPage) -> bool {
        self.unprogrammed.has(mp_page)
    }

    /// The first of these multi-plane pages whose content is in the buffer.
    pub fn first_held(&self, mp_pages: Range<MpPage>) -> Option<MpPage> {
        self.unprogrammed.first_in(mp_pages)
    }

    /// Number of changes so far to what [`WriteBuffer::holds`] returns.
    #[inline(always)]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Programs begun so far.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Multi-plane pages of GC whose program has not ended.
    #[inline]
    pub fn gc_in_flight(&self) -> u32 {
        self.gc_in_flight
    }

    /// Begins a program, whose data is on its way. Returns its number.
    #[inline(always)]
    pub fn begin(&mut self, program: Program) -> u32 {
        let program = Program {
            epoch: self.epoch,
            number: self.begun,
            ..program
        };
        self.begun += 1;
        self.mark(program.mp_page, u32::from(program.mp_pages), true);
        let index = self.programs.insert(program);
        if program.stream.is_host() {
            self.ring(program.stream).push_back(index);
        }
        index
    }

    /// Notes that all data of a program has arrived. Returns true if the program can be sent to its
    /// die.
    #[inline(always)]
    pub fn complete(&mut self, program: u32) -> bool {
        let this = &mut self.programs[program];
        this.complete = true;
        if this.stream.is_host() {
            self.host_programmed = true;
        } else {
            self.gc_in_flight += u32::from(this.mp_pages);
        }
        this.reads == 0
    }

    /// Adds a read that a program waits for.
    #[inline]
    pub fn wait_for_read(&mut self, program: u32) {
        self.programs[program].reads += 1;
    }

    /// Notes the end of a read that a program waited for. Returns the program if it can be sent to
    /// its die.
    pub fn read_ended(&mut self, program: u32) -> Option<Program> {
        let this = &mut self.programs[program];
        this.reads -= 1;
        (this.complete && this.reads == 0).then_some(*this)
    }

    #[inline(always)]
    pub fn get(&self, program: u32) -> &Program {
        &self.programs[program]
    }

    /// Adds a FUA write that waits for a program.
    pub fn wait_for(&mut self, program: u32, command: CommandId) {
        let first = &mut self.programs[program].waiters;
        *first = self.waiters.add(command, *first);
    }

    /// The FUA writes that wait for a program, for [`WriteBuffer::take_waiter`].
    #[inline(always)]
    pub fn waiters_of(&self, program: u32) -> WaiterList {
        WaiterList(self.programs[program].waiters)
    }

    /// Removes and returns the next FUA write of a list.
    #[inline(always)]
    pub fn take_waiter(&mut self, list: &mut WaiterList) -> Option<CommandId> {
        (list.0 != NONE).then(|| self.waiters.take(list))
    }

    /// Notes the end of a program: its pages are in flash.
    #[inline(always)]
    pub fn programmed(&mut self, program: u32) {
        let Program {
            mp_page,
            mp_pages,
            stream,
            ..
        } = self.programs[program];
        self.mark(mp_page, u32::from(mp_pages), false);
        if stream.is_host() {
            self.programs[program].programmed = true;
        }
    }

    /// Frees the space of the oldest programs of the stream, up to the first that has not ended; in
    /// a stream of GC, of this program alone.
    #[inline(always)]
    pub fn release(&mut self, program: u32) {
        let Program {
            stream, mp_pages, ..
        } = self.programs[program];
        if !stream.is_host() {
            self.gc_in_flight -= u32::from(mp_pages);
            return self.free(program);
        }
        while let Some(&oldest) = self.ring(stream).front() {
            if !self.programs[oldest].programmed {
                return;
            }
            self.ring(stream).pop_front();
            self.pages -= u32::from(self.programs[oldest].mp_pages) * self.pages_per_mp_page;
            self.free(oldest);
        }
    }

    #[inline(always)]
    fn free(&mut self, program: u32) {
        self.programs[program].in_use = false;
        self.programs.remove(program);
    }

    #[inline]
    fn ring(&mut self, stream: StreamId) -> &mut VecDeque<u32> {
        &mut self.rings[stream.number() / 2 % STREAMS_HOST_MAX]
    }

    /// Marks multi-plane pages as waiting, or not, for the end of their program.
    #[inline(always)]
    pub fn mark(&mut self, first: MpPage, mp_pages: u32, waits: bool) {
        self.changes += 1;
        self.mark_one(first, waits);
        for further in 1..mp_pages {
            self.mark_one(first + further, waits);
        }
    }

    #[inline(always)]
    fn mark_one(&mut self, mp_page: MpPage, waits: bool) {
        match waits {
            true => self.unprogrammed.add(mp_page),
            false => self.unprogrammed.remove(mp_page),
        }
    }

    /// True if a program has a number below `before`.
    pub fn begun_before(&self, program: u32, before: u64) -> bool {
        self.programs[program].number < before
    }

    /// True if a program of GC with a number below `before` has not ended.
    pub fn gc_before(&self, before: u64) -> bool {
        self.programs
            .iter()
            .any(|p| p.in_use && !p.stream.is_host() && p.number < before)
    }

    /// Begins a flush. Returns its number.
    pub fn flush(&mut self) -> u64 {
        self.epoch += 1;
        self.epoch - 1
    }

    /// True if data that arrived before a flush is not programmed.
    pub fn holds_before(&self, flush: u64) -> bool {
        self.programs
            .iter()
            .any(|p| p.is_open() && p.stream.is_host() && p.epoch <= flush)
    }

    /// Returns true if data of the host has been programmed since the last call.
    #[inline]
    pub fn take_host_programmed(&mut self) -> bool {
        std::mem::take(&mut self.host_programmed)
    }

    /// Multi-plane pages whose program has not ended.
    pub fn open_mp_pages(&self) -> Vec<MpPage> {
        let open = self.programs.iter().filter(|p| p.is_open());
        open.flat_map(|p| (p.mp_page..p.mp_page + u32::from(p.mp_pages)).each())
            .collect()
    }

    /// Programs that have not ended: the first multi-plane page, the kind, and true if the program
    /// has been sent to a die.
    pub fn open_programs(&self) -> impl Iterator<Item = (MpPage, Kind, bool)> {
        let open = self.programs.iter().filter(|p| p.is_open());
        open.map(|p| (p.mp_page, p.kind, p.complete && p.reads == 0))
    }

    /// Drops all content.
    pub fn clear(&mut self) {
        self.programs.clear();
        for ring in &mut self.rings {
            ring.clear();
        }
        self.unprogrammed.clear();
        self.changes += 1;
        self.pages = 0;
        self.gc_in_flight = 0;
        self.waiters = Waiters::default();
    }

    /// One line for debugging a drive that makes no progress.
    pub fn diagnosis(&self) -> String {
        let open: Vec<_> = self.programs.iter().filter(|p| p.in_use).collect();
        format!("buffered {}, programs {open:?}", self.pages)
    }
}
