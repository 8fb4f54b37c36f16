//! The load of a figure, the dimension that a test varies, and words for both.

use stend_language::{say, text};
use stend_record::figure::LoadParts;
pub use stend_record::load::Load;
use stend_record::review::{Pattern, Point, PointOp, TestResult};

use crate::words::{self, capitalised};

/// Describes a load in full: `random read, 4 KiB, depth 8, 1 thread`; a mixed one with its share of
/// reads.
pub fn in_full(load: Load) -> String {
    let mut words = vec![pattern_op(load.pattern, load.op)];
    for dimension in Dimension::ALL {
        if dimension != Dimension::Share || load.op == PointOp::Mixed {
            words.push(dimension.words(dimension.of(&load)));
        }
    }
    words.join(", ")
}

/// Describes a load by the values that differ among the points of its test: `Read, depth 4`.
pub fn words_among(load: Load, points: &[Point]) -> String {
    parts_words(&parts_among(load, points))
}

/// Returns the values of a load that differ among the points of its test.
pub(crate) fn parts_among(load: Load, points: &[Point]) -> LoadParts {
    let patterns_differ = points.iter().any(|p| p.load.pattern != load.pattern);
    let mut parts = LoadParts {
        op: load.op,
        pattern: patterns_differ.then_some(load.pattern),
        ..LoadParts::default()
    };
    for dimension in Dimension::ALL {
        // A pure read or write needs no share of reads.
        let told = dimension != Dimension::Share || load.op == PointOp::Mixed;
        if told && dimension.values(points).len() > 1 {
            *dimension.part_of(&mut parts) = Some(dimension.of(&load));
        }
    }
    parts
}

/// Describes a load by its direction and these parts.
pub(crate) fn parts_words(parts: &LoadParts) -> String {
    let direction = match parts.pattern {
        Some(pattern) => text!(
            "load-pattern-and-op",
            pattern = pattern.words(),
            op = parts.op.words()
        ),
        None => op_words(parts.op),
    };
    let words = std::iter::once(direction).chain(values_words(parts));
    capitalised(&words.collect::<Vec<_>>().join(", "))
}

/// Describes each of the values.
pub(crate) fn values_words(parts: &LoadParts) -> impl Iterator<Item = String> {
    let mut parts = *parts;
    let words = move |dimension: Dimension| {
        let value = *dimension.part_of(&mut parts);
        value.map(|value| dimension.words(value))
    };
    Dimension::ALL.into_iter().filter_map(words)
}

/// Formats a direction: `read`.
pub fn op_words(op: PointOp) -> String {
    text!("load-op", op = op.words())
}

/// Formats a direction, padded to the width of a terminal column. Padded after translation, because
/// messages choose by the bare key.
pub(crate) fn op_column(op: PointOp) -> String {
    format!("{:<6}", op_words(op))
}

/// Formats an order and a direction: `random read`.
pub fn pattern_op(pattern: Pattern, op: PointOp) -> String {
    text!(
        "load-pattern-op",
        pattern = pattern.words(),
        op = op.words()
    )
}

/// Parameters that vary between the points of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Request size.
    Block,
    /// Queue depth.
    Depth,
    /// Share of reads.
    Share,
    /// Threads.
    Threads,
}

impl Dimension {
    /// All dimensions, in the order in which a test is searched for the one that it varies.
    pub const ALL: [Dimension; 4] = [
        Dimension::Block,
        Dimension::Depth,
        Dimension::Share,
        Dimension::Threads,
    ];

    /// Returns the dimension over which a test is drawn and judged; `None` if its points are
    /// independent.
    pub fn varied(test: &TestResult) -> Option<Dimension> {
        match test.id.as_str() {
            "sequential" | "random" => None,
            "depth-scaling" | "sequential-depth" => Some(Dimension::Depth),
            "block-scaling" => Some(Dimension::Block),
            "mixed-sequential" | "mixed-random" => Some(Dimension::Share),
            // Two points do not make a line.
            _ => Dimension::ALL
                .into_iter()
                .find(|dimension| dimension.values(test.points()).len() > 2),
        }
    }

    /// Returns the value of a load in this dimension.
    pub fn of(self, load: &Load) -> u64 {
        match self {
            Dimension::Block => load.block_bytes,
            Dimension::Depth => u64::from(load.queue_depth),
            Dimension::Share => u64::from(load.read_percent),
            Dimension::Threads => u64::from(load.threads),
        }
    }

    /// Returns its place among the parts of a load.
    pub(crate) fn part_of(self, parts: &mut LoadParts) -> &mut Option<u64> {
        match self {
            Dimension::Block => &mut parts.block_bytes,
            Dimension::Depth => &mut parts.queue_depth,
            Dimension::Share => &mut parts.read_percent,
            Dimension::Threads => &mut parts.threads,
        }
    }

    /// Returns its name.
    pub fn name(self) -> String {
        say(match self {
            Dimension::Block => "dimension-block",
            Dimension::Depth => "dimension-depth",
            Dimension::Share => "dimension-share",
            Dimension::Threads => "dimension-threads",
        })
    }

    /// Formats a value inside a phrase: `4 KiB`, `depth 4`, `80 % reads`, `2 threads`.
    pub fn words(self, value: u64) -> String {
        match self {
            Dimension::Block => words::block(value),
            Dimension::Depth => text!("value-depth", depth = value),
            Dimension::Share => text!("value-share", share = value),
            Dimension::Threads => text!("value-threads", threads = value),
        }
    }

    /// Returns the distinct values among points, ascending.
    pub fn values<'p>(self, points: impl IntoIterator<Item = &'p Point>) -> Vec<u64> {
        let mut values: Vec<u64> = points
            .into_iter()
            .map(|point| self.of(&point.load))
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}
