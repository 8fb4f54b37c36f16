//! What has to be measured: of which drives, by which edition, which tests and points.

use std::collections::{BTreeMap, BTreeSet};

use stend_analysis::Load;
use stend_analysis::claims::{Aggregate, Article, CurveMetric, Figure, Of, Select, Span};
use stend_drive::Model;
use stend_drive::model::SHIPPED;
use stend_method::edition::{ContinuationStep, TestKind};
use stend_method::{Edition, Ending};
use stend_record::review::TestResult;

use super::{Loaded, is_file};
use crate::args::ClaimsArgs;
use crate::failure::Failure;

/// A drive to be measured by an edition.
pub struct Job<'a> {
    pub model: Model,
    pub edition: &'a Edition,
    /// File of an article, and what the drive is called in it.
    pub names: Vec<(String, String)>,
    /// By test: which of its points; of a test without points, anything.
    pub wanted: BTreeMap<String, Vec<Select>>,
    /// How much of each curve is looked at, by test and name.
    pub endings: BTreeMap<(String, String), Ending>,
}

impl Job<'_> {
    /// Whether a point of a test is looked at.
    pub fn wants(&self, test: &str, load: &Load) -> bool {
        let selects = self.wanted.get(test);
        selects.is_some_and(|selects| selects.iter().any(|select| select.takes(load)))
    }

    /// How much is looked at of a test's points, or of one of its curves. What comes back to a
    /// curve is told by where the first one of its test ends: that one is not cut short for it.
    pub fn ending(&self, test: &str, curve: Option<&str>) -> Ending {
        let Some(curve) = curve else {
            return Ending::Settled;
        };
        let key = (test.to_owned(), curve.to_owned());
        let looked_at = self.endings.get(&key).copied().unwrap_or(Ending::Begun);
        match continued_curve(self.edition, test) == Some(curve) {
            true => looked_at.max(Ending::Settled),
            false => looked_at,
        }
    }

    /// Of what is wanted, the tests of which something is missing among those there are.
    pub fn missing(&self, held: &[TestResult]) -> Vec<String> {
        let lacks = |id: &&String| {
            let Some(there) = held.iter().find(|test| test.id == **id) else {
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
pub fn has(test: &TestResult, load: &Load) -> bool {
    let mut points = test.points.iter().flatten();
    points.any(|point| Load::of(point) == *load)
}

/// The points of a test of an edition.
pub fn loads(edition: &Edition, id: &str) -> Vec<Load> {
    match edition
        .tests
        .iter()
        .find(|test| test.id == id)
        .map(|test| &test.kind)
    {
        Some(TestKind::Sweeps(sweeps)) => {
            let loads = sweeps.iter().flat_map(|sweep| &sweep.loads);
            loads.map(stend_method::edition::Load::seen).collect()
        }
        _ => Vec::new(),
    }
}

/// All drives that the articles' checks look at, each once for an edition.
pub fn jobs<'a>(articles: &'a [Loaded], args: &ClaimsArgs) -> Result<Vec<Job<'a>>, Failure> {
    let mut jobs: Vec<Job<'a>> = Vec::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for loaded in articles {
        for (drive, figures) in loaded.article.needs() {
            named.insert(drive);
            let asked = |only: &Vec<String>| only.iter().any(|name| name == drive);
            if !args.drives.as_ref().is_none_or(asked) {
                continue;
            }
            let model = model(loaded, drive)?;
            let same = |job: &Job<'_>| {
                job.edition.sha256 == loaded.edition.sha256 && job.model.text == model.text
            };
            let name = (loaded.file.clone(), drive.to_owned());
            let index = jobs.iter().position(same).unwrap_or_else(|| {
                jobs.push(Job {
                    model,
                    edition: &loaded.edition,
                    names: Vec::new(),
                    wanted: BTreeMap::new(),
                    endings: BTreeMap::new(),
                });
                jobs.len() - 1
            });
            jobs[index].names.push(name);
            for figure in figures {
                let figure = &loaded.article.figures[figure];
                let selects = jobs[index].wanted.entry(figure.test.clone()).or_default();
                match &figure.of {
                    Of::Points { select, .. } => selects.push(*select),
                    Of::Curve {
                        name, metric, span, ..
                    } => {
                        let key = (figure.test.clone(), name.clone());
                        let most = jobs[index].endings.entry(key).or_insert(Ending::Begun);
                        *most = ending(*metric, span).max(*most);
                    }
                    _ => {}
                }
            }
        }
    }
    if let Some(unknown) = args
        .drives
        .iter()
        .flatten()
        .find(|d| !named.contains(d.as_str()))
    {
        let named: Vec<&str> = named.into_iter().collect();
        return Err(Failure::Input(format!(
            "--drives {unknown}: no finding is about it; there are: {}",
            named.join(", ")
        )));
    }
    Ok(jobs)
}

/// How much of a curve a figure looks at.
fn ending(metric: CurveMetric, span: &Span) -> Ending {
    match metric {
        // A part that an early end might cut off.
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

fn model(loaded: &Loaded, name: &str) -> Result<Model, Failure> {
    if is_file(name) {
        return Ok(Model::read(&loaded.folder.join(name))?);
    }
    Model::shipped(name).ok_or_else(|| {
        let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
        Failure::Input(format!(
            "{}: there is no drive model `{name}`; shipped models: {}. A model file is named by its \
             path, ending in .toml; --drives leaves drives out",
            loaded.file,
            names.join(", ")
        ))
    })
}

/// Refuses figures that the edition cannot show.
pub fn check(article: &Article, edition: &Edition, file: &str) -> Result<(), Failure> {
    for (name, figure) in &article.figures {
        if let Err(problem) = fits(figure, edition) {
            return Err(Failure::Input(format!(
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
                    "{taken} points of test `{}` are of these; say more, or how they become one number (`over`)",
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
        _ => Err(format!("test `{}` shows nothing of this kind", figure.test)),
    }
}
