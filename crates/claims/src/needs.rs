//! The measurements that findings need: of which drives, by which edition, which tests and
//! points, and how long.

use std::collections::{BTreeMap, BTreeSet};

use stend_analysis::Load;
use stend_analysis::claims::{
    Aggregate, Article, CurveMetric, Drives, Figure, Measured, Of, Select, Span,
};
use stend_drive::Model;
use stend_method::edition::{ContinuationStep, TestKind};
use stend_method::{Edition, Ending};
use stend_record::review::{TargetInfo, TestResult};

use crate::article::CheckedArticle;
use crate::error::ClaimsError;

/// What findings need to know of a drive by an edition.
pub struct Measurement<'a> {
    pub(crate) model: Model,
    pub(crate) edition: &'a Edition,
    /// File of an article, and what the drive is called in it.
    names: Vec<(String, String)>,
    /// By test: which of its points; of a test without points, anything.
    wanted: BTreeMap<String, Vec<Select>>,
    /// How much of each curve is needed, by test and name.
    pub(crate) endings: BTreeMap<(String, String), Ending>,
}

/// What is known of a drive by an edition.
pub struct MeasuredDrive {
    pub(crate) target: TargetInfo,
    pub(crate) tests: Vec<TestResult>,
    pub(crate) failed: Vec<String>,
}

impl MeasuredDrive {
    /// What could not be measured, and why.
    pub fn failed(&self) -> &[String] {
        &self.failed
    }
}

impl Measurement<'_> {
    /// Adds what a figure needs.
    fn add(&mut self, figure: &Figure) {
        let selects = self.wanted.entry(figure.test.clone()).or_default();
        match &figure.of {
            Of::Points { select, .. } => selects.push(*select),
            Of::Curve {
                name, metric, span, ..
            } => {
                let key = (figure.test.clone(), name.clone());
                let most = self.endings.entry(key).or_insert(Ending::Begun);
                *most = ending(*metric, span).max(*most);
            }
            _ => {}
        }
    }

    /// Whether a point of a test is needed.
    pub(crate) fn wants(&self, test: &str, load: &Load) -> bool {
        let selects = self.wanted.get(test);
        selects.is_some_and(|selects| selects.iter().any(|select| select.takes(load)))
    }

    /// How much is needed of a test's points, or of one of its curves. Recovery is relative to
    /// where the first curve of its test ends: that one is measured until it has settled.
    pub(crate) fn ending(&self, test: &str, curve: Option<&str>) -> Ending {
        let Some(curve) = curve else {
            return Ending::Settled;
        };
        let key = (test.to_owned(), curve.to_owned());
        let needed = self.endings.get(&key).copied().unwrap_or(Ending::Begun);
        match continued_curve(self.edition, test) == Some(curve) {
            true => needed.max(Ending::Settled),
            false => needed,
        }
    }

    /// The tests of which something that is needed is missing among those there are.
    pub(crate) fn missing(&self, known: &[TestResult]) -> Vec<String> {
        let lacks = |id: &&String| {
            let Some(there) = known.iter().find(|test| test.id == **id) else {
                return true;
            };
            loads(self.edition, id)
                .iter()
                .any(|load| self.wants(id, load) && !has(there, load))
        };
        self.wanted.keys().filter(lacks).cloned().collect()
    }
}

/// Whether a test has this point.
pub(crate) fn has(test: &TestResult, load: &Load) -> bool {
    let mut points = test.points.iter().flatten();
    points.any(|point| Load::of(point) == *load)
}

/// The points of a test of an edition.
pub(crate) fn loads(edition: &Edition, id: &str) -> Vec<Load> {
    match edition
        .tests
        .iter()
        .find(|test| test.id == id)
        .map(|test| &test.kind)
    {
        Some(TestKind::Sweeps(sweeps)) => {
            let loads = sweeps.iter().flat_map(|sweep| &sweep.loads);
            loads.map(Load::without_region).collect()
        }
        _ => Vec::new(),
    }
}

/// The drives that the articles' checks look at, by the names that they use.
pub fn named_drives(articles: &[CheckedArticle]) -> BTreeSet<&str> {
    let needs = articles.iter().flat_map(|one| one.article().needs());
    needs.map(|(drive, _)| drive).collect()
}

/// What the articles' checks need, each drive once for an edition; `only` these drives, if it
/// names any.
///
/// # Errors
/// [`ClaimsError::Input`] for a drive that does not exist, [`ClaimsError::File`] for a wrong one.
pub fn measurements<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
) -> Result<Vec<Measurement<'a>>, ClaimsError> {
    let mut all: Vec<Measurement<'a>> = Vec::new();
    for article in articles {
        for (drive, figures) in article.article().needs() {
            if only.is_some_and(|only| !only.iter().any(|name| name == drive)) {
                continue;
            }
            let index = find_or_add(&mut all, article, article.model(drive)?);
            all[index]
                .names
                .push((article.file().to_owned(), drive.to_owned()));
            for figure in figures {
                all[index].add(&article.article().figures[figure]);
            }
        }
    }
    Ok(all)
}

/// Index of what is measured of a drive by an article's edition.
fn find_or_add<'a>(
    all: &mut Vec<Measurement<'a>>,
    article: &'a CheckedArticle,
    model: Model,
) -> usize {
    let edition = article.edition();
    let same = |other: &Measurement<'_>| {
        other.edition.sha256 == edition.sha256 && other.model.text == model.text
    };
    all.iter().position(same).unwrap_or_else(|| {
        all.push(Measurement {
            model,
            edition,
            names: Vec::new(),
            wanted: BTreeMap::new(),
            endings: BTreeMap::new(),
        });
        all.len() - 1
    })
}

