//! Write points: the superblock that each stream fills, how far it has come, and the pages reserved
//! there for data on its way.

use serde::{Deserialize, Serialize};

use stend_model::spec::Spec;

use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::{Mode, Shape};
use crate::sim::geometry::{Kind, NONE};
use crate::sim::ids::{DieId, IdRange, MpPage, Ppn, Row, STREAMS_MAX, StreamId, SuperblockId};

/// An open superblock and where it is filled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct WritePoint {
    superblock: SuperblockId,
    kind: Kind,
    /// What it opens next, while more is reserved than it has room for: data on its way goes
    /// where room was found for it.
    next: Option<Kind>,
    /// Number of the first multi-plane page being filled, within the superblock.
    within: u32,
    /// Its row and die.
    place: RowAndDie,
    /// Multi-plane pages and pages of one program there.
    mp_pages_per_program: u32,
    pages_per_program: u32,
    /// Its first page.
    first_ppn: Ppn,
    /// The page up to which, from there on, there is no parity.
    run_end: Ppn,
    /// Pages filled so far of those that are programmed together.
    filled: u32,
    /// The program that they belong to.
    program: u32,
    /// Changes of the journal from this number on may name the pages being filled.
    journal_from: u64,
}

/// A row and a die, in one word: they are loaded together soon after one of them was stored, which
/// takes long where the store was narrower (store-to-load forwarding).
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

    /// Moves on to the next of so many dies; behind the last to the first, so many rows on.
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

    /// The multi-plane pages of its next program, or of the one being filled.
    #[inline(always)]
    fn span(&self, layout: &Layout) -> Span {
        Span {
            superblock: self.superblock,
            kind: self.kind,
            mp_page: self.first_ppn.mp_page(layout.page_bits),
            row: self.place.row(),
            die: self.place.die(),
            mp_pages: self.mp_pages_per_program,
        }
    }

    /// Multi-plane pages of its superblock that have been begun, where a program fills so many.
    fn begun(&self, mp_pages_per_program: u32) -> u32 {
        self.within + mp_pages_per_program * u32::from(self.filled > 0)
    }
}

/// How superblocks of one mode are filled.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fill {
    /// Multi-plane pages and pages of one program.
    mp_pages_per_program: u32,
    pages_per_program: u32,
    mp_pages_per_superblock: u32,
    /// Pages of a superblock, without parity.
    pages_per_superblock: u32,
    /// Pages from the nth multi-plane page of a superblock up to the next that holds parity, or to
    /// the end: 0 if the nth does.
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

/// The next places of a stream, one after another in one superblock.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub to: Ppn,
    pub count: u32,
    pub superblock: SuperblockId,
    /// The program that they belong to.
    pub program: u32,
    /// They are the last of it.
    pub full: bool,
}

/// The multi-plane pages of one program of a stream.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub superblock: SuperblockId,
    pub kind: Kind,
    /// The first of them, its row and die.
    pub mp_page: MpPage,
    pub row: Row,
    pub die: DieId,
    pub mp_pages: u32,
}

/// The write points of all streams.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::sim) struct WritePoints {
    points: [WritePoint; STREAMS_MAX],
    /// By stream: pages left in its superblock, without parity, and pages reserved for data on
    /// its way. Those of all streams are looked at together.
    room: [u32; STREAMS_MAX],
    reserved: [u32; STREAMS_MAX],
    /// Of these, what is reserved for the host's streams.
    host_reserved: u32,
    /// Numbers of streams in use are below this.
    streams: usize,
    pages_per_mp_page: u32,
    /// By mode: what a program fills, and a superblock holds.
    fills: [Fill; 2],
    /// Pages of the smallest superblock that each stream may open next.
    least_pages: [u32; STREAMS_MAX],
    /// How often a stream has come further.
    moves: u64,
    /// Padding was requested that would have taken reserved room.
    padding_owed: bool,
    /// The number of the next change of the journal, as the caller told it last.
    journal_tail: u64,
}

impl WritePoints {
    /// No superblock is open, nothing is reserved.
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

