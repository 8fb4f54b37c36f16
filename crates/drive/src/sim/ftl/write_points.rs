//! Write points: the superblock that each stream fills, its progress, and the pages reserved there
//! for data on its way.

use serde::{Deserialize, Serialize};

use stend_model::spec::Spec;

use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::{Mode, Shape};
use crate::sim::geometry::{Kind, NONE};
use crate::sim::ids::{
    BlockRow, DieId, IdRange, MpPage, Ppn, Row, STREAMS_MAX, StreamId, SuperblockId,
};

/// An open superblock and the position in it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct WritePoint {
    superblock: SuperblockId,
    kind: Kind,
    /// Kind that the stream opens next, while more is reserved than the superblock has room for:
    /// data on its way goes where room was found for it.
    next: Option<Kind>,
    /// Number of the first multi-plane page being filled, within the superblock.
    within: u32,
    /// Row and die of that multi-plane page.
    place: RowAndDie,
    /// Multi-plane pages and pages of one program in the superblock.
    mp_pages_per_program: u32,
    pages_per_program: u32,
    /// First page of the program being filled.
    first_ppn: Ppn,
    /// End of the run of pages without parity from there on.
    run_end: Ppn,
    /// Pages of the program that have been filled.
    filled: u32,
    /// Number of the program.
    program: u32,
    /// Changes of the journal from this number on may name the pages being filled.
    journal_from: u64,
}

/// A row and a die, in one word: they are loaded together soon after one of them was stored, which
/// is slow if the store was narrower (store-to-load forwarding).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct RowAndDie(u64);

impl RowAndDie {
    #[inline(always)]
    fn new(row: Row, die: DieId) -> RowAndDie {
        RowAndDie(u64::from(row.0) << 32 | u64::from(die.0))
    }

    #[inline(always)]
    fn row(self) -> Row {
        Row((self.0 >> 32) as u32)
    }

    #[inline(always)]
    fn die(self) -> DieId {
        DieId(self.0 as u32)
    }

    /// Advances to the next of `dies`; after the last, to the first die and `rows` further.
    #[inline(always)]
    fn next(&mut self, dies: u32, rows: u32) {
        let next = self.die().0 + 1;
        *self = match next == dies {
            true => RowAndDie::new(self.row() + rows, DieId(0)),
            false => RowAndDie(self.0 + 1),
        };
    }
}

impl WritePoint {
    fn new(pages_per_mp_page: u32) -> WritePoint {
        WritePoint {
            superblock: SuperblockId::NONE,
            kind: Kind::NATIVE,
            next: None,
            within: 0,
            place: RowAndDie::new(Row(0), DieId(0)),
            mp_pages_per_program: 1,
            pages_per_program: pages_per_mp_page,
            first_ppn: Ppn(0),
            run_end: Ppn(0),
            filled: 0,
            program: NONE,
            journal_from: 0,
        }
    }

    /// The multi-plane pages of the next program, or of the one being filled.
    #[inline(always)]
    fn span(&self, layout: &Layout) -> Span {
        Span {
            kind: self.kind,
            mp_page: self.first_ppn.mp_page(layout.page_bits),
            at: BlockRow {
                superblock: self.superblock,
                row: self.place.row(),
                die: self.place.die(),
            },
            mp_pages: self.mp_pages_per_program,
        }
    }

    /// Multi-plane pages of the superblock that have been begun.
    fn begun(&self, mp_pages_per_program: u32) -> u32 {
        self.within + mp_pages_per_program * u32::from(self.filled > 0)
    }
}

/// Sizes for filling superblocks of one mode.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fill {
    /// Multi-plane pages and pages of one program.
    mp_pages_per_program: u32,
    pages_per_program: u32,
    mp_pages_per_superblock: u32,
    /// Pages of a superblock, without parity.
    pages_per_superblock: u32,
    /// Pages from the nth multi-plane page of a superblock up to the next that holds parity, or to
    /// the end: 0 if the nth holds parity.
    run: Vec<u32>,
}

