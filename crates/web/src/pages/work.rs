//! The queue of long work.

use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::response::Response;
use stend_lab::work::{self, Work, WorkId, WorkState};

use super::fields::{Fields, field};
use crate::app::App;
use crate::guard::check_token;
use crate::head::Head;
use crate::page::{PLAIN, page, see_other};
use crate::trouble::Trouble;
use crate::words;

/// Most pieces of work that are shown.
const ROWS: u64 = 100;

struct Row {
    work: Work,
    asked: String,
    percent: String,
    can_cancel: bool,
}

#[derive(Template)]
#[template(path = "work.html")]
struct ListPage {
    head: Head,
    part: String,
}

#[derive(Template)]
#[template(path = "work_part.html")]
struct Part<'a> {
    rows: Vec<Row>,
    token: &'a str,
    over: bool,
}

/// Shows the queue.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    let part = found(&app).await?;
    let list = ListPage {
        head: Head::plain("Queue")
            .under("work")
            .refreshed_without_script(if part.over { 0 } else { 3 }),
        part: part.render()?,
    };
    page(&list, PLAIN)
}

/// Returns the changing part of its page.
pub(crate) async fn part(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    page(&found(&app).await?, PLAIN)
}

async fn found(app: &Arc<App>) -> Result<Part<'_>, Trouble> {
    let rows = app.read(|lab| Ok(work::list(lab, ROWS)?)).await?;
    let row = |work: Work| Row {
        asked: words::time(work.asked_unix_ms),
        percent: words::percent(work.share_done),
        can_cancel: matches!(work.state, WorkState::Queued | WorkState::Running),
        work,
    };
    let rows: Vec<Row> = rows.into_iter().map(row).collect();
    Ok(Part {
        over: rows.iter().all(|row| row.work.state.is_over()),
        rows,
        token: &app.token,
    })
}

/// Cancels work.
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    check_token(&app, &fields)?;
    let now = app.now_unix_ms();
    let found = app.write(move |lab| {
        let there = work::get(lab, WorkId(id))?.is_some();
        work::cancel(lab, WorkId(id), now)?;
        Ok(there)
    });
    if !found.await? {
        return Err(Trouble::Missing(format!("There is no work {id}.")));
    }
    let back = field(&fields, "back");
    // The redirect leads to a page of this server, otherwise to the queue.
    let back = back
        .strip_prefix("/what-if/")
        .filter(|id| id.parse::<i64>().is_ok());
    Ok(see_other(&back.map_or_else(
        || "/queue".to_owned(),
        |id| format!("/what-if/{id}"),
    )))
}
