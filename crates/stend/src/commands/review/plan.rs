//! `stend review --plan`: the work, time and written bytes of a review, without running it. Opens
//! nothing for writing, creates and locks nothing, and asks no question; reads the health of a
//! device.

use serde_json::{Value, json};
use stend_analysis::words;
use stend_method::{
    Edition, Estimate, FILL_BYTES_PER_S, Outline, OutlinedPart, Prospect, ReviewOptions,
    check_write_budget, outline,
};
use stend_real::{RATING_UNKNOWN, life_percent};
use stend_record::review::{TargetKind, Text};

use super::{check_rival, checked, rival};
use crate::args::{ReviewArgs, SetArgs};
use crate::failure::Failure;
use crate::open::{Named, Seen, look};
use crate::output::{print, print_json};

/// Work planned on a target.
struct Planned {
    seen: Seen,
    outline: Outline,
}

pub(super) fn run(args: &ReviewArgs) -> Result<(), Failure> {
    let (edition, options) = checked(args)?;
    let mut all = Vec::new();
    for (nth, name) in std::iter::once(&args.target)
        .chain(&args.against)
        .enumerate()
    {
        if nth > 0 {
            check_rival(name)?;
        }
        // `--set` applies only to the drive under test.
        let set = match nth {
            0 => &args.set,
            _ => &SetArgs::default(),
        };
        let seen = look(Named { name, set }, &args.real)?;
        let can_be_copied = seen.simulated && (nth > 0 || args.state.is_none());
        let options = match nth {
            0 => &options,
            _ => &rival::options(args, &edition, &options),
        };
        all.push(planned(seen, can_be_copied, args, (&edition, options))?);
    }
    if args.json {
        let targets: Vec<Value> = all.iter().map(document).collect();
        return print_json(&json!({
            "schema": "stend.plan/1",
            "edition": edition.id,
            "edition_title": edition.title.at(options.duration_scale).in_english(),
            "seed": options.seed,
            "duration_scale": options.duration_scale,
            "repeat": options.repeat,
            "read_only": args.real.read_only,
            "targets": targets,
        }));
    }
    let mut text = format!(
        "plan of edition {}: {}; nothing has been touched\n",
        edition.id, edition.title
    );
    if options.repeat > 1 {
        text += &format!(
            "{} repetitions: steps, time and bytes are those of all of them\n",
            options.repeat
        );
    }
    if options.duration_scale != 1.0 {
        text += &format!("every duration × {}\n", options.duration_scale);
    }
    for planned in &all {
        text += &in_words(planned, options.repeat);
    }
    print(&text)
}

