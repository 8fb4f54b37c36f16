//! What goes wrong, as a page.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use stend_lab::LabError;

use crate::head::Head;

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The lab cannot be used.
    Lab(LabError),
    /// There is nothing of this name; in words, what there is.
    Missing(String),
    /// What was sent cannot be meant.
    Wrong(String),
    /// The request may come from elsewhere.
    Refused(String),
    /// A fault of the program.
    Fault(String),
}

impl From<LabError> for Trouble {
    fn from(error: LabError) -> Trouble {
        match error {
            LabError::NoRun { run, .. } => Trouble::Missing(format!("There is no run {run}.")),
            LabError::NoRecorded { id, .. } => {
                Trouble::Missing(format!("There is no job or replay j{id}."))
            }
            error => Trouble::Lab(error),
        }
    }
}

impl From<askama::Error> for Trouble {
    fn from(error: askama::Error) -> Trouble {
        Trouble::Fault(error.to_string())
    }
}

#[derive(Template)]
#[template(path = "trouble.html")]
struct TroublePage<'a> {
    head: Head,
    text: &'a str,
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let (status, title, text) = match self {
            Trouble::Lab(LabError::Locked(path)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The lab is in use",
                format!(
                    "Another program is writing to {}. This page tries again in a few seconds.",
                    path.display()
                ),
            ),
            Trouble::Lab(error) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The lab cannot be used",
                error.to_string(),
            ),
            Trouble::Missing(text) => (StatusCode::NOT_FOUND, "There is no such page", text),
            Trouble::Wrong(text) => (StatusCode::BAD_REQUEST, "This cannot be done", text),
            Trouble::Refused(text) => (StatusCode::FORBIDDEN, "Refused", text),
            Trouble::Fault(text) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "A fault of the program",
                text,
            ),
        };
        let again = status == StatusCode::SERVICE_UNAVAILABLE;
        let page = TroublePage {
            head: Head::plain(title).refreshed(if again { 3 } else { 0 }),
            text: &text,
        };
        let body = page.render().unwrap_or_else(|_| title.to_owned());
        let mut response = (status, Html(body)).into_response();
        if again {
            let after = HeaderValue::from_static("3");
            response.headers_mut().insert(header::RETRY_AFTER, after);
        }
        response
    }
}
