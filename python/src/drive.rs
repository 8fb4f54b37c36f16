//! The class of simulated drives.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stend_load::target::{FILL_REST_S, JobRequest, Target, TargetError, fill_job};
use stend_load::{JobFile, RunOptions};
use stend_model::Model;
use stend_record::review::Condition;
use stend_simulated::{Access, SimulatedTarget, harm};

use crate::errors::{Kind, error, input, of_drive, of_file};
use crate::replay::{self, ReplayResult};
use crate::result::RunResult;
use crate::{setting, worker};

/// A simulated drive.
#[pyclass(frozen, module = "stend._stend")]
pub struct Drive {
    target: Mutex<SimulatedTarget>,
}

/// Name, title, description, text and facts of a model.
type Facts = (String, String, String, String, Vec<(String, String)>);

impl Drive {
    fn new(target: SimulatedTarget) -> Drive {
        Drive {
            target: Mutex::new(target),
        }
    }

    /// Locks the drive, which serves one thread at a time.
    ///
    /// # Errors
    /// If another thread is using it, or its simulation has panicked.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, SimulatedTarget>> {
        self.target.try_lock().map_err(|held| match held {
            TryLockError::WouldBlock => error(
                Kind::Other,
                "the drive is in use by another thread: wait for it, or work on a copy()",
            ),
            TryLockError::Poisoned(_) => error(
                Kind::Other,
                "the simulation of this drive failed before: it cannot be used any more",
            ),
        })
    }

    /// Runs `act` on the drive without Python's lock, until it ends or Ctrl-C.
    fn simulate<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut SimulatedTarget) -> Result<T, TargetError> + Send,
    ) -> PyResult<T> {
        self.interruptible(|target, flag| {
            worker::wait(py, flag, || act(target)).map(|done| done.map_err(of_drive))
        })?
    }

    /// Runs `act` on the drive, with a flag that interrupts the simulation.
    fn interruptible<T>(
        &self,
        act: impl FnOnce(&mut SimulatedTarget, &Arc<AtomicBool>) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut target = self.lock()?;
        let flag = worker::flag();
        target.set_interrupt(Some(Arc::clone(&flag)));
        let done = act(&mut target, &flag);
        target.set_interrupt(None);
        done
    }
}

