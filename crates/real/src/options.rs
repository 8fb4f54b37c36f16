//! How the user wants a target to be opened.

use std::path::PathBuf;

/// How to open a real target.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Bytes under test. Creates a file of that size where there is none; of an existing
    /// file or a device it takes so much from the beginning. Rounded down to 4 KiB.
    pub size_bytes: Option<u64>,
    /// What the user named to allow its destruction: serial numbers of block devices, names of
    /// files.
    pub destroy: Vec<String>,
    /// Asks the user for the name where none is given: shows the text, and returns the line typed,
    /// without its end; `None` where nothing was typed. Without it the target is refused.
    pub ask: Option<fn(&str) -> Option<String>>,
    /// Open for reading alone.
    pub read_only: bool,
    /// Bytes that the run will write, for the table shown before the serial number is
    /// demanded; `None` when not known.
    pub planned_write_bytes: Option<u64>,
    /// Time for which it will also write as fast as the device can, s; for the same table.
    pub planned_writing_s: Option<f64>,
    /// Time that loads and rests take, s, without the time of `planned_write_bytes`; for the same
    /// table.
    pub planned_s: Option<f64>,
    /// Folder for job files, fio's answers and logs while a job runs; each job uses and
    /// removes a folder of its own in it. The system's folder for temporary files if
    /// `None`.
    pub runtime_dir: Option<PathBuf>,
    /// The fio to use; if `None`, that of the variable [`FIO_VARIABLE`](crate::FIO_VARIABLE), or
    /// the first in `PATH`.
    pub fio_path: Option<PathBuf>,
}
