//! Operations on a simulated drive, and their results.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use stend_base::Nanos;
use stend_drive::Counters;
use stend_load::runner::ProgressFn;
use stend_load::target::{Target, TargetError, fill_job};
use stend_load::{JobFile, RunOptions, RunResult};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

/// An operation on a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A job.
    Job(Job),
    /// A rest, s.
    Rest(f64),
    /// TRIM of the whole drive.
    TrimAll,
    /// TRIM of a range; an empty one changes nothing.
    Trim {
        /// First byte.
        offset_bytes: u64,
        /// Length, bytes.
        len_bytes: u64,
    },
    /// Enables the write cache, or disables it: from then on, writes are acknowledged only when
    /// they are in flash.
    WriteCache(bool),
}

/// A fio job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Text of the job file.
    pub text: String,
    /// Root seed of all random choices of sections without `randseed`.
    pub seed: u64,
    /// Interval between samples, ms; 0 for none.
    pub sample_ms: u32,
}

/// Observer of a job in progress.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Receives the progress.
    pub progress: ProgressFn<'a>,
    /// Virtual time between two calls.
    pub every: Nanos,
}

/// Result of a step.
#[derive(Debug)]
pub struct StepResult {
    /// Result of a job.
    pub job: Option<RunResult>,
    /// Interval between the samples of the job, ms; 0 without samples.
    pub sample_ms: u32,
    /// Counters of the drive before the step.
    pub before: Counters,
    /// Counters of the drive after the step.
    pub after: Counters,
    /// Duration, s.
    pub elapsed_s: f64,
    /// Energy that the drive used, J; `None` for a model without energy figures.
    pub energy_j: Option<f64>,
}

impl Step {
    /// Returns the step that writes the whole drive once, in ascending order.
    pub fn fill(capacity_bytes: u64) -> Step {
        Step::Job(Job {
            text: fill_job(capacity_bytes),
            seed: RunOptions::default().seed,
            sample_ms: 0,
        })
    }

    /// Carries the step out. A job passes its progress to `watch`.
    ///
    /// # Errors
    /// [`TargetError`] for a step that does not fit the drive, or that the drive refuses.
    pub fn carry_out(
        &self,
        target: &mut SimulatedTarget,
        watch: Option<Watch<'_>>,
    ) -> Result<StepResult, TargetError> {
        let begin_s = target.now_s();
        let (before, energy) = (target.drive().counters(), target.energy_j());
        let mut run = None;
        let mut sample_ms = 0;
        match self {
            Step::Job(job) => {
                run = Some(job.run(target, watch)?);
                sample_ms = job.sample_ms;
            }
            Step::Rest(seconds) => target.idle(*seconds)?,
            Step::TrimAll => target.trim_all()?,
            Step::Trim { len_bytes: 0, .. } => {}
            Step::Trim {
                offset_bytes,
                len_bytes,
            } => target.trim(*offset_bytes, *len_bytes)?,
            Step::WriteCache(on) => target.drive_mut().service().set_write_cache(*on),
        }
        let used = target.energy_j().zip(energy);
        Ok(StepResult {
            job: run,
            sample_ms,
            before,
            after: target.drive().counters(),
            elapsed_s: target.now_s() - begin_s,
            energy_j: used.map(|(after, before)| after - before),
        })
    }
}

impl Job {
    /// Runs the job, which must not end with an error.
    fn run(
        &self,
        target: &mut SimulatedTarget,
        watch: Option<Watch<'_>>,
    ) -> Result<RunResult, TargetError> {
        let file = JobFile::parse(&self.text).map_err(|e| TargetError::Input(e.to_string()))?;
        let mut options = RunOptions {
            seed: self.seed,
            sample_ms: self.sample_ms,
            ..RunOptions::default()
        };
        if let Some(watch) = watch {
            options.progress = Some(watch.progress);
            options.progress_every = watch.every;
        }
        let result = target.run_file(&file, &options)?;
        match result.jobs.iter().find(|job| job.errors.fatal != 0) {
            None => Ok(result),
            Some(failed) => Err(TargetError::Failed(format!(
                "job `{}` ended with error {} after {} bytes: the drive refused a request ({})",
                failed.name,
                failed.errors.fatal,
                failed.directions.iter().map(|d| d.bytes).sum::<u64>(),
                match target.drive().health().read_only {
                    true => "its flash is worn out, and it can only be read",
                    false => "data could not be read back",
                }
            ))),
        }
    }
}

/// Creates a new drive and carries out the steps on it. An `interrupt` that is set ends a step
/// early.
///
/// # Errors
/// As [`Step::carry_out`].
pub fn prepare(
    model: Model,
    steps: &[Step],
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<SimulatedTarget, TargetError> {
    let mut target = SimulatedTarget::new(model);
    target.set_interrupt(interrupt.cloned());
    for step in steps {
        step.carry_out(&mut target, None)?;
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_trim_changes_nothing() {
        let model = Model::shipped("demo-8gb").unwrap();
        let mut target = SimulatedTarget::new(model);
        let empty = Step::Trim {
            offset_bytes: target.capacity_bytes(),
            len_bytes: 0,
        };
        let result = empty.carry_out(&mut target, None).unwrap();
        assert_eq!((result.elapsed_s, result.before), (0.0, result.after));
    }
}
