//! Reviews: the list, one of them, several side by side.

use std::collections::BTreeSet;
use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use stend_analysis::compare::{Side, together, unlike, unlike_models};
use stend_analysis::words::list as list_words;
use stend_lab::browse::{self, List};
use stend_lab::others::others;
use stend_lab::{EntryId, Lab, RunId, RunState, RunSummary, progress};
use stend_language::{Language, bound, numeral, say, text, within};
use stend_record::review::Review;
use stend_report::{Comparison, side_name};

use super::drives::links;
use super::fields::{Fields, field, language};
use super::marks::{self, Marks};
use super::search::{Above, Listed, SearchForm, listed};
use crate::address::{escaped, localized, with_query};
use crate::app::App;
use crate::head::Head;
use crate::page::{FramedPage, PLAIN, REPORT, page, see_other, with_policy};
use crate::trouble::Trouble;
use crate::words;

/// Most runs in one comparison.
const SIDES_MAX: usize = 6;

/// Most runs that the list shows as chosen on other pages.
const CHOSEN_MAX: usize = 24;

#[derive(Template)]
#[template(path = "reviews.html")]
struct ListPage<'a> {
    head: Head,
    /// Path of the lab.
    lab: String,
    form: SearchForm<'a>,
    above: Above,
    rows: Vec<Row>,
    /// Runs that are chosen for a comparison and not among the rows: number, drive.
    elsewhere: Vec<(i64, String)>,
    /// Number of reviews in progress.
    live: usize,
}

impl ListPage<'_> {
    fn count_text(&self) -> String {
        text!("lab-runs", count = self.above.rows)
    }

    fn live_text(&self) -> String {
        text!("lab-live", count = self.live)
    }

    fn empty_text(&self) -> String {
        text!("lab-empty-file", path = &self.lab)
    }

    fn run_text(&self, run: &i64, drive: &str) -> String {
        text!("lab-run-of", run = run.to_string(), drive = drive)
    }

    /// Returns a text about the choice, with `{}` for the number of chosen runs.
    fn choose_text(&self, id: &str) -> String {
        text!(id, most = SIDES_MAX, chosen = "{}")
    }
}

/// A run in the list.
struct Row {
    run: RunSummary,
    began: String,
    capacity: String,
    simulated: bool,
    state: String,
    /// True if it is chosen for a comparison.
    chosen: bool,
}

impl Row {
    fn of(run: RunSummary, chosen: &[i64]) -> Row {
        Row {
            chosen: chosen.contains(&run.run),
            began: words::time(run.begun_unix_ms),
            capacity: bound(&words::bytes(run.capacity_bytes)),
            simulated: run.drive.kind == "simulated",
            state: state(&run),
            run,
        }
    }
}

impl Row {
    fn address(&self) -> String {
        localized(format!("/runs/{}", self.run.run))
    }

    fn compare_text(&self) -> String {
        let drive = &self.run.drive.model;
        text!(
            "lab-compare-run",
            run = self.run.run.to_string(),
            drive = drive
        )
    }
}

/// Describes the state of a run; empty if it is complete and was not interrupted.
fn state(run: &RunSummary) -> String {
    let mut words = Vec::new();
    if run.state == RunState::Unfinished {
        words.push(say("lab-unfinished"));
    }
    if run.tests_failed > 0 {
        words.push(text!("lab-failed", count = run.tests_failed));
    }
    if run.breaks > 0 {
        words.push(text!("lab-breaks", count = run.breaks));
    }
    if run.duration_scale != 1.0 {
        let scale = numeral(&run.duration_scale.to_string());
        words.push(text!("lab-scaled", scale = scale));
    }
    words.join(", ")
}

/// Lists the runs.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let found = listed(&app, (List::Runs, "/", "run"), browse::runs, &fields).await?;
    let now_unix_ms = app.now_unix_ms();
    let live = app.read(move |lab| {
        let live = progress::list(lab)?.into_iter();
        let live = live.filter(|(_, of)| !of.ended && !of.is_stopped(now_unix_ms));
        Ok(live.count())
    });
    let chosen = runs_of(&fields);
    let shown: Vec<i64> = found.rows.iter().map(|row| row.run).collect();
    let mut elsewhere = chosen.clone();
    elsewhere.retain(|run| !shown.contains(run));
    let elsewhere = app.read(move |lab| {
        let run = |run: &i64| Some((*run, lab.run(RunId(*run)).ok()?.drive.model));
        // The address may name runs that were deleted, and any number of them.
        Ok(elsewhere.iter().take(CHOSEN_MAX).filter_map(run).collect())
    });
    let elsewhere: Vec<(i64, String)> = elsewhere.await?;
    let live = live.await?;
    within(language(&fields), || {
        list_page(&app, &fields, found, &chosen, (elsewhere, live))
    })
}

