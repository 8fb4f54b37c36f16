//! The kinds of test: the table of them, one file for each.
//!
//! A file has what an edition says of a test of its kind (`Entry`, checked by `parse`), how it
//! is planned ([`Kind`]) and how it is measured ([`Procedure`](crate::kind::Procedure)).

pub mod benchmark;
pub mod continuation;
pub mod curve;
pub mod endurance;
pub mod files;
pub mod ladder;
pub mod response;
pub mod rounds;
pub mod sweep;
pub mod traces;

use serde::Deserialize;
use toml::Spanned;

use crate::kind::Kind;
use crate::parse::{EditionError, Scope};

/// From lines of `module, key of the edition => Variant(type)`: the enum of all kinds, and the
/// shape of a test in an edition's file.
macro_rules! kinds {
    ($($(#[$doc:meta])* $module:ident, $key:literal => $variant:ident($data:ty);)*) => {
        /// The kinds of test.
        #[derive(Clone, Debug, PartialEq)]
        pub enum TestKind {
            $($(#[$doc])* $variant($data),)*
        }

        /// A test as the file has it.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct TestEntry {
            pub(crate) id: Spanned<String>,
            pub(crate) title: String,
            pub(crate) method: String,
            $(#[serde(rename = $key)]
            $module: Option<$module::Entry>,)*
        }

        impl TestKind {
            /// What all kinds have in common.
            pub(crate) fn common(&self) -> &dyn Kind {
                match self {
                    $(TestKind::$variant(kind) => kind,)*
                }
            }

            /// As [`TestKind::common`], to be changed.
            pub(crate) fn common_mut(&mut self) -> &mut dyn Kind {
                match self {
                    $(TestKind::$variant(kind) => kind,)*
                }
            }

            /// The one kind that a test of an edition is of.
            pub(crate) fn parse(
                entry: TestEntry,
                at: &Scope<'_>,
            ) -> Result<TestKind, EditionError> {
                let mut kinds = Vec::new();
                $(if let Some(entry) = entry.$module {
                    kinds.push(TestKind::$variant($module::parse(entry, at)?));
                })*
                let keys = [$($key),*].map(|key| match key {
                    "sweep" => "`[[test.sweep]]` (any number)".to_owned(),
                    key => format!("`[test.{key}]`"),
                });
                match <[TestKind; 1]>::try_from(kinds) {
                    Ok([kind]) => Ok(kind),
                    Err(_) => {
                        at.fail(at.id, format!("a test has exactly one of: {}", keys.join(", ")))
                    }
                }
            }
        }
    };
}

kinds! {
    /// Points, each measured for itself.
    sweep, "sweep" => Sweeps(Vec<sweep::Sweep>);
    /// One load sampled over time.
    curve, "curve" => Curve(curve::Curve);
    /// More curves on the target that another test has just left.
    continuation, "continue" => Continue(continuation::Continuation);
    /// Reads while a file is deleted.
    response, "response" => Response(response::Response);
    /// A benchmark as its users know it.
    benchmark, "benchmark" => Benchmark(benchmark::Benchmark);
    /// Traces of a desktop's work.
    traces, "traces" => Traces(traces::Traces);
    /// Work on sets of files.
    files, "files" => Files(files::Files);
    /// What rests of different length give back.
    ladder, "ladder" => Ladder(ladder::Ladder);
    /// Loads in rounds until a state is steady or enough is written.
    rounds, "rounds" => Rounds(rounds::Rounds);
    /// Writing until the target refuses.
    endurance, "endurance" => Endurance(endurance::Endurance);
}
