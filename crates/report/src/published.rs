//! Findings of published reviews about the reviewed drives, checked against this review.

use stend_analysis::claims::{Article, JudgedFinding, Outcome, judge, published};
use stend_language::{say, text};
use stend_record::review::Review;

use crate::number;
use crate::view::{Cell, Table};

/// Returns for each article of this edition about the reviewed drive the checks that its
/// figures answer, and the findings that need more.
pub fn tables(review: &Review) -> Vec<Table> {
    let mut tables = Vec::new();
    for (article, drives) in published(review) {
        let judged = judge(&article, &drives);
        tables.extend(answered(&article, &judged));
        tables.extend(open(&article, &judged));
    }
    tables
}

fn answered(article: &Article, judged: &[JudgedFinding<'_>]) -> Option<Table> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for one in judged {
        let told = |outcome| {
            one.checks
                .iter()
                .filter(move |check| check.outcome == outcome)
        };
        let (holding, failing) = (told(Outcome::Holds), told(Outcome::Fails));
        let checks: Vec<_> = failing.chain(holding).collect();
        if checks.is_empty() {
            continue;
        }
        rows.push(vec![number::bound(&one.finding.text).into()]);
        for check in checks {
            let holds = match check.outcome {
                Outcome::Fails => say("published-fails"),
                _ => say("published-holds"),
            };
            let reading = check.check.reading.as_deref().unwrap_or_default();
            rows.push(vec![
                number::bound(&check.figure.title).into(),
                Cell::noted(number::bound(&check.expected), number::bound(reading)),
                number::bound(&check.got).into(),
                holds.into(),
            ]);
        }
    }
    (!rows.is_empty()).then(|| {
        Table::new(
            text!("published-caption", article = &article.title),
            [
                "head-figure",
                "published-head-expected",
                "published-head-got",
                "published-head-holds",
            ]
            .map(say),
            rows,
        )
    })
}

/// Returns the findings that need figures which this review lacks.
fn open(article: &Article, judged: &[JudgedFinding<'_>]) -> Option<Table> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for one in judged {
        let comparisons = one.checks.iter().flat_map(|check| &check.comparisons);
        let open = comparisons.filter(|comparison| comparison.outcome == Outcome::Open);
        let mut needs: Vec<&str> = open.filter_map(|c| c.problem.as_deref()).collect();
        needs.sort_unstable();
        needs.dedup();
        if !needs.is_empty() {
            rows.push(vec![
                number::bound(&one.finding.text).into(),
                needs.join(", ").into(),
            ]);
        }
    }
    (!rows.is_empty()).then(|| {
        Table::new(
            text!("published-open-caption", article = &article.title),
            ["published-head-finding", "published-head-needs"].map(say),
            rows,
        )
        .folded()
    })
}
