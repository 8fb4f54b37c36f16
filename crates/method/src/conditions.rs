//! Conditions of a review, the target and the method, in sentences for the report.

use stend_record::review::{Condition, Review};
use stend_record::size::size_text;

use crate::plan::Plan;
use crate::preparation::STEADY_STATE;
use crate::setting::Setting;

/// Name of the note that a run was interrupted and resumed.
const INTERRUPTED: &str = "interrupted";

/// Returns the notes of an earlier run: on states that it prepared, and on its own interruptions.
pub(crate) fn notes(earlier: &Review) -> Vec<Condition> {
    let noted = |condition: &&Condition| {
        condition.name.starts_with(STEADY_STATE) || condition.name == INTERRUPTED
    };
    earlier.conditions.iter().filter(noted).cloned().collect()
}

/// Returns the note that a run resumed with the test of this title on a target that cannot be
/// copied. The drive is prepared again, but its wear cannot be undone.
pub(crate) fn interruption(earlier: &Review, title: &str) -> (String, String) {
    let finished = match earlier.tests.len() {
        1 => "1 test".to_owned(),
        n => format!("{n} tests"),
    };
    let value = format!(
        "the run was stopped after {finished}, and went on with \"{title}\" on the drive, prepared \
         again as at the beginning"
    );
    (INTERRUPTED.to_owned(), value)
}

/// Condition of a target without TRIM.
const NO_TRIM: &str = "NONE: the target takes no TRIM. States that require it were made by their \
     other steps alone, so that figures are not those of the edition";

/// Preparation of a read-only target.
const NO_PREPARATION: &str = "none, by --read-only: nothing was written and no TRIM given, the \
     state is what it was; the edition's states were not made, so that figures are not those of \
     the edition. Where a drive knows that nothing was written, it answers reads without its flash";

/// Returns the conditions of a review after this plan.
pub(crate) fn list(plan: &Plan<'_>, can_be_copied: bool) -> Vec<Condition> {
    let edition = plan.edition;
    let mut list = Vec::new();
    let mut add = |name: &str, value: String| {
        list.push(Condition {
            name: name.to_owned(),
            value,
        });
    };
    add("edition", plan.edition.title.at(plan.setting.scale));
    if !plan.setting.read_only {
        for state in &edition.states {
            add(&format!("state `{}`", state.id), state.title.clone());
        }
    }
    if plan.setting.no_trim {
        add("TRIM in states", NO_TRIM.to_owned());
    }
    if let Some(value) = regions(plan) {
        add("region", value);
    }
    if let Some(bytes) = plan.setting.write_budget_bytes {
        add(
            "write budget",
            format!(
                "{} ({bytes} bytes) at most are written by a test of endurance",
                stend_analysis::words::bytes(bytes)
            ),
        );
    }
    if plan.setting.read_only {
        add("preparation", NO_PREPARATION.to_owned());
    }
    add("order", order(plan, can_be_copied));
    add("durations", durations(&plan.setting));
    let data = match plan.setting.read_only {
        true => "what the target held",
        false => "random",
    };
    add(
        "data",
        format!("{data}; every request is aligned to its own size"),
    );
    add(
        "latency",
        "completion latency, from handing the request to the device until its end is known"
            .to_owned(),
    );
    add("seed", plan.setting.seed.to_string());
    list
}

/// Describes the regions of tests that do not use the whole target.
fn regions(plan: &Plan<'_>) -> Option<String> {
    let procedures = plan.procedures.iter();
    let mut sizes: Vec<u64> = procedures.filter_map(|p| p.region_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let capacity = plan.setting.capacity_bytes;
    let words: Vec<String> = sizes
        .iter()
        .map(|size| match *size > capacity {
            true => format!("{} (more than the target holds)", size_text(*size)),
            false => size_text(*size),
        })
        .collect();
    (!words.is_empty()).then(|| {
        format!(
            "where a test names a region, its requests stay within so many bytes from the \
             beginning of the target: {}",
            words.join(", ")
        )
    })
}

fn order(plan: &Plan<'_>, can_be_copied: bool) -> String {
    let pause_s = plan.edition.pause_s;
    if plan.setting.read_only {
        return format!(
            "one drive: the points that only read, one after the other; between two tests it \
             rests {pause_s:.0} s"
        );
    }
    if can_be_copied {
        return "every point starts from its own copy of the drive in the named state, so that none \
                follows on another"
            .to_owned();
    }
    format!(
        "one drive: the points of a test run one after the other; before a test, and before the \
         first writes after reads, the drive is brought to the named state again, or rests \
         {pause_s:.0} s if only reads have touched it since"
    )
}

fn durations(setting: &Setting) -> String {
    let scale = setting.scale;
    if scale == 1.0 {
        return "as the edition says".to_owned();
    }
    let word = if scale < 1.0 {
        "shortened"
    } else {
        "stretched"
    };
    format!(
        "{word}: every measurement × {scale}, in whole seconds and at least 1 s, and of each trace \
         the beginning; rests keep their length; what goes by bytes (filling, a pass over the \
         range) is not changed"
    )
}