/// Plans one repetition on a target, and multiplies it.
fn planned(
    seen: Seen,
    can_be_copied: bool,
    args: &ReviewArgs,
    (edition, options): (&Edition, &ReviewOptions<'_>),
) -> Result<Planned, Failure> {
    let read_only = args.real.read_only && !seen.simulated;
    if !read_only {
        check_write_budget(edition, options, seen.write_limit)?;
    }
    let prospect = Prospect {
        info: &seen.info,
        can_be_copied,
        read_only,
        trim_supported: seen.trim_supported,
    };
    let mut outline = outline(edition, options, &prospect)?;
    repeat(&mut outline, options.repeat);
    Ok(Planned { seen, outline })
}

/// Multiplies the planned work by `times`, including the preparation of states.
fn repeat(outline: &mut Outline, times: u32) {
    let of_tests = outline.tests.iter_mut().flat_map(|test| &mut test.parts);
    for part in outline.states.iter_mut().chain(of_tests) {
        part.times *= u64::from(times);
    }
    let total = &mut outline.total;
    for seconds in [
        &mut total.measured_s,
        &mut total.writing_s,
        &mut total.idle_s,
    ] {
        *seconds *= f64::from(times);
    }
    for bytes in [
        &mut total.fill_bytes,
        &mut total.trace_bytes,
        &mut total.load_bytes,
        &mut total.read_bytes,
    ] {
        *bytes *= u64::from(times);
    }
}

fn in_words(planned: &Planned, repeat: u32) -> String {
    let Planned { seen, outline } = planned;
    let kind = match seen.info.kind {
        TargetKind::Simulated => "simulated",
        TargetKind::File => "a file, through fio",
        TargetKind::Directory => "a directory, through fio and its file system",
        TargetKind::BlockDevice => "a block device, through fio",
    };
    let mut text = format!(
        "\n{} ({kind}, {})\n",
        seen.info.title,
        words::bytes(seen.info.capacity_bytes)
    );
    for reason in &seen.refusals {
        text += &format!("  ! the review would be refused: {reason}\n");
    }
    if !outline.states.is_empty() {
        text += &match repeat {
            1 => "  states, each made once\n".to_owned(),
            times => format!("  states, each made {times} times\n"),
        };
        text += &outline.states.iter().map(part_line).collect::<String>();
    }
    for test in &outline.tests {
        text += &format!("  {}: {}\n", test.id, test.title);
        for warning in &test.warnings {
            text += &format!("    ! {warning}\n");
        }
        if let Some(first) = &test.measured_with {
            text += &format!("    measured with {first}\n");
        }
        text += &test.parts.iter().map(part_line).collect::<String>();
    }
    text + &totals(seen, &outline.total)
}

fn part_line(part: &OutlinedPart) -> String {
    let times = match part.times {
        1 => String::new(),
        n => format!("{n} × "),
    };
    match (part.duration_s, part.bytes) {
        (Some(duration_s), _) => format!("    {}: {times}{}\n", part.what, words::time(duration_s)),
        (None, Some(bytes)) if bytes > 0 => {
            format!("    {}: {times}{}\n", part.what, words::bytes(bytes))
        }
        _ => format!("    {times}{}\n", part.what),
    }
}

/// Formats time, written bytes, and share of the rated life.
fn totals(seen: &Seen, total: &Estimate) -> String {
    let clock = match seen.simulated {
        true => ", of the drive's own time: a simulation takes less",
        false => "",
    };
    let mut text = format!(
        "  time: {} measured, {} at rest",
        words::time(total.measured_s),
        words::time(total.idle_s)
    );
    let passes = total.fill_bytes + total.read_bytes;
    if passes > 0 {
        text += &format!(
            "; {} for {} in sequence, estimated at {}",
            words::time(passes as f64 / FILL_BYTES_PER_S),
            words::bytes(passes),
            words::speed(FILL_BYTES_PER_S)
        );
    }
    text += &format!(
        "; {} in all{clock}\n",
        words::time(total.duration_s(FILL_BYTES_PER_S))
    );
    if total.written_bytes() == 0 {
        return text + "  written: nothing\n";
    }
    let counted = total.fill_bytes + total.trace_bytes;
    text += &format!(
        "  written: {} by fills, files and traces",
        words::bytes(counted)
    );
    if total.load_bytes > 0 {
        text += &format!(
            "; under loads that write for {}, as much as the target takes: estimated at most {}",
            words::time(total.writing_s),
            words::bytes(total.load_bytes)
        );
    }
    text + "\n  rated life: " + &life_in_words(seen, total) + "\n"
}

/// Formats the share of the target's rated life that the planned writes use.
fn life_in_words(seen: &Seen, total: &Estimate) -> String {
    let so_far = |health| life_percent(health, total.written_bytes());
    match (seen.rated_bytes, seen.health.as_ref().and_then(so_far)) {
        (Some(rated), _) => format!(
            "at most {} % of {}",
            words::number(rated_percent(total, rated)),
            words::bytes(rated)
        ),
        (None, Some((percent, before))) => format!(
            "about {} %, if it wears as it did by the {} that were written so far",
            words::number(percent),
            words::bytes(before)
        ),
        (None, None) if seen.info.kind == TargetKind::BlockDevice => {
            format!("not known: {RATING_UNKNOWN}")
        }
        (None, None) => "not known".to_owned(),
    }
}

fn rated_percent(total: &Estimate, rated: u64) -> f64 {
    100.0 * total.written_bytes() as f64 / rated as f64
}

fn document(planned: &Planned) -> Value {
    let Planned { seen, outline } = planned;
    let part = |part: &OutlinedPart| {
        let mut object = json!({ "what": part.what, "times": part.times });
        if let Some(duration_s) = part.duration_s {
            object["duration_s"] = json!(duration_s);
        }
        if let Some(bytes) = part.bytes {
            object["bytes"] = json!(bytes);
        }
        object
    };
    let parts = |parts: &[OutlinedPart]| parts.iter().map(part).collect::<Vec<Value>>();
    let tests = outline.tests.iter().map(|test| {
        let mut object = json!({
            "id": test.id,
            "title": test.title,
            "warnings": test.warnings.iter().map(Text::in_english).collect::<Vec<_>>(),
            "parts": parts(&test.parts),
        });
        if let Some(first) = &test.measured_with {
            object["measured_with"] = json!(first);
        }
        object
    });
    let total = &outline.total;
    let mut object = json!({
        "target": seen.info,
        "states": parts(&outline.states),
        "tests": tests.collect::<Vec<Value>>(),
        "measured_s": total.measured_s,
        "writing_s": total.writing_s,
        "idle_s": total.idle_s,
        "fill_bytes": total.fill_bytes,
        "trace_bytes": total.trace_bytes,
        "estimated_bytes_per_s": FILL_BYTES_PER_S,
        "estimated_s": total.duration_s(FILL_BYTES_PER_S),
        "estimated_load_bytes": total.load_bytes,
        "estimated_written_bytes": total.written_bytes(),
    });
    if !seen.refusals.is_empty() {
        object["refusals"] = json!(seen.refusals);
    }
    if let Some(rated) = seen.rated_bytes {
        object["rated_bytes"] = json!(rated);
        object["estimated_life_percent"] = json!(rated_percent(total, rated));
    } else if let Some(health) = &seen.health
        && let Some((percent, _)) = life_percent(health, total.written_bytes())
    {
        object["estimated_life_percent"] = json!(percent);
    }
    object
}
