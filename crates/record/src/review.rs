//! The review: schema `stend.review/1`.
//!
//! Documented field by field, for readers of the JSON, in `docs/review-json.md`.
//! Units are the last part of a key. MiB and KiB are binary, MB and KB decimal.

use serde::{Deserialize, Serialize};

pub use crate::kinds::curve::{IntervalLatency, Sample, Series, TemperatureSample};
pub use crate::kinds::files::{FileOp, FileRequests, FileWork};
pub use crate::kinds::ladder::Rung;
pub use crate::kinds::points::{Point, PointPart};
pub use crate::kinds::response::{Response, ResponseInterval, SlowRequest};
pub use crate::kinds::rounds::{RoundFigures, Rounds, Tracked};
pub use crate::kinds::sync::{Durability, SyncInterval, SyncMethod, SyncPoint, SyncStream};
pub use crate::kinds::{JobText, SteadyStart, TestResult};
pub use crate::latency::LatencySummary;
pub use crate::load::{Pattern, PointOp, SeriesPoint};
pub use crate::model::{ModelChange, ModelInfo};
use crate::smart::BeforeAfter;

/// The name and version of this schema.
pub const SCHEMA: &str = "stend.review/1";

/// A whole review of one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// What was tested.
    pub target: TargetInfo,
    /// Id of the edition, `2014`.
    pub edition: String,
    /// Title of the edition, for people.
    pub edition_title: String,
    /// Root seed of every random choice.
    pub seed: u64,
    /// Factor on every measurement; rests keep their length. 1 is the edition's own. Anything
    /// else is a shortened (or stretched) run, and every figure of it must say so.
    pub duration_scale: f64,
    /// How often every test was carried out, each time with a seed of its own; 0 is once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// The load by which the target was brought to a steady state before tests, at the
    /// user's request: `random-write-4k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_steady: Option<String>,
    /// The target was opened for reading alone: tests and preparation that write were left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub read_only: bool,
    /// False while tests are missing: the run was stopped or a test failed.
    pub complete: bool,
    /// What was tested and how, in sentences for the report.
    pub conditions: Vec<Condition>,
    /// Where the run took place.
    pub environment: Vec<Condition>,
    /// The command that makes this review again.
    pub reproduce: String,
    /// A name that the user gave this review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What the user noted about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Finished tests, in the order of the edition.
    pub tests: Vec<TestResult>,
    /// Requested tests that did not finish.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedTest>,
    /// Tests that were interrupted and go on from here: single repetitions of a test, traces with
    /// those that were replayed, and endurance on a target that has been worn by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<TestResult>,
    /// The same edition on other targets, to compare with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<Rival>,
    /// SMART data of a real drive before the tests and after them; missing of a target
    /// without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart: Option<BeforeAfter>,
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
    /// What.
    pub name: String,
    /// How much or which.
    pub value: String,
}

/// What was tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// The name as the user typed it.
    pub name: String,
    /// The drive's marketing name, with what of a model differs from the shipped one; or the path.
    pub title: String,
    /// How it was measured.
    pub kind: TargetKind,
    /// Capacity under test, bytes.
    pub capacity_bytes: u64,
    /// Which model a simulated drive is of; missing of real targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelInfo>,
    /// Further facts (model, serial number, firmware, controller, NAND …).
    #[serde(default)]
    pub facts: Vec<Condition>,
}

/// Name of the fact of what a drive costs, which the user tells.
pub const PRICE: &str = "price";

impl TargetInfo {
    /// The value of a fact.
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.facts.iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.as_str())
    }

    /// Fingerprint of the model of a simulated drive; empty where none is known.
    pub fn fingerprint(&self) -> &str {
        let told = || self.fact("model fingerprint")?.get(..16);
        let known = self.model.as_ref().map(|model| model.fingerprint.as_str());
        // In earlier reviews it is a fact alone.
        known.or_else(told).unwrap_or_default()
    }
}

/// How a target is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// In virtual time, by the model.
    #[default]
    Simulated,
    /// By fio on a regular file.
    File,
    /// On a directory: by fio on a file in it, and by work on files beside it.
    Directory,
    /// By fio on a block device.
    BlockDevice,
}

/// A finished test on a rival.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// Which.
    pub target: TargetInfo,
    /// Its finished tests.
    pub tests: Vec<TestResult>,
    /// As [`Review::unfinished`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<TestResult>,
}

/// A test that did not finish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedTest {
    /// Id of the test.
    pub id: String,
    /// Why.
    pub error: String,
}
