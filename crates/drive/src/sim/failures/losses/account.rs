//! An account of the pages that failed when data was lost. It is kept on request of a test, and has
//! no effect on the drive.

use std::ops::Range;

use crate::sim::env::Env;
use crate::sim::geometry::layout::Pool;
use crate::sim::ids::{DieId, Lpn, MpPage};
use crate::sim::l2p::table::lpns_in;
use crate::sim::media::errors::PageState;
use crate::sim::persistence::StripeMember;
use crate::sim::store::Store;

/// Cause of a loss of data.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// The page could not be read: its state, and the states of the other pages of its stripe that
    /// would be read instead; none without parity.
    Unreadable(PageState, Vec<PageState>),
    /// The program of the page found no block.
    NoBlock {
        /// Blocks that were left on its die.
        spares: u32,
        /// True if an erased superblock without reservations was left that could give up its
        /// blocks.
        superblock_left: bool,
    },
}

/// Pages that were lost together.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Number of pages.
    pub pages: u32,
    /// Logical pages whose data was lost.
    pub lpns: Vec<u32>,
    /// First and end pages of the read commands that requested the page.
    pub met_by: Vec<(u32, u32)>,
    /// Cause of the loss.
    pub cause: LossCause,
}

/// The account of a drive.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    found: Vec<Loss>,
    /// Pages being rebuilt, by the number of the rebuild: their states when they were sensed, since
    /// a block may have been replaced before the last page is read.
    open: Vec<(u32, PageState, Vec<PageState>)>,
    /// True if a test has requested the account.
    kept: bool,
}

/// The page that a read of a logical page would sense, and the pages of its stripe that would be
/// read instead; `None` if the read would sense no page.
pub fn pages_of(env: &Env, store: &Store, lpn: Lpn) -> Option<(PageState, Vec<PageState>)> {
    let place = store.ftl.l2p.lookup(lpn);
    let mp_page = place.mp_page(env.layout.page_bits);
    if !place.is_place() || !store.ftl.media.has_errors() || store.ftl.buffer.holds(mp_page) {
        return None;
    }
    let page = page_state(env, store, mp_page);
    Some((page, stripe_states(env, store, mp_page)))
}

fn page_state(env: &Env, store: &Store, mp_page: MpPage) -> PageState {
    let ftl = &store.ftl;
    ftl.media.page_state(env, &ftl.superblocks, mp_page)
}

/// The other pages of the stripe of a multi-plane page.
fn stripe_states(env: &Env, store: &Store, mp_page: MpPage) -> Vec<PageState> {
    let superblock = env.layout.superblock_of(mp_page);
    let stripe = env
        .layout
        .stripe(mp_page, store.ftl.superblocks.mode(superblock));
    let others = stripe.filter(|&other| other != mp_page);
    let pages = others.filter(|&other| match store.stripe_member(env, other) {
        StripeMember::Page => true,
        StripeMember::Nothing => store.ftl.media.lacks_page(other),
        StripeMember::PartialParity(..) => false,
    });
    pages.map(|other| page_state(env, store, other)).collect()
}

impl Losses {
    /// Starts the account.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// Returns the losses since the last call.
    pub fn take(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.found)
    }

    /// Notes the state of an unreadable page when it was sensed.
    #[cold]
    pub(in crate::sim) fn note_failing(&mut self, store: &Store, rebuild: u32) {
        if !self.kept {
            return;
        }
        let page = store.ftl.media.rebuild_of(rebuild).sensed;
        // After a power cut, an entry of a forgotten rebuild may have this number.
        self.open.retain(|open| open.0 != rebuild);
        self.open.push((rebuild, page, Vec::new()));
    }

    /// Notes the states of the other pages of its stripe, which are being read: each read has
    /// disturbed its block by then.
    #[cold]
    pub(in crate::sim) fn note_stripe(
        &mut self,
        env: &Env,
        store: &Store,
        rebuild: u32,
        mp_page: MpPage,
    ) {
        if let Some(open) = self.open.iter_mut().find(|o| o.0 == rebuild) {
            open.2 = stripe_states(env, store, mp_page);
        }
    }

    /// Notes that a page was lost. `pages` has one bit for each logical page that it held.
    #[cold]
    pub(in crate::sim) fn note_unreadable(
        &mut self,
        store: &Store,
        rebuild: u32,
        mp_page: MpPage,
        pages: u32,
    ) {
        if !self.kept {
            return;
        }
        let nth = self.open.iter().position(|open| open.0 == rebuild);
        let (_, page, stripe) = self.open.swap_remove(nth.expect("it was found failing"));
        self.found.push(Loss {
            pages: 1,
            lpns: lpns_of(store, mp_page, pages).collect(),
            met_by: Vec::new(),
            cause: LossCause::Unreadable(page, stripe),
        });
    }

    /// Notes that a read command of these pages requested the page that was lost last.
    pub(in crate::sim) fn note_met_by(&mut self, pages: Range<Lpn>) {
        if let Some(loss) = self.found.last_mut() {
            loss.met_by.push((pages.start.0, pages.end.0));
        }
    }

    /// Notes that multi-plane pages were lost, each with bits for the pages that it was to hold.
    #[cold]
    pub(in crate::sim) fn note_no_block(
        &mut self,
        env: &Env,
        store: &Store,
        die: DieId,
        lost: &[(MpPage, u32)],
    ) {
        if !self.kept {
            return;
        }
        let lpns = lost
            .iter()
            .flat_map(|&(page, pages)| lpns_of(store, page, pages));
        self.found.push(Loss {
            pages: lost.len() as u32,
            lpns: lpns.collect(),
            met_by: Vec::new(),
            cause: LossCause::NoBlock {
                spares: store.ftl.media.spares_of_die(die),
                superblock_left: store.ftl.has_superblock(env, Pool::Data),
            },
        });
    }
}

fn lpns_of(store: &Store, mp_page: MpPage, pages: u32) -> impl Iterator<Item = u32> {
    lpns_in(&store.ftl.l2p, mp_page, pages).map(|lpn| lpn.0)
}
