//! Work of the drive while the host is silent: it empties the SLC cache and collects garbage, in
//! slices of work and rest, until nothing is left to do or the host sends a request.

use stend_base::{Lane, Nanos, SimTime};

use crate::sim::env::Env;
use crate::sim::kind;

/// Silence of the host, and slices of idle work.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Idle {
    silent_since: SimTime,
    /// Instant at which the firmware last processed a write.
    last_write: SimTime,
    /// True if the timer that ends the delay is set.
    timer_set: bool,
    working: bool,
    in_slice: bool,
    /// True while slices follow each other: a timer of one is set.
    slices: bool,
}

impl Idle {
    /// True from the end of the delay until the host sends a request.
    #[inline(always)]
    pub fn working(&self) -> bool {
        self.working
    }

    /// Instant at which the host received its last completion.
    pub fn silent_since(&self) -> SimTime {
        self.silent_since
    }

    /// Notes that the firmware has processed a write.
    #[inline(always)]
    pub fn host_writes(&mut self, env: &Env) {
        self.last_write = env.now();
    }

    /// True if the host has written within the last `idle.delay`: a host that only reads need not
    /// wait for space, and its reads would wait for the dies.
    #[inline]
    pub fn beside_writes(&self, env: &Env) -> bool {
        env.now().since(self.last_write) < env.spec.idle.delay
    }

    /// True while there is idle work left, also in the resting part of a slice.
    pub fn has_slices(&self) -> bool {
        self.slices
    }

    /// True in the working part of a slice.
    #[inline(always)]
    pub fn in_slice(&self) -> bool {
        self.in_slice
    }

    /// Notes that the host awaits nothing any more.
    pub fn host_fell_silent(&mut self, env: &mut Env) {
        self.silent_since = env.now();
        if !self.timer_set {
            self.set_timer(env, env.now() + env.spec.idle.delay);
        }
    }

    /// Sets the end of the delay.
    pub fn set_timer(&mut self, env: &mut Env, at: SimTime) {
        self.timer_set = true;
        env.queue.schedule(Lane::Timer, at, kind::IDLE_BEGIN, 0);
    }

    /// Handles the timer of the delay. Returns true if the host is silent and the delay has ended.
    pub fn delay_ends(&mut self, env: &mut Env, is_silent: bool) -> bool {
        self.timer_set = false;
        if !is_silent {
            return false;
        }
        let due = self.silent_since + env.spec.idle.delay;
        if env.now() < due {
            self.set_timer(env, due);
            return false;
        }
        true
    }

    /// Begins idle time. Returns true if it has idle work; otherwise the drive stands still until
    /// the host sends another request.
    pub fn begin(&mut self, env: &Env) -> bool {
        self.working = true;
        env.spec.idle.enabled
    }

    /// Begins a slice if there is work. Returns `has_work`.
    pub fn slice_begins(&mut self, env: &mut Env, has_work: bool) -> bool {
        self.in_slice = has_work;
        self.slices = has_work;
        if has_work {
            let spec = &env.spec.idle;
            let work = spec.slice.0 * u64::from(spec.duty_percent) / 100;
            env.set_timer(Nanos(work), kind::IDLE_SLICE);
        }
        has_work
    }

    /// Ends a working or resting part of a slice. Returns true if the next slice begins.
    pub fn slice_ends(&mut self, env: &mut Env) -> bool {
        if !self.in_slice {
            return true;
        }
        let spec = &env.spec.idle;
        let rest = spec.slice.0 * (100 - u64::from(spec.duty_percent)) / 100;
        if rest == 0 {
            return true;
        }
        self.in_slice = false;
        env.set_timer(Nanos(rest), kind::IDLE_SLICE);
        false
    }

    /// Ends idle time, since the host sends a request.
    pub fn end(&mut self, env: &mut Env) {
        self.working = false;
        self.in_slice = false;
        self.slices = false;
        env.queue.cancel(kind::IDLE_SLICE, 0);
    }

    /// Stops idle work until the host has sent another request.
    pub fn halt(&mut self, env: &mut Env) {
        env.queue.cancel(kind::IDLE_BEGIN, 0);
        env.queue.cancel(kind::IDLE_SLICE, 0);
        *self = Idle {
            working: true,
            silent_since: self.silent_since,
            last_write: self.last_write,
            ..Idle::default()
        };
    }

    /// Resets everything at a power cut. The caller drops the timers.
    pub fn power_cut(&mut self) {
        *self = Idle::default();
    }
}
