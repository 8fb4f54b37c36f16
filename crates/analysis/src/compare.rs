//! Several reviews side by side: what was unlike when they were made, and how their figures
//! stand to one another.

use std::collections::BTreeSet;

use stend_record::review::{Condition, Point, Review, TargetKind};

use crate::figures::{KeyFigure, Metric, Unit, key_figures};
use crate::load::{Load, points_of};

/// Facts of a target that tell of more than which drive it is.
const FACTS_COMPARED: [&str; 3] = ["firmware", "scheduler", "link"];

/// A review, and what else is known of how it was made.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The review.
    pub review: &'a Review,
    /// Further facts, such as the version of the program.
    pub facts: &'a [Condition],
}

/// A condition that was not the same for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Which.
    pub name: String,
    /// What it was on each side; `None` where that is not told.
    pub values: Vec<Option<String>>,
}

/// A figure of each side.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Id of the test.
    pub test_id: String,
    /// Which figure of it.
    pub name: String,
    /// Of what.
    pub unit: Unit,
    /// How much on each side; `None` where a side has no such figure.
    pub values: Vec<Option<f64>>,
}

impl Row {
    /// Each figure as a multiple of the first side's; `None` without both.
    pub fn ratios(&self) -> Vec<Option<f64>> {
        let first = self.values.first().copied().flatten();
        let of_first = |value: &Option<f64>| match (first, value) {
            (Some(first), Some(value)) if first > 0.0 => Some(value / first),
            _ => None,
        };
        self.values.iter().map(of_first).collect()
    }
}

/// The conditions that were unlike: how targets are measured, edition, durations, size under
/// test, then everything that either side tells of method and environment. Which drive it was
/// is no condition.
pub fn unlike(sides: &[Side<'_>]) -> Vec<Unlike> {
    let heads = sides.iter().map(|side| head(side.review));
    let mut of_side: Vec<Vec<Condition>> = heads.collect();
    for (all, side) in of_side.iter_mut().zip(sides) {
        let facts = side.review.target.facts.iter();
        all.extend(
            facts
                .filter(|fact| FACTS_COMPARED.contains(&fact.name.as_str()))
                .cloned(),
        );
        all.extend(side.review.conditions.iter().cloned());
        all.extend(side.review.environment.iter().cloned());
        all.extend(side.facts.iter().cloned());
    }
    let mut seen = BTreeSet::new();
    let names = of_side.iter().flatten().map(|c| c.name.clone());
    let names: Vec<String> = names.filter(|name| seen.insert(name.clone())).collect();
    names
        .into_iter()
        .map(|name| Unlike {
            values: of_side.iter().map(|all| value_of(all, &name)).collect(),
            name,
        })
        .filter(|row| row.values.iter().any(|value| *value != row.values[0]))
        .collect()
}

fn value_of(conditions: &[Condition], name: &str) -> Option<String> {
    let found = conditions.iter().find(|c| c.name == name);
    found.map(|c| c.value.clone())
}

fn head(review: &Review) -> Vec<Condition> {
    let kind = match review.target.kind {
        TargetKind::Simulated => "simulated",
        TargetKind::File => "a file, by fio",
        TargetKind::Directory => "a directory, by fio and files",
        TargetKind::BlockDevice => "a block device, by fio",
    };
    let durations = match review.duration_scale {
        1.0 => "the edition's".to_owned(),
        scale => format!("SHORTENED OR STRETCHED: × {scale}"),
    };
    let complete = match review.complete {
        true => "whole",
        false => "INCOMPLETE",
    };
    [
        ("measured", kind.to_owned()),
        ("edition", review.edition.clone()),
        ("durations", durations),
        ("review", complete.to_owned()),
        ("bytes under test", review.target.capacity_bytes.to_string()),
        ("seed", review.seed.to_string()),
    ]
    .map(|(name, value)| Condition {
        name: name.to_owned(),
        value,
    })
    .to_vec()
}

/// The key figures (see [`key_figures`]) that any side has, in the order in which they come.
pub fn key_rows(sides: &[Side<'_>]) -> Vec<Row> {
    rows(sides, |review| key_figures(&review.tests))
}

/// Every measured point, by its load.
pub fn point_rows(sides: &[Side<'_>]) -> Vec<Row> {
    rows(sides, |review| {
        let tests = review.tests.iter();
        tests
            .flat_map(|test| {
                let points = points_of(test);
                let metric = Metric::of(points);
                points
                    .iter()
                    .map(move |point| figure(&test.id, metric, point))
            })
            .collect()
    })
}

fn figure(test_id: &str, metric: Metric, point: &Point) -> KeyFigure {
    let (value, unit) = metric.value(point);
    KeyFigure {
        test_id: test_id.to_owned(),
        // All of the load: what varies in one review may not in another.
        name: Load::of(point).in_full(),
        value,
        unit,
    }
}

fn rows(sides: &[Side<'_>], figures: impl Fn(&Review) -> Vec<KeyFigure>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (nth, side) in sides.iter().enumerate() {
        for figure in figures(side.review) {
            let same = |row: &Row| {
                (&row.test_id, &row.name, row.unit) == (&figure.test_id, &figure.name, figure.unit)
            };
            let at = rows.iter().position(same).unwrap_or_else(|| {
                rows.push(Row {
                    test_id: figure.test_id.clone(),
                    name: figure.name.clone(),
                    unit: figure.unit,
                    values: vec![None; sides.len()],
                });
                rows.len() - 1
            });
            rows[at].values[nth] = Some(figure.value);
        }
    }
    rows
}
