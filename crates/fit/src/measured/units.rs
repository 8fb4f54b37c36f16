//! Units of published figures.

use stend_analysis::Unit as Base;

/// A unit as it is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Name as printed.
    pub name: &'static str,
    /// Unit of the values that metrics have.
    pub base: Base,
    /// Size in that unit.
    pub in_base: f64,
}

const fn unit(name: &'static str, base: Base, in_base: f64) -> Unit {
    Unit {
        name,
        base,
        in_base,
    }
}

/// All units that a row may use.
pub const UNITS: [Unit; 11] = [
    unit("MB/s", Base::BytesPerS, 1e6),
    unit("MiB/s", Base::BytesPerS, 1_048_576.0),
    unit("IOPS", Base::Iops, 1.0),
    unit("s", Base::Nanoseconds, 1e9),
    unit("ms", Base::Nanoseconds, 1e6),
    unit("us", Base::Nanoseconds, 1e3),
    unit("W", Base::Watts, 1.0),
    unit("mW", Base::Watts, 1e-3),
    unit("GB", Base::Bytes, 1e9),
    unit("GiB", Base::Bytes, 1_073_741_824.0),
    unit("MB", Base::Bytes, 1e6),
];
