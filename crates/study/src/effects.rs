//! Main effects: the share of each outcome that each factor explains.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use stend_record::study::{Cell, Effect, EffectLevel, Study, StudyRow};

use crate::definition::Definition;
use crate::design::{Factor, factors};
use crate::error::StudyError;
use crate::plan::Plan;

/// Number of parts into which the values of a factor drawn from a range are grouped, with equally
/// many rows in each.
const PARTS: usize = 5;

impl Plan {
    /// Returns the study with these rows: sorted, with the effects of its factors.
    pub fn study(&self, rows: Vec<StudyRow>) -> Study {
        self.definition.with_rows(&self.factors, rows)
    }
}

impl Definition {
    /// Returns the study with rows that are read back, each with the values of its factors by their
    /// names: like [`Plan::study`], but without creating its models.
    ///
    /// # Errors
    /// If a factor is invalid.
    pub fn study(&self, rows: Vec<(Map<String, Json>, StudyRow)>) -> Result<Study, StudyError> {
        let factors = factors(self).map_err(|wrong| wrong.of(&self.source))?;
        let rows = rows.into_iter().map(|(mut values, row)| {
            let value = |factor: &Factor| {
                let value = values.remove(&factor.name).map(serde_json::from_value);
                value.and_then(Result::ok).unwrap_or(Cell::Empty)
            };
            StudyRow {
                factors: factors.iter().map(value).collect(),
                ..row
            }
        });
        let rows = rows.collect();
        Ok(self.with_rows(&factors, rows))
    }

    fn with_rows(&self, factors: &[Factor], mut rows: Vec<StudyRow>) -> Study {
        rows.sort_by_key(|row| row.number);
        // A requested outcome has a column even if no row has a value.
        let asked = self.job.iter().filter_map(|job| job.outcomes.as_ref());
        let found = rows.iter().flat_map(|row| &row.outcomes);
        let mut outcomes: Vec<String> = Vec::new();
        for name in asked.flatten().chain(found.map(|(name, _)| name)) {
            if !outcomes.contains(name) {
                outcomes.push(name.clone());
            }
        }
        let mut study = Study {
            name: self.name.clone(),
            title: self.shown_title().to_owned(),
            description: self.description.clone(),
            design: self.design.name().to_owned(),
            duration_scale: self.duration_scale,
            definition: self.to_json(),
            factors: factors.iter().map(|factor| factor.name.clone()).collect(),
            outcomes,
            rows,
            effects: Vec::new(),
        };
        let drawn: Vec<bool> = factors.iter().map(Factor::is_drawn).collect();
        study.effects = effects(&study, &drawn);
        study
    }
}

/// Computes the effects of all factors on all outcomes, job by job; `drawn` is true for factors
/// whose values were drawn from a range. Models and seeds are factors if there are several.
pub fn effects(study: &Study, drawn: &[bool]) -> Vec<Effect> {
    let mut jobs: Vec<&str> = Vec::new();
    for row in &study.rows {
        if !jobs.contains(&row.job.as_str()) {
            jobs.push(&row.job);
        }
    }
    let mut effects = Vec::new();
    for job in jobs {
        let rows: Vec<&StudyRow> = study.rows.iter().filter(|row| row.job == job).collect();
        for outcome in &study.outcomes {
            let values: Vec<(&StudyRow, f64)> = rows
                .iter()
                .filter_map(|row| Some((*row, row.outcome(outcome)?)))
                .collect();
            if values.is_empty() {
                continue;
            }
            let mut add = |factor: &str, of: &dyn Fn(&StudyRow) -> Cell, drawn: bool| {
                let levels = levels(&values, of, drawn);
                if levels.len() > 1 {
                    effects.push(effect((job, outcome, factor), levels));
                }
            };
            add("model", &|row| Cell::Text(row.model.clone()), false);
            for (at, factor) in study.factors.iter().enumerate() {
                add(factor, &|row| row.factors[at].clone(), drawn[at]);
            }
            add("seed", &|row| Cell::Whole(row.seed as i64), false);
        }
    }
    effects
}

