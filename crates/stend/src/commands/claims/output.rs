//! Outcomes of the findings, as text and as JSON.

use serde::Serialize;
use stend_analysis::claims::{JudgedCheck, JudgedFinding, Outcome, Relation};
use stend_claims::CheckedArticle;
use stend_claims::experiments::Tried;

use super::sure::{FindingSamplesDocument, SamplesDocument, Sure};
use crate::args::ClaimsArgs;
use crate::commands::leave_one_out;
use crate::failure::Failure;
use crate::output::json_line;

type Judged<'a> = [(&'a CheckedArticle, Vec<JudgedFinding<'a>>)];

/// Results printed beside the outcomes of the findings.
pub struct More<'m> {
    /// Outcomes on plausible versions of the drives.
    pub sure: Option<&'m Sure<'m>>,
    /// Experiments on findings that do not hold.
    pub tried: &'m [Tried],
    /// Published figures, each drive predicted without its own rows.
    pub left_out: Option<&'m leave_one_out::Document>,
}

impl<'m> More<'m> {
    /// Experiments on a finding of an article.
    pub fn tried_on(
        &self,
        article: usize,
        finding: usize,
    ) -> impl Iterator<Item = &'m Tried> + Clone + use<'m> {
        let tried = self.tried.iter();
        tried.filter(move |one| (one.article, one.finding) == (article, finding))
    }
}

/// An outcome in one word.
pub fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Open => "open",
        Outcome::Fails => "does not hold",
    }
}

/// Number of findings with an outcome.
pub fn count(findings: &[JudgedFinding<'_>], outcome: Outcome) -> usize {
    findings.iter().filter(|j| j.outcome == outcome).count()
}

/// A sentence about the length of the measurements.
pub fn lengths(args: &ClaimsArgs) -> &'static str {
    match args.full_length {
        true => "Everything was measured for its full time.",
        false => {
            "Shortened: every measurement was ended once enough of it had been seen (reads: five \
             rounds of 0.5 s within 1 %; points that write, on drives with room for all of it: \
             five rounds of a fiftieth of their time within 1 %; curves of lasting writes: 1.5 \
             capacities written and five rounds of 120 s within 5 %, or, where no more is looked \
             at, their start or their fall); --full-length measures all to the end."
        }
    }
}

/// A sentence about the factor by which the simulated drives are smaller than the real ones; `None`
/// if they have their full capacity.
pub fn scaled(args: &ClaimsArgs) -> Option<String> {
    let by = args.scaled?;
    let which = match args.samples {
        None => "SCALED: every drive",
        Some(_) => "Scaled: every plausible version",
    };
    Some(format!(
        "{which} was simulated with 1/{by} of its capacity, by tests of 1/{by} of their length; \
         times and bytes were multiplied by {by} again."
    ))
}

/// Counts outcomes in words: `9 hold, 3 do not, 1 open`.
pub fn sum<'j>(findings: impl Iterator<Item = &'j JudgedFinding<'j>>) -> String {
    let mut counts = [0; 3];
    for judged in findings {
        counts[judged.outcome as usize] += 1;
    }
    let [hold, open, fail] = counts;
    let mut text = format!("{hold} hold, {fail} do not");
    if open > 0 {
        text += &format!(", {open} open");
    }
    text
}

