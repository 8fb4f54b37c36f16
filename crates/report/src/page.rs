//! The page: fills the template from the review.

use std::fmt::Display;

use askama::Template;
use stend_analysis::findings::{Finding, findings};
use stend_analysis::noiseless::noiseless_in;
use stend_analysis::repeated;
use stend_analysis::same_load::{UnlikeLoad, unlike_loads};
use stend_analysis::steady::start_text;
use stend_analysis::verdict::{Verdict, verdict};
use stend_analysis::words::{self, capitalised, list, uncapitalised};
use stend_language::{Language, current, say, text};
use stend_record::review::{Condition, Review, SteadyStart, TargetKind, TestResult};
use stend_record::target::state_name;

use crate::assets::Assets;
use crate::bars::BarChart;
use crate::chart::ChartData;
use crate::comparison::{Comparison, Differences};
use crate::drive::{Drive, drives, kind_words, load_words};
use crate::error::ReportError;
use crate::number::scale_note;
use crate::top::{Top, top};
use crate::view::{Block, Cell, Contents, Table};
use crate::{energy, headline, kinds, number, others, published, smart};

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    assets: Assets,
    review: &'a Review,
    /// Kind of the page, above the title.
    kicker: String,
    title: String,
    kind: String,
    kind_note: String,
    simulated: bool,
    /// The user's label and note of the review, by name; in a comparison, the sides' labels are
    /// beside the drives.
    marks: Vec<(String, &'a str)>,
    /// `SHORTENED RUN: every measurement × 0.01`; empty for a full run.
    note: String,
    contents: Vec<Contents>,
    top: Top,
    /// The verdict in a few sentences; empty if there are too few figures.
    summary: String,
    /// Reasons why the verdict is not a full one; empty for none.
    cautions: String,
    key_figures: Option<Table>,
    /// The drive among the others of the lab.
    others: Vec<BarChart>,
    /// Power under the loads of the tests, if it is known.
    energy: Option<BarChart>,
    /// Findings of published reviews that the drives here can confirm.
    published: Vec<Table>,
    drives: Table,
    /// For a comparison: the differences between its sides.
    unlike: Option<Differences>,
    /// The drive's SMART data, if it has any.
    account: Option<smart::Account>,
    tests: Vec<Section<'a>>,
}

impl Page<'_> {
    /// Formats a text of the review in the page's language, its names in quotation marks.
    fn recorded(&self, text: &dyn Display) -> String {
        number::quoted(&text.to_string())
    }

    fn page_title(&self) -> String {
        text!("page-title", title = &self.title)
    }

    fn exact_jobs(&self, test: &TestResult) -> String {
        text!("exact-jobs", count = test.jobs.len())
    }

    /// Returns the note as HTML.
    fn reproduce_note(&self) -> String {
        let id = match self.simulated {
            true => "reproduce-note-simulated",
            false => "reproduce-note",
        };
        let name = escaped(&self.review.target.name);
        text!(id, seed = self.review.seed, target = name)
    }

    /// Formats facts with their names.
    fn facts(&self, list: &[Condition]) -> Vec<(String, String)> {
        let told = |fact: &Condition| {
            let value = match number::bytes_in(&fact.id, &fact.value) {
                Some(bytes) => number::bytes(bytes),
                None => self.recorded(&fact.value),
            };
            (self.recorded(&fact.name()), value)
        };
        list.iter().map(told).collect()
    }

    /// Translates the facts about the reviewed drive, and its price.
    fn facts_of_drive(&self) -> Vec<(String, String)> {
        let target = &self.review.target;
        let mut facts = self.facts(&target.facts);
        let price = words::price(target);
        facts.extend(price.map(|price| (say("price-name"), number::quoted(&price))));
        facts
    }

    /// Returns the anchor of a test.
    fn anchor(&self, test_id: &str) -> &str {
        let mut sections = self.tests.iter();
        let found = sections.find(|section| section.test.id == test_id);
        found.map_or("figures", |section| &section.anchor)
    }
}

