//! What the predicted figures feel of each parameter.

use super::objective::{Evaluation, Objective};
use super::parameters::Parameter;
use super::{Fitted, only};

/// By how much a parameter is changed: this share of its value, or as far as its bounds let it; a
/// whole one by one at least.
const CHANGE: f64 = 0.1;

/// A figure feels a parameter if it changes by this share or more.
pub const FELT_FROM: f64 = 0.005;

/// What the predicted figures feel of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The value that was tried beside the fitted one.
    pub tried: f64,
    /// The largest change of a predicted figure, as a share of it, as it would be for a change of
    /// the parameter by a tenth.
    pub change_per_tenth: f64,
    /// The row whose figure that is; `None` if none changes.
    pub most_felt: Option<usize>,
    /// How much the cost grew with the value that was tried.
    pub cost_added: f64,
}

impl Sensitivity {
    /// Whether the rows tell anything of the parameter.
    pub fn is_determined(&self) -> bool {
        self.change_per_tenth >= FELT_FROM
    }
}

/// Finds out what is felt of each parameter, gives those that are not felt the value they had, and
/// evaluates what is kept.
pub(super) fn settle(
    objective: &Objective<'_>,
    own: &[f64],
    found: &[f64],
) -> (Vec<Fitted>, Evaluation) {
    let parameters = objective.parameters;
    let tried: Vec<f64> = parameters
        .iter()
        .zip(found)
        .map(|(parameter, value)| beside(parameter, *value))
        .collect();
    let mut points = vec![found.to_vec()];
    points.extend(tried.iter().enumerate().map(|(index, value)| {
        let mut point = found.to_vec();
        point[index] = *value;
        point
    }));
    let evaluations = objective.evaluate(&points);
    let (at_best, beside) = evaluations.split_first().expect("there is the best point");
    let fitted = parameters.iter().enumerate().map(|(index, parameter)| {
        let sensitivity = felt(at_best, &beside[index], found[index], tried[index]);
        Fitted {
            parameter: parameter.clone(),
            value: match sensitivity.is_determined() {
                true => found[index],
                false => own[index],
            },
            sensitivity,
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

/// A value beside the fitted one, within the bounds: above it, if there is as much room as below.
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

fn felt(at_best: &Evaluation, beside: &Evaluation, value: f64, tried: f64) -> Sensitivity {
    let mut sensitivity = Sensitivity {
        tried,
        change_per_tenth: 0.0,
        most_felt: None,
        cost_added: beside.cost - at_best.cost,
    };
    let moved = match value == 0.0 {
        true => CHANGE,
        false => ((tried - value) / value).abs(),
    };
    for ((row, best), (_, other)) in at_best.rows.iter().zip(&beside.rows) {
        let (Some(best), Some(other)) = (best.answer(), other.answer()) else {
            continue;
        };
        let change = (other.predicted / best.predicted - 1.0).abs() * CHANGE / moved;
        if change > sensitivity.change_per_tenth {
            sensitivity.change_per_tenth = change;
            sensitivity.most_felt = Some(*row);
        }
    }
    sensitivity
}
