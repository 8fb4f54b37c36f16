//! The write path: pages get their places, programs begin and end.
//!
//! A write is acknowledged when its data is in the buffer. A page gets its PPN when it arrives; its
//! program begins when all data of the program has arrived.

use std::ops::Range;

use stend_model::nand::Class;
use stend_model::spec::PAGE_BYTES;

use super::Ftl;
use super::write_points::Places;
use crate::sim::buffer::write_buffer::Program;
use crate::sim::env::Env;
use crate::sim::geometry::Kind;
use crate::sim::geometry::bits::without_lowest;
use crate::sim::ids::{CommandId, Lpn, MpPage, Ppn, StreamId, SuperblockId};
use crate::sim::l2p::rows::PlaceRun;
use crate::sim::media::Part;
use crate::sim::media::op::NandOp;

/// Data of a write that has arrived: its pages, its stream, and the command that waits for its
/// programs.
#[derive(Clone, Copy)]
pub(in crate::sim) struct Received {
    pub stream: StreamId,
    /// The first byte, and the one after the last.
    pub begin: u64,
    pub end: u64,
    pub tag: u32,
    /// A FUA write, which waits for the programs of its data.
    pub waiter: Option<CommandId>,
    /// True if it may replace older data of its pages in the programs being filled.
    pub coalesces: bool,
    /// Present places of its pages, if they are known to be a run.
    pub places: Option<PlaceRun>,
}

impl Received {
    /// Logical pages of the data.
    #[inline(always)]
    pub fn pages(&self) -> Range<Lpn> {
        Lpn::of_byte(self.begin)..Lpn::from_byte(self.end)
    }
}

/// Result of placing data whose admission depends on more than room.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sim) struct Placed {
    /// Programs that the FUA write waits for.
    pub programs: u32,
    /// Changes of the journal from this LSN on become durable together with this data, which
    /// replaced the data that they name.
    pub joins: Option<u64>,
}

/// Pages of a multi-plane page, one bit each.
#[derive(Clone, Copy)]
pub(in crate::sim) struct PagesOf {
    pub mp_page: MpPage,
    pub pages: u32,
}

/// Relocated pages of a multi-plane page: those whose bits are set lie one after another from `to`
/// on.
#[derive(Clone, Copy)]
pub(in crate::sim) struct Relocated {
    pub pages: u32,
    pub to: Ppn,
    pub superblock: SuperblockId,
}

impl Ftl {
    /// Places received data at the next places of a stream, and calls `tell` for each run of them.
    /// The old content of a partly written page is read and merged. Without `TRACKED` nothing
    /// coalesces, and no command waits for the programs.
    #[inline(always)]
    pub fn place_received<const TRACKED: bool>(
        &mut self,
        env: &mut Env,
        received: Received,
        mut tell: impl FnMut(u32, Ppn, SuperblockId),
    ) -> Placed {
        let Received {
            stream: id,
            begin,
            end,
            tag,
            ..
        } = received;
        let mut placed = Placed::default();
        let pages = received.pages();
        let whole = (begin | end).is_multiple_of(PAGE_BYTES);
        let mut lpn = pages.start;
        while lpn < pages.end {
            if TRACKED
                && received.coalesces
                && let Some(place) = self.coalesce(lpn, received, &mut placed)
            {
                tell(1, place, env.layout.superblock_of_ppn(place));
                lpn += 1;
                continue;
            }
            if !self.points.is_filling(id) {
                self.begin_program_inlined(env, id);
            }
            let Places {
                to,
                count,
                superblock,
                program,
                full,
            } = self.points.take_in_page(id, pages.end - lpn);
            let partly = match whole {
                true => [Ppn::UNMAPPED; 2],
                false => self.partly_written(begin, end, lpn, lpn + count - 1),
            };
            let old = received
                .places
                .map(|run| run.part(lpn - pages.start, count));
            self.l2p.write(lpn, count, to, superblock, tag, old);
            tell(count, to, superblock);
            if let Some(cache) = &mut self.l2p_cache {
                cache.look_up_for(
                    env,
                    &mut self.media,
                    &mut self.buffer,
                    program,
                    lpn..lpn + count,
                );
            }
            if TRACKED && let Some(waiter) = received.waiter {
                self.buffer.wait_for(program, waiter);
                placed.programs += 1;
            }
            if !whole {
                self.merge_partly(env, program, partly);
            }
            if full {
                self.close_program_inlined(env, id);
            }
            lpn += count;
        }
        placed
    }

