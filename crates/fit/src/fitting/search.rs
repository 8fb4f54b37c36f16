//! The search: CMA-ES (Hansen and Ostermeier, Evolutionary Computation 9(2), 2001), in generations.
//!
//! A resumed search repeats the path of the original: a new search receives the known costs from
//! the beginning, requests the same points, and none of them is evaluated again.

#[cfg(feature = "optimiser")]
use fcmaes_core::{Cmaes, CmaesParams, Fitness};
use serde::{Deserialize, Serialize};

/// Length of the first step, as a share of the range.
#[cfg(feature = "optimiser")]
const STEP: f64 = 0.2;

/// The search ends after this number of generations without a better point.
#[cfg(feature = "optimiser")]
const PATIENCE: usize = 15;

/// A better point is one whose cost is lower by this share.
#[cfg(feature = "optimiser")]
const BETTER: f64 = 1e-3;

/// Options of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Seed of every random choice.
    pub seed: u64,
    /// Maximum number of generations.
    pub generations_max: usize,
    /// Points of a generation; 0 for the usual number for the number of parameters.
    pub population: usize,
}

/// Costs of the points of each generation, in their order: all that is needed to resume a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Costs by generation.
    pub generations: Vec<Vec<f64>>,
}

/// The best point of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) places: Vec<f64>,
    pub(super) cost: f64,
}

/// Searches for places from 0 to 1 with a low cost.
///
/// `start` is the starting point, with its cost. `costs` returns those of a generation's points.
/// `kept` is called after every generation that is not in `history`; its error ends the search.
#[cfg(feature = "optimiser")]
pub(super) fn search<E>(
    start: Best,
    options: &SearchOptions,
    history: &mut History,
    mut costs: impl FnMut(&[Vec<f64>]) -> Vec<f64>,
    mut kept: impl FnMut(&History, &Best) -> Result<(), E>,
) -> Result<Best, E> {
    let count = start.places.len();
    if count == 0 {
        return Ok(start);
    }
    let space = Fitness::bounded(count, 1, &vec![0.0; count], &vec![1.0; count]);
    let parameters = CmaesParams {
        popsize: i32::try_from(options.population).unwrap_or(i32::MAX),
        seed: options.seed,
        ..CmaesParams::default()
    };
    let mut cmaes = Cmaes::new(space, &start.places, &[STEP], &parameters);
    let mut best = start;
    let (mut generation, mut since_better) = (0, 0);
    while generation < options.generations_max && since_better < PATIENCE && cmaes.stop() == 0 {
        let points = cmaes.ask();
        let known = history.generations.get(generation).cloned();
        let is_new = known.is_none();
        let values = known.unwrap_or_else(|| costs(&points));
        cmaes.tell(&values);
        let before = best.cost;
        for (point, cost) in points.iter().zip(&values) {
            if *cost < best.cost {
                best = Best {
                    places: point.clone(),
                    cost: *cost,
                };
            }
        }
        since_better = match best.cost < before * (1.0 - BETTER) {
            true => 0,
            false => since_better + 1,
        };
        generation += 1;
        if is_new {
            history.generations.push(values);
            kept(history, &best)?;
        }
    }
    Ok(best)
}

/// Without the optimiser, nothing better than the start is found.
#[cfg(not(feature = "optimiser"))]
pub(super) fn search<E>(
    start: Best,
    _: &SearchOptions,
    _: &mut History,
    _: impl FnMut(&[Vec<f64>]) -> Vec<f64>,
    _: impl FnMut(&History, &Best) -> Result<(), E>,
) -> Result<Best, E> {
    Ok(start)
}

/// Points of a generation: the number in `options`, or 4 plus three times the logarithm of the
/// number of parameters, as Hansen recommends, made even, for two processors.
pub(super) fn population(options: &SearchOptions, parameters: usize) -> usize {
    let usual = 4 + (3.0 * (parameters.max(1) as f64).ln()).floor() as usize;
    match options.population {
        0 => usual.next_multiple_of(2),
        given => given,
    }
}

#[cfg(all(test, feature = "optimiser"))]
mod tests {
    use super::*;

    fn bowl(points: &[Vec<f64>]) -> Vec<f64> {
        let cost = |p: &Vec<f64>| (p[0] - 0.3).powi(2) + 10.0 * (p[1] - 0.9).powi(2);
        points.iter().map(cost).collect()
    }

    fn start() -> Best {
        let places = vec![0.5, 0.5];
        let cost = bowl(std::slice::from_ref(&places))[0];
        Best { places, cost }
    }

    const OPTIONS: SearchOptions = SearchOptions {
        seed: 7,
        generations_max: 60,
        population: 8,
    };

    #[test]
    fn the_least_is_found() {
        let mut history = History::default();
        let kept = |_: &History, _: &Best| Ok::<(), ()>(());
        let best = search(start(), &OPTIONS, &mut history, bowl, kept).unwrap();
        assert!(best.cost < 1e-6, "{best:?}");
    }

    #[test]
    fn a_search_that_goes_on_is_the_same_search() {
        let kept = |_: &History, _: &Best| Ok::<(), ()>(());
        let mut whole = History::default();
        let best = search(start(), &OPTIONS, &mut whole, bowl, kept).unwrap();
        let stop_after = |history: &History, _: &Best| match history.generations.len() < 7 {
            true => Ok(()),
            false => Err(()),
        };
        let mut broken = History::default();
        search(start(), &OPTIONS, &mut broken, bowl, stop_after).unwrap_err();
        assert_eq!(broken.generations.len(), 7);
        let mut asked = 0;
        let counting = |points: &[Vec<f64>]| {
            asked += 1;
            bowl(points)
        };
        let resumed = search(start(), &OPTIONS, &mut broken, counting, kept).unwrap();
        assert_eq!(resumed, best);
        assert_eq!(broken, whole);
        assert_eq!(asked, whole.generations.len() - 7);
    }
}
