//! `[test.rounds]`.

use serde::Deserialize;
use stend_analysis::steady::{ROUNDS_MAX, WINDOW};
use stend_record::review::{PointOp, Tracked};
use toml::Spanned;

use super::{PatternEntry, Source, pattern};
use crate::edition::{EditionError, Load, Rounds, State, Until};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    state: Spanned<String>,
    pattern: PatternEntry,
    read_percent: Spanned<Vec<u32>>,
    block_bytes: Spanned<Vec<u64>>,
    queue_depth: Spanned<u32>,
    threads: Spanned<u32>,
    load_s: Spanned<f64>,
    track: Spanned<TrackEntry>,
    capacities: Option<Spanned<u32>>,
    rounds_max: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackEntry {
    read_percent: u32,
    block_bytes: u64,
    figure: Tracked,
}

/// Rounds of a minute in ten weeks: a bound that no real run meets.
const ROUNDS_LIMIT: u32 = 100_000;

impl Source<'_> {
    pub(super) fn rounds(&self, entry: &Entry, states: &[State]) -> Result<Rounds, EditionError> {
        let loads = self.round_loads(entry)?;
        let track = entry.track.get_ref();
        let tracked = loads.iter().position(|l| {
            l.read_percent == track.read_percent && l.block_bytes == track.block_bytes
        });
        let Some(tracked) = tracked else {
            return self.fail(
                &entry.track,
                "the tracked load is one of the round's: its `read_percent` and `block_bytes` stand in their lists",
            );
        };
        let until = match &entry.capacities {
            None => Until::Steady,
            Some(_) if loads.iter().all(|l| !l.writes()) => {
                return self.fail(
                    &entry.read_percent,
                    "rounds that end when `capacities` are written have a load that writes",
                );
            }
            Some(capacities) => Until::Written {
                capacities: self.count(capacities, *capacities.get_ref())?,
            },
        };
        let rounds_max = match until {
            Until::Steady => self.steady_rounds(&entry.rounds_max)?,
            Until::Written { .. } => self.rounds_within(&entry.rounds_max, 1, ROUNDS_LIMIT)?,
        };
        Ok(Rounds {
            state: self.state_index(&entry.state, states)?,
            loads,
            load_s: self.duration(&entry.load_s)?,
            tracked,
            figure: track.figure,
            until,
            rounds_max,
        })
    }

    /// Rounds within which a state may become steady.
    pub(super) fn steady_rounds(&self, place: &Spanned<u32>) -> Result<u32, EditionError> {
        self.rounds_within(place, WINDOW as u32, ROUNDS_MAX as u32)
    }

    fn rounds_within(
        &self,
        place: &Spanned<u32>,
        least: u32,
        most: u32,
    ) -> Result<u32, EditionError> {
        let rounds = *place.get_ref();
        if !(least..=most).contains(&rounds) {
            return self.fail(
                place,
                format!("{rounds} is out of range: from {least} to {most} rounds here"),
            );
        }
        Ok(rounds)
    }

    /// The loads of a round: shares of reads turn slowest.
    fn round_loads(&self, entry: &Entry) -> Result<Vec<Load>, EditionError> {
        let (shares, blocks) = (entry.read_percent.get_ref(), entry.block_bytes.get_ref());
        if shares.is_empty() || shares.iter().any(|p| *p > 100) {
            return self.fail(
                &entry.read_percent,
                "shares of reads, from 0 to 100 percent, at least one",
            );
        }
        if blocks.is_empty() {
            return self.fail(&entry.block_bytes, "at least one block size");
        }
        let mut loads: Vec<Load> = Vec::new();
        for &read_percent in shares {
            for &block in blocks {
                let load = Load {
                    op: match read_percent {
                        100 => PointOp::Read,
                        0 => PointOp::Write,
                        _ => PointOp::Mixed,
                    },
                    pattern: pattern(entry.pattern),
                    block_bytes: self.block(&entry.block_bytes, block)?,
                    queue_depth: self.count(&entry.queue_depth, *entry.queue_depth.get_ref())?,
                    threads: self.count(&entry.threads, *entry.threads.get_ref())?,
                    read_percent,
                    region_bytes: None,
                };
                if loads.contains(&load) {
                    let problem = format!("the load `{}` stands here twice", load.describe());
                    return self.fail(&entry.block_bytes, problem);
                }
                loads.push(load);
            }
        }
        Ok(loads)
    }
}
