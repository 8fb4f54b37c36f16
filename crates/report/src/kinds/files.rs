//! Tests of work on files: bars of speed by set, and a table of the sets.

use stend_analysis::kinds::files::set_words;
use stend_language::{say, text};
use stend_record::review::{FileWork, TestResult};

use crate::bars::{self, Bar, BarChart};
use crate::chart::ChartData;
use crate::drive::{Drive, measured_lists};
use crate::number;
use crate::view::{Block, Cell, Compared, Table};

/// Returns a chart and a table of a test of work on files.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], _: &mut ChartData) -> Vec<Block> {
    let measured = measured_lists(drives, test, TestResult::files);
    vec![Block {
        bars: vec![speeds(test, drives)],
        tables: measured
            .iter()
            .map(|(drive, works)| facts(drive, works))
            .collect(),
        ..Block::default()
    }]
}

/// Finds a drive's work on the same set of the same size, scaled or not.
fn same<'d>(drive: &Drive<'d>, id: &str, work: &FileWork) -> Option<&'d FileWork> {
    let works = drive.test(id)?.files();
    works
        .iter()
        .find(|other| other.set == work.set && other.set_bytes == work.set_bytes)
}

fn speeds(test: &TestResult, drives: &[Drive<'_>]) -> BarChart {
    let works = test.files();
    let groups: Vec<String> = works.iter().map(set_words).collect();
    let title = text!("files-title", op = works[0].op.name());
    bars::chart(title, &say("files-axis"), &groups, drives, |slot, nth| {
        let found = same(&drives[slot], &test.id, &works[nth])?;
        let bar = Bar::mb_per_s(found.bw_bytes_per_s);
        Some(bar.repeated(&found.repeated_bw_bytes_per_s, 1e6))
    })
}

fn facts(drive: &Drive<'_>, works: &[FileWork]) -> Table {
    let rows = works.iter().map(|work| {
        let requests = |count: u64, bytes: u64| {
            Cell::noted(
                number::gb(bytes as f64),
                text!(
                    "files-requests",
                    count = count,
                    requests = number::whole(count)
                ),
            )
        };
        let done = work.requests.as_ref();
        let speed = number::mb_per_s(work.bw_bytes_per_s);
        vec![
            set_words(work).into(),
            number::gb(work.set_bytes as f64).into(),
            number::whole(work.files).into(),
            number::whole(work.directories).into(),
            Cell::from(number::seconds(work.duration_s))
                .sure_of(&work.repeated_duration_s)
                .less(work.duration_s),
            Cell::from(speed)
                .sure_of(&work.repeated_bw_bytes_per_s)
                .more(work.bw_bytes_per_s),
            done.map(|r| requests(r.reads, r.read_bytes)).into(),
            done.map(|r| requests(r.writes, r.written_bytes)).into(),
            done.map(|r| number::whole(r.flushes)).into(),
        ]
    });
    Table::new(
        text!("files-caption", drive = &drive.label),
        vec![
            say("files-head-set").into(),
            say("files-head-size").into(),
            say("files-head-files").into(),
            say("files-head-directories").into(),
            Cell::noted(say("head-time"), say("files-head-time-note")),
            say("head-speed").into(),
            say("head-read").into(),
            say("head-written").into(),
            say("files-head-flushes").into(),
        ],
        rows,
    )
    .comparing(Compared::BetweenTables(1))
    .on_paper()
}
