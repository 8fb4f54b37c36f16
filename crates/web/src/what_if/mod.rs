//! Compares a drive with itself with other figures, as two studies. One has the curve of two hours
//! of random writes, and its first ten minutes as a separate job; the other has random and mixed
//! loads on a full drive. Their rows are stored in the lab and reused, so an unchanged drive is
//! simulated once.

mod changed;
mod inputs;
mod results;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use stend_model::{Files, Model, Setting};
use stend_record::study::Cell;
use stend_study::{Definition, Plan, SCHEMA};

pub(crate) use changed::text_of;
pub(crate) use inputs::{Control, Input, inputs, setting_of, settled};
pub(crate) use results::{Growing, LoadRow, results};

/// Kind of this work in the queue.
pub(crate) const KIND: &str = "what-if";

/// Names of the two variants.
pub(crate) const VARIANTS: [&str; 2] = ["original", "changed"];

/// Job of the first minutes of the curve.
pub(crate) const SHORT: &str = "ten-minutes";

/// Job of the whole curve.
pub(crate) const FULL: &str = "two-hours";

/// Length of the intervals of curves, s.
pub(crate) const INTERVAL_S: f64 = 1.0;

/// The other jobs: name, share of reads in percent, queue depth.
pub(crate) const LOADS: [(&str, u32, u32); 7] = [
    ("read-depth-1", 100, 1),
    ("write-depth-1", 0, 1),
    ("read-depth-32", 100, 32),
    ("mixed-75", 75, 32),
    ("mixed-50", 50, 32),
    ("mixed-25", 25, 32),
    ("write-depth-32", 0, 32),
];

/// Virtual time of each load, s.
const LOAD_S: u32 = 10;

/// A requested comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Name of a shipped model, or the name in a user's own model file.
    pub drive: String,
    /// Text of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Figures that replace the drive's own.
    pub settings: BTreeMap<String, Setting>,
    /// Id of the program that received the request: rows of another program differ.
    #[serde(default)]
    pub program: String,
}

/// The two studies of a request.
#[derive(Clone)]
pub(crate) struct Plans {
    /// Sustained random writes.
    pub curve: Arc<Plan>,
    /// Random and mixed loads on a full drive.
    pub loads: Arc<Plan>,
}

impl Request {
    /// Parses a request from the queue.
    pub fn parse(text: &str) -> Option<Request> {
        serde_json::from_str(text).ok()
    }

    /// Formats the request for the queue.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("keys are texts, and numbers finite")
    }

    /// Returns the files of the unchanged drive. A user's own file can only use parts of the
    /// program: nothing is read from disk.
    ///
    /// # Errors
    /// If there is no model with this name; the errors of the user's own file, one a line.
    pub fn files(&self) -> Result<Files, String> {
        match &self.model {
            None => Files::shipped(&self.drive)
                .ok_or_else(|| format!("There is no drive {}.", self.drive)),
            Some(text) => {
                Files::of_text(text.clone(), "your file").map_err(|error| error.to_string())
            }
        }
    }

    /// Returns the unchanged drive.
    ///
    /// # Errors
    /// The errors of [`Request::files`].
    pub fn original(&self) -> Result<Model, String> {
        let model = self.files()?.model();
        model.map_err(|error| error.to_string())
    }

    /// Returns the drive with other figures.
    ///
    /// # Errors
    /// The errors of the figures, one a line.
    pub fn changed(&self) -> Result<Model, String> {
        if let Some(value) = self.settings.get("") {
            return Err(format!("{value} has no key: name the key that it is for"));
        }
        let settings: Vec<(&String, Setting)> = self
            .settings
            .iter()
            .map(|(key, setting)| (key, setting.clone()))
            .collect();
        let model = self.original()?.with(&settings);
        model.map_err(|error| error.to_string())
    }

    /// Lists only the changes, for people: `nand.dies = 4`.
    pub fn changes(&self) -> String {
        let changes = self.settings.iter();
        let changes: Vec<String> = changes.map(|(key, to)| format!("{key} = {to}")).collect();
        changes.join(", ")
    }

    /// True if the drives are trimmed after they are filled, which requires that both support TRIM.
    ///
    /// # Errors
    /// The error in the request.
    pub fn trims(&self) -> Result<bool, String> {
        Ok(self.original()?.trim.enabled.value && self.changed()?.trim.enabled.value)
    }

    /// Plans its studies.
    ///
    /// # Errors
    /// The error in the request.
    pub fn plans(&self) -> Result<Plans, String> {
        let clean = match self.trims()? {
            true => json!(["fill", "trim", { "idle_s": 60 }]),
            false => json!(["fill", { "idle_s": 60 }]),
        };
        let write = |name: &str, runtime_s: u32| {
            json!({
                "name": name,
                "text": job_text(0, 32, runtime_s),
                "sample_ms": (INTERVAL_S * 1000.0) as u32,
            })
        };
        let curve = json!([write(SHORT, 600), write(FULL, 7200)]);
        let loads = LOADS.map(|(name, reads, depth)| {
            let outcomes = [
                "iops",
                "latency_mean_ns",
                "latency_p99_ns",
                "latency_p99_9_ns",
            ];
            json!({
                "name": name,
                "text": job_text(reads, depth, LOAD_S),
                "outcomes": outcomes,
            })
        });
        let full = json!(["fill", { "idle_s": 60 }]);
        Ok(Plans {
            curve: self.plan("what-if-curve", "sustained random writes", &clean, &curve)?,
            loads: self.plan(
                "what-if-loads",
                "loads on a full drive",
                &full,
                &json!(loads),
            )?,
        })
    }

    fn plan(
        &self,
        name: &str,
        what: &str,
        prepare: &serde_json::Value,
        jobs: &serde_json::Value,
    ) -> Result<Arc<Plan>, String> {
        let title = self.original()?.title;
        let model = match &self.model {
            None => json!(self.drive),
            Some(text) => json!({ "name": self.drive, "text": text }),
        };
        let definition = json!({
            "schema": SCHEMA,
            "name": name,
            "title": format!("What if: {title}, {}: {what}", self.changes()),
            "models": [model],
            "prepare": prepare,
            "factor": [{
                "name": "drive",
                "values": [{}, self.settings],
                "labels": VARIANTS,
            }],
            "job": jobs,
        });
        let definition = Definition::from_json(&definition.to_string(), Path::new(""));
        let plan = definition.and_then(Plan::new);
        plan.map(Arc::new).map_err(|error| error.to_string())
    }
}

