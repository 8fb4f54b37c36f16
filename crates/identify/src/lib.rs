//! Infers the internal properties of a drive from its behaviour, as observed from outside.
//!
//! [`probe`] runs jobs on a target and records observations ([`Observed`]); [`observed_in`]
//! extracts the observations that a review contains. [`infer`] infers the properties of the drive
//! from either, each with an interval and the evidence, or the reason why it is unknown.
//! `docs/identify.md` explains the principles.
//!
//! Black box: this crate knows targets by [`stend_load::target::Target`] alone, of which it asks
//! neither facts nor health. Modules, each importing only those before it: `property` (the
//! document), `naming` (its words for people), `probing` (jobs), `observed`, `ends` (of what is
//! fast), `observe` (probes), `reviewed` (what a review saw), `infer`.

mod ends;
mod infer;
pub mod naming;
mod observe;
pub mod observed;
mod probing;
pub mod property;
mod reviewed;

use stend_load::target::{Target, TargetError};

use observed::Observed;
use property::{Identification, SCHEMA};

pub use reviewed::observed_in;

/// Options of probing.
pub struct Options<'a> {
    /// Root seed of the jobs' patterns.
    pub seed: u64,
    /// Called with the name of each group of probes before it begins; if it returns false, the
    /// remaining groups are left out.
    pub go_on: &'a mut dyn FnMut(&str) -> bool,
    /// Returns the seconds left, if there is a limit: on a target that takes real time, a group
    /// that usually takes longer is left out or shortened.
    pub left_s: Option<&'a dyn Fn() -> f64>,
}

/// Maximum number of bytes that the probes write to a target of this capacity that cannot be
/// copied.
pub fn written_bytes_max(capacity_bytes: u64) -> u64 {
    observe::written_bytes_max(capacity_bytes)
}

/// Smallest capacity that can be probed, bytes.
pub const CAPACITY_BYTES_MIN: u64 = 256 << 20;

/// Probes a target. All its data is lost.
///
/// # Errors
/// [`TargetError::Input`] for a target smaller than [`CAPACITY_BYTES_MIN`], and errors of the jobs.
pub fn probe(target: &mut dyn Target, options: &mut Options<'_>) -> Result<Observed, TargetError> {
    let info = target.info();
    if info.capacity_bytes < CAPACITY_BYTES_MIN {
        return Err(TargetError::Input(format!(
            "{}: {} bytes are too few to infer properties from; at least {} MiB are needed",
            info.name,
            info.capacity_bytes,
            CAPACITY_BYTES_MIN >> 20
        )));
    }
    let mut probing = probing::Probing::new(target, info.capacity_bytes, options.seed);
    // The duration on a simulated target is not known in advance.
    probing.left_s = options.left_s.filter(|_| !probing.copies());
    observe::observe(&mut probing, options.go_on)
}

/// Infers the properties of the target from observations.
pub fn infer(target: &str, seen: &Observed) -> Identification {
    Identification {
        schema: SCHEMA.to_owned(),
        target: target.to_owned(),
        capacity_bytes: seen.capacity_bytes,
        left_out: seen.left_out.clone(),
        properties: infer::infer(seen),
    }
}
