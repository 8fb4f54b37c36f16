//! Arguments of `stend twin`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use super::LabPath;
use crate::values;

/// Arguments of `stend twin`.
#[derive(Debug, Args)]
pub struct TwinArgs {
    /// The review: its file `review.json`, its folder, or a run of the lab (its number, its label,
    /// or a word for its drive).
    #[arg(value_name = "RUN|REVIEW")]
    pub review: String,

    /// Parts that the drive is known to be made of, as in `include` of a drive file: its flash
    /// and its controller at least. Those of the program or files. What no part gives is what is
    /// usual.
    #[arg(long, value_name = "PART,…", value_delimiter = ',', required = true)]
    pub parts: Vec<String>,

    /// The drive file to write; its name without `.toml` is that of the model. A file that is
    /// there stays, unless --force is given.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Replace the file of --out.
    #[arg(long)]
    pub force: bool,

    /// Identification of the drive, as JSON (schema `stend.identify/1`). What it lacks
    /// is inferred from the tests of the review that are not held out; what these do not tell, the
    /// parts decide, or it is what is usual.
    #[arg(long, value_name = "FILE")]
    pub identify: Option<PathBuf>,

    /// The edition that the review was made by: an id or a file. Default: that of the review's id.
    #[arg(long, value_name = "ID")]
    pub edition: Option<String>,

    /// Tests that are held out of the fit: `mixed` (reads and writes mixed), `block-scaling`
    /// (random access against block size), and ids of tests. Benchmarks, traces and work on files
    /// are never fitted to.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "mixed,block-scaling"
    )]
    pub holdout: Vec<String>,

    /// Evaluations at most, each a simulation of all tests that are fitted to: steps first, then
    /// generations, which need three more for each figure. 0: no fit.
    #[arg(long, value_name = "N", default_value_t = 160, value_parser = values::whole::<usize>)]
    pub evaluations: usize,

    /// Seed of the search.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Simulate this many tests at a time. Default: the number of processors. The result does not
    /// depend on it.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub threads: Option<NonZero<usize>>,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,

    /// Print the result as JSON (schema `stend.twin/1`) on stdout.
    #[arg(long)]
    pub json: bool,
}
