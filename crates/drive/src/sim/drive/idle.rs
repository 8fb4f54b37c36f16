//! Begin and end of the host's silence.

use stend_model::spec::Emptying;

use super::SimDrive;
use super::durability::hurry_checkpoint;
use crate::sim::fold::Folder;
use crate::sim::gc::Gc;

impl SimDrive {
    /// Starts the timers of silence when no request is outstanding any more.
    pub(super) fn host_fell_silent(&mut self) {
        let now = self.env.now();
        if !self.env.spec.idle_states.is_empty() {
            self.power.sleep_timer_starts(&mut self.env, now);
        }
        self.idle.host_fell_silent(&mut self.env);
    }

    /// Starts idle work at the end of its delay.
    pub(super) fn idle_timer(&mut self) {
        let is_silent = self.host.is_silent();
        if !self.idle.delay_ends(&mut self.env, is_silent) || self.wakes_for_idle_work() {
            return;
        }
        self.rest_begins();
        if self.idle.begin(&self.env) {
            self.slice_begins();
        }
    }

    /// Programs received data and makes it durable; the next request begins as after any rest.
    fn rest_begins(&mut self) {
        self.store.pad_all(&mut self.env);
        self.store.request_durable();
        hurry_checkpoint(self);
        self.store.ftl.set_aside(&self.env);
        self.controller.rest();
    }

    fn slice_begins(&mut self) {
        self.gc.look_for_old_data(&self.env, &self.store);
        let has_work = self.idle_has_work();
        if self.idle.slice_begins(&mut self.env, has_work) {
            self.settle_all();
        }
    }

    /// Ends a working or resting part of a slice.
    pub(super) fn idle_slice_ends(&mut self) {
        if self.idle.slice_ends(&mut self.env) {
            self.slice_begins();
        }
    }

    /// True if folding or GC has work left.
    fn idle_has_work(&self) -> bool {
        let (env, store) = (&self.env, &self.store);
        let on_chip = env.limits.emptying == Some(Emptying::OnChip);
        let sources = match env.limits.emptying {
            Some(Emptying::Controller) => 1,
            _ => env.spec.data.timing.pages_per_word_line() as usize,
        };
        let to_fold = store.ftl.superblocks.closed_cache().len() >= sources
            && (!on_chip || Folder::idle_wants(env, store));
        let collects = Gc::idle_wants(env, store) || self.gc.has_old_data();
        let work = to_fold || collects || store.ftl.fold.is_under_way();
        work && !store.ftl.space.is_read_only()
    }

    /// Stops idle work until the host has sent another request.
    pub(super) fn idle_halts(&mut self) {
        self.idle.halt(&mut self.env);
        self.rest_begins();
    }

    /// Wakes a sleeping drive for the work that the end of the delay starts; the work begins when
    /// the drive is awake. Returns false if there is no work, or if the drive is awake already.
    fn wakes_for_idle_work(&mut self) -> bool {
        let volatile = self.store.has_volatile_data();
        let work = volatile || self.env.spec.idle.enabled && self.idle_has_work();
        if !work || !self.power.is_asleep() {
            return false;
        }
        let at = self.wake();
        self.power.sleep_timer_starts(&mut self.env, at);
        self.idle.set_timer(&mut self.env, at);
        true
    }
}
