//! Sums over requests, to compare the model with the observed requests of a kernel.

use serde::{Deserialize, Serialize};
use stend_base::Op;

/// Upper ends of the classes of sizes, KiB; the last class contains all larger ones.
pub const CLASSES_KIB: [u64; 6] = [4, 32, 127, 128, 1024, u64::MAX >> 10];

/// Requests to a drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Reads.
    pub reads: Direction,
    /// Writes.
    pub writes: Direction,
    /// Flushes.
    pub flushes: u64,
}

/// One direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// Requests.
    pub requests: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Requests that begin where the one before of their direction ended.
    pub sequential: u64,
    /// Bytes by size of request, in the classes of [`CLASSES_KIB`].
    pub bytes_by_class: [u64; 6],
    /// End of the last request.
    #[serde(skip)]
    end: Option<u64>,
}

impl Summary {
    /// Adds a request.
    pub fn add(&mut self, op: Op, offset_bytes: u64, len_bytes: u64) {
        match op {
            Op::Read => self.reads.add(offset_bytes, len_bytes),
            Op::Write => self.writes.add(offset_bytes, len_bytes),
            Op::Flush => self.flushes += 1,
            Op::Trim => {}
        }
    }
}

impl Direction {
    fn add(&mut self, offset_bytes: u64, len_bytes: u64) {
        self.requests += 1;
        self.bytes += len_bytes;
        let end = self.end.replace(offset_bytes + len_bytes);
        self.sequential += u64::from(end == Some(offset_bytes));
        let class = CLASSES_KIB
            .iter()
            .position(|most| len_bytes <= most << 10)
            .unwrap_or(CLASSES_KIB.len() - 1);
        self.bytes_by_class[class] += len_bytes;
    }

    /// Share of the bytes in a class.
    pub fn share(&self, class: usize) -> f64 {
        self.bytes_by_class[class] as f64 / self.bytes.max(1) as f64
    }

    /// Share of the requests that begin where the one before ended.
    pub fn sequential_share(&self) -> f64 {
        self.sequential as f64 / self.requests.max(1) as f64
    }
}
