//! An L2P that lies on flash, of which DRAM holds a part.
//!
//! The table is divided into segments, one map page each. A read, a relocation or a fold that needs
//! a segment that is not cached waits until the map page has been read. Host writes enter the
//! buffer without waiting, and are programmed when the segments of their multi-plane page have been
//! read; a host that writes faster than that waits for room in the buffer. An evicted segment that
//! has changed is written back: changed segments are batched until they fill a multi-plane page,
//! which is then programmed. Map pages have blocks of their own, on all dies in turn, in SLC mode
//! if the model says so; programs of one block's size cost an erase.
//!
//! Source: Gupta et al., "DFTL", ASPLOS 2009. Simplified: there is no GC of the map's blocks, and
//! its directory is always cached.
//!
//! After a power cut ([`stend_model::Spec::power_loss`]) no segment is cached; the start reads the
//! directory, which holds the place of each segment, instead of the table. Which segments are
//! durable follows from journal and checkpoints, as without a map on flash: segments written back
//! to make room count only for time and wear.

use std::ops::Range;

use crate::nand::Work;
use stend_model::nand::Class;
use stend_model::spec::{L2pCacheSpec, PAGE_BYTES, Spec};

use super::Ftl;
use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::controller::{Controller, CoreWork};
use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::geometry::divider::Divider;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, IdRange, Lpn, MpPage};
use crate::sim::l2p::table::L2p;
use crate::sim::media::Media;
use crate::sim::media::op::NandOp;
use crate::sim::slab::Slab;

/// Bytes of the directory for the place of one segment.
const DIRECTORY_BYTES: u64 = 4;

/// A job that waits for map pages.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Waiting {
    work: CoreWork,
    left: u32,
}

/// Cached segments, direct-mapped, and flags of those that have changed.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct L2pCache {
    spec: L2pCacheSpec,
    pages_per_segment: u32,
    by_segment: Divider,
    by_place: Divider,
    by_die: Divider,
    cached: Vec<u32>,
    changed: Vec<bool>,
    waiting: Slab<Waiting>,
    /// Changed segments batched for the next program.
    batched: u32,
    next_die: DieId,
    /// Programs until the next erase.
    until_erase: u32,
    pub counted: Counters,
}

impl L2pCache {
    pub fn new(spec: &Spec) -> Option<Box<L2pCache>> {
        let map = spec.l2p_cache.clone()?;
        let places = spec.controller.l2p_segments as usize;
        Some(Box::new(L2pCache {
            pages_per_segment: spec.controller.l2p_segment_pages,
            by_segment: Divider::new(spec.controller.l2p_segment_pages),
            by_place: Divider::new(places as u32),
            by_die: Divider::new(spec.dies),
            cached: vec![u32::MAX; places],
            changed: vec![false; places],
            waiting: Slab::with_capacity(64),
            batched: 0,
            next_die: DieId(0),
            until_erase: map.programs_per_erase,
            spec: map,
            counted: Counters::default(),
        }))
    }

    /// Drops all cached segments and waiting jobs. The changes that matter are in the journal.
    pub fn power_cut(&mut self) {
        self.cached.fill(u32::MAX);
        self.changed.fill(false);
        self.waiting.clear();
        self.batched = 0;
    }

    /// Notes that a job uses the segment of a page, if it is cached. Returns true if it is.
    #[inline]
    fn find_cached(&mut self, lpn: Lpn, change: bool) -> bool {
        let (segment, _) = self.by_segment.divide(lpn.0);
        let place = self.by_place.divide(segment).1 as usize;
        let cached = self.cached[place] == segment;
        self.changed[place] |= change && cached;
        cached
    }

    /// Loads the segment of a page into the cache. Returns true first if it was missing, and second
    /// if a changed segment was evicted for it.
    fn load(&mut self, lpn: Lpn, change: bool) -> (bool, bool) {
        let (segment, _) = self.by_segment.divide(lpn.0);
        let place = self.by_place.divide(segment).1 as usize;
        let missed = self.cached[place] != segment;
        let evicted = missed && self.changed[place];
        self.cached[place] = segment;
        self.changed[place] = change || self.changed[place] && !missed;
        (missed, evicted)
    }
}

/// The first of `pages` in each segment of `step` pages.
#[inline]
fn one_of_each_segment(pages: Range<Lpn>, step: u32) -> impl Iterator<Item = Lpn> {
    let next = move |lpn: &Lpn| match pages.end - *lpn {
        // Most pages are alone: they need no division.
        1 => None,
        _ => Some(Lpn((lpn.0 / step + 1) * step)).filter(|next| *next < pages.end),
    };
    let first = (pages.start < pages.end).then_some(pages.start);
    std::iter::successors(first, next)
}

/// Pages that hold the directory of a table of `pages` entries.
pub(in crate::sim) fn directory_pages(spec: &Spec, pages: u32) -> u32 {
    let segments = pages.div_ceil(spec.controller.l2p_segment_pages);
    let page = u64::from(spec.pages_per_mp_page) * PAGE_BYTES;
    (u64::from(segments) * DIRECTORY_BYTES).div_ceil(page) as u32
}

impl Ftl {
    /// Submits to a core a job of some duration that uses the segments of logical pages.
    #[inline(always)]
    pub fn submit_mapped(
        &mut self,
        env: &mut Env,
        controller: &mut Controller,
        work: CoreWork,
        pages: Range<Lpn>,
        change: bool,
    ) {
        match &mut self.l2p_cache {
            None => controller.submit(&mut env.queue, work),
            Some(cache) => {
                cache.submit(env, &mut self.media, controller, work, pages, change);
            }
        }
    }

