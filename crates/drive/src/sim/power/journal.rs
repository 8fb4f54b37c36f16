//! The journal of the mapping's changes, and the checkpoints that make it short.
//!
//! Both lie in blocks of their own on every die, in SLC mode, outside the pools: pages are
//! written over the dies in turn, and a die erases a block each time it has filled one. A
//! page is as large as a slot, and names 8 bytes a changed unit. The journal is one log:
//! the next page or pages are written when the ones before are. A checkpoint writes the
//! changed 4 KiB parts of the table, packed, on as many dies at once as there are.

use stend_nand::{Class, Work};

use crate::sim::map::map_cache::directory_pages;
use crate::sim::map::shape::Mode;
use crate::sim::{Purpose, SimDrive};
use crate::spec::{Spec, UNIT_BYTES};

/// Bytes of the journal for a changed unit: which one, and its place.
const CHANGE_BYTES: u64 = 8;
/// Units whose entries fill 4 KiB of the table.
const UNITS_PER_MAP_PART: u32 = 1024;

/// What the flash is used for beside data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Upkeep {
    RecoveryRead = 0,
    JournalPage = 1,
    MapPage = 2,
    JournalErase = 3,
    PartialParity = 4,
}

impl Upkeep {
    pub const ALL: [Upkeep; 5] = [
        Upkeep::RecoveryRead,
        Upkeep::JournalPage,
        Upkeep::MapPage,
        Upkeep::JournalErase,
        Upkeep::PartialParity,
    ];
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Journal {
    /// Pages under way, and the changes they hold.
    under_way: u32,
    changes: usize,
    units: u64,
    units_per_page: u64,
    /// Die that takes the next page, and pages each die has taken.
    next_die: u32,
    taken: Vec<u32>,
    /// Pages, and units they name, that no checkpoint has made superfluous.
    pub pages: u32,
    pub replay_units: u64,
    /// Of these, what the checkpoint under way will.
    covered: (u32, u64),
    /// Parts of the table that were changed since they were last written, and those that
    /// the checkpoint under way writes.
    changed: Vec<u64>,
    writing: Vec<u64>,
    /// Pages of the checkpoint not yet begun, and under way.
    map_left: u32,
    map_under_way: u32,
    map_parts_per_page: u32,
    /// Pages that a start reads: of the whole table, or of its directory where the table stays
    /// on flash.
    pub map_pages: u32,
}

impl Journal {
    pub fn new(spec: &Spec, units: u32) -> Journal {
        let parts = units.div_ceil(UNITS_PER_MAP_PART);
        Journal {
            under_way: 0,
            changes: 0,
            units: 0,
            units_per_page: u64::from(spec.units_per_slot) * UNIT_BYTES / CHANGE_BYTES,
            next_die: 0,
            taken: vec![0; spec.dies as usize],
            pages: 0,
            replay_units: 0,
            covered: (0, 0),
            changed: vec![0; parts.div_ceil(64) as usize],
            writing: vec![0; parts.div_ceil(64) as usize],
            map_left: 0,
            map_under_way: 0,
            map_parts_per_page: spec.units_per_slot,
            map_pages: match &spec.map {
                Some(_) => directory_pages(spec, units),
                None => parts.div_ceil(spec.units_per_slot),
            },
        }
    }

    /// The entry of a unit is not as it was last written.
    #[inline]
    pub fn changed(&mut self, logical: u32) {
        let part = logical / UNITS_PER_MAP_PART;
        self.changed[part as usize / 64] |= 1 << (part % 64);
    }

    /// The first unit behind the part of the table that a unit's entry lies in.
    #[inline]
    pub fn part_end(logical: u32) -> u32 {
        (logical / UNITS_PER_MAP_PART + 1) * UNITS_PER_MAP_PART
    }

    pub fn pages_for(&self, units: u64) -> u32 {
        units.div_ceil(self.units_per_page) as u32
    }

    pub fn diagnosis(&self) -> String {
        format!(
            "pages under way {}, of the table {} and {} to come, written {}",
            self.under_way, self.map_under_way, self.map_left, self.pages
        )
    }

    pub fn writes(&self) -> bool {
        self.under_way > 0
    }

    pub fn checkpoint_under_way(&self) -> bool {
        self.map_left + self.map_under_way > 0
    }

    /// Pages were written on capacitors.
    pub fn saved(&mut self, units: u64) -> u32 {
        let pages = self.pages_for(units);
        self.pages += pages;
        self.replay_units += units;
        pages
    }

    /// What was under way is lost: the parts of the table that a checkpoint was writing are
    /// still to be written.
    pub fn power_cut(&mut self) {
        self.under_way = 0;
        (self.map_left, self.map_under_way) = (0, 0);
        for (changed, writing) in self.changed.iter_mut().zip(&mut self.writing) {
            *changed |= std::mem::take(writing);
        }
    }
}

impl SimDrive {
    /// Writes the ready changes to the journal when somebody waits for them or there are
    /// enough.
    pub(in crate::sim) fn pump_journal(&mut self) {
        let durability = self.durability.as_mut().expect("there is a log");
        if durability.whole == 0 || durability.journal.writes() {
            return;
        }
        let reach = durability.applied + durability.whole as u64;
        let asked = durability.wanted > durability.applied && reach >= durability.wanted;
        let interval = u64::from(durability.spec.journal_interval_units);
        let journal = &mut durability.journal;
        let most = 2 * durability.spec.checkpoint_pages;
        // Its blocks are full until the checkpoint has ended.
        let full = journal.checkpoint_under_way() && journal.pages >= most;
        if full || !(asked || durability.whole_units >= interval) {
            return;
        }
        (journal.changes, journal.units) = (durability.whole, durability.whole_units);
        let pages = journal.pages_for(journal.units);
        journal.under_way = pages;
        let changes = journal.changes;
        self.env.counters.journal_programs += u64::from(pages);
        for _ in 0..pages {
            self.program_reserved(Upkeep::JournalPage);
        }
        if self.keeps_parity() {
            self.program_partial_parity(changes);
        }
    }

