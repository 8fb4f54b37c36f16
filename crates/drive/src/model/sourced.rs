//! A figure and where it comes from.

use serde::Deserialize;
use toml::Spanned;

/// A figure of a drive model with its source: `{ value = 16, source = "data sheet" }`. A number may
/// be free within bounds: [`super::Files::free`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sourced<T> {
    /// The figure; its unit stands at the end of its key.
    pub value: T,
    /// A publication, `assumed: why`, or `fitted: to what`.
    pub source: String,
    /// The lowest and the highest value that a number may be fitted to, if it may be.
    pub free: Option<[f64; 2]>,
}

/// A sourced figure that knows its place in the file.
pub type Field<T> = Spanned<Sourced<T>>;

/// Reads a figure.
pub trait Value<T> {
    /// The bare figure.
    fn get(&self) -> T;
}

impl<T: Clone> Value<T> for Field<T> {
    fn get(&self) -> T {
        self.get_ref().value.clone()
    }
}
