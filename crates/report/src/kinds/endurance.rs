//! A drive written until it refuses: its speed and its health over the bytes written.

use stend_analysis::kinds::endurance::is_whole;
use stend_language::{say, text};
use stend_record::endurance::{Afterwards, Endurance, EnduranceEnd, EnduranceRound, Health};
use stend_record::review::TestResult;

use crate::chart::{Axis, Band, Chart, ChartData, Mark, Role, Trace};
use crate::drive::{Drive, measured};
use crate::latency::{self, Form, Side};
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Most rounds in the table; of more, evenly spaced ones are chosen.
const ROWS_MAX: usize = 200;

/// Greatest ratio of the highest to the lowest latency on an even axis.
const EVEN_MAX: f64 = 20.0;

/// Most points of a line that are drawn large.
const POINTS_MAX: usize = 40;

/// Returns charts and tables for each drive of an endurance test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let measured = measured(drives, test, TestResult::endurance).into_iter();
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

/// Returns the rounds, each with the TB written up to its end.
fn cumulated(endurance: &Endurance) -> impl Iterator<Item = (f64, &EnduranceRound)> {
    let mut written = 0;
    endurance.rounds.iter().map(move |round| {
        written += round.written_bytes;
        (written as f64 / 1e12, round)
    })
}

/// Returns the charts of a drive for which it has figures.
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

/// Completes a chart of figures of the rounds, over the bytes written.
fn over_bytes(chart: Chart, drive: &Drive<'_>, endurance: &Endurance) -> Chart {
    let end_tb = endurance.written_bytes as f64 / 1e12;
    let rated = rated_mark(endurance);
    let within = rated.iter().filter(|mark| mark.at <= end_tb);
    Chart {
        title: format!("{}: {}", chart.title, drive.label),
        x: Axis {
            range: Some([0.0, 1.02 * end_tb]),
            ..Axis::new(&say("axis-written-tb"), "TB")
        },
        marks: within.cloned().collect(),
        bands: repeated(endurance),
        ..chart
    }
}

/// Marks the point at which the drive's rated bytes were written, in TB of the test. `None` if it
/// is unknown or was before the test.
fn rated_mark(endurance: &Endurance) -> Option<Mark> {
    let rated = endurance.rated_bytes?;
    let before = endurance.before.and_then(|h| h.host_written_bytes);
    let left = rated.checked_sub(before.unwrap_or(0))?;
    Some(Mark {
        at: number::significant(left as f64 / 1e12, 5),
        text: text!(
            "endurance-mark-rated",
            tb = number::plain(rated as f64 / 1e12)
        ),
    })
}

/// Returns the stretches of rounds that were not simulated.
fn repeated(endurance: &Endurance) -> Vec<Band> {
    let rounded = |tb| number::significant(tb, 5);
    let rounds = cumulated(endurance).filter(|(_, round)| round.repeats > 0);
    rounds
        .map(|(tb, round)| Band {
            from: rounded(tb - round.written_bytes as f64 / 1e12),
            to: rounded(tb),
            text: say("endurance-band"),
        })
        .collect()
}

/// Returns a line through the measured rounds. Rounds that were assumed to repeat one are not
/// points of it.
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

/// Returns a line through the rounds that were measured and are whole, for figures that differ in a
/// shorter last round.
fn line_of_whole(
    endurance: &Endurance,
    name: (&str, usize),
    figure: impl Fn(&EnduranceRound) -> Option<f64>,
) -> Option<Trace> {
    let whole = |round: &EnduranceRound| is_whole(endurance, round);
    line(endurance, name, |round| {
        whole(round).then(|| figure(round)).flatten()
    })
}

/// Returns a line through points, if there are any, with the message of its name; a thin one
/// through many.
fn traced((name, slot): (&str, usize), points: Vec<(f64, f64)>) -> Option<Trace> {
    let role = if points.len() > POINTS_MAX {
        Role::Thin
    } else {
        Role::Line
    };
    (!points.is_empty()).then(|| Trace::through(say(name), slot, role, points))
}

/// Returns a line of a figure that the drive reports.
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

