//! An account of the pages that failed when data was lost, for the tests that ask whether it
//! had to be. It is kept where it is asked for, and takes no part in what the drive does.

use stend_nand::reliability::Rber;

use crate::sim::SimDrive;
use crate::sim::map::layout::Pool;
use crate::sim::map::mapping::LOST;
use crate::sim::power::partial_parity::Member;

/// A page of flash at one instant.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageState {
    /// Where it lies.
    pub die: u32,
    /// Its raw bit error rate.
    pub rber: Rber,
    /// It was never programmed, since no block was left for it.
    pub missing: bool,
}

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
}

impl Losses {
    /// A read command of these units wanted the page that was lost last.
    pub fn met_by(&mut self, units: (u32, u32)) {
        if let Some(loss) = self.found.last_mut() {
            loss.met_by.push(units);
        }
    }
}

impl SimDrive {
    /// Begins to keep account of what is lost.
    #[doc(hidden)]
    pub fn keep_losses(&mut self) {
        self.losses = Some(Box::default());
    }

    /// What was lost since the last call.
    #[doc(hidden)]
    pub fn take_losses(&mut self) -> Vec<Loss> {
        let losses = self.losses.as_mut();
        losses.map_or_else(Vec::new, |losses| std::mem::take(&mut losses.found))
    }

    /// The page that a read of a logical unit would sense, and those of its parity group
    /// that would be read instead; `None` where it would sense none.
    #[doc(hidden)]
    pub fn pages_of(&self, unit: u32) -> Option<(PageState, Vec<PageState>)> {
        let place = self.mapping.lookup(unit);
        let slot = place >> self.env.layout.unit_bits;
        if place >= LOST || self.media.is_none() || self.writer.in_buffer(slot) {
            return None;
        }
        Some((self.page_state(slot), self.group_states(slot)))
    }

    fn page_state(&self, slot: u32) -> PageState {
        let (die, rber) = self.page_rber(slot);
        PageState {
            die,
            rber,
            missing: self.lacks_page(slot),
        }
    }

    fn group_states(&self, slot: u32) -> Vec<PageState> {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let shape = *self.env.layout.shape(self.superblocks.mode(superblock));
        let first = slot - within;
        let group = (0..).map_while(|nth| shape.nth_of_group(within, nth));
        let others = group.map(|other| first + other).filter(|&o| o != slot);
        let pages = others.filter(|&other| match self.member_of_group(other) {
            Member::Page => true,
            Member::Nothing => self.lacks_page(other),
            Member::Saved(..) => false,
        });
        pages.map(|other| self.page_state(other)).collect()
    }

    /// Notes how a page is that will be found unreadable.
    #[cold]
    pub(in crate::sim) fn note_failing(&mut self, rebuild: u32, slot: u32) {
        let page = self.page_state(slot);
        if let Some(losses) = &mut self.losses {
            // A cut forgets what was being rebuilt.
            losses.open.retain(|open| open.0 != rebuild);
            losses.open.push((rebuild, page, Vec::new()));
        }
    }

    /// Notes how the others of its group are, which are being read: each read has disturbed
    /// its block by then.
    #[cold]
    pub(in crate::sim) fn note_group(&mut self, rebuild: u32, slot: u32) {
        let group = self.group_states(slot);
        let open = self.losses.as_mut().map(|losses| &mut losses.open);
        if let Some(open) = open.and_then(|all| all.iter_mut().find(|o| o.0 == rebuild)) {
            open.2 = group;
        }
    }

    /// Notes that a page was lost, which held these units, one bit each.
    #[cold]
    pub(in crate::sim) fn note_unreadable(&mut self, rebuild: u32, slot: u32, units: u32) {
        let units = self.logical_units_of(slot, units);
        let Some(losses) = &mut self.losses else {
            return;
        };
        let nth = losses.open.iter().position(|open| open.0 == rebuild);
        let (_, page, group) = losses.open.swap_remove(nth.expect("it was found failing"));
        losses.found.push(Loss {
            pages: 1,
            units,
            met_by: Vec::new(),
            cause: LossCause::Unreadable(page, group),
        });
    }

    /// Notes that slots were lost, each with the units that it was to hold.
    #[cold]
    pub(in crate::sim) fn note_no_block(&mut self, die: u32, lost: &[(u32, u32)]) {
        let units = lost.iter().flat_map(|&(s, u)| self.logical_units_of(s, u));
        let loss = Loss {
            pages: lost.len() as u32,
            units: units.collect(),
            met_by: Vec::new(),
            cause: LossCause::NoBlock {
                spares: self.spares_of_die(die),
                superblock_left: self.has_superblock(Pool::Main),
            },
        };
        if let Some(losses) = &mut self.losses {
            losses.found.push(loss);
        }
    }

    fn logical_units_of(&self, slot: u32, units: u32) -> Vec<u32> {
        let bits = self.env.layout.unit_bits;
        let set = (0..1 << bits).filter(|unit| units >> unit & 1 != 0);
        set.map(|unit| self.mapping.logical_of((slot << bits) + unit))
            .collect()
    }
}
