//! Tests in rounds: which rounds their figures are of, and whether those are steady.

use stend_record::review::{RoundFigures, Rounds};

use crate::steady::{WINDOW, Window};

/// The window that a test in rounds is judged by: the one that was found steady, or the
/// last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The tracked figure in it.
    pub window: Window,
}

impl Judged {
    /// The window of a test; `None` of fewer rounds than it takes.
    pub fn of(rounds: &Rounds) -> Option<Judged> {
        let tracked = rounds.tracked_figures();
        let end = match rounds.steady_from_round {
            Some(from) => (from as usize - 1 + WINDOW).min(tracked.len()),
            None => tracked.len(),
        };
        let window = Window::last(&tracked[..end])?;
        Some(Judged { window })
    }

    /// Whether the definition is met.
    pub fn is_steady(&self) -> bool {
        self.window.is_steady()
    }

    /// Numbers of its first and last round, from 1.
    pub fn rounds(&self) -> (u32, u32) {
        let first = self.window.first as u32 + 1;
        (first, first + WINDOW as u32 - 1)
    }

    /// The means of a load over it; of the slowest requests, the slowest.
    pub fn mean_of(&self, rounds: &Rounds, load: usize) -> Option<RoundFigures> {
        let figures: Vec<&RoundFigures> = rounds
            .rounds
            .get(self.window.first..self.window.first + WINDOW)?
            .iter()
            .map(|round| round.get(load))
            .collect::<Option<_>>()?;
        let mean = |of: fn(&RoundFigures) -> f64| {
            figures.iter().map(|f| of(f)).sum::<f64>() / figures.len() as f64
        };
        Some(RoundFigures {
            iops: mean(|f| f.iops),
            bw_bytes_per_s: mean(|f| f.bw_bytes_per_s),
            latency_mean_ns: mean(|f| f.latency_mean_ns),
            latency_max_ns: figures.iter().map(|f| f.latency_max_ns).max()?,
        })
    }
}
