//! Emptying the SLC cache by on-chip copy: the same word line of three cache superblocks becomes
//! one word line of a superblock of the data area, inside each die, without the channel and without
//! the data passing the controller.
//!
//! Whole pages are copied, even if some of their content is stale; a word line of a die is skipped
//! if nothing on it is occupied, and so is the parity of a stripe in which nothing is. Cache
//! superblocks are emptied in the order in which they were closed.
//!
//! Folding runs on a few dies beside the host's writes once the cache holds more than its
//! watermark. It runs on the largest number of dies when the host is about to find no room, and in
//! the working slices of idle time. That number is all dies, unless the firmware limits it:
//! programming a die in the native mode draws its peak current, and the current that the drive may
//! draw does not grow with its number of dies.

use crate::nand::Work;
use stend_base::Nanos;
use stend_model::nand::Class;
use stend_model::spec::{Emptying, FoldLimit};

use crate::sim::controller::{CoreWork, Job};
use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::ftl::fold_state::SOURCES_MAX;
use crate::sim::geometry::layout::Pool;
use crate::sim::geometry::shape::Mode;
use crate::sim::idle::Idle;
use crate::sim::ids::{DieId, IdRange, MpPage, Row, SuperblockId};
use crate::sim::kind;
use crate::sim::l2p::table::prefetch_occupied;
use crate::sim::media::op::NandOp;
use crate::sim::store::Store;

/// Result of an attempt to continue folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sim) enum Folding {
    /// A fold has begun.
    Begun,
    /// Nothing more can be folded now.
    Waits,
    /// GC must make room in the data area first.
    NeedsGc,
}

/// Folding.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Folder {
    /// Dies copying, or waiting for the controller to map what they copied.
    in_flight: u32,
    /// True while background folding pauses; folding on more dies does not pause.
    paused: bool,
    pub counted: Counters,
}

/// Choice of superblocks, and start of folds.
impl Folder {
    /// True if there is a cache that is folded and the drive is not read-only.
    #[inline(always)]
    pub fn may_run(env: &Env, store: &Store) -> bool {
        env.limits.emptying == Some(Emptying::OnChip) && !store.ftl.space.is_read_only()
    }

    /// True if folding runs on fewer dies than the maximum.
    #[inline(always)]
    pub fn has_idle_dies(&self, env: &Env) -> bool {
        self.in_flight < env.limits.fold_dies_max
    }

    /// Begins as many word lines as may run now.
    pub fn run(&mut self, env: &mut Env, store: &mut Store, idle: &Idle) -> Folding {
        while self.in_flight < self.width(env, store, idle) {
            if !store.ftl.fold.is_under_way() {
                match self.begin(env, store) {
                    Folding::Begun => {}
                    other => return other,
                }
            }
            if store.ftl.space.free(Pool::Data) <= data_floor(env, store) {
                return Folding::NeedsGc;
            }
            if !self.copy_next(env, store) {
                break;
            }
        }
        Folding::Waits
    }

    /// Dies that may fold at once.
    fn width(&self, env: &Env, store: &Store, idle: &Idle) -> u32 {
        let (cache, ftl) = (env.spec.cache(), &store.ftl);
        let most = env.limits.fold_dies_max;
        if idle.working() {
            let folds =
                idle.in_slice() && (ftl.fold.is_under_way() || Folder::idle_wants(env, store));
            return if folds { most } else { 0 };
        }
        if ftl.cache_is_short(env) || ftl.data_area_needs_dynamic(env) {
            return most;
        }
        let above = ftl.cache_taken(env) > cache.fold_start_mp_pages;
        if above && !self.paused && idle.beside_writes(env) {
            cache.fold_dies_background.min(most)
        } else {
            0
        }
    }

    /// True if another fold may begin in idle time.
    pub fn idle_wants(env: &Env, store: &Store) -> bool {
        match env.spec.cache().fold_limit {
            FoldLimit::Dies {
                idle_free_mp_pages: Some(mp_pages),
                ..
            } => store.ftl.cache_free_for_host(env) < mp_pages as i64,
            _ => true,
        }
    }

    /// Chooses and begins the next fold.
    fn begin(&mut self, env: &mut Env, store: &mut Store) -> Folding {
        erase_dead_cache(env, store);
        let count = sources(env);
        if store.ftl.superblocks.closed_cache().len() < count {
            return Folding::Waits;
        }
        // After a power cut has cost pages, GC may need the superblock that would only wait here to
        // be filled.
        let cannot_go_on = store.ftl.space.free(Pool::Data) <= data_floor(env, store);
        if store.persistence.is_some() && cannot_go_on {
            return Folding::NeedsGc;
        }
        if !store.ftl.has_superblock(env, Pool::Data) {
            store.request_release();
            return Folding::NeedsGc;
        }
        let keeps_behind = store.parity().is_some();
        let superblocks = &mut store.ftl.superblocks;
        let target = superblocks.open(Pool::Data, Mode::Native);
        let target = target.expect("there is an erased superblock");
        store.ftl.media.opened(env, target);
        let mut from = [SuperblockId(0); SOURCES_MAX];
        for source in &mut from[..count] {
            *source = superblocks.take_closed_cache(0);
        }
        let fold = &mut store.ftl.fold;
        fold.begin(&from[..count], target, &env.layout, keeps_behind);
        Folding::Begun
    }

