//! Steps of Gauss and Newton towards values with a low cost: few evaluations where figures follow
//! their parameters smoothly, as costs of commands do. A search that begins there has less to find.

use super::objective::{Evaluation, Objective, SQUARE_UP_TO};
use super::{
    FitError, Parameter, SENSITIVE_FROM, Task, allowed_parameters, drop_unanswered, only, rows,
};

/// How far each parameter is moved to learn its effect, as a share of the way between its bounds.
const MOVE: f64 = 0.04;

/// How far one without effect is moved once more: it may begin where another limits the figures.
const MOVE_FAR: f64 = 0.3;

/// The furthest that a step moves a parameter, in the same measure.
const STEP_MAX: f64 = 0.35;

/// How much a step is damped, as multiples of the largest effect of any parameter (Levenberg and
/// Marquardt): all are tried.
const DAMPING: [f64; 4] = [1e-4, 3e-3, 0.1, 1.0];

/// Steps end when none lowers the cost by this share.
const BETTER: f64 = 0.01;

/// Values that were stepped to.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Every parameter with its value.
    pub values: Vec<(Parameter, f64)>,
    /// With the values as they were.
    pub before: Evaluation,
    /// With these.
    pub after: Evaluation,
    /// Points that were evaluated.
    pub evaluations: usize,
}