/// Renders the list in the current language.
fn list_page(
    app: &App,
    fields: &Fields,
    found: Listed<RunSummary>,
    chosen: &[i64],
    (elsewhere, live): (Vec<(i64, String)>, usize),
) -> Result<Response, Trouble> {
    let all = localized(with_query("/", &parameters(chosen)));
    let form = SearchForm::new("/", fields, say("lab-hint"))
        .drive()
        .made_of(&found.choices.drive_years)
        .choice(say("lab-began-run"), "year", &found.choices.years)
        .choice(say("lab-edition"), "edition", &found.choices.editions)
        .kind("kind")
        .all_at(all);
    let here = fields.iter().filter(|(name, _)| name != "lang");
    let here = here.map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    let rows = found.rows.into_iter();
    let list = ListPage {
        head: Head::plain(say("lab-reviews"))
            .under("reviews")
            .in_every_language("/", here.collect()),
        lab: app.path().display().to_string(),
        form,
        above: found.above,
        rows: rows.map(|run| Row::of(run, chosen)).collect(),
        elsewhere,
        live,
    };
    page(&list, PLAIN)
}

/// Shows one run: its report, with a link back.
pub(crate) async fn run(
    State(app): State<Arc<App>>,
    Path(run): Path<i64>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let summary = found(&app, run).await?;
    let entry = EntryId::Run(RunId(run));
    let marks = Marks::of(
        &app,
        entry,
        summary.label.as_deref(),
        summary.note.as_deref(),
    );
    within(language(&fields), || run_page(summary, &marks))
}

/// Sets label and note of a run.
pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    Path(run): Path<i64>,
    Query(shown): Query<Fields>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    let summary = found(&app, run).await?;
    let marks = marks::set(&app, EntryId::Run(RunId(run)), &fields).await?;
    within(language(&shown), || match marks {
        None => Ok(see_other(&localized(format!("/runs/{run}")))),
        Some(marks) => run_page(summary, &marks),
    })
}

async fn found(app: &Arc<App>, run: i64) -> Result<RunSummary, Trouble> {
    let found = app.read(move |lab| Ok(Some(lab.run(RunId(run))?)));
    found.await?.ok_or_else(|| no_run(run))
}

fn run_page(summary: RunSummary, marks: &Marks) -> Result<Response, Trouble> {
    let run = summary.run;
    let state = match state(&summary) {
        state if state.is_empty() => state,
        state => format!(", {state}"),
    };
    let began = words::time(summary.begun_unix_ms);
    let framed = FramedPage {
        head: Head::plain(text!(
            "lab-title-run",
            run = run.to_string(),
            drive = &summary.drive.model
        ))
        .under("reviews")
        .in_every_language(&format!("/runs/{run}"), Vec::new()),
        back: (localized("/".to_owned()), say("lab-reviews")),
        report: localized(format!("/runs/{run}/report")),
        about: text!("lab-about-run", edition = &summary.edition, began = began) + &state,
        links: links(&summary.drive, EntryId::Run(RunId(run))),
        label: summary.label,
        note: summary.note,
        marks: marks.render()?,
        sides: Vec::new(),
    };
    let mut response = page(&framed, PLAIN)?;
    if !marks.wrong.is_empty() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

fn no_run(run: i64) -> Trouble {
    Trouble::Missing(format!("There is no run {run}."))
}

/// Returns the report of a run, for the frame of its page.
pub(crate) async fn report(
    State(app): State<Arc<App>>,
    Path(run): Path<i64>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let language = language(&fields);
    let html = app.read(move |lab| Ok(Some(written(lab, &[run], language)?)));
    let html = html.await?.ok_or_else(|| no_run(run))?;
    Ok(with_policy(Html(html).into_response(), REPORT))
}

/// Returns the numbers of the runs in an address, each once.
fn runs_of(fields: &Fields) -> Vec<i64> {
    let runs = fields.iter().filter(|(name, _)| name == "run");
    let mut runs: Vec<i64> = runs.filter_map(|(_, run)| run.parse().ok()).collect();
    let mut seen = BTreeSet::new();
    runs.retain(|run| seen.insert(*run));
    runs
}

/// Returns the numbers of the runs to compare, the reference first.
fn sides(fields: &Fields) -> Result<Vec<i64>, Trouble> {
    let mut runs = runs_of(fields);
    let reference = field(fields, "reference").parse();
    if let Some(place) = runs.iter().position(|run| reference == Ok(*run)) {
        runs[..=place].rotate_right(1);
    }
    match (2..=SIDES_MAX).contains(&runs.len()) {
        true => Ok(runs),
        false => Err(Trouble::Wrong(format!(
            "A comparison takes 2 to {SIDES_MAX} different runs, not {}: go back to the list, and \
             choose them by their boxes.",
            runs.len()
        ))),
    }
}

/// Returns the parameters of an address that name runs.
fn parameters(runs: &[i64]) -> Vec<String> {
    runs.iter().map(|run| format!("run={run}")).collect()
}

/// Shows several runs side by side.
pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let runs = sides(&fields)?;
    let parameters = parameters(&runs);
    // The form of the list also sends its search, and the one of this page a reference.
    let language = language(&fields);
    if fields
        .iter()
        .any(|(name, _)| !["run", "lang"].contains(&&**name))
    {
        let address = || localized(with_query("/compare", &parameters));
        return Ok(see_other(&within(language, address)));
    }
    let wanted = runs.clone();
    let titles = app.read(move |lab| {
        let model = |run: &i64| Ok(lab.run(RunId(*run))?.drive.model);
        wanted
            .iter()
            .map(model)
            .collect::<Result<Vec<_>, Trouble>>()
    });
    let titles = titles.await?;
    if titles.is_empty() {
        return Err(no_run(runs[0]));
    }
    within(language, || page(&framed(&runs, &titles), PLAIN))
}

