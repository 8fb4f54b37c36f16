//! Labels and notes: a form, and its handler.

use std::sync::Arc;

use askama::Template;
use stend_lab::recorded::{Conflict, Edit, edit_marks};
use stend_lab::{EntryId, marks};

use super::fields::{Fields, field};
use crate::address::localized;
use crate::app::App;
use crate::guard::check_token;
use crate::trouble::Trouble;

/// Form with a label and a note.
#[derive(Template)]
#[template(path = "marks.html")]
pub(crate) struct Marks {
    entry: EntryId,
    token: String,
    /// The present label or, after an error, the typed one.
    label: String,
    note: String,
    /// The stored label that the user saw, empty if there was none; `None` if unknown.
    seen_label: Option<String>,
    seen_note: Option<String>,
    /// Errors in the label and note.
    pub wrong: Vec<String>,
}

impl Marks {
    /// Creates the form of a run, job or replay.
    pub fn of(app: &App, entry: EntryId, label: Option<&str>, note: Option<&str>) -> Marks {
        Marks {
            entry,
            token: app.token().to_owned(),
            label: label.unwrap_or_default().to_owned(),
            note: note.unwrap_or_default().to_owned(),
            seen_label: Some(label.unwrap_or_default().to_owned()),
            seen_note: Some(note.unwrap_or_default().to_owned()),
            wrong: Vec::new(),
        }
    }

    /// Returns the address to which the form is posted.
    fn action(&self) -> String {
        match self.entry {
            EntryId::Run(run) => localized(format!("/runs/{run}/marks")),
            EntryId::Recorded(recorded) => format!("/jobs/{}/marks", recorded.0),
        }
    }
}

/// Message while another program writes.
const BUSY: &str = "Another program is writing to the lab: nothing is kept yet. Try again.";

/// Returns the text that the user saw when the form was loaded; `None` if the form lacks it.
fn seen(fields: &Fields, name: &str) -> Option<String> {
    let known = fields.iter().any(|(other, _)| other == name);
    known.then(|| field(fields, name).to_owned())
}

/// Describes a text that someone else has stored since the form was loaded.
fn changed_meanwhile(of: &str, stored: &str) -> String {
    let now = match stored.is_empty() {
        true => "it was removed".to_owned(),
        false => format!("it was changed to “{stored}”"),
    };
    format!("{of}: {now} since this page was loaded. Keep replaces it with yours.")
}

/// Writes those of label and note that a form changes. After an error, or if someone else has
/// changed one of them since the form was loaded, nothing is written, and the form is returned with
/// the reason and the typed texts.
pub(crate) async fn set(
    app: &Arc<App>,
    entry: EntryId,
    fields: &Fields,
) -> Result<Option<Marks>, Trouble> {
    check_token(app, fields)?;
    let (label, note) = (field(fields, "label"), field(fields, "note"));
    let again = |wrong: Vec<String>| Marks {
        seen_label: seen(fields, "seen_label"),
        seen_note: seen(fields, "seen_note"),
        wrong,
        ..Marks::of(app, entry, Some(label), Some(note))
    };
    let checked = (
        marks::typed(label, marks::label),
        marks::typed(note, marks::note),
    );
    let (new_label, new_note) = match checked {
        (Ok(label), Ok(note)) => (label, note),
        (label, note) => {
            let wrong = [("Label", label), ("Note", note)].into_iter();
            let wrong = wrong.filter_map(|(of, checked)| Some(format!("{of}: {}", checked.err()?)));
            return Ok(Some(again(wrong.collect())));
        }
    };
    let seen = [seen(fields, "seen_label"), seen(fields, "seen_note")];
    let written = app.write(move |lab| {
        let edit = |seen, text| Edit { seen, text };
        let label = edit(seen[0].as_deref(), new_label.as_deref());
        let note = edit(seen[1].as_deref(), new_note.as_deref());
        Ok(edit_marks(lab, entry, (label, note))?)
    });
    match written.await {
        Ok(None) => Ok(None),
        Ok(Some(conflict)) => Ok(Some(after(&conflict, again(Vec::new())))),
        Err(Trouble::NotWritten(_)) => Ok(Some(again(vec![BUSY.to_owned()]))),
        Err(trouble) => Err(trouble),
    }
}

/// Adds a conflict to a form, so that sending it again replaces what is stored.
fn after(conflict: &Conflict, mut form: Marks) -> Marks {
    let stored = [
        ("Label", &conflict.label, &mut form.seen_label),
        ("Note", &conflict.note, &mut form.seen_note),
    ];
    for (of, stored, seen) in stored {
        if let Some(stored) = stored {
            form.wrong.push(changed_meanwhile(of, stored));
            *seen = Some(stored.clone());
        }
    }
    form
}
