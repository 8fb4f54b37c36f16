//! How much fast writing a drive recovers in a rest.

use stend_record::review::Series;

use crate::ends::start_level;
use crate::segment::{median, running_median};
use crate::steps::crossing;

/// A curve that does not start above this multiple of the end level starts at it:
/// nothing was recovered.
const RISEN_RATIO: f64 = 1.25;

/// A curve that begins with samples of this multiple of the end level or more begins with a burst
/// of fast writes, however soon it is over: the [`start_level`] does not see less than three.
const BURST_RATIO: f64 = 4.0;

/// What was recovered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// Bytes written before the curve fell below the threshold; 0 when nothing was recovered.
    pub bytes: u64,
    /// When it fell below, s.
    pub until_s: f64,
    /// Whether it fell below at all; if not, [`Recovery::bytes`] is all that was written.
    pub fell: bool,
    /// Where the curve starts, IOPS: its [`start_level`], or the first sample of a burst that is
    /// over before three samples are.
    pub iops_initial: f64,
    /// The geometric mean of where it starts and of the end level, IOPS: the same ratio to both, so
    /// that it does not depend on how fast the drive starts.
    pub iops_threshold: f64,
}

/// Bytes written fast after a rest, see [`Recovery::bytes`].
pub fn recovered_bytes(series: &Series, end_level_iops: f64) -> u64 {
    recovery(series, end_level_iops).map_or(0, |r| r.bytes)
}

/// What a drive that had come down to `end_level_iops` recovered in a rest; `series` is
/// the curve after the rest. `None` of an empty one.
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

/// The first samples of a curve that are far above the end level, where they are too few to move
/// its [`start_level`].
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

/// Between fast and not, IOPS: see [`Recovery::iops_threshold`].
fn threshold(iops_initial: f64, end_level_iops: f64) -> f64 {
    (iops_initial * end_level_iops.max(1.0)).sqrt()
}
