//! Table of the kinds of tests; each has its own file.
//!
//! A file has the keys of a test of its kind in an edition (`Entry`, which `parse` checks and
//! converts to `Keys`), its planning ([`Kind`]) and its measurement ([`Work`](crate::kind::Work)).
//! The list of kinds is [`stend_record::kinds!`]. A continuation results in curves, so only this
//! crate has a file for it.

pub mod benchmark;
pub mod continuation;
pub mod curve;
pub mod endurance;
pub mod files;
pub mod ladder;
pub mod points;
pub mod response;
pub mod rounds;
pub mod sync;
pub mod traces;

use serde::Deserialize;
use stend_config::FileError;
use toml::Spanned;

use crate::kind::Kind;
use crate::parse::Scope;
use crate::timed::TimedText;

macro_rules! table {
    ($($(#[$doc:meta])* $module:ident, $key:literal, $variant:ident;)*) => {
        /// Kinds of tests.
        #[derive(Clone, Debug, PartialEq)]
        pub enum TestKind {
            $($(#[$doc])* $variant($module::$variant),)*
            /// More curves on the target as another test left it.
            Continue(continuation::Continuation),
        }

        /// A test in the form of the file.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct TestEntry {
            pub(crate) id: Spanned<String>,
            pub(crate) title: TimedText,
            pub(crate) method: TimedText,
            $(#[serde(rename = $key)]
            $module: Option<$module::Entry>,)*
            #[serde(rename = "continue")]
            continuation: Option<continuation::Entry>,
        }

        impl TestKind {
            /// Returns the part that all kinds have in common.
            pub(crate) fn common(&self) -> &dyn Kind {
                match self {
                    $(TestKind::$variant(kind) => kind,)*
                    TestKind::Continue(kind) => kind,
                }
            }

            /// Returns [`TestKind::common`], mutable.
            pub(crate) fn common_mut(&mut self) -> &mut dyn Kind {
                match self {
                    $(TestKind::$variant(kind) => kind,)*
                    TestKind::Continue(kind) => kind,
                }
            }
        }

        /// Parses every kind that a test of an edition names.
        fn named(entry: TestEntry, at: &Scope<'_>) -> Result<Vec<TestKind>, FileError> {
            let mut kinds = Vec::new();
            $(if let Some(entry) = entry.$module {
                kinds.push(TestKind::$variant($module::parse(entry, at)?));
            })*
            if let Some(entry) = entry.continuation {
                kinds.push(TestKind::Continue(continuation::parse(entry, at)?));
            }
            Ok(kinds)
        }

        /// Keys of the kinds in an edition's file.
        const KEYS: &[&str] = &[$($key,)* "continue"];
    };
}
stend_record::kinds!(table);

impl TestKind {
    /// Parses the single kind of a test of an edition.
    pub(crate) fn parse(entry: TestEntry, at: &Scope<'_>) -> Result<TestKind, FileError> {
        if let Ok([kind]) = <[TestKind; 1]>::try_from(named(entry, at)?) {
            return Ok(kind);
        }
        let keys = KEYS.iter().map(|key| match *key {
            "sweep" => "`[[test.sweep]]` (any number)".to_owned(),
            key => format!("`[test.{key}]`"),
        });
        let keys = keys.collect::<Vec<_>>().join(", ");
        at.fail(at.id, format!("a test has exactly one of: {keys}"))
    }
}
