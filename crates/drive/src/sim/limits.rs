//! What follows from the spec alone and is asked for at every request, worked out once.

use stend_base::Nanos;

use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{STREAMS_MAX as MOST, StreamId};
use crate::spec::{Emptying, FoldLimit, Spec, UNIT_BYTES, WhenFull};

/// Thresholds in slots, and times by row.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Limits {
    /// What each stream opens whenever it needs a superblock; `None` where it depends on the
    /// room there is.
    pub always: [Option<Kind>; MOST],
    /// What holds the host back, where all it writes always opens the same.
    pub host: Option<HostLimit>,
    /// Collection may be asked for by something else than want of space.
    pub collects_otherwise: bool,
    /// How the SLC cache is emptied, if there is one.
    pub emptying: Option<Emptying>,
    /// Slots under way while the cache is emptied through the controller and nobody waits for
    /// it, if they are fewer than those of collection.
    pub emptying_paced: Option<u32>,
    /// Free slots of each pool that the host must leave to the drive's own work.
    pub host_floor: [i64; 2],
    /// Free slots of the main area below which collection runs.
    pub collect_start: i64,
    /// Free slots of the main area below which collection runs in idle time.
    pub collect_idle: i64,
    /// Free slots of the cache that collection must leave.
    pub collect_cache_floor: i64,
    /// Free slots of the main area that folding must leave.
    pub fold_main_floor: i64,
    /// Free slots of the main area below which no static superblock of the cache is emptied
    /// through the controller: as many as it may hold above those that folding must leave.
    pub empty_room: i64,
    /// Free slots of the cache below which folding runs on all dies.
    pub fold_pressed: i64,
    /// tR by mode and row.
    pub read: [Vec<Nanos>; 2],
    /// tPROG by mode and row; where rows are programmed together, of all of them.
    pub program: [Vec<Nanos>; 2],
    /// Bytes of one program, by mode.
    pub program_bytes: [u32; 2],
    /// Slots that so many units take, with their parity, by mode.
    slots_for: [Vec<u32>; 2],
}

/// What the host opens, and the free slots that it must leave there.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct HostLimit {
    pub kind: Kind,
    pub floor: i64,
}

impl HostLimit {
    fn new(kind: Kind, floor: i64) -> HostLimit {
        // Where it is not held above a floor, it fills a superblock of the cache to its end.
        let unpaced = kind == Kind::STATIC && floor == 0;
        HostLimit {
            kind,
            floor: if unpaced { i64::MIN / 2 } else { floor },
        }
    }
}

