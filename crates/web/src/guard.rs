//! Rejects requests from elsewhere, and sets the headers of every response.
//!
//! The server listens only on the loopback interface, but every page in the user's browser can send
//! requests there. A name of another site that resolves to 127.0.0.1 (DNS rebinding) is rejected by
//! the header `Host`. A form of another site is rejected by `Origin`, by `Sec-Fetch-Site`, and
//! because it lacks the token.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::page::{FETCH_SITE, PLAIN};
use crate::trouble::Trouble;

/// Greatest size of a request's body, bytes.
pub(crate) const BODY_BYTES_MAX: usize = 64 * 1024;

/// Time in which the body of a request must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Rejects requests that may come from elsewhere; adds the headers of every response.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let received = match check(&app, &request) {
        Ok(()) => whole(request).await,
        Err(trouble) => Err(trouble),
    };
    let mut response = match received {
        Ok(request) => next.run(request).await,
        Err(trouble) => trouble.into_response(),
    };
    let headers = response.headers_mut();
    let mut unless_set = |name, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    unless_set(header::CONTENT_SECURITY_POLICY, PLAIN);
    unless_set(header::CACHE_CONTROL, "no-store");
    unless_set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    unless_set(header::REFERRER_POLICY, "same-origin");
    let of_same_origin = HeaderValue::from_static("same-origin");
    headers.insert("cross-origin-resource-policy", of_same_origin.clone());
    headers.insert("cross-origin-opener-policy", of_same_origin);
    response
}

/// Receives the body of a request. One that is too large is rejected by the length in its head, if
/// that is stated.
async fn whole(request: Request) -> Result<Request, Trouble> {
    let (head, body) = request.into_parts();
    let stated = text(&head.headers, &header::CONTENT_LENGTH);
    let bytes: Option<u64> = stated.and_then(|length| length.parse().ok());
    if bytes.is_some_and(|bytes| bytes > BODY_BYTES_MAX as u64) {
        return Err(Trouble::TooLarge);
    }
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(body)) => Ok(Request::from_parts(head, Body::from(body))),
        Ok(Err(_)) => Err(Trouble::TooLarge),
        Err(_) => Err(Trouble::Slow),
    }
}

fn check(app: &App, request: &Request) -> Result<(), Trouble> {
    let headers = request.headers();
    let host = text(headers, &header::HOST);
    let host = host.or_else(|| request.uri().authority().map(|name| name.as_str()));
    let Some(host) = host.filter(|host| is_ours(host, app.port)) else {
        return Err(Trouble::Refused(format!(
            "This server answers to http://127.0.0.1:{0}/ and http://localhost:{0}/ alone.",
            app.port
        )));
    };
    if [Method::GET, Method::HEAD].contains(request.method()) {
        return Ok(());
    }
    let origin = text(headers, &header::ORIGIN);
    let site = text(headers, &FETCH_SITE);
    let is_same = origin.is_none_or(|origin| origin == format!("http://{host}"))
        && site.is_none_or(|site| site == "same-origin");
    match is_same {
        true => Ok(()),
        false => Err(Trouble::Refused(
            "The request comes from a page of another site.".to_owned(),
        )),
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<&'h str> {
    // A header that is not text is not from this server's pages.
    Some(headers.get(name)?.to_str().unwrap_or("?"))
}

/// True if a host name with its port is this server's.
fn is_ours(host: &str, port: u16) -> bool {
    let port = format!(":{port}");
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|name| host.strip_prefix(name) == Some(port.as_str()))
}

/// Rejects a form without the token.
pub(crate) fn check_token(app: &App, fields: &[(String, String)]) -> Result<(), Trouble> {
    let carried = fields.iter().find(|(name, _)| name == "token");
    match carried.is_some_and(|(_, token)| *token == app.token) {
        true => Ok(()),
        false => Err(Trouble::Refused(
            "The form is of an earlier start of the server: load its page again, and send it from \
             there."
                .to_owned(),
        )),
    }
}
