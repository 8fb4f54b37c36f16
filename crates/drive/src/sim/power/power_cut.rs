//! Cutting the power, and what the drive does when it comes back.
//!
//! A cut may fall between any two events. Programs under way are torn: nothing of their
//! slots can be read, and with cells programmed in several passes nothing of the word line
//! they belong to ([`crate::spec::PairedPages`]). A program counts as under way from when
//! its die takes it up. Everything in memory is gone; the mapping is the durable one
//! ([`crate::sim::power::durability`]). Superblocks that were being erased are erased again, as are
//! those in which nothing durable lies. An open superblock is filled on behind the last
//! slot that had been begun, from the next word line where a word line has several pages.
//! A block that has not yet got all of the bad one in whose place it is gets it at the start.
//!
//! With capacitors, the slots in the buffer are programmed and all changes of the log are
//! journalled before the power goes, if the capacitors hold for so long.
//!
//! When the power comes back, the drive reads the table, the journal since the last
//! checkpoint, and the slots of open superblocks, over all dies at once. Commands that
//! arrive meanwhile wait.

use stend_base::{Device, Nanos, SimTime};
use stend_nand::{Class, Work};

use crate::sim::data::read::ReadAhead;
use crate::sim::host::admission::Admission;
use crate::sim::host::command::Commands;
use crate::sim::host::trim::Trimmer;
use crate::sim::host::turns::Turns;
use crate::sim::map::layout::Pool;
use crate::sim::map::mapping::UNMAPPED;
use crate::sim::map::shape::Mode;
use crate::sim::power::journal::Upkeep;
use crate::sim::space::cache::Kind;
use crate::sim::space::collect::Collector;
use crate::sim::space::fold::Folder;
use crate::sim::space::idle::Idle;
use crate::sim::{Purpose, SimDrive, kind};
use crate::spec::{PairedPages, Spec, UNIT_BYTES};

/// Whether the drive has power and serves commands.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Power {
    On,
    /// Since this instant.
    Off(SimTime, Restart),
    /// Powered up at this instant.
    Starting(SimTime, Restart),
}

/// What there is to do at the next start.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Restart {
    /// Slots whose state is to be found out.
    scan: Vec<u32>,
    /// Superblocks to be erased.
    erase: Vec<u32>,
    /// Pages of parity to be read back.
    partial_parity: u32,
    /// Reads not yet ended.
    reads: u32,
    /// All reads have ended.
    read: bool,
}

/// # Panics
/// When `spec` asks for power cuts beside what they do not go with; the model checker says
/// so first.
pub(in crate::sim) fn assert_allowed(spec: &Spec) {
    if spec.power_loss.is_none() {
        return;
    }
    if let Some(other) = crate::spec::power_loss_excludes(spec) {
        panic!("power_loss does not go with {other}");
    }
}

impl SimDrive {
    /// Cuts the power at this instant, between two events. Requests not yet completed are
    /// gone. Time may pass ([`stend_base::Device::advance`]) until
    /// [`SimDrive::power_up`]; requests must not be sent.
    ///
    /// # Panics
    /// Without [`crate::Spec::power_loss`], and when the power is off.
    pub fn power_cut(&mut self) {
        self.trace(kind::POWER, 0);
        self.env.counters.unsafe_shutdowns += 1;
        if let Power::Starting(_, restart) = &self.durability().power {
            // Nothing in flash has changed yet.
            let restart = Restart {
                reads: 0,
                read: false,
                ..restart.clone()
            };
            self.lose_memory();
            let now = self.now();
            self.durability_mut().power = Power::Off(now, restart);
            return;
        }
        self.lose_power(false);
    }

    /// Makes everything durable, writes a checkpoint, and turns the power off.
    ///
    /// # Panics
    /// Without [`crate::Spec::power_loss`], when the power is off, or when a request has
    /// not been completed.
    pub fn shutdown(&mut self) {
        assert!(
            self.commands.outstanding == 0,
            "requests are still under way"
        );
        assert!(self.has_power(), "the power is off");
        self.run_while(|drive| drive.is_starting());
        self.heat_resumes();
        let awake = self.wake();
        let nothing = self.advance(awake);
        debug_assert!(nothing.is_none());
        self.woke();
        self.make_durable();
        self.begin_checkpoint();
        self.run_while(|drive| drive.durability().journal.checkpoint_under_way());
        self.lose_power(true);
    }

