//! `stend identify`: infers the properties of a drive from its behaviour.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use stend_identify::naming::{Group, units};
use stend_identify::observed::Observed;
use stend_identify::property::{Identification, SCHEMA};
use stend_identify::{infer, observed_in, probe, written_bytes_max};
use stend_language::{Language, Text, say, text, within};
use stend_record::review::{self, ReadError, Review};
use stend_report::Origin;
use stend_simulated::Access;

use crate::args::IdentifyArgs;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::laboratory;
use crate::open::{
    Named, Planned, check_all, check_set, is_simulated, open_planned, real_options_fit,
};
use crate::output::{json_line, note, print, print_json_line};
use crate::signals;
use crate::typed::{real, settings, word};

pub fn run(args: &IdentifyArgs) -> Result<(), Failure> {
    if args.real.read_only {
        return Err(Failure::Input(
            "stend identify writes to its target, which --read-only rules out; of a review it \
             reads, without a target (stend identify review.json)"
                .to_owned(),
        ));
    }
    if args.names.len() > 1 && (args.observed.is_some() || args.out.is_some()) {
        return Err(Failure::Input(
            "--observed and --out store the observations of one target: name a single one"
                .to_owned(),
        ));
    }
    if let Some(path) = args.observed.as_deref() {
        check_new(path)?;
    }
    let (reviews, targets): (Vec<_>, Vec<_>) = args.names.iter().partition(|name| is_review(name));
    if targets.is_empty() {
        review_options_fit(args)?;
    }
    real_options_fit(args.names.iter(), &args.real)?;
    check_set(targets.iter().copied(), &args.set)?;
    if !args.set.set.is_empty() && !reviews.is_empty() {
        check_set(reviews.iter().copied(), &args.set)?;
    }
    // Errors in the names of later targets are reported before the first is touched.
    if args.names.len() > 1 {
        let targets: Vec<String> = targets.into_iter().cloned().collect();
        check_all(&targets, &args.set, &args.real)?;
        reviews
            .iter()
            .try_for_each(|name| look(args, name).map(drop))?;
    }
    let folder = args.out.as_deref();
    let language = args.language.lang;
    let folder = folder.map(|path| page_folder(path, &args.names[0], language));
    let folder = folder.transpose()?;
    for name in &args.names {
        let seen = look(args, name)?;
        let identification = infer(name, &seen);
        if let Some(path) = &args.observed {
            let text = json_line(&seen)?;
            fs::write(path, text).map_err(|error| Failure::unwritable(path, &error))?;
        }
        match args.json {
            true => print_json_line(&identification)?,
            false => print(&within(language, || table(&infer(name, &seen))))?,
        }
        if let Some(folder) = &folder {
            let how = (origin(name), &*reproduce(args, name));
            let write =
                || stend_report::write_identification(&identification, &seen, how, folder.path());
            let page = signals::undisturbed(|| within(language, write))?;
            note(&page.display().to_string());
        }
    }
    Ok(())
}

/// Source of the observations that a name stands for, for the page.
fn origin(name: &str) -> Origin {
    match (is_review(name), is_simulated(name)) {
        (true, _) => Origin::Review,
        (false, true) => Origin::Simulated,
        (false, false) => Origin::Real,
    }
}

/// Opens the folder of a page. It may replace only the page of an earlier identification of the
/// same target; for a real target not even that, because its results cannot be repeated.
fn page_folder(path: &Path, name: &str, language: Language) -> Result<Folder, Failure> {
    let [page, document] = ["index.html", "identification.json"].map(|file| path.join(file));
    let text = fs::read_to_string(&document).unwrap_or_default();
    let earlier: Option<Identification> = serde_json::from_str(&text).ok();
    let same = earlier.is_some_and(|there| there.schema == SCHEMA && there.target == name);
    let is_new = !page.exists() && !document.exists();
    match is_new || (same && origin(name) != Origin::Real) {
        true => {
            let folder = Folder::open(path.to_owned(), language)?;
            signals::hint(String::new());
            Ok(folder)
        }
        false => Err(Failure::Refused(format!(
            "{} holds a page that an identification of {name} would replace; choose another \
             folder with --out, or move it away",
            path.display()
        ))),
    }
}

