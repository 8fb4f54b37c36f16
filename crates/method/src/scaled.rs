//! Texts of an edition that name times, as a run under a duration scale has them.
//!
//! An edition says "three minutes a point". Where a run measures for 18 s, its texts say so: the
//! times that a test really has are looked for in words and in digits, and replaced. A time that is
//! not found is said behind the text.

use stend_analysis::words;
use stend_record::review::TargetKind;

use crate::plan::Plan;
use crate::setting::{Action, Setting};

/// Numbers as texts spell them.
const SPELLED: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Units of time, s.
const UNITS: [(u64, &str); 3] = [(3600, "hour"), (60, "minute"), (1, "second")];

/// A time of the edition, and what it is in this run.
#[derive(Clone, Debug, PartialEq)]
struct Time {
    specified_s: u64,
    now_s: u64,
}

/// Lets the texts of all tests of a plan say what is done.
pub(crate) fn tell(plan: &mut Plan<'_>) {
    if plan.setting.scale == 1.0 {
        return;
    }
    for number in 0..plan.tests.len() {
        let times = times_of(plan, Some(number));
        let head = &mut plan.tests[number].head;
        head.title = told(&head.title, &times).0;
        let (mut method, missing) = told(&head.method, &times);
        let missing: Vec<String> = missing
            .iter()
            .map(|time| {
                let specified = words::time(time.specified_s as f64);
                format!("{} in place of {specified}", words::time(time.now_s as f64))
            })
            .collect();
        if !missing.is_empty() {
            method += &format!(" In this run: {}.", words::list(&missing));
        }
        head.method = method;
    }
}

/// The title of the edition in this run.
pub(crate) fn edition_title(plan: &Plan<'_>) -> String {
    told(&plan.edition.title, &times_of(plan, None)).0
}

/// The times of a test, or of all, that are other ones in this run.
fn times_of(plan: &Plan<'_>, test: Option<usize>) -> Vec<Time> {
    let setting = &plan.setting;
    // As the edition has them.
    let unscaled = Setting {
        scale: 1.0,
        ..setting.clone()
    };
    let mut times: Vec<Time> = Vec::new();
    let mut add = |specified_s: u64| {
        let time = Time {
            specified_s,
            now_s: setting.runtime_s(specified_s as f64),
        };
        if time.now_s != specified_s && !times.contains(&time) {
            times.push(time);
        }
    };
    let copied = setting.kind == TargetKind::Simulated;
    for procedure in &plan.procedures {
        let belongs = |number| procedure.places.iter().any(|place| place.test == number);
        if !test.is_none_or(belongs) {
            continue;
        }
        let parts_s = procedure.parts_s();
        parts_s.iter().for_each(|part_s| add(*part_s as u64));
        procedure.actions(&unscaled, copied, &mut |action| {
            if let Action::Load {
                runtime_s: Some(specified_s),
                ..
            } = action
                && parts_s.is_empty()
            {
                add(specified_s);
            }
        });
    }
    times
}

/// A text with these times in it, and those that it does not name.
fn told(text: &str, times: &[Time]) -> (String, Vec<Time>) {
    let (mut out, mut rest) = (String::new(), text);
    let mut missing = times.to_vec();
    while let Some(found) = first_in(rest, times, &out) {
        let (before, behind) = rest.split_at(found.at);
        out += before;
        out += &words::time(found.time.now_s as f64);
        rest = &behind[found.len..];
        missing.retain(|time| time != found.time);
    }
    (out + rest, missing)
}

/// Where a text names a time.
struct Found<'t> {
    at: usize,
    len: usize,
    time: &'t Time,
}

