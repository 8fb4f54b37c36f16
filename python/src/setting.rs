//! Conversion of values from Python that replace figures of a model.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use stend_model::{Model, Setting};

use crate::errors::input;

/// Returns the model with overrides from a dictionary, key to value.
pub fn with(model: &Model, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Model> {
    let Some(overrides) = overrides else {
        return Ok(model.clone());
    };
    let mut settings = Vec::new();
    for (key, value) in overrides {
        let key: String = key.extract().map_err(|_| {
            input(format!(
                "override {key}: a key must be text, such as \"nand.dies\""
            ))
        })?;
        let setting = setting(&value).map_err(|what| input(format!("override {key}: {what}")))?;
        settings.push((key, setting));
    }
    model.with(&settings).map_err(input)
}

fn setting(value: &Bound<'_, PyAny>) -> Result<Setting, String> {
    let list = |values: Vec<Bound<'_, PyAny>>| {
        let list: Result<_, String> = values.iter().map(setting).collect();
        list.map(Setting::List)
    };
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Setting::Flag(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let whole = value.extract();
        return whole
            .map(Setting::Whole)
            .map_err(|_| format!("{value} has more than 63 bits"));
    }
    if let Ok(real) = value.cast::<PyFloat>() {
        return Ok(Setting::Real(real.value()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Setting::Text(text.to_string()));
    }
    if let Ok(values) = value.cast::<PyList>() {
        return list(values.iter().collect());
    }
    if let Ok(values) = value.cast::<PyTuple>() {
        return list(values.iter().collect());
    }
    Err(format!(
        "{} of type {} is not a value of a figure: use a number, a text, True or False, or a \
         list of them",
        value,
        value.get_type()
    ))
}
