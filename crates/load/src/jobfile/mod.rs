//! fio job files.
//!
//! A job file is read as fio 3.33 reads it (its HOWTO: "Job file format", "Parameter types"):
//! `[global]` sections set defaults for the sections after them, also when there are several; the
//! last value of an option counts; `include FILE` includes options.
//!
//! Options are of three kinds: those in [`options::OPTIONS`] are honoured; those in
//! [`accepted::ACCEPTED`] are accepted and have no effect in virtual time; any other is an error
//! that names the option, its section, file and line. Fractions of a second (`1.5`), which fio cuts
//! off silently, arithmetic in parentheses, and `time_based` without `runtime`, for which fio only
//! prints a warning, are errors here.

pub mod accepted;
mod engine;
mod error;
mod lexer;
pub mod options;
mod spec;
pub mod units;
mod zoned;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub use error::{JobError, Place};
pub use lexer::{Entry, RawSection, Text, code_of, option_of};
pub use spec::{
    AccessZone, BLOCK_BYTES, BlockSizes, Direction, Disabled, Distribution, Flow, Generator, Mix,
    PERCENTILES, Rate, RateProcess, Rw, Spec, Zones,
};
pub use units::Extent;

/// A job file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct JobFile {
    /// Options of the `[global]` sections by fio's name, with the last value of each.
    pub global_options: BTreeMap<String, String>,
    /// The sections other than `[global]`, in order; at least one.
    pub jobs: Vec<Job>,
    /// The text, includes resolved; its `Display` writes an equivalent job file.
    pub text: Text,
}

/// One section.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The section's name, or its option `name`.
    pub name: String,
    /// Place of the section's beginning.
    pub place: Place,
    /// Options of the section itself by fio's name; `""` for one without a value.
    pub options: BTreeMap<String, String>,
    /// Options with the defaults of `[global]` applied.
    pub spec: Spec,
}

impl JobFile {
    /// Reads a job file from text. `include` and `${VARIABLE}` are errors, since text has
    /// no place in the file system: [`JobFile::read`] and [`flatten`] resolve them.
    pub fn parse(text: &str) -> Result<JobFile, JobError> {
        JobFile::from_text(lexer::lex(text, "job file", &NoResolver)?)
    }

    /// Reads a job file, with its includes (relative to the file that names them) and the
    /// variables of the environment.
    pub fn read(path: &Path) -> Result<JobFile, JobError> {
        JobFile::from_text(flatten(path)?)
    }

    /// Checks a job file that has been split into lines.
    pub fn from_text(text: Text) -> Result<JobFile, JobError> {
        let mut defaults = Defaults::default();
        let mut global_options = BTreeMap::new();
        let mut jobs = Vec::new();
        for section in &text.sections {
            if section.is_global() {
                apply(section, &mut defaults, &mut global_options)?;
            } else {
                let job = job(section, defaults.clone())?;
                check_wait(&job, &jobs)?;
                check_flow(&job, &jobs)?;
                jobs.push(job);
            }
        }
        if jobs.is_empty() {
            return Err(no_job(&text, nowhere()));
        }
        Ok(JobFile {
            global_options,
            jobs,
            text,
        })
    }
}

/// Reads a job file and resolves its includes and the variables of the environment, without
/// checking the options: for a target that supports more of them.
pub fn flatten(path: &Path) -> Result<Text, JobError> {
    let name = path.display().to_string();
    let place = Place {
        file: name.as_str().into(),
        ..nowhere()
    };
    let text = read(path).map_err(|fault| {
        let at = Place {
            line: fault.line,
            ..place.clone()
        };
        JobError::new(&at, fault.problem)
    })?;
    let text = lexer::lex(&text, &name, &FileSystem)?;
    match text.sections.iter().all(RawSection::is_global) {
        true => Err(no_job(&text, place)),
        false => Ok(text),
    }
}

/// Error of a file without a section other than `[global]`; `place` is used if it has no section.
fn no_job(text: &Text, place: Place) -> JobError {
    let last = text.sections.last();
    JobError::new(
        last.map_or(&place, |section| &section.place),
        "the file holds no job: add a section such as `[job]` after `[global]`",
    )
}

