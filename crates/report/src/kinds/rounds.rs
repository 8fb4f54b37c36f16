//! Tests in rounds: the tracked figure round by round with the judged window, and every load over
//! that window.

use stend_analysis::kinds::rounds::{Judged, rounds_of};
use stend_analysis::steady::{DRIFT_SHARE_MAX, SPREAD_SHARE_MAX, WINDOW};
use stend_analysis::words::capitalised;
use stend_language::{numeral, say, text};
use stend_record::load::Load;
use stend_record::review::{Pattern, Rounds, TestResult, Tracked};

use crate::chart::{Axis, Chart, ChartData, Role, Trace};
use crate::drive::{Drive, measured};
use crate::latency::{self, Form, Side};
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Returns a chart and tables for each drive of a test in rounds; empty for any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if rounds_of(test).is_none() {
        return Vec::new();
    }
    let measured = measured(drives, test, rounds_of).into_iter();
    measured
        .map(|(drive, rounds)| {
            let judged = Judged::of(rounds);
            let mut tables = vec![judgement(drive, rounds, judged.as_ref())];
            tables.extend(judged.as_ref().map(|j| cells(drive, rounds, j)));
            tables.push(every_round(drive, rounds));
            let chart = tracked_chart(drive, rounds, judged.as_ref());
            Block::drawn(vec![chart.place(data, None)], tables)
        })
        .collect()
}

fn share_words(read_percent: u32) -> String {
    text!("rounds-share", share = read_percent)
}

/// Returns the title of the chart of a load.
fn load_title(load: &Load) -> String {
    capitalised(&text!(
        "rounds-title",
        pattern = load.pattern.words(),
        block = number::block(load.block_bytes),
        share = load.read_percent,
        depth = load.queue_depth
    ))
}

fn tracked_text(rounds: &Rounds, value: f64) -> String {
    match rounds.figure {
        Tracked::Iops => number::iops(value),
        Tracked::LatencyMean => number::latency(value),
    }
}

fn tracked_chart(drive: &Drive<'_>, rounds: &Rounds, judged: Option<&Judged>) -> Chart {
    let mut lines = vec![Line {
        name: "rounds-each",
        role: Role::Line,
        points: (1..).map(f64::from).zip(rounds.tracked_figures()).collect(),
    }];
    lines.extend(judged.into_iter().flat_map(window_lines));
    let unit = match rounds.figure {
        Tracked::Iops => 1.0,
        Tracked::LatencyMean => 1e3,
    };
    let traces = lines.into_iter().enumerate().map(|(slot, line)| {
        let points = line.points.into_iter().map(|(x, value)| (x, value / unit));
        Trace::through(say(line.name), slot, line.role, points)
    });
    let mut traces: Vec<Trace> = traces.collect();
    let y = match rounds.figure {
        Tracked::Iops => Axis::new(&say("axis-iops"), "IOPS"),
        Tracked::LatencyMean => latency::axis(&mut traces, Side::Y, Form::EvenMeans),
    };
    Chart {
        title: format!(
            "{}: {}",
            load_title(&rounds.loads[rounds.tracked]),
            drive.label
        ),
        note: text!(
            "rounds-note",
            time = number::duration(rounds.load_s),
            window = WINDOW
        ),
        height_px: 400,
        wide: true,
        x: Axis::new(&say("axis-round"), ""),
        y,
        traces,
        ..Chart::default()
    }
}

/// A line of tracked figures, in their own unit, by round.
struct Line {
    /// Message of its name.
    name: &'static str,
    role: Role,
    points: Vec<(f64, f64)>,
}

/// Returns the lines by which the figures of the window are judged.
fn window_lines(judged: &Judged) -> [Line; 4] {
    let (from, to) = judged.rounds();
    let (mean, drift) = (judged.window.mean, judged.window.drift_share);
    let half = SPREAD_SHARE_MAX / 2.0;
    let line = |name, first, last| Line {
        name,
        role: Role::Thin,
        points: vec![(f64::from(from), first), (f64::from(to), last)],
    };
    let level = |name, factor: f64| line(name, mean * factor, mean * factor);
    let fitted = |end: f64| mean * (1.0 + end * drift / 2.0);
    [
        level("rounds-window-mean", 1.0),
        level("rounds-above", 1.0 + half),
        level("rounds-below", 1.0 - half),
        line("rounds-line-fitted", fitted(-1.0), fitted(1.0)),
    ]
}