impl Fill {
    fn new(shape: &Shape, pages_per_mp_page: u32) -> Fill {
        let mut run = vec![0; shape.mp_pages as usize + 1];
        for within in (0..shape.mp_pages).rev() {
            if !shape.is_parity(within) {
                run[within as usize] = run[within as usize + 1] + pages_per_mp_page;
            }
        }
        Fill {
            mp_pages_per_program: shape.mp_pages_per_program,
            pages_per_program: shape.mp_pages_per_program * pages_per_mp_page,
            mp_pages_per_superblock: shape.mp_pages,
            pages_per_superblock: shape.data_mp_pages * pages_per_mp_page,
            run,
        }
    }
}

/// Consecutive next places of a stream in one superblock.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub to: Ppn,
    pub count: u32,
    pub superblock: SuperblockId,
    /// Number of the program of these places.
    pub program: u32,
    /// True if the places complete the program.
    pub full: bool,
}

/// The multi-plane pages of one program of a stream.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub kind: Kind,
    /// First multi-plane page, and its row.
    pub mp_page: MpPage,
    pub at: BlockRow,
    pub mp_pages: u32,
}

/// The write points of all streams.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::sim) struct WritePoints {
    points: [WritePoint; STREAMS_MAX],
    /// By stream: pages left in its superblock, without parity; and pages reserved for data on its
    /// way. Separate arrays, since the values of all streams are examined together.
    room: [u32; STREAMS_MAX],
    reserved: [u32; STREAMS_MAX],
    /// Reserved pages of the host's streams.
    host_reserved: u32,
    /// Numbers of streams in use are below this.
    streams: usize,
    pages_per_mp_page: u32,
    /// Sizes of programs and superblocks, by mode.
    fills: [Fill; 2],
    /// Pages of the smallest superblock that each stream may open next.
    least_pages: [u32; STREAMS_MAX],
    /// Number of changes of the streams' positions.
    moves: u64,
    /// True if padding was requested that would have used reserved room.
    padding_owed: bool,
    /// Number of the next change of the journal, as the caller set it last.
    journal_tail: u64,
}

impl WritePoints {
    /// New write points: no superblock is open, nothing is reserved.
    pub fn new(spec: &Spec, layout: &Layout, streams: usize) -> WritePoints {
        let fills = Mode::ALL.map(|mode| Fill::new(layout.shape(mode), spec.pages_per_mp_page));
        let holds = |mode: Mode| fills[mode as usize].pages_per_superblock;
        let gc_in_slc = spec.cache.as_ref().is_some_and(|c| c.takes_gc);
        let least_pages = std::array::from_fn(|number| match StreamId::nth(number) {
            StreamId::HOST if spec.cache.is_some() => holds(Mode::Slc),
            id if !id.is_host() && gc_in_slc => holds(Mode::Slc),
            _ => holds(Mode::Native),
        });
        WritePoints {
            points: [WritePoint::new(spec.pages_per_mp_page); STREAMS_MAX],
            room: [0; STREAMS_MAX],
            reserved: [0; STREAMS_MAX],
            host_reserved: 0,
            streams,
            pages_per_mp_page: spec.pages_per_mp_page,
            fills,
            least_pages,
            moves: 0,
            padding_owed: false,
            journal_tail: 0,
        }
    }

    #[inline(always)]
    fn of(&self, id: StreamId) -> &WritePoint {
        &self.points[id.number()]
    }

    #[inline(always)]
    fn of_mut(&mut self, id: StreamId) -> &mut WritePoint {
        &mut self.points[id.number()]
    }

    /// All streams in use.
    pub fn streams(&self) -> impl Iterator<Item = StreamId> + use<> {
        (0..self.streams).map(StreamId::nth)
    }

    /// Reserves pages for a stream.
    #[inline(always)]
    pub fn reserve(&mut self, id: StreamId, pages: u32) {
        self.reserved[id.number()] += pages;
        if id.is_host() {
            self.host_reserved += pages;
        }
    }

