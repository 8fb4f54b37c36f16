//! Compares several reviews: the conditions in which they differ, and their figures.

use std::collections::BTreeSet;

use stend_record::review::{Condition, Point, Review, Rival, TargetKind};

use crate::figures::{KeyFigure, Metric, Unit};
use crate::kinds::key_figures;
use crate::load::{in_full, points_of};

/// Facts of a target that are conditions, not only its identity.
const FACTS_COMPARED: [&str; 4] = ["firmware", "scheduler", "link", "history of the drive"];

/// Facts of the environment that identify the drive, and so are no conditions.
const WHICH_DRIVE: [&str; 7] = [
    "device",
    "model",
    "serial number",
    "backing file",
    "device size (bytes)",
    "file",
    "directory",
];

/// Measured conditions, which always differ a little: by how much they may, in the unit of the
/// number that the text begins with.
const ALLOWED: [(&str, f64); 3] = [(BEFORE, 5.0), (HIGHEST, 5.0), ("file system in use", 5.0)];

/// What the host does without a drive is measured too: below this share of the other's figure, one
/// host was slower or busier.
const HOST_LIMIT_SHARE: f64 = 0.9;
const HOST_LIMIT: &str = "host limit";

/// Names of temperatures.
const BEFORE: &str = "temperature before the tests";
const HIGHEST: &str = "highest temperature under the curves";

/// A review, and further facts about how it was made.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The review.
    pub review: &'a Review,
    /// Further facts, such as the version of the program.
    pub facts: &'a [Condition],
}

/// A condition that was not the same for all.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Unlike {
    /// Which.
    pub name: String,
    /// What it was on each side; `None` where that is unknown.
    pub values: Vec<Option<String>>,
}

/// The first review with the others, and their rivals, as its rivals: what one page shows of them;
/// `None` of none.
pub fn together(reviews: &[&Review]) -> Option<Review> {
    let (first, others) = reviews.split_first()?;
    let mut review = (*first).clone();
    for other in others {
        review.rivals.push(Rival {
            target: other.target.clone(),
            tests: other.tests.clone(),
            unfinished: other.unfinished.clone(),
        });
        review.rivals.extend(other.rivals.iter().cloned());
    }
    Some(review)
}

/// What is unlike, as a finding that stands before all others: its title and its text. `None` where
/// everything is the same.
pub fn unlike_finding(unlike: &[Unlike]) -> Option<(String, String)> {
    if unlike.is_empty() {
        return None;
    }
    let (of_all, of_some) = by_whom(unlike);
    let mut text =
        "The drives were measured under different conditions, so differences may not be \
                    theirs."
            .to_owned();
    for row in of_all {
        text += &format!(" {}: {}.", row.name, told(&row.values).join(" against "));
    }
    if !of_some.is_empty() {
        text += &format!(" Not known of all of them: {}.", of_some.join(", "));
    }
    Some(("Differing conditions".to_owned(), text))
}

/// What is known of all sides, and the names of what is not: simulated drives have no kernel.
pub fn by_whom(unlike: &[Unlike]) -> (Vec<&Unlike>, Vec<&str>) {
    let (of_all, of_some): (Vec<&Unlike>, Vec<&Unlike>) = unlike
        .iter()
        .partition(|row| row.values.iter().all(Option::is_some));
    let names = of_some.iter().map(|row| row.name.as_str());
    (of_all, names.collect())
}

/// The values of all sides in words.
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
/// test, temperatures, then everything that either side states about method and environment. Which
/// drive it was is no condition, and what is measured of conditions may differ a little.
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
        all.extend(side.review.conditions.iter().cloned());
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

/// Whether a condition was the same for all, within what is allowed.
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

/// The number that words begin with.
fn first_number(words: &str) -> Option<f64> {
    words.split(' ').next()?.parse().ok()
}

/// The first limit of the machine: `4 KiB, queue depth 32 × 1: 617559 IOPS, …`.
fn host_iops(words: &str) -> Option<f64> {
    let (before, _) = words.split_once(" IOPS")?;
    before.rsplit(' ').next()?.parse().ok()
}

/// The temperatures of the drive that were read.
fn temperatures(review: &Review) -> Vec<Condition> {
    let before = review.smart.as_ref().and_then(|smart| {
        let celsius = smart.before.as_ref()?.health.temperature_c?;
        Some((BEFORE, celsius as f64))
    });
    let curves = review.tests.iter().filter_map(|test| test.series.as_ref());
    let samples = curves.flatten().flat_map(|series| &series.temperatures);
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
        name: in_full(point.load),
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

#[cfg(test)]
mod tests {
    use stend_record::endurance::Health;
    use stend_record::review::TargetInfo;
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

    /// Names of what was unlike in two reviews.
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
}