/// Creates a chart without its horizontal axis, with the message of its title.
fn chart<const N: usize>(title: &str, y: Axis, traces: [Option<Trace>; N]) -> Chart {
    Chart {
        title: say(title),
        y,
        traces: traces.into_iter().flatten().collect(),
        ..Chart::default()
    }
}

fn speed(endurance: &Endurance) -> Chart {
    let load = &endurance.load;
    let mut note = vec![text!(
        "endurance-note",
        pattern = load.pattern.words(),
        block = number::block(load.block_bytes),
        depth = load.queue_depth,
        bytes = number::gb(endurance.round_bytes as f64)
    )];
    note.extend(match endurance.rounds_repeated() {
        0 => None,
        repeated => Some(text!(
            "endurance-note-repeated",
            rounds = number::whole(endurance.rounds_done()),
            repeated = number::whole(repeated)
        )),
    });
    let end_tb = endurance.written_bytes as f64 / 1e12;
    let beyond = rated_mark(endurance).filter(|mark| mark.at > end_tb);
    note.extend(beyond.map(|mark| text!("endurance-note-rated", tb = number::plain(mark.at))));
    Chart {
        note: note.join(" "),
        ..chart(
            "endurance-speed-title",
            Axis::new(&say("endurance-axis-speed"), "MB/s"),
            [line_of_whole(
                endurance,
                ("endurance-trace-speed", 0),
                |round| Some(round.bw_bytes_per_s / 1e6),
            )],
        )
    }
}

fn latency(endurance: &Endurance) -> Chart {
    let us = |ns: u64| latency::place_us(ns as f64);
    let usual = |round: &EnduranceRound| round.latency_p99_9_ns.and_then(us);
    let slowest = |round: &EnduranceRound| us(round.latency_max_ns);
    let whole = endurance.rounds.iter();
    let whole = whole.filter(|round| is_whole(endurance, round));
    let least = whole.filter_map(usual).fold(f64::INFINITY, f64::min);
    let most = endurance
        .rounds
        .iter()
        .filter_map(slowest)
        .fold(0.0, f64::max);
    let form = match most > EVEN_MAX * least {
        true => Form::Log,
        false => Form::Even,
    };
    let mut drawn = chart(
        "endurance-latency-title",
        Axis::default(),
        [
            line_of_whole(endurance, ("endurance-trace-tail", 0), usual),
            line(endurance, ("endurance-trace-slowest", 1), slowest),
        ],
    );
    drawn.y = latency::axis(&mut drawn.traces, Side::Y, form);
    drawn
}

fn amplification(endurance: &Endurance) -> Chart {
    chart(
        "endurance-amplification-title",
        Axis::new(&say("endurance-axis-amplification"), ""),
        [line_of_whole(
            endurance,
            ("endurance-trace-amplification", 0),
            |round| round.write_amplification,
        )],
    )
}

fn life(endurance: &Endurance) -> Chart {
    chart(
        "endurance-life-title",
        Axis::new(&say("endurance-axis-percent"), "%"),
        [
            told(endurance, ("endurance-trace-used", 0), |h| h.used_percent),
            told(endurance, ("endurance-trace-spare", 1), |h| h.spare_percent),
            told(endurance, ("endurance-trace-threshold", 2), |h| {
                h.spare_threshold_percent
            }),
        ],
    )
}

fn cycles(endurance: &Endurance) -> Chart {
    let mean = |round: &EnduranceRound| Some(round.health?.erase_cycles?.mean);
    chart(
        "endurance-cycles-title",
        Axis {
            unit: say("endurance-unit-cycles"),
            ..Axis::new(&say("endurance-axis-cycles"), "")
        },
        [
            line(endurance, ("word-mean", 0), mean),
            told(endurance, ("endurance-trace-most", 1), |h| {
                h.erase_cycles?.max
            }),
            told(endurance, ("endurance-trace-fewest", 2), |h| {
                h.erase_cycles?.min
            }),
        ],
    )
}

