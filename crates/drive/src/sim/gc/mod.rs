//! Garbage collection of the data area: a closed superblock is read page by page, its valid pages
//! are relocated, and it is erased. An SLC cache that is emptied through the controller
//! ([`crate::sim::emptying`]) is emptied in the same way.
//!
//! GC runs while the data area has fewer free superblocks than
//! [`stend_model::spec::GcSpec::start_superblocks`] or, while the host is silent, than
//! [`stend_model::spec::IdleSpec::target_superblocks`]. Relocated pages enter the SLC cache if
//! `slc_cache.takes_gc` is set, else the data area.

mod policy;
mod wear_levelling;

use std::collections::VecDeque;

use stend_base::Nanos;
use stend_model::nand::Class;
use stend_model::spec::{PAGE_BYTES, Spec};

use crate::sim::controller::{CoreWork, Job};
use crate::sim::counters::Counters;
use crate::sim::emptying;
use crate::sim::env::Env;
use crate::sim::ftl::write::PagesOf;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Pool;
use crate::sim::idle::Idle;
use crate::sim::ids::{IdRange, MpPage, StreamId, SuperblockId};
use crate::sim::media::Part;
use crate::sim::media::op::NandOp;
use crate::sim::persistence::trimmed_bits;
use crate::sim::store::Store;
use policy::{Chooser, Closed};
use wear_levelling::Levelling;

/// Reason to empty a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Reason {
    Space,
    /// The superblock belongs to an SLC cache that is emptied through the controller.
    Cache,
    /// The wear is to be levelled.
    Wear,
    /// Its data is to be refreshed.
    Refresh,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Victim {
    superblock: SuperblockId,
    /// Stream of its relocated pages.
    stream: StreamId,
    kind: Kind,
    reason: Reason,
    /// Next multi-plane page to process, within the superblock.
    next: u32,
    /// Number of its multi-plane pages.
    mp_pages: u32,
    /// Pages that are free when it is emptied, less those that its valid pages occupy elsewhere.
    gain: u32,
    /// Valid pages read so far, if the host is paced by GC.
    moved: u32,
}

impl Victim {
    /// Multi-plane pages by which the space freed so far lags behind an even share of the gain.
    fn lag(&self, pages_per_mp_page: u32) -> i64 {
        let share = u64::from(self.gain) * u64::from(self.next) / u64::from(self.mp_pages);
        let freed = i64::from(self.next * pages_per_mp_page) - i64::from(self.moved);
        (share as i64 - freed) / i64::from(pages_per_mp_page)
    }
}

/// Garbage collection.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Gc {
    chooser: Chooser,
    levelling: Option<Levelling>,
    victim: Option<Victim>,
    /// Multi-plane pages being read, or not yet placed elsewhere.
    in_flight: u32,
    /// Emptied superblocks whose pages are not yet all programmed elsewhere, each with the number
    /// of the first program begun after it was emptied.
    emptied: VecDeque<(SuperblockId, u64)>,
    /// The superblock whose data is to be refreshed next.
    refresh: Option<SuperblockId>,
    pub counted: Counters,
}

impl Gc {
    pub fn new(spec: &Spec) -> Gc {
        Gc {
            chooser: Chooser::new(spec.gc.policy),
            levelling: Levelling::new(spec.wear.as_ref()),
            victim: None,
            in_flight: 0,
            emptied: VecDeque::new(),
            refresh: None,
            counted: Counters::default(),
        }
    }

    /// The stream of the pages being relocated; without a victim, that of data never relocated
    /// before.
    #[inline]
    fn stream(&self) -> StreamId {
        self.victim.map_or(StreamId::GC, |v| v.stream)
    }

    /// Begins as many reads as may run now. Returns true if it need not be called again until
    /// something changes. `host_waits`: writes wait to be admitted.
    #[inline(always)]
    pub fn run(&mut self, env: &mut Env, store: &mut Store, idle: &Idle, host_waits: bool) -> bool {
        if self.may_run(env, store, idle, host_waits) {
            return self.go_on(env, store, idle, host_waits);
        }
        self.stop(env, store);
        true
    }