fn nowhere() -> Place {
    Place {
        file: "job file".into(),
        line: 0,
        section: None,
    }
}

/// Settings so far, and the place of each.
#[derive(Clone, Default)]
struct Defaults {
    spec: Spec,
    places: BTreeMap<&'static str, Place>,
}

/// Applies the entries of a section; `kb_base` first, as in fio, since the meaning of other numbers
/// depends on it.
fn apply(
    section: &RawSection,
    defaults: &mut Defaults,
    taken: &mut BTreeMap<String, String>,
) -> Result<(), JobError> {
    let is_base = |entry: &&Entry| entry.key == "kb_base";
    let bases = section.entries.iter().filter(is_base);
    let others = section.entries.iter().filter(|entry| !is_base(entry));
    for entry in bases.chain(others) {
        let value = entry.value.as_deref();
        let name = if let Some(def) = options::find(&entry.key) {
            def.apply(&mut defaults.spec, value)
                .map_err(|problem| invalid(entry, &problem))?;
            defaults.places.insert(def.name, entry.place.clone());
            def.name
        } else if let Some(values) = accepted::find(&entry.key) {
            values
                .check(value, defaults.spec.kb_base)
                .map_err(|problem| invalid(entry, &problem))?;
            &entry.key
        } else {
            return Err(unknown(entry));
        };
        taken.insert(name.to_string(), value.unwrap_or_default().to_string());
    }
    Ok(())
}

/// Error of the value of an entry.
fn invalid(entry: &Entry, problem: &str) -> JobError {
    let value = entry.value.as_deref();
    let shown = value.map_or_else(String::new, |v| format!("={v}"));
    JobError::new(
        &entry.place,
        format!("option `{}{shown}`: {problem}", entry.key),
    )
}

fn job(section: &RawSection, mut settings: Defaults) -> Result<Job, JobError> {
    let mut options = BTreeMap::new();
    apply(section, &mut settings, &mut options)?;
    check(&settings, section)?;
    if settings.spec.is_synchronous {
        settings.spec.iodepth = 1;
    }
    Ok(Job {
        name: settings
            .spec
            .name
            .clone()
            .unwrap_or_else(|| section.name.to_string()),
        place: section.place.clone(),
        options,
        spec: settings.spec,
    })
}

/// Checks that a job waits for exactly one before it, as in fio.
fn check_wait(job: &Job, before: &[Job]) -> Result<(), JobError> {
    let Some(name) = &job.spec.wait_for else {
        return Ok(());
    };
    let found = before.iter().filter(|other| other.name == *name).count();
    let fault = match found {
        1 => return Ok(()),
        0 => "no job before this one has that name",
        _ => "several jobs before this one have that name",
    };
    let problem = format!("option `wait_for={name}`: {fault}");
    Err(JobError::new(&job.place, problem))
}

/// Checks that the jobs of a flow run at the same time: fio counts the weight of a job that has not
/// begun, so that those before it would wait for it without end.
fn check_flow(job: &Job, before: &[Job]) -> Result<(), JobError> {
    let spec = &job.spec;
    let is_of_flow = |other: &Job| other.spec.flow.weight > 0 && other.spec.flow.id == spec.flow.id;
    let first = before.iter().position(is_of_flow);
    let Some(first) = first.filter(|_| spec.flow.weight > 0) else {
        return Ok(());
    };
    let since = before[first + 1..].iter().chain([job]);
    let waits = |job: &Job| job.spec.stonewall || (is_of_flow(job) && job.spec.wait_for.is_some());
    if since.clone().any(waits) {
        let problem = format!(
            "option `flow={}`: the jobs of a flow must begin together: leave out `stonewall` and \
             `wait_for`, or set another `flow_id`",
            spec.flow.weight
        );
        return Err(JobError::new(&job.place, problem));
    }
    Ok(())
}

