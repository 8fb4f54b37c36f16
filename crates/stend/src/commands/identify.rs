//! `stend identify`: what is inside a drive, from what can be seen from outside.

use std::fs;
use std::path::Path;
use std::time::Instant;

use stend_identify::naming::{Group, UNITS};
use stend_identify::observed::Observed;
use stend_identify::property::Identification;
use stend_identify::{infer, observed_in, probe, written_bytes_max};
use stend_record::review::{Review, SCHEMA};
use stend_target::Access;

use crate::args::IdentifyArgs;
use crate::failure::Failure;
use crate::laboratory;
use crate::open::{Named, Planned, check_set, is_simulated, open_planned, real_options_fit};
use crate::output::{json_line, note, print};

pub fn run(args: &IdentifyArgs) -> Result<(), Failure> {
    if args.real.read_only {
        return Err(Failure::Input(
            "stend identify writes to its target, which --read-only rules out; of a review it \
             reads, without a target (stend identify review.json)"
                .to_owned(),
        ));
    }
    if let Some(path) = args.observed.as_deref() {
        check_new(path, args.names.len())?;
    }
    let (reviews, targets): (Vec<_>, Vec<_>) = args.names.iter().partition(|name| is_review(name));
    real_options_fit(args.names.iter(), &args.real)?;
    check_set(targets.iter().copied(), &args.set)?;
    if !args.set.set.is_empty() && !reviews.is_empty() {
        check_set(reviews, &args.set)?;
    }
    for name in &args.names {
        let seen = look(args, name)?;
        let identification = infer(name, &seen);
        if let Some(path) = &args.observed {
            let text = json_line(&seen)?;
            fs::write(path, text).map_err(|error| Failure::unwritable(path, &error))?;
        }
        match args.json {
            true => print(&json_line(&identification)?)?,
            false => print(&table(&identification))?,
        }
    }
    Ok(())
}

/// Whether this names a review rather than a target: a file of JSON, or no path and no model.
fn is_review(name: &str) -> bool {
    let path = Path::new(name);
    name.ends_with(".json") || !(is_simulated(name) || name.contains('/') || path.exists())
}

/// Refuses a file that exists, and one for several targets.
fn check_new(path: &Path, names: usize) -> Result<(), Failure> {
    if names > 1 {
        return Err(Failure::Input(
            "--observed keeps what was seen of one target: name a single one".to_owned(),
        ));
    }
    match path.exists() {
        true => Err(Failure::Refused(format!(
            "{}: it exists: choose another name with --observed, or remove it",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// What is seen of a target or in a review.
fn look(args: &IdentifyArgs, name: &str) -> Result<Observed, Failure> {
    if !is_review(name) {
        return probed(args, name);
    }
    if name.ends_with(".json") {
        return Ok(observed_in(&read(Path::new(name))?));
    }
    let lab = laboratory::look(&args.lab)?;
    let run = laboratory::find(&lab, name)?;
    Ok(observed_in(&lab.review(run)?))
}

/// A review in a file.
fn read(path: &Path) -> Result<Review, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    let review: Review = serde_json::from_str(&text)
        .map_err(|error| Failure::Input(format!("{}: no review: {error}", path.display())))?;
    if review.schema != SCHEMA {
        return Err(Failure::Input(format!(
            "{}: its schema is {:?}, and {SCHEMA:?} is needed",
            path.display(),
            review.schema
        )));
    }
    Ok(review)
}

/// Probes a target.
fn probed(args: &IdentifyArgs, name: &str) -> Result<Observed, Failure> {
    let named = Named {
        name,
        set: &args.set,
    };
    let planned = |bytes| {
        Some(Planned {
            bytes: written_bytes_max(bytes),
            ..Planned::default()
        })
    };
    let opened = open_planned(named, &args.real, Access::Look, &planned)?;
    let mut target = opened.into_target();
    let begun = Instant::now();
    let mut go_on = |group: &str| {
        let goes_on = args.budget.is_none_or(|budget| begun.elapsed() < budget);
        if goes_on {
            note(&format!("{name}: {group}"));
        }
        goes_on
    };
    let mut options = stend_identify::Options {
        seed: args.seed,
        go_on: &mut go_on,
    };
    Ok(probe(&mut *target, &mut options)?)
}

/// Properties for a terminal: what is known by groups, then what is not, and why.
fn table(identification: &Identification) -> String {
    let mut text = format!("{}\n", identification.target);
    let (told, untold): (Vec<_>, Vec<_>) = identification
        .properties
        .iter()
        .partition(|property| property.told);
    for group in Group::ALL {
        let of_group: Vec<_> = told.iter().filter(|told| told.group() == group).collect();
        if !of_group.is_empty() {
            text += &format!("\n  {}\n", group.title());
        }
        for property in of_group {
            let interval = property.interval_words().map(|words| format!(" ({words})"));
            text += &format!(
                "    {:<38} {}{}\n      {}\n",
                property.name(),
                property.value_words(),
                interval.unwrap_or_default(),
                property.evidence
            );
        }
    }
    if !untold.is_empty() {
        text += "\n  Cannot be told\n";
    }
    for property in untold {
        let why = property.why_not.as_deref().unwrap_or_default();
        text += &format!("    {}\n      {why}\n", property.name());
    }
    if !identification.left_out.is_empty() {
        let left_out = identification.left_out.join("; ");
        text += &format!("\n  left out for want of time: {left_out}\n");
    }
    text + &format!("\n  In brackets: 90 % intervals. {UNITS}.\n")
}
