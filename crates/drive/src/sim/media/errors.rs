//! Errors of the flash: read retries, use of parity, lost data.
//!
//! Success of a read follows from the wear of the block, the age of its data and the reads since
//! ([`stend_model::nand::reliability`]), from the page's type and word line, and from a hash of its
//! place and its block's cycles: the same page fails the same way every time until it is erased.
//! Firmware that remembers thresholds begins with a pass of the page's type and superblock: the
//! first retry sets it, each later one moves it by one pass towards the pass that corrected the
//! page. An erase or time without power clears it. A page that no pass corrects is rebuilt from the
//! others of its stripe; without parity, or when another of the stripe fails too, its data is lost:
//! the read that met it ends with an error, and so does every later one until the page is written
//! again.
//!
//! Simplified: a lost page that is partly rewritten counts as whole; on-chip copies neither correct
//! nor add errors; parity of a stripe that is still being written is in memory.

use crate::nand::Work;
use stend_base::splitmix64;
use stend_base::{Nanos, SimTime};
use stend_model::nand::Class;
use stend_model::nand::deviation::{ONE, factors_by_row, times};
use stend_model::nand::reliability::{Outcome, Rber};
use stend_model::spec::{MediaSpec, Spec};

use super::op::NandOp;
use super::{Media, Part, Place, page_bytes, place_of, read_at};
use crate::sim::env::Env;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, MpPage, Row, SuperblockId};
use crate::sim::slab::Slab;
use crate::sim::superblocks::Superblocks;

/// A multi-plane page of flash at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PageState {
    /// Die of the page.
    pub die: DieId,
    /// Raw bit error rate of the page.
    pub rber: Rber,
    /// True if it was never programmed, since no block was left for it.
    pub missing: bool,
}

/// Source of a read that rebuilds a page of a stripe.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) enum Source {
    /// A multi-plane page.
    Page(MpPage),
    /// Partial parity: die and tR of the page.
    PartialParity(DieId, Nanos),
}

/// A multi-plane page that could not be read and is rebuilt.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Rebuild {
    pub mp_page: MpPage,
    class: Class,
    /// Operation that the page was read for, packed.
    op: u64,
    /// State of the page when it was sensed.
    pub sensed: PageState,
    /// Pages of its stripe still to be read.
    left: u32,
    pub lost: bool,
}

impl Rebuild {
    /// Operation that the page was read for.
    pub fn op(&self) -> NandOp {
        NandOp::unpack(self.op)
    }

    /// True if no page of its stripe is still to be read.
    pub fn has_all(&self) -> bool {
        self.left == 0
    }
}

/// Upper bound of the raw bit error rate of a superblock's blocks, valid up to these reads and this
/// instant of the drive's calendar, as long as none of its blocks is erased or replaced.
#[derive(Clone, Copy, Debug)]
struct Bound {
    rber: Rber,
    reads: u32,
    until: SimTime,
    /// True if even the worst page takes only one pass.
    clean: bool,
}

/// Maximum of bits of a cell, and so of types of pages.
const PAGE_TYPES_MAX: usize = 4;

/// Reads and time for which a bound is valid: short enough to keep it tight.
const BOUND_READS: u32 = 4096;
const BOUND_TIME: Nanos = Nanos::from_secs(60);

/// State of the cells, by superblock.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct FlashErrors {
    spec: MediaSpec,
    /// Page reads since the superblock was erased.
    reads: Vec<u32>,
    /// Instant at which it began to be written, in the drive's calendar.
    written_at: Vec<SimTime>,
    dead: Vec<bool>,
    /// Pass with which reads begin, as remembered since the last erase and power-up, by type of
    /// page; empty if thresholds are not remembered.
    passes: Vec<[u8; PAGE_TYPES_MAX]>,
    /// Number of page types.
    types: usize,
    /// Factors of the raw bit error rate by mode.
    factors: [RowFactors; 2],
    /// Bounds of recently read superblocks: a cache, computed again when needed.
    #[serde(skip)]
    bounds: Vec<Option<Bound>>,
    rebuilds: Slab<Rebuild>,
    /// Time without power, during which the event queue's clock stands still.
    unpowered: Nanos,
}

