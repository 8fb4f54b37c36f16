//! Power and heat: energy, idle states, and the share of time that throttling admits.

mod energy;
mod idle_states;
mod thermal;

use stend_base::SimTime;
use stend_model::health::Temperature;

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::host::Host;
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

/// Idle states. Methods that may wake the drive or send it to sleep need the energy used so far,
/// since the temperature is computed before the power changes for long.
impl Power {
    /// Name of the idle state that the drive is in or enters; `None` while it is awake or waking.
    pub fn idle_state<'a>(&self, env: &'a Env) -> Option<&'a str> {
        self.sleep.name(&env.spec)
    }

    /// True if the drive is in an idle state or enters one.
    pub fn is_asleep(&self) -> bool {
        self.sleep.is_asleep()
    }

    /// Starts the timer of the idle states when no request is outstanding any more.
    pub fn host_fell_silent(&mut self, env: &mut Env) {
        if !env.spec.idle_states.is_empty() {
            self.quiet_until(env, env.now());
        }
    }

    /// Starts the timer of the idle states; there is nothing to do from `at` on. Only in a drive
    /// with idle states.
    pub fn quiet_until(&mut self, env: &mut Env, at: SimTime) {
        self.sleep.timer_starts(env, at);
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

    /// Enters an idle state.
    pub fn sleep(&mut self, env: &mut Env, host: &mut Host, energy_pj: u128, due: DueState) {
        self.update_heat(env, host, energy_pj);
        self.sleep.enter(env, due);
        host.hold_arrivals();
    }

    /// Sets the timer again, since the drive has work.
    pub fn postpone_sleep(&mut self, env: &mut Env, due: DueState) {
        self.sleep.postpone(env, due);
    }

    /// Wakes the drive if it sleeps. Returns the instant at which it is awake.
    pub fn wake(&mut self, env: &Env, host: &mut Host, energy_pj: u128) -> SimTime {
        if self.is_asleep() {
            self.update_heat(env, host, energy_pj);
        }
        self.sleep.wake(env)
    }

    /// Notes that the drive is awake again.
    pub fn woke(&mut self) {
        self.sleep.woke();
    }

    /// True if the next arrival begins to change the power: the temperature is then computed.
    pub fn is_at_rest(&self, env: &Env) -> bool {
        self.is_asleep() || self.heat.is_at_rest(env)
    }

    /// Returns true if the present arrival has to wait: until the drive is awake, or because of
    /// heat.
    #[cold]
    pub fn arrival_waits(&mut self, env: &mut Env, host: &mut Host, energy_pj: u128) -> bool {
        self.heat_resumes(env, host, energy_pj);
        let awake = self.wake(env, host, energy_pj);
        if awake > env.now() {
            host.arrives_again(env, awake);
            return true;
        }
        self.woke();
        host.is_throttled(env)
    }

    /// Cancels the timer at a power cut.
    pub fn power_cut(&mut self, now: SimTime) {
        self.sleep.power_cut(now);
        self.heat.power_cut();
    }
}

/// Heat. `energy_pj` have been used so far.
impl Power {
    /// The temperature at the present instant; `None` if the model has none.
    pub fn temperature(&self, env: &Env, energy_pj: u128) -> Option<Temperature> {
        self.heat.temperature(env, energy_pj)
    }

    /// Computes the temperature at the present instant, at each step and before the power changes
    /// for long, and throttles arrivals accordingly.
    pub fn update_heat(&mut self, env: &Env, host: &mut Host, energy_pj: u128) {
        if let Some(spec) = &env.spec.thermal {
            self.heat.advance(spec, env.now(), energy_pj);
            host.set_share(env, self.heat.share_ppm());
        }
    }

    /// Begins a step of the temperature if there is one and no step is under way.
    pub fn heat_resumes(&mut self, env: &mut Env, host: &mut Host, energy_pj: u128) {
        if self.heat.is_at_rest(env) {
            self.update_heat(env, host, energy_pj);
            self.heat.step_begins(env);
        }
    }

    /// Ends a step of the temperature and begins the next. If no event is pending, no step follows
    /// before the next arrival.
    pub fn heat_step_ends(&mut self, env: &mut Env, host: &mut Host, energy_pj: u128) {
        self.update_heat(env, host, energy_pj);
        if !self.heat.step_ends(env) {
            host.hold_arrivals();
        }
    }
}
