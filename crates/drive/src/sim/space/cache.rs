//! The SLC cache: what enters it, how much of it there is, when it is emptied.
//!
//! Superblocks of its own (static) are taken first, then superblocks of the main area in SLC
//! mode (dynamic), as far as the drive allows and the main area has room. Where neither is
//! left the host waits, or writes to the main area. Long requests may pass it by, in a stream
//! of their own. A slot of a dynamic superblock takes as
//! much from the main area's free space as its word line would hold.
//!
//! It is emptied by on-chip copy ([`crate::sim::space::fold`]) or through the controller, as collection
//! empties a superblock of the main area ([`crate::sim::space::collect`]); either way in the order in
//! which it was filled: in the background above a watermark, at full speed when the host
//! would have to wait or the main area needs the space, and in idle time.

use crate::sim::SimDrive;
use crate::sim::data::streams::StreamId;
use crate::sim::map::layout::Pool;
use crate::sim::map::shape::Mode;
use crate::spec::{Emptying, WhenFull};

/// Where a superblock comes from, and how its cells are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Kind {
    pub pool: Pool,
    pub mode: Mode,
}

impl Kind {
    pub const STATIC: Kind = Kind {
        pool: Pool::Cache,
        mode: Mode::Slc,
    };
    pub const DYNAMIC: Kind = Kind {
        pool: Pool::Main,
        mode: Mode::Slc,
    };
    pub const NATIVE: Kind = Kind {
        pool: Pool::Main,
        mode: Mode::Native,
    };
}

impl SimDrive {
    /// What a stream opens next.
    #[inline(always)]
    pub(in crate::sim) fn next_kind(&self, id: StreamId) -> Kind {
        match self.limits.always[id.number()] {
            Some(kind) => kind,
            None => self.promised_kind(id).unwrap_or_else(|| self.host_kind()),
        }
    }

    fn host_kind(&self) -> Kind {
        let cache = self.cache_spec();
        let waits = cache.when_full == WhenFull::Wait;
        let floor = self.limits.host_floor[Pool::Cache as usize];
        let one = self.slots(Pool::Cache, 1);
        if self.superblocks.erased(Pool::Cache) > 0
            && self.free_slots[Pool::Cache as usize] >= floor + one
        {
            return Kind::STATIC;
        }
        let main_floor = self.limits.host_floor[Pool::Main as usize];
        let in_slc_mode = self.superblocks.dynamic();
        let main = self.free_slots[Pool::Main as usize];
        if in_slc_mode < cache.dynamic_superblocks && main > main_floor + self.slots(Pool::Main, 1)
        {
            return Kind::DYNAMIC;
        }
        // A static one that is not there is waited for.
        if waits { Kind::STATIC } else { Kind::NATIVE }
    }

    /// Free slots that a slot of this kind takes from its pool.
    #[inline(always)]
    pub(in crate::sim) fn slot_cost(&self, kind: Kind) -> i64 {
        if kind == Kind::DYNAMIC {
            i64::from(self.env.spec.main.timing.pages_per_word_line())
        } else {
            1
        }
    }

    /// Takes the slots of one program.
    #[inline(always)]
    pub(in crate::sim) fn take_slots(&mut self, kind: Kind, together: u32) {
        self.free_slots[kind.pool as usize] -= i64::from(together) * self.slot_cost(kind);
        if kind == Kind::DYNAMIC {
            self.dynamic_taken += 1;
        }
    }

    /// So many slots that were taken hold nothing any more that has to be moved.
    #[inline(always)]
    pub(in crate::sim) fn give_slots(&mut self, kind: Kind, slots: u32) {
        let slots = i64::from(slots);
        self.free_slots[kind.pool as usize] += slots * self.slot_cost(kind);
        if kind == Kind::DYNAMIC {
            self.dynamic_taken -= slots;
        }
    }

    #[inline(always)]
    pub(in crate::sim) fn kind_of(&self, superblock: u32) -> Kind {
        Kind {
            pool: self.env.layout.pool_of_superblock(superblock),
            mode: self.superblocks.mode(superblock),
        }
    }

    /// Slots of the cache, static and dynamic, that hold data or have held it.
    pub(in crate::sim) fn cache_taken(&self) -> u64 {
        let pool = self.env.layout.pool(Pool::Cache);
        let all = self.slots(Pool::Cache, pool.superblocks);
        let of_static = all - self.free_slots[Pool::Cache as usize];
        (of_static + self.dynamic_taken).max(0) as u64
    }

    /// Slots of the cache that the host may still take.
    fn cache_free(&self) -> i64 {
        let dynamic = self.cache_spec().dynamic_superblocks;
        if !self.cache_spec().paced {
            // What is emptied is no room until it is erased.
            return self.slots(Pool::Cache, self.superblocks.erased(Pool::Cache) as u32);
        }
        if dynamic == 0 {
            return self.free_slots[Pool::Cache as usize];
        }
        // Whole superblocks: what is being emptied cannot be opened yet.
        let of_static = self.slots(Pool::Cache, self.superblocks.erased(Pool::Cache) as u32);
        let of_main =
            self.free_slots[Pool::Main as usize] - self.limits.host_floor[Pool::Main as usize];
        let allowed = dynamic.saturating_sub(self.superblocks.dynamic());
        let allowed = self.slots(Pool::Cache, allowed);
        of_static + allowed.min(of_main / self.slot_cost(Kind::DYNAMIC)).max(0)
    }

    /// The same, beside what the drive keeps for its own work.
    pub(in crate::sim) fn cache_free_for_host(&self) -> i64 {
        self.cache_free() - self.limits.host_floor[Pool::Cache as usize]
    }

    /// Whether the host, or collection that enters the cache, is about to wait for room in it.
    pub(in crate::sim) fn cache_pressed(&self) -> bool {
        let (cache, pressed) = (self.cache_spec(), self.limits.fold_pressed);
        cache.when_full == WhenFull::Wait && self.cache_free() < pressed
            || cache.takes_collected && self.free_slots[Pool::Cache as usize] < pressed
    }

    /// Whether the main area needs what dynamic superblocks take from it.
    pub(in crate::sim) fn main_wants_dynamic(&self) -> bool {
        self.dynamic_taken > 0 && self.free_slots[Pool::Main as usize] < self.limits.collect_start
    }

    /// What of the cache is to be emptied through the controller now: its number among the
    /// closed superblocks of the cache.
    #[inline]
    pub(in crate::sim) fn empties_cache(&self) -> Option<usize> {
        let through = self.limits.emptying == Some(Emptying::Controller);
        (through && self.wants_emptying())
            .then(|| self.next_to_empty())
            .flatten()
    }

    /// The oldest; where the main area has no room for what a static one may hold, the oldest
    /// dynamic one, which gives more than it takes.
    fn next_to_empty(&self) -> Option<usize> {
        let has_room = self.free_slots[Pool::Main as usize] >= self.limits.empty_room;
        let mut closed = self.superblocks.closed_cache().iter();
        closed.position(|&superblock| has_room || self.kind_of(superblock) == Kind::DYNAMIC)
    }

    fn wants_emptying(&self) -> bool {
        if self.superblocks.closed_cache().is_empty() {
            return false;
        }
        if self.idle.working() {
            return self.idle.in_slice();
        }
        self.cache_taken() > self.cache_spec().fold_start_slots
            || self.cache_pressed()
            || self.main_wants_dynamic()
    }
}
