//! `stend drive`: shows health and activity of a drive, real or simulated, and changes the drive.

mod done;
mod harm;
mod health;
mod monitor;
mod readings;
mod real;
#[cfg(feature = "screen")]
mod screen;
mod served;
mod simulated;

use std::path::Path;

use crate::args::{DriveArgs, DriveCommand};
use crate::failure::Failure;
use crate::open::is_simulated;

pub use simulated::apply;

pub fn run(args: &DriveArgs) -> Result<(), Failure> {
    let json = args.json;
    let target = args.command.target();
    if served::is_socket(target) {
        return served::run(target, &args.command, json);
    }
    match &args.command {
        DriveCommand::Health { target, rated } if is_real(target) || is_nvme_controller(target) => {
            health::real(target, *rated, json)
        }
        DriveCommand::Health { target, rated } => health::simulated(target, *rated, json),
        DriveCommand::Monitor(args) => monitor::run(args, json),
        DriveCommand::PowerOn { .. }
        | DriveCommand::Snapshot { .. }
        | DriveCommand::Idle { .. }
        | DriveCommand::Status { .. } => Err(served::not_served(target)),
        other if is_real(target) => real::run(target, other, json),
        other => simulated::run(other, json),
    }
}

/// True if a path is the character device of an NVMe controller (`/dev/nvme0`), which reports
/// health and has no blocks.
fn is_nvme_controller(name: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let path = Path::new(name);
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    file_name.starts_with("nvme")
        && path
            .metadata()
            .is_ok_and(|meta| meta.file_type().is_char_device())
}

/// True if a path is a block device, or a file that holds no simulated drive.
fn is_real(name: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = Path::new(name).metadata().map(|meta| meta.file_type());
    !is_simulated(name) && kind.is_ok_and(|kind| kind.is_file() || kind.is_block_device())
}
