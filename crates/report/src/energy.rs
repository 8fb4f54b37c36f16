//! Power of the drives under the loads of their tests, if it is known.

use stend_analysis::words::uncapitalised;
use stend_language::{say, text};
use stend_record::load::Load;
use stend_record::review::{PointOp, TestResult};

use crate::bars::{self, Bar, BarChart};
use crate::drive::{Drive, load_words};
use crate::number;

/// Most loads of the chart.
const LOADS_MAX: usize = 10;

/// A load whose power the reviewed drive states.
enum Measured<'a> {
    /// A point of a test.
    Point(&'a TestResult, Load),
    /// The only curve of a test, by its name.
    Curve(&'a TestResult, &'a str),
}

/// Returns the chart of the mean power under the fastest point of each test and direction, and
/// under curves that are alone in their test; the least first. `None` if no power is known.
pub fn chart(drives: &[Drive<'_>]) -> Option<BarChart> {
    let mut loads: Vec<Measured<'_>> = drives[0].tests.iter().flat_map(of_test).collect();
    loads.truncate(LOADS_MAX);
    if loads.is_empty() {
        return None;
    }
    let names: Vec<String> = loads.iter().map(name).collect();
    let bar = |slot: usize, nth: usize| power(&drives[slot], &loads[nth]);
    let mut chart = bars::chart(
        say("energy-chart"),
        &say("energy-axis"),
        &names,
        drives,
        bar,
    );
    if drives.len() > 1 {
        chart
            .groups
            .iter_mut()
            .for_each(|group| group.rows.reverse());
    }
    Some(chart)
}

fn of_test(test: &TestResult) -> Vec<Measured<'_>> {
    if let [curve] = test.curves() {
        let known = curve.power_w.map(|_| Measured::Curve(test, &curve.name));
        return known.into_iter().collect();
    }
    let fastest = |op: PointOp| {
        let points = test.points().iter();
        let points = points.filter(|point| {
            // A mix of one direction alone is that direction.
            let mixed = (1..100).contains(&point.load.read_percent);
            let op_fits = point.load.op == op && (op != PointOp::Mixed || mixed);
            op_fits && point.power_w.is_some()
        });
        points.max_by(|a, b| a.bw_bytes_per_s.total_cmp(&b.bw_bytes_per_s))
    };
    let ops = [PointOp::Read, PointOp::Write, PointOp::Mixed].into_iter();
    ops.filter_map(fastest)
        .map(|point| Measured::Point(test, Load::of(point)))
        .collect()
}

fn name(load: &Measured<'_>) -> String {
    match load {
        Measured::Point(test, load) => text!(
            "energy-load",
            test = test.name(),
            load = uncapitalised(&load_words(*load, test.points()))
        ),
        Measured::Curve(test, _) => test.name(),
    }
}

fn power(drive: &Drive<'_>, load: &Measured<'_>) -> Option<Bar> {
    let (power_w, bytes_per_s) = match load {
        Measured::Point(test, load) => {
            let point = drive.point(&test.id, *load)?;
            (point.power_w?, point.bw_bytes_per_s)
        }
        Measured::Curve(test, name) => {
            let curve = drive.curve(&test.id, name)?;
            let seconds = curve.samples.len() as f64 * curve.interval_s;
            let requests: f64 = curve.samples.iter().map(|sample| sample.iops).sum();
            let bytes = requests * curve.interval_s * curve.point.block_bytes as f64;
            (curve.power_w?, bytes / seconds)
        }
    };
    let note = match bytes_per_s > 0.0 {
        true => text!(
            "energy-per-gb",
            joules = stend_language::number(power_w / (bytes_per_s / 1e9))
        ),
        false => String::new(),
    };
    let bar = Bar {
        at: power_w,
        text: stend_analysis::figures::Unit::Watts.words(power_w),
        ..Bar::default()
    };
    Some(bar.noted(number::bound(&note)))
}
