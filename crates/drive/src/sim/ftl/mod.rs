//! The flash translation layer: the flash and the write buffer, the L2P and its cache, superblocks,
//! free space, streams and their write points, and the write path through them.

pub(in crate::sim) mod fold_state;
mod heat;
pub(in crate::sim) mod l2p_cache;
pub(in crate::sim) mod reserve;
pub(in crate::sim) mod space;
pub(in crate::sim) mod streams;
pub(in crate::sim) mod write;
pub(in crate::sim) mod write_points;

use stend_model::spec::Spec;

use crate::sim::buffer::write_buffer::WriteBuffer;
use crate::sim::counters::Counters;
use crate::sim::geometry::layout::Layout;
use crate::sim::l2p::table::L2p;
use crate::sim::media::Media;
use crate::sim::superblocks::Superblocks;
use fold_state::FoldState;
use l2p_cache::L2pCache;
use space::Space;
use streams::Sorting;
use write_points::WritePoints;

/// The flash translation layer.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Ftl {
    pub media: Media,
    pub buffer: WriteBuffer,
    pub l2p: L2p,
    /// Present only if the table lies on flash.
    pub l2p_cache: Option<Box<L2pCache>>,
    pub superblocks: Superblocks,
    pub space: Space,
    pub sorting: Sorting,
    pub points: WritePoints,
    pub fold: FoldState,
    /// True if parity of stripes that are not full must survive a power cut.
    keeps_parity: bool,
    pub counted: Counters,
}

impl Ftl {
    /// A new FTL: nothing is mapped, all superblocks are erased.
    pub fn new(spec: &Spec, layout: &Layout, logical_pages: u32) -> Ftl {
        let mut l2p = L2p::new(*layout, logical_pages);
        if let Some(work) = &spec.trim.work {
            l2p.keep_pending_trims(work.deterministic);
        }
        let sorting = Sorting::new(spec, logical_pages);
        Ftl {
            media: Media::new(spec, layout),
            buffer: WriteBuffer::new(
                spec.buffer.write_pages,
                spec.pages_per_mp_page,
                layout.mp_pages(),
            ),
            l2p,
            l2p_cache: L2pCache::new(spec),
            superblocks: Superblocks::new(spec, layout),
            space: Space::new(spec, layout),
            points: WritePoints::new(spec, layout, sorting.numbers()),
            sorting,
            fold: FoldState::default(),
            keeps_parity: spec.power_loss.is_some()
                && spec.parity_data.is_some()
                && spec.media.is_some(),
            counted: Counters::default(),
        }
    }

    /// Forgets all streams and write points, as after everything has been erased.
    pub fn forget_writes(&mut self, spec: &Spec, layout: &Layout) {
        self.sorting = Sorting::new(spec, self.l2p.logical_pages());
        self.points = WritePoints::new(spec, layout, self.sorting.numbers());
    }

    /// One line for debugging a drive that makes no progress.
    pub fn diagnosis(&self) -> String {
        format!(
            "{:?}, {} dynamic superblocks, {}",
            self.space,
            self.superblocks.dynamic(),
            self.points.diagnosis()
        )
    }
}
