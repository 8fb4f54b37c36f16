//! What a user changes about a model, and what a user calls a run.

use clap::Args;
use stend_lab::marks;
use stend_model::Setting;

use crate::values;

/// Other figures for a model.
#[derive(Clone, Debug, Default, Args)]
pub struct SetArgs {
    /// Give the drive model another figure: `--set slc_cache.blocks_per_plane=6`. Any figure of
    /// drive files (docs/drive-format.md), of a list with the index, `nand.read_us[0]=50`; may be
    /// given several times. A review has it of the model under test alone: rivals (--against) stay
    /// as they are.
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::setting)]
    pub set: Vec<(String, Setting)>,
}

/// Name and notes of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct MarkArgs {
    /// Give it this name in the lab, by which `stend compare` finds a review.
    #[arg(long, value_name = "TEXT", value_parser = marks::label)]
    pub label: Option<String>,

    /// Keep this note with it in the lab.
    #[arg(long, value_name = "TEXT", value_parser = marks::note)]
    pub note: Option<String>,
}
