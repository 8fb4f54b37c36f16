//! The models of the program, read once: a page lists all of them.

use std::sync::LazyLock;

use stend_model::{Model, SHIPPED};

/// What lists tell of a shipped model.
pub(crate) struct ShippedModel {
    /// Its name, as typed.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// What a user can write, bytes.
    pub capacity_bytes: u64,
    /// What it says of itself: name, value.
    pub facts: Vec<(String, String)>,
}

/// All of them.
pub(crate) fn shipped() -> &'static [ShippedModel] {
    static ALL: LazyLock<Vec<ShippedModel>> = LazyLock::new(|| {
        let models = SHIPPED.iter().filter_map(|shipped| {
            let model = Model::shipped(shipped.name)?;
            Some(ShippedModel {
                name: shipped.name,
                capacity_bytes: model.capacity.user_bytes.value,
                facts: model.facts(),
                title: model.title,
            })
        });
        models.collect()
    });
    &ALL
}