    #[inline(never)]
    fn go_on(&mut self, env: &mut Env, store: &mut Store, idle: &Idle, host_waits: bool) -> bool {
        loop {
            let goes_on = match self.victim {
                // The pages of a new victim may go to another stream than the one whose room was
                // checked.
                None => self.choose_victim(env, store, idle),
                Some(_) => self.read_next(env, store),
            };
            if !goes_on {
                self.pad_emptied(env, store);
                return false;
            }
            if !self.may_run(env, store, idle, host_waits) {
                break;
            }
        }
        self.stop(env, store);
        true
    }

    /// Stops until something changes.
    #[inline(always)]
    fn stop(&mut self, env: &mut Env, store: &mut Store) {
        self.pad_emptied(env, store);
        if store.persistence.is_some() {
            self.request_superblocks(env, store);
        }
    }

    /// Pads the programs with pages of emptied superblocks, if nothing more is read: no next victim
    /// will complete them.
    #[inline(always)]
    fn pad_emptied(&self, env: &mut Env, store: &mut Store) {
        if self.in_flight == 0
            && store.ftl.buffer.gc_in_flight() < env.spec.gc.depth
            && let Some(&(_, before)) = self.emptied.back()
        {
            store.ftl.pad_relocated_before(env, before);
        }
    }

    #[inline(always)]
    fn request_superblocks(&self, env: &Env, store: &mut Store) {
        let pages = env.spec.pages_per_mp_page;
        if store.may_request_release() && !store.ftl.stream_has_room(env, self.stream(), pages) {
            store.request_release();
        }
    }

    #[inline(always)]
    fn may_run(&self, env: &Env, store: &Store, idle: &Idle, host_waits: bool) -> bool {
        let otherwise = || {
            emptying::next(env, store, idle).is_some()
                || self.refreshes(env, idle)
                || host_waits && self.finishes_cache_victim(idle)
        };
        let wanted =
            self.wants_space(env, store, idle) || env.limits.gc_beside_space && otherwise();
        let in_flight = self.in_flight + store.ftl.buffer.gc_in_flight();
        wanted
            && !store.ftl.space.is_read_only()
            && in_flight < self.depth(env, store, idle)
            && self.has_space(env, store)
    }

    /// Multi-plane pages that may be in flight.
    #[inline]
    fn depth(&self, env: &Env, store: &Store, idle: &Idle) -> u32 {
        match env.limits.emptying_paced {
            None => env.spec.gc.depth,
            Some(mp_pages) => self.emptying_depth(env, store, idle, mp_pages),
        }
    }

    /// Depth of GC: at most `mp_pages` while GC only empties the cache and nothing waits for its
    /// space.
    #[cold]
    fn emptying_depth(&self, env: &Env, store: &Store, idle: &Idle, mp_pages: u32) -> u32 {
        let depth = env.spec.gc.depth;
        let hurries = idle.working()
            || self.wants_space(env, store, idle)
            || emptying::is_awaited(env, store);
        if hurries { depth } else { depth.min(mp_pages) }
    }

    /// True if the data area needs free space.
    #[inline]
    fn wants_space(&self, env: &Env, store: &Store, idle: &Idle) -> bool {
        if idle.working() {
            idle.in_slice() && Gc::idle_wants(env, store)
        } else {
            store.ftl.space.free(Pool::Data) < env.limits.gc_start
        }
    }

    /// True if the data area has less free space than idle work aims at.
    pub fn idle_wants(env: &Env, store: &Store) -> bool {
        store.ftl.space.free(Pool::Data) < env.limits.gc_idle
    }

    /// True if a victim of the cache is emptied to its end for a waiting host, although the cache
    /// need not be emptied any more, or has no other superblock to be emptied: an atomic write may
    /// need all of the space at once.
    #[inline]
    fn finishes_cache_victim(&self, idle: &Idle) -> bool {
        !idle.working() && self.victim.is_some_and(|v| v.reason == Reason::Cache)
    }

