//! Places of physical pages: arithmetic only.
//!
//! Physical pages are numbered superblock by superblock, the cache before the data area; within a
//! superblock in the order in which multi-plane pages are filled ([`Shape`]). A superblock of the
//! data area that is used in SLC mode has fewer multi-plane pages, numbered from its first.

use std::ops::Range;

use crate::geometry::divider::Divider;
use crate::geometry::shape::{Mode, Shape};
use crate::ids::{MpPage, Ppn, SuperblockId};
use crate::spec::{PoolSpec, Spec};

/// The two kinds of superblocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Pool {
    /// Blocks reserved for the SLC cache.
    SlcCache = 0,
    /// The data area.
    Data = 1,
}

/// Places of the superblocks of a pool.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct PoolLayout {
    /// First superblock.
    pub first_superblock: SuperblockId,
    /// Number of superblocks.
    pub superblocks: u32,
    /// First multi-plane page of the first superblock.
    pub first_mp_page: MpPage,
    /// Multi-plane pages of each, parity included.
    pub mp_pages_per_superblock: u32,
    by_superblock: Divider,
}

/// Places of all pages of a drive.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Layout {
    /// Dies of the drive.
    pub dies: u32,
    /// Logarithm to base 2 of the pages of a multi-plane page.
    pub page_bits: u32,
    /// Flash pages of a multi-plane page, one of each plane.
    pub flash_pages: u32,
    /// One bit for the last page of each flash page.
    last_of_flash_pages: u32,
    shapes: [Shape; 2],
    pools: [PoolLayout; 2],
}

impl Layout {
    /// The layout of a drive with these figures.
    #[inline]
    pub fn new(spec: &Spec) -> Layout {
        let stride = spec.parity_data.map_or(0, |data| data + 1);
        let cache = spec.cache.as_ref().map(|cache| &cache.pool);
        let (cache_superblocks, cache_rows) = cache.map_or((0, 1), |c| (c.superblocks, c.rows));
        let bits = spec.data.timing.pages_per_word_line();
        let mp_pages_per_program = if spec.one_shot.is_some() { bits } else { 1 };
        let slc = Shape::new(spec.dies, cache_rows, 1, 1, stride);
        let native = Shape::new(
            spec.dies,
            spec.data.rows,
            bits,
            mp_pages_per_program,
            stride,
        );
        Layout {
            dies: spec.dies,
            page_bits: spec.pages_per_mp_page.trailing_zeros(),
            flash_pages: spec.pages_per_mp_page / spec.pages_per_flash_page,
            last_of_flash_pages: (1..=u32::BITS)
                .filter(|end| end.is_multiple_of(spec.pages_per_flash_page))
                .fold(0, |bits, end| bits | 1 << (end - 1)),
            shapes: [slc, native],
            pools: [
                PoolLayout {
                    first_superblock: SuperblockId(0),
                    superblocks: cache_superblocks,
                    first_mp_page: MpPage(0),
                    mp_pages_per_superblock: slc.mp_pages,
                    by_superblock: Divider::new(slc.mp_pages),
                },
                PoolLayout {
                    first_superblock: SuperblockId(cache_superblocks),
                    superblocks: spec.data.superblocks,
                    first_mp_page: MpPage(cache_superblocks * slc.mp_pages),
                    mp_pages_per_superblock: native.mp_pages,
                    by_superblock: Divider::new(native.mp_pages),
                },
            ],
        }
    }

    /// Places of the superblocks of a pool.
    #[inline]
    pub fn pool(&self, pool: Pool) -> &PoolLayout {
        &self.pools[pool as usize]
    }

    /// Numbering of the multi-plane pages of a superblock in this mode.
    #[inline]
    pub fn shape(&self, mode: Mode) -> &Shape {
        &self.shapes[mode as usize]
    }

    /// Number of flash pages that contain the given pages of a multi-plane page; `pages` has a bit
    /// for each.
    #[inline]
    pub fn flash_pages_of(&self, pages: u32) -> u32 {
        // In each flash page, the sum carries to the bit of its last page if any other bit is set.
        let last = self.last_of_flash_pages;
        let carried = (pages & !last) + !last;
        ((carried | pages) & last).count_ones()
    }

    /// Multi-plane pages of `superblocks` superblocks of a pool.
    #[inline]
    pub fn mp_pages_of(&self, pool: Pool, superblocks: u32) -> i64 {
        i64::from(superblocks) * i64::from(self.pool(pool).mp_pages_per_superblock)
    }

    /// Superblocks of the drive.
    #[inline]
    pub fn superblocks(&self) -> u32 {
        self.pools[0].superblocks + self.pools[1].superblocks
    }

    /// All superblocks, those of the SLC cache first.
    #[inline]
    pub fn all_superblocks(&self) -> Range<SuperblockId> {
        SuperblockId(0)..SuperblockId(self.superblocks())
    }

    /// The superblocks of a pool.
    #[inline]
    pub fn superblocks_of(&self, pool: Pool) -> Range<SuperblockId> {
        let PoolLayout {
            first_superblock,
            superblocks,
            ..
        } = *self.pool(pool);
        first_superblock..first_superblock + superblocks
    }

