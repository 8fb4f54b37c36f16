//! Parameters that all measurements of a review share, and the estimated cost of each.

use stend_record::load::{Load, range_bytes};
use stend_record::review::{PointOp, TargetKind};

use crate::cost::Cost;
use crate::job::scaled_runtime_s;
use crate::state::Step;

/// Assumed speed of sequential transfers, bytes a second: that of a SATA drive that writes.
pub(crate) const PASS_BYTES_PER_S: f64 = 400e6;

/// Parameters that all measurements of a review share.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// Root seed.
    pub(crate) seed: u64,
    /// Factor on the duration of every measurement.
    pub(crate) scale: f64,
    /// Factor of reduced capacity, see [`crate::Edition::scaled_by`].
    pub(crate) scaled_by: u32,
    /// Capacity of the target, bytes.
    pub(crate) capacity_bytes: u64,
    /// Size of which the target's requests are multiples, bytes; 1 if it is not known. Points of
    /// other sizes are not in the plan.
    pub(crate) sector_bytes: u64,
    /// Kind of the target.
    pub(crate) kind: TargetKind,
    /// Latency percentiles requested of every job.
    pub(crate) percentiles: Vec<f64>,
    /// Bytes that an endurance test may write; `None` if only the target ends it.
    pub(crate) write_budget_bytes: Option<u64>,
    /// True if nothing may be written: tests that write are not in the plan.
    pub(crate) read_only: bool,
    /// True if the target does not support TRIM: states are prepared without it, and tests of TRIM
    /// are not in the plan.
    pub(crate) no_trim: bool,
}

/// Work that takes time, for estimates.
pub(crate) enum Action<'a> {
    /// A step of a preparation.
    Step(&'a Step),
    /// Sequential writes of this many bytes.
    Write(u64),
    /// Writing, reading and rewriting a set of files of this many bytes.
    Files(u64),
    /// A load.
    Load {
        load: &'a Load,
        /// `None` for one pass over the load's range.
        runtime_s: Option<u64>,
    },
    /// A trace.
    Replay(Replay),
}

/// Size of a trace's replay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replay {
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    /// Duration at its own times, s; 0 if these do not matter.
    pub(crate) duration_s: f64,
}

impl Setting {
    /// True if the target takes requests of this size.
    pub(crate) fn takes(&self, block_bytes: u64) -> bool {
        block_bytes.is_multiple_of(self.sector_bytes)
    }

    /// Returns the runtime of a job, whole seconds.
    pub(crate) fn runtime_s(&self, duration_s: f64) -> u64 {
        scaled_runtime_s(duration_s, self.scale)
    }

    /// Returns the cost of an action.
    pub(crate) fn cost(&self, action: &Action<'_>) -> Cost {
        match action {
            Action::Step(step) => self.step_cost(step),
            Action::Write(bytes) => self.pass_cost(*bytes),
            Action::Files(bytes) => self.pass_cost(*bytes).times(3.0),
            Action::Load { load, runtime_s } => self.load_cost(load, *runtime_s),
            Action::Replay(replay) => match self.kind {
                // Written pages are also copied.
                TargetKind::Simulated => {
                    Cost::untimed((replay.read_bytes + 3 * replay.written_bytes) as f64 / 4096.0)
                }
                _ if replay.duration_s > 0.0 => Cost::timed(replay.duration_s),
                _ => self.pass_cost(replay.read_bytes + replay.written_bytes),
            },
        }
    }

    /// Returns the cost of a step of a preparation.
    pub(crate) fn step_cost(&self, step: &Step) -> Cost {
        match (self.kind, step) {
            (_, Step::Fill { region_bytes, .. }) => {
                self.pass_cost(range_bytes(*region_bytes, self.capacity_bytes))
            }
            (_, Step::UntilSteady(rounds)) => {
                let runtime_s = self.runtime_s(rounds.round_s);
                let round = self.load_cost(&rounds.load, Some(runtime_s));
                round.times(f64::from(rounds.rounds_max))
            }
            // Mostly the garbage collection during the rest.
            (TargetKind::Simulated, Step::Idle { .. } | Step::Trim) => {
                Cost::untimed(self.capacity_bytes as f64 / 4096.0 / 20.0)
            }
            (_, Step::Idle { duration_s }) => Cost {
                parts: 0.0,
                ..Cost::timed(*duration_s)
            },
            (_, Step::Trim) => Cost::timed(0.0),
        }
    }

    /// Returns the cost of sequential writes of this many bytes.
    fn pass_cost(&self, bytes: u64) -> Cost {
        match self.kind {
            TargetKind::Simulated => Cost::untimed(bytes as f64 / 4096.0),
            _ => Cost::untimed(bytes as f64 / PASS_BYTES_PER_S),
        }
    }

    /// Returns the cost of a load.
    pub(crate) fn load_cost(&self, load: &Load, runtime_s: Option<u64>) -> Cost {
        let Some(runtime_s) = runtime_s else {
            return self.pass_cost(load.range_bytes(self.capacity_bytes));
        };
        if self.kind != TargetKind::Simulated {
            return Cost::timed(runtime_s as f64);
        }
        let block = load.block_bytes as f64;
        // Random writes cause garbage collection, which costs several times as much.
        let write = match load.op {
            PointOp::Read => 1.0,
            _ => 3.0,
        };
        let pages = (block / 4096.0).max(1.0) * write;
        Cost::untimed(Setting::guessed_iops(load) * (1.0 + pages) * runtime_s as f64)
    }

    /// Returns the requests a second of a SATA drive that is as fast as its bus and its latency
    /// allow.
    pub(crate) fn guessed_iops(load: &Load) -> f64 {
        let outstanding = f64::from(load.queue_depth) * f64::from(load.threads);
        let latency_bound = 8_000.0 * outstanding;
        let bus_bound = 500e6 / load.block_bytes as f64;
        latency_bound.min(bus_bound).min(80_000.0)
    }
}
