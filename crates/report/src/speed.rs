//! Speeds in both units: the one by which a test is judged, and the other below it.

use stend_analysis::Metric;
use stend_language::say;

use crate::chart::Axis;
use crate::number;
use crate::view::Cell;

/// Returns the axis of a metric.
pub fn axis(metric: Metric) -> Axis {
    match metric {
        Metric::Iops => Axis::new(&say("axis-iops"), "IOPS"),
        Metric::Bandwidth => Axis::new(&say("axis-mb-per-s"), "MB/s"),
    }
}

/// Returns the position on [`axis`] of a speed in requests and in bytes a second.
pub fn on_axis(metric: Metric, (iops, bw_bytes_per_s): (f64, f64)) -> f64 {
    match metric {
        Metric::Iops => iops,
        Metric::Bandwidth => bw_bytes_per_s / 1e6,
    }
}

/// Formats a speed in requests and in bytes a second, the unit of the metric first.
pub fn cell(metric: Metric, speed: (f64, f64)) -> Cell {
    let (iops, bw_bytes_per_s) = speed;
    let (iops, bw) = (number::iops(iops), number::mb_per_s(bw_bytes_per_s));
    let cell = match metric {
        Metric::Iops => Cell::noted(iops, bw),
        Metric::Bandwidth => Cell::noted(bw, iops),
    };
    cell.more(on_axis(metric, speed))
}
