//! What a drive may have lost: only what lay in a page that failed, where too many others of
//! its parity group did as well, or whose program found no block.

use stend_base::Rng;
use stend_drive::sim::{Loss, LossCause, PageState};
use stend_drive::{LogicalPage, SimDrive};
use stend_model::Spec;
use stend_model::nand::reliability::Rber;

/// What a drive may have lost, page by page, by the drive's account of the pages themselves and
/// what is known here of dies and error correction.
#[derive(Clone)]
pub struct Losses {
    /// What the last pass corrects; none on a drive whose flash has no errors.
    corrects: Option<Rber>,
    parity: bool,
    /// Dies that have failed.
    dead: Vec<bool>,
    /// Pages whose data may be lost now, or come back as lost.
    may_be: Vec<bool>,
    /// Pages whose data was ever lost.
    was: Vec<bool>,
    /// Pages lost so far, and those of them whose program found no block.
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

    /// Whether nobody gets the data of a page from itself.
    fn has_failed(&self, page: &PageState) -> bool {
        let beyond = self.corrects.is_some_and(|most| page.rber > most);
        page.missing || beyond || self.dead[page.die.index()]
    }

    /// Whether parity cannot give what a page held, beside others of its stripe.
    fn is_beyond(&self, page: &PageState, others: &[PageState]) -> bool {
        self.has_failed(page) && (!self.parity || others.iter().any(|o| self.has_failed(o)))
    }

    /// Takes what the drive has lost since the last look.
    ///
    /// # Panics
    /// When it need not have been lost.
    pub fn look(&mut self, drive: &mut SimDrive) {
        if drive.counters().lost_pages == self.pages {
            return;
        }
        for loss in drive.take_losses() {
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
                drive.is_read_only() && *spares == 0 && !superblock_left
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

    /// Whether the data of a page is lost, as it may be.
    pub fn is_lost(&self, drive: &SimDrive, page: u32) -> bool {
        let lost = drive.logical_page(page) == LogicalPage::Lost;
        assert!(!lost || self.may_be[page as usize], "page {page} is lost");
        lost
    }

    /// Whether a read of pages may have ended with an error.
    pub fn may_fail(&self, mut pages: std::ops::Range<usize>) -> bool {
        pages.any(|page| self.was[page])
    }

    /// What a page holds is in flash, and nothing newer is on its way.
    pub fn has_settled(&mut self, drive: &SimDrive, page: u32) {
        if drive.logical_page(page) != LogicalPage::Lost {
            self.may_be[page as usize] = false;
        }
    }

    /// Whether a read of a page must fail, as its page and its group are.
    pub fn must_fail(&self, pages: &(PageState, Vec<PageState>)) -> bool {
        self.is_beyond(&pages.0, &pages.1)
    }
}

/// How often dies fail and data ages.
#[derive(Clone)]
pub struct Media {
    pub rng: Rng,
    /// Dies that may fail without any loss.
    pub spare_dies: u32,
    /// All dies; none on a drive whose flash has no errors.
    pub dies: u32,
    /// Data does not last for ever.
    pub ages: bool,
}

impl Media {
    pub fn new(seed: u64, spec: &Spec) -> Media {
        // A group must lie on as many dies to survive one of them.
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
