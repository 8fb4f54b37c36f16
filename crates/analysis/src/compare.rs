//! Compares several reviews: the conditions in which they differ, and their figures.

use std::collections::BTreeSet;

use stend_record::figure::FigureId;
use stend_record::model::figure_words;
use stend_record::review::{
    Condition, ModelChange, ModelInfo, Point, Review, Rival, TargetKind, TestResult,
};

use crate::figures::{Interval, KeyFigure, Metric, Standing, Unit};
use crate::kinds::{figure_name, key_figures};
use crate::load::in_full;

/// Facts of a target that are conditions rather than identity.
const FACTS_COMPARED: [&str; 4] = ["firmware", "scheduler", "link", "history of the drive"];

/// Facts of the environment that identify the drive and so are not conditions.
const WHICH_DRIVE: [&str; 7] = [
    "device",
    "model",
    "serial number",
    "backing file",
    "device size (bytes)",
    "file",
    "directory",
];

/// Measured conditions, which always differ a little, with the difference allowed, in the unit of
/// the number that the text begins with.
const ALLOWED: [(&str, f64); 3] = [(BEFORE, 5.0), (HIGHEST, 5.0), ("file system in use", 5.0)];

/// Least ratio of two host limits. The limits are measured too: if one is less than this share of
/// the other, its host was slower or busier.
const HOST_LIMIT_SHARE: f64 = 0.9;
const HOST_LIMIT: &str = "host limit";

/// Only a repeated review states this condition; a review without it was made once.
const REPETITIONS: &str = "repetitions";

/// Names of the temperatures.
const BEFORE: &str = "temperature before the tests";
const HIGHEST: &str = "highest temperature under the curves";

/// A review with further facts about its making.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The review.
    pub review: &'a Review,
    /// Further facts, such as the version of the program.
    pub facts: &'a [Condition],
}

/// A condition that differs between the sides.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Unlike {
    /// Name of the condition.
    pub name: String,
    /// Value on each side; `None` if unknown.
    pub values: Vec<Option<String>>,
}

/// Merges reviews for one page: the first review with the others as its rivals; `None` if there is
/// none. A review's own rivals are kept only if it is the only one.
pub fn together(reviews: &[&Review]) -> Option<Review> {
    let (first, others) = reviews.split_first()?;
    let mut review = (*first).clone();
    if !others.is_empty() {
        review.rivals.clear();
    }
    let others = others.iter().map(|&other| Rival::from(other.clone()));
    review.rivals.extend(others);
    Some(review)
}

/// Splits rows into those known on all sides and the names of the others (simulated drives have no
/// kernel).
pub fn by_whom(unlike: &[Unlike]) -> (Vec<&Unlike>, Vec<&str>) {
    let (of_all, of_some): (Vec<&Unlike>, Vec<&Unlike>) = unlike
        .iter()
        .partition(|row| row.values.iter().all(Option::is_some));
    let names = of_some.iter().map(|row| row.name.as_str());
    (of_all, names.collect())
}

/// Formats the values of all sides.
pub fn told(values: &[Option<String>]) -> Vec<&str> {
    values
        .iter()
        .map(|value| value.as_deref().unwrap_or("not known"))
        .collect()
}

/// A figure of each side.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Id of the test.
    pub test_id: String,
    /// Identity of the figure within the test.
    pub figure: FigureId,
    /// Unit of the values.
    pub unit: Unit,
    /// Value on each side; `None` if a side has no such figure.
    pub values: Vec<Option<f64>>,
    /// Half the width of the 95 % interval on each side; `None` if the test was not repeated.
    pub half_widths: Vec<Option<f64>>,
}

impl Row {
    /// True if the figure of a side is level with the first side's; `None` without both.
    pub fn is_level(&self, side: usize) -> Option<bool> {
        let of = |at: usize| Some(((*self.values.get(at)?)?, self.half_widths[at]));
        Some(Standing::sure(of(side)?, of(0)?) == Standing::Level)
    }

    /// Returns each figure as a multiple of the first side's; `None` without both.
    pub fn ratios(&self) -> Vec<Option<f64>> {
        let first = self.values.first().copied().flatten();
        let of_first = |value: &Option<f64>| match (first, value) {
            (Some(first), Some(value)) if first > 0.0 => Some(value / first),
            _ => None,
        };
        self.values.iter().map(of_first).collect()
    }
}

