//! The command line.

mod drive;
mod identify;
mod lab;
mod language;
mod marks;
mod price;
#[cfg(test)]
mod synopsis;
mod twin;

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use stend_method::SteadyLoad;
use stend_serve::clock::Pace;
use stend_serve::server::Address;

use crate::values;
pub use drive::{DriveArgs, DriveCommand, MonitorArgs, OnOff};
pub use identify::IdentifyArgs;
pub use lab::{CompareArgs, ExportFormat, LabArgs, LabCommand, LabPath};
pub use language::LanguageArgs;
pub use marks::{MarkArgs, SetArgs};
pub use price::DrivePrice;
pub use twin::TwinArgs;

/// A laboratory for solid-state drives: runs the methodology of published drive reviews
/// on a simulated drive, in virtual time, or on a real one, through fio, and writes the
/// review.
///
/// A TARGET is the name of a shipped drive model (`stend drives`), a model file
/// (`./mine.toml`), a file with a simulated drive in it (`stend drives create`), or the path
/// of another file, of a directory or of a block device, which is measured by fio.
#[derive(Debug, Parser)]
#[command(name = "stend", version = VERSION, help_expected = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// Action.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// The command line, described.
    pub fn described() -> clap::Command {
        // It is refused in words of its own.
        let hidden = |arg: clap::Arg| arg.hide(true);
        let identify = |command: clap::Command| command.mut_arg("read_only", hidden);
        with_negative_numbers(Cli::command()).mut_subcommand("identify", identify)
    }

    /// The command line of this process; a wrong one ends it.
    pub fn of_process() -> Cli {
        let matches = Cli::described().get_matches();
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Every option with a value takes negative numbers, and of sizes any, as `-8G`, so that its own
/// words say what is allowed: clap would take `-1` for an option that is not known, and advise
/// `-- -1`.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes = |arg: clap::Arg| {
        let names = arg.get_value_names().into_iter().flatten();
        let is_size = arg.get_long().is_some()
            && names
                .into_iter()
                .any(|name| name == "SIZE" || name == "BYTES");
        match arg.get_action().takes_values() {
            true if is_size => arg.allow_hyphen_values(true),
            true => arg.allow_negative_numbers(true),
            false => arg,
        }
    };
    command
        .mut_args(takes)
        .mut_subcommands(with_negative_numbers)
}

/// The version, and of which commit it was built where that is known.
const VERSION: &str = env!("STEND_VERSION");

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  2  the command line is wrong
  3  an input is wrong: unknown drive, bad model, edition or job file
  4  refused: the target is in use, holds data, or was not named twice
  5  a tool is missing
  6  the operating system or a tool failed
  7  some tests did not finish; what did is saved
  8  a published finding does not hold (stend claims)
  129  ended by SIGHUP; finished tests are saved
  130  ended by SIGINT (Ctrl-C); finished tests are saved
  143  ended by SIGTERM; finished tests are saved";

