//! Persistence: the state that a power cut leaves, and the recovery of the rest.
//!
//! Every change of the L2P is logged in a buffer, in the order in which it takes effect: a write
//! when each part of it is placed, a TRIM, a move by GC or folding ([`journal_buffer`]). A change
//! is *ready* when the data it names is programmed ([`readiness`]), and *durable* when a journal
//! page that names it is programmed too ([`journal`]); then it is applied to the durable L2P
//! ([`durable_l2p`]). Changes become durable in their order, those of one request together
//! ([`atomic_writes`]). So a cut always leaves the drive as it was after some request, and a flush
//! waits for the last change before it. Checkpoints keep the journal short ([`checkpoint`]).
//!
//! # Coalescing
//! Data that is written again while it lies in a multi-plane page being filled may keep the same
//! place. A change that names the place would then refer to data of a later request. So all changes
//! from the first that names the page up to those of the later request join one atomic group.
//! Changes are not ready before the page is programmed; so this never affects changes in the
//! journal.
//!
//! # Erasing
//! A superblock is needed while the durable L2P points into it, or a change that is not durable yet
//! will make it. Only a superblock that is not needed is erased; the release of the others is
//! awaited ([`releases`]). If no erased superblock is found, and some are awaited, their release is
//! *requested*: multi-plane pages that the journal waits for are padded, and a journal page is
//! written.
//!
//! # Neighbours
//! Persistence reads the places of data through a [`FlashView`], and submits work to the dies
//! through [`Flash`]. After each event it returns the work for its neighbours: the superblock to be
//! filled further ([`Persistence::page_to_pad`]), and whether others may continue
//! ([`Persistence::may_retry`]).

mod atomic_writes;
mod change;
mod checkpoint;
mod durable_l2p;
mod journal;
mod journal_blocks;
mod journal_buffer;
mod log;
mod partial_parity;
mod power_cycle;
mod power_state;
mod readiness;
mod recent;
mod releases;
mod superseded;
mod view;

use std::ops::Range;

use stend_model::spec::{PAGE_BYTES, PowerLossSpec, Spec};

use crate::sim::counters::Counters;
use crate::sim::faults::{Fault, Faults};
use crate::sim::geometry::layout::Layout;
use crate::sim::ids::{Lpn, MpPage, Ppn, SuperblockId};
use crate::sim::l2p::table::L2p;

use crate::sim::media::op::Upkeep;
use atomic_writes::AtomicWrites;
pub(in crate::sim) use atomic_writes::Part;
use checkpoint::Checkpoint;
use durable_l2p::DurableL2p;
use journal::Journal;
use journal_blocks::JournalBlocks;
use journal_buffer::JournalBuffer;
pub(in crate::sim) use log::trimmed_bits;
pub(in crate::sim) use partial_parity::{PartialParity, StripeMember};
use power_state::PowerState;
use readiness::Readiness;
use releases::Releases;
pub(in crate::sim) use view::{Flash, FlashView};

/// Durable state of a drive whose power can be cut, and changes that will become durable.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Persistence {
    spec: PowerLossSpec,
    buffer: JournalBuffer,
    readiness: Readiness,
    durable: DurableL2p,
    writes: AtomicWrites,
    /// Places of logical pages in flash that differ from the L2P and the changes: known, after a
    /// cut that the capacitors have covered, for a write that had not arrived as a whole.
    in_flash: Vec<(Lpn, Ppn)>,
    journal: Journal,
    checkpoint: Checkpoint,
    blocks: JournalBlocks,
    /// Present only if errors of the flash are modelled.
    parity: Option<Box<PartialParity>>,
    power: PowerState,
    /// Entries of changes that are not durable above which no write is admitted.
    entries_max: u64,
    pub counted: Counters,
    #[serde(skip)]
    faults: Faults,
}

impl Persistence {
    pub fn new(of: &PowerLossSpec, spec: &Spec, layout: &Layout, logical_pages: u32) -> Self {
        Persistence {
            spec: of.clone(),
            buffer: JournalBuffer::new(spec.pages_per_mp_page),
            readiness: Readiness::new(
                of.paired_pages,
                u64::from(of.journal_interval_pages),
                layout.superblocks() as usize,
            ),
            durable: DurableL2p::new(layout.superblocks() as usize, logical_pages),
            writes: AtomicWrites::new(spec, layout),
            in_flash: Vec::new(),
            journal: Journal::new(spec),
            checkpoint: Checkpoint::new(spec, logical_pages),
            blocks: JournalBlocks::new(spec.dies),
            parity: PartialParity::new(of, spec, layout),
            power: PowerState::default(),
            entries_max: spec.writes_wait_above_pages(),
            counted: Counters::default(),
            faults: Faults::default(),
        }
    }