    /// Removes reserved pages, which have arrived, or will not.
    #[inline(always)]
    pub fn unreserve(&mut self, id: StreamId, pages: u32) {
        self.reserved[id.number()] -= pages;
        if id.is_host() {
            self.host_reserved -= pages;
        }
    }

    /// Pages reserved for the host's streams.
    #[inline]
    pub fn host_reserved(&self) -> u32 {
        self.host_reserved
    }

    /// True if a stream has room for `pages` more in its superblock.
    #[inline(always)]
    pub fn has_room(&self, id: StreamId, pages: u32) -> bool {
        self.reserved[id.number()] + pages <= self.room[id.number()]
    }

    /// True if no stream has to open a superblock, with `pages` more for one of them.
    #[inline(always)]
    pub fn all_have_room(&self, id: StreamId, pages: u32) -> bool {
        // Mostly the host and GC have one stream each.
        if self.streams == 2 {
            let other = StreamId::nth(id.number() ^ 1);
            return self.has_room(id, pages) && self.has_room(other, 0);
        }
        let WritePoints { room, reserved, .. } = self;
        // One after another: a vector load right after narrower stores stalls (store-to-load
        // forwarding).
        let mut all = room[..self.streams].iter().zip(&reserved[..self.streams]);
        self.has_room(id, pages) && all.all(|(room, reserved)| reserved <= room)
    }

    /// Superblocks that a stream has yet to open for its reservation and `more` pages.
    #[inline]
    pub fn superblocks_needed(&self, id: StreamId, more: u32) -> u32 {
        let pages = self.reserved[id.number()] + more;
        let room = self.room[id.number()];
        if pages <= room {
            return 0;
        }
        (pages - room).div_ceil(self.least_pages[id.number()])
    }

    /// Kind of the superblock of a stream, if it has room for `pages` more.
    #[inline(always)]
    pub(super) fn kind_with_room(&self, id: StreamId, pages: u32) -> Option<Kind> {
        let point = self.of(id);
        let has_room = point.superblock != SuperblockId::NONE && self.has_room(id, pages);
        has_room.then_some(point.kind)
    }

    /// The mode of the superblock that a stream fills, if it has one.
    #[inline]
    pub fn mode(&self, id: StreamId) -> Option<Mode> {
        let point = self.of(id);
        (point.superblock != SuperblockId::NONE).then_some(point.kind.mode)
    }

    /// Fixes the kind that a stream opens next.
    #[inline(always)]
    pub(super) fn settle_next(&mut self, id: StreamId, kind: Kind) {
        self.of_mut(id).next = Some(kind);
    }

    /// Kind that a stream opens next, if its reservation has fixed it.
    #[inline]
    pub fn reserved_kind(&self, id: StreamId) -> Option<Kind> {
        self.of(id).next.filter(|_| !self.has_room(id, 0))
    }

    /// True if a program is being filled whose data has not all arrived.
    pub fn has_open_program(&self) -> bool {
        self.points.iter().any(|point| point.filled > 0)
    }

    /// Notes that padding waits for reserved data, or no longer waits.
    pub(super) fn set_owes_padding(&mut self, owes: bool) {
        self.padding_owed = owes;
    }

    /// True if padding waits for reserved data.
    pub fn owes_padding(&self) -> bool {
        self.padding_owed
    }

    /// Pages that pad the program in which `pages` more than the reserved ones end: exact if all
    /// programs of the stream have one `mode`, else the maximum.
    pub fn padding_after(&self, id: StreamId, pages: u32, mode: Option<Mode>) -> u32 {
        if let Some(mode) = mode {
            let end = self.of(id).filled + self.reserved[id.number()] + pages;
            return end.next_multiple_of(self.fills[mode as usize].pages_per_program) - end;
        }
        let [slc, native] = &self.fills;
        slc.pages_per_program.max(native.pages_per_program) - 1
    }

