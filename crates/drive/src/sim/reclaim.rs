//! Work that frees space: GC and folding, each of which may need space that the other frees.

use stend_model::spec::{Emptying, PAGE_BYTES, Spec};

use crate::sim::due::Due;
use crate::sim::env::Env;
use crate::sim::fold::{Folder, Folding};
use crate::sim::ftl::reserve::StreamPages;
use crate::sim::gc::Gc;
use crate::sim::geometry::layout::Pool;
use crate::sim::idle::Idle;
use crate::sim::ids::{IdRange, SuperblockId};
use crate::sim::media::wear;
use crate::sim::store::Store;

/// GC and folding.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Reclaim {
    pub gc: Gc,
    pub folder: Folder,
}

impl Reclaim {
    pub fn new(spec: &Spec) -> Reclaim {
        Reclaim {
            gc: Gc::new(spec),
            folder: Folder::default(),
        }
    }

    /// Drops everything under way at a power cut.
    pub fn power_cut(&mut self, spec: &Spec) {
        self.gc.power_cut(spec);
        self.folder.power_cut();
    }

    /// Continues what is `due`. Returns true if GC and folding cannot continue until something
    /// changes. `host_waits`: writes wait to be admitted.
    #[inline(always)]
    pub fn run(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        idle: &Idle,
        host_waits: bool,
        due: Due,
    ) -> bool {
        let settled = due.has(Due::GC) && self.gc.run(env, store, idle, host_waits);
        settled
            & match due.has(Due::FOLD) {
                true => self.fold(env, store, idle, host_waits),
                false => !Folder::may_run(env, store),
            }
    }

    /// Continues GC and folding as far as possible. Returns true if they cannot continue until
    /// something changes.
    #[inline(always)]
    pub fn make_space(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        idle: &Idle,
        host_waits: bool,
    ) -> bool {
        let settled = self.gc.run(env, store, idle, host_waits);
        self.fold(env, store, idle, host_waits) && settled
    }

    /// Continues folding, for caches that are folded. Returns true if it cannot continue until
    /// something changes.
    #[inline(always)]
    fn fold(&mut self, env: &mut Env, store: &mut Store, idle: &Idle, host_waits: bool) -> bool {
        let may_run = Folder::may_run(env, store) && self.folder.has_idle_dies(env);
        !may_run || self.fold_on(env, store, idle, host_waits)
    }

    #[inline(never)]
    fn fold_on(&mut self, env: &mut Env, store: &mut Store, idle: &Idle, host_waits: bool) -> bool {
        let free =
            |store: &Store| [Pool::Data, Pool::SlcCache].map(|pool| store.ftl.space.free(pool));
        let before = free(store);
        let folding = self.folder.run(env, store, idle);
        if folding == Folding::NeedsGc {
            self.gc.run(env, store, idle, host_waits);
        }
        // Space used or freed by folding may let GC continue.
        folding == Folding::Waits && free(store) == before
    }

    /// Starts work that makes space for a write that waits. Returns true if there is space now.
    /// `settled`: GC and folding have just been found unable to continue.
    #[inline(always)]
    pub fn find_space(
        &mut self,
        env: &mut Env,
        store: &mut Store,
        idle: &Idle,
        needed: StreamPages,
        settled: bool,
    ) -> bool {
        let StreamPages { stream, pages } = needed;
        if store.may_request_release() && !store.ftl.stream_has_room(env, stream, pages) {
            store.request_release();
        }
        if settled {
            return false;
        }
        // No work may be under way that would start it later.
        self.make_space(env, store, idle, true);
        // Folding may have skipped word lines without valid pages: that frees space at once, and no
        // event need follow.
        store.ftl.host_has_space(env, needed)
    }
}

/// Idle time.
impl Reclaim {
    /// Begins a slice of idle work if there is work. Returns true if so.
    pub fn slice_begins(&mut self, env: &mut Env, store: &Store, idle: &mut Idle) -> bool {
        self.gc.look_for_old_data(env, store);
        let has_work = self.has_idle_work(env, store);
        idle.slice_begins(env, has_work)
    }

    /// True if folding or GC has work left for idle time.
    pub fn has_idle_work(&self, env: &Env, store: &Store) -> bool {
        let on_chip = env.limits.emptying == Some(Emptying::OnChip);
        let sources = match env.limits.emptying {
            Some(Emptying::Controller) => 1,
            _ => env.spec.data.timing.pages_per_word_line() as usize,
        };
        let to_fold = store.ftl.superblocks.closed_cache().len() >= sources
            && (!on_chip || Folder::idle_wants(env, store));
        let collects = Gc::idle_wants(env, store) || self.gc.has_old_data();
        let work = to_fold || collects || store.ftl.fold.is_under_way();
        work && !store.ftl.space.is_read_only()
    }
}

/// Bytes that can be written to flash before data has to be moved: until then each superblock that
/// is filled costs what the one before did, at most an erase. `None` if something else may begin
/// before: a cache that fills, a table of which more lies on flash, heat, streams that follow the
/// written data, blocks that have begun to fail. Wear levelling moves nothing before GC does, and
/// nothing is read. A checkpoint ends it too, as long as no one requests more of the journal than
/// is written anyway; and a superblock whose erase has to wait for the journal does not count.
pub(in crate::sim) fn bytes_until_gc(env: &Env, store: &Store) -> Option<u64> {
    let spec = &env.spec;
    let may_change = spec.cache.is_some()
        || spec.l2p_cache.is_some()
        || spec.may_throttle()
        || spec.streams.is_some()
        || wear::spares_and_grown_bad(&store.ftl.media).is_some_and(|(_, bad)| bad > 0);
    if may_change {
        return None;
    }
    let persistence = store.persistence.as_ref();
    let checkpoint = persistence.map_or(u64::MAX, |p| p.bytes_until_checkpoint());
    let ftl = &store.ftl;
    let empty = |&s: &SuperblockId| {
        ftl.superblocks.is_closed(s)
            && ftl.l2p.occupied_in(s) == 0
            && persistence.is_none_or(|p| !p.needs(s))
    };
    let all = env.layout.superblocks_of(Pool::Data).each();
    let empty = env
        .layout
        .mp_pages_of(Pool::Data, all.filter(empty).count() as u32);
    let mp_pages = ftl.space.free(Pool::Data) + empty - env.limits.gc_start;
    let mp_pages = u64::try_from(mp_pages).unwrap_or(0);
    let data = u64::from(spec.parity_data.unwrap_or(1));
    let with_parity = data + u64::from(spec.parity_data.is_some());
    let pages = mp_pages * data / with_parity * u64::from(spec.pages_per_mp_page);
    Some(checkpoint.min(pages * PAGE_BYTES))
}