impl FlashErrors {
    pub fn new(spec: &Spec, superblocks: u32) -> Option<Box<FlashErrors>> {
        let media = spec.media.clone()?;
        let remembered = if media.remembers_pass { superblocks } else { 0 };
        let slc = spec.cache.as_ref().map_or(0, |cache| cache.pool.rows);
        let bits = spec.data.timing.pages_per_word_line();
        Some(Box::new(FlashErrors {
            passes: vec![[0; PAGE_TYPES_MAX]; remembered as usize],
            factors: [
                RowFactors::new(&media, slc, 1),
                RowFactors::new(&media, spec.data.rows, bits),
            ],
            types: bits as usize,
            spec: media,
            reads: vec![0; superblocks as usize],
            written_at: vec![SimTime::ZERO; superblocks as usize],
            dead: vec![false; spec.dies as usize],
            bounds: Vec::new(),
            rebuilds: Slab::with_capacity(16),
            unpowered: Nanos::ZERO,
        }))
    }

    /// Drops all rebuilds and remembered thresholds at a power cut; the content of the cells stays,
    /// and ages.
    pub fn power_cut(&mut self) {
        self.rebuilds.clear();
        self.forget_passes();
    }

    /// Drops remembered thresholds, which are kept in memory.
    fn forget_passes(&mut self) {
        self.passes.fill([0; PAGE_TYPES_MAX]);
    }
}

/// Factors of the raw bit error rate.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct RowFactors {
    by_row: Vec<u32>,
    /// A row with the greatest factor.
    weakest: u32,
}

impl RowFactors {
    /// Factors of a block of `rows` with `bits` rows a word line.
    fn new(media: &MediaSpec, rows: u32, bits: u32) -> RowFactors {
        let types = &media.page_type_percent;
        let (sum, count) = (types.iter().sum::<u32>(), types.len() as u32);
        let typed = |(row, factor): (usize, u32)| match bits {
            1 => factor,
            _ => factor * types[row % types.len()] / sum * count,
        };
        let word_lines = factors_by_row(media.seed, media.word_line_percent, rows, bits);
        let by_row: Vec<u32> = word_lines.into_iter().enumerate().map(typed).collect();
        let weakest = (0u32..)
            .zip(&by_row)
            .max_by_key(|(_, factor)| **factor)
            .map_or(0, |(row, _)| row);
        RowFactors { by_row, weakest }
    }
}

/// Evenly distributed bits of a page, constant until its block is erased.
fn page_hash(seed: u64, mp_page: MpPage, cycles: u32) -> u64 {
    splitmix64(seed ^ (u64::from(mp_page.0) << 32 | u64::from(cycles)), 0)
}

impl Media {
    fn model(&self) -> &FlashErrors {
        self.errors.as_ref().expect("errors are modelled")
    }

    fn model_mut(&mut self) -> &mut FlashErrors {
        self.errors.as_mut().expect("errors are modelled")
    }

    /// True if errors are modelled.
    pub fn has_errors(&self) -> bool {
        self.errors.is_some()
    }

    /// Time to sense a multi-plane page with all passes, and true if the last one corrects it.
    #[inline(always)]
    pub(super) fn sense_time(
        &mut self,
        env: &mut Env,
        superblocks: &Superblocks,
        part: Part,
        place: Place,
    ) -> (Nanos, bool) {
        let errors = self.model_mut();
        if errors.is_clean(env.queue.now(), place.superblock) {
            errors.count_read(place.superblock);
            let corrected = !errors.dead[place.die.index()];
            debug_assert!(reads_at_once(self, env, superblocks, part.mp_page, place));
            return (place.sense, corrected);
        }
        sense_closely(self, env, superblocks, part, place)
    }

    /// State of a multi-plane page at this instant.
    pub fn page_state(&self, env: &Env, superblocks: &Superblocks, mp_page: MpPage) -> PageState {
        let place = place_of(env, superblocks, mp_page);
        let cycles = self.cycles_on_die(superblocks, place.superblock, place.die);
        let errors = self.model();
        PageState {
            die: place.die,
            rber: errors.page_rber(env.queue.now(), mp_page, place, cycles),
            missing: self.lacks_page(mp_page),
        }
    }

    /// Raw bit error rate of the average page of a superblock's most worn block.
    pub fn worst_rber(
        &self,
        env: &Env,
        superblocks: &Superblocks,
        superblock: SuperblockId,
    ) -> Rber {
        let cycles = self.cycles_of_worst(superblocks, superblock);
        let mode = superblocks.mode(superblock);
        self.model()
            .block_rber(env.queue.now(), superblock, mode, cycles)
    }

