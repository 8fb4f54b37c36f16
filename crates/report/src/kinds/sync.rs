//! Tests of durable writes: bars of writes a second, latency by interval, and tables of latency by
//! percentile.

use stend_analysis::kinds::sync::{is_same, point_words, stream_words, sync_points_of};
use stend_analysis::words::capitalised;
use stend_language::{say, text};
use stend_record::load::PointOp;
use stend_record::review::{SyncPoint, SyncStream, TestResult};

use crate::bars::{self, Bar, BarChart};
use crate::chart::{Axis, Chart, ChartData, Role, Trace};
use crate::drive::{Drive, measured_lists};
use crate::latency::{self, Form, Side};
use crate::number;
use crate::view::Block;

/// Returns charts and tables of a test of durable writes; empty for any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    let points = sync_points_of(test);
    if points.is_empty() {
        return Vec::new();
    }
    let in_intervals = points.iter().filter(|point| !point.intervals.is_empty());
    let figures = in_intervals.map(|point| over_time(test, point, drives).place(data, None));
    let measured = measured_lists(drives, test, sync_points_of);
    let tables = measured.iter().map(|(drive, points)| {
        let rows: Vec<latency::Row<'_>> = points.iter().flat_map(latency_rows).collect();
        let caption = text!("latency-caption-sync", drive = &drive.label);
        latency::table(caption, &say("head-requests"), &rows).on_paper()
    });
    vec![Block {
        bars: vec![speeds(test, drives)],
        figures: figures.collect(),
        tables: tables.collect(),
    }]
}

/// Finds the same point of a drive.
fn same<'d>(drive: &Drive<'d>, id: &str, point: &SyncPoint) -> Option<&'d SyncPoint> {
    let points = sync_points_of(drive.test(id)?);
    points.iter().find(|other| is_same(other, point))
}

fn label(point: &SyncPoint) -> String {
    number::bound(&capitalised(&point_words(point)))
}

/// Draws writes a second of the main stream of each point; the commits are noted beside the bar.
fn speeds(test: &TestResult, drives: &[Drive<'_>]) -> BarChart {
    let points = sync_points_of(test);
    let groups: Vec<String> = points.iter().map(label).collect();
    bars::chart(
        say("sync-title"),
        &say("sync-axis"),
        &groups,
        drives,
        |slot, nth| {
            let stream = &same(&drives[slot], &test.id, &points[nth])?.streams[0];
            let bar = Bar {
                at: stream.writes_per_s,
                text: number::plain(stream.writes_per_s),
                note: durable_words(stream),
                half_width: None,
            };
            Some(bar.repeated(&stream.repeated_writes_per_s, 1.0))
        },
    )
}

fn durable_words(stream: &SyncStream) -> String {
    let mut note = match stream.commits_per_s {
        0.0 => say("sync-not-synced"),
        commits => text!("sync-commits-bar", commits = number::plain(commits)),
    };
    if stream.load.op == PointOp::Mixed {
        let reads = stream.iops - stream.writes_per_s;
        let reads = text!("sync-reads-bar", reads = number::plain(reads));
        note += &format!(", {reads}");
    }
    note
}

/// Draws the 99.9 % and the slowest of each interval.
fn over_time(test: &TestResult, point: &SyncPoint, drives: &[Drive<'_>]) -> Chart {
    let mut traces: Vec<Trace> = Vec::new();
    for drive in drives {
        let Some(found) = same(drive, &test.id, point) else {
            continue;
        };
        let series = [
            ("sync-commits-tail", Role::Line, 0),
            ("sync-commits-slowest", Role::Thin, 1),
            ("sync-reads-tail", Role::Line, 2),
            ("sync-reads-slowest", Role::Thin, 3),
        ];
        for (what, role, place) in series {
            let values = found.intervals.iter().filter_map(|interval| {
                let ns = match place {
                    0 => Some(interval.write_p99_9_ns),
                    1 => Some(interval.write_max_ns),
                    2 => interval.read_p99_9_ns,
                    _ => interval.read_max_ns,
                };
                Some((interval.t_s, latency::place_us(ns? as f64)?))
            });
            let values: Vec<(f64, f64)> = values.collect();
            if !values.is_empty() {
                let name = text!(what, drive = &drive.label);
                traces.push(Trace::through(name, traces.len(), role, values));
            }
        }
    }
    Chart {
        title: text!("sync-time-title", load = label(point)),
        height_px: 440,
        wide: true,
        x: Axis::new(&say("axis-time"), "s"),
        y: latency::axis(&mut traces, Side::Y, Form::Log),
        traces,
        ..Chart::default()
    }
}

/// Returns the distributions of a point: reads, writes and flushes of each stream.
fn latency_rows(point: &SyncPoint) -> Vec<latency::Row<'_>> {
    let mut rows = Vec::new();
    for (nth, stream) in point.streams.iter().enumerate() {
        let words = stream_words(stream);
        let name = match nth {
            0 => capitalised(&words),
            _ => text!("sync-beside-row", stream = words),
        };
        let parts = [
            ("word-reads", &stream.read_latency_ns),
            ("word-writes", &stream.write_latency_ns),
            ("word-flushes", &stream.sync_latency_ns),
        ];
        let parts = parts.into_iter().filter_map(|(what, latency)| {
            Some(latency::Row {
                name: number::bound(&format!("{name}: {}", say(what))),
                latency: latency.as_ref()?,
                histogram: None,
                cpu_ns: None,
            })
        });
        rows.extend(parts);
    }
    rows
}
