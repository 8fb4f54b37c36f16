//! Recovery ladders: the volume recovered in each rest, and then the curves themselves.

use stend_language::{say, text};
use stend_record::review::{Rung, TestResult};

use super::curve;
use crate::chart::{Axis, Chart, ChartData, Role, Scale, Trace};
use crate::drive::{Drive, measured_lists};
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Returns charts and a table of a ladder.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let measured = measured_lists(drives, test, TestResult::rungs);
    let recovered = chart(
        "ladder-restored-title",
        Axis::new(&say("axis-gb"), "GB"),
        &measured,
        |rung| rung.recovered_bytes as f64 / 1e9,
    );
    let speeds = chart(
        "ladder-speed-title",
        Axis::new(&say("axis-iops"), "IOPS"),
        &measured,
        |rung| rung.iops_start,
    );
    let tables = measured.iter().map(|(drive, rungs)| table(drive, rungs));
    let rests = Block::drawn(
        vec![recovered.place(data, None), speeds.place(data, None)],
        tables.collect(),
    );
    let curves = curve::blocks(test, drives, data);
    std::iter::once(rests).chain(curves).collect()
}

fn chart(
    title: &str,
    y: Axis,
    measured: &[(&Drive<'_>, &[Rung])],
    figure: impl Fn(&Rung) -> f64,
) -> Chart {
    let mut traces = Vec::new();
    for (drive, rungs) in measured {
        for trim in [false, true] {
            let of: Vec<&Rung> = rungs.iter().filter(|r| r.trim == trim).collect();
            if of.is_empty() {
                continue;
            }
            let id = match trim {
                true => "ladder-with-trim",
                false => "ladder-without-trim",
            };
            let name = text!(id, drive = &drive.label);
            let points = of.iter().map(|rung| (rung.idle_s, figure(rung)));
            traces.push(Trace::through(name, traces.len(), Role::Line, points));
        }
    }
    let mut rests: Vec<f64> = measured
        .iter()
        .flat_map(|(_, rungs)| rungs.iter().map(|r| number::significant(r.idle_s, 5)))
        .collect();
    rests.sort_by(f64::total_cmp);
    rests.dedup();
    Chart {
        title: say(title),
        x: Axis {
            scale: Scale::Log,
            tick_texts: rests.iter().map(|s| number::duration(*s)).collect(),
            tick_values: rests,
            ..Axis::new(&say("axis-rest"), "s")
        },
        y,
        traces,
        ..Chart::default()
    }
}

fn table(drive: &Drive<'_>, rungs: &[Rung]) -> Table {
    let rows = rungs.iter().map(|rung| {
        let recovered = rung.recovered_bytes as f64;
        let bytes = number::gb(recovered);
        vec![
            number::duration(rung.idle_s).into(),
            say(match rung.trim {
                true => "ladder-yes",
                false => "ladder-no",
            })
            .into(),
            Cell::from(number::iops(rung.iops_start)).more(rung.iops_start),
            match (rung.recovered_bytes, rung.fell) {
                (0, _) => Cell::from(say("ladder-back-nothing")),
                (_, true) => bytes.into(),
                (_, false) => Cell::noted(bytes, say("ladder-not-fallen")),
            }
            .more(recovered),
        ]
    });
    Table::new(
        text!("ladder-caption", drive = &drive.label),
        vec![
            say("ladder-head-rest").into(),
            say("ladder-head-trim").into(),
            Cell::noted(say("ladder-head-speed"), say("ladder-head-speed-note")),
            say("curve-fast-writes").into(),
        ],
        rows,
    )
    .comparing(Compared::BetweenTables(2))
    .fitting()
}
