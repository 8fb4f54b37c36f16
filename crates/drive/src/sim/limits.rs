//! What follows from the spec alone and is asked for at every request, worked out once.

use stend_base::Nanos;

use super::layout::{Layout, Pool};
use crate::spec::Spec;

/// Thresholds in slots, and times by row.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The pool that takes new data.
    pub entry_pool: Pool,
    /// Free slots of the entry pool that the host must leave to the drive's own work.
    pub host_floor: i64,
    /// Free slots of the main area below which collection runs.
    pub collect_start: i64,
    /// Free slots of the main area below which collection runs in idle time.
    pub collect_idle: i64,
    /// Free slots of the cache that collection must leave.
    pub collect_cache_floor: i64,
    /// Free slots of the main area that folding must leave.
    pub fold_main_floor: i64,
    /// Free slots of the cache below which folding runs on all dies.
    pub fold_pressed: i64,
    /// tR by row, cache and main area.
    pub read: [Vec<Nanos>; 2],
    /// tPROG by row of the entry pool.
    pub program: Vec<Nanos>,
    /// Slots that so many units take, with their parity.
    slots_for: Vec<u32>,
}

impl Limits {
    pub fn new(spec: &Spec, layout: &Layout) -> Limits {
        let entry_pool = match &spec.cache {
            Some(_) => Pool::Cache,
            None => Pool::Main,
        };
        let slots = |pool: Pool, superblocks: u32| {
            i64::from(superblocks) * i64::from(layout.pool(pool).slots_per_superblock)
        };
        let collect = &spec.collect;
        let further = spec.further_streams();
        let host_streams = spec.streams.as_ref().map_or(1, |s| s.host_streams);
        let host_floor = match entry_pool {
            // Each further stream of the host may hold a slot that is not full, and one of
            // parity behind it, beyond what one stream would.
            Pool::Main => {
                slots(Pool::Main, collect.reserve_superblocks + further)
                    + 2 * i64::from(host_streams - 1)
            }
            // Beside collection's own reserve: three being folded, and two open.
            Pool::Cache => slots(Pool::Cache, collect.cache_reserve_superblocks + 5),
        };
        let most = spec.buffer.write_units + spec.units_per_slot;
        let slots_for: Vec<u32> = (0..=most).map(|units| slots_for(spec, units)).collect();
        let host_pressed = host_floor + i64::from(slots_for[most as usize]) + 1;
        let wanted = slots(Pool::Main, collect.start_superblocks + further);
        let collect_start = match entry_pool {
            Pool::Main => wanted.max(host_pressed),
            Pool::Cache => wanted,
        };
        let cache = spec.cache.as_ref().map(|cache| &cache.pool);
        let read = |pool: &crate::spec::PoolSpec| -> Vec<Nanos> {
            (0..pool.rows).map(|row| pool.timing.read_at(row)).collect()
        };
        let entry = cache.unwrap_or(&spec.main);
        Limits {
            entry_pool,
            host_floor,

            collect_start,
            collect_idle: slots(Pool::Main, spec.idle.target_superblocks + further)
                .max(collect_start),
            collect_cache_floor: slots(Pool::Cache, collect.cache_reserve_superblocks),
            fold_main_floor: slots(Pool::Main, collect.reserve_superblocks),
            fold_pressed: (host_floor + slots(Pool::Cache, 1)).max(host_pressed),
            read: [cache.map(read).unwrap_or_default(), read(&spec.main)],
            program: (0..entry.rows)
                .map(|row| entry.timing.program_at(row))
                .collect(),
            slots_for,
        }
    }

    /// Slots of the entry pool that `units` take, with their parity. `units` are at most
    /// those of the write buffer and one slot.
    #[inline]
    pub fn slots_for(&self, units: u32) -> i64 {
        i64::from(self.slots_for[units as usize])
    }
}

fn slots_for(spec: &Spec, units: u32) -> u32 {
    let slots = units.div_ceil(spec.units_per_slot);
    slots + spec.parity_data.map_or(0, |data| slots.div_ceil(data))
}