    /// Stops all folding.
    pub fn power_cut(&mut self) {
        *self = Folder {
            counted: self.counted,
            ..Folder::default()
        };
    }
}

/// Superblocks that are folded together.
fn sources(env: &Env) -> usize {
    env.spec.data.timing.pages_per_word_line() as usize
}

/// Free multi-plane pages of the data area that folding must leave to GC. After a power cut has
/// cost some, GC may in turn find no room in the cache: then folding, which makes room, has
/// priority while there is a superblock to fold into.
fn data_floor(env: &Env, store: &Store) -> i64 {
    let ftl = &store.ftl;
    let enters_cache = env.spec.cache().takes_gc;
    let cache = ftl.space.free(Pool::SlcCache);
    if store.persistence.is_some() && enters_cache && cache <= env.limits.gc_cache_floor {
        let has_target = ftl.fold.is_under_way() || ftl.has_superblock(env, Pool::Data);
        return if has_target { i64::MIN } else { 0 };
    }
    env.limits.fold_data_floor
}

/// Erases closed superblocks of the cache in which nothing is left to fold.
fn erase_dead_cache(env: &mut Env, store: &mut Store) {
    let mut nth = 0;
    while let Some(&superblock) = store.ftl.superblocks.closed_cache().get(nth) {
        if store.ftl.l2p.occupied_in(superblock) > 0 {
            nth += 1;
            continue;
        }
        store.ftl.superblocks.take_closed_cache(nth);
        let kind = store.ftl.kind_of(env, superblock);
        let mp_pages = env.layout.shape(Mode::Slc).mp_pages;
        store.ftl.space.give(env, kind, mp_pages);
        store.release(env, superblock);
    }
}

/// Die of a word line, and the time to copy the line.
fn copy_time(env: &Env, within: u32) -> (DieId, Nanos) {
    let (word_line, die) = env.layout.shape(Mode::Slc).place(within);
    let pages = sources(env) as u32;
    let reads = env.times.read(Mode::Slc, word_line, die) * u64::from(pages);
    let first = Row(word_line.0 * pages);
    let programs = match env.spec.one_shot {
        Some(_) => first..first + 1,
        None => first..first + pages,
    };
    let program = |row| env.times.program(Mode::Native, row, die);
    let copy = programs.each().map(program);
    (die, copy.fold(reads, |sum, time| sum + time))
}

/// True if something on a word line of a die is occupied.
fn holds_data(env: &Env, store: &Store, within: u32) -> bool {
    let l2p = &store.ftl.l2p;
    store.ftl.fold.sources().any(|source| {
        let mp_page = env.layout.first_mp_page(source) + within;
        l2p.prefetch_lpns(mp_page);
        prefetch_occupied(l2p, mp_page);
        l2p.occupied_bits(mp_page) != 0
    })
}

/// True if the stripe of a parity word line holds something occupied, folded or still to be folded.
fn covers_data(env: &Env, store: &Store, within: u32) -> bool {
    let ftl = &store.ftl;
    let (_, mut stripe) = env.layout.shape(Mode::Slc).stripe_of_row(within);
    stripe.any(|other| {
        let folded = (0..sources(env) as u32).map(|n| ftl.fold.folded_to(&env.layout, other, n));
        let from = |source| env.layout.first_mp_page(source) + other;
        let mut all = ftl.fold.sources().map(from).chain(folded);
        all.any(|mp_page| ftl.l2p.occupied_bits(mp_page) != 0)
    })
}

/// Copying a word line of a die, and mapping the copies.
impl Folder {
    /// Begins the next word line of a die. Returns false if all have begun.
    fn copy_next(&mut self, env: &mut Env, store: &mut Store) -> bool {
        let shape = *env.layout.shape(Mode::Slc);
        let ftl = &mut store.ftl;
        let Some(within) = ftl.fold.take_next(shape.mp_pages) else {
            return false;
        };
        ftl.space.add(Pool::Data, -(sources(env) as i64));
        let is_needed = match shape.is_parity(within) {
            true => covers_data(env, store, within),
            false => holds_data(env, store, within),
        };
        if !is_needed {
            self.word_line_done(env, store, within);
            return true;
        }
        self.in_flight += 1;
        self.counted.folds += 1;
        let (die, busy) = copy_time(env, within);
        let op = NandOp::Fold { within };
        let media = &mut store.ftl.media;
        media.submit(env, die, Class::Background, Work::OnDie { busy }, op);
        true
    }

