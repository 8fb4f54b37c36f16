//! Cutting the power, and the steps of the drive when the power returns: the components and their
//! order. [`crate::sim::persistence`] describes the state after a cut.

use stend_base::SimTime;
use stend_model::spec::Spec;

use super::SimDrive;
use super::durability::hurry_checkpoint;
use crate::sim::ftl::space::Space;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Pool;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, SuperblockId};
use crate::sim::kind;
use crate::sim::media::op::NandOp;
use crate::sim::media::page_bytes;
use crate::sim::persistence::SaveWork;
use crate::sim::store::Store;

/// # Panics
/// If `spec` combines power cuts with a feature that excludes them; the model checker reports it
/// first.
pub(super) fn assert_allowed(spec: &Spec) {
    if spec.power_loss.is_none() {
        return;
    }
    if let Some(other) = stend_model::spec::power_loss_excludes(spec) {
        panic!("power_loss does not go with {other}");
    }
}

/// A cut.
impl SimDrive {
    /// Cuts the power at this instant, between two events. Requests not yet completed are dropped.
    /// Time may pass ([`stend_base::Device::advance`]) until [`SimDrive::power_up`]; requests must
    /// not be sent.
    ///
    /// # Panics
    /// Without [`stend_model::Spec::power_loss`], and if the power is off.
    pub fn power_cut(&mut self) {
        self.env.trace(kind::POWER, 0);
        self.env.counters.unsafe_shutdowns += 1;
        if self.persistence().power().is_recovering() {
            self.lose_memory();
            let now = self.env.now();
            self.persistence().interrupt_recovery(now);
            return;
        }
        self.lose_power(false);
    }

    /// Makes everything durable, writes a checkpoint, and turns the power off.
    ///
    /// # Panics
    /// Without [`stend_model::Spec::power_loss`], if the power is off, or if a request has not been
    /// completed.
    pub fn shutdown(&mut self) {
        assert!(self.host.is_silent(), "requests are still under way");
        assert!(self.has_power(), "the power is off");
        self.run_while(|drive| drive.is_recovering());
        self.wake_up();
        self.make_durable();
        let (persistence, mut flash) = self.persistence_and_flash();
        // Nothing is under way any more.
        persistence.begin_checkpoint(&mut flash);
        persistence.hurry_checkpoint(&mut flash);
        self.run_while(|drive| drive.persistence().checkpoint_under_way());
        self.lose_power(true);
    }

    /// Passes time until all changes so far are durable.
    pub(super) fn make_durable(&mut self) {
        self.store.pad_all(&mut self.env);
        let all = self.persistence().changes().next_lsn();
        self.run_while(|drive| {
            let persistence = drive.persistence();
            if !persistence.changes().is_awaited() {
                persistence.request_all();
            }
            let unfinished = persistence.changes().durable_lsn() < all;
            hurry_checkpoint(drive);
            unfinished || drive.persistence().checkpoint_under_way()
        });
    }

    fn run_while(&mut self, mut unfinished: impl FnMut(&mut SimDrive) -> bool) {
        self.keep_durable();
        while unfinished(self) {
            // The work that it has just requested may be all that is left.
            self.keep_durable();
            assert!(
                self.env.queue.next_at() < SimTime::NEVER,
                "the drive makes no progress: {}",
                self.diagnosis()
            );
            let completion = self.step();
            assert!(completion.is_none(), "no request was under way");
            self.keep_durable();
        }
    }

    /// Cuts the power. In a clean shutdown only programs of the drive itself are under way; they
    /// end first.
    fn lose_power(&mut self, clean: bool) {
        assert!(self.persistence().power().is_serving(), "the power is off");
        let saved = !clean && self.save();
        let ended = clean || saved;
        // Find the data in flash while the tables in DRAM are still there.
        if let Some(persistence) = &mut self.store.persistence {
            self.env.counters.undone_pages += persistence.changes().pages_written();
            persistence.undo(&self.env.layout, &mut self.store.ftl);
        }
        if !saved {
            self.tear(clean);
        }
        let (persistence, view) = self.persistence_and_view();
        persistence.cut_stripes((ended, clean), &view);
        self.lose_memory();
        // From here on, only the content of flash counts.
        let Store {
            buffer,
            ftl,
            persistence,
            media,
        } = &mut self.store;
        let persistence = persistence.as_mut().expect("it was checked");
        let now = self.env.now();
        let (open, erase) = persistence.power_cut(now, ended, &self.env.layout, (ftl, buffer));
        media.cut_copies(ended, &erase);
        self.count_free(&open, &erase);
    }

