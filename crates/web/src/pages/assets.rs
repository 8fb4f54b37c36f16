//! Style and scripts.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::asset;
use crate::trouble::Trouble;

/// Serves an asset by its name.
pub(crate) async fn serve(Path(name): Path<String>) -> Result<Response, Trouble> {
    let found = asset::named(&name);
    let asset = found.ok_or_else(|| Trouble::Missing("There is no such file.".to_owned()))?;
    let headers = [
        (header::CONTENT_TYPE, asset.kind),
        (header::CONTENT_ENCODING, asset.encoding),
        // Their address changes with their content.
        (header::CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    Ok((headers, asset.bytes).into_response())
}
