//! The shipped models, read once because a page lists all of them.

use std::sync::LazyLock;

use stend_model::{Model, SHIPPED};
use stend_record::review::Text;

/// Facts about a shipped model for lists.
pub(crate) struct ShippedModel {
    /// Name, as typed.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// User capacity, bytes.
    pub capacity_bytes: u64,
    /// Facts: id, value.
    pub facts: Vec<(&'static str, Text)>,
}

/// Returns all shipped models.
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
