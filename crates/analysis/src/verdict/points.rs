//! Strengths and weaknesses in a few words each, with the id of the test that shows them.

use stend_language::say;
use stend_record::review::Pattern;

use super::Verdict;
use super::lasting::{Back, Rank};
use super::statement::{Beware, SpeedClass, Statement, Suits};
use crate::words;

/// A strength or a weakness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// True for a strength, false for a weakness.
    pub is_strength: bool,
    /// Id of the test that shows it.
    pub test_id: String,
    /// Name, in the current language.
    pub name: String,
    /// Its figure.
    pub figure: String,
    /// True if it comes before all others.
    pub first: bool,
}

/// True for a strength, the id of its message, and the figure.
type Told = (bool, &'static str, String);

impl Verdict {
    /// Returns the strengths and weaknesses of all statements, including those left out.
    pub fn points(&self) -> Vec<Point> {
        let all = self.statements.iter().chain(&self.left_out);
        all.filter_map(|(statement, test_id)| {
            let (is_strength, name, figure) = told(statement)?;
            Some(Point {
                is_strength,
                test_id: test_id.clone()?,
                name: say(name),
                figure,
                first: matches!(statement, Statement::Beware(Beware::Stalls { .. })),
            })
        })
        .collect()
    }
}

fn told(statement: &Statement) -> Option<Told> {
    match statement {
        Statement::Sequential {
            read_bytes_per_s,
            write_bytes_per_s,
            class,
            ..
        } => match class {
            SpeedClass::AtLimit { .. } => {
                Some((true, "point-sequential", words::speed(*read_bytes_per_s)))
            }
            SpeedClass::ReadsAtLimit {
                writes_slowly: true,
                ..
            } => Some((
                false,
                "point-sequential-write",
                words::speed(*write_bytes_per_s),
            )),
            SpeedClass::HardDisk => {
                Some((false, "point-sequential", words::speed(*read_bytes_per_s)))
            }
            _ => None,
        },
        Statement::Lasting {
            unit,
            end,
            rank: rank @ (Rank::Strong | Rank::Weak),
            ..
        } => Some((*rank == Rank::Strong, "point-lasting", unit.words(*end))),
        Statement::Rest { idle, .. } => match idle {
            Back::Nothing => Some((false, "point-rest", say("point-rest-nothing"))),
            Back::Whole => Some((true, "point-rest", say("point-rest-whole"))),
            Back::Part {
                bytes,
                little: true,
            } => Some((false, "point-rest", words::bytes(*bytes))),
            Back::Part { .. } => None,
        },
        Statement::Suits(suits) => strength(*suits),
        Statement::Beware(beware) => Some(weakness(*beware)),
        _ => None,
    }
}

fn strength(suits: Suits) -> Option<Told> {
    match suits {
        Suits::Desktop {
            latency_ns, quick, ..
        } => quick.then(|| (true, "point-small-read", words::latency(latency_ns))),
        Suits::Database { commit_ns } => Some((true, "point-commits", words::latency(commit_ns))),
        Suits::ReadServer { iops, .. } => {
            let figure = crate::figures::Unit::Iops.words(iops);
            Some((true, "point-deep-reads", figure))
        }
    }
}

fn weakness(beware: Beware) -> Told {
    match beware {
        Beware::EarlyEnd { written_bytes, .. } => {
            (false, "point-early-end", words::bytes(written_bytes))
        }
        Beware::Stalls {
            longest_s,
            slowest_ns,
            ..
        } => {
            let worst_s = longest_s.max(slowest_ns as f64 / 1e9);
            (false, "point-stalls", words::time(worst_s))
        }
        Beware::SlowCommits { commit_ns } => (false, "point-commits", words::latency(commit_ns)),
        Beware::SlowReads { latency_ns } => (false, "point-small-read", words::latency(latency_ns)),
        Beware::Mix {
            pattern,
            unit,
            slowest,
            ..
        } => {
            let name = match pattern {
                Pattern::Sequential => "point-mix-sequential",
                Pattern::Random => "point-mix-random",
            };
            (false, name, unit.words(slowest))
        }
        Beware::Uneven { unit, low, .. } => (false, "point-uneven", unit.words(low)),
        Beware::Deletion { slowest_ns, .. } => {
            (false, "point-deletion", words::latency(slowest_ns))
        }
    }
}
