//! Idle states, energy and heat of the whole drive.

use stend_base::{Device, SimTime};
use stend_model::health::Temperature;

use super::SimDrive;
use crate::sim::power::Energy;

impl SimDrive {
    /// Energy used by the drive since power-on; `None` if the model has no energies of operations.
    ///
    /// An operation of the flash is counted when it is sent to its die, a transfer over the host
    /// link when it begins, the work of a core when it ends.
    pub fn energy(&self) -> Option<Energy> {
        self.power
            .energy(&self.env, &self.counters(), self.off_ns())
    }

    fn energy_pj(&self) -> u128 {
        self.energy().map_or(0, |energy| energy.total_pj())
    }

    /// The drive's temperature; `None` where the model has none.
    pub fn temperature(&self) -> Option<Temperature> {
        self.env.spec.thermal.as_ref()?;
        self.power.temperature(&self.env, self.energy_pj())
    }

    /// Name of the idle state that the drive is in or enters; `None` while it is awake or waking.
    pub fn idle_state(&self) -> Option<&str> {
        self.power.idle_state(&self.env)
    }

    /// True if anything is under way or waits for the next slice of idle work.
    pub(super) fn is_busy(&self) -> bool {
        self.store.media.is_busy()
            || self.controller.is_busy()
            || self.host.link_is_busy()
            || self.idle.has_slices()
            || self.trim.is_busy()
            || self
                .store
                .persistence
                .as_ref()
                .is_some_and(|p| p.changes().is_awaited())
    }

    /// Handles the end of the timer of the idle states.
    pub(super) fn sleep_timer_ends(&mut self) {
        let silent_since = self.host.is_silent().then(|| self.idle.silent_since());
        let Some(due) = self.power.sleep_timer_ends(&mut self.env, silent_since) else {
            return;
        };
        if due.forced && (!self.idle.working() || self.idle.has_slices()) {
            self.idle_halts();
        }
        if self.is_busy() {
            self.power.postpone_sleep(&mut self.env, due);
            return;
        }
        self.update_heat();
        self.power.sleep(&mut self.env, due);
        self.host.hold_arrivals();
    }

    /// Wakes the drive if it sleeps. Returns the instant at which it is awake.
    pub(super) fn wake(&mut self) -> SimTime {
        if self.power.is_asleep() {
            self.update_heat();
        }
        self.power.wake(&self.env)
    }

    /// Wakes the drive and lets time pass until it is awake.
    pub(super) fn wake_up(&mut self) {
        self.heat_resumes();
        let awake = self.wake();
        let nothing = self.advance(awake);
        debug_assert!(nothing.is_none());
        self.power.woke();
    }

    /// Computes the temperature at the present instant: at each step, and before the power changes
    /// for long.
    pub(super) fn update_heat(&mut self) {
        if self.env.spec.thermal.is_none() {
            return;
        }
        let energy_pj = self.energy_pj();
        if self.power.update_heat(&self.env, energy_pj) {
            let share_ppm = self.power.share_ppm();
            self.host.throttle_begins(&self.env, share_ppm);
        }
    }

    /// Begins a step of the temperature if none is under way.
    pub(super) fn heat_resumes(&mut self) {
        if self.power.heat_is_at_rest(&self.env) {
            self.update_heat();
            self.power.heat_step_begins(&mut self.env);
        }
    }

    /// Ends a step of the temperature.
    pub(super) fn heat_step_ends(&mut self) {
        self.update_heat();
        if !self.power.heat_step_ends(&mut self.env) {
            self.host.hold_arrivals();
        }
    }
}
