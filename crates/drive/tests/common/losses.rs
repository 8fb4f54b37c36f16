//! Data that a drive may lose: only data in a page that failed together with too many others of its
//! stripe, or whose program found no block.

use stend_base::Rng;
use stend_drive::sim::{Loss, LossCause, PageState};
use stend_drive::{LogicalPage, SimDrive};
use stend_model::Spec;
use stend_model::nand::reliability::Rber;

/// Pages that a drive may lose, from the drive's account of the states of the pages and from the
/// dies and the error correction that the test knows.
#[derive(Clone)]
pub struct Losses {
    /// RBER that the last pass corrects; `None` on a drive whose flash has no errors.
    corrects: Option<Rber>,
    parity: bool,
    /// Dies that have failed.
    dead: Vec<bool>,
    /// Pages whose data may be lost now, or be found lost later.
    may_be: Vec<bool>,
    /// Pages whose data was ever lost.
    was: Vec<bool>,
    /// Pages lost so far; and those whose program found no block.
    pub pages: u64,
    pub without_block: u64,
}

impl Losses {
    pub fn new(spec: &Spec, user_pages: usize) -> Losses {
        let passes = spec.media.as_ref().map(|m| &m.ecc.passes);
        Losses {
            corrects: passes.and_then(|p| p.iter().copied().max()),
            parity: spec.parity_data.is_some(),
            dead: vec![false; spec.dies as usize],
            may_be: vec![false; user_pages],
            was: vec![false; user_pages],
            pages: 0,
            without_block: 0,
        }
    }

    pub fn die_fails(&mut self, die: u32) {
        self.dead[die as usize] = true;
    }

    /// True if the data of a page cannot be read from the page itself.
    fn has_failed(&self, page: &PageState) -> bool {
        let beyond = self.corrects.is_some_and(|most| page.rber > most);
        page.missing || beyond || self.dead[page.die.index()]
    }

    /// True if parity cannot rebuild a page from the others of its stripe.
    fn is_beyond(&self, page: &PageState, others: &[PageState]) -> bool {
        self.has_failed(page) && (!self.parity || others.iter().any(|o| self.has_failed(o)))
    }

    /// Checks the losses of the drive since the last call.
    ///
    /// # Panics
    /// If data was lost without need.
    pub fn look(&mut self, drive: &mut SimDrive) {
        if drive.counters().lost_pages == self.pages {
            return;
        }
        for loss in drive.service().losses().take() {
            self.add(drive, loss);
        }
        assert_eq!(drive.counters().lost_pages, self.pages);
    }

    fn add(&mut self, drive: &SimDrive, loss: Loss) {
        let had_to = match &loss.cause {
            LossCause::Unreadable(page, others) => self.is_beyond(page, others),
            LossCause::NoBlock {
                spares,
                superblock_left,
            } => {
                self.without_block += u64::from(loss.pages);
                drive.inspect().is_read_only() && *spares == 0 && !superblock_left
            }
        };
        assert!(had_to, "lost without need: {loss:?}");
        self.pages += u64::from(loss.pages);
        for (first, end) in loss.met_by {
            self.was[first as usize..end as usize].fill(true);
        }
        for lpn in loss.lpns {
            self.may_be[lpn as usize] = true;
            self.was[lpn as usize] = true;
        }
    }

    /// True if the data of a page is lost, which must be allowed.
    pub fn is_lost(&self, drive: &SimDrive, page: u32) -> bool {
        let lost = drive.logical_page(page) == LogicalPage::Lost;
        assert!(!lost || self.may_be[page as usize], "page {page} is lost");
        lost
    }

    /// True if a read of pages may have ended with an error.
    pub fn may_fail(&self, mut pages: std::ops::Range<usize>) -> bool {
        pages.any(|page| self.was[page])
    }

    /// Notes that the content of a page is in flash, and nothing newer is on its way.
    pub fn has_settled(&mut self, drive: &SimDrive, page: u32) {
        if drive.logical_page(page) != LogicalPage::Lost {
            self.may_be[page as usize] = false;
        }
    }

    /// True if a read of a page must fail, in the state of the page and its stripe.
    pub fn must_fail(&self, pages: &(PageState, Vec<PageState>)) -> bool {
        self.is_beyond(&pages.0, &pages.1)
    }
}

/// Rates at which dies fail and data ages.
#[derive(Clone)]
pub struct Media {
    pub rng: Rng,
    /// Dies that may fail without loss of data.
    pub spare_dies: u32,
    /// All dies; 0 on a drive whose flash has no errors.
    pub dies: u32,
    /// True if data ages.
    pub ages: bool,
}

impl Media {
    pub fn new(seed: u64, spec: &Spec) -> Media {
        // A stripe must lie on that many dies to survive the loss of one of them.
        let group = spec.parity_data.map_or(u32::MAX, |data| data + 1);
        let media = spec.media.as_ref();
        Media {
            rng: Rng::stream(seed, "media of cuts"),
            spare_dies: u32::from(group <= spec.dies),
            dies: if media.is_some() { spec.dies } else { 0 },
            ages: media.is_some_and(|m| m.data_area.year_fresh.0 > 0),
        }
    }
}
