//! Errors as pages.

use std::path::PathBuf;

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use stend_lab::LabError;

use crate::head::Head;

/// Most bytes of the message with which the library rejects a request.
const REFUSAL_BYTES_MAX: usize = 4096;

/// Error of a page.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The lab cannot be used.
    Lab(LabError),
    /// The lab cannot be written now; the submitted data is lost.
    NotWritten(PathBuf),
    /// The named thing does not exist; the text states so.
    Missing(String),
    /// The submitted data is invalid.
    Wrong(String),
    /// The request may come from another site.
    Refused(String),
    /// The body of the request is too large.
    TooLarge,
    /// The body of the request did not arrive in time.
    Slow,
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
        // A reload does not send the submitted form again.
        let again = matches!(self, Trouble::Lab(LabError::Locked(_)));
        let (status, title, text) = match self {
            Trouble::Lab(LabError::Locked(path)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The lab is in use",
                format!(
                    "Another program is writing to {}. This page tries again in a few seconds.",
                    path.display()
                ),
            ),
            Trouble::NotWritten(path) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The lab is in use",
                format!(
                    "Another program is writing to {}, and nothing was changed. Go back, and send \
                     it again.",
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
            Trouble::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "This cannot be done",
                "What was sent is larger than any form of these pages.".to_owned(),
            ),
            Trouble::Slow => (
                StatusCode::REQUEST_TIMEOUT,
                "This cannot be done",
                "The form did not arrive in time: send it again.".to_owned(),
            ),
            Trouble::Fault(text) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "A fault of the program",
                text,
            ),
        };
        shown(status, title, &text, again)
    }
}

/// Renders the page; `again` makes the browser request it again after a few seconds.
fn shown(status: StatusCode, title: &str, text: &str, again: bool) -> Response {
    let page = TroublePage {
        head: Head::plain(title).refreshed(if again { 3 } else { 0 }),
        text,
    };
    let body = page.render().unwrap_or_else(|_| title.to_owned());
    let mut response = (status, Html(body)).into_response();
    if again {
        let after = HeaderValue::from_static("3");
        response.headers_mut().insert(header::RETRY_AFTER, after);
    }
    response
}

/// Converts rejections by the library (an address that is not a number, a method or a body that the
/// page does not accept) to pages.
pub(crate) async fn refusal_as_page(response: Response) -> Response {
    let is_page = |kind: &HeaderValue| !kind.as_bytes().starts_with(b"text/plain");
    let of_page = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(is_page);
    if of_page || !response.status().is_client_error() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let said = axum::body::to_bytes(body, REFUSAL_BYTES_MAX).await;
    let said = said.unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let text = match parts.status {
        StatusCode::METHOD_NOT_ALLOWED => "The page does not take a request of this method.",
        // The library rejected an address.
        StatusCode::BAD_REQUEST if said.starts_with("Invalid URL") => {
            "The address does not name anything by a number."
        }
        _ => &said,
    };
    let mut page = shown(parts.status, "This cannot be done", text, false);
    if let Some(allowed) = parts.headers.get(header::ALLOW) {
        page.headers_mut().insert(header::ALLOW, allowed.clone());
    }
    page
}