    /// Number of changes of the streams' positions.
    #[inline(always)]
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Sets the number of the next change of the journal.
    #[inline]
    pub fn set_journal_tail(&mut self, tail: u64) {
        self.journal_tail = tail;
    }

    /// True if a stream has an open superblock.
    #[inline(always)]
    pub(super) fn has_superblock(&self, id: StreamId) -> bool {
        self.of(id).superblock != SuperblockId::NONE
    }

    /// Opens a superblock for a stream.
    pub(super) fn open(
        &mut self,
        layout: &Layout,
        id: StreamId,
        superblock: SuperblockId,
        kind: Kind,
    ) {
        let fill = &self.fills[kind.mode as usize];
        let point = &mut self.points[id.number()];
        (point.superblock, point.kind) = (superblock, kind);
        (point.within, point.place) = (0, RowAndDie::new(Row(0), DieId(0)));
        let first = layout.first_mp_page(superblock);
        point.first_ppn = first.first_ppn(layout.page_bits);
        point.mp_pages_per_program = fill.mp_pages_per_program;
        point.pages_per_program = fill.pages_per_program;
        self.room[id.number()] = fill.pages_per_superblock;
    }

    /// Swaps the superblocks of two streams; the kind that each opens next is not swapped.
    pub(super) fn swap(&mut self, one: StreamId, other: StreamId) {
        let (one, other) = (one.number(), other.number());
        let next = (self.points[one].next, self.points[other].next);
        self.points.swap(one, other);
        (self.points[one].next, self.points[other].next) = next;
        self.room.swap(one, other);
        self.moves += 1;
    }

    /// True if a stream is at rest: nothing is reserved for it, and it fills no program.
    pub(super) fn rests(&self, id: StreamId) -> bool {
        self.reserved[id.number()] == 0 && !self.is_filling(id)
    }

    /// Kind of the superblock of a stream, if it has one.
    pub(super) fn kind(&self, id: StreamId) -> Option<Kind> {
        let point = self.of(id);
        (point.superblock != SuperblockId::NONE).then_some(point.kind)
    }

    /// True if a stream fills a program of which data has arrived.
    #[inline(always)]
    pub(super) fn is_filling(&self, id: StreamId) -> bool {
        self.of(id).filled > 0
    }

    /// The program that a stream fills, if data of it has arrived.
    pub(super) fn filling(&self, id: StreamId) -> Option<u32> {
        self.is_filling(id).then(|| self.of(id).program)
    }

    /// Begins to fill the next program of a stream. If data `coalesces`, notes the first change of
    /// the journal that may name the program's pages.
    #[inline(always)]
    pub(super) fn begin_program(&mut self, layout: &Layout, id: StreamId, coalesces: bool) -> Span {
        let tail = self.journal_tail;
        let point = &mut self.points[id.number()];
        let fill = &self.fills[point.kind.mode as usize];
        point.run_end = point.first_ppn + fill.run[point.within as usize];
        if coalesces {
            point.journal_from = tail;
        }
        point.span(layout)
    }

    /// Sets the number of the program that has begun.
    #[inline(always)]
    pub(super) fn set_program(&mut self, id: StreamId, program: u32) {
        self.of_mut(id).program = program;
    }

    /// Takes the next places of a stream, at most `most`, within one multi-plane page.
    #[inline(always)]
    pub(super) fn take_in_page(&mut self, id: StreamId, most: u32) -> Places {
        let pages_per_mp_page = self.pages_per_mp_page;
        let point = self.of_mut(id);
        let count = most.min(pages_per_mp_page - (point.filled & (pages_per_mp_page - 1)));
        let to = point.first_ppn + point.filled;
        point.filled += count;
        let places = Places {
            to,
            count,
            superblock: point.superblock,
            program: point.program,
            full: point.filled == point.pages_per_program,
        };
        self.room[id.number()] -= count;
        places
    }

