//! Tests in rounds: the tracked figure round by round with the window that is judged, and
//! every load over that window.

use stend_analysis::kinds::rounds::{Judged, rounds_of};
use stend_analysis::steady::{DRIFT_SHARE_MAX, SPREAD_SHARE_MAX, WINDOW};
use stend_analysis::words::capitalised;
use stend_record::load::Load;
use stend_record::review::{Pattern, Rounds, TestResult, Tracked};

use crate::chart::{Axis, ChartData, Role, Trace};
use crate::drive::Drive;
use crate::number;
use crate::view::{Block, Cell, Draft, Figure, Table};

/// A chart and tables for each drive of a test in rounds; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if rounds_of(test).is_none() {
        return Vec::new();
    }
    let measured = drives.iter().filter_map(|drive| {
        let rounds = rounds_of(drive.test(&test.id)?)?;
        Some((drive, rounds))
    });
    measured
        .map(|(drive, rounds)| {
            let judged = Judged::of(rounds);
            let mut tables = vec![judgement(drive, rounds, judged.as_ref())];
            tables.extend(judged.as_ref().map(|j| cells(drive, rounds, j)));
            tables.push(every_round(drive, rounds));
            Block {
                figures: vec![tracked_chart(drive, rounds, judged.as_ref(), data)],
                tables,
            }
        })
        .collect()
}

fn share_words(load: &Load) -> String {
    match load.read_percent {
        100 => "read".into(),
        0 => "write".into(),
        share => format!("{share}\u{a0}% reads"),
    }
}

fn load_words(load: &Load) -> String {
    format!(
        "{} {} {}, queue depth {}",
        load.pattern.words(),
        number::block(load.block_bytes),
        share_words(load),
        load.queue_depth
    )
}

/// The tracked figure in the unit of its axis.
fn scaled(rounds: &Rounds, value: f64) -> f64 {
    match rounds.figure {
        Tracked::Iops => value,
        Tracked::LatencyMean => value / 1e6,
    }
}

fn tracked_text(rounds: &Rounds, value: f64) -> String {
    match rounds.figure {
        Tracked::Iops => number::iops(value),
        Tracked::LatencyMean => number::latency(value),
    }
}

fn tracked_chart(
    drive: &Drive<'_>,
    rounds: &Rounds,
    judged: Option<&Judged>,
    data: &mut ChartData,
) -> Figure {
    let trace = |name: &str, slot, role, points: Vec<(f64, f64)>| {
        let points: Vec<_> = points.iter().map(|p| (p.0, scaled(rounds, p.1))).collect();
        Trace::through(name, slot, role, &points)
    };
    let numbered = |(i, value): (usize, f64)| ((i + 1) as f64, value);
    let all = rounds
        .tracked_figures()
        .into_iter()
        .enumerate()
        .map(numbered);
    let mut traces = vec![trace("each round", 0, Role::Line, all.collect())];
    if let Some(judged) = judged {
        let (from, to) = judged.rounds();
        let (from, to) = (f64::from(from), f64::from(to));
        let level = |value: f64| vec![(from, value), (to, value)];
        let (mean, drift) = (judged.window.mean, judged.window.drift_share);
        let half = SPREAD_SHARE_MAX / 2.0;
        let line = |end: f64| mean * (1.0 + end * drift / 2.0);
        traces.extend([
            trace("mean of the window", 1, Role::Thin, level(mean)),
            trace(
                "10\u{a0}% above it",
                2,
                Role::Thin,
                level(mean * (1.0 + half)),
            ),
            trace(
                "10\u{a0}% below it",
                3,
                Role::Thin,
                level(mean * (1.0 - half)),
            ),
            trace(
                "least-squares line",
                4,
                Role::Thin,
                vec![(from, line(-1.0)), (to, line(1.0))],
            ),
        ]);
    }
    let (axis, unit) = match rounds.figure {
        Tracked::Iops => ("IOPS", "IOPS"),
        Tracked::LatencyMean => ("Mean latency, ms", "ms"),
    };
    let draft = Draft {
        title: format!(
            "{} by round: {}",
            capitalised(&load_words(&rounds.loads[rounds.tracked])),
            drive.label
        ),
        note: format!(
            "A load is measured for {} in each round. The window is of {WINDOW} rounds.",
            number::duration(rounds.load_s)
        ),
        height_px: 400,
        wide: true,
        x: Axis {
            title: "Round".into(),
            ..Axis::default()
        },
        y: Axis {
            title: axis.into(),
            unit: unit.into(),
            ..Axis::default()
        },
        traces,
        ..Draft::default()
    };
    draft.place(data, None)
}