/// Steps until `evaluations` would be exceeded, or no step helps. `tell` is given the number of a
/// step and its cost.
///
/// # Errors
/// As [`super::fit`], but for the optimiser, which it does not need.
pub fn refine(
    task: &Task<'_>,
    evaluations: usize,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<Refined, FitError> {
    let parameters = allowed_parameters(task.models)?;
    let rows = rows(task)?;
    let helpers = (task.others, task.pool);
    let seed = task.options.seed;
    let mut objective =
        Objective::new(task.measured, task.models, &parameters, rows, helpers, seed);
    let mut values: Vec<f64> = parameters.iter().map(|p| p.figure.value).collect();
    drop_unanswered(&mut objective, &values)?;
    let before = only(objective.evaluate(std::slice::from_ref(&values)));
    let (mut now, mut spent, mut number) = (before.clone(), 1, 0);
    let round = 2 * parameters.len() + DAMPING.len();
    while !parameters.is_empty() && spent + round <= evaluations {
        let (found, evaluation, count) = step(&objective, &values, &now);
        spent += count;
        let is_better = evaluation.cost < now.cost;
        let is_enough = evaluation.cost > now.cost * (1.0 - BETTER);
        if is_better {
            (values, now) = (found, evaluation);
        }
        number += 1;
        tell(number, now.cost);
        if is_enough {
            break;
        }
    }
    drop(objective);
    Ok(Refined {
        values: parameters.into_iter().zip(values).collect(),
        before,
        after: now,
        evaluations: spent,
    })
}

/// The best of the steps from these values, and how many points that took.
fn step(
    objective: &Objective<'_>,
    values: &[f64],
    now: &Evaluation,
) -> (Vec<f64>, Evaluation, usize) {
    let parameters = objective.parameters;
    let pairs = parameters.iter().zip(values);
    let places: Vec<f64> = pairs.map(|(p, value)| p.place(*value)).collect();
    let from = errors(now);
    let all: Vec<usize> = (0..values.len()).collect();
    let mut effects = effects_of(objective, (values, &places), (&all, MOVE), &from);
    let silent = |at: &usize| effects[*at].iter().all(|effect| *effect == 0.0);
    let far: Vec<usize> = all.into_iter().filter(silent).collect();
    let of_far = effects_of(objective, (values, &places), (&far, MOVE_FAR), &from);
    for (at, effect) in far.iter().zip(of_far) {
        effects[*at] = effect;
    }
    let steps = DAMPING.map(|damping| damped(&effects, &from, damping));
    let points: Vec<Vec<f64>> = steps
        .iter()
        .map(|step| {
            let all = parameters.iter().zip(&places).zip(step).zip(values);
            let moved = all.map(|(((parameter, place), step), value)| match *step == 0.0 {
                true => *value,
                false => parameter.value(place + step.clamp(-STEP_MAX, STEP_MAX)),
            });
            moved.collect()
        })
        .collect();
    let count = values.len() + far.len() + points.len();
    let evaluations = objective.evaluate(&points);
    let (values, evaluation) = points
        .into_iter()
        .zip(evaluations)
        .min_by(|(_, a), (_, b)| a.cost.total_cmp(&b.cost))
        .expect("several dampings are tried");
    (values, evaluation, count)
}

/// The effects of some parameters, each moved alone by this share of the way between its bounds.
fn effects_of(
    objective: &Objective<'_>,
    (values, places): (&[f64], &[f64]),
    (which, by): (&[usize], f64),
    from: &[Option<f64>],
) -> Vec<Vec<f64>> {
    let parameters = objective.parameters;
    let moved = which.iter().map(|at| {
        let by = if places[*at] > 0.5 { -by } else { by };
        let mut point = values.to_vec();
        point[*at] = parameters[*at].value(places[*at] + by);
        point
    });
    let moved: Vec<Vec<f64>> = moved.collect();
    let evaluations = objective.evaluate(&moved);
    let all = which.iter().zip(&moved).zip(&evaluations);
    all.map(|((at, point), evaluation)| {
        let way = parameters[*at].place(point[*at]) - places[*at];
        effect(from, &errors(evaluation), way)
    })
    .collect()
}

/// The errors of the rows; nothing where a row has no answer.
fn errors(evaluation: &Evaluation) -> Vec<Option<f64>> {
    let rows = evaluation.rows.iter();
    rows.map(|(_, outcome)| outcome.answer().map(|answer| answer.error))
        .collect()
}

/// How each error changes with a parameter, from bound to bound: zeros of one to which no figure is
/// sensitive, and of rows without an answer.
fn effect(from: &[Option<f64>], to: &[Option<f64>], way: f64) -> Vec<f64> {
    let none = || vec![0.0; from.len()];
    if way == 0.0 || to.len() != from.len() {
        return none();
    }
    let pairs = from.iter().zip(to);
    let changes = pairs.map(|(from, to)| Some((to.as_ref()? - from.as_ref()?) / way));
    let changes: Vec<f64> = changes.map(Option::unwrap_or_default).collect();
    match changes.iter().any(|change| change.abs() >= SENSITIVE_FROM) {
        true => changes,
        false => none(),
    }
}

/// The step that makes the errors least if each effect is linear; large errors count by their size.
fn damped(effects: &[Vec<f64>], errors: &[Option<f64>], damping: f64) -> Vec<f64> {
    let weight = |error: f64| (SQUARE_UP_TO / error.abs().max(SQUARE_UP_TO)).min(1.0);
    let errors: Vec<(f64, f64)> = errors
        .iter()
        .map(|error| error.map_or((0.0, 0.0), |error| (error, weight(error))))
        .collect();
    let product = |a: &[f64], b: &dyn Fn(usize) -> f64| -> f64 {
        let all = a.iter().zip(&errors).enumerate();
        all.map(|(row, (a, (_, weight)))| a * weight * b(row)).sum()
    };
    let count = effects.len();
    let mut matrix: Vec<Vec<f64>> = (0..count)
        .map(|i| {
            let of = |j: usize| product(&effects[i], &|row| effects[j][row]);
            let mut line: Vec<f64> = (0..count).map(of).collect();
            line.push(-product(&effects[i], &|row| errors[row].0));
            line
        })
        .collect();
    let largest = (0..count).map(|i| matrix[i][i]).fold(0.0, f64::max);
    for (i, line) in matrix.iter_mut().enumerate() {
        // A parameter to which no figure is sensitive stays: its right-hand side is 0.
        line[i] += damping * largest + f64::MIN_POSITIVE;
    }
    solved(matrix)
}

/// The solution of linear equations, each with its right-hand side last, by elimination.
fn solved(mut lines: Vec<Vec<f64>>) -> Vec<f64> {
    let count = lines.len();
    for at in 0..count {
        let size = |line: usize| lines[line][at].abs();
        let pivot = (at..count).max_by(|a, b| size(*a).total_cmp(&size(*b)));
        lines.swap(at, pivot.unwrap_or(at));
        let pivot = lines[at].clone();
        if pivot[at] == 0.0 {
            continue;
        }
        for (_, line) in lines
            .iter_mut()
            .enumerate()
            .filter(|(other, _)| *other != at)
        {
            let share = line[at] / pivot[at];
            line.iter_mut()
                .zip(&pivot)
                .for_each(|(a, b)| *a -= share * b);
        }
    }
    let solution = |at: usize| match lines[at][at] == 0.0 {
        true => 0.0,
        false => lines[at][count] / lines[at][at],
    };
    (0..count).map(solution).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_effects_are_undone_in_one_step() {
        // Errors are 0.1 + 2a, -0.2 + b, and 0.1 + 2a again.
        let effects = [vec![2.0, 0.0, 2.0], vec![0.0, 1.0, 0.0], vec![0.0; 3]];
        let errors = [Some(0.1), Some(-0.2), Some(0.1)];
        let step = damped(&effects, &errors, 0.0);
        assert!((step[0] + 0.05).abs() < 1e-12, "{step:?}");
        assert!((step[1] - 0.2).abs() < 1e-12, "{step:?}");
        assert_eq!(step[2], 0.0);
        let less = damped(&effects, &errors, 0.5);
        assert!(less[0].abs() < step[0].abs() && less[1].abs() < step[1].abs());
    }

    #[test]
    fn what_changes_nothing_has_no_effect() {
        let from = [Some(0.1), None];
        assert_eq!(effect(&from, &[Some(0.1001), Some(1.0)], 0.04), [0.0, 0.0]);
        assert_eq!(effect(&from, &[Some(0.12), None], 0.04)[1], 0.0);
        assert!((effect(&from, &[Some(0.12), None], 0.04)[0] - 0.5).abs() < 1e-9);
        assert_eq!(effect(&from, &[], 0.04), [0.0, 0.0]);
    }
}
