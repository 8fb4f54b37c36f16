//! `[test.endurance]`.

use serde::Deserialize;
use stend_record::review::PointOp;
use toml::Spanned;

use super::{PatternEntry, Source, pattern};
use crate::edition::{EditionError, Endurance, Load, State};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    state: Spanned<String>,
    pattern: PatternEntry,
    block_bytes: Spanned<u64>,
    queue_depth: Spanned<u32>,
    drive_writes_per_round: Spanned<u32>,
}

impl Source<'_> {
    pub(super) fn endurance(
        &self,
        entry: &Entry,
        states: &[State],
    ) -> Result<Endurance, EditionError> {
        let writes = *entry.drive_writes_per_round.get_ref();
        if !(1..=1000).contains(&writes) {
            return self.fail(
                &entry.drive_writes_per_round,
                "a round writes the capacity from 1 to 1000 times",
            );
        }
        Ok(Endurance {
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
            drive_writes_per_round: writes,
        })
    }
}