    /// Row of a block whose pages have the most errors.
    pub fn weakest_row(&self, mode: Mode) -> Row {
        Row(self.model().factors[mode as usize].weakest)
    }

    /// RBER above which data is refreshed; `None` if it is never refreshed.
    pub fn refresh_from(&self) -> Option<Rber> {
        self.errors.as_ref().and_then(|errors| errors.spec.refresh)
    }

    /// Notes that a superblock begins to be written.
    pub fn opened(&mut self, env: &Env, superblock: SuperblockId) {
        if let Some(errors) = &mut self.errors {
            errors.opened(env.queue.now(), superblock);
        }
    }

    /// Begins the rebuild of a multi-plane page that a read will find unreadable. Returns the
    /// operation to be submitted for it.
    #[cold]
    pub(super) fn rebuild(
        &mut self,
        env: &Env,
        superblocks: &Superblocks,
        mp_page: MpPage,
        class: Class,
        op: NandOp,
    ) -> NandOp {
        let sensed = self.page_state(env, superblocks, mp_page);
        let rebuild = self.model_mut().rebuilds.insert(Rebuild {
            mp_page,
            class,
            op: op.pack(),
            sensed,
            left: 0,
            lost: false,
        });
        NandOp::Unreadable { rebuild }
    }

    /// The rebuild with a number.
    pub fn rebuild_of(&self, rebuild: u32) -> &Rebuild {
        &self.model().rebuilds[rebuild]
    }

    /// Begins to read another page of the stripe of a page that is rebuilt. If that page cannot be
    /// corrected either, the page that is rebuilt is lost.
    pub fn read_for_rebuild(
        &mut self,
        env: &mut Env,
        superblocks: &Superblocks,
        rebuild: u32,
        member: Source,
    ) {
        let (die, sense) = match member {
            Source::Page(mp_page) => {
                let part = Part::whole(env, mp_page);
                let place = read_at(&mut self.counted, env, superblocks, part);
                let (sense, corrected) = self.sense_time(env, superblocks, part, place);
                self.model_mut().rebuilds[rebuild].lost |= !corrected;
                (place.die, sense)
            }
            Source::PartialParity(die, sense) => {
                self.counted.reads_of(Mode::Slc, env.layout.flash_pages);
                (die, sense)
            }
        };
        let this = &mut self.model_mut().rebuilds[rebuild];
        this.left += 1;
        let class = this.class;
        let bytes = page_bytes(&env.spec);
        let work = Work::Read { sense, bytes };
        self.submit(env, die, class, work, NandOp::Rebuild { rebuild });
    }

    /// Marks a page that is being rebuilt as lost: another page of its stripe is unreadable, or it
    /// has no parity.
    pub fn rebuild_fails(&mut self, rebuild: u32) {
        self.model_mut().rebuilds[rebuild].lost = true;
    }

    /// Counts a page of the stripe that has been read. Returns true if it was the last.
    pub fn rebuild_read(&mut self, rebuild: u32) -> bool {
        let this = &mut self.model_mut().rebuilds[rebuild];
        this.left -= 1;
        this.left == 0
    }

    /// Ends a rebuild, for which all pages of the stripe have been read, and returns it.
    pub fn rebuild_ended(&mut self, rebuild: u32) -> Rebuild {
        let errors = self.model_mut();
        errors.rebuilds.remove(rebuild);
        let ended = errors.rebuilds[rebuild];
        match ended.lost {
            true => self.counted.lost_pages += 1,
            false => self.counted.rebuilt_pages += 1,
        }
        ended
    }

    /// Fails a die: nothing on it can be read any more.
    pub fn fail_die(&mut self, die: DieId) {
        self.model_mut().dead[die.index()] = true;
    }

    /// Passes time without power.
    pub fn rest_without_power(&mut self, time: Nanos) {
        if let Some(errors) = &mut self.errors {
            errors.unpowered += time;
            errors.forget_passes();
        }
    }
}

/// True if a page takes one pass, computed without a bound.
fn reads_at_once(
    media: &Media,
    env: &Env,
    superblocks: &Superblocks,
    mp_page: MpPage,
    place: Place,
) -> bool {
    let cycles = media.cycles_on_die(superblocks, place.superblock, place.die);
    let now = env.queue.now();
    let outcome = media.model().exact_outcome(now, mp_page, place, cycles);
    outcome.corrected && outcome.retries == 0
}