/// One test.
struct Section<'a> {
    test: &'a TestResult,
    title: String,
    anchor: String,
    /// Findings in sentences; empty for none.
    found: String,
    /// Descriptions of the steady states that it started from.
    starts: Vec<String>,
    /// Loads that another test measured with a different figure.
    unlike: Vec<String>,
    /// Loads whose requests all took the same time; empty if there are none.
    noiseless: String,
    /// Number of repetitions, and their consequences; empty for a single run.
    repeated: String,
    blocks: Vec<Block>,
}

/// Renders the page; `comparison` has the differences between the sides.
pub fn render(review: &Review, comparison: Option<&Comparison<'_>>) -> Result<String, ReportError> {
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
    let said = findings(review);
    let unlike_loads = unlike_loads(review);
    let tests = review.tests.iter().enumerate();
    let tests: Vec<Section<'_>> = tests
        .map(|(number, test)| section(number, test, (&said, &unlike_loads), &drives, &mut data))
        .collect();
    let target = &review.target;
    let published = published::tables(review);
    let others = others::charts(review);
    let energy = energy::chart(&drives);
    let key_figures = headline::table(&drives);
    let verdict = verdict(review);
    let (said, cautions) = spoken(&verdict);
    let (kicker, title) = match comparison {
        None => (say("kicker-review"), target.title.clone()),
        Some(_) => (say("kicker-comparison"), against(&drives)),
    };
    let page = Page {
        review,
        kicker: format!("{kicker} · {}", review.edition_title),
        title,
        kind: kind_words(target.kind),
        kind_note: kind_note(target.kind),
        simulated: target.kind == TargetKind::Simulated,
        marks: match comparison {
            None => marks(review),
            Some(_) => Vec::new(),
        },
        note: data.note.clone(),
        contents: contents(
            &tests,
            [
                ("energy", "energy-title", energy.is_some()),
                ("others", "others-title", !others.is_empty()),
                ("figures", "all-key-figures", key_figures.is_some()),
                ("published", "published-findings", !published.is_empty()),
            ],
        ),
        top: top(review, &verdict, &drives),
        summary: number::bound(&said),
        cautions: number::bound(&cautions),
        key_figures,
        others,
        energy,
        published,
        drives: drives_table(&drives, comparison.map_or(&[], |of| of.labels)),
        unlike: comparison.map(|of| Differences::of(of, &drives)),
        account: review.smart.as_ref().map(smart::account),
        tests,
        assets: Assets::embedding(&data)?,
    };
    page.render()
        .map_err(|error| ReportError::Render(error.to_string()))
}

/// Returns the verdict and its cautions; without a verdict, the cautions explain why.
fn spoken(verdict: &Verdict) -> (String, String) {
    match (verdict.text(), verdict.cautions_text()) {
        (said, cautions) if said.is_empty() => (cautions, said),
        both => both,
    }
}

/// Returns the user's label and note of a review.
fn marks(review: &Review) -> Vec<(String, &str)> {
    let marks = [
        ("review-label", &review.label),
        ("review-note", &review.note),
    ];
    let marks = marks.into_iter();
    marks
        .filter_map(|(name, text)| Some((say(name), text.as_deref()?)))
        .collect()
}

/// Formats `A against B and C`.
fn against(drives: &[Drive<'_>]) -> String {
    let labels: Vec<String> = drives.iter().map(|drive| drive.label.clone()).collect();
    match labels.split_first() {
        Some((first, others)) if !others.is_empty() => {
            text!("against", first = first, others = list(others))
        }
        _ => labels.concat(),
    }
}

/// Returns the menu: short titles in reading order. The sections after the tests are told by
/// anchor, title, and true if they exist.
fn contents(tests: &[Section<'_>], more: [(&str, &'static str, bool); 4]) -> Vec<Contents> {
    let mut out = vec![Contents::new("summary", &say("summary"))];
    out.extend(tests.iter().map(|section| Contents {
        anchor: section.anchor.clone(),
        title: short_title(section.test),
    }));
    let more = more.into_iter().filter(|(_, _, exists)| *exists);
    out.extend(more.map(|(anchor, title, _)| Contents::new(anchor, &say(title))));
    out.push(Contents::new("conditions", &say("conditions")));
    out.push(Contents::new("reproduce", &say("how-to-reproduce")));
    out
}

