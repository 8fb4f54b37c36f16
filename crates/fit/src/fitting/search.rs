//! The search: CMA-ES (Hansen and Ostermeier, Evolutionary Computation 9(2), 2001), in generations.
//!
//! A search that continues is the same search: the known costs are given to a new one from the
//! beginning, which then asks for the same points, and none of them is evaluated again.

#[cfg(feature = "optimiser")]
use fcmaes_core::{Cmaes, CmaesParams, Fitness};
use serde::{Deserialize, Serialize};

/// The first step, as a share of the way between the bounds.
#[cfg(feature = "optimiser")]
const STEP: f64 = 0.2;

/// After this many generations without a better point, the search ends.
#[cfg(feature = "optimiser")]
const PATIENCE: usize = 15;

/// A better point is one whose cost is lower by this share.
#[cfg(feature = "optimiser")]
const BETTER: f64 = 1e-3;

/// How a search is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOptions {
    /// Root of every random choice.
    pub seed: u64,
    /// Generations at most.
    pub generations_max: usize,
    /// Points of a generation; 0 for what is usual for the number of parameters.
    pub population: usize,
}

/// Costs of the points of each generation, in their order: all that a search must know to go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// By generation.
    pub generations: Vec<Vec<f64>>,
}

/// The best point of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) places: Vec<f64>,
    pub(super) cost: f64,
}

/// Looks for places from 0 to 1 with a low cost.
///
/// `start` is where it begins, with its cost. `costs` returns those of a generation's points.
/// `kept` is called after every generation that is not of `history`; its error ends the search.
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

/// Points of a generation: the number given, or 4 and three times the logarithm of the number of
/// parameters, as Hansen recommends, and an even number of them, for two processors.
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
