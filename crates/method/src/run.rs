//! Carrying an edition out on a target.

use std::borrow::Cow;

use stend_record::load::range_bytes;
use stend_record::review::{Review, SCHEMA, TargetInfo, TargetKind, TestResult};
use stend_target::{Target, WriteLimit};

use crate::budget::check_budget;
use crate::context::Context;
use crate::edition::Edition;
use crate::event::Event;
use crate::host::{self, Limits};
use crate::options::{DURATION_SCALE_MAX, MethodError, ReviewOptions};
use crate::plan::Plan;
use crate::recorder::Recorder;
use crate::runner::Runner;
use crate::setting::{Action, Setting};
use crate::state::Step;
use crate::{conditions, parallel, serial};

/// What a review asks of its target, before anything is done. The time that a
/// real target takes to fill is not in it: its speed is not known beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Time under measured load, s. Of traces, those that are replayed at their own times.
    pub measured_s: f64,
    /// Of that, time under loads that write, s.
    pub writing_s: f64,
    /// Rests, s.
    pub idle_s: f64,
    /// Bytes written by preparation, by curves that end with their range, as files to be
    /// deleted, as files of benchmarks, and as files that are made and worked on.
    pub fill_bytes: u64,
    /// Bytes written by traces.
    pub trace_bytes: u64,
}

/// Whether the options suit the edition, which can be known before a target is opened.
pub fn check_options(edition: &Edition, options: &ReviewOptions<'_>) -> Result<(), MethodError> {
    let chosen = chosen(edition, options)?;
    match options.until_steady {
        Some(_) if !edition.can_be_steady(&chosen) => Err(MethodError::NothingSteady),
        _ => Ok(()),
    }
}

/// Whether the chosen tests may write as much as they will to a target of this limit.
/// [`run_review`] asks again; for a real target the answer is known before it is opened.
pub fn check_write_budget(
    edition: &Edition,
    options: &ReviewOptions<'_>,
    limit: WriteLimit,
) -> Result<(), MethodError> {
    check_budget(edition, &chosen(edition, options)?, options, limit)
}

/// The edition as the options change it.
fn effective<'e>(edition: &'e Edition, options: &ReviewOptions<'_>) -> Cow<'e, Edition> {
    match options.until_steady {
        None => Cow::Borrowed(edition),
        Some(load) => Cow::Owned(edition.until_steady(load)),
    }
}

/// What [`run_review`] would ask of a target of this kind and size.
pub fn estimate(
    edition: &Edition,
    options: &ReviewOptions<'_>,
    target: &TargetInfo,
    can_be_copied: bool,
) -> Result<Estimate, MethodError> {
    let edition = effective(edition, options);
    let (plan, _) = prepare_plan(&edition, options, target, Access::default())?;
    let setting = &plan.setting;
    let mut sum = Estimate::default();
    walk(&plan, can_be_copied, &mut |action| match action {
        Action::Load {
            load,
            runtime_s: Some(runtime_s),
        } => {
            sum.measured_s += runtime_s as f64;
            if load.writes() {
                sum.writing_s += runtime_s as f64;
            }
        }
        Action::Load {
            load,
            runtime_s: None,
        } => {
            if load.writes() {
                sum.fill_bytes += load.range_bytes(target.capacity_bytes);
            }
        }
        Action::Write(bytes) => sum.fill_bytes += bytes,
        Action::Files(bytes) => sum.fill_bytes += 2 * bytes,
        Action::Step(Step::Fill { region_bytes, .. }) => {
            sum.fill_bytes += range_bytes(*region_bytes, target.capacity_bytes);
        }
        Action::Step(Step::Idle { duration_s }) => sum.idle_s += setting.rest_s(*duration_s),
        Action::Replay(replay) => {
            sum.measured_s += replay.duration_s;
            sum.trace_bytes += replay.written_bytes;
        }
        Action::Step(Step::UntilSteady(rounds)) => {
            let rounds_max = f64::from(rounds.rounds_max);
            let seconds = setting.runtime_s(rounds.round_s) as f64 * rounds_max;
            sum.measured_s += seconds;
            sum.writing_s += seconds;
        }
        Action::Step(Step::Trim) => {}
    });
    Ok(sum)
}

