//! Arguments about the lab.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use stend_lab::EntryId;

use super::LanguageArgs;

/// Which lab.
#[derive(Clone, Debug, Default, Args)]
pub struct LabPath {
    /// The SQLite file that keeps all reviews. Default: `stend/lab.db` in the folder that
    /// XDG_DATA_HOME names, or in ~/.local/share.
    #[arg(long, value_name = "FILE", env = "STEND_LAB", global = true)]
    pub lab: Option<PathBuf>,
}

/// Arguments of `stend lab`.
#[derive(Debug, Args)]
pub struct LabArgs {
    /// Action; `list` by default.
    #[command(subcommand)]
    pub command: Option<LabCommand>,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,

    /// Print JSON on stdout.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Actions on the lab.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the reviews, the oldest first, and the jobs and replays.
    List,
    /// List the jobs and replays (`stend run`, `stend replay`), the oldest first.
    Jobs,
    /// List the studies, the oldest first.
    Studies,
    /// Print a review: drive, conditions, tests; with --json, the review (schema
    /// `stend.review/2`). Or print a job or replay: what ran, and the result as JSON.
    Show {
        /// Its number (3, j3), a word for it as `stend compare` takes it, or the label of a job or
        /// a replay.
        #[arg(value_name = "RUN")]
        run: String,
    },
    /// Set the label of a review, a job or a replay; an empty text removes it.
    #[command(alias = "rename")]
    Label {
        /// Its number: 3, j3.
        run: EntryId,
        /// The label.
        text: String,
    },
    /// Set the note of a review, a job or a replay; an empty text removes it.
    Note {
        /// Its number: 3, j3.
        run: EntryId,
        /// The note.
        text: String,
    },
    /// Export tables as files into a folder; replaces earlier exports there.
    Export {
        /// The folder.
        folder: PathBuf,
        /// Format of the files.
        #[arg(long, value_name = "FORMAT", value_enum, default_value = "csv")]
        format: ExportFormat,
        /// Only these tables: drives, runs, rivals, breaks, conditions, tests, points, series,
        /// samples, temperatures, smart, recorded, studies, study_rows, figures.
        #[arg(long, value_name = "LIST", value_delimiter = ',')]
        tables: Option<Vec<String>>,
        /// Only what belongs to these reviews.
        #[arg(long, value_name = "RUN,…", value_delimiter = ',')]
        runs: Option<Vec<EntryId>>,
    },
    /// Delete reviews, jobs and replays; `undelete` brings them back within 30 days. Reports in
    /// folders stay. On a terminal it asks first.
    Delete {
        /// Their numbers: 3, j3.
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<EntryId>,
        /// Delete them for good.
        #[arg(long)]
        now: bool,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Bring deleted reviews, jobs and replays back; without numbers, list them.
    Undelete {
        /// Their numbers: 3, j3.
        #[arg(value_name = "RUN")]
        runs: Vec<EntryId>,
    },
    /// Remove deleted entries for good, and the unused space in the file. On a terminal it asks
    /// first if there are deleted entries.
    Vacuum {
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Copy the reviews, jobs, replays and studies of another lab into this one.
    Merge {
        /// Its file.
        other: PathBuf,
    },
    /// Serve the lab as pages of a web browser on this machine: search and compare reviews, see
    /// those under way, try drives with other figures.
    ///
    /// It listens on the loopback interface alone, prints its address, and ends by a signal.
    Serve {
        /// Port on 127.0.0.1 and ::1; 0 selects a free one.
        #[arg(long, value_name = "N", default_value_t = 7070)]
        port: u16,
    },
}

/// A format of exported tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Comma-separated values.
    Csv,
    /// An array of objects.
    Json,
    /// Apache Parquet, where the program is built with its feature `parquet`.
    Parquet,
}

/// Arguments of `stend compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Numbers of runs in the lab, labels, or drives, whose last complete run counts: the target as
    /// typed, the name of its file, the drive's name, or its serial number. A word that fits
    /// several drives is refused. Ratios are to the first.
    #[arg(required = true, num_args = 2.., value_name = "RUN|DRIVE")]
    pub sides: Vec<String>,

    /// Show every measured point instead of the key figures.
    #[arg(long)]
    pub points: bool,

    /// Write a page with shared axes into this folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// In which language.
    #[command(flatten)]
    pub language: LanguageArgs,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,

    /// Print JSON (schema `stend.compare/1`) on stdout.
    #[arg(long)]
    pub json: bool,
}