    /// Lets time pass until all that was done is durable.
    pub(in crate::sim) fn make_durable(&mut self) {
        self.pad_slots();
        let tail = self.durability().tail();
        self.run_while(|drive| {
            let durability = drive.durability_mut();
            if durability.wanted <= durability.applied {
                durability.want_all();
            }
            durability.applied < tail || durability.journal.checkpoint_under_way()
        });
    }

    fn run_while(&mut self, mut unfinished: impl FnMut(&mut SimDrive) -> bool) {
        self.keep_durable();
        while unfinished(self) {
            // What it has just asked for may be all there is to do.
            self.keep_durable();
            assert!(
                self.env.queue.next_at() < SimTime::NEVER,
                "the drive stands still: {}",
                self.diagnosis()
            );
            let completion = self.step();
            assert!(completion.is_none(), "no request was under way");
            self.keep_durable();
        }
    }

    fn lose_power(&mut self, clean: bool) {
        assert!(self.durability().power == Power::On, "the power is off");
        let saved = !clean && self.save();
        if saved {
            self.keep_all();
        } else {
            self.tear(clean);
        }
        if self.keeps_parity() {
            self.groups_cut(saved || clean, clean);
        }
        self.lose_memory();
        let durability = self.durability.as_mut().expect("it was looked at");
        self.mapping.restore(&durability.durable);
        durability.forget_the_rest(&self.mapping);
        durability.journal.power_cut();
        let mut restart = self.sort_superblocks();
        if clean || saved {
            restart.scan.clear();
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.power_cut(clean || saved, &restart.erase);
        }
        let now = self.now();
        self.durability_mut().power = Power::Off(now, restart);
    }

    /// Whether the capacitors hold until buffer and log are in flash.
    fn save(&mut self) -> bool {
        let Some(hold_up) = self.durability().spec.hold_up else {
            return false;
        };
        let mut dies = vec![Nanos::ZERO; self.env.spec.dies as usize];
        let mut channels = vec![Nanos::ZERO; self.env.spec.channels as usize];
        let bytes = self.env.spec.units_per_slot * UNIT_BYTES as u32;
        let transfer = self.array.transfer_time(bytes);
        for (slot, kind, _) in self.writer.unended_programs() {
            let (_, within) = self.env.layout.within_superblock(slot);
            let shape = self.env.layout.shape(kind.mode);
            let (row, die) = shape.place(within);
            dies[die as usize] += self.limits.program[kind.mode as usize][row as usize];
            let transfers = transfer * u64::from(shape.together);
            channels[(die % self.env.spec.channels) as usize] += transfers;
        }
        for (die, time) in self.blocks.iter().flat_map(|blocks| blocks.copying()) {
            dies[die as usize] += time;
        }
        let partial = match self.keeps_parity() {
            true => self.find_partial(self.durability().log_len()),
            false => 0,
        };
        let durability = self.durability();
        let named = durability.named_in_log();
        let pages = durability.journal.pages_for(named) + partial;
        for page in 0..pages {
            let die = page % self.env.spec.dies;
            dies[die as usize] += durability.spec.journal.program[0];
            channels[(die % self.env.spec.channels) as usize] += transfer;
        }
        let longest = |all: Vec<Nanos>| all.into_iter().max().unwrap_or(Nanos::ZERO);
        // No die waits for its channel longer than for all that goes over it.
        let time = longest(dies) + longest(channels);
        self.env.counters.save_ns_last = time.0;
        if time > hold_up {
            self.env.counters.failed_saves += 1;
            return false;
        }
        true
    }