/// Action.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run an edition of the methodology on a target and write the review.
    Review(ReviewArgs),
    /// Run a fio job file on a target.
    Run(RunArgs),
    /// Replay a block trace on a target and report its busy time.
    Replay(ReplayArgs),
    /// List, show and write synthesised desktop traces.
    Traces(TracesArgs),
    /// List, show and check drive models; create simulated drives that keep their state in a file.
    Drives(DrivesArgs),
    /// Show a drive's health, monitor it, TRIM, erase or configure it.
    ///
    /// TARGET is a file made by `stend drives create`, or a block device. A simulated drive is
    /// changed in its file without confirmation: nobody's data is on it. A command that destroys
    /// data on a real device refuses one that is in use or holds a file system, and needs its
    /// serial number.
    Drive(DriveArgs),
    /// Serve a simulated drive as a block device, with real data and the model's time (NBD).
    ///
    /// Other software uses it as any network block device: `fio --ioengine=nbd`, `nbdfuse`, QEMU,
    /// `nbd-client`. A signal ends the server after it has saved the drive.
    Serve(ServeArgs),
    /// List, show, export, delete and merge the reviews in the lab.
    Lab(LabArgs),
    /// Write the report of a review in the lab again, or of several reviews, compared.
    Report(ReportArgs),
    /// Compare reviews in the lab: differing conditions, figures, ratios; as a page with --out.
    Compare(CompareArgs),
    /// Infer the inside of a drive from its behaviour: its caches, spare space, dies, and its work
    /// in idle time.
    ///
    /// Each property has a 90 % interval and its evidence, or the reason why it is unknown. All
    /// data of a target is lost.
    Identify(IdentifyArgs),
    /// Check the findings of published reviews on the drive models: which hold, and which do not.
    ///
    /// Simulations that this build of the program has made before are taken from the lab.
    Claims(ClaimsArgs),
    /// Fit the free parameters of drive models to measured figures.
    Fit(FitArgs),
    /// Make a drive model from a review: structure and figures of a drive that was measured.
    ///
    /// The twin predicts what was not measured. It is fitted to some of the review's tests; its
    /// error is reported for these, and separately for the tests that the fit has not seen.
    Twin(TwinArgs),
    /// Carry out a study: variants of drives, under jobs or tests, as one table.
    ///
    /// Finished rows are kept in the lab: the same command continues after an interruption, and
    /// another study reuses the rows that it shares.
    Sweep(SweepArgs),
    /// Measure the speed of the simulator, in requests per second of wall clock: alone, or beside
    /// MQSim and SimpleSSD, with the same drive and the same requests.
    Bench(BenchArgs),
    /// Print a script for a shell that completes commands and options of stend.
    #[cfg(feature = "manual")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder.
    #[cfg(feature = "manual")]
    #[command(hide = true)]
    Manual {
        /// The folder. Pages of the same names are replaced.
        folder: PathBuf,
    },
}

/// Options of a real target.
#[derive(Clone, Debug, Default, Args)]
pub struct RealArgs {
    /// Bytes under test: the size of the file to create, or how much to use of a file, a device
    /// or a directory's file system. Suffixes: K, M, G, T and KiB … TiB (binary: 8G is 8GiB), KB …
    /// TB (decimal).
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub size: Option<u64>,

    /// Destroy everything on the block device with this serial number, or in the file of this name.
    /// May be given for several targets.
    #[arg(long, value_name = "NAME")]
    pub destroy: Vec<String>,

    /// Only read the real target, even while it is in use: no serial number is needed, nothing is
    /// prepared, and tests that write are left out.
    #[arg(long, conflicts_with = "destroy")]
    pub read_only: bool,
}

/// State of a target that was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fill {
    /// It has rested for 15 minutes.
    Rest,
    /// It has not rested.
    Busy,
}

impl Fill {
    /// The word of the command line and of results.
    pub fn name(self) -> &'static str {
        match self {
            Fill::Rest => "rest",
            Fill::Busy => "busy",
        }
    }
}

/// Target of a job or a trace.
#[derive(Debug, Args)]
pub struct OnArgs {
    /// The target, or several, one after the other.
    #[arg(long, value_name = "TARGET,…", value_delimiter = ',', required = true)]
    pub on: Vec<String>,

    /// Other figures for drive models.
    #[command(flatten)]
    pub set: SetArgs,

    /// Fill the target sequentially first, then let it rest for 15 minutes of its own time, as a
    /// review does; `--fill=busy` leaves the rest out, and the drive is hot and still at work.
    /// `stend replay` fills a file that it makes without this, and without a rest.
    #[arg(
        long,
        value_name = "THEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "rest"
    )]
    pub fill: Option<Fill>,

    /// Options of a real target.
    #[command(flatten)]
    pub real: RealArgs,
}

/// Seed of random numbers, and scale of durations.
#[derive(Clone, Debug, Args)]
pub struct ScaleArgs {
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Scale every measurement by this factor, shown beside every figure unless it is 1. Fills and
    /// rests are not scaled: on a real target they take most of a shortened run (see --plan).
    #[arg(
        long,
        value_name = "F",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        value_parser = values::duration_scale
    )]
    pub duration_scale: f64,
}

/// Arguments of `stend claims`.
#[derive(Debug, Args)]
pub struct ClaimsArgs {
    /// Files of findings; with --measured, of measured figures. Default: the built-in ones.
    pub files: Vec<PathBuf>,

    /// Check only the articles with these ids.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub article: Option<Vec<String>>,

