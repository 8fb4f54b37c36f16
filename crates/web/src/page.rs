//! Parts that all pages share.

use askama::Template;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};

use stend_language::text;

use crate::head::Head;
use crate::trouble::Trouble;

/// Content policy of pages without charts: only this server's style and script. Nothing inline is
/// executed.
pub(crate) const PLAIN: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// Content policy of pages with charts: plotly.js creates an empty style element, to whose sheet it
/// adds rules (the hash is that of the empty text), sets styles of its own elements, and saves
/// pictures.
pub(crate) const CHARTS: &str = "default-src 'none'; script-src 'self'; \
    style-src-elem 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; \
    style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Content policy of reports. They are self-contained, with an inline script, so they are shown in
/// a sandbox with their own origin: a script in one can neither read pages of this server nor post
/// to it, nor reach a network.
pub(crate) const REPORT: &str = "sandbox allow-scripts allow-downloads allow-popups; \
    default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A page that shows a report in a frame.
#[derive(Default, Template)]
#[template(path = "framed.html")]
pub(crate) struct FramedPage {
    pub head: Head,
    /// Link back: address, text.
    pub back: (String, String),
    /// Address of the report.
    pub report: String,
    /// Text above it.
    pub about: String,
    /// Links to other pages: address, text.
    pub links: Vec<(String, String)>,
    pub label: Option<String>,
    pub note: Option<String>,
    /// Form for label and note; empty if it has none.
    pub marks: String,
    /// Sides of a comparison, the reference first: run, name. Empty if it is none.
    pub sides: Vec<(i64, String)>,
}

impl FramedPage {
    /// Returns the name of the frame.
    fn frame_title(&self) -> String {
        text!("lab-report", title = &self.head.title)
    }
}

/// Renders a page with a content policy.
pub(crate) fn page(template: &impl Template, policy: &'static str) -> Result<Response, Trouble> {
    Ok(with_policy(
        Html(template.render()?).into_response(),
        policy,
    ))
}

/// Sets the content policy of a response.
pub(crate) fn with_policy(mut response: Response, policy: &'static str) -> Response {
    let policy = HeaderValue::from_static(policy);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// Answers a form with a redirect to another page.
pub(crate) fn see_other(path: &str) -> Response {
    axum::response::Redirect::to(path).into_response()
}

/// Header in which a browser states the origin of a request.
pub(crate) const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
