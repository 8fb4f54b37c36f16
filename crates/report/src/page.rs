//! The page: what the template shows, gathered from the review.

use askama::Template;
use stend_analysis::figures::LEVEL_SHARE;
use stend_analysis::steady::start_words;
use stend_record::review::{Review, SteadyStart, TargetKind, TestResult};

use crate::chart::ChartData;
use crate::drive::{Drive, drives, kind_words};
use crate::finding::{Finding, ReportError};
use crate::view::{Block, Table};
use crate::{headline, kinds, number, published, smart};

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    style: &'static str,
    plotly: &'static str,
    script: &'static str,
    /// The charts' data as JSON that cannot end its script element.
    data: String,
    review: &'a Review,
    kind: &'static str,
    kind_note: &'static str,
    simulated: bool,
    capacity: String,
    /// `SHORTENED RUN: every measurement × 0.01`; empty for a full run.
    note: String,
    findings: Vec<Finding>,
    /// Within which share figures are called level.
    level: String,
    key_figures: Option<Table>,
    /// What published reviews found, as far as the drives here answer it.
    published: Vec<Table>,
    drives: Table,
    /// The drive's SMART data, if it has any.
    account: Option<smart::Account>,
    tests: Vec<Section<'a>>,
}

/// One test.
struct Section<'a> {
    test: &'a TestResult,
    anchor: String,
    /// How it was brought to the steady states that it started from.
    starts: Vec<String>,
    blocks: Vec<Block>,
}

/// Writes the page.
pub fn render(review: &Review, findings: &[Finding]) -> Result<String, ReportError> {
    let drives = drives(review);
    let scale = review.duration_scale;
    let mut data = ChartData {
        subject: format!(
            "{} ({})",
            review.target.title,
            kind_words(review.target.kind)
        ),
        note: scale_note(scale),
        duration_scale: scale,
        ..ChartData::default()
    };
    let tests = review
        .tests
        .iter()
        .enumerate()
        .map(|(number, test)| section(number, test, &drives, &mut data))
        .collect();
    let target = &review.target;
    let page = Page {
        style: include_str!("../page/style.css"),
        plotly: include_str!(concat!(env!("OUT_DIR"), "/plotly.min.js")),
        script: include_str!("../page/charts.js"),
        data: script_safe(&data)?,
        review,
        kind: kind_words(target.kind),
        kind_note: kind_note(target.kind),
        simulated: target.kind == TargetKind::Simulated,
        capacity: number::capacity(target.capacity_bytes),
        note: data.note.clone(),
        findings: findings.iter().map(bound).collect(),
        level: number::percent(LEVEL_SHARE),
        key_figures: headline::table(&drives),
        published: published::tables(review),
        drives: drives_table(&drives),
        account: review.smart.as_ref().map(smart::account),
        tests,
    };
    page.render()
        .map_err(|error| ReportError::Render(error.to_string()))
}

/// A finding whose figures stay with their units.
fn bound(finding: &Finding) -> Finding {
    Finding {
        title: finding.title.clone(),
        text: number::bound(&finding.text),
    }
}

/// What a run with other durations than its edition's must say everywhere.
pub(crate) fn scale_note(duration_scale: f64) -> String {
    let run = match duration_scale {
        1.0 => return String::new(),
        scale if scale < 1.0 => "SHORTENED RUN",
        _ => "LENGTHENED RUN",
    };
    format!(
        "{run}: every measurement × {}",
        number::factor(duration_scale)
    )
}

fn kind_note(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Simulated => {
            "A model of the drive was measured in virtual time. No hardware took part: the \
             figures say what the model does."
        }
        TargetKind::File => {
            "A file was measured by fio, through the file system and the drive under it."
        }
        TargetKind::Directory => {
            "A directory was measured, through its file system and the drive under it: by fio on \
             a file in it, and by work on files."
        }
        TargetKind::BlockDevice => "The drive itself was measured by fio, as a block device.",
    }
}

/// JSON that may stand in a script element: without `<` nothing in it can end or open
/// one.
pub(crate) fn script_safe(data: &ChartData) -> Result<String, ReportError> {
    let json =
        serde_json::to_string(data).map_err(|error| ReportError::Render(error.to_string()))?;
    Ok(json.replace('<', "\\u003c"))
}

fn section<'a>(
    number: usize,
    test: &'a TestResult,
    drives: &[Drive<'_>],
    data: &mut ChartData,
) -> Section<'a> {
    // The id comes from a file and may hold anything; the number keeps anchors apart.
    let words: String = test
        .id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    Section {
        test,
        anchor: format!("test-{}-{words}", number + 1),
        starts: test
            .steady_starts
            .iter()
            .map(|start| number::bound(&start_sentence(start)))
            .collect(),
        blocks: kinds::blocks(test, drives, data),
    }
}

/// `Steady state before the test (state `clean-steady`): reached after …`
fn start_sentence(start: &SteadyStart) -> String {
    let state = &start.state;
    let how = start_words(start);
    format!("Steady state before the test (state `{state}`): {how}.")
}

/// The drives side by side.
fn drives_table(drives: &[Drive<'_>]) -> Table {
    let rows = drives.iter().map(|drive| {
        let info = drive.info;
        vec![
            drive.label.as_str().into(),
            info.name.as_str().into(),
            kind_words(info.kind).into(),
            number::capacity(info.capacity_bytes).into(),
        ]
    });
    Table::new(
        "Drives; the reviewed one first. GB = 10⁹ bytes, GiB = 2³⁰ bytes",
        ["Drive", "Name", "Measured", "Capacity under test"],
        rows,
    )
    .fitting()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_run_says_nothing() {
        assert_eq!(scale_note(1.0), "");
        assert_eq!(scale_note(0.01), "SHORTENED RUN: every measurement × 0.01");
        assert_eq!(scale_note(2.0), "LENGTHENED RUN: every measurement × 2");
    }

    #[test]
    fn data_cannot_end_its_script_element() {
        let data = ChartData {
            note: "</script><script>alert(1)</script>".into(),
            ..ChartData::default()
        };
        let json = script_safe(&data).unwrap();
        assert!(!json.contains('<'), "{json}");
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["note"], data.note);
    }
}