    #[inline(always)]
    fn has_space(&self, env: &Env, store: &Store) -> bool {
        let enters_cache = env.limits.always[StreamId::GC.number()] == Some(Kind::STATIC);
        let above =
            !enters_cache || store.ftl.space.free(Pool::SlcCache) > env.limits.gc_cache_floor;
        let pages = env.spec.pages_per_mp_page;
        above && store.ftl.stream_has_room(env, self.stream(), pages)
    }

    /// Drops everything under way at a power cut.
    pub fn power_cut(&mut self, spec: &Spec) {
        *self = Gc {
            counted: self.counted,
            ..Gc::new(spec)
        };
    }
}

/// Victims.
impl Gc {
    fn choose_victim(&mut self, env: &mut Env, store: &mut Store, idle: &Idle) -> bool {
        if let Some(nth) = emptying::next(env, store, idle) {
            let superblock = store.ftl.superblocks.take_closed_cache(nth);
            self.begin_victim(env, store, superblock, StreamId::GC, Reason::Cache);
            return true;
        }
        if !self.wants_space(env, store, idle) {
            return self.choose_for_refresh(env, store, idle);
        }
        let ftl = &store.ftl;
        let closed = Closed::new(&env.layout, &ftl.superblocks, &ftl.l2p);
        let short = Gc::is_short(env, store);
        let levelled = match &mut self.levelling {
            Some(levelling) if !short => levelling.choose(&closed),
            _ => None,
        };
        let chosen = match levelled {
            Some(least_worn) => least_worn,
            None => {
                let chosen = match short {
                    true => policy::fewest_valid(&closed),
                    false => self.chooser.choose(&closed),
                };
                let Some(chosen) = chosen else {
                    return false;
                };
                if let Some(levelling) = &mut self.levelling {
                    levelling.collects();
                }
                chosen
            }
        };
        let reason = match levelled {
            Some(_) => Reason::Wear,
            None => Reason::Space,
        };
        self.empty_closed(env, store, chosen.superblock, reason);
        true
    }

    /// True if power cuts have cost so much space that GC uses its own reserve: then the victim
    /// that frees most is chosen, whatever the policy, which may choose one that frees less than it
    /// occupies.
    fn is_short(env: &Env, store: &Store) -> bool {
        store.persistence.is_some() && store.ftl.space.free(Pool::Data) < env.limits.fold_data_floor
    }

    /// Begins to empty a closed superblock of the data area.
    fn empty_closed(
        &mut self,
        env: &Env,
        store: &mut Store,
        superblock: SuperblockId,
        reason: Reason,
    ) {
        let ftl = &mut store.ftl;
        ftl.superblocks.begin_emptying(superblock);
        let generation = ftl.superblocks.generation(superblock);
        let stream = ftl.sorting.of_victim(generation, reason == Reason::Wear);
        self.begin_victim(env, store, superblock, stream, reason);
    }

    fn begin_victim(
        &mut self,
        env: &Env,
        store: &Store,
        superblock: SuperblockId,
        stream: StreamId,
        reason: Reason,
    ) {
        let kind = store.ftl.kind_of(env, superblock);
        let shape = env.layout.shape(kind.mode);
        let pages = |mp_pages: u32| mp_pages << env.layout.page_bits;
        self.victim = Some(Victim {
            superblock,
            stream,
            kind,
            reason,
            next: 0,
            mp_pages: shape.mp_pages,
            gain: pages(shape.mp_pages) - store.ftl.l2p.valid_in(superblock),
            moved: 0,
        });
    }
}

