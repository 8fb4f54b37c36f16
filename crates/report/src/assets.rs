//! Assets of a page: style, scripts, and the data of its charts. All of them are in the page,
//! because it must open without a network.
//!
//! The charting library and the data are gzipped, in base64; the page's script decodes them with
//! the browser's own `DecompressionStream`. The library, reduced by `build.rs` to lines and dots,
//! takes 0.45 MB.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::chart::ChartData;
use crate::error::ReportError;

/// The charting library, reduced to lines and dots, gzipped.
pub static PLOTLY_GZIP: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plotly.min.js.gz"));

/// The style of all pages: colours, light and dark, tables, bars, print.
pub const STYLE: &str = include_str!("../page/style.css");

/// The script that draws the charts.
const SCRIPT: &str = include_str!("../page/charts.js");

/// The style and scripts of a page.
pub(crate) struct Assets {
    pub(crate) style: &'static str,
    /// Tag of the page's language.
    pub(crate) language: &'static str,
    /// The charting library, gzipped, in base64; empty for a page without charts.
    pub(crate) plotly: String,
    /// The data of the charts as JSON, gzipped, in base64.
    pub(crate) data: String,
    pub(crate) script: &'static str,
}

impl Assets {
    /// Creates the assets with the data of these charts.
    pub(crate) fn embedding(data: &ChartData) -> Result<Assets, ReportError> {
        let failed = |error: &dyn std::fmt::Display| ReportError::Render(error.to_string());
        let json = serde_json::to_vec(data).map_err(|error| failed(&error))?;
        let data_gzip = gzip(&json).map_err(|error| failed(&error))?;
        let plotly = match data.charts.is_empty() {
            true => String::new(),
            false => STANDARD.encode(PLOTLY_GZIP),
        };
        Ok(Assets {
            style: STYLE,
            language: stend_language::current().tag(),
            plotly,
            data: STANDARD.encode(data_gzip),
            script: SCRIPT,
        })
    }
}

/// Compresses without a name or a time: the same bytes each time.
fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
