//! An account of the pages that failed when data was lost. It is kept where a test wants it, and
//! takes no part in what the drive does.

use crate::sim::drive::SimDrive;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{DieId, Lpn, MpPage};
use crate::sim::media::errors::PageState;
use crate::sim::persistence::StripeMember;

/// Why data was lost.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Its page could not be read: that page, and the others of its stripe that would
    /// be read instead; none without parity.
    Unreadable(PageState, Vec<PageState>),
    /// Its program found no block.
    NoBlock {
        /// Blocks that were left on its die.
        spares: u32,
        /// An erased superblock in which nothing was reserved was left to give its blocks.
        superblock_left: bool,
    },
}

/// Pages that were lost together.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How many.
    pub pages: u32,
    /// Logical pages whose data went.
    pub lpns: Vec<u32>,
    /// First and end pages of the read commands that wanted the page.
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

    /// The page that a read of a logical page would sense, and those of its stripe
    /// that would be read instead; `None` where it would sense none.
    #[doc(hidden)]
    pub fn pages_of(&self, lpn: impl Into<Lpn>) -> Option<(PageState, Vec<PageState>)> {
        let place = self.store.ftl.l2p.lookup(lpn.into());
        let mp_page = place.mp_page(self.env.layout.page_bits);
        if !place.is_place() || !self.store.media.has_errors() || self.store.buffer.holds(mp_page) {
            return None;
        }
        Some((self.page_state(mp_page), self.stripe_states(mp_page)))
    }

    fn page_state(&self, mp_page: MpPage) -> PageState {
        let superblocks = &self.store.ftl.superblocks;
        self.store.media.page_state(&self.env, superblocks, mp_page)
    }

    fn stripe_states(&self, mp_page: MpPage) -> Vec<PageState> {
        let superblock = self.env.layout.superblock_of(mp_page);
        let mode = self.store.ftl.superblocks.mode(superblock);
        let stripe = self.env.layout.stripe(mp_page, mode);
        let others = stripe.filter(|&other| other != mp_page);
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

    /// Notes how the others of its stripe are, which are being read: each read has disturbed
    /// its block by then.
    #[cold]
    pub(in crate::sim::drive) fn note_stripe(&mut self, rebuild: u32, mp_page: MpPage) {
        if !self.losses.kept {
            return;
        }
        let stripe = self.stripe_states(mp_page);
        if let Some(open) = self.losses.open.iter_mut().find(|o| o.0 == rebuild) {
            open.2 = stripe;
        }
    }

    /// Notes that a page was lost, which held these pages, one bit each.
    #[cold]
    pub(in crate::sim::drive) fn note_unreadable(
        &mut self,
        rebuild: u32,
        mp_page: MpPage,
        pages: u32,
    ) {
        if !self.losses.kept {
            return;
        }
        let pages = self.lpns_of(mp_page, pages).collect();
        let losses = &mut self.losses;
        let nth = losses.open.iter().position(|open| open.0 == rebuild);
        let (_, page, stripe) = losses.open.swap_remove(nth.expect("it was found failing"));
        losses.found.push(Loss {
            pages: 1,
            lpns: pages,
            met_by: Vec::new(),
            cause: LossCause::Unreadable(page, stripe),
        });
    }

    /// Notes that a read command of these pages wanted the page that was lost last.
    pub(in crate::sim::drive) fn note_met_by(&mut self, (first, end): (Lpn, Lpn)) {
        if let Some(loss) = self.losses.found.last_mut() {
            loss.met_by.push((first.0, end.0));
        }
    }

    /// Notes that multi-plane pages were lost, each with the pages that it was to hold.
    #[cold]
    pub(in crate::sim::drive) fn note_no_block(&mut self, die: DieId, lost: &[(MpPage, u32)]) {
        if !self.losses.kept {
            return;
        }
        let pages = lost.iter().flat_map(|&(s, u)| self.lpns_of(s, u));
        let loss = Loss {
            pages: lost.len() as u32,
            lpns: pages.collect(),
            met_by: Vec::new(),
            cause: LossCause::NoBlock {
                spares: self.store.media.spares_of_die(die),
                superblock_left: self.store.ftl.has_superblock(&self.env, Pool::Data),
            },
        };
        self.losses.found.push(loss);
    }

    fn lpns_of(&self, mp_page: MpPage, pages: u32) -> impl Iterator<Item = u32> + '_ {
        let lpns = self.store.ftl.l2p.lpns_of(mp_page, pages);
        lpns.map(|lpn| lpn.0)
    }
}
