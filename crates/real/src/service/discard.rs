//! TRIM of a block device.

use std::path::Path;

use crate::process::tools;
use stend_load::target::TargetError;

/// TRIMs a range of a block device with `BLKDISCARD`, in steps of a given number of bytes.
///
/// The call needs code that Rust counts as unsafe, so util-linux's `blkdiscard` makes it.
/// `--force` only skips its own exclusive open: the device is held exclusively already,
/// by this process.
pub(crate) fn discard(
    path: &Path,
    offset_bytes: u64,
    len_bytes: u64,
    step_bytes: u64,
) -> Result<(), TargetError> {
    let path_of_tools = tools::search_path();
    let blkdiscard = tools::needed("blkdiscard", "util-linux", "TRIMs a device", &path_of_tools)?;
    let said = tools::run(
        tools::command(&blkdiscard)
            .arg("--force")
            .args(["--offset", &offset_bytes.to_string()])
            .args(["--length", &len_bytes.to_string()])
            .args(["--step", &step_bytes.to_string()])
            .arg(path),
    )?;
    if said.status.success() {
        return Ok(());
    }
    // blkdiscard prints this line because of `--force`, whatever the result of the TRIM.
    let lines = said.stderr.lines();
    let words: Vec<&str> = lines
        .filter(|line| !line.contains("Operation forced"))
        .collect();
    Err(TargetError::Failed(format!(
        "TRIM of {} failed ({}): {}",
        path.display(),
        tools::ending(said.status),
        words.join("; ")
    )))
}
