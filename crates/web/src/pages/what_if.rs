//! Comparisons of a drive with itself with other figures.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use stend_lab::recorded;
use stend_lab::work::{self, Work, WorkId, WorkState};
use stend_lab::{Drive, EntryId, Lab};
use stend_model::{Files, Model, Setting};
use stend_record::review::{Condition, FactId};

use super::fields::{Fields, field};
use crate::app::App;
use crate::guard::check_token;
use crate::head::Head;
use crate::models::{ShippedModel, shipped};
use crate::page::{CHARTS, PLAIN, page, see_other};
use crate::trouble::Trouble;
use crate::what_if::{
    Control, Input, KIND, LoadRow, Request, inputs, results, setting_of, settled, text_of,
};
use crate::words;

/// Drive of a page that names none.
const FIRST_DRIVE: &str = "sandisk-ultra-ii-240gb";

/// Prefix of the names of fields that set a figure.
const SET: &str = "set.";

/// Number of rows for figures by name.
const OTHERS: usize = 3;

#[derive(Template)]
#[template(path = "what_if.html")]
struct FormPage<'a> {
    head: Head,
    token: &'a str,
    drives: &'static [ShippedModel],
    drive: &'a str,
    /// Text of the user's own model file, or of a drive of the lab, if that is the drive.
    own: Option<&'a str>,
    /// Number of the lab's entry with that drive; empty for a file.
    of: &'a str,
    /// True if a file is needed, because the lab does not know enough about a user's own model.
    of_unknown: bool,
    /// Text of a file that is not a valid model.
    refused: &'a str,
    title: String,
    first: Vec<Input>,
    more: Vec<Input>,
    /// True if a figure in the lower part is changed.
    more_open: bool,
    /// Figures by name: key and value.
    others: Vec<(String, String)>,
    /// Errors in the figures.
    wrong: Vec<String>,
    /// Earlier requests.
    before: Vec<Before>,
    check: String,
}

struct Before {
    id: i64,
    title: String,
    state: &'static str,
    asked: String,
}

#[derive(Template)]
#[template(path = "what_if_check.html")]
struct Check {
    wrong: Vec<String>,
    changes: Vec<(String, String, String)>,
    facts: Vec<(String, String, String)>,
}

/// Shows the form with the drive and figures of the address.
pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Query(fields): Query<Fields>,
) -> Result<Response, Trouble> {
    let mut fields = fields;
    if let Ok(id) = field(&fields, "from").parse() {
        let found = app.read(move |lab| Ok(work::get(lab, WorkId(id))?)).await?;
        let asked = found.and_then(|work| Request::parse(&work.request));
        if let Some(asked) = asked {
            fields = vec![("drive".to_owned(), asked.drive)];
            fields.extend(asked.model.map(|text| ("model".to_owned(), text)));
            let settings = asked.settings.into_iter();
            fields.extend(settings.map(|(key, to)| (format!("{SET}{key}"), to.to_string())));
        }
    }
    let mut wrong = Vec::new();
    if let Ok(entry) = field(&fields, "of").parse() {
        match text_of(&drive_of(&app, entry).await?) {
            Ok(text) => fields.push(("model".to_owned(), text)),
            Err(why) => wrong.push(why),
        }
    }
    form_page(&app, &fields, wrong, StatusCode::OK).await
}

/// Returns the drive of a run, job or replay.
async fn drive_of(app: &Arc<App>, entry: EntryId) -> Result<Drive, Trouble> {
    let found = app.read(move |lab| {
        Ok(Some(match entry {
            EntryId::Run(run) => lab.run(run)?.drive,
            EntryId::Recorded(id) => recorded::load(lab, id)?.summary.drive,
        }))
    });
    let missing = || Trouble::Missing(format!("There is no run, job or replay {entry}."));
    found.await?.ok_or_else(missing)
}

/// Shows the form for a user's own model file, which is sent as text: no path of this machine is
/// opened for it.
pub(crate) async fn own(
    State(app): State<Arc<App>>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    check_token(&app, &fields)?;
    let unsound = StatusCode::UNPROCESSABLE_ENTITY;
    if field(&fields, "model").is_empty() {
        let wrong = vec!["The file is empty: paste the text of a model.".to_owned()];
        return form_page(&app, &fields, wrong, unsound).await;
    }
    match chosen(&fields) {
        Ok(_) => form_page(&app, &fields, Vec::new(), StatusCode::OK).await,
        Err(Trouble::Wrong(wrong)) => {
            let wrong = wrong.lines().map(str::to_owned).collect();
            form_page(&app, &fields, wrong, unsound).await
        }
        Err(trouble) => Err(trouble),
    }
}

/// Returns the drive of a form, unchanged.
fn chosen(fields: &Fields) -> Result<(Request, Files, Model), Trouble> {
    let text = field(fields, "model").replace("\r\n", "\n");
    let drive = match field(fields, "drive") {
        "" => FIRST_DRIVE,
        drive => drive,
    };
    let mut request = Request {
        drive: drive.to_owned(),
        model: (!text.is_empty()).then_some(text),
        settings: BTreeMap::new(),
        program: String::new(),
    };
    let trouble = match request.model {
        None => Trouble::Missing,
        Some(_) => Trouble::Wrong,
    };
    let files = request.files().map_err(trouble)?;
    let model = files.model();
    let model = model.map_err(|error| trouble(error.to_string()))?;
    if request.model.is_some() {
        request.drive.clone_from(&model.name);
    }
    Ok((request, files, model))
}

