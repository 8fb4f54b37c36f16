//! Units of published figures.

/// Physical quantity of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes per second.
    Bandwidth,
    /// Requests per second.
    Rate,
    /// Seconds.
    Time,
    /// Watts.
    Power,
    /// Bytes.
    Size,
}

/// A unit as it is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Name as printed.
    pub name: &'static str,
    /// Quantity that it measures.
    pub quantity: Quantity,
    /// Size in base units of the quantity (bytes per second, requests per second, s, W, bytes).
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
    unit("s", Quantity::Time, 1.0),
    unit("ms", Quantity::Time, 1e-3),
    unit("us", Quantity::Time, 1e-6),
    unit("W", Quantity::Power, 1.0),
    unit("mW", Quantity::Power, 1e-3),
    unit("GB", Quantity::Size, 1e9),
    unit("GiB", Quantity::Size, 1_073_741_824.0),
    unit("MB", Quantity::Size, 1e6),
];