/// Checks options that depend on each other.
fn check(settings: &Defaults, section: &RawSection) -> Result<(), JobError> {
    let spec = &settings.spec;
    let fail = |option: &'static str, problem: &str| {
        let mut place = settings
            .places
            .get(option)
            .unwrap_or(&section.place)
            .clone();
        place.section = Some(Arc::clone(&section.name));
        Err(JobError::new(
            &place,
            format!("option `{option}`: {problem}"),
        ))
    };
    if spec.time_based && spec.runtime.is_none() {
        return fail("time_based", "needs `runtime`, which says for how long");
    }
    let amounts = [
        spec.io_size.is_some(),
        spec.filesize.is_some(),
        spec.number_ios > 0,
    ];
    if spec.loops > 1 && amounts.contains(&true) {
        let problem = "is not simulated with `io_size`, `filesize` or `number_ios`: with the \
                       first, fio ends each pass after `size`; leave out one of them";
        return fail("loops", problem);
    }
    if let Some((option, problem)) = fault_of_order(spec) {
        return fail(option, problem);
    }
    if spec.random_run > 1 && !matches!(spec.rw.mix, Mix::Only(_)) {
        let problem = "a number after `rw` is not simulated for jobs of two directions, of which \
                       fio counts the requests together";
        return fail("rw", problem);
    }
    if let Some(problem) = fault_of_zones(spec) {
        return fail("zonesize", problem);
    }
    let none = Extent::Bytes(0);
    if spec.skip_bytes < 0 && (spec.offset, spec.offset_increment) != (none, none) {
        let problem = "is not simulated for a job that descends: fio leaves the region then";
        return fail("offset", problem);
    }
    for (option, extent) in [
        ("offset", spec.offset),
        ("offset_increment", spec.offset_increment),
    ] {
        if matches!(extent, Extent::Bytes(bytes) if bytes % 512 != 0) {
            return fail(option, "must be a multiple of 512 bytes");
        }
    }
    Ok(())
}

/// Fault of options whose common meaning in fio depends on its implementation.
fn fault_of_order(spec: &Spec) -> Option<(&'static str, &'static str)> {
    if spec.distribution == Distribution::Zoned && spec.generator == Generator::Lfsr {
        let problem = "zones are not simulated with `random_generator=lfsr`, whose order fio does \
                       not limit to a zone: leave out one of them";
        return Some(("random_distribution", problem));
    }
    if !spec.verifies() {
        return None;
    }
    let problem = if spec.time_based {
        "is not simulated with `time_based`, with which fio writes and reads in turns: set the \
         amount of data with `size`"
    } else if passes_again(spec) || spec.number_ios > 0 {
        "is not simulated with an `io_size` above `size`, or with `number_ios`: fio counts the \
         reads too; set the amount of data with `size`"
    } else if spec.loops > 1 {
        "is not simulated with `loops`: leave out one of them"
    } else if spec.flow.weight > 0 {
        "is not simulated with `flow`: leave out one of them, or set `do_verify=0`"
    } else {
        return None;
    };
    Some(("verify", problem))
}

/// True if a job moves more data than its region holds.
fn passes_again(spec: &Spec) -> bool {
    match (spec.io_size, spec.size) {
        (Some(Extent::Bytes(io)), Some(Extent::Bytes(size))) => io > size,
        _ => false,
    }
}

/// Fault of the options of zones.
fn fault_of_zones(spec: &Spec) -> Option<&'static str> {
    let zones = spec.zones;
    let Some(range) = zones.zone_bytes() else {
        return (zones.size_bytes > 0).then_some("needs `zonemode=strided`, as in fio");
    };
    if zones.size_bytes == 0 {
        return Some("is needed by `zonemode=strided`");
    }
    if zones.size_bytes > range {
        return Some("is not simulated above `zonerange`: make it as large or smaller");
    }
    if spec.time_based {
        return Some("is not simulated with `time_based`: give the amount of data with `size`");
    }
    if spec.filesize.is_some() && matches!(spec.size, Some(Extent::Percent(_))) {
        return Some("is not simulated with a percentage as `size` of a `filesize`: give bytes");
    }
    let is_plain = matches!(spec.rw.mix, Mix::Only(_)) && spec.skip_bytes == 0;
    let is_plain = is_plain && spec.random_run == 1 && spec.random_percent == [100; 3];
    (!is_plain || spec.loops > 1).then_some(
        "is only simulated for jobs of one direction, without a number after `rw`, \
         `percentage_random` and `loops`",
    )
}

