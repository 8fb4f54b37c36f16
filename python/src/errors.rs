//! Conversion of errors to Python's exceptions, which are classes of `stend._errors`.

use std::fmt::Display;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use stend_load::target::TargetError;

/// Kind of an exception of the package.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Invalid input.
    Input,
    /// Refusal or failure of a simulated drive.
    Drive,
    /// Any other error.
    Other,
}

/// Creates an exception of this kind with this text.
pub fn error(kind: Kind, text: impl Display) -> PyErr {
    let name = match kind {
        Kind::Input => "InputError",
        Kind::Drive => "DriveError",
        Kind::Other => "Error",
    };
    let text = text.to_string();
    Python::attach(|py| {
        let class = py
            .import("stend._errors")
            .and_then(|module| module.getattr(name))
            .and_then(|class| class.call1((text,)));
        class.map_or_else(|broken| broken, PyErr::from_value)
    })
}

/// Creates an exception for invalid input.
pub fn input(text: impl Display) -> PyErr {
    error(Kind::Input, text)
}

/// Converts an error of a simulated drive.
pub fn of_drive(failed: TargetError) -> PyErr {
    match failed {
        TargetError::Input(text) => input(text),
        other => error(Kind::Drive, other),
    }
}

/// Converts an error of a drive's state file.
pub fn of_file(failed: TargetError) -> PyErr {
    match failed {
        TargetError::Input(text) => input(text),
        other => PyOSError::new_err(other.to_string()),
    }
}

/// Converts a panic of the simulation.
pub fn defect(payload: Box<dyn std::any::Any + Send>) -> PyErr {
    let said = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    error(
        Kind::Other,
        format!(
            "the simulation failed: {said}; this is a defect of the program, please report it. \
             The drive can no longer be used"
        ),
    )
}
