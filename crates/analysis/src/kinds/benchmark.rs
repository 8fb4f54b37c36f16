//! Benchmarks: sentences about rows and passes, and key figures.

use stend_language::{say, text};
use stend_record::benchmark::BenchmarkCell;
use stend_record::figure::FigureId;
use stend_record::review::PointOp;

use super::{Kind, Named};
use crate::figures::{LEVEL_SHARE, Unit};
use crate::load::op_column;
use crate::words;

/// The analysis of benchmarks.
pub(super) const KIND: Kind = Kind {
    sentences: |test, _| sentences(test.benchmark()),
    lines: |test| test.benchmark().iter().map(line).collect(),
    key_figures: |test| key_figures(test.benchmark()),
};

/// Formats a row in one direction as a line for a terminal.
fn line(cell: &BenchmarkCell) -> String {
    let line = text!(
        "benchmark-line",
        row = format!("{:<14}", cell.row),
        op = op_column(cell.load.op),
        mb_per_s = format!("{:>9}", words::fixed(cell.best_bw_bytes_per_s / 1e6, 1)),
        us = format!("{:>8}", words::fixed(cell.best_mean_latency_ns / 1e3, 1))
    );
    format!("  {line}\n")
}

/// Describes the rows in a sentence, and the spread of the passes of which the best is shown.
fn sentences(cells: &[BenchmarkCell]) -> Vec<String> {
    if cells.is_empty() {
        return Vec::new();
    }
    let parts: Vec<String> = [PointOp::Read, PointOp::Write, PointOp::Mixed]
        .into_iter()
        .filter_map(|op| ends(op, cells))
        .collect();
    let mut out = vec![words::capitalised(&format!("{}.", parts.join("; ")))];
    out.extend(apart(cells));
    out
}

/// Formats the extremes: `it reads at 51.6 MB/s (4K) to 528 MB/s (Seq)`.
fn ends(op: PointOp, cells: &[BenchmarkCell]) -> Option<String> {
    let of_op = || cells.iter().filter(|cell| cell.load.op == op);
    let by_speed = |a: &&BenchmarkCell, b: &&BenchmarkCell| {
        a.best_bw_bytes_per_s.total_cmp(&b.best_bw_bytes_per_s)
    };
    let (slow, fast) = (of_op().min_by(by_speed)?, of_op().max_by(by_speed)?);
    let speed = |cell: &BenchmarkCell| words::speed(cell.best_bw_bytes_per_s);
    Some(match slow.row == fast.row {
        true => text!(
            "benchmark-one",
            op = op.words(),
            slow = speed(slow),
            slow_row = &slow.row
        ),
        false => text!(
            "benchmark-range",
            op = op.words(),
            slow = speed(slow),
            slow_row = &slow.row,
            fast = speed(fast),
            fast_row = &fast.row
        ),
    })
}

/// Returns the share by which the slowest pass of a cell lies below the fastest.
fn spread(cell: &BenchmarkCell) -> f64 {
    let slowest = cell.passes.iter().map(|pass| pass.bw_bytes_per_s);
    let slowest = slowest.fold(cell.best_bw_bytes_per_s, f64::min);
    1.0 - slowest / cell.best_bw_bytes_per_s
}

fn apart(cells: &[BenchmarkCell]) -> Option<String> {
    let widest = cells
        .iter()
        .max_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    let share = spread(widest);
    Some(if share > LEVEL_SHARE {
        text!(
            "benchmark-apart",
            share = words::percent(share),
            row = &widest.row,
            op = widest.load.op.words()
        )
    } else {
        say("benchmark-level")
    })
}

fn key_figures(cells: &[BenchmarkCell]) -> Vec<Named> {
    let figure = |cell: &BenchmarkCell| {
        let (row, op) = (cell.row.clone(), cell.load.op);
        let figure = FigureId::Row { row, op };
        (figure, cell.best_bw_bytes_per_s, Unit::BytesPerS)
    };
    cells.iter().map(figure).collect()
}
