//! What is said of a test in rounds.

use stend_record::review::{Pattern, PointOp, Rounds, Tracked};

use crate::rounds::Judged;
use crate::words;

/// Whether the state is steady, and the tracked figure.
pub(super) fn sentences(rounds: &Rounds) -> Vec<String> {
    let count = rounds.rounds.len();
    let Some(judged) = Judged::of(rounds) else {
        return vec![format!(
            "{count} rounds are too few to speak of a steady state."
        )];
    };
    let load = &rounds.loads[rounds.tracked];
    let figure = match (rounds.figure, load.pattern) {
        (Tracked::LatencyMean, _) => {
            format!("a mean latency of {}", words::latency(judged.window.mean))
        }
        (Tracked::Iops, Pattern::Sequential) => {
            words::speed(judged.window.mean * load.block_bytes as f64)
        }
        (Tracked::Iops, Pattern::Random) => format!("{} IOPS", words::number(judged.window.mean)),
    };
    let what = match load.read_percent {
        100 => PointOp::Read.words().to_owned(),
        0 => PointOp::Write.words().to_owned(),
        share => format!("access, {share} % reads,"),
    };
    let tracked = format!(
        "{} {what} of {} at {figure}",
        load.pattern.words(),
        words::block(load.block_bytes)
    );
    let spread = words::percent(judged.window.spread_share);
    let drift = words::percent(judged.window.drift_share.abs());
    let (from, to) = judged.rounds();
    let shape = format!("it spreads by {spread} and drifts by {drift}");
    vec![match (rounds.steady_sought, judged.is_steady()) {
        (true, true) => format!(
            "Steady state is reached after {count} rounds, {tracked} (rounds {from} to {to}; {shape})."
        ),
        (true, false) => format!(
            "Steady state is not reached in {count} rounds; the last have {tracked}, and {shape}."
        ),
        (false, true) => format!("After {count} rounds it has {tracked}, and is steady: {shape}."),
        (false, false) => {
            format!("After {count} rounds it has {tracked}, and is not steady: {shape}.")
        }
    }]
}