async fn form_page(
    app: &Arc<App>,
    fields: &Fields,
    wrong: Vec<String>,
    status: StatusCode,
) -> Result<Response, Trouble> {
    let (refused, (request, files, model)) = match chosen(fields) {
        Err(Trouble::Wrong(_)) => (field(fields, "model"), chosen(&Fields::new())?),
        other => ("", other?),
    };
    let of = field(fields, "of");
    let settings = settings(fields);
    let mut all = inputs(&files, &model, &settings);
    let offered = |key: &String| {
        let mut inputs = all.first.iter().chain(&all.more);
        inputs.any(|input| input.key == *key)
    };
    let others = settings.iter().filter(|(key, _)| !offered(key));
    let mut others: Vec<(String, String)> = others
        .map(|(key, setting)| (key.clone(), setting.to_string()))
        .collect();
    others.resize(others.len().max(OTHERS), (String::new(), String::new()));
    let before = app.read(|lab| Ok(work::list(lab, 20)?)).await?.into_iter();
    let before = before.filter(|work| work.kind == KIND).map(|work| Before {
        id: work.id.0,
        asked: words::time(work.asked_unix_ms),
        state: work.state.name(),
        title: work.title,
    });
    let form = FormPage {
        head: Head::plain("What if").under("what-if"),
        token: &app.token,
        drives: shipped(),
        drive: &request.drive,
        own: request.model.as_deref(),
        of: request.model.as_ref().map_or("", |_| of),
        of_unknown: request.model.is_none() && !of.is_empty(),
        refused,
        title: model.title.clone(),
        more_open: all.more.iter().any(|input| input.value != input.original),
        first: std::mem::take(&mut all.first),
        more: std::mem::take(&mut all.more),
        others,
        wrong,
        before: before.collect(),
        check: checked(&model, &request, settings).render()?,
    };
    let mut response = page(&form, PLAIN)?;
    *response.status_mut() = status;
    Ok(response)
}

/// Returns the figures that a form sets.
fn settings(fields: &Fields) -> BTreeMap<String, Setting> {
    let mut settings = BTreeMap::new();
    let mut key = "";
    for (name, value) in fields {
        let value = value.trim();
        match (name.as_str(), name.strip_prefix(SET)) {
            ("key", _) => key = value,
            ("value", _) if !value.is_empty() => {
                settings.insert(key.to_owned(), setting_of(value));
                key = "";
            }
            (_, Some(key)) if !value.is_empty() => {
                settings.insert(key.to_owned(), setting_of(value));
            }
            _ => {}
        }
    }
    settings
}

/// Computes the changes that follow from settings.
fn checked(model: &Model, of: &Request, settings: BTreeMap<String, Setting>) -> Check {
    let request = Request {
        settings: settled(model, settings),
        ..of.clone()
    };
    let keys: Vec<&String> = request.settings.keys().collect();
    let given = model.given(&keys).into_iter();
    let changes = request.settings.iter().zip(given).map(|((key, to), from)| {
        let from = from.map_or_else(|| "not given".to_owned(), |from| from.to_string());
        (key.clone(), from, to.to_string())
    });
    let changes = changes.collect();
    match request.changed() {
        Err(wrong) => Check {
            wrong: wrong.lines().map(str::to_owned).collect(),
            changes,
            facts: Vec::new(),
        },
        Ok(changed) => {
            let fingerprint = FactId::ModelFingerprint.name();
            let facts = model.facts().into_iter().zip(changed.facts());
            let facts = facts
                .filter(|((id, old), (_, new))| old != new && *id != fingerprint)
                .map(|((id, old), (_, new))| {
                    let name = Condition::new(id, "").name().to_string();
                    (name, old.to_string(), new.to_string())
                });
            Check {
                wrong: Vec::new(),
                changes,
                facts: facts.collect(),
            }
        }
    }
}

/// Shows the consequences of a form, as a part of its page.
pub(crate) async fn check(
    State(app): State<Arc<App>>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    check_token(&app, &fields)?;
    let (request, _, model) = chosen(&fields)?;
    page(&checked(&model, &request, settings(&fields)), PLAIN)
}

