//! The load of a figure, the dimension that a test varies, and words for both.

use stend_language::{say, text};
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
    let mut words = match points.iter().any(|p| p.load.pattern != load.pattern) {
        true => vec![text!(
            "load-pattern-and-op",
            pattern = load.pattern.words(),
            op = load.op.words()
        )],
        false => vec![op_words(load.op)],
    };
    for dimension in Dimension::ALL {
        // A pure read or write needs no share of reads.
        let told = dimension != Dimension::Share || load.op == PointOp::Mixed;
        if told && dimension.values(points).len() > 1 {
            words.push(dimension.words(dimension.of(&load)));
        }
    }
    capitalised(&words.join(", "))
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
