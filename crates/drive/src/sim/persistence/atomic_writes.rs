//! Atomic writes: which writes have begun to take their places, and what waits for them.
//!
//! The parts of a write are logged together, when the last has been placed. A write longer than the
//! write buffer, or than a superblock, does so in pieces of this size. Two rules follow:
//! - A write or a TRIM that overlaps a write partly placed waits for its end: else the order of the
//!   changes would not be that of the data.
//! - A piece begins only when there is space for all of it. Else it could hold back, by what it
//!   overwrites, the very superblocks whose space it waits for.
//!
//! A write that comes in one part is logged when it is placed, and needs no account here: no data
//! overtakes another. What parts that are placed and not yet logged have superseded is kept here.
//!
//! Requests that wait are few, and rarely overlap: a counting filter tells most that they do not.

use std::ops::Range;

use super::superseded::PlaceRun;
use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{CommandId, Lpn, Ppn, StreamId};
use crate::spec::Spec;

/// Logical pages that share a counter of the filter, as a power of two.
const FILTER_PAGE_BITS: u32 = 5;
/// Counters of the filter.
const FILTER: usize = 1024;
/// A write over more counters than this is not in the filter.
const LONG: u32 = 8;

/// A write that has begun to take its places.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct AtomicWrite {
    first: Lpn,
    end: Lpn,
    /// Up to here its changes are logged, and up to there its data is placed.
    logged: Lpn,
    placed: Lpn,
    /// Where the piece that is being admitted goes, for which there is room.
    stream: StreamId,
    /// Logical pages of it that are not yet admitted.
    to_admit: u32,
}

/// All of them.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct AtomicWrites {
    /// By command; `None` where it is no such write.
    of_command: Vec<Option<AtomicWrite>>,
    /// By command: what its pages that are placed and not logged have superseded.
    superseded: Vec<Vec<PlaceRun>>,
    /// Pages that are placed and not logged.
    unlogged: u32,
    /// Pages that differ from what flash has, and will not be logged any more.
    never_logged: Vec<(Lpn, PlaceRun)>,
    /// How many there are.
    under_way: u32,
    /// How many of them have pages at each counter.
    filter: Vec<u32>,
    /// How many are not in the filter.
    long: u32,
    /// The longest write that is kept or lost as a whole, in logical pages.
    piece_pages: u32,
    /// A write was not admitted, for those that have begun to take their places.
    refused: bool,
    /// One of them has more of them: what waited for that may continue.
    retry: bool,
}

/// The longest write that is kept or lost as a whole: what the write buffer holds, and what one
/// superblock does, since there must be space for it above what the drive keeps for itself. In
/// whole multi-plane pages, so that pieces end where parts do.
fn piece_pages(spec: &Spec, layout: &Layout) -> u32 {
    let mode = match spec.cache {
        Some(_) => Mode::Slc,
        None => Mode::Native,
    };
    let most = layout.shape(mode).data_mp_pages;
    most.min(spec.buffer.write_pages / spec.pages_per_mp_page) * spec.pages_per_mp_page
}

impl AtomicWrites {
    pub fn new(spec: &Spec, layout: &Layout) -> AtomicWrites {
        AtomicWrites::with_pieces(piece_pages(spec, layout))
    }

    fn with_pieces(piece_pages: u32) -> AtomicWrites {
        AtomicWrites {
            of_command: Vec::with_capacity(64),
            superseded: Vec::with_capacity(64),
            unlogged: 0,
            never_logged: Vec::new(),
            under_way: 0,
            filter: vec![0; FILTER],
            long: 0,
            piece_pages,
            refused: false,
            retry: false,
        }
    }

    /// The longest write that is kept or lost as a whole, in logical pages.
    pub fn piece_pages(&self) -> u32 {
        self.piece_pages
    }

    /// Something waits for a write that has begun.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    /// Whether what waits for a write that has begun may continue.
    #[inline(always)]
    pub fn may_retry(&self) -> bool {
        self.retry
    }

    /// The same since the last call.
    pub fn take_retry(&mut self) -> bool {
        let retry = std::mem::take(&mut self.retry);
        self.refused &= !retry;
        retry
    }

    /// Logical pages to be reserved for a write, beyond what has been, before its part at page `at`
    /// is admitted, where `left` more may be; `None` when there are too few or it waits for an
    /// earlier write, as it does if it `overlaps` one.
    #[inline]
    pub fn reservation(
        &self,
        command: CommandId,
        pages: Range<Lpn>,
        at: Lpn,
        left: u32,
        overlaps: bool,
    ) -> Option<u32> {
        if at == pages.start && overlaps {
            return None;
        }
        if at != pages.start && self.get(command)?.to_admit > 0 {
            return Some(0);
        }
        let piece = self.piece_pages.min(pages.end - at);
        (piece <= left).then_some(piece)
    }