    /// Places of the old content of the pages `first` and `last`, if they are only partly written.
    #[inline(never)]
    fn partly_written(&self, begin: u64, end: u64, first: Lpn, last: Lpn) -> [Ppn; 2] {
        let mut partly = [Ppn::UNMAPPED; 2];
        if first.first_byte() < begin {
            partly[0] = self.l2p.lookup(first);
        }
        if (last + 1).first_byte() > end && (last > first || partly[0] == Ppn::UNMAPPED) {
            partly[1] = self.l2p.lookup(last);
        }
        partly
    }

    /// Reads the old content of partly written pages before their program begins.
    #[inline(never)]
    fn merge_partly(&mut self, env: &mut Env, program: u32, partly: [Ppn; 2]) {
        for old in partly.into_iter().filter(|&old| old.is_place()) {
            let mp_page = old.mp_page(env.layout.page_bits);
            if self.buffer.holds(mp_page) {
                continue;
            }
            self.counted.merges += 1;
            self.buffer.wait_for_read(program);
            let op = NandOp::Merge { program };
            let part = Part {
                mp_page,
                flash_pages: 1,
                bytes: PAGE_BYTES as u32,
            };
            self.media
                .read(env, &self.superblocks, part, Class::HostRead, op);
        }
    }

    /// Overwrites the old data of a page in the program being filled, if it lies there: the new
    /// data then occupies no place of its own, and no old content has to be read. Returns the
    /// place.
    #[inline(always)]
    fn coalesce(&mut self, lpn: Lpn, received: Received, placed: &mut Placed) -> Option<Ppn> {
        let place = self.l2p.lookup(lpn);
        let coalesces = self.points.has_filled(received.stream, place);
        if coalesces {
            self.overwrite_in_buffer(lpn, place, received, placed);
        }
        coalesces.then_some(place)
    }

    #[cold]
    fn overwrite_in_buffer(
        &mut self,
        lpn: Lpn,
        place: Ppn,
        received: Received,
        placed: &mut Placed,
    ) {
        let (program, from) = self.points.coalesce(received.stream);
        placed.joins = Some(placed.joins.map_or(from, |joins| joins.min(from)));
        self.l2p.write_over(lpn, place, received.tag);
        self.buffer.give_pages(1);
        self.counted.pages_coalesced += 1;
        if let Some(waiter) = received.waiter {
            self.buffer.wait_for(program, waiter);
            placed.programs += 1;
        }
    }

    /// Places valid pages of a multi-plane page at the next places of a stream of GC; calls `tell`
    /// for each run of them.
    pub fn place_relocated(
        &mut self,
        env: &mut Env,
        id: StreamId,
        from: PagesOf,
        mut tell: impl FnMut(Relocated),
    ) {
        let PagesOf { mp_page, mut pages } = from;
        let mut count = pages.count_ones();
        while count > 0 {
            if !self.points.is_filling(id) {
                self.begin_program(env, id);
            }
            let (to, now, superblock) = self.points.next_run(id, count);
            let rest = match now == count {
                true => 0,
                false => without_lowest(pages, now),
            };
            self.l2p.relocate(mp_page, pages ^ rest, to, superblock);
            tell(Relocated {
                pages: pages ^ rest,
                to,
                superblock,
            });
            self.fill_relocated(env, id, now);
            (pages, count) = (rest, count - now);
        }
    }

    /// Fills the next `count` places of a stream of GC, and begins the programs that are full.
    #[inline]
    fn fill_relocated(&mut self, env: &mut Env, id: StreamId, count: u32) {
        let mut left = count;
        loop {
            let (now, full) = self.points.fill(id, left);
            left -= now;
            if full {
                self.close_program_inlined(env, id);
            }
            if left == 0 {
                return;
            }
            self.begin_program_inlined(env, id);
        }
    }

    #[inline(never)]
    pub(super) fn begin_program(&mut self, env: &mut Env, id: StreamId) {
        self.begin_program_inlined(env, id);
    }

    /// Begins to fill the multi-plane pages of the next program.
    #[inline(always)]
    fn begin_program_inlined(&mut self, env: &mut Env, id: StreamId) {
        if !self.points.has_superblock(id) {
            self.open_superblock(env, id);
        }
        let coalesces = env.spec.buffer.coalesces;
        let span = self.points.begin_program(&env.layout, id, coalesces);
        self.superblocks.program_begins(span.at.superblock);
        self.space.take(env, span.kind, span.mp_pages);
        let program = Program::new(span.mp_page, span.kind, span.at, id, span.mp_pages);
        self.points.set_program(id, self.buffer.begin(program));
    }