    /// The next places of a stream, at most `most`, up to the next parity or the end of the
    /// superblock: the first, their number, and the superblock.
    #[inline(always)]
    pub(super) fn next_run(&self, id: StreamId, most: u32) -> (Ppn, u32, SuperblockId) {
        let point = self.of(id);
        let to = point.first_ppn + point.filled;
        (to, most.min(point.run_end - to), point.superblock)
    }

    /// Fills up to `most` of the next places of a stream, in one program. Returns their number, and
    /// true if the program is full.
    #[inline(always)]
    pub(super) fn fill(&mut self, id: StreamId, most: u32) -> (u32, bool) {
        let point = self.of_mut(id);
        let count = most.min(point.pages_per_program - point.filled);
        point.filled += count;
        let full = point.filled == point.pages_per_program;
        self.room[id.number()] -= count;
        (count, full)
    }

    /// True if a place lies in the program that a stream fills, and has been filled.
    #[inline(always)]
    pub(super) fn has_filled(&self, id: StreamId, place: Ppn) -> bool {
        let point = self.of(id);
        (point.first_ppn..point.first_ppn + point.filled).contains(&place)
    }

    /// Notes that data replaces other data in the program that a stream fills. Returns the program,
    /// and the number of the first change of the journal that may name the place. Changes from that
    /// one to the next one become durable together with the data.
    pub(super) fn coalesce(&mut self, id: StreamId) -> (u32, u64) {
        let tail = self.journal_tail;
        let point = self.of_mut(id);
        (
            point.program,
            std::mem::replace(&mut point.journal_from, tail),
        )
    }

    /// Ends the filling of a stream's program and advances to the next. Returns the place of the
    /// program and its number.
    #[inline(always)]
    pub(super) fn close_program(&mut self, layout: &Layout, id: StreamId) -> (Span, u32) {
        let point = self.of_mut(id);
        let span = point.span(layout);
        let program = std::mem::replace(&mut point.program, NONE);
        let unfilled = point.pages_per_program - std::mem::take(&mut point.filled);
        self.room[id.number()] -= unfilled;
        self.next_program(layout, id);
        (span, program)
    }

    /// Takes the program of parity that is next in a stream's superblock, if there is one, and
    /// advances past it.
    #[inline(always)]
    pub(super) fn take_parity(&mut self, layout: &Layout, id: StreamId) -> Option<Span> {
        let point = self.of(id);
        let run = &self.fills[point.kind.mode as usize].run;
        if point.superblock == SuperblockId::NONE || run[point.within as usize] > 0 {
            return None;
        }
        let span = point.span(layout);
        self.next_program(layout, id);
        Some(span)
    }

    /// Advances a stream to the next program; after the last it has no superblock.
    fn next_program(&mut self, layout: &Layout, id: StreamId) {
        self.moves += 1;
        let point = &mut self.points[id.number()];
        point.within += point.mp_pages_per_program;
        point.place.next(layout.dies, point.mp_pages_per_program);
        point.first_ppn += point.pages_per_program;
        if point.within == self.fills[point.kind.mode as usize].mp_pages_per_superblock {
            point.superblock = SuperblockId::NONE;
        }
    }

    /// Pages left in the program that a stream fills; `None` if it fills none.
    pub(super) fn padding(&self, id: StreamId) -> Option<u32> {
        let point = self.of(id);
        (point.filled > 0).then(|| point.pages_per_program - point.filled)
    }

    /// Pages left in the next program of a stream, or in the one being filled, if it lies in
    /// `superblock` and begins at multi-plane page `last` or before.
    pub(super) fn padding_upto(
        &self,
        id: StreamId,
        superblock: SuperblockId,
        last: u32,
    ) -> Option<u32> {
        let point = self.of(id);
        let lies_before = point.superblock == superblock && point.within <= last;
        lies_before.then(|| point.pages_per_program - point.filled)
    }