    /// Compare published figures instead of findings: predicted against measured, with median
    /// errors, for each that a simulation can predict; for the others, why not.
    #[arg(
        long,
        conflicts_with_all = [
            "article", "duration_scale", "full_length", "threads", "fresh", "validation", "samples",
            "scaled", "experiments",
        ]
    )]
    pub measured: bool,

    /// Simulate only these drives; findings that need others stay open.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub drives: Option<Vec<String>>,

    /// Seed and durations.
    #[command(flatten)]
    pub scale: ScaleArgs,

    /// Measure everything for its full time. By default, reads and curves of sustained writes end
    /// once they are steady.
    #[arg(long)]
    pub full_length: bool,

    /// Simulate this many drives at a time. Default: the number of processors.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub threads: Option<NonZero<usize>>,

    /// Simulate everything again, whatever the lab has.
    #[arg(long)]
    pub fresh: bool,

    /// Put the findings to this many plausible versions of all drives as well, drawn from the
    /// ranges of the figures that no source gives: in what share of them each holds, and which
    /// figures decide.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub samples: Option<NonZero<usize>>,

    /// Simulate drives with an Nth of their capacity, by editions that take an Nth of the time:
    /// sooner, and nearly the same. 2 to 16. With --samples, only the versions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=16))]
    pub scaled: Option<u32>,

    /// Make the experiments of the findings that do not hold: a figure of a drive takes the values
    /// that their file names, and the finding is checked again.
    #[arg(long)]
    pub experiments: bool,

    /// Write the outcome of every finding to this file, as Markdown.
    #[arg(long, value_name = "FILE")]
    pub validation: Option<PathBuf>,

    /// Add the table of drives left out to that document: a result of `stend fit --leave-one-out
    /// --json`.
    #[arg(long, value_name = "FILE.json", requires = "validation")]
    pub leave_one_out: Option<PathBuf>,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,

    /// Print JSON (schema `stend.claims/1`, or `stend.claims-measured/1`) on stdout.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `stend sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The study's file (TOML, schema `stend.study/1`).
    pub study: PathBuf,

    /// Folder of the table and the page. Default: `study-` and the study's name.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Keep the samples of each row of a job in this folder, a file each: `series-ROW.parquet`, or
    /// `.csv` where the program is built without its feature `parquet`.
    #[arg(long, value_name = "DIR")]
    pub series: Option<PathBuf>,

    /// Only check the study, and print its numbers of rows and states.
    #[arg(long)]
    pub plan: bool,

    /// Simulate this many rows at a time. Default: the number of processors.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub threads: Option<NonZero<usize>>,

    /// Simulate everything again, whatever the lab has.
    #[arg(long)]
    pub fresh: bool,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,

    /// Print JSON on stdout: factors, rows, effects.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `stend report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Numbers of runs in the lab: the report is of the first, with the others as its rivals.
    #[arg(required = true, value_name = "RUN", value_parser = values::run)]
    pub runs: Vec<i64>,

    /// Folder of the report. Default: `report-` and the numbers.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print the page to `report.pdf` beside it as well, by Chromium or Chrome.
    #[arg(long)]
    pub pdf: bool,

    /// In which language.
    #[command(flatten)]
    pub language: LanguageArgs,

    /// Which lab.
    #[command(flatten)]
    pub lab: LabPath,
}

/// Who has chosen the rivals of a review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The user, or nobody so far.
    #[default]
    User,
    /// The user, by the word `none`.
    None,
    /// The program: the nearest model.
    Nearest,
}

/// Arguments of `stend review`.
#[derive(Clone, Debug, Args)]
pub struct ReviewArgs {
    /// Target of the review.
    pub target: String,

    /// Edition of the methodology: 2014, 2015, 2016a, 2016b, 2018, crystaldiskmark,
    /// recovery-ladder, snia-pts, endurance (writes until the drive refuses), database, quick (five
    /// minutes at most on a SATA drive), or a file.
    #[arg(long, value_name = "ID", default_value = "2014")]
    pub edition: String,

    /// Only print what the review would do, how long it would take and how much it would write:
    /// nothing is opened for writing, made or asked for. With --json, as JSON (schema
    /// `stend.plan/1`).
    #[arg(long)]
    pub plan: bool,

    /// Run only these tests of the edition.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub tests: Option<Vec<String>>,

    /// Also test these rivals and compare: drive models, directories, or existing files. Default of
    /// a drive model: the nearest of the rivals in the published review, or of the shipped models;
    /// with --set the model as it was. `none` for none.
    #[arg(long, value_name = "TARGET,…", value_delimiter = ',')]
    pub against: Vec<String>,

