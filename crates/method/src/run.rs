//! Carrying an edition out on a target.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use stend_analysis::ends::end_level;
use stend_record::review::{
    JobText, PointOp, Review, SCHEMA, Series, TargetInfo, TargetKind, TestResult,
};
use stend_target::{JobOutcome, JobRequest, Target, TargetError, WriteLimit};

use crate::conditions;
use crate::edition::{Curve, Edition, Load, SteadyLoad, Step, TestKind, range_bytes, size_text};
use crate::endurance;
use crate::enough::{Before, Ending, EndsWhen, Watch};
use crate::event::Event;
use crate::host::{self, Limits};
use crate::job::{self, JobFrame};
use crate::outcome;
use crate::plan::{Action, Dest, Lacks, Phase, Plan, Unit};
use crate::recorder::{Measured, Recorder, Shot};
use crate::{parallel, serial, until_steady};

/// Keeps a partial review; what it cannot is said in words, and becomes a warning.
pub type Save<'a> = &'a (dyn Fn(&Review) -> Result<(), String> + Sync);

/// Whether a point of the test of this id is wanted.
pub type Wanted<'a> = &'a (dyn Fn(&str, &stend_analysis::Load) -> bool + Sync);

/// The largest factor on durations: two hours become eight days. Much more would end in
/// times that 64 bits of nanoseconds cannot hold.
pub const DURATION_SCALE_MAX: f64 = 100.0;

/// How a review is made.
#[derive(Clone)]
pub struct ReviewOptions<'a> {
    /// Ids of the tests to run; `None` for all of the edition.
    pub tests: Option<Vec<String>>,
    /// Only these points of the tests that consist of points; `None` for all. A test that
    /// lacks some says so, and its review is not complete.
    pub wanted: Option<Wanted<'a>>,
    /// When enough of a measurement has been seen; without it, at its end. One that ended early
    /// says so in the warnings of its test. Only simulated drives end anything early.
    pub ends_when: Option<EndsWhen<'a>>,
    /// Root seed: every job's own seed is derived from it and from the job's name.
    pub seed: u64,
    /// Factor on every duration, pauses included. Runtimes come out in whole seconds,
    /// at least one; filling the drive is by capacity and is not scaled.
    pub duration_scale: f64,
    /// How many units run at a time on a target that can be copied, and so how many
    /// copies exist at a time; 0 counts as 1. The result does not depend on it.
    pub threads: usize,
    /// Bytes that a test of endurance may write to the target.
    pub write_budget_bytes: Option<u64>,
    /// Bring the target to a steady state by this load before every test that starts from a
    /// written target.
    pub until_steady: Option<SteadyLoad>,
    /// The command that makes the review again, for the review.
    pub reproduce: String,
    /// An earlier, partial review of the same target with the same edition, seed and
    /// scale: the tests finished in it are taken over.
    pub resume: Option<Review>,
    /// Called with the partial review after every test that finished or failed.
    pub save: Option<Save<'a>>,
}

impl Default for ReviewOptions<'_> {
    fn default() -> Self {
        ReviewOptions {
            tests: None,
            wanted: None,
            ends_when: None,
            seed: 1,
            duration_scale: 1.0,
            threads: 1,
            write_budget_bytes: None,
            until_steady: None,
            reproduce: String::new(),
            resume: None,
            save: None,
        }
    }
}

