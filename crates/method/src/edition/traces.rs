//! Traces of a desktop's work as a test.

use stend_load::trace::{Profile, Synthetic, Trace, TraceFile};

/// A test of traces.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// Index in [`super::Edition::states`] of the state that each of them starts from.
    pub state: usize,
    /// How they are replayed.
    pub timing: Timing,
    /// The traces, in their order.
    pub entries: Vec<TraceEntry>,
}

/// How the traces of a test are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// As each of them is meant; a captured one at its times.
    Meant,
    /// At their times.
    Original,
    /// At their times, without the time in which nothing is outstanding, where the target
    /// can do that.
    Busy,
}

/// One trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEntry {
    /// As the edition names it.
    pub name: String,
    /// Where its requests come from.
    pub source: TraceSource,
}

/// Where the requests of a trace come from.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceSource {
    /// A profile from which they are drawn.
    Profile(Box<Profile>),
    /// A file of a captured one.
    File(TraceFile),
}

impl TraceEntry {
    /// The trace itself. Of a profile, it follows from the seed.
    pub(crate) fn open(&self, seed: u64) -> Box<dyn Trace + '_> {
        match &self.source {
            TraceSource::Profile(profile) => {
                let trace: Synthetic = profile.as_ref().clone().with_seed(seed);
                Box::new(trace)
            }
            TraceSource::File(file) => Box::new(file.clone()),
        }
    }

    /// For people.
    pub(crate) fn title(&self) -> &str {
        match &self.source {
            TraceSource::Profile(profile) => &profile.title,
            TraceSource::File(_) => &self.name,
        }
    }
}