    /// Who has chosen the rivals.
    #[arg(skip)]
    pub choice: Choice,

    /// Seed and durations.
    #[command(flatten)]
    pub scale: ScaleArgs,

    /// The most that an endurance test may write: bytes, or with a suffix as --size. On a real
    /// target the test needs it and never writes more.
    #[arg(long, value_name = "BYTES", value_parser = values::size, conflicts_with = "read_only")]
    pub write_budget: Option<u64>,

    /// Before every test that starts from a written drive, write at random until steady state by
    /// SNIA's definition, at most 25 rounds of a minute. LOAD is random-write-4k (default) or
    /// random-write-128k.
    #[arg(
        long,
        value_name = "LOAD",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "random-write-4k",
        value_parser = values::steady,
        conflicts_with = "read_only"
    )]
    pub until_steady: Option<SteadyLoad>,

    /// Number of repetitions of the whole edition, each with another seed: figures are means, and
    /// key figures and points have 95 % intervals.
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=1000),
        conflicts_with = "write_budget"
    )]
    pub repeat: u32,

    /// Run this many tests at a time, on copies of a simulated drive; results do not depend on it.
    /// Default: the number of processors, or fewer where memory is short.
    #[arg(long, value_name = "N", value_parser = values::count)]
    pub threads: Option<NonZero<usize>>,

    /// Run the tests on one simulated drive, one after the other, as on a real one, and keep it in
    /// this file, which must not exist yet, as they have left it: for `stend drive health`.
    #[arg(long, value_name = "FILE", conflicts_with = "threads")]
    pub state: Option<PathBuf>,

    /// Price of the drive, an amount and a currency such as "79.90 EUR", or of a rival
    /// ("samsung-850-evo-250gb=89.90 EUR"); may be repeated. The report prints it and the price of
    /// a GB (10⁹ bytes), and compares the performance for the price with that of the drives of the
    /// lab whose price is known.
    #[arg(long, value_name = "[RIVAL=]PRICE")]
    pub price: Vec<DrivePrice>,

    /// Folder of the report. Default: `review-`, the target's name, and figures that were set.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Which lab keeps it.
    #[command(flatten)]
    pub lab: LabPath,

    /// Other figures for the model under test.
    #[command(flatten)]
    pub set: SetArgs,

    /// Name and notes of the run.
    #[command(flatten)]
    pub marks: MarkArgs,

    /// In which language.
    #[command(flatten)]
    pub language: LanguageArgs,

    /// Print the review as JSON (schema `stend.review/2`) on stdout.
    #[arg(long)]
    pub json: bool,

    /// Options of a real target.
    #[command(flatten)]
    pub real: RealArgs,
}

/// Format of fio's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    Normal,
    /// fio's JSON.
    Json,
    /// fio's JSON with histograms.
    #[value(name = "json+")]
    JsonPlus,
}

/// Arguments of `stend run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The fio job file.
    pub job: PathBuf,

    /// Target.
    #[command(flatten)]
    pub on: OnArgs,

    /// Format of the output.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "normal")]
    pub output_format: OutputFormat,

    /// Write the output to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Seed of all random numbers that the job file does not seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Name and notes of the run.
    #[command(flatten)]
    pub marks: MarkArgs,

    /// Which lab keeps the result.
    #[command(flatten)]
    pub lab: LabPath,
}

/// When requests of a trace are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// At their recorded times.
    Original,
    /// At their recorded times, without idle time (simulated drives).
    Busy,
    /// In order, as fast as possible, with --depth outstanding.
    Fast,
}

/// Treatment of requests that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FitArg {
    /// Refuse the trace.
    Refuse,
    /// Round them to whole sectors, and take offsets modulo the target's size.
    Wrap,
}

