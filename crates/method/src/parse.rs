//! Parses the text of an edition to checked values.
//!
//! Two passes: serde reads the text into the types below and those of the kinds of tests, which
//! mirror the file and keep the position of every value that can be wrong; then everything that
//! serde cannot know (references, ranges, duplicate names) is checked and resolved.

use std::ops::{Deref, RangeInclusive};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use stend_analysis::steady::{ROUNDS_MAX, WINDOW};
use stend_config::{FileError, SourceText};
use stend_language::Text;
use stend_record::load::Load;
use stend_record::review::{LatencySummary, Pattern};
use toml::Spanned;

use crate::kind::Kind;
use crate::state::{ContinuationStep, State, Step, UntilSteady};
use crate::timed::TimedText;

/// The longest duration, s. Times the largest duration scale, it is still less than a fifth of the
/// range of virtual time in nanoseconds.
pub(crate) const YEAR_S: f64 = 365.0 * 86_400.0;

/// An edition's file, with tests of type `T`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File<T> {
    pub(crate) schema: Spanned<String>,
    pub(crate) id: Spanned<String>,
    pub(crate) title: TimedText,
    pub(crate) percentiles: Spanned<Vec<f64>>,
    pub(crate) pause_s: Spanned<f64>,
    pub(crate) region_bytes: Option<Spanned<u64>>,
    #[serde(default)]
    pub(crate) state: Vec<StateEntry>,
    pub(crate) test: Spanned<Vec<T>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateEntry {
    id: Spanned<String>,
    title: Text,
    from: Option<Spanned<String>>,
    steps: Vec<StepEntry>,
    again: Option<Vec<StepEntry>>,
}

/// `deny_unknown_fields` applies to the fields of the variants as well.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) enum StepEntry {
    Fill {
        block_bytes: Spanned<u64>,
        queue_depth: Spanned<u32>,
        region_bytes: Option<Spanned<u64>>,
    },
    Trim,
    Idle {
        duration_s: Spanned<f64>,
    },
    UntilSteady {
        block_bytes: Spanned<u64>,
        queue_depth: Spanned<u32>,
        round_s: Spanned<f64>,
        rounds_max: Spanned<u32>,
    },
    Measure {
        name: String,
        duration_s: Spanned<f64>,
    },
}

/// The text being parsed, with the checks that all kinds of tests share.
pub(crate) struct Source<'a>(pub(crate) SourceText<'a>);

impl<'a> Deref for Source<'a> {
    type Target = SourceText<'a>;

    fn deref(&self) -> &SourceText<'a> {
        &self.0
    }
}