/// The measured drives of an article by the names that it uses; `measured` has those of
/// `measurements`, in their order.
pub fn measured_drives<'m>(
    article: &CheckedArticle,
    measurements: &[Measurement<'_>],
    measured: &'m [MeasuredDrive],
) -> Drives<'m> {
    let mut drives = Drives::new();
    for (measurement, measured) in measurements.iter().zip(measured) {
        if measurement.edition.sha256 != article.edition().sha256 {
            continue;
        }
        let names = measurement.names.iter();
        for (_, name) in names.filter(|(file, _)| file == article.file()) {
            let measured = Measured {
                target: &measured.target,
                tests: &measured.tests,
            };
            drives.insert(name.clone(), measured);
        }
    }
    drives
}

/// How much of a curve a figure needs.
fn ending(metric: CurveMetric, span: &Span) -> Ending {
    match metric {
        // An early end might cut a part of it off.
        _ if *span != Span::default() => Ending::Whole,
        CurveMetric::WrittenBytes => Ending::Whole,
        CurveMetric::StartIops => Ending::Begun,
        CurveMetric::FastBytes | CurveMetric::FastCapacities => Ending::Fallen,
        _ => Ending::Settled,
    }
}

/// The name of the curve after which a test goes on; `None` of a test that does not.
fn continued_curve<'e>(edition: &'e Edition, id: &str) -> Option<&'e str> {
    let test = edition.tests.iter().find(|test| test.id == id)?;
    let TestKind::Continue(next) = &test.kind else {
        return None;
    };
    match &edition.tests[next.after].kind {
        TestKind::Curve(curve) => Some(&curve.name),
        _ => None,
    }
}

/// Refuses figures that the edition cannot show.
pub(crate) fn check(article: &Article, edition: &Edition, file: &str) -> Result<(), ClaimsError> {
    for (name, figure) in &article.figures {
        if let Err(problem) = fits(figure, edition) {
            return Err(ClaimsError::Input(format!(
                "{file}:{}: figure `{name}`: {problem}",
                figure.line
            )));
        }
    }
    Ok(())
}

fn fits(figure: &Figure, edition: &Edition) -> Result<(), String> {
    let Some(test) = edition.tests.iter().find(|test| test.id == figure.test) else {
        let ids: Vec<&str> = edition.tests.iter().map(|test| test.id.as_str()).collect();
        return Err(format!(
            "edition {} has no test `{}`; it has: {}",
            edition.id,
            figure.test,
            ids.join(", ")
        ));
    };
    let one_of = |name: &str, names: &[String]| match names.iter().any(|n| n == name) {
        true => Ok(()),
        false => Err(format!(
            "test `{}` has no `{name}`; it has: {}",
            figure.test,
            names.join(", ")
        )),
    };
    match (&figure.of, &test.kind) {
        (Of::Points { select, over, .. }, TestKind::Sweeps(_)) => {
            let loads = loads(edition, &figure.test);
            let taken = loads.iter().filter(|load| select.takes(load)).count();
            match (taken, over) {
                (0, _) => Err(format!(
                    "no point of test `{}` is one of these",
                    figure.test
                )),
                (2.., Aggregate::Only) => Err(format!(
                    "{taken} points of test `{}` are of these; say more, or how they become one \
                    number (`over`)",
                    figure.test
                )),
                _ => Ok(()),
            }
        }
        (Of::Curve { name, .. }, TestKind::Curve(curve)) => {
            one_of(name, std::slice::from_ref(&curve.name))
        }
        (Of::Curve { name, .. }, TestKind::Continue(next)) => {
            let mut names = Vec::new();
            if let TestKind::Curve(curve) = &edition.tests[next.after].kind {
                names.push(curve.name.clone());
            }
            names.extend(next.steps.iter().filter_map(|step| match step {
                ContinuationStep::Measure { name, .. } => Some(name.clone()),
                ContinuationStep::Do(_) => None,
            }));
            one_of(name, &names)
        }
        (Of::Response { name, .. }, TestKind::Response(_)) => {
            one_of(name, &["without TRIM".to_owned(), "with TRIM".to_owned()])
        }
        (Of::Benchmark { row, .. }, TestKind::Benchmark(benchmark)) => {
            let rows = benchmark.profile.rows.iter().map(|row| row.name.clone());
            one_of(row, &rows.collect::<Vec<String>>())
        }
        (Of::Traces { trace: None }, TestKind::Traces(_)) => Ok(()),
        (Of::Traces { trace: Some(name) }, TestKind::Traces(traces)) => {
            let names = traces.entries.iter().map(|entry| entry.name.clone());
            one_of(name, &names.collect::<Vec<String>>())
        }
        (Of::Files { set: Some(set), .. }, TestKind::Files(files)) => one_of(set, &files.sets),
        (Of::Files { set: None, over }, TestKind::Files(files)) => {
            match files.sets.len() > 1 && *over == Aggregate::Only {
                true => Err(
                    "there are several sets: say which, or how they become one number (`over`)"
                        .to_owned(),
                ),
                false => Ok(()),
            }
        }
        _ => Err(format!("test `{}` has no figure of this kind", figure.test)),
    }
}
