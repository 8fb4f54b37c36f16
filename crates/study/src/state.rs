//! The state from which jobs start: a new drive, prepared by steps.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stend_load::target::{Target, TargetError, fill_job};
use stend_load::{JobFile, RunOptions, RunResult};
use stend_model::Model;
use stend_simulated::SimulatedTarget;

use crate::definition::{StepEntry, Word};

/// A parsed step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Fill,
    Trim,
    Idle(f64),
    Job(JobFile),
}

impl Step {
    /// Parses a step.
    ///
    /// # Errors
    /// The fault of the step.
    pub(crate) fn of(entry: &StepEntry) -> Result<Step, String> {
        Ok(match entry {
            StepEntry::Word(Word::Fill) => Step::Fill,
            StepEntry::Word(Word::Trim) => Step::Trim,
            StepEntry::Idle { idle_s } if (0.0..=1e9).contains(idle_s) => Step::Idle(*idle_s),
            StepEntry::Idle { idle_s } => {
                return Err(format!("a rest of {idle_s} s; 0 to 10^9 s are allowed"));
            }
            StepEntry::Job { job } => {
                Step::Job(JobFile::parse(job).map_err(|error| error.to_string())?)
            }
            StepEntry::JobFile { job_file } => {
                unreachable!("{} was read with the definition", job_file.display())
            }
        })
    }

    /// True if the state after it depends on a seed.
    pub(crate) fn is_drawn(&self) -> bool {
        matches!(self, Step::Job(_))
    }
}

/// Returns a new drive after the steps.
///
/// # Errors
/// A message if a step does not fit, or the drive refuses it.
pub(crate) fn prepare(
    model: Model,
    steps: &[Step],
    seed: u64,
    interrupt: &Arc<AtomicBool>,
) -> Result<SimulatedTarget, TargetError> {
    let mut target = SimulatedTarget::new(model);
    target.set_interrupt(Some(Arc::clone(interrupt)));
    for step in steps {
        match step {
            Step::Fill => {
                let fill = fill_job(target.info().capacity_bytes);
                let fill = JobFile::parse(&fill).expect("it is a job file");
                carry_out(&mut target, &fill, &RunOptions::default())?;
            }
            Step::Trim if target.drive().spec().trim.enabled => target.trim_all()?,
            Step::Trim => {
                let message = "the model has no TRIM (`trim.enabled`)";
                return Err(TargetError::Input(message.to_owned()));
            }
            Step::Idle(seconds) => target.idle(*seconds)?,
            Step::Job(file) => {
                let options = RunOptions {
                    seed,
                    ..RunOptions::default()
                };
                carry_out(&mut target, file, &options)?;
            }
        }
    }
    // Separates data that copies share from data that they change.
    target.drive_mut().share();
    Ok(target)
}

/// Runs a job, which must not end with an error.
pub(crate) fn carry_out(
    target: &mut SimulatedTarget,
    file: &JobFile,
    options: &RunOptions<'_>,
) -> Result<RunResult, TargetError> {
    let result = target.run_file(file, options)?;
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