    /// The stream that the rest of a piece must go to.
    #[inline]
    pub fn stream_of(&self, command: CommandId) -> Option<StreamId> {
        let write = self.get(command)?;
        (write.to_admit > 0).then_some(write.stream)
    }

    /// A part of a write, of so many logical pages, has been admitted to a stream; `begins` tells
    /// the whole write with its first part. With the first of a piece, it was `reserved`.
    #[inline(never)]
    pub fn admitted(
        &mut self,
        command: CommandId,
        begins: Option<Range<Lpn>>,
        (pages, reserved): (u32, u32),
        stream: StreamId,
    ) {
        let write = match begins {
            Some(whole) => self.add(command, whole.start, whole.end, stream),
            None => self.get_mut(command).expect("it has begun"),
        };
        if reserved > 0 {
            (write.stream, write.to_admit) = (stream, reserved);
        }
        write.to_admit -= pages;
    }

    /// Data has its place: what waited for that may continue.
    #[inline(always)]
    pub fn makes_room(&mut self) {
        self.retry |= self.refused;
    }

    /// The data of a write has its places up to page `end`, and has `superseded` these: the pages
    /// of the piece that has all of them now, if one does or parts are `torn`.
    pub fn placed(
        &mut self,
        command: CommandId,
        end: Lpn,
        superseded: &[PlaceRun],
        torn: bool,
    ) -> Option<Range<Lpn>> {
        let piece_pages = self.piece_pages;
        let write = self.get_mut(command).expect("the write was admitted");
        let pages = end - std::mem::replace(&mut write.placed, end);
        let piece_end = write.end.min(write.logged + piece_pages);
        let is_whole = end >= piece_end || torn;
        let first = match is_whole {
            true => std::mem::replace(&mut write.logged, end),
            false => write.logged,
        };
        self.superseded[command.index()].extend_from_slice(superseded);
        self.unlogged += pages;
        is_whole.then(|| {
            self.unlogged -= end - first;
            first..end
        })
    }

