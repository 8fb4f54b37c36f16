//! The load of a figure, what a test varies, and the words for both.

use stend_language::{say, text};
pub use stend_record::load::Load;
use stend_record::review::{Pattern, Point, PointOp, TestResult};

use crate::words::{self, capitalised};

/// Everything of a load: `random read, 4 KiB, depth 8, 1 thread`; of a mixed one the share of
/// reads as well.
pub fn in_full(load: Load) -> String {
    let mut words = vec![pattern_op(load.pattern, load.op)];
    for dimension in Dimension::ALL {
        if dimension != Dimension::Share || load.op == PointOp::Mixed {
            words.push(dimension.words(dimension.of(&load)));
        }
    }
    words.join(", ")
}

/// A load by what distinguishes it among the points of its test: `Read, depth 4`.
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
        // The share of reads of a pure read or write says nothing more.
        let told = dimension != Dimension::Share || load.op == PointOp::Mixed;
        if told && dimension.values(points).len() > 1 {
            words.push(dimension.words(dimension.of(&load)));
        }
    }
    capitalised(&words.join(", "))
}

/// A direction: `read`.
pub fn op_words(op: PointOp) -> String {
    text!("load-op", op = op.words())
}

/// A direction as wide as a column of a terminal. Padded once it is translated: messages choose by
/// the bare key.
pub(crate) fn op_column(op: PointOp) -> String {
    format!("{:<6}", op_words(op))
}

/// An order and a direction: `random read`.
pub fn pattern_op(pattern: Pattern, op: PointOp) -> String {
    text!(
        "load-pattern-op",
        pattern = pattern.words(),
        op = op.words()
    )
}

/// What varies between the points of a test.
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
    /// All of them, in the order in which a test is searched for what it varies.
    pub const ALL: [Dimension; 4] = [
        Dimension::Block,
        Dimension::Depth,
        Dimension::Share,
        Dimension::Threads,
    ];

    /// What a test is drawn and judged over; `None` for one whose points stand each for
    /// itself.
    pub fn varied(test: &TestResult) -> Option<Dimension> {
        match test.id.as_str() {
            "sequential" | "random" => None,
            "depth-scaling" | "sequential-depth" => Some(Dimension::Depth),
            "block-scaling" => Some(Dimension::Block),
            "mixed-sequential" | "mixed-random" => Some(Dimension::Share),
            // Two points make no line.
            _ => Dimension::ALL
                .into_iter()
                .find(|dimension| dimension.values(points_of(test)).len() > 2),
        }
    }

    /// The value of a load.
    pub fn of(self, load: &Load) -> u64 {
        match self {
            Dimension::Block => load.block_bytes,
            Dimension::Depth => u64::from(load.queue_depth),
            Dimension::Share => u64::from(load.read_percent),
            Dimension::Threads => u64::from(load.threads),
        }
    }

    /// Its name.
    pub fn name(self) -> String {
        say(match self {
            Dimension::Block => "dimension-block",
            Dimension::Depth => "dimension-depth",
            Dimension::Share => "dimension-share",
            Dimension::Threads => "dimension-threads",
        })
    }

    /// A value of it inside a phrase: `4 KiB`, `depth 4`, `80 % reads`, `2 threads`.
    pub fn words(self, value: u64) -> String {
        match self {
            Dimension::Block => words::block(value),
            Dimension::Depth => text!("value-depth", depth = value),
            Dimension::Share => text!("value-share", share = value),
            Dimension::Threads => text!("value-threads", threads = value),
        }
    }

    /// The different values of it among points, ascending.
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

/// The points of a test; none when it has curves.
pub fn points_of(test: &TestResult) -> &[Point] {
    test.points.as_deref().unwrap_or_default()
}
