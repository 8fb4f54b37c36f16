//! Inference from observations: pure functions of [`Observed`], one file per group of properties.
//! `docs/identify.md` contains the principle, formula, source and failures of each. Each threshold
//! is a constant that has its reason; `margins` contains those that several properties share.

mod cache;
mod durable;
mod margins;
mod reads;
mod size;
mod spare;
#[cfg(test)]
mod tests;
mod words;

use crate::observed::Observed;
use crate::property::Property;

/// Infers all properties, in the order of the document.
pub(crate) fn infer(seen: &Observed) -> Vec<Property> {
    let reads = reads::properties(seen);
    let cache = cache::Cache::of(seen, reads::dies_of_all(&reads));
    let mut properties = cache.properties(seen);
    properties.extend(spare::properties(seen, &cache));
    properties.extend(reads);
    properties.extend(durable::properties(seen));
    properties
}
