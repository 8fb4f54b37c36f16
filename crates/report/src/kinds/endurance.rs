//! A drive written until it refuses: its speed and its health over the bytes written.

use stend_analysis::kinds::endurance::endurance_of;
use stend_analysis::words::capitalised;
use stend_record::endurance::{Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::review::TestResult;

use crate::chart::{Axis, Chart, ChartData, Role, Trace};
use crate::drive::{Drive, measured};
use crate::number;
use crate::view::{Block, Cell, Table};

/// Rounds that the table of them shows at most; of more, evenly chosen ones.
const ROWS_MAX: usize = 200;

/// Charts and tables for each drive of a test of endurance; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if endurance_of(test).is_none() {
        return Vec::new();
    }
    let measured = measured(drives, test, endurance_of).into_iter();
    measured
        .map(|(drive, endurance)| Block {
            figures: charts(drive, endurance)
                .into_iter()
                .map(|chart| chart.place(data, None))
                .collect(),
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

/// The charts of a drive: those for which it has figures.
fn charts(drive: &Drive<'_>, endurance: &Endurance) -> Vec<Chart> {
    let line = |name: &str, slot, figure: &dyn Fn(&EnduranceRound) -> Option<f64>| {
        let points: Vec<(f64, f64)> = cumulated(endurance)
            .filter_map(|(tb, round)| Some((tb, figure(round)?)))
            .collect();
        (!points.is_empty()).then(|| Trace::through(name, slot, Role::Line, points))
    };
    let health = |name, slot, figure: fn(&Health) -> Option<u64>| {
        line(name, slot, &|round| Some(figure(&round.health?)? as f64))
    };
    let chart = |what: &str, y: Axis, traces: Vec<Option<Trace>>| Chart {
        title: format!("{what}: {}", drive.label),
        x: Axis::new("Written, TB (10¹² bytes)", "TB"),
        y,
        traces: traces.into_iter().flatten().collect(),
        ..Chart::default()
    };
    let load = &endurance.load;
    let mut speeds = chart(
        "Speed of each round, against what was written",
        Axis::new("MB/s", "MB/s"),
        vec![line("speed", 0, &|round| Some(round.bw_bytes_per_s / 1e6))],
    );
    let repeated = match endurance.rounds_repeated() {
        0 => String::new(),
        repeated => format!(
            " Of {} rounds {} were not simulated, but taken to be like the one before.",
            number::whole(endurance.rounds_done()),
            number::whole(repeated)
        ),
    };
    speeds.note = format!(
        "{} write, {}, queue depth {}. A round writes {}.{repeated}",
        capitalised(load.pattern.words()),
        number::block(load.block_bytes),
        load.queue_depth,
        number::gb(endurance.round_bytes as f64)
    );
    let life = chart(
        "Life of the drive, as it reports it",
        Axis::new("Percent", "%"),
        vec![
            health("rated life used", 0, |h| h.used_percent),
            health("spare blocks left", 1, |h| h.spare_percent),
            health("spare blocks, threshold", 2, |h| h.spare_threshold_percent),
        ],
    );
    let amplification = chart(
        "Write amplification of each round",
        Axis::new("Bytes in flash for each of the host's", ""),
        vec![line("write amplification", 0, &|round| {
            round.write_amplification
        })],
    );
    let mut charts = vec![speeds];
    charts.extend(
        [life, amplification]
            .into_iter()
            .filter(|c| !c.traces.is_empty()),
    );
    charts
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
            "Of the rated life".into(),
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
    let caption = format!("How it ended; GB = 10⁹ bytes: {}", drive.label);
    Table::of_facts(caption, rows)
}

fn rounds_table(drive: &Drive<'_>, endurance: &Endurance) -> Table {
    let count = endurance.rounds.len();
    let every = count.div_ceil(ROWS_MAX).max(1);
    let mut done = 0;
    let shown = cumulated(endurance).enumerate().map(|(i, (tb, round))| {
        done += round.count();
        (i, (done, tb, round))
    });
    let shown = shown.filter(|(i, _)| i % every == 0 || i + 1 == count);
    let whole = |value: Option<u64>| value.map(number::whole).into();
    let rows = shown.map(|(_, (done, tb, round))| {
        let health = round.health.unwrap_or_default();
        let cycles = health.erase_cycles.map(|cycles| cycles.mean);
        vec![
            match round.repeats {
                0 => number::whole(done).into(),
                repeats => Cell::noted(
                    number::whole(done),
                    format!("{} not simulated", number::whole(repeats)),
                ),
            },
            number::gb(tb * 1e3 * 1e9).into(),
            number::mb_per_s(round.bw_bytes_per_s).into(),
            number::latency(round.latency_max_ns as f64).into(),
            round.write_amplification.map(number::plain).into(),
            whole(health.used_percent),
            whole(health.spare_percent),
            cycles.map(number::plain).into(),
            whole(health.retired_blocks),
            health.temperature_c.map(|c| c.to_string()).into(),
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
