//! Power cuts and their consequences: data saved on capacitors, torn pages, superblocks that are
//! filled further, and the recovery.
//!
//! A cut may fall between any two events. Programs under way are torn: their multi-plane pages
//! cannot be read, and with cells programmed in several passes, nor can the rest of their word line
//! ([`stend_model::spec::PairedPages`]). A program is under way from the instant at which its die
//! begins it. Everything in memory is lost; the L2P becomes the durable one. Superblocks that were
//! being erased are erased again, as are those without durable data. An open superblock is filled
//! further after the last page that had been begun, from the next word line if a word line has
//! several pages.
//!
//! With power-loss protection, the pages in the buffer are programmed and all changes are written
//! to the journal before the power fails, if the capacitors hold long enough.
//!
//! When the power returns, the drive reads the table, the journal since the last checkpoint, and
//! the pages of open superblocks, over all dies at once. Commands that arrive meanwhile wait.

use crate::nand::Work;
use stend_base::{Nanos, SimTime};
use stend_model::nand::Class;

use super::power_state::{PowerState, Recovery};
use super::{Flash, FlashView, Persistence};
use crate::sim::env::Env;
use crate::sim::ftl::Ftl;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Layout;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, IdRange, MpPage, SuperblockId};
use crate::sim::kind;
use crate::sim::l2p::table::is_at;
use crate::sim::media::op::Upkeep;
use crate::sim::media::{Part, page_bytes, read_at};

/// A cut.
impl Persistence {
    /// Saves buffer and changes on capacitors. Returns true if these hold until both are in flash.
    pub fn save(&mut self, env: &Env, ftl: &mut Ftl) -> bool {
        let Some(hold_up) = self.spec.hold_up else {
            return false;
        };
        let (spec, layout) = (&env.spec, &env.layout);
        let (count, channels) = (spec.dies as usize, spec.channels);
        let transfer = ftl.media.transfer_time(page_bytes(spec));
        let mut dies = vec![Nanos::ZERO; count];
        let mut busses = vec![Nanos::ZERO; channels as usize];
        for (page, kind, _) in ftl.buffer.open_programs() {
            let (_, within) = layout.within_superblock(page);
            let shape = layout.shape(kind.mode);
            let (row, die) = shape.place(within);
            dies[die.index()] += env.times.program(kind.mode, row, die);
            busses[(die.0 % channels) as usize] += transfer * u64::from(shape.mp_pages_per_program);
        }
        for (die, time) in ftl.media.copying() {
            dies[die.index()] += time;
        }
        let view = FlashView::new(layout, ftl);
        let partial = self.find_partial_parity(self.buffer.changes().len(), &view);
        let pages = self.journal.pages_for(self.buffer.entries()) + partial;
        for page in 0..pages {
            let die = page % spec.dies;
            dies[die as usize] += self.spec.journal.program[0];
            busses[(die % channels) as usize] += transfer;
        }
        let longest = |all: Vec<Nanos>| all.into_iter().max().unwrap_or(Nanos::ZERO);
        // No die waits for its channel longer than all transfers on it take.
        let time = longest(dies) + longest(busses);
        self.counted.save_ns_last = time.0;
        if time > hold_up {
            self.counted.failed_saves += 1;
            return false;
        }
        self.saved(layout, ftl);
        true
    }

    /// Notes that capacitors have saved buffer and changes.
    fn saved(&mut self, layout: &Layout, ftl: &mut Ftl) {
        let view = FlashView::new(layout, ftl);
        let changes = self.buffer.changes();
        // A write that has not arrived as a whole is not saved.
        if let Some(lsn) = self.writes.piece_lsn() {
            let first = (lsn - self.buffer.durable_lsn()) as usize;
            self.in_flash = self
                .durable
                .superseded_by_last(changes.range(first..), view.l2p);
        }
        self.durable.apply(changes, changes.len(), &view);
        let pages = self.journal.saved(self.buffer.take_all());
        self.counted.journal_programs += u64::from(pages);
        let parity_pages = self.parity.as_mut().map_or(0, |parity| parity.cover());
        self.counted.partial_parity_programs += parity_pages;
        let programs = &mut ftl.media.counted;
        programs.slc_programs += u64::from(pages) + parity_pages;
        for (_, kind, begun) in ftl.buffer.open_programs() {
            if !begun {
                programs.programs_of(kind.mode);
            }
        }
    }

    /// True if programs that a cut ends tear the other pages of their word line.
    pub fn tears_word_lines(&self) -> bool {
        self.spec.paired_pages.tears()
    }

    /// Undoes in the L2P the changes that are not durable. The caller recounts validity.
    pub fn undo(&mut self, layout: &Layout, ftl: &mut Ftl) {
        self.counted.undone_pages += self.buffer.pages_written();
        let Ftl { l2p, fold, .. } = ftl;
        if self.keeps_fold_sources() && fold.is_under_way() {
            let target = layout.mp_pages_in(fold.target());
            let ppns = target.each().flat_map(|p| p.ppns(layout.page_bits).each());
            for ppn in ppns {
                if l2p.is_valid(ppn) {
                    let (lpn, source) = (l2p.lpn_of(ppn), fold.durable_place(layout, ppn));
                    l2p.after_cut().put(lpn, source);
                }
            }
        }
        let mut l2p = l2p.after_cut();
        l2p.unmap_pending();
        for (lpn, place) in self.in_flash.drain(..) {
            l2p.put(lpn, place);
        }
        self.durable.undo(self.buffer.changes(), &mut l2p);
    }