    /// Saves buffer and journal on capacitors. Returns true if these hold until both are in flash.
    fn save(&mut self) -> bool {
        let media = &self.store.media;
        let work = SaveWork {
            spec: &self.env.spec,
            times: &self.env.times,
            transfer: media.transfer_time(page_bytes(&self.env.spec)),
            copies: media.copying().collect(),
        };
        let both = self.store.persistence_and_view(&self.env.layout);
        let (persistence, view) = both.expect("it was checked");
        persistence.save(work, &mut self.env.counters, &view)
    }

    /// Drops the content of the buffer and, except in a clean shutdown, the pages torn by the
    /// programs under way.
    fn tear(&mut self, clean: bool) {
        let torn = match !clean && self.persistence().tears_word_lines() {
            true => self.env.spec.dies,
            false => 0,
        };
        for die in (0..torn).map(DieId) {
            let under_way: Vec<NandOp> = self.store.media.under_way(die).collect();
            for op in under_way {
                if let NandOp::Program { program } = op {
                    self.tear_word_line(program);
                }
            }
        }
        for page in self.store.buffer.open_mp_pages() {
            self.store.ftl.l2p.tear(page);
        }
    }

    /// Tears the other pages of the word line of a torn program.
    fn tear_word_line(&mut self, program: u32) {
        let store = &mut self.store;
        let page = store.buffer.get(program).mp_page;
        let superblock = self.env.layout.superblock_of(page);
        let mode = store.ftl.superblocks.mode(superblock);
        let line = self.env.layout.word_line(page, mode);
        for other in line.filter(|&other| other != page) {
            let lost = store.ftl.l2p.after_cut().tear(other);
            self.env.counters.paired_pages_lost += u64::from(lost);
            store.page_is_void(other);
        }
    }

    /// Drops everything under way and in DRAM, except the L2P. Heat comes first, since it needs the
    /// energy up to now; then the clock, since components may set timers.
    fn lose_memory(&mut self) {
        self.update_heat();
        self.env.queue.clear();
        let now = self.env.now();
        self.store.media.power_cut(now);
        self.host.power_cut(&self.env.spec);
        self.controller.power_cut(now);
        if let Some(half_duplex) = &mut self.half_duplex {
            half_duplex.power_cut();
        }
        if let Some(cache) = &mut self.store.ftl.l2p_cache {
            cache.power_cut();
        }
        self.reads.power_cut();
        self.gc.power_cut(&self.env.spec);
        self.folder.power_cut();
        self.store.ftl.fold.power_cut();
        self.trim.power_cut();
        self.admission.clear();
        self.idle.power_cut();
        self.power.power_cut(now);
    }

    /// Recounts free space, with the superblocks that stay open and those to be erased.
    fn count_free(&mut self, open: &[(SuperblockId, Kind, u32)], erase: &[SuperblockId]) {
        let (layout, ftl) = (&self.env.layout, &self.store.ftl);
        let free = [Pool::SlcCache, Pool::Data].map(|pool| {
            let of_pool = |s: &&SuperblockId| layout.pool_of_superblock(**s) == pool;
            let whole = ftl.superblocks.erased(pool) + erase.iter().filter(of_pool).count();
            let of_open = open.iter().filter(|o| o.1.pool == pool);
            let left = of_open.map(|o| i64::from(o.2) * Space::cost(&self.env, o.1));
            layout.mp_pages_of(pool, whole as u32) + left.sum::<i64>()
        });
        let in_slc_mode = i64::from(ftl.superblocks.dynamic_with_data());
        let of_open = open.iter().filter(|o| o.1 == Kind::DYNAMIC);
        let dynamic_taken = in_slc_mode * i64::from(layout.shape(Mode::Slc).mp_pages)
            - of_open.map(|o| i64::from(o.2)).sum::<i64>();
        self.store.ftl.space.reset(free, dynamic_taken);
    }
}

/// A power-up.
impl SimDrive {
    /// Turns the power on. The drive serves commands when it has recovered its L2P.
    ///
    /// # Panics
    /// If the power is not off.
    pub fn power_up(&mut self) {
        let now = self.env.now();
        let boot = self.persistence().turn_on(now);
        self.env.counters.power_ups += 1;
        self.heat_resumes();
        self.env.set_timer(boot, kind::POWER);
    }