/// Returns a table with the judgement of the state, and its figures.
fn judgement(drive: &Drive<'_>, rounds: &Rounds, judged: Option<&Judged>) -> Table {
    let answer = match (judged, rounds.steady_sought) {
        (Some(j), true) if j.is_steady() => "rounds-achieved",
        (_, true) => "rounds-not-achieved",
        (Some(j), false) if j.is_steady() => "rounds-unsought-met",
        (_, false) => "rounds-unsought-not-met",
    };
    let share = |share: f64| format!("{}\u{a0}%", numeral(&format!("{:.1}", 100.0 * share)));
    let mut rows: Vec<Vec<Cell>> = vec![
        vec![say("rounds-head-state").into(), say(answer).into()],
        vec![
            say("rounds-head-rounds").into(),
            number::whole(rounds.rounds.len() as u64).into(),
        ],
        vec![
            say("head-written").into(),
            number::gb(rounds.written_bytes as f64).into(),
        ],
    ];
    if let Some(judged) = judged {
        let (from, to) = judged.rounds();
        let window = &judged.window;
        rows.extend([
            vec![
                say("rounds-head-window").into(),
                text!("rounds-from-to", from = from, to = to).into(),
            ],
            vec![
                say("rounds-head-mean").into(),
                tracked_text(rounds, window.mean).into(),
            ],
            vec![
                say("rounds-head-spread").into(),
                Cell::noted(
                    share(window.spread_share),
                    text!("rounds-at-most", share = number::percent(SPREAD_SHARE_MAX)),
                ),
            ],
            vec![
                say("rounds-head-drift").into(),
                Cell::noted(
                    share(window.drift_share).replace('-', "−"),
                    text!("rounds-at-most", share = number::percent(DRIFT_SHARE_MAX)),
                ),
            ],
        ]);
    }
    let caption = text!("rounds-caption", drive = &drive.label);
    Table::of_facts(caption, rows)
}

/// Returns every load over the window: a row for each size, a column for each share of reads.
fn cells(drive: &Drive<'_>, rounds: &Rounds, judged: &Judged) -> Table {
    let mut shares: Vec<u32> = rounds.loads.iter().map(|l| l.read_percent).collect();
    shares.sort_unstable_by(|a, b| b.cmp(a));
    shares.dedup();
    let mut blocks: Vec<u64> = rounds.loads.iter().map(|l| l.block_bytes).collect();
    blocks.sort_unstable_by(|a, b| b.cmp(a));
    blocks.dedup();
    let cell = |block: u64, share: u32| -> Cell {
        let place = |l: &Load| l.block_bytes == block && l.read_percent == share;
        let load = rounds.loads.iter().position(place);
        let mean = load.and_then(|load| judged.mean_of(rounds, load));
        mean.map(|mean| match (rounds.figure, rounds.loads[0].pattern) {
            (Tracked::LatencyMean, _) => Cell::noted(
                number::latency(mean.latency_mean_ns),
                text!(
                    "rounds-cell-slowest",
                    latency = number::latency(mean.latency_max_ns as f64)
                ),
            )
            .less(mean.latency_mean_ns),
            (Tracked::Iops, Pattern::Sequential) => {
                Cell::from(number::mb_per_s(mean.bw_bytes_per_s)).more(mean.bw_bytes_per_s)
            }
            (Tracked::Iops, Pattern::Random) => Cell::from(number::iops(mean.iops)).more(mean.iops),
        })
        .into()
    };
    let heads = shares.iter().map(|&share| capitalised(&share_words(share)));
    let columns = std::iter::once(say("rounds-head-size")).chain(heads);
    let rows = blocks.iter().map(|&block| {
        let figures = shares.iter().map(|&share| cell(block, share));
        std::iter::once(number::block(block).into())
            .chain(figures)
            .collect()
    });
    let (from, to) = judged.rounds();
    let state = match judged.is_steady() {
        true => "rounds-means-steady",
        false => "rounds-means-not-steady",
    };
    Table::new(
        text!(state, from = from, to = to, drive = &drive.label),
        columns,
        rows,
    )
    .comparing(Compared::BetweenTables(1))
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
        text!("rounds-every-caption", drive = &drive.label),
        [
            "rounds-head-round",
            "rounds-head-tracked",
            "rounds-head-slowest",
        ]
        .map(say),
        rows,
    )
    .folded()
    .fitting()
}
