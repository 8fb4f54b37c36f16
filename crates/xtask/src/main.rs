//! What serves the development of stend and nobody who uses it: `cargo xtask bench` measures the
//! simulator's speed and memory, `cargo xtask instructions` counts instructions. It starts the
//! program and links nothing of it.

mod args;
mod bench;
mod failure;
mod instructions;
mod output;
mod program;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::note;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Bench(args) => bench::run(&args),
        Command::Instructions(args) => instructions::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            note(&format!("error: {failure}"));
            ExitCode::from(failure.exit_code())
        }
    }
}
