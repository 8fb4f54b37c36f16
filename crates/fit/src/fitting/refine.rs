//! Gauss-Newton steps towards values with a low cost: they need few evaluations if figures depend
//! smoothly on their parameters, as on the costs of commands. A search that begins at the result
//! has less to find.

use super::objective::{Evaluation, Objective, SQUARE_UP_TO};
use super::{
    FitError, Parameter, SENSITIVE_FROM, Task, allowed_parameters, drop_unanswered, only, rows,
};

/// Distance by which each parameter is moved to learn its effect, as a share of its range.
const MOVE: f64 = 0.04;

/// Distance of a second move if the first has no effect: its effect may begin only where another
/// parameter no longer limits the figures.
const MOVE_FAR: f64 = 0.3;

/// Longest move of a parameter in a step, as a share of its range.
const STEP_MAX: f64 = 0.35;

/// Damping of a step, as multiples of the largest effect of any parameter (Levenberg and
/// Marquardt): all are tried.
const DAMPING: [f64; 4] = [1e-4, 3e-3, 0.1, 1.0];

/// A step is worth its evaluations if it lowers the cost by this share.
const BETTER: f64 = 0.02;

/// Places in its range at which each parameter is tried alone when no step helps any more.
const JUMPS: [f64; 3] = [0.15, 0.5, 0.85];

/// A place closer than this to a parameter's present one is not tried.
const NEAR: f64 = 0.12;

/// Errors below this, as the root of their mean square, are small enough: a share no larger than
/// the repeatability of measurements.
pub const ENOUGH: f64 = 0.01;

/// Smallest predicted share of a measured figure whose logarithm is used.
const LEAST: f64 = 0.01;

/// Values reached by steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Every parameter with its value.
    pub values: Vec<(Parameter, f64)>,
    /// Evaluation of the former values.
    pub before: Evaluation,
    /// Evaluation of these values.
    pub after: Evaluation,
    /// Number of evaluated points.
    pub evaluations: usize,
}

/// Steps until `evaluations` would be exceeded, the errors are [`ENOUGH`], or neither a step nor a
/// long move of a single parameter helps. `tell` receives the number of a step and its cost.
///
/// # Errors
/// As [`super::fit`], except for the optimiser, which it does not need.
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
    let values: Vec<f64> = parameters.iter().map(|p| p.figure.value).collect();
    drop_unanswered(&mut objective, &values)?;
    let before = only(objective.evaluate(std::slice::from_ref(&values)));
    let groups = groups(&parameters);
    let mut walk = Walk {
        objective: &objective,
        groups: &groups,
        at: Point::new(&objective, &groups, values, before.clone()),
        silent: vec![false; groups.len()],
        left: evaluations.saturating_sub(1),
    };
    if !parameters.is_empty() {
        walk.run(tell);
    }
    let (at, left) = (walk.at, walk.left);
    drop(objective);
    Ok(Refined {
        values: parameters.into_iter().zip(at.values).collect(),
        before,
        after: at.evaluation,
        evaluations: evaluations.max(1) - left,
    })
}