/// A level of a factor, with the outcomes of its rows.
struct Level {
    label: String,
    at: Option<f64>,
    values: Vec<f64>,
}

/// Returns the levels in order of appearance, numbers in ascending order.
fn levels(rows: &[(&StudyRow, f64)], of: &dyn Fn(&StudyRow) -> Cell, drawn: bool) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (row, value) in rows {
        let cell = of(row);
        let label = cell.to_string();
        let place = *places.entry(label.clone()).or_insert_with(|| {
            levels.push(Level {
                label,
                at: cell.number(),
                values: Vec::new(),
            });
            levels.len() - 1
        });
        levels[place].values.push(*value);
    }
    if levels.iter().all(|level| level.at.is_some()) {
        levels.sort_by(|a, b| a.at.unwrap_or(0.0).total_cmp(&b.at.unwrap_or(0.0)));
        if drawn && levels.len() > PARTS {
            return parts(&levels);
        }
    }
    levels
}

/// Groups neighbouring levels into [`PARTS`] parts, with as equal numbers of rows as levels of
/// several rows allow.
fn parts(levels: &[Level]) -> Vec<Level> {
    let rows: usize = levels.iter().map(|level| level.values.len()).sum();
    let mut groups: Vec<Vec<&Level>> = vec![Vec::new(); PARTS];
    let mut before = 0;
    for level in levels {
        // The part that contains the middle of its rows.
        let middle = 2 * before + level.values.len();
        groups[(middle * PARTS / (2 * rows)).min(PARTS - 1)].push(level);
        before += level.values.len();
    }
    groups.retain(|group| !group.is_empty());
    groups.iter().map(|group| together(group)).collect()
}

fn together(levels: &[&Level]) -> Level {
    let (first, last) = (levels[0], levels[levels.len() - 1]);
    let values: Vec<f64> = levels
        .iter()
        .flat_map(|level| level.values.clone())
        .collect();
    let places = levels
        .iter()
        .map(|level| level.at.unwrap_or(0.0) * level.values.len() as f64);
    Level {
        label: match levels.len() {
            1 => first.label.clone(),
            _ => format!("{} to {}", first.label, last.label),
        },
        at: Some(places.sum::<f64>() / values.len() as f64),
        values,
    }
}

