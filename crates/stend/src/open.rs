//! Opens the target that the user named on the command line.

use std::fmt::Display;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use stend_load::target::{Target, WriteLimit};
use stend_model::{Model, SHIPPED};
use stend_real::{FioTarget, OpenOptions};
use stend_record::endurance::Health;
use stend_record::review::{ModelInfo, TargetInfo};
use stend_simulated::{Access, SimulatedTarget, is_state_file, model_info};

use crate::args::{OnArgs, RealArgs, SetArgs};
use crate::consent;
use crate::failure::Failure;
use crate::output::note;
use crate::progress::note_above;

/// An opened target.
pub enum Opened {
    /// A simulated drive.
    Simulated(Box<SimulatedTarget>),
    /// A file or block device, through fio.
    Real(Box<FioTarget>),
}

impl Opened {
    /// The target behind the common trait.
    pub fn into_target(self) -> Box<dyn Target> {
        match self {
            Opened::Simulated(target) => target,
            Opened::Real(target) => target,
        }
    }

    /// Returns the target so that tests run on one drive, without copies. A real target is
    /// unchanged.
    pub fn single(self) -> Opened {
        match self {
            Opened::Simulated(target) => Opened::Simulated(Box::new(target.single())),
            real @ Opened::Real(_) => real,
        }
    }

    /// Facts about the target.
    pub fn info(&self) -> TargetInfo {
        match self {
            Opened::Simulated(target) => target.info(),
            Opened::Real(target) => target.info(),
        }
    }

    /// The state file of a simulated drive, or `None` if it has none.
    pub fn state_path(&self) -> Option<&Path> {
        match self {
            Opened::Simulated(target) => target.state_path(),
            Opened::Real(_) => None,
        }
    }

    /// True if the target was opened for reading only.
    pub fn read_only(&self) -> bool {
        match self {
            Opened::Simulated(target) => target.read_only(),
            Opened::Real(target) => target.read_only(),
        }
    }

    /// Counters of completed requests and of events; `None` for a real target.
    pub fn counts(&self) -> Option<[Arc<AtomicU64>; 2]> {
        match self {
            Opened::Simulated(target) => Some([target.request_count(), target.event_count()]),
            Opened::Real(_) => None,
        }
    }
}

/// True if `name` is a shipped model, a model file, or a state file.
pub fn is_simulated(name: &str) -> bool {
    is_model(name) || is_state_file(Path::new(name))
}

/// True if `name` is a shipped model or a model file.
pub fn is_model(name: &str) -> bool {
    SHIPPED.iter().any(|s| s.name == name) || name.ends_with(".toml")
}

/// Refuses options that the targets of a job or a trace would ignore.
pub fn check_on(on: &OnArgs) -> Result<(), Failure> {
    real_options_fit(&on.on, &on.real)?;
    check_set(&on.on, &on.set)?;
    if on.fill.is_some() && on.real.read_only {
        return Err(Failure::Input(
            "--fill writes to the target, which --read-only rules out: leave one of them out"
                .into(),
        ));
    }
    if on.on.len() > 1 {
        check_all(&on.on, &on.set, &on.real)?;
    }
    Ok(())
}

/// Refuses duplicate or unknown targets and unsuitable options, before any target is touched.
pub fn check_all(names: &[String], set: &SetArgs, real: &RealArgs) -> Result<(), Failure> {
    check_distinct_targets(names, "target")?;
    for name in names {
        look(Named { name, set }, real)?;
    }
    Ok(())
}

/// Refuses a list that contains a name twice.
pub fn check_distinct<T: PartialEq + Display>(names: &[T], what: &str) -> Result<(), Failure> {
    match (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        None => Ok(()),
        Some(twice) => Err(Failure::Input(format!(
            "{} is named twice as a {what}: leave one out",
            names[twice]
        ))),
    }
}

