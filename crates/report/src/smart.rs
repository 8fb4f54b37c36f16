//! A drive's SMART data before the tests and after them.

use stend_analysis::smart::{Change, changes};
use stend_language::{say, text};
use stend_record::smart::BeforeAfter;

use crate::number;
use crate::view::{Cell, Table};

/// The drive's SMART data in the form of the page.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Changes; `None` if the drive has no SMART data.
    pub table: Option<Table>,
    /// Alarms, one sentence each.
    pub alarms: Vec<String>,
    /// Reason why data is missing; empty if none is.
    pub missing: String,
}

/// Formats the SMART data of a review.
pub fn account(record: &BeforeAfter) -> Account {
    let changes = changes(record);
    Account {
        alarms: changes.iter().filter_map(alarm).collect(),
        table: (!changes.is_empty()).then(|| table(&changes)),
        missing: record
            .missing
            .as_ref()
            .map_or_else(String::new, |why| text!("smart-not-known", what = why)),
    }
}

fn alarm(change: &Change) -> Option<String> {
    let alarm = change.alarm.as_ref()?;
    Some(number::bound(&text!(
        "smart-alarm",
        what = &change.what,
        alarm = alarm
    )))
}

fn table(changes: &[Change]) -> Table {
    let cell = |text: &str| match text {
        "" => Cell::from(number::MISSING),
        text => number::bound(text).into(),
    };
    let rows = changes.iter().map(|change| {
        let mark = change.alarm.as_ref();
        let mark = mark.map_or_else(String::new, |_| say("smart-alarm-mark"));
        vec![
            change.what.as_str().into(),
            cell(&change.before),
            cell(&change.after),
            Cell::noted(number::bound(&change.difference), mark),
        ]
    });
    Table::new(
        say("smart-caption"),
        [
            "smart-head-figure",
            "smart-head-before",
            "smart-head-after",
            "smart-head-change",
        ]
        .map(say),
        rows,
    )
    .fitting()
}
