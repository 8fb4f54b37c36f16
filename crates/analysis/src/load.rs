//! What a figure was measured under, what a test varies, and the words for both.

use stend_record::benchmark::BenchmarkCell;
use stend_record::endurance::Endurance;
use stend_record::review::{Pattern, Point, PointOp, Response, Rounds, Rung, Series, TestResult};
use stend_record::traces::TraceResult;

use crate::words::{self, capitalised};

/// What a point was measured under; the same on every drive that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Direction.
    pub op: PointOp,
    /// Order of the offsets.
    pub pattern: Pattern,
    /// Request size, bytes.
    pub block_bytes: u64,
    /// Queue depth of each thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
    /// Share of reads, percent.
    pub read_percent: u32,
}

impl Load {
    /// The load of a point.
    pub fn of(point: &Point) -> Load {
        Load {
            op: point.op,
            pattern: point.pattern,
            block_bytes: point.block_bytes,
            queue_depth: point.queue_depth,
            threads: point.threads,
            read_percent: point.read_percent,
        }
    }

    /// The value of a dimension.
    pub fn value(&self, dimension: Dimension) -> u64 {
        match dimension {
            Dimension::Block => self.block_bytes,
            Dimension::Depth => u64::from(self.queue_depth),
            Dimension::Share => u64::from(self.read_percent),
            Dimension::Threads => u64::from(self.threads),
        }
    }

    /// Everything: `random read, 4 KiB, depth 8, 1 thread`; of a mixed one the share of reads
    /// as well.
    pub fn in_full(self) -> String {
        let mut words = vec![format!(
            "{} {}",
            pattern_words(self.pattern),
            op_words(self.op)
        )];
        for dimension in Dimension::ALL {
            if dimension != Dimension::Share || self.op == PointOp::Mixed {
                words.push(dimension.words(self.value(dimension)));
            }
        }
        words.join(", ")
    }

    /// The load by what distinguishes it within its test: `Read, depth 4`.
    pub fn words(self, points: &[Point]) -> String {
        let mut words = vec![op_words(self.op).to_owned()];
        if points.iter().any(|p| p.pattern != self.pattern) {
            words.insert(0, pattern_words(self.pattern).to_owned());
        }
        for dimension in Dimension::ALL {
            // The share of reads of a pure read or write says nothing more.
            let told = dimension != Dimension::Share || self.op == PointOp::Mixed;
            if told && dimension.values(points).len() > 1 {
                words.push(dimension.words(self.value(dimension)));
            }
        }
        capitalised(&words.join(", "))
    }
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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Block => "block size",
            Dimension::Depth => "queue depth",
            Dimension::Share => "share of reads",
            Dimension::Threads => "number of threads",
        }
    }

    /// A value of it inside a phrase: `4 KiB`, `depth 4`, `80 % reads`, `2 threads`.
    pub fn words(self, value: u64) -> String {
        match self {
            Dimension::Block => words::block(value),
            Dimension::Depth => format!("depth {value}"),
            Dimension::Share => format!("{value} % reads"),
            Dimension::Threads if value == 1 => "1 thread".to_owned(),
            Dimension::Threads => format!("{value} threads"),
        }
    }

    /// The different values of it among points, ascending.
    pub fn values<'p>(self, points: impl IntoIterator<Item = &'p Point>) -> Vec<u64> {
        let mut values: Vec<u64> = points
            .into_iter()
            .map(|point| Load::of(point).value(self))
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

/// The curves of a test; none when it has points.
pub fn curves_of(test: &TestResult) -> &[Series] {
    test.series.as_deref().unwrap_or_default()
}

/// The responses to a deletion of a test; none when it has points or curves.
pub fn responses_of(test: &TestResult) -> &[Response] {
    test.responses.as_deref().unwrap_or_default()
}

/// The rows and directions of a benchmark; none of any other test.
pub fn benchmark_of(test: &TestResult) -> &[BenchmarkCell] {
    test.benchmark.as_deref().unwrap_or_default()
}

/// The replayed traces of a test; none of any other test.
pub fn traces_of(test: &TestResult) -> &[TraceResult] {
    test.traces.as_deref().unwrap_or_default()
}

/// The rungs of a recovery ladder; none of any other test.
pub fn rungs_of(test: &TestResult) -> &[Rung] {
    test.rungs.as_deref().unwrap_or_default()
}

/// The rounds of a test that can be read: the tracked load is one of each round's.
pub fn rounds_of(test: &TestResult) -> Option<&Rounds> {
    let rounds = test.rounds.as_ref()?;
    let loads = rounds.loads.len();
    let whole = rounds.rounds.iter().all(|round| round.len() == loads);
    (rounds.tracked < loads && whole).then_some(rounds)
}

/// What a test of endurance came to; nothing of any other test.
pub fn endurance_of(test: &TestResult) -> Option<&Endurance> {
    test.endurance.as_ref()
}

/// A direction in words: `read`, `write`, `mixed`.
pub fn op_words(op: PointOp) -> &'static str {
    match op {
        PointOp::Read => "read",
        PointOp::Write => "write",
        PointOp::Mixed => "mixed",
    }
}

/// An order of offsets in words: `sequential`, `random`.
pub fn pattern_words(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Sequential => "sequential",
        Pattern::Random => "random",
    }
}
