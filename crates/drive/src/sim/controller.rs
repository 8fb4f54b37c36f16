//! The controller's cores: each does one job at a time, first come first served.
//!
//! Fast memory caches part of the L2P, by segments; a command whose segment is not cached waits
//! while it is fetched.

use std::collections::VecDeque;

use stend_base::{EventQueue, Lane, Nanos, Op, SimTime};
use stend_model::spec::ControllerSpec;

use crate::sim::counters::Counters;
use crate::sim::ids::{CommandId, Lpn, MpPage};
use crate::sim::kind;

/// Work of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Job {
    /// A host command.
    Command { command: CommandId },
    /// Processing data of a write that has arrived over the link.
    Received { command: CommandId, bytes: u32 },
    /// Mapping the pages that GC has read to their new PPNs.
    Gc { mp_page: MpPage },
    /// Mapping the pages of a folded word line to their new PPNs.
    Folded { within: u32 },
    /// Unmapping a trimmed range.
    Trimmed,
}

impl Job {
    /// The job as one 64-bit number: to copy an enum right after its fields were stored one by one
    /// would stall on store-to-load forwarding.
    #[inline(always)]
    fn pack(self) -> u64 {
        let (code, what) = match self {
            Job::Command { command } => (0, u64::from(command.0)),
            Job::Received { command, bytes } => {
                debug_assert!(command.0 < 1 << 29);
                (1, u64::from(command.0) << 32 | u64::from(bytes))
            }
            Job::Gc { mp_page } => (2, u64::from(mp_page.0)),
            Job::Folded { within } => (3, u64::from(within)),
            Job::Trimmed => (4, 0),
        };
        what << 3 | code
    }

    #[inline(always)]
    fn unpack(packed: u64) -> Job {
        let what = packed >> 3;
        let low = what as u32;
        match packed & 7 {
            0 => Job::Command {
                command: CommandId(low),
            },
            1 => Job::Received {
                command: CommandId((what >> 32) as u32),
                bytes: low,
            },
            2 => Job::Gc {
                mp_page: MpPage(low),
            },
            3 => Job::Folded { within: low },
            4 => Job::Trimmed,
            code => unreachable!("no job has the code {code}"),
        }
    }
}

/// A job that takes a time on a core.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct CoreWork {
    pub job: Job,
    pub core: u32,
    pub time: Nanos,
}

/// A packed job and its duration.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Timed {
    job: u64,
    time: Nanos,
}

/// The jobs of a core; it works on the first.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Core {
    jobs: VecDeque<Timed>,
    /// Start of the idle time, while the core has no job.
    idle_since: SimTime,
    /// True if the last read or write command since a rest was a write.
    last_wrote: Option<bool>,
}

/// The cores of the controller.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Controller {
    cores: Vec<Core>,
    /// The cached segments, direct-mapped.
    cached: Vec<u32>,
    pages_per_segment: u32,
    busy_ns: u64,
    l2p_misses: u64,
}

impl Controller {
    pub fn new(spec: &ControllerSpec, pages: u32) -> Controller {
        let segments = pages.div_ceil(spec.l2p_segment_pages);
        let core = Core {
            jobs: VecDeque::with_capacity(64),
            idle_since: SimTime::ZERO,
            last_wrote: None,
        };
        Controller {
            cores: vec![core; spec.cores as usize],
            cached: vec![u32::MAX; spec.l2p_segments.min(segments).max(1) as usize],
            pages_per_segment: spec.l2p_segment_pages,
            busy_ns: 0,
            l2p_misses: 0,
        }
    }

    /// True if a core works.
    pub fn is_busy(&self) -> bool {
        self.cores.iter().any(|core| !core.jobs.is_empty())
    }

    /// Time of all ended jobs, and fetched segments.
    pub fn counters(&self) -> Counters {
        Counters {
            core_busy_ns: self.busy_ns,
            l2p_misses: self.l2p_misses,
            ..Counters::default()
        }
    }