    fn keep_all(&mut self) {
        if self.keeps_parity() {
            self.save_partial();
        }
        let durability = self.durability.as_mut().expect("there is a log");
        let named = durability.apply_all(&self.mapping, &self.env.layout);
        let pages = durability.journal.saved(named);
        self.env.counters.journal_programs += u64::from(pages);
        for _ in 0..pages {
            self.env.counters.programs_of(Mode::Slc);
        }
        for (_, kind, begun) in self.writer.unended_programs() {
            if !begun {
                self.env.counters.programs_of(kind.mode);
            }
        }
    }

    /// What was in the buffer is gone, and what the programs under way tear. In a clean
    /// shutdown the last of them, which are the drive's own, end before the power goes.
    fn tear(&mut self, clean: bool) {
        let one_shot = self.durability().spec.paired_pages == PairedPages::OneShot;
        let torn = if clean || one_shot {
            0
        } else {
            self.env.spec.dies
        };
        for die in 0..torn {
            let under_way: Vec<u64> = self.array.under_way(die).collect();
            for cookie in under_way {
                let Purpose::Program { filling } = Purpose::unpack(cookie) else {
                    continue;
                };
                let slot = self.writer.slot_of(filling);
                for page in self.word_line(slot).filter(|&page| page != slot) {
                    self.lose_slot(page);
                }
            }
        }
        for slot in self.writer.unprogrammed_slots() {
            self.mapping.tear(slot);
        }
    }

    /// A slot that had been programmed cannot be read any more.
    fn lose_slot(&mut self, slot: u32) {
        self.mapping.tear(slot);
        self.slot_is_void(slot);
        let durability = self.durability.as_mut().expect("there is a log");
        let bits = self.env.layout.unit_bits;
        for place in slot << bits..(slot + 1) << bits {
            let logical = self.mapping.logical_of(place);
            if logical == UNMAPPED || durability.durable[logical as usize] != place {
                continue;
            }
            durability.durable[logical as usize] = UNMAPPED;
            self.env.counters.paired_units_lost += 1;
        }
    }

    /// Everything under way and in working memory goes, but for the mapping.
    fn lose_memory(&mut self) {
        self.heat_up();
        self.env.queue.clear();
        self.array.power_cut(self.env.queue.now());
        self.commands = Commands::new(&self.env.spec);
        self.link.power_cut();
        if let Some(cpus) = &mut self.cpus {
            cpus.power_cut();
        }
        self.controller.power_cut(self.env.queue.now());
        if let Some(turns) = &mut self.turns {
            **turns = Turns::new();
        }
        if let Some(media) = &mut self.media {
            media.power_cut();
        }
        if let Some(map) = &mut self.map_cache {
            map.power_cut();
        }
        self.read_ahead = ReadAhead::new();
        self.collector = Collector::new(&self.env.spec);
        self.folder = Folder::default();
        self.trimmer = Trimmer::new();
        self.idle = Idle::default();
        self.sleep_power_cut();
        self.heat_power_cut();
        self.admission = Admission::default();
        self.holds_arrivals = self.env.spec.thermal.is_some();
        self.arrivals.clear();
        self.completions.clear();
    }

    /// Which superblocks are filled on, which are to be erased; the others are closed.
    fn sort_superblocks(&mut self) -> Restart {
        let mut scan = Vec::new();
        let mapping = &self.mapping;
        let dead = |superblock: u32| mapping.valid_in(superblock) == 0;
        for superblock in self.superblocks.open_ones() {
            let begun = self.writer.begun_in(superblock, self.kind_of(superblock));
            let first = self.env.layout.first_slot(superblock);
            scan.extend(first..first + begun);
        }
        let mut skipped = Vec::new();
        let open = self.writer.power_cut(&self.env.layout, dead, &mut skipped);
        let keep = |s: u32| open.iter().any(|&(superblock, ..)| superblock == s);
        let erase = self.superblocks.power_cut(keep, dead);
        for pool in [Pool::Cache, Pool::Main] {
            let area = self.env.layout.pool(pool);
            let to_erase = erase
                .iter()
                .filter(|&&s| self.env.layout.pool_of_superblock(s) == pool);
            let whole = self.superblocks.erased(pool) + to_erase.count();
            let whole = whole as i64 * i64::from(area.slots_per_superblock);
            let of_pool = open.iter().filter(|o| o.1.pool == pool);
            let left = of_pool.map(|o| i64::from(o.2) * self.slot_cost(o.1));
            self.free_slots[pool as usize] = whole + left.sum::<i64>();
        }
        let in_slc_mode = i64::from(self.superblocks.dynamic_with_data());
        let of_open = open.iter().filter(|o| o.1 == Kind::DYNAMIC);
        self.dynamic_taken = in_slc_mode * i64::from(self.env.layout.shape(Mode::Slc).slots)
            - of_open.map(|o| i64::from(o.2)).sum::<i64>();
        for slot in skipped {
            self.slot_is_void(slot);
        }
        Restart {
            scan,
            erase,
            partial_parity: self.partial_to_read(),
            ..Restart::default()
        }
    }