/// Requests the studies of a form.
pub(crate) async fn ask(
    State(app): State<Arc<App>>,
    Form(fields): Form<Fields>,
) -> Result<Response, Trouble> {
    check_token(&app, &fields)?;
    let (of, _, model) = chosen(&fields)?;
    let request = Request {
        settings: settled(&model, settings(&fields)),
        program: app.program.id.clone(),
        ..of
    };
    let unsound = StatusCode::UNPROCESSABLE_ENTITY;
    if request.settings.is_empty() {
        let wrong = vec!["Nothing is changed: move a slider first.".to_owned()];
        return form_page(&app, &fields, wrong, unsound).await;
    }
    let planned = request.clone();
    let checked = crate::app::waiting(move || {
        Ok(planned
            .changed()
            .and_then(|_| planned.plans().map(drop))
            .err())
    });
    if let Some(wrong) = checked.await? {
        let wrong = wrong.lines().map(str::to_owned).collect();
        return form_page(&app, &fields, wrong, unsound).await;
    }
    let title = format!("{}: {}", model.title, request.changes());
    let now = app.now_unix_ms();
    let id = app.write(move |lab| {
        let asked = (KIND, title.as_str(), &*request.to_json());
        Ok(work::ask(lab, asked, now)?)
    });
    let id = id.await?;
    app.wake();
    Ok(see_other(&format!("/what-if/{}", id.0)))
}

#[derive(Template)]
#[template(path = "what_if_one.html")]
struct OnePage<'a> {
    head: Head,
    id: i64,
    /// Name of the shipped model; `None` for a user's own file.
    drive: Option<&'a str>,
    changes: Vec<(String, String, String)>,
    facts: Vec<(String, String, String)>,
    part: String,
    over: bool,
}

#[derive(Template)]
#[template(path = "what_if_part.html")]
struct Part {
    id: i64,
    token: String,
    state: WorkState,
    doing: String,
    percent: String,
    error: Option<String>,
    over: bool,
    /// True if the work is done but the lab no longer has its results.
    gone: bool,
    /// True if the drives were trimmed after they were filled.
    trims: bool,
    shortened: bool,
    curve: Option<String>,
    mixed: Option<String>,
    ends: Vec<(String, String)>,
    loads: Vec<LoadRow>,
    errors: Vec<String>,
}

impl Part {
    fn is(&self, name: &str) -> bool {
        self.state.name() == name
    }
}

/// Shows a drive beside its changed version.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
) -> Result<Response, Trouble> {
    let (work, part) = found(&app, id).await?;
    let request = request_of(&work)?;
    let model = request.original().map_err(Trouble::Missing)?;
    let check = checked(&model, &request, request.settings.clone());
    let one = OnePage {
        head: Head::plain(format!("What if: {}", model.title))
            .under("what-if")
            .with_charts()
            .refreshed_without_script(if part.over { 0 } else { 3 }),
        id,
        drive: request.model.is_none().then_some(&*request.drive),
        changes: check.changes,
        facts: check.facts,
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
    page(&found(&app, id).await?.1, PLAIN)
}

fn request_of(work: &Work) -> Result<Request, Trouble> {
    let missing = || Trouble::Missing("This work is of another kind.".to_owned());
    Request::parse(&work.request)
        .filter(|_| work.kind == KIND)
        .ok_or_else(missing)
}

async fn found(app: &Arc<App>, id: i64) -> Result<(Work, Part), Trouble> {
    let within = Arc::clone(app);
    let found = app.read(move |lab: &Lab| {
        let Some(work) = work::get(lab, WorkId(id))? else {
            return Ok(None);
        };
        let request = request_of(&work)?;
        let plans = request.plans().map_err(Trouble::Wrong)?;
        let growing = within.growing().get(&work.id).cloned();
        let of = |program: &str| results(lab, program, &plans, growing.as_ref());
        // Work that waited while the program was replaced was carried out by the new program.
        let found = match of(&request.program)? {
            found if found.is_empty() => of(&within.program.id)?,
            found => found,
        };
        Ok(Some((
            work,
            found,
            request.trims().map_err(Trouble::Wrong)?,
        )))
    });
    let missing = || Trouble::Missing(format!("There is no work {id}."));
    let (work, results, trims) = found.await?.ok_or_else(missing)?;
    let part = Part {
        id,
        token: app.token.clone(),
        state: work.state,
        doing: work.doing.clone(),
        percent: words::percent(work.share_done),
        error: work.error.clone(),
        over: work.state.is_over(),
        gone: work.state == WorkState::Done && results.is_empty(),
        trims,
        shortened: results.shortened,
        curve: results.curve.map(|chart| chart.json()).transpose()?,
        mixed: results.mixed.map(|chart| chart.json()).transpose()?,
        ends: results.ends,
        loads: results.loads,
        errors: results.errors,
    };
    Ok((work, part))
}

/// Serves the changed model as a file.
pub(crate) async fn model(
    State(app): State<Arc<App>>,
    Path(id): Path<i64>,
) -> Result<Response, Trouble> {
    let found = app.read(move |lab| Ok(work::get(lab, WorkId(id))?));
    let missing = || Trouble::Missing(format!("There is no work {id}."));
    let request = request_of(&found.await?.ok_or_else(missing)?)?;
    let model = request.changed().map_err(Trouble::Wrong)?;
    // A user's own model may have any name.
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-.".contains(*c);
    let name: String = request.drive.chars().filter(plain).collect();
    let name = format!("attachment; filename=\"{name}-changed.toml\"");
    let headers = [
        (
            header::CONTENT_TYPE,
            "application/toml; charset=utf-8".to_owned(),
        ),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, model.text).into_response())
}
