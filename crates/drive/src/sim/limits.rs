//! Figures that every request needs and that follow from the spec alone, computed once.

use stend_model::spec::{Emptying, FoldLimit, PAGE_BYTES, Spec};

use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::{Layout, Pool};
use crate::sim::geometry::shape::{Mode, Shape};
use crate::sim::ids::{STREAMS_MAX as MOST, StreamId};

/// Thresholds in multi-plane pages.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Limits {
    /// Kind that each stream opens whenever it needs a superblock; `None` if it depends on free
    /// space.
    pub always: [Option<Kind>; MOST],
    /// The host's reserve, if all of its writes always open superblocks of one kind.
    pub host: Option<HostReserve>,
    /// True if GC may run for other reasons than space.
    pub gc_beside_space: bool,
    /// True if patrol reads find data to refresh.
    pub patrols: bool,
    /// Method to empty the SLC cache, if there is one.
    pub emptying: Option<Emptying>,
    /// Multi-plane pages under way while the cache is emptied through the controller and nothing
    /// waits for it, if they are fewer than those of GC.
    pub emptying_paced: Option<u32>,
    /// Maximum of dies that fold at once.
    pub fold_dies_max: u32,
    /// Free multi-plane pages of each pool that the host must leave to the drive's own work.
    pub host_floor: [i64; 2],
    /// Free multi-plane pages of the data area below which GC runs.
    pub gc_start: i64,
    /// Free multi-plane pages of the data area below which GC runs in idle time.
    pub gc_idle: i64,
    /// Free multi-plane pages of the cache that GC must leave.
    pub gc_cache_floor: i64,
    /// Free multi-plane pages of the data area that folding must leave.
    pub fold_data_floor: i64,
    /// Free multi-plane pages of the data area below which no static superblock of the cache is
    /// emptied through the controller: its content, in addition to the pages that folding must
    /// leave.
    pub empty_room: i64,
    /// Free multi-plane pages of the cache below which folding runs on all dies.
    pub fold_all_below: i64,
    /// Bytes of one program, by mode.
    pub program_bytes: [u32; 2],
    /// Multi-plane pages that a number of pages occupies, with their parity, by mode and number.
    mp_pages_for: [Vec<u32>; 2],
}

/// Kind of superblock that the host opens, and the free multi-plane pages that it must leave there.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct HostReserve {
    pub kind: Kind,
    pub floor: i64,
    /// Multi-plane pages of the SLC cache that are emptied at once, for which the data area needs
    /// room; 0 if the host does not wait for them.
    pub emptied_at_once: i64,
}

impl Limits {
    pub fn new(spec: &Spec, layout: &Layout) -> Limits {
        let mp_pages = |pool: Pool, superblocks: u32| {
            i64::from(superblocks) * i64::from(layout.pool(pool).mp_pages_per_superblock)
        };
        let cache = spec.cache.as_ref();
        let gc = &spec.gc;
        let further = spec.further_streams();
        let host_streams = spec.host_streams();
        // Each further stream of the host may hold a multi-plane page that is not full, and one of
        // parity after it, beyond the pages of one stream.
        let kept = gc.reserve_superblocks + further + spec.superblocks_half_folded();
        let data_floor = mp_pages(Pool::Data, kept) + 2 * i64::from(host_streams - 1);
        let cache_floor = mp_pages(Pool::SlcCache, spec.cache_superblocks_kept());
        let most = spec.buffer.write_pages + spec.program_pages();
        let mp_pages_for = Mode::ALL.map(|mode| {
            let shape = layout.shape(mode);
            let all = (0..=most).map(|pages| mp_pages_with_parity(spec, shape, pages));
            all.collect::<Vec<u32>>()
        });
        let room = |mode: Mode| i64::from(mp_pages_for[mode as usize][most as usize]) + 1;
        let fold_data_floor = mp_pages(Pool::Data, gc.reserve_superblocks);
        let native = layout.shape(Mode::Native);
        let slc_pages = layout.shape(Mode::Slc).data_mp_pages * spec.pages_per_mp_page;
        let emptied = mp_pages_with_parity(spec, native, slc_pages) + native.mp_pages_per_program;
        let empty_room = fold_data_floor + i64::from(emptied);
        let wanted = mp_pages(Pool::Data, gc.start_superblocks + further);
        let gc_start = wanted.max(match cache {
            None => data_floor + room(Mode::Native),
            Some(cache) if cache.opens_data() => {
                let host = data_floor + room_to_open(spec, layout, Mode::ALL.map(room));
                host.max(empty_room)
            }
            Some(cache) if cache.emptying == Emptying::Controller => empty_room,
            Some(_) => wanted,
        });
        let cache_needed = cache_floor + mp_pages(Pool::SlcCache, 1);
        let always = always(spec);
        let (emptying_paced, fold_dies_max) = fold_limits(spec);
        let host_floor = [cache_floor, data_floor];
        Limits {
            host: host_reserve(spec, layout, always[0], host_floor),
            always,
            gc_beside_space: spec.media.is_some()
                || spec.power_loss.is_some()
                || cache.is_some_and(|cache| cache.emptying == Emptying::Controller),
            patrols: spec
                .media
                .as_ref()
                .is_some_and(|media| media.patrol_interval.is_some()),
            emptying: cache.map(|cache| cache.emptying),
            emptying_paced,
            fold_dies_max,
            host_floor,
            gc_start,
            gc_idle: mp_pages(Pool::Data, spec.idle.target_superblocks + further).max(gc_start),
            gc_cache_floor: mp_pages(Pool::SlcCache, gc.slc_reserve_superblocks),
            fold_data_floor,
            empty_room,
            fold_all_below: cache_needed.max(cache_floor + room(Mode::Slc)),
            program_bytes: Mode::ALL.map(|mode| {
                layout.shape(mode).mp_pages_per_program * spec.pages_per_mp_page * PAGE_BYTES as u32
            }),
            mp_pages_for,
        }
    }

