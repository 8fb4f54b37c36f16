//! Thresholds and intervals that several properties share.
//!
//! A threshold marked "Assumed" has no source. It was chosen with the shipped models, and the blind
//! trial (`docs/identify.md`) tests it on random ones.

/// If the same reads vary by more than this share, their times are not used: the variation would
/// hide the smallest difference that is looked for (`FASTER_SHARE`).
pub(super) const NOISE_MAX: f64 = 0.06;

/// A difference counts if it exceeds the variation of the same reads this many times. Assumed: a
/// smaller factor takes the noise of a busy machine for a mechanism, a larger one misses mechanisms
/// of little effect.
pub(super) const NOISE_TIMES: f64 = 3.0;

/// Ratio by which the work of one rest must exceed that of another to count as more. Assumed: below
/// it lies the chance of the moment at which a rest interrupts the work; a larger ratio misses work
/// that is slow.
pub(super) const MORE_WORK_RATIO: f64 = 1.2;

/// If the interval of a size or a time reaches further than this share of the value, only a range
/// is known. Assumed: a smaller share makes more values ranges, a larger one hides their error.
pub(super) const REACH: f64 = 0.1;

/// Ends of an interval, as ratios of the value.
pub(super) type Ends = (f64, f64);

/// Ends for a mean that was measured directly. Assumed: its variation from one measurement to the
/// next; wider ends say less.
pub(super) const MEAN_ENDS: Ends = (0.97, 1.03);

/// Ends for the quotient of two observations, or the slope of a line through few. Assumed: a
/// quarter, as neither observation is exact.
pub(super) const QUOTIENT_ENDS: Ends = (0.8, 1.25);

/// Interval with these ends around a value.
pub(super) fn around(value: f64, (low, high): Ends) -> (f64, f64) {
    (low * value, high * value)
}