/// Refuses options of targets if only reviews are read, which would ignore them.
fn review_options_fit(args: &IdentifyArgs) -> Result<(), Failure> {
    let option = match args {
        _ if args.real.size.is_some() => "--size",
        _ if !args.real.destroy.is_empty() => "--destroy",
        _ if args.budget.is_some() => "--budget",
        _ => return Ok(()),
    };
    Err(Failure::Input(format!(
        "{option} is for targets that are measured, and {} is taken for a review, which is only \
         read; leave {option} out, or name a file with its folder (./drive.bin)",
        args.names.join(", ")
    )))
}

/// The command that repeats the identification, in the same language.
fn reproduce(args: &IdentifyArgs, name: &str) -> String {
    let mut command = format!(
        "stend identify {}{} --seed {}",
        word(name),
        settings(&args.set.set),
        args.seed
    );
    if let Some(budget) = args.budget {
        command += &format!(" --budget {}s", budget.as_secs());
    }
    if args.language.lang != Language::English {
        command += &format!(" --lang {}", args.language.lang);
    }
    command + &real(&args.real)
}

/// True if the name is a review rather than a target: a JSON file, or neither path nor model.
fn is_review(name: &str) -> bool {
    let path = Path::new(name);
    name.ends_with(".json") || !(is_simulated(name) || name.contains('/') || path.exists())
}

/// Refuses a file that exists.
fn check_new(path: &Path) -> Result<(), Failure> {
    match path.exists() {
        true => Err(Failure::Refused(format!(
            "{}: it exists: choose another name with --observed, or remove it",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// Observes a target, or reads the observations of a review.
fn look(args: &IdentifyArgs, name: &str) -> Result<Observed, Failure> {
    if !is_review(name) {
        return probed(args, name);
    }
    if name.ends_with(".json") {
        return Ok(observed_in(&read(Path::new(name))?));
    }
    let of_no_target = |failure| match failure {
        Failure::Input(text) => Failure::Input(format!(
            "{name} is not a drive model (`stend drives`), a file or a review: {text}"
        )),
        other => other,
    };
    let lab = laboratory::look(&args.lab).map_err(of_no_target)?;
    let run = laboratory::find(&lab, name).map_err(of_no_target)?;
    Ok(observed_in(&lab.review(run)?))
}

/// Reads a review from a file.
fn read(path: &Path) -> Result<Review, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    review::read(&text).map_err(|error| {
        let shown = path.display();
        Failure::Input(match error {
            ReadError::Json(error) => format!("{shown}: not a review: {error}"),
            ReadError::Schema(schema) => format!(
                "{shown}: its schema is {schema:?}, and {:?} is needed",
                review::SCHEMA
            ),
        })
    })
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
            note(&format!("{name}: {}", Text::named("probe", group)));
        }
        goes_on
    };
    let left_s = |budget: Duration| budget.as_secs_f64() - begun.elapsed().as_secs_f64();
    let left_s = args.budget.map(|budget| move || left_s(budget));
    let mut options = stend_identify::Options {
        seed: args.seed,
        go_on: &mut go_on,
        left_s: left_s.as_ref().map(|left_s| left_s as &dyn Fn() -> f64),
    };
    Ok(probe(&mut *target, &mut options)?)
}

/// Formats properties for a terminal: known ones by groups, then unknown ones with the reasons.
fn table(identification: &Identification) -> String {
    let mut out = format!("{}\n", identification.target);
    let (told, untold): (Vec<_>, Vec<_>) = identification
        .properties
        .iter()
        .partition(|property| property.told);
    for group in Group::ALL {
        let of_group: Vec<_> = told.iter().filter(|told| told.group() == group).collect();
        if !of_group.is_empty() {
            out += &format!("\n  {}\n", group.title());
        }
        for property in of_group {
            let interval = property.interval_words().map(|words| format!(" ({words})"));
            out += &format!(
                "    {:<38} {}{}\n      {}\n",
                property.name(),
                property.value_words(),
                interval.unwrap_or_default(),
                property.evidence
            );
        }
    }
    if !untold.is_empty() {
        out += &format!("\n  {}\n", say("inside-untold"));
    }
    for property in untold {
        let why = property.why_not.as_deref().unwrap_or_default();
        out += &format!("    {}\n      {why}\n", property.name());
    }
    if !identification.left_out.is_empty() {
        let left_out = identification.left_out.iter();
        let left_out: Vec<String> = left_out
            .map(|group| Text::named("probe", group).to_string())
            .collect();
        let left_out = text!("inside-left-out", what = left_out.join("; "));
        out += &format!("\n  {left_out}\n");
    }
    out + &format!("\n  {}\n", text!("inside-brackets", units = units()))
}
