//! The binding behind the Python package `stend`: its private module `stend._stend`.
//!
//! The public interface is Python, in `package/stend`: names, defaults, documentation. The binding
//! contains the parts that must be fast or that the command line shares: drives, jobs, streams of
//! requests, reviews, studies, findings, fits, the check of a lab. Simulations run on a thread of
//! their own without Python's lock; the calling thread waits, and checks for signals meanwhile.

mod chunks;
mod claims;
mod drive;
mod errors;
mod fit;
mod lab;
mod latency;
mod models;
mod replay;
mod result;
mod review;
mod setting;
mod study;
mod worker;

use pyo3::prelude::*;

/// The private module of the package.
#[pymodule]
fn _stend(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<drive::Drive>()?;
    module.add_class::<latency::Latency>()?;
    module.add_class::<result::RunResult>()?;
    module.add_class::<replay::ReplayResult>()?;
    module.add_class::<review::Review>()?;
    module.add_class::<claims::Findings>()?;
    module.add_class::<study::StudyPlan>()?;
    module.add_class::<study::StudySession>()?;
    module.add_function(wrap_pyfunction!(models::drives, module)?)?;
    module.add_function(wrap_pyfunction!(models::editions, module)?)?;
    module.add_function(wrap_pyfunction!(review::review, module)?)?;
    module.add_function(wrap_pyfunction!(review::read_review, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit_work, module)?)?;
    module.add_function(wrap_pyfunction!(lab::check_lab, module)?)?;
    module.add_function(wrap_pyfunction!(lab::lab_review, module)?)
}
