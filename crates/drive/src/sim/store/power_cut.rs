//! The stored data at a power cut: what capacitors save, what is undone or torn, and the free space
//! that is left. [`crate::sim::persistence`] describes the state after a cut.

use stend_base::SimTime;

use super::Store;
use crate::sim::env::Env;
use crate::sim::ftl::space::Space;
use crate::sim::geometry::Kind;
use crate::sim::geometry::layout::Pool;
use crate::sim::geometry::shape::Mode;
use crate::sim::ids::{DieId, SuperblockId};
use crate::sim::media::op::NandOp;

/// A cut.
impl Store {
    /// Finds the data that a cut leaves in flash, while the tables in DRAM are still there. Before
    /// a clean shutdown only programs of the drive itself are under way; they end first. Returns
    /// true if all programs of data end.
    pub fn power_fails(&mut self, env: &mut Env, clean: bool) -> bool {
        let persistence = self.persistence.as_mut().expect("it was checked");
        assert!(persistence.power().is_serving(), "the power is off");
        let saved = !clean && persistence.save(env, &mut self.ftl);
        persistence.undo(&env.layout, &mut self.ftl);
        if !saved {
            self.tear(env, clean);
        }
        let ended = clean || saved;
        let both = self.persistence_and_view(&env.layout);
        let (persistence, view) = both.expect("it was checked");
        persistence.cut_stripes(ended, clean, &view);
        ended
    }

    /// Drops the content of the buffer and, except in a clean shutdown, the pages torn by the
    /// programs under way.
    fn tear(&mut self, env: &mut Env, clean: bool) {
        let torn = match !clean && self.persistence().tears_word_lines() {
            true => env.spec.dies,
            false => 0,
        };
        for die in (0..torn).map(DieId) {
            let under_way: Vec<NandOp> = self.ftl.media.under_way(die).collect();
            for op in under_way {
                if let NandOp::Program { program } = op {
                    self.tear_word_line(env, program);
                }
            }
        }
        for page in self.ftl.buffer.open_mp_pages() {
            self.ftl.l2p.tear(page);
        }
    }

    /// Tears the other pages of the word line of a torn program.
    fn tear_word_line(&mut self, env: &mut Env, program: u32) {
        let page = self.ftl.buffer.get(program).mp_page;
        let superblock = env.layout.superblock_of(page);
        let mode = self.ftl.superblocks.mode(superblock);
        let line = env.layout.word_line(page, mode);
        for other in line.filter(|&other| other != page) {
            let lost = self.ftl.l2p.after_cut().tear(other);
            self.persistence().counted.paired_pages_lost += u64::from(lost);
            self.page_is_void(other);
        }
    }

    /// Drops everything under way, except the L2P.
    pub fn lose_memory(&mut self, now: SimTime) {
        self.ftl.media.power_cut(now);
        self.controller.power_cut(now);
        if let Some(cache) = &mut self.ftl.l2p_cache {
            cache.power_cut();
        }
        self.ftl.fold.power_cut();
    }

    /// Turns the power off; only the content of flash counts. `ended`: see [`Store::power_fails`].
    pub fn power_is_off(&mut self, env: &Env, ended: bool) {
        let Store {
            ftl, persistence, ..
        } = self;
        let persistence = persistence.as_mut().expect("it was checked");
        let (open, erase) = persistence.power_cut(env.now(), ended, &env.layout, ftl);
        ftl.media.cut_copies(ended, &erase);
        self.count_free(env, &open, &erase);
    }

    /// Recounts free space, with the superblocks that stay open and those to be erased.
    fn count_free(
        &mut self,
        env: &Env,
        open: &[(SuperblockId, Kind, u32)],
        erase: &[SuperblockId],
    ) {
        let (layout, ftl) = (&env.layout, &mut self.ftl);
        let free = [Pool::SlcCache, Pool::Data].map(|pool| {
            let of_pool = |s: &&SuperblockId| layout.pool_of_superblock(**s) == pool;
            let whole = ftl.superblocks.erased(pool) + erase.iter().filter(of_pool).count();
            let of_open = open.iter().filter(|o| o.1.pool == pool);
            let left = of_open.map(|o| i64::from(o.2) * Space::cost(env, o.1));
            layout.mp_pages_of(pool, whole as u32) + left.sum::<i64>()
        });
        let in_slc_mode = i64::from(ftl.superblocks.dynamic_with_data());
        let of_open = open.iter().filter(|o| o.1 == Kind::DYNAMIC);
        let dynamic_taken = in_slc_mode * i64::from(layout.shape(Mode::Slc).mp_pages)
            - of_open.map(|o| i64::from(o.2)).sum::<i64>();
        ftl.space.reset(free, dynamic_taken);
    }
}

/// A power-up.
impl Store {
    /// Begins to read the state that a cut has left.
    pub fn read_back(&mut self, env: &mut Env) {
        let copies = self.ftl.media.copies_again(env, &self.ftl.superblocks);
        let (persistence, mut flash) = self.persistence_and_flash(env);
        persistence.read_back(copies, &mut flash);
    }

    /// Ends the recovery, and erases the superblocks that it left to be erased.
    pub fn serve(&mut self, env: &mut Env) {
        let erase = self.persistence().serve(env.now());
        self.ftl.media.copied_all();
        for superblock in erase {
            self.erase(env, superblock);
        }
    }

    /// True if arriving commands must wait for the end of the recovery.
    #[inline]
    pub fn is_recovering(&self) -> bool {
        let persistence = self.persistence.as_ref();
        persistence.is_some_and(|p| !p.power().is_serving())
    }

    /// Time without power, in total, ns.
    pub fn off_ns(&self, now: SimTime) -> u64 {
        let persistence = self.persistence.as_ref();
        persistence.map_or(0, |p| p.power().off_ns(now))
    }
}
