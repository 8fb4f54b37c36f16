//! A laboratory for solid-state drives: the command line. Glue only: it reads arguments,
//! opens targets, and prints what the other rooms say. Results go to stdout, progress
//! and errors to stderr.

mod args;
mod commands;
mod consent;
mod earlier;
mod failure;
mod folder;
mod laboratory;
mod open;
mod output;
mod progress;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::{note, print};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = signals::watch().and_then(|()| match cli.command {
        Command::Review(args) => commands::review::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Traces(args) => commands::traces::run(&args),
        Command::Drive(args) => commands::drive::run(&args),
        Command::Drives(args) => commands::drives::run(&args),
        Command::Lab(args) => commands::lab::run(&args),
        Command::Claims(args) if args.measured => commands::measured::run(&args),
        Command::Claims(args) => commands::claims::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Fit(args) => commands::fit::run(&args),
        Command::BenchCase => commands::bench_case::run(),
    });
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
