//! Figures that decide if a finding holds: rank correlations between drawn figures and judged
//! numbers, over the versions.
//!
//! Of a finding's comparisons, only the one that fails in most versions is used. Among hundreds of
//! figures some correlate by chance: a figure is decisive only if its correlation exceeds the
//! strongest correlation of all figures in 95 of 100 random orders of the versions (a permutation
//! test of the maximum; Westfall and Young, "Resampling-Based Multiple Testing", 1993).

use stend_analysis::claims::Outcome;
use stend_base::Rng;

use super::Samples;

/// Smallest number of versions for correlations.
const VERSIONS_MIN: usize = 8;

/// Number of random orders of the versions.
const ORDERS: usize = 200;

/// Number of these in which no figure correlates as strongly as a decisive one.
const ORDERS_BELOW: usize = 190;

/// Maximum number of figures reported for a finding.
const TOLD_MAX: usize = 3;

/// A figure that decides a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisive {
    /// Index of its parameter.
    pub parameter: usize,
    /// Spearman's rank correlation with the judged number, -1 to 1: above 0, a larger figure makes
    /// the number larger.
    pub correlation: f64,
}

/// Figures that decide a finding of an article, the strongest first; none if too few versions
/// decided it, or no figure stands out.
pub fn decisive(samples: &Samples<'_>, article: usize, finding: usize) -> Vec<Decisive> {
    let Some((versions, judged)) = critical(samples, article, finding) else {
        return Vec::new();
    };
    if judged.len() < VERSIONS_MIN {
        return Vec::new();
    }
    let columns: Vec<Vec<f64>> = (0..samples.parameters.len())
        .map(|parameter| {
            let places = versions
                .iter()
                .map(|v| samples.versions[*v].places[parameter]);
            standardised(&ranks(&places.collect::<Vec<f64>>()))
        })
        .collect();
    let judged = standardised(&ranks(&judged));
    let threshold = by_chance(&columns, &judged);
    let mut found: Vec<Decisive> = columns
        .iter()
        .enumerate()
        .map(|(parameter, column)| Decisive {
            parameter,
            correlation: product(column, &judged),
        })
        .filter(|one| one.correlation.abs() > threshold)
        .collect();
    found.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
    // The entries of a list are drawn together: one of them represents all.
    let name = |one: &Decisive| {
        let figure = &samples.parameters[one.parameter].figure;
        (&figure.file, &figure.table, &figure.key)
    };
    found.dedup_by(|one, before| name(one) == name(before));
    found.truncate(TOLD_MAX);
    found
}

/// The comparison of a finding that fails in most versions: the versions that decided it, and the
/// number judged in each.
fn critical(
    samples: &Samples<'_>,
    article: usize,
    finding: usize,
) -> Option<(Vec<usize>, Vec<f64>)> {
    let judged = |version: usize| &samples.versions[version].judged[article][finding].checks;
    let first = samples.versions.first().map(|_| judged(0))?;
    let places = first.iter().enumerate();
    let places = places.flat_map(|(check, of)| (0..of.comparisons.len()).map(move |n| (check, n)));
    let comparison =
        |version: usize, (check, n): (usize, usize)| &judged(version)[check].comparisons[n];
    let fails = |place: &(usize, usize)| {
        let all = 0..samples.versions.len();
        all.filter(|v| comparison(*v, *place).outcome == Outcome::Fails)
            .count()
    };
    // The first of equal ones.
    let place = places.rev().max_by_key(fails)?;
    let decided = (0..samples.versions.len())
        .filter_map(|version| Some((version, comparison(version, place).judged?)));
    Some(decided.unzip())
}

/// Rank of each value; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let mean = begin as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|index| ranks[*index] = mean);
        begin += equal.len();
    }
    ranks
}

/// Values minus their mean, divided by the root of the sum of their squares: the sum of products of
/// two such lists is their correlation. All are 0 if the values are equal.
fn standardised(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let size = values
        .iter()
        .map(|v| (v - mean).powi(2))
        .sum::<f64>()
        .sqrt();
    let scale = if size > 0.0 { 1.0 / size } else { 0.0 };
    values.iter().map(|v| (v - mean) * scale).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Correlation that the strongest figure exceeds in one of twenty random orders.
fn by_chance(columns: &[Vec<f64>], judged: &[f64]) -> f64 {
    let mut rng = Rng::stream(1, "orders of the versions");
    let mut judged = judged.to_vec();
    let mut strongest: Vec<f64> = (0..ORDERS)
        .map(|_| {
            for last in (1..judged.len()).rev() {
                judged.swap(last, rng.below(last as u64 + 1) as usize);
            }
            let correlations = columns.iter().map(|column| product(column, &judged).abs());
            correlations.fold(0.0, f64::max)
        })
        .collect();
    strongest.sort_by(f64::total_cmp);
    strongest[ORDERS_BELOW]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 0.0]), [2.5, 1.0, 2.5, 0.0]);
    }

    #[test]
    fn what_decides_stands_out_of_what_is_drawn_by_chance() {
        let mut rng = Rng::stream(5, "test");
        let mut column = || -> Vec<f64> {
            let values: Vec<f64> = (0..32).map(|_| rng.unit_f64()).collect();
            standardised(&ranks(&values))
        };
        let columns: Vec<Vec<f64>> = (0..200).map(|_| column()).collect();
        // One half depends on one figure, the other half on another.
        let both: Vec<f64> = (0..32).map(|n| columns[3][n] - columns[7][n]).collect();
        let judged = standardised(&ranks(&both));
        let threshold = by_chance(&columns, &judged);
        assert!((0.5..0.7).contains(&threshold), "{threshold}");
        let strong = |n: usize| product(&columns[n], &judged).abs() > threshold;
        let found: Vec<usize> = (0..columns.len()).filter(|n| strong(*n)).collect();
        assert_eq!(found, [3, 7]);
    }

    #[test]
    fn what_never_changes_correlates_with_nothing() {
        let constant = standardised(&ranks(&[1.0; 10]));
        assert!(constant.iter().all(|value| *value == 0.0));
    }
}
