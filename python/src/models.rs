//! Drive models and editions that are built into the program.

use pyo3::prelude::*;
use stend_method::Edition;
use stend_model::{Model, SHIPPED};

use crate::errors::input;

/// Returns name, title, description and capacity in bytes of each shipped drive model.
#[pyfunction]
pub fn drives() -> Vec<(String, String, String, u64)> {
    let models = SHIPPED.iter().filter_map(|s| Model::shipped(s.name));
    let row = |model: Model| {
        let bytes = model.capacity.user_bytes.value;
        (model.name, model.title, model.description, bytes)
    };
    models.map(row).collect()
}

/// Returns id, title and tests (id, title and method) of each built-in edition.
#[pyfunction]
#[allow(
    clippy::type_complexity,
    reason = "rows of two tables, named in Python"
)]
pub fn editions() -> PyResult<Vec<(String, String, Vec<(String, String, String)>)>> {
    let ids = Edition::built_in().into_iter();
    let edition = |id| {
        let edition = Edition::load(id).map_err(input)?;
        let tests = edition.tests.into_iter();
        let tests = tests.map(|test| (test.id, test.title.to_string(), test.method.to_string()));
        Ok((edition.id, edition.title.to_string(), tests.collect()))
    };
    ids.map(edition).collect()
}