/// Returns the variant of a row with these values of factors: 0 or 1.
pub(crate) fn variant(factors: &[Cell]) -> usize {
    let label = factors.first().map(ToString::to_string);
    usize::from(label.as_deref() == Some(VARIANTS[1]))
}

/// Returns the virtual time of a job, s; for the loads, with a part of their preparation.
pub(crate) fn job_s(job: &str) -> f64 {
    match job {
        SHORT => 600.0,
        FULL => 7200.0,
        _ => 100.0,
    }
}

/// Describes a job in words.
pub(crate) fn job_words(job: &str) -> &'static str {
    match job {
        SHORT => "random writes, the first ten minutes",
        FULL => "random writes, two hours",
        _ => "random and mixed loads",
    }
}

/// Returns a job of random requests of 4 KiB over the whole drive.
fn job_text(read_percent: u32, depth: u32, runtime_s: u32) -> String {
    let rw = match read_percent {
        0 => "rw=randwrite".to_owned(),
        100 => "rw=randread".to_owned(),
        percent => format!("rw=randrw\nrwmixread={percent}"),
    };
    format!("[load]\n{rw}\nbs=4k\niodepth={depth}\nruntime={runtime_s}\ntime_based=1\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(settings: &[(&str, Setting)]) -> Request {
        let settings = settings.iter();
        Request {
            drive: "demo-8gb".to_owned(),
            model: None,
            settings: settings
                .map(|(key, to)| ((*key).to_owned(), to.clone()))
                .collect(),
            program: "the tests".to_owned(),
        }
    }

    #[test]
    fn rows_of_the_original_are_the_same_whatever_is_changed() {
        let fifo = request(&[("gc.policy", Setting::Text("fifo".to_owned()))]);
        let slow = request(&[("nand.bus_mb_per_s", Setting::Whole(100))]);
        let keys = |request: &Request, wanted: usize| -> Vec<String> {
            let plans = request.plans().expect("they are sound");
            let rows = plans.curve.rows().iter().chain(plans.loads.rows());
            let rows = rows.filter(|row| variant(&row.factors) == wanted);
            rows.map(|row| row.key.clone()).collect()
        };
        assert_eq!(keys(&fifo, 0).len(), 9);
        assert_eq!(keys(&fifo, 0), keys(&slow, 0));
        assert_ne!(keys(&fifo, 1), keys(&slow, 1));
        assert_eq!(Request::parse(&fifo.to_json()), Some(fifo));
    }

    #[test]
    fn the_keys_that_the_page_names_are_there() {
        let page = include_str!("../../templates/what_if.html");
        let line = page.lines().find(|line| line.contains("such as <code>"));
        let line = line.expect("it names examples");
        let named = line.split("<code>").skip(1);
        let named: Vec<&str> = named
            .filter_map(|rest| rest.split("</code>").next())
            .collect();
        assert_eq!(named.len(), 2, "{line}");
        let model = Model::shipped("sandisk-ultra-ii-240gb").expect("it is shipped");
        for key in named {
            assert!(model.given(&[key])[0].is_some(), "there is no {key}");
        }
    }

    #[test]
    fn a_wrong_figure_is_told_with_its_key() {
        let wrong = request(&[("nand.dies", Setting::Whole(0))]);
        let told = wrong.changed().expect_err("no dies");
        assert!(told.contains("nand.dies"), "{told}");
        let unknown = request(&[("nand.dice", Setting::Whole(2))]);
        let told = unknown.changed().expect_err("no such key");
        assert!(told.contains("nand.dies"), "{told}");
    }
}
