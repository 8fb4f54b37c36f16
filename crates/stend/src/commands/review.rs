//! `stend review`: runs an edition on a target and its rivals, and writes the report.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;
use stend_analysis::steady::start_text;
use stend_analysis::{kinds, repeated, verdict};
use stend_lab::RunId;
use stend_language::{say, text, within};
use stend_load::target::{Target, WriteLimit};
use stend_method::{Edition, ReviewOptions, check_options, check_write_budget, estimate};
use stend_model::SHIPPED;
use stend_record::review::{Review, TargetInfo, TargetKind, TestResult};
use stend_simulated::Access;

use crate::args::{Choice, ReviewArgs, SetArgs};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::memory::{processors, reviews_fit, simulations_that_fit};
use crate::open::{
    Named, Opened, Planned, check_set, is_simulated, open, open_planned, real_options_fit,
};
use crate::output::json_line;
use crate::typed::{real, settings, word};
use crate::{laboratory, note, print};

mod plan;
mod prices;
mod rival;
mod session;
mod store;

use prices::Prices;
use session::Session;
use store::Store;

pub fn run(args: &ReviewArgs) -> Result<(), Failure> {
    let args = &rival::completed(args)?;
    if args.plan {
        return plan::run(args);
    }
    let lab = laboratory::path(&args.lab)?;
    let done = perform(args, Some(&lab))?;
    let review = &done.review;
    if let Some((run, lab)) = done.run.zip(done.lab.as_ref()) {
        note(&format!("run {run} of the lab, {}", lab.display()));
    }
    within(args.language.lang, || {
        print_review(args, review, done.saved.as_deref().ok())
    })?;
    done.saved?;
    done.stored?;
    done.state?;
    if let Some(path) = &args.state {
        note(&format!("the drive is kept in {}", path.display()));
    }
    if review.complete {
        return Ok(());
    }
    for failed in &review.failed {
        note(&format!("error: {}: {}", failed.id, failed.error));
    }
    Err(Failure::Incomplete)
}

/// Result of a completed review.
pub struct Done {
    /// The review.
    pub review: Review,
    /// Path of its page, or the failure to save it: hours of measurement are shown in any case.
    pub saved: Result<PathBuf, Failure>,
    /// Outcome of storing the review in the lab.
    pub stored: Result<(), Failure>,
    /// Path of the lab.
    pub lab: Option<PathBuf>,
    /// Outcome of saving the drive, if that was requested.
    pub state: Result<(), Failure>,
    /// Number of the run in the lab.
    pub run: Option<RunId>,
    /// Requests that simulated drives completed.
    pub requests: u64,
    /// Events of the simulations.
    pub events: u64,
}

/// Refuses a real target that is only read and has holes in the range that is read. Reads of holes
/// do not reach the drive, and the report would present their hundreds of thousands of IOPS as the
/// drive's.
fn check_has_data(target: &Opened) -> Result<(), Failure> {
    let Opened::Real(target) = target else {
        return Ok(());
    };
    let (info, unwritten_bytes) = (target.info(), target.unwritten_bytes());
    // A share of one per cent changes no figure by more than that.
    if !target.read_only() || unwritten_bytes <= info.capacity_bytes / 100 {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "of the {} bytes of {}, {unwritten_bytes} were never written: reads there reach no drive, \
         and the figures would not be the drive's; name a file that is full of data, such as a \
         copy of it (`cp --sparse=never`), or the block device",
        info.capacity_bytes, info.name
    )))
}

/// Runs a review and saves it: in its folder, and in the lab if one is named.
pub fn perform(args: &ReviewArgs, lab: Option<&Path>) -> Result<Done, Failure> {
    // Errors are found before anything is created, in particular a file of gigabytes.
    let (edition, mut options) = checked(args)?;
    lab.map(laboratory::check).transpose()?;
    let folder = Folder::open(folder_path(args), args.language.lang)?;
    let mut store = Store::find(folder, lab, args, &|kept| {
        reproduce(args, &Prices::of(kept))
    })?;
    let prices = Prices::typed(args, store.earlier.as_ref())?;
    options.reproduce = reproduce(args, &prices);
    let rivals = open_rivals(args)?;
    let mut rival_options = rival::options(args, &edition, &options);
    let chosen = (options.tests.as_deref(), rival_options.tests.as_deref());
    store.check_nothing_is_left_out(chosen, &edition, &rivals)?;
    let named = Named {
        name: &args.target,
        set: &args.set,
    };
    let planned = |bytes| planned(&edition, &options, bytes);
    let target = open_planned(named, &args.real, Access::Look, &planned)?;
    check_has_data(&target)?;
    store.check_resumes(&edition, &options, (&target.info(), args.real.read_only))?;
    let drives = || std::iter::once(&target).chain(&rivals);
    note_copies(drives());
    let (threads, at_a_time) = concurrency(args, options.threads, drives());
    (options.threads, rival_options.threads) = (threads, threads);
    store.begin(lab, &edition)?;
    let session = Session {
        edition: &edition,
        rival_options,
        options,
        at_a_time,
        store,
        state: args.state.as_deref(),
        prices,
        kept: Mutex::new(Ok(())),
        requests: AtomicU64::new(0),
        events: AtomicU64::new(0),
    };
    let mut review = session.review(target, rivals)?;
    let saved = session.store.end(&mut review);
    Ok(Done {
        saved: saved.page,
        stored: saved.run,
        lab: session.store.lab(),
        run: session.store.run(),
        state: session.kept.into_inner().map_err(Failure::from),
        review,
        requests: session.requests.into_inner(),
        events: session.events.into_inner(),
    })
}

