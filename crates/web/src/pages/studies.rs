//! Studies.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Response};
use stend_lab::browse::{self, List};
use stend_lab::studies::{self, Stored, StudyId, StudySummary};
use stend_study::Definition;

use super::fields::Fields;
use super::search::{Above, SearchForm, listed};
use crate::app::{App, waiting};
use crate::head::Head;
use crate::page::{FramedPage, PLAIN, REPORT, page, with_policy};
use crate::trouble::Trouble;
use crate::words;

#[derive(Template)]
#[template(path = "studies.html")]
struct ListPage<'a> {
    head: Head,
    form: SearchForm<'a>,
    above: Above,
    rows: Vec<(StudySummary, String)>,
}

/// Lists the studies, the latest first.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let of = (List::Studies, "/studies", "study");
    let found = listed(&app, of, browse::studies, &fields).await?;
    let hint = "title, name, factor, job, folder …";
    let rows = found.rows.into_iter();
    let list = ListPage {
        head: Head::plain("Studies").under("studies"),
        form: SearchForm::new("/studies", &fields, hint).drive().choice(
            "Study began",
            "year",
            &found.choices.years,
        ),
        above: found.above,
        rows: rows
            .map(|study| {
                let began = words::time(study.begun_unix_ms);
                (study, began)
            })
            .collect(),
    };
    page(&list, PLAIN)
}

/// Shows one study: its report, with a link back.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(study): Path<i64>,
) -> Result<Response, Trouble> {
    let of = found(&app, study, 0).await?.summary;
    let mut about = format!("{} of {} rows", of.rows_done, of.rows_planned);
    if of.rows_failed > 0 {
        about += &format!(", {} failed", of.rows_failed);
    }
    about += &format!(", {}", words::time(of.begun_unix_ms));
    if !of.folder.is_empty() {
        about += &format!("; its files are in {}", of.folder);
    }
    let framed = FramedPage {
        head: Head::plain(format!("Study {study}: {}", of.title)).under("studies"),
        back: ("/studies".to_owned(), "Studies".to_owned()),
        report: format!("/studies/{study}/report"),
        about,
        ..FramedPage::default()
    };
    page(&framed, PLAIN)
}

/// Returns the report of a study, for the frame of its page.
pub(crate) async fn report(
    State(app): State<Arc<App>>,
    Path(study): Path<i64>,
) -> Result<Response, Trouble> {
    let stored = found(&app, study, u64::MAX).await?;
    let html = waiting(move || {
        let of_another_version = |error: String| {
            Trouble::Wrong(format!(
                "Another version of stend defined this study, and this one does not understand it \
                 ({error}). `stend lab export DIR` writes its rows as tables."
            ))
        };
        // No file is opened: the stored definition refers to none.
        let definition = serde_json::from_str::<Definition>(&stored.definition);
        let definition = definition.map_err(|error| of_another_version(error.to_string()))?;
        let of = definition.study(stored.rows);
        let of = of.map_err(|error| of_another_version(error.to_string()))?;
        let html = stend_report::study(&of, stored.summary.rows_planned);
        html.map_err(|error| Trouble::Fault(error.to_string()))
    });
    Ok(with_policy(Html(html.await?).into_response(), REPORT))
}

/// Loads a study with at most `at_most` rows.
async fn found(app: &Arc<App>, study: i64, at_most: u64) -> Result<Stored, Trouble> {
    let found = app.read(move |lab| Ok(studies::get(lab, StudyId(study), at_most)?));
    let missing = || Trouble::Missing(format!("There is no study {study}."));
    found.await?.ok_or_else(missing)
}
