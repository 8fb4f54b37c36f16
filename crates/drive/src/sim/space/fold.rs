//! Emptying the SLC cache by on-chip copy: the same word line of three cache
//! superblocks becomes one word line of a main superblock, inside each die, without the
//! channel and without the data passing the controller.
//!
//! Whole pages are copied, whatever is stale in them; a word line of a die on which
//! nothing is occupied is passed over. Cache superblocks are emptied in the order in
//! which they were closed.
//!
//! How wide folding runs: on a few dies once the cache holds more than its watermark, on as many
//! as may when the host is about to find no room, and in the working slices of idle time. That
//! is all dies, unless the firmware holds folding to fewer: programming a die in the native mode draws
//! its peak current, and what the drive may draw does not grow with its dies.

use stend_base::Nanos;
use stend_nand::{Class, Work};

use crate::sim::controller::Job;
use crate::sim::map::layout::Pool;
use crate::sim::map::shape::Mode;
use crate::sim::power::durability::Canary;
use crate::sim::{Purpose, SimDrive, kind};
use crate::spec::{Emptying, FoldLimit};

/// Superblocks folded together: the bits of a cell of the main area.
pub(crate) const MOST_SOURCES: usize = 4;

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Fold {
    sources: [u32; MOST_SOURCES],
    target: u32,
    /// Next word line and die, `word_line * dies + die`.
    next: u32,
    /// Of them, how many have been mapped or passed over.
    done: u32,
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Folder {
    fold: Option<Fold>,
    /// Dies copying, or waiting for the controller to map what they copied.
    under_way: u32,
    /// Background folding rests; wider folding does not heed it.
    resting: bool,
    /// Word lines and dies that are behind the fold, one bit each; only where parity has to
    /// outlast a power cut.
    behind: Vec<u64>,
}

impl Folder {
    fn is_behind(&self, word_line_die: u32) -> bool {
        self.behind[word_line_die as usize / 64] >> (word_line_die % 64) & 1 != 0
    }
}

impl SimDrive {
    /// Begins as much of folding as may run now.
    #[inline]
    pub(in crate::sim) fn pump_fold(&mut self) {
        if self.limits.emptying == Some(Emptying::OnChip) && !self.read_only {
            self.fold_on();
        }
    }

    fn fold_on(&mut self) {
        while self.folder.under_way < self.fold_width() {
            if self.folder.fold.is_none() && !self.begin_fold() {
                return;
            }
            if self.free_slots[Pool::Main as usize] <= self.fold_main_floor() {
                self.pump_collect();
                return;
            }
            if !self.fold_next() {
                return;
            }
        }
    }

    /// Free slots of the main area that folding must leave to collection. After a power cut
    /// has cost slots, collection may find no room in the cache in turn: then folding, which
    /// makes it, goes first.
    fn fold_main_floor(&self) -> i64 {
        let cache = self.free_slots[Pool::Cache as usize];
        let enters_cache = self.cache_spec().takes_collected;
        if self.durability.is_some() && enters_cache && cache <= self.limits.collect_cache_floor {
            return self.slots(Pool::Main, 1).min(self.limits.fold_main_floor);
        }
        self.limits.fold_main_floor
    }

    /// Dies that may fold at once.
    fn fold_width(&self) -> u32 {
        let cache = self.cache_spec();
        let most = match cache.fold_limit {
            FoldLimit::Dies { most, .. } => most.min(self.env.spec.dies),
            FoldLimit::None | FoldLimit::Slots(_) => self.env.spec.dies,
        };
        if self.idle.working() {
            let folds = self.idle.in_slice() && (self.fold_under_way() || self.idle_folds());
            return if folds { most } else { 0 };
        }
        if self.cache_pressed() || self.main_wants_dynamic() {
            return most;
        }
        if self.cache_taken() > cache.fold_start_slots && !self.folder.resting {
            cache.fold_dies_background.min(most)
        } else {
            0
        }
    }

    /// Whether another fold may begin in idle time.
    pub(in crate::sim) fn idle_folds(&self) -> bool {
        match self.cache_spec().fold_limit {
            FoldLimit::Dies {
                idle_free_slots: Some(slots),
                ..
            } => self.cache_free_for_host() < slots as i64,
            _ => true,
        }
    }

    fn sources(&self) -> usize {
        self.env.spec.main.timing.pages_per_word_line() as usize
    }

    /// Chooses what to fold next. False when there is nothing.
    fn begin_fold(&mut self) -> bool {
        self.erase_dead_cache();
        let sources = self.sources();
        if self.superblocks.closed_cache().len() < sources {
            return false;
        }
        // After a power cut has cost slots, collection may need the superblock that would only
        // wait to be filled here.
        let cannot_go_on = self.free_slots[Pool::Main as usize] <= self.fold_main_floor();
        if self.durability.is_some() && cannot_go_on {
            self.pump_collect();
            return false;
        }
        if !self.has_superblock(Pool::Main) {
            self.urge();
            self.pump_collect();
            return false;
        }
        let target = self.superblocks.open(Pool::Main, Mode::Native);
        let target = target.expect("there is an erased superblock");
        self.media_opened(target);
        let mut fold = Fold {
            sources: [0; MOST_SOURCES],
            target,
            next: 0,
            done: 0,
        };
        for source in &mut fold.sources[..sources] {
            *source = self.superblocks.take_closed_cache(0);
        }
        if self.keeps_parity() {
            let words = self.env.layout.shape(Mode::Slc).slots.div_ceil(64) as usize;
            self.folder.behind.clear();
            self.folder.behind.resize(words, 0);
        }
        self.folder.fold = Some(fold);
        true
    }

    /// Erases closed superblocks of the cache in which nothing is left to fold.
    fn erase_dead_cache(&mut self) {
        let mut nth = 0;
        while nth < self.superblocks.closed_cache().len() {
            let superblock = self.superblocks.closed_cache()[nth];
            if self.mapping.occupied_in(superblock) > 0 {
                nth += 1;
                continue;
            }
            self.superblocks.take_closed_cache(nth);
            let slots = self.env.layout.shape(Mode::Slc).slots;
            self.give_slots(self.kind_of(superblock), slots);
            self.let_go(superblock);
        }
    }

    /// Begins the next word line of a die. False when all have begun.
    fn fold_next(&mut self) -> bool {
        let mut fold = self.folder.fold.expect("a fold has begun");
        let shape = *self.env.layout.shape(Mode::Slc);
        let sources = self.sources();
        if fold.next == shape.slots {
            return false;
        }
        let within = fold.next;
        fold.next += 1;
        self.free_slots[Pool::Main as usize] -= sources as i64;
        self.folder.fold = Some(fold);
        let occupied = fold.sources[..sources].iter().any(|&source| {
            self.mapping
                .occupied_bits(self.env.layout.first_slot(source) + within)
                != 0
        });
        if !occupied && !shape.is_parity(within) {
            self.fold_part_done(within);
            return true;
        }
        self.folder.under_way += 1;
        self.env.counters.folds += 1;
        let work = Work::OnDie {
            busy: self.copy_time(),
        };
        let purpose = Purpose::Fold {
            word_line_die: within,
        };
        let die = within % self.env.spec.dies;
        let queue = &mut self.env.queue;
        self.array
            .submit(queue, die, Class::Background, work, purpose.pack());
        true
    }

    /// How long a die copies a word line.
    fn copy_time(&self) -> Nanos {
        let cache = &self.cache_spec().pool.timing;
        let reads = Nanos(cache.read[0].0 * self.sources() as u64);
        let program = self.env.spec.main.timing.program_word_line();
        reads + self.env.spec.one_shot.unwrap_or(program)
    }

    /// Whether a copy has failed: it is done again in another block, before all that waits for
    /// its die. Where there is none, what was to be folded stays where it is, in a drive that
    /// takes no more writes.
    #[cold]
    fn fold_fails(&mut self, within: u32) -> bool {
        let fold = self.folder.fold.expect("a fold is under way");
        let (word_line, die) = (within / self.env.spec.dies, within % self.env.spec.dies);
        let row = word_line * self.sources() as u32;
        match self.copy_fails(fold.target, row, die) {
            None => return false,
            Some(Some(before)) => self.fold_again(within, before),
            Some(None) => self.folder.under_way -= 1,
        }
        true
    }

    fn fold_again(&mut self, within: u32, before: Nanos) {
        self.env.counters.folds += 1;
        let work = Work::OnDie {
            busy: before + self.copy_time(),
        };
        let purpose = Purpose::Fold {
            word_line_die: within,
        };
        let die = within % self.env.spec.dies;
        let queue = &mut self.env.queue;
        self.array
            .submit_first(queue, die, Class::Background, work, purpose.pack());
    }

    pub(in crate::sim) fn fold_copied(&mut self, word_line_die: u32) {
        if self.blocks.is_some() && self.fold_fails(word_line_die) {
            return;
        }
        let fold = self.folder.fold.expect("a fold is under way");
        let sources = self.sources();
        let mut slots = [0; MOST_SOURCES];
        let mut units = 0;
        for (slot, &source) in slots.iter_mut().zip(&fold.sources[..sources]) {
            *slot = self.env.layout.first_slot(source) + word_line_die;
            self.mapping.expect_moves(*slot);
            units += self.mapping.occupied_bits(*slot).count_ones();
        }
        let spec = &self.env.spec.controller;
        let (core, time) = (spec.core_background, spec.fold_unit * u64::from(units));
        let job = Job::Folded { word_line_die };
        self.submit_moves(core, job, time, &slots[..sources]);
    }

    /// The copied units that are still valid get their new place.
    pub(in crate::sim) fn fold_mapped(&mut self, within: u32) {
        let fold = self.folder.fold.expect("a fold is under way");
        let sources = self.sources();
        for (page, &source) in fold.sources[..sources].iter().enumerate() {
            let from = self.env.layout.first_slot(source) + within;
            let to = self.folded_to(&fold, within, page as u32);
            self.fold_page(from, to, fold.target);
        }
        self.folder.under_way -= 1;
        let pause = self.cache_spec().fold_pause;
        if pause > Nanos::ZERO && !self.folder.resting {
            self.folder.resting = true;
            self.set_timer(pause, kind::FOLD_PAUSE);
        }
        self.fold_part_done(within);
        self.pump_all();
    }

    pub(in crate::sim) fn fold_pause_ends(&mut self) {
        self.folder.resting = false;
        self.pump_fold();
    }

    fn fold_page(&mut self, from: u32, to: u32, target: u32) {
        let valid = self.mapping.valid_bits(from);
        let dead = (self.mapping.occupied_bits(from) & !valid).count_ones();
        self.mapping.transplant(from, valid, to, target);
        let logs = !self.keeps_parity() || self.folds_early();
        if logs {
            self.log_transplant(from, valid, to, target);
        }
        self.env.counters.units_folded += u64::from(valid.count_ones());
        if dead > 0 {
            self.mapping.release_kept(from);
            self.env.counters.units_folded_dead += u64::from(dead);
        }
    }

    /// One word line of one die is behind us; at the last, the cache superblocks are
    /// erased and the main one is full.
    fn fold_part_done(&mut self, within: u32) {
        if self.keeps_parity() {
            self.log_folded_group(within);
        }
        let sources = self.sources();
        let fold = self.folder.fold.as_mut().expect("a fold is under way");
        fold.done += 1;
        let Fold {
            done,
            sources: from,
            ..
        } = *fold;
        for &source in &from[..sources] {
            self.give_slots(self.kind_of(source), 1);
        }
        if done < self.env.layout.shape(Mode::Slc).slots {
            return;
        }
        let fold = self.folder.fold.take().expect("a fold is under way");
        self.superblocks.close(fold.target);
        for &source in &fold.sources[..sources] {
            self.let_go(source);
        }
    }
}

impl SimDrive {
    /// A word line of a die is behind the fold: if it is the last of its parity group, what
    /// was copied of the group enters the log, as far as it is still valid.
    #[cold]
    fn log_folded_group(&mut self, within: u32) {
        self.folder.behind[within as usize / 64] |= 1 << (within % 64);
        let shape = *self.env.layout.shape(Mode::Slc);
        let group = || (0..).map_while(move |nth| shape.nth_of_group(within, nth));
        if self.folds_early() || !group().all(|other| self.folder.is_behind(other)) {
            return;
        }
        let fold = self.folder.fold.expect("a fold is under way");
        for other in group() {
            for (page, &source) in fold.sources[..self.sources()].iter().enumerate() {
                let from = self.env.layout.first_slot(source) + other;
                let to = self.folded_to(&fold, other, page as u32);
                let units = self.mapping.valid_bits(to);
                self.log_transplant(from, units, to, fold.target);
            }
        }
    }

    /// Where a page of a word line on a die goes.
    fn folded_to(&self, fold: &Fold, within: u32, page: u32) -> u32 {
        let (word_line, die) = (within / self.env.spec.dies, within % self.env.spec.dies);
        let row = word_line * self.sources() as u32 + page;
        let target = self.env.layout.first_slot(fold.target);
        target + self.env.layout.shape(Mode::Native).at(row, die)
    }

    /// Where a slot of the fold under way came from: the word line and die, and the source.
    fn folded_from(&self, slot: u32) -> Option<(u32, u32)> {
        let fold = self.folder.fold.as_ref()?;
        let (superblock, within) = self.env.layout.within_superblock(slot);
        if superblock != fold.target {
            return None;
        }
        let (row, die) = self.env.layout.shape(Mode::Native).place(within);
        let sources = self.sources() as u32;
        let source = fold.sources[(row % sources) as usize];
        Some((row / sources * self.env.spec.dies + die, source))
    }

    /// Whether a fold has not come to a slot of the superblock that it fills.
    pub(in crate::sim) fn fold_lacks(&self, slot: u32) -> bool {
        let from = self.folded_from(slot);
        from.is_some_and(|(within, _)| !self.folder.is_behind(within))
    }

    /// Whether a fold copies into a superblock.
    pub(in crate::sim) fn is_folded_into(&self, superblock: u32) -> bool {
        self.folder
            .fold
            .is_some_and(|fold| fold.target == superblock)
    }

    /// Where flash is to have what lies at a place: that from which it was copied, as long as
    /// its parity has not been copied too.
    #[inline]
    pub(in crate::sim) fn kept_place(&self, place: u32) -> u32 {
        if self.folder.fold.is_none() || !self.keeps_parity() || self.folds_early() {
            return place;
        }
        let bits = self.env.layout.unit_bits;
        let Some((within, source)) = self.folded_from(place >> bits) else {
            return place;
        };
        let shape = self.env.layout.shape(Mode::Slc);
        let mut group = (0..).map_while(|nth| shape.nth_of_group(within, nth));
        if group.all(|other| self.folder.is_behind(other)) {
            return place;
        }
        let slot = self.env.layout.first_slot(source) + within;
        slot << bits | place & ((1 << bits) - 1)
    }

    fn folds_early(&self) -> bool {
        let durability = self.durability.as_ref();
        durability.is_some_and(|d| d.canary == Some(Canary::FoldEarly))
    }

    pub(in crate::sim) fn fold_under_way(&self) -> bool {
        self.folder.fold.is_some()
    }
}