/// Arguments of `stend replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A file (fio iolog version 2 or 3, text of blkparse, MSR Cambridge CSV), the name of a
    /// synthesised trace (`stend traces`), or a profile of one (`./mine.toml`).
    pub trace: String,

    /// Target.
    #[command(flatten)]
    pub on: OnArgs,

    /// When to issue requests. Default: as a synthesised trace says; else original.
    #[arg(long, value_name = "HOW", value_enum)]
    pub timing: Option<TimingArg>,

    /// The most requests outstanding. Default: as a synthesised trace says, else 256; for `--timing
    /// fast` there is none where the trace says nothing.
    #[arg(long, value_name = "N", value_parser = values::depth)]
    pub depth: Option<u32>,

    /// Treatment of requests that do not fit the target.
    #[arg(long, value_name = "HOW", value_enum, default_value = "refuse")]
    pub fit: FitArg,

    /// Replay only the requests to this disk of several: a device of blkparse (8,0), a file of an
    /// iolog, a disk of MSR Cambridge (usr.0).
    #[arg(long, value_name = "DISK")]
    pub only: Option<String>,

    /// Seed of a synthesised trace.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Replay only the beginning: this share of the trace's time, at least 1 s, or of its requests
    /// with timing fast.
    #[arg(
        long,
        value_name = "F",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        value_parser = values::beginning
    )]
    pub duration_scale: f64,

    /// Print the result as JSON (schema `stend.replay/1`; of several targets `stend.replays/1`) on
    /// stdout.
    #[arg(long)]
    pub json: bool,

    /// Name and notes of the run.
    #[command(flatten)]
    pub marks: MarkArgs,

    /// Which lab keeps the result.
    #[command(flatten)]
    pub lab: LabPath,
}

/// Arguments of `stend serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Drive to serve: a model, a model file (`./mine.toml`), or a simulated drive's file.
    pub drive: String,

    /// Address for clients: unix:PATH or tcp:127.0.0.1:PORT.
    #[arg(long, value_name = "ADDRESS", default_value = "unix:stend.sock")]
    pub nbd: Address,

    /// File of the drive: loaded if it exists, otherwise created; saved at the end.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// File of the data: a new file, or the one that belongs to the drive in --state. Default: a
    /// temporary file, removed at the end.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,

    /// Accept a data file whose drive was not saved with it, as after the server was killed.
    #[arg(long, requires = "data")]
    pub as_it_is: bool,

    /// Virtual seconds per second. With `max`, requests are answered at once, one after the other,
    /// and virtual time advances only as far as they need.
    #[arg(long, value_name = "F", default_value = "1", value_parser = values::pace)]
    pub speed: Pace,

    /// Unix socket for the commands of `stend drive`, such as `stend drive health PATH`.
    #[arg(long, value_name = "PATH")]
    pub control: Option<PathBuf>,

    /// Log all requests to this new file, as fio's iolog, for `stend replay`. A write with FUA is
    /// logged as a write and a flush.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Print a line every second on stderr: requests per second, write amplification, free SLC
    /// cache, temperature, late answers.
    #[arg(long)]
    pub status: bool,

    /// Allow an address that other machines can reach. Connections are not encrypted, and any
    /// client may read and write.
    #[arg(long)]
    pub public: bool,
}

/// Arguments of `stend traces`.
#[derive(Debug, Args)]
pub struct TracesArgs {
    /// Action; `list` by default.
    #[command(subcommand)]
    pub command: Option<TracesCommand>,

    /// Print JSON on stdout.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Actions on traces.
#[derive(Debug, Subcommand)]
pub enum TracesCommand {
    /// List the synthesised traces.
    List,
    /// Print the profile of a synthesised trace; with --json, what a trace holds.
    Show {
        /// Its name, a profile (`./mine.toml`), or a file with a trace.
        name: String,
    },
    /// Write the trace as a fio iolog, version 3.
    Make {
        /// Its name, a profile (`./mine.toml`), or a file with a trace to convert.
        name: String,
        /// The file to write, which must not exist yet.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Seed of the trace.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
        seed: u64,
        /// Name of the file or device in the iolog.
        #[arg(long, value_name = "NAME", default_value = "trace")]
        file: String,
    },
}

/// Arguments of `stend drives`.
#[derive(Debug, Args)]
pub struct DrivesArgs {
    /// Action; `list` by default.
    #[command(subcommand)]
    pub command: Option<DrivesCommand>,

    /// Print JSON on stdout.
    #[arg(long, global = true)]
    pub json: bool,
}

/// Actions on drive models.
#[derive(Debug, Subcommand)]
pub enum DrivesCommand {
    /// List the shipped models.
    List(DriveFilter),
    /// Print a model, shipped or in a file, as one text without parts, with the source of every
    /// figure.
    Show {
        /// Its name.
        name: String,
        /// Other figures for it.
        #[command(flatten)]
        set: SetArgs,
    },
    /// Check model files: every problem with file, line, key and what is allowed.
    Check {
        /// The files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Create a simulated drive that keeps its state in a file. The file is a TARGET: `stend run`
    /// and `stend drive` change it.
    Create {
        /// A shipped model, or a model file.
        model: String,
        /// The file, which must not exist yet.
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
    },
}

/// Which models are listed.
#[derive(Clone, Debug, Default, Args)]
pub struct DriveFilter {
    /// Only models with this host interface: sata, nvme, ahci, "NVMe 3.0 x4", as in the table.
    #[arg(long, value_name = "NAME")]
    pub interface: Option<String>,