    /// Turns the power on. The drive serves commands when it has found its mapping again.
    ///
    /// # Panics
    /// When the power is not off.
    pub fn power_up(&mut self) {
        let now = self.now();
        let durability = self.durability_mut();
        let Power::Off(since, restart) = &durability.power else {
            panic!("the power is on");
        };
        durability.off += now.since(*since);
        durability.power = Power::Starting(now, restart.clone());
        let boot = durability.spec.boot;
        self.env.counters.power_ups += 1;
        self.heat_resumes();
        self.set_timer(boot, kind::POWER);
    }

    pub(in crate::sim) fn power_timer_ends(&mut self) {
        self.trace(kind::POWER, 1);
        let Power::Starting(_, restart) = &self.durability().power else {
            unreachable!("the timer belongs to the start");
        };
        if restart.read {
            self.start_serving();
        } else {
            self.read_what_is_left();
        }
    }

    fn read_what_is_left(&mut self) {
        let timing = &self.durability().spec.journal;
        let sense = timing.read[0];
        let journal = &self.durability().journal;
        let mut reserved = journal.map_pages + journal.pages;
        let slot_bytes = self.env.spec.units_per_slot * UNIT_BYTES as u32;
        let copies = self.copies_again();
        let Power::Starting(_, restart) = &mut self.durability_mut().power else {
            unreachable!("the drive is starting");
        };
        reserved += restart.partial_parity;
        let scan = restart.scan.clone();
        restart.reads = reserved + scan.len() as u32 + copies.len() as u32;
        for (die, busy) in copies {
            let work = Work::OnDie { busy };
            self.submit_upkeep(die, Class::Background, work, Upkeep::RecoveryRead);
        }
        for page in 0..reserved {
            self.env.counters.reads_of(Mode::Slc);
            let work = Work::Read {
                sense,
                bytes: slot_bytes,
            };
            let die = page % self.env.spec.dies;
            self.submit_upkeep(die, Class::HostRead, work, Upkeep::RecoveryRead);
        }
        for slot in scan {
            // What a slot holds is told by the bytes beside its data.
            let (die, sense) = self.die_and_read_time(slot);
            let work = Work::Read { sense, bytes: 0 };
            self.submit_upkeep(die, Class::HostRead, work, Upkeep::RecoveryRead);
        }
    }

    pub(in crate::sim) fn recovery_read_done(&mut self) {
        let durability = self.durability_mut();
        let replay = durability.spec.replay_unit * durability.journal.replay_units;
        let Power::Starting(_, restart) = &mut durability.power else {
            unreachable!("the drive is starting");
        };
        restart.reads -= 1;
        if restart.reads == 0 {
            restart.read = true;
            self.set_timer(replay, kind::POWER);
        }
    }

    fn start_serving(&mut self) {
        let power = std::mem::replace(&mut self.durability_mut().power, Power::On);
        let Power::Starting(since, restart) = power else {
            unreachable!("the drive is starting");
        };
        self.env.counters.recovery_ns_last = self.now().since(since).0;
        if let Some(blocks) = &mut self.blocks {
            blocks.copied_all();
        }
        for superblock in restart.erase {
            self.erase(superblock);
        }
        self.start_waiting();
        if self.host_is_silent() {
            self.host_fell_silent();
        }
    }

