//! Arguments of `stend identify`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{LabPath, LanguageArgs, RealArgs, SetArgs};
use crate::values;

/// Arguments of `stend identify`.
#[derive(Debug, Args)]
pub struct IdentifyArgs {
    /// Drive or review to identify: a drive model or a real target, which is probed, or a review,
    /// in a file or by its run in the lab, which is read.
    #[arg(required = true, value_name = "TARGET|RUN")]
    pub names: Vec<String>,

    /// Begin no probe that does not fit this time, such as 90s, 20m or 2h; the properties that it
    /// would show are reported as unknown.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub budget: Option<Duration>,

    /// Write all observations to this file, as JSON, with their curves and maps.
    #[arg(long, value_name = "FILE.json")]
    pub observed: Option<PathBuf>,

    /// Write a page into this folder: known and unknown properties, and charts of the observations,
    /// in which the properties are marked (index.html, identification.json). An earlier
    /// identification of the same simulated drive or review there is replaced, nothing else.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Other figures for drive models.
    #[command(flatten)]
    pub set: SetArgs,

    /// Options of a real target.
    #[command(flatten)]
    pub real: RealArgs,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,

    /// In which language.
    #[command(flatten)]
    pub language: LanguageArgs,

    /// Print JSON (schema `stend.identify/1`) on stdout; of several targets, a document a line.
    #[arg(long)]
    pub json: bool,
}
