//! Compares several reviews: the conditions in which they differ, and their figures.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use stend_language::{Arg, Text, recorded};
use stend_record::figure::FigureId;
use stend_record::model::figure_text;
use stend_record::review::{
    Condition, ModelChange, ModelInfo, Point, Review, Rival, TargetKind, TestResult,
};

use crate::figures::{Interval, KeyFigure, Metric, Standing, Unit};
use crate::kinds::{figure_name, key_figures};
use crate::load::in_full;

/// Facts of a target that are conditions rather than identity.
const FACTS_COMPARED: [&str; 4] = ["firmware", "scheduler", "link", "history-of-the-drive"];

/// Facts of the environment that identify the drive and so are not conditions.
const WHICH_DRIVE: [&str; 7] = [
    "device",
    "model",
    "serial-number",
    "backing-file",
    "device-size-bytes",
    "file",
    "directory",
];

/// Measured conditions, which always differ a little, with the difference allowed, in the unit of
/// their number.
const ALLOWED: [(&str, f64); 3] = [(BEFORE, 5.0), (HIGHEST, 5.0), (IN_USE, 5.0)];

/// Least ratio of two host limits. The limits are measured too: if one is less than this share of
/// the other, its host was slower or busier.
const HOST_LIMIT_SHARE: f64 = 0.9;
const HOST_LIMIT: &str = "host-limit";

/// Only a repeated review states this condition; a review without it was made once.
const REPETITIONS: &str = "repetitions";

/// Used share of the file system, percent.
const IN_USE: &str = "file-system-in-use";

/// Ids of the temperatures.
const BEFORE: &str = "temperature-before-the-tests";
const HIGHEST: &str = "highest-temperature-under-the-curves";

/// A review with further facts about its making.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The review.
    pub review: &'a Review,
    /// Further facts, such as the version of the program.
    pub facts: &'a [Condition],
}

/// A condition that differs between the sides. As JSON it is in English.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Unlike {
    /// Name of the condition.
    #[serde(serialize_with = "name_in_english")]
    pub name: Text,
    /// Value on each side; `None` if unknown.
    #[serde(serialize_with = "values_in_english")]
    pub values: Vec<Option<Text>>,
}

fn name_in_english<S: Serializer>(name: &Text, to: S) -> Result<S::Ok, S::Error> {
    name.in_english().serialize(to)
}

fn values_in_english<S: Serializer>(values: &[Option<Text>], to: S) -> Result<S::Ok, S::Error> {
    let words = values
        .iter()
        .map(|value| value.as_ref().map(Text::in_english));
    to.collect_seq(words)
}

/// A condition of a side.
struct Stated {
    condition: Condition,
    /// Figure of a measured condition.
    number: Option<f64>,
}

impl From<Condition> for Stated {
    fn from(condition: Condition) -> Stated {
        let number = match condition.id.as_ref() {
            IN_USE => count(&condition.value, "share").or_else(|| in_words(&condition.value, " %")),
            HOST_LIMIT => host_iops(&condition.value),
            _ => None,
        };
        Stated { condition, number }
    }
}

fn count(text: &Text, name: &str) -> Option<f64> {
    Some(text.arg(name)?.count()? as f64)
}

/// The first limit of a host, IOPS.
fn host_iops(limits: &Text) -> Option<f64> {
    let Some(limits) = limits.arg("limits").and_then(Arg::text) else {
        return in_words(limits, " IOPS");
    };
    let first = limits.items().first()?;
    // With the time that other work took.
    let limit = first.arg("limit").and_then(Arg::text);
    count(limit.unwrap_or(first), "iops")
}