/// Reads the edition and the options, and checks that they suit each other and the targets.
fn checked(args: &ReviewArgs) -> Result<(Edition, ReviewOptions<'static>), Failure> {
    let edition = Edition::load(&args.edition)?;
    let options = ReviewOptions {
        tests: args.tests.clone(),
        seed: args.scale.seed,
        duration_scale: args.scale.duration_scale,
        repeat: args.repeat,
        threads: args.threads.map_or_else(processors, NonZero::get),
        write_budget_bytes: args.write_budget,
        until_steady: args.until_steady,
        ..ReviewOptions::default()
    };
    check_options(&edition, &options)?;
    let targets = || std::iter::once(&args.target).chain(&args.against);
    // In read-only mode, tests that exceed the budget are left out.
    if targets().any(|name| !is_simulated(name)) && !args.real.read_only {
        check_write_budget(&edition, &options, WriteLimit::AsStated)?;
    }
    real_options_fit(targets(), &args.real)?;
    check_set([&args.target], &args.set)?;
    args.state
        .as_deref()
        .map(|path| check_state(path, args))
        .transpose()?;
    Ok((edition, options))
}

/// Rejects `--state` for real targets, for paths that exist, and in missing folders.
fn check_state(path: &Path, args: &ReviewArgs) -> Result<(), Failure> {
    let shown = path.display();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let refused = if !is_simulated(&args.target) {
        format!(
            "--state {shown}: {} is real, and stays as the tests leave it; leave --state out",
            args.target
        )
    } else if path.symlink_metadata().is_ok() {
        format!("--state {shown}: exists already, and is not overwritten; choose another name")
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        format!("--state {shown}: there is no such folder; make it, or choose another name")
    } else {
        return Ok(());
    };
    Err(Failure::Input(refused))
}

/// Work that a review does on a block device of this size.
fn planned(edition: &Edition, options: &ReviewOptions<'_>, bytes: u64) -> Option<Planned> {
    let device = TargetInfo {
        kind: TargetKind::BlockDevice,
        capacity_bytes: bytes,
        ..TargetInfo::default()
    };
    let needed = estimate(edition, options, &device, false).ok()?;
    let times = f64::from(options.repeat);
    Some(Planned {
        bytes: (needed.fill_bytes + needed.trace_bytes) * u64::from(options.repeat),
        writing_s: needed.writing_s * times,
        time_s: (needed.measured_s + needed.idle_s) * times,
    })
}

/// Returns the number of concurrent tests, at most `threads`, and of drives reviewed side by side,
/// for which the machine has memory: two drives if all are simulated, so that a long test of one
/// drive does not run alone at the end.
fn concurrency<'a>(
    args: &ReviewArgs,
    mut threads: usize,
    drives: impl Iterator<Item = &'a Opened>,
) -> (usize, usize) {
    let simulated = |drive: &Opened| match drive {
        Opened::Simulated(target) => Some(target.info().capacity_bytes),
        Opened::Real(_) => None,
    };
    let bytes: Vec<Option<u64>> = drives.map(simulated).collect();
    let Some(&largest_bytes) = bytes.iter().flatten().max() else {
        return (threads, 1);
    };
    let fitting = simulations_that_fit(threads, largest_bytes);
    if args.threads.is_none() && fitting < threads {
        note(&format!(
            "{fitting} of {threads} tests at a time: there is no memory for more drives of {} GB \
             (10^9 bytes); --threads decides otherwise",
            largest_bytes / 1_000_000_000
        ));
        threads = fitting;
    }
    let side_by_side = threads > 1 && args.state.is_none() && bytes.iter().all(Option::is_some);
    match side_by_side && reviews_fit(2, threads, largest_bytes) {
        true => (threads, 2),
        false => (threads, 1),
    }
}

fn open_rivals(args: &ReviewArgs) -> Result<Vec<Opened>, Failure> {
    let mut rivals = Vec::new();
    for name in &args.against {
        check_rival(name)?;
        // `--set` applies only to the drive under test.
        let set = &SetArgs::default();
        rivals.push(open(Named { name, set }, &args.real, Access::Look)?);
    }
    Ok(rivals)
}

