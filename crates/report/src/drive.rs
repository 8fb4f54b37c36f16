//! The drives of a review, the reviewed one first, and the loads by which their
//! points are matched.

use stend_record::review::{
    Pattern, Point, PointOp, Review, Series, TargetInfo, TargetKind, TestResult,
};

use crate::number;

/// One drive of the review.
#[derive(Clone, Debug)]
pub struct Drive<'a> {
    /// Its title; with its name where two drives share a title.
    pub label: String,
    /// What it is.
    pub info: &'a TargetInfo,
    /// Its finished tests.
    pub tests: &'a [TestResult],
}

impl<'a> Drive<'a> {
    /// The finished test of an id.
    pub fn test(&self, id: &str) -> Option<&'a TestResult> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// The point of a test under a load.
    pub fn point(&self, test_id: &str, load: Load) -> Option<&'a Point> {
        points_of(self.test(test_id)?)
            .iter()
            .find(|point| Load::of(point) == load)
    }

    /// The curve of a test with a name.
    pub fn curve(&self, test_id: &str, name: &str) -> Option<&'a Series> {
        curves_of(self.test(test_id)?)
            .iter()
            .find(|series| series.name == name)
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

/// The drives of a review, the reviewed one first.
pub fn drives(review: &Review) -> Vec<Drive<'_>> {
    let all = || {
        let reviewed = std::iter::once((&review.target, review.tests.as_slice()));
        reviewed.chain(
            review
                .rivals
                .iter()
                .map(|r| (&r.target, r.tests.as_slice())),
        )
    };
    all()
        .map(|(info, tests)| {
            let namesakes = all().filter(|(other, _)| other.title == info.title).count();
            let label = match namesakes {
                1 => info.title.clone(),
                _ => format!("{} ({})", info.title, info.name),
            };
            Drive { label, info, tests }
        })
        .collect()
}

/// How a target was measured, for people.
pub fn kind_words(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Simulated => "simulated",
        TargetKind::File => "real, a file on a file system, by fio",
        TargetKind::BlockDevice => "real, a block device, by fio",
    }
}

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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Block => "block size",
            Dimension::Depth => "queue depth",
            Dimension::Share => "share of reads",
            Dimension::Threads => "number of threads",
        }
    }

    /// A value of it on an axis or in a table.
    pub fn tick(self, value: u64) -> String {
        match self {
            Dimension::Block => number::block(value),
            Dimension::Depth | Dimension::Threads => number::whole(value),
            Dimension::Share => format!("{value} : {}", 100_u64.saturating_sub(value)),
        }
    }

    /// A value of it inside a phrase.
    pub fn words(self, value: u64) -> String {
        match self {
            Dimension::Block => number::block(value),
            Dimension::Depth => format!("depth\u{a0}{value}"),
            Dimension::Share => format!("{value}\u{a0}% reads"),
            Dimension::Threads if value == 1 => "1\u{a0}thread".into(),
            Dimension::Threads => format!("{value}\u{a0}threads"),
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

/// A direction in words.
pub fn op_words(op: PointOp) -> &'static str {
    match op {
        PointOp::Read => "read",
        PointOp::Write => "write",
        PointOp::Mixed => "mixed",
    }
}

/// An order of offsets in words.
pub fn pattern_words(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Sequential => "sequential",
        Pattern::Random => "random",
    }
}

/// What the points of a test have in common, for a title: `random 4 KiB`.
pub fn common_words(points: &[Point]) -> String {
    let mut words = Vec::new();
    if let Some(first) = points.first()
        && points.iter().all(|p| p.pattern == first.pattern)
    {
        words.push(pattern_words(first.pattern).to_string());
    }
    if let [block] = Dimension::Block.values(points)[..] {
        words.push(number::block(block));
    }
    words.join(" ")
}

/// A load by what distinguishes it within its test: `Read, depth 4`.
pub fn load_words(load: Load, points: &[Point]) -> String {
    let mut words = vec![op_words(load.op).to_string()];
    if points.iter().any(|p| p.pattern != load.pattern) {
        words.insert(0, pattern_words(load.pattern).to_string());
    }
    for dimension in Dimension::ALL {
        // The share of reads of a pure read or write says nothing more.
        let told = dimension != Dimension::Share || load.op == PointOp::Mixed;
        if told && dimension.values(points).len() > 1 {
            words.push(dimension.words(load.value(dimension)));
        }
    }
    capitalised(&words.join(", "))
}

/// A text with its first letter a capital.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
