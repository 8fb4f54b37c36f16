//! `[test.files]`.

use serde::Deserialize;
use stend_target::{FileOp, FileSet};
use toml::Spanned;

use super::Source;
use crate::edition::{EditionError, Files, State};

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FileOpEntry {
    Copy,
    Archive,
    Unarchive,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilesEntry {
    op: FileOpEntry,
    state: Spanned<String>,
    sets: Spanned<Vec<String>>,
    set_bytes: Spanned<u64>,
    rest_s: Spanned<f64>,
}

impl Source<'_> {
    pub(super) fn files(
        &self,
        entry: &FilesEntry,
        states: &[State],
    ) -> Result<Files, EditionError> {
        let sets = entry.sets.get_ref();
        if sets.is_empty() {
            return self.fail(&entry.sets, "at least one set of files");
        }
        for (index, set) in sets.iter().enumerate() {
            if FileSet::shipped(set).is_none() {
                let known: Vec<&str> = stend_target::file_sets();
                let problem = format!("no set `{set}`; there are: {}", known.join(", "));
                return self.fail(&entry.sets, problem);
            }
            if sets[..index].contains(set) {
                return self.fail(&entry.sets, format!("the set `{set}` stands here twice"));
            }
        }
        let set_bytes = *entry.set_bytes.get_ref();
        self.region(Some(&entry.set_bytes))?;
        if set_bytes > 1 << 42 {
            return self.fail(&entry.set_bytes, "a set has at most 4 TiB");
        }
        Ok(Files {
            state: self.state_index(&entry.state, states)?,
            op: match entry.op {
                FileOpEntry::Copy => FileOp::Copy,
                FileOpEntry::Archive => FileOp::Archive,
                FileOpEntry::Unarchive => FileOp::Unarchive,
            },
            sets: sets.clone(),
            set_bytes,
            rest_s: self.pause(&entry.rest_s)?,
        })
    }
}