    /// The multi-plane pages of a superblock, as many as it has in native mode.
    #[inline]
    pub fn mp_pages_in(&self, superblock: SuperblockId) -> Range<MpPage> {
        let pool = self.pool(self.pool_of_superblock(superblock));
        let first = self.first_mp_page(superblock);
        first..first + pool.mp_pages_per_superblock
    }

    /// Multi-plane pages of the drive.
    #[inline]
    pub fn mp_pages(&self) -> u32 {
        self.pools[1].first_mp_page.0
            + self.pools[1].superblocks * self.pools[1].mp_pages_per_superblock
    }

    /// The pool of a superblock.
    #[inline]
    pub fn pool_of_superblock(&self, superblock: SuperblockId) -> Pool {
        if superblock < self.pools[1].first_superblock {
            Pool::SlcCache
        } else {
            Pool::Data
        }
    }

    /// Superblock of a multi-plane page, and the page's number within it.
    #[inline]
    pub fn within_superblock(&self, mp_page: MpPage) -> (SuperblockId, u32) {
        let data_area = &self.pools[1];
        if mp_page >= data_area.first_mp_page {
            let (nth, within) = data_area
                .by_superblock
                .divide(mp_page - data_area.first_mp_page);
            (data_area.first_superblock + nth, within)
        } else {
            let (nth, within) = self.pools[0].by_superblock.divide(mp_page.0);
            (SuperblockId(nth), within)
        }
    }

    /// The superblock of a multi-plane page.
    #[inline]
    pub fn superblock_of(&self, mp_page: MpPage) -> SuperblockId {
        self.within_superblock(mp_page).0
    }

    /// The superblock of a physical page.
    #[inline(always)]
    pub fn superblock_of_ppn(&self, ppn: Ppn) -> SuperblockId {
        self.superblock_of(ppn.mp_page(self.page_bits))
    }

    /// All multi-plane pages on the word line of `mp_page` of a superblock in this mode, with
    /// itself, in the order in which they are programmed.
    #[inline]
    pub fn word_line(&self, mp_page: MpPage, mode: Mode) -> impl Iterator<Item = MpPage> + use<> {
        let (_, within) = self.within_superblock(mp_page);
        let first = mp_page - within;
        self.shape(mode).word_line(within).map(move |w| first + w)
    }

    /// All multi-plane pages of the stripe of `mp_page` of a superblock in this mode, with itself
    /// and the parity.
    #[inline]
    pub fn stripe(&self, mp_page: MpPage, mode: Mode) -> impl Iterator<Item = MpPage> + use<> {
        let (_, within) = self.within_superblock(mp_page);
        let (first, shape) = (mp_page - within, *self.shape(mode));
        (0..).map_while(move |nth| shape.nth_of_stripe(within, nth).map(|other| first + other))
    }

    /// Number of the first multi-plane page of a superblock.
    #[inline]
    pub fn first_mp_page(&self, superblock: SuperblockId) -> MpPage {
        let pool = &self.pools[self.pool_of_superblock(superblock) as usize];
        pool.first_mp_page + (superblock - pool.first_superblock) * pool.mp_pages_per_superblock
    }
}

/// Amount of data that fits in a drive's geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Pages of data in the data area, without parity.
    pub data_pages: u64,
    /// Pages of one superblock of the data area, without parity.
    pub data_superblock_pages: u64,
    /// Pages of all kinds, with parity and SLC cache.
    pub all_pages: u64,
}

/// Capacity of `spec`; `None` if it is more than 32 bits can number.
#[inline]
pub fn capacity(spec: &Spec) -> Option<Capacity> {
    let pages = u64::from(spec.pages_per_mp_page);
    let raw = |pool: &PoolSpec| {
        u64::from(pool.superblocks) * u64::from(pool.rows) * u64::from(spec.dies) * pages
    };
    let all_pages = raw(&spec.data) + spec.cache.as_ref().map_or(0, |cache| raw(&cache.pool));
    if all_pages >= u64::from(u32::MAX - 1) {
        return None;
    }
    let layout = Layout::new(spec);
    let data_superblock_pages = u64::from(layout.shape(Mode::Native).data_mp_pages) * pages;
    Some(Capacity {
        data_pages: data_superblock_pages * u64::from(spec.data.superblocks),
        data_superblock_pages,
        all_pages,
    })
}

/// Maximum of pages that the host of a drive may address: the pages of its data area, less those
/// kept back, in open superblocks, and being collected. `None` as for [`capacity`].
#[inline]
pub fn user_pages_max(spec: &Spec) -> Option<u64> {
    let capacity = capacity(spec)?;
    let buffer = u64::from(spec.buffer.write_pages);
    let bits = u64::from(spec.data.timing.pages_per_word_line());
    // Superblocks that the host opens directly in the data area must fit in it.
    let (superblocks, pages) = match &spec.cache {
        None => (0, 2 * buffer),
        Some(cache) if cache.dynamic_superblocks > 0 => {
            (3 + spec.superblocks_half_folded(), 2 * bits * buffer)
        }
        Some(cache) if cache.opens_data() => (3, 2 * buffer),
        Some(_) => (0, 0),
    };
    let spares = spec.health.as_ref().map_or(0, |h| h.spare_superblocks);
    let kept = spec.gc.start_superblocks + 3 + spec.further_streams() + superblocks + spares;
    let kept = u64::from(kept) * capacity.data_superblock_pages + pages;
    Some(capacity.data_pages.saturating_sub(kept))
}
