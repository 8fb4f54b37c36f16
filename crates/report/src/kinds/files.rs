//! Tests of work on files: bars of speed by set, and a table of what was worked on.

use stend_analysis::kinds::files::{files_of, set_words};
use stend_record::review::{FileWork, TestResult};

use crate::bars::{self, Bar, mb_per_s};
use crate::chart::ChartData;
use crate::drive::Drive;
use crate::number;
use crate::view::{Block, Cell, Figure, Table};

/// A chart and a table of a test of work on files; nothing of any other test.
pub(crate) fn blocks(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Vec<Block> {
    if files_of(test).is_empty() {
        return Vec::new();
    }
    let mut tables = Vec::new();
    for drive in drives {
        let works = drive.test(&test.id).map_or(&[][..], files_of);
        if !works.is_empty() {
            tables.push(facts(drive, works));
        }
    }
    vec![Block {
        figures: vec![speeds(test, drives, data)],
        tables,
    }]
}

/// A drive's work on the same set of the same size, scaled or not.
fn same<'d>(drive: &Drive<'d>, id: &str, work: &FileWork) -> Option<&'d FileWork> {
    let works = files_of(drive.test(id)?);
    works
        .iter()
        .find(|other| other.set == work.set && other.set_bytes == work.set_bytes)
}

fn speeds(test: &TestResult, drives: &[Drive<'_>], data: &mut ChartData) -> Figure {
    let works = files_of(test);
    let groups: Vec<String> = works.iter().map(set_words).collect();
    let rows = works.iter().zip(&groups).map(|(work, name)| {
        let cell = |drive: &Drive<'_>| match same(drive, &test.id, work) {
            Some(found) => Cell::from(number::mb_per_s(found.bw_bytes_per_s)),
            None => number::MISSING.into(),
        };
        let figures = drives.iter().map(cell);
        std::iter::once(name.as_str().into())
            .chain(figures)
            .collect()
    });
    let labels = drives.iter().map(|drive| drive.label.as_str().into());
    let table = Table::new(
        "MB/s, MB = 10⁶ bytes: bytes of the set over the time",
        std::iter::once(Cell::from("Set")).chain(labels),
        rows,
    );
    let title = format!("Speed of {} by set of files", works[0].op.name());
    let draft = bars::draft(title, mb_per_s(""), &groups, drives, |slot, nth| {
        let found = same(&drives[slot], &test.id, &works[nth])?;
        Some(Bar::mb_per_s(found.bw_bytes_per_s))
    });
    draft.place(data, Some(table))
}

fn facts(drive: &Drive<'_>, works: &[FileWork]) -> Table {
    let rows = works.iter().map(|work| {
        let requests = |count: u64, bytes: u64| {
            Cell::noted(
                number::gb(bytes as f64),
                format!("{} requests", number::whole(count)),
            )
        };
        let (reads, writes, flushes): (Cell, Cell, Cell) = match &work.requests {
            Some(r) => (
                requests(r.reads, r.read_bytes),
                requests(r.writes, r.written_bytes),
                number::whole(r.flushes).into(),
            ),
            None => (
                number::MISSING.into(),
                number::MISSING.into(),
                number::MISSING.into(),
            ),
        };
        vec![
            set_words(work).into(),
            number::gb(work.set_bytes as f64).into(),
            number::whole(work.files).into(),
            number::whole(work.directories).into(),
            number::seconds(work.duration_s).into(),
            number::mb_per_s(work.bw_bytes_per_s).into(),
            reads,
            writes,
            flushes,
        ]
    });
    Table::new(
        format!(
            "What was worked on, and what reached the drive; GB = 10⁹ bytes: {}",
            drive.label
        ),
        vec![
            "Set".into(),
            "Size".into(),
            "Files".into(),
            "Directories".into(),
            Cell::noted("Time", "until durable"),
            "Speed".into(),
            "Read".into(),
            "Written".into(),
            "Flushes".into(),
        ],
        rows,
    )
}
