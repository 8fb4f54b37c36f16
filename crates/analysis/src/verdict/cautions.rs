//! Cautions: reasons why a verdict is not a full one.

use stend_record::review::{FactId, Review};

use super::doubted::Doubted;
use super::statement::Caution;
use crate::findings::labels;
use crate::shortened::spoiled;

/// Returns all cautions, in their order.
pub(super) fn all(review: &Review, doubted: &[Doubted]) -> Vec<Caution> {
    if review.tests.is_empty() {
        return vec![Caution::NoTest];
    }
    let mut out = Vec::new();
    if review.duration_scale != 1.0 {
        out.push(Caution::Scaled(review.duration_scale));
    }
    let spoiled = spoiled(review);
    if !spoiled.is_empty() {
        out.push(Caution::Spoiled(spoiled));
    }
    if !doubted.is_empty() {
        let titles = doubted.iter().map(|test| test.title.clone());
        out.push(Caution::Doubted(titles.collect()));
    }
    out.extend(slow_links(review));
    if !review.complete {
        let failed = review.failed.iter().map(|test| test.id.clone());
        out.push(Caution::Unfinished(failed.collect()));
    }
    let rivals = review.rivals.iter().zip(labels(review).split_off(1));
    let unlike = rivals.filter(|(rival, _)| rival.target.kind != review.target.kind);
    let unlike: Vec<String> = unlike.map(|(_, label)| label).collect();
    if !unlike.is_empty() {
        out.push(Caution::UnlikeRivals(unlike));
    }
    out
}

/// Returns cautions for drives that are faster than their link. For a file, its drive's link is a
/// fact of the environment.
fn slow_links(review: &Review) -> Vec<Caution> {
    let own = review.target.facts.iter().chain(&review.environment);
    let own = own.map(|fact| (&review.target.title, fact));
    let rivals = review.rivals.iter().flat_map(|rival| {
        let facts = rival.target.facts.iter();
        facts.map(|fact| (&rival.target.title, fact))
    });
    let slow = FactId::SlowLink.name();
    let mut out = Vec::new();
    for (title, fact) in own.chain(rivals).filter(|(_, fact)| fact.id == slow) {
        let caution = Caution::SlowLink(title.clone(), fact.value.clone());
        if !out.contains(&caution) {
            out.push(caution);
        }
    }
    out
}
