//! The document of findings that hold and that do not: `docs/validation.md`.

use std::path::Path;

use stend_analysis::claims::{JudgedFinding, Outcome};
use stend_claims::CheckedArticle;
use stend_claims::experiments::Tried;

use super::output::{self, More};
use crate::args::ClaimsArgs;
use crate::failure::Failure;

/// Writes the document.
pub fn write(
    path: &Path,
    judged: &[(&CheckedArticle, Vec<JudgedFinding<'_>>)],
    more: &More<'_>,
    args: &ClaimsArgs,
) -> Result<(), Failure> {
    let mut text = document(judged, more, args);
    if let Some(left_out) = more.left_out {
        text += &format!(
            "\n## Published figures, each drive predicted without its own\n\n\
             Written by `stend fit --leave-one-out`: what it means is in \
             [fitting.md](fitting.md#leaving-one-drive-out).\n\n{}",
            left_out.markdown()
        );
    }
    let written = std::fs::write(path, text);
    written.map_err(|error| Failure::unwritable(path, &error))
}

fn document(
    judged: &[(&CheckedArticle, Vec<JudgedFinding<'_>>)],
    more: &More<'_>,
    args: &ClaimsArgs,
) -> String {
    let all = judged.iter().flat_map(|(_, findings)| findings);
    let mut text = format!(
        "# Validation: what published reviews found, and what the models do\n\n\
         Written by `stend claims --validation FILE`, not by hand: the findings are data in \
         [claims/](../claims/)\n\
         (their format: [claims-format.md](claims-format.md)), and so is why one does not hold. \
         Every figure is\n\
         of simulated drives, seed {}. \"Open\" means that a drive it needs was not simulated.\n\
         {}\n\nAll findings: {}.\n",
        args.scale.seed,
        output::lengths(args),
        output::sum(all)
    );
    if let Some(sure) = more.sure {
        text += &format!("\n{}\n", sure.headline());
    }
    if let Some(scaled) = output::scaled(args) {
        text += &format!("\n{scaled}\n");
    }
    if args.scale.duration_scale != 1.0 {
        text += &format!(
            "\n**SHORTENED RUN: every measurement × {}.**\n",
            args.scale.duration_scale
        );
    }
    if let Some(drives) = &args.drives {
        text += &format!(
            "\n**Only these drives were simulated: {}.**\n",
            drives.join(", ")
        );
    }
    text +=
        "\n| article | edition | findings | hold | do not | open |\n|---|---|---|---|---|---|\n";
    for (article, findings) in judged {
        text += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            article.article().title,
            article.edition().id,
            findings.len(),
            output::count(findings, Outcome::Holds),
            output::count(findings, Outcome::Fails),
            output::count(findings, Outcome::Open)
        );
    }
    for (index, (article, findings)) in judged.iter().enumerate() {
        text += &article_section(article, (index, findings), more);
    }
    text
}

fn article_section(
    article: &CheckedArticle,
    (of_article, findings): (usize, &[JudgedFinding<'_>]),
    more: &More<'_>,
) -> String {
    let mut text = format!("\n## {}\n", article.article().title);
    for (index, judged) in findings.iter().enumerate() {
        let finding = judged.finding;
        let outcome = match judged.outcome {
            Outcome::Fails => "**does not hold**",
            other => output::word(other),
        };
        text += &format!("\n### `{}`: {outcome}\n\n{}\n", finding.id, finding.text);
        if let (Outcome::Fails, Some(why)) = (judged.outcome, &finding.when_not) {
            text += &format!("\nWhy not: {why}\n");
        }
        if let Some(turns) = output::turns(judged) {
            text += &format!("\nReading: {turns}.\n");
        }
        if let Some(sure) = more.sure {
            text += &format!("\nHow sure: {}.\n", sure.finding(of_article, index));
        }
        if let Some(not_checked) = &finding.not_checked {
            text += &format!("\nNot checked: {not_checked}\n");
        }
        text += &checks_table(judged);
        text += &tried_tables(judged, more.tried_on(of_article, index));
    }
    text
}

fn checks_table(judged: &JudgedFinding<'_>) -> String {
    let mut text = "\n| figure | expected | got | |\n|---|---|---|---|\n".to_owned();
    for check in &judged.checks {
        let expected = match &check.check.reading {
            Some(reading) => format!("{} ({reading})", check.expected),
            None => check.expected.clone(),
        };
        text += &format!(
            "| {} | {} | {} | {} |\n",
            cell(&check.figure.title),
            cell(&expected),
            cell(&check.got),
            mark(check.outcome)
        );
    }
    text
}

fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fails => "**no**",
        Outcome::Open => "open",
        Outcome::Holds => "yes",
    }
}

/// Formats the results of experiments on a finding: every check, by value.
fn tried_tables<'t>(
    judged: &JudgedFinding<'_>,
    tried: impl Iterator<Item = &'t Tried> + Clone,
) -> String {
    let mut text = String::new();
    for (index, experiment) in judged.finding.experiments.iter().enumerate() {
        let mut values = tried
            .clone()
            .filter(|one| one.experiment == index)
            .peekable();
        if values.peek().is_none() {
            continue;
        }
        text += &format!(
            "\nExperiment: `{}.{}` of {}.\n\n| value | holds | figure | got | |\n\
             |---|---|---|---|---|\n",
            experiment.table, experiment.key, experiment.drive
        );
        for one in values {
            let mut first = (one.value.to_string(), mark(one.outcome));
            for (title, outcome, got) in &one.checks {
                text += &format!(
                    "| {} | {} | {} | {} | {} |\n",
                    first.0,
                    first.1,
                    cell(title),
                    cell(got),
                    mark(*outcome)
                );
                first = (String::new(), "");
            }
        }
    }
    text
}

/// Escapes text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
