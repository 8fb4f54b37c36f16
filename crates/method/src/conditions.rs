//! What was tested and how, in sentences for the report.

use stend_record::review::{Condition, Review};

use crate::edition::size_text;
use crate::plan::Plan;
use crate::{no_trim, read_only};

/// How the name begins of what is noted while a state is made.
pub(crate) const STEADY_STATE: &str = "steady state of ";

/// The name of what is noted where a run was stopped and went on.
const INTERRUPTED: &str = "interrupted";

/// What an earlier run noted while states were made, and where it had been stopped itself.
pub(crate) fn notes(earlier: &Review) -> Vec<Condition> {
    let noted = |condition: &&Condition| {
        condition.name.starts_with(STEADY_STATE) || condition.name == INTERRUPTED
    };
    earlier.conditions.iter().filter(noted).cloned().collect()
}

/// That a target of which there is one, and which has aged in the tests before, goes on with
/// the test of this title. The drive is prepared anew, but what it was before it cannot be.
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

/// The conditions of a review after this plan.
pub(crate) fn list(plan: &Plan<'_>, can_be_copied: bool) -> Vec<Condition> {
    let edition = plan.edition;
    let mut list = Vec::new();
    let mut add = |name: &str, value: String| {
        list.push(Condition {
            name: name.to_owned(),
            value,
        });
    };
    add("edition", edition.title.clone());
    if !plan.read_only {
        for state in &edition.states {
            add(&format!("state `{}`", state.id), state.title.clone());
        }
    }
    if plan.no_trim {
        let condition = no_trim::condition();
        add(&condition.name, condition.value);
    }
    if let Some(value) = regions(plan) {
        add("region", value);
    }
    if let Some(bytes) = plan.write_budget_bytes {
        add(
            "write budget",
            format!(
                "{} ({bytes} bytes) at most are written by a test of endurance",
                stend_analysis::words::bytes(bytes)
            ),
        );
    }
    match plan.read_only {
        true => {
            let pause_s = plan.rest_s(edition.pause_s);
            for condition in read_only::conditions(pause_s) {
                add(&condition.name, condition.value);
            }
        }
        false => add("order", order(plan, can_be_copied)),
    }
    add("durations", durations(plan.scale));
    let data = match plan.read_only {
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
    add("seed", plan.seed.to_string());
    list
}

/// Within which part of the target the tests stay that do not have all of it.
fn regions(plan: &Plan<'_>) -> Option<String> {
    let mut sizes: Vec<u64> = plan.units.iter().filter_map(|u| u.region_bytes()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let capacity = plan.capacity_bytes;
    let words: Vec<String> = sizes
        .iter()
        .map(|size| match *size > capacity {
            true => format!(
                "{} (more than the target holds: all of it)",
                size_text(*size)
            ),
            false => size_text(*size),
        })
        .collect();
    (!words.is_empty()).then(|| {
        format!(
            "where a test names a region, its requests stay within so many bytes from the beginning of the target: {}",
            words.join(", ")
        )
    })
}

fn order(plan: &Plan<'_>, can_be_copied: bool) -> String {
    if can_be_copied {
        return "every point starts from its own copy of the drive in the named state, so that none follows on another"
            .to_owned();
    }
    let pause_s = plan.rest_s(plan.edition.pause_s);
    format!(
        "one drive: the points of a test run one after the other; before a test, and before the first writes after reads, the drive is brought to the named state again, or rests {pause_s:.0} s if only reads have touched it since"
    )
}

fn durations(scale: f64) -> String {
    if scale == 1.0 {
        return "as the edition says".to_owned();
    }
    let word = if scale < 1.0 {
        "shortened"
    } else {
        "stretched"
    };
    format!(
        "{word}: every duration × {scale}, rests included; runs in whole seconds and at least 1 s; what goes by bytes (filling, a pass over the range) and the times of traces are not changed"
    )
}