pub fn text(judged: &Judged<'_>, more: &More<'_>, args: &ClaimsArgs) -> String {
    let mut text = String::new();
    if args.scale.duration_scale != 1.0 {
        text += &format!(
            "SHORTENED RUN: every measurement × {}; the findings are about full ones\n\n",
            args.scale.duration_scale
        );
    }
    if let Some(scaled) = scaled(args) {
        text += &format!("{scaled}\n\n");
    }
    for (of_article, (article, findings)) in judged.iter().enumerate() {
        text += &format!(
            "{}, edition {}: {}\n",
            article.article().title,
            article.edition().id,
            sum(findings.iter())
        );
        for (index, judged) in findings.iter().enumerate() {
            text += &format!("\n  {:<13}  {}\n", word(judged.outcome), judged.finding.id);
            text += &wrapped(&judged.finding.text, 17);
            for check in &judged.checks {
                text += &check_lines(check);
            }
            if let Some(turns) = turns(judged) {
                text += &wrapped(turns, 17);
            }
            text += &tried_lines(judged, more.tried_on(of_article, index));
            if let Some(sure) = more.sure {
                let finding = sure.finding(of_article, index);
                text += &wrapped(&format!("how sure: {finding}"), 17);
            }
            if let Some(not_checked) = &judged.finding.not_checked {
                text += &wrapped(&format!("not checked: {not_checked}"), 17);
            }
            if let (Outcome::Fails, Some(why)) = (judged.outcome, &judged.finding.when_not) {
                text += &wrapped(&format!("why: {why}"), 17);
            }
        }
        text += "\n";
    }
    let all = judged.iter().flat_map(|(_, findings)| findings);
    text += &format!("{}\nAll findings: {}\n", lengths(args), sum(all));
    match more.sure {
        Some(sure) => text + &sure.headline() + "\n",
        None => text,
    }
}

/// A sentence if a stricter or wider reading of the finding's loose words would change its outcome.
pub fn turns(judged: &JudgedFinding<'_>) -> Option<&'static str> {
    match judged.outcome {
        _ if !judged.turned_by_reading => None,
        Outcome::Holds => Some("with its loose words read a third more narrowly it would not hold"),
        _ => Some("with its loose words read half as widely again it would hold"),
    }
}

/// Formats the results of experiments on a finding, one line per value.
fn tried_lines<'t>(judged: &JudgedFinding<'_>, tried: impl Iterator<Item = &'t Tried>) -> String {
    let line = |one: &Tried| {
        let experiment = &judged.finding.experiments[one.experiment];
        let failing = one.checks.iter().filter(|check| check.1 != Outcome::Holds);
        let failing: Vec<String> = failing
            .map(|(title, _, got)| format!("{title}: {got}"))
            .collect();
        let text = format!(
            "with {}.{} = {} of {}: {}; {}",
            experiment.table,
            experiment.key,
            one.value,
            experiment.drive,
            word(one.outcome),
            failing.join("; ")
        );
        wrapped(text.trim_end_matches("; "), 17)
    };
    tried.map(line).collect()
}

fn check_lines(check: &JudgedCheck<'_>) -> String {
    let mark = match check.outcome {
        Outcome::Holds => "yes ",
        Outcome::Open => "open",
        Outcome::Fails => "NO  ",
    };
    let mut text = wrapped(&format!("- {mark} {}", check.figure.title), 17);
    text += &wrapped(&format!("expected: {}", check.expected), 24);
    text + &wrapped(&format!("got: {}", check.got), 24)
}

/// Wraps text at 100 characters, indented by `margin`; further lines are indented by two more.
fn wrapped(text: &str, margin: usize) -> String {
    let mut out = String::new();
    let mut line = String::new();
    let mut indent = margin;
    for word in text.split(' ') {
        if !line.is_empty() && indent + line.chars().count() + word.chars().count() >= 100 {
            out += &format!("{:indent$}{line}\n", "");
            line.clear();
            indent = margin + 2;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    out + &format!("{:indent$}{line}\n", "")
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    seed: u64,
    duration_scale: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaled_by: Option<u32>,
    full_length: bool,
    holds: usize,
    fails: usize,
    open: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<SamplesDocument>,
    articles: Vec<ArticleDocument<'a>>,
}

#[derive(Serialize)]
struct ArticleDocument<'a> {
    id: &'a str,
    title: &'a str,
    edition: &'a str,
    findings: Vec<FindingDocument<'a>>,
}

#[derive(Serialize)]
struct FindingDocument<'a> {
    id: &'a str,
    text: &'a str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when_not: Option<&'a str>,
    turned_by_reading: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<FindingSamplesDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    experiments: Vec<TriedDocument<'a>>,
    checks: Vec<CheckDocument<'a>>,
}