    #[inline(never)]
    fn open_superblock(&mut self, env: &mut Env, id: StreamId) {
        let kind = self.next_kind(env, id);
        if id == StreamId::HOST && kind == Kind::NATIVE && self.take_up_set_aside(env) {
            return;
        }
        let superblock = match self.sorting.is_level(id) {
            // Data at rest spares it further wear.
            true => self.superblocks.open_most_worn(kind.pool, kind.mode),
            false => self.superblocks.open(kind.pool, kind.mode),
        };
        let Some(superblock) = superblock else {
            panic!("no room for {id:?} in {kind:?}: {}", self.diagnosis());
        };
        self.superblocks.set_generation(superblock, id.generation());
        self.media.opened(env, superblock);
        self.points.open(&env.layout, id, superblock, kind);
    }

    #[inline(never)]
    pub(super) fn close_program(&mut self, env: &mut Env, id: StreamId) {
        self.close_program_inlined(env, id);
    }

    /// Ends the filling of a program: sends it to its die, and then the parity of its stripe if
    /// that is next.
    #[inline(always)]
    fn close_program_inlined(&mut self, env: &mut Env, id: StreamId) {
        let (span, program) = self.points.close_program(&env.layout, id);
        let mode = span.kind.mode;
        if self.buffer.complete(program) {
            let op = NandOp::Program { program };
            self.media.program(env, mode, span.at, id, op);
        }
        while let Some(parity) = self.points.take_parity(&env.layout, id) {
            self.superblocks.program_begins(parity.at.superblock);
            self.space.take(env, parity.kind, parity.mp_pages);
            self.counted.parity_programs += 1;
            let mp_page = parity.mp_page;
            if self.keeps_parity {
                self.buffer.mark(mp_page, parity.mp_pages, true);
            }
            let op = NandOp::Parity { mp_page };
            self.media.program(env, mode, parity.at, id, op);
        }
        if !self.points.has_superblock(id) {
            // The program of its last page is under way: the superblock closes when that has ended.
            self.superblocks.fill_up(span.at.superblock);
        }
    }

    /// Closes the program of a stream of GC that is being filled. Nothing is reserved for the
    /// stream at that time, so the padding uses no reserved room.
    pub fn pad_relocated(&mut self, env: &mut Env, id: StreamId) {
        if self.points.is_filling(id) {
            self.counted.padded_mp_pages += 1;
            self.close_program(env, id);
        }
    }

    /// Closes the programs of all streams of GC whose number is below `before`.
    pub fn pad_relocated_before(&mut self, env: &mut Env, before: u64) {
        for id in self.points.streams() {
            let program = self.points.filling(id).filter(|_| !id.is_host());
            if program.is_some_and(|program| self.buffer.begun_before(program, before)) {
                self.pad_relocated(env, id);
            }
        }
    }

    /// Closes the programs being filled, full or not, so that all received data is programmed. If
    /// padding would use reserved room, it is postponed until the data of the reservation has
    /// arrived.
    pub fn pad_all(&mut self, env: &mut Env) {
        self.points.set_owes_padding(false);
        for id in self.points.streams() {
            self.pad(env, id);
        }
    }

    /// Closes the program being filled of one stream, like [`Ftl::pad_all`].
    pub fn pad(&mut self, env: &mut Env, id: StreamId) {
        let Some(padding) = self.points.padding(id) else {
            return;
        };
        if !self.padding_fits(env, id, padding) {
            if id.is_host() {
                self.points.set_owes_padding(true);
            }
            return;
        }
        self.settle_next(env, id, padding);
        self.counted.padded_mp_pages += 1;
        self.close_padded(env, id, padding);
    }

    fn close_padded(&mut self, env: &mut Env, id: StreamId, padding: u32) {
        if id.is_host() {
            // The program frees its whole size when it has ended.
            self.buffer.take_pages(padding);
        }
        self.close_program(env, id);
    }

    /// Closes the programs of an open superblock up to a multi-plane page, full, partly filled or
    /// empty, as far as they use no reserved room.
    pub fn pad_to(&mut self, env: &mut Env, mp_page: MpPage) {
        let (superblock, last) = env.layout.within_superblock(mp_page);
        for id in self.points.streams() {
            while let Some(padding) = self.points.padding_upto(id, superblock, last) {
                if !self.padding_fits(env, id, padding) {
                    break;
                }
                self.settle_next(env, id, padding);
                if self.points.is_filling(id) {
                    self.counted.padded_mp_pages += 1;
                } else {
                    self.begin_program(env, id);
                    self.counted.filler_mp_pages += 1;
                }
                self.close_padded(env, id, padding);
            }
        }
    }
}