/// Returns the conditions that differ: method of measurement, edition, durations, size under test,
/// temperatures, then every condition of method and environment that any side states. The drive's
/// identity is not a condition, and measured conditions may differ a little.
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
        all.extend(temperatures(side.review));
        let of_method = side.review.conditions.iter();
        all.extend(of_method.filter(|c| c.name != REPETITIONS).cloned());
        let place = side.review.environment.iter();
        all.extend(
            place
                .filter(|fact| !WHICH_DRIVE.contains(&fact.name.as_str()))
                .cloned(),
        );
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
        .filter(|row| !alike(row))
        .collect()
}

/// Returns the figures in which models of one origin differ, in their order of appearance: the key,
/// and each side's value with its unit. Empty if one side is not a model or has another origin.
pub fn unlike_models(sides: &[Side<'_>]) -> Vec<Unlike> {
    let models = sides.iter().map(|side| side.review.target.model.as_ref());
    let Some(models) = models.collect::<Option<Vec<&ModelInfo>>>() else {
        return Vec::new();
    };
    // Variants of a model without a shipped origin share its title.
    let origin = |model: &&ModelInfo| match &model.shipped {
        Some(shipped) => (true, shipped.clone()),
        None => (false, model.title.clone()),
    };
    let origins: BTreeSet<(bool, String)> = models.iter().map(origin).collect();
    if origins.len() != 1 {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let changes = models.iter().flat_map(|model| &model.changes);
    let changes = changes.filter(|change| seen.insert(change.key.as_str()));
    let row = |change: &ModelChange| {
        let value = |model: &&ModelInfo| {
            let own = model.changes.iter().find(|other| other.key == change.key);
            let value = own.map_or(&change.shipped, |own| &own.value);
            let words = value.as_ref().map(|value| figure_words(&change.key, value));
            Some(words.unwrap_or_else(|| "none".to_owned()))
        };
        Unlike {
            name: change.name.clone(),
            values: models.iter().map(value).collect(),
        }
    };
    changes.map(row).filter(|row| !alike(row)).collect()
}

/// True if a condition is the same on all sides, within the allowed difference.
fn alike(row: &Unlike) -> bool {
    let numbers = |number: fn(&str) -> Option<f64>| -> Option<[f64; 2]> {
        let of = |value: &Option<String>| number(value.as_deref()?);
        let numbers: Option<Vec<f64>> = row.values.iter().map(of).collect();
        let numbers = numbers?;
        let least = numbers.iter().copied().reduce(f64::min)?;
        Some([least, numbers.iter().copied().reduce(f64::max)?])
    };
    let allowed = ALLOWED.iter().find(|(name, _)| *name == row.name);
    let near = match allowed {
        Some((_, allowed)) => numbers(first_number).map(|[least, most]| most - least <= *allowed),
        None if row.name == HOST_LIMIT => {
            numbers(host_iops).map(|[least, most]| least >= HOST_LIMIT_SHARE * most)
        }
        None => None,
    };
    near.unwrap_or_else(|| row.values.iter().all(|value| *value == row.values[0]))
}

/// Parses the number that a text begins with.
fn first_number(words: &str) -> Option<f64> {
    words.split(' ').next()?.parse().ok()
}

/// Parses the first limit of the host: `4 KiB, queue depth 32 × 1: 617559 IOPS, …`.
fn host_iops(words: &str) -> Option<f64> {
    let (before, _) = words.split_once(" IOPS")?;
    before.rsplit(' ').next()?.parse().ok()
}

/// Returns the drive's recorded temperatures.
fn temperatures(review: &Review) -> Vec<Condition> {
    let before = review.smart.as_ref().and_then(|smart| {
        let celsius = smart.before.as_ref()?.health.temperature_c?;
        Some((BEFORE, celsius as f64))
    });
    let curves = review.tests.iter().flat_map(TestResult::curves);
    let samples = curves.flat_map(|series| &series.temperatures);
    let highest = samples.map(|sample| sample.celsius).reduce(f64::max);
    let highest = highest.map(|celsius| (HIGHEST, celsius));
    let found = before.into_iter().chain(highest);
    found
        .map(|(name, celsius)| Condition {
            name: name.to_owned(),
            value: format!("{celsius:.0} °C"),
        })
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
        (REPETITIONS, review.repeat.max(1).to_string()),
    ]
    .map(|(name, value)| Condition {
        name: name.to_owned(),
        value,
    })
    .to_vec()
}

/// Returns the key figures (see [`key_figures`]) that any side has, in their order of appearance.
pub fn key_rows(sides: &[Side<'_>]) -> Vec<Row> {
    rows(sides, |review| key_figures(&review.tests))
}

/// Returns every measured point, by its load.
pub fn point_rows(sides: &[Side<'_>]) -> Vec<Row> {
    rows(sides, |review| {
        let tests = review.tests.iter();
        tests
            .flat_map(|test| {
                let points = test.points();
                let metric = Metric::of(points);
                points
                    .iter()
                    .map(move |point| figure(&test.id, metric, point))
            })
            .collect()
    })
}

/// A figure of one review with all that identifies it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatFigure {
    /// Id of the test.
    pub test_id: String,
    /// Load of a point; empty for a key figure, whose name identifies it.
    pub load: String,
    /// Name of the key figure, or `speed`, `latency, mean`, `latency, 99 %` … of a point.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit of the value.
    pub unit: Unit,
}

/// Returns all figures of a review: the key figures, then those of every point.
pub fn flat_figures(review: &Review) -> Vec<FlatFigure> {
    let key = key_figures(&review.tests).into_iter();
    let key = key.map(|figure| FlatFigure {
        test_id: figure.test_id,
        load: String::new(),
        name: figure_name(&figure.figure),
        value: figure.value,
        unit: figure.unit,
    });
    let tests = review.tests.iter();
    let points = tests.flat_map(|test| test.points().iter().map(|point| (&test.id, point)));
    let of_point = |(test_id, point): (&String, &Point)| {
        let latency = &point.latency_ns;
        [
            ("speed", point.iops, Unit::Iops),
            ("speed", point.bw_bytes_per_s, Unit::BytesPerS),
            ("latency, mean", latency.mean, Unit::Nanoseconds),
            ("latency, 50 %", latency.p50 as f64, Unit::Nanoseconds),
            ("latency, 99 %", latency.p99 as f64, Unit::Nanoseconds),
            ("latency, 99.9 %", latency.p99_9 as f64, Unit::Nanoseconds),
            ("latency, 99.99 %", latency.p99_99 as f64, Unit::Nanoseconds),
            (
                "latency, 99.999 %",
                latency.p99_999 as f64,
                Unit::Nanoseconds,
            ),
            ("latency, largest", latency.max as f64, Unit::Nanoseconds),
        ]
        .map(|(name, value, unit)| FlatFigure {
            test_id: test_id.clone(),
            load: in_full(point.load),
            name: name.to_owned(),
            value,
            unit,
        })
    };
    key.chain(points.flat_map(of_point)).collect()
}

fn figure(test_id: &str, metric: Metric, point: &Point) -> KeyFigure {
    let (value, unit) = metric.value(point);
    KeyFigure {
        test_id: test_id.to_owned(),
        // The full load: a parameter that is constant in one review may vary in another.
        figure: FigureId::Load(point.load),
        value,
        unit,
        half_width: Interval::of(&point.repeated_iops).map(|i| i.share() * value),
    }
}

fn rows(sides: &[Side<'_>], figures: impl Fn(&Review) -> Vec<KeyFigure>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (nth, side) in sides.iter().enumerate() {
        for figure in figures(side.review) {
            let same = |row: &Row| {
                (&row.test_id, &row.figure, row.unit)
                    == (&figure.test_id, &figure.figure, figure.unit)
            };
            let at = rows.iter().position(same).unwrap_or_else(|| {
                rows.push(Row {
                    test_id: figure.test_id.clone(),
                    figure: figure.figure.clone(),
                    unit: figure.unit,
                    values: vec![None; sides.len()],
                    half_widths: vec![None; sides.len()],
                });
                rows.len() - 1
            });
            rows[at].values[nth] = Some(figure.value);
            rows[at].half_widths[nth] = figure.half_width;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use stend_record::endurance::Health;
    use stend_record::load::Load;
    use stend_record::review::{Pattern, Results, TargetInfo};
    use stend_record::smart::{BeforeAfter, Reading};

    use super::*;

    fn condition(name: &str, value: &str) -> Condition {
        Condition {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    fn review(celsius: Option<i64>, facts: &[(&str, &str)], place: &[(&str, &str)]) -> Review {
        let conditions = |list: &[(&str, &str)]| list.iter().map(|c| condition(c.0, c.1)).collect();
        Review {
            target: TargetInfo {
                kind: TargetKind::BlockDevice,
                facts: conditions(facts),
                ..TargetInfo::default()
            },
            duration_scale: 1.0,
            environment: conditions(place),
            smart: celsius.map(|celsius| BeforeAfter {
                before: Some(Reading {
                    health: Health {
                        temperature_c: Some(celsius),
                        ..Health::default()
                    },
                    ..Reading::default()
                }),
                ..BeforeAfter::default()
            }),
            ..Review::default()
        }
    }

    /// Returns the names of the conditions that differ between two reviews.
    fn names(one: &Review, two: &Review) -> Vec<String> {
        let sides = [one, two].map(|review| Side { review, facts: &[] });
        unlike(&sides).into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn temperatures_may_differ_a_little() {
        let at = |celsius| review(celsius, &[], &[]);
        assert_eq!(names(&at(Some(30)), &at(Some(35))), [""; 0]);
        assert_eq!(names(&at(Some(30)), &at(Some(36))), [BEFORE]);
        assert_eq!(names(&at(None), &at(Some(30))), [BEFORE]);
    }

    #[test]
    fn how_full_the_file_system_and_what_the_drive_went_through_are_conditions() {
        let filled = |words| review(None, &[], &[("file system in use", words)]);
        let half = filled("50 % of 100.0 GB");
        assert_eq!(names(&half, &filled("54 % of 90.0 GB")), [""; 0]);
        assert_eq!(
            names(&half, &filled("56 % of 100.0 GB")),
            ["file system in use"]
        );
        let history = |hash| review(None, &[("history of the drive", hash)], &[]);
        assert_eq!(
            names(&history("1"), &history("2")),
            ["history of the drive"]
        );
    }

    #[test]
    fn a_machine_that_was_slower_is_a_condition() {
        let limit = |iops| {
            let words = format!("4 KiB, queue depth 32 × 1: {iops} IOPS, 2.0 MB/s; 128 KiB …");
            review(None, &[], &[("host limit", &words)])
        };
        assert_eq!(names(&limit(1000), &limit(900)), [""; 0]);
        assert_eq!(names(&limit(1000), &limit(899)), ["host limit"]);
        let missing = review(None, &[], &[("host limit", "not measured: no engine")]);
        assert_eq!(names(&limit(1000), &missing), ["host limit"]);
    }

    #[test]
    fn what_was_made_once_says_no_repetitions() {
        let of = |repeat: u32| Review {
            repeat,
            conditions: match repeat {
                0 => Vec::new(),
                _ => vec![condition(
                    REPETITIONS,
                    "3 of every test, with the seeds 1, 2, 3",
                )],
            },
            ..review(None, &[], &[])
        };
        let found = |one: &Review, two: &Review| {
            unlike(&[one, two].map(|review| Side { review, facts: &[] }))
        };
        assert_eq!(found(&of(3), &of(3)), []);
        let differing = found(&of(0), &of(3));
        let values = ["1", "3"].map(|value| Some(value.to_owned())).to_vec();
        let name = REPETITIONS.to_owned();
        assert_eq!(differing, [Unlike { name, values }]);
        assert!(by_whom(&differing).1.is_empty());
    }

    #[test]
    fn which_drive_it_was_is_no_condition() {
        let drive = |name: &str, kernel: &str| {
            let firmware = &[("serial number", name), ("firmware", name)];
            let place = WHICH_DRIVE.map(|fact| (fact, name));
            let place: Vec<(&str, &str)> = place.into_iter().chain([("kernel", kernel)]).collect();
            review(None, firmware, &place)
        };
        assert_eq!(
            names(&drive("A", "6.1"), &drive("B", "6.2")),
            ["firmware", "kernel"]
        );
    }

    #[test]
    fn rows_are_level_by_the_intervals_of_both_sides() {
        let side = |iops: &[f64]| {
            let point = Point {
                load: Load::read(Pattern::Random, 4096, 1),
                iops: iops.iter().sum::<f64>() / iops.len() as f64,
                repeated_iops: if iops.len() > 1 {
                    iops.to_vec()
                } else {
                    Vec::new()
                },
                ..Point::default()
            };
            let test = TestResult {
                results: Some(Results::Points(vec![point])),
                ..TestResult::default()
            };
            Review {
                tests: vec![test],
                ..review(None, &[], &[])
            }
        };
        let level = |one: &[f64], two: &[f64]| {
            let (one, two) = (side(one), side(two));
            let sides = [&one, &two].map(|review| Side { review, facts: &[] });
            point_rows(&sides)[0].is_level(1)
        };
        // 1 % apart: within 2 %, and within wide intervals, but not within narrow ones.
        assert_eq!(level(&[100.0], &[101.0]), Some(true));
        assert_eq!(
            level(&[99.9, 100.1, 100.0], &[101.0, 101.1, 100.9]),
            Some(false)
        );
        assert_eq!(
            level(&[99.0, 101.0, 100.0], &[101.0, 102.0, 100.0]),
            Some(true)
        );
        // 5 % apart: not within 2 %, but within wide intervals.
        assert_eq!(level(&[100.0], &[105.0]), Some(false));
        assert_eq!(level(&[95.0, 105.0], &[100.0, 110.0]), Some(true));
        assert_eq!(
            level(&[100.0, 100.0], &[105.0]),
            Some(false),
            "one side alone"
        );
    }
}
