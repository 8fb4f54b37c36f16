//! Labels and notes: a form, and what it sets.

use std::sync::Arc;

use askama::Template;
use stend_lab::recorded::set_marks;
use stend_lab::{EntryId, marks};

use super::fields::{Fields, field};
use crate::app::App;
use crate::guard::check_token;
use crate::trouble::Trouble;

/// A label and a note, to be seen and changed.
#[derive(Template)]
#[template(path = "marks.html")]
pub(crate) struct Marks {
    /// Where the form goes.
    action: String,
    token: String,
    /// As they are or, where something is wrong, as they were typed.
    label: String,
    note: String,
    /// What is wrong with them.
    pub wrong: Vec<String>,
}

impl Marks {
    /// Those of a run, job or replay.
    pub fn of(app: &App, entry: EntryId, label: Option<&str>, note: Option<&str>) -> Marks {
        Marks {
            action: action(entry),
            token: app.token().to_owned(),
            label: label.unwrap_or_default().to_owned(),
            note: note.unwrap_or_default().to_owned(),
            wrong: Vec::new(),
        }
    }
}

/// What is said while another program writes.
const BUSY: &str = "Another program is writing to the lab: nothing is kept yet. Try again.";

/// Where the form of an entry goes.
fn action(entry: EntryId) -> String {
    match entry {
        EntryId::Run(run) => format!("/runs/{run}/marks"),
        EntryId::Recorded(recorded) => format!("/jobs/{}/marks", recorded.0),
    }
}

/// Sets what a form says of an entry that is there. Nothing is set where something is wrong: the
/// form comes back with it.
pub(crate) async fn set(
    app: &Arc<App>,
    entry: EntryId,
    fields: &Fields,
) -> Result<Option<Marks>, Trouble> {
    check_token(app, fields)?;
    let (label, note) = (field(fields, "label"), field(fields, "note"));
    let checked = (
        marks::typed(label, marks::label),
        marks::typed(note, marks::note),
    );
    // What was typed comes back.
    let again = |wrong: Vec<String>| {
        Ok(Some(Marks {
            wrong,
            ..Marks::of(app, entry, Some(label), Some(note))
        }))
    };
    match checked {
        (Ok(new_label), Ok(new_note)) => {
            let set = app.write(move |lab| {
                let marks = (new_label.as_deref(), new_note.as_deref());
                Ok(set_marks(lab, entry, marks)?)
            });
            match set.await {
                Err(Trouble::NotWritten(_)) => again(vec![BUSY.to_owned()]),
                set => set.map(|()| None),
            }
        }
        (label_checked, note_checked) => {
            let wrong = [("Label", label_checked), ("Note", note_checked)];
            let wrong = wrong.into_iter();
            let wrong = wrong.filter_map(|(of, checked)| Some(format!("{of}: {}", checked.err()?)));
            again(wrong.collect())
        }
    }
}