/// Whether the state is steady, and by which figures.
fn judgement(drive: &Drive<'_>, rounds: &Rounds, judged: Option<&Judged>) -> Table {
    let answer = match (judged, rounds.steady_sought) {
        (Some(j), true) if j.is_steady() => "achieved",
        (_, true) => "not achieved",
        (Some(j), false) if j.is_steady() => "not sought; the last rounds meet it",
        (_, false) => "not sought; the last rounds do not meet it",
    };
    let share = |share: f64| format!("{:.1}\u{a0}%", 100.0 * share);
    let mut rows: Vec<Vec<Cell>> = vec![
        vec!["Steady state".into(), answer.into()],
        vec![
            "Rounds".into(),
            number::whole(rounds.rounds.len() as u64).into(),
        ],
        vec![
            "Written".into(),
            number::gb(rounds.written_bytes as f64).into(),
        ],
    ];
    if let Some(judged) = judged {
        let (from, to) = judged.rounds();
        let window = &judged.window;
        rows.extend([
            vec!["Window".into(), format!("rounds {from} to {to}").into()],
            vec![
                "Mean of the window".into(),
                tracked_text(rounds, window.mean).into(),
            ],
            vec![
                "Greatest less least".into(),
                Cell::noted(
                    share(window.spread_share),
                    format!("of the mean; at most {}", number::percent(SPREAD_SHARE_MAX)),
                ),
            ],
            vec![
                "Rise of the line".into(),
                Cell::noted(
                    share(window.drift_share).replace('-', "−"),
                    format!("of the mean; at most {}", number::percent(DRIFT_SHARE_MAX)),
                ),
            ],
        ]);
    }
    Table::new(
        format!("Steady state by SNIA's definition: {}", drive.label),
        ["", ""],
        rows,
    )
    .fitting()
}

/// Every load over the window: a row a size, a column a share of reads.
fn cells(drive: &Drive<'_>, rounds: &Rounds, judged: &Judged) -> Table {
    let mut shares: Vec<u32> = rounds.loads.iter().map(|l| l.read_percent).collect();
    shares.sort_unstable_by(|a, b| b.cmp(a));
    shares.dedup();
    let mut blocks: Vec<u64> = rounds.loads.iter().map(|l| l.block_bytes).collect();
    blocks.sort_unstable_by(|a, b| b.cmp(a));
    blocks.dedup();
    let cell = |block: u64, share: u32| -> Cell {
        let place = |l: &Load| l.block_bytes == block && l.read_percent == share;
        let Some(mean) = rounds
            .loads
            .iter()
            .position(place)
            .and_then(|load| judged.mean_of(rounds, load))
        else {
            return number::MISSING.into();
        };
        match (rounds.figure, rounds.loads[0].pattern) {
            (Tracked::LatencyMean, _) => Cell::noted(
                number::latency(mean.latency_mean_ns),
                format!("slowest {}", number::latency(mean.latency_max_ns as f64)),
            ),
            (Tracked::Iops, Pattern::Sequential) => number::mb_per_s(mean.bw_bytes_per_s).into(),
            (Tracked::Iops, Pattern::Random) => number::iops(mean.iops).into(),
        }
    };
    let mut columns: Vec<Cell> = vec!["Size".into()];
    columns.extend(shares.iter().map(|&read_percent| {
        Cell::from(capitalised(&share_words(&Load {
            read_percent,
            ..rounds.loads[0]
        })))
    }));
    let rows = blocks.iter().map(|&block| {
        let mut row: Vec<Cell> = vec![number::block(block).into()];
        row.extend(shares.iter().map(|&share| cell(block, share)));
        row
    });
    let (from, to) = judged.rounds();
    let state = match judged.is_steady() {
        true => "in steady state",
        false => "NOT in steady state",
    };
    Table::new(
        format!(
            "Means over rounds {from} to {to}, {state}; MB = 10⁶ bytes: {}",
            drive.label
        ),
        columns,
        rows,
    )
}

fn every_round(drive: &Drive<'_>, rounds: &Rounds) -> Table {
    let figures = rounds.rounds.iter().zip(rounds.tracked_figures());
    let rows = figures.enumerate().map(|(i, (round, tracked))| {
        let load = &round[rounds.tracked];
        vec![
            number::whole(i as u64 + 1).into(),
            tracked_text(rounds, tracked).into(),
            number::latency(load.latency_max_ns as f64).into(),
        ]
    });
    Table::new(
        format!("The tracked load in every round: {}", drive.label),
        ["Round", "Tracked figure", "Slowest request"],
        rows,
    )
    .folded()
    .fitting()
}