    /// True if the host waits for its SLC cache, and is paced by the room that GC makes.
    #[inline(always)]
    pub fn paces_host(&self) -> bool {
        self.host.is_some_and(|host| host.emptied_at_once > 0)
    }

    /// Multi-plane pages of a mode that `pages` occupy, with their parity. `pages` are at most
    /// those of the write buffer and of one program.
    #[inline]
    pub fn mp_pages_for(&self, mode: Mode, pages: u32) -> i64 {
        i64::from(self.mp_pages_for[mode as usize][pages as usize])
    }
}

/// Multi-plane pages of the data area for data that the host writes there directly or in SLC mode;
/// all that it may write occupies `room`, by mode. Beside an open superblock, there is one to open.
fn room_to_open(spec: &Spec, layout: &Layout, room: [i64; 2]) -> i64 {
    let [slc, native] = room;
    let bits = i64::from(spec.data.timing.pages_per_word_line());
    native.max(layout.mp_pages_of(Pool::Data, 2) + bits * slc)
}

/// Limits of the firmware on emptying the cache: [`Limits::emptying_paced`] and
/// [`Limits::fold_dies_max`].
fn fold_limits(spec: &Spec) -> (Option<u32>, u32) {
    match spec.cache.as_ref().map(|cache| cache.fold_limit) {
        Some(FoldLimit::MpPages(mp_pages)) => (Some(mp_pages), spec.dies),
        Some(FoldLimit::Dies { most, .. }) => (None, most.min(spec.dies)),
        Some(FoldLimit::None) | None => (None, spec.dies),
    }
}

/// The host's reserve, if all of its writes always open superblocks of one kind.
fn host_reserve(
    spec: &Spec,
    layout: &Layout,
    always: Option<Kind>,
    floor: [i64; 2],
) -> Option<HostReserve> {
    let one_kind = spec.cache.is_none() || spec.host_streams() == 1;
    always.filter(|_| one_kind).map(|kind| HostReserve {
        kind,
        floor: floor[kind.pool as usize],
        emptied_at_once: layout.mp_pages_of(Pool::SlcCache, emptied_at_once(spec)),
    })
}

/// Superblocks of the SLC cache that are emptied together. 0 if GC enters the cache: it keeps
/// superblocks there for that, and the host leaves as many free.
fn emptied_at_once(spec: &Spec) -> u32 {
    match &spec.cache {
        Some(cache) if !cache.takes_gc => match cache.emptying {
            Emptying::Controller => 1,
            Emptying::OnChip => spec.data.timing.pages_per_word_line(),
        },
        _ => 0,
    }
}

/// Kind that each stream always opens.
fn always(spec: &Spec) -> [Option<Kind>; MOST] {
    let Some(cache) = &spec.cache else {
        return [Some(Kind::NATIVE); MOST];
    };
    let fixed = !cache.is_either();
    let gc = if cache.takes_gc {
        Kind::STATIC
    } else {
        Kind::NATIVE
    };
    std::array::from_fn(|number| match StreamId::nth(number) {
        StreamId::HOST => fixed.then_some(Kind::STATIC),
        id if id.is_host() => Some(Kind::NATIVE),
        _ => Some(gc),
    })
}

/// Multi-plane pages that `pages` occupy with their parity, in superblocks of this shape.
fn mp_pages_with_parity(spec: &Spec, shape: &Shape, pages: u32) -> u32 {
    let mp_pages_per_program = shape.mp_pages_per_program;
    let programs = pages.div_ceil(spec.pages_per_mp_page * mp_pages_per_program);
    let parity = spec.parity_data.map_or(0, |data| programs.div_ceil(data));
    (programs + parity) * mp_pages_per_program
}
