//! Estimates and outlines a review before anything is done.

use stend_language::Text;
use stend_load::target::WriteLimit;
use stend_record::load::{Load, range_bytes};
use stend_record::review::TargetInfo;
use stend_record::size::size_text;

use crate::choice::{Access, effective, prepare_plan, unfinished};
use crate::edition::Edition;
use crate::options::{MethodError, ReviewOptions};
use crate::plan::Plan;
use crate::setting::{Action, PASS_BYTES_PER_S, Setting};
use crate::state::Step;
use crate::{parallel, serial};

/// Speed at which a target is assumed to be filled, bytes a second: a SATA drive's. Estimates that
/// use it state so.
pub const FILL_BYTES_PER_S: f64 = PASS_BYTES_PER_S;

/// Estimated load of a review on its target, before anything is done. It excludes the time that a
/// real target takes to fill, because its speed is not known beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Time under measured load, s. Includes traces only if they are replayed at their own times.
    pub measured_s: f64,
    /// Part of [`Estimate::measured_s`] under loads that write, s.
    pub writing_s: f64,
    /// Rests, s.
    pub idle_s: f64,
    /// Bytes written by preparation, by curves that end with their range, as files to delete, as
    /// files of benchmarks, and as files of file sets.
    pub fill_bytes: u64,
    /// Bytes written by traces.
    pub trace_bytes: u64,
    /// Bytes written in [`Estimate::writing_s`] by a SATA drive that is as fast as its bus and its
    /// latency allow: a guess, too high for a slower drive.
    pub load_bytes: u64,
    /// Bytes of passes that only read, and of traces that are replayed as fast as possible: their
    /// time is not in [`Estimate::measured_s`].
    pub read_bytes: u64,
}

impl Estimate {
    /// Returns the duration of everything on a target that writes and reads passes at this speed,
    /// s.
    pub fn duration_s(&self, bytes_per_s: f64) -> f64 {
        let passes = self.fill_bytes + self.read_bytes;
        self.measured_s + self.idle_s + passes as f64 / bytes_per_s
    }

    /// Returns all bytes that would be written; those of loads that end with a time are a guess.
    pub fn written_bytes(&self) -> u64 {
        self.fill_bytes + self.trace_bytes + self.load_bytes
    }

    fn add(&mut self, setting: &Setting, action: &Action<'_>) {
        let capacity_bytes = setting.capacity_bytes;
        match action {
            Action::Load {
                load,
                runtime_s: Some(runtime_s),
            } => self.add_load(load, *runtime_s as f64),
            Action::Load {
                load,
                runtime_s: None,
            } => {
                let bytes = load.range_bytes(capacity_bytes);
                match load.writes() {
                    true => self.fill_bytes += bytes,
                    false => self.read_bytes += bytes,
                }
            }
            Action::Write(bytes) => self.fill_bytes += bytes,
            Action::Files(bytes) => self.fill_bytes += 2 * bytes,
            Action::Step(Step::Fill { region_bytes, .. }) => {
                self.fill_bytes += range_bytes(*region_bytes, capacity_bytes);
            }
            Action::Step(Step::Idle { duration_s }) => self.idle_s += duration_s,
            Action::Replay(replay) => {
                self.measured_s += replay.duration_s;
                self.trace_bytes += replay.written_bytes;
                if replay.duration_s == 0.0 {
                    self.read_bytes += replay.read_bytes + replay.written_bytes;
                }
            }
            Action::Step(Step::UntilSteady(rounds)) => {
                let rounds_max = f64::from(rounds.rounds_max);
                let seconds = setting.runtime_s(rounds.round_s) as f64 * rounds_max;
                self.add_load(&rounds.load, seconds);
            }
            Action::Step(Step::Trim) => {}
        }
    }

    fn add_load(&mut self, load: &Load, seconds: f64) {
        self.measured_s += seconds;
        if load.writes() {
            self.writing_s += seconds;
            let share = f64::from(100 - load.read_percent) / 100.0;
            let bytes_per_s = Setting::guessed_iops(load) * load.block_bytes as f64;
            self.load_bytes += (share * bytes_per_s * seconds) as u64;
        }
    }
}

/// Facts about a target that are known before a review.
#[derive(Clone, Copy, Debug)]
pub struct Prospect<'t> {
    /// The target.
    pub info: &'t TargetInfo,
    /// True if it can be copied, as a simulated drive can.
    pub can_be_copied: bool,
    /// True if it is opened read-only.
    pub read_only: bool,
    /// True if it supports TRIM.
    pub trim_supported: bool,
}

/// The parts of a review, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Preparation of states before all tests, each once, on a target that can be copied; on one
    /// that cannot, tests begin with it.
    pub states: Vec<OutlinedPart>,
    /// The chosen tests.
    pub tests: Vec<OutlinedTest>,
    /// Sum of all parts.
    pub total: Estimate,
}

/// A test of an [`Outline`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutlinedTest {
    /// Id.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Reasons why the target cannot do all of it.
    pub warnings: Vec<Text>,
    /// Id of the test that lists its parts: a test that continues another is measured with it.
    pub measured_with: Option<String>,
    /// Parts of the test, with the states that are prepared for it; equal parts are listed once.
    pub parts: Vec<OutlinedPart>,
}

/// One part of a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutlinedPart {
    /// Description, `random read, 4 KiB, queue depth 8`.
    pub what: String,
    /// Number of repetitions.
    pub times: u64,
    /// Duration of each repetition, s; `None` if bytes end it.
    pub duration_s: Option<f64>,
    /// Bytes written or read in each repetition, if bytes end it.
    pub bytes: Option<u64>,
}

