//! The controller's cores: each does one job at a time, first come first served.
//!
//! Part of the mapping table is at hand in fast memory, by segments; a command in a
//! segment that is not pays for fetching it.

use std::collections::VecDeque;

use stend_base::{EventQueue, Lane, Nanos, SimTime};

use crate::sim::kind;
use crate::spec::ControllerSpec;

/// What a core works on.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Job {
    /// A host command.
    Command { command: u32 },
    /// Taking in data of a write that has come over the link.
    Received { command: u32, bytes: u32 },
    /// Mapping the units of a collected slot anew.
    Collected { slot: u32 },
    /// Mapping the units of a folded word line anew.
    Folded { word_line_die: u32 },
    /// Taking addresses of a trimmed range away.
    Trimmed,
}

/// A job and how long it takes.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Timed {
    job: Job,
    time: Nanos,
}

impl Default for Timed {
    fn default() -> Timed {
        Timed {
            job: Job::Command { command: 0 },
            time: Nanos::ZERO,
        }
    }
}

/// The jobs of a core; it works on the first.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Core {
    jobs: VecDeque<Timed>,
    /// While it has none: since when.
    idle_since: SimTime,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Controller {
    cores: Vec<Core>,
    /// Segment at hand in each place, direct-mapped.
    at_hand: Vec<u32>,
    segment_units: u32,
    busy_ns: u64,
}

impl Controller {
    pub fn new(spec: &ControllerSpec, units: u32) -> Controller {
        let segments = units.div_ceil(spec.map_segment_units);
        let core = Core {
            jobs: VecDeque::with_capacity(64),
            idle_since: SimTime::ZERO,
        };
        Controller {
            cores: vec![core; spec.cores as usize],
            at_hand: vec![u32::MAX; spec.map_segments.min(segments).max(1) as usize],
            segment_units: spec.map_segment_units,
            busy_ns: 0,
        }
    }

    /// Whether a core works.
    pub fn is_busy(&self) -> bool {
        self.cores.iter().any(|core| !core.jobs.is_empty())
    }

    /// Time of all jobs that have ended.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// No job is under way, and no segment of the mapping at hand.
    pub fn power_cut(&mut self, now: SimTime) {
        for core in &mut self.cores {
            core.jobs.clear();
            core.idle_since = now;
        }
        self.at_hand.fill(u32::MAX);
    }

    /// Queues a job that takes `time` on `core`.
    #[inline]
    pub fn submit(&mut self, queue: &mut EventQueue, core: u32, job: Job, time: Nanos) {
        let jobs = &mut self.cores[core as usize].jobs;
        if jobs.is_empty() {
            queue.schedule(Lane::Core, queue.now() + time, kind::CORE, core);
        }
        jobs.push_back(Timed { job, time });
    }

    /// The same for a job that a core may have worked on for up to `ahead` by now, if it had
    /// nothing else to do.
    #[inline]
    pub fn submit_begun(
        &mut self,
        queue: &mut EventQueue,
        core: u32,
        (job, time): (Job, Nanos),
        ahead: Nanos,
    ) {
        let now = queue.now();
        let of = &mut self.cores[core as usize];
        if of.jobs.is_empty() {
            let done = ahead.min(time).min(now.since(of.idle_since));
            queue.schedule(Lane::Core, now + (time - done), kind::CORE, core);
        }
        of.jobs.push_back(Timed { job, time });
    }

    /// The job of `core` has ended; the next begins.
    #[inline]
    pub fn finish(&mut self, queue: &mut EventQueue, core: u32) -> Job {
        let of = &mut self.cores[core as usize];
        let done = of
            .jobs
            .pop_front()
            .expect("a core ended a job it did not have");
        if let Some(next) = of.jobs.front() {
            queue.schedule(Lane::Core, queue.now() + next.time, kind::CORE, core);
        } else {
            of.idle_since = queue.now();
        }
        self.busy_ns += done.time.0;
        done.job
    }

    /// Whether the segment of `unit` has to be fetched; it is at hand afterwards.
    #[inline]
    pub fn fetch(&mut self, unit: u32) -> bool {
        let segment = unit / self.segment_units;
        let place = segment as usize % self.at_hand.len();
        std::mem::replace(&mut self.at_hand[place], segment) != segment
    }
}
