//! Idle states: slumber and DevSleep of SATA, non-operational power states of NVMe.
//!
//! Each state is entered when the drive has had nothing to do for its delay. If the timer ends
//! while the drive works, it starts again, as in firmware; only a state that does not wait for idle
//! work stops this work. A command that arrives in an idle state is served when the drive is awake:
//! after the rest of the entry time, and the exit time.

use stend_base::{Lane, Nanos, SimTime};
use stend_model::spec::{IDLE_STATES_MAX, Spec};

use crate::sim::env::Env;
use crate::sim::kind;

/// Delay after which a forced state checks again whether work is under way.
const FORCED_RETRY: Nanos = Nanos::from_millis(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum State {
    #[default]
    Awake,
    /// Leaving a state.
    Waking { until: SimTime },
    /// In a state, or entering it until `from`.
    Asleep { state: usize, from: SimTime },
}

/// An idle state that is due if the drive has nothing to do.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct DueState {
    state: usize,
    /// True if it does not wait for idle work, which is then stopped.
    pub forced: bool,
    /// Instant at which the host received its last completion.
    silent_since: SimTime,
}

/// The idle states of a drive.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Sleep {
    state: State,
    /// Instant since which there has been nothing to do.
    quiet_since: SimTime,
    timer_set: bool,
    /// Time spent in each state, up to the last change, ns.
    asleep_ns: [u64; IDLE_STATES_MAX],
}

impl Sleep {
    /// Name of the state that the drive is in or enters; `None` while it is awake or waking.
    pub fn name<'a>(&self, spec: &'a Spec) -> Option<&'a str> {
        match self.state {
            State::Asleep { state, .. } => Some(&spec.idle_states[state].name),
            State::Awake | State::Waking { .. } => None,
        }
    }

    /// Time spent in each idle state up to now, without entry and exit, ns.
    pub fn asleep_ns(&self, now: SimTime) -> [u64; IDLE_STATES_MAX] {
        let mut asleep = self.asleep_ns;
        if let State::Asleep { state, from } = self.state {
            asleep[state] += now.0.saturating_sub(from.0);
        }
        asleep
    }

    /// True if the drive is in an idle state or enters one.
    pub fn is_asleep(&self) -> bool {
        matches!(self.state, State::Asleep { .. })
    }

    /// Starts the timer of the first state; there has been nothing to do since `since`.
    pub fn timer_starts(&mut self, env: &mut Env, since: SimTime) {
        self.quiet_since = since;
        if !self.timer_set {
            self.set_timer(env, since + env.spec.idle_states[0].delay);
        }
    }

    fn set_timer(&mut self, env: &mut Env, at: SimTime) {
        self.timer_set = true;
        let at = at.max(env.now());
        env.queue.schedule(Lane::Timer, at, kind::SLEEP, 0);
    }

    /// Handles the end of the timer. Returns the deepest state that is due, to be entered or
    /// postponed; the timer starts again if none is. `silent_since` is `None` while the host awaits
    /// a completion, after which the timer starts again.
    pub fn timer_ends(&mut self, env: &mut Env, silent_since: Option<SimTime>) -> Option<DueState> {
        self.timer_set = false;
        let silent_since = silent_since?;
        let (now, states) = (env.now(), 0..env.spec.idle_states.len());
        let mut deepest_first = states.rev();
        let Some(state) = deepest_first.find(|&s| self.due_at(env, s, silent_since) <= now) else {
            let next = self.next_due_at(env, silent_since);
            self.set_timer(env, next);
            return None;
        };
        Some(DueState {
            state,
            forced: !env.spec.idle_states[state].waits_for_idle_work,
            silent_since,
        })
    }

    /// Sets the timer again, since the drive has work.
    pub fn postpone(&mut self, env: &mut Env, due: DueState) {
        let now = env.now();
        if due.forced {
            return self.set_timer(env, now + FORCED_RETRY);
        }
        self.quiet_since = now;
        let next = self.next_due_at(env, due.silent_since);
        self.set_timer(env, next);
    }

    /// Enters a state.
    pub fn enter(&mut self, env: &mut Env, due: DueState) {
        let now = env.now();
        self.asleep_ns = self.asleep_ns(now);
        let DueState { state, .. } = due;
        let from = now + env.spec.idle_states[state].entry;
        self.state = State::Asleep { state, from };
        if state + 1 < env.spec.idle_states.len() {
            let next = self.due_at(env, state + 1, due.silent_since);
            self.set_timer(env, next);
        }
    }

    /// Instant at which a state is due. Idle work delays only a state that waits for it.
    fn due_at(&self, env: &Env, state: usize, silent_since: SimTime) -> SimTime {
        let state = &env.spec.idle_states[state];
        let since = match state.waits_for_idle_work {
            true => self.quiet_since,
            false => silent_since,
        };
        since + state.delay
    }

    /// Instant at which the next state is due in a drive that is awake.
    fn next_due_at(&self, env: &Env, silent_since: SimTime) -> SimTime {
        let states = 0..env.spec.idle_states.len();
        let all = states.map(|state| self.due_at(env, state, silent_since));
        all.min().expect("there are idle states").max(env.now())
    }

    /// Wakes the drive if it sleeps. Returns the instant at which it is awake.
    pub fn wake(&mut self, env: &Env) -> SimTime {
        let now = env.now();
        match self.state {
            State::Awake => now,
            State::Waking { until } => until.max(now),
            State::Asleep { state, from } => {
                self.asleep_ns = self.asleep_ns(now);
                let until = now.max(from) + env.spec.idle_states[state].exit;
                self.state = State::Waking { until };
                until
            }
        }
    }

    /// Notes that the drive is awake again.
    pub fn woke(&mut self) {
        self.state = State::Awake;
    }

    /// Wakes the drive and drops the timer at a power cut.
    pub fn power_cut(&mut self, now: SimTime) {
        *self = Sleep {
            asleep_ns: self.asleep_ns(now),
            ..Sleep::default()
        };
    }
}
