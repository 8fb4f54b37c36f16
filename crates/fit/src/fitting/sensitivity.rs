//! Sensitivity of the predicted figures to each parameter.

use std::collections::BTreeSet;

use super::objective::{Evaluation, Objective};
use super::parameters::Parameter;
use super::{Fitted, only};

/// Change of a parameter: this share of its value, or as far as its bounds allow; a whole parameter
/// by at least 1.
const CHANGE: f64 = 0.1;

/// Smallest change of a figure, as a share, that counts as sensitive.
pub const SENSITIVE_FROM: f64 = 0.005;

/// Sensitivity of the predicted figures to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The value that was tried beside the fitted one.
    pub tried: f64,
    /// Largest change of a predicted figure, as a share, scaled to a change of the parameter by a
    /// tenth.
    pub change_per_tenth: f64,
    /// Row of that figure; `None` if no figure changes.
    pub most_sensitive: Option<usize>,
    /// Increase of the cost, the mean square of the errors, each a ratio, at the tried value.
    pub cost_added: f64,
}

/// Places between its bounds at which a parameter is tried before the search.
const SCREENED_AT: [f64; 2] = [0.25, 0.75];

/// Rows whose figures are sensitive to each parameter when it alone is moved far between its
/// bounds. A parameter without such rows would only lengthen the search.
pub(super) fn screen(
    objective: &Objective<'_>,
    own: &[f64],
    before: &Evaluation,
) -> Vec<BTreeSet<usize>> {
    let parameters = objective.parameters.iter().enumerate();
    let points: Vec<(usize, Vec<f64>)> = parameters
        .flat_map(|(index, parameter)| {
            SCREENED_AT.map(|place| {
                let mut point = own.to_vec();
                point[index] = parameter.value(place);
                (index, point)
            })
        })
        .collect();
    let values: Vec<Vec<f64>> = points.iter().map(|(_, point)| point.clone()).collect();
    let mut sensitive = vec![BTreeSet::new(); own.len()];
    for ((index, _), evaluation) in points.iter().zip(objective.evaluate(&values)) {
        sensitive[*index].extend(changed(objective, before, &evaluation));
    }
    sensitive
}

/// Rows whose figures differ. Values that make an invalid model, or leave a figure without an
/// answer, also count as a change.
fn changed(objective: &Objective<'_>, from: &Evaluation, to: &Evaluation) -> Vec<usize> {
    if from.rows.is_empty() || to.rows.is_empty() {
        return objective.rows.clone();
    }
    let pairs = from.rows.iter().zip(&to.rows);
    let differ = pairs.filter(|((_, from), (_, to))| match (from.answer(), to.answer()) {
        (Some(from), Some(to)) => (to.predicted / from.predicted - 1.0).abs() >= SENSITIVE_FROM,
        (None, None) => false,
        _ => true,
    });
    differ.map(|((row, _), _)| *row).collect()
}

/// Determines the sensitivity of the figures to each parameter, restores the former value of those
/// without effect, and evaluates the result.
pub(super) fn settle(
    objective: &Objective<'_>,
    own: &[f64],
    found: &[f64],
    searched: &[bool],
) -> (Vec<Fitted>, Evaluation) {
    let parameters = objective.parameters;
    let tried: Vec<f64> = parameters
        .iter()
        .zip(found)
        .map(|(parameter, value)| beside(parameter, *value))
        .collect();
    let with = |(index, value): (usize, &f64)| {
        let mut point = found.to_vec();
        point[index] = *value;
        point
    };
    let mut points = vec![found.to_vec()];
    points.extend(tried.iter().enumerate().map(with));
    let evaluations = objective.evaluate(&points);
    let (at_best, beside) = evaluations.split_first().expect("there is the best point");
    let sensitivities: Vec<Sensitivity> = (0..own.len())
        .map(|index| sensitivity(at_best, &beside[index], found[index], tried[index]))
        .collect();
    // If a curve is flat at its best place, the way there may still have had an effect.
    let shows = |index: usize| sensitivities[index].change_per_tenth >= SENSITIVE_FROM;
    let open: Vec<usize> = (0..own.len())
        .filter(|&index| searched[index] && !shows(index) && own[index] != found[index])
        .collect();
    let before: Vec<Vec<f64>> = open
        .iter()
        .map(|&index| with((index, &own[index])))
        .collect();
    let before = objective.evaluate(&before);
    let far = |index: usize| {
        let at = open.iter().position(|&open| open == index);
        at.is_some_and(|at| !changed(objective, at_best, &before[at]).is_empty())
    };
    let fitted = parameters.iter().enumerate().map(|(index, parameter)| {
        let determined = searched[index] && (shows(index) || far(index));
        Fitted {
            parameter: parameter.clone(),
            value: match determined {
                true => found[index],
                false => own[index],
            },
            determined,
            sensitivity: sensitivities[index].clone(),
        }
    });
    let fitted: Vec<Fitted> = fitted.collect();
    let kept: Vec<f64> = fitted.iter().map(|fitted| fitted.value).collect();
    let after = match kept == found {
        true => at_best.clone(),
        false => only(objective.evaluate(&[kept])),
    };
    (fitted, after)
}

/// A value near the fitted one, within the bounds: above it, unless there is more room below.
fn beside(parameter: &Parameter, value: f64) -> f64 {
    let step = match parameter.figure.whole {
        true => (value.abs() * CHANGE).max(1.0),
        false if value == 0.0 => CHANGE * (parameter.figure.bounds[1] - parameter.figure.bounds[0]),
        false => value.abs() * CHANGE,
    };
    let (up, down) = (
        parameter.allowed(value + step),
        parameter.allowed(value - step),
    );
    match up - value >= value - down {
        true => up,
        false => down,
    }
}

fn sensitivity(at_best: &Evaluation, beside: &Evaluation, value: f64, tried: f64) -> Sensitivity {
    let moved = match value == 0.0 {
        true => CHANGE,
        false => ((tried - value) / value).abs(),
    };
    let (change, most_sensitive) = largest_change(at_best, beside);
    Sensitivity {
        tried,
        change_per_tenth: change * CHANGE / moved,
        most_sensitive,
        cost_added: beside.cost - at_best.cost,
    }
}

/// Largest change of a figure between two evaluations, as a share, and its row.
fn largest_change(from: &Evaluation, to: &Evaluation) -> (f64, Option<usize>) {
    let mut largest = (0.0, None);
    for ((row, from), (_, to)) in from.rows.iter().zip(&to.rows) {
        let (Some(from), Some(to)) = (from.answer(), to.answer()) else {
            continue;
        };
        let change = (to.predicted / from.predicted - 1.0).abs();
        if change > largest.0 {
            largest = (change, Some(*row));
        }
    }
    largest
}
