//! A drive written until it refuses: its speed and its health over the bytes
//! written.

use stend_analysis::kinds::endurance::endurance_of;
use stend_analysis::words::capitalised;
use stend_record::endurance::{Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::review::TestResult;

use crate::chart::{Axis, ChartData, Role, Trace};
use crate::drive::Drive;
use crate::number;
use crate::view::{Block, Cell, Draft, Figure, Table};

/// Rounds that the table of them shows at most; of more, evenly chosen ones.
const ROWS_MAX: usize = 200;

/// Charts and tables for each drive of a test of endurance; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if endurance_of(test).is_none() {
        return Vec::new();
    }
    let worn = drives
        .iter()
        .filter_map(|drive| Some((drive, endurance_of(drive.test(&test.id)?)?)));
    worn.map(|(drive, endurance)| Block {
        figures: charts(drive, endurance, data),
        tables: vec![outcome(drive, endurance), rounds_table(drive, endurance)],
    })
    .collect()
}

/// The rounds, each with the TB that were written until its end.
fn cumulated(endurance: &Endurance) -> impl Iterator<Item = (f64, &EnduranceRound)> {
    let mut written = 0.0;
    endurance.rounds.iter().map(move |round| {
        written += round.written_bytes as f64;
        (written / 1e12, round)
    })
}

fn draft(title: String, note: String, axis: &str, unit: &str, traces: Vec<Trace>) -> Draft {
    Draft {
        title,
        note,
        x: Axis {
            title: "Written, TB (10¹² bytes)".into(),
            unit: "TB".into(),
            ..Axis::default()
        },
        y: Axis {
            title: axis.into(),
            unit: unit.into(),
            ..Axis::default()
        },
        traces,
        ..Draft::default()
    }
}

fn charts(drive: &Drive<'_>, endurance: &Endurance, data: &mut ChartData) -> Vec<Figure> {
    let load = &endurance.load;
    let speeds: Vec<(f64, f64)> = cumulated(endurance)
        .map(|(tb, round)| (tb, round.bw_bytes_per_s / 1e6))
        .collect();
    let what = format!(
        "{} write, {}, queue depth {}",
        capitalised(load.pattern.words()),
        number::block(load.block_bytes),
        load.queue_depth
    );
    let note = format!(
        "{what}. A round writes {}.",
        number::gb(endurance.round_bytes as f64)
    );
    let mut figures = vec![
        draft(
            format!(
                "Speed of each round, against what was written: {}",
                drive.label
            ),
            note,
            "MB/s",
            "MB/s",
            vec![Trace::through("speed", 0, Role::Line, &speeds)],
        )
        .place(data, None),
    ];
    let told = |of: fn(&Health) -> Option<u64>| -> Vec<(f64, f64)> {
        cumulated(endurance)
            .filter_map(|(tb, round)| Some((tb, of(&round.health?)? as f64)))
            .collect()
    };
    let lines = [
        ("rated life used", told(|h| h.used_percent)),
        ("spare blocks left", told(|h| h.spare_percent)),
        (
            "spare blocks, threshold",
            told(|h| h.spare_threshold_percent),
        ),
    ];
    let traces: Vec<Trace> = lines
        .iter()
        .enumerate()
        .filter(|(_, (_, points))| !points.is_empty())
        .map(|(slot, (name, points))| Trace::through(name, slot, Role::Line, points))
        .collect();
    if !traces.is_empty() {
        let title = format!("What the drive tells of its life: {}", drive.label);
        figures.push(draft(title, String::new(), "Percent", "%", traces).place(data, None));
    }
    let amplification: Vec<(f64, f64)> = cumulated(endurance)
        .filter_map(|(tb, round)| Some((tb, round.write_amplification?)))
        .collect();
    if !amplification.is_empty() {
        let title = format!("Write amplification of each round: {}", drive.label);
        let traces = vec![Trace::through(
            "write amplification",
            0,
            Role::Line,
            &amplification,
        )];
        let axis = "Bytes in flash for each of the host's";
        figures.push(draft(title, String::new(), axis, "", traces).place(data, None));
    }
    figures
}