fn effect((job, outcome, factor): (&str, &str, &str), levels: Vec<Level>) -> Effect {
    let variance_share = variance_share(&levels);
    let level = |level: Level| EffectLevel {
        rows: level.values.len() as u64,
        mean: mean(&level.values),
        min: level.values.iter().copied().fold(f64::INFINITY, f64::min),
        max: level
            .values
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max),
        label: level.label,
        at: level.at,
    };
    Effect {
        job: job.to_owned(),
        outcome: outcome.to_owned(),
        factor: factor.to_owned(),
        variance_share,
        levels: levels.into_iter().map(level).collect(),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Computes epsilon squared: 1 - (variance within levels) / (variance of all), each by its degrees
/// of freedom; at least 0. A constant outcome is explained by nothing.
fn variance_share(levels: &[Level]) -> Option<f64> {
    let all: Vec<f64> = levels
        .iter()
        .flat_map(|level| level.values.clone())
        .collect();
    let (rows, groups) = (all.len(), levels.len());
    if rows <= groups {
        return None;
    }
    let squares = |values: &[f64]| {
        let mean = mean(values);
        values
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum::<f64>()
    };
    let total = squares(&all) / (rows - 1) as f64;
    let within = levels
        .iter()
        .map(|level| squares(&level.values))
        .sum::<f64>();
    let within = within / (rows - groups) as f64;
    match total > 0.0 {
        true => Some((1.0 - within / total).clamp(0.0, 1.0)),
        false => Some(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(rows: impl IntoIterator<Item = (f64, f64, f64)>) -> Study {
        let row = |(number, (a, b, y)): (usize, (f64, f64, f64))| StudyRow {
            number: number as u64,
            factors: vec![Cell::Real(a), Cell::Real(b)],
            seed: 1,
            job: "j".to_owned(),
            outcomes: vec![("y".to_owned(), y)],
            ..StudyRow::default()
        };
        Study {
            factors: vec!["a".to_owned(), "b".to_owned()],
            outcomes: vec!["y".to_owned()],
            rows: rows.into_iter().enumerate().map(row).collect(),
            ..Study::default()
        }
    }

    fn grid(y: impl Fn(f64, f64) -> f64) -> Study {
        let pairs = (0..6).flat_map(|a| (0..4).map(move |b| (f64::from(a), f64::from(b))));
        study(pairs.map(|(a, b)| (a, b, y(a, b))))
    }

    fn shares(study: &Study) -> [f64; 2] {
        let effects = effects(study, &[false, false]);
        [0, 1].map(|at| effects[at].variance_share.unwrap())
    }

    #[test]
    fn a_factor_alone_explains_all() {
        assert_eq!(shares(&grid(|a, _| 3.0 * a)), [1.0, 0.0]);
        assert_eq!(shares(&grid(|_, b| -b)), [0.0, 1.0]);
        assert_eq!(shares(&grid(|_, _| 7.0)), [0.0, 0.0]);
    }

    /// Two additive factors share the variance in the ratio of their own variances: those of 0 to 5
    /// and of twice 0 to 3 are 35/12 and 5.
    #[test]
    fn what_adds_up_is_shared() {
        let [a, b] = shares(&grid(|a, b| a + 2.0 * b));
        let (of_a, of_b) = (35.0 / 12.0, 5.0);
        let eta = |part: f64| part / (of_a + of_b);
        let epsilon = |eta: f64, groups: f64| 1.0 - (1.0 - eta) * 23.0 / (24.0 - groups);
        assert!((a - epsilon(eta(of_a), 6.0)).abs() < 1e-12, "{a}");
        assert!((b - epsilon(eta(of_b), 4.0)).abs() < 1e-12, "{b}");
    }

    /// For noise, the corrected share is near 0 although the plain one is not.
    #[test]
    fn chance_explains_nothing() {
        let mut rng = stend_base::Rng::stream(1, "noise");
        let rows: Vec<_> = (0..100)
            .map(|n| (f64::from(n), f64::from(n % 10), rng.unit_f64()))
            .collect();
        let effects = effects(&study(rows), &[true, false]);
        for effect in &effects {
            assert!(effect.variance_share.unwrap() < 0.1, "{effect:?}");
        }
        let levels = &effects[0].levels;
        assert_eq!(levels.len(), PARTS);
        assert_eq!(levels[0].label, "0 to 19");
        assert_eq!(levels.iter().map(|level| level.rows).sum::<u64>(), 100);
    }

    /// Rounded values: the levels have different numbers of rows.
    #[test]
    fn parts_of_a_range_have_equally_many_rows() {
        let rows = (0..100).map(|n| {
            (
                f64::from(if n < 40 { n / 10 } else { n }),
                0.0,
                f64::from(n),
            )
        });
        let effects = effects(&study(rows), &[true, false]);
        let levels = &effects[0].levels;
        let counts: Vec<u64> = levels.iter().map(|level| level.rows).collect();
        assert_eq!(counts, [20; PARTS]);
        assert_eq!(
            (&*levels[0].label, &*levels[4].label),
            ("0 to 1", "80 to 99")
        );
    }

    #[test]
    fn each_row_a_level_of_its_own_explains_nothing_that_can_be_told() {
        let effects = effects(
            &study((0..4).map(|n| (f64::from(n), 0.0, 1.0))),
            &[false; 2],
        );
        assert_eq!(effects.len(), 1, "b has one level");
        assert_eq!(effects[0].variance_share, None);
    }
}