impl Limits {
    pub fn new(spec: &Spec, layout: &Layout) -> Limits {
        let slots = |pool: Pool, superblocks: u32| {
            i64::from(superblocks) * i64::from(layout.pool(pool).slots_per_superblock)
        };
        let cache = spec.cache.as_ref();
        let collect = &spec.collect;
        let further = spec.further_streams();
        let host_streams = spec.host_streams();
        // Each further stream of the host may hold a slot that is not full, and one of
        // parity behind it, beyond what one stream would.
        let kept = collect.reserve_superblocks + further + spec.superblocks_half_folded();
        let main_floor = slots(Pool::Main, kept) + 2 * i64::from(host_streams - 1);
        let cache_floor = slots(Pool::Cache, cache_superblocks_kept(spec));
        let most = spec.buffer.write_units + spec.program_units();
        let slots_for = Mode::ALL.map(|mode| {
            (0..=most)
                .map(|units| slots_for_units(spec, layout.shape(mode).together, units))
                .collect::<Vec<u32>>()
        });
        let room = |mode: Mode| i64::from(slots_for[mode as usize][most as usize]) + 1;
        let wanted = slots(Pool::Main, collect.start_superblocks + further);
        let fold_main_floor = slots(Pool::Main, collect.reserve_superblocks);
        let native = layout.shape(Mode::Native);
        let slc_units = layout.shape(Mode::Slc).data_slots * spec.units_per_slot;
        let empty_room = fold_main_floor
            + i64::from(slots_for_units(spec, native.together, slc_units) + native.together);
        let main_pressed = main_floor + room(Mode::Native);
        let collect_start = match cache {
            None => wanted.max(main_pressed),
            // What the host writes there directly or in SLC mode must find room: an open
            // superblock, and one to open.
            Some(cache) if cache.opens_main() => {
                let bits = i64::from(spec.main.timing.pages_per_word_line());
                let needed = slots(Pool::Main, 2) + bits * room(Mode::Slc);
                let host = main_pressed.max(main_floor + needed);
                wanted.max(host).max(empty_room)
            }
            Some(cache) if cache.emptying == Emptying::Controller => wanted.max(empty_room),
            Some(_) => wanted,
        };
        let times = |pool: &crate::spec::PoolSpec, program: Option<Nanos>| {
            let read = (0..pool.rows).map(|row| pool.timing.read_at(row));
            let one = |row| program.unwrap_or_else(|| pool.timing.program_at(row));
            (read.collect(), (0..pool.rows).map(one).collect())
        };
        let (slc_read, slc_program) = cache.map(|c| times(&c.pool, None)).unwrap_or_default();
        let (read, program) = times(&spec.main, spec.one_shot);
        let cache_pressed = cache_floor + slots(Pool::Cache, 1);
        let always = always(spec);
        let host_floor = [cache_floor, main_floor];
        Limits {
            host: always[0]
                .filter(|_| cache.is_none() || spec.host_streams() == 1)
                .map(|kind| HostLimit::new(kind, host_floor[kind.pool as usize])),
            always,
            collects_otherwise: spec.media.is_some()
                || spec.power_loss.is_some()
                || cache.is_some_and(|cache| cache.emptying == Emptying::Controller),
            emptying: cache.map(|cache| cache.emptying),
            emptying_paced: cache.and_then(|cache| match cache.fold_limit {
                FoldLimit::Slots(slots) => Some(slots),
                FoldLimit::None | FoldLimit::Dies { .. } => None,
            }),
            host_floor,
            collect_start,
            collect_idle: slots(Pool::Main, spec.idle.target_superblocks + further)
                .max(collect_start),
            collect_cache_floor: slots(Pool::Cache, collect.cache_reserve_superblocks),
            fold_main_floor,
            empty_room,
            fold_pressed: cache_pressed.max(cache_floor + room(Mode::Slc)),
            read: [slc_read, read],
            program: [slc_program, program],
            program_bytes: Mode::ALL
                .map(|mode| layout.shape(mode).together * spec.units_per_slot * UNIT_BYTES as u32),
            slots_for,
        }
    }

    /// Slots of a mode that `units` take, with their parity. `units` are at most those of the
    /// write buffer and of one program.
    #[inline]
    pub fn slots_for(&self, mode: Mode, units: u32) -> i64 {
        i64::from(self.slots_for[mode as usize][units as usize])
    }
}

/// What each stream always opens.
fn always(spec: &Spec) -> [Option<Kind>; MOST] {
    let Some(cache) = &spec.cache else {
        return [Some(Kind::NATIVE); MOST];
    };
    let fixed = !cache.is_either();
    let collected = if cache.takes_collected {
        Kind::STATIC
    } else {
        Kind::NATIVE
    };
    std::array::from_fn(|number| match StreamId::nth(number) {
        StreamId::HOST => fixed.then_some(Kind::STATIC),
        id if id.is_host() => Some(Kind::NATIVE),
        _ => Some(collected),
    })
}

/// Superblocks of the cache that the host leaves free, where it waits for them or collection
/// needs them.
pub(crate) fn cache_superblocks_kept(spec: &Spec) -> u32 {
    let Some(cache) = &spec.cache else {
        return 0;
    };
    let goes_elsewhere = cache.when_full == WhenFull::Bypass || cache.dynamic_superblocks > 0;
    if (goes_elsewhere || !cache.paced) && !cache.takes_collected {
        return 0;
    }
    match cache.emptying {
        // Beside collection's own reserve: what is being folded, three of TLC, and two open.
        Emptying::OnChip => spec.collect.cache_reserve_superblocks + 5,
        // One being emptied.
        Emptying::Controller => 1,
    }
}

fn slots_for_units(spec: &Spec, together: u32, units: u32) -> u32 {
    let programs = units.div_ceil(spec.units_per_slot * together);
    let parity = spec.parity_data.map_or(0, |data| programs.div_ceil(data));
    (programs + parity) * together
}