    /// Programs the parity of groups that are not full, beside the pages that name these
    /// changes.
    #[inline(never)]
    fn program_partial_parity(&mut self, changes: usize) {
        let pages = self.find_partial(changes);
        let durability = self.durability.as_mut().expect("there is a log");
        durability.journal.under_way += pages;
        self.env.counters.partial_parity_programs += u64::from(pages);
        for _ in 0..pages {
            self.program_reserved(Upkeep::PartialParity);
        }
    }

    /// Programs the next page outside the pools.
    fn program_reserved(&mut self, what: Upkeep) {
        let durability = self.durability.as_mut().expect("there is a journal");
        let journal = &mut durability.journal;
        let die = journal.next_die;
        journal.next_die = (die + 1) % self.env.spec.dies;
        let taken = &mut journal.taken[die as usize];
        let begins_block = *taken > 0 && taken.is_multiple_of(durability.spec.journal_rows);
        *taken += 1;
        let timing = &durability.spec.journal;
        let (erase, program) = (timing.erase, timing.program[0]);
        // Somebody may wait for the journal; nobody does for a checkpoint.
        let class = match what {
            Upkeep::JournalPage | Upkeep::PartialParity => Class::HostProgram,
            _ => Class::Background,
        };
        if begins_block {
            self.env.counters.journal_erases += 1;
            self.env.counters.erases += 1;
            self.env.counters.slc_erases += 1;
            let work = Work::OnDie { busy: erase };
            self.submit_upkeep(die, class, work, Upkeep::JournalErase);
        }
        self.env.counters.programs_of(Mode::Slc);
        let bytes = self.env.spec.units_per_slot * UNIT_BYTES as u32;
        self.submit_upkeep(die, class, Work::Program { program, bytes }, what);
    }

    pub(in crate::sim) fn submit_upkeep(
        &mut self,
        die: u32,
        class: Class,
        work: Work,
        what: Upkeep,
    ) {
        let cookie = Purpose::Upkeep { what }.pack();
        self.array
            .submit(&mut self.env.queue, die, class, work, cookie);
    }

    pub(in crate::sim) fn upkeep_done(&mut self, what: Upkeep) {
        match what {
            Upkeep::RecoveryRead => self.recovery_read_done(),
            Upkeep::JournalPage => self.journal_page_done(1),
            Upkeep::PartialParity => self.journal_page_done(0),
            Upkeep::MapPage => self.map_page_done(),
            Upkeep::JournalErase => {}
        }
    }

    /// A page that was written is of the journal, or of the parity beside it.
    fn journal_page_done(&mut self, of_journal: u32) {
        let durability = self.durability.as_mut().expect("there is a journal");
        let journal = &mut durability.journal;
        journal.under_way -= 1;
        journal.pages += of_journal;
        if journal.under_way > 0 {
            return;
        }
        let (changes, units) = (journal.changes, journal.units);
        if self.keeps_parity() {
            self.cover();
        }
        let durability = self.durability.as_mut().expect("there is a journal");
        let journal = &mut durability.journal;
        journal.replay_units += units;
        durability.took(changes, units);
        durability.apply(changes, &self.mapping, &self.env.layout);
        self.erase_unneeded();
        self.check_flushes();
        self.pump_checkpoint();
    }

    fn pump_checkpoint(&mut self) {
        let durability = self.durability.as_ref().expect("there is a journal");
        let journal = &durability.journal;
        let due = journal.pages >= durability.spec.checkpoint_pages;
        if due && !journal.checkpoint_under_way() {
            self.begin_checkpoint();
        }
    }

    /// Begins to write the changed parts of the table.
    pub(in crate::sim) fn begin_checkpoint(&mut self) {
        let durability = self.durability.as_mut().expect("there is a journal");
        let journal = &mut durability.journal;
        std::mem::swap(&mut journal.changed, &mut journal.writing);
        let parts: u32 = journal.writing.iter().map(|w| w.count_ones()).sum();
        journal.map_left = parts.div_ceil(journal.map_parts_per_page);
        journal.covered = (journal.pages, journal.replay_units);
        if journal.map_left == 0 {
            // All changes were undone by later ones.
            self.end_checkpoint();
            return;
        }
        for _ in 0..self.env.spec.dies {
            self.program_map_page();
        }
    }

    fn program_map_page(&mut self) {
        let durability = self.durability.as_mut().expect("there is a journal");
        let journal = &mut durability.journal;
        if journal.map_left == 0 {
            return;
        }
        journal.map_left -= 1;
        journal.map_under_way += 1;
        self.env.counters.checkpoint_programs += 1;
        self.program_reserved(Upkeep::MapPage);
    }

    fn map_page_done(&mut self) {
        let durability = self.durability.as_mut().expect("there is a journal");
        durability.journal.map_under_way -= 1;
        self.program_map_page();
        let durability = self.durability.as_ref().expect("there is a journal");
        if !durability.journal.checkpoint_under_way() {
            self.end_checkpoint();
        }
    }

    fn end_checkpoint(&mut self) {
        let durability = self.durability.as_mut().expect("there is a journal");
        let journal = &mut durability.journal;
        journal.writing.fill(0);
        let (pages, units) = std::mem::take(&mut journal.covered);
        journal.pages -= pages;
        journal.replay_units -= units;
        self.find_ready();
        self.pump_journal();
    }
}
