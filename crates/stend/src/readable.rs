//! Checks that the files that a command names are readable, before anything is done. A file of
//! another user thus causes the same failure in every command.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::args::{Command, DriveCommand, DrivesCommand, LabCommand, LabPath, TracesCommand};
use crate::failure::Failure;
use crate::laboratory;

/// Checks every file that a command reads. Paths that are missing or are no files are left to the
/// command.
///
/// # Errors
/// [`Failure::Io`] for a file that this user may not read, or that cannot be found because of its
/// folder's permissions.
pub fn check(command: &Command) -> Result<(), Failure> {
    named(command).iter().try_for_each(|path| may_read(path))
}

fn named(command: &Command) -> Vec<PathBuf> {
    let paths = |names: &[String]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    let one = |name: &String| vec![PathBuf::from(name)];
    let lab = |lab: &LabPath| laboratory::path(lab).into_iter().collect::<Vec<_>>();
    match command {
        Command::Review(args) => {
            let targets = [one(&args.target), paths(&args.against)].concat();
            [targets, one(&args.edition), lab(&args.lab)].concat()
        }
        Command::Run(args) => [vec![args.job.clone()], paths(&args.on.on), lab(&args.lab)].concat(),
        Command::Identify(args) => [paths(&args.names), lab(&args.lab)].concat(),
        Command::Sweep(args) => [vec![args.study.clone()], lab(&args.lab)].concat(),
        Command::Replay(args) => [one(&args.trace), paths(&args.on.on), lab(&args.lab)].concat(),
        Command::Traces(args) => match &args.command {
            Some(TracesCommand::Show { name } | TracesCommand::Make { name, .. }) => one(name),
            _ => Vec::new(),
        },
        Command::Serve(args) => {
            let files = [&args.state, &args.data].into_iter().flatten().cloned();
            [one(&args.drive), files.collect()].concat()
        }
        Command::Drives(args) => match &args.command {
            Some(DrivesCommand::Check { files }) => files.clone(),
            Some(DrivesCommand::Create { model, .. }) => one(model),
            _ => Vec::new(),
        },
        Command::Drive(args) => of_drive(&args.command),
        Command::Lab(args) => {
            let other = match &args.command {
                Some(LabCommand::Merge { other }) => vec![other.clone()],
                _ => Vec::new(),
            };
            [lab(&args.lab), other].concat()
        }
        Command::Report(args) => lab(&args.lab),
        Command::Compare(args) => lab(&args.lab),
        Command::Claims(args) => [
            args.files.clone(),
            args.leave_one_out.clone().into_iter().collect(),
            lab(&args.lab),
        ]
        .concat(),
        Command::Fit(args) => [&args.models[..], args.to.as_slice()]
            .concat()
            .iter()
            .map(PathBuf::from)
            .collect(),
        Command::Twin(args) => {
            let files = args.identify.iter().cloned();
            let files = files
                .chain(args.edition.iter().map(PathBuf::from))
                .collect();
            [one(&args.review), paths(&args.parts), files].concat()
        }
        Command::Bench(args) => one(&args.drive),
        #[cfg(feature = "manual")]
        Command::Completions { .. } | Command::Manual { .. } => Vec::new(),
    }
}

/// Files that `stend drive` reads, without the sockets of served drives.
fn of_drive(command: &DriveCommand) -> Vec<PathBuf> {
    let target = || PathBuf::from(command.target());
    match command {
        DriveCommand::PowerOn { .. }
        | DriveCommand::Snapshot { .. }
        | DriveCommand::Idle { .. }
        | DriveCommand::Status { .. } => Vec::new(),
        DriveCommand::Monitor(args) => std::iter::once(target()).chain(args.job.clone()).collect(),
        _ => vec![target()],
    }
}

fn may_read(path: &Path) -> Result<(), Failure> {
    let opened = fs::metadata(path).and_then(|meta| match meta.is_file() {
        true => File::open(path).map(drop),
        false => Ok(()),
    });
    match opened {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(denied(path, &error)),
        _ => Ok(()),
    }
}

fn denied(path: &Path, error: &io::Error) -> Failure {
    Failure::Io(format!(
        "{}: no permission to read it ({error}); run as its owner or as root, or have it made \
         readable",
        path.display()
    ))
}
