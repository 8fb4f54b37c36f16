//! Speeds of the other drives of a lab, as multiples of a run's.

use std::collections::BTreeMap;

use rusqlite::params;
use serde_json::Value;
use stend_record::review::{OtherDrive, Price};

use crate::runs::RunState;
use crate::{Lab, LabError, RunId};

/// Most drives that are compared: the last measured ones.
const OTHERS_MAX: usize = 100;

/// Most runs of a drive that are looked at: the last ones may have few of the tests.
const TRIES_MAX: u32 = 5;

/// Figures of a run, by test and load.
type Figures = BTreeMap<String, BTreeMap<String, f64>>;

/// Returns the other drives with a complete run of the same edition, text of the edition,
/// durations and preparation, by the last run of each that has at least half of the tests, the
/// fastest first.
pub fn others(lab: &Lab, run: RunId) -> Result<Vec<OtherDrive>, LabError> {
    let own = figures(lab, run)?;
    // Number of runs of each drive that were looked at.
    let mut seen: BTreeMap<i64, u32> = BTreeMap::new();
    let mut others = Vec::new();
    for (drive, other, mut known) in other_runs(lab, run)? {
        let tries = seen.entry(drive).or_default();
        if *tries == TRIES_MAX || others.len() == OTHERS_MAX {
            continue;
        }
        *tries += 1;
        let Some(ratio) = ratio(&own, &figures(lab, other)?) else {
            continue;
        };
        (known.ratio, known.tests, known.figures) = ratio;
        known.tests_all = own.len() as u32;
        if 2 * known.tests >= known.tests_all {
            *tries = TRIES_MAX;
            others.push(known);
        }
    }
    others.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    Ok(others)
}

/// Returns the complete runs of other drives that can be compared with a run, the last first,
/// each with the number of its drive.
fn other_runs(lab: &Lab, run: RunId) -> Result<Vec<(i64, RunId, OtherDrive)>, LabError> {
    let sql = "
        SELECT other.drive, other.id, drives.model, drives.kind, other.capacity_bytes,
            json_extract(other.rest, '$.target.price')
        FROM runs AS own
        JOIN runs AS other ON other.edition = own.edition
            AND other.edition_sha256 = own.edition_sha256
            AND other.duration_scale = own.duration_scale AND other.drive <> own.drive
            AND json_extract(other.rest, '$.until_steady')
                IS json_extract(own.rest, '$.until_steady')
            AND json_extract(other.rest, '$.read_only')
                IS json_extract(own.rest, '$.read_only')
        JOIN drives ON drives.id = other.drive
        WHERE own.id = ?1 AND other.state = ?2 AND other.measurement_key IS NULL
        ORDER BY other.begun_unix_ms DESC, other.id DESC";
    let complete = RunState::Complete.name();
    let rows = lab.rows(sql, params![run.0, complete], |row| {
        let drive: (i64, i64) = (row.get(0)?, row.get(1)?);
        let (title, kind): (String, String) = (row.get(2)?, row.get(3)?);
        let capacity_bytes: i64 = row.get(4)?;
        let price: Option<String> = row.get(5)?;
        Ok((drive, title, kind, capacity_bytes.cast_unsigned(), price))
    })?;
    let known = |((drive, other), title, kind, capacity_bytes, price): (_, _, String, _, _)| {
        let price: Option<String> = price;
        let price = price.and_then(|json| serde_json::from_str::<Price>(&json).ok());
        let other_drive = OtherDrive {
            title,
            kind: lab.read(Value::from(kind))?,
            capacity_bytes,
            price,
            ratio: 1.0,
            tests: 0,
            tests_all: 0,
            figures: 0,
        };
        Ok((drive, RunId(other), other_drive))
    };
    rows.into_iter().map(known).collect()
}

/// Returns the speeds of a run: requests per second of every point, and the mean of every
/// curve. Equal loads of a test are matched in their order.
fn figures(lab: &Lab, run: RunId) -> Result<Figures, LabError> {
    let points = "
        SELECT tests.test, 'point', op, pattern, block_bytes, queue_depth, threads,
            read_percent, points.iops
        FROM points JOIN tests ON tests.id = points.test
        WHERE tests.run = ?1 AND tests.state = 'finished'
        ORDER BY tests.position, points.position";
    let curves = "
        SELECT tests.test, 'curve', op, pattern, block_bytes, queue_depth, 1, 0,
            (SELECT avg(iops) FROM samples WHERE samples.series = series.id)
        FROM series JOIN tests ON tests.id = series.test
        WHERE tests.run = ?1 AND tests.state = 'finished'
        ORDER BY tests.position, series.position";
    let mut found = Figures::new();
    for sql in [points, curves] {
        let rows = lab.rows(sql, params![run.0], |row| {
            let words: [String; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
            let numbers: [i64; 4] = [row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?];
            let load = format!("{words:?} {numbers:?}");
            Ok((
                row.get::<_, String>(0)?,
                load,
                row.get::<_, Option<f64>>(8)?,
            ))
        })?;
        for (test, load, speed) in rows {
            let Some(speed) = speed.filter(|speed| *speed > 0.0) else {
                continue;
            };
            let of_test = found.entry(test).or_default();
            let same = |nth: usize| format!("{load} {nth}");
            let nth = (0..).find(|nth| !of_test.contains_key(&same(*nth)));
            of_test.insert(same(nth.unwrap_or_default()), speed);
        }
    }
    Ok(found)
}

/// Returns the geometric mean of another run's figures as multiples of a run's, over each test and
/// then over the tests, with the number of tests and of figures that both have; `None` without any.
fn ratio(own: &Figures, other: &Figures) -> Option<(f64, u32, u32)> {
    let mut logs = Vec::new();
    let mut figures = 0;
    for (test, own) in own {
        let Some(other) = other.get(test) else {
            continue;
        };
        let shared = own
            .iter()
            .filter_map(|(load, own)| Some((own, other.get(load)?)));
        let of_test: Vec<f64> = shared.map(|(own, other)| (other / own).ln()).collect();
        if !of_test.is_empty() {
            logs.push(of_test.iter().sum::<f64>() / of_test.len() as f64);
            figures += of_test.len() as u32;
        }
    }
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    (!logs.is_empty()).then(|| (mean.exp(), logs.len() as u32, figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(of: &[(&str, &[f64])]) -> Figures {
        let test = |(id, speeds): &(&str, &[f64])| {
            let speeds = speeds.iter().enumerate();
            let loads = speeds.map(|(nth, speed)| (nth.to_string(), *speed));
            ((*id).to_owned(), loads.collect())
        };
        of.iter().map(test).collect()
    }

    #[test]
    fn tests_weigh_the_same_whatever_their_number_of_figures() {
        let own = figures(&[("a", &[100.0; 9]), ("b", &[10.0])]);
        // Four times as fast in one test and as fast in the other: twice as fast.
        let other = figures(&[("a", &[100.0; 5]), ("b", &[40.0, 1.0]), ("c", &[7.0])]);
        let (ratio, tests, shared) = ratio(&own, &other).unwrap();
        assert!((ratio - 2.0).abs() < 1e-12, "{ratio}");
        assert_eq!((tests, shared), (2, 6));
        assert!(super::ratio(&own, &figures(&[("c", &[7.0])])).is_none());
    }
}
