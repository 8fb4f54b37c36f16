//! Labs: check of their files, and the reviews in them.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyFileNotFoundError, PyOSError};
use pyo3::prelude::*;
use stend_lab::{Lab, LabError, Program, RunId};

use crate::errors::input;
use crate::review::Review;

/// Returns this program, with an id.
pub fn this(id: String) -> Program {
    Program {
        id,
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("STEND_COMMIT"),
        now_unix_ms: || {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            now.map_or(0, |now| now.as_millis() as i64)
        },
    }
}

/// Checks that a file is a readable lab.
#[pyfunction]
pub fn check_lab(path: PathBuf) -> PyResult<()> {
    look(&path).map(drop)
}

/// Returns the review of a run.
#[pyfunction]
pub fn lab_review(path: PathBuf, run: i64) -> PyResult<Review> {
    let review = look(&path)?.review(RunId(run)).map_err(failed)?;
    Ok(Review::new(review))
}

fn look(path: &Path) -> PyResult<Lab> {
    let lab = Lab::look(path).map_err(failed)?;
    lab.ok_or_else(|| {
        PyFileNotFoundError::new_err(format!(
            "{}: there is no lab yet; `stend review` creates one",
            path.display()
        ))
    })
}

fn failed(error: LabError) -> PyErr {
    match error {
        LabError::Folder { .. }
        | LabError::Locked(_)
        | LabError::Full(_)
        | LabError::Export { .. }
        | LabError::Other { .. } => PyOSError::new_err(error.to_string()),
        wrong => input(wrong),
    }
}
