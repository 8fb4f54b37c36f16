//! Power and heat: energy, idle states, and the share of time that throttling admits.

mod energy;
mod idle_states;
mod thermal;

use stend_base::SimTime;
use stend_model::health::Temperature;

use crate::sim::counters::Counters;
use crate::sim::env::Env;
pub use energy::Energy;
use energy::Usage;
pub(in crate::sim) use idle_states::DueState;
use idle_states::Sleep;
use thermal::Heat;

/// Idle states, energy and heat of a drive.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Power {
    sleep: Sleep,
    heat: Heat,
}

/// Energy.
impl Power {
    /// Energy used since power-on by a drive with these counters that was without power for
    /// `off_ns`; `None` if the model has no energies of operations.
    pub fn energy(&self, env: &Env, counters: &Counters, off_ns: u64) -> Option<Energy> {
        let spec = env.spec.energy.as_ref()?;
        let usage = Usage {
            counters,
            off_ns,
            asleep_ns: self.sleep.asleep_ns(env.now()),
        };
        Some(energy::energy(spec, env, &usage))
    }
}

/// Idle states.
impl Power {
    /// Name of the idle state that the drive is in or enters; `None` while it is awake or waking.
    pub fn idle_state<'a>(&self, env: &'a Env) -> Option<&'a str> {
        self.sleep.name(&env.spec)
    }

    /// True if the drive is in an idle state or enters one.
    pub fn is_asleep(&self) -> bool {
        self.sleep.is_asleep()
    }

    /// Starts the timer of the idle states; there has been nothing to do since `since`. Only in a
    /// drive with idle states.
    pub fn sleep_timer_starts(&mut self, env: &mut Env, since: SimTime) {
        self.sleep.timer_starts(env, since);
    }

    /// Handles the end of the timer of the idle states; `silent_since` is `None` while the host
    /// awaits a completion. Returns the state that is due if the drive has nothing to do:
    /// [`Power::sleep`] or [`Power::postpone_sleep`] follows.
    pub fn sleep_timer_ends(
        &mut self,
        env: &mut Env,
        silent_since: Option<SimTime>,
    ) -> Option<DueState> {
        self.sleep.timer_ends(env, silent_since)
    }

    /// Enters an idle state. The caller holds arrivals, and first updates the temperature.
    pub fn sleep(&mut self, env: &mut Env, due: DueState) {
        self.sleep.enter(env, due);
    }

    /// Sets the timer again, since the drive has work.
    pub fn postpone_sleep(&mut self, env: &mut Env, due: DueState) {
        self.sleep.postpone(env, due);
    }

    /// Wakes the drive if it sleeps; the temperature must be updated first. Returns the instant at
    /// which it is awake.
    pub fn wake(&mut self, env: &Env) -> SimTime {
        self.sleep.wake(env)
    }

    /// Notes that the drive is awake again.
    pub fn woke(&mut self) {
        self.sleep.woke();
    }

    /// Cancels the timer at a power cut.
    pub fn power_cut(&mut self, now: SimTime) {
        self.sleep.power_cut(now);
        self.heat.power_cut();
    }
}

/// Heat.
impl Power {
    /// The temperature at the present instant, at which `energy_pj` have been used; `None` if the
    /// model has none.
    pub fn temperature(&self, env: &Env, energy_pj: u128) -> Option<Temperature> {
        self.heat.temperature(env, energy_pj)
    }

    /// Computes the temperature at the present instant. Returns true if throttling begins: the
    /// caller holds arrivals.
    pub fn update_heat(&mut self, env: &Env, energy_pj: u128) -> bool {
        self.heat.update(env, energy_pj)
    }

    /// True if the drive has a temperature and no step of it is under way.
    pub fn heat_is_at_rest(&self, env: &Env) -> bool {
        self.heat.is_at_rest(env)
    }

    /// Begins a step of the temperature.
    pub fn heat_step_begins(&mut self, env: &mut Env) {
        self.heat.step_begins(env);
    }

    /// Ends a step of the temperature and begins the next. Returns false if no step follows, since
    /// no event is pending: the caller holds the next arrival, which begins one.
    pub fn heat_step_ends(&mut self, env: &mut Env) -> bool {
        self.heat.step_ends(env)
    }

    /// Share of the time in which commands are admitted, parts per million.
    #[inline]
    pub fn share_ppm(&self) -> u32 {
        self.heat.share_ppm()
    }
}
