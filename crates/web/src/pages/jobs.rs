//! Single jobs and replays: the list, and one of them.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use stend_lab::browse::{self, List};
use stend_lab::recorded::{self, Recorded, RecordedSummary};
use stend_lab::{EntryId, RecordedId, RecordedKind};

use super::drives::links;
use super::fields::Fields;
use super::marks::{self, Marks};
use super::search::{Above, SearchForm, listed};
use crate::app::App;
use crate::figures::{Figures, figures};
use crate::head::Head;
use crate::page::{PLAIN, page, see_other};
use crate::trouble::Trouble;
use crate::words;

/// Most lines of a job that are shown unfolded.
const LINES: usize = 30;

#[derive(Template)]
#[template(path = "jobs.html")]
struct ListPage<'a> {
    head: Head,
    form: SearchForm<'a>,
    above: Above,
    rows: Vec<Row>,
}

struct Row {
    of: RecordedSummary,
    began: String,
    simulated: bool,
}

/// Lists the jobs and replays.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let of = (List::Recorded, "/jobs", "result");
    let found = listed(&app, of, browse::recorded, &fields).await?;
    let hint = "label, note, job file, trace, controller …";
    let list = ListPage {
        head: Head::plain("Jobs").under("jobs"),
        form: SearchForm::new("/jobs", &fields, hint)
            .drive()
            .made_of(&found.choices.drive_years)
            .choice("Job began", "year", &found.choices.years)
            .choice("Kind", "kind", &RecordedKind::ALL.map(RecordedKind::name))
            .kind("on"),
        above: found.above,
        rows: found
            .rows
            .into_iter()
            .map(|of| Row {
                began: words::time(of.begun_unix_ms),
                simulated: of.drive.kind == "simulated",
                of,
            })
            .collect(),
    };
    page(&list, PLAIN)
}

#[derive(Template)]
#[template(path = "job.html")]
struct OnePage {
    head: Head,
    of: RecordedSummary,
    began: String,
    capacity: String,
    simulated: bool,
    /// Links about the drive: address, text.
    links: Vec<(String, String)>,
    marks: String,
    /// `None` if the result has another form.
    figures: Option<Figures>,
    job: Option<String>,
    /// True if the job is long.
    job_folded: bool,
    facts: Vec<(String, String)>,
    result: String,
}

/// Shows one job or replay.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let found = found(&app, &id).await?;
    let of = &found.summary;
    let entry = EntryId::Recorded(of.id);
    let marks = Marks::of(&app, entry, of.label.as_deref(), of.note.as_deref());
    one_page(found, &marks)
}

/// Sets label and note of a job or replay.
pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    let found = found(&app, &id).await?;
    let entry = EntryId::Recorded(found.summary.id);
    match marks::set(&app, entry, &fields).await? {
        None => Ok(see_other(&format!("/jobs/{id}"))),
        Some(marks) => one_page(found, &marks),
    }
}

/// Loads the job or replay `j1`, whose address is `1` or `j1`.
async fn found(app: &Arc<App>, id: &str) -> Result<Recorded, Trouble> {
    let missing = || Trouble::Missing(format!("There is no job or replay {id}."));
    let number = id.strip_prefix('j').unwrap_or(id).parse();
    let id = RecordedId(number.map_err(|_| missing())?);
    let found = app.read(move |lab| Ok(Some(recorded::load(lab, id)?)));
    found.await?.ok_or_else(missing)
}

fn one_page(found: Recorded, marks: &Marks) -> Result<Response, Trouble> {
    let of = found.summary;
    let name = of.label.as_ref().unwrap_or(&of.name);
    let facts = found.facts.into_iter();
    let one = OnePage {
        head: Head::plain(format!("{}: {name}", of.id)).under("jobs"),
        began: words::time(of.begun_unix_ms),
        capacity: words::bytes(of.capacity_bytes),
        simulated: of.drive.kind == "simulated",
        links: links(&of.drive, EntryId::Recorded(of.id)),
        marks: marks.render()?,
        figures: figures(of.kind, &found.result),
        job_folded: found
            .job
            .as_ref()
            .is_some_and(|job| job.lines().count() > LINES),
        job: found.job,
        facts: facts
            .map(|fact| (fact.name().to_string(), fact.value.to_string()))
            .collect(),
        result: serde_json::to_string_pretty(&found.result).unwrap_or_default(),
        of,
    };
    let mut response = page(&one, PLAIN)?;
    if !marks.wrong.is_empty() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}