/// Why a review was not begun.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// A test that the edition does not have.
    #[error("edition {edition} has no test `{id}`; it has: {}", allowed.join(", "))]
    UnknownTest {
        /// Id of the edition.
        edition: String,
        /// What was asked for.
        id: String,
        /// What there is.
        allowed: Vec<String>,
    },
    /// An empty list of tests.
    #[error("no test was chosen; edition {edition} has: {}", allowed.join(", "))]
    NoTest {
        /// Id of the edition.
        edition: String,
        /// What there is.
        allowed: Vec<String>,
    },
    /// A factor that is not above 0 and at most [`DURATION_SCALE_MAX`].
    #[error(
        "a duration scale of {0:?} is impossible: it must be above 0 and at most {DURATION_SCALE_MAX}, such as 0.1 for a tenth of every duration"
    )]
    DurationScale(f64),
    /// Writing without end, to a target that is somebody's.
    #[error(
        "`{test}` writes until the target refuses, which ends the life of a drive: on a real target it runs only as far as you state, with --write-budget BYTES (such as --write-budget 2TB); nothing has been written"
    )]
    BudgetMissing {
        /// Id of the test.
        test: String,
    },
    /// Writing without end, to a target that never refuses.
    #[error(
        "`{test}` writes until the drive refuses, and nothing in this model wears out: say how much is to be written, with --write-budget BYTES (such as --write-budget 2TB), or give the model an end ([health] end_of_life_cycles, or [blocks] life_cycles)"
    )]
    Endless {
        /// Id of the test.
        test: String,
    },
    /// A budget that nothing goes by.
    #[error(
        "--write-budget is how much a test of endurance may write, and none was chosen; other tests write as much as the target takes in their time. Leave it out, or choose one (--edition endurance)"
    )]
    BudgetUnused,
    /// A budget for less than one request.
    #[error("--write-budget {budget} is less than one request of the test, {request} bytes")]
    BudgetTooSmall {
        /// As given, bytes.
        budget: u64,
        /// Size of a request, bytes.
        request: u64,
    },
    /// Tests beside one of endurance on one real target.
    #[error(
        "--write-budget is the most that may be written to a real target, and could not be kept beside {}: choose `{test}` alone, with --tests {test}; nothing has been written", others.join(", ")
    )]
    BudgetShared {
        /// Id of the test of endurance.
        test: String,
        /// Ids of the others.
        others: Vec<String>,
    },
    /// A test of endurance whose state is written on a real target.
    #[error(
        "--write-budget is the most that may be written to a real target, and state `{state}`, from which `{test}` starts, is written besides: let it start from a state that is not (as that of --edition endurance); nothing has been written"
    )]
    BudgetPrepared {
        /// Id of the test of endurance.
        test: String,
        /// Id of the state.
        state: String,
    },
    /// A steady state that no test would start from.
    #[error(
        "--until-steady changes nothing here: none of the chosen tests starts from a state that is written and not steady already"
    )]
    NothingSteady,
    /// The review to go on from is of something else.
    #[error(
        "the earlier review cannot be continued: its {what} is {was}, now it is {is}; choose another folder, or the same {what}"
    )]
    Resume {
        /// Which property differs.
        what: String,
        /// In the earlier review.
        was: String,
        /// Now.
        is: String,
    },
}

/// What a review asks of its target, before anything is done. A real target needs the
/// time to fill besides; how fast it writes is not known beforehand.
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
    endurance::check_budget(edition, &chosen(edition, options)?, options, limit)
}

