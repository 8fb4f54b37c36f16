//! What a drive recovers in the rests of a recovery ladder.

use serde::{Deserialize, Serialize};

/// One rest of a recovery ladder, and what the drive recovered in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// Name of its curve in the test's `series`.
    pub name: String,
    /// How long the target rested, s.
    pub idle_s: f64,
    /// Whether its whole capacity was given TRIM before the rest.
    pub trim: bool,
    /// Where the curve after the rest starts, IOPS: the median of its first five samples.
    pub iops_start: f64,
    /// Bytes written before the curve fell below the geometric mean of its start and of
    /// the end level of the fresh curve; 0 when nothing was recovered.
    pub recovered_bytes: u64,
    /// Whether it fell below; if not, `recovered_bytes` is all that was written.
    pub fell: bool,
}
