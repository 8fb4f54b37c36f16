//! What the drive does while the host is silent: it empties the cache and collects, in
//! slices of work and rest, until there is nothing left to do or the host speaks.

use stend_base::{Lane, Nanos, SimTime};

use super::{SimDrive, kind};

#[derive(Clone, Debug, Default)]
pub(crate) struct Idle {
    silent_since: SimTime,
    /// The timer that ends the delay is set.
    timer_set: bool,
    working: bool,
    in_slice: bool,
}

impl Idle {
    /// True from the end of the delay until the host speaks.
    #[inline]
    pub fn working(&self) -> bool {
        self.working
    }

    /// True in the working part of a slice.
    pub fn in_slice(&self) -> bool {
        self.in_slice
    }
}

impl SimDrive {
    pub(super) fn host_fell_silent(&mut self) {
        self.idle.silent_since = self.now();
        if !self.idle.timer_set {
            self.idle.timer_set = true;
            self.set_timer(self.spec.idle.delay, kind::IDLE_BEGIN);
        }
    }

    pub(super) fn idle_timer(&mut self) {
        self.idle.timer_set = false;
        if !self.host_is_silent() {
            return;
        }
        let due = self.idle.silent_since + self.spec.idle.delay;
        if self.now() < due {
            self.idle.timer_set = true;
            self.queue.schedule(Lane::Timer, due, kind::IDLE_BEGIN, 0);
            return;
        }
        self.pad_slots();
        self.want_all_durable();
        // Without idle work the drive stands still until the host speaks again.
        self.idle.working = true;
        if self.spec.idle.enabled {
            self.slice_begins();
        }
    }

    fn slice_begins(&mut self) {
        if !self.idle_has_work() {
            self.idle.in_slice = false;
            return;
        }
        self.idle.in_slice = true;
        let work = self.spec.idle.slice.0 * u64::from(self.spec.idle.duty_percent) / 100;
        self.set_timer(Nanos(work), kind::IDLE_SLICE);
        self.pump_all();
    }

    /// A working or resting part of a slice ends.
    pub(super) fn idle_slice_ends(&mut self) {
        if !self.idle.in_slice {
            self.slice_begins();
            return;
        }
        let duty = u64::from(self.spec.idle.duty_percent);
        let rest = self.spec.idle.slice.0 * (100 - duty) / 100;
        if rest == 0 {
            self.slice_begins();
            return;
        }
        self.idle.in_slice = false;
        self.set_timer(Nanos(rest), kind::IDLE_SLICE);
    }

    /// Whether folding or collection has anything left to do.
    fn idle_has_work(&self) -> bool {
        let sources = self.spec.main.timing.pages_per_word_line() as usize;
        let to_fold = self.superblocks.closed_cache().len() >= sources;
        to_fold || self.idle_wants_collection() || self.fold_under_way()
    }

    pub(super) fn idle_ends(&mut self) {
        self.idle.working = false;
        self.idle.in_slice = false;
        self.queue.cancel(kind::IDLE_SLICE, 0);
        self.pump_all();
    }

    /// Sets a timer.
    pub(super) fn set_timer(&mut self, after: Nanos, kind: u8) {
        let at = self.queue.now() + after;
        self.queue.schedule(Lane::Timer, at, kind, 0);
    }
}
