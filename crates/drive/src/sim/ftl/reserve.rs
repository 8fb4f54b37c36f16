//! Choice of the superblock that a stream opens next, and checks of the space for its data.

use stend_model::spec::WhenFull;

use super::Ftl;
use super::space::Space;
use crate::sim::env::Env;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{StreamId, SuperblockId};
use crate::sim::limits::HostReserve;

/// Pages of a stream, needed or reserved.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct StreamPages {
    pub stream: StreamId,
    pub pages: u32,
}

impl Ftl {
    /// Kind of the superblock that a stream opens next.
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

    /// Kind of the superblock that the host opens next: static superblocks of the SLC cache first,
    /// then dynamic ones, as far as the drive allows. A host that bypasses a full cache opens a
    /// dynamic one only if the data area has room for all of it, and otherwise writes to the data
    /// area; a host that waits fills it at the pace at which GC makes room for it.
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
        // The host waits for a static superblock if there is none.
        match cache.when_full {
            WhenFull::Wait => Kind::STATIC,
            WhenFull::Bypass => Kind::NATIVE,
        }
    }

    /// True if the host may write more pages to the pool that it writes to.
    #[inline(always)]
    pub fn host_has_space(&self, env: &Env, more: StreamPages) -> bool {
        let Some(reserve) = env.limits.host else {
            return self.host_has_space_somewhere(env, more);
        };
        let StreamPages { stream, pages } = more;
        let HostReserve { kind, floor, .. } = reserve;
        let reserved = self.points.host_reserved() + pages;
        let needed = env.limits.mp_pages_for(kind.mode, reserved);
        let kept = floor + self.kept_for_pace(env, reserve);
        // If nothing is kept, the host fills a superblock of the cache to its end.
        let fills_up = kept == 0 && kind == Kind::STATIC;
        (fills_up || self.space.free(kind.pool) > kept + needed)
            && self.stream_has_room(env, stream, pages)
    }

    /// Multi-plane pages of the cache that the host leaves free as long as the data area lacks room
    /// for emptying more of the cache: the host may use them as fast as GC frees pages in the data
    /// area. Otherwise the host would use at once all that one emptying frees, and then stop until
    /// GC has made room for the next. 0 while GC has no work: then only the cache can get room, or
    /// nothing can.
    #[inline(always)]
    fn kept_for_pace(&self, env: &Env, reserve: HostReserve) -> i64 {
        let free = self.space.free(Pool::Data);
        match self.space.gc_lag() {
            Some(lag) if reserve.emptied_at_once > 0 && free < env.limits.gc_start => {
                // Invalid pages may lie in one part of a victim.
                let room = free + lag - env.limits.fold_data_floor;
                // Twice as much, since GC completes a victim before it uses the room.
                let most = 2 * reserve.emptied_at_once;
                (most - room).clamp(0, most)
            }
            _ => 0,
        }
    }

    /// Same as [`Ftl::host_has_space`], if the pool depends on the room in each kind.
    #[inline(never)]
    fn host_has_space_somewhere(&self, env: &Env, more: StreamPages) -> bool {
        let StreamPages { stream, pages } = more;
        let reserved = self.points.host_reserved() + pages;
        let kind = self.kind_for(env, stream, pages);
        let needed = env.limits.mp_pages_for(kind.mode, reserved) * Space::cost(env, kind);
        // Without a floor, the host fills a superblock of the cache to its end.
        let floor = env.limits.host_floor[kind.pool as usize];
        let paced = kind != Kind::STATIC || floor > 0;
        (!paced || self.space.free(kind.pool) > floor + needed)
            && self.stream_has_room(env, stream, pages)
    }

    /// Kind of the superblock that receives the last of `pages` more of a stream, in the present
    /// state.
    #[inline(always)]
    fn kind_for(&self, env: &Env, id: StreamId, pages: u32) -> Kind {
        let kind = self.points.kind_with_room(id, pages);
        kind.unwrap_or_else(|| self.next_kind(env, id))
    }

    /// True if `pages` more can be placed without using the reservations of other streams.
    #[inline(always)]
    pub fn stream_has_room(&self, env: &Env, stream: StreamId, pages: u32) -> bool {
        // Mostly no superblock has to be opened.
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

    /// Superblocks of each pool that streams have yet to open for their reservations and, for one
    /// of them, for more pages.
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

    /// True if a superblock of a pool may be opened beside those reserved for streams.
    pub fn has_superblock(&self, env: &Env, pool: Pool) -> bool {
        self.superblocks.erased(pool) > self.superblocks_reserved(env, None)[pool as usize]
    }

    /// Reserves pages for a stream; pages for which it has no room go to superblocks of the kind
    /// that has room now.
    #[inline(always)]
    pub fn reserve_next(&mut self, env: &Env, more: StreamPages) {
        let StreamPages { stream, pages } = more;
        self.settle_next(env, stream, pages);
        self.points.reserve(stream, pages);
    }

    /// Fixes the kind that a stream opens next, if `pages` more than the reserved ones need it.
    #[inline(always)]
    pub(super) fn settle_next(&mut self, env: &Env, id: StreamId, pages: u32) {
        let settled = env.limits.always[id.number()].is_some();
        if !settled && self.points.superblocks_needed(id, pages) > 0 {
            let kind = self.next_kind(env, id);
            self.points.settle_next(id, kind);
        }
    }

    /// True if `padding` pages can be left empty without using reserved room.
    pub(super) fn padding_fits(&self, env: &Env, id: StreamId, padding: u32) -> bool {
        let needed = |more: u32| self.points.superblocks_needed(id, more);
        needed(padding) == needed(0) || self.stream_has_room(env, id, padding)
    }
}

