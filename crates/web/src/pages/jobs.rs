//! Jobs and replays that were run alone: the list, and one of them.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use stend_lab::browse::{self, RecordedSearch};
use stend_lab::recorded::{self, Recorded, RecordedSummary};
use stend_lab::{EntryId, RecordedId, RecordedKind};

use super::drives::links;
use super::fields::{Fields, Pager, field};
use super::marks::{self, Marks};
use crate::app::App;
use crate::figures::{Figures, figures};
use crate::head::Head;
use crate::page::{PLAIN, page, see_other};
use crate::trouble::Trouble;
use crate::words;

/// Lines of a job that are shown unfolded.
const LINES: usize = 30;

#[derive(Template)]
#[template(path = "jobs.html")]
struct ListPage<'a> {
    head: Head,
    /// Whether the lab has any at all.
    empty: bool,
    searched: bool,
    search: &'a RecordedSearch,
    kinds: Vec<(&'static str, bool)>,
    rows: Vec<Row>,
    count: String,
    pager: Pager,
}

struct Row {
    of: RecordedSummary,
    began: String,
    simulated: bool,
}

/// The list.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let kind = field(&fields, "kind");
    let mut kinds = RecordedKind::ALL.into_iter();
    let search = RecordedSearch {
        text: field(&fields, "text").to_owned(),
        drive: field(&fields, "drive").to_owned(),
        kind: kinds.find(|known| known.name() == kind),
    };
    let (wanted, skip) = (search.clone(), Pager::skip(&fields));
    let found = app.read(move |lab| Ok(Some(browse::recorded(lab, &wanted, skip, Pager::ROWS)?)));
    let found = found.await?;
    let searched = search != RecordedSearch::default();
    let (rows, count) = found.map_or((Vec::new(), 0), |found| (found.rows, found.count));
    let kinds = RecordedKind::ALL.map(|of| (of.name(), search.kind == Some(of)));
    let list = ListPage {
        head: Head::plain("Jobs").under("jobs"),
        empty: count == 0 && !searched,
        searched,
        search: &search,
        kinds: kinds.into(),
        pager: Pager::of("/jobs", &fields, rows.len(), count),
        count: words::count(count, "result"),
        rows: rows
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
    /// What belongs to the drive: address, words.
    links: Vec<(String, String)>,
    marks: String,
    /// `None` where the result is of another shape.
    figures: Option<Figures>,
    job: Option<String>,
    /// Whether the job is long.
    job_folded: bool,
    facts: Vec<(String, String)>,
    result: String,
}

/// One of them.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
) -> Result<Response, Trouble> {
    let found = found(&app, id).await?;
    let of = &found.summary;
    let entry = EntryId::Recorded(of.id);
    let marks = Marks::of(&app, entry, of.label.as_deref(), of.note.as_deref());
    one_page(found, &marks)
}

/// Sets label and note of one of them.
pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    let found = found(&app, id).await?;
    let entry = EntryId::Recorded(found.summary.id);
    match marks::set(&app, entry, &fields).await? {
        None => Ok(see_other(&format!("/jobs/{id}"))),
        Some(marks) => one_page(found, &marks),
    }
}

async fn found(app: &Arc<App>, id: i64) -> Result<Recorded, Trouble> {
    let found = app.read(move |lab| Ok(Some(recorded::load(lab, RecordedId(id))?)));
    let missing = || Trouble::Missing(format!("There is no job or replay {}.", RecordedId(id)));
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
        links: links(&of.drive),
        marks: marks.render()?,
        figures: figures(of.kind, &found.result),
        job_folded: found
            .job
            .as_ref()
            .is_some_and(|job| job.lines().count() > LINES),
        job: found.job,
        facts: facts.map(|fact| (fact.name, fact.value)).collect(),
        result: serde_json::to_string_pretty(&found.result).unwrap_or_default(),
        of,
    };
    let mut response = page(&one, PLAIN)?;
    if !marks.wrong.is_empty() {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}