/// Drops all bounds after the erase cycles of a superblock that may hold data have changed.
pub(super) fn forget_bounds(media: &mut Media) {
    if let Some(errors) = &mut media.errors {
        errors.bounds.clear();
    }
}

/// Same as [`Media::sense_time`], if some page may take more than one pass.
#[inline(never)]
fn sense_closely(
    media: &mut Media,
    env: &mut Env,
    superblocks: &Superblocks,
    part: Part,
    place: Place,
) -> (Nanos, bool) {
    let Place {
        superblock, mode, ..
    } = place;
    let cycles = media.cycles_on_die(superblocks, superblock, place.die);
    let now = env.queue.now();
    if !media.model().is_bounded(now, superblock) {
        let worst = media.cycles_of_worst(superblocks, superblock);
        media.model_mut().bound_anew(now, superblock, mode, worst);
    }
    let errors = media.model_mut();
    let outcome = errors.page_outcome(now, part.mp_page, place, cycles);
    errors.count_read(superblock);
    errors.remember(place, outcome);
    let corrected = outcome.corrected && !errors.dead[place.die.index()];
    let retries = u64::from(outcome.retries);
    let time = place.sense * (retries + 1) + errors.spec.ecc.retry * retries;
    media.counted.read_retries += retries;
    media.counted.passes_of(mode, retries, part.flash_pages);
    (time, corrected)
}

impl FlashErrors {
    /// Passes after the first that a read of a page that was just written takes, in a block with
    /// `cycles` erase cycles: for the worst of some ten thousand pages.
    pub(super) fn passes_when_written(&self, mode: Mode, cycles: u32) -> u32 {
        const WORST_OF_65536: u64 = u64::MAX >> 16;
        let block = self.spec.cells(mode).block(cycles, Nanos::ZERO, 0);
        let worst = self.rber_of(mode, block, self.worst_row(mode), WORST_OF_65536);
        self.spec.ecc.read(worst).retries
    }

    /// Greatest factor of a row.
    fn worst_row(&self, mode: Mode) -> u32 {
        let of_rows = &self.factors[mode as usize];
        let factor = of_rows.by_row.get(of_rows.weakest as usize);
        factor.copied().unwrap_or(ONE)
    }

    /// Raw bit error rate of a page of a block whose average page has `block`.
    #[inline]
    fn rber_of(&self, mode: Mode, block: Rber, row_factor: u32, random: u64) -> Rber {
        self.spec.cells(mode).page(times(block, row_factor), random)
    }

    /// Outcome of a read of a page in a block with `cycles` erase cycles, of a superblock that has
    /// a bound.
    #[inline]
    fn page_outcome(&self, now: SimTime, mp_page: MpPage, place: Place, cycles: u32) -> Outcome {
        if self.first_pass(place) > 0 {
            return self.exact_outcome(now, mp_page, place, cycles);
        }
        // Most pages are so good that their rate need not be known exactly.
        let bound = self.bounds[place.superblock.index()].expect("it has a bound");
        let rber = self.rber_at(bound.rber, mp_page, place, cycles);
        let outcome = self.spec.ecc.read(rber);
        if outcome.corrected && outcome.retries == 0 {
            debug_assert_eq!(
                outcome,
                self.exact_outcome(now, mp_page, place, cycles),
                "a bound was exceeded"
            );
            return outcome;
        }
        self.exact_outcome(now, mp_page, place, cycles)
    }

    fn exact_outcome(&self, now: SimTime, mp_page: MpPage, place: Place, cycles: u32) -> Outcome {
        let rber = self.page_rber(now, mp_page, place, cycles);
        self.spec.ecc.read_from(self.first_pass(place), rber)
    }

    /// Raw bit error rate of a page at this instant.
    fn page_rber(&self, now: SimTime, mp_page: MpPage, place: Place, cycles: u32) -> Rber {
        let block = self.block_rber(now, place.superblock, place.mode, cycles);
        self.rber_at(block, mp_page, place, cycles)
    }

