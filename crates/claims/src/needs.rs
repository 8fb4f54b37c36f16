//! Measurements that findings need: drives, editions, tests, points, and durations.

use std::collections::{BTreeMap, BTreeSet};

use stend_analysis::Load;
use stend_analysis::claims::{
    CurveMetric, Drives, Figure, JudgedFinding, Measured, Of, OfCurve, OfPoints, judge,
};
use stend_method::edition::{ContinuationStep, TestKind};
use stend_method::{Edition, Ending};
use stend_model::Model;
use stend_record::review::{TargetInfo, TestResult};

use crate::article::CheckedArticle;
use crate::check::loads;
use crate::error::ClaimsError;

/// Needs of findings for a drive and an edition.
pub struct Measurement<'a> {
    pub(crate) model: Model,
    /// Label of a version that is not the drive's own model.
    pub(crate) version: Option<String>,
    pub(crate) edition: &'a Edition,
    /// Files of articles, and the drive's name in each.
    names: Vec<(String, String)>,
    /// Needed points by test; for a test without points, anything.
    wanted: BTreeMap<String, Vec<OfPoints>>,
    /// Needed share of each curve, by test and name.
    pub(crate) endings: BTreeMap<(String, String), Ending>,
}

/// Results for a drive and an edition.
pub struct MeasuredDrive {
    pub(crate) target: TargetInfo,
    pub(crate) tests: Vec<TestResult>,
    pub(crate) failed: Vec<String>,
}

impl MeasuredDrive {
    /// Converts results of a drive with 1/`by` of its capacity into results of the whole drive.
    pub(crate) fn scaled_back(mut self, by: u32) -> MeasuredDrive {
        if by > 1 {
            self.target.capacity_bytes *= u64::from(by);
            for test in &mut self.tests {
                // Only these have times and bytes that figures use.
                let curves = test.curves_mut().iter_mut();
                curves.for_each(|one| *one = std::mem::take(one).scaled_back(by));
                let responses = test.responses_mut().iter_mut();
                responses.for_each(|one| *one = std::mem::take(one).scaled_back(by));
            }
        }
        self
    }

    /// Failed measurements, with the reasons.
    pub fn failed(&self) -> &[String] {
        &self.failed
    }
}

impl Measurement<'_> {
    /// Drive and edition in words.
    pub(crate) fn name(&self) -> String {
        format!("{}, edition {}", self.model.name, self.edition.id)
    }

    /// Adds the needs of a figure.
    fn add(&mut self, figure: &Figure) {
        let selects = self.wanted.entry(figure.test.clone()).or_default();
        match &figure.of {
            Of::Points(points) => selects.push(*points),
            Of::Curve(curve) => {
                let key = (figure.test.clone(), curve.name.clone());
                let most = self.endings.entry(key).or_insert(Ending::Begun);
                *most = ending(curve).max(*most);
            }
            _ => {}
        }
    }

    /// True if a point of a test is needed.
    pub(crate) fn wants(&self, test: &str, load: &Load) -> bool {
        let selects = self.wanted.get(test);
        selects.is_some_and(|selects| selects.iter().any(|select| select.takes(load)))
    }

    /// Needed share of a test's points, or of one of its curves. A curve leaves the state in which
    /// the next one begins, and recovery is relative to the end of the first one. Therefore the
    /// first curve, and a curve followed by a needed one, are measured until they have settled.
    pub(crate) fn ending(&self, test: &str, curve: Option<&str>) -> Ending {
        let Some(curve) = curve else {
            return Ending::Settled;
        };
        let key = (test.to_owned(), curve.to_owned());
        let needed = self.endings.get(&key).copied().unwrap_or(Ending::Begun);
        let chain = curves_of_chain(self.edition, test);
        let mut later = chain.iter().skip_while(|name| **name != curve).skip(1);
        let is_needed = |name: &&str| {
            let key = (test.to_owned(), (*name).to_owned());
            self.endings.contains_key(&key)
        };
        let is_first = chain.first() == Some(&curve);
        match is_first || later.any(is_needed) {
            true => needed.max(Ending::Settled),
            false => needed,
        }
    }

    /// Tests that lack a needed result in `known`.
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

/// True if a test has this point.
pub(crate) fn has(test: &TestResult, load: &Load) -> bool {
    test.points().iter().any(|point| Load::of(point) == *load)
}

