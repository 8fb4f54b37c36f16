//! Data shared by all components: the figures of the drive, its layout, and the clock with its
//! events.

use stend_base::{EventQueue, Nanos, SimTime};
use stend_model::spec::Spec;

use crate::sim::geometry::layout::Layout;
use crate::sim::limits::Limits;
use crate::sim::times::Times;

/// The surroundings of all components of a drive.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(in crate::sim) struct Env {
    /// The figures of the simulation.
    pub spec: Spec,
    /// Places of superblocks and pages.
    pub layout: Layout,
    /// Figures that every request needs and that follow from both.
    pub limits: Limits,
    /// Times of flash operations and of commands.
    pub times: Times,
    /// The clock, and the events to come.
    pub queue: EventQueue,
    /// Hash of the history: see [`Env::trace`].
    trace: u64,
}

impl Env {
    pub fn new(spec: Spec, layout: Layout, queue: EventQueue) -> Env {
        Env {
            limits: Limits::new(&spec, &layout),
            times: Times::new(&spec),
            spec,
            layout,
            queue,
            trace: 0,
        }
    }

    /// The present instant.
    #[inline(always)]
    pub fn now(&self) -> SimTime {
        self.queue.now()
    }

    /// Adds an event of a kind to the hash of the history, with its instant.
    #[inline(always)]
    pub fn trace(&mut self, kind: u8, index: u32) {
        let what = u64::from(kind) << 32 | u64::from(index);
        // FNV-1a by words: the order matters, and it costs one multiplication.
        self.trace = (self.trace ^ what ^ self.queue.now().0.rotate_left(24))
            .wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// The hash of the history so far.
    pub fn trace_hash(&self) -> u64 {
        self.trace
    }

    /// Sets the timer of a kind, which has only one.
    pub fn set_timer(&mut self, after: Nanos, kind: u8) {
        let at = self.queue.now() + after;
        self.queue.schedule(stend_base::Lane::Timer, at, kind, 0);
    }
}
