//! Further probes of the empty drive, closer to the end of its cache.

use stend_load::target::TargetError;

use super::fresh::{read_map, read_parts};
use super::sample_ms;
use super::sizes::first_bytes;
use crate::ends::{first_step, new_bytes};
use crate::observed::Observed;
use crate::probing::{Probe, Probing};

/// Bytes written for closer maps, as multiples of the new data in an earlier map. If the oldest
/// data leaves the cache for the newest, these leave the cache more or less full.
const CLOSER_RATIOS: [f64; 3] = [1.25, 1.43, 1.62];

/// Share of its speed at which the cache is written once more, or the geometric mean of its speed
/// and the speed behind it if that is more; and the bytes written, as a multiple of those that it
/// took.
const SLOWER_SHARE: f64 = 0.5;
const SLOWER_BYTES_RATIO: f64 = 2.2;

/// Share of a map's parts that must be read like new data for the whole map to count as such.
const ALL_SHARE: f64 = 0.98;

/// Number of steps between a map that was read like new data and one that was not; each halves the
/// unknown range.
const HALVINGS: u32 = 3;

/// Requires the saved copy of the empty drive, and reads of new data and of old data.
pub(super) fn maps(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let first = first_bytes(probing);
    if let Some(step) = first_step(seen) {
        let bytes = step.bytes as u64;
        seen.end_map = probing.earlier(|copy| {
            copy.run(&Probe::ascending("write").within(first, bytes))?;
            read_parts(copy, first + bytes)
        })?;
        let more = (SLOWER_BYTES_RATIO * step.bytes) as u64;
        let more = more.min(probing.capacity_bytes - first);
        let rate = step.fast * (step.slow / step.fast).sqrt().max(SLOWER_SHARE);
        seen.slower_fill = probing.earlier(|copy| {
            let writes = Probe::ascending("write").within(first, more);
            copy.curve(&writes.option("rate", rate as u64), sample_ms(more))
        })?;
    } else {
        by_maps(probing, seen)?;
    }
    probing.forget();
    Ok(())
}

fn by_maps(probing: &mut Probing<'_>, seen: &mut Observed) -> Result<(), TargetError> {
    let maps = seen.maps.iter();
    let maps = maps.map(|map| Some((map.written_bytes as f64, new_bytes(seen, map)?)));
    let maps: Option<Vec<_>> = maps.collect();
    let Some([before @ .., (written, new)]) = maps.as_deref() else {
        return Ok(());
    };
    let mut least = before.last().map_or(0.0, |(written, _)| *written);
    let mut most = *written;
    if *new > least && *new < ALL_SHARE * most {
        for ratio in CLOSER_RATIOS {
            let bytes = (ratio * new).min(most) as u64;
            let map = probing.earlier(|copy| read_map(copy, bytes))?;
            seen.closer_maps.extend(map);
        }
        return Ok(());
    }
    if *new >= ALL_SHARE * most {
        (least, most) = (most, probing.capacity_bytes as f64);
    }
    for _ in 0..if least > 0.0 { HALVINGS } else { 0 } {
        let bytes = f64::midpoint(least, most);
        let Some(map) = probing.earlier(|copy| read_map(copy, bytes as u64))? else {
            return Ok(());
        };
        let new = new_bytes(seen, &map).unwrap_or(0.0);
        match new >= ALL_SHARE * bytes {
            true => least = bytes,
            false => most = bytes,
        }
        seen.closer_maps.push(map);
    }
    Ok(())
}
