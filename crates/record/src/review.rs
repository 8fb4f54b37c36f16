//! The review: schema `stend.review/2`.
//!
//! Documented field by field, for readers of the JSON, in `docs/review-json.md`. Units are the last
//! part of a key. MiB and KiB are binary, MB and KB decimal.

use std::fmt;

use serde::{Deserialize, Serialize};
pub use stend_language::Text;

pub use crate::kinds::curve::{
    AfterRest, IntervalLatency, Sample, Series, TemperatureSample, curve_text, rest_name,
};
pub use crate::kinds::files::{FileOp, FileRequests, FileWork};
pub use crate::kinds::ladder::{Ladder, Rung};
pub use crate::kinds::points::{Point, PointPart};
pub use crate::kinds::response::{Response, ResponseInterval, SlowRequest};
pub use crate::kinds::rounds::{RoundFigures, Rounds, Tracked};
pub use crate::kinds::sync::{Durability, SyncInterval, SyncMethod, SyncPoint, SyncStream};
pub use crate::kinds::traces::Traces;
pub use crate::kinds::{JobText, Results, SteadyStart, TestResult};
pub use crate::latency::LatencySummary;
pub use crate::load::{Pattern, PointOp, SeriesPoint};
pub use crate::model::{ModelChange, ModelInfo};
pub use crate::others::OtherDrive;
use crate::smart::BeforeAfter;
pub use crate::target::{Condition, FactId, Link, Price, TargetInfo, TargetKind};

/// Name and version of this schema.
pub const SCHEMA: &str = "stend.review/2";

/// The schema before [`SCHEMA`], which [`read`] converts.
const SCHEMA_1: &str = "stend.review/1";

/// A whole review of one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The tested target.
    pub target: TargetInfo,
    /// Id of the edition, `2014`.
    pub edition: String,
    /// Title of the edition, for people.
    pub edition_title: Text,
    /// Root seed of every random choice.
    pub seed: u64,
    /// Factor on the duration of every measurement; rests keep their length. 1 is the edition's
    /// own. Any other value is a shortened (or stretched) run, and must be stated beside every
    /// figure of it.
    pub duration_scale: f64,
    /// Number of repetitions of every test, each with a seed of its own; 0 for one run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// The load that brought the target to a steady state before tests, at the user's request:
    /// `random-write-4k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_steady: Option<String>,
    /// True if the target was opened for reading only: tests and preparation that write were
    /// omitted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub read_only: bool,
    /// False if tests are missing: the run was stopped or a test failed.
    pub complete: bool,
    /// The tested target and the method, in sentences for the report.
    pub conditions: Vec<Condition>,
    /// Machine and software of the run.
    pub environment: Vec<Condition>,
    /// The command that repeats this review.
    pub reproduce: String,
    /// Name of this review, chosen by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The user's note about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Finished tests, in the order of the edition.
    pub tests: Vec<TestResult>,
    /// Requested tests that did not finish.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedTest>,
    /// Interrupted tests that can be resumed: single repetitions of a test, traces with those
    /// already replayed, and endurance on a target that the test has worn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<TestResult>,
    /// The same edition on other targets, to compare with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<Rival>,
    /// The lab's other drives, the fastest first, for a page made from a lab. They are not part of
    /// the document, because the lab changes.
    #[serde(skip)]
    pub others: Vec<OtherDrive>,
    /// SMART data of a real drive before the tests and after them; missing for a target without
    /// SMART.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart: Option<BeforeAfter>,
}

/// Reason why a text is not a review.
#[derive(Debug)]
pub enum ReadError {
    /// It is not JSON, or has other fields.
    Json(serde_json::Error),
    /// It has this other schema.
    Schema(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Json(error) => error.fmt(f),
            ReadError::Schema(other) => {
                write!(f, "its schema is `{other}`, and a review's is `{SCHEMA}`")
            }
        }
    }
}

/// Parses a review, also one of `stend.review/1`, which is converted.
///
/// # Errors
/// If the text is not a review, or has another schema.
pub fn read(json: &str) -> Result<Review, ReadError> {
    let mut review: Review = serde_json::from_str(json).map_err(ReadError::Json)?;
    match review.schema.as_str() {
        SCHEMA => {}
        SCHEMA_1 => {
            SCHEMA.clone_into(&mut review.schema);
            review.target.convert();
            let rivals = review.rivals.iter_mut();
            rivals.for_each(|rival| rival.target.convert());
        }
        _ => return Err(ReadError::Schema(review.schema)),
    }
    Ok(review)
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A finished test on a rival.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// The rival.
    pub target: TargetInfo,
    /// Its finished tests.
    pub tests: Vec<TestResult>,
    /// See [`Review::unfinished`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<TestResult>,
}

impl From<Review> for Rival {
    fn from(review: Review) -> Rival {
        Rival {
            target: review.target,
            tests: review.tests,
            unfinished: review.unfinished,
        }
    }
}

/// A test that did not finish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedTest {
    /// Id of the test.
    pub id: String,
    /// Reason.
    pub error: String,
}
