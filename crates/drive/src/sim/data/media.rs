//! Errors of the flash: reading again, parity in use, what is lost.
//!
//! Whether a page can be read follows from its block's wear, the age of its data and the
//! reads since ([`stend_nand::reliability`]), and from the page's lot, which is a function of
//! its place and its block's cycles: the same page fails the same way every time until it is
//! erased. A page that no pass corrects is rebuilt from the others of its parity group;
//! without parity, or when another of the group fails too, its data is lost: the read that
//! met it ends with an error, and so does every later one until the unit is written anew.
//!
//! Simplified: a lost unit that is partly written anew counts as whole; on-chip copies do not correct and do not add errors; parity of a group that
//! is still being written is at hand.

use stend_base::{Nanos, SimTime, Status};
use stend_nand::reliability::{Outcome, Rber};
use stend_nand::{Class, Work};

use crate::sim::map::layout::Pool;
use crate::sim::map::mapping::LOST;
use crate::sim::map::shape::Mode;
use crate::sim::power::partial_parity::Member;
use crate::sim::{Purpose, SimDrive};
use crate::spec::{MediaSpec, Spec, UNIT_BYTES};

/// What counts as one error of the data: a logical block.
const SECTOR_BYTES: u64 = 512;

/// A page that could not be read and is rebuilt.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Rebuild {
    slot: u32,
    class: Class,
    /// What the page was read for.
    cookie: u64,
    /// Pages of its group still to come.
    left: u32,
    lost: bool,
}

/// What the raw bit error rate of a superblock's blocks does not exceed, as long as none of
/// them has borne more cycles, none of its pages more reads, and the calendar is not further.
#[derive(Clone, Copy, Debug)]
struct Bound {
    rber: Rber,
    cycles: u32,
    reads: u32,
    until: SimTime,
}

/// Cycles, reads and time for which a bound is made: short enough to be near what it bounds.
const BOUND_CYCLES: u32 = 4;
const BOUND_READS: u32 = 4096;
const BOUND_TIME: Nanos = Nanos::from_secs(60);

/// State of the cells, by superblock.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Media {
    spec: MediaSpec,
    /// Page reads since it was erased.
    reads: Vec<u32>,
    /// When it began to be written, in the drive's calendar.
    written_at: Vec<SimTime>,
    dead: Vec<bool>,
    /// Bounds of superblocks that were read lately; they can be made at any time.
    #[serde(skip)]
    bounds: Vec<Option<Bound>>,
    rebuilds: Vec<Rebuild>,
    free: Vec<u32>,
    /// Time without power, which the event queue does not know.
    unpowered: Nanos,
    /// The superblock whose data is to be written anew next.
    old: Option<u32>,
}

impl Media {
    pub fn new(spec: &Spec, superblocks: u32) -> Option<Box<Media>> {
        let media = spec.media.clone()?;
        Some(Box::new(Media {
            spec: media,
            reads: vec![0; superblocks as usize],
            written_at: vec![SimTime::ZERO; superblocks as usize],
            dead: vec![false; spec.dies as usize],
            bounds: Vec::new(),
            rebuilds: Vec::with_capacity(16),
            free: Vec::with_capacity(16),
            unpowered: Nanos::ZERO,
            old: None,
        }))
    }

    /// Nothing is read any more; what the cells hold stays, and ages.
    pub fn power_cut(&mut self) {
        self.rebuilds.clear();
        self.free.clear();
        self.old = None;
    }

    fn add(&mut self, rebuild: Rebuild) -> u32 {
        if let Some(index) = self.free.pop() {
            self.rebuilds[index as usize] = rebuild;
            return index;
        }
        self.rebuilds.push(rebuild);
        (self.rebuilds.len() - 1) as u32
    }
}

