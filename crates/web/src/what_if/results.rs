//! Results of a comparison in the lab, and growing curves.

use std::collections::BTreeMap;

use stend_lab::{Lab, LabError, kept_key, studies};
use stend_record::study::StudyRow;
use stend_study::PlannedRow;

use super::{FULL, LOADS, Plans, SHORT, VARIANTS, variant};
use crate::chart::{Chart, Trace, curve};
use crate::words;

/// A curve in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrowingCurve {
    /// Measured time, s.
    pub elapsed_s: f64,
    /// Requests so far.
    pub requests: u64,
    /// Ends of intervals, s, and requests a second in them.
    pub points: Vec<(f64, f64)>,
}

/// Curves in progress, by job and variant.
pub(crate) type Growing = BTreeMap<(String, usize), GrowingCurve>;

/// The results so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    /// Rows of the table of loads.
    pub loads: Vec<LoadRow>,
    /// The measured part of the curve.
    pub curve: Option<Chart>,
    /// Random and mixed loads against the share of reads.
    pub mixed: Option<Chart>,
    /// True if the curve covers only the first minutes.
    pub shortened: bool,
    /// End level of each variant's whole curve, IOPS.
    pub ends: Vec<(String, String)>,
    /// Rows that failed, in words.
    pub errors: Vec<String>,
}

impl Results {
    /// True if there is no result yet.
    pub fn is_empty(&self) -> bool {
        self.curve.is_none() && self.loads.is_empty() && self.errors.is_empty()
    }
}

/// A load of both variants.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadRow {
    /// Description of the load.
    pub load: String,
    /// Speed, mean latency and 99th percentile: each for both variants, and the second as a
    /// multiple of the first.
    pub figures: [[String; 3]; 3],
}

/// Rows by job and variant.
type Rows = BTreeMap<(String, usize), StudyRow>;

/// Returns the results of these studies in the lab.
///
/// # Errors
/// If the lab cannot be read.
pub(crate) fn results(
    lab: &Lab,
    program: &str,
    plans: &Plans,
    growing: Option<&Growing>,
) -> Result<Results, LabError> {
    let planned = plans.curve.rows().iter().chain(plans.loads.rows());
    let keys: Vec<(&PlannedRow, String)> = planned
        .map(|row| (row, kept_key(program, &row.key)))
        .collect();
    let known = studies::known(lab, keys.iter().map(|(_, key)| key.as_str()))?;
    let mut rows = Rows::new();
    let mut curves = BTreeMap::new();
    for (row, key) in &keys {
        let at = (row.job.clone(), variant(&row.factors));
        if let Some(known) = known.get(key) {
            rows.insert(at.clone(), known.clone());
        }
        if [SHORT, FULL].contains(&row.job.as_str())
            && let Some(curve) = studies::curve(lab, key)?
        {
            curves.insert(at, curve);
        }
    }
    let whole = (0..2).all(|of| rows.contains_key(&(FULL.to_owned(), of)));
    let errors = rows.iter().filter_map(|((job, of), row)| {
        let error = row.error.as_ref()?;
        Some(format!("{}, {job}: {error}", VARIANTS[*of]))
    });
    Ok(Results {
        errors: errors.collect(),
        loads: load_rows(&rows),
        mixed: mixed(&rows),
        curve: curve_chart(&curves, growing),
        shortened: !whole,
        ends: ends(&rows),
    })
}