    /// What the piece of a write that has just been placed has superseded.
    pub fn take_superseded(&mut self, command: CommandId) -> std::vec::Drain<'_, PlaceRun> {
        self.superseded[command.index()].drain(..)
    }

    /// A page differs from what flash has, which is this place, and will not be logged.
    #[cold]
    pub fn never_log(&mut self, lpn: Lpn, place: Ppn) {
        let first = place;
        self.never_logged.push((lpn, PlaceRun { first, pages: 1 }));
        self.unlogged += 1;
    }

    /// A place that was superseded holds nothing that can be read: whether it was by pages that
    /// are placed and not logged.
    #[cold]
    pub fn lose_superseded(&mut self, place: Ppn) -> bool {
        let mut runs = self.superseded.iter_mut();
        if runs.any(|runs| PlaceRun::lose(runs, place)) {
            return true;
        }
        let mut never = self.never_logged.iter_mut();
        never.any(|(_, run)| {
            let is_it = run.first == place;
            if is_it {
                run.first = Ppn::LOST;
            }
            is_it
        })
    }

    /// Whether a page is placed and not logged.
    #[inline]
    pub fn is_unlogged(&self, lpn: Lpn) -> bool {
        self.unlogged > 0 && self.find_unlogged(lpn)
    }

    /// Whether any page is placed and not logged.
    #[inline(always)]
    pub fn has_unlogged(&self) -> bool {
        self.unlogged > 0
    }

    #[inline(never)]
    fn find_unlogged(&self, lpn: Lpn) -> bool {
        let mut writes = self.of_command.iter().flatten();
        let mut never = self.never_logged.iter();
        writes.any(|write| write.logged <= lpn && lpn < write.placed)
            || never.any(|&(first, run)| first <= lpn && lpn < first + run.pages)
    }

    /// The pages that are placed and not logged: of each run the first, and what it superseded.
    pub fn unlogged(&self) -> impl Iterator<Item = (Lpn, PlaceRun)> + '_ {
        let under_way = self.of_command.iter().zip(&self.superseded);
        let under_way = under_way.filter_map(|(write, runs)| Some((write.as_ref()?, runs)));
        let of_writes = under_way.flat_map(|(write, runs)| {
            let mut next = write.logged;
            runs.iter().map(move |&run| {
                let first = next;
                next += run.pages;
                (first, run)
            })
        });
        of_writes.chain(self.never_logged.iter().copied())
    }

    /// Nothing more of a write is admitted. Pieces that were admitted whole are still logged; of a
    /// piece that was not, nothing is. The stream and how many pages were reserved there for what
    /// does not come.
    #[cold]
    pub fn give_up(&mut self, command: CommandId, all_placed: bool) -> Option<(StreamId, u32)> {
        let write = self.get_mut(command)?;
        let given_up = (write.stream, std::mem::take(&mut write.to_admit));
        if all_placed {
            self.remove(command);
        }
        Some(given_up)
    }

    /// Whether a write comes in parts, of which some may have their places.
    #[inline(always)]
    pub fn has(&self, command: CommandId) -> bool {
        self.get(command).is_some()
    }

    #[inline]
    fn get(&self, command: CommandId) -> Option<&AtomicWrite> {
        self.of_command.get(command.index())?.as_ref()
    }

    #[inline]
    fn get_mut(&mut self, command: CommandId) -> Option<&mut AtomicWrite> {
        self.of_command.get_mut(command.index())?.as_mut()
    }

    /// The write of logical pages `first..end`, which has just begun.
    #[inline]
    fn add(
        &mut self,
        command: CommandId,
        first: Lpn,
        end: Lpn,
        stream: StreamId,
    ) -> &mut AtomicWrite {
        let index = command.index();
        if index >= self.of_command.len() {
            self.of_command.resize(index + 1, None);
            self.superseded.resize(index + 1, Vec::new());
        }
        self.count(first, end, 1);
        self.under_way += 1;
        self.of_command[index].insert(AtomicWrite {
            first,
            end,
            logged: first,
            placed: first,
            stream,
            to_admit: 0,
        })
    }

    /// The write of a command has ended, if there is one.
    #[inline]
    pub fn remove(&mut self, command: CommandId) {
        let Some(write) = self.of_command[command.index()].take() else {
            return;
        };
        self.count(write.first, write.end, u32::MAX);
        self.under_way -= 1;
        // What was given up in the middle of a piece.
        let mut first = write.logged;
        for run in self.superseded[command.index()].drain(..) {
            for nth in 0..run.pages {
                let place = run.nth(nth);
                let page = PlaceRun {
                    first: place,
                    pages: 1,
                };
                self.never_logged.push((first + nth, page));
            }
            first += run.pages;
        }
    }

    /// No write is under way any more.
    pub fn power_cut(&mut self) {
        self.of_command.fill(None);
        self.superseded.iter_mut().for_each(Vec::clear);
        self.unlogged = 0;
        self.never_logged.clear();
        self.under_way = 0;
        self.filter.fill(0);
        self.long = 0;
        self.refused = false;
        self.retry = false;
    }

    /// Whether one of them has pages of `first..end`.
    #[inline]
    pub fn overlap(&self, first: Lpn, end: Lpn) -> bool {
        if self.under_way == 0 {
            return false;
        }
        let counters = counters(first, end);
        let may = self.long > 0
            || counters.len() as u32 > LONG
            || counters
                .into_iter()
                .any(|nth| self.filter[nth as usize % FILTER] > 0);
        may && self.overlap_exactly(first, end)
    }

    #[inline(never)]
    fn overlap_exactly(&self, first: Lpn, end: Lpn) -> bool {
        let mut writes = self.of_command.iter().flatten();
        writes.any(|write| write.first < end && first < write.end)
    }

    /// Adds to the counters of the pages, modulo 2^32.
    #[inline]
    fn count(&mut self, first: Lpn, end: Lpn, more: u32) {
        let counters = counters(first, end);
        if counters.len() as u32 > LONG {
            self.long = self.long.wrapping_add(more);
            return;
        }
        for nth in counters {
            let count = &mut self.filter[nth as usize % FILTER];
            *count = count.wrapping_add(more);
        }
    }
}

/// The counters that pages `first..end`, at least one, have in an endless filter.
#[inline]
fn counters(first: Lpn, end: Lpn) -> Range<u32> {
    first.0 >> FILTER_PAGE_BITS..((end.0 - 1) >> FILTER_PAGE_BITS) + 1
}

#[cfg(test)]
mod tests {
    use stend_base::Rng;

    use super::*;

    /// Against a plain list.
    #[test]
    fn overlaps_are_found() {
        let mut rng = Rng::stream(1, "part writes");
        let mut writes = AtomicWrites::with_pieces(64);
        let mut plain: Vec<(u32, Lpn, Lpn)> = Vec::new();
        let mut found = 0;
        for _ in 0..20_000 {
            let (command, first) = (rng.below(12) as u32, Lpn(rng.below(20_000) as u32));
            let longest = [8, 64, 600][rng.below(3) as usize];
            let end = first + 1 + rng.below(longest) as u32;
            let overlaps = plain.iter().any(|&(_, f, e)| f < end && first < e);
            assert_eq!(writes.overlap(first, end), overlaps);
            found += u32::from(overlaps);
            let known = plain.iter().position(|write| write.0 == command);
            assert_eq!(
                writes.get(CommandId(command)).map(|w| (w.first, w.end)),
                known.map(|nth| (plain[nth].1, plain[nth].2))
            );
            match known {
                Some(nth) => {
                    plain.remove(nth);
                    writes.remove(CommandId(command));
                }
                None => {
                    plain.push((command, first, end));
                    writes.add(CommandId(command), first, end, StreamId::HOST);
                }
            }
        }
        assert!(found > 100, "only {found} overlapped");
    }
}