    /// Repeats a failed copy in another block, which takes `before` to prepare, ahead of all that
    /// waits for its die.
    pub fn copy_again(&mut self, env: &mut Env, store: &mut Store, within: u32, before: Nanos) {
        self.counted.folds += 1;
        let (die, copy) = copy_time(env, within);
        let busy = before + copy;
        let op = NandOp::Fold { within };
        let media = &mut store.ftl.media;
        media.submit_first(env, die, Class::Background, Work::OnDie { busy }, op);
    }

    /// Abandons a failed copy for which there is no block: the data stays in the cache, and the
    /// drive is read-only.
    pub fn give_up(&mut self) {
        self.in_flight -= 1;
    }

    /// Handles a word line that a die has copied: its L2P entries are to be changed.
    pub fn copied(&mut self, env: &mut Env, store: &mut Store, within: u32) {
        let Store {
            ftl, controller, ..
        } = store;
        let mut mp_pages = [MpPage(0); SOURCES_MAX];
        let mut pages = 0;
        for (mp_page, source) in mp_pages.iter_mut().zip(ftl.fold.sources()) {
            *mp_page = env.layout.first_mp_page(source) + within;
            ftl.l2p.prefetch_moves(*mp_page);
            pages += ftl.l2p.occupied_bits(*mp_page).count_ones();
        }
        let count = sources(env);
        let spec = &env.spec.controller;
        let (core, mut time) = (spec.core_background, spec.fold_page * u64::from(pages));
        if spec.fold_l2p_miss > Nanos::ZERO {
            let mp_pages = mp_pages[..count].iter();
            let lpns = mp_pages.flat_map(|&mp_page| ftl.l2p.valid_lpns(mp_page));
            let misses = controller.fetch_all(lpns);
            time += spec.fold_l2p_miss * misses;
        }
        let job = Job::Folded { within };
        let work = CoreWork { job, core, time };
        ftl.submit_moves(env, controller, work, &mp_pages[..count]);
    }

    /// Maps the copied pages that are still valid to their new places.
    pub fn map(&mut self, env: &mut Env, store: &mut Store, within: u32) {
        for (page, source) in (0u32..).zip(store.ftl.fold.sources()) {
            let from = env.layout.first_mp_page(source) + within;
            let to = store.ftl.fold.folded_to(&env.layout, within, page);
            self.map_page(env, store, from, to);
        }
        self.in_flight -= 1;
        let pause = env.spec.cache().fold_pause;
        if pause > Nanos::ZERO && !self.paused {
            self.paused = true;
            env.set_timer(pause, kind::FOLD_PAUSE);
        }
        self.word_line_done(env, store, within);
    }

    fn map_page(&mut self, env: &Env, store: &mut Store, from: MpPage, to: MpPage) {
        let ftl = &mut store.ftl;
        let target = ftl.fold.target();
        let valid = ftl.l2p.valid_bits(from);
        let dead = (ftl.l2p.occupied_bits(from) & !valid).count_ones();
        ftl.l2p.copy_in_place(from, valid, to, target);
        if !store.keeps_fold_sources() {
            store.log_fold(env, from, valid, to, target);
        }
        self.counted.pages_folded += u64::from(valid.count_ones());
        if dead > 0 {
            store.ftl.l2p.release_trimmed(from);
            self.counted.invalid_pages_folded += u64::from(dead);
        }
    }

    /// Ends the pause of background folding.
    pub fn pause_ends(&mut self) {
        self.paused = false;
    }

    /// Notes one word line of one die as done; after the last, the cache superblocks are released
    /// and the superblock of the data area is full.
    fn word_line_done(&mut self, env: &mut Env, store: &mut Store, within: u32) {
        if store.parity().is_some() {
            log_folded_stripe(env, store, within);
        }
        let ftl = &mut store.ftl;
        for source in ftl.fold.sources() {
            let kind = ftl.kind_of(env, source);
            ftl.space.give(env, kind, 1);
        }
        if !ftl.fold.has_ended(env.layout.shape(Mode::Slc).mp_pages) {
            return;
        }
        let (sources, target) = (ftl.fold.sources(), ftl.fold.target());
        ftl.fold.end();
        ftl.superblocks.close(target);
        for source in sources {
            store.release(env, source);
        }
    }
}

/// Logs, for the journal, the copies of a stripe that are still valid, if word line `within` is the
/// last of the stripe.
#[cold]
fn log_folded_stripe(env: &Env, store: &mut Store, within: u32) {
    let Some(stripe) = store.ftl.fold.is_behind(&env.layout, within) else {
        return;
    };
    if !store.keeps_fold_sources() {
        return;
    }
    let target = store.ftl.fold.target();
    for other in stripe {
        for (page, source) in (0u32..).zip(store.ftl.fold.sources()) {
            let from = env.layout.first_mp_page(source) + other;
            let to = store.ftl.fold.folded_to(&env.layout, other, page);
            let pages = store.ftl.l2p.valid_bits(to);
            store.log_fold(env, from, pages, to, target);
        }
    }
}