fn curve_chart(
    curves: &BTreeMap<(String, usize), (f64, Vec<f64>)>,
    growing: Option<&Growing>,
) -> Option<Chart> {
    let mut traces = Vec::new();
    for (of, name) in VARIANTS.iter().enumerate() {
        let at = |job: &str| (job.to_owned(), of);
        let full = curves.get(&at(FULL));
        let grows = growing.and_then(|growing| growing.get(&at(FULL)));
        let begins = growing.and_then(|growing| growing.get(&at(SHORT)));
        // The longest curve that is known.
        match (full, grows, curves.get(&at(SHORT)), begins) {
            (Some((interval_s, iops)), ..) => {
                traces.extend(curve(name, of, *interval_s, iops, 60));
            }
            (None, Some(grows), ..) if grows.elapsed_s > 600.0 => {
                traces.push(growing_trace(name, of, grows));
            }
            (_, _, Some((interval_s, iops)), _) => {
                traces.extend(curve(name, of, *interval_s, iops, 10));
            }
            (_, _, None, Some(begins)) => traces.push(growing_trace(name, of, begins)),
            (_, Some(grows), ..) => traces.push(growing_trace(name, of, grows)),
            _ => {}
        }
    }
    (!traces.is_empty()).then(|| Chart {
        id: "curve".to_owned(),
        x: "Time, min".to_owned(),
        y: "IOPS".to_owned(),
        traces,
        from_zero: true,
        ..Chart::default()
    })
}

fn growing_trace(name: &str, slot: usize, growing: &GrowingCurve) -> Trace {
    let points = growing.points.iter();
    let (x, y) = points.map(|(t_s, iops)| (t_s / 60.0, iops.round())).unzip();
    Trace {
        name: name.to_owned(),
        slot,
        x,
        y,
        ..Trace::default()
    }
}

/// Returns the end level of each whole curve.
fn ends(rows: &Rows) -> Vec<(String, String)> {
    let of = |(of, name): (usize, &&str)| {
        let row = rows.get(&(FULL.to_owned(), of))?;
        let end = row.outcome("iops_end")?;
        Some(((*name).to_owned(), words::iops(end)))
    };
    VARIANTS.iter().enumerate().filter_map(of).collect()
}

fn load_rows(rows: &Rows) -> Vec<LoadRow> {
    let row = |(job, reads, depth): &(&str, u32, u32)| {
        let of = |of: usize| rows.get(&((*job).to_owned(), of));
        if of(0).is_none() && of(1).is_none() {
            return None;
        }
        let load = match reads {
            0 => "writes".to_owned(),
            100 => "reads".to_owned(),
            percent => format!("{percent} % reads"),
        };
        let pair = |name: &str, words: fn(f64) -> String| {
            let value = |at| of(at).and_then(|row| row.outcome(name));
            let told = |at| value(at).map_or_else(|| "–".to_owned(), words);
            let ratio = match (value(0), value(1)) {
                (Some(one), Some(other)) if one > 0.0 => format!("× {:.2}", other / one),
                _ => String::new(),
            };
            [told(0), told(1), ratio]
        };
        Some(LoadRow {
            load: format!("Random {load}, queue depth {depth}"),
            figures: [
                pair("iops", words::iops),
                pair("latency_mean_ns", words::latency),
                pair("latency_p99_ns", words::latency),
            ],
        })
    };
    LOADS.iter().filter_map(row).collect()
}

fn mixed(rows: &Rows) -> Option<Chart> {
    let trace = |(of, name): (usize, &&str)| {
        let points = LOADS.iter().filter(|(_, _, depth)| *depth == 32);
        let mut points: Vec<(f64, f64)> = points
            .filter_map(|(job, reads, _)| {
                let row = rows.get(&((*job).to_owned(), of))?;
                Some((f64::from(*reads), row.outcome("iops")?.round()))
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        (!x.is_empty()).then(|| Trace {
            name: (*name).to_owned(),
            slot: of,
            markers: true,
            x,
            y,
            ..Trace::default()
        })
    };
    let traces: Vec<Trace> = VARIANTS.iter().enumerate().filter_map(trace).collect();
    (!traces.is_empty()).then(|| Chart {
        id: "mixed".to_owned(),
        x: "Reads among the requests, percent".to_owned(),
        y: "IOPS".to_owned(),
        traces,
        from_zero: true,
        ..Chart::default()
    })
}
