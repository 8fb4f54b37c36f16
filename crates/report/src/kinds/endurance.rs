//! A drive written until it refuses: its speed and its health over the bytes written.

use stend_analysis::kinds::endurance::endurance_of;
use stend_analysis::words::capitalised;
use stend_record::endurance::{Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::review::TestResult;

use crate::chart::{Axis, Band, Chart, ChartData, Mark, Role, Scale, Trace};
use crate::drive::{Drive, measured};
use crate::number;
use crate::view::{Block, Cell, Table};

/// Rounds that the table of them shows at most; of more, evenly chosen ones.
const ROWS_MAX: usize = 200;

/// How many times the lowest latency the highest is at most on an even axis.
const EVEN_MAX: f64 = 20.0;

/// Points of a line that are drawn large at most.
const POINTS_MAX: usize = 40;

/// Charts and tables for each drive of a test of endurance; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if endurance_of(test).is_none() {
        return Vec::new();
    }
    let measured = measured(drives, test, endurance_of).into_iter();
    measured
        .map(|(drive, endurance)| {
            let charts = charts(drive, endurance).into_iter();
            Block::drawn(
                charts.map(|chart| chart.place(data, None)).collect(),
                vec![outcome(drive, endurance), rounds_table(drive, endurance)],
            )
        })
        .collect()
}

/// The rounds, each with the TB that were written until its end.
fn cumulated(endurance: &Endurance) -> impl Iterator<Item = (f64, &EnduranceRound)> {
    let mut written = 0;
    endurance.rounds.iter().map(move |round| {
        written += round.written_bytes;
        (written as f64 / 1e12, round)
    })
}

/// The charts of a drive: those for which it has figures.
fn charts(drive: &Drive<'_>, endurance: &Endurance) -> Vec<Chart> {
    let all = [
        speed(endurance),
        latency(endurance),
        amplification(endurance),
        life(endurance),
        cycles(endurance),
        temperature(endurance),
        failed_blocks(endurance),
        errors(endurance),
    ];
    let all = all.into_iter().filter(|chart| !chart.traces.is_empty());
    all.map(|chart| over_bytes(chart, drive, endurance))
        .collect()
}

/// A chart of what the rounds came to, against what was written.
fn over_bytes(chart: Chart, drive: &Drive<'_>, endurance: &Endurance) -> Chart {
    let end_tb = endurance.written_bytes as f64 / 1e12;
    let rated = rated_mark(endurance);
    let within = rated.iter().filter(|mark| mark.at <= end_tb);
    Chart {
        title: format!("{}: {}", chart.title, drive.label),
        x: Axis {
            range: Some([0.0, 1.02 * end_tb]),
            ..Axis::new("Written, TB (10¹² bytes)", "TB")
        },
        marks: within.cloned().collect(),
        bands: repeated(endurance),
        ..chart
    }
}

/// Where the drive has been written as much as it is rated for, in TB of the test. `None` where
/// that is not known, or was before the test.
fn rated_mark(endurance: &Endurance) -> Option<Mark> {
    let rated = endurance.rated_bytes?;
    let before = endurance.before.and_then(|h| h.host_written_bytes);
    let left = rated.checked_sub(before.unwrap_or(0))?;
    Some(Mark {
        at: number::significant(left as f64 / 1e12, 5),
        text: format!("rated life, {} TB", number::plain(rated as f64 / 1e12)),
    })
}

/// The stretches of rounds that were not simulated.
fn repeated(endurance: &Endurance) -> Vec<Band> {
    let rounded = |tb| number::significant(tb, 5);
    let rounds = cumulated(endurance).filter(|(_, round)| round.repeats > 0);
    rounds
        .map(|(tb, round)| Band {
            from: rounded(tb - round.written_bytes as f64 / 1e12),
            to: rounded(tb),
            text: "not simulated".to_owned(),
        })
        .collect()
}

/// A line through the rounds that were measured. Those that were taken to repeat one are none of
/// its points.
fn line(
    endurance: &Endurance,
    (name, slot): (&str, usize),
    figure: impl Fn(&EnduranceRound) -> Option<f64>,
) -> Option<Trace> {
    let rounds = cumulated(endurance).filter(|(_, round)| round.repeats == 0);
    let points: Vec<(f64, f64)> = rounds
        .filter_map(|(tb, round)| Some((tb, figure(round)?)))
        .collect();
    traced((name, slot), points)
}

/// A line through points, if there are any; a thin one through many.
fn traced((name, slot): (&str, usize), points: Vec<(f64, f64)>) -> Option<Trace> {
    let role = if points.len() > POINTS_MAX {
        Role::Thin
    } else {
        Role::Line
    };
    (!points.is_empty()).then(|| Trace::through(name, slot, role, points))
}

/// A line of what the drive tells.
fn told(
    endurance: &Endurance,
    name: (&str, usize),
    figure: impl Fn(&Health) -> Option<u64>,
) -> Option<Trace> {
    line(
        endurance,
        name,
        |round| Some(figure(&round.health?)? as f64),
    )
}

