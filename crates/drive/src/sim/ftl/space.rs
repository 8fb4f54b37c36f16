//! Free space of the SLC cache and of the data area, counted in multi-plane pages.
//!
//! Space that GC or folding has emptied counts at once, before its superblock is erased, so that
//! the host and the drive's own work keep pace evenly. A multi-plane page of a dynamic superblock
//! (data area, SLC mode) occupies as much of the data area as its word line would hold.

use stend_model::spec::Spec;

use crate::sim::env::Env;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::{Layout, Pool};

/// The free space of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Space {
    /// Multi-plane pages not yet used, by pool.
    free: [i64; 2],
    /// Multi-plane pages used in dynamic superblocks.
    dynamic_taken: i64,
    /// While GC has a victim: multi-plane pages by which the space freed so far lags behind an even
    /// share of the space that the victim will free; below 0 if it is ahead.
    gc_lag: Option<i64>,
    /// True if the flash is worn out: nothing is written any more.
    read_only: bool,
}

impl Space {
    /// All space of a new drive, except spare superblocks.
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

    /// Free multi-plane pages of a pool. Below 0 if more are used than were freed.
    #[inline(always)]
    pub fn free(&self, pool: Pool) -> i64 {
        self.free[pool as usize]
    }

    /// Adds free multi-plane pages to a pool; below 0, they are lost permanently.
    #[inline]
    pub fn add(&mut self, pool: Pool, mp_pages: i64) {
        self.free[pool as usize] += mp_pages;
    }

    /// Starts over with these free multi-plane pages of each pool, and these used in dynamic
    /// superblocks.
    pub fn reset(&mut self, free: [i64; 2], dynamic_taken: i64) {
        (self.free, self.dynamic_taken, self.gc_lag) = (free, dynamic_taken, None);
    }

    /// Multi-plane pages by which the space freed by GC lags behind an even share of the space that
    /// its victim will free; `None` without a victim.
    #[inline(always)]
    pub fn gc_lag(&self) -> Option<i64> {
        self.gc_lag
    }

    /// Sets the lag after GC has processed more of its victim, or `None` if it has no victim.
    #[inline(always)]
    pub fn set_gc_lag(&mut self, mp_pages: Option<i64>) {
        self.gc_lag = mp_pages;
    }

    /// Multi-plane pages used in dynamic superblocks.
    pub fn dynamic_taken(&self) -> i64 {
        self.dynamic_taken
    }

    /// Free multi-plane pages of the pool that one multi-plane page of this kind occupies.
    #[inline(always)]
    pub fn cost(env: &Env, kind: Kind) -> i64 {
        if kind == Kind::DYNAMIC {
            i64::from(env.spec.data.timing.pages_per_word_line())
        } else {
            1
        }
    }

    /// Occupies the multi-plane pages of one program.
    #[inline(always)]
    pub fn take(&mut self, env: &Env, kind: Kind, mp_pages_per_program: u32) {
        self.free[kind.pool as usize] -= i64::from(mp_pages_per_program) * Space::cost(env, kind);
        if kind == Kind::DYNAMIC {
            self.dynamic_taken += 1;
        }
    }

    /// Frees `mp_pages` used multi-plane pages, which hold nothing that has to be moved any more.
    #[inline(always)]
    pub fn give(&mut self, env: &Env, kind: Kind, mp_pages: u32) {
        let mp_pages = i64::from(mp_pages);
        self.free[kind.pool as usize] += mp_pages * Space::cost(env, kind);
        if kind == Kind::DYNAMIC {
            self.dynamic_taken -= mp_pages;
        }
    }

    /// True if the flash is worn out.
    #[inline(always)]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Marks the flash as worn out. Returns true if it was before.
    pub fn set_read_only(&mut self) -> bool {
        std::mem::replace(&mut self.read_only, true)
    }
}