/// The number before a unit in words, as earlier versions stored them.
fn in_words(text: &Text, unit: &str) -> Option<f64> {
    let Text::Words(words) = text else {
        return None;
    };
    let (before, _) = words.split_once(unit)?;
    before.rsplit(' ').next()?.parse().ok()
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
pub fn by_whom(unlike: &[Unlike]) -> (Vec<&Unlike>, Vec<String>) {
    let (of_all, of_some): (Vec<&Unlike>, Vec<&Unlike>) = unlike
        .iter()
        .partition(|row| row.values.iter().all(Option::is_some));
    let names = of_some.iter().map(|row| row.name.to_string());
    (of_all, names.collect())
}

/// Formats the values of all sides.
pub fn told(values: &[Option<Text>]) -> Vec<String> {
    let unknown = || recorded!("value-not-known");
    let words = |value: &Option<Text>| value.clone().unwrap_or_else(unknown).to_string();
    values.iter().map(words).collect()
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
    let of_side: Vec<Vec<Stated>> = sides.iter().map(stated).collect();
    let mut seen: Vec<&Condition> = Vec::new();
    for stated in of_side.iter().flatten() {
        if !seen
            .iter()
            .any(|earlier| earlier.is_like(&stated.condition))
        {
            seen.push(&stated.condition);
        }
    }
    let row = |of: &&Condition| {
        let found = |all: &Vec<Stated>| all.iter().position(|s| s.condition.is_like(of));
        let at: Vec<Option<&Stated>> = of_side.iter().map(|all| Some(&all[found(all)?])).collect();
        (!alike(&of.id, &at)).then(|| Unlike {
            name: of.name(),
            values: at
                .iter()
                .map(|s| Some(s.as_ref()?.condition.value.clone()))
                .collect(),
        })
    };
    seen.iter().filter_map(row).collect()
}

/// Returns the conditions of a side.
fn stated(side: &Side<'_>) -> Vec<Stated> {
    let review = side.review;
    let facts = review.target.facts.iter();
    let facts = facts.filter(|fact| FACTS_COMPARED.contains(&fact.id.as_ref()));
    let of_method = review.conditions.iter();
    let of_method = of_method.filter(|condition| condition.id != REPETITIONS);
    let place = review.environment.iter();
    let place = place.filter(|fact| !WHICH_DRIVE.contains(&fact.id.as_ref()));
    let mut all: Vec<Stated> = head(review).into_iter().map(Stated::from).collect();
    all.extend(facts.cloned().map(Stated::from));
    all.extend(temperatures(review));
    all.extend(
        of_method
            .chain(place)
            .chain(side.facts)
            .cloned()
            .map(Stated::from),
    );
    all
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
            let text = value.as_ref().map(|value| figure_text(&change.key, value));
            Some(text.unwrap_or_else(|| recorded!("value-none")))
        };
        Unlike {
            name: change.name.as_str().into(),
            values: models.iter().map(value).collect(),
        }
    };
    let differs = |row: &Unlike| row.values.iter().any(|value| *value != row.values[0]);
    changes.map(row).filter(differs).collect()
}

/// True if a condition is the same on all sides, within the allowed difference.
fn alike(id: &str, sides: &[Option<&Stated>]) -> bool {
    let numbers = || -> Option<[f64; 2]> {
        let of = |side: &Option<&Stated>| side.and_then(|stated| stated.number);
        let numbers: Option<Vec<f64>> = sides.iter().map(of).collect();
        let numbers = numbers?;
        let least = numbers.iter().copied().reduce(f64::min)?;
        Some([least, numbers.iter().copied().reduce(f64::max)?])
    };
    let allowed = ALLOWED.iter().find(|(name, _)| *name == id);
    let near = match allowed {
        Some((_, allowed)) => numbers().map(|[least, most]| most - least <= *allowed),
        None if id == HOST_LIMIT => numbers().map(|[least, most]| least >= HOST_LIMIT_SHARE * most),
        None => None,
    };
    // Earlier versions stored words, so that words are compared.
    let words = |side: &Option<&Stated>| side.map(|stated| stated.condition.value.in_english());
    near.unwrap_or_else(|| sides.iter().all(|side| words(side) == words(&sides[0])))
}

/// Returns the drive's recorded temperatures.
fn temperatures(review: &Review) -> impl Iterator<Item = Stated> {
    let before = review.smart.as_ref().and_then(|smart| {
        let celsius = smart.before.as_ref()?.health.temperature_c?;
        Some((BEFORE, celsius as f64))
    });
    let curves = review.tests.iter().flat_map(TestResult::curves);
    let samples = curves.flat_map(|series| &series.temperatures);
    let highest = samples.map(|sample| sample.celsius).reduce(f64::max);
    let highest = highest.map(|celsius| (HIGHEST, celsius));
    let found = before.into_iter().chain(highest);
    found.map(|(id, celsius)| Stated {
        condition: Condition::new(id, format!("{celsius:.0} °C")),
        number: Some(celsius),
    })
}

