//! The analysis of each kind of test: sentences and key figures, one file for each kind.

pub mod benchmark;
pub mod curve;
pub mod endurance;
pub mod files;
pub mod ladder;
pub mod points;
pub mod response;
pub mod rounds;
pub mod sync;
pub mod traces;

use stend_language::{Language, Text, say, text, within};
use stend_record::figure::{FigureId, RepeatedFigure};
use stend_record::review::{Results, TestResult, curve_text};

use crate::figures::{Interval, KeyFigure, Unit};
use crate::load::{in_full, parts_words, values_words};
use crate::words::capitalised;

/// A key figure by its identity within its test.
type Named = (FigureId, f64, Unit);

/// The analysis of one kind of test.
struct Kind {
    /// Sentences about a test on a target of the given capacity, bytes.
    sentences: fn(&TestResult, u64) -> Vec<String>,
    /// Results as lines for a terminal.
    lines: fn(&TestResult) -> String,
    /// Key figures of a test.
    key_figures: fn(&TestResult) -> Vec<Named>,
}

macro_rules! table {
    ($($(#[$doc:meta])* $module:ident, $key:literal, $variant:ident;)*) => {
        /// Returns the kind of a test's results; `None` for a test without results.
        fn kind_of(test: &TestResult) -> Option<&'static Kind> {
            Some(match test.results.as_ref()? {
                $(Results::$variant(_) => &$module::KIND,)*
            })
        }
    };
}
stend_record::kinds!(table);

/// Returns the sentences about a test on a target of the given capacity, bytes.
pub(crate) fn sentences(test: &TestResult, capacity_bytes: u64) -> Vec<String> {
    kind_of(test).map_or_else(Vec::new, |kind| (kind.sentences)(test, capacity_bytes))
}

/// Returns the key figures of a test.
pub(crate) fn named_figures(test: &TestResult) -> Vec<Named> {
    kind_of(test).map_or_else(Vec::new, |kind| (kind.key_figures)(test))
}

/// Returns the title of a key figure in the current language.
pub fn figure_title(figure: &FigureId) -> String {
    let of_curve = |name: &str| capitalised(&curve_text(name).to_string());
    match figure {
        FigureId::Point(parts) => parts_words(parts),
        FigureId::Fastest(parts) => text!("figure-fastest", load = parts_words(parts)),
        FigureId::Greatest(parts) => {
            let value = values_words(parts).collect::<Vec<_>>().join(", ");
            text!("figure-op-value", op = parts.op.words(), value = value)
        }
        FigureId::Load(load) => in_full(*load),
        FigureId::Mix { read_percent } => text!("figure-at-share", share = *read_percent),
        FigureId::MeanOfMixes => say("figure-mean-share"),
        FigureId::Start => say("figure-start"),
        FigureId::End => say("figure-end"),
        FigureId::Mean => say("figure-mean"),
        FigureId::StartOf { curve } => text!("figure-start-of", name = of_curve(curve)),
        FigureId::FastWrites { curve } => text!("figure-fast-writes", name = of_curve(curve)),
        FigureId::TrackedSteady => say("figure-tracked-steady"),
        FigureId::TrackedLast => say("figure-tracked-last"),
        FigureId::WrittenUntilRefused => say("figure-written-until"),
        FigureId::SlowestSecond { response } => {
            let name = Text::named("response", response).to_string();
            text!("figure-slowest-second", name = capitalised(&name))
        }
        FigureId::Row { row, op } => text!("figure-op-value", op = op.words(), value = row),
        FigureId::BusyTime => say("figure-over-busy-time"),
        FigureId::AllTraces => say("figure-all-traces"),
        FigureId::Set { set, set_bytes } => capitalised(&files::set_title(set, *set_bytes)),
        FigureId::Durable { streams } => capitalised(&sync::streams_words(streams)),
        FigureId::Titled(title) => title.clone(),
    }
}

/// Returns the English title of a key figure, by which tables of figures name it.
pub fn figure_name(figure: &FigureId) -> String {
    within(Language::English, || figure_title(figure))
}

/// Formats the results of a test as lines for a terminal, each with a line end.
pub fn lines(test: &TestResult) -> String {
    kind_of(test).map_or_else(String::new, |kind| (kind.lines)(test))
}

/// Returns the key figures of a drive, in the order of its tests:
///
/// - of a test over depths, sizes or threads, the greatest of each direction;
/// - of a mixed test, [`MIXED_HEADLINE_READ_PERCENT`] and the mean of all shares;
/// - of other points, each, or the fastest of each direction if there are five or more;
/// - of a single curve, its start, its end and its mean;
/// - of several curves, the start of each and its fast bytes (see [`recovery()`]), by the end level
///   of the first;
/// - of a test in rounds, the speed of the tracked load over the steady window, or over the last;
/// - of a drive that was worn out, the bytes written until it refused;
/// - of a recovery ladder, the volume recovered by the longest rest;
/// - of reads while a file is deleted, the slowest second of each response;
/// - of a benchmark, each row and direction;
/// - of traces, the bandwidth of all of them;
/// - of work on files, the speed of each set.
///
/// A test with points left out has none: the greatest of the others may not be the test's greatest.
pub fn key_figures(tests: &[TestResult]) -> Vec<KeyFigure> {
    let of_test = |test: &TestResult| {
        let figure = |(figure, value, unit): Named| {
            let is_of = |other: &FigureId| match other {
                FigureId::Titled(title) => *title == figure_name(&figure),
                id => *id == figure,
            };
            let same = |f: &&RepeatedFigure| f.unit == unit.key() && is_of(&f.figure);
            let repeated = test.repeated.iter().find(same);
            let interval = repeated.and_then(|figure| Interval::of(&figure.values));
            KeyFigure {
                test_id: test.id.clone(),
                figure,
                value: interval.map_or(value, |interval| interval.mean),
                unit,
                half_width: interval.map(|interval| interval.half_width),
            }
        };
        named_figures(test)
            .into_iter()
            .map(figure)
            .collect::<Vec<_>>()
    };
    let whole = tests.iter().filter(|test| test.left_out_points == 0);
    whole.flat_map(of_test).collect()
}
