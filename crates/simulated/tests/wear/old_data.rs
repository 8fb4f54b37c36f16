//! Old data of the Samsung 840 EVO: cells that lose charge, so that each page is sensed repeatedly
//! until the data is rewritten.

use std::sync::OnceLock;
use std::thread;

use stend_base::{Nanos, Op};
use stend_drive::SimDrive;
use stend_model::nand::reliability::Rber;

use crate::load::{ascending, fill, rest, run};
use crate::page::Case;
use crate::small::shipped;
use crate::svg::{Axis, Chart, Form, Scale, Series, digits};

const MONTH: u64 = 30 * 86_400;
const MONTHS: [u64; 10] = [0, 1, 2, 3, 4, 6, 8, 10, 12, 18];
/// Published speeds, MB/s.
const PUBLISHED: [f64; 2] = [50.0, 100.0];
/// RBER above which the refreshing drives refresh, in parts of 10^12, as for drives with MLC.
const REFRESH: Rber = Rber(2_500_000_000);
const DATA: u64 = 2 << 30;
const READ: u64 = 512 << 20;

#[derive(Clone, Copy)]
struct Speed {
    /// Speed after the time without power, MB/s.
    old: f64,
    /// Speed after an hour of rest with power, MB/s.
    rested: f64,
}

struct Measured {
    as_sold: Vec<Speed>,
    refreshing: Vec<Speed>,
    lasting: Vec<Speed>,
}

/// Reads in order; returns the speed, MB/s.
fn reads(drive: &mut SimDrive) -> f64 {
    const REQUEST: u64 = 128 << 10;
    let (time, failed) = run(drive, (Op::Read, 32, READ / REQUEST), ascending(0, 32));
    assert_eq!(failed, 0);
    READ as f64 * 1e3 / time.0 as f64
}

/// Speeds of data in TLC, by its age.
fn ageing(refresh: Option<Rber>, keeps_charge: bool) -> Vec<Speed> {
    let mut spec = shipped("samsung-840-evo-250gb").spec();
    let media = spec.media.as_mut().expect("its cells err");
    assert_eq!(media.refresh, None, "as it was sold");
    media.refresh = refresh;
    if keeps_charge {
        (media.data_area.year_fresh, media.data_area.year_worn) = (Rber(0), Rber(0));
    }
    let mut new = SimDrive::new(&spec);
    fill(&mut new, DATA);
    // Data in SLC is folded meanwhile.
    rest(&mut new, 600);
    new.share();
    let aged = MONTHS.iter().map(|&months| {
        let mut drive = new.clone();
        drive
            .service()
            .rest_without_power(Nanos::from_secs(months * MONTH));
        let old = reads(&mut drive);
        rest(&mut drive, 3_600);
        Speed {
            old,
            rested: reads(&mut drive),
        }
    });
    aged.collect()
}

fn measured() -> &'static Measured {
    static MEASURED: OnceLock<Measured> = OnceLock::new();
    // The tests of a case wait for each other, so it takes two threads itself.
    MEASURED.get_or_init(|| {
        thread::scope(|scope| {
            let as_sold = scope.spawn(|| ageing(None, false));
            Measured {
                refreshing: ageing(Some(REFRESH), false),
                lasting: ageing(None, true),
                as_sold: as_sold.join().expect("it ends"),
            }
        })
    })
}

/// Index of the first age whose data the drive rewrites.
fn first_refreshed(m: &Measured) -> usize {
    let rewritten = m.refreshing.iter().position(|s| s.rested > 1.5 * s.old);
    rewritten.expect("it refreshes")
}

fn speed(speeds: &[Speed], months: u64) -> Speed {
    let at = MONTHS.iter().position(|&m| m == months);
    speeds[at.expect("it is measured")]
}

pub fn case() -> Case {
    let m = measured();
    let line = |name: &str, form, speeds: &[Speed], of: fn(&Speed) -> f64| Series {
        name: name.to_owned(),
        form,
        points: MONTHS
            .iter()
            .map(|&m| m as f64)
            .zip(speeds.iter().map(of))
            .collect(),
    };
    let chart = Chart {
        title: "Samsung 840 EVO 250 GB: reading old data in order",
        x: Axis::new(
            "months since the data was written, without power",
            Scale::Linear,
            [0.0, 18.0],
            &[0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0],
        ),
        y: Axis::new(
            "sequential reading, MB/s",
            Scale::Linear,
            [0.0, 600.0],
            &[0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0],
        ),
        band: Some((PUBLISHED, "published, months old: 50 to 100 MB/s")),
        series: vec![
            line("as sold", Form::Line, &m.as_sold, |s| s.old),
            line(
                "refreshed in an hour at rest",
                Form::Line,
                &m.refreshing,
                |s| s.rested,
            ),
            line(
                "cells that keep their charge",
                Form::Dashed,
                &m.lasting,
                |s| s.old,
            ),
        ],
    };
    let old = |months| digits(speed(&m.as_sold, months).old);
    Case {
        picture: "wear-old-data.svg",
        svg: chart.svg(),
        figures: vec![
            ("old.0", old(0)),
            ("old.1", old(1)),
            ("old.3", old(3)),
            ("old.6", old(6)),
            ("old.12", old(12)),
            ("old.18", old(18)),
            ("old.refreshed", digits(speed(&m.refreshing, 12).rested)),
            ("old.first", MONTHS[first_refreshed(m)].to_string()),
            ("old.unrefreshed", digits(speed(&m.as_sold, 12).rested)),
        ],
    }
}

#[test]
fn old_data_reads_slowly_as_long_as_nothing_rewrites_it() {
    let m = measured();
    let fresh = m.as_sold[0].old;
    assert!(m.as_sold.windows(2).all(|two| two[1].old < two[0].old));
    assert!(speed(&m.as_sold, 12).old < 0.15 * fresh);
    // Only rewriting restores the speed.
    assert!(m.as_sold.iter().all(|s| s.rested < 1.02 * s.old.max(1.0)));
    let first = first_refreshed(m);
    assert!(
        m.refreshing[first..]
            .iter()
            .all(|s| s.rested > 0.98 * fresh)
    );
    // Younger data is not rewritten.
    assert!(
        m.refreshing[..first]
            .iter()
            .all(|s| s.rested < 1.02 * s.old)
    );
}

#[test]
fn old_data_reads_fast_where_cells_keep_their_charge() {
    let m = measured();
    assert!(m.lasting.iter().all(|s| s.old > 0.99 * m.as_sold[0].old));
}