/// The edition as the options change it.
fn asked<'e>(edition: &'e Edition, options: &ReviewOptions<'_>) -> Cow<'e, Edition> {
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
    let edition = asked(edition, options);
    let (plan, _) = prepare_plan(&edition, options, target, Lacks::default())?;
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
        Action::Step(Step::Idle { duration_s }) => sum.idle_s += plan.rest_s(*duration_s),
        Action::Replay(asks) => {
            sum.measured_s += asks.duration_s;
            sum.trace_bytes += asks.written_bytes;
        }
        Action::Step(Step::UntilSteady {
            round_s,
            rounds_max,
            ..
        }) => {
            let seconds = plan.runtime_s(*round_s) as f64 * f64::from(*rounds_max);
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
    let edition = asked(edition, options);
    let edition = &*edition;
    let lacks = Lacks {
        writes: target.read_only(),
        trim: !target.trim_supported(),
    };
    let (mut plan, finished) = prepare_plan(edition, options, &info, lacks)?;
    if let (Some(earlier), WriteLimit::AsStated) = (&options.resume, target.write_limit()) {
        plan.begun.clone_from(&earlier.unfinished);
    }
    let can_be_copied = target.can_fork();
    let mut cost_total = 0.0;
    walk(&plan, can_be_copied, &mut |a| cost_total += plan.cost(&a));
    let smart = host::smart_before(target.as_mut(), options.resume.as_ref());
    let limits = Limits::measured(target.as_mut(), &plan);
    let mut environment = target.environment();
    environment.extend(limits.conditions());
    let review = Review {
        schema: SCHEMA.to_owned(),
        conditions: conditions::list(&plan, can_be_copied),
        environment,
        target: info,
        edition: edition.id.clone(),
        edition_title: edition.title.clone(),
        seed: options.seed,
        duration_scale: options.duration_scale,
        until_steady: options.until_steady.map(|load| load.name.to_owned()),
        read_only: plan.read_only,
        complete: false,
        reproduce: options.reproduce.clone(),
        tests: Vec::new(),
        failed: Vec::new(),
        unfinished: Vec::new(),
        rivals: Vec::new(),
        smart,
    };
    let recorder = Recorder::new(&plan, cost_total, events, options.save, review, finished);
    if let Some(earlier) = &options.resume {
        // The states of tests that are taken over are not made again.
        recorder.take_over(&conditions::notes(earlier));
        if let (false, Some(next)) = (can_be_copied, plan.tests.first()) {
            let title = &edition.tests[next.index].title;
            let (name, value) = conditions::interruption(earlier, title);
            recorder.note(name, value);
        }
    }
    for (test, why) in &plan.skipped {
        recorder.skip(*test, why);
    }
    let runner = Runner {
        plan: &plan,
        recorder: &recorder,
        limits: &limits,
        ends_when: options.ends_when,
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

fn walk(plan: &Plan<'_>, can_be_copied: bool, see: &mut dyn FnMut(Action<'_>)) {
    if can_be_copied {
        parallel::walk(plan, see);
    } else {
        serial::walk(plan, see);
    }
}

/// The plan, and the tests taken over by their index in the edition.
fn prepare_plan<'e>(
    edition: &'e Edition,
    options: &ReviewOptions<'_>,
    target: &TargetInfo,
    lacks: Lacks,
) -> Result<(Plan<'e>, Vec<Option<TestResult>>), MethodError> {
    let chosen = chosen(edition, options)?;
    let mut finished = vec![None; edition.tests.len()];
    let mut again = vec![false; edition.tests.len()];
    if let Some(earlier) = &options.resume {
        check_resume(earlier, edition, options, (target, lacks.writes))?;
        for &index in &chosen {
            let id = &edition.tests[index].id;
            finished[index] = earlier.tests.iter().find(|t| t.id == *id).cloned();
        }
        // What continues a curve needs that curve's own drive: both are run again. Until then
        // the finished one stays.
        for &index in &chosen {
            if let TestKind::Continue(next) = &edition.tests[index].kind
                && finished[index].is_none()
            {
                again[next.after] = true;
            }
        }
    }
    let left: Vec<usize> = chosen
        .into_iter()
        .filter(|i| finished[*i].is_none() || again[*i])
        .collect();
    let scale = options.duration_scale;
    let mut plan = Plan::new(
        edition,
        &left,
        options.seed,
        scale,
        target,
        lacks,
        options.wanted,
    );
    plan.write_budget_bytes = options.write_budget_bytes;
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

/// Runs parts of a plan on a target and records what comes out.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) recorder: &'a Recorder<'a>,
    /// What the machine itself can do.
    pub(crate) limits: &'a Limits,
    /// When enough of a measurement has been seen.
    ends_when: Option<EndsWhen<'a>>,
}

impl Runner<'_> {
    /// Carries out the steps towards a state.
    pub(crate) fn prepare(
        &self,
        target: &mut dyn Target,
        state: &str,
        steps: &[Step],
    ) -> Result<(), Arc<TargetError>> {
        guarded(|| {
            for step in steps {
                if self.plan.no_trim && *step == Step::Trim {
                    continue;
                }
                self.recorder.preparing(state, step.name());
                self.step(target, state, step)?;
            }
            Ok(())
        })
    }

    pub(crate) fn step(
        &self,
        target: &mut dyn Target,
        name: &str,
        step: &Step,
    ) -> Result<(), Arc<TargetError>> {
        match step {
            Step::Fill {
                block_bytes,
                queue_depth,
                region_bytes,
            } => {
                let seed = job::seed_of(self.plan.seed, &format!("fill/{name}"));
                let text = job::fill(
                    *block_bytes,
                    *queue_depth,
                    seed,
                    *region_bytes,
                    self.plan.capacity_bytes,
                );
                let done = target.run(&JobRequest {
                    text: &text,
                    seed,
                    sample_ms: 0,
                })?;
                outcome::check_errors(&done)?;
            }
            Step::Trim => target.trim_all()?,
            Step::UntilSteady {
                load,
                round_s,
                rounds_max,
                required,
            } => {
                let rounds = until_steady::Rounds {
                    load,
                    round_s: *round_s,
                    rounds_max: *rounds_max,
                    required: *required,
                };
                self.until_steady(target, name, &rounds)?;
            }
            Step::Idle { duration_s } => target.idle(self.plan.rest_s(*duration_s))?,
        }
        self.recorder.spent(self.plan.step_cost(step));
        Ok(())
    }

    /// Runs a unit. Its results, and the error that ends it, are recorded here.
    pub(crate) fn unit(
        &self,
        target: &mut dyn Target,
        unit: &Unit<'_>,
    ) -> Result<(), Arc<TargetError>> {
        let state = &self.plan.edition.states[unit.state()].id;
        self.recorder.starts_from(&unit.dests(), state);
        let done = guarded(|| match unit {
            Unit::Point {
                dest,
                load,
                duration_s,
                ..
            } => self.point(target, *dest, load, *duration_s),
            Unit::Response {
                dest,
                response,
                trim,
            } => self.response(target, *dest, response, *trim),
            Unit::Benchmark {
                dests,
                id,
                benchmark,
            } => self.benchmark(target, id, benchmark, dests),
            Unit::Trace {
                dest,
                traces,
                entry,
                asks,
            } => self.trace(target, *dest, traces, entry, *asks),
            Unit::Files { dest, files, set } => self.files(target, *dest, files, set),
            Unit::Rounds { dest, rounds } => self.rounds(target, *dest, rounds),
            Unit::Endurance { dest, endurance } => self.endurance(target, *dest, endurance),
            Unit::Ladder { dests, ladder } => self.ladder(target, dests, ladder),
            Unit::Chain { id, curve, phases } => {
                let mut before = Before::default();
                for phase in phases {
                    match phase {
                        Phase::Do(step) => {
                            self.step(target, id, step)?;
                            if **step == Step::Trim {
                                before.written_bytes = 0;
                            }
                        }
                        Phase::Measure {
                            name,
                            duration_s,
                            dests,
                        } => {
                            let stage = Stage {
                                name,
                                duration_s: *duration_s,
                                before,
                            };
                            before = self.curve(target, id, curve, &stage, dests)?;
                        }
                    }
                }
                Ok(())
            }
        });
        if let Err(error) = &done {
            self.recorder.fail(&unit.dests(), error);
        }
        done
    }

    fn point(
        &self,
        target: &mut dyn Target,
        dest: Dest,
        load: &Load,
        duration_s: f64,
    ) -> Result<(), Arc<TargetError>> {
        let test = &self.plan.edition.tests[self.plan.tests[dest.test].index].id;
        let seed_name = format!("{test}/{}", load.slug());
        let name = load.describe();
        let runtime_s = self.plan.runtime_s(duration_s);
        self.recorder.begin(dest, &name, Some(runtime_s));
        let mut watch = Watch::of_point(load, self.ending(&[dest], None), runtime_s);
        let timing = (Some(runtime_s), 0);
        let outcome = self.watched(target, load, &seed_name, timing, watch.as_mut())?;
        let mut point = outcome::point(load, runtime_s, self.plan.capacity_bytes, &outcome)?;
        point.cpu_ns_per_request = self.cpu_time(&outcome);
        let mut warnings = self.duration_warning(duration_s);
        warnings.extend(self.region_warning(load));
        let speed = (point.iops, point.bw_bytes_per_s);
        warnings.extend(self.limits.warning(&name, load.threads, speed));
        warnings.extend(watch.and_then(|watch| watch.remark(&name, runtime_s)));
        let shot = Shot {
            measured: Measured::Point(point),
            jobs: vec![JobText {
                name: name.clone(),
                text: outcome.job_text,
            }],
            name,
            warnings,
        };
        let cost = self.plan.load_cost(load, Some(runtime_s));
        self.recorder.record(&[dest], shot, cost);
        Ok(())
    }

    /// Measures a curve; what the next one goes on from.
    fn curve(
        &self,
        target: &mut dyn Target,
        id: &str,
        curve: &Curve,
        stage: &Stage<'_>,
        dests: &[Dest],
    ) -> Result<Before, Arc<TargetError>> {
        let load = &curve.load;
        let (name, duration_s) = (stage.name, stage.duration_s);
        let runtime_s = duration_s.map(|s| self.plan.runtime_s(s));
        let title = format!("{name}: {}", load.describe());
        for dest in dests {
            self.recorder.begin(*dest, &title, runtime_s);
        }
        let seed_name = format!("{id}/{name}");
        // What ends with its range is measured to its end.
        let mut watch = runtime_s.and_then(|_| {
            let capacity_bytes = load.range_bytes(self.plan.capacity_bytes);
            let ending = self.ending(dests, Some(name));
            Watch::of_curve(load, ending, capacity_bytes, &stage.before)
        });
        let timing = (runtime_s, curve.sample_ms);
        let outcome = self.watched(target, load, &seed_name, timing, watch.as_mut())?;
        let mut series = outcome::series(name, load, curve.sample_ms, &outcome)?;
        series.cpu_ns_per_request = self.cpu_time(&outcome);
        if runtime_s.is_none() {
            series.range_bytes = Some(load.range_bytes(self.plan.capacity_bytes));
        }
        let mut warnings = duration_s.map_or_else(Vec::new, |s| self.duration_warning(s));
        warnings.extend(self.region_warning(load));
        let remark = watch
            .zip(runtime_s)
            .and_then(|(watch, runtime_s)| watch.remark(&title, runtime_s));
        warnings.extend(remark.or_else(|| early_end(&series, runtime_s)));
        let near = self.limits.curve_warning(&title, load.threads, &series);
        warnings.extend(near);
        let seen = Before {
            written_bytes: stage.before.written_bytes + outcome::written_bytes(&outcome),
            end_iops: stage.before.end_iops.or_else(|| end_level(&series)),
        };
        let shot = Shot {
            measured: Measured::Curve(series),
            jobs: vec![JobText {
                name: title.clone(),
                text: outcome.job_text,
            }],
            name: title,
            warnings,
        };
        let cost = self.plan.load_cost(load, runtime_s);
        self.recorder.record(dests, shot, cost);
        Ok(seen)
    }

    /// How much is looked at of what goes to these tests: the most that one of them needs.
    fn ending(&self, dests: &[Dest], curve: Option<&str>) -> Ending {
        let id = |dest: &Dest| &self.plan.edition.tests[self.plan.tests[dest.test].index].id;
        let most = |when: EndsWhen<'_>| dests.iter().map(|dest| when(id(dest), curve)).max();
        self.ends_when.and_then(most).unwrap_or(Ending::Whole)
    }

    /// Time on processors a request, ns; of a simulated target no processor sends them.
    pub(crate) fn cpu_time(&self, outcome: &JobOutcome) -> Option<f64> {
        match self.plan.kind {
            TargetKind::Simulated => None,
            _ => outcome::cpu_ns_per_request(outcome),
        }
    }

    pub(crate) fn job(
        &self,
        target: &mut dyn Target,
        load: &Load,
        seed_name: &str,
        runtime_s: Option<u64>,
        sample_ms: u32,
    ) -> Result<JobOutcome, TargetError> {
        self.watched(target, load, seed_name, (runtime_s, sample_ms), None)
    }

    /// As [`Runner::job`], but ended once enough has been seen.
    fn watched(
        &self,
        target: &mut dyn Target,
        load: &Load,
        seed_name: &str,
        (runtime_s, sample_ms): (Option<u64>, u32),
        watch: Option<&mut Watch>,
    ) -> Result<JobOutcome, TargetError> {
        let seed = job::seed_of(self.plan.seed, seed_name);
        let text = job::measure(
            load,
            &JobFrame {
                percentiles: &self.plan.edition.percentiles,
                runtime_s,
                seed,
                capacity_bytes: self.plan.capacity_bytes,
            },
        );
        let request = JobRequest {
            text: &text,
            seed,
            sample_ms,
        };
        match watch {
            None => target.run(&request),
            Some(watch) => {
                target.run_until_enough(&request, watch.round_s, &mut |now| watch.look(now))
            }
        }
    }

    pub(crate) fn region_warning(&self, load: &Load) -> Option<String> {
        let region = load
            .region_bytes
            .filter(|r| *r > self.plan.capacity_bytes)?;
        Some(format!(
            "the region of {} is more than the target holds: its whole capacity of {:.2} GB (10⁹ bytes) was used",
            size_text(region),
            self.plan.capacity_bytes as f64 / 1e9
        ))
    }

    pub(crate) fn duration_warning(&self, duration_s: f64) -> Vec<String> {
        let exact_s = duration_s * self.plan.scale;
        if exact_s >= 1.0 {
            return Vec::new();
        }
        vec![format!(
            "{duration_s} s × {} is less than the shortest run: measured for 1 s; choose a larger duration scale for figures of any worth",
            self.plan.scale
        )]
    }
}

