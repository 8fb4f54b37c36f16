//! The probes: what is done to a target to see what [`Observed`] holds.
//!
//! On a target that can be copied, what would disturb a later probe runs on a copy; on a real
//! one, in an order in which little does.

mod busy;
mod dirty;
mod fresh;
mod settled;

use stend_contract::TargetError;

use crate::observed::Observed;
use crate::probing::Probing;

/// A group of probes: its name, and what it does.
type Group = (
    &'static str,
    fn(&mut Probing<'_>, &mut Observed) -> Result<(), TargetError>,
);

/// The groups, in the order in which each finds the drive as it needs it.
const GROUPS: [Group; 16] = [
    ("reads of space that was never written", fresh::unwritten),
    ("reads of what has just been written", fresh::new_data),
    ("reads and writes at once", fresh::mixed),
    ("the first writes after a rest", fresh::burst),
    (
        "reads by place while a part of the drive is written",
        fresh::map,
    ),
    ("writing after a rest", fresh::emptying),
    ("writing the whole drive", fresh::fill),
    ("reads after a rest", settled::reads),
    (
        "reads at growing depth and in growing spans",
        settled::scaling,
    ),
    ("pairs of reads", settled::pairs),
    ("reads for minutes", busy::long_reads),
    ("flushes and short writes", busy::durable),
    ("TRIM of a part", busy::trim_time),
    ("writing the full drive", settled::full),
    ("random writes", dirty::random),
    ("rests and TRIM after random writes", dirty::after),
];

/// Probes a target in all ways that are known, until `go_on` says no.
pub(crate) fn observe(
    probing: &mut Probing<'_>,
    go_on: &mut dyn FnMut(&str) -> bool,
) -> Result<Observed, TargetError> {
    let mut seen = Observed {
        capacity_bytes: probing.capacity_bytes,
        ..Observed::default()
    };
    let mut ended = false;
    for (name, group) in GROUPS {
        ended = ended || !go_on(name);
        if ended {
            seen.left_out.push(name.to_owned());
        } else {
            group(probing, &mut seen)?;
        }
    }
    Ok(seen)
}

/// Bytes that the groups write at most to a target that cannot be copied.
pub(crate) fn written_bytes_max(capacity_bytes: u64) -> u64 {
    // The first short requests; both directions; the first writes after a rest; the map; the fill;
    // the full drive; random writes; those after rests; before TRIM and after.
    const SIXTY_FOURTHS: u64 = 1 + 2 + 4 + 4 + 64 + 16 + 32 + 2 + 2;
    // Flushes and short writes.
    const FEW_BYTES: u64 = 128 << 20;
    capacity_bytes / 64 * SIXTY_FOURTHS + FEW_BYTES
}

/// Interval of samples for a curve over so many bytes, ms: some thousands of samples at the speed
/// of a SATA link.
fn sample_ms(bytes: u64) -> u32 {
    const SAMPLES: u64 = 4000;
    const BYTES_PER_MS: u64 = 500_000;
    u32::try_from(bytes / BYTES_PER_MS / SAMPLES)
        .unwrap_or(u32::MAX)
        .max(2)
}