/// Returns the shipped model of this name, or the model in a file, with overrides.
pub fn model(name: &str, is_file: bool, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Model> {
    let model = match is_file {
        true => Model::read(name.as_ref()).map_err(input)?,
        false => {
            let shipped = Model::shipped(name);
            shipped.ok_or_else(|| input(format!("there is no drive model `{name}`")))?
        }
    };
    setting::with(&model, overrides)
}

#[pymethods]
impl Drive {
    /// Creates a new drive of a shipped model, or of a model in a file.
    #[new]
    #[pyo3(signature = (name, is_file, overrides=None))]
    fn create(
        py: Python<'_>,
        name: &str,
        is_file: bool,
        overrides: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Drive> {
        let model = model(name, is_file, overrides)?;
        let target = worker::wait(py, &worker::flag(), || SimulatedTarget::new(model))?;
        Ok(Drive::new(target))
    }

    /// Opens the drive in a state file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Drive> {
        let open = || SimulatedTarget::open(&path, Access::Change);
        let target = worker::wait(py, &worker::flag(), open)?;
        Ok(Drive::new(target.map_err(of_file)?))
    }

    /// Writes the drive to a state file.
    fn save(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<()> {
        let mut target = self.lock()?;
        let own = target.state_path().map(PathBuf::from);
        let path = path.or(own).ok_or_else(|| {
            input("the drive is in no file yet: name one, as in drive.save(\"my.state\")")
        })?;
        let target = &mut *target;
        let saved = worker::wait(py, &worker::flag(), || target.save_as(&path))?;
        saved.map_err(of_file)
    }

    /// State file of the drive.
    #[getter]
    fn path(&self) -> PyResult<Option<PathBuf>> {
        Ok(self.lock()?.state_path().map(PathBuf::from))
    }

    fn copy(&self) -> PyResult<Drive> {
        let mut target = self.lock()?;
        target.drive_mut().share();
        Ok(Drive::new(target.clone().without_file()))
    }

    /// Fills the drive, and lets it idle afterwards unless `busy`.
    fn fill(&self, py: Python<'_>, busy: bool) -> PyResult<()> {
        self.simulate(py, |target| {
            let fill = JobRequest {
                text: &fill_job(target.info().capacity_bytes),
                seed: RunOptions::default().seed,
                sample_ms: 0,
            };
            target.run(&fill)?;
            match busy {
                true => Ok(()),
                false => target.idle(FILL_REST_S),
            }
        })
    }

    /// Runs a job file: its text, or the file at this path.
    fn run(
        &self,
        py: Python<'_>,
        job: &str,
        is_file: bool,
        seed: u64,
        sample_ms: u32,
    ) -> PyResult<RunResult> {
        let file = match is_file {
            true => JobFile::read(job.as_ref()),
            false => JobFile::parse(job),
        };
        let file = file.map_err(input)?;
        self.simulate(py, |target| {
            let options = RunOptions {
                seed,
                sample_ms,
                ..RunOptions::default()
            };
            let before = target.drive().counters();
            let done = target.run_file(&file, &options)?;
            let drive = target.drive();
            let amplification = drive.counters().write_amplification_since(&before);
            Ok(RunResult::new(
                done,
                amplification,
                drive.inspect().is_read_only(),
            ))
        })
    }

    /// Replays the requests of an iterator, which yields requests or tuples of arrays.
    #[pyo3(signature = (items, of_arrays, timing, depth, wrap, latencies))]
    fn replay_stream(
        &self,
        items: &Bound<'_, PyAny>,
        of_arrays: bool,
        timing: &str,
        depth: u32,
        wrap: bool,
        latencies: bool,
    ) -> PyResult<ReplayResult> {
        let options = replay::options(timing, depth, wrap)?;
        let kind = (of_arrays, latencies);
        self.interruptible(|target, flag| replay::stream(target, flag, items, kind, &options))
    }

    /// Replays the trace in a file.
    fn replay_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        timing: &str,
        depth: u32,
        wrap: bool,
    ) -> PyResult<ReplayResult> {
        let options = replay::options(timing, depth, wrap)?;
        let done = self.simulate(py, |target| replay::file(target, &path, &options))?;
        Ok(ReplayResult::from(done))
    }

    fn idle(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        self.simulate(py, |target| {
            // NaN is in no range. Virtual time ends before a century has passed.
            const SECONDS_MAX: f64 = 3_155_760_000.0;
            if !(0.0..SECONDS_MAX).contains(&seconds) {
                return Err(TargetError::Input(format!(
                    "{seconds} seconds: the time must be at least 0 and less than {SECONDS_MAX} s, \
                     a century"
                )));
            }
            target.idle(seconds)
        })
    }

    fn trim(&self, py: Python<'_>, offset: u64, length: Option<u64>) -> PyResult<()> {
        self.simulate(py, |target| {
            let capacity = target.capacity_bytes();
            let length = length.unwrap_or_else(|| capacity.saturating_sub(offset));
            let whole = offset.is_multiple_of(512) && length.is_multiple_of(512);
            let inside = offset
                .checked_add(length)
                .is_some_and(|end| end <= capacity);
            if !whole || length == 0 || !inside {
                return Err(TargetError::Input(format!(
                    "offset {offset}, length {length}: the range must lie within the drive's \
                     {capacity} bytes and consist of whole sectors of 512 bytes"
                )));
            }
            if !target.drive().spec().trim.enabled {
                let why = "the drive's model has no TRIM (`trim.enabled`); erase() empties it";
                return Err(TargetError::Input(why.to_owned()));
            }
            target.trim(offset, length)
        })
    }

    fn erase(&self, py: Python<'_>, crypto: bool) -> PyResult<()> {
        self.simulate(py, |target| {
            if !crypto {
                target.drive_mut().service().secure_erase();
                return Ok(());
            }
            let Some(time) = target.model().crypto_erase_time() else {
                return Err(TargetError::Input(format!(
                    "{} does not encrypt its data: its model has no [encryption], so there is no \
                     key to discard; erase() erases the flash",
                    target.model().title
                )));
            };
            target.drive_mut().service().crypto_erase(time);
            Ok(())
        })
    }

    fn overprovision(&self, py: Python<'_>, user_bytes: u64) -> PyResult<()> {
        self.simulate(py, |target| {
            let done = target.drive_mut().service().set_user_bytes(user_bytes);
            done.map_err(|wrong| TargetError::Input(format!("{user_bytes} user bytes: {wrong}")))
        })
    }

    fn age(&self, py: Python<'_>, days: f64, celsius: f64) -> PyResult<(f64, [Option<f64>; 2])> {
        let aged = self.simulate(py, |target| harm::age(target, days, celsius))?;
        Ok((aged.counted_days, [aged.rber_before, aged.rber]))
    }

    fn fail_die(&self, py: Python<'_>, die: u32) -> PyResult<()> {
        self.simulate(py, |target| harm::fail_die(target, die))
    }

    /// Cuts the power and lets the drive recover.
    ///
    /// Returns the time until the first command was served and that of the recovery, ns; pages
    /// lost in flash; pages undone; failed saves.
    fn power_cut(&self, py: Python<'_>) -> PyResult<(u64, u64, u64, u64, u64)> {
        let cut = self.simulate(py, harm::power_cut)?;
        Ok((
            cut.took_ns,
            cut.recovery_ns,
            cut.lost_pages,
            cut.undone_pages,
            cut.failed_saves,
        ))
    }

    #[getter]
    fn write_cache(&self) -> PyResult<bool> {
        Ok(self.lock()?.drive().spec().host.write_cache)
    }

    fn set_write_cache(&self, on: bool) -> PyResult<()> {
        self.lock()?.drive_mut().service().set_write_cache(on);
        Ok(())
    }

    /// Returns the health record, as JSON.
    fn health(&self) -> PyResult<String> {
        let health = self.lock()?.health();
        json(&health.map_err(|why| error(Kind::Drive, why))?)
    }

    /// Returns smartctl's document, as JSON; `None` for a model without health.
    fn smart(&self) -> PyResult<Option<String>> {
        let document = self.lock()?.smart();
        document.as_ref().map(json).transpose()
    }

    /// Returns all counters, as JSON.
    fn counters(&self) -> PyResult<String> {
        json(&self.lock()?.drive().counters())
    }

    fn erase_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.erase_counts()))
    }

    #[getter]
    fn now_s(&self) -> PyResult<f64> {
        Ok(self.lock()?.now_s())
    }

    #[getter]
    fn capacity_bytes(&self) -> PyResult<u64> {
        Ok(self.lock()?.capacity_bytes())
    }

    #[getter]
    fn native_bytes(&self) -> PyResult<u64> {
        Ok(self.lock()?.drive().native_bytes())
    }

    #[getter]
    fn energy_j(&self) -> PyResult<Option<f64>> {
        Ok(self.lock()?.energy_j())
    }

    /// Hash of the drive's history.
    #[getter]
    fn history_hash(&self) -> PyResult<u64> {
        Ok(self.lock()?.drive().trace_hash())
    }

    /// Returns name, title, description, text and facts of the model.
    fn model(&self) -> PyResult<Facts> {
        let target = self.lock()?;
        let model = target.model();
        let facts = model.facts().into_iter().map(|(id, value)| {
            let words = value.in_english();
            (Condition::new(id, value).name().in_english(), words)
        });
        Ok((
            model.name.clone(),
            model.title.clone(),
            model.description.clone(),
            model.text.clone(),
            facts.collect(),
        ))
    }
}

fn json(of: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(of).map_err(|failed| error(Kind::Other, failed))
}