impl Source<'_> {
    /// Returns the path of a file that the text names, relative to the folder of its own file.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let folder = Path::new(self.file).parent();
        folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
    }

    pub(crate) fn id(&self, id: &Spanned<String>) -> Result<(), FileError> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.get_ref().is_empty() || !id.get_ref().chars().all(allowed) {
            return self.fail(id, "an id is made of a-z, 0-9 and `-`");
        }
        Ok(())
    }

    pub(crate) fn percentiles(&self, list: &Spanned<Vec<f64>>) -> Result<(), FileError> {
        let values = list.get_ref();
        if !values.iter().all(|p| *p > 0.0 && *p < 100.0) || !values.is_sorted_by(|a, b| a < b) {
            return self.fail(list, "percentiles lie between 0 and 100 and ascend");
        }
        // fio accepts no more (FIO_IO_U_LIST_MAX_LEN in its stat.h).
        if values.len() > 20 {
            return self.fail(list, "at most 20 percentiles are possible");
        }
        let required = LatencySummary::PERCENTILES.iter();
        let missing = required.filter(|p| !values.contains(p));
        let missing: Vec<String> = missing.map(f64::to_string).collect();
        match &missing[..] {
            [] => Ok(()),
            [p] => self.fail(list, format!("{p} is missing: the review reports it")),
            several => {
                let several = several.join(", ");
                self.fail(
                    list,
                    format!("{several} are missing: the review reports them"),
                )
            }
        }
    }

    /// Checks that a value is within a range; `problem` states the allowed values.
    pub(crate) fn within<T: Copy + PartialOrd>(
        &self,
        value: &Spanned<T>,
        range: RangeInclusive<T>,
        problem: impl Into<String>,
    ) -> Result<T, FileError> {
        match range.contains(value.get_ref()) {
            true => Ok(*value.get_ref()),
            false => self.fail(value, problem),
        }
    }

    /// Checks the length of a rest: 0 is allowed.
    pub(crate) fn pause(&self, value: &Spanned<f64>) -> Result<f64, FileError> {
        let problem = "a rest is 0 s or longer, and at most a year";
        self.within(value, 0.0..=YEAR_S, problem)
    }

    pub(crate) fn duration(&self, value: &Spanned<f64>) -> Result<f64, FileError> {
        let problem = "a measurement lasts 1 s or longer, and at most a year";
        self.within(value, 1.0..=YEAR_S, problem)
    }

    pub(crate) fn block(&self, place: &Spanned<impl Sized>, bytes: u64) -> Result<u64, FileError> {
        if bytes == 0 || !bytes.is_multiple_of(512) || bytes > 1 << 30 {
            return self.fail(
                place,
                format!("{bytes} is not a block size: a multiple of 512 bytes, at most 1 GiB"),
            );
        }
        Ok(bytes)
    }

    pub(crate) fn region(&self, value: Option<&Spanned<u64>>) -> Result<Option<u64>, FileError> {
        let Some(place) = value else {
            return Ok(None);
        };
        let bytes = *place.get_ref();
        if bytes == 0 || !bytes.is_multiple_of(1 << 20) || bytes > 1 << 60 {
            return self.fail(
                place,
                format!(
                    "{bytes} is not a region: a multiple of 1 MiB (1048576 bytes), at most 1 EiB"
                ),
            );
        }
        Ok(Some(bytes))
    }

    pub(crate) fn count(&self, place: &Spanned<impl Sized>, n: u32) -> Result<u32, FileError> {
        if n == 0 || n > 65_536 {
            return self.fail(place, format!("{n} is out of range: from 1 to 65536"));
        }
        Ok(n)
    }

    pub(crate) fn sample(&self, value: &Spanned<u32>) -> Result<u32, FileError> {
        self.within(value, 100..=60_000, "a sample spans 100 to 60000 ms")
    }

    pub(crate) fn step(&self, entry: StepEntry) -> Result<ContinuationStep, FileError> {
        Ok(match entry {
            StepEntry::Fill {
                block_bytes,
                queue_depth,
                region_bytes,
            } => ContinuationStep::Do(Step::Fill {
                region_bytes: self.region(region_bytes.as_ref())?,
                block_bytes: self.block(&block_bytes, *block_bytes.get_ref())?,
                queue_depth: self.count(&queue_depth, *queue_depth.get_ref())?,
            }),
            StepEntry::Trim => ContinuationStep::Do(Step::Trim),
            StepEntry::Idle { duration_s } => ContinuationStep::Do(Step::Idle {
                duration_s: self.pause(&duration_s)?,
            }),
            StepEntry::UntilSteady {
                block_bytes,
                queue_depth,
                round_s,
                rounds_max,
            } => ContinuationStep::Do(Step::UntilSteady(UntilSteady {
                load: self.write_load(Pattern::Random, &block_bytes, &queue_depth)?,
                round_s: self.duration(&round_s)?,
                rounds_max: self.steady_rounds(&rounds_max)?,
                required: true,
            })),
            StepEntry::Measure { name, duration_s } => ContinuationStep::Measure {
                duration_s: self.duration(&duration_s)?,
                name,
            },
        })
    }

    pub(crate) fn steps(
        &self,
        state: &Spanned<String>,
        entries: Vec<StepEntry>,
    ) -> Result<Vec<Step>, FileError> {
        let mut steps = Vec::new();
        for entry in entries {
            match self.step(entry)? {
                ContinuationStep::Do(step) => steps.push(step),
                ContinuationStep::Measure { .. } => {
                    return self.fail(
                        state,
                        "a state is prepared by `fill`, `trim`, `idle` and `until_steady`; only a \
                         `[test.continue]` has a `measure`",
                    );
                }
            }
        }
        Ok(steps)
    }

    pub(crate) fn state(&self, entry: StateEntry, earlier: &[State]) -> Result<State, FileError> {
        self.id(&entry.id)?;
        if earlier.iter().any(|s| s.id == *entry.id.get_ref()) {
            return self.fail(&entry.id, "two states have this id");
        }
        let from = match &entry.from {
            Some(name) => Some(self.state_index(name, earlier)?),
            None => None,
        };
        let steps = self.steps(&entry.id, entry.steps)?;
        let again = match entry.again {
            Some(entries) => self.steps(&entry.id, entries)?,
            None => steps.clone(),
        };
        Ok(State {
            id: entry.id.into_inner(),
            title: entry.title,
            from,
            steps,
            again,
        })
    }

    pub(crate) fn state_index(
        &self,
        name: &Spanned<String>,
        states: &[State],
    ) -> Result<usize, FileError> {
        match states.iter().position(|s| s.id == *name.get_ref()) {
            Some(index) => Ok(index),
            None => {
                let allowed: Vec<&str> = states.iter().map(|s| s.id.as_str()).collect();
                self.fail(
                    name,
                    format!(
                        "no state `{}` stands before this; allowed: {}",
                        name.get_ref(),
                        if allowed.is_empty() {
                            "none so far".to_owned()
                        } else {
                            allowed.join(", ")
                        }
                    ),
                )
            }
        }
    }

    /// Returns writes of one thread to the whole capacity.
    pub(crate) fn write_load(
        &self,
        pattern: Pattern,
        block_bytes: &Spanned<u64>,
        queue_depth: &Spanned<u32>,
    ) -> Result<Load, FileError> {
        let block = self.block(block_bytes, *block_bytes.get_ref())?;
        let depth = self.count(queue_depth, *queue_depth.get_ref())?;
        Ok(Load::write(pattern, block, depth))
    }

    /// Returns writes of several threads to the whole capacity.
    pub(crate) fn threads_load(
        &self,
        pattern: Pattern,
        block_bytes: &Spanned<u64>,
        queue_depth: &Spanned<u32>,
        threads: &Spanned<u32>,
    ) -> Result<Load, FileError> {
        Ok(Load {
            threads: self.count(threads, *threads.get_ref())?,
            ..self.write_load(pattern, block_bytes, queue_depth)?
        })
    }

    /// Checks the greatest number of rounds in which a state may become steady.
    pub(crate) fn steady_rounds(&self, place: &Spanned<u32>) -> Result<u32, FileError> {
        self.rounds_within(place, WINDOW as u32, ROUNDS_MAX as u32)
    }

    /// Checks a greatest number of rounds, from `least` to `most`.
    pub(crate) fn rounds_within(
        &self,
        place: &Spanned<u32>,
        least: u32,
        most: u32,
    ) -> Result<u32, FileError> {
        let rounds = place.get_ref();
        let problem = format!("{rounds} is out of range: from {least} to {most} rounds here");
        self.within(place, least..=most, problem)
    }
}

/// Context against which the keys of a test are checked.
pub(crate) struct Scope<'s> {
    pub(crate) source: &'s Source<'s>,
    /// Id of the test.
    pub(crate) id: &'s Spanned<String>,
    /// Region of all sweeps that name none.
    pub(crate) region_bytes: Option<u64>,
    pub(crate) states: &'s [State],
    /// Tests before this one, by id.
    pub(crate) earlier: &'s [(&'s str, &'s dyn Kind)],
}

impl Scope<'_> {
    /// Returns the index of the state that the test starts from.
    pub(crate) fn start(&self, name: &Spanned<String>) -> Result<usize, FileError> {
        self.source.state_index(name, self.states)
    }
}

impl<'s> Deref for Scope<'s> {
    type Target = Source<'s>;

    fn deref(&self) -> &Source<'s> {
        self.source
    }
}