fn unknown(entry: &Entry) -> JobError {
    let honoured = options::OPTIONS.iter();
    let close = honoured
        .clone()
        .map(|def| def.name)
        .chain(accepted::ACCEPTED.iter().map(|(name, _)| *name))
        .map(|name| (distance(name, &entry.key), name))
        .min()
        .filter(|(distance, _)| *distance <= 1 + entry.key.len() / 4)
        .map_or_else(String::new, |(_, name)| format!(" Did you mean `{name}`?"));
    let list: Vec<_> = honoured.map(options::OptionDef::told).collect();
    JobError::new(
        &entry.place,
        format!(
            "option `{}` is not known, or cannot be simulated.{close} Honoured are: {}. Options of \
             the host and of the data's content (directory, direct …) are accepted without effect.",
            entry.key,
            list.join(", ")
        ),
    )
}

/// Levenshtein's distance, in characters.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

struct NoResolver;

impl lexer::Resolver for NoResolver {
    fn include(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!(
            "`include {path}`: this text is not a file, so there is no place to look for it; \
            paste its lines instead"
        ))
    }

    fn processors(&self) -> Result<String, String> {
        Err(
            "`$ncpus`: the number of processors is only known for job files, not for text; write \
            the number instead"
                .to_owned(),
        )
    }

    fn memory_mib(&self) -> Result<String, String> {
        Err(
            "`$mb_memory`: the amount of memory is only known for job files, not for text; write \
            the number of MiB instead"
                .to_owned(),
        )
    }

    fn variable(&self, name: &str) -> Result<String, String> {
        Err(format!(
            "`${{{name}}}`: variables are only known in job files, not in text; write the value \
            instead"
        ))
    }
}

/// Reason why a file is not read.
struct Unreadable {
    /// Line of the fault, from 1; 0 for the whole file.
    line: u32,
    problem: String,
}

/// The text of a file, without the byte-order mark that editors may add.
fn read(path: &Path) -> Result<String, Unreadable> {
    let bytes = std::fs::read(path).map_err(|error| Unreadable {
        line: 0,
        problem: format!("cannot be read: {error}"),
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let (before, after) = error.as_bytes().split_at(valid);
        let ends = before.iter().filter(|byte| **byte == b'\n').count();
        Unreadable {
            line: u32::try_from(ends + 1).unwrap_or(u32::MAX),
            problem: format!(
                "the byte 0x{:02x} is not UTF-8: save the file as UTF-8",
                after.first().copied().unwrap_or_default()
            ),
        }
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Memory of a machine, whole MiB, from its `/proc/meminfo`.
fn memory_mib(meminfo: &str) -> Option<String> {
    let total = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kib / 1024).to_string())
}

struct FileSystem;

impl lexer::Resolver for FileSystem {
    fn include(&self, path: &str, from: &str) -> Result<(String, String), String> {
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        let full = folder.join(path);
        let name = full.display().to_string();
        match read(&full) {
            Ok(text) => Ok((text, name)),
            Err(Unreadable { line: 0, problem }) => {
                Err(format!("`include {path}`: {name} {problem}"))
            }
            Err(Unreadable { line, problem }) => {
                Err(format!("`include {path}`: {name}, line {line}: {problem}"))
            }
        }
    }

    fn processors(&self) -> Result<String, String> {
        let number = std::thread::available_parallelism();
        number
            .map(|number| number.to_string())
            .map_err(|error| format!("`$ncpus`: {error}"))
    }

    fn memory_mib(&self) -> Result<String, String> {
        const FILE: &str = "/proc/meminfo";
        let text = std::fs::read_to_string(FILE)
            .map_err(|error| format!("`$mb_memory`: {FILE}: {error}"))?;
        memory_mib(&text).ok_or_else(|| format!("`$mb_memory`: {FILE} has no total in kB"))
    }

    /// The value of a variable; as in fio, empty if it is not set.
    fn variable(&self, name: &str) -> Result<String, String> {
        Ok(std::env::var(name).unwrap_or_default())
    }
}
