//! What is inside a drive, inferred from what can be seen from outside.
//!
//! [`probe`] runs jobs on a target and notes what it saw ([`Observed`]); [`observed_in`] takes what
//! a review saw already. [`infer`] tells from either what the drive has inside, each property with
//! an interval, the evidence, or why it cannot be told. `docs/identify.md` has the principles.
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

/// How a target is probed.
pub struct Options<'a> {
    /// Root seed of the jobs' patterns.
    pub seed: u64,
    /// Called with the name of each group of probes before it begins; where it returns false, the
    /// groups that are left are not carried out.
    pub go_on: &'a mut dyn FnMut(&str) -> bool,
    /// Tells how many seconds are left, where there is a limit: on a target that takes real time, a
    /// group that usually takes longer is not begun, or is shortened.
    pub left_s: Option<&'a dyn Fn() -> f64>,
}

/// Bytes that the probes write at most to a target of this capacity that cannot be copied.
pub fn written_bytes_max(capacity_bytes: u64) -> u64 {
    observe::written_bytes_max(capacity_bytes)
}

/// Smallest capacity that can be probed, bytes.
pub const CAPACITY_BYTES_MIN: u64 = 256 << 20;

/// Probes a target. All its data is lost.
///
/// # Errors
/// [`TargetError::Input`] of a target that is smaller than [`CAPACITY_BYTES_MIN`], and what its
/// jobs end with.
pub fn probe(target: &mut dyn Target, options: &mut Options<'_>) -> Result<Observed, TargetError> {
    let info = target.info();
    if info.capacity_bytes < CAPACITY_BYTES_MIN {
        return Err(TargetError::Input(format!(
            "{}: {} bytes are too few to tell anything from: give it at least {} MiB",
            info.name,
            info.capacity_bytes,
            CAPACITY_BYTES_MIN >> 20
        )));
    }
    let mut probing = probing::Probing::new(target, info.capacity_bytes, options.seed);
    // A simulated target takes no time that is known before.
    probing.left_s = options.left_s.filter(|_| !probing.copies());
    observe::observe(&mut probing, options.go_on)
}

/// What follows from what was seen of the target of this name.
pub fn infer(target: &str, seen: &Observed) -> Identification {
    Identification {
        schema: SCHEMA.to_owned(),
        target: target.to_owned(),
        capacity_bytes: seen.capacity_bytes,
        left_out: seen.left_out.clone(),
        properties: infer::infer(seen),
    }
}
