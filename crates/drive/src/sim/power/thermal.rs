//! Heat: one body with one temperature, a thermal resistance to the air and a heat capacity.
//!
//! While anything happens, the temperature is computed at each step from the energy used in the
//! step: power is assumed to be constant over a step, and the differential equation of a body
//! heated by constant power has a closed form. When no event is pending there are no steps; the
//! temperature at the next arrival is computed in closed form as well.
//!
//! A drive that is too warm admits commands for a share of the time. This file computes the share;
//! the host interface throttles the arrivals.

use stend_base::{Nanos, SimTime};
use stend_model::health::Temperature;
use stend_model::spec::{ThermalSpec, Throttle, WHOLE_PPM};

use crate::sim::env::Env;
use crate::sim::kind;
use stend_base::exponential::{FRACTION_BITS, exp_minus};

const NK_PER_MK: i64 = 1_000_000;

/// Heat of the drive, and the throttling because of it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Heat {
    /// Temperature above ambient, nK.
    rise_nk: i64,
    /// Instant of the last computation, and the energy used by then.
    at: SimTime,
    energy_pj: u128,
    timer_set: bool,
    /// Number of steps of a stepwise throttle that are in force.
    level: usize,
    share_ppm: u32,
    lowest_nk: i64,
    highest_nk: i64,
    warning: Nanos,
    critical: Nanos,
    throttled: Nanos,
}

impl Default for Heat {
    fn default() -> Heat {
        Heat {
            rise_nk: 0,
            at: SimTime::ZERO,
            energy_pj: 0,
            timer_set: false,
            level: 0,
            share_ppm: WHOLE_PPM,
            lowest_nk: 0,
            highest_nk: 0,
            warning: Nanos::ZERO,
            critical: Nanos::ZERO,
            throttled: Nanos::ZERO,
        }
    }
}

impl Heat {
    /// Computes the temperature at `now`, by which `energy_pj` have been used.
    pub fn advance(&mut self, spec: &ThermalSpec, now: SimTime, energy_pj: u128) {
        let mut left = now.since(self.at);
        if left == Nanos::ZERO {
            return;
        }
        // pJ/ns are mW, and mW × mK/W are µK.
        let taken = (energy_pj - self.energy_pj) * u128::from(spec.resistance_mk_per_w) * 1_000;
        let end_nk = (taken / u128::from(left.0)) as i64;
        while left > Nanos::ZERO {
            // Short steps are needed only if the temperature may cross a limit.
            let time = match self.passes_a_limit(spec, end_nk) {
                true => left.min(spec.step),
                false => left,
            };
            self.account(spec, time);
            self.approach(spec, end_nk, time);
            self.control(spec);
            left = left - time;
        }
        self.at = now;
        self.energy_pj = energy_pj;
    }

    /// Applies the closed form: the distance to the temperature at which power and cooling balance
    /// falls by a factor of e in each time constant.
    fn approach(&mut self, spec: &ThermalSpec, end_nk: i64, time: Nanos) {
        // mK/W × mJ/K are µs.
        let constant_ns = spec.resistance_mk_per_w * spec.capacity_mj_per_k * 1_000;
        let distance = i128::from(self.rise_nk - end_nk);
        let left = (distance * exp_minus(time.0, constant_ns) as i128) >> FRACTION_BITS;
        self.rise_nk = end_nk + left as i64;
        self.lowest_nk = self.lowest_nk.min(self.rise_nk);
        self.highest_nk = self.highest_nk.max(self.rise_nk);
    }

    fn account(&mut self, spec: &ThermalSpec, time: Nanos) {
        let now_mc = spec.ambient_mc + self.rise_nk / NK_PER_MK;
        if now_mc >= spec.warning_mc {
            self.warning += time;
        }
        if now_mc >= spec.critical_mc {
            self.critical += time;
        }
        if self.share_ppm < WHOLE_PPM {
            self.throttled += time;
        }
    }

