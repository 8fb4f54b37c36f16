//! Results of job files.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stend_load::RunResult as Done;
use stend_load::report::{fio_output, log_files, normal};
use stend_load::runner::JobResult;
use stend_load::stats::LatencyStats;

use crate::errors::{Kind, error};
use crate::latency::Latency;

/// Result of a job file on a drive.
#[pyclass(frozen, module = "stend._stend")]
pub struct RunResult {
    done: Done,
    write_amplification: Option<f64>,
    failed: Option<String>,
}

impl RunResult {
    /// Creates the result with the write amplification during the run. `read_only` is true if the
    /// drive no longer accepts writes.
    pub fn new(done: Done, write_amplification: Option<f64>, read_only: bool) -> RunResult {
        let failed = done.jobs.iter().find(|job| job.errors.fatal != 0);
        let why = match read_only {
            true => ": the drive's flash is worn out, and it can only be read",
            false => "",
        };
        let failed = failed.map(|job| {
            let (name, errno) = (&job.name, job.errors.fatal);
            format!("job \"{name}\" ended with error {errno} (errno of the failed request){why}")
        });
        RunResult {
            done,
            write_amplification,
            failed,
        }
    }

    fn job(&self, job: usize) -> PyResult<&JobResult> {
        let job = self.done.jobs.get(job);
        job.ok_or_else(|| error(Kind::Other, "there is no such job"))
    }

    fn sum(&self, of: impl Fn(&JobResult) -> &LatencyStats) -> Latency {
        let mut sum = LatencyStats::default();
        self.done.jobs.iter().for_each(|job| sum.add(of(job)));
        Latency(sum)
    }
}

#[pymethods]
impl RunResult {
    /// Number of jobs, including clones.
    #[getter]
    fn jobs(&self) -> usize {
        self.done.jobs.len()
    }

    /// Returns name, group, clone, measured seconds, errno and failed requests of a job.
    fn job_facts(&self, job: usize) -> PyResult<(String, u32, u32, f64, i32, u64)> {
        let job = self.job(job)?;
        Ok((
            job.name.clone(),
            job.group,
            job.clone,
            job.runtime.as_secs_f64(),
            job.errors.fatal,
            job.errors.total,
        ))
    }

    /// Returns the bytes of a direction of a job: 0 reads, 1 writes, 2 TRIMs.
    fn job_bytes(&self, job: usize, direction: usize) -> PyResult<u64> {
        Ok(self.job(job)?.directions[direction.min(2)].bytes)
    }

    /// Returns the latencies of a direction of a job.
    fn job_latency(&self, job: usize, direction: usize) -> PyResult<Latency> {
        let job = self.job(job)?;
        Ok(Latency(job.directions[direction.min(2)].latency.clone()))
    }

    /// Returns the latencies of a job's flushes.
    fn job_sync_latency(&self, job: usize) -> PyResult<Latency> {
        Ok(Latency(self.job(job)?.sync.clone()))
    }

    /// Returns the bytes of a direction, all jobs.
    fn bytes(&self, direction: usize) -> u64 {
        let jobs = self.done.jobs.iter();
        jobs.map(|job| job.directions[direction.min(2)].bytes).sum()
    }

    /// Returns the latencies of a direction, all jobs.
    fn latency(&self, direction: usize) -> Latency {
        self.sum(|job| &job.directions[direction.min(2)].latency)
    }

    /// Returns the latencies of flushes, all jobs.
    fn sync_latency(&self) -> Latency {
        self.sum(|job| &job.sync)
    }

    /// Returns the latencies of reads, writes and TRIMs together, all jobs.
    fn all_latency(&self) -> Latency {
        let mut all = LatencyStats::default();
        let directions = self.done.jobs.iter().flat_map(|job| &job.directions);
        directions.for_each(|direction| all.add(&direction.latency));
        Latency(all)
    }

    /// Time in which at least one job measured, s.
    #[getter]
    fn measured_s(&self) -> f64 {
        self.done.measured_by_any().as_secs_f64()
    }

    /// Virtual time from the beginning to the end of the last job, s.
    #[getter]
    fn elapsed_s(&self) -> f64 {
        self.done.ended_at.since(self.done.started_at).as_secs_f64()
    }

    #[getter]
    fn write_amplification(&self) -> Option<f64> {
        self.write_amplification
    }

    /// Message about the job that ended early.
    #[getter]
    fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Returns the samples as arrays that own their memory, so that Python copies nothing.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let samples = &self.done.samples;
        let reals = |of: fn(&stend_load::Sample) -> f64| -> Bound<'py, PyArray1<f64>> {
            let values: Vec<f64> = samples.iter().map(of).collect();
            values.into_pyarray(py)
        };
        let wholes = |of: fn(&stend_load::Sample) -> u64| -> Bound<'py, PyArray1<u64>> {
            let values: Vec<u64> = samples.iter().map(of).collect();
            values.into_pyarray(py)
        };
        let columns = PyDict::new(py);
        columns.set_item("t_s", reals(|s| s.t_s))?;
        columns.set_item("iops", reals(|s| s.read_iops + s.write_iops))?;
        columns.set_item("written_bytes", wholes(|s| s.written_bytes))?;
        columns.set_item("read_iops", reals(|s| s.read_iops))?;
        columns.set_item("write_iops", reals(|s| s.write_iops))?;
        columns.set_item("read_bytes", wholes(|s| s.read_bytes))?;
        Ok(columns)
    }

    /// Returns fio's JSON, as the command line prints it.
    fn to_json(&self, plus: bool) -> PyResult<String> {
        let text = serde_json::to_string_pretty(&fio_output(&self.done, plus));
        let text = text.map_err(|failed| error(Kind::Other, failed))?;
        Ok(text + "\n")
    }

    /// Returns fio's normal output.
    fn to_text(&self) -> String {
        normal(&self.done)
    }

    /// Returns name and text of each log that the job file requests.
    fn logs(&self) -> Vec<(String, String)> {
        let logs = log_files(&self.done).into_iter();
        logs.map(|log| (log.name, log.text)).collect()
    }
}
