//! A drive's SMART data before the tests and after them.

use stend_analysis::smart::{Change, changes};
use stend_language::{recorded, text};
use stend_record::smart::BeforeAfter;

use crate::number;
use crate::view::{Cell, Table};

/// The drive's account as the page shows it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// What changed; missing where the drive has no SMART data.
    pub table: Option<Table>,
    /// What is alarming, a sentence each.
    pub alarms: Vec<String>,
    /// Why something is missing; empty where nothing is.
    pub missing: String,
}

/// The account of a review.
pub fn account(record: &BeforeAfter) -> Account {
    let changes = changes(record);
    Account {
        alarms: changes.iter().filter_map(alarm).collect(),
        table: (!changes.is_empty()).then(|| table(&changes)),
        missing: record.missing.as_ref().map_or_else(String::new, |why| {
            text!("smart-not-known", what = recorded(why))
        }),
    }
}

fn alarm(change: &Change) -> Option<String> {
    let alarm = change.alarm.as_ref()?;
    Some(number::bound(&format!("{}: {alarm}.", change.what)))
}

fn table(changes: &[Change]) -> Table {
    let cell = |text: &str| match text {
        "" => Cell::from(number::MISSING),
        text => number::bound(text).into(),
    };
    let rows = changes.iter().map(|change| {
        let mark = if change.alarm.is_some() { "ALARM" } else { "" };
        vec![
            change.what.as_str().into(),
            cell(&change.before),
            cell(&change.after),
            Cell::noted(number::bound(&change.difference), mark),
        ]
    });
    Table::new(
        "SMART data of the drive, before the first test and after the last",
        ["Figure", "Before", "After", "Change"],
        rows,
    )
    .fitting()
}
