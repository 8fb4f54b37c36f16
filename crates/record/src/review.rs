//! The review: schema `stend.review/2`.
//!
//! Documented field by field, for readers of the JSON, in `docs/review-json.md`. Units are the last
//! part of a key. MiB and KiB are binary, MB and KB decimal.

use serde::{Deserialize, Deserializer, Serialize};

pub use crate::kinds::curve::{IntervalLatency, Sample, Series, TemperatureSample};
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
use crate::smart::BeforeAfter;

/// Name and version of this schema.
pub const SCHEMA: &str = "stend.review/2";

/// Its former version, which is read as well.
const SCHEMA_1: &str = "stend.review/1";

/// A whole review of one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Always [`SCHEMA`].
    #[serde(deserialize_with = "read_schema")]
    pub schema: String,
    /// The tested target.
    pub target: TargetInfo,
    /// Id of the edition, `2014`.
    pub edition: String,
    /// Title of the edition, for people.
    pub edition_title: String,
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
    /// SMART data of a real drive before the tests and after them; missing for a target without
    /// SMART.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart: Option<BeforeAfter>,
}

/// Reads the schema; a review of the former version is converted as it is read.
fn read_schema<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    let schema = String::deserialize(from)?;
    Ok(match schema == SCHEMA_1 {
        true => SCHEMA.to_owned(),
        false => schema,
    })
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Name of the fact that a drive's link is slower than the drive: [`TargetInfo::facts`].
pub const SLOW_LINK: &str = "slow link";

/// A named fact, `write cache: on`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

/// The tested target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// The name as the user typed it.
    pub name: String,
    /// The drive's marketing name, with the differences of its model from the shipped one; or the
    /// path.
    pub title: String,
    /// Method of measurement.
    pub kind: TargetKind,
    /// Capacity under test, bytes.
    pub capacity_bytes: u64,
    /// Model of a simulated drive; missing for real targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    /// Further facts (model, serial number, firmware, controller, NAND …).
    #[serde(default)]
    pub facts: Vec<Condition>,
}

/// Name of the fact of a drive's price, which the user enters.
pub const PRICE: &str = "price";

impl TargetInfo {
    /// The value of a fact.
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.facts.iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.as_str())
    }

    /// Fingerprint of the model of a simulated drive; empty if it is not known.
    pub fn fingerprint(&self) -> &str {
        let told = || self.fact("model fingerprint")?.get(..16);
        let known = self.model.as_ref().map(|model| model.fingerprint.as_str());
        // In earlier reviews it is only a fact.
        known.or_else(told).unwrap_or_default()
    }
}

/// Method of measuring a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// Simulated drive: measured in virtual time, by the model.
    #[default]
    Simulated,
    /// Regular file: measured by fio.
    File,
    /// Directory: measured by fio on a file in it, and by work on files beside it.
    Directory,
    /// Block device: measured by fio.
    BlockDevice,
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

/// A test that did not finish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedTest {
    /// Id of the test.
    pub id: String,
    /// Reason.
    pub error: String,
}
