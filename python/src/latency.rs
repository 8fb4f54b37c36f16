//! Distributions of latencies.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use stend_load::stats::LatencyStats;

use crate::errors::input;

/// Distribution of latencies, ns.
#[pyclass(frozen, module = "stend._stend")]
pub struct Latency(pub LatencyStats);

/// Middles of bins, ascending, and counts.
type Bins<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

#[pymethods]
impl Latency {
    #[getter]
    fn count(&self) -> u64 {
        self.0.count()
    }

    #[getter]
    fn min_ns(&self) -> u64 {
        self.0.min_ns()
    }

    #[getter]
    fn max_ns(&self) -> u64 {
        self.0.max_ns()
    }

    #[getter]
    fn mean_ns(&self) -> f64 {
        self.0.mean_ns()
    }

    #[getter]
    fn stddev_ns(&self) -> f64 {
        self.0.stddev_ns()
    }

    fn percentile(&self, percent: f64) -> PyResult<u64> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(input(format!(
                "percentile {percent}: it must be from 0 to 100, such as 99.9"
            )));
        }
        Ok(self.0.percentile_ns(percent))
    }

    fn bins<'py>(&self, py: Python<'py>) -> Bins<'py> {
        let (middles, counts): (Vec<u64>, Vec<u64>) = self.0.bins().unzip();
        (middles.into_pyarray(py), counts.into_pyarray(py))
    }
}
