//! Robustness of findings, in words and as JSON.

use serde::Serialize;
use stend_analysis::claims::JudgedFinding;
use stend_claims::samples::{Decisive, Robustness, Samples, Shares, decisive};
use stend_fit::fitting::Parameter;
use stend_language::counted;

/// Outcomes of the findings on plausible versions of the drives.
pub struct Sure<'s> {
    parameters: &'s [Parameter],
    versions: usize,
    /// By article and finding.
    findings: Vec<Vec<(Shares, Vec<Decisive>)>>,
    /// By article and finding: true if whole and scaled models have the same outcome; `None` if the
    /// versions are whole drives.
    alike: Option<Vec<Vec<bool>>>,
}

/// Numbers of findings by their outcomes on the versions.
#[derive(Serialize)]
pub struct SamplesDocument {
    versions: usize,
    figures_drawn: usize,
    robust: usize,
    possible: usize,
    excluded: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaled_alike: Option<usize>,
}

/// Outcomes of one finding on the versions.
#[derive(Serialize)]
pub struct FindingSamplesDocument {
    holds: u32,
    of: u32,
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaled_alike: Option<bool>,
    decided_by: Vec<DecisiveDocument>,
}

#[derive(Serialize)]
struct DecisiveDocument {
    figure: String,
    rank_correlation: f64,
}

impl<'s> Sure<'s> {
    /// Creates the outcomes from samples; `models` holds the outcomes on the models themselves, by
    /// article.
    pub fn of(samples: &'s Samples<'_>, models: &[&[JudgedFinding<'_>]]) -> Sure<'s> {
        let articles = samples.versions.first().map(|version| &version.judged);
        let findings = articles.into_iter().flatten().enumerate();
        let findings = findings.map(|(article, findings)| {
            let of = |finding| {
                let shares = samples.shares(article, finding);
                (shares, decisive(samples, article, finding))
            };
            (0..findings.len()).map(of).collect()
        });
        Sure {
            parameters: &samples.parameters,
            versions: samples.versions.len(),
            findings: findings.collect(),
            alike: samples.models_scaled.as_ref().map(|scaled| {
                let pairs = scaled.iter().zip(models);
                let alike = |(scaled, whole): (&Vec<JudgedFinding<'_>>, &&[JudgedFinding<'_>])| {
                    let pairs = scaled.iter().zip(*whole);
                    pairs.map(|(a, b)| a.outcome == b.outcome).collect()
                };
                pairs.map(alike).collect()
            }),
        }
    }

    /// Number of findings with the same outcome on whole and on scaled models.
    fn alike(&self) -> Option<usize> {
        let alike = self.alike.as_ref()?.iter().flatten();
        Some(alike.filter(|alike| **alike).count())
    }

    fn count(&self, robustness: Robustness) -> usize {
        let findings = self.findings.iter().flatten();
        findings
            .filter(|(shares, _)| shares.robustness() == Some(robustness))
            .count()
    }

    /// Summarizes all findings in a sentence.
    pub fn headline(&self) -> String {
        let mut text = format!(
            "{} of the drives ({} drawn from their ranges): {} robust (they hold in \
             nine tenths of the versions or more), {} possible, {} excluded \
             (they hold in none).",
            counted(self.versions, "plausible version"),
            counted(self.parameters.len(), "figure"),
            counted(self.count(Robustness::Robust), "finding"),
            self.count(Robustness::Possible),
            self.count(Robustness::Excluded)
        );
        if self.parameters.is_empty() {
            text += " No figure of these drives has a range, so that all versions are the drives \
                     themselves.";
        }
        if let Some(alike) = self.alike() {
            let all = self.findings.iter().flatten().count();
            text += &format!(
                " The models themselves come out alike in {alike} of {all} findings as whole and \
                 as scaled drives; where they do not, what is said of the versions says little."
            );
        }
        text
    }

    /// Describes a finding in words.
    pub fn finding(&self, article: usize, finding: usize) -> String {
        let (shares, decisive) = &self.findings[article][finding];
        let Some(robustness) = shares.robustness() else {
            return "no version decided it".to_owned();
        };
        let mut text = format!(
            "{}, holds in {} of {} plausible versions",
            robustness.word(),
            shares.holds,
            shares.of
        );
        let told: Vec<String> = decisive
            .iter()
            .map(|one| format!("{} ({:+.2})", self.name(one), one.correlation))
            .collect();
        if !told.is_empty() {
            text += &format!("; decided by {}", told.join(", "));
        }
        if self.is_alike(article, finding) == Some(false) {
            text += "; the model itself comes out otherwise when it is scaled";
        }
        text
    }

    fn is_alike(&self, article: usize, finding: usize) -> Option<bool> {
        Some(self.alike.as_ref()?[article][finding])
    }

    fn name(&self, of: &Decisive) -> String {
        let figure = &self.parameters[of.parameter].figure;
        format!("{}: {}.{}", figure.file, figure.table, figure.key)
    }

    /// Document about all findings.
    pub fn document(&self) -> SamplesDocument {
        SamplesDocument {
            versions: self.versions,
            figures_drawn: self.parameters.len(),
            robust: self.count(Robustness::Robust),
            possible: self.count(Robustness::Possible),
            excluded: self.count(Robustness::Excluded),
            scaled_alike: self.alike(),
        }
    }

    /// Document about one finding.
    pub fn finding_document(&self, article: usize, finding: usize) -> FindingSamplesDocument {
        let (shares, decisive) = &self.findings[article][finding];
        FindingSamplesDocument {
            holds: shares.holds,
            of: shares.of,
            verdict: shares.robustness().map(Robustness::word),
            scaled_alike: self.is_alike(article, finding),
            decided_by: decisive
                .iter()
                .map(|one| DecisiveDocument {
                    figure: self.name(one),
                    rank_correlation: one.correlation,
                })
                .collect(),
        }
    }
}
