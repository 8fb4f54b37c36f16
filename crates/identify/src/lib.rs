//! What is inside a drive, inferred from what can be seen from outside.

mod infer;
mod observe;
pub mod observed;
mod probing;
pub mod property;

use observed::Observed;
use stend_contract::{Target, TargetError};

/// Probes.
pub fn probe(target: &mut dyn Target, tell: &mut dyn FnMut(&str)) -> Result<Observed, TargetError> {
    let capacity_bytes = target.info().capacity_bytes;
    observe::observe(&mut probing::Probing::new(target, capacity_bytes, 1), tell)
}

/// What follows.
pub fn infer(target: &str, seen: &Observed) -> property::Identification {
    property::Identification {
        schema: property::SCHEMA.to_owned(),
        target: target.to_owned(),
        capacity_bytes: seen.capacity_bytes,
        properties: infer::infer(seen),
    }
}
