//! What serves the development of stend and nobody who uses it: `cargo xtask bench` measures the
//! simulator's speed and memory, `cargo xtask instructions` counts instructions. It starts the
//! program and links nothing of it.

mod bench;
mod failure;
mod instructions;
mod program;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use failure::Failure;

/// What serves the development of stend.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", help_expected = true)]
struct Cli {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure how fast the simulator is, and how much memory it takes.
    Bench(BenchArgs),
    /// Count the instructions of three fixed jobs under callgrind, and print the change against
    /// `benches/results/instructions.tsv`.
    ///
    /// A change is no failure.
    Instructions(InstructionsArgs),
}

/// Arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
struct BenchArgs {
    /// Run only these cases (`--list`).
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// A built stend. Default: a release is built, or for --smoke the profile of tests.
    program: Option<PathBuf>,

    /// Run every case on a tiny drive, in seconds: whether they run. The figures mean nothing.
    #[arg(long)]
    smoke: bool,

    /// Print the figures as JSON (schema `stend.bench/1`) on stdout.
    #[arg(long)]
    json: bool,

    /// Write the figures to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Compare each figure with that in a file made by --record, such as
    /// `benches/results/baseline.json`.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    against: Option<PathBuf>,

    /// List the cases and their aims.
    #[arg(long, conflicts_with_all = ["program", "only", "smoke", "record", "against"])]
    list: bool,
}

/// Arguments of `cargo xtask instructions`.
#[derive(Debug, Args)]
struct InstructionsArgs {
    /// Replace the record.
    #[arg(long, conflicts_with = "smoke")]
    renew: bool,

    /// Find out only whether it runs: print the counts, and compare them with nothing.
    #[arg(long)]
    smoke: bool,

    /// A built stend. Default: a release is built, or for --smoke the profile of tests.
    program: Option<PathBuf>,
}

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

/// Writes a line to stderr. Nothing can be said where that fails.
fn note(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes results to stdout. A reader that has gone away (`… | head`) is no error.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Io(format!("cannot write to stdout: {error}"))),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
