//! The probes: operations on a target that yield the values of [`Observed`].
//!
//! On a target that can be copied, probes that would disturb later ones run on a copy; on a real
//! one, the order of the probes limits disturbance.

mod busy;
mod closer;
mod dirty;
mod fresh;
mod settled;
mod sizes;
mod time;

use stend_load::target::TargetError;

use crate::observed::{Curve, Observed};
use crate::probing::Probing;

/// A group of probes.
struct Group {
    name: &'static str,
    probes: Probes,
    /// Minimum duration on a target that cannot be copied, seconds.
    takes_s: Takes,
    /// True if it needs the full drive.
    of_full: bool,
    /// True if it disturbs the drive so much that it runs only on a copy.
    of_copy: bool,
}

/// All groups, ordered so that each finds the drive in the state that it needs.
#[rustfmt::skip]
const GROUPS: [Group; 17] = [
    empty("unwritten", fresh::unwritten, time::unwritten),
    empty("new-data", fresh::new_data, time::new_data),
    empty("mixed", fresh::mixed, time::mixed),
    empty("burst", fresh::burst, time::burst),
    empty("map", fresh::map, time::map),
    empty("emptying", fresh::emptying, time::none).of_copy(),
    empty("fill", fresh::fill, time::fill),
    full("settled", settled::reads, time::reads),
    full("closer", closer::maps, time::none).of_copy(),
    full("scaling", settled::scaling, time::scaling),
    full("pairs", settled::pairs, time::pairs),
    full("long-reads", busy::long_reads, time::long_reads),
    full("durable", busy::durable, time::durable),
    full("trim-time", busy::trim_time, time::none).of_copy(),
    full("full", settled::full, time::full),
    full("random", dirty::random, time::random),
    full("after", dirty::after, time::after),
];

impl Group {
    const fn of_copy(self) -> Group {
        Group {
            of_copy: true,
            ..self
        }
    }
}

type Probes = fn(&mut Probing<'_>, &mut Observed) -> Result<(), TargetError>;
type Takes = fn(&Probing<'_>, &Observed) -> f64;

const fn empty(name: &'static str, probes: Probes, takes_s: Takes) -> Group {
    Group {
        name,
        probes,
        takes_s,
        of_full: false,
        of_copy: false,
    }
}

const fn full(name: &'static str, probes: Probes, takes_s: Takes) -> Group {
    Group {
        of_full: true,
        ..empty(name, probes, takes_s)
    }
}

/// Probes a target with all groups, until `go_on` returns false, and as far as time permits.
pub(crate) fn observe(
    probing: &mut Probing<'_>,
    go_on: &mut dyn FnMut(&str) -> bool,
) -> Result<Observed, TargetError> {
    let mut seen = Observed {
        capacity_bytes: probing.capacity_bytes,
        ..Observed::default()
    };
    let mut ended = false;
    let copies = probing.copies();
    for group in GROUPS.iter().filter(|group| copies || !group.of_copy) {
        let fits = (group.takes_s)(probing, &seen) <= probing.left_s();
        let can = fits && (seen.fill.is_some() || !group.of_full);
        ended = ended || (can && !go_on(group.name));
        if ended || !can {
            seen.left_out.push(group.name.to_owned());
            continue;
        }
        (group.probes)(probing, &mut seen)?;
        if probing.left_s.is_some() && !is_whole(&seen) {
            seen.fill = None;
            seen.left_out.push(group.name.to_owned());
        }
    }
    Ok(seen)
}

/// True if the fill was not cut off for lack of time.
fn is_whole(seen: &Observed) -> bool {
    let before = sizes::first_bytes_of(seen.capacity_bytes);
    let all = |fill: &Curve| fill.bytes() + before > seen.capacity_bytes / 100 * 99;
    seen.fill.as_ref().is_none_or(all)
}

/// Maximum number of bytes that the groups write to a target that cannot be copied.
pub(crate) fn written_bytes_max(capacity_bytes: u64) -> u64 {
    // The first short requests; both directions; the first writes after a rest; the map; the fill;
    // the full drive; random writes; writes after rests; before and after TRIM.
    const SIXTY_FOURTHS: u64 = 1 + 2 + 4 + 4 + 64 + 16 + 32 + 2 + 2;
    // Flushes and short writes.
    const FEW_BYTES: u64 = 128 << 20;
    capacity_bytes / 64 * SIXTY_FOURTHS + FEW_BYTES
}

/// Interval between samples of a curve over `bytes` bytes, ms: some thousands of samples at the
/// speed of a SATA link.
fn sample_ms(bytes: u64) -> u32 {
    const SAMPLES: u64 = 4000;
    const BYTES_PER_MS: u64 = 500_000;
    u32::try_from(bytes / BYTES_PER_MS / SAMPLES)
        .unwrap_or(u32::MAX)
        .max(2)
}
