//! The traces of a test.

use std::path::Path;

use serde::Deserialize;
use stend_load::trace::profile::SHIPPED;
use stend_load::trace::{Profile, TraceError, TraceFile, summary};
use toml::Spanned;

use super::{EditionError, Source, State};
use crate::edition::traces::{Timing, TraceEntry, TraceSource, Traces};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TracesEntry {
    state: Spanned<String>,
    traces: Spanned<Vec<Spanned<String>>>,
    timing: Option<TimingEntry>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TimingEntry {
    Meant,
    Original,
    Busy,
}

impl Source<'_> {
    pub(super) fn traces(
        &self,
        entry: &TracesEntry,
        states: &[State],
    ) -> Result<Traces, EditionError> {
        let mut entries: Vec<TraceEntry> = Vec::new();
        for place in entry.traces.get_ref() {
            let name = place.get_ref().clone();
            let source = self.trace_source(place)?;
            // A result is known by its trace's name.
            let name = match &source {
                TraceSource::Profile(profile) => profile.name.clone(),
                TraceSource::File(_) => name,
            };
            if entries.iter().any(|e| e.name == name) {
                return self.fail(place, format!("the trace `{name}` stands here twice"));
            }
            entries.push(TraceEntry { name, source });
        }
        if entries.is_empty() {
            return self.fail(&entry.traces, "at least one trace");
        }
        Ok(Traces {
            state: self.state_index(&entry.state, states)?,
            timing: match entry.timing {
                None | Some(TimingEntry::Meant) => Timing::Meant,
                Some(TimingEntry::Original) => Timing::Original,
                Some(TimingEntry::Busy) => Timing::Busy,
            },
            entries,
        })
    }

    /// A shipped profile, a profile in a file, or a file with a trace: all of it is read, so
    /// that what is wrong with it is known before a target is touched.
    fn trace_source(&self, place: &Spanned<String>) -> Result<TraceSource, EditionError> {
        let name = place.get_ref().as_str();
        if let Some(profile) = Profile::shipped(name) {
            return Ok(TraceSource::Profile(Box::new(profile)));
        }
        let path = self.beside(name);
        let read = || -> Result<TraceSource, TraceError> {
            if path.extension().is_some_and(|e| e == "toml") {
                return Ok(TraceSource::Profile(Box::new(Profile::read(&path)?)));
            }
            let file = TraceFile::open(&path, None)?;
            summary(&file, None)?;
            Ok(TraceSource::File(file))
        };
        let is_file = Path::new(name).components().count() > 1 || path.exists();
        if !is_file {
            let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
            return self.fail(
                place,
                format!(
                    "there is no trace `{name}`; there are: {}. A file of your own is named by its path",
                    names.join(", ")
                ),
            );
        }
        match read() {
            Ok(source) => Ok(source),
            Err(error) => self.fail(place, error.to_string()),
        }
    }
}