    /// Counters of journal, checkpoints and power cuts, and of the changes.
    pub fn counters(&self) -> Counters {
        Counters {
            changes: self.buffer.next_lsn(),
            durable_changes: self.buffer.durable_lsn(),
            journal_erases: self.blocks.erases(),
            ..self.counted
        }
    }

    /// Switches a fault on.
    #[cfg(test)]
    pub fn inject(&mut self, fault: Fault) {
        self.faults.inject(fault);
    }

    /// Changes the number of logical pages, of which none is mapped.
    pub fn set_logical_pages(&mut self, spec: &Spec, logical_pages: u32) {
        assert!(self.buffer.is_empty(), "changes are not durable");
        self.durable.set_logical_pages(logical_pages);
        self.journal = Journal::new(spec);
        self.checkpoint = Checkpoint::new(spec, logical_pages);
        self.blocks.start_over();
    }

    /// Marks all that the L2P still maps, since everything is being erased.
    pub fn forget_all(&mut self, l2p: &L2p) {
        self.durable.forget_all(l2p);
    }

    /// Drops all that is not durable, with its progress.
    pub fn forget_the_rest(&mut self, l2p: &L2p) {
        self.buffer.power_cut();
        self.readiness.power_cut();
        self.durable.recount(l2p);
        self.writes.power_cut();
    }

    /// One line for debugging a drive that makes no progress.
    pub fn diagnosis(&self) -> String {
        format!(
            "journal buffer: {}; journal: {}, checkpoint: {}; superblocks: {}; {:?}",
            self.buffer.diagnosis(),
            self.journal.diagnosis(),
            self.checkpoint.diagnosis(),
            self.durable.releases().diagnosis(),
            self.writes,
        )
    }
}

/// Follow-up of events.
impl Persistence {
    /// True if nothing is to be done, as after most events: no command waits for anything, and the
    /// ready changes are too few for the journal.
    #[inline(always)]
    pub fn is_quiet(&mut self, view: &FlashView<'_>) -> bool {
        let releases = self.durable.releases();
        // Mostly none of these is true: all are tested with one branch.
        let somebody_waits =
            self.buffer.is_awaited() | releases.is_requested() | releases.has_added();
        let writes = self.journal.is_writing();
        if !(somebody_waits | writes | self.readiness.are_enough(&self.buffer)) {
            return true;
        }
        !somebody_waits && (writes || self.readiness.lacks_ready(view))
    }

    /// Returns true if commands that wait for space may continue, and request a release in turn.
    pub fn may_retry(&mut self, view: &FlashView<'_>) -> bool {
        let added = self.durable.releases_mut().take_added();
        if !added {
            self.readiness.find_last_awaited(&self.buffer, view);
        }
        added
    }

    /// The multi-plane page that is waited for, up to which its superblock is to be filled.
    pub fn page_to_pad(&mut self, view: &FlashView<'_>) -> Option<MpPage> {
        self.count_ready(view);
        let requested = self.durable.releases().is_requested();
        if requested && !self.buffer.is_awaited() && !self.buffer.is_empty() {
            self.buffer.request_all();
        }
        // All changes of an atomic group must be ready.
        if !self.buffer.lacks_awaited() {
            return None;
        }
        self.readiness.page_to_pad(&self.buffer, view)
    }

    fn count_ready(&mut self, view: &FlashView<'_>) {
        self.readiness.advance(&mut self.buffer, view);
    }

