//! Write points: the superblock that each stream fills, how far it has come, and the pages reserved
//! there for data on its way.

use serde::{Deserialize, Serialize};

use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::{Mode, Shape};
use crate::sim::geometry::{Kind, NONE};
use crate::sim::ids::{DieId, IdRange, MpPage, Ppn, Row, STREAMS_MAX, StreamId, SuperblockId};
use crate::spec::Spec;

/// An open superblock and where it is filled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct WritePoint {
    pub superblock: SuperblockId,
    pub kind: Kind,
    /// What it opens next, while more is reserved than it has room for: data on its way goes
    /// where room was found for it.
    pub next: Option<Kind>,
    /// Number of the first multi-plane page being filled, within the superblock.
    pub within: u32,
    /// Its row and die.
    pub row: Row,
    pub die: DieId,
    /// Multi-plane pages and pages of one program there.
    pub mp_pages_per_program: u32,
    pub pages_per_program: u32,
    /// Its first page.
    pub first_ppn: Ppn,
    /// The page up to which, from there on, there is no parity.
    pub run_end: Ppn,
    /// Pages filled so far of those that are programmed together.
    pub filled: u32,
    /// The program that they belong to.
    pub program: u32,
    /// Changes of the journal from this number on may name the pages being filled.
    pub journal_from: u64,
}

impl WritePoint {
    fn new(pages_per_mp_page: u32) -> WritePoint {
        WritePoint {
            superblock: SuperblockId::NONE,
            kind: Kind::NATIVE,
            next: None,
            within: 0,
            row: Row(0),
            die: DieId(0),
            mp_pages_per_program: 1,
            pages_per_program: pages_per_mp_page,
            first_ppn: Ppn(0),
            run_end: Ppn(0),
            filled: 0,
            program: NONE,
            journal_from: 0,
        }
    }

    /// Multi-plane pages of its superblock that have been begun, where a program fills so many.
    fn begun(&self, mp_pages_per_program: u32) -> u32 {
        self.within + mp_pages_per_program * u32::from(self.filled > 0)
    }
}

/// How superblocks of one mode are filled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fill {
    /// Multi-plane pages and pages of one program.
    pub mp_pages_per_program: u32,
    pub pages_per_program: u32,
    pub mp_pages_per_superblock: u32,
    /// Pages of a superblock, without parity.
    pub pages_per_superblock: u32,
    /// Pages from the nth multi-plane page of a superblock up to the next that holds parity, or to
    /// the end: 0 if the nth does.
    pub run: Vec<u32>,
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

/// The write points of all streams.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::sim) struct WritePoints {
    pub(super) points: [WritePoint; STREAMS_MAX],
    /// By stream: pages left in its superblock, without parity, and pages reserved for data on
    /// its way. Those of all streams are looked at together.
    pub(super) room: [u32; STREAMS_MAX],
    pub(super) reserved: [u32; STREAMS_MAX],
    /// Of these, what is reserved for the host's streams.
    host_reserved: u32,
    /// Numbers of streams in use are below this.
    pub(super) streams: usize,
    pub(super) pages_per_mp_page: u32,
    /// By mode: what a program fills, and a superblock holds.
    pub(super) fills: [Fill; 2],
    /// Pages of the smallest superblock that each stream may open next.
    least_pages: [u32; STREAMS_MAX],
    /// How often a stream has come further.
    pub(super) moves: u64,
    /// Padding was requested that would have taken reserved room.
    pub(super) padding_owed: bool,
    /// The number of the next change of the journal, as the caller told it last.
    pub(super) journal_tail: u64,
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

    /// The write point of a stream.
    #[inline(always)]
    pub(super) fn of(&self, id: StreamId) -> &WritePoint {
        &self.points[id.number()]
    }

    /// The write point of a stream, to be changed.
    #[inline(always)]
    pub(super) fn of_mut(&mut self, id: StreamId) -> &mut WritePoint {
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

    /// What a stream opens next, where that is settled by what is reserved.
    #[inline]
    pub fn reserved_kind(&self, id: StreamId) -> Option<Kind> {
        self.of(id).next.filter(|_| !self.has_room(id, 0))
    }

    /// Whether a program is being filled whose data has not all come.
    pub fn has_open_program(&self) -> bool {
        self.points.iter().any(|point| point.filled > 0)
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
        let mp_pages_per_program = self.fills.iter().map(|fill| fill.pages_per_program);
        mp_pages_per_program.max().unwrap_or_default() - 1
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
            (point.row, point.die) = shape.place(within);
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