/// How it ended.
fn outcome(drive: &Drive<'_>, endurance: &Endurance) -> Table {
    let written = endurance.written_bytes as f64;
    let end = match (endurance.end, &endurance.refusal) {
        (EnduranceEnd::Refused, Some(refusal)) => {
            Cell::noted("the drive refused a write", refusal.as_str())
        }
        (EnduranceEnd::Refused, None) => "the drive refused a write".into(),
        (EnduranceEnd::Budget, _) => "the budget was used up; NOT worn out".into(),
        (EnduranceEnd::Unfinished, _) => "not at its end yet".into(),
    };
    let times = |of: f64| format!("{}\u{a0}times", number::plain(written / of));
    let mut rows: Vec<Vec<Cell>> = vec![
        vec!["End".into(), end],
        vec!["Written".into(), number::gb(written).into()],
        vec![
            "Of the capacity".into(),
            times(drive.info.capacity_bytes as f64).into(),
        ],
    ];
    if let Some(rated) = endurance.rated_bytes {
        let of = format!("of {}", number::gb(rated as f64));
        rows.push(vec![
            "Of what is rated".into(),
            Cell::noted(times(rated as f64), of),
        ]);
    }
    if let Some(budget) = endurance.budget_bytes {
        rows.push(vec![
            "Write budget".into(),
            number::gb(budget as f64).into(),
        ]);
    }
    if let Some(after) = endurance.afterwards {
        if let Some(refused) = after.write_refused {
            let said = if refused { "refused" } else { "taken" };
            rows.push(vec!["One more write".into(), said.into()]);
        }
        rows.push(vec![
            "Read afterwards".into(),
            Cell::noted(
                number::gb(after.read_bytes as f64),
                format!(
                    "of {}, {} reads failed; what was read is not compared",
                    number::gb(after.asked_bytes as f64),
                    number::whole(after.failed_reads)
                ),
            ),
        ]);
    }
    Table::new(
        format!("How it ended; GB = 10⁹ bytes: {}", drive.label),
        ["", ""],
        rows,
    )
    .fitting()
}

fn rounds_table(drive: &Drive<'_>, endurance: &Endurance) -> Table {
    let count = endurance.rounds.len();
    let every = count.div_ceil(ROWS_MAX).max(1);
    let shown = cumulated(endurance)
        .enumerate()
        .filter(|(i, _)| i % every == 0 || i + 1 == count);
    let whole = |value: Option<u64>| value.map_or(number::MISSING.into(), number::whole);
    let rows = shown.map(|(i, (tb, round))| {
        let health = round.health.unwrap_or_default();
        let cycles = health.erase_cycles.map(|cycles| cycles.mean);
        let figure = |value: Option<f64>| value.map_or(number::MISSING.into(), number::plain);
        vec![
            number::whole(i as u64 + 1).into(),
            number::gb(tb * 1e3 * 1e9).into(),
            number::mb_per_s(round.bw_bytes_per_s).into(),
            number::latency(round.latency_max_ns as f64).into(),
            figure(round.write_amplification).into(),
            whole(health.used_percent).into(),
            whole(health.spare_percent).into(),
            figure(cycles).into(),
            whole(health.retired_blocks).into(),
            health
                .temperature_c
                .map_or(number::MISSING.to_string(), |c| c.to_string())
                .into(),
        ]
    });
    let which = match every {
        1 => String::new(),
        n => format!(", every {n}th of {count} and the last"),
    };
    Table::new(
        format!("The rounds{which}; GB = 10⁹ bytes: {}", drive.label),
        [
            "Round",
            "Written so far",
            "Speed",
            "Slowest request",
            "Write amplification",
            "Life used, %",
            "Spare left, %",
            "Erase cycles, mean",
            "Retired blocks",
            "Temperature, °C",
        ],
        rows,
    )
    .folded()
}