    /// Writes the ready changes to the journal if they are requested or there are enough.
    pub fn write_journal(&mut self, flash: &mut Flash<'_>) {
        let holds = self.buffer.committable();
        if holds.changes == 0 || self.journal.is_writing() {
            return;
        }
        let awaited = self.buffer.is_awaited() && !self.buffer.lacks_awaited();
        let interval = u64::from(self.spec.journal_interval_pages);
        if !(awaited || holds.entries >= interval) {
            return;
        }
        let most = self.spec.journal_pages_max();
        if self.checkpoint.is_under_way() && self.journal.pages() >= most {
            // Its blocks are full until the checkpoint has ended.
            self.hurry_checkpoint(flash);
            return;
        }
        assert_bounded(self, flash.env.spec.buffer.write_pages);
        let parity_pages = self.find_partial_parity(holds.changes, &flash.view());
        let pages = self.journal.begin(holds, parity_pages);
        self.counted.journal_programs += u64::from(pages);
        self.counted.partial_parity_programs += u64::from(parity_pages);
        let (spec, blocks) = (&self.spec, &mut self.blocks);
        blocks.program(spec, flash, Upkeep::JournalPage, pages);
        blocks.program(spec, flash, Upkeep::PartialParity, parity_pages);
    }

    /// Finds the partial parity that has to be in flash with the first changes. Returns its pages.
    fn find_partial_parity(&mut self, changes: usize, view: &FlashView<'_>) -> u32 {
        let changes = match self.faults.has(Fault::ParityUnsaved) {
            true => 0,
            false => changes,
        };
        let first = self.buffer.changes().range(..changes);
        let parity = self.parity.as_mut();
        parity.map_or(0, |parity| parity.find(first, view))
    }

    /// Handles the end of work beside data on a die. Returns true if changes have become durable:
    /// superblocks may be erased and flushes end, and then a checkpoint may be due
    /// ([`Persistence::checkpoint_if_due`]).
    pub fn upkeep_done(&mut self, what: Upkeep, flash: &mut Flash<'_>) -> bool {
        match what {
            Upkeep::RecoveryRead => self.recovery_read_done(flash.env),
            Upkeep::JournalPage | Upkeep::PartialParity => {
                return self.journal_page_done(what, &flash.view());
            }
            Upkeep::CheckpointPage => checkpoint_page_done(self, flash),
            Upkeep::JournalErase => {}
        }
        false
    }

    fn journal_page_done(&mut self, what: Upkeep, view: &FlashView<'_>) -> bool {
        let Some(holds) = self.journal.page_done(what) else {
            return false;
        };
        if let Some(parity) = &mut self.parity {
            parity.cover();
        }
        self.durable
            .apply(self.buffer.changes(), holds.changes, view);
        self.buffer.take(holds);
        self.readiness.committed();
        true
    }

    /// Begins a checkpoint if the journal is long enough, and writes the due pages of the one under
    /// way.
    pub fn checkpoint_if_due(&mut self, flash: &mut Flash<'_>) {
        let due = self.journal.pages() >= self.spec.checkpoint_pages;
        if due && !self.checkpoint.is_under_way() {
            self.begin_checkpoint(flash);
        } else {
            checkpoint_goes_on(self, flash);
        }
    }

    /// Begins to write the changed parts of the table.
    pub fn begin_checkpoint(&mut self, flash: &mut Flash<'_>) {
        self.checkpoint
            .begin(self.durable.dirty(), &mut self.journal);
        self.durable
            .mark_again(self.buffer.changes().iter(), &flash.ftl.l2p);
        checkpoint_goes_on(self, flash);
    }

    /// Ends the checkpoint under way, if there is one, without waiting for the journal to grow.
    pub fn hurry_checkpoint(&mut self, flash: &mut Flash<'_>) {
        if self.checkpoint.is_under_way() {
            self.checkpoint.hurry();
            checkpoint_goes_on(self, flash);
        }
    }

    /// Bytes that can be written until a checkpoint begins, if the journal is not requested; 0
    /// while one is under way.
    pub fn bytes_until_checkpoint(&self) -> u64 {
        if self.checkpoint.is_under_way() {
            return 0;
        }
        let interval = u64::from(self.spec.journal_interval_pages);
        let writes = u64::from(
            self.spec
                .checkpoint_pages
                .saturating_sub(self.journal.pages()),
        ) / u64::from(self.journal.pages_for(interval));
        writes * interval * PAGE_BYTES
    }

    /// True if a checkpoint is under way.
    pub fn checkpoint_under_way(&self) -> bool {
        self.checkpoint.is_under_way()
    }
}

/// Handles the end of the program of a checkpoint page.
fn checkpoint_page_done(persistence: &mut Persistence, flash: &mut Flash<'_>) {
    let dirty = persistence.durable.dirty();
    persistence
        .checkpoint
        .page_done(dirty, &mut persistence.journal);
    checkpoint_goes_on(persistence, flash);
    // The journal may have waited for the end of the checkpoint.
    if !persistence.checkpoint.is_under_way() {
        persistence.count_ready(&flash.view());
        persistence.write_journal(flash);
    }
}

