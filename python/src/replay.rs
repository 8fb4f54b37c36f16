//! Streams of requests, and traces in files, on a drive.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use stend_load::target::{ReplayOutcome, Target, TargetError};
use stend_load::trace::replay::DEPTH_MAX;
use stend_load::trace::{Fit, ReplayOptions, Replayed, Timing, TraceFile, summary};
use stend_record::review::Text;
use stend_simulated::{SimulatedTarget, Streamed};

use crate::chunks::{Piped, Room, Source, index_of};
use crate::errors::{input, of_drive};
use crate::latency::Latency;
use crate::worker::{self, Pipe};

/// Largest number of chunks of requests that wait for their simulation.
const CHUNKS_WAITING: usize = 4;

/// Checks the options of a replay.
pub fn options(timing: &str, depth: u32, wrap: bool) -> PyResult<ReplayOptions> {
    let timing = match timing {
        "fast" => Timing::Fast,
        "original" => Timing::Original,
        "busy" => Timing::Busy,
        other => {
            return Err(input(format!(
                "timing \"{other}\": it must be \"fast\", \"original\" or \"busy\""
            )));
        }
    };
    if !(1..=DEPTH_MAX).contains(&depth) {
        return Err(input(format!(
            "depth {depth}: it must be from 1 to {DEPTH_MAX} outstanding requests"
        )));
    }
    Ok(ReplayOptions {
        timing,
        depth,
        fit: match wrap {
            true => Fit::Wrap,
            false => Fit::Refuse,
        },
    })
}

/// Replays the requests of an iterator.
pub fn stream(
    target: &mut SimulatedTarget,
    interrupt: &Arc<AtomicBool>,
    items: &Bound<'_, PyAny>,
    (of_arrays, each): (bool, bool),
    options: &ReplayOptions,
) -> PyResult<ReplayResult> {
    let room = Room {
        capacity_bytes: target.capacity_bytes(),
        fit: options.fit,
    };
    let mut source = Source::new(items, of_arrays, room)?;
    let pipe = Pipe::new(CHUNKS_WAITING);
    let work = || {
        let requests = Box::new(Piped::new(&pipe));
        target.replay_stream("requests", requests, options, each)
    };
    let py = items.py();
    let mut wrong = None;
    let done = worker::feed(py, interrupt, &pipe, work, || match source.next() {
        Ok(chunk) => Ok(Some(chunk).filter(|chunk| !chunk.is_empty())),
        // Requests before it are served, so that the state of the drive is known.
        Err(error) if error.is_instance_of::<PyException>(py) => {
            wrong = Some(error);
            Ok(None)
        }
        // Ctrl-C.
        Err(error) => Err(error),
    });
    match wrong {
        Some(error) => Err(error),
        None => Ok(ReplayResult::from(done?.map_err(of_drive)?)),
    }
}

/// Replays the trace in a file, after checking all of it.
pub fn file(
    target: &mut SimulatedTarget,
    path: &Path,
    options: &ReplayOptions,
) -> Result<ReplayOutcome, TargetError> {
    let wrong = |error: stend_config::FileError| TargetError::Input(error.to_string());
    let trace = TraceFile::open(path, None).map_err(wrong)?;
    summary(&trace, Some((target.capacity_bytes(), options.fit))).map_err(wrong)?;
    target.replay(&trace, options)
}

/// Result of a replay.
#[pyclass(frozen, module = "stend._stend")]
pub struct ReplayResult {
    replayed: Replayed,
    latencies_ns: parking_lot::Mutex<Vec<u64>>,
    write_amplification: Option<f64>,
    unwritten_reads: Option<u64>,
    warnings: Vec<String>,
}

impl From<Streamed> for ReplayResult {
    fn from(done: Streamed) -> ReplayResult {
        let late = done.replayed.lateness.and_then(|late| late.warning());
        ReplayResult {
            replayed: done.replayed,
            latencies_ns: done.latencies_ns.into(),
            write_amplification: done.write_amplification,
            unwritten_reads: None,
            warnings: late.iter().map(Text::in_english).collect(),
        }
    }
}

impl From<ReplayOutcome> for ReplayResult {
    fn from(done: ReplayOutcome) -> ReplayResult {
        ReplayResult {
            warnings: done.warnings().iter().map(Text::in_english).collect(),
            replayed: done.replayed,
            latencies_ns: Vec::new().into(),
            write_amplification: done.write_amplification,
            unwritten_reads: done.unwritten_reads,
        }
    }
}

#[pymethods]
impl ReplayResult {
    /// Returns requests and bytes of an operation, by its name.
    fn op(&self, name: &str) -> PyResult<(u64, u64)> {
        let op = &self.replayed.ops[index_of(name)?];
        Ok((op.requests, op.bytes))
    }

    /// Returns the latencies of an operation, by its name.
    fn op_latency(&self, name: &str) -> PyResult<Latency> {
        let op = &self.replayed.ops[index_of(name)?];
        Ok(Latency(op.latency.clone()))
    }

    #[getter]
    fn requests(&self) -> u64 {
        self.replayed.requests()
    }

    #[getter]
    fn elapsed_s(&self) -> f64 {
        self.replayed.elapsed.as_secs_f64()
    }

    #[getter]
    fn busy_s(&self) -> f64 {
        self.replayed.busy.as_secs_f64()
    }

    #[getter]
    fn busy_periods(&self) -> u64 {
        self.replayed.busy_periods
    }

    #[getter]
    fn left_out_s(&self) -> f64 {
        self.replayed.left_out.as_secs_f64()
    }

    /// Late requests, those later than 2 ms, the largest and the mean delay in ns; `None` if the
    /// timing ignores the times of requests.
    #[getter]
    fn lateness(&self) -> Option<(u64, u64, u64, f64)> {
        let late = self.replayed.lateness?;
        let mean_ns = self.replayed.lateness_ns_mean().unwrap_or_default();
        Some((late.requests, late.far_requests, late.max_ns, mean_ns))
    }

    #[getter]
    fn write_amplification(&self) -> Option<f64> {
        self.write_amplification
    }

    #[getter]
    fn unwritten_reads(&self) -> Option<u64> {
        self.unwritten_reads
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Moves out the latency of each request, ns, without a copy. Later calls return none.
    fn take_latencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        std::mem::take(&mut *self.latencies_ns.lock()).into_pyarray(py)
    }
}
