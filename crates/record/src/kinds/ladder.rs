//! Recovery of a drive in the rests of a recovery ladder.

use serde::{Deserialize, Serialize};

use super::curve::read_name;

use super::curve::Series;

/// Results of a recovery ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ladder {
    /// The fresh curve, and then that of each rest, in the order of `rungs`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// Recovery of the drive in each rest.
    pub rungs: Vec<Rung>,
}

/// One rest of a recovery ladder, and the drive's recovery in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// Name of its curve in the test's `series`.
    #[serde(deserialize_with = "read_name")]
    pub name: String,
    /// Duration of the rest, s.
    pub idle_s: f64,
    /// True if TRIM of the whole capacity preceded the rest.
    pub trim: bool,
    /// Start of the curve after the rest, IOPS: the median of its first five samples.
    pub iops_start: f64,
    /// Bytes written before the curve fell below the geometric mean of its start and of the end
    /// level of the fresh curve; 0 if nothing was recovered.
    pub recovered_bytes: u64,
    /// True if it fell below; otherwise `recovered_bytes` is all that was written.
    pub fell: bool,
}