/// Most letters of a title that fit one line of the menu.
const SHORT_LETTERS_MAX: usize = 26;

/// Returns a test's title, or its id as words if that is shorter.
fn short_title(test: &TestResult) -> String {
    let title = test.title.to_string();
    if test.title.id().is_some() && current() != Language::English {
        return title;
    }
    let id = capitalised(&test.id.replace(['-', '_'], " "));
    match title.chars().count() {
        1..=SHORT_LETTERS_MAX => title,
        letters if id.is_empty() || letters <= id.chars().count() => title,
        _ => id,
    }
}

fn kind_note(kind: TargetKind) -> String {
    say(match kind {
        TargetKind::Simulated => "kind-note-simulated",
        TargetKind::File => "kind-note-file",
        TargetKind::Directory => "kind-note-directory",
        TargetKind::BlockDevice => "kind-note-block-device",
    })
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn section<'a>(
    number: usize,
    test: &'a TestResult,
    (said, unlike): (&[Finding], &[UnlikeLoad]),
    drives: &[Drive<'_>],
    data: &mut ChartData,
) -> Section<'a> {
    // The id comes from a file and may contain anything; the number keeps anchors unique.
    let words: String = test
        .id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let mut of_test = said.iter();
    let found = of_test.find(|f| f.test_id == test.id);
    Section {
        test,
        title: test.title.to_string(),
        anchor: format!("test-{}-{words}", number + 1),
        found: found.map_or_else(String::new, |f| number::bound(&f.text)),
        starts: test
            .steady_starts
            .iter()
            .map(|start| number::bound(&start_sentence(start)))
            .collect(),
        unlike: unlike
            .iter()
            .filter(|load| load.figures.iter().any(|figure| figure.test_id == test.id))
            .map(|load| number::bound(&load.words()))
            .collect(),
        noiseless: noiseless_words(test),
        repeated: number::bound(&capitalised(repeated::line(test).trim())),
        blocks: kinds::blocks(test, drives, data),
    }
}

/// Returns the remark that a model without noise was measured.
fn noiseless_words(test: &TestResult) -> String {
    let points = test.points();
    let loads: Vec<String> = noiseless_in(test)
        .map(|found| uncapitalised(&load_words(found.load, points)))
        .collect();
    match loads.len() {
        0 => String::new(),
        count if count == points.len() && count > 1 => say("noiseless-all"),
        _ => text!("noiseless", loads = list(&loads)),
    }
}

/// Formats `Steady state before the test (state “clean-steady”): reached after …`
fn start_sentence(start: &SteadyStart) -> String {
    let how = start_text(start).to_string();
    text!(
        "steady-start",
        state = state_name(&start.state).to_string(),
        how = how
    )
}

/// Returns the drives side by side, with the labels of their reviews if any has one.
fn drives_table(drives: &[Drive<'_>], labels: &[Option<String>]) -> Table {
    let labelled = labels.iter().any(Option::is_some);
    let rows = drives.iter().enumerate().map(|(nth, drive)| {
        let info = drive.info;
        let mut cells: Vec<Cell> = vec![
            drive.label.as_str().into(),
            info.name.as_str().into(),
            kind_words(info.kind).into(),
            number::capacity(info.capacity_bytes).into(),
        ];
        if labelled {
            let label = labels.get(nth).and_then(Option::as_deref);
            cells.push(label.unwrap_or(number::MISSING).into());
        }
        cells
    });
    let mut columns = vec![
        "drives-drive",
        "drives-name",
        "drives-measured",
        "capacity-under-test",
    ];
    columns.extend(labelled.then_some("review-label"));
    let columns = columns.into_iter().map(say);
    Table::new(say("drives-caption"), columns, rows).of_text()
}
