//! Which superblock a stream opens next, and whether there is space for what it is to write.

use stend_model::spec::WhenFull;

use super::Ftl;
use super::space::Space;
use crate::sim::env::Env;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{StreamId, SuperblockId};
use crate::sim::limits::HostReserve;

impl Ftl {
    /// What a stream opens next.
    #[inline(always)]
    pub(super) fn next_kind(&self, env: &Env, id: StreamId) -> Kind {
        match env.limits.always[id.number()] {
            Some(kind) => kind,
            None => {
                let reserved = self.points.reserved_kind(id);
                reserved.unwrap_or_else(|| self.host_kind(env))
            }
        }
    }

    /// What the host opens next: static superblocks of the SLC cache first, then dynamic ones, as
    /// far as the drive allows. A host that bypasses a full cache opens a dynamic one only where
    /// the data area has room for all of it, and else writes to the data area; one that waits
    /// fills it in pace with what GC makes room for.
    fn host_kind(&self, env: &Env) -> Kind {
        let cache = env.spec.cache();
        let free = |pool: Pool| self.space.free(pool) - env.limits.host_floor[pool as usize];
        if self.superblocks.erased(Pool::SlcCache) > 0
            && free(Pool::SlcCache) >= env.layout.mp_pages_of(Pool::SlcCache, 1)
        {
            return Kind::STATIC;
        }
        let has_room = match cache.when_full {
            WhenFull::Wait => true,
            WhenFull::Bypass => free(Pool::Data) > env.layout.mp_pages_of(Pool::Data, 1),
        };
        if self.superblocks.dynamic() < cache.dynamic_superblocks && has_room {
            return Kind::DYNAMIC;
        }
        // A static one that is not there is waited for.
        match cache.when_full {
            WhenFull::Wait => Kind::STATIC,
            WhenFull::Bypass => Kind::NATIVE,
        }
    }

    /// Whether the host may take `pages` more from the pool that it writes to.
    #[inline(always)]
    pub fn host_has_space(&self, env: &Env, stream: StreamId, pages: u32) -> bool {
        let Some(reserve) = env.limits.host else {
            return self.host_has_space_somewhere(env, stream, pages);
        };
        let HostReserve { kind, floor, .. } = reserve;
        let reserved = self.points.host_reserved() + pages;
        let needed = env.limits.mp_pages_for(kind.mode, reserved);
        let kept = floor + self.kept_for_pace(env, reserve);
        // Where nothing is kept, it fills a superblock of the cache to its end.
        let fills_up = kept == 0 && kind == Kind::STATIC;
        (fills_up || self.space.free(kind.pool) > kept + needed)
            && self.stream_has_room(env, stream, pages)
    }

    /// Multi-plane pages of the cache that the host leaves free in place of the room that the data
    /// area lacks before more of the cache can be emptied: what GC frees there page by page, the
    /// host may take here. Else it would take all that one emptying gives at once, and stand still
    /// until GC has made room for the next.
    /// Nothing while GC is not at work: then only room in the cache could follow, or nothing.
    #[inline(always)]
    fn kept_for_pace(&self, env: &Env, reserve: HostReserve) -> i64 {
        let free = self.space.free(Pool::Data);
        match self.space.gc_lag() {
            Some(lag) if reserve.emptied_at_once > 0 && free < env.limits.gc_start => {
                // Invalid pages may lie in one part of a victim.
                let room = free + lag - env.limits.fold_data_floor;
                // As much again, for GC ends a victim before it makes use of the room.
                let most = 2 * reserve.emptied_at_once;
                (most - room).clamp(0, most)
            }
            _ => 0,
        }
    }

    /// The same where it depends on the room there is what the host opens.
    #[inline(never)]
    fn host_has_space_somewhere(&self, env: &Env, stream: StreamId, pages: u32) -> bool {
        let reserved = self.points.host_reserved() + pages;
        let kind = self.kind_for(env, stream, pages);
        let needed = env.limits.mp_pages_for(kind.mode, reserved) * Space::cost(env, kind);
        // Where it is not held above a floor, it fills a superblock of the cache to its end.
        let floor = env.limits.host_floor[kind.pool as usize];
        let paced = kind != Kind::STATIC || floor > 0;
        (!paced || self.space.free(kind.pool) > floor + needed)
            && self.stream_has_room(env, stream, pages)
    }

    /// Where the last of `pages` more of a stream goes, as things stand.
    #[inline(always)]
    fn kind_for(&self, env: &Env, id: StreamId, pages: u32) -> Kind {
        let kind = self.points.kind_with_room(id, pages);
        kind.unwrap_or_else(|| self.next_kind(env, id))
    }

    /// Whether `pages` more can be placed, leaving the other streams what is reserved for them.
    #[inline(always)]
    pub fn stream_has_room(&self, env: &Env, stream: StreamId, pages: u32) -> bool {
        // Mostly nothing has to be opened.
        self.points.all_have_room(stream, pages) || self.superblocks_suffice(env, stream, pages)
    }

    fn superblocks_suffice(&self, env: &Env, stream: StreamId, pages: u32) -> bool {
        let needed = self.superblocks_reserved(env, Some((stream, pages)));
        let has = |pool: Pool| {
            let needed = needed[pool as usize];
            needed == 0 || self.superblocks.erased(pool) >= needed
        };
        has(Pool::Data) && has(Pool::SlcCache)
    }

