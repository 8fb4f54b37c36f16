//! Carries an edition out on a target, once.

use stend_load::target::Target;
use stend_record::review::{Review, SCHEMA, TargetKind};

use crate::choice::{
    Access, check_options, check_write_budget, chosen, effective, prepare_plan, unfinished,
};
use crate::context::Context;
use crate::cost::Cost;
use crate::edition::Edition;
use crate::estimate::walk;
use crate::event::Event;
use crate::host::{self, Limits};
use crate::options::{MethodError, ReviewOptions};
use crate::plan::Plan;
use crate::recorder::Recorder;
use crate::runner::Runner;
use crate::setting::Action;
use crate::{conditions, parallel, serial};

/// Runs a review like [`run_review`](crate::run_review), once. A target that can be copied is
/// consumed, or copied if this is not the `last` repetition; one that cannot be copied stays in
/// `slot`.
pub(crate) fn once(
    slot: &mut Option<Box<dyn Target>>,
    last: bool,
    edition: &Edition,
    options: &ReviewOptions<'_>,
    events: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Review, MethodError> {
    let target = slot.as_mut().expect("only the last repetition takes it");
    let info = target.info();
    check_options(edition, options)?;
    // In read-only mode tests that write are left out, so no budget applies.
    if !target.read_only() {
        check_write_budget(edition, options, target.write_limit())?;
    }
    let edition = effective(edition, options);
    let access = Access::to(target.as_ref());
    let earlier = options.resume.as_ref();
    let unfinished = unfinished(&edition, earlier, target.write_limit());
    let (plan, finished) = prepare_plan(&edition, options, &info, access, &unfinished)?;
    // Statements about all tests must also hold for those of an earlier run.
    let all = chosen(&edition, options)?;
    let with_finished = earlier.map(|_| plan.with_finished(&all, options.wanted));
    let whole = with_finished.as_ref().unwrap_or(&plan);
    let can_be_copied = target.can_fork();
    let smart = host::smart_before(target.as_mut(), earlier);
    let limits = Limits::measured(target.as_mut(), threads(whole));
    let mut environment = target.environment();
    environment.extend(limits.conditions());
    let review = Review {
        target: info,
        environment,
        smart,
        ..without_results(whole, options, can_be_copied)
    };
    let cost_total = tell_cost(&plan, can_be_copied, events);
    let recorder = Recorder::new(
        &plan.tests,
        cost_total,
        events,
        options.save,
        review,
        (finished, unfinished),
        target.silences(),
    );
    settle_what_is_known(&recorder, earlier, &plan, can_be_copied);
    let runner = Runner {
        plan: &plan,
        context: Context {
            setting: &plan.setting,
            recorder: &recorder,
            limits: &limits,
            ends_when: options.ends_when,
            curves_grow: options.curves_grow,
        },
    };
    if can_be_copied {
        let copy = if last { slot.take() } else { target.fork() };
        let copy = copy.ok_or(MethodError::NoCopy)?;
        parallel::run(&runner, copy, options);
        return Ok(recorder.finish());
    }
    serial::run(&runner, target.as_mut());
    let mut review = recorder.finish();
    for (_, text) in stend_analysis::implausible(&review) {
        events(Event::Warning { text: &text });
    }
    host::smart_after(target.as_mut(), &mut review);
    options.ended.inspect(|ended| ended(target.as_mut()));
    Ok(review)
}

/// Records the results that need no measurement: those of an earlier run, and tests that the target
/// cannot run.
fn settle_what_is_known(
    recorder: &Recorder<'_>,
    earlier: Option<&Review>,
    plan: &Plan<'_>,
    can_be_copied: bool,
) {
    if let Some(earlier) = earlier {
        note_earlier(recorder, earlier, plan, can_be_copied);
    }
    for (number, test) in plan.tests.iter().enumerate() {
        if let Some(why) = &test.skipped {
            recorder.skip(number, why);
        }
    }
    recorder.settle_taken_over();
}

/// Returns the review of a plan before any measurement, without the target's reports about itself.
fn without_results(plan: &Plan<'_>, options: &ReviewOptions<'_>, can_be_copied: bool) -> Review {
    Review {
        schema: SCHEMA.to_owned(),
        edition: plan.edition.id.clone(),
        edition_title: plan.edition.title.at(plan.setting.scale),
        seed: options.seed,
        duration_scale: options.duration_scale,
        until_steady: options.until_steady.map(|load| load.name.to_owned()),
        read_only: plan.setting.read_only,
        conditions: conditions::list(plan, can_be_copied),
        reproduce: options.reproduce.clone(),
        ..Review::default()
    }
}

/// Copies the notes of the earlier run and, on a target that cannot be copied, notes the
/// interruption.
fn note_earlier(recorder: &Recorder<'_>, earlier: &Review, plan: &Plan<'_>, can_be_copied: bool) {
    // The states of tests that are kept from the earlier run are not prepared again.
    recorder.take_over(conditions::notes(earlier));
    if let (false, Some(next)) = (can_be_copied, plan.tests.first()) {
        recorder.note(conditions::interruption(earlier, &next.head.title));
    }
}

/// Returns and reports the cost of all work.
fn tell_cost(plan: &Plan<'_>, can_be_copied: bool, events: &dyn Fn(Event<'_>)) -> Cost {
    let mut whole = Cost::default();
    walk(plan, can_be_copied, &mut |_, action| {
        whole += plan.setting.cost(&action)
    });
    let simulated = plan.setting.kind == TargetKind::Simulated;
    events(Event::Planned { whole, simulated });
    whole
}

/// Returns the numbers of threads of all loads of a plan.
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