/// Estimates the load of [`run_review`](crate::run_review) on a target of this kind and size.
///
/// # Errors
/// The same as [`run_review`](crate::run_review).
pub fn estimate(
    edition: &Edition,
    options: &ReviewOptions<'_>,
    target: &TargetInfo,
    can_be_copied: bool,
) -> Result<Estimate, MethodError> {
    let edition = effective(edition, options);
    let unfinished = unfinished(&edition, options.resume.as_ref(), WriteLimit::AsStated);
    let (plan, _) = prepare_plan(&edition, options, target, Access::default(), &unfinished)?;
    let mut sum = Estimate::default();
    walk(&plan, can_be_copied, &mut |_, action| {
        sum.add(&plan.setting, &action)
    });
    Ok(sum)
}

/// Outlines the work of [`run_review`](crate::run_review) on a target, without touching it.
///
/// # Errors
/// The same as [`run_review`](crate::run_review).
pub fn outline(
    edition: &Edition,
    options: &ReviewOptions<'_>,
    target: &Prospect<'_>,
) -> Result<Outline, MethodError> {
    let edition = effective(edition, options);
    let access = Access {
        read_only: target.read_only,
        no_trim: !target.trim_supported,
    };
    let unfinished = unfinished(&edition, options.resume.as_ref(), WriteLimit::AsStated);
    let (plan, _) = prepare_plan(&edition, options, target.info, access, &unfinished)?;
    let test = |test: &crate::recorder::PlannedTest| OutlinedTest {
        id: test.head.id.clone(),
        title: test.head.title.to_string(),
        warnings: test
            .skipped
            .iter()
            .chain(&test.head.warnings)
            .cloned()
            .collect(),
        measured_with: None,
        parts: Vec::new(),
    };
    let mut outline = Outline {
        tests: plan.tests.iter().map(test).collect(),
        ..Outline::default()
    };
    for procedure in &plan.procedures {
        let first = plan.tests[procedure.test()].head.id.clone();
        for place in procedure
            .places
            .iter()
            .filter(|p| p.test != procedure.test())
        {
            outline.tests[place.test].measured_with = Some(first.clone());
        }
    }
    let setting = &plan.setting;
    walk(&plan, target.can_be_copied, &mut |procedure, action| {
        let procedure = procedure.map(|index| &plan.procedures[index]);
        let parts = match procedure {
            None => &mut outline.states,
            Some(procedure) => &mut outline.tests[procedure.test()].parts,
        };
        // A target without TRIM gets none.
        if setting.no_trim && matches!(action, Action::Step(Step::Trim)) {
            return;
        }
        outline.total.add(setting, &action);
        let title = procedure.and_then(|procedure| procedure.title());
        add_part(
            parts,
            part(setting, &action, title.map(|title| title.to_string())),
        );
    });
    Ok(outline)
}

/// Passes every action of a plan to `see`, with the index of its procedure; `None` for the states
/// of a target that can be copied.
pub(crate) fn walk(
    plan: &Plan<'_>,
    can_be_copied: bool,
    see: &mut dyn FnMut(Option<usize>, Action<'_>),
) {
    if can_be_copied {
        parallel::walk(plan, see);
    } else {
        serial::walk(plan, see);
    }
}

/// Adds a part, or counts its repetition.
fn add_part(parts: &mut Vec<OutlinedPart>, part: OutlinedPart) {
    let same = |known: &&mut OutlinedPart| {
        (&known.what, known.duration_s, known.bytes) == (&part.what, part.duration_s, part.bytes)
    };
    match parts.iter_mut().find(same) {
        Some(known) => known.times += 1,
        None => parts.push(part),
    }
}

/// Describes an action in words; a procedure may have its own title for its loads and traces.
fn part(setting: &Setting, action: &Action<'_>, title: Option<String>) -> OutlinedPart {
    let timed = |what: String, duration_s: f64| OutlinedPart {
        what,
        times: 1,
        duration_s: Some(duration_s),
        bytes: None,
    };
    let sized = |what: String, bytes: u64| OutlinedPart {
        what,
        times: 1,
        duration_s: None,
        bytes: Some(bytes),
    };
    let capacity_bytes = setting.capacity_bytes;
    let described = |load: &Load| load.within(capacity_bytes).describe();
    match action {
        Action::Load {
            load,
            runtime_s: Some(runtime_s),
        } => timed(
            title.unwrap_or_else(|| described(load).to_string()),
            *runtime_s as f64,
        ),
        Action::Load {
            load,
            runtime_s: None,
        } => sized(
            format!("{}, one pass", described(load)),
            load.range_bytes(capacity_bytes),
        ),
        Action::Write(bytes) => sized("write in sequence".to_owned(), *bytes),
        Action::Files(bytes) => sized("make files and work on them".to_owned(), 2 * bytes),
        Action::Replay(replay) => {
            let what = format!("replay {}", title.unwrap_or_else(|| "a trace".to_owned()));
            match replay.duration_s {
                0.0 => sized(what, replay.read_bytes + replay.written_bytes),
                duration_s => timed(what, duration_s),
            }
        }
        Action::Step(Step::Fill {
            region_bytes,
            block_bytes,
            ..
        }) => sized(
            format!("fill in sequence, {}", size_text(*block_bytes)),
            range_bytes(*region_bytes, capacity_bytes),
        ),
        Action::Step(Step::Trim) => sized("TRIM of the whole capacity".to_owned(), 0),
        Action::Step(Step::Idle { duration_s }) => timed("rest".to_owned(), *duration_s),
        Action::Step(Step::UntilSteady(rounds)) => {
            let round_s = setting.runtime_s(rounds.round_s) as f64;
            timed(
                format!(
                    "{} until steady, at most {} rounds of {round_s} s",
                    described(&rounds.load),
                    rounds.rounds_max
                ),
                round_s * f64::from(rounds.rounds_max),
            )
        }
    }
}