/// A chart without its horizontal axis.
fn chart<const N: usize>(title: &str, y: Axis, traces: [Option<Trace>; N]) -> Chart {
    Chart {
        title: title.to_owned(),
        y,
        traces: traces.into_iter().flatten().collect(),
        ..Chart::default()
    }
}

fn speed(endurance: &Endurance) -> Chart {
    let load = &endurance.load;
    let repeated = match endurance.rounds_repeated() {
        0 => String::new(),
        repeated => format!(
            " Of {} rounds {} were not simulated, but taken to be like the one before (shaded in \
             all charts); every point is a round that was.",
            number::whole(endurance.rounds_done()),
            number::whole(repeated)
        ),
    };
    let end_tb = endurance.written_bytes as f64 / 1e12;
    let rated = match rated_mark(endurance) {
        Some(mark) if mark.at > end_tb => format!(
            " Its rated life would end at {} TB, beyond these charts.",
            number::plain(mark.at)
        ),
        _ => String::new(),
    };
    let note = format!(
        "{} write, {}, queue depth {}. A round writes {}.{repeated}{rated}",
        capitalised(load.pattern.words()),
        number::block(load.block_bytes),
        load.queue_depth,
        number::gb(endurance.round_bytes as f64)
    );
    Chart {
        note,
        ..chart(
            "Speed of each round, against what was written",
            Axis::new("MB/s", "MB/s"),
            [line(endurance, ("speed", 0), |round| {
                Some(round.bw_bytes_per_s / 1e6)
            })],
        )
    }
}

fn latency(endurance: &Endurance) -> Chart {
    let ms = |ns: u64| (ns > 0).then_some(ns as f64 / 1e6);
    let usual = |round: &EnduranceRound| round.latency_p99_9_ns.and_then(ms);
    let slowest = |round: &EnduranceRound| ms(round.latency_max_ns);
    let rounds = || endurance.rounds.iter();
    let least = rounds().filter_map(usual).fold(f64::INFINITY, f64::min);
    let most = rounds().filter_map(slowest).fold(0.0, f64::max);
    let scale = if most > EVEN_MAX * least {
        Scale::Log
    } else {
        Scale::Linear
    };
    chart(
        "Latency of each round",
        Axis {
            scale,
            ..Axis::new("Latency, ms", "ms")
        },
        [
            line(endurance, ("99.9 % of the writes", 0), usual),
            line(endurance, ("slowest write", 1), slowest),
        ],
    )
}

fn amplification(endurance: &Endurance) -> Chart {
    chart(
        "Write amplification of each round",
        Axis::new("Bytes in flash for each of the host's", ""),
        [line(endurance, ("write amplification", 0), |round| {
            round.write_amplification
        })],
    )
}

fn life(endurance: &Endurance) -> Chart {
    chart(
        "Life of the drive, as it reports it",
        Axis::new("Percent", "%"),
        [
            told(endurance, ("rated life used", 0), |h| h.used_percent),
            told(endurance, ("spare blocks left", 1), |h| h.spare_percent),
            told(endurance, ("spare blocks, threshold", 2), |h| {
                h.spare_threshold_percent
            }),
        ],
    )
}

fn cycles(endurance: &Endurance) -> Chart {
    let mean = |round: &EnduranceRound| Some(round.health?.erase_cycles?.mean);
    chart(
        "Erase cycles of the blocks",
        Axis::new("Erase cycles", "cycles"),
        [
            line(endurance, ("mean", 0), mean),
            told(endurance, ("most", 1), |h| h.erase_cycles?.max),
            told(endurance, ("fewest", 2), |h| h.erase_cycles?.min),
        ],
    )
}

fn temperature(endurance: &Endurance) -> Chart {
    let note = "In rounds that were not simulated no time passes: a drive warms up in the others.";
    Chart {
        note: if_repeated(endurance, note),
        ..chart(
            "Temperature at the end of each round",
            Axis::new("Temperature, °C", "°C"),
            [line(endurance, ("temperature", 0), |round| {
                Some(round.health?.temperature_c? as f64)
            })],
        )
    }
}

/// A note that only matters where rounds were not simulated.
fn if_repeated(endurance: &Endurance, note: &str) -> String {
    match endurance.rounds_repeated() {
        0 => String::new(),
        _ => note.to_owned(),
    }
}

fn failed_blocks(endurance: &Endurance) -> Chart {
    let fails = |h: Health| h.program_fails.or(h.erase_fails).is_some();
    let told_apart = endurance.rounds.iter().any(|r| r.health.is_some_and(fails));
    let note = match told_apart {
        true => if_repeated(
            endurance,
            "Whether it was a program or an erase is known of rounds that were simulated alone.",
        ),
        false => String::new(),
    };
    let chart = chart(
        "Blocks that failed, in the drive's life",
        Axis::new("Blocks; programs and erases", ""),
        [
            told(endurance, ("blocks out of use", 0), |h| h.retired_blocks),
            told(endurance, ("failed programs", 1), |h| h.program_fails),
            told(endurance, ("failed erases", 2), |h| h.erase_fails),
        ],
    );
    Chart { note, ..chart }
}

