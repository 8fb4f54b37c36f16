//! Follow-up of events in a drive whose power can be cut.

use super::SimDrive;
use crate::sim::kind;
use crate::sim::media::op::Upkeep;
use crate::sim::persistence::{Flash, FlashView, Persistence, UpkeepEnd};
use crate::sim::store::Store;

/// Ends the checkpoint under way, if there is one, as fast as the dies allow.
pub(super) fn hurry_checkpoint(drive: &mut SimDrive) {
    if drive.store.persistence.is_some() {
        let (persistence, mut flash) = drive.persistence_and_flash();
        persistence.hurry_checkpoint(&mut flash);
    }
}

impl SimDrive {
    /// After an event, finds changes that have become durable, ends what waits for them, and
    /// continues.
    #[inline(always)]
    pub(super) fn keep_durable(&mut self) {
        let both = self.store.persistence_and_view(&self.env.layout);
        if both.is_some_and(|(persistence, view)| !persistence.is_quiet(&view)) {
            self.follow_up();
        }
    }

    #[inline(never)]
    fn follow_up(&mut self) {
        loop {
            let (persistence, view) = self.persistence_and_view();
            if let Some(page) = persistence.page_to_pad(&view) {
                self.store.pad_to(&mut self.env, page);
            }
            let (persistence, mut flash) = self.persistence_and_flash();
            persistence.write_journal(&mut flash);
            if !persistence.may_retry(&flash.view()) {
                return;
            }
            self.settle_all();
        }
    }

    /// Handles the end of an operation for the journal, a checkpoint or partial parity.
    pub(super) fn upkeep_done(&mut self, what: Upkeep) {
        let (persistence, mut flash) = self.persistence_and_flash();
        match persistence.upkeep_done(what, &mut flash) {
            UpkeepEnd::Nothing => {}
            UpkeepEnd::Committed => {
                self.store.erase_released(&mut self.env);
                self.check_flushes();
                let (persistence, mut flash) = self.persistence_and_flash();
                persistence.checkpoint_if_due(&mut flash);
                if self.admission.waits_for_journal() {
                    self.settle_all();
                }
            }
            UpkeepEnd::Replays(time) => self.env.set_timer(time, kind::POWER),
        }
    }

    /// Logical pages of 4 KiB of the longest write that a power cut keeps or loses as a whole; a
    /// longer one is split into pieces of this size, from its first page on. `None` without
    /// [`stend_model::Spec::power_loss`].
    pub fn atomic_write_pages(&self) -> Option<u32> {
        let persistence = self.store.persistence.as_ref();
        persistence.map(|p| p.piece_pages())
    }

    /// Switches a fault on.
    ///
    /// # Panics
    /// Without [`stend_model::Spec::power_loss`].
    #[cfg(test)]
    pub fn inject(&mut self, fault: crate::sim::Fault) {
        self.persistence().inject(fault);
    }

    /// The persistence of a drive whose power can be cut.
    pub(super) fn persistence(&mut self) -> &mut Persistence {
        let persistence = self.store.persistence.as_mut();
        persistence.expect("the drive has power_loss")
    }

    /// The persistence of a drive whose power can be cut, and its view of flash.
    #[inline(always)]
    pub(super) fn persistence_and_view(&mut self) -> (&mut Persistence, FlashView<'_>) {
        let both = self.store.persistence_and_view(&self.env.layout);
        both.expect("there is a journal")
    }

    /// The persistence of a drive whose power can be cut, and the access to flash that submits
    /// work.
    pub(super) fn persistence_and_flash(&mut self) -> (&mut Persistence, Flash<'_>) {
        let Store {
            media,
            buffer,
            ftl,
            persistence,
        } = &mut self.store;
        let flash = Flash {
            env: &mut self.env,
            media,
            ftl,
            buffer,
        };
        let persistence = persistence.as_mut();
        (persistence.expect("there is a journal"), flash)
    }
}
