//! Power and heat: energy, idle states, and the share of time that throttling admits.

mod energy;
mod idle_states;
mod thermal;

use stend_base::SimTime;

use crate::sim::counters::Counters;
use crate::sim::env::Env;
use crate::sim::host::Host;
pub use energy::Energy;
use energy::Usage;
use idle_states::DueState;
pub(in crate::sim) use idle_states::Sleep;
pub(in crate::sim) use thermal::Heat;

/// Idle states, energy and heat of a drive.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Power {
    pub sleep: Sleep,
    pub heat: Heat,
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
    /// Starts the timer of the idle states when no request is outstanding any more.
    pub fn host_fell_silent(&mut self, env: &mut Env) {
        if !env.spec.idle_states.is_empty() {
            self.sleep.timer_starts(env, env.now());
        }
    }

    /// Enters an idle state.
    pub fn sleep(&mut self, env: &mut Env, host: &mut Host, energy_pj: u128, due: DueState) {
        self.update_heat(env, host, energy_pj);
        self.sleep.enter(env, due);
        host.hold_arrivals();
    }

    /// Wakes the drive if it sleeps. Returns the instant at which it is awake.
    pub fn wake(&mut self, env: &Env, host: &mut Host, energy_pj: u128) -> SimTime {
        if self.sleep.is_asleep() {
            self.update_heat(env, host, energy_pj);
        }
        self.sleep.wake(env)
    }

    /// True if the next arrival begins to change the power: the temperature is then computed.
    pub fn is_at_rest(&self, env: &Env) -> bool {
        self.sleep.is_asleep() || self.heat.is_at_rest(env)
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
        self.sleep.woke();
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
