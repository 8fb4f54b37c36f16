//! States of little power: slumber and DevSleep of SATA, non-operational states of NVMe.
//!
//! Each is entered when there was nothing to do for its delay. A timer that finds the drive
//! at work begins anew, as firmware's does; only a state that does not wait for idle work
//! has it given up. A command that arrives in such a state is looked at when the drive is
//! awake again: after the rest of the way in, and the way out.

use stend_base::{Lane, Nanos, SimTime};

use crate::sim::{SimDrive, kind};

/// Most idle states of a drive.
pub const MOST_IDLE_STATES: usize = 8;

/// How long a forced state waits for work under way before it looks again.
const FORCED_RETRY: Nanos = Nanos::from_millis(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum State {
    #[default]
    Awake,
    /// On the way out of a state.
    Waking { until: SimTime },
    /// In a state, or up to `from` on the way into it.
    Asleep { state: usize, from: SimTime },
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sleep {
    state: State,
    /// There has been nothing to do since.
    quiet_since: SimTime,
    timer_set: bool,
    /// Time spent in each state, up to the last change.
    asleep_ns: [u64; MOST_IDLE_STATES],
}

impl SimDrive {
    /// Name of the idle state in which the drive is or which it is entering; `None` while
    /// it is awake or waking.
    pub fn idle_state(&self) -> Option<&str> {
        match self.sleep.state {
            State::Asleep { state, .. } => Some(&self.env.spec.idle_states[state].name),
            State::Awake | State::Waking { .. } => None,
        }
    }

    /// Time spent in each idle state, without the ways in and out.
    pub(in crate::sim) fn asleep_ns(&self) -> [u64; MOST_IDLE_STATES] {
        let mut asleep = self.sleep.asleep_ns;
        if let State::Asleep { state, from } = self.sleep.state {
            asleep[state] += self.now().0.saturating_sub(from.0);
        }
        asleep
    }

    pub(in crate::sim) fn is_asleep(&self) -> bool {
        matches!(self.sleep.state, State::Asleep { .. })
    }

    /// There has been nothing to do since `since`.
    pub(in crate::sim) fn sleep_timer_starts(&mut self, since: SimTime) {
        self.sleep.quiet_since = since;
        if !self.sleep.timer_set {
            self.set_sleep_timer(since + self.env.spec.idle_states[0].delay);
        }
    }

    fn set_sleep_timer(&mut self, at: SimTime) {
        self.sleep.timer_set = true;
        let at = at.max(self.now());
        self.env.queue.schedule(Lane::Timer, at, kind::SLEEP, 0);
    }

    pub(in crate::sim) fn sleep_timer_ends(&mut self) {
        self.sleep.timer_set = false;
        if !self.host_is_silent() {
            return;
        }
        let now = self.now();
        let states = 0..self.env.spec.idle_states.len();
        let Some(state) = states.rev().find(|&s| self.due(s) <= now) else {
            return self.set_sleep_timer(self.next_due());
        };
        let forced = !self.env.spec.idle_states[state].waits_for_idle_work;
        if forced && (!self.idle.working() || self.idle.has_slices()) {
            self.idle_halts();
        }
        if !self.is_busy() {
            return self.enter(state);
        }
        if forced {
            return self.set_sleep_timer(now + FORCED_RETRY);
        }
        self.sleep.quiet_since = now;
        self.set_sleep_timer(self.next_due());
    }

    /// When a state is to be entered. Idle work is nothing to do for a state that does not
    /// wait for it.
    fn due(&self, state: usize) -> SimTime {
        let state = &self.env.spec.idle_states[state];
        let since = match state.waits_for_idle_work {
            true => self.sleep.quiet_since,
            false => self.idle.silent_since(),
        };
        since + state.delay
    }

    /// When the next state is to be entered by a drive that is awake.
    fn next_due(&self) -> SimTime {
        let all = (0..self.env.spec.idle_states.len()).map(|state| self.due(state));
        all.min().expect("there are idle states").max(self.now())
    }

    /// Whether anything is under way or waits for the next slice of idle work.
    pub(in crate::sim) fn is_busy(&self) -> bool {
        self.array.is_busy()
            || self.controller.is_busy()
            || self.link.is_busy()
            || self.idle.has_slices()
            || self.trimmer.is_busy()
            || self.awaits_journal()
    }

    fn enter(&mut self, state: usize) {
        let now = self.now();
        self.heat_up();
        self.sleep.asleep_ns = self.asleep_ns();
        let from = now + self.env.spec.idle_states[state].entry;
        self.sleep.state = State::Asleep { state, from };
        self.holds_arrivals = true;
        if state + 1 < self.env.spec.idle_states.len() {
            self.set_sleep_timer(self.due(state + 1));
        }
    }

    /// Wakes the drive if it sleeps; when it is awake.
    pub(in crate::sim) fn wake(&mut self) -> SimTime {
        let now = self.now();
        match self.sleep.state {
            State::Awake => now,
            State::Waking { until } => until.max(now),
            State::Asleep { state, from } => {
                self.heat_up();
                self.sleep.asleep_ns = self.asleep_ns();
                let until = now.max(from) + self.env.spec.idle_states[state].exit;
                self.sleep.state = State::Waking { until };
                until
            }
        }
    }

    /// A drive that was without power is awake.
    pub(in crate::sim) fn sleep_power_cut(&mut self) {
        self.sleep = Sleep {
            asleep_ns: self.asleep_ns(),
            ..Sleep::default()
        };
    }

    /// The way out lies behind it.
    pub(in crate::sim) fn woke(&mut self) {
        self.sleep.state = State::Awake;
    }
}