    /// Pages that were reserved have come, or will not.
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

    /// Whether a stream has room for `pages` more in its superblock.
    #[inline(always)]
    pub fn has_room(&self, id: StreamId, pages: u32) -> bool {
        self.reserved[id.number()] + pages <= self.room[id.number()]
    }

    /// Whether no stream has to open anything, with `pages` more for one of them.
    #[inline(always)]
    pub fn all_have_room(&self, id: StreamId, pages: u32) -> bool {
        // Mostly there is no more than one of each.
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

    /// Superblocks a stream has yet to open for what is reserved and `more` pages.
    #[inline]
    pub fn superblocks_needed(&self, id: StreamId, more: u32) -> u32 {
        let pages = self.reserved[id.number()] + more;
        let room = self.room[id.number()];
        if pages <= room {
            return 0;
        }
        (pages - room).div_ceil(self.least_pages[id.number()])
    }

    /// Of which kind the superblock of a stream is, if that has room for `pages` more.
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

    /// Settles what a stream opens next.
    #[inline(always)]
    pub(super) fn settle_next(&mut self, id: StreamId, kind: Kind) {
        self.of_mut(id).next = Some(kind);
    }

    /// What a stream opens next, where that is settled by what is reserved.
    #[inline]
    pub fn reserved_kind(&self, id: StreamId) -> Option<Kind> {
        self.of(id).next.filter(|_| !self.has_room(id, 0))
    }

    /// Whether a program is being filled whose data has not all come.
    pub fn has_open_program(&self) -> bool {
        self.points.iter().any(|point| point.filled > 0)
    }

    /// Padding waits for reserved data, or no longer.
    pub(super) fn set_owes_padding(&mut self, owes: bool) {
        self.padding_owed = owes;
    }

    /// Whether padding waits for reserved data.
    pub fn owes_padding(&self) -> bool {
        self.padding_owed
    }

    /// What fills up the program in which `pages` more than were reserved end: exactly where all
    /// its programs are of one mode, else the most it may be.
    pub fn padding_after(&self, id: StreamId, pages: u32, mode: Option<Mode>) -> u32 {
        if let Some(mode) = mode {
            let end = self.of(id).filled + self.reserved[id.number()] + pages;
            return end.next_multiple_of(self.fills[mode as usize].pages_per_program) - end;
        }
        let [slc, native] = &self.fills;
        slc.pages_per_program.max(native.pages_per_program) - 1
    }

    /// Counts how often a stream has come further.
    #[inline(always)]
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Tells the number of the next change of the journal.
    #[inline]
    pub fn set_journal_tail(&mut self, tail: u64) {
        self.journal_tail = tail;
    }

    /// Whether a stream has an open superblock.
    #[inline(always)]
    pub(super) fn has_superblock(&self, id: StreamId) -> bool {
        self.of(id).superblock != SuperblockId::NONE
    }

    /// A stream opens a superblock.
    pub(super) fn open(
        &mut self,
        layout: &Layout,
        id: StreamId,
        (superblock, kind): (SuperblockId, Kind),
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

    /// Two streams change their superblocks; what each opens next stays its own.
    pub(super) fn swap(&mut self, one: StreamId, other: StreamId) {
        let (one, other) = (one.number(), other.number());
        let next = (self.points[one].next, self.points[other].next);
        self.points.swap(one, other);
        (self.points[one].next, self.points[other].next) = next;
        self.room.swap(one, other);
        self.moves += 1;
    }

    /// Whether a stream is at rest: nothing is reserved for it, and it fills no program.
    pub(super) fn rests(&self, id: StreamId) -> bool {
        self.reserved[id.number()] == 0 && !self.is_filling(id)
    }

    /// Of which kind the superblock of a stream is.
    pub(super) fn kind(&self, id: StreamId) -> Option<Kind> {
        let point = self.of(id);
        (point.superblock != SuperblockId::NONE).then_some(point.kind)
    }

    /// Whether a stream fills a program of which data has come.
    #[inline(always)]
    pub(super) fn is_filling(&self, id: StreamId) -> bool {
        self.of(id).filled > 0
    }

    /// The program that a stream fills, of which data has come.
    pub(super) fn filling(&self, id: StreamId) -> Option<u32> {
        self.is_filling(id).then(|| self.of(id).program)
    }

    /// The next program of a stream begins to be filled. Where data `coalesces`, which changes
    /// of the journal may name its pages is noted.
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

    /// The number of the program that has begun.
    #[inline(always)]
    pub(super) fn set_program(&mut self, id: StreamId, program: u32) {
        self.of_mut(id).program = program;
    }

    /// Takes the next places of a stream, at most so many, within one multi-plane page.
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

    /// The next places of a stream, at most so many, up to the next parity or the end of the
    /// superblock: the first, how many, and the superblock.
    #[inline(always)]
    pub(super) fn next_run(&self, id: StreamId, most: u32) -> (Ppn, u32, SuperblockId) {
        let point = self.of(id);
        let to = point.first_ppn + point.filled;
        (to, most.min(point.run_end - to), point.superblock)
    }

    /// Fills up to so many of the next places of a stream, of one program. How many, and whether
    /// it is full.
    #[inline(always)]
    pub(super) fn fill(&mut self, id: StreamId, most: u32) -> (u32, bool) {
        let point = self.of_mut(id);
        let count = most.min(point.pages_per_program - point.filled);
        point.filled += count;
        let full = point.filled == point.pages_per_program;
        self.room[id.number()] -= count;
        (count, full)
    }

    /// Whether a place lies in the program that a stream fills, and has been filled.
    #[inline(always)]
    pub(super) fn has_filled(&self, id: StreamId, place: Ppn) -> bool {
        let point = self.of(id);
        (point.first_ppn..point.first_ppn + point.filled).contains(&place)
    }

    /// Data takes the place of other data in the program that a stream fills: the program, and the
    /// number of the first change of the journal that may name the place. Those before the next
    /// become durable together with it.
    pub(super) fn coalesce(&mut self, id: StreamId) -> (u32, u64) {
        let tail = self.journal_tail;
        let point = self.of_mut(id);
        (
            point.program,
            std::mem::replace(&mut point.journal_from, tail),
        )
    }

    /// No more data for the program that a stream fills, which moves on: where it lies, and its
    /// number.
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

    /// The program of parity that is next in a stream's superblock, if one is; the stream moves
    /// on behind it.
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

    /// Moves a stream on to the next program; behind the last it has no superblock.
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

    /// Pages that the program which a stream fills has left; `None` where it fills none.
    pub(super) fn padding(&self, id: StreamId) -> Option<u32> {
        let point = self.of(id);
        (point.filled > 0).then(|| point.pages_per_program - point.filled)
    }

    /// Pages that the next program of a stream, or the one being filled, has left, if it lies in
    /// a superblock and begins with this multi-plane page of it or before.
    pub(super) fn padding_upto(
        &self,
        id: StreamId,
        (superblock, last): (SuperblockId, u32),
    ) -> Option<u32> {
        let point = self.of(id);
        let lies_before = point.superblock == superblock && point.within <= last;
        lies_before.then(|| point.pages_per_program - point.filled)
    }

    /// The multi-plane pages that open superblocks continue with, all those of one program.
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

    /// Multi-plane pages that the stream which fills a superblock has begun there; all, where there
    /// is no such stream.
    #[inline]
    pub fn begun_so_far(&self, superblock: SuperblockId) -> u32 {
        let mut points = self.points[..self.streams].iter();
        let open = points.find(|p| p.superblock == superblock);
        open.map_or(u32::MAX, |p| p.begun(p.mp_pages_per_program))
    }

    /// Whether a multi-plane page belongs to an open superblock that has not come so far.
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

    /// Nothing is on its way any more. An open superblock that is not `dead` is filled on behind
    /// what has been begun, from a new word line; which these are, of which kind, and how many of
    /// their multi-plane pages are left. What is passed over is added to `skipped`.
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

    /// One line for whoever looks into a drive that is stuck.
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
