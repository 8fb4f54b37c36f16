//! Tests with a benchmark: its table in the form that users know, rivals side by side, and every
//! pass.

use stend_analysis::load::op_words;
use stend_analysis::words::capitalised;
use stend_language::{say, text};
use stend_record::benchmark::BenchmarkCell;
use stend_record::review::{PointOp, TestResult};

use crate::bars::{self, Bar, BarChart};
use crate::chart::ChartData;
use crate::drive::Drive;
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Returns charts and tables of a benchmark.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], _: &mut ChartData) -> Vec<Block> {
    let mut tables = vec![speed_table(test, drives), latency_table(test, drives)];
    tables.extend(drives.iter().filter_map(|drive| passes_table(test, drive)));
    vec![Block {
        bars: vec![speeds(test, drives)],
        tables,
        ..Block::default()
    }]
}

/// Returns the cell of a drive.
fn cell_of<'a>(
    drive: &Drive<'a>,
    test: &TestResult,
    row: &str,
    op: PointOp,
) -> Option<&'a BenchmarkCell> {
    drive
        .test(&test.id)?
        .benchmark()
        .iter()
        .find(|cell| cell.row == row && cell.load.op == op)
}

/// Returns the names of the rows, in the order of measurement.
fn rows(cells: &[BenchmarkCell]) -> Vec<&str> {
    let mut rows: Vec<&str> = Vec::new();
    for cell in cells {
        if !rows.contains(&cell.row.as_str()) {
            rows.push(&cell.row);
        }
    }
    rows
}

/// Returns the measured directions.
fn ops(cells: &[BenchmarkCell]) -> Vec<PointOp> {
    let all = [PointOp::Read, PointOp::Write, PointOp::Mixed];
    let measured = |op: &PointOp| cells.iter().any(|cell| cell.load.op == *op);
    all.into_iter().filter(measured).collect()
}

/// Returns the head of a direction's column: `Read`, `Write`, `Mix, 70 % reads`.
fn op_head(op: PointOp, cells: &[BenchmarkCell]) -> String {
    let mix = cells.iter().find(|cell| cell.load.op == PointOp::Mixed);
    match (op, mix) {
        (PointOp::Mixed, Some(cell)) => {
            let share = cell.load.read_percent;
            number::bound(&text!("benchmark-mix-head", share = share))
        }
        _ => capitalised(&op_words(op)),
    }
}

fn speeds(test: &TestResult, drives: &[Drive<'_>]) -> BarChart {
    let cells = test.benchmark();
    let group = |cell: &BenchmarkCell| format!("{}, {}", cell.row, op_words(cell.load.op));
    let groups: Vec<String> = cells.iter().map(group).collect();
    let title = text!("benchmark-title", test = test.title.to_string());
    let mut chart = bars::chart(
        title,
        &say("benchmark-axis"),
        &groups,
        drives,
        |slot, nth| {
            let cell = cell_of(&drives[slot], test, &cells[nth].row, cells[nth].load.op)?;
            let bar = Bar::mb_per_s(cell.best_bw_bytes_per_s);
            Some(bar.repeated(&cell.repeated_bw_bytes_per_s, 1e6))
        },
    );
    chart.note = text!(
        "benchmark-note",
        size = number::block(cells[0].load.region_bytes.unwrap_or_default()),
        passes = cells[0].passes.len(),
        time = number::duration(cells[0].duration_s)
    );
    chart
}

/// Returns rows against directions, as in the benchmark's window; the drives side by side.
fn speed_table(test: &TestResult, drives: &[Drive<'_>]) -> Table {
    side_by_side(test, drives, &say("benchmark-speed-caption"), |cell| {
        let speed = number::mb_per_s(cell.best_bw_bytes_per_s);
        Cell::noted(speed, number::iops(cell.best_iops))
            .sure_of(&cell.repeated_bw_bytes_per_s)
            .more(cell.best_iops)
    })
    .on_paper()
}

fn latency_table(test: &TestResult, drives: &[Drive<'_>]) -> Table {
    let caption = say("benchmark-latency-caption");
    side_by_side(test, drives, &caption, |cell| {
        Cell::from(number::latency(cell.best_mean_latency_ns))
            .sure_of(&cell.repeated_mean_latency_ns)
            .less(cell.best_mean_latency_ns)
    })
    .on_paper()
}

fn side_by_side(
    test: &TestResult,
    drives: &[Drive<'_>],
    caption: &str,
    text: impl Fn(&BenchmarkCell) -> Cell,
) -> Table {
    let cells = test.benchmark();
    let ops = ops(cells);
    let heads = drives.iter().flat_map(|drive| {
        let head = |op: &PointOp| Cell::noted(op_head(*op, cells), &drive.label);
        ops.iter().map(head).collect::<Vec<_>>()
    });
    let columns = std::iter::once(say("benchmark-head-row").into()).chain(heads);
    let row = |name: &str| {
        let figures = drives.iter().flat_map(|drive| {
            let found = ops.iter().map(|op| cell_of(drive, test, name, *op));
            found.map(|cell| cell.map(&text).into())
        });
        std::iter::once(name.into()).chain(figures).collect()
    };
    let table = Table::new(caption, columns, rows(cells).into_iter().map(row));
    table.comparing(Compared::InRow(ops.len()))
}

/// Returns a table of every pass that counts.
fn passes_table(test: &TestResult, drive: &Drive<'_>) -> Option<Table> {
    let cells = drive.test(&test.id)?.benchmark();
    let passes = cells.iter().map(|cell| cell.passes.len()).max()?;
    let heads = (1..=passes).map(|n| text!("benchmark-head-pass", number = n));
    let columns = std::iter::once(say("benchmark-head-row")).chain(heads);
    let row = |cell: &BenchmarkCell| {
        let head = Cell::from(format!("{}, {}", cell.row, op_words(cell.load.op)));
        let figures = cell.passes.iter().map(|pass| {
            Cell::noted(
                number::mb_per_s(pass.bw_bytes_per_s),
                number::latency(pass.latency_ns.mean),
            )
        });
        let mut row: Vec<Cell> = std::iter::once(head).chain(figures).collect();
        row.resize(passes + 1, number::MISSING.into());
        row
    };
    Some(
        Table::new(
            text!("benchmark-passes-caption", drive = &drive.label),
            columns,
            cells.iter().map(row),
        )
        .folded(),
    )
}