    /// Superblocks of each pool that streams have yet to open for what is reserved, and one of them
    /// for some pages more.
    fn superblocks_reserved(&self, env: &Env, more: Option<(StreamId, u32)>) -> [usize; 2] {
        let mut needed = [0; 2];
        for id in self.points.streams() {
            let pages = more.filter(|m| m.0 == id).map_or(0, |m| m.1);
            let superblocks = self.points.superblocks_needed(id, pages);
            if superblocks > 0 {
                needed[self.next_kind(env, id).pool as usize] += superblocks as usize;
            }
        }
        needed
    }

    /// Whether a superblock of a pool may be opened beside what is reserved for streams.
    pub fn has_superblock(&self, env: &Env, pool: Pool) -> bool {
        self.superblocks.erased(pool) > self.superblocks_reserved(env, None)[pool as usize]
    }

    /// Reserves pages for a stream; what it has no room for goes to superblocks of the kind that
    /// has room now.
    #[inline(always)]
    pub fn reserve_next(&mut self, env: &Env, id: StreamId, pages: u32) {
        self.settle_next(env, id, pages);
        self.points.reserve(id, pages);
    }

    /// Settles what a stream opens next, if `pages` more than are reserved take it there.
    #[inline(always)]
    pub(super) fn settle_next(&mut self, env: &Env, id: StreamId, pages: u32) {
        let settled = env.limits.always[id.number()].is_some();
        if !settled && self.points.superblocks_needed(id, pages) > 0 {
            let kind = self.next_kind(env, id);
            self.points.settle_next(id, kind);
        }
    }

    /// Whether `padding` pages can be left out without taking room that was reserved.
    pub(super) fn padding_fits(&self, env: &Env, id: StreamId, padding: u32) -> bool {
        let needed = |more: u32| self.points.superblocks_needed(id, more);
        needed(padding) == needed(0) || self.stream_has_room(env, id, padding)
    }
}

/// What a host that bypasses a full SLC cache leaves in the data area.
impl Ftl {
    /// After a silence the host begins in the cache again, if it has room: the superblock of the
    /// data area that is not full is set aside.
    pub fn set_aside(&mut self, env: &Env) {
        let (host, bypassing) = (StreamId::HOST, StreamId::BYPASSING);
        if env.spec.has_bypassing_stream()
            && self.points.kind(host) == Some(Kind::NATIVE)
            && self.points.kind(bypassing).is_none()
            && [host, bypassing].iter().all(|id| self.points.rests(*id))
        {
            self.points.swap(host, bypassing);
        }
    }

    /// The host goes on in the superblock that was set aside, if one was and it is not in use.
    pub(super) fn take_up_set_aside(&mut self, env: &Env) -> bool {
        let bypassing = StreamId::BYPASSING;
        let takes = env.spec.has_bypassing_stream()
            && self.points.kind(bypassing).is_some()
            && self.points.rests(bypassing);
        if takes {
            self.points.swap(StreamId::HOST, bypassing);
        }
        takes
    }
}

/// The SLC cache: how full it is.
impl Ftl {
    /// Kind of a superblock.
    #[inline(always)]
    pub fn kind_of(&self, env: &Env, superblock: SuperblockId) -> Kind {
        Kind {
            pool: env.layout.pool_of_superblock(superblock),
            mode: self.superblocks.mode(superblock),
        }
    }

    /// Multi-plane pages of the cache, static and dynamic, that hold data or have held it.
    pub fn cache_taken(&self, env: &Env) -> u64 {
        let pool = env.layout.pool(Pool::SlcCache);
        let all = env.layout.mp_pages_of(Pool::SlcCache, pool.superblocks);
        let of_static = all - self.space.free(Pool::SlcCache);
        (of_static + self.space.dynamic_taken()).max(0) as u64
    }

    /// Multi-plane pages of the cache that the host may still take.
    fn cache_free(&self, env: &Env) -> i64 {
        let erased = self.superblocks.erased(Pool::SlcCache) as u32;
        let erased = env.layout.mp_pages_of(Pool::SlcCache, erased);
        let cache = env.spec.cache();
        if !cache.frees_per_page {
            // What is emptied is no room until it is erased.
            return erased;
        }
        if cache.dynamic_superblocks == 0 {
            return self.space.free(Pool::SlcCache);
        }
        // Whole superblocks: what is being emptied cannot be opened yet.
        let of_data = self.space.free(Pool::Data) - env.limits.host_floor[Pool::Data as usize];
        let dynamic = cache.dynamic_superblocks;
        let allowed = dynamic.saturating_sub(self.superblocks.dynamic());
        let allowed = env.layout.mp_pages_of(Pool::SlcCache, allowed);
        erased
            + allowed
                .min(of_data / Space::cost(env, Kind::DYNAMIC))
                .max(0)
    }

    /// The same, beside what the drive keeps for its own work.
    pub fn cache_free_for_host(&self, env: &Env) -> i64 {
        self.cache_free(env) - env.limits.host_floor[Pool::SlcCache as usize]
    }

    /// Whether the host, or GC that enters the cache, is about to wait for room in it.
    pub fn cache_is_short(&self, env: &Env) -> bool {
        let (cache, short) = (env.spec.cache(), env.limits.fold_all_below);
        cache.when_full == WhenFull::Wait && self.cache_free(env) < short
            || cache.takes_gc && self.space.free(Pool::SlcCache) < short
    }

    /// Whether the data area needs what dynamic superblocks take from it.
    pub fn data_area_needs_dynamic(&self, env: &Env) -> bool {
        self.space.dynamic_taken() > 0 && self.space.free(Pool::Data) < env.limits.gc_start
    }
}
