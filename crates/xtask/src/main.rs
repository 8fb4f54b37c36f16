//! Tasks for the development of stend, not for its users: `cargo xtask bench` measures the
//! simulator's speed and memory, `cargo xtask instructions` counts instructions: they run the
//! program and link none of its crates. `cargo xtask tidy` checks the source text.

mod args;
mod bench;
mod failure;
mod instructions;
mod output;
mod program;
mod tidy;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::note;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Bench(args) => bench::run(&args),
        Command::Instructions(args) => instructions::run(&args),
        Command::Tidy(args) => tidy::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            note(&format!("error: {failure}"));
            ExitCode::from(failure.exit_code())
        }
    }
}