/// Drives in the checks of the articles, by the articles' names for them.
pub fn named_drives(articles: &[CheckedArticle]) -> BTreeSet<&str> {
    let needs = articles.iter().flat_map(|one| one.article().needs());
    needs.map(|(drive, _)| drive).collect()
}

/// Needs of the articles' checks, each drive once per edition; `only` limits them to these drives.
///
/// # Errors
/// [`ClaimsError::Input`] for an unknown drive, [`ClaimsError::File`] for a wrong one.
pub fn measurements<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
) -> Result<Vec<Measurement<'a>>, ClaimsError> {
    measurements_of(articles, only, &CheckedArticle::model, None)
}

/// As [`measurements`], for other versions of the drives, with the label of the version.
pub(crate) fn measurements_of<'a>(
    articles: &'a [CheckedArticle],
    only: Option<&[String]>,
    model: &dyn Fn(&CheckedArticle, &str) -> Result<Model, ClaimsError>,
    version: Option<&str>,
) -> Result<Vec<Measurement<'a>>, ClaimsError> {
    let mut all: Vec<Measurement<'a>> = Vec::new();
    for article in articles {
        for (drive, figures) in article.article().needs() {
            if only.is_some_and(|only| !only.iter().any(|name| name == drive)) {
                continue;
            }
            let model = model(article, drive)?.scaled(article.edition().scaled_by)?;
            let index = find_or_add(&mut all, article, model, version);
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

/// Index of the measurement of a drive by an article's edition.
fn find_or_add<'a>(
    all: &mut Vec<Measurement<'a>>,
    article: &'a CheckedArticle,
    model: Model,
    version: Option<&str>,
) -> usize {
    let edition = article.edition();
    let same = |other: &Measurement<'_>| {
        other.edition.sha256 == edition.sha256 && other.model.text == model.text
    };
    all.iter().position(same).unwrap_or_else(|| {
        all.push(Measurement {
            model,
            version: label(version, edition.scaled_by),
            edition,
            names: Vec::new(),
            wanted: BTreeMap::new(),
            endings: BTreeMap::new(),
        });
        all.len() - 1
    })
}

/// Label of a drive that is not the model itself.
fn label(version: Option<&str>, scaled_by: u32) -> Option<String> {
    let scaled = (scaled_by > 1).then(|| format!("1/{scaled_by} of its capacity"));
    let parts: Vec<String> = version
        .map(str::to_owned)
        .into_iter()
        .chain(scaled)
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Measured drives of an article, by the article's names for them; `measured` holds the results of
/// `measurements`, in their order.
pub(crate) fn measured_drives<'m>(
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

/// Judges the findings of each article; `measured` holds the results of `needed`, in their order.
pub fn judged<'a>(
    articles: &'a [CheckedArticle],
    needed: &[Measurement<'_>],
    measured: &[MeasuredDrive],
) -> Vec<Vec<JudgedFinding<'a>>> {
    let judged = articles.iter().map(|article| {
        let drives = measured_drives(article, needed, measured);
        judge(article.article(), &drives)
    });
    judged.collect()
}

/// Share of a curve that a figure needs.
fn ending(curve: &OfCurve) -> Ending {
    match curve.metric {
        // An early end might cut off a part of the range.
        _ if curve.is_bounded() => Ending::Whole,
        CurveMetric::WrittenBytes => Ending::Whole,
        CurveMetric::StartIops => Ending::Begun,
        CurveMetric::FastBytes | CurveMetric::FastCapacities => Ending::Fallen,
        _ => Ending::Settled,
    }
}

/// Names of the curves of a test that continues another, preceded by those of that test; none for
/// other tests.
fn curves_of_chain<'e>(edition: &'e Edition, id: &str) -> Vec<&'e str> {
    let test = edition.tests.iter().find(|test| test.id == id);
    let Some(TestKind::Continue(next)) = test.map(|test| &test.kind) else {
        return Vec::new();
    };
    let steps = next.steps.iter().filter_map(|step| match step {
        ContinuationStep::Measure { name, .. } => Some(name.as_str()),
        ContinuationStep::Do(_) => None,
    });
    let first = std::iter::once(next.curve.name.as_str());
    first.chain(steps).collect()
}