/// Runs the chosen tests of `edition` on `target`.
///
/// An error of a test is part of the review (`failed`); the others go on where they can.
/// An `Err` means that nothing was done.
pub fn run_review(
    mut target: Box<dyn Target>,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    events: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Review, MethodError> {
    let info = target.info();
    check_options(edition, options)?;
    // In read-only mode what writes is left out, however much it would be.
    if !target.read_only() {
        check_write_budget(edition, options, target.write_limit())?;
    }
    let edition = effective(edition, options);
    let access = Access {
        read_only: target.read_only(),
        no_trim: !target.trim_supported(),
    };
    let (plan, finished) = prepare_plan(&edition, options, &info, access)?;
    let whole = whole_plan(&edition, options, &plan.setting)?;
    let can_be_copied = target.can_fork();
    let earlier = options.resume.as_ref();
    let unfinished = unfinished(&edition, earlier, target.write_limit());
    let smart = host::smart_before(target.as_mut(), earlier);
    let limits = Limits::measured(target.as_mut(), threads(&whole));
    let mut environment = target.environment();
    environment.extend(limits.conditions());
    let review = Review {
        target: info,
        environment,
        smart,
        ..without_results(&whole, options, can_be_copied)
    };
    let mut cost_total = 0.0;
    walk(&plan, can_be_copied, &mut |action| {
        cost_total += plan.setting.cost(&action)
    });
    let recorder = Recorder::new(
        &plan.tests,
        cost_total,
        events,
        options.save,
        review,
        (finished, unfinished),
    );
    if let Some(earlier) = earlier {
        note_earlier(&recorder, earlier, &plan, can_be_copied);
    }
    for (number, test) in plan.tests.iter().enumerate() {
        if let Some(why) = &test.skipped {
            recorder.skip(number, why);
        }
    }
    let runner = Runner {
        plan: &plan,
        context: Context {
            setting: &plan.setting,
            recorder: &recorder,
            limits: &limits,
            ends_when: options.ends_when,
        },
    };
    if can_be_copied {
        parallel::run(&runner, target, options.threads);
        return Ok(recorder.finish());
    }
    serial::run(&runner, target.as_mut());
    let mut review = recorder.finish();
    host::smart_after(target.as_mut(), &mut review);
    Ok(review)
}

/// Tests that an earlier run has not finished, by their index in the edition. A simulated drive is
/// as new again; a real one stays worn by what was written, and the test continues.
fn unfinished(
    edition: &Edition,
    earlier: Option<&Review>,
    limit: WriteLimit,
) -> Vec<Option<TestResult>> {
    let worn = earlier.filter(|_| limit == WriteLimit::AsStated);
    let begun = |id: &str| worn?.unfinished.iter().find(|test| test.id == id).cloned();
    edition.tests.iter().map(|test| begun(&test.id)).collect()
}

/// The review of a plan before anything is measured, without what the target says of itself.
fn without_results(plan: &Plan<'_>, options: &ReviewOptions<'_>, can_be_copied: bool) -> Review {
    Review {
        schema: SCHEMA.to_owned(),
        edition: plan.edition.id.clone(),
        edition_title: plan.edition.title.clone(),
        seed: options.seed,
        duration_scale: options.duration_scale,
        until_steady: options.until_steady.map(|load| load.name.to_owned()),
        read_only: plan.setting.read_only,
        conditions: conditions::list(plan, can_be_copied),
        reproduce: options.reproduce.clone(),
        ..Review::default()
    }
}

/// Notes what the earlier run noted and, on a target that cannot be copied, that the run was
/// interrupted.
fn note_earlier(recorder: &Recorder<'_>, earlier: &Review, plan: &Plan<'_>, can_be_copied: bool) {
    // The states of tests that are taken over are not made again.
    recorder.take_over(&conditions::notes(earlier));
    if let (false, Some(next)) = (can_be_copied, plan.tests.first()) {
        let (name, value) = conditions::interruption(earlier, &next.head.title);
        recorder.note(name, value);
    }
}

fn walk(plan: &Plan<'_>, can_be_copied: bool, see: &mut dyn FnMut(Action<'_>)) {
    if can_be_copied {
        parallel::walk(plan, see);
    } else {
        serial::walk(plan, see);
    }
}

/// The numbers of threads of all loads of a plan.
fn threads(plan: &Plan<'_>) -> Vec<u32> {
    let mut threads = Vec::new();
    for procedure in &plan.procedures {
        procedure.actions(&plan.setting, false, &mut |action| {
            if let Action::Load { load, .. } = action {
                threads.push(load.threads);
            }
        });
    }
    threads
}

/// What a target does not allow.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    /// Nothing may be written to it.
    read_only: bool,
    /// It takes no TRIM.
    no_trim: bool,
}

/// The plan of all chosen tests, those that are taken over among them: what is said of all tests is
/// said of these as well.
fn whole_plan<'e>(
    edition: &'e Edition,
    options: &ReviewOptions<'_>,
    setting: &Setting,
) -> Result<Plan<'e>, MethodError> {
    let chosen = chosen(edition, options)?;
    Ok(Plan::new(edition, &chosen, setting.clone(), options.wanted))
}

