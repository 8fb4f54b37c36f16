//! The cases in stend's own simulator.

use std::time::Instant;

use stend_load::trace::replay::{DEPTH_MAX, replay};
use stend_load::trace::{Fit, ReplayOptions, Timing, op_index};
use stend_load::{JobFile, RunOptions};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

use super::case::{Case, Pace, State};
use super::figures::Figures;
use crate::args::Fill;
use crate::commands::run::fill;
use crate::failure::Failure;
use crate::output::note;

const OVERWRITE: &str = "[overwrite]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\n";

/// A simulated drive that is brought into the states of the cases.
pub struct Own {
    model: Model,
    /// The drive and its state.
    used: Option<(State, SimulatedTarget)>,
}

impl Own {
    /// Creates the runner for a model.
    pub fn new(model: Model) -> Own {
        Own { model, used: None }
    }

    /// Brings the drive into the case's state, and replays the requests.
    pub fn run(&mut self, case: &Case) -> Result<Figures, Failure> {
        let began = Instant::now();
        let target = self.prepared(case.state)?;
        let prepare_s = began.elapsed().as_secs_f64();
        let (timing, depth) = match case.pace {
            Pace::Depth(depth) => (Timing::Fast, depth),
            Pace::Interval(_) => (Timing::Original, DEPTH_MAX),
        };
        let options = ReplayOptions {
            timing,
            depth,
            fit: Fit::Refuse,
        };
        let drive = target.drive_mut();
        let before = drive.counters();
        let began = Instant::now();
        let replayed = replay(drive, case, &options)
            .map_err(|error| Failure::Io(format!("{}: stend: {error}", case.name)))?;
        let wall_s = began.elapsed().as_secs_f64();
        let latency = &replayed.ops[op_index(case.op)].latency;
        let write_amplification = drive.counters().write_amplification_since(&before);
        Ok(Figures {
            prepare_s,
            wall_s,
            requests: replayed.requests(),
            bytes: replayed.moved_bytes(),
            virtual_s: replayed.elapsed.as_secs_f64(),
            latency_ns_mean: Some(latency.mean_ns()),
            write_amplification,
        })
    }

    /// The drive, brought into a state.
    fn prepared(&mut self, state: State) -> Result<&mut SimulatedTarget, Failure> {
        let (mut now, mut target) = match self.used.take() {
            Some(used) => used,
            None => (State::Fresh, SimulatedTarget::new(self.model.clone())),
        };
        if now == State::Fresh && state != State::Fresh {
            // A new drive: an earlier case may have written to the fresh one.
            target = SimulatedTarget::new(self.model.clone());
            fill(&mut target, Fill::Busy)?;
            now = State::Filled;
        }
        if now == State::Filled && state == State::Overwritten {
            note(&format!("overwriting {} at random", self.model.name));
            target.run_file(&JobFile::parse(OVERWRITE)?, &RunOptions::default())?;
            now = State::Overwritten;
        }
        Ok(&mut self.used.insert((now, target)).1)
    }
}
