//! Latency distributions: their percentiles as a chart and as a table.

use stend_record::review::LatencySummary;

use crate::chart::{Axis, Coordinate, Role, Scale, Trace, Values};
use crate::number;
use crate::view::{Cell, Draft, Folding, Table, Width};

/// The percentiles that a review keeps, ns, with their names.
pub fn percentiles(latency: &LatencySummary) -> [(&'static str, f64); 7] {
    [
        ("mean", latency.mean),
        ("50\u{a0}%", latency.p50 as f64),
        ("99\u{a0}%", latency.p99 as f64),
        ("99.9\u{a0}%", latency.p99_9 as f64),
        ("99.99\u{a0}%", latency.p99_99 as f64),
        ("99.999\u{a0}%", latency.p99_999 as f64),
        ("max", latency.max as f64),
    ]
}

/// A place on a logarithmic latency axis, µs; 0 has none.
pub fn place(ns: f64) -> Coordinate {
    if ns > 0.0 {
        Coordinate::rounded(ns / 1e3)
    } else {
        Coordinate::Gap(())
    }
}

/// The latency axis, logarithmic, with ticks over the values of some traces, µs.
pub fn axis(traces: &[Trace]) -> Axis {
    let (mut least, mut greatest) = (f64::INFINITY, 0.0_f64);
    for trace in traces {
        let Values::Own { y, .. } = &trace.values else {
            continue;
        };
        for place in y {
            if let Coordinate::Figure(us) = place {
                least = least.min(*us);
                greatest = greatest.max(*us);
            }
        }
    }
    let ticks = log_ticks(least, greatest);
    Axis {
        title: "Latency (logarithmic axis)".into(),
        unit: "µs".into(),
        scale: Scale::Log,
        tick_texts: ticks.iter().map(|&us| tick_latency(us)).collect(),
        tick_values: ticks,
        ..Axis::default()
    }
}

/// Powers of ten, with their doubles and fivefolds where that gives few, that reach
/// around two values.
fn log_ticks(least: f64, greatest: f64) -> Vec<f64> {
    if !(least > 0.0 && greatest >= least) {
        return Vec::new();
    }
    let digits: &[u32] = match greatest / least {
        // Two decades and a half.
        ratio if ratio > 316.0 => &[1],
        _ => &[1, 2, 5],
    };
    (-3..=9)
        .flat_map(|exponent| digits.iter().map(move |d| format!("{d}e{exponent}")))
        .map(|text| text.parse::<f64>().expect("a decimal number is a number"))
        .filter(|tick| *tick >= least / 10.0 && *tick <= greatest * 10.0)
        .collect()
}

/// A round latency in µs on a tick: `200 µs`, `1 ms`.
fn tick_latency(us: f64) -> String {
    let (value, unit) = match us {
        us if us >= 1e6 => (us / 1e6, "s"),
        us if us >= 1e3 => (us / 1e3, "ms"),
        us => (us, "µs"),
    };
    format!("{}\u{a0}{unit}", number::factor(value))
}

/// A chart of whole distributions, a line each.
pub fn chart(title: String, lines: &[(String, &LatencySummary)]) -> Draft {
    let traces = lines.iter().enumerate().map(|(slot, (name, latency))| {
        // The mean is not a place in the distribution: it stands in the table alone.
        let places = &percentiles(latency)[1..];
        Trace::own(
            name.clone(),
            slot,
            Role::Line,
            places.iter().map(|(n, _)| Coordinate::Name((*n).into())),
            places.iter().map(|&(_, ns)| place(ns)),
        )
    });
    let traces: Vec<Trace> = traces.collect();
    Draft {
        title,
        wide: true,
        x: Axis {
            title: "Share of requests that are faster".into(),
            scale: Scale::Category,
            ..Axis::default()
        },
        y: axis(&traces),
        traces,
        ..Draft::default()
    }
}

/// A table of distributions.
pub fn table(caption: String, head: &str, rows: Vec<(String, &LatencySummary)>) -> Table {
    let heads = percentiles(&LatencySummary::default()).map(|(name, _)| name.into());
    let rows: Vec<Vec<Cell>> = rows
        .into_iter()
        .map(|(name, latency)| {
            let figures = percentiles(latency).map(|(_, ns)| number::latency(ns).into());
            std::iter::once(name.into()).chain(figures).collect()
        })
        .collect();
    // A dozen rows can be taken in at a glance.
    let folding = match rows.len() {
        0..=12 => Folding::Open,
        _ => Folding::OpenOnPaper,
    };
    Table {
        caption,
        columns: std::iter::once(head.into()).chain(heads).collect(),
        rows,
        folding,
        width: Width::Full,
    }
}

/// The time on processors that a request took, a column beside the latencies: a cell a row.
pub fn add_cpu_time(table: &mut Table, cpu_ns_per_request: &[Option<f64>]) {
    table
        .columns
        .push(Cell::noted("CPU time", "a request, fio's threads"));
    for (row, ns) in table.rows.iter_mut().zip(cpu_ns_per_request) {
        let text = ns.map(number::latency);
        row.push(text.unwrap_or_else(|| number::MISSING.into()).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_reach_around_the_values_and_stay_few() {
        assert_eq!(
            log_ticks(40.0, 900.0),
            [5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3]
        );
        assert_eq!(log_ticks(40.0, 90_000.0), [10.0, 100.0, 1e3, 1e4, 1e5]);
        assert!(log_ticks(f64::INFINITY, 0.0).is_empty());
    }

    #[test]
    fn ticks_change_unit() {
        let texts = [0.5, 200.0, 1e3, 5e4, 1e6].map(tick_latency);
        assert_eq!(
            texts,
            [
                "0.5\u{a0}µs",
                "200\u{a0}µs",
                "1\u{a0}ms",
                "50\u{a0}ms",
                "1\u{a0}s"
            ]
        );
    }
}
