//! What follows from events in a drive whose power can be cut.

use super::SimDrive;
use crate::sim::kind;
use crate::sim::media::op::Upkeep;
use crate::sim::persistence::{FlashView, FollowUp, Nand, Persistence, Step, UpkeepEnd};
use crate::sim::store::Store;

impl SimDrive {
    /// Follows up an event: what has become ready, who waits for it, what can continue.
    #[inline(always)]
    pub(super) fn keep_durable(&mut self) {
        let (persistence, view) = self.persistence_and_view();
        if !persistence.is_quiet(&view) {
            self.follow_up();
        }
    }

    #[inline(never)]
    fn follow_up(&mut self) {
        let mut at = FollowUp::default();
        while let Some(step) = self.next_step(&mut at) {
            match step {
                Step::PadTo(page) => self.store.pad_to(&mut self.env, page),
                Step::WriteJournal(write) => {
                    let (persistence, nand) = self.persistence_and_nand();
                    persistence.write_journal(write, nand);
                }
                Step::RetryAll => {
                    self.settle_all();
                }
                Step::RetryWrites => {
                    self.due.writes();
                    self.settle();
                }
            }
        }
    }

    fn next_step(&mut self, at: &mut FollowUp) -> Option<Step> {
        let (persistence, view) = self.persistence_and_view();
        persistence.next_step(at, &view)
    }

    /// Work of the dies beside data has ended.
    pub(super) fn upkeep_done(&mut self, what: Upkeep) {
        let (persistence, view) = self.persistence_and_view();
        match persistence.upkeep_done(what, &view) {
            UpkeepEnd::Nothing => {}
            UpkeepEnd::CheckpointPage => {
                let (persistence, nand) = self.persistence_and_nand();
                if persistence.checkpoint_page_done(nand) {
                    self.journal_goes_on();
                }
            }
            UpkeepEnd::Committed => {
                self.store.erase_released(&mut self.env);
                self.check_flushes();
                let (persistence, nand) = self.persistence_and_nand();
                if persistence.checkpoint_if_due(nand) {
                    self.journal_goes_on();
                }
            }
            UpkeepEnd::Replays(time) => self.env.set_timer(time, kind::POWER),
        }
    }

    /// Writes the changed parts of the L2P to flash.
    pub(super) fn begin_checkpoint(&mut self) {
        let (persistence, nand) = self.persistence_and_nand();
        if persistence.begin_checkpoint(nand) {
            self.journal_goes_on();
        }
    }

    /// A checkpoint has ended, for which the journal may have waited.
    fn journal_goes_on(&mut self) {
        let (persistence, view) = self.persistence_and_view();
        persistence.count_ready(&view);
        if let Some(write) = persistence.begin_journal(&view) {
            let (persistence, nand) = self.persistence_and_nand();
            persistence.write_journal(write, nand);
        }
    }

    /// Logical pages of 4 KiB of the longest write that a power cut keeps or loses as a whole; a
    /// longer one it does in pieces of this size, from its first page on. `None` without
    /// [`crate::Spec::power_loss`].
    pub fn atomic_write_pages(&self) -> Option<u32> {
        let persistence = self.store.persistence.as_ref();
        persistence.map(|p| p.atomic_write_pages())
    }

    /// Switches a fault on.
    ///
    /// # Panics
    /// Without [`crate::Spec::power_loss`].
    #[cfg(feature = "fault-injection")]
    pub fn inject(&mut self, fault: crate::sim::Fault) {
        self.persistence().inject(fault);
    }

    /// That of a drive whose power can be cut.
    pub(super) fn persistence(&mut self) -> &mut Persistence {
        let persistence = self.store.persistence.as_mut();
        persistence.expect("the drive's description tells what a power cut leaves")
    }

    /// That of a drive whose power can be cut, and what it looks at.
    #[inline(always)]
    pub(super) fn persistence_and_view(&mut self) -> (&mut Persistence, FlashView<'_>) {
        let both = self.store.persistence_and_view(&self.env.layout);
        both.expect("there is a journal")
    }

    /// That of a drive whose power can be cut, and the dies.
    pub(super) fn persistence_and_nand(&mut self) -> (&mut Persistence, Nand<'_>) {
        let Store {
            media, persistence, ..
        } = &mut self.store;
        let persistence = persistence.as_mut();
        let env = &mut self.env;
        (
            persistence.expect("there is a journal"),
            Nand { env, media },
        )
    }
}
