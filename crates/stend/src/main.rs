//! A laboratory for solid-state drives: the command line. It only parses arguments, opens targets,
//! and prints the results of the other crates. Results go to stdout, progress and errors to stderr.

mod args;
mod child;
mod commands;
mod consent;
mod failure;
mod folder;
mod laboratory;
mod live;
mod memory;
mod open;
mod output;
mod pdf;
mod progress;
mod readable;
mod signals;
mod typed;
mod values;

use std::process::ExitCode;

use args::{Cli, Command};
use failure::Failure;
use output::{note, print};

fn main() -> ExitCode {
    // Only for `cargo xtask bench`: hidden from help and suggestions.
    if std::env::args_os().skip(1).eq(["bench-case"]) {
        return finish(signals::watch().and_then(|()| commands::bench_case::run()));
    }
    let cli = Cli::of_process();
    finish(signals::watch().and_then(|()| perform(&cli.command)))
}

fn perform(command: &Command) -> Result<(), Failure> {
    readable::check(command)?;
    match command {
        Command::Review(args) => commands::review::run(args),
        Command::Run(args) => commands::run::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Traces(args) => commands::traces::run(args),
        Command::Drive(args) => commands::drive::run(args),
        Command::Drives(args) => commands::drives::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Lab(args) => commands::lab::run(args),
        Command::Claims(args) if args.measured => commands::measured::run(args),
        Command::Claims(args) => commands::claims::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Fit(args) => commands::fit::run(args),
        Command::Identify(args) => commands::identify::run(args),
        Command::Twin(args) => commands::twin::run(args),
        Command::Sweep(args) => commands::sweep::run(args),
        Command::Bench(args) => commands::bench::run(args),
        #[cfg(feature = "manual")]
        Command::Completions { shell } => commands::manual::completions(*shell),
        #[cfg(feature = "manual")]
        Command::Manual { folder } => commands::manual::pages(folder),
    }
}

/// Returns the exit code of a command, and prints its failure unless that was reported already.
fn finish(result: Result<(), Failure>) -> ExitCode {
    signals::settle();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_silent() {
                note(&format!("error: {failure}"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
