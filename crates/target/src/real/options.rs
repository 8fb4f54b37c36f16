//! How a real target is opened.

use std::path::PathBuf;

/// How to open a real target.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Bytes under test. Creates a file of that size where there is none; of an existing
    /// file or a device it takes so much from the beginning. Rounded down to 4 KiB.
    pub size_bytes: Option<u64>,
    /// The serial number that the user typed to allow a block device's destruction.
    pub destroy_serial: Option<String>,
    /// Asks the user for the serial number where none is given: shows the text, and returns
    /// the line typed, without its end; `None` where nothing was typed. Without it the device
    /// is refused.
    pub ask_serial: Option<fn(&str) -> Option<String>>,
    /// Open for reading alone.
    pub read_only: bool,
    /// Bytes that the run will write, for the table shown before the serial number is
    /// demanded; `None` when not known.
    pub planned_write_bytes: Option<u64>,
    /// Time for which it will write besides, as much as the device takes, s; for the same
    /// table.
    pub planned_writing_s: Option<f64>,
    /// Time that loads and rests take, s: what is written in full takes its own time besides;
    /// for the same table.
    pub planned_s: Option<f64>,
    /// Folder for job files, fio's answers and logs while a job runs; each job uses and
    /// removes a folder of its own in it. The system's folder for temporary files if
    /// `None`.
    pub runtime_dir: Option<PathBuf>,
    /// The fio to use; if `None`, that of the variable [`FIO_VARIABLE`](super::FIO_VARIABLE), or
    /// the first in `PATH`.
    pub fio_path: Option<PathBuf>,
}
