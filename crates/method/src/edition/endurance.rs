//! Writing until the target refuses, as an edition asks for it.

use super::Load;

/// Rounds of writes until one is refused, or until as much is written as the user allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Endurance {
    /// Index in [`Edition::states`](super::Edition::states) of the state it starts from.
    pub state: usize,
    /// The writes.
    pub load: Load,
    /// How many times the capacity a round writes, after which the target is asked for its
    /// health.
    pub drive_writes_per_round: u32,
}

impl Endurance {
    /// The bytes that the writes go to, on a target of this capacity: whole requests.
    pub fn range_bytes(&self, capacity_bytes: u64) -> u64 {
        capacity_bytes / self.load.block_bytes * self.load.block_bytes
    }

    /// Bytes of a whole round.
    pub fn round_bytes(&self, capacity_bytes: u64) -> u64 {
        self.range_bytes(capacity_bytes)
            .saturating_mul(self.drive_writes_per_round.into())
    }
}