/// The first place in a text at which one of the times is named; `before` is what precedes it.
fn first_in<'t>(text: &str, times: &'t [Time], before: &str) -> Option<Found<'t>> {
    let lower = text.to_ascii_lowercase();
    let mut found: Option<Found<'t>> = None;
    for time in times {
        for phrase in phrases(time.specified_s) {
            let places = lower.match_indices(&phrase).map(|(at, _)| at);
            for at in places {
                let ahead = format!("{before}{}", &lower[..at]);
                let behind = &lower[at + phrase.len()..];
                let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
                let whole = apart(ahead.chars().next_back()) && apart(behind.chars().next());
                if !whole || is_rest(&ahead, behind) || ahead.ends_with("half ") {
                    continue;
                }
                let better = found.as_ref().is_none_or(|f| at < f.at);
                if better {
                    found = Some(Found {
                        at,
                        len: phrase.len(),
                        time,
                    });
                }
            }
        }
    }
    found
}

/// Whether what stands around a time says that it is a rest, which keeps its length.
fn is_rest(ahead: &str, behind: &str) -> bool {
    behind.starts_with(" of rest")
        || behind.starts_with(" later")
        || ["rests for ", "idle for "]
            .iter()
            .any(|words| ahead.ends_with(words))
}

/// How texts name a time: `three minutes`, `3 minutes`, `180 seconds`, `half a minute`.
fn phrases(seconds: u64) -> Vec<String> {
    let mut all = Vec::new();
    for (unit_s, unit) in UNITS {
        if seconds == unit_s {
            all.extend([format!("one {unit}"), format!("1 {unit}")]);
            // "A second" mostly is a rate.
            if unit_s > 1 {
                let article = if unit == "hour" { "an" } else { "a" };
                all.push(format!("{article} {unit}"));
            }
        } else if 2 * seconds == unit_s {
            let article = if unit == "hour" { "an" } else { "a" };
            all.push(format!("half {article} {unit}"));
        }
        if seconds > unit_s && seconds.is_multiple_of(unit_s) {
            let count = seconds / unit_s;
            all.push(format!("{count} {unit}s"));
            let spelled = usize::try_from(count).ok().and_then(|n| SPELLED.get(n));
            all.extend(spelled.map(|count| format!("{count} {unit}s")));
            all.extend((count == 30).then(|| format!("thirty {unit}s")));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(specified_s: u64, now_s: u64) -> Time {
        Time { specified_s, now_s }
    }

    fn text(text: &str, times: &[Time]) -> String {
        told(text, times).0
    }

    #[test]
    fn times_in_words_and_digits_become_those_of_the_run() {
        let points = [time(180, 18)];
        let same = "thirteen minutes, 43 minutes, 1180 seconds, five minutes at most";
        for (was, is) in [
            (
                "queue depth 1 and 4, three minutes each.",
                "queue depth 1 and 4, 18 s each.",
            ),
            ("Three minutes a point", "18 s a point"),
            ("180 seconds, 3 minutes", "18 s, 18 s"),
            (same, same),
        ] {
            assert_eq!(text(was, &points), is);
        }
        let minute = [time(60, 6), time(30, 3)];
        assert_eq!(
            text("A minute of random writes", &minute),
            "6 s of random writes"
        );
        assert_eq!(text("half a minute a point", &minute), "3 s a point");
        assert_eq!(text("half a minute", &minute[..1]), "half a minute");
        let rates = "sampled every second, 9 a second";
        assert_eq!(text(rates, &[time(1, 2)]), rates);
    }

    #[test]
    fn rests_keep_their_length() {
        let pass = [time(5, 1)];
        assert_eq!(
            text(
                "five passes of 5 seconds each; 5 seconds of rest between",
                &pass
            ),
            "five passes of 1 s each; 5 seconds of rest between"
        );
        let chain = [time(7200, 720), time(900, 90), time(60, 6)];
        assert_eq!(
            text(
                "After two hours it rests for 15 minutes, and a minute later",
                &chain
            ),
            "After 12 min it rests for 15 minutes, and a minute later"
        );
    }

    #[test]
    fn what_a_text_does_not_name_is_missing_in_it() {
        let times = [time(180, 18), time(40, 4)];
        let (_, missing) = told("40 seconds a point", &times);
        assert_eq!(missing, times[..1]);
    }
}
