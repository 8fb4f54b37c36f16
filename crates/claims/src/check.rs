//! Checks that an edition measures the figures of an article.

use stend_analysis::Load;
use stend_analysis::claims::{Aggregate, Article, Figure, Of, OfPoints};
use stend_method::Edition;
use stend_method::edition::{ContinuationStep, TestKind};

use crate::error::ClaimsError;

/// Points of a test of an edition.
pub(crate) fn loads(edition: &Edition, id: &str) -> Vec<Load> {
    let test = edition.tests.iter().find(|test| test.id == id);
    match test.map(|test| &test.kind) {
        Some(TestKind::Points(sweeps)) => {
            let loads = sweeps.iter().flat_map(|sweep| &sweep.loads);
            loads.map(Load::without_region).collect()
        }
        _ => Vec::new(),
    }
}

/// Refuses figures that the edition does not measure.
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
        (Of::Points(points), TestKind::Points(_)) => {
            points_fit(&loads(edition, &figure.test), points, &figure.test)
        }
        (Of::Curve(of), TestKind::Curve(curve)) => {
            one_of(&of.name, std::slice::from_ref(&curve.name))
        }
        (Of::Curve(of), TestKind::Continue(next)) => {
            let mut names = Vec::new();
            if let TestKind::Curve(curve) = &edition.tests[next.after].kind {
                names.push(curve.name.clone());
            }
            names.extend(next.steps.iter().filter_map(|step| match step {
                ContinuationStep::Measure { name, .. } => Some(name.clone()),
                ContinuationStep::Do(_) => None,
            }));
            one_of(&of.name, &names)
        }
        (Of::Response(of), TestKind::Response(_)) => one_of(
            &of.name,
            &["without TRIM".to_owned(), "with TRIM".to_owned()],
        ),
        (Of::Benchmark(of), TestKind::Benchmark(benchmark)) => {
            let rows = benchmark.profile.rows.iter().map(|row| row.name.clone());
            one_of(&of.row, &rows.collect::<Vec<String>>())
        }
        (Of::Traces(of), TestKind::Traces(traces)) => {
            let names: Vec<String> = traces.entries.iter().map(|e| e.name.clone()).collect();
            of.trace
                .as_ref()
                .map_or(Ok(()), |name| one_of(name, &names))
        }
        (Of::Files(of), TestKind::Files(files)) => match &of.set {
            Some(set) => one_of(set, &files.sets),
            None if files.sets.len() > 1 && of.over == Aggregate::Only => Err(
                "there are several sets: select one (`set`), or aggregate them (`over`)".to_owned(),
            ),
            None => Ok(()),
        },
        _ => Err(format!("test `{}` has no figure of this kind", figure.test)),
    }
}

/// Checks that points of a test are selected, and only one unless they are aggregated.
fn points_fit(loads: &[Load], points: &OfPoints, test: &str) -> Result<(), String> {
    let taken = loads.iter().filter(|load| points.takes(load)).count();
    match (taken, points.over) {
        (0, _) => Err(format!("no point of test `{test}` is one of these")),
        (2.., Aggregate::Only) => Err(format!(
            "{taken} points of test `{test}` are selected; select one, or aggregate them (`over`)"
        )),
        _ => Ok(()),
    }
}