    /// Handles the end of a step of power-up.
    pub(super) fn power_timer_ends(&mut self) {
        self.env.trace(kind::POWER, 1);
        if self.persistence().power().has_read_back() {
            self.start_serving();
        } else {
            self.read_back();
        }
    }

    fn read_back(&mut self) {
        let superblocks = &self.store.ftl.superblocks;
        let copies = self.store.media.copies_again(&mut self.env, superblocks);
        let (persistence, mut flash) = self.persistence_and_flash();
        persistence.read_back(copies, &mut flash);
    }

    fn start_serving(&mut self) {
        let now = self.env.now();
        let (took, erase) = self.persistence().serve(now);
        self.env.counters.recovery_ns_last = took.0;
        self.store.media.copied_all();
        for superblock in erase {
            self.store.erase(&mut self.env, superblock);
        }
        self.start_waiting();
        if self.host.is_silent() {
            self.host_fell_silent();
        }
    }

    /// True if arriving commands must wait for the end of the recovery.
    #[inline]
    pub(super) fn is_recovering(&self) -> bool {
        let persistence = self.store.persistence.as_ref();
        persistence.is_some_and(|p| !p.power().is_serving())
    }

    /// False after a cut or a shutdown, until [`SimDrive::power_up`].
    pub fn has_power(&self) -> bool {
        let persistence = self.store.persistence.as_ref();
        persistence.is_none_or(|p| p.power().is_on())
    }

    /// Time that the drive has been without power, in total.
    pub(super) fn off_ns(&self) -> u64 {
        let persistence = self.store.persistence.as_ref();
        persistence.map_or(0, |p| p.power().off_ns(self.env.now()))
    }
}

#[cfg(test)]
mod tests {
    use stend_base::{Device, Nanos, Op, Request};
    use stend_model::nand::CellTiming;

    use super::*;
    use stend_model::Model;
    use stend_model::spec::{Emptying, PairedPages, PowerLossSpec, WhenFull};

    /// A drive whose cache has `own` superblocks of its own and `dynamic` ones of the data area.
    fn drive(own: u32, dynamic: u32) -> SimDrive {
        let model = Model::shipped("demo-8gb").expect("it is shipped");
        let mut spec = model.spec();
        let cache = spec.cache.as_mut().expect("it has a cache");
        (cache.pool.superblocks, cache.dynamic_superblocks) = (own, dynamic);
        (cache.pool.rows, spec.data.rows) = (8, 24);
        cache.fold_start_mp_pages = u64::MAX;
        cache.emptying = Emptying::Controller;
        cache.when_full = WhenFull::Bypass;
        cache.takes_gc = false;
        spec.idle.enabled = false;
        // With this, a cut leaves no word line half filled.
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
            journal_interval_pages: 1_000,
            checkpoint_pages: 10,
            flush_ignored: false,
            boot: Nanos(1_000),
            replay_page: Nanos(1),
        });
        SimDrive::new(&spec)
    }

    /// Used space stays used in either mode if no page has become invalid.
    #[test]
    fn a_start_finds_the_space_that_there_was() {
        for (own, dynamic) in [(0, 6), (4, 6), (14, 0)] {
            for mp_pages in [3, 40, 700] {
                let mut drive = drive(own, dynamic);
                let mp_page_bytes = u64::from(page_bytes(&drive.env.spec));
                for mp_page in 0..mp_pages {
                    drive.submit(Request {
                        tag: mp_page as u32,
                        op: Op::Write,
                        offset_bytes: mp_page * mp_page_bytes,
                        len_bytes: mp_page_bytes,
                        ..Request::default()
                    });
                    assert!(drive.advance(SimTime::NEVER).is_some());
                }
                drive.make_durable();
                let free = |drive: &SimDrive| {
                    let space = &drive.store.ftl.space;
                    let free = [Pool::SlcCache, Pool::Data].map(|pool| space.free(pool));
                    (free, space.dynamic_taken())
                };
                let before = free(&drive);
                assert!(own > 0 || before.1 > 0);
                drive.power_cut();
                assert_eq!(free(&drive), before);
                drive.power_up();
                drive.run_while(|drive| drive.is_recovering());
                assert_eq!(free(&drive), before);
            }
        }
    }
}
