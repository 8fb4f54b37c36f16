//! The pages, and their addresses.

mod assets;
mod drives;
mod fields;
mod jobs;
mod live;
mod marks;
mod reviews;
mod search;
mod studies;
mod what_if;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::app::App;
use crate::guard::guard;
use crate::trouble::{Trouble, refusal_as_page};

/// Returns the router with all pages of a lab.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(reviews::list))
        .route("/runs/{run}", get(reviews::run))
        .route("/runs/{run}/report", get(reviews::report))
        .route("/runs/{run}/marks", post(reviews::mark))
        .route("/compare", get(reviews::compare))
        .route("/compare/report", get(reviews::compared))
        .route("/live", get(live::list))
        .route("/live/part", get(live::list_part))
        .route("/live/{id}", get(live::one))
        .route("/live/{id}/part", get(live::part))
        .route("/jobs", get(jobs::list))
        .route("/jobs/{id}", get(jobs::one))
        .route("/jobs/{id}/marks", post(jobs::mark))
        .route("/drives", get(drives::list))
        .route("/drives/smart", get(drives::smart))
        .route("/drives/models/{name}", get(drives::model))
        .route("/studies", get(studies::list))
        .route("/studies/{study}", get(studies::one))
        .route("/studies/{study}/report", get(studies::report))
        .route("/what-if", get(what_if::form).post(what_if::ask))
        .route("/what-if/model", post(what_if::own))
        .route("/what-if/check", post(what_if::check))
        .route("/what-if/{id}", get(what_if::one))
        .route("/what-if/{id}/part", get(what_if::part))
        .route("/what-if/{id}/model.toml", get(what_if::model))
        .route("/queue", get(work::list))
        .route("/queue/part", get(work::part))
        .route("/queue/{id}/cancel", post(work::cancel))
        .route("/assets/{name}", get(assets::serve))
        .fallback(async || Trouble::Missing("The list of reviews is at the top.".to_owned()))
        .layer(axum::middleware::map_response(refusal_as_page))
        .layer(axum::middleware::from_fn_with_state(
            Arc::clone(&app),
            guard,
        ))
        .with_state(app)
}
