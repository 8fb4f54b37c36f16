//! `stend sweep`: runs a study, and writes its table and its page.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use stend_experiment::Event;
use stend_lab::Table;
use stend_language::counted;
use stend_record::study::{Study, StudyRow};
use stend_study::{
    Context, Definition, FORMATS, Options, Plan, Session, check_folder, check_series,
};

use crate::args::SweepArgs;
use crate::failure::Failure;
use crate::memory::{processors, simulations_that_fit};
use crate::output::{json_line, note, print, print_json};
use crate::progress::Units;
use crate::{laboratory, signals};

/// Maximum number of outcomes whose effects the terminal shows.
const OUTCOMES_SHOWN: usize = 12;

pub fn run(args: &SweepArgs) -> Result<(), Failure> {
    let plan = Arc::new(Plan::new(Definition::read(&args.study)?)?);
    check_models(&plan)?;
    if args.plan {
        return match args.json {
            true => print_json(&planned_json(&plan)),
            false => print(&planned(&plan)),
        };
    }
    let folder = args.out.clone();
    let folder = folder.unwrap_or_else(|| format!("study-{}", plan.definition().name).into());
    check_folder(&folder, &plan.definition().name).map_err(Failure::Refused)?;
    if let Some(series) = &args.series {
        check_series(series, &plan)?;
    }
    fs::create_dir_all(&folder).map_err(|error| Failure::unwritable(&folder, &error))?;
    let lab = laboratory::path(&args.lab)?;
    laboratory::check(&lab)?;
    let context = Context {
        program: laboratory::program()?,
        folder: laboratory::absolute(&folder),
    };
    let mut session = Session::open(Arc::clone(&plan), Some(&lab), args.fresh, context)?;
    if let Some(series) = &args.series {
        session.wants_series(series)?;
    }
    note(&format!(
        "{}, {} of them taken from the lab",
        counted(plan.rows().len(), "row"),
        session.known_rows().len()
    ));
    signals::hint("; rows that are done are kept, and the same command goes on".to_owned());
    carry_out(&session, &plan, args)?;
    let study = session.study();
    let page = write(&study, &plan, args, &folder)?;
    print(&match args.json {
        true => json_line(&study.document())?,
        false => summary(&study, &page),
    })?;
    match study.rows.iter().any(|row| row.error.is_some()) {
        true => Err(Failure::Incomplete),
        false => Ok(()),
    }
}

/// Warns of rows that will fail because their settings make an invalid drive; refuses a study of
/// which all rows would fail.
fn check_models(plan: &Plan) -> Result<(), Failure> {
    if let Some(warning) = plan.check_models().map_err(Failure::Input)? {
        note(&format!("warning: {warning}"));
    }
    Ok(())
}

/// Describes the planned work.
fn planned(plan: &Plan) -> String {
    let groups = plan.groups();
    format!(
        "{}: {}, beginning from {}\n",
        plan.definition().shown_title(),
        counted(plan.rows().len(), "row"),
        counted(groups.len(), "state")
    )
}

fn planned_json(plan: &Plan) -> Value {
    json!({
        "schema": "stend.study-plan/1",
        "name": plan.definition().name,
        "title": plan.definition().shown_title(),
        "rows": plan.rows().len(),
        "states": plan.groups().len(),
    })
}

fn carry_out(session: &Session, plan: &Plan, args: &SweepArgs) -> Result<(), Failure> {
    let threads = args.threads.map_or_else(
        || simulations_that_fit(processors(), plan.capacity_bytes_max()),
        NonZero::get,
    );
    let options = Options {
        threads,
        interrupt: Arc::default(),
        series: args.series.clone(),
        watch: None,
    };
    let units = Units::new(&plan.definition().name);
    units.bar.begin();
    let show = |event: &Event<'_, StudyRow>| {
        units.show(event);
        if let Event::Finished {
            done, finished, of, ..
        } = event
        {
            units.bar.message(format!("row {finished} of {of}"));
            if let Some(error) = &done.result.error {
                units.bar.line(&format!("{} failed: {error}", done.name));
            }
        }
    };
    let ran = session.run(&options, &|_| true, &show);
    units.bar.finish();
    Ok(ran?)
}

/// Writes the table and the page, and returns the page's path.
fn write(study: &Study, plan: &Plan, args: &SweepArgs, folder: &Path) -> Result<PathBuf, Failure> {
    let table = Table::of_study(study);
    for format in FORMATS {
        signals::undisturbed(|| table.write(folder, *format))?;
    }
    let reproduce = format!("stend sweep {}", args.study.display());
    let planned = plan.rows().len() as u64;
    let page =
        signals::undisturbed(|| stend_report::write_study(study, planned, &reproduce, folder));
    Ok(page?)
}

/// Summarizes which factors explain the outcomes, and where the files are.
fn summary(study: &Study, page: &Path) -> String {
    let failed = study
        .rows
        .iter()
        .filter(|row: &&StudyRow| row.error.is_some())
        .count();
    let mut text = format!("{}: {}", study.title, counted(study.rows.len(), "row"));
    if failed > 0 {
        text += &format!(", {failed} failed");
    }
    if study.duration_scale != 1.0 {
        text += &format!(", every measurement of tests × {}", study.duration_scale);
    }
    text += "\n";
    let mut shown: Vec<(&str, &str)> = Vec::new();
    for effect in &study.effects {
        let pair = (effect.job.as_str(), effect.outcome.as_str());
        if !shown.contains(&pair) && shown.len() < OUTCOMES_SHOWN {
            shown.push(pair);
        }
    }
    for (job, outcome) in shown {
        let of_pair = study.effects.iter();
        let of_pair = of_pair.filter(|effect| effect.job == job && effect.outcome == outcome);
        let mut shares: Vec<(f64, &str)> = of_pair
            .filter_map(|effect| Some((effect.variance_share?, effect.factor.as_str())))
            .collect();
        shares.sort_by(|a, b| b.0.total_cmp(&a.0));
        let words = shares
            .iter()
            .map(|(share, factor)| format!("{factor} {:.0} %", share * 100.0));
        let words: Vec<String> = words.collect();
        if !words.is_empty() {
            text += &format!("  {job}: {outcome} is explained by {}\n", words.join(", "));
        }
    }
    text + &format!("{}\n", page.display())
}
