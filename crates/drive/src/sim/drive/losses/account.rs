//! An account of the pages that failed when data was lost. It is kept where a test wants it, and
//! takes no part in what the drive does.

use crate::sim::drive::SimDrive;
use crate::sim::geometry::layout::Pool;
use crate::sim::l2p::mapping::LOST;
use crate::sim::media::errors::PageState;
use crate::sim::persistence::StripeMember;

/// Why data was lost.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Its page could not be read: that page, and the others of its parity group that would
    /// be read instead; none without parity.
    Unreadable(PageState, Vec<PageState>),
    /// Its program found no block.
    NoBlock {
        /// Blocks that were left on its die.
        spares: u32,
        /// An erased superblock that nothing was promised was left to give its blocks.
        superblock_left: bool,
    },
}

/// Pages that were lost together.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How many.
    pub pages: u32,
    /// Logical units whose data went.
    pub units: Vec<u32>,
    /// First and end units of the read commands that wanted the page.
    pub met_by: Vec<(u32, u32)>,
    /// Why.
    pub cause: LossCause,
}

/// The account of a drive.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Losses {
    found: Vec<Loss>,
    /// Pages being rebuilt, by the number of the rebuild: as they were when they were sensed,
    /// since a block may have taken the place of another by the time that the last has come.
    open: Vec<(u32, PageState, Vec<PageState>)>,
    /// A test wants it.
    kept: bool,
}

impl SimDrive {
    /// Begins to keep account of what is lost.
    #[doc(hidden)]
    pub fn keep_losses(&mut self) {
        self.losses.kept = true;
    }

    /// What was lost since the last call.
    #[doc(hidden)]
    pub fn take_losses(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.losses.found)
    }

    /// The page that a read of a logical unit would sense, and those of its parity group
    /// that would be read instead; `None` where it would sense none.
    #[doc(hidden)]
    pub fn pages_of(&self, unit: u32) -> Option<(PageState, Vec<PageState>)> {
        let place = self.store.ftl.l2p.lookup(unit);
        let slot = place >> self.env.layout.unit_bits;
        if place >= LOST || !self.store.media.has_errors() || self.store.buffer.holds(slot) {
            return None;
        }
        Some((self.page_state(slot), self.stripe_states(slot)))
    }

    fn page_state(&self, slot: u32) -> PageState {
        let superblocks = &self.store.ftl.superblocks;
        self.store.media.page_state(&self.env, superblocks, slot)
    }

    fn stripe_states(&self, slot: u32) -> Vec<PageState> {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let mode = self.store.ftl.superblocks.mode(superblock);
        let shape = *self.env.layout.shape(mode);
        let first = slot - within;
        let stripe = (0..).map_while(|nth| shape.nth_of_group(within, nth));
        let others = stripe.map(|other| first + other).filter(|&o| o != slot);
        let pages = others.filter(|&other| {
            let member = self.store.stripe_member(&self.env, other);
            match member {
                StripeMember::Page => true,
                StripeMember::Nothing => self.store.media.lacks_page(other),
                StripeMember::PartialParity(..) => false,
            }
        });
        pages.map(|other| self.page_state(other)).collect()
    }

    /// Notes how a page was when it was sensed that cannot be read.
    #[cold]
    pub(in crate::sim::drive) fn note_failing(&mut self, rebuild: u32) {
        if !self.losses.kept {
            return;
        }
        let page = self.store.media.rebuild_of(rebuild).sensed;
        let open = &mut self.losses.open;
        // A cut forgets what was being rebuilt.
        open.retain(|open| open.0 != rebuild);
        open.push((rebuild, page, Vec::new()));
    }

    /// Notes how the others of its group are, which are being read: each read has disturbed
    /// its block by then.
    #[cold]
    pub(in crate::sim::drive) fn note_stripe(&mut self, rebuild: u32, slot: u32) {
        if !self.losses.kept {
            return;
        }
        let group = self.stripe_states(slot);
        if let Some(open) = self.losses.open.iter_mut().find(|o| o.0 == rebuild) {
            open.2 = group;
        }
    }

    /// Notes that a page was lost, which held these units, one bit each.
    #[cold]
    pub(in crate::sim::drive) fn note_unreadable(&mut self, rebuild: u32, slot: u32, units: u32) {
        if !self.losses.kept {
            return;
        }
        let units = self.logical_units_of(slot, units);
        let losses = &mut self.losses;
        let nth = losses.open.iter().position(|open| open.0 == rebuild);
        let (_, page, group) = losses.open.swap_remove(nth.expect("it was found failing"));
        losses.found.push(Loss {
            pages: 1,
            units,
            met_by: Vec::new(),
            cause: LossCause::Unreadable(page, group),
        });
    }

    /// Notes that a read command of these units wanted the page that was lost last.
    pub(in crate::sim::drive) fn note_met_by(&mut self, units: (u32, u32)) {
        if let Some(loss) = self.losses.found.last_mut() {
            loss.met_by.push(units);
        }
    }

    /// Notes that slots were lost, each with the units that it was to hold.
    #[cold]
    pub(in crate::sim::drive) fn note_no_block(&mut self, die: u32, lost: &[(u32, u32)]) {
        if !self.losses.kept {
            return;
        }
        let units = lost.iter().flat_map(|&(s, u)| self.logical_units_of(s, u));
        let loss = Loss {
            pages: lost.len() as u32,
            units: units.collect(),
            met_by: Vec::new(),
            cause: LossCause::NoBlock {
                spares: self.store.media.spares_of_die(die),
                superblock_left: self.store.ftl.has_superblock(&self.env, Pool::Main),
            },
        };
        self.losses.found.push(loss);
    }

    pub(in crate::sim::drive) fn logical_units_of(&self, slot: u32, units: u32) -> Vec<u32> {
        let bits = self.env.layout.unit_bits;
        let set = (0..1 << bits).filter(|unit| units >> unit & 1 != 0);
        set.map(|unit| self.store.ftl.l2p.logical_of((slot << bits) + unit))
            .collect()
    }
}