    /// Notes the stripes that a cut leaves without parity, before the write points are lost; the
    /// L2P is the durable one. `ended`: programs of data under way end; `all_ended`: those of
    /// parity too.
    pub fn cut_stripes(&mut self, ended: bool, all_ended: bool, view: &FlashView<'_>) {
        let bits = view.layout.page_bits;
        let holds_durable = |page: MpPage| page.ppns(bits).each().any(|ppn| is_at(view.l2p, ppn));
        if let Some(parity) = &mut self.parity {
            parity.power_cut(ended, all_ended, holds_durable, view);
        }
    }

    /// Drops everything that was not durable and turns the power off; the L2P has been made the
    /// durable one ([`Persistence::undo`]). `ended`: no program was cut, so that the state of all
    /// pages is known. Returns the superblocks that are filled further, with their kinds and the
    /// multi-plane pages left, and those to be erased at the next start.
    pub fn power_cut(
        &mut self,
        now: SimTime,
        ended: bool,
        layout: &Layout,
        ftl: &mut Ftl,
    ) -> (Vec<(SuperblockId, Kind, u32)>, Vec<SuperblockId>) {
        ftl.l2p.after_cut().recount();
        self.forget_the_rest(&ftl.l2p);
        self.journal.power_cut();
        self.checkpoint.power_cut();
        self.durable.dirty().power_cut();
        let (open, mut recovery) = self.sort_superblocks(ended, layout, ftl);
        ftl.buffer.clear();
        ftl.buffer.take_host_programmed();
        if let Some(parity) = &self.parity {
            recovery.parity_pages = parity.pages_to_read(&FlashView::new(layout, ftl));
        }
        let erase = recovery.erase.clone();
        self.power.turn_off(now, recovery);
        (open, erase)
    }

    /// Finds the superblocks to be filled further and those to be erased; closes the others.
    fn sort_superblocks(
        &mut self,
        ended: bool,
        layout: &Layout,
        ftl: &mut Ftl,
    ) -> (Vec<(SuperblockId, Kind, u32)>, Recovery) {
        let Ftl {
            l2p,
            superblocks,
            points,
            sorting,
            ..
        } = ftl;
        sorting.power_cut();
        let mut scan = Vec::new();
        let dead = |superblock: SuperblockId| l2p.valid_in(superblock) == 0;
        if !ended {
            for superblock in superblocks.open_ones() {
                let kind = Kind {
                    pool: layout.pool_of_superblock(superblock),
                    mode: superblocks.mode(superblock),
                };
                let first = layout.first_mp_page(superblock);
                scan.extend((first..first + points.begun_in(superblock, kind)).each());
            }
        }
        let mut skipped = Vec::new();
        let open = points.power_cut(layout, dead, &mut skipped);
        let keep = |s: SuperblockId| open.iter().any(|&(superblock, ..)| superblock == s);
        let erase = superblocks.power_cut(keep, dead);
        for page in skipped {
            self.page_is_void(page);
        }
        (open, Recovery::new(scan, erase))
    }
}

/// A power-up.
impl Persistence {
    /// The power state, and the progress of a start.
    #[inline]
    pub fn power(&self) -> &PowerState {
        &self.power
    }

    /// Interrupts a recovery, which must start over.
    pub fn interrupt_recovery(&mut self, now: SimTime) {
        self.power.interrupt(now);
    }

    /// Turns the power on. Returns the time until the first read of the flash begins.
    pub fn turn_on(&mut self, now: SimTime) -> Nanos {
        self.power.turn_on(now);
        self.counted.power_ups += 1;
        self.spec.boot
    }

    /// Begins to read the state that a cut has left; `copies` must be repeated by their dies, in
    /// the given time each.
    pub fn read_back(&mut self, copies: Vec<(DieId, Nanos)>, flash: &mut Flash<'_>) {
        let sense = self.spec.journal.read[0];
        let in_blocks = self.checkpoint.table_pages() + self.journal.pages();
        let recovery = self.power.recovery();
        let in_blocks = in_blocks + recovery.parity_pages;
        recovery.reads = in_blocks + recovery.scan.len() as u32 + copies.len() as u32;
        for (die, busy) in copies {
            let work = Work::OnDie { busy };
            flash.submit(die, Class::Background, work, Upkeep::RecoveryRead);
        }
        let bytes = page_bytes(&flash.env.spec);
        for page in 0..in_blocks {
            let flash_pages = flash.env.layout.flash_pages;
            flash.ftl.media.counted.reads_of(Mode::Slc, flash_pages);
            let die = DieId(page % flash.env.spec.dies);
            let work = Work::Read { sense, bytes };
            flash.submit(die, Class::HostRead, work, Upkeep::RecoveryRead);
        }
        for &page in &recovery.scan {
            // The bytes beside the data of a page describe its content.
            let part = Part {
                bytes: 0,
                ..Part::whole(flash.env, page)
            };
            let Ftl {
                media, superblocks, ..
            } = &mut *flash.ftl;
            let place = read_at(&mut media.counted, flash.env, superblocks, part);
            let work = Work::Read {
                sense: place.sense,
                bytes: 0,
            };
            flash.submit(place.die, Class::HostRead, work, Upkeep::RecoveryRead);
        }
    }

    /// Handles the end of a read of a recovery. After the last, the journal is replayed.
    pub(super) fn recovery_read_done(&mut self, env: &mut Env) {
        if self.power.recovery().read_done() {
            let time = self.spec.replay_page * self.journal.entries();
            env.set_timer(time, kind::POWER);
        }
    }

    /// Serves commands from now on. Returns the superblocks that the recovery left to be erased.
    pub fn serve(&mut self, now: SimTime) -> Vec<SuperblockId> {
        let (took, erase) = self.power.serve(now);
        self.counted.recovery_ns_last = took.0;
        erase
    }
}
