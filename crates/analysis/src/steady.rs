//! Steady state as SNIA defines it: Solid State Storage Performance Test Specification 2.0.1,
//! "Steady State".
//!
//! Over a window of rounds, the tracked figure neither spreads nor drifts: its greatest and least
//! are at most a fifth of its mean apart, and its least-squares line rises or falls by at most a
//! tenth of the mean from the first round of the window to the last.

use stend_language::{Language, Text, recorded, within};
use stend_record::review::SteadyStart;

use crate::words;

/// Number of rounds in a window.
pub const WINDOW: usize = 5;

/// Rounds after which the search ends.
pub const ROUNDS_MAX: usize = 25;

/// Greatest spread (greatest less least figure) of a steady window, as a share of its mean.
pub const SPREAD_SHARE_MAX: f64 = 0.20;

/// Greatest rise or fall of the line of a steady window, as a share of its mean.
pub const DRIFT_SHARE_MAX: f64 = 0.10;

/// A window of rounds, measured by the definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Index of its first round.
    pub first: usize,
    /// Mean of the tracked figure.
    pub mean: f64,
    /// Greatest less least figure, as a share of the mean.
    pub spread_share: f64,
    /// Rise of the least-squares line from the first round of the window to the last, as a share of
    /// the mean; negative if it falls.
    pub drift_share: f64,
}

impl Window {
    /// Returns the last [`WINDOW`] of these rounds; `None` if there are fewer, if the mean is not
    /// above 0 or if a figure is not a number.
    pub fn last(rounds: &[f64]) -> Option<Window> {
        let first = rounds.len().checked_sub(WINDOW)?;
        Window::of(first, &rounds[first..])
    }

    fn of(first: usize, figures: &[f64]) -> Option<Window> {
        let n = figures.len() as f64;
        let mean = figures.iter().sum::<f64>() / n;
        if !(mean.is_finite() && mean > 0.0) {
            return None;
        }
        let (least, greatest) = figures.iter().fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, greatest), f| (least.min(*f), greatest.max(*f)),
        );
        let middle = (n - 1.0) / 2.0;
        let (mut along, mut square) = (0.0, 0.0);
        for (round, figure) in figures.iter().enumerate() {
            let x = round as f64 - middle;
            along += x * (figure - mean);
            square += x * x;
        }
        Some(Window {
            first,
            mean,
            spread_share: (greatest - least) / mean,
            drift_share: along / square * (n - 1.0) / mean,
        })
    }

    /// True if the definition is met.
    pub fn is_steady(&self) -> bool {
        self.spread_share <= SPREAD_SHARE_MAX && self.drift_share.abs() <= DRIFT_SHARE_MAX
    }
}

/// Returns the first steady window of rounds, within the first [`ROUNDS_MAX`] rounds.
pub fn steady(rounds: &[f64]) -> Option<Window> {
    let rounds = &rounds[..rounds.len().min(ROUNDS_MAX)];
    rounds
        .windows(WINDOW)
        .enumerate()
        .filter_map(|(first, figures)| Window::of(first, figures))
        .find(Window::is_steady)
}

/// Describes the preparation of a target to a steady state, successful or not: `reached after 8
/// rounds of 60 s of random write, 4 KiB, queue depth 32 …`.
pub fn start_text(start: &SteadyStart) -> Text {
    within(Language::English, || start_in_english(start))
}

fn start_in_english(start: &SteadyStart) -> Text {
    let load = &start.load;
    let percent = |share: f64, decimals| words::fixed(100.0 * share, decimals);
    recorded!(
        match start.reached {
            true => "steady-reached",
            false => "steady-not-reached",
        },
        rounds = start.rounds,
        seconds = start.round_s.to_string(),
        pattern = load.pattern.words(),
        block = words::block(load.block_bytes),
        depth = load.queue_depth,
        written = words::bytes(start.written_bytes),
        iops = words::fixed(start.iops_mean, 0),
        window = WINDOW,
        spread = percent(start.spread_share, 1),
        spread_max = percent(SPREAD_SHARE_MAX, 0),
        drift = percent(start.drift_share, 1),
        drift_max = percent(DRIFT_SHARE_MAX, 0)
    )
}