/// Refuses a list that contains a target twice, even under two of its names.
pub fn check_distinct_targets(names: &[String], what: &str) -> Result<(), Failure> {
    check_distinct(names, what)?;
    // Identifies a block device by its device number, a file by its inode.
    let is = |name: &String| {
        let meta = std::fs::metadata(name).ok().filter(|_| !is_model(name))?;
        match meta.file_type().is_block_device() {
            true => Some((0, meta.rdev())),
            false => Some((meta.dev(), meta.ino())),
        }
    };
    let of: Vec<_> = names.iter().map(is).collect();
    let same = |at: usize| {
        of[..at]
            .iter()
            .position(|one| one.is_some() && *one == of[at])
    };
    match (1..names.len()).find_map(|at| Some((same(at)?, at))) {
        None => Ok(()),
        Some((one, twice)) => Err(Failure::Input(format!(
            "{} is {} by another name, which is named twice as a {what}: leave one out",
            names[twice], names[one]
        ))),
    }
}

/// Refuses options of real targets if every target is simulated and would ignore them.
pub fn real_options_fit<'a>(
    names: impl IntoIterator<Item = &'a String>,
    real: &RealArgs,
) -> Result<(), Failure> {
    let option = match real {
        RealArgs { size: Some(_), .. } => "--size",
        RealArgs { destroy, .. } if !destroy.is_empty() => "--destroy",
        RealArgs {
            read_only: true, ..
        } => "--read-only",
        _ => return Ok(()),
    };
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    if !names.iter().all(|name| is_simulated(name)) {
        return Ok(());
    }
    let mut text = format!(
        "{option} is for real targets, and {} is simulated: a simulated drive has its own \
        capacity and no data to lose; leave {option} out",
        names.join(", "),
    );
    if is_model(names[0]) {
        text += &format!(", or name a file by its path (./{})", names[0]);
    }
    Err(Failure::Input(text))
}

/// Refuses `--set` for targets that are not drive models.
pub fn check_set<'a>(
    names: impl IntoIterator<Item = &'a String>,
    set: &SetArgs,
) -> Result<(), Failure> {
    let Some((key, value)) = set.set.first() else {
        return Ok(());
    };
    match names.into_iter().find(|name| !is_model(name)) {
        None => Ok(()),
        Some(other) => Err(Failure::Input(format!(
            "--set {key}={value} changes a drive model, and {other} is none: name a model \
             (`stend drives`) or a model file, or leave --set out"
        ))),
    }
}

/// Returns the drive model `name`, shipped or from a file, with the figures of `--set`; `None` if
/// no model has this name.
pub fn model(Named { name, set }: Named<'_>) -> Result<Option<(Model, ModelInfo)>, Failure> {
    let original = match Model::shipped(name) {
        None if name.ends_with(".toml") => Model::read(Path::new(name))?,
        None => return Ok(None),
        Some(shipped) => shipped,
    };
    let model = original.with(&set.set)?;
    let known = model_info(&model, &original);
    Ok(Some((model, known)))
}

/// Work planned on a real target.
#[derive(Clone, Copy, Debug, Default)]
pub struct Planned {
    /// Bytes to be written.
    pub bytes: u64,
    /// Additional time in which the target is written as fast as it accepts data, s.
    pub writing_s: f64,
    /// Total time of loads and rests, s.
    pub time_s: f64,
}

/// A target as the user names it, and the model figures that `--set` changes.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Name of the target.
    pub name: &'a str,
    /// Changed figures.
    pub set: &'a SetArgs,
}

/// Opens a shipped model, a model file, a state file, or a path.
pub fn open(named: Named<'_>, real_args: &RealArgs, access: Access) -> Result<Opened, Failure> {
    open_planned(named, real_args, access, &|_| None)
}

