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
    let typed = (label.to_owned(), note.to_owned());
    match checked {
        (Ok(label), Ok(note)) => {
            let set =
                app.write(move |lab| Ok(set_marks(lab, entry, label.as_deref(), note.as_deref())?));
            match set.await {
                // What was typed comes back.
                Err(Trouble::NotWritten(_)) => {
                    let wrong = "Another program is writing to the lab: nothing is kept yet. Try \
                                 again.";
                    Ok(Some(Marks {
                        wrong: vec![wrong.to_owned()],
                        ..Marks::of(app, entry, Some(typed.0.as_str()), Some(typed.1.as_str()))
                    }))
                }
                set => set.map(|()| None),
            }
        }
        (label_checked, note_checked) => {
            let wrong = [("Label", label_checked), ("Note", note_checked)];
            let wrong = wrong.into_iter();
            let wrong = wrong.filter_map(|(of, checked)| Some(format!("{of}: {}", checked.err()?)));
            Ok(Some(Marks {
                wrong: wrong.collect(),
                ..Marks::of(app, entry, Some(label), Some(note))
            }))
        }
    }
}
