//! Arguments of `stend drive`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::values;

/// Arguments of `stend drive`.
#[derive(Debug, Args)]
pub struct DriveArgs {
    /// Action.
    #[command(subcommand)]
    pub command: DriveCommand,

    /// Print JSON on stdout.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Actions on a drive.
#[derive(Debug, Subcommand, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum DriveCommand {
    /// Print the drive's health (SMART), and what is left of its rated life; with --json, in the
    /// format of `smartctl -j`.
    Health {
        /// A simulated drive's file, or a block device (through smartctl).
        target: String,
        /// Rated bytes written (TBW, on the data sheet), such as 72TB. Suffixes:
        /// K … T and KiB … TiB (binary), KB … TB (decimal). Of a simulated drive, in place of
        /// what its model says.
        #[arg(long, value_name = "SIZE", value_parser = values::rating)]
        rated: Option<u64>,
    },
    /// TRIM the drive, or a part of it; the data there is lost.
    ///
    /// A block device must not be in use or hold a file system, and needs its serial number. Of a
    /// regular file, the space is freed in its file system.
    Trim {
        /// A simulated drive's file, a block device, or another file.
        target: String,
        /// First byte of the range. Suffixes: K … T and KiB … TiB (binary), KB … TB (decimal).
        #[arg(long, value_name = "SIZE", value_parser = values::size, default_value = "0")]
        offset: u64,
        /// Length of the range. Default: up to the end.
        #[arg(long, alias = "size", value_name = "SIZE", value_parser = values::size)]
        length: Option<u64>,
        /// Destroy that range of the block device with this serial number, or of the file with
        /// this name.
        #[arg(long, value_name = "SERIAL")]
        destroy: Vec<String>,
    },
    /// Erase the whole drive by its own command: Format NVM (nvme) or ATA Security Erase Unit
    /// (hdparm) on a real drive.
    ///
    /// A method that the drive does not report is rejected; the message lists those that it
    /// reports. A sanitize of an NVMe drive erases all its namespaces: none may be in use, and each
    /// other one needs --destroy device:NAME as well. stend waits for the end, and a drive goes on
    /// without it.
    Erase {
        /// A simulated drive's file, or a block device.
        target: String,
        /// Cryptographic erase: discard the key, so that no data can be read; flash is erased
        /// later. Of NVMe drives by Format NVM, else by Sanitize; of SATA drives by CRYPTO
        /// SCRAMBLE EXT.
        #[arg(long)]
        crypto: bool,
        /// Erase by a sanitize command: all blocks, or the key with --crypto; also what is in
        /// caches and in flash that the host cannot address.
        #[arg(long)]
        sanitize: bool,
        /// Destroy everything on the block device with this serial number. May be given several
        /// times.
        #[arg(long, value_name = "SERIAL")]
        destroy: Vec<String>,
    },
    /// Change the over-provisioning of an empty simulated drive.
    Overprovision {
        /// The drive's file. For a real drive, the command explains how to do it.
        target: String,
        /// Capacity that the host can address, at most that of the model. Suffixes: K … T and KiB …
        /// TiB (binary), KB … TB (decimal).
        #[arg(long, value_name = "SIZE", value_parser = values::size)]
        user_bytes: u64,
    },
    /// Switch the volatile write cache on or off.
    WriteCache {
        /// A simulated drive's file, or a block device (through hdparm or nvme).
        target: String,
        /// On or off.
        #[arg(value_enum)]
        state: OnOff,
    },
    /// Let the data of a simulated drive age without power.
    Age {
        /// The drive's file.
        target: String,
        /// Days without power.
        #[arg(long, value_name = "N", value_parser = values::days)]
        days: f64,
        /// Temperature meanwhile, °C: data ages as the law of Arrhenius says, with the activation
        /// energy of JESD218; the model's figures hold at 30 °C.
        #[arg(long, value_name = "T", value_parser = values::celsius, default_value_t = 30.0)]
        celsius: f64,
    },
    /// Let a die of a simulated drive fail: nothing on it can be read any more.
    FailDie {
        /// The drive's file.
        target: String,
        /// Number of the die, from 0.
        #[arg(long, value_name = "N", value_parser = values::whole::<u32>)]
        die: u32,
    },
    /// Cut the power of a simulated drive: what was not durable is lost. One in a file is turned on
    /// again.
    ///
    /// A served drive stays off until `power-on`, and its clients are disconnected.
    PowerCut {
        /// The drive's file, or the control socket of a served one.
        target: String,
        /// Of a served drive: cut the power after N further operations of the flash.
        #[arg(long, value_name = "N", conflicts_with = "after_writes")]
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        at_flash_event: Option<u64>,
        /// Of a served drive: cut the power after N further writes have been answered.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        after_writes: Option<u64>,
    },
    /// Turn the power of a served drive on: its commands wait until it has recovered.
    PowerOn {
        /// The control socket.
        target: String,
    },
    /// Write the state of a served drive to a new file, when no request is under way.
    Snapshot {
        /// The control socket.
        target: String,
        /// The new file.
        file: PathBuf,
    },
    /// Let virtual time pass in a served drive, without a request.
    Idle {
        /// The control socket.
        target: String,
        /// Seconds, a year at most.
        #[arg(long, value_name = "S", value_parser = values::idle_seconds)]
        seconds: f64,
    },
    /// Print the status of a served drive: requests served, their lateness, and the effect of the
    /// last power cut.
    Status {
        /// The control socket.
        target: String,
    },
    /// Monitor speed, queue depth, latency, temperature and wear: live on a screen, which q or
    /// Ctrl-C ends; as lines with --once, --json, where stdout is no terminal, or where the program
    /// is built without its feature `screen`.
    Monitor(MonitorArgs),
}

/// Arguments of `stend drive monitor`.
#[derive(Debug, Args, serde::Serialize, serde::Deserialize)]
pub struct MonitorArgs {
    /// A block device, or a file or directory on one, by the kernel's counters; with --job, a model
    /// or a simulated drive's file.
    pub target: String,

    /// Run this fio job file on a copy of a simulated drive, in virtual time, and monitor that.
    #[arg(long, value_name = "JOB.fio")]
    pub job: Option<PathBuf>,

    /// Interval between readings, s, over which figures are means; virtual time of a simulated
    /// drive.
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = values::interval)]
    pub interval: f64,

    /// End after this many readings. Default: 1 with --once, else no limit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,

    /// Print lines instead of a screen.
    #[arg(long)]
    pub once: bool,

    /// Virtual seconds of a simulated drive that the screen shows in a second, at most. Lines are
    /// printed as fast as they come.
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = values::interval)]
    pub speed: f64,

    /// Seed of the job's random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,
}

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

impl DriveCommand {
    /// The drive that it is about, as it was typed.
    pub fn target(&self) -> &str {
        match self {
            DriveCommand::Health { target, .. }
            | DriveCommand::Trim { target, .. }
            | DriveCommand::Erase { target, .. }
            | DriveCommand::Overprovision { target, .. }
            | DriveCommand::Age { target, .. }
            | DriveCommand::FailDie { target, .. }
            | DriveCommand::PowerCut { target, .. }
            | DriveCommand::PowerOn { target }
            | DriveCommand::Snapshot { target, .. }
            | DriveCommand::Idle { target, .. }
            | DriveCommand::Status { target }
            | DriveCommand::WriteCache { target, .. } => target,
            DriveCommand::Monitor(args) => &args.target,
        }
    }
}