/// The plan, and the tests taken over by their index in the edition.
fn prepare_plan<'e>(
    edition: &'e Edition,
    options: &ReviewOptions<'_>,
    target: &TargetInfo,
    access: Access,
) -> Result<(Plan<'e>, Vec<Option<TestResult>>), MethodError> {
    let chosen = chosen(edition, options)?;
    let mut finished = vec![None; edition.tests.len()];
    let mut again = vec![false; edition.tests.len()];
    if let Some(earlier) = &options.resume {
        check_resume(earlier, edition, options, (target, access.read_only))?;
        for &index in &chosen {
            let id = &edition.tests[index].id;
            finished[index] = earlier.tests.iter().find(|t| t.id == *id).cloned();
        }
        // A test that continues a curve needs the drive as that curve left it: both are run again.
        // Until then the finished result of the curve stays.
        for &index in &chosen {
            let before = edition.tests[index].kind.common().continues();
            if let Some(before) = before.filter(|_| finished[index].is_none()) {
                again[before] = true;
            }
        }
    }
    let left: Vec<usize> = chosen
        .into_iter()
        .filter(|i| finished[*i].is_none() || again[*i])
        .collect();
    let setting = Setting {
        seed: options.seed,
        scale: options.duration_scale,
        capacity_bytes: target.capacity_bytes,
        kind: target.kind,
        percentiles: edition.percentiles.clone(),
        write_budget_bytes: options.write_budget_bytes,
        read_only: access.read_only,
        // On a target that is only read, no state is prepared.
        no_trim: access.no_trim && !access.read_only,
    };
    let plan = Plan::new(edition, &left, setting, options.wanted);
    Ok((plan, finished))
}

/// Indices of the tests to run, once the options are found possible.
fn chosen(edition: &Edition, options: &ReviewOptions<'_>) -> Result<Vec<usize>, MethodError> {
    let scale = options.duration_scale;
    // Not a number is not above 0 either.
    if !(scale > 0.0 && scale <= DURATION_SCALE_MAX) {
        return Err(MethodError::DurationScale(scale));
    }
    choose(edition, options.tests.as_deref())
}

fn choose(edition: &Edition, wanted: Option<&[String]>) -> Result<Vec<usize>, MethodError> {
    let allowed = || edition.tests.iter().map(|t| t.id.clone()).collect();
    let Some(wanted) = wanted else {
        return Ok((0..edition.tests.len()).collect());
    };
    if let Some(id) = wanted
        .iter()
        .find(|id| edition.tests.iter().all(|t| t.id != **id))
    {
        return Err(MethodError::UnknownTest {
            edition: edition.id.clone(),
            id: id.clone(),
            allowed: allowed(),
        });
    }
    if wanted.is_empty() {
        return Err(MethodError::NoTest {
            edition: edition.id.clone(),
            allowed: allowed(),
        });
    }
    Ok((0..edition.tests.len())
        .filter(|i| wanted.contains(&edition.tests[*i].id))
        .collect())
}

fn check_resume(
    earlier: &Review,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    (target, read_only): (&TargetInfo, bool),
) -> Result<(), MethodError> {
    let access = |read_only| match read_only {
        true => "for reading alone (--read-only)".to_owned(),
        false => "for reading and writing".to_owned(),
    };
    let pairs = [
        ("schema", earlier.schema.clone(), SCHEMA.to_owned()),
        ("edition", earlier.edition.clone(), edition.id.clone()),
        ("seed", earlier.seed.to_string(), options.seed.to_string()),
        (
            "load until steady (--until-steady)",
            steady_name(earlier.until_steady.as_deref()),
            steady_name(options.until_steady.map(|load| load.name)),
        ),
        (
            "duration scale",
            earlier.duration_scale.to_string(),
            options.duration_scale.to_string(),
        ),
        ("access", access(earlier.read_only), access(read_only)),
        ("target", earlier.target.title.clone(), target.title.clone()),
        (
            "capacity in bytes",
            earlier.target.capacity_bytes.to_string(),
            target.capacity_bytes.to_string(),
        ),
    ];
    let pairs = pairs
        .into_iter()
        .map(|(what, was, is)| (what.to_owned(), was, is))
        .chain(identities(&earlier.target, target));
    match pairs.into_iter().find(|(_, was, is)| was != is) {
        Some((what, was, is)) => Err(MethodError::Resume { what, was, is }),
        None => Ok(()),
    }
}

fn steady_name(load: Option<&str>) -> String {
    load.unwrap_or("none").to_owned()
}

/// What tells two drives of the same name apart: of simulated ones all that is known of
/// the model, which may have been edited, of real ones what belongs to the one drive.
fn identities(was: &TargetInfo, is: &TargetInfo) -> Vec<(String, String, String)> {
    let simulated = is.kind == TargetKind::Simulated;
    let own = |name: &str| simulated || ["serial number", "backing file"].contains(&name);
    let value = |info: &TargetInfo, name: &str| {
        let fact = info.facts.iter().find(|fact| fact.name == name);
        fact.map_or_else(|| "not known".to_owned(), |fact| fact.value.clone())
    };
    let names = was.facts.iter().chain(&is.facts).map(|fact| &fact.name);
    names
        .filter(|name| own(name))
        .map(|name| (name.clone(), value(was, name), value(is, name)))
        .collect()
}