/// A page's lot: the same as long as the block is not erased (splitmix64, Steele et al.,
/// OOPSLA 2014).
fn lot(seed: u64, slot: u32, cycles: u32) -> u64 {
    let mut z = seed ^ (u64::from(slot) << 32 | u64::from(cycles));
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl SimDrive {
    /// Reads a page of flash: once, or as often as its errors ask for.
    #[inline(always)]
    pub(in crate::sim) fn read_flash(
        &mut self,
        slot: u32,
        (die, sense): (u32, Nanos),
        bytes: u32,
        class: Class,
        purpose: Purpose,
    ) {
        let mut work = Work::Read { sense, bytes };
        let mut cookie = purpose.pack();
        if self.media.is_some() {
            let (sense, corrected) = self.sense_time(slot, die, sense);
            work = Work::Read { sense, bytes };
            if !corrected {
                cookie = self.rebuild(slot, class, cookie);
            }
        }
        self.array
            .submit(&mut self.env.queue, die, class, work, cookie);
    }

    /// Time to sense a page with all passes, and whether the last one corrects it.
    fn sense_time(&mut self, slot: u32, die: u32, sense: Nanos) -> (Nanos, bool) {
        let superblock = self.env.layout.superblock_of_slot(slot);
        let cycles = self.cycles_on_die(superblock, die);
        let outcome = self.page_outcome(slot, superblock, cycles);
        let mode = self.superblocks.mode(superblock);
        let media = self.media.as_mut().expect("errors are modelled");
        media.reads[superblock as usize] = media.reads[superblock as usize].saturating_add(1);
        let corrected = outcome.corrected && !media.dead[die as usize];
        let retries = u64::from(outcome.retries);
        self.env.counters.read_retries += retries;
        match mode {
            Mode::Slc => self.env.counters.slc_reads += retries,
            Mode::Native => self.env.counters.native_reads += retries,
        }
        let time = sense * (retries + 1) + media.spec.ecc.retry * retries;
        (time, corrected)
    }

    /// How a read of a page ends, of a superblock's block that was erased so often.
    #[inline]
    fn page_outcome(&mut self, slot: u32, superblock: u32, cycles: u32) -> Outcome {
        let bound = self.rber_bound(superblock, cycles);
        let media = self.media.as_ref().expect("errors are modelled");
        let cells = media.spec.cells(self.superblocks.mode(superblock));
        let lot = lot(media.spec.seed, slot, cycles);
        // Most pages are so good that their rate need not be known exactly.
        let outcome = media.spec.ecc.read(cells.page(bound, lot));
        let exact = || {
            let block = self.block_rber(superblock, cycles);
            media.spec.ecc.read(cells.page(block, lot))
        };
        if outcome.corrected && outcome.retries == 0 {
            debug_assert_eq!(outcome, exact(), "a bound was exceeded");
            return outcome;
        }
        exact()
    }

    /// What the raw bit error rate of a superblock's block that was erased so often does not
    /// exceed now.
    #[inline]
    fn rber_bound(&mut self, superblock: u32, cycles: u32) -> Rber {
        let media = self.media.as_ref().expect("errors are modelled");
        let now = self.env.queue.now() + media.unpowered;
        let reads = media.reads[superblock as usize];
        match media.bounds.get(superblock as usize) {
            Some(Some(b)) if cycles <= b.cycles && reads <= b.reads && now <= b.until => b.rber,
            _ => self.bound_anew(superblock, cycles),
        }
    }

    #[cold]
    fn bound_anew(&mut self, superblock: u32, cycles: u32) -> Rber {
        let now = self.env.queue.now();
        let mode = self.superblocks.mode(superblock);
        let media = self.media.as_mut().expect("errors are modelled");
        media.bounds.resize(media.reads.len(), None);
        let i = superblock as usize;
        let cycles = cycles.saturating_add(BOUND_CYCLES);
        let reads = media.reads[i].saturating_add(BOUND_READS);
        let until = now + media.unpowered + BOUND_TIME;
        let age = until.since(media.written_at[i]);
        let rber = media.spec.cells(mode).block(cycles, age, reads);
        media.bounds[i] = Some(Bound {
            rber,
            cycles,
            reads,
            until,
        });
        rber
    }

    /// Raw bit error rate at this instant of the average page of a superblock's blocks that
    /// were erased so often.
    fn block_rber(&self, superblock: u32, cycles: u32) -> Rber {
        let media = self.media.as_ref().expect("errors are modelled");
        let i = superblock as usize;
        let now = self.env.queue.now() + media.unpowered;
        let age = now.since(media.written_at[i]);
        media
            .spec
            .cells(self.superblocks.mode(superblock))
            .block(cycles, age, media.reads[i])
    }

    /// The die of a page, and its raw bit error rate at this instant.
    pub(in crate::sim) fn page_rber(&self, slot: u32) -> (u32, Rber) {
        let (superblock, within) = self.env.layout.within_superblock(slot);
        let mode = self.superblocks.mode(superblock);
        let (_, die) = self.env.layout.shape(mode).place(within);
        let cycles = self.cycles_on_die(superblock, die);
        let block = self.block_rber(superblock, cycles);
        let media = self.media.as_ref().expect("errors are modelled");
        let page = lot(media.spec.seed, slot, cycles);
        (die, media.spec.cells(mode).page(block, page))
    }

    /// That of a superblock's most worn block.
    fn worst_rber(&self, superblock: u32) -> Rber {
        self.block_rber(superblock, self.cycles_of_worst(superblock))
    }

    /// A superblock begins to be written.
    pub(in crate::sim) fn media_opened(&mut self, superblock: u32) {
        let now = self.env.queue.now();
        if let Some(media) = &mut self.media {
            media.reads[superblock as usize] = 0;
            // It may be used in another mode now.
            if let Some(bound) = media.bounds.get_mut(superblock as usize) {
                *bound = None;
            }
            media.written_at[superblock as usize] = now + media.unpowered;
        }
    }

    /// Notes that a page will be found unreadable; the cookie of the read that finds it.
    fn rebuild(&mut self, slot: u32, class: Class, cookie: u64) -> u64 {
        let media = self.media.as_mut().expect("errors are modelled");
        let rebuild = media.add(Rebuild {
            slot,
            class,
            cookie,
            left: 0,
            lost: false,
        });
        if self.losses.is_some() {
            self.note_failing(rebuild, slot);
        }
        Purpose::Unreadable { rebuild }.pack()
    }

    /// No pass has corrected a page: the others of its group are read.
    pub(in crate::sim) fn page_unreadable(&mut self, rebuild: u32) {
        self.env.counters.uncorrectable_pages += 1;
        let media = self.media.as_ref().expect("errors are modelled");
        let Rebuild { slot, class, .. } = media.rebuilds[rebuild as usize];
        let superblock = self.env.layout.superblock_of_slot(slot);
        let shape = *self.env.layout.shape(self.superblocks.mode(superblock));
        let first = self.env.layout.first_slot(superblock);
        let bytes = self.env.spec.units_per_slot * UNIT_BYTES as u32;
        let bare = self.has_no_parity(slot);
        let (mut left, mut lost) = (0, true);
        for nth in 0.. {
            let Some(other) = shape.nth_of_group(slot - first, nth) else {
                break;
            };
            if first + other == slot {
                continue;
            }
            lost = false;
            let other = first + other;
            let member = self.member_of_group(other);
            if self.lacks_page(other) && !matches!(member, Member::Saved(..)) {
                let media = self.media.as_mut().expect("errors are modelled");
                media.rebuilds[rebuild as usize].lost = true;
                continue;
            }
            let (die, sense) = match member {
                Member::Nothing => continue,
                Member::Page => {
                    let (die, sense) = self.die_and_read_time(other);
                    let (sense, corrected) = self.sense_time(other, die, sense);
                    let media = self.media.as_mut().expect("errors are modelled");
                    media.rebuilds[rebuild as usize].lost |= !corrected;
                    (die, sense)
                }
                Member::Saved(die, sense) => {
                    self.env.counters.reads_of(Mode::Slc);
                    (die, sense)
                }
            };
            left += 1;
            let work = Work::Read { sense, bytes };
            let cookie = Purpose::Rebuild { rebuild }.pack();
            self.array
                .submit(&mut self.env.queue, die, class, work, cookie);
        }
        if self.losses.is_some() {
            self.note_group(rebuild, slot);
        }
        let media = self.media.as_mut().expect("errors are modelled");
        media.rebuilds[rebuild as usize].left = left;
        if lost || bare {
            media.rebuilds[rebuild as usize].lost = true;
        }
        if left == 0 {
            self.rebuild_ends(rebuild);
        }
    }

    /// A page of the group has come.
    pub(in crate::sim) fn rebuild_part(&mut self, rebuild: u32) {
        let media = self.media.as_mut().expect("errors are modelled");
        let entry = &mut media.rebuilds[rebuild as usize];
        entry.left -= 1;
        if entry.left == 0 {
            self.rebuild_ends(rebuild);
        }
    }

    fn rebuild_ends(&mut self, rebuild: u32) {
        let media = self.media.as_mut().expect("errors are modelled");
        media.free.push(rebuild);
        let Rebuild {
            slot, cookie, lost, ..
        } = media.rebuilds[rebuild as usize];
        if lost {
            self.env.counters.lost_pages += 1;
            let units = self.mapping.valid_bits(slot);
            if self.losses.is_some() {
                self.note_unreadable(rebuild, slot, units);
            }
            self.mapping.lose_slot(slot);
            self.log_loss(slot, units);
            self.read_meets_loss(Purpose::unpack(cookie));
        } else {
            self.env.counters.rebuilt_pages += 1;
        }
        self.nand_done(Purpose::unpack(cookie));
    }

    /// Read commands that wanted a page that was lost fail, though what it held may lie
    /// elsewhere by now: a die may have copied it before.
    #[cold]
    fn read_meets_loss(&mut self, purpose: Purpose) {
        match purpose {
            Purpose::HostRead { command, .. } => self.command_meets_loss(command),
            Purpose::ReadAhead { entry } => {
                for command in self.read_ahead.gives_up(entry) {
                    self.command_meets_loss(command);
                }
            }
            _ => {}
        }
    }

    fn command_meets_loss(&mut self, command: u32) {
        let entry = self.commands.get_mut(command);
        entry.status = Status::MediaError;
        let units = entry.units();
        if let Some(losses) = &mut self.losses {
            losses.met_by(units);
        }
    }

    /// A read command has all its data: it fails if any of it is lost.
    pub(in crate::sim) fn check_lost(&mut self, command: u32) {
        let entry = self.commands.get(command);
        let (first, end) = entry.units();
        let met_loss = entry.status == Status::MediaError;
        if met_loss || (first..end).any(|unit| self.mapping.lookup(unit) == LOST) {
            self.read_fails(command);
        }
    }

    #[cold]
    fn read_fails(&mut self, command: u32) {
        let entry = self.commands.get_mut(command);
        entry.status = Status::MediaError;
        let (first, end) = entry.units();
        let asked = entry.offset_bytes..entry.offset_bytes + entry.len_bytes;
        self.env.counters.failed_reads += 1;
        for unit in (first..end).filter(|&unit| self.mapping.lookup(unit) == LOST) {
            let begin = u64::from(unit) * UNIT_BYTES;
            let bytes = asked.end.min(begin + UNIT_BYTES) - asked.start.max(begin);
            self.env.counters.uncorrectable_sectors += bytes / SECTOR_BYTES;
        }
    }

    /// A die stops to answer: nothing on it can be read any more.
    ///
    /// # Panics
    /// When errors are not modelled (the drive has no `[media]`), or there is no such die.
    pub fn fail_die(&mut self, die: u32) {
        let media = self.media.as_mut().expect("the drive models errors");
        media.dead[die as usize] = true;
    }

    /// Lets time pass without power, in which data ages and nothing else happens. Nothing
    /// where errors are not modelled. Between a power cut and the next start, time may pass
    /// either way: data ages by both.
    pub fn rest_without_power(&mut self, time: Nanos) {
        if let Some(media) = &mut self.media {
            media.unpowered += time;
        }
    }

    /// Looks for the superblock of the main area with the highest rate, if any is above that
    /// at which data is written anew.
    pub(in crate::sim) fn look_for_old(&mut self) {
        let Some(from) = self.media.as_ref().and_then(|m| m.spec.refresh) else {
            return;
        };
        let main = self.env.layout.pool(Pool::Main);
        let all = main.first_superblock..main.first_superblock + main.superblocks;
        let worst = all
            .filter(|&s| self.superblocks.is_closed(s) && self.mapping.valid_in(s) > 0)
            .map(|s| (self.worst_rber(s), std::cmp::Reverse(s)))
            .max();
        let old = worst.filter(|w| w.0 > from).map(|w| w.1.0);
        self.media.as_mut().expect("errors are modelled").old = old;
    }

    /// Whether data is to be written anew now: in idle time only.
    #[inline]
    pub(in crate::sim) fn refreshes(&self) -> bool {
        self.idle.in_slice() && self.has_old()
    }

    /// Whether any data is known to be old, or is being written anew.
    pub(in crate::sim) fn has_old(&self) -> bool {
        let media = self.media.as_ref();
        media.is_some_and(|media| media.old.is_some() || self.refreshes_victim())
    }

    /// Takes the superblock to be written anew; the next is looked for at once.
    pub(in crate::sim) fn take_old(&mut self) -> Option<u32> {
        let found = self.media.as_mut()?.old.take()?;
        // It may have been emptied for another reason since it was found.
        if self.superblocks.is_closed(found) {
            return Some(found);
        }
        self.look_for_old();
        self.media.as_mut()?.old.take()
    }

    /// Raw bit error rate of the average page of the worst superblock that holds data, in
    /// parts of 10^12; `None` where errors are not modelled.
    pub fn rber_max(&self) -> Option<u64> {
        self.media.as_ref()?;
        (0..self.env.layout.superblocks())
            .filter(|&superblock| self.mapping.valid_in(superblock) > 0)
            .map(|superblock| self.worst_rber(superblock).0)
            .max()
    }
}

impl MediaSpec {
    fn cells(&self, mode: Mode) -> &stend_nand::reliability::ErrorModel {
        match mode {
            Mode::Native => &self.main,
            Mode::Slc => &self.cache,
        }
    }
}