    /// Drops all jobs and cached segments at a power cut.
    pub fn power_cut(&mut self, now: SimTime) {
        for core in &mut self.cores {
            core.jobs.clear();
            core.last_wrote = None;
            core.idle_since = now;
        }
        self.cached.fill(u32::MAX);
    }

    /// Queues a job on its core.
    #[inline(always)]
    pub fn submit(&mut self, queue: &mut EventQueue, work: CoreWork) {
        let CoreWork { job, core, time } = work;
        let job = job.pack();
        let jobs = &mut self.cores[core as usize].jobs;
        if jobs.is_empty() {
            queue.schedule_soon(Lane::Core, queue.now() + time, kind::CORE, core);
        }
        jobs.push_back(Timed { job, time });
    }

    /// Queues a job on which an idle core has already worked for up to `ahead`.
    #[inline]
    pub fn submit_begun(&mut self, queue: &mut EventQueue, work: CoreWork, ahead: Nanos) {
        let CoreWork { job, core, time } = work;
        let now = queue.now();
        let this = &mut self.cores[core as usize];
        if this.jobs.is_empty() {
            let done = ahead.min(time).min(now.since(this.idle_since));
            queue.schedule_soon(Lane::Core, now + (time - done), kind::CORE, core);
        }
        this.jobs.push_back(Timed {
            job: job.pack(),
            time,
        });
    }

    /// Ends the job of `core` and begins the next. Returns the job that has ended.
    #[inline(always)]
    pub fn finish(&mut self, queue: &mut EventQueue, core: u32) -> Job {
        let this = &mut self.cores[core as usize];
        let done = this
            .jobs
            .pop_front()
            .expect("a core ended a job it did not have");
        if let Some(next) = this.jobs.front() {
            queue.schedule_soon(Lane::Core, queue.now() + next.time, kind::CORE, core);
        } else {
            this.idle_since = queue.now();
        }
        self.busy_ns += done.time.0;
        Job::unpack(done.job)
    }

    /// Notes the next command on `core`. Returns true if it reads and the one before wrote, or the
    /// other way round, without a rest between them.
    #[inline(never)]
    pub fn changes_direction(&mut self, core: u32, op: Op) -> bool {
        let wrote = match op {
            Op::Read => false,
            Op::Write => true,
            Op::Trim | Op::Flush => return false,
        };
        let last = self.cores[core as usize].last_wrote.replace(wrote);
        last.is_some_and(|last| last != wrote)
    }

    /// Forgets the direction of the last commands when the host falls silent.
    pub fn rest(&mut self) {
        self.cores
            .iter_mut()
            .for_each(|core| core.last_wrote = None);
    }

    /// Caches the segment of `lpn`. Returns true if it had to be fetched.
    #[inline]
    pub fn fetch(&mut self, lpn: Lpn) -> bool {
        let segment = lpn.0 / self.pages_per_segment;
        // A division of 32 bits is faster.
        let place = segment % self.cached.len() as u32;
        let missed = std::mem::replace(&mut self.cached[place as usize], segment) != segment;
        self.l2p_misses += u64::from(missed);
        missed
    }

    /// Caches the segments of moved pages, one after another. Returns the number of segments that
    /// had to be fetched.
    pub fn fetch_all(&mut self, lpns: impl Iterator<Item = Lpn>) -> u64 {
        lpns.filter(|&lpn| self.fetch(lpn)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_job_is_the_job() {
        for job in [
            Job::Command {
                command: CommandId(0),
            },
            Job::Command {
                command: CommandId::NONE,
            },
            Job::Received {
                command: CommandId((1 << 29) - 1),
                bytes: u32::MAX,
            },
            Job::Received {
                command: CommandId(1),
                bytes: 2,
            },
            Job::Gc {
                mp_page: MpPage::NONE,
            },
            Job::Folded { within: u32::MAX },
            Job::Trimmed,
        ] {
            assert_eq!(Job::unpack(job.pack()), job);
        }
    }
}
