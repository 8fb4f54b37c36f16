//! Conditions of a review, the target and the method, in sentences for the report.

use stend_language::recorded;
use stend_record::review::{Condition, Review, Text};
use stend_record::size::size_text;

use crate::plan::Plan;
use crate::preparation::STEADY_STATE;
use crate::setting::Setting;

/// Id of the note that a run was interrupted and resumed.
const INTERRUPTED: &str = "interrupted";

/// Returns the notes of an earlier run: on states that it prepared, and on its own interruptions.
pub(crate) fn notes(earlier: &Review) -> Vec<Condition> {
    let noted = |condition: &&Condition| [STEADY_STATE, INTERRUPTED].contains(&&*condition.id);
    earlier.conditions.iter().filter(noted).cloned().collect()
}

/// Returns the note that a run resumed with the test of this title on a target that cannot be
/// copied. The drive is prepared again, but its wear cannot be undone.
pub(crate) fn interruption(earlier: &Review, title: &Text) -> Condition {
    let finished = match earlier.tests.len() {
        1 => recorded!("piece-one-test"),
        n => recorded!("piece-tests", tests = n),
    };
    let value = recorded!("value-interrupted", tests = finished, test = title.clone());
    Condition::new(INTERRUPTED, value)
}

/// Returns the conditions of a review after this plan.
pub(crate) fn list(plan: &Plan<'_>, can_be_copied: bool) -> Vec<Condition> {
    let edition = plan.edition;
    let setting = &plan.setting;
    let title = plan.edition.title.at(setting.scale);
    let mut list = vec![Condition::new("edition", title)];
    if !setting.read_only {
        let states = edition.states.iter();
        list.extend(states.map(|state| Condition::of("state", &state.id, state.title.clone())));
    }
    let mut add = |id: &'static str, value: Text| list.push(Condition::new(id, value));
    if setting.no_trim {
        add("trim-in-states", recorded!("value-no-trim"));
    }
    if let Some(value) = regions(plan) {
        add("region", value);
    }
    if let Some(bytes) = setting.write_budget_bytes {
        let size = stend_analysis::words::bytes(bytes);
        let budget = recorded!("value-budget", size = size, bytes = bytes);
        add("write-budget", budget);
    }
    if setting.read_only {
        add("preparation", recorded!("value-no-preparation"));
    }
    add("order", order(plan, can_be_copied));
    add("durations", durations(setting));
    let data = match setting.read_only {
        true => recorded!("value-data-held"),
        false => recorded!("value-data-random"),
    };
    add("data", data);
    add("latency", recorded!("value-latency"));
    add("seed", setting.seed.to_string().into());
    list
}

/// Describes the regions of tests that do not use the whole target.
fn regions(plan: &Plan<'_>) -> Option<Text> {
    let procedures = plan.procedures.iter();
    let mut sizes: Vec<u64> = procedures.filter_map(|p| p.region_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let capacity = plan.setting.capacity_bytes;
    let size = |size: &u64| match *size > capacity {
        true => recorded!("piece-too-large", size = size_text(*size)),
        false => size_text(*size).into(),
    };
    let none = sizes.is_empty();
    let sizes = Text::list(", ", sizes.iter().map(size));
    (!none).then(|| recorded!("value-region", sizes = sizes))
}

fn order(plan: &Plan<'_>, can_be_copied: bool) -> Text {
    let time = format!("{:.0}", plan.edition.pause_s);
    match (plan.setting.read_only, can_be_copied) {
        (true, _) => recorded!("value-order-read-only", time = time),
        (false, true) => recorded!("value-order-copies"),
        (false, false) => recorded!("value-order", time = time),
    }
}

fn durations(setting: &Setting) -> Text {
    let scale = setting.scale.to_string();
    match setting.scale {
        1.0 => recorded!("value-durations"),
        less if less < 1.0 => recorded!("value-shortened", scale = scale),
        _ => recorded!("value-stretched", scale = scale),
    }
}