fn head(review: &Review) -> [Condition; 7] {
    let kind = match review.target.kind {
        TargetKind::Simulated => recorded!("value-simulated"),
        TargetKind::File => recorded!("value-file"),
        TargetKind::Directory => recorded!("value-directory"),
        TargetKind::BlockDevice => recorded!("value-block-device"),
    };
    let durations = match review.duration_scale {
        1.0 => recorded!("value-edition-durations"),
        scale => recorded!("value-scaled-durations", scale = scale.to_string()),
    };
    let complete = match review.complete {
        true => recorded!("value-whole"),
        false => recorded!("value-incomplete"),
    };
    [
        ("measured", kind),
        ("edition", review.edition.as_str().into()),
        ("durations", durations),
        ("review", complete),
        (
            "bytes-under-test",
            review.target.capacity_bytes.to_string().into(),
        ),
        ("seed", review.seed.to_string().into()),
        (REPETITIONS, review.repeat.max(1).to_string().into()),
    ]
    .map(|(id, value)| Condition::new(id, value))
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

    type Facts<'f> = &'f [(&'static str, &'f str)];

    fn review(celsius: Option<i64>, facts: Facts<'_>, place: Facts<'_>) -> Review {
        let conditions = |list: Facts<'_>| {
            let conditions = list.iter().map(|(id, value)| Condition::new(*id, *value));
            conditions.collect()
        };
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
        unlike(&sides)
            .into_iter()
            .map(|row| row.name.in_english())
            .collect()
    }

    #[test]
    fn temperatures_may_differ_a_little() {
        let at = |celsius| review(celsius, &[], &[]);
        assert_eq!(names(&at(Some(30)), &at(Some(35))), [""; 0]);
        assert_eq!(
            names(&at(Some(30)), &at(Some(36))),
            ["temperature before the tests"]
        );
        assert_eq!(
            names(&at(None), &at(Some(30))),
            ["temperature before the tests"]
        );
    }

    #[test]
    fn how_full_the_file_system_and_what_the_drive_went_through_are_conditions() {
        let filled = |share: u64, size: &str| {
            let value = recorded!("place-value-filled", share = share, size = size);
            let mut review = review(None, &[], &[]);
            review.environment.push(Condition::new(IN_USE, value));
            review
        };
        let half = filled(50, "100.0 GB");
        assert_eq!(names(&half, &filled(54, "90.0 GB")), [""; 0]);
        assert_eq!(
            names(&half, &filled(56, "100.0 GB")),
            ["file system in use"]
        );
        let before = |words| review(None, &[], &[(IN_USE, words)]);
        assert_eq!(names(&half, &before("54 % of 90.0 GB")), [""; 0]);
        assert_eq!(names(&half, &before("56 % of 90.0 GB")).len(), 1);
        let history = |hash| review(None, &[("history-of-the-drive", hash)], &[]);
        assert_eq!(
            names(&history("1"), &history("2")),
            ["history of the drive"]
        );
    }

    #[test]
    fn a_machine_that_was_slower_is_a_condition() {
        let limit = |iops| {
            let small = recorded!(
                "host-limit",
                kib = 4_u32,
                depth = 32_u32,
                threads = 1_u32,
                iops = iops,
                speed = "2.0"
            );
            let busy = recorded!("host-limit-busy", limit = small.clone(), share = "3");
            let first = if iops % 2 == 0 { small } else { busy };
            let limits = Text::list("; ", [first, "128 KiB …".into()]);
            let mut review = review(None, &[], &[]);
            let value = recorded!("value-host-limit", limits = limits);
            review.environment.push(Condition::new(HOST_LIMIT, value));
            review
        };
        assert_eq!(names(&limit(1000_u64), &limit(900)), [""; 0]);
        assert_eq!(names(&limit(1000_u64), &limit(899)), ["host limit"]);
        let missing = review(None, &[], &[(HOST_LIMIT, "not measured: no engine")]);
        assert_eq!(names(&limit(1000_u64), &missing), ["host limit"]);
        let before = "4 KiB, queue depth 32 × 1: 950 IOPS, 2.0 MB/s; 128 KiB …";
        let before = review(None, &[], &[(HOST_LIMIT, before)]);
        assert_eq!(names(&limit(1000_u64), &before), [""; 0]);
    }

    #[test]
    fn what_was_made_once_says_no_repetitions() {
        let of = |repeat: u32| Review {
            repeat,
            conditions: match repeat {
                0 => Vec::new(),
                _ => vec![Condition::new(
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
        let values = ["1", "3"].map(|value| Some(value.into())).to_vec();
        let name = Text::named("condition", REPETITIONS);
        assert_eq!(differing, [Unlike { name, values }]);
        assert!(by_whom(&differing).1.is_empty());
    }

    #[test]
    fn which_drive_it_was_is_no_condition() {
        let drive = |name: &'static str, kernel: &'static str| {
            let firmware = &[("serial-number", name), ("firmware", name)];
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