/// As [`open`]. `planned` returns the work planned on a device of the given number of bytes; it is
/// shown in the table before the user must type the device's serial number.
pub fn open_planned(
    named: Named<'_>,
    real_args: &RealArgs,
    access: Access,
    planned: &dyn Fn(u64) -> Option<Planned>,
) -> Result<Opened, Failure> {
    let name = named.name;
    let path = Path::new(name);
    let simulated = if let Some((model, known)) = model(named)? {
        Some(SimulatedTarget::new(model).of_model(known))
    } else if is_state_file(path) {
        Some(SimulatedTarget::open(path, access)?)
    } else {
        None
    };
    if let Some(target) = simulated {
        return Ok(Opened::Simulated(Box::new(target.called(name))));
    }
    if !is_like_a_path(name, real_args) {
        return Err(Failure::Input(unknown(name)));
    }
    let device_bytes = stend_real::device_bytes(path);
    let planned = device_bytes.and_then(|bytes| planned(real_args.size.unwrap_or(bytes)));
    let options = OpenOptions {
        size_bytes: real_args.size,
        destroy: real_args.destroy.clone(),
        ask: consent::asker(),
        report: Some(note_above),
        read_only: real_args.read_only,
        planned_write_bytes: planned.map(|p| p.bytes),
        planned_writing_s: planned.map(|p| p.writing_s).filter(|s| *s > 0.0),
        planned_s: planned.map(|p| p.time_s).filter(|s| *s > 0.0),
        ..OpenOptions::default()
    };
    let target = stend_real::open(path, &options)?;
    let left = target.left_by_killed_reviews();
    if !left.is_empty() {
        note(&left);
    }
    Ok(Opened::Real(Box::new(target)))
}

/// Facts about a target that is not opened.
pub struct Seen {
    /// The target.
    pub info: TargetInfo,
    /// True if it is simulated.
    pub simulated: bool,
    /// True if it is expected to support TRIM.
    pub trim_supported: bool,
    /// Bytes that it is rated to be written in its life, if known.
    pub rated_bytes: Option<u64>,
    /// Health that a real device reports.
    pub health: Option<Health>,
    /// Write limit of the target.
    pub write_limit: WriteLimit,
    /// Reasons for which a review of a real device would be refused.
    pub refusals: Vec<String>,
}

/// As [`open`], but opens no real target: creates and locks nothing, and asks no question.
pub fn look(named: Named<'_>, real_args: &RealArgs) -> Result<Seen, Failure> {
    let name = named.name;
    let path = Path::new(name);
    if let Some((model, known)) = model(named)? {
        let spec = model.spec();
        return Ok(Seen {
            info: TargetInfo {
                name: name.to_owned(),
                ..SimulatedTarget::info_of_known(&model, &known)
            },
            simulated: true,
            trim_supported: spec.trim.enabled,
            rated_bytes: model.rated_bytes(),
            health: None,
            write_limit: match spec.wears_out() {
                true => WriteLimit::UntilRefused,
                false => WriteLimit::NeverRefuses,
            },
            refusals: Vec::new(),
        });
    }
    if is_state_file(path) {
        let target = SimulatedTarget::open(path, Access::Look)?.called(name);
        return Ok(Seen {
            info: target.info(),
            simulated: true,
            trim_supported: target.trim_supported(),
            rated_bytes: target.rated_bytes(),
            health: None,
            write_limit: target.write_limit(),
            refusals: Vec::new(),
        });
    }
    if !is_like_a_path(name, real_args) {
        return Err(Failure::Input(unknown(name)));
    }
    let seen = stend_real::look(path, real_args.size)?;
    Ok(Seen {
        info: seen.info,
        simulated: false,
        trim_supported: seen.trim_supported,
        rated_bytes: None,
        health: seen.health,
        write_limit: WriteLimit::AsStated,
        // Reading is allowed even of a device in use.
        refusals: match real_args.read_only {
            true => Vec::new(),
            false => seen.refusals,
        },
    })
}

/// True if `name`, which is no model, is meant as a path.
fn is_like_a_path(name: &str, real_args: &RealArgs) -> bool {
    name.contains('/') || Path::new(name).exists() || real_args.size.is_some() && !name.is_empty()
}

/// Message for a name that is no model, where only a model is allowed.
pub fn unknown_model(name: &str) -> String {
    format!(
        "{}. A model file ends in .toml",
        stend_model::unknown_model(name)
    )
}

fn unknown(name: &str) -> String {
    format!(
        "{}. There is no file of this name either: a model file ends in .toml; a drive with a \
         state is created by `stend drives create`; a file to be tested that does not exist yet \
         needs --size",
        stend_model::unknown_model(name)
    )
}
