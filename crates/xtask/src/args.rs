//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Tools for the development of stend.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", help_expected = true)]
pub struct Cli {
    /// Action.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure how fast the simulator is, and how much memory it takes.
    Bench(BenchArgs),
    /// Count the instructions of three fixed jobs under callgrind, and print the change against
    /// `benches/results/instructions.tsv`.
    ///
    /// A change is no failure.
    Instructions(InstructionsArgs),
    /// Check the source text: imports, lengths, words, documentation.
    Tidy(TidyArgs),
}

/// Arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Run only these cases (`--list`).
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub only: Option<Vec<String>>,

    /// A built stend. Default: a release is built, or for --smoke the profile of tests.
    pub program: Option<PathBuf>,

    /// Run every case on a tiny drive, in seconds: whether they run. The figures mean nothing.
    #[arg(long)]
    pub smoke: bool,

    /// Print the figures as JSON (schema `stend.bench/1`) on stdout.
    #[arg(long)]
    pub json: bool,

    /// Write the figures to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Compare each figure with that in a file made by --record, such as
    /// `benches/results/baseline.json`.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub against: Option<PathBuf>,

    /// List the cases and their aims.
    #[arg(long, conflicts_with_all = ["program", "only", "smoke", "record", "against"])]
    pub list: bool,
}

/// Arguments of `cargo xtask instructions`.
#[derive(Debug, Args)]
pub struct InstructionsArgs {
    /// Replace the record.
    #[arg(long, conflicts_with = "smoke")]
    pub renew: bool,

    /// Find out only whether it runs: print the counts, and compare them with nothing.
    #[arg(long)]
    pub smoke: bool,

    /// A built stend. Default: a release is built, or for --smoke the profile of tests.
    pub program: Option<PathBuf>,
}

/// Arguments of `cargo xtask tidy`.
#[derive(Debug, Args)]
pub struct TidyArgs {
    /// Write the present findings as the exceptions: to shrink the table, after which the
    /// difference must show no larger number and no new line.
    #[arg(long)]
    pub write: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
