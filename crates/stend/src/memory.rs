//! Number of drives that the machine has memory to simulate at the same time.

use std::fs;
use std::num::NonZero;

/// Memory of a drive that was entirely written at random, per logical page of 4 KiB: the tables L2P
/// and P2L with spare capacity, the valid bits, and a small remainder.
const DRIVE_BYTES_PER_PAGE: u64 = 10;

/// Drives kept in memory beside those under test: states from which tests start.
const KEPT_DRIVES: u64 = 2;

/// Memory of a simulation of a drive of this capacity, bytes.
fn drive_bytes(capacity_bytes: u64) -> u64 {
    (capacity_bytes / 4096 * DRIVE_BYTES_PER_PAGE).max(1)
}

/// Number of simulations, at most `wanted` and at least one, of drives of at most this capacity
/// that fit into `available` bytes of memory.
fn fitting(wanted: usize, capacity_bytes: u64, available: u64) -> usize {
    let drives = (available / drive_bytes(capacity_bytes)).saturating_sub(KEPT_DRIVES);
    wanted
        .min(usize::try_from(drives).unwrap_or(usize::MAX))
        .max(1)
}

/// Number of processors of this machine.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// As [`fitting`], with the memory of this machine; `wanted` if the available memory is unknown.
pub fn simulations_that_fit(wanted: usize, capacity_bytes: u64) -> usize {
    available_bytes().map_or(wanted, |available| {
        fitting(wanted, capacity_bytes, available)
    })
}

/// True if this machine has memory for `reviews` reviews side by side, with `simulations`
/// simulations of drives of at most this capacity in all. True also if the available memory is
/// unknown.
pub fn reviews_fit(reviews: u64, simulations: usize, capacity_bytes: u64) -> bool {
    let drives = reviews * KEPT_DRIVES + simulations as u64;
    available_bytes().is_none_or(|available| drives * drive_bytes(capacity_bytes) <= available)
}

/// Memory that can be used without swapping, bytes; known only on Linux.
fn available_bytes() -> Option<u64> {
    bytes_in("/proc/meminfo", "MemAvailable")
}

/// Bytes in the line `name` of a kernel file.
pub fn bytes_in(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    // The kernel's kB are KiB.
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn large_drives_are_simulated_one_after_another() {
        let (small, large) = (240_000_000_000, 8_000_000_000_000);
        assert_eq!(fitting(2, small, 20 * GIB), 2);
        assert_eq!(fitting(16, small, 8 * GIB), 12);
        assert_eq!(fitting(16, small, GIB), 1);
        assert_eq!(fitting(2, large, 20 * GIB), 1);
        assert_eq!(fitting(2, large, 80 * GIB), 2);
        assert_eq!(fitting(3, 0, 0), 1);
    }

    #[test]
    fn linux_tells_how_much_memory_is_available() {
        if cfg!(target_os = "linux") {
            assert!(available_bytes().is_some_and(|bytes| bytes > 1 << 20));
            assert!(reviews_fit(2, 2, 1_000_000));
            assert!(!reviews_fit(2, 2, 1 << 60));
        }
    }
}
