//! `[test.ladder]`.

use serde::Deserialize;
use stend_record::review::PointOp;
use toml::Spanned;

use super::{PatternEntry, Source, pattern};
use crate::edition::{EditionError, Ladder, Load, State};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    state: Spanned<String>,
    pattern: PatternEntry,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    degrade_s: Spanned<f64>,
    idle_s: Spanned<Vec<f64>>,
    trim: Spanned<Vec<bool>>,
    measure_s: Spanned<f64>,
    again_s: Spanned<f64>,
    sample_ms: Spanned<u32>,
}

impl Source<'_> {
    pub(super) fn ladder(&self, entry: &Entry, states: &[State]) -> Result<Ladder, EditionError> {
        let rests = entry.idle_s.get_ref();
        let possible = |s: &f64| *s > 0.0 && *s <= super::YEAR_S;
        if rests.is_empty() || !rests.iter().all(possible) || !rests.is_sorted_by(|a, b| a < b) {
            return self.fail(
                &entry.idle_s,
                "at least one rest; rests are longer than 0 s, at most a year, and ascend",
            );
        }
        if !matches!(
            entry.trim.get_ref()[..],
            [_] | [false, true] | [true, false]
        ) {
            return self.fail(
                &entry.trim,
                "`[false]`, `[true]`, or both in either order: whether TRIM goes before a rest",
            );
        }
        Ok(Ladder {
            state: self.state_index(&entry.state, states)?,
            load: Load {
                op: PointOp::Write,
                pattern: pattern(entry.pattern),
                block_bytes: self.block(&entry.block_bytes, *entry.block_bytes.get_ref())?,
                queue_depth: self.count(&entry.queue_depth, *entry.queue_depth.get_ref())?,
                threads: 1,
                read_percent: 0,
                region_bytes: None,
            },
            degrade_s: self.duration(&entry.degrade_s)?,
            idle_s: rests.clone(),
            trim: entry.trim.get_ref().clone(),
            measure_s: self.duration(&entry.measure_s)?,
            again_s: self.duration(&entry.again_s)?,
            sample_ms: self.sample(&entry.sample_ms)?,
        })
    }
}