    /// The multi-plane pages of the next program of each open superblock.
    pub fn next_mp_pages(&self) -> impl Iterator<Item = MpPage> + '_ {
        let open = self
            .points
            .iter()
            .filter(|p| p.superblock != SuperblockId::NONE);
        open.flat_map(|p| {
            let first = MpPage(p.first_ppn.0 / self.pages_per_mp_page);
            (first..first + self.fills[p.kind.mode as usize].mp_pages_per_program).each()
        })
    }

    /// Multi-plane pages that the stream that fills a superblock has begun there; `u32::MAX` if
    /// there is no such stream.
    #[inline]
    pub fn begun_so_far(&self, superblock: SuperblockId) -> u32 {
        let mut points = self.points[..self.streams].iter();
        let open = points.find(|p| p.superblock == superblock);
        open.map_or(u32::MAX, |p| p.begun(p.mp_pages_per_program))
    }

    /// True if a multi-plane page belongs to an open superblock and has not been begun.
    #[inline]
    pub fn will_begin(&self, layout: &Layout, mp_page: MpPage) -> bool {
        let (superblock, within) = layout.within_superblock(mp_page);
        within >= self.begun_so_far(superblock)
    }

    /// Multi-plane pages of a superblock of this kind that have been begun.
    pub fn begun_in(&self, superblock: SuperblockId, kind: Kind) -> u32 {
        let fill = &self.fills[kind.mode as usize];
        let open = self.points.iter().find(|p| p.superblock == superblock);
        open.map_or(fill.mp_pages_per_superblock, |p| {
            p.begun(fill.mp_pages_per_program)
        })
    }

    /// Forgets data on its way at a power cut. An open superblock that is not `dead` continues
    /// after the begun pages, from a new word line. Returns these superblocks, their kinds, and the
    /// multi-plane pages left in each. The pages in between are added to `skipped`.
    pub fn power_cut(
        &mut self,
        layout: &Layout,
        dead: impl Fn(SuperblockId) -> bool,
        skipped: &mut Vec<MpPage>,
    ) -> Vec<(SuperblockId, Kind, u32)> {
        self.moves += 1;
        self.padding_owed = false;
        self.reserved.fill(0);
        self.host_reserved = 0;
        let mut open = Vec::new();
        for (point, room) in self.points.iter_mut().zip(&mut self.room) {
            let fill = &self.fills[point.kind.mode as usize];
            let shape = layout.shape(point.kind.mode);
            let begun = point.begun(fill.mp_pages_per_program);
            let mut within = shape.next_word_line(begun);
            while within < fill.mp_pages_per_superblock && fill.run[within as usize] == 0 {
                within += fill.mp_pages_per_program;
            }
            if point.superblock != SuperblockId::NONE {
                let first = layout.first_mp_page(point.superblock);
                let end = within.min(fill.mp_pages_per_superblock);
                skipped.extend((first + begun..first + end).each());
            }
            (point.filled, point.program, point.next) = (0, NONE, None);
            let ends = within >= fill.mp_pages_per_superblock;
            if point.superblock == SuperblockId::NONE || ends || dead(point.superblock) {
                point.superblock = SuperblockId::NONE;
                *room = 0;
                continue;
            }
            let left = within..fill.mp_pages_per_superblock;
            open.push((point.superblock, point.kind, left.len() as u32));
            let data = left.filter(|&w| fill.run[w as usize] > 0).count() as u32;
            *room = data * self.pages_per_mp_page;
            point.within = within;
            let (row, die) = shape.place(within);
            point.place = RowAndDie::new(row, die);
            let mp_page = layout.first_mp_page(point.superblock) + within;
            point.first_ppn = mp_page.first_ppn(layout.page_bits);
        }
        open
    }

    /// One line for debugging a drive that makes no progress.
    pub fn diagnosis(&self) -> String {
        let points = self.points[..self.streams].iter();
        let points: Vec<String> = points
            .zip(self.room.iter().zip(&self.reserved))
            .map(|(point, (room, reserved))| {
                format!("{point:?} with room {room}, reserved {reserved} pages")
            })
            .collect();
        format!("write points {points:?}")
    }
}