fn temperature(endurance: &Endurance) -> Chart {
    let note = "endurance-temperature-note";
    Chart {
        note: if_repeated(endurance, note),
        ..chart(
            "endurance-temperature-title",
            Axis::new(&say("axis-temperature"), "°C"),
            [line(
                endurance,
                ("endurance-trace-temperature", 0),
                |round| Some(round.health?.temperature_c? as f64),
            )],
        )
    }
}

/// Returns a note that applies only if rounds were not simulated.
fn if_repeated(endurance: &Endurance, note: &str) -> String {
    match endurance.rounds_repeated() {
        0 => String::new(),
        _ => say(note),
    }
}

fn failed_blocks(endurance: &Endurance) -> Chart {
    let fails = |h: Health| h.program_fails.or(h.erase_fails).is_some();
    let told_apart = endurance.rounds.iter().any(|r| r.health.is_some_and(fails));
    let note = match told_apart {
        true => if_repeated(endurance, "endurance-fails-note"),
        false => String::new(),
    };
    let chart = chart(
        "endurance-fails-title",
        Axis::new(&say("endurance-axis-fails"), ""),
        [
            told(endurance, ("endurance-trace-retired", 0), |h| {
                h.retired_blocks
            }),
            told(endurance, ("endurance-trace-programs", 1), |h| {
                h.program_fails
            }),
            told(endurance, ("endurance-trace-erases", 2), |h| h.erase_fails),
        ],
    );
    Chart { note, ..chart }
}

/// Returns a line of the increase of a figure that the drive reports, over each measured round.
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

/// Draws errors of each round, because rounds that were not simulated add none. Empty if no round
/// has any: a load that only writes reads little.
fn errors(endurance: &Endurance) -> Chart {
    let figures = [
        more(endurance, ("endurance-trace-retries", 0), |h| {
            h.read_retries
        }),
        more(endurance, ("endurance-trace-rebuilt", 1), |h| {
            h.rebuilt_pages
        }),
        more(endurance, ("endurance-trace-unreadable", 2), |h| {
            h.media_errors
        }),
    ];
    let any = figures.iter().flatten().any(Trace::is_anything);
    let title = "endurance-errors-title";
    let y = Axis::new(&say("endurance-axis-errors"), "");
    match any {
        true => chart(title, y, figures),
        false => chart(title, y, []),
    }
}

/// Returns a table of the outcome.
fn outcome(drive: &Drive<'_>, endurance: &Endurance) -> Table {
    let written = endurance.written_bytes as f64;
    let end = match (endurance.end, &endurance.refusal) {
        (EnduranceEnd::Refused, Some(refusal)) => {
            Cell::noted(say("endurance-refused"), refusal.clone())
        }
        (EnduranceEnd::Refused, None) => say("endurance-refused").into(),
        (EnduranceEnd::Budget, _) => say("endurance-budget-over").into(),
        (EnduranceEnd::Unfinished, _) => say("endurance-unfinished").into(),
    };
    let times = |of: f64| {
        let number = number::plain(written / of);
        number::bound(&text!(
            "times",
            count = number::significant(written / of, 3),
            number = number
        ))
    };
    // The bytes written until the budget was spent, or so far, are not the drive's endurance.
    let borne = |cell: Cell, figure: f64| match endurance.end {
        EnduranceEnd::Refused => cell.more(figure),
        EnduranceEnd::Budget | EnduranceEnd::Unfinished => cell,
    };
    let capacity = drive.info.capacity_bytes as f64;
    let mut rows: Vec<Vec<Cell>> = vec![
        vec![say("head-end").into(), end],
        vec![
            say("head-written").into(),
            borne(number::gb(written).into(), written),
        ],
        vec![
            say("endurance-head-capacity").into(),
            borne(times(capacity).into(), written / capacity),
        ],
    ];
    if let Some(rated) = endurance.rated_bytes {
        let tb = |bytes: f64| number::plain(bytes / 1e12);
        let (written_tb, rated_tb) = (tb(written), tb(rated as f64));
        let of = text!("endurance-rated-of", written = written_tb, rated = rated_tb);
        rows.push(vec![
            say("endurance-head-rated").into(),
            borne(Cell::noted(times(rated as f64), of), written / rated as f64),
        ]);
    }
    if let Some(budget) = endurance.budget_bytes {
        rows.push(vec![
            say("endurance-head-budget").into(),
            number::gb(budget as f64).into(),
        ]);
    }
    rows.extend(endurance.afterwards.iter().flat_map(afterwards));
    let caption = text!("endurance-end-caption", drive = &drive.label);
    Table::of_facts(caption, rows).comparing(Compared::BetweenTables(1))
}

