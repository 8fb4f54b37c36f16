//! Sizes that several probes share.

use crate::probing::Probing;

/// The part of the drive that is written in short requests first.
pub(super) fn first_bytes(probing: &Probing<'_>) -> u64 {
    first_bytes_of(probing.capacity_bytes)
}

/// The same of a drive of this capacity.
pub(super) fn first_bytes_of(capacity_bytes: u64) -> u64 {
    const MOST_BYTES: u64 = 256 << 20;
    (capacity_bytes / 64).min(MOST_BYTES)
}

/// Parts of a map of reads.
pub(super) const MAP_PARTS: u64 = 256;

/// Bytes of the first writes after a rest.
pub(super) const BURST_BYTES: u64 = 256 << 20;
