//! Free space of the SLC cache and of the data area, counted in multi-plane pages.
//!
//! What GC or folding has emptied counts at once, before its superblock is erased, so that the host
//! and the drive's own work keep pace evenly. A multi-plane page of a dynamic superblock (data
//! area, SLC mode) takes as much of the data area as its word line would hold.

use stend_model::spec::Spec;

use crate::sim::env::Env;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::{Layout, Pool};

/// The free space of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Space {
    /// Multi-plane pages not yet taken, by pool.
    free: [i64; 2],
    /// Multi-plane pages taken in dynamic superblocks.
    dynamic_taken: i64,
    /// While GC has a victim: multi-plane pages by which what it has freed lags behind an even
    /// share of what the victim will; below 0 where it runs ahead.
    gc_lag: Option<i64>,
    /// The flash is worn out: nothing is written any more.
    read_only: bool,
}

impl Space {
    /// All of a new drive's, but for spare superblocks.
    pub fn new(spec: &Spec, layout: &Layout) -> Space {
        let free = |pool: Pool| {
            let spare = match (pool, &spec.health) {
                (Pool::Data, Some(health)) => health.spare_superblocks,
                _ => 0,
            };
            layout.mp_pages_of(pool, layout.pool(pool).superblocks - spare)
        };
        Space {
            free: [free(Pool::SlcCache), free(Pool::Data)],
            dynamic_taken: 0,
            gc_lag: None,
            read_only: false,
        }
    }

    /// Free multi-plane pages of a pool. Below 0 where more is taken than was freed.
    #[inline(always)]
    pub fn free(&self, pool: Pool) -> i64 {
        self.free[pool as usize]
    }

    /// Multi-plane pages of a pool become free, or are lost for good (below 0).
    #[inline]
    pub fn add(&mut self, pool: Pool, mp_pages: i64) {
        self.free[pool as usize] += mp_pages;
    }

    /// Starts over with so many free multi-plane pages by pool, and so many taken of dynamic
    /// superblocks.
    pub fn reset(&mut self, free: [i64; 2], dynamic_taken: i64) {
        (self.free, self.dynamic_taken, self.gc_lag) = (free, dynamic_taken, None);
    }

    /// Multi-plane pages by which what GC has freed lags behind an even share of what its victim
    /// will; `None` without a victim.
    #[inline(always)]
    pub fn gc_lag(&self) -> Option<i64> {
        self.gc_lag
    }

    /// GC has looked at more of its victim, or has none.
    #[inline(always)]
    pub fn set_gc_lag(&mut self, mp_pages: Option<i64>) {
        self.gc_lag = mp_pages;
    }

    /// Multi-plane pages taken in dynamic superblocks.
    pub fn dynamic_taken(&self) -> i64 {
        self.dynamic_taken
    }

    /// Free multi-plane pages that one of this kind takes from its pool.
    #[inline(always)]
    pub fn cost(env: &Env, kind: Kind) -> i64 {
        if kind == Kind::DYNAMIC {
            i64::from(env.spec.data.timing.pages_per_word_line())
        } else {
            1
        }
    }

    /// Takes the multi-plane pages of one program.
    #[inline(always)]
    pub fn take(&mut self, env: &Env, kind: Kind, mp_pages_per_program: u32) {
        self.free[kind.pool as usize] -= i64::from(mp_pages_per_program) * Space::cost(env, kind);
        if kind == Kind::DYNAMIC {
            self.dynamic_taken += 1;
        }
    }

    /// So many multi-plane pages that were taken hold nothing any more that has to be moved.
    #[inline(always)]
    pub fn give(&mut self, env: &Env, kind: Kind, mp_pages: u32) {
        let mp_pages = i64::from(mp_pages);
        self.free[kind.pool as usize] += mp_pages * Space::cost(env, kind);
        if kind == Kind::DYNAMIC {
            self.dynamic_taken -= mp_pages;
        }
    }

    /// Whether the flash is worn out.
    #[inline(always)]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The flash is worn out. Whether it was before.
    pub fn set_read_only(&mut self) -> bool {
        std::mem::replace(&mut self.read_only, true)
    }
}