    /// Only models whose flash has these words: TLC, 64-layer, V-NAND, "256 Gbit".
    #[arg(long, value_name = "WORDS")]
    pub flash: Option<String>,

    /// Only models of this capacity: MIN..MAX, of which one may be left out, with suffixes as for
    /// --size: 250GB..512GB, 500GB.. (within 1 % of the bounds).
    #[arg(long, value_name = "MIN..MAX", value_parser = values::size_range)]
    pub capacity: Option<(u64, u64)>,

    /// Only models that came out in these years: 2015, 2014..2016, 2016..
    #[arg(long, value_name = "YEAR|FROM..TO", value_parser = values::years)]
    pub year: Option<(u32, u32)>,
}

/// Arguments of `stend fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// Drive models, or model files, to fit; a part that several of them include is fitted to all.
    /// With `--leave-one-out`: the drives to leave out. Default: all.
    #[arg(required_unless_present = "leave_one_out", value_name = "MODEL")]
    pub models: Vec<String>,

    /// The measured figures: a file in the format `stend.measured/1`, or `published` for the
    /// built-in ones. Only those of the models count. With `--leave-one-out`, `published` need not
    /// be given.
    #[arg(long, value_name = "FILE", required_unless_present = "leave_one_out")]
    pub to: Option<String>,

    /// Predict each measured drive with figures that have not seen its own rows: those that it
    /// shares with other measured drives are fitted to these.
    #[arg(long)]
    pub leave_one_out: bool,

    /// Write the table of the drives left out, in Markdown.
    #[arg(long, value_name = "FILE", requires = "leave_one_out")]
    pub table: Option<PathBuf>,

    /// Use only figures of these tests.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub tests: Vec<String>,

    /// Use only figures of drives in these states.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub states: Vec<String>,

    /// Fit only to figures of drives in these states (an id of the files of published figures, such
    /// as `new`); figures in all states are predicted.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "leave_one_out"
    )]
    pub fit_states: Vec<String>,

    /// Folder of the result, and of the state from which the same command resumes. Default: `fit-`
    /// and the first model's name, or `fit-leave-one-out`.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Also change the models' own files.
    #[arg(long, conflicts_with = "leave_one_out")]
    pub in_place: bool,

    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// The most generations of the search; it ends earlier when it finds nothing better. Default:
    /// 60, or 6 of each search of `--leave-one-out`.
    #[arg(long, value_name = "N", value_parser = values::whole::<usize>)]
    pub generations: Option<usize>,

    /// Points in a generation, from 4 to 1000. Default: 4 + 3 ln(free parameters).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1000))]
    pub population: Option<u32>,

    /// Print the result as JSON on stdout (schema `stend.fit/1`, or
    /// `stend.fit-leave-one-out/1`).
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `stend bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Shipped drive model, or model file; for a comparison, one without an SLC cache.
    #[arg(default_value = "samsung-850-pro-256gb")]
    pub drive: String,

    /// Program of MQSim, which you build yourself, for a comparison.
    #[arg(long, value_name = "PATH")]
    pub mqsim: Option<PathBuf>,

    /// Program of SimpleSSD (simplessd-standalone 2.0), which you build yourself, for a comparison.
    #[arg(long, value_name = "PATH")]
    pub simplessd: Option<PathBuf>,

    /// Number of requests of each case; fewer if sequential ones reach the end of the drive.
    #[arg(long, value_name = "N", value_parser = values::count, default_value = "1000000")]
    pub requests: NonZero<usize>,

    /// Number of outstanding requests in cases that are not paced.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1024),
        default_value_t = 32
    )]
    pub depth: u32,

    /// Seed of the random offsets.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = values::seed)]
    pub seed: u64,

    /// Print the result as JSON (schema `stend.bench-compare/1`) on stdout.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
        with_negative_numbers(Cli::command()).debug_assert();
    }
}