    /// Submits a job that moves the pages of multi-plane pages, like [`Ftl::submit_mapped`].
    #[inline(always)]
    pub fn submit_moves(
        &mut self,
        env: &mut Env,
        controller: &mut Controller,
        work: CoreWork,
        mp_pages: &[MpPage],
    ) {
        match &mut self.l2p_cache {
            None => controller.submit(&mut env.queue, work),
            Some(cache) => {
                let Ftl { media, l2p, .. } = self;
                cache.submit_moves(env, media, controller, work, mp_pages, l2p);
            }
        }
    }
}

impl L2pCache {
    #[inline(never)]
    fn submit(
        &mut self,
        env: &mut Env,
        media: &mut Media,
        controller: &mut Controller,
        work: CoreWork,
        pages: Range<Lpn>,
        change: bool,
    ) {
        if pages.count() == 1 && self.find_cached(pages.start, change) {
            controller.submit(&mut env.queue, work);
            return;
        }
        let waiting = self.wait(work);
        for lpn in one_of_each_segment(pages, self.pages_per_segment) {
            self.want_segment(env, media, waiting, lpn, change, Class::HostRead);
        }
        self.segment_read(env, controller, waiting);
    }

    /// Marks the segments of written pages as changed; the program of these pages, which is being
    /// filled, waits until missing segments have been read.
    #[inline(never)]
    pub(super) fn look_up_for(
        &mut self,
        env: &mut Env,
        media: &mut Media,
        buffer: &mut WriteBuffer,
        program: u32,
        pages: Range<Lpn>,
    ) {
        for lpn in one_of_each_segment(pages, self.pages_per_segment) {
            let (missed, evicted) = self.load(lpn, true);
            if missed {
                buffer.wait_for_read(program);
                self.read_segment(env, media, lpn, Class::HostRead, NandOp::Merge { program });
            }
            if evicted {
                self.write_back(env, media);
            }
        }
    }

    #[inline(never)]
    fn submit_moves(
        &mut self,
        env: &mut Env,
        media: &mut Media,
        controller: &mut Controller,
        work: CoreWork,
        mp_pages: &[MpPage],
        l2p: &L2p,
    ) {
        if mp_pages
            .iter()
            .flat_map(|&mp_page| l2p.valid_lpns(mp_page))
            .all(|lpn| self.find_cached(lpn, true))
        {
            controller.submit(&mut env.queue, work);
            return;
        }
        let waiting = self.wait(work);
        for lpn in mp_pages.iter().flat_map(|&mp_page| l2p.valid_lpns(mp_page)) {
            self.want_segment(env, media, waiting, lpn, true, Class::Background);
        }
        self.segment_read(env, controller, waiting);
    }

    fn wait(&mut self, work: CoreWork) -> u32 {
        // One more than there are pages, until all are requested.
        self.waiting.insert(Waiting { work, left: 1 })
    }

    fn want_segment(
        &mut self,
        env: &mut Env,
        media: &mut Media,
        waiting: u32,
        lpn: Lpn,
        change: bool,
        class: Class,
    ) {
        let (missed, evicted) = self.load(lpn, change);
        if !missed {
            return;
        }
        self.waiting[waiting].left += 1;
        self.read_segment(env, media, lpn, class, NandOp::L2pRead { waiting });
        if evicted {
            self.write_back(env, media);
        }
    }

    /// Reads the page of the table that holds the entry of a logical page.
    fn read_segment(
        &mut self,
        env: &mut Env,
        media: &mut Media,
        lpn: Lpn,
        class: Class,
        op: NandOp,
    ) {
        let (segment, _) = self.by_segment.divide(lpn.0);
        let die = DieId(self.by_die.divide(segment).1);
        let work = Work::Read {
            sense: self.spec.read,
            bytes: PAGE_BYTES as u32,
        };
        self.counted.l2p_misses += 1;
        media.counted.reads_of(Mode::Slc, 1);
        media.submit(env, die, class, work, op);
    }

    /// Batches a changed segment; programs a full multi-plane page of them.
    fn write_back(&mut self, env: &mut Env, media: &mut Media) {
        let pages_per_mp_page = env.spec.pages_per_mp_page;
        self.batched += 1;
        if self.batched < pages_per_mp_page {
            return;
        }
        self.batched = 0;
        let die = self.next_die;
        self.next_die = match die.0 + 1 == env.spec.dies {
            true => DieId(0),
            false => die + 1,
        };
        self.counted.l2p_programs += 1;
        media.counted.programs_of(Mode::Slc);
        let work = Work::Program {
            program: self.spec.program,
            bytes: pages_per_mp_page * PAGE_BYTES as u32,
        };
        media.submit(env, die, Class::Background, work, NandOp::L2pWritten);
        self.until_erase -= 1;
        if self.until_erase == 0 {
            self.until_erase = self.spec.programs_per_erase;
            self.counted.l2p_erases += 1;
            media.counted.erases_of(Mode::Slc);
            let erase = self.spec.erase;
            media.submit(
                env,
                die,
                Class::Background,
                Work::Erase { erase },
                NandOp::L2pWritten,
            );
        }
    }

    /// Counts one page of the table less to wait for: it has been read, or requested. After the
    /// last, the job goes to its core.
    pub fn segment_read(&mut self, env: &mut Env, controller: &mut Controller, waiting: u32) {
        let entry = &mut self.waiting[waiting];
        entry.left -= 1;
        if entry.left > 0 {
            return;
        }
        let work = entry.work;
        self.waiting.remove(waiting);
        controller.submit(&mut env.queue, work);
    }
}
