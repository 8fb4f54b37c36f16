//! A real file or block device, tested by fio.
//!
//! [`open`] decides if the target may be touched:
//!
//! - A **regular file** is created at the requested size, with its space reserved. An existing file
//!   is used if stend made it and nobody has written to it since, or if the user names it once
//!   more; never while others use it. Its content is overwritten, it never grows, and nothing else
//!   is touched. A new file holds no data: until it has been written, reads of it do not reach the
//!   drive, so fill it first.
//! - A **directory** gets a fresh subdirectory, with a file in it as above; work on files takes
//!   place beside that file. The subdirectory is removed at the end. Nothing else in the directory
//!   is touched.
//! - A **block device** is claimed only when nothing uses it (mounts, swap, holders,
//!   partitions, signatures, another's exclusive open, the running system's disk), and only on
//!   its serial number, typed by the user. Devices without one are
//!   named `loop:FILE` (loop devices, by the name of the backing file), `dm:NAME` (device
//!   mapper) or `device:NAME` (by the kernel's name); the refusal says which. While the
//!   target lives it holds the device exclusively.
//!
//! With [`OpenOptions::read_only`] these checks are skipped, because nothing can be lost: a file or
//! device is opened for reading, not exclusively, even while others use it; writes are refused
//! first by stend and then by fio (`--readonly`).
//!
//! The I/O is direct: a file system without it is refused, because the machine's memory would be
//! measured.

mod files;
mod fio;
#[cfg(test)]
mod fuzz;
mod options;
mod probe;
mod process;
mod safety;
mod service;
mod target;

pub use crate::fio::program::FIO_VARIABLE;
pub use crate::options::OpenOptions;
pub use crate::probe::activity::{Watch, watch};
pub use crate::probe::file::GRAIN_BYTES;
pub use crate::probe::health::of_document as health_of;
pub use crate::probe::smartctl;
pub use crate::safety::consent::quoted;
pub use crate::safety::device_claim::{RATING_UNKNOWN, life_percent};
pub use crate::safety::preview::{Seen, look};
pub use crate::service::{EraseMethod, Erasing, Trimmed, erase, set_write_cache, trim};
pub use crate::target::{FioTarget, check_job, device_bytes, open};

/// Ends the programs that run for real targets, waits until their temporary folders are removed,
/// removes the folders of targets, marks their files, and prevents new programs from starting. For
/// a process that is about to exit: every later run on a real target fails.
pub fn stop_programs() {
    process::running::stop();
    safety::file_mark::put_all();
}
