//! The volume of fast writes that a drive recovers in a rest.

use stend_record::review::Series;

use crate::ends::start_level;
use crate::segment::{median, running_median};
use crate::steps::crossing;

/// Greatest ratio of start to end level at which nothing counts as recovered.
const RISEN_RATIO: f64 = 1.25;

/// A curve whose first samples are this multiple of the end level or more begins with a burst of
/// fast writes, however short: [`start_level`] does not see fewer than three samples.
const BURST_RATIO: f64 = 4.0;

/// The volume that a rest recovered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// Bytes written before the curve fell below the threshold; 0 if nothing was recovered.
    pub bytes: u64,
    /// Time at which it fell below, s.
    pub until_s: f64,
    /// True if it fell below; if not, [`Recovery::bytes`] is everything written.
    pub fell: bool,
    /// Speed at the start of the curve, IOPS: its [`start_level`], or the first sample of a burst
    /// shorter than three samples.
    pub iops_initial: f64,
    /// Geometric mean of the start and the end level, IOPS: it has the same ratio to both, so the
    /// rule does not depend on the drive's speed at the start.
    pub iops_threshold: f64,
}

/// Returns the bytes written fast after a rest, see [`Recovery::bytes`].
pub fn recovered_bytes(series: &Series, end_level_iops: f64) -> u64 {
    recovery(series, end_level_iops).map_or(0, |r| r.bytes)
}

/// Returns the volume that a drive, which had fallen to `end_level_iops`, recovered in a rest;
/// `series` is the curve after the rest. `None` if the curve is empty.
///
/// Outliers of up to two samples do not end it (running median of five).
pub fn recovery(series: &Series, end_level_iops: f64) -> Option<Recovery> {
    let samples = &series.samples;
    let last = samples.last()?;
    let iops: Vec<f64> = samples.iter().map(|s| s.iops).collect();
    let five = |from: usize| {
        let to = (from + 5).min(iops.len());
        median(&mut iops[from.min(to)..to].to_vec())
    };
    let iops_initial = start_level(series)?;
    let iops_threshold = threshold(iops_initial, end_level_iops);
    let mut found = Recovery {
        bytes: 0,
        until_s: 0.0,
        fell: true,
        iops_initial,
        iops_threshold,
    };
    if iops_initial < RISEN_RATIO * end_level_iops {
        return Some(burst(series, end_level_iops).unwrap_or(found));
    }
    let smooth = running_median(&iops, 2);
    let fall = smooth.iter().position(|v| *v < iops_threshold);
    found.fell = fall.is_some();
    (found.until_s, found.bytes) = match fall {
        None => (last.t_s, last.written_bytes),
        Some(0) => (0.0, 0),
        Some(index) => {
            let before = median(&mut iops[index.saturating_sub(6)..index - 1].to_vec());
            let before = if index > 1 { before } else { iops[0] };
            let after = five((index + 1).min(iops.len() - 1));
            crossing(samples, series.interval_s, index, before, after)
        }
    };
    Some(found)
}

/// Returns the first samples of a curve that are far above the end level but too few to move its
/// [`start_level`].
fn burst(series: &Series, end_level_iops: f64) -> Option<Recovery> {
    let is_fast = |iops: f64| iops >= BURST_RATIO * end_level_iops.max(1.0);
    let fast = series.samples.iter().take_while(|s| is_fast(s.iops));
    let last = fast.last()?;
    let iops_initial = series.samples.first()?.iops;
    Some(Recovery {
        bytes: last.written_bytes,
        until_s: last.t_s,
        fell: true,
        iops_initial,
        iops_threshold: threshold(iops_initial, end_level_iops),
    })
}

/// Returns the speed that separates fast from slow, IOPS: see [`Recovery::iops_threshold`].
fn threshold(iops_initial: f64, end_level_iops: f64) -> f64 {
    (iops_initial * end_level_iops.max(1.0)).sqrt()
}
