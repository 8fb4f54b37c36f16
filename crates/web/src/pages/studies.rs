//! Studies.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use stend_lab::browse::{self, List};
use stend_lab::studies::{self, StudyId, StudySummary};

use super::fields::Fields;
use super::search::{Above, SearchForm, listed};
use crate::app::App;
use crate::head::Head;
use crate::page::{PLAIN, page};
use crate::trouble::Trouble;
use crate::words;

/// Rows of a study that are shown.
const ROWS: u64 = 1000;

#[derive(Template)]
#[template(path = "studies.html")]
struct ListPage<'a> {
    head: Head,
    form: SearchForm<'a>,
    above: Above,
    rows: Vec<(StudySummary, String)>,
}

/// The studies, the latest first.
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

#[derive(Template)]
#[template(path = "study.html")]
struct OnePage {
    head: Head,
    study: StudySummary,
    definition: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    cut: bool,
}

/// One study: its rows.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(study): Path<i64>,
) -> Result<Response, Trouble> {
    let found = app.read(move |lab| Ok(studies::get(lab, StudyId(study), ROWS)?));
    let missing = || Trouble::Missing(format!("There is no study {study}."));
    let found = found.await?.ok_or_else(missing)?;
    let mut factors: Vec<&String> = Vec::new();
    let mut outcomes: Vec<&String> = Vec::new();
    for (of, row) in &found.rows {
        let new = of.keys().filter(|name| !factors.contains(name));
        factors.extend(new.collect::<Vec<_>>());
        for (name, _) in &row.outcomes {
            if !outcomes.contains(&name) {
                outcomes.push(name);
            }
        }
    }
    let cells = |(of, row): &(serde_json::Map<_, _>, stend_record::study::StudyRow)| {
        let mut cells = vec![row.number.to_string(), row.model.clone()];
        cells.extend(factors.iter().map(|name| match of.get(*name) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }));
        cells.extend([row.seed.to_string(), row.job.clone()]);
        let outcome = |name: &&String| row.outcome(name).map_or_else(String::new, words::number);
        cells.extend(outcomes.iter().map(outcome));
        cells.push(row.error.clone().unwrap_or_default());
        cells
    };
    let fixed = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let mut columns = fixed(&["row", "model"]);
    columns.extend(factors.iter().map(|name| (*name).clone()));
    columns.extend(fixed(&["seed", "job"]));
    columns.extend(outcomes.iter().map(|name| (*name).clone()));
    columns.extend(fixed(&["error"]));
    let pretty = serde_json::from_str::<serde_json::Value>(&found.definition);
    let pretty = pretty.and_then(|value| serde_json::to_string_pretty(&value));
    let one = OnePage {
        head: Head::plain(found.summary.title.clone()).under("studies"),
        rows: found.rows.iter().map(cells).collect(),
        columns,
        cut: found.summary.rows_done > ROWS,
        definition: pretty.unwrap_or(found.definition),
        study: found.summary,
    };
    page(&one, PLAIN)
}
