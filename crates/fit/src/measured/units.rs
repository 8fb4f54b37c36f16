//! Units of published figures.

use stend_experiment::Metric;

/// Physical quantity of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes per second.
    Bandwidth,
    /// Requests per second.
    Rate,
    /// Nanoseconds.
    Time,
    /// Watts.
    Power,
    /// Bytes.
    Size,
}

impl Quantity {
    /// Quantity of a metric; `None` if no unit of published figures measures it.
    pub(crate) fn of(metric: &Metric) -> Option<Quantity> {
        Some(match metric {
            Metric::Bandwidth(_) | Metric::BandwidthMin => Quantity::Bandwidth,
            Metric::Iops(_) | Metric::IopsEnd => Quantity::Rate,
            Metric::Latency(..) | Metric::Period => Quantity::Time,
            Metric::Power => Quantity::Power,
            Metric::Bytes(_) | Metric::FallBytes => Quantity::Size,
            Metric::WriteAmplification | Metric::Elapsed | Metric::Energy | Metric::Counter(_) => {
                return None;
            }
        })
    }
}

/// A unit as it is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Name as printed.
    pub name: &'static str,
    /// Quantity that it measures.
    pub quantity: Quantity,
    /// Size in base units of the quantity (bytes per second, requests per second, ns, W, bytes).
    pub in_base: f64,
}

const fn unit(name: &'static str, quantity: Quantity, in_base: f64) -> Unit {
    Unit {
        name,
        quantity,
        in_base,
    }
}

/// All units that a row may use.
pub const UNITS: [Unit; 11] = [
    unit("MB/s", Quantity::Bandwidth, 1e6),
    unit("MiB/s", Quantity::Bandwidth, 1_048_576.0),
    unit("IOPS", Quantity::Rate, 1.0),
    unit("s", Quantity::Time, 1e9),
    unit("ms", Quantity::Time, 1e6),
    unit("us", Quantity::Time, 1e3),
    unit("W", Quantity::Power, 1.0),
    unit("mW", Quantity::Power, 1e-3),
    unit("GB", Quantity::Size, 1e9),
    unit("GiB", Quantity::Size, 1_073_741_824.0),
    unit("MB", Quantity::Size, 1e6),
];