/// Superblocks that a host that bypasses a full SLC cache leaves in the data area.
impl Ftl {
    /// Sets aside the superblock of the data area that is not full: after a silence the host begins
    /// in the cache again, if the cache has room.
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

    /// Continues in the superblock that was set aside, if there is one and it is not in use.
    /// Returns true if so.
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

/// Fill level of the SLC cache.
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

    /// Multi-plane pages of the cache that the host may still use.
    fn cache_free(&self, env: &Env) -> i64 {
        let erased = self.superblocks.erased(Pool::SlcCache) as u32;
        let erased = env.layout.mp_pages_of(Pool::SlcCache, erased);
        let cache = env.spec.cache();
        if !cache.frees_per_page {
            // Emptied space is no room until it is erased.
            return erased;
        }
        if cache.dynamic_superblocks == 0 {
            return self.space.free(Pool::SlcCache);
        }
        // Whole superblocks only: one that is being emptied cannot be opened yet.
        let of_data = self.space.free(Pool::Data) - env.limits.host_floor[Pool::Data as usize];
        let dynamic = cache.dynamic_superblocks;
        let allowed = dynamic.saturating_sub(self.superblocks.dynamic());
        let allowed = env.layout.mp_pages_of(Pool::SlcCache, allowed);
        erased
            + allowed
                .min(of_data / Space::cost(env, Kind::DYNAMIC))
                .max(0)
    }

    /// Same as [`Ftl::cache_free`], without the pages that the drive keeps for its own work.
    pub fn cache_free_for_host(&self, env: &Env) -> i64 {
        self.cache_free(env) - env.limits.host_floor[Pool::SlcCache as usize]
    }

    /// True if the host, or GC that writes to the cache, will soon wait for room in it.
    pub fn cache_is_short(&self, env: &Env) -> bool {
        let (cache, short) = (env.spec.cache(), env.limits.fold_all_below);
        cache.when_full == WhenFull::Wait && self.cache_free(env) < short
            || cache.takes_gc && self.space.free(Pool::SlcCache) < short
    }

    /// True if the data area needs the space that dynamic superblocks occupy.
    pub fn data_area_needs_dynamic(&self, env: &Env) -> bool {
        self.space.dynamic_taken() > 0 && self.space.free(Pool::Data) < env.limits.gc_start
    }
}