    /// Raw bit error rate of a page of a block whose average page has `block`.
    #[inline]
    fn rber_at(&self, block: Rber, mp_page: MpPage, place: Place, cycles: u32) -> Rber {
        let row_factor = self.factors[place.mode as usize].by_row[place.row.index()];
        let hash = page_hash(self.spec.seed, mp_page, cycles);
        self.rber_of(place.mode, block, row_factor, hash)
    }

    /// Pass with which a read of a page begins.
    #[inline]
    fn first_pass(&self, place: Place) -> u32 {
        let passes = self.passes.get(place.superblock.index());
        passes.map_or(0, |passes| passes[self.page_type(place)].into())
    }

    /// Updates the remembered pass after a read.
    #[inline]
    fn remember(&mut self, place: Place, outcome: Outcome) {
        if outcome.retries == 0 || !outcome.corrected {
            return;
        }
        let page_type = self.page_type(place);
        if let Some(passes) = self.passes.get_mut(place.superblock.index()) {
            let ended = u8::try_from(outcome.pass).unwrap_or(u8::MAX);
            let pass = &mut passes[page_type];
            *pass = match *pass {
                0 => ended,
                // One page does not represent all.
                before => before
                    .saturating_add_signed(ended.cmp(&before) as i8)
                    .max(1),
            };
        }
    }

    /// Type of a page among those of its word line.
    #[inline]
    fn page_type(&self, place: Place) -> usize {
        match place.mode {
            Mode::Slc => 0,
            Mode::Native => place.row.index() % self.types,
        }
    }

    /// Counts a read of a superblock.
    #[inline(always)]
    fn count_read(&mut self, superblock: SuperblockId) {
        let reads = &mut self.reads[superblock.index()];
        *reads = reads.saturating_add(1);
    }

    /// The bound of a superblock, if it has one that is valid now.
    #[inline(always)]
    fn bound(&self, now: SimTime, superblock: SuperblockId) -> Option<&Bound> {
        let bound = self.bounds.get(superblock.index())?.as_ref()?;
        let reads = self.reads[superblock.index()];
        (reads <= bound.reads && now + self.unpowered <= bound.until).then_some(bound)
    }

    #[inline(always)]
    fn is_bounded(&self, now: SimTime, superblock: SuperblockId) -> bool {
        self.bound(now, superblock).is_some()
    }

    /// True if every page of a superblock is known to take one pass now.
    #[inline(always)]
    fn is_clean(&self, now: SimTime, superblock: SuperblockId) -> bool {
        self.bound(now, superblock).is_some_and(|bound| bound.clean)
    }

    /// Bounds the raw bit error rate of a superblock whose most worn block has `cycles` erase
    /// cycles.
    #[cold]
    fn bound_anew(&mut self, now: SimTime, superblock: SuperblockId, mode: Mode, cycles: u32) {
        const WORST: u64 = 0;
        self.bounds.resize(self.reads.len(), None);
        let i = superblock.index();
        let reads = self.reads[i].saturating_add(BOUND_READS);
        let until = now + self.unpowered + BOUND_TIME;
        let age = until.since(self.written_at[i]);
        let rber = self.spec.cells(mode).block(cycles, age, reads);
        let worst = self.rber_of(mode, rber, self.worst_row(mode), WORST);
        let worst = self.spec.ecc.read(worst);
        let passes = self.passes.get(i);
        let plain = passes.is_none_or(|passes| *passes == [0; PAGE_TYPES_MAX]);
        self.bounds[i] = Some(Bound {
            rber,
            reads,
            until,
            clean: plain && worst.corrected && worst.retries == 0,
        });
    }

    /// Raw bit error rate at this instant of the average page of a superblock's block with `cycles`
    /// erase cycles.
    fn block_rber(&self, now: SimTime, superblock: SuperblockId, mode: Mode, cycles: u32) -> Rber {
        let i = superblock.index();
        let age = (now + self.unpowered).since(self.written_at[i]);
        self.spec.cells(mode).block(cycles, age, self.reads[i])
    }

    fn opened(&mut self, now: SimTime, superblock: SuperblockId) {
        self.reads[superblock.index()] = 0;
        if let Some(passes) = self.passes.get_mut(superblock.index()) {
            *passes = [0; PAGE_TYPES_MAX];
        }
        // It may be used in another mode now.
        if let Some(bound) = self.bounds.get_mut(superblock.index()) {
            *bound = None;
        }
        self.written_at[superblock.index()] = now + self.unpowered;
    }
}
