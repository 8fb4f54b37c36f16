//! Horizontal bars in named groups, one a drive in each.

use crate::chart::{Axis, Chart, ChartKind, Coordinate, Role, Scale, Trace};
use crate::drive::Drive;
use crate::number;

/// A bar: where it ends on the axis, and what stands beside it.
pub struct Bar {
    /// On the axis.
    pub at: f64,
    /// With its unit.
    pub text: String,
}

impl Bar {
    /// A bandwidth, on an axis of [`mb_per_s`].
    pub fn mb_per_s(bytes_per_s: f64) -> Bar {
        Bar {
            at: bytes_per_s / 1e6,
            text: number::mb_per_s(bytes_per_s),
        }
    }
}

/// An axis of bandwidth; `what` follows the unit.
pub fn mb_per_s(what: &str) -> Axis {
    Axis::new(&format!("MB/s{what} (MB = 10⁶ bytes)"), "MB/s")
}

/// The chart of `groups`; `bar` gives that of a drive, by its slot, in the nth group, where it
/// has one.
pub fn draft(
    title: String,
    x: Axis,
    groups: &[String],
    drives: &[Drive<'_>],
    bar: impl Fn(usize, usize) -> Option<Bar>,
) -> Chart {
    let traces = drives.iter().enumerate().map(|(slot, drive)| {
        let bars = (0..groups.len()).map(|group| bar(slot, group));
        let parts = bars.map(|bar| match bar {
            Some(bar) => (Coordinate::rounded(bar.at), bar.text),
            None => (Coordinate::Gap(()), String::new()),
        });
        let (x, labels): (Vec<_>, Vec<_>) = parts.unzip();
        Trace::own(
            drive.label.clone(),
            slot,
            Role::Bar,
            x,
            groups.iter().cloned().map(Coordinate::Name),
        )
        .labelled(labels)
    });
    Chart {
        title,
        kind: ChartKind::Bars,
        // A bar of 22 pixels, gaps between groups, the axis and the legend.
        height_px: 120 + 22 * (groups.len() * drives.len()) as u32 + 16 * groups.len() as u32,
        wide: true,
        x,
        y: Axis {
            scale: Scale::Category,
            ..Axis::default()
        },
        traces: traces.collect(),
        ..Chart::default()
    }
}