/// Returns rows on the drive's state after its end.
fn afterwards(after: &Afterwards) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    if let Some(refused) = after.write_refused {
        let said = say(match refused {
            true => "endurance-one-more-refused",
            false => "endurance-one-more-taken",
        });
        rows.push(vec![say("endurance-head-one-more").into(), said.into()]);
    }
    let (read, asked) = (after.read_bytes as f64, after.asked_bytes as f64);
    let note = text!(
        "endurance-afterwards-note",
        asked = number::gb(asked),
        count = after.failed_reads,
        failed = number::whole(after.failed_reads)
    );
    rows.push(vec![
        say("endurance-head-afterwards").into(),
        Cell::noted(number::gb(read), note).more(read / asked),
    ]);
    rows
}

/// A round in the table: number of rounds at its end, TB written so far, and the round.
type Row<'a> = (u64, f64, &'a EnduranceRound);

/// A column of the table: the message of its head, and the cell of a round; `None` if unknown.
type Column = (&'static str, fn(&Row<'_>) -> Option<Cell>);

/// Columns of a round. A column that is empty in every round is left out.
const COLUMNS: [Column; 17] = [
    ("endurance-column-round", |(done, _, round)| {
        let repeats = number::whole(round.repeats);
        Some(match round.repeats {
            0 => number::whole(*done).into(),
            _ => Cell::noted(
                number::whole(*done),
                text!(
                    "endurance-column-repeated",
                    count = round.repeats,
                    repeats = repeats
                ),
            ),
        })
    }),
    ("endurance-column-written", |(_, tb, _)| {
        Some(number::gb(tb * 1e12).into())
    }),
    ("head-speed", |(_, _, round)| {
        Some(number::mb_per_s(round.bw_bytes_per_s).into())
    }),
    ("endurance-column-tail", |(_, _, round)| {
        Some(number::latency(round.latency_p99_9_ns? as f64).into())
    }),
    ("endurance-column-slowest", |(_, _, round)| {
        Some(number::latency(round.latency_max_ns as f64).into())
    }),
    ("endurance-column-amplification", |(_, _, round)| {
        Some(number::plain(round.write_amplification?).into())
    }),
    ("endurance-column-used", |row| {
        count(row, |h| h.used_percent)
    }),
    ("endurance-column-spare", |row| {
        count(row, |h| h.spare_percent)
    }),
    ("endurance-column-cycles", |(_, _, round)| {
        Some(number::plain(round.health?.erase_cycles?.mean).into())
    }),
    ("endurance-column-most", |row| {
        count(row, |h| h.erase_cycles?.max)
    }),
    ("endurance-column-retired", |row| {
        count(row, |h| h.retired_blocks)
    }),
    ("endurance-column-programs", |row| {
        count(row, |h| h.program_fails)
    }),
    ("endurance-column-erases", |row| {
        count(row, |h| h.erase_fails)
    }),
    ("endurance-column-retries", |row| {
        count(row, |h| h.read_retries)
    }),
    ("endurance-column-rebuilt", |row| {
        count(row, |h| h.rebuilt_pages)
    }),
    ("endurance-column-unreadable", |row| {
        count(row, |h| h.media_errors)
    }),
    ("endurance-column-temperature", |(_, _, round)| {
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
    let drive = &drive.label;
    let caption = match every {
        1 => text!("endurance-rounds-caption", drive = drive),
        n => {
            let id = "endurance-rounds-caption-some";
            text!(id, every = n, count = count, drive = drive)
        }
    };
    Table::new(caption, columns.iter().map(|(head, _)| say(head)), rows).folded()
}
