//! Share of the plausible versions in which a finding holds.

use stend_analysis::claims::Outcome;

use super::Samples;

/// A finding that holds in at least this share of the versions is robust.
const ROBUST_FROM: f64 = 0.9;

/// Robustness of a finding over the versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robustness {
    /// It holds in at least nine tenths of the versions.
    Robust,
    /// It holds in some.
    Possible,
    /// It holds in none.
    Excluded,
}

impl Robustness {
    /// Returns the robustness in one word.
    pub fn word(self) -> &'static str {
        match self {
            Robustness::Robust => "robust",
            Robustness::Possible => "possible",
            Robustness::Excluded => "excluded",
        }
    }
}

/// Number of versions in which a finding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Number of versions in which it holds.
    pub holds: u32,
    /// Number of versions in which it was decided.
    pub of: u32,
}

impl Shares {
    /// Robustness of the finding; `None` if no version decided it.
    pub fn robustness(self) -> Option<Robustness> {
        match (self.holds, self.of) {
            (_, 0) => None,
            (0, _) => Some(Robustness::Excluded),
            (holds, of) if f64::from(holds) >= ROBUST_FROM * f64::from(of) => {
                Some(Robustness::Robust)
            }
            _ => Some(Robustness::Possible),
        }
    }
}

impl Samples<'_> {
    /// Numbers of versions in which a finding of an article holds and is decided.
    pub fn shares(&self, article: usize, finding: usize) -> Shares {
        let outcomes = self.versions.iter();
        let outcomes = outcomes.map(|version| version.judged[article][finding].outcome);
        outcomes.fold(Shares { holds: 0, of: 0 }, |shares, outcome| Shares {
            holds: shares.holds + u32::from(outcome == Outcome::Holds),
            of: shares.of + u32::from(outcome != Outcome::Open),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_tenths_make_a_finding_robust_and_one_version_possible() {
        let of = |holds, of| Shares { holds, of }.robustness();
        assert_eq!(of(0, 0), None);
        assert_eq!(of(0, 32), Some(Robustness::Excluded));
        assert_eq!(of(1, 32), Some(Robustness::Possible));
        assert_eq!(of(28, 32), Some(Robustness::Possible));
        assert_eq!(of(29, 32), Some(Robustness::Robust));
        assert_eq!(of(9, 10), Some(Robustness::Robust));
    }
}