/// Refuses a target that cannot be a rival.
fn check_rival(name: &str) -> Result<(), Failure> {
    let path = Path::new(name);
    if is_simulated(name) || path.is_file() || path.is_dir() {
        return Ok(());
    }
    let meant = stend_model::meant(name, SHIPPED.iter().map(|shipped| shipped.name));
    Err(Failure::Input(format!(
        "--against {name}: {meant}a rival is a drive model (`stend drives`), a model file, a \
         directory or a file that exists; review a block device on its own"
    )))
}

/// Notes that a review does not change drives in state files.
fn note_copies<'a>(targets: impl Iterator<Item = &'a Opened>) {
    for path in targets.filter_map(Opened::state_path) {
        note(&format!(
            "{} is not changed: a review works on copies of the drive in it",
            path.display()
        ));
    }
}

fn folder_path(args: &ReviewArgs) -> PathBuf {
    if let Some(out) = &args.out {
        return out.clone();
    }
    let stem = Path::new(&args.target)
        .file_stem()
        .map_or_else(|| "target".to_string(), |s| s.to_string_lossy().to_string());
    // Variants have folders of their own.
    let set = args.set.set.iter().map(|(key, value)| {
        let plain = |c: char| match c.is_alphanumeric() || "-_.".contains(c) {
            true => c,
            false => '_',
        };
        format!("-{key}-{value}")
            .chars()
            .map(plain)
            .collect::<String>()
    });
    PathBuf::from(format!("review-{stem}{}", set.collect::<String>()))
}

/// The command that repeats the review of drives with these prices.
fn reproduce(args: &ReviewArgs, prices: &Prices) -> String {
    let mut command = format!(
        "stend review {}{}",
        word(&args.target),
        settings(&args.set.set)
    );
    command += &format!(
        " --edition {} --seed {}",
        word(&args.edition),
        args.scale.seed
    );
    if let Some(tests) = &args.tests {
        command += &format!(" --tests {}", word(&tests.join(",")));
    }
    match args.choice {
        Choice::User if args.against.is_empty() => {}
        Choice::User => command += &format!(" --against {}", word(&args.against.join(","))),
        Choice::None => command += &format!(" --against {}", rival::NONE),
        // Omitted: the same rival is chosen again, and reviewed in the same tests.
        Choice::Nearest => {}
    }
    if args.scale.duration_scale != 1.0 {
        command += &format!(" --duration-scale {}", args.scale.duration_scale);
    }
    if args.repeat > 1 {
        command += &format!(" --repeat {}", args.repeat);
    }
    if let Some(load) = args.until_steady {
        command += &format!(" --until-steady={}", load.name);
    }
    if let Some(bytes) = args.write_budget {
        command += &format!(" --write-budget {bytes}");
    }
    command += &prices.options();
    if let Some(path) = &args.state {
        command += &format!(" --state {}", word(&path.to_string_lossy()));
    }
    command + &real(&args.real)
}

fn print_review(args: &ReviewArgs, review: &Review, page: Option<&Path>) -> Result<(), Failure> {
    let report = page.map(|page| text!("terminal-report", path = page.display().to_string()));
    if args.json {
        let json = json_line(review)?;
        if let Some(report) = report {
            note(&report);
        }
        return print(&json);
    }
    let mut text = text!(
        "terminal-review",
        drive = &review.target.title,
        edition = &review.edition
    ) + "\n";
    if review.duration_scale != 1.0 {
        text += &text!("terminal-shortened", scale = review.duration_scale);
        text += "\n";
    }
    if review.read_only {
        text += &(say("terminal-read-only") + "\n");
    }
    for test in &review.tests {
        text += &test_lines(test);
    }
    for finding in stend_analysis::findings(review) {
        let told = text!(
            "terminal-finding",
            title = finding.title,
            text = finding.text
        );
        text += &format!("\n{told}\n");
    }
    for load in stend_analysis::unlike_loads(review) {
        let told = text!("terminal-unlike-load", text = load.words());
        text += &format!("\n{told}\n");
    }
    text += &in_short(review);
    text += &report.map_or_else(String::new, |report| format!("\n{report}\n"));
    print(&text)
}

/// The verdict, and its reservations.
fn in_short(review: &Review) -> String {
    let verdict = verdict(review);
    let said = [verdict.text(), verdict.cautions_text()];
    let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
    match said.is_empty() {
        true => String::new(),
        false => {
            let (title, text) = (say("finding-in-short"), said.join(" "));
            format!(
                "\n{}\n",
                text!("terminal-finding", title = title, text = text)
            )
        }
    }
}

fn test_lines(test: &TestResult) -> String {
    let mut text = format!("\n{}\n{}", test.title, kinds::lines(test));
    text += &repeated::line(test);
    for start in &test.steady_starts {
        let told = text!("terminal-steady", how = start_text(start).to_string());
        text += &format!("  {told}\n");
    }
    text
}