/// Programs the pages of a checkpoint that are due.
fn checkpoint_goes_on(persistence: &mut Persistence, flash: &mut Flash<'_>) {
    let dies = flash.env.spec.dies;
    let pages = persistence.checkpoint.take_due(&persistence.journal, dies);
    persistence.counted.checkpoint_programs += u64::from(pages);
    let (spec, blocks) = (&persistence.spec, &mut persistence.blocks);
    blocks.program(spec, flash, Upkeep::CheckpointPage, pages);
}

/// Asserts a bound of the host's data that a cut would lose: the changes that were not durable when
/// the last write was admitted, and the capacity of the buffer.
fn assert_bounded(persistence: &Persistence, write_pages: u32) {
    debug_assert!(
        persistence.buffer.pages_written() <= persistence.entries_max + u64::from(write_pages),
        "{}",
        persistence.diagnosis()
    );
}

/// Superblocks that are to be erased.
impl Persistence {
    /// Returns true if a superblock that has been emptied may be erased now. Otherwise
    /// [`Releases::take_erasable`] returns it later.
    pub fn release(&mut self, superblock: SuperblockId) -> bool {
        if !self.needs(superblock) || self.faults.has(Fault::EraseEarly) {
            return true;
        }
        self.durable.releases_mut().await_release(superblock);
        false
    }

    /// True if flash points into a superblock, or will.
    pub fn needs(&self, superblock: SuperblockId) -> bool {
        self.durable.needs(superblock)
    }

    /// Superblocks whose release is awaited.
    #[inline(always)]
    pub fn releases(&self) -> &Releases {
        self.durable.releases()
    }

    /// Superblocks whose release is awaited, to be changed.
    #[inline(always)]
    pub fn releases_mut(&mut self) -> &mut Releases {
        self.durable.releases_mut()
    }

    /// Notes that a superblock is being erased: these multi-plane pages.
    pub fn erased(&mut self, superblock: SuperblockId, pages: Range<MpPage>) {
        self.readiness.erased(superblock);
        if let Some(parity) = &mut self.parity {
            parity.erased(pages);
        }
    }
}

/// Requests of durability.
impl Persistence {
    /// The changes that are not durable yet.
    pub fn changes(&self) -> &JournalBuffer {
        &self.buffer
    }

    /// Requests that all changes so far become durable.
    pub fn request_all(&mut self) {
        self.buffer.request_all();
    }

    /// Returns true while so many changes are not durable that writes must wait for the journal,
    /// which is then requested.
    #[inline(always)]
    pub fn holds_writes_up(&mut self) -> bool {
        let behind = self.buffer.entries() > self.entries_max;
        if behind && !self.buffer.is_awaited() {
            self.buffer.request_all();
        }
        behind
    }

    /// Requests a flush. Returns the LSN up to which all changes must be durable before it ends;
    /// `None` if it ends at once.
    pub fn request_flush(&mut self) -> Option<u64> {
        let nothing_to_do = self.spec.hold_up.is_some() || self.buffer.is_empty();
        if nothing_to_do || self.spec.flush_ignored {
            return None;
        }
        self.buffer.request_all();
        Some(self.buffer.next_lsn())
    }

    /// True if a flush that waits for this LSN ends.
    pub fn flush_ends(&self, lsn: u64) -> bool {
        let mut reached = self.buffer.durable_lsn();
        if self.faults.has(Fault::FlushEarly) {
            reached += self.buffer.ready().changes as u64;
        }
        lsn <= reached
    }
}

/// Parity.
impl Persistence {
    /// State of stripes after cuts, if parity has to survive them.
    #[inline]
    pub fn parity(&self) -> Option<&PartialParity> {
        self.parity.as_deref()
    }

    /// True if copies of a fold are durable in their source until their parity has been copied too.
    #[inline]
    pub fn keeps_fold_sources(&self) -> bool {
        self.parity.is_some() && !self.faults.has(Fault::FoldEarly)
    }

    /// Marks a multi-plane page as unreadable until it is erased.
    pub fn page_is_void(&mut self, page: MpPage) {
        if let Some(parity) = &mut self.parity {
            parity.is_void(page);
        }
    }
}