/// Parameters that are moved together: the entries of a list, such as tR of the page types. Their
/// separate effects are hard to distinguish.
fn groups(parameters: &[Parameter]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let of = &parameter.figure;
        let same = |group: &&mut Vec<usize>| {
            let other = &parameters[group[0]].figure;
            of.index.is_some()
                && (&of.file, &of.table, &of.key) == (&other.file, &other.table, &other.key)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Values, and their evaluation.
#[derive(Clone)]
struct Point {
    values: Vec<f64>,
    /// Mean place of each group between its bounds.
    places: Vec<f64>,
    evaluation: Evaluation,
    /// For each row, the logarithm of predicted over measured: it follows the logarithm of a cost
    /// or a size more evenly than the share does, which is at least -1. `None` for a row without an
    /// answer.
    errors: Vec<Option<f64>>,
}

impl Point {
    fn new(
        objective: &Objective<'_>,
        groups: &[Vec<usize>],
        values: Vec<f64>,
        evaluation: Evaluation,
    ) -> Point {
        let place = |at: &usize| objective.parameters[*at].place(values[*at]);
        let places = groups.iter().map(|group| {
            let places = group.iter().map(place);
            places.sum::<f64>() / group.len() as f64
        });
        let rows = evaluation.rows.iter();
        let errors = rows.map(|(_, outcome)| {
            let answer = outcome.answer()?;
            Some((1.0 + answer.error).max(LEAST).ln())
        });
        Point {
            places: places.collect(),
            errors: errors.collect(),
            values,
            evaluation,
        }
    }

    fn cost(&self) -> f64 {
        self.evaluation.cost
    }
}

/// Change of each error with a group, per range of the group.
type Effects = Vec<Vec<f64>>;

/// A walk through the values.
struct Walk<'a, 'b> {
    objective: &'b Objective<'a>,
    groups: &'b [Vec<usize>],
    at: Point,
    /// For each group, true if neither a near nor a far move has changed anything: it is not tried
    /// again before a jump.
    silent: Vec<bool>,
    /// Evaluations left.
    left: usize,
}

impl Walk<'_, '_> {
    fn run(&mut self, tell: &mut dyn FnMut(usize, f64)) {
        let mut known: Option<Effects> = None;
        let mut number = 0;
        while self.at.cost() > ENOUGH * ENOUGH {
            let is_fresh = known.is_none();
            let Some(mut effects) = known.take().or_else(|| self.effects()) else {
                break;
            };
            let Some(best) = self.stepped(&effects) else {
                break;
            };
            let is_better = best.cost() < self.at.cost() * (1.0 - BETTER);
            if is_better {
                learn(&mut effects, &self.at, &best);
                known = Some(effects);
            }
            if best.cost() < self.at.cost() {
                self.at = best;
            }
            if !is_better && is_fresh && !self.jump() {
                break;
            }
            number += 1;
            tell(number, self.at.cost());
        }
    }

    /// Evaluates values, if enough evaluations are left.
    fn evaluated(&mut self, points: Vec<Vec<f64>>) -> Option<Vec<Point>> {
        self.left = self.left.checked_sub(points.len())?;
        let evaluations = self.objective.evaluate(&points);
        let all = points.into_iter().zip(evaluations);
        Some(
            all.map(|(values, evaluation)| {
                Point::new(self.objective, self.groups, values, evaluation)
            })
            .collect(),
        )
    }

    /// Values with some groups moved, each by a step.
    fn moved(&self, steps: &[(usize, f64)]) -> Vec<f64> {
        let mut values = self.at.values.clone();
        for (group, step) in steps.iter().filter(|(_, step)| *step != 0.0) {
            for at in &self.groups[*group] {
                let parameter = &self.objective.parameters[*at];
                values[*at] = parameter.value(parameter.place(values[*at]) + step);
            }
        }
        values
    }

    /// Effects of all groups, each moved alone, and moved further if nothing changes.
    fn effects(&mut self) -> Option<Effects> {
        let mut effects = vec![vec![0.0; self.at.errors.len()]; self.groups.len()];
        for by in [MOVE, MOVE_FAR] {
            let has_none = |at: &usize| effects[*at].iter().all(|effect| *effect == 0.0);
            let which: Vec<usize> = (0..self.groups.len())
                .filter(|at| !self.silent[*at] && has_none(at))
                .collect();
            let found = self.effects_of(&which, by)?;
            for (at, effect) in which.iter().zip(found) {
                effects[*at] = effect;
            }
        }
        self.silent = effects
            .iter()
            .map(|effect| effect.iter().all(|effect| *effect == 0.0))
            .collect();
        Some(effects)
    }

    /// Effects of some groups, each moved by this share of its range.
    fn effects_of(&mut self, which: &[usize], by: f64) -> Option<Effects> {
        let places = &self.at.places;
        let moved = which.iter().map(|at| {
            let by = if places[*at] > 0.5 { -by } else { by };
            self.moved(&[(*at, by)])
        });
        let points = self.evaluated(moved.collect())?;
        let from = &self.at;
        let all = which.iter().zip(&points);
        let effects = all.map(|(at, to)| {
            let way = to.places[*at] - from.places[*at];
            effect(&from.errors, &to.errors, way)
        });
        Some(effects.collect())
    }

    /// The best of the damped steps from here.
    fn stepped(&mut self, effects: &Effects) -> Option<Point> {
        let points = DAMPING.map(|damping| {
            let step = bounded(effects, &self.at, damping);
            let steps: Vec<(usize, f64)> = step.into_iter().enumerate().collect();
            self.moved(&steps)
        });
        best(self.evaluated(points.to_vec())?)
    }

    /// Goes to the best of the points at which one parameter is far from here; returns true if one
    /// helps.
    fn jump(&mut self) -> bool {
        let places = &self.at.places;
        let loud = (0..places.len()).filter(|at| !self.silent[*at]);
        let points = loud.flat_map(|at| {
            let far = JUMPS.into_iter();
            let far = far.filter(move |place| (place - places[at]).abs() > NEAR);
            far.map(move |place| (at, place))
        });
        let points: Vec<(usize, f64)> = points.collect();
        let points = points
            .iter()
            .map(|(at, place)| self.moved(&[(*at, place - places[*at])]));
        let found = self.evaluated(points.collect()).and_then(best);
        let better = found.filter(|found| found.cost() < self.at.cost() * (1.0 - BETTER));
        let is_better = better.is_some();
        if let Some(better) = better {
            self.at = better;
            self.silent.fill(false);
        }
        is_better
    }
}

fn best(points: Vec<Point>) -> Option<Point> {
    let points = points.into_iter();
    points.min_by(|a, b| a.cost().total_cmp(&b.cost()))
}

/// Corrects the effects by the result of a step (Broyden, 1965), so that they need not be learnt
/// again.
fn learn(effects: &mut Effects, from: &Point, to: &Point) {
    let pairs = from.places.iter().zip(&to.places);
    let step: Vec<f64> = pairs.map(|(from, to)| to - from).collect();
    let length: f64 = step.iter().map(|step| step * step).sum();
    if length == 0.0 {
        return;
    }
    for (row, (before, after)) in from.errors.iter().zip(&to.errors).enumerate() {
        let (Some(before), Some(after)) = (before, after) else {
            continue;
        };
        let told = effects.iter().zip(&step);
        let told: f64 = told.map(|(effect, step)| effect[row] * step).sum();
        let missed = after - before - told;
        for (effect, step) in effects.iter_mut().zip(&step) {
            effect[row] += missed * step / length;
        }
    }
}

/// Change of each error with a parameter, per range of the parameter: zeros if no figure is
/// sensitive to it, and for rows without an answer.
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

/// The damped step in which no parameter leaves its bounds or moves further than [`STEP_MAX`]: the
/// others compensate for those at a limit.
fn bounded(effects: &Effects, at: &Point, damping: f64) -> Vec<f64> {
    let mut held: Vec<Option<f64>> = vec![None; effects.len()];
    loop {
        let mut errors = at.errors.clone();
        let mut free = effects.clone();
        for (effect, step) in free.iter_mut().zip(&held) {
            let Some(step) = step else { continue };
            for (error, effect) in errors.iter_mut().zip(effect) {
                *error = error.map(|error| error + *effect * step);
                *effect = 0.0;
            }
        }
        let step = damped(&free, &errors, damping);
        let mut is_held = false;
        for ((held, step), place) in held.iter_mut().zip(&step).zip(&at.places) {
            let [low, high] = [(-place).max(-STEP_MAX), (1.0 - place).min(STEP_MAX)];
            if held.is_none() && !(low..=high).contains(step) {
                *held = Some(step.max(low).min(high));
                is_held = true;
            }
        }
        if !is_held {
            let all = held.into_iter().zip(step);
            return all.map(|(held, step)| held.unwrap_or(step)).collect();
        }
    }
}

/// The step that minimizes the errors if each effect is linear; large errors count linearly.
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
        // A parameter to which no figure is sensitive does not move: its right-hand side is 0.
        line[i] += damping * largest + f64::MIN_POSITIVE;
    }
    solved(matrix)
}

