//! What all pages have in common.

use askama::Template;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};

use crate::head::Head;
use crate::trouble::Trouble;

/// What pages without charts may load: this server's style and script, and nothing else. Nothing
/// inline is carried out.
pub(crate) const PLAIN: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// The same for pages with charts: plotly.js makes an empty style element, to whose sheet it adds
/// rules (the hash is that of nothing), sets styles of its own elements, and saves pictures.
pub(crate) const CHARTS: &str = "default-src 'none'; script-src 'self'; \
    style-src-elem 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; \
    style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Reports are self-contained: their script is inline. So they are shown in a sandbox, where they
/// have an origin of their own: whatever runs in one can neither read pages of this server nor
/// post to it, nor reach a network.
pub(crate) const REPORT: &str = "sandbox allow-scripts allow-downloads allow-popups; \
    default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A page that shows a report in a frame.
#[derive(Default, Template)]
#[template(path = "framed.html")]
pub(crate) struct FramedPage {
    pub head: Head,
    /// The way back: address, words.
    pub back: (&'static str, &'static str),
    /// Address of the report.
    pub report: String,
    /// What stands above it.
    pub about: String,
    /// Other pages: address, words.
    pub links: Vec<(String, String)>,
    pub label: Option<String>,
    pub note: Option<String>,
    /// A form for label and note; empty of what has none.
    pub marks: String,
}

/// A page, with the policy of its content.
pub(crate) fn page(template: &impl Template, policy: &'static str) -> Result<Response, Trouble> {
    Ok(with_policy(
        Html(template.render()?).into_response(),
        policy,
    ))
}

/// An answer with this policy of its content.
pub(crate) fn with_policy(mut response: Response, policy: &'static str) -> Response {
    let policy = HeaderValue::from_static(policy);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// The answer to a form: another page, loaded anew.
pub(crate) fn see_other(path: &str) -> Response {
    axum::response::Redirect::to(path).into_response()
}

/// The name of the header by which a browser tells from where a request comes.
pub(crate) const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
