//! Silence of the host, idle states, and the power: cut, shut down and turned on again.

use super::SimDrive;
use crate::sim::kind;

/// Silence of the host.
impl SimDrive {
    /// Starts the timers of silence when no request is outstanding any more.
    pub(super) fn host_fell_silent(&mut self) {
        self.power.host_fell_silent(&mut self.env);
        self.idle.host_fell_silent(&mut self.env);
    }

    /// Starts idle work at the end of its delay, or wakes a sleeping drive for it: the work then
    /// begins when the drive is awake.
    pub(super) fn idle_timer_ends(&mut self) {
        let is_silent = self.front.host.is_silent();
        if !self.idle.delay_ends(&mut self.env, is_silent) {
            return;
        }
        if self.power.sleep.is_asleep() && self.has_idle_work() {
            let energy_pj = self.inspect().energy_pj();
            let (env, host) = (&mut self.env, &mut self.front.host);
            let at = self.power.wake(env, host, energy_pj);
            self.power.sleep.timer_starts(env, at);
            self.idle.set_timer(env, at);
            return;
        }
        let (env, store) = (&mut self.env, &mut self.store);
        store.rest(env);
        if self.idle.begin(env) && self.reclaim.slice_begins(env, store, &mut self.idle) {
            self.settle_all();
        }
    }

    fn has_idle_work(&self) -> bool {
        let (env, store) = (&self.env, &self.store);
        store.has_volatile_data() || env.spec.idle.enabled && self.reclaim.has_idle_work(env, store)
    }

    /// True if anything is under way or waits for the next slice of idle work.
    pub(super) fn is_busy(&self) -> bool {
        self.store.is_busy()
            || self.front.host.link_is_busy()
            || self.idle.has_slices()
            || self.trim.is_busy()
    }

    /// Handles the end of the timer of the idle states.
    pub(super) fn sleep_timer_ends(&mut self) {
        let env = &mut self.env;
        let is_silent = self.front.host.is_silent();
        let silent_since = is_silent.then(|| self.idle.silent_since());
        let Some(due) = self.power.sleep.timer_ends(env, silent_since) else {
            return;
        };
        if due.forced && (!self.idle.working() || self.idle.has_slices()) {
            self.idle.halt(env);
            self.store.rest(env);
        }
        if self.is_busy() {
            self.power.sleep.postpone(&mut self.env, due);
            return;
        }
        let energy_pj = self.inspect().energy_pj();
        let (env, host) = (&mut self.env, &mut self.front.host);
        self.power.sleep(env, host, energy_pj, due);
    }
}

/// The power.
impl SimDrive {
    /// Cuts the power at this instant, between two events. Requests not yet completed are dropped.
    /// Time may pass ([`stend_base::Device::advance`]) until [`SimDrive::power_up`]; requests must
    /// not be sent.
    ///
    /// # Panics
    /// Without [`stend_model::Spec::power_loss`], and if the power is off.
    pub fn power_cut(&mut self) {
        self.env.trace(kind::POWER, 0);
        self.store.persistence().counted.unsafe_shutdowns += 1;
        self.lose_power(false);
    }

    /// Turns the power off. Drops everything under way and in DRAM, except the L2P. Heat comes
    /// first, since it needs the energy up to now; then the clock, since components may set timers.
    pub(super) fn lose_power(&mut self, clean: bool) {
        let (env, store) = (&mut self.env, &mut self.store);
        let recovers = store.persistence().power().is_recovering();
        let ended = !recovers && store.power_fails(env, clean);
        let energy_pj = self.inspect().energy_pj();
        let (env, store, front) = (&mut self.env, &mut self.store, &mut self.front);
        self.power.update_heat(env, &mut front.host, energy_pj);
        env.queue.clear();
        let now = env.now();
        store.lose_memory(now);
        front.power_cut(&env.spec);
        self.writes.power_cut();
        self.reclaim.power_cut(&env.spec);
        self.trim.power_cut();
        self.idle.power_cut();
        self.power.power_cut(now);
        match recovers {
            true => store.persistence().interrupt_recovery(now),
            false => store.power_is_off(env, ended),
        }
    }

    /// Turns the power on. The drive serves commands when it has recovered its L2P.
    ///
    /// # Panics
    /// If the power is not off.
    pub fn power_up(&mut self) {
        let now = self.env.now();
        let boot = self.store.persistence().turn_on(now);
        let energy_pj = self.inspect().energy_pj();
        let (env, host) = (&mut self.env, &mut self.front.host);
        self.power.heat_resumes(env, host, energy_pj);
        env.set_timer(boot, kind::POWER);
    }

    /// Handles the end of a step of power-up.
    pub(super) fn power_timer_ends(&mut self) {
        let (env, store) = (&mut self.env, &mut self.store);
        env.trace(kind::POWER, 1);
        if !store.persistence().power().has_read_back() {
            return store.read_back(env);
        }
        store.serve(env);
        self.front.start_waiting(env, store);
        if self.front.host.is_silent() {
            self.host_fell_silent();
        }
    }

    /// False after a cut or a shutdown, until [`SimDrive::power_up`].
    pub fn has_power(&self) -> bool {
        let persistence = self.store.persistence.as_ref();
        persistence.is_none_or(|p| p.power().is_on())
    }
}

#[cfg(test)]
mod tests {
    use stend_base::{Device, Nanos, Op, Request};
    use stend_model::nand::CellTiming;

    use super::*;
    use crate::sim::geometry::layout::Pool;
    use crate::sim::media::page_bytes;
    use stend_base::SimTime;
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
                drive.service().make_durable();
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
                drive
                    .service()
                    .run_while(|drive| drive.store.is_recovering());
                assert_eq!(free(&drive), before);
            }
        }
    }
}
