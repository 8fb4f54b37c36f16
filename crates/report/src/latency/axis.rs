//! Axes of latency: their form, their unit by the greatest latency, and their ticks.

use stend_language::{text, unit};

use crate::chart::{Axis, Coordinate, Role, Scale, Trace, Values};
use crate::number;

/// Axis of a chart along which latencies are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The horizontal one.
    X,
    /// The vertical one.
    Y,
}

/// Form of an axis of latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Logarithmic; from zero if the latencies are alike, because a logarithmic axis over a small
    /// range shows noise as large differences.
    Log,
    /// From zero.
    Even,
    /// From zero, with a title for mean latencies.
    EvenMeans,
}

/// Units of an axis, with their length, µs.
const UNITS: [(&str, f64); 3] = [("s", 1e6), ("ms", 1e3), ("µs", 1.0)];

/// Returns the axis of latencies, and converts those of the traces from µs to its unit: the
/// greatest unit in which the greatest latency is at least 1.
pub fn axis(traces: &mut [Trace], side: Side, form: Form) -> Axis {
    let (mut least, mut greatest) = (f64::INFINITY, 0.0_f64);
    for place in traces.iter_mut().flat_map(|trace| places(trace, side)) {
        if let Coordinate::Figure(us) = place {
            least = least.min(*us);
            greatest = greatest.max(*us);
        }
    }
    // A latency that is shown as 1,000 is in the unit above.
    let found = UNITS.iter().find(|(_, us)| greatest >= 0.9995 * us);
    let (symbol, unit_us) = *found.unwrap_or(&UNITS[2]);
    for place in traces.iter_mut().flat_map(|trace| places(trace, side)) {
        if let Coordinate::Figure(figure) = place {
            *figure = number::significant(*figure / unit_us, 5);
        }
    }
    let ticks = log_ticks(least, greatest);
    let seen = ticks
        .iter()
        .filter(|tick| (least..=greatest).contains(*tick));
    if form == Form::Log && seen.count() > 1 {
        return Axis {
            scale: Scale::Log,
            tick_texts: ticks.iter().map(|&us| tick_latency(us)).collect(),
            tick_values: ticks.iter().map(|us| us / unit_us).collect(),
            ..Axis::new(&stend_language::say("axis-latency"), symbol)
        };
    }
    let id = match form {
        Form::EvenMeans => "axis-mean-latency-in",
        Form::Log | Form::Even => "axis-latency-in",
    };
    let top = number::significant(1.05 * greatest / unit_us, 3);
    Axis {
        range: (top > 0.0).then_some([0.0, top]),
        ..Axis::new(&text!(id, unit = unit(symbol)), symbol)
    }
}

/// Returns the latencies of a trace; none for temperatures, and for references to curves.
fn places(trace: &mut Trace, side: Side) -> &mut [Coordinate] {
    match &mut trace.values {
        Values::Own { x, .. } if side == Side::X => x,
        Values::Own { y, .. } if trace.role != Role::Temperature => y,
        _ => &mut [],
    }
}

/// Returns powers of ten that enclose two values, with their doubles and fivefolds if these are
/// few.
fn log_ticks(least: f64, greatest: f64) -> Vec<f64> {
    if !(least > 0.0 && greatest >= least) {
        return Vec::new();
    }
    let digits: &[u32] = match greatest / least {
        // Two and a half decades.
        ratio if ratio > 316.0 => &[1],
        _ => &[1, 2, 5],
    };
    (-3..=9)
        .flat_map(|exponent| digits.iter().map(move |d| format!("{d}e{exponent}")))
        .map(|text| text.parse::<f64>().expect("a decimal number is a number"))
        .filter(|tick| *tick >= least / 10.0 && *tick <= greatest * 10.0)
        .collect()
}

/// Formats a round latency in µs on a tick: `200 µs`, `1 ms`.
fn tick_latency(us: f64) -> String {
    let (symbol, unit_us) = *UNITS
        .iter()
        .find(|(_, unit_us)| us >= *unit_us)
        .unwrap_or(&UNITS[2]);
    format!("{}\u{a0}{}", number::factor(us / unit_us), unit(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traces(latencies_us: &[f64]) -> Vec<Trace> {
        let points = latencies_us.iter().map(|us| (1.0, *us));
        vec![Trace::through("A", 0, Role::Line, points)]
    }

    fn drawn(traces: &[Trace]) -> Vec<f64> {
        let Values::Own { y, .. } = &traces[0].values else {
            unreachable!()
        };
        let figure = |place: &Coordinate| match place {
            Coordinate::Figure(figure) => *figure,
            _ => f64::NAN,
        };
        y.iter().map(figure).collect()
    }

    #[test]
    fn latencies_that_are_alike_are_drawn_from_zero() {
        let mut alike = traces(&[510.0, 512.4, 520.0]);
        let axis = axis(&mut alike, Side::Y, Form::Log);
        assert_eq!(axis.scale, Scale::Linear);
        assert_eq!(axis.range, Some([0.0, 546.0]));
        assert_eq!(axis.title, "Latency, µs");
        assert_eq!(drawn(&alike), [510.0, 512.4, 520.0]);
    }

    #[test]
    fn the_greatest_latency_chooses_the_unit() {
        for (greatest_us, unit, drawn_as) in [
            (12_000.0, "ms", 12.0),
            (999.0, "µs", 999.0),
            (999.6, "ms", 0.9996),
            (2_500_000.0, "s", 2.5),
        ] {
            let mut one = traces(&[greatest_us]);
            let even = axis(&mut one, Side::Y, Form::Even);
            assert_eq!((even.unit.as_str(), drawn(&one)[0]), (unit, drawn_as));
        }
        let mut apart = traces(&[40.0, 900.0, 12_000.0]);
        let log = axis(&mut apart, Side::Y, Form::Log);
        assert_eq!((log.scale, log.unit.as_str()), (Scale::Log, "ms"));
        assert_eq!(drawn(&apart), [0.04, 0.9, 12.0]);
        let at = log.tick_values.iter().position(|at| *at == 0.1);
        assert_eq!(log.tick_texts[at.expect("a tick")], "100\u{a0}µs");
    }

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
