//! Options for opening a target.

use std::path::PathBuf;

/// Options for opening a real target.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Bytes under test. A missing file is created with this size; of an existing file or a device,
    /// this many bytes from the beginning are used. Rounded down to 4 KiB.
    pub size_bytes: Option<u64>,
    /// Names by which the user permits destruction: serial numbers of block devices, names of
    /// files.
    pub destroy: Vec<String>,
    /// Asks the user for the name if none was given: shows the text, and returns the line typed,
    /// without its end; `None` if nothing was typed. Without this function the target is refused.
    pub ask: Option<fn(&str) -> Option<String>>,
    /// Receives a line whenever the target has answered nothing for long, while a job runs on it,
    /// and when it answers again. Without this function only the results mention it.
    pub report: Option<fn(&str)>,
    /// Open for reading only.
    pub read_only: bool,
    /// Bytes that the run will write, for the table shown before the serial number is required;
    /// `None` if unknown.
    pub planned_write_bytes: Option<u64>,
    /// Additional time of writing as fast as the device can, s; for the same table.
    pub planned_writing_s: Option<f64>,
    /// Total time of loads and rests, s, without the time of `planned_write_bytes`; for the same
    /// table.
    pub planned_s: Option<f64>,
    /// Folder for job files, fio's answers and logs while a job runs; each job creates and removes
    /// its own folder in it. `None` selects the system's folder for temporary files.
    pub runtime_dir: Option<PathBuf>,
    /// The fio to use; `None` selects the one in the variable
    /// [`FIO_VARIABLE`](crate::FIO_VARIABLE), or the first in `PATH`.
    pub fio_path: Option<PathBuf>,
}
