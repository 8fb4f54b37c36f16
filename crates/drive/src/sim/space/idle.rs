//! What the drive does while the host is silent: it empties the cache and collects, in
//! slices of work and rest, until there is nothing left to do or the host speaks.

use stend_base::{Lane, Nanos, SimTime};

use crate::sim::{SimDrive, kind};
use crate::spec::Emptying;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Idle {
    silent_since: SimTime,
    /// The timer that ends the delay is set.
    timer_set: bool,
    working: bool,
    in_slice: bool,
    /// Slices follow each other: a timer of one is set.
    slices: bool,
}

impl Idle {
    /// True from the end of the delay until the host speaks.
    #[inline]
    pub fn working(&self) -> bool {
        self.working
    }

    /// When the host learned of its last completion.
    pub fn silent_since(&self) -> SimTime {
        self.silent_since
    }

    /// True while there is idle work left, resting or not.
    pub fn has_slices(&self) -> bool {
        self.slices
    }

    /// True in the working part of a slice.
    pub fn in_slice(&self) -> bool {
        self.in_slice
    }
}

impl SimDrive {
    pub(in crate::sim) fn host_fell_silent(&mut self) {
        self.idle.silent_since = self.now();
        if !self.env.spec.idle_states.is_empty() {
            self.sleep_timer_starts(self.now());
        }
        if !self.idle.timer_set {
            self.idle.timer_set = true;
            self.set_timer(self.env.spec.idle.delay, kind::IDLE_BEGIN);
        }
    }

    pub(in crate::sim) fn idle_timer(&mut self) {
        self.idle.timer_set = false;
        if !self.host_is_silent() {
            return;
        }
        let due = self.idle.silent_since + self.env.spec.idle.delay;
        if self.now() < due {
            self.idle.timer_set = true;
            self.env
                .queue
                .schedule(Lane::Timer, due, kind::IDLE_BEGIN, 0);
            return;
        }
        if self.wakes_for_idle_work() {
            return;
        }
        self.pad_slots();
        self.want_all_durable();
        // Without idle work the drive stands still until the host speaks again.
        self.idle.working = true;
        if self.env.spec.idle.enabled {
            self.slice_begins();
        }
    }

    fn slice_begins(&mut self) {
        self.look_for_old();
        if !self.idle_has_work() {
            self.idle.in_slice = false;
            self.idle.slices = false;
            return;
        }
        self.idle.in_slice = true;
        self.idle.slices = true;
        let work = self.env.spec.idle.slice.0 * u64::from(self.env.spec.idle.duty_percent) / 100;
        self.set_timer(Nanos(work), kind::IDLE_SLICE);
        self.pump_all();
    }

    /// A working or resting part of a slice ends.
    pub(in crate::sim) fn idle_slice_ends(&mut self) {
        if !self.idle.in_slice {
            self.slice_begins();
            return;
        }
        let duty = u64::from(self.env.spec.idle.duty_percent);
        let rest = self.env.spec.idle.slice.0 * (100 - duty) / 100;
        if rest == 0 {
            self.slice_begins();
            return;
        }
        self.idle.in_slice = false;
        self.set_timer(Nanos(rest), kind::IDLE_SLICE);
    }

    /// Whether folding or collection has anything left to do.
    pub(in crate::sim) fn idle_has_work(&self) -> bool {
        let sources = match self.limits.emptying {
            Some(Emptying::Controller) => 1,
            _ => self.env.spec.main.timing.pages_per_word_line() as usize,
        };
        let to_fold = self.superblocks.closed_cache().len() >= sources
            && (self.limits.emptying != Some(Emptying::OnChip) || self.idle_folds());
        let collects = self.idle_wants_collection() || self.has_old();
        let work = to_fold || collects || self.fold_under_way();
        work && !self.read_only
    }

    pub(in crate::sim) fn idle_ends(&mut self) {
        self.idle.working = false;
        self.idle.in_slice = false;
        self.idle.slices = false;
        self.env.queue.cancel(kind::IDLE_SLICE, 0);
        self.pump_all();
    }

    /// Gives idle work up until the host has spoken again; what was received and not yet
    /// programmed is.
    pub(in crate::sim) fn idle_halts(&mut self) {
        self.env.queue.cancel(kind::IDLE_BEGIN, 0);
        self.env.queue.cancel(kind::IDLE_SLICE, 0);
        self.idle = Idle {
            working: true,
            silent_since: self.idle.silent_since,
            ..Idle::default()
        };
        self.pad_slots();
        self.want_all_durable();
    }

    /// A drive that sleeps wakes up for the work that the end of the delay brings, which
    /// begins when it is awake. False when there is none, or when it is awake.
    fn wakes_for_idle_work(&mut self) -> bool {
        let open = self.writer.has_open_slot() || self.owes_journal();
        let work = open || self.env.spec.idle.enabled && self.idle_has_work();
        if !work || !self.is_asleep() {
            return false;
        }
        let at = self.wake();
        self.sleep_timer_starts(at);
        self.idle.timer_set = true;
        self.env
            .queue
            .schedule(Lane::Timer, at, kind::IDLE_BEGIN, 0);
        true
    }

    /// Sets a timer.
    pub(in crate::sim) fn set_timer(&mut self, after: Nanos, kind: u8) {
        self.env.set_timer(after, kind);
    }
}