/// Relocation.
impl Gc {
    /// Reads the next multi-plane page with valid pages. Returns false if nothing more can begin
    /// now.
    fn read_next(&mut self, env: &mut Env, store: &mut Store) -> bool {
        let ftl = &mut store.ftl;
        let victim = self.victim.as_mut().expect("a victim was chosen");
        let Victim { stream, kind, .. } = *victim;
        let first = env.layout.first_mp_page(victim.superblock);
        let begin = victim.next;
        let mut valid = 0;
        while victim.next < victim.mp_pages && valid == 0 {
            valid = ftl.l2p.valid_bits(first + victim.next);
            victim.next += 1;
        }
        let end = victim.next;
        if env.limits.paces_host() {
            victim.moved += valid.count_ones();
            let lag = victim.lag(env.spec.pages_per_mp_page);
            ftl.space.set_gc_lag(Some(lag));
        }
        ftl.space.give(env, kind, end - begin);
        if valid == 0 {
            return self.victim_emptied(env, store);
        }
        let mp_page = first + end - 1;
        ftl.l2p
            .prefetch_next_moves(first, first + begin, first + end);
        self.in_flight += 1;
        ftl.points.reserve(stream, env.spec.pages_per_mp_page);
        let part = Part {
            mp_page,
            flash_pages: env.layout.flash_pages_of(valid),
            bytes: valid.count_ones() * PAGE_BYTES as u32,
        };
        let op = NandOp::Gc { mp_page };
        ftl.media
            .read(env, &ftl.superblocks, part, Class::Background, op);
        true
    }

    /// Ends the victim, all of whose multi-plane pages have been processed, when the last one has
    /// been placed elsewhere. Returns true if the next victim may be chosen at once.
    fn victim_emptied(&mut self, env: &mut Env, store: &mut Store) -> bool {
        if self.in_flight > 0 {
            return false;
        }
        let victim = self.victim.take().expect("a victim was chosen");
        let ftl = &mut store.ftl;
        ftl.space.set_gc_lag(None);
        // Relocated pages must be in flash before their source is erased. When space is collected,
        // the next victim completes the program, or GC closes it when it stops.
        if victim.reason != Reason::Space {
            ftl.pad_relocated(env, victim.stream);
        }
        self.emptied
            .push_back((victim.superblock, ftl.buffer.begun()));
        self.release_emptied(env, store);
        true
    }

    /// Releases the superblocks whose pages have all been programmed elsewhere.
    #[inline(always)]
    pub fn release_emptied(&mut self, env: &mut Env, store: &mut Store) {
        if !self.emptied.is_empty() {
            self.release_programmed(env, store);
        }
    }

    #[inline(never)]
    fn release_programmed(&mut self, env: &mut Env, store: &mut Store) {
        while let Some(&(superblock, before)) = self.emptied.front() {
            if store.ftl.buffer.gc_before(before) {
                return;
            }
            self.emptied.pop_front();
            store.release(env, superblock);
        }
    }

    /// Submits to a core the change of the L2P entries of a page of the victim that has been read.
    #[inline(always)]
    pub fn read_done(&mut self, env: &mut Env, store: &mut Store, mp_page: MpPage) {
        let valid = store.ftl.l2p.valid_bits(mp_page);
        let spec = &env.spec.controller;
        let mut time = spec.gc_page * u64::from(valid.count_ones());
        let core = spec.core_background;
        let Store {
            ftl, controller, ..
        } = store;
        if spec.gc_l2p_miss > Nanos::ZERO {
            let lpns = ftl.l2p.valid_lpns(mp_page);
            let misses = controller.fetch_all(lpns);
            time += spec.gc_l2p_miss * misses;
        }
        let job = Job::Gc { mp_page };
        let work = CoreWork { job, core, time };
        ftl.submit_moves(env, controller, work, &[mp_page]);
    }

