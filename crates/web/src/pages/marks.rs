//! Labels and notes: a form, and its handler.

use std::sync::Arc;

use askama::Template;
use stend_lab::recorded::set_marks;
use stend_lab::{EntryId, marks};

use super::fields::{Fields, field};
use crate::app::App;
use crate::guard::check_token;
use crate::trouble::Trouble;

/// Form with a label and a note.
#[derive(Template)]
#[template(path = "marks.html")]
pub(crate) struct Marks {
    /// Address to which the form is posted.
    action: String,
    token: String,
    /// The present label or, after an error, the typed one.
    label: String,
    note: String,
    /// Errors in the label and note.
    pub wrong: Vec<String>,
}

impl Marks {
    /// Creates the form of a run, job or replay.
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

/// Message while another program writes.
const BUSY: &str = "Another program is writing to the lab: nothing is kept yet. Try again.";

/// Returns the address to which the form of an entry is posted.
fn action(entry: EntryId) -> String {
    match entry {
        EntryId::Run(run) => format!("/runs/{run}/marks"),
        EntryId::Recorded(recorded) => format!("/jobs/{}/marks", recorded.0),
    }
}

/// Sets the label and note of an existing entry from a form. After an error neither is set, and the
/// form is returned with the error.
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
    // The typed text is returned.
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
