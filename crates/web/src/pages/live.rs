//! Reviews in progress.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use stend_lab::progress::{self, Progress, ProgressId};

use crate::app::App;
use crate::chart::{Chart, Trace};
use crate::head::Head;
use crate::page::{CHARTS, PLAIN, page};
use crate::trouble::Trouble;
use crate::words;

/// A review in progress, in the form of pages.
struct Shown {
    id: i64,
    of: Progress,
    /// `running`, `stopped`, `ended`.
    state: &'static str,
    began: String,
    seen: String,
    percent: String,
}

impl Shown {
    fn new(id: ProgressId, of: Progress, now_unix_ms: i64) -> Shown {
        Shown {
            id: id.0,
            state: match (of.ended, of.is_stopped(now_unix_ms)) {
                (true, _) => "ended",
                (false, true) => "stopped",
                (false, false) => "running",
            },
            began: words::time(of.begun_unix_ms),
            seen: words::time(of.seen_unix_ms),
            percent: words::percent(of.share_done),
            of,
        }
    }
}

#[derive(Template)]
#[template(path = "live.html")]
struct ListPage {
    head: Head,
    part: String,
}

#[derive(Template)]
#[template(path = "live_rows.html")]
struct Rows {
    rows: Vec<Shown>,
}

/// Lists the reviews in progress and those that ended recently.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    let list = ListPage {
        head: Head::plain("Under way")
            .under("live")
            .refreshed_without_script(5),
        part: rows(&app).await?.render()?,
    };
    page(&list, PLAIN)
}

/// Returns the changing part of the list.
pub(crate) async fn list_part(State(app): State<Arc<App>>) -> Result<Response, Trouble> {
    page(&rows(&app).await?, PLAIN)
}

async fn rows(app: &Arc<App>) -> Result<Rows, Trouble> {
    let now = app.now_unix_ms();
    let rows = app.read(|lab| Ok(progress::list(lab)?)).await?.into_iter();
    let rows = rows.map(|(id, of)| Shown::new(id, of, now)).collect();
    Ok(Rows { rows })
}

#[derive(Template)]
#[template(path = "live_one.html")]
struct OnePage {
    head: Head,
    id: i64,
    part: String,
    over: bool,
}

#[derive(Template)]
#[template(path = "live_part.html")]
struct Part {
    shown: Shown,
    chart: Option<(String, String)>,
    over: bool,
}

/// Shows one review in progress.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
) -> Result<Response, Trouble> {
    let part = found(&app, id).await?;
    let one = OnePage {
        head: Head::plain(part.shown.of.title.clone())
            .under("live")
            .with_charts()
            .refreshed_without_script(if part.over { 0 } else { 3 }),
        id,
        over: part.over,
        part: part.render()?,
    };
    page(&one, CHARTS)
}

/// Returns the changing part of its page.
pub(crate) async fn part(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
) -> Result<Response, Trouble> {
    page(&found(&app, id).await?, PLAIN)
}

async fn found(app: &Arc<App>, id: i64) -> Result<Part, Trouble> {
    let found = app.read(move |lab| Ok(progress::get(lab, ProgressId(id))?));
    let missing = || Trouble::Missing("There is no such review under way.".to_owned());
    let shown = Shown::new(
        ProgressId(id),
        found.await?.ok_or_else(missing)?,
        app.now_unix_ms(),
    );
    let curve = shown.of.curve.as_ref();
    let chart = curve.filter(|curve| !curve.t_s.is_empty()).map(|curve| {
        let minutes = curve.t_s.iter().map(|t_s| t_s / 60.0);
        let chart = Chart {
            id: "curve".to_owned(),
            x: match shown.of.simulated {
                true => "Time of the drive, min".to_owned(),
                false => "Time, min".to_owned(),
            },
            y: "IOPS".to_owned(),
            traces: vec![Trace {
                name: curve.name.clone(),
                x: minutes.collect(),
                y: curve.iops.iter().map(|iops| iops.round()).collect(),
                ..Trace::default()
            }],
            from_zero: true,
            ..Chart::default()
        };
        Ok::<_, Trouble>((curve.name.clone(), chart.json()?))
    });
    Ok(Part {
        chart: chart.transpose()?,
        over: shown.state != "running",
        shown,
    })
}

impl Part {
    /// Returns the last lines of the log, the latest first.
    fn log(&self) -> impl Iterator<Item = &String> {
        self.shown.of.log.iter().rev().take(30)
    }

    /// True if the curve is counted in another way than the result.
    fn preliminary(&self) -> bool {
        let curve = self.shown.of.curve.as_ref();
        curve.is_some_and(|curve| curve.preliminary)
    }

    /// Returns its run, as soon as it has one.
    fn run(&self) -> Option<i64> {
        self.shown.of.run
    }
}
