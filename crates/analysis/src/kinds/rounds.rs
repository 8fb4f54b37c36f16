//! Tests in rounds: the rounds that their figures come from, their steady state, sentences and key
//! figures.

use stend_language::{message, text};
use stend_record::figure::FigureId;
use stend_record::review::{Pattern, PointOp, RoundFigures, Rounds, TestResult, Tracked};

use super::{Kind, Named};
use crate::figures::Unit;
use crate::steady::{WINDOW, Window};
use crate::words;

/// Returns the rounds of a test if they are well formed: each has every load, and the tracked one
/// is among them.
pub fn rounds_of(test: &TestResult) -> Option<&Rounds> {
    let rounds = test.rounds()?;
    let loads = rounds.loads.len();
    let whole = rounds.rounds.iter().all(|round| round.len() == loads);
    (rounds.tracked < loads && whole).then_some(rounds)
}

/// The analysis of tests in rounds.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| rounds_of(test).map_or_else(Vec::new, sentences),
    lines: |test| rounds_of(test).map_or_else(String::new, line),
    key_figures: |test| key_figure(test).into_iter().collect(),
};

/// Formats the rounds as a line for a terminal.
fn line(rounds: &Rounds) -> String {
    let line = text!(
        "rounds-line",
        rounds = rounds.rounds.len(),
        loads = rounds.loads.len(),
        gb = words::fixed(rounds.written_bytes as f64 / 1e9, 1)
    );
    format!("  {line}\n")
}

/// The window by which a test in rounds is judged: the steady one, or else the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The tracked figure in the window.
    pub window: Window,
}

impl Judged {
    /// Returns the window of a test; `None` if it has too few rounds.
    pub fn of(rounds: &Rounds) -> Option<Judged> {
        let tracked = rounds.tracked_figures();
        let end = match rounds.steady_from_round {
            Some(from) => (from as usize - 1 + WINDOW).min(tracked.len()),
            None => tracked.len(),
        };
        let window = Window::last(&tracked[..end])?;
        Some(Judged { window })
    }

    /// True if the window meets the definition of steady state.
    pub fn is_steady(&self) -> bool {
        self.window.is_steady()
    }

    /// Returns the numbers of its first and last round, from 1.
    pub fn rounds(&self) -> (u32, u32) {
        let first = self.window.first as u32 + 1;
        (first, first + WINDOW as u32 - 1)
    }

    /// Returns the means of a load over the window; for the slowest request, the slowest of all.
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

/// Reports if the state is steady, and the tracked figure.
fn sentences(rounds: &Rounds) -> Vec<String> {
    let count = rounds.rounds.len();
    let Some(judged) = Judged::of(rounds) else {
        return vec![text!("rounds-too-few", count = count)];
    };
    let load = &rounds.loads[rounds.tracked];
    let figure = match (rounds.figure, load.pattern) {
        (Tracked::LatencyMean, _) => {
            text!(
                "rounds-latency",
                latency = words::latency(judged.window.mean)
            )
        }
        (Tracked::Iops, Pattern::Sequential) => {
            words::speed(judged.window.mean * load.block_bytes as f64)
        }
        (Tracked::Iops, Pattern::Random) => Unit::Iops.words(judged.window.mean),
    };
    let tracked = text!(
        "rounds-tracked",
        pattern = load.pattern.words(),
        op = PointOp::of_share(load.read_percent).words(),
        share = load.read_percent,
        block = words::block(load.block_bytes),
        figure = figure
    );
    let spread = words::percent(judged.window.spread_share);
    let drift = words::percent(judged.window.drift_share).replace('-', "−");
    let (from, to) = judged.rounds();
    let mut arguments = vec![
        ("count", count.into()),
        ("tracked", tracked.into()),
        ("spread", spread.into()),
        ("drift", drift.into()),
    ];
    let id = match (rounds.steady_sought, judged.is_steady()) {
        (true, true) => {
            arguments.extend([("from", from.into()), ("to", to.into())]);
            "rounds-reached"
        }
        (true, false) => "rounds-not-reached",
        (false, true) => "rounds-steady",
        (false, false) => "rounds-not-steady",
    };
    vec![message(id, &arguments)]
}

fn key_figure(test: &TestResult) -> Option<Named> {
    let rounds = rounds_of(test)?;
    let judged = Judged::of(rounds)?;
    let mean = judged.mean_of(rounds, rounds.tracked)?;
    let figure = match judged.is_steady() {
        true => FigureId::TrackedSteady,
        false => FigureId::TrackedLast,
    };
    Some(match rounds.loads[rounds.tracked].pattern {
        Pattern::Sequential => (figure, mean.bw_bytes_per_s, Unit::BytesPerS),
        Pattern::Random => (figure, mean.iops, Unit::Iops),
    })
}