/// Returns the page of a comparison in the current language.
fn framed(runs: &[i64], titles: &[String]) -> FramedPage {
    let parameters = parameters(runs);
    let side = |run: &i64| text!("lab-side", run = run.to_string());
    let link = |run: &i64| (localized(format!("/runs/{run}")), side(run));
    let sides = runs.iter().zip(titles).map(|(run, title)| {
        let name = text!("lab-run-of", run = run.to_string(), drive = title);
        (*run, name)
    });
    let title = text!(
        "lab-title-against",
        first = &titles[0],
        others = list_words(&titles[1..])
    );
    FramedPage {
        head: Head::plain(title)
            .under("reviews")
            .in_every_language("/compare", parameters.clone()),
        back: (localized(with_query("/", &parameters)), say("lab-reviews")),
        report: localized(with_query("/compare/report", &parameters)),
        about: text!("lab-about-sides", count = runs.len()),
        sides: sides.collect(),
        links: runs.iter().map(link).collect(),
        ..FramedPage::default()
    }
}

/// Returns the report of several runs, for the frame of their page.
pub(crate) async fn compared(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let runs = sides(&fields)?;
    let first = runs[0];
    let language = language(&fields);
    let html = app.read(move |lab| Ok(Some(written(lab, &runs, language)?)));
    let html = html.await?.ok_or_else(|| no_run(first))?;
    Ok(with_policy(Html(html).into_response(), REPORT))
}

/// Renders the report of runs like `stend report` and `stend compare --out`.
fn written(lab: &Lab, runs: &[i64], language: Language) -> Result<String, Trouble> {
    within(language, || render(lab, runs))
}

fn render(lab: &Lab, runs: &[i64]) -> Result<String, Trouble> {
    let mut reviews = Vec::new();
    for run in runs {
        let run = RunId(*run);
        reviews.push((lab.review(run)?, lab.run(run)?.facts()));
    }
    if let ([run], [(review, _)]) = (runs, reviews.as_mut_slice()) {
        review.others = others(lab, RunId(*run))?;
    }
    let all: Vec<&Review> = reviews.iter().map(|(review, _)| review).collect();
    let review = together(&all).ok_or_else(|| Trouble::Wrong("No run was named.".to_owned()))?;
    let sides = reviews.iter().map(|(review, facts)| Side { review, facts });
    let sides: Vec<Side<'_>> = sides.collect();
    let labels: Vec<_> = all.iter().map(|review| review.label.clone()).collect();
    let names = runs.iter().zip(&all).map(|(run, review)| {
        let label = review.label.as_deref();
        side_name(&review.target.title, *run, label)
    });
    let names: Vec<String> = names.collect();
    let html = match sides.len() {
        1 => stend_report::write(&review),
        _ => stend_report::comparison(
            &review,
            &Comparison {
                conditions: &unlike(&sides),
                models: &unlike_models(&sides),
                labels: &labels,
                names: &names,
            },
        ),
    };
    html.map_err(|error| Trouble::Fault(error.to_string()))
}
