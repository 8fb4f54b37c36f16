//! Emptying of the SLC cache through the controller: GC reads the superblock chosen here, and
//! relocates its valid pages to the data area. [`crate::sim::fold`] empties caches by on-chip copy
//! instead.

use stend_model::spec::Emptying;

use crate::sim::env::Env;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Pool;
use crate::sim::idle::Idle;
use crate::sim::store::Store;

/// Index, among the closed superblocks of the SLC cache, of the one to be emptied now.
#[inline(always)]
pub(in crate::sim) fn next(env: &Env, store: &Store, idle: &Idle) -> Option<usize> {
    match env.limits.emptying {
        Some(Emptying::Controller) => find_next(env, store, idle),
        _ => None,
    }
}

fn find_next(env: &Env, store: &Store, idle: &Idle) -> Option<usize> {
    if !is_wanted(env, store, idle) {
        return None;
    }
    // The oldest superblock; if the data area is short, or has no room for the content of a static
    // one, the oldest dynamic one, which frees more of the data area than it occupies. Otherwise
    // the host would wait until all older static ones have been moved there.
    let ftl = &store.ftl;
    let has_room =
        ftl.space.free(Pool::Data) >= env.limits.empty_room && !ftl.data_area_needs_dynamic(env);
    let mut closed = ftl.superblocks.closed_cache().iter();
    closed.position(|&superblock| has_room || ftl.kind_of(env, superblock) == Kind::DYNAMIC)
}

fn is_wanted(env: &Env, store: &Store, idle: &Idle) -> bool {
    let ftl = &store.ftl;
    if ftl.superblocks.closed_cache().is_empty() {
        return false;
    }
    if idle.working() {
        return idle.in_slice();
    }
    ftl.cache_taken(env) > env.spec.cache().fold_start_mp_pages && idle.beside_writes(env)
        || is_awaited(env, store)
}

/// True if something waits, or soon will, for the space that emptying frees.
pub(in crate::sim) fn is_awaited(env: &Env, store: &Store) -> bool {
    store.ftl.cache_is_short(env) || store.ftl.data_area_needs_dynamic(env)
}