    /// Maps the pages that are still valid to their new PPNs.
    #[inline(always)]
    pub fn relocate(&mut self, env: &mut Env, store: &mut Store, mp_page: MpPage) {
        let Store {
            ftl, persistence, ..
        } = store;
        let valid = ftl.l2p.valid_bits(mp_page);
        let count = valid.count_ones();
        let stream = self.stream();
        let from = mp_page.first_ppn(env.layout.page_bits);
        let unnamed = trimmed_bits(from, valid, &ftl.l2p);
        let pages = PagesOf {
            mp_page,
            pages: valid,
        };
        ftl.place_relocated(env, stream, pages, |moved| {
            if let Some(persistence) = persistence {
                persistence.log_relocation(from, moved, unnamed);
            }
        });
        if let Some(persistence) = persistence {
            persistence.entries_change(from, valid & !unnamed, &ftl.l2p);
        }
        let counters = &mut self.counted;
        let moved = match self.victim.map_or(Reason::Space, |v| v.reason) {
            Reason::Space => &mut counters.pages_relocated,
            Reason::Cache => &mut counters.pages_folded,
            Reason::Wear => &mut counters.pages_levelled,
            Reason::Refresh => &mut counters.pages_refreshed,
        };
        *moved += u64::from(count);
        // Only now: the reservation covers the pages until they are placed.
        ftl.points.unreserve(stream, env.spec.pages_per_mp_page);
        self.in_flight -= 1;
        if self.victim.is_some_and(|v| v.next == v.mp_pages) {
            self.victim_emptied(env, store);
        }
    }
}

/// Refresh of data that may soon become unreadable.
impl Gc {
    /// True if data is to be refreshed now: in idle time, and beside the host, data that patrol
    /// reads have found.
    #[inline]
    fn refreshes(&self, env: &Env, idle: &Idle) -> bool {
        let patrols = || !idle.working() && env.limits.patrols;
        self.has_old_data() && (idle.in_slice() || patrols())
    }

    /// Notes the state of a superblock that a patrol read has found.
    pub fn patrolled(&mut self, env: &Env, store: &Store, superblock: SuperblockId) {
        let superblocks = &store.ftl.superblocks;
        if let Some(from) = store.ftl.media.refresh_from()
            && superblocks.is_closed(superblock)
            && store.ftl.media.worst_rber(env, superblocks, superblock) > from
        {
            self.refresh.get_or_insert(superblock);
        }
    }

    /// True if any data is known to be old, or is being refreshed.
    pub fn has_old_data(&self) -> bool {
        let refreshed = |victim: &Victim| victim.reason == Reason::Refresh;
        self.refresh.is_some() || self.victim.as_ref().is_some_and(refreshed)
    }

    /// Finds the superblock of the data area with the highest raw bit error rate, if that is above
    /// the threshold of refresh.
    pub fn look_for_old_data(&mut self, env: &Env, store: &Store) {
        let Some(from) = store.ftl.media.refresh_from() else {
            return;
        };
        let ftl = &store.ftl;
        let all = env.layout.superblocks_of(Pool::Data).each();
        let worst = all
            .filter(|&s| ftl.superblocks.is_closed(s) && ftl.l2p.valid_in(s) > 0)
            .map(|s| {
                let rber = ftl.media.worst_rber(env, &ftl.superblocks, s);
                (rber, std::cmp::Reverse(s))
            })
            .max();
        self.refresh = worst.filter(|w| w.0 > from).map(|w| w.1.0);
    }

    /// Chooses the superblock whose data has to be refreshed.
    fn choose_for_refresh(&mut self, env: &mut Env, store: &mut Store, idle: &Idle) -> bool {
        let Some(superblock) = self.take_old(env, store, idle) else {
            return false;
        };
        self.empty_closed(env, store, superblock, Reason::Refresh);
        self.look_in_idle_time(env, store, idle);
        true
    }

    fn take_old(&mut self, env: &Env, store: &Store, idle: &Idle) -> Option<SuperblockId> {
        let found = self.refresh.take()?;
        // It may have been emptied for another reason since it was found.
        if store.ftl.superblocks.is_closed(found) {
            return Some(found);
        }
        self.look_in_idle_time(env, store, idle);
        self.refresh.take()
    }

    /// Finds the next old data in idle time. Beside the host, patrol reads find it.
    fn look_in_idle_time(&mut self, env: &Env, store: &Store, idle: &Idle) {
        if idle.working() {
            self.look_for_old_data(env, store);
        }
    }
}