#[derive(Serialize)]
struct TriedDocument<'a> {
    drive: &'a str,
    figure: String,
    value: f64,
    outcome: &'static str,
    got: Vec<&'a str>,
}

#[derive(Serialize)]
struct CheckDocument<'a> {
    figure: &'a str,
    title: &'a str,
    test: &'a str,
    unit: &'static str,
    relation: &'static str,
    outcome: &'static str,
    expected: &'a str,
    got: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'a str>,
    comparisons: Vec<ComparisonDocument<'a>>,
}

#[derive(Serialize)]
struct ComparisonDocument<'a> {
    drive: &'a str,
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against_value: Option<f64>,
    judged: Option<f64>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
}

fn key(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Open => "open",
        Outcome::Fails => "fails",
    }
}

pub fn json(judged: &Judged<'_>, more: &More<'_>, args: &ClaimsArgs) -> Result<String, Failure> {
    let total = |outcome| judged.iter().map(|(_, all)| count(all, outcome)).sum();
    let document = Document {
        schema: "stend.claims/1",
        seed: args.scale.seed,
        duration_scale: args.scale.duration_scale,
        scaled_by: args.scaled,
        full_length: args.full_length,
        holds: total(Outcome::Holds),
        fails: total(Outcome::Fails),
        open: total(Outcome::Open),
        samples: more.sure.map(Sure::document),
        articles: judged
            .iter()
            .enumerate()
            .map(|(of_article, (article, findings))| ArticleDocument {
                id: &article.article().id,
                title: &article.article().title,
                edition: &article.edition().id,
                findings: findings
                    .iter()
                    .enumerate()
                    .map(|(index, judged)| finding_document(judged, more, (of_article, index)))
                    .collect(),
            })
            .collect(),
    };
    json_line(&document)
}

fn finding_document<'a>(
    judged: &'a JudgedFinding<'a>,
    more: &More<'a>,
    (of_article, index): (usize, usize),
) -> FindingDocument<'a> {
    let fails = judged.outcome == Outcome::Fails;
    FindingDocument {
        id: &judged.finding.id,
        text: &judged.finding.text,
        outcome: key(judged.outcome),
        not_checked: judged.finding.not_checked.as_deref(),
        when_not: judged.finding.when_not.as_deref().filter(|_| fails),
        turned_by_reading: judged.turned_by_reading,
        samples: more
            .sure
            .map(|sure| sure.finding_document(of_article, index)),
        experiments: more
            .tried_on(of_article, index)
            .map(|tried| tried_document(judged, tried))
            .collect(),
        checks: judged.checks.iter().map(check_document).collect(),
    }
}

fn tried_document<'a>(judged: &'a JudgedFinding<'a>, tried: &'a Tried) -> TriedDocument<'a> {
    let experiment = &judged.finding.experiments[tried.experiment];
    TriedDocument {
        drive: &experiment.drive,
        figure: format!("{}.{}", experiment.table, experiment.key),
        value: tried.value,
        outcome: key(tried.outcome),
        got: tried
            .checks
            .iter()
            .map(|(_, _, got)| got.as_str())
            .collect(),
    }
}

fn check_document<'a>(check: &'a JudgedCheck<'a>) -> CheckDocument<'a> {
    CheckDocument {
        figure: &check.check.figure,
        title: &check.figure.title,
        test: &check.figure.test,
        unit: check.figure.unit().key(),
        relation: match check.check.relation {
            Relation::Value(_) => "value",
            Relation::Ratio { .. } => "ratio",
            Relation::Order { .. } => "order",
            Relation::Place { .. } => "place",
        },
        outcome: key(check.outcome),
        expected: &check.expected,
        got: &check.got,
        reading: check.check.reading.as_deref(),
        comparisons: check
            .comparisons
            .iter()
            .map(|c| ComparisonDocument {
                drive: &c.drive,
                value: c.value,
                against: c.against.as_deref(),
                against_value: c.against_value,
                judged: c.judged,
                outcome: key(c.outcome),
                problem: c.problem.as_deref(),
            })
            .collect(),
    }
}