/// One measured curve of a chain.
struct Stage<'a> {
    name: &'a str,
    /// `None` for one pass over the range.
    duration_s: Option<f64>,
    before: Before,
}

/// A word of warning if the samples end well before the load did.
pub(crate) fn early_end(series: &Series, runtime_s: Option<u64>) -> Option<String> {
    let name = &series.name;
    let last = series.samples.last();
    let Some(runtime_s) = runtime_s else {
        let range = series.range_bytes?;
        let written = last.map_or(0, |s| s.written_bytes);
        let writes = series.point.op == PointOp::Write;
        return (writes && (written as f64) < 0.95 * range as f64).then(|| {
            format!(
                "the curve `{name}` has samples for {written} of {range} bytes: the target's log ends early; what lies behind is not in it"
            )
        });
    };
    let end_s = last.map_or(0.0, |s| s.t_s);
    (end_s < 0.95 * runtime_s as f64 - 1.0).then(|| {
        format!(
            "the curve `{name}` has samples for {end_s:.0} s of {runtime_s} s: the target's log ends early; figures of its end are of that instant"
        )
    })
}

impl Step {
    /// What is being done, in a word.
    fn name(&self) -> &'static str {
        match self {
            Step::Fill { .. } => "filling",
            Step::Trim => "TRIM",
            Step::Idle { .. } => "resting",
            Step::UntilSteady { .. } => "writing until steady",
        }
    }
}

/// Runs something on a target; a panic of the target's becomes an error, so that the
/// other tests go on and what is finished is kept.
pub(crate) fn guarded<T>(
    run: impl FnOnce() -> Result<T, Arc<TargetError>>,
) -> Result<T, Arc<TargetError>> {
    // What a panic leaves half done is the target, which is not used again before it
    // is prepared anew, and the recorder, which is changed only by complete results.
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let said = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Arc::new(TargetError::Failed(format!(
            "the target broke down: {said}; this is a defect of the program, please report it with the command line"
        ))))
    })
}