/// Solves linear equations by elimination; the right-hand side is the last number of each line.
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

    fn at(places: &[f64], errors: &[f64]) -> Point {
        Point {
            values: places.to_vec(),
            places: places.to_vec(),
            evaluation: Evaluation {
                cost: 0.0,
                rows: Vec::new(),
            },
            errors: errors.iter().map(|error| Some(*error)).collect(),
        }
    }

    #[test]
    fn what_a_bound_keeps_back_others_make_up_for() {
        // Either parameter could correct the error; the first has little room.
        let effects = vec![vec![-1.0], vec![-1.0]];
        let step = bounded(&effects, &at(&[0.95, 0.5], &[0.3]), 1e-9);
        assert!((step[0] - 0.05).abs() < 1e-6, "{step:?}");
        assert!((step[1] - 0.25).abs() < 1e-6, "{step:?}");
        // No parameter moves further than the limit of a step.
        let step = bounded(&effects, &at(&[0.0, 0.0], &[2.0]), 1e-9);
        assert_eq!(step, [STEP_MAX, STEP_MAX]);
    }

    #[test]
    fn a_step_tells_what_the_effects_are() {
        let mut effects = vec![vec![1.0, 0.0], vec![2.0, 0.0]];
        let (from, to) = (at(&[0.0, 0.0], &[0.5, 0.1]), at(&[0.1, 0.0], &[0.9, 0.1]));
        learn(&mut effects, &from, &to);
        assert!((effects[0][0] - 4.0).abs() < 1e-9, "{effects:?}");
        assert_eq!((effects[0][1], &effects[1][..]), (0.0, &[2.0, 0.0][..]));
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