    /// Commands that arrive must wait for the end of the start.
    #[inline]
    pub(in crate::sim) fn is_starting(&self) -> bool {
        self.durability
            .as_ref()
            .is_some_and(|d| d.power != Power::On)
    }

    /// False after a cut or a shutdown, until [`SimDrive::power_up`].
    pub fn has_power(&self) -> bool {
        !self
            .durability
            .as_ref()
            .is_some_and(|d| matches!(d.power, Power::Off(..)))
    }

    /// How long the drive has been without power.
    pub(in crate::sim) fn off_ns(&self) -> u64 {
        self.durability.as_ref().map_or(0, |d| match d.power {
            Power::Off(since, _) => d.off.0 + self.now().since(since).0,
            Power::On | Power::Starting(..) => d.off.0,
        })
    }

    fn durability(&self) -> &crate::sim::power::durability::Durability {
        self.durability
            .as_ref()
            .expect("the drive's description tells what a power cut leaves")
    }

    fn durability_mut(&mut self) -> &mut crate::sim::power::durability::Durability {
        self.durability
            .as_mut()
            .expect("the drive's description tells what a power cut leaves")
    }
}

#[cfg(test)]
mod tests {
    use stend_base::{Op, Request};
    use stend_nand::CellTiming;

    use super::*;
    use crate::Model;
    use crate::spec::{Emptying, PowerLossSpec, WhenFull};

    /// A drive whose cache is of this many superblocks of its own, and of the main area.
    fn drive(own: u32, dynamic: u32) -> SimDrive {
        let model = Model::shipped("demo-8gb").expect("it is shipped");
        let mut spec = model.spec();
        let cache = spec.cache.as_mut().expect("it has a cache");
        (cache.pool.superblocks, cache.dynamic_superblocks) = (own, dynamic);
        (cache.pool.rows, spec.main.rows) = (8, 24);
        cache.fold_start_slots = u64::MAX;
        cache.emptying = Emptying::Controller;
        cache.when_full = WhenFull::Bypass;
        cache.takes_collected = false;
        spec.idle.enabled = false;
        // So that no word line is left half filled by a cut.
        spec.one_shot = Some(Nanos(1_000_000));
        spec.user_bytes = 1 << 28;
        spec.power_loss = Some(PowerLossSpec {
            hold_up: None,
            paired_pages: PairedPages::OneShot,
            journal: CellTiming {
                read: vec![Nanos(1_000)],
                program: vec![Nanos(1_000)],
                erase: Nanos(1_000),
            },
            journal_rows: 8,
            journal_interval_units: 1_000,
            checkpoint_pages: 10,
            boot: Nanos(1_000),
            replay_unit: Nanos(1),
        });
        SimDrive::new(&spec)
    }

    /// What was taken stays so, in either mode, where nothing has become superfluous.
    #[test]
    fn a_start_finds_the_space_that_there_was() {
        for (own, dynamic) in [(0, 6), (4, 6), (14, 0)] {
            for slots in [3, 40, 700] {
                let mut drive = drive(own, dynamic);
                let slot_bytes = u64::from(drive.env.spec.units_per_slot) * UNIT_BYTES;
                for slot in 0..slots {
                    drive.submit(Request {
                        tag: slot as u32,
                        op: Op::Write,
                        offset_bytes: slot * slot_bytes,
                        len_bytes: slot_bytes,
                        ..Request::default()
                    });
                    assert!(drive.advance(SimTime::NEVER).is_some());
                }
                drive.make_durable();
                let before = (drive.free_slots, drive.dynamic_taken);
                assert!(own > 0 || before.1 > 0);
                drive.power_cut();
                assert_eq!((drive.free_slots, drive.dynamic_taken), before);
                drive.power_up();
                drive.run_while(|drive| drive.is_starting());
                assert_eq!((drive.free_slots, drive.dynamic_taken), before);
            }
        }
    }
}
