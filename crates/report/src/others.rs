//! The reviewed drive among the other drives of the lab: speed, and speed for the price.

use stend_language::{number as number_of, say, text};
use stend_record::review::{OtherDrive, Price, Review, TargetKind};

use crate::bars::{BarChart, Group, Row, width_percent};
use crate::drive::kind_words;
use crate::number;

/// Fewest other drives: beside one or two rivals, the summary shows as much.
const OTHERS_MIN: usize = 2;

/// Returns the charts; none with fewer than two other drives.
pub fn charts(review: &Review) -> Vec<BarChart> {
    if review.others.len() < OTHERS_MIN {
        return Vec::new();
    }
    [Some(speed(review)), value(review)]
        .into_iter()
        .flatten()
        .collect()
}

/// A drive with its bar, as a multiple of the reviewed drive's.
struct Bar {
    name: String,
    ratio: f64,
    note: String,
    reviewed: bool,
}

fn speed(review: &Review) -> BarChart {
    let note = |other: &OtherDrive| match other.tests == other.tests_all {
        true => String::new(),
        false => text!("others-tests", shared = other.tests, all = other.tests_all),
    };
    let others = review.others.iter().map(|other| Bar {
        name: name(review, other),
        ratio: other.ratio,
        note: note(other),
        reviewed: false,
    });
    let own = Bar {
        name: review.target.title.clone(),
        ratio: 1.0,
        note: String::new(),
        reviewed: true,
    };
    let axis = text!(
        "others-speed-axis",
        drive = &review.target.title,
        edition = review.edition_title.to_string()
    );
    chart(say("others-speed"), axis, others.chain([own]).collect())
}

/// Returns the chart of speed for the price of a GB, among the drives with a price in the reviewed
/// drive's currency.
fn value(review: &Review) -> Option<BarChart> {
    let target = &review.target;
    let own_price = target.price.as_ref()?;
    let per_gb = |price: &Price, capacity_bytes: u64| {
        let same = price.currency() == own_price.currency();
        let per_gb = price.per_gb(capacity_bytes);
        (same && per_gb > 0.0).then_some(per_gb)
    };
    let own = per_gb(own_price, target.capacity_bytes)?;
    let note = |per_gb: f64| {
        let currency = text!("currency", code = own_price.currency());
        text!(
            "others-per-gb",
            per = number_of(per_gb),
            currency = currency
        )
    };
    let others = review.others.iter().filter_map(|other| {
        let other_per_gb = per_gb(other.price.as_ref()?, other.capacity_bytes)?;
        Some(Bar {
            name: name(review, other),
            ratio: other.ratio * own / other_per_gb,
            note: note(other_per_gb),
            reviewed: false,
        })
    });
    let mut bars: Vec<Bar> = others.collect();
    if bars.is_empty() {
        return None;
    }
    bars.push(Bar {
        name: target.title.clone(),
        ratio: 1.0,
        note: note(own),
        reviewed: true,
    });
    let axis = text!("others-value-axis", drive = &target.title);
    Some(chart(say("others-value"), axis, bars))
}

/// Title of a drive, with its kind if that is not the reviewed drive's.
fn name(review: &Review, other: &OtherDrive) -> String {
    let kind = |kind: TargetKind| kind_words(kind);
    match other.kind == review.target.kind {
        true => other.title.clone(),
        false => format!("{} ({})", other.title, kind(other.kind)),
    }
}

fn chart(title: String, axis: String, mut bars: Vec<Bar>) -> BarChart {
    bars.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let longest = bars.iter().map(|bar| bar.ratio).fold(0.0, f64::max);
    let rows = bars.into_iter().map(|bar| Row {
        name: bar.name,
        text: number::percent(bar.ratio),
        note: number::bound(&bar.note),
        width_percent: width_percent(bar.ratio, longest),
        interval_percent: None,
        reviewed: bar.reviewed,
    });
    BarChart {
        title,
        axis,
        note: String::new(),
        groups: vec![Group {
            name: String::new(),
            rows: rows.collect(),
        }],
    }
}