    /// True if a limit lies between the present temperature and that at `end_nk`.
    fn passes_a_limit(&self, spec: &ThermalSpec, end_nk: i64) -> bool {
        let (low, high) = (self.rise_nk.min(end_nk), self.rise_nk.max(end_nk));
        let between = |mc: i64| {
            let limit_nk = (mc - spec.ambient_mc) * NK_PER_MK;
            low <= limit_nk && limit_nk <= high
        };
        let of_throttle = match &spec.throttle {
            Throttle::None => false,
            Throttle::Stepwise {
                steps,
                hysteresis_mk,
            } => steps
                .iter()
                .any(|(mc, _)| between(*mc) || between(mc - hysteresis_mk)),
            Throttle::Gradual {
                limit_mc, band_mk, ..
            } => between(*limit_mc) || between(limit_mc - band_mk),
        };
        of_throttle || between(spec.warning_mc) || between(spec.critical_mc)
    }

    /// Chooses the share of commands to be admitted at the present temperature.
    fn control(&mut self, spec: &ThermalSpec) {
        let now_mc = spec.ambient_mc + self.rise_nk / NK_PER_MK;
        self.share_ppm = match &spec.throttle {
            Throttle::None => WHOLE_PPM,
            Throttle::Stepwise {
                steps,
                hysteresis_mk,
            } => {
                while self.level < steps.len() && now_mc >= steps[self.level].0 {
                    self.level += 1;
                }
                while self.level > 0 && now_mc < steps[self.level - 1].0 - hysteresis_mk {
                    self.level -= 1;
                }
                self.level
                    .checked_sub(1)
                    .map_or(WHOLE_PPM, |step| steps[step].1)
            }
            Throttle::Gradual {
                limit_mc,
                band_mk,
                least_ppm,
            } => {
                let below = (limit_mc - now_mc).clamp(0, *band_mk);
                let range = i64::from(WHOLE_PPM - least_ppm);
                least_ppm + (range * below / band_mk) as u32
            }
        };
    }
}

/// Steps of the temperature in a drive that has one.
impl Heat {
    /// The temperature at the present instant, by which `energy_pj` have been used.
    pub fn temperature(&self, env: &Env, energy_pj: u128) -> Option<Temperature> {
        let spec = env.spec.thermal.as_ref()?;
        let mut heat = self.clone();
        heat.advance(spec, env.now(), energy_pj);
        let mc = |rise_nk: i64| spec.ambient_mc + rise_nk / NK_PER_MK;
        Some(Temperature {
            now_mc: mc(heat.rise_nk),
            min_mc: mc(heat.lowest_nk),
            max_mc: mc(heat.highest_nk),
            warning: heat.warning,
            critical: heat.critical,
            throttled: heat.throttled,
            is_too_warm: mc(heat.rise_nk) >= spec.warning_mc,
            share_ppm: heat.share_ppm,
        })
    }

    /// True if no step is under way: no timer is set.
    pub fn is_at_rest(&self, env: &Env) -> bool {
        env.spec.thermal.is_some() && !self.timer_set
    }

    /// Begins a step.
    pub fn step_begins(&mut self, env: &mut Env) {
        let spec = env
            .spec
            .thermal
            .as_ref()
            .expect("the drive has a temperature");
        let step = spec.step;
        self.timer_set = true;
        env.set_timer(step, kind::HEAT);
    }

    /// Ends a step and begins the next, unless no event is pending. Returns false in this case:
    /// nothing happens until a command arrives, which begins the next step.
    pub fn step_ends(&mut self, env: &mut Env) -> bool {
        self.timer_set = false;
        let goes_on = env.queue.next_at() < SimTime::NEVER;
        if goes_on {
            self.step_begins(env);
        }
        goes_on
    }

    /// Cancels the timer at a power cut; the heat stays.
    pub fn power_cut(&mut self) {
        self.timer_set = false;
    }

    /// Share of the time in which commands are admitted, parts per million.
    #[inline]
    pub fn share_ppm(&self) -> u32 {
        self.share_ppm
    }
}