/// A line of how much more of something the drive tells after each round that was measured.
fn more(
    endurance: &Endurance,
    (name, slot): (&str, usize),
    figure: impl Fn(&Health) -> Option<u64>,
) -> Option<Trace> {
    let mut before = endurance.before;
    let points: Vec<(f64, f64)> = cumulated(endurance)
        .filter_map(|(tb, round)| {
            let last = std::mem::replace(&mut before, round.health);
            let grown = figure(&round.health?)?.checked_sub(figure(&last?)?)?;
            (round.repeats == 0).then_some((tb, grown as f64))
        })
        .collect();
    traced((name, slot), points)
}

/// Of each round, for rounds that were not simulated add none. Nothing where no round has any: a
/// load that only writes reads little.
fn errors(endurance: &Endurance) -> Chart {
    let figures = [
        more(endurance, ("read retries", 0), |h| h.read_retries),
        more(endurance, ("pages rebuilt from parity", 1), |h| {
            h.rebuilt_pages
        }),
        more(endurance, ("could not be read", 2), |h| h.media_errors),
    ];
    let any = figures.iter().flatten().any(Trace::is_anything);
    let title = "Errors of the flash in each round";
    let y = Axis::new("Times in a round", "");
    match any {
        true => chart(title, y, figures),
        false => chart(title, y, []),
    }
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
        let tb = |bytes: f64| number::plain(bytes / 1e12);
        let of = format!("{} of {}\u{a0}TB", tb(written), tb(rated as f64));
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

/// A round in the table: how many were done at its end, TB written until then, and itself.
type Row<'a> = (u64, f64, &'a EnduranceRound);

/// A column of the table: its head, and the cell of a round; none where it is not known.
type Column = (&'static str, fn(&Row<'_>) -> Option<Cell>);

/// What the table tells of a round. A column of which no round has anything is left out.
const COLUMNS: [Column; 17] = [
    ("Round", |(done, _, round)| {
        let repeats = number::whole(round.repeats);
        Some(match round.repeats {
            0 => number::whole(*done).into(),
            _ => Cell::noted(number::whole(*done), format!("{repeats} not simulated")),
        })
    }),
    ("Written so far", |(_, tb, _)| {
        Some(number::gb(tb * 1e12).into())
    }),
    ("Speed", |(_, _, round)| {
        Some(number::mb_per_s(round.bw_bytes_per_s).into())
    }),
    ("99.9 % of the writes", |(_, _, round)| {
        Some(number::latency(round.latency_p99_9_ns? as f64).into())
    }),
    ("Slowest write", |(_, _, round)| {
        Some(number::latency(round.latency_max_ns as f64).into())
    }),
    ("Write amplification", |(_, _, round)| {
        Some(number::plain(round.write_amplification?).into())
    }),
    ("Life used, %", |row| count(row, |h| h.used_percent)),
    ("Spare left, %", |row| count(row, |h| h.spare_percent)),
    ("Erase cycles, mean", |(_, _, round)| {
        Some(number::plain(round.health?.erase_cycles?.mean).into())
    }),
    ("Erase cycles, most", |row| {
        count(row, |h| h.erase_cycles?.max)
    }),
    ("Blocks out of use", |row| count(row, |h| h.retired_blocks)),
    ("Failed programs", |row| count(row, |h| h.program_fails)),
    ("Failed erases", |row| count(row, |h| h.erase_fails)),
    ("Read retries", |row| count(row, |h| h.read_retries)),
    ("Rebuilt pages", |row| count(row, |h| h.rebuilt_pages)),
    ("Could not be read", |row| count(row, |h| h.media_errors)),
    ("Temperature, °C", |(_, _, round)| {
        Some(round.health?.temperature_c?.to_string().into())
    }),
];

fn count((_, _, round): &Row<'_>, of: fn(&Health) -> Option<u64>) -> Option<Cell> {
    Some(number::whole(of(&round.health?)?).into())
}

fn rounds_table(drive: &Drive<'_>, endurance: &Endurance) -> Table {
    let count = endurance.rounds.len();
    let every = count.div_ceil(ROWS_MAX).max(1);
    let mut done = 0;
    let shown: Vec<Row<'_>> = cumulated(endurance)
        .map(|(tb, round)| {
            done += round.count();
            (done, tb, round)
        })
        .enumerate()
        .filter(|(i, _)| i % every == 0 || i + 1 == count)
        .map(|(_, row)| row)
        .collect();
    let known = |(_, cell): &Column| shown.iter().any(|row| cell(row).is_some());
    let columns: Vec<Column> = COLUMNS.into_iter().filter(known).collect();
    let rows = shown.iter().map(|row| {
        let cells = columns.iter().map(|(_, cell)| cell(row).into());
        cells.collect()
    });
    let which = match every {
        1 => String::new(),
        n => format!(", one in {n} of {count}, and the last"),
    };
    Table::new(
        format!("The rounds{which}; GB = 10⁹ bytes: {}", drive.label),
        columns.iter().map(|(head, _)| *head),
        rows,
    )
    .folded()
}
